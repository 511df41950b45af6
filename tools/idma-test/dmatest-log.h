/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What dmatest says in the kernel log, from Linux 4.x to the newest.
 */
#ifndef IDMA_TEST_DMATEST_LOG_H
#define IDMA_TEST_DMATEST_LOG_H

#include "idma-test.h"

enum dt_kind {
	DT_OTHER,	/* not dmatest's, or nothing that matters */
	DT_ADDED,	/* n threads were made for a channel */
	DT_STARTED,	/* n threads of a channel were started */
	DT_RESULT,	/* a transfer that failed, or with verbose one that passed */
	DT_MISMATCH,	/* a byte that is wrong; a DT_RESULT follows */
	DT_SUMMARY,	/* a thread has ended */
	DT_TROUBLE,	/* dmatest cannot do what it was told */
};

struct dt_line {
	enum dt_kind kind;
	char thread[32];	/* "dma0chan1-copy0"; the kernel may have cut its end off */
	char channel[32];	/* "dma0chan1" */
	char what[128];		/* of DT_RESULT: "test timed out"; of DT_TROUBLE: all of it */
	unsigned int n;		/* threads, or number of the transfer */
	uint64_t src_off, dst_off, len;
	long long data;
	bool passed;		/* DT_RESULT of a transfer that did */
	bool timeout;
	uint64_t tests, failures, kbs;
	double iops;
	int ret;		/* of DT_SUMMARY */
};

/* A line without the time in front */
void dt_parse(const char *text, struct dt_line *line);

#endif
