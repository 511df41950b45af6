// SPDX-License-Identifier: GPL-2.0-only
/*
 * The bench client: a memcpy client of dmaengine that keeps so many transfers
 * in flight on so many channels, looks at the data, and counts what a transfer
 * costs the CPU.
 *
 * A thread, bound to one CPU, prepares, submits and issues; callbacks hand what
 * is complete back to it through a lock-free list. Nothing is allocated, mapped
 * or freed while it measures. What does not belong to the transfers (looking at
 * the data, spinning) is counted apart.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/dmaengine.h>
#include <linux/err.h>
#include <linux/freezer.h>
#include <linux/gfp.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/kernel_stat.h>
#include <linux/kthread.h>
#include <linux/llist.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/processor.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/wait.h>

#include "idma-bench-cpu.h"
#include "idma-bench-run.h"

/* Bytes before and behind a destination that must not change */
#define IDMA_BENCH_GUARD	64
#define IDMA_BENCH_GUARD_BYTE	0xc3
/* What offsets are counted from */
#define IDMA_BENCH_ALIGN	64
/* Rounds of spinning between looks at the clock */
#define IDMA_BENCH_SPINS	1000
/* How often something is measured to find out what it takes undisturbed */
#define IDMA_BENCH_CALIBRATE	16

struct idma_bench;

/**
 * struct idma_bench_buf - a buffer for one side of a transfer
 * @mem: its memory
 * @data: where the data is in it, with a guard before and behind
 * @dma: bus address of @data
 * @dev: the device that it is mapped for, NULL if it is not
 * @dir: how
 */
struct idma_bench_buf {
	void *mem;
	u8 *data;
	dma_addr_t dma;
	struct device *dev;
	enum dma_data_direction dir;
};

/**
 * struct idma_bench_slot - a transfer that can be in flight
 * @done: link in the list of what is complete
 * @b: the measurement
 * @lane: the channel
 * @src: source
 * @dst: destination
 * @seed: what the source is filled from
 * @used: was in flight since the destination was filled last
 * @cookie: of the transfer
 * @result: how it ended
 * @cpu: where
 * @submitted: end of submit
 * @completed: beginning of the callback
 */
struct idma_bench_slot {
	struct llist_node done;
	struct idma_bench *b;
	struct idma_bench_lane *lane;
	struct idma_bench_buf src;
	struct idma_bench_buf dst;
	u64 seed;
	bool used;
	dma_cookie_t cookie;
	enum dmaengine_tx_result result;
	unsigned int cpu;
	struct idma_bench_stamp submitted;
	struct idma_bench_stamp completed;
};

/**
 * struct idma_bench_lane - a channel and its slots
 * @chan: the channel, NULL if the CPU or nobody does the transfers
 * @name: its name
 * @slots: all slots
 * @free: those that are free
 * @nr_free: how many
 * @fifo: those in flight, in order: polled, or done by the CPU when issued
 * @head: where the next one goes
 * @tail: the oldest one
 */
struct idma_bench_lane {
	struct dma_chan *chan;
	const char *name;
	struct idma_bench_slot *slots;
	struct idma_bench_slot **free;
	unsigned int nr_free;
	struct idma_bench_slot **fifo;
	unsigned int head;
	unsigned int tail;
};

/**
 * struct idma_bench - the measurement of a configuration
 * @run: the run
 * @cfg: the configuration
 * @lanes: the channels
 * @phases: costs by phase, NULL if they are not measured
 * @totals: the result
 * @empty: what the counters say to nothing
 * @excluded: time and counts that do not belong to the transfers
 * @measuring: and not warming up
 * @inflight: transfers submitted and not yet collected
 * @turns: turns of spinning, of IDMA_BENCH_SPINS rounds at most each
 * @rounds: rounds of all of them
 * @leak: the engine may still write to the buffers
 * @done: what is complete and not yet collected
 * @nr_done: how many these are
 * @want: so many of them is what the thread waits for
 * @last: after that nothing is left to do
 * @reached: when it came to that, in ns
 * @wait: where the thread sleeps
 * @rcu: frees it when no callback is left that touches it
 *
 * What callbacks touch comes last.
 */
struct idma_bench {
	struct idma_bench_run *run;
	struct idma_bench_config *cfg;
	struct idma_bench_lane lanes[IDMA_BENCH_MAX_CHANNELS];
	struct idma_bench_cost *phases;
	struct idma_bench_totals totals;
	struct idma_bench_stamp empty;
	struct idma_bench_stamp excluded;
	bool measuring;
	unsigned int inflight;
	u64 turns;
	u64 rounds;
	bool leak;

	struct llist_head done ____cacheline_aligned;
	atomic_t nr_done;
	int want;
	bool last;
	u64 reached;
	wait_queue_head_t wait;
	struct rcu_head rcu;
};

/* ---- Data ---- */

/* Eight bytes that depend on all bits of the seed and the position */
static u64 idma_bench_word(u64 seed, size_t pos)
{
	u64 x = seed + pos * 0x9e3779b97f4a7c15ULL;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;

	return x ^ (x >> 31);
}

/* Fill with the pattern, or with its complement, in which no byte is right */
static void idma_bench_fill(u8 *p, size_t len, u64 seed, bool wrong)
{
	size_t pos, n;

	for (pos = 0; pos < len; pos += n) {
		u64 word = idma_bench_word(seed, pos);

		n = min(len - pos, sizeof(word));
		word = wrong ? ~word : word;
		memcpy(p + pos, &word, n);
	}
}

/* Where the pattern ends: at @len if all is right */
static size_t idma_bench_right(const u8 *p, size_t len, u64 seed)
{
	size_t pos, n, i;

	for (pos = 0; pos < len; pos += n) {
		u64 word = idma_bench_word(seed, pos);

		n = min(len - pos, sizeof(word));
		if (!memcmp(p + pos, &word, n))
			continue;
		for (i = 0; i < n; i++)
			if (p[pos + i] != ((u8 *)&word)[i])
				return pos + i;
	}

	return len;
}

static bool idma_bench_guarded(const struct idma_bench_buf *buf, size_t len)
{
	return !memchr_inv(buf->data - IDMA_BENCH_GUARD, IDMA_BENCH_GUARD_BYTE,
			   IDMA_BENCH_GUARD) &&
	       !memchr_inv(buf->data + len, IDMA_BENCH_GUARD_BYTE,
			   IDMA_BENCH_GUARD);
}

/* ---- Buffers ---- */

static size_t idma_bench_buf_size(u32 len, u32 offset)
{
	return IDMA_BENCH_ALIGN + IDMA_BENCH_GUARD + offset + len +
	       IDMA_BENCH_GUARD;
}

/* What an allocation of this size takes: small ones share pages */
static size_t idma_bench_alloc_size(size_t size)
{
	return size <= PAGE_SIZE / 2 ? roundup_pow_of_two(size) : PAGE_ALIGN(size);
}

/* No process has to die for a measurement */
static void *idma_bench_alloc(size_t size)
{
	gfp_t gfp = GFP_KERNEL | __GFP_NOWARN | __GFP_RETRY_MAYFAIL;

	if (size <= PAGE_SIZE / 2)
		return kmalloc(size, gfp);

	return alloc_pages_exact(size, gfp);
}

static void idma_bench_release(void *mem, size_t size)
{
	if (size <= PAGE_SIZE / 2)
		kfree(mem);
	else if (mem)
		free_pages_exact(mem, size);
}

static int idma_bench_buf_init(struct idma_bench_buf *buf, u32 len, u32 offset)
{
	size_t size = idma_bench_buf_size(len, offset);

	buf->mem = idma_bench_alloc(size);
	if (!buf->mem)
		return -ENOMEM;
	memset(buf->mem, IDMA_BENCH_GUARD_BYTE, size);
	buf->data = PTR_ALIGN((u8 *)buf->mem + IDMA_BENCH_GUARD,
			      IDMA_BENCH_ALIGN) + offset;

	return 0;
}

/* With its guards, which then survive a bounce buffer */
static int idma_bench_buf_map(struct idma_bench_buf *buf, u32 len,
			      struct device *dev, enum dma_data_direction dir)
{
	dma_addr_t dma;

	dma = dma_map_single(dev, buf->data - IDMA_BENCH_GUARD,
			     IDMA_BENCH_GUARD + len + IDMA_BENCH_GUARD, dir);
	if (dma_mapping_error(dev, dma))
		return -ENOMEM;
	buf->dma = dma + IDMA_BENCH_GUARD;
	buf->dir = dir;
	buf->dev = dev;

	return 0;
}

static void idma_bench_buf_exit(struct idma_bench_buf *buf, u32 len, u32 offset)
{
	if (buf->dev)
		dma_unmap_single(buf->dev, buf->dma - IDMA_BENCH_GUARD,
				 IDMA_BENCH_GUARD + len + IDMA_BENCH_GUARD,
				 buf->dir);
	idma_bench_release(buf->mem, idma_bench_buf_size(len, offset));
}

static void idma_bench_to_cpu(const struct idma_bench_buf *buf, u32 len)
{
	if (buf->dev)
		dma_sync_single_for_cpu(buf->dev, buf->dma - IDMA_BENCH_GUARD,
					IDMA_BENCH_GUARD + len + IDMA_BENCH_GUARD,
					buf->dir);
}

static void idma_bench_to_dev(const struct idma_bench_buf *buf, u32 len)
{
	if (buf->dev)
		dma_sync_single_for_device(buf->dev, buf->dma - IDMA_BENCH_GUARD,
					   IDMA_BENCH_GUARD + len + IDMA_BENCH_GUARD,
					   buf->dir);
}

/**
 * idma_bench_run_memory - how much memory do the buffers of a configuration take?
 * @run: the run
 * @cfg: the configuration
 *
 * Return: bytes; more than any machine has if that is more than can be counted
 */
size_t idma_bench_run_memory(const struct idma_bench_run *run,
			     const struct idma_bench_config *cfg)
{
	size_t src = idma_bench_buf_size(cfg->size, run->src_offset);
	size_t dst = idma_bench_buf_size(cfg->size, run->dst_offset);
	size_t size = idma_bench_alloc_size(src) + idma_bench_alloc_size(dst);

	return array3_size(size, cfg->depth, cfg->channels);
}

static void idma_bench_slots_free(struct idma_bench *b)
{
	const struct idma_bench_run *run = b->run;
	u32 size = b->cfg->size;
	unsigned int i, k;

	for (i = 0; i < b->cfg->channels; i++) {
		struct idma_bench_lane *lane = &b->lanes[i];

		for (k = 0; lane->slots && k < b->cfg->depth; k++) {
			struct idma_bench_slot *slot = &lane->slots[k];

			idma_bench_buf_exit(&slot->src, size, run->src_offset);
			idma_bench_buf_exit(&slot->dst, size, run->dst_offset);
		}
		kvfree(lane->slots);
		kvfree(lane->free);
		kvfree(lane->fifo);
	}
}

static int idma_bench_slot_init(struct idma_bench *b,
				struct idma_bench_lane *lane,
				struct idma_bench_slot *slot)
{
	u32 size = b->cfg->size;
	int ret;

	slot->b = b;
	slot->lane = lane;
	slot->seed = idma_bench_word(lane - b->lanes, slot - lane->slots + 1);
	ret = idma_bench_buf_init(&slot->src, size, b->run->src_offset);
	if (!ret)
		ret = idma_bench_buf_init(&slot->dst, size, b->run->dst_offset);
	if (ret)
		return ret;
	idma_bench_fill(slot->src.data, size, slot->seed, false);
	idma_bench_fill(slot->dst.data, size, slot->seed, true);

	if (lane->chan) {
		struct device *dev = dmaengine_get_dma_device(lane->chan);

		ret = idma_bench_buf_map(&slot->src, size, dev, DMA_TO_DEVICE);
		if (!ret)
			ret = idma_bench_buf_map(&slot->dst, size, dev,
						 DMA_BIDIRECTIONAL);
	}

	return ret;
}

static int idma_bench_slots_init(struct idma_bench *b)
{
	u32 depth = b->cfg->depth;
	unsigned int i, k;
	int ret;

	for (i = 0; i < b->cfg->channels; i++) {
		struct idma_bench_lane *lane = &b->lanes[i];

		lane->chan = b->run->chans[i].chan;
		lane->name = b->run->chans[i].name;
		lane->slots = kvcalloc(depth, sizeof(*lane->slots), GFP_KERNEL);
		lane->free = kvcalloc(depth, sizeof(*lane->free), GFP_KERNEL);
		lane->fifo = kvcalloc(depth, sizeof(*lane->fifo), GFP_KERNEL);
		if (!lane->slots || !lane->free || !lane->fifo)
			return -ENOMEM;
		for (k = 0; k < depth; k++) {
			ret = idma_bench_slot_init(b, lane, &lane->slots[k]);
			if (ret)
				return ret;
			lane->free[lane->nr_free++] = &lane->slots[k];
			cond_resched();
		}
	}

	return 0;
}

/* ---- Failures ---- */

static __printf(3, 4) int idma_bench_fail(struct idma_bench_run *run, int err,
					  const char *fmt, ...)
{
	va_list args;

	mutex_lock(&run->lock);
	/* The first one counts: what follows may follow from it */
	if (!run->message[0]) {
		va_start(args, fmt);
		vscnprintf(run->message, sizeof(run->message), fmt, args);
		va_end(args);
	}
	mutex_unlock(&run->lock);

	return err;
}

/* Neither hold up others nor a suspend */
static void idma_bench_yield(void)
{
	cond_resched();
	try_to_freeze();
}

static bool idma_bench_stopped(const struct idma_bench *b)
{
	return READ_ONCE(b->run->stop);
}

/* ---- Verification ---- */

static void idma_bench_exclude(struct idma_bench *b,
			       const struct idma_bench_stamp *from)
{
	struct idma_bench_stamp to;

	idma_bench_end(&to);
	b->excluded.ns += to.ns - from->ns;
	b->excluded.insn += to.insn - from->insn;
	b->excluded.cycles += to.cycles - from->cycles;
}

static int idma_bench_look(struct idma_bench *b, struct idma_bench_slot *slot)
{
	u32 size = b->cfg->size;
	size_t right;
	bool guards;

	idma_bench_to_cpu(&slot->dst, size);
	right = idma_bench_right(slot->dst.data, size, slot->seed);
	guards = idma_bench_guarded(&slot->dst, size);
	idma_bench_to_dev(&slot->dst, size);

	if (b->measuring)
		b->totals.verified++;
	if (right == size && guards)
		return 0;

	b->totals.mismatches++;
	if (right == size)
		return idma_bench_fail(b->run, -EILSEQ,
				       "%s: a transfer of %u bytes has changed bytes next to its destination",
				       slot->lane->name, size);

	return idma_bench_fail(b->run, -EILSEQ,
			       "%s: a transfer of %u bytes left wrong data at offset %zu",
			       slot->lane->name, size, right);
}

static void idma_bench_spoil(struct idma_bench *b, struct idma_bench_slot *slot)
{
	u32 size = b->cfg->size;

	idma_bench_to_cpu(&slot->dst, size);
	idma_bench_fill(slot->dst.data, size, slot->seed, true);
	idma_bench_to_dev(&slot->dst, size);
	slot->used = false;
}

/* Before a measurement: what the warm-up has copied is no proof */
static void idma_bench_spoil_all(struct idma_bench *b)
{
	unsigned int i, k;

	for (i = 0; i < b->cfg->channels; i++) {
		for (k = 0; k < b->cfg->depth; k++) {
			idma_bench_spoil(b, &b->lanes[i].slots[k]);
			cond_resched();
		}
	}
}

/* After a measurement: all destinations that were used, and all sources */
static int idma_bench_look_all(struct idma_bench *b)
{
	unsigned int i, k;
	int ret = 0;

	for (i = 0; i < b->cfg->channels; i++) {
		struct idma_bench_lane *lane = &b->lanes[i];

		for (k = 0; k < b->cfg->depth; k++) {
			struct idma_bench_slot *slot = &lane->slots[k];

			if (slot->used && b->run->verify == IDMA_BENCH_VERIFY_LAST)
				ret = idma_bench_look(b, slot) ?: ret;
			idma_bench_to_cpu(&slot->src, b->cfg->size);
			if (idma_bench_right(slot->src.data, b->cfg->size,
					     slot->seed) != b->cfg->size ||
			    !idma_bench_guarded(&slot->src, b->cfg->size))
				ret = idma_bench_fail(b->run, -EILSEQ,
						      "%s: the source of a transfer has changed",
						      lane->name);
			cond_resched();
		}
	}

	return ret;
}

/* ---- Completion ---- */

/*
 * From any context. The thread may go on as soon as the transfer is counted, so
 * the slot is not touched after that, and the measurement is freed by RCU.
 */
static void idma_bench_done(struct idma_bench_slot *slot,
			    enum dmaengine_tx_result result)
{
	struct idma_bench *b = slot->b;

	if (b->phases)
		idma_bench_end(&slot->completed);
	slot->cpu = raw_smp_processor_id();
	slot->result = result;

	rcu_read_lock();
	llist_add(&slot->done, &b->done);
	/* Against the thread, which says what it wants and then looks */
	if (atomic_inc_return(&b->nr_done) >= READ_ONCE(b->want)) {
		/* In the middle of a measurement nobody asks for the time */
		if (b->last)
			b->reached = ktime_get_ns();
		if (wq_has_sleeper(&b->wait))
			wake_up(&b->wait);
	}
	rcu_read_unlock();
}

static void idma_bench_callback(void *param, const struct dmaengine_result *result)
{
	idma_bench_done(param, result ? result->result : DMA_TRANS_NOERROR);
}

/* Look at the oldest transfers of each channel */
static void idma_bench_poll(struct idma_bench *b)
{
	unsigned int i;

	for (i = 0; i < b->cfg->channels; i++) {
		struct idma_bench_lane *lane = &b->lanes[i];

		while (lane->tail != lane->head) {
			struct idma_bench_slot *slot;
			enum dma_status status;

			slot = lane->fifo[lane->tail % b->cfg->depth];
			status = dma_async_is_tx_complete(lane->chan, slot->cookie,
							  NULL, NULL);
			if (status == DMA_IN_PROGRESS || status == DMA_PAUSED)
				break;
			lane->tail++;
			idma_bench_done(slot, status == DMA_COMPLETE ?
					DMA_TRANS_NOERROR : DMA_TRANS_ABORTED);
		}
	}
}

/* The rounds until the thread has what it wants, at most @max */
static noinline u64 idma_bench_spin(struct idma_bench *b, int want, u64 max)
{
	u64 n;

	for (n = 0; n < max && atomic_read(&b->nr_done) < want; n++)
		cpu_relax();

	return n;
}

/* A turn of spinning; returns whether there should be another one */
static noinline bool idma_bench_turn(struct idma_bench *b, int want,
				     unsigned long end)
{
	b->rounds += idma_bench_spin(b, want, IDMA_BENCH_SPINS);
	b->turns++;
	idma_bench_yield();

	return atomic_read(&b->nr_done) < want && !idma_bench_stopped(b) &&
	       time_before(jiffies, end);
}

static void idma_bench_shortest(struct idma_bench_stamp *cost,
				const struct idma_bench_stamp *from,
				const struct idma_bench_stamp *to)
{
	cost->insn = min(cost->insn, to->insn - from->insn);
	cost->cycles = min(cost->cycles, to->cycles - from->cycles);
}

/* What all the spinning was; interrupts that came meanwhile are on top of it */
static void idma_bench_idle(struct idma_bench *b)
{
	struct idma_bench_stamp turn, few, many, from, to;
	u64 turns = b->turns, rounds = b->rounds;
	unsigned int i;

	memset(&turn, 0xff, sizeof(turn));
	few = turn;
	many = turn;
	for (i = 0; i < IDMA_BENCH_CALIBRATE; i++) {
		idma_bench_begin(&from);
		idma_bench_turn(b, INT_MAX, jiffies + HZ);
		idma_bench_end(&to);
		idma_bench_shortest(&turn, &from, &to);

		idma_bench_begin(&from);
		idma_bench_spin(b, INT_MAX, IDMA_BENCH_SPINS);
		idma_bench_end(&to);
		idma_bench_shortest(&few, &from, &to);

		idma_bench_begin(&from);
		idma_bench_spin(b, INT_MAX, 2 * IDMA_BENCH_SPINS);
		idma_bench_end(&to);
		idma_bench_shortest(&many, &from, &to);
	}

	/* A full turn without its rounds is what every turn takes */
	many.insn -= few.insn;
	many.cycles -= few.cycles;
	turn.insn -= b->empty.insn + many.insn;
	turn.cycles -= b->empty.cycles + many.cycles;
	b->totals.insn_idle = turns * turn.insn +
		div_u64(rounds * many.insn, IDMA_BENCH_SPINS);
	b->totals.cycles_idle = turns * turn.cycles +
		div_u64(rounds * many.cycles, IDMA_BENCH_SPINS);
}

static void idma_bench_wait_sleep(struct idma_bench *b, int want)
{
	wait_event_freezable_timeout(b->wait,
				     atomic_read(&b->nr_done) >= want ||
				     idma_bench_stopped(b),
				     msecs_to_jiffies(b->run->timeout) + 1);
}

static void idma_bench_wait_busy(struct idma_bench *b, int want)
{
	unsigned long end = jiffies + msecs_to_jiffies(b->run->timeout) + 1;

	if (b->run->wait == IDMA_BENCH_WAIT_SPIN) {
		while (idma_bench_turn(b, want, end))
			;
		return;
	}

	do {
		idma_bench_poll(b);
		idma_bench_yield();
	} while (atomic_read(&b->nr_done) < want && !idma_bench_stopped(b) &&
		 time_before(jiffies, end));
}

/* Wait until @want transfers are complete that are not collected yet */
static int idma_bench_wait(struct idma_bench *b, int want)
{
	int before, now;

	b->reached = 0;
	/* Against idma_bench_done(), which counts and then looks */
	smp_store_mb(b->want, want);
	now = atomic_read(&b->nr_done);
	while (now < want && !idma_bench_stopped(b)) {
		before = now;
		if (b->run->wait == IDMA_BENCH_WAIT_SLEEP)
			idma_bench_wait_sleep(b, want);
		else
			idma_bench_wait_busy(b, want);
		now = atomic_read(&b->nr_done);
		if (now == before)
			break;
	}
	WRITE_ONCE(b->want, INT_MAX);
	if (now >= want || idma_bench_stopped(b))
		return 0;

	return idma_bench_fail(b->run, -ETIMEDOUT,
			       "no completion for %u ms with %u transfers of %u bytes in flight",
			       b->run->timeout, b->inflight - now, b->cfg->size);
}

static void idma_bench_count(struct idma_bench *b, struct idma_bench_cost *cost,
			     const struct idma_bench_stamp *from,
			     const struct idma_bench_stamp *to, bool cpu)
{
	u64 insn = to->insn - from->insn, cycles = to->cycles - from->cycles;

	idma_bench_hist_add(&cost->ns, to->ns - from->ns);
	if (cpu && b->run->counters & IDMA_BENCH_COUNTER_INSTRUCTIONS)
		idma_bench_hist_add(&cost->insn, insn - min(insn, b->empty.insn));
	if (cpu && b->run->counters & IDMA_BENCH_COUNTER_CYCLES)
		idma_bench_hist_add(&cost->cycles,
				    cycles - min(cycles, b->empty.cycles));
}

static int idma_bench_collect_one(struct idma_bench *b, struct idma_bench_slot *slot)
{
	struct idma_bench_lane *lane = slot->lane;
	bool here = slot->cpu == b->run->cpu;
	int ret = 0;

	b->inflight--;
	lane->free[lane->nr_free++] = slot;
	slot->used = true;

	if (slot->result != DMA_TRANS_NOERROR) {
		b->totals.errors++;
		return idma_bench_fail(b->run, -EIO, "%s: a transfer of %u bytes %s",
				       lane->name, b->cfg->size,
				       slot->result == DMA_TRANS_READ_FAILED ?
				       "met a read error" :
				       slot->result == DMA_TRANS_WRITE_FAILED ?
				       "met a write error" : "was aborted");
	}

	if (b->measuring) {
		b->totals.transfers++;
		b->totals.elsewhere += !here;
		WRITE_ONCE(b->run->progress, b->totals.transfers);
		if (b->phases)
			idma_bench_count(b, &b->phases[IDMA_BENCH_PHASE_COMPLETE],
					 &slot->submitted, &slot->completed, here);
	}

	if (b->run->verify == IDMA_BENCH_VERIFY_EACH) {
		struct idma_bench_stamp from;

		idma_bench_begin(&from);
		ret = idma_bench_look(b, slot);
		idma_bench_exclude(b, &from);
	}

	return ret;
}

/* Take back what is complete. The first failure counts. */
static int idma_bench_collect(struct idma_bench *b)
{
	struct idma_bench_slot *slot, *next;
	struct llist_node *list;
	int n = 0, ret = 0;

	if (llist_empty(&b->done))
		return 0;

	list = llist_del_all(&b->done);
	llist_for_each_entry_safe(slot, next, list, done) {
		int err = idma_bench_collect_one(b, slot);

		ret = ret ?: err;
		n++;
	}
	atomic_sub(n, &b->nr_done);

	return ret;
}

/* ---- Submission ---- */

/*
 * Submit one transfer. -EAGAIN: there is no descriptor to be had now.
 */
static int idma_bench_submit_one(struct idma_bench *b,
				 struct idma_bench_lane *lane)
{
	struct idma_bench_slot *slot = lane->free[lane->nr_free - 1];
	bool poll = b->run->wait == IDMA_BENCH_WAIT_POLL;
	struct dma_async_tx_descriptor *tx;
	struct idma_bench_stamp from, to;
	bool phases = b->phases && b->measuring;

	if (phases)
		idma_bench_begin(&from);
	tx = dmaengine_prep_dma_memcpy(lane->chan, slot->dst.dma, slot->src.dma,
				       b->cfg->size, DMA_CTRL_ACK |
				       (poll ? 0 : DMA_PREP_INTERRUPT));
	if (phases)
		idma_bench_end(&to);
	if (!tx)
		return -EAGAIN;
	if (phases)
		idma_bench_count(b, &b->phases[IDMA_BENCH_PHASE_PREP], &from, &to, true);

	if (!poll) {
		tx->callback_result = idma_bench_callback;
		tx->callback_param = slot;
	}
	/* Nothing calls back before the issue, but the provider may be busy */
	lane->nr_free--;
	b->inflight++;

	if (phases)
		idma_bench_begin(&from);
	slot->cookie = dmaengine_submit(tx);
	if (b->phases)
		idma_bench_end(&slot->submitted);
	if (dma_submit_error(slot->cookie)) {
		lane->free[lane->nr_free++] = slot;
		b->inflight--;
		return idma_bench_fail(b->run, -EIO, "%s: submit gave the error %d",
				       lane->name, slot->cookie);
	}
	if (phases)
		idma_bench_count(b, &b->phases[IDMA_BENCH_PHASE_SUBMIT], &from,
				 &slot->submitted, true);
	if (poll)
		lane->fifo[lane->head++ % b->cfg->depth] = slot;

	return 0;
}

/* The same for who has no engine: a transfer waits in the FIFO to be issued */
static int idma_bench_queue_one(struct idma_bench *b, struct idma_bench_lane *lane)
{
	struct idma_bench_slot *slot = lane->free[--lane->nr_free];
	struct idma_bench_stamp from;
	bool phases = b->phases && b->measuring;

	b->inflight++;
	if (phases)
		idma_bench_begin(&from);
	lane->fifo[lane->head++ % b->cfg->depth] = slot;
	if (b->phases)
		idma_bench_end(&slot->submitted);
	if (phases)
		idma_bench_count(b, &b->phases[IDMA_BENCH_PHASE_SUBMIT], &from,
				 &slot->submitted, true);

	return 0;
}

static void idma_bench_issue(struct idma_bench *b, struct idma_bench_lane *lane)
{
	if (lane->chan) {
		dma_async_issue_pending(lane->chan);
		return;
	}

	while (lane->tail != lane->head) {
		struct idma_bench_slot *slot;

		slot = lane->fifo[lane->tail++ % b->cfg->depth];
		if (b->run->kind == IDMA_BENCH_CPU)
			memcpy(slot->dst.data, slot->src.data, b->cfg->size);
		idma_bench_done(slot, DMA_TRANS_NOERROR);
	}
}

/* Submit and issue @n transfers; returns how many it were, or an error */
static int idma_bench_batch(struct idma_bench *b, struct idma_bench_lane *lane,
			    unsigned int n)
{
	struct idma_bench_stamp from, to;
	unsigned int i;
	int ret = 0;

	if (b->run->verify == IDMA_BENCH_VERIFY_EACH) {
		idma_bench_begin(&from);
		for (i = 1; i <= n; i++)
			idma_bench_spoil(b, lane->free[lane->nr_free - i]);
		idma_bench_exclude(b, &from);
	}

	for (i = 0; i < n; i++) {
		ret = lane->chan ? idma_bench_submit_one(b, lane) :
				   idma_bench_queue_one(b, lane);
		if (ret)
			break;
	}
	if (i) {
		if (b->phases && b->measuring)
			idma_bench_begin(&from);
		idma_bench_issue(b, lane);
		if (b->phases && b->measuring) {
			idma_bench_end(&to);
			idma_bench_count(b, &b->phases[IDMA_BENCH_PHASE_ISSUE],
					 &from, &to, true);
		}
		/* Of an earlier wait: this was not the last transfer then */
		b->reached = 0;
	}

	return ret && ret != -EAGAIN ? ret : i;
}

/* ---- Measurement ---- */

/* No descriptor, and nothing in flight that would free one */
static int idma_bench_starved(struct idma_bench *b, unsigned long *since)
{
	if (!*since)
		*since = jiffies;
	if (time_after(jiffies, *since + msecs_to_jiffies(b->run->timeout)))
		return idma_bench_fail(b->run, -EIO,
				       "no channel gives a descriptor for a transfer of %u bytes",
				       b->cfg->size);
	usleep_range(100, 1000);

	return 0;
}

/*
 * Do @count transfers, or what can be done until @end, and wait for them. -EINTR:
 * the run is being stopped.
 */
static int idma_bench_pass(struct idma_bench *b, u64 count, unsigned long end)
{
	unsigned long starving = 0;
	int ret;

	for (;;) {
		unsigned int need = b->inflight, i;
		bool some = false;

		ret = idma_bench_collect(b);
		if (ret)
			return ret;
		if (idma_bench_stopped(b))
			return -EINTR;
		if (time_after(jiffies, end))
			count = 0;
		if (count)
			need = b->cfg->depth;

		for (i = 0; i < b->cfg->channels && count; i++) {
			struct idma_bench_lane *lane = &b->lanes[i];
			unsigned int n = min_t(u64, b->cfg->batch, count);

			if (lane->nr_free < n) {
				need = min(need, n - lane->nr_free);
				continue;
			}
			ret = idma_bench_batch(b, lane, n);
			if (ret < 0)
				return ret;
			count -= ret;
			some |= ret > 0;
			if (ret < n)
				need = 1;
		}
		if (some) {
			starving = 0;
			idma_bench_yield();
			continue;
		}
		if (!b->inflight && !count)
			return 0;

		b->last = !count;
		if (b->inflight)
			ret = idma_bench_wait(b, min(need, b->inflight));
		else
			ret = idma_bench_starved(b, &starving);
		if (ret)
			return ret;
	}
}

/* From the beginning of a tick, equal runs meet equally many of them */
static void idma_bench_await_tick(void)
{
	unsigned long now = jiffies;

	while (time_before_eq(jiffies, now))
		cpu_relax();
}

static int idma_bench_measure(struct idma_bench *b)
{
	unsigned long limit = msecs_to_jiffies(b->run->time_limit);
	struct idma_bench_totals *t = &b->totals;
	struct idma_bench_stamp from, to;
	unsigned long interrupts;
	int ret;

	memset(&b->excluded, 0, sizeof(b->excluded));
	b->turns = 0;
	b->rounds = 0;
	b->measuring = true;
	idma_bench_await_tick();
	interrupts = kstat_cpu_irqs_sum(b->run->cpu);
	idma_bench_begin(&from);
	ret = idma_bench_pass(b, b->run->transfers, jiffies + limit);
	idma_bench_end(&to);
	interrupts = kstat_cpu_irqs_sum(b->run->cpu) - interrupts;

	t->bytes = t->transfers * b->cfg->size;
	/* The thread may have seen the last callback later than it was */
	if (b->reached)
		to.ns = b->reached;
	t->ns = to.ns - from.ns - b->excluded.ns;
	t->interrupts = interrupts;
	t->insn = to.insn - from.insn - b->excluded.insn;
	t->cycles = to.cycles - from.cycles - b->excluded.cycles;
	if (b->run->wait == IDMA_BENCH_WAIT_SPIN)
		idma_bench_idle(b);
	if (!ret && raw_smp_processor_id() != b->run->cpu)
		ret = idma_bench_fail(b->run, -ENODEV, "CPU %u went offline", b->run->cpu);

	return ret;
}

/* No transfer in flight and no callback running: the buffers are ours again */
static void idma_bench_settle(struct idma_bench *b)
{
	unsigned int i;

	for (i = 0; i < b->cfg->channels; i++) {
		struct idma_bench_lane *lane = &b->lanes[i];

		if (!lane->chan || !dmaengine_terminate_sync(lane->chan))
			continue;
		dmaengine_synchronize(lane->chan);
		/* A provider that cannot terminate, and has not finished either */
		if (b->inflight)
			b->leak = true;
	}
}

static int idma_bench_execute(struct idma_bench *b)
{
	struct idma_bench_run *run = b->run;
	u32 warmup = run->default_warmup ?
		     2 * b->cfg->depth * b->cfg->channels : run->warmup;
	size_t memory = idma_bench_run_memory(run, b->cfg);
	int ret = -ENOMEM;

	/* Leave something to others */
	if (memory / PAGE_SIZE <= si_mem_available() / 2)
		ret = idma_bench_slots_init(b);
	if (ret)
		return idma_bench_fail(run, ret,
				       "not enough memory: %zu kB for %u buffers of %u bytes",
				       memory / 1024,
				       2 * b->cfg->depth * b->cfg->channels,
				       b->cfg->size);
	idma_bench_empty(&b->empty);

	idma_bench_await_tick();
	ret = idma_bench_pass(b, warmup,
			      jiffies + msecs_to_jiffies(run->time_limit));
	if (ret)
		return ret;
	if (run->verify == IDMA_BENCH_VERIFY_LAST)
		idma_bench_spoil_all(b);

	ret = idma_bench_measure(b);
	if (!ret && run->verify != IDMA_BENCH_VERIFY_NONE)
		ret = idma_bench_look_all(b);

	return ret;
}

/* Measure a configuration and put down what came out */
static int idma_bench_config(struct idma_bench_run *run, struct idma_bench_config *cfg)
{
	struct idma_bench *b;
	int ret = -ENOMEM;

	WRITE_ONCE(run->progress, 0);
	mutex_lock(&run->lock);
	cfg->state = IDMA_BENCH_STATE_RUNNING;
	mutex_unlock(&run->lock);

	b = kvzalloc(sizeof(*b), GFP_KERNEL);
	if (b) {
		b->run = run;
		b->cfg = cfg;
		b->want = INT_MAX;
		init_llist_head(&b->done);
		init_waitqueue_head(&b->wait);
		if (!run->totals_only)
			b->phases = kvcalloc(IDMA_BENCH_PHASE_MAX + 1,
					     sizeof(*b->phases), GFP_KERNEL);
	}
	if (!b || (!run->totals_only && !b->phases)) {
		idma_bench_fail(run, ret, "no memory for the results");
	} else {
		ret = idma_bench_execute(b);
		idma_bench_settle(b);
	}

	mutex_lock(&run->lock);
	if (b) {
		cfg->totals = b->totals;
		cfg->phases = b->phases;
	}
	if (!ret) {
		cfg->state = IDMA_BENCH_STATE_DONE;
		run->configs_done++;
	} else if (ret == -EINTR) {
		cfg->state = IDMA_BENCH_STATE_STOPPED;
	} else {
		cfg->state = IDMA_BENCH_STATE_FAILED;
		cfg->error = -ret;
	}
	mutex_unlock(&run->lock);

	if (b && b->leak) {
		pr_err("idma-bench: a provider can neither finish nor terminate %u transfers: their buffers are given up\n",
		       b->inflight);
	} else if (b) {
		idma_bench_slots_free(b);
		kvfree_rcu(b, rcu);
	}

	return ret;
}

static void idma_bench_release_channels(struct idma_bench_run *run)
{
	unsigned int i;

	for (i = 0; i < run->nr_chans; i++) {
		if (run->chans[i].chan)
			dma_release_channel(run->chans[i].chan);
		run->chans[i].chan = NULL;
	}
}

static int idma_bench_thread(void *data)
{
	struct idma_bench_run *run = data;
	unsigned int i;
	int ret = 0;

	set_freezable();
	idma_bench_probe_counters();
	mutex_lock(&run->lock);
	run->counters = idma_bench_counters;
	run->resolution = idma_bench_resolution();
	run->state = IDMA_BENCH_STATE_RUNNING;
	mutex_unlock(&run->lock);

	for (i = 0; i < run->nr_configs && !ret; i++) {
		ret = READ_ONCE(run->stop) ? -EINTR :
		      idma_bench_config(run, &run->configs[i]);
		cond_resched();
	}
	idma_bench_release_channels(run);

	mutex_lock(&run->lock);
	if (!ret) {
		run->state = IDMA_BENCH_STATE_DONE;
	} else if (ret == -EINTR) {
		run->state = IDMA_BENCH_STATE_STOPPED;
		strscpy(run->message, READ_ONCE(run->stop), sizeof(run->message));
	} else {
		run->state = IDMA_BENCH_STATE_FAILED;
		run->error = -ret;
	}
	mutex_unlock(&run->lock);

	/* Who hears of it may start the next run; the thread is still waited for */
	complete_all(&run->ended);
	idma_bench_finished(run);

	return 0;
}

/* ---- What the door calls ---- */

/**
 * idma_bench_run_new - make a run of which nothing is known yet
 *
 * Return: the run, with one reference; NULL without memory
 */
struct idma_bench_run *idma_bench_run_new(void)
{
	struct idma_bench_run *run;

	run = kzalloc(sizeof(*run), GFP_KERNEL);
	if (run) {
		kref_init(&run->ref);
		mutex_init(&run->lock);
		init_completion(&run->ended);
	}

	return run;
}

static bool idma_bench_is_named(struct dma_chan *chan, void *name)
{
	return !strcmp(dma_chan_name(chan), name);
}

/**
 * idma_bench_run_take - take one more channel
 * @run: the run, not started
 * @name: the channel's name, NULL for any that is free
 *
 * Return: 0, or -ENODEV if there is no such channel, or it is not free
 */
int idma_bench_run_take(struct idma_bench_run *run, const char *name)
{
	struct idma_bench_chan *c = &run->chans[run->nr_chans];
	dma_cap_mask_t mask;

	dma_cap_zero(mask);
	dma_cap_set(DMA_MEMCPY, mask);
	c->chan = dma_request_channel(mask, name ? idma_bench_is_named : NULL,
				      (void *)name);
	if (!c->chan)
		return -ENODEV;
	strscpy(c->name, dma_chan_name(c->chan), sizeof(c->name));
	run->nr_chans++;

	return 0;
}

/**
 * idma_bench_run_start - start the thread
 * @run: the run, complete
 *
 * Return: 0, or why there is no thread
 */
int idma_bench_run_start(struct idma_bench_run *run)
{
	struct task_struct *task;

	task = kthread_create_on_node(idma_bench_thread, run, cpu_to_node(run->cpu),
				      "idma-bench/%u", run->cpu);
	if (IS_ERR(task))
		return PTR_ERR(task);
	kthread_bind(task, run->cpu);
	/* It ends by itself, and is waited for all the same */
	run->task = get_task_struct(task);
	wake_up_process(task);

	return 0;
}

/**
 * idma_bench_run_stop - have the thread stop soon
 * @run: the run
 * @why: what user space is told; stays where it is
 */
void idma_bench_run_stop(struct idma_bench_run *run, const char *why)
{
	/* The first reason counts */
	if (!cmpxchg(&run->stop, NULL, why) && run->task)
		wake_up_process(run->task);
}

/**
 * idma_bench_run_free - free a run
 * @run: the run; nobody else knows it
 */
void idma_bench_run_free(struct idma_bench_run *run)
{
	unsigned int i;

	if (run->task) {
		kthread_stop(run->task);
		put_task_struct(run->task);
	}
	idma_bench_release_channels(run);
	for (i = 0; i < run->nr_configs; i++)
		kvfree(run->configs[i].phases);
	kvfree(run->configs);
	kfree(run);
}
