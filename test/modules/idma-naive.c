// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the driver must not do: launch descriptors of their own from slots that
 * follow each other without a gap. Random launches on an engine that no driver
 * is bound to, by a careless layout (stride=1) or a careful one (stride=2), and
 * how many of them did not do what they were launched for.
 *
 * A slot that is not in use holds a copy from the decoy's source to the decoy's
 * destination, so that a stale guess is seen and does no harm.
 */
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/io.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/of_address.h>
#include <linux/of_platform.h>
#include <linux/platform_device.h>
#include <linux/prandom.h>
#include <linux/slab.h>

#include "../../drivers/dma/idma/idma-desc64.h"

static unsigned int launches = 1000;
module_param(launches, uint, 0444);
MODULE_PARM_DESC(launches, "How many launches (default 1000)");

static unsigned int stride = 1;
module_param(stride, uint, 0444);
MODULE_PARM_DESC(stride, "Slots from a launch to the next: 1 without a gap (default), 2 with one");

static unsigned int seed = 1;
module_param(seed, uint, 0444);
MODULE_PARM_DESC(seed, "Seed of lengths, places and pauses (default 1)");

#define SLOTS		64U
#define GUARD		64U
#define PLACE		256U
#define WAIT_US		1000000

struct naive {
	void __iomem *regs;
	struct idma_desc64 *desc;
	dma_addr_t desc_dma;
	u8 *src, *dst, *decoy;
	dma_addr_t src_dma, dst_dma, decoy_dma;
	u32 len[SLOTS];
	u32 off[SLOTS];
};

static void naive_fill(struct naive *n, unsigned int slot, u32 len,
		       dma_addr_t src, dma_addr_t dst)
{
	struct idma_desc64 *desc = &n->desc[slot];

	desc->length = cpu_to_le32(len);
	desc->flags = cpu_to_le32(IDMA_DESC64_INCR);
	desc->next = cpu_to_le64(IDMA_DESC64_END);
	desc->src = cpu_to_le64(src);
	desc->dst = cpu_to_le64(dst);
}

static bool naive_wait(struct naive *n, unsigned int slot)
{
	unsigned int i;

	for (i = 0; i < WAIT_US; i++) {
		if (READ_ONCE(n->desc[slot].mark) == cpu_to_le64(IDMA_DESC64_MARK))
			return true;
		udelay(1);
	}

	return false;
}

/* Take a launch back; was it what it was meant to be? */
static bool naive_right(struct naive *n, unsigned int slot)
{
	u8 *dst = n->dst + slot * PLACE;
	bool right = !memcmp(dst, n->src + n->off[slot], n->len[slot]);

	memset(dst, 0, PLACE);
	naive_fill(n, slot, PLACE, n->decoy_dma, n->decoy_dma + PLACE);

	return right;
}

/* Two launches at a time, as far as a pause lets them be */
static int naive_run(struct naive *n, struct device *dev)
{
	unsigned int i, slot = 0, prev = SLOTS, wrong = 0, done = 0;
	struct rnd_state rnd;
	int ret = 0;

	prandom_seed_state(&rnd, seed);
	prandom_bytes_state(&rnd, n->src, 2 * PLACE);
	for (i = 0; i < SLOTS + GUARD; i++)
		naive_fill(n, i, PLACE, n->decoy_dma, n->decoy_dma + PLACE);

	for (i = 0; i < launches; i++) {
		n->len[slot] = 1 + prandom_u32_state(&rnd) % PLACE;
		n->off[slot] = prandom_u32_state(&rnd) % PLACE;
		naive_fill(n, slot, n->len[slot], n->src_dma + n->off[slot],
			   n->dst_dma + slot * PLACE);
		writeq(n->desc_dma + slot * sizeof(*n->desc),
		       n->regs + IDMA_DESC64_DESC_ADDR);
		udelay(prandom_u32_state(&rnd) % 64);

		if (prev < SLOTS) {
			if (!naive_wait(n, prev)) {
				ret = -ETIMEDOUT;
				break;
			}
			wrong += !naive_right(n, prev);
			done++;
		}
		prev = slot;
		slot = (slot + stride) % SLOTS;
		if (!(i % 1024))
			cond_resched();
	}
	if (!ret && naive_wait(n, prev)) {
		wrong += !naive_right(n, prev);
		done++;
	}
	for (i = 0; i < WAIT_US &&
	     readq(n->regs + IDMA_DESC64_STATUS) & IDMA_DESC64_STATUS_BUSY; i++)
		udelay(1);
	dev_info(dev, "naive: stride=%u seed=%u launches=%u wrong=%u\n", stride,
		 seed, done, wrong);

	return ret;
}

static int __init naive_init(void)
{
	struct platform_device *pdev;
	struct device_node *np;
	struct naive *n;
	int ret = -ENOMEM;

	if (!stride || stride > 2)
		return -EINVAL;
	np = of_find_compatible_node(NULL, NULL, "eth,idma-desc64");
	pdev = np ? of_find_device_by_node(np) : NULL;
	of_node_put(np);
	if (!pdev)
		return -ENODEV;
	device_lock(&pdev->dev);
	if (pdev->dev.driver) {
		ret = -EBUSY;
		goto out;
	}

	n = kzalloc(sizeof(*n), GFP_KERNEL);
	if (!n)
		goto out;
	ret = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	n->regs = of_iomap(pdev->dev.of_node, 0);
	n->desc = dma_alloc_coherent(&pdev->dev, (SLOTS + GUARD) * sizeof(*n->desc),
				     &n->desc_dma, GFP_KERNEL);
	n->src = dma_alloc_coherent(&pdev->dev, 2 * PLACE, &n->src_dma, GFP_KERNEL);
	n->dst = dma_alloc_coherent(&pdev->dev, SLOTS * PLACE, &n->dst_dma, GFP_KERNEL);
	n->decoy = dma_alloc_coherent(&pdev->dev, 2 * PLACE, &n->decoy_dma, GFP_KERNEL);
	if (!ret && n->regs && n->desc && n->src && n->dst && n->decoy)
		ret = naive_run(n, &pdev->dev);
	else if (!ret)
		ret = -ENOMEM;

	/* An engine that is still at it would write to memory given back */
	if (ret != -ETIMEDOUT) {
		if (n->desc)
			dma_free_coherent(&pdev->dev, (SLOTS + GUARD) * sizeof(*n->desc),
					  n->desc, n->desc_dma);
		if (n->src)
			dma_free_coherent(&pdev->dev, 2 * PLACE, n->src, n->src_dma);
		if (n->dst)
			dma_free_coherent(&pdev->dev, SLOTS * PLACE, n->dst, n->dst_dma);
		if (n->decoy)
			dma_free_coherent(&pdev->dev, 2 * PLACE, n->decoy, n->decoy_dma);
	}
	if (n->regs)
		iounmap(n->regs);
	kfree(n);
out:
	device_unlock(&pdev->dev);
	put_device(&pdev->dev);

	return ret;
}

static void __exit naive_exit(void)
{
}

module_init(naive_init);
module_exit(naive_exit);

MODULE_DESCRIPTION("A careless layout of descriptors, to show what it leads to");
MODULE_AUTHOR("iDMA driver maintainers");
MODULE_LICENSE("GPL");
