// SPDX-License-Identifier: GPL-2.0-only
/*
 * published: the report, as JSON, Markdown and plots.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "opts.h"
#include "out.h"
#include "plot.h"
#include "pub.h"
#include "sim.h"

static const char *dir, *golden;
static bool no_plots;
static struct opt_strings only;

static const struct opt opts[] = {
	{ "dir", 'd', OPT_STRING, &dir, .arg = "DIR",
	  .help = "where the report goes, default build/report; made if need be" },
	{ "only", 0, OPT_STRINGS, &only, .arg = "PART",
	  .help = "only: utilisation, pulp-open, mempool, controlpulp, readers, hyperlink" },
	{ "golden", 'g', OPT_STRING, &golden, .arg = "DIR",
	  .help = "rows measured on the RTL, default those beside the engine's tests" },
	{ "no-plots", 0, OPT_FLAG, &no_plots, .help = "write no SVG files; gnuplot is not needed" },
};

static const struct usage usage = {
	.command = "published",
	.text =
		"Run the model for what others have published of iDMA systems, and write\n"
		"published.json, published.md and SVG plots. Figures of others are data with their\n"
		"source; the model's come from this run, which takes some seconds and gives the same\n"
		"each time. A difference is no failure: the report says why.",
	.opts = opts,
	.n = ARRAY_SIZE(opts),
	.examples = "  idma-sim published\n"
		    "  idma-sim published --only mempool -d /tmp/report\n",
};

static const struct {
	const char *name;
	int (*run)(struct pub *p);
} parts[] = {
	{ "utilisation", pub_utilisation },
	{ "pulp-open", pub_pulp_open },
	{ "mempool", pub_mempool },
	{ "controlpulp", pub_controlpulp },
	{ "readers", pub_readers },
	{ "hyperlink", pub_hyperlink },
};

/*
 * Collecting
 */

/* Texts come in lines, and are one each */
static json_t *one_line(const char *text)
{
	char *copy = xstrdup(text);
	json_t *o;

	for (char *c = copy; *c; c++)
		if (*c == '\n')
			*c = ' ';
	o = json_string(copy);
	free(copy);
	return o;
}

void pub_section(struct pub *p, const char *id, const char *title, const char *source,
		 const char *text)
{
	p->now = json_pack("{s:s, s:s, s:o, s:o, s:[], s:[], s:[], s:[]}", "id", id, "title",
			   title, "source", one_line(source), "text", one_line(text), "figures",
			   "tables", "plots", "notes");
	json_array_append_new(p->sections, p->now);
}

/* What is shown is what is kept: six digits say more than any of these figures can */
static json_t *number(double v)
{
	char text[32];

	if (isnan(v))
		return json_null();
	if (v == floor(v) && fabs(v) < 1e15)
		return json_integer((json_int_t)v);
	snprintf(text, sizeof(text), "%.6g", v);
	return json_real(strtod(text, NULL));
}

static void figure(struct pub *p, const char *id, const char *what, const char *unit,
		   json_t *published, double model, enum pub_kind kind, const char *why,
		   va_list ap)
{
	static const char *const kinds[] = { "predicted", "input", "bound" };
	char text[1024];
	json_t *o;

	vsnprintf(text, sizeof(text), why, ap);
	o = json_pack("{s:s, s:s, s:s, s:O, s:o, s:s, s:o}", "id", id, "what", what, "unit",
		      unit, "published", published, "model", number(model), "kind", kinds[kind],
		      "why", one_line(text));
	if (json_is_number(published)) {
		double d = model - json_number_value(published);

		json_object_set_new(o, "difference", number(d));
		json_object_set_new(o, "difference_percent",
				    number(100 * d / json_number_value(published)));
	}
	json_decref(published);
	json_array_append_new(json_object_get(p->now, "figures"), o);
}

void pub_figure(struct pub *p, const char *id, const char *what, const char *unit,
		double published, double model, enum pub_kind kind, const char *why, ...)
{
	va_list ap;

	va_start(ap, why);
	figure(p, id, what, unit, number(published), model, kind, why, ap);
	va_end(ap);
}

void pub_words(struct pub *p, const char *id, const char *what, const char *unit,
	       const char *published, double model, enum pub_kind kind, const char *why, ...)
{
	va_list ap;

	va_start(ap, why);
	figure(p, id, what, unit, json_string(published), model, kind, why, ap);
	va_end(ap);
}

void pub_note(struct pub *p, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	json_array_append_new(json_object_get(p->now, "notes"), one_line(text));
}

json_t *pub_table(struct pub *p, const char *id, const char *title, const char *columns)
{
	json_t *cols = json_array(), *t;
	char *text = xstrdup(columns), *rest = text, *col;

	while ((col = strsep(&rest, "|")))
		json_array_append_new(cols, one_line(col + strspn(col, "\n")));
	free(text);
	t = json_pack("{s:s, s:o, s:o, s:[]}", "id", id, "title", one_line(title), "columns", cols,
		      "rows");
	json_array_append_new(json_object_get(p->now, "tables"), t);
	return t;
}

void pub_cells(json_t *table, const double *cells, size_t n)
{
	json_t *row = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(row, number(cells[i]));
	json_array_append_new(json_object_get(table, "rows"), row);
}

json_t *pub_plot(struct pub *p, const char *id, const char *title, const char *x_label,
		 const char *y_label, bool log_x)
{
	json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:b, s:[]}", "id", id, "title", title,
			      "x_label", x_label, "y_label", y_label, "log_x", log_x, "points");

	json_array_append_new(json_object_get(p->now, "plots"), o);
	return o;
}

void pub_point(json_t *plot, const char *curve, double x, double y)
{
	json_array_append_new(json_object_get(plot, "points"),
			      json_pack("{s:s, s:o, s:o}", "curve", curve, "x", number(x), "y",
					number(y)));
}

/*
 * Writing
 */

static FILE *create(const char *name, char **path)
{
	FILE *f;

	*path = xasprintf("%s/%s", dir, name);
	f = fopen(*path, "w");
	if (!f)
		it_error("cannot write '%s': %s", *path, strerror(errno));
	return f;
}

static int close_file(FILE *f, char *path)
{
	int ret = IT_OK;

	if (ferror(f) | fclose(f)) {
		it_error("cannot write '%s': %s", path, strerror(errno));
		ret = IT_ENV;
	}
	free(path);
	return ret;
}

static void show(FILE *f, const json_t *v)
{
	if (json_is_string(v))
		fputs(json_string_value(v), f);
	else if (json_is_number(v))
		fprintf(f, "%.5g", json_number_value(v));
}

/* Whole numbers are shown whole */
static void show_value(FILE *f, const json_t *v)
{
	if (json_is_integer(v))
		fprintf(f, "%lld", (long long)json_integer_value(v));
	else
		show(f, v);
}

static void show_figures(FILE *f, const json_t *figures)
{
	const json_t *o;
	size_t i;

	if (!json_array_size(figures))
		return;
	fputs("| figure | unit | published | model | difference | |\n|---|---|---|---|---|---|\n",
	      f);
	json_array_foreach((json_t *)figures, i, o) {
		const json_t *diff = json_object_get(o, "difference");

		fprintf(f, "| %s | %s | ", json_str(o, "what", ""), json_str(o, "unit", ""));
		show_value(f, json_object_get(o, "published"));
		fputs(" | ", f);
		show_value(f, json_object_get(o, "model"));
		if (diff)
			fprintf(f, " | %+.5g (%+.1f %%)", json_number_value(diff),
				json_double(o, "difference_percent", 0));
		else
			fputs(" | ", f);
		fprintf(f, " | %s |\n", json_str(o, "kind", ""));
	}
	fputc('\n', f);
	json_array_foreach((json_t *)figures, i, o)
		fprintf(f, "- %s: %s\n", json_str(o, "what", ""), json_str(o, "why", ""));
	fputc('\n', f);
}

static void show_tables(FILE *f, const json_t *tables)
{
	const json_t *t, *row, *v;
	size_t i, j, k;

	json_array_foreach((json_t *)tables, i, t) {
		const json_t *cols = json_object_get(t, "columns");

		fprintf(f, "%s\n\n|", json_str(t, "title", ""));
		json_array_foreach((json_t *)cols, j, v)
			fprintf(f, " %s |", json_string_value(v));
		fputs("\n|", f);
		for (j = 0; j < json_array_size(cols); j++)
			fputs("---|", f);
		fputc('\n', f);
		json_array_foreach(json_object_get(t, "rows"), j, row) {
			fputc('|', f);
			json_array_foreach((json_t *)row, k, v) {
				fputc(' ', f);
				show_value(f, v);
				fputs(" |", f);
			}
			fputc('\n', f);
		}
		fputc('\n', f);
	}
}

static int write_text(const json_t *doc)
{
	const json_t *s, *o;
	size_t i, j;
	char *path;
	FILE *f = create("published.md", &path);

	if (!f) {
		free(path);
		return IT_ENV;
	}
	fputs("# Published figures and the model's\n\n"
	      "Made by `idma-sim published`. Kinds: *predicted* figures follow from the model's\n"
	      "mechanisms and from other figures; *input* are parameters of the model, or follow from\n"
	      "them by arithmetic, so that agreement says nothing; *bound* are limits.\n", f);
	json_array_foreach(json_object_get(doc, "sections"), i, s) {
		fprintf(f, "\n## %s\n\n%s\n\nSource: %s\n\n", json_str(s, "title", ""),
			json_str(s, "text", ""), json_str(s, "source", ""));
		show_figures(f, json_object_get(s, "figures"));
		show_tables(f, json_object_get(s, "tables"));
		json_array_foreach(json_object_get(s, "plots"), j, o)
			if (!no_plots)
				fprintf(f, "![%s](published-%s.svg)\n\n", json_str(o, "title", ""),
					json_str(o, "id", ""));
		json_array_foreach(json_object_get(s, "notes"), j, o)
			fprintf(f, "%s\n\n", json_string_value(o));
	}
	return close_file(f, path);
}

static int write_json(const json_t *doc)
{
	char *path;
	FILE *f = create("published.json", &path);

	if (!f) {
		free(path);
		return IT_ENV;
	}
	json_dumpf(doc, f, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
	fputc('\n', f);
	return close_file(f, path);
}

static int write_plots(const json_t *doc)
{
	json_t *series = json_pack("[s]", "curve");
	const json_t *s, *o;
	int ret = IT_OK;
	size_t i, j;

	json_array_foreach(json_object_get(doc, "sections"), i, s)
		json_array_foreach(json_object_get(s, "plots"), j, o) {
			struct plot plot = {
				.title = json_str(o, "title", ""),
				.x = "x", .y = "y", .series = series,
				.x_label = json_str(o, "x_label", ""),
				.y_label = json_str(o, "y_label", ""),
				.log_x = json_is_true(json_object_get(o, "log_x")),
				.bare = true, .points = "published",
			};
			char *path = xasprintf("%s/published-%s.svg", dir, json_str(o, "id", ""));

			if (!ret)
				ret = plot_svg(&plot, json_object_get(o, "points"), path);
			free(path);
		}
	json_decref(series);
	return ret;
}

/* mkdir -p */
static int make_dir(void)
{
	char *path = xstrdup(dir);
	int ret = IT_OK;

	for (char *p = path + 1; !ret; p++) {
		char c = *p;

		if (c && c != '/')
			continue;
		*p = 0;
		if (mkdir(path, 0777) && errno != EEXIST) {
			it_error("cannot make '%s': %s", path, strerror(errno));
			ret = IT_ENV;
		}
		*p = c;
		if (!c)
			break;
	}
	free(path);
	return ret;
}

/* Beside the engine, which is two folders up from a program that was built in place */
static char *find_golden(void)
{
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	for (int up = 0; n > 0 && up < 5; up++) {
		char *path;

		while (n > 0 && exe[n - 1] != '/')
			n--;
		if (n <= 0)
			break;
		exe[--n] = 0;
		path = xasprintf("%s/qemu-device/engine/test/golden", exe);
		if (!access(path, R_OK))
			return path;
		free(path);
	}
	return NULL;
}

static bool wanted(const char *name)
{
	for (size_t i = 0; i < only.n; i++)
		if (!strcmp(only.v[i], name))
			return true;
	return !only.n;
}

static int check_parts(void)
{
	for (size_t i = 0; i < only.n; i++) {
		bool known = false;

		for (size_t j = 0; j < ARRAY_SIZE(parts); j++)
			known |= !strcmp(only.v[i], parts[j].name);
		if (!known) {
			it_error("--only: there is no part '%s'", only.v[i]);
			it_hint("'idma-sim published --help' lists them");
			return IT_USAGE;
		}
	}
	return IT_OK;
}

static const struct out_column cols[] = {
	{ "what", "FIGURE", OUT_STR, NULL },
	{ "unit", "UNIT", OUT_STR, NULL },
	{ "published", "PUBLISHED", OUT_REAL, NULL },
	{ "model", "MODEL", OUT_REAL, NULL },
	{ "difference_percent", "DIFFERENCE %", OUT_REAL, NULL },
	{ "kind", "KIND", OUT_STR, NULL },
};

static void show_table(const json_t *doc)
{
	const json_t *s, *o;
	json_t *rows;
	size_t i, j;

	json_array_foreach(json_object_get(doc, "sections"), i, s) {
		rows = json_array();
		json_array_foreach(json_object_get(s, "figures"), j, o)
			json_array_append(rows, (json_t *)o);
		out_heading("%s", json_str(s, "title", ""));
		out_table(cols, ARRAY_SIZE(cols), rows);
		json_decref(rows);
	}
	out_text("\nReport: %s/published.md", dir);
}

static int make_report(json_t *report)
{
	struct pub p = { .golden = golden, .sections = json_array() };
	int ret = IT_OK;

	json_object_set_new(report, "sections", p.sections);
	for (size_t i = 0; i < ARRAY_SIZE(parts) && !ret && !it_stop; i++) {
		if (!wanted(parts[i].name))
			continue;
		progress_show((double)i / ARRAY_SIZE(parts), "%s", parts[i].name);
		ret = parts[i].run(&p);
	}
	progress_clear();
	if (ret || it_stop)
		return ret;
	ret = make_dir();
	if (!ret)
		ret = write_json(report);
	if (!ret)
		ret = write_text(report);
	if (!ret && !no_plots)
		ret = write_plots(report);
	return ret;
}

int cmd_published(int argc, char **argv)
{
	int at = opts_parse(&usage, argc, argv), ret;
	json_t *doc = NULL, *report;
	char *found = NULL;

	if (at < 0)
		return OPTS_EXIT(at);
	if (!dir)
		dir = "build/report";
	ret = check_parts();
	if (!ret && !no_plots)
		ret = plot_possible();
	if (!ret && !golden && wanted("utilisation")) {
		found = find_golden();
		golden = found;
		if (!golden) {
			it_error("there are no rows measured on the RTL beside this program");
			it_hint("name their directory with --golden");
			ret = IT_ENV;
		}
	}
	if (!ret) {
		catch_signals();
		report = json_pack("{s:s}", "report", "published");
		ret = make_report(report);
		if (!ret && !it_stop) {
			show_table(report);
			doc = out_doc();
			json_object_set(doc, "sections", json_object_get(report, "sections"));
		}
		json_decref(report);
	}
	free(found);
	opt_strings_free(&only);
	return out_finish(doc, ret);
}
