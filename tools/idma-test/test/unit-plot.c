// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ticks of plots, and text into HTML.
 */
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "tap.h"

static bool ticks_are(double min, double max, bool log, double base, const double *want, size_t n)
{
	double ticks[16];
	size_t got = plot_ticks(min, max, log, base, ticks, 16);

	if (got != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (ticks[i] - want[i] > want[i] / 1e9 || want[i] - ticks[i] > want[i] / 1e9)
			return false;
	return true;
}

/* Whatever the range: in order, around it, and not too many */
static void any_range(void)
{
	bool order = true, around = true;
	unsigned int seed = 3;

	for (int i = 0; i < 20000; i++) {
		double ticks[16], min, max;
		bool log = i & 1;
		size_t n;

		seed = seed * 1103515245 + 12345;
		min = (double)(seed >> 8) / (double)(1 + (seed & 0xffff)) + 0.001;
		seed = seed * 1103515245 + 12345;
		max = min * (1 + (double)(seed >> 20) / 64);
		n = plot_ticks(min, max, log, i & 2 ? 2 : 10, ticks, 16);
		around &= n >= 2 && n <= 16 && ticks[0] <= min * 1.000001 &&
			  ticks[n - 1] >= max * 0.999999;
		for (size_t j = 1; j < n; j++)
			order &= ticks[j] > ticks[j - 1];
	}
	ok(order, "any range: ticks go up");
	ok(around, "any range: ticks are around it");
}

static char *svg(double y0, double y1)
{
	struct plot p = { .title = "a < b & \"c\"", .x_title = "x", .y_title = "y" };
	struct plot_series *s = plot_add_series(&p, xstrdup("<s>"), 0, false);
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	plot_add(s, 2, y1);
	plot_add(s, 1, y0);
	plot_write(f, &p);
	plot_free(&p);
	fclose(f);
	return text;
}

int main(void)
{
	static const double tens[] = { 1, 10, 100, 1000 }, twos[] = { 64, 128, 256 },
			    lin[] = { 0, 2, 4, 6, 8, 10 };
	struct plot empty = { .title = "", .x_title = "", .y_title = "" };
	char *text, *more = NULL;
	size_t size;
	FILE *f;

	ok(ticks_are(1, 1000, true, 10, tens, 4), "powers of ten");
	ok(ticks_are(64, 256, true, 2, twos, 3), "powers of two");
	ok(ticks_are(0, 10, false, 10, lin, 6), "a linear axis");
	any_range();
	text = svg(1, 2);
	ok(strstr(text, "a &lt; b &amp; &quot;c&quot;") && strstr(text, "&lt;s&gt;"),
	   "text is escaped");
	ok(!strstr(text, "<s>"), "all of it");
	ok(!strstr(text, "nan") && !strstr(text, "inf"), "coordinates are numbers");
	free(text);
	text = svg(0, 0);
	ok(!strstr(text, "nan") && !strstr(text, "inf"), "also when all is 0");
	free(text);
	f = open_memstream(&more, &size);
	plot_write(f, &empty);
	fclose(f);
	ok(!size, "no points, no plot");
	free(more);
	return tap_end();
}
