/*
 * HyperLink translation: what is published of it, and against a reference
 *
 * The reference below is slow on purpose and shares nothing with the code: it
 * goes through an address bit by bit, by the tables of the manual rather than
 * by masks.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "testlib.h"
#include "hyperlink-ref.h"

/*
 * The worked example of TI's application note, Table 1: the memory of DSP1 as
 * the cores of DSP0 see it from 0x40000000 on.
 */
static void worked_example(HyperlinkRx *rx, uint32_t *tx_sel)
{
    unsigned i, j;

    memset(rx, 0, sizeof(*rx));
    *tx_sel = 11 | 12 << 8;
    rx->sel_ctl = 8 | 12 << 8;
    for (i = 0; i < 16; i++) {
        rx->priv[i] = i < 8 ? 13 : 14;
    }
    for (j = 0; j < 4; j++) {
        for (i = 0; i < 16; i++) {
            uint32_t base;

            if (i < 8) {
                base = 0x10000000 + (i << 24);
            } else if (i < 0xc) {
                base = 0x88000000 + ((i - 8) << 24);
            } else if (i == 0xc) {
                base = 0x0c000000;
            } else {
                base = 0x8c000000 + ((j * 3 + i - 0xd) << 24);
            }
            rx->seg[j << 4 | i] = base | 23;
        }
    }
}

static void test_worked_example(void)
{
    static const struct {
        unsigned core;
        uint32_t addr, wire;
        unsigned segment;
        uint32_t lands;
    } rows[] = {
        { 0, 0x40800000, 0x00800000, 0x00, 0x10800000 },
        { 1, 0x40800000, 0x10800000, 0x10, 0x10800000 },
        { 0, 0x41800000, 0x01800000, 0x01, 0x11800000 },
        { 0, 0x4d000000, 0x0d000000, 0x0d, 0x8c000000 },
        { 1, 0x4d000000, 0x1d000000, 0x1d, 0x8f000000 },
        /* the ends of segments, the other cores, PrivIDs from 8 on */
        { 0, 0x40ffffff, 0x00ffffff, 0x00, 0x10ffffff },
        { 2, 0x4d000000, 0x2d000000, 0x2d, 0x92000000 },
        { 3, 0x4fffffff, 0x3fffffff, 0x3f, 0x97ffffff },
        { 3, 0x48000000, 0x38000000, 0x38, 0x88000000 },
        { 0, 0x4c123456, 0x0c123456, 0x0c, 0x0c123456 },
        { 8, 0x4d000000, 0x8d000000, 0x0d, 0x8c000000 },
        { 9, 0x4e000000, 0x9e000000, 0x1e, 0x90000000 },
    };
    HyperlinkRx rx;
    uint32_t tx_sel;
    unsigned i;

    plan_subtest("hyperlink: the worked example, row by row");
    worked_example(&rx, &tx_sel);
    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        HyperlinkTarget t;
        uint32_t wire;

        snprintf(test_context, sizeof(test_context), "row %u", i);
        wire = hyperlink_outbound(tx_sel, rows[i].addr, rows[i].core, false);
        CHECK_EQ(wire, rows[i].wire);
        CHECK_EQ(hyperlink_inbound(&rx, wire, 1, &t), HYPERLINK_XLATE_OK);
        CHECK_EQ(t.segment, rows[i].segment);
        CHECK_EQ(t.addr, rows[i].lands);
        CHECK_EQ(t.privid, rows[i].core < 8 ? 13 : 14);
        CHECK(!t.secure);
    }
    subtest_done();
}

static void test_igmask(void)
{
    unsigned code;

    plan_subtest("hyperlink: address masks from 0x1ffff to all ones");
    for (code = 0; code < 16; code++) {
        uint32_t want = code == 15 ? 0xffffffff : (0x20000u << code) - 1;

        CHECK_EQ(hyperlink_outbound(code, 0xffffffff, 0, false), want);
        CHECK_EQ(hyperlink_outbound(code, ~want, 0, false), 0);
    }
    subtest_done();
}

static void test_segment_sizes(void)
{
    unsigned len;

    plan_subtest("hyperlink: segment sizes, their last byte and the next");
    for (len = 0; len < 32; len++) {
        uint64_t size = len < 8 ? 0 : 1ull << (len + 1);
        HyperlinkRx rx = { 0 };
        HyperlinkTarget t;

        snprintf(test_context, sizeof(test_context), "len %u", len);
        CHECK_EQ(hyperlink_segment_size(len), size);
        CHECK_EQ(hyperlink_segment_size(0xffffffe0u | len), size);
        rx.seg[0] = len;
        if (!size) {
            CHECK_EQ(hyperlink_inbound(&rx, 0, 1, &t),
                     HYPERLINK_XLATE_NO_SEGMENT);
            continue;
        }
        CHECK_EQ(hyperlink_inbound(&rx, size - 8, 8, &t), HYPERLINK_XLATE_OK);
        CHECK_EQ(t.addr, size - 8);
        CHECK_EQ(hyperlink_inbound(&rx, size - 1, 1, &t), HYPERLINK_XLATE_OK);
        CHECK_EQ(hyperlink_inbound(&rx, size - 4, 8, &t),
                 HYPERLINK_XLATE_RANGE);
        if (len < 31) {
            CHECK_EQ(hyperlink_inbound(&rx, size, 1, &t),
                     HYPERLINK_XLATE_RANGE);
            rx.seg[0] = 0xffff0000 | len;
            CHECK_EQ(hyperlink_inbound(&rx, size - 1, 1, &t), size > 65536 ?
                     HYPERLINK_XLATE_WRAP : HYPERLINK_XLATE_OK);
        }
    }
    subtest_done();
}

/* A run of bits that the overlay puts is the run that the selector reads. */
static void test_selectors(void)
{
    unsigned code, privid;

    plan_subtest("hyperlink: PrivID and secure bits arrive, for every code");
    for (code = 1; code < 16; code++) {
        unsigned width = code <= 12 ? 4 : 16 - code;

        for (privid = 0; privid < 16; privid++) {
            HyperlinkRx rx = { .sel_ctl = code << 8, .seg = { 31 } };
            HyperlinkTarget t;
            uint32_t wire;
            unsigned i;

            for (i = 0; i < 16; i++) {
                rx.priv[i] = 15 - i;
            }
            snprintf(test_context, sizeof(test_context), "code %u PrivID %u",
                     code, privid);
            wire = hyperlink_outbound(15 | code << 8, 0, privid, false);
            CHECK_EQ(hyperlink_inbound(&rx, wire, 1, &t), HYPERLINK_XLATE_OK);
            CHECK_EQ(t.privid, 15 - (privid & ((1u << width) - 1)));

            rx.sel_ctl = code << 16 | HYPERLINK_RX_SEC_HIGH;
            wire = hyperlink_outbound(15 | code << 16, 0, 0, privid & 1);
            CHECK_EQ(wire, (uint32_t)(privid & 1) << (16 + code));
            CHECK_EQ(hyperlink_inbound(&rx, wire, 1, &t), HYPERLINK_XLATE_OK);
            CHECK_EQ(t.secure, privid & 1);
            rx.sel_ctl = code << 16 | HYPERLINK_RX_SEC_LOW;
            CHECK_EQ(hyperlink_inbound(&rx, wire, 1, &t), HYPERLINK_XLATE_OK);
            CHECK_EQ(t.secure, !(privid & 1));
        }
    }
    subtest_done();
}

static void test_random(void)
{
    const char *env = getenv("TEST_ROUNDS");
    unsigned rounds = 20000 * (env ? atoi(env) : 10) / 10, i;
    uint64_t x = 0x68796c696e6bull;

    plan_subtest("hyperlink: random addresses and tables, by the reference");
    for (i = 0; i < rounds; i++) {
        uint32_t word[8];
        HyperlinkCase c;
        unsigned n;

        for (n = 0; n < 8; n++) {
            word[n] = rnd(&x);
        }
        hyperlink_case(&c, (const uint8_t *)word, sizeof(word));
        snprintf(test_context, sizeof(test_context), "round %u: tx 0x%x rx "
                 "0x%x segment 0x%x addr 0x%x", i, c.tx_sel, c.rx.sel_ctl,
                 c.rx.seg[0], c.addr);
        CHECK(hyperlink_case_agrees(&c));
    }
    subtest_done();
}

int main(void)
{
    test_worked_example();
    test_igmask();
    test_segment_sizes();
    test_selectors();
    test_random();
    return all_done();
}
