// SPDX-License-Identifier: GPL-2.0-only
/*
 * The engine on a bench: descriptors in a memory, launched, run until nothing
 * moves any more; what happened in which cycle.
 */
#include <stdlib.h>
#include <string.h>

#include "idma-test.h"
#include "rig.h"

#define GIVE_UP		20000000u
#define CHUNK		500000u		/* steps between two looks at the progress */

/* Beats of one direction belong to descriptors in their order */
struct beats {
	size_t cur;
	int64_t left;
};

struct rig {
	IdmaEngine eng;
	struct memory *mem;
	/* of the run */
	const struct rig_setup *su;
	struct rig_result *res;
	struct rig_times *times;	/* of each descriptor */
	struct beats r, w;
	size_t cur_ar, cur_fetch, cur_wb;
	size_t marks;			/* answered */
	int64_t irq_run;
	int64_t last_beat, last_any_b;
};

struct rig *rig_new(void)
{
	struct rig *r = xalloc(sizeof(*r));

	r->mem = mem_new();
	return r;
}

void rig_free(struct rig *r)
{
	if (!r)
		return;
	mem_free(r->mem);
	free(r);
}

struct memory *rig_memory(struct rig *r)
{
	return r->mem;
}

static IdmaResp on_read(void *opaque, const IdmaBusAttr *attr, uint64_t addr, void *buf,
			uint32_t len)
{
	struct rig *r = opaque;

	(void)attr;
	mem_read(r->mem, addr, buf, len);
	return IDMA_RESP_OKAY;
}

static IdmaResp on_write(void *opaque, const IdmaBusAttr *attr, uint64_t addr, const void *buf,
			 uint32_t len)
{
	struct rig *r = opaque;

	(void)attr;
	mem_write(r->mem, addr, buf, len);
	return IDMA_RESP_OKAY;
}

static void first(int64_t *slot, uint64_t t)
{
	if (*slot < 0)
		*slot = (int64_t)t;
}

/* Which descriptor lies at an address: most often the one after the last asked for */
static struct rig_times *desc_at(struct rig *r, size_t *cur, uint64_t addr)
{
	size_t n = r->su->n;

	for (size_t i = 0; i < n; i++) {
		size_t at = (*cur + i) % n;

		if (r->su->desc[at].at == addr) {
			*cur = at + 1;
			return &r->times[at];
		}
	}
	return NULL;
}

/* Beats that the legalizer makes of a descriptor, on one side */
static int64_t count_beats(const struct rig *r, const struct rig_desc *d, bool write)
{
	uint64_t window = d->flags & IDMA_FLAG_REDUCE_LEN ? 8 : r->su->cfg.max_burst_beats * 8;
	bool coupled = !(d->flags & IDMA_FLAG_DECOUPLE_RW);
	int64_t beats = 0;

	if (window > 4096)
		window = 4096;
	for (uint64_t done = 0, n; done < d->len; done += n) {
		uint64_t rs = window - ((d->src + done) & (window - 1));
		uint64_t ws = window - ((d->dst + done) & (window - 1));
		uint64_t at = (write ? d->dst : d->src) + done;

		n = write ? ws : rs;
		if (coupled)
			n = rs < ws ? rs : ws;
		if (n > d->len - done)
			n = d->len - done;
		beats += (int64_t)(((at & 7) + n + 7) / 8);
	}
	return beats;
}

/* The descriptor that a beat belongs to; *is_first, *is_last: whether it is such */
static struct rig_times *beat_of(struct rig *r, struct beats *b, bool write, bool *is_first,
				 bool *is_last)
{
	struct rig_times *t;

	*is_first = !b->left;
	if (!b->left) {
		while (b->cur < r->su->n && !r->su->desc[b->cur].len)
			b->cur++;
		if (b->cur >= r->su->n)
			return NULL;
		b->left = count_beats(r, &r->su->desc[b->cur], write);
	}
	t = &r->times[b->cur];
	*is_last = !--b->left;
	if (*is_last)
		b->cur++;
	return t;
}

static void on_data_ar(struct rig *r, const IdmaTraceEvent *ev)
{
	const struct rig_setup *su = r->su;

	/* A burst starts inside the source of its descriptor */
	while (r->cur_ar < su->n &&
	       (!su->desc[r->cur_ar].len ||
		ev->addr - su->desc[r->cur_ar].src >= su->desc[r->cur_ar].len))
		r->cur_ar++;
	if (r->cur_ar < su->n) {
		first(&r->times[r->cur_ar].first_data_ar, ev->cycle);
		r->times[r->cur_ar].n_data_ar++;
	}
}

static void on_r(struct rig *r, const IdmaTraceEvent *ev)
{
	struct rig_result *res = r->res;
	struct rig_times *t;
	bool is_first, is_last;

	r->last_beat = (int64_t)ev->cycle;
	if (ev->arg == 0) {
		first(&res->first_desc_r, ev->cycle);
	} else if (ev->arg == 2) {
		res->n_fe_r_dropped++;
	} else {
		first(&res->first_r, ev->cycle);
		res->last_r = (int64_t)ev->cycle;
		res->n_be_r++;
		t = beat_of(r, &r->r, false, &is_first, &is_last);
		if (t && is_first)
			t->first_r = (int64_t)ev->cycle;
		if (t)
			t->last_r = (int64_t)ev->cycle;
	}
}

static void on_w(struct rig *r, const IdmaTraceEvent *ev)
{
	struct rig_result *res = r->res;
	struct rig_times *t;
	bool is_first, is_last;

	if (ev->arg != 1)
		return;
	first(&res->first_w, ev->cycle);
	res->last_w = (int64_t)ev->cycle;
	res->n_be_w++;
	t = beat_of(r, &r->w, true, &is_first, &is_last);
	if (t && is_first)
		t->first_w = (int64_t)ev->cycle;
	if (t)
		t->last_w = (int64_t)ev->cycle;
}

static void on_aw(struct rig *r, const IdmaTraceEvent *ev)
{
	struct rig_result *res = r->res;
	struct rig_times *t;

	if (ev->arg == 1) {
		first(&res->first_aw, ev->cycle);
		res->n_be_aw++;
		return;
	}
	first(&res->first_wb_aw, ev->cycle);
	res->last_wb_aw = (int64_t)ev->cycle;
	res->n_wb++;
	t = desc_at(r, &r->cur_wb, ev->addr);
	if (t && t->wb_aw < 0)
		t->wb_aw = (int64_t)ev->cycle;
}

static void on_b(struct rig *r, const IdmaTraceEvent *ev)
{
	r->last_any_b = (int64_t)ev->cycle;
	if (ev->arg == 1) {
		r->res->last_b = (int64_t)ev->cycle;
		return;
	}
	if (r->marks < r->su->n)
		r->times[r->marks].wb_b = (int64_t)ev->cycle;
	r->marks++;
}

static void on_irq(struct rig *r, const IdmaTraceEvent *ev)
{
	struct rig_result *res = r->res;

	res->n_irq++;
	r->irq_run = ev->arg ? 1 : r->irq_run + 1;
	if (r->irq_run > res->irq_maxrun)
		res->irq_maxrun = r->irq_run;
	first(&res->first_irq, ev->cycle);
	res->total = (int64_t)ev->cycle;
	/* The answer that raised it has just been seen */
	if (r->marks && r->marks <= r->su->n)
		r->times[r->marks - 1].irq = (int64_t)ev->cycle;
}

static void on_event(void *opaque, const IdmaTraceEvent *ev)
{
	struct rig *r = opaque;
	struct rig_result *res = r->res;
	struct rig_times *t;

	if (r->su->trace)
		r->su->trace(r->su->arg, ev);
	switch (ev->type) {
	case IDMA_TRACE_FETCH:
		first(&res->first_ar, ev->cycle);
		res->n_fe_ar++;
		t = desc_at(r, &r->cur_fetch, ev->addr);
		if (t)
			t->fetch_ar = (int64_t)ev->cycle;
		break;
	case IDMA_TRACE_REQUEST:
		first(&res->first_req, ev->cycle);
		break;
	case IDMA_TRACE_ZERO_LENGTH:
		res->n_rsp_err++;
		break;
	case IDMA_TRACE_AR:
		first(&res->launch, ev->cycle);
		res->n_be_ar++;
		on_data_ar(r, ev);
		break;
	case IDMA_TRACE_R_BEAT:
		on_r(r, ev);
		break;
	case IDMA_TRACE_R_STALL:
		res->r_stall++;
		break;
	case IDMA_TRACE_AW:
		on_aw(r, ev);
		break;
	case IDMA_TRACE_W_BEAT:
		on_w(r, ev);
		break;
	case IDMA_TRACE_B:
		on_b(r, ev);
		break;
	case IDMA_TRACE_IRQ:
		on_irq(r, ev);
		break;
	default:
		break;
	}
}

static const IdmaEngineOps ops = {
	.read = on_read, .write = on_write, .trace = on_event,
};

/* Descriptors and data; the heads of the chains into heads[] */
static size_t fill(struct rig *r, size_t *heads)
{
	const struct rig_setup *su = r->su;
	size_t per_chain = su->n / su->chains, n_heads = 0;
	uint64_t seed = 42;

	mem_clear(r->mem);
	for (size_t i = 0; i < su->n; i++) {
		const struct rig_desc *d = &su->desc[i];
		/* What does not divide is in the last chain */
		bool end = (i + 1) % per_chain == 0 && (i + 1) / per_chain < su->chains;

		if (i % per_chain == 0 && i / per_chain < su->chains)
			heads[n_heads++] = i;
		mem_fill(r->mem, d->src, d->len, &seed);
		mem_put64(r->mem, d->at, (uint64_t)d->flags << 32 | d->len);
		mem_put64(r->mem, d->at + 8,
			  end || i + 1 == su->n ? IDMA_DESC_END : su->desc[i + 1].at);
		mem_put64(r->mem, d->at + 16, d->src);
		mem_put64(r->mem, d->at + 24, d->dst);
		r->res->bytes += d->len;
	}
	return n_heads;
}

/* Cycle by cycle: writes DESC_ADDR until all chains are launched and fit the FIFO */
static uint64_t launch(struct rig *r, const size_t *heads, size_t n_heads)
{
	const struct rig_setup *su = r->su;
	uint64_t spacing = su->spacing ? su->spacing : 2, t = 0;
	size_t launched = 0;
	bool full = false;

	while (launched < n_heads || full || t < n_heads * spacing + 4) {
		if (launched < n_heads && t >= launched * spacing &&
		    idma_engine_reg_write(&r->eng, t, IDMA_REG_DESC_ADDR, 8,
					  su->desc[heads[launched]].at) == IDMA_REG_OK)
			launched++;
		t++;
		idma_engine_run(&r->eng, t, UINT64_MAX);
		full = idma_engine_reg_read(&r->eng, t, IDMA_REG_STATUS, 8) &
		       IDMA_STATUS_FIFO_FULL;
		if (full)
			r->res->fifo_full = 1;
		if (t > su->max_cycles + GIVE_UP + n_heads * spacing)
			break;
	}
	return t;
}

static void run_on(struct rig *r, uint64_t t)
{
	const struct rig_setup *su = r->su;
	uint64_t limit = su->max_cycles ? su->max_cycles : t + GIVE_UP, next;

	for (;;) {
		next = idma_engine_run(&r->eng, limit, CHUNK);
		if (next == IDMA_NEVER || next > limit)
			return;
		if (su->progress && !su->progress(su->arg, r->eng.stats.bytes_written,
						  r->res->bytes)) {
			r->res->stopped = true;
			return;
		}
	}
}

static void check_data(struct rig *r)
{
	for (size_t i = 0; i < r->su->n; i++) {
		const struct rig_desc *d = &r->su->desc[i];
		unsigned int src = d->flags >> IDMA_FLAG_SRC_BURST_S & 3;
		unsigned int dst = d->flags >> IDMA_FLAG_DST_BURST_S & 3;

		/* Other bursts than INCR do not copy */
		if (src == 1 && dst == 1 && !mem_same(r->mem, d->src, d->dst, d->len))
			r->res->data_bad++;
	}
}

static void derive(struct rig *r)
{
	struct rig_result *res = r->res;
	size_t n = r->su->n, a = n / 4, b = 3 * n / 4;

	if (res->last_r >= 0)
		res->util_steady = (double)res->bytes /
				   (8.0 * (double)(res->last_r - res->first_r + 1));
	if (res->total > 0)
		res->util_total = (double)res->bytes / (8.0 * (double)res->total);
	if (n >= 4 && r->times[b].first_r >= 0) {
		res->period = (double)(r->times[b].first_r - r->times[a].first_r) /
			      (double)(b - a);
		res->util_mid = r->su->desc[0].len / (8 * res->period);
	}
}

void rig_run(struct rig *r, const struct rig_setup *su, struct rig_result *res,
	     struct rig_times *times)
{
	static const struct rig_times never = { -1, 0, -1, -1, -1, -1, -1, -1, -1, -1 };
	size_t *heads = xalloc(su->chains * sizeof(*heads)), n_heads;

	r->times = times ? times : xalloc(su->n * sizeof(*times));
	for (size_t i = 0; i < su->n; i++)
		r->times[i] = never;
	*res = (struct rig_result) {
		.total = -1, .launch = -1, .first_r = -1, .last_r = -1, .first_w = -1,
		.last_w = -1, .first_ar = -1, .first_desc_r = -1, .first_req = -1,
		.first_aw = -1, .first_wb_aw = -1, .last_wb_aw = -1, .last_b = -1,
		.first_irq = -1, .idle = -1,
	};
	*r = (struct rig) { .mem = r->mem, .su = su, .res = res, .times = r->times };
	n_heads = fill(r, heads);
	if (!idma_engine_init(&r->eng, &su->cfg, &ops, r) ||
	    !idma_engine_set_faults(&r->eng, &su->faults))
		abort();	/* the caller has not checked them */
	run_on(r, launch(r, heads, n_heads));
	res->hang = idma_engine_busy(&r->eng) && !res->stopped;
	/* The last answer is in, and no beat that was flushed is still coming */
	if (su->cfg.timing == IDMA_TIMING_CYCLE)
		res->idle = res->hang ? 0 :
			    r->last_beat > r->last_any_b + 1 ? r->last_beat : r->last_any_b + 1;
	res->stats = r->eng.stats;
	check_data(r);
	derive(r);
	if (!times)
		free(r->times);
	free(heads);
}

void rig_desc_alloc(struct rig_setup *su, size_t n)
{
	su->desc = xrealloc(su->desc, n * sizeof(*su->desc));
	memset(su->desc, 0, n * sizeof(*su->desc));
	su->n = n;
}

void rig_place_data(struct rig_setup *su)
{
	uint64_t biggest = 0, stride;

	for (size_t i = 0; i < su->n; i++) {
		const struct rig_desc *d = &su->desc[i];
		uint64_t need = d->len + (d->src > d->dst ? d->src : d->dst) + 64;

		biggest = need > biggest ? need : biggest;
	}
	stride = (biggest + MEM_PAGE - 1) & ~(uint64_t)(MEM_PAGE - 1);
	for (size_t i = 0; i < su->n; i++) {
		su->desc[i].src += RIG_SRC_BASE + i * stride;
		su->desc[i].dst += RIG_DST_BASE + i * stride;
	}
}

/* "PREFIXn": n, if that is all and it is not 0 */
static uint64_t number_after(const char *prefix, const char *text)
{
	char *end;
	unsigned long long n;

	if (strncmp(text, prefix, strlen(prefix)))
		return 0;
	text += strlen(prefix);
	if (*text < '1' || *text > '9')
		return 0;
	n = strtoull(text, &end, 10);
	return *end || n > UINT32_MAX ? 0 : n;
}

bool rig_place_desc(struct rig_setup *su, const char *layout, uint64_t offset)
{
	uint64_t jump = number_after("jump", layout), stride = number_after("stride", layout);
	bool reverse = !strcmp(layout, "reverse");
	uint64_t off = 0;

	if (!strcmp(layout, "contig") || reverse)
		stride = IDMA_DESC_SIZE;
	else if (!strcmp(layout, "gap"))
		stride = 2 * IDMA_DESC_SIZE;
	else if ((!stride && !jump) || (stride && stride < IDMA_DESC_SIZE) ||
		 jump > MEM_PAGE / IDMA_DESC_SIZE)
		return false;
	for (size_t i = 0; i < su->n; i++) {
		su->desc[reverse ? su->n - 1 - i : i].at = RIG_DESC_BASE + offset + off;
		if (!jump)
			off += stride;
		else if ((i + 1) % jump)
			off += IDMA_DESC_SIZE;
		else
			off = (off & ~(uint64_t)(MEM_PAGE - 1)) + MEM_PAGE;
	}
	return true;
}
