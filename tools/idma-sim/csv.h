/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Comma-separated files with a line of names on top, read strictly: what is
 * malformed is said with file, line and column, and ends the reading.
 */
#ifndef IDMA_SIM_CSV_H
#define IDMA_SIM_CSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define CSV_COLUMNS	128

struct csv {
	const char *path;
	FILE *f;
	unsigned long line;
	char *head, *row;
	size_t head_size, row_size;
	size_t n;			/* columns */
	char *names[CSV_COLUMNS], *cells[CSV_COLUMNS];
	bool bad;			/* something was malformed, and has been said */
};

/* Return an exit status. csv_close() follows in any case. */
int csv_open(struct csv *c, const char *path);
void csv_close(struct csv *c);
/* The next row that is not empty; false: no more, or bad */
bool csv_next(struct csv *c);

/* Rows to come back to: take the one at hand; make one the row at hand; drop it */
struct csv_row {
	unsigned long line;
	char *text;
	char *cells[CSV_COLUMNS];
};

void csv_take(struct csv *c, struct csv_row *row);
void csv_show(struct csv *c, const struct csv_row *row);
void csv_drop(struct csv_row *row);

bool csv_has(const struct csv *c, const char *name);
/* The cell, or NULL if there is no such column */
const char *csv_text(const struct csv *c, const char *name);
/*
 * A whole number (decimal or 0x...), a real one; absent if there is no such
 * column. What is no number, or not from min to max, makes the file bad.
 */
int64_t csv_int(struct csv *c, const char *name, int64_t absent, int64_t min, int64_t max);
double csv_real(struct csv *c, const char *name, double absent);
/* "FILE:LINE: " and what is wrong */
void csv_error(struct csv *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
