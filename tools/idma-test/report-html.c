// SPDX-License-Identifier: GPL-2.0-only
/*
 * One self-contained page: no scripts, nothing fetched from anywhere.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "out.h"
#include "report.h"

/* More lines than that cannot be told apart */
#define MAX_SERIES	12
#define TOO_MANY	"<p class=\"dim\">Only the first %d lines are shown; the table has all.</p>\n"

static const char style[] =
	":root{--fg:#1a1d21;--bg:#fff;--dim:#667;--grid:#e3e6ea;--good:#1a7f37;--bad:#c0262d;"
	"--c0:#0b62c4;--c1:#d1580a;--c2:#1a7f37;--c3:#8e3bb5;--c4:#b8860b;--c5:#0a8a8a;--c6:#c2255c;--c7:#555}\n"
	"@media(prefers-color-scheme:dark){:root{--fg:#e4e6ea;--bg:#16181c;--dim:#9aa;--grid:#31353c;"
	"--good:#4fc36b;--bad:#ff7b72;--c0:#6cb0ff;--c1:#ffa657;--c2:#4fc36b;--c3:#d2a8ff;--c4:#e3c04f;"
	"--c5:#56d4d4;--c6:#ff8fb1;--c7:#bbb}}\n"
	"body{font:15px/1.5 system-ui,sans-serif;color:var(--fg);background:var(--bg);max-width:1500px;"
	"margin:2em auto;padding:0 1.5em}\n"
	"h1{font-size:1.6em}h2{margin-top:2em;border-bottom:1px solid var(--grid)}\n"
	"table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:1em 0}\n"
	"div.scroll{overflow-x:auto}\n"
	"th,td{padding:.25em .8em;text-align:left;border-bottom:1px solid var(--grid);white-space:nowrap}\n"
	"td.n,th.n{text-align:right}.good{color:var(--good)}.bad{color:var(--bad);font-weight:600}\n"
	".dim{color:var(--dim)}\n"
	".plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(480px,1fr));gap:1.5em}\n"
	"figure{margin:0}svg{width:100%;height:auto}svg text{fill:var(--fg);font-size:12px}\n"
	"svg .title{font-size:15px;font-weight:600}.grid{stroke:var(--grid)}\n"
	"polyline{fill:none;stroke:currentColor;stroke-width:2}polyline.dash{stroke-dasharray:6 4}\n"
	"circle{fill:currentColor}figcaption span{margin-right:1em;font-size:.85em;white-space:nowrap}\n"
	"figcaption span::before{content:'\\25cf\\a0'}figcaption span.dash::before{content:'\\25cb\\a0'}\n"
	".s0{color:var(--c0)}.s1{color:var(--c1)}.s2{color:var(--c2)}.s3{color:var(--c3)}\n"
	".ev-error{fill:var(--c4);color:var(--c4)}.ev-dead{fill:var(--bad);color:var(--bad)}\n"
	".ev-back{fill:var(--good);color:var(--good)}.ev-other{fill:var(--c7);color:var(--c7)}\n"
	".s4{color:var(--c4)}.s5{color:var(--c5)}.s6{color:var(--c6)}.s7{color:var(--c7)}\n";

void html_text(FILE *f, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", f);
			break;
		case '<':
			fputs("&lt;", f);
			break;
		case '>':
			fputs("&gt;", f);
			break;
		case '"':
			fputs("&quot;", f);
			break;
		default:
			putc(*text, f);
		}
	}
}

static void cell(FILE *f, const char *class, const char *text)
{
	fprintf(f, "<td%s%s%s>", class ? " class=\"" : "", class ? class : "", class ? "\"" : "");
	html_text(f, text);
	fputs("</td>", f);
}

static void metric_text(char *buf, const struct metric *m, double val)
{
	if (!strcmp(m->unit, "ns"))
		num_ns(buf, val);
	else
		num_si(buf, val, m->unit);
}

static const char *label_of(const struct report *r, const json_t *obj, const char *key)
{
	return json_str(json_array_get(r->runs, json_u64(obj, key)), "label", "?");
}

/* --- runs ------------------------------------------------------------------------ */

static void write_runs(FILE *f, const struct report *r)
{
	const json_t *run;
	size_t i;

	fputs("<h2>Runs</h2>\n"
	      "<div class=\"scroll\"><table><tr><th>Run</th><th>Command</th><th>Time</th>\n"
	      "<th>Kernel</th><th>Machine</th><th>Result</th><th>File</th></tr>\n",
	      f);
	json_array_foreach(r->runs, i, run) {
		bool ok = json_is_true(json_object_get(run, "ok"));

		fputs("<tr>", f);
		cell(f, NULL, json_str(run, "label", ""));
		cell(f, NULL, json_str(run, "command", ""));
		cell(f, NULL, json_str(run, "time", ""));
		cell(f, NULL, json_str(run, "kernel", ""));
		cell(f, NULL, json_str(run, "machine", ""));
		cell(f, ok ? "good" : "bad", ok ? "good" : json_str(run, "error", "failed"));
		cell(f, "dim", json_str(run, "file", ""));
		fputs("</tr>\n", f);
	}
	fputs("</table></div>\n", f);
}

/* --- comparison ------------------------------------------------------------------- */

static void write_change(FILE *f, const struct report *r, const json_t *one)
{
	const struct metric *m = report_metric(json_str(one, "metric", ""));
	const char *verdict = json_str(one, "verdict", "same");
	const json_t *change = json_object_get(one, "change");
	char *params = report_params_text(json_object_get(one, "params"), NULL);
	const char *class = !strcmp(verdict, "better") ? "good" : "dim";
	char buf[NUM_BUF];

	if (!strcmp(verdict, "regression"))
		class = "bad";
	fputs("<tr>", f);
	cell(f, NULL, label_of(r, one, "run"));
	cell(f, NULL, json_str(one, "kind", ""));
	cell(f, NULL, params);
	cell(f, NULL, m->title);
	metric_text(buf, m, json_double(one, "old", 0));
	cell(f, "n", buf);
	metric_text(buf, m, json_double(one, "new", 0));
	cell(f, "n", buf);
	if (json_is_null(change))
		snprintf(buf, sizeof(buf), "from 0");
	else
		snprintf(buf, sizeof(buf), "%+.1f %%", json_number_value(change) * 100);
	cell(f, "n", buf);
	cell(f, class, verdict);
	fputs("</tr>\n", f);
	free(params);
}

static void write_changes(FILE *f, const struct report *r, bool notable)
{
	const json_t *one;
	size_t i;

	fputs("<div class=\"scroll\"><table>\n"
	      "<tr><th>Run</th><th>Kind</th><th>Parameters</th><th>What</th>\n"
	      "<th class=\"n\">Before</th><th class=\"n\">Now</th><th class=\"n\">Change</th><th></th></tr>\n",
	      f);
	json_array_foreach(r->changes, i, one)
		if (!notable || strcmp(json_str(one, "verdict", ""), "same"))
			write_change(f, r, one);
	fputs("</table></div>\n", f);
}

static void write_comparison(FILE *f, const struct report *r, double part)
{
	if (!json_array_size(r->changes))
		return;
	fprintf(f,
		"<h2>Comparison</h2>\n<p>Each figure against that of the first run that has it.\n"
		"<span class=\"%s\">%zu regressions</span>, <span class=\"good\">%zu improvements</span> of more\n"
		"than %g&nbsp;%%, in %zu figures.</p>\n",
		r->regressions ? "bad" : "good", r->regressions, r->improvements, part * 100,
		json_array_size(r->changes));
	if (r->regressions || r->improvements)
		write_changes(f, r, true);
	fprintf(f, "<details><summary>All %zu figures</summary>\n", json_array_size(r->changes));
	write_changes(f, r, false);
	fputs("</details>\n", f);
}

/* --- plots ---------------------------------------------------------------------------- */

struct axis_choice {
	const char *key, *title;
	bool bytes;
};

static const struct axis_choice axes[] = {
	{ "size", "bytes of a transfer", true },
	{ "depth", "transfers in flight on a channel", false },
	{ "threads", "threads a channel", false },
	{ "channels", "channels", false },
	{ "batch", "transfers issued at once", false },
};

/* Whether there is something to plot over this parameter */
static bool varies(const struct report *r, const char *kind, const char *key)
{
	const json_t *point, *v, *first = NULL;
	size_t i;

	json_array_foreach(r->points, i, point) {
		v = json_object_get(json_object_get(point, "params"), key);
		if (strcmp(json_str(point, "kind", ""), kind) || !json_is_number(v))
			continue;
		if (first && !json_equal((json_t *)first, (json_t *)v))
			return true;
		first = v;
	}
	return false;
}

/* Parameters that are the same everywhere do not belong into every name */
static char *series_name(const struct report *r, const json_t *point, const char *x,
			 const char *suffix)
{
	json_t *params = json_copy(json_object_get(point, "params")), *v;
	const char *kind = json_str(point, "kind", ""), *key;
	char *text, *name;
	void *tmp;

	json_object_foreach_safe(params, tmp, key, v) {
		bool always = !strcmp(key, "target") || !strcmp(key, "size");

		if (json_is_number(v) ? !varies(r, kind, key) : !always)
			json_object_del(params, key);
	}
	text = report_params_text(params, x);
	name = xasprintf("%s%s%s%s", label_of(r, point, "run"), *text ? ": " : "", text, suffix);
	json_decref(params);
	free(text);
	return name;
}

static struct plot_series *series_for(struct plot *p, char *name, bool dashed, bool *full)
{
	for (size_t i = 0; i < p->n; i++) {
		if (!strcmp(p->series[i].name, name)) {
			free(name);
			return &p->series[i];
		}
	}
	if (p->n >= MAX_SERIES) {
		free(name);
		*full = true;
		return NULL;
	}
	return plot_add_series(p, name, p->n, dashed);
}

static void plot_metric(FILE *f, const struct report *r, const char *kind,
			const struct axis_choice *x, const struct metric *m)
{
	char *y_title = xasprintf("%s%s%s", m->title, *m->unit ? ", " : "", m->unit);
	char *title = xasprintf("%s over %s", m->title, x->title);
	struct plot p = {
		.title = title, .x_title = x->title, .y_title = y_title, .x_bytes = x->bytes
	};
	const json_t *point;
	bool full = false;
	size_t i;

	/* The CPU's memcpy() stands beside every throughput of dmatest */
	for (int cpu = 0; cpu < 1 + (!strcmp(kind, "dmatest") && !strcmp(m->key, "bytes_s"));
	     cpu++) {
		json_array_foreach(r->points, i, point) {
			const json_t *xv =
				json_object_get(json_object_get(point, "params"), x->key);
			const json_t *yv = json_object_get(json_object_get(point, "metrics"),
							   cpu ? "memcpy_bytes_s" : m->key);
			struct plot_series *s;

			if (strcmp(json_str(point, "kind", ""), kind) || !json_is_number(xv) ||
			    !json_is_number(yv) || !json_is_true(json_object_get(point, "good")))
				continue;
			s = series_for(&p,
				       series_name(r, point, x->key, cpu ? " (CPU memcpy)" : ""),
				       cpu, &full);
			if (s)
				plot_add(s, json_number_value(xv), json_number_value(yv));
		}
	}
	plot_write(f, &p);
	if (full)
		fprintf(f, TOO_MANY, MAX_SERIES);
	plot_free(&p);
	free(title);
	free(y_title);
}

static void write_plots(FILE *f, const struct report *r, const char *kind)
{
	static const char * const shown[] = {
		"bytes_s", "irqs_per_transfer", "instructions_per_transfer", "latency_p50_ns",
		"latency_p99_ns",
	};
	size_t plotted = 0;

	fputs("<div class=\"plots\">\n", f);
	for (size_t a = 0; a < ARRAY_SIZE(axes); a++) {
		/* With nothing to go over, sizes still show where things stand */
		if (!varies(r, kind, axes[a].key) && (a || plotted))
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
			plot_metric(f, r, kind, &axes[a], report_metric(shown[i]));
		plotted++;
	}
	fputs("</div>\n", f);
}

/* --- tables ------------------------------------------------------------------------------ */

static void write_table(FILE *f, const struct report *r, const char *kind)
{
	bool used[16] = { false };
	const json_t *point, *v;
	char buf[NUM_BUF];
	size_t i;

	json_array_foreach(r->points, i, point) {
		const json_t *metrics = json_object_get(point, "metrics");

		if (strcmp(json_str(point, "kind", ""), kind))
			continue;
		for (size_t m = 0; m < report_n_metrics; m++)
			if (json_object_get(metrics, report_metrics[m].key))
				used[m] = true;
	}
	fputs("<div class=\"scroll\"><table><tr><th>Run</th><th>Parameters</th>", f);
	for (size_t m = 0; m < report_n_metrics; m++)
		if (used[m])
			fprintf(f, "<th class=\"n\">%s</th>", report_metrics[m].title);
	fputs("<th>Result</th></tr>\n", f);
	json_array_foreach(r->points, i, point) {
		bool good = json_is_true(json_object_get(point, "good"));
		char *params;

		if (strcmp(json_str(point, "kind", ""), kind))
			continue;
		params = report_params_text(json_object_get(point, "params"), NULL);
		fputs("<tr>", f);
		cell(f, NULL, label_of(r, point, "run"));
		cell(f, NULL, params);
		for (size_t m = 0; m < report_n_metrics; m++) {
			if (!used[m])
				continue;
			v = json_object_get(json_object_get(point, "metrics"),
					    report_metrics[m].key);
			if (v)
				metric_text(buf, &report_metrics[m], json_number_value(v));
			cell(f, "n", v ? buf : "");
		}
		cell(f, good ? "good" : "bad", good ? "good" : "failed");
		fputs("</tr>\n", f);
		free(params);
	}
	fputs("</table></div>\n", f);
}

/* --- what was watched --------------------------------------------------------------------- */

static char *watch_name(const struct report *r, const json_t *one)
{
	return xasprintf("%s: %s", label_of(r, one, "run"), json_str(one, "engine", "?"));
}

static void plot_samples(FILE *f, const struct report *r, const struct metric *m)
{
	char *y_title = xasprintf("%s%s%s", m->title, *m->unit ? ", " : "", m->unit);
	char *title = xasprintf("%s over time", m->title);
	struct plot p = {
		.title = title, .x_title = "seconds", .y_title = y_title, .x_linear = true
	};
	const json_t *one, *y;
	struct plot_series *s;
	bool full = false;
	size_t i;

	json_array_foreach(r->samples, i, one) {
		y = json_object_get(one, m->key);
		s = json_is_number(y) ? series_for(&p, watch_name(r, one), false, &full) : NULL;
		if (s)
			plot_add(s, json_double(one, "t", 0), json_number_value(y));
	}
	plot_write(f, &p);
	if (full)
		fprintf(f, TOO_MANY, MAX_SERIES);
	plot_free(&p);
	free(title);
	free(y_title);
}

static void write_samples(FILE *f, const struct report *r)
{
	static const char * const shown[] = { "bytes_s", "transfers_s", "irqs_per_transfer" };

	fputs("<div class=\"plots\">\n", f);
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
		plot_samples(f, r, report_metric(shown[i]));
	fputs("</div>\n", f);
}

/* A lane for each engine of each run, also if nothing has happened there */
static void write_events(FILE *f, const struct report *r)
{
	struct timeline t = { .title = "Events over time" };
	const json_t *point;
	size_t i;

	json_array_foreach(r->points, i, point) {
		const json_t *run = json_array_get(r->runs, json_u64(point, "run"));

		if (strcmp(json_str(point, "kind", ""), "monitor"))
			continue;
		t.seconds = fmax(t.seconds, json_double(run, "seconds", 0));
		t.lanes = xrealloc(t.lanes, (t.n + 1) * sizeof(*t.lanes));
		t.lanes[t.n].run = json_object_get(point, "run");
		t.lanes[t.n].engine = json_str(point, "params.engine", "");
		t.lanes[t.n].name = xasprintf("%s: %s", label_of(r, point, "run"),
					      t.lanes[t.n].engine);
		t.n++;
	}
	timeline_write(f, &t, r->events);
	for (i = 0; i < t.n; i++)
		free(t.lanes[i].name);
	free(t.lanes);
}

static void write_kind(FILE *f, const struct report *r, const char *kind, const char *title,
		       void (*plots)(FILE *f, const struct report *r))
{
	const json_t *point;
	bool any = false;
	size_t i;

	json_array_foreach(r->points, i, point)
		any |= !strcmp(json_str(point, "kind", ""), kind);
	if (!any)
		return;
	fprintf(f, "<h2>%s</h2>\n", title);
	if (plots)
		plots(f, r);
	else
		write_plots(f, r, kind);
	write_table(f, r, kind);
}

void report_html(FILE *f, const struct report *r, const char *title, double part)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>", f);
	html_text(f, title);
	fprintf(f, "</title>\n<style>\n%s</style></head>\n<body>\n<h1>", style);
	html_text(f, title);
	fputs("</h1>\n", f);
	if (r->failures)
		fprintf(f,
			"<p class=\"bad\">%zu measurements failed; they are in the tables only.</p>\n",
			r->failures);
	write_runs(f, r);
	write_comparison(f, r, part);
	write_kind(f, r, "dmatest", "dmatest", NULL);
	write_kind(f, r, "bench", "Bench client", NULL);
	write_kind(f, r, "stats", "Rates", write_samples);
	write_kind(f, r, "monitor", "Events", write_events);
	fputs("</body></html>\n", f);
}
