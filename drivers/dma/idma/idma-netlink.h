/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of the netlink family share: answers, dumps, and finding an
 * engine; windows, which are a part of their own.
 */
#ifndef _DRIVERS_DMA_IDMA_NETLINK_H
#define _DRIVERS_DMA_IDMA_NETLINK_H

#include <linux/types.h>

struct device;
struct genl_info;
struct netlink_callback;
struct netlink_ext_ack;
struct nlattr;
struct sk_buff;

/* idma-netlink.c */
int idma_nl_answer(struct genl_info *info, u8 cmd,
		   int (*fill)(struct sk_buff *skb, struct genl_info *info));
int idma_nl_dump_one(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd,
		     int (*put)(struct sk_buff *skb, void *obj), void *obj);
struct device *idma_nl_get_engine(const struct nlattr *name,
				  struct netlink_ext_ack *extack);

/* idma-nl-window.c */
int idma_nl_window_init(void);
void idma_nl_window_exit(void);
void idma_nl_window_unbind(struct device *dev);

#endif /* _DRIVERS_DMA_IDMA_NETLINK_H */
