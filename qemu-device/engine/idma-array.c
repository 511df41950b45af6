/*
 * PULP iDMA engine: back-ends of any width on shared memory ports
 *
 * One call of idma_array_step() is one clock.  What depends on registers alone
 * is worked out first, in the order of the combinational paths:
 *
 *   memory offers R -> legalizers -> AR -> lanes to W, AW -> R to lanes -> B
 *
 * and the legalizers take their next requests at the end.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>
#include "idma-array.h"

#define PAGE            4096u

static uint32_t wrap(uint32_t head, uint32_t i, uint32_t size)
{
    head += i;
    return head >= size ? head - size : head;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static bool power_of_two(uint64_t n)
{
    return n && !(n & (n - 1));
}

/* The n lowest bits. */
static uint64_t ones(uint32_t n)
{
    return n >= 64 ? UINT64_MAX : (1ull << n) - 1;
}

/*
 * Ports
 */

const char *idma_port_config_check(const IdmaPortConfig *c)
{
    if (!power_of_two(c->bytes) || c->bytes > IDMA_PORT_BYTES) {
        return "bytes";
    }
    if (!c->masters || c->masters > IDMA_PORT_MASTERS) {
        return "masters";
    }
    if (c->ar_way > IDMA_PORT_LATENCY) {
        return "ar_way";
    }
    if (c->r_way > IDMA_PORT_LATENCY) {
        return "r_way";
    }
    if (c->w_way > IDMA_PORT_LATENCY) {
        return "w_way";
    }
    if (c->b_way > IDMA_PORT_LATENCY) {
        return "b_way";
    }
    if (!c->read_den || c->read_num < c->read_den) {
        return "read_num";
    }
    if (!c->write_den || c->write_num < c->write_den) {
        return "write_num";
    }
    return NULL;
}

void idma_port_config_cuts(IdmaPortConfig *cfg, uint32_t bytes,
                           uint32_t latency)
{
    *cfg = (IdmaPortConfig) {
        .bytes = bytes, .masters = 1,
        .ar_way = latency, .r_way = latency,
        .w_way = latency, .b_way = latency,
        .read_num = 1, .read_den = 1, .write_num = 1, .write_den = 1,
    };
}

bool idma_port_init(IdmaPort *p, const IdmaPortConfig *cfg,
                    const IdmaPortOps *ops, void *opaque)
{
    if (idma_port_config_check(cfg)) {
        return false;
    }
    memset(p, 0, sizeof(*p));
    p->cfg = *cfg;
    if (ops) {
        p->ops = *ops;
    }
    p->opaque = opaque;
    p->stats.first_r = p->stats.first_w = UINT64_MAX;
    return true;
}

/*
 * When the next beat may follow one of clock t: num / den cycles later, the
 * fractions added up, none saved for later.
 */
static void pace(uint64_t *next, uint64_t t, uint32_t num, uint32_t den)
{
    if (*next < t * den) {
        *next = t * den;
    }
    *next += num;
}

/* Bytes of beat i of a burst: the first one's lane, and how many. */
static uint32_t beat_bytes(const IdmaPortBurst *b, uint32_t width, uint32_t i,
                           uint32_t *lane)
{
    uint32_t off = b->addr & (width - 1);
    uint64_t done = i ? (uint64_t)width * i - off : 0;

    *lane = i ? 0 : off;
    return least(width - *lane, b->len - done);
}

void idma_port_offer(IdmaPort *p, uint64_t t)
{
    const IdmaPortBurst *b = &p->ar[p->ar_head];
    uint32_t room = p->cfg.r_way ? 2 * p->cfg.r_way : 1;
    IdmaPortBeat *beat;
    uint32_t lane, n;
    uint64_t addr;

    /* a beat is due in the clock in which its time begins */
    if (!p->ar_count || b->t >= t || p->read_t / p->cfg.read_den > t ||
        p->r_count >= room) {
        return;
    }
    pace(&p->read_t, t, p->cfg.read_num, p->cfg.read_den);
    beat = &p->r[wrap(p->r_head, p->r_count, IDMA_PORT_BEATS)];
    beat->t = t + p->cfg.r_way;
    beat->master = b->master;
    n = beat_bytes(b, p->cfg.bytes, p->ar_beat, &lane);
    addr = (b->addr & ~(uint64_t)(p->cfg.bytes - 1)) +
           (uint64_t)p->ar_beat * p->cfg.bytes + lane;
    if (p->ops.read) {
        p->ops.read(p->opaque, addr, beat->data + lane, n);
    }
    p->stats.read_beats++;
    p->stats.read_bytes += n;
    p->ar_beat++;
    beat->last = p->ar_beat == b->beats;
    p->r_count++;
    if (beat->last) {
        p->ar_beat = 0;
        p->ar_head = wrap(p->ar_head, 1, IDMA_PORT_BURSTS);
        p->ar_count--;
    }
}

/*
 * Round robin as in the RTL: of the masters in the mask the first one from the
 * turn on; the turn goes on to the next of them.  Those that met a port which
 * was not ready are settled among themselves, others come later.
 */
static int arbitrate(uint32_t *turn, uint32_t *lock, uint32_t masters,
                     uint32_t mask, bool ready)
{
    uint32_t i, n, win = masters, next = *turn;

    if (*lock & mask) {
        mask &= *lock;
    }
    *lock = 0;
    if (!mask) {
        return -1;
    }
    if (!ready) {
        *lock = mask;
        return -1;
    }
    for (n = masters; n > 0; n--) {
        i = (*turn + n) % masters;
        if (mask >> i & 1) {
            next = i;
        }
        i = (*turn + n - 1) % masters;
        if (mask >> i & 1) {
            win = i;
        }
    }
    *turn = next;
    return win == masters ? -1 : (int)win;
}

int idma_port_grant_ar(IdmaPort *p, uint32_t mask)
{
    bool ready = p->ar_count < IDMA_PORT_BURSTS &&
                 (!p->cfg.reads || p->reads_out < p->cfg.reads);

    return arbitrate(&p->ar_turn, &p->ar_lock, p->cfg.masters, mask, ready);
}

void idma_port_push_ar(IdmaPort *p, uint64_t t, const IdmaPortBurst *burst)
{
    IdmaPortBurst *b = &p->ar[wrap(p->ar_head, p->ar_count,
                                   IDMA_PORT_BURSTS)];

    *b = *burst;
    b->t = t + p->cfg.ar_way;
    p->ar_count++;
    p->reads_out++;
    p->stats.read_bursts++;
}

int idma_port_grant_aw(IdmaPort *p, uint64_t t, uint32_t mask)
{
    uint32_t limit = p->cfg.writes ? p->cfg.writes : IDMA_PORT_BURSTS - 1;
    uint32_t under_way = p->aw_count, n;

    /* of those with data the memory works on what it has not answered */
    for (n = p->b_count; n > 0; n--) {
        if (p->b[wrap(p->b_head, n - 1, IDMA_PORT_BURSTS)].t <= t) {
            break;
        }
        under_way++;
    }
    return arbitrate(&p->aw_turn, &p->aw_lock, p->cfg.masters, mask,
                     under_way < limit &&
                     p->aw_count + p->b_count < IDMA_PORT_BURSTS - 1);
}

void idma_port_push_aw(IdmaPort *p, uint64_t t, const IdmaPortBurst *burst)
{
    IdmaPortBurst *b = &p->aw[wrap(p->aw_head, p->aw_count,
                                   IDMA_PORT_BURSTS)];

    *b = *burst;
    b->t = t;
    p->aw_count++;
    p->stats.write_bursts++;
}

int idma_port_w_master(const IdmaPort *p, uint64_t t)
{
    if (!p->aw_count || p->write_t / p->cfg.write_den > t ||
        p->b_count == IDMA_PORT_BURSTS) {
        return -1;
    }
    return p->aw[p->aw_head].master;
}

void idma_port_push_w(IdmaPort *p, uint64_t t, uint64_t addr, const void *data,
                      uint32_t len, bool last)
{
    pace(&p->write_t, t, p->cfg.write_num, p->cfg.write_den);
    if (p->ops.write) {
        p->ops.write(p->opaque, addr, data, len);
    }
    p->stats.write_beats++;
    p->stats.write_bytes += len;
    p->stats.first_w = least(p->stats.first_w, t);
    p->stats.last_w = t;
    if (last) {
        IdmaPortBurst *b = &p->b[wrap(p->b_head, p->b_count,
                                      IDMA_PORT_BURSTS)];

        *b = p->aw[p->aw_head];
        b->t = t + p->cfg.w_way + 1 + p->cfg.b_way;
        p->b_count++;
        p->aw_head = wrap(p->aw_head, 1, IDMA_PORT_BURSTS);
        p->aw_count--;
    }
}

const IdmaPortBeat *idma_port_r(const IdmaPort *p, uint64_t t)
{
    const IdmaPortBeat *beat = &p->r[p->r_head];

    return p->r_count && beat->t <= t ? beat : NULL;
}

void idma_port_pop_r(IdmaPort *p, uint64_t t, bool taken)
{
    if (!taken) {
        p->stats.read_stalls++;
        return;
    }
    p->reads_out -= p->r[p->r_head].last;
    p->r_head = wrap(p->r_head, 1, IDMA_PORT_BEATS);
    p->r_count--;
    p->stats.first_r = least(p->stats.first_r, t);
    p->stats.last_r = t;
}

int idma_port_pop_b(IdmaPort *p, uint64_t t)
{
    const IdmaPortBurst *b = &p->b[p->b_head];

    if (!p->b_count || b->t > t) {
        return -1;
    }
    p->b_head = wrap(p->b_head, 1, IDMA_PORT_BURSTS);
    p->b_count--;
    return b->master;
}

bool idma_port_idle(const IdmaPort *p)
{
    return !p->ar_count && !p->r_count && !p->aw_count && !p->b_count;
}

/*
 * Back-ends
 */

const char *idma_be_config_check(const IdmaBeConfig *c)
{
    if (!power_of_two(c->bytes) || c->bytes > IDMA_PORT_BYTES) {
        return "bytes";
    }
    if (!c->num_ax_in_flight || c->num_ax_in_flight > IDMA_BE_AX) {
        return "num_ax_in_flight";
    }
    if (c->buffer_depth < 2 || c->buffer_depth > IDMA_BE_BUFFER) {
        return "buffer_depth";
    }
    if (!power_of_two(c->read_beats) || c->read_beats > 256) {
        return "read_beats";
    }
    if (!power_of_two(c->write_beats) || c->write_beats > 256) {
        return "write_beats";
    }
    return NULL;
}

bool idma_be_init(IdmaBe *be, const IdmaBeConfig *cfg)
{
    if (idma_be_config_check(cfg)) {
        return false;
    }
    memset(be, 0, sizeof(*be));
    be->cfg = *cfg;
    be->stats.first_req = be->stats.first_ar = be->stats.first_r =
        be->stats.first_aw = be->stats.first_w = UINT64_MAX;
    return true;
}

bool idma_be_put(IdmaBe *be, const IdmaMidReq *req)
{
    if (be->req_valid) {
        return false;
    }
    be->req = *req;
    be->req_valid = true;
    return true;
}

bool idma_be_done(IdmaBe *be, IdmaMidError *error)
{
    if (!be->done_count) {
        return false;
    }
    if (error) {
        *error = be->done[be->done_head];
    }
    be->done_head = wrap(be->done_head, 1, IDMA_BE_TRANSFERS);
    be->done_count--;
    be->under_way--;
    return true;
}

bool idma_be_idle(const IdmaBe *be)
{
    return !be->req_valid && !be->under_way;
}

static void answer(IdmaBe *be, IdmaMidError error)
{
    be->done[wrap(be->done_head, be->done_count, IDMA_BE_TRANSFERS)] = error;
    be->done_count++;
}

static uint32_t window(const IdmaBe *be, uint32_t beats)
{
    return least((uint64_t)beats * be->cfg.bytes, PAGE);
}

static uint32_t depth(const IdmaBe *be)
{
    return be->cfg.num_ax_in_flight + be->cfg.buffer_depth;
}

static uint32_t beats_of(const IdmaBe *be, uint64_t addr, uint64_t len)
{
    return ((addr & (be->cfg.bytes - 1)) + len + be->cfg.bytes - 1) /
           be->cfg.bytes;
}

/* The bursts that go out in this clock; the AR falls through to the bus. */
static void legalize(IdmaBe *be)
{
    uint32_t nax = be->cfg.num_ax_in_flight;
    uint32_t r_win = window(be, be->cfg.read_beats);
    uint32_t w_win = window(be, be->cfg.write_beats);
    uint64_t r_fit = r_win - (be->r_addr & (r_win - 1));
    uint64_t w_fit = w_win - (be->w_addr & (w_win - 1));
    bool r_ready = be->rd_count < nax && !be->ar_valid;
    bool w_ready = be->wr_count < nax && be->aw_count < nax &&
                   be->last_count < depth(be);

    if (!be->cfg.decouple_rw) {
        r_fit = w_fit = least(r_fit, w_fit);
    }
    be->l_r_n = least(be->r_len, r_fit);
    be->l_w_n = least(be->w_len, w_fit);
    be->l_read = be->r_valid && r_ready && (be->cfg.decouple_rw || w_ready);
    be->l_write = be->w_valid && w_ready && (be->cfg.decouple_rw || r_ready);
    be->l_next = r_ready && w_ready && be->r_len <= r_fit && be->w_len <= w_fit;
    if (be->l_read) {
        be->ar = (IdmaPortBurst) {
            .addr = be->r_addr, .len = be->l_r_n,
            .beats = beats_of(be, be->r_addr, be->l_r_n),
            .master = be->cfg.read_master,
        };
        be->ar_valid = true;
    }
}

static void legalize_end(IdmaBe *be, uint64_t t)
{
    uint32_t low = be->cfg.bytes - 1;

    if (be->l_read) {
        be->rd[wrap(be->rd_head, be->rd_count++, IDMA_BE_AX)] =
            (IdmaBeBurst) {
                .addr = be->r_addr, .len = be->l_r_n,
                .beats = beats_of(be, be->r_addr, be->l_r_n),
                .shift = be->r_shift,
            };
        be->r_valid = be->r_len > be->l_r_n;
        if (be->r_valid) {
            be->r_addr += be->l_r_n;
            be->r_len -= be->l_r_n;
        }
    }
    if (be->l_write) {
        IdmaBeBurst b = {
            .addr = be->w_addr, .len = be->l_w_n,
            .beats = beats_of(be, be->w_addr, be->l_w_n),
            .shift = be->w_shift,
        };

        be->wr[wrap(be->wr_head, be->wr_count++, IDMA_BE_AX)] = b;
        be->aw[wrap(be->aw_head, be->aw_count++, IDMA_BE_AX)] = b;
        be->w_valid = be->w_len > be->l_w_n;
        be->last[wrap(be->last_head, be->last_count++, 2 * IDMA_BE_AX)] =
            !be->w_valid;
        if (be->w_valid) {
            be->w_addr += be->l_w_n;
            be->w_len -= be->l_w_n;
        }
    }
    if (!be->l_next || !be->req_valid ||
        be->under_way == IDMA_BE_TRANSFERS) {
        return;
    }
    if (!be->req.len) {
        /* rejected, but not before those that are under way are answered */
        if (!be->last_count && !be->r_valid && !be->w_valid) {
            be->req_valid = false;
            be->under_way++;
            be->stats.transfers++;
            answer(be, IDMA_MID_ERR_ZERO_LENGTH);
        }
        return;
    }
    be->req_valid = false;
    be->under_way++;
    be->stats.transfers++;
    be->stats.bytes += be->req.len;
    be->stats.first_req = least(be->stats.first_req, t);
    be->r_valid = be->w_valid = true;
    be->r_addr = be->req.src;
    be->w_addr = be->req.dst;
    be->r_len = be->w_len = be->req.len;
    be->r_shift = be->req.src & low;
    be->w_shift = (0 - be->req.dst) & low;
}

/*
 * Byte lanes: byte i of a transfer goes through lane i modulo the width.  A
 * burst's shift is the difference between a byte's place on the bus and its
 * lane, on the read side to be taken away and on the write side to be added.
 */

/* The bytes of the bus word that beat i of a burst carries. */
static uint64_t beat_mask(const IdmaBe *be, const IdmaBeBurst *b, uint32_t i)
{
    uint32_t n = be->cfg.bytes;
    uint32_t tail = (b->addr + b->len) & (n - 1);
    uint64_t mask = ones(n);

    if (i == 0) {
        mask &= ~ones(b->addr & (n - 1));
    }
    if (tail && i == b->beats - 1) {
        mask &= ones(tail);
    }
    return mask;
}

static uint64_t beat_addr(const IdmaBe *be, const IdmaBeBurst *b, uint32_t i)
{
    return (b->addr & ~(uint64_t)(be->cfg.bytes - 1)) +
           (uint64_t)i * be->cfg.bytes;
}

static uint32_t read_lane(const IdmaBe *be, const IdmaBeBurst *b, uint32_t i)
{
    return (i - b->shift) & (be->cfg.bytes - 1);
}

static uint32_t write_lane(const IdmaBe *be, const IdmaBeBurst *b, uint32_t i)
{
    return (i + b->shift) & (be->cfg.bytes - 1);
}

/* Whether the lanes hold the next write beat. */
static void look_at_lanes(IdmaBe *be)
{
    const IdmaBeBurst *b = &be->wr[be->wr_head];
    uint64_t mask;
    uint32_t i;

    be->pop = 0;
    be->w_ready = false;
    if (!be->wr_count) {
        return;
    }
    mask = beat_mask(be, b, be->w_beat);
    for (i = 0; i < be->cfg.bytes; i++) {
        if ((mask >> i & 1) && !be->lane_count[write_lane(be, b, i)]) {
            return;
        }
    }
    be->w_ready = true;
    be->w_mask = mask;
}

static bool wants_aw(const IdmaBe *be)
{
    return be->aw_count &&
           (be->cfg.decouple_aw ||
            (!be->aw_ahead && be->w_ready && !be->w_beat));
}

static void write_beat(IdmaBe *be, IdmaPort *p, uint64_t t)
{
    const IdmaBeBurst *b = &be->wr[be->wr_head];
    uint8_t data[IDMA_PORT_BYTES];
    uint32_t i, from = 0, n = 0;
    bool last = be->w_beat == b->beats - 1;

    for (i = 0; i < be->cfg.bytes; i++) {
        uint32_t l = write_lane(be, b, i);

        if (be->w_mask >> i & 1) {
            from = n ? from : i;
            data[n++] = be->lane[l][be->lane_head[l]];
            be->pop |= 1ull << l;
        }
    }
    idma_port_push_w(p, t, beat_addr(be, b, be->w_beat) + from, data, n, last);
    be->stats.first_w = least(be->stats.first_w, t);
    be->stats.last_w = t;
    be->w_beat++;
    if (last) {
        be->w_beat = 0;
        be->wr_head = wrap(be->wr_head, 1, IDMA_BE_AX);
        be->wr_count--;
        be->aw_ahead--;
    }
}

/* A read beat enters the lanes if all that it needs have room. */
static bool read_beat(IdmaBe *be, const IdmaPortBeat *beat, uint64_t t)
{
    const IdmaBeBurst *b = &be->rd[be->rd_head];
    uint64_t mask;
    uint32_t i;

    if (!be->rd_count) {
        return false;
    }
    mask = beat_mask(be, b, be->r_beat);
    for (i = 0; i < be->cfg.bytes; i++) {
        uint32_t l = read_lane(be, b, i);

        if ((mask >> i & 1) && be->lane_count[l] >= be->cfg.buffer_depth &&
            !(be->pop >> l & 1)) {
            return false;
        }
    }
    for (i = 0; i < be->cfg.bytes; i++) {
        uint32_t l = read_lane(be, b, i);

        if (mask >> i & 1) {
            be->lane[l][wrap(be->lane_head[l], be->lane_count[l],
                             IDMA_BE_BUFFER + 1)] = beat->data[i];
            be->lane_count[l]++;
        }
    }
    be->stats.first_r = least(be->stats.first_r, t);
    be->stats.last_r = t;
    be->r_beat++;
    if (beat->last) {
        be->r_beat = 0;
        be->rd_head = wrap(be->rd_head, 1, IDMA_BE_AX);
        be->rd_count--;
    }
    return true;
}

static void pop_lanes(IdmaBe *be)
{
    uint32_t l;

    for (l = 0; l < be->cfg.bytes; l++) {
        if (be->pop >> l & 1) {
            be->lane_head[l] = wrap(be->lane_head[l], 1, IDMA_BE_BUFFER + 1);
            be->lane_count[l]--;
        }
    }
}

/*
 * A clock
 */

static const char *placed(const IdmaBeConfig *c, const IdmaPort *port,
                          uint32_t n_port)
{
    if (c->read_port >= n_port ||
        port[c->read_port].cfg.bytes != c->bytes) {
        return "read_port";
    }
    if (c->read_master >= port[c->read_port].cfg.masters) {
        return "read_master";
    }
    if (c->write_port >= n_port ||
        port[c->write_port].cfg.bytes != c->bytes) {
        return "write_port";
    }
    if (c->write_master >= port[c->write_port].cfg.masters) {
        return "write_master";
    }
    return NULL;
}

const char *idma_array_check(const IdmaBe *be, uint32_t n_be,
                             const IdmaPort *port, uint32_t n_port)
{
    const char *bad;
    uint32_t i, k;

    for (i = 0; i < n_be; i++) {
        const IdmaBeConfig *a = &be[i].cfg;

        bad = placed(a, port, n_port);
        if (bad) {
            return bad;
        }
        for (k = 0; k < i; k++) {
            const IdmaBeConfig *b = &be[k].cfg;

            if (a->read_port == b->read_port &&
                a->read_master == b->read_master) {
                return "read_master";
            }
            if (a->write_port == b->write_port &&
                a->write_master == b->write_master) {
                return "write_master";
            }
        }
    }
    return NULL;
}

static IdmaBe *reader(IdmaBe *be, uint32_t n_be, uint32_t port, uint32_t master)
{
    uint32_t i;

    for (i = 0; i < n_be; i++) {
        if (be[i].cfg.read_port == port && be[i].cfg.read_master == master) {
            return &be[i];
        }
    }
    return NULL;
}

static IdmaBe *writer(IdmaBe *be, uint32_t n_be, uint32_t port, uint32_t master)
{
    uint32_t i;

    for (i = 0; i < n_be; i++) {
        if (be[i].cfg.write_port == port && be[i].cfg.write_master == master) {
            return &be[i];
        }
    }
    return NULL;
}

static void read_addresses(IdmaBe *be, uint32_t n_be, IdmaPort *p,
                           uint32_t index, uint64_t t)
{
    IdmaBe *winner;
    uint32_t mask = 0, i;
    int win;

    for (i = 0; i < n_be; i++) {
        if (be[i].cfg.read_port == index && be[i].ar_valid) {
            mask |= 1u << be[i].cfg.read_master;
        }
    }
    win = idma_port_grant_ar(p, mask);
    winner = win < 0 ? NULL : reader(be, n_be, index, win);
    if (winner) {
        idma_port_push_ar(p, t, &winner->ar);
        winner->ar_valid = false;
        winner->stats.first_ar = least(winner->stats.first_ar, t);
    }
}

static void write_channels(IdmaBe *be, uint32_t n_be, IdmaPort *p,
                           uint32_t index, uint64_t t)
{
    IdmaBe *winner, *owner;
    uint32_t mask = 0, i;
    int win, master;

    for (i = 0; i < n_be; i++) {
        if (be[i].cfg.write_port == index && wants_aw(&be[i])) {
            mask |= 1u << be[i].cfg.write_master;
        }
    }
    win = idma_port_grant_aw(p, t, mask);
    winner = win < 0 ? NULL : writer(be, n_be, index, win);

    /* the order of addresses counts from the next clock on */
    master = idma_port_w_master(p, t);
    owner = master < 0 ? NULL : writer(be, n_be, index, master);
    if (owner && owner->w_ready) {
        write_beat(owner, p, t);
    }
    if (winner) {
        const IdmaBeBurst *b = &winner->aw[winner->aw_head];
        IdmaPortBurst burst = {
            .addr = b->addr, .len = b->len, .beats = b->beats,
            .master = winner->cfg.write_master,
        };

        idma_port_push_aw(p, t, &burst);
        winner->aw_head = wrap(winner->aw_head, 1, IDMA_BE_AX);
        winner->aw_count--;
        winner->aw_ahead++;
        winner->stats.first_aw = least(winner->stats.first_aw, t);
    }
}

static void read_channel(IdmaBe *be, uint32_t n_be, IdmaPort *p,
                         uint32_t index, uint64_t t)
{
    const IdmaPortBeat *beat = idma_port_r(p, t);
    IdmaBe *owner;

    if (beat) {
        owner = reader(be, n_be, index, beat->master);
        idma_port_pop_r(p, t, owner && read_beat(owner, beat, t));
    }
}

static void answers(IdmaBe *be, uint32_t n_be, IdmaPort *p, uint32_t index,
                    uint64_t t)
{
    int master = idma_port_pop_b(p, t);
    IdmaBe *owner = master < 0 ? NULL : writer(be, n_be, index, master);

    if (owner && owner->last_count) {
        if (owner->last[owner->last_head]) {
            answer(owner, IDMA_MID_OK);
        }
        owner->last_head = wrap(owner->last_head, 1, 2 * IDMA_BE_AX);
        owner->last_count--;
        owner->stats.last_b = t;
    }
}

void idma_array_step(IdmaBe *be, uint32_t n_be, IdmaPort *port,
                     uint32_t n_port, uint64_t t)
{
    uint32_t i;

    for (i = 0; i < n_port; i++) {
        idma_port_offer(&port[i], t);
    }
    for (i = 0; i < n_be; i++) {
        legalize(&be[i]);
        look_at_lanes(&be[i]);
    }
    for (i = 0; i < n_port; i++) {
        read_addresses(be, n_be, &port[i], i, t);
        write_channels(be, n_be, &port[i], i, t);
    }
    for (i = 0; i < n_port; i++) {
        read_channel(be, n_be, &port[i], i, t);
    }
    for (i = 0; i < n_be; i++) {
        pop_lanes(&be[i]);
    }
    for (i = 0; i < n_port; i++) {
        answers(be, n_be, &port[i], i, t);
    }
    for (i = 0; i < n_be; i++) {
        legalize_end(&be[i], t);
    }
}

/*
 * A distributed iDMA
 */

const char *idma_multi_init(IdmaMulti *m, uint64_t boundary,
                            const IdmaMidRegion *region, IdmaBe *be,
                            uint32_t n_be, IdmaPort *port, uint32_t n_port)
{
    if (!idma_mp_split_init(&m->split, boundary, region)) {
        return "boundary";
    }
    if (n_be != 1 && !idma_mp_tree_init(&m->tree, n_be, boundary, region)) {
        return "n_be";
    }
    m->be = be;
    m->n_be = n_be;
    m->port = port;
    m->n_port = n_port;
    return idma_array_check(be, n_be, port, n_port);
}

bool idma_multi_put(IdmaMulti *m, const IdmaMidReq *req)
{
    return idma_mp_split_put(&m->split, req);
}

/* The mid-ends take no clock: a piece may reach its back-end in this one. */
static void hand_down(IdmaMulti *m)
{
    IdmaMidReq req;
    uint32_t i;

    if (m->n_be == 1) {
        if (idma_mp_split_peek(&m->split, &req) && idma_be_put(m->be, &req)) {
            idma_mp_split_pop(&m->split);
        }
        return;
    }
    if (idma_mp_split_peek(&m->split, &req) &&
        idma_mp_tree_put(&m->tree, &req)) {
        idma_mp_split_pop(&m->split);
    }
    idma_mp_tree_settle(&m->tree);
    for (i = 0; i < m->n_be; i++) {
        if (idma_mp_tree_peek(&m->tree, i, &req) &&
            idma_be_put(&m->be[i], &req)) {
            idma_mp_tree_pop(&m->tree, i);
        }
    }
}

static void hand_up(IdmaMulti *m)
{
    IdmaMidError error;
    uint32_t i;

    for (i = 0; i < m->n_be; i++) {
        while (idma_be_done(&m->be[i], &error)) {
            if (m->n_be == 1) {
                idma_mp_split_answer(&m->split, error);
            } else {
                idma_mp_tree_answer(&m->tree, i, error);
            }
        }
    }
    while (m->n_be > 1 && idma_mp_tree_done(&m->tree, &error)) {
        idma_mp_split_answer(&m->split, error);
    }
}

void idma_multi_step(IdmaMulti *m, uint64_t t)
{
    hand_down(m);
    idma_array_step(m->be, m->n_be, m->port, m->n_port, t);
    hand_up(m);
}

bool idma_multi_done(IdmaMulti *m, IdmaMidError *error)
{
    return idma_mp_split_done(&m->split, error);
}
