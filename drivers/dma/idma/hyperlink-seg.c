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
 * Return: the number of the segment, or -EINVAL (@addr is no multiple of 64 KiB,
 * or @size no power of two or below 4 KiB), -E2BIG (above 4 MiB), -ERANGE (not
 * below 4 GiB), -EBUSY (the memory is granted already, or the segment is taken),
 * -ENOSPC (no segment is free)
 */
int hyperlink_seg_add(struct hyperlink_segs *segs, int index, u64 addr, u64 size)
{
	int i, free = -1;

	if (size > HYPERLINK_SEG_MAX)
		return -E2BIG;
	if (size < HYPERLINK_SEG_MIN || !is_power_of_2(size) ||
	    !IS_ALIGNED(addr, HYPERLINK_SEG_ALIGN))
		return -EINVAL;
	if (addr >= SZ_4G || size > SZ_4G - addr)
		return -ERANGE;

	for (i = 0; i < HYPERLINK_SEGMENTS; i++) {
		if (!segs->order[i]) {
			if (free < 0 && !(segs->reserved & BIT_ULL(i)))
				free = i;
			continue;
		}
		if (addr < segs->base[i] + BIT_ULL(segs->order[i]) &&
		    segs->base[i] < addr + size)
			return -EBUSY;
	}

	if (index == HYPERLINK_SEG_ANY)
		index = free;
	else if (segs->order[index])
		return -EBUSY;
	if (index < 0)
		return -ENOSPC;

	segs->base[index] = addr;
	segs->order[index] = ilog2(size);

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
