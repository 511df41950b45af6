// SPDX-License-Identifier: GPL-2.0-only
/*
 * published: HyperLink between two KeyStone DSPs, as a port that an iDMA writes to
 * and reads from.
 */
#include <stdio.h>
#include <stdlib.h>

#include "idma-array.h"
#include "pub.h"
#include "rig.h"

#define HYPERLINK	"HyperLink programming and performance considerations " \
			"(Texas Instruments), sections 1 and 3"

#define LANES		4
#define LANE_GBIT	10
#define READ_WORD	853	/* cycles at 1 GHz */
#define WRITE_WORD	322
/*
 * Reads wait for the other side and writes do not (they are posted); that is all
 * that tells them apart.
 */
#define ROUND_TRIP	(READ_WORD - WRITE_WORD)

enum place { LOCAL, LINK };

/* 1 GHz; a port's cycles and gigabytes are one to one */
static void set_port(IdmaPortConfig *pc, enum place place, uint32_t bytes)
{
	idma_port_config_cuts(pc, bytes, 1);
	if (place == LOCAL)
		return;
	pc->ar_way = ROUND_TRIP / 2;
	pc->r_way = ROUND_TRIP - 1 - ROUND_TRIP / 2;
	/* posted: answered on this side */
	pc->w_way = 0;
	pc->b_way = 0;
	/* 8b9b: 4 lanes of 10 Gbit/s are 320/9 Gbit/s, 40/9 bytes a cycle */
	pc->read_num = bytes * 9;
	pc->read_den = LANES * LANE_GBIT * 8 / 8;
	pc->write_num = pc->read_num;
	pc->write_den = pc->read_den;
}

/* Cycles from the back-end's request to its last answer */
static uint64_t copy(enum place from, enum place to, uint32_t bytes, uint64_t len)
{
	static IdmaPort port[2];
	static IdmaBe be;
	IdmaBeConfig cfg = {
		.bytes = bytes, .num_ax_in_flight = 8, .buffer_depth = 3,
		.read_beats = 256, .write_beats = 256, .write_port = 1, .decouple_aw = true,
	};
	IdmaMidReq req = { .src = 0x800000, .dst = 0x40000000, .len = len };
	IdmaPortConfig pc;
	uint64_t t;

	set_port(&pc, from, bytes);
	if (!idma_port_init(&port[0], &pc, NULL, NULL))
		abort();
	set_port(&pc, to, bytes);
	if (!idma_port_init(&port[1], &pc, NULL, NULL) || !idma_be_init(&be, &cfg))
		abort();
	idma_be_put(&be, &req);
	for (t = 0; t < 10000000 && !idma_be_done(&be, NULL); t++)
		idma_array_step(&be, 1, port, 2, t);
	return t;
}

/* Bytes a cycle, which are GB/s */
static double rate(enum place from, enum place to, uint32_t bytes, uint64_t len)
{
	return (double)len / (double)copy(from, to, bytes, len);
}

/* Launch and mark of a desc64 engine, without the copy itself */
static uint64_t front_end(void)
{
	struct rig_setup su = { .chains = 1 };
	struct rig *rig = rig_new();
	struct rig_result res;

	idma_engine_config_default(&su.cfg);
	su.cfg.timing = IDMA_TIMING_CYCLE;
	su.cfg.read_latency = 1;
	su.cfg.write_latency = 1;
	rig_desc_alloc(&su, 1);
	su.desc[0].len = 4;
	su.desc[0].flags = IDMA_FLAGS_PLAIN;
	rig_place_data(&su);
	rig_place_desc(&su, "contig", 0);
	rig_run(rig, &su, &res, NULL);
	free(su.desc);
	rig_free(rig);
	return res.first_req + res.total - res.last_b;
}

int pub_hyperlink(struct pub *p)
{
	const uint64_t block = 64 * 1024, large = 4 * 1024 * 1024;
	double fe = (double)front_end();
	double write = fe + (double)copy(LOCAL, LINK, 8, 4);
	double read = fe + (double)copy(LINK, LOCAL, 8, 4);
	double rate_w = rate(LOCAL, LINK, 8, large), rate_r = rate(LINK, LOCAL, 8, large);
	double faster = rate(LOCAL, LINK, 8, block) / rate(LINK, LOCAL, 8, block), ratio[2];
	json_t *table;

	pub_section(p, "hyperlink", "HyperLink: bandwidth and overhead of a remote word", HYPERLINK,
		    "An iDMA at 1 GHz, eight bursts in flight, whose far port is the link: four\n"
		    "lanes of 10 Gbit/s with 8b9b coding, posted writes, reads that wait for\n"
		    "the other side.");
	pub_figure(p, "link-rate", "bandwidth of the link", "GB/s", 4.44, rate_w, PUB_INPUT,
		   "4 MiB written; the line rate (4 * 10 * 8/9 Gbit/s) is the published figure\n"
		   "itself, so this shows only that the engine fills the link. Reading: %.3f\n"
		   "GB/s", rate_r);
	pub_figure(p, "link-write", "DMA of one word to the other side", "cycles", WRITE_WORD,
		   write, PUB_PREDICTED,
		   "the desc64 engine from the store to the mark, descriptor fetch and mark in\n"
		   "local memory (%.0f cycles) included. The published figure is an EDMA's,\n"
		   "from the trigger to the core's seeing IPR: its channel and transfer\n"
		   "controllers and the polling are not in the model", fe);
	pub_figure(p, "link-read", "DMA of one word from the other side", "cycles", READ_WORD, read,
		   PUB_PREDICTED,
		   "short by about the same %.0f cycles as the write, for the same reason",
		   READ_WORD - read);
	pub_figure(p, "link-trip", "read minus write", "cycles", ROUND_TRIP, read - write,
		   PUB_INPUT,
		   "the round trip of the model is this difference. Reading from the link\n"
		   "instead of locally takes %d cycles more, being answered by the local memory\n"
		   "instead of at once %d",
		   ROUND_TRIP - 3, 2);
	for (int i = 0; i < 2; i++)
		ratio[i] = rate(LOCAL, LOCAL, 8u << i, block) /
			   rate(LOCAL, LINK, 8u << i, block);
	pub_words(p, "link-local", "local write over remote write, 64 KiB", "x", "about 3",
		  ratio[0], PUB_PREDICTED,
		  "with a local bus of 64 bits; %.2f with one of 128 bits. How wide the path of\n"
		  "the EDMA is that was measured the source does not say", ratio[1]);
	table = pub_table(p, "link", "Blocks of 64 KiB (published: writing is faster than\n"
			  "reading, local faster than remote)",
			  "local bus, bits|local GB/s|to the link GB/s|from the link GB/s");
	for (uint32_t w = 8; w <= 32; w *= 2)
		pub_row(table, 8 * w, rate(LOCAL, LOCAL, w, block),
			rate(LOCAL, LINK, w, block), rate(LINK, LOCAL, w, block));
	pub_figure(p, "link-faster", "64 KiB: write faster than read by", "x", 1, faster,
		   PUB_BOUND, "the published relation is only that it is more than 1; in the\n"
		   "model a read pays the round trip once per block and, with eight bursts in\n"
		   "flight, never again");
	pub_note(p, "The published 710 cycles of an interrupt are two cores' and are not\n"
		    "modelled here.");
	return IT_OK;
}
