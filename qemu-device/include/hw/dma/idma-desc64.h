/*
 * PULP iDMA with the desc64 front-end, as a sysbus device
 *
 * The engine itself is plain C in hw/dma/idma-engine/; this device gives it
 * registers, an interrupt, a clock and a bus.  User documentation is in
 * README.md of the project that this file comes from.
 *
 * QEMU interface:
 *  + sysbus MMIO region 0: the registers, 4 KiB
 *  + sysbus MMIO region 1, with property "control" only: what a SoC has
 *    outside of the engine, its reset line and the gate of its clock
 *  + sysbus IRQ 0: completion, pulses of one clock
 *  + property "memory": what the engine's bus master sees (default: system
 *    memory)
 *  + the remaining properties are described where they are defined
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_DMA_IDMA_DESC64_H
#define HW_DMA_IDMA_DESC64_H

#include "hw/sysbus.h"
#include "hw/dma/idma-engine/idma-engine.h"

#define TYPE_IDMA_DESC64 "idma-desc64"
OBJECT_DECLARE_SIMPLE_TYPE(IdmaDesc64State, IDMA_DESC64)

/* Launches that the device can keep while the engine's bus is stalled. */
#define IDMA_DESC64_HELD_MAX 16

/* The engine's parameters and the clock, as the migration stream has them */
#define IDMA_DESC64_PARAMS 18

/*
 * The control region: 32-bit words, which Linux drives as a reset controller
 * and as a GPIO.  At power-on the engine is in reset and has no clock.
 */
#define IDMA_CONTROL_SIZE       0x1000
#define IDMA_CONTROL_RESET      0x0     /* bit 0: hold the engine in reset */
#define IDMA_CONTROL_CLOCK      0x4     /* bit 0: let the clock through */

typedef struct IdmaHeldWrite {
    uint64_t value;
    uint32_t offset;
    uint32_t size;
} IdmaHeldWrite;

struct IdmaDesc64State {
    SysBusDevice parent_obj;

    MemoryRegion iomem;
    MemoryRegion control_mr;
    MemoryRegion *dma_mr;
    AddressSpace dma_as;
    qemu_irq irq;
    QEMUTimer *timer;
    /* no engine run before this time: leaves the host to others (ns) */
    int64_t not_before;

    /* properties fixed at realize */
    IdmaEngineConfig cfg;
    uint32_t memory_latency;
    uint32_t write_latency;
    uint32_t clock_frequency;
    uint32_t quantum;
    uint32_t lose_when_full;
    uint16_t requester_id;
    bool control;
    /* properties that go into the device tree only */
    char *compatible;
    uint32_t dma_channels;
    uint32_t input_slots;
    uint32_t pending_slots;
    bool dma_coherent;

    /* property values that may change at any time */
    IdmaEngineFaults faults;

    IdmaEngine engine;
    IdmaHeldWrite held[IDMA_DESC64_HELD_MAX];
    uint32_t num_held;

    uint64_t stat_guest_errors;
    uint64_t stat_launches_held;
    uint64_t stat_launches_lost;

    /* the control region; without one there is a clock and no reset */
    uint64_t in_reset;
    uint64_t clock_on;
    /* cycles that did not happen, and the one when the clock was gated */
    uint64_t cycles_gated;
    uint64_t gated_since;
    uint64_t stat_accesses_gated;
    uint64_t stat_accesses_in_reset;
    uint64_t stat_gated_busy;
    uint64_t stat_clock_enables;
    uint64_t stat_resets;

    /* what the migration stream holds of the properties fixed at realize */
    uint32_t vm_params[IDMA_DESC64_PARAMS];
    uint32_t vm_engine_version;
    uint32_t vm_engine_words;
    uint32_t vm_stats_words;

    /*
     * ... and of what is above.  A stream that ends early leaves it half
     * loaded without anybody being told, so nothing else looks in here.
     */
    struct {
        IdmaEngineFaults faults;
        uint64_t words[IDMA_ENGINE_STATE_WORDS];
        uint64_t stats_words[IDMA_ENGINE_STATS_WORDS];
        IdmaHeldWrite held[IDMA_DESC64_HELD_MAX];
        uint32_t num_held;
        uint64_t stat_guest_errors;
        uint64_t stat_launches_held;
        uint64_t stat_launches_lost;
        bool control;
        uint64_t in_reset;
        uint64_t clock_on;
        uint64_t cycles_gated;
        uint64_t gated_since;
        uint64_t stat_accesses_gated;
        uint64_t stat_accesses_in_reset;
        uint64_t stat_gated_busy;
        uint64_t stat_clock_enables;
        uint64_t stat_resets;
    } vm;
};

#endif
