/*
 * Engine tests: random chains against a slow reference that knows nothing of
 * the engine, and timing modes against each other
 *
 * The reference copies byte by byte in launch order.  All memory is compared,
 * not only the buffers.  TEST_ROUNDS and TEST_SEED in the environment change
 * how much and from where.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "testlib.h"

#define FAR         (1ull << 40)
#define MAX_DESC    120

typedef struct Desc {
    uint64_t at, src, dst;
    uint32_t len, flags;
    bool last;              /* of its chain */
} Desc;

typedef struct Scene {
    IdmaEngineConfig cfg;
    IdmaEngineFaults faults;
    Desc d[MAX_DESC];
    unsigned n;
    uint64_t gap;           /* cycles between launches */
    bool with_faults;
} Scene;

/* What can be seen from outside when a scene has run. */
typedef struct Outcome {
    uint64_t desc_hash, dst_hash;
    uint64_t irqs, marks, zero, bytes_read, bytes_written;
    uint64_t read_bursts, write_bursts;
    uint64_t bus_errors[IDMA_BUS_KINDS];
    uint64_t dropped, skipped, injected;
    uint64_t mark_order;    /* hash of the marks' addresses */
    uint64_t head_hits;
} Outcome;

static World *w;
static uint64_t mark_hash;

static void on_event(World *world, const IdmaTraceEvent *ev)
{
    (void)world;
    if (ev->type == IDMA_TRACE_MARK) {
        mark_hash = (mark_hash ^ ev->addr) * 0x100000001b3ull;
    }
}

static uint64_t hash(const uint8_t *p, size_t n)
{
    uint64_t h = 0xcbf29ce484222325ull;

    while (n) {
        uint64_t v;

        memcpy(&v, p, 8);
        h = (h ^ v) * 0x100000001b3ull;
        h ^= h >> 29;
        p += 8;
        n -= 8;
    }
    return h;
}

static void make_scene(Scene *s, uint64_t *seed)
{
    static const uint8_t latencies[] = { 0, 1, 2, 13, 40, 100 };
    static const uint8_t nspecs[] = { 0, 1, 2, 3, 4, 8, 16 };
    uint64_t at = DESC_BASE, src = SRC_BASE, dst = DST_BASE;
    unsigned layout = rnd(seed) % 5, i;
    uint32_t biggest = 1u << (rnd(seed) % 13);

    memset(s, 0, sizeof(*s));
    idma_engine_config_default(&s->cfg);
    s->cfg.n_speculation = nspecs[rnd(seed) % sizeof(nspecs)];
    s->cfg.num_ax_in_flight = 2 + rnd(seed) % 15;
    s->cfg.buffer_depth = 2 + rnd(seed) % 4;
    s->cfg.pending_fifo_depth = 1 + rnd(seed) % 16;
    s->cfg.input_fifo_depth = 1 + rnd(seed) % 10;
    s->cfg.read_latency = s->cfg.write_latency =
        latencies[rnd(seed) % sizeof(latencies)];
    if (rnd(seed) % 3 == 0) {
        s->cfg.mem_mode = IDMA_MEM_DIRECT;
        /* much slower writes than reads make the RTL drop an entry */
        s->cfg.write_latency = s->cfg.read_latency / 2;
    }
    if (rnd(seed) % 4 == 0) {
        s->cfg.mem_reads = rnd(seed) % 5;
        s->cfg.mem_writes = rnd(seed) % 5;
        s->cfg.read_interval = 1 + rnd(seed) % 3;
        s->cfg.write_interval = 1 + rnd(seed) % 3;
        /* gaps in descriptors make the RTL hang */
        s->cfg.lossless = 1;
    }
    s->cfg.max_burst_beats = 1u << (rnd(seed) % 9);
    s->gap = rnd(seed) % 3 ? 2 : rnd(seed) % 1000;
    s->n = 1 + rnd(seed) % MAX_DESC;
    for (i = 0; i < s->n; i++) {
        Desc *d = &s->d[i];

        switch (layout) {
        case 0:
            at += 32;
            break;
        case 1:
            at += 64;
            break;
        case 2:
            at += 32 * (1 + rnd(seed) % 4);
            break;
        case 3:
            at = DESC_BASE + 32 * (MAX_DESC - i);
            break;
        case 4:
            at += i % 4 ? 32 : 0x1000 - 96;
            break;
        }
        d->at = at + 0x100;
        d->len = rnd(seed) % (biggest + 1);
        if (rnd(seed) % 20 == 0) {
            d->len = rnd(seed) % 10000;
        }
        d->src = src + rnd(seed) % 64;
        d->dst = dst + rnd(seed) % 64;
        src = (d->src + d->len + 7) & ~7ull;
        dst = (d->dst + d->len + 7) & ~7ull;
        if (rnd(seed) % 4 == 0) {
            src = (src + 0xfff) & ~0xfffull;
            dst = ((dst + 0xfff) & ~0xfffull) + 2040;
        }
        d->flags = IDMA_FLAGS_PLAIN;
        if (rnd(seed) % 4 == 0) {
            d->flags ^= IDMA_FLAG_IRQ;
        }
        if (rnd(seed) % 4 == 0) {
            d->flags |= IDMA_FLAG_DECOUPLE_AW;
        }
        if (rnd(seed) % 8 == 0) {
            d->flags |= IDMA_FLAG_REDUCE_LEN;
        }
        if (rnd(seed) % 4 == 0) {
            d->flags |= IDMA_FLAG_DECOUPLE_RW;
        }
        if (rnd(seed) % 8 == 0) {
            d->flags &= ~(3u << IDMA_FLAG_SRC_BURST_S);
            d->flags |= rnd(seed) % 3 << IDMA_FLAG_SRC_BURST_S;
        }
        if (rnd(seed) % 8 == 0) {
            d->flags &= ~(3u << IDMA_FLAG_DST_BURST_S);
            d->flags |= rnd(seed) % 3 << IDMA_FLAG_DST_BURST_S;
        }
        /* ids and cache attributes make no difference to the data */
        d->flags |= (rnd(seed) & 0xffff) << 8;
        if (dst - DST_BASE > BUF_SIZE - 0x8000) {
            s->n = i + 1;
        }
        d->last = i + 1 == s->n || rnd(seed) % 6 == 0;
    }
}

static void make_faults(Scene *s, uint64_t *seed)
{
    IdmaErrRange *r = s->faults.err;
    unsigned i;

    s->with_faults = true;
    s->faults.drop_irq_every = rnd(seed) % 5;
    s->faults.drop_irq_nth = rnd(seed) % 9;
    s->faults.delay_irq = rnd(seed) % 2 ? rnd(seed) % 5000 : 0;
    s->faults.skip_write_every = rnd(seed) % 7;
    s->faults.delay_transfer = rnd(seed) % 4 ? 0 : rnd(seed) % 200;
    s->faults.delay_guess = rnd(seed) % 4 ? 0 : rnd(seed) % 200;
    s->faults.err_keep_data = rnd(seed) % 2;
    for (i = 0; i < 3; i++, r++) {
        static const uint64_t bases[] = { SRC_BASE, DST_BASE };

        r->base = bases[rnd(seed) % 2] + rnd(seed) % 20000;
        r->size = rnd(seed) % 20000;
        r->kinds = 1u << IDMA_BUS_READ | 1u << IDMA_BUS_WRITE;
        r->resp = IDMA_RESP_SLVERR + rnd(seed) % 2;
        r->every = rnd(seed) % 4;
    }
}

static void write_scene(const Scene *s)
{
    unsigned i;

    for (i = 0; i < s->n; i++) {
        const Desc *d = &s->d[i];

        put_desc(w, d->at, d->len, d->flags,
                 d->last ? IDMA_DESC_END : s->d[i + 1].at, d->src, d->dst);
    }
}

static bool run_scene(const Scene *s, IdmaTiming timing, Outcome *o,
                      uint64_t fill)
{
    uint64_t t = 0;
    unsigned i, k;
    bool head = true;

    test_timing = timing;
    mark_hash = 0;
    w->record = false;
    w->hook = on_event;
    world_start(w, &s->cfg, fill);
    CHECK(idma_engine_set_faults(&w->e, &s->faults));
    write_scene(s);
    for (i = 0; i < s->n; i++) {
        if (head) {
            while (launch(w, t, s->d[i].at) != IDMA_REG_OK) {
                t = idma_engine_next(&w->e);
                if (t > FAR) {
                    return false;
                }
                idma_engine_run(&w->e, t, UINT64_MAX);
            }
            t = idma_engine_now(&w->e) + s->gap;
        }
        head = s->d[i].last;
    }
    if (!run_idle(w, FAR)) {
        return false;
    }
    memset(o, 0, sizeof(*o));
    o->desc_hash = hash(w->region[R_DESC].mem, DESC_SIZE);
    o->dst_hash = hash(w->region[R_DST].mem, BUF_SIZE);
    o->irqs = w->irqs;
    o->marks = w->e.stats.marks;
    o->zero = w->e.stats.zero_length;
    o->bytes_read = w->e.stats.bytes_read;
    o->bytes_written = w->e.stats.bytes_written;
    o->read_bursts = w->e.stats.read_bursts;
    o->write_bursts = w->e.stats.write_bursts;
    for (k = 0; k < IDMA_BUS_KINDS; k++) {
        o->bus_errors[k] = w->e.stats.bus_errors[k];
    }
    o->dropped = w->e.stats.faults[IDMA_FAULT_IRQ_DROPPED];
    o->skipped = w->e.stats.faults[IDMA_FAULT_WRITE_SKIPPED];
    o->injected = w->e.stats.faults[IDMA_FAULT_BUS_ERROR];
    o->mark_order = mark_hash;
    o->head_hits = w->e.stats.head_hits;
    return true;
}

/* Does a burst of one side end before byte k of the transfer? */
static bool ends_at(const Scene *s, const Desc *d, bool src, uint32_t k)
{
    uint32_t window = 8 * s->cfg.max_burst_beats;

    if (d->flags & IDMA_FLAG_REDUCE_LEN) {
        window = 8;
    }
    window = window > 4096 ? 4096 : window;
    if (!(d->flags & IDMA_FLAG_DECOUPLE_RW)) {
        /* one side has to wait for the other */
        return !k || k == d->len || !((d->src + k) % window) ||
               !((d->dst + k) % window);
    }
    return !k || k == d->len || !(((src ? d->src : d->dst) + k) % window);
}

/* Where byte k of one side of a transfer goes, as AXI has it. */
static uint64_t byte_at(const Scene *s, const Desc *d, bool src, uint32_t k)
{
    uint64_t mine = src ? d->src : d->dst;
    unsigned type = d->flags >> (src ? IDMA_FLAG_SRC_BURST_S :
                                 IDMA_FLAG_DST_BURST_S) & 3;
    uint32_t begin = k, end = k + 1, beats, beat;
    uint64_t word, size;

    if (type != 0 && type != 2) {
        return mine + k;
    }
    while (!ends_at(s, d, src, begin)) {
        begin--;
    }
    while (!ends_at(s, d, src, end)) {
        end++;
    }
    word = (mine + begin) / 8 * 8;
    beats = (mine + end - 1) / 8 - word / 8 + 1;
    beat = (mine + k) / 8 - word / 8;
    if (type == 0) {
        return word + (mine + k) % 8;
    }
    if (beats != 2 && beats != 4 && beats != 8 && beats != 16) {
        return mine + k;
    }
    size = 8ull * beats;
    return word / size * size + (word + 8ull * beat) % size + (mine + k) % 8;
}

/* The reference: bytes in launch order, then a mark. */
static void reference(const Scene *s, Outcome *o, uint64_t fill)
{
    unsigned i;
    uint32_t k;

    memset(o, 0, sizeof(*o));
    mark_hash = 0;
    world_start(w, &s->cfg, fill);
    write_scene(s);
    for (i = 0; i < s->n; i++) {
        const Desc *d = &s->d[i];

        for (k = 0; k < d->len; k++) {
            *mem_at(w, byte_at(s, d, false, k)) =
                *mem_at(w, byte_at(s, d, true, k));
        }
        put64(w, d->at, UINT64_MAX);
        mark_hash = (mark_hash ^ d->at) * 0x100000001b3ull;
        o->irqs += d->flags & IDMA_FLAG_IRQ;
        o->marks++;
        o->zero += !d->len;
        o->bytes_read += d->len;
    }
    o->bytes_written = o->bytes_read;
    o->mark_order = mark_hash;
    o->desc_hash = hash(w->region[R_DESC].mem, DESC_SIZE);
    o->dst_hash = hash(w->region[R_DST].mem, BUF_SIZE);
}

static void against_reference(IdmaTiming timing, unsigned rounds,
                              uint64_t seed)
{
    unsigned r;

    test_timing = timing;
    plan_subtest("random chains end as the reference says");
    for (r = 0; r < rounds; r++) {
        uint64_t s_seed = seed + r, fill = seed + r;
        Scene s;
        Outcome got = { 0 }, want;

        make_scene(&s, &s_seed);
        snprintf(test_context, sizeof(test_context),
                 "(TEST_SEED=%" PRIu64 " TEST_ROUNDS=1, n %u nspec %u)",
                 seed + r, s.n, s.cfg.n_speculation);
        reference(&s, &want, fill);
        CHECK(run_scene(&s, timing, &got, fill));
        CHECK_EQ(got.dst_hash, want.dst_hash);
        CHECK_EQ(got.desc_hash, want.desc_hash);
        CHECK_EQ(got.irqs, want.irqs);
        CHECK_EQ(got.marks, want.marks);
        CHECK_EQ(got.zero, want.zero);
        CHECK_EQ(got.bytes_read, want.bytes_read);
        CHECK_EQ(got.bytes_written, want.bytes_written);
        CHECK_EQ(got.mark_order, want.mark_order);
        CHECK_EQ(w->outside, 0);
    }
    subtest_done();
}

/* With faults there is no simple reference; the two modes are each other's. */
static void modes_agree(unsigned rounds, uint64_t seed)
{
    unsigned r, k;

    test_timing = IDMA_TIMING_CYCLE;
    plan_subtest("with faults, both timing modes have the same outcome");
    for (r = 0; r < rounds; r++) {
        uint64_t s_seed = seed + r, fill = seed + r;
        Outcome f = { 0 }, c = { 0 };
        Scene s;

        make_scene(&s, &s_seed);
        make_faults(&s, &s_seed);
        snprintf(test_context, sizeof(test_context),
                 "(TEST_SEED=%" PRIu64 " TEST_ROUNDS=1, n %u nspec %u)",
                 seed + r, s.n, s.cfg.n_speculation);
        CHECK(run_scene(&s, IDMA_TIMING_FUNCTIONAL, &f, fill));
        CHECK(run_scene(&s, IDMA_TIMING_CYCLE, &c, fill));
        CHECK_EQ(c.dst_hash, f.dst_hash);
        CHECK_EQ(c.desc_hash, f.desc_hash);
        CHECK_EQ(c.irqs, f.irqs);
        CHECK_EQ(c.marks, f.marks);
        CHECK_EQ(c.zero, f.zero);
        CHECK_EQ(c.bytes_read, f.bytes_read);
        CHECK_EQ(c.bytes_written, f.bytes_written);
        CHECK_EQ(c.read_bursts, f.read_bursts);
        CHECK_EQ(c.write_bursts, f.write_bursts);
        CHECK_EQ(c.dropped, f.dropped);
        CHECK_EQ(c.skipped, f.skipped);
        CHECK_EQ(c.injected, f.injected);
        CHECK_EQ(c.mark_order, f.mark_order);
        for (k = 0; k < IDMA_BUS_KINDS; k++) {
            CHECK_EQ(c.bus_errors[k], f.bus_errors[k]);
        }
    }
    subtest_done();
}

int main(void)
{
    const char *rounds_s = getenv("TEST_ROUNDS"), *seed_s = getenv("TEST_SEED");
    unsigned rounds = rounds_s ? strtoul(rounds_s, NULL, 0) : 120;
    uint64_t seed = seed_s ? strtoull(seed_s, NULL, 0) : 20240601;

    w = world_new();
    against_reference(IDMA_TIMING_FUNCTIONAL, rounds, seed);
    against_reference(IDMA_TIMING_CYCLE, rounds, seed);
    modes_agree(rounds, seed);
    world_free(w);
    return all_done();
}
