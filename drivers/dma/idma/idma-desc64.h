/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The desc64 front-end as its RTL defines it for a 64-bit bus: registers,
 * descriptor, and the ring of descriptors that the driver keeps for it.
 */
#ifndef _DRIVERS_DMA_IDMA_DESC64_H
#define _DRIVERS_DMA_IDMA_DESC64_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/types.h>

#include "idma.h"

/* Registers: 64 bit wide, and every store to DESC_ADDR launches a chain */
#define IDMA_DESC64_DESC_ADDR		0x00
#define IDMA_DESC64_STATUS		0x08
#define IDMA_DESC64_STATUS_BUSY		BIT_ULL(0)
#define IDMA_DESC64_STATUS_FIFO_FULL	BIT_ULL(1)
#define IDMA_DESC64_STATUS_MASK		GENMASK_ULL(1, 0)

/* Descriptor flags */
#define IDMA_DESC64_IRQ			BIT(0)
#define IDMA_DESC64_SRC_INCR		BIT(1)		/* 2:1, 0 FIXED, 1 INCR, 2 WRAP */
#define IDMA_DESC64_DST_INCR		BIT(3)		/* 4:3, likewise */
#define IDMA_DESC64_DECOUPLE_RW		BIT(5)
#define IDMA_DESC64_DECOUPLE_AW		BIT(6)
#define IDMA_DESC64_REDUCE_LEN		BIT(7)
#define IDMA_DESC64_SRC_CACHE		GENMASK(11, 8)
#define IDMA_DESC64_DST_CACHE		GENMASK(15, 12)
#define IDMA_DESC64_AXI_ID		GENMASK(23, 16)

/* Zero in the burst fields is FIXED, which the back-end does not support */
#define IDMA_DESC64_INCR	(IDMA_DESC64_SRC_INCR | IDMA_DESC64_DST_INCR)

#define IDMA_DESC64_MAX_LEN		U32_MAX
#define IDMA_DESC64_END			(~0ULL)		/* next of the last one */
#define IDMA_DESC64_MARK		(~0ULL)		/* length and flags when complete */
/* Addresses of a free slot: if the engine ever ran one, the bus would say so */
#define IDMA_DESC64_POISON		0xdeadbeefdeadbee0ULL

/**
 * struct idma_desc64 - descriptor in memory
 * @length: bytes; with @flags overwritten by the mark on completion
 * @flags: IDMA_DESC64_*
 * @mark: @length and @flags as the one word that the mark is
 * @next: bus address of the next one, IDMA_DESC64_END for none
 * @src: bus address of the source
 * @dst: bus address of the destination
 */
struct idma_desc64 {
	union {
		struct {
			__le32 length;
			__le32 flags;
		};
		__le64 mark;
	};
	__le64 next;
	__le64 src;
	__le64 dst;
};

static_assert(sizeof(struct idma_desc64) == 32);

/*
 * Slots of the ring: a power of two. With a gap after every chain it must hold
 * IDMA_CHAINS chains and the one that is being built.
 */
#define IDMA_DESC64_SLOTS		256U

/*
 * Slots behind the ring that are never used: what the prefetcher guesses
 * beyond the last slot must be memory that may be read.
 */
#define IDMA_DESC64_GUARD		64U

/* What a slot is for, beside being free */
#define IDMA_DESC64_SLOT_LAST		BIT(0)	/* last of its chain */
#define IDMA_DESC64_SLOT_GAP		BIT(1)	/* left out between chains */

/**
 * struct idma_desc64_ring - the descriptors of an engine, in launch order
 * @desc: the slots, in coherent memory
 * @dma: bus address of the first one
 * @flags: flags of every descriptor
 * @max_chains: chains that may be launched and not complete
 * @head: next slot to build in; counts up, the slot is its low bits
 * @start: first slot of the chain that is being built
 * @tail: oldest slot whose mark was not yet seen
 * @chains: chains that are launched and not complete
 * @slot: IDMA_DESC64_SLOT_* of each slot
 *
 * Chains are laid out one after the other with a gap slot between them. A head
 * right behind the last slot of a chain would be taken for a confirmed guess
 * by the prefetcher, which then runs whatever it read there earlier.
 */
struct idma_desc64_ring {
	struct idma_desc64 *desc;
	dma_addr_t dma;
	u32 flags;
	unsigned int max_chains;
	unsigned int head;
	unsigned int start;
	unsigned int tail;
	unsigned int chains;
	u8 slot[IDMA_DESC64_SLOTS];
};

void idma_desc64_ring_init(struct idma_desc64_ring *ring,
			   struct idma_desc64 *desc, dma_addr_t dma, u32 flags,
			   unsigned int max_chains);
unsigned int idma_desc64_ring_room(const struct idma_desc64_ring *ring);
void idma_desc64_ring_build(struct idma_desc64_ring *ring,
			    const struct idma_segment *seg);
u64 idma_desc64_ring_close(struct idma_desc64_ring *ring, bool irq);
bool idma_desc64_ring_pending(const struct idma_desc64_ring *ring);
unsigned int idma_desc64_ring_reap(struct idma_desc64_ring *ring,
				   unsigned int max);

#endif /* _DRIVERS_DMA_IDMA_DESC64_H */
