// SPDX-License-Identifier: GPL-2.0-only
/*
 * run: one simulation.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opts.h"
#include "out.h"
#include "sim.h"
#include "spec.h"
#include "vcd.h"

#define OWN_OPTIONS	1

static const char *trace_to;

static const struct out_column cols[] = {
	{ "descriptors", "descriptors", OUT_INT, NULL },
	{ "bytes", "bytes", OUT_INT, NULL },
	{ "cycles", "cycles to the last interrupt", OUT_INT, NULL },
	{ "idle", "cycle in which it is idle", OUT_INT, NULL },
	{ "launch", "launch latency", OUT_INT, NULL },
	{ "first_read", "first read", OUT_INT, NULL },
	{ "last_read", "last read", OUT_INT, NULL },
	{ "first_write", "first write", OUT_INT, NULL },
	{ "last_write", "last write", OUT_INT, NULL },
	{ "backend_cycles", "cycles in the back-end", OUT_INT, NULL },
	{ "util_steady", "utilisation, reading", OUT_REAL, NULL },
	{ "util_total", "utilisation, launch to interrupt", OUT_REAL, NULL },
	{ "period", "cycles a descriptor, in the middle", OUT_REAL, NULL },
	{ "util", "utilisation, in the middle", OUT_REAL, NULL },
	{ "time_ns", "time", OUT_NS, NULL },
	{ "bytes_s", "throughput", OUT_BYTERATE, NULL },
	{ "bytes_s_steady", "throughput, reading", OUT_BYTERATE, NULL },
	{ "interrupts", "interrupts", OUT_INT, NULL },
	{ "fetches", "descriptors fetched", OUT_INT, NULL },
	{ "flushes", "wrong guesses", OUT_INT, NULL },
	{ "failed", "failed", OUT_STR, NULL },
};

static bool on_progress(void *arg, uint64_t bytes, uint64_t all)
{
	(void)arg;
	progress_show(all ? (double)bytes / (double)all : 1, "%llu of %llu bytes",
		      (unsigned long long)bytes, (unsigned long long)all);
	return !it_stop;
}

static void on_trace(void *arg, const IdmaTraceEvent *ev)
{
	vcd_event(arg, ev);
}

static int simulate(const struct spec *s)
{
	struct rig_setup su;
	struct vcd *vcd = NULL;
	struct rig *rig;
	json_t *doc, *row, *config;
	int status = IT_OK;

	if (!spec_setup(s, "--", &su))
		return out_finish(NULL, IT_USAGE);
	if (trace_to) {
		vcd = vcd_open(trace_to, s->clock);
		if (!vcd) {
			free(su.desc);
			return out_finish(NULL, IT_ENV);
		}
		su.trace = on_trace;
		su.arg = vcd;
	}
	su.progress = on_progress;
	catch_signals();
	rig = rig_new();
	row = spec_run(rig, s, &su, &status);
	progress_clear();
	if (vcd && !vcd_close(vcd))
		status = IT_ENV;
	rig_free(rig);
	free(su.desc);
	out_object(cols, ARRAY_SIZE(cols), row);
	if (json_object_get(row, "failed"))
		it_error("it failed: %s", json_str(row, "failed", ""));
	doc = out_doc();
	config = json_object();
	for (size_t i = 0; i < spec_param_count; i++)
		json_object_set_new(config, spec_params[i].name, spec_get(s, spec_params[i].name));
	json_object_set_new(doc, "config", config);
	json_object_set_new(doc, "result", row);
	return out_finish(doc, status);
}

int cmd_run(int argc, char **argv)
{
	size_t n = spec_param_count + OWN_OPTIONS;
	struct opt *opts = xalloc(n * sizeof(*opts));
	const char **texts = xalloc(spec_param_count * sizeof(*texts));
	struct usage usage = {
		.command = "run",
		.text =
			"Simulate one set of descriptors and say what took how long. Cycle 0 is that of the\n"
			"write to DESC_ADDR.",
		.opts = opts,
		.n = n,
		.examples = "  idma-sim run --desc 64x1024 --latency 13 --nspec 4\n"
			    "  idma-sim run --desc 1x8k --memory direct --latency 5 --clock 50M\n"
			    "  idma-sim run --desc 8x64 --layout gap --trace a.vcd\n",
	};
	struct spec s;
	int at, status = IT_OK;

	opts[0] = (struct opt) { "trace", 0, OPT_STRING, &trace_to, .arg = "FILE",
				 .help = "write a waveform (VCD), for GTKWave" };
	for (size_t i = 0; i < spec_param_count; i++)
		opts[OWN_OPTIONS + i] = (struct opt) {
			spec_params[i].name, 0, OPT_STRING, &texts[i],
			.arg = spec_params[i].arg, .help = spec_params[i].help,
		};
	at = opts_parse(&usage, argc, argv);
	if (at < 0) {
		status = OPTS_EXIT(at);
		goto out;
	}
	spec_init(&s);
	for (size_t i = 0; i < spec_param_count; i++) {
		if (texts[i] && !spec_set(&s, "--", spec_params[i].name, texts[i])) {
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
