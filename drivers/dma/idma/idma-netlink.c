// SPDX-License-Identifier: GPL-2.0-only
/*
 * The generic netlink family "idma": engines and channels with their counters,
 * reset, events. The family is there as long as the module is, with or without
 * an engine; the bench operations are handed on to the bench client's module.
 *
 * What the messages mean is in Documentation/netlink/specs/idma.yaml.
 *
 * Locks: idma-nl-window.c's, idma_nl_lock, then idma_dev.lock, then idma_nl_event_lock. An engine
 * is on the list from the end of its probe to the beginning of its unbind,
 * which waits for the list's lock.
 */
#include <linux/clk.h>
#include <linux/device.h>
#include <linux/kfifo.h>
#include <linux/kmod.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/property.h>
#include <linux/ktime.h>
#include <linux/workqueue.h>

#include "dmaengine.h"
#include "idma.h"
#include "idma-bench.h"
#include "idma-netlink.h"
#include "idma-nl-compat.h"
#include "idma-nl-gen.h"

/* Events that wait to be sent; a power of two */
#define IDMA_NL_EVENTS		64
/* Longest message about a configuration of the bench client, in bytes */
#define IDMA_NL_BENCH_MSG	8192
/* "dma<n>chan<n>" */
#define IDMA_NL_CHAN_NAME	32

/* Protects the list of engines, in the order of their numbers */
static DEFINE_MUTEX(idma_nl_lock);
static LIST_HEAD(idma_nl_devs);
/* Changes when an engine comes or goes; never 0 */
static unsigned int idma_nl_generation = 1;

/* ---- Finding engines and channels, with idma_nl_lock held ---- */

/*
 * The engine that a request names by its number in @id or by its name in
 * @name, of which the caller takes care that there is only one.
 */
static struct idma_dev *idma_nl_find(const struct nlattr *id,
				     const struct nlattr *name,
				     struct netlink_ext_ack *extack)
{
	struct idma_dev *idma;

	lockdep_assert_held(&idma_nl_lock);

	list_for_each_entry(idma, &idma_nl_devs, nl) {
		if (id ? nla_get_u32(id) == idma->dma.dev_id :
			 !nla_strcmp(name, dev_name(idma->dev)))
			return idma;
	}

	if (id)
		NL_SET_ERR_MSG_ATTR(extack, id, "there is no engine with this number");
	else
		NL_SET_ERR_MSG_ATTR(extack, name, "there is no engine with this name");

	return ERR_PTR(-ENODEV);
}

/* The device of the engine that is named, or of the first one, with a reference */
struct device *idma_nl_get_engine(const struct nlattr *name,
				  struct netlink_ext_ack *extack)
{
	struct idma_dev *idma;
	struct device *dev;

	mutex_lock(&idma_nl_lock);
	if (name)
		idma = idma_nl_find(NULL, name, extack);
	else
		idma = list_first_entry_or_null(&idma_nl_devs, struct idma_dev, nl);
	if (!idma) {
		NL_SET_ERR_MSG(extack, "there is no engine");
		idma = ERR_PTR(-ENODEV);
	}
	dev = IS_ERR(idma) ? ERR_CAST(idma) : get_device(idma->dev);
	mutex_unlock(&idma_nl_lock);

	return dev;
}

static struct idma_dev *idma_nl_find_dev(struct genl_info *info)
{
	const struct nlattr *id = info->attrs[IDMA_A_DEV_ID];
	const struct nlattr *name = info->attrs[IDMA_A_DEV_NAME];

	if (id && name) {
		NL_SET_ERR_MSG_ATTR(info->extack, name,
				    "give the engine's number or its name, not both");
		return ERR_PTR(-EINVAL);
	}
	if (!name && GENL_REQ_ATTR_CHECK(info, IDMA_A_DEV_ID)) {
		NL_SET_ERR_MSG(info->extack, "which engine? Give its number or its name");
		return ERR_PTR(-EINVAL);
	}

	return idma_nl_find(id, name, info->extack);
}

/* The name that dmaengine gives to the channel while it is registered */
static const char *idma_nl_chan_name(const struct idma_chan *c, char *buf)
{
	snprintf(buf, IDMA_NL_CHAN_NAME, "dma%dchan%d", c->idma->dma.dev_id,
		 c->vc.chan.chan_id);

	return buf;
}

static struct idma_chan *idma_nl_find_chan_by_name(const struct nlattr *name,
						   struct netlink_ext_ack *extack)
{
	char buf[IDMA_NL_CHAN_NAME];
	struct idma_dev *idma;
	unsigned int i;

	list_for_each_entry(idma, &idma_nl_devs, nl) {
		for (i = 0; i < idma->nr_chans; i++) {
			struct idma_chan *c = &idma->chans[i];

			if (!nla_strcmp(name, idma_nl_chan_name(c, buf)))
				return c;
		}
	}
	NL_SET_ERR_MSG_ATTR(extack, name, "no engine has a channel with this name");

	return ERR_PTR(-ENOENT);
}

static struct idma_chan *idma_nl_find_chan(struct genl_info *info)
{
	const struct nlattr *dev_id = info->attrs[IDMA_A_CHAN_DEV_ID];
	const struct nlattr *dev_name = info->attrs[IDMA_A_CHAN_DEV_NAME];
	const struct nlattr *id = info->attrs[IDMA_A_CHAN_ID];
	const struct nlattr *name = info->attrs[IDMA_A_CHAN_NAME];
	struct idma_dev *idma;

	if (name) {
		if (dev_id || dev_name || id) {
			NL_SET_ERR_MSG_ATTR(info->extack, name,
					    "give the channel's name or its engine and number, not both");
			return ERR_PTR(-EINVAL);
		}
		return idma_nl_find_chan_by_name(name, info->extack);
	}

	if (dev_id && dev_name) {
		NL_SET_ERR_MSG_ATTR(info->extack, dev_name,
				    "give the engine's number or its name, not both");
		return ERR_PTR(-EINVAL);
	}
	if (GENL_REQ_ATTR_CHECK(info, IDMA_A_CHAN_ID) ||
	    (!dev_name && GENL_REQ_ATTR_CHECK(info, IDMA_A_CHAN_DEV_ID))) {
		NL_SET_ERR_MSG(info->extack,
			       "which channel? Give its name, or its engine and number");
		return ERR_PTR(-EINVAL);
	}

	idma = idma_nl_find(dev_id, dev_name, info->extack);
	if (IS_ERR(idma))
		return ERR_CAST(idma);
	if (nla_get_u32(id) >= idma->nr_chans) {
		NL_SET_ERR_MSG_ATTR(info->extack, id, "the engine has no such channel");
		return ERR_PTR(-ENOENT);
	}

	return &idma->chans[nla_get_u32(id)];
}

/* ---- Messages ---- */

static int idma_nl_put_faults(struct sk_buff *skb, int attr,
			      const struct idma_chan_stats *stats)
{
	static const u8 attrs[IDMA_FAULT_MAX + 1] = {
		[IDMA_FAULT_STALL] = IDMA_A_FAULTS_STALL,
		[IDMA_FAULT_RESET] = IDMA_A_FAULTS_RESET,
		[IDMA_FAULT_UNBIND] = IDMA_A_FAULTS_UNBIND,
		[IDMA_FAULT_LINK] = IDMA_A_FAULTS_LINK,
	};
	struct nlattr *nest;
	unsigned int i;

	nest = nla_nest_start(skb, attr);
	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < ARRAY_SIZE(attrs); i++) {
		if (idma_nl_put_u64(skb, attrs[i], stats->faults[i])) {
			nla_nest_cancel(skb, nest);
			return -EMSGSIZE;
		}
	}
	nla_nest_end(skb, nest);

	return 0;
}

static int idma_nl_put_dev_counters(struct sk_buff *skb,
				    const struct idma_stats *stats,
				    const struct idma_chan_stats *sum)
{
	const struct {
		int attr;
		u64 val;
	} counters[] = {
		{ IDMA_A_DEV_COUNTERS_TRANSFERS, sum->transfers },
		{ IDMA_A_DEV_COUNTERS_BYTES, sum->bytes },
		{ IDMA_A_DEV_COUNTERS_ERRORS, sum->errors },
		{ IDMA_A_DEV_COUNTERS_TERMINATED, sum->terminated },
		{ IDMA_A_DEV_COUNTERS_LAUNCHES, stats->launches },
		{ IDMA_A_DEV_COUNTERS_LAUNCHES_REFUSED, stats->launches_refused },
		{ IDMA_A_DEV_COUNTERS_DESCRIPTORS, stats->segments },
		{ IDMA_A_DEV_COUNTERS_INTERRUPTS, stats->interrupts },
		{ IDMA_A_DEV_COUNTERS_INTERRUPTS_FOREIGN, stats->interrupts_foreign },
		{ IDMA_A_DEV_COUNTERS_INTERRUPTS_MISSED, stats->interrupts_missed },
		{ IDMA_A_DEV_COUNTERS_BACKSTOPS, stats->backstops },
		{ IDMA_A_DEV_COUNTERS_REAPED_IRQ, stats->reaped[IDMA_REAP_IRQ] },
		{ IDMA_A_DEV_COUNTERS_REAPED_BACKSTOP, stats->reaped[IDMA_REAP_BACKSTOP] },
		{ IDMA_A_DEV_COUNTERS_REAPED_POLL, stats->reaped[IDMA_REAP_POLL] },
		{ IDMA_A_DEV_COUNTERS_STALLS, stats->stalls },
		{ IDMA_A_DEV_COUNTERS_RECOVERIES, stats->recoveries },
	};
	struct nlattr *nest;
	unsigned int i;

	nest = nla_nest_start(skb, IDMA_A_DEV_COUNTERS);
	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < ARRAY_SIZE(counters); i++) {
		if (idma_nl_put_u64(skb, counters[i].attr, counters[i].val))
			goto cancel;
	}
	if (idma_nl_put_faults(skb, IDMA_A_DEV_COUNTERS_FAULTS, sum))
		goto cancel;
	nla_nest_end(skb, nest);

	return 0;

cancel:
	nla_nest_cancel(skb, nest);
	return -EMSGSIZE;
}

static int idma_nl_put_frontend(struct sk_buff *skb, const struct idma_dev *idma)
{
	struct nlattr *nest;

	nest = nla_nest_start(skb, IDMA_A_DEV_FRONTEND);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_string(skb, IDMA_A_FRONTEND_NAME, idma->ops->name) ||
	    nla_put_u32(skb, IDMA_A_FRONTEND_MAX_SEGMENT,
			min_t(u32, idma->ops->max_len, IDMA_MAX_SEGMENT)) ||
	    nla_put_u32(skb, IDMA_A_FRONTEND_INPUT_SLOTS, idma->input_slots) ||
	    nla_put_u32(skb, IDMA_A_FRONTEND_PENDING_SLOTS,
			min(idma->pending_slots, IDMA_INFLIGHT))) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);

	return 0;
}

static u32 idma_nl_caps(const struct idma_dev *idma)
{
	u32 caps = IDMA_CAP_MEMCPY;

	if (idma->irq > 0)
		caps |= IDMA_CAP_INTERRUPT;
	if (idma->rst)
		caps |= IDMA_CAP_RESET_LINE;
	if (idma->clk)
		caps |= IDMA_CAP_CLOCK;
	if (device_get_dma_attr(idma->dev) == DEV_DMA_COHERENT)
		caps |= IDMA_CAP_COHERENT;
	if (idma->dma.descriptor_reuse)
		caps |= IDMA_CAP_REUSE;

	return caps;
}

static u32 idma_nl_state(struct idma_dev *idma)
{
	unsigned long flags;
	u32 state;

	spin_lock_irqsave(&idma->lock, flags);
	state = idma_state(idma);
	spin_unlock_irqrestore(&idma->lock, flags);

	return state;
}

static int idma_nl_put_dev(struct sk_buff *skb, void *obj)
{
	struct idma_dev *idma = obj;
	unsigned int inflight, in_use = 0, i;
	struct idma_chan_stats sum;
	struct idma_stats stats;
	unsigned long flags;
	u32 state;

	/* All of one moment: an engine with something in flight is not idle */
	spin_lock_irqsave(&idma->lock, flags);
	state = idma_state(idma);
	stats = idma->stats;
	inflight = idma_inflight(idma);
	idma_sum_stats(idma, &sum);
	spin_unlock_irqrestore(&idma->lock, flags);

	for (i = 0; i < idma->nr_chans; i++)
		in_use += READ_ONCE(idma->chans[i].vc.chan.client_count) > 0;

	if (nla_put_u32(skb, IDMA_A_DEV_ID, idma->dma.dev_id) ||
	    nla_put_string(skb, IDMA_A_DEV_NAME, dev_name(idma->dev)) ||
	    nla_put_u32(skb, IDMA_A_DEV_STATE, state) ||
	    nla_put_u32(skb, IDMA_A_DEV_CAPS, idma_nl_caps(idma)) ||
	    nla_put_u32(skb, IDMA_A_DEV_CHANNELS, idma->nr_chans) ||
	    nla_put_u32(skb, IDMA_A_DEV_CHANNELS_IN_USE, in_use) ||
	    (idma->irq > 0 && nla_put_u32(skb, IDMA_A_DEV_IRQ, idma->irq)) ||
	    nla_put_u32(skb, IDMA_A_DEV_IN_FLIGHT, inflight) ||
	    idma_nl_put_frontend(skb, idma) ||
	    idma_nl_put_dev_counters(skb, &stats, &sum))
		return -EMSGSIZE;

	return 0;
}

static int idma_nl_put_chan(struct sk_buff *skb, void *obj)
{
	struct idma_chan *c = obj;
	struct idma_dev *idma = c->idma;
	char name[IDMA_NL_CHAN_NAME];
	struct idma_chan_stats stats;
	struct nlattr *nest;
	unsigned long flags;

	spin_lock_irqsave(&idma->lock, flags);
	stats = c->stats;
	spin_unlock_irqrestore(&idma->lock, flags);

	if (nla_put_u32(skb, IDMA_A_CHAN_DEV_ID, idma->dma.dev_id) ||
	    nla_put_string(skb, IDMA_A_CHAN_DEV_NAME, dev_name(idma->dev)) ||
	    nla_put_u32(skb, IDMA_A_CHAN_ID, c - idma->chans) ||
	    nla_put_string(skb, IDMA_A_CHAN_NAME, idma_nl_chan_name(c, name)) ||
	    nla_put_u32(skb, IDMA_A_CHAN_CLIENTS,
			READ_ONCE(c->vc.chan.client_count)))
		return -EMSGSIZE;

	nest = nla_nest_start(skb, IDMA_A_CHAN_COUNTERS);
	if (!nest)
		return -EMSGSIZE;
	if (idma_nl_put_u64(skb, IDMA_A_CHAN_COUNTERS_TRANSFERS, stats.transfers) ||
	    idma_nl_put_u64(skb, IDMA_A_CHAN_COUNTERS_BYTES, stats.bytes) ||
	    idma_nl_put_u64(skb, IDMA_A_CHAN_COUNTERS_ERRORS, stats.errors) ||
	    idma_nl_put_u64(skb, IDMA_A_CHAN_COUNTERS_TERMINATED, stats.terminated) ||
	    idma_nl_put_faults(skb, IDMA_A_CHAN_COUNTERS_FAULTS, &stats)) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);

	return 0;
}

/* ---- Operations ---- */

/* Answer a request with what @fill puts into the message */
int idma_nl_answer(struct genl_info *info, u8 cmd,
		   int (*fill)(struct sk_buff *skb, struct genl_info *info))
{
	struct sk_buff *msg;
	int ret = -EMSGSIZE;
	void *hdr;

	msg = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!msg)
		return -ENOMEM;
	hdr = genlmsg_put_reply(msg, info, &idma_nl_family, 0, cmd);
	if (hdr)
		ret = fill(msg, info);
	if (ret) {
		nlmsg_free(msg);
		return ret;
	}
	genlmsg_end(msg, hdr);

	return genlmsg_reply(msg, info);
}

/* One object into a dump; -EMSGSIZE if it has to go into the next message */
int idma_nl_dump_one(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd,
		     int (*put)(struct sk_buff *skb, void *obj), void *obj)
{
	void *hdr;
	int ret;

	hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			  &idma_nl_family, NLM_F_MULTI, cmd);
	if (!hdr)
		return -EMSGSIZE;
	ret = put(skb, obj);
	if (ret) {
		genlmsg_cancel(skb, hdr);
		return ret;
	}
	genl_dump_check_consistent(cb, hdr);
	genlmsg_end(skb, hdr);

	return 0;
}

static int idma_nl_fill_dev(struct sk_buff *skb, struct genl_info *info)
{
	struct idma_dev *idma;
	int ret;

	mutex_lock(&idma_nl_lock);
	idma = idma_nl_find_dev(info);
	ret = IS_ERR(idma) ? PTR_ERR(idma) : idma_nl_put_dev(skb, idma);
	mutex_unlock(&idma_nl_lock);

	return ret;
}

int idma_nl_dev_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return idma_nl_answer(info, IDMA_CMD_DEV_GET, idma_nl_fill_dev);
}

/* Where a dump goes on: cb->args[0] is the number of the next engine */
int idma_nl_dev_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct idma_dev *idma;
	int ret = 0;

	mutex_lock(&idma_nl_lock);
	cb->seq = idma_nl_generation;
	list_for_each_entry(idma, &idma_nl_devs, nl) {
		if (idma->dma.dev_id < cb->args[0])
			continue;
		ret = idma_nl_dump_one(skb, cb, IDMA_CMD_DEV_GET,
				       idma_nl_put_dev, idma);
		if (ret)
			break;
		cb->args[0] = idma->dma.dev_id + 1;
	}
	mutex_unlock(&idma_nl_lock);

	return skb->len ?: ret;
}

static int idma_nl_fill_chan(struct sk_buff *skb, struct genl_info *info)
{
	struct idma_chan *c;
	int ret;

	mutex_lock(&idma_nl_lock);
	c = idma_nl_find_chan(info);
	ret = IS_ERR(c) ? PTR_ERR(c) : idma_nl_put_chan(skb, c);
	mutex_unlock(&idma_nl_lock);

	return ret;
}

int idma_nl_chan_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return idma_nl_answer(info, IDMA_CMD_CHAN_GET, idma_nl_fill_chan);
}

/* The channels of an engine from the number in cb->args[1] on */
static int idma_nl_dump_chans(struct sk_buff *skb, struct netlink_callback *cb,
			      struct idma_dev *idma)
{
	int ret;

	while (cb->args[1] < idma->nr_chans) {
		ret = idma_nl_dump_one(skb, cb, IDMA_CMD_CHAN_GET,
				       idma_nl_put_chan,
				       &idma->chans[cb->args[1]]);
		if (ret)
			return ret;
		cb->args[1]++;
	}

	return 0;
}

/*
 * Where a dump goes on: cb->args[0] is the number of the engine, cb->args[1]
 * that of its channel; cb->args[2] is set once the request was looked at, and
 * cb->args[3] is 1 more than the number of the only engine that it asks for.
 */
int idma_nl_chan_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr **attrs = genl_info_dump(cb)->attrs;
	const struct nlattr *id = attrs[IDMA_A_CHAN_DEV_ID];
	const struct nlattr *name = attrs[IDMA_A_CHAN_DEV_NAME];
	struct idma_dev *idma;
	int ret = 0;

	mutex_lock(&idma_nl_lock);
	cb->seq = idma_nl_generation;

	if (!cb->args[2] && (id || name)) {
		if (id && name) {
			NL_SET_ERR_MSG_ATTR(cb->extack, name,
					    "give the engine's number or its name, not both");
			ret = -EINVAL;
			goto unlock;
		}
		idma = idma_nl_find(id, name, cb->extack);
		if (IS_ERR(idma)) {
			ret = PTR_ERR(idma);
			goto unlock;
		}
		cb->args[3] = idma->dma.dev_id + 1;
	}
	cb->args[2] = 1;

	list_for_each_entry(idma, &idma_nl_devs, nl) {
		int dev_id = idma->dma.dev_id;

		if (dev_id < cb->args[0] ||
		    (cb->args[3] && dev_id + 1 != cb->args[3]))
			continue;
		/* The engine at which the dump stopped has gone */
		if (dev_id > cb->args[0])
			cb->args[1] = 0;
		cb->args[0] = dev_id;
		ret = idma_nl_dump_chans(skb, cb, idma);
		if (ret)
			break;
		cb->args[0]++;
		cb->args[1] = 0;
	}
unlock:
	mutex_unlock(&idma_nl_lock);

	return skb->len ?: ret;
}

static bool idma_nl_listed(const struct idma_dev *idma, const struct device *dev)
{
	struct idma_dev *pos;
	bool listed = false;

	mutex_lock(&idma_nl_lock);
	list_for_each_entry(pos, &idma_nl_devs, nl)
		if (pos == idma && pos->dev == dev)
			listed = true;
	mutex_unlock(&idma_nl_lock);

	return listed;
}

/* With the device's lock held, which keeps the driver bound */
static int idma_nl_reset(struct idma_dev *idma, struct genl_info *info,
			 enum idma_reset_method *method)
{
	int ret;

	ret = idma_reset(idma, method);
	if (ret && idma->rst)
		NL_SET_ERR_MSG(info->extack, "the reset line cannot be driven");
	else if (ret)
		NL_SET_ERR_MSG(info->extack,
			       "the engine has no reset line and has not completed what is in hardware");

	return ret;
}

int idma_nl_dev_reset_doit(struct sk_buff *skb, struct genl_info *info)
{
	enum idma_reset_method method;
	struct idma_dev *idma;
	struct sk_buff *msg;
	struct device *dev;
	void *hdr;
	int ret;

	msg = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!msg)
		return -ENOMEM;

	mutex_lock(&idma_nl_lock);
	idma = idma_nl_find_dev(info);
	dev = IS_ERR(idma) ? ERR_CAST(idma) : get_device(idma->dev);
	mutex_unlock(&idma_nl_lock);
	if (IS_ERR(dev)) {
		ret = PTR_ERR(dev);
		goto free;
	}

	/* A reset can take long: keep the driver bound, but not the list locked */
	ret = device_lock_interruptible(dev);
	if (ret)
		goto put;
	if (!idma_nl_listed(idma, dev)) {
		NL_SET_ERR_MSG(info->extack, "the engine has gone");
		ret = -ENODEV;
		goto unlock;
	}
	ret = idma_nl_reset(idma, info, &method);
	if (ret)
		goto unlock;

	hdr = genlmsg_put_reply(msg, info, &idma_nl_family, 0, IDMA_CMD_DEV_RESET);
	if (!hdr ||
	    nla_put_u32(msg, IDMA_A_DEV_ID, idma->dma.dev_id) ||
	    nla_put_string(msg, IDMA_A_DEV_NAME, dev_name(dev)) ||
	    nla_put_u32(msg, IDMA_A_DEV_STATE, idma_nl_state(idma)) ||
	    nla_put_u32(msg, IDMA_A_DEV_RESET_METHOD, method)) {
		ret = -EMSGSIZE;
		goto unlock;
	}
	genlmsg_end(msg, hdr);
	device_unlock(dev);
	put_device(dev);

	return genlmsg_reply(msg, info);

unlock:
	device_unlock(dev);
put:
	put_device(dev);
free:
	nlmsg_free(msg);
	return ret;
}

/* ---- The bench client ---- */

/* Protects idma_nl_bench */
static DEFINE_MUTEX(idma_nl_bench_lock);
static const struct idma_bench_ops *idma_nl_bench;

/**
 * idma_bench_register - have the bench operations handed on
 * @ops: who takes them
 *
 * Return: 0, or -EBUSY if somebody has them already
 */
int idma_bench_register(const struct idma_bench_ops *ops)
{
	int ret = 0;

	mutex_lock(&idma_nl_bench_lock);
	if (idma_nl_bench)
		ret = -EBUSY;
	else
		idma_nl_bench = ops;
	mutex_unlock(&idma_nl_bench_lock);

	return ret;
}
EXPORT_SYMBOL_GPL(idma_bench_register);

/**
 * idma_bench_unregister - end what idma_bench_register() began
 * @ops: what was registered
 *
 * To be called in the module's exit: operations that are running hold a
 * reference to the module.
 */
void idma_bench_unregister(const struct idma_bench_ops *ops)
{
	mutex_lock(&idma_nl_bench_lock);
	if (idma_nl_bench == ops)
		idma_nl_bench = NULL;
	mutex_unlock(&idma_nl_bench_lock);
}
EXPORT_SYMBOL_GPL(idma_bench_unregister);

/* What the bench client builds its answers and events with */
EXPORT_SYMBOL_GPL(idma_nl_family);

static const struct idma_bench_ops *idma_nl_bench_get(struct netlink_ext_ack *extack)
{
	const struct idma_bench_ops *ops;

	mutex_lock(&idma_nl_bench_lock);
	ops = idma_nl_bench;
	if (ops && !try_module_get(ops->owner))
		ops = NULL;
	mutex_unlock(&idma_nl_bench_lock);
	if (!ops)
		NL_SET_ERR_MSG(extack, "the bench client is not loaded (module idma-bench)");

	return ops;
}

int idma_nl_bench_start_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct idma_bench_ops *ops;
	int ret;

	ops = idma_nl_bench_get(info->extack);
	if (!ops && !request_module("idma-bench"))
		ops = idma_nl_bench_get(info->extack);
	if (!ops)
		return -EOPNOTSUPP;
	ret = ops->start(skb, info);
	module_put(ops->owner);

	return ret;
}

int idma_nl_bench_stop_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct idma_bench_ops *ops = idma_nl_bench_get(info->extack);
	int ret;

	if (!ops)
		return -EOPNOTSUPP;
	ret = ops->stop(skb, info);
	module_put(ops->owner);

	return ret;
}

int idma_nl_bench_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct idma_bench_ops *ops = idma_nl_bench_get(info->extack);
	int ret;

	if (!ops)
		return -EOPNOTSUPP;
	ret = ops->get(skb, info);
	module_put(ops->owner);

	return ret;
}

/* A configuration with its histograms can be longer than messages usually are */
int idma_nl_bench_get_start(struct netlink_callback *cb)
{
	cb->min_dump_alloc = IDMA_NL_BENCH_MSG;

	return 0;
}

int idma_nl_bench_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct idma_bench_ops *ops = idma_nl_bench_get(cb->extack);
	int ret;

	if (!ops)
		return -EOPNOTSUPP;
	ret = ops->dump(skb, cb);
	module_put(ops->owner);

	return ret;
}

/* ---- Events ---- */

/* Taken down where it happens, under the engine's lock, and sent by a work */
struct idma_nl_event {
	u8 cmd;
	u32 dev_id;
	char dev_name[IDMA_NAME_MAX + 1];
	u64 time;
	u32 lost;
	union {
		struct {
			u32 id;
			char name[IDMA_NL_CHAN_NAME];
			enum idma_fault fault;
			dma_cookie_t cookie;
			u64 len;
			u64 residue;
		} transfer;
		u32 inflight;
		enum idma_reset_method method;
	};
};

/* Protects idma_nl_events and idma_nl_lost, from any context */
static DEFINE_SPINLOCK(idma_nl_event_lock);
static DEFINE_KFIFO(idma_nl_events, struct idma_nl_event, IDMA_NL_EVENTS);
/* Events that were dropped since the last one that was not */
static u32 idma_nl_lost;

static int idma_nl_put_event(struct sk_buff *skb, const struct idma_nl_event *ev)
{
	if (nla_put_u32(skb, IDMA_A_EVENT_DEV_ID, ev->dev_id) ||
	    nla_put_string(skb, IDMA_A_EVENT_DEV_NAME, ev->dev_name) ||
	    idma_nl_put_u64(skb, IDMA_A_EVENT_TIME, ev->time) ||
	    (ev->lost && nla_put_u32(skb, IDMA_A_EVENT_LOST, ev->lost)))
		return -EMSGSIZE;

	switch (ev->cmd) {
	case IDMA_CMD_TRANSFER_ERROR:
		if (nla_put_u32(skb, IDMA_A_EVENT_CHAN_ID, ev->transfer.id) ||
		    nla_put_string(skb, IDMA_A_EVENT_CHAN_NAME, ev->transfer.name) ||
		    nla_put_u32(skb, IDMA_A_EVENT_FAULT, ev->transfer.fault) ||
		    nla_put_u32(skb, IDMA_A_EVENT_COOKIE, ev->transfer.cookie) ||
		    idma_nl_put_u64(skb, IDMA_A_EVENT_LEN, ev->transfer.len) ||
		    idma_nl_put_u64(skb, IDMA_A_EVENT_RESIDUE, ev->transfer.residue))
			return -EMSGSIZE;
		break;
	case IDMA_CMD_DEV_DEAD:
		return nla_put_u32(skb, IDMA_A_EVENT_IN_FLIGHT, ev->inflight);
	case IDMA_CMD_DEV_RECOVERED:
		return nla_put_u32(skb, IDMA_A_EVENT_RESET_METHOD, ev->method);
	}

	return 0;
}

static int idma_nl_send_event(const struct idma_nl_event *ev)
{
	struct sk_buff *msg;
	void *hdr;

	msg = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!msg)
		return -ENOMEM;
	hdr = genlmsg_put(msg, 0, 0, &idma_nl_family, 0, ev->cmd);
	if (!hdr || idma_nl_put_event(msg, ev)) {
		nlmsg_free(msg);
		return -EMSGSIZE;
	}
	genlmsg_end(msg, hdr);
	/* That nobody listens, or one does not keep up, is not our business */
	genlmsg_multicast_netns(&idma_nl_family, &init_net, msg, 0,
				IDMA_NLGRP_EVENTS, GFP_KERNEL);

	return 0;
}

static void idma_nl_send_events(struct work_struct *work)
{
	struct idma_nl_event ev;
	unsigned long flags;
	bool more;

	for (;;) {
		spin_lock_irqsave(&idma_nl_event_lock, flags);
		more = kfifo_get(&idma_nl_events, &ev);
		spin_unlock_irqrestore(&idma_nl_event_lock, flags);
		if (!more)
			return;
		if (!idma_nl_send_event(&ev))
			continue;

		spin_lock_irqsave(&idma_nl_event_lock, flags);
		idma_nl_lost += ev.lost + 1;
		spin_unlock_irqrestore(&idma_nl_event_lock, flags);
	}
}

static DECLARE_WORK(idma_nl_event_work, idma_nl_send_events);

static bool idma_nl_listened(void)
{
	return genl_has_listeners(&idma_nl_family, &init_net, IDMA_NLGRP_EVENTS);
}

static void idma_nl_event(struct idma_dev *idma, struct idma_nl_event *ev)
{
	unsigned long flags;

	ev->dev_id = idma->dma.dev_id;
	strscpy(ev->dev_name, dev_name(idma->dev), sizeof(ev->dev_name));
	ev->time = ktime_get_ns();

	spin_lock_irqsave(&idma_nl_event_lock, flags);
	ev->lost = idma_nl_lost;
	if (kfifo_put(&idma_nl_events, *ev))
		idma_nl_lost = 0;
	else
		idma_nl_lost++;
	spin_unlock_irqrestore(&idma_nl_event_lock, flags);

	schedule_work(&idma_nl_event_work);
}

/* The following are called with idma_dev.lock held */

void idma_nl_transfer_error(struct idma_chan *c, const struct idma_tx *tx,
			    enum idma_fault fault)
{
	struct idma_nl_event ev = { .cmd = IDMA_CMD_TRANSFER_ERROR };

	if (!idma_nl_listened())
		return;

	ev.transfer.id = c - c->idma->chans;
	idma_nl_chan_name(c, ev.transfer.name);
	ev.transfer.fault = fault;
	ev.transfer.cookie = tx->vd.tx.cookie;
	ev.transfer.len = tx->len;
	ev.transfer.residue = tx->len - tx->done;
	idma_nl_event(c->idma, &ev);
}

void idma_nl_dead(struct idma_dev *idma)
{
	struct idma_nl_event ev = { .cmd = IDMA_CMD_DEV_DEAD };

	if (!idma_nl_listened())
		return;

	ev.inflight = idma_inflight(idma);
	idma_nl_event(idma, &ev);
}

void idma_nl_recovered(struct idma_dev *idma, enum idma_reset_method method)
{
	struct idma_nl_event ev = { .cmd = IDMA_CMD_DEV_RECOVERED };

	if (!idma_nl_listened())
		return;

	ev.method = method;
	idma_nl_event(idma, &ev);
}

/* ---- Life cycle ---- */

/* At the end of the probe */
void idma_nl_register(struct idma_dev *idma)
{
	struct idma_dev *pos;

	mutex_lock(&idma_nl_lock);
	list_for_each_entry(pos, &idma_nl_devs, nl)
		if (pos->dma.dev_id > idma->dma.dev_id)
			break;
	list_add_tail(&idma->nl, &pos->nl);
	idma_nl_generation++;
	mutex_unlock(&idma_nl_lock);
}

/* Before anything of the engine is taken down */
void idma_nl_unregister(struct idma_dev *idma)
{
	mutex_lock(&idma_nl_lock);
	list_del(&idma->nl);
	idma_nl_generation++;
	mutex_unlock(&idma_nl_lock);

	idma_nl_window_unbind(idma->dev);
}

int __init idma_nl_init(void)
{
	int ret;

	idma_nl_merge_ops(&idma_nl_family);
	ret = genl_register_family(&idma_nl_family);
	if (ret)
		return ret;
	ret = idma_nl_window_init();
	if (ret)
		genl_unregister_family(&idma_nl_family);

	return ret;
}

/* When there is no engine left */
void idma_nl_exit(void)
{
	/* The last engine's last events */
	flush_work(&idma_nl_event_work);
	genl_unregister_family(&idma_nl_family);
	idma_nl_window_exit();
}

MODULE_ALIAS_GENL_FAMILY(IDMA_FAMILY_NAME);
