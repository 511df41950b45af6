// SPDX-License-Identifier: GPL-2.0-only
/*
 * The bench client: start, follow, get results.
 */
#include <errno.h>
#include <inttypes.h>
#include <netlink/attr.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "hist.h"
#include "out.h"

/* What the kernel complains of, as it is called on the command line */
static const char *option_name(int attr)
{
	static const char * const names[] = {
		[IDMA_A_BENCH_ID] = "--id",
		[IDMA_A_BENCH_CHANNEL] = "--channel",
		[IDMA_A_BENCH_CHANNEL_COUNT] = "--channels",
		[IDMA_A_BENCH_SIZE] = "--size",
		[IDMA_A_BENCH_DEPTH] = "--depth",
		[IDMA_A_BENCH_BATCH] = "--batch",
		[IDMA_A_BENCH_TRANSFERS] = "--transfers",
		[IDMA_A_BENCH_TIME_LIMIT] = "--time-limit",
		[IDMA_A_BENCH_TIMEOUT] = "--timeout",
		[IDMA_A_BENCH_WARMUP] = "--warmup",
		[IDMA_A_BENCH_WAIT] = "--wait",
		[IDMA_A_BENCH_VERIFY] = "--verify",
		[IDMA_A_BENCH_SRC_OFFSET] = "--src-offset",
		[IDMA_A_BENCH_DST_OFFSET] = "--dst-offset",
		[IDMA_A_BENCH_CPU] = "--cpu",
		[IDMA_A_BENCH_DETACH] = "--detach",
		[IDMA_A_BENCH_TOTALS_ONLY] = "--totals-only",
	};

	if (attr < 0 || (size_t)attr >= ARRAY_SIZE(names) || !names[attr])
		return "bench";
	return names[attr];
}

static int failed(const struct nlc *c, int ret)
{
	int status = nlc_failed(c, option_name(c->bad_attr), ret);

	switch (ret) {
	case -EOPNOTSUPP:
		it_hint("load it: modprobe idma-bench");
		return IT_ENV;
	case -EBUSY:
		it_hint("wait for its end, or stop it: idma-test bench --stop");
		return IT_ENV;
	case -ENODEV:
		it_hint("'idma-test list -c' shows the channels and which are free");
		return IT_ENV;
	case -EINVAL:
	case -ERANGE:
		it_hint("'idma-test bench --help' shows what is possible");
		return IT_USAGE;
	}
	return status;
}

static void put_list(struct nl_msg *msg, int attr, const struct num_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		nla_put_u32(msg, attr, (uint32_t)list->v[i]);
}

static void put_number(struct nl_msg *msg, int attr, const struct opt_number *num)
{
	if (num->set)
		nla_put_u32(msg, attr, (uint32_t)num->val);
}

int bench_start(struct nlc *c, const struct bench_config *cfg, json_t **started)
{
	struct nl_msg *msg = nlc_msg(c, IDMA_CMD_BENCH_START, false);
	int ret;

	for (size_t i = 0; i < cfg->channels->n; i++)
		nla_put_string(msg, IDMA_A_BENCH_CHANNEL, cfg->channels->v[i]);
	put_list(msg, IDMA_A_BENCH_CHANNEL_COUNT, cfg->counts);
	put_list(msg, IDMA_A_BENCH_SIZE, cfg->sizes);
	put_list(msg, IDMA_A_BENCH_DEPTH, cfg->depths);
	put_list(msg, IDMA_A_BENCH_BATCH, cfg->batches);
	if (cfg->transfers->set)
		nla_put_u64(msg, IDMA_A_BENCH_TRANSFERS, cfg->transfers->val);
	put_number(msg, IDMA_A_BENCH_TIME_LIMIT, cfg->time_limit);
	put_number(msg, IDMA_A_BENCH_TIMEOUT, cfg->timeout);
	put_number(msg, IDMA_A_BENCH_WARMUP, cfg->warmup);
	put_number(msg, IDMA_A_BENCH_SRC_OFFSET, cfg->src_offset);
	put_number(msg, IDMA_A_BENCH_DST_OFFSET, cfg->dst_offset);
	put_number(msg, IDMA_A_BENCH_CPU, cfg->cpu);
	if (cfg->wait >= 0)
		nla_put_u32(msg, IDMA_A_BENCH_WAIT, (uint32_t)cfg->wait);
	if (cfg->verify >= 0)
		nla_put_u32(msg, IDMA_A_BENCH_VERIFY, (uint32_t)cfg->verify);
	if (cfg->detach)
		nla_put_flag(msg, IDMA_A_BENCH_DETACH);
	if (cfg->totals_only)
		nla_put_flag(msg, IDMA_A_BENCH_TOTALS_ONLY);
	ret = nlc_call(c, msg, started);
	return ret ? failed(c, ret) : IT_OK;
}

static struct nl_msg *with_id(struct nlc *c, int cmd, bool dump, uint32_t id)
{
	struct nl_msg *msg = nlc_msg(c, cmd, dump);

	if (id)
		nla_put_u32(msg, IDMA_A_BENCH_ID, id);
	return msg;
}

int bench_get(struct nlc *c, uint32_t id, json_t **run)
{
	int ret = nlc_call(c, with_id(c, IDMA_CMD_BENCH_GET, false, id), run);

	return ret ? failed(c, ret) : IT_OK;
}

int bench_stop(struct nlc *c, uint32_t id)
{
	int ret = nlc_call(c, with_id(c, IDMA_CMD_BENCH_STOP, false, id), NULL);

	return ret ? failed(c, ret) : IT_OK;
}

static void set_per(json_t *row, const char *key, const char *of, double n, double less)
{
	double val = json_double(row, of, -1);

	if (val >= 0 && n > 0)
		json_object_set_new(row, key, json_real((val - less) / n));
}

/* What the numbers say when they are put together */
static void derive(json_t *row)
{
	double n = json_double(row, "transfers", 0), ns = json_double(row, "time_ns", 0);
	const char *phase;
	json_t *hists;

	if (ns > 0) {
		json_object_set_new(row, "transfers_s", json_real(n * 1e9 / ns));
		json_object_set_new(row, "bytes_s",
				    json_real(json_double(row, "bytes", 0) * 1e9 / ns));
	}
	set_per(row, "interrupts_per_transfer", "interrupts", n, 0);
	/* What was spent spinning is nobody's cost */
	set_per(row, "instructions_per_transfer", "instructions", n,
		json_double(row, "instructions_idle", 0));
	set_per(row, "cycles_per_transfer", "cycles", n, json_double(row, "cycles_idle", 0));
	json_object_foreach(json_object_get(row, "phases"), phase, hists) {
		const char *what;
		json_t *hist;

		json_object_foreach(hists, what, hist)
			hist_summarize(hist);
	}
}

int bench_results(struct nlc *c, uint32_t id, json_t **results)
{
	json_t *dump, *one, *row;
	size_t i;
	int ret = nlc_call(c, with_id(c, IDMA_CMD_BENCH_GET, true, id), &dump);

	if (ret)
		return failed(c, ret);
	*results = json_array();
	json_array_foreach(dump, i, one) {
		row = json_object_get(one, "result");
		if (!row)
			continue;
		derive(row);
		json_array_append(*results, row);
	}
	json_decref(dump);
	return IT_OK;
}

/* --- a whole run ------------------------------------------------------------------ */

static bool over(const json_t *run)
{
	const char *state = json_str(run, "state", "done");

	return strcmp(state, "running") && strcmp(state, "pending");
}

static int follow(struct nlc *c, uint32_t id, const char *target, json_t **run)
{
	struct timespec nap = { .tv_nsec = 50000000 };
	bool stopped = false;
	int ret;

	for (;;) {
		double done, all;

		ret = bench_get(c, id, run);
		if (ret || over(*run))
			return ret;
		done = json_double(*run, "configs_done", 0);
		all = json_double(*run, "configs", 1);
		progress_show(done / all, "%s: %.0f of %.0f configurations", target, done, all);
		json_decref(*run);
		*run = NULL;
		if (it_stop && !stopped) {
			ret = bench_stop(c, id);
			if (ret)
				return ret;
			stopped = true;
			continue;
		}
		nanosleep(&nap, NULL);
	}
}

int bench_run(struct nlc *c, const struct bench_config *cfg, const char *target, json_t **run)
{
	json_t *started, *results;
	const char *state;
	uint32_t id;
	int ret = bench_start(c, cfg, &started);

	*run = NULL;
	if (ret)
		return ret;
	id = (uint32_t)json_u64(started, "id");
	json_decref(started);
	ret = follow(c, id, target, run);
	progress_clear();
	if (ret)
		return ret;
	ret = bench_results(c, id, &results);
	if (ret) {
		json_decref(*run);
		*run = NULL;
		return ret;
	}
	json_object_set_new(*run, "target", json_string(target));
	json_object_set_new(*run, "results", results);
	state = json_str(*run, "state", "failed");
	if (!strcmp(state, "done"))
		return IT_OK;
	it_error("%s: %s: %s", target, state, json_str(*run, "message", "no reason given"));
	return IT_FAILED;
}
