// SPDX-License-Identifier: GPL-2.0-only
/*
 * stats: the counters of the iDMAs, or how fast they go up.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "engines.h"
#include "nl.h"
#include "opts.h"
#include "out.h"

static struct opt_number interval, count;

static const struct out_column total_cols[] = {
	{ "name", "ENGINE", OUT_STR, "engine" },
	{ "state", "STATE", OUT_STATE, NULL },
	{ "counters.transfers", "TRANSFERS", OUT_INT, "transfers" },
	{ "counters.bytes", "BYTES", OUT_INT, "bytes" },
	{ "counters.errors", "ERRORS", OUT_INT, "errors" },
	{ "counters.terminated", "TERMINATED", OUT_INT, "terminated" },
	{ "counters.launches", "LAUNCHES", OUT_INT, "launches" },
	{ "counters.descriptors", "DESCRIPTORS", OUT_INT, "descriptors" },
	{ "counters.interrupts", "IRQS", OUT_INT, "interrupts" },
	{ "counters.interrupts_missed", "MISSED", OUT_INT, "interrupts_missed" },
	{ "counters.reaped_irq", "BY IRQ", OUT_INT, "reaped_irq" },
	{ "counters.reaped_backstop", "BACKSTOP", OUT_INT, "reaped_backstop" },
	{ "counters.reaped_poll", "POLL", OUT_INT, "reaped_poll" },
	{ "counters.stalls", "STALLS", OUT_INT, "stalls" },
	{ "counters.recoveries", "RECOVERIES", OUT_INT, "recoveries" },
};

static const struct out_column rate_cols[] = {
	{ "name", "ENGINE", OUT_STR, "engine" },
	{ "state", "STATE", OUT_STATE, NULL },
	{ "seconds", "INTERVAL", OUT_REAL, NULL },
	{ "rates.transfers", "TRANSFERS", OUT_RATE, "transfers_s" },
	{ "rates.bytes", "THROUGHPUT", OUT_BYTERATE, "bytes_s" },
	{ "rates.errors", "ERRORS", OUT_RATE, "errors_s" },
	{ "rates.launches", "LAUNCHES", OUT_RATE, "launches_s" },
	{ "rates.descriptors", "DESCRIPTORS", OUT_RATE, "descriptors_s" },
	{ "rates.interrupts", "IRQS", OUT_RATE, "interrupts_s" },
	{ "irqs_per_transfer", "IRQS/TRANSFER", OUT_REAL, NULL },
	{ "in_flight", "IN FLIGHT", OUT_INT, NULL },
};

static int read_engines(struct nlc *c, int argc, char **argv, json_t **list)
{
	json_t *all, *one;
	int ret = nlc_engines(c, &all);

	if (ret)
		return nlc_failed(c, "reading the counters", ret);
	if (!argc) {
		*list = all;
		return IT_OK;
	}
	*list = json_array();
	for (int i = 0; i < argc; i++) {
		one = engines_find(all, argv[i]);
		if (!one) {
			it_error("there is no iDMA '%s'", argv[i]);
			it_hint("'idma-test list' shows the engines");
			json_decref(*list);
			json_decref(all);
			return IT_ENV;
		}
		json_array_append(*list, one);
	}
	json_decref(all);
	return IT_OK;
}

/* What was counted since the last time, a second. A new engine starts from 0. */
static json_t *rates_of(const json_t *old, const json_t *new, double seconds)
{
	const json_t *before = json_object_get(old, "counters");
	json_t *rates = json_object(), *v;
	const char *key;

	json_object_foreach(json_object_get(new, "counters"), key, v) {
		double n;

		if (!json_is_integer(v))
			continue;
		n = (double)json_integer_value(v) -
		    (double)json_integer_value(json_object_get(before, key));
		json_object_set_new(rates, key, json_real(n > 0 ? n / seconds : 0));
	}
	return rates;
}

static json_t *rate_rows(const json_t *before, json_t *now, double seconds)
{
	json_t *rows = json_array(), *one;
	size_t i;

	json_array_foreach(now, i, one) {
		json_t *old = engines_find(before, json_str(one, "name", "")), *row;
		double transfers, irqs;

		row = json_pack("{s:O, s:O, s:O, s:f}", "name", json_object_get(one, "name"),
				"state", json_object_get(one, "state"),
				"in_flight", json_object_get(one, "in_flight"), "seconds", seconds);
		json_object_set_new(row, "rates", rates_of(old, one, seconds));
		transfers = json_double(row, "rates.transfers", 0);
		irqs = json_double(row, "rates.interrupts", 0);
		json_object_set_new(row, "irqs_per_transfer",
				    transfers > 0 ? json_real(irqs / transfers) : json_null());
		json_array_append_new(rows, row);
	}
	return rows;
}

static void wait_until(uint64_t when)
{
	uint64_t now;

	while (!it_stop && (now = now_ns()) < when) {
		struct timespec ts = {
			.tv_sec = (time_t)((when - now) / 1000000000),
			.tv_nsec = (long)((when - now) % 1000000000),
		};

		nanosleep(&ts, NULL);
	}
}

static void show_rates(json_t *rows, bool header, json_t *samples)
{
	json_t *one;
	size_t i;

	json_array_foreach(rows, i, one)
		out_row(rate_cols, ARRAY_SIZE(rate_cols), one, header && !i);
	one = out_doc();
	json_object_set(one, "ok", json_true());
	json_object_set(one, "engines", rows);
	if (out.json)
		out_line(one);
	if (out.save)
		json_array_append(samples, one);
	json_decref(one);
}

static int follow(struct nlc *c, int argc, char **argv, json_t *before)
{
	json_t *samples = json_array(), *now, *rows, *doc;
	uint64_t last = now_ns(), next = last, n = 0, time;
	int ret = IT_OK;

	catch_signals();
	while (!it_stop && (!count.set || n < count.val)) {
		next += interval.val * 1000000;
		wait_until(next);
		if (it_stop)
			break;
		ret = read_engines(c, argc, argv, &now);
		if (ret)
			break;
		time = now_ns();
		rows = rate_rows(before, now, (double)(time - last) / 1e9);
		show_rates(rows, n++ % 20 == 0, samples);
		json_decref(rows);
		json_decref(before);
		before = now;
		last = time;
	}
	json_decref(before);
	doc = out_doc();
	json_object_set_new(doc, "samples", samples);
	/* To stop is how this ends */
	it_stop = 0;
	/* What -j has to say was said, line by line */
	out.json &= ret != IT_OK;
	return out_finish(doc, ret);
}

int cmd_stats(int argc, char **argv)
{
	static const struct opt opts[] = {
		{ "interval", 'i', OPT_NUMBER, &interval, .arg = "TIME", .unit = NUM_MS, .min = 10,
		  .max = 86400000, .help = "show rates, each TIME (1s, 500ms), until Ctrl-C" },
		{ "count", 'n', OPT_NUMBER, &count, .arg = "N", .min = 1,
		  .help = "with --interval: N times" },
	};
	static const struct usage usage = {
		.command = "stats",
		.args = "[ENGINE]...",
		.max_args = -1,
		.text =
			"Show the counters of the iDMAs since they were probed, or, with an interval, how fast\n"
			"they go up. With -j each interval is a document of one line.",
		.opts = opts,
		.n = ARRAY_SIZE(opts),
		.examples = "  idma-test stats\n  idma-test stats -i 1s\n",
	};
	int at = opts_parse(&usage, argc, argv), ret;
	json_t *list, *doc;
	struct nlc c;

	if (at < 0)
		return OPTS_EXIT(at);
	if (count.set && !interval.set) {
		it_error("--count needs --interval");
		return out_finish(NULL, IT_USAGE);
	}
	ret = nlc_open(&c);
	if (ret)
		return out_finish(NULL, nlc_missing(ret));
	ret = read_engines(&c, argc - at, argv + at, &list);
	if (ret) {
		ret = out_finish(NULL, ret);
	} else if (interval.set) {
		ret = follow(&c, argc - at, argv + at, list);
	} else {
		if (!json_array_size(list))
			it_note("no engine is bound to the driver");
		out_table(total_cols, ARRAY_SIZE(total_cols), list);
		doc = out_doc();
		json_object_set_new(doc, "engines", list);
		ret = out_finish(doc, IT_OK);
	}
	nlc_close(&c);
	return ret;
}
