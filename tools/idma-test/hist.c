// SPDX-License-Identifier: GPL-2.0-only
/*
 * Histograms of the bench client.
 */
#include <math.h>

#include "hist.h"
#include "out.h"

static double clamp(double val, double min, double max)
{
	return val < min ? min : val > max ? max : val;
}

double hist_quantile(const json_t *hist, double part)
{
	const json_t *buckets = json_object_get(hist, "buckets"), *one;
	double min = json_double(hist, "min", 0), max = json_double(hist, "max", 0);
	double count = json_double(hist, "count", 0), want = part * count, below = 0;
	size_t i;

	if (count <= 0)
		return 0;
	json_array_foreach(buckets, i, one) {
		double n = json_number_value(one);
		double low = i ? ldexp(1, (int)i - 1) : 0, high = i ? ldexp(1, (int)i) : 0;

		/* The ends are known better than by their buckets */
		low = clamp(low, min, max);
		high = clamp(high, min, max);
		if (n > 0 && below + n >= want)
			return low + (high - low) * (want - below) / n;
		below += n;
	}
	return max;
}

double hist_mean(const json_t *hist)
{
	double count = json_double(hist, "count", 0);

	return count > 0 ? json_double(hist, "sum", 0) / count : 0;
}

void hist_summarize(json_t *hist)
{
	if (!json_is_object(hist) || json_double(hist, "count", 0) <= 0)
		return;
	json_object_set_new(hist, "mean", json_real(hist_mean(hist)));
	json_object_set_new(hist, "p50", json_real(hist_quantile(hist, 0.5)));
	json_object_set_new(hist, "p90", json_real(hist_quantile(hist, 0.9)));
	json_object_set_new(hist, "p99", json_real(hist_quantile(hist, 0.99)));
}
