// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables on a terminal, plain lines in a pipe.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "out.h"

const json_t *out_lookup(const json_t *obj, const char *path)
{
	char key[64];
	const char *dot;

	while (obj) {
		dot = strchr(path, '.');
		if (!dot)
			return json_object_get(obj, path);
		snprintf(key, sizeof(key), "%.*s", (int)(dot - path), path);
		obj = json_object_get(obj, key);
		path = dot + 1;
	}
	return NULL;
}

double json_double(const json_t *obj, const char *path, double absent)
{
	const json_t *v = out_lookup(obj, path);

	return json_is_number(v) ? json_number_value(v) : absent;
}

uint64_t json_u64(const json_t *obj, const char *path)
{
	return (uint64_t)json_integer_value(out_lookup(obj, path));
}

const char *json_str(const json_t *obj, const char *path, const char *absent)
{
	const char *s = json_string_value(out_lookup(obj, path));

	return s ? s : absent;
}

/* Names come from device trees and files: nothing of them may drive a terminal */
static char *printable(const char *s)
{
	char *p = xstrdup(s);

	for (char *c = p; *c; c++)
		if (iscntrl((unsigned char)*c))
			*c = '?';
	return p;
}

static char *list_text(const json_t *v, const char *sep)
{
	char *text = xstrdup(""), *more;
	const json_t *item;
	size_t i;

	json_array_foreach(v, i, item) {
		char *raw = json_is_string(item) ? xstrdup(json_string_value(item)) :
						   json_dumps(item, JSON_ENCODE_ANY);

		more = xasprintf("%s%s%s", text, i ? sep : "", raw ? raw : "");
		free(raw);
		free(text);
		text = more;
	}
	return text;
}

/* As it is, for programs */
static char *raw_text(const json_t *v)
{
	char *text, *quoted, *q;

	switch (json_typeof(v)) {
	case JSON_STRING:
		text = printable(json_string_value(v));
		break;
	case JSON_ARRAY:
		text = list_text(v, ",");
		break;
	case JSON_REAL:
		return xasprintf("%.6g", json_real_value(v));
	default:
		text = json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT);
		return text ? text : xstrdup("");
	}
	if (*text && !strpbrk(text, " \t\"'=\\"))
		return text;
	quoted = xalloc(2 * strlen(text) + 3);
	q = quoted;
	*q++ = '"';
	for (const char *c = text; *c; c++) {
		if (*c == '"' || *c == '\\')
			*q++ = '\\';
		*q++ = *c;
	}
	*q = '"';
	free(text);
	return quoted;
}

/* For people */
static char *cell_text(const struct out_column *col, const json_t *v)
{
	double d = json_number_value(v);
	char buf[NUM_BUF];

	if (!v || json_is_null(v))
		return xstrdup("-");
	if (json_is_array(v))
		return list_text(v, ", ");
	if (json_is_string(v))
		return printable(json_string_value(v));
	if (json_is_boolean(v))
		return xstrdup(json_is_true(v) ? "yes" : "no");
	switch (col->kind) {
	case OUT_BYTES:
		return xstrdup(num_bytes(buf, d));
	case OUT_BYTERATE:
		return xstrdup(num_si(buf, d, "B/s"));
	case OUT_RATE:
		return xstrdup(num_si(buf, d, "/s"));
	case OUT_NS:
		return xstrdup(num_ns(buf, d));
	case OUT_HEX:
		return xasprintf("%#llx", (unsigned long long)json_integer_value(v));
	case OUT_INT:
		return xasprintf("%" JSON_INTEGER_FORMAT, json_is_integer(v) ?
				 json_integer_value(v) : (json_int_t)(d + 0.5));
	default:
		if (json_is_integer(v))
			return xasprintf("%" JSON_INTEGER_FORMAT, json_integer_value(v));
		return xasprintf(d >= 1000 ? "%.0f" : d >= 10 ? "%.1f" : "%.3f", d);
	}
}

/* 0 to 3: no colour, green, yellow, red */
static int state_color(const char *text)
{
	static const char * const words[][11] = {
		{ "idle", "up", "good", "ok", "done", "passed", "recovered", "better", "running",
		  "free" },
		{ "busy", "resetting", "pending", "stopped", "skipped", "in use", "partial" },
		{ "dead", "down", "link-down", "revoked", "gone", "failed", "timeout",
		  "regression", "data error" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		for (size_t j = 0; j < ARRAY_SIZE(words[i]) && words[i][j]; j++)
			if (!strcmp(text, words[i][j]))
				return (int)i + 1;
	return 0;
}

static void cell_print(const struct out_column *col, const char *text, int width)
{
	static const char * const color[] = { "", "\033[32m", "\033[33m", "\033[31m" };
	bool left = col->kind == OUT_STR || col->kind == OUT_STATE;
	int c = out.color && col->kind == OUT_STATE ? state_color(text) : 0;
	int pad = width > (int)strlen(text) ? width - (int)strlen(text) : 0;

	printf("%*s%s%s%s", left ? 0 : pad, "", color[c], text, c ? "\033[0m" : "");
	if (left)
		printf("%*s", pad, "");
}

static void plain_row(const struct out_column *cols, size_t n, const json_t *row)
{
	bool first = true;

	for (size_t i = 0; i < n; i++) {
		const json_t *v = out_lookup(row, cols[i].key);
		char *text;

		if (!v || json_is_null(v))
			continue;
		text = raw_text(v);
		printf("%s%s=%s", first ? "" : " ", cols[i].plain ? cols[i].plain : cols[i].key,
		       text);
		free(text);
		first = false;
	}
	putchar('\n');
}

static void header_row(const struct out_column *cols, size_t n, const int *width)
{
	for (size_t i = 0, shown = 0; i < n; i++) {
		bool left = cols[i].kind == OUT_STR || cols[i].kind == OUT_STATE;

		if (!width[i])
			continue;
		printf("%s%s%*s%s", shown++ ? "  " : "", out.color ? "\033[1m" : "",
		       left ? -width[i] : width[i], cols[i].title, out.color ? "\033[0m" : "");
	}
	putchar('\n');
}

static void text_row(const struct out_column *cols, size_t n, const int *width, const json_t *row)
{
	for (size_t i = 0, shown = 0; i < n; i++) {
		char *text;

		if (!width[i])
			continue;
		text = cell_text(&cols[i], out_lookup(row, cols[i].key));
		printf("%s", shown++ ? "  " : "");
		cell_print(&cols[i], text, width[i]);
		free(text);
	}
	putchar('\n');
}

/* What one row needs, where that is more than there is */
static void widen(const struct out_column *cols, size_t n, const json_t *row, int *width)
{
	for (size_t i = 0; i < n; i++) {
		const json_t *v = out_lookup(row, cols[i].key);
		char *text;

		if (!v || json_is_null(v))
			continue;
		text = cell_text(&cols[i], v);
		if ((int)strlen(text) > width[i])
			width[i] = (int)strlen(text);
		free(text);
	}
}

void out_table(const struct out_column *cols, size_t n, const json_t *rows)
{
	const json_t *row;
	int *width;
	size_t r;

	if (out.json)
		return;
	if (!out.tty) {
		json_array_foreach(rows, r, row)
			plain_row(cols, n, row);
		return;
	}
	width = xalloc(n * sizeof(*width));
	json_array_foreach(rows, r, row)
		widen(cols, n, row, width);
	for (size_t i = 0; i < n; i++)
		if (width[i] && width[i] < (int)strlen(cols[i].title))
			width[i] = (int)strlen(cols[i].title);
	header_row(cols, n, width);
	json_array_foreach(rows, r, row)
		text_row(cols, n, width, row);
	free(width);
}

void out_row(const struct out_column *cols, size_t n, const json_t *row, bool header)
{
	/* Rows of one table are shown one after the other */
	static int width[32];

	if (out.json)
		return;
	if (!out.tty) {
		plain_row(cols, n, row);
		return;
	}
	if (n > ARRAY_SIZE(width))
		n = ARRAY_SIZE(width);
	if (header) {
		/* What comes later is not known: room for any number */
		for (size_t i = 0; i < n; i++) {
			width[i] = (int)strlen(cols[i].title);
			if (width[i] < 10)
				width[i] = 10;
		}
	}
	widen(cols, n, row, width);
	if (header)
		header_row(cols, n, width);
	text_row(cols, n, width, row);
}

void out_object(const struct out_column *cols, size_t n, const json_t *obj)
{
	int width = 0;

	if (out.json)
		return;
	if (!out.tty) {
		plain_row(cols, n, obj);
		return;
	}
	for (size_t i = 0; i < n; i++)
		if ((int)strlen(cols[i].title) > width)
			width = (int)strlen(cols[i].title);
	for (size_t i = 0; i < n; i++) {
		const json_t *v = out_lookup(obj, cols[i].key);
		char *text;

		if (!v || json_is_null(v))
			continue;
		text = cell_text(&cols[i], v);
		printf("  %-*s  ", width, cols[i].title);
		cell_print(&cols[i], text, 0);
		putchar('\n');
		free(text);
	}
}

static void text(bool bold, const char *fmt, va_list ap)
{
	if (out.json || !out.tty)
		return;
	if (bold && out.color)
		fputs("\033[1m", stdout);
	vprintf(fmt, ap);
	if (bold && out.color)
		fputs("\033[0m", stdout);
	putchar('\n');
}

void out_text(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	text(false, fmt, ap);
	va_end(ap);
}

void out_heading(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	text(true, fmt, ap);
	va_end(ap);
}
