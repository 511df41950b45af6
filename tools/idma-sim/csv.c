// SPDX-License-Identifier: GPL-2.0-only
/*
 * Comma-separated files with a line of names on top, read strictly.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "idma-test.h"

void csv_error(struct csv *c, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	/* What follows from the first error is no news */
	if (!c->bad)
		it_error("%s:%lu: %s", c->path, c->line, text);
	c->bad = true;
}

/* Cut a line at its commas; 0 if there are too many */
static size_t split(char *line, char **cells)
{
	size_t n = 0;
	char *cell;

	line[strcspn(line, "\r\n")] = '\0';
	while ((cell = strsep(&line, ","))) {
		if (n == CSV_COLUMNS)
			return 0;
		cells[n++] = cell;
	}
	return n;
}

/* A line with something in it */
static bool read_line(struct csv *c, char **line, size_t *size)
{
	ssize_t len;

	do {
		len = getline(line, size, c->f);
		if (len < 0) {
			if (ferror(c->f))
				csv_error(c, "cannot read on: %s", strerror(errno));
			return false;
		}
		c->line++;
	} while ((*line)[strspn(*line, " \t\r\n")] == '\0');
	if (memchr(*line, '\0', (size_t)len))
		csv_error(c, "this is no text: there is a zero byte in the line");
	else if (strchr(*line, '"'))
		csv_error(c, "quoted cells are not understood");
	return !c->bad;
}

int csv_open(struct csv *c, const char *path)
{
	memset(c, 0, sizeof(*c));
	c->path = path;
	c->f = fopen(path, "r");
	if (!c->f) {
		it_error("cannot read '%s': %s", path, strerror(errno));
		return IT_ENV;
	}
	if (!read_line(c, &c->head, &c->head_size)) {
		if (!c->bad)
			it_error("%s: it is empty", path);
		return IT_USAGE;
	}
	c->n = split(c->head, c->names);
	if (!c->n)
		csv_error(c, "more than %d columns", CSV_COLUMNS);
	for (size_t i = 0; i < c->n; i++) {
		if (!c->names[i][0])
			csv_error(c, "column %zu has no name", i + 1);
		for (size_t j = 0; j < i; j++)
			if (!strcmp(c->names[i], c->names[j]))
				csv_error(c, "there are two columns '%s'", c->names[i]);
	}
	return c->bad ? IT_USAGE : IT_OK;
}

void csv_close(struct csv *c)
{
	if (c->f)
		fclose(c->f);
	free(c->head);
	free(c->row);
	memset(c, 0, sizeof(*c));
}

bool csv_next(struct csv *c)
{
	size_t n;

	if (c->bad || !read_line(c, &c->row, &c->row_size))
		return false;
	n = split(c->row, c->cells);
	if (n != c->n) {
		csv_error(c, "%zu cells, but there are %zu columns", n, c->n);
		return false;
	}
	return true;
}

void csv_take(struct csv *c, struct csv_row *row)
{
	row->line = c->line;
	row->text = c->row;
	memcpy(row->cells, c->cells, sizeof(row->cells));
	c->row = NULL;
	c->row_size = 0;
}

void csv_show(struct csv *c, const struct csv_row *row)
{
	c->line = row->line;
	memcpy(c->cells, row->cells, sizeof(c->cells));
}

void csv_drop(struct csv_row *row)
{
	free(row->text);
	row->text = NULL;
}

const char *csv_text(const struct csv *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->names[i], name))
			return c->cells[i];
	return NULL;
}

bool csv_has(const struct csv *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->names[i], name))
			return true;
	return false;
}

int64_t csv_int(struct csv *c, const char *name, int64_t absent, int64_t min, int64_t max)
{
	const char *text = csv_text(c, name);
	const char *digits = text;
	bool hex;
	char *end;
	long long val;

	if (!text)
		return absent;
	digits += *digits == '-';
	hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
	errno = 0;
	val = strtoll(text, &end, hex ? 16 : 10);
	if (!isdigit((unsigned char)*digits) || *end || errno) {
		csv_error(c, "%s: '%s' is no whole number", name, text);
		return min;
	}
	if (val < min || val > max) {
		csv_error(c, "%s: %lld is out of range, %lld to %lld are possible", name, val,
			  (long long)min, (long long)max);
		return min;
	}
	return val;
}

double csv_real(struct csv *c, const char *name, double absent)
{
	const char *text = csv_text(c, name);
	char *end;
	double val;

	if (!text)
		return absent;
	val = strtod(text, &end);
	if (end == text || *end || !isfinite(val)) {
		csv_error(c, "%s: '%s' is no number", name, text);
		return 0;
	}
	return val;
}
