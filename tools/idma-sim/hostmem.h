/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Workers whose buffers go through engines, stage by stage, again and again: the
 * experiment of the XRT tutorial on access to host memory.
 */
#ifndef IDMA_SIM_HOSTMEM_H
#define IDMA_SIM_HOSTMEM_H

#include "idma-engine.h"

#define HM_ENGINES	32
#define HM_STAGES	4
#define HM_WORKERS	256

/* Copies of size bytes, all at once; then comes the next stage */
struct hm_stage {
	const char *name;
	unsigned int copies;
	unsigned int first, count;	/* engines */
	bool by_worker;			/* each worker has one of them, else the least busy */
};

struct hm_setup {
	IdmaEngineConfig cfg;		/* of all engines */
	uint64_t hz[HM_ENGINES];	/* clock of each */
	size_t engines;
	struct hm_stage stage[HM_STAGES];
	size_t stages;
	unsigned int workers;
	uint32_t size;
	uint64_t ns;			/* simulated */
	/* false: stop; may be NULL */
	bool (*progress)(uint64_t ns, uint64_t all);
};

struct hm_result {
	uint64_t count[HM_WORKERS];	/* whole rounds of all stages */
	uint64_t total;
	double rate;			/* begun per s, after the first fifth */
	double stage_ns[HM_STAGES];	/* mean time in a stage, waiting included */
	double waiting[HM_STAGES];	/* workers in it, on average */
	uint64_t wrong;			/* buffers that do not hold what they should */
	bool stopped;
};

/* Completions are handed on after at most this */
#define HM_QUANTUM_NS	250u

/* The configuration has been checked */
void hm_run(const struct hm_setup *su, struct hm_result *res);

#endif
