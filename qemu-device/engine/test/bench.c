/*
 * Engine benchmark: descriptors and cycles per second, and what they are
 * beside this host's memcpy in the same run
 *
 * Says whether the goals hold: functional mode does 3 million descriptors of
 * 64 bytes per second and copies 1 MiB at 70 % of memcpy's speed, cycle mode
 * simulates 5 million cycles per second of such descriptors.  Each figure is
 * the best of several rounds, which take turns.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "../idma-engine.h"

#define RAM_BASE    0x80000000ull
#define RAM_SIZE    (64u << 20)
#define MIB         (1u << 20)

static uint8_t *ram;

static IdmaResp b_read(void *opaque, const IdmaBusAttr *attr, uint64_t addr,
                       void *buf, uint32_t len)
{
    (void)opaque;
    (void)attr;
    if (addr - RAM_BASE > RAM_SIZE - len) {
        return IDMA_RESP_DECERR;
    }
    memcpy(buf, ram + (addr - RAM_BASE), len);
    return IDMA_RESP_OKAY;
}

static IdmaResp b_write(void *opaque, const IdmaBusAttr *attr, uint64_t addr,
                        const void *buf, uint32_t len)
{
    (void)opaque;
    (void)attr;
    if (addr - RAM_BASE > RAM_SIZE - len) {
        return IDMA_RESP_DECERR;
    }
    memcpy(ram + (addr - RAM_BASE), buf, len);
    return IDMA_RESP_OKAY;
}

static void *b_map(void *opaque, bool read, uint64_t addr, uint64_t *len)
{
    (void)opaque;
    (void)read;
    if (addr - RAM_BASE >= RAM_SIZE) {
        return NULL;
    }
    if (*len > RAM_SIZE - (addr - RAM_BASE)) {
        *len = RAM_SIZE - (addr - RAM_BASE);
    }
    return ram + (addr - RAM_BASE);
}

static void b_irq(void *opaque, uint64_t cycle, bool new_pulse)
{
    (void)cycle;
    (void)new_pulse;
    ++*(uint64_t *)opaque;
}

/* Of this process, so that others that run here count less. */
static double now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void put64(uint64_t at, uint64_t v)
{
    memcpy(ram + (at - RAM_BASE), &v, 8);
}

/* A chain of n descriptors of len bytes; the data areas cycle. */
static void chain(unsigned n, uint32_t len, uint32_t flags)
{
    uint64_t src = RAM_BASE + (16u << 20), dst = RAM_BASE + (40u << 20);
    uint64_t stride = (len + 4095) & ~4095u;
    unsigned i;

    for (i = 0; i < n; i++) {
        uint64_t at = RAM_BASE + 32ull * i;
        uint64_t off = (i * stride) % (16u << 20);

        put64(at, (uint64_t)flags << 32 | len);
        put64(at + 8, i + 1 == n ? UINT64_MAX : at + 32);
        put64(at + 16, src + off);
        put64(at + 24, dst + off);
    }
}

static double run(IdmaEngine *e, unsigned n, uint32_t len, uint64_t *irqs,
                  uint64_t *cycles)
{
    uint64_t start = idma_engine_now(e);
    double t;

    chain(n, len, IDMA_FLAGS_PLAIN);
    *irqs = 0;
    t = now();
    idma_engine_reg_write(e, start, IDMA_REG_DESC_ADDR, 8, RAM_BASE);
    while (idma_engine_busy(e)) {
        idma_engine_run(e, idma_engine_next(e) + 100000, 1000000);
    }
    t = now() - t;
    *cycles = idma_engine_now(e) - start;
    if (*irqs != n) {
        fprintf(stderr, "lost interrupts: %u of %u\n", (unsigned)*irqs, n);
        exit(1);
    }
    return t;
}

static const char *verdict(double got, double goal)
{
    return got >= goal ? "holds" : "MISSED";
}

/* Calls of memcpy per second for 64 bytes each, over as much memory. */
static double small_copies(void)
{
    const unsigned n = 200000;
    double t = now();
    unsigned i;

    for (i = 0; i < n; i++) {
        uint64_t off = (i * 4096ull) % (16u << 20);

        memcpy(ram + (40u << 20) + off, ram + (16u << 20) + off, 64);
    }
    return n / (now() - t);
}

static void bench(IdmaTiming timing, bool map)
{
    IdmaEngineOps ops = { .read = b_read, .write = b_write, .irq = b_irq,
                          .map = map ? b_map : NULL };
    static IdmaEngine e;
    IdmaEngineConfig c;
    uint64_t irqs, cycles;
    double t, best64 = 1e9, best1m = 1e9, bestcpy = 1e9;
    double cyc64 = 0, small = 0, rate;
    unsigned i, k, n64 = timing == IDMA_TIMING_CYCLE ? 20000 : 200000;

    idma_engine_config_default(&c);
    c.timing = timing;
    if (!idma_engine_init(&e, &c, &ops, &irqs)) {
        return;
    }
    for (i = 0; i < 5; i++) {
        t = run(&e, n64, 64, &irqs, &cycles);
        if (t < best64) {
            best64 = t;
            cyc64 = cycles / t;
        }
        rate = small_copies();
        small = rate > small ? rate : small;
        t = run(&e, 8, MIB, &irqs, &cycles);
        best1m = t < best1m ? t : best1m;
        t = now();
        for (k = 0; k < 8; k++) {
            memcpy(ram + (40u << 20) + k * MIB, ram + (16u << 20) + k * MIB,
                   MIB);
        }
        t = now() - t;
        bestcpy = t < bestcpy ? t : bestcpy;
    }
    rate = n64 / best64;
    printf("%-10s %-6s 64 B: %6.2f M descriptors/s (memcpy calls: %.1f times "
           "as many), %7.1f M cycles/s   1 MiB: %5.2f GB/s = %5.1f %% of "
           "memcpy\n", timing == IDMA_TIMING_CYCLE ? "cycle" : "functional",
           map ? "map" : "calls", rate / 1e6, small / rate, cyc64 / 1e6,
           8.0 * MIB / best1m / 1e9, 100 * bestcpy / best1m);
    if (timing == IDMA_TIMING_CYCLE) {
        printf("    goal: 5 M cycles/s of 64 B chains: %s\n",
               verdict(cyc64, 5e6));
    } else if (map) {
        printf("    goal: 3 M descriptors/s of 64 B: %s\n"
               "    goal: 1 MiB at 70 %% of memcpy: %s\n", verdict(rate, 3e6),
               verdict(bestcpy / best1m, 0.7));
    }
}

int main(void)
{
    ram = malloc(RAM_SIZE);
    memset(ram, 1, RAM_SIZE);
    bench(IDMA_TIMING_FUNCTIONAL, false);
    bench(IDMA_TIMING_FUNCTIONAL, true);
    bench(IDMA_TIMING_CYCLE, false);
    free(ram);
    return 0;
}
