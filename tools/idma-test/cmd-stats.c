// SPDX-License-Identifier: GPL-2.0-only
/*
 * stats: the counters of the iDMAs, or how fast they go up.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "counters.h"
#include "engines.h"
#include "nl.h"
#include "opts.h"
#include "out.h"

static struct opt_number interval, count;
static bool waits;

static const struct out_column engine_cols[] = {
	{ "name", "ENGINE", OUT_STR, "engine" },
	{ "state", "STATE", OUT_STATE, NULL },
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

/* The engines that are named, or all; with --wait some may not be there yet */
static int choose(json_t *all, int argc, char **argv, json_t **list)
{
	json_t *one;

	if (!argc) {
		*list = json_incref(all);
		return IT_OK;
	}
	*list = json_array();
	for (int i = 0; i < argc; i++) {
		one = engines_find(all, argv[i]);
		if (one) {
			json_array_append(*list, one);
		} else if (!waits) {
			it_error("there is no iDMA '%s'", argv[i]);
			it_hint("'idma-test list' shows the engines");
			json_decref(*list);
			return IT_ENV;
		}
	}
	return IT_OK;
}

/* No driver, no engines. To be told once, each time that it goes. */
static void say_away(bool away)
{
	static bool was;

	if (away && !was)
		it_note("there is no driver; waiting for it");
	else if (!away && was)
		it_note("the driver is there");
	was = away;
}

static int read_engines(struct nlc *c, int argc, char **argv, json_t **list)
{
	int ret = c->sk ? 0 : nlc_open(c), status;
	json_t *all = NULL;

	if (!ret)
		ret = nlc_engines(c, &all);
	if (c->sk && nlc_gone(c, ret)) {
		/* Loaded again meanwhile, it goes by another number */
		nlc_close(c);
		if (!nlc_open(c))
			ret = nlc_engines(c, &all);
	}
	if (waits) {
		say_away(ret == -ENOENT);
		if (ret == -ENOENT) {
			*list = json_array();
			return IT_OK;
		}
	}
	if (ret)
		return nlc_failed(c, "reading the counters", ret);
	status = choose(all, argc, argv, list);
	json_decref(all);
	return status;
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
	bool none = false;
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
		if (!json_array_size(now) && !none && !waits)
			it_note("no engine is bound to the driver");
		none = !json_array_size(now);
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
	return out_finish_lines(doc, ret);
}

int cmd_stats(int argc, char **argv)
{
	static const struct opt opts[] = {
		{ "interval", 'i', OPT_NUMBER, &interval, .arg = "TIME", .unit = NUM_MS, .min = 10,
		  .max = 86400000, .help = "show rates, each TIME (1s, 500ms), until Ctrl-C" },
		{ "count", 'n', OPT_NUMBER, &count, .arg = "N", .min = 1,
		  .help = "with --interval: N times" },
		{ "wait", 'w', OPT_FLAG, &waits,
		  .help = "with --interval: wait for the driver, if it is not there or goes" },
	};
	static const struct usage usage = {
		.command = "stats",
		.args = "[ENGINE]...",
		.max_args = -1,
		.text =
			"Show the counters of the iDMAs since they were probed, or, with an interval, how fast\n"
			"they go up. With -j each interval is a document of one line. When the driver is\n"
			"unloaded this ends with exit status 3, unless it is to wait.",
		.opts = opts,
		.n = ARRAY_SIZE(opts),
		.examples = "  idma-test stats\n  idma-test stats -i 1s\n",
	};
	struct out_column cols[ARRAY_SIZE(engine_cols) + COUNTER_COLUMNS];
	int at = opts_parse(&usage, argc, argv), ret;
	json_t *list, *doc;
	struct nlc c;
	size_t n;

	if (at < 0)
		return OPTS_EXIT(at);
	if ((count.set || waits) && !interval.set) {
		it_error("--%s needs --interval", count.set ? "count" : "wait");
		return out_finish(NULL, IT_USAGE);
	}
	ret = nlc_open(&c);
	if (ret && !(waits && ret == -ENOENT))
		return out_finish(NULL, nlc_missing(ret));
	ret = read_engines(&c, argc - at, argv + at, &list);
	if (ret) {
		ret = out_finish(NULL, ret);
	} else if (interval.set) {
		ret = follow(&c, argc - at, argv + at, list);
	} else {
		if (!json_array_size(list))
			it_note("no engine is bound to the driver");
		memcpy(cols, engine_cols, sizeof(engine_cols));
		n = counters_table(cols, ARRAY_SIZE(engine_cols));
		out_table(cols, n, list);
		doc = out_doc();
		json_object_set_new(doc, "engines", list);
		ret = out_finish(doc, IT_OK);
	}
	nlc_close(&c);
	return ret;
}
