// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the window core: what is refused and why, references,
 * revocation, and what becomes of transfers. The provider is one of the tests'
 * own, and its memory is never touched.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/platform_device.h>
#include <linux/prandom.h>
#include <linux/sched/task.h>
#include <linux/sizes.h>
#include <linux/dma/idma.h>

#include "idma-window.h"

/* Where no machine has anything, RAM least of all */
#define BASE		0x7f00000000ULL
#define SIZE		SZ_16M
#define ALIGN_TO	SZ_4K
#define MAX_LEN		SZ_1M
/* What the peer of these tests has granted */
#define GRANTED		SZ_8M
#define MAX_WINDOWS	12
#define QUOTA		8

struct fake {
	struct platform_device *pdev;
	struct idma_window_provider *p;
	struct notifier_block nb;
	int check;
	unsigned int checked;
	unsigned int maps;
	unsigned int unmaps;
	unsigned int ungrants;
	unsigned int revoked;
	unsigned int events[IDMA_WINDOW_REVOKED + 1];
	bool put;
	struct idma_window_grant *grant;
	struct completion telling;
	struct completion go_on;
	bool told;
};

static int fake_map(struct idma_window_provider *p, struct idma_window *w)
{
	struct fake *f = idma_window_provider_priv(p);

	if (w->req.privid == 15)
		return -EACCES;
	if (w->req.remote + w->req.len > GRANTED)
		return -ERANGE;
	f->maps++;

	return 0;
}

static void fake_unmap(struct idma_window_provider *p, struct idma_window *w)
{
	((struct fake *)idma_window_provider_priv(p))->unmaps++;
}

static int fake_check(struct idma_window_provider *p)
{
	struct fake *f = idma_window_provider_priv(p);
	int ret = f->check;

	f->checked++;
	f->check = 0;

	return ret;
}

static int fake_grant(struct idma_window_provider *p, struct idma_window_grant *g)
{
	if (g->len > MAX_LEN)
		return -E2BIG;
	g->remote = 0;
	g->cpu = idma_window_provider_priv(p);

	return 0;
}

static void fake_ungrant(struct idma_window_provider *p, struct idma_window_grant *g)
{
	((struct fake *)idma_window_provider_priv(p))->ungrants++;
}

static const struct idma_window_ops fake_ops = {
	.map = fake_map,
	.unmap = fake_unmap,
	.check = fake_check,
	.grant = fake_grant,
	.ungrant = fake_ungrant,
};

static const struct idma_window_caps fake_caps = {
	.base = BASE,
	.size = SIZE,
	.align = ALIGN_TO,
	.max_len = MAX_LEN,
	.max_windows = MAX_WINDOWS,
	.quota = QUOTA,
};

static int fake_event(struct notifier_block *nb, unsigned long event, void *data)
{
	struct fake *f = container_of(nb, struct fake, nb);

	f->events[event]++;
	/* The last moment at which the memory is there */
	if (event == IDMA_WINDOW_PROVIDER_REMOVE && f->grant) {
		f->told = f->grant->cpu && !f->ungrants;
		idma_window_ungrant(f->grant);
		f->grant = NULL;
	}

	return NOTIFY_OK;
}

static void fake_revoked(struct idma_window *w)
{
	struct fake *f = w->req.data;

	f->revoked++;
	if (f->put)
		idma_window_put(w);
}

static struct fake *fake_make(struct kunit *test)
{
	struct fake *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	test->priv = f;
	f->pdev = platform_device_register_simple("idma-window-test", -1, NULL, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(f->pdev));
	KUNIT_ASSERT_EQ(test, dma_coerce_mask_and_coherent(&f->pdev->dev,
							   DMA_BIT_MASK(64)), 0);
	f->nb.notifier_call = fake_event;
	idma_window_register_notifier(&f->nb);
	f->p = idma_window_provider_register(&f->pdev->dev, "idma-window-test",
					     &fake_caps, &fake_ops, f);
	KUNIT_ASSERT_FALSE(test, IS_ERR(f->p));
	KUNIT_EXPECT_EQ(test, f->events[IDMA_WINDOW_PROVIDER_ADD], 1U);

	return f;
}

static int fake_init(struct kunit *test)
{
	idma_window_provider_link(fake_make(test)->p, true);

	return 0;
}

static void fake_gone(struct fake *f)
{
	if (f->p)
		idma_window_provider_unregister(f->p);
	f->p = NULL;
}

static void fake_exit(struct kunit *test)
{
	struct fake *f = test->priv;

	if (!f)
		return;
	fake_gone(f);
	idma_window_unregister_notifier(&f->nb);
	if (!IS_ERR_OR_NULL(f->pdev))
		platform_device_unregister(f->pdev);
}

static struct idma_window_request fake_request(struct fake *f, u64 remote, u64 len)
{
	return (struct idma_window_request) {
		.remote = remote,
		.len = len,
		.dir = DMA_BIDIRECTIONAL,
		.privid = IDMA_WINDOW_PRIVID_ANY,
		.dma_dev = &f->pdev->dev,
		.owner = f,
		.revoked = fake_revoked,
		.data = f,
	};
}

static struct idma_window *fake_window(struct fake *f, u64 remote, u64 len)
{
	struct idma_window_request req = fake_request(f, remote, len);

	return idma_window_map(f->p, &req);
}

/* ---- What is refused ---- */

struct request_case {
	const char *name;
	u64 remote;
	u64 len;
	int dir;
	int privid;
	int err;
};

static const struct request_case request_cases[] = {
	{ "good", 0, SZ_4K, DMA_BIDIRECTIONAL, -1, 0 },
	{ "good, the longest", 0, MAX_LEN, DMA_TO_DEVICE, 3, 0 },
	{ "good, up to the end", GRANTED - SZ_4K, SZ_4K, DMA_FROM_DEVICE, -1, 0 },
	{ "no direction", 0, SZ_4K, DMA_NONE, -1, -EINVAL },
	{ "empty", 0, 0, DMA_BIDIRECTIONAL, -1, -EINVAL },
	{ "misaligned address", SZ_2K, SZ_4K, DMA_BIDIRECTIONAL, -1, -EINVAL },
	{ "misaligned length", 0, SZ_4K + 1, DMA_BIDIRECTIONAL, -1, -EINVAL },
	{ "oversized", 0, MAX_LEN + SZ_4K, DMA_BIDIRECTIONAL, -1, -E2BIG },
	{ "oversized by far", 0, 0ULL - SZ_4K, DMA_BIDIRECTIONAL, -1, -E2BIG },
	{ "beyond the window", SIZE, SZ_4K, DMA_BIDIRECTIONAL, -1, -ERANGE },
	{ "over the window's end", SIZE - SZ_4K, SZ_8K, DMA_BIDIRECTIONAL, -1, -ERANGE },
	{ "far beyond", 0ULL - SZ_4K, SZ_4K, DMA_BIDIRECTIONAL, -1, -ERANGE },
	{ "not granted", GRANTED, SZ_4K, DMA_BIDIRECTIONAL, -1, -ERANGE },
	{ "over the segment's end", GRANTED - SZ_4K, SZ_8K, DMA_TO_DEVICE, -1, -ERANGE },
	{ "a PrivID that may not", 0, SZ_4K, DMA_BIDIRECTIONAL, 15, -EACCES },
};

static void request_case_name(const struct request_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", c->name);
}

KUNIT_ARRAY_PARAM(request, request_cases, request_case_name);

static void idma_test_request(struct kunit *test)
{
	const struct request_case *c = test->param_value;
	struct fake *f = test->priv;
	struct idma_window_request req = fake_request(f, c->remote, c->len);
	struct idma_window *w;

	req.dir = c->dir;
	req.privid = c->privid;
	w = idma_window_map(f->p, &req);
	if (c->err) {
		KUNIT_ASSERT_TRUE(test, IS_ERR(w));
		KUNIT_EXPECT_EQ(test, PTR_ERR(w), (long)c->err);
		KUNIT_EXPECT_EQ(test, f->maps, 0U);
		return;
	}
	KUNIT_ASSERT_FALSE(test, IS_ERR(w));
	KUNIT_EXPECT_EQ(test, w->phys, BASE + c->remote);
	KUNIT_EXPECT_EQ(test, w->dma, BASE + c->remote);
	KUNIT_EXPECT_EQ(test, idma_window_status(w), 0);
	idma_window_put(w);
	KUNIT_EXPECT_EQ(test, f->maps, 1U);
	KUNIT_EXPECT_EQ(test, f->unmaps, 1U);
}

/* Each error has a text of its own */
static void idma_test_strerror(struct kunit *test)
{
	static const int errs[] = {
		0, -EINVAL, -E2BIG, -ERANGE, -EACCES, -EBUSY, -EDQUOT, -ENOSPC,
		-ENOLINK, -ENODEV, -ENOMEM,
	};
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(errs); i++)
		for (j = 0; j < i; j++)
			KUNIT_EXPECT_STRNEQ(test, idma_window_strerror(errs[i]),
					    idma_window_strerror(errs[j]));
}

static void idma_test_nobody(struct kunit *test)
{
	struct fake *f = test->priv;
	struct idma_window_request req = fake_request(f, 0, SZ_4K);
	struct idma_window *w;

	/* Neither for a device nor for the CPU */
	req.dma_dev = NULL;
	KUNIT_EXPECT_EQ(test, PTR_ERR(idma_window_map(f->p, &req)), (long)-EINVAL);

	req.cpu = true;
	w = idma_window_map(f->p, &req);
	KUNIT_ASSERT_FALSE(test, IS_ERR(w));
	KUNIT_EXPECT_NOT_NULL(test, (void __force *)w->cpu);
	idma_window_put(w);
}

static void idma_test_overlap(struct kunit *test)
{
	struct fake *f = test->priv;
	struct idma_window *w = fake_window(f, SZ_64K, SZ_64K);
	struct idma_window *below, *above;

	KUNIT_ASSERT_FALSE(test, IS_ERR(w));
	KUNIT_EXPECT_EQ(test, PTR_ERR(fake_window(f, SZ_64K, SZ_64K)), (long)-EBUSY);
	KUNIT_EXPECT_EQ(test, PTR_ERR(fake_window(f, SZ_64K + SZ_4K, SZ_4K)), (long)-EBUSY);
	KUNIT_EXPECT_EQ(test, PTR_ERR(fake_window(f, 0, SZ_64K + SZ_4K)), (long)-EBUSY);
	KUNIT_EXPECT_EQ(test, PTR_ERR(fake_window(f, SZ_128K - SZ_4K, SZ_8K)), (long)-EBUSY);
	KUNIT_EXPECT_EQ(test, PTR_ERR(fake_window(f, 0, SZ_1M)), (long)-EBUSY);
	below = fake_window(f, 0, SZ_64K);
	KUNIT_EXPECT_FALSE(test, IS_ERR(below));
	above = fake_window(f, SZ_128K, SZ_4K);
	KUNIT_EXPECT_FALSE(test, IS_ERR(above));
	idma_window_put(w);
	w = fake_window(f, SZ_64K, SZ_64K);
	KUNIT_EXPECT_FALSE(test, IS_ERR(w));
	idma_window_put(w);
	idma_window_put(below);
	idma_window_put(above);
}

static void idma_test_quota(struct kunit *test)
{
	struct idma_window *w[MAX_WINDOWS];
	struct fake *f = test->priv;
	struct idma_window_request req;
	unsigned int i;

	for (i = 0; i < QUOTA; i++) {
		w[i] = fake_window(f, i * SZ_4K, SZ_4K);
		KUNIT_ASSERT_FALSE(test, IS_ERR(w[i]));
	}
	KUNIT_EXPECT_EQ(test, PTR_ERR(fake_window(f, i * SZ_4K, SZ_4K)), (long)-EDQUOT);

	/* Somebody else has a quota of their own, until all are gone */
	for (; i < MAX_WINDOWS; i++) {
		req = fake_request(f, i * SZ_4K, SZ_4K);
		req.owner = w;
		w[i] = idma_window_map(f->p, &req);
		KUNIT_ASSERT_FALSE(test, IS_ERR(w[i]));
	}
	req.remote += SZ_4K;
	KUNIT_EXPECT_EQ(test, PTR_ERR(idma_window_map(f->p, &req)), (long)-ENOSPC);

	for (i = 0; i < MAX_WINDOWS; i++)
		idma_window_put(w[i]);
	w[0] = fake_window(f, 0, SZ_4K);
	KUNIT_ASSERT_FALSE(test, IS_ERR(w[0]));
	idma_window_put(w[0]);
}

/* Windows come and go at random; a map of pages says who may have which */
static void idma_test_random(struct kunit *test)
{
	struct idma_window *w[MAX_WINDOWS] = {};
	struct fake *f = test->priv;
	unsigned int refused = 0, made = 0;
	struct rnd_state rnd;
	unsigned int i, n;
	u8 *used;

	used = kunit_kzalloc(test, 256, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, used);
	prandom_seed_state(&rnd, 5);

	for (n = 0; n < 3000; n++) {
		unsigned int first = prandom_u32_state(&rnd) % 256;
		unsigned int len = 1 + prandom_u32_state(&rnd) % 40;
		bool clash = false;

		i = prandom_u32_state(&rnd) % QUOTA;
		if (w[i]) {
			memset(used + w[i]->req.remote / SZ_4K, 0, w[i]->req.len / SZ_4K);
			idma_window_put(w[i]);
			w[i] = NULL;
			continue;
		}
		len = min(len, 256 - first);
		clash = memchr_inv(used + first, 0, len);
		w[i] = fake_window(f, (u64)first * SZ_4K, (u64)len * SZ_4K);
		KUNIT_ASSERT_EQ(test, IS_ERR(w[i]), clash);
		if (clash) {
			KUNIT_ASSERT_EQ(test, PTR_ERR(w[i]), (long)-EBUSY);
			w[i] = NULL;
			refused++;
		} else {
			memset(used + first, 1, len);
			made++;
		}
	}
	for (i = 0; i < MAX_WINDOWS; i++)
		if (w[i])
			idma_window_put(w[i]);
	KUNIT_EXPECT_GT(test, refused, 100U);
	KUNIT_EXPECT_GT(test, made, 500U);
	KUNIT_EXPECT_EQ(test, f->maps, made);
	KUNIT_EXPECT_EQ(test, f->unmaps, made);
}

/* ---- References and revocation ---- */

static void idma_test_references(struct kunit *test)
{
	struct fake *f = test->priv;
	struct idma_window *w = fake_window(f, 0, SZ_4K);

	KUNIT_ASSERT_FALSE(test, IS_ERR(w));
	KUNIT_EXPECT_PTR_EQ(test, idma_window_get(w), w);
	idma_window_put(w);
	KUNIT_EXPECT_EQ(test, f->unmaps, 0U);
	KUNIT_EXPECT_EQ(test, PTR_ERR(fake_window(f, 0, SZ_4K)), (long)-EBUSY);
	idma_window_put(w);
	KUNIT_EXPECT_EQ(test, f->unmaps, 1U);
}

static void idma_test_link(struct kunit *test)
{
	struct fake *f = test->priv;
	struct idma_window *w = fake_window(f, 0, SZ_4K);
	struct idma_window *v = fake_window(f, SZ_4K, SZ_4K);

	KUNIT_ASSERT_FALSE(test, IS_ERR(w));
	KUNIT_ASSERT_FALSE(test, IS_ERR(v));
	KUNIT_EXPECT_EQ(test, f->events[IDMA_WINDOW_LINK_UP], 1U);

	/* At once for those who ask, then for everybody */
	idma_window_provider_lost(f->p);
	KUNIT_EXPECT_EQ(test, idma_window_status(w), -ENOLINK);
	KUNIT_EXPECT_EQ(test, PTR_ERR(fake_window(f, SZ_64K, SZ_4K)), (long)-ENOLINK);
	KUNIT_EXPECT_EQ(test, f->revoked, 0U);
	idma_window_provider_link(f->p, false);
	KUNIT_EXPECT_EQ(test, f->revoked, 2U);
	KUNIT_EXPECT_EQ(test, f->events[IDMA_WINDOW_REVOKED], 2U);
	KUNIT_EXPECT_EQ(test, f->events[IDMA_WINDOW_LINK_DOWN], 1U);
	KUNIT_EXPECT_EQ(test, f->unmaps, 0U);

	/* A window that was revoked stays so, and is in nobody's way */
	idma_window_provider_link(f->p, true);
	KUNIT_EXPECT_EQ(test, f->events[IDMA_WINDOW_LINK_UP], 2U);
	KUNIT_EXPECT_EQ(test, idma_window_status(w), -ENOLINK);
	idma_window_put(v);
	v = fake_window(f, 0, SZ_4K);
	KUNIT_ASSERT_FALSE(test, IS_ERR(v));
	KUNIT_EXPECT_EQ(test, idma_window_status(v), 0);
	idma_window_put(v);
	idma_window_put(w);
	KUNIT_EXPECT_EQ(test, f->unmaps, 3U);
}

/* A client may let go of its window while it is told */
static void idma_test_put_when_revoked(struct kunit *test)
{
	struct fake *f = test->priv;
	unsigned int i;

	f->put = true;
	for (i = 0; i < QUOTA; i++)
		KUNIT_ASSERT_FALSE(test, IS_ERR(fake_window(f, i * SZ_4K, SZ_4K)));
	idma_window_provider_link(f->p, false);
	KUNIT_EXPECT_EQ(test, f->revoked, (unsigned int)QUOTA);
	KUNIT_EXPECT_EQ(test, f->unmaps, (unsigned int)QUOTA);
}

static void idma_test_revoke_range(struct kunit *test)
{
	struct fake *f = test->priv;
	struct idma_window *in = fake_window(f, SZ_64K, SZ_4K);
	struct idma_window *out = fake_window(f, SZ_128K, SZ_4K);

	KUNIT_ASSERT_FALSE(test, IS_ERR(in));
	KUNIT_ASSERT_FALSE(test, IS_ERR(out));
	idma_window_provider_revoke(f->p, SZ_64K, SZ_64K, -EACCES);
	KUNIT_EXPECT_EQ(test, idma_window_status(in), -EACCES);
	KUNIT_EXPECT_EQ(test, idma_window_status(out), 0);
	KUNIT_EXPECT_EQ(test, f->revoked, 1U);
	idma_window_put(in);
	idma_window_put(out);
}

/* The provider goes, and windows and grants are still held */
static void idma_test_unregister(struct kunit *test)
{
	struct fake *f = test->priv;
	struct idma_window *w = fake_window(f, 0, SZ_4K);
	struct idma_window_provider *p = idma_window_provider_get(f->p);
	struct idma_window_grant *g, *h;

	KUNIT_ASSERT_FALSE(test, IS_ERR(w));
	g = idma_window_grant(f->p, SZ_64K);
	KUNIT_ASSERT_FALSE(test, IS_ERR(g));
	h = idma_window_grant(f->p, SZ_64K);
	KUNIT_ASSERT_FALSE(test, IS_ERR(h));
	KUNIT_EXPECT_EQ(test, PTR_ERR(idma_window_grant(f->p, SZ_2M)), (long)-E2BIG);
	idma_window_ungrant(h);
	KUNIT_EXPECT_EQ(test, f->ungrants, 1U);

	fake_gone(f);
	KUNIT_EXPECT_EQ(test, f->events[IDMA_WINDOW_PROVIDER_REMOVE], 1U);
	KUNIT_EXPECT_EQ(test, idma_window_status(w), -ENODEV);
	KUNIT_EXPECT_EQ(test, f->revoked, 1U);
	KUNIT_EXPECT_EQ(test, f->ungrants, 2U);
	KUNIT_EXPECT_EQ(test, PTR_ERR(idma_window_map(p, &w->req)), (long)-ENODEV);
	KUNIT_EXPECT_EQ(test, PTR_ERR(idma_window_grant(p, SZ_64K)), (long)-ENODEV);
	KUNIT_EXPECT_NULL(test, idma_window_provider_find("idma-window-test"));

	/* Nothing of this calls the provider, which is gone */
	idma_window_put(w);
	idma_window_ungrant(g);
	idma_window_provider_put(p);
	KUNIT_EXPECT_EQ(test, f->unmaps, 0U);
	KUNIT_EXPECT_EQ(test, f->ungrants, 2U);
}

/* A client that holds a grant hears of it while the memory is still there */
static void idma_test_unregister_told(struct kunit *test)
{
	struct fake *f = test->priv;

	f->grant = idma_window_grant(f->p, SZ_64K);
	KUNIT_ASSERT_FALSE(test, IS_ERR(f->grant));
	fake_gone(f);
	KUNIT_EXPECT_NULL(test, f->grant);
	KUNIT_EXPECT_TRUE(test, f->told);
	KUNIT_EXPECT_EQ(test, f->ungrants, 1U);
}

static void fake_revoked_slowly(struct idma_window *w)
{
	struct fake *f = w->req.data;

	complete(&f->telling);
	wait_for_completion_timeout(&f->go_on, msecs_to_jiffies(10000));
	WRITE_ONCE(f->told, true);
}

static int fake_revoke_thread(void *data)
{
	struct fake *f = data;

	idma_window_provider_revoke(f->p, 0, SIZE, -EACCES);

	return 0;
}

static int fake_go_on_thread(void *data)
{
	struct fake *f = data;

	msleep(50);
	complete(&f->go_on);

	return 0;
}

/* Who has put a window is not told of it any more: what is told is awaited */
static void idma_test_put_waits(struct kunit *test)
{
	struct fake *f = test->priv;
	struct idma_window_request req = fake_request(f, 0, SZ_4K);
	struct task_struct *revoke, *go_on;
	struct idma_window *w;

	init_completion(&f->telling);
	init_completion(&f->go_on);
	req.revoked = fake_revoked_slowly;
	w = idma_window_map(f->p, &req);
	KUNIT_ASSERT_FALSE(test, IS_ERR(w));
	revoke = kthread_create(fake_revoke_thread, f, "idma-test-revoke");
	KUNIT_ASSERT_FALSE(test, IS_ERR(revoke));
	go_on = kthread_create(fake_go_on_thread, f, "idma-test-go-on");
	KUNIT_ASSERT_FALSE(test, IS_ERR(go_on));
	get_task_struct(revoke);
	get_task_struct(go_on);
	wake_up_process(revoke);
	KUNIT_EXPECT_GT(test, wait_for_completion_timeout(&f->telling, msecs_to_jiffies(10000)),
			0UL);
	wake_up_process(go_on);
	idma_window_put(w);
	KUNIT_EXPECT_TRUE(test, READ_ONCE(f->told));
	kthread_stop(revoke);
	kthread_stop(go_on);
	put_task_struct(revoke);
	put_task_struct(go_on);
	KUNIT_EXPECT_EQ(test, f->unmaps, 1U);
}

static void idma_test_find(struct kunit *test)
{
	struct fake *f = test->priv;
	struct idma_window_provider *p = idma_window_provider_find("idma-window-test");

	KUNIT_EXPECT_PTR_EQ(test, p, f->p);
	if (p)
		idma_window_provider_put(p);
	KUNIT_EXPECT_NULL(test, idma_window_provider_find("idma-window-tes"));
	p = idma_window_provider_register(&f->pdev->dev, "idma-window-test",
					  &fake_caps, &fake_ops, f);
	KUNIT_EXPECT_EQ(test, PTR_ERR(p), (long)-EEXIST);
}

/* ---- Transfers ---- */

static int fake_looked(void *data)
{
	struct fake *f = data;
	int ret = f->check;

	f->checked++;
	f->check = 0;

	return ret;
}

/* The provider looks on its own account, and finds something */
static int fake_look(struct fake *f, int finds)
{
	f->check = finds;

	return idma_window_provider_look(f->p, fake_looked, f);
}

static void idma_test_look(struct kunit *test)
{
	struct fake *f = test->priv;
	struct device *dev = &f->pdev->dev;
	u32 t = idma_window_now();

	/* Nothing */
	KUNIT_EXPECT_EQ(test, fake_look(f, 0), 0);
	KUNIT_EXPECT_EQ(test, idma_window_result(dev, 0, BASE, SZ_4K, t), DMA_TRANS_NOERROR);
	KUNIT_EXPECT_EQ(test, f->checked, 2U);

	/* An error, which is not there any more when a transfer ends */
	KUNIT_EXPECT_EQ(test, fake_look(f, -EIO), -EIO);
	KUNIT_EXPECT_TRUE(test, idma_window_provider_up(f->p));
	KUNIT_EXPECT_EQ(test, idma_window_result(dev, 0, BASE, SZ_4K, t),
			DMA_TRANS_WRITE_FAILED);
	t = idma_window_now();
	KUNIT_EXPECT_EQ(test, idma_window_result(dev, 0, BASE, SZ_4K, t), DMA_TRANS_NOERROR);

	/* No link; that it looks again then is no news, and does not bring it up */
	KUNIT_EXPECT_EQ(test, fake_look(f, -ENOLINK), -ENOLINK);
	KUNIT_EXPECT_FALSE(test, idma_window_provider_up(f->p));
	t = idma_window_now();
	KUNIT_EXPECT_EQ(test, fake_look(f, -ENOLINK), -ENOLINK);
	KUNIT_EXPECT_EQ(test, fake_look(f, -EIO), -EIO);
	KUNIT_EXPECT_EQ(test, fake_look(f, 0), 0);
	KUNIT_EXPECT_EQ(test, idma_window_now(), t);
	KUNIT_EXPECT_FALSE(test, idma_window_provider_up(f->p));
}

/* Behind an IOMMU a window is where it was mapped, and only for that device */
static void idma_test_result_iommu(struct kunit *test)
{
	struct fake *f = test->priv;
	struct device *dev = &f->pdev->dev;
	struct idma_window *w = fake_window(f, SZ_64K, SZ_64K);
	const dma_addr_t iova = 0x12340000;
	struct device *other;
	dma_addr_t bus;
	u32 t;

	KUNIT_ASSERT_FALSE(test, IS_ERR(w));
	other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, other);
	bus = w->dma;
	/* Nobody looks into the group, but for whether there is one */
	dev->iommu_group = (struct iommu_group *)f;
	other->iommu_group = (struct iommu_group *)f;
	w->dma = iova;

	t = idma_window_now();
	fake_look(f, -EIO);
	KUNIT_EXPECT_EQ(test, idma_window_result(dev, 0, iova + SZ_4K, SZ_4K, t),
			DMA_TRANS_WRITE_FAILED);
	KUNIT_EXPECT_EQ(test, idma_window_result(dev, iova + SZ_64K - 1, 0, 1, t),
			DMA_TRANS_READ_FAILED);
	KUNIT_EXPECT_EQ(test, idma_window_result(dev, 0, iova + SZ_64K, SZ_4K, t),
			DMA_TRANS_NOERROR);
	KUNIT_EXPECT_EQ(test, idma_window_result(dev, iova - SZ_4K, 0, SZ_4K, t),
			DMA_TRANS_NOERROR);
	/* What has the CPU's number of it is something else */
	KUNIT_EXPECT_EQ(test, idma_window_result(dev, 0, w->phys, SZ_4K, t),
			DMA_TRANS_NOERROR);
	KUNIT_EXPECT_EQ(test, idma_window_result(other, 0, iova, SZ_4K, t),
			DMA_TRANS_NOERROR);

	t = idma_window_now();
	idma_window_provider_revoke(f->p, SZ_64K, SZ_64K, -EACCES);
	KUNIT_EXPECT_EQ(test, idma_window_result(dev, 0, iova, SZ_4K, t),
			DMA_TRANS_WRITE_FAILED);
	KUNIT_EXPECT_EQ(test, idma_window_result(dev, 0, w->phys, SZ_4K, t),
			DMA_TRANS_NOERROR);

	w->dma = bus;
	dev->iommu_group = NULL;
	idma_window_put(w);
}

static void idma_test_result(struct kunit *test)
{
	const dma_addr_t ram = 0x80000000, win = BASE + SZ_64K;
	struct fake *f = test->priv;
	struct device *dev = &f->pdev->dev;
	u32 t = idma_window_now();

	KUNIT_EXPECT_TRUE(test, idma_window_any());

	/* Good, and the provider is asked only about what is its own */
	KUNIT_EXPECT_EQ(test, idma_window_result(dev, ram, ram + SZ_4K, SZ_4K, t),
			DMA_TRANS_NOERROR);
	KUNIT_EXPECT_EQ(test, idma_window_result(dev, ram, BASE - SZ_4K, SZ_4K, t),
			DMA_TRANS_NOERROR);
	KUNIT_EXPECT_EQ(test, idma_window_result(dev, ram, BASE + SIZE, SZ_4K, t),
			DMA_TRANS_NOERROR);
	KUNIT_EXPECT_EQ(test, f->checked, 0U);
	KUNIT_EXPECT_EQ(test, idma_window_result(dev, ram, win, SZ_4K, t), DMA_TRANS_NOERROR);
	KUNIT_EXPECT_EQ(test, idma_window_result(dev, ram, BASE - 1, 2, t), DMA_TRANS_NOERROR);
	KUNIT_EXPECT_EQ(test, f->checked, 2U);

	/* A fault, found by looking: what was under way is an error, the rest not */
	f->check = -EIO;
	KUNIT_EXPECT_EQ(test, idma_window_result(dev, ram, win, SZ_4K, t), DMA_TRANS_WRITE_FAILED);
	KUNIT_EXPECT_EQ(test, idma_window_result(dev, win, ram, SZ_4K, t), DMA_TRANS_READ_FAILED);
	KUNIT_EXPECT_EQ(test, idma_window_result(dev, ram, ram, SZ_4K, t), DMA_TRANS_NOERROR);
	t = idma_window_now();
	KUNIT_EXPECT_EQ(test, idma_window_result(dev, ram, win, SZ_4K, t), DMA_TRANS_NOERROR);
	fake_look(f, -EIO);
	KUNIT_EXPECT_EQ(test, idma_window_result(dev, ram, win, SZ_4K, t), DMA_TRANS_WRITE_FAILED);

	/* Down and up again while it was under way */
	t = idma_window_now();
	f->check = -ENOLINK;
	KUNIT_EXPECT_EQ(test, idma_window_result(dev, ram, win, SZ_4K, t), DMA_TRANS_WRITE_FAILED);
	KUNIT_EXPECT_FALSE(test, idma_window_provider_up(f->p));
	/* Started while it was down */
	t = idma_window_now();
	KUNIT_EXPECT_EQ(test, idma_window_result(dev, ram, win, SZ_4K, t), DMA_TRANS_WRITE_FAILED);
	idma_window_provider_link(f->p, false);
	idma_window_provider_link(f->p, true);
	KUNIT_EXPECT_EQ(test, idma_window_result(dev, ram, win, SZ_4K, t), DMA_TRANS_WRITE_FAILED);
	t = idma_window_now();
	KUNIT_EXPECT_EQ(test, idma_window_result(dev, ram, win, SZ_4K, t), DMA_TRANS_NOERROR);

	/* Without a provider nobody has to look */
	fake_gone(f);
	KUNIT_EXPECT_EQ(test, idma_window_result(dev, ram, win, SZ_4K, t), DMA_TRANS_NOERROR);
}

/* The link is up, but the peer has taken back what the transfer went to */
static void idma_test_result_revoked(struct kunit *test)
{
	struct fake *f = test->priv;
	struct idma_window *w = fake_window(f, SZ_64K, SZ_64K);
	u32 t = idma_window_now();

	KUNIT_ASSERT_FALSE(test, IS_ERR(w));
	idma_window_provider_revoke(f->p, SZ_64K, SZ_64K, -EACCES);
	KUNIT_EXPECT_EQ(test, idma_window_result(&f->pdev->dev, 0, w->dma + SZ_4K, SZ_4K, t),
			DMA_TRANS_WRITE_FAILED);
	KUNIT_EXPECT_EQ(test, idma_window_result(&f->pdev->dev, w->dma - 1, 0, 2, t),
			DMA_TRANS_READ_FAILED);
	KUNIT_EXPECT_EQ(test, idma_window_result(&f->pdev->dev, 0, w->dma + SZ_64K, SZ_4K, t),
			DMA_TRANS_NOERROR);
	/* Not from there, but to there, from another window */
	KUNIT_EXPECT_EQ(test, idma_window_result(&f->pdev->dev, BASE, w->dma, SZ_4K, t),
			DMA_TRANS_READ_FAILED);
	t = idma_window_now();
	KUNIT_EXPECT_EQ(test, idma_window_result(&f->pdev->dev, 0, w->dma, SZ_4K, t),
			DMA_TRANS_NOERROR);
	idma_window_put(w);
}

static void idma_test_cpu(struct kunit *test)
{
	struct fake *f = test->priv;
	struct idma_window *w = fake_window(f, 0, SZ_4K);
	u32 mark;

	KUNIT_ASSERT_FALSE(test, IS_ERR(w));
	mark = idma_window_begin(w);
	KUNIT_EXPECT_EQ(test, idma_window_end(w, mark), 0);
	f->check = -EIO;
	KUNIT_EXPECT_EQ(test, idma_window_end(w, mark), -EIO);
	mark = idma_window_begin(w);
	KUNIT_EXPECT_EQ(test, idma_window_end(w, mark), 0);
	f->check = -ENOLINK;
	KUNIT_EXPECT_EQ(test, idma_window_end(w, mark), -ENOLINK);
	idma_window_provider_link(f->p, false);
	KUNIT_EXPECT_EQ(test, idma_window_end(w, mark), -ENOLINK);
	idma_window_put(w);
}

static struct kunit_case idma_window_cases[] = {
	KUNIT_CASE_PARAM(idma_test_request, request_gen_params),
	KUNIT_CASE(idma_test_strerror),
	KUNIT_CASE(idma_test_nobody),
	KUNIT_CASE(idma_test_overlap),
	KUNIT_CASE(idma_test_quota),
	KUNIT_CASE(idma_test_random),
	KUNIT_CASE(idma_test_references),
	KUNIT_CASE(idma_test_link),
	KUNIT_CASE(idma_test_put_when_revoked),
	KUNIT_CASE(idma_test_revoke_range),
	KUNIT_CASE(idma_test_unregister),
	KUNIT_CASE(idma_test_unregister_told),
	KUNIT_CASE(idma_test_put_waits),
	KUNIT_CASE(idma_test_find),
	KUNIT_CASE(idma_test_result),
	KUNIT_CASE(idma_test_look),
	KUNIT_CASE(idma_test_result_iommu),
	KUNIT_CASE(idma_test_result_revoked),
	KUNIT_CASE(idma_test_cpu),
	{ }
};

static struct kunit_suite idma_window_suite = {
	.name = "idma-window",
	.init = fake_init,
	.exit = fake_exit,
	.test_cases = idma_window_cases,
};

kunit_test_suite(idma_window_suite);

MODULE_DESCRIPTION("KUnit tests of the iDMA's windows into remote memory");
MODULE_AUTHOR("iDMA driver maintainers");
MODULE_LICENSE("GPL");
