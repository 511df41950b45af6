/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The commands of idma-sim. Command lines, output, messages and exit codes are
 * idma-test's (opts.h, out.h, idma-test.h); IT_ENV also stands for a file that
 * cannot be read or written and for a gnuplot that is not there.
 */
#ifndef IDMA_SIM_H
#define IDMA_SIM_H

#include "idma-test.h"

int cmd_golden(int argc, char **argv);
int cmd_published(int argc, char **argv);
int cmd_hostmem(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_sweep(int argc, char **argv);

#endif
