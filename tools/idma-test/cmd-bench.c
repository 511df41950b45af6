// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench: the in-kernel bench client on one or more targets.
 */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "out.h"

static struct opt_strings channels, baselines;
static struct num_list counts, sizes, depths, batches;
static struct opt_number transfers, time_limit, timeout, warmup, src_offset, dst_offset, cpu, id;
static bool detach, totals_only, do_stop, do_get;
static const char * const waits[] = { "default", "sleep", "spin", "poll", NULL };
static const char * const verifies[] = { "default", "none", "last", "each", NULL };
static int wait_how, verify;

static const struct opt opts[] = {
	{ "size", 's', OPT_LIST, &sizes, .arg = "LIST", .unit = NUM_BYTES, .min = 1,
	  .max = IDMA_BENCH_MAX_SIZE, .most = IDMA_BENCH_MAX_VALUES,
	  .help = "bytes of a transfer, default 4096" },
	{ "depth", 'd', OPT_LIST, &depths, .arg = "LIST", .min = 1, .max = IDMA_BENCH_MAX_DEPTH,
	  .most = IDMA_BENCH_MAX_VALUES, .help = "transfers in flight on each channel, default 1" },
	{ "batch", 'b', OPT_LIST, &batches, .arg = "LIST", .min = 1, .max = IDMA_BENCH_MAX_DEPTH,
	  .most = IDMA_BENCH_MAX_VALUES, .help = "transfers issued at once, default 1" },
	{ "channels", 'n', OPT_LIST, &counts, .arg = "LIST", .min = 1,
	  .max = IDMA_BENCH_MAX_CHANNELS, .most = IDMA_BENCH_MAX_VALUES,
	  .help = "channels at a time, default all that are named, or 1" },
	{ "channel", 'c', OPT_STRINGS, &channels, .arg = "NAME,...",
	  .help = "channels of any driver, or 'cpu' (memcpy), or 'null' (no copy at all)" },
	{ "baseline", 'B', OPT_STRINGS, &baselines, .arg = "NAME,...",
	  .help = "run the same on each of these, too: cpu, null, a channel" },
	{ "transfers", 't', OPT_NUMBER, &transfers, .arg = "N", .min = 1, .max = INT64_MAX,
	  .help = "transfers to measure for each configuration, default 1000" },
	{ "time-limit", 'l', OPT_NUMBER, &time_limit, .arg = "TIME", .unit = NUM_MS, .min = 1,
	  .max = 3600000, .help = "at most that long for each, default 10 s" },
	{ "timeout", 'T', OPT_NUMBER, &timeout, .arg = "TIME", .unit = NUM_MS, .min = 1,
	  .max = 3600000, .help = "fail after that long without a completion, default 10 s" },
	{ "warmup", 'w', OPT_NUMBER, &warmup, .arg = "N", .max = 1000000,
	  .help = "transfers before each measurement, default twice the depth" },
	{ "wait", 'W', OPT_CHOICE, &wait_how, .choices = waits,
	  .help = "how to learn of completions, default sleep" },
	{ "verify", 'V', OPT_CHOICE, &verify, .choices = verifies,
	  .help = "which copies to compare, default last" },
	{ "src-offset", 0, OPT_NUMBER, &src_offset, .arg = "N", .max = 63,
	  .help = "distance of the source from a boundary of 64 bytes" },
	{ "dst-offset", 0, OPT_NUMBER, &dst_offset, .arg = "N", .max = 63,
	  .help = "the same for the destination" },
	{ "cpu", 'C', OPT_NUMBER, &cpu, .arg = "N", .help = "CPU that the client runs on" },
	{ "totals-only", 0, OPT_FLAG, &totals_only,
	  .help = "no figures by phase, nor what it costs to measure them" },
	{ "detach", 0, OPT_FLAG, &detach, .help = "only start it; --get has the results later" },
	{ "get", 0, OPT_FLAG, &do_get, .help = "show the last run, finished or not" },
	{ "stop", 0, OPT_FLAG, &do_stop, .help = "stop the run" },
	{ "id", 0, OPT_NUMBER, &id, .arg = "N", .min = 1,
	  .help = "with --get or --stop: only if it is this run" },
};

static const struct usage usage = {
	.command = "bench",
	.text =
		"Measure DMA channels of any driver with the kernel's bench client (module idma-bench):\n"
		"all combinations of size, depth, batch and channels; throughput, interrupts, the\n"
		"CPU's instructions and the latency of each phase. Ctrl-C stops it.",
	.opts = opts,
	.n = ARRAY_SIZE(opts),
	.examples = "  idma-test bench -s 64..64k -B cpu -o run.json\n"
		    "  idma-test bench -s 64 -d 1..32 -b 1,8 -W spin\n"
		    "  idma-test bench -c dma0chan0,dma0chan1 -n 1,2 -s 4k -V each\n",
};

static const struct out_column cols[] = {
	{ "target", "TARGET", OUT_STR, NULL },
	{ "size", "SIZE", OUT_BYTES, NULL },
	{ "depth", "DEPTH", OUT_INT, NULL },
	{ "batch", "BATCH", OUT_INT, NULL },
	{ "channels", "CHAN", OUT_INT, NULL },
	{ "transfers", "TRANSFERS", OUT_INT, NULL },
	{ "transfers_s", "SPEED", OUT_RATE, NULL },
	{ "bytes_s", "THROUGHPUT", OUT_BYTERATE, NULL },
	{ "phases.complete.ns.p50", "LATENCY", OUT_NS, "latency_p50_ns" },
	{ "phases.complete.ns.p99", "99 %", OUT_NS, "latency_p99_ns" },
	{ "interrupts_per_transfer", "IRQS/TR", OUT_REAL, NULL },
	{ "instructions_per_transfer", "INSTR/TR", OUT_INT, NULL },
	{ "cycles_per_transfer", "CYCLES/TR", OUT_INT, NULL },
	{ "mismatches", "WRONG", OUT_INT, NULL },
	{ "state", "STATE", OUT_STATE, NULL },
};

/* Rows of all runs, each with its target */
static void show(const json_t *runs)
{
	json_t *rows = json_array(), *run, *one, *row;
	size_t i, j;

	json_array_foreach(runs, i, run) {
		json_array_foreach(json_object_get(run, "results"), j, one) {
			row = json_copy(one);
			json_object_set(row, "target", json_object_get(run, "target"));
			json_array_append_new(rows, row);
		}
	}
	out_table(cols, ARRAY_SIZE(cols), rows);
	json_decref(rows);
}

static int finish(json_t *runs, int status)
{
	json_t *doc = out_doc();

	show(runs);
	json_object_set_new(doc, "runs", runs);
	return out_finish(doc, status);
}

static int get(struct nlc *c)
{
	json_t *runs = json_array(), *run, *results;
	int ret = bench_get(c, (uint32_t)id.val, &run);

	if (!ret) {
		json_object_set_new(run, "target", json_string("last run"));
		json_array_append_new(runs, run);
		ret = bench_results(c, (uint32_t)json_u64(run, "id"), &results);
		if (!ret)
			json_object_set_new(run, "results", results);
		if (!strcmp(json_str(run, "state", ""), "failed")) {
			it_error("it failed: %s", json_str(run, "message", "no reason given"));
			ret = IT_FAILED;
		}
	}
	return finish(runs, ret);
}

static char *join(const struct opt_strings *names)
{
	char *text = xstrdup(names->n ? names->v[0] : "dma"), *more;

	for (size_t i = 1; i < names->n; i++) {
		more = xasprintf("%s,%s", text, names->v[i]);
		free(text);
		text = more;
	}
	return text;
}

static int start_only(struct nlc *c, const struct bench_config *cfg)
{
	json_t *doc, *started;
	int ret = bench_start(c, cfg, &started);

	if (ret)
		return out_finish(NULL, ret);
	out_text("run %llu has started; 'idma-test bench --get' shows its results",
		 (unsigned long long)json_u64(started, "id"));
	if (!out.tty && !out.json)
		printf("id=%llu configs=%llu\n", (unsigned long long)json_u64(started, "id"),
		       (unsigned long long)json_u64(started, "configs"));
	doc = out_doc();
	json_object_set_new(doc, "started", started);
	return out_finish(doc, IT_OK);
}

static int run(struct nlc *c, struct bench_config *cfg)
{
	json_t *runs = json_array(), *one;
	char *target = join(&channels);
	struct opt_strings name;
	int ret, status;

	catch_signals();
	status = bench_run(c, cfg, target, &one);
	if (one)
		json_array_append_new(runs, one);
	free(target);
	for (size_t i = 0; i < baselines.n && !it_stop && status <= IT_FAILED; i++) {
		name = (struct opt_strings) { 1, &baselines.v[i] };
		cfg->channels = &name;
		/* It copies nothing that could be looked at */
		cfg->verify = !strcmp(baselines.v[i], "null") ? IDMA_BENCH_VERIFY_NONE : verify - 1;
		ret = bench_run(c, cfg, baselines.v[i], &one);
		if (one)
			json_array_append_new(runs, one);
		status = status ? status : ret;
	}
	return finish(runs, status);
}

static int check(void)
{
	if (do_get && do_stop)
		it_error("--get and --stop are two things to do: use one");
	else if (id.set && !do_get && !do_stop)
		it_error("--id goes with --get or --stop");
	else if (detach && baselines.n)
		it_error("--detach only starts one run: no --baseline");
	else
		return IT_OK;
	return IT_USAGE;
}

int cmd_bench(int argc, char **argv)
{
	struct bench_config cfg = {
		.channels = &channels, .counts = &counts, .sizes = &sizes, .depths = &depths,
		.batches = &batches, .transfers = &transfers, .time_limit = &time_limit,
		.timeout = &timeout, .warmup = &warmup, .src_offset = &src_offset,
		.dst_offset = &dst_offset, .cpu = &cpu,
	};
	int at = opts_parse(&usage, argc, argv), ret;
	struct nlc c;

	if (at < 0)
		return OPTS_EXIT(at);
	ret = check();
	if (ret)
		return out_finish(NULL, ret);
	ret = nlc_open(&c);
	if (ret)
		return out_finish(NULL, nlc_missing(ret));
	cfg.wait = wait_how - 1;
	cfg.verify = verify - 1;
	cfg.detach = detach;
	cfg.totals_only = totals_only;
	if (do_stop)
		ret = out_finish(NULL, bench_stop(&c, (uint32_t)id.val));
	else if (do_get)
		ret = get(&c);
	else if (detach)
		ret = start_only(&c, &cfg);
	else
		ret = run(&c, &cfg);
	nlc_close(&c);
	return ret;
}
