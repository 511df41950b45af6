/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dmatest's parameters, and that they are put back.
 */
#ifndef IDMA_TEST_DMATEST_PARAMS_H
#define IDMA_TEST_DMATEST_PARAMS_H

#include "idma-test.h"

/*
 * Take dmatest: check that it is there, may be used and is not in use, and have
 * its parameters put back and its channels let go when this program ends, however
 * it does: a process of its own waits for that, so that even SIGKILL leaves nothing
 * behind. Returns an exit status, after saying why if it is not IT_OK.
 */
int dt_take(void);
/* Stop what runs, put everything back, and say so if that did not work */
int dt_release(void);

bool dt_has(const char *param);
/* -errno */
int dt_set(const char *param, const char *val);
int dt_get(const char *param, char *buf, size_t size);
/* 1 while threads run or are to be run. If not, dmatest lets go of its channels. */
int dt_running(void);
/*
 * Have all threads end after the transfer that they are at. To write 0 to 'run' cuts
 * these off: dmatest then frees buffers into which the engine still writes. False if
 * they do not end in the time that a transfer may take.
 */
bool dt_finish(void);

#endif
