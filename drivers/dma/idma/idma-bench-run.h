/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run of the bench client: what was asked for, and what came out. The door
 * to user space (idma-bench-nl.c) makes it, the client (idma-bench-run.c)
 * executes it in a thread of its own.
 */
#ifndef _DRIVERS_DMA_IDMA_BENCH_RUN_H
#define _DRIVERS_DMA_IDMA_BENCH_RUN_H

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <uapi/linux/idma.h>

#include "idma-bench-hist.h"

struct dma_chan;
struct net;
struct task_struct;

#define IDMA_BENCH_MESSAGE	160

/**
 * struct idma_bench_cost - what a phase took
 * @ns: time
 * @insn: instructions
 * @cycles: cycles
 */
struct idma_bench_cost {
	struct idma_bench_hist ns;
	struct idma_bench_hist insn;
	struct idma_bench_hist cycles;
};

/**
 * struct idma_bench_totals - what a configuration came to
 * @transfers: transfers measured that completed without error
 * @bytes: bytes of these
 * @ns: from the first prep to the last callback
 * @errors: transfers that completed with an error
 * @verified: copies that were looked at
 * @mismatches: copies that were wrong
 * @elsewhere: callbacks on another CPU
 * @interrupts: interrupts that the client's CPU took
 * @insn: instructions that the client's CPU ran
 * @insn_idle: of these, spent spinning
 * @cycles: cycles of the client's CPU
 * @cycles_idle: of these, spent spinning
 */
struct idma_bench_totals {
	u64 transfers;
	u64 bytes;
	u64 ns;
	u64 errors;
	u64 verified;
	u64 mismatches;
	u64 elsewhere;
	u64 interrupts;
	u64 insn;
	u64 insn_idle;
	u64 cycles;
	u64 cycles_idle;
};

/**
 * struct idma_bench_config - one combination, and its results
 * @size: bytes of a transfer
 * @depth: transfers in flight on each channel
 * @batch: transfers issued at once
 * @channels: channels used
 * @state: enum idma_bench_state
 * @error: positive errno if failed
 * @totals: what it came to, once it is measured
 * @phases: an entry for each enum idma_bench_phase; NULL if they were not
 *	measured
 */
struct idma_bench_config {
	u32 size;
	u32 depth;
	u32 batch;
	u32 channels;
	u32 state;
	u32 error;
	struct idma_bench_totals totals;
	struct idma_bench_cost *phases;
};

/**
 * struct idma_bench_chan - a channel of a run
 * @name: its name
 * @chan: dmaengine's channel, NULL if there is none (see @kind) or not any
 *	more
 */
struct idma_bench_chan {
	char name[IDMA_NAME_MAX + 1];
	struct dma_chan *chan;
};

/**
 * enum idma_bench_kind - who does the transfers
 * @IDMA_BENCH_DMA: channels of dmaengine
 * @IDMA_BENCH_CPU: memcpy(), when they are issued
 * @IDMA_BENCH_NULL: nobody
 */
enum idma_bench_kind {
	IDMA_BENCH_DMA,
	IDMA_BENCH_CPU,
	IDMA_BENCH_NULL,
};

/**
 * struct idma_bench_run - a run
 * @ref: the door holds one, and whoever waits for the run
 * @id: its number
 * @net: namespace of the socket that started it, to compare only
 * @portid: that socket's address
 * @detach: goes on without that socket
 * @kind: who does the transfers
 * @nr_chans: number of channels
 * @chans: the channels
 * @transfers: transfers to measure for each configuration
 * @time_limit: for so many ms at most
 * @timeout: fail after so many ms without a completion
 * @warmup: transfers before that do not count; @default_warmup if not given
 * @default_warmup: twice the depth on each channel
 * @wait: enum idma_bench_wait
 * @verify: enum idma_bench_verify
 * @src_offset: of the source to a boundary of 64 bytes
 * @dst_offset: of the destination
 * @cpu: the client's CPU
 * @totals_only: leave out the phases
 * @nr_configs: number of configurations
 * @configs: the configurations
 * @task: the thread; it is waited for before the run is freed
 * @stop: why the thread should stop, NULL if it should not
 * @ended: the thread has let go of everything
 * @progress: transfers completed of the configuration that is running
 * @counters: enum idma_bench_counter
 * @resolution: of the clock, in ns
 * @lock: protects what follows, and state, error and results of configurations
 * @state: enum idma_bench_state
 * @error: positive errno if failed
 * @configs_done: configurations that are measured
 * @message: why it failed or stopped
 */
struct idma_bench_run {
	struct kref ref;
	u32 id;
	const struct net *net;
	u32 portid;
	bool detach;

	enum idma_bench_kind kind;
	unsigned int nr_chans;
	struct idma_bench_chan chans[IDMA_BENCH_MAX_CHANNELS];
	u64 transfers;
	u32 time_limit;
	u32 timeout;
	u32 warmup;
	bool default_warmup;
	u32 wait;
	u32 verify;
	u32 src_offset;
	u32 dst_offset;
	u32 cpu;
	bool totals_only;
	unsigned int nr_configs;
	struct idma_bench_config *configs;

	struct task_struct *task;
	const char *stop;
	struct completion ended;
	u64 progress;
	u32 counters;
	u32 resolution;

	struct mutex lock; /* Protects what follows and the results */
	u32 state;
	u32 error;
	u32 configs_done;
	char message[IDMA_BENCH_MESSAGE];
};

/* idma-bench-run.c */
struct idma_bench_run *idma_bench_run_new(void);
void idma_bench_run_free(struct idma_bench_run *run);
int idma_bench_run_take(struct idma_bench_run *run, const char *name);
size_t idma_bench_run_memory(const struct idma_bench_run *run,
			     const struct idma_bench_config *cfg);
int idma_bench_run_start(struct idma_bench_run *run);
void idma_bench_run_stop(struct idma_bench_run *run, const char *why);

/* idma-bench-nl.c */
void idma_bench_finished(struct idma_bench_run *run);

#endif /* _DRIVERS_DMA_IDMA_BENCH_RUN_H */
