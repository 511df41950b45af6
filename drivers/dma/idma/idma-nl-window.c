// SPDX-License-Identifier: GPL-2.0-only
/*
 * The window operations of the netlink family "idma": links to other machines'
 * memory, windows onto it, what is granted to the peers, and test copies.
 *
 * What is made here stays until it is deleted, its engine is unbound, or its
 * link is gone. Other clients' windows and grants are shown, and left alone.
 *
 * Locks: idma_nlw_lock, then a provider's, and then idma-netlink.c's.
 */
#include <linux/completion.h>
#include <linux/dma-mapping.h>
#include <linux/hash.h>
#include <linux/io.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/dma/idma.h>

#include "idma.h"
#include "idma-bench.h"
#include "idma-netlink.h"
#include "idma-nl-compat.h"
#include "idma-nl-gen.h"

/* Longest that one copy may take */
#define IDMA_NLW_TIMEOUT	(10 * HZ)
/* Pieces that a peer has granted, as many as a message has room for */
#define IDMA_NLW_RANGES		64

/**
 * struct idma_nlw_window - a window that window-new has made
 * @node: link in idma_nlw_windows
 * @w: the window, with a reference
 */
struct idma_nlw_window {
	struct list_head node;
	struct idma_window *w;
};

/**
 * struct idma_nlw_grant - a grant that grant-new has made
 * @node: link in idma_nlw_grants
 * @g: the grant
 */
struct idma_nlw_grant {
	struct list_head node;
	struct idma_window_grant *g;
};

/* Protects what follows */
static DEFINE_MUTEX(idma_nlw_lock);
static LIST_HEAD(idma_nlw_windows);
static LIST_HEAD(idma_nlw_grants);
/* Changes when a link, a window or a grant of ours comes or goes; never 0 */
static unsigned int idma_nlw_generation = 1;

/* The owner of our windows */
static const char idma_nlw_owner;

/* ---- Finding them ---- */

/* The link that is named, or the first one, with a reference */
static struct idma_window_provider *idma_nlw_find_link(const struct nlattr *name,
						       struct netlink_ext_ack *extack)
{
	struct idma_window_provider *p;

	p = idma_window_provider_find(name ? nla_data(name) : NULL);
	if (p)
		return p;
	if (name)
		NL_SET_ERR_MSG_ATTR(extack, name, "there is no link with this name");
	else
		NL_SET_ERR_MSG(extack, "there is no link");

	return ERR_PTR(-ENODEV);
}

static struct idma_nlw_window *idma_nlw_find(u32 id)
{
	struct idma_nlw_window *pos;

	lockdep_assert_held(&idma_nlw_lock);

	list_for_each_entry(pos, &idma_nlw_windows, node)
		if (pos->w->id == id)
			return pos;

	return NULL;
}

/**
 * struct idma_nlw_walk - what a walk over links and what is on them wants
 * @skb: message to put something into
 * @cb: of a dump, NULL to look for one
 * @n: links that were passed
 * @id: the window to look for
 * @remote: address of the grant to look for
 * @count: how many there were
 */
struct idma_nlw_walk {
	struct sk_buff *skb;
	struct netlink_callback *cb;
	long n;
	u32 id;
	u64 remote;
	unsigned int count;
};

/* ---- Messages ---- */

static int idma_nlw_count_window(struct idma_window *w, void *data)
{
	++*(unsigned int *)data;

	return 0;
}

static int idma_nlw_count_grant(struct idma_window_grant *g, void *data)
{
	++*(unsigned int *)data;

	return 0;
}

static int idma_nlw_put_name(struct sk_buff *skb, struct idma_window_provider *p)
{
	bool up = idma_window_provider_up(p);

	if (nla_put_string(skb, IDMA_A_LINK_NAME, idma_window_provider_name(p)) ||
	    nla_put_string(skb, IDMA_A_LINK_DEV_NAME,
			   dev_name(idma_window_provider_device(p))) ||
	    nla_put_u32(skb, IDMA_A_LINK_STATE,
			up ? IDMA_LINK_STATE_UP : IDMA_LINK_STATE_DOWN))
		return -EMSGSIZE;

	return 0;
}

static int idma_nlw_put_ranges(struct sk_buff *skb, struct idma_window_provider *p)
{
	unsigned int i;

	for (i = 0; i < IDMA_NLW_RANGES; i++) {
		struct nlattr *nest;
		u64 remote, len;

		/* What cannot be known is not told */
		if (idma_window_remote(p, i, &remote, &len))
			break;
		nest = nla_nest_start(skb, IDMA_A_LINK_REMOTE);
		if (!nest)
			return -EMSGSIZE;
		if (idma_nl_put_u64(skb, IDMA_A_RANGE_REMOTE, remote) ||
		    idma_nl_put_u64(skb, IDMA_A_RANGE_LEN, len)) {
			nla_nest_cancel(skb, nest);
			return -EMSGSIZE;
		}
		nla_nest_end(skb, nest);
	}

	return 0;
}

static int idma_nlw_put_link(struct sk_buff *skb, void *obj)
{
	struct idma_window_provider *p = obj;
	const struct idma_window_caps *caps = idma_window_provider_caps(p);
	unsigned int windows = 0, grants = 0;

	idma_window_walk(p, idma_nlw_count_window, &windows);
	idma_window_walk_grants(p, idma_nlw_count_grant, &grants);

	if (idma_nlw_put_name(skb, p) ||
	    idma_nl_put_u64(skb, IDMA_A_LINK_SIZE, caps->size) ||
	    idma_nl_put_u64(skb, IDMA_A_LINK_ALIGN, caps->align) ||
	    idma_nl_put_u64(skb, IDMA_A_LINK_MAX_LEN, caps->max_len) ||
	    nla_put_u32(skb, IDMA_A_LINK_MAX_WINDOWS, caps->max_windows) ||
	    nla_put_u32(skb, IDMA_A_LINK_WINDOWS, windows) ||
	    nla_put_u32(skb, IDMA_A_LINK_GRANTS, grants))
		return -EMSGSIZE;

	return idma_nlw_put_ranges(skb, p);
}

static u32 idma_nlw_state(const struct idma_window *w)
{
	switch (idma_window_status(w)) {
	case 0:
		return IDMA_WINDOW_STATE_GOOD;
	case -ENOLINK:
		return IDMA_WINDOW_STATE_LINK_DOWN;
	case -ENODEV:
		return IDMA_WINDOW_STATE_GONE;
	default:
		return IDMA_WINDOW_STATE_REVOKED;
	}
}

/* What does not change as long as there is the window */
static int idma_nlw_put_which(struct sk_buff *skb, const struct idma_window *w)
{
	if (nla_put_u32(skb, IDMA_A_WINDOW_ID, w->id) ||
	    nla_put_string(skb, IDMA_A_WINDOW_LINK,
			   idma_window_provider_name(w->provider)) ||
	    idma_nl_put_u64(skb, IDMA_A_WINDOW_REMOTE, w->req.remote) ||
	    idma_nl_put_u64(skb, IDMA_A_WINDOW_LEN, w->req.len) ||
	    nla_put_u32(skb, IDMA_A_WINDOW_STATE, idma_nlw_state(w)))
		return -EMSGSIZE;

	return 0;
}

static int idma_nlw_put_window(struct sk_buff *skb, void *obj)
{
	const struct idma_window *w = obj;
	const struct idma_window_request *req = &w->req;
	u32 dir = req->dir == DMA_TO_DEVICE ? IDMA_WINDOW_DIR_WRITE :
		  req->dir == DMA_FROM_DEVICE ? IDMA_WINDOW_DIR_READ :
		  IDMA_WINDOW_DIR_BOTH;

	if (idma_nlw_put_which(skb, w) ||
	    nla_put_u32(skb, IDMA_A_WINDOW_DIR, dir) ||
	    (req->privid != IDMA_WINDOW_PRIVID_ANY &&
	     nla_put_u32(skb, IDMA_A_WINDOW_PRIVID, req->privid)) ||
	    (req->dma_dev &&
	     (nla_put_string(skb, IDMA_A_WINDOW_DEV_NAME, dev_name(req->dma_dev)) ||
	      idma_nl_put_u64(skb, IDMA_A_WINDOW_BUS, w->dma))) ||
	    idma_nl_put_u64(skb, IDMA_A_WINDOW_PHYS, w->phys) ||
	    (w->cpu && nla_put_flag(skb, IDMA_A_WINDOW_CPU)) ||
	    (req->owner == &idma_nlw_owner && nla_put_flag(skb, IDMA_A_WINDOW_MANAGED)))
		return -EMSGSIZE;

	return 0;
}

static int idma_nlw_put_grant(struct sk_buff *skb, void *obj)
{
	const struct idma_window_grant *g = obj;
	struct idma_nlw_grant *pos;
	bool managed = false;

	lockdep_assert_held(&idma_nlw_lock);

	list_for_each_entry(pos, &idma_nlw_grants, node)
		managed |= pos->g == g;
	if (nla_put_string(skb, IDMA_A_GRANT_LINK,
			   idma_window_provider_name(g->provider)) ||
	    idma_nl_put_u64(skb, IDMA_A_GRANT_REMOTE, g->remote) ||
	    idma_nl_put_u64(skb, IDMA_A_GRANT_LEN, g->len) ||
	    (managed && nla_put_flag(skb, IDMA_A_GRANT_MANAGED)))
		return -EMSGSIZE;

	return 0;
}

/* ---- Links ---- */

static int idma_nlw_fill_link(struct sk_buff *skb, struct genl_info *info)
{
	struct idma_window_provider *p;
	int ret;

	if (GENL_REQ_ATTR_CHECK(info, IDMA_A_LINK_NAME)) {
		NL_SET_ERR_MSG(info->extack, "which link? Give its name");
		return -EINVAL;
	}
	p = idma_nlw_find_link(info->attrs[IDMA_A_LINK_NAME], info->extack);
	if (IS_ERR(p))
		return PTR_ERR(p);
	ret = idma_nlw_put_link(skb, p);
	idma_window_provider_put(p);

	return ret;
}

int idma_nl_link_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return idma_nl_answer(info, IDMA_CMD_LINK_GET, idma_nlw_fill_link);
}

static int idma_nlw_dump_link(struct idma_window_provider *p, void *data)
{
	struct idma_nlw_walk *walk = data;
	int ret;

	if (walk->n++ < walk->cb->args[0])
		return 0;
	ret = idma_nl_dump_one(walk->skb, walk->cb, IDMA_CMD_LINK_GET,
			       idma_nlw_put_link, p);
	if (!ret)
		walk->cb->args[0]++;

	return ret;
}

/*
 * Dump what is on all links. Where it goes on: cb->args[0] is how many links are
 * done with; what @fn has in cb->args[1] is about the next one.
 */
static int idma_nlw_dump(struct sk_buff *skb, struct netlink_callback *cb,
			 int (*fn)(struct idma_window_provider *p, void *data))
{
	struct idma_nlw_walk walk = { .skb = skb, .cb = cb };
	int ret;

	mutex_lock(&idma_nlw_lock);
	cb->seq = idma_nlw_generation;
	ret = idma_window_walk_providers(fn, &walk);
	mutex_unlock(&idma_nlw_lock);

	return skb->len ?: ret;
}

int idma_nl_link_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return idma_nlw_dump(skb, cb, idma_nlw_dump_link);
}

/* ---- Windows ---- */

/* The attribute of a request that an error of idma_window_map() is about */
static const struct nlattr *idma_nlw_blame(struct genl_info *info, int err)
{
	switch (err) {
	case -E2BIG:
		return info->attrs[IDMA_A_WINDOW_LEN];
	case -EACCES:
		return info->attrs[IDMA_A_WINDOW_PRIVID] ?: info->attrs[IDMA_A_WINDOW_DIR];
	case -EINVAL:
	case -ERANGE:
	case -EBUSY:
		return info->attrs[IDMA_A_WINDOW_REMOTE];
	default:
		return NULL;
	}
}

static void idma_nlw_say(struct netlink_ext_ack *extack, const struct nlattr *attr,
			 int err)
{
	if (!extack)
		return;
	extack->_msg = idma_window_strerror(err);
	if (attr)
		NL_SET_BAD_ATTR(extack, attr);
}

/* With idma_nlw_lock held, which is what an engine's unbind waits for */
static struct idma_nlw_window *idma_nlw_make(struct idma_window_provider *p,
					     struct genl_info *info)
{
	static const enum dma_data_direction dirs[] = {
		[IDMA_WINDOW_DIR_WRITE] = DMA_TO_DEVICE,
		[IDMA_WINDOW_DIR_READ] = DMA_FROM_DEVICE,
		[IDMA_WINDOW_DIR_BOTH] = DMA_BIDIRECTIONAL,
	};
	const struct nlattr *privid = info->attrs[IDMA_A_WINDOW_PRIVID];
	const struct nlattr *dir = info->attrs[IDMA_A_WINDOW_DIR];
	struct idma_window_request req = {
		.remote = nla_get_u64(info->attrs[IDMA_A_WINDOW_REMOTE]),
		.len = nla_get_u64(info->attrs[IDMA_A_WINDOW_LEN]),
		.dir = dirs[dir ? nla_get_u32(dir) : IDMA_WINDOW_DIR_BOTH],
		.privid = privid ? nla_get_u32(privid) : IDMA_WINDOW_PRIVID_ANY,
		.cpu = nla_get_flag(info->attrs[IDMA_A_WINDOW_CPU]),
		.owner = &idma_nlw_owner,
	};
	struct idma_nlw_window *new;
	struct idma_window *w;

	new = kzalloc(sizeof(*new), GFP_KERNEL);
	if (!new)
		return ERR_PTR(-ENOMEM);
	req.dma_dev = idma_nl_get_engine(info->attrs[IDMA_A_WINDOW_DEV_NAME],
					 info->extack);
	if (IS_ERR(req.dma_dev)) {
		kfree(new);
		return ERR_CAST(req.dma_dev);
	}
	w = idma_window_map(p, &req);
	put_device(req.dma_dev);
	if (IS_ERR(w)) {
		idma_nlw_say(info->extack, idma_nlw_blame(info, PTR_ERR(w)), PTR_ERR(w));
		kfree(new);
		return ERR_CAST(w);
	}
	new->w = w;
	list_add_tail(&new->node, &idma_nlw_windows);
	idma_nlw_generation++;

	return new;
}

static void idma_nlw_drop(struct idma_nlw_window *win)
{
	lockdep_assert_held(&idma_nlw_lock);

	list_del(&win->node);
	idma_nlw_generation++;
	idma_window_put(win->w);
	kfree(win);
}

static int idma_nlw_fill_new(struct sk_buff *skb, struct genl_info *info)
{
	struct idma_window_provider *p;
	struct idma_nlw_window *win;
	int ret;

	if (GENL_REQ_ATTR_CHECK(info, IDMA_A_WINDOW_REMOTE) ||
	    GENL_REQ_ATTR_CHECK(info, IDMA_A_WINDOW_LEN)) {
		NL_SET_ERR_MSG(info->extack, "a window has an address and a length");
		return -EINVAL;
	}
	p = idma_nlw_find_link(info->attrs[IDMA_A_WINDOW_LINK], info->extack);
	if (IS_ERR(p))
		return PTR_ERR(p);

	mutex_lock(&idma_nlw_lock);
	win = idma_nlw_make(p, info);
	ret = PTR_ERR_OR_ZERO(win);
	if (!ret) {
		ret = idma_nlw_put_window(skb, win->w);
		if (ret)
			idma_nlw_drop(win);
	}
	mutex_unlock(&idma_nlw_lock);
	idma_window_provider_put(p);

	return ret;
}

int idma_nl_window_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	return idma_nl_answer(info, IDMA_CMD_WINDOW_NEW, idma_nlw_fill_new);
}

static int idma_nlw_show_window(struct idma_window *w, void *data)
{
	struct idma_nlw_walk *walk = data;

	if (w->id != walk->id)
		return 0;
	walk->count++;

	return walk->skb ? idma_nlw_put_window(walk->skb, w) : 0;
}

static int idma_nlw_show_on_link(struct idma_window_provider *p, void *data)
{
	return idma_window_walk(p, idma_nlw_show_window, data);
}

/* The window that a request names, into @skb unless that is NULL */
static int idma_nlw_show(struct sk_buff *skb, struct genl_info *info)
{
	struct idma_nlw_walk walk = { .skb = skb };
	int ret;

	if (GENL_REQ_ATTR_CHECK(info, IDMA_A_WINDOW_ID)) {
		NL_SET_ERR_MSG(info->extack, "which window? Give its number");
		return -EINVAL;
	}
	walk.id = nla_get_u32(info->attrs[IDMA_A_WINDOW_ID]);
	ret = idma_window_walk_providers(idma_nlw_show_on_link, &walk);
	if (ret || walk.count)
		return ret;
	NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[IDMA_A_WINDOW_ID],
			    "there is no window with this number");

	return -ENOENT;
}

int idma_nl_window_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return idma_nl_answer(info, IDMA_CMD_WINDOW_GET, idma_nlw_show);
}

int idma_nl_window_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct idma_nlw_window *win;
	int ret;

	/* That there is one, and of the attribute */
	ret = idma_nlw_show(NULL, info);
	if (ret)
		return ret;

	mutex_lock(&idma_nlw_lock);
	win = idma_nlw_find(nla_get_u32(info->attrs[IDMA_A_WINDOW_ID]));
	if (win)
		idma_nlw_drop(win);
	mutex_unlock(&idma_nlw_lock);
	if (win)
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[IDMA_A_WINDOW_ID],
			    "this window belongs to a driver");

	return -EPERM;
}

/* cb->args[1] is the number of the last window of this link that was dumped */
static int idma_nlw_dump_window(struct idma_window *w, void *data)
{
	struct idma_nlw_walk *walk = data;
	int ret;

	if (w->id <= walk->cb->args[1])
		return 0;
	ret = idma_nl_dump_one(walk->skb, walk->cb, IDMA_CMD_WINDOW_GET,
			       idma_nlw_put_window, w);
	if (!ret)
		walk->cb->args[1] = w->id;

	return ret;
}

static int idma_nlw_dump_windows(struct idma_window_provider *p, void *data)
{
	struct idma_nlw_walk *walk = data;
	int ret;

	if (walk->n++ < walk->cb->args[0])
		return 0;
	ret = idma_window_walk(p, idma_nlw_dump_window, walk);
	if (ret)
		return ret;
	walk->cb->args[0]++;
	walk->cb->args[1] = 0;

	return 0;
}

int idma_nl_window_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return idma_nlw_dump(skb, cb, idma_nlw_dump_windows);
}

/* ---- Grants ---- */

static int idma_nlw_fill_grant(struct sk_buff *skb, struct genl_info *info)
{
	struct idma_window_provider *p;
	struct idma_window_grant *g;
	struct idma_nlw_grant *new;
	int ret;

	if (GENL_REQ_ATTR_CHECK(info, IDMA_A_GRANT_LEN)) {
		NL_SET_ERR_MSG(info->extack, "how much? Give a length");
		return -EINVAL;
	}
	if (nla_get_u64(info->attrs[IDMA_A_GRANT_LEN]) > SIZE_MAX)
		return -ENOMEM;
	new = kzalloc(sizeof(*new), GFP_KERNEL);
	if (!new)
		return -ENOMEM;
	p = idma_nlw_find_link(info->attrs[IDMA_A_GRANT_LINK], info->extack);
	if (IS_ERR(p)) {
		kfree(new);
		return PTR_ERR(p);
	}

	mutex_lock(&idma_nlw_lock);
	g = idma_window_grant(p, nla_get_u64(info->attrs[IDMA_A_GRANT_LEN]));
	ret = PTR_ERR_OR_ZERO(g);
	if (ret) {
		if (ret == -EINVAL || ret == -ENOMEM)
			NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[IDMA_A_GRANT_LEN],
					    "the link cannot grant that much, or that little");
		kfree(new);
	} else {
		new->g = g;
		list_add_tail(&new->node, &idma_nlw_grants);
		idma_nlw_generation++;
		ret = idma_nlw_put_grant(skb, g);
		if (ret) {
			list_del(&new->node);
			idma_window_ungrant(g);
			kfree(new);
		}
	}
	mutex_unlock(&idma_nlw_lock);
	idma_window_provider_put(p);

	return ret;
}

int idma_nl_grant_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	return idma_nl_answer(info, IDMA_CMD_GRANT_NEW, idma_nlw_fill_grant);
}

static int idma_nlw_is_grant(struct idma_window_grant *g, void *data)
{
	struct idma_nlw_walk *walk = data;

	walk->count += g->remote == walk->remote;

	return 0;
}

int idma_nl_grant_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct idma_nlw_walk walk = {};
	struct idma_window_provider *p;
	struct idma_nlw_grant *pos;
	int ret = -ENOENT;

	if (GENL_REQ_ATTR_CHECK(info, IDMA_A_GRANT_REMOTE)) {
		NL_SET_ERR_MSG(info->extack, "which grant? Give its address");
		return -EINVAL;
	}
	walk.remote = nla_get_u64(info->attrs[IDMA_A_GRANT_REMOTE]);
	p = idma_nlw_find_link(info->attrs[IDMA_A_GRANT_LINK], info->extack);
	if (IS_ERR(p))
		return PTR_ERR(p);

	mutex_lock(&idma_nlw_lock);
	list_for_each_entry(pos, &idma_nlw_grants, node) {
		if (pos->g->provider != p || pos->g->remote != walk.remote)
			continue;
		list_del(&pos->node);
		idma_nlw_generation++;
		idma_window_ungrant(pos->g);
		kfree(pos);
		ret = 0;
		break;
	}
	mutex_unlock(&idma_nlw_lock);

	if (ret) {
		idma_window_walk_grants(p, idma_nlw_is_grant, &walk);
		if (walk.count)
			ret = -EPERM;
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[IDMA_A_GRANT_REMOTE],
				    "grant-new has granted nothing at this address");
	}
	idma_window_provider_put(p);

	return ret;
}

/* cb->args[1] is how many grants of this link were dumped */
static int idma_nlw_dump_grant(struct idma_window_grant *g, void *data)
{
	struct idma_nlw_walk *walk = data;
	int ret;

	if (walk->count++ < walk->cb->args[1])
		return 0;
	ret = idma_nl_dump_one(walk->skb, walk->cb, IDMA_CMD_GRANT_GET,
			       idma_nlw_put_grant, g);
	if (!ret)
		walk->cb->args[1]++;

	return ret;
}

static int idma_nlw_dump_grants(struct idma_window_provider *p, void *data)
{
	struct idma_nlw_walk *walk = data;
	int ret;

	if (walk->n++ < walk->cb->args[0])
		return 0;
	walk->count = 0;
	ret = idma_window_walk_grants(p, idma_nlw_dump_grant, walk);
	if (ret)
		return ret;
	walk->cb->args[0]++;
	walk->cb->args[1] = 0;

	return 0;
}

int idma_nl_grant_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return idma_nlw_dump(skb, cb, idma_nlw_dump_grants);
}

/* ---- Test copies ---- */

/**
 * struct idma_nlw_copy - a window-copy that is under way
 * @w: the window
 * @chan: channel, if one is needed
 * @buf: this side of the copy
 * @dma: its bus address, if there is a channel
 * @check: where what was written is read back to
 * @check_dma: its bus address, if there is a channel
 * @len: length of both
 * @write: to the window
 * @by_cpu: the CPU copies
 * @seed: which pattern
 * @done: a transfer of @chan is complete
 * @result: how
 * @transfers: how many were made
 * @ns: how long they took
 * @mismatches: bytes that were wrong
 * @first: where the first one is
 */
struct idma_nlw_copy {
	struct idma_window *w;
	struct dma_chan *chan;
	u8 *buf;
	dma_addr_t dma;
	u8 *check;
	dma_addr_t check_dma;
	u32 len;
	bool write;
	bool by_cpu;
	u32 seed;
	struct completion done;
	enum dmaengine_tx_result result;
	u64 transfers;
	u64 ns;
	u64 mismatches;
	u64 first;
};

static u8 idma_nlw_pattern(u32 seed, u64 pos)
{
	return hash_32(seed + (u32)(pos >> 2) + 1, 32) >> (pos & 3) * 8;
}

static void idma_nlw_fill(const struct idma_nlw_copy *c, u64 pos, u8 invert)
{
	u32 i;

	for (i = 0; i < c->len; i++)
		c->buf[i] = idma_nlw_pattern(c->seed, pos + i) ^ invert;
}

static void idma_nlw_compare(struct idma_nlw_copy *c, const u8 *buf, u64 pos)
{
	u32 i;

	for (i = 0; i < c->len; i++) {
		if (buf[i] == idma_nlw_pattern(c->seed, pos + i))
			continue;
		if (!c->mismatches++)
			c->first = pos + i;
	}
}

static void idma_nlw_done(void *param, const struct dmaengine_result *result)
{
	struct idma_nlw_copy *c = param;

	c->result = result->result;
	complete(&c->done);
}

static int idma_nlw_dma(struct idma_nlw_copy *c, dma_addr_t dst, dma_addr_t src)
{
	struct dma_async_tx_descriptor *tx;
	long left;

	tx = dmaengine_prep_dma_memcpy(c->chan, dst, src, c->len,
				       DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
	if (!tx)
		return -EIO;
	reinit_completion(&c->done);
	tx->callback_result = idma_nlw_done;
	tx->callback_param = c;
	if (dma_submit_error(dmaengine_submit(tx)))
		return -EIO;
	dma_async_issue_pending(c->chan);
	left = wait_for_completion_killable_timeout(&c->done, IDMA_NLW_TIMEOUT);
	if (left <= 0) {
		dmaengine_terminate_sync(c->chan);
		return left ?: -ETIMEDOUT;
	}

	return c->result == DMA_TRANS_NOERROR ? 0 : -EIO;
}

/* One copy between the window at @pos and @buf */
static int idma_nlw_move(struct idma_nlw_copy *c, u64 pos, bool write, bool by_cpu,
			 u8 *buf, dma_addr_t dma)
{
	struct device *dev = c->w->req.dma_dev;
	u32 mark = idma_window_begin(c->w);
	int ret;

	if (by_cpu) {
		if (write)
			memcpy_toio(c->w->cpu + pos, buf, c->len);
		else
			memcpy_fromio(buf, c->w->cpu + pos, c->len);
		return idma_window_end(c->w, mark);
	}
	dma_sync_single_for_device(dev, dma, c->len, DMA_BIDIRECTIONAL);
	if (write)
		ret = idma_nlw_dma(c, c->w->dma + pos, dma);
	else
		ret = idma_nlw_dma(c, dma, c->w->dma + pos);
	dma_sync_single_for_cpu(dev, dma, c->len, DMA_BIDIRECTIONAL);

	/* Why the window was revoked says more than that a copy has failed */
	return ret ? idma_window_status(c->w) ?: ret : 0;
}

static int idma_nlw_step(struct idma_nlw_copy *c, u64 pos, bool verify)
{
	u64 since;
	int ret;

	/* What is read must not be right already */
	idma_nlw_fill(c, pos, c->write ? 0 : 0xff);
	since = ktime_get_ns();
	ret = idma_nlw_move(c, pos, c->write, c->by_cpu, c->buf, c->dma);
	if (ret)
		return ret;
	c->ns += ktime_get_ns() - since;
	c->transfers++;
	if (!verify)
		return 0;
	if (!c->write) {
		idma_nlw_compare(c, c->buf, pos);
		return 0;
	}
	/* By another way than it was written, if there is one */
	memset(c->check, 0, c->len);
	ret = idma_nlw_move(c, pos, false, c->w->cpu, c->check, c->check_dma);
	if (!ret)
		idma_nlw_compare(c, c->check, pos);

	return ret;
}

static bool idma_nlw_of_engine(struct dma_chan *chan, void *dev)
{
	return chan->device->dev == dev;
}

static int idma_nlw_prepare(struct idma_nlw_copy *c, struct genl_info *info, bool verify)
{
	struct device *dev = c->w->req.dma_dev;
	dma_cap_mask_t mask;

	init_completion(&c->done);
	c->buf = kmalloc(c->len, GFP_KERNEL | __GFP_NOWARN);
	c->check = verify && c->write ? kmalloc(c->len, GFP_KERNEL | __GFP_NOWARN) : NULL;
	if (!c->buf || (verify && c->write && !c->check)) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[IDMA_A_WINDOW_COPY_LEN],
				    "there is no memory for that much at a time");
		return -ENOMEM;
	}
	/* Not even for reading back */
	if (c->by_cpu && (c->w->cpu || !verify))
		return 0;

	dma_cap_zero(mask);
	dma_cap_set(DMA_MEMCPY, mask);
	c->chan = dma_request_channel(mask, idma_nlw_of_engine, dev);
	if (!c->chan) {
		NL_SET_ERR_MSG(info->extack, "no channel of the engine is free");
		return -EBUSY;
	}
	c->dma = dma_map_single(dev, c->buf, c->len, DMA_BIDIRECTIONAL);
	if (dma_mapping_error(dev, c->dma)) {
		c->dma = DMA_MAPPING_ERROR;
		return -ENOMEM;
	}
	if (!c->check)
		return 0;
	c->check_dma = dma_map_single(dev, c->check, c->len, DMA_BIDIRECTIONAL);

	return dma_mapping_error(dev, c->check_dma) ? -ENOMEM : 0;
}

static void idma_nlw_clean(struct idma_nlw_copy *c)
{
	struct device *dev = c->w->req.dma_dev;

	if (c->chan) {
		if (c->dma != DMA_MAPPING_ERROR)
			dma_unmap_single(dev, c->dma, c->len, DMA_BIDIRECTIONAL);
		if (c->check_dma != DMA_MAPPING_ERROR)
			dma_unmap_single(dev, c->check_dma, c->len, DMA_BIDIRECTIONAL);
		dma_release_channel(c->chan);
	}
	kfree(c->check);
	kfree(c->buf);
}

/* May the window be used like that? */
static int idma_nlw_may(const struct idma_nlw_copy *c, struct genl_info *info,
			bool verify, u64 offset, u64 count)
{
	const struct idma_window_request *req = &c->w->req;
	bool reads = !c->write || verify, writes = c->write;

	if ((writes && req->dir == DMA_FROM_DEVICE) ||
	    (reads && req->dir == DMA_TO_DEVICE)) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[IDMA_A_WINDOW_COPY_DIR],
				    "the window was not made for this direction");
		return -EOPNOTSUPP;
	}
	if (c->by_cpu && !c->w->cpu) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[IDMA_A_WINDOW_COPY_BY],
				    "the window was not made for the CPU");
		return -EOPNOTSUPP;
	}
	if (offset > req->len || count > (req->len - offset) / c->len) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[IDMA_A_WINDOW_COPY_LEN],
				    "the window is not that long");
		return -ERANGE;
	}

	return 0;
}

static int idma_nlw_run(struct idma_nlw_copy *c, struct sk_buff *skb,
			struct genl_info *info)
{
	const struct nlattr *offset = info->attrs[IDMA_A_WINDOW_COPY_OFFSET];
	const struct nlattr *count = info->attrs[IDMA_A_WINDOW_COPY_COUNT];
	bool verify = nla_get_flag(info->attrs[IDMA_A_WINDOW_COPY_VERIFY]);
	u64 pos = offset ? nla_get_u64(offset) : 0;
	u32 n = count ? nla_get_u32(count) : 1, i;
	int ret;

	ret = idma_nlw_may(c, info, verify, pos, n);
	if (!ret)
		ret = idma_nlw_prepare(c, info, verify);
	if (ret)
		goto clean;
	for (i = 0; i < n && !ret; i++, pos += c->len) {
		ret = fatal_signal_pending(current) ? -EINTR : idma_nlw_step(c, pos, verify);
		cond_resched();
	}
	/* What went wrong on the way is a result */
	if (nla_put_u32(skb, IDMA_A_WINDOW_COPY_ID, c->w->id) ||
	    idma_nl_put_u64(skb, IDMA_A_WINDOW_COPY_TRANSFERS, c->transfers) ||
	    idma_nl_put_u64(skb, IDMA_A_WINDOW_COPY_BYTES, c->transfers * c->len) ||
	    idma_nl_put_u64(skb, IDMA_A_WINDOW_COPY_TIME, c->ns) ||
	    (ret && nla_put_u32(skb, IDMA_A_WINDOW_COPY_ERROR, -ret)) ||
	    (verify && idma_nl_put_u64(skb, IDMA_A_WINDOW_COPY_MISMATCHES, c->mismatches)) ||
	    (c->mismatches &&
	     idma_nl_put_u64(skb, IDMA_A_WINDOW_COPY_FIRST_MISMATCH, c->first)))
		ret = -EMSGSIZE;
	else
		ret = 0;
clean:
	idma_nlw_clean(c);

	return ret;
}

static int idma_nlw_fill_copy(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *by = info->attrs[IDMA_A_WINDOW_COPY_BY];
	const struct nlattr *seed = info->attrs[IDMA_A_WINDOW_COPY_SEED];
	struct idma_nlw_copy copy = {
		.dma = DMA_MAPPING_ERROR,
		.check_dma = DMA_MAPPING_ERROR,
		.by_cpu = by && nla_get_u32(by) == IDMA_WINDOW_COPY_BY_CPU,
		.seed = seed ? nla_get_u32(seed) : 0,
	};
	struct idma_nlw_window *win;
	int ret;

	if (GENL_REQ_ATTR_CHECK(info, IDMA_A_WINDOW_COPY_ID) ||
	    GENL_REQ_ATTR_CHECK(info, IDMA_A_WINDOW_COPY_DIR) ||
	    GENL_REQ_ATTR_CHECK(info, IDMA_A_WINDOW_COPY_LEN)) {
		NL_SET_ERR_MSG(info->extack, "a copy has a window, a direction and a length");
		return -EINVAL;
	}
	copy.len = nla_get_u32(info->attrs[IDMA_A_WINDOW_COPY_LEN]);
	copy.write = nla_get_u32(info->attrs[IDMA_A_WINDOW_COPY_DIR]) == IDMA_WINDOW_DIR_WRITE;

	/* It can take long: keep the window, but not the list locked */
	mutex_lock(&idma_nlw_lock);
	win = idma_nlw_find(nla_get_u32(info->attrs[IDMA_A_WINDOW_COPY_ID]));
	if (win)
		copy.w = idma_window_get(win->w);
	mutex_unlock(&idma_nlw_lock);
	if (!win) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[IDMA_A_WINDOW_COPY_ID],
				    "window-new has made no window with this number");
		return -ENOENT;
	}
	ret = idma_nlw_run(&copy, skb, info);
	idma_window_put(copy.w);

	return ret;
}

int idma_nl_window_copy_doit(struct sk_buff *skb, struct genl_info *info)
{
	return idma_nl_answer(info, IDMA_CMD_WINDOW_COPY, idma_nlw_fill_copy);
}

/* ---- Events ---- */

static void idma_nlw_send(u8 cmd, void *obj)
{
	struct sk_buff *msg;
	int ret, time;
	void *hdr;

	msg = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!msg)
		return;
	hdr = genlmsg_put(msg, 0, 0, &idma_nl_family, 0, cmd);
	if (cmd == IDMA_CMD_WINDOW_REVOKED) {
		ret = hdr ? idma_nlw_put_which(msg, obj) : -EMSGSIZE;
		time = IDMA_A_WINDOW_TIME;
	} else {
		ret = hdr ? idma_nlw_put_name(msg, obj) : -EMSGSIZE;
		time = IDMA_A_LINK_TIME;
	}
	if (ret || idma_nl_put_u64(msg, time, ktime_get_ns())) {
		nlmsg_free(msg);
		return;
	}
	genlmsg_end(msg, hdr);
	/* That nobody listens, or one does not keep up, is not our business */
	genlmsg_multicast_netns(&idma_nl_family, &init_net, msg, 0,
				IDMA_NLGRP_EVENTS, GFP_KERNEL);
}

/* What we have from a link that is gone, or all of it */
static void idma_nlw_forget(const struct idma_window_provider *p)
{
	struct idma_nlw_window *win, *next_win;
	struct idma_nlw_grant *grant, *next_grant;

	mutex_lock(&idma_nlw_lock);
	idma_nlw_generation++;
	list_for_each_entry_safe(win, next_win, &idma_nlw_windows, node)
		if (!p || win->w->provider == p)
			idma_nlw_drop(win);
	list_for_each_entry_safe(grant, next_grant, &idma_nlw_grants, node) {
		if (p && grant->g->provider != p)
			continue;
		list_del(&grant->node);
		idma_window_ungrant(grant->g);
		kfree(grant);
	}
	mutex_unlock(&idma_nlw_lock);
}

static int idma_nlw_notify(struct notifier_block *nb, unsigned long event, void *data)
{
	static const u8 cmds[] = {
		[IDMA_WINDOW_PROVIDER_ADD] = IDMA_CMD_LINK_ADDED,
		[IDMA_WINDOW_PROVIDER_REMOVE] = IDMA_CMD_LINK_REMOVED,
		[IDMA_WINDOW_LINK_UP] = IDMA_CMD_LINK_UP,
		[IDMA_WINDOW_LINK_DOWN] = IDMA_CMD_LINK_DOWN,
		[IDMA_WINDOW_REVOKED] = IDMA_CMD_WINDOW_REVOKED,
	};

	if (event >= ARRAY_SIZE(cmds))
		return NOTIFY_DONE;
	if (event == IDMA_WINDOW_PROVIDER_REMOVE) {
		idma_nlw_forget(data);
	} else if (event == IDMA_WINDOW_PROVIDER_ADD) {
		mutex_lock(&idma_nlw_lock);
		idma_nlw_generation++;
		mutex_unlock(&idma_nlw_lock);
	}
	idma_nlw_send(cmds[event], data);

	return NOTIFY_OK;
}

static struct notifier_block idma_nlw_nb = {
	.notifier_call = idma_nlw_notify,
};

/* ---- Life cycle ---- */

/* An engine is being unbound, and cannot be found any more */
void idma_nl_window_unbind(struct device *dev)
{
	struct idma_nlw_window *win, *next;

	mutex_lock(&idma_nlw_lock);
	list_for_each_entry_safe(win, next, &idma_nlw_windows, node)
		if (win->w->req.dma_dev == dev)
			idma_nlw_drop(win);
	mutex_unlock(&idma_nlw_lock);
}

int idma_nl_window_init(void)
{
	return idma_window_register_notifier(&idma_nlw_nb);
}

/* When the family is gone */
void idma_nl_window_exit(void)
{
	idma_window_unregister_notifier(&idma_nlw_nb);
	idma_nlw_forget(NULL);
}
