// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long a channel waits that has long been idle, after it once copied a lot
 * while it was alone: what it took when nobody else wanted it costs it nothing.
 *
 * Time has no part in it. The engine works in order, so a transfer that copies
 * counters which the other channels' transfers write tells exactly how many of
 * them were before it. Run it with one CPU: interrupts are off from the look at
 * the counters to the issue, and nothing is launched meanwhile.
 */
#include <linux/completion.h>
#include <linux/dma-mapping.h>
#include <linux/dmaengine.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/sizes.h>

#define OTHERS	7
#define MIBS	32
#define WAIT_MS	60000

static struct dma_chan *chans[OTHERS + 1];
static void *bulk;
static u64 *page;	/* counters, what they were for the late one, and the numbers */
static dma_addr_t bulk_dma, page_dma;

static void fair_done(void *param)
{
	complete(param);
}

static int fair_copy(struct dma_chan *chan, dma_addr_t dst, dma_addr_t src,
		     size_t len, struct completion *done)
{
	struct dma_async_tx_descriptor *tx;

	tx = dmaengine_prep_dma_memcpy(chan, dst, src, len, DMA_CTRL_ACK |
				       (done ? DMA_PREP_INTERRUPT : 0));
	if (!tx)
		return -ENOMEM;
	if (done) {
		tx->callback = fair_done;
		tx->callback_param = done;
	}

	return dma_submit_error(dmaengine_submit(tx)) ? -EIO : 0;
}

static u64 fair_sum(const u64 *counters)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < OTHERS; i++)
		sum += READ_ONCE(counters[i]);

	return sum;
}

static int fair_run(void)
{
	DECLARE_COMPLETION_ONSTACK(done);
	dma_addr_t numbers = page_dma + 16 * sizeof(u64);
	unsigned long flags;
	u64 before;
	int ret, c, i;

	for (i = 0; i < MIBS; i++)
		page[16 + i] = i + 1;

	/* The first one, alone: a full chain */
	for (i = 0; i < 8; i++) {
		ret = fair_copy(chans[0], bulk_dma, bulk_dma, SZ_1M, i == 7 ? &done : NULL);
		if (ret)
			return ret;
	}
	dma_async_issue_pending(chans[0]);
	if (!wait_for_completion_timeout(&done, msecs_to_jiffies(WAIT_MS)))
		return -ETIMEDOUT;
	reinit_completion(&done);

	for (c = 0; c < OTHERS; c++) {
		for (i = 0; i < MIBS; i++) {
			ret = fair_copy(chans[1 + c], bulk_dma, bulk_dma, SZ_1M, NULL) ?:
			      fair_copy(chans[1 + c], page_dma + c * sizeof(u64),
					numbers + i * sizeof(u64), sizeof(u64), NULL);
			if (ret)
				return ret;
		}
	}
	ret = fair_copy(chans[0], page_dma + 8 * sizeof(u64), page_dma, 8 * sizeof(u64), &done);
	if (ret)
		return ret;

	local_irq_save(flags);
	for (c = 0; c < OTHERS; c++)
		dma_async_issue_pending(chans[1 + c]);
	before = fair_sum(page);
	dma_async_issue_pending(chans[0]);
	local_irq_restore(flags);

	if (!wait_for_completion_timeout(&done, msecs_to_jiffies(WAIT_MS)))
		return -ETIMEDOUT;
	pr_info("fair: before=%llu waited_mib=%llu of=%u\n", before,
		fair_sum(page + 8) - before, OTHERS * MIBS);

	return 0;
}

static void fair_exit(void)
{
	struct device *dev = chans[0] ? dmaengine_get_dma_device(chans[0]) : NULL;
	int c;

	for (c = 0; c <= OTHERS; c++)
		if (chans[c])
			dmaengine_terminate_sync(chans[c]);
	if (page)
		dma_free_coherent(dev, PAGE_SIZE, page, page_dma);
	if (bulk)
		dma_free_coherent(dev, SZ_1M, bulk, bulk_dma);
	for (c = 0; c <= OTHERS; c++)
		if (chans[c])
			dma_release_channel(chans[c]);
}

static int __init fair_init(void)
{
	int ret = -ENODEV, c;
	struct device *dev;
	dma_cap_mask_t mask;

	dma_cap_zero(mask);
	dma_cap_set(DMA_MEMCPY, mask);
	for (c = 0; c <= OTHERS; c++) {
		chans[c] = dma_request_channel(mask, NULL, NULL);
		if (!chans[c])
			goto out;
	}
	dev = dmaengine_get_dma_device(chans[0]);
	ret = -ENOMEM;
	page = dma_alloc_coherent(dev, PAGE_SIZE, &page_dma, GFP_KERNEL);
	bulk = dma_alloc_coherent(dev, SZ_1M, &bulk_dma, GFP_KERNEL);
	if (page && bulk)
		ret = fair_run();
out:
	if (ret)
		fair_exit();

	return ret;
}
module_init(fair_init);
module_exit(fair_exit);

MODULE_DESCRIPTION("What a channel took while it was alone does not make it wait later");
MODULE_AUTHOR("iDMA driver maintainers");
MODULE_LICENSE("GPL");
