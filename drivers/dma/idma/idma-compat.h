/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What kernels from 6.1 on call differently. In a kernel tree, drop this file
 * and its include lines.
 */
#ifndef _DRIVERS_DMA_IDMA_COMPAT_H
#define _DRIVERS_DMA_IDMA_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/version.h>

/* Where riscv_isa_extension_available() is declared */
#ifdef CONFIG_RISCV
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
#include <asm/hwcap.h>
#else
#include <asm/cpufeature.h>
#endif
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*fn)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = fn;
}
#endif

#endif /* _DRIVERS_DMA_IDMA_COMPAT_H */
