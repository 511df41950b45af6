// SPDX-License-Identifier: GPL-2.0-only
/*
 * dmatest: the kernel's dmatest over sizes, threads and channels.
 *
 * Each combination is run twice: once with its data compared, which says whether
 * the copies are right, and once without, which says how fast they are: comparing
 * takes longer than copying. The CPU's memcpy() is measured in between.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dmatest-params.h"
#include "dmatest-run.h"
#include "memcpy-speed.h"
#include "opts.h"
#include "out.h"
#include "sysfs.h"

/* Room around a transfer: it starts anywhere in a page and more */
#define ROOM		(4096 + 64)
#define MEMCPY_MS	50

static struct opt_strings channels, engines;
static struct num_list sizes, threads, counts;
static struct opt_number buf_size, iterations, runtime, timeout = { .val = 3000 };
static struct opt_number alignment, xor_sources, pq_sources;
static bool no_timeout, polled, noverify, norandom, nobounce, verbose, keep_going;
static bool no_speed, no_baseline;
static const char * const types[] = { "memcpy", "memset", NULL };
static int type;

static const struct opt opts[] = {
	{ "size", 's', OPT_LIST, &sizes, .arg = "LIST", .unit = NUM_BYTES, .min = 1,
	  .help = "bytes of a transfer; default: random, up to the buffer's size" },
	{ "threads", 't', OPT_LIST, &threads, .arg = "LIST", .min = 1, .max = 1024,
	  .help = "threads a channel, default 1" },
	{ "max-channels", 'n', OPT_LIST, &counts, .arg = "LIST", .min = 1, .max = 1024,
	  .help = "how many of the channels to use, default all" },
	{ "channel", 'c', OPT_STRINGS, &channels, .arg = "NAME,...",
	  .help = "channels to use; default: the free ones of all iDMAs" },
	{ "engine", 'e', OPT_STRINGS, &engines, .arg = "NAME,...",
	  .help = "use the free channels of these engines, of any driver" },
	{ "iterations", 'i', OPT_NUMBER, &iterations, .arg = "N",
	  .help = "transfers a thread; default 100, fewer large ones; 0: no end" },
	{ "runtime", 'r', OPT_NUMBER, &runtime, .arg = "TIME", .unit = NUM_MS, .min = 1,
	  .help = "instead of a number of transfers: for that long" },
	{ "timeout", 'T', OPT_NUMBER, &timeout, .arg = "TIME", .unit = NUM_MS, .min = 1,
	  .max = INT32_MAX, .help = "how long a transfer may take, default 3 s" },
	{ "no-timeout", 0, OPT_FLAG, &no_timeout, .help = "wait for ever for a transfer" },
	{ "keep-going", 'k', OPT_FLAG, &keep_going, .help = "do not stop at the first timeout" },
	{ "buf-size", 'b', OPT_NUMBER, &buf_size, .arg = "SIZE", .unit = NUM_BYTES, .min = 1,
	  .help = "buffer; default: the size and 4160 bytes, or 16k" },
	{ "type", 0, OPT_CHOICE, &type, .choices = types,
	  .help = "kind of transfer (xor and pq come along)" },
	{ "polled", 'p', OPT_FLAG, &polled, .help = "poll for completion, without interrupts" },
	{ "noverify", 0, OPT_FLAG, &noverify, .help = "do not look at the data at all" },
	{ "norandom", 0, OPT_FLAG, &norandom,
	  .help = "no random offsets; without --size the buffer as a whole" },
	{ "alignment", 0, OPT_NUMBER, &alignment, .arg = "N", .max = 20,
	  .help = "align addresses to 2^N, default what the engine asks for" },
	{ "xor-sources", 0, OPT_NUMBER, &xor_sources, .arg = "N", .min = 1, .max = 250,
	  .help = "sources of xor, default 3" },
	{ "pq-sources", 0, OPT_NUMBER, &pq_sources, .arg = "N", .min = 1, .max = 250,
	  .help = "sources of p+q, default 3" },
	{ "nobounce", 0, OPT_FLAG, &nobounce,
	  .help = "buffers that need no swiotlb (Linux 6.2 and later)" },
	{ "verbose", 0, OPT_FLAG, &verbose, .help = "let dmatest log each transfer" },
	{ "no-speed", 0, OPT_FLAG, &no_speed, .help = "leave the second, uncompared run out" },
	{ "no-baseline", 0, OPT_FLAG, &no_baseline, .help = "do not measure the CPU's memcpy()" },
};

static const struct usage usage = {
	.command = "dmatest",
	.text =
		"Run the kernel's dmatest over all combinations of size, threads and channels:\n"
		"first with all data compared, then without for the speed. Its parameters are put\n"
		"back afterwards, whatever happens.",
	.opts = opts, .n = ARRAY_SIZE(opts),
	.examples = "  idma-test dmatest\n"
		    "  idma-test dmatest -s 64..1M -t 1,8 -o run.json\n"
		    "  idma-test dmatest -c dma0chan0 -s 4k -r 10s --noverify\n",
};

static const struct out_column cols[] = {
	{ "size", "SIZE", OUT_BYTES, NULL },
	{ "buf_size", "BUFFER", OUT_BYTES, NULL },
	{ "threads", "THREADS", OUT_INT, NULL },
	{ "channels", "CHANNELS", OUT_INT, NULL },
	{ "tests", "TRANSFERS", OUT_INT, NULL },
	{ "failures", "FAILURES", OUT_INT, NULL },
	{ "transfers_s", "SPEED", OUT_RATE, NULL },
	{ "bytes_s", "THROUGHPUT", OUT_BYTERATE, NULL },
	{ "irqs_per_transfer", "IRQS/TRANSFER", OUT_REAL, NULL },
	{ "memcpy_bytes_s", "CPU MEMCPY", OUT_BYTERATE, NULL },
	{ "ratio", "DMA/CPU", OUT_REAL, NULL },
	{ "status", "STATUS", OUT_STATE, NULL },
};

/* --- channels --------------------------------------------------------------- */

static bool listed(const struct opt_strings *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (!strcmp(list->v[i], name))
			return true;
	return false;
}

static int check_names(const struct sys_chans *all)
{
	const struct sys_chan *chan;

	for (size_t i = 0; i < channels.n; i++) {
		chan = sys_find(all, channels.v[i]);
		if (!chan) {
			it_error("there is no channel '%s'", channels.v[i]);
			it_hint("'idma-test list -c' shows their names");
			return IT_ENV;
		}
		if (chan->in_use) {
			it_error("channel %s is busy: it has a client", chan->name);
			it_hint("leave it out, or free it; 'idma-test list -c' shows all of them");
			return IT_ENV;
		}
	}
	for (size_t i = 0; i < engines.n; i++) {
		if (!sys_has_dev(all, engines.v[i])) {
			it_error("there is no engine '%s'", engines.v[i]);
			it_hint("'idma-test list' shows their names");
			return IT_ENV;
		}
	}
	return IT_OK;
}

static bool wanted(const struct sys_chan *chan, bool idma_only)
{
	if (channels.n && !listed(&channels, chan->name))
		return false;
	if (engines.n && !listed(&engines, chan->dev))
		return false;
	return !chan->in_use && (!idma_only || !strcmp(chan->driver, "idma"));
}

/* The names of the channels to use, in the order of their numbers */
static int choose_channels(struct opt_strings *chosen)
{
	bool any_idma = false;
	struct sys_chans all;
	int ret = sys_channels(&all);

	if (ret || !all.n) {
		sys_no_channels(ret);
		return IT_ENV;
	}
	ret = check_names(&all);
	for (size_t i = 0; i < all.n; i++)
		any_idma |= !strcmp(all.v[i].driver, "idma");
	any_idma &= !channels.n && !engines.n;
	for (size_t i = 0; !ret && i < all.n; i++) {
		if (!wanted(&all.v[i], any_idma))
			continue;
		chosen->v = xrealloc(chosen->v, (chosen->n + 1) * sizeof(*chosen->v));
		chosen->v[chosen->n++] = xstrdup(all.v[i].name);
	}
	sys_channels_free(&all);
	if (!ret && !chosen->n) {
		it_error("no channel is free");
		it_hint("'idma-test list -c' shows which have clients");
		ret = IT_ENV;
	}
	return ret;
}

/* --- one combination ---------------------------------------------------------- */

/* Few enough bytes that a slow CPU compares them in a moment */
static uint64_t default_iterations(uint64_t size, uint64_t n)
{
	uint64_t i = 4000000 / (size * n);

	return i < 1 ? 1 : i > 100 ? 100 : i;
}

static void set_real(json_t *row, const char *key, bool known, double val)
{
	json_object_set_new(row, key, known ? json_real(val) : json_null());
}

/* To what an earlier run of the two has counted */
static void add_count(json_t *row, const char *key, uint64_t n)
{
	json_object_set_new(row, key, json_integer((json_int_t)(json_u64(row, key) + n)));
}

static void add_result(json_t *row, const struct dt_config *cfg, const struct dt_result *res)
{
	const char *status = json_str(row, "status", "ok");
	double wall = (double)res->wall_us / 1e6, n = (double)res->tests, bytes_s;

	/* The worse of two runs */
	if (!strcmp(status, "ok"))
		json_object_set_new(row, "status", json_string(res->status));
	add_count(row, "tests", res->tests);
	add_count(row, "failures", res->failures);
	add_count(row, "timeouts", res->timeouts);
	add_count(row, "mismatches", res->mismatches);
	json_array_extend(json_object_get(row, "details"), res->details);
	if (res->trouble[0] && !json_object_get(row, "trouble"))
		json_object_set_new(row, "trouble", json_string(res->trouble));
	/*
	 * With data compared the threads stand in each other's way, and what dmatest
	 * says of each, without the comparing, is the better figure; else it is the
	 * time that all of them took.
	 */
	if (cfg->noverify && wall > 0) {
		set_real(row, "transfers_s", true, n / wall);
		bytes_s = cfg->size ? n / wall * (double)cfg->size : (double)res->kbs * 1024;
	} else {
		set_real(row, "transfers_s", res->iops > 0, res->iops);
		bytes_s = cfg->size ? res->iops * (double)cfg->size : (double)res->kbs * 1024;
	}
	set_real(row, "bytes_s", bytes_s > 0, bytes_s);
	set_real(row, "irqs_per_transfer", res->irqs_known && n > 0, (double)res->irqs / n);
	json_object_set_new(row, "wall_us", json_integer((json_int_t)res->wall_us));
}

static json_t *new_row(const struct dt_config *cfg)
{
	json_t *names = json_array(), *row;

	for (size_t i = 0; i < cfg->n_channels; i++)
		json_array_append_new(names, json_string(cfg->channels[i]));
	row = json_pack("{s:I, s:I, s:i, s:o, s:I, s:b, s:b, s:[]}",
			"buf_size", (json_int_t)cfg->buf_size, "threads", (json_int_t)cfg->threads,
			"channels", (int)cfg->n_channels, "channel_names", names,
			"iterations", (json_int_t)cfg->iterations, "verified", !noverify,
			"polled", cfg->polled, "details");
	json_object_set_new(row, "size",
			    cfg->size ? json_integer((json_int_t)cfg->size) : json_null());
	return row;
}

static void add_memcpy(json_t *row, const struct dt_config *cfg)
{
	double dma = json_double(row, "bytes_s", 0);
	/* Random sizes are half of the buffer on the average */
	uint64_t any = cfg->norandom ? cfg->buf_size : cfg->buf_size / 2 + 1;
	uint64_t size = cfg->size ? cfg->size : any;
	struct memcpy_speed speed;

	if (!memcpy_speed(size, cfg->buf_size, MEMCPY_MS, &speed))
		return;
	set_real(row, "memcpy_transfers_s", true, speed.copies_s);
	set_real(row, "memcpy_bytes_s", true, speed.bytes_s);
	set_real(row, "ratio", dma > 0 && speed.bytes_s > 0, dma / speed.bytes_s);
}

static int run_one(struct dt_config *cfg, json_t *row)
{
	bool speed = !no_speed && !noverify && !verbose;
	struct dt_result res;
	char title[96];
	int ret;

	snprintf(title, sizeof(title), "%" PRIu64 " B, %" PRIu64 " threads, %zu channels:",
		 cfg->size ? cfg->size : cfg->buf_size, cfg->threads, cfg->n_channels);
	cfg->noverify = noverify;
	ret = dt_run(cfg, title, &res);
	if (!ret)
		add_result(row, cfg, &res);
	json_decref(res.details);
	if (!ret && speed && !strcmp(res.status, "ok")) {
		cfg->noverify = true;
		ret = dt_run(cfg, title, &res);
		if (!ret)
			add_result(row, cfg, &res);
		json_decref(res.details);
	}
	if (!ret && !no_baseline && !it_stop && !cfg->memset)
		add_memcpy(row, cfg);
	return ret;
}

static void configure(struct dt_config *cfg, const struct opt_strings *chosen, uint64_t size,
		      uint64_t n_threads, uint64_t n_channels)
{
	*cfg = (struct dt_config) {
		.channels = (const char * const *)chosen->v,
		.n_channels = n_channels < chosen->n ? (size_t)n_channels : chosen->n,
		.size = size,
		.buf_size = buf_size.set ? buf_size.val : size ? size + ROOM : 16384,
		.threads = n_threads,
		.runtime_ms = runtime.set ? runtime.val : 0,
		.timeout_ms = no_timeout ? -1 : (int64_t)timeout.val,
		.alignment = alignment.set ? (int64_t)alignment.val : -1,
		.xor_sources = xor_sources.set ? (int64_t)xor_sources.val : -1,
		.pq_sources = pq_sources.set ? (int64_t)pq_sources.val : -1,
		.memset = type == 1, .polled = polled, .norandom = norandom, .nobounce = nobounce,
		.verbose = verbose, .keep_going = keep_going,
	};
	if (iterations.set)
		cfg->iterations = iterations.val;
	else if (!runtime.set)
		cfg->iterations = default_iterations(cfg->size ? cfg->size : cfg->buf_size,
						     cfg->threads * cfg->n_channels);
}

/* --- all of them ---------------------------------------------------------------- */

static int run_all(const struct opt_strings *chosen, json_t *rows)
{
	static uint64_t one = 1, random_size, all = UINT64_MAX;
	struct num_list s = sizes.n ? sizes : (struct num_list) { 1, &random_size };
	struct num_list t = threads.n ? threads : (struct num_list) { 1, &one };
	struct num_list c = counts.n ? counts : (struct num_list) { 1, &all };
	struct dt_config cfg;
	int ret;

	for (size_t i = 0; i < s.n; i++) {
		for (size_t j = 0; j < t.n; j++) {
			for (size_t k = 0; k < c.n; k++) {
				json_t *row;

				configure(&cfg, chosen, s.v[i], t.v[j], c.v[k]);
				row = new_row(&cfg);
				ret = run_one(&cfg, row);
				if (ret) {
					json_decref(row);
					return ret;
				}
				json_array_append_new(rows, row);
				if (it_stop)
					return IT_FAILED;
			}
		}
	}
	return IT_OK;
}

static int judge(const json_t *rows)
{
	size_t i, skipped = 0;
	int status = IT_OK;
	const json_t *row;

	json_array_foreach(rows, i, row) {
		const char *how = json_str(row, "status", "failed");

		if (!strcmp(how, "skipped")) {
			skipped++;
			continue;
		}
		if (!strcmp(how, "ok"))
			continue;
		status = IT_FAILED;
		if (!strcmp(how, "stopped"))
			it_error("stopped; dmatest's parameters are as they were");
		else
			it_error("%s at size %" PRIu64 ", %" PRIu64 " threads, %" PRIu64
				 " channels: %" PRIu64 " of %" PRIu64 " transfers failed%s%s",
				 how, json_u64(row, "size"), json_u64(row, "threads"),
				 json_u64(row, "channels"), json_u64(row, "failures"),
				 json_u64(row, "tests"),
				 json_object_get(row, "trouble") ? "; " : "",
				 json_str(row, "trouble", ""));
	}
	if (skipped && skipped == json_array_size(rows)) {
		it_error("%s",
			 json_str(json_array_get(rows, 0), "trouble", "nothing could be run"));
		return IT_SKIP;
	}
	return status;
}

static int check_sizes(void)
{
	/* What kmalloc() gives at most; to ask for more makes the kernel complain loudly */
	uint64_t most = (uint64_t)sysconf(_SC_PAGESIZE) << 10;

	if (buf_size.set && buf_size.val > most) {
		it_error("--buf-size: dmatest cannot have buffers of more than %" PRIu64 " bytes",
			 most);
		return IT_USAGE;
	}
	for (size_t i = 0; i < sizes.n; i++) {
		if (buf_size.set && sizes.v[i] >= buf_size.val) {
			it_error("--size: %" PRIu64 " must be lower than --buf-size (%" PRIu64 ")",
				 sizes.v[i], buf_size.val);
			return IT_USAGE;
		}
		if (!buf_size.set && sizes.v[i] + ROOM > most) {
			it_error("--size: %" PRIu64
				 " is more than dmatest can have, which is %" PRIu64,
				 sizes.v[i], most - ROOM);
			it_hint("--buf-size=%" PRIu64 " leaves room for one byte less than that",
				most);
			return IT_USAGE;
		}
	}
	if (iterations.set && runtime.set && iterations.val) {
		it_error("--iterations and --runtime are two ways to say when to end: use one");
		return IT_USAGE;
	}
	return IT_OK;
}

int cmd_dmatest(int argc, char **argv)
{
	struct opt_strings chosen = { 0 };
	int at = opts_parse(&usage, argc, argv), ret;
	json_t *rows, *doc;

	if (at < 0)
		return OPTS_EXIT(at);
	ret = check_sizes();
	if (ret)
		return out_finish(NULL, ret);
	catch_signals();
	ret = dt_take();
	if (ret)
		return out_finish(NULL, ret);
	ret = choose_channels(&chosen);
	if (ret) {
		opt_strings_free(&chosen);
		dt_release();
		return out_finish(NULL, ret);
	}
	rows = json_array();
	ret = run_all(&chosen, rows);
	at = dt_release();
	out_table(cols, ARRAY_SIZE(cols), rows);
	if (!ret || ret == IT_FAILED)
		ret = judge(rows);
	if (!ret)
		ret = at;
	doc = out_doc();
	json_object_set_new(doc, "type", json_string(types[type]));
	json_object_set_new(doc, "results", rows);
	opt_strings_free(&chosen);
	return out_finish(doc, ret);
}
