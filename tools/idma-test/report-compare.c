// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs against each other: each point against the first run that has it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"
#include "report.h"

static const json_t *base_of(const struct report *r, const json_t *point, size_t before)
{
	const char *key = json_str(point, "key", "");
	const json_t *one;
	size_t i;

	json_array_foreach(r->points, i, one) {
		if (i >= before)
			break;
		if (!strcmp(json_str(one, "key", ""), key) &&
		    json_u64(one, "run") != json_u64(point, "run"))
			return one;
	}
	return NULL;
}

static void add_change(struct report *r, const json_t *base, const json_t *point,
		       const struct metric *m, double part)
{
	const json_t *was = json_object_get(json_object_get(base, "metrics"), m->key);
	const json_t *is = json_object_get(json_object_get(point, "metrics"), m->key);
	double before = json_number_value(was), now = json_number_value(is), change;
	const char *verdict = "same";
	json_t *entry;

	if (!json_is_number(was) || !json_is_number(is))
		return;
	/* From nothing to something has no percentage */
	if (before == 0)
		change = now == 0 ? 0 : INFINITY;
	else
		change = (now - before) / fabs(before);
	if (fabs(change) > part) {
		bool worse = m->less_is_better ? now > before : now < before;

		verdict = worse ? "regression" : "better";
		r->regressions += worse;
		r->improvements += !worse;
	}
	entry = json_pack("{s:O, s:O, s:O, s:O, s:s, s:f, s:f, s:s}",
			  "run", json_object_get(point, "run"),
			  "base", json_object_get(base, "run"),
			  "kind", json_object_get(point, "kind"),
			  "params", json_object_get(point, "params"),
			  "metric", m->key, "old", before, "new", now, "verdict", verdict);
	json_object_set_new(entry, "change", isfinite(change) ? json_real(change) : json_null());
	json_array_append_new(r->changes, entry);
}

void report_compare(struct report *r, double part)
{
	const json_t *point, *base;
	size_t i;

	json_array_foreach(r->points, i, point) {
		base = base_of(r, point, i);
		if (!json_is_true(json_object_get(point, "good"))) {
			r->failures++;
			continue;
		}
		/* What failed has no speed to compare with */
		if (!base || !json_is_true(json_object_get(base, "good")))
			continue;
		for (size_t m = 0; m < report_n_metrics; m++)
			add_change(r, base, point, &report_metrics[m], part);
	}
}

static void csv_text(FILE *f, const char *text)
{
	if (!strpbrk(text, ",\"\n")) {
		fputs(text, f);
		return;
	}
	putc('"', f);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', f);
		putc(*text, f);
	}
	putc('"', f);
}

static void csv_value(FILE *f, const json_t *v)
{
	if (json_is_string(v))
		csv_text(f, json_string_value(v));
	else if (json_is_integer(v))
		fprintf(f, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
	else if (json_is_real(v))
		fprintf(f, "%.10g", json_real_value(v));
	else if (json_is_boolean(v))
		fputs(json_is_true(v) ? "1" : "0", f);
}

void report_csv(FILE *f, const struct report *r)
{
	static const char * const params[] = {
		"type", "target", "engine", "size", "threads", "depth", "batch", "channels", "wait",
		"polled",
	};
	const json_t *point;
	size_t i;

	fputs("run,kind", f);
	for (size_t p = 0; p < ARRAY_SIZE(params); p++)
		fprintf(f, ",%s", params[p]);
	for (size_t m = 0; m < report_n_metrics; m++)
		fprintf(f, ",%s", report_metrics[m].key);
	fputs(",good\n", f);
	json_array_foreach(r->points, i, point) {
		csv_text(f, json_str(json_array_get(r->runs, json_u64(point, "run")), "label", ""));
		fprintf(f, ",%s", json_str(point, "kind", ""));
		for (size_t p = 0; p < ARRAY_SIZE(params); p++) {
			putc(',', f);
			csv_value(f, json_object_get(json_object_get(point, "params"), params[p]));
		}
		for (size_t m = 0; m < report_n_metrics; m++) {
			putc(',', f);
			csv_value(f, json_object_get(json_object_get(point, "metrics"),
						     report_metrics[m].key));
		}
		fprintf(f, ",%d\n", json_is_true(json_object_get(point, "good")));
	}
}
