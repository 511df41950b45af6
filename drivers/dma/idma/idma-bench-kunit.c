// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the bench client's histograms.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "idma-bench-hist.h"

/* Each bucket begins at a power of two; the last one has no end */
static void hist_buckets(struct kunit *test)
{
	unsigned int n;

	KUNIT_EXPECT_EQ(test, idma_bench_bucket(0), 0U);
	for (n = 1; n < 64; n++) {
		u64 first = 1ULL << (n - 1), last = first * 2 - 1;
		unsigned int bucket = min_t(unsigned int, n, IDMA_BENCH_BUCKETS - 1);

		KUNIT_EXPECT_EQ_MSG(test, idma_bench_bucket(first), bucket,
				    "first value of bucket %u", n);
		KUNIT_EXPECT_EQ_MSG(test, idma_bench_bucket(last), bucket,
				    "last value of bucket %u", n);
	}
	KUNIT_EXPECT_EQ(test, idma_bench_bucket(U64_MAX),
			(unsigned int)IDMA_BENCH_BUCKETS - 1);
}

static void hist_empty(struct kunit *test)
{
	const struct idma_bench_hist hist = {};

	KUNIT_EXPECT_EQ(test, idma_bench_hist_used(&hist), 0U);
}

/* A value of 0 is a value, and the smallest one */
static void hist_zero(struct kunit *test)
{
	struct idma_bench_hist hist = {};

	idma_bench_hist_add(&hist, 0);
	KUNIT_EXPECT_EQ(test, hist.count, 1ULL);
	KUNIT_EXPECT_EQ(test, hist.sum, 0ULL);
	KUNIT_EXPECT_EQ(test, hist.smallest, 0ULL);
	KUNIT_EXPECT_EQ(test, hist.largest, 0ULL);
	KUNIT_EXPECT_EQ(test, hist.buckets[0], 1ULL);
	KUNIT_EXPECT_EQ(test, idma_bench_hist_used(&hist), 1U);

	idma_bench_hist_add(&hist, 7);
	KUNIT_EXPECT_EQ(test, hist.smallest, 0ULL);
	KUNIT_EXPECT_EQ(test, hist.largest, 7ULL);
}

static void hist_sums(struct kunit *test)
{
	static const u64 vals[] = { 900, 3, 1000, 2, 1023, 1024, 1ULL << 50 };
	struct idma_bench_hist hist = {};
	u64 sum = 0, count = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(vals); i++) {
		idma_bench_hist_add(&hist, vals[i]);
		sum += vals[i];
	}
	for (i = 0; i < IDMA_BENCH_BUCKETS; i++)
		count += hist.buckets[i];

	KUNIT_EXPECT_EQ(test, hist.count, (u64)ARRAY_SIZE(vals));
	KUNIT_EXPECT_EQ(test, count, hist.count);
	KUNIT_EXPECT_EQ(test, hist.sum, sum);
	KUNIT_EXPECT_EQ(test, hist.smallest, 2ULL);
	KUNIT_EXPECT_EQ(test, hist.largest, 1ULL << 50);
	KUNIT_EXPECT_EQ(test, hist.buckets[2], 2ULL);
	KUNIT_EXPECT_EQ(test, hist.buckets[10], 3ULL);
	KUNIT_EXPECT_EQ(test, hist.buckets[11], 1ULL);
	KUNIT_EXPECT_EQ(test, hist.buckets[IDMA_BENCH_BUCKETS - 1], 1ULL);
	KUNIT_EXPECT_EQ(test, idma_bench_hist_used(&hist),
			(unsigned int)IDMA_BENCH_BUCKETS);
}

/* What is sent ends with the last bucket that is not empty */
static void hist_used(struct kunit *test)
{
	struct idma_bench_hist hist = {};
	unsigned int used;

	idma_bench_hist_add(&hist, 300);
	idma_bench_hist_add(&hist, 5);
	used = idma_bench_hist_used(&hist);
	KUNIT_ASSERT_EQ(test, used, 10U);
	KUNIT_EXPECT_EQ(test, hist.buckets[used - 1], 1ULL);
}

static struct kunit_case idma_bench_hist_cases[] = {
	KUNIT_CASE(hist_buckets),
	KUNIT_CASE(hist_empty),
	KUNIT_CASE(hist_zero),
	KUNIT_CASE(hist_sums),
	KUNIT_CASE(hist_used),
	{}
};

static struct kunit_suite idma_bench_hist_suite = {
	.name = "idma-bench-hist",
	.test_cases = idma_bench_hist_cases,
};

kunit_test_suite(idma_bench_hist_suite);

MODULE_DESCRIPTION("KUnit tests of the bench client for DMA engines");
MODULE_AUTHOR("iDMA driver maintainers");
MODULE_LICENSE("GPL");
