/*
 * QTest testcases for the HyperLink device
 *
 * The translation has unit tests of its own; these tests hold what the device
 * adds: registers, loopback, interrupts, two machines on one wire with and
 * without shared memory, a peer that dies or lies, reset, migration.
 *
 * Environment:
 *   HYPERLINK_FUZZ_SEED   seed of what is random (default: random, printed)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/sockets.h"
#include "qemu/units.h"
#include "libqtest.h"
#include "hw/pci/pci_ids.h"
#include "hw/pci/pci_regs.h"
#include "qobject/qdict.h"
#include "qobject/qlist.h"
#include "qobject/qnum.h"
#include "qobject/qstring.h"
#include <sys/mman.h>
#include <sys/un.h>

#define DEV_PATH        "/machine/peripheral/hl"
#define SLOT            3
#define ECAM            (0x30000000ull + (SLOT << 15))
#define REGS            0x40000000ull
#define MSIX            0x40001000ull
#define WINDOW          0x50000000ull
/* Pin A of a slot on virt's PCI bus */
#define IRQ             (32 + SLOT % 4)

#define RAM_BASE        0x80000000ull
#define RAM_SIZE        (32 * MiB)

#define PLIC_BASE       0x0c000000ull
#define PLIC_PRIO(n)    (PLIC_BASE + 4 * (n))
#define PLIC_PENDING(n) (PLIC_BASE + 0x1000 + (n) / 32 * 4)
#define PLIC_ENABLE(n)  (PLIC_BASE + 0x2000 + (n) / 32 * 4)
#define PLIC_CLAIM      (PLIC_BASE + 0x200004)

/* Registers */
#define REV             0x00
#define CTL             0x04
#define CTL_RESET       (1u << 0)
#define CTL_ILOOP       (1u << 1)
#define CTL_STOP        (1u << 2)
#define CTL_INT2CFG     (1u << 7)
#define CTL_INTVEC(v)   ((v) << 8)
#define CTL_INTENABLE   (1u << 13)
#define CTL_INTLOCAL    (1u << 14)
#define STS             0x08
#define STS_LINK        (1u << 0)
#define STS_MPEND       (1u << 1)
#define STS_LERROR      (1u << 7)
#define STS_RERROR      (1u << 8)
#define STS_RPEND       (1u << 11)
#define STS_PLL_UNLOCK  (1u << 12)
#define STS_HALT        (1u << 13)
#define INT_PRI_VEC     0x0c
#define INT_NONE        (1u << 31)
#define INT_CLR         0x10
#define INT_SET         0x14
#define SW_INT          0x18
#define TX_SEL_CTL      0x1c
#define RX_SEL_CTL      0x2c
#define RX_PRIV_IDX     0x30
#define RX_PRIV_VAL     0x34
#define RX_SEG_IDX      0x38
#define RX_SEG_VAL      0x3c
#define CHIP_ID_VER     0x40
#define PWR             0x44
#define ECC_CNTR        0x4c
#define LINK_STS        0x58
#define INT_CTL_IDX     0x60
#define INT_CTL_VAL     0x64
#define INT_CTL_EN      (1u << 31)
#define INT_PTR_IDX     0x68
#define INT_PTR_VAL     0x6c
#define SERDES1         0x70
#define PEER            0x80

/* The windows as the driver has them: 64 segments of 4 MiB */
#define TX_LINUX        11
#define RX_LINUX        6
#define SEG_SPAN        (4 * MiB)

/*
 * One machine
 */

static uint32_t rd(QTestState *q, unsigned reg)
{
    return qtest_readl(q, REGS + reg);
}

static void wr(QTestState *q, unsigned reg, uint32_t value)
{
    qtest_writel(q, REGS + reg, value);
}

static uint64_t qom_get(QTestState *q, const char *path, const char *name)
{
    QDict *rsp = qtest_qmp(q, "{ 'execute': 'qom-get', 'arguments': "
                           "{ 'path': %s, 'property': %s } }", path, name);
    uint64_t value;

    if (!qdict_haskey(rsp, "return")) {
        g_error("no property %s", name);
    }
    value = qnum_get_uint(qobject_to(QNum, qdict_get(rsp, "return")));
    qobject_unref(rsp);
    return value;
}

static uint64_t stat_get(QTestState *q, const char *name)
{
    return qom_get(q, DEV_PATH, name);
}

#define assert_stat(q, name, op, value) \
    g_assert_cmpuint(stat_get(q, name), op, value)

static void prop_set(QTestState *q, const char *name, uint64_t value)
{
    qtest_qmp_assert_success(q, "{ 'execute': 'qom-set', 'arguments': "
                             "{ 'path': %s, 'property': %s, 'value': %" PRIu64
                             "} }", DEV_PATH, name, value);
}

static void pci_up(QTestState *q)
{
    g_assert_cmphex(qtest_readl(q, ECAM), ==, 0x00f51b36);
    qtest_writel(q, ECAM + PCI_BASE_ADDRESS_0, REGS);
    qtest_writel(q, ECAM + PCI_BASE_ADDRESS_2, WINDOW);
    qtest_writel(q, ECAM + PCI_BASE_ADDRESS_3, 0);
    qtest_writel(q, ECAM + PCI_BASE_ADDRESS_4, MSIX);
    qtest_writew(q, ECAM + PCI_COMMAND,
                 PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
}

static QTestState *start(const char *props, const char *more)
{
    QTestState *q = qtest_initf("-machine virt -bios none -nodefaults -m 32 "
                                "%s -device hyperlink,id=hl,addr=%d%s%s",
                                more ?: "", SLOT, props ? "," : "",
                                props ?: "");

    pci_up(q);
    return q;
}

/* What a driver does, but for waiting until the link is up */
static void bring_up(QTestState *q, uint32_t ctl)
{
    wr(q, CTL, ctl | CTL_STOP);
    wr(q, PWR, 0x4);
    wr(q, CTL, ctl);
    wr(q, TX_SEL_CTL, TX_LINUX);
    wr(q, RX_SEL_CTL, RX_LINUX);
    wr(q, SERDES1, 0xffff0000);
}

static QTestState *start_loop(const char *props, const char *more)
{
    QTestState *q = start(props, more);

    bring_up(q, CTL_ILOOP | CTL_INT2CFG);
    qtest_clock_step(q, 30000);
    g_assert_cmphex(rd(q, STS) & (STS_LINK | STS_HALT | STS_PLL_UNLOCK), ==,
                    STS_LINK);
    return q;
}

static void segment(QTestState *q, unsigned i, uint32_t base, unsigned len)
{
    wr(q, RX_SEG_IDX, i);
    wr(q, RX_SEG_VAL, base | len);
}

static void int_ctl(QTestState *q, unsigned i, uint32_t value)
{
    wr(q, INT_CTL_IDX, i);
    wr(q, INT_CTL_VAL, value);
}

static bool line(QTestState *q)
{
    return qtest_readl(q, PLIC_PENDING(IRQ)) >> IRQ % 32 & 1;
}

/*
 * Registers
 */

static void test_reset_values(void)
{
    static const struct {
        unsigned reg;
        uint32_t value;
    } nonzero[] = {
        { REV, 0x4e902101 },
        { STS, 0x00003004 },
        { INT_PRI_VEC, INT_NONE },
    };
    QTestState *q = start(NULL, NULL);

    g_assert_cmphex(qtest_readl(q, ECAM + PCI_CLASS_REVISION), ==, 0x06800001);
    g_assert_cmphex(qtest_readb(q, ECAM + PCI_INTERRUPT_PIN), ==, 1);
    for (unsigned reg = 0; reg < PEER; reg += 4) {
        uint32_t want = 0;

        for (int i = 0; i < ARRAY_SIZE(nonzero); i++) {
            if (nonzero[i].reg == reg) {
                want = nonzero[i].value;
            }
        }
        g_assert_cmphex(rd(q, reg), ==, want);
    }
    assert_stat(q, "stat-guest-errors", ==, 0);
    assert_stat(q, "stat-reads-failed", ==, 0);
    qtest_quit(q);
}

/* Which bits of which register keep what is written to them */
static void test_writable_bits(void)
{
    static const struct {
        unsigned reg;
        uint32_t bits;
    } regs[] = {
        { CTL, 0x7f87 }, { TX_SEL_CTL, 0x000f0f0f }, { RX_SEL_CTL, 0x030f0f0f },
        { RX_PRIV_IDX, 0xf }, { RX_PRIV_VAL, 0xf }, { RX_SEG_IDX, 0x3f },
        { RX_SEG_VAL, 0xffff001f }, { PWR, 0x0077ff07 }, { INT_CTL_IDX, 0xff },
        { INT_CTL_VAL, 0xe000ff1f }, { INT_PTR_IDX, 0xf },
        { INT_PTR_VAL, 0xfffffffc }, { SERDES1, ~0u }, { SERDES1 + 4, ~0u },
        { SERDES1 + 8, ~0u }, { SERDES1 + 12, ~0u },
    };
    static const unsigned fixed[] = {
        REV, 0x20, 0x24, 0x28, CHIP_ID_VER, 0x48, 0x50, 0x54, LINK_STS, 0x5c,
    };
    QTestState *q = start(NULL, NULL);

    for (int i = 0; i < ARRAY_SIZE(regs); i++) {
        for (uint32_t pattern = 0x5aa5c33c; ; pattern = ~pattern) {
            wr(q, regs[i].reg, pattern);
            g_assert_cmphex(rd(q, regs[i].reg), ==, pattern & regs[i].bits);
            if (pattern != 0x5aa5c33c) {
                break;
            }
        }
        wr(q, regs[i].reg, 0);
        g_assert_cmphex(rd(q, regs[i].reg), ==, 0);
    }
    assert_stat(q, "stat-guest-errors", ==, 0);
    for (int i = 0; i < ARRAY_SIZE(fixed); i++) {
        uint32_t before = rd(q, fixed[i]);

        wr(q, fixed[i], ~before);
        g_assert_cmphex(rd(q, fixed[i]), ==, before);
        assert_stat(q, "stat-guest-errors", ==, i + 1);
    }
    qtest_quit(q);
}

/* Tables behind an index and a value */
static void test_tables(void)
{
    static const struct {
        unsigned idx, n;
        uint32_t bits;
    } tables[] = {
        { RX_PRIV_IDX, 16, 0xf }, { RX_SEG_IDX, 64, 0xffff001f },
        { INT_CTL_IDX, 256, 0xe000ff1f }, { INT_PTR_IDX, 16, 0xfffffffc },
    };
    QTestState *q = start(NULL, NULL);

    for (int t = 0; t < ARRAY_SIZE(tables); t++) {
        for (unsigned i = 0; i < tables[t].n; i++) {
            wr(q, tables[t].idx, i);
            wr(q, tables[t].idx + 4, 0x9e3779b9u * (i + 1));
        }
    }
    for (int t = 0; t < ARRAY_SIZE(tables); t++) {
        for (unsigned i = 0; i < tables[t].n; i++) {
            wr(q, tables[t].idx, i);
            g_assert_cmphex(rd(q, tables[t].idx), ==, i);
            g_assert_cmphex(rd(q, tables[t].idx + 4), ==,
                            (0x9e3779b9u * (i + 1)) & tables[t].bits);
        }
    }
    qtest_system_reset(q);
    pci_up(q);
    for (int t = 0; t < ARRAY_SIZE(tables); t++) {
        for (unsigned i = 0; i < tables[t].n; i++) {
            wr(q, tables[t].idx, i);
            g_assert_cmphex(rd(q, tables[t].idx + 4), ==, 0);
        }
    }
    qtest_quit(q);
}

static void test_bad_access(void)
{
    QTestState *q = start(NULL, NULL);
    uint64_t errors = 0;

    wr(q, TX_SEL_CTL, 0x0b);
    g_assert_cmphex(qtest_readb(q, REGS + TX_SEL_CTL), ==, 0);
    assert_stat(q, "stat-guest-errors", ==, ++errors);
    g_assert_cmphex(qtest_readw(q, REGS + TX_SEL_CTL), ==, 0);
    assert_stat(q, "stat-guest-errors", ==, ++errors);
    g_assert_cmphex(qtest_readq(q, REGS + REV), ==, 0);
    assert_stat(q, "stat-guest-errors", ==, ++errors);
    g_assert_cmphex(qtest_readl(q, REGS + REV + 2), ==, 0);
    assert_stat(q, "stat-guest-errors", ==, ++errors);
    qtest_writeb(q, REGS + TX_SEL_CTL, 0xff);
    assert_stat(q, "stat-guest-errors", ==, ++errors);
    qtest_writeq(q, REGS + TX_SEL_CTL - 4, ~0ull);
    assert_stat(q, "stat-guest-errors", ==, ++errors);
    g_assert_cmphex(rd(q, TX_SEL_CTL), ==, 0x0b);
    for (unsigned reg = 0x100; reg < 0x1000; reg = reg * 2 + 4) {
        g_assert_cmphex(rd(q, reg), ==, 0);
        assert_stat(q, "stat-guest-errors", ==, ++errors);
        wr(q, reg, ~0);
        assert_stat(q, "stat-guest-errors", ==, ++errors);
    }
    /* an end of interrupt that is not known, an interrupt not enabled */
    wr(q, SW_INT, 0x1200);
    assert_stat(q, "stat-guest-errors", ==, ++errors);
    wr(q, SW_INT, 5);
    assert_stat(q, "stat-guest-errors", ==, ++errors);
    assert_stat(q, "stat-ints-dropped", ==, 1);
    wr(q, SW_INT, 0xffff);
    wr(q, SW_INT, 0xfe00);
    assert_stat(q, "stat-guest-errors", ==, errors);
    qtest_quit(q);
}

/*
 * The link, in loopback
 */

static void test_bring_up(void)
{
    QTestState *q = start(NULL, NULL);

    wr(q, CTL, CTL_STOP);
    g_assert_cmphex(rd(q, STS), ==, 0x3004);
    wr(q, CTL, CTL_STOP | CTL_ILOOP);
    wr(q, PWR, 0x4);
    wr(q, CTL, CTL_ILOOP);
    qtest_clock_step(q, 1000000);
    /* no SerDes, no clock */
    g_assert_cmphex(rd(q, STS), ==, 0x3004);
    wr(q, SERDES1, 0xffff0000);
    qtest_clock_step(q, 9999);
    g_assert_cmphex(rd(q, STS), ==, 0x3004);
    qtest_clock_step(q, 1);
    g_assert_cmphex(rd(q, STS), ==, 0x0004);
    g_assert_cmphex(rd(q, LINK_STS), ==, 0);
    qtest_clock_step(q, 10000);
    g_assert_cmphex(rd(q, STS), ==, 0x04400005);
    g_assert_cmphex(rd(q, LINK_STS), ==, 0xfdf0bdf0);
    /* the state of the dump: looped back and stopped, link up */
    wr(q, CTL, CTL_ILOOP | CTL_STOP);
    g_assert_cmphex(rd(q, STS), ==, 0x04402005);
    wr(q, CTL, CTL_ILOOP);
    /* one lane */
    wr(q, PWR, 0);
    g_assert_cmphex(rd(q, STS), ==, 0x01100005);
    g_assert_cmphex(rd(q, LINK_STS), ==, 0x55105510);
    wr(q, PWR, 0x4);
    /* the same register, seen from the other side */
    g_assert_cmphex(rd(q, PEER + STS), ==, 0x0440080f);
    g_assert_cmphex(rd(q, PEER + REV), ==, 0x4e902101);
    assert_stat(q, "stat-link-ups", ==, 1);

    wr(q, CTL, CTL_ILOOP | CTL_RESET);
    g_assert_cmphex(rd(q, STS), ==, 0x2004);
    g_assert_cmphex(rd(q, LINK_STS), ==, 0);
    wr(q, CTL, CTL_ILOOP);
    g_assert_cmphex(rd(q, STS), ==, 0x0004);
    qtest_clock_step(q, 10000);
    g_assert_cmphex(rd(q, STS), ==, 0x04400005);
    /* without loopback there is nobody: asked for, so no error */
    wr(q, CTL, 0);
    g_assert_cmphex(rd(q, STS), ==, 0x0004);
    qtest_clock_step(q, 1000000);
    g_assert_cmphex(rd(q, STS), ==, 0x0004);
    wr(q, CTL, CTL_ILOOP);
    qtest_clock_step(q, 10000);
    g_assert_cmphex(rd(q, STS), ==, 0x04400005);
    assert_stat(q, "stat-link-ups", ==, 3);
    assert_stat(q, "stat-link-downs", ==, 2);

    qtest_system_reset(q);
    pci_up(q);
    g_assert_cmphex(rd(q, STS), ==, 0x3004);
    assert_stat(q, "stat-link-downs", ==, 3);
    assert_stat(q, "stat-guest-errors", ==, 0);
    qtest_quit(q);

    q = start("lanes=1,pll-lock-ns=5,train-ns=0", NULL);
    bring_up(q, CTL_ILOOP);
    qtest_clock_step(q, 6);
    g_assert_cmphex(rd(q, STS), ==, 0x01100005);
    qtest_quit(q);
}

static void test_loop_data(void)
{
    QTestState *q = start_loop(NULL, NULL);
    uint64_t at = WINDOW + 5 * SEG_SPAN, ram = RAM_BASE + 0x10000;
    uint8_t buf[256], back[256];

    segment(q, 5, ram, 15);     /* 64 KiB */
    segment(q, 6, ram + 0x100000, 8);   /* 512 bytes */
    for (int i = 0; i < sizeof(buf); i++) {
        buf[i] = 3 * i + 1;
    }
    qtest_memwrite(q, at + 3, buf, sizeof(buf));
    qtest_memread(q, ram + 3, back, sizeof(back));
    g_assert_cmpmem(back, sizeof(back), buf, sizeof(buf));
    qtest_memread(q, at + 3, back, sizeof(back));
    g_assert_cmpmem(back, sizeof(back), buf, sizeof(buf));
    assert_stat(q, "stat-bytes-written", ==, 256);
    assert_stat(q, "stat-bytes-read", ==, 256);

    qtest_writeq(q, at + 0x1000, 0xf8f7f6f5f4f3f2f1);
    g_assert_cmphex(qtest_readq(q, ram + 0x1000), ==, 0xf8f7f6f5f4f3f2f1);
    g_assert_cmphex(qtest_readq(q, at + 0x1000), ==, 0xf8f7f6f5f4f3f2f1);
    qtest_writel(q, at + 0x1000, 0xe4e3e2e1);
    g_assert_cmphex(qtest_readq(q, ram + 0x1000), ==, 0xf8f7f6f5e4e3e2e1);
    g_assert_cmphex(qtest_readl(q, at + 0x1004), ==, 0xf8f7f6f5);
    qtest_writew(q, at + 0x1002, 0xd4d3);
    g_assert_cmphex(qtest_readq(q, ram + 0x1000), ==, 0xf8f7f6f5d4d3e2e1);
    g_assert_cmphex(qtest_readw(q, at + 0x1000), ==, 0xe2e1);
    qtest_writeb(q, at + 0x1007, 0xc8);
    g_assert_cmphex(qtest_readq(q, ram + 0x1000), ==, 0xc8f7f6f5d4d3e2e1);
    g_assert_cmphex(qtest_readb(q, at + 0x1001), ==, 0xe2);

    /* the last word of the segment, and what follows */
    qtest_writeq(q, at + 0xfff8, 0x1111111111111111);
    g_assert_cmphex(qtest_readq(q, ram + 0xfff8), ==, 0x1111111111111111);
    assert_stat(q, "stat-fault-range", ==, 0);
    g_assert_cmphex(rd(q, STS) & STS_LERROR, ==, 0);
    qtest_writeq(q, ram + 0x10000, 0x2222222222222222);
    qtest_writeq(q, at + 0x10000, 0x3333333333333333);
    g_assert_cmphex(qtest_readq(q, ram + 0x10000), ==, 0x2222222222222222);
    g_assert_cmphex(qtest_readq(q, at + 0x10000), ==, ~0ull);
    assert_stat(q, "stat-fault-range", ==, 2);
    assert_stat(q, "stat-in-fault-range", ==, 2);
    assert_stat(q, "stat-writes-dropped", ==, 1);
    assert_stat(q, "stat-reads-failed", ==, 1);
    assert_stat(q, "stat-last-fault", ==, 5 * SEG_SPAN + 0x10000);
    /* the error bit stays until 1 is written to it */
    g_assert_cmphex(rd(q, STS) & STS_LERROR, ==, STS_LERROR);
    wr(q, STS, ~STS_LERROR);
    g_assert_cmphex(rd(q, STS) & STS_LERROR, ==, STS_LERROR);
    wr(q, STS, STS_LERROR);
    g_assert_cmphex(rd(q, STS), ==, 0x04400005);
    qtest_quit(q);
}

/* All that an access can run into, and that it is counted on each side */
static void test_loop_faults(void)
{
    QTestState *q = start_loop(NULL, NULL);
    static const uint32_t no_ram[] = {
        0x40000000,             /* these registers */
        0x50000000,             /* this very window */
        0x30000000,             /* configuration space */
        0x0c000000,             /* the PLIC */
        0x20000000,             /* flash */
        0x10000000,             /* the UART */
        0x00000000,             /* boot ROM, and nothing */
        RAM_BASE + RAM_SIZE,    /* nothing */
        0xffff0000,
    };
    uint64_t fails = 0, target = 0;

    /* no segment */
    g_assert_cmphex(qtest_readl(q, WINDOW), ==, ~0u);
    fails++;
    assert_stat(q, "stat-fault-segment", ==, 1);
    assert_stat(q, "stat-in-fault-segment", ==, 1);
    segment(q, 0, RAM_BASE, 7);
    g_assert_cmphex(qtest_readl(q, WINDOW), ==, ~0u);
    fails++;
    assert_stat(q, "stat-fault-segment", ==, 2);

    for (int i = 0; i < ARRAY_SIZE(no_ram); i++) {
        segment(q, 0, no_ram[i], 15);
        g_assert_cmphex(qtest_readl(q, WINDOW + 0x1000), ==, ~0u);
        qtest_writel(q, WINDOW + 0x1000, 0x12345678);
        fails++;
        target += 2;
        assert_stat(q, "stat-fault-target", ==, target);
        assert_stat(q, "stat-in-fault-target", ==, target);
    }
    assert_stat(q, "stat-writes-dropped", ==, target / 2);

    segment(q, 0, RAM_BASE, 15);
    qtest_writel(q, RAM_BASE, 0x55aa55aa);
    qtest_writew(q, ECAM + PCI_COMMAND, PCI_COMMAND_MEMORY);
    g_assert_cmphex(qtest_readl(q, WINDOW), ==, ~0u);
    fails++;
    assert_stat(q, "stat-fault-master", ==, 1);
    assert_stat(q, "stat-in-fault-master", ==, 1);
    qtest_writew(q, ECAM + PCI_COMMAND,
                 PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
    g_assert_cmphex(qtest_readl(q, WINDOW), ==, 0x55aa55aa);

    wr(q, CTL, CTL_ILOOP | CTL_STOP);
    g_assert_cmphex(qtest_readl(q, WINDOW), ==, ~0u);
    g_assert_cmphex(rd(q, PEER + REV), ==, ~0u);
    fails++;
    assert_stat(q, "stat-fault-stopped", ==, 2);
    wr(q, CTL, CTL_ILOOP);
    g_assert_cmphex(qtest_readl(q, WINDOW), ==, 0x55aa55aa);
    wr(q, CTL, CTL_ILOOP | CTL_RESET);
    g_assert_cmphex(qtest_readl(q, WINDOW), ==, ~0u);
    g_assert_cmphex(rd(q, PEER + REV), ==, ~0u);
    wr(q, PEER + RX_SEL_CTL, 0);
    fails++;
    assert_stat(q, "stat-fault-link", ==, 3);
    assert_stat(q, "stat-in-fault-link", ==, 0);
    assert_stat(q, "stat-writes-dropped", ==, target / 2 + 1);
    assert_stat(q, "stat-reads-failed", ==, fails);
    qtest_quit(q);
}

/* A register of one's own through the peer's, in loopback */
static void test_loop_registers(void)
{
    QTestState *q = start_loop(NULL, NULL);

    wr(q, PEER + RX_SEG_IDX, 9);
    wr(q, PEER + RX_SEG_VAL, 0x80000000 | 15);
    g_assert_cmphex(rd(q, RX_SEG_IDX), ==, 9);
    g_assert_cmphex(rd(q, RX_SEG_VAL), ==, 0x8000000f);
    g_assert_cmphex(rd(q, PEER + RX_SEG_VAL), ==, 0x8000000f);
    wr(q, PEER + INT_SET, 0x10);
    g_assert_cmphex(rd(q, INT_SET), ==, 0x10);
    qtest_quit(q);
}

/* PrivID and security, as the seed's worked example has them */
static void test_overlays(void)
{
    /* 16 segments for each of four PrivIDs; 8 to B lie in RAM here */
    QTestState *q = start_loop("privid-cpu=1", NULL);

    wr(q, TX_SEL_CTL, 11 | 12 << 8);
    wr(q, RX_SEL_CTL, 8 | 12 << 8);
    segment(q, 0x08, RAM_BASE, 23);
    segment(q, 0x18, RAM_BASE + 16 * MiB, 23);
    qtest_writel(q, WINDOW + 0x08000040, 0xc0de0001);
    g_assert_cmphex(qtest_readl(q, RAM_BASE + 16 * MiB + 0x40), ==,
                    0xc0de0001);
    g_assert_cmphex(qtest_readl(q, RAM_BASE + 0x40), ==, 0);
    qtest_quit(q);

    q = start_loop("privid-cpu=0", NULL);
    wr(q, TX_SEL_CTL, 11 | 12 << 8);
    wr(q, RX_SEL_CTL, 8 | 12 << 8);
    segment(q, 0x08, RAM_BASE, 23);
    segment(q, 0x18, RAM_BASE + 16 * MiB, 23);
    qtest_writel(q, WINDOW + 0x08000040, 0xc0de0000);
    g_assert_cmphex(qtest_readl(q, RAM_BASE + 0x40), ==, 0xc0de0000);
    g_assert_cmphex(qtest_readl(q, RAM_BASE + 16 * MiB + 0x40), ==, 0);
    qtest_quit(q);

    /* the secure bit as bit 27: the upper half of the segments */
    q = start_loop("secure-cpu=on", NULL);
    wr(q, TX_SEL_CTL, 10 | 11 << 16);
    wr(q, RX_SEL_CTL, RX_LINUX | 11 << 16 | 1 << 25);
    segment(q, 0x20, RAM_BASE, 15);
    qtest_writel(q, WINDOW + 0x40, 0x5ec00001);
    g_assert_cmphex(qtest_readl(q, RAM_BASE + 0x40), ==, 0x5ec00001);
    qtest_quit(q);
}

/*
 * Interrupts
 */

static void test_interrupts(void)
{
    QTestState *q = start_loop(NULL, NULL);

    qtest_writel(q, PLIC_PRIO(IRQ), 1);
    /* set, priority, clear */
    wr(q, INT_SET, 0x80000a00);
    g_assert_cmphex(rd(q, INT_SET), ==, 0x80000a00);
    g_assert_cmphex(rd(q, INT_CLR), ==, 0x80000a00);
    g_assert_cmphex(rd(q, INT_PRI_VEC), ==, 9);
    g_assert_false(line(q));
    wr(q, CTL, CTL_ILOOP | CTL_INT2CFG | CTL_INTENABLE);
    g_assert_true(line(q));
    wr(q, INT_CLR, 1 << 9);
    g_assert_cmphex(rd(q, INT_PRI_VEC), ==, 11);
    wr(q, INT_PRI_VEC, 11);
    g_assert_cmphex(rd(q, INT_PRI_VEC), ==, 31);
    wr(q, INT_SET, 0);          /* end of interrupt: clears nothing */
    g_assert_cmphex(rd(q, INT_SET), ==, 1u << 31);
    g_assert_true(line(q));
    /* what is left at the end is an interrupt again, also for the PLIC */
    qtest_writel(q, PLIC_ENABLE(IRQ), 1u << IRQ % 32);
    g_assert_cmphex(qtest_readl(q, PLIC_CLAIM), ==, IRQ);
    g_assert_false(line(q));
    wr(q, INT_SET, 0);
    g_assert_true(line(q));
    g_assert_cmphex(rd(q, INT_SET), ==, 1u << 31);
    qtest_writel(q, PLIC_CLAIM, IRQ);
    wr(q, INT_CLR, 0x7fffffff);
    g_assert_cmphex(rd(q, INT_SET), ==, 1u << 31);
    wr(q, INT_CLR, 1u << 31);
    g_assert_cmphex(rd(q, INT_PRI_VEC), ==, INT_NONE);

    /* over the wire and back, which takes its time */
    int_ctl(q, 200, INT_CTL_EN | 3 << 8 | 17);
    wr(q, SW_INT, 200);
    g_assert_cmphex(rd(q, SW_INT), ==, 0);
    qtest_clock_step(q, 709);
    g_assert_cmphex(rd(q, INT_SET), ==, 0);
    qtest_clock_step(q, 1);
    g_assert_cmphex(rd(q, INT_SET), ==, 1 << 17);
    wr(q, INT_CLR, 1 << 17);
    assert_stat(q, "stat-ints-sent", ==, 1);
    assert_stat(q, "stat-ints-received", ==, 1);

    /* kept here */
    wr(q, CTL, CTL_ILOOP | CTL_INT2CFG | CTL_INTENABLE | CTL_INTLOCAL);
    wr(q, SW_INT, 200);
    g_assert_cmphex(rd(q, INT_SET), ==, 1 << 17);
    wr(q, INT_CLR, 1 << 17);
    assert_stat(q, "stat-ints-sent", ==, 1);

    /* through the pointer: a store to RAM, and only there */
    wr(q, CTL, CTL_ILOOP | CTL_INTENABLE);
    wr(q, INT_PTR_IDX, 3);
    wr(q, INT_PTR_VAL, RAM_BASE + 0x2000);
    wr(q, SW_INT, 200);
    qtest_clock_step(q, 1000);
    g_assert_cmphex(rd(q, INT_SET), ==, 0);
    g_assert_cmphex(qtest_readl(q, RAM_BASE + 0x2000), ==, 1 << 17);
    wr(q, INT_PTR_VAL, REGS + RX_SEL_CTL);
    wr(q, SW_INT, 200);
    qtest_clock_step(q, 1000);
    g_assert_cmphex(rd(q, RX_SEL_CTL), ==, RX_LINUX);
    assert_stat(q, "stat-in-fault-target", ==, 1);

    /* no link: dropped, and an error */
    g_assert_cmphex(rd(q, STS) & STS_LERROR, ==, 0);
    wr(q, CTL, CTL_ILOOP | CTL_INTENABLE | CTL_STOP | CTL_INTVEC(6));
    wr(q, SW_INT, 200);
    assert_stat(q, "stat-ints-dropped", ==, 1);
    g_assert_cmphex(rd(q, STS) & STS_LERROR, ==, STS_LERROR);
    g_assert_cmphex(rd(q, INT_SET), ==, 1 << 6);
    qtest_quit(q);
}

/* A message at the first bit, the next after the end of interrupt */
static void test_msix(void)
{
    QTestState *q;
    uint64_t ram = RAM_BASE + 0x3000;
    unsigned cap;

    q = qtest_initf("-machine virt,aia=aplic-imsic -bios none -nodefaults "
                    "-m 32 -device hyperlink,id=hl,addr=%d", SLOT);
    pci_up(q);
    cap = qtest_readb(q, ECAM + PCI_CAPABILITY_LIST);
    g_assert_cmpuint(cap, !=, 0);
    g_assert_cmphex(qtest_readb(q, ECAM + cap), ==, PCI_CAP_ID_MSIX);
    /* one vector */
    g_assert_cmphex(qtest_readw(q, ECAM + cap + 2) & 0x7ff, ==, 0);
    qtest_writel(q, MSIX, ram);
    qtest_writel(q, MSIX + 4, 0);
    qtest_writel(q, MSIX + 8, 0xabcd);
    qtest_writel(q, MSIX + 12, 0);
    qtest_writew(q, ECAM + cap + 2, PCI_MSIX_FLAGS_ENABLE);

    wr(q, CTL, CTL_INTENABLE);
    g_assert_cmphex(qtest_readl(q, ram), ==, 0);
    wr(q, INT_SET, 1);
    g_assert_cmphex(qtest_readl(q, ram), ==, 0xabcd);
    qtest_writel(q, ram, 0);
    wr(q, INT_SET, 2);
    g_assert_cmphex(qtest_readl(q, ram), ==, 0);
    wr(q, INT_CLR, 1);
    wr(q, INT_SET, 0);
    g_assert_cmphex(qtest_readl(q, ram), ==, 0xabcd);
    qtest_writel(q, ram, 0);
    wr(q, INT_CLR, 2);
    wr(q, INT_SET, 0);
    g_assert_cmphex(qtest_readl(q, ram), ==, 0);
    wr(q, INT_SET, 4);
    g_assert_cmphex(qtest_readl(q, ram), ==, 0xabcd);
    qtest_quit(q);
}

static void test_ecc(void)
{
    QTestState *q = start_loop(NULL, NULL);

    prop_set(q, "ecc-single", 3);
    g_assert_cmphex(rd(q, ECC_CNTR), ==, 3 << 16);
    prop_set(q, "ecc-single", 70000);
    g_assert_cmphex(rd(q, ECC_CNTR), ==, 0xffff0000);
    g_assert_cmphex(rd(q, STS), ==, 0x04400005);
    wr(q, ECC_CNTR, 0x1234);
    g_assert_cmphex(rd(q, ECC_CNTR), ==, 0);

    wr(q, CTL, CTL_ILOOP | CTL_INTENABLE | CTL_INTVEC(4));
    prop_set(q, "ecc-double", 1);
    g_assert_cmphex(rd(q, ECC_CNTR), ==, 1);
    g_assert_cmphex(rd(q, STS), ==, STS_LERROR | 4);
    g_assert_cmphex(rd(q, INT_SET), ==, 1 << 4);
    /* only a reset helps */
    wr(q, STS, STS_LERROR);
    qtest_clock_step(q, 1000000);
    g_assert_cmphex(rd(q, STS), ==, 4);
    wr(q, CTL, CTL_ILOOP | CTL_RESET);
    wr(q, CTL, CTL_ILOOP);
    qtest_clock_step(q, 10000);
    g_assert_cmphex(rd(q, STS), ==, 0x04400005);
    qtest_quit(q);
}

/*
 * Two machines
 */

typedef struct Pair {
    char *dir;
    bool shared;
    const char *props;
    QTestState *q[2];
} Pair;

static QTestState *pair_start(Pair *p, int i)
{
    g_autofree char *ram = p->shared ? g_strdup_printf(
        "-object memory-backend-file,id=ram,share=on,size=32M,mem-path=%s/ram%d"
        " -object memory-backend-file,id=peer,share=on,size=32M,"
        "mem-path=%s/ram%d -machine memory-backend=ram", p->dir, i, p->dir, !i)
        : g_strdup("");

    p->q[i] = qtest_initf("-machine virt -bios none -nodefaults -m 32 %s "
                          "-chardev socket,id=wire,path=%s/wire,%s "
                          "-device hyperlink,id=hl,addr=%d,peer=wire%s%s%s",
                          ram, p->dir, i ? "reconnect-ms=20"
                                         : "server=on,wait=off", SLOT,
                          p->shared ? ",peer-mem=peer" : "",
                          p->props ? "," : "", p->props ?: "");
    pci_up(p->q[i]);
    return p->q[i];
}

static Pair *pair_new(bool shared, const char *props)
{
    Pair *p = g_new0(Pair, 1);

    p->dir = g_dir_make_tmp("hyperlink-XXXXXX", NULL);
    p->shared = shared;
    p->props = props;
    pair_start(p, 0);
    pair_start(p, 1);
    return p;
}

static void pair_free(Pair *p)
{
    /* the client first, or it would complain that the server has gone */
    for (int i = 1; i >= 0; i--) {
        if (p->q[i]) {
            qtest_quit(p->q[i]);
        }
    }
    for (int i = 0; i < 2; i++) {
        g_autofree char *ram = g_strdup_printf("%s/ram%d", p->dir, i);

        unlink(ram);
    }
    g_autofree char *wire = g_strdup_printf("%s/wire", p->dir);

    unlink(wire);
    rmdir(p->dir);
    g_free(p->dir);
    g_free(p);
}

/*
 * Until (reg & mask) == want. What comes over a socket comes when it comes;
 * the bound is for a test that has failed.
 */
static void wait_reg(QTestState *q, unsigned reg, uint32_t mask, uint32_t want)
{
    for (int i = 0; (rd(q, reg) & mask) != want; i++) {
        if (i > 60000) {
            g_error("register 0x%x is 0x%x, waited for 0x%x", reg, rd(q, reg),
                    want);
        }
        g_usleep(1000);
        qtest_clock_step(q, 20000);
    }
}

static void wait_stat(QTestState *q, const char *name, uint64_t at_least)
{
    for (int i = 0; stat_get(q, name) < at_least; i++) {
        if (i > 60000) {
            g_error("%s is %" PRIu64 ", waited for %" PRIu64, name,
                    stat_get(q, name), at_least);
        }
        g_usleep(1000);
        qtest_clock_step(q, 20000);
    }
}

static void pair_up(Pair *p, uint32_t ctl)
{
    for (int i = 0; i < 2; i++) {
        bring_up(p->q[i], ctl);
        qtest_clock_step(p->q[i], 10000);
    }
    for (int i = 0; i < 2; i++) {
        wait_reg(p->q[i], STS, STS_LINK | STS_HALT, STS_LINK);
    }
}

/* Grant, and wait until the other side goes by it */
static void grant(QTestState *q, unsigned i, uint32_t base, unsigned len)
{
    segment(q, i, base, len);
    wait_reg(q, STS, STS_RPEND, 0);
}

static void test_pair_shared(void)
{
    Pair *p = pair_new(true, NULL);
    uint8_t buf[4096], back[4096];

    g_assert_cmphex(rd(p->q[0], STS), ==, 0x3004);
    pair_up(p, CTL_INT2CFG);
    for (int i = 0; i < 2; i++) {
        QTestState *here = p->q[i], *there = p->q[!i];
        uint32_t base = RAM_BASE + 0x100000 * (i + 1);

        g_assert_cmphex(rd(here, STS), ==, 0x04400005);
        g_assert_cmphex(rd(here, LINK_STS), ==, 0xfdf0bdf0);
        grant(there, 63, base, 15);
        for (int n = 0; n < sizeof(buf); n++) {
            buf[n] = 7 * n + i;
        }
        qtest_memwrite(here, WINDOW + 63 * SEG_SPAN + 1, buf, sizeof(buf));
        /* all of it is there: nothing is on its way */
        g_assert_cmphex(rd(here, STS), ==, 0x04400005);
        qtest_memread(there, base + 1, back, sizeof(back));
        g_assert_cmpmem(back, sizeof(back), buf, sizeof(buf));
        qtest_memset(there, base + 0x8000, 0x77, 4096);
        memset(buf, 0x77, sizeof(buf));
        qtest_memread(here, WINDOW + 63 * SEG_SPAN + 0x8000, back,
                      sizeof(back));
        g_assert_cmpmem(back, sizeof(back), buf, sizeof(buf));
        assert_stat(here, "stat-writes-dropped", ==, 0);
        assert_stat(here, "stat-reads-failed", ==, 0);

        /* beyond what is granted: on both sides */
        qtest_writeq(there, base + 0x10000, 0x4444444444444444);
        qtest_writeq(here, WINDOW + 63 * SEG_SPAN + 0x10000, 0x1234);
        g_assert_cmphex(qtest_readq(here, WINDOW + 63 * SEG_SPAN + 0x10000),
                        ==, ~0ull);
        g_assert_cmphex(qtest_readq(there, base + 0x10000), ==,
                        0x4444444444444444);
        assert_stat(here, "stat-fault-range", ==, 2);
        wait_stat(there, "stat-in-fault-range", 2);
        g_assert_cmphex(rd(here, STS) & STS_LERROR, ==, STS_LERROR);
        g_assert_cmphex(rd(there, STS) & STS_LERROR, ==, 0);

        /* revoked: from the confirmation on, for good */
        grant(there, 63, 0, 0);
        g_assert_cmphex(qtest_readq(here, WINDOW + 63 * SEG_SPAN), ==, ~0ull);
        assert_stat(here, "stat-fault-segment", ==, 1);
        /* a segment on what is no RAM */
        grant(there, 63, REGS, 15);
        g_assert_cmphex(qtest_readq(here, WINDOW + 63 * SEG_SPAN), ==, ~0ull);
        assert_stat(here, "stat-fault-target", ==, 1);
        grant(there, 63, RAM_BASE + RAM_SIZE - 0x10000, 21);
        qtest_writeq(here, WINDOW + 63 * SEG_SPAN + 0xfff8, 1);
        assert_stat(here, "stat-fault-target", ==, 1);
        qtest_writeq(here, WINDOW + 63 * SEG_SPAN + 0x10000, 1);
        assert_stat(here, "stat-fault-target", ==, 2);
        wait_stat(there, "stat-in-fault-target", 2);
        /* not a bus master any more */
        qtest_writew(there, ECAM + PCI_COMMAND, PCI_COMMAND_MEMORY);
        wait_reg(there, STS, STS_RPEND, 0);
        qtest_writeq(here, WINDOW + 63 * SEG_SPAN, 1);
        assert_stat(here, "stat-fault-master", ==, 1);
        qtest_writew(there, ECAM + PCI_COMMAND,
                     PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
        /* stopped */
        wr(there, CTL, CTL_STOP | CTL_INT2CFG);
        wait_reg(there, STS, STS_RPEND, 0);
        qtest_writeq(here, WINDOW + 63 * SEG_SPAN, 1);
        assert_stat(here, "stat-fault-stopped", ==, 1);
        g_assert_cmphex(rd(here, STS) & STS_LINK, ==, STS_LINK);
        wr(there, CTL, CTL_INT2CFG);
        wait_reg(there, STS, STS_RPEND, 0);
        qtest_writeq(here, WINDOW + 63 * SEG_SPAN, 1);
        assert_stat(here, "stat-fault-stopped", ==, 1);
        wr(here, STS, STS_LERROR);
    }
    pair_free(p);
}

/* Nothing but the socket: writes get there, reads do not */
static void test_pair_socket(void)
{
    Pair *p = pair_new(false, NULL);
    QTestState *here = p->q[0], *there = p->q[1];

    pair_up(p, CTL_INT2CFG);
    grant(there, 1, RAM_BASE + 0x10000, 15);
    for (int i = 0; i < 100; i++) {
        qtest_writeq(here, WINDOW + SEG_SPAN + 8 * i, i + 1);
    }
    wait_stat(there, "stat-in-writes", 100);
    for (int i = 0; i < 100; i++) {
        g_assert_cmphex(qtest_readq(there, RAM_BASE + 0x10000 + 8 * i), ==,
                        i + 1);
    }
    wait_reg(here, STS, STS_MPEND, 0);
    assert_stat(here, "stat-writes-dropped", ==, 0);
    g_assert_cmphex(rd(here, STS), ==, 0x04400005);

    g_assert_cmphex(qtest_readq(here, WINDOW + SEG_SPAN), ==, ~0ull);
    assert_stat(here, "stat-fault-unshared", ==, 1);
    /* the receiver looks it up */
    qtest_writeq(here, WINDOW + 2 * SEG_SPAN, 1);
    qtest_writeq(here, WINDOW + SEG_SPAN + 0x10000, 1);
    wait_stat(here, "stat-fault-segment", 1);
    wait_stat(here, "stat-fault-range", 1);
    assert_stat(here, "stat-writes-dropped", ==, 2);
    assert_stat(there, "stat-in-fault-segment", ==, 1);
    assert_stat(there, "stat-in-fault-range", ==, 1);
    g_assert_cmphex(rd(here, STS) & STS_LERROR, ==, STS_LERROR);
    g_assert_cmphex(rd(there, STS) & STS_LERROR, ==, 0);
    pair_free(p);
}

static void test_pair_registers(void)
{
    Pair *p = pair_new(true, NULL);
    QTestState *here = p->q[0], *there = p->q[1];

    pair_up(p, CTL_INT2CFG);
    grant(there, 7, RAM_BASE, 15);
    wait_reg(here, PEER + RX_SEG_VAL, ~0u, RAM_BASE | 15);
    g_assert_cmphex(rd(here, PEER + RX_SEG_IDX), ==, 7);
    g_assert_cmphex(rd(here, PEER + REV), ==, 0x4e902101);
    g_assert_cmphex(rd(here, PEER + LINK_STS), ==, 0xfdf0bdf0);

    /* interrupts: both ways to send one */
    int_ctl(here, 4, INT_CTL_EN | 21);
    wr(here, SW_INT, 4);
    wait_reg(there, INT_SET, ~0u, 1 << 21);
    wait_reg(here, PEER + INT_PRI_VEC, ~0u, 21);
    wr(there, INT_CLR, 1 << 21);
    wr(here, PEER + INT_SET, 1 << 5);
    wait_reg(there, INT_SET, ~0u, 1 << 5);
    assert_stat(there, "stat-ints-received", ==, 1);
    assert_stat(there, "stat-peer-register-writes", ==, 1);

    /* not for the peer: what it is granted, and all the rest */
    wr(here, PEER + RX_SEG_VAL, RAM_BASE | 31);
    wr(here, PEER + CTL, CTL_RESET);
    wr(here, PEER + INT_CLR, ~0);
    wr(here, PEER + INT_SET, 0);
    wait_stat(there, "stat-peer-register-writes-refused", 4);
    g_assert_cmphex(rd(there, RX_SEG_VAL), ==, RAM_BASE | 15);
    g_assert_cmphex(rd(there, CTL), ==, CTL_INT2CFG);
    g_assert_cmphex(rd(there, INT_SET), ==, 1 << 5);
    pair_free(p);

    /* as the hardware does it */
    p = pair_new(true, "peer-config=on");
    here = p->q[0];
    there = p->q[1];
    pair_up(p, CTL_INT2CFG);
    wr(here, PEER + RX_SEG_IDX, 2);
    wr(here, PEER + RX_SEG_VAL, (uint32_t)RAM_BASE | 15);
    wait_reg(there, RX_SEG_VAL, ~0u, RAM_BASE | 15);
    g_assert_cmphex(rd(there, RX_SEG_IDX), ==, 2);
    assert_stat(there, "stat-peer-register-writes-refused", ==, 0);
    pair_free(p);
}

static void test_pair_down(void)
{
    Pair *p = pair_new(true, NULL);
    QTestState *here = p->q[0], *there = p->q[1];

    pair_up(p, CTL_INT2CFG | CTL_INTENABLE | CTL_INTVEC(30));
    grant(there, 1, RAM_BASE, 15);
    qtest_writel(here, WINDOW + SEG_SPAN, 0x600df00d);

    /* the other side resets its link: this one has an error */
    wr(there, CTL, CTL_RESET);
    wait_reg(here, STS, STS_LINK, 0);
    g_assert_cmphex(rd(here, STS) & ~STS_RPEND, ==, STS_LERROR | 4);
    g_assert_cmphex(rd(here, LINK_STS), ==, 0);
    g_assert_cmphex(rd(here, INT_SET), ==, 1 << 30);
    g_assert_cmphex(rd(there, STS) & ~STS_RPEND, ==, STS_HALT | 4);
    g_assert_cmphex(qtest_readl(here, WINDOW + SEG_SPAN), ==, ~0u);
    wr(here, INT_CLR, ~0);
    wr(here, STS, STS_LERROR);
    wr(there, CTL, CTL_INT2CFG);
    wait_reg(here, STS, STS_LINK, STS_LINK);
    wait_reg(there, STS, STS_LINK, STS_LINK);
    g_assert_cmphex(qtest_readl(here, WINDOW + SEG_SPAN), ==, 0x600df00d);

    /* beyond repair */
    prop_set(here, "ecc-double", 1);
    g_assert_cmphex(rd(here, STS) & (STS_LINK | STS_LERROR | STS_RERROR), ==,
                    STS_LERROR);
    wait_reg(there, STS, STS_LINK | STS_LERROR | STS_RERROR,
             STS_LERROR | STS_RERROR);
    wr(there, STS, STS_LERROR | STS_RERROR);
    wr(here, CTL, CTL_RESET);
    wr(here, CTL, CTL_INT2CFG);
    wait_reg(here, STS, STS_LINK | STS_LERROR, STS_LINK);
    wait_reg(there, STS, STS_LINK | STS_LERROR, STS_LINK);

    /* a machine that stands still is not written to */
    qtest_qmp_assert_success(there, "{ 'execute': 'stop' }");
    wait_reg(here, STS, STS_LINK, 0);
    qtest_writel(here, WINDOW + SEG_SPAN, 0xbadbad);
    qtest_qmp_assert_success(there, "{ 'execute': 'cont' }");
    wait_reg(here, STS, STS_LINK, STS_LINK);
    g_assert_cmphex(qtest_readl(here, WINDOW + SEG_SPAN), ==, 0x600df00d);
    /* there, nothing has happened */
    g_assert_cmphex(rd(there, STS) & (STS_LINK | STS_LERROR), ==, STS_LINK);
    pair_free(p);
}

/* kill -9, and the other end comes back: whichever it is */
static void test_pair_kill(void)
{
    for (int dead = 0; dead < 2; dead++) {
        Pair *p = pair_new(true, NULL);
        QTestState *here = p->q[!dead];

        pair_up(p, CTL_INT2CFG | CTL_INTENABLE | CTL_INTVEC(30));
        for (int round = 0; round < 3; round++) {
            uint64_t dropped = stat_get(here, "stat-writes-dropped");

            grant(p->q[dead], 1, RAM_BASE + 0x40000, 15);
            qtest_writel(here, WINDOW + SEG_SPAN, 0x11111111);
            g_assert_cmphex(qtest_readl(p->q[dead], RAM_BASE + 0x40000), ==,
                            0x11111111);
            wr(here, STS, STS_LERROR | STS_RERROR);
            wr(here, INT_CLR, ~0);

            qtest_kill_qemu(p->q[dead]);
            qtest_quit(p->q[dead]);
            p->q[dead] = NULL;

            wait_reg(here, STS, STS_LINK, 0);
            g_assert_cmphex(rd(here, STS), ==, STS_LERROR | 4);
            g_assert_cmphex(rd(here, INT_SET), ==, 1 << 30);
            g_assert_cmphex(qtest_readl(here, WINDOW + SEG_SPAN), ==, ~0u);
            g_assert_cmphex(rd(here, PEER + REV), ==, ~0u);
            qtest_writel(here, WINDOW + SEG_SPAN, 0x22222222);
            assert_stat(here, "stat-writes-dropped", ==, dropped + 1);

            pair_start(p, dead);
            qtest_writel(p->q[dead], RAM_BASE + 0x40000, 0);
            bring_up(p->q[dead], CTL_INT2CFG);
            wait_reg(p->q[dead], STS, STS_LINK, STS_LINK);
            wait_reg(here, STS, STS_LINK, STS_LINK);
            /* it has granted nothing so far */
            g_assert_cmphex(qtest_readl(here, WINDOW + SEG_SPAN), ==, ~0u);
        }
        pair_free(p);
    }
}

/*
 * Hostile input
 */

static GRand *fuzz_rand(void)
{
    const char *env = getenv("HYPERLINK_FUZZ_SEED");
    uint32_t seed = env ? g_ascii_strtoull(env, NULL, 0) : g_random_int();

    g_test_message("HYPERLINK_FUZZ_SEED=%" PRIu32, seed);
    return g_rand_new_with_seed(seed);
}

/* A segment anywhere: RAM, devices, this device, nowhere */
static uint32_t fuzz_segment(GRand *r)
{
    static const uint32_t bases[] = {
        RAM_BASE, REGS, WINDOW, 0x30000000, 0x0c000000, 0x10000000, 0,
        RAM_BASE + RAM_SIZE - 0x10000, 0xffff0000,
    };

    return (bases[g_rand_int_range(r, 0, ARRAY_SIZE(bases))] +
            (g_rand_int(r) & 0x00030000)) | (g_rand_int(r) & 0x1f);
}

static void fuzz_window(QTestState *q, GRand *r)
{
    uint64_t at = WINDOW + g_rand_int_range(r, 0, 64) * SEG_SPAN +
                  (g_rand_int(r) & (g_rand_boolean(r) ? 0xfff8 : 0x3ffff8));

    switch (g_rand_int_range(r, 0, 4)) {
    case 0:
        qtest_readq(q, at);
        break;
    case 1:
        qtest_readb(q, at + 5);
        break;
    case 2:
        qtest_writeq(q, at, 0xdead0000dead0000);
        break;
    default:
        qtest_writel(q, at + 4, 0xdead0000);
        break;
    }
}

static void fuzz_register(QTestState *q, GRand *r, unsigned from)
{
    unsigned reg = from + (g_rand_int(r) & 0x7c);
    uint32_t value = g_rand_int(r);

    if (g_rand_int_range(r, 0, 3) == 0) {
        value = 1u << (value & 31);
    }
    switch (reg & 0x7c) {
    case CTL:
        /* mostly in loopback, or little would happen */
        value = (value & ~7u) | CTL_ILOOP;
        if (g_rand_int_range(r, 0, 8) == 0) {
            value ^= g_rand_int(r) & 7;
        }
        break;
    case RX_SEG_VAL:
        value = fuzz_segment(r);
        break;
    case INT_PTR_VAL:
        value = fuzz_segment(r) & ~0x1fu;
        break;
    case INT_CTL_VAL:
        value |= INT_CTL_EN;
        break;
    case RX_SEL_CTL:
        value = g_rand_boolean(r) ? RX_LINUX : value;
        break;
    }
    if (g_rand_int_range(r, 0, 20) == 0) {
        qtest_writeq(q, REGS + reg + g_rand_int_range(r, 0, 8), value);
    } else if (g_rand_int_range(r, 0, 4) == 0) {
        rd(q, reg);
    } else {
        wr(q, reg, value);
    }
}

/* Alone with itself: whatever the guest does, QEMU lives, and is sound */
static void test_fuzz_registers(void)
{
    QTestState *q = start("pll-lock-ns=1,train-ns=1", NULL);
    GRand *r = fuzz_rand();

    for (int i = 0; i < 20000; i++) {
        switch (g_rand_int_range(r, 0, 8)) {
        case 0 ... 3:
            fuzz_register(q, r, 0);
            break;
        case 4:
            fuzz_register(q, r, PEER);
            break;
        case 5:
            qtest_clock_step(q, g_rand_int_range(r, 1, 2000));
            break;
        default:
            fuzz_window(q, r);
            break;
        }
    }
    assert_stat(q, "stat-in-fault-target", >, 0);
    assert_stat(q, "stat-in-writes", >, 0);
    qtest_system_reset(q);
    pci_up(q);
    bring_up(q, CTL_ILOOP | CTL_INT2CFG);
    qtest_clock_step(q, 10);
    segment(q, 3, RAM_BASE, 15);
    qtest_writeq(q, WINDOW + 3 * SEG_SPAN, 0x1122334455667788);
    g_assert_cmphex(qtest_readq(q, RAM_BASE), ==, 0x1122334455667788);
    g_rand_free(r);
    qtest_quit(q);
}

static uint8_t *map_ram(Pair *p, int i)
{
    g_autofree char *file = g_strdup_printf("%s/ram%d", p->dir, i);
    int fd = open(file, O_RDWR);
    void *ram;

    g_assert_cmpint(fd, >=, 0);
    ram = mmap(NULL, RAM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    g_assert_true(ram != MAP_FAILED);
    close(fd);
    return ram;
}

/* All but [from, to) has the byte in it */
static void assert_untouched(const uint8_t *ram, uint8_t byte, size_t from,
                             size_t to)
{
    for (size_t i = 0; i < RAM_SIZE; i++) {
        if ((i < from || i >= to) && ram[i] != byte) {
            g_error("byte 0x%zx was touched", i);
        }
    }
}

/* A guest that does what it can to get at more than it was granted */
static void test_fuzz_guest(void)
{
    Pair *p = pair_new(true, "pll-lock-ns=1,train-ns=1");
    QTestState *here = p->q[0], *there = p->q[1];
    const size_t from = 0x120000, to = from + 0x10000;
    uint8_t *ram = map_ram(p, 1);
    GRand *r = fuzz_rand();

    memset(ram, 0xc7, RAM_SIZE);
    pair_up(p, CTL_INT2CFG);
    for (unsigned i = 0; i < 64; i += 3) {
        segment(there, i, RAM_BASE + from, 15);
    }
    segment(there, 1, REGS, 21);
    segment(there, 2, RAM_BASE + from, 7);
    wait_reg(there, STS, STS_RPEND, 0);
    for (int i = 0; i < 20000; i++) {
        switch (g_rand_int_range(r, 0, 8)) {
        case 0:
            /* not its own loop: the other side is what matters here */
            wr(here, TX_SEL_CTL, g_rand_boolean(r) ? TX_LINUX
                                                   : g_rand_int(r));
            break;
        case 1:
            fuzz_register(here, r, PEER);
            break;
        case 2:
            qtest_clock_step(here, 100);
            break;
        default:
            fuzz_window(here, r);
            break;
        }
    }
    assert_stat(here, "stat-writes", >, 0);
    assert_stat(here, "stat-writes-dropped", >, 0);
    wait_stat(there, "stat-peer-register-writes-refused", 1);
    assert_untouched(ram, 0xc7, from, to);
    g_assert_cmphex(rd(there, CTL), ==, CTL_INT2CFG);
    munmap(ram, RAM_SIZE);
    g_rand_free(r);
    pair_free(p);
}

/*
 * The test itself is the peer, and knows how to talk: enough to get in, and
 * then to lie.
 */
#define MSG_HELLO       1
#define MSG_STATE       2
#define MSG_ACK         3
#define MSG_WRITE       6
#define MSG_DONE        7
#define MSG_FAULT       8
#define MSG_MAX         10

static const unsigned msg_len[MSG_MAX] = {
    0, 48, 24 + 16 + 256 + 128, 8, 8, 8, 16, 8, 16, 0,
};

static int liar_connect(const char *path)
{
    struct sockaddr_un addr = { .sun_family = AF_UNIX };
    struct timeval tv = { .tv_sec = 30 };
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    g_assert_cmpint(fd, >=, 0);
    g_strlcpy(addr.sun_path, path, sizeof(addr.sun_path));
    g_assert_cmpint(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), ==, 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
    return fd;
}

static void liar_put(GByteArray *out, unsigned type, const void *payload)
{
    uint8_t header[8] = { 0 };

    stw_le_p(header, type);
    stl_le_p(header + 4, msg_len[type]);
    g_byte_array_append(out, header, sizeof(header));
    g_byte_array_append(out, payload, msg_len[type]);
}

static void liar_hello(GByteArray *out)
{
    uint8_t p[512] = { 0 };

    stq_le_p(p, 0x4b4e494c52455048ull);
    stl_le_p(p + 8, 1);
    stq_le_p(p + 16, RAM_BASE);
    stq_le_p(p + 24, RAM_SIZE);
    liar_put(out, MSG_HELLO, p);
    memset(p, 0, sizeof(p));
    stq_le_p(p, 1);
    stl_le_p(p + 8, 5);         /* ready, bus master */
    stl_le_p(p + 12, 4);
    liar_put(out, MSG_STATE, p);
}

/* False: cut off. What the device says is read and thrown away. */
static bool liar_send(int fd, GByteArray *out)
{
    size_t done = 0;
    uint8_t buf[4096];

    while (done < out->len) {
        ssize_t n = send(fd, out->data + done, out->len - done,
                         MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n > 0) {
            done += n;
        } else if (errno != EAGAIN) {
            return false;
        }
        do {
            n = recv(fd, buf, sizeof(buf), MSG_DONTWAIT);
        } while (n > 0);
        if (n == 0 || (n < 0 && errno != EAGAIN)) {
            return false;
        }
    }
    return true;
}

static void liar_write(GByteArray *out, uint32_t wire, uint32_t len,
                       uint64_t data)
{
    uint8_t p[16];

    stl_le_p(p, wire);
    stl_le_p(p + 4, len);
    stq_le_p(p + 8, data);
    liar_put(out, MSG_WRITE, p);
}

static void test_fuzz_wire(void)
{
    g_autofree char *dir = g_dir_make_tmp("hyperlink-XXXXXX", NULL);
    g_autofree char *path = g_strdup_printf("%s/wire", dir);
    g_autofree char *more = g_strdup_printf("-chardev socket,id=wire,path=%s,"
                                            "server=on,wait=off", path);
    QTestState *q = start("peer=wire,pll-lock-ns=1,train-ns=1", more);
    const uint32_t granted = RAM_BASE + 0x120000;
    GRand *r = fuzz_rand();
    unsigned cut = 0;
    uint8_t *back = g_malloc(1 * MiB), *want = g_malloc(1 * MiB);

    memset(want, 0xc7, 1 * MiB);
    qtest_memset(q, RAM_BASE, 0xc7, 4 * MiB);
    bring_up(q, CTL_INT2CFG);
    segment(q, 0, granted, 15);
    segment(q, 1, REGS, 31);
    segment(q, 2, granted + 0x10000, 7);

    for (int round = 0; round < 150; round++) {
        g_autoptr(GByteArray) out = g_byte_array_new();
        int fd = liar_connect(path);
        bool open = true;

        if (g_rand_int_range(r, 0, 8)) {
            liar_hello(out);
        }
        for (int n = g_rand_int_range(r, 1, 30); n; n--) {
            unsigned type = g_rand_int_range(r, 1, MSG_MAX);
            uint8_t p[512];

            switch (g_rand_int_range(r, 0, 6)) {
            case 0:         /* noise */
                for (int i = 0; i < msg_len[type]; i++) {
                    p[i] = g_rand_int(r);
                }
                liar_put(out, type, p);
                break;
            case 1:         /* small numbers */
                memset(p, 0, sizeof(p));
                for (int i = 0; i < msg_len[type]; i += 4) {
                    p[i] = g_rand_int_range(r, 0, 40);
                }
                liar_put(out, type, p);
                break;
            default:        /* good writes to anywhere */
                liar_write(out, (g_rand_int(r) & 0x00c3fff8) |
                           (g_rand_int(r) & 0xf0000000 & -(n & 1)), 8,
                           0x1111111111111111);
                break;
            }
        }
        if (g_rand_int_range(r, 0, 3) == 0) {
            for (int n = g_rand_int_range(r, 1, 4); n; n--) {
                out->data[g_rand_int_range(r, 0, out->len)] = g_rand_int(r);
            }
        }
        if (g_rand_int_range(r, 0, 3) == 0) {
            g_byte_array_set_size(out, g_rand_int_range(r, 1, out->len + 1));
        }
        open = liar_send(fd, out);
        qtest_clock_step(q, 100);
        cut += !open;
        close(fd);
        rd(q, STS);
    }
    g_test_message("%u of 150 were cut off while they spoke", cut);
    assert_stat(q, "stat-protocol-errors", >, 0);
    assert_stat(q, "stat-in-writes", >, 0);
    assert_stat(q, "stat-in-fault-segment", >, 0);
    assert_stat(q, "stat-in-fault-target", >, 0);
    for (int i = 0; i < 4; i++) {
        uint64_t base = RAM_BASE + i * MiB;

        qtest_memread(q, base, back, 1 * MiB);
        if (i == 1) {       /* what it was granted */
            memset(back + 0x20000, 0xc7, 0x10000);
        }
        g_assert_cmpmem(back, 1 * MiB, want, 1 * MiB);
    }
    g_assert_cmphex(rd(q, CTL), ==, CTL_INT2CFG);
    wr(q, RX_SEG_IDX, 0);
    g_assert_cmphex(rd(q, RX_SEG_VAL), ==, granted | 15);

    /* and one that is honest is let in */
    {
        g_autoptr(GByteArray) out = g_byte_array_new();
        uint64_t writes = stat_get(q, "stat-in-writes");
        int fd = liar_connect(path);

        liar_hello(out);
        liar_write(out, 0x100, 8, 0x0123456789abcdef);
        g_assert_true(liar_send(fd, out));
        wait_stat(q, "stat-in-writes", writes + 1);
        g_assert_cmphex(qtest_readq(q, granted + 0x100), ==,
                        0x0123456789abcdef);
        wait_reg(q, STS, STS_LINK, STS_LINK);
        close(fd);
        wait_reg(q, STS, STS_LINK, 0);
    }
    g_free(back);
    g_free(want);
    g_rand_free(r);
    qtest_quit(q);
    unlink(path);
    rmdir(dir);
}

/* How many STATEs there are until there has been nothing for a while */
static unsigned liar_states(int fd)
{
    struct timeval tv = { .tv_usec = 300000 };
    unsigned states = 0;
    uint8_t header[8], payload[512];

    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
    while (recv(fd, header, sizeof(header), MSG_WAITALL) == sizeof(header)) {
        uint32_t len = ldl_le_p(header + 4);

        g_assert_cmpuint(len, <=, sizeof(payload));
        g_assert_cmpint(recv(fd, payload, len, MSG_WAITALL), ==, len);
        states += lduw_le_p(header) == MSG_STATE;
        g_assert_cmpuint(states, <, 100);
    }
    return states;
}

/* A side that cannot have a link has nothing to say about a peer's news. */
static void test_quiet_wire(void)
{
    g_autofree char *dir = g_dir_make_tmp("hyperlink-XXXXXX", NULL);
    g_autofree char *path = g_strdup_printf("%s/wire", dir);
    g_autofree char *more = g_strdup_printf("-chardev socket,id=wire,path=%s,"
                                            "server=on,wait=off", path);
    QTestState *q = start("peer=wire", more);
    g_autoptr(GByteArray) out = g_byte_array_new();
    int fd = liar_connect(path);

    liar_hello(out);
    g_assert_cmpint(send(fd, out->data, out->len, 0), ==, out->len);
    g_assert_cmpuint(liar_states(fd), >, 0);
    for (int i = 2; i < 5; i++) {
        uint8_t p[512] = { 0 };

        g_byte_array_set_size(out, 0);
        stq_le_p(p, i);
        stl_le_p(p + 12, 4);
        liar_put(out, MSG_STATE, p);
        g_assert_cmpint(send(fd, out->data, out->len, 0), ==, out->len);
        g_assert_cmpuint(liar_states(fd), ==, 0);
    }
    close(fd);
    qtest_quit(q);
    unlink(path);
    rmdir(dir);
}

/*
 * The generation that the device has told last, when it has told nothing for a
 * while; it is confirmed if @ack is set.
 */
static uint64_t liar_listen(int fd, bool ack)
{
    struct timeval tv = { .tv_usec = 300000 };
    g_autoptr(GByteArray) out = g_byte_array_new();
    uint64_t generation = 0;
    uint8_t header[8], payload[512];

    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
    while (recv(fd, header, sizeof(header), MSG_WAITALL) == sizeof(header)) {
        uint32_t len = ldl_le_p(header + 4);

        g_assert_cmpuint(len, <=, sizeof(payload));
        g_assert_cmpint(recv(fd, payload, len, MSG_WAITALL), ==, len);
        if (lduw_le_p(header) == MSG_STATE) {
            generation = ldq_le_p(payload);
        }
    }
    if (ack && generation) {
        stq_le_p(payload, generation);
        liar_put(out, MSG_ACK, payload);
        g_assert_cmpint(send(fd, out->data, out->len, 0), ==, out->len);
    }
    return generation;
}

/* Why there can be no migration, NULL if there can */
static char *blocked(QTestState *q)
{
    QDict *rsp = qtest_qmp(q, "{ 'execute': 'query-migrate' }");
    QDict *ret = qdict_get_qdict(rsp, "return");
    QList *reasons = qdict_get_qlist(ret, "blocked-reasons");
    char *reason = NULL;

    if (reasons) {
        QObject *first = qlist_peek(reasons);

        reason = g_strdup(qstring_get_str(qobject_to(QString, first)));
    }
    qobject_unref(rsp);
    return reason;
}

static void assert_blocked(QTestState *q, bool want)
{
    g_autofree char *reason = blocked(q);

    g_assert_cmpint(!!reason, ==, want);
    if (reason) {
        g_assert_nonnull(strstr(reason, "hyperlink: the peer of /machine"));
    }
}

/* Somebody who is honest, and has been heard */
static int liar_in(QTestState *q, const char *path)
{
    g_autoptr(GByteArray) out = g_byte_array_new();
    int fd = liar_connect(path);

    liar_hello(out);
    g_assert_cmpint(send(fd, out->data, out->len, 0), ==, out->len);
    wait_reg(q, STS, STS_LINK, STS_LINK);
    return fd;
}

/*
 * Who has this machine's RAM may write to it until it knows better: a peer that
 * has confirmed, or closed the connection, does; one that was cut off may not.
 * As long as it may, what has been revoked is not free, and nothing migrates.
 */
static void test_stale_peer(void)
{
    g_autofree char *dir = g_dir_make_tmp("hyperlink-XXXXXX", NULL);
    g_autofree char *path = g_strdup_printf("%s/wire", dir);
    g_autofree char *ram = g_strdup_printf("%s/ram", dir);
    g_autofree char *more = g_strdup_printf(
        "-chardev socket,id=wire,path=%s,server=on,wait=off "
        "-object memory-backend-file,id=ram,share=on,size=%u,mem-path=%s "
        "-machine memory-backend=ram -only-migratable", path,
        (unsigned)RAM_SIZE, ram);
    QTestState *q = start("peer=wire,pll-lock-ns=1,train-ns=1", more);
    g_autoptr(GByteArray) out = g_byte_array_new();
    char c;
    int fd;

    bring_up(q, CTL_INT2CFG);
    segment(q, 0, RAM_BASE + 0x120000, 15);
    assert_blocked(q, false);

    /* Confirmed, or not */
    fd = liar_in(q, path);
    g_assert_cmphex(rd(q, STS) & STS_RPEND, ==, STS_RPEND);
    liar_listen(fd, true);
    wait_reg(q, STS, STS_RPEND, 0);
    assert_blocked(q, true);
    segment(q, 0, 0, 0);
    g_assert_cmphex(rd(q, STS) & STS_RPEND, ==, STS_RPEND);
    liar_listen(fd, false);
    g_assert_cmphex(rd(q, STS) & STS_RPEND, ==, STS_RPEND);

    /* It closes the connection: that is as good */
    close(fd);
    wait_reg(q, STS, STS_RPEND | STS_LINK, 0);
    assert_blocked(q, false);

    /* It is cut off, with all confirmed, and may not have noticed */
    fd = liar_in(q, path);
    liar_listen(fd, true);
    wait_reg(q, STS, STS_RPEND, 0);
    liar_put(out, MSG_HELLO, memset(g_alloca(64), 0, 64));
    g_assert_cmpint(send(fd, out->data, out->len, 0), ==, out->len);
    while (recv(fd, &c, 1, MSG_WAITALL) > 0) {
        ;
    }
    assert_stat(q, "stat-protocol-errors", ==, 1);
    g_assert_cmphex(rd(q, STS) & (STS_RPEND | STS_LINK), ==, STS_RPEND);
    segment(q, 0, RAM_BASE + 0x120000, 15);
    segment(q, 0, 0, 0);
    g_assert_cmphex(rd(q, STS) & STS_RPEND, ==, STS_RPEND);
    assert_blocked(q, true);
    close(fd);

    /* It is here again: so it has */
    fd = liar_in(q, path);
    liar_listen(fd, true);
    wait_reg(q, STS, STS_RPEND, 0);
    assert_blocked(q, true);

    /* A machine that is stopped can migrate when the peer knows of it */
    qtest_qmp_assert_success(q, "{ 'execute': 'stop' }");
    assert_blocked(q, true);
    liar_listen(fd, true);
    for (int i = 0; i < 1000; i++) {
        g_autofree char *reason = blocked(q);

        if (!reason) {
            break;
        }
        g_usleep(10000);
    }
    assert_blocked(q, false);
    qtest_qmp_assert_success(q, "{ 'execute': 'cont' }");
    liar_listen(fd, true);
    assert_blocked(q, true);
    close(fd);
    wait_reg(q, STS, STS_LINK, 0);
    assert_blocked(q, false);

    /* RAM that is not where accesses would be whole */
    fd = liar_connect(path);
    g_byte_array_set_size(out, 0);
    liar_hello(out);
    out->data[8 + 16] |= 4;
    g_assert_cmpint(send(fd, out->data, out->len, 0), >, 0);
    wait_stat(q, "stat-protocol-errors", 2);
    close(fd);

    /* Who has not said who it is knows nothing, so that it is not waited for */
    fd = liar_connect(path);
    g_assert_cmpint(send(fd, "GET / HTTP/1.0", 14, 0), ==, 14);
    wait_stat(q, "stat-protocol-errors", 3);
    close(fd);
    g_assert_cmphex(rd(q, STS) & STS_RPEND, ==, 0);
    assert_blocked(q, false);

    qtest_quit(q);
    unlink(path);
    unlink(ram);
    rmdir(dir);
}

static void liar_done(GByteArray *out, uint32_t result, uint32_t wire)
{
    uint8_t p[8];

    stl_le_p(p, result);
    stl_le_p(p + 4, wire);
    liar_put(out, MSG_DONE, p);
}

/* What is in @out has been looked at when this returns. */
static void liar_sync(QTestState *q, int fd, GByteArray *out)
{
    uint64_t faults = stat_get(q, "stat-in-fault-link");
    uint8_t p[16] = { 0, 0, 0, 0, 1 };      /* one of "link" */

    liar_put(out, MSG_FAULT, p);
    g_assert_true(liar_send(fd, out));
    wait_stat(q, "stat-in-fault-link", faults + 1);
    g_byte_array_set_size(out, 0);
}

/*
 * Writes that go over the socket are pending until the peer says what has
 * become of each, or cannot say it any more.
 */
static void test_pending(void)
{
    g_autofree char *dir = g_dir_make_tmp("hyperlink-XXXXXX", NULL);
    g_autofree char *path = g_strdup_printf("%s/wire", dir);
    g_autofree char *more = g_strdup_printf("-chardev socket,id=wire,path=%s,"
                                            "server=on,wait=off", path);
    QTestState *q = start("peer=wire,pll-lock-ns=1,train-ns=1", more);
    g_autoptr(GByteArray) out = g_byte_array_new();
    int fd;

    bring_up(q, CTL_INT2CFG);
    fd = liar_in(q, path);
    g_assert_cmphex(rd(q, STS) & STS_MPEND, ==, 0);
    for (int i = 0; i < 3; i++) {
        qtest_writeq(q, WINDOW + 8 * i, i);
        g_assert_cmphex(rd(q, STS) & STS_MPEND, ==, STS_MPEND);
    }
    /* not for reads, which fail at once */
    g_assert_cmphex(qtest_readq(q, WINDOW), ==, ~0ull);
    wr(q, STS, STS_LERROR);
    liar_done(out, ~0u, 0);
    liar_done(out, ~0u, 8);
    liar_sync(q, fd, out);
    g_assert_cmphex(rd(q, STS) & (STS_MPEND | STS_LERROR), ==, STS_MPEND);
    /* Whoever sees that nothing is pending sees that something has failed. */
    liar_done(out, 2 /* no segment */, 16);
    g_assert_true(liar_send(fd, out));
    g_byte_array_set_size(out, 0);
    wait_reg(q, STS, STS_MPEND, 0);
    g_assert_cmphex(rd(q, STS) & STS_LERROR, ==, STS_LERROR);
    assert_stat(q, "stat-fault-segment", ==, 1);
    assert_stat(q, "stat-writes-dropped", ==, 1);
    assert_stat(q, "stat-writes", ==, 3);

    /* A reset does not call back what is on the wire. */
    qtest_writeq(q, WINDOW, 1);
    wr(q, CTL, CTL_RESET);
    g_assert_cmphex(rd(q, STS) & (STS_MPEND | STS_LINK), ==, STS_MPEND);
    wr(q, CTL, CTL_INT2CFG);
    wait_reg(q, STS, STS_LINK, STS_LINK);
    g_assert_cmphex(rd(q, STS) & STS_MPEND, ==, STS_MPEND);
    qtest_writeq(q, WINDOW, 2);
    liar_done(out, ~0u, 0);
    liar_sync(q, fd, out);
    g_assert_cmphex(rd(q, STS) & STS_MPEND, ==, STS_MPEND);
    liar_done(out, ~0u, 0);
    liar_sync(q, fd, out);
    g_assert_cmphex(rd(q, STS) & (STS_MPEND | STS_LERROR), ==, 0);

    /* An answer to nothing */
    liar_done(out, ~0u, 0);
    g_assert_cmpint(send(fd, out->data, out->len, 0), ==, out->len);
    g_byte_array_set_size(out, 0);
    wait_stat(q, "stat-protocol-errors", 1);
    wait_reg(q, STS, STS_LINK | STS_MPEND, 0);
    close(fd);

    /* As many as there may be, and one more; then there is nobody to ask */
    fd = liar_in(q, path);
    wr(q, STS, STS_LERROR);
    for (int i = 0; i < 1024; i++) {
        qtest_writeq(q, WINDOW + 8 * i, i);
    }
    g_assert_cmphex(rd(q, STS) & (STS_MPEND | STS_LERROR), ==, STS_MPEND);
    assert_stat(q, "stat-writes-dropped", ==, 1);
    qtest_writeq(q, WINDOW, 1);
    assert_stat(q, "stat-fault-overflow", ==, 1);
    wr(q, STS, STS_LERROR);
    g_assert_cmphex(rd(q, STS) & (STS_MPEND | STS_LERROR), ==, STS_MPEND);
    close(fd);
    wait_reg(q, STS, STS_MPEND, 0);
    g_assert_cmphex(rd(q, STS) & (STS_LINK | STS_LERROR), ==, STS_LERROR);
    assert_stat(q, "stat-writes-dropped", ==, 1 + 1 + 1024);

    qtest_quit(q);
    unlink(path);
    rmdir(dir);
}

/* Each rate that is taken works, also one that is nothing in its lower half. */
static void test_rate(void)
{
    static const struct {
        const char *props;
        unsigned ns;
    } rates[] = {
        /* 8 bytes are 72 bits on four lanes */
        { "rate=8589934592,latency-write-ns=1000", 1000 + 8 / 4 },
        { "rate=10000000000,latency-write-ns=1000", 1000 + 7 / 4 },
        { "rate=1000000000,latency-write-ns=1000", 1000 + 72 / 4 },
    };

    for (int i = 0; i < ARRAY_SIZE(rates); i++) {
        QTestState *q = start_loop(rates[i].props, NULL);

        segment(q, 0, RAM_BASE + 1 * MiB, 19);
        qtest_writeq(q, WINDOW, 1);
        g_assert_cmpuint(qtest_readq(q, RAM_BASE + 1 * MiB), ==, 1);
        assert_stat(q, "stat-busy-ns", ==, rates[i].ns);
        qtest_quit(q);
    }
}

/*
 * DMA
 */

#define IDMA            0x04000000ull

static void dma_copy(QTestState *q, uint64_t dst, uint64_t src, uint32_t len)
{
    uint64_t desc = RAM_BASE + 0x800;

    qtest_writel(q, desc, len);
    qtest_writel(q, desc + 4, 0x0a);
    qtest_writeq(q, desc + 8, ~0ull);
    qtest_writeq(q, desc + 16, src);
    qtest_writeq(q, desc + 24, dst);
    qtest_writeq(q, IDMA, desc);
    for (int i = 0; qtest_readq(q, desc) != ~0ull; i++) {
        g_assert_cmpint(i, <, 1000);
        qtest_clock_step(q, 100000);
    }
}

/* The engine has a PrivID of its own, and so may have segments of its own */
static void test_dma(void)
{
    QTestState *q = start_loop(NULL, "-device idma-desc64,id=dma0");
    uint8_t buf[5000], back[5000];

    /* the PrivID in bits 29 to 26: its uppermost bit picks half the segments */
    wr(q, TX_SEL_CTL, 9 | 10 << 8);
    wr(q, RX_SEL_CTL, 8 | 10 << 8);
    segment(q, 0x00, RAM_BASE + 1 * MiB, 19);   /* PrivID 0 */
    segment(q, 0x20, RAM_BASE + 4 * MiB, 19);   /* PrivID 8 */
    for (int i = 0; i < sizeof(buf); i++) {
        buf[i] = 11 * i + 5;
    }
    qtest_memwrite(q, RAM_BASE + 0x10001, buf, sizeof(buf));
    dma_copy(q, WINDOW + 0x203, RAM_BASE + 0x10001, sizeof(buf));
    qtest_memread(q, RAM_BASE + 4 * MiB + 0x203, back, sizeof(back));
    g_assert_cmpmem(back, sizeof(back), buf, sizeof(buf));
    /* a CPU, at the same address, is somewhere else */
    qtest_writel(q, WINDOW + 0x204, 0xcccccccc);
    g_assert_cmphex(qtest_readl(q, RAM_BASE + 1 * MiB + 0x204), ==, 0xcccccccc);
    qtest_memread(q, RAM_BASE + 4 * MiB + 0x203, back, sizeof(back));
    g_assert_cmpmem(back, sizeof(back), buf, sizeof(buf));
    /* and back */
    dma_copy(q, RAM_BASE + 0x20003, WINDOW + 0x203, sizeof(buf));
    qtest_memread(q, RAM_BASE + 0x20003, back, sizeof(back));
    g_assert_cmpmem(back, sizeof(back), buf, sizeof(buf));
    assert_stat(q, "stat-reads-failed", ==, 0);
    assert_stat(q, "stat-writes-dropped", ==, 0);
    assert_stat(q, "stat-dma", >=, 2 * sizeof(buf) / 8);

    /* the link goes: the transfer ends, with errors that are counted */
    wr(q, CTL, CTL_ILOOP | CTL_INT2CFG | CTL_RESET);
    dma_copy(q, RAM_BASE + 0x20003, WINDOW + 0x203, 64);
    qtest_memread(q, RAM_BASE + 0x20003, back, 64);
    memset(buf, 0xff, 64);
    g_assert_cmpmem(back, 64, buf, 64);
    assert_stat(q, "stat-fault-link", >=, 8);
    g_assert_cmpuint(qom_get(q, "/machine/peripheral/dma0",
                             "stat-bus-errors-read"), >, 0);
    qtest_quit(q);
}

/*
 * State
 */

static void wait_migration(QTestState *q)
{
    for (;;) {
        QDict *rsp = qtest_qmp_assert_success_ref(q,
                         "{ 'execute': 'query-migrate' }");
        g_autofree char *status = g_strdup(qdict_get_try_str(rsp, "status") ?:
                                           "none");

        qobject_unref(rsp);
        if (!strcmp(status, "completed")) {
            return;
        }
        g_assert_cmpstr(status, !=, "failed");
        g_usleep(1000);
    }
}

static void save_to(QTestState *q, const char *file)
{
    g_autofree char *uri = g_strdup_printf("file:%s", file);

    qtest_qmp_assert_success(q, "{ 'execute': 'stop' }");
    qtest_qmp_assert_success(q, "{ 'execute': 'migrate', 'arguments': "
                             "{ 'uri': %s } }", uri);
    wait_migration(q);
}

static void load_into(QTestState *q, const char *file)
{
    g_autofree char *uri = g_strdup_printf("file:%s", file);

    qtest_qmp_assert_success(q, "{ 'execute': 'migrate-incoming', "
                             "'arguments': { 'uri': %s } }", uri);
    wait_migration(q);
}

static QTestState *load_from(const char *file)
{
    QTestState *q = qtest_initf("-machine virt -bios none -nodefaults -m 32 "
                                "-device hyperlink,id=hl,addr=%d "
                                "-incoming defer", SLOT);

    load_into(q, file);
    return q;
}

static void test_migrate(void)
{
    g_autofree char *file = g_strdup_printf("%s/hyperlink-%d.mig",
                                            g_get_tmp_dir(), getpid());
    QTestState *from = start_loop(NULL, NULL), *to;
    Pair *p;

    /* looped back, with an interrupt on its way */
    segment(from, 9, RAM_BASE + 0x30000, 15);
    int_ctl(from, 77, INT_CTL_EN | 19);
    qtest_writeq(from, WINDOW + 9 * SEG_SPAN, 0x1234567812345678);
    wr(from, INT_SET, 1 << 3);
    wr(from, SW_INT, 77);
    qtest_clock_step(from, 300);
    save_to(from, file);
    qtest_quit(from);
    to = load_from(file);
    qtest_qmp_assert_success(to, "{ 'execute': 'cont' }");
    g_assert_cmphex(rd(to, STS), ==, 0x04400005);
    g_assert_cmphex(rd(to, RX_SEG_VAL), ==, (RAM_BASE + 0x30000) | 15);
    g_assert_cmphex(rd(to, INT_SET), ==, 1 << 3);
    g_assert_cmphex(qtest_readq(to, WINDOW + 9 * SEG_SPAN), ==,
                    0x1234567812345678);
    wait_reg(to, INT_SET, ~0u, 1 << 3 | 1 << 19);
    assert_stat(to, "stat-ints-sent", ==, 1);
    assert_stat(to, "stat-ints-received", ==, 1);
    assert_stat(to, "stat-writes", ==, 1);
    qtest_quit(to);

    /* a link to a peer does not come along */
    p = pair_new(false, NULL);
    pair_up(p, CTL_INT2CFG | CTL_INTENABLE | CTL_INTVEC(8));
    save_to(p->q[0], file);
    wait_reg(p->q[1], STS, STS_LINK, 0);
    to = load_from(file);
    /* and what a debugger writes meanwhile is not pending: there is nobody */
    qtest_writel(to, WINDOW, 1);
    g_assert_cmphex(rd(to, STS) & STS_MPEND, ==, 0);
    assert_stat(to, "stat-fault-link", ==, 1);
    wr(to, STS, STS_LERROR);
    wr(to, INT_CLR, ~0);
    qtest_qmp_assert_success(to, "{ 'execute': 'cont' }");
    g_assert_cmphex(rd(to, STS), ==, STS_LERROR | 4);
    g_assert_cmphex(rd(to, INT_SET), ==, 1 << 8);
    qtest_quit(to);
    /* the source may go on, and its link comes back */
    qtest_qmp_assert_success(p->q[0], "{ 'execute': 'cont' }");
    wait_reg(p->q[1], STS, STS_LINK, STS_LINK);
    g_assert_cmphex(rd(p->q[0], STS) & (STS_LINK | STS_LERROR), ==, STS_LINK);

    /* What is loaded beside a peer has lost its link as well, until a reset */
    save_to(p->q[0], file);
    qtest_quit(p->q[0]);
    p->q[0] = qtest_initf("-machine virt -bios none -nodefaults -m 32 "
                          "-chardev socket,id=wire,path=%s/wire,server=on,"
                          "wait=off -device hyperlink,id=hl,addr=%d,peer=wire "
                          "-incoming defer", p->dir, SLOT);
    to = p->q[0];
    load_into(to, file);
    wait_reg(to, PEER + REV, ~0u, 0x4e902101);
    wait_reg(to, PEER + CTL, ~0u, CTL_INT2CFG | CTL_INTENABLE | CTL_INTVEC(8));
    qtest_qmp_assert_success(to, "{ 'execute': 'cont' }");
    qtest_clock_step(to, 1000000);
    g_assert_cmphex(rd(to, STS) & (STS_LINK | STS_LERROR), ==, STS_LERROR);
    g_assert_cmphex(rd(p->q[1], STS) & STS_LINK, ==, 0);
    wr(to, CTL, CTL_RESET);
    pair_up(p, CTL_INT2CFG);
    g_assert_cmphex(rd(to, STS) & (STS_LINK | STS_LERROR), ==, STS_LINK);
    pair_free(p);
    unlink(file);
}

static void test_bad_properties(void)
{
    static const char *const bad[][2] = {
        { "lanes=2", "'lanes' takes 1 or 4" },
        { "privid-cpu=16", "'privid-cpu' takes 0 to 15" },
        { "privid-dma=99", "'privid-dma' takes 0 to 15" },
        { "rate=1", "'rate' takes" },
        { "peer=nobody", "nobody" },
        { "peer-mem=m", "'peer-mem' without 'peer'" },
        { "peer-mem=u", "needs share=on" },
        { "peer=n", "'peer' takes a socket" },
        { "ecc-double=1", "at run time only" },
    };

    for (int i = 0; i < ARRAY_SIZE(bad); i++) {
        g_autofree char *device = g_strdup_printf("hyperlink,%s", bad[i][0]);
        const char *argv[] = {
            "timeout", "60", getenv("QTEST_QEMU_BINARY"), "-machine", "virt",
            "-accel", "qtest", "-bios", "none", "-nodefaults", "-m", "32",
            "-object", "memory-backend-memfd,id=m,size=1M,share=on",
            "-object", "memory-backend-ram,id=u,size=1M",
            "-chardev", "null,id=n", "-display", "none", "-device", device, NULL
        };
        g_autoptr(GError) err = NULL;
        g_autofree char *text = NULL;
        int status;

        g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH |
                     G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, &text,
                     &status, &err);
        g_assert_no_error(err);
        g_test_message("%s: %s", device, text);
        g_assert_true(WIFEXITED(status));
        g_assert_cmpint(WEXITSTATUS(status), ==, 1);
        g_assert_nonnull(strstr(text, bad[i][1]));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);

    /* a peer that is killed has the other end write into nothing */
    signal(SIGPIPE, SIG_IGN);
    qtest_add_func("/hyperlink/regs/reset", test_reset_values);
    qtest_add_func("/hyperlink/regs/bits", test_writable_bits);
    qtest_add_func("/hyperlink/regs/tables", test_tables);
    qtest_add_func("/hyperlink/regs/bad-access", test_bad_access);
    qtest_add_func("/hyperlink/bring-up", test_bring_up);
    qtest_add_func("/hyperlink/loop/data", test_loop_data);
    qtest_add_func("/hyperlink/loop/faults", test_loop_faults);
    qtest_add_func("/hyperlink/loop/registers", test_loop_registers);
    qtest_add_func("/hyperlink/overlays", test_overlays);
    qtest_add_func("/hyperlink/interrupts", test_interrupts);
    qtest_add_func("/hyperlink/msix", test_msix);
    qtest_add_func("/hyperlink/ecc", test_ecc);
    qtest_add_func("/hyperlink/pair/shared", test_pair_shared);
    qtest_add_func("/hyperlink/pair/socket", test_pair_socket);
    qtest_add_func("/hyperlink/pair/pending", test_pending);
    qtest_add_func("/hyperlink/pair/stale", test_stale_peer);
    qtest_add_func("/hyperlink/pair/registers", test_pair_registers);
    qtest_add_func("/hyperlink/pair/down", test_pair_down);
    qtest_add_func("/hyperlink/pair/kill", test_pair_kill);
    qtest_add_func("/hyperlink/dma", test_dma);
    qtest_add_func("/hyperlink/migrate", test_migrate);
    qtest_add_func("/hyperlink/fuzz/registers", test_fuzz_registers);
    qtest_add_func("/hyperlink/fuzz/guest", test_fuzz_guest);
    qtest_add_func("/hyperlink/fuzz/wire", test_fuzz_wire);
    qtest_add_func("/hyperlink/wire/quiet", test_quiet_wire);
    qtest_add_func("/hyperlink/rate", test_rate);
    qtest_add_func("/hyperlink/properties/bad", test_bad_properties);

    return g_test_run();
}
