// SPDX-License-Identifier: GPL-2.0-only
/*
 * dmaengine provider for the PULP iDMA: channels, scheduling, completion,
 * termination and recovery. Registers and descriptors are the front-ends'.
 *
 * The engine works in order, over all channels. Transfers are cut into
 * segments when they are launched, not when they are prepared; segments of all
 * channels, in turn, form a chain, and chains are launched with one store.
 * What is in hardware is remembered in a FIFO in the same order. Nothing in
 * hardware can be taken back.
 *
 * Completions are found by looking at the oldest entries, never by counting
 * interrupts: interrupts merge and get lost. The interrupt, the backstop timer
 * and clients that poll all end up in idma_scan().
 *
 * Locks: idma_dev.lock, then a channel's vc.lock. Both from any context.
 */
#include <linux/clk.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/io.h>
#include <linux/ktime.h>
#include <linux/llist.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/of.h>
#include <linux/of_dma.h>
#include <linux/platform_device.h>
#include <linux/pm_runtime.h>
#include <linux/property.h>
#include <linux/rcupdate.h>
#include <linux/reset.h>
#include <linux/slab.h>

#include "dmaengine.h"
#include "idma.h"
#include "idma-compat.h"
#include "idma-desc64.h"
#include "idma-window.h"

#define CREATE_TRACE_POINTS
#include "idma-trace.h"

/* Bytes that a channel may launch in a round while others wait */
#define IDMA_QUANTUM		SZ_256K
/* Segments that it may launch in one turn of a round */
#define IDMA_TURN		8
/* How long the reset is held */
#define IDMA_RESET_US		10
/* How often a dead engine is looked at */
#define IDMA_DEAD_POLL_MS	100
/* Interrupts that can be late: one pending and one being handled */
#define IDMA_LATE_IRQS		2
/*
 * Transfers that a channel keeps for the next ones, until the client releases
 * it. Under KASAN none, so that it sees who uses one after its end.
 */
#define IDMA_KEEP		(IS_ENABLED(CONFIG_KASAN) ? 0 : 128)
/* How long the clock runs on after the last transfer */
#define IDMA_AUTOSUSPEND_MS	50

static int idma_set_uint(const char *val, const struct kernel_param *kp,
			 unsigned int min, unsigned int max)
{
	return param_set_uint_minmax(val, kp, min, max);
}

static int idma_set_backstop(const char *val, const struct kernel_param *kp)
{
	return idma_set_uint(val, kp, 100, USEC_PER_SEC);
}

static int idma_set_stall(const char *val, const struct kernel_param *kp)
{
	return idma_set_uint(val, kp, 10, 3600 * MSEC_PER_SEC);
}

static int idma_set_coalesce(const char *val, const struct kernel_param *kp)
{
	return idma_set_uint(val, kp, 1, IDMA_CHAIN_SEGMENTS);
}

static const struct kernel_param_ops idma_backstop_ops = {
	.set = idma_set_backstop,
	.get = param_get_uint,
};

static const struct kernel_param_ops idma_stall_ops = {
	.set = idma_set_stall,
	.get = param_get_uint,
};

static const struct kernel_param_ops idma_coalesce_ops = {
	.set = idma_set_coalesce,
	.get = param_get_uint,
};

static unsigned int backstop_us = 4000;
module_param_cb(backstop_us, &idma_backstop_ops, &backstop_us, 0644);
MODULE_PARM_DESC(backstop_us,
		 "Period in us of the timer that finds completions without an interrupt (100..1000000, default 4000)");

static unsigned int stall_ms = 2000;
module_param_cb(stall_ms, &idma_stall_ops, &stall_ms, 0644);
MODULE_PARM_DESC(stall_ms,
		 "Time in ms without any completion after which the engine is given up as dead (10..3600000, default 2000)");

static unsigned int coalesce = 32;
module_param_cb(coalesce, &idma_coalesce_ops, &coalesce, 0644);
MODULE_PARM_DESC(coalesce,
		 "Transfers in a chain per interrupt (1..64, default 32); the end of a chain interrupts as well");

static struct kmem_cache *idma_tx_cache;
static struct workqueue_struct *idma_wq;

/* ---- Segments ---- */

/**
 * idma_next_segment - the next piece of a transfer
 * @tx: the transfer; @tx->built is less than @tx->len
 * @max_len: longest segment, a power of two or what the hardware can count to
 * @seg: filled in, but for the interrupt
 *
 * Return: the length of the segment in bytes, at least 1
 */
u32 idma_next_segment(const struct idma_tx *tx, u32 max_len,
		      struct idma_segment *seg)
{
	seg->src = tx->src + tx->built;
	seg->dst = tx->dst + tx->built;
	seg->len = min_t(size_t, tx->len - tx->built, max_len);

	return seg->len;
}
EXPORT_SYMBOL_IDMA_KUNIT(idma_next_segment);

/* ---- Completion, with idma->lock held ---- */

/*
 * Cookies that end without success; they come in order, so runs of them merge.
 * As long as nothing completes, a terminate names those of earlier ones again.
 */
static void idma_remember_failed(struct idma_chan *c, dma_cookie_t first,
				 dma_cookie_t last)
{
	struct idma_failed *f;

	if (c->nfailed) {
		f = &c->failed[(c->nfailed - 1) % IDMA_FAILED_RANGES];
		if (first >= f->first && first <= f->last + 1LL) {
			f->last = max(f->last, last);
			return;
		}
	}

	f = &c->failed[c->nfailed++ % IDMA_FAILED_RANGES];
	f->first = first;
	f->last = last;
}

static noinline void idma_tx_unmap(struct idma_tx *tx)
{
	dma_descriptor_unmap(&tx->vd.tx);
}

/*
 * What vchan_cookie_complete() does, for one that is on a list. What the client
 * has left to us to unmap it may look at in the callback, and after a poll.
 */
static __always_inline void idma_tx_ended(struct idma_chan *c,
					  struct idma_tx *tx)
{
	if (unlikely(tx->vd.tx.unmap))
		idma_tx_unmap(tx);
	dma_cookie_complete(&tx->vd.tx);
	list_move_tail(&tx->vd.node, &c->vc.desc_completed);
	tasklet_schedule(&c->vc.task);
}

/* Tell the client that all is copied. vc.lock is held. */
static __always_inline void idma_tx_succeed(struct idma_chan *c,
					    struct idma_tx *tx)
{
	tx->vd.tx_result.result = DMA_TRANS_NOERROR;
	tx->vd.tx_result.residue = 0;
	trace_idma_complete(c, tx);
	c->stats.transfers++;
	c->stats.bytes += tx->len;
	idma_tx_ended(c, tx);
}

/* Tell the client that it is not. vc.lock is held. */
static noinline void idma_tx_fail(struct idma_chan *c, struct idma_tx *tx,
				  enum dmaengine_tx_result result,
				  enum idma_fault fault)
{
	tx->vd.tx_result.result = result;
	tx->vd.tx_result.residue = min_t(size_t, tx->len - tx->done, U32_MAX);
	trace_idma_complete(c, tx);
	c->stats.errors++;
	c->stats.faults[fault]++;
	idma_remember_failed(c, tx->vd.tx.cookie, tx->vd.tx.cookie);
	idma_nl_transfer_error(c, tx, fault);
	idma_tx_ended(c, tx);
}

/* All is copied. The engine does not know whether that was to or from nowhere. */
static __always_inline void idma_tx_copied(struct idma_chan *c,
					   struct idma_tx *tx)
{
	enum dmaengine_tx_result result = DMA_TRANS_NOERROR;

	if (unlikely(idma_window_any()))
		result = idma_window_result(c->idma->dev, tx->src, tx->dst,
					    tx->len, tx->epoch);
	if (likely(result == DMA_TRANS_NOERROR))
		idma_tx_succeed(c, tx);
	else
		idma_tx_fail(c, tx, result, IDMA_FAULT_LINK);
}

/*
 * Complete what is over at the head of the channel's transfers. A transfer
 * that was cut waits for those before it: cookies complete in order, and a
 * client that polls takes every earlier one for complete as well.
 */
static void idma_chan_advance(struct idma_chan *c)
{
	struct virt_dma_desc *vd, *tmp;

	lockdep_assert_held(&c->vc.lock);

	list_for_each_entry_safe(vd, tmp, &c->active, node) {
		struct idma_tx *tx = to_idma_tx(vd);

		if (tx->inflight)
			break;
		if (tx->done == tx->len)
			idma_tx_copied(c, tx);
		else if (tx->cut)
			idma_tx_fail(c, tx, DMA_TRANS_ABORTED, c->idma->fault);
		else
			break;
	}
}

/* May the channel's oldest transfer be over, with nothing in hardware? */
static __always_inline bool idma_chan_waiting(struct idma_chan *c)
{
	struct virt_dma_desc *vd;

	vd = list_first_entry_or_null(&c->active, struct virt_dma_desc, node);

	return vd && !to_idma_tx(vd)->inflight;
}

/* A descriptor that is used again has been here before */
static void idma_tx_start(struct idma_chan *c, struct idma_tx *tx)
{
	list_move_tail(&tx->vd.node, &c->active);
	tx->built = 0;
	tx->done = 0;
	tx->inflight = 0;
	tx->epoch = idma_window_now();
	tx->terminated = false;
	tx->cut = false;
	tx->used = true;
}

/* Fail what waits to be launched; what is in hardware comes first */
static void idma_chan_cut(struct idma_chan *c)
{
	struct virt_dma_desc *vd, *tmp;

	lockdep_assert_held(&c->vc.lock);

	list_del_init(&c->ready);
	if (c->next)
		c->next->cut = true;
	c->next = NULL;

	list_for_each_entry_safe(vd, tmp, &c->vc.desc_issued, node) {
		idma_tx_start(c, to_idma_tx(vd));
		to_idma_tx(vd)->cut = true;
	}

	idma_chan_advance(c);
}

static void idma_cut_all(struct idma_dev *idma)
{
	unsigned int i;

	lockdep_assert_held(&idma->lock);

	for (i = 0; i < idma->nr_chans; i++) {
		struct idma_chan *c = &idma->chans[i];

		spin_lock(&c->vc.lock);
		idma_chan_cut(c);
		spin_unlock(&c->vc.lock);
	}
}

static void idma_wake(struct idma_dev *idma)
{
	if (wq_has_sleeper(&idma->idle_wait))
		wake_up_all(&idma->idle_wait);
}

/* A terminated transfer is not in hardware any more; vc.lock is held */
static void idma_tx_died(struct idma_tx *tx)
{
	idma_tx_unmap(tx);
	list_del(&tx->vd.node);
	vchan_terminate_vdesc(&tx->vd);
}

/* Give up on everything, in hardware or not: the engine does not answer */
static void idma_fail_all(struct idma_dev *idma)
{
	struct virt_dma_desc *vd, *tmp;
	unsigned int i;

	lockdep_assert_held(&idma->lock);

	for (i = idma->fifo_tail; i != idma->fifo_head; i++)
		idma->fifo[i % IDMA_INFLIGHT].tx = NULL;

	for (i = 0; i < idma->nr_chans; i++) {
		struct idma_chan *c = &idma->chans[i];

		spin_lock(&c->vc.lock);
		list_for_each_entry(vd, &c->active, node) {
			to_idma_tx(vd)->inflight = 0;
			to_idma_tx(vd)->cut = true;
		}
		idma_chan_cut(c);
		list_for_each_entry_safe(vd, tmp, &c->dying, node)
			idma_tx_died(to_idma_tx(vd));
		spin_unlock(&c->vc.lock);
	}

	idma_wake(idma);
}

/* A segment is complete; its channel's vc.lock is held */
static void idma_segment_done(struct idma_chan *c, struct idma_tx *tx, u32 len)
{
	tx->done += len;
	tx->inflight--;

	if (tx->terminated) {
		if (tx->inflight)
			return;
		idma_tx_died(tx);
		if (list_empty(&c->dying))
			idma_wake(c->idma);
	} else if (!tx->inflight) {
		/* It is the oldest one: all before it have completed */
		if (likely(tx->done == tx->len))
			idma_tx_copied(c, tx);
		if (idma_chan_waiting(c))
			idma_chan_advance(c);
	}
}

static unsigned int idma_reap_inflight(struct idma_dev *idma,
				       enum idma_reap_by by)
{
	unsigned int flagged = 0;
	unsigned int n, end;

	n = idma->ops->reap(idma, idma_inflight(idma));
	if (!n)
		return 0;

	end = idma->fifo_tail + n;
	while (idma->fifo_tail != end) {
		struct idma_inflight *in = &idma->fifo[idma->fifo_tail % IDMA_INFLIGHT];
		struct idma_chan *c;

		if (!in->tx) {
			flagged += in->irq;
			idma->fifo_tail++;
			continue;
		}

		/* All that follows of the same channel, under one lock */
		c = to_idma_chan(in->tx->vd.tx.chan);
		spin_lock(&c->vc.lock);
		do {
			idma_segment_done(c, in->tx, in->len);
			flagged += in->irq;
			in = &idma->fifo[++idma->fifo_tail % IDMA_INFLIGHT];
		} while (idma->fifo_tail != end && in->tx &&
			 in->tx->vd.tx.chan == &c->vc.chan);
		spin_unlock(&c->vc.lock);
	}

	/*
	 * The interrupts of these segments may still be on their way, and will
	 * find nothing to do; they are ours all the same. The controller keeps
	 * one at most while another is handled: the rest was merged.
	 */
	idma->irq_due = min_t(int, idma->irq_due + flagged, IDMA_LATE_IRQS);
	if (by == IDMA_REAP_BACKSTOP)
		idma->stats.interrupts_missed += flagged;

	idma->stats.reaped[by] += n;
	idma->progress = true;
	trace_idma_reap(idma, by, n);

	if (!idma_inflight(idma))
		idma_wake(idma);

	return n;
}

/* Take what the engine has completed and tell the clients */
static unsigned int idma_reap(struct idma_dev *idma, enum idma_reap_by by)
{
	lockdep_assert_held(&idma->lock);

	/* After unbind there is nothing in hardware and no front-end */
	return idma_inflight(idma) ? idma_reap_inflight(idma, by) : 0;
}

/* ---- Scheduling, with idma->lock held ---- */

/* Is this channel the only one with something to launch? */
static bool idma_alone(const struct idma_dev *idma, const struct idma_chan *c)
{
	return idma->ready.next == &c->ready && idma->ready.prev == &c->ready;
}

/*
 * The channel whose turn it is. While several have work, each launches up to
 * IDMA_TURN segments in its turn and, over the turns, the same number of
 * bytes: a long segment costs the channel its next turns. With segments of at
 * most 1 MiB a channel is passed over at most four times.
 */
static struct idma_chan *idma_pick(struct idma_dev *idma)
{
	struct idma_chan *c;

	for (;;) {
		c = list_first_entry(&idma->ready, struct idma_chan, ready);

		if (idma_alone(idma, c)) {
			c->credit = IDMA_QUANTUM;
			return c;
		}
		if (c->credit > 0 && c->turn < IDMA_TURN)
			return c;
		if (c->credit <= 0)
			c->credit += IDMA_QUANTUM;
		c->turn = 0;
		list_move_tail(&c->ready, &idma->ready);
	}
}

/* Take the next segment of a channel that is ready; its vc.lock is held */
static void idma_take(struct idma_dev *idma, struct idma_chan *c,
		      struct idma_segment *seg)
{
	struct idma_inflight *in;
	struct idma_tx *tx;
	bool last;
	u32 len;

	tx = c->next;
	if (!tx) {
		tx = to_idma_tx(vchan_next_desc(&c->vc));
		idma_tx_start(c, tx);
		/* Cookies start again at 1 some day: the old ones are others */
		if (tx->vd.tx.cookie < c->newest)
			c->nfailed = 0;
		c->newest = tx->vd.tx.cookie;
	}

	len = idma_next_segment(tx, idma->max_segment, seg);
	tx->built += len;
	tx->inflight++;
	last = tx->built == tx->len;
	c->next = last ? NULL : tx;
	c->credit -= len;
	c->turn++;
	if (last && list_empty(&c->vc.desc_issued)) {
		list_del_init(&c->ready);
		c->turn = 0;
	}

	if (last && tx->vd.tx.flags & DMA_PREP_INTERRUPT)
		idma->since_irq++;
	seg->irq = idma->since_irq >= READ_ONCE(coalesce);

	in = &idma->fifo[idma->fifo_head++ % IDMA_INFLIGHT];
	in->tx = tx;
	in->len = len;
	in->irq = seg->irq;
	if (seg->irq)
		idma->since_irq = 0;

	trace_idma_segment(c, seg, tx->vd.tx.cookie);
}

static void idma_launch(struct idma_dev *idma, unsigned int room)
{
	bool behind = idma_inflight(idma);
	unsigned int n = 0;
	u64 bytes = 0;
	bool irq, more;

	do {
		struct idma_chan *c = idma_pick(idma);
		struct idma_segment seg;

		spin_lock(&c->vc.lock);
		do {
			idma_take(idma, c, &seg);
			idma->ops->build(idma, &seg);
			bytes += seg.len;
			more = ++n < room && bytes < IDMA_CHAIN_BYTES;
			/* Alone it takes all turns, and under one lock */
		} while (more && idma_alone(idma, c));
		/* What nobody else wanted is not paid back: the debt of one segment is all */
		c->credit = max_t(s64, c->credit, 1 - (s64)idma->max_segment);
		spin_unlock(&c->vc.lock);
	} while (more && !list_empty(&idma->ready));

	/*
	 * Clients that want no interrupt poll, but work that waits for this
	 * chain to end must not wait for a poll: what is there already, or
	 * comes while this chain and the one before it take all the room.
	 */
	irq = idma->since_irq || behind || !list_empty(&idma->ready);
	if (irq) {
		idma->fifo[(idma->fifo_head - 1) % IDMA_INFLIGHT].irq = true;
		idma->since_irq = 0;
	}
	idma->stats.launches++;
	idma->stats.segments += n;
	trace_idma_launch(idma, n, bytes, irq);
	idma->ops->launch(idma, irq);
}

/**
 * idma_clock_get - switch the clock on
 * @idma: the engine; its lock is held
 *
 * Not a sleeping call, see pm_runtime_irq_safe().
 *
 * Return: 0, -EACCES on the way into or out of a suspend, or the clock's error
 */
int idma_clock_get(struct idma_dev *idma)
{
	int ret;

	lockdep_assert_held(&idma->lock);

	ret = pm_runtime_resume_and_get(idma->dev);
	/* Runtime PM would refuse for ever what has failed once: try again */
	if (ret < 0 && ret != -EACCES)
		pm_runtime_set_suspended(idma->dev);

	return ret;
}

/**
 * idma_clock_put - the clock may go off, after a while
 * @idma: the engine
 */
void idma_clock_put(struct idma_dev *idma)
{
	pm_runtime_mark_last_busy(idma->dev);
	pm_runtime_put_autosuspend(idma->dev);
}

/*
 * The engine is needed: clock on, backstop timer running. Both last until the
 * timer finds the engine idle, and not until the last completion: a client
 * that waits for each of its transfers would switch them all the time.
 */
static int idma_activate(struct idma_dev *idma)
{
	int ret;

	if (idma->backstop_armed)
		return 0;

	ret = idma_clock_get(idma);
	if (ret < 0)
		return ret;
	idma->backstop_armed = true;
	idma->progress = true;
	hrtimer_start(&idma->backstop,
		      ns_to_ktime((u64)READ_ONCE(backstop_us) * NSEC_PER_USEC),
		      HRTIMER_MODE_REL_SOFT);

	return 0;
}

static void idma_deactivate(struct idma_dev *idma)
{
	idma->backstop_armed = false;
	/* Pulses that have not come by now were merged or lost */
	idma->irq_due = 0;
	idma_clock_put(idma);
}

/* Suspended, unbound, dead or being reset: what is queued is not launched */
static bool idma_may_launch(const struct idma_dev *idma)
{
	return !(idma->dead || idma->resetting || idma->held || idma->gone);
}

static void idma_dispatch_ready(struct idma_dev *idma)
{
	int ret;

	if (!idma_may_launch(idma))
		return;

	ret = idma->backstop_armed ? 0 : idma_activate(idma);
	if (ret) {
		/* On the way into or out of a suspend the work waits for its end */
		if (ret != -EACCES) {
			dev_err_ratelimited(idma->dev, "no clock: %d\n", ret);
			idma_cut_all(idma);
		}
		return;
	}

	while (!list_empty(&idma->ready)) {
		unsigned int inflight = idma_inflight(idma);
		unsigned int room = min(idma->pending_slots, IDMA_INFLIGHT);

		room = room > inflight ? room - inflight : 0;
		if (room)
			room = min3(room, idma->ops->room(idma),
				    IDMA_CHAIN_SEGMENTS);
		if (!room)
			break;
		idma_launch(idma, room);
	}
}

static void idma_dispatch(struct idma_dev *idma)
{
	lockdep_assert_held(&idma->lock);

	if (!list_empty(&idma->ready))
		idma_dispatch_ready(idma);
}

/* Look for completions, and use the room that they made */
static unsigned int idma_scan(struct idma_dev *idma, enum idma_reap_by by)
{
	unsigned int n = idma_reap(idma, by);

	idma_dispatch(idma);

	return n;
}

/* ---- Interrupt and timer ---- */

/*
 * Marks are read here and, if something is still in hardware then, once more in
 * the tasklet: the controllers of today's boards drop a pulse that comes while
 * an earlier one is being handled, and the tasklet runs after the interrupt was
 * completed at the controller. Whatever completes later than that has a pulse of
 * its own that is not dropped.
 */
static irqreturn_t idma_interrupt(int irq, void *data)
{
	struct idma_dev *idma = data;
	bool ours;

	spin_lock(&idma->lock);
	ours = idma_reap(idma, IDMA_REAP_IRQ) || idma->irq_due > 0;
	if (ours) {
		idma->stats.interrupts++;
		idma->irq_due--;
		idma_dispatch(idma);
		if (idma_inflight(idma)) {
			WRITE_ONCE(idma->irq_cpu, raw_smp_processor_id());
			tasklet_schedule(&idma->task);
		}
	} else {
		idma->stats.interrupts_foreign++;
	}
	spin_unlock(&idma->lock);

	return ours ? IRQ_HANDLED : IRQ_NONE;
}

static void idma_tasklet(struct tasklet_struct *t)
{
	struct idma_dev *idma = from_tasklet(idma, t, task);
	unsigned long flags;

	/*
	 * A tasklet that waits on one CPU is not scheduled on another, to which
	 * the interrupt may have moved and where it may still be handled.
	 */
	if (READ_ONCE(idma->irq_cpu) != raw_smp_processor_id())
		synchronize_hardirq(idma->irq);

	spin_lock_irqsave(&idma->lock, flags);
	idma_scan(idma, IDMA_REAP_IRQ);
	spin_unlock_irqrestore(&idma->lock, flags);
}

/* The engine can be used again */
static void idma_back(struct idma_dev *idma, enum idma_reset_method method)
{
	idma->dead = false;
	idma->progress = true;
	idma->stall_ticks = 0;
	idma->stats.recoveries++;
	trace_idma_dead(idma, false);
	idma_nl_recovered(idma, method);
}

/* Has all that was given up as lost completed after all? */
static bool idma_try_revive(struct idma_dev *idma)
{
	if (idma_inflight(idma) || idma->ops->busy(idma))
		return false;

	idma_back(idma, IDMA_RESET_METHOD_REVIVE);

	return true;
}

/* Messages take their time on a serial console: without the lock */
static void idma_say_revived(struct idma_dev *idma)
{
	dev_info(idma->dev, "the engine has completed everything after all and is used again\n");
}

static void idma_declare_dead(struct idma_dev *idma)
{
	idma->dead = true;
	idma->fault = IDMA_FAULT_STALL;
	idma->stats.stalls++;
	trace_idma_dead(idma, true);
	idma_nl_dead(idma);

	/* With a reset line clients are told when the engine can do no more harm */
	if (idma->rst) {
		idma->resetting = true;
		schedule_work(&idma->recover);
	} else {
		idma_fail_all(idma);
	}
}

static enum hrtimer_restart idma_backstop(struct hrtimer *timer)
{
	struct idma_dev *idma = container_of(timer, struct idma_dev, backstop);
	u64 period_us = READ_ONCE(backstop_us);
	bool again, quiet, busy = false, died = false, revived = false;
	unsigned int inflight = 0;
	unsigned long flags;

	spin_lock_irqsave(&idma->lock, flags);
	idma->stats.backstops++;
	idma_scan(idma, IDMA_REAP_BACKSTOP);

	/*
	 * Time counts in expiries rather than by the clock, so that a machine
	 * that did not run at all does not blame the engine.
	 */
	if (idma->progress || !idma_inflight(idma))
		idma->stall_ticks = 0;
	else
		idma->stall_ticks++;
	quiet = !idma->progress;
	idma->progress = false;

	if (idma->dead) {
		if (!idma->resetting)
			revived = idma_try_revive(idma);
	} else if (idma->stall_ticks * period_us >=
		   (u64)READ_ONCE(stall_ms) * USEC_PER_MSEC) {
		died = true;
		inflight = idma_inflight(idma);
		busy = idma->ops->busy(idma);
		idma_declare_dead(idma);
	}

	if (idma->dead)
		period_us = IDMA_DEAD_POLL_MS * USEC_PER_MSEC;
	/* Idle for a whole period, and not just at this moment; a reset wants the clock */
	again = idma->dead || idma->resetting || idma_inflight(idma) || !quiet ||
		(!idma->held && !list_empty(&idma->ready));
	if (again)
		hrtimer_forward_now(timer, ns_to_ktime(period_us * NSEC_PER_USEC));
	else
		idma_deactivate(idma);
	spin_unlock_irqrestore(&idma->lock, flags);

	if (died)
		dev_err(idma->dev,
			"no completion for %u ms with %u descriptors in flight (%s): all transfers fail, new ones are refused\n",
			READ_ONCE(stall_ms), inflight, busy ? "busy" : "not busy");
	if (revived)
		idma_say_revived(idma);

	return again ? HRTIMER_RESTART : HRTIMER_NORESTART;
}

/* Stop looking at the engine: nothing is in flight, or nobody waits for it */
static void idma_stop_backstop(struct idma_dev *idma)
{
	unsigned long flags;

	hrtimer_cancel(&idma->backstop);

	spin_lock_irqsave(&idma->lock, flags);
	if (idma->backstop_armed)
		idma_deactivate(idma);
	spin_unlock_irqrestore(&idma->lock, flags);
}

/* ---- Recovery ---- */

/* After a dead engine's slow polling. Without the lock: waits for the timer. */
static void idma_restart_backstop(struct idma_dev *idma)
{
	unsigned long flags;

	hrtimer_cancel(&idma->backstop);

	spin_lock_irqsave(&idma->lock, flags);
	if (idma->backstop_armed)
		hrtimer_start(&idma->backstop,
			      ns_to_ktime((u64)READ_ONCE(backstop_us) * NSEC_PER_USEC),
			      HRTIMER_MODE_REL_SOFT);
	idma_dispatch(idma);
	spin_unlock_irqrestore(&idma->lock, flags);
}

/*
 * With a reset line an engine is stopped for good, and used again. It is dead
 * if that fails, and stays so until somebody asks for another reset.
 */
static int idma_pull_reset(struct idma_dev *idma)
{
	unsigned long flags;
	int ret;

	lockdep_assert_held(&idma->reset_lock);

	spin_lock_irqsave(&idma->lock, flags);
	/* Nothing is launched, revived or read while the reset is pulled */
	idma->resetting = true;
	idma->reset_failed = false;
	/* A synchronous reset wants the clock */
	ret = idma_activate(idma);
	spin_unlock_irqrestore(&idma->lock, flags);

	if (!ret)
		ret = reset_control_assert(idma->rst);
	if (!ret) {
		fsleep(IDMA_RESET_US);

		spin_lock_irqsave(&idma->lock, flags);
		idma_reap(idma, IDMA_REAP_POLL);
		idma_fail_all(idma);
		idma->fifo_tail = idma->fifo_head;
		idma->irq_due = 0;
		idma->ops->reset(idma);
		spin_unlock_irqrestore(&idma->lock, flags);

		ret = reset_control_deassert(idma->rst);
	}

	spin_lock_irqsave(&idma->lock, flags);
	if (ret) {
		idma->dead = true;
		idma->reset_failed = true;
		idma_fail_all(idma);
	} else {
		idma->resetting = false;
		idma_back(idma, IDMA_RESET_METHOD_LINE);
	}
	spin_unlock_irqrestore(&idma->lock, flags);

	if (ret) {
		dev_err(idma->dev, "cannot reset the engine: %d\n", ret);
		return ret;
	}
	dev_info(idma->dev, "the engine was reset and is used again\n");
	idma_restart_backstop(idma);

	return 0;
}

static void idma_recover(struct work_struct *work)
{
	struct idma_dev *idma = container_of(work, struct idma_dev, recover);

	mutex_lock(&idma->reset_lock);
	if (READ_ONCE(idma->dead))
		idma_pull_reset(idma);
	mutex_unlock(&idma->reset_lock);
}

static bool idma_drained(struct idma_dev *idma)
{
	unsigned long flags;
	bool drained;

	spin_lock_irqsave(&idma->lock, flags);
	idma_scan(idma, IDMA_REAP_POLL);
	drained = !idma_inflight(idma) || idma->dead;
	spin_unlock_irqrestore(&idma->lock, flags);

	return drained;
}

/* Without a reset line: end what is queued, wait for what is in hardware */
static int idma_drain(struct idma_dev *idma, enum idma_reset_method *method)
{
	unsigned long flags;
	int ret = 0;

	*method = IDMA_RESET_METHOD_DRAIN;

	spin_lock_irqsave(&idma->lock, flags);
	idma->resetting = true;
	idma_cut_all(idma);
	spin_unlock_irqrestore(&idma->lock, flags);

	/* Nothing is launched meanwhile, so there is an end to it */
	wait_event(idma->idle_wait, idma_drained(idma));

	spin_lock_irqsave(&idma->lock, flags);
	idma->resetting = false;
	if (idma->dead) {
		if (!idma_try_revive(idma))
			ret = -EBUSY;
		else
			*method = IDMA_RESET_METHOD_REVIVE;
	}
	idma_dispatch(idma);
	spin_unlock_irqrestore(&idma->lock, flags);

	if (*method == IDMA_RESET_METHOD_REVIVE) {
		idma_say_revived(idma);
		idma_restart_backstop(idma);
	}

	return ret;
}

/**
 * idma_reset - end every transfer and have an engine that works again
 * @idma: the engine; the driver is bound
 * @method: set to what was done, if that worked
 *
 * With a reset line the engine is reset and everything fails. Without one, what
 * is queued fails, and what is in hardware completes by itself or not at all.
 * May sleep, for as long as a stall takes to be found.
 *
 * Return: 0 if the engine is usable, -EBUSY if it has not completed what it was
 * given, or the error of the clock or the reset line
 */
int idma_reset(struct idma_dev *idma, enum idma_reset_method *method)
{
	unsigned long flags;
	int ret;

	mutex_lock(&idma->reset_lock);
	spin_lock_irqsave(&idma->lock, flags);
	idma->fault = IDMA_FAULT_RESET;
	spin_unlock_irqrestore(&idma->lock, flags);
	if (idma->rst) {
		*method = IDMA_RESET_METHOD_LINE;
		ret = idma_pull_reset(idma);
	} else {
		ret = idma_drain(idma, method);
	}
	mutex_unlock(&idma->reset_lock);

	return ret;
}

/* ---- Descriptors ---- */

/*
 * A callback that submits its descriptor again would go round for ever if all
 * it got was another callback.
 */
static dma_cookie_t idma_tx_submit(struct dma_async_tx_descriptor *tx)
{
	const struct idma_dev *idma = to_idma_chan(tx->chan)->idma;
	struct virt_dma_desc *vd = container_of(tx, struct virt_dma_desc, tx);

	if (to_idma_tx(vd)->used && (READ_ONCE(idma->dead) || READ_ONCE(idma->gone)))
		return -ENODEV;

	return vchan_tx_submit(tx);
}

/* The client gives back what it could have submitted again */
static int idma_tx_desc_free(struct dma_async_tx_descriptor *tx)
{
	dma_descriptor_unmap(tx);

	return vchan_tx_desc_free(tx);
}

static noinline struct idma_tx *idma_tx_alloc(struct idma_chan *c)
{
	struct idma_tx *tx;
	unsigned long flags;

	tx = kmem_cache_zalloc(idma_tx_cache, GFP_NOWAIT | __GFP_NOWARN);
	if (!tx)
		return NULL;

	/* As vchan_tx_prep() does it, but for the lists: see struct idma_tx */
	dma_async_tx_descriptor_init(&tx->vd.tx, &c->vc.chan);
	tx->vd.tx.tx_submit = idma_tx_submit;
	tx->vd.tx.desc_free = idma_tx_desc_free;

	spin_lock_irqsave(&c->vc.lock, flags);
	tx->keep = c->nr_kept < IDMA_KEEP;
	if (tx->keep) {
		c->nr_kept++;
		list_add_tail(&tx->kept, &c->kept);
		INIT_LIST_HEAD(&tx->vd.node);
	} else {
		list_add_tail(&tx->vd.node, &c->vc.desc_allocated);
	}
	spin_unlock_irqrestore(&c->vc.lock, flags);

	return tx;
}

/* Some came back while these were off the list */
static noinline void idma_tx_put_back(struct idma_chan *c,
				      struct llist_node *first)
{
	struct llist_node *last = first;

	while (last->next)
		last = last->next;
	llist_add_batch(first, last, &c->free);
}

/*
 * Take one that was kept. All of them are taken off the list, since others may
 * do the same at this moment, and all but one put back.
 */
static struct idma_tx *idma_tx_get(struct idma_chan *c)
{
	struct llist_node *first = llist_del_all(&c->free), *rest;

	if (unlikely(!first))
		return idma_tx_alloc(c);

	rest = first->next;
	if (rest && unlikely(cmpxchg(&c->free.first, NULL, rest)))
		idma_tx_put_back(c, rest);

	return llist_entry(first, struct idma_tx, free);
}

/* Unmapped by now, but for what was never submitted */
static noinline void idma_tx_destroy(struct idma_tx *tx)
{
	dma_descriptor_unmap(&tx->vd.tx);
	kmem_cache_free(idma_tx_cache, tx);
}

static void idma_desc_free(struct virt_dma_desc *vd)
{
	struct idma_tx *tx = to_idma_tx(vd);
	struct idma_chan *c = to_idma_chan(vd->tx.chan);

	if (tx->keep) {
		INIT_LIST_HEAD(&vd->node);
		llist_add(&tx->free, &c->free);
	} else {
		idma_tx_destroy(tx);
	}
}

/* Nobody holds one any more, or will get one */
static void idma_free_kept(struct idma_chan *c)
{
	struct idma_tx *tx, *tmp;

	init_llist_head(&c->free);
	list_for_each_entry_safe(tx, tmp, &c->kept, kept)
		idma_tx_destroy(tx);
	INIT_LIST_HEAD(&c->kept);
	c->nr_kept = 0;
}

/* ---- dmaengine operations ---- */

static struct dma_async_tx_descriptor *
idma_prep_dma_memcpy(struct dma_chan *chan, dma_addr_t dst, dma_addr_t src,
		     size_t len, unsigned long flags)
{
	struct idma_chan *c = to_idma_chan(chan);
	struct idma_tx *tx;

	if (READ_ONCE(c->idma->dead) || READ_ONCE(c->idma->gone))
		return NULL;
	if (!len) {
		dev_dbg(c->idma->dev, "channel %d: refused a memcpy of 0 bytes\n",
			chan->chan_id);
		return NULL;
	}

	tx = idma_tx_get(c);
	if (!tx)
		return NULL;

	tx->src = src;
	tx->dst = dst;
	tx->len = len;
	/* What the client may have set, or virt-dma */
	tx->vd.tx.flags = flags;
	tx->vd.tx.cookie = 0;
	tx->vd.tx.callback = NULL;
	tx->vd.tx.callback_result = NULL;
	tx->vd.tx.callback_param = NULL;
	tx->used = false;

	return &tx->vd.tx;
}

static void idma_issue_pending(struct dma_chan *chan)
{
	struct idma_chan *c = to_idma_chan(chan);
	struct idma_dev *idma = c->idma;
	unsigned long flags;

	spin_lock_irqsave(&idma->lock, flags);
	spin_lock(&c->vc.lock);
	if (vchan_issue_pending(&c->vc)) {
		if (idma->dead || idma->gone)
			idma_chan_cut(c);
		else if (list_empty(&c->ready))
			list_add_tail(&c->ready, &idma->ready);
	}
	spin_unlock(&c->vc.lock);
	idma_scan(idma, IDMA_REAP_POLL);
	spin_unlock_irqrestore(&idma->lock, flags);
}

/* Bytes of a cookie that are not copied yet; false if the channel does not have it */
static bool idma_residue(struct idma_chan *c, dma_cookie_t cookie,
			 size_t *residue)
{
	struct list_head *lists[] = {
		&c->active, &c->vc.desc_issued, &c->vc.desc_submitted,
	};
	struct virt_dma_desc *vd;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		list_for_each_entry(vd, lists[i], node) {
			struct idma_tx *tx = to_idma_tx(vd);

			if (vd->tx.cookie != cookie)
				continue;
			/* What a reused descriptor did before does not count */
			*residue = i ? tx->len : tx->len - tx->done;
			return true;
		}
	}

	return false;
}

static bool idma_cookie_failed(const struct idma_chan *c, dma_cookie_t cookie)
{
	unsigned int i, n = min(c->nfailed, IDMA_FAILED_RANGES);

	for (i = 0; i < n; i++)
		if (cookie >= c->failed[i].first && cookie <= c->failed[i].last)
			return true;

	return false;
}

static enum dma_status idma_tx_status(struct dma_chan *chan,
				      dma_cookie_t cookie,
				      struct dma_tx_state *state)
{
	struct idma_chan *c = to_idma_chan(chan);
	struct idma_dev *idma = c->idma;
	enum dma_status status;
	size_t residue = 0;
	unsigned long flags;

	spin_lock_irqsave(&idma->lock, flags);
	/* A client that polls may have asked for no interrupt at all */
	if (dma_cookie_status(chan, cookie, NULL) != DMA_COMPLETE)
		idma_scan(idma, IDMA_REAP_POLL);

	spin_lock(&c->vc.lock);
	status = dma_cookie_status(chan, cookie, state);
	if (idma_cookie_failed(c, cookie))
		status = DMA_ERROR;
	else if (status != DMA_COMPLETE && !idma_residue(c, cookie, &residue))
		status = DMA_ERROR;
	dma_set_residue(state, min_t(size_t, residue, U32_MAX));
	spin_unlock(&c->vc.lock);
	spin_unlock_irqrestore(&idma->lock, flags);

	return status;
}

static int idma_terminate_all(struct dma_chan *chan)
{
	struct idma_chan *c = to_idma_chan(chan);
	struct idma_dev *idma = c->idma;
	struct virt_dma_desc *vd, *tmp;
	unsigned int inflight = 0;
	unsigned long flags;
	LIST_HEAD(head);

	spin_lock_irqsave(&idma->lock, flags);
	/* What completed before the call has completed */
	idma_reap(idma, IDMA_REAP_POLL);

	spin_lock(&c->vc.lock);
	list_del_init(&c->ready);
	c->next = NULL;

	/* Nothing can stop what is in hardware: it ends unseen */
	list_for_each_entry_safe(vd, tmp, &c->active, node) {
		struct idma_tx *tx = to_idma_tx(vd);

		c->stats.terminated++;
		if (tx->inflight) {
			tx->terminated = true;
			list_move_tail(&vd->node, &c->dying);
			inflight++;
		} else {
			idma_tx_unmap(tx);
			list_move_tail(&vd->node, &head);
		}
	}

	/*
	 * Descriptors that were prepared and not submitted stay: the client
	 * still holds them, and may submit them.
	 */
	list_splice_tail_init(&c->vc.desc_submitted, &c->vc.desc_issued);
	list_for_each_entry(vd, &c->vc.desc_issued, node) {
		c->stats.terminated++;
		idma_tx_unmap(to_idma_tx(vd));
	}
	list_splice_tail_init(&c->vc.desc_issued, &head);
	list_splice_tail_init(&c->vc.desc_completed, &head);

	if (chan->completed_cookie < chan->cookie)
		idma_remember_failed(c, chan->completed_cookie + 1, chan->cookie);
	trace_idma_terminate(c, inflight);
	spin_unlock(&c->vc.lock);

	idma_dispatch(idma);
	spin_unlock_irqrestore(&idma->lock, flags);

	vchan_dma_desc_free_list(&c->vc, &head);

	return 0;
}

/* Has the engine let go of what was terminated? Looks for itself, too. */
static bool idma_chan_settled(struct idma_chan *c)
{
	struct idma_dev *idma = c->idma;
	unsigned long flags;
	bool settled;

	spin_lock_irqsave(&idma->lock, flags);
	idma_scan(idma, IDMA_REAP_POLL);
	settled = list_empty(&c->dying);
	spin_unlock_irqrestore(&idma->lock, flags);

	return settled;
}

static void idma_synchronize(struct dma_chan *chan)
{
	struct idma_chan *c = to_idma_chan(chan);

	/* Bounded: an engine that does not answer is declared dead */
	wait_event(c->idma->idle_wait, idma_chan_settled(c));
	vchan_synchronize(&c->vc);
}

static int idma_alloc_chan_resources(struct dma_chan *chan)
{
	struct idma_chan *c = to_idma_chan(chan);

	/* Not -ENODEV: dmaengine takes the device off its list for that, twice */
	if (READ_ONCE(c->idma->gone))
		return -ENXIO;

	/* The cookies of the last client are not this one's */
	c->nfailed = 0;
	c->newest = 0;

	return 1;
}

static void idma_free_chan_resources(struct dma_chan *chan)
{
	idma_terminate_all(chan);
	idma_synchronize(chan);
	vchan_free_chan_resources(to_virt_chan(chan));
	idma_free_kept(to_idma_chan(chan));
}

static struct dma_chan *idma_of_xlate(struct of_phandle_args *spec,
				      struct of_dma *ofdma)
{
	struct idma_dev *idma = ofdma->of_dma_data;

	if (spec->args_count != 1) {
		dev_err(idma->dev, "a dmas entry takes one cell, not %d\n",
			spec->args_count);
		return ERR_PTR(-EINVAL);
	}
	if (spec->args[0] >= idma->nr_chans) {
		dev_err(idma->dev, "no channel %u, there are %u\n",
			spec->args[0], idma->nr_chans);
		return ERR_PTR(-EINVAL);
	}

	return dma_get_slave_channel(&idma->chans[spec->args[0]].vc.chan);
}

/* ---- Life cycle ---- */

/* Takes dma_list_mutex and leaves everything as it is */
static bool idma_refuse(struct dma_chan *chan, void *unused)
{
	return false;
}

/*
 * dmaengine still looks at a channel after it has given back the device that
 * the channel is part of, with its list locked, and others may be walking that
 * list under RCU. Only when both are over may the memory go.
 */
static void idma_release_work(struct work_struct *work)
{
	struct idma_dev *idma = container_of(work, struct idma_dev, release);
	dma_cap_mask_t mask;
	unsigned int i;

	dma_cap_zero(mask);
	dma_cap_set(DMA_MEMCPY, mask);
	dma_request_channel(mask, idma_refuse, NULL);
	synchronize_rcu();

	for (i = 0; i < idma->nr_chans; i++)
		put_device(&idma->chans[i].vc.chan.dev->device);
	put_device(idma->dev);
	kfree(idma);
}

static void idma_release(struct dma_device *dma)
{
	queue_work(idma_wq, &to_idma_dev(dma)->release);
}

static void idma_unsetup(struct idma_dev *idma, bool leak)
{
	struct device *dev = idma->dev;

	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		pm_runtime_put_noidle(dev);
	pm_runtime_dont_use_autosuspend(dev);
	pm_runtime_disable(dev);
	if (!pm_runtime_status_suspended(dev)) {
		clk_disable(idma->clk);
		pm_runtime_set_suspended(dev);
	}
	idma->ops->exit(idma, leak);
}

/* Refuse everything from here on and wait for what is in hardware */
static void idma_quiesce(struct idma_dev *idma)
{
	unsigned long flags;

	spin_lock_irqsave(&idma->lock, flags);
	idma->gone = true;
	idma->fault = IDMA_FAULT_UNBIND;
	idma_cut_all(idma);
	spin_unlock_irqrestore(&idma->lock, flags);

	wait_event(idma->idle_wait, idma_drained(idma));
	flush_work(&idma->recover);
	idma_stop_backstop(idma);
}

/* Let clients hold what they hold, but leave the hardware alone from here on */
static void idma_stop(struct idma_dev *idma)
{
	unsigned int leaked, i;
	unsigned long flags;

	idma_quiesce(idma);
	if (idma->irq > 0)
		free_irq(idma->irq, idma);
	tasklet_kill(&idma->task);

	spin_lock_irqsave(&idma->lock, flags);
	/* An engine that was found dead meanwhile had another reason */
	idma->fault = IDMA_FAULT_UNBIND;
	leaked = idma_inflight(idma);
	if (leaked) {
		idma_fail_all(idma);
		idma->fifo_tail = idma->fifo_head;
	}
	spin_unlock_irqrestore(&idma->lock, flags);
	if (leaked)
		dev_err(idma->dev,
			"the engine still has %u descriptors: their memory is given up\n",
			leaked);

	/* Callbacks run before the channels go away */
	for (i = 0; i < idma->nr_chans; i++)
		tasklet_kill(&idma->chans[i].vc.task);

	idma_unsetup(idma, leaked);
}

static void idma_teardown(void *data)
{
	struct idma_dev *idma = data;

	idma_nl_unregister(idma);
	idma_debugfs_exit(idma);
	of_dma_controller_free(idma->dev->of_node);
	idma_stop(idma);
	dma_async_device_unregister(&idma->dma);
}

/*
 * A core that cannot write back its caches cannot share cached memory with an
 * engine that does not snoop them: refuse, rather than copy stale data.
 */
static int idma_check_coherency(struct device *dev)
{
#ifdef CONFIG_RISCV
	if (device_get_dma_attr(dev) == DEV_DMA_COHERENT)
		return 0;
	if (!IS_ENABLED(CONFIG_RISCV_DMA_NONCOHERENT))
		return dev_err_probe(dev, -EOPNOTSUPP,
				     "dma-noncoherent, but this kernel has no RISCV_DMA_NONCOHERENT\n");
	if (!riscv_isa_extension_available(NULL, ZICBOM))
		return dev_err_probe(dev, -EOPNOTSUPP,
				     "dma-noncoherent, but the CPU has no cache management (Zicbom): DMA would see stale data\n");
#endif
	return 0;
}

static int idma_read_u32(struct device *dev, const char *name, u32 min,
			 u32 max, u32 *val)
{
	u32 v;

	if (!device_property_present(dev, name))
		return 0;
	if (device_property_count_u32(dev, name) != 1 ||
	    device_property_read_u32(dev, name, &v))
		return dev_err_probe(dev, -EINVAL, "%s: not a single cell\n", name);
	if (v < min || v > max)
		return dev_err_probe(dev, -EINVAL, "%s: %u is not in %u..%u\n",
				     name, v, min, max);
	*val = v;

	return 0;
}

static void idma_dma_init(struct idma_dev *idma)
{
	struct dma_device *dma = &idma->dma;
	unsigned int i;

	INIT_LIST_HEAD(&dma->channels);
	dma->dev = idma->dev;
	dma_cap_set(DMA_MEMCPY, dma->cap_mask);
	dma->directions = BIT(DMA_MEM_TO_MEM);
	dma->src_addr_widths = BIT(DMA_SLAVE_BUSWIDTH_1_BYTE) |
			       BIT(DMA_SLAVE_BUSWIDTH_2_BYTES) |
			       BIT(DMA_SLAVE_BUSWIDTH_4_BYTES) |
			       BIT(DMA_SLAVE_BUSWIDTH_8_BYTES);
	dma->dst_addr_widths = dma->src_addr_widths;
	dma->residue_granularity = DMA_RESIDUE_GRANULARITY_SEGMENT;
	dma->copy_align = DMAENGINE_ALIGN_1_BYTE;
	dma->descriptor_reuse = true;
	dma->device_alloc_chan_resources = idma_alloc_chan_resources;
	dma->device_free_chan_resources = idma_free_chan_resources;
	dma->device_prep_dma_memcpy = idma_prep_dma_memcpy;
	dma->device_issue_pending = idma_issue_pending;
	dma->device_tx_status = idma_tx_status;
	dma->device_terminate_all = idma_terminate_all;
	dma->device_synchronize = idma_synchronize;
	dma->device_release = idma_release;
#ifdef CONFIG_DEBUG_FS
	dma->dbg_summary_show = idma_summary_show;
#endif

	for (i = 0; i < idma->nr_chans; i++) {
		struct idma_chan *c = &idma->chans[i];

		c->idma = idma;
		INIT_LIST_HEAD(&c->ready);
		INIT_LIST_HEAD(&c->active);
		INIT_LIST_HEAD(&c->dying);
		INIT_LIST_HEAD(&c->kept);
		init_llist_head(&c->free);
		c->vc.desc_free = idma_desc_free;
		vchan_init(&c->vc, dma);
	}
}

static int idma_setup(struct idma_dev *idma, struct platform_device *pdev)
{
	struct device *dev = idma->dev;
	int ret;

	idma->input_slots = 8;
	idma->pending_slots = IDMA_INFLIGHT;
	ret = idma_read_u32(dev, "eth,input-slots", 1, 4096, &idma->input_slots);
	if (ret)
		return ret;
	ret = idma_read_u32(dev, "eth,pending-slots", 1, 4096, &idma->pending_slots);
	if (ret)
		return ret;

	ret = idma_check_coherency(dev);
	if (ret)
		return ret;

	ret = dma_set_mask_and_coherent(dev, DMA_BIT_MASK(64));
	if (ret)
		return dev_err_probe(dev, ret, "no 64-bit DMA\n");
	dma_set_max_seg_size(dev, UINT_MAX);

	idma->regs = devm_platform_ioremap_resource(pdev, 0);
	if (IS_ERR(idma->regs))
		return dev_err_probe(dev, PTR_ERR(idma->regs), "reg\n");

	idma->clk = devm_clk_get_optional_prepared(dev, NULL);
	if (IS_ERR(idma->clk))
		return dev_err_probe(dev, PTR_ERR(idma->clk), "clocks\n");

	idma->rst = devm_reset_control_get_optional_exclusive(dev, NULL);
	if (IS_ERR(idma->rst))
		return dev_err_probe(dev, PTR_ERR(idma->rst), "resets\n");
	idma->irq = platform_get_irq_optional(pdev, 0);
	if (idma->irq < 0 && idma->irq != -ENXIO)
		return dev_err_probe(dev, idma->irq, "interrupts\n");
	if (idma->irq < 0)
		dev_warn(dev, "no interrupt: completions are found by a timer every %u us\n",
			 backstop_us);

	ret = clk_enable(idma->clk);
	if (ret)
		return dev_err_probe(dev, ret, "cannot enable the clock\n");

	/* Who ran before may have left the engine stuck */
	ret = reset_control_assert(idma->rst);
	if (!ret) {
		fsleep(IDMA_RESET_US);
		ret = reset_control_deassert(idma->rst);
	}
	if (ret)
		dev_err_probe(dev, ret, "cannot reset the engine\n");
	else
		ret = idma->ops->init(idma);
	if (ret) {
		clk_disable(idma->clk);
		return ret;
	}

	/* Transfers are issued from any context, so the clock is switched there */
	pm_runtime_irq_safe(dev);
	pm_runtime_set_autosuspend_delay(dev, IDMA_AUTOSUSPEND_MS);
	pm_runtime_use_autosuspend(dev);
	pm_runtime_set_active(dev);
	pm_runtime_enable(dev);
	/*
	 * With PREEMPT_RT a client could preempt the worker that suspends, and
	 * spin for the end of that: the clock stays on.
	 */
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		pm_runtime_get_noresume(dev);

	return 0;
}

static int idma_probe(struct platform_device *pdev)
{
	const struct idma_match *match = device_get_match_data(&pdev->dev);
	struct device *dev = &pdev->dev;
	u32 nr_chans = IDMA_DEF_CHANNELS;
	struct idma_dev *idma;
	unsigned int i;
	int ret;

	if (!match)
		return -ENODEV;
	ret = idma_read_u32(dev, "dma-channels", 1, IDMA_MAX_CHANNELS, &nr_chans);
	if (ret)
		return ret;

	idma = kzalloc(struct_size(idma, chans, nr_chans), GFP_KERNEL);
	if (!idma)
		return -ENOMEM;

	idma->dev = get_device(dev);
	idma->nr_chans = nr_chans;
	idma->ops = match->ops;
	idma->max_segment = min_t(u32, match->ops->max_len, IDMA_MAX_SEGMENT);
	idma->fe_flags = match->flags;
	spin_lock_init(&idma->lock);
	INIT_LIST_HEAD(&idma->ready);
	init_waitqueue_head(&idma->idle_wait);
	mutex_init(&idma->reset_lock);
	INIT_WORK(&idma->recover, idma_recover);
	INIT_WORK(&idma->release, idma_release_work);
	tasklet_setup(&idma->task, idma_tasklet);
	hrtimer_setup(&idma->backstop, idma_backstop, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_SOFT);
	idma_dma_init(idma);
	platform_set_drvdata(pdev, idma);

	ret = idma_setup(idma, pdev);
	if (ret)
		goto err_free;

	if (idma->irq > 0) {
		ret = request_irq(idma->irq, idma_interrupt, IRQF_SHARED,
				  dev_name(dev), idma);
		if (ret) {
			dev_err_probe(dev, ret, "cannot get interrupt %d\n",
				      idma->irq);
			goto err_unsetup;
		}
	}

	ret = dma_async_device_register(&idma->dma);
	if (ret) {
		dev_err_probe(dev, ret, "cannot register with dmaengine\n");
		idma_stop(idma);
		goto err_free;
	}

	/* dmaengine drops these while clients still hold the channels */
	for (i = 0; i < nr_chans; i++)
		get_device(&idma->chans[i].vc.chan.dev->device);

	ret = of_dma_controller_register(dev->of_node, idma_of_xlate, idma);
	if (ret) {
		dev_err_probe(dev, ret, "cannot register the device tree translation\n");
		idma_stop(idma);
		dma_async_device_unregister(&idma->dma);
		return ret;
	}

	idma_debugfs_init(idma);
	idma_nl_register(idma);

	/* From here on the channels live on in clients' hands after an unbind */
	ret = devm_add_action_or_reset(dev, idma_teardown, idma);
	if (ret)
		return ret;

	dev_info(dev, "%s, %u channels, %u input slots, irq %d\n",
		 idma->ops->name, nr_chans, idma->input_slots,
		 idma->irq > 0 ? idma->irq : -1);

	return 0;

err_unsetup:
	idma_unsetup(idma, false);
err_free:
	put_device(dev);
	kfree(idma);
	return ret;
}

static const struct idma_match idma_desc64_match = {
	.ops = &idma_desc64_ops,
	.flags = IDMA_DESC64_INCR,
};

/* What the boards with these compatibles were brought up with */
static const struct idma_match idma_desc64_board_match = {
	.ops = &idma_desc64_ops,
	.flags = IDMA_DESC64_INCR | IDMA_DESC64_DECOUPLE_AW |
		 IDMA_DESC64_AXI_ID,
};

static const struct of_device_id idma_of_match[] = {
	{ .compatible = "eth,idma-desc64", .data = &idma_desc64_match },
	{ .compatible = "eth,idma-desc", .data = &idma_desc64_board_match },
	{ .compatible = "eth,idma-engine", .data = &idma_desc64_board_match },
	{ }
};
MODULE_DEVICE_TABLE(of, idma_of_match);

/* Launch nothing any more and wait for what is in hardware */
static void idma_hold(struct idma_dev *idma)
{
	unsigned long flags;

	spin_lock_irqsave(&idma->lock, flags);
	idma->held = true;
	spin_unlock_irqrestore(&idma->lock, flags);

	wait_event(idma->idle_wait, idma_drained(idma));
	flush_work(&idma->recover);
	idma_stop_backstop(idma);
}

/* The next kernel must not find the engine writing to its memory */
static void idma_shutdown(struct platform_device *pdev)
{
	struct idma_dev *idma = platform_get_drvdata(pdev);

	idma_quiesce(idma);
	reset_control_assert(idma->rst);
}

static int idma_runtime_suspend(struct device *dev)
{
	struct idma_dev *idma = dev_get_drvdata(dev);

	clk_disable(idma->clk);

	return 0;
}

static int idma_runtime_resume(struct device *dev)
{
	struct idma_dev *idma = dev_get_drvdata(dev);

	return clk_enable(idma->clk);
}

/* Clients' work stays queued over a suspend */
static int idma_suspend_late(struct device *dev)
{
	idma_hold(dev_get_drvdata(dev));

	return pm_runtime_force_suspend(dev);
}

static int idma_resume_early(struct device *dev)
{
	return pm_runtime_force_resume(dev);
}

/* Not any earlier: runtime PM, and the clock with it, is back only here */
static int idma_resume(struct device *dev)
{
	struct idma_dev *idma = dev_get_drvdata(dev);
	unsigned long flags;

	spin_lock_irqsave(&idma->lock, flags);
	idma->held = false;
	/* A dead engine is looked at again, or reset */
	if (idma->dead && idma->rst) {
		idma->resetting = true;
		schedule_work(&idma->recover);
	} else if (idma->dead) {
		idma_activate(idma);
	}
	idma_dispatch(idma);
	spin_unlock_irqrestore(&idma->lock, flags);

	return 0;
}

static const struct dev_pm_ops idma_pm_ops = {
	SYSTEM_SLEEP_PM_OPS(NULL, idma_resume)
	LATE_SYSTEM_SLEEP_PM_OPS(idma_suspend_late, idma_resume_early)
	RUNTIME_PM_OPS(idma_runtime_suspend, idma_runtime_resume, NULL)
};

static struct platform_driver idma_driver = {
	.probe = idma_probe,
	.shutdown = idma_shutdown,
	.driver = {
		.name = "idma",
		.of_match_table = idma_of_match,
		.pm = pm_ptr(&idma_pm_ops),
	},
};

static int __init idma_init(void)
{
	int ret;

	idma_tx_cache = KMEM_CACHE(idma_tx, 0);
	if (!idma_tx_cache)
		return -ENOMEM;

	ret = -ENOMEM;
	idma_wq = alloc_ordered_workqueue("idma", 0);
	if (!idma_wq)
		goto err_cache;

	ret = idma_nl_init();
	if (ret)
		goto err_wq;

	ret = platform_driver_register(&idma_driver);
	if (ret)
		goto err_nl;

	return 0;

err_nl:
	idma_nl_exit();
err_wq:
	destroy_workqueue(idma_wq);
err_cache:
	kmem_cache_destroy(idma_tx_cache);
	return ret;
}
module_init(idma_init);

static void __exit idma_exit(void)
{
	platform_driver_unregister(&idma_driver);
	idma_nl_exit();
	/* The last client may only just have let go of an unbound engine */
	destroy_workqueue(idma_wq);
	kmem_cache_destroy(idma_tx_cache);
}
module_exit(idma_exit);

MODULE_DESCRIPTION("PULP iDMA dmaengine provider");
MODULE_AUTHOR("iDMA driver maintainers");
MODULE_LICENSE("GPL");
