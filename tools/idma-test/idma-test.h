/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What all parts of idma-test share: exit codes, commands, messages.
 */
#ifndef IDMA_TEST_H
#define IDMA_TEST_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IT_VERSION	"1.0"
/* idma-sim shares our options and output */
#ifndef IT_PROGRAM
#define IT_PROGRAM	"idma-test"
#endif

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define __printf(f, a)	__attribute__((format(printf, f, a)))

/* Exit codes, documented in idma-test(1) */
enum it_exit {
	IT_OK		= 0,
	IT_FAILED	= 1,	/* a test failed, data was wrong, something timed out */
	IT_USAGE	= 2,	/* the command line makes no sense */
	IT_ENV		= 3,	/* device, module, family or permission missing */
	IT_SKIP		= 4,	/* nothing of what was asked for can be done here */
};

struct command {
	const char *name;
	const char *brief;
	int (*run)(int argc, char **argv);
};

int cmd_bench(int argc, char **argv);
int cmd_dmatest(int argc, char **argv);
int cmd_hostmem(int argc, char **argv);
int cmd_link(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_monitor(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_reset(int argc, char **argv);
int cmd_selftest(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_stats(int argc, char **argv);
int cmd_window(int argc, char **argv);

/* Set by SIGINT, SIGTERM and SIGHUP once catch_signals() was called */
extern volatile sig_atomic_t it_stop;
void catch_signals(void);
/* Ends the program as the signal that stopped it would have, if there was one */
int exit_by_signal(int status);

/*
 * One line on stderr, "idma-test: COMMAND: ...". An error may be followed by one
 * hint, what to do about it; both are also what -j reports.
 */
void it_error(const char *fmt, ...) __printf(1, 2);
void it_hint(const char *fmt, ...) __printf(1, 2);
void it_note(const char *fmt, ...) __printf(1, 2);

/* Memory, or the end */
void *xalloc(size_t size);
void *xrealloc(void *p, size_t size);
char *xstrdup(const char *s);
char *xasprintf(const char *fmt, ...) __printf(1, 2);

uint64_t now_ns(void);		/* CLOCK_MONOTONIC */

#endif
