/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/idma.yaml */
/* YNL-GEN uapi header */

#ifndef _UAPI_LINUX_IDMA_H
#define _UAPI_LINUX_IDMA_H

#define IDMA_FAMILY_NAME	"idma"
#define IDMA_FAMILY_VERSION	1

#define IDMA_NAME_MAX		63
#define IDMA_BENCH_MAX_VALUES	32
#define IDMA_BENCH_MAX_CONFIGS	1024
#define IDMA_BENCH_MAX_CHANNELS	16
#define IDMA_BENCH_MAX_SIZE	2097152
#define IDMA_BENCH_MAX_DEPTH	1024
#define IDMA_BENCH_MAX_MEMORY	134217728
#define IDMA_BENCH_BUCKETS	40

/**
 * enum idma_dev_state - What an engine is doing
 * @IDMA_DEV_STATE_IDLE: no descriptor is in hardware
 * @IDMA_DEV_STATE_BUSY: descriptors are in hardware
 * @IDMA_DEV_STATE_DEAD: the engine stopped completing: its transfers have
 *   failed and new ones are refused until it recovers or is reset
 * @IDMA_DEV_STATE_RESETTING: it is being reset or drained: what it had to do
 *   has failed; new transfers wait for the end of that, or are refused if it
 *   was dead
 */
enum idma_dev_state {
	IDMA_DEV_STATE_IDLE,
	IDMA_DEV_STATE_BUSY,
	IDMA_DEV_STATE_DEAD,
	IDMA_DEV_STATE_RESETTING,

	/* private: */
	__IDMA_DEV_STATE_MAX,
	IDMA_DEV_STATE_MAX = (__IDMA_DEV_STATE_MAX - 1)
};

/**
 * enum idma_cap - What an engine can do, and what it has around it
 * @IDMA_CAP_MEMCPY: copies memory to memory
 * @IDMA_CAP_INTERRUPT: has an interrupt; without one a timer finds completions
 * @IDMA_CAP_RESET_LINE: can be reset by a reset line
 * @IDMA_CAP_CLOCK: has a clock that is switched off while it is idle
 * @IDMA_CAP_COHERENT: sees the CPU's caches
 * @IDMA_CAP_REUSE: clients may submit a prepared descriptor again
 */
enum idma_cap {
	IDMA_CAP_MEMCPY = 1,
	IDMA_CAP_INTERRUPT = 2,
	IDMA_CAP_RESET_LINE = 4,
	IDMA_CAP_CLOCK = 8,
	IDMA_CAP_COHERENT = 16,
	IDMA_CAP_REUSE = 32,

	/* private: */
	IDMA_CAP_MASK = 63,
};

/**
 * enum idma_fault - Why a transfer failed
 * @IDMA_FAULT_STALL: the engine stopped completing and was given up as dead
 * @IDMA_FAULT_RESET: the engine was reset by dev-reset
 * @IDMA_FAULT_UNBIND: the driver was unbound from the engine
 * @IDMA_FAULT_LINK: it went through a link to remote memory that was not up
 *   all the time
 */
enum idma_fault {
	IDMA_FAULT_STALL,
	IDMA_FAULT_RESET,
	IDMA_FAULT_UNBIND,
	IDMA_FAULT_LINK,

	/* private: */
	__IDMA_FAULT_MAX,
	IDMA_FAULT_MAX = (__IDMA_FAULT_MAX - 1)
};

/**
 * enum idma_reset_method - What dev-reset did
 * @IDMA_RESET_METHOD_LINE: the reset line was pulled; the engine starts afresh
 * @IDMA_RESET_METHOD_DRAIN: there is no reset line; what waited was failed,
 *   and the engine completed what it had in hardware
 * @IDMA_RESET_METHOD_REVIVE: there is no reset line; the engine was dead,
 *   turned out to have completed everything after all, and is used again
 */
enum idma_reset_method {
	IDMA_RESET_METHOD_LINE,
	IDMA_RESET_METHOD_DRAIN,
	IDMA_RESET_METHOD_REVIVE,

	/* private: */
	__IDMA_RESET_METHOD_MAX,
	IDMA_RESET_METHOD_MAX = (__IDMA_RESET_METHOD_MAX - 1)
};

/**
 * enum idma_bench_wait - How the bench client learns that a transfer is
 *   complete
 * @IDMA_BENCH_WAIT_SLEEP: callback, with interrupts asked for; the client
 *   sleeps meanwhile, as most clients do. The cost has the idle task and the
 *   context switches in it.
 * @IDMA_BENCH_WAIT_SPIN: callback, with interrupts asked for; the client spins
 *   on its CPU meanwhile. The cost of the spinning is measured and reported
 *   apart (instructions-idle, cycles-idle), so that the rest is what the
 *   provider, the interrupt and the callback cost.
 * @IDMA_BENCH_WAIT_POLL: the client asks for no interrupt and polls the status
 *   of the oldest transfer. Polling is part of the cost.
 */
enum idma_bench_wait {
	IDMA_BENCH_WAIT_SLEEP,
	IDMA_BENCH_WAIT_SPIN,
	IDMA_BENCH_WAIT_POLL,

	/* private: */
	__IDMA_BENCH_WAIT_MAX,
	IDMA_BENCH_WAIT_MAX = (__IDMA_BENCH_WAIT_MAX - 1)
};

/**
 * enum idma_bench_verify - Which copies the bench client looks at
 * @IDMA_BENCH_VERIFY_NONE: none
 * @IDMA_BENCH_VERIFY_LAST: what the destination buffers hold at the end of a
 *   configuration, and the guard bytes around them
 * @IDMA_BENCH_VERIFY_EACH: every single copy and the guard bytes around it;
 *   the destination is overwritten with something else before each transfer.
 *   The time and the cost of this are left out, and with them the interrupts
 *   that come meanwhile; the engine may run dry: figures mean little.
 */
enum idma_bench_verify {
	IDMA_BENCH_VERIFY_NONE,
	IDMA_BENCH_VERIFY_LAST,
	IDMA_BENCH_VERIFY_EACH,

	/* private: */
	__IDMA_BENCH_VERIFY_MAX,
	IDMA_BENCH_VERIFY_MAX = (__IDMA_BENCH_VERIFY_MAX - 1)
};

/**
 * enum idma_bench_state - State of a run or of a configuration
 * @IDMA_BENCH_STATE_PENDING: not started yet
 * @IDMA_BENCH_STATE_RUNNING: being measured
 * @IDMA_BENCH_STATE_DONE: measured, and all data was right
 * @IDMA_BENCH_STATE_FAILED: a transfer failed or timed out, data was wrong, or
 *   something that was needed could not be had; error and message say which
 * @IDMA_BENCH_STATE_STOPPED: stopped by bench-stop, by the end of the socket
 *   that started it, or because the module is being unloaded
 */
enum idma_bench_state {
	IDMA_BENCH_STATE_PENDING,
	IDMA_BENCH_STATE_RUNNING,
	IDMA_BENCH_STATE_DONE,
	IDMA_BENCH_STATE_FAILED,
	IDMA_BENCH_STATE_STOPPED,

	/* private: */
	__IDMA_BENCH_STATE_MAX,
	IDMA_BENCH_STATE_MAX = (__IDMA_BENCH_STATE_MAX - 1)
};

/**
 * enum idma_bench_counter - Counters of the CPU that the bench client can
 *   read. Instructions are used only if a loop of known length is counted
 *   rightly; cycles only if they go on, and if instructions, where they can be
 *   read at all, are counted rightly (emulators may show the host's clock for
 *   both).
 * @IDMA_BENCH_COUNTER_INSTRUCTIONS: instructions retired (riscv instret)
 * @IDMA_BENCH_COUNTER_CYCLES: cycles (riscv cycle, get_cycles() elsewhere)
 */
enum idma_bench_counter {
	IDMA_BENCH_COUNTER_INSTRUCTIONS = 1,
	IDMA_BENCH_COUNTER_CYCLES = 2,

	/* private: */
	IDMA_BENCH_COUNTER_MASK = 3,
};

/**
 * enum idma_bench_phase - A part of a transfer's way
 * @IDMA_BENCH_PHASE_PREP: the call that prepares the descriptor
 * @IDMA_BENCH_PHASE_SUBMIT: the call that submits it
 * @IDMA_BENCH_PHASE_ISSUE: the call that issues a batch; once a batch, not
 *   once a transfer
 * @IDMA_BENCH_PHASE_COMPLETE: from the return of submit to the callback or,
 *   when polling, to the poll that found it complete. Covers issue, the copy,
 *   waiting behind others, interrupt and reaping. Its instructions are those
 *   that the CPU ran meanwhile, whatever for, and are counted only if the
 *   callback ran on the client's CPU.
 */
enum idma_bench_phase {
	IDMA_BENCH_PHASE_PREP,
	IDMA_BENCH_PHASE_SUBMIT,
	IDMA_BENCH_PHASE_ISSUE,
	IDMA_BENCH_PHASE_COMPLETE,

	/* private: */
	__IDMA_BENCH_PHASE_MAX,
	IDMA_BENCH_PHASE_MAX = (__IDMA_BENCH_PHASE_MAX - 1)
};

#define IDMA_WINDOW_COPY_MAX	4194304

/**
 * enum idma_link_state - State of a link to another machine's memory
 * @IDMA_LINK_STATE_DOWN: what is read through it is all ones, and what is
 *   written is lost
 * @IDMA_LINK_STATE_UP: windows can be made
 */
enum idma_link_state {
	IDMA_LINK_STATE_DOWN,
	IDMA_LINK_STATE_UP,

	/* private: */
	__IDMA_LINK_STATE_MAX,
	IDMA_LINK_STATE_MAX = (__IDMA_LINK_STATE_MAX - 1)
};

/**
 * enum idma_window_dir - What a window is for, as seen from this side
 * @IDMA_WINDOW_DIR_WRITE: remote memory is written
 * @IDMA_WINDOW_DIR_READ: remote memory is read
 * @IDMA_WINDOW_DIR_BOTH: either
 */
enum idma_window_dir {
	IDMA_WINDOW_DIR_WRITE,
	IDMA_WINDOW_DIR_READ,
	IDMA_WINDOW_DIR_BOTH,

	/* private: */
	__IDMA_WINDOW_DIR_MAX,
	IDMA_WINDOW_DIR_MAX = (__IDMA_WINDOW_DIR_MAX - 1)
};

/**
 * enum idma_window_state - Whether a window leads somewhere
 * @IDMA_WINDOW_STATE_GOOD: it does
 * @IDMA_WINDOW_STATE_LINK_DOWN: the link went down; a new window is needed
 *   when it is up again
 * @IDMA_WINDOW_STATE_REVOKED: the peer took back its grant
 * @IDMA_WINDOW_STATE_GONE: the link itself is gone
 */
enum idma_window_state {
	IDMA_WINDOW_STATE_GOOD,
	IDMA_WINDOW_STATE_LINK_DOWN,
	IDMA_WINDOW_STATE_REVOKED,
	IDMA_WINDOW_STATE_GONE,

	/* private: */
	__IDMA_WINDOW_STATE_MAX,
	IDMA_WINDOW_STATE_MAX = (__IDMA_WINDOW_STATE_MAX - 1)
};

/**
 * enum idma_window_copy_by - Who copies
 * @IDMA_WINDOW_COPY_BY_DMA: a channel of the engine that the window was made
 *   for
 * @IDMA_WINDOW_COPY_BY_CPU: the CPU
 */
enum idma_window_copy_by {
	IDMA_WINDOW_COPY_BY_DMA,
	IDMA_WINDOW_COPY_BY_CPU,

	/* private: */
	__IDMA_WINDOW_COPY_BY_MAX,
	IDMA_WINDOW_COPY_BY_MAX = (__IDMA_WINDOW_COPY_BY_MAX - 1)
};

enum {
	IDMA_A_FRONTEND_NAME = 1,
	IDMA_A_FRONTEND_MAX_SEGMENT,
	IDMA_A_FRONTEND_INPUT_SLOTS,
	IDMA_A_FRONTEND_PENDING_SLOTS,

	__IDMA_A_FRONTEND_MAX,
	IDMA_A_FRONTEND_MAX = (__IDMA_A_FRONTEND_MAX - 1)
};

enum {
	IDMA_A_FAULTS_STALL = 1,
	IDMA_A_FAULTS_RESET,
	IDMA_A_FAULTS_UNBIND,
	IDMA_A_FAULTS_LINK,

	__IDMA_A_FAULTS_MAX,
	IDMA_A_FAULTS_MAX = (__IDMA_A_FAULTS_MAX - 1)
};

enum {
	IDMA_A_DEV_COUNTERS_TRANSFERS = 1,
	IDMA_A_DEV_COUNTERS_BYTES,
	IDMA_A_DEV_COUNTERS_ERRORS,
	IDMA_A_DEV_COUNTERS_TERMINATED,
	IDMA_A_DEV_COUNTERS_FAULTS,
	IDMA_A_DEV_COUNTERS_LAUNCHES,
	IDMA_A_DEV_COUNTERS_LAUNCHES_REFUSED,
	IDMA_A_DEV_COUNTERS_DESCRIPTORS,
	IDMA_A_DEV_COUNTERS_INTERRUPTS,
	IDMA_A_DEV_COUNTERS_INTERRUPTS_FOREIGN,
	IDMA_A_DEV_COUNTERS_INTERRUPTS_MISSED,
	IDMA_A_DEV_COUNTERS_BACKSTOPS,
	IDMA_A_DEV_COUNTERS_REAPED_IRQ,
	IDMA_A_DEV_COUNTERS_REAPED_BACKSTOP,
	IDMA_A_DEV_COUNTERS_REAPED_POLL,
	IDMA_A_DEV_COUNTERS_STALLS,
	IDMA_A_DEV_COUNTERS_RECOVERIES,

	__IDMA_A_DEV_COUNTERS_MAX,
	IDMA_A_DEV_COUNTERS_MAX = (__IDMA_A_DEV_COUNTERS_MAX - 1)
};

enum {
	IDMA_A_CHAN_COUNTERS_TRANSFERS = 1,
	IDMA_A_CHAN_COUNTERS_BYTES,
	IDMA_A_CHAN_COUNTERS_ERRORS,
	IDMA_A_CHAN_COUNTERS_TERMINATED,
	IDMA_A_CHAN_COUNTERS_FAULTS,

	__IDMA_A_CHAN_COUNTERS_MAX,
	IDMA_A_CHAN_COUNTERS_MAX = (__IDMA_A_CHAN_COUNTERS_MAX - 1)
};

enum {
	IDMA_A_DEV_ID = 1,
	IDMA_A_DEV_NAME,
	IDMA_A_DEV_STATE,
	IDMA_A_DEV_CAPS,
	IDMA_A_DEV_CHANNELS,
	IDMA_A_DEV_CHANNELS_IN_USE,
	IDMA_A_DEV_IRQ,
	IDMA_A_DEV_IN_FLIGHT,
	IDMA_A_DEV_FRONTEND,
	IDMA_A_DEV_COUNTERS,
	IDMA_A_DEV_RESET_METHOD,

	__IDMA_A_DEV_MAX,
	IDMA_A_DEV_MAX = (__IDMA_A_DEV_MAX - 1)
};

enum {
	IDMA_A_CHAN_DEV_ID = 1,
	IDMA_A_CHAN_DEV_NAME,
	IDMA_A_CHAN_ID,
	IDMA_A_CHAN_NAME,
	IDMA_A_CHAN_CLIENTS,
	IDMA_A_CHAN_COUNTERS,

	__IDMA_A_CHAN_MAX,
	IDMA_A_CHAN_MAX = (__IDMA_A_CHAN_MAX - 1)
};

enum {
	IDMA_A_EVENT_DEV_ID = 1,
	IDMA_A_EVENT_DEV_NAME,
	IDMA_A_EVENT_TIME,
	IDMA_A_EVENT_LOST,
	IDMA_A_EVENT_CHAN_ID,
	IDMA_A_EVENT_CHAN_NAME,
	IDMA_A_EVENT_FAULT,
	IDMA_A_EVENT_COOKIE,
	IDMA_A_EVENT_LEN,
	IDMA_A_EVENT_RESIDUE,
	IDMA_A_EVENT_IN_FLIGHT,
	IDMA_A_EVENT_RESET_METHOD,

	__IDMA_A_EVENT_MAX,
	IDMA_A_EVENT_MAX = (__IDMA_A_EVENT_MAX - 1)
};

enum {
	IDMA_A_BENCH_HIST_BUCKETS = 1,
	IDMA_A_BENCH_HIST_COUNT,
	IDMA_A_BENCH_HIST_SUM,
	IDMA_A_BENCH_HIST_SMALLEST,
	IDMA_A_BENCH_HIST_LARGEST,

	__IDMA_A_BENCH_HIST_MAX,
	IDMA_A_BENCH_HIST_MAX = (__IDMA_A_BENCH_HIST_MAX - 1)
};

enum {
	IDMA_A_BENCH_PHASE_RESULT_PHASE = 1,
	IDMA_A_BENCH_PHASE_RESULT_NS,
	IDMA_A_BENCH_PHASE_RESULT_INSTRUCTIONS,
	IDMA_A_BENCH_PHASE_RESULT_CYCLES,

	__IDMA_A_BENCH_PHASE_RESULT_MAX,
	IDMA_A_BENCH_PHASE_RESULT_MAX = (__IDMA_A_BENCH_PHASE_RESULT_MAX - 1)
};

enum {
	IDMA_A_BENCH_RESULT_INDEX = 1,
	IDMA_A_BENCH_RESULT_SIZE,
	IDMA_A_BENCH_RESULT_DEPTH,
	IDMA_A_BENCH_RESULT_BATCH,
	IDMA_A_BENCH_RESULT_CHANNELS,
	IDMA_A_BENCH_RESULT_STATE,
	IDMA_A_BENCH_RESULT_ERROR,
	IDMA_A_BENCH_RESULT_TRANSFERS,
	IDMA_A_BENCH_RESULT_BYTES,
	IDMA_A_BENCH_RESULT_TIME,
	IDMA_A_BENCH_RESULT_ERRORS,
	IDMA_A_BENCH_RESULT_VERIFIED,
	IDMA_A_BENCH_RESULT_MISMATCHES,
	IDMA_A_BENCH_RESULT_CALLBACKS_ELSEWHERE,
	IDMA_A_BENCH_RESULT_INTERRUPTS,
	IDMA_A_BENCH_RESULT_INSTRUCTIONS,
	IDMA_A_BENCH_RESULT_INSTRUCTIONS_IDLE,
	IDMA_A_BENCH_RESULT_CYCLES,
	IDMA_A_BENCH_RESULT_CYCLES_IDLE,
	IDMA_A_BENCH_RESULT_PHASE,

	__IDMA_A_BENCH_RESULT_MAX,
	IDMA_A_BENCH_RESULT_MAX = (__IDMA_A_BENCH_RESULT_MAX - 1)
};

enum {
	IDMA_A_BENCH_ID = 1,
	IDMA_A_BENCH_CHANNEL,
	IDMA_A_BENCH_CHANNEL_COUNT,
	IDMA_A_BENCH_SIZE,
	IDMA_A_BENCH_DEPTH,
	IDMA_A_BENCH_BATCH,
	IDMA_A_BENCH_TRANSFERS,
	IDMA_A_BENCH_TIME_LIMIT,
	IDMA_A_BENCH_TIMEOUT,
	IDMA_A_BENCH_WARMUP,
	IDMA_A_BENCH_WAIT,
	IDMA_A_BENCH_VERIFY,
	IDMA_A_BENCH_SRC_OFFSET,
	IDMA_A_BENCH_DST_OFFSET,
	IDMA_A_BENCH_CPU,
	IDMA_A_BENCH_DETACH,
	IDMA_A_BENCH_TOTALS_ONLY,
	IDMA_A_BENCH_STATE,
	IDMA_A_BENCH_ERROR,
	IDMA_A_BENCH_MESSAGE,
	IDMA_A_BENCH_CONFIGS,
	IDMA_A_BENCH_CONFIGS_DONE,
	IDMA_A_BENCH_COUNTERS,
	IDMA_A_BENCH_RESOLUTION,
	IDMA_A_BENCH_RESULT,

	__IDMA_A_BENCH_MAX,
	IDMA_A_BENCH_MAX = (__IDMA_A_BENCH_MAX - 1)
};

enum {
	IDMA_A_RANGE_REMOTE = 1,
	IDMA_A_RANGE_LEN,

	__IDMA_A_RANGE_MAX,
	IDMA_A_RANGE_MAX = (__IDMA_A_RANGE_MAX - 1)
};

enum {
	IDMA_A_LINK_NAME = 1,
	IDMA_A_LINK_DEV_NAME,
	IDMA_A_LINK_STATE,
	IDMA_A_LINK_SIZE,
	IDMA_A_LINK_ALIGN,
	IDMA_A_LINK_MAX_LEN,
	IDMA_A_LINK_MAX_WINDOWS,
	IDMA_A_LINK_WINDOWS,
	IDMA_A_LINK_GRANTS,
	IDMA_A_LINK_REMOTE,
	IDMA_A_LINK_TIME,

	__IDMA_A_LINK_MAX,
	IDMA_A_LINK_MAX = (__IDMA_A_LINK_MAX - 1)
};

enum {
	IDMA_A_WINDOW_ID = 1,
	IDMA_A_WINDOW_LINK,
	IDMA_A_WINDOW_REMOTE,
	IDMA_A_WINDOW_LEN,
	IDMA_A_WINDOW_DIR,
	IDMA_A_WINDOW_PRIVID,
	IDMA_A_WINDOW_DEV_NAME,
	IDMA_A_WINDOW_PHYS,
	IDMA_A_WINDOW_BUS,
	IDMA_A_WINDOW_CPU,
	IDMA_A_WINDOW_STATE,
	IDMA_A_WINDOW_MANAGED,
	IDMA_A_WINDOW_TIME,

	__IDMA_A_WINDOW_MAX,
	IDMA_A_WINDOW_MAX = (__IDMA_A_WINDOW_MAX - 1)
};

enum {
	IDMA_A_GRANT_LINK = 1,
	IDMA_A_GRANT_REMOTE,
	IDMA_A_GRANT_LEN,
	IDMA_A_GRANT_MANAGED,

	__IDMA_A_GRANT_MAX,
	IDMA_A_GRANT_MAX = (__IDMA_A_GRANT_MAX - 1)
};

enum {
	IDMA_A_WINDOW_COPY_ID = 1,
	IDMA_A_WINDOW_COPY_DIR,
	IDMA_A_WINDOW_COPY_BY,
	IDMA_A_WINDOW_COPY_OFFSET,
	IDMA_A_WINDOW_COPY_LEN,
	IDMA_A_WINDOW_COPY_COUNT,
	IDMA_A_WINDOW_COPY_SEED,
	IDMA_A_WINDOW_COPY_VERIFY,
	IDMA_A_WINDOW_COPY_TRANSFERS,
	IDMA_A_WINDOW_COPY_BYTES,
	IDMA_A_WINDOW_COPY_TIME,
	IDMA_A_WINDOW_COPY_ERROR,
	IDMA_A_WINDOW_COPY_MISMATCHES,
	IDMA_A_WINDOW_COPY_FIRST_MISMATCH,

	__IDMA_A_WINDOW_COPY_MAX,
	IDMA_A_WINDOW_COPY_MAX = (__IDMA_A_WINDOW_COPY_MAX - 1)
};

enum {
	IDMA_CMD_DEV_GET = 1,
	IDMA_CMD_CHAN_GET,
	IDMA_CMD_DEV_RESET,
	IDMA_CMD_BENCH_START,
	IDMA_CMD_BENCH_STOP,
	IDMA_CMD_BENCH_GET,
	IDMA_CMD_TRANSFER_ERROR,
	IDMA_CMD_DEV_DEAD,
	IDMA_CMD_DEV_RECOVERED,
	IDMA_CMD_BENCH_FINISHED,
	IDMA_CMD_LINK_GET,
	IDMA_CMD_WINDOW_NEW,
	IDMA_CMD_WINDOW_DEL,
	IDMA_CMD_WINDOW_GET,
	IDMA_CMD_WINDOW_COPY,
	IDMA_CMD_GRANT_NEW,
	IDMA_CMD_GRANT_DEL,
	IDMA_CMD_GRANT_GET,
	IDMA_CMD_LINK_ADDED,
	IDMA_CMD_LINK_REMOVED,
	IDMA_CMD_LINK_UP,
	IDMA_CMD_LINK_DOWN,
	IDMA_CMD_WINDOW_REVOKED,

	__IDMA_CMD_MAX,
	IDMA_CMD_MAX = (__IDMA_CMD_MAX - 1)
};

#define IDMA_MCGRP_EVENTS	"events"

#endif /* _UAPI_LINUX_IDMA_H */
