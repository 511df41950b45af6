/*
 * Engine tests: what was measured on the RTL, one test per observation, plus
 * faults, hostile input, bounded steps, and save and restore
 *
 * Every test runs in each timing mode that is built.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "testlib.h"

#define FAR     (1ull << 40)    /* "run to the end" */
#define SLOT(i) (DESC_BASE + 32ull * (i))
#define SRC(i)  (SRC_BASE + 0x1000ull * (i))
#define DST(i)  (DST_BASE + 0x1000ull * (i))

static World *w;

static IdmaEngineConfig config(unsigned nspec, unsigned latency)
{
    IdmaEngineConfig c;

    idma_engine_config_default(&c);
    c.n_speculation = nspec;
    c.read_latency = c.write_latency = latency;
    return c;
}

/* n descriptors of len bytes, contiguous, chained, in slots from first on. */
static void chain(unsigned first, unsigned n, uint32_t len, uint32_t flags)
{
    unsigned i;

    for (i = first; i < first + n; i++) {
        put_desc(w, SLOT(i), len, flags,
                 i + 1 == first + n ? IDMA_DESC_END : SLOT(i + 1), SRC(i),
                 DST(i));
    }
}

static void test_one(void)
{
    static const uint32_t lens[] = { 1, 7, 8, 9, 64, 255, 2048, 2049, 4096,
                                     70000 };
    unsigned i;

    plan_subtest("one descriptor: data, guard bytes, mark, interrupt");
    for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
        uint64_t src = SRC(1) + 5, dst = DST(1) + 3;

        snprintf(test_context, sizeof(test_context), "len %u", lens[i]);
        world_start(w, NULL, i);
        put_desc(w, SLOT(0), lens[i], IDMA_FLAGS_PLAIN, IDMA_DESC_END, src,
                 dst);
        CHECK_EQ(launch(w, 0, SLOT(0)), IDMA_REG_OK);
        CHECK(run_idle(w, FAR));
        CHECK(same(w, src, dst, lens[i]));
        CHECK_EQ(*mem_at(w, dst - 1), 0xa5);
        CHECK_EQ(*mem_at(w, dst + lens[i]), 0xa5);
        CHECK(marked(w, SLOT(0)));
        CHECK_EQ(get64(w, SLOT(0) + 8), IDMA_DESC_END);
        CHECK_EQ(get64(w, SLOT(0) + 16), src);
        CHECK_EQ(get64(w, SLOT(0) + 24), dst);
        CHECK_EQ(w->irqs, 1);
        CHECK_EQ(w->outside, 0);
        CHECK_EQ(w->e.stats.bytes_written, lens[i]);
        CHECK_EQ(w->e.stats.launches, 1);
        CHECK_EQ(w->e.stats.marks, 1);
    }
    subtest_done();
}

static void test_no_irq_flag(void)
{
    plan_subtest("no irq flag: mark, but no interrupt");
    world_start(w, NULL, 1);
    chain(0, 4, 100, IDMA_FLAGS_PLAIN & ~IDMA_FLAG_IRQ);
    put64(w, SLOT(2), (uint64_t)IDMA_FLAGS_PLAIN << 32 | 100);
    launch(w, 0, SLOT(0));
    CHECK(run_idle(w, FAR));
    CHECK_EQ(w->irqs, 1);
    CHECK_EQ(w->e.stats.marks, 4);
    CHECK(marked(w, SLOT(3)));
    subtest_done();
}

/* Order of effects per descriptor: last data, then mark, then interrupt. */
static void test_order(void)
{
    unsigned nspec, i;

    plan_subtest("data before mark before interrupt, in chain order");
    for (nspec = 0; nspec <= 8; nspec += 4) {
        IdmaEngineConfig c = config(nspec, 5);
        unsigned mark = 0, irq = 0;
        uint64_t bytes = 0, last = 0;

        world_start(w, &c, 2);
        chain(0, 32, 200, IDMA_FLAGS_PLAIN);
        launch(w, 0, SLOT(0));
        CHECK(run_idle(w, FAR));
        for (i = 0; i < w->n_ev; i++) {
            const IdmaTraceEvent *ev = &w->ev[i];

            CHECK(ev->cycle >= last);
            last = ev->cycle;
            if (ev->type == IDMA_TRACE_BURST_WRITE) {
                bytes += ev->len;
            } else if (ev->type == IDMA_TRACE_MARK) {
                CHECK_EQ(ev->addr, SLOT(mark));
                mark++;
                CHECK(bytes >= 200ull * mark);
            } else if (ev->type == IDMA_TRACE_IRQ) {
                irq++;
                CHECK(irq <= mark);
            }
        }
        CHECK_EQ(mark, 32);
        CHECK_EQ(irq, 32);
    }
    subtest_done();
}

/* behaviours 4 */
static void test_zero_length(void)
{
    IdmaEngineConfig c = config(4, 0);

    plan_subtest("zero length is answered at once");
    world_start(w, &c, 3);
    chain(0, 1, 0, IDMA_FLAGS_PLAIN);
    launch(w, 0, SLOT(0));
    CHECK(run_idle(w, FAR));
    CHECK(marked(w, SLOT(0)));
    CHECK_EQ(w->irqs, 1);
    CHECK_EQ(w->e.stats.zero_length, 1);
    CHECK_EQ(count_events(w, IDMA_TRACE_BURST_READ), 0);
    CHECK_EQ(count_events(w, IDMA_TRACE_BURST_WRITE), 0);
    subtest_done();

    plan_subtest("zero length marks the oldest pending descriptor too early");
    world_start(w, &c, 3);
    put_desc(w, SLOT(0), 1024, IDMA_FLAGS_PLAIN, SLOT(1), SRC(0), DST(0));
    put_desc(w, SLOT(1), 0, IDMA_FLAGS_PLAIN, SLOT(2), SRC(1), DST(1));
    put_desc(w, SLOT(2), 64, IDMA_FLAGS_PLAIN, IDMA_DESC_END, SRC(2), DST(2));
    launch(w, 0, SLOT(0));
    CHECK(run_idle(w, FAR));
    CHECK_EQ(nth_event(w, IDMA_TRACE_MARK, 0)->addr, SLOT(0));
    CHECK_EQ(nth_event(w, IDMA_TRACE_MARK, 1)->addr, SLOT(1));
    CHECK_EQ(nth_event(w, IDMA_TRACE_MARK, 2)->addr, SLOT(2));
    /* the mark of the 1024-byte transfer: long before its data */
    CHECK(nth_event(w, IDMA_TRACE_MARK, 0)->cycle < 30);
    CHECK(nth_event(w, IDMA_TRACE_MARK, 1)->cycle > 130);
    CHECK_EQ(w->irqs, 3);
    CHECK_EQ(w->e.stats.marks, 3);
    CHECK(same(w, SRC(0), DST(0), 1024));
    CHECK(same(w, SRC(2), DST(2), 64));
    subtest_done();
}

/* behaviours 5 */
static void test_input_fifo(void)
{
    static const unsigned nspecs[] = { 0, 4 };
    unsigned k, i;

    plan_subtest("10 launches fit with nothing draining, the 11th stalls");
    for (k = 0; k < 2; k++) {
        IdmaEngineConfig c = config(nspecs[k], 100);

        world_start(w, &c, 4);
        for (i = 0; i < 12; i++) {
            put_desc(w, SLOT(i), 64, IDMA_FLAGS_PLAIN, IDMA_DESC_END,
                     SRC(i), DST(i));
        }
        for (i = 0; i < 10; i++) {
            idma_engine_run(&w->e, 2 * i, UINT64_MAX);
            /* the ninth has filled the FIFO, the register takes one more */
            CHECK_EQ(idma_engine_reg_read(&w->e, 2 * i, IDMA_REG_STATUS, 8),
                     (i ? IDMA_STATUS_BUSY : 0) |
                     (i == 9 ? IDMA_STATUS_FIFO_FULL : 0));
            CHECK_EQ(launch(w, 2 * i, SLOT(i)), IDMA_REG_OK);
        }
        idma_engine_run(&w->e, 19, UINT64_MAX);
        CHECK_EQ(idma_engine_reg_read(&w->e, 19, IDMA_REG_STATUS, 8), 3);
        /* the bus holds the 11th and the 12th until an entry is popped */
        for (i = 10; i < 12; i++) {
            uint64_t stalls = w->e.stats.stalls;

            CHECK_EQ(launch(w, idma_engine_now(&w->e) + 1, SLOT(i)),
                     IDMA_REG_STALL);
            CHECK_EQ(w->e.stats.stalls, stalls + 1);
            while (!idma_engine_can_launch(&w->e)) {
                idma_engine_run(&w->e, idma_engine_next(&w->e), 1);
            }
            CHECK_EQ(idma_engine_reg_write(&w->e, idma_engine_now(&w->e), 0,
                                           8, SLOT(i)), IDMA_REG_OK);
            CHECK_EQ(nth_event(w, IDMA_TRACE_LAUNCH, i)->cycle,
                     nspecs[k] ? (i == 10 ? 207 : 211)
                               : (i == 10 ? 206 : 409));
        }
        CHECK(run_idle(w, FAR));
        CHECK_EQ(w->e.stats.marks, 12);
        for (i = 0; i < 12; i++) {
            CHECK_EQ(nth_event(w, IDMA_TRACE_MARK, i)->addr, SLOT(i));
            CHECK(same(w, SRC(i), DST(i), 64));
        }
    }
    subtest_done();

    plan_subtest("a write stalls when FIFO_FULL has been seen set");
    {
        IdmaEngineConfig c = config(4, 100);

        world_start(w, &c, 4);
        for (i = 0; i < 9; i++) {
            CHECK_EQ(launch(w, 10 * i, SLOT(2 * i)), IDMA_REG_OK);
        }
        idma_engine_run(&w->e, 85, UINT64_MAX);
        CHECK_EQ(idma_engine_reg_read(&w->e, 85, IDMA_REG_STATUS, 8), 3);
        CHECK_EQ(launch(w, 87, SLOT(20)), IDMA_REG_STALL);
        CHECK(!idma_engine_can_launch(&w->e));
    }
    subtest_done();

    plan_subtest("launches in one and the same cycle still fill 10 places");
    {
        IdmaEngineConfig c = config(4, 100);

        world_start(w, &c, 4);
        for (i = 0; i < 10; i++) {
            CHECK_EQ(idma_engine_reg_write(&w->e, 0, 0, 8, SLOT(2 * i)),
                     IDMA_REG_OK);
        }
        CHECK_EQ(idma_engine_reg_write(&w->e, 0, 0, 8, SLOT(20)),
                 IDMA_REG_STALL);
        CHECK(!idma_engine_can_launch(&w->e));
    }
    subtest_done();

    plan_subtest("input FIFO capacity follows the configured depth");
    {
        IdmaEngineConfig c = config(4, 100);
        unsigned depth;

        for (depth = 1; depth <= 64; depth += 21) {
            c.input_fifo_depth = depth;
            world_start(w, &c, 4);
            for (i = 0; i < 100; i++) {
                if (launch(w, 2 * i, SLOT(2 * i)) != IDMA_REG_OK) {
                    break;
                }
            }
            CHECK_EQ(i, depth + 2);
        }
    }
    subtest_done();
}

static void test_registers(void)
{
    plan_subtest("DESC_ADDR reads 0, STATUS follows BUSY");
    world_start(w, NULL, 5);
    chain(0, 2, 64, IDMA_FLAGS_PLAIN);
    CHECK_EQ(idma_engine_reg_read(&w->e, 0, IDMA_REG_STATUS, 8), 0);
    launch(w, 0, SLOT(0));
    CHECK_EQ(idma_engine_reg_read(&w->e, 1, IDMA_REG_STATUS, 8), 1);
    CHECK_EQ(idma_engine_reg_read(&w->e, 1, IDMA_REG_STATUS, 4), 1);
    CHECK_EQ(idma_engine_reg_read(&w->e, 1, IDMA_REG_STATUS + 4, 4), 0);
    CHECK_EQ(idma_engine_reg_read(&w->e, 1, IDMA_REG_DESC_ADDR, 8), 0);
    CHECK_EQ(idma_engine_reg_read(&w->e, 1, 0x10, 8), 0);
    CHECK_EQ(w->e.stats.launches, 1);
    CHECK(run_idle(w, FAR));
    CHECK_EQ(idma_engine_reg_read(&w->e, FAR, IDMA_REG_STATUS, 8), 0);
    CHECK_EQ(w->e.stats.launches, 1);
    subtest_done();

    plan_subtest("BUSY has no gap from the launch to the last mark's answer");
    {
        IdmaEngineConfig c = config(4, 3);
        uint64_t t;

        world_start(w, &c, 5);
        chain(0, 3, 64, IDMA_FLAGS_PLAIN);
        launch(w, 0, SLOT(0));
        for (t = 1; w->irqs < 3 && t < 10000; t++) {
            CHECK(idma_engine_busy(&w->e));
            idma_engine_run(&w->e, t, UINT64_MAX);
        }
        CHECK_EQ(w->irqs, 3);
        CHECK(!idma_engine_busy(&w->e));
        CHECK_EQ(w->e.stats.busy_cycles, w->last_irq);
    }
    subtest_done();

    plan_subtest("32-bit stores launch once each, with the other half as is");
    world_start(w, NULL, 5);
    CHECK_EQ(idma_engine_reg_write(&w->e, 0, 0, 4, SLOT(0)), IDMA_REG_OK);
    CHECK_EQ(idma_engine_reg_write(&w->e, 10, 4, 4, 0), IDMA_REG_OK);
    CHECK_EQ(w->e.stats.launches, 2);
    CHECK_EQ(nth_event(w, IDMA_TRACE_LAUNCH, 0)->addr, 0xffffffff80000000ull);
    CHECK_EQ(nth_event(w, IDMA_TRACE_LAUNCH, 1)->addr, SLOT(0));
    idma_engine_run(&w->e, 20, UINT64_MAX);
    CHECK_EQ(nth_event(w, IDMA_TRACE_FETCH, 0)->addr, 0xffffffff80000000ull);
    subtest_done();

    plan_subtest("odd accesses are refused, other registers ignored");
    world_start(w, NULL, 5);
    CHECK_EQ(idma_engine_reg_write(&w->e, 0, 1, 4, 0), IDMA_REG_BAD);
    CHECK_EQ(idma_engine_reg_write(&w->e, 0, 0, 3, 0), IDMA_REG_BAD);
    CHECK_EQ(idma_engine_reg_write(&w->e, 0, 4, 8, 0), IDMA_REG_BAD);
    CHECK_EQ(idma_engine_reg_write(&w->e, 0, 8, 8, 0), IDMA_REG_IGNORED);
    CHECK_EQ(idma_engine_reg_write(&w->e, 0, 0xff8, 8, 0), IDMA_REG_IGNORED);
    CHECK_EQ(w->e.stats.launches, 0);
    CHECK(!idma_engine_busy(&w->e));
    subtest_done();
}

/* behaviours 5, last rows: chains run in write order; contiguous heads hit */
static void test_chains(void)
{
    IdmaEngineConfig c = config(4, 13);
    unsigned i;

    plan_subtest("chains run in write order; a contiguous head is a hit");
    world_start(w, &c, 6);
    chain(0, 2, 64, IDMA_FLAGS_PLAIN);
    chain(2, 2, 64, IDMA_FLAGS_PLAIN);
    chain(8, 2, 64, IDMA_FLAGS_PLAIN);
    launch(w, 0, SLOT(0));
    launch(w, 2, SLOT(2));
    launch(w, 4, SLOT(8));
    CHECK(run_idle(w, FAR));
    for (i = 0; i < 4; i++) {
        CHECK_EQ(nth_event(w, IDMA_TRACE_MARK, i)->addr, SLOT(i));
        CHECK(same(w, SRC(i), DST(i), 64));
    }
    CHECK_EQ(nth_event(w, IDMA_TRACE_MARK, 4)->addr, SLOT(8));
    CHECK_EQ(nth_event(w, IDMA_TRACE_MARK, 5)->addr, SLOT(9));
    CHECK_EQ(w->e.stats.head_hits, 1);
    CHECK_EQ(w->irqs, 6);
    subtest_done();
}

static void test_flags(void)
{
    static const uint8_t extra[] = {
        0, IDMA_FLAG_DECOUPLE_RW, IDMA_FLAG_DECOUPLE_AW,
        IDMA_FLAG_DECOUPLE_RW | IDMA_FLAG_DECOUPLE_AW, IDMA_FLAG_REDUCE_LEN,
        IDMA_FLAG_REDUCE_LEN | IDMA_FLAG_DECOUPLE_RW | IDMA_FLAG_DECOUPLE_AW,
    };
    unsigned i, k;

    plan_subtest("decoupling and reduce_len leave the data right");
    for (i = 0; i < sizeof(extra); i++) {
        for (k = 0; k < 8; k++) {
            uint64_t src = SRC(1) + 2040 + k, dst = DST(1) + 2044 - k;
            uint32_t flags = IDMA_FLAGS_PLAIN | extra[i];

            snprintf(test_context, sizeof(test_context), "flags 0x%x k %u",
                     flags, k);
            world_start(w, NULL, i);
            put_desc(w, SLOT(0), 5000, flags, IDMA_DESC_END, src, dst);
            launch(w, 0, SLOT(0));
            CHECK(run_idle(w, FAR));
            CHECK(same(w, src, dst, 5000));
            CHECK_EQ(*mem_at(w, dst - 1), 0xa5);
            CHECK_EQ(*mem_at(w, dst + 5000), 0xa5);
            CHECK_EQ(w->e.stats.bytes_read, 5000);
            CHECK_EQ(w->e.stats.bytes_written, 5000);
        }
    }
    subtest_done();
}

/* Bursts: 2048-byte windows of both sides; one beat each with reduce_len. */
static void test_legalizer(void)
{
    plan_subtest("bursts end at 2048-byte boundaries of either side");
    world_start(w, NULL, 7);
    put_desc(w, SLOT(0), 6000, IDMA_FLAGS_PLAIN, IDMA_DESC_END,
             SRC(0) + 100, DST(0) + 1000);
    launch(w, 0, SLOT(0));
    CHECK(run_idle(w, FAR));
    /* source ends at 1948 + 2048k, destination at 1048 + 2048k */
    CHECK_EQ(w->e.stats.read_bursts, 6);
    CHECK_EQ(w->e.stats.write_bursts, 6);
    subtest_done();

    plan_subtest("decouple_rw: each side has its own boundaries");
    world_start(w, NULL, 7);
    put_desc(w, SLOT(0), 6000, IDMA_FLAGS_PLAIN | IDMA_FLAG_DECOUPLE_RW,
             IDMA_DESC_END, SRC(0) + 100, DST(0) + 1000);
    launch(w, 0, SLOT(0));
    CHECK(run_idle(w, FAR));
    CHECK_EQ(w->e.stats.read_bursts, 3);
    CHECK_EQ(w->e.stats.write_bursts, 4);
    subtest_done();

    plan_subtest("reduce_len: one beat per burst");
    world_start(w, NULL, 7);
    put_desc(w, SLOT(0), 100, IDMA_FLAGS_PLAIN | IDMA_FLAG_REDUCE_LEN,
             IDMA_DESC_END, SRC(0), DST(0));
    launch(w, 0, SLOT(0));
    CHECK(run_idle(w, FAR));
    CHECK_EQ(w->e.stats.read_bursts, 13);
    CHECK_EQ(w->e.stats.write_bursts, 13);
    subtest_done();
}

/* behaviours 6: burst types go to the bus as they are, the rest is INCR's */
static void test_burst_types(void)
{
    plan_subtest("FIXED re-reads the same word, WRAP wraps");
    world_start(w, NULL, 8);
    put_desc(w, SLOT(0), 64, 0x9, IDMA_DESC_END, SRC(0), DST(0));
    put_desc(w, SLOT(4), 64, 0x3, IDMA_DESC_END, SRC(0), DST(1));
    put_desc(w, SLOT(8), 64, 0xd, IDMA_DESC_END, SRC(0) + 32, DST(2));
    put_desc(w, SLOT(12), 64, 0xf, IDMA_DESC_END, SRC(0) + 32, DST(3));
    launch(w, 0, SLOT(0));
    launch(w, 2, SLOT(4));
    launch(w, 4, SLOT(8));
    launch(w, 6, SLOT(12));
    CHECK(run_idle(w, FAR));
    /* source FIXED: the first word eight times */
    CHECK(same(w, SRC(0), DST(0), 8));
    CHECK(same(w, SRC(0), DST(0) + 8, 8));
    CHECK(same(w, SRC(0), DST(0) + 56, 8));
    /* destination FIXED: only the first word is touched, by the last beat */
    CHECK(same(w, SRC(0) + 56, DST(1), 8));
    CHECK_EQ(get64(w, DST(1) + 8), 0xa5a5a5a5a5a5a5a5ull);
    /* source WRAP of 8 beats from the middle of a 64-byte container */
    CHECK(same(w, SRC(0) + 32, DST(2), 32));
    CHECK(same(w, SRC(0), DST(2) + 32, 32));
    /* reserved burst code: as INCR */
    CHECK(same(w, SRC(0) + 32, DST(3), 64));
    CHECK_EQ(w->irqs, 4);
    subtest_done();
}

/* behaviours 7 */
static void test_bus_errors_ignored(void)
{
    IdmaEngineFaults f;

    plan_subtest("bus errors are ignored: data copied, mark, interrupt");
    memset(&f, 0, sizeof(f));
    f.err[0] = (IdmaErrRange) { .base = 0, .size = UINT64_MAX, .kinds = 0xf,
                                .resp = IDMA_RESP_SLVERR };
    f.err_keep_data = 1;
    world_start(w, NULL, 9);
    CHECK(idma_engine_set_faults(&w->e, &f));
    chain(0, 4, 300, IDMA_FLAGS_PLAIN);
    launch(w, 0, SLOT(0));
    CHECK(run_idle(w, FAR));
    CHECK_EQ(w->e.stats.marks, 4);
    CHECK_EQ(w->irqs, 4);
    CHECK(same(w, SRC(3), DST(3), 300));
    CHECK(marked(w, SLOT(3)));
    CHECK_EQ(w->e.stats.bus_errors[IDMA_BUS_READ],
             w->e.stats.read_bursts);
    CHECK_EQ(w->e.stats.bus_errors[IDMA_BUS_MARK], 4);
    CHECK(w->e.stats.faults[IDMA_FAULT_BUS_ERROR] >= 16);
    subtest_done();

    plan_subtest("addresses that nobody answers do not stop the engine");
    world_start(w, NULL, 9);
    put_desc(w, SLOT(0), 64, IDMA_FLAGS_PLAIN, SLOT(1), 0x5000000000ull,
             DST(0));
    put_desc(w, SLOT(1), 64, IDMA_FLAGS_PLAIN, IDMA_DESC_END, SRC(1), DST(1));
    launch(w, 0, SLOT(0));
    CHECK(run_idle(w, FAR));
    CHECK_EQ(w->e.stats.marks, 2);
    CHECK(same(w, SRC(1), DST(1), 64));
    CHECK(w->e.stats.bus_errors[IDMA_BUS_READ] > 0);
    CHECK_EQ(w->e.stats.last_error_addr & ~63ull, 0x5000000000ull);
    subtest_done();
}

/* behaviours 8 */
static void test_addresses(void)
{
    unsigned off;

    plan_subtest("8-byte aligned descriptors work");
    for (off = 8; off < 32; off += 8) {
        world_start(w, NULL, 10);
        put_desc(w, SLOT(0) + off, 64, IDMA_FLAGS_PLAIN, SLOT(1) + off,
                 SRC(0), DST(0));
        put_desc(w, SLOT(1) + off, 64, IDMA_FLAGS_PLAIN, IDMA_DESC_END,
                 SRC(1), DST(1));
        launch(w, 0, SLOT(0) + off);
        CHECK(run_idle(w, FAR));
        CHECK(marked(w, SLOT(1) + off));
        CHECK(same(w, SRC(1), DST(1), 64));
    }
    subtest_done();

    plan_subtest("a descriptor across a 4 KiB boundary is fetched in one go");
    world_start(w, NULL, 10);
    put_desc(w, DESC_BASE + 4096 - 16, 64, IDMA_FLAGS_PLAIN, IDMA_DESC_END,
             SRC(0), DST(0));
    launch(w, 0, DESC_BASE + 4096 - 16);
    CHECK(run_idle(w, FAR));
    CHECK(marked(w, DESC_BASE + 4096 - 16));
    CHECK(same(w, SRC(0), DST(0), 64));
    subtest_done();

    plan_subtest("misaligned descriptor: the bus words are taken unshifted");
    world_start(w, NULL, 10);
    put_desc(w, SLOT(0), 64, IDMA_FLAGS_PLAIN, IDMA_DESC_END, SRC(0), DST(0));
    launch(w, 0, SLOT(0) + 4);
    CHECK(run_idle(w, FAR));
    CHECK(same(w, SRC(0), DST(0), 64));
    CHECK(marked(w, SLOT(0)));
    CHECK_EQ(nth_event(w, IDMA_TRACE_FETCH, 0)->addr, SLOT(0) + 4);
    subtest_done();

    plan_subtest("DESC_ADDR of all ones fetches at the top of memory");
    world_start(w, NULL, 10);
    memset(w->region[R_TOP].mem, 0, 0x1000);
    memset(w->region[R_LOW].mem, 0, LOW_SIZE);
    put64(w, UINT64_MAX - 7, (uint64_t)IDMA_FLAGS_PLAIN << 32 | 64);
    put64(w, 0, IDMA_DESC_END);
    put64(w, 8, SRC(0));
    put64(w, 16, DST(0));
    launch(w, 0, UINT64_MAX);
    CHECK(run_idle(w, FAR));
    CHECK_EQ(nth_event(w, IDMA_TRACE_FETCH, 0)->addr, UINT64_MAX);
    CHECK(same(w, SRC(0), DST(0), 64));
    CHECK_EQ(get64(w, UINT64_MAX - 7), UINT64_MAX);
    CHECK_EQ(w->e.stats.marks, 1);
    subtest_done();
}

/* next = 0 is an address; an empty page there loops until its own mark. */
static void test_next_zero(void)
{
    const IdmaTraceEvent *ev;
    unsigned i, ones = 0;

    plan_subtest("next = 0 is followed; zeros there loop until the mark");
    world_start(w, NULL, 11);
    memset(w->region[R_LOW].mem, 0, LOW_SIZE);
    put_desc(w, SLOT(0), 64, IDMA_FLAGS_PLAIN, 0, SRC(0), DST(0));
    launch(w, 0, SLOT(0));
    idma_engine_run(&w->e, 3000, 100000);
    CHECK(marked(w, SLOT(0)));
    CHECK_EQ(nth_event(w, IDMA_TRACE_REQUEST, 1)->addr, 0);
    CHECK_EQ(nth_event(w, IDMA_TRACE_REQUEST, 1)->len, 0);
    for (i = 0; i < w->n_ev; i++) {
        ev = &w->ev[i];
        ones += ev->type == IDMA_TRACE_REQUEST && ev->len == UINT32_MAX;
    }
    /* the mark was read back and executed as a length */
    CHECK_EQ(ones, 1);
    CHECK_EQ(get64(w, 0), UINT64_MAX);
    CHECK(idma_engine_busy(&w->e));
    subtest_done();
}

/* Which request of a self-linked descriptor first carries the mark. */
static void test_self_link(void)
{
    static const struct {
        unsigned nspec, latency, ring, from, to;
    } rows[] = {
        { 4, 0, 1, 4, 4 }, { 0, 0, 1, 4, 4 }, { 4, 1, 1, 4, 4 },
        { 0, 1, 1, 5, 5 }, { 0, 13, 1, 5, 5 }, { 4, 13, 1, 5, 5 },
        { 4, 0, 8, 9, 9 }, { 0, 13, 8, 9, 9 }, { 4, 13, 8, 10, 10 },
        { 4, 0, 16, 17, 17 }, { 4, 13, 16, 17, 17 },
    };
    unsigned i, k;

    plan_subtest("self-linked and ring chains execute their own mark");
    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        IdmaEngineConfig c = config(rows[i].nspec, rows[i].latency);
        unsigned n = 0;

        snprintf(test_context, sizeof(test_context), "nspec %u L %u ring %u",
                 rows[i].nspec, rows[i].latency, rows[i].ring);
        c.num_ax_in_flight = 4;
        world_start(w, &c, 12);
        chain(0, rows[i].ring, 64, IDMA_FLAGS_PLAIN);
        put64(w, SLOT(rows[i].ring - 1) + 8, SLOT(0));
        launch(w, 0, SLOT(0));
        idma_engine_run(&w->e, 5000, 200000);
        for (k = 0; k < w->n_ev; k++) {
            if (w->ev[k].type == IDMA_TRACE_REQUEST) {
                n++;
                if (w->ev[k].len == UINT32_MAX) {
                    break;
                }
            }
        }
        CHECK(k < w->n_ev);
        if (test_timing == IDMA_TIMING_CYCLE) {
            CHECK(n >= rows[i].from && n <= rows[i].to);
        } else {
            /* how far the prefetch is ahead is a matter of cycles */
            CHECK(n > rows[i].ring && n <= 2 * rows[i].ring + 4);
        }
        CHECK_EQ(w->ev[k].arg, UINT32_MAX);
        CHECK(idma_engine_busy(&w->e));
    }
    subtest_done();
}

/* A 4 GiB transfer of garbage: every step is bounded, reset ends it. */
static void test_bounded(void)
{
    static const uint32_t flags[] = { IDMA_FLAGS_PLAIN, UINT32_MAX, 0x1,
                                      IDMA_FLAGS_PLAIN | 0xe0 };
    unsigned i;

    plan_subtest("a 4 GiB transfer runs in bounded steps");
    for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        unsigned n, waited = 0;

        world_start(w, NULL, 13);
        put_desc(w, SLOT(0), UINT32_MAX, flags[i], SLOT(0), 0x7000000000ull,
                 0x6000000000ull);
        launch(w, 0, SLOT(0));
        for (n = 0; n < 200; n++) {
            uint64_t bytes = w->e.stats.bytes_read;
            uint64_t accesses = w->accesses;
            uint64_t next = idma_engine_run(&w->e, FAR, 1);

            CHECK(w->e.stats.bytes_read - bytes <= IDMA_STEP_BYTES);
            CHECK(w->accesses - accesses <= 1024);
            CHECK(next >= idma_engine_now(&w->e));
            CHECK(next != IDMA_NEVER);
            waited += w->e.stats.bytes_read > bytes;
        }
        CHECK(waited > 10);
        CHECK(idma_engine_busy(&w->e));
        idma_engine_reset(&w->e, 12345);
        CHECK(!idma_engine_busy(&w->e));
        CHECK_EQ(idma_engine_next(&w->e), IDMA_NEVER);
        CHECK_EQ(idma_engine_now(&w->e), 12345);
        put_desc(w, SLOT(0), 64, IDMA_FLAGS_PLAIN, IDMA_DESC_END, SRC(0),
                 DST(0));
        launch(w, 20000, SLOT(0));
        CHECK(run_idle(w, FAR));
        CHECK(same(w, SRC(0), DST(0), 64));
    }
    subtest_done();
}

/* behaviours 10: the stale guess */
static void stale_case(unsigned latency, uint64_t fill, bool expect_old)
{
    IdmaEngineConfig c = config(4, latency);

    snprintf(test_context, sizeof(test_context), "L %u fill at %u", latency,
             (unsigned)fill);
    world_start(w, &c, 14);
    put_desc(w, SLOT(0), 64, IDMA_FLAGS_PLAIN, IDMA_DESC_END, SRC(0), DST(0));
    /* what slot 1 held before: another transfer */
    put_desc(w, SLOT(1), 128, IDMA_FLAGS_PLAIN, IDMA_DESC_END, SRC(5),
             DST(5));
    launch(w, 0, SLOT(0));
    idma_engine_run(&w->e, fill, UINT64_MAX);
    put_desc(w, SLOT(1), 64, IDMA_FLAGS_PLAIN, IDMA_DESC_END, SRC(1), DST(1));
    launch(w, fill + 2, SLOT(1));
    CHECK(run_idle(w, FAR));
    CHECK_EQ(w->e.stats.marks, 2);
    CHECK_EQ(nth_event(w, IDMA_TRACE_REQUEST, 1)->addr, SLOT(1));
    CHECK_EQ(nth_event(w, IDMA_TRACE_REQUEST, 1)->len, expect_old ? 128 : 64);
    CHECK(same(w, SRC(5), DST(5), 128) == expect_old);
    CHECK(same(w, SRC(1), DST(1), 64) == !expect_old);
}

static void test_stale_guess(void)
{
    plan_subtest("a stale guess is executed");
    stale_case(100, 200, true);
    stale_case(50, 80, true);
    stale_case(50, 40, false);
    stale_case(50, 200, false);
    subtest_done();

    plan_subtest("a gap slot is safe from stale guesses");
    {
        IdmaEngineConfig c = config(4, 100);

        world_start(w, &c, 14);
        put_desc(w, SLOT(0), 64, IDMA_FLAGS_PLAIN, IDMA_DESC_END, SRC(0),
                 DST(0));
        put_desc(w, SLOT(2), 128, IDMA_FLAGS_PLAIN, IDMA_DESC_END, SRC(5),
                 DST(5));
        launch(w, 0, SLOT(0));
        idma_engine_run(&w->e, 200, UINT64_MAX);
        put_desc(w, SLOT(2), 64, IDMA_FLAGS_PLAIN, IDMA_DESC_END, SRC(1),
                 DST(1));
        launch(w, 202, SLOT(2));
        CHECK(run_idle(w, FAR));
        CHECK(same(w, SRC(1), DST(1), 64));
        CHECK(!same(w, SRC(5), DST(5), 128));
        CHECK_EQ(w->e.stats.head_hits, 0);
    }
    subtest_done();

    plan_subtest("delay_guess widens the window");
    {
        IdmaEngineConfig c = config(4, 1);
        IdmaEngineFaults f;

        memset(&f, 0, sizeof(f));
        f.delay_guess = 500;
        world_start(w, &c, 14);
        CHECK(idma_engine_set_faults(&w->e, &f));
        put_desc(w, SLOT(0), 64, IDMA_FLAGS_PLAIN, IDMA_DESC_END, SRC(0),
                 DST(0));
        put_desc(w, SLOT(1), 128, IDMA_FLAGS_PLAIN, IDMA_DESC_END, SRC(5),
                 DST(5));
        launch(w, 0, SLOT(0));
        idma_engine_run(&w->e, 300, UINT64_MAX);
        put_desc(w, SLOT(1), 64, IDMA_FLAGS_PLAIN, IDMA_DESC_END, SRC(1),
                 DST(1));
        launch(w, 302, SLOT(1));
        CHECK(run_idle(w, FAR));
        CHECK(same(w, SRC(5), DST(5), 128));
        CHECK(!same(w, SRC(1), DST(1), 64));
        CHECK(w->e.stats.faults[IDMA_FAULT_GUESS_DELAYED] > 0);
    }
    subtest_done();
}

static void test_prefetch(void)
{
    IdmaEngineConfig c = config(4, 13);

    plan_subtest("prefetch: contiguous chains hit, gaps flush");
    world_start(w, &c, 15);
    chain(0, 16, 64, IDMA_FLAGS_PLAIN);
    launch(w, 0, SLOT(0));
    CHECK(run_idle(w, FAR));
    CHECK_EQ(w->e.stats.guess_hits, 15);
    CHECK_EQ(w->e.stats.fetches, 19);   /* as golden: 16 + 3 guesses */
    world_start(w, &c, 15);
    put_desc(w, SLOT(0), 64, IDMA_FLAGS_PLAIN, SLOT(2), SRC(0), DST(0));
    put_desc(w, SLOT(2), 64, IDMA_FLAGS_PLAIN, IDMA_DESC_END, SRC(1), DST(1));
    launch(w, 0, SLOT(0));
    CHECK(run_idle(w, FAR));
    CHECK_EQ(nth_event(w, IDMA_TRACE_FLUSH, 0)->addr, SLOT(2));
    CHECK_EQ(nth_event(w, IDMA_TRACE_FLUSH, 0)->arg, 3);
    CHECK_EQ(nth_event(w, IDMA_TRACE_FLUSH, 1)->arg, 3);
    CHECK_EQ(w->e.stats.guess_hits, 0);
    CHECK_EQ(w->e.stats.marks, 2);
    subtest_done();

    plan_subtest("no speculation: one fetch per descriptor");
    c.n_speculation = 0;
    world_start(w, &c, 15);
    chain(0, 16, 64, IDMA_FLAGS_PLAIN);
    launch(w, 0, SLOT(0));
    CHECK(run_idle(w, FAR));
    CHECK_EQ(w->e.stats.fetches, 16);
    CHECK_EQ(w->e.stats.spec_fetches, 0);
    CHECK_EQ(w->e.stats.flushes, 0);
    subtest_done();
}

static void start_faulty(const IdmaEngineFaults *f, unsigned n)
{
    world_start(w, NULL, 16);
    CHECK(idma_engine_set_faults(&w->e, f));
    chain(0, n, 256, IDMA_FLAGS_PLAIN);
    launch(w, 0, SLOT(0));
}

static void test_faults(void)
{
    IdmaEngineFaults f;
    uint64_t irq_normal, end_normal;
    unsigned i;

    memset(&f, 0, sizeof(f));
    plan_subtest("fault: none");
    start_faulty(&f, 10);
    CHECK(run_idle(w, FAR));
    irq_normal = nth_event(w, IDMA_TRACE_IRQ, 0)->cycle;
    end_normal = w->last_irq;
    CHECK_EQ(w->irqs, 10);
    CHECK_EQ(count_events(w, IDMA_TRACE_FAULT), 0);
    subtest_done();

    plan_subtest("fault: drop the n-th interrupt");
    f.drop_irq_nth = 3;
    start_faulty(&f, 10);
    CHECK(run_idle(w, FAR));
    CHECK_EQ(w->irqs, 9);
    CHECK_EQ(w->e.stats.marks, 10);
    CHECK_EQ(w->e.stats.irqs, 10);
    CHECK_EQ(w->e.stats.faults[IDMA_FAULT_IRQ_DROPPED], 1);
    subtest_done();

    plan_subtest("fault: drop every k-th interrupt");
    f.drop_irq_nth = 0;
    f.drop_irq_every = 3;
    start_faulty(&f, 10);
    CHECK(run_idle(w, FAR));
    CHECK_EQ(w->irqs, 7);
    f.drop_irq_every = 1;
    start_faulty(&f, 10);
    CHECK(run_idle(w, FAR));
    CHECK_EQ(w->irqs, 0);
    CHECK_EQ(w->e.stats.marks, 10);
    f.drop_irq_every = 0;
    subtest_done();

    plan_subtest("fault: delay interrupts");
    f.delay_irq = 5000;
    start_faulty(&f, 10);
    CHECK(run_idle(w, FAR));
    CHECK_EQ(w->irqs, 10);
    CHECK_EQ(nth_event(w, IDMA_TRACE_IRQ, 0)->cycle, irq_normal + 5000);
    CHECK_EQ(w->last_irq, end_normal + 5000);
    CHECK_EQ(w->e.stats.faults[IDMA_FAULT_IRQ_DELAYED], 10);
    subtest_done();

    plan_subtest("fault: more delayed interrupts than there are places");
    f.delay_irq = 1000000;
    start_faulty(&f, 340);
    CHECK(run_idle(w, FAR));
    CHECK_EQ(w->irqs, 340);
    CHECK_EQ(w->e.stats.marks, 340);
    f.delay_irq = 0;
    subtest_done();

    plan_subtest("fault: never complete from the n-th request on");
    f.hang_from = 4;
    start_faulty(&f, 10);
    CHECK(!run_idle(w, 1000000));
    CHECK(idma_engine_busy(&w->e));
    CHECK_EQ(w->e.stats.marks, 3);
    CHECK_EQ(idma_engine_next(&w->e), IDMA_NEVER);
    CHECK_EQ(*mem_at(w, DST(3)), 0xa5);
    CHECK_EQ(w->e.stats.faults[IDMA_FAULT_HUNG], 1);
    CHECK_EQ(idma_engine_reg_read(&w->e, FAR, IDMA_REG_STATUS, 8) &
             IDMA_STATUS_BUSY, IDMA_STATUS_BUSY);
    /* taking the fault away lets it go on */
    CHECK(idma_engine_set_faults(&w->e, NULL));
    CHECK(run_idle(w, FAR * 2));
    CHECK_EQ(w->e.stats.marks, 10);
    f.hang_from = 0;
    subtest_done();

    plan_subtest("fault: skip a write silently");
    f.skip_write_nth = 2;
    start_faulty(&f, 4);
    CHECK(run_idle(w, FAR));
    CHECK_EQ(w->e.stats.marks, 4);
    CHECK_EQ(w->irqs, 4);
    CHECK(same(w, SRC(0), DST(0), 256));
    CHECK_EQ(get64(w, DST(1)), 0xa5a5a5a5a5a5a5a5ull);
    CHECK_EQ(get64(w, DST(1) + 248), 0xa5a5a5a5a5a5a5a5ull);
    CHECK(same(w, SRC(2), DST(2), 256));
    CHECK_EQ(w->e.stats.faults[IDMA_FAULT_WRITE_SKIPPED], 1);
    f.skip_write_nth = 0;
    f.skip_write_every = 2;
    start_faulty(&f, 4);
    CHECK(run_idle(w, FAR));
    CHECK_EQ(get64(w, DST(3)), 0xa5a5a5a5a5a5a5a5ull);
    CHECK(same(w, SRC(2), DST(2), 256));
    f.skip_write_every = 0;
    subtest_done();

    plan_subtest("fault: BUSY stuck");
    f.stuck_busy = 1;
    start_faulty(&f, 1);
    CHECK(run_idle(w, FAR));
    CHECK_EQ(idma_engine_reg_read(&w->e, FAR, IDMA_REG_STATUS, 8),
             IDMA_STATUS_BUSY);
    CHECK(marked(w, SLOT(0)));
    f.stuck_busy = 0;
    subtest_done();

    plan_subtest("fault: delay each transfer");
    f.delay_transfer = 1000;
    start_faulty(&f, 10);
    CHECK(run_idle(w, FAR));
    CHECK(w->last_irq >= end_normal + 9000);
    CHECK(w->last_irq <= end_normal + 11000);
    CHECK_EQ(w->irqs, 10);
    CHECK_EQ(w->e.stats.faults[IDMA_FAULT_TRANSFER_DELAYED], 10);
    f.delay_transfer = 0;
    subtest_done();

    plan_subtest("fault: bus error on a range of reads");
    f.err[0] = (IdmaErrRange) { .base = SRC(2) + 100, .size = 1,
                                .kinds = 1u << IDMA_BUS_READ,
                                .resp = IDMA_RESP_DECERR };
    start_faulty(&f, 4);
    CHECK(run_idle(w, FAR));
    CHECK_EQ(w->e.stats.marks, 4);
    CHECK_EQ(get64(w, DST(2)), 0xca11ab1ebadcab1eull);
    CHECK_EQ(get64(w, DST(2) + 248), 0xca11ab1ebadcab1eull);
    CHECK(same(w, SRC(1), DST(1), 256));
    CHECK(same(w, SRC(3), DST(3), 256));
    CHECK_EQ(w->e.stats.faults[IDMA_FAULT_BUS_ERROR], 1);
    subtest_done();

    plan_subtest("fault: bus error on a range of writes");
    f.err[0].base = DST(1);
    f.err[0].size = 0x2000;
    f.err[0].kinds = 1u << IDMA_BUS_WRITE;
    f.err[0].resp = IDMA_RESP_SLVERR;
    start_faulty(&f, 4);
    CHECK(run_idle(w, FAR));
    CHECK_EQ(w->e.stats.marks, 4);
    CHECK_EQ(get64(w, DST(1)), 0xa5a5a5a5a5a5a5a5ull);
    CHECK_EQ(get64(w, DST(2)), 0xa5a5a5a5a5a5a5a5ull);
    CHECK(same(w, SRC(3), DST(3), 256));
    CHECK_EQ(w->e.stats.bus_errors[IDMA_BUS_WRITE], 2);
    subtest_done();

    plan_subtest("fault: bus error on the n-th and every k-th burst");
    f.err[0] = (IdmaErrRange) { .base = DST_BASE, .size = BUF_SIZE,
                                .kinds = 1u << IDMA_BUS_WRITE, .nth = 1,
                                .every = 4, .resp = IDMA_RESP_SLVERR };
    start_faulty(&f, 9);
    CHECK(run_idle(w, FAR));
    for (i = 0; i < 9; i++) {
        bool hit = i == 0 || i == 3 || i == 7;

        CHECK(same(w, SRC(i), DST(i), 256) == !hit);
    }
    subtest_done();

    plan_subtest("fault: bus error on marks and on fetches");
    f.err[0] = (IdmaErrRange) { .base = SLOT(1), .size = 8,
                                .kinds = 1u << IDMA_BUS_MARK,
                                .resp = IDMA_RESP_SLVERR };
    start_faulty(&f, 3);
    CHECK(run_idle(w, FAR));
    CHECK(marked(w, SLOT(0)));
    CHECK(!marked(w, SLOT(1)));
    CHECK(marked(w, SLOT(2)));
    CHECK_EQ(w->irqs, 3);
    f.err[0].kinds = 1u << IDMA_BUS_FETCH;
    f.err[0].base = SLOT(1);
    start_faulty(&f, 2);
    idma_engine_run(&w->e, 2000, 100000);
    /* the error subordinate's pattern is taken for a descriptor */
    CHECK_EQ(nth_event(w, IDMA_TRACE_REQUEST, 1)->len, 0xbadcab1e);
    CHECK_EQ(nth_event(w, IDMA_TRACE_REQUEST, 1)->src,
             0xca11ab1ebadcab1eull);
    subtest_done();

    plan_subtest("bad faults are refused by name");
    {
        const char *why = NULL;

        memset(&f, 0, sizeof(f));
        CHECK(!idma_engine_faults_check(&f, NULL));
        f.delay_irq = 1ull << 32;
        CHECK(!strcmp(idma_engine_faults_check(&f, &why), "delay_irq"));
        CHECK(why != NULL);
        CHECK(!idma_engine_set_faults(&w->e, &f));
        f.delay_irq = 0;
        f.err[2].size = 1;
        CHECK(!strcmp(idma_engine_faults_check(&f, NULL), "err"));
        f.err[2].kinds = 1;
        CHECK(!strcmp(idma_engine_faults_check(&f, NULL), "err"));
        f.err[2].resp = IDMA_RESP_SLVERR;
        CHECK(!idma_engine_faults_check(&f, NULL));
    }
    subtest_done();
}

static void test_config(void)
{
    static const struct {
        const char *name;
        size_t off;
        uint32_t bad;
    } rows[] = {
#define ROW(m, v) { #m, offsetof(IdmaEngineConfig, m), v }
        ROW(n_speculation, 65), ROW(input_fifo_depth, 0),
        ROW(input_fifo_depth, 65), ROW(pending_fifo_depth, 0),
        ROW(pending_fifo_depth, 65), ROW(num_ax_in_flight, 1),
        ROW(num_ax_in_flight, 65), ROW(buffer_depth, 1),
        ROW(buffer_depth, 65), ROW(read_latency, 1001),
        ROW(write_latency, 1001), ROW(write_latency, 5), ROW(bus_bytes, 4),
        ROW(mem_reads, 513), ROW(mem_writes, 513), ROW(read_interval, 0),
        ROW(read_interval, 257), ROW(write_interval, 0),
        ROW(write_interval, 257), ROW(lossless, 2),
        ROW(max_burst_beats, 0), ROW(max_burst_beats, 100),
        ROW(max_burst_beats, 512), ROW(axi_id_bits, 0), ROW(axi_id_bits, 9),
#undef ROW
    };
    IdmaEngineConfig c;
    const char *why, *name;
    unsigned i;

    plan_subtest("bad configurations are refused by name");
    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        IdmaEngine e;

        idma_engine_config_default(&c);
        CHECK(!idma_engine_config_check(&c, &why));
        memcpy((char *)&c + rows[i].off, &rows[i].bad, sizeof(uint32_t));
        name = idma_engine_config_check(&c, &why);
        snprintf(test_context, sizeof(test_context), "%s", rows[i].name);
        CHECK(name && !strcmp(name, rows[i].name));
        CHECK(why && *why);
        CHECK(!idma_engine_init(&e, &c, w->e.ops, w));
    }
    idma_engine_config_default(&c);
    c.mem_mode = (IdmaMemMode)2;
    name = idma_engine_config_check(&c, &why);
    CHECK(name && !strcmp(name, "mem_mode"));
    c.mem_mode = IDMA_MEM_DIRECT;
    c.write_latency = 77;
    CHECK(!idma_engine_config_check(&c, &why));
    c.timing = (IdmaTiming)9;
    name = idma_engine_config_check(&c, &why);
    CHECK(name && !strcmp(name, "timing"));
    subtest_done();
}

/* Copy words[] in the middle, continue with both: same end. */
static void test_save_restore(void)
{
    static uint64_t saved[IDMA_ENGINE_STATE_WORDS];
    static IdmaTraceEvent ref[MAX_EVENTS];
    IdmaEngineConfig c = config(4, 20);
    unsigned at, n_ref = 0, first;

    plan_subtest("saved and restored in the middle, it continues the same");
    for (at = 0; at < 700; at += 7) {
        unsigned i;

        snprintf(test_context, sizeof(test_context), "at cycle %u", at);
        world_start(w, &c, 17);
        chain(0, 12, 500, IDMA_FLAGS_PLAIN);
        put_desc(w, SLOT(20), 10000, IDMA_FLAGS_PLAIN, IDMA_DESC_END,
                 SRC(20) + 1, DST(20));
        launch(w, 0, SLOT(0));
        launch(w, 2, SLOT(20));
        if (!at) {
            run_idle(w, FAR);
            memcpy(ref, w->ev, sizeof(ref));
            n_ref = w->n_ev;
            continue;
        }
        idma_engine_run(&w->e, at, UINT64_MAX);
        CHECK(idma_engine_state_valid(&w->e, NULL));
        memcpy(saved, w->e.words, sizeof(saved));
        first = w->n_ev;
        /* another engine: wreck this one, then load */
        idma_engine_init(&w->e, &c, w->e.ops, w);
        w->e.cfg.timing = test_timing;
        memcpy(w->e.words, saved, sizeof(saved));
        CHECK(idma_engine_state_valid(&w->e, NULL));
        CHECK(run_idle(w, FAR));
        CHECK_EQ(w->n_ev, n_ref);
        for (i = first; i < n_ref; i++) {
            CHECK(same_event(&w->ev[i], &ref[i]));
        }
        CHECK(same(w, SRC(20) + 1, DST(20), 10000));
    }
    subtest_done();
}

/* Slicing: one step at a time, odd intervals, all at once: same trace. */
static void test_slicing(void)
{
    static IdmaTraceEvent ref[MAX_EVENTS];
    unsigned k, n_ref = 0, i;

    plan_subtest("how run() is sliced changes nothing");
    for (k = 0; k < 4; k++) {
        uint64_t t = 0, seed = k;

        world_start(w, NULL, 18);
        chain(0, 20, 777, IDMA_FLAGS_PLAIN);
        put_desc(w, SLOT(40), 0, IDMA_FLAGS_PLAIN, SLOT(60), 0, 0);
        put_desc(w, SLOT(60), 100000, IDMA_FLAGS_PLAIN, IDMA_DESC_END,
                 SRC(40), DST(40));
        launch(w, 0, SLOT(0));
        launch(w, 100, SLOT(40));
        while (idma_engine_busy(&w->e) && t < FAR) {
            switch (k) {
            case 0:
                idma_engine_run(&w->e, FAR, UINT64_MAX);
                break;
            case 1:
                idma_engine_run(&w->e, idma_engine_next(&w->e), 1);
                break;
            case 2:
                idma_engine_run(&w->e, t += 1 + rnd(&seed) % 100, 3);
                break;
            case 3:
                idma_engine_run(&w->e, t += 3, UINT64_MAX);
                break;
            }
        }
        if (!k) {
            memcpy(ref, w->ev, sizeof(ref));
            n_ref = w->n_ev;
            CHECK(n_ref > 100);
            continue;
        }
        CHECK_EQ(w->n_ev, n_ref);
        for (i = 0; i < n_ref && i < w->n_ev; i++) {
            snprintf(test_context, sizeof(test_context), "slicing %u event %u",
                     k, i);
            CHECK(same_event(&w->ev[i], &ref[i]));
        }
    }
    subtest_done();
}

/* A word of the mode's state that is not in the middle of an array. */
static uint64_t scalar_at(uint64_t *seed)
{
    static const size_t at[] = {
#define AT(m) offsetof(IdmaEngineState, c.m)
        AT(next), AT(inflight), AT(spec_head), AT(spec_count), AT(ars_head),
        AT(ars_count), AT(leg_valid), AT(n_to_flush), AT(fetch_beat),
        AT(rd_head), AT(rd_count), AT(req_head), AT(req_count),
        AT(pend_head), AT(pend_count), AT(irqf_head), AT(irqf_count),
        AT(awa_head), AT(awa_count), AT(w_counter), AT(r_len), AT(r_valid),
        AT(w_len), AT(w_valid), AT(opt_flags), AT(read_shift), AT(ar_valid),
        AT(rdp_head), AT(rdp_count), AT(wdp_head), AT(wdp_count),
        AT(aws_head), AT(aws_count), AT(last_head), AT(last_count),
        AT(aw_ahead), AT(first_r), AT(w_cnt_valid), AT(w_num_beats),
        AT(lane_head[3]), AT(lane_count[3]), AT(wt_head), AT(wt_count),
        AT(wt_beat), AT(mar_head), AT(mar_count), AT(mar_beat), AT(r_head),
        AT(r_count), AT(w_head), AT(w_count), AT(b_head), AT(b_count),
        AT(box_head), AT(box_count),
#undef AT
    };
    static const size_t at_func[] = {
#define AT(m) offsetof(IdmaEngineState, f.m)
        AT(ev), AT(base_valid), AT(base_addr), AT(fetch_head),
        AT(fetch_count), AT(fetch_sampled), AT(ar_t), AT(resolve_t), AT(tail),
        AT(leg), AT(mv), AT(resp), AT(mark), AT(irq), AT(leg_t), AT(mark_t),
        AT(irq_t), AT(mv_active), AT(mv_off), AT(mv_chunk), AT(mv_t),
        AT(r_free), AT(rd_inj), AT(wr_inj), AT(wr_skip), AT(rd_resp),
        AT(wr_resp),
#undef AT
    };

    if (test_timing == IDMA_TIMING_FUNCTIONAL) {
        return at_func[rnd(seed) % (sizeof(at_func) / sizeof(at_func[0]))] / 8;
    }
    return at[rnd(seed) % (sizeof(at) / sizeof(at[0]))] / 8;
}

/* States that no engine was ever in: refused, or harmless. */
static void test_hostile_state(void)
{
    static uint64_t good[IDMA_ENGINE_STATE_WORDS];
    IdmaEngineConfig c = config(4, 20);
    uint64_t seed = 99;
    unsigned i, refused = 0, accepted = 0;

    plan_subtest("hostile states are refused or run safely");
    world_start(w, &c, 19);
    chain(0, 12, 500, IDMA_FLAGS_PLAIN);
    launch(w, 0, SLOT(0));
    idma_engine_run(&w->e, 300, UINT64_MAX);
    memcpy(good, w->e.words, sizeof(good));
    for (i = 0; i < 5000; i++) {
        unsigned n = 1 + rnd(&seed) % 3;
        const char *why = NULL;

        memcpy(w->e.words, good, sizeof(good));
        while (n--) {
            static const uint64_t odd[] = { 0, 1, 63, 64, 65, 255, 256, 257,
                                            UINT32_MAX, 1ull << 61,
                                            1ull << 63, UINT64_MAX };
            uint64_t at = rnd(&seed) % IDMA_ENGINE_STATE_WORDS;

            if (rnd(&seed) & 1) {
                /* scalars are rare among the arrays */
                at = rnd(&seed) & 1 ? at % 200 : scalar_at(&seed);
            }
            w->e.words[at] = odd[rnd(&seed) % (sizeof(odd) / 8)];
        }
        w->n_ev = 0;
        w->hostile = true;
        if (!idma_engine_state_valid(&w->e, &why)) {
            CHECK(why && *why);
            refused++;
            continue;
        }
        accepted++;
        idma_engine_run(&w->e, 3000, 200);
        idma_engine_reg_write(&w->e, 3000, 0, 8, SLOT(0));
        idma_engine_run(&w->e, 6000, 200);
        if (!idma_engine_state_valid(&w->e, &why)) {
            snprintf(test_context, sizeof(test_context), "round %u: %s", i,
                     why);
            CHECK(!"state went bad");
        }
    }
    CHECK(refused > 500);
    CHECK(accepted > 500);
    subtest_done();
}

static void test_map(void)
{
    unsigned k;

    plan_subtest("direct pointers: same data, fewer calls");
    w->record = false;
    for (k = 0; k < 2; k++) {
        uint64_t n;

        w->use_map = k;
        world_start(w, NULL, 20);
        put_desc(w, SLOT(0), 1000001, IDMA_FLAGS_PLAIN, SLOT(1), SRC(0) + 3,
                 DST(0) + 1000);
        /* overlapping: the order of the bursts shows */
        put_desc(w, SLOT(1), 50000, IDMA_FLAGS_PLAIN, IDMA_DESC_END,
                 DST(0) + 1000, DST(0) + 1000 + 2500);
        launch(w, 0, SLOT(0));
        CHECK(run_idle(w, FAR));
        CHECK(same(w, SRC(0) + 3, DST(0) + 1000, 2048));
        CHECK(same(w, SRC(0) + 3 + 52501, DST(0) + 1000 + 52501, 900000));
        CHECK_EQ(w->e.stats.read_bursts > 1000, 1);
        n = w->accesses;
        if (test_timing == IDMA_TIMING_FUNCTIONAL) {
            CHECK((w->mapped > 0) == (k == 1));
            CHECK(k ? n < 200 : n > 1000);
        } else {
            CHECK(n > 1000);
        }
    }
    subtest_done();

    plan_subtest("direct pointers: memory that answers at two addresses");
    /* the low region is an alias of the destination here */
    {
        Region low = w->region[R_LOW];

        world_start(w, NULL, 20);
        w->region[R_LOW] = (Region) { 0x10000000, BUF_SIZE,
                                      w->region[R_DST].mem };
        memcpy(w->region[R_DST].mem, w->region[R_SRC].mem, 8192);
        put_desc(w, SLOT(0), 6000, IDMA_FLAGS_PLAIN, IDMA_DESC_END,
                 0x10000000, DST(0) + 2048);
        launch(w, 0, SLOT(0));
        CHECK(run_idle(w, FAR));
        CHECK(same(w, SRC(0), DST(0) + 2048, 2048));
        if (test_timing == IDMA_TIMING_FUNCTIONAL) {
            /* burst after burst, each one copied whole */
            CHECK(same(w, SRC(0), DST(0) + 4096, 2048));
        }
        w->region[R_LOW] = low;
    }
    w->use_map = false;
    w->record = true;
    subtest_done();
}

/* Memory that is not ideal: what its limits must do to the time. */
static uint64_t memory_run(const IdmaEngineConfig *c, unsigned n, uint32_t len)
{
    world_start(w, c, 22);
    chain(0, n, len, IDMA_FLAGS_PLAIN);
    launch(w, 0, SLOT(0));
    CHECK(run_idle(w, FAR));
    CHECK_EQ(w->irqs, n);
    CHECK(same(w, SRC(n - 1), DST(n - 1), len));
    return w->last_irq;
}

static void test_memory_limits(void)
{
    IdmaEngineConfig c = config(4, 20);
    uint64_t ideal, t;

    plan_subtest("slow beats stretch the data by as much");
    c.lossless = 1;
    ideal = memory_run(&c, 4, 4096);
    c.read_interval = 3;
    t = memory_run(&c, 4, 4096);
    CHECK(t - ideal > 4 * 512 * 2 - 50 && t - ideal < 4 * 512 * 2 + 150);
    c.read_interval = 1;
    c.write_interval = 4;
    t = memory_run(&c, 4, 4096);
    CHECK(t - ideal > 4 * 512 * 3 - 50 && t - ideal < 4 * 512 * 3 + 150);
    c.write_interval = 1;
    subtest_done();

    if (test_timing != IDMA_TIMING_CYCLE) {
        return;
    }
    plan_subtest("outstanding limits: one latency per transaction at worst");
    ideal = memory_run(&c, 32, 64);
    c.mem_reads = 1;
    t = memory_run(&c, 32, 64);
    /* a fetch, its guesses and a burst each take 2L + 1 and their beats */
    CHECK(t > 32 * (41 + 4 + 41 + 8));
    CHECK(t > 2 * ideal);
    c.mem_reads = 0;
    c.mem_writes = 1;
    t = memory_run(&c, 32, 64);
    CHECK(t > 32 * (41 + 8 + 41));
    c.mem_writes = 512;
    c.mem_reads = 512;
    CHECK_EQ(memory_run(&c, 32, 64), ideal);
    subtest_done();

    /* behaviours 9, second defect */
    plan_subtest("gaps inside descriptors multiply the interrupt flag");
    c = config(4, 1);
    c.read_interval = 2;
    world_start(w, &c, 23);
    chain(0, 6, 64, IDMA_FLAGS_PLAIN & ~IDMA_FLAG_IRQ);
    put64(w, SLOT(5), (uint64_t)IDMA_FLAGS_PLAIN << 32 | 64);
    launch(w, 0, SLOT(0));
    CHECK(!run_idle(w, FAR));
    CHECK(idma_engine_busy(&w->e));
    CHECK_EQ(w->e.stats.marks, 6);
    CHECK_EQ(w->irqs, 0);
    CHECK(same(w, SRC(5), DST(5), 64));
    subtest_done();

    /* behaviours 9, first defect */
    plan_subtest("slow answers make the RTL lose a descriptor, lossless not");
    c = config(4, 0);
    c.mem_mode = IDMA_MEM_DIRECT;
    c.write_latency = 100;
    c.num_ax_in_flight = 4;
    world_start(w, &c, 23);
    chain(0, 64, 8, IDMA_FLAGS_PLAIN);
    launch(w, 0, SLOT(0));
    CHECK(!run_idle(w, FAR));
    CHECK_EQ(w->e.stats.marks, 63);
    CHECK(idma_engine_busy(&w->e));
    CHECK_EQ(idma_engine_next(&w->e), IDMA_NEVER);
    c.lossless = 1;
    memory_run(&c, 64, 8);
    CHECK_EQ(w->e.stats.marks, 64);
    subtest_done();
}

static void test_idle(void)
{
    plan_subtest("an idle engine asks for nothing");
    world_start(w, NULL, 21);
    CHECK_EQ(idma_engine_next(&w->e), IDMA_NEVER);
    CHECK_EQ(idma_engine_run(&w->e, 1000000, 10), IDMA_NEVER);
    CHECK_EQ(idma_engine_now(&w->e), 1000000);
    CHECK(!idma_engine_busy(&w->e));
    CHECK(idma_engine_can_launch(&w->e));
    CHECK_EQ(w->accesses, 0);
    subtest_done();
}

int main(void)
{
    static const IdmaTiming modes[] = {
        IDMA_TIMING_FUNCTIONAL, IDMA_TIMING_CYCLE,
    };
    unsigned i;

    w = world_new();
    world_start(w, NULL, 0);
    test_config();
    for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        test_timing = modes[i];
        test_idle();
        test_one();
        test_no_irq_flag();
        test_order();
        test_zero_length();
        test_input_fifo();
        test_registers();
        test_chains();
        test_flags();
        test_legalizer();
        test_burst_types();
        test_bus_errors_ignored();
        test_addresses();
        test_next_zero();
        test_self_link();
        test_bounded();
        test_stale_guess();
        test_prefetch();
        test_faults();
        test_save_restore();
        test_slicing();
        test_hostile_state();
        test_map();
        test_memory_limits();
    }
    world_free(w);
    return all_done();
}
