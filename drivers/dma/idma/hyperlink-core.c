// SPDX-License-Identifier: GPL-2.0-only
/*
 * HyperLink as a PCI function: a window into the memory of another machine, and
 * doorbells to it. This file is the link's life: bring-up, the hellos by which
 * two of these drivers find out about each other, loss and recovery; and this
 * side's segments, which are all that the peer can touch.
 *
 * Everything about the link happens in one work, hyperlink_link_work(), which
 * the interrupt, clients and a timer kick. A link that is lost is waited for, for
 * a moment, and then reset and brought up again with the same segments: if both
 * sides reset it at once they would keep tearing it down for each other. Before
 * a link counts as ready each side must have seen the other acknowledge the number
 * of its current bring-up, so that neither talks to what was there before.
 *
 * Accesses that go nowhere (the peer has granted no such thing) set lerror, too,
 * and leave the link as it is.
 */
#include <linux/bitops.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/iopoll.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/random.h>

#include "hyperlink.h"

/* QEMU's vendor; the device number still has to be allocated there */
#define HYPERLINK_PCI_DEVICE	0x00f5

#define HYPERLINK_BAR_REGS	0
#define HYPERLINK_BAR_WINDOW	2

/* How long accesses of the peer's that have come in already may take */
#define HYPERLINK_QUIET_US	1000000
/* How often the state of the link is looked at, in each state */
#define HYPERLINK_TRAINING_MS	10
#define HYPERLINK_HELLO_MS	20
#define HYPERLINK_WATCH_MS	500
/* Without a peer it is looked for ever more rarely, up to that often */
#define HYPERLINK_AWAY_MS	200
/* A link that has broken gets so many looks to come back before it is reset */
#define HYPERLINK_GRACE		3
/* Windows of a client, and of all */
#define HYPERLINK_MAX_WINDOWS	64
#define HYPERLINK_QUOTA		32

static bool loopback;
module_param(loopback, bool, 0444);
MODULE_PARM_DESC(loopback, "lead the window back to this side's own memory: for a single board");

static unsigned int privid_overlay;
module_param(privid_overlay, uint, 0444);
MODULE_PARM_DESC(privid_overlay, "send the initiator's PrivID in the address: 12, or 0 for not (default)");

static int privid_cpu;
module_param(privid_cpu, int, 0444);
MODULE_PARM_DESC(privid_cpu, "PrivID of the CPUs' accesses, as the hardware has it (default 0)");

static int privid_dma = 8;
module_param(privid_dma, int, 0444);
MODULE_PARM_DESC(privid_dma, "PrivID of the iDMA's accesses, as the hardware has it (default 8)");

static unsigned int lanes = 4;
module_param(lanes, uint, 0444);
MODULE_PARM_DESC(lanes, "lanes to use: 4 (default) or 1");

static const char * const hyperlink_state_names[] = {
	[HYPERLINK_STOPPED] = "stopped",
	[HYPERLINK_RESET] = "reset",
	[HYPERLINK_TRAINING] = "training",
	[HYPERLINK_LINKED] = "linked",
	[HYPERLINK_READY] = "ready",
};

const char *hyperlink_state_name(enum hyperlink_state state)
{
	return hyperlink_state_names[state];
}

/* ---- Registers ---- */

u32 hyperlink_read(struct hyperlink *hl, unsigned int reg)
{
	return readl(hl->regs + reg);
}

static void hyperlink_write(struct hyperlink *hl, unsigned int reg, u32 val)
{
	writel(val, hl->regs + reg);
}

/* The registers behind an index: nobody may come in between */
static void hyperlink_write_at(struct hyperlink *hl, unsigned int idx_reg,
			       unsigned int index, u32 val)
{
	unsigned long flags;

	spin_lock_irqsave(&hl->reg_lock, flags);
	hyperlink_write(hl, idx_reg, index);
	hyperlink_write(hl, idx_reg + 4, val);
	spin_unlock_irqrestore(&hl->reg_lock, flags);
}

static u32 hyperlink_ctl(const struct hyperlink *hl)
{
	return FIELD_PREP(HYPERLINK_CTL_INTVEC, HYPERLINK_VEC_STATUS) |
	       HYPERLINK_CTL_INT2CFG | HYPERLINK_CTL_INTENABLE |
	       (hl->loopback ? HYPERLINK_CTL_ILOOP : 0);
}

#define HYPERLINK_STS_ERRORS	(HYPERLINK_STS_LERROR | HYPERLINK_STS_RERROR)

/* Is the link up in hardware? */
static bool hyperlink_sts_up(u32 sts)
{
	return (sts & (HYPERLINK_STS_LINK | HYPERLINK_STS_PLL_UNLOCK |
		       HYPERLINK_STS_SERIAL_HALT)) == HYPERLINK_STS_LINK;
}

/*
 * Have all accesses up to now got where they should? An error that is found is
 * cleared, so it is only the window core that calls this.
 */
static int hyperlink_look(void *data)
{
	struct hyperlink *hl = data;
	u32 sts = hyperlink_read(hl, HYPERLINK_STS);

	if (sts & HYPERLINK_STS_ERRORS)
		hyperlink_write(hl, HYPERLINK_STS, sts & HYPERLINK_STS_ERRORS);
	if (!hyperlink_sts_up(sts))
		return -ENOLINK;

	return sts & HYPERLINK_STS_ERRORS ? -EIO : 0;
}

/* ---- Doorbells ---- */

/**
 * hyperlink_ring - raise an interrupt at the peer
 * @hl: the link
 * @vector: which, 0..31
 *
 * From any context.
 *
 * Return: 0, -ENOLINK if the link is down
 */
int hyperlink_ring(struct hyperlink *hl, unsigned int vector)
{
	unsigned long flags;

	if (!hyperlink_ready(hl))
		return -ENOLINK;

	/* What was written to the peer's memory gets there first */
	wmb();
	spin_lock_irqsave(&hl->reg_lock, flags);
	hyperlink_write(hl, HYPERLINK_SW_INT, vector);
	hl->stats.rung++;
	spin_unlock_irqrestore(&hl->reg_lock, flags);

	return 0;
}

/* Let the work have a look at once. From any context. */
void hyperlink_kick(struct hyperlink *hl)
{
	unsigned long flags;

	spin_lock_irqsave(&hl->reg_lock, flags);
	if (!hl->leaving)
		mod_delayed_work(hl->wq, &hl->link_work, 0);
	spin_unlock_irqrestore(&hl->reg_lock, flags);
}

/* The work does not run any more, whoever kicks it: clients still may */
static void hyperlink_end_work(struct hyperlink *hl)
{
	spin_lock_irq(&hl->reg_lock);
	hl->leaving = true;
	spin_unlock_irq(&hl->reg_lock);
	cancel_delayed_work_sync(&hl->link_work);
}

static void hyperlink_status_interrupt(struct hyperlink *hl)
{
	int ret = idma_window_provider_look(hl->provider, hyperlink_look, hl);

	spin_lock(&hl->reg_lock);
	hl->stats.errors++;
	spin_unlock(&hl->reg_lock);

	if (ret == -ENOLINK)
		hyperlink_kick(hl);
}

static irqreturn_t hyperlink_interrupt(int irq, void *data)
{
	struct hyperlink *hl = data;
	u32 bits = 0;
	u32 vec;
	int i;

	/* A peer that rings for ever does not keep us here for ever */
	spin_lock(&hl->reg_lock);
	for (i = 0; i < HYPERLINK_VECTORS; i++) {
		vec = hyperlink_read(hl, HYPERLINK_INT_PRI_VEC);
		if (vec & HYPERLINK_INT_PRI_VEC_NONE)
			break;
		vec &= HYPERLINK_INT_PRI_VEC_VECTOR;
		hyperlink_write(hl, HYPERLINK_INT_CLR, BIT(vec));
		bits |= BIT(vec);
		hl->stats.vectors[vec]++;
	}
	if (bits) {
		hl->stats.interrupts++;
		/* End of interrupt: what came meanwhile raises the next one */
		hyperlink_write(hl, HYPERLINK_INT_SET, 0);
	} else {
		hl->stats.foreign++;
	}
	spin_unlock(&hl->reg_lock);

	if (!bits)
		return IRQ_NONE;

	if (bits & BIT(HYPERLINK_VEC_STATUS))
		hyperlink_status_interrupt(hl);
	if (bits & BIT(HYPERLINK_VEC_CONTROL))
		hyperlink_kick(hl);
	if (bits >> HYPERLINK_VEC_NTB)
		hyperlink_ntb_doorbells(hl, bits >> HYPERLINK_VEC_NTB);

	return IRQ_HANDLED;
}

/* ---- States, with hl->lock held ---- */

static void hyperlink_set_state(struct hyperlink *hl, enum hyperlink_state state)
{
	if (state == hl->state)
		return;
	pci_dbg(hl->pdev, "%s -> %s\n", hyperlink_state_name(hl->state),
		hyperlink_state_name(state));
	hl->state = state;
	WRITE_ONCE(hl->ready, state == HYPERLINK_READY);
}

/* Nobody has said anything yet: what is in the page is of the link before */
static void hyperlink_new_epoch(struct hyperlink *hl)
{
	memset(&hl->page->hello, 0, sizeof(hl->page->hello));
	memset(&hl->peer, 0, sizeof(hl->peer));
	hl->peer.role = HYPERLINK_ROLE_NONE;
	hl->told = false;
	if (!++hl->epoch)
		hl->epoch = 1;
}

static void hyperlink_lose(struct hyperlink *hl)
{
	idma_window_provider_lost(hl->provider);
	if (hl->state == HYPERLINK_READY) {
		hl->stats.link_downs++;
		pci_info(hl->pdev, "link down\n");
	}
	hyperlink_new_epoch(hl);
	hl->polls = 0;
	hyperlink_set_state(hl, HYPERLINK_TRAINING);
}

/* Nothing comes in any more, nothing goes out; interrupts go where they did */
static void hyperlink_cut(struct hyperlink *hl, u32 more)
{
	hyperlink_write(hl, HYPERLINK_CTL, HYPERLINK_CTL_SERIAL_STOP |
			HYPERLINK_CTL_INT2CFG | more);
}

/* Wait for accesses of the peer's that have come in already */
static bool hyperlink_wait_quiet(struct hyperlink *hl)
{
	u32 sts;

	return !readl_poll_timeout(hl->regs + HYPERLINK_STS, sts,
				   !(sts & HYPERLINK_STS_RPEND), 50,
				   HYPERLINK_QUIET_US);
}

/* Once the link is stopped: has that been awaited, or is it over by now? */
static bool hyperlink_is_quiet(struct hyperlink *hl)
{
	return !hl->restless ||
	       !(hyperlink_read(hl, HYPERLINK_STS) & HYPERLINK_STS_RPEND);
}

/* ---- This side's segments ---- */

static void hyperlink_program_seg(struct hyperlink *hl, unsigned int index)
{
	hyperlink_write_at(hl, HYPERLINK_RX_SEG_IDX, index,
			   hyperlink_seg_val(&hl->segs, index));
	/* The access that follows must find it there, or gone */
	hyperlink_read(hl, HYPERLINK_RX_SEG_VAL);
}

/**
 * hyperlink_grant_at - let the peer touch memory of this side
 * @hl: the link
 * @index: segment to use, HYPERLINK_SEG_ANY for a free one
 * @addr: bus address of the memory
 * @size: its size in bytes
 *
 * May sleep.
 *
 * Return: the number of the segment, or an error of hyperlink_seg_add()
 */
int hyperlink_grant_at(struct hyperlink *hl, int index, u64 addr, u64 size)
{
	mutex_lock(&hl->lock);
	index = hyperlink_seg_add(&hl->segs, index, addr, size);
	if (index >= 0) {
		if (hl->state != HYPERLINK_STOPPED)
			hyperlink_program_seg(hl, index);
		hl->told = false;
	}
	mutex_unlock(&hl->lock);

	if (index >= 0)
		hyperlink_kick(hl);

	return index;
}

/**
 * hyperlink_revoke_at - take memory back from the peer
 * @hl: the link
 * @index: number of the segment
 *
 * May sleep. When this returns 0 the peer cannot touch the memory any more.
 *
 * Return: 0, or -EBUSY if accesses that had come in before do not end. The link is
 * cut then, but the memory must not be used for anything else.
 */
int hyperlink_revoke_at(struct hyperlink *hl, unsigned int index)
{
	bool quiet;

	mutex_lock(&hl->lock);
	hyperlink_seg_del(&hl->segs, index);
	if (hl->loopback)
		hl->taken |= BIT_ULL(index);
	if (hl->state != HYPERLINK_STOPPED) {
		hyperlink_program_seg(hl, index);
		/* What has come in already was translated before */
		quiet = hyperlink_wait_quiet(hl);
		if (!quiet) {
			pci_warn(hl->pdev, "accesses of the peer do not end: cutting the link\n");
			hyperlink_cut(hl, HYPERLINK_CTL_RESET);
			hyperlink_lose(hl);
			hyperlink_set_state(hl, HYPERLINK_RESET);
			quiet = hyperlink_wait_quiet(hl);
		}
	} else {
		quiet = hyperlink_is_quiet(hl);
	}
	hl->told = false;
	mutex_unlock(&hl->lock);

	hyperlink_kick(hl);

	return quiet ? 0 : -EBUSY;
}

/**
 * hyperlink_set_privid - what a PrivID of the peer's counts as on this side
 * @hl: the link
 * @index: the peer's
 * @val: this side's, 0..15
 *
 * Return: 0, -EINVAL
 */
int hyperlink_set_privid(struct hyperlink *hl, unsigned int index, u8 val)
{
	if (index >= HYPERLINK_PRIVIDS || val >= HYPERLINK_PRIVIDS)
		return -EINVAL;

	mutex_lock(&hl->lock);
	hl->privid[index] = val;
	if (hl->state != HYPERLINK_STOPPED)
		hyperlink_write_at(hl, HYPERLINK_RX_PRIV_IDX, index, val);
	mutex_unlock(&hl->lock);

	return 0;
}

/* ---- Hellos ---- */

static u32 hyperlink_hello_seg(const struct hyperlink *hl, unsigned int index)
{
	if (!hl->segs.order[index])
		return 0;

	return FIELD_PREP(HYPERLINK_HELLO_ORDER, hl->segs.order[index]) |
	       FIELD_PREP(HYPERLINK_HELLO_GEN, hl->segs.gen[index]) |
	       (hl->segs.reserved & BIT_ULL(index) ? HYPERLINK_HELLO_MW : 0);
}

/* Write what we are into the peer's page */
static void hyperlink_send_hello(struct hyperlink *hl)
{
	struct hyperlink_hello __iomem *to = hl->peer_page;
	unsigned int i;

	hl->seq++;
	iowrite32(hl->seq, &to->head);
	wmb(); /* head first */
	iowrite32(HYPERLINK_HELLO_MAGIC, &to->magic);
	iowrite32(HYPERLINK_HELLO_VERSION, &to->version);
	iowrite32(hl->epoch, &to->epoch);
	iowrite32(hl->peer.epoch, &to->ack);
	iowrite32(hl->nonce, &to->nonce);
	iowrite32(hl->role, &to->role);
	hl->told_ntb = hyperlink_ntb_wanted(hl);
	iowrite32(hl->told_ntb ? HYPERLINK_HELLO_NTB : 0, &to->flags);
	for (i = 0; i < HYPERLINK_SEGMENTS; i++)
		iowrite32(hyperlink_hello_seg(hl, i), &to->seg[i]);
	wmb(); /* tail last */
	iowrite32(hl->seq, &to->tail);
	wmb(); /* and the tail before the doorbell */
	hyperlink_write(hl, HYPERLINK_SW_INT, HYPERLINK_VEC_CONTROL);

	hl->told = true;
	hl->stats.hellos_sent++;
}

/* What we say has changed */
void hyperlink_hello_changed(struct hyperlink *hl)
{
	mutex_lock(&hl->lock);
	hl->told = false;
	mutex_unlock(&hl->lock);

	hyperlink_kick(hl);
}

/* Read what the peer says it is; it may say anything */
static bool hyperlink_read_hello(struct hyperlink *hl, struct hyperlink_peer *peer)
{
	struct hyperlink_hello *from = &hl->page->hello;
	u32 tail = le32_to_cpu(READ_ONCE(from->tail));
	unsigned int i;

	/* It is compared as a whole */
	memset(peer, 0, sizeof(*peer));
	rmb(); /* tail first */
	if (le32_to_cpu(READ_ONCE(from->magic)) != HYPERLINK_HELLO_MAGIC)
		return false;
	if (le32_to_cpu(READ_ONCE(from->version)) != HYPERLINK_HELLO_VERSION)
		goto bad;

	peer->epoch = le32_to_cpu(READ_ONCE(from->epoch));
	peer->ack = le32_to_cpu(READ_ONCE(from->ack));
	peer->nonce = le32_to_cpu(READ_ONCE(from->nonce));
	peer->role = le32_to_cpu(READ_ONCE(from->role));
	peer->flags = le32_to_cpu(READ_ONCE(from->flags)) & HYPERLINK_HELLO_NTB;
	for (i = 0; i < HYPERLINK_SEGMENTS; i++) {
		u32 seg = le32_to_cpu(READ_ONCE(from->seg[i]));

		peer->order[i] = FIELD_GET(HYPERLINK_HELLO_ORDER, seg);
		if (peer->order[i] > HYPERLINK_SEG_SHIFT)
			goto bad;
		peer->gen[i] = FIELD_GET(HYPERLINK_HELLO_GEN, seg);
		if (seg & HYPERLINK_HELLO_MW)
			peer->mw |= BIT_ULL(i);
	}
	rmb(); /* head last */
	if (le32_to_cpu(READ_ONCE(from->head)) != tail)
		return false;
	if (!peer->epoch || (peer->role > 1 && peer->role != HYPERLINK_ROLE_NONE))
		goto bad;

	return true;

bad:
	hl->stats.hellos_bad++;
	return false;
}

/* ---- Bring-up, with hl->lock held ---- */

/* Stop all traffic: nothing comes in any more, nothing goes out */
static void hyperlink_quiet(struct hyperlink *hl)
{
	hyperlink_cut(hl, 0);
	hl->restless = !hyperlink_wait_quiet(hl);
	if (hl->restless)
		pci_warn(hl->pdev, "accesses of the peer do not end\n");
	hyperlink_cut(hl, HYPERLINK_CTL_RESET);
}

static void hyperlink_bring_up(struct hyperlink *hl)
{
	unsigned int i;

	hyperlink_quiet(hl);
	hyperlink_cut(hl, 0);
	hl->stats.resets++;
	hl->failed = false;
	hl->polls = 0;
	hyperlink_new_epoch(hl);

	/* The tables first: not one access must meet what was there before */
	hyperlink_write(hl, HYPERLINK_TX_SEL_CTL,
			FIELD_PREP(HYPERLINK_TX_SEL_IGMASK, HYPERLINK_IGMASK) |
			FIELD_PREP(HYPERLINK_TX_SEL_PRIVID, hl->overlay));
	hyperlink_write(hl, HYPERLINK_RX_SEL_CTL,
			FIELD_PREP(HYPERLINK_RX_SEL_SEGSEL, HYPERLINK_SEGSEL) |
			FIELD_PREP(HYPERLINK_RX_SEL_PRIVID, hl->overlay));
	for (i = 0; i < HYPERLINK_SEGMENTS; i++)
		hyperlink_program_seg(hl, i);
	for (i = 0; i < HYPERLINK_PRIVIDS; i++)
		hyperlink_write_at(hl, HYPERLINK_RX_PRIV_IDX, i, hl->privid[i]);
	for (i = 0; i < HYPERLINK_INT_CTLS; i++)
		hyperlink_write_at(hl, HYPERLINK_INT_CTL_IDX, i,
				   i >= HYPERLINK_VECTORS ? 0 :
				   HYPERLINK_INT_CTL_EN |
				   FIELD_PREP(HYPERLINK_INT_CTL_VECTOR, i));
	hyperlink_write(hl, HYPERLINK_ECC_CNTR, 0);
	hyperlink_write(hl, HYPERLINK_INT_CLR, U32_MAX);

	hyperlink_write(hl, HYPERLINK_PWR, lanes == 4 ? HYPERLINK_PWR_QUADLANE : 0);
	for (i = 0; i < 4; i++)
		hyperlink_write(hl, HYPERLINK_SERDES_CTL_STS1 + 4 * i,
				HYPERLINK_SERDES_ENABLE);
	hyperlink_write(hl, HYPERLINK_CTL, hyperlink_ctl(hl));
	hyperlink_write(hl, HYPERLINK_INT_SET, 0);
}

/* Look at the hardware. Returns whether the link is up. */
static bool hyperlink_check(struct hyperlink *hl)
{
	int ret = idma_window_provider_look(hl->provider, hyperlink_look, hl);

	if (ret == -ENOLINK) {
		hl->failed = hl->failed || hl->state != HYPERLINK_TRAINING;
		return false;
	}
	/* Others may have seen it down when we were not looking */
	return hl->reported != hl->epoch || idma_window_provider_up(hl->provider);
}

/*
 * Who is port 0 of the NTB? Who has a port keeps it, and the other takes the
 * other one; of two with the same the higher number gives way.
 */
static void hyperlink_choose_role(struct hyperlink *hl)
{
	u32 theirs = hl->peer.role;

	if (hl->role != HYPERLINK_ROLE_NONE &&
	    (theirs != hl->role || hl->nonce < hl->peer.nonce))
		return;
	if (theirs != HYPERLINK_ROLE_NONE)
		hl->role = !theirs;
	else
		hl->role = hl->nonce > hl->peer.nonce;
	hl->told = false;
}

/* Hear what the peer has to say, and what it has taken back */
static void hyperlink_listen(struct hyperlink *hl, u64 *revoked)
{
	struct hyperlink_peer peer;

	if (!hyperlink_read_hello(hl, &peer) || !memcmp(&peer, &hl->peer, sizeof(peer)))
		return;
	hl->stats.hellos_seen++;

	/* It has started anew, and we have not noticed: so do we */
	if (hl->state == HYPERLINK_READY &&
	    (peer.epoch != hl->peer.epoch || peer.ack != hl->epoch)) {
		hyperlink_lose(hl);
		return;
	}
	*revoked |= hyperlink_seg_gone(hl->peer.order, hl->peer.gen, peer.order, peer.gen);
	if (peer.epoch != hl->peer.epoch)
		hl->told = false;
	hl->peer = peer;
}

static void hyperlink_meet(struct hyperlink *hl, u64 *revoked)
{
	hyperlink_listen(hl, revoked);
	/* Two of the same number: both draw again */
	if (hl->peer.epoch && hl->peer.nonce == hl->nonce) {
		hl->nonce = get_random_u32();
		hl->told = false;
	}
	/* Again and again: it may not have been listening yet */
	hyperlink_send_hello(hl);
	/* They know us, and we have told them that we know them */
	if (hl->peer.epoch && hl->peer.ack == hl->epoch &&
	    hl->peer.nonce != hl->nonce)
		hyperlink_set_state(hl, HYPERLINK_READY);
	else
		hl->polls++;
}

/* One step; the state may have changed afterwards */
static void hyperlink_step(struct hyperlink *hl, u64 *revoked)
{
	switch (hl->state) {
	case HYPERLINK_STOPPED:
		break;
	case HYPERLINK_RESET:
		hyperlink_bring_up(hl);
		hyperlink_set_state(hl, HYPERLINK_TRAINING);
		break;
	case HYPERLINK_TRAINING:
		if (hyperlink_check(hl)) {
			hl->failed = false;
			hl->polls = 0;
			hyperlink_set_state(hl, HYPERLINK_LINKED);
		} else if (hl->polls++ >= HYPERLINK_GRACE && hl->failed) {
			hyperlink_set_state(hl, HYPERLINK_RESET);
		}
		break;
	case HYPERLINK_LINKED:
		if (!hyperlink_check(hl))
			hyperlink_lose(hl);
		else if (hl->loopback)
			hyperlink_set_state(hl, HYPERLINK_READY);
		else
			hyperlink_meet(hl, revoked);
		if (hl->state != HYPERLINK_READY)
			break;
		fallthrough;
	case HYPERLINK_READY:
		if (!hyperlink_check(hl)) {
			hyperlink_lose(hl);
			break;
		}
		if (hl->loopback)
			break;
		hyperlink_listen(hl, revoked);
		if (hl->state != HYPERLINK_READY)
			break;
		hyperlink_choose_role(hl);
		if (!hl->told || hl->told_ntb != hyperlink_ntb_wanted(hl))
			hyperlink_send_hello(hl);
		break;
	}
}

/* In how many milliseconds the next step is due */
static unsigned int hyperlink_next(const struct hyperlink *hl)
{
	switch (hl->state) {
	case HYPERLINK_RESET:
		/* Not at the same time as the peer */
		return get_random_u32() % HYPERLINK_TRAINING_MS;
	case HYPERLINK_TRAINING:
		return min_t(unsigned int, HYPERLINK_AWAY_MS,
			     HYPERLINK_TRAINING_MS * (1 + hl->polls / 10));
	case HYPERLINK_LINKED:
		return min_t(unsigned int, HYPERLINK_AWAY_MS,
			     HYPERLINK_HELLO_MS * (1 + hl->polls / 10));
	default:
		return HYPERLINK_WATCH_MS;
	}
}

/* Tell clients, who may call us: without the lock */
static unsigned int hyperlink_report(struct hyperlink *hl, u32 up, bool ntb,
				     u32 role, u64 revoked)
{
	unsigned int i;

	if (hl->reported && hl->reported != up) {
		hyperlink_ntb_link(hl, false);
		idma_window_provider_link(hl->provider, false);
	}
	for (i = 0; revoked && i < HYPERLINK_SEGMENTS; i++)
		if (revoked & BIT_ULL(i))
			idma_window_provider_revoke(hl->provider,
						    hyperlink_seg_remote(i),
						    HYPERLINK_SEG_MAX, -EACCES);
	if (up && hl->reported != up)
		idma_window_provider_link(hl->provider, true);
	WRITE_ONCE(hl->reported, up);

	if (up && !hl->loopback)
		hyperlink_ntb_register(hl, role);

	return hyperlink_ntb_link(hl, up && ntb);
}

static void hyperlink_link_work(struct work_struct *work)
{
	struct hyperlink *hl = container_of(work, struct hyperlink, link_work.work);
	unsigned int soon, next;
	u64 revoked = 0;
	u32 up, role;
	bool ntb;

	mutex_lock(&hl->lock);
	hyperlink_step(hl, &revoked);
	/* At once from one state to the next while there is something to do */
	if (hl->state == HYPERLINK_LINKED && !hl->told)
		hyperlink_step(hl, &revoked);
	up = hl->state == HYPERLINK_READY ? hl->epoch : 0;
	role = hl->role;
	ntb = hl->peer.flags & HYPERLINK_HELLO_NTB;
	revoked |= hl->taken;
	hl->taken = 0;
	if (up && hl->reported != up) {
		hl->stats.link_ups++;
		pci_info(hl->pdev, "link up, %lu lanes%s\n",
			 FIELD_GET(HYPERLINK_STS_SWIDTHIN,
				   hyperlink_read(hl, HYPERLINK_STS)),
			 hl->loopback ? ", looped back" : "");
	}
	mutex_unlock(&hl->lock);

	soon = hyperlink_report(hl, up, ntb, role, revoked);

	mutex_lock(&hl->lock);
	next = hyperlink_next(hl);
	if (soon)
		next = min(next, soon);
	if (hl->state != HYPERLINK_STOPPED)
		queue_delayed_work(hl->wq, &hl->link_work, msecs_to_jiffies(next));
	mutex_unlock(&hl->lock);
}

/**
 * hyperlink_request_reset - reset the link and bring it up again
 * @hl: the link
 */
void hyperlink_request_reset(struct hyperlink *hl)
{
	mutex_lock(&hl->lock);
	if (hl->state != HYPERLINK_STOPPED) {
		hyperlink_cut(hl, 0);
		if (hl->state == HYPERLINK_READY)
			hyperlink_lose(hl);
		hyperlink_set_state(hl, HYPERLINK_RESET);
	}
	mutex_unlock(&hl->lock);

	hyperlink_kick(hl);
}

/* ---- As a provider of windows ---- */

static int hyperlink_map(struct idma_window_provider *p, struct idma_window *w)
{
	struct hyperlink *hl = idma_window_provider_priv(p);
	const struct idma_window_request *req = &w->req;
	int ret = -EACCES;

	/* Without the overlay nobody's PrivID goes over the wire */
	if (req->privid != IDMA_WINDOW_PRIVID_ANY &&
	    (!hl->overlay || (req->cpu && req->privid != privid_cpu) ||
	     (req->dma_dev && req->privid != privid_dma)))
		return ret;

	mutex_lock(&hl->lock);
	if (hl->state != HYPERLINK_READY)
		ret = -ENOLINK;
	else if (hl->loopback)
		ret = hyperlink_seg_check(hl->segs.order, req->remote, req->len);
	else if (!(hl->peer.mw & BIT_ULL(req->remote >> HYPERLINK_SEG_SHIFT)))
		ret = hyperlink_seg_check(hl->peer.order, req->remote, req->len);
	mutex_unlock(&hl->lock);

	return ret;
}

static int hyperlink_window_check(struct idma_window_provider *p)
{
	struct hyperlink *hl = idma_window_provider_priv(p);

	if (!hyperlink_ready(hl))
		return -ENOLINK;

	return hyperlink_look(hl);
}

/* Better lost than written by the peer when it is somebody else's */
static void hyperlink_leak(struct hyperlink *hl, size_t len)
{
	pci_err(hl->pdev, "the peer may still write %zu bytes that it was granted: they are never freed\n",
		len);
	spin_lock_irq(&hl->reg_lock);
	hl->stats.leaked += len;
	spin_unlock_irq(&hl->reg_lock);
}

static size_t hyperlink_grant_bytes(const struct idma_window_grant *g)
{
	return max_t(size_t, g->len, HYPERLINK_SEG_ALIGN);
}

static int hyperlink_grant(struct idma_window_provider *p,
			   struct idma_window_grant *g)
{
	struct hyperlink *hl = idma_window_provider_priv(p);
	int index;

	if (g->len > HYPERLINK_SEG_MAX)
		return -E2BIG;
	g->cpu = dma_alloc_coherent(&hl->pdev->dev, hyperlink_grant_bytes(g),
				    &g->dma, GFP_KERNEL | __GFP_NOWARN);
	if (!g->cpu)
		return -ENOMEM;
	index = hyperlink_grant_at(hl, HYPERLINK_SEG_ANY, g->dma, g->len);
	if (index < 0) {
		dma_free_coherent(&hl->pdev->dev, hyperlink_grant_bytes(g), g->cpu,
				  g->dma);
		return index;
	}
	g->remote = hyperlink_seg_remote(index);

	return 0;
}

static void hyperlink_ungrant(struct idma_window_provider *p,
			      struct idma_window_grant *g)
{
	struct hyperlink *hl = idma_window_provider_priv(p);

	if (hyperlink_revoke_at(hl, g->remote >> HYPERLINK_SEG_SHIFT))
		hyperlink_leak(hl, hyperlink_grant_bytes(g));
	else
		dma_free_coherent(&hl->pdev->dev, hyperlink_grant_bytes(g),
				  g->cpu, g->dma);
}

static int hyperlink_remote(struct idma_window_provider *p, unsigned int n,
			    u64 *remote, u64 *len)
{
	struct hyperlink *hl = idma_window_provider_priv(p);
	const u8 *order = hl->loopback ? hl->segs.order : hl->peer.order;
	int ret = -ENOENT;
	unsigned int i;

	mutex_lock(&hl->lock);
	for (i = 0; i < HYPERLINK_SEGMENTS && hl->state == HYPERLINK_READY; i++) {
		if (!order[i] || hl->peer.mw & BIT_ULL(i) || n--)
			continue;
		*remote = hyperlink_seg_remote(i);
		*len = BIT_ULL(order[i]);
		ret = 0;
		break;
	}
	mutex_unlock(&hl->lock);

	return ret;
}

static const struct idma_window_ops hyperlink_window_ops = {
	.map = hyperlink_map,
	.check = hyperlink_window_check,
	.grant = hyperlink_grant,
	.ungrant = hyperlink_ungrant,
	.remote = hyperlink_remote,
};

/* ---- Life cycle ---- */

static void hyperlink_start(struct hyperlink *hl)
{
	mutex_lock(&hl->lock);
	hyperlink_set_state(hl, HYPERLINK_RESET);
	mutex_unlock(&hl->lock);

	hyperlink_kick(hl);
}

/* The peer cannot touch anything any more when this returns */
static void hyperlink_stop(struct hyperlink *hl)
{
	mutex_lock(&hl->lock);
	if (hl->state == HYPERLINK_READY)
		hyperlink_lose(hl);
	hyperlink_set_state(hl, HYPERLINK_STOPPED);
	hyperlink_quiet(hl);
	mutex_unlock(&hl->lock);

	/* Once more, to tell clients; a work that is running may come back */
	hyperlink_kick(hl);
	flush_delayed_work(&hl->link_work);
	cancel_delayed_work_sync(&hl->link_work);
}

static void hyperlink_free_page(struct hyperlink *hl)
{
	if (!hyperlink_is_quiet(hl))
		hyperlink_leak(hl, HYPERLINK_SEG_ALIGN);
	else
		dma_free_coherent(&hl->pdev->dev, HYPERLINK_SEG_ALIGN, hl->page,
				  hl->page_dma);
}

static int hyperlink_alloc_page(struct hyperlink *hl)
{
	int ret;

	hl->page = dma_alloc_coherent(&hl->pdev->dev, HYPERLINK_SEG_ALIGN,
				      &hl->page_dma, GFP_KERNEL);
	if (!hl->page)
		return -ENOMEM;
	ret = hyperlink_seg_add(&hl->segs, 0, hl->page_dma, HYPERLINK_PAGE_SIZE);
	if (ret < 0) {
		dev_err_probe(&hl->pdev->dev, ret,
			      "shared page at %pad cannot be a segment\n",
			      &hl->page_dma);
		hyperlink_free_page(hl);
		return ret;
	}
	hl->segs.reserved = BIT_ULL(0) | hyperlink_ntb_reserved();

	return 0;
}

static int hyperlink_setup_pci(struct hyperlink *hl)
{
	struct pci_dev *pdev = hl->pdev;
	struct device *dev = &pdev->dev;
	int ret;

	ret = pcim_enable_device(pdev);
	if (ret)
		return dev_err_probe(dev, ret, "cannot enable it\n");
	if (!devm_request_mem_region(dev, pci_resource_start(pdev, HYPERLINK_BAR_REGS),
				     pci_resource_len(pdev, HYPERLINK_BAR_REGS),
				     "hyperlink registers"))
		return dev_err_probe(dev, -EBUSY, "the registers are taken\n");
	hl->regs = pcim_iomap(pdev, HYPERLINK_BAR_REGS, 0);
	if (!hl->regs)
		return dev_err_probe(dev, -ENOMEM, "no registers\n");
	if (hyperlink_read(hl, HYPERLINK_REV) != HYPERLINK_REV_VALUE)
		return dev_err_probe(dev, -ENODEV, "revision %#x is not known\n",
				     hyperlink_read(hl, HYPERLINK_REV));
	if (pci_resource_len(pdev, HYPERLINK_BAR_WINDOW) != HYPERLINK_WINDOW_SIZE)
		return dev_err_probe(dev, -ENODEV,
				     "the window is %#llx bytes and not %#x\n",
				     (u64)pci_resource_len(pdev, HYPERLINK_BAR_WINDOW),
				     HYPERLINK_WINDOW_SIZE);
	hl->window = pci_resource_start(pdev, HYPERLINK_BAR_WINDOW);
	if (!devm_request_mem_region(dev, hl->window, HYPERLINK_WINDOW_SIZE,
				     "hyperlink window"))
		return dev_err_probe(dev, -EBUSY, "the window is taken\n");
	hl->peer_page = devm_ioremap(dev, hl->window, HYPERLINK_PAGE_SIZE);
	if (!hl->peer_page)
		return -ENOMEM;

	/* Segments begin below 4 GiB */
	ret = dma_set_mask_and_coherent(dev, DMA_BIT_MASK(32));
	if (ret)
		return dev_err_probe(dev, ret, "no 32-bit DMA\n");

	/* Whoever was here before may have left it open to the peer */
	hyperlink_quiet(hl);
	pci_set_master(pdev);

	ret = pci_alloc_irq_vectors(pdev, 1, 1, PCI_IRQ_ALL_TYPES);
	if (ret < 0)
		return dev_err_probe(dev, ret, "no interrupt\n");
	hl->irq = pci_irq_vector(pdev, 0);

	return 0;
}

static int hyperlink_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct idma_window_caps caps = {
		.size = HYPERLINK_WINDOW_SIZE,
		.align = HYPERLINK_SEG_MIN,
		.max_len = HYPERLINK_SEG_MAX,
		.max_windows = HYPERLINK_MAX_WINDOWS,
		.quota = HYPERLINK_QUOTA,
	};
	struct device *dev = &pdev->dev;
	struct hyperlink *hl;
	unsigned int i;
	int ret;

	if (privid_overlay && privid_overlay != HYPERLINK_PRIVID_OVERLAY)
		return dev_err_probe(dev, -EINVAL,
				     "privid_overlay: %u is not 0 or %u, which leave the segments alone\n",
				     privid_overlay, HYPERLINK_PRIVID_OVERLAY);
	if (lanes != 1 && lanes != 4)
		return dev_err_probe(dev, -EINVAL, "lanes: %u is not 1 or 4\n", lanes);
	ret = hyperlink_ntb_check_params(dev);
	if (ret)
		return ret;

	hl = devm_kzalloc(dev, sizeof(*hl), GFP_KERNEL);
	if (!hl)
		return -ENOMEM;
	hl->pdev = pdev;
	hl->loopback = loopback;
	hl->overlay = privid_overlay;
	hl->nonce = get_random_u32();
	hl->epoch = get_random_u32();
	hl->role = HYPERLINK_ROLE_NONE;
	mutex_init(&hl->lock);
	spin_lock_init(&hl->reg_lock);
	INIT_DELAYED_WORK(&hl->link_work, hyperlink_link_work);
	for (i = 0; i < HYPERLINK_PRIVIDS; i++)
		hl->privid[i] = i;
	pci_set_drvdata(pdev, hl);

	ret = hyperlink_setup_pci(hl);
	if (ret)
		return ret;
	ret = hyperlink_alloc_page(hl);
	if (ret)
		goto err_vectors;

	ret = -ENOMEM;
	hl->wq = alloc_ordered_workqueue("hyperlink/%s", 0, pci_name(pdev));
	if (!hl->wq)
		goto err_page;

	caps.base = hl->window;
	hl->provider = idma_window_provider_register(dev, pci_name(pdev), &caps,
						     &hyperlink_window_ops, hl);
	if (IS_ERR(hl->provider)) {
		ret = dev_err_probe(dev, PTR_ERR(hl->provider), "cannot offer windows\n");
		goto err_wq;
	}

	ret = request_irq(hl->irq, hyperlink_interrupt, IRQF_SHARED, KBUILD_MODNAME, hl);
	if (ret) {
		dev_err_probe(dev, ret, "cannot get interrupt %d\n", hl->irq);
		goto err_provider;
	}

	hyperlink_start(hl);
	hyperlink_debugfs_init(hl);

	return 0;

err_provider:
	hyperlink_end_work(hl);
	idma_window_provider_unregister(hl->provider);
err_wq:
	destroy_workqueue(hl->wq);
err_page:
	hyperlink_free_page(hl);
err_vectors:
	pci_free_irq_vectors(pdev);
	return ret;
}

static void hyperlink_remove(struct pci_dev *pdev)
{
	struct hyperlink *hl = pci_get_drvdata(pdev);

	hyperlink_debugfs_exit(hl);
	hyperlink_stop(hl);
	free_irq(hl->irq, hl);
	hyperlink_end_work(hl);
	/* Both call us back, to take back what was granted */
	hyperlink_ntb_unregister(hl);
	idma_window_provider_unregister(hl->provider);
	destroy_workqueue(hl->wq);
	pci_clear_master(pdev);
	hyperlink_free_page(hl);
	pci_free_irq_vectors(pdev);
}

/* The next kernel's memory is not what was granted */
static void hyperlink_shutdown(struct pci_dev *pdev)
{
	hyperlink_stop(pci_get_drvdata(pdev));
	pci_clear_master(pdev);
}

static int hyperlink_suspend(struct device *dev)
{
	hyperlink_stop(dev_get_drvdata(dev));

	return 0;
}

static int hyperlink_resume(struct device *dev)
{
	hyperlink_start(dev_get_drvdata(dev));

	return 0;
}

static DEFINE_SIMPLE_DEV_PM_OPS(hyperlink_pm_ops, hyperlink_suspend,
				hyperlink_resume);

static const struct pci_device_id hyperlink_ids[] = {
	{ PCI_DEVICE(PCI_VENDOR_ID_REDHAT, HYPERLINK_PCI_DEVICE) },
	{ }
};
MODULE_DEVICE_TABLE(pci, hyperlink_ids);

static struct pci_driver hyperlink_driver = {
	.name = "hyperlink",
	.id_table = hyperlink_ids,
	.probe = hyperlink_probe,
	.remove = hyperlink_remove,
	.shutdown = hyperlink_shutdown,
	.driver.pm = pm_sleep_ptr(&hyperlink_pm_ops),
};

static int __init hyperlink_init(void)
{
	int ret;

	hyperlink_debugfs_module(true);
	ret = pci_register_driver(&hyperlink_driver);
	if (ret)
		hyperlink_debugfs_module(false);

	return ret;
}
module_init(hyperlink_init);

static void __exit hyperlink_exit(void)
{
	pci_unregister_driver(&hyperlink_driver);
	hyperlink_debugfs_module(false);
}
module_exit(hyperlink_exit);

MODULE_DESCRIPTION("HyperLink: windows into the memory of another machine");
MODULE_AUTHOR("iDMA driver maintainers");
MODULE_LICENSE("GPL");
