// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the netlink family "idma" from user space, without any library. Runs
 * in the guest; prints "ok - ..." and "not ok - ..." lines.
 *
 *	read			what is there, by all ways to ask for it
 *	show			engines, channels and counters as "name=value"
 *	unprivileged		reads work, writes are refused
 *	hostile			messages that are wrong in one way each
 *	fuzz SEED COUNT		messages that are wrong in random ways
 *	dump FILE		dump until there is such a file, look at every message
 *	interrupt DRIVER NAME	unbind an engine in the middle of a dump
 *	events SECONDS		print the events of so many seconds
 *	reset NAME		reset an engine
 *	bench NAME=VALUE...	run the bench client, look at its results, print them
 *	bench-hold NAME=VALUE...	start a run and stay there
 *	bench-get		how the last run stands
 *	bench-stop		stop it
 */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "nl.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define MAX_DEVS	16

static unsigned int failures;

__attribute__((format(printf, 2, 3)))
static bool check(bool good, const char *fmt, ...)
{
	va_list ap;

	fputs(good ? "ok - " : "not ok - ", stdout);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	failures += !good;

	return good;
}

/* ---- What the family says ---- */

struct counters {
	uint64_t transfers, bytes, errors, terminated;
};

struct dev {
	uint32_t id;
	char name[IDMA_NAME_MAX + 1];
	uint32_t state, caps, channels, in_use, in_flight;
	struct counters counters;
	unsigned int seen_channels;
	struct counters sum;	/* of the channels that were seen */
};

struct seen {
	struct dev devs[MAX_DEVS];
	unsigned int ndevs;
	unsigned int nchans;
	char chan_name[IDMA_NAME_MAX + 1];	/* of the last one */
	uint32_t chan_id, chan_dev, chan_clients;
	bool disorder;
	bool print;
	uint32_t method;
};

static void get_faults(const struct nlattr *a, uint64_t errors, bool print)
{
	const struct nlattr *tb[IDMA_A_FAULTS_MAX + 1];
	uint64_t sum = 0, v;
	static const struct {
		unsigned int attr;
		const char *name;
	} faults[] = {
		{ IDMA_A_FAULTS_STALL, "stall" },
		{ IDMA_A_FAULTS_RESET, "reset" },
		{ IDMA_A_FAULTS_UNBIND, "unbind" },
		{ IDMA_A_FAULTS_LINK, "link" },
	};

	if (!a || !nl_parse(nl_data(a), nl_len(a), tb, IDMA_A_FAULTS_MAX))
		die("no faults, or malformed ones");
	for (unsigned int i = 0; i < ARRAY_SIZE(faults); i++) {
		v = nl_u64(tb[faults[i].attr], faults[i].name);
		sum += v;
		if (print)
			printf(" faults_%s=%llu", faults[i].name, (unsigned long long)v);
	}
	if (sum != errors)
		die("faults sum up to %llu, errors are %llu", (unsigned long long)sum, (unsigned long long)errors);
}

static void get_dev_counters(const struct nlattr *a, struct counters *c, bool print)
{
	const struct nlattr *tb[IDMA_A_DEV_COUNTERS_MAX + 1];
	static const struct {
		unsigned int attr;
		const char *name;
	} names[] = {	/* named as in debugfs */
		{ IDMA_A_DEV_COUNTERS_TRANSFERS, "transfers" },
		{ IDMA_A_DEV_COUNTERS_BYTES, "bytes" },
		{ IDMA_A_DEV_COUNTERS_ERRORS, "errors" },
		{ IDMA_A_DEV_COUNTERS_TERMINATED, "terminated" },
		{ IDMA_A_DEV_COUNTERS_LAUNCHES, "launches" },
		{ IDMA_A_DEV_COUNTERS_LAUNCHES_REFUSED, "launches_refused" },
		{ IDMA_A_DEV_COUNTERS_DESCRIPTORS, "descriptors" },
		{ IDMA_A_DEV_COUNTERS_INTERRUPTS, "interrupts" },
		{ IDMA_A_DEV_COUNTERS_INTERRUPTS_FOREIGN, "interrupts_foreign" },
		{ IDMA_A_DEV_COUNTERS_INTERRUPTS_MISSED, "interrupts_missed" },
		{ IDMA_A_DEV_COUNTERS_BACKSTOPS, "backstops" },
		{ IDMA_A_DEV_COUNTERS_REAPED_IRQ, "reaped_irq" },
		{ IDMA_A_DEV_COUNTERS_REAPED_BACKSTOP, "reaped_backstop" },
		{ IDMA_A_DEV_COUNTERS_REAPED_POLL, "reaped_poll" },
		{ IDMA_A_DEV_COUNTERS_STALLS, "stalls" },
		{ IDMA_A_DEV_COUNTERS_RECOVERIES, "recoveries" },
	};

	if (!a || !nl_parse(nl_data(a), nl_len(a), tb, IDMA_A_DEV_COUNTERS_MAX))
		die("no counters, or malformed ones");
	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++) {
		uint64_t v = nl_u64(tb[names[i].attr], names[i].name);

		if (print)
			printf(" %s=%llu", names[i].name, (unsigned long long)v);
	}
	c->transfers = nl_u64(tb[IDMA_A_DEV_COUNTERS_TRANSFERS], "transfers");
	c->bytes = nl_u64(tb[IDMA_A_DEV_COUNTERS_BYTES], "bytes");
	c->errors = nl_u64(tb[IDMA_A_DEV_COUNTERS_ERRORS], "errors");
	c->terminated = nl_u64(tb[IDMA_A_DEV_COUNTERS_TERMINATED], "terminated");
	get_faults(tb[IDMA_A_DEV_COUNTERS_FAULTS], c->errors, print);
}

static void get_frontend(const struct nlattr *a, bool print)
{
	const struct nlattr *tb[IDMA_A_FRONTEND_MAX + 1];
	const char *name;

	if (!a || !nl_parse(nl_data(a), nl_len(a), tb, IDMA_A_FRONTEND_MAX))
		die("no front-end, or a malformed one");
	name = nl_str(tb[IDMA_A_FRONTEND_NAME], "front-end");
	if (!nl_u32(tb[IDMA_A_FRONTEND_MAX_SEGMENT], "max-segment") ||
	    !nl_u32(tb[IDMA_A_FRONTEND_INPUT_SLOTS], "input-slots") ||
	    !nl_u32(tb[IDMA_A_FRONTEND_PENDING_SLOTS], "pending-slots"))
		die("a front-end that takes nothing");
	if (print)
		printf(" frontend=%s max_segment=%u input_slots=%u pending_slots=%u", name,
		       nl_u32(tb[IDMA_A_FRONTEND_MAX_SEGMENT], ""), nl_u32(tb[IDMA_A_FRONTEND_INPUT_SLOTS], ""),
		       nl_u32(tb[IDMA_A_FRONTEND_PENDING_SLOTS], ""));
}

static struct dev *dev_of(struct seen *seen, uint32_t id)
{
	for (unsigned int i = 0; i < seen->ndevs; i++)
		if (seen->devs[i].id == id)
			return &seen->devs[i];

	return NULL;
}

static void got_dev(struct seen *seen, const struct nlattr *attrs, size_t len)
{
	const struct nlattr *tb[IDMA_A_DEV_MAX + 1];
	struct dev *d = &seen->devs[seen->ndevs];

	if (!nl_parse(attrs, len, tb, IDMA_A_DEV_MAX))
		die("dev-get: malformed answer");
	if (seen->ndevs == MAX_DEVS)
		die("dev-get: more than %u engines", MAX_DEVS);
	memset(d, 0, sizeof(*d));
	d->id = nl_u32(tb[IDMA_A_DEV_ID], "id");
	snprintf(d->name, sizeof(d->name), "%s", nl_str(tb[IDMA_A_DEV_NAME], "name"));
	d->state = nl_u32(tb[IDMA_A_DEV_STATE], "state");
	d->caps = nl_u32(tb[IDMA_A_DEV_CAPS], "caps");
	d->channels = nl_u32(tb[IDMA_A_DEV_CHANNELS], "channels");
	d->in_use = nl_u32(tb[IDMA_A_DEV_CHANNELS_IN_USE], "channels-in-use");
	d->in_flight = nl_u32(tb[IDMA_A_DEV_IN_FLIGHT], "in-flight");
	if (seen->print)
		printf("dev id=%u name=%s state=%u caps=%#x channels=%u in_use=%u in_flight=%u irq=%d", d->id,
		       d->name, d->state, d->caps, d->channels, d->in_use, d->in_flight,
		       tb[IDMA_A_DEV_IRQ] ? (int)nl_u32(tb[IDMA_A_DEV_IRQ], "irq") : -1);
	if (!tb[IDMA_A_DEV_IRQ] != !(d->caps & IDMA_CAP_INTERRUPT))
		die("dev-get: the number of an interrupt and caps contradict each other");
	if (d->state > IDMA_DEV_STATE_MAX || !d->channels || d->in_use > d->channels)
		die("dev-get: impossible values");
	/* Both are of the same moment */
	if ((d->state == IDMA_DEV_STATE_IDLE && d->in_flight) ||
	    (d->state == IDMA_DEV_STATE_BUSY && !d->in_flight))
		die("dev-get: state %u with %u descriptors in flight", d->state, d->in_flight);
	get_frontend(tb[IDMA_A_DEV_FRONTEND], seen->print);
	get_dev_counters(tb[IDMA_A_DEV_COUNTERS], &d->counters, seen->print);
	if (seen->print)
		putchar('\n');
	if (seen->ndevs && seen->devs[seen->ndevs - 1].id >= d->id)
		seen->disorder = true;
	seen->ndevs++;
}

static void got_chan(struct seen *seen, const struct nlattr *attrs, size_t len)
{
	const struct nlattr *tb[IDMA_A_CHAN_MAX + 1], *c[IDMA_A_CHAN_COUNTERS_MAX + 1];
	char name[IDMA_NAME_MAX + 1];
	struct counters v;
	struct dev *d;
	uint32_t dev, id;

	if (!nl_parse(attrs, len, tb, IDMA_A_CHAN_MAX) || !tb[IDMA_A_CHAN_COUNTERS] ||
	    !nl_parse(nl_data(tb[IDMA_A_CHAN_COUNTERS]), nl_len(tb[IDMA_A_CHAN_COUNTERS]), c,
		      IDMA_A_CHAN_COUNTERS_MAX))
		die("chan-get: malformed answer");
	dev = nl_u32(tb[IDMA_A_CHAN_DEV_ID], "dev-id");
	id = nl_u32(tb[IDMA_A_CHAN_ID], "id");
	if (seen->nchans && (dev < seen->chan_dev || (dev == seen->chan_dev && id <= seen->chan_id)))
		seen->disorder = true;
	seen->chan_dev = dev;
	seen->chan_id = id;
	seen->chan_clients = nl_u32(tb[IDMA_A_CHAN_CLIENTS], "clients");
	snprintf(seen->chan_name, sizeof(seen->chan_name), "%s", nl_str(tb[IDMA_A_CHAN_NAME], "name"));
	snprintf(name, sizeof(name), "dma%uchan%u", dev, id);
	if (strcmp(name, seen->chan_name))
		die("chan-get: a channel %u of engine %u that is called %s", id, dev, seen->chan_name);
	v.transfers = nl_u64(c[IDMA_A_CHAN_COUNTERS_TRANSFERS], "transfers");
	v.bytes = nl_u64(c[IDMA_A_CHAN_COUNTERS_BYTES], "bytes");
	v.errors = nl_u64(c[IDMA_A_CHAN_COUNTERS_ERRORS], "errors");
	v.terminated = nl_u64(c[IDMA_A_CHAN_COUNTERS_TERMINATED], "terminated");
	if (seen->print)
		printf("chan name=%s dev=%s clients=%u transfers=%llu bytes=%llu errors=%llu terminated=%llu",
		       seen->chan_name, nl_str(tb[IDMA_A_CHAN_DEV_NAME], "dev-name"), seen->chan_clients,
		       (unsigned long long)v.transfers, (unsigned long long)v.bytes,
		       (unsigned long long)v.errors, (unsigned long long)v.terminated);
	get_faults(c[IDMA_A_CHAN_COUNTERS_FAULTS], v.errors, seen->print);
	if (seen->print)
		putchar('\n');
	d = dev_of(seen, dev);
	if (d) {
		if (strcmp(d->name, nl_str(tb[IDMA_A_CHAN_DEV_NAME], "dev-name")))
			die("chan-get: engine %u has two names", dev);
		d->seen_channels++;
		d->sum.transfers += v.transfers;
		d->sum.bytes += v.bytes;
		d->sum.errors += v.errors;
		d->sum.terminated += v.terminated;
	}
	seen->nchans++;
}

static void got(void *arg, uint8_t cmd, const struct nlattr *attrs, size_t len)
{
	const struct nlattr *tb[IDMA_A_DEV_MAX + 1];
	struct seen *seen = arg;

	switch (cmd) {
	case IDMA_CMD_DEV_GET:
		got_dev(seen, attrs, len);
		break;
	case IDMA_CMD_CHAN_GET:
		got_chan(seen, attrs, len);
		break;
	case IDMA_CMD_DEV_RESET:
		if (!nl_parse(attrs, len, tb, IDMA_A_DEV_MAX))
			die("dev-reset: malformed answer");
		seen->method = nl_u32(tb[IDMA_A_DEV_RESET_METHOD], "reset-method");
		printf("reset id=%u name=%s state=%u method=%u\n", nl_u32(tb[IDMA_A_DEV_ID], "id"),
		       nl_str(tb[IDMA_A_DEV_NAME], "name"), nl_u32(tb[IDMA_A_DEV_STATE], "state"), seen->method);
		break;
	}
}

/* Once more in the requests of the tests, which are many */
static void request(struct sock *s, struct msg *m, struct seen *seen, struct answer *a)
{
	memset(seen, 0, sizeof(*seen));
	s->reply = got;
	s->arg = seen;
	nl_talk(s, m, a);
}

static void dump_devs(struct sock *s, struct seen *seen, struct answer *a)
{
	struct msg m;

	nl_begin(s, &m, IDMA_CMD_DEV_GET, NLM_F_DUMP);
	request(s, &m, seen, a);
}

/* ---- read ---- */

static void test_read(struct sock *s)
{
	struct seen all, one;
	struct answer a;
	struct msg m;

	dump_devs(s, &all, &a);
	check(!a.error && all.ndevs && !all.disorder && !a.interrupted,
	      "dev-get: a dump of %u engines, in order", all.ndevs);

	for (unsigned int i = 0; i < all.ndevs; i++) {
		struct dev *d = &all.devs[i];

		nl_begin(s, &m, IDMA_CMD_DEV_GET, 0);
		nl_put_u32(&m, IDMA_A_DEV_ID, d->id);
		request(s, &m, &one, &a);
		check(!a.error && one.ndevs == 1 && !strcmp(one.devs[0].name, d->name),
		      "dev-get: engine %u by its number", i);

		nl_begin(s, &m, IDMA_CMD_DEV_GET, 0);
		nl_put_str(&m, IDMA_A_DEV_NAME, d->name);
		request(s, &m, &one, &a);
		check(!a.error && one.ndevs == 1 && one.devs[0].id == d->id,
		      "dev-get: engine %u by its name", i);
	}

	/* Sums only mean something while nothing runs: the caller sees to that */
	nl_begin(s, &m, IDMA_CMD_CHAN_GET, NLM_F_DUMP);
	s->reply = got;
	s->arg = &all;
	nl_talk(s, &m, &a);
	check(!a.error && !all.disorder && !a.interrupted, "chan-get: a dump of %u channels, in order", all.nchans);
	for (unsigned int i = 0; i < all.ndevs; i++) {
		struct dev *d = &all.devs[i];

		check(d->seen_channels == d->channels, "chan-get: all channels of engine %u", i);
		check(!memcmp(&d->sum, &d->counters, sizeof(d->sum)),
		      "the channels' counters sum up to those of engine %u", i);

		nl_begin(s, &m, IDMA_CMD_CHAN_GET, NLM_F_DUMP);
		nl_put_u32(&m, IDMA_A_CHAN_DEV_ID, d->id);
		request(s, &m, &one, &a);
		check(!a.error && one.nchans == d->channels && one.chan_dev == d->id,
		      "chan-get: a dump of engine %u by its number", i);

		nl_begin(s, &m, IDMA_CMD_CHAN_GET, NLM_F_DUMP);
		nl_put_str(&m, IDMA_A_CHAN_DEV_NAME, d->name);
		request(s, &m, &one, &a);
		check(!a.error && one.nchans == d->channels && one.chan_dev == d->id,
		      "chan-get: a dump of engine %u by its name", i);

		nl_begin(s, &m, IDMA_CMD_CHAN_GET, 0);
		nl_put_u32(&m, IDMA_A_CHAN_DEV_ID, d->id);
		nl_put_u32(&m, IDMA_A_CHAN_ID, d->channels - 1);
		request(s, &m, &one, &a);
		check(!a.error && one.nchans == 1 && one.chan_id == d->channels - 1,
		      "chan-get: the last channel of engine %u by numbers", i);
	}
	nl_begin(s, &m, IDMA_CMD_CHAN_GET, 0);
	nl_put_str(&m, IDMA_A_CHAN_NAME, all.chan_name);
	request(s, &m, &one, &a);
	check(!a.error && one.nchans == 1 && !strcmp(one.chan_name, all.chan_name),
	      "chan-get: a channel by its name");
}

static void show(struct sock *s)
{
	struct seen seen = { .print = true };
	struct answer a;
	struct msg m;

	s->reply = got;
	s->arg = &seen;
	nl_begin(s, &m, IDMA_CMD_DEV_GET, NLM_F_DUMP);
	nl_talk(s, &m, &a);
	nl_begin(s, &m, IDMA_CMD_CHAN_GET, NLM_F_DUMP);
	nl_talk(s, &m, &a);
}

/* ---- unprivileged ---- */

static void expect(struct sock *s, struct msg *m, int error, const char *what)
{
	struct seen seen;
	struct answer a;

	request(s, m, &seen, &a);
	check(a.error == error, "%s: %s", what, a.error ? strerror(a.error) : "works");
}

static void test_unprivileged(struct sock *root)
{
	struct seen seen;
	struct answer a;
	struct sock s;
	struct msg m;

	dump_devs(root, &seen, &a);
	if (a.error || !seen.ndevs)
		die("there is no engine");
	/* Netlink looks at the sender and at the socket's maker: start afresh */
	if (setgid(65534) || setuid(65534))
		die("setuid: %s", strerror(errno));
	nl_open(&s);
	if (!nl_resolve(&s))
		die("no family without privilege");

	nl_begin(&s, &m, IDMA_CMD_DEV_GET, NLM_F_DUMP);
	expect(&s, &m, 0, "without privilege, dev-get");
	nl_begin(&s, &m, IDMA_CMD_CHAN_GET, NLM_F_DUMP);
	expect(&s, &m, 0, "without privilege, chan-get");
	nl_begin(&s, &m, IDMA_CMD_DEV_RESET, 0);
	nl_put_u32(&m, IDMA_A_DEV_ID, seen.devs[0].id);
	expect(&s, &m, EPERM, "without privilege, dev-reset");
	nl_begin(&s, &m, IDMA_CMD_BENCH_START, 0);
	expect(&s, &m, EPERM, "without privilege, bench-start");
	nl_begin(&s, &m, IDMA_CMD_BENCH_STOP, 0);
	expect(&s, &m, EPERM, "without privilege, bench-stop");
	nl_begin(&s, &m, IDMA_CMD_WINDOW_GET, NLM_F_DUMP);
	expect(&s, &m, 0, "without privilege, window-get");
	nl_begin(&s, &m, IDMA_CMD_WINDOW_NEW, 0);
	expect(&s, &m, EPERM, "without privilege, window-new");
	nl_begin(&s, &m, IDMA_CMD_WINDOW_DEL, 0);
	expect(&s, &m, EPERM, "without privilege, window-del");
	nl_begin(&s, &m, IDMA_CMD_WINDOW_COPY, 0);
	expect(&s, &m, EPERM, "without privilege, window-copy");
	nl_begin(&s, &m, IDMA_CMD_GRANT_NEW, 0);
	expect(&s, &m, EPERM, "without privilege, grant-new");
	nl_begin(&s, &m, IDMA_CMD_GRANT_DEL, 0);
	expect(&s, &m, EPERM, "without privilege, grant-del");
	/* What is wrong with a message is not told to those who may not send it */
	nl_begin(&s, &m, IDMA_CMD_DEV_RESET, 0);
	nl_put_u32(&m, IDMA_A_DEV_ID, UINT32_MAX);
	expect(&s, &m, EPERM, "without privilege, dev-reset of nothing");
}

/* ---- hostile ---- */

enum bad {
	SILENT,		/* nothing is said about an attribute, or no matter what */
	LAST,		/* the last attribute of the message is named */
	FIRST,		/* the first one */
	MISSING,	/* the number of an attribute that is missing */
};

struct hostile {
	const char *what;
	uint8_t cmd;
	uint16_t flags;
	int error;
	enum bad bad;
	int missing;
	void (*build)(struct msg *m);
};

static uint32_t some_id;	/* of an engine that exists */
static char some_name[IDMA_NAME_MAX + 1];

static void put_nothing(struct msg *m)
{
	(void)m;
}

static void put_id_u8(struct msg *m)
{
	nl_put(m, IDMA_A_DEV_ID, "\0", 1);
}

static void put_id_u64(struct msg *m)
{
	nl_put_u64(m, IDMA_A_DEV_ID, some_id);
}

static void put_id_empty(struct msg *m)
{
	nl_put(m, IDMA_A_DEV_ID, NULL, 0);
}

static void put_id_nested(struct msg *m)
{
	nl_put_u32(m, IDMA_A_DEV_ID | NLA_F_NESTED, some_id);
}

static void put_id_wrong(struct msg *m)
{
	nl_put_u32(m, IDMA_A_DEV_ID, UINT32_MAX);
}

static void put_name_unterminated(struct msg *m)
{
	nl_put(m, IDMA_A_DEV_NAME, some_name, strlen(some_name));
}

static void put_name_empty(struct msg *m)
{
	nl_put_str(m, IDMA_A_DEV_NAME, "");
}

static void put_name_nothing(struct msg *m)
{
	nl_put(m, IDMA_A_DEV_NAME, NULL, 0);
}

static void put_name_wrong(struct msg *m)
{
	nl_put_str(m, IDMA_A_DEV_NAME, "no such engine");
}

static void put_name_prefix(struct msg *m)
{
	nl_put(m, IDMA_A_DEV_NAME, "dma\0", 4);
}

static void put_name_long(struct msg *m)
{
	char name[4096];

	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = 0;
	nl_put(m, IDMA_A_DEV_NAME, name, sizeof(name));
}

static void put_id_and_name(struct msg *m)
{
	nl_put_u32(m, IDMA_A_DEV_ID, some_id);
	nl_put_str(m, IDMA_A_DEV_NAME, some_name);
}

static void put_unknown(struct msg *m)
{
	nl_put_u32(m, 200, 0);
}

static void put_read_only(struct msg *m)
{
	nl_put_u32(m, IDMA_A_DEV_STATE, 0);
}

static void put_leftover(struct msg *m)
{
	nl_put_u32(m, IDMA_A_DEV_ID, some_id);
	m->len += 3;
	m->h.nlmsg_len = m->len;
}

static void put_attr_beyond(struct msg *m)
{
	size_t at = nl_put_u32(m, IDMA_A_DEV_ID, some_id);

	((struct nlattr *)(m->buf + at))->nla_len = 64;
}

static void put_attr_short(struct msg *m)
{
	size_t at = nl_put_u32(m, IDMA_A_DEV_ID, some_id);

	((struct nlattr *)(m->buf + at))->nla_len = 3;
}

static void cut_genl_header(struct msg *m)
{
	m->len = NLMSG_HDRLEN + 2;
	m->h.nlmsg_len = m->len;
}

static void set_reserved(struct msg *m)
{
	((struct genlmsghdr *)(m->buf + NLMSG_HDRLEN))->reserved = 1;
	nl_put_u32(m, IDMA_A_DEV_ID, some_id);
}

static void put_chan_name_and_id(struct msg *m)
{
	char name[32];

	nl_put_u32(m, IDMA_A_CHAN_ID, 0);
	snprintf(name, sizeof(name), "dma%uchan0", some_id);
	nl_put_str(m, IDMA_A_CHAN_NAME, name);
}

static void put_chan_without_id(struct msg *m)
{
	nl_put_u32(m, IDMA_A_CHAN_DEV_ID, some_id);
}

static void put_chan_without_dev(struct msg *m)
{
	nl_put_u32(m, IDMA_A_CHAN_ID, 0);
}

static void put_chan_beyond(struct msg *m)
{
	nl_put_u32(m, IDMA_A_CHAN_DEV_ID, some_id);
	nl_put_u32(m, IDMA_A_CHAN_ID, 64);
}

static void put_chan_far_beyond(struct msg *m)
{
	nl_put_u32(m, IDMA_A_CHAN_DEV_ID, some_id);
	nl_put_u32(m, IDMA_A_CHAN_ID, UINT32_MAX);
}

static void put_chan_name_wrong(struct msg *m)
{
	nl_put_str(m, IDMA_A_CHAN_NAME, "dma99chan99");
}

static void put_chan_dev_twice(struct msg *m)
{
	nl_put_u32(m, IDMA_A_CHAN_DEV_ID, some_id);
	nl_put_str(m, IDMA_A_CHAN_DEV_NAME, some_name);
}

static void put_chan_dev_wrong(struct msg *m)
{
	nl_put_u32(m, IDMA_A_CHAN_DEV_ID, some_id + 1000);
}

static void put_bench_size_0(struct msg *m)
{
	nl_put_u32(m, IDMA_A_BENCH_SIZE, 0);
}

static void put_bench_size_max(struct msg *m)
{
	nl_put_u32(m, IDMA_A_BENCH_SIZE, IDMA_BENCH_MAX_SIZE + 1);
}

static void put_bench_size_later(struct msg *m)
{
	nl_put_u32(m, IDMA_A_BENCH_SIZE, 64);
	nl_put_u32(m, IDMA_A_BENCH_SIZE, UINT32_MAX);
}

static void put_bench_depth_max(struct msg *m)
{
	nl_put_u32(m, IDMA_A_BENCH_DEPTH, IDMA_BENCH_MAX_DEPTH + 1);
}

static void put_bench_batch_0(struct msg *m)
{
	nl_put_u32(m, IDMA_A_BENCH_BATCH, 0);
}

static void put_bench_count_max(struct msg *m)
{
	nl_put_u32(m, IDMA_A_BENCH_CHANNEL_COUNT, IDMA_BENCH_MAX_CHANNELS + 1);
}

static void put_bench_transfers_u32(struct msg *m)
{
	nl_put_u32(m, IDMA_A_BENCH_TRANSFERS, 5);
}

static void put_bench_wait(struct msg *m)
{
	nl_put_u32(m, IDMA_A_BENCH_WAIT, IDMA_BENCH_WAIT_MAX + 1);
}

static void put_bench_verify(struct msg *m)
{
	nl_put_u32(m, IDMA_A_BENCH_VERIFY, UINT32_MAX);
}

static void put_bench_flag_with_data(struct msg *m)
{
	nl_put_u32(m, IDMA_A_BENCH_DETACH, 1);
}

static void put_bench_offset(struct msg *m)
{
	nl_put_u32(m, IDMA_A_BENCH_SRC_OFFSET, 64);
}

static void put_bench_time_limit(struct msg *m)
{
	nl_put_u32(m, IDMA_A_BENCH_TIME_LIMIT, 3600001);
}

static void put_bench_id_u16(struct msg *m)
{
	nl_put(m, IDMA_A_BENCH_ID, "\1\0", 2);
}

static void put_bench_reply_only(struct msg *m)
{
	nl_put(m, IDMA_A_BENCH_RESULT | NLA_F_NESTED, NULL, 0);
}

/* A window onto the link that there is not, and in the end what is wrong */
static void put_window(struct msg *m)
{
	nl_put_u64(m, IDMA_A_WINDOW_LEN, 4096);
	nl_put_u64(m, IDMA_A_WINDOW_REMOTE, 0);
	nl_put_str(m, IDMA_A_WINDOW_LINK, "no-such-link");
}

static void put_window_no_len(struct msg *m)
{
	nl_put_u64(m, IDMA_A_WINDOW_REMOTE, 0);
}

static void put_window_privid(struct msg *m)
{
	put_window(m);
	nl_put_u32(m, IDMA_A_WINDOW_PRIVID, 16);
}

static void put_window_dir(struct msg *m)
{
	put_window(m);
	nl_put_u32(m, IDMA_A_WINDOW_DIR, 3);
}

static void put_window_remote_u32(struct msg *m)
{
	nl_put_u32(m, IDMA_A_WINDOW_REMOTE, 0);
}

static void put_window_reply_only(struct msg *m)
{
	nl_put(m, IDMA_A_WINDOW_MANAGED, NULL, 0);
}

static void put_window_id(struct msg *m)
{
	nl_put_u32(m, IDMA_A_WINDOW_ID, UINT32_MAX);
}

static void put_copy_dir(struct msg *m)
{
	nl_put_u32(m, IDMA_A_WINDOW_COPY_DIR, IDMA_WINDOW_DIR_BOTH);
}

static void put_copy_len_0(struct msg *m)
{
	nl_put_u32(m, IDMA_A_WINDOW_COPY_LEN, 0);
}

static void put_copy_len_max(struct msg *m)
{
	nl_put_u32(m, IDMA_A_WINDOW_COPY_LEN, IDMA_WINDOW_COPY_MAX + 1);
}

static void put_copy_no_window(struct msg *m)
{
	nl_put_u32(m, IDMA_A_WINDOW_COPY_DIR, IDMA_WINDOW_DIR_READ);
	nl_put_u32(m, IDMA_A_WINDOW_COPY_LEN, 1);
	nl_put_u32(m, IDMA_A_WINDOW_COPY_ID, UINT32_MAX);
}

static void put_grant_0(struct msg *m)
{
	nl_put_u64(m, IDMA_A_GRANT_LEN, 0);
}

static void put_grant_no_link(struct msg *m)
{
	nl_put_u64(m, IDMA_A_GRANT_LEN, 65536);
	nl_put_str(m, IDMA_A_GRANT_LINK, "no-such-link");
}

static void put_link(struct msg *m)
{
	nl_put_str(m, IDMA_A_LINK_NAME, "no-such-link");
}

#define DEV_GET		IDMA_CMD_DEV_GET
#define CHAN_GET	IDMA_CMD_CHAN_GET
#define RESET		IDMA_CMD_DEV_RESET
#define START		IDMA_CMD_BENCH_START
#define WINDOW_NEW	IDMA_CMD_WINDOW_NEW
#define COPY		IDMA_CMD_WINDOW_COPY

static const struct hostile hostile[] = {
	{ "no engine named", DEV_GET, 0, EINVAL, MISSING, IDMA_A_DEV_ID, put_nothing },
	{ "an id of 1 byte", DEV_GET, 0, EINVAL, LAST, 0, put_id_u8 },
	{ "an id of 8 bytes", DEV_GET, 0, EINVAL, LAST, 0, put_id_u64 },
	{ "an id of 0 bytes", DEV_GET, 0, EINVAL, LAST, 0, put_id_empty },
	{ "an id that is a nest", DEV_GET, 0, EINVAL, LAST, 0, put_id_nested },
	{ "an id of no engine", DEV_GET, 0, ENODEV, LAST, 0, put_id_wrong },
	{ "a name without its end", DEV_GET, 0, EINVAL, LAST, 0, put_name_unterminated },
	{ "an empty name", DEV_GET, 0, ENODEV, LAST, 0, put_name_empty },
	{ "a name of 0 bytes", DEV_GET, 0, EINVAL, LAST, 0, put_name_nothing },
	{ "a name of no engine", DEV_GET, 0, ENODEV, LAST, 0, put_name_wrong },
	{ "the beginning of a name", DEV_GET, 0, ENODEV, LAST, 0, put_name_prefix },
	{ "a name of 4096 bytes", DEV_GET, 0, EINVAL, LAST, 0, put_name_long },
	{ "an id and a name", DEV_GET, 0, EINVAL, LAST, 0, put_id_and_name },
	{ "an attribute that is unknown", DEV_GET, 0, EINVAL, LAST, 0, put_unknown },
	{ "an attribute of replies", DEV_GET, 0, EINVAL, LAST, 0, put_read_only },
	{ "bytes behind the attributes", DEV_GET, 0, EINVAL, SILENT, 0, put_leftover },
	{ "an attribute longer than its message", DEV_GET, 0, EINVAL, SILENT, 0, put_attr_beyond },
	{ "an attribute shorter than its header", DEV_GET, 0, EINVAL, SILENT, 0, put_attr_short },
	{ "half a header", DEV_GET, 0, EINVAL, SILENT, 0, cut_genl_header },
	{ "a reserved field in use", DEV_GET, 0, EINVAL, SILENT, 0, set_reserved },
	{ "command 0", 0, 0, EOPNOTSUPP, SILENT, 0, put_nothing },
	{ "command 255", 255, 0, EOPNOTSUPP, SILENT, 0, put_nothing },
	{ "an event as a request", IDMA_CMD_TRANSFER_ERROR, 0, EOPNOTSUPP, SILENT, 0, put_nothing },
	{ "an event as a dump", IDMA_CMD_DEV_DEAD, NLM_F_DUMP, EOPNOTSUPP, SILENT, 0, put_nothing },
	{ "a dump of what cannot be dumped", RESET, NLM_F_DUMP, EOPNOTSUPP, SILENT, 0, put_nothing },

	{ "no channel named", CHAN_GET, 0, EINVAL, MISSING, IDMA_A_CHAN_ID, put_nothing },
	{ "a channel's name and id", CHAN_GET, 0, EINVAL, LAST, 0, put_chan_name_and_id },
	{ "an engine without a channel", CHAN_GET, 0, EINVAL, MISSING, IDMA_A_CHAN_ID, put_chan_without_id },
	{ "a channel without an engine", CHAN_GET, 0, EINVAL, MISSING, IDMA_A_CHAN_DEV_ID, put_chan_without_dev },
	{ "channel 64 of an engine", CHAN_GET, 0, ENOENT, LAST, 0, put_chan_beyond },
	{ "channel 2^32-1 of an engine", CHAN_GET, 0, ENOENT, LAST, 0, put_chan_far_beyond },
	{ "a name of no channel", CHAN_GET, 0, ENOENT, LAST, 0, put_chan_name_wrong },
	{ "a channel's engine twice", CHAN_GET, NLM_F_DUMP, EINVAL, LAST, 0, put_chan_dev_twice },
	{ "channels of no engine", CHAN_GET, NLM_F_DUMP, ENODEV, LAST, 0, put_chan_dev_wrong },

	{ "reset of nothing", RESET, 0, EINVAL, MISSING, IDMA_A_DEV_ID, put_nothing },
	{ "reset of no engine", RESET, 0, ENODEV, LAST, 0, put_id_wrong },
	{ "reset by an id of 8 bytes", RESET, 0, EINVAL, LAST, 0, put_id_u64 },

	{ "bench: size 0", START, 0, ERANGE, LAST, 0, put_bench_size_0 },
	{ "bench: size beyond the maximum", START, 0, ERANGE, LAST, 0, put_bench_size_max },
	{ "bench: a good size and a bad one", START, 0, ERANGE, LAST, 0, put_bench_size_later },
	{ "bench: depth beyond the maximum", START, 0, ERANGE, LAST, 0, put_bench_depth_max },
	{ "bench: batch 0", START, 0, ERANGE, LAST, 0, put_bench_batch_0 },
	{ "bench: too many channels", START, 0, ERANGE, LAST, 0, put_bench_count_max },
	{ "bench: transfers of 4 bytes", START, 0, EINVAL, LAST, 0, put_bench_transfers_u32 },
	{ "bench: an unknown way to wait", START, 0, ERANGE, LAST, 0, put_bench_wait },
	{ "bench: an unknown way to verify", START, 0, ERANGE, LAST, 0, put_bench_verify },
	{ "bench: a flag with data", START, 0, ERANGE, LAST, 0, put_bench_flag_with_data },
	{ "bench: an offset beyond a cache line", START, 0, ERANGE, LAST, 0, put_bench_offset },
	{ "bench: a time limit of more than an hour", START, 0, ERANGE, LAST, 0, put_bench_time_limit },
	{ "bench: an attribute of replies", START, 0, EINVAL, LAST, 0, put_bench_reply_only },
	{ "bench: stop by an id of 2 bytes", IDMA_CMD_BENCH_STOP, 0, EINVAL, LAST, 0, put_bench_id_u16 },
	{ "bench: get by an id of 2 bytes", IDMA_CMD_BENCH_GET, 0, EINVAL, LAST, 0, put_bench_id_u16 },
	{ "bench: a dump by an id of 2 bytes", IDMA_CMD_BENCH_GET, NLM_F_DUMP, EINVAL, LAST, 0, put_bench_id_u16 },

	{ "no link named", IDMA_CMD_LINK_GET, 0, EINVAL, MISSING, IDMA_A_LINK_NAME, put_nothing },
	{ "a name of no link", IDMA_CMD_LINK_GET, 0, ENODEV, LAST, 0, put_link },
	{ "window: no address", WINDOW_NEW, 0, EINVAL, MISSING, IDMA_A_WINDOW_REMOTE, put_nothing },
	{ "window: no length", WINDOW_NEW, 0, EINVAL, MISSING, IDMA_A_WINDOW_LEN, put_window_no_len },
	{ "window: no such link", WINDOW_NEW, 0, ENODEV, LAST, 0, put_window },
	{ "window: PrivID 16", WINDOW_NEW, 0, ERANGE, LAST, 0, put_window_privid },
	{ "window: an unknown direction", WINDOW_NEW, 0, ERANGE, LAST, 0, put_window_dir },
	{ "window: an address of 4 bytes", WINDOW_NEW, 0, EINVAL, LAST, 0, put_window_remote_u32 },
	{ "window: an attribute of replies", WINDOW_NEW, 0, EINVAL, LAST, 0, put_window_reply_only },
	{ "window: none to delete", IDMA_CMD_WINDOW_DEL, 0, EINVAL, MISSING, IDMA_A_WINDOW_ID, put_nothing },
	{ "window: none such to delete", IDMA_CMD_WINDOW_DEL, 0, ENOENT, LAST, 0, put_window_id },
	{ "window: none such to get", IDMA_CMD_WINDOW_GET, 0, ENOENT, LAST, 0, put_window_id },
	{ "copy: through nothing", COPY, 0, EINVAL, MISSING, IDMA_A_WINDOW_COPY_ID, put_nothing },
	{ "copy: both ways at once", COPY, 0, ERANGE, LAST, 0, put_copy_dir },
	{ "copy: nothing", COPY, 0, ERANGE, LAST, 0, put_copy_len_0 },
	{ "copy: too much", COPY, 0, ERANGE, LAST, 0, put_copy_len_max },
	{ "copy: through no such window", COPY, 0, ENOENT, LAST, 0, put_copy_no_window },
	{ "grant: nothing", IDMA_CMD_GRANT_NEW, 0, ERANGE, LAST, 0, put_grant_0 },
	{ "grant: no length", IDMA_CMD_GRANT_NEW, 0, EINVAL, MISSING, IDMA_A_GRANT_LEN, put_nothing },
	{ "grant: no such link", IDMA_CMD_GRANT_NEW, 0, ENODEV, LAST, 0, put_grant_no_link },
	{ "grant: none to take back", IDMA_CMD_GRANT_DEL, 0, EINVAL, MISSING, IDMA_A_GRANT_REMOTE, put_nothing },
	{ "an event of a link as a request", IDMA_CMD_LINK_UP, 0, EOPNOTSUPP, SILENT, 0, put_nothing },
};

/* Where the last attribute of a message that was built as it should be begins */
static int last_attr(const struct msg *m)
{
	size_t at = NLMSG_HDRLEN + GENL_HDRLEN, last = 0;

	while (at + NLA_HDRLEN <= m->len) {
		last = at;
		at += NLA_ALIGN(((const struct nlattr *)(m->buf + at))->nla_len);
	}

	return last;
}

static bool alive(struct sock *s)
{
	struct seen seen;
	struct answer a;
	struct msg m;

	nl_begin(s, &m, IDMA_CMD_DEV_GET, 0);
	nl_put_u32(&m, IDMA_A_DEV_ID, some_id);
	request(s, &m, &seen, &a);

	return !a.error && seen.ndevs == 1 && seen.devs[0].id == some_id;
}

static bool is_linux_6_1(void)
{
	struct utsname u;

	return !uname(&u) && !strncmp(u.release, "6.1.", 4);
}

static void test_one(struct sock *s, const struct hostile *h)
{
	struct seen seen;
	struct answer a;
	struct msg m;
	int bad = -1;

	nl_begin(s, &m, h->cmd, h->flags);
	h->build(&m);
	if (h->bad == LAST)
		bad = last_attr(&m);
	else if (h->bad == FIRST)
		bad = NLMSG_HDRLEN + GENL_HDRLEN;
	request(s, &m, &seen, &a);
	if (!check(a.error == h->error, "hostile: %s: %s", h->what, a.error ? strerror(a.error) : "taken"))
		printf("# expected: %s; the kernel says: \"%s\"\n", strerror(h->error), a.text);
	/* Up to 6.1 netlink says in words only what is wrong with a dump */
	if (h->flags & NLM_F_DUMP && is_linux_6_1() && a.bad_attr < 0)
		bad = -1;
	if (bad >= 0 && a.bad_attr != bad)
		check(false, "hostile: %s: the attribute at %d is named, not that at %d", h->what, a.bad_attr, bad);
	if (h->bad == MISSING && a.missing != h->missing)
		check(false, "hostile: %s: attribute %d is missed, not %d", h->what, a.missing, h->missing);
	/* Netlink itself says nothing of these in words */
	if ((h->bad == LAST || h->bad == MISSING) && !a.text[0])
		check(false, "hostile: %s: something is said in words", h->what);
}

/* What netlink throws away without an answer */
static void test_unanswered(struct sock *s)
{
	static const uint32_t lengths[] = { 0, 1, NLMSG_HDRLEN - 1, 1000, UINT32_MAX };
	struct answer a;
	struct msg m;

	for (unsigned int i = 0; i < ARRAY_SIZE(lengths); i++) {
		nl_begin(s, &m, IDMA_CMD_DEV_GET, 0);
		nl_put_u32(&m, IDMA_A_DEV_ID, some_id);
		m.h.nlmsg_len = lengths[i];
		nl_send(s, &m);
		check(!nl_wait(s, m.h.nlmsg_seq, &a, 50) && alive(s),
		      "hostile: a message that says it has %u bytes is thrown away", lengths[i]);
	}
}

/* As long as netlink takes, full of an attribute that may come more than once */
static void test_oversized(struct sock *s)
{
	struct seen seen;
	struct answer a;
	struct msg m;

	nl_begin(s, &m, IDMA_CMD_BENCH_START, 0);
	while (m.len + 8 <= sizeof(m.buf))
		nl_put_u32(&m, IDMA_A_BENCH_SIZE, 64);
	request(s, &m, &seen, &a);
	check(a.error == EINVAL || a.error == ERANGE || a.error == E2BIG || a.error == EOPNOTSUPP,
	      "hostile: 64 KiB of sizes: %s", strerror(a.error));

	nl_begin(s, &m, IDMA_CMD_DEV_GET, 0);
	while (m.len + 8 <= sizeof(m.buf))
		nl_put_u32(&m, IDMA_A_DEV_ID, some_id);
	request(s, &m, &seen, &a);
	check(a.error == EINVAL || (!a.error && seen.ndevs == 1),
	      "hostile: 64 KiB of ids: %s", a.error ? strerror(a.error) : "one of them is taken");
}

/* Ask for more and more, and never read the answers */
static void test_deaf(struct sock *s)
{
	struct sockaddr_nl sa = { .nl_family = AF_NETLINK };
	unsigned int sent = 0, refused = 0;
	struct sock deaf;
	struct msg m;

	nl_open(&deaf);
	deaf.family = s->family;
	for (unsigned int i = 0; i < 5000; i++) {
		nl_begin(&deaf, &m, i & 1 ? IDMA_CMD_CHAN_GET : IDMA_CMD_DEV_GET, NLM_F_DUMP);
		if (sendto(deaf.fd, m.buf, m.len, MSG_DONTWAIT, (struct sockaddr *)&sa, sizeof(sa)) < 0)
			refused++;
		else
			sent++;
	}
	check(alive(s), "hostile: a socket that never reads (%u requests, %u refused) disturbs no other",
	      sent, refused);
	nl_close(&deaf);
	check(alive(s), "hostile: nor does its end");
}

static void need_engine(struct sock *s)
{
	struct seen seen;
	struct answer a;

	dump_devs(s, &seen, &a);
	if (a.error || !seen.ndevs)
		die("there is no engine");
	some_id = seen.devs[0].id;
	snprintf(some_name, sizeof(some_name), "%s", seen.devs[0].name);
}

static void test_hostile(struct sock *s)
{
	need_engine(s);
	for (unsigned int i = 0; i < ARRAY_SIZE(hostile); i++)
		test_one(s, &hostile[i]);
	check(alive(s), "hostile: the family still answers");
	test_unanswered(s);
	test_oversized(s);
	test_deaf(s);
}

/* ---- fuzz ---- */

static uint64_t rnd_state;

static uint32_t rnd(uint32_t below)
{
	/* xorshift64* */
	rnd_state ^= rnd_state >> 12;
	rnd_state ^= rnd_state << 25;
	rnd_state ^= rnd_state >> 27;

	return ((rnd_state * 0x2545f4914f6cdd1dULL) >> 33) % below;
}

static uint32_t odd_number(void)
{
	static const uint32_t odd[] = { 0, 1, 2, 7, 8, 63, 64, 1024, 1025, 65535, 1U << 21, 1U << 31, UINT32_MAX };

	return rnd(4) ? odd[rnd(ARRAY_SIZE(odd))] : rnd(INT32_MAX);
}

static void put_random(struct msg *m)
{
	unsigned char data[128];
	uint16_t type = rnd(8) ? rnd(28) : rnd(65536);

	switch (rnd(6)) {
	case 0:
		nl_put_u32(m, type, odd_number());
		break;
	case 1:
		nl_put_u64(m, type, (uint64_t)odd_number() << 32 | odd_number());
		break;
	case 2:
		nl_put_str(m, type, rnd(2) ? some_name : "dma0chan0");
		break;
	case 3:
		nl_put(m, type, NULL, 0);
		break;
	case 4:
		nl_put_u32(m, IDMA_A_DEV_ID, some_id);
		break;
	default:
		for (unsigned int i = 0; i < sizeof(data); i++)
			data[i] = rnd(256);
		nl_put(m, type, data, rnd(sizeof(data)));
	}
}

static void send_raw(struct sock *s, const struct msg *m)
{
	struct sockaddr_nl sa = { .nl_family = AF_NETLINK };

	/* That netlink does not even take it is fine as well */
	(void)!sendto(s->fd, m->buf, m->len, MSG_DONTWAIT, (struct sockaddr *)&sa, sizeof(sa));
}

static void ignore(void *arg, uint8_t cmd, const struct nlattr *attrs, size_t len)
{
	(void)arg;
	(void)cmd;
	(void)attrs;
	(void)len;
}

static void test_fuzz(struct sock *s, uint64_t seed, unsigned int count)
{
	unsigned int answered = 0, taken = 0, dead = 0;
	struct sock f;
	struct answer a;
	struct msg m;

	need_engine(s);
	nl_open(&f);
	f.family = s->family;
	f.reply = ignore;
	rnd_state = seed * 2 + 1;
	for (unsigned int i = 0; i < count; i++) {
		uint8_t cmd = rnd(16) ? 1 + rnd(IDMA_CMD_MAX) : rnd(256);
		uint32_t seq;

		nl_begin(&f, &m, cmd, rnd(3) ? 0 : NLM_F_DUMP);
		seq = m.h.nlmsg_seq;
		for (unsigned int n = rnd(6); n; n--)
			put_random(&m);
		/* and break what was well-formed up to here */
		for (unsigned int n = rnd(3); n; n--)
			m.buf[NLMSG_HDRLEN + rnd(m.len - NLMSG_HDRLEN)] = rnd(256);
		if (!rnd(8))
			m.h.nlmsg_len = m.len = NLMSG_HDRLEN + rnd(m.len - NLMSG_HDRLEN);
		send_raw(&f, &m);
		if (nl_wait(&f, seq, &a, 10000)) {
			answered++;
			taken += !a.error;
			if (!a.error && cmd == IDMA_CMD_BENCH_START) {
				nl_begin(&f, &m, IDMA_CMD_BENCH_STOP, 0);
				nl_send(&f, &m);
				nl_wait(&f, m.h.nlmsg_seq, &a, 10000);
			}
		}
		if (i % 64 == 0)
			dead += !alive(s);
	}
	nl_close(&f);
	check(answered == count, "fuzz: %u of %u messages are answered, %u of them taken", answered, count, taken);
	check(taken && taken < count, "fuzz: some are taken, and not all");
	check(!dead && alive(s), "fuzz: the family answers all the time");
}

/* ---- dump, events, reset ---- */

static long seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec;
}

static void test_dump(struct sock *s, const char *until)
{
	unsigned int dumps = 0, interrupted = 0, none = 0, some = 0, errors = 0;

	do {
		struct seen seen;
		struct answer a;
		struct msg m;
		uint8_t cmd = dumps & 1 ? IDMA_CMD_CHAN_GET : IDMA_CMD_DEV_GET;

		nl_begin(s, &m, cmd, NLM_F_DUMP);
		request(s, &m, &seen, &a);
		dumps++;
		errors += a.error != 0;
		interrupted += a.interrupted;
		/* What is not marked as interrupted must be right */
		if (!a.interrupted && seen.disorder)
			die("a dump out of order that is not marked as interrupted");
		if (seen.ndevs + seen.nchans)
			some++;
		else
			none++;
	} while (access(until, F_OK));
	printf("dumps=%u interrupted=%u none=%u some=%u errors=%u\n", dumps, interrupted, none, some, errors);
	check(some && !errors, "dumps all the time while engines come and go");
}

static void write_file(const char *dir, const char *name, const char *val)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	if (!f || fputs(val, f) < 0 || fclose(f))
		die("cannot write %s to %s: %s", val, path, strerror(errno));
}

/*
 * The first part of a dump is made when it is asked for, the next one when the
 * first is read: what happens between the two happens in the middle.
 */
static void test_interrupt(struct sock *s, const char *driver, const char *name)
{
	unsigned int before, after;
	struct seen seen;
	struct answer a;
	struct msg m;

	nl_begin(s, &m, IDMA_CMD_CHAN_GET, NLM_F_DUMP);
	request(s, &m, &seen, &a);
	before = seen.nchans;

	memset(&seen, 0, sizeof(seen));
	nl_begin(s, &m, IDMA_CMD_CHAN_GET, NLM_F_DUMP);
	nl_send(s, &m);
	write_file(driver, "unbind", name);
	check(nl_wait(s, m.h.nlmsg_seq, &a, 30000) && !a.error, "a dump goes on when an engine is unbound");
	check(a.interrupted, "and is marked as interrupted");

	nl_begin(s, &m, IDMA_CMD_CHAN_GET, NLM_F_DUMP);
	request(s, &m, &seen, &a);
	after = seen.nchans;
	check(!a.error && !a.interrupted && after < before, "the next one is not, and has %u channels, not %u",
	      after, before);

	write_file(driver, "bind", name);
	nl_begin(s, &m, IDMA_CMD_CHAN_GET, NLM_F_DUMP);
	request(s, &m, &seen, &a);
	check(!a.error && !a.interrupted && seen.nchans == before, "the engine is back");
}

static void print_event(void *arg, uint8_t cmd, const struct nlattr *attrs, size_t len)
{
	const struct nlattr *tb[IDMA_A_EVENT_MAX + 1];

	(void)arg;
	if (cmd == IDMA_CMD_BENCH_FINISHED) {
		const struct nlattr *b[IDMA_A_BENCH_MAX + 1];

		if (!nl_parse(attrs, len, b, IDMA_A_BENCH_MAX))
			die("malformed event");
		printf("bench-finished id=%u state=%u configs=%u done=%u message=%s\n", nl_u32(b[IDMA_A_BENCH_ID], "id"),
		       nl_u32(b[IDMA_A_BENCH_STATE], "state"), nl_u32(b[IDMA_A_BENCH_CONFIGS], "configs"),
		       nl_u32(b[IDMA_A_BENCH_CONFIGS_DONE], "configs-done"),
		       b[IDMA_A_BENCH_MESSAGE] ? nl_str(b[IDMA_A_BENCH_MESSAGE], "message") : "");
		fflush(stdout);
		return;
	}
	if (!nl_parse(attrs, len, tb, IDMA_A_EVENT_MAX))
		die("malformed event");
	printf("%s dev=%u:%s time=%llu", cmd == IDMA_CMD_TRANSFER_ERROR ? "transfer-error" :
	       cmd == IDMA_CMD_DEV_DEAD ? "dev-dead" : cmd == IDMA_CMD_DEV_RECOVERED ? "dev-recovered" : "unknown",
	       nl_u32(tb[IDMA_A_EVENT_DEV_ID], "dev-id"), nl_str(tb[IDMA_A_EVENT_DEV_NAME], "dev-name"),
	       (unsigned long long)nl_u64(tb[IDMA_A_EVENT_TIME], "time"));
	if (tb[IDMA_A_EVENT_LOST])
		printf(" lost=%u", nl_u32(tb[IDMA_A_EVENT_LOST], "lost"));
	if (cmd == IDMA_CMD_TRANSFER_ERROR) {
		uint64_t length = nl_u64(tb[IDMA_A_EVENT_LEN], "len");
		uint64_t residue = nl_u64(tb[IDMA_A_EVENT_RESIDUE], "residue");

		if (!residue || residue > length)
			die("a residue of %llu of %llu bytes", (unsigned long long)residue, (unsigned long long)length);
		printf(" chan=%u:%s fault=%u cookie=%u len=%llu residue=%llu", nl_u32(tb[IDMA_A_EVENT_CHAN_ID], "chan-id"),
		       nl_str(tb[IDMA_A_EVENT_CHAN_NAME], "chan-name"), nl_u32(tb[IDMA_A_EVENT_FAULT], "fault"),
		       nl_u32(tb[IDMA_A_EVENT_COOKIE], "cookie"), (unsigned long long)length, (unsigned long long)residue);
	} else if (cmd == IDMA_CMD_DEV_DEAD) {
		printf(" in_flight=%u", nl_u32(tb[IDMA_A_EVENT_IN_FLIGHT], "in-flight"));
	} else if (cmd == IDMA_CMD_DEV_RECOVERED) {
		printf(" method=%u", nl_u32(tb[IDMA_A_EVENT_RESET_METHOD], "reset-method"));
	}
	putchar('\n');
	fflush(stdout);
}

static void events(struct sock *s, long how_long)
{
	long end = seconds() + how_long;

	if (!s->events)
		die("the family has no group of events");
	if (setsockopt(s->fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &s->events, sizeof(s->events)))
		die("cannot listen: %s", strerror(errno));
	puts("listening");
	fflush(stdout);
	s->reply = print_event;
	s->arg = NULL;
	while (seconds() < end)
		nl_listen(s, 500);
}

static void reset(struct sock *s, const char *name)
{
	struct seen seen;
	struct answer a;
	struct msg m;

	nl_begin(s, &m, IDMA_CMD_DEV_RESET, 0);
	nl_put_str(&m, IDMA_A_DEV_NAME, name);
	request(s, &m, &seen, &a);
	if (a.error)
		printf("reset error=%d text=%s\n", a.error, a.text);
}

/* ---- bench ---- */

struct bench {
	uint32_t id, state, error, configs, configs_done, counters;
	char message[256];
	unsigned int results;
	bool totals_only;
};

static uint64_t get_hist(const struct nlattr *a, const char *what)
{
	const struct nlattr *tb[IDMA_A_BENCH_HIST_MAX + 1];
	uint64_t count, sum, in_buckets = 0, bucket, low = 0;

	if (!a || !nl_parse(nl_data(a), nl_len(a), tb, IDMA_A_BENCH_HIST_MAX))
		die("%s: no histogram, or a malformed one", what);
	count = nl_u64(tb[IDMA_A_BENCH_HIST_COUNT], what);
	sum = nl_u64(tb[IDMA_A_BENCH_HIST_SUM], what);
	if (!count != !tb[IDMA_A_BENCH_HIST_BUCKETS] || !count != !tb[IDMA_A_BENCH_HIST_SMALLEST] ||
	    !count != !tb[IDMA_A_BENCH_HIST_LARGEST])
		die("%s: an empty histogram with something in it, or the other way round", what);
	if (!count)
		return 0;

	for (size_t i = 0; i < nl_len(tb[IDMA_A_BENCH_HIST_BUCKETS]) / sizeof(bucket); i++) {
		memcpy(&bucket, (const char *)nl_data(tb[IDMA_A_BENCH_HIST_BUCKETS]) + i * sizeof(bucket),
		       sizeof(bucket));
		in_buckets += bucket;
		/* The least that what is in this bucket can sum up to */
		low += bucket * (i ? 1ULL << (i - 1) : 0);
	}
	if (nl_len(tb[IDMA_A_BENCH_HIST_BUCKETS]) > IDMA_BENCH_BUCKETS * sizeof(bucket) || in_buckets != count)
		die("%s: %llu in buckets, %llu counted", what, (unsigned long long)in_buckets, (unsigned long long)count);
	if (low > sum || nl_u64(tb[IDMA_A_BENCH_HIST_SMALLEST], what) > sum / count ||
	    nl_u64(tb[IDMA_A_BENCH_HIST_LARGEST], what) < sum / count)
		die("%s: buckets, bounds and sum contradict each other", what);
	printf(" %s=%llu", what, (unsigned long long)(sum / count));

	return count;
}

static unsigned int get_phase(const struct nlattr *a, uint64_t *count)
{
	const struct nlattr *tb[IDMA_A_BENCH_PHASE_RESULT_MAX + 1];
	static const char *const names[] = { "prep", "submit", "issue", "complete" };
	char what[32];
	uint32_t phase;

	if (!nl_parse(nl_data(a), nl_len(a), tb, IDMA_A_BENCH_PHASE_RESULT_MAX))
		die("a malformed phase");
	phase = nl_u32(tb[IDMA_A_BENCH_PHASE_RESULT_PHASE], "phase");
	if (phase > IDMA_BENCH_PHASE_MAX)
		die("an unknown phase");
	snprintf(what, sizeof(what), "%s_ns", names[phase]);
	count[phase] = get_hist(tb[IDMA_A_BENCH_PHASE_RESULT_NS], what);
	if (tb[IDMA_A_BENCH_PHASE_RESULT_INSTRUCTIONS]) {
		snprintf(what, sizeof(what), "%s_instructions", names[phase]);
		get_hist(tb[IDMA_A_BENCH_PHASE_RESULT_INSTRUCTIONS], what);
	}
	if (tb[IDMA_A_BENCH_PHASE_RESULT_CYCLES]) {
		snprintf(what, sizeof(what), "%s_cycles", names[phase]);
		get_hist(tb[IDMA_A_BENCH_PHASE_RESULT_CYCLES], what);
	}

	return phase;
}

static void get_result(struct bench *b, const struct nlattr *a)
{
	const struct nlattr *tb[IDMA_A_BENCH_RESULT_MAX + 1] = { NULL }, *p;
	uint64_t count[IDMA_BENCH_PHASE_MAX + 1] = { 0 }, transfers;
	static const struct {
		unsigned int attr;
		const char *name;
	} totals[] = {
		{ IDMA_A_BENCH_RESULT_BYTES, "bytes" },
		{ IDMA_A_BENCH_RESULT_TIME, "time" },
		{ IDMA_A_BENCH_RESULT_ERRORS, "errors" },
		{ IDMA_A_BENCH_RESULT_VERIFIED, "verified" },
		{ IDMA_A_BENCH_RESULT_MISMATCHES, "mismatches" },
		{ IDMA_A_BENCH_RESULT_CALLBACKS_ELSEWHERE, "elsewhere" },
		{ IDMA_A_BENCH_RESULT_INTERRUPTS, "interrupts" },
		{ IDMA_A_BENCH_RESULT_INSTRUCTIONS, "instructions" },
		{ IDMA_A_BENCH_RESULT_INSTRUCTIONS_IDLE, "instructions_idle" },
		{ IDMA_A_BENCH_RESULT_CYCLES, "cycles" },
		{ IDMA_A_BENCH_RESULT_CYCLES_IDLE, "cycles_idle" },
	};
	unsigned int seen = 0;
	size_t left;
	uint32_t state;

	/* Phases come more than once, which nl_parse() does not take */
	nl_for_each(p, nl_data(a), nl_len(a), left)
		if ((p->nla_type & NLA_TYPE_MASK) <= IDMA_A_BENCH_RESULT_MAX)
			tb[p->nla_type & NLA_TYPE_MASK] = p;
	if (left)
		die("a malformed result");
	state = nl_u32(tb[IDMA_A_BENCH_RESULT_STATE], "state");
	printf("config index=%u size=%u depth=%u batch=%u channels=%u state=%u error=%u",
	       nl_u32(tb[IDMA_A_BENCH_RESULT_INDEX], "index"), nl_u32(tb[IDMA_A_BENCH_RESULT_SIZE], "size"),
	       nl_u32(tb[IDMA_A_BENCH_RESULT_DEPTH], "depth"), nl_u32(tb[IDMA_A_BENCH_RESULT_BATCH], "batch"),
	       nl_u32(tb[IDMA_A_BENCH_RESULT_CHANNELS], "channels"), state,
	       tb[IDMA_A_BENCH_RESULT_ERROR] ? nl_u32(tb[IDMA_A_BENCH_RESULT_ERROR], "error") : 0);
	if (nl_u32(tb[IDMA_A_BENCH_RESULT_INDEX], "index") != b->results)
		die("configurations out of order");
	b->results++;
	if (state != IDMA_BENCH_STATE_DONE) {
		putchar('\n');
		return;
	}

	transfers = nl_u64(tb[IDMA_A_BENCH_RESULT_TRANSFERS], "transfers");
	printf(" transfers=%llu", (unsigned long long)transfers);
	for (unsigned int i = 0; i < ARRAY_SIZE(totals); i++)
		if (tb[totals[i].attr])
			printf(" %s=%llu", totals[i].name, (unsigned long long)nl_u64(tb[totals[i].attr], totals[i].name));
	if (nl_u64(tb[IDMA_A_BENCH_RESULT_BYTES], "bytes") != transfers * nl_u32(tb[IDMA_A_BENCH_RESULT_SIZE], "size"))
		die("bytes are not transfers times size");
	if (!tb[IDMA_A_BENCH_RESULT_INSTRUCTIONS] != !(b->counters & IDMA_BENCH_COUNTER_INSTRUCTIONS))
		die("instructions without a counter, or the other way round");

	nl_for_each(p, nl_data(a), nl_len(a), left)
		if ((p->nla_type & NLA_TYPE_MASK) == IDMA_A_BENCH_RESULT_PHASE)
			seen |= 1U << get_phase(p, count);
	putchar('\n');
	if (seen != (b->totals_only ? 0 : (1U << (IDMA_BENCH_PHASE_MAX + 1)) - 1))
		die("phases %#x of a run with%s phases", seen, b->totals_only ? "out" : "");
	if (!b->totals_only &&
	    (count[IDMA_BENCH_PHASE_SUBMIT] != transfers || count[IDMA_BENCH_PHASE_COMPLETE] != transfers))
		die("%llu transfers, %llu submitted, %llu completed", (unsigned long long)transfers,
		    (unsigned long long)count[IDMA_BENCH_PHASE_SUBMIT],
		    (unsigned long long)count[IDMA_BENCH_PHASE_COMPLETE]);
}

static void got_bench(void *arg, uint8_t cmd, const struct nlattr *attrs, size_t len)
{
	const struct nlattr *tb[IDMA_A_BENCH_MAX + 1] = { NULL };
	const struct nlattr *p;
	struct bench *b = arg;
	size_t left;

	if (cmd != IDMA_CMD_BENCH_START && cmd != IDMA_CMD_BENCH_GET)
		return;
	/* Channels come more than once */
	nl_for_each(p, attrs, len, left)
		if ((p->nla_type & NLA_TYPE_MASK) <= IDMA_A_BENCH_MAX)
			tb[p->nla_type & NLA_TYPE_MASK] = p;
	if (left)
		die("bench: a malformed answer");
	b->id = nl_u32(tb[IDMA_A_BENCH_ID], "id");
	if (tb[IDMA_A_BENCH_CONFIGS])
		b->configs = nl_u32(tb[IDMA_A_BENCH_CONFIGS], "configs");
	if (tb[IDMA_A_BENCH_RESULT])
		get_result(b, tb[IDMA_A_BENCH_RESULT]);
	if (!tb[IDMA_A_BENCH_STATE])
		return;
	b->state = nl_u32(tb[IDMA_A_BENCH_STATE], "state");
	b->configs_done = nl_u32(tb[IDMA_A_BENCH_CONFIGS_DONE], "configs-done");
	b->error = tb[IDMA_A_BENCH_ERROR] ? nl_u32(tb[IDMA_A_BENCH_ERROR], "error") : 0;
	b->counters = tb[IDMA_A_BENCH_COUNTERS] ? nl_u32(tb[IDMA_A_BENCH_COUNTERS], "counters") : 0;
	snprintf(b->message, sizeof(b->message), "%s",
		 tb[IDMA_A_BENCH_MESSAGE] ? nl_str(tb[IDMA_A_BENCH_MESSAGE], "message") : "");
}

static void put_bench(struct msg *m, struct bench *b, const char *arg)
{
	static const struct {
		const char *name;
		uint16_t attr;
	} numbers[] = {
		{ "channel-count", IDMA_A_BENCH_CHANNEL_COUNT },
		{ "size", IDMA_A_BENCH_SIZE },
		{ "depth", IDMA_A_BENCH_DEPTH },
		{ "batch", IDMA_A_BENCH_BATCH },
		{ "time-limit", IDMA_A_BENCH_TIME_LIMIT },
		{ "timeout", IDMA_A_BENCH_TIMEOUT },
		{ "warmup", IDMA_A_BENCH_WARMUP },
		{ "wait", IDMA_A_BENCH_WAIT },
		{ "verify", IDMA_A_BENCH_VERIFY },
		{ "src-offset", IDMA_A_BENCH_SRC_OFFSET },
		{ "dst-offset", IDMA_A_BENCH_DST_OFFSET },
		{ "cpu", IDMA_A_BENCH_CPU },
	};
	const char *val = strchr(arg, '=');

	if (!strcmp(arg, "totals-only")) {
		b->totals_only = true;
		nl_put(m, IDMA_A_BENCH_TOTALS_ONLY, NULL, 0);
		return;
	}
	if (!strcmp(arg, "detach")) {
		nl_put(m, IDMA_A_BENCH_DETACH, NULL, 0);
		return;
	}
	if (!val++)
		die("bench: '%s' is not NAME=VALUE", arg);
	if (!strncmp(arg, "channel=", 8)) {
		nl_put_str(m, IDMA_A_BENCH_CHANNEL, val);
		return;
	}
	if (!strncmp(arg, "transfers=", 10)) {
		nl_put_u64(m, IDMA_A_BENCH_TRANSFERS, strtoull(val, NULL, 0));
		return;
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (strncmp(arg, numbers[i].name, val - arg - 1) || numbers[i].name[val - arg - 1])
			continue;
		nl_put_u32(m, numbers[i].attr, strtoul(val, NULL, 0));
		return;
	}
	die("bench: unknown name in '%s'", arg);
}

static bool bench_get(struct sock *s, struct bench *b)
{
	struct answer a;
	struct msg m;

	s->reply = got_bench;
	s->arg = b;
	nl_begin(s, &m, IDMA_CMD_BENCH_GET, 0);
	nl_talk(s, &m, &a);
	if (a.error)
		printf("get error=%d text=%s\n", a.error, a.text);

	return !a.error;
}

static void bench_show(const struct bench *b)
{
	printf("run id=%u state=%u error=%u configs=%u configs_done=%u counters=%u message=%s\n", b->id, b->state,
	       b->error, b->configs, b->configs_done, b->counters, b->message);
	fflush(stdout);
}

static bool bench_start(struct sock *s, struct bench *b, int argc, char **argv)
{
	struct answer a;
	struct msg m;

	s->reply = got_bench;
	s->arg = b;
	nl_begin(s, &m, IDMA_CMD_BENCH_START, 0);
	for (int i = 0; i < argc; i++)
		put_bench(&m, b, argv[i]);
	nl_talk(s, &m, &a);
	if (a.error)
		printf("start error=%d text=%s\n", a.error, a.text);

	return !a.error;
}

/* Start a run, wait for its end, and look at all its results */
static void bench(struct sock *s, int argc, char **argv)
{
	long end = seconds() + 120;
	struct bench b = { 0 };
	struct answer a;
	struct msg m;

	if (!bench_start(s, &b, argc, argv))
		return;
	do {
		usleep(20000);
		if (!bench_get(s, &b))
			return;
		if (seconds() > end)
			die("bench: no end after 120 s");
	} while (b.state == IDMA_BENCH_STATE_PENDING || b.state == IDMA_BENCH_STATE_RUNNING);
	bench_show(&b);

	nl_begin(s, &m, IDMA_CMD_BENCH_GET, NLM_F_DUMP);
	nl_put_u32(&m, IDMA_A_BENCH_ID, b.id);
	nl_talk(s, &m, &a);
	if (a.error || b.results != b.configs)
		die("bench: %u results of %u configurations (%s)", b.results, b.configs, strerror(a.error));
}

static void bench_hold(struct sock *s, int argc, char **argv)
{
	struct bench b = { 0 };

	if (!bench_start(s, &b, argc, argv))
		return;
	puts("held");
	fflush(stdout);
	for (;;)
		pause();
}

static void bench_stop(struct sock *s)
{
	struct bench b = { 0 };
	struct answer a;
	struct msg m;

	nl_begin(s, &m, IDMA_CMD_BENCH_STOP, 0);
	nl_talk(s, &m, &a);
	printf("stop error=%d text=%s\n", a.error, a.text);
	if (bench_get(s, &b))
		bench_show(&b);
}

int main(int argc, char **argv)
{
	const char *cmd = argc > 1 ? argv[1] : "";
	struct sock s = { 0 };

	nl_open(&s);
	if (!nl_resolve(&s)) {
		puts("no family");
		return 4;
	}

	if (!strcmp(cmd, "read"))
		test_read(&s);
	else if (!strcmp(cmd, "show"))
		show(&s);
	else if (!strcmp(cmd, "unprivileged"))
		test_unprivileged(&s);
	else if (!strcmp(cmd, "hostile"))
		test_hostile(&s);
	else if (!strcmp(cmd, "fuzz") && argc == 4)
		test_fuzz(&s, strtoull(argv[2], NULL, 0), atoi(argv[3]));
	else if (!strcmp(cmd, "dump") && argc == 3)
		test_dump(&s, argv[2]);
	else if (!strcmp(cmd, "interrupt") && argc == 4)
		test_interrupt(&s, argv[2], argv[3]);
	else if (!strcmp(cmd, "events") && argc == 3)
		events(&s, atoi(argv[2]));
	else if (!strcmp(cmd, "reset") && argc == 3)
		reset(&s, argv[2]);
	else if (!strcmp(cmd, "bench"))
		bench(&s, argc - 2, argv + 2);
	else if (!strcmp(cmd, "bench-hold"))
		bench_hold(&s, argc - 2, argv + 2);
	else if (!strcmp(cmd, "bench-get") && argc == 2) {
		struct bench b = { 0 };

		if (bench_get(&s, &b))
			bench_show(&b);
	} else if (!strcmp(cmd, "bench-stop") && argc == 2)
		bench_stop(&s);
	else
		die("idma-nl-test: unknown command '%s', or it takes other arguments", cmd);

	return failures ? 1 : 0;
}
