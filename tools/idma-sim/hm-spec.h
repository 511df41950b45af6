/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The host-memory experiment by name: its parameters are the options of 'hostmem'
 * and the keys of sweep files with "experiment": "hostmem".
 */
#ifndef IDMA_SIM_HM_SPEC_H
#define IDMA_SIM_HM_SPEC_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "numbers.h"

enum hm_mode { HM_BOTH, HM_STAGED, HM_DIRECT };

struct hm_spec {
	uint64_t workers, size, time_ms, channels, banks;
	uint64_t link_rate, stage_rate, device_rate;	/* bytes/s */
	uint64_t mode, timing;				/* index of the word */
};

struct hm_param {
	const char *name;
	int letter;		/* of the option, or 0 */
	const char *arg, *help;
	size_t at;
	enum num_unit unit;
	uint64_t min, max, otherwise;
	const char * const *words;	/* it is one of these; or NULL: a number */
};

extern const struct hm_param hm_params[];
extern const size_t hm_param_count;

/* What the tutorial has, of one mode */
double hm_published(enum hm_mode mode);

void hm_spec_init(struct hm_spec *s);
/* where: what messages begin with, "--" or "FILE: base." */
bool hm_spec_set(struct hm_spec *s, const char *where, const char *name, const char *text);
json_t *hm_spec_get(const struct hm_spec *s, const char *name);

/* Run one mode of it: a row of results. status: IT_OK, or IT_FAILED */
json_t *hm_spec_run(const struct hm_spec *s, enum hm_mode mode,
		    bool (*progress)(uint64_t ns, uint64_t all), int *status);

#endif
