/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the window core does for the driver's completion path: tell whether a
 * transfer that has touched remote memory has really worked.
 */
#ifndef _DRIVERS_DMA_IDMA_WINDOW_H
#define _DRIVERS_DMA_IDMA_WINDOW_H

#include <linux/compiler.h>
#include <linux/dmaengine.h>
#include <linux/types.h>

struct device;

/**
 * struct idma_window_epoch - what every transfer looks at
 * @providers: number of providers; while there is none nothing else matters
 * @now: changes whenever a link comes up or goes down
 */
struct idma_window_epoch {
	unsigned int providers;
	u32 now;
};

extern struct idma_window_epoch idma_window_epoch;

enum dmaengine_tx_result idma_window_result(struct device *dev, dma_addr_t src,
					    dma_addr_t dst, size_t len, u32 since);

static inline bool idma_window_any(void)
{
	return READ_ONCE(idma_window_epoch.providers);
}

static inline u32 idma_window_now(void)
{
	return READ_ONCE(idma_window_epoch.now);
}

#endif /* _DRIVERS_DMA_IDMA_WINDOW_H */
