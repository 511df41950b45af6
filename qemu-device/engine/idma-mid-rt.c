/*
 * PULP iDMA engine: rt_3D, the mid-end that repeats transfers on its own
 *
 * Between two calls only counters move, so time is given as a cycle and any
 * distance to it is one step.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>
#include "idma-mid.h"

/*
 * A counter that was loaded in a clock counts from the next one on: it takes
 * count clocks to reach zero and one to pass it.
 */
static void load(IdmaRt *m, uint32_t i)
{
    m->left[i] = m->event[i].count + 1;
    m->since[i] = m->now + 1;
}

/* From where on the clocks count that have not been counted. */
static uint64_t from(const IdmaRt *m, uint32_t i)
{
    return m->since[i] > m->now ? m->since[i] : m->now;
}

bool idma_rt_init(IdmaRt *m, uint32_t events, uint32_t outstanding,
                  uint64_t cycle)
{
    uint32_t i;

    if (!events || events > IDMA_MID_MAX_EVENTS || !outstanding ||
        outstanding > IDMA_MID_OUTSTANDING) {
        return false;
    }
    memset(m, 0, sizeof(*m));
    m->events = events;
    m->outstanding = outstanding;
    m->now = cycle;
    m->held = IDMA_RT_NONE;
    for (i = 0; i < events; i++) {
        m->left[i] = 1;
    }
    return true;
}

bool idma_rt_set(IdmaRt *m, uint32_t event, const IdmaRtEvent *ev)
{
    if (event >= m->events || ev->count > UINT32_MAX) {
        return false;
    }
    m->event[event] = *ev;
    return true;
}

void idma_rt_run(IdmaRt *m, uint64_t cycle)
{
    uint32_t i;

    if (cycle <= m->now) {
        return;
    }
    for (i = 0; i < m->events; i++) {
        uint64_t passed = cycle > from(m, i) ? cycle - from(m, i) : 0;

        if (m->event[i].enable) {
            m->left[i] -= passed < m->left[i] ? passed : m->left[i];
        }
    }
    m->now = cycle;
}

static bool full(const IdmaRt *m)
{
    return m->count == m->outstanding;
}

uint64_t idma_rt_next(const IdmaRt *m)
{
    uint64_t next = UINT64_MAX;
    uint32_t i;

    if (full(m)) {
        return next;
    }
    if (m->bypass_valid) {
        return m->now;
    }
    for (i = 0; i < m->events; i++) {
        uint64_t due = from(m, i) + m->left[i];

        /* one that is due stays so when it is disabled */
        if ((m->event[i].enable || !m->left[i]) && due >= m->left[i] &&
            due < next) {
            next = due;
        }
    }
    return next;
}

bool idma_rt_put(IdmaRt *m, const IdmaNdReq *bypass)
{
    if (m->bypass_valid) {
        return false;
    }
    m->bypass = *bypass;
    m->bypass_valid = true;
    return true;
}

static uint32_t choose(const IdmaRt *m)
{
    uint32_t event = IDMA_RT_NONE, n;

    for (n = 0; n < m->events && event == IDMA_RT_NONE; n++) {
        uint32_t i = (m->turn + n) % m->events;

        if (!m->left[i]) {
            event = i;
        }
    }
    if (m->bypass_valid && (event == IDMA_RT_NONE || m->bypass_turn)) {
        return IDMA_RT_BYPASS;
    }
    return event;
}

bool idma_rt_peek(IdmaRt *m, IdmaNdReq *req, uint32_t *from)
{
    if (full(m)) {
        return false;
    }
    if (m->held == IDMA_RT_NONE) {
        /* once offered, an offer is not withdrawn */
        m->held = choose(m);
    }
    if (m->held == IDMA_RT_NONE) {
        return false;
    }
    *req = m->held == IDMA_RT_BYPASS ? m->bypass : m->event[m->held].req;
    if (from) {
        *from = m->held;
    }
    return true;
}

void idma_rt_pop(IdmaRt *m)
{
    uint32_t who = m->held;

    if (who == IDMA_RT_NONE || full(m)) {
        return;
    }
    m->held = IDMA_RT_NONE;
    if (who == IDMA_RT_BYPASS) {
        m->bypass_valid = false;
        m->bypass_turn = false;
    } else {
        load(m, who);
        m->launches[who]++;
        m->turn = (who + 1) % m->events;
        m->bypass_turn = true;
    }
    m->from[(m->head + m->count) % IDMA_MID_OUTSTANDING] = who;
    m->count++;
}

uint32_t idma_rt_answer(IdmaRt *m)
{
    uint32_t who = m->from[m->head];

    if (!m->count) {
        return IDMA_RT_NONE;
    }
    m->head = (m->head + 1) % IDMA_MID_OUTSTANDING;
    m->count--;
    return who;
}
