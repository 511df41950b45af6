// SPDX-License-Identifier: GPL-2.0-only
/*
 * hostmem: the experiment of XRT's tutorial on access to host memory, with the
 * kernel's workers (module idma-stages) and whatever engines there are.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "opts.h"
#include "out.h"
#include "sysfs.h"

#define PARAMS		"/sys/module/idma_stages/parameters"
#define MIB		(1024.0 * 1024)
/* What the tutorial has: rounds in 20 s, each of which counts for 4 MiB */
#define ROUNDS_STAGED	40493
#define ROUNDS_DIRECT	53625
#define SECONDS		20
#define ROUND_MIB	4.0
#define GBS(rounds_s)	((rounds_s) * ROUND_MIB / 1000)

static struct opt_number workers, size, run_time;
static const char *link_chan, *in_chans, *device_chans, *out_chans;
static const char * const hows[] = { "both", "staged", "direct", NULL };
static int how;

static const struct opt opts[] = {
	{ "workers", 'n', OPT_NUMBER, &workers, .arg = "N", .min = 1, .max = 64,
	  .help = "workers, default 15" },
	{ "size", 's', OPT_NUMBER, &size, .arg = "BYTES", .unit = NUM_BYTES, .min = 1,
	  .max = 4 << 20, .help = "of a buffer, default 2M" },
	{ "time", 't', OPT_NUMBER, &run_time, .arg = "TIME", .unit = NUM_MS, .min = 1,
	  .max = 3600000, .help = "for each mode, default 20 s" },
	{ "mode", 'm', OPT_CHOICE, &how, .choices = hows, .help = "what to run" },
	{ "link", 0, OPT_STRING, &link_chan, .arg = "CHANNEL",
	  .help = "that has host memory, default dma0chan0" },
	{ "in", 0, OPT_STRING, &in_chans, .arg = "CHANNEL,...",
	  .help = "from host to device memory, default dma0chan1" },
	{ "device", 0, OPT_STRING, &device_chans, .arg = "CHANNEL,...",
	  .help = "banks of device memory, default dma0chan2" },
	{ "out", 0, OPT_STRING, &out_chans, .arg = "CHANNEL,...",
	  .help = "back to host memory, default dma0chan3" },
};

static const struct usage usage = {
	.command = "hostmem",
	.text =
		"Workers with buffers in host memory, staged through device memory (two inputs there,\n"
		"work on both, one output back) against direct: how often does each get around? A round\n"
		"counts as 4 MiB for buffers of 2 MiB, as in XRT's tutorial, whose figures are shown\n"
		"beside. Engines of one speed for all stages say little; idma-sim(1) has the speeds\n"
		"that follow from the tutorial. Needs the module idma-stages.",
	.opts = opts,
	.n = ARRAY_SIZE(opts),
	.examples = "  idma-test hostmem -t 1s\n"
		    "  idma-test hostmem --link dma0chan0 --in dma1chan0,dma2chan0 \\\n"
		    "      --device dma3chan0,dma4chan0 --out dma5chan0 -t 50\n",
};

static int set(const char *param, const char *val)
{
	char *path = xasprintf(PARAMS "/%s", param);
	int ret = sys_write(path, val, strlen(val));

	free(path);
	return ret;
}

static int set_number(const char *param, uint64_t val)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)val);
	return set(param, text);
}

static bool running(void)
{
	char text[8] = "";

	return !sys_read(PARAMS "/run", text, sizeof(text)) && text[0] == 'Y';
}

static char *read_result(void)
{
	FILE *f = fopen(PARAMS "/result", "r");
	char *text = xalloc(8192);

	if (f) {
		text[fread(text, 1, 8191, f)] = '\0';
		fclose(f);
	}
	return text;
}

static uint64_t number(const struct opt_number *num, uint64_t otherwise)
{
	return num->set ? num->val : otherwise;
}

static int begin_run(const char *plan)
{
	int ret = set("plan", plan);

	if (!ret)
		ret = set_number("workers", number(&workers, 15));
	if (!ret)
		ret = set_number("size", number(&size, 2 << 20));
	if (!ret)
		ret = set_number("runtime", number(&run_time, SECONDS * 1000));
	if (!ret)
		ret = set("run", "1");
	switch (ret) {
	case 0:
		return IT_OK;
	case -ENOENT:
		it_error("the kernel's workers are not loaded");
		it_hint("load them: modprobe idma-stages");
		return IT_ENV;
	case -EINVAL:
		it_error("the channels are not NAME,...: '%s'", plan);
		return IT_USAGE;
	case -ENODEV:
		it_error("a channel of '%s' is not there or busy", plan);
		it_hint("'idma-test list -c' shows the channels and which are free");
		return IT_ENV;
	case -EBUSY:
		it_error("there is a run already");
		return IT_ENV;
	default:
		it_error("cannot run: %s", strerror(-ret));
		return IT_ENV;
	}
}

/* "error=0 mismatches=0 rounds=1 ...", then "worker[0]:1" lines */
static json_t *parse(const char *text, const char *mode, int published)
{
	static const char * const names[] = {
		"error", "mismatches", "rounds", "ns", "steady_rounds", "steady_ns",
	};
	json_t *run = json_object(), *counts = json_array();
	uint64_t bytes = number(&size, 2 << 20);
	double seconds, rounds;

	json_object_set_new(run, "mode", json_string(mode));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *key = xasprintf("%s=", names[i]);
		const char *at = !strncmp(text, key, strlen(key)) ? text : NULL;

		if (!at) {
			free(key);
			key = xasprintf(" %s=", names[i]);
			at = strstr(text, key);
		}
		if (at)
			json_object_set_new(run, names[i],
					    json_integer(strtoll(at + strlen(key), NULL, 10)));
		free(key);
	}
	for (const char *p = text; (p = strstr(p, "]:")); p += 2)
		json_array_append_new(counts, json_integer(strtoll(p + 2, NULL, 10)));
	json_object_set_new(run, "workers", counts);
	seconds = json_double(run, "steady_ns", 0) / 1e9;
	rounds = json_double(run, "steady_rounds", 0);
	if (seconds > 0)
		json_object_set_new(run, "gb_s",
				    json_real(GBS(rounds / seconds) * ((double)bytes / (2 * MIB))));
	json_object_set_new(run, "published_gb_s", json_real(GBS((double)published / SECONDS)));
	return run;
}

static int one(const char *mode, const char *plan, int published, json_t *runs)
{
	struct timespec nap = { .tv_nsec = 5000000 };
	uint64_t begin = now_ns(), all = number(&run_time, SECONDS * 1000) * 1000000;
	int ret = begin_run(plan);
	json_t *run;
	char *text;

	if (ret)
		return ret;
	while (running()) {
		if (it_stop)
			set("run", "0");
		progress_show((double)(now_ns() - begin) / (double)all, "%s", mode);
		nanosleep(&nap, NULL);
	}
	progress_clear();
	text = read_result();
	run = parse(text, mode, published);
	free(text);
	json_array_append_new(runs, run);
	if (json_u64(run, "error")) {
		it_error("%s: %s", mode, strerror((int)-json_double(run, "error", 0)));
		ret = IT_FAILED;
	}
	if (json_u64(run, "mismatches")) {
		it_error("%s: %llu buffers hold wrong data", mode,
			 (unsigned long long)json_u64(run, "mismatches"));
		ret = IT_FAILED;
	}
	return ret;
}

static void show(const json_t *runs)
{
	static const struct out_column cols[] = {
		{ "mode", "MODE", OUT_STR, NULL },
		{ "rounds", "ROUNDS", OUT_INT, NULL },
		{ "gb_s", "GB/S", OUT_REAL, NULL },
		{ "published_gb_s", "PUBLISHED", OUT_REAL, NULL },
		{ "mismatches", "WRONG", OUT_INT, NULL },
	};
	const json_t *run, *count;
	size_t i, k;

	if (!out.json) {
		json_array_foreach((json_t *)runs, i, run) {
			out_heading("%s", json_str(run, "mode", ""));
			json_array_foreach(json_object_get(run, "workers"), k, count)
				printf("worker[%zu]:%.0f\n", k, json_number_value(count));
		}
	}
	out_table(cols, ARRAY_SIZE(cols), runs);
}

int cmd_hostmem(int argc, char **argv)
{
	int at = opts_parse(&usage, argc, argv), status = IT_OK;
	json_t *runs, *doc;
	double ratio;
	char *plan;

	if (at < 0)
		return OPTS_EXIT(at);
	catch_signals();
	runs = json_array();
	if (how != 2) {
		plan = xasprintf("2:%s/2@%s/1:%s", in_chans ? in_chans : "dma0chan1",
				 device_chans ? device_chans : "dma0chan2",
				 out_chans ? out_chans : "dma0chan3");
		status = one("staged", plan, ROUNDS_STAGED, runs);
		free(plan);
	}
	if (how != 1 && !status && !it_stop) {
		plan = xasprintf("2:%s", link_chan ? link_chan : "dma0chan0");
		status = one("direct", plan, ROUNDS_DIRECT, runs);
		free(plan);
	}
	show(runs);
	doc = out_doc();
	if (json_array_size(runs) == 2) {
		ratio = json_double(json_array_get(runs, 1), "gb_s", 0) /
			json_double(json_array_get(runs, 0), "gb_s", 1);
		if (!out.json)
			printf("direct/staged %.3f, published %.3f\n", ratio,
			       (double)ROUNDS_DIRECT / ROUNDS_STAGED);
		json_object_set_new(doc, "ratio", json_real(ratio));
		json_object_set_new(doc, "published_ratio",
				    json_real((double)ROUNDS_DIRECT / ROUNDS_STAGED));
	}
	json_object_set_new(doc, "runs", runs);
	return out_finish(doc, status);
}
