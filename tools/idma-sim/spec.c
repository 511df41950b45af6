// SPDX-License-Identifier: GPL-2.0-only
/*
 * What to simulate, by name: the engine's parameters, the memory's, the work.
 */
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"
#include "spec.h"

enum kind {
	K_U32,		/* uint32_t */
	K_U64,
	K_SIZE,		/* uint64_t, k is 1024 */
	K_CHOICE,	/* uint32_t: index into choices */
	K_BOOL,		/* uint32_t */
	K_DESC,		/* the groups */
	K_N, K_LEN,	/* of the only group */
	K_LAYOUT,
};

struct place {
	enum kind kind;
	size_t at;
	uint64_t min, max;	/* max 0: the engine knows */
	const char *engine;	/* what the engine calls it */
	const char * const *choices;
};

static const char * const timings[] = { "functional", "cycle", NULL };
static const char * const memories[] = { "cuts", "direct", NULL };

#define CFG(m)	offsetof(struct spec, cfg.m)
#define SPEC(m)	offsetof(struct spec, m)

const struct param spec_params[] = {
	{ "nspec", "N", "NSpeculation: descriptors fetched ahead, default 4" },
	{ "nax", "N", "NumAxInFlight: bursts in flight, default 8" },
	{ "buffer", "N", "BufferDepth: beats between read and write side, default 3" },
	{ "input-fifo", "N", "InputFifoDepth: chains waiting, default 8" },
	{ "pending-fifo", "N", "PendingFifoDepth: descriptors waiting, default 8" },
	{ "max-burst", "N", "beats of the longest burst, a power of two, default 256" },
	{ "lossless", "0|1", "1: mend what loses descriptors in the RTL, default 0" },
	{ "timing", "MODE", "functional or cycle (default)" },
	{ "bus", "BYTES", "width of the data bus, 4 to 128, default 8" },
	{ "memory", "MODEL",
	  "cuts (default): the latency L is on each channel, an access takes 2L+1; direct: L+1" },
	{ "latency", "CYCLES", "of the memory, default 13" },
	{ "write-latency", "CYCLES", "of writes, with memory direct; default as of reads" },
	{ "mem-reads", "N", "reads that the memory takes before it has answered, 0: all" },
	{ "mem-writes", "N", "the same of writes" },
	{ "read-interval", "CYCLES", "of a beat read from the memory, default 1" },
	{ "write-interval", "CYCLES", "of a beat written, default 1" },
	{ "clock", "HZ", "of the engine; gives times and bytes per second" },
	{ "desc", "NxLEN,...", "the work: N descriptors of LEN bytes each" },
	{ "n", "N", "the work in two parts: how many descriptors, default 64" },
	{ "len", "BYTES", "and how long they are, default 1024" },
	{ "total", "BYTES", "as many descriptors of len as these bytes take" },
	{ "src-align", "BYTES", "of the sources from a page, default 0" },
	{ "dst-align", "BYTES", "of the destinations" },
	{ "layout", "NAME", "of the descriptors: contig (default), gap, reverse, strideS, jumpK" },
	{ "flags", "FLAGS", "of all descriptors, default 0xb: interrupt, bursts INCR" },
	{ "chains", "N", "to launch the descriptors in, default 1" },
	{ "spacing", "CYCLES", "between two launches, default 2" },
	{ "max-cycles", "CYCLES", "give up then, default 20 million after the last launch" },
};

const size_t spec_param_count = ARRAY_SIZE(spec_params);

static const struct place places[] = {
	{ K_U32, CFG(n_speculation), 0, 0, "n_speculation", NULL },
	{ K_U32, CFG(num_ax_in_flight), 0, 0, "num_ax_in_flight", NULL },
	{ K_U32, CFG(buffer_depth), 0, 0, "buffer_depth", NULL },
	{ K_U32, CFG(input_fifo_depth), 0, 0, "input_fifo_depth", NULL },
	{ K_U32, CFG(pending_fifo_depth), 0, 0, "pending_fifo_depth", NULL },
	{ K_U32, CFG(max_burst_beats), 0, 0, "max_burst_beats", NULL },
	{ K_BOOL, CFG(lossless), 0, 1, "lossless", NULL },
	{ K_CHOICE, CFG(timing), 0, 0, "timing", timings },
	{ K_U64, SPEC(bus), 4, 128, "bus_bytes", NULL },
	{ K_CHOICE, CFG(mem_mode), 0, 0, "mem_mode", memories },
	{ K_U32, CFG(read_latency), 0, 0, "read_latency", NULL },
	{ K_U64, SPEC(write_latency), 0, UINT32_MAX, "write_latency", NULL },
	{ K_U32, CFG(mem_reads), 0, 0, "mem_reads", NULL },
	{ K_U32, CFG(mem_writes), 0, 0, "mem_writes", NULL },
	{ K_U32, CFG(read_interval), 0, 0, "read_interval", NULL },
	{ K_U32, CFG(write_interval), 0, 0, "write_interval", NULL },
	{ K_U64, SPEC(clock), 0, 100000000000ull, NULL, NULL },
	{ K_DESC, 0, 0, 0, NULL, NULL },
	{ K_N, 0, 1, 1000000, NULL, NULL },
	{ K_LEN, 0, 0, UINT32_MAX, NULL, NULL },
	{ K_SIZE, SPEC(total), 0, 1ull << 32, NULL, NULL },
	{ K_SIZE, SPEC(src_align), 0, MEM_PAGE - 1, NULL, NULL },
	{ K_SIZE, SPEC(dst_align), 0, MEM_PAGE - 1, NULL, NULL },
	{ K_LAYOUT, SPEC(layout), 0, 0, NULL, NULL },
	{ K_U64, SPEC(flags), 0, UINT32_MAX, NULL, NULL },
	{ K_U64, SPEC(chains), 1, 1000000, NULL, NULL },
	{ K_U64, SPEC(spacing), 0, 1000000, NULL, NULL },
	{ K_U64, SPEC(max_cycles), 0, 1ull << 40, NULL, NULL },
};

_Static_assert(ARRAY_SIZE(places) == ARRAY_SIZE(spec_params), "one place for each parameter");

void spec_init(struct spec *s)
{
	memset(s, 0, sizeof(*s));
	idma_engine_config_default(&s->cfg);
	s->cfg.timing = IDMA_TIMING_CYCLE;
	s->bus = 8;
	s->groups = 1;
	s->group[0].n = 64;
	s->group[0].len = 1024;
	s->flags = IDMA_FLAGS_PLAIN;
	s->chains = 1;
	snprintf(s->layout, sizeof(s->layout), "contig");
}

static const struct place *find(const char *name)
{
	for (size_t i = 0; i < spec_param_count; i++)
		if (!strcmp(spec_params[i].name, name))
			return &places[i];
	return NULL;
}

static bool bad_number(const char *where, const char *name, const char *text)
{
	it_error("%s%s: '%s' is not a number (k, M and G may follow it)", where, name, text);
	return false;
}

static bool in_range(const struct place *p, const char *where, const char *name, uint64_t val)
{
	uint64_t max = p->max ? p->max : UINT32_MAX;

	if (val >= p->min && val <= max)
		return true;
	it_error("%s%s: %llu is out of range, %llu to %llu are possible", where, name,
		 (unsigned long long)val, (unsigned long long)p->min, (unsigned long long)max);
	return false;
}

static bool set_choice(const struct place *p, void *at, const char *where, const char *name,
		       const char *text)
{
	uint32_t i = 0;

	while (p->choices[i] && strcmp(p->choices[i], text))
		i++;
	if (!p->choices[i]) {
		it_error("%s%s: '%s' is neither %s nor %s", where, name, text, p->choices[0],
			 p->choices[1]);
		return false;
	}
	memcpy(at, &i, sizeof(i));
	return true;
}

/* "64x1024,8x4k" */
static bool set_desc(struct spec *s, const char *where, const char *name, const char *text)
{
	const struct place *n_place = find("n"), *len_place = find("len");
	char *copy = xstrdup(text), *p = copy, *one, *x;
	bool good = true;

	s->groups = 0;
	while (good && (one = strsep(&p, ","))) {
		x = strchr(one, 'x');
		if (s->groups == SPEC_GROUPS) {
			it_error("%s%s: '%s' is more than %d groups", where, name, text,
				 SPEC_GROUPS);
			good = false;
			break;
		}
		if (x)
			*x = '\0';
		if (!x || num_parse(one, NUM_COUNT, &s->group[s->groups].n) ||
		    num_parse(x + 1, NUM_BYTES, &s->group[s->groups].len)) {
			it_error("%s%s: '%s' is not NxLEN,..., like 64x1024,8x4k", where, name,
				 text);
			good = false;
			break;
		}
		good = in_range(n_place, where, name, s->group[s->groups].n) &&
		       in_range(len_place, where, name, s->group[s->groups].len);
		s->groups++;
	}
	free(copy);
	return good;
}

bool spec_set(struct spec *s, const char *where, const char *name, const char *text)
{
	const struct place *p = find(name);
	uint64_t val;
	uint32_t small;
	char *at;

	if (!p) {
		it_error("%s%s: there is no such parameter", where, name);
		return false;
	}
	at = (char *)s + p->at;
	if (p->kind == K_CHOICE)
		return set_choice(p, at, where, name, text);
	if (p->kind == K_DESC)
		return set_desc(s, where, name, text);
	if (p->kind == K_LAYOUT) {
		if (strlen(text) >= sizeof(s->layout)) {
			it_error("%s%s: there is no layout '%s'", where, name, text);
			return false;
		}
		snprintf(s->layout, sizeof(s->layout), "%s", text);
		return true;
	}
	if (num_parse(text, p->kind == K_SIZE || p->kind == K_LEN ? NUM_BYTES : NUM_COUNT, &val))
		return bad_number(where, name, text);
	if (!in_range(p, where, name, val))
		return false;
	switch (p->kind) {
	case K_U32:
	case K_BOOL:
		small = (uint32_t)val;
		memcpy(at, &small, sizeof(small));
		break;
	case K_N:
	case K_LEN:
		s->groups = 1;
		*(p->kind == K_N ? &s->group[0].n : &s->group[0].len) = val;
		break;
	default:
		memcpy(at, &val, sizeof(val));
		break;
	}
	if (at == (char *)&s->write_latency)
		s->write_latency_set = true;
	return true;
}

static json_t *get_desc(const struct spec *s)
{
	char text[SPEC_GROUPS * 44] = "";

	for (size_t i = 0; i < s->groups; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%llux%llu",
			 i ? "," : "", (unsigned long long)s->group[i].n,
			 (unsigned long long)s->group[i].len);
	return json_string(text);
}

json_t *spec_get(const struct spec *s, const char *name)
{
	const struct place *p = find(name);
	const char *at;
	uint64_t val;
	uint32_t small;

	if (!p)
		return json_null();
	at = (const char *)s + p->at;
	switch (p->kind) {
	case K_U32:
	case K_BOOL:
		memcpy(&small, at, sizeof(small));
		return json_integer(small);
	case K_CHOICE:
		memcpy(&small, at, sizeof(small));
		return json_string(p->choices[small]);
	case K_DESC:
		return get_desc(s);
	case K_N:
		return json_integer((json_int_t)s->group[0].n);
	case K_LEN:
		return json_integer((json_int_t)s->group[0].len);
	case K_LAYOUT:
		return json_string(s->layout);
	default:
		memcpy(&val, at, sizeof(val));
		return json_integer((json_int_t)val);
	}
}

/* --- a set-up --------------------------------------------------------------------- */

/* What the engine complains of, as it is called here */
static void say_engine(const char *where, const char *engine, const char *why)
{
	const char *name = engine;

	for (size_t i = 0; i < spec_param_count; i++)
		if (places[i].engine && !strcmp(places[i].engine, engine))
			name = spec_params[i].name;
	it_error("%s%s: %s", where, name, why);
}

/* Bytes of the wide bus as bytes of the engine's; what is begun is a beat in any case */
static uint64_t scaled(const struct spec *s, uint64_t bytes)
{
	return (bytes * 8 + s->bus - 1) / s->bus;
}

static bool bad(const char *where, const char *name, const char *why)
{
	it_error("%s%s: %s", where, name, why);
	return false;
}

static bool set_config(const struct spec *s, const char *where, IdmaEngineConfig *cfg)
{
	const char *why, *name;

	*cfg = s->cfg;
	cfg->write_latency = cfg->read_latency;
	if (s->write_latency_set)
		cfg->write_latency = (uint32_t)s->write_latency;
	if (cfg->mem_mode == IDMA_MEM_CUTS && cfg->write_latency != cfg->read_latency)
		return bad(where, "write-latency",
			   "it differs from latency with memory direct only");
	if (s->bus & (s->bus - 1))
		return bad(where, "bus", "it must be a power of two");
	name = idma_engine_config_check(cfg, &why);
	if (name) {
		say_engine(where, name, why);
		return false;
	}
	/* A burst ends with its 4 KiB */
	while (cfg->max_burst_beats * s->bus > 4096)
		cfg->max_burst_beats /= 2;
	return true;
}

static bool set_work(const struct spec *s, const char *where, struct rig_setup *su)
{
	uint64_t n = 0, at = 0, biggest = 0, count;

	for (size_t g = 0; g < s->groups; g++) {
		count = s->group[g].n;
		if (s->total) {
			if (s->groups > 1 || !s->group[g].len)
				return bad(where, "total",
					   "it goes with descriptors of one length");
			count = (s->total + s->group[g].len - 1) / s->group[g].len;
		}
		n += count;
		if (s->group[g].len > biggest)
			biggest = s->group[g].len;
	}
	/* As much as there is room for between the bases of the rig */
	if (n > 1000000 || n * (scaled(s, biggest) + 2 * MEM_PAGE) > RIG_DST_BASE - RIG_SRC_BASE)
		return bad(where, s->total ? "total" : "desc",
			   "this is more than can be simulated");
	if (s->chains > n)
		return bad(where, "chains", "there are fewer descriptors");
	rig_desc_alloc(su, n);
	for (size_t g = 0; g < s->groups; g++) {
		uint64_t left = s->total;

		count = s->total ? n : s->group[g].n;
		for (uint64_t i = 0; i < count; i++, at++) {
			uint64_t len = s->group[g].len;

			if (s->total && len > left)
				len = left;
			left -= s->total ? len : 0;
			su->desc[at].len = (uint32_t)scaled(s, len);
			su->desc[at].flags = (uint32_t)s->flags;
			su->desc[at].src = scaled(s, s->src_align);
			su->desc[at].dst = scaled(s, s->dst_align);
		}
	}
	return true;
}

bool spec_setup(const struct spec *s, const char *where, struct rig_setup *su)
{
	memset(su, 0, sizeof(*su));
	if (!set_config(s, where, &su->cfg))
		return false;
	if (s->bus > 8 && s->src_align % (s->bus / 8))
		return bad(where, "src-align", "on that bus it must be a multiple of bus / 8");
	if (s->bus > 8 && s->dst_align % (s->bus / 8))
		return bad(where, "dst-align", "on that bus it must be a multiple of bus / 8");
	if (s->bus != 8 && s->flags & IDMA_FLAG_REDUCE_LEN)
		return bad(where, "flags", "reduce_len is known for a bus of 8 bytes only");
	if (!set_work(s, where, su))
		return false;
	rig_place_data(su);
	if (!rig_place_desc(su, s->layout, 0)) {
		it_error("%slayout: '%s' is not contig, gap, reverse, strideS or jumpK", where,
			 s->layout);
		free(su->desc);
		su->desc = NULL;
		return false;
	}
	if (su->desc[su->n - 1].at - RIG_DESC_BASE >= RIG_SRC_BASE - RIG_DESC_BASE) {
		free(su->desc);
		su->desc = NULL;
		return bad(where, "layout", "the descriptors are too far apart");
	}
	su->chains = s->chains;
	su->spacing = s->spacing;
	su->max_cycles = s->max_cycles;
	return true;
}

static void set_cycle(json_t *row, const char *key, int64_t val)
{
	if (val >= 0)
		json_object_set_new(row, key, json_integer(val));
}

/* Times and rates, if there is a clock */
static void set_rates(json_t *row, const struct spec *s, const struct rig_result *res,
		      uint64_t bytes)
{
	double hz = (double)s->clock;

	if (!s->clock || res->total <= 0)
		return;
	json_object_set_new(row, "time_ns", json_real((double)res->total / hz * 1e9));
	json_object_set_new(row, "bytes_s", json_real((double)bytes * hz / (double)res->total));
	if (res->last_r >= 0)
		json_object_set_new(row, "bytes_s_steady",
				    json_real(res->util_steady * (double)s->bus * hz));
}

json_t *spec_run(struct rig *rig, const struct spec *s, const struct rig_setup *su, int *status)
{
	struct rig_result res;
	json_t *row = json_object();
	uint64_t bytes = 0;

	rig_run(rig, su, &res, NULL);
	for (size_t g = 0; g < s->groups; g++)
		bytes += s->group[g].n * s->group[g].len;
	if (s->total)
		bytes = s->total;
	json_object_set_new(row, "descriptors", json_integer((json_int_t)su->n));
	json_object_set_new(row, "bytes", json_integer((json_int_t)bytes));
	set_cycle(row, "cycles", res.total);
	set_cycle(row, "idle", res.idle);
	set_cycle(row, "launch", res.launch);
	set_cycle(row, "first_read", res.first_r);
	set_cycle(row, "last_read", res.last_r);
	set_cycle(row, "first_write", res.first_w);
	set_cycle(row, "last_write", res.last_w);
	/* What a front-end that hands over requests at once would see of the back-end */
	if (res.last_b >= 0 && res.first_req >= 0)
		set_cycle(row, "backend_cycles", res.last_b - res.first_req);
	if (res.last_r >= 0)
		json_object_set_new(row, "util_steady", json_real(res.util_steady));
	if (res.total > 0)
		json_object_set_new(row, "util_total", json_real(res.util_total));
	if (res.period > 0) {
		json_object_set_new(row, "period", json_real(res.period));
		if (s->groups == 1)
			json_object_set_new(row, "util", json_real(res.util_mid));
	}
	set_rates(row, s, &res, bytes);
	set_cycle(row, "interrupts", res.n_irq);
	json_object_set_new(row, "fetches", json_integer((json_int_t)res.stats.fetches));
	json_object_set_new(row, "flushes", json_integer((json_int_t)res.stats.flushes));
	json_object_set_new(row, "marks", json_integer((json_int_t)res.stats.marks));
	if (res.stopped)
		*status = IT_FAILED;
	if (res.hang || (res.data_bad && !res.stopped)) {
		json_object_set_new(row, "failed", json_string(res.hang ? "hang" : "wrong data"));
		*status = IT_FAILED;
	}
	return row;
}
