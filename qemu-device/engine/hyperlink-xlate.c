/*
 * HyperLink address translation
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "hyperlink-xlate.h"

/* A run of address bits: @width of them (0: none) from bit @shift up */
typedef struct Field {
    unsigned int shift;
    unsigned int width;
} Field;

/*
 * Selector codes name a run of address bits that starts at bit 16 + code. The
 * run has its full width as long as it fits below bit 32 and is cut there for
 * larger codes: the last ones are [31:29], [31:30], [31] for PrivIDs (width 4),
 * [31:27] to [31] for segments (width 6).
 */
static Field field(unsigned int code, unsigned int width)
{
    Field f = { 16 + code, width };

    if (!code) {
        f.width = 0;
    } else if (f.shift + width > 32) {
        f.width = 32 - f.shift;
    }
    return f;
}

static uint32_t field_mask(Field f)
{
    return ((1u << f.width) - 1) << f.shift;
}

static uint32_t field_get(Field f, uint32_t addr)
{
    return f.width ? (addr & field_mask(f)) >> f.shift : 0;
}

static uint32_t field_set(Field f, uint32_t addr, uint32_t value)
{
    if (!f.width) {
        return addr;
    }
    return (addr & ~field_mask(f)) | (value << f.shift & field_mask(f));
}

uint32_t hyperlink_outbound(uint32_t tx_sel_ctl, uint32_t addr,
                            unsigned int privid, bool secure)
{
    addr &= (UINT64_C(0x20000) << HYPERLINK_TX_IGMASK(tx_sel_ctl)) - 1;
    addr = field_set(field(HYPERLINK_TX_PRIVID(tx_sel_ctl), 4), addr, privid);
    /* where the two overlap, security counts */
    return field_set(field(HYPERLINK_TX_SECURE(tx_sel_ctl), 1), addr, secure);
}

uint64_t hyperlink_segment_size(uint32_t seg_val)
{
    unsigned int len = HYPERLINK_SEG_LEN(seg_val);

    return len < HYPERLINK_SEG_LEN_MIN ? 0 : UINT64_C(2) << len;
}

HyperlinkXlateResult hyperlink_inbound(const HyperlinkRx *rx, uint32_t wire,
                                       uint32_t len, HyperlinkTarget *target)
{
    unsigned int segsel = HYPERLINK_RX_SEGSEL(rx->sel_ctl);
    Field priv = field(HYPERLINK_RX_PRIVID(rx->sel_ctl), 4);
    Field sec = field(HYPERLINK_RX_SECURE(rx->sel_ctl), 1);
    /* with no selector all of the address is offset */
    uint64_t span = segsel ? UINT64_C(1) << (16 + segsel) : UINT64_C(1) << 32;
    uint64_t offset = wire & (span - 1);
    uint32_t seg_val;
    uint64_t base, size;

    target->segment = field_get(field(segsel, 6), wire);
    target->privid = rx->priv[field_get(priv, wire)] & 0xf;
    target->secure = rx->sel_ctl & (field_get(sec, wire)
                                    ? HYPERLINK_RX_SEC_HIGH
                                    : HYPERLINK_RX_SEC_LOW);
    target->addr = 0;

    seg_val = rx->seg[target->segment];
    size = hyperlink_segment_size(seg_val);
    base = HYPERLINK_SEG_BASE(seg_val);
    if (!size) {
        return HYPERLINK_XLATE_NO_SEGMENT;
    }
    /* a segment may be longer than what one index spans: not its neighbour */
    if (offset + len > size || offset + len > span) {
        return HYPERLINK_XLATE_RANGE;
    }
    if (base + offset + len > UINT64_C(1) << 32) {
        return HYPERLINK_XLATE_WRAP;
    }
    target->addr = base + offset;
    return HYPERLINK_XLATE_OK;
}
