// SPDX-License-Identifier: GPL-2.0-only
/*
 * window: windows onto the memory of other machines; made, listed, copied through.
 */
#include <errno.h>
#include <netlink/attr.h>
#include <string.h>

#include "nl.h"
#include "opts.h"
#include "out.h"
#include "window.h"

static const char *link_name, *engine;
static const char * const dirs[] = { "both", "write", "read", NULL };
static const char * const movers[] = { "dma", "cpu", NULL };
static struct opt_number privid, offset, size, count, seed;
static int dir, by;
static bool no_cpu, verify;

static const struct out_column window_cols[] = {
	{ "id", "WINDOW", OUT_INT, "window" },
	{ "link", "LINK", OUT_STR, NULL },
	{ "remote", "REMOTE", OUT_HEX, NULL },
	{ "len", "LENGTH", OUT_BYTES, NULL },
	{ "dir", "FOR", OUT_STR, NULL },
	{ "privid", "PRIVID", OUT_INT, NULL },
	{ "dev_name", "ENGINE", OUT_STR, "engine" },
	{ "bus", "BUS ADDRESS", OUT_HEX, NULL },
	{ "cpu", "CPU", OUT_STR, NULL },
	{ "whose", "WHOSE", OUT_STR, NULL },
	{ "state", "STATE", OUT_STATE, NULL },
};

static const struct out_column copy_cols[] = {
	{ "id", "WINDOW", OUT_INT, "window" },
	{ "by", "BY", OUT_STR, NULL },
	{ "dir", "WHAT", OUT_STR, NULL },
	{ "size", "SIZE", OUT_BYTES, NULL },
	{ "transfers", "COPIES", OUT_INT, NULL },
	{ "bytes", "BYTES", OUT_BYTES, NULL },
	{ "time_ns", "TIME", OUT_NS, NULL },
	{ "bytes_s", "THROUGHPUT", OUT_BYTERATE, NULL },
	{ "mismatches", "WRONG", OUT_INT, NULL },
	{ "status", "STATUS", OUT_STATE, NULL },
};

static const struct opt opts[] = {
	{ "link", 'l', OPT_STRING, &link_name, .arg = "NAME",
	  .help = "map: by this link, default the first one" },
	{ "engine", 'e', OPT_STRING, &engine, .arg = "NAME",
	  .help = "map: for this iDMA, default the first one" },
	{ "dir", 'd', OPT_CHOICE, &dir, .choices = dirs,
	  .help = "map: what for; copy: which way, default write" },
	{ "privid", 'p', OPT_NUMBER, &privid, .arg = "N", .max = 15,
	  .help = "map: the PrivID that accesses are to carry" },
	{ "no-cpu", 0, OPT_FLAG, &no_cpu, .help = "map: for the iDMA only" },
	{ "size", 's', OPT_NUMBER, &size, .arg = "SIZE", .unit = NUM_BYTES, .min = 1,
	  .max = IDMA_WINDOW_COPY_MAX, .help = "copy, verify: bytes at a time, default 64k" },
	{ "count", 'n', OPT_NUMBER, &count, .arg = "N", .min = 1,
	  .help = "copy, verify: how often, default as often as the window has room" },
	{ "offset", 'O', OPT_NUMBER, &offset, .arg = "SIZE", .unit = NUM_BYTES, .max = INT64_MAX,
	  .help = "copy, verify: where in the window to begin" },
	{ "by", 'b', OPT_CHOICE, &by, .choices = movers, .help = "copy: who copies" },
	{ "seed", 0, OPT_NUMBER, &seed, .arg = "N", .help = "copy, verify: which test pattern" },
	{ "verify", 'V', OPT_FLAG, &verify, .help = "copy: compare the data" },
};

static const struct usage usage = {
	.command = "window",
	.args = "list|map REMOTE LENGTH|unmap WINDOW|copy WINDOW|verify WINDOW",
	.max_args = 3,
	.text =
		"Windows onto the memory of other machines ('idma-test link' shows the links):\n"
		"  list               all of them (the default)\n"
		"  map REMOTE LENGTH  make one; it stays until it is unmapped\n"
		"  unmap WINDOW       let go of it\n"
		"  copy WINDOW        copy a test pattern through it, and say how fast\n"
		"  verify WINDOW      write a pattern, read it back by DMA and by the CPU, compare",
	.opts = opts,
	.n = ARRAY_SIZE(opts),
	.examples = "  idma-test window map 0 1M\n"
		    "  idma-test window copy 1 -s 64k --dir read\n"
		    "  idma-test window verify 1\n",
};

/* The argument that an attribute of window-new or window-copy was */
static const char *arg_name(int attr, bool copy)
{
	static const char * const map_names[] = {
		[IDMA_A_WINDOW_LINK] = "--link", [IDMA_A_WINDOW_REMOTE] = "REMOTE",
		[IDMA_A_WINDOW_LEN] = "LENGTH", [IDMA_A_WINDOW_DIR] = "--dir",
		[IDMA_A_WINDOW_PRIVID] = "--privid", [IDMA_A_WINDOW_DEV_NAME] = "--engine",
		[IDMA_A_WINDOW_ID] = "WINDOW",
	};
	static const char * const copy_names[] = {
		[IDMA_A_WINDOW_COPY_ID] = "WINDOW", [IDMA_A_WINDOW_COPY_DIR] = "--dir",
		[IDMA_A_WINDOW_COPY_BY] = "--by", [IDMA_A_WINDOW_COPY_LEN] = "--size",
		[IDMA_A_WINDOW_COPY_OFFSET] = "--offset", [IDMA_A_WINDOW_COPY_COUNT] = "--count",
	};
	const char * const *names = copy ? copy_names : map_names;
	size_t n = copy ? ARRAY_SIZE(copy_names) : ARRAY_SIZE(map_names);

	return attr >= 0 && (size_t)attr < n && names[attr] ? names[attr] : "window";
}

static int failed(const struct nlc *c, bool copy, int ret)
{
	int status = nlc_failed(c, arg_name(c->bad_attr, copy), ret);

	switch (ret) {
	case -ENODEV:
		it_hint("'idma-test link' shows the links, 'idma-test list' the engines");
		break;
	case -ENOENT:
		if (c->text[0])
			it_hint("'idma-test window list' shows the windows");
		break;
	case -ENOLINK:
		it_hint("'idma-test monitor' tells when the link comes up");
		break;
	case -EINVAL:
	case -ERANGE:
	case -E2BIG:
		it_hint("'idma-test link' and 'idma-test link grants' show what is possible");
		return IT_USAGE;
	}
	return status;
}

static bool window_id(const char *text, uint32_t *id)
{
	uint64_t val;

	if (!window_number(text, "WINDOW", &val))
		return false;
	*id = (uint32_t)val;
	if (val == *id)
		return true;
	it_error("WINDOW: '%s' is too large", text);
	return false;
}

static int show(json_t *doc, json_t *list)
{
	window_add_whose(list);
	out_table(window_cols, ARRAY_SIZE(window_cols), list);
	json_object_set_new(doc, "windows", list);
	return IT_OK;
}

static int list_all(struct nlc *c, json_t *doc)
{
	json_t *list;
	int ret = nlc_call(c, nlc_msg(c, IDMA_CMD_WINDOW_GET, true), &list);

	return ret ? failed(c, false, ret) : show(doc, list);
}

static int map(struct nlc *c, json_t *doc, char **argv)
{
	static const uint32_t codes[] = {
		IDMA_WINDOW_DIR_BOTH, IDMA_WINDOW_DIR_WRITE, IDMA_WINDOW_DIR_READ
	};
	json_t *reply, *list;
	uint64_t remote, len;
	struct nl_msg *msg;
	int ret;

	if (!window_number(argv[0], "REMOTE", &remote) || !window_number(argv[1], "LENGTH", &len))
		return IT_USAGE;
	msg = nlc_msg(c, IDMA_CMD_WINDOW_NEW, false);
	if (link_name)
		nla_put_string(msg, IDMA_A_WINDOW_LINK, link_name);
	if (engine)
		nla_put_string(msg, IDMA_A_WINDOW_DEV_NAME, engine);
	nla_put_u64(msg, IDMA_A_WINDOW_REMOTE, remote);
	nla_put_u64(msg, IDMA_A_WINDOW_LEN, len);
	nla_put_u32(msg, IDMA_A_WINDOW_DIR, codes[dir]);
	if (privid.set)
		nla_put_u32(msg, IDMA_A_WINDOW_PRIVID, (uint32_t)privid.val);
	if (!no_cpu)
		nla_put_flag(msg, IDMA_A_WINDOW_CPU);
	ret = nlc_call(c, msg, &reply);
	if (ret)
		return failed(c, false, ret);
	list = json_array();
	json_array_append_new(list, reply);
	return show(doc, list);
}

static int get(struct nlc *c, uint32_t id, json_t **window)
{
	struct nl_msg *msg = nlc_msg(c, IDMA_CMD_WINDOW_GET, false);
	int ret;

	nla_put_u32(msg, IDMA_A_WINDOW_ID, id);
	ret = nlc_call(c, msg, window);
	return ret ? failed(c, false, ret) : IT_OK;
}

static int unmap(struct nlc *c, const char *arg)
{
	struct nl_msg *msg;
	uint32_t id;
	int ret;

	if (!window_id(arg, &id))
		return IT_USAGE;
	msg = nlc_msg(c, IDMA_CMD_WINDOW_DEL, false);
	nla_put_u32(msg, IDMA_A_WINDOW_ID, id);
	ret = nlc_call(c, msg, NULL);
	return ret ? failed(c, false, ret) : IT_OK;
}

/* --- copies -------------------------------------------------------------------------- */

struct copy {
	uint32_t id, dir, by;
	bool verify;
};

static void add_copy(json_t *rows, const struct copy *cp, uint64_t len, json_t *row)
{
	double ns = json_double(row, "time_ns", 0), bytes = json_double(row, "bytes", 0);
	bool wrong = json_u64(row, "mismatches") > 0;
	uint64_t err = json_u64(row, "errno");

	json_object_set_new(row, "by", json_string(movers[cp->by == IDMA_WINDOW_COPY_BY_CPU]));
	json_object_set_new(row, "dir", json_string(cp->dir == IDMA_WINDOW_DIR_WRITE ? "write" :
						    "read"));
	json_object_set_new(row, "size", json_integer((json_int_t)len));
	if (ns > 0)
		json_object_set_new(row, "bytes_s", json_real(bytes * 1e9 / ns));
	json_object_set_new(row, "status", json_string(err ? "failed" : wrong ? "data error" :
						       "ok"));
	if (err)
		it_error("window %u: %s by %s: %s, after %llu copies", cp->id,
			 json_str(row, "dir", ""), json_str(row, "by", ""), strerror((int)err),
			 (unsigned long long)json_u64(row, "transfers"));
	else if (wrong)
		it_error("window %u: %s by %s: %llu bytes are wrong, the first at %#llx", cp->id,
			 json_str(row, "dir", ""), json_str(row, "by", ""),
			 (unsigned long long)json_u64(row, "mismatches"),
			 (unsigned long long)json_u64(row, "first_mismatch"));
	json_array_append_new(rows, row);
}

static int copy_once(struct nlc *c, const json_t *window, const struct copy *cp, json_t *rows)
{
	uint64_t room = json_u64(window, "len"), len = size.set ? size.val : 65536, n;
	struct nl_msg *msg;
	json_t *row;
	int ret;

	room -= offset.val < room ? offset.val : room;
	if (!size.set && len > room && room)
		len = room;
	n = count.set ? count.val : room / len;
	msg = nlc_msg(c, IDMA_CMD_WINDOW_COPY, false);
	nla_put_u32(msg, IDMA_A_WINDOW_COPY_ID, cp->id);
	nla_put_u32(msg, IDMA_A_WINDOW_COPY_DIR, cp->dir);
	nla_put_u32(msg, IDMA_A_WINDOW_COPY_BY, cp->by);
	nla_put_u64(msg, IDMA_A_WINDOW_COPY_OFFSET, offset.val);
	nla_put_u32(msg, IDMA_A_WINDOW_COPY_LEN, (uint32_t)len);
	/* Too much is the kernel's to refuse */
	n = n > UINT32_MAX ? UINT32_MAX : n ? n : 1;
	nla_put_u32(msg, IDMA_A_WINDOW_COPY_COUNT, (uint32_t)n);
	nla_put_u32(msg, IDMA_A_WINDOW_COPY_SEED, (uint32_t)seed.val);
	if (cp->verify)
		nla_put_flag(msg, IDMA_A_WINDOW_COPY_VERIFY);
	ret = nlc_call(c, msg, &row);
	if (ret)
		return failed(c, true, ret);
	add_copy(rows, cp, len, row);
	row = json_array_get(rows, json_array_size(rows) - 1);
	return strcmp(json_str(row, "status", ""), "ok") ? IT_FAILED : IT_OK;
}

static int copy(struct nlc *c, json_t *doc, const char *arg, bool all)
{
	struct copy cp = { .verify = verify };
	json_t *rows = json_array(), *window;
	int ret;

	json_object_set_new(doc, "copies", rows);
	if (!window_id(arg, &cp.id))
		return IT_USAGE;
	ret = get(c, cp.id, &window);
	if (ret)
		return ret;
	if (!all) {
		cp.dir = !strcmp(dirs[dir], "read") ? IDMA_WINDOW_DIR_READ : IDMA_WINDOW_DIR_WRITE;
		cp.by = by ? IDMA_WINDOW_COPY_BY_CPU : IDMA_WINDOW_COPY_BY_DMA;
		ret = copy_once(c, window, &cp, rows);
	} else {
		cp.dir = IDMA_WINDOW_DIR_WRITE;
		ret = copy_once(c, window, &cp, rows);
		cp.dir = IDMA_WINDOW_DIR_READ;
		cp.verify = true;
		if (!ret)
			ret = copy_once(c, window, &cp, rows);
		cp.by = IDMA_WINDOW_COPY_BY_CPU;
		if (!ret && json_object_get(window, "cpu"))
			ret = copy_once(c, window, &cp, rows);
	}
	json_decref(window);
	out_table(copy_cols, ARRAY_SIZE(copy_cols), rows);
	return ret;
}

int cmd_window(int argc, char **argv)
{
	static const struct {
		const char *name;
		int args;
	} actions[] = {
		{ "list", 0 }, { "map", 2 }, { "unmap", 1 }, { "copy", 1 }, { "verify", 1 },
	};
	int at = opts_parse(&usage, argc, argv), ret, n = -1;
	const char *what;
	json_t *doc;
	struct nlc c;

	if (at < 0)
		return OPTS_EXIT(at);
	what = at < argc ? argv[at] : "list";
	for (size_t i = 0; i < ARRAY_SIZE(actions); i++)
		if (!strcmp(what, actions[i].name))
			n = actions[i].args;
	if (n < 0)
		return out_finish(NULL, window_usage(&usage, what));
	if (at < argc && argc - at - 1 != n) {
		it_error("%s wants %d argument%s", what, n, n == 1 ? "" : "s");
		it_hint("'idma-test window --help' shows which");
		return out_finish(NULL, IT_USAGE);
	}
	ret = nlc_open(&c);
	if (ret)
		return out_finish(NULL, nlc_missing(ret));
	doc = out_doc();
	if (!strcmp(what, "list"))
		ret = list_all(&c, doc);
	else if (!strcmp(what, "map"))
		ret = map(&c, doc, argv + at + 1);
	else if (!strcmp(what, "unmap"))
		ret = unmap(&c, argv[at + 1]);
	else
		ret = copy(&c, doc, argv[at + 1], !strcmp(what, "verify"));
	nlc_close(&c);
	return out_finish(doc, ret);
}
