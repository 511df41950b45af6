/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The iDMA driver's own types: engine, channel, transfer, and the interface
 * between the core, which knows dmaengine and no register, and a front-end,
 * which knows registers and nothing of dmaengine.
 */
#ifndef _DRIVERS_DMA_IDMA_H
#define _DRIVERS_DMA_IDMA_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/dmaengine.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <uapi/linux/idma.h>

#include "virt-dma.h"

struct clk;
struct dentry;
struct idma_dev;
struct reset_control;
struct seq_file;

#define IDMA_MAX_CHANNELS	64
#define IDMA_DEF_CHANNELS	8

/*
 * Longest piece of a transfer that one hardware descriptor carries, so that
 * channels take turns and the residue falls: 2.6 ms at 50 MHz and 64 bit.
 */
#define IDMA_MAX_SEGMENT	SZ_1M

/*
 * Bounds of one chain. What is launched can no longer be taken back: terminate
 * waits for it, 45 ms at 50 MHz and 64 bit with two full chains in hardware.
 */
#define IDMA_CHAIN_SEGMENTS	64U
#define IDMA_CHAIN_BYTES	SZ_8M

/*
 * One chain runs while the next one waits in the input FIFO. More would only
 * split the same work into more chains, each with an interrupt of its own.
 */
#define IDMA_CHAINS		2

/* Segments in hardware at any time; a power of two, it is a ring */
#define IDMA_INFLIGHT		256U

/* Runs of failed cookies that a channel remembers for tx_status() */
#define IDMA_FAILED_RANGES	16U

/**
 * enum idma_reap_by - what made the driver look at the completion marks
 * @IDMA_REAP_IRQ: the engine's interrupt
 * @IDMA_REAP_BACKSTOP: the backstop timer
 * @IDMA_REAP_POLL: a client in tx_status(), issue_pending() or a wait
 * @IDMA_REAP_NUM: number of ways
 */
enum idma_reap_by {
	IDMA_REAP_IRQ,
	IDMA_REAP_BACKSTOP,
	IDMA_REAP_POLL,
	IDMA_REAP_NUM
};

/**
 * struct idma_segment - what one hardware descriptor moves
 * @src: bus address of the source
 * @dst: bus address of the destination
 * @len: length in bytes, 1 .. the front-end's max_len
 * @irq: raise the interrupt when the segment is complete
 */
struct idma_segment {
	dma_addr_t src;
	dma_addr_t dst;
	u32 len;
	bool irq;
};

/**
 * struct idma_frontend_ops - what a front-end does for the core
 * @name: name in messages and statistics
 * @max_len: longest segment in bytes
 * @init: allocate what the front-end needs; the engine must be idle. May sleep.
 * @exit: release it; with @leak set the engine may still write to the
 *	front-end's memory, which is then given up rather than freed. May sleep.
 * @room: how many segments the next chain may have now, 0 for none
 * @build: append a segment to the chain that is being built
 * @launch: start the chain that was built; @irq asks for the interrupt at its
 *	end
 * @pending: is the oldest segment in flight complete?
 * @reap: take the oldest segments that are complete, at most @max; returns
 *	how many
 * @busy: does the engine say that it is still working?
 * @reset: forget all segments after the engine was reset
 * @show: describe the front-end's state for debugfs
 *
 * Segments complete in the order in which they were built, over all channels.
 * All but @init and @exit are called with &idma_dev.lock held.
 */
struct idma_frontend_ops {
	const char *name;
	u32 max_len;
	int (*init)(struct idma_dev *idma);
	void (*exit)(struct idma_dev *idma, bool leak);
	unsigned int (*room)(struct idma_dev *idma);
	void (*build)(struct idma_dev *idma, const struct idma_segment *seg);
	void (*launch)(struct idma_dev *idma, bool irq);
	bool (*pending)(struct idma_dev *idma);
	unsigned int (*reap)(struct idma_dev *idma, unsigned int max);
	bool (*busy)(struct idma_dev *idma);
	void (*reset)(struct idma_dev *idma);
	void (*show)(struct idma_dev *idma, struct seq_file *s);
};

/**
 * struct idma_match - what a compatible string says about the hardware
 * @ops: the front-end
 * @flags: flags of every descriptor, in the front-end's own terms
 */
struct idma_match {
	const struct idma_frontend_ops *ops;
	u32 flags;
};

/**
 * struct idma_tx - a transfer as the client asked for it
 * @vd: virt-dma's part, with the client's descriptor
 * @src: bus address of the source
 * @dst: bus address of the destination
 * @len: length in bytes, at least 1
 * @built: bytes that were handed to the front-end as segments
 * @done: bytes of segments that are complete
 * @inflight: segments in hardware
 * @epoch: idma_window_now() when it was started
 * @terminated: the client has terminated it: no callback, no more segments
 * @cut: the driver gave it up before its end: an error, no more segments
 * @used: it was started before: the client submits it again
 * @keep: it is kept for another transfer when this one is over
 * @kept: link in &idma_chan.kept if it is
 * @free: link in &idma_chan.free while it is free
 *
 * One that is kept is on no list of virt-dma's from prep to submit: preparing
 * it takes no lock.
 */
struct idma_tx {
	struct virt_dma_desc vd;
	dma_addr_t src;
	dma_addr_t dst;
	size_t len;
	size_t built;
	size_t done;
	unsigned int inflight;
	u32 epoch;
	bool terminated;
	bool cut;
	bool used;
	bool keep;
	struct list_head kept;
	struct llist_node free;
};

/**
 * struct idma_chan_stats - counters of a channel, since probe
 * @transfers: transfers completed without error
 * @bytes: bytes of these
 * @errors: transfers completed with an error
 * @terminated: transfers that clients terminated
 * @faults: the errors by cause
 */
struct idma_chan_stats {
	u64 transfers;
	u64 bytes;
	u64 errors;
	u64 terminated;
	u64 faults[IDMA_FAULT_MAX + 1];
};

/**
 * struct idma_failed - cookies that ended without success
 * @first: the first one
 * @last: the last one
 */
struct idma_failed {
	dma_cookie_t first;
	dma_cookie_t last;
};

/**
 * struct idma_chan - a virtual channel
 * @vc: virt-dma's part; its lock nests inside &idma_dev.lock
 * @idma: the engine
 * @ready: link in &idma_dev.ready while there is something to launch
 * @active: transfers with segments in hardware or about to be, in order
 * @next: transfer whose next segment is due, NULL for the next issued one
 * @credit: bytes that the channel may still launch in this round; negative
 *	after a long segment
 * @turn: segments launched in this turn
 * @dying: terminated transfers that still have segments in hardware
 * @kept: all transfers that are kept, in use or free
 * @nr_kept: how many
 * @free: those that are free
 * @failed: cookies that failed or were terminated, newest overwrites oldest
 * @nfailed: runs ever recorded in @failed
 * @newest: cookie of the last transfer that was started
 * @stats: counters
 */
struct idma_chan {
	struct virt_dma_chan vc;
	struct idma_dev *idma;
	struct list_head ready;
	struct list_head active;
	struct idma_tx *next;
	s64 credit;
	unsigned int turn;
	struct list_head dying;
	struct list_head kept;
	unsigned int nr_kept;
	struct llist_head free;
	struct idma_failed failed[IDMA_FAILED_RANGES];
	unsigned int nfailed;
	dma_cookie_t newest;
	struct idma_chan_stats stats;
};

/**
 * struct idma_inflight - a segment in hardware
 * @tx: its transfer, NULL if that was given up as lost
 * @len: its length in bytes
 * @irq: the interrupt was asked for
 */
struct idma_inflight {
	struct idma_tx *tx;
	u32 len;
	bool irq;
};

/**
 * struct idma_stats - counters of an engine, since probe
 * @launches: chains launched
 * @launches_refused: launches put off because the input FIFO was full
 * @segments: hardware descriptors launched
 * @interrupts: interrupts taken
 * @interrupts_foreign: interrupts that were not the engine's (shared line)
 * @interrupts_missed: segments with an interrupt found by the backstop timer
 * @backstops: expiries of the backstop timer
 * @reaped: segments found complete, by what found them
 * @stalls: times that the engine was given up as dead
 * @recoveries: times that it came back
 */
struct idma_stats {
	u64 launches;
	u64 launches_refused;
	u64 segments;
	u64 interrupts;
	u64 interrupts_foreign;
	u64 interrupts_missed;
	u64 backstops;
	u64 reaped[IDMA_REAP_NUM];
	u64 stalls;
	u64 recoveries;
};

/**
 * struct idma_dev - an engine
 * @dma: dmaengine's part; its reference count keeps the structure alive while
 *	clients hold channels, even after the driver was unbound
 * @dev: the platform device
 * @regs: the front-end's registers
 * @clk: its clock, prepared; off while the engine is idle; NULL if none
 * @rst: reset line, NULL if there is none
 * @irq: interrupt number
 * @ops: the front-end
 * @fe: its data
 * @fe_flags: flags of every descriptor
 * @max_segment: longest segment in bytes
 * @input_slots: chain heads that the input FIFO takes
 * @pending_slots: segments that may be in hardware at once
 * @lock: protects all that follows and the front-end; taken with interrupts
 *	off, from any context
 * @ready: channels with something to launch, in turn
 * @fifo_head: next free entry of @fifo
 * @fifo_tail: oldest entry
 * @since_irq: transfers built since the last segment with an interrupt
 * @irq_due: segments reaped that had asked for an interrupt, less interrupts
 *	taken: what may still come, negative if interrupts were ahead
 * @irq_cpu: where the last interrupt was taken
 * @held: suspended: what is queued stays queued
 * @resetting: being reset or drained: nothing is launched; with a reset line
 *	registers are not read either, and it stays set when the reset failed
 * @reset_failed: the last reset did not work: @resetting is not going to end
 * @gone: the driver is unbound
 * @dead: the engine stopped completing and nothing is launched any more
 * @fault: why transfers that fail do so
 * @backstop_armed: the backstop timer is running and the clock is on
 * @progress: something completed since the backstop timer last expired
 * @stall_ticks: expiries of the backstop timer without progress
 * @stats: counters
 * @task: reaps after the interrupt has been completed at the controller
 * @backstop: finds what no interrupt reported
 * @idle_wait: woken when the last segment of a terminated channel, or of all
 *	channels, is complete
 * @recover: resets a dead engine where there is a reset line
 * @reset_lock: one reset at a time
 * @release: frees the engine when dmaengine and all clients are done with it
 * @debugfs: the file "stats"
 * @nl: link in the netlink family's list of engines
 * @fifo: segments in hardware, in order; protected by @lock
 * @nr_chans: number of channels
 * @chans: the channels
 */
struct idma_dev {
	struct dma_device dma;
	struct device *dev;
	void __iomem *regs;
	struct clk *clk;
	struct reset_control *rst;
	int irq;

	const struct idma_frontend_ops *ops;
	void *fe;
	u32 fe_flags;
	u32 max_segment;
	u32 input_slots;
	u32 pending_slots;

	/* Protects what follows and the front-end, from any context */
	spinlock_t lock;
	struct list_head ready;
	unsigned int fifo_head;
	unsigned int fifo_tail;
	unsigned int since_irq;
	int irq_due;
	int irq_cpu;
	bool held;
	bool resetting;
	bool reset_failed;
	bool gone;
	bool dead;
	enum idma_fault fault;
	bool backstop_armed;
	bool progress;
	unsigned int stall_ticks;
	struct idma_stats stats;

	struct tasklet_struct task;
	struct hrtimer backstop;
	wait_queue_head_t idle_wait;
	struct work_struct recover;
	struct mutex reset_lock; /* One reset at a time */
	struct work_struct release;
	struct dentry *debugfs;
	struct list_head nl;

	/* Behind what is used all the time, which a short offset reaches then */
	struct idma_inflight fifo[IDMA_INFLIGHT];

	unsigned int nr_chans;
	struct idma_chan chans[];
};

static inline struct idma_chan *to_idma_chan(struct dma_chan *chan)
{
	return container_of(chan, struct idma_chan, vc.chan);
}

static inline struct idma_dev *to_idma_dev(struct dma_device *dma)
{
	return container_of(dma, struct idma_dev, dma);
}

static inline struct idma_tx *to_idma_tx(struct virt_dma_desc *vd)
{
	return container_of(vd, struct idma_tx, vd);
}

static inline unsigned int idma_inflight(const struct idma_dev *idma)
{
	return idma->fifo_head - idma->fifo_tail;
}

/* As users are told, with the engine's lock held */
static inline enum idma_dev_state idma_state(const struct idma_dev *idma)
{
	if (idma->resetting && !idma->reset_failed)
		return IDMA_DEV_STATE_RESETTING;
	if (idma->dead)
		return IDMA_DEV_STATE_DEAD;

	return idma_inflight(idma) ? IDMA_DEV_STATE_BUSY : IDMA_DEV_STATE_IDLE;
}

/* Sum of all channels, with the engine's lock held, under which they count */
static inline void idma_sum_stats(const struct idma_dev *idma,
				  struct idma_chan_stats *sum)
{
	unsigned int i, f;

	memset(sum, 0, sizeof(*sum));
	for (i = 0; i < idma->nr_chans; i++) {
		const struct idma_chan_stats *stats = &idma->chans[i].stats;

		sum->transfers += stats->transfers;
		sum->bytes += stats->bytes;
		sum->errors += stats->errors;
		sum->terminated += stats->terminated;
		for (f = 0; f < ARRAY_SIZE(sum->faults); f++)
			sum->faults[f] += stats->faults[f];
	}
}

/* What only the KUnit tests call from outside its file */
#if IS_ENABLED(CONFIG_PULP_IDMA_KUNIT_TEST)
#define EXPORT_SYMBOL_IDMA_KUNIT(sym)	EXPORT_SYMBOL_GPL(sym)
#else
#define EXPORT_SYMBOL_IDMA_KUNIT(sym)	static_assert(sizeof(typeof(sym) *))
#endif

/* idma-core.c: shared with the KUnit tests */
u32 idma_next_segment(const struct idma_tx *tx, u32 max_len,
		      struct idma_segment *seg);

/* idma-core.c */
int idma_clock_get(struct idma_dev *idma);
void idma_clock_put(struct idma_dev *idma);
int idma_reset(struct idma_dev *idma, enum idma_reset_method *method);

/* idma-desc64.c */
extern const struct idma_frontend_ops idma_desc64_ops;

/* idma-netlink.c */
#ifdef CONFIG_NET
int idma_nl_init(void);
void idma_nl_exit(void);
void idma_nl_register(struct idma_dev *idma);
void idma_nl_unregister(struct idma_dev *idma);
void idma_nl_transfer_error(struct idma_chan *c, const struct idma_tx *tx,
			    enum idma_fault fault);
void idma_nl_dead(struct idma_dev *idma);
void idma_nl_recovered(struct idma_dev *idma, enum idma_reset_method method);
#else
static inline int idma_nl_init(void)
{
	return 0;
}

static inline void idma_nl_exit(void)
{
}

static inline void idma_nl_register(struct idma_dev *idma)
{
}

static inline void idma_nl_unregister(struct idma_dev *idma)
{
}

static inline void idma_nl_transfer_error(struct idma_chan *c,
					  const struct idma_tx *tx,
					  enum idma_fault fault)
{
}

static inline void idma_nl_dead(struct idma_dev *idma)
{
}

static inline void idma_nl_recovered(struct idma_dev *idma,
				     enum idma_reset_method method)
{
}
#endif

/* idma-debugfs.c */
void idma_debugfs_init(struct idma_dev *idma);
void idma_debugfs_exit(struct idma_dev *idma);
void idma_summary_show(struct seq_file *s, struct dma_device *dma);

#endif /* _DRIVERS_DMA_IDMA_H */
