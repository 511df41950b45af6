// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters of engines and channels, and what they are called.
 */
#include <string.h>

#include "counters.h"

static const struct {
	struct out_column col;
	const char *head;	/* in a table, or it is in none */
	bool channel;		/* channels count it, too */
} counters[] = {
	{ { "counters.transfers", "transfers", OUT_INT, "transfers" }, "TRANSFERS", true },
	{ { "counters.bytes", "bytes", OUT_BYTES, "bytes" }, "BYTES", true },
	{ { "counters.errors", "errors", OUT_INT, "errors" }, "ERRORS", true },
	{ { "counters.faults.stall", "  by a dead engine", OUT_INT, "fault_stall" }, NULL, true },
	{ { "counters.faults.reset", "  by a reset", OUT_INT, "fault_reset" }, NULL, true },
	{ { "counters.faults.unbind", "  by unbinding", OUT_INT, "fault_unbind" }, NULL, true },
	{ { "counters.faults.link", "  by a lost link", OUT_INT, "fault_link" }, NULL, true },
	{ { "counters.terminated", "terminated", OUT_INT, "terminated" }, "TERMINATED", true },
	{ { "counters.launches", "launches", OUT_INT, "launches" }, "LAUNCHES", false },
	{ { "counters.launches_refused", "launches put off", OUT_INT, "launches_refused" },
	  NULL, false },
	{ { "counters.descriptors", "descriptors", OUT_INT, "descriptors" },
	  "DESCRIPTORS", false },
	{ { "counters.interrupts", "interrupts", OUT_INT, "interrupts" }, "IRQS", false },
	{ { "counters.interrupts_foreign", "foreign interrupts", OUT_INT, "interrupts_foreign" },
	  NULL, false },
	{ { "counters.interrupts_missed", "missed interrupts", OUT_INT, "interrupts_missed" },
	  "MISSED", false },
	{ { "counters.backstops", "backstop timer ran out", OUT_INT, "backstops" }, NULL, false },
	{ { "counters.reaped_irq", "found by interrupt", OUT_INT, "reaped_irq" },
	  "BY IRQ", false },
	{ { "counters.reaped_backstop", "found by backstop", OUT_INT, "reaped_backstop" },
	  "BACKSTOP", false },
	{ { "counters.reaped_poll", "found by polling", OUT_INT, "reaped_poll" }, "POLL", false },
	{ { "counters.stalls", "stalls", OUT_INT, "stalls" }, "STALLS", false },
	{ { "counters.recoveries", "recoveries", OUT_INT, "recoveries" }, "RECOVERIES", false },
};

_Static_assert(ARRAY_SIZE(counters) <= COUNTER_COLUMNS, "there is room for all");

size_t counters_list(struct out_column *cols, size_t n, bool channel)
{
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
		if (counters[i].channel || !channel)
			cols[n++] = counters[i].col;
	return n;
}

size_t counters_table(struct out_column *cols, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++) {
		if (!counters[i].head)
			continue;
		cols[n] = counters[i].col;
		cols[n].title = counters[i].head;
		/* Numbers of a column are of one unit */
		cols[n++].kind = OUT_INT;
	}
	return n;
}
