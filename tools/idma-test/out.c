// SPDX-License-Identifier: GPL-2.0-only
/*
 * Documents, messages and the progress bar.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "out.h"

struct out out;

static char *last_error, *last_hint;
static bool progress_shown;

void out_start(const char *command)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	bool plain = (no_color && *no_color) || (term && !strcmp(term, "dumb"));

	out.command = command;
	out.tty = isatty(STDOUT_FILENO);
	out.progress = isatty(STDERR_FILENO) && !(term && !strcmp(term, "dumb"));
	out.color = out.color_when == COLOR_ALWAYS ||
		    (out.color_when == COLOR_AUTO && out.tty && !plain);
	out.color_err = out.color_when == COLOR_ALWAYS ||
			(out.color_when == COLOR_AUTO && isatty(STDERR_FILENO) && !plain);
	/* A reader sees a line as soon as it is there */
	setvbuf(stdout, NULL, _IOLBF, 0);
}

json_t *out_doc(void)
{
	json_t *doc = json_object();
	struct utsname uts;
	struct tm tm;
	time_t now = time(NULL);
	char text[32];

	gmtime_r(&now, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	uname(&uts);
	json_object_set_new(doc, "tool", json_string(IT_PROGRAM));
	json_object_set_new(doc, "version", json_string(IT_VERSION));
	json_object_set_new(doc, "command", json_string(out.command));
	json_object_set_new(doc, "time", json_string(text));
	json_object_set_new(doc, "host",
			    json_pack("{s:s, s:s, s:s, s:I}", "name", uts.nodename,
				      "kernel", uts.release, "machine", uts.machine,
				      "cpus", (json_int_t)sysconf(_SC_NPROCESSORS_ONLN)));
	return doc;
}

static int save(const json_t *doc)
{
	FILE *f = fopen(out.save, "w");
	bool bad;

	if (!f) {
		it_error("cannot write '%s': %s", out.save, strerror(errno));
		return IT_ENV;
	}
	bad = json_dumpf(doc, f, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
	bad |= fputc('\n', f) == EOF;
	bad |= fclose(f) != 0;
	if (bad) {
		it_error("cannot write '%s': %s", out.save, strerror(errno));
		return IT_ENV;
	}
	return IT_OK;
}

static void add_outcome(json_t *doc, int status)
{
	json_t *error;

	json_object_set_new(doc, "ok", json_boolean(status == IT_OK));
	if (status == IT_OK || !last_error)
		return;
	error = json_pack("{s:i, s:s}", "status", status, "message", last_error);
	if (last_hint)
		json_object_set_new(error, "hint", json_string(last_hint));
	json_object_set_new(doc, "error", error);
}

/* A document that -j shows may be another than that which is kept; drops both */
static int finish(json_t *keep, json_t *show, size_t flags, int status)
{
	int ret;

	progress_clear();
	add_outcome(keep, status);
	if (out.save) {
		ret = save(keep);
		if (ret)
			status = ret;
	}
	if (out.json && show) {
		add_outcome(show, status);
		json_dumpf(show, stdout, flags | JSON_REAL_PRECISION(10));
		putchar('\n');
	}
	json_decref(show);
	json_decref(keep);
	if (fflush(stdout) || ferror(stdout)) {
		/* A pipe whose reader has seen enough is no error */
		if (errno != EPIPE) {
			it_error("cannot write the output: %s", strerror(errno));
			status = status ? status : IT_ENV;
		}
	}
	return status;
}

int out_finish(json_t *doc, int status)
{
	if (!doc)
		doc = out_doc();
	return finish(doc, json_incref(doc), JSON_INDENT(2), status);
}

int out_finish_lines(json_t *doc, int status)
{
	return finish(doc, status && last_error ? out_doc() : NULL, JSON_COMPACT, status);
}

void out_line(json_t *line)
{
	json_dumpf(line, stdout, JSON_COMPACT | JSON_REAL_PRECISION(10));
	putchar('\n');
}

/* --- messages ------------------------------------------------------------- */

static void message(const char *color, const char *fmt, va_list ap, char **keep)
{
	char text[1024];

	vsnprintf(text, sizeof(text), fmt, ap);
	progress_clear();
	fflush(stdout);
	fprintf(stderr, "%s" IT_PROGRAM ": %s%s%s%s\n", out.color_err ? color : "",
		out.command ? out.command : "", out.command ? ": " : "", text,
		out.color_err && *color ? "\033[0m" : "");
	if (keep) {
		free(*keep);
		*keep = xstrdup(text);
	}
}

void it_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	/* The first error is the one that the others come from */
	message("\033[31m", fmt, ap, last_error ? NULL : &last_error);
	va_end(ap);
}

void it_hint(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message("", fmt, ap, last_hint ? NULL : &last_hint);
	va_end(ap);
}

void it_note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message("", fmt, ap, NULL);
	va_end(ap);
}

/* --- progress --------------------------------------------------------------- */

void progress_show(double part, const char *fmt, ...)
{
	struct winsize ws;
	char text[160];
	int width = 80, bar, full;
	va_list ap;

	if (!out.progress)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &ws) && ws.ws_col)
		width = ws.ws_col;
	/* "[####    ] 100% text", never as wide as the terminal: it would wrap */
	bar = width / 3 > 40 ? 40 : width / 3;
	if (part < 0)
		part = 0;
	if (part > 1)
		part = 1;
	full = (int)(part * bar);
	if (bar + 8 >= width) {
		fprintf(stderr, "\r%3d%%\033[K", (int)(part * 100));
	} else {
		fprintf(stderr, "\r[%.*s%*s] %3d%% %.*s\033[K", full,
			"########################################", bar - full, "",
			(int)(part * 100), width - bar - 9, text);
	}
	fflush(stderr);
	progress_shown = true;
}

void progress_clear(void)
{
	if (!progress_shown)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	progress_shown = false;
}
