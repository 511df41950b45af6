/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Plots, by gnuplot.
 */
#ifndef IDMA_SIM_PLOT_H
#define IDMA_SIM_PLOT_H

#include <jansson.h>
#include <stdbool.h>

struct plot {
	const char *title;
	const char *x, *y;		/* keys in the rows */
	const char *x_label, *y_label;	/* NULL: the keys */
	const json_t *series;		/* keys whose values tell curves apart; NULL: one curve */
	bool log_x, log_y;
	bool bare;		/* name curves by their values alone */
	const char *points;	/* curves whose name begins so have no lines; may be NULL */
};

/* Whether there is a gnuplot; says so if not. An exit status. */
int plot_possible(void);
/* Draw rows into an SVG file; an exit status */
int plot_svg(const struct plot *p, const json_t *rows, const char *path);

#endif
