// SPDX-License-Identifier: GPL-2.0-only
/*
 * The generic netlink family "idma": requests, replies, errors.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nl.h"
#include "nl-decode.h"

/* Dumps in a row that met a change before it is given up */
#define DUMP_TRIES	20
/* And how often, 20 ms apart, to try one while the module is on its way in or out */
#define MODULE_TRIES	100

struct call {
	struct nlc *c;
	const struct nlmsghdr *request;
	json_t *reply;
	bool dump;
	bool done;
	bool changed;
	int err;
};

/* libnl knows less than errno: what it is about is not lost on the way */
static int nl_errno(int err)
{
	switch (-err) {
	case NLE_SUCCESS:	return 0;
	case NLE_NOMEM:		return -ENOMEM;
	case NLE_OBJ_NOTFOUND:	return -ENOENT;
	case NLE_PERM:		return -EPERM;
	case NLE_AF_NOSUPPORT:	return -EAFNOSUPPORT;
	case NLE_INTR:		return -EINTR;
	case NLE_AGAIN:		return -EAGAIN;
	default:		return -EIO;
	}
}

int nlc_open(struct nlc *c)
{
	int ret, on = 1;

	memset(c, 0, sizeof(*c));
	c->sk = nl_socket_alloc();
	if (!c->sk)
		return -ENOMEM;
	ret = genl_connect(c->sk);
	if (ret)
		goto fail;
	c->family = genl_ctrl_resolve(c->sk, IDMA_FAMILY_NAME);
	if (c->family < 0) {
		ret = c->family;
		goto fail;
	}
	c->events = genl_ctrl_resolve_grp(c->sk, IDMA_FAMILY_NAME, IDMA_MCGRP_EVENTS);
	/* Without these errors come as bare numbers, which works as well */
	setsockopt(nl_socket_get_fd(c->sk), SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(nl_socket_get_fd(c->sk), SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	return 0;
fail:
	nl_socket_free(c->sk);
	c->sk = NULL;
	return nl_errno(ret);
}

void nlc_close(struct nlc *c)
{
	if (c->sk)
		nl_socket_free(c->sk);
	c->sk = NULL;
}

int nlc_missing(int ret)
{
	if (ret == -ENOENT) {
		it_error("the kernel has no netlink family \"" IDMA_FAMILY_NAME "\"");
		it_hint("load the driver: modprobe idma");
	} else if (ret == -EAFNOSUPPORT) {
		it_error("the kernel has no generic netlink");
		it_hint("build it with CONFIG_NET");
	} else {
		it_error("cannot open generic netlink: %s", strerror(-ret));
	}
	return IT_ENV;
}

int nlc_no_sequence(struct nl_msg *msg, void *arg)
{
	(void)msg;
	(void)arg;
	return NL_OK;
}

static int join(struct nl_sock *sk, int group)
{
	int ret = group < 0 ? group : nl_socket_add_membership(sk, group);

	if (!ret)
		ret = nl_socket_set_nonblocking(sk);
	/* Nobody has asked for what comes */
	nl_socket_modify_cb(sk, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, nlc_no_sequence, NULL);
	return ret ? nl_errno(ret) : 0;
}

int nlc_listen(struct nlc *c, size_t size)
{
	int val = (int)size;

	/* More than an ordinary user may have needs privilege; less is no harm */
	if (setsockopt(nl_socket_get_fd(c->sk), SOL_SOCKET, SO_RCVBUFFORCE, &val, sizeof(val)))
		setsockopt(nl_socket_get_fd(c->sk), SOL_SOCKET, SO_RCVBUF, &val, sizeof(val));
	return join(c->sk, c->events);
}

struct nl_sock *nlc_families(void)
{
	struct nl_sock *sk = nl_socket_alloc();

	if (sk && (genl_connect(sk) || join(sk, genl_ctrl_resolve_grp(sk, "nlctrl", "notify")))) {
		nl_socket_free(sk);
		sk = NULL;
	}
	return sk;
}

int nlc_family_change(const struct nlmsghdr *nlh)
{
	struct nlattr *tb[CTRL_ATTR_MAX + 1];
	struct nlmsghdr *hdr = (struct nlmsghdr *)nlh;
	const struct genlmsghdr *ghdr = nlmsg_data(nlh);

	if (nlh->nlmsg_type != GENL_ID_CTRL || !genlmsg_valid_hdr(hdr, 0) ||
	    genlmsg_parse(hdr, 0, tb, CTRL_ATTR_MAX, NULL) || !tb[CTRL_ATTR_FAMILY_NAME] ||
	    nla_strcmp(tb[CTRL_ATTR_FAMILY_NAME], IDMA_FAMILY_NAME))
		return 0;
	return ghdr->cmd == CTRL_CMD_NEWFAMILY ? 1 : ghdr->cmd == CTRL_CMD_DELFAMILY ? -1 : 0;
}

bool nlc_gone(const struct nlc *c, int ret)
{
	/* With a text it is something else that is not there */
	return ret == -ENOENT && !c->text[0];
}

struct nl_msg *nlc_msg(struct nlc *c, int cmd, bool dump)
{
	/* The longest request has 4 x 32 values and 16 names */
	struct nl_msg *msg = nlmsg_alloc_size(8192);

	if (!msg || !genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, c->family, 0,
				 dump ? NLM_F_DUMP : 0, (uint8_t)cmd, IDMA_FAMILY_VERSION)) {
		it_error("out of memory");
		exit(IT_ENV);
	}
	return msg;
}

static int on_valid(struct nl_msg *msg, void *arg)
{
	struct call *call = arg;
	json_t *obj = nlc_decode(nlmsg_hdr(msg));

	if (!obj) {
		call->err = -EPROTO;
		return NL_SKIP;
	}
	if (nlmsg_hdr(msg)->nlmsg_flags & NLM_F_DUMP_INTR)
		call->changed = true;
	if (call->dump) {
		json_array_append_new(call->reply, obj);
	} else {
		json_decref(call->reply);
		call->reply = obj;
	}
	return NL_OK;
}

static int on_done(struct nl_msg *msg, void *arg)
{
	struct call *call = arg;
	const struct nlmsghdr *nlh = nlmsg_hdr(msg);

	if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
		call->changed = true;
	/* A dump that fails says so at its end */
	if (nlh->nlmsg_type == NLMSG_DONE && nlmsg_datalen(nlh) >= (int)sizeof(int)) {
		int err;

		memcpy(&err, nlmsg_data(nlh), sizeof(err));
		if (err < 0)
			call->err = err;
	}
	call->done = true;
	return NL_STOP;
}

/* Events are not what a request waits for */
static int on_sequence(struct nl_msg *msg, void *arg)
{
	struct call *call = arg;

	return nlmsg_hdr(msg)->nlmsg_seq == call->request->nlmsg_seq ? NL_OK : NL_SKIP;
}

/* The type of the attribute at an offset of the request, whose attributes are flat */
static int attr_at(const struct nlmsghdr *request, uint32_t offset)
{
	const struct nlattr *attr;
	int rem;

	nlmsg_for_each_attr(attr, (struct nlmsghdr *)request, GENL_HDRLEN, rem)
		if ((uint32_t)((const char *)attr - (const char *)request) == offset)
			return nla_type(attr);
	return -1;
}

static void read_ext_ack(struct call *call, const struct nlmsghdr *nlh, const struct nlmsgerr *err)
{
	size_t off = NLMSG_HDRLEN + sizeof(*err);
	struct nlattr *tb[NLMSGERR_ATTR_MAX + 1];

	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		off += NLMSG_ALIGN(err->msg.nlmsg_len) - NLMSG_HDRLEN;
	if (off >= nlh->nlmsg_len ||
	    nla_parse(tb, NLMSGERR_ATTR_MAX, (struct nlattr *)((char *)nlh + off),
		      (int)(nlh->nlmsg_len - off), NULL))
		return;
	if (tb[NLMSGERR_ATTR_MSG])
		nla_strlcpy(call->c->text, tb[NLMSGERR_ATTR_MSG], sizeof(call->c->text));
	if (tb[NLMSGERR_ATTR_OFFS] && nla_len(tb[NLMSGERR_ATTR_OFFS]) >= 4)
		call->c->bad_attr = attr_at(call->request, nla_get_u32(tb[NLMSGERR_ATTR_OFFS]));
}

static int on_error(struct sockaddr_nl *who, struct nlmsgerr *err, void *arg)
{
	struct call *call = arg;

	(void)who;
	read_ext_ack(call, (struct nlmsghdr *)((char *)err - NLMSG_HDRLEN), err);
	call->err = err->error;
	call->done = true;
	return NL_STOP;
}

static int call_once(struct nlc *c, struct nl_msg *msg, json_t **reply)
{
	struct call call = { .c = c, .request = nlmsg_hdr(msg) };
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int ret;

	if (!cb)
		return -ENOMEM;
	c->text[0] = '\0';
	c->bad_attr = -1;
	call.dump = (call.request->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;
	call.reply = call.dump ? json_array() : NULL;
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, &call);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_done, &call);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_done, &call);
	nl_cb_set(cb, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, on_sequence, &call);
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, &call);
	ret = nl_send_auto(c->sk, msg);
	while (ret >= 0 && !call.done && !call.err)
		ret = nl_recvmsgs(c->sk, cb);
	nl_cb_put(cb);
	if (ret == -NLE_DUMP_INTR)
		call.changed = true;
	else if (ret < 0 && !call.err)
		call.err = nl_errno(ret);
	if (!call.err && call.changed)
		call.err = -ERESTART;
	if (call.err || !reply)
		json_decref(call.reply);
	else
		*reply = call.reply;
	return call.err;
}

int nlc_call(struct nlc *c, struct nl_msg *msg, json_t **reply)
{
	int ret, changes = 0, modules = 0;

	if (reply)
		*reply = NULL;
	for (;;) {
		nlmsg_hdr(msg)->nlmsg_seq = NL_AUTO_SEQ;
		ret = call_once(c, msg, reply);
		if (ret == -EPROTONOSUPPORT && ++modules < MODULE_TRIES)
			usleep(20000);
		else if (ret != -ERESTART || ++changes >= DUMP_TRIES)
			break;
	}
	nlmsg_free(msg);
	if (!ret && reply && !*reply)
		return -EPROTO;
	return ret == -ERESTART ? -EAGAIN : ret;
}

int nlc_failed(const struct nlc *c, const char *what, int ret)
{
	const char *text = c->text[0] ? c->text : strerror(-ret);

	if (nlc_gone(c, ret)) {
		it_error("%s: the driver was unloaded", what);
		it_hint("load it again: modprobe idma");
		return IT_ENV;
	}
	switch (ret) {
	case -EPERM:
	case -EACCES:
		it_error("%s: no permission", what);
		it_hint("it needs CAP_NET_ADMIN: run it as root");
		break;
	case -EAGAIN:
		it_error("%s: engines come and go too fast to be listed", what);
		break;
	case -EPROTO:
		it_error("%s: the kernel's answer cannot be understood", what);
		it_hint("driver and idma-test are of different versions?");
		break;
	default:
		it_error("%s: %s", what, text);
	}
	return IT_ENV;
}

int nlc_engines(struct nlc *c, json_t **engines)
{
	return nlc_call(c, nlc_msg(c, IDMA_CMD_DEV_GET, true), engines);
}

int nlc_channels(struct nlc *c, json_t **channels)
{
	return nlc_call(c, nlc_msg(c, IDMA_CMD_CHAN_GET, true), channels);
}
