/*
 * Engine tests: back-ends of any width on shared ports
 *
 * Against the 64-bit engine, which is checked against the RTL, in every cycle
 * that both have; against a byte-by-byte copy in everything else.  TEST_ROUNDS
 * and TEST_SEED in the environment change how much and from where.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "testlib.h"
#include "../idma-array.h"

#define MEM_SIZE    0x40000u
#define L1_BASE     0x10000000ull   /* what mp_split and mp_dist look at */
#define L2_BASE     0x80000000ull

static const IdmaMidRegion region = { L1_BASE, L1_BASE + MEM_SIZE };
static unsigned rounds;
static uint64_t seed0;
static uint8_t l1[MEM_SIZE], l2[MEM_SIZE], ref1[MEM_SIZE], ref2[MEM_SIZE];
static uint64_t outside;

static uint8_t *mem(uint64_t addr, uint32_t len)
{
    if (addr >= L1_BASE && addr + len <= L1_BASE + MEM_SIZE) {
        return l1 + (addr - L1_BASE);
    }
    if (addr >= L2_BASE && addr + len <= L2_BASE + MEM_SIZE) {
        return l2 + (addr - L2_BASE);
    }
    outside++;
    return NULL;
}

static void a_read(void *opaque, uint64_t addr, void *buf, uint32_t len)
{
    uint8_t *p = mem(addr, len);

    (void)opaque;
    if (p) {
        memcpy(buf, p, len);
    }
}

static void a_write(void *opaque, uint64_t addr, const void *buf, uint32_t len)
{
    uint8_t *p = mem(addr, len);

    (void)opaque;
    if (p) {
        memcpy(p, buf, len);
    }
}

static const IdmaPortOps ops = { a_read, a_write };

static void fill(uint64_t s)
{
    unsigned i;

    for (i = 0; i < MEM_SIZE; i++) {
        l1[i] = ref1[i] = rnd(&s);
        l2[i] = ref2[i] = rnd(&s);
    }
    outside = 0;
}

/*
 * The cycles of one descriptor on both.
 */

typedef struct Cycles {
    uint64_t req, ar, r, aw, w, last_r, last_w, last_b, read_bursts,
             write_bursts;
} Cycles;

static void on_event(World *w, const IdmaTraceEvent *ev)
{
    Cycles *c = w->hook_arg;

    if (ev->type == IDMA_TRACE_REQUEST) {
        c->req = ev->cycle;
    } else if (ev->arg == 1) {
        switch (ev->type) {
        case IDMA_TRACE_AR:
            c->ar = c->ar ? c->ar : ev->cycle;
            c->read_bursts++;
            break;
        case IDMA_TRACE_R_BEAT:
            c->r = c->r ? c->r : ev->cycle;
            c->last_r = ev->cycle;
            break;
        case IDMA_TRACE_AW:
            c->aw = c->aw ? c->aw : ev->cycle;
            c->write_bursts++;
            break;
        case IDMA_TRACE_W_BEAT:
            c->w = c->w ? c->w : ev->cycle;
            c->last_w = ev->cycle;
            break;
        case IDMA_TRACE_B:
            c->last_b = ev->cycle;
            break;
        default:
            break;
        }
    }
}

static void against_engine(void)
{
    World *w = world_new();
    static IdmaPort port;
    static IdmaBe be;
    unsigned r;

    plan_subtest("a back-end has the cycles of the engine's");
    w->record = false;
    w->hook = on_event;
    for (r = 0; r < rounds * 2; r++) {
        uint64_t s = seed0 + r, t = 0;
        bool cuts = rnd(&s) & 1, done;
        uint32_t latency = rnd(&s) % 3 ? rnd(&s) % 30 : rnd(&s) % 200;
        uint32_t b_latency = cuts ? latency : rnd(&s) % 100;
        uint32_t len = rnd(&s) % 4 ? 1 + rnd(&s) % 400 : 1 + rnd(&s) % 9000;
        uint64_t src = SRC_BASE + rnd(&s) % 8192;
        uint64_t dst = DST_BASE + rnd(&s) % 8192;
        bool decouple_rw = !(rnd(&s) % 4), decouple_aw = !(rnd(&s) % 4);
        IdmaEngineConfig cfg;
        IdmaPortConfig pc;
        IdmaBeConfig bc;
        IdmaMidReq req;
        Cycles c = { 0 };

        snprintf(test_context, sizeof(test_context),
                 "(TEST_SEED=%" PRIu64 " TEST_ROUNDS=1)", seed0 + r);
        /* a misaligned copy of several bursts can deadlock without it */
        decouple_rw = decouple_rw && len <= 64;
        idma_engine_config_default(&cfg);
        cfg.n_speculation = 0;
        cfg.num_ax_in_flight = 2 + rnd(&s) % 16;
        cfg.buffer_depth = 2 + rnd(&s) % 6;
        cfg.max_burst_beats = 1u << rnd(&s) % 9;
        cfg.read_interval = rnd(&s) % 4 ? 1 : 1 + rnd(&s) % 3;
        cfg.write_interval = rnd(&s) % 4 ? 1 : 1 + rnd(&s) % 3;
        cfg.mem_reads = rnd(&s) % 3 ? 0 : 1 + rnd(&s) % 6;
        cfg.mem_writes = rnd(&s) % 3 ? 0 : 1 + rnd(&s) % 6;
        cfg.mem_mode = cuts ? IDMA_MEM_CUTS : IDMA_MEM_DIRECT;
        cfg.read_latency = latency;
        cfg.write_latency = b_latency;
        cfg.lossless = 1;
        w->hook_arg = &c;
        world_start(w, &cfg, r);
        put_desc(w, DESC_BASE, len, IDMA_FLAGS_PLAIN |
                 (decouple_rw ? IDMA_FLAG_DECOUPLE_RW : 0) |
                 (decouple_aw ? IDMA_FLAG_DECOUPLE_AW : 0), IDMA_DESC_END,
                 src, dst);
        launch(w, 0, DESC_BASE);
        CHECK(run_idle(w, 1000000));

        idma_port_config_cuts(&pc, 8, latency);
        if (!cuts) {
            pc.r_way = pc.w_way = 0;
            pc.b_way = b_latency;
        }
        pc.read_num = cfg.read_interval;
        pc.write_num = cfg.write_interval;
        pc.reads = cfg.mem_reads;
        pc.writes = cfg.mem_writes;
        bc = (IdmaBeConfig) {
            .bytes = 8, .num_ax_in_flight = cfg.num_ax_in_flight,
            .buffer_depth = cfg.buffer_depth,
            .read_beats = cfg.max_burst_beats,
            .write_beats = cfg.max_burst_beats,
            .decouple_rw = decouple_rw, .decouple_aw = decouple_aw,
        };
        req = (IdmaMidReq) { .src = src, .dst = dst, .len = len };
        CHECK(idma_port_init(&port, &pc, NULL, NULL));
        CHECK(idma_be_init(&be, &bc));
        CHECK(!idma_array_check(&be, 1, &port, 1));
        CHECK(idma_be_put(&be, &req));
        do {
            idma_array_step(&be, 1, &port, 1, t++);
            done = idma_be_done(&be, NULL);
        } while (!done && t < 1000000);
        CHECK(done);
        CHECK(idma_be_idle(&be));
        CHECK(idma_port_idle(&port));
        CHECK_EQ(be.stats.first_req, 0);
        CHECK_EQ(be.stats.first_ar, c.ar - c.req);
        CHECK_EQ(be.stats.first_r, c.r - c.req);
        CHECK_EQ(be.stats.first_aw, c.aw - c.req);
        CHECK_EQ(be.stats.first_w, c.w - c.req);
        CHECK_EQ(be.stats.last_r, c.last_r - c.req);
        CHECK_EQ(be.stats.last_w, c.last_w - c.req);
        CHECK_EQ(be.stats.last_b, c.last_b - c.req);
        CHECK_EQ(port.stats.read_bursts, c.read_bursts);
        CHECK_EQ(port.stats.write_bursts, c.write_bursts);
        CHECK_EQ(port.stats.read_bytes, len);
        CHECK_EQ(port.stats.write_bytes, len);
    }
    world_free(w);
    subtest_done();
}

/*
 * Whole systems: random transfers through mp_split, a tree, back-ends that
 * share one port for L2 and have one of their own or share it for L1.
 */

#define MAX_BE      16

static void systems(void)
{
    static IdmaPort port[1 + MAX_BE];
    static IdmaBe be[MAX_BE];
    static IdmaMulti m;
    unsigned r;

    plan_subtest("distributed copies: every byte once, nothing else touched");
    for (r = 0; r < rounds; r++) {
        uint64_t s = seed0 + r, t = 0;
        uint32_t n_be = 1u << rnd(&s) % 5, bytes = 1u << rnd(&s) % 7;
        uint64_t boundary = 1ull << (4 + rnd(&s) % 8);
        bool own = rnd(&s) & 1, waiting = false;
        uint32_t n_port = own ? 1 + n_be : 2, i, n, out = 0, sent = 0;
        uint64_t at = 0, total = 0, moved = 0, budget;
        IdmaMidReq req = { .len = 0 };
        IdmaMidError e, want[64];

        snprintf(test_context, sizeof(test_context),
                 "(TEST_SEED=%" PRIu64 " TEST_ROUNDS=1)", seed0 + r);
        fill(s);
        for (i = 0; i < n_port; i++) {
            IdmaPortConfig pc;

            idma_port_config_cuts(&pc, bytes, rnd(&s) % 20);
            pc.masters = n_be;
            pc.read_den = 1 + rnd(&s) % 4;
            pc.read_num = pc.read_den + rnd(&s) % 5;
            pc.reads = rnd(&s) % 2 ? 0 : 1 + rnd(&s) % 8;
            pc.writes = rnd(&s) % 2 ? 0 : 1 + rnd(&s) % 8;
            CHECK(idma_port_init(&port[i], &pc, &ops, NULL));
        }
        for (i = 0; i < n_be; i++) {
            IdmaBeConfig bc = {
                .bytes = bytes, .num_ax_in_flight = 1 + rnd(&s) % 16,
                .buffer_depth = 2 + rnd(&s) % 6,
                .read_beats = 1u << rnd(&s) % 9,
                .write_beats = 1u << rnd(&s) % 9,
                /* on a shared port that can deadlock, see the header */
                .decouple_aw = (rnd(&s) & 1) && own,
                .read_port = 0, .read_master = i,
                .write_port = own ? 1 + i : 1, .write_master = i,
            };

            CHECK(idma_be_init(&be[i], &bc));
        }
        CHECK(!idma_multi_init(&m, boundary, &region, be, n_be, port, n_port));
        n = 1 + rnd(&s) % 40;
        budget = 100000;
        while (out < n && t < budget) {
            if (!waiting && sent < n) {
                uint64_t gap = rnd(&s) % 16, len = rnd(&s) % 3000;
                uint64_t from = rnd(&s) % (MEM_SIZE - 4096);

                len = rnd(&s) % 12 ? len : 0;
                /* destinations do not overlap: order does not matter */
                if (at + gap + len > MEM_SIZE) {
                    len = 0;
                    gap = 0;
                }
                req = (IdmaMidReq) {
                    .src = L2_BASE + from, .dst = L1_BASE + at + gap,
                    .len = len,
                };
                memcpy(ref1 + at + gap, ref2 + from, len);
                at += gap + len;
                total += len;
                budget += 40 * len + 10000;
                want[sent] = len ? IDMA_MID_OK : IDMA_MID_ERR_ZERO_LENGTH;
                waiting = true;
            }
            if (waiting && idma_multi_put(&m, &req)) {
                waiting = false;
                sent++;
            }
            idma_multi_step(&m, t++);
            while (idma_multi_done(&m, &e)) {
                if (out == sent) {
                    CHECK(false);
                    break;
                }
                CHECK_EQ(e, want[out]);
                out++;
            }
        }
        CHECK_EQ(out, n);
        CHECK_EQ(outside, 0);
        CHECK(!memcmp(l1, ref1, MEM_SIZE));
        CHECK(!memcmp(l2, ref2, MEM_SIZE));
        for (i = 0; i < n_be; i++) {
            CHECK(idma_be_idle(&be[i]));
            moved += be[i].stats.bytes;
        }
        CHECK_EQ(moved, total);
        CHECK_EQ(port[0].stats.read_bytes, total);
        for (i = 0; i < n_port; i++) {
            CHECK(idma_port_idle(&port[i]));
        }
    }
    subtest_done();
}

/* Who waits for whom: shares of a port are equal, and it is never idle. */
static void shares(void)
{
    static IdmaPort port[2];
    static IdmaBe be[4];
    uint32_t n, i;

    plan_subtest("back-ends share a port fairly and fill it");
    for (n = 1; n <= 4; n++) {
        IdmaPortConfig pc;
        uint64_t t, least = UINT64_MAX, most = 0, beats, done[4] = { 0 };

        idma_port_config_cuts(&pc, 64, 10);
        pc.masters = 4;
        idma_port_init(&port[0], &pc, NULL, NULL);
        idma_port_config_cuts(&pc, 64, 1);
        pc.masters = 4;
        idma_port_init(&port[1], &pc, NULL, NULL);
        for (i = 0; i < n; i++) {
            IdmaBeConfig bc = {
                .bytes = 64, .num_ax_in_flight = 8, .buffer_depth = 3,
                .read_beats = 256, .write_beats = 256, .decouple_aw = true,
                .read_master = i, .write_port = 1, .write_master = i,
            };

            CHECK(idma_be_init(&be[i], &bc));
        }
        for (t = 0; t < 10000; t++) {
            for (i = 0; i < n; i++) {
                IdmaMidReq req = { .src = L2_BASE, .dst = L1_BASE,
                                   .len = 4096 };

                idma_be_put(&be[i], &req);
                while (idma_be_done(&be[i], NULL)) {
                    done[i]++;
                }
            }
            idma_array_step(be, n, port, 2, t);
        }
        for (i = 0; i < n; i++) {
            uint64_t b = 4096 * done[i];

            least = b < least ? b : least;
            most = b > most ? b : most;
        }
        beats = port[0].stats.read_beats;
        snprintf(test_context, sizeof(test_context),
                 "(n %u, beats %" PRIu64 ", %" PRIu64 "..%" PRIu64 ")", n,
                 beats, least, most);
        /* all cycles but the first ones, in which nothing has come yet */
        CHECK(beats >= 10000 - 60 && beats <= 10000);
        CHECK(most - least <= 2 * 4096);
    }
    subtest_done();
}

/* Bandwidth is what the fraction says, in the long run exactly. */
static void pace(void)
{
    static const uint32_t rate[][2] = {
        { 1, 1 }, { 9, 5 }, { 7, 3 }, { 2, 1 }, { 227328, 135623 },
    };
    static IdmaPort port[2];
    static IdmaBe be;
    unsigned i;

    plan_subtest("a port's bandwidth");
    for (i = 0; i < sizeof(rate) / sizeof(rate[0]); i++) {
        IdmaBeConfig bc = {
            .bytes = 8, .num_ax_in_flight = 8, .buffer_depth = 3,
            .read_beats = 256, .write_beats = 256, .write_port = 1,
            .decouple_aw = true,
        };
        uint64_t beats = 32768, t = 0, span;
        IdmaMidReq req = { .src = 0, .dst = 0, .len = 8 * beats };
        IdmaPortConfig pc;

        idma_port_config_cuts(&pc, 8, 3);
        idma_port_init(&port[0], &pc, NULL, NULL);
        pc.write_num = rate[i][0];
        pc.write_den = rate[i][1];
        idma_port_init(&port[1], &pc, NULL, NULL);
        idma_be_init(&be, &bc);
        CHECK(idma_be_put(&be, &req));
        do {
            idma_array_step(&be, 1, port, 2, t++);
        } while (!idma_be_done(&be, NULL) && t < 1000000);
        span = port[1].stats.last_w - port[1].stats.first_w;
        CHECK_EQ(span, (beats - 1) * rate[i][0] / rate[i][1]);
    }
    subtest_done();
}

static void refusals(void)
{
    static IdmaPort port[2];
    static IdmaBe be[2];
    static IdmaMulti m;
    const IdmaBeConfig good = {
        .bytes = 8, .num_ax_in_flight = 8, .buffer_depth = 3,
        .read_beats = 256, .write_beats = 1,
    };
    IdmaPortConfig pc;
    IdmaBeConfig bc;

    plan_subtest("an array that cannot be built is refused by name");
#define PORT_BAD(member, value, name) do {                      \
        idma_port_config_cuts(&pc, 8, 1);                       \
        CHECK(!idma_port_config_check(&pc));                    \
        pc.member = (value);                                    \
        CHECK(idma_port_config_check(&pc) &&                    \
              !strcmp(idma_port_config_check(&pc), (name)));    \
        CHECK(!idma_port_init(&port[0], &pc, NULL, NULL));      \
    } while (0)
    PORT_BAD(bytes, 0, "bytes");
    PORT_BAD(bytes, 24, "bytes");
    PORT_BAD(bytes, 128, "bytes");
    PORT_BAD(masters, 0, "masters");
    PORT_BAD(masters, 33, "masters");
    PORT_BAD(ar_way, 1001, "ar_way");
    PORT_BAD(r_way, 1001, "r_way");
    PORT_BAD(w_way, 1001, "w_way");
    PORT_BAD(b_way, 1001, "b_way");
    PORT_BAD(read_den, 0, "read_num");
    PORT_BAD(read_den, 2, "read_num");
    PORT_BAD(write_num, 0, "write_num");
#define BE_BAD(member, value) do {                              \
        bc = good;                                              \
        CHECK(!idma_be_config_check(&bc));                      \
        bc.member = (value);                                    \
        CHECK(idma_be_config_check(&bc) &&                      \
              !strcmp(idma_be_config_check(&bc), #member));     \
        CHECK(!idma_be_init(&be[0], &bc));                      \
    } while (0)
    BE_BAD(bytes, 3);
    BE_BAD(num_ax_in_flight, 0);
    BE_BAD(num_ax_in_flight, 65);
    BE_BAD(buffer_depth, 1);
    BE_BAD(buffer_depth, 65);
    BE_BAD(read_beats, 0);
    BE_BAD(read_beats, 512);
    BE_BAD(write_beats, 3);
#define MISPLACED(member, value) do {                           \
        bc = good;                                              \
        bc.member = (value);                                    \
        CHECK(idma_be_init(&be[1], &bc));                       \
        CHECK(idma_array_check(be, 2, port, 2) &&               \
              !strcmp(idma_array_check(be, 2, port, 2), name)); \
    } while (0)
    idma_port_config_cuts(&pc, 8, 1);
    pc.masters = 2;
    CHECK(idma_port_init(&port[0], &pc, NULL, NULL));
    pc.bytes = 16;
    CHECK(idma_port_init(&port[1], &pc, NULL, NULL));
    CHECK(idma_be_init(&be[0], &good));
    {
        const char *name = "read_port";

        MISPLACED(read_port, 2);
        MISPLACED(read_port, 1);
        name = "read_master";
        MISPLACED(read_master, 0);
        MISPLACED(read_master, 2);
        bc = good;
        bc.read_master = 1;
        CHECK(idma_be_init(&be[1], &bc));
        CHECK(!strcmp(idma_array_check(be, 2, port, 2), "write_master"));
        bc.write_master = 1;
        CHECK(idma_be_init(&be[1], &bc));
        CHECK(!idma_array_check(be, 2, port, 2));
    }
    CHECK(!idma_multi_init(&m, 64, &region, be, 2, port, 2));
    CHECK(!strcmp(idma_multi_init(&m, 63, &region, be, 2, port, 2),
                  "boundary"));
    CHECK(!strcmp(idma_multi_init(&m, 64, &region, be, 3, port, 2), "n_be"));
    subtest_done();
}

int main(void)
{
    const char *rounds_s = getenv("TEST_ROUNDS"), *seed_s = getenv("TEST_SEED");

    rounds = rounds_s ? strtoul(rounds_s, NULL, 0) : 120;
    seed0 = seed_s ? strtoull(seed_s, NULL, 0) : 20240601;
    test_timing = IDMA_TIMING_CYCLE;
    against_engine();
    systems();
    shares();
    pace();
    refusals();
    return all_done();
}
