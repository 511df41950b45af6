/*
 * libFuzzer target: register accesses, descriptor memory and faults as input
 *
 * Invariants: accesses stay inside what the contract allows and terminate in
 * bounded steps, time and interrupts never go backwards, marks come in the
 * order of the requests, and a saved state is always a valid one.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../idma-engine.h"

#define RAM_SIZE    8192u
#define RING        1024u

typedef struct Fuzz {
    const uint8_t *p;
    size_t left;
    uint8_t ram[RAM_SIZE];
    uint64_t accesses;
    uint64_t last_irq;
    uint64_t requests[RING];
    uint64_t n_req, n_mark;
} Fuzz;

static uint64_t take(Fuzz *z, unsigned n)
{
    uint64_t v = 0;

    while (n-- && z->left) {
        v = v << 8 | *z->p++;
        z->left--;
    }
    return v;
}

static void die(const char *why)
{
    fprintf(stderr, "invariant: %s\n", why);
    abort();
}

/* All of the address space is the one small RAM, so that chains go on. */
static IdmaResp z_read(void *opaque, const IdmaBusAttr *attr, uint64_t addr,
                       void *buf, uint32_t len)
{
    Fuzz *z = opaque;
    uint8_t *to = buf;
    uint32_t i;

    z->accesses++;
    if (!len || len > 2048 || attr->id > 7 || attr->burst > 3 ||
        attr->cache > 15 || (attr->kind == IDMA_BUS_FETCH && len > 32) ||
        addr + len - 1 < addr) {
        die("shape of a read");
    }
    if (attr->kind != IDMA_BUS_FETCH && (addr & 0xfff) + len > 0x1000) {
        die("a read crosses a page");
    }
    for (i = 0; i < len; i++) {
        to[i] = z->ram[(addr + i) % RAM_SIZE];
    }
    return addr >> 62 ? IDMA_RESP_DECERR : IDMA_RESP_OKAY;
}

static IdmaResp z_write(void *opaque, const IdmaBusAttr *attr, uint64_t addr,
                        const void *buf, uint32_t len)
{
    Fuzz *z = opaque;
    const uint8_t *from = buf;
    uint32_t i;

    z->accesses++;
    if (!len || len > 2048 || (addr & 0xfff) + len > 0x1000 ||
        (attr->kind == IDMA_BUS_MARK && (len != 8 || (addr & 7)))) {
        die("shape of a write");
    }
    for (i = 0; i < len; i++) {
        z->ram[(addr + i) % RAM_SIZE] = from[i];
    }
    return IDMA_RESP_OKAY;
}

static void *z_map(void *opaque, bool read, uint64_t addr, uint64_t *len)
{
    Fuzz *z = opaque;
    uint64_t off = addr % RAM_SIZE;

    (void)read;
    if (addr >> 62) {
        return NULL;
    }
    if (*len > RAM_SIZE - off) {
        *len = RAM_SIZE - off;
    }
    /* aliases of the one RAM would overlap behind the engine's back */
    return *len > 4096 ? NULL : z->ram + off;
}

static void z_irq(void *opaque, uint64_t cycle, bool new_pulse)
{
    Fuzz *z = opaque;

    (void)new_pulse;
    if (cycle <= z->last_irq) {
        die("interrupts go backwards");
    }
    z->last_irq = cycle;
}

static void z_trace(void *opaque, const IdmaTraceEvent *ev)
{
    Fuzz *z = opaque;

    if (ev->type == IDMA_TRACE_REQUEST) {
        if (z->n_req - z->n_mark >= RING) {
            die("too many requests without a mark");
        }
        z->requests[z->n_req++ % RING] = ev->addr;
    }
    if (ev->type == IDMA_TRACE_MARK) {
        if (z->n_mark >= z->n_req) {
            die("a mark without a request");
        }
        if (z->requests[z->n_mark++ % RING] != ev->addr) {
            die("marks out of order");
        }
    }
}

static const IdmaEngineOps ops_traced = {
    .read = z_read, .write = z_write, .irq = z_irq, .trace = z_trace,
};

static const IdmaEngineOps ops_mapped = {
    .read = z_read, .write = z_write, .irq = z_irq, .map = z_map,
};

/* Bus accesses a single step may make. */
#define STEP_LIMIT  2048

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static IdmaEngine e;
    static Fuzz z;
    IdmaEngineConfig c;
    IdmaEngineFaults f;
    uint64_t t = 0, next, launches = 0;
    unsigned op, i, n;
    bool traced;

    memset(&z, 0, sizeof(z));
    z.p = data;
    z.left = size;
    idma_engine_config_default(&c);
    op = take(&z, 1);
    c.timing = op & 1 ? IDMA_TIMING_CYCLE : IDMA_TIMING_FUNCTIONAL;
    c.n_speculation = take(&z, 1) % 72;
    c.pending_fifo_depth = take(&z, 1) % 70;
    c.num_ax_in_flight = take(&z, 1) % 70;
    c.input_fifo_depth = take(&z, 1) % 70;
    c.buffer_depth = 2 + op / 16 % 4;
    c.read_latency = c.write_latency = take(&z, 1) % 20;
    c.mem_mode = op & 2 ? IDMA_MEM_DIRECT : IDMA_MEM_CUTS;
    c.max_burst_beats = 1u << (op / 4 % 16);
    traced = !(take(&z, 1) & 1);
    if (!idma_engine_init(&e, &c, traced ? &ops_traced : &ops_mapped, &z)) {
        if (!idma_engine_config_check(&c, NULL)) {
            die("a good configuration is refused");
        }
        return 0;
    }
    while (z.left) {
        op = take(&z, 1);
        switch (op % 8) {
        case 0:     /* a descriptor */
            n = take(&z, 1) * 32 % RAM_SIZE;
            for (i = 0; i < 32 && z.left; i++) {
                z.ram[n + i] = take(&z, 1);
            }
            break;
        case 1:     /* a tidy descriptor */
            n = take(&z, 1) * 32 % RAM_SIZE;
            memset(z.ram + n, 0, 32);
            z.ram[n] = take(&z, 1);
            z.ram[n + 1] = take(&z, 1) % 16;
            z.ram[n + 4] = IDMA_FLAGS_PLAIN | (take(&z, 1) & 0xe0);
            z.ram[n + 8] = take(&z, 1) & 0xe0;
            z.ram[n + 9] = take(&z, 1) % 16;
            if (op & 0x80) {
                memset(z.ram + n + 8, 0xff, 8);
            }
            z.ram[n + 16] = take(&z, 1);
            z.ram[n + 17] = take(&z, 1);
            z.ram[n + 24] = take(&z, 1);
            z.ram[n + 25] = take(&z, 1);
            break;
        case 2:
            launches += idma_engine_reg_write(&e, t, IDMA_REG_DESC_ADDR, 8,
                                              take(&z, 1) * 32) ==
                        IDMA_REG_OK;
            break;
        case 3:
            launches += idma_engine_reg_write(&e, t, take(&z, 1) % 17,
                                              take(&z, 1) % 9, take(&z, 8)) ==
                        IDMA_REG_OK;
            break;
        case 4:
            idma_engine_reg_read(&e, t, take(&z, 2), take(&z, 1) % 9);
            break;
        case 5:
            memset(&f, 0, sizeof(f));
            f.drop_irq_every = take(&z, 1) % 8;
            f.delay_irq = take(&z, 1) * 4;
            f.skip_write_every = take(&z, 1) % 8;
            f.delay_transfer = take(&z, 1);
            f.delay_guess = take(&z, 1);
            f.hang_from = take(&z, 1) % 64;
            f.err_keep_data = op & 0x10;
            f.err[0].base = take(&z, 2);
            f.err[0].size = take(&z, 1);
            f.err[0].kinds = take(&z, 1) % 32;
            f.err[0].resp = take(&z, 1) % 4;
            if (!idma_engine_set_faults(&e, &f) &&
                !idma_engine_faults_check(&f, NULL)) {
                die("good faults are refused");
            }
            break;
        case 6:
            if (op & 0x80 && take(&z, 1) == 0xee) {
                idma_engine_reset(&e, t);
                z.n_req = z.n_mark = 0;
                z.last_irq = t;
            }
            break;
        case 7:
            break;
        }
        /* single steps, each of them bounded */
        t += op / 8;
        for (i = 0; i < 64; i++) {
            uint64_t before = z.accesses, was = idma_engine_now(&e);

            next = idma_engine_run(&e, t, 1);
            if (z.accesses - before > STEP_LIMIT) {
                die("a step without bound");
            }
            if (idma_engine_now(&e) < was) {
                die("time goes backwards");
            }
            if (next > t) {
                break;
            }
        }
        if (next != idma_engine_next(&e)) {
            die("run and next disagree");
        }
        if (!idma_engine_state_valid(&e, NULL)) {
            die("a state of its own is refused");
        }
    }
    if (e.stats.launches != launches || (traced && e.stats.marks < z.n_mark)) {
        die("statistics");
    }
    return 0;
}
