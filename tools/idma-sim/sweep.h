/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sweeps: files (or presets) that say what to go through.
 *
 *	{ "title": "...", "about": "...",
 *	  "base": { "nax": 8, ... },			parameters of all runs
 *	  "over": { "latency": [1, 13], "len": "8..4k" },	all combinations of these
 *	  "plot": { "x": "len", "y": "util", "series": ["latency"], "log_x": true } }
 *
 * The parameters are those of 'run', or with "experiment": "hostmem" those of 'hostmem'.
 */
#ifndef IDMA_SIM_SWEEP_H
#define IDMA_SIM_SWEEP_H

#include <jansson.h>

#include "hm-spec.h"
#include "plot.h"
#include "spec.h"

#define SWEEP_AXES	8

/* The parameters of one run */
struct sweep_point {
	bool hostmem;
	union {
		struct spec spec;
		struct hm_spec hm;
	};
};

struct sweep {
	json_t *doc;			/* owns all text */
	const char *path, *title, *about;
	struct sweep_point base;
	struct {
		const char *name;
		json_t *values;		/* array; owned */
	} axis[SWEEP_AXES];
	size_t axes, runs;
	bool has_plot;
	struct plot plot;
};

struct preset {
	const char *name;
	const unsigned char *text;
	size_t len;
};

/* Built from presets/ */
extern const struct preset presets[];
extern const size_t preset_count;

/* A file, or else a preset; an exit status. sweep_free() follows in any case. */
int sweep_load(struct sweep *s, const char *name);
void sweep_free(struct sweep *s);
/* where: what messages begin with */
bool sweep_set(struct sweep_point *p, const char *where, const char *name, const char *text);
/* The parameters of run i, and in *row what of them is gone through */
bool sweep_point(const struct sweep *s, size_t i, struct sweep_point *p, json_t *row);
/* Whether that is possible; if not, it has been said */
bool sweep_check(const struct sweep_point *p, const char *where);
/* Run it: a row of results. status: IT_OK, or IT_FAILED */
json_t *sweep_run(const struct sweep_point *p, struct rig *rig, int *status);

#endif
