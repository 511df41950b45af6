// SPDX-License-Identifier: GPL-2.0-only
/*
 * One run of dmatest: set it up, start it, follow the kernel log until all of its
 * threads have told how it went.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dmatest-log.h"
#include "dmatest-params.h"
#include "dmatest-run.h"
#include "kmsg.h"
#include "nl.h"
#include "out.h"
#include "sysfs.h"

#define MAX_DETAILS	20
#define SHOW_DETAILS	5
#define LOG_LOST	", the kernel log was overwritten too fast (raise log_buf_len=)"

struct watch {
	const struct dt_config *cfg;
	const char *title;
	struct dt_result *res;
	struct kmsg log;
	struct nlc nl;
	bool have_nl;
	uint64_t before;	/* transfers of the channels, as the driver counts */
	uint64_t since;		/* now_ns() when it was started */
	uint64_t first_us, last_us;	/* on the log's clock: first to start, last to end */
	/*
	 * What the log's clock is ahead of now_ns(), between these two: threads are told
	 * to have started when they have already run for a while.
	 */
	int64_t ahead_min_us, ahead_max_us;
	uint64_t added_us;	/* the record of the last channel that was added */
	uint64_t added;		/* threads that were made */
	bool refused;		/* a thread could not even begin */
	/*
	 * To stop a thread wakes it, and a transfer that it waits for then counts as one
	 * that timed out. From here on these are no faults.
	 */
	bool stopping;
	uint64_t cut;
};

static bool ours(const struct dt_config *cfg, const char *channel)
{
	for (size_t i = 0; i < cfg->n_channels; i++)
		if (!strcmp(cfg->channels[i], channel))
			return true;
	return false;
}

static int set_number(const char *param, int64_t val)
{
	char buf[32];
	int ret;

	snprintf(buf, sizeof(buf), "%" PRId64, val);
	ret = dt_set(param, buf);
	if (!ret)
		return IT_OK;
	if (ret == -ENOENT) {
		it_error("this kernel's dmatest has no parameter '%s'", param);
		it_hint("leave the option out, or use a newer kernel");
	} else {
		it_error("dmatest refuses %s=%s: %s", param, buf, strerror(-ret));
	}
	return IT_ENV;
}

static int set_params(const struct dt_config *cfg)
{
	const struct {
		const char *name;
		int64_t val;
		bool optional;	/* not there is as good as 0 */
	} params[] = {
		{ "test_buf_size", (int64_t)cfg->buf_size, false },
		{ "transfer_size", (int64_t)cfg->size, false },
		{ "threads_per_chan", (int64_t)cfg->threads, false },
		{ "max_channels", 0, false },
		{ "iterations", (int64_t)cfg->iterations, false },
		{ "timeout", cfg->timeout_ms, false },
		{ "dmatest", cfg->memset, false },
		{ "noverify", cfg->noverify, false },
		{ "norandom", cfg->norandom, false },
		{ "polled", cfg->polled, true },
		{ "verbose", cfg->verbose, false },
		{ "alignment", cfg->alignment, true },
		{ "nobounce", cfg->nobounce, true },
		{ "xor_sources", cfg->xor_sources < 0 ? 3 : cfg->xor_sources, false },
		{ "pq_sources", cfg->pq_sources < 0 ? 3 : cfg->pq_sources, false },
	};
	int ret = dt_set("device", "");

	if (ret) {
		it_error("dmatest refuses an empty 'device': %s", strerror(-ret));
		return IT_ENV;
	}
	for (size_t i = 0; i < ARRAY_SIZE(params); i++) {
		if (params[i].optional && params[i].val <= 0 && !dt_has(params[i].name))
			continue;
		ret = set_number(params[i].name, params[i].val);
		if (ret)
			return ret;
	}
	return IT_OK;
}

/* Interrupts of all engines that the channels are of, each once */
static bool count_irqs(const struct dt_config *cfg, uint64_t *sum)
{
	struct sys_chans chans;
	bool known = false;

	*sum = 0;
	if (sys_channels(&chans))
		return false;
	for (size_t i = 0; i < chans.n; i++) {
		bool seen = !ours(cfg, chans.v[i].name);
		uint64_t n;

		for (size_t j = 0; j < i && !seen; j++)
			seen = ours(cfg, chans.v[j].name) &&
			       !strcmp(chans.v[j].dev, chans.v[i].dev);
		if (!seen && !sys_irqs(chans.v[i].dev, &n)) {
			*sum += n;
			known = true;
		}
	}
	sys_channels_free(&chans);
	return known;
}

/* Transfers of the channels so far, if a driver tells; for the progress bar only */
static bool count_transfers(struct watch *w, uint64_t *sum)
{
	json_t *chans, *one;
	size_t i;

	*sum = 0;
	if (!w->have_nl || nlc_channels(&w->nl, &chans))
		return false;
	json_array_foreach(chans, i, one)
		if (ours(w->cfg, json_str(one, "name", "")))
			*sum += json_u64(one, "counters.transfers");
	json_decref(chans);
	return *sum > 0 || w->before == 0;
}

static void show_progress(struct watch *w)
{
	const struct dt_config *cfg = w->cfg;
	double total = (double)cfg->iterations * (double)cfg->threads * (double)cfg->n_channels;
	double part = w->res->started ? (double)w->res->ended / (double)w->res->started : 0;
	double seconds = (double)(now_ns() - w->since) / 1e9;
	uint64_t n;

	if (!out.progress)
		return;
	if (cfg->runtime_ms)
		part = seconds * 1000 / (double)cfg->runtime_ms;
	if (count_transfers(w, &n) && n > w->before) {
		n -= w->before;
		if (!cfg->runtime_ms && total > 0 && (double)n / total > part)
			part = (double)n / total;
		progress_show(part, "%s %" PRIu64 " transfers, %.0f/s", w->title, n,
			      (double)n / seconds);
		return;
	}
	progress_show(part, "%s %.0f s", w->title, seconds);
}

static void add_detail(struct watch *w, const struct dt_line *line)
{
	json_t *one;

	if (json_array_size(w->res->details) >= MAX_DETAILS)
		return;
	one = json_pack("{s:s, s:s, s:s, s:i, s:I, s:I, s:I, s:I}", "channel", line->channel,
			"thread", line->thread, "what", line->what, "transfer", (int)line->n,
			"src_off", (json_int_t)line->src_off, "dst_off", (json_int_t)line->dst_off,
			"len", (json_int_t)line->len, "data", (json_int_t)line->data);
	/* The kernel's text is not always UTF-8, if memory is overwritten */
	if (one)
		json_array_append_new(w->res->details, one);
	if (json_array_size(w->res->details) <= SHOW_DETAILS)
		it_note("%s: transfer %u: %s, src_off=%#" PRIx64 " dst_off=%#" PRIx64
			" len=%" PRIu64,
			line->thread, line->n, line->what, line->src_off, line->dst_off, line->len);
}

static void take_line(struct watch *w, const struct kmsg_line *record)
{
	struct dt_result *res = w->res;
	struct dt_line line;

	dt_parse(record->text, &line);
	if (line.kind == DT_OTHER)
		return;
	if (line.kind == DT_TROUBLE) {
		snprintf(res->trouble, sizeof(res->trouble), "%s", line.what);
		return;
	}
	if (!ours(w->cfg, line.channel))
		return;
	switch (line.kind) {
	case DT_ADDED:
		w->added += line.n;
		w->added_us = record->us;
		break;
	case DT_STARTED:
		res->started += line.n;
		if (!w->first_us)
			w->first_us = record->us;
		break;
	case DT_MISMATCH:
		res->mismatches++;
		break;
	case DT_RESULT:
		if (line.passed)
			break;
		if (w->stopping && line.timeout) {
			w->cut++;
			break;
		}
		res->timeouts += line.timeout;
		add_detail(w, &line);
		break;
	case DT_SUMMARY:
		res->ended++;
		res->tests += line.tests;
		res->failures += line.failures;
		res->iops += line.iops;
		res->kbs += line.kbs;
		w->last_us = record->us;
		if (line.ret) {
			w->refused = true;
			snprintf(res->trouble, sizeof(res->trouble), "thread %s ended with %s",
				 line.thread, strerror(-line.ret));
		}
		break;
	default:
		break;
	}
}

static int drain(struct watch *w, int timeout_ms)
{
	struct kmsg_line record;
	int ret;

	while ((ret = kmsg_read(&w->log, timeout_ms, &record)) > 0) {
		take_line(w, &record);
		timeout_ms = 0;
	}
	w->res->log_lost |= w->log.lost;
	return ret;
}

/* The record of a channel was written between these two times */
static void compare_clocks(struct watch *w, uint64_t before_ns, uint64_t after_ns)
{
	int64_t min = (int64_t)w->added_us - (int64_t)(after_ns / 1000);
	int64_t max = (int64_t)w->added_us - (int64_t)(before_ns / 1000);

	if (!w->added_us)
		return;
	if (min > w->ahead_min_us)
		w->ahead_min_us = min;
	if (max < w->ahead_max_us)
		w->ahead_max_us = max;
	w->added_us = 0;
}

static int add_channels(struct watch *w)
{
	const struct dt_config *cfg = w->cfg;

	for (size_t i = 0; i < cfg->n_channels; i++) {
		uint64_t before = now_ns();
		int ret = dt_set("channel", cfg->channels[i]);
		uint64_t after = now_ns();

		if (!ret) {
			drain(w, 0);
			compare_clocks(w, before, after);
			continue;
		}
		if (ret == -EBUSY || ret == -EINVAL) {
			it_error("channel %s is busy, or no channel for dmatest", cfg->channels[i]);
			it_hint("'idma-test list -c' shows which channels have clients");
		} else {
			it_error("channel %s cannot be used: %s", cfg->channels[i], strerror(-ret));
		}
		return IT_ENV;
	}
	return IT_OK;
}

/* Until all threads have ended by themselves or were stopped */
static int follow(struct watch *w)
{
	const struct dt_config *cfg = w->cfg;
	int ret;

	for (;;) {
		ret = drain(w, 100);
		if (ret < 0) {
			it_error("cannot read the kernel log: %s", strerror(-ret));
			return IT_ENV;
		}
		show_progress(w);
		if (it_stop ||
		    (cfg->runtime_ms && now_ns() - w->since > cfg->runtime_ms * 1000000) ||
		    (w->res->timeouts && !cfg->keep_going)) {
			w->res->stopped = dt_running() > 0;
			if (!dt_finish()) {
				drain(w, 0);
				w->stopping = true;
				/* Returns when the last thread has ended */
				dt_set("run", "0");
			}
			break;
		}
		ret = dt_running();
		if (ret < 0) {
			it_error("dmatest went away: %s", strerror(-ret));
			it_hint("was the module unloaded?");
			return IT_ENV;
		}
		if (!ret)
			break;
	}
	/* Threads write their summary before they count as ended */
	drain(w, 0);
	w->res->failures -= w->cut < w->res->failures ? w->cut : w->res->failures;
	w->res->tests -= w->cut < w->res->tests ? w->cut : w->res->tests;
	return IT_OK;
}

static void judge(struct watch *w)
{
	const struct dt_config *cfg = w->cfg;
	struct dt_result *res = w->res;
	uint64_t begin = w->first_us;

	if (w->ahead_min_us <= w->ahead_max_us) {
		int64_t ahead = w->ahead_min_us + (w->ahead_max_us - w->ahead_min_us) / 2;
		uint64_t woken = (uint64_t)((int64_t)(w->since / 1000) + ahead);

		if (woken < begin)
			begin = woken;
	}
	res->wall_us = w->last_us > begin ? w->last_us - begin : 0;
	if (!w->added) {
		res->status = "skipped";
		snprintf(res->trouble, sizeof(res->trouble), "no channel of these can do %s",
			 cfg->memset ? "memset" : "memcpy");
	} else if (res->timeouts) {
		res->status = "timeout";
	} else if (res->failures || res->mismatches || w->refused) {
		res->status = "failed";
	} else if (res->ended != res->started) {
		res->status = "failed";
		snprintf(res->trouble, sizeof(res->trouble),
			 "%" PRIu64 " of %" PRIu64 " threads have reported%s", res->ended,
			 res->started, res->log_lost ? LOG_LOST : "");
	} else if (res->stopped) {
		/* A time that was asked for is no reason for less than good */
		res->status = cfg->runtime_ms && !it_stop ? "ok" : "stopped";
	} else if (cfg->iterations && res->tests != cfg->iterations * res->started) {
		res->status = "failed";
		if (!res->trouble[0])
			snprintf(res->trouble, sizeof(res->trouble),
				 "%" PRIu64 " transfers done instead of %" PRIu64, res->tests,
				 cfg->iterations * res->started);
	} else {
		res->status = "ok";
	}
}

int dt_run(const struct dt_config *cfg, const char *title, struct dt_result *res)
{
	struct watch w = {
		.cfg = cfg, .title = title, .res = res,
		.ahead_min_us = INT64_MIN, .ahead_max_us = INT64_MAX,
	};
	uint64_t irqs;
	bool known;
	int ret;

	memset(res, 0, sizeof(*res));
	res->details = json_array();
	ret = kmsg_open(&w.log);
	if (ret) {
		it_error("cannot read the kernel log (/dev/kmsg), which has dmatest's results: %s",
			 strerror(-ret));
		it_hint("run it as root, or with CAP_SYSLOG");
		return IT_ENV;
	}
	w.have_nl = out.progress && !nlc_open(&w.nl);
	ret = set_params(cfg);
	if (!ret)
		ret = add_channels(&w);
	if (ret)
		goto out;
	count_transfers(&w, &w.before);
	known = count_irqs(cfg, &irqs);
	if (!w.added) {
		/* Started nevertheless, dmatest would take any channel */
		dt_set("run", "0");
		judge(&w);
		goto out;
	}
	w.since = now_ns();
	ret = dt_set("run", "1");
	if (ret) {
		it_error("dmatest does not start: %s", strerror(-ret));
		ret = IT_ENV;
		goto out;
	}
	ret = follow(&w);
	if (ret)
		goto out;
	if (known)
		res->irqs_known = count_irqs(cfg, &res->irqs);
	res->irqs -= irqs;
	judge(&w);
out:
	/* What was set up must not be started by the next run */
	if (ret)
		dt_set("run", "0");
	if (w.have_nl)
		nlc_close(&w.nl);
	kmsg_close(&w.log);
	progress_clear();
	return ret;
}
