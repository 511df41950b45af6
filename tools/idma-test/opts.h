/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Command lines: one table per command is the parser and the help.
 */
#ifndef IDMA_TEST_OPTS_H
#define IDMA_TEST_OPTS_H

#include "idma-test.h"
#include "numbers.h"

enum opt_kind {
	OPT_FLAG,	/* bool: set */
	OPT_NUMBER,	/* struct opt_number */
	OPT_LIST,	/* struct num_list: numbers to go through */
	OPT_STRING,	/* const char * */
	OPT_STRINGS,	/* struct opt_strings: given more than once, or A,B,C */
	OPT_CHOICE,	/* int: index into choices */
};

struct opt_number {
	uint64_t val;
	bool set;
};

struct opt_strings {
	size_t n;
	char **v;
};

struct opt {
	const char *name;
	int letter;		/* or 0 */
	enum opt_kind kind;
	void *dest;
	const char *arg;	/* what the help calls the argument */
	const char *help;
	enum num_unit unit;
	uint64_t min, max;	/* of numbers; max 0: 2^32 - 1 */
	size_t most;		/* values in a list; 0: 64 */
	const char * const *choices;
};

struct usage {
	const char *command;
	const char *args;	/* what comes after the options, or NULL */
	const char *text;	/* what the command does */
	const struct opt *opts;
	size_t n;
	int min_args, max_args;	/* max_args < 0: any number */
	const char *examples;	/* one a line, or NULL */
};

/*
 * Parse, with the options that every command has, and start the output. Returns
 * the index of the first argument that is no option, -1 when all is done and the
 * program is to end well (--help), or -2 after saying what is wrong.
 */
int opts_parse(const struct usage *usage, int argc, char **argv);
#define OPTS_EXIT(ret)	((ret) == -1 ? IT_OK : IT_USAGE)

/* The options that every command has; for those before the command */
int opts_global(int argc, char **argv);

void opt_strings_free(struct opt_strings *s);

#endif
