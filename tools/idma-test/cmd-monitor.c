// SPDX-License-Identifier: GPL-2.0-only
/*
 * monitor: events of the iDMAs as they happen.
 *
 * What is lost because events come faster than they can be read is told, and then
 * how things stand: the driver counts whatever happens.
 */
#include <errno.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include "engines.h"
#include "nl.h"
#include "opts.h"
#include "out.h"

static struct opt_strings events, engines;
static struct opt_number count, limit, buffer = { .val = 4 << 20 };
static bool timestamps, waits;

static const char * const names[] = {
	"transfer-error", "dev-dead", "dev-recovered", "bench-finished", "link-added",
	"link-removed", "link-up", "link-down", "window-revoked",
};

#define EVENTS_DEV	"transfer-error, dev-dead, dev-recovered, bench-finished"
#define EVENTS_LINK	"link-added, link-removed, link-up, link-down, window-revoked"
#define HELP_INDENT	"\n                                "

/* Of an event: when, which, whose, and the rest */
enum { COL_TIME, COL_EVENT, COL_ENGINE, COL_CHANNEL, COL_REST };

static const struct out_column cols[] = {
	[COL_TIME]	= { "time", NULL, OUT_STR, NULL },
	[COL_EVENT]	= { "event", NULL, OUT_STR, NULL },
	[COL_ENGINE]	= { "dev_name", NULL, OUT_STR, "engine" },
	[COL_CHANNEL]	= { "chan_name", NULL, OUT_STR, "channel" },
	[COL_REST]	= { "fault", NULL, OUT_STR, NULL },
	{ "cookie", NULL, OUT_INT, NULL },
	{ "len", NULL, OUT_INT, NULL },
	{ "residue", NULL, OUT_INT, NULL },
	{ "in_flight", NULL, OUT_INT, NULL },
	{ "reset_method", NULL, OUT_STR, NULL },
	{ "id", NULL, OUT_INT, NULL },
	{ "name", NULL, OUT_STR, "link" },
	{ "link", NULL, OUT_STR, NULL },
	{ "remote", NULL, OUT_INT, NULL },
	{ "state", NULL, OUT_STR, NULL },
	{ "configs_done", NULL, OUT_INT, NULL },
	{ "message", NULL, OUT_STR, NULL },
	{ "errors", NULL, OUT_INT, NULL },
	{ "told", NULL, OUT_INT, NULL },
	{ "stalls", NULL, OUT_INT, NULL },
	{ "recoveries", NULL, OUT_INT, NULL },
	{ "lost", NULL, OUT_INT, NULL },
};

struct watcher {
	struct nlc events, ask;
	struct nl_sock *families;
	json_t *kept;		/* for --save */
	json_t *first;		/* engines as they were when this began to listen */
	json_t *told;		/* transfer-error events since then, by engine */
	uint64_t seen;
	bool lost;		/* and how things stand is still to be told */
	bool gone, there;	/* the driver went, and then came: to be dealt with */
};

/* Wall clock of a moment of CLOCK_MONOTONIC */
static void wall_time(uint64_t ns, char *buf, size_t size)
{
	struct timespec real;
	struct tm tm;
	uint64_t t;
	size_t n;

	clock_gettime(CLOCK_REALTIME, &real);
	t = (uint64_t)real.tv_sec * 1000000000u + (uint64_t)real.tv_nsec - (now_ns() - ns);
	real.tv_sec = (time_t)(t / 1000000000);
	localtime_r(&real.tv_sec, &tm);
	n = strftime(buf, size, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(buf + n, size - n, ".%06u", (unsigned int)(t % 1000000000 / 1000));
	n = strlen(buf);
	strftime(buf + n, size - n, "%z", &tm);
}

static bool listed(const struct opt_strings *list, const char *name)
{
	if (!list->n)
		return true;
	for (size_t i = 0; i < list->n; i++)
		if (!strcmp(list->v[i], name))
			return true;
	return false;
}

/* --- showing them ------------------------------------------------------------- */

/* For people, with -t: "12:00:01.123456 dev-dead 50000000.dma-controller in_flight=4" */
static void show_colored(const json_t *obj)
{
	static const struct {
		const char *event, *color;
	} colors[] = {
		{ "transfer-error", "\033[33m" }, { "dev-dead", "\033[31m" },
		{ "dev-recovered", "\033[32m" }, { "lost", "\033[31m" },
		{ "driver-gone", "\033[31m" }, { "driver-back", "\033[32m" },
		{ "link-down", "\033[31m" }, { "link-up", "\033[32m" },
		{ "window-revoked", "\033[33m" },
	};
	const char *event = json_str(obj, "event", "?"), *time = json_str(obj, "time", "");
	const char *color = "";
	const char *who = json_str(obj, "chan_name", json_str(obj, "dev_name", ""));
	const char *clock = strchr(time, 'T');

	for (size_t i = 0; i < ARRAY_SIZE(colors); i++)
		if (out.color && !strcmp(event, colors[i].event))
			color = colors[i].color;
	if (timestamps)
		printf("%.15s  ", clock ? clock + 1 : time);
	printf("%s%-14s%s  %s", color, event, *color ? "\033[0m" : "", who);
	for (size_t i = COL_REST; i < ARRAY_SIZE(cols); i++) {
		const json_t *v = json_object_get(obj, cols[i].key);

		if (json_is_string(v))
			printf("  %s=%s", cols[i].plain ? cols[i].plain : cols[i].key,
			       json_string_value(v));
		else if (json_is_integer(v))
			printf("  %s=%" JSON_INTEGER_FORMAT,
			       cols[i].plain ? cols[i].plain : cols[i].key, json_integer_value(v));
	}
	putchar('\n');
}

/* Adds the time, and drops it */
static void show(struct watcher *w, json_t *obj)
{
	const json_t *ns = json_object_get(obj, "time_ns");
	char time[64];

	wall_time(ns ? json_u64(obj, "time_ns") : now_ns(), time, sizeof(time));
	json_object_set_new(obj, "time", json_string(time));
	if (out.json)
		out_line(obj);
	else if (out.tty)
		show_colored(obj);
	else
		out_row(cols + !timestamps, ARRAY_SIZE(cols) - !timestamps, obj, false);
	if (out.save)
		json_array_append(w->kept, obj);
	json_decref(obj);
}

static void set(json_t *obj, const char *key, uint64_t n)
{
	json_object_set_new(obj, key, json_integer((json_int_t)n));
}

/* Names of engines have dots: no path for json_u64() */
static uint64_t told(const struct watcher *w, const char *name)
{
	return (uint64_t)json_integer_value(json_object_get(w->told, name));
}

static int on_event(struct nl_msg *msg, void *arg)
{
	struct watcher *w = arg;
	json_t *obj = nlc_decode(nlmsg_hdr(msg));
	const char *event = json_str(obj, "event", NULL);

	if (event && !strcmp(event, "transfer-error")) {
		const char *name = json_str(obj, "dev_name", "?");

		set(w->told, name, told(w, name) + 1);
	}
	if (!event || (count.set && w->seen >= count.val) || !listed(&events, event) ||
	    (engines.n && !listed(&engines, json_str(obj, "dev_name", "")))) {
		json_decref(obj);
		return NL_OK;
	}
	show(w, obj);
	w->seen++;
	return NL_OK;
}

static int on_family(struct nl_msg *msg, void *arg)
{
	struct watcher *w = arg;
	int change = nlc_family_change(nlmsg_hdr(msg));

	if (change < 0)
		w->gone = true;
	if (change)
		w->there = change > 0;
	return NL_OK;
}

/* --- how things stand ----------------------------------------------------------- */

static uint64_t since(const json_t *before, const json_t *now, const char *counter)
{
	uint64_t then = before ? json_u64(before, counter) : 0, n = json_u64(now, counter);

	/* The driver may have been bound anew, and counts from 0 then */
	return n >= then ? n - then : n;
}

/* An engine, with what it has counted since this began to listen */
static void show_state(struct watcher *w, const json_t *engine)
{
	const char *name = json_str(engine, "name", "");
	const json_t *before = engines_find(w->first, name);
	json_t *obj = json_pack("{s:s, s:s, s:O, s:O}", "event", "resync", "dev_name", name,
				"dev_id", json_object_get(engine, "id"),
				"state", json_object_get(engine, "state"));

	if (!obj)
		return;
	set(obj, "errors", since(before, engine, "counters.errors"));
	set(obj, "told", told(w, name));
	set(obj, "stalls", since(before, engine, "counters.stalls"));
	set(obj, "recoveries", since(before, engine, "counters.recoveries"));
	show(w, obj);
}

/* How many nobody knows, but what has become of the engines is known */
static void resync(struct watcher *w)
{
	json_t *now, *one;
	size_t i;
	int ret = nlc_engines(&w->ask, &now);

	w->lost = false;
	if (ret) {
		/* That the driver is gone is about to be told */
		if (!nlc_gone(&w->ask, ret))
			nlc_failed(&w->ask, "reading how the engines are", ret);
		return;
	}
	json_array_foreach(now, i, one)
		if (listed(&engines, json_str(one, "name", "")))
			show_state(w, one);
	json_decref(now);
}

/* --- listening -------------------------------------------------------------------- */

static int begin(struct watcher *w)
{
	int ret = nlc_open(&w->events);

	if (!ret)
		ret = nlc_listen(&w->events, (size_t)buffer.val);
	if (!ret)
		ret = nlc_open(&w->ask);
	if (!ret)
		ret = nlc_engines(&w->ask, &w->first);
	/* It may go again in the middle of this */
	return nlc_gone(&w->ask, ret) ? -ENOENT : ret;
}

static void end(struct watcher *w)
{
	nlc_close(&w->events);
	nlc_close(&w->ask);
	json_decref(w->first);
	w->first = NULL;
	json_object_clear(w->told);
}

static int came(struct watcher *w)
{
	int ret = begin(w);

	if (ret)
		end(w);
	if (ret == -ENOENT)
		return IT_OK;
	if (ret) {
		it_error("cannot listen to the driver: %s", strerror(-ret));
		return IT_ENV;
	}
	show(w, json_pack("{s:s}", "event", "driver-back"));
	/* All that its engines count is new */
	json_array_clear(w->first);
	return IT_OK;
}

static int went(struct watcher *w)
{
	end(w);
	show(w, json_pack("{s:s}", "event", "driver-gone"));
	if (waits)
		return IT_OK;
	it_error("the driver was unloaded");
	it_hint("load it again: modprobe idma; --wait waits for that");
	return IT_ENV;
}

/* All that has arrived */
static void receive(struct watcher *w, struct nl_sock *sk, struct nl_cb *cb)
{
	int ret;

	do {
		ret = nl_recvmsgs(sk, cb);
		/* libnl's name for ENOBUFS; the rest is still there */
		if (ret == -NLE_NOMEM && sk == w->events.sk) {
			show(w, json_pack("{s:s}", "event", "lost"));
			it_note("events were lost: they come faster than they can be read");
			w->lost = true;
		}
	} while ((ret >= 0 || ret == -NLE_NOMEM) && !ferror(stdout) &&
		 (!count.set || w->seen < count.val));
}

static int follow(struct watcher *w)
{
	uint64_t stop = limit.set ? now_ns() + limit.val * 1000000 : UINT64_MAX, now;
	struct nl_cb *ev = nl_cb_alloc(NL_CB_DEFAULT), *fam = nl_cb_alloc(NL_CB_DEFAULT);
	int ret = IT_OK;

	if (!ev || !fam) {
		it_error("out of memory");
		return IT_ENV;
	}
	nl_cb_set(ev, NL_CB_VALID, NL_CB_CUSTOM, on_event, w);
	nl_cb_set(ev, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, nlc_no_sequence, NULL);
	nl_cb_set(fam, NL_CB_VALID, NL_CB_CUSTOM, on_family, w);
	nl_cb_set(fam, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, nlc_no_sequence, NULL);
	while (!ret && !it_stop && (!count.set || w->seen < count.val) &&
	       (now = now_ns()) < stop && !ferror(stdout)) {
		/* Negative ones are not looked at */
		struct pollfd pfds[] = {
			{ .fd = nl_socket_get_fd(w->families), .events = POLLIN },
			{ .fd = w->events.sk ? nl_socket_get_fd(w->events.sk) : -1,
			  .events = POLLIN },
		};
		uint64_t left = (stop - now) / 1000000 + 1;
		int wait = limit.set && left < 3600000 ? (int)left : limit.set ? 3600000 : -1;

		if (poll(pfds, ARRAY_SIZE(pfds), wait) < 0)
			continue;
		receive(w, w->families, fam);
		/* What happened before the driver went comes before that */
		if (w->events.sk)
			receive(w, w->events.sk, ev);
		if (w->lost && w->events.sk && !w->gone)
			resync(w);
		if (w->gone && w->events.sk)
			ret = went(w);
		if (w->there && !ret && !w->events.sk)
			ret = came(w);
		w->gone = false;
		w->there = false;
	}
	nl_cb_put(ev);
	nl_cb_put(fam);
	return ret;
}

static int check_names(void)
{
	for (size_t i = 0; i < events.n; i++) {
		bool known = false;

		for (size_t j = 0; j < ARRAY_SIZE(names); j++)
			known |= !strcmp(names[j], events.v[i]);
		if (!known) {
			it_error("--event: '%s' is none of %s, %s", events.v[i], EVENTS_DEV,
				 EVENTS_LINK);
			return IT_USAGE;
		}
	}
	return IT_OK;
}

static const struct opt opts[] = {
	{ "event", 'e', OPT_STRINGS, &events, .arg = "NAME,...",
	  .help = "only these: " EVENTS_DEV "," HELP_INDENT EVENTS_LINK },
	{ "engine", 'E', OPT_STRINGS, &engines, .arg = "NAME,...",
	  .help = "only of these engines" },
	{ "count", 'n', OPT_NUMBER, &count, .arg = "N", .min = 1, .help = "end after N events" },
	{ "timestamps", 't', OPT_FLAG, &timestamps,
	  .help = "when each happened, in front of it (always in JSON)" },
	{ "timeout", 'T', OPT_NUMBER, &limit, .arg = "TIME", .unit = NUM_MS, .min = 1,
	  .help = "end after that time; exit status 1 if --count was not reached" },
	{ "wait", 'w', OPT_FLAG, &waits,
	  .help = "wait for the driver, if it is not there or is unloaded" },
	{ "buffer", 0, OPT_NUMBER, &buffer, .arg = "SIZE", .unit = NUM_BYTES, .min = 1024,
	  .max = 1 << 30, .help = "room for events that were not read yet, default 4M" },
};

static const struct usage usage = {
	.command = "monitor",
	.text =
		"Show the events of the iDMAs as they happen: transfers that fail, engines that die and\n"
		"recover, runs of the bench client that end, links and windows. Until Ctrl-C, or until the\n"
		"driver is unloaded (exit status 3). With -j one document a line.\n\n"
		"If events come faster than they can be read, 'lost' says so, and 'resync' how each\n"
		"engine is then: its state, how many transfers have failed since this began to listen\n"
		"(errors), and of how many of these there was an event (told).",
	.opts = opts,
	.n = ARRAY_SIZE(opts),
	.examples = "  idma-test monitor -t\n"
		    "  idma-test monitor -e dev-dead -n 1 -T 1m && echo it died\n",
};

static json_t *engine_names(const json_t *list)
{
	json_t *names_of = json_array(), *one;
	size_t i;

	json_array_foreach(list, i, one)
		if (listed(&engines, json_str(one, "name", "")))
			json_array_append(names_of, json_object_get(one, "name"));
	return names_of;
}

static int start(struct watcher *w)
{
	int ret;

	w->families = nlc_families();
	if (!w->families) {
		it_error("cannot listen to generic netlink");
		it_hint("the kernel needs CONFIG_NET");
		return IT_ENV;
	}
	ret = begin(w);
	if (ret && !(waits && ret == -ENOENT))
		return nlc_missing(ret);
	if (ret)
		end(w);
	return IT_OK;
}

int cmd_monitor(int argc, char **argv)
{
	struct watcher w = { .told = json_object(), .kept = json_array() };
	int at = opts_parse(&usage, argc, argv), ret;
	uint64_t began = now_ns();
	json_t *doc;

	if (at < 0)
		return OPTS_EXIT(at);
	ret = check_names();
	if (!ret)
		ret = start(&w);
	if (ret)
		return out_finish(NULL, ret);
	catch_signals();
	doc = out_doc();
	json_object_set_new(doc, "engines", engine_names(w.first));
	/* Also for scripts: what happens from now on is seen */
	it_note(w.events.sk ? "listening, Ctrl-C ends" : "waiting for the driver, Ctrl-C ends");
	ret = follow(&w);
	end(&w);
	nl_socket_free(w.families);
	if (!ret && count.set && w.seen < count.val && !it_stop) {
		it_error("%llu of %llu events came in that time", (unsigned long long)w.seen,
			 (unsigned long long)count.val);
		ret = IT_FAILED;
	}
	json_object_set_new(doc, "seconds", json_real((double)(now_ns() - began) / 1e9));
	json_object_set_new(doc, "events", w.kept);
	json_decref(w.told);
	/* To stop is how this ends */
	it_stop = 0;
	return out_finish_lines(doc, ret);
}
