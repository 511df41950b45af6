/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rows that were measured on the RTL, run through the engine and compared.
 */
#ifndef IDMA_SIM_GOLDEN_H
#define IDMA_SIM_GOLDEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What golden.c found in one row; differences are the engine's minus the RTL's */
struct golden_row {
	unsigned long line;
	char what[320];		/* its set-up */
	bool aside;		/* hang = 1: a defect of the RTL, not counted */
	bool good;		/* within all tolerances */
	bool exact;		/* and every other column that is known is the same, too */
	double score;		/* the worst of its columns; 1: at the tolerance */
	int64_t total, total_golden;
	double total_part;	/* difference / total_golden */
	int64_t cycles_off;	/* the largest of launch, first read, last write, irq */
	double util_off;	/* the largest, 0.01: one point */
	char differs[768];	/* " NAME ENGINE/RTL ..." */
};

/* Called for each row; false: stop */
typedef bool (*golden_fn)(void *arg, const struct golden_row *row);

/*
 * Run a file. mix: where the tags mixN are explained, NULL: golden_mix_params.txt
 * beside it. Returns an exit status: IT_OK however far off the rows are, other
 * ones if the file cannot be read or makes no sense, which has been said.
 */
int golden_file(const char *path, const char *mix, golden_fn fn, void *arg);

#endif
