/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The CPU as its own DMA engine: what a memcpy() costs here.
 */
#ifndef IDMA_TEST_MEMCPY_SPEED_H
#define IDMA_TEST_MEMCPY_SPEED_H

#include "idma-test.h"

struct memcpy_speed {
	double bytes_s;
	double copies_s;
	uint64_t copies;
	double seconds;
};

/*
 * Copies of size bytes between random places of two buffers of buf_size, for
 * about that long. False if there is no memory, or the copy is wrong.
 */
bool memcpy_speed(size_t size, size_t buf_size, unsigned int ms, struct memcpy_speed *speed);

#endif
