/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the commands about links and windows share.
 */
#ifndef IDMA_TEST_WINDOW_H
#define IDMA_TEST_WINDOW_H

#include <jansson.h>

#include "opts.h"

/* An argument that is a number of bytes or an address, or says what is wrong with it */
bool window_number(const char *text, const char *what, uint64_t *val);
/* Says that there is no such action; returns the exit status */
int window_usage(const struct usage *usage, const char *action);
/* Who has made each of these windows or grants */
void window_add_whose(json_t *list);
/* Pieces of memory: what peers have granted, and what was granted to them */
void window_show_ranges(const json_t *links, const json_t *grants);

#endif
