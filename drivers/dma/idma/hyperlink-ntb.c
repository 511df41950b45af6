// SPDX-License-Identifier: GPL-2.0-only
/*
 * HyperLink as a device of the kernel's NTB subsystem, with one peer: its memory
 * windows are segments, its doorbells HyperLink's interrupts, and its
 * scratchpads lie in the page that each side grants the other.
 *
 * The device comes when the link is up for the first time, because only then is
 * it known which of the two is port 0, and stays. For NTB the link is up while
 * clients on both sides want it, and has been down for a moment before it is up
 * again: clients tidy up in works of their own, and clear the scratchpads then.
 * A client that gives the link up is not told that it is down: it goes next, and
 * not all of them look for works that such an event starts at that point.
 */
#include <linux/err.h>
#include <linux/io.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/ntb.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "hyperlink.h"

/* How long the link stays down once it went down, or a client came */
#define HYPERLINK_NTB_REST_MS	500
/* How often to look whether that is over */
#define HYPERLINK_NTB_LOOK_MS	50
#define HYPERLINK_NTB_DB_MASK	GENMASK_ULL(HYPERLINK_NTB_DBS - 1, 0)

static unsigned int ntb_mws = 2;
module_param(ntb_mws, uint, 0444);
MODULE_PARM_DESC(ntb_mws, "memory windows of the NTB device, up to 8 (default 2), 0 for no NTB device; the same on both sides");

static unsigned int ntb_mw_size = SZ_1M;
module_param(ntb_mw_size, uint, 0444);
MODULE_PARM_DESC(ntb_mw_size, "size of a memory window, a power of two from 64 KiB to 4 MiB (default 1 MiB); the same on both sides");

/**
 * struct hyperlink_ntb - the NTB device
 * @ntb: NTB's part
 * @hl: the link
 * @role: its port
 * @wanted: a client wants the link
 * @up: the link is up, as far as NTB is told
 * @rest: when it may be up again, in jiffies
 * @lock: protects @pending and @mask, and changes of @wanted and @up
 * @pending: doorbells that were rung and not cleared
 * @mask: doorbells that are no events
 * @mws: bitmap of memory windows that lead somewhere; changed by clients, who
 *	do that one at a time
 */
struct hyperlink_ntb {
	struct ntb_dev ntb;
	struct hyperlink *hl;
	u32 role;
	bool wanted;
	bool up;
	unsigned long rest;
	spinlock_t lock; /* Protects pending, mask, and changes of wanted and up */
	u32 pending;
	u32 mask;
	u32 mws;
};

static struct hyperlink_ntb *to_hyperlink_ntb(struct ntb_dev *ntb)
{
	return container_of(ntb, struct hyperlink_ntb, ntb);
}

/* ---- Link ---- */

static u64 hyperlink_ntb_link_is_up(struct ntb_dev *ntb, enum ntb_speed *speed,
				    enum ntb_width *width)
{
	struct hyperlink_ntb *hn = to_hyperlink_ntb(ntb);
	bool up = READ_ONCE(hn->up) && hyperlink_ready(hn->hl);
	u32 sts = up ? hyperlink_read(hn->hl, HYPERLINK_STS) : 0;

	if (speed)
		*speed = NTB_SPEED_NONE;
	if (width)
		*width = FIELD_GET(HYPERLINK_STS_SWIDTHIN, sts);

	return up;
}

static void hyperlink_ntb_rest(struct hyperlink_ntb *hn)
{
	WRITE_ONCE(hn->rest, jiffies + msecs_to_jiffies(HYPERLINK_NTB_REST_MS));
}

/* Down at once, and up when both sides have settled */
static void hyperlink_ntb_want(struct hyperlink_ntb *hn, bool wanted)
{
	unsigned long flags;

	spin_lock_irqsave(&hn->lock, flags);
	hyperlink_ntb_rest(hn);
	WRITE_ONCE(hn->wanted, wanted);
	if (!wanted)
		WRITE_ONCE(hn->up, false);
	spin_unlock_irqrestore(&hn->lock, flags);
	hyperlink_hello_changed(hn->hl);
}

static int hyperlink_ntb_link_enable(struct ntb_dev *ntb, enum ntb_speed speed,
				     enum ntb_width width)
{
	/* ntb_transport, too, tidies up when it comes, and gives up if disturbed */
	hyperlink_ntb_want(to_hyperlink_ntb(ntb), true);

	return 0;
}

static int hyperlink_ntb_link_disable(struct ntb_dev *ntb)
{
	hyperlink_ntb_want(to_hyperlink_ntb(ntb), false);

	return 0;
}

/* ---- Memory windows ---- */

static int hyperlink_ntb_mw_count(struct ntb_dev *ntb, int pidx)
{
	return pidx == NTB_DEF_PEER_IDX ? ntb_mws : 0;
}

static bool hyperlink_ntb_mw_ok(int widx)
{
	return widx >= 0 && widx < ntb_mws;
}

/* Segment 0 is the shared page */
static unsigned int hyperlink_ntb_seg(int widx)
{
	return 1 + widx;
}

static int hyperlink_ntb_mw_get_align(struct ntb_dev *ntb, int pidx, int widx,
				      resource_size_t *addr_align,
				      resource_size_t *size_align,
				      resource_size_t *size_max)
{
	if (pidx != NTB_DEF_PEER_IDX || !hyperlink_ntb_mw_ok(widx))
		return -EINVAL;

	if (addr_align)
		*addr_align = HYPERLINK_SEG_ALIGN;
	/* Powers of two, of which only the multiples can be told */
	if (size_align)
		*size_align = HYPERLINK_SEG_MIN;
	if (size_max)
		*size_max = ntb_mw_size;

	return 0;
}

/* The client must not free the memory if this is an error, though many do */
static int hyperlink_ntb_clear(struct hyperlink_ntb *hn, int widx)
{
	if (!(hn->mws & BIT(widx)))
		return 0;
	hn->mws &= ~BIT(widx);

	return hyperlink_revoke_at(hn->hl, hyperlink_ntb_seg(widx));
}

static int hyperlink_ntb_mw_clear_trans(struct ntb_dev *ntb, int pidx, int widx)
{
	struct hyperlink_ntb *hn = to_hyperlink_ntb(ntb);

	if (pidx != NTB_DEF_PEER_IDX || !hyperlink_ntb_mw_ok(widx))
		return -EINVAL;

	return hyperlink_ntb_clear(hn, widx);
}

static int hyperlink_ntb_mw_set_trans(struct ntb_dev *ntb, int pidx, int widx,
				      dma_addr_t addr, resource_size_t size)
{
	struct hyperlink_ntb *hn = to_hyperlink_ntb(ntb);
	int ret;

	ret = hyperlink_ntb_mw_clear_trans(ntb, pidx, widx);
	if (ret || !size)
		return ret;
	if (size > ntb_mw_size)
		return -EINVAL;

	ret = hyperlink_grant_at(hn->hl, hyperlink_ntb_seg(widx), addr, size);
	if (ret < 0) {
		dev_err(&ntb->dev, "window %d cannot be %pa bytes at %pad: a power of two, at a multiple of 64 KiB below 4 GiB\n",
			widx, &size, &addr);
		return ret;
	}
	hn->mws |= BIT(widx);

	return 0;
}

static int hyperlink_ntb_peer_mw_count(struct ntb_dev *ntb)
{
	return ntb_mws;
}

static int hyperlink_ntb_peer_mw_get_addr(struct ntb_dev *ntb, int widx,
					  phys_addr_t *base,
					  resource_size_t *size)
{
	struct hyperlink_ntb *hn = to_hyperlink_ntb(ntb);

	if (!hyperlink_ntb_mw_ok(widx))
		return -EINVAL;
	if (base)
		*base = hn->hl->window +
			hyperlink_seg_remote(hyperlink_ntb_seg(widx));
	if (size)
		*size = ntb_mw_size;

	return 0;
}

/* ---- Doorbells ---- */

static u64 hyperlink_ntb_db_valid_mask(struct ntb_dev *ntb)
{
	return HYPERLINK_NTB_DB_MASK;
}

static u64 hyperlink_ntb_db_read(struct ntb_dev *ntb)
{
	return READ_ONCE(to_hyperlink_ntb(ntb)->pending);
}

static u64 hyperlink_ntb_db_read_mask(struct ntb_dev *ntb)
{
	return READ_ONCE(to_hyperlink_ntb(ntb)->mask);
}

static int hyperlink_ntb_db_clear(struct ntb_dev *ntb, u64 bits)
{
	struct hyperlink_ntb *hn = to_hyperlink_ntb(ntb);
	unsigned long flags;

	spin_lock_irqsave(&hn->lock, flags);
	hn->pending &= ~bits;
	spin_unlock_irqrestore(&hn->lock, flags);

	return 0;
}

static int hyperlink_ntb_db_set_mask(struct ntb_dev *ntb, u64 bits)
{
	struct hyperlink_ntb *hn = to_hyperlink_ntb(ntb);
	unsigned long flags;

	if (bits & ~HYPERLINK_NTB_DB_MASK)
		return -EINVAL;

	spin_lock_irqsave(&hn->lock, flags);
	hn->mask |= bits;
	spin_unlock_irqrestore(&hn->lock, flags);

	return 0;
}

/* Let the interrupt come once more */
static void hyperlink_ntb_again(struct hyperlink_ntb *hn, u32 bits)
{
	if (bits)
		writel(bits << HYPERLINK_VEC_NTB, hn->hl->regs + HYPERLINK_INT_SET);
}

static int hyperlink_ntb_db_clear_mask(struct ntb_dev *ntb, u64 bits)
{
	struct hyperlink_ntb *hn = to_hyperlink_ntb(ntb);
	unsigned long flags;
	u32 again;

	if (bits & ~HYPERLINK_NTB_DB_MASK)
		return -EINVAL;

	spin_lock_irqsave(&hn->lock, flags);
	again = hn->pending & hn->mask & bits;
	hn->mask &= ~bits;
	spin_unlock_irqrestore(&hn->lock, flags);

	/* What was rung meanwhile is an event now; the caller may be in one */
	hyperlink_ntb_again(hn, again);

	return 0;
}

static int hyperlink_ntb_peer_db_set(struct ntb_dev *ntb, u64 bits)
{
	struct hyperlink_ntb *hn = to_hyperlink_ntb(ntb);
	int ret = 0;

	if (bits & ~HYPERLINK_NTB_DB_MASK)
		return -EINVAL;
	for (; bits && !ret; bits &= bits - 1)
		ret = hyperlink_ring(hn->hl, HYPERLINK_VEC_NTB + __ffs64(bits));

	return ret;
}

/* From the interrupt handler */
void hyperlink_ntb_doorbells(struct hyperlink *hl, u32 bits)
{
	/* Pairs with hyperlink_ntb_publish() */
	struct hyperlink_ntb *hn = smp_load_acquire(&hl->ntb);
	unsigned long flags;
	u32 events;

	if (!hn)
		return;

	spin_lock_irqsave(&hn->lock, flags);
	hn->pending |= bits;
	/* The peer may know earlier that the link is up; clients must not */
	events = hn->up ? bits & ~hn->mask : 0;
	spin_unlock_irqrestore(&hn->lock, flags);

	/* One vector for all of them */
	if (events)
		ntb_db_event(&hn->ntb, 0);
}

/* ---- Scratchpads ---- */

static int hyperlink_ntb_spad_count(struct ntb_dev *ntb)
{
	return HYPERLINK_NTB_SPADS;
}

static bool hyperlink_ntb_spad_ok(int sidx)
{
	return sidx >= 0 && sidx < HYPERLINK_NTB_SPADS;
}

static u32 hyperlink_ntb_spad_read(struct ntb_dev *ntb, int sidx)
{
	struct hyperlink *hl = to_hyperlink_ntb(ntb)->hl;

	if (!hyperlink_ntb_spad_ok(sidx))
		return 0;

	return le32_to_cpu(READ_ONCE(hl->page->spad[sidx]));
}

static int hyperlink_ntb_spad_write(struct ntb_dev *ntb, int sidx, u32 val)
{
	struct hyperlink *hl = to_hyperlink_ntb(ntb)->hl;

	if (!hyperlink_ntb_spad_ok(sidx))
		return -EINVAL;
	WRITE_ONCE(hl->page->spad[sidx], cpu_to_le32(val));

	return 0;
}

static void __iomem *hyperlink_ntb_peer_spad(struct hyperlink *hl, int sidx)
{
	return hl->peer_page + offsetof(struct hyperlink_page, spad[sidx]);
}

static int hyperlink_ntb_peer_spad_addr(struct ntb_dev *ntb, int pidx, int sidx,
					phys_addr_t *addr)
{
	struct hyperlink *hl = to_hyperlink_ntb(ntb)->hl;

	if (pidx != NTB_DEF_PEER_IDX || !hyperlink_ntb_spad_ok(sidx))
		return -EINVAL;
	if (addr)
		*addr = hl->window + offsetof(struct hyperlink_page, spad[sidx]);

	return 0;
}

static u32 hyperlink_ntb_peer_spad_read(struct ntb_dev *ntb, int pidx, int sidx)
{
	struct hyperlink *hl = to_hyperlink_ntb(ntb)->hl;

	if (pidx != NTB_DEF_PEER_IDX || !hyperlink_ntb_spad_ok(sidx) ||
	    !hyperlink_ready(hl))
		return 0;

	return ioread32(hyperlink_ntb_peer_spad(hl, sidx));
}

static int hyperlink_ntb_peer_spad_write(struct ntb_dev *ntb, int pidx, int sidx,
					 u32 val)
{
	struct hyperlink *hl = to_hyperlink_ntb(ntb)->hl;

	if (pidx != NTB_DEF_PEER_IDX || !hyperlink_ntb_spad_ok(sidx))
		return -EINVAL;
	if (!hyperlink_ready(hl))
		return -ENOLINK;
	iowrite32(val, hyperlink_ntb_peer_spad(hl, sidx));

	return 0;
}

static const struct ntb_dev_ops hyperlink_ntb_ops = {
	.link_is_up = hyperlink_ntb_link_is_up,
	.link_enable = hyperlink_ntb_link_enable,
	.link_disable = hyperlink_ntb_link_disable,
	.mw_count = hyperlink_ntb_mw_count,
	.mw_get_align = hyperlink_ntb_mw_get_align,
	.mw_set_trans = hyperlink_ntb_mw_set_trans,
	.mw_clear_trans = hyperlink_ntb_mw_clear_trans,
	.peer_mw_count = hyperlink_ntb_peer_mw_count,
	.peer_mw_get_addr = hyperlink_ntb_peer_mw_get_addr,
	.db_valid_mask = hyperlink_ntb_db_valid_mask,
	.db_read = hyperlink_ntb_db_read,
	.db_clear = hyperlink_ntb_db_clear,
	.db_read_mask = hyperlink_ntb_db_read_mask,
	.db_set_mask = hyperlink_ntb_db_set_mask,
	.db_clear_mask = hyperlink_ntb_db_clear_mask,
	.peer_db_set = hyperlink_ntb_peer_db_set,
	.spad_count = hyperlink_ntb_spad_count,
	.spad_read = hyperlink_ntb_spad_read,
	.spad_write = hyperlink_ntb_spad_write,
	.peer_spad_addr = hyperlink_ntb_peer_spad_addr,
	.peer_spad_read = hyperlink_ntb_peer_spad_read,
	.peer_spad_write = hyperlink_ntb_peer_spad_write,
};

/* ---- For the core ---- */

/* Segments that are NTB's */
u64 hyperlink_ntb_reserved(void)
{
	return ((1ULL << ntb_mws) - 1) << hyperlink_ntb_seg(0);
}

int hyperlink_ntb_check_params(struct device *dev)
{
	if (ntb_mws > HYPERLINK_NTB_MAX_MWS)
		return dev_err_probe(dev, -EINVAL, "ntb_mws: %u is above %u\n",
				     ntb_mws, HYPERLINK_NTB_MAX_MWS);
	if (ntb_mw_size < HYPERLINK_SEG_ALIGN || ntb_mw_size > HYPERLINK_SEG_MAX ||
	    !is_power_of_2(ntb_mw_size))
		return dev_err_probe(dev, -EINVAL,
				     "ntb_mw_size: %u is no power of two from 64 KiB to 4 MiB\n",
				     ntb_mw_size);

	return 0;
}

/* Does a client want the link, and is it ready for it? That is what the peer hears */
bool hyperlink_ntb_wanted(struct hyperlink *hl)
{
	struct hyperlink_ntb *hn = hl->ntb;

	return hn && READ_ONCE(hn->wanted) &&
	       time_after_eq(jiffies, READ_ONCE(hn->rest));
}

/* To the interrupt handler, which is not in it any more when it is hidden */
static void hyperlink_ntb_publish(struct hyperlink *hl, struct hyperlink_ntb *hn)
{
	/* All of it before the pointer; pairs with hyperlink_ntb_doorbells() */
	smp_store_release(&hl->ntb, hn);
	if (!hn)
		synchronize_irq(hl->irq);
}

/* Ours is the link's work, which alone changes hl->ntb until it is cancelled */
void hyperlink_ntb_unregister(struct hyperlink *hl)
{
	struct hyperlink_ntb *hn = hl->ntb;
	int widx;

	if (!hn)
		return;

	hyperlink_ntb_publish(hl, NULL);
	ntb_unregister_device(&hn->ntb);
	/* What clients have not cleared */
	for (widx = 0; widx < ntb_mws; widx++)
		hyperlink_ntb_clear(hn, widx);
	kfree(hn);
}

/* The link is ready, and this side is port @role */
int hyperlink_ntb_register(struct hyperlink *hl, u32 role)
{
	struct hyperlink_ntb *hn = hl->ntb;
	int ret;

	if (!ntb_mws || (hn && hn->role == role))
		return 0;
	if (hn)
		hyperlink_ntb_unregister(hl);

	hn = kzalloc(sizeof(*hn), GFP_KERNEL);
	if (!hn)
		return -ENOMEM;
	hn->hl = hl;
	hn->role = role;
	hn->rest = jiffies;
	hn->mask = HYPERLINK_NTB_DB_MASK;
	spin_lock_init(&hn->lock);
	hn->ntb.pdev = hl->pdev;
	hn->ntb.topo = role ? NTB_TOPO_B2B_DSD : NTB_TOPO_B2B_USD;
	hn->ntb.ops = &hyperlink_ntb_ops;
	hyperlink_ntb_publish(hl, hn);

	ret = ntb_register_device(&hn->ntb);
	if (ret) {
		dev_err(&hl->pdev->dev, "cannot register with NTB: %d\n", ret);
		hyperlink_ntb_publish(hl, NULL);
		kfree(hn);
	}

	return ret;
}

/* Returns in how many milliseconds to call again, 0 for not */
unsigned int hyperlink_ntb_link(struct hyperlink *hl, bool up)
{
	struct hyperlink_ntb *hn = hl->ntb;
	unsigned long flags;
	bool changed;

	if (!hn)
		return 0;

	/* A client may give the link up right now */
	spin_lock_irqsave(&hn->lock, flags);
	up = up && hyperlink_ntb_wanted(hl);
	changed = up != hn->up;
	WRITE_ONCE(hn->up, up);
	if (changed && !up)
		hyperlink_ntb_rest(hn);
	spin_unlock_irqrestore(&hn->lock, flags);
	if (!changed)
		return READ_ONCE(hn->wanted) && !up ? HYPERLINK_NTB_LOOK_MS : 0;
	ntb_link_event(&hn->ntb);

	/* What the peer has rung before this side knew that the link is up */
	if (up)
		hyperlink_ntb_again(hn, READ_ONCE(hn->pending) & ~READ_ONCE(hn->mask));

	return 0;
}
