// SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/idma.yaml */
/* YNL-GEN kernel source */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "idma-nl-gen.h"

#include <uapi/linux/idma.h>

/* Integer value ranges */
static const struct netlink_range_validation idma_a_bench_size_range = {
	.min	= 1ULL,
	.max	= 2097152ULL,
};

static const struct netlink_range_validation idma_a_bench_time_limit_range = {
	.min	= 1ULL,
	.max	= 3600000ULL,
};

static const struct netlink_range_validation idma_a_bench_timeout_range = {
	.min	= 1ULL,
	.max	= 3600000ULL,
};

static const struct netlink_range_validation idma_a_bench_warmup_range = {
	.max	= 1000000ULL,
};

static const struct netlink_range_validation idma_a_window_copy_len_range = {
	.min	= 1ULL,
	.max	= 4194304ULL,
};

/* IDMA_CMD_DEV_GET - do */
static const struct nla_policy idma_dev_get_nl_policy[IDMA_A_DEV_NAME + 1] = {
	[IDMA_A_DEV_ID] = { .type = NLA_U32, },
	[IDMA_A_DEV_NAME] = { .type = NLA_NUL_STRING, .len = IDMA_NAME_MAX, },
};

/* IDMA_CMD_CHAN_GET - do */
static const struct nla_policy idma_chan_get_do_nl_policy[IDMA_A_CHAN_NAME + 1] = {
	[IDMA_A_CHAN_DEV_ID] = { .type = NLA_U32, },
	[IDMA_A_CHAN_DEV_NAME] = { .type = NLA_NUL_STRING, .len = IDMA_NAME_MAX, },
	[IDMA_A_CHAN_ID] = { .type = NLA_U32, },
	[IDMA_A_CHAN_NAME] = { .type = NLA_NUL_STRING, .len = IDMA_NAME_MAX, },
};

/* IDMA_CMD_CHAN_GET - dump */
static const struct nla_policy idma_chan_get_dump_nl_policy[IDMA_A_CHAN_DEV_NAME + 1] = {
	[IDMA_A_CHAN_DEV_ID] = { .type = NLA_U32, },
	[IDMA_A_CHAN_DEV_NAME] = { .type = NLA_NUL_STRING, .len = IDMA_NAME_MAX, },
};

/* IDMA_CMD_DEV_RESET - do */
static const struct nla_policy idma_dev_reset_nl_policy[IDMA_A_DEV_NAME + 1] = {
	[IDMA_A_DEV_ID] = { .type = NLA_U32, },
	[IDMA_A_DEV_NAME] = { .type = NLA_NUL_STRING, .len = IDMA_NAME_MAX, },
};

/* IDMA_CMD_BENCH_START - do */
static const struct nla_policy idma_bench_start_nl_policy[IDMA_A_BENCH_TOTALS_ONLY + 1] = {
	[IDMA_A_BENCH_CHANNEL] = { .type = NLA_STRING, .len = IDMA_NAME_MAX, },
	[IDMA_A_BENCH_CHANNEL_COUNT] = NLA_POLICY_RANGE(NLA_U32, 1, 16),
	[IDMA_A_BENCH_SIZE] = NLA_POLICY_FULL_RANGE(NLA_U32, &idma_a_bench_size_range),
	[IDMA_A_BENCH_DEPTH] = NLA_POLICY_RANGE(NLA_U32, 1, 1024),
	[IDMA_A_BENCH_BATCH] = NLA_POLICY_RANGE(NLA_U32, 1, 1024),
	[IDMA_A_BENCH_TRANSFERS] = NLA_POLICY_MIN(NLA_U64, 1),
	[IDMA_A_BENCH_TIME_LIMIT] = NLA_POLICY_FULL_RANGE(NLA_U32, &idma_a_bench_time_limit_range),
	[IDMA_A_BENCH_TIMEOUT] = NLA_POLICY_FULL_RANGE(NLA_U32, &idma_a_bench_timeout_range),
	[IDMA_A_BENCH_WARMUP] = NLA_POLICY_FULL_RANGE(NLA_U32, &idma_a_bench_warmup_range),
	[IDMA_A_BENCH_WAIT] = NLA_POLICY_MAX(NLA_U32, 2),
	[IDMA_A_BENCH_VERIFY] = NLA_POLICY_MAX(NLA_U32, 2),
	[IDMA_A_BENCH_SRC_OFFSET] = NLA_POLICY_MAX(NLA_U32, 63),
	[IDMA_A_BENCH_DST_OFFSET] = NLA_POLICY_MAX(NLA_U32, 63),
	[IDMA_A_BENCH_CPU] = { .type = NLA_U32, },
	[IDMA_A_BENCH_DETACH] = { .type = NLA_FLAG, },
	[IDMA_A_BENCH_TOTALS_ONLY] = { .type = NLA_FLAG, },
};

/* IDMA_CMD_BENCH_STOP - do */
static const struct nla_policy idma_bench_stop_nl_policy[IDMA_A_BENCH_ID + 1] = {
	[IDMA_A_BENCH_ID] = { .type = NLA_U32, },
};

/* IDMA_CMD_BENCH_GET - do */
static const struct nla_policy idma_bench_get_do_nl_policy[IDMA_A_BENCH_ID + 1] = {
	[IDMA_A_BENCH_ID] = { .type = NLA_U32, },
};

/* IDMA_CMD_BENCH_GET - dump */
static const struct nla_policy idma_bench_get_dump_nl_policy[IDMA_A_BENCH_ID + 1] = {
	[IDMA_A_BENCH_ID] = { .type = NLA_U32, },
};

/* IDMA_CMD_LINK_GET - do */
static const struct nla_policy idma_link_get_nl_policy[IDMA_A_LINK_NAME + 1] = {
	[IDMA_A_LINK_NAME] = { .type = NLA_NUL_STRING, .len = IDMA_NAME_MAX, },
};

/* IDMA_CMD_WINDOW_NEW - do */
static const struct nla_policy idma_window_new_nl_policy[IDMA_A_WINDOW_CPU + 1] = {
	[IDMA_A_WINDOW_LINK] = { .type = NLA_NUL_STRING, .len = IDMA_NAME_MAX, },
	[IDMA_A_WINDOW_REMOTE] = { .type = NLA_U64, },
	[IDMA_A_WINDOW_LEN] = { .type = NLA_U64, },
	[IDMA_A_WINDOW_DIR] = NLA_POLICY_MAX(NLA_U32, 2),
	[IDMA_A_WINDOW_PRIVID] = NLA_POLICY_MAX(NLA_U32, 15),
	[IDMA_A_WINDOW_DEV_NAME] = { .type = NLA_NUL_STRING, .len = IDMA_NAME_MAX, },
	[IDMA_A_WINDOW_CPU] = { .type = NLA_FLAG, },
};

/* IDMA_CMD_WINDOW_DEL - do */
static const struct nla_policy idma_window_del_nl_policy[IDMA_A_WINDOW_ID + 1] = {
	[IDMA_A_WINDOW_ID] = { .type = NLA_U32, },
};

/* IDMA_CMD_WINDOW_GET - do */
static const struct nla_policy idma_window_get_nl_policy[IDMA_A_WINDOW_ID + 1] = {
	[IDMA_A_WINDOW_ID] = { .type = NLA_U32, },
};

/* IDMA_CMD_WINDOW_COPY - do */
static const struct nla_policy idma_window_copy_nl_policy[IDMA_A_WINDOW_COPY_VERIFY + 1] = {
	[IDMA_A_WINDOW_COPY_ID] = { .type = NLA_U32, },
	[IDMA_A_WINDOW_COPY_DIR] = NLA_POLICY_MAX(NLA_U32, 1),
	[IDMA_A_WINDOW_COPY_BY] = NLA_POLICY_MAX(NLA_U32, 1),
	[IDMA_A_WINDOW_COPY_OFFSET] = { .type = NLA_U64, },
	[IDMA_A_WINDOW_COPY_LEN] = NLA_POLICY_FULL_RANGE(NLA_U32, &idma_a_window_copy_len_range),
	[IDMA_A_WINDOW_COPY_COUNT] = NLA_POLICY_MIN(NLA_U32, 1),
	[IDMA_A_WINDOW_COPY_SEED] = { .type = NLA_U32, },
	[IDMA_A_WINDOW_COPY_VERIFY] = { .type = NLA_FLAG, },
};

/* IDMA_CMD_GRANT_NEW - do */
static const struct nla_policy idma_grant_new_nl_policy[IDMA_A_GRANT_LEN + 1] = {
	[IDMA_A_GRANT_LINK] = { .type = NLA_NUL_STRING, .len = IDMA_NAME_MAX, },
	[IDMA_A_GRANT_LEN] = NLA_POLICY_MIN(NLA_U64, 1),
};

/* IDMA_CMD_GRANT_DEL - do */
static const struct nla_policy idma_grant_del_nl_policy[IDMA_A_GRANT_REMOTE + 1] = {
	[IDMA_A_GRANT_LINK] = { .type = NLA_NUL_STRING, .len = IDMA_NAME_MAX, },
	[IDMA_A_GRANT_REMOTE] = { .type = NLA_U64, },
};

/* Ops table for idma */
static const struct genl_split_ops idma_nl_ops[] = {
	{
		.cmd		= IDMA_CMD_DEV_GET,
		.doit		= idma_nl_dev_get_doit,
		.policy		= idma_dev_get_nl_policy,
		.maxattr	= IDMA_A_DEV_NAME,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= IDMA_CMD_DEV_GET,
		.dumpit	= idma_nl_dev_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= IDMA_CMD_CHAN_GET,
		.doit		= idma_nl_chan_get_doit,
		.policy		= idma_chan_get_do_nl_policy,
		.maxattr	= IDMA_A_CHAN_NAME,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= IDMA_CMD_CHAN_GET,
		.dumpit		= idma_nl_chan_get_dumpit,
		.policy		= idma_chan_get_dump_nl_policy,
		.maxattr	= IDMA_A_CHAN_DEV_NAME,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= IDMA_CMD_DEV_RESET,
		.doit		= idma_nl_dev_reset_doit,
		.policy		= idma_dev_reset_nl_policy,
		.maxattr	= IDMA_A_DEV_NAME,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= IDMA_CMD_BENCH_START,
		.doit		= idma_nl_bench_start_doit,
		.policy		= idma_bench_start_nl_policy,
		.maxattr	= IDMA_A_BENCH_TOTALS_ONLY,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= IDMA_CMD_BENCH_STOP,
		.doit		= idma_nl_bench_stop_doit,
		.policy		= idma_bench_stop_nl_policy,
		.maxattr	= IDMA_A_BENCH_ID,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= IDMA_CMD_BENCH_GET,
		.doit		= idma_nl_bench_get_doit,
		.policy		= idma_bench_get_do_nl_policy,
		.maxattr	= IDMA_A_BENCH_ID,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= IDMA_CMD_BENCH_GET,
		.start		= idma_nl_bench_get_start,
		.dumpit		= idma_nl_bench_get_dumpit,
		.policy		= idma_bench_get_dump_nl_policy,
		.maxattr	= IDMA_A_BENCH_ID,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= IDMA_CMD_LINK_GET,
		.doit		= idma_nl_link_get_doit,
		.policy		= idma_link_get_nl_policy,
		.maxattr	= IDMA_A_LINK_NAME,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= IDMA_CMD_LINK_GET,
		.dumpit	= idma_nl_link_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= IDMA_CMD_WINDOW_NEW,
		.doit		= idma_nl_window_new_doit,
		.policy		= idma_window_new_nl_policy,
		.maxattr	= IDMA_A_WINDOW_CPU,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= IDMA_CMD_WINDOW_DEL,
		.doit		= idma_nl_window_del_doit,
		.policy		= idma_window_del_nl_policy,
		.maxattr	= IDMA_A_WINDOW_ID,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= IDMA_CMD_WINDOW_GET,
		.doit		= idma_nl_window_get_doit,
		.policy		= idma_window_get_nl_policy,
		.maxattr	= IDMA_A_WINDOW_ID,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= IDMA_CMD_WINDOW_GET,
		.dumpit	= idma_nl_window_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= IDMA_CMD_WINDOW_COPY,
		.doit		= idma_nl_window_copy_doit,
		.policy		= idma_window_copy_nl_policy,
		.maxattr	= IDMA_A_WINDOW_COPY_VERIFY,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= IDMA_CMD_GRANT_NEW,
		.doit		= idma_nl_grant_new_doit,
		.policy		= idma_grant_new_nl_policy,
		.maxattr	= IDMA_A_GRANT_LEN,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= IDMA_CMD_GRANT_DEL,
		.doit		= idma_nl_grant_del_doit,
		.policy		= idma_grant_del_nl_policy,
		.maxattr	= IDMA_A_GRANT_REMOTE,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= IDMA_CMD_GRANT_GET,
		.dumpit	= idma_nl_grant_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
};

static const struct genl_multicast_group idma_nl_mcgrps[] = {
	[IDMA_NLGRP_EVENTS] = { "events", },
};

struct genl_family idma_nl_family __ro_after_init = {
	.name		= IDMA_FAMILY_NAME,
	.version	= IDMA_FAMILY_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.split_ops	= idma_nl_ops,
	.n_split_ops	= ARRAY_SIZE(idma_nl_ops),
	.mcgrps		= idma_nl_mcgrps,
	.n_mcgrps	= ARRAY_SIZE(idma_nl_mcgrps),
};
