// SPDX-License-Identifier: GPL-2.0-only
/*
 * debugfs of the iDMA driver, below dmaengine's directory of the device:
 * "stats", one "name: value" a line, and the engine's part of dmaengine's
 * summary.
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "dmaengine.h"
#include "idma.h"

#ifdef CONFIG_DEBUG_FS

static int stats_show(struct seq_file *s, void *unused)
{
	struct idma_dev *idma = s->private;
	static const char * const states[] = {
		[IDMA_DEV_STATE_IDLE] = "idle",
		[IDMA_DEV_STATE_BUSY] = "busy",
		[IDMA_DEV_STATE_DEAD] = "dead",
		[IDMA_DEV_STATE_RESETTING] = "resetting",
	};
	struct idma_chan_stats sum;
	enum idma_dev_state state;
	struct idma_stats stats;
	unsigned int inflight;
	unsigned long flags;

	spin_lock_irqsave(&idma->lock, flags);
	stats = idma->stats;
	inflight = idma_inflight(idma);
	state = idma_state(idma);
	idma_sum_stats(idma, &sum);
	spin_unlock_irqrestore(&idma->lock, flags);

	seq_printf(s, "frontend: %s\n", idma->ops->name);
	seq_printf(s, "state: %s\n", states[state]);
	seq_printf(s, "transfers: %llu\n", sum.transfers);
	seq_printf(s, "bytes: %llu\n", sum.bytes);
	seq_printf(s, "errors: %llu\n", sum.errors);
	seq_printf(s, "terminated: %llu\n", sum.terminated);
	seq_printf(s, "launches: %llu\n", stats.launches);
	seq_printf(s, "launches_refused: %llu\n", stats.launches_refused);
	seq_printf(s, "descriptors: %llu\n", stats.segments);
	seq_printf(s, "descriptors_in_flight: %u\n", inflight);
	seq_printf(s, "interrupts: %llu\n", stats.interrupts);
	seq_printf(s, "interrupts_foreign: %llu\n", stats.interrupts_foreign);
	seq_printf(s, "interrupts_missed: %llu\n", stats.interrupts_missed);
	seq_printf(s, "backstops: %llu\n", stats.backstops);
	seq_printf(s, "reaped_irq: %llu\n", stats.reaped[IDMA_REAP_IRQ]);
	seq_printf(s, "reaped_backstop: %llu\n", stats.reaped[IDMA_REAP_BACKSTOP]);
	seq_printf(s, "reaped_poll: %llu\n", stats.reaped[IDMA_REAP_POLL]);
	seq_printf(s, "stalls: %llu\n", stats.stalls);
	seq_printf(s, "recoveries: %llu\n", stats.recoveries);

	/* Registers can be read while the clock runs */
	spin_lock_irqsave(&idma->lock, flags);
	if (!idma->gone && idma_clock_get(idma) >= 0) {
		if (!idma->resetting)
			idma->ops->show(idma, s);
		idma_clock_put(idma);
	}
	spin_unlock_irqrestore(&idma->lock, flags);

	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stats);

/* Called with dmaengine's list of devices locked */
void idma_summary_show(struct seq_file *s, struct dma_device *dma)
{
	struct idma_dev *idma = to_idma_dev(dma);
	unsigned int i;

	/* Still listed while a client holds a channel, but without names */
	if (READ_ONCE(idma->gone))
		return;

	for (i = 0; i < idma->nr_chans; i++) {
		struct idma_chan *c = &idma->chans[i];
		struct idma_chan_stats stats;
		unsigned long flags;

		spin_lock_irqsave(&c->vc.lock, flags);
		stats = c->stats;
		spin_unlock_irqrestore(&c->vc.lock, flags);

		seq_printf(s, " %-12s| %s | transfers %llu, bytes %llu, errors %llu, terminated %llu\n",
			   dma_chan_name(&c->vc.chan),
			   c->vc.chan.client_count ? "in use" : "free  ",
			   stats.transfers, stats.bytes, stats.errors,
			   stats.terminated);
	}
}

void idma_debugfs_init(struct idma_dev *idma)
{
	struct dentry *root = dmaengine_get_debugfs_root(&idma->dma);

	if (!IS_ERR_OR_NULL(root))
		idma->debugfs = debugfs_create_file("stats", 0444, root, idma,
						    &stats_fops);
}

/* Waits for readers: the registers go away after this */
void idma_debugfs_exit(struct idma_dev *idma)
{
	debugfs_remove(idma->debugfs);
}

#else

void idma_debugfs_init(struct idma_dev *idma)
{
}

void idma_debugfs_exit(struct idma_dev *idma)
{
}

#endif
