/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One run of dmatest.
 */
#ifndef IDMA_TEST_DMATEST_RUN_H
#define IDMA_TEST_DMATEST_RUN_H

#include <jansson.h>

#include "idma-test.h"

/* Negative numbers and NULL: as dmatest has it */
struct dt_config {
	const char * const *channels;
	size_t n_channels;
	uint64_t size;		/* of each transfer; 0: random, up to buf_size */
	uint64_t buf_size;
	uint64_t threads;	/* a channel */
	uint64_t iterations;	/* a thread; 0: without end */
	uint64_t runtime_ms;	/* stop after that; 0: never */
	int64_t timeout_ms;	/* -1: none */
	int64_t alignment, xor_sources, pq_sources;
	bool memset, polled, noverify, norandom, nobounce, verbose;
	bool keep_going;	/* after a transfer that timed out */
};

struct dt_result {
	uint64_t started, ended;	/* threads */
	uint64_t tests, failures, timeouts, mismatches;
	uint64_t wall_us;	/* from the start of the first thread to the end of the last */
	double iops;		/* sums of what dmatest says */
	uint64_t kbs;
	bool irqs_known;
	uint64_t irqs;		/* of the channels' engines meanwhile */
	bool stopped;		/* by a signal or by runtime_ms, before all was done */
	bool log_lost;
	const char *status;	/* ok, failed, timeout, stopped, skipped */
	char trouble[256];	/* why, if it is not plain from the numbers */
	json_t *details;	/* array: what failed, the first few */
};

/*
 * dmatest must have been taken. Returns an exit status: IT_OK (the result says how
 * it went), or IT_ENV after saying why there is no result.
 */
int dt_run(const struct dt_config *cfg, const char *title, struct dt_result *res);

#endif
