// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CPU as its own DMA engine: what a memcpy() costs here. Like dmatest with
 * one thread, and like its figures without filling and comparing the buffers.
 */
#include <stdlib.h>
#include <string.h>

#include "memcpy-speed.h"

static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

bool memcpy_speed(size_t size, size_t buf_size, unsigned int ms, struct memcpy_speed *speed)
{
	unsigned char *src, *dst;
	uint64_t since, now, end, n = 0, batch = 1;
	uint32_t seed = 2463534242u;
	size_t room, from = 0, to = 0;
	bool good = false;

	if (!size || buf_size < size)
		return false;
	src = malloc(buf_size);
	dst = malloc(buf_size);
	if (!src || !dst)
		goto out;
	/* Pages that were never written are not memory yet */
	for (size_t i = 0; i < buf_size; i++)
		src[i] = (unsigned char)(i * 7 + 1);
	memset(dst, 0, buf_size);
	room = buf_size - size + 1;
	since = now_ns();
	end = since + ms * 1000000ull;
	do {
		for (uint64_t i = 0; i < batch; i++) {
			from = next_random(&seed) % room;
			to = next_random(&seed) % room;
			memcpy(dst + to, src + from, size);
			/* The copy is what is measured: it has to happen */
			__asm__ volatile("" : : "r"(dst + to) : "memory");
		}
		n += batch;
		now = now_ns();
		/* The clock is read now and then, not for each of short copies */
		if (now - since < ms * 100000ull)
			batch *= 2;
	} while (now < end && !it_stop);
	speed->copies = n;
	speed->seconds = (double)(now - since) / 1e9;
	speed->copies_s = speed->seconds > 0 ? (double)n / speed->seconds : 0;
	speed->bytes_s = speed->copies_s * (double)size;
	good = !memcmp(dst + to, src + from, size);
out:
	free(src);
	free(dst);
	return good;
}
