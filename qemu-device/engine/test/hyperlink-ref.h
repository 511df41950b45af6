/*
 * HyperLink translation, the slow way: a reference for the real one
 *
 * Written from the manual's tables, bit by bit, and to share nothing with
 * ../hyperlink-xlate.c but its types.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HYPERLINK_REF_H
#define HYPERLINK_REF_H

#include <string.h>
#include "../hyperlink-xlate.h"

/* "[20-17]", "[21-18]", ... "[31-28]", "[31-29]", "[31-30]", "[31]" */
static const struct {
    int high, low;
} ref_privid_bits[16] = {
    { -1, 0 }, { 20, 17 }, { 21, 18 }, { 22, 19 }, { 23, 20 }, { 24, 21 },
    { 25, 22 }, { 26, 23 }, { 27, 24 }, { 28, 25 }, { 29, 26 }, { 30, 27 },
    { 31, 28 }, { 31, 29 }, { 31, 30 }, { 31, 31 },
}, ref_segment_bits[16] = {
    { -1, 0 }, { 22, 17 }, { 23, 18 }, { 24, 19 }, { 25, 20 }, { 26, 21 },
    { 27, 22 }, { 28, 23 }, { 29, 24 }, { 30, 25 }, { 31, 26 }, { 31, 27 },
    { 31, 28 }, { 31, 29 }, { 31, 30 }, { 31, 31 },
};

static bool ref_bit(uint64_t value, int n)
{
    return value / (1ull << n) % 2;
}

static uint32_t ref_outbound(uint32_t tx_sel, uint32_t addr, unsigned privid,
                             bool secure)
{
    unsigned igmask = tx_sel % 16, ovl = tx_sel / 256 % 16;
    unsigned sec = tx_sel / 65536 % 16;
    uint32_t wire = 0;
    int n;

    for (n = 0; n < 32; n++) {
        bool bit = n < 17 + (int)igmask && ref_bit(addr, n);

        if (n >= ref_privid_bits[ovl].low && n <= ref_privid_bits[ovl].high) {
            bit = ref_bit(privid, n - ref_privid_bits[ovl].low);
        }
        if (sec && n == 16 + (int)sec) {
            bit = secure;
        }
        if (bit) {
            wire += 1u << n;
        }
    }
    return wire;
}

static unsigned ref_field(uint32_t wire, int high, int low)
{
    unsigned value = 0;
    int n;

    for (n = high; n >= low; n--) {
        value = 2 * value + ref_bit(wire, n);
    }
    return value;
}

/* One byte; an access is good if all of its bytes are, side by side. */
static HyperlinkXlateResult ref_inbound_byte(const HyperlinkRx *rx,
                                             uint64_t wire, uint32_t *addr,
                                             HyperlinkTarget *t)
{
    unsigned segsel = rx->sel_ctl % 16, privsel = rx->sel_ctl / 256 % 16;
    unsigned secsel = rx->sel_ctl / 65536 % 16;
    int top = segsel ? 16 + (int)segsel : 32, n;
    uint64_t offset = 0, size = 2;
    unsigned len;

    t->segment = ref_field(wire, ref_segment_bits[segsel].high,
                           ref_segment_bits[segsel].low);
    t->privid = rx->priv[ref_field(wire, ref_privid_bits[privsel].high,
                                   ref_privid_bits[privsel].low)] % 16;
    t->secure = ref_bit(rx->sel_ctl,
                        secsel && ref_bit(wire, 16 + secsel) ? 25 : 24);
    for (n = 0; n < top; n++) {
        offset += (uint64_t)ref_bit(wire, n) << n;
    }
    len = rx->seg[t->segment] % 32;
    if (len < 8) {
        return HYPERLINK_XLATE_NO_SEGMENT;
    }
    while (len--) {
        size += size;
    }
    if (offset >= size) {
        return HYPERLINK_XLATE_RANGE;
    }
    offset += (uint64_t)(rx->seg[t->segment] / 65536) * 65536;
    if (offset > 0xffffffff) {
        return HYPERLINK_XLATE_WRAP;
    }
    *addr = offset;
    return HYPERLINK_XLATE_OK;
}

static HyperlinkXlateResult ref_inbound(const HyperlinkRx *rx, uint32_t wire,
                                        uint32_t len, HyperlinkTarget *t)
{
    HyperlinkXlateResult first, worst;
    HyperlinkTarget other;
    uint32_t addr = 0, next, n;

    worst = first = ref_inbound_byte(rx, wire, &addr, t);
    if (first == HYPERLINK_XLATE_NO_SEGMENT) {
        t->addr = 0;
        return first;
    }
    for (n = 1; n < len; n++) {
        HyperlinkXlateResult r = HYPERLINK_XLATE_RANGE;

        /* a byte that starts over, at offset 0, is no neighbour */
        if (wire + n > wire) {
            r = ref_inbound_byte(rx, wire + n, &next, &other);
            if (r == HYPERLINK_XLATE_NO_SEGMENT ||
                other.segment != t->segment ||
                (r == HYPERLINK_XLATE_OK && worst == HYPERLINK_XLATE_OK &&
                 next != addr + n)) {
                r = HYPERLINK_XLATE_RANGE;
            }
        }
        /* out of the segment counts for more than beyond 4 GiB */
        if (worst != HYPERLINK_XLATE_RANGE && r != HYPERLINK_XLATE_OK) {
            worst = r;
        }
    }
    t->addr = worst == HYPERLINK_XLATE_OK ? addr : 0;
    return worst;
}

/* An access and the registers that it meets, made from any bytes */
typedef struct HyperlinkCase {
    uint32_t tx_sel;
    uint32_t addr;
    uint32_t len;
    unsigned privid;
    bool secure;
    HyperlinkRx rx;
} HyperlinkCase;

static void hyperlink_case(HyperlinkCase *c, const uint8_t *data, size_t size)
{
    uint8_t b[32] = { 0 };
    uint32_t w[8], x;
    unsigned i;

    memcpy(b, data, size < sizeof(b) ? size : sizeof(b));
    memcpy(w, b, sizeof(w));
    c->tx_sel = w[0] & HYPERLINK_TX_SEL_BITS;
    c->rx.sel_ctl = w[1] & HYPERLINK_RX_SEL_BITS;
    c->addr = w[2];
    /* around the ends of things half of the time */
    if (w[3] & 1) {
        c->addr = (1u << (w[3] >> 8 & 31)) - (w[3] >> 16 & 15) +
                  (w[2] & 0xfc000000);
    }
    c->privid = w[3] >> 1 & 15;
    c->secure = w[3] >> 5 & 1;
    c->len = 1u << (w[3] >> 6 & 3);
    if (!(w[3] >> 20 & 7)) {
        c->len = 1 + (w[3] >> 23);      /* any, up to 512 */
    }
    x = w[4];
    for (i = 0; i < HYPERLINK_SEGMENTS; i++) {
        x = x * 1664525 + 1013904223 + w[5];
        c->rx.seg[i] = x & HYPERLINK_SEG_BITS;
        if (w[6] & 1) {         /* long ones, or all would be out of range */
            c->rx.seg[i] |= 0x18;
        }
    }
    for (i = 0; i < HYPERLINK_PRIVIDS; i++) {
        x = x * 1664525 + 1013904223 + w[7];
        c->rx.priv[i] = x >> 24;
    }
}

static bool hyperlink_case_agrees(const HyperlinkCase *c)
{
    HyperlinkTarget is, want;
    uint32_t wire = hyperlink_outbound(c->tx_sel, c->addr, c->privid,
                                       c->secure);
    HyperlinkXlateResult result;

    if (wire != ref_outbound(c->tx_sel, c->addr, c->privid, c->secure)) {
        return false;
    }
    result = hyperlink_inbound(&c->rx, wire, c->len, &is);
    return result == ref_inbound(&c->rx, wire, c->len, &want) &&
           is.segment == want.segment && is.privid == want.privid &&
           is.secure == want.secure && is.addr == want.addr;
}

#endif
