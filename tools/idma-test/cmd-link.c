// SPDX-License-Identifier: GPL-2.0-only
/*
 * link: links to the memory of other machines, and what the peers may touch here.
 */
#include <errno.h>
#include <netlink/attr.h>
#include <string.h>

#include "nl.h"
#include "opts.h"
#include "out.h"
#include "window.h"

static const char *link_name;

static const struct out_column link_cols[] = {
	{ "name", "LINK", OUT_STR, "link" },
	{ "dev_name", "DEVICE", OUT_STR, "device" },
	{ "state", "STATE", OUT_STATE, NULL },
	{ "windows", "WINDOWS", OUT_INT, NULL },
	{ "max_windows", "OF", OUT_INT, NULL },
	{ "align", "ALIGNMENT", OUT_BYTES, NULL },
	{ "max_len", "LONGEST", OUT_BYTES, NULL },
	{ "grants", "GRANTED HERE", OUT_INT, "grants" },
	{ "remote_bytes", "GRANTED THERE", OUT_BYTES, "remote_bytes" },
};

static const struct out_column grant_cols[] = {
	{ "link", "LINK", OUT_STR, NULL },
	{ "remote", "ADDRESS", OUT_HEX, NULL },
	{ "len", "LENGTH", OUT_BYTES, NULL },
	{ "whose", "WHOSE", OUT_STR, NULL },
};

static const struct opt opts[] = {
	{ "link", 'l', OPT_STRING, &link_name, .arg = "NAME",
	  .help = "which link; default: all, or the first one to grant memory to" },
};

static const struct usage usage = {
	.command = "link",
	.args = "[list|grants|grant SIZE|revoke ADDRESS]",
	.max_args = 2,
	.text =
		"Show the links to the memory of other machines (HyperLink), or:\n"
		"  grants          what their peers may touch here, and what they have granted\n"
		"  grant SIZE      give the peer access to that much new memory of this machine\n"
		"  revoke ADDRESS  take that back",
	.opts = opts,
	.n = ARRAY_SIZE(opts),
	.examples = "  idma-test link\n"
		    "  idma-test link grant 1M\n",
};

/* What the peer has granted, in sum; links that do not know it have none */
static void add_sums(json_t *links)
{
	const json_t *range;
	json_t *one;
	size_t i, j;

	json_array_foreach(links, i, one) {
		uint64_t sum = 0;

		json_array_foreach(json_object_get(one, "remote"), j, range)
			sum += json_u64(range, "len");
		json_object_set_new(one, "remote_bytes", json_integer((json_int_t)sum));
	}
}

static int failed(const struct nlc *c, const char *what, int ret)
{
	int status = nlc_failed(c, what, ret);

	switch (ret) {
	case -ENODEV:
		it_hint("'idma-test link' shows the links");
		break;
	case -ENOENT:
	case -EPERM:
		if (c->text[0])
			it_hint("'idma-test link grants' shows what was granted");
		break;
	case -EINVAL:
		return IT_USAGE;
	}
	return status;
}

static void keep_link(json_t *list, const char *key)
{
	for (size_t i = json_array_size(list); i-- > 0;)
		if (link_name && strcmp(json_str(json_array_get(list, i), key, ""), link_name))
			json_array_remove(list, i);
}

static int show_links(struct nlc *c, json_t *doc, bool grants)
{
	json_t *links, *here = NULL;
	int ret = nlc_call(c, nlc_msg(c, IDMA_CMD_LINK_GET, true), &links);

	if (!ret)
		ret = nlc_call(c, nlc_msg(c, IDMA_CMD_GRANT_GET, true), &here);
	if (ret)
		return failed(c, "listing the links", ret);
	keep_link(links, "name");
	keep_link(here, "link");
	if (link_name && !json_array_size(links)) {
		it_error("there is no link '%s'", link_name);
		it_hint("'idma-test link' shows the links");
		json_decref(links);
		json_decref(here);
		return IT_ENV;
	}
	add_sums(links);
	window_add_whose(here);
	if (!json_array_size(links))
		it_note("there is no link");
	if (grants)
		window_show_ranges(links, here);
	else
		out_table(link_cols, ARRAY_SIZE(link_cols), links);
	json_object_set_new(doc, "links", links);
	json_object_set_new(doc, "grants", here);
	return IT_OK;
}

static int do_grant(struct nlc *c, json_t *doc, const char *size)
{
	json_t *reply, *list = json_array();
	struct nl_msg *msg;
	uint64_t len;
	int ret;

	if (!window_number(size, "SIZE", &len))
		return IT_USAGE;
	msg = nlc_msg(c, IDMA_CMD_GRANT_NEW, false);
	if (link_name)
		nla_put_string(msg, IDMA_A_GRANT_LINK, link_name);
	nla_put_u64(msg, IDMA_A_GRANT_LEN, len);
	ret = nlc_call(c, msg, &reply);
	if (ret)
		return failed(c, size, ret);
	json_array_append_new(list, reply);
	window_add_whose(list);
	out_table(grant_cols, ARRAY_SIZE(grant_cols), list);
	json_object_set_new(doc, "grants", list);
	return IT_OK;
}

static int do_revoke(struct nlc *c, const char *address)
{
	struct nl_msg *msg;
	uint64_t remote;
	int ret;

	if (!window_number(address, "ADDRESS", &remote))
		return IT_USAGE;
	msg = nlc_msg(c, IDMA_CMD_GRANT_DEL, false);
	if (link_name)
		nla_put_string(msg, IDMA_A_GRANT_LINK, link_name);
	nla_put_u64(msg, IDMA_A_GRANT_REMOTE, remote);
	ret = nlc_call(c, msg, NULL);
	return ret ? failed(c, address, ret) : IT_OK;
}

int cmd_link(int argc, char **argv)
{
	int at = opts_parse(&usage, argc, argv), ret;
	const char *what, *arg;
	json_t *doc;
	struct nlc c;
	bool wants;

	if (at < 0)
		return OPTS_EXIT(at);
	what = at < argc ? argv[at] : "list";
	arg = at + 1 < argc ? argv[at + 1] : NULL;
	wants = !strcmp(what, "grant") || !strcmp(what, "revoke");
	if (!wants && strcmp(what, "list") && strcmp(what, "grants"))
		return out_finish(NULL, window_usage(&usage, what));
	if (wants != !!arg) {
		it_error(arg ? "%s takes no argument" : "%s wants an argument", what);
		return out_finish(NULL, IT_USAGE);
	}
	ret = nlc_open(&c);
	if (ret)
		return out_finish(NULL, nlc_missing(ret));
	doc = out_doc();
	if (!strcmp(what, "grant"))
		ret = do_grant(&c, doc, arg);
	else if (!strcmp(what, "revoke"))
		ret = do_revoke(&c, arg);
	else
		ret = show_links(&c, doc, !strcmp(what, "grants"));
	nlc_close(&c);
	return out_finish(doc, ret);
}
