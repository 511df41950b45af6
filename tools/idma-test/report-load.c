// SPDX-License-Identifier: GPL-2.0-only
/*
 * Saved runs: read them, make points of what they measured.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"
#include "report.h"

const struct metric report_metrics[] = {
	{ "bytes_s", "Throughput", "B/s", false },
	{ "transfers_s", "Transfers", "/s", false },
	{ "irqs_per_transfer", "Interrupts per transfer", "", true },
	{ "instructions_per_transfer", "Instructions per transfer", "", true },
	{ "cycles_per_transfer", "Cycles per transfer", "", true },
	{ "latency_p50_ns", "Latency, median", "ns", true },
	{ "latency_p99_ns", "Latency, 99 %", "ns", true },
	{ "errors", "Failed transfers", "", true },
	{ "stalls", "Engine died", "", true },
};

const size_t report_n_metrics = ARRAY_SIZE(report_metrics);

const struct metric *report_metric(const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(report_metrics); i++)
		if (!strcmp(report_metrics[i].key, key))
			return &report_metrics[i];
	return NULL;
}

void report_init(struct report *r)
{
	memset(r, 0, sizeof(*r));
	r->runs = json_array();
	r->points = json_array();
	r->samples = json_array();
	r->events = json_array();
	r->changes = json_array();
}

void report_free(struct report *r)
{
	json_decref(r->runs);
	json_decref(r->points);
	json_decref(r->samples);
	json_decref(r->events);
	json_decref(r->changes);
}

char *report_params_text(const json_t *params, const char *except)
{
	char *text = xstrdup(""), *more;
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)params, key, v) {
		char *val;

		if (json_is_null(v) || (except && !strcmp(key, except)))
			continue;
		val = json_is_string(v) ? xstrdup(json_string_value(v)) :
		      json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT);
		more = xasprintf("%s%s%s=%s", text, *text ? " " : "", key, val ? val : "?");
		free(val);
		free(text);
		text = more;
	}
	return text;
}

/* Copies a value under a name, if it is there */
static void take(json_t *to, const char *name, const json_t *from, const char *path)
{
	const json_t *v = out_lookup(from, path);

	if (v && (json_is_number(v) || json_is_string(v) || json_is_true(v)))
		json_object_set(to, name, (json_t *)v);
}

void report_add_point(struct report *r, size_t run, const char *kind, json_t *params,
		      json_t *metrics, bool good)
{
	char *text = report_params_text(params, NULL), *key = xasprintf("%s %s", kind, text);

	json_array_append_new(r->points, json_pack("{s:I, s:s, s:o, s:o, s:b, s:s}", "run",
						   (json_int_t)run, "kind", kind, "params", params,
						   "metrics", metrics, "good", good, "key", key));
	free(text);
	free(key);
}

static void take_dmatest(struct report *r, size_t run, const json_t *doc)
{
	const json_t *row, *results = json_object_get(doc, "results");
	size_t i;

	json_array_foreach(results, i, row) {
		json_t *params = json_object(), *metrics = json_object();

		take(params, "type", doc, "type");
		take(params, "size", row, "size");
		if (!json_object_get(params, "size"))
			json_object_set_new(params, "size", json_string("random"));
		take(params, "threads", row, "threads");
		take(params, "channels", row, "channels");
		take(params, "polled", row, "polled");
		take(metrics, "bytes_s", row, "bytes_s");
		take(metrics, "transfers_s", row, "transfers_s");
		take(metrics, "irqs_per_transfer", row, "irqs_per_transfer");
		take(metrics, "memcpy_bytes_s", row, "memcpy_bytes_s");
		report_add_point(r, run, "dmatest", params, metrics,
				 !strcmp(json_str(row, "status", ""), "ok"));
	}
}

static void take_bench(struct report *r, size_t run, const json_t *doc)
{
	const json_t *one, *row, *runs = json_object_get(doc, "runs");
	size_t i, j;

	json_array_foreach(runs, i, one) {
		json_array_foreach(json_object_get(one, "results"), j, row) {
			json_t *params = json_object(), *metrics = json_object();

			take(params, "target", one, "target");
			take(params, "size", row, "size");
			take(params, "depth", row, "depth");
			take(params, "batch", row, "batch");
			take(params, "channels", row, "channels");
			take(params, "wait", one, "wait");
			take(metrics, "bytes_s", row, "bytes_s");
			take(metrics, "transfers_s", row, "transfers_s");
			take(metrics, "irqs_per_transfer", row, "interrupts_per_transfer");
			take(metrics, "instructions_per_transfer", row,
			     "instructions_per_transfer");
			take(metrics, "cycles_per_transfer", row, "cycles_per_transfer");
			take(metrics, "latency_p50_ns", row, "phases.complete.ns.p50");
			take(metrics, "latency_p99_ns", row, "phases.complete.ns.p99");
			report_add_point(r, run, "bench", params, metrics,
					 !strcmp(json_str(row, "state", ""), "done"));
		}
	}
}

/* The file that is being read; lines of stats or monitor in it are one run */
struct source {
	const char *file, *label;
	json_t *watch;
};

static size_t add_run(struct report *r, const struct source *src, const char *command,
		      const json_t *doc)
{
	/* Events have no document around them that could say how it ended */
	bool ok = json_is_true(json_object_get(doc, "ok")) || json_object_get(doc, "event");
	json_t *entry = json_pack("{s:s, s:s, s:s, s:b}", "label", src->label, "file", src->file,
				  "command", command, "ok", ok);

	/* Neither a name of a file nor an argument has to be UTF-8 */
	if (!entry)
		entry = json_pack("{s:s, s:s, s:s, s:b}", "label", "?", "file", "?", "command",
				  command, "ok", ok);
	take(entry, "time", doc, "time");
	take(entry, "kernel", doc, "host.kernel");
	take(entry, "machine", doc, "host.machine");
	take(entry, "host", doc, "host.name");
	take(entry, "error", doc, "error.message");
	json_array_append_new(r->runs, entry);
	return json_array_size(r->runs) - 1;
}

static void end_watch(struct report *r, struct source *src)
{
	if (src->watch)
		report_end_watch(r, src->watch);
	src->watch = NULL;
}

/* The run that a line belongs to, or a new one */
static json_t *watch_for(struct report *r, struct source *src, const char *kind,
			 const json_t *doc, bool line)
{
	if (!line || !src->watch || strcmp(json_str(src->watch, "kind", ""), kind)) {
		end_watch(r, src);
		src->watch = json_pack("{s:s, s:I}", "kind", kind,
				       "run", (json_int_t)add_run(r, src, kind, doc));
	}
	return src->watch;
}

static void take_watch(struct report *r, struct source *src, const char *command,
		       const json_t *doc)
{
	bool stats = !strcmp(command, "stats");
	bool line = stats ? !json_object_get(doc, "samples") : !json_object_get(doc, "events");
	json_t *run;

	/* The last line only says how it ended */
	if (line && src->watch && json_object_get(doc, "error")) {
		run = json_array_get(r->runs, json_u64(src->watch, "run"));
		json_object_set_new(run, "ok", json_false());
		take(run, "error", doc, "error.message");
		return;
	}
	run = watch_for(r, src, command, doc, line);
	if (stats)
		report_take_stats(r, run, doc);
	else
		report_take_monitor(r, run, doc);
}

static int take_doc(struct report *r, struct source *src, const json_t *doc)
{
	const char *command = json_str(doc, "command", NULL);

	if (json_str(doc, "event", NULL) && !command) {
		report_take_event(r, watch_for(r, src, "monitor", doc, true), doc);
		return IT_OK;
	}
	if (strcmp(json_str(doc, "tool", ""), "idma-test") || !command) {
		it_error("%s: this is no saved run of idma-test", src->file);
		it_hint("-o FILE of dmatest, bench, stats and monitor makes one");
		return IT_ENV;
	}
	if (!strcmp(command, "stats") || !strcmp(command, "monitor")) {
		take_watch(r, src, command, doc);
		return IT_OK;
	}
	end_watch(r, src);
	if (!strcmp(command, "dmatest"))
		take_dmatest(r, add_run(r, src, command, doc), doc);
	else if (!strcmp(command, "bench"))
		take_bench(r, add_run(r, src, command, doc), doc);
	else
		add_run(r, src, command, doc);
	return IT_OK;
}

/* Between documents there may be space */
static bool at_end(FILE *f)
{
	int c;

	do {
		c = getc(f);
	} while (c == ' ' || c == '\t' || c == '\n' || c == '\r');
	if (c == EOF)
		return true;
	ungetc(c, f);
	return false;
}

int report_load(struct report *r, const char *file, const char *label)
{
	struct source src = { .file = file, .label = label };
	FILE *f = fopen(file, "r");
	json_error_t error;
	int ret = IT_OK;
	size_t n = 0;
	json_t *doc;

	if (!f) {
		it_error("cannot read '%s': %s", file, strerror(errno));
		return IT_ENV;
	}
	while (!ret && !at_end(f)) {
		doc = json_loadf(f, JSON_DISABLE_EOF_CHECK, &error);
		if (!doc) {
			it_error("%s: line %d: %s", file, error.line, error.text);
			ret = IT_ENV;
			break;
		}
		ret = take_doc(r, &src, doc);
		json_decref(doc);
		n++;
	}
	end_watch(r, &src);
	if (ferror(f) && !ret) {
		it_error("cannot read '%s': %s", file, strerror(errno));
		ret = IT_ENV;
	}
	fclose(f);
	if (!ret && !n) {
		it_error("%s: it is empty", file);
		ret = IT_ENV;
	}
	return ret;
}
