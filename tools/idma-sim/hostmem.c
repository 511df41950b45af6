// SPDX-License-Identifier: GPL-2.0-only
/*
 * Workers whose buffers go through engines, stage by stage, again and again.
 *
 * Every engine has a clock of its own. They meet at multiples of HM_QUANTUM_NS:
 * what one has completed is handed to the next one there, and what a full input
 * FIFO has kept waiting is launched there. Software costs nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "hostmem.h"
#include "idma-test.h"
#include "memory.h"

#define SLOT		64u		/* from one descriptor to the next: never tail + 32 */
#define DESC_BASE	0x80000000ull
#define DATA_BASE	0x100000000ull

struct job {
	unsigned int worker, copy;
	struct job *next;
};

struct unit {
	struct sim *sim;
	IdmaEngine eng;
	uint64_t hz;
	struct job *queue, **queue_end;	/* not launched */
	struct job *running, **running_end;
	unsigned int load;
};

struct worker {
	size_t stage;
	unsigned int left;		/* copies under way */
	uint64_t since;			/* ns; when it entered the stage */
};

struct sim {
	const struct hm_setup *su;
	struct hm_result *res;
	struct memory *mem;
	struct unit *unit;
	struct worker *worker;
	struct job *jobs;		/* one for each copy that a worker can have under way */
	unsigned int most;		/* copies in a stage */
	uint64_t now;			/* ns; begin of the quantum */
	uint64_t entered[HM_STAGES], spent[HM_STAGES];
};

static IdmaResp on_read(void *opaque, const IdmaBusAttr *attr, uint64_t addr, void *buf,
			uint32_t len)
{
	struct unit *u = opaque;

	(void)attr;
	mem_read(u->sim->mem, addr, buf, len);
	return IDMA_RESP_OKAY;
}

static IdmaResp on_write(void *opaque, const IdmaBusAttr *attr, uint64_t addr, const void *buf,
			 uint32_t len)
{
	struct unit *u = opaque;

	(void)attr;
	mem_write(u->sim->mem, addr, buf, len);
	return IDMA_RESP_OKAY;
}

/* Whole pages of plain memory */
static void *on_map(void *opaque, bool read, uint64_t addr, uint64_t *len)
{
	struct unit *u = opaque;

	(void)read;
	return mem_at(u->sim->mem, addr, len);
}

static uint64_t cycle_at(const struct unit *u, uint64_t ns)
{
	return (uint64_t)((__uint128_t)ns * u->hz / 1000000000u);
}

static uint64_t ns_of(const struct unit *u, uint64_t cycle)
{
	return (uint64_t)((__uint128_t)cycle * 1000000000u / u->hz);
}

/* Buffer of a copy before stage s, or behind the last one */
static uint64_t buffer(const struct sim *s, unsigned int worker, unsigned int copy, size_t stage)
{
	uint64_t room = ((uint64_t)s->su->size + MEM_PAGE - 1) / MEM_PAGE * MEM_PAGE;
	uint64_t set = worker * (uint64_t)s->most + copy;

	return DATA_BASE + (set * (s->su->stages + 1) + stage) * room;
}

static void enter_stage(struct sim *s, unsigned int worker, uint64_t ns);

static void complete(struct unit *u, uint64_t cycle)
{
	struct sim *s = u->sim;
	struct job *job = u->running;
	struct worker *w = &s->worker[job->worker];
	uint64_t ns = ns_of(u, cycle);

	u->running = job->next;
	if (!u->running)
		u->running_end = &u->running;
	u->load--;
	if (--w->left)
		return;
	s->spent[w->stage] += ns - w->since;
	s->entered[w->stage]++;
	if (++w->stage == s->su->stages) {
		w->stage = 0;
		s->res->count[job->worker]++;
		s->res->total++;
	}
	enter_stage(s, job->worker, ns);
}

static void on_trace(void *opaque, const IdmaTraceEvent *ev)
{
	struct unit *u = opaque;

	/* Completions are in order; each one has asked for its interrupt */
	if (ev->type == IDMA_TRACE_IRQ)
		complete(u, ev->cycle);
}

static const IdmaEngineOps ops = {
	.read = on_read, .write = on_write, .map = on_map, .trace = on_trace,
};

static struct unit *pick(struct sim *s, const struct hm_stage *stage, unsigned int worker)
{
	struct unit *best = &s->unit[stage->first];

	if (stage->by_worker)
		return best + (uint64_t)worker * stage->count / s->su->workers;
	for (unsigned int i = 1; i < stage->count; i++)
		if (s->unit[stage->first + i].load < best->load)
			best = &s->unit[stage->first + i];
	return best;
}

/* A worker's copies of a stage stand in one engine's queue, to be launched at the next meeting */
static void enter_stage(struct sim *s, unsigned int worker, uint64_t ns)
{
	struct worker *w = &s->worker[worker];
	const struct hm_stage *stage = &s->su->stage[w->stage];
	struct unit *u = pick(s, stage, worker);

	w->since = ns;
	w->left = stage->copies;
	for (unsigned int i = 0; i < stage->copies; i++) {
		struct job *job = &s->jobs[worker * s->most + i];

		job->worker = worker;
		job->copy = i;
		job->next = NULL;
		*u->queue_end = job;
		u->queue_end = &job->next;
		u->load++;
	}
}

static void launch(struct unit *u)
{
	struct sim *s = u->sim;
	uint64_t cycle = cycle_at(u, s->now);

	while (u->queue && idma_engine_can_launch(&u->eng)) {
		struct job *job = u->queue;
		const struct worker *w = &s->worker[job->worker];
		uint64_t at = DESC_BASE + (job->worker * (uint64_t)s->most + job->copy) * SLOT;

		mem_put64(s->mem, at, (uint64_t)IDMA_FLAGS_PLAIN << 32 | s->su->size);
		mem_put64(s->mem, at + 8, IDMA_DESC_END);
		mem_put64(s->mem, at + 16, buffer(s, job->worker, job->copy, w->stage));
		mem_put64(s->mem, at + 24, buffer(s, job->worker, job->copy, w->stage + 1));
		/* The engine may complete others while it makes room for this launch */
		u->queue = job->next;
		if (!u->queue)
			u->queue_end = &u->queue;
		job->next = NULL;
		*u->running_end = job;
		u->running_end = &job->next;
		if (idma_engine_reg_write(&u->eng, cycle, IDMA_REG_DESC_ADDR, 8, at) !=
		    IDMA_REG_OK)
			abort();	/* it said that it can */
	}
}

static void check_data(struct sim *s)
{
	const struct hm_setup *su = s->su;
	unsigned int copies = su->stage[su->stages - 1].copies;

	/* A worker that is in its second round has all of the first one behind it */
	for (unsigned int w = 0; w < su->workers; w++)
		for (unsigned int c = 0; c < copies; c++)
			if (s->res->count[w] &&
			    !mem_same(s->mem, buffer(s, w, c, 0), buffer(s, w, c, su->stages),
				      su->size))
				s->res->wrong++;
}

void hm_run(const struct hm_setup *su, struct hm_result *res)
{
	struct sim s = { .su = su, .res = res, .mem = mem_new() };
	uint64_t seed = 1, early = 0, from = 0;

	memset(res, 0, sizeof(*res));
	for (size_t i = 0; i < su->stages; i++)
		if (su->stage[i].copies > s.most)
			s.most = su->stage[i].copies;
	s.unit = xalloc(su->engines * sizeof(*s.unit));
	s.worker = xalloc(su->workers * sizeof(*s.worker));
	s.jobs = xalloc(su->workers * s.most * sizeof(*s.jobs));
	for (size_t i = 0; i < su->engines; i++) {
		struct unit *u = &s.unit[i];

		u->sim = &s;
		u->hz = su->hz[i];
		u->queue_end = &u->queue;
		u->running_end = &u->running;
		if (!idma_engine_init(&u->eng, &su->cfg, &ops, u))
			abort();
	}
	for (unsigned int w = 0; w < su->workers; w++) {
		for (unsigned int c = 0; c < su->stage[0].copies; c++)
			mem_fill(s.mem, buffer(&s, w, c, 0), su->size, &seed);
		enter_stage(&s, w, 0);
	}
	for (s.now = 0; s.now < su->ns; s.now += HM_QUANTUM_NS) {
		/* Until then the queues fill */
		if (!from && s.now >= su->ns / 5) {
			from = s.now;
			early = s.entered[0];
		}
		for (size_t i = 0; i < su->engines; i++)
			launch(&s.unit[i]);
		for (size_t i = 0; i < su->engines; i++)
			idma_engine_run(&s.unit[i].eng,
					cycle_at(&s.unit[i], s.now + HM_QUANTUM_NS), UINT64_MAX);
		if (s.now % (HM_QUANTUM_NS * 256) == 0 && su->progress &&
		    !su->progress(s.now, su->ns)) {
			res->stopped = true;
			break;
		}
	}
	for (size_t i = 0; i < su->stages && s.now; i++) {
		if (s.entered[i])
			res->stage_ns[i] = (double)s.spent[i] / (double)s.entered[i];
		res->waiting[i] = (double)s.spent[i] / (double)s.now;
	}
	if (from && s.now > from)
		res->rate = (double)(s.entered[0] - early) / (double)(s.now - from) * 1e9;
	check_data(&s);
	mem_free(s.mem);
	free(s.unit);
	free(s.worker);
	free(s.jobs);
}
