// SPDX-License-Identifier: GPL-2.0-only
/*
 * The experiment of the XRT tutorial on access to host memory. Fifteen workers with
 * buffers of 2 MiB, for 20 s: through device memory they did 40,493 rounds, directly
 * from host memory 53,625, that is 8.0986 and 10.725 GB/s of the tutorial's (1000
 * times 4 MiB for each round).
 *
 * Where the model's parameters come from (nothing else is in them):
 *
 * - The link to host memory is what the direct rounds have: 53,625 times 4 MiB in
 *   20 s is 11.246e9 bytes/s towards the card. What comes back, half of that, has
 *   the other direction for itself.
 * - A transfer of 4 MiB to device memory takes "approximately 1 ms". 40,493 rounds
 *   in 20 s, 1 ms each, are 2.02 transfers under way at a time (Little's law), and
 *   there cannot be parts of one: two channels, each with 4 MiB/ms. The way back
 *   has as many.
 * - A worker's run of 4 MiB takes "close to 1 ms" in device memory, of which there
 *   are four banks; each bank is an engine with 4 MiB/ms, and each worker is tied
 *   to a bank.
 *
 * So the direct rate is what was put in; the staged one, how long the queues are,
 * and that no worker is left behind are what comes out.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "hm-spec.h"
#include "hostmem.h"
#include "out.h"

#define MIB		(1024.0 * 1024)
#define ROUNDS_STAGED	40493
#define ROUNDS_DIRECT	53625
#define SECONDS		20
#define ROUND_MIB	4.0	/* that the tutorial counts for a round: its inputs */
#define INPUTS		2
#define WORKERS		15
#define BUFFER		(2 << 20)

#define GBS(rounds_s)	((rounds_s) * ROUND_MIB / 1000)
#define LINK_RATE	((uint64_t)((double)ROUNDS_DIRECT / SECONDS * ROUND_MIB * MIB))
#define PART_RATE	((uint64_t)(ROUND_MIB * MIB * 1000))
#define MOST_RATE	1000000000000ull

static const char * const modes[] = {
	[HM_BOTH] = "both", [HM_STAGED] = "staged", [HM_DIRECT] = "direct", NULL
};

static const char * const timings[] = { "functional", "cycle", NULL };

#define AT(m)	offsetof(struct hm_spec, m)

const struct hm_param hm_params[] = {
	{ "workers", 'n', "N", "workers, default 15", AT(workers), NUM_COUNT, 1, HM_WORKERS,
	  WORKERS, NULL },
	{ "size", 's', "BYTES", "of a buffer, default 2M", AT(size), NUM_BYTES, 64, 64 << 20,
	  BUFFER, NULL },
	{ "time", 't', "TIME", "simulated, default 200 ms; the tutorial has 20 s", AT(time_ms),
	  NUM_MS, 1, 3600000, 200, NULL },
	{ "mode", 'm', "MODE", "both (default), staged or direct", AT(mode), NUM_COUNT, 0, 0,
	  HM_BOTH, modes },
	{ "timing", 0, "MODE", "functional (default), or cycle, which takes longer", AT(timing),
	  NUM_COUNT, 0, 0, 0, timings },
	{ "link-rate", 0, "BYTES/S", "of the link to host memory, default 11246M", AT(link_rate),
	  NUM_COUNT, 1000000, MOST_RATE, LINK_RATE, NULL },
	{ "channels", 0, "N", "of each direction to device memory, default 2", AT(channels),
	  NUM_COUNT, 1, 8, 2, NULL },
	{ "stage-rate", 0, "BYTES/S", "of each of them, default 4194M", AT(stage_rate), NUM_COUNT,
	  1000000, MOST_RATE, PART_RATE, NULL },
	{ "banks", 0, "N", "of device memory, default 4", AT(banks), NUM_COUNT, 1, 8, 4, NULL },
	{ "device-rate", 0, "BYTES/S", "of each of them, default 4194M", AT(device_rate),
	  NUM_COUNT, 1000000, MOST_RATE, PART_RATE, NULL },
};

const size_t hm_param_count = ARRAY_SIZE(hm_params);

double hm_published(enum hm_mode mode)
{
	return GBS((double)(mode == HM_STAGED ? ROUNDS_STAGED : ROUNDS_DIRECT) / SECONDS);
}

static uint64_t *place(const struct hm_spec *s, const struct hm_param *p)
{
	return (uint64_t *)((char *)s + p->at);
}

void hm_spec_init(struct hm_spec *s)
{
	for (size_t i = 0; i < hm_param_count; i++)
		*place(s, &hm_params[i]) = hm_params[i].otherwise;
}

static const struct hm_param *find(const char *name)
{
	for (size_t i = 0; i < hm_param_count; i++)
		if (!strcmp(hm_params[i].name, name))
			return &hm_params[i];
	return NULL;
}

static bool set_word(const struct hm_param *p, uint64_t *to, const char *where, const char *text)
{
	char all[64] = "";

	for (uint64_t i = 0; p->words[i]; i++) {
		if (!strcmp(p->words[i], text)) {
			*to = i;
			return true;
		}
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", i ? ", " : "",
			 p->words[i]);
	}
	it_error("%s%s: '%s' is none of: %s", where, p->name, text, all);
	return false;
}

bool hm_spec_set(struct hm_spec *s, const char *where, const char *name, const char *text)
{
	const struct hm_param *p = find(name);
	uint64_t val;
	int ret;

	if (!p) {
		it_error("%s%s: the host-memory experiment has no such parameter", where, name);
		return false;
	}
	if (p->words)
		return set_word(p, place(s, p), where, text);
	ret = num_parse(text, p->unit, &val);
	if (ret == -EDOM) {
		it_error("%s%s: '%s' is not a whole number of ms", where, name, text);
		return false;
	}
	if (ret) {
		it_error("%s%s: '%s' is not a %s", where, name, text,
			 p->unit == NUM_MS ? "time (ms, s and m may follow it)" :
					     "number (k, M and G may follow it)");
		return false;
	}
	if (val < p->min || val > p->max) {
		it_error("%s%s: %llu is out of range, %llu to %llu are possible", where, name,
			 (unsigned long long)val, (unsigned long long)p->min,
			 (unsigned long long)p->max);
		return false;
	}
	*place(s, p) = val;
	return true;
}

json_t *hm_spec_get(const struct hm_spec *s, const char *name)
{
	const struct hm_param *p = find(name);

	if (!p)
		return json_null();
	if (p->words)
		return json_string(p->words[*place(s, p)]);
	return json_integer((json_int_t)*place(s, p));
}

/* --- a set-up and its run ---------------------------------------------------------- */

/* A beat of 8 bytes a cycle */
static void add_engines(struct hm_setup *su, uint64_t n, uint64_t rate)
{
	while (n--)
		su->hz[su->engines++] = rate / 8;
}

static void set_direct(struct hm_setup *su, const struct hm_spec *s)
{
	add_engines(su, 1, s->link_rate);
	su->stage[0] = (struct hm_stage) { "link", INPUTS, 0, 1, false };
	su->stages = 1;
}

static void set_staged(struct hm_setup *su, const struct hm_spec *s)
{
	unsigned int n = (unsigned int)s->channels, b = (unsigned int)s->banks;

	add_engines(su, n, s->stage_rate);
	add_engines(su, b, s->device_rate);
	add_engines(su, n, s->stage_rate);
	su->stage[0] = (struct hm_stage) { "to device", INPUTS, 0, n, false };
	su->stage[1] = (struct hm_stage) { "work", INPUTS, n, b, true };
	su->stage[2] = (struct hm_stage) { "back", 1, n + b, n, false };
	su->stages = 3;
}

json_t *hm_spec_run(const struct hm_spec *s, enum hm_mode mode,
		    bool (*progress)(uint64_t ns, uint64_t all), int *status)
{
	static struct hm_result res;
	struct hm_setup su = {
		.workers = (unsigned int)s->workers,
		.size = (uint32_t)s->size,
		.ns = s->time_ms * 1000000,
		.progress = progress,
	};
	json_t *counts = json_array(), *stages = json_array(), *row;
	uint64_t most = 0, least = UINT64_MAX;

	idma_engine_config_default(&su.cfg);
	su.cfg.timing = s->timing ? IDMA_TIMING_CYCLE : IDMA_TIMING_FUNCTIONAL;
	if (mode == HM_STAGED)
		set_staged(&su, s);
	else
		set_direct(&su, s);
	hm_run(&su, &res);
	for (unsigned int i = 0; i < su.workers; i++) {
		json_array_append_new(counts, json_integer((json_int_t)res.count[i]));
		most = res.count[i] > most ? res.count[i] : most;
		least = res.count[i] < least ? res.count[i] : least;
	}
	for (size_t i = 0; i < su.stages; i++)
		json_array_append_new(stages, json_pack("{s:s, s:f, s:f}", "name", su.stage[i].name,
							"ns", res.stage_ns[i], "workers",
							res.waiting[i]));
	if (res.wrong) {
		it_error("%llu buffers hold wrong data", (unsigned long long)res.wrong);
		*status = IT_FAILED;
	}
	if (res.stopped)
		*status = IT_FAILED;
	/* GB/s as the tutorial counts them, whatever the size of the buffers is */
	row = json_pack("{s:s, s:I, s:I, s:I, s:f, s:o, s:o}", "mode", modes[mode], "rounds",
			(json_int_t)res.total, "least", (json_int_t)least, "most",
			(json_int_t)most, "gb_s", GBS(res.rate) * ((double)su.size / BUFFER),
			"stages", stages, "workers", counts);
	/* The tutorial's set-up is one of those that can be asked for */
	if (s->workers == WORKERS)
		json_object_set_new(row, "published_gb_s", json_real(hm_published(mode)));
	return row;
}
