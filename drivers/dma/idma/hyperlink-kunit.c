// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of HyperLink's segments: what is refused and why, what the
 * hardware is told, and what of the peer's may be touched, against references
 * that go byte by byte (well, page by page).
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/sizes.h>

#include "hyperlink-seg.h"

struct add_case {
	const char *name;
	int index;
	u64 addr;
	u64 size;
	int ret;
};

/* Segment 3 has 64 KiB at 2 GiB, segments 0 and 1 are reserved */
static const struct add_case add_cases[] = {
	{ "any", HYPERLINK_SEG_ANY, SZ_1M, SZ_64K, 2 },
	{ "a reserved one", 1, SZ_1M, SZ_64K, 1 },
	{ "the smallest", HYPERLINK_SEG_ANY, SZ_1M, SZ_4K, 2 },
	{ "the largest", HYPERLINK_SEG_ANY, SZ_16M, SZ_4M, 2 },
	{ "at 0", HYPERLINK_SEG_ANY, 0, SZ_4M, 2 },
	{ "the last 64 KiB of 4 GiB", 63, SZ_4G - SZ_64K, SZ_64K, 63 },
	{ "below the other", HYPERLINK_SEG_ANY, SZ_2G - SZ_64K, SZ_64K, 2 },
	{ "above the other", HYPERLINK_SEG_ANY, SZ_2G + SZ_64K, SZ_64K, 2 },
	{ "empty", HYPERLINK_SEG_ANY, SZ_1M, 0, -EINVAL },
	{ "too small", HYPERLINK_SEG_ANY, SZ_1M, SZ_2K, -EINVAL },
	{ "no power of two", HYPERLINK_SEG_ANY, SZ_1M, SZ_64K + SZ_4K, -EINVAL },
	{ "misaligned", HYPERLINK_SEG_ANY, SZ_1M + SZ_32K, SZ_64K, -EINVAL },
	{ "too large", HYPERLINK_SEG_ANY, SZ_16M, SZ_8M, -E2BIG },
	{ "far too large", HYPERLINK_SEG_ANY, SZ_16M, BIT_ULL(63), -E2BIG },
	{ "at 4 GiB", HYPERLINK_SEG_ANY, SZ_4G, SZ_64K, -ERANGE },
	{ "over 4 GiB", HYPERLINK_SEG_ANY, SZ_4G - SZ_64K, SZ_128K, -ERANGE },
	{ "a taken one", 3, SZ_1M, SZ_64K, -EBUSY },
	{ "the same memory", HYPERLINK_SEG_ANY, SZ_2G, SZ_64K, -EBUSY },
	{ "over the same memory", 5, SZ_2G - SZ_64K, SZ_128K, -EBUSY },
};

static void add_case_name(const struct add_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", c->name);
}

KUNIT_ARRAY_PARAM(add, add_cases, add_case_name);

static void hyperlink_test_add(struct kunit *test)
{
	const struct add_case *c = test->param_value;
	struct hyperlink_segs segs = { .reserved = 0x3 }, before;
	u32 gen;

	KUNIT_ASSERT_EQ(test, hyperlink_seg_add(&segs, 3, SZ_2G, SZ_64K), 3);
	before = segs;
	KUNIT_EXPECT_EQ(test, hyperlink_seg_add(&segs, c->index, c->addr, c->size), c->ret);
	if (c->ret < 0) {
		KUNIT_EXPECT_EQ(test, memcmp(&segs, &before, sizeof(segs)), 0);
		return;
	}

	/* The peer can tell it from what was there before, and from what comes */
	gen = segs.gen[c->ret];
	KUNIT_EXPECT_NE(test, gen, before.gen[c->ret]);
	hyperlink_seg_del(&segs, c->ret);
	KUNIT_EXPECT_EQ(test, memcmp(&segs.base, &before.base, sizeof(segs.base)), 0);
	KUNIT_EXPECT_EQ(test, memcmp(&segs.order, &before.order, sizeof(segs.order)), 0);
	KUNIT_EXPECT_EQ(test, hyperlink_seg_add(&segs, c->ret, c->addr, c->size), c->ret);
	KUNIT_EXPECT_NE(test, segs.gen[c->ret], gen);
}

/* What was taken back last is used again last */
static void hyperlink_test_next(struct kunit *test)
{
	struct hyperlink_segs segs = { .reserved = BIT_ULL(0) };
	unsigned int n, want;

	KUNIT_ASSERT_EQ(test, hyperlink_seg_add(&segs, 5, SZ_2G, SZ_64K), 5);
	for (n = 0, want = 1; n < 200; n++) {
		KUNIT_ASSERT_EQ(test, hyperlink_seg_add(&segs, HYPERLINK_SEG_ANY, SZ_1M, SZ_64K),
				(int)want);
		hyperlink_seg_del(&segs, want);
		do
			want = (want + 1) % HYPERLINK_SEGMENTS;
		while (want == 0 || want == 5);
	}
}

/* What the peer finds gone when it looks only now and then */
static void hyperlink_test_gone(struct kunit *test)
{
	struct hyperlink_segs segs = {}, seen;
	unsigned int again = 0, n, k, i;
	struct rnd_state rnd;

	prandom_seed_state(&rnd, 31);
	for (n = 0; n < 2000; n++) {
		u64 gone = 0;

		seen = segs;
		for (k = prandom_u32_state(&rnd) % 8; k; k--) {
			i = prandom_u32_state(&rnd) % HYPERLINK_SEGMENTS;
			if (segs.order[i]) {
				hyperlink_seg_del(&segs, i);
				if (seen.order[i])
					gone |= BIT_ULL(i);
			}
			/* The same size at the same place again, or not */
			if (prandom_u32_state(&rnd) % 3) {
				KUNIT_ASSERT_EQ(test, hyperlink_seg_add(&segs, i,
									(u64)(i + 1) * SZ_64K,
									SZ_64K), (int)i);
				again += !!(gone & BIT_ULL(i));
			}
		}
		KUNIT_ASSERT_EQ(test, hyperlink_seg_gone(seen.order, seen.gen, segs.order,
							 segs.gen), gone);
	}
	KUNIT_EXPECT_GT(test, again, 1000U);

	/* A peer that makes one smaller without a word */
	seen = segs;
	for (i = 0; !segs.order[i]; i++)
		;
	segs.order[i]--;
	KUNIT_EXPECT_EQ(test, hyperlink_seg_gone(seen.order, seen.gen, segs.order, segs.gen),
			BIT_ULL(i));
}

static void hyperlink_test_full(struct kunit *test)
{
	struct hyperlink_segs segs = { .reserved = BIT_ULL(0) | BIT_ULL(63) };
	unsigned int i;

	for (i = 1; i < 63; i++)
		KUNIT_ASSERT_EQ(test, hyperlink_seg_add(&segs, HYPERLINK_SEG_ANY,
							(u64)i * SZ_64K, SZ_64K), (int)i);
	KUNIT_EXPECT_EQ(test, hyperlink_seg_add(&segs, HYPERLINK_SEG_ANY, SZ_1G, SZ_4K), -ENOSPC);
	KUNIT_EXPECT_EQ(test, hyperlink_seg_add(&segs, 0, SZ_1G, SZ_4K), 0);
	hyperlink_seg_del(&segs, 17);
	KUNIT_EXPECT_EQ(test, hyperlink_seg_val(&segs, 17), 0U);
	KUNIT_EXPECT_EQ(test, hyperlink_seg_add(&segs, HYPERLINK_SEG_ANY, SZ_2G, SZ_4K), 17);
}

/* What the hardware makes of RX_SEG_VAL is what was granted, and not more */
static void hyperlink_test_val(struct kunit *test)
{
	unsigned int order;

	for (order = 12; order <= 22; order++) {
		struct hyperlink_segs segs = {};
		u32 val;

		KUNIT_ASSERT_EQ(test, hyperlink_seg_add(&segs, 9, 0x81230000, BIT(order)), 9);
		val = hyperlink_seg_val(&segs, 9);
		KUNIT_EXPECT_EQ(test, val & 0xffff0000, 0x81230000U);
		KUNIT_EXPECT_EQ(test, 1U << ((val & 0x1f) + 1), BIT(order));
		KUNIT_EXPECT_EQ(test, val & 0xffe0, 0U);
	}
}

/* Is each page of the range in the peer's segment that it begins in? */
static int slow_check(const u8 *order, u64 remote, u64 len)
{
	u64 a;

	for (a = remote; a < remote + len; a += SZ_4K) {
		u64 index = a / SZ_4M;

		if (index >= HYPERLINK_SEGMENTS || index != remote / SZ_4M ||
		    !order[index] || a % SZ_4M >= BIT_ULL(order[index]))
			return -ERANGE;
	}

	return 0;
}

static void hyperlink_test_check(struct kunit *test)
{
	u8 order[HYPERLINK_SEGMENTS] = {};
	unsigned int good = 0, n, i;
	struct rnd_state rnd;

	prandom_seed_state(&rnd, 11);
	for (i = 0; i < HYPERLINK_SEGMENTS; i++)
		if (prandom_u32_state(&rnd) % 4)
			order[i] = 12 + prandom_u32_state(&rnd) % 11;

	for (n = 0; n < 20000; n++) {
		u64 remote = (u64)(prandom_u32_state(&rnd) % 70) * SZ_4M;
		u64 len = (1 + (prandom_u32_state(&rnd) >> (20 + n % 12))) * SZ_4K;
		int ret;

		if (n % 3)
			remote += (u64)(prandom_u32_state(&rnd) >> (22 + n % 10)) * SZ_4K;
		ret = hyperlink_seg_check(order, remote, len);
		KUNIT_ASSERT_EQ(test, ret, slow_check(order, remote, len));
		good += !ret;
	}
	KUNIT_EXPECT_GT(test, good, 1000U);
	KUNIT_EXPECT_LT(test, good, 19000U);

	order[0] = 22;
	KUNIT_EXPECT_EQ(test, hyperlink_seg_check(order, 0, SZ_4M), 0);
	KUNIT_EXPECT_EQ(test, hyperlink_seg_check(order, SZ_4K, 0ULL - SZ_4K), -ERANGE);
	KUNIT_EXPECT_EQ(test, hyperlink_seg_check(order, 0ULL - SZ_4K, SZ_4K), -ERANGE);
}

/* Grants come and go at random; a map of 64 KiB pieces says who has which */
static void hyperlink_test_random(struct kunit *test)
{
	unsigned int full = 0, busy = 0, made = 0, n, i;
	struct hyperlink_segs segs = { .reserved = 0xf };
	struct rnd_state rnd;
	u8 *used;

	used = kunit_kzalloc(test, 512, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, used);
	prandom_seed_state(&rnd, 23);

	for (n = 0; n < 20000; n++) {
		unsigned int first = prandom_u32_state(&rnd) % 448;
		u64 size = BIT_ULL(12 + prandom_u32_state(&rnd) % (n / 4000 % 2 ? 5 : 11));
		unsigned int len = DIV_ROUND_UP(size, SZ_64K);
		int ret, want;

		i = prandom_u32_state(&rnd) % HYPERLINK_SEGMENTS;
		if (segs.order[i] && prandom_u32_state(&rnd) % 100 < 40) {
			memset(used + segs.base[i] / SZ_64K, 0,
			       DIV_ROUND_UP(BIT(segs.order[i]), SZ_64K));
			hyperlink_seg_del(&segs, i);
			continue;
		}
		for (i = 0, want = -ENOSPC; i < HYPERLINK_SEGMENTS && want < 0; i++) {
			int at = (segs.next + i) % HYPERLINK_SEGMENTS;

			if (at >= 4 && !segs.order[at])
				want = at;
		}
		if (memchr_inv(used + first, 0, len))
			want = -EBUSY;
		ret = hyperlink_seg_add(&segs, HYPERLINK_SEG_ANY, (u64)first * SZ_64K, size);
		KUNIT_ASSERT_EQ(test, ret, want);
		busy += ret == -EBUSY;
		full += ret == -ENOSPC;
		if (ret >= 0) {
			memset(used + first, 1, len);
			made++;
		}
	}
	KUNIT_EXPECT_GT(test, busy, 500U);
	KUNIT_EXPECT_GT(test, full, 50U);
	KUNIT_EXPECT_GT(test, made, 500U);
}

static struct kunit_case hyperlink_cases[] = {
	KUNIT_CASE_PARAM(hyperlink_test_add, add_gen_params),
	KUNIT_CASE(hyperlink_test_next),
	KUNIT_CASE(hyperlink_test_gone),
	KUNIT_CASE(hyperlink_test_full),
	KUNIT_CASE(hyperlink_test_val),
	KUNIT_CASE(hyperlink_test_check),
	KUNIT_CASE(hyperlink_test_random),
	{ }
};

static struct kunit_suite hyperlink_suite = {
	.name = "hyperlink",
	.test_cases = hyperlink_cases,
};

kunit_test_suite(hyperlink_suite);

MODULE_DESCRIPTION("KUnit tests of the HyperLink driver");
MODULE_AUTHOR("iDMA driver maintainers");
MODULE_LICENSE("GPL");
