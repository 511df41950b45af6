/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/idma.yaml */
/* YNL-GEN kernel header */

#ifndef _LINUX_IDMA_GEN_H
#define _LINUX_IDMA_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <uapi/linux/idma.h>

int idma_nl_bench_get_start(struct netlink_callback *cb);

int idma_nl_dev_get_doit(struct sk_buff *skb, struct genl_info *info);
int idma_nl_dev_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int idma_nl_chan_get_doit(struct sk_buff *skb, struct genl_info *info);
int idma_nl_chan_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int idma_nl_dev_reset_doit(struct sk_buff *skb, struct genl_info *info);
int idma_nl_bench_start_doit(struct sk_buff *skb, struct genl_info *info);
int idma_nl_bench_stop_doit(struct sk_buff *skb, struct genl_info *info);
int idma_nl_bench_get_doit(struct sk_buff *skb, struct genl_info *info);
int idma_nl_bench_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int idma_nl_link_get_doit(struct sk_buff *skb, struct genl_info *info);
int idma_nl_link_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int idma_nl_window_new_doit(struct sk_buff *skb, struct genl_info *info);
int idma_nl_window_del_doit(struct sk_buff *skb, struct genl_info *info);
int idma_nl_window_get_doit(struct sk_buff *skb, struct genl_info *info);
int idma_nl_window_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int idma_nl_window_copy_doit(struct sk_buff *skb, struct genl_info *info);
int idma_nl_grant_new_doit(struct sk_buff *skb, struct genl_info *info);
int idma_nl_grant_del_doit(struct sk_buff *skb, struct genl_info *info);
int idma_nl_grant_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);

enum {
	IDMA_NLGRP_EVENTS,
};

extern struct genl_family idma_nl_family;

#endif /* _LINUX_IDMA_GEN_H */
