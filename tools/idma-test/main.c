// SPDX-License-Identifier: GPL-2.0-only
/*
 * idma-test: tests, measures and watches DMA engines. Finds the command.
 */
#include <stdio.h>
#include <string.h>

#include "idma-test.h"
#include "opts.h"
#include "out.h"

static const struct command commands[] = {
	{ "list", "DMA engines and their channels", cmd_list },
	{ "show", "everything about engines or channels", cmd_show },
	{ "selftest", "check this machine's engines end to end", cmd_selftest },
	{ "dmatest",
	  "run the kernel's dmatest: correctness and speed over sizes, threads, channels",
	  cmd_dmatest },
	{ "bench",
	  "run the bench client: queue depths, batches, latencies, instructions a transfer",
	  cmd_bench },
	{ "hostmem", "workers staged through device memory against direct host memory",
	  cmd_hostmem },
	{ "stats", "counters of the engines, or their rates", cmd_stats },
	{ "monitor", "follow errors, dead engines and recoveries as they happen", cmd_monitor },
	{ "reset", "fail what an engine has to do and make it work again", cmd_reset },
	{ "link", "links to other machines' memory, and what their peers may touch", cmd_link },
	{ "window", "windows onto that memory: make them, copy through them, verify", cmd_window },
	{ "report", "make one HTML page of saved runs, compare them", cmd_report },
};

static void show_usage(FILE *f)
{
	fputs("usage: idma-test COMMAND [OPTION]... [ARGUMENT]...\n\n"
	      "Tests, measures and watches DMA engines, the PULP iDMA's first of all.\n\n"
	      "Commands:\n", f);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(f, "  %-10s %s\n", commands[i].name, commands[i].brief);
	fputs("\n'idma-test COMMAND --help' shows the options of a command; -j gives JSON,\n"
	      "-o FILE keeps it. Sizes take k, M and G (of 1024), counts the same of 1000;\n"
	      "lists are 64,1k,4k or ranges: 64..1M doubles, 1..9+2 adds 2.\n\n"
	      "Examples:\n"
	      "  idma-test list                          what is there\n"
	      "  idma-test selftest                      does it work\n"
	      "  idma-test dmatest -s 64..1M -o a.json   throughput over sizes, checked, against memcpy()\n"
	      "  idma-test bench -s 64,4k -d 1..32 -o b.json\n"
	      "                                          cost and latency over queue depths\n"
	      "  idma-test report a.json b.json -O page.html\n"
	      "                                          one page with plots; compares runs of a kind\n"
	      "  idma-test monitor                       see faults as they happen\n\n"
	      "Exit status: 0 good, 1 a test failed, 2 usage, 3 something is missing, 4 skipped.\n",
	      f);
}

int main(int argc, char **argv)
{
	int at;

	/* A reader that goes away is seen where the output is written */
	signal(SIGPIPE, SIG_IGN);
	if (argc > 1 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))) {
		puts("idma-test " IT_VERSION);
		return IT_OK;
	}
	at = opts_global(argc, argv);
	if (at == -1 || (at > 0 && at < argc && !strcmp(argv[at], "help"))) {
		show_usage(stdout);
		return IT_OK;
	}
	if (at == -2 || at >= argc) {
		if (at != -2)
			it_error("which command?");
		it_hint("'idma-test --help' lists the commands");
		return IT_USAGE;
	}
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(argv[at], commands[i].name))
			return exit_by_signal(commands[i].run(argc - at, argv + at));
	it_error("there is no command '%s'", argv[at]);
	it_hint("'idma-test --help' lists the commands");
	return IT_USAGE;
}
