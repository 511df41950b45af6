/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The generic netlink family "idma".
 */
#ifndef IDMA_TEST_NL_H
#define IDMA_TEST_NL_H

#include <jansson.h>
#include <linux/idma.h>
#include <netlink/netlink.h>

#include "idma-test.h"

struct nlc {
	struct nl_sock *sk;
	int family;
	int events;		/* number of the multicast group */
	/* Of the last request that failed */
	char text[256];		/* what the kernel says, or "" */
	int bad_attr;		/* the attribute that it says so of, or -1 */
};

/*
 * Open; -errno. -ENOENT means that the kernel has no such family. nlc_missing()
 * says so in words.
 */
int nlc_open(struct nlc *c);
void nlc_close(struct nlc *c);
int nlc_missing(int ret);
/*
 * Events of the family, size bytes of them at most that were not read yet. -errno.
 * The socket is for nothing else then, and does not block.
 */
int nlc_listen(struct nlc *c, size_t size);
/* What comes was not asked for: a callback for NL_CB_SEQ_CHECK */
int nlc_no_sequence(struct nl_msg *msg, void *arg);
/* A socket that hears of families that come and go; NULL if that cannot be */
struct nl_sock *nlc_families(void);
/* Whether a message of that is about ours: 1 it has come, -1 it has gone, 0 neither */
int nlc_family_change(const struct nlmsghdr *nlh);
/* Whether a request failed because the family is not there any more */
bool nlc_gone(const struct nlc *c, int ret);

/*
 * A request: nlc_msg(), nla_put*(), nlc_call(). What comes back is decoded and
 * put into *reply, an object, or for dumps into an array; reply may be NULL. A dump
 * during which something changed is repeated. Returns 0 or -errno.
 */
struct nl_msg *nlc_msg(struct nlc *c, int cmd, bool dump);
int nlc_call(struct nlc *c, struct nl_msg *msg, json_t **reply);
/* Says what went wrong with a request; returns the exit status */
int nlc_failed(const struct nlc *c, const char *what, int ret);

/* All engines or channels, as arrays of objects */
int nlc_engines(struct nlc *c, json_t **engines);
int nlc_channels(struct nlc *c, json_t **channels);

/* A message of the family to an object with "event" or nothing; NULL if it is not one */
json_t *nlc_decode(const struct nlmsghdr *nlh);

#endif
