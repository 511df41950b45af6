/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * TAP for the unit tests.
 */
#ifndef IDMA_TEST_TAP_H
#define IDMA_TEST_TAP_H

#include <stdbool.h>
#include <stdio.h>

static int tap_n, tap_bad;

static inline bool tap_ok(bool good, const char *what, const char *file, int line)
{
	printf("%sok %d - %s\n", good ? "" : "not ", ++tap_n, what);
	if (!good) {
		printf("    # %s:%d\n", file, line);
		tap_bad++;
	}
	return good;
}

#define ok(good, what)	tap_ok(good, what, __FILE__, __LINE__)

static inline int tap_end(void)
{
	printf("1..%d\n", tap_n);
	return tap_bad || !tap_n;
}

#endif
