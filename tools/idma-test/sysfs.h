/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What sysfs and procfs know of any DMA engine.
 */
#ifndef IDMA_TEST_SYSFS_H
#define IDMA_TEST_SYSFS_H

#include "idma-test.h"

struct sys_chan {
	char name[64];		/* dma0chan1 */
	char dev[128];		/* 50000000.dma-controller */
	char driver[64];	/* or "" */
	unsigned int id, nr;	/* dma<id>chan<nr> */
	unsigned int in_use;	/* clients */
};

struct sys_chans {
	size_t n;
	struct sys_chan *v;	/* in the order of their numbers */
};

/* All channels of the machine. -errno if the kernel has no dmaengine. */
int sys_channels(struct sys_chans *chans);
void sys_channels_free(struct sys_chans *chans);
const struct sys_chan *sys_find(const struct sys_chans *chans, const char *name);
bool sys_has_dev(const struct sys_chans *chans, const char *dev);
/* Says that there is none, and what to do */
void sys_no_channels(int ret);

/* A small file: its first line, or all of it; -errno */
int sys_read(const char *path, char *buf, size_t size);
int sys_write(const char *path, const char *text, size_t len);

/* Interrupts of all CPUs of a line that carries this name; -ENOENT without one */
int sys_irqs(const char *name, uint64_t *count);

#endif
