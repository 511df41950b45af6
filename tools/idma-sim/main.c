// SPDX-License-Identifier: GPL-2.0-only
/*
 * idma-sim: the iDMA engine as a program of this machine. Finds the command.
 */
#include <stdio.h>
#include <string.h>

#include "opts.h"
#include "out.h"
#include "sim.h"

static const struct command commands[] = {
	{ "run", "run descriptors: cycles, utilisation, a waveform", cmd_run },
	{ "sweep", "run all combinations of a file or preset: tables, CSV, plots", cmd_sweep },
	{ "hostmem", "workers staged through device memory against direct host memory",
	  cmd_hostmem },
	{ "golden", "compare the engine with what was measured on the RTL", cmd_golden },
	{ "published", "reproduce what others have published: a report with plots", cmd_published },
};

static void show_usage(FILE *f)
{
	fputs("usage: idma-sim COMMAND [OPTION]... [ARGUMENT]...\n\n"
	      "The PULP iDMA cycle by cycle, as a program: the engine that the QEMU device has.\n\n"
	      "Commands:\n", f);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(f, "  %-10s %s\n", commands[i].name, commands[i].brief);
	fputs("\n'idma-sim COMMAND --help' shows the options of a command; -j gives JSON,\n"
	      "-o FILE keeps it. Sizes take k, M and G (of 1024), counts the same of 1000;\n"
	      "lists are 64,1k,4k or ranges: 64..1M doubles, 1..9+2 adds 2.\n\n"
	      "Examples:\n"
	      "  idma-sim run --desc 64x1024 --latency 13 --nspec 4\n"
	      "                                          64 descriptors of 1 KiB\n"
	      "  idma-sim run --desc 8x64 --trace a.vcd  a waveform for GTKWave\n"
	      "  idma-sim sweep cheshire --plot a.svg    a system that is known by name\n"
	      "  idma-sim golden rows.csv                exit status 1 if a row is off\n"
	      "  idma-sim published                      build/report/published.md and its plots\n\n"
	      "Exit status: 0 good, 1 a test failed, 2 usage, 3 something is missing.\n",
	      f);
}

int main(int argc, char **argv)
{
	int at;

	/* A reader that goes away is seen where the output is written */
	signal(SIGPIPE, SIG_IGN);
	if (argc > 1 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))) {
		puts("idma-sim " IT_VERSION);
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
		it_hint("'idma-sim --help' lists the commands");
		return IT_USAGE;
	}
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(argv[at], commands[i].name))
			return exit_by_signal(commands[i].run(argc - at, argv + at));
	it_error("there is no command '%s'", argv[at]);
	it_hint("'idma-sim --help' lists the commands");
	return IT_USAGE;
}
