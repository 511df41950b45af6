/*
 * PULP iDMA engine: cycle-true timing mode
 *
 * The registers and FIFOs of the RTL (idma_desc64_top, idma_backend_rw_axi
 * with R-AW coupling, a two-port AXI multiplexer) and of the memory behind
 * them, stepped clock by clock.  One call of idma_cycle_step() is one clock:
 * first everything that depends on registers is worked out (struct Wires), in
 * the order in which the combinational paths run, then the registers take
 * their new values.
 *
 *   input FIFO -> address generator -> [AR] ... [R] -> gate -> reader
 *     -> request FIFO -> legalizer -> AR, datapath FIFOs, AW store
 *     [R] -> byte lanes -> [W], AW when the first W is there (coupling)
 *     [B] -> pending-address FIFO -> mark AW/W ... [B] -> interrupt
 *
 * Clocks in which nothing moves are skipped: a step that changed no register
 * asks to be called again when the next thing leaves a delay line.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "idma-engine-int.h"

#define PORT_FE         0
#define PORT_BE         1

#define META_LAST       1u
#define META_PORT_S     1
#define WMETA_STRB_S    0       /* 8 bits */
#define WMETA_FIRST     (1u << 8)
#define WMETA_LAST      (1u << 9)
#define WMETA_SKIP      (1u << 10)
#define WMETA_PORT_S    11
#define WMETA_INJ_S     12      /* 2 bits */
#define WMETA_FLAGS_S   32      /* of the descriptor */

#define DESC_BEATS      (IDMA_DESC_SIZE / 8)

/* What one clock decides before the registers change. */
typedef struct Wires {
    uint64_t t;
    bool active;

    /* front-end */
    bool feedback;              /* an address enters the pending FIFO */
    uint64_t feedback_addr;
    bool fe_ar;                 /* AR request and its address */
    uint64_t fe_ar_addr;
    bool fe_ar_spec;
    bool n_flush_valid;
    uint64_t n_flush;

    /* back-end */
    bool be_ar;
    bool req_accept;            /* legalizer or zero-length path */
    bool zero;                  /* zero-length answer in this clock */

    uint8_t pop_lanes;
    bool rsp_ready;             /* the front-end takes an answer */
    bool data_ready;            /* and, tied to it in the RTL, read data */
    bool rsp;                   /* a transfer is answered */
} Wires;

static inline uint64_t ring(uint64_t head, uint64_t i, uint64_t size)
{
    head += i;
    return head >= size ? head - size : head;
}

static inline uint8_t rot_right(uint8_t m, unsigned s)
{
    return (uint8_t)((m >> s) | (m << ((8 - s) & 7)));
}

static uint64_t backend_depth(const IdmaEngine *e)
{
    return (uint64_t)e->cfg.num_ax_in_flight + e->cfg.buffer_depth;
}

/*
 * Memory
 */

/* Bytes of a burst that beat i carries: lane of the first one, and how many. */
static inline uint32_t beat_bytes(const IdmaCycBurst *b, uint64_t i,
                                  uint32_t *lane)
{
    uint64_t off = b->addr & 7;
    uint64_t done = i ? 8 * i - off : 0;

    *lane = i ? 0 : off;
    return min64(8 - *lane, b->len - done);
}

static void read_attr(const IdmaEngine *e, const IdmaCycBurst *b,
                      IdmaBusAttr *attr)
{
    if (b->port == PORT_FE) {
        *attr = (IdmaBusAttr) { .kind = IDMA_BUS_FETCH,
                                .burst = AXI_BURST_INCR };
    } else {
        flags_attr(&e->cfg, b->flags, true, attr);
    }
}

/*
 * The memory offers one read beat per clock, in order, and samples it when it
 * does so.  In cuts mode the beats then travel through register slices which
 * can hold two each when nobody takes them.
 */
static bool mem_read(IdmaEngine *e, uint64_t t)
{
    IdmaCycState *c = &e->s.c;
    IdmaCycBurst *b = &c->mar[c->mar_head];
    uint64_t way = cfg_way(&e->cfg);
    IdmaBusAttr attr;
    IdmaResp resp;
    IdmaCycR *r;
    uint8_t buf[8] = { 0 };
    uint32_t lane, n;

    if (!c->mar_count || b->t >= t || c->read_t > t ||
        c->r_count >= (way ? 2 * way : 1)) {
        return false;
    }
    c->read_t = t + e->cfg.read_interval;
    read_attr(e, b, &attr);
    if (!c->mar_beat) {
        c->rd_inj = idma_err_match(e, (IdmaBusKind)attr.kind, t, b->addr,
                                   b->len);
        c->rd_resp = IDMA_RESP_OKAY;
        if (b->port == PORT_BE) {
            e->stats.read_bursts++;
        }
    }
    n = beat_bytes(b, c->mar_beat, &lane);
    resp = idma_bus_read(e, &attr, (IdmaResp)c->rd_inj,
                         beat_addr(attr.burst, b->addr, b->beats,
                                   c->mar_beat) + lane, buf + lane, n);
    if (resp != IDMA_RESP_OKAY && c->rd_resp == IDMA_RESP_OKAY) {
        c->rd_resp = resp;
        idma_note_resp(e, (IdmaBusKind)attr.kind, resp, b->addr);
    }
    if (b->port == PORT_BE) {
        e->stats.bytes_read += n;
    }
    r = &c->r[ring(c->r_head, c->r_count, IDMA_CYC_RBEATS)];
    r->t = t + way;
    r->data = load_le64(buf);
    r->meta = b->port << META_PORT_S;
    c->r_count++;
    if (++c->mar_beat == b->beats) {
        r->meta |= META_LAST;
        if (b->port == PORT_BE) {
            trace_burst(e, true, t, b->addr, b->len, (IdmaResp)c->rd_resp);
        }
        c->mar_beat = 0;
        c->mar_head = ring(c->mar_head, 1, IDMA_CYC_ARS);
        c->mar_count--;
    }
    return true;
}

/* Write beats reach the memory; the last one of a burst is answered. */
static bool mem_write(IdmaEngine *e, uint64_t t)
{
    IdmaCycState *c = &e->s.c;
    IdmaCycW *w = &c->w[c->w_head];
    unsigned port;
    uint8_t strb, buf[8];
    uint32_t lane = 0, n = 0;
    IdmaResp resp = IDMA_RESP_OKAY;
    IdmaBusAttr attr;

    if (!c->w_count || w->t > t) {
        return false;
    }
    port = (w->meta >> WMETA_PORT_S) & 1;
    if (port == PORT_FE) {
        idma_mark(e, t, w->burst_addr);
    } else {
        if (w->meta & WMETA_FIRST) {
            c->wm_resp = IDMA_RESP_OKAY;
        }
        strb = w->meta & 0xff;
        while (lane < 7 && !(strb >> lane & 1)) {
            lane++;
        }
        while (lane + n < 8 && (strb >> (lane + n) & 1)) {
            n++;
        }
        if (!(w->meta & WMETA_SKIP)) {
            flags_attr(&e->cfg, w->meta >> WMETA_FLAGS_S, false, &attr);
            store_le64(buf, w->data);
            resp = idma_bus_write(e, &attr,
                                  (IdmaResp)(w->meta >> WMETA_INJ_S & 3),
                                  w->addr + lane, buf + lane, n);
            e->stats.bytes_written += n;
            if (resp != IDMA_RESP_OKAY && c->wm_resp == IDMA_RESP_OKAY) {
                c->wm_resp = resp;
                idma_note_resp(e, IDMA_BUS_WRITE, resp, w->burst_addr);
            }
        }
        if (w->meta & WMETA_LAST) {
            trace_burst(e, false, t, w->burst_addr, w->burst_len,
                        (IdmaResp)c->wm_resp);
        }
    }
    c->w_head = ring(c->w_head, 1, IDMA_CYC_WBEATS);
    c->w_count--;
    return true;
}

/*
 * Front-end: which descriptor to fetch next
 */

/* Places in the request FIFO that no fetch has been promised yet. */
static uint64_t available(const IdmaEngine *e)
{
    const IdmaCycState *c = &e->s.c;
    uint64_t taken = c->req_count + (c->fetch_beat != 0);

    return taken < e->cfg.pending_fifo_depth
           ? e->cfg.pending_fifo_depth - taken : 0;
}

/* Without speculation: one fetch at a time. */
static void addr_gen_plain(IdmaEngine *e, Wires *w)
{
    IdmaCycState *c = &e->s.c;
    bool next_valid = c->fetch_beat == 2;
    bool now = next_valid && !c->next_valid_q;
    uint64_t next = now ? c->desc[1] : c->next_addr_q;
    uint64_t queued = 0;
    bool queued_valid = idma_inq_peek(e, w->t, &queued);
    bool from_queue = next == IDMA_DESC_END;

    if (available(e) && (!c->inflight || now)) {
        w->fe_ar = !from_queue || queued_valid;
        w->fe_ar_addr = from_queue ? queued : next;
    }
    w->active |= now || next_valid != c->next_valid_q;
    c->next_addr_q = next;
    c->next_valid_q = next_valid;
    if (now) {
        c->inflight = 0;
    }
}

/* ... and what changes when the AR has been granted. */
static void addr_gen_plain_granted(IdmaEngine *e, Wires *w)
{
    IdmaCycState *c = &e->s.c;

    w->feedback = true;
    w->feedback_addr = w->fe_ar_addr;
    c->inflight = 1;
    if (c->next_addr_q == IDMA_DESC_END) {
        idma_inq_pop(e, w->t);
    }
}

/*
 * With speculation: base is the descriptor known to be next; while its fetch
 * is in flight the ones behind it are fetched as well.  When base's own next
 * arrives, the oldest guess is right (commit) or all are wrong (flush).  At
 * the end of a chain a queued head is compared in the same way, however old
 * the guess may be.
 */
static void addr_gen_prefetch(IdmaEngine *e, Wires *w)
{
    IdmaCycState *c = &e->s.c;
    const uint64_t n_spec = e->cfg.n_speculation;
    uint64_t queued = 0, avail = available(e);
    bool queued_valid = idma_inq_peek(e, w->t, &queued);
    bool next_valid = c->fetch_beat == 2;
    bool now = next_valid && !c->next_valid_q;
    uint64_t next = c->desc[1];
    bool end = next == IDMA_DESC_END;
    uint64_t ar_addr = c->base_addr + c->inflight * IDMA_DESC_SIZE;
    bool ar_spec = c->inflight > 0;
    bool ar_valid = c->base_valid && n_spec > c->inflight &&
                    avail > c->inflight;
    bool ar_ready = c->ars_count < n_spec;
    bool head_valid = c->ars_count || ar_valid;
    uint64_t head_addr = c->ars_count ? c->ars[c->ars_head] : ar_addr;
    bool head_spec = c->ars_count ? c->ars_spec[c->ars_head] : ar_spec;
    bool leg_ready = !c->leg_valid;
    bool spec_ready = c->spec_count < n_spec;
    bool passes = !head_spec || (spec_ready && !c->flush_q);
    bool guess_enters = head_valid && leg_ready && head_spec && spec_ready &&
                        !c->flush_q;
    bool guess_valid = c->spec_count || guess_enters;
    uint64_t guess = c->spec_count ? c->spec[c->spec_head] : head_addr;
    uint64_t check = guess_valid ? guess : ar_addr;
    bool right = end ? queued_valid && check == queued : check == next;
    bool flush = now && !right;
    bool commit = now && right;
    bool fires, fire_spec = false;
    uint64_t fire_addr;

    if (flush) {
        fires = leg_ready && avail && (!end || queued_valid);
        fire_addr = end ? queued : next;
    } else {
        fires = leg_ready && head_valid && passes;
        fire_addr = head_addr;
        fire_spec = head_spec;
    }

    /* what is put on the bus is what may come back for marking */
    if (flush) {
        w->feedback = fires;
        w->feedback_addr = fire_addr;
    } else if (fires && !head_spec) {
        w->feedback = true;
        w->feedback_addr = head_addr;
    } else if (commit && guess_valid) {
        w->feedback = true;
        w->feedback_addr = guess;
    }

    if (commit && guess_valid) {
        e->stats.guess_hits++;
        e->stats.head_hits += end;
    }
    w->n_flush_valid = flush;
    w->n_flush = flush ? c->spec_count : 0;
    if (w->n_flush) {
        e->stats.flushes++;
        trace(e, IDMA_TRACE_FLUSH, w->t, fire_addr, w->n_flush);
    }
    w->fe_ar = c->leg_valid || fires;
    w->fe_ar_addr = c->leg_valid ? c->leg_addr : fire_addr;
    w->fe_ar_spec = c->leg_valid ? c->leg_spec : fire_spec;

    w->active |= now || fires || (ar_valid && ar_ready) || c->flush_q ||
                 next_valid != c->next_valid_q;

    /* registers */
    if (flush) {
        c->inflight = fires;
        c->ars_count = 0;
    } else {
        c->inflight += (ar_valid && ar_ready);
        c->inflight -= commit && c->inflight;
        if (ar_valid && ar_ready) {
            uint64_t i = ring(c->ars_head, c->ars_count, IDMA_MAX_NSPEC);

            c->ars[i] = ar_addr;
            c->ars_spec[i] = ar_spec;
            c->ars_count++;
        }
        if (fires) {
            c->ars_head = ring(c->ars_head, 1, IDMA_MAX_NSPEC);
            c->ars_count--;
        }
    }
    if (fires && fire_spec) {
        c->spec[ring(c->spec_head, c->spec_count, IDMA_MAX_NSPEC)] = fire_addr;
        c->spec_count++;
    }
    if (commit && guess_valid) {
        c->spec_head = ring(c->spec_head, 1, IDMA_MAX_NSPEC);
        c->spec_count--;
    }
    if (c->flush_q) {
        c->spec_count = 0;
    }
    if (fires) {
        c->leg_valid = 1;
        c->leg_addr = fire_addr;
        c->leg_spec = fire_spec;
    }
    c->flush_q = flush;
    c->next_valid_q = next_valid;

    {
        bool from_next = c->base_valid && !end;
        bool takes = !from_next && (!c->base_valid || now);

        if (from_next && now) {
            c->base_addr = next;
        } else if (takes && queued_valid) {
            c->base_addr = queued;
        }
        if (queued_valid) {
            c->base_valid = 1;
        } else if (now && end) {
            c->base_valid = 0;
        }
        if (takes && queued_valid) {
            idma_inq_pop(e, w->t);
            w->active = true;
        }
    }
}

/*
 * Back-end: legalizer
 */

static uint64_t to_window_end(uint64_t a, uint32_t window)
{
    return window - (a & (window - 1));
}

static bool request_offered(IdmaEngine *e, Wires *w)
{
    IdmaCycState *c = &e->s.c;

    if (!c->req_count || e->s.f_hung) {
        return false;
    }
    if (!c->req_held) {
        const IdmaCycReq *req = &c->req[c->req_head];

        c->req_held = 1;
        c->req_t = w->t;
        if (e->faults.delay_transfer && req->len) {
            c->req_t += e->faults.delay_transfer;
            idma_fault_hit(e, IDMA_FAULT_TRANSFER_DELAYED, w->t, req->addr);
        }
    }
    return c->req_t <= w->t;
}

static void push_read(IdmaEngine *e, uint64_t addr, uint64_t n)
{
    IdmaCycState *c = &e->s.c;
    uint64_t beats = ((addr & 7) + n + 7) / 8;

    c->rdp[ring(c->rdp_head, c->rdp_count++, IDMA_MAX_AX)] = (IdmaCycDp) {
        .offset = addr & 7, .tailer = (addr + n) & 7,
        .shift = c->read_shift, .beats = beats,
    };
    c->ar = (IdmaCycBurst) {
        .addr = addr, .len = n, .beats = beats, .flags = c->opt_flags,
        .port = PORT_BE,
    };
    c->ar_valid = 1;
}

static void push_write(IdmaEngine *e, uint64_t addr, uint64_t n, bool last)
{
    IdmaCycState *c = &e->s.c;
    uint64_t beats = ((addr & 7) + n + 7) / 8;

    c->wdp[ring(c->wdp_head, c->wdp_count++, IDMA_MAX_AX)] = (IdmaCycDp) {
        .offset = addr & 7, .tailer = (addr + n) & 7,
        .shift = c->write_shift, .beats = beats,
    };
    c->aws[ring(c->aws_head, c->aws_count++, IDMA_MAX_AX)] = (IdmaCycBurst) {
        .addr = addr, .len = n, .beats = beats, .flags = c->opt_flags,
        .port = PORT_BE,
    };
    c->last[ring(c->last_head, c->last_count++, IDMA_CYC_META)] = last;
}

/*
 * A new request is taken in the clock in which the last burst of the former
 * one goes out.  The bursts pushed here are seen by the FIFOs' other ends in
 * the next clock, but for the AR, which falls through; so this runs after the
 * datapath has looked at its FIFOs.
 */
typedef struct Legal {
    bool read, write;           /* bursts that go out */
    uint64_t r_n, w_n;
    bool r_done, w_done;
} Legal;

static void legalize(IdmaEngine *e, Wires *w, Legal *l)
{
    IdmaCycState *c = &e->s.c;
    bool decoupled = c->opt_flags & IDMA_FLAG_DECOUPLE_RW;
    uint32_t window = burst_window(&e->cfg, c->opt_flags);
    uint64_t r_fit = to_window_end(c->r_addr, window);
    uint64_t w_fit = to_window_end(c->w_addr, window);
    bool r_ready = c->rdp_count < e->cfg.num_ax_in_flight && !c->ar_valid;
    bool w_ready = c->wdp_count < e->cfg.num_ax_in_flight &&
                   c->aws_count < e->cfg.num_ax_in_flight &&
                   c->last_count < backend_depth(e);

    if (!decoupled) {
        r_fit = w_fit = min64(r_fit, w_fit);
    }
    l->r_done = c->r_len <= r_fit;
    l->w_done = c->w_len <= w_fit;
    l->r_n = min64(c->r_len, r_fit);
    l->w_n = min64(c->w_len, w_fit);
    l->read = c->r_valid && r_ready && (decoupled || w_ready);
    l->write = c->w_valid && w_ready && (decoupled || r_ready);

    if (l->r_done && l->w_done && r_ready && w_ready &&
        request_offered(e, w)) {
        const IdmaCycReq *req = &c->req[c->req_head];

        if (e->faults.hang_from && e->s.f_req + 1 >= e->faults.hang_from) {
            e->s.f_hung = 1;
            idma_fault_hit(e, IDMA_FAULT_HUNG, w->t, req->addr);
        } else if (req->len || !e->cfg.lossless ||
                   c->awa_count < backend_depth(e)) {
            w->req_accept = true;
            w->zero = !req->len;
        }
    }
    w->be_ar = c->ar_valid || l->read;
}

static void legalize_commit(IdmaEngine *e, Wires *w, const Legal *l)
{
    IdmaCycState *c = &e->s.c;
    const IdmaCycReq *req;

    if (l->write) {
        push_write(e, c->w_addr, l->w_n, l->w_done);
        c->w_valid = !l->w_done;
        if (!l->w_done) {
            c->w_addr += l->w_n;
            c->w_len -= l->w_n;
        }
    }
    if (l->read) {
        c->r_valid = !l->r_done;
        if (!l->r_done) {
            c->r_addr += l->r_n;
            c->r_len -= l->r_n;
        }
    }
    w->active |= l->read || l->write || w->req_accept;
    if (!w->req_accept) {
        return;
    }
    req = &c->req[c->req_head];
    e->s.f_req++;
    e->stats.requests++;
    if (e->ops->trace) {
        IdmaTraceEvent ev = {
            .type = IDMA_TRACE_REQUEST, .cycle = w->t, .addr = req->addr,
            .src = req->src, .dst = req->dst, .len = req->len,
            .arg = req->flags,
        };
        e->ops->trace(e->opaque, &ev);
    }
    if (w->zero) {
        e->stats.zero_length++;
        trace(e, IDMA_TRACE_ZERO_LENGTH, w->t, req->addr, 0);
    } else {
        c->r_len = c->w_len = req->len;
        c->r_addr = req->src;
        c->w_addr = req->dst;
        c->r_valid = c->w_valid = 1;
        c->opt_flags = req->flags;
        c->read_shift = req->src & 7;
        c->write_shift = (0 - req->dst) & 7;
    }
    c->req_head = ring(c->req_head, 1, IDMA_MAX_FIFO);
    c->req_count--;
    c->req_held = 0;
}

/*
 * Back-end: datapath
 */

static uint8_t lanes_valid(const IdmaCycState *c)
{
    uint8_t m = 0;
    unsigned i;

    for (i = 0; i < IDMA_LANES; i++) {
        m |= (c->lane_count[i] != 0) << i;
    }
    return m;
}

/* Whether a write beat is ready, which of its bytes, and where in the burst. */
static bool write_ready(const IdmaCycState *c, uint8_t *mask, bool *first,
                        bool *last)
{
    const IdmaCycDp *dp = &c->wdp[c->wdp_head];
    uint8_t valid, first_mask;

    if (!c->wdp_count) {
        return false;
    }
    valid = rot_right(lanes_valid(c), dp->shift);
    if (!valid) {
        return false;
    }
    first_mask = 0xff << dp->offset;
    if (dp->beats == 1) {
        *first = *last = true;
    } else {
        *first = (valid & first_mask) == first_mask && !c->w_cnt_valid;
        *last = c->w_cnt_valid && c->w_num_beats == 1;
    }
    *mask = *first ? first_mask : 0xff;
    if (dp->tailer && *last) {
        *mask &= 0xff >> (8 - dp->tailer);
    }
    return (valid & *mask) == *mask;
}

/* W channel: the burst whose address came first, one beat. */
static void write_channel(IdmaEngine *e, Wires *w, bool be_valid, uint8_t mask,
                          bool first, bool last)
{
    IdmaCycState *c = &e->s.c;
    IdmaCycBurst *b = &c->wt[c->wt_head];
    IdmaCycW *beat;
    const IdmaCycDp *dp;
    uint64_t data = 0, meta;
    unsigned i;

    if (!c->wt_count || c->w_count == IDMA_CYC_WBEATS || c->write_t > w->t) {
        return;
    }
    if (b->port == PORT_FE) {
        if (!c->w_counter) {
            return;
        }
        c->w_counter--;
        last = true;
        meta = 0xff | WMETA_FIRST | WMETA_LAST | PORT_FE << WMETA_PORT_S;
    } else {
        if (!be_valid) {
            return;
        }
        dp = &c->wdp[c->wdp_head];
        for (i = 0; i < IDMA_LANES; i++) {
            unsigned l = (i + dp->shift) & 7;

            if (mask >> i & 1) {
                data |= c->lane[l][c->lane_head[l]] << (8 * i);
                w->pop_lanes |= 1u << l;
            }
        }
        if (first) {
            c->wr_inj = idma_err_match(e, IDMA_BUS_WRITE, w->t, b->addr,
                                       b->len);
            c->wr_skip = idma_skip_write(e, w->t, b->addr);
            e->stats.write_bursts++;
        }
        meta = mask | (first ? WMETA_FIRST : 0) | (last ? WMETA_LAST : 0) |
               (c->wr_skip ? WMETA_SKIP : 0) | PORT_BE << WMETA_PORT_S |
               c->wr_inj << WMETA_INJ_S | b->flags << WMETA_FLAGS_S;
        if (dp->beats > 1) {
            if (c->w_cnt_valid) {
                c->w_num_beats--;
            }
            if (first) {
                c->w_num_beats = dp->beats - 1;
                c->w_cnt_valid = 1;
            }
            if (last) {
                c->w_cnt_valid = 0;
            }
        }
        if (last) {
            c->wdp_head = ring(c->wdp_head, 1, IDMA_MAX_AX);
            c->wdp_count--;
            c->aw_ahead--;
        }
    }
    beat = &c->w[ring(c->w_head, c->w_count, IDMA_CYC_WBEATS)];
    beat->t = w->t + cfg_way(&e->cfg);
    beat->addr = b->port == PORT_FE ? b->addr & ~7ull :
                 beat_addr(flags_burst(b->flags, false), b->addr, b->beats,
                           c->wt_beat);
    beat->data = data;
    beat->meta = meta;
    beat->burst_addr = b->addr;
    beat->burst_len = b->len;
    c->w_count++;
    c->write_t = w->t + e->cfg.write_interval;
    c->wt_beat++;
    trace_beat(e, IDMA_TRACE_W_BEAT, w->t, beat->addr, b->port);
    if (last) {
        IdmaCycB *resp = &c->b[ring(c->b_head, c->b_count, IDMA_CYC_BRESP)];

        resp->t = w->t + cfg_write_rt(&e->cfg);
        resp->port = b->port;
        c->b_count++;
        c->wt_beat = 0;
        c->wt_head = ring(c->wt_head, 1, IDMA_CYC_WTRANS);
        c->wt_count--;
    }
    w->active = true;
}

/*
 * Two requests, fair: the one after the last winner goes first.  Requests that
 * find the memory not ready are settled among themselves, later ones wait.
 * Returns the winner, or -1 if nothing is granted in this clock.
 */
static int arbitrate(uint64_t *rr, uint64_t *lock, bool req0, bool req1,
                     bool ready)
{
    int win;

    if (*lock) {
        req0 = req0 && (*lock & 1);
        req1 = req1 && (*lock & 2);
    }
    *lock = 0;
    if (!req0 && !req1) {
        return -1;
    }
    if (!ready) {
        *lock = req0 | req1 << 1;
        return -1;
    }
    win = req0 && req1 ? (int)*rr : req1;
    *rr = *rr == 0 ? req1 : !req0;
    return win;
}

/* Write answers that the memory has yet to give, and when the first is due. */
static uint64_t answers_due(const IdmaCycState *c, uint64_t t, uint64_t *next)
{
    uint64_t n = 0;

    *next = IDMA_NEVER;
    while (n < c->b_count) {
        const IdmaCycB *b = &c->b[ring(c->b_head, c->b_count - 1 - n,
                                       IDMA_CYC_BRESP)];

        if (b->t <= t) {
            break;
        }
        *next = b->t;
        n++;
    }
    return n;
}

/* AW channel, and the W channel behind it. */
static void write_side(IdmaEngine *e, Wires *w)
{
    IdmaCycState *c = &e->s.c;
    const IdmaCycBurst *aws = &c->aws[c->aws_head];
    uint8_t mask = 0;
    uint64_t next;
    bool first = false, last = false;
    bool be_valid = write_ready(c, &mask, &first, &last);
    bool fe_aw = c->awa_count;
    bool be_aw = c->aws_count &&
                 ((aws->flags & IDMA_FLAG_DECOUPLE_AW) ||
                  (!c->aw_ahead && be_valid && first));
    bool ready = c->wt_count < IDMA_CYC_WTRANS &&
                 c->b_count + c->wt_count < IDMA_CYC_BRESP - 1 &&
                 (!e->cfg.mem_writes ||
                  c->wt_count + answers_due(c, w->t, &next) <
                  e->cfg.mem_writes);
    int port = arbitrate(&c->aw_rr, &c->aw_lock, fe_aw, be_aw, ready);

    /* the multiplexer looks at the order of AWs one clock later */
    write_channel(e, w, be_valid, mask, first, last);
    if (port < 0) {
        return;
    }
    w->active = true;
    if (port == PORT_FE) {
        c->wt[ring(c->wt_head, c->wt_count, IDMA_CYC_WTRANS)] =
            (IdmaCycBurst) { .addr = c->awa[c->awa_head], .len = 8,
                             .beats = 1, .port = PORT_FE };
        trace_beat(e, IDMA_TRACE_AW, w->t, c->awa[c->awa_head], PORT_FE);
        c->awa_head = ring(c->awa_head, 1, IDMA_CYC_META);
        c->awa_count--;
        c->w_counter++;
    } else {
        c->wt[ring(c->wt_head, c->wt_count, IDMA_CYC_WTRANS)] = *aws;
        trace_beat(e, IDMA_TRACE_AW, w->t, aws->addr, PORT_BE);
        c->aws_head = ring(c->aws_head, 1, IDMA_MAX_AX);
        c->aws_count--;
        c->aw_ahead++;
    }
    c->wt_count++;
}

/* A read beat enters the byte lanes if all it needs have room. */
static bool lanes_push(IdmaEngine *e, const Wires *w, uint64_t data, bool last)
{
    IdmaCycState *c = &e->s.c;
    const IdmaCycDp *dp = &c->rdp[c->rdp_head];
    uint8_t mask = c->first_r ? 0xff << dp->offset : 0xff;
    unsigned i;

    if (dp->tailer && last) {
        mask &= 0xff >> (8 - dp->tailer);
    }
    mask = rot_right(mask, dp->shift);
    for (i = 0; i < IDMA_LANES; i++) {
        if ((mask >> i & 1) && c->lane_count[i] >= e->cfg.buffer_depth &&
            !(w->pop_lanes >> i & 1)) {
            return false;
        }
    }
    for (i = 0; i < IDMA_LANES; i++) {
        if (mask >> i & 1) {
            c->lane[i][ring(c->lane_head[i], c->lane_count[i],
                            IDMA_MAX_BUFFER)] =
                data >> (8 * ((i + dp->shift) & 7)) & 0xff;
            c->lane_count[i]++;
        }
    }
    return true;
}

static void lanes_pop(IdmaCycState *c, uint8_t pop)
{
    unsigned i;

    for (i = 0; i < IDMA_LANES; i++) {
        if (pop >> i & 1) {
            c->lane_head[i] = ring(c->lane_head[i], 1, IDMA_MAX_BUFFER);
            c->lane_count[i]--;
        }
    }
}

/*
 * R channel
 */

/*
 * A descriptor beat at the gate (which drops it if it belongs to a wrong
 * guess) and the reader; false: not taken.
 */
static bool fetch_beat(IdmaEngine *e, Wires *w, bool valid, uint64_t data,
                       bool last)
{
    IdmaCycState *c = &e->s.c;
    bool ready = c->req_count < e->cfg.pending_fifo_depth;
    bool gate = c->engage && (c->n_to_flush ||
                              (w->n_flush_valid && w->n_flush));
    bool taken = valid && (gate || ready) && c->rd_count;
    uint64_t engage = c->engage, n_to_flush = c->n_to_flush;
    uint64_t addr = c->rd_addr[c->rd_head];

    if (w->n_flush_valid || !c->n_to_flush) {
        engage = 0;
    } else if (valid && last && ready) {
        engage = 1;
    }
    if (valid && last && c->n_to_flush && c->engage) {
        n_to_flush--;
    }
    if (w->n_flush_valid) {
        n_to_flush = w->n_flush;
    }
    w->active |= engage != c->engage || n_to_flush != c->n_to_flush;
    c->engage = engage;
    c->n_to_flush = n_to_flush;

    /*
     * Pushed in each clock that the reader stays here; the RTL relies on
     * memory without gaps.  The box makes its own gaps and is no memory.
     */
    if (c->fetch_beat == 1 && (!c->irq_pushed ||
                               !(e->cfg.lossless || c->box_count ||
                                 e->faults.delay_guess))) {
        uint64_t depth = e->cfg.pending_fifo_depth + 2 * backend_depth(e);

        /* dropped when full, as the RTL does */
        if (c->irqf_count < (e->cfg.lossless ? IDMA_CYC_IRQS : depth)) {
            c->irqf[ring(c->irqf_head, c->irqf_count, IDMA_CYC_IRQS)] =
                c->desc[0] >> 32 & IDMA_FLAG_IRQ;
            c->irqf_count++;
        }
        c->irq_pushed = 1;
        w->active = true;
    }
    if (!taken) {
        return false;
    }
    w->active = true;
    trace_beat(e, IDMA_TRACE_R_BEAT, w->t, addr, gate ? 2 : PORT_FE);
    if (last) {
        c->rd_head = ring(c->rd_head, 1, IDMA_CYC_ARS);
        c->rd_count--;
    }
    if (gate) {
        return true;
    }
    if (!last && c->fetch_beat < DESC_BEATS - 1) {
        c->desc[c->fetch_beat] = data;
        c->fetch_beat++;
        return true;
    }
    if (e->faults.delay_guess) {
        idma_fault_hit(e, IDMA_FAULT_GUESS_DELAYED, w->t, addr);
    }
    c->req[ring(c->req_head, c->req_count, IDMA_MAX_FIFO)] = (IdmaCycReq) {
        .addr = addr, .len = c->desc[0] & UINT32_MAX,
        .flags = c->desc[0] >> 32, .src = c->desc[2], .dst = data,
    };
    c->req_count++;
    c->fetch_beat = 0;
    c->irq_pushed = 0;
    return true;
}

static void read_side(IdmaEngine *e, Wires *w)
{
    IdmaCycState *c = &e->s.c;
    IdmaCycR *r = &c->r[c->r_head];
    bool valid = c->r_count && r->t <= w->t;
    bool to_fe = valid && r->meta >> META_PORT_S == PORT_FE;
    bool taken = false;

    if (e->faults.delay_guess || c->box_count) {
        /* the front-end reads from the box, the bus fills it */
        IdmaCycR *head = &c->box[c->box_head];
        bool due = c->box_count && head->t <= w->t;
        bool room = c->box_count < IDMA_CYC_BOX;

        if (fetch_beat(e, w, due, head->data, head->meta & META_LAST)) {
            c->box_head = ring(c->box_head, 1, IDMA_CYC_BOX);
            c->box_count--;
        }
        if (to_fe && room) {
            uint64_t i = ring(c->box_head, c->box_count, IDMA_CYC_BOX);

            c->box[i] = *r;
            c->box[i].t = w->t + e->faults.delay_guess;
            c->box_count++;
            taken = true;
        }
    } else {
        taken = fetch_beat(e, w, to_fe, r->data, r->meta & META_LAST);
    }
    if (valid && !to_fe) {
        bool last = r->meta & META_LAST;

        if (w->data_ready && c->rdp_count && lanes_push(e, w, r->data, last)) {
            taken = true;
            c->first_r = last;
            if (last) {
                c->rdp_head = ring(c->rdp_head, 1, IDMA_MAX_AX);
                c->rdp_count--;
            }
        }
        trace_beat(e, taken ? IDMA_TRACE_R_BEAT : IDMA_TRACE_R_STALL, w->t, 0,
                   PORT_BE);
    }
    if (taken) {
        c->reads_out -= r->meta & META_LAST;
        c->r_head = ring(c->r_head, 1, IDMA_CYC_RBEATS);
        c->r_count--;
        w->active = true;
    }
}

/*
 * B channel and completion
 */

static void response_side(IdmaEngine *e, Wires *w)
{
    IdmaCycState *c = &e->s.c;
    const IdmaCycB *b = &c->b[c->b_head];
    bool valid = c->b_count && b->t <= w->t;
    bool taken = false;

    if (w->zero) {
        w->rsp = true;
    }
    if (valid && b->port == PORT_FE) {
        if (c->irqf_count) {
            bool irq = c->irqf[c->irqf_head];

            c->irqf_head = ring(c->irqf_head, 1, IDMA_CYC_IRQS);
            c->irqf_count--;
            taken = true;
            trace_beat(e, IDMA_TRACE_B, w->t, 0, PORT_FE);
            if (irq) {
                idma_irq_raise(e, w->t);
            }
        }
    } else if (valid && w->rsp_ready) {
        taken = true;
        trace_beat(e, IDMA_TRACE_B, w->t, 0, PORT_BE);
        if (c->last_count) {
            w->rsp |= c->last[c->last_head];
            c->last_head = ring(c->last_head, 1, IDMA_CYC_META);
            c->last_count--;
        }
    }
    if (taken) {
        c->b_head = ring(c->b_head, 1, IDMA_CYC_BRESP);
        c->b_count--;
        w->active = true;
    }
}

/* An answered transfer moves the oldest pending address to the write-back. */
static void completion(IdmaEngine *e, Wires *w, bool room)
{
    IdmaCycState *c = &e->s.c;
    uint64_t depth = e->cfg.pending_fifo_depth + backend_depth(e);

    /*
     * One place less than can be pending: with answers much slower than
     * reads the RTL loses an address here.
     */
    if (w->feedback && (c->pend_count < depth ||
                        (e->cfg.lossless && c->pend_count < IDMA_CYC_ADDRS))) {
        c->pend[ring(c->pend_head, c->pend_count, IDMA_CYC_ADDRS)] =
            w->feedback_addr;
        c->pend_count++;
    }
    if (w->rsp && c->pend_count && room) {
        c->awa[ring(c->awa_head, c->awa_count, IDMA_CYC_META)] =
            c->pend[c->pend_head];
        c->awa_count++;
        c->pend_head = ring(c->pend_head, 1, IDMA_CYC_ADDRS);
        c->pend_count--;
    }
}

/* When the delay lines have something next. */
static uint64_t next_arrival(const IdmaEngine *e, uint64_t t)
{
    const IdmaCycState *c = &e->s.c;
    uint64_t next = IDMA_NEVER;

    if (e->s.inq_count && e->s.inq[e->s.inq_head].cycle + 1 > t) {
        next = e->s.inq[e->s.inq_head].cycle + 1;
    }
    if (c->mar_count) {
        uint64_t due = max64(c->mar[c->mar_head].t + 1, c->read_t);

        if (due > t) {
            next = min64(next, due);
        }
    }
    if (c->wt_count && c->write_t > t) {
        next = min64(next, c->write_t);
    }
    if (c->r_count && c->r[c->r_head].t > t) {
        next = min64(next, c->r[c->r_head].t);
    }
    if (c->w_count) {
        next = min64(next, max64(c->w[c->w_head].t, t + 1));
    }
    if (c->b_count && c->b[c->b_head].t > t) {
        next = min64(next, c->b[c->b_head].t);
    }
    if (c->aw_lock && c->b_count) {
        uint64_t due;

        answers_due(c, t, &due);
        next = min64(next, due);
    }
    if (c->box_count && c->box[c->box_head].t > t) {
        next = min64(next, c->box[c->box_head].t);
    }
    if (c->req_held && c->req_t > t) {
        next = min64(next, c->req_t);
    }
    return next;
}

void idma_cycle_step(IdmaEngine *e, uint64_t cycle)
{
    IdmaCycState *c = &e->s.c;
    Wires w = { .t = cycle };
    Legal l;
    bool awa_room, ar_ready;
    int ar;

    w.active = mem_read(e, cycle);

    if (e->cfg.n_speculation) {
        addr_gen_prefetch(e, &w);
    } else {
        addr_gen_plain(e, &w);
    }
    legalize(e, &w, &l);

    /* AR: what the legalizer pushes falls through, the loser waits */
    if (l.read) {
        push_read(e, c->r_addr, l.r_n);
    }
    ar_ready = c->mar_count < IDMA_CYC_ARS && c->rd_count < IDMA_CYC_ARS &&
               (!e->cfg.mem_reads || c->reads_out < e->cfg.mem_reads);
    ar = arbitrate(&c->ar_rr, &c->ar_lock, w.fe_ar, w.be_ar, ar_ready);
    if (ar >= 0) {
        IdmaCycBurst *m = &c->mar[ring(c->mar_head, c->mar_count,
                                       IDMA_CYC_ARS)];
        uint64_t way = e->cfg.read_latency;

        c->mar_count++;
        c->reads_out++;
        w.active = true;
        if (ar == PORT_FE) {
            *m = (IdmaCycBurst) {
                .addr = w.fe_ar_addr & ~7ull, .len = IDMA_DESC_SIZE,
                .beats = DESC_BEATS, .port = PORT_FE,
            };
            c->rd_addr[ring(c->rd_head, c->rd_count, IDMA_CYC_ARS)] =
                w.fe_ar_addr;
            c->rd_count++;
            c->leg_valid = 0;
            if (!e->cfg.n_speculation) {
                addr_gen_plain_granted(e, &w);
            }
            e->stats.fetches++;
            e->stats.spec_fetches += w.fe_ar_spec;
            trace(e, IDMA_TRACE_FETCH, cycle, w.fe_ar_addr, w.fe_ar_spec);
        } else {
            *m = c->ar;
            c->ar_valid = 0;
            trace_beat(e, IDMA_TRACE_AR, cycle, m->addr, PORT_BE);
        }
        m->t = cycle + way;
    }

    awa_room = c->awa_count < backend_depth(e);
    w.rsp_ready = !w.zero && awa_room && (c->pend_count || w.feedback);
    w.data_ready = w.rsp_ready || e->cfg.lossless;

    write_side(e, &w);
    read_side(e, &w);
    lanes_pop(c, w.pop_lanes);
    response_side(e, &w);
    completion(e, &w, awa_room);
    legalize_commit(e, &w, &l);
    while (mem_write(e, cycle)) {
        w.active = true;
    }

    c->next = w.active ? cycle + 1 : next_arrival(e, cycle);
}

uint64_t idma_cycle_next(const IdmaEngine *e)
{
    return e->s.c.next;
}

void idma_cycle_reset(IdmaEngine *e)
{
    e->s.c.next = IDMA_NEVER;
    e->s.c.next_addr_q = IDMA_DESC_END;
    e->s.c.first_r = 1;
}

bool idma_cycle_busy(const IdmaEngine *e)
{
    const IdmaCycState *c = &e->s.c;

    return c->base_valid || c->inflight || c->next_addr_q != IDMA_DESC_END ||
           c->pend_count || c->req_count || c->irqf_count || c->awa_count ||
           c->w_counter || c->r_valid || c->w_valid || c->rdp_count ||
           c->wdp_count || c->aws_count || lanes_valid(c);
}

/*
 * Hostile states: every index in range, every count within what the arrays
 * (and, where a pop relies on it, the other FIFOs) hold.
 */

#define BAD_RING(head, count, size) ((head) >= (size) || (count) > (size))

static bool bad_burst(const IdmaCycBurst *b, uint64_t max_beats)
{
    return b->len < 1 || b->beats < 1 || b->beats > max_beats ||
           ((b->addr & 7) + b->len + 7) / 8 != b->beats || b->port > 1 ||
           b->flags > UINT32_MAX;
}

/* Whether the i-th burst of the write datapath is the one in b. */
static bool same_write(const IdmaCycState *c, uint64_t i,
                       const IdmaCycBurst *b)
{
    const IdmaCycDp *dp = &c->wdp[ring(c->wdp_head, i, IDMA_MAX_AX)];

    return i < c->wdp_count && dp->offset == (b->addr & 7) &&
           dp->tailer == ((b->addr + b->len) & 7) && dp->beats == b->beats;
}

bool idma_cycle_valid(const IdmaEngine *e, const char **why)
{
    const IdmaCycState *c = &e->s.c;
    const uint64_t t_limit = 1ull << 62;
    const uint64_t nax = e->cfg.num_ax_in_flight;
    uint64_t i, ahead = 0, reads = c->mar_count;

    *why = "fetch addresses";
    if (c->base_valid > 1 || c->next_valid_q > 1 || c->flush_q > 1 ||
        c->leg_valid > 1 || c->leg_spec > 1 || c->engage > 1 ||
        c->irq_pushed > 1 || c->fetch_beat > 3 ||
        c->inflight > e->cfg.n_speculation + 1ull ||
        c->n_to_flush > IDMA_MAX_NSPEC ||
        BAD_RING(c->spec_head, c->spec_count, IDMA_MAX_NSPEC) ||
        BAD_RING(c->ars_head, c->ars_count, IDMA_MAX_NSPEC) ||
        c->spec_count > e->cfg.n_speculation ||
        c->ars_count > e->cfg.n_speculation ||
        BAD_RING(c->rd_head, c->rd_count, IDMA_CYC_ARS)) {
        return false;
    }
    *why = "request, address or interrupt FIFO";
    if (BAD_RING(c->req_head, c->req_count, IDMA_MAX_FIFO) ||
        c->req_count > e->cfg.pending_fifo_depth || c->req_held > 1 ||
        BAD_RING(c->pend_head, c->pend_count, IDMA_CYC_ADDRS) ||
        BAD_RING(c->irqf_head, c->irqf_count, IDMA_CYC_IRQS) ||
        BAD_RING(c->awa_head, c->awa_count, IDMA_CYC_META) ||
        c->awa_count > backend_depth(e) || c->w_counter > IDMA_CYC_WTRANS ||
        c->req_t > t_limit) {
        return false;
    }
    for (i = 0; i < IDMA_MAX_FIFO; i++) {
        if (c->req[i].len > UINT32_MAX || c->req[i].flags > UINT32_MAX) {
            return false;
        }
    }
    *why = "legalizer";
    if (c->r_valid > 1 || c->w_valid > 1 || c->r_len > UINT32_MAX ||
        c->w_len > UINT32_MAX || (c->r_valid && !c->r_len) ||
        (c->w_valid && !c->w_len) || c->opt_flags > UINT32_MAX ||
        c->read_shift > 7 || c->write_shift > 7) {
        return false;
    }
    *why = "burst FIFO";
    if (c->ar_valid > 1 || (c->ar_valid && bad_burst(&c->ar, 256)) ||
        BAD_RING(c->rdp_head, c->rdp_count, IDMA_MAX_AX) ||
        BAD_RING(c->wdp_head, c->wdp_count, IDMA_MAX_AX) ||
        BAD_RING(c->aws_head, c->aws_count, IDMA_MAX_AX) ||
        BAD_RING(c->last_head, c->last_count, IDMA_CYC_META) ||
        c->rdp_count > nax || c->wdp_count > nax || c->aws_count > nax ||
        c->last_count > backend_depth(e)) {
        return false;
    }
    for (i = 0; i < IDMA_MAX_AX; i++) {
        const IdmaCycDp *r = &c->rdp[i], *w = &c->wdp[i];

        if (r->offset > 7 || r->tailer > 7 || r->shift > 7 ||
            r->beats > 256 || w->offset > 7 || w->tailer > 7 ||
            w->shift > 7 || w->beats > 256) {
            return false;
        }
    }
    for (i = 0; i < c->aws_count; i++) {
        if (bad_burst(&c->aws[ring(c->aws_head, i, IDMA_MAX_AX)], 256)) {
            return false;
        }
    }
    for (i = 0; i < c->last_count; i++) {
        if (c->last[ring(c->last_head, i, IDMA_CYC_META)] > 1) {
            return false;
        }
    }
    *why = "datapath";
    if (c->first_r > 1 || c->w_cnt_valid > 1 || c->w_num_beats > 255 ||
        (c->w_cnt_valid && !c->w_num_beats)) {
        return false;
    }
    for (i = 0; i < IDMA_LANES; i++) {
        uint64_t k;

        if (BAD_RING(c->lane_head[i], c->lane_count[i], IDMA_MAX_BUFFER) ||
            c->lane_count[i] > e->cfg.buffer_depth) {
            return false;
        }
        for (k = 0; k < IDMA_MAX_BUFFER; k++) {
            if (c->lane[i][k] > 0xff) {
                return false;
            }
        }
    }
    *why = "multiplexer";
    if (c->ar_rr > 1 || c->aw_rr > 1 || c->ar_lock > 3 || c->aw_lock > 3 ||
        c->wr_inj > IDMA_RESP_DECERR || c->wr_skip > 1 ||
        BAD_RING(c->wt_head, c->wt_count, IDMA_CYC_WTRANS)) {
        return false;
    }
    for (i = 0; i < c->wt_count; i++) {
        const IdmaCycBurst *b = &c->wt[ring(c->wt_head, i, IDMA_CYC_WTRANS)];

        /* a mark is one beat wherever its descriptor lies */
        if (b->port == PORT_FE ? b->beats != 1 || b->len != 8
                               : bad_burst(b, 256) ||
                                 !same_write(c, ahead++, b)) {
            return false;
        }
    }
    if (ahead != c->aw_ahead || c->w_counter != c->wt_count - ahead ||
        c->wdp_count != ahead + c->aws_count) {
        return false;
    }
    for (i = 0; i < c->aws_count; i++) {
        if (!same_write(c, ahead + i,
                        &c->aws[ring(c->aws_head, i, IDMA_MAX_AX)])) {
            return false;
        }
    }
    if (c->w_cnt_valid) {
        const IdmaCycBurst *b = &c->wt[c->wt_head];

        if (!c->wt_count || b->port != PORT_BE ||
            c->wt_beat + c->w_num_beats != b->beats || !c->wt_beat) {
            return false;
        }
    } else if (c->wt_beat) {
        return false;
    }
    *why = "memory";
    if (c->read_t > e->s.now + IDMA_MAX_INTERVAL ||
        c->write_t > e->s.now + IDMA_MAX_INTERVAL ||
        BAD_RING(c->mar_head, c->mar_count, IDMA_CYC_ARS) ||
        BAD_RING(c->r_head, c->r_count, IDMA_CYC_RBEATS) ||
        BAD_RING(c->w_head, c->w_count, IDMA_CYC_WBEATS) ||
        BAD_RING(c->b_head, c->b_count, IDMA_CYC_BRESP) ||
        BAD_RING(c->box_head, c->box_count, IDMA_CYC_BOX) ||
        c->rd_inj > IDMA_RESP_DECERR || c->rd_resp > IDMA_RESP_DECERR ||
        c->wm_resp > IDMA_RESP_DECERR ||
        c->w_count > cfg_way(&e->cfg) + 1 ||
        c->r_count > max64(2 * cfg_way(&e->cfg), 1) ||
        c->b_count + c->wt_count >= IDMA_CYC_BRESP ||
        c->mar_beat >= (c->mar_count ? c->mar[c->mar_head].beats : 1)) {
        return false;
    }
    for (i = 0; i < c->mar_count; i++) {
        const IdmaCycBurst *b = &c->mar[ring(c->mar_head, i, IDMA_CYC_ARS)];

        if (bad_burst(b, 256) || b->t > t_limit ||
            (b->port == PORT_FE && b->beats != DESC_BEATS)) {
            return false;
        }
    }
    for (i = 0; i < c->w_count; i++) {
        const IdmaCycW *w = &c->w[ring(c->w_head, i, IDMA_CYC_WBEATS)];

        if (!(w->meta & 0xff) || (w->addr & 7) ||
            w->t > e->s.now + cfg_way(&e->cfg)) {
            return false;
        }
    }
    for (i = 0; i < c->r_count; i++) {
        const IdmaCycR *r = &c->r[ring(c->r_head, i, IDMA_CYC_RBEATS)];

        if (r->meta > 3 || r->t > e->s.now + cfg_way(&e->cfg)) {
            return false;
        }
        reads += r->meta & META_LAST;
    }
    if (c->reads_out != reads) {
        return false;
    }
    for (i = 0; i < c->b_count; i++) {
        const IdmaCycB *b = &c->b[ring(c->b_head, i, IDMA_CYC_BRESP)];

        if (b->port > 1 || b->t > e->s.now + cfg_write_rt(&e->cfg)) {
            return false;
        }
    }
    for (i = 0; i < c->box_count; i++) {
        const IdmaCycR *r = &c->box[ring(c->box_head, i, IDMA_CYC_BOX)];

        if (r->meta > 1 || r->t > t_limit) {
            return false;
        }
    }
    return true;
}
