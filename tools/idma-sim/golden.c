// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows that were measured on the RTL, run through the engine and compared.
 *
 * A row names its set-up and what the RTL did with it. A file has one row a run,
 * or one row a descriptor (columns "idx", "fetch_ar", ...), in which case the rows
 * of a run follow each other and have its descriptors' lengths and alignments.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "golden.h"
#include "idma-test.h"
#include "rig.h"

/* A run gets what a machine can hold and a person would wait for */
#define MAX_DESC	65536
#define MAX_LEN		(64 << 20)

struct run {
	struct csv *csv;
	const char *mix;
	struct rig *rig;
	struct rig_setup su;
	struct rig_result res;
	struct rig_times *times;
	struct golden_row row;
};

/* --- the set-up that a row describes ------------------------------------------- */

static const char *tag_of(const struct run *r)
{
	const char *tag = csv_text(r->csv, "tag");

	return tag ? tag : "";
}

static bool starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* "_1_2_3": numbers in turn; 0: there are none */
static size_t numbers(const char *text, int base, uint64_t *v, size_t most)
{
	size_t n = 0;
	char *end;

	while (*text == '_' && n < most) {
		v[n++] = strtoull(text + 1, &end, base);
		if (end == text + 1)
			return 0;
		text = end;
	}
	return n;
}

/* "KEY=1,2,3 ...": the numbers after a key, exactly n of them */
static bool numbers_of(const char *line, const char *key, uint64_t *v, size_t n)
{
	const char *p = strstr(line, key);
	char *end;

	if (!p)
		return false;
	p += strlen(key);
	for (size_t i = 0; i < n; i++) {
		v[i] = strtoull(p, &end, 10);
		if (end == p || (i + 1 < n && *end != ','))
			return false;
		p = end + 1;
	}
	return n && strchr(" \r\n", *end);
}

static char *mix_path(const struct run *r)
{
	const char *slash = strrchr(r->csv->path, '/');

	if (r->mix)
		return xstrdup(r->mix);
	return xasprintf("%.*sgolden_mix_params.txt",
			 slash ? (int)(slash + 1 - r->csv->path) : 0, r->csv->path);
}

static void use_mix(struct run *r, const char *line, bool place_only)
{
	struct rig_setup *su = &r->su;
	uint64_t *v = xalloc(4 * su->n * sizeof(*v));
	uint64_t *len = v, *sa = v + su->n, *da = v + 2 * su->n, *off = v + 3 * su->n;

	if (!numbers_of(line, " lens=", len, su->n) || !numbers_of(line, " sas=", sa, su->n) ||
	    !numbers_of(line, " das=", da, su->n) || !numbers_of(line, " offs=", off, su->n))
		csv_error(r->csv, "tag: '%s' does not have %zu lens=, sas=, das= and offs= each",
			  tag_of(r), su->n);
	for (size_t i = 0; i < su->n; i++) {
		if (!place_only) {
			su->desc[i].len = (uint32_t)len[i];
			su->desc[i].src = sa[i];
			su->desc[i].dst = da[i];
		}
		su->desc[i].at = RIG_DESC_BASE + off[i];
		if (len[i] > MAX_LEN || sa[i] >= MEM_PAGE || da[i] >= MEM_PAGE ||
		    off[i] > UINT32_MAX / 2)
			csv_error(r->csv, "tag: a parameter of '%s' is out of range", tag_of(r));
	}
	free(v);
}

/* Lengths, alignments and places of a run with a tag mixN are in a file of their own */
static void find_mix(struct run *r, bool place_only)
{
	char *path = mix_path(r), *line = NULL;
	const char *tag = tag_of(r);
	size_t size = 0, n = strlen(tag);
	FILE *f = fopen(path, "r");
	bool found = false;

	if (!f) {
		csv_error(r->csv, "tag: what '%s' stands for is in '%s', which cannot be read: %s",
			  tag, path, strerror(errno));
		free(path);
		return;
	}
	while (!found && getline(&line, &size, f) >= 0)
		found = starts(line, tag) && line[n] == ' ';
	if (found)
		use_mix(r, line, place_only);
	else
		csv_error(r->csv, "tag: '%s' has no '%s'", path, tag);
	fclose(f);
	free(line);
	free(path);
}

/* What a tag says about lengths, flags and errors on the bus */
static void apply_tag(struct run *r)
{
	struct rig_setup *su = &r->su;
	const char *tag = tag_of(r);
	uint64_t v[32];
	size_t n;

	/* zerolen_A_B_C: these lengths in turn */
	if (!strcmp(tag, "zerolen_all")) {
		for (size_t i = 0; i < su->n; i++)
			su->desc[i].len = 0;
	} else if (starts(tag, "zerolen_")) {
		n = numbers(tag + 7, 10, v, ARRAY_SIZE(v));
		if (!n)
			csv_error(r->csv, "tag: '%s' has no lengths", tag);
		for (size_t i = 0; n && i < su->n; i++)
			su->desc[i].len = (uint32_t)v[i % n];
	}
	/* irqmix_F_F: flags in turn */
	if (starts(tag, "irqmix_")) {
		n = numbers(tag + 6, 16, v, ARRAY_SIZE(v));
		if (!n)
			csv_error(r->csv, "tag: '%s' has no flags", tag);
		for (size_t i = 0; n && i < su->n; i++)
			su->desc[i].flags = (uint32_t)v[i % n];
	} else if (!strcmp(tag, "irq_last") || !strcmp(tag, "irq_none")) {
		for (size_t i = 0; i < su->n; i++)
			su->desc[i].flags &= ~IDMA_FLAG_IRQ;
		if (!strcmp(tag, "irq_last"))
			su->desc[su->n - 1].flags |= IDMA_FLAG_IRQ;
	}
	/* slverr_K, decerr_K: every access of kind K is answered so; data is moved */
	if (starts(tag, "slverr_") || starts(tag, "decerr_")) {
		static const struct {
			const char *name;
			IdmaBusKind kind;
		} kinds[] = {
			{ "serr", IDMA_BUS_READ }, { "derr", IDMA_BUS_WRITE },
			{ "ferr", IDMA_BUS_FETCH }, { "wberr", IDMA_BUS_MARK },
		};

		for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
			if (!strcmp(tag + 7, kinds[i].name))
				su->faults.err[0].kinds = 1u << kinds[i].kind;
		if (!su->faults.err[0].kinds)
			csv_error(r->csv, "tag: '%s' does not end in serr, derr, ferr or wberr",
				  tag);
		su->faults.err_keep_data = 1;
		su->faults.err[0].size = UINT64_MAX;
		su->faults.err[0].resp = *tag == 's' ? IDMA_RESP_SLVERR : IDMA_RESP_DECERR;
	}
}

static uint32_t setup_int(struct run *r, const char *name, int64_t absent, int64_t min,
			  int64_t max)
{
	return (uint32_t)csv_int(r->csv, name, absent, min, max);
}

/* What the RTL was built with */
static void read_config(struct run *r)
{
	static const struct {
		const char *engine, *column;
	} columns[] = {
		{ "n_speculation", "NSpeculation" }, { "input_fifo_depth", "InputFifoDepth" },
		{ "pending_fifo_depth", "PendingFifoDepth" },
		{ "num_ax_in_flight", "NumAxInFlight" }, { "buffer_depth", "BufferDepth" },
		{ "read_latency", "L" }, { "write_latency", "wr_lat" },
	};
	IdmaEngineConfig *cfg = &r->su.cfg;
	const char *mode = csv_text(r->csv, "mode"), *bad, *why;

	idma_engine_config_default(cfg);
	cfg->timing = IDMA_TIMING_CYCLE;
	cfg->read_latency = setup_int(r, "L", 0, 0, UINT32_MAX);
	cfg->write_latency = cfg->read_latency;
	if (!strcmp(mode, "direct")) {
		cfg->mem_mode = IDMA_MEM_DIRECT;
		cfg->write_latency = setup_int(r, "wr_lat", 1, 1, UINT32_MAX) - 1;
	} else if (!strcmp(mode, "cuts")) {
		int64_t wr_lat = csv_int(r->csv, "wr_lat", -1, -1, INT64_MAX);

		cfg->mem_mode = IDMA_MEM_CUTS;
		if (wr_lat >= 0 && wr_lat != 2 * (int64_t)cfg->read_latency + 1)
			csv_error(r->csv, "wr_lat: with mode cuts and L %u it is %u",
				  cfg->read_latency, 2 * cfg->read_latency + 1);
	} else {
		csv_error(r->csv, "mode: '%s' is neither cuts nor direct", mode);
	}
	cfg->n_speculation = setup_int(r, "NSpeculation", 4, 0, UINT32_MAX);
	cfg->num_ax_in_flight = setup_int(r, "NumAxInFlight", 8, 0, UINT32_MAX);
	cfg->buffer_depth = setup_int(r, "BufferDepth", 3, 0, UINT32_MAX);
	cfg->input_fifo_depth = setup_int(r, "InputFifoDepth", 8, 0, UINT32_MAX);
	cfg->pending_fifo_depth = setup_int(r, "PendingFifoDepth", 8, 0, UINT32_MAX);
	bad = idma_engine_config_check(cfg, &why);
	for (size_t i = 0; bad && i < ARRAY_SIZE(columns); i++)
		if (!strcmp(bad, columns[i].engine))
			bad = columns[i].column;
	if (bad)
		csv_error(r->csv, "%s: %s", bad, why);
}

/* All but the descriptors' lengths and alignments, which are there already */
static void place(struct run *r, bool per_desc)
{
	const char *tag = tag_of(r), *layout = csv_text(r->csv, "layout"), *gap;
	bool mix = starts(tag, "mix");
	uint64_t offset = 0;

	if (mix)
		find_mix(r, per_desc);
	else if (!strcmp(layout, "custom"))
		csv_error(r->csv, "layout: 'custom' needs a tag mixN that says what it is");
	apply_tag(r);
	if (starts(tag, "doff"))
		offset = strtoull(tag + 4, NULL, 10);
	gap = strstr(tag, "_apbgap");
	if (gap)
		r->su.spacing = 2 + strtoull(gap + 7, NULL, 10);
	rig_place_data(&r->su);
	if (!mix && !rig_place_desc(&r->su, layout, offset))
		csv_error(r->csv, "layout: '%s' is not contig, gap, reverse, strideS or jumpK",
			  layout);
}

static void describe(struct run *r)
{
	static const struct {
		const char *column, *before;
	} parts[] = {
		{ "mode", "" }, { "L", " L" }, { "wr_lat", " wr" }, { "NSpeculation", " nspec" },
		{ "NumAxInFlight", " nax" }, { "BufferDepth", " bd" }, { "InputFifoDepth", " if" },
		{ "PendingFifoDepth", " pf" }, { "len_arg", " len" }, { "len", " len" },
		{ "N", " x" }, { "src_align", " src+" }, { "dst_align", " dst+" },
		{ "layout", " " }, { "flags", " flags" }, { "chains", " chains" }, { "tag", " " },
		{ "idx", " idx" },
	};
	char *at = r->row.what, *end = at + sizeof(r->row.what);

	*at = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		const char *text = csv_text(r->csv, parts[i].column);

		if (text && *text && at < end)
			at += snprintf(at, (size_t)(end - at), "%s%s", parts[i].before, text);
	}
}

static void setup(struct run *r)
{
	struct rig_setup *su = &r->su;
	struct rig_desc *desc = su->desc;

	*su = (struct rig_setup) { .desc = desc };
	su->n = setup_int(r, "N", 0, 1, MAX_DESC);
	su->chains = setup_int(r, "chains", 1, 1, MAX_DESC);
	if (su->chains > su->n)
		csv_error(r->csv, "chains: %zu of %zu descriptors", su->chains, su->n);
	read_config(r);
	if (r->csv->bad)
		return;
	rig_desc_alloc(su, su->n);
	r->times = xrealloc(r->times, su->n * sizeof(*r->times));
}

/* Descriptor i as the row at hand has it */
static void read_desc(struct run *r, size_t i)
{
	struct rig_desc *d = &r->su.desc[i];

	/* The length of a mix is in its parameters, and what the column says means nothing */
	if (starts(tag_of(r), "mix") && !csv_has(r->csv, "idx"))
		d->len = 0;
	else
		d->len = setup_int(r, "len", 0, 0, MAX_LEN);
	d->flags = setup_int(r, "flags", IDMA_FLAGS_PLAIN, 0, UINT32_MAX);
	d->src = setup_int(r, "src_align", 0, 0, MEM_PAGE - 1);
	d->dst = setup_int(r, "dst_align", 0, 0, MEM_PAGE - 1);
}

/* --- comparing ------------------------------------------------------------------ */

static void note(struct run *r, const char *fmt, ...) __printf(2, 3);
static void note(struct run *r, const char *fmt, ...)
{
	size_t at = strlen(r->row.differs);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->row.differs + at, sizeof(r->row.differs) - at, fmt, ap);
	va_end(ap);
}

static void score(struct run *r, double s)
{
	if (s > r->row.score)
		r->row.score = s;
}

/* A cycle that may be two off */
static void compare_cycle(struct run *r, const char *name, int64_t got)
{
	int64_t want = csv_int(r->csv, name, got, -1, INT64_MAX);
	int64_t off = llabs(got - want);

	if (off > r->row.cycles_off)
		r->row.cycles_off = off;
	if (off)
		note(r, " %s %" PRId64 "/%" PRId64, name, got, want);
	score(r, (double)off / 2);
}

static void compare_util(struct run *r, const char *name, double got)
{
	double want = csv_real(r->csv, name, got), off = fabs(got - want);

	if (off > r->row.util_off)
		r->row.util_off = off;
	if (off > 0.005)
		note(r, " %s %.4f/%.4f", name, got, want);
	score(r, off / 0.005);
}

static void compare_total(struct run *r)
{
	struct golden_row *row = &r->row;
	double tolerance;

	row->total = r->res.total;
	row->total_golden = csv_int(r->csv, "total_cycles", 0, -1, INT64_MAX);
	tolerance = (double)row->total_golden * 0.01;
	if (tolerance < 2)
		tolerance = 2;
	if (row->total_golden > 0)
		row->total_part = (double)(row->total - row->total_golden) /
				  (double)row->total_golden;
	if (row->total != row->total_golden)
		note(r, " total_cycles %" PRId64 "/%" PRId64, row->total, row->total_golden);
	score(r, (double)llabs(row->total - row->total_golden) / tolerance);
}

static void compare_run(struct run *r)
{
	const struct rig_result *res = &r->res;
	const struct {
		const char *name;
		int64_t got;
	} others[] = {
		{ "last_r", res->last_r }, { "first_w", res->first_w },
		{ "first_ar", res->first_ar }, { "first_desc_r", res->first_desc_r },
		{ "first_req", res->first_req }, { "first_aw", res->first_aw },
		{ "first_wb_aw", res->first_wb_aw }, { "last_wb_aw", res->last_wb_aw },
		{ "first_irq", res->first_irq }, { "idle_cycle", res->idle },
		{ "n_irq", res->n_irq }, { "irq_maxrun", res->irq_maxrun }, { "n_wb", res->n_wb },
		{ "n_fe_ar", res->n_fe_ar }, { "n_be_ar", res->n_be_ar },
		{ "n_be_aw", res->n_be_aw }, { "n_be_r", res->n_be_r }, { "n_be_w", res->n_be_w },
		{ "n_fe_r_dropped", res->n_fe_r_dropped }, { "be_r_stall_cycles", res->r_stall },
		{ "n_rsp_err", res->n_rsp_err }, { "fifo_full_seen", res->fifo_full },
	};
	int64_t hang = csv_int(r->csv, "hang", 0, 0, 1);
	const char *tag = tag_of(r);
	bool exact = true;

	compare_total(r);
	compare_cycle(r, "launch_latency", res->launch);
	compare_cycle(r, "first_r", res->first_r);
	compare_cycle(r, "last_w", res->last_w);
	compare_cycle(r, "irq_cycle", res->total);
	/* Without an interrupt or data there is no utilisation */
	if (r->row.total_golden > 0 && csv_int(r->csv, "first_r", -1, -1, INT64_MAX) >= 0) {
		compare_util(r, "util_steady", res->util_steady);
		compare_util(r, "util_total", res->util_total);
		/* The length over the period of descriptors: of equal ones, and enough of them */
		if (r->su.n >= 8 && !starts(tag, "mix") && !starts(tag, "zerolen"))
			compare_util(r, "util_mid", res->util_mid);
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		int64_t want = csv_int(r->csv, others[i].name, others[i].got, -1, INT64_MAX);

		if (want != others[i].got) {
			exact = false;
			note(r, " (%s %" PRId64 "/%" PRId64 ")", others[i].name, others[i].got,
			     want);
		}
	}
	r->row.good = r->row.score <= 1;
	if (res->data_bad || res->hang != hang) {
		note(r, " data of %" PRId64 " descriptors is wrong, hang %" PRId64 "/%" PRId64,
		     res->data_bad, res->hang, hang);
		r->row.good = false;
		r->row.score = INFINITY;
	}
	r->row.aside = hang;
	r->row.exact = exact && r->row.good && !r->row.differs[0];
}

static void compare_desc(struct run *r, size_t i)
{
	const struct rig_times *t = &r->times[i];

	compare_cycle(r, "fetch_ar", t->fetch_ar);
	compare_cycle(r, "n_data_ar", t->n_data_ar);
	compare_cycle(r, "first_data_ar", t->first_data_ar);
	compare_cycle(r, "first_r", t->first_r);
	compare_cycle(r, "last_r", t->last_r);
	compare_cycle(r, "first_w", t->first_w);
	compare_cycle(r, "last_w", t->last_w);
	compare_cycle(r, "wb_aw", t->wb_aw);
	compare_cycle(r, "wb_b", t->wb_b);
	compare_cycle(r, "irq", t->irq);
	r->row.total = t->irq;
	r->row.total_golden = csv_int(r->csv, "irq", -1, -1, INT64_MAX);
	r->row.good = r->row.score <= 1;
	r->row.exact = !r->row.differs[0];
}

/* --- files ---------------------------------------------------------------------- */

static void start_row(struct run *r)
{
	memset(&r->row, 0, sizeof(r->row));
	r->row.line = r->csv->line;
	describe(r);
}

static void do_runs(struct run *r, golden_fn fn, void *arg)
{
	while (csv_next(r->csv)) {
		start_row(r);
		setup(r);
		if (r->csv->bad)
			return;
		for (size_t i = 0; i < r->su.n; i++)
			read_desc(r, i);
		place(r, false);
		if (r->csv->bad)
			return;
		rig_run(r->rig, &r->su, &r->res, r->times);
		compare_run(r);
		if (r->csv->bad || !fn(arg, &r->row))
			return;
	}
}

/* The rows of one run, idx 0 to N - 1, of which the first one is at hand */
static size_t take_rows(struct run *r, struct csv_row *rows)
{
	struct csv *c = r->csv;
	size_t n = r->su.n, i = 0;

	for (;;) {
		if ((size_t)csv_int(c, "idx", 0, 0, MAX_DESC) != i)
			csv_error(c, "idx: it is not %zu, as the rows before it would have it", i);
		if ((size_t)csv_int(c, "N", 1, 1, MAX_DESC) != n)
			csv_error(c, "N: it is %zu in the rows of this run before", n);
		read_desc(r, i);
		csv_take(c, &rows[i++]);
		if (i == n || c->bad)
			return i;
		if (!csv_next(c)) {
			csv_error(c, "the file ends after %zu of %zu rows of a run", i, n);
			return i;
		}
	}
}

static void do_descs(struct run *r, golden_fn fn, void *arg)
{
	struct csv *c = r->csv;
	bool more = true;

	while (more && csv_next(c)) {
		struct csv_row *rows;
		size_t n;

		setup(r);
		if (c->bad)
			return;
		rows = xalloc(r->su.n * sizeof(*rows));
		n = take_rows(r, rows);
		if (!c->bad)
			place(r, true);
		if (!c->bad)
			rig_run(r->rig, &r->su, &r->res, r->times);
		for (size_t i = 0; i < n; i++) {
			if (!c->bad && more) {
				csv_show(c, &rows[i]);
				start_row(r);
				compare_desc(r, i);
				more = !c->bad && fn(arg, &r->row);
			}
			csv_drop(&rows[i]);
		}
		free(rows);
	}
}

/* The columns without which there is nothing to do */
static void check_columns(struct csv *c, bool per_desc)
{
	static const char * const always[] = {
		"mode", "L", "NSpeculation", "NumAxInFlight", "BufferDepth", "len", "N",
		"src_align", "dst_align", "layout", "flags", NULL,
	};
	static const char * const of_runs[] = {
		"total_cycles", "launch_latency", "first_r", "last_w", "irq_cycle", "util_steady",
		"util_total", NULL,
	};
	static const char * const of_descs[] = {
		"idx", "fetch_ar", "first_data_ar", "first_r", "last_w", "wb_b", "irq", NULL,
	};
	const char * const *lists[] = { always, per_desc ? of_descs : of_runs };

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		for (size_t j = 0; lists[i][j]; j++)
			if (!csv_has(c, lists[i][j]))
				csv_error(c, "there is no column '%s'", lists[i][j]);
}

int golden_file(const char *path, const char *mix, golden_fn fn, void *arg)
{
	struct csv csv;
	struct run r = { .csv = &csv, .mix = mix };
	int ret = csv_open(&csv, path);
	bool per_desc, bad;

	if (!ret) {
		per_desc = csv_has(&csv, "idx") || csv_has(&csv, "fetch_ar");
		check_columns(&csv, per_desc);
		r.rig = rig_new();
		if (per_desc)
			do_descs(&r, fn, arg);
		else
			do_runs(&r, fn, arg);
		rig_free(r.rig);
		free(r.su.desc);
		free(r.times);
	}
	bad = csv.bad;
	csv_close(&csv);
	return ret ? ret : bad ? IT_USAGE : IT_OK;
}
