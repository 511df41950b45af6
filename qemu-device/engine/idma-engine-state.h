/*
 * PULP iDMA engine: everything the engine remembers
 *
 * Private to the engine, here only so that IdmaEngine can be embedded.
 * Members are uint64_t without exception (see struct IdmaEngine); a change
 * of the layout raises IDMA_ENGINE_STATE_VERSION.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef IDMA_ENGINE_STATE_H
#define IDMA_ENGINE_STATE_H

#define IDMA_ENGINE_STATE_VERSION       1

typedef struct IdmaEngineState {
    uint64_t now;           /* last cycle that has been run */
    uint64_t desc_addr;     /* the register */
} IdmaEngineState;

#define IDMA_ENGINE_STATE_WORDS         (sizeof(IdmaEngineState) / 8)

#endif
