/*
 * libFuzzer target: chains as input, both timing modes must end alike
 *
 * Every descriptor is reached once and has a destination of its own, so that
 * the outcome does not depend on cycles: memory, marks in order, interrupts,
 * bytes, bursts and errors must be the same.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../idma-engine.h"

#define SLOTS       32u
#define DESC_BASE   0x1000u
#define SRC_BASE    0x2000u
#define DST_BASE    0x4000u
#define DST_STRIDE  0x400u
#define RAM_SIZE    (DST_BASE + SLOTS * DST_STRIDE)
#define FAR         (1ull << 40)

typedef struct Side {
    IdmaEngine e;
    uint8_t ram[RAM_SIZE];
    uint64_t irqs;
    uint64_t marks;
    uint64_t mark[SLOTS];
} Side;

static const uint8_t *in;
static size_t left;

static uint64_t take(unsigned n)
{
    uint64_t v = 0;

    while (n-- && left) {
        v = v << 8 | *in++;
        left--;
    }
    return v;
}

static void die(const char *why)
{
    fprintf(stderr, "modes differ: %s\n", why);
    abort();
}

static IdmaResp m_read(void *opaque, const IdmaBusAttr *attr, uint64_t addr,
                       void *buf, uint32_t len)
{
    Side *s = opaque;

    (void)attr;
    if (addr > RAM_SIZE - len) {
        /* guesses run past the last descriptor, nothing else does */
        if (attr->kind != IDMA_BUS_FETCH) {
            die("a read out of bounds");
        }
        return IDMA_RESP_DECERR;
    }
    memcpy(buf, s->ram + addr, len);
    return IDMA_RESP_OKAY;
}

static IdmaResp m_write(void *opaque, const IdmaBusAttr *attr, uint64_t addr,
                        const void *buf, uint32_t len)
{
    Side *s = opaque;

    if (attr->kind == IDMA_BUS_MARK) {
        if (s->marks == SLOTS) {
            die("too many marks");
        }
        s->mark[s->marks++] = addr;
    } else if (addr < DST_BASE || addr > RAM_SIZE - len) {
        die("a write out of bounds");
    }
    memcpy(s->ram + addr, buf, len);
    return IDMA_RESP_OKAY;
}

static void m_irq(void *opaque, uint64_t cycle, bool new_pulse)
{
    Side *s = opaque;

    (void)cycle;
    (void)new_pulse;
    s->irqs++;
}

static const IdmaEngineOps ops = {
    .read = m_read, .write = m_write, .irq = m_irq,
};

static void put64(Side *s, uint64_t at, uint64_t v)
{
    memcpy(s->ram + at, &v, 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Side side[2];
    IdmaEngineConfig c;
    IdmaEngineFaults f;
    uint8_t slot[SLOTS];
    uint64_t heads[SLOTS], gap;
    unsigned n, n_heads = 0, i, k;
    bool head = true;

    in = data;
    left = size;
    idma_engine_config_default(&c);
    c.n_speculation = take(1) % 20;
    c.pending_fifo_depth = 1 + take(1) % 16;
    c.num_ax_in_flight = 2 + take(1) % 16;
    c.buffer_depth = 2 + take(1) % 4;
    c.input_fifo_depth = 1 + take(1) % 8;
    c.read_latency = c.write_latency = take(1) % 40;
    c.max_burst_beats = 1u << take(1) % 9;
    c.mem_mode = take(1) & 1 ? IDMA_MEM_DIRECT : IDMA_MEM_CUTS;
    if (c.mem_mode == IDMA_MEM_DIRECT) {
        c.write_latency = take(1) % 100;
    }
    c.mem_reads = take(1) % 8;
    c.mem_writes = take(1) % 8;
    c.read_interval = 1 + take(1) % 3;
    c.write_interval = 1 + take(1) % 3;
    c.lossless = 1;
    memset(&f, 0, sizeof(f));
    f.drop_irq_every = take(1) % 6;
    f.skip_write_every = take(1) % 6;
    f.delay_irq = take(1);
    f.delay_transfer = take(1) % 64;
    f.delay_guess = take(1) % 64;
    f.err_keep_data = take(1) & 1;
    f.err[0].kinds = 1u << IDMA_BUS_READ;
    f.err[0].resp = IDMA_RESP_SLVERR;
    f.err[0].base = SRC_BASE + take(2) % 0x2000;
    f.err[0].size = take(2) % 0x1000;
    f.err[0].every = take(1) % 4;
    f.err[1].kinds = 1u << IDMA_BUS_WRITE;
    f.err[1].resp = IDMA_RESP_DECERR;
    f.err[1].base = DST_BASE + take(2);
    f.err[1].size = take(2) % 0x1000;
    f.err[1].every = take(1) % 4;
    gap = 2 + take(1);

    memset(side, 0, sizeof(side));
    n = 1 + take(1) % SLOTS;
    for (i = 0; i < SLOTS; i++) {
        slot[i] = i;
    }
    for (i = 0; i + 1 < n; i++) {
        k = i + take(1) % 4;
        if (k < n) {
            uint8_t t = slot[i];

            slot[i] = slot[k];
            slot[k] = t;
        }
    }
    for (i = 0; i < n; i++) {
        uint64_t at = DESC_BASE + 32 * slot[i];
        uint64_t op = take(1), len = take(2) % (DST_STRIDE - 16);
        uint32_t flags = 0x0a | (op & 0xe1) | take(2) << 8;
        bool end = i + 1 == n || (op & 6) == 6;

        if (op & 8) {
            len %= 20;
        }
        put64(&side[0], at, (uint64_t)flags << 32 | len);
        put64(&side[0], at + 8, end ? UINT64_MAX : DESC_BASE +
                                                   32 * slot[i + 1]);
        put64(&side[0], at + 16, SRC_BASE + take(2) % 0x1800);
        put64(&side[0], at + 24, DST_BASE + i * DST_STRIDE + take(1) % 16);
        if (head) {
            heads[n_heads++] = at;
        }
        head = end;
    }
    for (i = 0; i < 0x2000; i++) {
        side[0].ram[SRC_BASE + i] = i * 37 + (i >> 8);
    }
    memcpy(side[1].ram, side[0].ram, RAM_SIZE);

    for (k = 0; k < 2; k++) {
        Side *s = &side[k];
        uint64_t t = 0;

        c.timing = k ? IDMA_TIMING_CYCLE : IDMA_TIMING_FUNCTIONAL;
        if (!idma_engine_init(&s->e, &c, &ops, s) ||
            !idma_engine_set_faults(&s->e, &f)) {
            die("a good set-up is refused");
        }
        for (i = 0; i < n_heads; i++) {
            idma_engine_run(&s->e, t, UINT64_MAX);
            while (idma_engine_reg_write(&s->e, t, 0, 8, heads[i]) !=
                   IDMA_REG_OK) {
                t = idma_engine_next(&s->e);
                if (t > FAR) {
                    die("no room ever");
                }
                idma_engine_run(&s->e, t, UINT64_MAX);
            }
            t = idma_engine_now(&s->e) + gap;
        }
        while (idma_engine_next(&s->e) < FAR) {
            idma_engine_run(&s->e, FAR, 1000);
        }
        if (idma_engine_busy(&s->e)) {
            die("one does not end");
        }
    }
    if (memcmp(side[0].ram, side[1].ram, RAM_SIZE)) {
        die("memory");
    }
    if (side[0].marks != n || side[1].marks != n ||
        memcmp(side[0].mark, side[1].mark, sizeof(side[0].mark))) {
        die("marks");
    }
    if (side[0].irqs != side[1].irqs) {
        die("interrupts");
    }
    if (side[0].e.stats.bytes_written != side[1].e.stats.bytes_written ||
        side[0].e.stats.read_bursts != side[1].e.stats.read_bursts ||
        side[0].e.stats.write_bursts != side[1].e.stats.write_bursts ||
        side[0].e.stats.bus_errors[IDMA_BUS_READ] !=
        side[1].e.stats.bus_errors[IDMA_BUS_READ] ||
        side[0].e.stats.bus_errors[IDMA_BUS_WRITE] !=
        side[1].e.stats.bus_errors[IDMA_BUS_WRITE]) {
        die("statistics");
    }
    return 0;
}
