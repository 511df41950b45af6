/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Output. A command makes JSON; what is shown is made from that: tables on a
 * terminal, one line of KEY=VALUE a row in a pipe, the JSON itself with -j.
 */
#ifndef IDMA_TEST_OUT_H
#define IDMA_TEST_OUT_H

#include <jansson.h>
#include <stdio.h>

#include "idma-test.h"

enum out_color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct out {
	bool json;		/* -j */
	const char *save;	/* --save FILE */
	enum out_color color_when;
	/* The rest is out_start()'s */
	const char *command;
	bool tty;		/* stdout is a terminal */
	bool color;
	bool progress;		/* stderr is a terminal: progress bars */
	bool color_err;
};

extern struct out out;

/* After the command line is read; the document of a command */
void out_start(const char *command);

/*
 * A document: {"tool", "version", "command", "time", "host", ...}. out_finish()
 * adds "ok" and the error, if there was one, writes it where -j and --save say, and
 * drops it; it returns the exit status, which is another one if it cannot write.
 */
json_t *out_doc(void);
int out_finish(json_t *doc, int status);

/*
 * A command that goes on: with -j one compact document a line. Its end with
 * out_finish_lines() is one more line only if it failed; --save has the document.
 */
void out_line(json_t *line);
int out_finish_lines(json_t *doc, int status);

enum out_kind {
	OUT_STR,
	OUT_INT,
	OUT_REAL,	/* three decimals at most */
	OUT_BYTES,	/* size in bytes */
	OUT_BYTERATE,	/* bytes per second */
	OUT_RATE,	/* anything per second */
	OUT_NS,		/* time in ns */
	OUT_HEX,	/* address */
	OUT_STATE,	/* a word that has a colour */
};

struct out_column {
	const char *key;	/* in the row; "a.b" goes into an object */
	const char *title;
	enum out_kind kind;
	const char *plain;	/* name in a pipe, if not the key */
};

/* Nothing with -j. Columns that no row has a value for are left out. */
void out_table(const struct out_column *cols, size_t n, const json_t *rows);
/* The header with the first row, for rows that come one after the other */
void out_row(const struct out_column *cols, size_t n, const json_t *row, bool header);
/* One object: "title: value" lines on a terminal */
void out_object(const struct out_column *cols, size_t n, const json_t *obj);
/* Text that is for people: nothing with -j, nor in a pipe */
void out_text(const char *fmt, ...) __printf(1, 2);
void out_heading(const char *fmt, ...) __printf(1, 2);

const json_t *out_lookup(const json_t *obj, const char *path);
double json_double(const json_t *obj, const char *path, double absent);
uint64_t json_u64(const json_t *obj, const char *path);
const char *json_str(const json_t *obj, const char *path, const char *absent);

/* One line at the bottom of the terminal, on stderr; nothing elsewhere */
void progress_show(double part, const char *fmt, ...) __printf(2, 3);
void progress_clear(void);

#endif
