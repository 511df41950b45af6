/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What to simulate, by name: the engine's parameters, the memory's, the work. The
 * options of 'run' and the keys of sweep files are these names.
 */
#ifndef IDMA_SIM_SPEC_H
#define IDMA_SIM_SPEC_H

#include <jansson.h>

#include "opts.h"
#include "rig.h"

#define SPEC_GROUPS	16

struct spec {
	IdmaEngineConfig cfg;
	bool write_latency_set;
	uint64_t write_latency;
	uint64_t bus;			/* bytes a beat */
	uint64_t clock;			/* Hz, 0: no times */
	/* The work: groups of equal descriptors */
	struct {
		uint64_t n, len;
	} group[SPEC_GROUPS];
	size_t groups;
	uint64_t total;			/* bytes: as many descriptors as that takes; 0: n */
	uint64_t src_align, dst_align, flags, chains, spacing, max_cycles;
	char layout[24];
};

/* One of them */
struct param {
	const char *name, *arg, *help;
};

extern const struct param spec_params[];
extern const size_t spec_param_count;

void spec_init(struct spec *s);
/* where: what messages begin with, "--" or "FILE: base." */
bool spec_set(struct spec *s, const char *where, const char *name, const char *text);
/* Values as JSON, "name": as much as of a set of them */
json_t *spec_get(const struct spec *s, const char *name);

/*
 * Check all of it and make a set-up (to be freed with free(setup->desc)); false:
 * not possible, which has been said.
 *
 * The engine has a bus of 8 bytes. One of W bytes is the same engine with
 * addresses and lengths of 8/W, and bursts that end where 4 KiB of the wide bus
 * do: it counts beats. Descriptors and marks travel as on 8 bytes: 4 beats and 1.
 */
bool spec_setup(const struct spec *s, const char *where, struct rig_setup *su);

/* Run it: a row of results. The parameters are not in it. status: IT_OK, or IT_FAILED */
json_t *spec_run(struct rig *rig, const struct spec *s, const struct rig_setup *su, int *status);

#endif
