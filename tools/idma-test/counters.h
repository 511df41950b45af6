/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counters of engines and channels, and what they are called.
 */
#ifndef IDMA_TEST_COUNTERS_H
#define IDMA_TEST_COUNTERS_H

#include "out.h"

#define COUNTER_COLUMNS	24

/* Columns after those of the caller, for out_object(): all counters of an engine or a channel */
size_t counters_list(struct out_column *cols, size_t n, bool channel);
/* For out_table(): those of an engine that say how it does */
size_t counters_table(struct out_column *cols, size_t n);

#endif
