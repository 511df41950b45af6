// SPDX-License-Identifier: GPL-2.0-only
#include "idma-test.h"
int cmd_report(int argc, char **argv) { (void)argc; (void)argv; return IT_ENV; }
