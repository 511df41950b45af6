// SPDX-License-Identifier: GPL-2.0-only
/*
 * golden: files of rows that were measured on the RTL.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "opts.h"
#include "out.h"
#include "sim.h"

#define WORST_MOST	64

static const char *mix;
static bool quiet, tap, exact;
static struct opt_number show_worst;

static const struct opt opts[] = {
	{ "worst", 'w', OPT_NUMBER, &show_worst, .arg = "N", .max = WORST_MOST,
	  .help = "show the N worst rows, default 3" },
	{ "quiet", 'q', OPT_FLAG, &quiet, .help = "not every row, only the sum and the worst" },
	{ "exact", 'e', OPT_FLAG, &exact,
	  .help = "no tolerance: all known columns must be the same" },
	{ "mix", 'm', OPT_STRING, &mix, .arg = "FILE",
	  .help = "what tags mixN stand for, default golden_mix_params.txt beside the rows" },
	{ "tap", 't', OPT_FLAG, &tap, .help = "one TAP result a file" },
};

static const struct usage usage = {
	.command = "golden",
	.args = "FILE...",
	.text =
		"Run every row of files with golden's columns and compare. A row is good if its total\n"
		"is within 1 % or 2 cycles, launch, first read, last write and interrupt are within 2\n"
		"cycles and utilisation is within 0.5 points. Rows with hang = 1 are shown, not counted:\n"
		"they are defects of the RTL.",
	.opts = opts,
	.n = ARRAY_SIZE(opts),
	.min_args = 1,
	.max_args = -1,
	.examples = "  idma-sim golden rows.csv\n"
		    "  idma-sim golden -q --worst 10 a.csv b.csv\n",
};

static const struct out_column cols[] = {
	{ "line", "LINE", OUT_INT, NULL },
	{ "total_cycles", "CYCLES", OUT_INT, NULL },
	{ "golden", "GOLDEN", OUT_INT, NULL },
	{ "off_percent", "OFF %", OUT_REAL, NULL },
	{ "cycles_off", "EDGES OFF", OUT_INT, NULL },
	{ "util_off_points", "UTIL OFF", OUT_REAL, NULL },
	{ "result", "RESULT", OUT_STATE, NULL },
	{ "what", "SET-UP", OUT_STR, NULL },
	{ "differs", "ENGINE/RTL", OUT_STR, NULL },
};

/* What a file adds up to */
struct sum {
	const char *path;
	unsigned long rows, good, bad, aside, exact;
	double total_part, util_off;
	int64_t cycles_off;
	struct golden_row worst[WORST_MOST];
	size_t n_worst;
	bool header;
	json_t *doc_rows;
};

static bool counts_as_good(const struct golden_row *row)
{
	return exact ? row->exact : row->good;
}

static const char *result_of(const struct golden_row *row)
{
	if (row->aside)
		return "aside";
	return !counts_as_good(row) ? "failed" : row->exact ? "exact" : "good";
}

static json_t *row_json(const struct golden_row *row)
{
	json_t *o = json_pack("{s:I, s:s, s:I, s:I, s:f, s:I, s:f, s:s}", "line",
			      (json_int_t)row->line, "what", row->what, "total_cycles",
			      (json_int_t)row->total, "golden", (json_int_t)row->total_golden,
			      "off_percent", 100 * row->total_part, "cycles_off",
			      (json_int_t)row->cycles_off, "util_off_points", 100 * row->util_off,
			      "result", result_of(row));

	if (row->differs[0])
		json_object_set_new(o, "differs", json_string(row->differs + 1));
	return o;
}

/* Sorted in, the worst first; of equal ones the first that came */
static void keep_worst(struct sum *s, const struct golden_row *row)
{
	size_t most = show_worst.set ? show_worst.val : 3, i = s->n_worst;

	if (row->exact || !most)
		return;
	while (i && s->worst[i - 1].score < row->score)
		i--;
	if (i == most)
		return;
	if (s->n_worst < most)
		s->n_worst++;
	memmove(&s->worst[i + 1], &s->worst[i], (s->n_worst - i - 1) * sizeof(s->worst[0]));
	s->worst[i] = *row;
}

static bool on_row(void *arg, const struct golden_row *row)
{
	struct sum *s = arg;
	json_t *o = row_json(row);

	s->rows++;
	if (row->aside) {
		s->aside++;
	} else {
		s->exact += row->exact;
		if (counts_as_good(row))
			s->good++;
		else
			s->bad++;
		if (fabs(row->total_part) > fabs(s->total_part))
			s->total_part = row->total_part;
		if (row->cycles_off > s->cycles_off)
			s->cycles_off = row->cycles_off;
		if (row->util_off > s->util_off)
			s->util_off = row->util_off;
		keep_worst(s, row);
	}
	if (!quiet && !tap) {
		out_row(cols, ARRAY_SIZE(cols), o, !s->header);
		s->header = true;
	}
	json_array_append_new(s->doc_rows, o);
	if (s->rows % 16 == 0)
		progress_show(0, "%s: %lu rows", s->path, s->rows);
	return !it_stop;
}

static void say_sum(const struct sum *s)
{
	printf("%s%s: %lu rows, %lu good, %lu %s, %lu aside; %lu exact in every column; ",
	       tap ? "# " : "", s->path, s->rows, s->good, s->bad,
	       exact ? "not exact" : "beyond the tolerance", s->aside, s->exact);
	printf("worst: total %+.2f %%, edges %" PRId64 " cycles, utilisation %.2f points\n",
	       100 * s->total_part, s->cycles_off, 100 * s->util_off);
	for (size_t i = 0; i < s->n_worst; i++)
		printf("%s  line %lu, %s:%s\n", tap ? "# " : "", s->worst[i].line, s->worst[i].what,
		       s->worst[i].differs);
}

static int do_file(const char *path, json_t *files)
{
	struct sum *s = xalloc(sizeof(*s));
	json_t *o, *worst = json_array();
	int ret;

	s->path = path;
	s->doc_rows = json_array();
	ret = golden_file(path, mix, on_row, s);
	progress_clear();
	if (!ret && !s->rows) {
		it_error("%s: it has no rows", path);
		ret = IT_USAGE;
	}
	if (!ret && s->bad)
		ret = IT_FAILED;
	if (!out.json)
		say_sum(s);
	for (size_t i = 0; i < s->n_worst; i++)
		json_array_append_new(worst, row_json(&s->worst[i]));
	o = json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:f, s:I, s:f, s:o, s:o}", "file", path,
		      "rows", (json_int_t)s->rows, "good", (json_int_t)s->good, "failed",
		      (json_int_t)s->bad, "aside", (json_int_t)s->aside, "exact",
		      (json_int_t)s->exact, "worst_total_percent", 100 * s->total_part,
		      "worst_cycles", (json_int_t)s->cycles_off, "worst_util_points",
		      100 * s->util_off, "worst", worst, "all", s->doc_rows);
	json_array_append_new(files, o);
	free(s);
	return ret;
}

int cmd_golden(int argc, char **argv)
{
	int at = opts_parse(&usage, argc, argv), status = IT_OK;
	json_t *doc, *files;

	if (at < 0)
		return OPTS_EXIT(at);
	if (tap && out.json) {
		it_error("--tap and --json are two kinds of output: use one");
		return out_finish(NULL, IT_USAGE);
	}
	catch_signals();
	files = json_array();
	for (int i = at; i < argc && !it_stop; i++) {
		int ret = do_file(argv[i], files);

		if (tap)
			printf("%sok %d - %s as measured on the RTL\n", ret ? "not " : "",
			       i - at + 1, argv[i]);
		status = ret > status ? ret : status;
	}
	if (tap)
		printf("1..%d\n", argc - at);
	doc = out_doc();
	json_object_set_new(doc, "files", files);
	return out_finish(doc, status);
}
