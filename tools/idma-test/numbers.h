/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers as people write and read them.
 */
#ifndef IDMA_TEST_NUMBERS_H
#define IDMA_TEST_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

/*
 * What a number counts decides what its suffix means: k, M and G are powers of
 * 1024 for bytes and of 1000 for everything else; Ki, Mi and Gi are powers of 1024
 * always. Times take us, ms, s and m, and are in ms without.
 */
enum num_unit {
	NUM_COUNT,
	NUM_BYTES,
	NUM_MS,
};

/* A list of values to go through */
struct num_list {
	size_t n;
	uint64_t *v;
};

/*
 * Return 0, or -EINVAL if it is not a number, -ERANGE if no machine has that many,
 * -EDOM if a time is not a whole number of ms.
 */
int num_parse(const char *s, enum num_unit unit, uint64_t *val);

/*
 * "A", "A,B,C", "A..B" (doubling), "A..B*F" (times F), "A..B+S" (S more); the end
 * of a range is always in it. -E2BIG if there are more than max values.
 */
int num_parse_list(const char *s, enum num_unit unit, size_t max, struct num_list *list);
void num_list_free(struct num_list *list);

/* Four significant digits with a suffix; both return buf */
#define NUM_BUF	32
char *num_bytes(char *buf, double val);		/* 4096 -> "4 KiB" */
char *num_si(char *buf, double val, const char *unit);	/* 1.5e9, "B/s" -> "1.5 GB/s" */
char *num_ns(char *buf, double ns);		/* 1500 -> "1.5 us" */

#endif
