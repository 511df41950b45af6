// SPDX-License-Identifier: GPL-2.0-only
/*
 * What stats and monitor have seen, for reports: rates over time, events, and per engine
 * what they come to.
 *
 * Either is one document (-o) or a line each (-j); lines of a file are one run.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "out.h"
#include "report.h"

static json_t *object_in(json_t *obj, const char *key)
{
	json_t *sub = json_object_get(obj, key);

	if (!sub) {
		sub = json_object();
		json_object_set_new(obj, key, sub);
	}
	return sub;
}

static double get(const json_t *obj, const char *key)
{
	return json_number_value(json_object_get(obj, key));
}

static void add(json_t *obj, const char *key, double n)
{
	json_object_set_new(obj, key, json_real(get(obj, key) + n));
}

/* --- stats ------------------------------------------------------------------------- */

/* One engine in one interval, that ends at so many seconds */
static void take_rates(struct report *r, json_t *watch, const json_t *row, double at)
{
	static const char * const rates[] = {
		"bytes", "transfers", "interrupts", "errors", "stalls"
	};
	const char *name = json_str(row, "name", NULL);
	double seconds = json_double(row, "seconds", 0);
	json_t *sum;

	if (!name || !isfinite(seconds) || seconds <= 0)
		return;
	sum = object_in(object_in(watch, "sums"), name);
	add(sum, "seconds", seconds);
	for (size_t i = 0; i < ARRAY_SIZE(rates); i++)
		add(sum, rates[i], get(json_object_get(row, "rates"), rates[i]) * seconds);
	json_array_append_new(r->samples,
			      json_pack("{s:O, s:s, s:f, s:f, s:f, s:O?}",
					"run", json_object_get(watch, "run"), "engine", name,
					"t", at, "bytes_s", json_double(row, "rates.bytes", 0),
					"transfers_s", json_double(row, "rates.transfers", 0),
					"irqs_per_transfer",
					json_object_get(row, "irqs_per_transfer")));
}

static void take_counters(json_t *watch, const json_t *row)
{
	const char *name = json_str(row, "name", NULL);
	json_t *sum;

	if (!name)
		return;
	sum = object_in(object_in(watch, "sums"), name);
	add(sum, "transfers", json_double(row, "counters.transfers", 0));
	add(sum, "interrupts", json_double(row, "counters.interrupts", 0));
	add(sum, "errors", json_double(row, "counters.errors", 0));
	add(sum, "stalls", json_double(row, "counters.stalls", 0));
}

static void take_interval(struct report *r, json_t *watch, const json_t *doc)
{
	const json_t *row, *rows = json_object_get(doc, "engines");
	double longest = 0;
	size_t i;

	json_array_foreach(rows, i, row)
		longest = fmax(longest, json_double(row, "seconds", 0));
	add(watch, "t", longest);
	json_array_foreach(rows, i, row) {
		if (json_object_get(row, "rates"))
			take_rates(r, watch, row, get(watch, "t"));
		else
			take_counters(watch, row);
	}
}

void report_take_stats(struct report *r, json_t *watch, const json_t *doc)
{
	const json_t *one, *samples = json_object_get(doc, "samples");
	size_t i;

	if (!samples)
		take_interval(r, watch, doc);
	json_array_foreach(samples, i, one)
		take_interval(r, watch, one);
}

static void end_stats(struct report *r, json_t *watch)
{
	const char *name;
	json_t *sum;

	json_object_foreach(json_object_get(watch, "sums"), name, sum) {
		double seconds = get(sum, "seconds"), transfers = get(sum, "transfers");
		json_t *metrics = json_pack("{s:f, s:f}", "errors", round(get(sum, "errors")),
					    "stalls", round(get(sum, "stalls")));

		if (seconds > 0) {
			json_object_set_new(metrics, "bytes_s",
					    json_real(get(sum, "bytes") / seconds));
			json_object_set_new(metrics, "transfers_s", json_real(transfers / seconds));
		}
		if (transfers > 0)
			json_object_set_new(metrics, "irqs_per_transfer",
					    json_real(get(sum, "interrupts") / transfers));
		report_add_point(r, json_u64(watch, "run"), "stats",
				 json_pack("{s:s}", "engine", name), metrics, true);
	}
}

/* --- monitor ----------------------------------------------------------------------- */

/* Seconds since the epoch of "2026-01-31T12:00:00.123456+0100" or "...:00Z" */
static bool parse_time(const char *text, double *seconds)
{
	struct tm tm = { 0 };
	double sec;
	int zone = 0, n = 0;

	if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%lf%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
		   &tm.tm_hour, &tm.tm_min, &sec, &n) != 6 || !(sec >= 0 && sec < 62))
		return false;
	if (text[n] && text[n] != 'Z' && sscanf(text + n, "%5d", &zone) != 1)
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	*seconds = (double)timegm(&tm) + sec - (zone / 100 * 3600 + zone % 100 * 60);
	return true;
}

static json_t *engine_sum(json_t *watch, const char *name)
{
	json_t *sum = object_in(object_in(watch, "sums"), name);

	/* That nothing happened is known as well */
	add(sum, "errors", 0);
	add(sum, "stalls", 0);
	return sum;
}

void report_take_event(struct report *r, json_t *watch, const json_t *event)
{
	const char *kind = json_str(event, "event", NULL);
	const char *name = json_str(event, "dev_name", NULL);
	json_t *sum = name ? engine_sum(watch, name) : NULL;
	double at;

	if (!kind || !parse_time(json_str(event, "time", ""), &at))
		return;
	if (!json_object_get(watch, "start"))
		json_object_set_new(watch, "start", json_real(at));
	at = fmax(0, at - get(watch, "start"));
	json_object_set_new(watch, "seconds", json_real(fmax(at, get(watch, "seconds"))));
	if (sum && !strcmp(kind, "transfer-error")) {
		add(sum, "errors", 1);
	} else if (sum && !strcmp(kind, "dev-dead")) {
		add(sum, "stalls", 1);
	} else if (sum && !strcmp(kind, "resync")) {
		/* The driver has counted what there was no event of */
		json_object_set_new(sum, "errors",
				    json_real(fmax(get(sum, "errors"), get(event, "errors"))));
		json_object_set_new(sum, "stalls",
				    json_real(fmax(get(sum, "stalls"), get(event, "stalls"))));
	}
	if (sum)
		add(sum, "errors", get(event, "lost"));
	json_array_append_new(r->events,
			      json_pack("{s:O, s:s, s:s, s:f}", "run",
					json_object_get(watch, "run"), "event", kind,
					"engine", name ? name : "", "t", at));
}

void report_take_monitor(struct report *r, json_t *watch, const json_t *doc)
{
	const json_t *one;
	double start;
	size_t i;

	if (parse_time(json_str(doc, "time", ""), &start))
		json_object_set_new(watch, "start", json_real(start));
	json_object_set_new(watch, "seconds", json_real(fmax(0, json_double(doc, "seconds", 0))));
	json_array_foreach(json_object_get(doc, "engines"), i, one)
		if (json_is_string(one))
			engine_sum(watch, json_string_value(one));
	json_array_foreach(json_object_get(doc, "events"), i, one)
		report_take_event(r, watch, one);
}

static void end_monitor(struct report *r, json_t *watch)
{
	json_t *run = json_array_get(r->runs, json_u64(watch, "run")), *sum;
	const char *name;

	json_object_foreach(json_object_get(watch, "sums"), name, sum)
		report_add_point(r, json_u64(watch, "run"), "monitor",
				 json_pack("{s:s}", "engine", name), json_copy(sum), true);
	json_object_set_new(run, "seconds", json_real(get(watch, "seconds")));
}

void report_end_watch(struct report *r, json_t *watch)
{
	if (!strcmp(json_str(watch, "kind", ""), "stats"))
		end_stats(r, watch);
	else
		end_monitor(r, watch);
	json_decref(watch);
}
