/*
 * PULP iDMA with the desc64 front-end, as a sysbus device
 *
 * What the hardware does is in idma-engine/, which knows nothing of QEMU.
 * This file is what surrounds it: registers for the guest, a bus master in an
 * address space, an interrupt line, time, reset, migration, properties.
 *
 * Time.  The engine counts clock cycles, the device converts QEMU's virtual
 * clock to cycles and back.  The engine runs from a timer and not in register
 * accesses (but for a few steps when two launches are less than two cycles
 * apart): a guest that writes DESC_ADDR has started something and goes on at
 * once.  One timer callback does a bounded amount of work and
 * leaves the rest to the next one, so that neither vCPUs nor the monitor wait
 * for a long transfer.  If the host is slower than the modelled engine, the
 * engine falls behind the virtual clock and catches up when it can; a
 * register access then happens at the engine's own time.  With -icount the
 * engine never falls behind and everything is reproducible.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/atomic.h"
#include "qemu/error-report.h"
#include "qemu/log.h"
#include "qemu/module.h"
#include "qemu/timer.h"
#include "qemu/units.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "exec/address-spaces.h"
#include "hw/irq.h"
#include "hw/qdev-properties.h"
#include "hw/dma/idma-desc64.h"
#include "migration/vmstate.h"
#include "system/cpu-timers.h"
#include "system/qtest.h"
#include "trace.h"

#define IDMA_CLOCK_MIN          1000u           /* 1 kHz */
#define IDMA_CLOCK_MAX          4000000000u     /* 4 GHz */
#define IDMA_CLOCK_DEFAULT      50000000u       /* the boards' 50 MHz */
#define IDMA_DMA_CHANNELS_MAX   256
#define IDMA_LATENCY_SAME       UINT32_MAX

/*
 * Bounds of one timer callback.  Steps and bytes are what counts when a run
 * must be reproducible; elsewhere it is the host's time, and after a callback
 * that used it up the engine rests, so that whoever waits for the big QEMU
 * lock gets it.  Between two looks at the bounds the engine does a chunk of
 * steps; what a step costs the host depends on where its data goes.
 */
#define IDMA_CHUNK_STEPS        16
#define IDMA_CHUNK_STEPS_MAX    64
#define IDMA_CHUNK_US           20
#define IDMA_CALLBACK_STEPS     16384
#define IDMA_CALLBACK_BYTES     (1 * MiB)
#define IDMA_CALLBACK_US        500
#define IDMA_REST_NS            (100 * SCALE_US)
#define IDMA_QUANTUM_MAX        (1 * SCALE_MS)

/* Error ranges by what they concern; indices into IdmaEngineFaults.err[] */
#define ERR_READ                0
#define ERR_WRITE               1
#define ERR_FETCH               2
#define ERR_MARK                3

QEMU_BUILD_BUG_ON(ERR_MARK >= IDMA_MAX_ERR_RANGES);
QEMU_BUILD_BUG_ON(sizeof(IdmaTiming) != sizeof(uint32_t));
QEMU_BUILD_BUG_ON(sizeof(IdmaMemMode) != sizeof(uint32_t));

/* The engine's parameters under their names as properties */
static const struct {
    const char *member;
    const char *prop;
    size_t offset;
} idma_params[] = {
#define PARAM(member, prop) \
    { #member, prop, offsetof(IdmaEngineConfig, member) }
    PARAM(timing, "timing"),
    PARAM(n_speculation, "n-speculation"),
    PARAM(input_fifo_depth, "input-fifo-depth"),
    PARAM(pending_fifo_depth, "pending-fifo-depth"),
    PARAM(num_ax_in_flight, "num-ax-in-flight"),
    PARAM(buffer_depth, "buffer-depth"),
    PARAM(mem_mode, "memory-model"),
    PARAM(read_latency, "memory-latency"),
    PARAM(write_latency, "write-latency"),
    PARAM(mem_reads, "memory-reads"),
    PARAM(mem_writes, "memory-writes"),
    PARAM(read_interval, "read-interval"),
    PARAM(write_interval, "write-interval"),
    PARAM(bus_bytes, "bus width"),
    PARAM(max_burst_beats, "max-burst-beats"),
    PARAM(axi_id_bits, "axi-id-bits"),
    PARAM(lossless, "lossless"),
#undef PARAM
};

/* all of them and the clock */
QEMU_BUILD_BUG_ON(IDMA_DESC64_PARAMS != ARRAY_SIZE(idma_params) + 1);

/*
 * Time
 */

/* Cycles of the clock before its gate */
static uint64_t idma_free_cycles(IdmaDesc64State *s, int64_t ns)
{
    return muldiv64(ns, s->clock_frequency, NANOSECONDS_PER_SECOND);
}

static uint64_t idma_ns_to_cycle(IdmaDesc64State *s, int64_t ns)
{
    uint64_t cycles = s->clock_on ? idma_free_cycles(s, ns) : s->gated_since;

    return cycles - s->cycles_gated;
}

/*
 * The first nanosecond that belongs to the cycle or is later.  A cycle beyond
 * the end of time, which only a saved state can name, never comes.
 */
static int64_t idma_cycle_to_ns(IdmaDesc64State *s, uint64_t cycle)
{
    uint64_t end = (INT64_MAX / NANOSECONDS_PER_SECOND - 1) *
                   (uint64_t)s->clock_frequency;

    /* the difference wraps where the virtual clock was set back */
    if (cycle >= end || cycle + s->cycles_gated >= end) {
        return INT64_MAX;
    }
    cycle += s->cycles_gated;
    return muldiv64_round_up(cycle, NANOSECONDS_PER_SECOND,
                             s->clock_frequency);
}

static uint64_t idma_cycle_now(IdmaDesc64State *s)
{
    return idma_ns_to_cycle(s, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL));
}

/* When a register access happens, as the engine counts (see above) */
static uint64_t idma_access_cycle(IdmaDesc64State *s)
{
    uint64_t now = idma_cycle_now(s);

    return idma_engine_next(&s->engine) > now ? now
                                              : idma_engine_now(&s->engine);
}

static void idma_arm(IdmaDesc64State *s)
{
    uint64_t next = idma_engine_next(&s->engine);

    if (next == IDMA_NEVER || !s->clock_on || s->in_reset) {
        timer_del(s->timer);
    } else {
        timer_mod(s->timer, MAX(idma_cycle_to_ns(s, next), s->not_before));
    }
}

static void idma_launch_held(IdmaDesc64State *s)
{
    while (s->num_held && idma_engine_can_launch(&s->engine)) {
        IdmaHeldWrite *w = &s->held[0];

        if (idma_engine_reg_write(&s->engine, idma_engine_now(&s->engine),
                                  w->offset, w->size,
                                  w->value) == IDMA_REG_STALL) {
            break;
        }
        s->num_held--;
        memmove(&s->held[0], &s->held[1], s->num_held * sizeof(s->held[0]));
    }
}

static uint64_t idma_bytes(IdmaDesc64State *s)
{
    return s->engine.stats.bytes_read + s->engine.stats.bytes_written;
}

static void idma_run_chunk(IdmaDesc64State *s, uint64_t until, unsigned steps)
{
    /* A held launch goes in the moment there is room: look each step. */
    idma_engine_run(&s->engine, until, s->num_held ? 1 : steps);
    idma_launch_held(s);
}

/* Both return whether there was more to do than their bounds allow. */
static bool idma_run_counted(IdmaDesc64State *s, uint64_t until)
{
    uint64_t bytes = idma_bytes(s);

    for (unsigned steps = 0; idma_engine_next(&s->engine) <= until;
         steps += IDMA_CHUNK_STEPS) {
        if (steps >= IDMA_CALLBACK_STEPS ||
            idma_bytes(s) - bytes >= IDMA_CALLBACK_BYTES) {
            return true;
        }
        idma_run_chunk(s, until, IDMA_CHUNK_STEPS);
    }
    return false;
}

static bool idma_run_timed(IdmaDesc64State *s, uint64_t until)
{
    int64_t begin = g_get_monotonic_time();
    int64_t last = begin;
    unsigned chunk = 1;

    while (idma_engine_next(&s->engine) <= until) {
        int64_t now;

        idma_run_chunk(s, until, chunk);
        now = g_get_monotonic_time();
        if (now - begin >= IDMA_CALLBACK_US) {
            return idma_engine_next(&s->engine) <= until;
        }
        chunk = now - last > IDMA_CHUNK_US
                ? 1 : MIN(2 * chunk, IDMA_CHUNK_STEPS_MAX);
        last = now;
    }
    return false;
}

static void idma_run(void *opaque)
{
    IdmaDesc64State *s = opaque;
    MemReentrancyGuard *guard = &DEVICE(s)->mem_reentrancy_guard;
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    uint64_t until = idma_ns_to_cycle(s, now);
    /* All engines rest at the same time, or the lock would never be free. */
    static int64_t rest_until;
    bool more;

    /* Further away than a rest is long: the clock was set back by a loadvm. */
    if (now < rest_until && rest_until - now <= IDMA_REST_NS) {
        s->not_before = rest_until;
        idma_arm(s);
        return;
    }

    /* The engine must not reach its own registers while it runs. */
    guard->engaged_in_io = true;

    /*
     * Timers that expire "now" would be run again before anything else gets
     * a turn, so the next time is later in either case.  An engine that is
     * behind does not wait for a quantum, or it would never catch up.
     */
    if (icount_enabled() || qtest_enabled()) {
        more = idma_run_counted(s, until);
        s->not_before = now + (more ? 1 : MAX(s->quantum, 1));
    } else {
        more = idma_run_timed(s, until);
        /* The run itself took time, which the rest comes after. */
        now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
        s->not_before = now + MAX(s->quantum, 1);
        if (more) {
            rest_until = now + IDMA_REST_NS;
            s->not_before = rest_until;
        }
    }

    guard->engaged_in_io = false;

    trace_idma_desc64_run(DEVICE(s)->canonical_path, until,
                          idma_engine_now(&s->engine), more);
    idma_arm(s);
}

/*
 * What the engine reaches: memory, interrupt, trace
 */

static IdmaResp idma_resp(MemTxResult result)
{
    if (result == MEMTX_OK) {
        return IDMA_RESP_OKAY;
    }
    return result & MEMTX_DECODE_ERROR ? IDMA_RESP_DECERR : IDMA_RESP_SLVERR;
}

/* Who it is that accesses memory, for devices which make a difference */
static MemTxAttrs idma_attrs(IdmaDesc64State *s)
{
    return (MemTxAttrs) { .requester_id = s->requester_id };
}

static IdmaResp idma_access(IdmaDesc64State *s, bool is_write, uint64_t addr,
                            void *buf, uint32_t len)
{
    MemTxAttrs attrs = idma_attrs(s);
    MemTxResult result = MEMTX_OK;
    /* what lies before the end of the address space; the rest wraps */
    uint64_t first = len;

    if (addr && -addr < len) {
        first = -addr;
    }
    result |= address_space_rw(&s->dma_as, addr, attrs, buf, first, is_write);
    if (first < len) {
        result |= address_space_rw(&s->dma_as, 0, attrs, (uint8_t *)buf + first,
                                   len - first, is_write);
    }
    return idma_resp(result);
}

static IdmaResp idma_read(void *opaque, const IdmaBusAttr *attr, uint64_t addr,
                          void *buf, uint32_t len)
{
    IdmaResp resp = idma_access(opaque, false, addr, buf, len);

    if (attr->kind == IDMA_BUS_FETCH) {
        /* A vCPU wrote the data before the descriptor that says so. */
        smp_rmb();
    }
    return resp;
}

static IdmaResp idma_write(void *opaque, const IdmaBusAttr *attr,
                           uint64_t addr, const void *buf, uint32_t len)
{
    if (attr->kind == IDMA_BUS_MARK) {
        /*
         * A vCPU that sees the mark must see the data.  They are written by
         * this thread one after the other: enough on x86 hosts only.
         */
        smp_wmb();
    }
    /* address_space_rw() does not write to the buffer of a write */
    return idma_access(opaque, true, addr, (void *)buf, len);
}

/* "read": the engine reads from there */
static void *idma_map(void *opaque, bool read, uint64_t addr, uint64_t *len)
{
    IdmaDesc64State *s = opaque;
    hwaddr xlat, size = MIN(*len, -addr - 1);
    MemTxAttrs attrs = idma_attrs(s);
    MemoryRegion *mr;
    void *p;

    RCU_READ_LOCK_GUARD();
    mr = address_space_translate(&s->dma_as, addr, &xlat, &size, !read, attrs);
    /* address_space_map() would bounce what is not RAM, hiding its errors */
    if (!size || !memory_access_is_direct(mr, !read, attrs)) {
        return NULL;
    }
    p = address_space_map(&s->dma_as, addr, &size, !read, attrs);
    *len = size;
    return p;
}

static void idma_unmap(void *opaque, bool read, void *p, uint64_t len)
{
    IdmaDesc64State *s = opaque;

    address_space_unmap(&s->dma_as, p, len, !read, len);
}

static void idma_irq(void *opaque, uint64_t cycle, bool new_pulse)
{
    IdmaDesc64State *s = opaque;

    /*
     * One clock is less than any guest can see, and what takes the interrupt
     * must work from the edge: no time passes between the edges here.
     */
    if (new_pulse) {
        qemu_irq_pulse(s->irq);
    }
}

static void idma_trace(void *opaque, const IdmaTraceEvent *ev)
{
    IdmaDesc64State *s = opaque;
    const char *id = DEVICE(s)->canonical_path;

    switch (ev->type) {
    case IDMA_TRACE_LAUNCH:
        trace_idma_desc64_launch(id, ev->cycle, ev->addr);
        break;
    case IDMA_TRACE_REJECT:
        trace_idma_desc64_reject(id, ev->cycle, ev->addr);
        break;
    case IDMA_TRACE_FETCH:
        trace_idma_desc64_fetch(id, ev->cycle, ev->addr, !!ev->arg);
        break;
    case IDMA_TRACE_FLUSH:
        trace_idma_desc64_flush(id, ev->cycle, ev->addr, ev->arg);
        break;
    case IDMA_TRACE_REQUEST:
        trace_idma_desc64_request(id, ev->cycle, ev->addr, ev->src, ev->dst,
                                  ev->len, ev->arg);
        break;
    case IDMA_TRACE_BURST_READ:
        trace_idma_desc64_burst_read(id, ev->cycle, ev->addr, ev->len,
                                     ev->arg);
        break;
    case IDMA_TRACE_BURST_WRITE:
        trace_idma_desc64_burst_write(id, ev->cycle, ev->addr, ev->len,
                                      ev->arg);
        break;
    case IDMA_TRACE_MARK:
        trace_idma_desc64_mark(id, ev->cycle, ev->addr, ev->arg);
        break;
    case IDMA_TRACE_IRQ:
        trace_idma_desc64_irq(id, ev->cycle, !!ev->arg);
        break;
    case IDMA_TRACE_ZERO_LENGTH:
        trace_idma_desc64_zero_length(id, ev->cycle, ev->addr);
        break;
    case IDMA_TRACE_FAULT:
        trace_idma_desc64_fault(id, ev->cycle, ev->addr, ev->arg);
        break;
    default:
        /* single beats on the bus: more than a running machine can log */
        break;
    }
}

static const IdmaEngineOps idma_ops = {
    .read = idma_read,
    .write = idma_write,
    .map = idma_map,
    .unmap = idma_unmap,
    .irq = idma_irq,
    .trace = idma_trace,
};

/*
 * Registers
 */

static void G_GNUC_PRINTF(2, 3) idma_guest_error(IdmaDesc64State *s,
                                                 const char *fmt, ...)
{
    g_autofree char *msg = NULL;
    va_list ap;

    s->stat_guest_errors++;
    if (!qemu_loglevel_mask(LOG_GUEST_ERROR)) {
        return;
    }
    va_start(ap, fmt);
    msg = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    qemu_log_mask(LOG_GUEST_ERROR, "%s: %s\n", DEVICE(s)->canonical_path, msg);
}

/*
 * Without its clock, or while it is reset, the engine answers nobody.  What a
 * SoC makes of that is a stuck bus at worst and an error response from the
 * interconnect's watchdog at best; the latter is what stops a driver here.
 */
static bool idma_answers(IdmaDesc64State *s, const char *what, hwaddr offset)
{
    if (!s->clock_on) {
        s->stat_accesses_gated++;
        idma_guest_error(s, "%s at 0x%" HWADDR_PRIx " without a clock", what,
                         offset);
        return false;
    }
    if (s->in_reset) {
        s->stat_accesses_in_reset++;
        idma_guest_error(s, "%s at 0x%" HWADDR_PRIx " during a reset", what,
                         offset);
        return false;
    }
    return true;
}

static MemTxResult idma_mmio_read(void *opaque, hwaddr offset, uint64_t *data,
                                  unsigned size, MemTxAttrs attrs)
{
    IdmaDesc64State *s = opaque;
    uint64_t value;

    if (!idma_answers(s, "read", offset)) {
        *data = UINT64_MAX;
        return MEMTX_ERROR;
    }
    value = idma_engine_reg_read(&s->engine, idma_access_cycle(s), offset,
                                 size);
    if (offset % size) {
        idma_guest_error(s, "misaligned %u-byte read at 0x%" HWADDR_PRIx,
                         size, offset);
    } else if (offset >= IDMA_REG_STATUS + 8) {
        idma_guest_error(s, "read at 0x%" HWADDR_PRIx ": no register there",
                         offset);
    }
    trace_idma_desc64_mmio_read(DEVICE(s)->canonical_path, offset, size, value);
    *data = value;
    return MEMTX_OK;
}

/*
 * The input FIFO is full.  The hardware holds the bus until there is room,
 * which holds the CPU; but its description also allows that a launch gets
 * lost.  A vCPU cannot be held here, so the launch is, unless the user wants
 * it lost; STATUS.FIFO_FULL tells the guest in either case.
 */
static void idma_stalled_write(IdmaDesc64State *s, hwaddr offset,
                               uint64_t value, unsigned size)
{
    if (s->lose_when_full || s->num_held >= ARRAY_SIZE(s->held)) {
        s->stat_launches_lost++;
        idma_guest_error(s, "DESC_ADDR written while FIFO_FULL is set, "
                         "launch of 0x%" PRIx64 " is lost", value);
        return;
    }
    s->held[s->num_held++] = (IdmaHeldWrite) {
        .value = value,
        .offset = offset,
        .size = size,
    };
    s->stat_launches_held++;
    idma_guest_error(s, "DESC_ADDR written while FIFO_FULL is set, launch of "
                     "0x%" PRIx64 " waits", value);
}

static MemTxResult idma_mmio_write(void *opaque, hwaddr offset, uint64_t value,
                                   unsigned size, MemTxAttrs attrs)
{
    IdmaDesc64State *s = opaque;
    IdmaRegResult result;

    if (!idma_answers(s, "write", offset)) {
        return MEMTX_ERROR;
    }
    trace_idma_desc64_mmio_write(DEVICE(s)->canonical_path, offset, size,
                                 value);
    if (s->num_held && offset < IDMA_REG_DESC_ADDR + 8 && !(offset % size)) {
        /* launches stay in order */
        result = IDMA_REG_STALL;
    } else {
        result = idma_engine_reg_write(&s->engine, idma_access_cycle(s),
                                       offset, size, value);
    }

    switch (result) {
    case IDMA_REG_OK:
        if (size < 8) {
            idma_guest_error(s, "%u-byte write to DESC_ADDR launches a chain "
                             "of its own, use one 64-bit store", size);
        }
        break;
    case IDMA_REG_STALL:
        idma_stalled_write(s, offset, value, size);
        break;
    case IDMA_REG_IGNORED:
        idma_guest_error(s, "write of 0x%" PRIx64 " at 0x%" HWADDR_PRIx
                         ": no writable register there", value, offset);
        break;
    case IDMA_REG_BAD:
        idma_guest_error(s, "misaligned %u-byte write at 0x%" HWADDR_PRIx,
                         size, offset);
        break;
    }
    idma_arm(s);
    return MEMTX_OK;
}

static const MemoryRegionOps idma_mmio_ops = {
    .read_with_attrs = idma_mmio_read,
    .write_with_attrs = idma_mmio_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    /* Misaligned accesses come here to be reported, not to be served. */
    .valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
    .impl = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
};

/*
 * The reset line and the gate of the clock
 */

static bool idma_busy(IdmaDesc64State *s)
{
    return idma_engine_reg_read(&s->engine, idma_access_cycle(s),
                                IDMA_REG_STATUS, 8) & 1;
}

static void idma_restart(IdmaDesc64State *s)
{
    timer_del(s->timer);
    s->num_held = 0;
    s->not_before = 0;
    idma_engine_reset(&s->engine, idma_cycle_now(s));
    /* a stuck or hung engine may have something to do right away */
    idma_arm(s);
}

static void idma_set_reset(IdmaDesc64State *s, bool on)
{
    if (on == s->in_reset) {
        return;
    }
    s->in_reset = on;
    s->stat_resets += on;
    idma_restart(s);
}

static void idma_set_clock(IdmaDesc64State *s, bool on)
{
    uint64_t cycles = idma_free_cycles(s,
                                       qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL));

    if (on == s->clock_on) {
        return;
    }
    if (on) {
        s->cycles_gated += cycles - s->gated_since;
        s->stat_clock_enables++;
    } else {
        /* which freezes it, and is nothing that a driver should do */
        s->stat_gated_busy += !s->in_reset && idma_busy(s);
        s->gated_since = cycles;
    }
    s->clock_on = on;
    idma_arm(s);
}

static uint64_t idma_control_read(void *opaque, hwaddr offset, unsigned size)
{
    IdmaDesc64State *s = opaque;

    switch (offset) {
    case IDMA_CONTROL_RESET:
        return s->in_reset;
    case IDMA_CONTROL_CLOCK:
        return s->clock_on;
    default:
        idma_guest_error(s, "read at 0x%" HWADDR_PRIx " of the control region:"
                         " nothing there", offset);
        return 0;
    }
}

static void idma_control_write(void *opaque, hwaddr offset, uint64_t value,
                               unsigned size)
{
    IdmaDesc64State *s = opaque;

    switch (offset) {
    case IDMA_CONTROL_RESET:
        idma_set_reset(s, value & 1);
        break;
    case IDMA_CONTROL_CLOCK:
        idma_set_clock(s, value & 1);
        break;
    default:
        idma_guest_error(s, "write at 0x%" HWADDR_PRIx " of the control "
                         "region: nothing there", offset);
        break;
    }
}

static const MemoryRegionOps idma_control_ops = {
    .read = idma_control_read,
    .write = idma_control_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 4, .max_access_size = 4 },
    .impl = { .min_access_size = 4, .max_access_size = 4 },
};

/*
 * Faults: properties that may be set at any time
 */

typedef enum IdmaFaultPropKind {
    FAULT_COUNT,
    FAULT_SIZE,
    FAULT_BOOL,
} IdmaFaultPropKind;

typedef struct IdmaFaultProp {
    const char *name;
    IdmaFaultPropKind kind;
    size_t offset;              /* in IdmaEngineFaults, a uint64_t */
    uint64_t max;
    const char *description;
} IdmaFaultProp;

#define FAULT(name, kind, member, max, description) \
    { name, kind, offsetof(IdmaEngineFaults, member), max, description }

#define FAULT_BASE(what, i, accesses) \
    FAULT("error-" what "-base", FAULT_COUNT, err[i].base, UINT64_MAX, \
          "First bus address at which " accesses " get a bus error")
#define FAULT_SPAN(what, i, accesses) \
    FAULT("error-" what "-size", FAULT_SIZE, err[i].size, UINT64_MAX, \
          "Bytes from error-" what "-base on at which " accesses \
          " get a bus error (0: none)")
#define FAULT_NTH(what, i, accesses) \
    FAULT("error-" what "-nth", FAULT_COUNT, err[i].nth, INT64_MAX, \
          "Only the n-th of the " accesses " in the range (0: no limit)")
#define FAULT_EVERY(what, i, accesses) \
    FAULT("error-" what "-every", FAULT_COUNT, err[i].every, INT64_MAX, \
          "Only every k-th of the " accesses " in the range (0: all)")

static const IdmaFaultProp idma_fault_props[] = {
    FAULT("drop-irq-nth", FAULT_COUNT, drop_irq_nth, INT64_MAX,
          "Drop the n-th interrupt (0: none)"),
    FAULT("drop-irq-every", FAULT_COUNT, drop_irq_every, INT64_MAX,
          "Drop every k-th interrupt (0: none, 1: all)"),
    FAULT("delay-irq-cycles", FAULT_COUNT, delay_irq, UINT32_MAX,
          "Raise each interrupt this many clock cycles late"),
    FAULT("hang-from-desc", FAULT_COUNT, hang_from, INT64_MAX,
          "The n-th descriptor and later ones never complete (0: none)"),
    FAULT("skip-write-nth", FAULT_COUNT, skip_write_nth, INT64_MAX,
          "Silently leave out the n-th data write burst (0: none)"),
    FAULT("skip-write-every", FAULT_COUNT, skip_write_every, INT64_MAX,
          "Silently leave out every k-th data write burst (0: none)"),
    FAULT("stuck-busy", FAULT_BOOL, stuck_busy, 1,
          "STATUS.BUSY always reads as one"),
    FAULT("delay-cycles", FAULT_COUNT, delay_transfer, UINT32_MAX,
          "Clock cycles added to each transfer"),
    FAULT("delay-guess-cycles", FAULT_COUNT, delay_guess, UINT32_MAX,
          "Clock cycles between the fetch of a descriptor and its use: makes "
          "stale guesses of the prefetcher likely"),
    FAULT("error-keep-data", FAULT_BOOL, err_keep_data, 1,
          "Accesses with an injected bus error move their data all the same"),
    FAULT_BASE("read", ERR_READ, "data reads"),
    FAULT_SPAN("read", ERR_READ, "data reads"),
    FAULT_NTH("read", ERR_READ, "data reads"),
    FAULT_EVERY("read", ERR_READ, "data reads"),
    FAULT_BASE("write", ERR_WRITE, "data writes"),
    FAULT_SPAN("write", ERR_WRITE, "data writes"),
    FAULT_NTH("write", ERR_WRITE, "data writes"),
    FAULT_EVERY("write", ERR_WRITE, "data writes"),
    FAULT_BASE("fetch", ERR_FETCH, "descriptor fetches"),
    FAULT_SPAN("fetch", ERR_FETCH, "descriptor fetches"),
    FAULT_NTH("fetch", ERR_FETCH, "descriptor fetches"),
    FAULT_EVERY("fetch", ERR_FETCH, "descriptor fetches"),
    FAULT_BASE("mark", ERR_MARK, "completion marks"),
    FAULT_SPAN("mark", ERR_MARK, "completion marks"),
    FAULT_NTH("mark", ERR_MARK, "completion marks"),
    FAULT_EVERY("mark", ERR_MARK, "completion marks"),
};

#undef FAULT
#undef FAULT_BASE
#undef FAULT_SPAN
#undef FAULT_NTH
#undef FAULT_EVERY

static bool idma_faults_ok(const IdmaEngineFaults *faults, Error **errp)
{
    const char *why = NULL;
    const char *what = idma_engine_faults_check(faults, &why);

    if (what) {
        error_setg(errp, TYPE_IDMA_DESC64 ": fault switches cannot be used: "
                   "%s %s", what, why);
        return false;
    }
    return true;
}

static void idma_faults_set(IdmaDesc64State *s, const IdmaEngineFaults *faults,
                            Error **errp)
{
    if (DEVICE(s)->realized) {
        if (!idma_faults_ok(faults, errp)) {
            return;
        }
        idma_engine_set_faults(&s->engine, faults);
        idma_arm(s);
    }
    s->faults = *faults;
}

static void idma_fault_prop_get(Object *obj, Visitor *v, const char *name,
                                void *opaque, Error **errp)
{
    IdmaDesc64State *s = IDMA_DESC64(obj);
    const IdmaFaultProp *p = opaque;
    uint64_t value = *(uint64_t *)((char *)&s->faults + p->offset);
    bool on = value;

    if (p->kind == FAULT_BOOL) {
        visit_type_bool(v, name, &on, errp);
    } else {
        visit_type_uint64(v, name, &value, errp);
    }
}

static void idma_fault_prop_set(Object *obj, Visitor *v, const char *name,
                                void *opaque, Error **errp)
{
    IdmaDesc64State *s = IDMA_DESC64(obj);
    const IdmaFaultProp *p = opaque;
    IdmaEngineFaults faults = s->faults;
    uint64_t value = 0;
    bool on, ok;

    switch (p->kind) {
    case FAULT_BOOL:
        ok = visit_type_bool(v, name, &on, errp);
        value = ok && on;
        break;
    case FAULT_SIZE:
        ok = visit_type_size(v, name, &value, errp);
        break;
    default:
        ok = visit_type_uint64(v, name, &value, errp);
        break;
    }
    if (!ok) {
        return;
    }
    if (value > p->max) {
        error_setg(errp, TYPE_IDMA_DESC64 ": property '%s' takes 0 to %" PRIu64
                   ", not %" PRIu64, p->name, p->max, value);
        return;
    }
    *(uint64_t *)((char *)&faults + p->offset) = value;
    idma_faults_set(s, &faults, errp);
}

/*
 * Statistics: properties that can be read at any time
 */

typedef struct IdmaStatProp {
    const char *name;
    size_t offset;              /* in IdmaDesc64State, uint64_t */
    unsigned count;             /* how many of them to add up */
    const char *description;
} IdmaStatProp;

#define STAT(name, member, description) \
    { name, offsetof(IdmaDesc64State, member), 1, description }

static const IdmaStatProp idma_stat_props[] = {
    STAT("stat-launches", engine.stats.launches,
         "Chains launched: accepted writes to DESC_ADDR"),
    STAT("stat-launches-held", stat_launches_held,
         "Writes to DESC_ADDR that met a full input FIFO and had to wait"),
    STAT("stat-launches-lost", stat_launches_lost,
         "Writes to DESC_ADDR that met a full input FIFO and were lost"),
    STAT("stat-descriptors", engine.stats.requests,
         "Descriptors handed to the back-end"),
    STAT("stat-zero-length", engine.stats.zero_length,
         "Descriptors with length 0"),
    STAT("stat-completions", engine.stats.marks,
         "Completion marks written"),
    STAT("stat-bytes", engine.stats.bytes_written, "Bytes written"),
    STAT("stat-bytes-read", engine.stats.bytes_read, "Bytes read"),
    STAT("stat-bursts-read", engine.stats.read_bursts, "Data read bursts"),
    STAT("stat-bursts-written", engine.stats.write_bursts,
         "Data write bursts"),
    STAT("stat-fetches", engine.stats.fetches,
         "Descriptors fetched, guesses included"),
    STAT("stat-fetches-guessed", engine.stats.spec_fetches,
         "Descriptors fetched because the prefetcher guessed"),
    STAT("stat-guess-hits", engine.stats.guess_hits,
         "Guesses of the prefetcher that were right"),
    STAT("stat-guess-hits-head", engine.stats.head_hits,
         "Of these: the guess was the head of the next chain, its contents "
         "may be stale"),
    STAT("stat-flushes", engine.stats.flushes,
         "Wrong guesses: prefetched descriptors thrown away"),
    STAT("stat-irqs", engine.stats.irqs,
         "Completions that raised the interrupt line"),
    STAT("stat-irq-pulses", engine.stats.irq_pulses,
         "Rising edges of the interrupt line; completions in consecutive "
         "cycles share one"),
    STAT("stat-irqs-dropped", engine.stats.faults[IDMA_FAULT_IRQ_DROPPED],
         "Interrupts dropped by drop-irq-nth or drop-irq-every"),
    STAT("stat-irqs-delayed", engine.stats.faults[IDMA_FAULT_IRQ_DELAYED],
         "Interrupts delayed by delay-irq-cycles"),
    STAT("stat-errors-injected", engine.stats.faults[IDMA_FAULT_BUS_ERROR],
         "Bus errors injected by error-*"),
    STAT("stat-descriptors-hung", engine.stats.faults[IDMA_FAULT_HUNG],
         "Descriptors held back by hang-from-desc"),
    STAT("stat-writes-skipped",
         engine.stats.faults[IDMA_FAULT_WRITE_SKIPPED],
         "Write bursts left out by skip-write-*"),
    STAT("stat-transfers-delayed",
         engine.stats.faults[IDMA_FAULT_TRANSFER_DELAYED],
         "Transfers delayed by delay-cycles"),
    STAT("stat-guesses-delayed",
         engine.stats.faults[IDMA_FAULT_GUESS_DELAYED],
         "Fetched descriptors delayed by delay-guess-cycles"),
    {
        "stat-bus-errors", offsetof(IdmaDesc64State, engine.stats.bus_errors),
        IDMA_BUS_KINDS,
        "Accesses answered with an error, injected or not, which the "
        "hardware ignores"
    },
    STAT("stat-bus-errors-fetch", engine.stats.bus_errors[IDMA_BUS_FETCH],
         "Of these: descriptor fetches"),
    STAT("stat-bus-errors-read", engine.stats.bus_errors[IDMA_BUS_READ],
         "Of these: data reads"),
    STAT("stat-bus-errors-write", engine.stats.bus_errors[IDMA_BUS_WRITE],
         "Of these: data writes"),
    STAT("stat-bus-errors-mark", engine.stats.bus_errors[IDMA_BUS_MARK],
         "Of these: completion marks"),
    STAT("stat-last-error-address", engine.stats.last_error_addr,
         "Bus address of the last access answered with an error"),
    STAT("stat-busy-cycles", engine.stats.busy_cycles,
         "Clock cycles with STATUS.BUSY set"),
    STAT("stat-guest-errors", stat_guest_errors,
         "Register accesses that no correct driver makes"),
    STAT("stat-accesses-gated", stat_accesses_gated,
         "Of these: without a clock (control=on)"),
    STAT("stat-accesses-in-reset", stat_accesses_in_reset,
         "Of these: while the engine was held in reset (control=on)"),
    STAT("stat-gated-busy", stat_gated_busy,
         "Times that the clock was gated while the engine was busy"),
    STAT("stat-clock-on", clock_on, "1 while the engine has a clock"),
    STAT("stat-clock-enables", stat_clock_enables,
         "Times that the clock was switched on (control=on)"),
    STAT("stat-resets", stat_resets,
         "Times that the reset line was pulled (control=on)"),
};

#undef STAT

static void idma_stat_prop_get(Object *obj, Visitor *v, const char *name,
                               void *opaque, Error **errp)
{
    const IdmaStatProp *p = opaque;
    const uint64_t *words = (void *)((char *)IDMA_DESC64(obj) + p->offset);
    uint64_t sum = 0;

    for (unsigned i = 0; i < p->count; i++) {
        sum += words[i];
    }
    visit_type_uint64(v, name, &sum, errp);
}

/*
 * Properties that take one of two words
 */

typedef struct IdmaWordProp {
    const char *name;
    size_t offset;              /* in IdmaDesc64State, uint32_t */
    const char *words[2];
    uint32_t values[2];
    bool run_time;              /* a fault switch */
    const char *description;
} IdmaWordProp;

static const IdmaWordProp idma_word_props[] = {
    {
        "timing", offsetof(IdmaDesc64State, cfg.timing),
        { "functional", "cycle" },
        { IDMA_TIMING_FUNCTIONAL, IDMA_TIMING_CYCLE }, false,
        "functional (as fast as the host can) or cycle (as the RTL)"
    }, {
        "memory-model", offsetof(IdmaDesc64State, cfg.mem_mode),
        { "cuts", "direct" }, { IDMA_MEM_CUTS, IDMA_MEM_DIRECT }, false,
        "cuts (memory-latency on each of the five AXI channels) or direct "
        "(once an access)"
    }, {
        "fifo-full", offsetof(IdmaDesc64State, lose_when_full),
        { "hold", "lose" }, { false, true }, false,
        "What becomes of a launch that meets a full input FIFO: hold or lose"
    }, {
        "error-response", offsetof(IdmaDesc64State, faults.err[0].resp),
        { "slverr", "decerr" }, { IDMA_RESP_SLVERR, IDMA_RESP_DECERR }, true,
        "AXI response of injected bus errors: slverr or decerr"
    },
};

static void idma_word_prop_get(Object *obj, Visitor *v, const char *name,
                               void *opaque, Error **errp)
{
    const IdmaWordProp *p = opaque;
    uint32_t *field = (void *)((char *)IDMA_DESC64(obj) + p->offset);
    g_autofree char *word = g_strdup(p->words[*field == p->values[1]]);

    visit_type_str(v, name, &word, errp);
}

static void idma_word_prop_set(Object *obj, Visitor *v, const char *name,
                               void *opaque, Error **errp)
{
    IdmaDesc64State *s = IDMA_DESC64(obj);
    const IdmaWordProp *p = opaque;
    uint32_t *field = (void *)((char *)s + p->offset);
    g_autofree char *word = NULL;
    int i;

    if (DEVICE(s)->realized && !p->run_time) {
        qdev_prop_set_after_realize(DEVICE(s), name, errp);
        return;
    }
    if (!visit_type_str(v, name, &word, errp)) {
        return;
    }
    for (i = 0; i < ARRAY_SIZE(p->words); i++) {
        if (!strcmp(word, p->words[i])) {
            break;
        }
    }
    if (i == ARRAY_SIZE(p->words)) {
        error_setg(errp, TYPE_IDMA_DESC64 ": property '%s' takes %s or %s, "
                   "not %s", p->name, p->words[0], p->words[1], word);
        return;
    }
    if (p->run_time) {
        IdmaEngineFaults faults = s->faults;

        for (int r = 0; r < IDMA_MAX_ERR_RANGES; r++) {
            faults.err[r].resp = p->values[i];
        }
        idma_faults_set(s, &faults, errp);
    } else {
        *field = p->values[i];
    }
}

/*
 * Properties fixed at realize
 */

static const Property idma_desc64_properties[] = {
    DEFINE_PROP_LINK("memory", IdmaDesc64State, dma_mr, TYPE_MEMORY_REGION,
                     MemoryRegion *),
    DEFINE_PROP_UINT16("requester-id", IdmaDesc64State, requester_id, 0xd3a),
    DEFINE_PROP_UINT32("clock-frequency", IdmaDesc64State, clock_frequency,
                       IDMA_CLOCK_DEFAULT),
    DEFINE_PROP_UINT32("quantum", IdmaDesc64State, quantum, 0),
    DEFINE_PROP_UINT32("n-speculation", IdmaDesc64State, cfg.n_speculation, 4),
    DEFINE_PROP_UINT32("input-fifo-depth", IdmaDesc64State,
                       cfg.input_fifo_depth, 8),
    DEFINE_PROP_UINT32("pending-fifo-depth", IdmaDesc64State,
                       cfg.pending_fifo_depth, 8),
    DEFINE_PROP_UINT32("num-ax-in-flight", IdmaDesc64State,
                       cfg.num_ax_in_flight, 8),
    DEFINE_PROP_UINT32("buffer-depth", IdmaDesc64State, cfg.buffer_depth, 3),
    DEFINE_PROP_UINT32("memory-latency", IdmaDesc64State, memory_latency, 13),
    DEFINE_PROP_UNSIGNED_NODEFAULT("write-latency", IdmaDesc64State,
                                   write_latency, qdev_prop_uint32, uint32_t),
    DEFINE_PROP_UINT32("memory-reads", IdmaDesc64State, cfg.mem_reads, 0),
    DEFINE_PROP_UINT32("memory-writes", IdmaDesc64State, cfg.mem_writes, 0),
    DEFINE_PROP_UINT32("read-interval", IdmaDesc64State,
                       cfg.read_interval, 1),
    DEFINE_PROP_UINT32("write-interval", IdmaDesc64State,
                       cfg.write_interval, 1),
    DEFINE_PROP_UINT32("max-burst-beats", IdmaDesc64State,
                       cfg.max_burst_beats, 256),
    DEFINE_PROP_UINT32("axi-id-bits", IdmaDesc64State, cfg.axi_id_bits, 3),
    DEFINE_PROP_BIT("lossless", IdmaDesc64State, cfg.lossless, 0, false),
    DEFINE_PROP_BOOL("control", IdmaDesc64State, control, false),
    DEFINE_PROP_STRING("compatible", IdmaDesc64State, compatible),
    DEFINE_PROP_UINT32("dma-channels", IdmaDesc64State, dma_channels, 8),
    DEFINE_PROP_UINT32("input-slots", IdmaDesc64State, input_slots, 0),
    DEFINE_PROP_UINT32("pending-slots", IdmaDesc64State, pending_slots, 0),
    DEFINE_PROP_BOOL("dma-coherent", IdmaDesc64State, dma_coherent, true),
};

static const struct {
    const char *name;
    const char *description;
} idma_descriptions[] = {
    { "memory", "What the bus master sees (default: system memory)" },
    { "requester-id", "How devices know this bus master from others: a "
      "HyperLink gives it a PrivID of its own" },
    { "clock-frequency", "Clock in Hz, 1000 to 4000000000" },
    { "quantum", "Virtual time in ns that the engine does at once, late, to "
      "save time of the host, 0 to 1000000 (0: each cycle when it is due)" },
    { "n-speculation", "RTL NSpeculation: descriptors prefetched, 0 to 64" },
    { "input-fifo-depth", "RTL InputFifoDepth: chain heads, 1 to 64" },
    { "pending-fifo-depth", "RTL PendingFifoDepth, 1 to 64" },
    { "num-ax-in-flight", "RTL NumAxInFlight: bursts in flight, 2 to 64" },
    { "buffer-depth", "RTL BufferDepth: beats between read and write, "
                      "2 to 64" },
    { "memory-latency", "Clock cycles to memory, 0 to 1000, as memory-model "
                        "has it" },
    { "write-latency", "The same for writes, memory-model direct only "
                       "(default: as memory-latency)" },
    { "memory-reads", "timing=cycle: read transactions that memory takes "
                      "before it has answered the first, 0 to 512 "
                      "(0: no limit)" },
    { "memory-writes", "The same for writes" },
    { "read-interval", "Cycles of memory per beat read, 1 to 256" },
    { "write-interval", "Cycles of memory per beat written, 1 to 256" },
    { "max-burst-beats", "Longest AXI burst, a power of two, 1 to 256" },
    { "axi-id-bits", "Width of AXI IDs, 1 to 8" },
    { "lossless", "timing=cycle: the RTL's pending-address FIFO, one entry "
                  "too small, never loses an entry" },
    { "control", "A reset line and a gated clock for the guest: a region of "
                 "control words, driven by reset-simple and gpio-mmio" },
    { "compatible", "Device tree: compatible string "
                    "(default eth,idma-desc64)" },
    { "dma-channels", "Device tree: dma-channels, 1 to 256" },
    { "input-slots", "Device tree: eth,input-slots, 1 to 64 "
                     "(0: input-fifo-depth)" },
    { "pending-slots", "Device tree: eth,pending-slots, 1 to 1024 "
                       "(0: no such property)" },
    { "dma-coherent", "Device tree: dma-coherent (off: dma-noncoherent)" },
};

static bool idma_in_range(const char *prop, uint32_t value, uint32_t min,
                          uint32_t max, Error **errp)
{
    if (value < min || value > max) {
        error_setg(errp, TYPE_IDMA_DESC64 ": property '%s' takes %" PRIu32
                   " to %" PRIu32 ", not %" PRIu32, prop, min, max, value);
        return false;
    }
    return true;
}

static bool idma_config_ok(const IdmaEngineConfig *cfg, Error **errp)
{
    const char *why = NULL;
    const char *member = idma_engine_config_check(cfg, &why);

    if (!member) {
        return true;
    }
    for (int i = 0; i < ARRAY_SIZE(idma_params); i++) {
        if (!strcmp(member, idma_params[i].member)) {
            error_setg(errp, TYPE_IDMA_DESC64 ": property '%s': %s, not %"
                       PRIu32, idma_params[i].prop, why,
                       *(uint32_t *)((char *)cfg + idma_params[i].offset));
            return false;
        }
    }
    error_setg(errp, TYPE_IDMA_DESC64 ": %s: %s", member, why);
    return false;
}

/*
 * Life
 */

static void idma_desc64_realize(DeviceState *dev, Error **errp)
{
    IdmaDesc64State *s = IDMA_DESC64(dev);

    if (s->write_latency == IDMA_LATENCY_SAME) {
        s->write_latency = s->memory_latency;
    }
    if (s->cfg.mem_mode == IDMA_MEM_CUTS &&
        s->write_latency != s->memory_latency) {
        error_setg(errp, TYPE_IDMA_DESC64 ": property 'write-latency' (%"
                   PRIu32 ") can differ from memory-latency (%" PRIu32
                   ") only with memory-model=direct", s->write_latency,
                   s->memory_latency);
        return;
    }
    s->cfg.read_latency = s->memory_latency;
    s->cfg.write_latency = s->write_latency;
    if (!idma_in_range("clock-frequency", s->clock_frequency, IDMA_CLOCK_MIN,
                       IDMA_CLOCK_MAX, errp) ||
        !idma_in_range("quantum", s->quantum, 0, IDMA_QUANTUM_MAX, errp) ||
        !idma_in_range("dma-channels", s->dma_channels, 1,
                       IDMA_DMA_CHANNELS_MAX, errp) ||
        !idma_in_range("input-slots", s->input_slots, 0, IDMA_MAX_FIFO,
                       errp) ||
        !idma_in_range("pending-slots", s->pending_slots, 0, 1024, errp) ||
        !idma_config_ok(&s->cfg, errp) || !idma_faults_ok(&s->faults, errp)) {
        return;
    }
    if (!s->compatible) {
        s->compatible = g_strdup("eth,idma-desc64");
    } else if (!*s->compatible) {
        error_setg(errp, TYPE_IDMA_DESC64 ": property 'compatible' is empty");
        return;
    }
    if (!s->input_slots) {
        s->input_slots = s->cfg.input_fifo_depth;
    }
    if (s->control) {
        memory_region_init_io(&s->control_mr, OBJECT(dev), &idma_control_ops,
                              s, TYPE_IDMA_DESC64 "-control",
                              IDMA_CONTROL_SIZE);
        sysbus_init_mmio(SYS_BUS_DEVICE(dev), &s->control_mr);
    }

    if (!idma_engine_init(&s->engine, &s->cfg, &idma_ops, s) ||
        !idma_engine_set_faults(&s->engine, &s->faults)) {
        g_assert_not_reached();
    }
    address_space_init(&s->dma_as, s->dma_mr ?: get_system_memory(),
                       TYPE_IDMA_DESC64 "-dma");
    s->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, idma_run, s);
}

static void idma_desc64_unrealize(DeviceState *dev)
{
    IdmaDesc64State *s = IDMA_DESC64(dev);

    timer_free(s->timer);
    s->timer = NULL;
    address_space_destroy(&s->dma_as);
}

static void idma_desc64_reset_enter(Object *obj, ResetType type)
{
    IdmaDesc64State *s = IDMA_DESC64(obj);

    trace_idma_desc64_reset(DEVICE(s)->canonical_path);
    if (s->control) {
        s->in_reset = 1;
        s->clock_on = 0;
        s->gated_since = idma_free_cycles(s,
            qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL));
    }
    s->cycles_gated = 0;
    idma_restart(s);
}

static void idma_desc64_reset_hold(Object *obj, ResetType type)
{
    qemu_irq_lower(IDMA_DESC64(obj)->irq);
}

static void idma_desc64_instance_init(Object *obj)
{
    IdmaDesc64State *s = IDMA_DESC64(obj);

    idma_engine_config_default(&s->cfg);
    s->clock_on = 1;
    s->write_latency = IDMA_LATENCY_SAME;
    for (int i = 0; i < IDMA_MAX_ERR_RANGES; i++) {
        s->faults.err[i].resp = IDMA_RESP_SLVERR;
    }
    s->faults.err[ERR_READ].kinds = 1u << IDMA_BUS_READ;
    s->faults.err[ERR_WRITE].kinds = 1u << IDMA_BUS_WRITE;
    s->faults.err[ERR_FETCH].kinds = 1u << IDMA_BUS_FETCH;
    s->faults.err[ERR_MARK].kinds = 1u << IDMA_BUS_MARK;

    s->vm_engine_version = IDMA_ENGINE_STATE_VERSION;
    s->vm_engine_words = IDMA_ENGINE_STATE_WORDS;
    s->vm_stats_words = IDMA_ENGINE_STATS_WORDS;

    memory_region_init_io(&s->iomem, obj, &idma_mmio_ops, s, TYPE_IDMA_DESC64,
                          IDMA_REGS_SIZE);
    sysbus_init_mmio(SYS_BUS_DEVICE(obj), &s->iomem);
    sysbus_init_irq(SYS_BUS_DEVICE(obj), &s->irq);
}

/*
 * Migration and snapshots.  The state of the engine is one array of words,
 * which makes sense only to the same engine with the same parameters; so the
 * stream carries the parameters, too, and the other side compares.
 */

static int idma_desc64_pre_save(void *opaque)
{
    IdmaDesc64State *s = opaque;
    unsigned i;

    for (i = 0; i < ARRAY_SIZE(idma_params); i++) {
        s->vm_params[i] = *(uint32_t *)((char *)&s->cfg +
                                        idma_params[i].offset);
    }
    s->vm_params[i] = s->clock_frequency;

    s->vm.faults = s->faults;
    memcpy(s->vm.words, s->engine.words, sizeof(s->vm.words));
    memcpy(s->vm.stats_words, s->engine.stats_words,
           sizeof(s->vm.stats_words));
    memcpy(s->vm.held, s->held, sizeof(s->vm.held));
    s->vm.num_held = s->num_held;
    s->vm.stat_guest_errors = s->stat_guest_errors;
    s->vm.stat_launches_held = s->stat_launches_held;
    s->vm.stat_launches_lost = s->stat_launches_lost;
    s->vm.control = s->control;
    s->vm.in_reset = s->in_reset;
    s->vm.clock_on = s->clock_on;
    s->vm.cycles_gated = s->cycles_gated;
    s->vm.gated_since = s->gated_since;
    s->vm.stat_accesses_gated = s->stat_accesses_gated;
    s->vm.stat_accesses_in_reset = s->stat_accesses_in_reset;
    s->vm.stat_gated_busy = s->stat_gated_busy;
    s->vm.stat_clock_enables = s->stat_clock_enables;
    s->vm.stat_resets = s->stat_resets;
    return 0;
}

/* A stream without the control region's part says so by its absence. */
static int idma_desc64_pre_load(void *opaque)
{
    IdmaDesc64State *s = opaque;

    s->vm.control = false;
    return 0;
}

static char *idma_param_text(const char *prop, uint32_t value)
{
    for (int i = 0; i < ARRAY_SIZE(idma_word_props); i++) {
        const IdmaWordProp *p = &idma_word_props[i];

        for (int w = 0; w < ARRAY_SIZE(p->words); w++) {
            if (!strcmp(p->name, prop) && p->values[w] == value) {
                return g_strdup(p->words[w]);
            }
        }
    }
    return g_strdup_printf("%" PRIu32, value);
}

static bool idma_param_matches(const char *prop, uint32_t here, uint32_t there)
{
    g_autofree char *here_text = idma_param_text(prop, here);
    g_autofree char *there_text = idma_param_text(prop, there);

    if (here != there) {
        error_report(TYPE_IDMA_DESC64 ": property '%s' is %s, but %s where "
                     "the state was saved", prop, here_text, there_text);
    }
    return here == there;
}

static bool idma_params_match(IdmaDesc64State *s)
{
    bool match = true;
    unsigned i;

    for (i = 0; i < ARRAY_SIZE(idma_params); i++) {
        match &= idma_param_matches(idma_params[i].prop,
                                    *(uint32_t *)((char *)&s->cfg +
                                                  idma_params[i].offset),
                                    s->vm_params[i]);
    }
    match &= idma_param_matches("clock-frequency", s->clock_frequency,
                                s->vm_params[i]);
    return match;
}

static bool idma_held_ok(IdmaDesc64State *s)
{
    if (s->num_held > ARRAY_SIZE(s->held)) {
        return false;
    }
    for (unsigned i = 0; i < s->num_held; i++) {
        IdmaHeldWrite *w = &s->held[i];

        if ((w->size != 1 && w->size != 2 && w->size != 4 && w->size != 8) ||
            w->offset >= IDMA_REG_DESC_ADDR + 8 || w->offset % w->size) {
            return false;
        }
    }
    return true;
}

static bool idma_loaded_state_ok(IdmaDesc64State *s)
{
    const char *why = NULL;
    Error *err = NULL;

    if (!idma_params_match(s)) {
        return false;
    }
    if (s->control != s->vm.control) {
        error_report(TYPE_IDMA_DESC64 ": property 'control' is %s, but %s "
                     "where the state was saved", s->control ? "on" : "off",
                     s->vm.control ? "on" : "off");
        return false;
    }
    if (s->in_reset > 1 || s->clock_on > 1) {
        error_report(TYPE_IDMA_DESC64 ": saved state is bad: control words");
        return false;
    }
    if (!idma_faults_ok(&s->faults, &err)) {
        error_report_err(err);
        return false;
    }
    if (!idma_held_ok(s)) {
        error_report(TYPE_IDMA_DESC64 ": saved state is bad: held launches");
        return false;
    }
    /* The counts of the faults are in the state: keep them. */
    s->engine.faults = s->faults;
    if (!idma_engine_state_valid(&s->engine, &why)) {
        error_report(TYPE_IDMA_DESC64 ": saved state is bad: %s", why);
        return false;
    }
    return true;
}

static int idma_desc64_post_load(void *opaque, int version_id)
{
    IdmaDesc64State *s = opaque;

    s->faults = s->vm.faults;
    memcpy(s->engine.words, s->vm.words, sizeof(s->vm.words));
    memcpy(s->engine.stats_words, s->vm.stats_words,
           sizeof(s->vm.stats_words));
    memcpy(s->held, s->vm.held, sizeof(s->vm.held));
    s->num_held = s->vm.num_held;
    s->stat_guest_errors = s->vm.stat_guest_errors;
    s->stat_launches_held = s->vm.stat_launches_held;
    s->stat_launches_lost = s->vm.stat_launches_lost;
    if (s->vm.control) {
        s->in_reset = s->vm.in_reset;
        s->clock_on = s->vm.clock_on;
        s->cycles_gated = s->vm.cycles_gated;
        s->gated_since = s->vm.gated_since;
        s->stat_accesses_gated = s->vm.stat_accesses_gated;
        s->stat_accesses_in_reset = s->vm.stat_accesses_in_reset;
        s->stat_gated_busy = s->vm.stat_gated_busy;
        s->stat_clock_enables = s->vm.stat_clock_enables;
        s->stat_resets = s->vm.stat_resets;
    }

    timer_del(s->timer);
    s->not_before = 0;
    if (!idma_loaded_state_ok(s)) {
        /* Whoever goes on after a failed loadvm meets an idle engine. */
        s->num_held = 0;
        s->in_reset = 0;
        s->clock_on = 1;
        s->cycles_gated = 0;
        s->faults = (IdmaEngineFaults) { };
        s->engine.faults = s->faults;
        idma_engine_reset(&s->engine, idma_cycle_now(s));
        return -EINVAL;
    }
    idma_arm(s);
    return 0;
}

static const VMStateDescription vmstate_idma_held = {
    .name = TYPE_IDMA_DESC64 "/held",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(value, IdmaHeldWrite),
        VMSTATE_UINT32(offset, IdmaHeldWrite),
        VMSTATE_UINT32(size, IdmaHeldWrite),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_idma_err_range = {
    .name = TYPE_IDMA_DESC64 "/error-range",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(base, IdmaErrRange),
        VMSTATE_UINT64(size, IdmaErrRange),
        VMSTATE_UINT32(kinds, IdmaErrRange),
        VMSTATE_UINT32(resp, IdmaErrRange),
        VMSTATE_UINT64(nth, IdmaErrRange),
        VMSTATE_UINT64(every, IdmaErrRange),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_idma_faults = {
    .name = TYPE_IDMA_DESC64 "/faults",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(drop_irq_nth, IdmaEngineFaults),
        VMSTATE_UINT64(drop_irq_every, IdmaEngineFaults),
        VMSTATE_UINT64(delay_irq, IdmaEngineFaults),
        VMSTATE_UINT64(hang_from, IdmaEngineFaults),
        VMSTATE_UINT64(skip_write_nth, IdmaEngineFaults),
        VMSTATE_UINT64(skip_write_every, IdmaEngineFaults),
        VMSTATE_UINT64(stuck_busy, IdmaEngineFaults),
        VMSTATE_UINT64(delay_transfer, IdmaEngineFaults),
        VMSTATE_UINT64(delay_guess, IdmaEngineFaults),
        VMSTATE_UINT64(err_keep_data, IdmaEngineFaults),
        VMSTATE_STRUCT_ARRAY(err, IdmaEngineFaults, IDMA_MAX_ERR_RANGES, 1,
                             vmstate_idma_err_range, IdmaErrRange),
        VMSTATE_END_OF_LIST()
    }
};

static bool idma_control_needed(void *opaque)
{
    return IDMA_DESC64(opaque)->control;
}

static const VMStateDescription vmstate_idma_control = {
    .name = TYPE_IDMA_DESC64 "/control",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = idma_control_needed,
    .fields = (const VMStateField[]) {
        VMSTATE_BOOL(vm.control, IdmaDesc64State),
        VMSTATE_UINT64(vm.in_reset, IdmaDesc64State),
        VMSTATE_UINT64(vm.clock_on, IdmaDesc64State),
        VMSTATE_UINT64(vm.cycles_gated, IdmaDesc64State),
        VMSTATE_UINT64(vm.gated_since, IdmaDesc64State),
        VMSTATE_UINT64(vm.stat_accesses_gated, IdmaDesc64State),
        VMSTATE_UINT64(vm.stat_accesses_in_reset, IdmaDesc64State),
        VMSTATE_UINT64(vm.stat_gated_busy, IdmaDesc64State),
        VMSTATE_UINT64(vm.stat_clock_enables, IdmaDesc64State),
        VMSTATE_UINT64(vm.stat_resets, IdmaDesc64State),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_idma_desc64 = {
    .name = TYPE_IDMA_DESC64,
    .version_id = 1,
    .minimum_version_id = 1,
    .pre_load = idma_desc64_pre_load,
    .pre_save = idma_desc64_pre_save,
    .post_load = idma_desc64_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32_EQUAL(vm_engine_version, IdmaDesc64State,
                             "the state is of another version of the engine"),
        VMSTATE_UINT32_EQUAL(vm_engine_words, IdmaDesc64State,
                             "the state is of another version of the engine"),
        VMSTATE_UINT32_EQUAL(vm_stats_words, IdmaDesc64State,
                             "the state is of another version of the engine"),
        VMSTATE_UINT32_ARRAY(vm_params, IdmaDesc64State, IDMA_DESC64_PARAMS),
        VMSTATE_STRUCT(vm.faults, IdmaDesc64State, 1, vmstate_idma_faults,
                       IdmaEngineFaults),
        VMSTATE_UINT64_ARRAY(vm.words, IdmaDesc64State,
                             IDMA_ENGINE_STATE_WORDS),
        VMSTATE_UINT64_ARRAY(vm.stats_words, IdmaDesc64State,
                             IDMA_ENGINE_STATS_WORDS),
        VMSTATE_STRUCT_ARRAY(vm.held, IdmaDesc64State, IDMA_DESC64_HELD_MAX, 1,
                             vmstate_idma_held, IdmaHeldWrite),
        VMSTATE_UINT32(vm.num_held, IdmaDesc64State),
        VMSTATE_UINT64(vm.stat_guest_errors, IdmaDesc64State),
        VMSTATE_UINT64(vm.stat_launches_held, IdmaDesc64State),
        VMSTATE_UINT64(vm.stat_launches_lost, IdmaDesc64State),
        VMSTATE_END_OF_LIST()
    },
    .subsections = (const VMStateDescription * const []) {
        &vmstate_idma_control,
        NULL
    }
};

static void idma_class_add_props(ObjectClass *klass)
{
    for (int i = 0; i < ARRAY_SIZE(idma_descriptions); i++) {
        object_class_property_set_description(klass,
                                              idma_descriptions[i].name,
                                              idma_descriptions[i].description);
    }

    for (int i = 0; i < ARRAY_SIZE(idma_word_props); i++) {
        const IdmaWordProp *p = &idma_word_props[i];

        object_class_property_add(klass, p->name, "str", idma_word_prop_get,
                                  idma_word_prop_set, NULL, (void *)p);
        object_class_property_set_description(klass, p->name, p->description);
    }
    for (int i = 0; i < ARRAY_SIZE(idma_fault_props); i++) {
        const IdmaFaultProp *p = &idma_fault_props[i];

        object_class_property_add(klass, p->name,
                                  p->kind == FAULT_BOOL ? "bool" :
                                  p->kind == FAULT_SIZE ? "size" : "uint64",
                                  idma_fault_prop_get, idma_fault_prop_set,
                                  NULL, (void *)p);
        object_class_property_set_description(klass, p->name, p->description);
    }
    for (int i = 0; i < ARRAY_SIZE(idma_stat_props); i++) {
        const IdmaStatProp *p = &idma_stat_props[i];

        object_class_property_add(klass, p->name, "uint64",
                                  idma_stat_prop_get, NULL, NULL, (void *)p);
        object_class_property_set_description(klass, p->name, p->description);
    }
}

static void idma_desc64_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);

    dc->desc = "PULP iDMA, desc64 front-end";
    dc->realize = idma_desc64_realize;
    dc->unrealize = idma_desc64_unrealize;
    dc->vmsd = &vmstate_idma_desc64;
    set_bit(DEVICE_CATEGORY_MISC, dc->categories);
    device_class_set_props(dc, idma_desc64_properties);
    idma_class_add_props(klass);
    rc->phases.enter = idma_desc64_reset_enter;
    rc->phases.hold = idma_desc64_reset_hold;
}

static const TypeInfo idma_desc64_info = {
    .name = TYPE_IDMA_DESC64,
    .parent = TYPE_DYNAMIC_SYS_BUS_DEVICE,
    .instance_size = sizeof(IdmaDesc64State),
    .instance_init = idma_desc64_instance_init,
    .class_init = idma_desc64_class_init,
};

static void idma_desc64_register_types(void)
{
    type_register_static(&idma_desc64_info);
}

type_init(idma_desc64_register_types)
