// SPDX-License-Identifier: GPL-2.0-only
/*
 * monitor: events of the iDMAs as they happen.
 */
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include "nl.h"
#include "opts.h"
#include "out.h"

static struct opt_strings events, engines;
static struct opt_number count, limit;
static bool timestamps;

static const char * const names[] = {
	"transfer-error", "dev-dead", "dev-recovered", "bench-finished",
};

static const struct out_column cols[] = {
	{ "time", NULL, OUT_STR, NULL },
	{ "event", NULL, OUT_STR, NULL },
	{ "dev_name", NULL, OUT_STR, "engine" },
	{ "chan_name", NULL, OUT_STR, "channel" },
	{ "fault", NULL, OUT_STR, NULL },
	{ "cookie", NULL, OUT_INT, NULL },
	{ "len", NULL, OUT_INT, NULL },
	{ "residue", NULL, OUT_INT, NULL },
	{ "in_flight", NULL, OUT_INT, NULL },
	{ "reset_method", NULL, OUT_STR, NULL },
	{ "id", NULL, OUT_INT, "run" },
	{ "state", NULL, OUT_STR, NULL },
	{ "configs_done", NULL, OUT_INT, NULL },
	{ "message", NULL, OUT_STR, NULL },
	{ "lost", NULL, OUT_INT, NULL },
};

struct watcher {
	json_t *kept;	/* for --save */
	uint64_t seen;
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

/* For people, with -t: "12:00:01.123456 dev-dead 50000000.dma-controller in_flight=4" */
static void show_colored(const json_t *obj)
{
	static const struct {
		const char *event, *color;
	} colors[] = {
		{ "transfer-error", "\033[33m" }, { "dev-dead", "\033[31m" },
		{ "dev-recovered", "\033[32m" }, { "lost", "\033[31m" },
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
	for (size_t i = 4; i < ARRAY_SIZE(cols); i++) {
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

static void show(struct watcher *w, json_t *obj)
{
	if (out.json)
		out_line(obj);
	else if (out.tty)
		show_colored(obj);
	else
		out_row(cols + !timestamps, ARRAY_SIZE(cols) - !timestamps, obj, false);
	if (out.save)
		json_array_append(w->kept, obj);
}

static int on_event(struct nl_msg *msg, void *arg)
{
	struct watcher *w = arg;
	json_t *obj = nlc_decode(nlmsg_hdr(msg));
	const char *event = json_str(obj, "event", NULL);
	char time[64];

	if (!event || (count.set && w->seen >= count.val) || !listed(&events, event) ||
	    (engines.n && !listed(&engines, json_str(obj, "dev_name", "")))) {
		json_decref(obj);
		return NL_OK;
	}
	wall_time(json_object_get(obj, "time_ns") ? json_u64(obj, "time_ns") : now_ns(), time,
		  sizeof(time));
	json_object_set_new(obj, "time", json_string(time));
	show(w, obj);
	json_decref(obj);
	w->seen++;
	return NL_OK;
}

/* They came faster than this could read: how many nobody knows */
static void say_lost(struct watcher *w)
{
	json_t *obj = json_pack("{s:s}", "event", "lost");
	char time[64];

	wall_time(now_ns(), time, sizeof(time));
	json_object_set_new(obj, "time", json_string(time));
	show(w, obj);
	json_decref(obj);
	it_note("events were lost: they come faster than they can be read");
}

static int no_sequence(struct nl_msg *msg, void *arg)
{
	(void)msg;
	(void)arg;
	return NL_OK;
}

static int check_names(void)
{
	for (size_t i = 0; i < events.n; i++) {
		bool known = false;

		for (size_t j = 0; j < ARRAY_SIZE(names); j++)
			known |= !strcmp(names[j], events.v[i]);
		if (!known) {
			it_error("--event: '%s' is none of %s, %s, %s, %s", events.v[i], names[0],
				 names[1], names[2], names[3]);
			return IT_USAGE;
		}
	}
	return IT_OK;
}

static int follow(struct nlc *c, struct watcher *w)
{
	uint64_t end = limit.set ? now_ns() + limit.val * 1000000 : UINT64_MAX, now;
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int ret;

	if (!cb)
		return IT_ENV;
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_event, w);
	nl_cb_set(cb, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, no_sequence, NULL);
	while (!it_stop && (!count.set || w->seen < count.val) && (now = now_ns()) < end) {
		struct pollfd pfd = { .fd = nl_socket_get_fd(c->sk), .events = POLLIN };
		uint64_t left = (end - now) / 1000000 + 1;

		int wait = left < 3600000 ? (int)left : 3600000;

		if (poll(&pfd, 1, limit.set ? wait : -1) <= 0)
			continue;
		ret = nl_recvmsgs(c->sk, cb);
		/* libnl's name for ENOBUFS */
		if (ret == -NLE_NOMEM)
			say_lost(w);
		if (ferror(stdout))
			break;
	}
	nl_cb_put(cb);
	return IT_OK;
}

int cmd_monitor(int argc, char **argv)
{
	static const struct opt opts[] = {
		{ "event", 'e', OPT_STRINGS, &events, .arg = "NAME,...",
		  .help = "only these: transfer-error, dev-dead, dev-recovered, bench-finished" },
		{ "engine", 'E', OPT_STRINGS, &engines, .arg = "NAME,...",
		  .help = "only of these engines" },
		{ "count", 'n', OPT_NUMBER, &count, .arg = "N", .min = 1,
		  .help = "end after N events" },
		{ "timestamps", 't', OPT_FLAG, &timestamps,
		  .help = "when each happened, in front of it (always in JSON)" },
		{ "timeout", 'T', OPT_NUMBER, &limit, .arg = "TIME", .unit = NUM_MS, .min = 1,
		  .help = "end after that time; exit status 1 if --count was not reached" },
	};
	static const struct usage usage = {
		.command = "monitor",
		.text =
			"Show the events of the iDMAs as they happen: transfers that fail, engines that die and\n"
			"recover, runs of the bench client that end. Until Ctrl-C. With -j one document a line.",
		.opts = opts,
		.n = ARRAY_SIZE(opts),
		.examples = "  idma-test monitor -t\n"
			    "  idma-test monitor -e dev-dead -n 1 -T 1m && echo it died\n",
	};
	int at = opts_parse(&usage, argc, argv), ret;
	struct watcher w = { 0 };
	json_t *doc;
	struct nlc c;

	if (at < 0)
		return OPTS_EXIT(at);
	ret = check_names();
	if (ret)
		return out_finish(NULL, ret);
	ret = nlc_open(&c);
	if (ret)
		return out_finish(NULL, nlc_missing(ret));
	ret = c.events < 0 ? c.events : nl_socket_add_membership(c.sk, c.events);
	if (ret) {
		it_error("cannot listen to the family's events: %s", nl_geterror(ret));
		nlc_close(&c);
		return out_finish(NULL, IT_ENV);
	}
	nl_socket_disable_seq_check(c.sk);
	/* A burst of errors is what this is for; fails without privilege, which is no harm */
	nl_socket_set_buffer_size(c.sk, 4 << 20, 0);
	catch_signals();
	w.kept = json_array();
	/* Also for scripts: what happens from now on is seen */
	it_note("listening, Ctrl-C ends");
	ret = follow(&c, &w);
	nlc_close(&c);
	if (!ret && count.set && w.seen < count.val && !it_stop)
		ret = IT_FAILED;
	doc = out_doc();
	json_object_set_new(doc, "events", w.kept);
	it_stop = 0;
	/* What -j has to say was said, line by line */
	out.json = false;
	return out_finish(doc, ret);
}
