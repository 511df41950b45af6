// SPDX-License-Identifier: GPL-2.0-only
/*
 * Signals, memory and the clock.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "idma-test.h"

volatile sig_atomic_t it_stop;

static void on_signal(int sig)
{
	/* The second one does not wait for anything any more */
	if (it_stop)
		signal(sig, SIG_DFL);
	it_stop = sig;
}

void catch_signals(void)
{
	/* No SA_RESTART: what waits is to find out */
	struct sigaction sa = { .sa_handler = on_signal };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
}

int exit_by_signal(int status)
{
	int sig = it_stop;

	if (!sig)
		return status;
	/* A shell loop around this must see the Ctrl-C, too */
	fflush(NULL);
	signal(sig, SIG_DFL);
	raise(sig);
	return 128 + sig;
}

static void no_memory(void)
{
	fputs(IT_PROGRAM ": out of memory\n", stderr);
	exit(IT_ENV);
}

void *xalloc(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	if (!p)
		no_memory();
	return p;
}

void *xrealloc(void *p, size_t size)
{
	p = realloc(p, size ? size : 1);
	if (!p)
		no_memory();
	return p;
}

char *xstrdup(const char *s)
{
	char *p = strdup(s);

	if (!p)
		no_memory();
	return p;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *p;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&p, fmt, ap);
	va_end(ap);
	if (n < 0)
		no_memory();
	return p;
}

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}
