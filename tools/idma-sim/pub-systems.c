// SPDX-License-Identifier: GPL-2.0-only
/*
 * published: systems of the iDMA paper that have mid-ends: PULP-open (tensor_ND),
 * MemPool (mp_split, mp_dist), ControlPULP (rt_3D).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "idma-array.h"
#include "pub.h"

#define PAPER	"A High-performance, Energy-efficient Modular DMA Engine Architecture"

/* No simulation here is longer */
#define GIVE_UP	10000000u

static void must(const char *bad)
{
	/* configurations here are ours, not the user's */
	if (bad) {
		it_error("internal error: a model cannot be built: %s", bad);
		abort();
	}
}

/*
 * PULP-open
 */

/* Cycles of a transfer from the tensor mid-end's input to the back-end's last answer */
static uint64_t pulp_copy(uint32_t bytes, uint32_t l2_latency)
{
	static IdmaPort port[2];
	static IdmaBe be;
	IdmaPortConfig tcdm, l2;
	IdmaBeConfig cfg = {
		.bytes = 8, .num_ax_in_flight = 8, .buffer_depth = 3,
		/* OBI has no bursts; two protocols have no coupling of R and AW */
		.read_beats = 1, .write_beats = 256,
		.decouple_aw = true, .decouple_rw = true,
		.write_port = 1,
	};
	/* a plain transfer through a mid-end for three dimensions */
	IdmaNdReq req = {
		.one = { .src = 0x10000000, .dst = 0x1c000000, .len = bytes },
		.dim = { { .reps = 1 } },
	};
	IdmaTensor tensor;
	IdmaMidReq piece;
	uint64_t t;

	idma_port_config_cuts(&tcdm, 8, 0);
	idma_port_config_cuts(&l2, 8, l2_latency);
	must(idma_port_config_check(&l2));
	idma_port_init(&port[0], &tcdm, NULL, NULL);
	idma_port_init(&port[1], &l2, NULL, NULL);
	must(idma_be_config_check(&cfg));
	idma_be_init(&be, &cfg);
	idma_tensor_init(&tensor, 3);
	idma_tensor_put(&tensor, &req);
	for (t = 0; t < GIVE_UP && !idma_tensor_done(&tensor, NULL); t++) {
		if (idma_tensor_peek(&tensor, &piece) && idma_be_put(&be, &piece))
			idma_tensor_pop(&tensor);
		idma_array_step(&be, 1, port, 2, t);
		while (idma_be_done(&be, NULL))
			idma_tensor_answer(&tensor, IDMA_MID_OK);
	}
	return t;
}

int pub_pulp_open(struct pub *p)
{
	static const uint32_t l2[] = { 0, 1, 2, 4, 8, 13 };
	const double published = 1107, beats = 8192 / 8;
	double model = pulp_copy(8192, 1);
	json_t *table;

	pub_section(p, "pulp-open", "PULP-open: 8 KiB from TCDM to L2", PAPER ", PULP-open",
		    "A 64-bit back-end that reads single beats (OBI, one cycle of latency) and\n"
		    "writes AXI bursts, behind a tensor_ND for three dimensions.");
	pub_figure(p, "pulp-8k", "8 KiB, TCDM to L2", "cycles", published, model, PUB_PREDICTED,
		   "the model's cycles run from the mid-end's input to the last write answer,\n"
		   "with an L2 of latency 1. The other %.0f are what the paper calls\n"
		   "configuration, system latency and contention, and does not split: a core's\n"
		   "five register accesses that describe and launch a 1-D transfer (conf,\n"
		   "destination, source, length, next_id), polling done_id, reading the timer,\n"
		   "and other traffic are not in the model",
		   published - model);
	pub_figure(p, "pulp-data", "of these carry data", "cycles", 1024, beats, PUB_INPUT,
		   "8192 bytes over 8 bytes a cycle");
	pub_figure(p, "pulp-use", "utilisation of the 64-bit bus", "%", 100 * beats / published,
		   100 * beats / model, PUB_PREDICTED, "the same cycles as a share");
	table = pub_table(p, "pulp-l2", "Cycles for 8 KiB over the latency of L2 (not published)",
			  "latency L|write answer after, cycles|cycles|left of the published 1107");
	for (size_t i = 0; i < ARRAY_SIZE(l2); i++) {
		double cycles = pulp_copy(8192, l2[i]);

		pub_row(table, l2[i], 2 * l2[i] + 1, cycles, published - cycles);
	}
	return IT_OK;
}

/*
 * MemPool
 */

#define L1_START	0x10000000ull
#define L1_BYTES	0x100000ull
#define MEMPOOL_BANKS	1024	/* published; of 4 bytes, interleaved: a row is 4 KiB */
#define MEMPOOL_COPY	(512 * 1024)
#define MEMPOOL_BE	16
#define MEMPOOL_PORTS	(1 + MEMPOOL_BE)
#define MEMPOOL_WIDTH	64	/* bytes: cores with 4-byte accesses use 1/16 */

static const IdmaMidRegion mempool_l1 = { L1_START, L1_START + L1_BYTES };
static const IdmaMidReq mempool_req = {
	.src = 0x80000000, .dst = L1_START, .len = MEMPOOL_COPY,
};

static IdmaPort mempool_port[MEMPOOL_PORTS];
static IdmaBe mempool_be[MEMPOOL_BE];

struct mempool {
	uint64_t cycles;
	double use;		/* of the shared port */
};

static struct mempool mempool_copy(uint32_t n_be, uint32_t latency, uint32_t in_flight)
{
	IdmaPort *port = mempool_port;
	IdmaBe *be = mempool_be;
	uint64_t t, boundary = MEMPOOL_BANKS * 4 / n_be;
	IdmaPortConfig pc;
	IdmaMulti multi;

	/* L2, for all; each back-end has its banks of L1 to itself */
	idma_port_config_cuts(&pc, MEMPOOL_WIDTH, latency);
	pc.masters = n_be;
	idma_port_init(&port[0], &pc, NULL, NULL);
	for (uint32_t i = 0; i < n_be; i++) {
		IdmaBeConfig bc = {
			.bytes = MEMPOOL_WIDTH, .num_ax_in_flight = in_flight, .buffer_depth = 3,
			.read_beats = 256, .write_beats = 256, .decouple_aw = true,
			.read_port = 0, .read_master = i,
			.write_port = 1 + i, .write_master = 0,
		};

		idma_port_config_cuts(&pc, MEMPOOL_WIDTH, 0);
		idma_port_init(&port[1 + i], &pc, NULL, NULL);
		must(idma_be_config_check(&bc));
		idma_be_init(&be[i], &bc);
	}
	must(idma_multi_init(&multi, boundary, &mempool_l1, be, n_be, port, 1 + n_be));
	idma_multi_put(&multi, &mempool_req);
	for (t = 0; t < GIVE_UP && !idma_multi_done(&multi, NULL); t++)
		idma_multi_step(&multi, t);
	return (struct mempool){
		.cycles = t,
		.use = (double)MEMPOOL_COPY / MEMPOOL_WIDTH / (double)t,
	};
}

/*
 * Without a DMA: all cores load words, and a word takes a beat of the wide port
 * whatever its width.
 */
static uint64_t mempool_cores(uint32_t latency)
{
	static IdmaPort port;
	const uint64_t words = MEMPOOL_COPY / 4;
	IdmaPortBurst word = { .len = 4, .beats = 1 };
	uint64_t t, asked = 0, got = 0;
	IdmaPortConfig pc;

	idma_port_config_cuts(&pc, MEMPOOL_WIDTH, latency);
	idma_port_init(&port, &pc, NULL, NULL);
	for (t = 0; t < GIVE_UP && got < words; t++) {
		idma_port_offer(&port, t);
		if (asked < words && idma_port_grant_ar(&port, 1) == 0) {
			word.addr = 4 * asked++;
			idma_port_push_ar(&port, t, &word);
		}
		if (idma_port_r(&port, t)) {
			idma_port_pop_r(&port, t, true);
			got++;
		}
	}
	return t;
}

int pub_mempool(struct pub *p)
{
	static const uint32_t latencies[] = { 1, 13, 40, 100 };
	struct mempool m = mempool_copy(4, 13, 8);
	double cores = mempool_cores(13);
	json_t *table, *plot;
	char name[64];

	pub_section(p, "mempool", "MemPool: 512 KiB from L2 to L1", PAPER ", MemPool",
		    "One transfer, cut by mp_split and spread by a binary tree of mp_dist over\n"
		    "back-ends of 512 bits. They share the port to L2, round robin by burst,\n"
		    "with answers in order; each writes banks of its own. A row of the\n"
		    "interleaved L1 (1024 banks of 4 bytes) is divided evenly, so transfers are\n"
		    "cut every 4096/n bytes.");
	pub_figure(p, "mempool-use", "utilisation of the interconnect, 4 back-ends", "%", 99,
		   100 * m.use, PUB_PREDICTED,
		   "latency 13 to L2, 8 bursts in flight each (neither is published). The\n"
		   "missing %.0f cycles are one latency and the start; programming the\n"
		   "front-end and the end of it are not in the\n"
		   "model", (double)m.cycles - MEMPOOL_COPY / MEMPOOL_WIDTH);
	pub_figure(p, "mempool-speedup", "speed-up over the cores", "x", 15.8,
		   cores / (double)m.cycles, PUB_PREDICTED,
		   "cores load words of 4 bytes, each of which takes a beat of the 64-byte\n"
		   "port: %.0f cycles, the published sixteenth of the bandwidth, against %llu\n"
		   "with the engine. 99 %% of 16 is 15.8: the two published figures are one", cores,
		   (unsigned long long)m.cycles);
	pub_figure(p, "mempool-cores", "share of the port that cores reach", "%", 100 / 16.0,
		   100 * MEMPOOL_COPY / MEMPOOL_WIDTH / cores, PUB_INPUT,
		   "the width of the port follows from this figure");
	table = pub_table(p, "mempool", "Back-ends, latency of L2 and bursts in flight",
			  "back-ends|cut at, bytes|latency L|in flight|cycles|utilisation,\n"
			  "%|speed-up");
	plot = pub_plot(p, "mempool", "MemPool: 512 KiB, 8 bursts in flight per back-end",
			"back-ends", "utilisation of the shared port, %", true);
	pub_point(plot, "published", 4, 99);
	for (size_t l = 0; l < ARRAY_SIZE(latencies); l++) {
		cores = mempool_cores(latencies[l]);
		snprintf(name, sizeof(name), "latency %u", latencies[l]);
		for (uint32_t n = 1; n <= MEMPOOL_BE; n *= 2) {
			for (uint32_t ax = 2; ax <= 8; ax *= 4) {
				m = mempool_copy(n, latencies[l], ax);
				pub_row(table, n, 4096.0 / n, latencies[l], ax, (double)m.cycles,
					100 * m.use, cores / (double)m.cycles);
			}
			pub_point(plot, name, n, 100 * m.use);
		}
	}
	pub_note(p, "With too few bursts in flight the round trip is the limit. n back-ends\n"
		 "have bursts of 4096/n bytes, so the bytes in flight stay the same: more of\n"
		 "them buy no bandwidth but save, as the paper says, an interconnect across all\n"
		 "of L1.");
	return IT_OK;
}

/*
 * ControlPULP
 */

#define SWITCH_CYCLES	120	/* published: a task switch of FreeRTOS */
#define PROGRAM_CYCLES	100	/* published: programming the engine */

struct control {
	uint64_t launches;	/* in one long period */
	uint64_t latest;	/* cycles behind its time that one was taken */
	uint64_t bypassed;
};

/*
 * One period of 500 us with a sensor transfer each 50 us, and with transfers of
 * others through the bypass, one after the other if busy.
 */
static struct control control_period(uint32_t mhz, bool busy)
{
	static IdmaPort port[2];
	static IdmaBe be;
	const uint64_t period = 50ull * mhz, end = 10 * period;
	IdmaBeConfig bc = {
		.bytes = 4, .num_ax_in_flight = 16, .buffer_depth = 3,
		.read_beats = 256, .write_beats = 256, .write_port = 1,
	};
	/* 4 x 4 words out of a grid, and a block of 1 KiB */
	IdmaRtEvent event = {
		.enable = true, .count = period - 2,
		.req = { .one = { .src = 0x1000, .dst = 0x2000, .len = 4 },
			 .dim = { { 16, 4, 4 }, { 256 - 3 * 16, 4, 4 } } },
	};
	IdmaNdReq other = { .one = { .src = 0x10000, .dst = 0x20000, .len = 1024 },
			    .dim = { { 0, 0, 1 } } };
	struct control c = { 0 };
	IdmaTensor tensor;
	IdmaPortConfig pc;
	IdmaMidReq piece;
	IdmaNdReq req;
	uint32_t from;
	IdmaRt rt;

	idma_port_config_cuts(&pc, 4, 1);
	idma_port_init(&port[0], &pc, NULL, NULL);
	idma_port_init(&port[1], &pc, NULL, NULL);
	idma_be_init(&be, &bc);
	idma_tensor_init(&tensor, 3);
	/* eight events, sixteen outstanding, as published; one is used */
	idma_rt_init(&rt, 8, 16, 0);
	idma_rt_set(&rt, 0, &event);
	for (uint64_t t = 0; t < end; t++) {
		idma_rt_run(&rt, t);
		if (busy)
			idma_rt_put(&rt, &other);
		if (idma_rt_peek(&rt, &req, &from) && idma_tensor_put(&tensor, &req)) {
			if (from == IDMA_RT_BYPASS) {
				c.bypassed++;
			} else {
				/* the first is due in cycle 1 */
				uint64_t due = 1 + c.launches * period;

				if (t > due && t - due > c.latest)
					c.latest = t - due;
				c.launches++;
			}
			idma_rt_pop(&rt);
		}
		if (idma_tensor_peek(&tensor, &piece) && idma_be_put(&be, &piece))
			idma_tensor_pop(&tensor);
		idma_array_step(&be, 1, port, 2, t);
		while (idma_be_done(&be, NULL))
			idma_tensor_answer(&tensor, IDMA_MID_OK);
		while (idma_tensor_done(&tensor, NULL))
			idma_rt_answer(&rt);
	}
	return c;
}

int pub_controlpulp(struct pub *p)
{
	struct control idle = control_period(200, false), busy = control_period(200, true);
	json_t *table;

	pub_section(p, "controlpulp", "ControlPULP: what rt_3D saves in a period of 500 us",
		    PAPER ", ControlPULP",
		    "rt_3D with eight events and sixteen transfers outstanding, of which one\n"
		    "reads sensors each 50 us; a tensor_ND and a 32-bit back-end behind it.");
	pub_figure(p, "control-launches", "launches without software in 500 us", "", 10,
		   (double)idle.launches, PUB_PREDICTED,
		   "one each 50 us, counted in the run; the published ten preemptions");
	pub_figure(p, "control-saved", "execution cycles saved", "cycles", 2200,
		   (double)(idle.launches * (SWITCH_CYCLES + PROGRAM_CYCLES)), PUB_PREDICTED,
		   "each launch saves a task switch (%d cycles) and programming the engine\n"
		   "(%d), both as published: they were measured on the FPGA and are not the\n"
		   "model's. Setting the event up once is not\n"
		   "counted", SWITCH_CYCLES, PROGRAM_CYCLES);
	table = pub_table(p, "control", "Timeliness, 200 MHz (the clock is not published and\n"
			  "does not change the number of launches)",
			  "bypass busy|launches|transfers of others|latest start behind its\n"
			  "time, cycles");
	pub_row(table, 0, (double)idle.launches, (double)idle.bypassed, (double)idle.latest);
	pub_row(table, 1, (double)busy.launches, (double)busy.bypassed, (double)busy.latest);
	pub_note(p, "While a launch waits for its turn its counter stands, as in the RTL, so\n"
		 "delays by other transfers add up over the period.");
	return IT_OK;
}
