/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages of the family to JSON; names are those of the family's specification,
 * with '_' for '-'.
 */
#ifndef IDMA_TEST_NL_DECODE_H
#define IDMA_TEST_NL_DECODE_H

#include <jansson.h>
#include <netlink/attr.h>

enum nl_kind {
	NL_U32,
	NL_U64,
	NL_TEXT,
	NL_ENUM,	/* names */
	NL_FLAGS,	/* names: an array of those that are set */
	NL_NEST,	/* set */
	NL_PHASE,	/* set, one of several: into an object by its name */
	NL_BUCKETS,	/* array of u64 */
	NL_FLAG,	/* true, or not there */
	NL_LIST,	/* set, any number of them: an array */
};

struct nl_set;

struct nl_field {
	const char *key;
	enum nl_kind kind;
	const char * const *names;
	const struct nl_set *set;
};

/* Indexed by attribute; attributes without a key, or beyond n, are ignored */
struct nl_set {
	const struct nl_field *fields;
	size_t n;
};

/* NULL if an attribute is shorter than its type, or nests too deep */
json_t *nl_decode(const struct nlattr *head, int len, const struct nl_set *set);

#endif
