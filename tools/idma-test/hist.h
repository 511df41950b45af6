/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Histograms of the bench client: {"buckets", "count", "sum", "min", "max"}.
 */
#ifndef IDMA_TEST_HIST_H
#define IDMA_TEST_HIST_H

#include <jansson.h>

/*
 * The value below which that part (0 .. 1) of all lies. Bucket 0 has the value 0,
 * bucket n 2^(n-1) .. 2^n - 1: within one, values are taken to be spread evenly.
 * 0 if it is empty.
 */
double hist_quantile(const json_t *hist, double part);
double hist_mean(const json_t *hist);
/* Adds "mean", "p50", "p90" and "p99" */
void hist_summarize(json_t *hist);

#endif
