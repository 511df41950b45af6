/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Engines and channels: what sysfs knows of all of them, and what the netlink
 * family adds for the iDMA's.
 */
#ifndef IDMA_TEST_ENGINES_H
#define IDMA_TEST_ENGINES_H

#include <jansson.h>

#include "idma-test.h"

/* Two arrays; or an exit status, after saying why. None at all is an error. */
int engines_read(json_t **engines, json_t **channels);

/* The one with this name, or NULL */
json_t *engines_find(const json_t *list, const char *name);

#endif
