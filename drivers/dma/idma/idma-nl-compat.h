/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What kernels from 6.1 on call differently in generic netlink; included by the
 * compiler's command line before the generated code. In a kernel tree, drop
 * this file, its include line, its line in the Makefile and the call in
 * idma_nl_init().
 */
#ifndef _DRIVERS_DMA_IDMA_NL_COMPAT_H
#define _DRIVERS_DMA_IDMA_NL_COMPAT_H

#include <linux/version.h>
#include <net/genetlink.h>
#include <uapi/linux/idma.h>

/* Both lead to the attributes of the request */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
#define genl_info_dump	genl_dumpit_info
#endif

/* Before 6.7 ranges are not const, but nobody writes to them either */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
#undef NLA_POLICY_FULL_RANGE
#define NLA_POLICY_FULL_RANGE(tp, _range) {			\
	.type = NLA_ENSURE_UINT_OR_BINARY_TYPE(tp),		\
	.validation_type = NLA_VALIDATE_RANGE_PTR,		\
	.range = (struct netlink_range_validation *)(_range),	\
}
#endif

/*
 * Before 6.2 an operation has one entry for do and dump. The generated table
 * has two, one behind the other, with the same names inside.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define genl_split_ops	genl_ops
#define split_ops	ops
#define n_split_ops	n_ops

static inline void idma_nl_merge_ops(struct genl_family *family)
{
	static struct genl_ops merged[__IDMA_CMD_MAX];
	unsigned int i, n = 0;

	for (i = 0; i < family->n_ops; i++) {
		const struct genl_ops *op = &family->ops[i];
		struct genl_ops *last = n ? &merged[n - 1] : NULL;

		if (!last || last->cmd != op->cmd) {
			merged[n++] = *op;
			continue;
		}
		last->start = op->start;
		last->dumpit = op->dumpit;
		last->done = op->done;
		last->flags |= op->flags;
		/* The policy of the do knows all that the dump knows */
		if (!last->policy) {
			last->policy = op->policy;
			last->maxattr = op->maxattr;
		}
	}
	family->ops = merged;
	family->n_ops = n;
}
#else
static inline void idma_nl_merge_ops(struct genl_family *family)
{
}
#endif

#endif /* _DRIVERS_DMA_IDMA_NL_COMPAT_H */
