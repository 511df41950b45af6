// SPDX-License-Identifier: GPL-2.0-only
/*
 * The desc64 front-end: chains of descriptors in coherent memory, launched by
 * one 64-bit store, marked in place when complete.
 *
 * The ring functions touch nothing but the ring, so that the KUnit tests run
 * them without hardware.
 */
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/io.h>
#include <linux/iopoll.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "idma-desc64.h"

/* How long the engine may be busy with what it was doing before the probe */
#define IDMA_DESC64_IDLE_US	100000

static unsigned int idma_desc64_index(unsigned int pos)
{
	return pos & (IDMA_DESC64_SLOTS - 1);
}

static u64 idma_desc64_addr(const struct idma_desc64_ring *ring,
			    unsigned int pos)
{
	return ring->dma + idma_desc64_index(pos) * sizeof(struct idma_desc64);
}

/* A free slot must not look like a transfer to anyone, the engine included */
static void idma_desc64_poison(struct idma_desc64 *desc)
{
	desc->mark = cpu_to_le64(IDMA_DESC64_MARK);
	desc->next = cpu_to_le64(IDMA_DESC64_END);
	desc->src = cpu_to_le64(IDMA_DESC64_POISON);
	desc->dst = cpu_to_le64(IDMA_DESC64_POISON);
}

/**
 * idma_desc64_ring_init - set up an empty ring
 * @ring: the ring
 * @desc: IDMA_DESC64_SLOTS + IDMA_DESC64_GUARD descriptors of coherent memory
 * @dma: their bus address
 * @flags: flags of every descriptor
 * @max_chains: chains that may be launched and not complete, at least 1
 */
void idma_desc64_ring_init(struct idma_desc64_ring *ring,
			   struct idma_desc64 *desc, dma_addr_t dma, u32 flags,
			   unsigned int max_chains)
{
	unsigned int i;

	memset(ring, 0, sizeof(*ring));
	ring->desc = desc;
	ring->dma = dma;
	ring->flags = flags;
	ring->max_chains = max_chains;
	for (i = 0; i < IDMA_DESC64_SLOTS + IDMA_DESC64_GUARD; i++)
		idma_desc64_poison(&desc[i]);
}
EXPORT_SYMBOL_IDMA_KUNIT(idma_desc64_ring_init);

/**
 * idma_desc64_ring_room - how many descriptors the next chain may have
 * @ring: the ring
 *
 * Return: the number of slots that may be built now, 0 for none
 */
unsigned int idma_desc64_ring_room(const struct idma_desc64_ring *ring)
{
	unsigned int used = ring->head - ring->tail;

	/* One slot is for the gap behind the chain */
	if (ring->chains >= ring->max_chains || used + 1 >= IDMA_DESC64_SLOTS)
		return 0;

	return IDMA_DESC64_SLOTS - 1 - used;
}
EXPORT_SYMBOL_IDMA_KUNIT(idma_desc64_ring_room);

/**
 * idma_desc64_ring_build - append a descriptor to the chain being built
 * @ring: the ring; it must have room
 * @seg: what the descriptor moves
 *
 * The slot is written whole: after a mark, or as poison, nothing in it is
 * worth keeping.
 */
void idma_desc64_ring_build(struct idma_desc64_ring *ring,
			    const struct idma_segment *seg)
{
	unsigned int i = idma_desc64_index(ring->head);
	struct idma_desc64 *desc = &ring->desc[i];
	u32 flags = ring->flags;

	if (seg->irq)
		flags |= IDMA_DESC64_IRQ;

	ring->head++;
	desc->length = cpu_to_le32(seg->len);
	desc->flags = cpu_to_le32(flags);
	desc->next = cpu_to_le64(idma_desc64_addr(ring, ring->head));
	desc->src = cpu_to_le64(seg->src);
	desc->dst = cpu_to_le64(seg->dst);
}
EXPORT_SYMBOL_IDMA_KUNIT(idma_desc64_ring_build);

/**
 * idma_desc64_ring_close - end the chain being built
 * @ring: the ring; at least one descriptor was built
 * @irq: ask for the interrupt at the end of the chain
 *
 * Return: the bus address of the chain's first descriptor, to be launched
 */
u64 idma_desc64_ring_close(struct idma_desc64_ring *ring, bool irq)
{
	unsigned int last = idma_desc64_index(ring->head - 1);
	struct idma_desc64 *desc = &ring->desc[last];
	u64 head = idma_desc64_addr(ring, ring->start);

	if (irq)
		desc->flags |= cpu_to_le32(IDMA_DESC64_IRQ);
	desc->next = cpu_to_le64(IDMA_DESC64_END);
	ring->slot[last] = IDMA_DESC64_SLOT_LAST;

	ring->slot[idma_desc64_index(ring->head)] = IDMA_DESC64_SLOT_GAP;
	ring->head++;
	ring->start = ring->head;
	ring->chains++;

	return head;
}
EXPORT_SYMBOL_IDMA_KUNIT(idma_desc64_ring_close);

static bool idma_desc64_marked(const struct idma_desc64 *desc)
{
	return READ_ONCE(desc->mark) == cpu_to_le64(IDMA_DESC64_MARK);
}

/**
 * idma_desc64_ring_pending - is the oldest descriptor in flight complete?
 * @ring: the ring
 *
 * Return: true if idma_desc64_ring_reap() would find something
 */
bool idma_desc64_ring_pending(const struct idma_desc64_ring *ring)
{
	/* The tail never rests on a gap: reaping a chain takes its gap along */
	return ring->tail != ring->start &&
	       idma_desc64_marked(&ring->desc[idma_desc64_index(ring->tail)]);
}
EXPORT_SYMBOL_IDMA_KUNIT(idma_desc64_ring_pending);

/**
 * idma_desc64_ring_reap - take the oldest descriptors that are marked
 * @ring: the ring
 * @max: take no more than this
 *
 * Return: how many were taken; their slots are free again
 */
unsigned int idma_desc64_ring_reap(struct idma_desc64_ring *ring,
				   unsigned int max)
{
	unsigned int start = ring->start;
	unsigned int tail = ring->tail;
	unsigned int n = 0;

	for (; tail != start; tail++) {
		unsigned int i = idma_desc64_index(tail);
		struct idma_desc64 *desc = &ring->desc[i];

		if (!(ring->slot[i] & IDMA_DESC64_SLOT_GAP)) {
			if (n == max || !idma_desc64_marked(desc))
				break;
			if (ring->slot[i] & IDMA_DESC64_SLOT_LAST)
				ring->chains--;
			n++;
			idma_desc64_poison(desc);
		}
		ring->slot[i] = 0;
	}
	ring->tail = tail;

	return n;
}
EXPORT_SYMBOL_IDMA_KUNIT(idma_desc64_ring_reap);

static int idma_desc64_init(struct idma_dev *idma)
{
	struct idma_desc64_ring *ring;
	struct idma_desc64 *desc;
	dma_addr_t dma;
	u64 status;
	int ret;

	status = readq(idma->regs + IDMA_DESC64_STATUS);
	if (status & ~IDMA_DESC64_STATUS_MASK)
		return dev_err_probe(idma->dev, -ENODEV,
				     "STATUS reads %#llx: no desc64 front-end at this address\n",
				     status);

	/* A boot loader may have left a transfer behind */
	ret = readq_poll_timeout(idma->regs + IDMA_DESC64_STATUS, status,
				 !(status & IDMA_DESC64_STATUS_BUSY), 100,
				 IDMA_DESC64_IDLE_US);
	if (ret)
		return dev_err_probe(idma->dev, -EBUSY,
				     "the engine is still busy after %u ms\n",
				     IDMA_DESC64_IDLE_US / 1000);

	ring = kzalloc(sizeof(*ring), GFP_KERNEL);
	if (!ring)
		return -ENOMEM;

	desc = dma_alloc_coherent(idma->dev,
				  (IDMA_DESC64_SLOTS + IDMA_DESC64_GUARD) *
				  sizeof(*desc), &dma, GFP_KERNEL);
	if (!desc) {
		kfree(ring);
		return dev_err_probe(idma->dev, -ENOMEM,
				     "no coherent memory for the descriptors\n");
	}

	idma_desc64_ring_init(ring, desc, dma, idma->fe_flags,
			      min_t(u32, IDMA_CHAINS, idma->input_slots));
	idma->fe = ring;

	return 0;
}

static void idma_desc64_exit(struct idma_dev *idma, bool leak)
{
	struct idma_desc64_ring *ring = idma->fe;

	if (!leak)
		dma_free_coherent(idma->dev,
				  (IDMA_DESC64_SLOTS + IDMA_DESC64_GUARD) *
				  sizeof(*ring->desc), ring->desc, ring->dma);
	kfree(ring);
	idma->fe = NULL;
}

static unsigned int idma_desc64_room(struct idma_dev *idma)
{
	struct idma_desc64_ring *ring = idma->fe;
	unsigned int room = idma_desc64_ring_room(ring);

	/*
	 * A store to a full input FIFO stalls the bus or loses the launch. The
	 * count of chains rules that out, unless the device tree is wrong.
	 */
	if (room && ring->chains &&
	    readq(idma->regs + IDMA_DESC64_STATUS) & IDMA_DESC64_STATUS_FIFO_FULL) {
		idma->stats.launches_refused++;
		return 0;
	}

	return room;
}

static void idma_desc64_build(struct idma_dev *idma,
			      const struct idma_segment *seg)
{
	idma_desc64_ring_build(idma->fe, seg);
}

static void idma_desc64_launch(struct idma_dev *idma, bool irq)
{
	u64 head = idma_desc64_ring_close(idma->fe, irq);

	/* writeq() orders the descriptors before the store */
	writeq(head, idma->regs + IDMA_DESC64_DESC_ADDR);
}

static bool idma_desc64_pending(struct idma_dev *idma)
{
	return idma_desc64_ring_pending(idma->fe);
}

static unsigned int idma_desc64_reap(struct idma_dev *idma, unsigned int max)
{
	unsigned int n = idma_desc64_ring_reap(idma->fe, max);

	/* Data is visible before the mark: read none of it any earlier */
	if (n)
		dma_rmb();

	return n;
}

static bool idma_desc64_busy(struct idma_dev *idma)
{
	return readq(idma->regs + IDMA_DESC64_STATUS) & IDMA_DESC64_STATUS_BUSY;
}

static void idma_desc64_reset(struct idma_dev *idma)
{
	struct idma_desc64_ring *ring = idma->fe;

	idma_desc64_ring_init(ring, ring->desc, ring->dma, ring->flags,
			      ring->max_chains);
}

static void idma_desc64_show(struct idma_dev *idma, struct seq_file *s)
{
	const struct idma_desc64_ring *ring = idma->fe;

	seq_printf(s, "status: %#llx\n", readq(idma->regs + IDMA_DESC64_STATUS));
	seq_printf(s, "ring_slots_used: %u\n", ring->head - ring->tail);
	seq_printf(s, "chains_in_flight: %u\n", ring->chains);
}

const struct idma_frontend_ops idma_desc64_ops = {
	.name = "desc64",
	.max_len = IDMA_DESC64_MAX_LEN,
	.init = idma_desc64_init,
	.exit = idma_desc64_exit,
	.room = idma_desc64_room,
	.build = idma_desc64_build,
	.launch = idma_desc64_launch,
	.pending = idma_desc64_pending,
	.reap = idma_desc64_reap,
	.busy = idma_desc64_busy,
	.reset = idma_desc64_reset,
	.show = idma_desc64_show,
};
