// SPDX-License-Identifier: GPL-2.0-only
/*
 * What dmatest says in the kernel log. Its messages are no interface; what is
 * read here is the same from 6.1 to the newest kernel, and older ones had no
 * decimals in their figures.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dmatest-log.h"

#define PREFIX	"dmatest: "

/* "dma0chan1-copy0: rest": returns rest, or NULL if there is no thread in front */
static const char *thread_of(const char *text, struct dt_line *line)
{
	const char *colon = strstr(text, ": "), *dash;
	size_t n = colon ? (size_t)(colon - text) : 0;
	unsigned int id, nr;
	int end = 0;

	if (!colon || n >= sizeof(line->thread) ||
	    sscanf(text, "dma%uchan%u%n", &id, &nr, &end) != 2)
		return NULL;
	/* Names of threads have 15 characters: the end of this one may be missing */
	dash = text + end;
	if (*dash != '-' && dash != colon)
		return NULL;
	snprintf(line->thread, sizeof(line->thread), "%.*s", (int)n, text);
	snprintf(line->channel, sizeof(line->channel), "%.*s", end, text);
	return colon + 2;
}

static bool parse_result(const char *text, struct dt_line *line)
{
	unsigned int src, dst, len;
	const char *quote, *close;

	if (sscanf(text, "result #%u: '", &line->n) != 1)
		return false;
	quote = strchr(text, '\'');
	close = quote ? strstr(quote + 1, "' with ") : NULL;
	if (!close)
		return false;
	snprintf(line->what, sizeof(line->what), "%.*s", (int)(close - quote - 1), quote + 1);
	if (sscanf(close, "' with src_off=0x%x dst_off=0x%x len=0x%x (%lld)", &src, &dst, &len,
		   &line->data) != 4)
		return false;
	line->src_off = src;
	line->dst_off = dst;
	line->len = len;
	line->kind = DT_RESULT;
	line->passed = !strcmp(line->what, "test passed");
	line->timeout = !!strstr(line->what, "timed out");
	return true;
}

static bool parse_summary(const char *text, struct dt_line *line)
{
	unsigned long long tests, failures, kbs;

	/* strtod() reads "100.05" and "100", whatever the locale is: ours is "C" */
	if (sscanf(text, "summary %llu tests, %llu failures %lf iops %llu KB/s (%d)", &tests,
		   &failures, &line->iops, &kbs, &line->ret) != 5)
		return false;
	line->tests = tests;
	line->failures = failures;
	line->kbs = kbs;
	line->kind = DT_SUMMARY;
	return true;
}

static bool parse_threads(const char *text, const char *word, enum dt_kind kind,
			  struct dt_line *line)
{
	char fmt[48], name[32];

	snprintf(fmt, sizeof(fmt), "%s %%u threads using %%31s", word);
	if (sscanf(text, fmt, &line->n, name) != 2)
		return false;
	snprintf(line->channel, sizeof(line->channel), "%s", name);
	line->kind = kind;
	return true;
}

/* dmatest itself, not one of its transfers */
static bool is_trouble(const char *text)
{
	static const char * const words[] = {
		"misconfigured", "No memory for", "Failed to create thread", "too many buffers",
		"buffer too small", "must be lower than", "polled disabled", "Could not start test",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strstr(text, words[i]))
			return true;
	return false;
}

void dt_parse(const char *text, struct dt_line *line)
{
	const char *rest;

	memset(line, 0, sizeof(*line));
	if (strncmp(text, PREFIX, strlen(PREFIX)))
		return;
	text += strlen(PREFIX);
	if (parse_threads(text, "Added", DT_ADDED, line) ||
	    parse_threads(text, "Started", DT_STARTED, line))
		return;
	rest = thread_of(text, line);
	if (rest) {
		if (parse_result(rest, line) || parse_summary(rest, line))
			return;
		if (!strncmp(rest, "srcbuf[", 7) || !strncmp(rest, "dstbuf[", 7) ||
		    strstr(rest, " errors suppressed")) {
			line->kind = DT_MISMATCH;
			snprintf(line->what, sizeof(line->what), "%s", rest);
			return;
		}
	}
	if (is_trouble(text)) {
		line->kind = DT_TROUBLE;
		snprintf(line->what, sizeof(line->what), "%s", text);
	}
}
