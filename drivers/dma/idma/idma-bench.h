/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the netlink family, which is in the driver's module, hands the bench
 * operations to the bench client, which is in a module of its own.
 */
#ifndef _DRIVERS_DMA_IDMA_BENCH_H
#define _DRIVERS_DMA_IDMA_BENCH_H

#include <net/netlink.h>

struct genl_info;
struct module;
struct netlink_callback;

/**
 * struct idma_bench_ops - the bench operations
 * @owner: the module they are in
 * @start: bench-start
 * @stop: bench-stop
 * @get: bench-get of one run
 * @dump: bench-get of its configurations
 *
 * They are called like the operations of a generic netlink family, and answer
 * in the family idma_nl_family.
 */
struct idma_bench_ops {
	struct module *owner;
	int (*start)(struct sk_buff *skb, struct genl_info *info);
	int (*stop)(struct sk_buff *skb, struct genl_info *info);
	int (*get)(struct sk_buff *skb, struct genl_info *info);
	int (*dump)(struct sk_buff *skb, struct netlink_callback *cb);
};

/* Without padding before it: user space copies it out of the message */
static inline int idma_nl_put_u64(struct sk_buff *skb, int attr, u64 val)
{
	return nla_put(skb, attr, sizeof(val), &val);
}

int idma_bench_register(const struct idma_bench_ops *ops);
void idma_bench_unregister(const struct idma_bench_ops *ops);

#endif /* _DRIVERS_DMA_IDMA_BENCH_H */
