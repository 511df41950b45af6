/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel log as it is written.
 */
#ifndef IDMA_TEST_KMSG_H
#define IDMA_TEST_KMSG_H

#include "idma-test.h"

struct kmsg {
	int fd;
	bool lost;	/* lines were overwritten before they could be read */
};

struct kmsg_line {
	uint64_t us;	/* since boot */
	char text[1024];
};

/* From now on; -errno */
int kmsg_open(struct kmsg *k);
void kmsg_close(struct kmsg *k);
/* The next line: 1, or 0 if there is none within that time or a signal came; -errno */
int kmsg_read(struct kmsg *k, int timeout_ms, struct kmsg_line *line);
/* A record of /dev/kmsg; false if it is none */
bool kmsg_parse(const char *record, struct kmsg_line *line);

#endif
