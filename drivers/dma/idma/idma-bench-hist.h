/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bench client's histograms: buckets by powers of two, as the netlink
 * family hands them out. Nothing but arithmetic, so that the KUnit tests can
 * have them alone.
 */
#ifndef _DRIVERS_DMA_IDMA_BENCH_HIST_H
#define _DRIVERS_DMA_IDMA_BENCH_HIST_H

#include <linux/bitops.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include <uapi/linux/idma.h>

/**
 * struct idma_bench_hist - a histogram
 * @buckets: entry 0 counts the value 0, entry n those from 2^(n-1) to 2^n - 1,
 *	the last one all larger values as well
 * @count: number of values
 * @sum: their sum
 * @smallest: the smallest one, if there are any
 * @largest: the largest one, if there are any
 */
struct idma_bench_hist {
	u64 buckets[IDMA_BENCH_BUCKETS];
	u64 count;
	u64 sum;
	u64 smallest;
	u64 largest;
};

static inline unsigned int idma_bench_bucket(u64 val)
{
	return min_t(unsigned int, fls64(val), IDMA_BENCH_BUCKETS - 1);
}

static inline void idma_bench_hist_add(struct idma_bench_hist *hist, u64 val)
{
	hist->buckets[idma_bench_bucket(val)]++;
	if (!hist->count || val < hist->smallest)
		hist->smallest = val;
	if (val > hist->largest)
		hist->largest = val;
	hist->count++;
	hist->sum += val;
}

/* How many buckets there are up to the last one that is not empty */
static inline unsigned int idma_bench_hist_used(const struct idma_bench_hist *hist)
{
	return hist->count ? idma_bench_bucket(hist->largest) + 1 : 0;
}

#endif /* _DRIVERS_DMA_IDMA_BENCH_HIST_H */
