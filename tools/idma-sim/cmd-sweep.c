// SPDX-License-Identifier: GPL-2.0-only
/*
 * sweep: all combinations of what a file or preset says.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opts.h"
#include "out.h"
#include "sim.h"
#include "sweep.h"

static bool list_them, show_it;
static const char *csv_to, *plot_to;
static struct opt_strings sets;

static const struct opt opts[] = {
	{ "csv", 0, OPT_STRING, &csv_to, .arg = "FILE",
	  .help = "write the rows as CSV ('-': here)" },
	{ "plot", 0, OPT_STRING, &plot_to, .arg = "FILE", .help = "draw an SVG, by gnuplot" },
	{ "set", 0, OPT_STRINGS, &sets, .arg = "NAME=VALUE,...",
	  .help = "another value of a parameter that all runs share" },
	{ "list", 'l', OPT_FLAG, &list_them, .help = "list the presets" },
	{ "show", 0, OPT_FLAG, &show_it,
	  .help = "print the file or preset, to start a new one from" },
};

static const struct usage usage = {
	.command = "sweep",
	.args = "FILE|PRESET",
	.text =
		"Simulate all combinations of what a JSON file says, or a preset: a system that is\n"
		"described in public. 'idma-sim run --help' lists the parameters, for the host-memory\n"
		"experiment 'idma-sim hostmem --help'.",
	.opts = opts,
	.n = ARRAY_SIZE(opts),
	.max_args = 1,
	.examples = "  idma-sim sweep --list\n"
		    "  idma-sim sweep cheshire --plot cheshire.svg --csv cheshire.csv\n"
		    "  idma-sim sweep cheshire --set clock=100M,nax=4 -j\n"
		    "  idma-sim sweep cheshire --show >mine.json\n"
		    "  idma-sim sweep hostmem --set time=1s\n",
};

/* What follows the parameters that are gone through */
static const struct out_column results[] = {
	{ "cycles", "CYCLES", OUT_INT, NULL },
	{ "launch", "LAUNCH", OUT_INT, NULL },
	{ "backend_cycles", "BACK-END", OUT_INT, NULL },
	{ "period", "PERIOD", OUT_REAL, NULL },
	{ "util", "UTIL", OUT_REAL, NULL },
	{ "util_steady", "STEADY", OUT_REAL, NULL },
	{ "util_total", "TOTAL", OUT_REAL, NULL },
	{ "time_ns", "TIME", OUT_NS, NULL },
	{ "bytes_s", "THROUGHPUT", OUT_BYTERATE, NULL },
	{ "bytes_s_steady", "READING", OUT_BYTERATE, NULL },
	{ "flushes", "FLUSHES", OUT_INT, NULL },
	{ "failed", "FAILED", OUT_STR, NULL },
};

/* The same of the host-memory experiment */
static const struct out_column hostmem_results[] = {
	{ "rounds", "ROUNDS", OUT_INT, NULL },
	{ "least", "LEAST", OUT_INT, NULL },
	{ "most", "MOST", OUT_INT, NULL },
	{ "gb_s", "GB/S", OUT_REAL, NULL },
	{ "published_gb_s", "PUBLISHED", OUT_REAL, NULL },
	{ "failed", "FAILED", OUT_STR, NULL },
};

static const struct out_column *results_of(const struct sweep *s, size_t *n)
{
	*n = s->base.hostmem ? ARRAY_SIZE(hostmem_results) : ARRAY_SIZE(results);
	return s->base.hostmem ? hostmem_results : results;
}

static int list_presets(void)
{
	static const struct out_column cols[] = {
		{ "name", "NAME", OUT_STR, NULL },
		{ "runs", "RUNS", OUT_INT, NULL },
		{ "title", "TITLE", OUT_STR, NULL },
	};
	json_t *rows = json_array(), *doc;
	struct sweep s;
	int ret = IT_OK;

	for (size_t i = 0; i < preset_count; i++) {
		int one = sweep_load(&s, presets[i].name);

		if (!one)
			json_array_append_new(rows,
					      json_pack("{s:s, s:I, s:s, s:s}", "name",
							presets[i].name, "runs",
							(json_int_t)s.runs, "title", s.title,
							"about", s.about));
		ret = one > ret ? one : ret;
		sweep_free(&s);
	}
	out_table(cols, ARRAY_SIZE(cols), rows);
	doc = out_doc();
	json_object_set_new(doc, "presets", rows);
	return out_finish(doc, ret);
}

static void csv_value(FILE *f, const json_t *v)
{
	if (json_is_string(v))
		fputs(json_string_value(v), f);
	else if (json_is_integer(v))
		fprintf(f, "%lld", (long long)json_integer_value(v));
	else if (json_is_real(v))
		fprintf(f, "%.10g", json_real_value(v));
}

static int write_csv(const struct sweep *s, const json_t *rows)
{
	bool here = !strcmp(csv_to, "-");
	FILE *f = here ? stdout : fopen(csv_to, "w");
	const struct out_column *cols;
	const json_t *row;
	size_t i, n;
	bool lost;

	if (!f) {
		it_error("cannot write '%s': %s", csv_to, strerror(errno));
		return IT_ENV;
	}
	cols = results_of(s, &n);
	for (size_t a = 0; a < s->axes; a++)
		fprintf(f, "%s,", s->axis[a].name);
	for (size_t c = 0; c < n; c++)
		fprintf(f, "%s%s", c ? "," : "", cols[c].key);
	fputc('\n', f);
	json_array_foreach((json_t *)rows, i, row) {
		for (size_t a = 0; a < s->axes; a++) {
			csv_value(f, json_object_get(row, s->axis[a].name));
			fputc(',', f);
		}
		for (size_t c = 0; c < n; c++) {
			if (c)
				fputc(',', f);
			csv_value(f, json_object_get(row, cols[c].key));
		}
		fputc('\n', f);
	}
	lost = fflush(f) || ferror(f);
	if (!here)
		lost |= fclose(f) != 0;
	if (lost) {
		it_error("cannot write '%s': %s", csv_to, strerror(errno));
		return IT_ENV;
	}
	return IT_OK;
}

static void show_table(const struct sweep *s, const json_t *rows)
{
	struct out_column cols[SWEEP_AXES + ARRAY_SIZE(results)];
	const struct out_column *of;
	size_t n = 0, m;

	for (size_t a = 0; a < s->axes; a++)
		cols[n++] = (struct out_column) { s->axis[a].name, s->axis[a].name,
						  strcmp(s->axis[a].name, "len") &&
						  strcmp(s->axis[a].name, "size") ? OUT_INT :
						  OUT_BYTES, NULL };
	for (size_t a = 0; a < s->axes; a++)
		if (json_is_string(json_object_get(json_array_get(rows, 0), s->axis[a].name)))
			cols[a].kind = OUT_STR;
	of = results_of(s, &m);
	for (size_t c = 0; c < m; c++)
		cols[n++] = of[c];
	out_table(cols, n, rows);
}

static int set_others(struct sweep *s)
{
	for (size_t i = 0; i < sets.n; i++) {
		char *val = strchr(sets.v[i], '=');

		if (!val) {
			it_error("--set: '%s' is not NAME=VALUE", sets.v[i]);
			return IT_USAGE;
		}
		*val++ = '\0';
		for (size_t a = 0; a < s->axes; a++) {
			if (!strcmp(s->axis[a].name, sets.v[i])) {
				it_error("--set: %s is what %s goes through", sets.v[i], s->path);
				return IT_USAGE;
			}
		}
		if (!sweep_set(&s->base, "--set: ", sets.v[i], val))
			return IT_USAGE;
	}
	return IT_OK;
}

/* All combinations are possible? What is wrong is said with the run it is wrong in */
static int check(const struct sweep *s)
{
	struct sweep_point point;
	int ret = IT_OK;

	for (size_t i = 0; i < s->runs && !ret; i++) {
		json_t *row = json_object();
		char *where, *of;

		sweep_point(s, i, &point, row);
		of = json_dumps(row, JSON_COMPACT);
		where = xasprintf("%s: %s: ", s->path, of);
		if (!sweep_check(&point, where))
			ret = IT_USAGE;
		free(where);
		free(of);
		json_decref(row);
	}
	return ret;
}

static int run_all(const struct sweep *s, json_t *rows)
{
	struct rig *rig = rig_new();
	struct sweep_point point;
	int status = IT_OK;

	for (size_t i = 0; i < s->runs && !it_stop; i++) {
		json_t *row = json_object(), *got;
		int one = IT_OK;

		progress_show((double)i / (double)s->runs, "%s: %zu of %zu runs", s->path, i,
			      s->runs);
		sweep_point(s, i, &point, row);
		got = sweep_run(&point, rig, &one);
		json_object_update_missing(row, got);
		json_decref(got);
		json_array_append_new(rows, row);
		if (one) {
			it_error("run %zu: %s", i + 1, json_str(row, "failed", "failed"));
			status = one;
		}
	}
	progress_clear();
	rig_free(rig);
	return status;
}

static int sweep(struct sweep *s)
{
	json_t *rows = json_array(), *doc = out_doc();
	int status = IT_OK, ret;

	if (plot_to && !s->has_plot)
		it_error("%s: plot: it does not say what to plot", s->path);
	if (plot_to && !s->has_plot)
		status = IT_USAGE;
	else if (plot_to)
		status = plot_possible();
	if (!status)
		status = check(s);
	if (!status) {
		catch_signals();
		status = run_all(s, rows);
		if (!csv_to || strcmp(csv_to, "-"))
			show_table(s, rows);
		ret = csv_to && !it_stop ? write_csv(s, rows) : IT_OK;
		status = status ? status : ret;
		ret = plot_to && !it_stop ? plot_svg(&s->plot, rows, plot_to) : IT_OK;
		status = status ? status : ret;
	}
	json_object_set_new(doc, "sweep", json_pack("{s:s, s:s, s:s}", "name", s->path, "title",
						    s->title, "about", s->about));
	json_object_set_new(doc, "rows", rows);
	return out_finish(doc, status);
}

int cmd_sweep(int argc, char **argv)
{
	int at = opts_parse(&usage, argc, argv), status;
	struct sweep s;

	if (at < 0)
		return OPTS_EXIT(at);
	if (list_them)
		return list_presets();
	if (at == argc) {
		it_error("which file or preset?");
		it_hint("'idma-sim sweep --list' lists the presets");
		return out_finish(NULL, IT_USAGE);
	}
	status = sweep_load(&s, argv[at]);
	if (!status)
		status = set_others(&s);
	if (status)
		status = out_finish(NULL, status);
	else if (show_it)
		status = json_dumpf(s.doc, stdout, JSON_INDENT(2)) || putchar('\n') == EOF;
	else
		status = sweep(&s);
	sweep_free(&s);
	opt_strings_free(&sets);
	return status;
}
