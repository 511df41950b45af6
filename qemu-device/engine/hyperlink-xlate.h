/*
 * HyperLink address translation
 *
 * What a HyperLink does to an address on its way from the window of one side
 * to the memory of the other, and nothing else: the sender masks the address
 * and overlays the initiator's PrivID and security (outbound), the receiver
 * picks a segment by the bits that it has been told to look at and checks its
 * length (inbound).
 *
 * Plain C without QEMU, libc or state: the QEMU device, the unit tests and the
 * fuzzer all use this one.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HYPERLINK_XLATE_H
#define HYPERLINK_XLATE_H

#include <stdbool.h>
#include <stdint.h>

#define HYPERLINK_SEGMENTS      64
#define HYPERLINK_PRIVIDS       16

/* TX_SEL_CTL */
#define HYPERLINK_TX_IGMASK(v)  ((v) & 0xf)
#define HYPERLINK_TX_PRIVID(v)  ((v) >> 8 & 0xf)
#define HYPERLINK_TX_SECURE(v)  ((v) >> 16 & 0xf)
#define HYPERLINK_TX_SEL_BITS   0x000f0f0fu

/* RX_SEL_CTL */
#define HYPERLINK_RX_SEGSEL(v)  ((v) & 0xf)
#define HYPERLINK_RX_PRIVID(v)  ((v) >> 8 & 0xf)
#define HYPERLINK_RX_SECURE(v)  ((v) >> 16 & 0xf)
#define HYPERLINK_RX_SEC_LOW    (1u << 24)
#define HYPERLINK_RX_SEC_HIGH   (1u << 25)
#define HYPERLINK_RX_SEL_BITS   0x030f0f0fu

/* RX_SEG_VAL */
#define HYPERLINK_SEG_BASE(v)   ((v) & 0xffff0000u)
#define HYPERLINK_SEG_LEN(v)    ((v) & 0x1f)
#define HYPERLINK_SEG_BITS      0xffff001fu
#define HYPERLINK_SEG_LEN_MIN   8               /* smaller codes: no segment */

/* All that decides where an inbound access goes */
typedef struct HyperlinkRx {
    uint32_t sel_ctl;                           /* RX_SEL_CTL */
    uint32_t seg[HYPERLINK_SEGMENTS];           /* RX_SEG_VAL */
    uint8_t priv[HYPERLINK_PRIVIDS];            /* RX_PRIV_VAL */
} HyperlinkRx;

typedef enum HyperlinkXlateResult {
    HYPERLINK_XLATE_OK,
    HYPERLINK_XLATE_NO_SEGMENT,                 /* its length code is below 8 */
    HYPERLINK_XLATE_RANGE,                      /* beyond the segment's end */
    HYPERLINK_XLATE_WRAP,                       /* beyond 4 GiB */
} HyperlinkXlateResult;

typedef struct HyperlinkTarget {
    uint32_t addr;              /* valid with HYPERLINK_XLATE_OK only */
    uint8_t segment;
    uint8_t privid;             /* after the PrivID table */
    bool secure;
} HyperlinkTarget;

/*
 * The address that goes over the wire, for an access at @addr (an offset into
 * the window) by an initiator with @privid (4 bits) and @secure.
 */
uint32_t hyperlink_outbound(uint32_t tx_sel_ctl, uint32_t addr,
                            unsigned int privid, bool secure);

/*
 * Where an access of @len bytes (at least 1) at the wire's address @wire goes.
 * All of it must lie in one segment.
 */
HyperlinkXlateResult hyperlink_inbound(const HyperlinkRx *rx, uint32_t wire,
                                       uint32_t len, HyperlinkTarget *target);

/* Bytes in a segment, 0 if there is none */
uint64_t hyperlink_segment_size(uint32_t seg_val);

#endif
