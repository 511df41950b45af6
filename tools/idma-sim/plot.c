// SPDX-License-Identifier: GPL-2.0-only
/*
 * Plots, by gnuplot.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "idma-test.h"
#include "out.h"
#include "plot.h"

#define CURVES	64

int plot_possible(void)
{
	const char *path = getenv("PATH");
	char *dirs = xstrdup(path ? path : "/usr/bin:/bin"), *p = dirs, *dir, *file;
	bool found = false;

	while (!found && (dir = strsep(&p, ":"))) {
		file = xasprintf("%s/gnuplot", *dir ? dir : ".");
		found = !access(file, X_OK);
		free(file);
	}
	free(dirs);
	if (found)
		return IT_OK;
	it_error("plots need gnuplot, which is not here");
	it_hint("install it (Debian: gnuplot-nox), or use --csv and plot with what you have");
	return IT_ENV;
}

/* For a string in double quotes: gnuplot knows escapes there */
static void quoted(FILE *f, const char *text)
{
	fputc('"', f);
	for (; *text; text++) {
		if (strchr("\"\\`$@", *text))
			fputc('\\', f);
		fputc(*text == '\n' ? ' ' : *text, f);
	}
	fputc('"', f);
}

/* "latency 13, nspec 4" */
static char *curve_name(const struct plot *p, const json_t *row)
{
	char *name = xstrdup(""), *more, *val;
	const json_t *key, *v;
	size_t i;

	json_array_foreach((json_t *)p->series, i, key) {
		v = json_object_get(row, json_string_value(key));
		if (json_is_string(v))
			val = xstrdup(json_string_value(v));
		else if (json_is_number(v))
			val = xasprintf("%.10g", json_number_value(v));
		else
			val = xstrdup("-");
		more = p->bare ? xasprintf("%s%s%s", name, i ? ", " : "", val) :
				 xasprintf("%s%s%s %s", name, i ? ", " : "",
					   json_string_value(key), val);
		free(val);
		free(name);
		name = more;
	}
	return name;
}

/* The rows of each curve as a data block; returns how many curves there are */
static size_t write_data(FILE *f, const struct plot *p, const json_t *rows, char **names)
{
	size_t n = 0, i, j;
	const json_t *row;
	char *name;

	json_array_foreach((json_t *)rows, i, row) {
		name = curve_name(p, row);
		for (j = 0; j < n && strcmp(names[j], name); j++)
			;
		if (j == n && n < CURVES)
			names[n++] = name;
		else
			free(name);
	}
	for (j = 0; j < n; j++) {
		fprintf(f, "$d%zu << EOD\n", j);
		json_array_foreach((json_t *)rows, i, row) {
			double x = json_double(row, p->x, -1), y = json_double(row, p->y, -1);

			name = curve_name(p, row);
			if (!strcmp(name, names[j]) && x >= 0 && y >= 0)
				fprintf(f, "%.10g %.10g\n", x, y);
			free(name);
		}
		fputs("EOD\n", f);
	}
	return n;
}

int plot_svg(const struct plot *p, const json_t *rows, const char *path)
{
	char *names[CURVES];
	size_t n;
	FILE *f;
	int ret = plot_possible();

	if (ret)
		return ret;
	/* gnuplot goes on when it cannot write */
	f = fopen(path, "w");
	if (!f || fclose(f)) {
		it_error("cannot write '%s': %s", path, strerror(errno));
		return IT_ENV;
	}
	fflush(NULL);
	f = popen("gnuplot -", "w");
	if (!f) {
		it_error("cannot start gnuplot: %s", strerror(errno));
		return IT_ENV;
	}
	n = write_data(f, p, rows, names);
	fputs("set terminal svg size 800,500 dynamic noenhanced font 'sans,12'\nset output ", f);
	quoted(f, path);
	fputs("\nset title ", f);
	quoted(f, p->title ? p->title : "");
	fputs("\nset xlabel ", f);
	quoted(f, p->x_label ? p->x_label : p->x);
	fputs("\nset ylabel ", f);
	quoted(f, p->y_label ? p->y_label : p->y);
	fprintf(f, "\nset grid\nset key outside right\nset yrange [0:*]\n%s%s",
		p->log_x ? "set logscale x 2\n" : "",
		p->log_y ? "set yrange [*:*]\nset logscale y\n" : "");
	for (size_t j = 0; j < n; j++) {
		bool points = p->points && !strncmp(names[j], p->points, strlen(p->points));

		fprintf(f, "%s$d%zu using 1:2 with %s title ", j ? ", " : "plot ", j,
			points ? "points pointtype 7" : "linespoints");
		quoted(f, names[j]);
		free(names[j]);
	}
	fputs("\nset output\n", f);
	ret = pclose(f);
	if (ret) {
		it_error("gnuplot could not draw '%s'", path);
		return IT_ENV;
	}
	return IT_OK;
}
