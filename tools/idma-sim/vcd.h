/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the engine does as a waveform (VCD) for GTKWave and its like.
 */
#ifndef IDMA_SIM_VCD_H
#define IDMA_SIM_VCD_H

#include "idma-engine.h"

struct vcd;

/*
 * clock: Hz, which makes the time scale; 0: one ns a cycle. NULL: cannot be
 * written, which has been said.
 */
struct vcd *vcd_open(const char *path, uint64_t clock);
void vcd_event(struct vcd *v, const IdmaTraceEvent *ev);
/* False: not all could be written, which has been said */
bool vcd_close(struct vcd *v);

#endif
