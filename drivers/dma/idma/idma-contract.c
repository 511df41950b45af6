// SPDX-License-Identifier: GPL-2.0-only
/*
 * The dmaengine contract as KUnit tests on a real channel: what a client may
 * do, in which context, and what it may rely on. Every test is a row of the
 * table in Documentation/driver-api/dmaengine/idma.rst.
 *
 * Nothing in here knows the iDMA: with the parameter "driver" another
 * provider is held to the same contract.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/dmaengine.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/of_platform.h>
#include <linux/platform_device.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

static char *driver = "idma";
module_param(driver, charp, 0444);
MODULE_PARM_DESC(driver, "Name of the dmaengine driver to test (default idma)");

static unsigned int sweep_len = 40;
module_param(sweep_len, uint, 0444);
MODULE_PARM_DESC(sweep_len, "Longest transfer of the alignment sweep in bytes (1..257, default 40)");

#define BUF_LEN		SZ_8K
#define GUARD		64
#define CANARY		0xa5
#define WAIT_MS		10000

/* A channel, a source and a destination with guard bytes around it */
struct contract {
	struct dma_chan *chan;
	struct device *dev;
	struct platform_device *beside;
	u8 *src;
	u8 *dst;
	dma_addr_t src_dma;
	dma_addr_t dst_dma;
	struct completion done;
	struct dmaengine_result result;
	atomic_t callbacks;
	unsigned int again;
	dma_cookie_t order[8];
	struct dmaengine_unmap_data *unmap;
	unsigned int unmap_refs;
	struct rnd_state rnd;
};

/* ---- Set-up ---- */

static bool contract_filter(struct dma_chan *chan, void *unused)
{
	const struct device_driver *drv = chan->device->dev->driver;

	return drv && !strcmp(drv->name, driver);
}

static struct dma_chan *contract_request(void)
{
	dma_cap_mask_t mask;

	dma_cap_zero(mask);
	dma_cap_set(DMA_MEMCPY, mask);

	return dma_request_channel(mask, contract_filter, NULL);
}

/* Coherent, so that both sides may look at any time */
static int contract_buffers(struct contract *t)
{
	t->src = dma_alloc_coherent(t->dev, BUF_LEN, &t->src_dma, GFP_KERNEL);
	t->dst = dma_alloc_coherent(t->dev, BUF_LEN, &t->dst_dma, GFP_KERNEL);
	if (!t->src || !t->dst)
		return -ENOMEM;
	prandom_bytes_state(&t->rnd, t->src, BUF_LEN);
	memset(t->dst, CANARY, BUF_LEN);

	return 0;
}

static void contract_free_buffers(struct contract *t)
{
	if (t->src)
		dma_free_coherent(t->dev, BUF_LEN, t->src, t->src_dma);
	if (t->dst)
		dma_free_coherent(t->dev, BUF_LEN, t->dst, t->dst_dma);
	t->src = NULL;
	t->dst = NULL;
}

static int contract_init(struct kunit *test)
{
	struct contract *t;

	t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	if (!t)
		return -ENOMEM;
	test->priv = t;
	init_completion(&t->done);
	prandom_seed_state(&t->rnd, 1);

	t->chan = contract_request();
	if (!t->chan) {
		kunit_err(test, "no memcpy channel of driver \"%s\"", driver);
		return -ENODEV;
	}
	t->dev = dmaengine_get_dma_device(t->chan);

	return contract_buffers(t);
}

static void contract_exit(struct kunit *test)
{
	struct contract *t = test->priv;

	if (!t)
		return;
	if (t->chan)
		dmaengine_terminate_sync(t->chan);
	if (t->dev)
		contract_free_buffers(t);
	if (t->beside)
		platform_device_unregister(t->beside);
	if (t->chan)
		dma_release_channel(t->chan);
}

static void contract_callback(void *param, const struct dmaengine_result *result)
{
	struct contract *t = param;

	t->result = *result;
	atomic_inc(&t->callbacks);
	complete(&t->done);
}

/* Prepare a copy to GUARD bytes into the destination */
static struct dma_async_tx_descriptor *
contract_prep(struct contract *t, size_t len, unsigned long flags)
{
	struct dma_async_tx_descriptor *tx;

	tx = dmaengine_prep_dma_memcpy(t->chan, t->dst_dma + GUARD, t->src_dma,
				       len, flags);
	if (tx && flags & DMA_PREP_INTERRUPT) {
		tx->callback_result = contract_callback;
		tx->callback_param = t;
	}

	return tx;
}

static bool contract_wait(struct contract *t)
{
	return wait_for_completion_timeout(&t->done, msecs_to_jiffies(WAIT_MS));
}

static bool all_canary(const u8 *p, size_t len)
{
	return !memchr_inv(p, CANARY, len);
}

/* The copy is right and nothing around it was touched */
static void contract_verify(struct kunit *test, struct contract *t, size_t len)
{
	KUNIT_EXPECT_TRUE(test, all_canary(t->dst, GUARD));
	KUNIT_EXPECT_EQ(test, memcmp(t->dst + GUARD, t->src, len), 0);
	KUNIT_EXPECT_TRUE(test, all_canary(t->dst + GUARD + len,
					   BUF_LEN - GUARD - len));
}

/* ---- Preparing and submitting ---- */

static void contract_memcpy(struct kunit *test)
{
	struct contract *t = test->priv;
	struct dma_async_tx_descriptor *tx;
	dma_cookie_t cookie;

	tx = contract_prep(t, 4097, DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
	KUNIT_ASSERT_NOT_NULL(test, tx);
	cookie = dmaengine_submit(tx);
	KUNIT_ASSERT_FALSE(test, dma_submit_error(cookie));
	KUNIT_EXPECT_EQ(test, dmaengine_tx_status(t->chan, cookie, NULL),
			DMA_IN_PROGRESS);

	/* Submitted is not issued: nothing may happen yet */
	usleep_range(10000, 20000);
	KUNIT_EXPECT_EQ(test, atomic_read(&t->callbacks), 0);
	KUNIT_EXPECT_TRUE(test, all_canary(t->dst, BUF_LEN));

	dma_async_issue_pending(t->chan);
	KUNIT_ASSERT_TRUE(test, contract_wait(t));
	KUNIT_EXPECT_EQ(test, t->result.result, DMA_TRANS_NOERROR);
	KUNIT_EXPECT_EQ(test, t->result.residue, 0U);
	KUNIT_EXPECT_EQ(test, dmaengine_tx_status(t->chan, cookie, NULL),
			DMA_COMPLETE);
	contract_verify(test, t, 4097);
}

static void contract_zero_length(struct kunit *test)
{
	struct contract *t = test->priv;

	KUNIT_EXPECT_NULL(test, contract_prep(t, 0, DMA_PREP_INTERRUPT));
}

/* Everything but the wait in atomic context, interrupts off */
static void contract_atomic(struct kunit *test)
{
	struct contract *t = test->priv;
	struct dma_async_tx_descriptor *tx;
	unsigned long flags;

	local_irq_save(flags);
	tx = contract_prep(t, 100, DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
	if (tx) {
		dma_cookie_t cookie = dmaengine_submit(tx);

		dma_async_issue_pending(t->chan);
		dmaengine_tx_status(t->chan, cookie, NULL);
	}
	local_irq_restore(flags);

	KUNIT_ASSERT_NOT_NULL(test, tx);
	KUNIT_ASSERT_TRUE(test, contract_wait(t));
	contract_verify(test, t, 100);
}

/* Descriptors complete in the order of submission, not of preparation */
static void contract_note_order(void *param)
{
	struct contract *t = param;
	int n = atomic_inc_return(&t->callbacks);

	t->order[n - 1] = t->chan->completed_cookie;
	if (n == ARRAY_SIZE(t->order))
		complete(&t->done);
}

static void contract_order(struct kunit *test)
{
	struct contract *t = test->priv;
	struct dma_async_tx_descriptor *tx[ARRAY_SIZE(t->order)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tx); i++) {
		/* Each one overwrites the byte: the last submitted must win */
		tx[i] = dmaengine_prep_dma_memcpy(t->chan, t->dst_dma + GUARD,
						  t->src_dma + i, 1,
						  DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
		KUNIT_ASSERT_NOT_NULL(test, tx[i]);
		tx[i]->callback = contract_note_order;
		tx[i]->callback_param = t;
		t->src[i] = i;
	}
	for (i = ARRAY_SIZE(tx); i--; )
		KUNIT_ASSERT_FALSE(test, dma_submit_error(dmaengine_submit(tx[i])));
	dma_async_issue_pending(t->chan);
	KUNIT_ASSERT_TRUE(test, contract_wait(t));
	KUNIT_EXPECT_EQ(test, t->dst[GUARD], 0);
	for (i = 1; i < ARRAY_SIZE(tx); i++)
		KUNIT_EXPECT_GE(test, t->order[i], t->order[i - 1]);
}

/* Thousands of descriptors behind one issue: none is refused, none is lost */
static void contract_many(struct kunit *test)
{
	enum { N = 5000 };
	struct contract *t = test->priv;
	struct dma_async_tx_descriptor *tx;
	dma_cookie_t cookie = 0;
	unsigned int i;

	for (i = 0; i < N; i++) {
		tx = contract_prep(t, 64, i == N - 1 ?
				   DMA_PREP_INTERRUPT | DMA_CTRL_ACK : DMA_CTRL_ACK);
		KUNIT_ASSERT_NOT_NULL(test, tx);
		cookie = dmaengine_submit(tx);
	}
	dma_async_issue_pending(t->chan);
	KUNIT_ASSERT_TRUE(test, contract_wait(t));
	KUNIT_EXPECT_EQ(test, dmaengine_tx_status(t->chan, cookie, NULL),
			DMA_COMPLETE);
	contract_verify(test, t, 64);
}

/* A client without interrupts polls */
static void contract_polled(struct kunit *test)
{
	struct contract *t = test->priv;
	struct dma_async_tx_descriptor *tx;
	unsigned int i;

	for (i = 0; i < 50; i++) {
		memset(t->dst, CANARY, BUF_LEN);
		tx = contract_prep(t, 1000 + i, DMA_CTRL_ACK);
		KUNIT_ASSERT_NOT_NULL(test, tx);
		KUNIT_ASSERT_EQ(test, dma_sync_wait(t->chan, dmaengine_submit(tx)),
				DMA_COMPLETE);
		contract_verify(test, t, 1000 + i);
	}
}

static void contract_reuse(struct kunit *test)
{
	struct contract *t = test->priv;
	struct dma_async_tx_descriptor *tx;
	unsigned int i;

	tx = contract_prep(t, 777, DMA_PREP_INTERRUPT | DMA_CTRL_REUSE);
	KUNIT_ASSERT_NOT_NULL(test, tx);
	KUNIT_ASSERT_TRUE(test, dmaengine_desc_test_reuse(tx));

	for (i = 0; i < 20; i++) {
		memset(t->dst, CANARY, BUF_LEN);
		t->src[0] = i;
		KUNIT_ASSERT_FALSE(test, dma_submit_error(dmaengine_submit(tx)));
		dma_async_issue_pending(t->chan);
		KUNIT_ASSERT_TRUE(test, contract_wait(t));
		contract_verify(test, t, 777);
		/* The descriptor is the client's again after the callback has returned */
		dmaengine_synchronize(t->chan);

		/* Terminated in the middle, it is as good as new */
		KUNIT_ASSERT_FALSE(test, dma_submit_error(dmaengine_submit(tx)));
		dma_async_issue_pending(t->chan);
		KUNIT_ASSERT_EQ(test, dmaengine_terminate_sync(t->chan), 0);
		reinit_completion(&t->done);
	}
	KUNIT_EXPECT_EQ(test, dmaengine_desc_free(tx), 0);
}

/* ---- Mappings that the client leaves to the engine ---- */

static void contract_unmapped(void *param)
{
	struct contract *t = param;

	/* One is the client's; the engine's has to be gone by now */
	t->unmap_refs = kref_read(&t->unmap->kref);
	complete(&t->done);
}

/* A copy of a page to the next one, with mappings of its own */
static struct dma_async_tx_descriptor *
contract_prep_unmap(struct kunit *test, struct contract *t, struct page *pages,
		    unsigned long flags)
{
	struct dmaengine_unmap_data *unmap;
	struct dma_async_tx_descriptor *tx;

	unmap = dmaengine_get_unmap_data(t->dev, 2, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, unmap);
	unmap->len = PAGE_SIZE;
	unmap->addr[0] = dma_map_page(t->dev, pages, 0, PAGE_SIZE, DMA_TO_DEVICE);
	KUNIT_ASSERT_FALSE(test, dma_mapping_error(t->dev, unmap->addr[0]));
	unmap->to_cnt = 1;
	unmap->addr[1] = dma_map_page(t->dev, pages + 1, 0, PAGE_SIZE, DMA_FROM_DEVICE);
	KUNIT_ASSERT_FALSE(test, dma_mapping_error(t->dev, unmap->addr[1]));
	unmap->from_cnt = 1;
	t->unmap = unmap;

	tx = dmaengine_prep_dma_memcpy(t->chan, unmap->addr[1], unmap->addr[0],
				       PAGE_SIZE, flags);
	KUNIT_ASSERT_NOT_NULL(test, tx);
	dma_set_unmap(tx, unmap);
	if (flags & DMA_PREP_INTERRUPT) {
		tx->callback = contract_unmapped;
		tx->callback_param = t;
	}

	return tx;
}

/* What is left is the client's reference, and it goes here */
static void contract_check_unmapped(struct kunit *test, struct contract *t)
{
	KUNIT_EXPECT_EQ(test, kref_read(&t->unmap->kref), 1U);
	dmaengine_unmap_put(t->unmap);
	t->unmap = NULL;
}

static void contract_unmap(struct kunit *test)
{
	struct contract *t = test->priv;
	struct dma_async_tx_descriptor *tx;
	struct page *pages;
	unsigned int i;
	u8 *p;

	pages = alloc_pages(GFP_KERNEL | GFP_DMA32, 1);
	KUNIT_ASSERT_NOT_NULL(test, pages);
	p = page_address(pages);

	/* Complete: before the callback, which looks at the data */
	prandom_bytes_state(&t->rnd, p, PAGE_SIZE);
	tx = contract_prep_unmap(test, t, pages, DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
	dmaengine_submit(tx);
	dma_async_issue_pending(t->chan);
	KUNIT_EXPECT_TRUE(test, contract_wait(t));
	KUNIT_EXPECT_EQ(test, t->unmap_refs, 1U);
	contract_check_unmapped(test, t);
	KUNIT_EXPECT_EQ(test, memcmp(p + PAGE_SIZE, p, PAGE_SIZE), 0);

	/* Polled */
	prandom_bytes_state(&t->rnd, p, PAGE_SIZE);
	tx = contract_prep_unmap(test, t, pages, DMA_CTRL_ACK);
	KUNIT_EXPECT_EQ(test, dma_sync_wait(t->chan, dmaengine_submit(tx)), DMA_COMPLETE);
	contract_check_unmapped(test, t);
	KUNIT_EXPECT_EQ(test, memcmp(p + PAGE_SIZE, p, PAGE_SIZE), 0);

	/* Terminated: not issued yet, and at all stages after that */
	for (i = 0; i < 100; i++) {
		tx = contract_prep_unmap(test, t, pages, DMA_CTRL_ACK);
		dmaengine_submit(tx);
		if (i) {
			dma_async_issue_pending(t->chan);
			udelay(i);
		}
		KUNIT_EXPECT_EQ(test, dmaengine_terminate_sync(t->chan), 0);
		contract_check_unmapped(test, t);
	}

	/* Given back without having been submitted */
	tx = contract_prep_unmap(test, t, pages, DMA_CTRL_REUSE);
	KUNIT_EXPECT_EQ(test, dmaengine_desc_free(tx), 0);
	contract_check_unmapped(test, t);

	/* Prepared, and never submitted: with the channel */
	contract_prep_unmap(test, t, pages, DMA_CTRL_ACK);
	dma_release_channel(t->chan);
	t->chan = contract_request();
	contract_check_unmapped(test, t);
	KUNIT_EXPECT_NOT_NULL(test, t->chan);

	__free_pages(pages, 1);
}

/* ---- From the callback ---- */

static void contract_resubmit(void *param)
{
	struct contract *t = param;
	struct dma_async_tx_descriptor *tx;

	atomic_inc(&t->callbacks);
	if (!t->again--) {
		complete(&t->done);
		return;
	}
	tx = dmaengine_prep_dma_memcpy(t->chan, t->dst_dma + GUARD, t->src_dma,
				       64, DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
	if (!tx)
		return;
	tx->callback = contract_resubmit;
	tx->callback_param = t;
	dmaengine_submit(tx);
	dma_async_issue_pending(t->chan);
}

static void contract_callback_submits(struct kunit *test)
{
	struct contract *t = test->priv;

	t->again = 200;
	contract_resubmit(t);
	KUNIT_ASSERT_TRUE(test, contract_wait(t));
	/* The first call was ours */
	KUNIT_EXPECT_EQ(test, atomic_read(&t->callbacks), 201);
	contract_verify(test, t, 64);
}

static void contract_terminate_here(void *param)
{
	struct contract *t = param;

	if (atomic_inc_return(&t->callbacks) == 1)
		dmaengine_terminate_async(t->chan);
	complete(&t->done);
}

static void contract_callback_terminates(struct kunit *test)
{
	struct contract *t = test->priv;
	struct dma_async_tx_descriptor *tx;
	unsigned int i;

	for (i = 0; i < 100; i++) {
		tx = dmaengine_prep_dma_memcpy(t->chan, t->dst_dma + GUARD,
					       t->src_dma, 512,
					       DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
		KUNIT_ASSERT_NOT_NULL(test, tx);
		tx->callback = contract_terminate_here;
		tx->callback_param = t;
		dmaengine_submit(tx);
		if (!i)
			dma_async_issue_pending(t->chan);
	}
	dma_async_issue_pending(t->chan);
	KUNIT_ASSERT_TRUE(test, contract_wait(t));
	dmaengine_synchronize(t->chan);
	KUNIT_EXPECT_GE(test, atomic_read(&t->callbacks), 1);

	/* The channel is as good as new */
	reinit_completion(&t->done);
	tx = contract_prep(t, 64, DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
	KUNIT_ASSERT_NOT_NULL(test, tx);
	dmaengine_submit(tx);
	dma_async_issue_pending(t->chan);
	KUNIT_ASSERT_TRUE(test, contract_wait(t));
	KUNIT_EXPECT_EQ(test, t->result.result, DMA_TRANS_NOERROR);
}

/* ---- Status and residue ---- */

/* A copy of a buffer onto itself: what counts is how far it is */
static unsigned int contract_residue_once(struct kunit *test, dma_addr_t dma,
					  size_t len)
{
	struct contract *t = test->priv;
	struct dma_async_tx_descriptor *tx;
	struct dma_tx_state state;
	unsigned int between = 0;
	enum dma_status status;
	unsigned long end;
	dma_cookie_t cookie;
	u32 last = len;

	tx = dmaengine_prep_dma_memcpy(t->chan, dma, dma, len,
				       DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
	if (!tx) {
		KUNIT_FAIL(test, "no descriptor");
		return 0;
	}
	cookie = dmaengine_submit(tx);
	dmaengine_tx_status(t->chan, cookie, &state);
	KUNIT_EXPECT_EQ(test, state.residue, (u32)len);
	dma_async_issue_pending(t->chan);

	end = jiffies + msecs_to_jiffies(WAIT_MS);
	do {
		status = dmaengine_tx_status(t->chan, cookie, &state);
		KUNIT_EXPECT_LE(test, state.residue, last);
		between += state.residue && state.residue != last;
		last = state.residue;
		usleep_range(50, 100);
	} while (status == DMA_IN_PROGRESS && time_before(jiffies, end));
	KUNIT_EXPECT_EQ(test, status, DMA_COMPLETE);
	KUNIT_EXPECT_EQ(test, last, 0U);

	return between;
}

/*
 * Neither full nor nothing all the time. How much of a single transfer is seen
 * is the scheduler's to say, and on an emulated machine the host's: go on until
 * something was.
 */
static void contract_residue(struct kunit *test)
{
	struct contract *t = test->priv;
	unsigned int between = 0;
	size_t len = SZ_4M;
	unsigned long end;
	dma_addr_t dma;
	void *buf;

	buf = dma_alloc_coherent(t->dev, len, &dma, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, buf);
	end = jiffies + msecs_to_jiffies(WAIT_MS);
	do {
		between += contract_residue_once(test, dma, len);
	} while (between < 2 && time_before(jiffies, end));
	KUNIT_EXPECT_GE(test, between, 2U);
	dmaengine_terminate_sync(t->chan);
	dma_free_coherent(t->dev, len, buf, dma);
}

static void contract_status_of_terminated(struct kunit *test)
{
	struct contract *t = test->priv;
	struct dma_async_tx_descriptor *tx;
	dma_cookie_t dropped, next;

	tx = contract_prep(t, 64, DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
	KUNIT_ASSERT_NOT_NULL(test, tx);
	dropped = dmaengine_submit(tx);
	KUNIT_EXPECT_EQ(test, dmaengine_terminate_sync(t->chan), 0);
	KUNIT_EXPECT_EQ(test, dmaengine_tx_status(t->chan, dropped, NULL), DMA_ERROR);

	tx = contract_prep(t, 64, DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
	KUNIT_ASSERT_NOT_NULL(test, tx);
	next = dmaengine_submit(tx);
	dma_async_issue_pending(t->chan);
	KUNIT_ASSERT_TRUE(test, contract_wait(t));
	KUNIT_EXPECT_EQ(test, dmaengine_tx_status(t->chan, next, NULL), DMA_COMPLETE);
	/* A later completion does not turn it into a success */
	KUNIT_EXPECT_EQ(test, dmaengine_tx_status(t->chan, dropped, NULL), DMA_ERROR);
}

/*
 * One that has failed is not forgotten because others were terminated after it,
 * in one go or in many.
 */
static void contract_status_after_many(struct kunit *test)
{
	struct contract *t = test->priv;
	struct dma_async_tx_descriptor *tx;
	dma_cookie_t dropped, good, last = 0;
	unsigned int i;

	tx = contract_prep(t, 64, DMA_CTRL_ACK);
	KUNIT_ASSERT_NOT_NULL(test, tx);
	dropped = dmaengine_submit(tx);
	KUNIT_ASSERT_EQ(test, dmaengine_terminate_sync(t->chan), 0);

	tx = contract_prep(t, 64, DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
	KUNIT_ASSERT_NOT_NULL(test, tx);
	good = dmaengine_submit(tx);
	dma_async_issue_pending(t->chan);
	KUNIT_ASSERT_TRUE(test, contract_wait(t));

	for (i = 0; i < 100; i++) {
		tx = contract_prep(t, 64, DMA_CTRL_ACK);
		KUNIT_ASSERT_NOT_NULL(test, tx);
		last = dmaengine_submit(tx);
		KUNIT_ASSERT_EQ(test, dmaengine_terminate_sync(t->chan), 0);
		/* Nothing new: this adds no run of failures */
		KUNIT_ASSERT_EQ(test, dmaengine_terminate_sync(t->chan), 0);
	}
	KUNIT_EXPECT_EQ(test, dmaengine_tx_status(t->chan, dropped, NULL), DMA_ERROR);
	KUNIT_EXPECT_EQ(test, dmaengine_tx_status(t->chan, good, NULL), DMA_COMPLETE);
	KUNIT_EXPECT_EQ(test, dmaengine_tx_status(t->chan, last, NULL), DMA_ERROR);
}

/* ---- Terminate ---- */

/*
 * When terminate_sync() has returned, not a byte changes any more. How far the
 * engine is at that moment differs from round to round.
 */
static void contract_silence(struct kunit *test)
{
	struct contract *t = test->priv;
	struct dma_async_tx_descriptor *tx;
	unsigned int round, i;
	int seen;

	for (round = 0; round < 40; round++) {
		for (i = 0; i < 100; i++) {
			tx = contract_prep(t, 4096, DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
			KUNIT_ASSERT_NOT_NULL(test, tx);
			dmaengine_submit(tx);
		}
		dma_async_issue_pending(t->chan);
		udelay(prandom_u32_state(&t->rnd) % 2000);
		KUNIT_ASSERT_EQ(test, dmaengine_terminate_sync(t->chan), 0);

		seen = atomic_read(&t->callbacks);
		memset(t->dst, CANARY, BUF_LEN);
		usleep_range(5000, 6000);
		KUNIT_ASSERT_TRUE(test, all_canary(t->dst, BUF_LEN));
		KUNIT_ASSERT_EQ(test, atomic_read(&t->callbacks), seen);
	}
}

static void contract_terminate_idle(struct kunit *test)
{
	struct contract *t = test->priv;
	unsigned int i;

	for (i = 0; i < 100; i++)
		KUNIT_ASSERT_EQ(test, dmaengine_terminate_sync(t->chan), 0);
}

/* ---- Channels ---- */

static void contract_request_release(struct kunit *test)
{
	struct contract *t = test->priv;
	struct dma_async_tx_descriptor *tx;
	unsigned int i;

	for (i = 0; i < 200; i++) {
		dma_release_channel(t->chan);
		t->chan = contract_request();
		KUNIT_ASSERT_NOT_NULL(test, t->chan);
		tx = contract_prep(t, 64, DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
		KUNIT_ASSERT_NOT_NULL(test, tx);
		dmaengine_submit(tx);
		dma_async_issue_pending(t->chan);
		/* Every other time with the transfer still under way */
		if (i % 2)
			KUNIT_ASSERT_TRUE(test, contract_wait(t));
	}
}

/*
 * What is announced is what there is. dma_get_slave_caps() refuses engines
 * that only copy memory, so this looks at what it would report.
 */
static void contract_caps(struct kunit *test)
{
	struct contract *t = test->priv;
	struct dma_device *dma = t->chan->device;

	KUNIT_EXPECT_TRUE(test, dma->directions & BIT(DMA_MEM_TO_MEM));
	KUNIT_EXPECT_TRUE(test, !!dma->device_terminate_all);
	KUNIT_EXPECT_TRUE(test, !!dma->device_synchronize);
	KUNIT_EXPECT_TRUE(test, dma->descriptor_reuse);
	KUNIT_EXPECT_EQ(test, dma->copy_align, DMAENGINE_ALIGN_1_BYTE);
	KUNIT_EXPECT_NE(test, dma->residue_granularity,
			DMA_RESIDUE_GRANULARITY_DESCRIPTOR);
	/* The hardware cannot pause, and nobody says so */
	KUNIT_EXPECT_TRUE(test, !dma->device_pause);
	KUNIT_EXPECT_LT(test, dmaengine_pause(t->chan), 0);
}

/*
 * Channels by name from the device tree: the client's node has dma-names
 * "third", "third again" and "beyond" for channels 3, 3 and one too many.
 */
static void contract_device_tree(struct kunit *test)
{
	struct contract *t = test->priv;
	struct platform_device *pdev;
	struct device_node *np;
	struct dma_chan *chan;
	unsigned int i;

	np = of_find_compatible_node(NULL, NULL, "test,dma-contract-client");
	if (!np)
		kunit_skip(test, "no test,dma-contract-client in the device tree");
	pdev = of_find_device_by_node(np);
	of_node_put(np);
	KUNIT_ASSERT_NOT_NULL(test, pdev);

	for (i = 0; i < 3; i++) {
		struct dma_chan *own = t->chan;

		chan = dma_request_chan(&pdev->dev, "third");
		KUNIT_ASSERT_FALSE(test, IS_ERR(chan));
		KUNIT_EXPECT_EQ(test, chan->chan_id, 3);
		KUNIT_EXPECT_TRUE(test, IS_ERR(dma_request_chan(&pdev->dev, "third again")));

		t->chan = chan;
		contract_polled(test);
		t->chan = own;
		dma_release_channel(chan);
	}
	KUNIT_EXPECT_EQ(test, PTR_ERR(dma_request_chan(&pdev->dev, "beyond")), -EINVAL);
	KUNIT_EXPECT_TRUE(test, IS_ERR(dma_request_chan(&pdev->dev, "absent")));
	put_device(&pdev->dev);
}

/* ---- Taking the engine away ---- */

static bool cut_outside;
module_param(cut_outside, bool, 0444);
MODULE_PARM_DESC(cut_outside, "Somebody else cuts the work of contract_cut_order, by resets (default: it unbinds the engine)");

#define CUT_BURST	300U
#define CUT_LEN		24U

struct contract_unbinder {
	struct work_struct work;
	struct device *dev;
	unsigned int pause_us;
};

static void contract_unbind(struct work_struct *work)
{
	struct contract_unbinder *u = container_of(work, struct contract_unbinder, work);

	udelay(u->pause_us);
	device_release_driver(u->dev);
}

/*
 * Memory that outlives a driver is not allocated for the driver's device: the
 * buffers are those of another one, which sees the same memory.
 */
static void contract_move_buffers(struct kunit *test)
{
	struct contract *t = test->priv;

	contract_free_buffers(t);
	t->beside = platform_device_register_simple("idma-contract",
						    PLATFORM_DEVID_NONE, NULL, 0);
	if (IS_ERR(t->beside)) {
		t->beside = NULL;
		t->dev = NULL;
		KUNIT_ASSERT_TRUE(test, false);
	}
	t->dev = &t->beside->dev;
	KUNIT_ASSERT_EQ(test, dma_coerce_mask_and_coherent(t->dev, DMA_BIT_MASK(64)), 0);
	KUNIT_ASSERT_EQ(test, contract_buffers(t), 0);
}

/* The engine again, after it was unbound from its driver */
static void contract_rebind(struct kunit *test, struct device *dev)
{
	struct contract *t = test->priv;

	dma_release_channel(t->chan);
	t->chan = NULL;
	KUNIT_ASSERT_EQ(test, device_attach(dev), 1);
	t->chan = contract_request();
	KUNIT_ASSERT_NOT_NULL(test, t->chan);
}

/*
 * Work is cut in the middle while a client polls. A cookie that is reported as
 * complete is complete: its data is there. Cookies that are after one which
 * failed may be complete, as what is in hardware completes, but none is in
 * progress for ever, and none is reported as complete because of a later one.
 */
static unsigned int contract_cut_burst(struct kunit *test)
{
	struct contract *t = test->priv;
	dma_cookie_t *cookies;
	unsigned int i, n, failed = 0;

	cookies = kcalloc(CUT_BURST, sizeof(*cookies), GFP_KERNEL);
	if (!cookies) {
		KUNIT_FAIL(test, "no memory");
		return 0;
	}
	memset(t->dst, CANARY, BUF_LEN);
	for (i = 0, n = 0; i < CUT_BURST; i++) {
		struct dma_async_tx_descriptor *tx;

		tx = dmaengine_prep_dma_memcpy(t->chan, t->dst_dma + i * CUT_LEN,
					       t->src_dma + i * CUT_LEN, CUT_LEN,
					       i % 7 ? DMA_CTRL_ACK :
					       DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
		/* Refused when the engine is gone */
		if (!tx)
			break;
		cookies[n++] = dmaengine_submit(tx);
		if (i % 16 == 15)
			dma_async_issue_pending(t->chan);
	}
	dma_async_issue_pending(t->chan);

	for (i = 0; i < n; i++) {
		unsigned long end = jiffies + msecs_to_jiffies(WAIT_MS);
		enum dma_status status;

		do {
			status = dmaengine_tx_status(t->chan, cookies[i], NULL);
			if (status == DMA_IN_PROGRESS)
				cpu_relax();
		} while (status == DMA_IN_PROGRESS && time_before(jiffies, end));

		if (status == DMA_COMPLETE)
			KUNIT_EXPECT_EQ(test, memcmp(t->dst + i * CUT_LEN,
						     t->src + i * CUT_LEN, CUT_LEN), 0);
		else
			KUNIT_EXPECT_EQ(test, status, DMA_ERROR);
		failed += status == DMA_ERROR;
	}
	kfree(cookies);

	return failed;
}

static void contract_cut_order(struct kunit *test)
{
	struct contract *t = test->priv;
	struct contract_unbinder u;
	unsigned int round, lost, cuts = 0, failed = 0;
	struct device *dev = t->chan->device->dev;
	s64 us = S64_MAX;

	contract_move_buffers(test);
	if (cut_outside) {
		for (round = 0; round < 300; round++)
			failed += contract_cut_burst(test);
		kunit_info(test, "%u transfers failed", failed);
		return;
	}

	/* How long a burst takes that nobody cuts: the cuts are to fall within it */
	for (round = 0; round < 5; round++) {
		ktime_t start = ktime_get();

		KUNIT_EXPECT_EQ(test, contract_cut_burst(test), 0);
		us = min(us, ktime_us_delta(ktime_get(), start));
	}

	INIT_WORK_ONSTACK(&u.work, contract_unbind);
	u.dev = get_device(dev);
	/* A cut before the burst or behind it shows nothing: go on until enough have hit */
	for (round = 0; round < 20 || (cuts < 10 && round < 1000); round++) {
		u.pause_us = round % 4 ? prandom_u32_state(&t->rnd) % (u32)(us + 1) : 0;
		queue_work(system_unbound_wq, &u.work);
		lost = contract_cut_burst(test);
		failed += lost;
		cuts += lost > 0;
		flush_work(&u.work);
		contract_rebind(test, dev);
	}
	destroy_work_on_stack(&u.work);
	put_device(dev);
	KUNIT_EXPECT_GE(test, cuts, 10U);
	kunit_info(test, "%u transfers failed in %u of %u rounds, a burst takes %lld us",
		   failed, cuts, round, us);
}

/*
 * Two descriptors, each of which is submitted again by the other's callback (its
 * own may not: it is the client's only when that has returned), until that is
 * refused
 */
struct contract_endless {
	struct dma_chan *chan;
	struct dma_async_tx_descriptor *tx[2];
	unsigned int calls;
	struct completion refused;
};

static void contract_again(void *param)
{
	struct contract_endless *e = param;

	if (dma_submit_error(dmaengine_submit(e->tx[++e->calls % 2]))) {
		complete(&e->refused);
		return;
	}
	dma_async_issue_pending(e->chan);
}

static void contract_endless_reuse(struct kunit *test)
{
	struct contract *t = test->priv;
	struct device *dev = get_device(t->chan->device->dev);
	struct contract_endless e = { .chan = t->chan };
	unsigned long end;
	unsigned int i;

	contract_move_buffers(test);
	init_completion(&e.refused);
	for (i = 0; i < 2; i++) {
		e.tx[i] = dmaengine_prep_dma_memcpy(t->chan, t->dst_dma, t->src_dma, 64,
						    DMA_PREP_INTERRUPT | DMA_CTRL_REUSE);
		KUNIT_ASSERT_NOT_NULL(test, e.tx[i]);
		e.tx[i]->callback = contract_again;
		e.tx[i]->callback_param = &e;
	}
	KUNIT_ASSERT_FALSE(test, dma_submit_error(dmaengine_submit(e.tx[0])));
	dma_async_issue_pending(t->chan);
	end = jiffies + msecs_to_jiffies(WAIT_MS);
	while (READ_ONCE(e.calls) < 10 && time_before(jiffies, end))
		usleep_range(1000, 2000);
	KUNIT_EXPECT_GE(test, READ_ONCE(e.calls), 10U);

	/* Returns, although the callbacks would go on for ever */
	device_release_driver(dev);
	KUNIT_EXPECT_TRUE(test, wait_for_completion_timeout(&e.refused,
							    msecs_to_jiffies(WAIT_MS)));
	dmaengine_terminate_sync(t->chan);
	contract_rebind(test, dev);
	put_device(dev);
}

/* ---- Data ---- */

#define SWEEP_STRIDE	(64 + 257 + 63)
#define SWEEP_BATCH	((BUF_LEN - 2 * GUARD) / SWEEP_STRIDE)

/* Copies of @len, @len + 1, ... bytes, each in a place of its own */
static void contract_batch(struct kunit *test, struct contract *t,
			   unsigned int sa, unsigned int da,
			   unsigned int len, unsigned int n)
{
	struct dma_async_tx_descriptor *tx = NULL;
	unsigned int i;

	memset(t->dst, CANARY, n * SWEEP_STRIDE + GUARD);
	for (i = 0; i < n; i++) {
		dma_addr_t src = t->src_dma + i * SWEEP_STRIDE + sa;
		dma_addr_t dst = t->dst_dma + i * SWEEP_STRIDE + GUARD + da;

		tx = dmaengine_prep_dma_memcpy(t->chan, dst, src, len + i,
					       i == n - 1 ? DMA_PREP_INTERRUPT : 0);
		KUNIT_ASSERT_NOT_NULL(test, tx);
		if (i == n - 1) {
			tx->callback_result = contract_callback;
			tx->callback_param = t;
		}
		dmaengine_submit(tx);
	}
	dma_async_issue_pending(t->chan);
	KUNIT_ASSERT_TRUE(test, contract_wait(t));

	for (i = 0; i < n; i++) {
		const u8 *s = t->src + i * SWEEP_STRIDE + sa;
		const u8 *d = t->dst + i * SWEEP_STRIDE + GUARD;
		unsigned int end = da + len + i;

		KUNIT_ASSERT_EQ(test, memcmp(d + da, s, len + i), 0);
		KUNIT_ASSERT_TRUE(test, all_canary(d, da));
		KUNIT_ASSERT_TRUE(test, all_canary(d + end, SWEEP_STRIDE - end));
	}
}

/*
 * Every misalignment of source and destination in 64 bytes, for every length
 * up to sweep_len
 */
static void contract_alignments(struct kunit *test)
{
	unsigned int max = clamp(sweep_len, 1U, 257U);
	struct contract *t = test->priv;
	unsigned int sa, da, len, n;
	u64 total = 0;

	for (sa = 0; sa < 64; sa++) {
		for (da = 0; da < 64; da++) {
			for (len = 1; len <= max; len += n) {
				n = min_t(unsigned int, SWEEP_BATCH, max + 1 - len);
				contract_batch(test, t, sa, da, len, n);
				total += n;
			}
		}
	}
	kunit_info(test, "%llu transfers", total);
}

/* Bursts are cut at pages: every length around the boundaries */
static void contract_pages(struct kunit *test)
{
	struct contract *t = test->priv;
	struct dma_async_tx_descriptor *tx;
	unsigned int off, len;

	for (off = 4096 - 20; off < 4096 + 4; off += 3) {
		for (len = 1; len < 3000; len = len < 40 ? len + 1 : len * 3) {
			memset(t->dst, CANARY, BUF_LEN);
			tx = dmaengine_prep_dma_memcpy(t->chan, t->dst_dma + off,
						       t->src_dma + 4096 - 7, len,
						       DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
			KUNIT_ASSERT_NOT_NULL(test, tx);
			tx->callback_result = contract_callback;
			tx->callback_param = t;
			dmaengine_submit(tx);
			dma_async_issue_pending(t->chan);
			KUNIT_ASSERT_TRUE(test, contract_wait(t));
			KUNIT_ASSERT_EQ(test, memcmp(t->dst + off, t->src + 4096 - 7, len), 0);
			KUNIT_ASSERT_TRUE(test, all_canary(t->dst, off));
			KUNIT_ASSERT_TRUE(test, all_canary(t->dst + off + len,
							   BUF_LEN - off - len));
		}
	}
}

static struct kunit_case contract_cases[] = {
	KUNIT_CASE(contract_memcpy),
	KUNIT_CASE(contract_zero_length),
	KUNIT_CASE(contract_atomic),
	KUNIT_CASE(contract_order),
	KUNIT_CASE(contract_many),
	KUNIT_CASE(contract_polled),
	KUNIT_CASE(contract_reuse),
	KUNIT_CASE(contract_unmap),
	KUNIT_CASE(contract_callback_submits),
	KUNIT_CASE(contract_callback_terminates),
	KUNIT_CASE(contract_residue),
	KUNIT_CASE(contract_status_of_terminated),
	KUNIT_CASE(contract_status_after_many),
	KUNIT_CASE(contract_silence),
	KUNIT_CASE(contract_terminate_idle),
	KUNIT_CASE(contract_request_release),
	KUNIT_CASE(contract_caps),
	KUNIT_CASE(contract_device_tree),
	KUNIT_CASE(contract_cut_order),
	KUNIT_CASE(contract_endless_reuse),
	KUNIT_CASE(contract_alignments),
	KUNIT_CASE(contract_pages),
	{ }
};

static struct kunit_suite contract_suite = {
	.name = "idma_contract",
	.init = contract_init,
	.exit = contract_exit,
	.test_cases = contract_cases,
};

kunit_test_suite(contract_suite);

MODULE_DESCRIPTION("The dmaengine contract as KUnit tests on a real channel");
MODULE_AUTHOR("iDMA driver maintainers");
MODULE_LICENSE("GPL");
