/*
 * libFuzzer target: a migration stream as input
 *
 * Words of a running engine's state are replaced.  The engine refuses the
 * result, or runs on safely: bounded steps, time forwards, and a state that
 * it still accepts.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../idma-engine.h"

#define RAM_SIZE    16384u

static uint8_t ram[RAM_SIZE];
static uint64_t accesses;
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
    fprintf(stderr, "invariant: %s\n", why);
    abort();
}

static IdmaResp s_read(void *opaque, const IdmaBusAttr *attr, uint64_t addr,
                       void *buf, uint32_t len)
{
    uint32_t i;

    (void)opaque;
    (void)attr;
    accesses++;
    if (!len || len > 2048) {
        die("length of a read");
    }
    for (i = 0; i < len; i++) {
        ((uint8_t *)buf)[i] = ram[(addr + i) % RAM_SIZE];
    }
    return IDMA_RESP_OKAY;
}

static IdmaResp s_write(void *opaque, const IdmaBusAttr *attr, uint64_t addr,
                        const void *buf, uint32_t len)
{
    uint32_t i;

    (void)opaque;
    (void)attr;
    accesses++;
    if (!len || len > 2048) {
        die("length of a write");
    }
    for (i = 0; i < len; i++) {
        ram[(addr + i) % RAM_SIZE] = ((const uint8_t *)buf)[i];
    }
    return IDMA_RESP_OKAY;
}

static const IdmaEngineOps ops = { .read = s_read, .write = s_write };

static void put64(uint64_t at, uint64_t v)
{
    memcpy(ram + at, &v, 8);
}

/* Bus accesses a single step may make: a whole step of one-beat bursts. */
#define STEP_LIMIT  (IDMA_STEP_BYTES / 4)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static IdmaEngine e;
    IdmaEngineConfig c;
    unsigned i, op;
    uint64_t t;

    in = data;
    left = size;
    idma_engine_config_default(&c);
    op = take(1);
    c.timing = op & 1 ? IDMA_TIMING_CYCLE : IDMA_TIMING_FUNCTIONAL;
    c.n_speculation = op & 2 ? 4 : 0;
    c.lossless = !!(op & 4);
    c.read_latency = c.write_latency = op & 8 ? 30 : 1;
    if (!idma_engine_init(&e, &c, &ops, NULL)) {
        die("a good configuration is refused");
    }
    memset(ram, 0, sizeof(ram));
    for (i = 0; i < 40; i++) {
        put64(32 * i, (uint64_t)(IDMA_FLAGS_PLAIN | (i % 8) << 5) << 32 |
                      (i * 77 % 500));
        put64(32 * i + 8, i % 10 == 9 ? UINT64_MAX : 32 * (i + 1));
        put64(32 * i + 16, 2048 + i * 5);
        put64(32 * i + 24, 8192 + i * 9);
    }
    for (i = 0; i < 4; i++) {
        idma_engine_reg_write(&e, 2 * i, 0, 8, 320 * i);
    }
    t = take(2) % 4096;
    idma_engine_run(&e, t, UINT64_MAX);
    while (left > 3) {
        uint64_t at = take(2) % IDMA_ENGINE_STATE_WORDS, v = take(1);

        op = take(1);
        switch (op % 6) {
        case 0:
            e.words[at] = v;
            break;
        case 1:
            e.words[at] += v;
            break;
        case 2:
            e.words[at] -= v;
            break;
        case 3:
            e.words[at] = take(8);
            break;
        case 4:
            e.words[at] = UINT64_MAX - v;
            break;
        case 5:
            e.words[at] = e.words[(at + v) % IDMA_ENGINE_STATE_WORDS];
            break;
        }
    }
    if (!idma_engine_state_valid(&e, NULL)) {
        idma_engine_reset(&e, 0);
        if (!idma_engine_state_valid(&e, NULL) || idma_engine_busy(&e)) {
            die("reset does not help");
        }
        return 0;
    }
    for (i = 0; i < 300; i++) {
        uint64_t before = accesses, was = idma_engine_now(&e);

        idma_engine_run(&e, was + 100000, 1);
        if (accesses - before > STEP_LIMIT) {
            die("a step without bound");
        }
        if (idma_engine_now(&e) < was) {
            die("time goes backwards");
        }
        if (i % 64 == 0) {
            idma_engine_reg_write(&e, was, 0, 8, 0);
        }
        if (i % 16 == 0 && !idma_engine_state_valid(&e, NULL)) {
            die("an accepted state went bad");
        }
    }
    return 0;
}
