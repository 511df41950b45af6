// SPDX-License-Identifier: GPL-2.0-only
/*
 * The bench client's door: takes the bench operations of the netlink family
 * "idma", has one run at a time, and keeps the results of the last one.
 *
 * A run ends with the socket that started it, unless it was told not to.
 */
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/dmaengine.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <net/genetlink.h>
#include <net/sock.h>
#include <uapi/linux/idma.h>

#include "idma-bench.h"
#include "idma-bench-run.h"
#include "idma-nl-compat.h"
#include "idma-nl-gen.h"

/* Protects idma_bench_run; held while a run is started */
static DEFINE_MUTEX(idma_bench_lock);
/* The last run, over or not */
static struct idma_bench_run *idma_bench_run;
static u32 idma_bench_last_id;

static void idma_bench_release(struct kref *ref)
{
	idma_bench_run_free(container_of(ref, struct idma_bench_run, ref));
}

static void idma_bench_put(struct idma_bench_run *run)
{
	kref_put(&run->ref, idma_bench_release);
}

/* The last run, if it is the one that @id names; with a reference */
static struct idma_bench_run *idma_bench_get(const struct nlattr *id,
					     struct netlink_ext_ack *extack)
{
	struct idma_bench_run *run;

	mutex_lock(&idma_bench_lock);
	run = idma_bench_run;
	if (!run) {
		NL_SET_ERR_MSG(extack, "there was no run yet");
		run = ERR_PTR(-ENOENT);
	} else if (id && nla_get_u32(id) != run->id) {
		NL_SET_ERR_MSG_ATTR(extack, id, "the last run has another number");
		run = ERR_PTR(-ENOENT);
	} else {
		kref_get(&run->ref);
	}
	mutex_unlock(&idma_bench_lock);

	return run;
}

/* ---- Messages ---- */

static int idma_bench_put_hist(struct sk_buff *skb, int attr,
			       const struct idma_bench_hist *hist)
{
	unsigned int used = idma_bench_hist_used(hist);
	struct nlattr *nest;

	nest = nla_nest_start(skb, attr);
	if (!nest)
		return -EMSGSIZE;
	if (idma_nl_put_u64(skb, IDMA_A_BENCH_HIST_COUNT, hist->count) ||
	    idma_nl_put_u64(skb, IDMA_A_BENCH_HIST_SUM, hist->sum))
		goto cancel;
	if (used &&
	    (nla_put(skb, IDMA_A_BENCH_HIST_BUCKETS,
		     used * sizeof(hist->buckets[0]), hist->buckets) ||
	     idma_nl_put_u64(skb, IDMA_A_BENCH_HIST_SMALLEST, hist->smallest) ||
	     idma_nl_put_u64(skb, IDMA_A_BENCH_HIST_LARGEST, hist->largest)))
		goto cancel;
	nla_nest_end(skb, nest);

	return 0;

cancel:
	nla_nest_cancel(skb, nest);
	return -EMSGSIZE;
}

static int idma_bench_put_phase(struct sk_buff *skb, unsigned int phase,
				const struct idma_bench_cost *cost)
{
	struct nlattr *nest;

	nest = nla_nest_start(skb, IDMA_A_BENCH_RESULT_PHASE);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u32(skb, IDMA_A_BENCH_PHASE_RESULT_PHASE, phase) ||
	    idma_bench_put_hist(skb, IDMA_A_BENCH_PHASE_RESULT_NS, &cost->ns) ||
	    (cost->insn.count &&
	     idma_bench_put_hist(skb, IDMA_A_BENCH_PHASE_RESULT_INSTRUCTIONS,
				 &cost->insn)) ||
	    (cost->cycles.count &&
	     idma_bench_put_hist(skb, IDMA_A_BENCH_PHASE_RESULT_CYCLES,
				 &cost->cycles))) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);

	return 0;
}

static int idma_bench_put_totals(struct sk_buff *skb,
				 const struct idma_bench_run *run,
				 const struct idma_bench_totals *t)
{
	bool insn = run->counters & IDMA_BENCH_COUNTER_INSTRUCTIONS;
	bool cycles = run->counters & IDMA_BENCH_COUNTER_CYCLES;
	bool spin = run->wait == IDMA_BENCH_WAIT_SPIN;
	const struct {
		int attr;
		bool valid;
		u64 val;
	} totals[] = {
		{ IDMA_A_BENCH_RESULT_TRANSFERS, true, t->transfers },
		{ IDMA_A_BENCH_RESULT_BYTES, true, t->bytes },
		{ IDMA_A_BENCH_RESULT_TIME, true, t->ns },
		{ IDMA_A_BENCH_RESULT_ERRORS, true, t->errors },
		{ IDMA_A_BENCH_RESULT_VERIFIED, true, t->verified },
		{ IDMA_A_BENCH_RESULT_MISMATCHES, true, t->mismatches },
		{ IDMA_A_BENCH_RESULT_CALLBACKS_ELSEWHERE, true, t->elsewhere },
		{ IDMA_A_BENCH_RESULT_INTERRUPTS, true, t->interrupts },
		{ IDMA_A_BENCH_RESULT_INSTRUCTIONS, insn, t->insn },
		{ IDMA_A_BENCH_RESULT_INSTRUCTIONS_IDLE, insn && spin, t->insn_idle },
		{ IDMA_A_BENCH_RESULT_CYCLES, cycles, t->cycles },
		{ IDMA_A_BENCH_RESULT_CYCLES_IDLE, cycles && spin, t->cycles_idle },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(totals); i++) {
		if (totals[i].valid &&
		    idma_nl_put_u64(skb, totals[i].attr, totals[i].val))
			return -EMSGSIZE;
	}

	return 0;
}

/* A configuration, with run->lock held */
static int idma_bench_put_result(struct sk_buff *skb,
				 const struct idma_bench_run *run, unsigned int index)
{
	const struct idma_bench_config *cfg = &run->configs[index];
	struct nlattr *nest;
	unsigned int i;

	if (nla_put_u32(skb, IDMA_A_BENCH_ID, run->id))
		return -EMSGSIZE;
	nest = nla_nest_start(skb, IDMA_A_BENCH_RESULT);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u32(skb, IDMA_A_BENCH_RESULT_INDEX, index) ||
	    nla_put_u32(skb, IDMA_A_BENCH_RESULT_SIZE, cfg->size) ||
	    nla_put_u32(skb, IDMA_A_BENCH_RESULT_DEPTH, cfg->depth) ||
	    nla_put_u32(skb, IDMA_A_BENCH_RESULT_BATCH, cfg->batch) ||
	    nla_put_u32(skb, IDMA_A_BENCH_RESULT_CHANNELS, cfg->channels) ||
	    nla_put_u32(skb, IDMA_A_BENCH_RESULT_STATE, cfg->state) ||
	    (cfg->error &&
	     nla_put_u32(skb, IDMA_A_BENCH_RESULT_ERROR, cfg->error)))
		goto cancel;

	if (cfg->state == IDMA_BENCH_STATE_RUNNING) {
		if (idma_nl_put_u64(skb, IDMA_A_BENCH_RESULT_TRANSFERS, READ_ONCE(run->progress)))
			goto cancel;
	} else if (cfg->state != IDMA_BENCH_STATE_PENDING) {
		if (idma_bench_put_totals(skb, run, &cfg->totals))
			goto cancel;
		for (i = 0; cfg->phases && i <= IDMA_BENCH_PHASE_MAX; i++)
			if (idma_bench_put_phase(skb, i, &cfg->phases[i]))
				goto cancel;
	}
	nla_nest_end(skb, nest);

	return 0;

cancel:
	nla_nest_cancel(skb, nest);
	return -EMSGSIZE;
}

/* How the run stands, with run->lock held */
static int idma_bench_put_state(struct sk_buff *skb, const struct idma_bench_run *run)
{
	if (nla_put_u32(skb, IDMA_A_BENCH_ID, run->id) ||
	    nla_put_u32(skb, IDMA_A_BENCH_STATE, run->state) ||
	    (run->error && nla_put_u32(skb, IDMA_A_BENCH_ERROR, run->error)) ||
	    (run->message[0] &&
	     nla_put_string(skb, IDMA_A_BENCH_MESSAGE, run->message)) ||
	    nla_put_u32(skb, IDMA_A_BENCH_CONFIGS, run->nr_configs) ||
	    nla_put_u32(skb, IDMA_A_BENCH_CONFIGS_DONE, run->configs_done))
		return -EMSGSIZE;

	return 0;
}

static int idma_bench_put_run(struct sk_buff *skb, const struct idma_bench_run *run)
{
	unsigned int i;

	if (idma_bench_put_state(skb, run))
		return -EMSGSIZE;
	for (i = 0; i < run->nr_chans; i++)
		if (nla_put_string(skb, IDMA_A_BENCH_CHANNEL, run->chans[i].name))
			return -EMSGSIZE;
	if (idma_nl_put_u64(skb, IDMA_A_BENCH_TRANSFERS, run->transfers) ||
	    nla_put_u32(skb, IDMA_A_BENCH_TIME_LIMIT, run->time_limit) ||
	    nla_put_u32(skb, IDMA_A_BENCH_TIMEOUT, run->timeout) ||
	    (!run->default_warmup &&
	     nla_put_u32(skb, IDMA_A_BENCH_WARMUP, run->warmup)) ||
	    nla_put_u32(skb, IDMA_A_BENCH_WAIT, run->wait) ||
	    nla_put_u32(skb, IDMA_A_BENCH_VERIFY, run->verify) ||
	    nla_put_u32(skb, IDMA_A_BENCH_SRC_OFFSET, run->src_offset) ||
	    nla_put_u32(skb, IDMA_A_BENCH_DST_OFFSET, run->dst_offset) ||
	    nla_put_u32(skb, IDMA_A_BENCH_CPU, run->cpu) ||
	    (run->detach && nla_put_flag(skb, IDMA_A_BENCH_DETACH)) ||
	    (run->totals_only && nla_put_flag(skb, IDMA_A_BENCH_TOTALS_ONLY)))
		return -EMSGSIZE;
	/* Known as soon as the thread has looked */
	if (run->resolution &&
	    (nla_put_u32(skb, IDMA_A_BENCH_COUNTERS, run->counters) ||
	     nla_put_u32(skb, IDMA_A_BENCH_RESOLUTION, run->resolution)))
		return -EMSGSIZE;

	return 0;
}

/**
 * idma_bench_finished - tell who listens that a run is over
 * @run: the run
 *
 * Called by the run's thread, when it has let go of its channels.
 */
void idma_bench_finished(struct idma_bench_run *run)
{
	struct sk_buff *msg;
	void *hdr;
	int ret;

	msg = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!msg)
		return;
	hdr = genlmsg_put(msg, 0, 0, &idma_nl_family, 0, IDMA_CMD_BENCH_FINISHED);
	mutex_lock(&run->lock);
	ret = hdr ? idma_bench_put_state(msg, run) : -EMSGSIZE;
	mutex_unlock(&run->lock);
	if (ret) {
		nlmsg_free(msg);
		return;
	}
	genlmsg_end(msg, hdr);
	genlmsg_multicast_netns(&idma_nl_family, &init_net, msg, 0,
				IDMA_NLGRP_EVENTS, GFP_KERNEL);
}

/* ---- Start ---- */

/**
 * struct idma_bench_list - an attribute that may be given several times
 * @type: which one
 * @nr: how often it was
 * @attrs: where; NULL if it was not, and the value is a default
 * @vals: the values
 */
struct idma_bench_list {
	int type;
	unsigned int nr;
	const struct nlattr *attrs[IDMA_BENCH_MAX_VALUES];
	u32 vals[IDMA_BENCH_MAX_VALUES];
};

/**
 * struct idma_bench_request - what bench-start is asked
 * @size: sizes
 * @depth: depths
 * @batch: batches
 * @count: channel-counts
 * @nr_names: number of channels that are named
 * @names: their names
 * @attrs: and where these are
 */
struct idma_bench_request {
	struct idma_bench_list size;
	struct idma_bench_list depth;
	struct idma_bench_list batch;
	struct idma_bench_list count;
	unsigned int nr_names;
	char names[IDMA_BENCH_MAX_CHANNELS][IDMA_NAME_MAX + 1];
	const struct nlattr *attrs[IDMA_BENCH_MAX_CHANNELS];
};

static int idma_bench_parse_name(struct idma_bench_request *req,
				 const struct nlattr *attr,
				 struct netlink_ext_ack *extack)
{
	unsigned int i;

	if (req->nr_names == IDMA_BENCH_MAX_CHANNELS) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "too many channels");
		return -EINVAL;
	}
	if (nla_strscpy(req->names[req->nr_names], attr, IDMA_NAME_MAX + 1) <= 0) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "this is no name of a channel");
		return -EINVAL;
	}
	for (i = 0; i < req->nr_names; i++) {
		if (!strcmp(req->names[i], req->names[req->nr_names])) {
			NL_SET_ERR_MSG_ATTR(extack, attr, "this channel is named twice");
			return -EINVAL;
		}
	}
	req->attrs[req->nr_names++] = attr;

	return 0;
}

/* The netlink core has looked at each attribute by the policy, but kept the last */
static int idma_bench_parse_lists(struct idma_bench_request *req,
				  struct genl_info *info)
{
	struct idma_bench_list *lists[] = {
		&req->size, &req->depth, &req->batch, &req->count,
	};
	const struct nlattr *attr;
	unsigned int i;
	int ret, rem;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) == IDMA_A_BENCH_CHANNEL) {
			ret = idma_bench_parse_name(req, attr, info->extack);
			if (ret)
				return ret;
		}
		for (i = 0; i < ARRAY_SIZE(lists); i++) {
			struct idma_bench_list *list = lists[i];

			if (nla_type(attr) != list->type)
				continue;
			if (list->nr == IDMA_BENCH_MAX_VALUES) {
				NL_SET_ERR_MSG_ATTR(info->extack, attr, "too many values");
				return -EINVAL;
			}
			list->attrs[list->nr] = attr;
			list->vals[list->nr++] = nla_get_u32(attr);
		}
	}

	return 0;
}

static void idma_bench_default(struct idma_bench_list *list, u32 val)
{
	if (!list->nr) {
		list->nr = 1;
		list->vals[0] = val;
	}
}

static u32 idma_bench_u32(const struct genl_info *info, int attr, u32 val)
{
	return info->attrs[attr] ? nla_get_u32(info->attrs[attr]) : val;
}

static int idma_bench_parse(struct idma_bench_run *run,
			    struct idma_bench_request *req, struct genl_info *info)
{
	const struct nlattr *cpu = info->attrs[IDMA_A_BENCH_CPU];
	int ret;

	req->size.type = IDMA_A_BENCH_SIZE;
	req->depth.type = IDMA_A_BENCH_DEPTH;
	req->batch.type = IDMA_A_BENCH_BATCH;
	req->count.type = IDMA_A_BENCH_CHANNEL_COUNT;
	ret = idma_bench_parse_lists(req, info);
	if (ret)
		return ret;
	idma_bench_default(&req->size, 4096);
	idma_bench_default(&req->depth, 1);
	idma_bench_default(&req->batch, 1);
	idma_bench_default(&req->count, max(req->nr_names, 1U));

	run->transfers = info->attrs[IDMA_A_BENCH_TRANSFERS] ?
			 nla_get_u64(info->attrs[IDMA_A_BENCH_TRANSFERS]) : 1000;
	run->time_limit = idma_bench_u32(info, IDMA_A_BENCH_TIME_LIMIT, 10000);
	run->timeout = idma_bench_u32(info, IDMA_A_BENCH_TIMEOUT, 10000);
	run->default_warmup = !info->attrs[IDMA_A_BENCH_WARMUP];
	run->warmup = idma_bench_u32(info, IDMA_A_BENCH_WARMUP, 0);
	run->wait = idma_bench_u32(info, IDMA_A_BENCH_WAIT, IDMA_BENCH_WAIT_SLEEP);
	run->verify = idma_bench_u32(info, IDMA_A_BENCH_VERIFY, IDMA_BENCH_VERIFY_LAST);
	run->src_offset = idma_bench_u32(info, IDMA_A_BENCH_SRC_OFFSET, 0);
	run->dst_offset = idma_bench_u32(info, IDMA_A_BENCH_DST_OFFSET, 0);
	run->detach = nla_get_flag(info->attrs[IDMA_A_BENCH_DETACH]);
	run->totals_only = nla_get_flag(info->attrs[IDMA_A_BENCH_TOTALS_ONLY]);

	run->cpu = cpu ? nla_get_u32(cpu) : raw_smp_processor_id();
	if (run->cpu >= nr_cpu_ids || !cpu_online(run->cpu)) {
		NL_SET_ERR_MSG_ATTR(info->extack, cpu, "there is no such CPU online");
		return -EINVAL;
	}

	return 0;
}

/* All combinations but those with a batch that does not fit in flight */
static int idma_bench_combine(struct idma_bench_run *run,
			      const struct idma_bench_request *req,
			      struct netlink_ext_ack *extack)
{
	unsigned int s, d, b, c, n = 0;
	u32 deepest = 0;

	for (d = 0; d < req->depth.nr; d++)
		deepest = max(deepest, req->depth.vals[d]);
	for (b = 0; b < req->batch.nr; b++) {
		if (req->batch.vals[b] > deepest) {
			NL_SET_ERR_MSG_ATTR(extack, req->batch.attrs[b],
					    "this batch is larger than every depth");
			return -EINVAL;
		}
		for (d = 0; d < req->depth.nr; d++)
			n += req->batch.vals[b] <= req->depth.vals[d];
	}
	n *= req->size.nr * req->count.nr;
	if (n > IDMA_BENCH_MAX_CONFIGS) {
		NL_SET_ERR_MSG(extack, "too many combinations of values for one run");
		return -EINVAL;
	}

	run->configs = kvcalloc(n, sizeof(*run->configs), GFP_KERNEL);
	if (!run->configs)
		return -ENOMEM;
	for (s = 0; s < req->size.nr; s++)
		for (d = 0; d < req->depth.nr; d++)
			for (b = 0; b < req->batch.nr; b++)
				for (c = 0; c < req->count.nr; c++) {
					struct idma_bench_config *cfg;

					if (req->batch.vals[b] > req->depth.vals[d])
						continue;
					cfg = &run->configs[run->nr_configs++];
					cfg->size = req->size.vals[s];
					cfg->depth = req->depth.vals[d];
					cfg->batch = req->batch.vals[b];
					cfg->channels = req->count.vals[c];
					if (idma_bench_run_memory(run, cfg) <=
					    IDMA_BENCH_MAX_MEMORY)
						continue;
					NL_SET_ERR_MSG_ATTR(extack, req->size.attrs[s],
							    "this size takes too much memory at the largest depth and channel-count");
					return -EINVAL;
				}

	return 0;
}

/* Names of which there is no channel */
static int idma_bench_pseudo(struct idma_bench_run *run,
			     const struct idma_bench_request *req,
			     struct genl_info *info)
{
	unsigned int i;

	for (i = 0; i < req->nr_names; i++) {
		if (!strcmp(req->names[i], "cpu"))
			run->kind = IDMA_BENCH_CPU;
		else if (!strcmp(req->names[i], "null"))
			run->kind = IDMA_BENCH_NULL;
		else
			continue;
		if (req->nr_names > 1) {
			NL_SET_ERR_MSG_ATTR(info->extack, req->attrs[i],
					    "this one can only be used alone");
			return -EINVAL;
		}
		strscpy(run->chans[0].name, req->names[i], sizeof(run->chans[0].name));
		run->nr_chans = 1;
	}
	if (run->kind == IDMA_BENCH_NULL && run->verify != IDMA_BENCH_VERIFY_NONE) {
		/* The default does not fit here */
		if (info->attrs[IDMA_A_BENCH_VERIFY]) {
			NL_SET_ERR_MSG_ATTR(info->extack,
					    info->attrs[IDMA_A_BENCH_VERIFY],
					    "what is not copied cannot be verified");
			return -EINVAL;
		}
		run->verify = IDMA_BENCH_VERIFY_NONE;
	}

	return 0;
}

/* What the provider says about alignment holds for addresses and lengths */
static int idma_bench_check_align(const struct idma_bench_run *run,
				  const struct idma_bench_request *req,
				  struct genl_info *info)
{
	u32 mask = 0;
	unsigned int i;

	for (i = 0; i < run->nr_chans; i++)
		if (run->chans[i].chan)
			mask |= BIT(run->chans[i].chan->device->copy_align) - 1;

	if (run->src_offset & mask) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[IDMA_A_BENCH_SRC_OFFSET],
				    "a channel does not take sources with this alignment");
		return -EINVAL;
	}
	if (run->dst_offset & mask) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[IDMA_A_BENCH_DST_OFFSET],
				    "a channel does not take destinations with this alignment");
		return -EINVAL;
	}
	for (i = 0; i < req->size.nr; i++) {
		if (req->size.vals[i] & mask) {
			NL_SET_ERR_MSG_ATTR(info->extack, req->size.attrs[i],
					    "a channel does not take lengths with this alignment");
			return -EINVAL;
		}
	}

	return 0;
}

static int idma_bench_take(struct idma_bench_run *run,
			   const struct idma_bench_request *req,
			   struct genl_info *info)
{
	u32 most = 0;
	unsigned int i;
	int ret;

	ret = idma_bench_pseudo(run, req, info);
	if (ret)
		return ret;

	for (i = 0; i < req->count.nr; i++) {
		most = max(most, req->count.vals[i]);
		if (req->nr_names && req->count.vals[i] > req->nr_names) {
			NL_SET_ERR_MSG_ATTR(info->extack, req->count.attrs[i],
					    "more than the channels that are named");
			return -EINVAL;
		}
	}
	if (run->kind != IDMA_BENCH_DMA)
		return 0;

	for (i = 0; i < (req->nr_names ?: most); i++) {
		if (!idma_bench_run_take(run, req->nr_names ? req->names[i] : NULL))
			continue;
		if (req->nr_names)
			NL_SET_ERR_MSG_ATTR(info->extack, req->attrs[i],
					    "there is no such channel, or it is in use, or it cannot copy memory");
		else
			NL_SET_ERR_MSG(info->extack,
				       "there are not as many free channels that can copy memory");
		return -ENODEV;
	}

	return idma_bench_check_align(run, req, info);
}

static int idma_bench_prepare(struct idma_bench_run *run, struct genl_info *info)
{
	struct idma_bench_request *req;
	int ret;

	req = kzalloc(sizeof(*req), GFP_KERNEL);
	if (!req)
		return -ENOMEM;
	ret = idma_bench_parse(run, req, info);
	if (!ret)
		ret = idma_bench_combine(run, req, info->extack);
	if (!ret)
		ret = idma_bench_take(run, req, info);
	kfree(req);

	return ret;
}

static int idma_bench_start(struct sk_buff *skb, struct genl_info *info)
{
	struct idma_bench_run *run, *last;
	struct sk_buff *msg;
	int ret = -ENOMEM;
	void *hdr;

	msg = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	run = idma_bench_run_new();
	if (!msg || !run)
		goto free;

	mutex_lock(&idma_bench_lock);
	last = idma_bench_run;
	if (last && !completion_done(&last->ended)) {
		NL_SET_ERR_MSG(info->extack, "another run is not over yet");
		ret = -EBUSY;
		goto unlock;
	}

	ret = idma_bench_prepare(run, info);
	if (ret)
		goto unlock;
	run->id = idma_bench_last_id + 1;
	run->net = genl_info_net(info);
	run->portid = info->snd_portid;

	hdr = genlmsg_put_reply(msg, info, &idma_nl_family, 0, IDMA_CMD_BENCH_START);
	if (!hdr || nla_put_u32(msg, IDMA_A_BENCH_ID, run->id) ||
	    nla_put_u32(msg, IDMA_A_BENCH_CONFIGS, run->nr_configs)) {
		ret = -EMSGSIZE;
		goto unlock;
	}
	genlmsg_end(msg, hdr);

	ret = idma_bench_run_start(run);
	if (ret)
		goto unlock;
	idma_bench_last_id = run->id;
	idma_bench_run = run;
	mutex_unlock(&idma_bench_lock);
	if (last)
		idma_bench_put(last);

	return genlmsg_reply(msg, info);

unlock:
	mutex_unlock(&idma_bench_lock);
free:
	if (run)
		idma_bench_put(run);
	nlmsg_free(msg);
	return ret;
}

/* ---- The other operations ---- */

static int idma_bench_stop(struct sk_buff *skb, struct genl_info *info)
{
	struct idma_bench_run *run;
	int ret;

	run = idma_bench_get(info->attrs[IDMA_A_BENCH_ID], info->extack);
	if (IS_ERR(run))
		return PTR_ERR(run);
	idma_bench_run_stop(run, "stopped on request");
	ret = wait_for_completion_killable(&run->ended);
	idma_bench_put(run);

	return ret;
}

static int idma_bench_get_one(struct sk_buff *skb, struct genl_info *info)
{
	struct idma_bench_run *run;
	struct sk_buff *msg;
	void *hdr;
	int ret;

	run = idma_bench_get(info->attrs[IDMA_A_BENCH_ID], info->extack);
	if (IS_ERR(run))
		return PTR_ERR(run);
	msg = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!msg) {
		ret = -ENOMEM;
		goto put;
	}
	hdr = genlmsg_put_reply(msg, info, &idma_nl_family, 0, IDMA_CMD_BENCH_GET);
	mutex_lock(&run->lock);
	ret = hdr ? idma_bench_put_run(msg, run) : -EMSGSIZE;
	mutex_unlock(&run->lock);
	if (ret) {
		nlmsg_free(msg);
		goto put;
	}
	genlmsg_end(msg, hdr);
	ret = genlmsg_reply(msg, info);
put:
	idma_bench_put(run);
	return ret;
}

/*
 * Where a dump goes on: cb->args[0] is the next configuration, cb->args[1] the
 * number of the run. It is over when another run has begun.
 */
static int idma_bench_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr **attrs = genl_info_dump(cb)->attrs;
	struct idma_bench_run *run;
	int ret = 0;

	run = idma_bench_get(cb->args[1] ? NULL : attrs[IDMA_A_BENCH_ID], cb->extack);
	if (IS_ERR(run))
		return PTR_ERR(run);
	cb->seq = run->id;
	if (cb->args[1] && cb->args[1] != run->id)
		goto put;
	cb->args[1] = run->id;

	mutex_lock(&run->lock);
	while (cb->args[0] < run->nr_configs) {
		void *hdr;

		hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid,
				  cb->nlh->nlmsg_seq, &idma_nl_family,
				  NLM_F_MULTI, IDMA_CMD_BENCH_GET);
		ret = hdr ? idma_bench_put_result(skb, run, cb->args[0]) : -EMSGSIZE;
		if (ret) {
			genlmsg_cancel(skb, hdr);
			break;
		}
		genl_dump_check_consistent(cb, hdr);
		genlmsg_end(skb, hdr);
		cb->args[0]++;
	}
	mutex_unlock(&run->lock);
put:
	idma_bench_put(run);
	return skb->len ?: ret;
}

static const struct idma_bench_ops idma_bench_ops = {
	.owner = THIS_MODULE,
	.start = idma_bench_start,
	.stop = idma_bench_stop,
	.get = idma_bench_get_one,
	.dump = idma_bench_dump,
};

/* ---- Life cycle ---- */

/* A socket is closed, perhaps because its process was killed */
static int idma_bench_notify(struct notifier_block *nb, unsigned long event,
			     void *data)
{
	const struct netlink_notify *notify = data;
	struct idma_bench_run *run;

	if (event != NETLINK_URELEASE || notify->protocol != NETLINK_GENERIC)
		return NOTIFY_DONE;

	mutex_lock(&idma_bench_lock);
	run = idma_bench_run;
	if (run && !run->detach && run->portid == notify->portid &&
	    run->net == notify->net)
		idma_bench_run_stop(run, "the socket that started it was closed");
	mutex_unlock(&idma_bench_lock);

	return NOTIFY_DONE;
}

static struct notifier_block idma_bench_notifier = {
	.notifier_call = idma_bench_notify,
};

static int __init idma_bench_init(void)
{
	int ret;

	ret = netlink_register_notifier(&idma_bench_notifier);
	if (ret)
		return ret;
	ret = idma_bench_register(&idma_bench_ops);
	if (ret)
		netlink_unregister_notifier(&idma_bench_notifier);

	return ret;
}
module_init(idma_bench_init);

static void __exit idma_bench_exit(void)
{
	struct idma_bench_run *run;

	/* No operation is running: they hold references to the module */
	idma_bench_unregister(&idma_bench_ops);
	netlink_unregister_notifier(&idma_bench_notifier);
	run = idma_bench_run;
	if (run) {
		idma_bench_run_stop(run, "the module is being unloaded");
		wait_for_completion(&run->ended);
		idma_bench_put(run);
	}
}
module_exit(idma_bench_exit);

MODULE_DESCRIPTION("Bench client for dmaengine providers that copy memory");
MODULE_AUTHOR("iDMA driver maintainers");
MODULE_LICENSE("GPL");
