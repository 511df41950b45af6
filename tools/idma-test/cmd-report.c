// SPDX-License-Identifier: GPL-2.0-only
/*
 * report: one page of saved runs, and what has changed between them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "opts.h"
#include "out.h"
#include "report.h"

static const char *html, *csv, *title = "idma-test report";
static struct opt_strings labels;
static struct opt_number threshold = { .val = 5 };
static bool strict, all;

static const struct opt opts[] = {
	{ "output", 'O', OPT_STRING, &html, .arg = "FILE",
	  .help = "write the page, HTML with nothing outside of it" },
	{ "csv", 0, OPT_STRING, &csv, .arg = "FILE", .help = "write all figures as CSV" },
	{ "threshold", 't', OPT_NUMBER, &threshold, .arg = "PERCENT", .max = 1000,
	  .help = "changes of more than that count, default 5" },
	{ "strict", 'x', OPT_FLAG, &strict, .help = "exit status 1 if there is a regression" },
	{ "all", 'a', OPT_FLAG, &all, .help = "also show what has not changed" },
	{ "label", 'l', OPT_STRINGS, &labels, .arg = "NAME,...",
	  .help = "what to call the files, in their order" },
	{ "title", 0, OPT_STRING, &title, .arg = "TEXT", .help = "title of the page" },
};

static const struct usage usage = {
	.command = "report",
	.args = "FILE...",
	.min_args = 1,
	.max_args = -1,
	.text =
		"Make one page with plots and tables of what dmatest, bench, stats and monitor have saved\n"
		"(-o), and compare it: each measurement with that of the first file that has it.",
	.opts = opts,
	.n = ARRAY_SIZE(opts),
	.examples = "  idma-test report before.json after.json -O page.html\n"
		    "  idma-test report -x -t 10 good.json new.json || echo slower\n",
};

static const struct out_column cols[] = {
	{ "label", "RUN", OUT_STR, "run" },
	{ "kind", "KIND", OUT_STR, NULL },
	{ "text", "PARAMETERS", OUT_STR, "params" },
	{ "metric", "WHAT", OUT_STR, NULL },
	{ "old", "BEFORE", OUT_REAL, NULL },
	{ "new", "NOW", OUT_REAL, NULL },
	{ "percent", "CHANGE %", OUT_REAL, NULL },
	{ "verdict", "VERDICT", OUT_STATE, NULL },
};

/* "a/b/before.json" is called "before" */
static char *label_of(const char *file, size_t i)
{
	const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file, *dot;

	if (i < labels.n)
		return xstrdup(labels.v[i]);
	dot = strrchr(base, '.');
	return xasprintf("%.*s", dot && dot != base ? (int)(dot - base) : (int)strlen(base), base);
}

static int write_file(const char *name, const struct report *r, bool page)
{
	FILE *f = fopen(name, "w");
	bool bad;

	if (!f) {
		it_error("cannot write '%s': %s", name, strerror(errno));
		return IT_ENV;
	}
	if (page)
		report_html(f, r, title, (double)threshold.val / 100);
	else
		report_csv(f, r);
	bad = ferror(f) != 0;
	bad |= fclose(f) != 0;
	if (bad) {
		it_error("cannot write '%s': %s", name, strerror(errno));
		return IT_ENV;
	}
	out_text("%s", name);
	return IT_OK;
}

static void show(const struct report *r)
{
	json_t *rows = json_array(), *row;
	const json_t *one, *change;
	size_t i;

	json_array_foreach(r->changes, i, one) {
		char *text;

		if (!all && !strcmp(json_str(one, "verdict", ""), "same"))
			continue;
		row = json_copy((json_t *)one);
		text = report_params_text(json_object_get(one, "params"), NULL);
		json_object_set_new(row, "text", json_string(text));
		free(text);
		json_object_set(row, "label",
				json_object_get(json_array_get(r->runs, json_u64(one, "run")),
						"label"));
		change = json_object_get(one, "change");
		if (json_is_number(change))
			json_object_set_new(row, "percent",
					    json_real(json_number_value(change) * 100));
		json_array_append_new(rows, row);
	}
	out_table(cols, ARRAY_SIZE(cols), rows);
	json_decref(rows);
	out_text("%zu runs, %zu figures compared: %zu regressions, %zu improvements (%llu %%)",
		 json_array_size(r->runs), json_array_size(r->changes), r->regressions,
		 r->improvements, (unsigned long long)threshold.val);
}

static json_t *summary(const struct report *r)
{
	json_t *doc = out_doc();

	json_object_set(doc, "runs", r->runs);
	json_object_set(doc, "points", r->points);
	json_object_set(doc, "changes", r->changes);
	json_object_set_new(doc, "regressions", json_integer((json_int_t)r->regressions));
	json_object_set_new(doc, "improvements", json_integer((json_int_t)r->improvements));
	json_object_set_new(doc, "failures", json_integer((json_int_t)r->failures));
	json_object_set_new(doc, "threshold_percent", json_integer((json_int_t)threshold.val));
	return doc;
}

int cmd_report(int argc, char **argv)
{
	int at = opts_parse(&usage, argc, argv), ret = IT_OK;
	struct report r;
	json_t *doc;

	if (at < 0)
		return OPTS_EXIT(at);
	report_init(&r);
	for (int i = at; i < argc && !ret; i++) {
		char *label = label_of(argv[i], (size_t)(i - at));

		ret = report_load(&r, argv[i], label);
		free(label);
	}
	if (!ret && !json_array_size(r.points)) {
		it_error("nothing was measured in %s", argc - at > 1 ? "these files" : argv[at]);
		it_hint("what dmatest, bench, stats and monitor save has something to show");
		ret = IT_ENV;
	}
	if (ret) {
		report_free(&r);
		return out_finish(NULL, ret);
	}
	report_compare(&r, (double)threshold.val / 100);
	show(&r);
	if (html)
		ret = write_file(html, &r, true);
	if (csv && !ret)
		ret = write_file(csv, &r, false);
	if (!ret && strict && r.regressions) {
		it_error("%zu regressions of more than %llu %%", r.regressions,
			 (unsigned long long)threshold.val);
		ret = IT_FAILED;
	}
	doc = summary(&r);
	report_free(&r);
	return out_finish(doc, ret);
}
