// SPDX-License-Identifier: GPL-2.0-only
/*
 * hostmem: the XRT tutorial's experiment on access to host memory. Fifteen
 * workers with buffers of 2 MiB, for 20 s: through device memory they did 40,493
 * rounds, directly from host memory 53,625, that is 8.0986 and 10.725 GB/s of the
 * tutorial's (1000 times 4 MiB for each round).
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
#include <stdlib.h>
#include <string.h>

#include "hostmem.h"
#include "opts.h"
#include "out.h"
#include "sim.h"

#define MIB		(1024.0 * 1024)
#define ROUNDS_STAGED	40493
#define ROUNDS_DIRECT	53625
#define SECONDS		20
#define ROUND_MIB	4.0	/* that the tutorial counts for a round: its inputs */
#define INPUTS		2

#define GBS(rounds_s)	((rounds_s) * ROUND_MIB / 1000)

static struct opt_number workers, size, run_time, link_rate, stage_rate, device_rate;
static struct opt_number channels, banks;
static int how, timing;
static const char * const hows[] = { "both", "staged", "direct", NULL };
static const char * const timings[] = { "functional", "cycle", NULL };

static const struct opt opts[] = {
	{ "workers", 'n', OPT_NUMBER, &workers, .arg = "N", .min = 1, .max = HM_WORKERS,
	  .help = "workers, default 15" },
	{ "size", 's', OPT_NUMBER, &size, .arg = "BYTES", .unit = NUM_BYTES, .min = 64,
	  .max = 64 << 20, .help = "of a buffer, default 2M" },
	{ "time", 't', OPT_NUMBER, &run_time, .arg = "TIME", .unit = NUM_MS, .min = 1,
	  .max = 3600000, .help = "simulated, default 200 ms; the tutorial has 20 s" },
	{ "mode", 'm', OPT_CHOICE, &how, .choices = hows, .help = "what to simulate" },
	{ "timing", 0, OPT_CHOICE, &timing, .choices = timings,
	  .help = "functional (default), or cycle, which takes longer" },
	{ "link-rate", 0, OPT_NUMBER, &link_rate, .arg = "BYTES/S", .min = 1000000,
	  .max = 1000000000000ull, .help = "of the link to host memory, default 11246M" },
	{ "channels", 0, OPT_NUMBER, &channels, .arg = "N", .min = 1, .max = 8,
	  .help = "of each direction to device memory, default 2" },
	{ "stage-rate", 0, OPT_NUMBER, &stage_rate, .arg = "BYTES/S", .min = 1000000,
	  .max = 1000000000000ull, .help = "of each of them, default 4194M" },
	{ "banks", 0, OPT_NUMBER, &banks, .arg = "N", .min = 1, .max = 8,
	  .help = "of device memory, default 4" },
	{ "device-rate", 0, OPT_NUMBER, &device_rate, .arg = "BYTES/S", .min = 1000000,
	  .max = 1000000000000ull, .help = "of each of them, default 4194M" },
};

static const struct usage usage = {
	.command = "hostmem",
	.text =
		"The experiment of XRT's tutorial on host memory access: N workers with buffers in host\n"
		"memory, staged through device memory (two inputs there, work on both, one output back)\n"
		"against direct. A round counts as 4 MiB for buffers of 2 MiB, as in the tutorial.\n"
		"Where the default parameters come from is in idma-sim(1).",
	.opts = opts,
	.n = ARRAY_SIZE(opts),
	.examples = "  idma-sim hostmem\n"
		    "  idma-sim hostmem --mode staged --channels 1 --time 50\n",
};

static uint64_t hz_of(const struct opt_number *rate, double otherwise)
{
	/* A beat of 8 bytes a cycle */
	return (uint64_t)((rate->set ? (double)rate->val : otherwise) / 8);
}

static uint64_t number(const struct opt_number *num, uint64_t otherwise)
{
	return num->set ? num->val : otherwise;
}

static void add_engines(struct hm_setup *su, uint64_t n, uint64_t hz)
{
	while (n--)
		su->hz[su->engines++] = hz;
}

static void set_direct(struct hm_setup *su)
{
	add_engines(su, 1, hz_of(&link_rate, (double)ROUNDS_DIRECT / SECONDS * ROUND_MIB * MIB));
	su->stage[0] = (struct hm_stage) { "link", INPUTS, 0, 1, false };
	su->stages = 1;
}

static void set_staged(struct hm_setup *su)
{
	unsigned int n = (unsigned int)number(&channels, 2), b = (unsigned int)number(&banks, 4);
	uint64_t stage = hz_of(&stage_rate, ROUND_MIB * MIB * 1000);
	uint64_t device = hz_of(&device_rate, ROUND_MIB * MIB * 1000);

	add_engines(su, n, stage);
	add_engines(su, b, device);
	add_engines(su, n, stage);
	su->stage[0] = (struct hm_stage) { "to device", INPUTS, 0, n, false };
	su->stage[1] = (struct hm_stage) { "work", INPUTS, n, b, true };
	su->stage[2] = (struct hm_stage) { "back", 1, n + b, n, false };
	su->stages = 3;
}

static bool on_progress(uint64_t ns, uint64_t all)
{
	progress_show((double)ns / (double)all, "%.1f of %.1f ms", (double)ns / 1e6,
		      (double)all / 1e6);
	return !it_stop;
}

static json_t *one(bool staged, double *rate, int *status)
{
	static struct hm_result res;
	struct hm_setup su = {
		.workers = (unsigned int)number(&workers, 15),
		.size = (uint32_t)number(&size, 2 << 20),
		.ns = number(&run_time, 200) * 1000000,
		.progress = on_progress,
	};
	json_t *counts = json_array(), *stages = json_array();
	uint64_t most = 0, least = UINT64_MAX;
	double published = GBS((double)(staged ? ROUNDS_STAGED : ROUNDS_DIRECT) / SECONDS);

	idma_engine_config_default(&su.cfg);
	su.cfg.timing = timing ? IDMA_TIMING_CYCLE : IDMA_TIMING_FUNCTIONAL;
	if (staged)
		set_staged(&su);
	else
		set_direct(&su);
	hm_run(&su, &res);
	progress_clear();
	for (unsigned int i = 0; i < su.workers; i++) {
		json_array_append_new(counts, json_integer((json_int_t)res.count[i]));
		most = res.count[i] > most ? res.count[i] : most;
		least = res.count[i] < least ? res.count[i] : least;
	}
	for (size_t i = 0; i < su.stages; i++)
		json_array_append_new(stages, json_pack("{s:s, s:f, s:f}", "name", su.stage[i].name,
							"ns", res.stage_ns[i], "workers",
							res.waiting[i]));
	/* As the tutorial counts them, whatever the size of the buffers is */
	*rate = GBS(res.rate) * (su.size / (2 * MIB));
	if (res.wrong) {
		it_error("%llu buffers hold wrong data", (unsigned long long)res.wrong);
		*status = IT_FAILED;
	}
	if (res.stopped)
		*status = IT_FAILED;
	return json_pack("{s:s, s:I, s:I, s:I, s:f, s:f, s:o, s:o}", "mode",
			 staged ? "staged" : "direct", "rounds", (json_int_t)res.total, "least",
			 (json_int_t)least, "most", (json_int_t)most, "gb_s", *rate,
			 "published_gb_s", published, "stages",
			 stages, "workers", counts);
}

static void show_workers(const json_t *run)
{
	const json_t *count, *stage;
	size_t i;

	out_heading("%s", json_str(run, "mode", ""));
	json_array_foreach(json_object_get(run, "workers"), i, count)
		printf("worker[%zu]:%lld\n", i, (long long)json_integer_value(count));
	json_array_foreach(json_object_get(run, "stages"), i, stage)
		printf("%s: %.3f ms, %.2f workers in it\n", json_str(stage, "name", ""),
		       json_double(stage, "ns", 0) / 1e6, json_double(stage, "workers", 0));
}

int cmd_hostmem(int argc, char **argv)
{
	static const struct out_column cols[] = {
		{ "mode", "MODE", OUT_STR, NULL },
		{ "rounds", "ROUNDS", OUT_INT, NULL },
		{ "least", "LEAST", OUT_INT, NULL },
		{ "most", "MOST", OUT_INT, NULL },
		{ "gb_s", "GB/S", OUT_REAL, NULL },
		{ "published_gb_s", "PUBLISHED", OUT_REAL, NULL },
	};
	int at = opts_parse(&usage, argc, argv), status = IT_OK;
	double rate[2] = { 0, 0 }, ratio;
	json_t *doc, *runs, *run;
	size_t i;

	if (at < 0)
		return OPTS_EXIT(at);
	catch_signals();
	runs = json_array();
	for (int staged = 1; staged >= 0 && !it_stop; staged--)
		if (how != (staged ? 2 : 1))
			json_array_append_new(runs, one(staged, &rate[staged], &status));
	if (!out.json) {
		json_array_foreach(runs, i, run)
			show_workers(run);
	}
	out_table(cols, ARRAY_SIZE(cols), runs);
	doc = out_doc();
	json_object_set_new(doc, "runs", runs);
	if (rate[0] > 0 && rate[1] > 0) {
		ratio = rate[0] / rate[1];
		if (!out.json)
			printf("direct/staged %.3f, published %.3f\n", ratio,
			       (double)ROUNDS_DIRECT / ROUNDS_STAGED);
		json_object_set_new(doc, "ratio", json_real(ratio));
		json_object_set_new(doc, "published_ratio",
				    json_real((double)ROUNDS_DIRECT / ROUNDS_STAGED));
	}
	return out_finish(doc, status);
}
