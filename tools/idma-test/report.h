/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Saved runs, put side by side.
 */
#ifndef IDMA_TEST_REPORT_H
#define IDMA_TEST_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "idma-test.h"

/*
 * runs: array of {"label", "file", "command", "time", "ok", "kernel", "machine",
 * "host", "error", "seconds"}.
 *
 * points: array of what was measured: {"run": index, "kind": "dmatest", "bench",
 * "stats" or "monitor", "params": {...}, "metrics": {...}, "good": bool, "key": text}.
 * Points of two runs with the same key are the same measurement.
 *
 * samples, events: what stats and monitor have seen, each with its "run", "engine" and
 * the time "t" in seconds since the run began.
 */
struct report {
	json_t *runs, *points, *samples, *events;
	/* {"run", "base", "kind", "params", "metric", "old", "new", "change", "verdict"} */
	json_t *changes;
	size_t regressions, improvements, failures;
};

/* What is measured, and which way is better */
struct metric {
	const char *key, *title, *unit;
	bool less_is_better;
};

extern const struct metric report_metrics[];
extern const size_t report_n_metrics;
const struct metric *report_metric(const char *key);

void report_init(struct report *r);
void report_free(struct report *r);
/* Every document in the file; an exit status, after saying what is wrong with it */
int report_load(struct report *r, const char *file, const char *label);
/* Of the file that is being read; takes params and metrics */
void report_add_point(struct report *r, size_t run, const char *kind, json_t *params,
		      json_t *metrics, bool good);
/* report-watch.c: a run {"run", "kind"} of stats or monitor takes documents until its end */
void report_take_stats(struct report *r, json_t *watch, const json_t *doc);
void report_take_monitor(struct report *r, json_t *watch, const json_t *doc);
void report_take_event(struct report *r, json_t *watch, const json_t *event);
void report_end_watch(struct report *r, json_t *watch);
/* Each point against the first run that has it; part: what is no noise (0.05) */
void report_compare(struct report *r, double part);
/* "size=64 threads=2" of an object of parameters; to be freed */
char *report_params_text(const json_t *params, const char *except);

void report_html(FILE *f, const struct report *r, const char *title, double part);
void report_csv(FILE *f, const struct report *r);

/* --- SVG ---------------------------------------------------------------------- */

struct plot_series {
	char *name;
	size_t color;
	bool dashed;
	size_t n;
	double *x, *y;
};

struct plot {
	const char *title, *x_title, *y_title;
	bool x_bytes;		/* ticks at powers of two, with KiB and MiB */
	bool x_linear;		/* in any case, and from 0: time */
	struct plot_series *series;
	size_t n;
};

struct plot_series *plot_add_series(struct plot *p, char *name, size_t color, bool dashed);
/* Sorted by x */
void plot_add(struct plot_series *s, double x, double y);
void plot_free(struct plot *p);
/* Nothing if there is no point */
void plot_write(FILE *f, const struct plot *p);

/* What happened when: a lane for each name, a mark for each event */
struct timeline {
	const char *title;
	double seconds;
	struct lane {
		char *name;
		const json_t *run;
		const char *engine;
	} *lanes;
	size_t n;
};

void timeline_write(FILE *f, const struct timeline *t, const json_t *events);
/* Where ticks go, from the one below min to the one above max */
size_t plot_ticks(double min, double max, bool log, double base, double *ticks, size_t most);

/* Text into HTML or an attribute in double quotes */
void html_text(FILE *f, const char *text);

#endif
