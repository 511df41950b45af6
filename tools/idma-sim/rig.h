/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The engine on a bench: descriptors in a memory, launched, run until nothing
 * moves any more; what happened in which cycle.
 *
 * Cycle 0 is the one in which DESC_ADDR is written for the first time.
 */
#ifndef IDMA_SIM_RIG_H
#define IDMA_SIM_RIG_H

#include "idma-engine.h"
#include "memory.h"

/* Where descriptors and data lie; all of the address space is memory */
#define RIG_DESC_BASE	0x80000000ull
#define RIG_SRC_BASE	0x100000000ull
#define RIG_DST_BASE	0x300000000ull

struct rig_desc {
	uint64_t at, src, dst;	/* where it lies, what it says */
	uint32_t len, flags;
};

struct rig_setup {
	IdmaEngineConfig cfg;
	IdmaEngineFaults faults;
	size_t n;		/* descriptors */
	size_t chains;		/* of n / chains descriptors each, launched in turn */
	uint64_t spacing;	/* cycles between launches, 0: back to back (2) */
	struct rig_desc *desc;
	uint64_t max_cycles;	/* give up then, 0: 20 million after the last launch */
	/* Every event, in addition; may be NULL */
	void (*trace)(void *arg, const IdmaTraceEvent *ev);
	/* Now and then, with the bytes written so far; may be NULL. false: stop */
	bool (*progress)(void *arg, uint64_t bytes, uint64_t all);
	void *arg;
};

/* The cycles of a descriptor; -1: did not happen */
struct rig_times {
	int64_t fetch_ar, n_data_ar, first_data_ar, first_r, last_r, first_w, last_w;
	int64_t wb_aw, wb_b, irq;
};

/* Cycles and counts, -1: did not happen. Named like the columns of golden files. */
struct rig_result {
	int64_t total, launch, first_r, last_r, first_w, last_w, first_ar;
	int64_t first_desc_r, first_req, first_aw, first_wb_aw, last_wb_aw;
	int64_t last_b;		/* answer to the last data burst */
	int64_t first_irq, idle, n_irq, irq_maxrun, n_wb, n_fe_ar, n_be_ar;
	int64_t n_be_aw, n_be_r, n_be_w, n_fe_r_dropped, r_stall, n_rsp_err, fifo_full;
	int64_t hang, data_bad;
	uint64_t bytes;
	double util_steady;	/* from the first to the last read beat */
	double util_total;	/* from the launch to the last interrupt */
	double period, util_mid;	/* of a descriptor in the middle half of them */
	bool stopped;		/* progress() wanted no more */
	IdmaEngineStats stats;
};

struct rig;

struct rig *rig_new(void);
void rig_free(struct rig *r);
/*
 * Run a set-up whose configuration idma_engine_config_check() is content with.
 * times, if not NULL, has room for setup->n.
 */
void rig_run(struct rig *r, const struct rig_setup *setup, struct rig_result *res,
	     struct rig_times *times);
struct memory *rig_memory(struct rig *r);

/*
 * Give a set-up n descriptors (room is made in setup->desc, to be freed) whose
 * lengths and alignments (src and dst: offsets from a page) are filled in by
 * the caller after rig_desc_alloc(); then rig_place() puts data and descriptors
 * where they belong. Layouts: contig, gap, reverse, strideS, jumpK (runs of K,
 * then the next page). False: there is no such layout.
 */
void rig_desc_alloc(struct rig_setup *setup, size_t n);
void rig_place_data(struct rig_setup *setup);
bool rig_place_desc(struct rig_setup *setup, const char *layout, uint64_t offset);

#endif
