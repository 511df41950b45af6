/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bench client: start, follow, get results.
 */
#ifndef IDMA_TEST_BENCH_H
#define IDMA_TEST_BENCH_H

#include <jansson.h>

#include "nl.h"
#include "numbers.h"
#include "opts.h"

struct bench_config {
	const struct opt_strings *channels;	/* empty: whichever are free */
	const struct num_list *counts, *sizes, *depths, *batches;
	const struct opt_number *transfers, *time_limit, *timeout, *warmup;
	const struct opt_number *src_offset, *dst_offset, *cpu;
	int wait, verify;			/* -1: as the kernel has it */
	bool detach, totals_only;
};

/* Each returns an exit status, after saying why if it is not IT_OK */
int bench_start(struct nlc *c, const struct bench_config *cfg, json_t **started);
/* id 0: the last one */
int bench_get(struct nlc *c, uint32_t id, json_t **run);
int bench_stop(struct nlc *c, uint32_t id);
/* Array of results, with what follows from them ("bytes_s", ...) */
int bench_results(struct nlc *c, uint32_t id, json_t **results);

/*
 * Start, show how it goes on, stop it on a signal; *run is what bench_get() says with
 * "results" and "target" added. IT_FAILED if the run did not end well.
 */
int bench_run(struct nlc *c, const struct bench_config *cfg, const char *target, json_t **run);

#endif
