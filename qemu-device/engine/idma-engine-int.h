/*
 * PULP iDMA engine: what its own files share
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef IDMA_ENGINE_INT_H
#define IDMA_ENGINE_INT_H

#include <string.h>
#include "idma-engine.h"

#define AXI_BURST_FIXED     0u
#define AXI_BURST_INCR      1u
#define AXI_BURST_WRAP      2u

#define IDMA_PAGE           4096u
#define IDMA_BURST_BYTES    2048u   /* 256 beats of 8 bytes */

static inline uint64_t max64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t min64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Cycles from AR to the first R, and from the last W to B. */
static inline uint64_t cfg_read_rt(const IdmaEngineConfig *cfg)
{
    return cfg->mem_mode == IDMA_MEM_CUTS ? 2 * (uint64_t)cfg->read_latency + 1
                                          : (uint64_t)cfg->read_latency + 1;
}

static inline uint64_t cfg_write_rt(const IdmaEngineConfig *cfg)
{
    return cfg->mem_mode == IDMA_MEM_CUTS ? 2 * (uint64_t)cfg->write_latency + 1
                                          : (uint64_t)cfg->write_latency + 1;
}

/* Cycles that a request or a write beat takes on its way to the memory. */
static inline uint64_t cfg_way(const IdmaEngineConfig *cfg)
{
    return cfg->mem_mode == IDMA_MEM_CUTS ? cfg->read_latency : 0;
}

/* Bursts start and end at multiples of this. */
static inline uint32_t burst_window(const IdmaEngineConfig *cfg,
                                    uint32_t flags)
{
    uint32_t window;

    if (flags & IDMA_FLAG_REDUCE_LEN) {
        /* the front-end ties max_llen to 0: one beat */
        return cfg->bus_bytes;
    }
    window = cfg->max_burst_beats * cfg->bus_bytes;
    return window < IDMA_PAGE ? window : IDMA_PAGE;
}

static inline unsigned flags_burst(uint32_t flags, bool read)
{
    return (flags >> (read ? IDMA_FLAG_SRC_BURST_S : IDMA_FLAG_DST_BURST_S)) &
           3;
}

static inline void flags_attr(const IdmaEngineConfig *cfg, uint32_t flags,
                              bool read, IdmaBusAttr *attr)
{
    attr->kind = read ? IDMA_BUS_READ : IDMA_BUS_WRITE;
    attr->burst = flags_burst(flags, read);
    attr->cache = (flags >> (read ? IDMA_FLAG_SRC_CACHE_S
                                  : IDMA_FLAG_DST_CACHE_S)) & 0xf;
    attr->id = (flags >> IDMA_FLAG_AXI_ID_S) &
               ((1u << cfg->axi_id_bits) - 1);
}

/*
 * Address of the bus word that beat i of a burst touches, the way an AXI
 * subordinate computes it.  start is the burst's address, beats its length.
 * Only the bursts that AXI knows can wrap; the rest behave as INCR.
 */
static inline uint64_t beat_addr(unsigned burst, uint64_t start,
                                 uint32_t beats, uint32_t i)
{
    uint64_t word = start & ~7ull;
    uint64_t size;

    switch (burst) {
    case AXI_BURST_FIXED:
        return word;
    case AXI_BURST_WRAP:
        if (beats >= 2 && beats <= 16 && !(beats & (beats - 1))) {
            size = 8ull * beats;
            return (word & ~(size - 1)) | ((word + 8ull * i) & (size - 1));
        }
        /* fall through */
    default:
        return word + 8ull * i;
    }
}

static inline uint64_t load_le64(const uint8_t *p)
{
    uint64_t v = 0;
    int i;

    for (i = 7; i >= 0; i--) {
        v = v << 8 | p[i];
    }
    return v;
}

static inline void store_le64(uint8_t *p, uint64_t v)
{
    int i;

    for (i = 0; i < 8; i++) {
        p[i] = v >> (8 * i);
    }
}

static inline void trace(IdmaEngine *e, IdmaTraceType type, uint64_t cycle,
                         uint64_t addr, uint64_t arg)
{
    if (e->ops->trace) {
        IdmaTraceEvent ev = {
            .type = type, .cycle = cycle, .addr = addr, .arg = arg,
        };
        e->ops->trace(e->opaque, &ev);
    }
}

/* The handshakes of single beats, cycle mode only; arg = port. */
static inline void trace_beat(IdmaEngine *e, IdmaTraceType type,
                              uint64_t cycle, uint64_t addr, unsigned port)
{
    trace(e, type, cycle, addr, port);
}

static inline void trace_burst(IdmaEngine *e, bool read, uint64_t cycle,
                               uint64_t addr, uint64_t len, IdmaResp resp)
{
    if (e->ops->trace) {
        IdmaTraceEvent ev = {
            .type = read ? IDMA_TRACE_BURST_READ : IDMA_TRACE_BURST_WRITE,
            .cycle = cycle, .addr = addr, .len = len, .arg = resp,
        };
        e->ops->trace(e->opaque, &ev);
    }
}

void idma_fault_hit(IdmaEngine *e, IdmaFault fault, uint64_t cycle,
                    uint64_t addr);
/* The response that faults force on an access (counts it), or OKAY. */
IdmaResp idma_err_match(IdmaEngine *e, IdmaBusKind kind, uint64_t cycle,
                        uint64_t addr, uint64_t len);
/* Whether the data write burst that starts now is to be left out. */
bool idma_skip_write(IdmaEngine *e, uint64_t cycle, uint64_t addr);

/*
 * Contiguous accesses with the injected response inj already decided; they
 * return the response the engine sees.  idma_note_resp() counts it, once per
 * burst.
 */
void idma_note_resp(IdmaEngine *e, IdmaBusKind kind, IdmaResp resp,
                    uint64_t addr);
IdmaResp idma_bus_read(IdmaEngine *e, const IdmaBusAttr *attr, IdmaResp inj,
                       uint64_t addr, uint8_t *buf, uint32_t len);
IdmaResp idma_bus_write(IdmaEngine *e, const IdmaBusAttr *attr, IdmaResp inj,
                        uint64_t addr, const uint8_t *buf, uint32_t len);

/* A whole descriptor fetch and a completion mark. */
void idma_fetch(IdmaEngine *e, uint64_t cycle, uint64_t addr, uint64_t w[4]);
void idma_mark(IdmaEngine *e, uint64_t cycle, uint64_t addr);

/* The line goes high in this cycle (or later, or not at all: faults). */
void idma_irq_raise(IdmaEngine *e, uint64_t cycle);

/* Input FIFO: the head if it can be seen in the given cycle. */
static inline bool idma_inq_peek(const IdmaEngine *e, uint64_t cycle,
                                 uint64_t *addr)
{
    const IdmaInputSlot *slot = &e->s.inq[e->s.inq_head];

    if (!e->s.inq_count || slot->cycle >= cycle) {
        return false;
    }
    *addr = slot->addr;
    return true;
}

static inline uint64_t idma_inq_slot(const IdmaEngine *e, uint64_t i)
{
    i += e->s.inq_head;
    return i >= IDMA_INQ_SIZE ? i - IDMA_INQ_SIZE : i;
}

static inline void idma_inq_pop(IdmaEngine *e, uint64_t cycle)
{
    if (e->s.inq_count > e->cfg.input_fifo_depth) {
        /* the address in the register moves up, a stalled write follows */
        e->s.inq[idma_inq_slot(e, e->s.inq_count - 1)].in_fifo = cycle + 2;
        e->s.inq_free = cycle + 2;
    }
    e->s.inq_head = idma_inq_slot(e, 1);
    e->s.inq_count--;
}

/* Functional mode; _next: the earliest cycle with something to do, and what. */
uint64_t idma_func_next(const IdmaEngine *e, unsigned *what);
void idma_func_step(IdmaEngine *e, unsigned what, uint64_t cycle);
bool idma_func_busy(const IdmaEngine *e);
bool idma_func_valid(const IdmaEngine *e, const char **why);

/* Cycle mode; a step is one clock. */
uint64_t idma_cycle_next(const IdmaEngine *e);
void idma_cycle_step(IdmaEngine *e, uint64_t cycle);
void idma_cycle_reset(IdmaEngine *e);
bool idma_cycle_busy(const IdmaEngine *e);
bool idma_cycle_valid(const IdmaEngine *e, const char **why);

#endif
