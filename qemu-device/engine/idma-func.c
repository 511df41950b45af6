/*
 * PULP iDMA engine: functional timing mode
 *
 * The same effects in the same order as the RTL, with durations that follow
 * from clock, bus width and memory latency but no cycle-by-cycle machinery:
 * a handful of events per descriptor.
 *
 *   fetch  -> sample -> resolve   descriptor prefetch, guesses included
 *   intake                        the legalizer takes a request
 *   move                          a piece of the data, read and written
 *   mark   -> acknowledge         completion, interrupt
 *
 * Every event carries the cycle it belongs to and leaves a state from which
 * the next one follows, so how idma_engine_run() is sliced does not matter.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "idma-engine-int.h"

/* Bounds of one step: bytes (IDMA_STEP_BYTES), bursts, single bus accesses. */
#define STEP_BURSTS     64
#define STEP_ACCESSES   256

#define DESC_BEATS      (IDMA_DESC_SIZE / 8)
/* Data beats that a fetch may have to let pass, at most. */
#define AHEAD_BEATS     512

typedef enum FuncEvent {
    EV_NONE,
    EV_TAKE,        /* the idle front-end takes a chain head */
    EV_FETCH,       /* a fetch is put on the bus */
    EV_SAMPLE,      /* the memory reads the descriptor */
    EV_RESOLVE,     /* it has arrived; its next is compared to the guess */
    EV_INTAKE,
    EV_MOVE,
    EV_MARK,
    EV_ACK,
} FuncEvent;

static IdmaFuncReq *req_at(IdmaEngine *e, uint64_t pos)
{
    return &e->s.f.req[pos % IDMA_FUNC_RING];
}

static uint64_t fetch_slot(const IdmaFuncState *f, uint64_t i)
{
    return (f->fetch_head + i) % IDMA_MAX_NSPEC;
}

static uint64_t max_fetches(const IdmaEngine *e)
{
    return e->cfg.n_speculation ? e->cfg.n_speculation : 1;
}

/* Requests the request FIFO could still take. */
static uint64_t free_slots(const IdmaEngine *e)
{
    return e->cfg.pending_fifo_depth - (e->s.f.tail - e->s.f.leg);
}

static bool may_fetch(const IdmaEngine *e)
{
    const IdmaFuncState *f = &e->s.f;

    return f->base_valid && f->fetch_count < max_fetches(e) &&
           free_slots(e) > f->fetch_count &&
           f->tail - min64(f->irq, f->mv) + f->fetch_count < IDMA_FUNC_RING;
}

/*
 * The legalizer runs ahead of the data by NumAxInFlight bursts, and of the
 * responses by what the buffer holds on top.
 */
static bool may_take(const IdmaEngine *e)
{
    const IdmaFuncState *f = &e->s.f;
    uint64_t ahead = f->leg - f->mv;

    if (f->leg == f->tail || e->s.f_hung) {
        return false;
    }
    if (ahead >= e->cfg.num_ax_in_flight ||
        f->leg - f->resp >= e->cfg.num_ax_in_flight + e->cfg.buffer_depth) {
        return false;
    }
    if (ahead) {
        const IdmaFuncReq *last = &f->req[(f->leg - 1) % IDMA_FUNC_RING];
        uint64_t left = last->len - (ahead == 1 && f->mv_active ? f->mv_off
                                                                : 0);

        return left <= (uint64_t)e->cfg.num_ax_in_flight *
                       burst_window(&e->cfg, last->flags);
    }
    return true;
}

static inline void earliest(uint64_t *best, FuncEvent *which, uint64_t t,
                            FuncEvent ev)
{
    if (t < *best) {
        *best = t;
        *which = ev;
    }
}

/*
 * Order within one cycle: memory is sampled before it is written, and what
 * frees room comes before what needs it.
 */
static FuncEvent next_event(const IdmaEngine *e, uint64_t *when)
{
    const IdmaFuncState *f = &e->s.f;
    const IdmaEngineConfig *cfg = &e->cfg;
    FuncEvent ev = EV_NONE;
    uint64_t best = IDMA_NEVER;

    if (f->fetch_count) {
        const IdmaFuncFetch *fetch;

        if (f->fetch_sampled < f->fetch_count) {
            fetch = &f->fetch[fetch_slot(f, f->fetch_sampled)];
            earliest(&best, &ev, fetch->t_ar + cfg->read_latency + 1,
                     EV_SAMPLE);
        }
        if (f->fetch_sampled) {
            fetch = &f->fetch[f->fetch_head % IDMA_MAX_NSPEC];
            earliest(&best, &ev,
                     max64(fetch->t_r + 2 * cfg->read_interval +
                           e->faults.delay_guess,
                           f->resolve_t + DESC_BEATS * cfg->read_interval),
                     EV_RESOLVE);
        }
    }
    if (f->mv_active) {
        earliest(&best, &ev, f->mv_t, EV_MOVE);
    }
    if (f->resp > f->mark) {
        earliest(&best, &ev,
                 max64(f->resp_t[f->mark % IDMA_FUNC_RING] + 2 + cfg_way(cfg),
                       f->mark_t + 1),
                 EV_MARK);
    }
    if (f->mark > f->irq) {
        earliest(&best, &ev,
                 max64(f->resp_t[f->irq % IDMA_FUNC_RING] + 2 +
                       cfg_write_rt(cfg), f->irq_t + 1),
                 EV_ACK);
    }
    if (may_take(e)) {
        earliest(&best, &ev,
                 max64(max64(f->req[f->leg % IDMA_FUNC_RING].t, f->leg_t),
                       f->ev),
                 EV_INTAKE);
    }
    if (may_fetch(e)) {
        earliest(&best, &ev, max64(f->ar_t, f->ev), EV_FETCH);
    }
    if (!f->base_valid && e->s.inq_count) {
        earliest(&best, &ev,
                 max64(e->s.inq[e->s.inq_head].cycle + 1, f->ev), EV_TAKE);
    }
    *when = best;
    return ev;
}

/*
 * Front-end
 */

static void ev_take(IdmaEngine *e, uint64_t cycle)
{
    IdmaFuncState *f = &e->s.f;

    f->base_addr = e->s.inq[e->s.inq_head].addr;
    f->base_valid = 1;
    idma_inq_pop(e, cycle);
    /* the prefetcher registers the address first */
    f->ar_t = cycle + (e->cfg.n_speculation ? 1 : 0);
}

static void ev_fetch(IdmaEngine *e, uint64_t cycle)
{
    IdmaFuncState *f = &e->s.f;
    IdmaFuncFetch *fetch = &f->fetch[fetch_slot(f, f->fetch_count)];
    uint64_t soonest = cycle + cfg_read_rt(&e->cfg);

    /*
     * Descriptor and data beats share one R channel, in the order of their
     * addresses.  r_free is a sum of work, not a plan: what arrives later may
     * fill the time before it.  A long transfer books far ahead, but only so
     * many of its bursts are really in front.
     */
    fetch->t_r = max64(soonest, min64(f->r_free, soonest + AHEAD_BEATS));
    f->r_free = max64(f->r_free, cycle) + DESC_BEATS * e->cfg.read_interval;
    fetch->addr = f->base_addr + f->fetch_count * IDMA_DESC_SIZE;
    fetch->t_ar = cycle;
    fetch->sampled = 0;
    e->stats.fetches++;
    if (f->fetch_count) {
        e->stats.spec_fetches++;
    }
    trace(e, IDMA_TRACE_FETCH, cycle, fetch->addr, f->fetch_count != 0);
    f->fetch_count++;
    f->ar_t = cycle + 1;
}

static void ev_sample(IdmaEngine *e, uint64_t cycle)
{
    IdmaFuncState *f = &e->s.f;
    IdmaFuncFetch *fetch = &f->fetch[fetch_slot(f, f->fetch_sampled)];

    idma_fetch(e, cycle, fetch->addr, fetch->w);
    fetch->sampled = 1;
    f->fetch_sampled++;
}

static void ev_resolve(IdmaEngine *e, uint64_t cycle)
{
    IdmaFuncState *f = &e->s.f;
    IdmaFuncFetch *fetch = &f->fetch[f->fetch_head % IDMA_MAX_NSPEC];
    IdmaFuncReq *req = req_at(e, f->tail);
    uint64_t next = fetch->w[1];
    uint64_t target = next, queued = 0, guess, dropped;
    bool from_queue = false, known = true, right;

    if (e->faults.delay_guess) {
        idma_fault_hit(e, IDMA_FAULT_GUESS_DELAYED, cycle, fetch->addr);
    }
    req->addr = fetch->addr;
    req->len = fetch->w[0] & UINT32_MAX;
    req->flags = fetch->w[0] >> 32;
    req->src = fetch->w[2];
    req->dst = fetch->w[3];
    req->t = cycle + 2;
    f->tail++;
    f->resolve_t = cycle;

    if (next == IDMA_DESC_END) {
        from_queue = idma_inq_peek(e, cycle, &queued);
        known = from_queue;
        target = queued;
    }
    /*
     * The guess counts as right whoever names the address, the descriptor or
     * a queued head; nobody asks how old the guessed descriptor's content is.
     */
    guess = f->fetch_count > 1 ? f->fetch[fetch_slot(f, 1)].addr
                               : f->base_addr + IDMA_DESC_SIZE;
    right = e->cfg.n_speculation && known && target == guess;
    if (from_queue) {
        idma_inq_pop(e, cycle);
    }
    if (right && f->fetch_count > 1) {
        e->stats.guess_hits++;
        if (from_queue) {
            e->stats.head_hits++;
        }
        f->fetch_head = fetch_slot(f, 1);
        f->fetch_count--;
        f->fetch_sampled--;
        f->base_addr = target;
        return;
    }
    dropped = f->fetch_count - 1;
    if (dropped) {
        e->stats.flushes++;
        trace(e, IDMA_TRACE_FLUSH, cycle, known ? target : next, dropped);
    }
    f->fetch_count = 0;
    f->fetch_sampled = 0;
    f->base_valid = known;
    f->base_addr = target;
    f->ar_t = cycle + (right ? 1 : 0);
}

/*
 * Back-end
 */

/* Bytes from address a to the end of its burst window. */
static uint64_t to_window_end(uint64_t a, uint32_t window)
{
    return window - (a & (window - 1));
}

static uint64_t beats_of(uint64_t addr, uint64_t len)
{
    return ((addr & 7) + len + 7) / 8;
}

/*
 * Lay down the next step: how many bytes (a bounded number of whole pieces,
 * a piece being what fits into one burst on both sides) and when.
 */
static void plan_step(IdmaEngine *e)
{
    IdmaFuncState *f = &e->s.f;
    const IdmaFuncReq *req = req_at(e, f->mv);
    uint32_t window = burst_window(&e->cfg, req->flags);
    uint64_t in_flight = (uint64_t)e->cfg.num_ax_in_flight * window;
    uint64_t left = req->len - f->mv_off;
    uint64_t limit = min64(left, IDMA_STEP_BYTES - IDMA_BURST_BYTES);
    bool plain = flags_burst(req->flags, true) == AXI_BURST_INCR &&
                 flags_burst(req->flags, false) == AXI_BURST_INCR;
    uint64_t cost = 0, accesses = 0, done = 0;
    unsigned pieces = 0;

    /* a step ends where the legalizer may go on to the next request */
    if (left > in_flight) {
        limit = min64(limit, left - in_flight);
    }
    while (done < limit && pieces < STEP_BURSTS && accesses < STEP_ACCESSES) {
        uint64_t src = req->src + f->mv_off + done;
        uint64_t dst = req->dst + f->mv_off + done;
        uint64_t n = min64(min64(to_window_end(src, window),
                                 to_window_end(dst, window)), left - done);
        uint64_t r_beats = beats_of(src, n), w_beats = beats_of(dst, n);

        /* the legalizer and the write channel need two cycles per burst */
        cost += max64(2, max64(r_beats * e->cfg.read_interval,
                               w_beats * e->cfg.write_interval));
        accesses += plain ? 2 : r_beats + w_beats;
        done += n;
        pieces++;
    }
    f->mv_chunk = done;
    f->r_free += cost;
    f->mv_t = f->r_free + 1;
}

static void start_transfer(IdmaEngine *e, uint64_t cycle)
{
    IdmaFuncState *f = &e->s.f;
    IdmaFuncReq *req;

    f->mv_active = 0;
    while (f->mv < f->leg && !req_at(e, f->mv)->len) {
        f->mv++;
    }
    if (f->mv == f->leg) {
        return;
    }
    req = req_at(e, f->mv);
    f->mv_active = 1;
    f->mv_off = 0;
    f->rd_inj = f->wr_inj = f->wr_skip = f->rd_resp = f->wr_resp = 0;
    f->r_free = max64(f->r_free, max64(req->t + 1 + cfg_read_rt(&e->cfg),
                                       cycle - 1));
    if (e->faults.delay_transfer) {
        f->r_free += e->faults.delay_transfer;
        idma_fault_hit(e, IDMA_FAULT_TRANSFER_DELAYED, cycle, req->addr);
    }
    plan_step(e);
}

/* A response leads to the mark of the oldest descriptor, whose ever it is. */
static void respond(IdmaEngine *e, uint64_t t)
{
    IdmaFuncState *f = &e->s.f;
    uint64_t i = f->resp++;

    while (i > f->mark && f->resp_t[(i - 1) % IDMA_FUNC_RING] > t) {
        f->resp_t[i % IDMA_FUNC_RING] = f->resp_t[(i - 1) % IDMA_FUNC_RING];
        i--;
    }
    f->resp_t[i % IDMA_FUNC_RING] = t;
}

static void ev_intake(IdmaEngine *e, uint64_t cycle)
{
    IdmaFuncState *f = &e->s.f;
    IdmaFuncReq *req = req_at(e, f->leg);

    if (e->faults.hang_from && e->s.f_req + 1 >= e->faults.hang_from) {
        e->s.f_hung = 1;
        idma_fault_hit(e, IDMA_FAULT_HUNG, cycle, req->addr);
        return;
    }
    e->s.f_req++;
    req->t = cycle;
    f->leg++;
    f->leg_t = cycle + 1;
    e->stats.requests++;
    if (e->ops->trace) {
        IdmaTraceEvent ev = {
            .type = IDMA_TRACE_REQUEST, .cycle = cycle, .addr = req->addr,
            .src = req->src, .dst = req->dst, .len = req->len,
            .arg = req->flags,
        };
        e->ops->trace(e->opaque, &ev);
    }
    if (!req->len) {
        e->stats.zero_length++;
        trace(e, IDMA_TRACE_ZERO_LENGTH, cycle, req->addr, 0);
        respond(e, cycle);
    }
    if (!f->mv_active) {
        start_transfer(e, cycle);
    }
}

/*
 * One side of a piece, n bytes from off bytes into a burst, whose type makes
 * beats go elsewhere.
 */
static IdmaResp unrolled(IdmaEngine *e, const IdmaBusAttr *attr, IdmaResp inj,
                         uint64_t burst, uint32_t len, uint32_t off,
                         uint8_t *buf, uint32_t n)
{
    uint32_t beats = beats_of(burst, len);
    uint32_t at = (burst & 7) + off, end = at + n;
    IdmaResp resp = IDMA_RESP_OKAY;

    while (at < end) {
        uint32_t part = min64(8 - (at & 7), end - at);
        uint64_t a = beat_addr(attr->burst, burst, beats, at / 8) + (at & 7);
        IdmaResp r = attr->kind == IDMA_BUS_READ ?
                     idma_bus_read(e, attr, inj, a, buf, part) :
                     idma_bus_write(e, attr, inj, a, buf, part);

        if (resp == IDMA_RESP_OKAY) {
            resp = r;
        }
        buf += part;
        at += part;
    }
    return resp;
}

/* Bytes of the burst that starts at a when the other side does not split. */
static uint64_t burst_len(uint64_t a, uint64_t left, uint32_t window)
{
    return min64(left, to_window_end(a, window));
}

/* ... and how far into such a burst a is, done bytes into the transfer. */
static uint64_t burst_off(uint64_t a, uint64_t done, uint32_t window)
{
    return min64(done, a & (window - 1));
}

static void move_pieces(IdmaEngine *e, const IdmaFuncReq *req, uint64_t cycle,
                        uint32_t window)
{
    IdmaFuncState *f = &e->s.f;
    bool coupled = !(req->flags & IDMA_FLAG_DECOUPLE_RW);
    uint64_t end = f->mv_off + f->mv_chunk;
    IdmaBusAttr rd, wr;
    uint8_t buf[IDMA_BURST_BYTES];

    flags_attr(&e->cfg, req->flags, true, &rd);
    flags_attr(&e->cfg, req->flags, false, &wr);
    while (f->mv_off < end) {
        uint64_t src = req->src + f->mv_off;
        uint64_t dst = req->dst + f->mv_off;
        uint64_t left = req->len - f->mv_off;
        uint64_t n = min64(min64(to_window_end(src, window),
                                 to_window_end(dst, window)), left);
        bool rd_first = coupled || !f->mv_off || !(src & (window - 1));
        bool wr_first = coupled || !f->mv_off || !(dst & (window - 1));
        IdmaResp resp;

        if (rd_first) {
            f->rd_resp = IDMA_RESP_OKAY;
            f->rd_inj = idma_err_match(e, IDMA_BUS_READ, cycle, src,
                                       coupled ? n :
                                       burst_len(src, left, window));
            e->stats.read_bursts++;
        }
        if (rd.burst == AXI_BURST_FIXED || rd.burst == AXI_BURST_WRAP) {
            uint64_t off = coupled ? 0 : burst_off(src, f->mv_off, window);

            resp = unrolled(e, &rd, (IdmaResp)f->rd_inj, src - off,
                            coupled ? n :
                            burst_len(src - off, left + off, window), off,
                            buf, n);
        } else {
            resp = idma_bus_read(e, &rd, (IdmaResp)f->rd_inj, src, buf, n);
        }
        e->stats.bytes_read += n;
        if (resp != IDMA_RESP_OKAY && f->rd_resp == IDMA_RESP_OKAY) {
            f->rd_resp = resp;
            idma_note_resp(e, IDMA_BUS_READ, resp, src);
        }
        trace_burst(e, true, cycle, src, n, resp);

        if (wr_first) {
            f->wr_resp = IDMA_RESP_OKAY;
            f->wr_inj = idma_err_match(e, IDMA_BUS_WRITE, cycle, dst,
                                       coupled ? n :
                                       burst_len(dst, left, window));
            f->wr_skip = idma_skip_write(e, cycle, dst);
            e->stats.write_bursts++;
        }
        resp = IDMA_RESP_OKAY;
        if (!f->wr_skip) {
            if (wr.burst == AXI_BURST_FIXED || wr.burst == AXI_BURST_WRAP) {
                uint64_t off = coupled ? 0 : burst_off(dst, f->mv_off, window);

                resp = unrolled(e, &wr, (IdmaResp)f->wr_inj, dst - off,
                                coupled ? n :
                                burst_len(dst - off, left + off, window), off,
                                buf, n);
            } else {
                resp = idma_bus_write(e, &wr, (IdmaResp)f->wr_inj, dst, buf,
                                      n);
            }
            e->stats.bytes_written += n;
        }
        if (resp != IDMA_RESP_OKAY && f->wr_resp == IDMA_RESP_OKAY) {
            f->wr_resp = resp;
            idma_note_resp(e, IDMA_BUS_WRITE, resp, dst);
        }
        trace_burst(e, false, cycle, dst, n, resp);
        f->mv_off += n;
    }
}

static bool faults_touch_data(const IdmaEngine *e)
{
    unsigned i;

    if (e->faults.skip_write_nth || e->faults.skip_write_every) {
        return true;
    }
    for (i = 0; i < IDMA_MAX_ERR_RANGES; i++) {
        if (e->faults.err[i].size) {
            return true;
        }
    }
    return false;
}

/*
 * The straight way for plain memory on both sides: no bursts to look at one
 * by one, so copy what both pointers reach.  Returns the bytes moved, which
 * may be none.
 */
static uint64_t move_mapped(IdmaEngine *e, const IdmaFuncReq *req,
                            uint32_t window)
{
    IdmaFuncState *f = &e->s.f;
    uint64_t src = req->src + f->mv_off, dst = req->dst + f->mv_off;
    uint64_t len = f->mv_chunk, n = len, done = 0;
    void *from, *to;

    if (src - dst < len || dst - src < len) {
        return 0;       /* overlapping: the order of bursts shows */
    }
    from = e->ops->map(e->opaque, true, src, &n);
    if (!from) {
        return 0;
    }
    len = min64(len, n);
    n = len;
    to = e->ops->map(e->opaque, false, dst, &n);
    len = to ? min64(len, n) : 0;
    /* one piece of memory may answer at two addresses */
    if (len && ((uintptr_t)from - (uintptr_t)to < len ||
                (uintptr_t)to - (uintptr_t)from < len)) {
        len = 0;
    }
    if (len < f->mv_chunk) {
        /* end where a burst ends, so that the rest has whole bursts */
        while (done < len) {
            n = min64(to_window_end(src + done, window),
                      to_window_end(dst + done, window));
            if (n > len - done) {
                break;
            }
            done += n;
        }
        len = done;
    }
    if (len) {
        memcpy(to, from, len);
    }
    if (e->ops->unmap) {
        e->ops->unmap(e->opaque, true, from, len);
        if (to) {
            e->ops->unmap(e->opaque, false, to, len);
        }
    }
    for (done = 0; done < len; done += n) {
        n = min64(min64(to_window_end(src + done, window),
                        to_window_end(dst + done, window)), len - done);
        if (!(req->flags & IDMA_FLAG_DECOUPLE_RW)) {
            e->stats.read_bursts++;
            e->stats.write_bursts++;
        } else {
            e->stats.read_bursts += !(f->mv_off + done) ||
                                    !((src + done) & (window - 1));
            e->stats.write_bursts += !(f->mv_off + done) ||
                                     !((dst + done) & (window - 1));
        }
    }
    e->stats.bytes_read += len;
    e->stats.bytes_written += len;
    return len;
}

static void ev_move(IdmaEngine *e, uint64_t cycle)
{
    IdmaFuncState *f = &e->s.f;
    const IdmaFuncReq *req = req_at(e, f->mv);
    uint32_t window = burst_window(&e->cfg, req->flags);

    if (e->ops->map && f->mv_chunk >= IDMA_BURST_BYTES && !e->ops->trace &&
        window >= IDMA_BURST_BYTES &&
        flags_burst(req->flags, true) == AXI_BURST_INCR &&
        flags_burst(req->flags, false) == AXI_BURST_INCR &&
        !faults_touch_data(e)) {
        uint64_t n = move_mapped(e, req, window);

        f->mv_off += n;
        f->mv_chunk -= n;
    }
    move_pieces(e, req, cycle, window);
    if (f->mv_off < req->len) {
        plan_step(e);
        return;
    }
    respond(e, cycle + cfg_write_rt(&e->cfg));
    f->mv++;
    start_transfer(e, cycle);
}

/*
 * Completion
 */

static void ev_mark(IdmaEngine *e, uint64_t cycle)
{
    IdmaFuncState *f = &e->s.f;

    idma_mark(e, cycle, req_at(e, f->mark)->addr);
    f->mark++;
    f->mark_t = cycle;
}

static void ev_ack(IdmaEngine *e, uint64_t cycle)
{
    IdmaFuncState *f = &e->s.f;

    if (req_at(e, f->irq)->flags & IDMA_FLAG_IRQ) {
        idma_irq_raise(e, cycle);
    }
    f->irq++;
    f->irq_t = cycle;
}

uint64_t idma_func_next(const IdmaEngine *e, unsigned *what)
{
    uint64_t when;

    *what = next_event(e, &when);
    return when;
}

void idma_func_step(IdmaEngine *e, unsigned what, uint64_t cycle)
{
    e->s.f.ev = cycle;
    switch ((FuncEvent)what) {
    case EV_NONE:
        break;
    case EV_TAKE:
        ev_take(e, cycle);
        break;
    case EV_FETCH:
        ev_fetch(e, cycle);
        break;
    case EV_SAMPLE:
        ev_sample(e, cycle);
        break;
    case EV_RESOLVE:
        ev_resolve(e, cycle);
        break;
    case EV_INTAKE:
        ev_intake(e, cycle);
        break;
    case EV_MOVE:
        ev_move(e, cycle);
        break;
    case EV_MARK:
        ev_mark(e, cycle);
        break;
    case EV_ACK:
        ev_ack(e, cycle);
        break;
    }
}

bool idma_func_busy(const IdmaEngine *e)
{
    return e->s.f.base_valid || e->s.f.irq != e->s.f.tail;
}

bool idma_func_valid(const IdmaEngine *e, const char **why)
{
    const IdmaFuncState *f = &e->s.f;
    const uint64_t t_limit = 1ull << 62;
    uint64_t i, open = 0;

    if (f->ev > t_limit || f->ar_t > t_limit || f->resolve_t > t_limit ||
        f->leg_t > t_limit || f->mark_t > t_limit || f->irq_t > t_limit ||
        f->mv_t > t_limit || f->r_free > t_limit) {
        *why = "event cycle";
        return false;
    }
    if (f->base_valid > 1 || f->fetch_head >= IDMA_MAX_NSPEC ||
        f->fetch_count > max_fetches(e) ||
        f->fetch_sampled > f->fetch_count ||
        (f->fetch_count && !f->base_valid)) {
        *why = "fetches";
        return false;
    }
    for (i = 0; i < IDMA_MAX_NSPEC; i++) {
        if (f->fetch[i].t_ar > t_limit || f->fetch[i].t_r > t_limit ||
            f->fetch[i].sampled > 1) {
            *why = "fetch";
            return false;
        }
    }
    if (f->tail > UINT64_MAX / 2 || f->irq > f->mark || f->mark > f->resp ||
        f->resp > f->leg || f->mv > f->leg || f->leg > f->tail ||
        f->tail - min64(f->irq, f->mv) + f->fetch_count > IDMA_FUNC_RING ||
        f->tail - f->leg + f->fetch_count > e->cfg.pending_fifo_depth) {
        *why = "request ring";
        return false;
    }
    for (i = 0; i < IDMA_FUNC_RING; i++) {
        if (f->req[i].len > UINT32_MAX || f->req[i].flags > UINT32_MAX ||
            f->req[i].t > t_limit || f->resp_t[i] > t_limit) {
            *why = "request";
            return false;
        }
    }
    /* every request taken has been answered or has data still to move */
    for (i = f->mv; i < f->leg; i++) {
        open += f->req[i % IDMA_FUNC_RING].len != 0;
    }
    if (f->resp + open != f->leg) {
        *why = "responses";
        return false;
    }
    if (f->mv_active > 1 || (f->mv_active && f->mv == f->leg) ||
        (!f->mv_active && f->mv != f->leg)) {
        *why = "transfer in progress";
        return false;
    }
    if (f->mv_active) {
        const IdmaFuncReq *req = &f->req[f->mv % IDMA_FUNC_RING];

        if (f->mv_off >= req->len || !f->mv_chunk ||
            f->mv_chunk > IDMA_STEP_BYTES ||
            f->mv_chunk > req->len - f->mv_off) {
            *why = "transfer position";
            return false;
        }
    }
    if (f->rd_inj > IDMA_RESP_DECERR || f->wr_inj > IDMA_RESP_DECERR ||
        f->rd_resp > IDMA_RESP_DECERR || f->wr_resp > IDMA_RESP_DECERR ||
        f->wr_skip > 1) {
        *why = "burst in progress";
        return false;
    }
    return true;
}
