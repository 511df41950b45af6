/*
 * QTest testcases for the PULP iDMA device (idma-desc64)
 *
 * The engine's behaviour has unit tests of its own; these tests hold what the
 * device adds: registers as the guest sees them, time, interrupts, device
 * tree, fault switches, statistics, reset, migration, a live monitor.
 *
 * Environment:
 *   IDMA_FUZZ_SECONDS   how long the fuzzer runs (in each timing mode; 2)
 *   IDMA_FUZZ_SEED      its seed (default: random, printed)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/units.h"
#include "libqtest.h"
#include "hw/dma/idma-engine/idma-engine.h"
#include "qobject/qdict.h"
#include "qobject/qlist.h"
#include "qobject/qnum.h"
#include "qobject/qstring.h"

#define DEV_PATH        "/machine/peripheral/dma0"
#define DEV_BASE        0x04000000ull   /* first on virt's platform bus */
#define DEV_IRQ         64
#define DESC_ADDR       (DEV_BASE + 0x00)
#define STATUS          (DEV_BASE + 0x08)
#define BUSY            1
#define FIFO_FULL       2

#define RAM_BASE        0x80000000ull
#define RAM_SIZE        (32 * MiB)
#define DESCS           (RAM_BASE + 1 * MiB)
#define SRC             (RAM_BASE + 4 * MiB)
#define DST             (RAM_BASE + 12 * MiB)

#define ONES            UINT64_MAX
#define PLAIN           0x0bu           /* interrupt, INCR, INCR */
#define QUIET           0x0au           /* no interrupt */

#define PLIC_BASE       0x0c000000ull
#define PLIC_PRIO(n)    (PLIC_BASE + 4 * (n))
#define PLIC_PENDING(n) (PLIC_BASE + 0x1000 + (n) / 32 * 4)
#define PLIC_ENABLE(n)  (PLIC_BASE + 0x2000 + (n) / 32 * 4)
#define PLIC_CLAIM      (PLIC_BASE + 0x200004)  /* hart 0, M mode */

#define NS_PER_CYCLE    20              /* 50 MHz */

/* The timing mode that the current test is run in */
static const char *timing;

static char *machine_args(const char *props)
{
    return g_strdup_printf("-machine virt -bios none -nodefaults -m 32 "
                           "-device idma-desc64,id=dma0,timing=%s%s%s",
                           timing, props ? "," : "", props ?: "");
}

static QTestState *start(const char *props)
{
    g_autofree char *args = machine_args(props);

    return qtest_init(args);
}

static uint64_t qom_get(QTestState *qts, const char *path, const char *name)
{
    QDict *rsp = qtest_qmp(qts, "{ 'execute': 'qom-get', 'arguments': "
                           "{ 'path': %s, 'property': %s } }", path, name);
    uint64_t value;

    if (!qdict_haskey(rsp, "return")) {
        g_error("no property %s", name);
    }
    value = qnum_get_uint(qobject_to(QNum, qdict_get(rsp, "return")));
    qobject_unref(rsp);
    return value;
}

static uint64_t stat_get(QTestState *qts, const char *name)
{
    return qom_get(qts, DEV_PATH, name);
}

#define assert_stat(qts, name, op, value) \
    g_assert_cmpuint(stat_get(qts, name), op, value)

static void fault_set(QTestState *qts, const char *name, uint64_t value)
{
    qtest_qmp_assert_success(qts, "{ 'execute': 'qom-set', 'arguments': "
                             "{ 'path': %s, 'property': %s, 'value': %" PRIu64
                             "} }", DEV_PATH, name, value);
}

static void cycles(QTestState *qts, uint64_t n)
{
    qtest_clock_step(qts, n * NS_PER_CYCLE);
}

static void desc_put(QTestState *qts, uint64_t at, uint32_t len,
                     uint32_t flags, uint64_t next, uint64_t src, uint64_t dst)
{
    uint8_t d[32];

    stl_le_p(d, len);
    stl_le_p(d + 4, flags);
    stq_le_p(d + 8, next);
    stq_le_p(d + 16, src);
    stq_le_p(d + 24, dst);
    qtest_memwrite(qts, at, d, sizeof(d));
}

static bool marked(QTestState *qts, uint64_t desc)
{
    return qtest_readq(qts, desc) == ONES;
}

static bool busy(QTestState *qts)
{
    return qtest_readq(qts, STATUS) & BUSY;
}

static void launch(QTestState *qts, uint64_t head)
{
    qtest_writeq(qts, DESC_ADDR, head);
}

static void wait_idle(QTestState *qts, uint64_t max_cycles)
{
    uint64_t step = MAX(max_cycles / 64, 1);

    for (uint64_t n = 0; busy(qts); n += step) {
        g_assert_cmpuint(n, <=, max_cycles);
        cycles(qts, step);
    }
}

/* A pattern that differs from place to place and from seed to seed */
static uint8_t *pattern(size_t len, unsigned seed)
{
    uint8_t *p = g_malloc(len);
    uint32_t x = seed * 2654435761u + 1;

    for (size_t i = 0; i < len; i++) {
        x = x * 1664525 + 1013904223;
        p[i] = x >> 24;
    }
    return p;
}

static void assert_mem(QTestState *qts, uint64_t addr, const uint8_t *want,
                       size_t len)
{
    g_autofree uint8_t *have = g_malloc(len);

    qtest_memread(qts, addr, have, len);
    g_assert_cmpmem(have, len, want, len);
}

static void assert_bytes(QTestState *qts, uint64_t addr, uint8_t want,
                         size_t len)
{
    g_autofree uint8_t *w = g_malloc(len);

    memset(w, want, len);
    assert_mem(qts, addr, w, len);
}

/* The device can do its work: used after everything that disturbs it. */
static void assert_works(QTestState *qts, unsigned seed)
{
    g_autofree uint8_t *data = pattern(300, seed);
    uint64_t marks = stat_get(qts, "stat-completions");

    qtest_memwrite(qts, SRC + 5, data, 300);
    qtest_memset(qts, DST, 0x5a, 400);
    desc_put(qts, DESCS + 0x8000, 300, PLAIN, ONES, SRC + 5, DST + 3);
    launch(qts, DESCS + 0x8000);
    wait_idle(qts, 20000);
    assert_mem(qts, DST + 3, data, 300);
    assert_bytes(qts, DST, 0x5a, 3);
    assert_bytes(qts, DST + 303, 0x5a, 97);
    g_assert_true(marked(qts, DESCS + 0x8000));
    assert_stat(qts, "stat-completions", ==, marks + 1);
}

/*
 * Registers
 */

static void test_regs_read(void)
{
    QTestState *qts = start(NULL);

    g_assert_cmphex(qtest_readq(qts, DESC_ADDR), ==, 0);
    g_assert_cmphex(qtest_readl(qts, DESC_ADDR), ==, 0);
    g_assert_cmphex(qtest_readl(qts, DESC_ADDR + 4), ==, 0);
    for (int i = 0; i < 8; i++) {
        g_assert_cmphex(qtest_readb(qts, DESC_ADDR + i), ==, 0);
        g_assert_cmphex(qtest_readb(qts, STATUS + i), ==, 0);
    }
    g_assert_cmphex(qtest_readq(qts, STATUS), ==, 0);
    cycles(qts, 1000);
    /* reading DESC_ADDR launches nothing */
    assert_stat(qts, "stat-launches", ==, 0);
    assert_stat(qts, "stat-fetches", ==, 0);
    assert_stat(qts, "stat-guest-errors", ==, 0);

    desc_put(qts, DESCS, 64, QUIET, ONES, SRC, DST);
    launch(qts, DESCS);
    /* visible at once, in every size, and only in its own byte */
    g_assert_cmphex(qtest_readq(qts, STATUS), ==, BUSY);
    g_assert_cmphex(qtest_readl(qts, STATUS), ==, BUSY);
    g_assert_cmphex(qtest_readw(qts, STATUS), ==, BUSY);
    g_assert_cmphex(qtest_readb(qts, STATUS), ==, BUSY);
    g_assert_cmphex(qtest_readl(qts, STATUS + 4), ==, 0);
    g_assert_cmphex(qtest_readb(qts, STATUS + 1), ==, 0);
    /* the register is write-only even now */
    g_assert_cmphex(qtest_readq(qts, DESC_ADDR), ==, 0);
    wait_idle(qts, 5000);
    g_assert_cmphex(qtest_readq(qts, STATUS), ==, 0);
    assert_stat(qts, "stat-guest-errors", ==, 0);
    qtest_quit(qts);
}

static void test_regs_bad_access(void)
{
    QTestState *qts = start(NULL);
    uint64_t errors = 0;
    static const uint64_t none[] = { 0x10, 0x18, 0x40, 0x800, 0xff8 };

    for (int i = 0; i < ARRAY_SIZE(none); i++) {
        g_assert_cmphex(qtest_readq(qts, DEV_BASE + none[i]), ==, 0);
        assert_stat(qts, "stat-guest-errors", ==, ++errors);
        qtest_writeq(qts, DEV_BASE + none[i], DESCS);
        assert_stat(qts, "stat-guest-errors", ==, ++errors);
    }
    qtest_writeq(qts, STATUS, ONES);
    assert_stat(qts, "stat-guest-errors", ==, ++errors);
    qtest_writel(qts, STATUS + 4, ~0);
    assert_stat(qts, "stat-guest-errors", ==, ++errors);

    /* misaligned: over the end of DESC_ADDR, and within it */
    qtest_writeq(qts, DESC_ADDR + 4, DESCS);
    assert_stat(qts, "stat-guest-errors", ==, ++errors);
    qtest_writel(qts, DESC_ADDR + 2, DESCS);
    assert_stat(qts, "stat-guest-errors", ==, ++errors);
    qtest_writew(qts, DESC_ADDR + 7, 0);
    assert_stat(qts, "stat-guest-errors", ==, ++errors);
    g_assert_cmphex(qtest_readq(qts, DESC_ADDR + 4), ==, 0);
    assert_stat(qts, "stat-guest-errors", ==, ++errors);
    g_assert_cmphex(qtest_readl(qts, STATUS + 1), ==, 0);
    assert_stat(qts, "stat-guest-errors", ==, ++errors);

    cycles(qts, 1000);
    assert_stat(qts, "stat-launches", ==, 0);
    g_assert_cmphex(qtest_readq(qts, STATUS), ==, 0);
    assert_works(qts, 1);
    qtest_quit(qts);
}

/* What 32-bit stores do: each launches what the register then holds. */
static void test_regs_halves(void)
{
    QTestState *qts = start("n-speculation=0");

    desc_put(qts, DESCS, 64, PLAIN, ONES, SRC, DST);
    qtest_writel(qts, DESC_ADDR, (uint32_t)DESCS);
    assert_stat(qts, "stat-launches", ==, 1);
    assert_stat(qts, "stat-guest-errors", ==, 1);
    /* the upper half held the ones of reset */
    for (int i = 0; i < 200 && !stat_get(qts, "stat-bus-errors-fetch"); i++) {
        cycles(qts, 1);
    }
    assert_stat(qts, "stat-last-error-address", ==,
                0xffffffff00000000ull | DESCS);
    qtest_writel(qts, DESC_ADDR + 4, DESCS >> 32);
    assert_stat(qts, "stat-launches", ==, 2);
    assert_stat(qts, "stat-guest-errors", ==, 2);
    /* the first chain never ends: what it met reads as zeros, next included */
    qtest_system_reset(qts);

    /*
     * In the other order, the upper half of the register being what it was
     * reset to: a head at 0x00000000ffffffff, then the one that was meant.
     */
    qtest_writel(qts, DESC_ADDR + 4, DESCS >> 32);
    qtest_writel(qts, DESC_ADDR, (uint32_t)DESCS);
    assert_stat(qts, "stat-launches", ==, 4);
    qtest_system_reset(qts);

    /* With the right upper half in place one 32-bit store is enough. */
    qtest_writeq(qts, DESC_ADDR, DESCS);
    wait_idle(qts, 5000);
    desc_put(qts, DESCS + 0x40, 64, PLAIN, ONES, SRC, DST);
    qtest_writel(qts, DESC_ADDR, (uint32_t)DESCS + 0x40);
    wait_idle(qts, 5000);
    g_assert_true(marked(qts, DESCS));
    g_assert_true(marked(qts, DESCS + 0x40));
    assert_stat(qts, "stat-launches", ==, 6);
    qtest_quit(qts);
}

/*
 * Transfers
 */

static void test_single(void)
{
    static const uint32_t len[] = {
        1, 2, 3, 7, 8, 9, 31, 64, 255, 2047, 2048, 2049, 4096, 5000, 70000
    };
    static const unsigned align[][2] = {
        { 0, 0 }, { 1, 0 }, { 0, 1 }, { 3, 5 }, { 7, 7 }, { 4093, 17 },
    };
    QTestState *qts = start(NULL);
    uint64_t pulses = 0, bytes = 0, desc = DESCS;

    for (int i = 0; i < ARRAY_SIZE(len); i++) {
        for (int a = 0; a < ARRAY_SIZE(align); a++) {
            uint64_t src = SRC + align[a][0], dst = DST + 64 + align[a][1];
            g_autofree uint8_t *data = pattern(len[i], i * 16 + a);

            qtest_memwrite(qts, src, data, len[i]);
            qtest_memset(qts, dst - 64, 0xa5, len[i] + 128);
            desc_put(qts, desc, len[i], PLAIN, ONES, src, dst);
            launch(qts, desc);
            wait_idle(qts, 4 * len[i] + 2000);
            assert_mem(qts, dst, data, len[i]);
            assert_bytes(qts, dst - 64, 0xa5, 64);
            assert_bytes(qts, dst + len[i], 0xa5, 64);

            /* the mark covers length and flags, and nothing else */
            g_assert_cmphex(qtest_readq(qts, desc), ==, ONES);
            g_assert_cmphex(qtest_readq(qts, desc + 8), ==, ONES);
            g_assert_cmphex(qtest_readq(qts, desc + 16), ==, src);
            g_assert_cmphex(qtest_readq(qts, desc + 24), ==, dst);
            bytes += len[i];
            assert_stat(qts, "stat-bytes", ==, bytes);
            assert_stat(qts, "stat-irq-pulses", ==, ++pulses);
            desc += 64;
        }
    }
    assert_stat(qts, "stat-descriptors", ==, pulses);
    assert_stat(qts, "stat-launches", ==, pulses);
    assert_stat(qts, "stat-bus-errors", ==, 0);
    qtest_quit(qts);
}

#define CHAIN   64

typedef struct Chain {
    uint8_t *data;
    uint32_t len[CHAIN];
    uint64_t src[CHAIN], dst[CHAIN];
    uint64_t bytes;
} Chain;

/* A contiguous chain of transfers of many sizes and alignments at @at */
static void chain_put(QTestState *qts, Chain *c, uint64_t at, unsigned seed)
{
    GRand *r = g_rand_new_with_seed(seed);
    uint64_t off = 0;

    c->data = pattern(CHAIN * 4096, seed);
    c->bytes = 0;
    qtest_memwrite(qts, SRC, c->data, CHAIN * 4096);
    qtest_memset(qts, DST, 0x11, CHAIN * 4096);
    for (int i = 0; i < CHAIN; i++) {
        c->len[i] = g_rand_int_range(r, 1, 2500);
        c->src[i] = SRC + g_rand_int_range(r, 0, CHAIN * 4096 - 2500);
        c->dst[i] = DST + off + g_rand_int_range(r, 0, 4096 - 2500);
        off += 4096;
        c->bytes += c->len[i];
        desc_put(qts, at + 32 * i, c->len[i], PLAIN,
                 i == CHAIN - 1 ? ONES : at + 32 * (i + 1), c->src[i],
                 c->dst[i]);
    }
    g_rand_free(r);
}

static void chain_assert_done(QTestState *qts, Chain *c, uint64_t at,
                              int first, int last)
{
    for (int i = first; i <= last; i++) {
        assert_mem(qts, c->dst[i], c->data + (c->src[i] - SRC), c->len[i]);
        assert_bytes(qts, c->dst[i] + c->len[i], 0x11, 16);
        g_assert_true(marked(qts, at + 32 * i));
    }
}

static int chain_marks(QTestState *qts, uint64_t at)
{
    int n = 0;

    while (n < CHAIN && marked(qts, at + 32 * n)) {
        n++;
    }
    return n;
}

static void test_chain(void)
{
    QTestState *qts = start(NULL);
    Chain c;
    int done = 0;

    chain_put(qts, &c, DESCS, 7);
    launch(qts, DESCS);
    while (busy(qts)) {
        int now = chain_marks(qts, DESCS);

        /* in order, and each with its data already in place */
        g_assert_cmpint(now, >=, done);
        if (now > done) {
            chain_assert_done(qts, &c, DESCS, done, now - 1);
        }
        for (int i = now; i < CHAIN; i++) {
            g_assert_false(marked(qts, DESCS + 32 * i));
        }
        done = now;
        cycles(qts, 300);
    }
    chain_assert_done(qts, &c, DESCS, 0, CHAIN - 1);
    assert_stat(qts, "stat-launches", ==, 1);
    assert_stat(qts, "stat-descriptors", ==, CHAIN);
    assert_stat(qts, "stat-completions", ==, CHAIN);
    assert_stat(qts, "stat-irqs", ==, CHAIN);
    assert_stat(qts, "stat-irq-pulses", <=, CHAIN);
    assert_stat(qts, "stat-bytes", ==, c.bytes);
    /* contiguous: the prefetcher guessed right all along */
    assert_stat(qts, "stat-flushes", ==, 1);
    assert_stat(qts, "stat-guess-hits", ==, CHAIN - 1);
    assert_stat(qts, "stat-busy-cycles", >=, c.bytes / 8);
    g_free(c.data);
    qtest_quit(qts);
}

/* The transfer takes the time that the clock says, not the host's. */
static void test_clock(void)
{
    static const unsigned mhz[] = { 1, 50, 1000 };

    for (int i = 0; i < ARRAY_SIZE(mhz); i++) {
        g_autofree char *props =
            g_strdup_printf("clock-frequency=%u", mhz[i] * 1000000);
        QTestState *qts = start(props);
        uint64_t ns = 65536 / 8 * 1000 / mhz[i];

        desc_put(qts, DESCS, 65536, PLAIN, ONES, SRC, DST);
        launch(qts, DESCS);
        /* 8 bytes a cycle at best ... */
        qtest_clock_step(qts, ns);
        g_assert_true(busy(qts));
        g_assert_false(marked(qts, DESCS));
        /* ... and not much more than that */
        qtest_clock_step(qts, ns / 10);
        g_assert_false(busy(qts));
        g_assert_true(marked(qts, DESCS));
        qtest_quit(qts);
    }
}

/* A quantum makes what the engine does late, and changes nothing else. */
static void test_quantum(void)
{
    static const unsigned quantum[] = { 0, 1, 1000, 100000 };
    uint64_t ns[ARRAY_SIZE(quantum)], cycles[ARRAY_SIZE(quantum)];

    for (int i = 0; i < ARRAY_SIZE(quantum); i++) {
        g_autofree char *props =
            g_strdup_printf("timing=cycle,quantum=%u", quantum[i]);
        QTestState *qts = start(props);

        desc_put(qts, DESCS, 4096, PLAIN, ONES, SRC, DST);
        launch(qts, DESCS);
        for (ns[i] = 0; busy(qts); ns[i] += NS_PER_CYCLE) {
            g_assert_cmpuint(ns[i], <, 200000);
            qtest_clock_step(qts, NS_PER_CYCLE);
        }
        g_assert_true(marked(qts, DESCS));
        cycles[i] = stat_get(qts, "stat-busy-cycles");
        g_assert_cmpuint(cycles[i], ==, cycles[0]);
        g_assert_cmpuint(ns[i], >=, ns[0]);
        g_assert_cmpuint(ns[i], <=, ns[0] + quantum[i] + NS_PER_CYCLE);
        qtest_quit(qts);
    }
    g_assert_cmpuint(cycles[0], >, 4096 / 8);
    /* less than a cycle is no quantum; the others do not divide the time */
    g_assert_cmpuint(ns[1], ==, ns[0]);
    g_assert_cmpuint(ns[3], >, ns[0]);
}

static void test_zero_length(void)
{
    QTestState *qts = start(NULL);

    desc_put(qts, DESCS, 0, PLAIN, DESCS + 32, SRC, DST);
    desc_put(qts, DESCS + 32, 16, PLAIN, ONES, SRC, DST);
    qtest_memset(qts, SRC, 0x42, 16);
    launch(qts, DESCS);
    wait_idle(qts, 5000);
    g_assert_true(marked(qts, DESCS));
    g_assert_true(marked(qts, DESCS + 32));
    assert_bytes(qts, DST, 0x42, 16);
    assert_stat(qts, "stat-zero-length", ==, 1);
    assert_stat(qts, "stat-irqs", ==, 2);
    assert_stat(qts, "stat-bytes", ==, 16);

    /* behind a long transfer it marks that one, before its time */
    desc_put(qts, DESCS + 0x100, 4096, PLAIN, DESCS + 0x120, SRC, DST);
    desc_put(qts, DESCS + 0x120, 0, PLAIN, ONES, SRC, DST);
    launch(qts, DESCS + 0x100);
    cycles(qts, 300);
    g_assert_true(busy(qts));
    g_assert_true(marked(qts, DESCS + 0x100));
    g_assert_false(marked(qts, DESCS + 0x120));
    wait_idle(qts, 5000);
    g_assert_true(marked(qts, DESCS + 0x120));
    qtest_quit(qts);
}

/* Addresses that nothing answers: as on the RTL, nobody is told. */
static void test_bad_addresses(void)
{
    QTestState *qts = start(NULL);
    const uint64_t nowhere = 0x123456789a000ull;

    desc_put(qts, DESCS, 64, PLAIN, DESCS + 32, nowhere, DST);
    desc_put(qts, DESCS + 32, 64, PLAIN, DESCS + 64, SRC, nowhere);
    desc_put(qts, DESCS + 64, 64, PLAIN, ONES, ONES - 31, DST);
    qtest_memset(qts, DST, 0x77, 64);
    launch(qts, DESCS);
    wait_idle(qts, 5000);
    for (int i = 0; i < 3; i++) {
        g_assert_true(marked(qts, DESCS + 32 * i));
    }
    assert_stat(qts, "stat-irqs", ==, 3);
    assert_stat(qts, "stat-bus-errors-read", >=, 2);
    assert_stat(qts, "stat-bus-errors-write", ==, 1);
    assert_works(qts, 2);
    qtest_quit(qts);
}

/*
 * Interrupts, as virt's PLIC sees them
 */

static bool irq_pending(QTestState *qts)
{
    return qtest_readl(qts, PLIC_PENDING(DEV_IRQ)) >> (DEV_IRQ % 32) & 1;
}

static void irq_enable(QTestState *qts)
{
    qtest_writel(qts, PLIC_PRIO(DEV_IRQ), 1);
    qtest_writel(qts, PLIC_ENABLE(DEV_IRQ), 1u << (DEV_IRQ % 32));
}

/* Claim and complete, as the guest's kernel does; 0: nothing was pending */
static uint32_t irq_take(QTestState *qts)
{
    uint32_t irq = qtest_readl(qts, PLIC_CLAIM);

    if (irq) {
        qtest_writel(qts, PLIC_CLAIM, irq);
    }
    return irq;
}

static void run_one(QTestState *qts, uint32_t flags)
{
    desc_put(qts, DESCS, 64, flags, ONES, SRC, DST);
    launch(qts, DESCS);
    wait_idle(qts, 50000);
}

static void test_irq(void)
{
    QTestState *qts = start(NULL);

    qtest_irq_intercept_out_named(qts, DEV_PATH, "sysbus-irq");
    irq_enable(qts);

    run_one(qts, QUIET);
    g_assert_true(marked(qts, DESCS));
    g_assert_false(irq_pending(qts));
    assert_stat(qts, "stat-irqs", ==, 0);

    run_one(qts, PLAIN);
    g_assert_true(irq_pending(qts));
    /* a pulse: the line is low again by itself */
    g_assert_false(qtest_get_irq(qts, 0));
    g_assert_cmpuint(irq_take(qts), ==, DEV_IRQ);
    g_assert_false(irq_pending(qts));
    g_assert_cmpuint(irq_take(qts), ==, 0);

    /* two completions, one interrupt */
    run_one(qts, PLAIN);
    run_one(qts, PLAIN);
    g_assert_cmpuint(irq_take(qts), ==, DEV_IRQ);
    g_assert_cmpuint(irq_take(qts), ==, 0);
    assert_stat(qts, "stat-irq-pulses", ==, 3);
    qtest_quit(qts);
}

/*
 * Faults
 */

static void test_drop_irq(void)
{
    QTestState *qts = start("drop-irq-nth=2");

    irq_enable(qts);
    for (int i = 1; i <= 4; i++) {
        run_one(qts, PLAIN);
        g_assert_true(marked(qts, DESCS));
        g_assert_cmpuint(irq_take(qts), ==, i == 2 ? 0 : DEV_IRQ);
    }
    assert_stat(qts, "stat-irqs-dropped", ==, 1);

    /* in flight: every third one, counted from now */
    fault_set(qts, "drop-irq-nth", 0);
    fault_set(qts, "drop-irq-every", 3);
    for (int i = 1; i <= 7; i++) {
        run_one(qts, PLAIN);
        g_assert_cmpuint(irq_take(qts), ==, i % 3 ? DEV_IRQ : 0);
    }
    assert_stat(qts, "stat-irqs-dropped", ==, 3);

    fault_set(qts, "drop-irq-every", 1);
    for (int i = 0; i < 5; i++) {
        run_one(qts, PLAIN);
        g_assert_true(marked(qts, DESCS));
        g_assert_cmpuint(irq_take(qts), ==, 0);
    }
    assert_stat(qts, "stat-irqs-dropped", ==, 8);

    fault_set(qts, "drop-irq-every", 0);
    run_one(qts, PLAIN);
    g_assert_cmpuint(irq_take(qts), ==, DEV_IRQ);
    assert_stat(qts, "stat-irqs-dropped", ==, 8);
    qtest_quit(qts);
}

static void test_delay_irq(void)
{
    QTestState *qts = start("delay-irq-cycles=100000");

    desc_put(qts, DESCS, 64, PLAIN, ONES, SRC, DST);
    launch(qts, DESCS);
    cycles(qts, 99000);
    g_assert_true(marked(qts, DESCS));
    g_assert_false(irq_pending(qts));
    cycles(qts, 2000);
    g_assert_true(irq_pending(qts));
    assert_stat(qts, "stat-irqs-delayed", ==, 1);
    qtest_quit(qts);
}

static void test_delay_transfer(void)
{
    QTestState *qts = start("delay-cycles=10000");
    uint64_t slow, fast;

    run_one(qts, PLAIN);
    slow = stat_get(qts, "stat-busy-cycles");
    assert_stat(qts, "stat-transfers-delayed", ==, 1);
    fault_set(qts, "delay-cycles", 0);
    run_one(qts, PLAIN);
    fast = stat_get(qts, "stat-busy-cycles") - slow;
    g_assert_cmpuint(slow, ==, fast + 10000);
    qtest_quit(qts);
}

static void test_hang(void)
{
    QTestState *qts = start("hang-from-desc=3");
    Chain c;

    chain_put(qts, &c, DESCS, 3);
    launch(qts, DESCS);
    cycles(qts, 1000000);
    g_assert_true(busy(qts));
    g_assert_cmpint(chain_marks(qts, DESCS), ==, 2);
    chain_assert_done(qts, &c, DESCS, 0, 1);
    assert_bytes(qts, c.dst[2], 0x11, c.len[2]);
    assert_stat(qts, "stat-descriptors-hung", >=, 1);

    /* cured in flight: what was held back goes on */
    fault_set(qts, "hang-from-desc", 0);
    wait_idle(qts, 1000000);
    chain_assert_done(qts, &c, DESCS, 0, CHAIN - 1);
    g_free(c.data);

    /* a reset cures it for the first two descriptors */
    fault_set(qts, "hang-from-desc", 2);
    run_one(qts, PLAIN);
    desc_put(qts, DESCS, 64, PLAIN, ONES, SRC, DST);
    launch(qts, DESCS);
    cycles(qts, 100000);
    g_assert_true(busy(qts));
    qtest_system_reset(qts);
    g_assert_false(busy(qts));
    run_one(qts, PLAIN);
    g_assert_true(marked(qts, DESCS));
    qtest_quit(qts);
}

static void test_skip_write(void)
{
    QTestState *qts = start("skip-write-nth=2");

    qtest_memset(qts, SRC, 0x33, 256);
    qtest_memset(qts, DST, 0, 256);
    for (int i = 0; i < 4; i++) {
        desc_put(qts, DESCS, 64, PLAIN, ONES, SRC, DST + 64 * i);
        launch(qts, DESCS);
        wait_idle(qts, 5000);
        /* nobody can tell from what the engine reports */
        g_assert_true(marked(qts, DESCS));
        assert_bytes(qts, DST + 64 * i, i == 1 ? 0 : 0x33, 64);
    }
    assert_stat(qts, "stat-irqs", ==, 4);
    assert_stat(qts, "stat-writes-skipped", ==, 1);

    fault_set(qts, "skip-write-nth", 0);
    fault_set(qts, "skip-write-every", 2);
    qtest_memset(qts, DST, 0, 256);
    for (int i = 0; i < 4; i++) {
        desc_put(qts, DESCS, 64, PLAIN, ONES, SRC, DST + 64 * i);
        launch(qts, DESCS);
        wait_idle(qts, 5000);
        assert_bytes(qts, DST + 64 * i, i % 2 ? 0 : 0x33, 64);
    }
    assert_stat(qts, "stat-writes-skipped", ==, 3);
    assert_stat(qts, "stat-bus-errors", ==, 0);
    qtest_quit(qts);
}

static void test_stuck_busy(void)
{
    QTestState *qts = start("stuck-busy=on");

    g_assert_true(busy(qts));
    desc_put(qts, DESCS, 64, PLAIN, ONES, SRC, DST);
    launch(qts, DESCS);
    cycles(qts, 10000);
    g_assert_true(marked(qts, DESCS));
    g_assert_true(busy(qts));
    qtest_qom_set_bool(qts, DEV_PATH, "stuck-busy", false);
    g_assert_false(busy(qts));
    qtest_qom_set_bool(qts, DEV_PATH, "stuck-busy", true);
    g_assert_true(busy(qts));
    g_assert_true(qtest_qom_get_bool(qts, DEV_PATH, "stuck-busy"));
    qtest_quit(qts);
}

static void test_bus_errors(void)
{
    QTestState *qts = start("error-read-base=0x80400000,error-read-size=64,"
                            "error-write-base=0x80c00100,error-write-size=8,"
                            "error-response=decerr");
    static const uint8_t axi_error[8] = {
        0x1e, 0xab, 0xdc, 0xba, 0x1e, 0xab, 0x11, 0xca
    };

    g_assert_cmphex(SRC, ==, 0x80400000);
    g_assert_cmphex(DST, ==, 0x80c00000);
    qtest_memset(qts, SRC, 0x44, 256);
    qtest_memset(qts, DST, 0, 1024);

    /* read side: data of an AXI error subordinate, completion as ever */
    run_one(qts, PLAIN);
    g_assert_true(marked(qts, DESCS));
    assert_mem(qts, DST, axi_error, 8);
    assert_stat(qts, "stat-bus-errors-read", ==, 1);
    assert_stat(qts, "stat-irqs", ==, 1);

    /* write side: nothing arrives */
    desc_put(qts, DESCS, 64, PLAIN, ONES, SRC + 64, DST + 0xe0);
    launch(qts, DESCS);
    wait_idle(qts, 5000);
    g_assert_true(marked(qts, DESCS));
    assert_bytes(qts, DST + 0xe0, 0, 64);
    assert_stat(qts, "stat-bus-errors-write", ==, 1);
    assert_stat(qts, "stat-last-error-address", ==, DST + 0xe0);

    /* only the response is wrong */
    qtest_qom_set_bool(qts, DEV_PATH, "error-keep-data", true);
    launch(qts, DESCS + 0x100);     /* zeros, next is 0: never ends */
    qtest_system_reset(qts);
    desc_put(qts, DESCS, 64, PLAIN, ONES, SRC, DST + 0xe0);
    launch(qts, DESCS);
    wait_idle(qts, 5000);
    assert_bytes(qts, DST + 0xe0, 0x44, 64);
    assert_stat(qts, "stat-bus-errors-read", ==, 2);
    assert_stat(qts, "stat-bus-errors-write", ==, 2);

    /* n-th and every k-th */
    fault_set(qts, "error-write-size", 0);
    fault_set(qts, "error-read-nth", 2);
    for (int i = 1; i <= 4; i++) {
        run_one(qts, PLAIN);
        assert_stat(qts, "stat-bus-errors-read", ==, i < 2 ? 2 : 3);
    }
    fault_set(qts, "error-read-nth", 0);
    fault_set(qts, "error-read-every", 2);
    for (int i = 1; i <= 4; i++) {
        run_one(qts, PLAIN);
        assert_stat(qts, "stat-bus-errors-read", ==, 3 + i / 2);
    }
    fault_set(qts, "error-read-size", 0);
    assert_stat(qts, "stat-errors-injected", ==,
                stat_get(qts, "stat-bus-errors"));
    assert_works(qts, 4);

    /* a lost mark: data and interrupt come, the mark does not */
    fault_set(qts, "error-mark-base", DESCS);
    fault_set(qts, "error-mark-size", 32);
    qtest_qom_set_bool(qts, DEV_PATH, "error-keep-data", false);
    run_one(qts, PLAIN);
    g_assert_false(marked(qts, DESCS));
    assert_stat(qts, "stat-bus-errors-mark", ==, 1);
    fault_set(qts, "error-mark-size", 0);

    /* a fetch that fails brings a descriptor of error data */
    fault_set(qts, "error-fetch-base", DESCS);
    fault_set(qts, "error-fetch-size", 32);
    desc_put(qts, DESCS, 64, PLAIN, ONES, SRC, DST);
    launch(qts, DESCS);
    cycles(qts, 1000);
    assert_stat(qts, "stat-bus-errors-fetch", >=, 1);
    g_assert_true(busy(qts));
    qtest_system_reset(qts);
    fault_set(qts, "error-fetch-size", 0);
    assert_works(qts, 5);
    qtest_quit(qts);
}

/*
 * The hazard: a head that is launched separately at (tail of a chain that is
 * not finished) + 32 may be run as it was before software filled it.
 */
static void test_stale_guess(void)
{
    QTestState *qts = start("delay-guess-cycles=2000");

    qtest_memset(qts, SRC, 0x01, 64);
    qtest_memset(qts, SRC + 64, 0x02, 64);
    qtest_memset(qts, DST, 0, 1024);

    /* slot 1 holds an old descriptor, slot 0 is launched alone */
    desc_put(qts, DESCS, 64, PLAIN, ONES, SRC, DST);
    desc_put(qts, DESCS + 32, 64, PLAIN, ONES, SRC, DST + 256);
    launch(qts, DESCS);
    cycles(qts, 500);
    /* software fills slot 1 and launches it */
    desc_put(qts, DESCS + 32, 64, PLAIN, ONES, SRC + 64, DST + 512);
    launch(qts, DESCS + 32);
    wait_idle(qts, 20000);
    assert_bytes(qts, DST, 0x01, 64);
    assert_bytes(qts, DST + 256, 0x01, 64);     /* the old one was run */
    assert_bytes(qts, DST + 512, 0x00, 64);     /* the new one was not */
    g_assert_true(marked(qts, DESCS + 32));     /* and yet is marked */
    assert_stat(qts, "stat-guess-hits-head", ==, 1);

    /* with a slot between them it is fetched when it is launched */
    qtest_memset(qts, DST, 0, 1024);
    desc_put(qts, DESCS, 64, PLAIN, ONES, SRC, DST);
    desc_put(qts, DESCS + 64, 64, PLAIN, ONES, SRC, DST + 256);
    launch(qts, DESCS);
    cycles(qts, 500);
    desc_put(qts, DESCS + 64, 64, PLAIN, ONES, SRC + 64, DST + 512);
    launch(qts, DESCS + 64);
    wait_idle(qts, 20000);
    assert_bytes(qts, DST, 0x01, 64);
    assert_bytes(qts, DST + 256, 0x00, 64);
    assert_bytes(qts, DST + 512, 0x02, 64);
    assert_stat(qts, "stat-guess-hits-head", ==, 1);
    qtest_quit(qts);
}

/*
 * FIFO full
 */

static void fill_fifo(QTestState *qts, int n)
{
    qtest_memset(qts, DST, 0, 64 * 64);
    for (int i = 0; i < n; i++) {
        qtest_memset(qts, SRC + 64 * i, i + 1, 64);
        desc_put(qts, DESCS + 64 * i, 64, PLAIN, ONES, SRC + 64 * i,
                 DST + 64 * i);
    }
    for (int i = 0; i < n; i++) {
        g_assert_cmphex(qtest_readq(qts, STATUS), ==,
                        i == 0 ? 0 : i < 9 ? BUSY : BUSY | FIFO_FULL);
        launch(qts, DESCS + 64 * i);
        /* the register bus takes two cycles for a write */
        cycles(qts, 2);
    }
}

static void test_fifo_full(void)
{
    QTestState *qts = start("memory-latency=100");

    /* one taken, eight in the FIFO, one in the register */
    fill_fifo(qts, 10);
    g_assert_cmphex(qtest_readq(qts, STATUS), ==, BUSY | FIFO_FULL);
    assert_stat(qts, "stat-guest-errors", ==, 0);
    wait_idle(qts, 50000);
    assert_stat(qts, "stat-launches", ==, 10);
    for (int i = 0; i < 10; i++) {
        assert_bytes(qts, DST + 64 * i, i + 1, 64);
        g_assert_true(marked(qts, DESCS + 64 * i));
    }

    /* six more than it can take: the hardware would hold the bus */
    fill_fifo(qts, 16);
    assert_stat(qts, "stat-launches", ==, 20);
    assert_stat(qts, "stat-launches-held", ==, 6);
    assert_stat(qts, "stat-guest-errors", ==, 6);
    wait_idle(qts, 50000);
    assert_stat(qts, "stat-launches", ==, 26);
    assert_stat(qts, "stat-launches-lost", ==, 0);
    for (int i = 0; i < 16; i++) {
        assert_bytes(qts, DST + 64 * i, i + 1, 64);
    }

    /* there is an end to that, too */
    fill_fifo(qts, 10 + 16 + 3);
    assert_stat(qts, "stat-launches-lost", ==, 3);
    wait_idle(qts, 50000);
    assert_stat(qts, "stat-launches", ==, 26 + 10 + 16);
    assert_bytes(qts, DST + 64 * 25, 26, 64);
    assert_bytes(qts, DST + 64 * 26, 0, 3 * 64);

    /* held launches are gone after a reset */
    fill_fifo(qts, 16);
    qtest_system_reset(qts);
    g_assert_cmphex(qtest_readq(qts, STATUS), ==, 0);
    qtest_memset(qts, DST, 0, 16 * 64);
    cycles(qts, 50000);
    assert_bytes(qts, DST, 0, 16 * 64);
    assert_works(qts, 6);
    qtest_quit(qts);
}

static void test_fifo_full_lose(void)
{
    QTestState *qts = start("memory-latency=100,fifo-full=lose");

    fill_fifo(qts, 13);
    assert_stat(qts, "stat-launches", ==, 10);
    assert_stat(qts, "stat-launches-lost", ==, 3);
    assert_stat(qts, "stat-guest-errors", ==, 3);
    wait_idle(qts, 50000);
    for (int i = 0; i < 13; i++) {
        assert_bytes(qts, DST + 64 * i, i < 10 ? i + 1 : 0, 64);
        g_assert(marked(qts, DESCS + 64 * i) == (i < 10));
    }
    qtest_quit(qts);
}

/* A FIFO of another depth has room for depth + 2. */
static void test_fifo_depth(void)
{
    QTestState *qts = start("memory-latency=100,input-fifo-depth=2");

    for (int i = 0; i < 4; i++) {
        /* the FIFO is full when its own places are, the register not counted */
        g_assert(!(qtest_readq(qts, STATUS) & FIFO_FULL) == (i < 3));
        desc_put(qts, DESCS + 64 * i, 64, PLAIN, ONES, SRC, DST);
        launch(qts, DESCS + 64 * i);
        cycles(qts, 2);
    }
    g_assert_true(qtest_readq(qts, STATUS) & FIFO_FULL);
    wait_idle(qts, 10000);
    assert_stat(qts, "stat-completions", ==, 4);
    qtest_quit(qts);
}

/* How often QEMU's main loop answers in some time */
static int replies_within(QTestState *qts, int64_t us)
{
    int64_t end = g_get_monotonic_time() + us;
    int n = 0;

    do {
        qtest_qmp_assert_success(qts, "{ 'execute': 'query-status' }");
        n++;
    } while (g_get_monotonic_time() < end);

    return n;
}

/*
 * Descriptors that never end, on a running machine: here time passes by
 * itself, and QEMU must go on talking.
 */
static void responsive(const char *name, uint32_t len, uint32_t flags,
                       uint64_t next, uint64_t src, uint64_t dst)
{
    g_autofree char *dev = machine_args("clock-frequency=4000000000,"
                                        "memory-latency=0");
    g_autofree char *args = g_strdup_printf("-accel tcg -S %s", dev);
    QTestState *qts = qtest_init(args);
    uint64_t bytes, fetches;
    int idle, replies;

    qtest_writel(qts, RAM_BASE, 0x10500073);        /* wfi */
    qtest_writel(qts, RAM_BASE + 4, 0xffdff06f);    /* j .-4 */
    qtest_qmp_assert_success(qts, "{ 'execute': 'cont' }");
    idle = replies_within(qts, 250000);
    desc_put(qts, DESCS, len, flags, next, src, dst);
    launch(qts, DESCS);
    replies = replies_within(qts, 250000);
    bytes = stat_get(qts, "stat-bytes");
    fetches = stat_get(qts, "stat-fetches");

    g_test_message("%s: %d replies, %d of an idle machine in the same time",
                   name, replies, idle);
    /* a callback that knows no end would leave one of them, or none */
    g_assert_cmpint(replies * 100, >, idle);
    /* the engine is at it nevertheless, and has not come to an end */
    g_assert_cmpuint(bytes + fetches, >, 100);
    g_assert_true(busy(qts));

    qtest_qmp_assert_success(qts, "{ 'execute': 'stop' }");
    bytes = stat_get(qts, "stat-bytes");
    g_usleep(20000);
    assert_stat(qts, "stat-bytes", ==, bytes);
    qtest_system_reset(qts);
    g_assert_false(busy(qts));
    qtest_quit(qts);
}

static void test_responsive(void)
{
    responsive("self-linked", 64, PLAIN, DESCS, SRC, DST);
    responsive("4 GiB of single beats", ~0u, ~0u, ONES, RAM_BASE + 8 * MiB,
               RAM_BASE + 16 * MiB);
    responsive("next 0", 0, PLAIN, 0, 0, 0);
    responsive("4 GiB into nowhere", ~0u, PLAIN, ONES, 0x1000000000000ull,
               0x2000000000000ull);
}

/*
 * With -icount, time is what the guest has executed and a run is the same
 * each time: the guest polls STATUS and counts.
 */
static const uint32_t poll_program[] = {
    0x040002b7,         /*    lui  t0, 0x4000        DEV_BASE          */
    0x00100313,         /*    li   t1, 1                               */
    0x01f31313,         /*    slli t1, t1, 31        RAM_BASE          */
    0x001003b7,         /*    lui  t2, 0x100                           */
    0x007303b3,         /*    add  t2, t1, t2        DESCS             */
    0x00000e13,         /*    li   t3, 0                               */
    0x0072b023,         /*    sd   t2, 0(t0)         launch            */
    0x0082be83,         /* 1: ld   t4, 8(t0)         STATUS            */
    0x001e0e13,         /*    addi t3, t3, 1                           */
    0x001efe93,         /*    andi t4, t4, 1                           */
    0xfe0e9ae3,         /*    bnez t4, 1b                              */
    0x41c33023,         /*    sd   t3, 0x400(t1)     result            */
    0x10500073,         /* 2: wfi                                      */
    0xffdff06f,         /*    j    2b                                  */
};

#define POLL_RESULT     (RAM_BASE + 0x400)
#define POLL_LOOP       4       /* instructions */

static uint64_t icount_run(uint64_t *busy_cycles)
{
    g_autofree char *dev = machine_args(NULL);
    /* 2^2 ns an instruction: 5 of them to a cycle of the engine */
    g_autofree char *args = g_strdup_printf("-accel tcg "
                                            "-icount shift=2,sleep=off -S %s",
                                            dev);
    QTestState *qts = qtest_init(args);
    uint64_t polls;
    Chain c;

    for (int i = 0; i < ARRAY_SIZE(poll_program); i++) {
        qtest_writel(qts, RAM_BASE + 4 * i, poll_program[i]);
    }
    qtest_writeq(qts, POLL_RESULT, 0);
    chain_put(qts, &c, DESCS, 61);
    qtest_qmp_assert_success(qts, "{ 'execute': 'cont' }");
    do {
        g_usleep(1000);
        polls = qtest_readq(qts, POLL_RESULT);
    } while (!polls);
    chain_assert_done(qts, &c, DESCS, 0, CHAIN - 1);
    *busy_cycles = stat_get(qts, "stat-busy-cycles");
    g_free(c.data);
    qtest_quit(qts);
    return polls;
}

static void test_icount(void)
{
    uint64_t cycles_first, cycles_again;
    uint64_t polls = icount_run(&cycles_first);

    for (int i = 0; i < 3; i++) {
        g_assert_cmpuint(icount_run(&cycles_again), ==, polls);
        g_assert_cmpuint(cycles_again, ==, cycles_first);
    }
    /* the guest waited as long as the engine was busy, to within a loop */
    g_test_message("%" PRIu64 " polls, %" PRIu64 " cycles", polls,
                   cycles_first);
    g_assert_cmpuint(polls * POLL_LOOP * 4, >=,
                     (cycles_first - 1) * NS_PER_CYCLE);
    g_assert_cmpuint((polls - 2) * POLL_LOOP * 4, <=,
                     (cycles_first + 1) * NS_PER_CYCLE);
}

/* Its own registers are out of the engine's reach: no recursion. */
static void test_own_registers(void)
{
    QTestState *qts = start(NULL);
    uint64_t le_head = cpu_to_le64(DESCS);

    qtest_memwrite(qts, SRC, &le_head, 8);
    desc_put(qts, DESCS, 8, PLAIN, ONES, SRC, DESC_ADDR);
    launch(qts, DESCS);
    wait_idle(qts, 5000);
    assert_stat(qts, "stat-launches", ==, 1);
    assert_stat(qts, "stat-bus-errors-write", ==, 1);

    desc_put(qts, DESCS, 16, PLAIN, ONES, DESC_ADDR, DST);
    launch(qts, DESCS);
    wait_idle(qts, 5000);
    assert_stat(qts, "stat-bus-errors-read", ==, 1);
    launch(qts, DESC_ADDR);
    cycles(qts, 1000);
    assert_stat(qts, "stat-bus-errors-fetch", >=, 1);
    qtest_system_reset(qts);
    assert_works(qts, 9);
    qtest_quit(qts);
}

/* A bus master that sees other memory than the CPU does */
static void test_memory(void)
{
    g_autofree char *args =
        g_strdup_printf("-machine virt -bios none -nodefaults -m 32 "
                        "-object memory-backend-ram,id=mem,size=64K "
                        "-device idma-desc64,id=dma0,timing=%s,"
                        "memory=/objects/mem/mem[0]", timing);
    QTestState *qts = qtest_init(args);

    /* it is all zeros, so the descriptor at 0 is one of zero length, next 0 */
    qtest_memset(qts, RAM_BASE, 0x99, 4096);
    launch(qts, 0);
    cycles(qts, 1000);
    assert_stat(qts, "stat-zero-length", >, 1);
    assert_stat(qts, "stat-bus-errors", ==, 0);
    assert_bytes(qts, RAM_BASE, 0x99, 4096);
    qtest_system_reset(qts);
    /* what the CPU sees there is not there for the engine */
    launch(qts, RAM_BASE);
    cycles(qts, 1000);
    assert_stat(qts, "stat-bus-errors-fetch", >, 0);
    qtest_quit(qts);
}

/* Two of them are two; one may start the other. */
static void test_two(void)
{
    QTestState *qts = start("drop-irq-every=0 -device "
                            "idma-desc64,id=dma1,drop-irq-every=1");
    uint64_t le_head = cpu_to_le64(DESCS + 0x100);

    qtest_memset(qts, SRC, 0x66, 64);
    qtest_memwrite(qts, SRC + 64, &le_head, 8);
    /* the first one writes the second one's DESC_ADDR */
    desc_put(qts, DESCS, 8, PLAIN, ONES, SRC + 64, DEV_BASE + 0x1000);
    desc_put(qts, DESCS + 0x100, 64, PLAIN, ONES, SRC, DST);
    launch(qts, DESCS);
    cycles(qts, 2000);
    g_assert_true(marked(qts, DESCS));
    g_assert_true(marked(qts, DESCS + 0x100));
    assert_bytes(qts, DST, 0x66, 64);
    g_assert_cmpuint(qom_get(qts, "/machine/peripheral/dma0",
                             "stat-launches"), ==, 1);
    g_assert_cmpuint(qom_get(qts, "/machine/peripheral/dma1",
                             "stat-launches"), ==, 1);
    /* 64 is the first one's interrupt, 65 the second one's, which drops it */
    g_assert_cmphex(qtest_readl(qts, PLIC_PENDING(DEV_IRQ)) & 3, ==, 1);
    qtest_quit(qts);
}

/*
 * Reset, snapshot, migration
 */

static void test_reset(void)
{
    QTestState *qts = start(NULL);
    Chain c;
    int done;

    chain_put(qts, &c, DESCS, 11);
    launch(qts, DESCS);
    cycles(qts, 3000);
    done = chain_marks(qts, DESCS);
    g_assert_cmpint(done, >, 0);
    g_assert_cmpint(done, <, CHAIN);
    g_assert_true(busy(qts));

    qtest_system_reset(qts);
    g_assert_false(busy(qts));
    /* from here on not a byte changes */
    qtest_memset(qts, DST, 0xee, CHAIN * 4096);
    qtest_memset(qts, DESCS, 0xdd, CHAIN * 32);
    cycles(qts, 1000000);
    assert_bytes(qts, DST, 0xee, CHAIN * 4096);
    assert_bytes(qts, DESCS, 0xdd, CHAIN * 32);
    assert_works(qts, 12);
    g_free(c.data);
    qtest_quit(qts);
}

static void wait_migration(QTestState *qts)
{
    for (;;) {
        QDict *rsp = qtest_qmp_assert_success_ref(qts,
                         "{ 'execute': 'query-migrate' }");
        g_autofree char *status =
            g_strdup(qdict_get_try_str(rsp, "status") ?: "none");

        qobject_unref(rsp);
        if (!strcmp(status, "completed")) {
            return;
        }
        g_assert_cmpstr(status, !=, "failed");
        g_usleep(1000);
    }
}

/* Leaves the saved state in @file; @qts is stopped and lives on. */
static void save_to(QTestState *qts, const char *file)
{
    g_autofree char *uri = g_strdup_printf("file:%s", file);

    qtest_qmp_assert_success(qts, "{ 'execute': 'stop' }");
    qtest_qmp_assert_success(qts, "{ 'execute': 'migrate', 'arguments': "
                             "{ 'uri': %s } }", uri);
    wait_migration(qts);
}

static QTestState *load_from(const char *file, const char *props)
{
    g_autofree char *dev = machine_args(props);
    g_autofree char *args = g_strdup_printf("%s -incoming defer", dev);
    g_autofree char *uri = g_strdup_printf("file:%s", file);
    QTestState *qts = qtest_init(args);

    qtest_qmp_assert_success(qts, "{ 'execute': 'migrate-incoming', "
                             "'arguments': { 'uri': %s } }", uri);
    wait_migration(qts);
    return qts;
}

static void test_migrate(void)
{
    g_autofree char *file = g_strdup_printf("%s/idma-%d.mig", g_get_tmp_dir(),
                                            getpid());
    QTestState *from, *to;
    uint64_t total;
    Chain c;
    int done;

    /* how long the whole takes when nothing disturbs it */
    from = start(NULL);
    chain_put(from, &c, DESCS, 21);
    launch(from, DESCS);
    wait_idle(from, 200000);
    total = stat_get(from, "stat-busy-cycles");
    g_free(c.data);
    qtest_quit(from);

    for (int at = 0; at < 8; at++) {
        from = start(NULL);
        chain_put(from, &c, DESCS, 21);
        launch(from, DESCS);
        cycles(from, (2 * at + 1) * total / 16);
        done = chain_marks(from, DESCS);
        g_assert_true(busy(from));
        fault_set(from, "drop-irq-nth", 2);
        save_to(from, file);

        to = load_from(file, NULL);
        /* where it was, to the byte; the source has not gone on */
        g_assert_cmpint(chain_marks(from, DESCS), ==, done);
        g_assert_cmpint(chain_marks(to, DESCS), ==, done);
        g_assert_true(busy(to));
        assert_stat(to, "drop-irq-nth", ==, 2);
        assert_stat(to, "stat-launches", ==, 1);
        assert_stat(to, "stat-bytes", ==, stat_get(from, "stat-bytes"));
        qtest_qmp_assert_success(to, "{ 'execute': 'cont' }");
        wait_idle(to, 200000);
        chain_assert_done(to, &c, DESCS, 0, CHAIN - 1);
        assert_stat(to, "stat-completions", ==, CHAIN);
        assert_stat(to, "stat-bytes", ==, c.bytes);
        assert_stat(to, "stat-irqs", ==, CHAIN);
        assert_stat(to, "stat-irqs-dropped", ==, 1);
        /* the time it took is that of an undisturbed run */
        assert_stat(to, "stat-busy-cycles", ==, total);
        assert_works(to, 22);
        qtest_quit(from);
        qtest_quit(to);
        g_free(c.data);
    }
    unlink(file);
}

/*
 * The control region: without a clock, and in reset, the engine neither
 * answers nor goes on.
 */
#define CONTROL_RESET   (DEV_BASE + 0x1000)
#define CONTROL_CLOCK   (DEV_BASE + 0x1004)

static void test_control(void)
{
    g_autofree char *file = g_strdup_printf("%s/idma-%d.mig", g_get_tmp_dir(),
                                            getpid());
    QTestState *qts = start(NULL), *to;
    uint64_t total, bytes, used;
    Chain c;

    /* how long the whole takes when nothing disturbs it */
    chain_put(qts, &c, DESCS, 31);
    launch(qts, DESCS);
    wait_idle(qts, 200000);
    total = stat_get(qts, "stat-busy-cycles");
    g_free(c.data);
    qtest_quit(qts);

    /* power-on: in reset, no clock */
    qts = start("control=on");
    assert_stat(qts, "stat-clock-on", ==, 0);
    g_assert_cmphex(qtest_readl(qts, CONTROL_RESET), ==, 1);
    g_assert_cmphex(qtest_readl(qts, CONTROL_CLOCK), ==, 0);
    g_assert_cmphex(qtest_readq(qts, STATUS), ==, ONES);
    launch(qts, DESCS);
    assert_stat(qts, "stat-accesses-gated", ==, 2);
    qtest_writel(qts, CONTROL_CLOCK, 1);
    g_assert_cmphex(qtest_readq(qts, STATUS), ==, ONES);
    launch(qts, DESCS);
    assert_stat(qts, "stat-accesses-in-reset", ==, 2);
    assert_stat(qts, "stat-launches", ==, 0);
    qtest_writel(qts, CONTROL_RESET, 0);
    assert_works(qts, 32);

    /* no clock for a while in the middle of a chain: later, and the same */
    chain_put(qts, &c, DESCS, 31);
    used = stat_get(qts, "stat-busy-cycles");
    launch(qts, DESCS);
    cycles(qts, total / 2);
    qtest_writel(qts, CONTROL_CLOCK, 0);
    assert_stat(qts, "stat-gated-busy", ==, 1);
    bytes = stat_get(qts, "stat-bytes");
    g_assert_cmpint(chain_marks(qts, DESCS), <, CHAIN);
    /* a fault switch wakes nobody */
    fault_set(qts, "delay-irq-cycles", 1);
    fault_set(qts, "delay-irq-cycles", 0);
    cycles(qts, 1000000);
    assert_stat(qts, "stat-bytes", ==, bytes);

    save_to(qts, file);
    to = load_from(file, "control=on");
    qtest_qmp_assert_success(to, "{ 'execute': 'cont' }");
    cycles(to, 1000);
    assert_stat(to, "stat-bytes", ==, bytes);
    assert_stat(to, "stat-accesses-gated", ==, 2);
    qtest_writel(to, CONTROL_CLOCK, 1);
    g_assert_true(busy(to));
    wait_idle(to, 200000);
    chain_assert_done(to, &c, DESCS, 0, CHAIN - 1);
    g_assert_cmpuint(stat_get(to, "stat-busy-cycles") - used, ==, total);
    qtest_quit(to);
    unlink(file);
    qtest_quit(qts);
    g_free(c.data);

    /* a reset in the middle: from here on not a byte changes */
    qts = start("control=on");
    qtest_writel(qts, CONTROL_CLOCK, 1);
    qtest_writel(qts, CONTROL_RESET, 0);
    chain_put(qts, &c, DESCS, 33);
    fault_set(qts, "hang-from-desc", CHAIN / 2);
    launch(qts, DESCS);
    cycles(qts, 2 * total);
    g_assert_true(busy(qts));
    qtest_writel(qts, CONTROL_RESET, 1);
    assert_stat(qts, "stat-resets", ==, 1);
    fault_set(qts, "hang-from-desc", 0);
    qtest_memset(qts, DST, 0xee, CHAIN * 4096);
    qtest_memset(qts, DESCS, 0xdd, CHAIN * 32);
    cycles(qts, 1000000);
    qtest_writel(qts, CONTROL_RESET, 0);
    g_assert_false(busy(qts));
    cycles(qts, 1000000);
    assert_bytes(qts, DST, 0xee, CHAIN * 4096);
    assert_bytes(qts, DESCS, 0xdd, CHAIN * 32);
    assert_works(qts, 34);
    g_free(c.data);

    /* nothing else is in there, and it is no place for other sizes */
    used = stat_get(qts, "stat-guest-errors");
    g_assert_cmphex(qtest_readl(qts, CONTROL_RESET + 8), ==, 0);
    qtest_writel(qts, CONTROL_RESET + 8, 1);
    assert_stat(qts, "stat-guest-errors", ==, used + 2);
    assert_works(qts, 35);
    qtest_quit(qts);
}

/* Launches that wait for the FIFO move along, in order. */
static void test_migrate_held(void)
{
    g_autofree char *file = g_strdup_printf("%s/idma-%d.mig", g_get_tmp_dir(),
                                            getpid());
    QTestState *from = start("memory-latency=100"), *to;

    fill_fifo(from, 14);
    assert_stat(from, "stat-launches-held", ==, 4);
    save_to(from, file);
    to = load_from(file, "memory-latency=100");
    g_assert_cmphex(qtest_readq(to, STATUS), ==, BUSY | FIFO_FULL);
    assert_stat(to, "stat-launches-held", ==, 4);
    assert_stat(to, "stat-guest-errors", ==, 4);
    qtest_qmp_assert_success(to, "{ 'execute': 'cont' }");
    wait_idle(to, 50000);
    assert_stat(to, "stat-launches", ==, 14);
    for (int i = 0; i < 14; i++) {
        assert_bytes(to, DST + 64 * i, i + 1, 64);
    }
    qtest_quit(from);
    qtest_quit(to);
    unlink(file);
}

static char *capture(const char *const *argv, int *status)
{
    g_autoptr(GError) err = NULL;
    char *text = NULL;

    g_spawn_sync(NULL, (char **)argv, NULL,
                 G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL,
                 NULL, &text, status, &err);
    g_assert_no_error(err);
    return text;
}

/* QEMU with @device must refuse to start and say each of the words. */
static void assert_refused(const char *device, const char *incoming,
                           const char *word1, const char *word2)
{
    const char *argv[] = {
        "timeout", "60", getenv("QTEST_QEMU_BINARY"), "-machine", "virt",
        "-accel", "qtest", "-bios", "none", "-nodefaults", "-m", "32",
        "-display", "none", "-device", device,
        incoming ? "-incoming" : NULL, incoming, NULL
    };
    int status;
    g_autofree char *text = capture(argv, &status);

    g_test_message("%s: %s", device, text);
    /* 124 would be the timeout: it was not refused */
    g_assert_true(WIFEXITED(status));
    g_assert_cmpint(WEXITSTATUS(status), ==, 1);
    g_assert_nonnull(strstr(text, word1));
    g_assert_nonnull(strstr(text, word2));
}

/* State makes sense to the same engine only: the difference is named. */
static void test_migrate_mismatch(void)
{
    g_autofree char *file = g_strdup_printf("%s/idma-%d.mig", g_get_tmp_dir(),
                                            getpid());
    g_autofree char *uri = g_strdup_printf("file:%s", file);
    QTestState *qts = start("n-speculation=4");

    desc_put(qts, DESCS, 4096, PLAIN, ONES, SRC, DST);
    launch(qts, DESCS);
    cycles(qts, 100);
    save_to(qts, file);
    qtest_quit(qts);
    assert_refused("idma-desc64,id=dma0,n-speculation=8", uri,
                   "n-speculation", "is 8, but 4");
    assert_refused("idma-desc64,id=dma0,clock-frequency=100000000", uri,
                   "clock-frequency", "is 100000000, but 50000000");
    assert_refused("idma-desc64,id=dma0,timing=cycle", uri, "timing",
                   "is cycle, but functional");
    assert_refused("idma-desc64,id=dma0,control=on", uri, "control",
                   "is on, but off");
    unlink(file);
}

static void fuzz_heal(QTestState *qts);

/* Feed a machine that waits for one with a stream; true if it is taken */
static bool feed(QTestState *qts, const char *file, const char *uri,
                 const char *stream, size_t size)
{
    g_autofree char *status = NULL;

    g_assert_true(g_file_set_contents(file, stream, size, NULL));
    qtest_qmp_assert_success(qts, "{ 'execute': 'migrate-incoming', "
                             "'arguments': { 'uri': %s, "
                             "'exit-on-error': false } }", uri);
    do {
        QDict *rsp;

        g_usleep(1000);
        rsp = qtest_qmp_assert_success_ref(qts,
                                           "{ 'execute': 'query-migrate' }");
        g_free(status);
        status = g_strdup(qdict_get_try_str(rsp, "status") ?: "none");
        qobject_unref(rsp);
    } while (strcmp(status, "completed") && strcmp(status, "failed"));

    return !strcmp(status, "completed");
}

/*
 * A stream that ends in the middle of the device is refused, and what had come
 * of it by then is not in the engine.
 */
static void test_migrate_cut(void)
{
    g_autofree char *file = g_strdup_printf("%s/idma-%d.mig", g_get_tmp_dir(),
                                            getpid());
    g_autofree char *uri = g_strdup_printf("file:%s", file);
    g_autofree char *dev = machine_args(NULL);
    g_autofree char *args = g_strdup_printf("%s -incoming defer", dev);
    g_autofree char *good = NULL;
    /* the engine's words end before the place; the last fields come after it */
    const size_t cuts[] = { 1, 16, 100, 300, 8 * IDMA_ENGINE_STATE_WORDS / 2,
                            8 * IDMA_ENGINE_STATE_WORDS + 300 };
    size_t size, at;
    QTestState *qts = qtest_init(dev);
    Chain c;

    chain_put(qts, &c, DESCS, 51);
    launch(qts, DESCS);
    cycles(qts, 300);
    g_assert_true(busy(qts));
    save_to(qts, file);
    qtest_quit(qts);
    g_assert_true(g_file_get_contents(file, &good, &size, NULL));
    for (at = 0; memcmp(good + at, "\x0bidma-desc64", 12); at++) {
        g_assert_cmpuint(at + 12, <, size);
    }
    at += 12;

    for (int i = 0; i < ARRAY_SIZE(cuts); i++) {
        g_assert_cmpuint(at + cuts[i], <, size);
        qts = qtest_init(args);
        g_assert_false(feed(qts, file, uri, good, at + cuts[i]));
        g_assert_false(busy(qts));
        assert_stat(qts, "stat-launches", ==, 0);
        qtest_system_reset(qts);
        g_assert_false(busy(qts));
        qtest_quit(qts);
    }
    /* what was cut was a good one */
    qts = qtest_init(args);
    g_assert_true(feed(qts, file, uri, good, size));
    g_assert_true(busy(qts));
    assert_stat(qts, "stat-launches", ==, 1);
    qtest_quit(qts);
    g_free(c.data);
    unlink(file);
}

/*
 * A stream that was tampered with is refused, or leaves an engine that can be
 * run and reset; it never hurts QEMU.
 */
static void test_migrate_corrupt(void)
{
    g_autofree char *file = g_strdup_printf("%s/idma-%d.mig", g_get_tmp_dir(),
                                            getpid());
    g_autofree char *uri = g_strdup_printf("file:%s", file);
    g_autofree char *dev = machine_args("delay-irq-cycles=500");
    g_autofree char *args = g_strdup_printf("%s -incoming defer", dev);
    g_autofree char *good = NULL, *bad = NULL;
    const char *env = getenv("IDMA_FUZZ_SEED");
    uint32_t seed = env ? g_ascii_strtoull(env, NULL, 0) : g_random_int();
    GRand *r = g_rand_new_with_seed(seed);
    /* parameters and faults, some 300 bytes, come before the words */
    const size_t state = 8 * IDMA_ENGINE_STATE_WORDS + 300;
    size_t size, at;
    unsigned refused = 0, loaded = 0;
    QTestState *qts = start("delay-irq-cycles=500");
    Chain c;

    g_test_message("IDMA_FUZZ_SEED=%" PRIu32, seed);
    chain_put(qts, &c, DESCS, 51);
    for (int i = 0; i < 14; i++) {
        launch(qts, DESCS);
    }
    cycles(qts, 3000);
    save_to(qts, file);
    qtest_quit(qts);
    g_assert_true(g_file_get_contents(file, &good, &size, NULL));
    /* the section's name with its length; the device tree has it, too */
    for (at = 0; memcmp(good + at, "\x0bidma-desc64", 12); at++) {
        g_assert_cmpuint(at + 12 + state, <, size);
    }
    at += 12;
    bad = g_malloc(size);

    for (int i = 0; i < 24; i++) {
        memcpy(bad, good, size);
        for (int n = g_rand_int_range(r, 1, 6); n; n--) {
            /* what comes first is what decides most */
            size_t pos = at + g_rand_int_range(r, 0, g_rand_boolean(r)
                                                     ? 800 : state);

            bad[pos] = g_rand_boolean(r) ? g_rand_int(r) : 0xff;
        }
        qts = qtest_init(args);
        if (feed(qts, file, uri, bad, size)) {
            loaded++;
            qtest_qmp_assert_success(qts, "{ 'execute': 'cont' }");
            for (int n = 0; n < 10; n++) {
                qtest_readq(qts, STATUS);
                launch(qts, DESCS);
                cycles(qts, 1000);
            }
            fuzz_heal(qts);
            /* the clock may have come from anywhere: is it alive at all? */
            qtest_readq(qts, STATUS);
        } else {
            refused++;
        }
        qtest_quit(qts);
    }
    g_test_message("refused %u, loaded %u", refused, loaded);
    g_assert_cmpuint(refused, >, 0);
    g_rand_free(r);
    g_free(c.data);
    unlink(file);
}

static void job_wait(QTestState *qts, const char *id)
{
    for (;;) {
        QDict *rsp = qtest_qmp(qts, "{ 'execute': 'query-jobs' }");
        QListEntry *e;
        bool concluded = false;

        QLIST_FOREACH_ENTRY(qdict_get_qlist(rsp, "return"), e) {
            QDict *job = qobject_to(QDict, qlist_entry_obj(e));

            if (!strcmp(qdict_get_str(job, "id"), id) &&
                !strcmp(qdict_get_str(job, "status"), "concluded")) {
                g_assert_cmpstr(qdict_get_try_str(job, "error"), ==, NULL);
                concluded = true;
            }
        }
        qobject_unref(rsp);
        if (concluded) {
            break;
        }
        g_usleep(1000);
    }
    qtest_qmp_assert_success(qts, "{ 'execute': 'job-dismiss', "
                             "'arguments': { 'id': %s } }", id);
}

/* savevm in the middle of a chain, go on, loadvm, go on: twice the same */
static void test_snapshot(void)
{
    g_autofree char *file = g_strdup_printf("%s/idma-%d.qcow2",
                                            g_get_tmp_dir(), getpid());
    QTestState *qts = start(NULL);
    uint64_t busy_cycles;
    Chain c;
    int done;

    qtest_qmp_assert_success(qts, "{ 'execute': 'blockdev-create', "
        "'arguments': { 'job-id': 'j', 'options': { 'driver': 'file', "
        "'filename': %s, 'size': 0 } } }", file);
    job_wait(qts, "j");
    qtest_qmp_assert_success(qts, "{ 'execute': 'blockdev-add', "
        "'arguments': { 'driver': 'file', 'node-name': 'f', 'filename': %s } }",
        file);
    qtest_qmp_assert_success(qts, "{ 'execute': 'blockdev-create', "
        "'arguments': { 'job-id': 'j', 'options': { 'driver': 'qcow2', "
        "'file': 'f', 'size': 1048576 } } }");
    job_wait(qts, "j");
    qtest_qmp_assert_success(qts, "{ 'execute': 'blockdev-add', "
        "'arguments': { 'driver': 'qcow2', 'node-name': 'q', 'file': 'f' } }");

    chain_put(qts, &c, DESCS, 31);
    launch(qts, DESCS);
    cycles(qts, 3000);
    done = chain_marks(qts, DESCS);
    g_assert_cmpint(done, <, CHAIN);
    qtest_qmp_assert_success(qts, "{ 'execute': 'snapshot-save', "
        "'arguments': { 'job-id': 'j', 'tag': 's', 'vmstate': 'q', "
        "'devices': [ 'q' ] } }");
    job_wait(qts, "j");
    wait_idle(qts, 200000);
    chain_assert_done(qts, &c, DESCS, 0, CHAIN - 1);
    busy_cycles = stat_get(qts, "stat-busy-cycles");

    /* something else is going on when the past comes back */
    fault_set(qts, "drop-irq-every", 1);
    desc_put(qts, DESCS + 0x9000, 8192, PLAIN, ONES, SRC, DST);
    launch(qts, DESCS + 0x9000);
    cycles(qts, 200);
    qtest_qmp_assert_success(qts, "{ 'execute': 'stop' }");
    qtest_qmp_assert_success(qts, "{ 'execute': 'snapshot-load', "
        "'arguments': { 'job-id': 'j', 'tag': 's', 'vmstate': 'q', "
        "'devices': [ 'q' ] } }");
    job_wait(qts, "j");
    g_assert_cmpint(chain_marks(qts, DESCS), ==, done);
    assert_stat(qts, "drop-irq-every", ==, 0);
    /*
     * The clock of a qtest machine does not go back: the engine is behind
     * now, and catches up in its own time.
     */
    qtest_qmp_assert_success(qts, "{ 'execute': 'cont' }");
    wait_idle(qts, 200000);
    chain_assert_done(qts, &c, DESCS, 0, CHAIN - 1);
    assert_stat(qts, "stat-launches", ==, 1);
    assert_stat(qts, "stat-irqs", ==, CHAIN);
    assert_stat(qts, "stat-busy-cycles", ==, busy_cycles);
    assert_works(qts, 32);
    g_free(c.data);
    qtest_quit(qts);
    unlink(file);
}

/*
 * Properties
 */

static void test_bad_properties(void)
{
    static const char *const bad[][3] = {
        { "n-speculation=65", "'n-speculation'", "0..64" },
        { "input-fifo-depth=0", "'input-fifo-depth'", "1..64" },
        { "pending-fifo-depth=65", "'pending-fifo-depth'", "1..64" },
        { "num-ax-in-flight=0", "'num-ax-in-flight'", "..64" },
        { "buffer-depth=1", "'buffer-depth'", "2..64" },
        { "memory-latency=1001", "'memory-latency'", "0..1000" },
        { "memory-latency=5,write-latency=6", "'write-latency'",
          "memory-model=direct" },
        { "memory-model=fast", "'memory-model'", "cuts or direct" },
        { "memory-reads=513", "'memory-reads'", "0..512" },
        { "memory-writes=513", "'memory-writes'", "0..512" },
        { "read-interval=0", "'read-interval'", "1..256" },
        { "write-interval=257", "'write-interval'", "1..256" },
        { "max-burst-beats=3", "'max-burst-beats'", "1..256" },
        { "axi-id-bits=9", "'axi-id-bits'", "1..8" },
        { "clock-frequency=999", "'clock-frequency'", "1000 to 4000000000" },
        { "clock-frequency=4000000001", "'clock-frequency'",
          "1000 to 4000000000" },
        { "quantum=1000001", "'quantum'", "0 to 1000000" },
        { "timing=fast", "'timing'", "functional or cycle" },
        { "dma-channels=0", "'dma-channels'", "1 to 256" },
        { "dma-channels=257", "'dma-channels'", "1 to 256" },
        { "input-slots=65", "'input-slots'", "0 to 64" },
        { "pending-slots=1025", "'pending-slots'", "0 to 1024" },
        { "compatible=", "'compatible'", "empty" },
        { "drop-irq-nth=-1", "'drop-irq-nth'", "9223372036854775807" },
        { "drop-irq-every=often", "'drop-irq-every'", "integer" },
        { "delay-cycles=0x100000000", "'delay-cycles'", "4294967295" },
        { "delay-irq-cycles=0x100000000", "'delay-irq-cycles'",
          "4294967295" },
        { "delay-guess-cycles=0x100000000", "'delay-guess-cycles'",
          "4294967295" },
        { "stuck-busy=2", "'stuck-busy'", "'on' or 'off'" },
        { "error-response=okay", "'error-response'", "slverr or decerr" },
        { "fifo-full=explode", "'fifo-full'", "hold or lose" },
        { "stat-irqs=1", "stat-irqs", "not writable" },
        { "no-such-property=1", "no-such-property", "not found" },
    };

    for (int i = 0; i < ARRAY_SIZE(bad); i++) {
        g_autofree char *device = g_strdup_printf("idma-desc64,%s", bad[i][0]);

        assert_refused(device, NULL, bad[i][1], bad[i][2]);
    }
}

static bool qom_set_fails(QTestState *qts, const char *name, const char *json)
{
    g_autofree char *cmd = g_strdup_printf(
        "{ 'execute': 'qom-set', 'arguments': { 'path': '%s', "
        "'property': '%s', 'value': %s } }", DEV_PATH, name, json);
    QDict *rsp = qtest_qmp(qts, cmd, NULL);
    bool failed = qdict_haskey(rsp, "error");

    qobject_unref(rsp);
    return failed;
}

static void test_properties_at_run_time(void)
{
    QTestState *qts = start(NULL);

    /* what synthesis fixes stays fixed, what is measured cannot be set */
    g_assert_true(qom_set_fails(qts, "n-speculation", "2"));
    g_assert_true(qom_set_fails(qts, "timing", "'functional'"));
    g_assert_true(qom_set_fails(qts, "memory-model", "'direct'"));
    g_assert_true(qom_set_fails(qts, "fifo-full", "'lose'"));
    g_assert_true(qom_set_fails(qts, "clock-frequency", "1000000"));
    g_assert_true(qom_set_fails(qts, "stat-bytes", "0"));
    /* a bad value leaves the good one alone */
    fault_set(qts, "delay-cycles", 17);
    g_assert_true(qom_set_fails(qts, "delay-cycles", "4294967296"));
    g_assert_true(qom_set_fails(qts, "delay-cycles", "'x'"));
    g_assert_true(qom_set_fails(qts, "stuck-busy", "3"));
    assert_stat(qts, "delay-cycles", ==, 17);
    g_assert_false(qom_set_fails(qts, "error-response", "'decerr'"));
    assert_works(qts, 41);
    qtest_quit(qts);
}

/* Every RTL parameter makes an engine that works. */
static void test_parameters(void)
{
    static const char *const props[] = {
        "n-speculation=0", "n-speculation=1", "n-speculation=64",
        "input-fifo-depth=1", "input-fifo-depth=64", "pending-fifo-depth=1",
        "pending-fifo-depth=64", "num-ax-in-flight=2", "num-ax-in-flight=64",
        "buffer-depth=2", "buffer-depth=64", "memory-latency=0",
        "memory-latency=1000", "memory-model=direct",
        "memory-model=direct,memory-latency=3,write-latency=40",
        "memory-reads=1", "memory-reads=512,memory-writes=512",
        "memory-writes=2,lossless=on", "read-interval=3,lossless=on",
        "write-interval=3", "read-interval=9,write-interval=16,lossless=on",
        "max-burst-beats=1", "max-burst-beats=16", "axi-id-bits=1",
        "axi-id-bits=8", "clock-frequency=1000", "clock-frequency=4000000000",
    };

    for (int i = 0; i < ARRAY_SIZE(props); i++) {
        QTestState *qts = start(props[i]);
        uint64_t hz = stat_get(qts, "clock-frequency");
        Chain c;

        chain_put(qts, &c, DESCS, i);
        launch(qts, DESCS);
        for (int n = 0; busy(qts); n++) {
            g_assert_cmpint(n, <, 100);
            qtest_clock_step(qts, 10000ull * 1000000000 / hz);
        }
        chain_assert_done(qts, &c, DESCS, 0, CHAIN - 1);
        g_free(c.data);
        qtest_quit(qts);
    }
}

/*
 * The node in the device tree.  There is no library for it here; the format
 * is simple: big-endian words, 1 begins a node, 2 ends it, 3 is a property.
 */
static GHashTable *fdt_node(const uint8_t *fdt, const char *name)
{
    const uint8_t *p = fdt + ldl_be_p(fdt + 8);
    const char *strings = (const char *)fdt + ldl_be_p(fdt + 12);
    GHashTable *props = NULL;

    for (;;) {
        uint32_t token = ldl_be_p(p);

        p += 4;
        if (token == 1) {
            if (!strcmp((const char *)p, name)) {
                props = g_hash_table_new_full(g_str_hash, g_str_equal, NULL,
                                              (GDestroyNotify)g_bytes_unref);
            }
            p += QEMU_ALIGN_UP(strlen((const char *)p) + 1, 4);
        } else if (token == 3) {
            uint32_t len = ldl_be_p(p);

            if (props) {
                g_hash_table_insert(props,
                                    (char *)strings + ldl_be_p(p + 4),
                                    g_bytes_new(p + 8, len));
            }
            p += 8 + QEMU_ALIGN_UP(len, 4);
        } else if (token != 4 && (token == 9 || props)) {
            return props;
        }
    }
}

static void assert_cells(GHashTable *node, const char *name, int n,
                         uint32_t a, uint32_t b)
{
    GBytes *value = g_hash_table_lookup(node, name);
    const uint8_t *p;

    g_assert_nonnull(value);
    g_assert_cmpuint(g_bytes_get_size(value), ==, 4 * n);
    p = g_bytes_get_data(value, NULL);
    if (n > 0) {
        g_assert_cmphex((uint32_t)ldl_be_p(p), ==, a);
    }
    if (n > 1) {
        g_assert_cmphex((uint32_t)ldl_be_p(p + 4), ==, b);
    }
}

static void assert_string(GHashTable *node, const char *name, const char *want)
{
    GBytes *value = g_hash_table_lookup(node, name);

    g_assert_nonnull(value);
    g_assert_cmpmem(g_bytes_get_data(value, NULL), g_bytes_get_size(value),
                    want, strlen(want) + 1);
}

static void test_device_tree(void)
{
    static const char *const aia[] = { "none", "aplic", "aplic-imsic" };
    g_autofree char *file = g_strdup_printf("%s/idma-%d.dtb", g_get_tmp_dir(),
                                            getpid());

    for (int i = 0; i < ARRAY_SIZE(aia); i++) {
        g_autofree char *machine = g_strdup_printf("virt,aia=%s,dumpdtb=%s",
                                                   aia[i], file);
        const char *argv[] = {
            getenv("QTEST_QEMU_BINARY"), "-machine", machine, "-accel",
            "qtest", "-bios", "none", "-nodefaults", "-display", "none",
            "-device", "idma-desc64", "-device",
            "idma-desc64,compatible=eth,,idma-desc,dma-channels=3,"
            "input-fifo-depth=4,pending-slots=5,dma-coherent=off,control=on",
            NULL
        };
        g_autofree char *fdt = NULL;
        g_autofree char *text = NULL;
        GHashTable *node;
        int status;
        int cells = i == 0 ? 1 : 2;     /* the APLIC's second: rising edge */

        text = capture(argv, &status);
        g_assert_cmpint(status, ==, 0);
        g_assert_true(g_file_get_contents(file, &fdt, NULL, NULL));
        g_assert_cmphex((uint32_t)ldl_be_p(fdt), ==, 0xd00dfeed);

        node = fdt_node((uint8_t *)fdt, "dma-controller@0");
        g_assert_nonnull(node);
        assert_string(node, "compatible", "eth,idma-desc64");
        assert_cells(node, "reg", 2, 0, 0x1000);
        assert_cells(node, "interrupts", cells, DEV_IRQ, 1);
        assert_cells(node, "#dma-cells", 1, 1, 0);
        assert_cells(node, "dma-channels", 1, 8, 0);
        assert_cells(node, "eth,input-slots", 1, 8, 0);
        assert_cells(node, "dma-coherent", 0, 0, 0);
        g_assert_false(g_hash_table_contains(node, "eth,pending-slots"));
        g_assert_false(g_hash_table_contains(node, "dma-noncoherent"));
        g_assert_false(g_hash_table_contains(node, "clocks"));
        g_hash_table_unref(node);

        node = fdt_node((uint8_t *)fdt, "dma-controller@1000");
        g_assert_nonnull(node);
        assert_string(node, "compatible", "eth,idma-desc");
        assert_cells(node, "reg", 2, 0x1000, 0x1000);
        assert_cells(node, "interrupts", cells, DEV_IRQ + 1, 1);
        assert_cells(node, "dma-channels", 1, 3, 0);
        assert_cells(node, "eth,input-slots", 1, 4, 0);
        assert_cells(node, "eth,pending-slots", 1, 5, 0);
        assert_cells(node, "dma-noncoherent", 0, 0, 0);
        g_assert_false(g_hash_table_contains(node, "dma-coherent"));
        g_assert_true(g_hash_table_contains(node, "clocks"));
        g_assert_true(g_hash_table_contains(node, "resets"));
        g_hash_table_unref(node);

        node = fdt_node((uint8_t *)fdt, "reset-controller@2000");
        g_assert_nonnull(node);
        assert_string(node, "compatible", "snps,dw-high-reset");
        assert_cells(node, "reg", 2, 0x2000, 4);
        g_hash_table_unref(node);
        node = fdt_node((uint8_t *)fdt, "gpio@2004");
        g_assert_nonnull(node);
        assert_cells(node, "reg", 2, 0x2004, 4);
        g_hash_table_unref(node);
        node = fdt_node((uint8_t *)fdt, "idma-clock-2000");
        g_assert_nonnull(node);
        assert_string(node, "compatible", "gpio-gate-clock");
        g_hash_table_unref(node);
        unlink(file);
    }
}

/*
 * Random registers, descriptors, faults and resets.  After each round the
 * device is reset and must work.
 */

static const char *const fuzz_faults[] = {
    "drop-irq-nth", "drop-irq-every", "delay-irq-cycles", "hang-from-desc",
    "skip-write-nth", "skip-write-every", "delay-cycles",
    "delay-guess-cycles", "error-read-size", "error-write-size",
    "error-fetch-size", "error-mark-size", "error-read-nth",
    "error-write-every",
};

static uint64_t fuzz_addr(GRand *r)
{
    uint64_t any = (uint64_t)g_rand_int(r) << 32 | g_rand_int(r);

    switch (g_rand_int_range(r, 0, 16)) {
    case 0:
        return any;
    case 1:
        return -(any & 0xfff);              /* wraps */
    case 2:
        return any & 0x3f;                  /* around 0 */
    case 3:
        return DEV_BASE + (any & 0x3f);     /* itself */
    case 4:
        return RAM_BASE + RAM_SIZE - (any & 0xfff);
    case 5:
        return (any & 0xffffffffff) | 1ull << 50;   /* nowhere */
    case 6:
    case 7:
        return RAM_BASE + any % RAM_SIZE;
    default:
        return DESCS + (any & 0x3ff) * 32;
    }
}

static uint32_t fuzz_len(GRand *r)
{
    switch (g_rand_int_range(r, 0, 8)) {
    case 0:
        return g_rand_int(r);
    case 1:
        return ~0u;
    case 2:
        return 0;
    case 3:
        return g_rand_int_range(r, 1, 100000);
    default:
        return g_rand_int_range(r, 1, 600);
    }
}

static void fuzz_step(QTestState *qts, GRand *r)
{
    uint64_t at = DESCS + g_rand_int_range(r, 0, 1024) * 32;
    uint64_t reg = DEV_BASE + (g_rand_int_range(r, 0, 8)
                               ? g_rand_int_range(r, 0, 16)
                               : g_rand_int_range(r, 0, 0x1000));
    uint64_t head = g_rand_boolean(r) ? at : fuzz_addr(r);
    const char *fault;

    switch (g_rand_int_range(r, 0, 32)) {
    case 0 ... 11:
        desc_put(qts, at, fuzz_len(r),
                 g_rand_boolean(r) ? PLAIN : g_rand_int(r),
                 g_rand_int_range(r, 0, 3) ? at + 32 : fuzz_addr(r),
                 fuzz_addr(r), fuzz_addr(r));
        break;
    case 12 ... 17:
        launch(qts, head);
        break;
    case 18:
        qtest_writel(qts, reg & ~3ull, head >> (reg & 4 ? 32 : 0));
        break;
    case 19:
        qtest_writeb(qts, reg, head);
        break;
    case 20:
        qtest_writew(qts, reg, head);
        break;
    case 21:
        qtest_writeq(qts, reg, head);
        break;
    case 22:
        qtest_readq(qts, reg);
        qtest_readl(qts, reg);
        qtest_readb(qts, reg);
        break;
    case 23:
        fault = fuzz_faults[g_rand_int_range(r, 0, ARRAY_SIZE(fuzz_faults))];
        fault_set(qts, fault, g_rand_boolean(r)
                              ? g_rand_int_range(r, 0, 5) : g_rand_int(r));
        break;
    case 24:
        qtest_qom_set_bool(qts, DEV_PATH, g_rand_boolean(r)
                           ? "stuck-busy" : "error-keep-data",
                           g_rand_boolean(r));
        break;
    default:
        cycles(qts, g_rand_int_range(r, 1, 3000));
        break;
    }
}

static void fuzz_heal(QTestState *qts)
{
    for (int i = 0; i < ARRAY_SIZE(fuzz_faults); i++) {
        fault_set(qts, fuzz_faults[i], 0);
    }
    qtest_qom_set_bool(qts, DEV_PATH, "stuck-busy", false);
    qtest_qom_set_bool(qts, DEV_PATH, "error-keep-data", false);
    qtest_system_reset(qts);
}

static void test_fuzz(void)
{
    static const char *const props[] = {
        NULL, "n-speculation=0", "n-speculation=64,pending-fifo-depth=64",
        "memory-latency=100", "clock-frequency=1000000000,memory-latency=0",
        "input-fifo-depth=1,pending-fifo-depth=1,num-ax-in-flight=2,"
        "buffer-depth=2", "fifo-full=lose",
    };
    const char *env = getenv("IDMA_FUZZ_SECONDS");
    double seconds = env ? g_ascii_strtod(env, NULL) : 2;
    uint32_t seed = (env = getenv("IDMA_FUZZ_SEED"))
                    ? g_ascii_strtoull(env, NULL, 0) : g_random_int();
    GRand *r = g_rand_new_with_seed(seed);
    int64_t end = g_get_monotonic_time() + seconds * 1000000;
    unsigned rounds = 0, steps = 0;

    g_test_message("IDMA_FUZZ_SEED=%" PRIu32, seed);
    do {
        QTestState *qts = start(props[rounds % ARRAY_SIZE(props)]);

        /* One round at least, however late it is: it must have launched. */
        for (int n = 0;
             n < 20 && (!n || g_get_monotonic_time() < end); n++) {
            for (int i = 0; i < 200; i++, steps++) {
                fuzz_step(qts, r);
            }
            fuzz_heal(qts);
            assert_works(qts, n);
        }
        assert_stat(qts, "stat-launches", >, 0);
        qtest_quit(qts);
        rounds++;
    } while (g_get_monotonic_time() < end);
    g_test_message("%u steps on %u machines", steps, rounds);
    g_assert_cmpuint(steps, >, 0);
    g_rand_free(r);
}

typedef struct Test {
    const char *name;
    void (*fn)(void);
} Test;

/* What the engine does is tested in both timing modes. */
static const Test tests[] = {
    { "regs/read", test_regs_read },
    { "regs/bad-access", test_regs_bad_access },
    { "regs/halves", test_regs_halves },
    { "transfer/single", test_single },
    { "transfer/chain", test_chain },
    { "transfer/clock", test_clock },
    { "transfer/quantum", test_quantum },
    { "transfer/zero-length", test_zero_length },
    { "transfer/bad-addresses", test_bad_addresses },
    { "transfer/own-registers", test_own_registers },
    { "transfer/two-devices", test_two },
    { "transfer/other-memory", test_memory },
    { "transfer/parameters", test_parameters },
    { "irq", test_irq },
    { "fault/drop-irq", test_drop_irq },
    { "fault/delay-irq", test_delay_irq },
    { "fault/delay-transfer", test_delay_transfer },
    { "fault/hang", test_hang },
    { "fault/skip-write", test_skip_write },
    { "fault/stuck-busy", test_stuck_busy },
    { "fault/bus-errors", test_bus_errors },
    { "fault/stale-guess", test_stale_guess },
    { "fifo-full/hold", test_fifo_full },
    { "fifo-full/lose", test_fifo_full_lose },
    { "fifo-full/depth", test_fifo_depth },
    { "responsive", test_responsive },
    { "icount", test_icount },
    { "reset", test_reset },
    { "control", test_control },
    { "migrate/chain", test_migrate },
    { "migrate/held", test_migrate_held },
    { "migrate/corrupt", test_migrate_corrupt },
    { "migrate/cut", test_migrate_cut },
    { "snapshot", test_snapshot },
    { "fuzz", test_fuzz },
};

/* What has nothing to do with time is tested once. */
static const Test once[] = {
    { "migrate/mismatch", test_migrate_mismatch },
    { "properties/bad", test_bad_properties },
    { "properties/run-time", test_properties_at_run_time },
    { "device-tree", test_device_tree },
};

static void run_functional(const void *data)
{
    timing = "functional";
    ((const Test *)data)->fn();
}

static void run_cycle(const void *data)
{
    timing = "cycle";
    ((const Test *)data)->fn();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);

    for (int i = 0; i < ARRAY_SIZE(tests); i++) {
        g_autofree char *functional =
            g_strdup_printf("/idma-desc64/functional/%s", tests[i].name);
        g_autofree char *cycle =
            g_strdup_printf("/idma-desc64/cycle/%s", tests[i].name);

        qtest_add_data_func(functional, &tests[i], run_functional);
        qtest_add_data_func(cycle, &tests[i], run_cycle);
    }
    for (int i = 0; i < ARRAY_SIZE(once); i++) {
        g_autofree char *name = g_strdup_printf("/idma-desc64/%s",
                                                once[i].name);

        qtest_add_data_func(name, &once[i], run_functional);
    }

    return g_test_run();
}
