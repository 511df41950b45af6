/*
 * Engine tests: the mid-ends against slow references
 *
 * The references go byte by byte, piece by piece or clock by clock and share
 * nothing with the mid-ends but their description.  TEST_ROUNDS and TEST_SEED
 * in the environment change how much and from where.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "testlib.h"
#include "../idma-mid.h"

#define REGION_START    0x10000000ull
#define REGION_END      0x20000000ull

static const IdmaMidRegion region = { REGION_START, REGION_END };
static unsigned rounds;
static uint64_t seed0;

static void context(uint64_t seed)
{
    snprintf(test_context, sizeof(test_context),
             "(TEST_SEED=%" PRIu64 " TEST_ROUNDS=1)", seed);
}

static uint64_t counts(const IdmaMidReq *r)
{
    bool inside = r->src >= REGION_START && r->src < REGION_END;

    return inside ? r->src : r->dst;
}

static uint64_t random_address(uint64_t *s)
{
    switch (rnd(s) % 4) {
    case 0:
        return REGION_START + rnd(s) % 65536;
    case 1:
        return REGION_END - 1 - rnd(s) % 4096;
    case 2:
        return 0 - (rnd(s) % 4096);     /* wraps at 2^64 */
    default:
        return rnd(s);
    }
}

/*
 * mp_split
 */

static void split_pieces(void)
{
    unsigned r;

    plan_subtest("mp_split: every byte once, in order, cut at boundaries only");
    for (r = 0; r < rounds * 20; r++) {
        uint64_t s = seed0 + r, boundary, done = 0, i;
        IdmaMidReq req, p;
        IdmaMpSplit m;

        context(s);
        boundary = 1ull << (rnd(&s) % 13);
        req = (IdmaMidReq) {
            .src = random_address(&s), .dst = random_address(&s),
            .len = rnd(&s) % (r % 7 ? 300 : 5000), .flags = rnd(&s),
        };
        CHECK(idma_mp_split_init(&m, boundary, &region));
        CHECK(!idma_mp_split_peek(&m, &p));
        CHECK(idma_mp_split_put(&m, &req));
        CHECK(!idma_mp_split_put(&m, &req));
        do {
            IdmaMidReq again;

            if (!idma_mp_split_peek(&m, &p)) {
                CHECK(false);
                break;
            }
            /* what is offered does not change by being looked at */
            CHECK(idma_mp_split_peek(&m, &again));
            CHECK_EQ(again.len, p.len);
            CHECK_EQ(p.src, req.src + done);
            CHECK_EQ(p.dst, req.dst + done);
            CHECK_EQ(p.flags, req.flags);
            CHECK(p.len || !req.len);
            /* no cut is missing, and there is none too many */
            for (i = 1; i < p.len; i++) {
                CHECK((counts(&p) + i) % boundary != 0);
            }
            done += p.len;
            CHECK(p.last == (done == req.len));
            CHECK(p.last || (counts(&p) + p.len) % boundary == 0);
            idma_mp_split_pop(&m);
        } while (!p.last);
        CHECK_EQ(done, req.len);
        CHECK(!idma_mp_split_peek(&m, &p));
    }
    subtest_done();
}

static void split_answers(void)
{
    IdmaMidReq req = { .src = 0, .dst = 0, .len = 256 }, p;
    IdmaMidError e = IDMA_MID_OK;
    IdmaMpSplit m;
    unsigned i, n = 0;

    plan_subtest("mp_split: one answer for each request, with its error");
    idma_mp_split_init(&m, 64, &region);
    /* four pieces and three */
    CHECK(idma_mp_split_put(&m, &req));
    CHECK(!idma_mp_split_done(&m, &e));
    for (i = 0; i < 4; i++) {
        idma_mp_split_pop(&m);
    }
    req.len = 192;
    CHECK(idma_mp_split_put(&m, &req));
    idma_mp_split_pop(&m);
    for (i = 0; i < 3; i++) {
        idma_mp_split_answer(&m, IDMA_MID_OK);
        CHECK(!idma_mp_split_done(&m, &e));
    }
    idma_mp_split_answer(&m, IDMA_MID_OK);
    CHECK(idma_mp_split_done(&m, &e));
    CHECK_EQ(e, IDMA_MID_OK);
    /* all that has left is answered, but there is more to come */
    idma_mp_split_answer(&m, IDMA_MID_ERR_ZERO_LENGTH);
    CHECK(!idma_mp_split_done(&m, &e));
    idma_mp_split_pop(&m);
    idma_mp_split_pop(&m);
    idma_mp_split_answer(&m, IDMA_MID_OK);
    idma_mp_split_answer(&m, IDMA_MID_ERR_CROSSES);
    CHECK(idma_mp_split_done(&m, &e));
    CHECK_EQ(e, IDMA_MID_ERR_ZERO_LENGTH);      /* the first one */
    CHECK(!idma_mp_split_done(&m, &e));
    /* an answer that nobody waits for does nothing */
    idma_mp_split_answer(&m, IDMA_MID_OK);
    CHECK(!idma_mp_split_done(&m, &e));

    /* as many as it can keep in mind, no more */
    req.len = 1;
    while (idma_mp_split_put(&m, &req)) {
        idma_mp_split_pop(&m);
        n++;
    }
    CHECK_EQ(n, IDMA_MID_OUTSTANDING);
    idma_mp_split_answer(&m, IDMA_MID_OK);
    CHECK(!idma_mp_split_put(&m, &req));
    CHECK(idma_mp_split_done(&m, NULL));
    CHECK(idma_mp_split_put(&m, &req));
    CHECK(idma_mp_split_peek(&m, &p) && p.last);
    subtest_done();
}

/*
 * mp_dist, in a tree
 */

#define TREE_BYTES      2048
#define TREE_REQS       40

/* Where the byte at an offset goes, and as the how-manieth of its leaf. */
typedef struct TreeRef {
    uint8_t leaf[TREE_BYTES];
    unsigned seen[TREE_BYTES];
} TreeRef;

static void tree_random(void)
{
    static IdmaMpTree m;
    unsigned r;

    plan_subtest("mp_dist tree: bytes to their leaf, answers in order");
    for (r = 0; r < rounds * 4; r++) {
        uint64_t s = seed0 + r;
        uint32_t leaves = 2u << (rnd(&s) % 5);
        uint64_t boundary = 1ull << (rnd(&s) % 6);
        uint64_t size = leaves * boundary;
        unsigned put = 0, done = 0, clock, outstanding[TREE_REQS] = { 0 };
        bool by_src = rnd(&s) & 1;
        IdmaMidReq req[TREE_REQS];
        IdmaMidError want[TREE_REQS], e;
        uint64_t moved[TREE_REQS] = { 0 };
        /* per leaf: requests that went there and are not answered, in order */
        unsigned queue[32][TREE_REQS], q_head[32] = { 0 }, q_tail[32] = { 0 };

        context(s);
        CHECK(idma_mp_tree_init(&m, leaves, boundary, &region));
        for (clock = 0; done < TREE_REQS && clock < 100000; clock++) {
            uint32_t leaf;
            unsigned k;

            if (put < TREE_REQS && rnd(&s) % 4) {
                IdmaMidReq *q = &req[put];
                uint64_t off = rnd(&s) % size;
                uint64_t base = REGION_START + off + size * (rnd(&s) % 64);
                bool cross = rnd(&s) % 16 == 0;

                *q = (IdmaMidReq) {
                    .src = by_src ? base : rnd(&s) | 1ull << 40,
                    .dst = by_src ? rnd(&s) : base, .flags = put,
                    .len = cross ? size - off + 1 + rnd(&s) % 100
                                 : rnd(&s) % (size - off + 1),
                };
                if (idma_mp_tree_put(&m, q)) {
                    want[put] = cross ? IDMA_MID_ERR_CROSSES : IDMA_MID_OK;
                    outstanding[put] = 0;
                    put++;
                }
            }
            idma_mp_tree_settle(&m);
            for (leaf = 0; leaf < leaves; leaf++) {
                IdmaMidReq p;
                uint64_t at;

                if (!idma_mp_tree_peek(&m, leaf, &p) || rnd(&s) % 3 == 0) {
                    continue;
                }
                k = p.flags;
                if (k >= put) {
                    CHECK(false);
                    continue;
                }
                at = by_src ? p.src : p.dst;
                /* all of it belongs to the leaf, none of it to another */
                CHECK_EQ(at / boundary % leaves, leaf);
                CHECK(!p.len ||
                      (at + p.len - 1) / boundary == at / boundary);
                CHECK_EQ(p.src - req[k].src, p.dst - req[k].dst);
                CHECK(p.src - req[k].src + p.len <= req[k].len);
                CHECK(want[k] != IDMA_MID_ERR_CROSSES);
                /* a leaf sees requests in order */
                CHECK(q_tail[leaf] == 0 || queue[leaf][q_tail[leaf] - 1] < k);
                moved[k] += p.len;
                outstanding[k]++;
                queue[leaf][q_tail[leaf]++] = k;
                idma_mp_tree_pop(&m, leaf);
                CHECK(!idma_mp_tree_peek(&m, leaf, &p));
            }
            for (leaf = 0; leaf < leaves; leaf++) {
                IdmaMidError err = IDMA_MID_OK;

                if (q_head[leaf] == q_tail[leaf] || rnd(&s) % 3) {
                    continue;
                }
                k = queue[leaf][q_head[leaf]++];
                if (rnd(&s) % 20 == 0) {
                    err = want[k] = IDMA_MID_ERR_ZERO_LENGTH;
                }
                outstanding[k]--;
                idma_mp_tree_answer(&m, leaf, err);
            }
            while (idma_mp_tree_done(&m, &e)) {
                if (done >= put) {
                    CHECK(false);
                    break;
                }
                CHECK_EQ(outstanding[done], 0);
                CHECK_EQ(e, want[done]);
                CHECK_EQ(moved[done], want[done] == IDMA_MID_ERR_CROSSES
                                      ? 0 : req[done].len);
                done++;
            }
        }
        CHECK_EQ(done, TREE_REQS);
    }
    subtest_done();
}

static void tree_bytes(void)
{
    static IdmaMpTree m;
    static TreeRef ref;
    uint32_t leaves, leaf;
    unsigned i;

    plan_subtest("mp_dist tree: one request reaches all leaves in one clock");
    for (leaves = 2; leaves <= 32; leaves *= 2) {
        IdmaMidReq req = {
            .src = 1ull << 40, .dst = REGION_START, .len = leaves * 64,
        }, p;

        memset(&ref, 0, sizeof(ref));
        CHECK(idma_mp_tree_init(&m, leaves, 64, &region));
        CHECK(idma_mp_tree_put(&m, &req));
        idma_mp_tree_settle(&m);
        for (leaf = 0; leaf < leaves; leaf++) {
            if (!idma_mp_tree_peek(&m, leaf, &p)) {
                CHECK(false);
                continue;
            }
            for (i = 0; i < p.len && i < TREE_BYTES; i++) {
                uint64_t at = p.dst - REGION_START + i;

                ref.seen[at]++;
                ref.leaf[at] = leaf;
            }
            idma_mp_tree_pop(&m, leaf);
        }
        for (i = 0; i < leaves * 64; i++) {
            CHECK_EQ(ref.seen[i], 1);
            CHECK_EQ(ref.leaf[i], i / 64);
        }
        for (leaf = leaves; leaf > 0; leaf--) {
            CHECK(!idma_mp_tree_done(&m, NULL));
            idma_mp_tree_answer(&m, leaf - 1, IDMA_MID_OK);
        }
        CHECK(idma_mp_tree_done(&m, NULL));
    }
    subtest_done();
}

/*
 * tensor_ND
 */

typedef struct Piece {
    uint64_t src, dst;
} Piece;

#define MAX_PIECES  4096

/*
 * The same by recursion: what a dimension does is to repeat the one below, and
 * the address goes on from where that left it.
 */
static void tensor_ref(const IdmaNdReq *q, int d, uint64_t *src, uint64_t *dst,
                       Piece *out, unsigned *n)
{
    uint32_t i, reps;

    if (d < 0) {
        out[(*n)++] = (Piece) { *src, *dst };
        return;
    }
    reps = q->dim[d].reps ? q->dim[d].reps : 1;
    for (i = 0; i < reps; i++) {
        if (i) {
            *src += q->dim[d].src_stride;
            *dst += q->dim[d].dst_stride;
        }
        tensor_ref(q, d - 1, src, dst, out, n);
    }
}

static void tensor_random(void)
{
    static Piece want[MAX_PIECES];
    unsigned r;

    plan_subtest("tensor_ND: the pieces of a recursive reference, in order");
    for (r = 0; r < rounds * 10; r++) {
        uint64_t s = seed0 + r, src, dst, total = 1;
        IdmaNdReq q = { .one = { .len = 64, .flags = r } };
        unsigned n = 0, i, dims = 2 + rnd(&s) % (IDMA_MID_MAX_DIMS - 1), d;
        bool zero = true;
        IdmaMidError e;
        IdmaMidReq p;
        IdmaTensor m;

        context(s);
        q.one.src = src = random_address(&s);
        q.one.dst = dst = random_address(&s);
        q.one.len = rnd(&s) % 200;
        for (d = 0; d < dims - 1; d++) {
            uint32_t reps = rnd(&s) % 6;

            reps = total * (reps ? reps : 1) > MAX_PIECES ? 1 : reps;
            total *= reps ? reps : 1;
            zero &= !reps;
            q.dim[d] = (IdmaNdDim) {
                .src_stride = rnd(&s) % 2 ? rnd(&s) % 8192
                                          : 0 - (rnd(&s) % 8192),
                .dst_stride = rnd(&s), .reps = reps,
            };
        }
        CHECK(idma_tensor_init(&m, dims));
        CHECK(idma_tensor_put(&m, &q));
        if (zero) {
            CHECK(!idma_tensor_peek(&m, &p));
            CHECK(idma_tensor_done(&m, &e));
            CHECK_EQ(e, IDMA_MID_ERR_ZERO_REPS);
            continue;
        }
        tensor_ref(&q, dims - 2, &src, &dst, want, &n);
        for (i = 0; i < n; i++) {
            if (!idma_tensor_peek(&m, &p)) {
                CHECK(false);
                break;
            }
            CHECK_EQ(p.src, want[i].src);
            CHECK_EQ(p.dst, want[i].dst);
            CHECK_EQ(p.len, q.one.len);
            CHECK_EQ(p.flags, q.one.flags);
            CHECK(p.last == (i == n - 1));
            CHECK(!idma_tensor_put(&m, &q));
            idma_tensor_pop(&m);
            CHECK(!idma_tensor_done(&m, &e));
        }
        CHECK(!idma_tensor_peek(&m, &p));
        for (i = 0; i < n; i++) {
            CHECK(!idma_tensor_done(&m, &e));
            idma_tensor_answer(&m, IDMA_MID_OK);
        }
        CHECK(idma_tensor_done(&m, &e));
        CHECK_EQ(e, IDMA_MID_OK);
    }
    subtest_done();
}

/* What users think in: base + i * pitch + j * plane. */
static void tensor_3d(void)
{
    enum { ROW = 24, PITCH = 100, ROWS = 5, PLANE = 2000, PLANES = 3 };
    static uint8_t src[PLANE * PLANES], dst[ROW * ROWS * PLANES];
    IdmaNdReq q = {
        .one = { .src = 0, .dst = 0, .len = ROW },
        .dim = { { PITCH, ROW, ROWS },
                 { PLANE - (ROWS - 1) * PITCH, ROW, PLANES } },
    };
    unsigned i, j, k, n = 0;
    IdmaMidReq p;
    IdmaTensor m;

    plan_subtest("tensor_ND: a box packed out of planes with pitch");
    for (i = 0; i < sizeof(src); i++) {
        src[i] = i * 7 + i / 256;
    }
    CHECK(idma_tensor_init(&m, 3));
    CHECK(idma_tensor_put(&m, &q));
    while (idma_tensor_peek(&m, &p)) {
        if (p.src + p.len > sizeof(src) || p.dst + p.len > sizeof(dst)) {
            CHECK(false);
            break;
        }
        memcpy(dst + p.dst, src + p.src, p.len);
        idma_tensor_pop(&m);
        n++;
    }
    CHECK_EQ(n, ROWS * PLANES);
    for (k = 0; k < PLANES; k++) {
        for (j = 0; j < ROWS; j++) {
            for (i = 0; i < ROW; i++) {
                CHECK_EQ(dst[(k * ROWS + j) * ROW + i],
                         src[k * PLANE + j * PITCH + i]);
            }
        }
    }
    subtest_done();
}

/*
 * rt_3D
 */

#define RT_EVENTS   5

/*
 * Clock by clock: counters of 33 bits that go down and stop below zero, an
 * arbiter over the events, one over the two sources.
 */
typedef struct RtRef {
    int64_t counter[RT_EVENTS];
    unsigned turn;
    bool bypass_turn;
} RtRef;

static uint32_t rt_ref_choose(const RtRef *f, unsigned events, bool bypass)
{
    uint32_t event = IDMA_RT_NONE;
    unsigned i;

    for (i = f->turn; i < events && event == IDMA_RT_NONE; i++) {
        event = f->counter[i] < 0 ? i : event;
    }
    for (i = 0; i < f->turn && event == IDMA_RT_NONE; i++) {
        event = f->counter[i] < 0 ? i : event;
    }
    if (!bypass) {
        return event;
    }
    return event == IDMA_RT_NONE || f->bypass_turn ? IDMA_RT_BYPASS : event;
}

static void rt_random(void)
{
    unsigned r;

    plan_subtest("rt_3D: a reference that counts every clock");
    for (r = 0; r < rounds; r++) {
        uint64_t s = seed0 + r, t = rnd(&s) % 1000, start = t, end = t + 3000;
        unsigned events = 1 + rnd(&s) % RT_EVENTS, i, out = 0, launched = 0;
        unsigned limit = 1 + rnd(&s) % 4;
        IdmaRtEvent ev[RT_EVENTS] = { 0 };
        RtRef f = { .turn = 0 };
        uint32_t held = IDMA_RT_NONE, from, queue[IDMA_MID_OUTSTANDING];
        bool bypass = false, sparse = r & 1;
        IdmaNdReq q, b = { .one = { .len = 12345 } };
        IdmaRt m;

        context(seed0 + r);
        CHECK(idma_rt_init(&m, events, limit, t));
        for (; t < end; t++) {
            bool ready = rnd(&s) % 3, offered;

            if (rnd(&s) % 200 == 0 || t == start) {
                for (i = 0; i < events; i++) {
                    ev[i].enable = rnd(&s) % 4 != 0;
                    ev[i].count = rnd(&s) % 60;
                    ev[i].req.one.len = t * 16 + i;
                    idma_rt_run(&m, t);
                    CHECK(idma_rt_set(&m, i, &ev[i]));
                }
            }
            if (!bypass && rnd(&s) % 40 == 0) {
                idma_rt_run(&m, t);
                bypass = idma_rt_put(&m, &b);
                CHECK(bypass);
                CHECK(!idma_rt_put(&m, &b));
            }
            if (held == IDMA_RT_NONE && out < limit) {
                held = rt_ref_choose(&f, events, bypass);
            }
            /* let the engine sleep through what it says is nothing */
            if (!sparse || idma_rt_next(&m) <= t) {
                idma_rt_run(&m, t);
                offered = idma_rt_peek(&m, &q, &from);
            } else {
                offered = false;
            }
            CHECK_EQ(offered, held != IDMA_RT_NONE && out < limit);
            if (offered != (held != IDMA_RT_NONE && out < limit)) {
                break;
            }
            if (offered) {
                CHECK_EQ(from, held);
                CHECK_EQ(q.one.len, held == IDMA_RT_BYPASS
                                    ? 12345 : ev[held].req.one.len);
            }
            for (i = 0; i < events; i++) {
                if (ev[i].enable && f.counter[i] >= 0) {
                    f.counter[i]--;
                }
            }
            if (offered && ready) {
                idma_rt_pop(&m);
                launched++;
                queue[out++] = held;
                if (held == IDMA_RT_BYPASS) {
                    bypass = false;
                    f.bypass_turn = false;
                } else {
                    f.counter[held] = ev[held].count;
                    f.turn = (held + 1) % events;
                    f.bypass_turn = true;
                }
                held = IDMA_RT_NONE;
            }
            if (out && rnd(&s) % 5 == 0) {
                CHECK_EQ(idma_rt_answer(&m), queue[0]);
                memmove(queue, queue + 1, --out * sizeof(queue[0]));
            }
        }
        CHECK(launched > 20);
    }
    subtest_done();
}

static void rt_period(void)
{
    IdmaRtEvent ev = { .enable = true, .count = 98 };
    uint64_t t = 0, at[5] = { 0 };
    unsigned n = 0;
    uint32_t from;
    IdmaNdReq q;
    IdmaRt m;

    plan_subtest("rt_3D: undisturbed, the period is count + 2");
    CHECK(idma_rt_init(&m, 1, 2, 0));
    CHECK_EQ(idma_rt_next(&m), UINT64_MAX);
    CHECK(idma_rt_set(&m, 0, &ev));
    while (n < 5) {
        t = idma_rt_next(&m);
        idma_rt_run(&m, t);
        if (!idma_rt_peek(&m, &q, &from)) {
            CHECK(false);
            break;
        }
        idma_rt_pop(&m);
        CHECK_EQ(idma_rt_answer(&m), 0);
        at[n++] = t;
    }
    CHECK_EQ(at[0], 1);
    for (n = 1; n < 5; n++) {
        CHECK_EQ(at[n] - at[n - 1], 100);
    }
    CHECK_EQ(m.launches[0], 5);
    CHECK_EQ(idma_rt_answer(&m), IDMA_RT_NONE);
    /* a reset's distance at the end of time does not wrap */
    ev.count = UINT32_MAX;
    CHECK(idma_rt_set(&m, 0, &ev));
    idma_rt_run(&m, UINT64_MAX - 1);
    CHECK_EQ(idma_rt_next(&m), UINT64_MAX - 1);
    subtest_done();
}

static void refusals(void)
{
    IdmaRtEvent ev = { .count = 1ull << 32 };
    static IdmaMpTree tree;
    IdmaMpSplit split;
    IdmaTensor tensor;
    IdmaMpDist dist;
    IdmaRt rt;

    plan_subtest("mid-ends: what cannot be built is refused");
    CHECK(!idma_mp_split_init(&split, 0, &region));
    CHECK(!idma_mp_split_init(&split, 48, &region));
    CHECK(idma_mp_split_init(&split, 1, &region));
    CHECK(idma_mp_split_init(&split, 1ull << 63, &region));
    CHECK(!idma_mp_dist_init(&dist, 1, &region));
    CHECK(!idma_mp_dist_init(&dist, 3, &region));
    CHECK(!idma_mp_tree_init(&tree, 1, 64, &region));
    CHECK(!idma_mp_tree_init(&tree, 6, 64, &region));
    CHECK(!idma_mp_tree_init(&tree, 2 * IDMA_MID_MAX_PORTS, 64, &region));
    CHECK(!idma_mp_tree_init(&tree, 4, 63, &region));
    CHECK(!idma_mp_tree_init(&tree, 4, 1ull << 62, &region));
    CHECK(idma_mp_tree_init(&tree, IDMA_MID_MAX_PORTS, 64, &region));
    CHECK(!idma_tensor_init(&tensor, 1));
    CHECK(!idma_tensor_init(&tensor, IDMA_MID_MAX_DIMS + 1));
    CHECK(idma_tensor_init(&tensor, IDMA_MID_MAX_DIMS));
    CHECK(!idma_rt_init(&rt, 0, 1, 0));
    CHECK(!idma_rt_init(&rt, IDMA_MID_MAX_EVENTS + 1, 1, 0));
    CHECK(!idma_rt_init(&rt, 1, 0, 0));
    CHECK(!idma_rt_init(&rt, 1, IDMA_MID_OUTSTANDING + 1, 0));
    CHECK(idma_rt_init(&rt, 1, 1, 0));
    CHECK(!idma_rt_set(&rt, 0, &ev));
    ev.count--;
    CHECK(idma_rt_set(&rt, 0, &ev));
    CHECK(!idma_rt_set(&rt, 1, &ev));
    subtest_done();
}

int main(void)
{
    const char *rounds_s = getenv("TEST_ROUNDS"), *seed_s = getenv("TEST_SEED");

    rounds = rounds_s ? strtoul(rounds_s, NULL, 0) : 120;
    seed0 = seed_s ? strtoull(seed_s, NULL, 0) : 20240601;
    split_pieces();
    split_answers();
    tree_random();
    tree_bytes();
    tensor_random();
    tensor_3d();
    rt_random();
    rt_period();
    refusals();
    return all_done();
}
