/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * 'published': what others have published of iDMA systems, next to what the model
 * gives. Each part of the report is a function that runs the model and adds
 * sections; figures of others are data there, with their source.
 *
 * Everything is collected as JSON, from which the files are made.
 */
#ifndef IDMA_SIM_PUB_H
#define IDMA_SIM_PUB_H

#include <jansson.h>

#include "idma-test.h"

struct pub {
	const char *golden;	/* directory of the rows measured on the RTL */
	json_t *sections;
	json_t *now;		/* the section being made */
};

/* What agreement between a published figure and the model says */
enum pub_kind {
	PUB_PREDICTED,	/* follows from mechanisms and from other figures */
	PUB_INPUT,	/* is a parameter of the model, or was derived from one: nothing */
	PUB_BOUND,	/* the model gives a limit, which the published figure must keep */
};

void pub_section(struct pub *p, const char *id, const char *title, const char *source,
		 const char *text);
/*
 * A figure: published (or, in words, if that is no number) and the model's. why: what
 * the model does and does not have, obligatory where they differ.
 */
void pub_figure(struct pub *p, const char *id, const char *what, const char *unit,
		double published, double model, enum pub_kind kind, const char *why, ...)
	__attribute__((format(printf, 8, 9)));
void pub_words(struct pub *p, const char *id, const char *what, const char *unit,
	       const char *published, double model, enum pub_kind kind, const char *why, ...)
	__attribute__((format(printf, 8, 9)));
void pub_note(struct pub *p, const char *fmt, ...) __printf(2, 3);

/* A table: titles separated by '|'; rows follow, NAN: an empty cell */
json_t *pub_table(struct pub *p, const char *id, const char *title, const char *columns);
void pub_cells(json_t *table, const double *cells, size_t n);
#define pub_row(table, ...)						\
	pub_cells(table, (const double []){ __VA_ARGS__ },		\
		  ARRAY_SIZE(((const double []){ __VA_ARGS__ })))

/* A plot; points follow. Curves whose name begins with "published" are drawn as points. */
json_t *pub_plot(struct pub *p, const char *id, const char *title, const char *x_label,
		 const char *y_label, bool log_x);
void pub_point(json_t *plot, const char *curve, double x, double y);

/* The parts; exit statuses */
int pub_utilisation(struct pub *p);
int pub_pulp_open(struct pub *p);
int pub_mempool(struct pub *p);
int pub_controlpulp(struct pub *p);
int pub_readers(struct pub *p);
int pub_hyperlink(struct pub *p);

#endif
