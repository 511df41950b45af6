// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sending and receiving for the netlink tests; see nl.h.
 */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "nl.h"

void die(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("Bail out! ", stdout);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	exit(3);
}

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

void nl_open(struct sock *s)
{
	struct sockaddr_nl sa = { .nl_family = AF_NETLINK };
	int one = 1;

	s->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (s->fd < 0)
		die("no generic netlink: %s", strerror(errno));
	if (bind(s->fd, (struct sockaddr *)&sa, sizeof(sa)))
		die("bind: %s", strerror(errno));
	if (setsockopt(s->fd, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one)) ||
	    setsockopt(s->fd, SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof(one)) ||
	    setsockopt(s->fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &one, sizeof(one)))
		die("setsockopt: %s", strerror(errno));
	s->seq = 1;
}

void nl_close(struct sock *s)
{
	close(s->fd);
	s->fd = -1;
}

void nl_begin(struct sock *s, struct msg *m, uint8_t cmd, uint16_t flags)
{
	struct genlmsghdr *g;

	memset(m, 0, NLMSG_HDRLEN + GENL_HDRLEN);
	m->h.nlmsg_type = s->family;
	m->h.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
	m->h.nlmsg_seq = ++s->seq;
	g = NLMSG_DATA(&m->h);
	g->cmd = cmd;
	g->version = IDMA_FAMILY_VERSION;
	m->len = NLMSG_HDRLEN + GENL_HDRLEN;
	m->h.nlmsg_len = m->len;
}

size_t nl_put(struct msg *m, uint16_t type, const void *data, size_t len)
{
	struct nlattr *a = (struct nlattr *)(m->buf + m->len);
	size_t at = m->len;

	if (m->len + NLA_HDRLEN + NLA_ALIGN(len) > sizeof(m->buf))
		die("a message of the test is too long");
	memset(a, 0, NLA_HDRLEN + NLA_ALIGN(len));
	a->nla_type = type;
	a->nla_len = NLA_HDRLEN + len;
	if (len)
		memcpy((char *)a + NLA_HDRLEN, data, len);
	m->len += NLA_HDRLEN + NLA_ALIGN(len);
	m->h.nlmsg_len = m->len;

	return at;
}

size_t nl_put_u32(struct msg *m, uint16_t type, uint32_t val)
{
	return nl_put(m, type, &val, sizeof(val));
}

size_t nl_put_u64(struct msg *m, uint16_t type, uint64_t val)
{
	return nl_put(m, type, &val, sizeof(val));
}

size_t nl_put_str(struct msg *m, uint16_t type, const char *s)
{
	return nl_put(m, type, s, strlen(s) + 1);
}

void nl_send(struct sock *s, struct msg *m)
{
	struct sockaddr_nl sa = { .nl_family = AF_NETLINK };

	if (sendto(s->fd, m->buf, m->len, 0, (struct sockaddr *)&sa, sizeof(sa)) != (ssize_t)m->len)
		die("sendto %zu bytes: %s", m->len, strerror(errno));
}

bool nl_parse(const struct nlattr *attrs, size_t len, const struct nlattr **tb, unsigned int max)
{
	const struct nlattr *a;
	size_t left;

	memset(tb, 0, (max + 1) * sizeof(*tb));
	nl_for_each(a, attrs, len, left) {
		unsigned int type = a->nla_type & NLA_TYPE_MASK;

		/* User space must not stumble over what is new */
		if (type > max)
			continue;
		if (tb[type])
			return false;
		tb[type] = a;
	}

	return left == 0;
}

uint32_t nl_u32(const struct nlattr *a, const char *what)
{
	uint32_t v;

	if (!a || nl_len(a) != sizeof(v))
		die("%s: %s", what, a ? "not a u32" : "missing");
	memcpy(&v, nl_data(a), sizeof(v));

	return v;
}

uint64_t nl_u64(const struct nlattr *a, const char *what)
{
	uint64_t v;

	if (!a || nl_len(a) != sizeof(v))
		die("%s: %s", what, a ? "not a u64" : "missing");
	memcpy(&v, nl_data(a), sizeof(v));

	return v;
}

const char *nl_str(const struct nlattr *a, const char *what)
{
	if (!a || !nl_len(a) || strnlen(nl_data(a), nl_len(a)) != nl_len(a) - 1)
		die("%s: %s", what, a ? "not a string" : "missing");

	return nl_data(a);
}

/* An ack, an error or the end of a dump, with what the extended ack says */
static void ended(const struct nlmsghdr *h, struct answer *a)
{
	const struct nlattr *tb[NLMSGERR_ATTR_MAX + 1];
	const char *attrs;
	int error;

	if (h->nlmsg_len < NLMSG_LENGTH(sizeof(error)))
		die("an answer of %u bytes", h->nlmsg_len);
	memcpy(&error, NLMSG_DATA(h), sizeof(error));
	a->acked = true;
	a->error = -error;
	a->bad_attr = -1;
	a->missing = -1;
	if (!(h->nlmsg_flags & NLM_F_ACK_TLVS))
		return;

	attrs = NLMSG_DATA(h);
	attrs += h->nlmsg_type == NLMSG_ERROR ? sizeof(struct nlmsgerr) : NLMSG_ALIGN(sizeof(error));
	/* The whole request is sent back only without NETLINK_CAP_ACK */
	if (h->nlmsg_type == NLMSG_ERROR && !(h->nlmsg_flags & NLM_F_CAPPED))
		attrs += NLMSG_ALIGN(((const struct nlmsgerr *)NLMSG_DATA(h))->msg.nlmsg_len) - NLMSG_HDRLEN;
	if (!nl_parse((const struct nlattr *)attrs, (const char *)h + h->nlmsg_len - attrs, tb, NLMSGERR_ATTR_MAX))
		die("malformed extended ack");
	if (tb[NLMSGERR_ATTR_MSG])
		snprintf(a->text, sizeof(a->text), "%s", nl_str(tb[NLMSGERR_ATTR_MSG], "extended ack"));
	if (tb[NLMSGERR_ATTR_OFFS])
		a->bad_attr = nl_u32(tb[NLMSGERR_ATTR_OFFS], "extended ack");
	if (tb[NLMSGERR_ATTR_MISS_TYPE])
		a->missing = nl_u32(tb[NLMSGERR_ATTR_MISS_TYPE], "extended ack");
}

static void handle(struct sock *s, const struct nlmsghdr *h, uint32_t seq, struct answer *a)
{
	const struct genlmsghdr *g = NLMSG_DATA(h);

	if (h->nlmsg_seq == seq && a && h->nlmsg_flags & NLM_F_DUMP_INTR)
		a->interrupted = true;

	switch (h->nlmsg_type) {
	case NLMSG_NOOP:
		return;
	case NLMSG_DONE:
	case NLMSG_ERROR:
		if (h->nlmsg_seq == seq && a)
			ended(h, a);
		return;
	}
	if (h->nlmsg_len < NLMSG_HDRLEN + GENL_HDRLEN)
		die("a message of %u bytes", h->nlmsg_len);
	/* Events have no seq */
	if (a && h->nlmsg_seq == seq)
		a->replies++;
	else if (h->nlmsg_seq)
		return;
	if (s->reply)
		s->reply(s->arg, g->cmd, (const struct nlattr *)((const char *)g + GENL_HDRLEN),
			 h->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN);
}

/* One datagram, if one comes within ms; false if none does */
static bool receive(struct sock *s, uint32_t seq, struct answer *a, int ms)
{
	static _Alignas(NLMSG_ALIGNTO) char buf[4 * NL_MAX_MSG];
	struct pollfd p = { .fd = s->fd, .events = POLLIN };
	const struct nlmsghdr *h;
	ssize_t len;

	if (poll(&p, 1, ms < 0 ? 0 : ms) <= 0)
		return false;
	len = recv(s->fd, buf, sizeof(buf), MSG_TRUNC | MSG_DONTWAIT);
	if (len < 0 && (errno == EAGAIN || errno == ENOBUFS || errno == EINTR))
		return true;
	if (len < 0 || (size_t)len > sizeof(buf))
		die("recv: %s", len < 0 ? strerror(errno) : "too long");
	for (h = (void *)buf; NLMSG_OK(h, len); h = NLMSG_NEXT(h, len))
		handle(s, h, seq, a);

	return true;
}

bool nl_wait(struct sock *s, uint32_t seq, struct answer *a, int ms)
{
	long end = now_ms() + ms;

	memset(a, 0, sizeof(*a));
	a->bad_attr = -1;
	a->missing = -1;
	while (!a->acked)
		if (!receive(s, seq, a, end - now_ms()))
			return false;

	return true;
}

void nl_talk(struct sock *s, struct msg *m, struct answer *a)
{
	nl_send(s, m);
	if (!nl_wait(s, m->h.nlmsg_seq, a, 30000))
		die("no answer within 30 s");
}

unsigned int nl_listen(struct sock *s, int ms)
{
	long end = now_ms() + ms;
	unsigned int n = 0;

	while (receive(s, 0, NULL, end - now_ms()))
		n++;

	return n;
}

struct resolved {
	uint16_t family;
	uint32_t events;
};

static void controller(void *arg, uint8_t cmd, const struct nlattr *attrs, size_t len)
{
	const struct nlattr *tb[CTRL_ATTR_MAX + 1];
	struct resolved *r = arg;
	const struct nlattr *a;
	size_t left;

	(void)cmd;
	if (!nl_parse(attrs, len, tb, CTRL_ATTR_MAX) || !tb[CTRL_ATTR_FAMILY_ID])
		die("malformed answer of the netlink controller");
	memcpy(&r->family, nl_data(tb[CTRL_ATTR_FAMILY_ID]), sizeof(r->family));
	if (nl_u32(tb[CTRL_ATTR_VERSION], "version") != IDMA_FAMILY_VERSION)
		die("the family has another version");
	if (!tb[CTRL_ATTR_MCAST_GROUPS])
		return;
	nl_for_each(a, nl_data(tb[CTRL_ATTR_MCAST_GROUPS]), nl_len(tb[CTRL_ATTR_MCAST_GROUPS]), left) {
		const struct nlattr *g[CTRL_ATTR_MCAST_GRP_MAX + 1];

		if (!nl_parse(nl_data(a), nl_len(a), g, CTRL_ATTR_MCAST_GRP_MAX))
			die("malformed group");
		if (!strcmp(nl_str(g[CTRL_ATTR_MCAST_GRP_NAME], "group"), IDMA_MCGRP_EVENTS))
			r->events = nl_u32(g[CTRL_ATTR_MCAST_GRP_ID], "group");
	}
}

bool nl_resolve(struct sock *s)
{
	struct resolved r = { 0 };
	struct sock ctl = *s;
	struct answer a;
	struct msg m;

	ctl.family = GENL_ID_CTRL;
	ctl.reply = controller;
	ctl.arg = &r;
	nl_begin(&ctl, &m, CTRL_CMD_GETFAMILY, 0);
	nl_put_str(&m, CTRL_ATTR_FAMILY_NAME, IDMA_FAMILY_NAME);
	nl_talk(&ctl, &m, &a);
	s->seq = ctl.seq;
	s->family = r.family;
	s->events = r.events;

	return !a.error && r.family;
}
