// SPDX-License-Identifier: GPL-2.0-only
/*
 * published: the bursting AXI reader of the SUS library on a VCK5000, alone and in
 * numbers.
 *
 * What is modelled: the reader's rule ("issue a burst while inflight <=
 * MAX_IN_FLIGHT - B"), the latency to the first element, and a port of limited
 * bandwidth that several readers may share. A reader has room for all that it has
 * asked for, so it takes data as it comes and uses one element a cycle of its own.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "idma-array.h"
#include "pub.h"

#define SUS	"AXI Slaves and Masters for XRT (SUS library): Lessons Learned - VCK5000"

#define READERS		24
#define PORTS		4
#define CLOCK_MHZ	355.2
/*
 * One interface to the NoC, GB/s: the 512-bit reader at 320 MHz, which asks for 20.5.
 * At 355.2 MHz it gets the same, so this is the interface's bandwidth, not the reader's.
 */
#define INTERFACE	13.5623
#define PEAK		57.0	/* GB/s, the most that was ever measured */

static const struct {
	unsigned int bits;
	double rate, useful;		/* GB/s, % */
	unsigned int in_flight;		/* elements that are enough */
} published[] = {
	{ 32, 1.41, 100, 320 },
	{ 64, 2.82, 100, 320 },
	{ 128, 5.56, 98, 320 },
	{ 256, 10.50, 93, 192 },
	{ 512, 13.55, 60, 110 },
};

/* n readers at once, GB/s; 512 bits at 320 MHz, 256 bits at 348 MHz; NAN: not measured */
static const double many[READERS][2] = {
	{ 13.5623, 10.4925 }, { 25.1748, 20.9844 }, { 22.0688, 27.6769 },
	{ 29.2881, 33.6021 }, { 25.6728, 31.8993 }, { 17.7485, 37.9892 },
	{ 27.5624, 44.2615 }, { 31.4736, 48.7837 }, { 35.4239, 44.8638 },
	{ 39.2506, 49.1469 }, { 42.9778, 29.0227 }, { 46.4071, 46.3362 },
	{ 47.063, 48.4111 }, { 50.8537, 50.2339 }, { 54.0014, 53.9341 },
	{ 47.826, 53.3576 }, { 44.5466, 56.3916 }, { 46.6465, 57.1011 },
	{ 47.7573, 54.6633 }, { 49.944, 56.767 }, { 52.1049, NAN },
	{ 51.6131, NAN }, { 52.3697, NAN }, { 47.9105, NAN },
};

/* Time is counted in halves of the readers' cycles: the port may be faster than they */
#define TICKS	2

struct reader {
	uint32_t burst, max;	/* elements */
	uint32_t in_flight;	/* asked for and not used */
	uint32_t here;		/* of these: arrived */
	uint64_t used;
};

/* B = min(256, 4096 / bytes per beat) */
static uint32_t burst_of(unsigned int bits)
{
	uint32_t beats = 4096 / (bits / 8);

	return beats < 256 ? beats : 256;
}

/* The published start-up: 70 cycles with 32 bits, 50 with 64; wider: not measured */
static uint32_t start_of(unsigned int bits)
{
	return bits == 32 ? 70 : 50;
}

struct run {
	unsigned int bits;
	double mhz;
	uint32_t max;		/* MAX_IN_FLIGHT */
	unsigned int readers, ports;
	bool packed;		/* fill one port after the other, or go round */
	uint64_t cycles;
};

/* Elements used in the second half of the time, when all is in swing */
static uint64_t simulate(const struct run *r)
{
	static IdmaPort port[READERS];
	struct reader rd[READERS] = { { 0 } };
	unsigned int per_port = (r->readers + r->ports - 1) / r->ports, on[READERS];
	const uint32_t trip = TICKS * start_of(r->bits);
	uint64_t half = 0, sum = 0;
	IdmaPortConfig pc = {
		.bytes = r->bits / 8, .masters = READERS,
		/* way there, one cycle of the memory, way back */
		.ar_way = trip / 2 - 1, .r_way = trip - trip / 2,
		.read_num = 1, .read_den = 1, .write_num = 1, .write_den = 1,
	};
	double ticks = TICKS * r->mhz * 1e6 * (r->bits / 8) / (INTERFACE * 1e9);

	if (r->packed)
		per_port = READERS / r->ports;
	if (ticks > 1) {
		pc.read_num = (uint32_t)(ticks * 100000 + 0.5);
		pc.read_den = 100000;
	}
	for (unsigned int i = 0; i < r->ports; i++)
		if (!idma_port_init(&port[i], &pc, NULL, NULL))
			abort();
	for (unsigned int i = 0; i < r->readers; i++) {
		rd[i].burst = burst_of(r->bits);
		rd[i].max = r->max;
		on[i] = r->packed ? i / per_port : i % r->ports;
	}
	for (uint64_t t = 0; t < TICKS * r->cycles; t++) {
		for (unsigned int k = 0; k < r->ports; k++) {
			IdmaPortBurst burst = { 0 };
			const IdmaPortBeat *beat;
			uint32_t mask = 0;
			int win;

			idma_port_offer(&port[k], t);
			for (unsigned int i = 0; i < r->readers && !(t % TICKS); i++)
				if (on[i] == k && rd[i].in_flight + rd[i].burst <= rd[i].max)
					mask |= 1u << i;
			win = idma_port_grant_ar(&port[k], mask);
			if (win >= 0) {
				burst.len = rd[win].burst * pc.bytes;
				burst.beats = rd[win].burst;
				burst.master = win;
				idma_port_push_ar(&port[k], t, &burst);
				rd[win].in_flight += rd[win].burst;
			}
			beat = idma_port_r(&port[k], t);
			if (beat) {
				rd[beat->master].here++;
				idma_port_pop_r(&port[k], t, true);
			}
		}
		if (t % TICKS)
			continue;
		for (unsigned int i = 0; i < r->readers; i++)
			if (rd[i].here) {
				rd[i].here--;
				rd[i].in_flight--;
				rd[i].used++;
				sum++;
			}
		if (t == r->cycles / 2 * TICKS)
			half = sum;
	}
	return sum - half;
}

/* GB/s of all together, and the share of cycles in which the first one had an element */
static double rate_of(const struct run *r, double *useful)
{
	double span = (double)(r->cycles - r->cycles / 2 - 1);
	double per_cycle = (double)simulate(r) / span;

	if (useful)
		*useful = 100 * per_cycle / r->readers;
	return per_cycle * (r->bits / 8) * r->mhz / 1000;
}

/* The smallest MAX_IN_FLIGHT with which there is no element less than with plenty */
static uint32_t enough(unsigned int bits)
{
	struct run r = { .bits = bits, .mhz = CLOCK_MHZ, .max = 4 * burst_of(bits),
			 .readers = 1, .ports = 1, .cycles = 6000 };
	double best = rate_of(&r, NULL);

	for (r.max = burst_of(bits); r.max < 4 * burst_of(bits); r.max++)
		if (rate_of(&r, NULL) >= 0.999 * best)
			break;
	return r.max;
}

static void alone(struct pub *p)
{
	const char *title = "One reader at 355.2 MHz";
	json_t *plot = pub_plot(p, "readers-width", title, "bits", "GB/s", true);
	json_t *table = pub_table(p, "readers-width", title,
				  "bits|B, elements|GB/s published|GB/s model|% published|% model|\n"
				  "in flight published|in flight model");
	double off = 0;

	for (size_t i = 0; i < ARRAY_SIZE(published); i++) {
		struct run r = { .bits = published[i].bits, .mhz = CLOCK_MHZ,
				 .max = 4 * burst_of(published[i].bits), .readers = 1, .ports = 1,
				 .cycles = 40000 };
		uint32_t need = enough(r.bits);
		double useful, rate = rate_of(&r, &useful);
		char id[32], what[64];

		snprintf(id, sizeof(id), "reader-%u", r.bits);
		snprintf(what, sizeof(what), "one reader, %u bits", r.bits);
		if (r.bits == 512)
			pub_figure(p, id, what, "GB/s", published[i].rate, rate, PUB_INPUT,
				   "the interface's %.2f GB/s were measured with this reader,\n"
				   "at 320 MHz; %.1f %% of its cycles are useful, published\n"
				   "%.0f %%", INTERFACE, useful,
				   published[i].useful);
		else
			pub_figure(p, id, what, "GB/s", published[i].rate, rate, PUB_PREDICTED,
				   "%.1f %% useful cycles, published %.0f %%; the interface\n"
				   "would carry %.2f GB/s, so the model has nothing that costs\n"
				   "a cycle. %s", useful,
				   published[i].useful, INTERFACE,
				   published[i].useful < 100 ?
				   "What the missing ones wait for the source does not say; the\n"
				   "256-bit reader gets the same 10.49 GB/s at 348 MHz, so it\n"
				   "is time, not cycles, and lies in the NoC or the memory" :
				   "Published figures have three digits");
		snprintf(id, sizeof(id), "in-flight-%u", r.bits);
		snprintf(what, sizeof(what), "elements in flight for full rate, %u bits", r.bits);
		pub_figure(p, id, what, "elements", published[i].in_flight, need, PUB_PREDICTED,
			   "B = %u and a start-up of %u cycles%s; the rule stops issuing until\n"
			   "MAX - B are left, so MAX has to be B and what arrives in one\n"
			   "start-up. The published values are those that were tried (64 over\n"
			   "B, but for 512 bits)",
			   burst_of(r.bits), start_of(r.bits),
			   r.bits > 64 ? " (taken from 64 bits: not measured)" : "");
		pub_row(table, r.bits, burst_of(r.bits), published[i].rate, rate,
			published[i].useful, useful, published[i].in_flight, need);
		pub_point(plot, "model", r.bits, rate);
		pub_point(plot, "published", r.bits, published[i].rate);
		off = fmax(off, fabs(useful - published[i].useful));
	}
	pub_words(p, "start-up", "start-up, 32 and 64 bits", "cycles", "70 and 50", start_of(64),
		  PUB_INPUT, "the latency of the model's memory, in cycles of the reader");
	pub_note(p, "The largest difference in useful cycles is %.1f points.", off);
}

/*
 * Several readers: how they share interfaces and vertical NoCs the source does not
 * say, so the two extremes are run, with as many shared ports as the peak needs.
 */
static void together(struct pub *p)
{
	static const struct {
		unsigned int bits;
		double mhz;
	} set[2] = { { 512, 320 }, { 256, 348 } };

	for (size_t s = 0; s < 2; s++) {
		struct run r = { .bits = set[s].bits, .mhz = set[s].mhz, .ports = PORTS,
				 .max = burst_of(set[s].bits) + 64, .cycles = 12000 };
		unsigned int inside = 0, all = 0, below = 0;
		char id[64], title[128];
		json_t *table, *plot;

		snprintf(id, sizeof(id), "readers-%u", r.bits);
		snprintf(title, sizeof(title), "n readers of %u bits at %.0f MHz on %d shared\n"
					       "ports",
			 r.bits, r.mhz, PORTS);
		plot = pub_plot(p, id, title, "readers", "GB/s, all together", false);
		table = pub_table(p, id, title, "readers|published|model, one port after another|\n"
				  "model, round the ports");
		for (unsigned int n = 1; n <= READERS; n++) {
			double low, high, was = many[n - 1][s];

			r.readers = n;
			r.packed = true;
			low = rate_of(&r, NULL);
			r.packed = false;
			high = rate_of(&r, NULL);
			pub_row(table, n, was, low, high);
			pub_point(plot, "model, one port after another", n, low);
			pub_point(plot, "model, round the ports", n, high);
			if (isnan(was))
				continue;
			pub_point(plot, "published", n, was);
			all++;
			/* within 1 %, which is what single figures repeat to */
			inside += was >= 0.99 * low && was <= 1.01 * high;
			below += was < 0.99 * low;
		}
		snprintf(id, sizeof(id), "many-%u", r.bits);
		snprintf(title, sizeof(title), "figures within the two extremes, %u bits", r.bits);
		pub_figure(p, id, title, "of those published", all, inside, PUB_BOUND,
			   "each of %d ports carries %.2f GB/s and is shared burst by burst,\n"
			   "without loss. Lower than the worst sharing: %u. The source finds\n"
			   "that interfaces on the same vertical NoC can lose more than they\n"
			   "share, for which it gives no mechanism, and the model has none.\n"
			   "Higher than the best: %u, of at most 57.1 GB/s, more than %d\n"
			   "interfaces of the bandwidth that one was measured to have", PORTS,
			   INTERFACE, below, all - inside - below, PORTS);
	}
}

int pub_readers(struct pub *p)
{
	pub_section(p, "readers", "AXI readers on a VCK5000", SUS,
		    "Readers that ask for bursts of B = min(256, 4096 / bytes) elements while\n"
		    "no more than MAX_IN_FLIGHT - B are under way, on memory that answers after\n"
		    "the published start-up and through interfaces of 13.56 GB/s. Several\n"
		    "readers share ports, round robin by burst, answers in order.");
	alone(p);
	together(p);
	pub_note(p, "%d shared ports: %.0f GB/s, the most that was measured, are %.1f\n"
		 "interfaces' worth. That is an inference, not a published\n"
		 "number.", PORTS, PEAK, PEAK / INTERFACE);
	return IT_OK;
}
