// SPDX-License-Identifier: GPL-2.0-only
/*
 * selftest: does this machine's DMA work, from end to end? KTAP.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "bench.h"
#include "dmatest-params.h"
#include "dmatest-run.h"
#include "engines.h"
#include "nl.h"
#include "opts.h"
#include "out.h"

static json_t *results;
static size_t passed, failed, skipped;
/* Tests that copied something: without any, nothing was learned */
static size_t copied;

static void result(const char *state, const char *name, const char *fmt, va_list ap)
{
	char why[512] = "";
	bool ok = strcmp(state, "failed") != 0, skip = !strcmp(state, "skipped");
	json_t *one;

	if (fmt)
		vsnprintf(why, sizeof(why), fmt, ap);
	passed += ok && !skip;
	failed += !ok;
	skipped += skip;
	one = json_pack("{s:s, s:s}", "name", name, "result", state);
	if (why[0])
		json_object_set_new(one, "detail", json_string(why));
	json_array_append_new(results, one);
	if (out.json)
		return;
	if (why[0] && !skip)
		printf("# %s\n", why);
	printf("%sok %zu - %s%s%s\n", ok ? "" : "not ", json_array_size(results), name,
	       skip ? " # SKIP " : "", skip ? why : "");
}

/* A check; fmt says why when it is bad */
static __printf(3, 4) bool check(bool good, const char *name, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	result(good ? "passed" : "failed", name, good ? NULL : fmt, ap);
	va_end(ap);
	return good;
}

static __printf(2, 3) void skip(const char *name, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	result("skipped", name, fmt, ap);
	va_end(ap);
}

/* --- with dmatest --------------------------------------------------------------- */

static const struct {
	const char *name;
	uint64_t size, threads, iterations;
	bool polled;
} copies[] = {
	{ "one byte", 1, 1, 20, false },
	{ "unaligned copies of a page", 4095, 2, 20, false },
	{ "64 KiB", 65536, 1, 4, false },
	{ "random sizes, several threads", 0, 4, 20, false },
	{ "polled", 1024, 1, 20, true },
};

static void copy_with(const char *engine, const struct opt_strings *free_chans, bool have)
{
	char name[256];

	for (size_t i = 0; i < ARRAY_SIZE(copies); i++) {
		struct dt_config cfg = {
			.channels = (const char * const *)free_chans->v,
			.n_channels = free_chans->n,
			.size = copies[i].size,
			.buf_size = copies[i].size + 4096 + 64,
			.threads = copies[i].threads,
			.iterations = copies[i].iterations,
			.timeout_ms = 3000,
			.alignment = -1,
			.xor_sources = -1,
			.pq_sources = -1,
			.polled = copies[i].polled,
		};
		struct dt_result res;

		snprintf(name, sizeof(name), "%s: dmatest: %s", engine, copies[i].name);
		if (!have) {
			skip(name, "dmatest cannot be used");
		} else if (!free_chans->n) {
			skip(name, "no channel is free");
		} else if (it_stop) {
			skip(name, "interrupted");
		} else if (dt_run(&cfg, name, &res)) {
			check(false, name, "dmatest could not be run");
			json_decref(res.details);
		} else {
			check(!strcmp(res.status, "ok"), name,
			      "%s: %" PRIu64 " of %" PRIu64 " transfers failed, %" PRIu64
			      " timed out %s",
			      res.status, res.failures, res.tests, res.timeouts, res.trouble);
			copied++;
			json_decref(res.details);
		}
	}
}

/* --- what the driver says of it ---------------------------------------------------- */

static bool has_cap(const json_t *engine, const char *cap)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(engine, "caps"), i, one)
		if (!strcmp(json_string_value(one), cap))
			return true;
	return false;
}

static json_t *engine_now(struct nlc *c, const char *name)
{
	json_t *all, *one;

	if (nlc_engines(c, &all))
		return NULL;
	one = json_incref(engines_find(all, name));
	json_decref(all);
	return one;
}

static uint64_t grew(const json_t *before, const json_t *after, const char *counter)
{
	char path[64];

	snprintf(path, sizeof(path), "counters.%s", counter);
	return json_u64(after, path) - json_u64(before, path);
}

static void driver_view(const char *engine, const json_t *before, const json_t *after, bool tried)
{
	char name[256];

	snprintf(name, sizeof(name), "%s: it is alive", engine);
	check(after && strcmp(json_str(after, "state", ""), "dead"), name, "its state is %s",
	      json_str(after, "state", "not known"));
	snprintf(name, sizeof(name), "%s: the driver counts transfers and no error", engine);
	if (!tried)
		skip(name, "nothing was copied");
	else
		check(grew(before, after, "transfers") > 0 && !grew(before, after, "errors"), name,
		      "%" PRIu64 " transfers, %" PRIu64 " errors",
		      grew(before, after, "transfers"), grew(before, after, "errors"));
	snprintf(name, sizeof(name), "%s: interrupts arrive", engine);
	if (!tried || !has_cap(after, "interrupt"))
		skip(name, "%s", tried ? "it has none" : "nothing was copied");
	else
		check(grew(before, after, "interrupts") > 0, name,
		      "none did; see the interrupt in the device tree");
	snprintf(name, sizeof(name), "%s: and most of them do", engine);
	/*
	 * One can stand for several launches, polled ones ask for none, and on a machine
	 * that is slow the backstop timer finds what an interrupt was about to tell. But
	 * if only few come, everything hangs on the timer.
	 */
	if (!tried || !has_cap(after, "interrupt"))
		skip(name, "%s", tried ? "it has none" : "nothing was copied");
	else
		check(grew(before, after, "interrupts") >= grew(before, after, "launches") / 8,
		      name, "%" PRIu64 " interrupts of %" PRIu64 " launches: they get lost",
		      grew(before, after, "interrupts"), grew(before, after, "launches"));
}

/* --- with the bench client ------------------------------------------------------------ */

static void bench_each(struct nlc *c, const char *engine, const struct opt_strings *free_chans)
{
	static const struct opt_number none, few = { 200, true };
	static uint64_t sizes[] = { 1, 64, 4096 }, depths[] = { 1, 16 };
	const struct num_list s = { ARRAY_SIZE(sizes), sizes }, d = { ARRAY_SIZE(depths), depths };
	const struct num_list empty = { 0 };
	const struct bench_config cfg = {
		.channels = free_chans,
		.counts = &empty,
		.sizes = &s,
		.depths = &d,
		.batches = &empty,
		.transfers = &few,
		.time_limit = &none,
		.timeout = &none,
		.warmup = &none,
		.src_offset = &none,
		.dst_offset = &none,
		.cpu = &none,
		.wait = -1,
		.verify = IDMA_BENCH_VERIFY_EACH,
	};
	json_t *probe = NULL, *run = NULL;
	char name[256];
	int ret;

	snprintf(name, sizeof(name), "%s: bench: every copy compared, up to 16 in flight", engine);
	ret = nlc_call(c, nlc_msg(c, IDMA_CMD_BENCH_GET, false), &probe);
	json_decref(probe);
	if (ret == -EOPNOTSUPP) {
		skip(name, "the module idma-bench is not loaded");
	} else if (!free_chans->n || free_chans->n > IDMA_BENCH_MAX_CHANNELS) {
		skip(name, "no channel is free, or too many are");
	} else if (it_stop) {
		skip(name, "interrupted");
	} else {
		ret = bench_run(c, &cfg, engine, &run);
		check(!ret, name, "the run did not end well");
		copied++;
		json_decref(run);
	}
}

/* --- all ------------------------------------------------------------------------------ */

static void free_channels(const json_t *chans, const char *engine, struct opt_strings *list)
{
	const json_t *one;
	size_t i;

	json_array_foreach(chans, i, one) {
		if (strcmp(json_str(one, "dev_name", ""), engine) || json_u64(one, "clients"))
			continue;
		list->v = xrealloc(list->v, (list->n + 1) * sizeof(*list->v));
		list->v[list->n++] = xstrdup(json_str(one, "name", ""));
	}
}

static void test_engine(struct nlc *c, bool have_nl, bool have_dt, const json_t *engine,
			const json_t *chans)
{
	const char *name = json_str(engine, "name", "");
	struct opt_strings list = { 0 };
	json_t *before = NULL, *after = NULL;

	free_channels(chans, name, &list);
	if (have_nl)
		before = engine_now(c, name);
	copy_with(name, &list, have_dt);
	if (before) {
		after = engine_now(c, name);
		driver_view(name, before, after, have_dt && list.n);
		bench_each(c, name, &list);
	}
	json_decref(before);
	json_decref(after);
	opt_strings_free(&list);
}

/* Those that are named, or the iDMAs, or if there is none of these all */
static bool wanted(const json_t *engines, const json_t *engine, int argc, char **argv)
{
	const json_t *one;
	bool idma = false;
	size_t i;

	for (int a = 0; a < argc; a++)
		if (!strcmp(argv[a], json_str(engine, "name", "")))
			return true;
	if (argc)
		return false;
	json_array_foreach(engines, i, one)
		idma |= !strcmp(json_str(one, "driver", ""), "idma");
	return !idma || !strcmp(json_str(engine, "driver", ""), "idma");
}

static void all_tests(const json_t *engines, const json_t *chans, int argc, char **argv)
{
	bool have_nl, have_dt;
	const json_t *one;
	struct nlc c;
	size_t i;
	int ret = nlc_open(&c);

	have_nl = !ret;
	check(json_array_size(engines) > 0, "there is a DMA engine", "there is none");
	if (ret == -ENOENT)
		skip("the netlink family is there", "no iDMA driver");
	else
		check(have_nl, "the netlink family is there", "%s", strerror(-ret));
	have_dt = !dt_take();
	if (have_dt)
		check(true, "dmatest is there and free", "-");
	else
		skip("dmatest is there and free", "see above");
	json_array_foreach(engines, i, one)
		if (wanted(engines, one, argc, argv))
			test_engine(&c, have_nl, have_dt, one, chans);
	if (have_dt) {
		ret = dt_release();
		check(!ret, "dmatest's parameters are put back", "they are not");
	}
	if (have_nl)
		nlc_close(&c);
}

int cmd_selftest(int argc, char **argv)
{
	static const struct usage usage = {
		.command = "selftest",
		.args = "[ENGINE]...",
		.max_args = -1,
		.text =
			"Check from end to end that DMA works on this machine: that engines are there, copy\n"
			"rightly (dmatest, bench client), interrupt, and lose nothing. Prints KTAP. Without\n"
			"names: all iDMAs. Uses free channels only.",
	};
	int at = opts_parse(&usage, argc, argv), ret;
	json_t *engines, *chans, *doc;

	if (at < 0)
		return OPTS_EXIT(at);
	ret = engines_read(&engines, &chans);
	if (ret)
		return out_finish(NULL, ret);
	for (int i = at; i < argc; i++) {
		if (engines_find(engines, argv[i]))
			continue;
		it_error("there is no engine '%s'", argv[i]);
		it_hint("'idma-test list' shows the engines");
		return out_finish(NULL, IT_ENV);
	}
	catch_signals();
	results = json_array();
	if (!out.json)
		puts("KTAP version 1");
	all_tests(engines, chans, argc - at, argv + at);
	if (!out.json)
		printf("1..%zu\n# %zu passed, %zu failed, %zu skipped\n", json_array_size(results),
		       passed, failed, skipped);
	doc = out_doc();
	json_object_set_new(doc, "results", results);
	json_object_set_new(doc, "passed", json_integer((json_int_t)passed));
	json_object_set_new(doc, "failed", json_integer((json_int_t)failed));
	json_object_set_new(doc, "skipped", json_integer((json_int_t)skipped));
	json_decref(engines);
	json_decref(chans);
	return out_finish(doc, failed ? IT_FAILED : copied ? IT_OK : IT_SKIP);
}
