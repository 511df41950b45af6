// SPDX-License-Identifier: GPL-2.0-only
/*
 * hostmem: workers staged through device memory against direct host memory, next
 * to what XRT's tutorial has measured.
 */
#include <stdio.h>
#include <stdlib.h>

#include "hm-spec.h"
#include "opts.h"
#include "out.h"
#include "sim.h"

static bool on_progress(uint64_t ns, uint64_t all)
{
	progress_show((double)ns / (double)all, "%.1f of %.1f ms", (double)ns / 1e6,
		      (double)all / 1e6);
	return !it_stop;
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

static int simulate(const struct hm_spec *s)
{
	static const struct out_column cols[] = {
		{ "mode", "MODE", OUT_STR, NULL },
		{ "rounds", "ROUNDS", OUT_INT, NULL },
		{ "least", "LEAST", OUT_INT, NULL },
		{ "most", "MOST", OUT_INT, NULL },
		{ "gb_s", "GB/S", OUT_REAL, NULL },
		{ "published_gb_s", "PUBLISHED", OUT_REAL, NULL },
	};
	double rate[] = { [HM_STAGED] = 0, [HM_DIRECT] = 0 }, ratio, published;
	json_t *doc, *runs, *run, *config = json_object();
	int status = IT_OK;
	size_t i;

	catch_signals();
	runs = json_array();
	for (enum hm_mode mode = HM_STAGED; mode <= HM_DIRECT && !it_stop; mode++) {
		if (s->mode != HM_BOTH && s->mode != mode)
			continue;
		run = hm_spec_run(s, mode, on_progress, &status);
		progress_clear();
		rate[mode] = json_double(run, "gb_s", 0);
		json_array_append_new(runs, run);
	}
	if (!out.json) {
		json_array_foreach(runs, i, run)
			show_workers(run);
	}
	out_table(cols, ARRAY_SIZE(cols), runs);
	doc = out_doc();
	for (i = 0; i < hm_param_count; i++)
		json_object_set_new(config, hm_params[i].name, hm_spec_get(s, hm_params[i].name));
	json_object_set_new(doc, "config", config);
	json_object_set_new(doc, "runs", runs);
	if (rate[HM_STAGED] > 0 && rate[HM_DIRECT] > 0) {
		ratio = rate[HM_DIRECT] / rate[HM_STAGED];
		published = hm_published(HM_DIRECT) / hm_published(HM_STAGED);
		if (!out.json)
			printf("direct/staged %.3f, published %.3f\n", ratio, published);
		json_object_set_new(doc, "ratio", json_real(ratio));
		json_object_set_new(doc, "published_ratio", json_real(published));
	}
	return out_finish(doc, status);
}

int cmd_hostmem(int argc, char **argv)
{
	struct opt *opts = xalloc(hm_param_count * sizeof(*opts));
	const char **texts = xalloc(hm_param_count * sizeof(*texts));
	struct usage usage = {
		.command = "hostmem",
		.text =
			"The experiment of XRT's tutorial on host memory access: N workers with buffers in host\n"
			"memory, staged through device memory (two inputs there, work on both, one output back)\n"
			"against direct. A round counts as 4 MiB for buffers of 2 MiB, as in the tutorial.\n"
			"Where the default parameters come from is in idma-sim(1).",
		.opts = opts,
		.n = hm_param_count,
		.examples = "  idma-sim hostmem\n"
			    "  idma-sim hostmem --mode staged --channels 1 --time 50\n"
			    "  idma-sim sweep hostmem --plot hostmem.svg\n",
	};
	struct hm_spec s;
	int at, status = IT_OK;

	for (size_t i = 0; i < hm_param_count; i++)
		opts[i] = (struct opt) {
			hm_params[i].name, hm_params[i].letter, OPT_STRING, &texts[i],
			.arg = hm_params[i].arg, .help = hm_params[i].help,
		};
	at = opts_parse(&usage, argc, argv);
	if (at < 0) {
		status = OPTS_EXIT(at);
		goto out;
	}
	hm_spec_init(&s);
	for (size_t i = 0; i < hm_param_count; i++) {
		if (texts[i] && !hm_spec_set(&s, "--", hm_params[i].name, texts[i])) {
			status = out_finish(NULL, IT_USAGE);
			goto out;
		}
	}
	status = simulate(&s);
out:
	free(opts);
	free(texts);
	return status;
}
