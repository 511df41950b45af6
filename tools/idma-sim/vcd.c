// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the engine does as a waveform (VCD) for GTKWave and its like: a scope for
 * the front-end, the back-end and the memory port. A handshake is high in its
 * cycle; addresses keep their last value.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "idma-test.h"
#include "vcd.h"

enum sig {
	/* front-end */
	S_LAUNCH, S_LAUNCH_ADDR, S_FETCH, S_FETCH_ADDR, S_FETCH_GUESS, S_FLUSH, S_FLUSH_COUNT,
	S_DESC_BEAT, S_DROPPED_BEAT, S_REQUEST, S_REQUEST_DESC, S_REQUEST_SRC, S_REQUEST_DST,
	S_REQUEST_LEN, S_REQUEST_FLAGS, S_MARK, S_MARK_ADDR, S_IRQ,
	/* back-end */
	S_AR, S_AR_ADDR, S_R, S_R_STALL, S_AW, S_AW_ADDR, S_W, S_W_ADDR, S_B,
	S_READ_BURST, S_READ_ADDR, S_READ_LEN, S_WRITE_BURST, S_WRITE_ADDR, S_WRITE_LEN,
	S_COUNT,
};

/* A bit is an event: low again in the next cycle */
static const struct {
	const char *scope, *name;
	int width;
} signals[S_COUNT] = {
	[S_LAUNCH] = { "frontend", "launch", 1 },
	[S_LAUNCH_ADDR] = { "frontend", "launch_addr", 64 },
	[S_FETCH] = { "frontend", "fetch", 1 },
	[S_FETCH_ADDR] = { "frontend", "fetch_addr", 64 },
	[S_FETCH_GUESS] = { "frontend", "fetch_guess", 1 },
	[S_FLUSH] = { "frontend", "flush", 1 },
	[S_FLUSH_COUNT] = { "frontend", "flush_count", 8 },
	[S_DESC_BEAT] = { "frontend", "desc_beat", 1 },
	[S_DROPPED_BEAT] = { "frontend", "dropped_beat", 1 },
	[S_REQUEST] = { "frontend", "request", 1 },
	[S_REQUEST_DESC] = { "frontend", "request_desc", 64 },
	[S_REQUEST_SRC] = { "frontend", "request_src", 64 },
	[S_REQUEST_DST] = { "frontend", "request_dst", 64 },
	[S_REQUEST_LEN] = { "frontend", "request_len", 32 },
	[S_REQUEST_FLAGS] = { "frontend", "request_flags", 32 },
	[S_MARK] = { "frontend", "mark", 1 },
	[S_MARK_ADDR] = { "frontend", "mark_addr", 64 },
	[S_IRQ] = { "frontend", "irq", 1 },
	[S_AR] = { "backend", "ar", 1 },
	[S_AR_ADDR] = { "backend", "ar_addr", 64 },
	[S_R] = { "backend", "r_beat", 1 },
	[S_R_STALL] = { "backend", "r_stall", 1 },
	[S_AW] = { "backend", "aw", 1 },
	[S_AW_ADDR] = { "backend", "aw_addr", 64 },
	[S_W] = { "backend", "w_beat", 1 },
	[S_W_ADDR] = { "backend", "w_addr", 64 },
	[S_B] = { "backend", "b", 1 },
	[S_READ_BURST] = { "memory", "read_burst", 1 },
	[S_READ_ADDR] = { "memory", "read_addr", 64 },
	[S_READ_LEN] = { "memory", "read_len", 16 },
	[S_WRITE_BURST] = { "memory", "write_burst", 1 },
	[S_WRITE_ADDR] = { "memory", "write_addr", 64 },
	[S_WRITE_LEN] = { "memory", "write_len", 16 },
};

struct vcd {
	FILE *f;
	const char *path;
	uint64_t ps;		/* of a cycle */
	uint64_t now;		/* the cycle that events are in */
	bool started;
	uint64_t shown[S_COUNT], next[S_COUNT];
};

/* Printable characters from '!' on */
static char code(int sig)
{
	return (char)('!' + sig);
}

static void put(struct vcd *v, int sig, uint64_t val)
{
	char bits[65];
	int n = 0;

	if (signals[sig].width == 1) {
		fprintf(v->f, "%c%c\n", val ? '1' : '0', code(sig));
		return;
	}
	for (int i = signals[sig].width - 1; i >= 0; i--)
		if (n || i == 0 || val >> i & 1)
			bits[n++] = val >> i & 1 ? '1' : '0';
	bits[n] = '\0';
	fprintf(v->f, "b%s %c\n", bits, code(sig));
}

struct vcd *vcd_open(const char *path, uint64_t clock)
{
	struct vcd *v = xalloc(sizeof(*v));
	const char *scope = "";

	v->path = path;
	v->ps = clock ? 1000000000000ull / clock : 1000;
	if (!v->ps)
		v->ps = 1;
	v->f = fopen(path, "w");
	if (!v->f) {
		it_error("cannot write '%s': %s", path, strerror(errno));
		free(v);
		return NULL;
	}
	fprintf(v->f, "$version idma-sim " IT_VERSION " $end\n$timescale 1ps $end\n"
		"$scope module idma $end\n");
	for (int i = 0; i < S_COUNT; i++) {
		if (strcmp(scope, signals[i].scope)) {
			fprintf(v->f, "%s$scope module %s $end\n", *scope ? "$upscope $end\n" : "",
				signals[i].scope);
			scope = signals[i].scope;
		}
		fprintf(v->f, "$var wire %d %c %s", signals[i].width, code(i), signals[i].name);
		if (signals[i].width > 1)
			fprintf(v->f, " [%d:0]", signals[i].width - 1);
		fputs(" $end\n", v->f);
	}
	fputs("$upscope $end\n$upscope $end\n$enddefinitions $end\n", v->f);
	return v;
}

/* Everything of the cycle at hand is known: show what has changed */
static void show(struct vcd *v)
{
	bool time_shown = false;

	for (int i = 0; i < S_COUNT; i++) {
		if (v->started && v->next[i] == v->shown[i])
			continue;
		if (!time_shown)
			fprintf(v->f, "#%" PRIu64 "\n%s", v->now * v->ps,
				v->started ? "" : "$dumpvars\n");
		time_shown = true;
		put(v, i, v->next[i]);
		v->shown[i] = v->next[i];
	}
	if (!v->started)
		fputs("$end\n", v->f);
	v->started = true;
}

/* What happened in a cycle is over in the next one */
static void go_to(struct vcd *v, uint64_t cycle)
{
	if (cycle == v->now)
		return;
	show(v);
	v->now++;
	for (int i = 0; i < S_COUNT; i++)
		if (signals[i].width == 1)
			v->next[i] = 0;
	if (cycle == v->now)
		return;
	show(v);
	v->now = cycle;
}

static void event(struct vcd *v, int bit)
{
	v->next[bit] = 1;
}

static void event_at(struct vcd *v, int bit, uint64_t addr)
{
	v->next[bit] = 1;
	v->next[bit + 1] = addr;
}

void vcd_event(struct vcd *v, const IdmaTraceEvent *ev)
{
	/* A late word about an earlier cycle has no place any more */
	if (ev->cycle < v->now)
		return;
	go_to(v, ev->cycle);
	switch (ev->type) {
	case IDMA_TRACE_LAUNCH:
		event_at(v, S_LAUNCH, ev->addr);
		break;
	case IDMA_TRACE_FETCH:
		event_at(v, S_FETCH, ev->addr);
		v->next[S_FETCH_GUESS] = ev->arg & 1;
		break;
	case IDMA_TRACE_FLUSH:
		event_at(v, S_FLUSH, ev->arg);
		break;
	case IDMA_TRACE_REQUEST:
		event_at(v, S_REQUEST, ev->addr);
		v->next[S_REQUEST_SRC] = ev->src;
		v->next[S_REQUEST_DST] = ev->dst;
		v->next[S_REQUEST_LEN] = ev->len;
		v->next[S_REQUEST_FLAGS] = ev->arg;
		break;
	case IDMA_TRACE_MARK:
		event_at(v, S_MARK, ev->addr);
		break;
	case IDMA_TRACE_IRQ:
		event(v, S_IRQ);
		break;
	case IDMA_TRACE_BURST_READ:
		event_at(v, S_READ_BURST, ev->addr);
		v->next[S_READ_LEN] = ev->len;
		break;
	case IDMA_TRACE_BURST_WRITE:
		event_at(v, S_WRITE_BURST, ev->addr);
		v->next[S_WRITE_LEN] = ev->len;
		break;
	case IDMA_TRACE_AR:
		event_at(v, S_AR, ev->addr);
		break;
	case IDMA_TRACE_R_BEAT:
		event(v, ev->arg == 1 ? S_R : ev->arg == 0 ? S_DESC_BEAT : S_DROPPED_BEAT);
		break;
	case IDMA_TRACE_R_STALL:
		event(v, S_R_STALL);
		break;
	case IDMA_TRACE_AW:
		if (ev->arg == 1)
			event_at(v, S_AW, ev->addr);
		break;
	case IDMA_TRACE_W_BEAT:
		if (ev->arg == 1)
			event_at(v, S_W, ev->addr);
		break;
	case IDMA_TRACE_B:
		if (ev->arg == 1)
			event(v, S_B);
		break;
	default:
		break;
	}
}

bool vcd_close(struct vcd *v)
{
	bool bad;

	go_to(v, v->now + 1);
	show(v);
	bad = ferror(v->f);
	bad |= fclose(v->f) != 0;
	if (bad)
		it_error("cannot write '%s': %s", v->path, strerror(errno));
	free(v);
	return !bad;
}
