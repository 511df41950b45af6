// SPDX-License-Identifier: GPL-2.0-only
/*
 * HyperLink's segment allocator. Segments are what the peer may touch: they are
 * exactly as long as what was granted, so they are powers of two.
 */
#include <linux/errno.h>
#include <linux/log2.h>

#include "hyperlink.h"

/**
 * hyperlink_seg_add - make a segment
 * @segs: this side's segments
 * @index: number of the segment, HYPERLINK_SEG_ANY for a free one
 * @addr: bus address of the memory
 * @size: its size in bytes
 *
 * Of the free ones it is the one that comes next after the last one: the peer still
 * uses windows onto what was taken back until it hears of that, and they are to
 * lead nowhere as long as that can be had.
 *
 * Return: the number of the segment, or -EINVAL (@addr is no multiple of 64 KiB,
 * or @size no power of two or below 4 KiB), -E2BIG (above 4 MiB), -ERANGE (not
 * below 4 GiB), -EBUSY (the memory is granted already, or the segment is taken),
 * -ENOSPC (no segment is free)
 */
int hyperlink_seg_add(struct hyperlink_segs *segs, int index, u64 addr, u64 size)
{
	int i, n, free = -1;

	if (size > HYPERLINK_SEG_MAX)
		return -E2BIG;
	if (size < HYPERLINK_SEG_MIN || !is_power_of_2(size) ||
	    !IS_ALIGNED(addr, HYPERLINK_SEG_ALIGN))
		return -EINVAL;
	if (addr >= SZ_4G || size > SZ_4G - addr)
		return -ERANGE;

	for (n = 0; n < HYPERLINK_SEGMENTS; n++) {
		i = (segs->next + n) % HYPERLINK_SEGMENTS;
		if (!segs->order[i]) {
			if (free < 0 && !(segs->reserved & BIT_ULL(i)))
				free = i;
			continue;
		}
		if (addr < segs->base[i] + BIT_ULL(segs->order[i]) &&
		    segs->base[i] < addr + size)
			return -EBUSY;
	}

	if (index == HYPERLINK_SEG_ANY) {
		if (free < 0)
			return -ENOSPC;
		index = free;
		segs->next = index + 1;
	} else if (segs->order[index]) {
		return -EBUSY;
	}

	segs->base[index] = addr;
	segs->order[index] = ilog2(size);
	segs->gen[index] = ++segs->grants;

	return index;
}
EXPORT_SYMBOL_HYPERLINK_KUNIT(hyperlink_seg_add);

/**
 * hyperlink_seg_del - remove a segment
 * @segs: this side's segments
 * @index: number of the segment
 */
void hyperlink_seg_del(struct hyperlink_segs *segs, unsigned int index)
{
	segs->base[index] = 0;
	segs->order[index] = 0;
}
EXPORT_SYMBOL_HYPERLINK_KUNIT(hyperlink_seg_del);

/**
 * hyperlink_seg_val - a segment as the hardware wants it
 * @segs: this side's segments
 * @index: number of the segment
 *
 * Return: RX_SEG_VAL; its length code is n for 2^(n + 1) bytes, 0 for nothing
 */
u32 hyperlink_seg_val(const struct hyperlink_segs *segs, unsigned int index)
{
	if (!segs->order[index])
		return 0;

	return segs->base[index] | (segs->order[index] - 1);
}
EXPORT_SYMBOL_HYPERLINK_KUNIT(hyperlink_seg_val);

/**
 * hyperlink_seg_check - may a range of remote memory be touched?
 * @order: log2 of the size of each of the peer's segments, 0 if there is none
 * @remote: address in the remote address space
 * @len: length in bytes, at least 1
 *
 * Return: 0, or -ERANGE if it is not inside of one segment
 */
int hyperlink_seg_check(const u8 *order, u64 remote, u64 len)
{
	u64 index = remote >> HYPERLINK_SEG_SHIFT;
	u64 offset = remote & (HYPERLINK_SEG_MAX - 1);

	if (index >= HYPERLINK_SEGMENTS || !order[index])
		return -ERANGE;
	if (offset + len > BIT_ULL(order[index]) || offset + len < len)
		return -ERANGE;

	return 0;
}
EXPORT_SYMBOL_HYPERLINK_KUNIT(hyperlink_seg_check);

/**
 * hyperlink_seg_gone - what has the peer taken back?
 * @order: log2 of the size of each of its segments as it was, 0 if there was none
 * @gen: which use of the segment that was
 * @now_order: @order as it is
 * @now_gen: @gen as it is
 *
 * Return: bitmap of segments that are not there any more, or not as far as they
 * were, or that are there again for something else
 */
u64 hyperlink_seg_gone(const u8 *order, const u32 *gen, const u8 *now_order,
		       const u32 *now_gen)
{
	unsigned int i;
	u64 gone = 0;

	for (i = 0; i < HYPERLINK_SEGMENTS; i++)
		if (order[i] && (now_order[i] < order[i] || now_gen[i] != gen[i]))
			gone |= BIT_ULL(i);

	return gone;
}
EXPORT_SYMBOL_HYPERLINK_KUNIT(hyperlink_seg_gone);
