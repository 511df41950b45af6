// SPDX-License-Identifier: GPL-2.0-only
/*
 * published: bus utilisation of the desc64 engine over transfer size, and launch
 * latency.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "pub.h"
#include "rig.h"

#define DMAC_PAPER	"arXiv 2510.12277, abstract (A Direct Memory Access Controller for " \
			"Irregular Data Transfers on RISC-V Linux Systems)"
#define IDMA_PAPER	"A High-performance, Energy-efficient Modular DMA Engine Architecture"

static const unsigned int latencies[] = { 1, 13, 100 };
static const unsigned int nspecs[] = { 0, 4, 16, 24 };

struct work {
	unsigned int latency, nspec, in_flight, buffer, len, n;
};

static void run(struct rig *rig, const struct work *w, struct rig_result *res)
{
	struct rig_setup su = { .chains = 1 };

	idma_engine_config_default(&su.cfg);
	su.cfg.timing = IDMA_TIMING_CYCLE;
	su.cfg.read_latency = w->latency;
	su.cfg.write_latency = w->latency;
	su.cfg.n_speculation = w->nspec;
	su.cfg.num_ax_in_flight = w->in_flight;
	su.cfg.buffer_depth = w->buffer;
	rig_desc_alloc(&su, w->n);
	for (size_t i = 0; i < su.n; i++) {
		su.desc[i].len = w->len;
		su.desc[i].flags = IDMA_FLAGS_PLAIN;
	}
	rig_place_data(&su);
	rig_place_desc(&su, "contig", 0);
	rig_run(rig, &su, res, NULL);
	free(su.desc);
}

/*
 * What is left for data of a read channel that also carries the descriptors: 32
 * bytes each.
 */
static double ceiling(unsigned int len)
{
	return 100.0 * len / (len + 32.0);
}

static bool one_of(unsigned int v, const unsigned int *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == v)
			return true;
	return false;
}

/* Each row that was measured is run again, so that both have the same descriptors */
static int curves(struct pub *p, struct rig *rig)
{
	char *path = xasprintf("%s/golden_main.csv", p->golden), id[64], title[128], name[64];
	unsigned long rows = 0, same = 0;
	json_t *plots[ARRAY_SIZE(latencies)];
	double worst = 0;
	struct csv csv;
	json_t *table;
	int ret;

	for (size_t i = 0; i < ARRAY_SIZE(latencies); i++) {
		snprintf(id, sizeof(id), "utilisation-l%u", latencies[i]);
		snprintf(title, sizeof(title),
			 "Bus utilisation, memory latency %u (%u cycles to the first read beat)",
			 latencies[i], 2 * latencies[i] + 1);
		plots[i] = pub_plot(p, id, title, "transfer size, bytes", "utilisation, %", true);
	}
	table = pub_table(p, "utilisation", "Utilisation in percent, from the first to the last\n"
			  "read beat; ceiling: what 32-byte descriptors on the same channel\n"
			  "leave",
			  "latency|NSpeculation|in flight|size|RTL|model|ceiling");
	ret = csv_open(&csv, path);
	while (!ret && csv_next(&csv) && !it_stop) {
		const char *layout = csv_text(&csv, "layout");
		double rtl = 100 * csv_real(&csv, "util_steady", NAN), model;
		struct work w = {
			.latency = csv_int(&csv, "L", -1, 0, 1000),
			.nspec = csv_int(&csv, "NSpeculation", -1, 0, 64),
			.in_flight = csv_int(&csv, "NumAxInFlight", -1, 2, 64),
			.buffer = csv_int(&csv, "BufferDepth", -1, 2, 64),
			.len = csv_int(&csv, "len", -1, 0, UINT32_MAX),
			.n = csv_int(&csv, "N", -1, 1, 100000),
		};
		struct rig_result res;
		size_t l;

		if (csv.bad)
			break;
		if (!layout || strcmp(layout, "contig") ||
		    !one_of(w.latency, latencies, ARRAY_SIZE(latencies)) ||
		    !one_of(w.nspec, nspecs, ARRAY_SIZE(nspecs)))
			continue;
		run(rig, &w, &res);
		model = 100 * res.util_steady;
		rows++;
		same += fabs(model - rtl) <= 0.0051;	/* the rows have four decimals */
		worst = fmax(worst, fabs(model - rtl));
		for (l = 0; latencies[l] != w.latency; l++)
			;
		snprintf(name, sizeof(name), "model, NSpeculation %u", w.nspec);
		pub_point(plots[l], name, w.len, model);
		snprintf(name, sizeof(name), "published (RTL), %u", w.nspec);
		pub_point(plots[l], name, w.len, rtl);
		pub_row(table, w.latency, w.nspec, w.in_flight, w.len, rtl, model, ceiling(w.len));
	}
	if (csv.bad)
		ret = IT_USAGE;
	csv_close(&csv);
	if (!ret && !rows && !it_stop) {
		it_error("%s: it has no rows for the report", path);
		ret = IT_USAGE;
	}
	free(path);
	if (ret)
		return ret;
	pub_figure(p, "rtl-rows", "rows of the RTL with the same utilisation", "rows", rows, same,
		   PUB_PREDICTED, "%lu rows: latencies 1, 13 and 100, NSpeculation 0, 4, 16 and\n"
		   "24 with 3, 4, 16 and 24 bursts in flight, contiguous descriptors; the\n"
		   "largest difference is %.3f points, and the rows are rounded to\n"
		   "0.01", rows, worst);
	return IT_OK;
}

/* What the papers say in words and ratios */
static void claims(struct pub *p, struct rig *rig)
{
	struct work w = { .latency = 13, .nspec = 4, .in_flight = 8, .buffer = 3, .len = 64,
			  .n = 256 };
	struct rig_result shallow, deep, ideal, scaled;
	double use;

	run(rig, &w, &shallow);
	use = 100 * shallow.util_mid;
	pub_words(p, "cheshire-64", "Cheshire, 64 B, of what descriptors leave", "%",
		  "almost perfect", 100 * use / ceiling(64), PUB_PREDICTED,
		  "8 bursts in flight, NSpeculation 4, latency 13: %.1f %% of all read beats\n"
		  "carry data and the ceiling is %.1f %%, since each 64 B come with a\n"
		  "descriptor of 32 B on the same port. Whether the paper's curve is relative\n"
		  "to that ceiling it does not say",
		  use, ceiling(64));
	w.latency = 100;
	run(rig, &w, &deep);
	w.nspec = 24;
	w.in_flight = 24;
	run(rig, &w, &scaled);
	w = (struct work){ .latency = 0, .nspec = 4, .in_flight = 8, .buffer = 3, .len = 64,
			   .n = 256 };
	run(rig, &w, &ideal);
	pub_note(p, "Ratios to another vendor's engine (AXI DMA v7.1) are published: almost 6\n"
		 "times its utilisation at 64 B (%s), 2.5 times on ideal and 3.6 times on deep\n"
		 "memory, and 1.66 times less launch latency (%s). That engine is not modelled,\n"
		 "so these are no comparisons; with the model's side they imply for it: %.0f %%\n"
		 "of the bus on ideal memory (iDMA %.1f %%), and a launch latency of %.0f\n"
		 "cycles at latency 13 (iDMA %lld from the store to the first data\n"
		 "read).", IDMA_PAPER, DMAC_PAPER,
		 100 * ideal.util_mid / 2.5, 100 * ideal.util_mid, 1.66 * (double)shallow.launch,
		 (long long)shallow.launch);
	pub_note(p, "Deep memory (latency 100), 64 B: %.1f %% with NSpeculation 4 and 8 bursts\n"
		 "in flight, %.1f %% with 24 and 24, where the 8 places of the request FIFO are\n"
		 "the limit: more than 8 descriptors are never fetched ahead.", 100 * deep.util_mid,
		 100 * scaled.util_mid);
}

int pub_utilisation(struct pub *p)
{
	struct rig *rig = rig_new();
	int ret;

	pub_section(p, "utilisation", "Bus utilisation over transfer size",
		    "rows measured by simulating the public RTL v0.7.0; " IDMA_PAPER "; "
		    DMAC_PAPER,
		    "The desc64 engine in cycle mode: chains of equal transfers, descriptors\n"
		    "and data on one 64-bit port, as on Cheshire.");
	ret = curves(p, rig);
	if (!ret)
		claims(p, rig);
	rig_free(rig);
	return ret;
}
