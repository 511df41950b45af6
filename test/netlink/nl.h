/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Just enough of netlink to send the family "idma" what no library would send:
 * messages are built by hand, and what comes back is looked at byte by byte.
 */
#ifndef IDMA_TEST_NL_H
#define IDMA_TEST_NL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/genetlink.h>
#include <linux/idma.h>
#include <linux/netlink.h>

#define NL_MAX_MSG	65536

/* A message that is being built; nl_begin() to nl_send() */
struct msg {
	union {
		struct nlmsghdr h;
		unsigned char buf[NL_MAX_MSG];
	};
	size_t len;
};

/* What the kernel said to a request */
struct answer {
	int error;		/* errno, 0 for none */
	bool acked;		/* there was an end: an ack, an error, the end of a dump */
	bool interrupted;	/* NLM_F_DUMP_INTR */
	unsigned int replies;
	int bad_attr;		/* offset in the request of what is wrong, -1 if not said */
	int missing;		/* number of the attribute that is missing, -1 likewise */
	char text[256];		/* in words, empty if not said */
};

struct sock {
	int fd;
	uint32_t seq;
	uint16_t family;
	uint32_t events;	/* number of the multicast group */
	/* Called with each reply and event; fails the test by itself */
	void (*reply)(void *arg, uint8_t cmd, const struct nlattr *attrs, size_t len);
	void *arg;
};

/* Ends the program with a message */
__attribute__((noreturn, format(printf, 1, 2))) void die(const char *fmt, ...);

void nl_open(struct sock *s);
/* Look up the family; false if there is none */
bool nl_resolve(struct sock *s);
void nl_close(struct sock *s);

void nl_begin(struct sock *s, struct msg *m, uint8_t cmd, uint16_t flags);
/* Append an attribute; returns its offset in the message */
size_t nl_put(struct msg *m, uint16_t type, const void *data, size_t len);
size_t nl_put_u32(struct msg *m, uint16_t type, uint32_t val);
size_t nl_put_u64(struct msg *m, uint16_t type, uint64_t val);
size_t nl_put_str(struct msg *m, uint16_t type, const char *s);
void nl_send(struct sock *s, struct msg *m);
/* Receive until the request with this seq is answered; false after ms without */
bool nl_wait(struct sock *s, uint32_t seq, struct answer *a, int ms);
/* All of it; ends the program if there is no answer */
void nl_talk(struct sock *s, struct msg *m, struct answer *a);
/* Receive events for so long; returns how many */
unsigned int nl_listen(struct sock *s, int ms);

/* Attributes into a table of max + 1; false if they are malformed or come twice */
bool nl_parse(const struct nlattr *attrs, size_t len, const struct nlattr **tb, unsigned int max);
static inline const void *nl_data(const struct nlattr *a)
{
	return (const char *)a + NLA_HDRLEN;
}

static inline size_t nl_len(const struct nlattr *a)
{
	return a->nla_len - NLA_HDRLEN;
}

/* All attributes, those that come more than once as well; ends at what is malformed */
static inline bool nl_ok(const struct nlattr *a, size_t left)
{
	return left >= NLA_HDRLEN && a->nla_len >= NLA_HDRLEN && a->nla_len <= left;
}

static inline const struct nlattr *nl_next(const struct nlattr *a, size_t *left)
{
	size_t len = NLA_ALIGN(a->nla_len);

	len = len < *left ? len : *left;
	*left -= len;
	return (const struct nlattr *)((const char *)a + len);
}

#define nl_for_each(a, start, len, left)				\
	for ((a) = (start), (left) = (len); nl_ok(a, left); (a) = nl_next(a, &(left)))

/* These end the program if the attribute is missing or has another size */
uint32_t nl_u32(const struct nlattr *a, const char *what);
uint64_t nl_u64(const struct nlattr *a, const char *what);
const char *nl_str(const struct nlattr *a, const char *what);

#endif
