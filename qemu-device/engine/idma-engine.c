/*
 * PULP iDMA engine: configuration, registers, faults, interrupt line, and
 * the loop that drives one of the two timing modes
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "idma-engine-int.h"

/* What an AXI error subordinate answers to a read. */
#define ERROR_PATTERN       0xca11ab1ebadcab1eull

/* Cycle numbers beyond this mean a broken caller or a hostile stream. */
#define CYCLE_LIMIT         (1ull << 62)

/* The register bus completes a write every second cycle at best. */
#define LAUNCH_SPACING      2

/* Cycles from the write of an address until the FIFO counts it. */
#define FIFO_DELAY          2

void idma_engine_config_default(IdmaEngineConfig *cfg)
{
    *cfg = (IdmaEngineConfig) {
        .timing = IDMA_TIMING_FUNCTIONAL,
        .n_speculation = 4,
        .input_fifo_depth = 8,
        .pending_fifo_depth = 8,
        .num_ax_in_flight = 8,
        .buffer_depth = 3,
        .mem_mode = IDMA_MEM_CUTS,
        .read_latency = 13,
        .write_latency = 13,
        .read_interval = 1,
        .write_interval = 1,
        .bus_bytes = 8,
        .max_burst_beats = 256,
        .axi_id_bits = 3,
    };
}

const char *idma_engine_config_check(const IdmaEngineConfig *cfg,
                                     const char **why)
{
    const char *dummy;

    if (!why) {
        why = &dummy;
    }
    if (cfg->timing != IDMA_TIMING_FUNCTIONAL &&
        cfg->timing != IDMA_TIMING_CYCLE) {
        *why = "must be functional or cycle";
        return "timing";
    }
    if (cfg->n_speculation > IDMA_MAX_NSPEC) {
        *why = "must be 0..64";
        return "n_speculation";
    }
    if (!cfg->input_fifo_depth || cfg->input_fifo_depth > IDMA_MAX_FIFO) {
        *why = "must be 1..64";
        return "input_fifo_depth";
    }
    if (!cfg->pending_fifo_depth || cfg->pending_fifo_depth > IDMA_MAX_FIFO) {
        *why = "must be 1..64";
        return "pending_fifo_depth";
    }
    if (cfg->num_ax_in_flight < 2 || cfg->num_ax_in_flight > IDMA_MAX_AX) {
        *why = "must be 2..64";
        return "num_ax_in_flight";
    }
    if (cfg->buffer_depth < 2 || cfg->buffer_depth > IDMA_MAX_BUFFER) {
        *why = "must be 2..64";
        return "buffer_depth";
    }
    if (cfg->mem_mode != IDMA_MEM_CUTS && cfg->mem_mode != IDMA_MEM_DIRECT) {
        *why = "must be cuts or direct";
        return "mem_mode";
    }
    if (cfg->read_latency > IDMA_MAX_LATENCY) {
        *why = "must be 0..1000";
        return "read_latency";
    }
    if (cfg->write_latency > IDMA_MAX_LATENCY) {
        *why = "must be 0..1000";
        return "write_latency";
    }
    if (cfg->mem_mode == IDMA_MEM_CUTS &&
        cfg->write_latency != cfg->read_latency) {
        *why = "must equal read_latency when mem_mode is cuts";
        return "write_latency";
    }
    if (cfg->mem_reads > IDMA_CYC_ARS) {
        *why = "must be 0..512";
        return "mem_reads";
    }
    if (cfg->mem_writes > IDMA_CYC_ARS) {
        *why = "must be 0..512";
        return "mem_writes";
    }
    if (!cfg->read_interval || cfg->read_interval > IDMA_MAX_INTERVAL) {
        *why = "must be 1..256";
        return "read_interval";
    }
    if (!cfg->write_interval || cfg->write_interval > IDMA_MAX_INTERVAL) {
        *why = "must be 1..256";
        return "write_interval";
    }
    if (cfg->bus_bytes != 8) {
        *why = "must be 8: only the 64-bit bus is built";
        return "bus_bytes";
    }
    if (!cfg->max_burst_beats || cfg->max_burst_beats > 256 ||
        (cfg->max_burst_beats & (cfg->max_burst_beats - 1))) {
        *why = "must be a power of two, 1..256";
        return "max_burst_beats";
    }
    if (!cfg->axi_id_bits || cfg->axi_id_bits > 8) {
        *why = "must be 1..8";
        return "axi_id_bits";
    }
    if (cfg->lossless > 1) {
        *why = "must be 0 or 1";
        return "lossless";
    }
    return NULL;
}

const char *idma_engine_faults_check(const IdmaEngineFaults *faults,
                                     const char **why)
{
    const char *dummy;
    unsigned i;

    if (!why) {
        why = &dummy;
    }
    *why = "must be less than 2^32 cycles";
    if (faults->delay_irq > UINT32_MAX) {
        return "delay_irq";
    }
    if (faults->delay_transfer > UINT32_MAX) {
        return "delay_transfer";
    }
    if (faults->delay_guess > UINT32_MAX) {
        return "delay_guess";
    }
    for (i = 0; i < IDMA_MAX_ERR_RANGES; i++) {
        const IdmaErrRange *r = &faults->err[i];

        if (!r->size) {
            continue;
        }
        if (!r->kinds || r->kinds >> IDMA_BUS_KINDS) {
            *why = "kinds must name at least one kind of bus access";
            return "err";
        }
        if (r->resp != IDMA_RESP_SLVERR && r->resp != IDMA_RESP_DECERR) {
            *why = "resp must be SLVERR or DECERR";
            return "err";
        }
    }
    return NULL;
}

bool idma_engine_init(IdmaEngine *e, const IdmaEngineConfig *cfg,
                      const IdmaEngineOps *ops, void *opaque)
{
    if (!ops || !ops->read || !ops->write ||
        idma_engine_config_check(cfg, NULL)) {
        return false;
    }
    memset(e, 0, sizeof(*e));
    e->cfg = *cfg;
    e->ops = ops;
    e->opaque = opaque;
    idma_engine_reset(e, 0);
    return true;
}

void idma_engine_reset(IdmaEngine *e, uint64_t cycle)
{
    memset(&e->s, 0, sizeof(e->s));
    e->s.now = min64(cycle, CYCLE_LIMIT);
    e->s.f.ev = e->s.now;
    e->s.desc_addr = UINT64_MAX;
    idma_cycle_reset(e);
}

static bool cycle_mode(const IdmaEngine *e)
{
    return e->cfg.timing == IDMA_TIMING_CYCLE;
}

bool idma_engine_set_faults(IdmaEngine *e, const IdmaEngineFaults *faults)
{
    if (faults) {
        if (idma_engine_faults_check(faults, NULL)) {
            return false;
        }
        e->faults = *faults;
    } else {
        memset(&e->faults, 0, sizeof(e->faults));
    }
    e->s.f_irq = 0;
    e->s.f_req = 0;
    e->s.f_write = 0;
    e->s.f_hung = 0;
    memset(e->s.f_err, 0, sizeof(e->s.f_err));
    /* what a former fault held back goes on from here, not in the past */
    e->s.f.ev = e->s.now;
    if (cycle_mode(e) && idma_cycle_busy(e)) {
        e->s.c.next = e->s.now + 1;
    }
    return true;
}

/*
 * Faults
 */

void idma_fault_hit(IdmaEngine *e, IdmaFault fault, uint64_t cycle,
                    uint64_t addr)
{
    e->stats.faults[fault]++;
    trace(e, IDMA_TRACE_FAULT, cycle, addr, fault);
}

static bool counted(uint64_t count, uint64_t nth, uint64_t every)
{
    return count == nth || (every && count % every == 0);
}

IdmaResp idma_err_match(IdmaEngine *e, IdmaBusKind kind, uint64_t cycle,
                        uint64_t addr, uint64_t len)
{
    IdmaResp resp = IDMA_RESP_OKAY;
    unsigned i;

    for (i = 0; i < IDMA_MAX_ERR_RANGES; i++) {
        const IdmaErrRange *r = &e->faults.err[i];

        if (!r->size || !(r->kinds & (1u << kind)) ||
            (addr - r->base >= r->size && r->base - addr >= len)) {
            continue;
        }
        e->s.f_err[i]++;
        if (resp == IDMA_RESP_OKAY &&
            ((!r->nth && !r->every) ||
             counted(e->s.f_err[i], r->nth, r->every))) {
            resp = (IdmaResp)r->resp;
        }
    }
    if (resp != IDMA_RESP_OKAY) {
        idma_fault_hit(e, IDMA_FAULT_BUS_ERROR, cycle, addr);
    }
    return resp;
}

bool idma_skip_write(IdmaEngine *e, uint64_t cycle, uint64_t addr)
{
    e->s.f_write++;
    if (!counted(e->s.f_write, e->faults.skip_write_nth,
                 e->faults.skip_write_every)) {
        return false;
    }
    idma_fault_hit(e, IDMA_FAULT_WRITE_SKIPPED, cycle, addr);
    return true;
}

/*
 * Bus
 */

void idma_note_resp(IdmaEngine *e, IdmaBusKind kind, IdmaResp resp,
                    uint64_t addr)
{
    if (resp != IDMA_RESP_OKAY) {
        e->stats.bus_errors[kind]++;
        e->stats.last_error_addr = addr;
    }
}

IdmaResp idma_bus_read(IdmaEngine *e, const IdmaBusAttr *attr, IdmaResp inj,
                       uint64_t addr, uint8_t *buf, uint32_t len)
{
    IdmaResp resp;
    uint32_t i;

    if (inj != IDMA_RESP_OKAY && !e->faults.err_keep_data) {
        for (i = 0; i < len; i++) {
            buf[i] = ERROR_PATTERN >> (8 * ((addr + i) & 7));
        }
        return inj;
    }
    memset(buf, 0, len);
    resp = e->ops->read(e->opaque, attr, addr, buf, len);
    return inj != IDMA_RESP_OKAY ? inj : resp;
}

IdmaResp idma_bus_write(IdmaEngine *e, const IdmaBusAttr *attr, IdmaResp inj,
                        uint64_t addr, const uint8_t *buf, uint32_t len)
{
    IdmaResp resp;

    if (inj != IDMA_RESP_OKAY && !e->faults.err_keep_data) {
        return inj;
    }
    resp = e->ops->write(e->opaque, attr, addr, buf, len);
    return inj != IDMA_RESP_OKAY ? inj : resp;
}

/*
 * The front-end puts its address on the bus as it is and does not shift what
 * comes back, so the words of a misaligned descriptor are those of the
 * aligned address; it does not care for page ends either.
 */
void idma_fetch(IdmaEngine *e, uint64_t cycle, uint64_t addr, uint64_t w[4])
{
    static const IdmaBusAttr attr = {
        .kind = IDMA_BUS_FETCH, .burst = AXI_BURST_INCR,
    };
    uint64_t word = addr & ~7ull;
    uint32_t first = min64(IDMA_DESC_SIZE, 0 - word);
    IdmaResp inj = idma_err_match(e, IDMA_BUS_FETCH, cycle, word,
                                  IDMA_DESC_SIZE);
    uint8_t buf[IDMA_DESC_SIZE];
    IdmaResp resp;
    unsigned i;

    if (!word) {
        first = IDMA_DESC_SIZE;
    }
    resp = idma_bus_read(e, &attr, inj, word, buf, first);
    if (first < IDMA_DESC_SIZE) {
        IdmaResp rest = idma_bus_read(e, &attr, inj, 0, buf + first,
                                      IDMA_DESC_SIZE - first);

        resp = resp == IDMA_RESP_OKAY ? rest : resp;
    }
    idma_note_resp(e, IDMA_BUS_FETCH, resp, word);
    for (i = 0; i < 4; i++) {
        w[i] = load_le64(buf + 8 * i);
    }
}

void idma_mark(IdmaEngine *e, uint64_t cycle, uint64_t addr)
{
    static const IdmaBusAttr attr = {
        .kind = IDMA_BUS_MARK, .burst = AXI_BURST_FIXED,
    };
    uint64_t word = addr & ~7ull;
    IdmaResp inj = idma_err_match(e, IDMA_BUS_MARK, cycle, word, 8);
    uint8_t ones[8];
    IdmaResp resp;

    memset(ones, 0xff, sizeof(ones));
    resp = idma_bus_write(e, &attr, inj, word, ones, sizeof(ones));
    idma_note_resp(e, IDMA_BUS_MARK, resp, word);
    e->stats.marks++;
    trace(e, IDMA_TRACE_MARK, cycle, addr, resp);
}

/*
 * Interrupt line
 */

static void irq_pulse(IdmaEngine *e, uint64_t cycle)
{
    bool new_pulse = !e->s.irq_last || e->s.irq_last < cycle;

    e->s.irq_last = cycle + 1;
    if (new_pulse) {
        e->stats.irq_pulses++;
    }
    trace(e, IDMA_TRACE_IRQ, cycle, 0, new_pulse);
    if (e->ops->irq) {
        e->ops->irq(e->opaque, cycle, new_pulse);
    }
}

static void irq_enqueue(IdmaEngine *e, uint64_t slot)
{
    if (e->s.irq_count) {
        /* the delay may have been shortened: pulses still do not overtake */
        uint64_t last = e->s.irq_head + e->s.irq_count - 1;

        slot = max64(slot, e->s.irq_delayed[last % IDMA_IRQ_DELAY_SLOTS] + 1);
    }
    e->s.irq_delayed[(e->s.irq_head + e->s.irq_count) %
                     IDMA_IRQ_DELAY_SLOTS] = slot;
    e->s.irq_count++;
}

void idma_irq_raise(IdmaEngine *e, uint64_t cycle)
{
    e->stats.irqs++;
    e->s.f_irq++;
    if (counted(e->s.f_irq, e->faults.drop_irq_nth,
                e->faults.drop_irq_every)) {
        idma_fault_hit(e, IDMA_FAULT_IRQ_DROPPED, cycle, 0);
        return;
    }
    if (!e->faults.delay_irq && !e->s.irq_count) {
        irq_pulse(e, cycle);
        return;
    }
    if (e->faults.delay_irq) {
        idma_fault_hit(e, IDMA_FAULT_IRQ_DELAYED, cycle, 0);
    }
    if (e->s.irq_count == IDMA_IRQ_DELAY_SLOTS) {
        e->s.irq_waiting++;
    } else {
        irq_enqueue(e, cycle + e->faults.delay_irq);
    }
}

static uint64_t irq_next(const IdmaEngine *e)
{
    return e->s.irq_count ? e->s.irq_delayed[e->s.irq_head] : IDMA_NEVER;
}

static void irq_step(IdmaEngine *e, uint64_t cycle)
{
    e->s.irq_head = (e->s.irq_head + 1) % IDMA_IRQ_DELAY_SLOTS;
    e->s.irq_count--;
    if (e->s.irq_waiting) {
        e->s.irq_waiting--;
        irq_enqueue(e, cycle + e->faults.delay_irq);
    }
    irq_pulse(e, cycle);
}

/*
 * Time
 */

uint64_t idma_engine_now(const IdmaEngine *e)
{
    return e->s.now;
}

uint64_t idma_engine_next(const IdmaEngine *e)
{
    unsigned what;

    return min64(irq_next(e), cycle_mode(e) ? idma_cycle_next(e)
                                            : idma_func_next(e, &what));
}

bool idma_engine_busy(const IdmaEngine *e)
{
    return e->s.inq_count ||
           (cycle_mode(e) ? idma_cycle_busy(e) : idma_func_busy(e));
}

uint64_t idma_engine_run(IdmaEngine *e, uint64_t until_cycle,
                         uint64_t step_budget)
{
    const bool cycle = cycle_mode(e);
    uint64_t next, irq;
    unsigned what = 0;

    until_cycle = min64(until_cycle, CYCLE_LIMIT);
    for (;;) {
        irq = irq_next(e);
        next = min64(irq, cycle ? idma_cycle_next(e)
                                : idma_func_next(e, &what));
        if (next > until_cycle) {
            e->s.now = max64(e->s.now, until_cycle);
            return next;
        }
        if (!step_budget--) {
            return next;
        }
        e->s.now = max64(e->s.now, next);
        if (irq == next) {
            irq_step(e, e->s.now);
        } else if (cycle) {
            idma_cycle_step(e, e->s.now);
        } else {
            idma_func_step(e, what, e->s.now);
        }
        if (e->s.busy_since && !idma_engine_busy(e)) {
            e->stats.busy_cycles += e->s.now + 1 - e->s.busy_since;
            e->s.busy_since = 0;
        }
    }
}

/*
 * Registers
 */

/* Addresses that the FIFO itself holds in the given cycle. */
static uint64_t fifo_count(const IdmaEngine *e, uint64_t cycle)
{
    uint64_t i, n = 0;

    for (i = 0; i < e->s.inq_count; i++) {
        n += e->s.inq[idma_inq_slot(e, i)].in_fifo <= cycle;
    }
    return n;
}

/*
 * A write is let through if the FIFO had room in the cycle before, its set-up
 * phase.  The last address may have been on its way then, so that a write
 * right behind it finds the FIFO full and stays in the register.
 */
static bool accepts(const IdmaEngine *e, uint64_t cycle)
{
    return e->s.inq_count <= e->cfg.input_fifo_depth &&
           fifo_count(e, cycle - 1) < e->cfg.input_fifo_depth;
}

/* The earliest cycle in which a write that is on the bus can be through. */
static uint64_t launch_cycle(const IdmaEngine *e, uint64_t cycle)
{
    cycle = max64(cycle, e->s.inq_free);
    if (e->s.last_launch) {
        cycle = max64(cycle, e->s.last_launch - 1 + LAUNCH_SPACING);
    }
    return cycle;
}

bool idma_engine_can_launch(const IdmaEngine *e)
{
    return accepts(e, launch_cycle(e, e->s.now));
}

/* The cycle in which an access takes place; runs what is due before it. */
static uint64_t access_cycle(IdmaEngine *e, uint64_t cycle, bool launch)
{
    uint64_t next = idma_engine_next(e), t;

    cycle = max64(min64(cycle, CYCLE_LIMIT), e->s.now);
    if (next < cycle) {
        /* the caller's budget ran out: the engine is behind, and so is this */
        cycle = e->s.now;
    }
    if (launch) {
        t = launch_cycle(e, cycle);
        /* bounded: the few steps that two cycles can hold */
        if (t > cycle && accepts(e, t) && idma_engine_run(e, t - 1, 16) >= t) {
            cycle = t;
        } else {
            cycle = max64(cycle, e->s.now);
        }
    }
    e->s.now = max64(e->s.now, cycle);
    return e->s.now;
}

static bool access_ok(uint64_t offset, unsigned size)
{
    return (size == 1 || size == 2 || size == 4 || size == 8) &&
           !(offset & (size - 1));
}

IdmaRegResult idma_engine_reg_write(IdmaEngine *e, uint64_t cycle,
                                    uint64_t offset, unsigned size,
                                    uint64_t value)
{
    uint64_t mask, slot;
    unsigned shift;

    if (!access_ok(offset, size)) {
        return IDMA_REG_BAD;
    }
    if (offset >= IDMA_REG_DESC_ADDR + 8) {
        return IDMA_REG_IGNORED;
    }
    cycle = access_cycle(e, cycle, true);
    shift = 8 * offset;
    mask = (size == 8 ? UINT64_MAX : (1ull << (8 * size)) - 1) << shift;
    value = (e->s.desc_addr & ~mask) | ((value << shift) & mask);
    if (!accepts(e, cycle)) {
        e->stats.stalls++;
        trace(e, IDMA_TRACE_REJECT, cycle, value, 0);
        return IDMA_REG_STALL;
    }
    if (!e->s.busy_since) {
        e->s.busy_since = cycle + 1;
    }
    e->s.desc_addr = value;
    e->s.last_launch = cycle + 1;
    slot = idma_inq_slot(e, e->s.inq_count);
    e->s.inq[slot].addr = value;
    e->s.inq[slot].cycle = cycle;
    e->s.inq_count++;
    e->s.inq[slot].in_fifo = e->s.inq_count > e->cfg.input_fifo_depth
                             ? IDMA_NEVER : cycle + FIFO_DELAY;
    e->s.c.next = min64(e->s.c.next, cycle + 1);
    e->stats.launches++;
    trace(e, IDMA_TRACE_LAUNCH, cycle, value, 0);
    return IDMA_REG_OK;
}

uint64_t idma_engine_reg_read(IdmaEngine *e, uint64_t cycle, uint64_t offset,
                              unsigned size)
{
    uint64_t value = 0;

    if (!access_ok(offset, size)) {
        return 0;
    }
    cycle = access_cycle(e, cycle, false);
    if ((offset & ~7ull) == IDMA_REG_STATUS) {
        if (idma_engine_busy(e) || e->faults.stuck_busy) {
            value |= IDMA_STATUS_BUSY;
        }
        if (fifo_count(e, cycle) >= e->cfg.input_fifo_depth) {
            value |= IDMA_STATUS_FIFO_FULL;
        }
    }
    /* DESC_ADDR is write-only: it reads 0 and reading it launches nothing */
    value >>= 8 * (offset & 7);
    return size == 8 ? value : value & ((1ull << (8 * size)) - 1);
}

bool idma_engine_state_valid(const IdmaEngine *e, const char **why)
{
    const IdmaEngineState *s = &e->s;
    const char *dummy;
    uint64_t i;

    if (!why) {
        why = &dummy;
    }
    if (s->now > CYCLE_LIMIT || s->last_launch > CYCLE_LIMIT + 1 ||
        s->busy_since > CYCLE_LIMIT + 1 || s->inq_free > CYCLE_LIMIT + 2 ||
        s->irq_last > CYCLE_LIMIT + 1) {
        *why = "cycle counter";
        return false;
    }
    if (s->inq_head >= IDMA_INQ_SIZE ||
        s->inq_count > e->cfg.input_fifo_depth + 1ull) {
        *why = "input FIFO";
        return false;
    }
    for (i = 0; i < IDMA_INQ_SIZE; i++) {
        if (s->inq[i].cycle > CYCLE_LIMIT) {
            *why = "input FIFO cycle";
            return false;
        }
    }
    if (s->irq_head >= IDMA_IRQ_DELAY_SLOTS ||
        s->irq_count > IDMA_IRQ_DELAY_SLOTS ||
        (s->irq_waiting && s->irq_count < IDMA_IRQ_DELAY_SLOTS)) {
        *why = "delayed interrupts";
        return false;
    }
    for (i = 0; i < s->irq_count; i++) {
        if (s->irq_delayed[(s->irq_head + i) % IDMA_IRQ_DELAY_SLOTS] >
            2 * CYCLE_LIMIT) {
            *why = "delayed interrupt";
            return false;
        }
    }
    if (s->f_hung > 1) {
        *why = "fault state";
        return false;
    }
    return cycle_mode(e) ? idma_cycle_valid(e, why) : idma_func_valid(e, why);
}
