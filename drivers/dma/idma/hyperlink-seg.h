/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * HyperLink's segments: what the peer may touch of this side's memory, and the
 * same as the peer tells it. No hardware here; shared with the KUnit tests.
 */
#ifndef _DRIVERS_DMA_HYPERLINK_SEG_H
#define _DRIVERS_DMA_HYPERLINK_SEG_H

#include <linux/types.h>

#include "hyperlink-regs.h"

#define HYPERLINK_SEG_ANY	(-1)

/**
 * struct hyperlink_segs - this side's segments
 * @base: bus address of each, below 4 GiB
 * @order: log2 of the size of each, 0 if there is none
 * @reserved: segments that are only given to those who ask for their number
 * @gen: which use of the segment this is, for the peer to know one from the next
 * @grants: number of the last use of any of them
 * @next: where to look for a free one
 */
struct hyperlink_segs {
	u32 base[HYPERLINK_SEGMENTS];
	u8 order[HYPERLINK_SEGMENTS];
	u64 reserved;
	u32 gen[HYPERLINK_SEGMENTS];
	u32 grants;
	unsigned int next;
};

int hyperlink_seg_add(struct hyperlink_segs *segs, int index, u64 addr, u64 size);
void hyperlink_seg_del(struct hyperlink_segs *segs, unsigned int index);
u32 hyperlink_seg_val(const struct hyperlink_segs *segs, unsigned int index);
int hyperlink_seg_check(const u8 *order, u64 remote, u64 len);
u64 hyperlink_seg_gone(const u8 *order, const u32 *gen, const u8 *now_order,
		       const u32 *now_gen);

static inline u64 hyperlink_seg_remote(unsigned int index)
{
	return (u64)index << HYPERLINK_SEG_SHIFT;
}

#endif /* _DRIVERS_DMA_HYPERLINK_SEG_H */
