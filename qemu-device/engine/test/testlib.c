/*
 * Engine tests: TAP output, a small memory with regions, a recorder of what
 * the engine does
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "testlib.h"

char test_context[256];
IdmaTiming test_timing = IDMA_TIMING_FUNCTIONAL;

static unsigned n_tests, n_failed, n_checks;
static bool failed;
static char name_now[128];

const char *timing_name(IdmaTiming t)
{
    return t == IDMA_TIMING_CYCLE ? "cycle" : "functional";
}

void plan_subtest(const char *name)
{
    snprintf(name_now, sizeof(name_now), "%s [%s]", name,
             timing_name(test_timing));
    test_context[0] = 0;
    failed = false;
    n_checks = 0;
}

void subtest_done(void)
{
    /* a test without a check is a broken test */
    if (!n_checks) {
        printf("# %s: no checks\n", name_now);
        failed = true;
    }
    n_tests++;
    n_failed += failed;
    printf("%s %u - %s\n", failed ? "not ok" : "ok", n_tests, name_now);
    fflush(stdout);
}

int all_done(void)
{
    printf("1..%u\n", n_tests);
    return n_failed ? 1 : 0;
}

void check_at(const char *file, int line, bool ok, const char *what)
{
    n_checks++;
    if (!ok) {
        if (!failed) {
            printf("# %s:%d: %s %s\n", file, line, what, test_context);
        }
        failed = true;
    }
}

void check_eq_at(const char *file, int line, uint64_t got, uint64_t want,
                 const char *what)
{
    n_checks++;
    if (got != want) {
        if (!failed) {
            printf("# %s:%d: %s: got %" PRIu64 " (0x%" PRIx64 "), want %"
                   PRIu64 " (0x%" PRIx64 ") %s\n", file, line, what, got, got,
                   want, want, test_context);
        }
        failed = true;
    }
}

uint64_t rnd(uint64_t *state)
{
    /* splitmix64 */
    uint64_t z = *state += 0x9e3779b97f4a7c15ull;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

static Region *find(World *w, uint64_t addr, uint64_t len)
{
    unsigned i;

    for (i = 0; i < R_COUNT; i++) {
        Region *r = &w->region[i];

        if (addr - r->base < r->size && r->size - (addr - r->base) >= len) {
            return r;
        }
    }
    return NULL;
}

uint8_t *mem_at(World *w, uint64_t addr)
{
    Region *r = find(w, addr, 1);

    if (!r) {
        fprintf(stderr, "test reaches for 0x%" PRIx64 "\n", addr);
        abort();
    }
    return r->mem + (addr - r->base);
}

static IdmaResp t_read(void *opaque, const IdmaBusAttr *attr, uint64_t addr,
                       void *buf, uint32_t len)
{
    World *w = opaque;
    Region *r = find(w, addr, len);

    w->accesses++;
    /* the contract: bounded size, no page crossing but for fetches */
    if (!len || len > 2048 ||
        (attr->kind != IDMA_BUS_FETCH && (addr & 0xfff) + len > 0x1000) ||
        (attr->kind != IDMA_BUS_FETCH && attr->kind != IDMA_BUS_READ)) {
        fprintf(stderr, "bad read 0x%" PRIx64 "+%u\n", addr, len);
        abort();
    }
    if (!r) {
        w->outside++;
        return IDMA_RESP_DECERR;
    }
    memcpy(buf, r->mem + (addr - r->base), len);
    return IDMA_RESP_OKAY;
}

static IdmaResp t_write(void *opaque, const IdmaBusAttr *attr, uint64_t addr,
                        const void *buf, uint32_t len)
{
    World *w = opaque;
    Region *r = find(w, addr, len);

    w->accesses++;
    if (!len || len > 2048 || (addr & 0xfff) + len > 0x1000 ||
        (attr->kind != IDMA_BUS_WRITE && attr->kind != IDMA_BUS_MARK)) {
        fprintf(stderr, "bad write 0x%" PRIx64 "+%u\n", addr, len);
        abort();
    }
    if (!r) {
        w->outside++;
        return IDMA_RESP_DECERR;
    }
    memcpy(r->mem + (addr - r->base), buf, len);
    return IDMA_RESP_OKAY;
}

static void *t_map(void *opaque, bool read, uint64_t addr, uint64_t *len)
{
    World *w = opaque;
    Region *r = find(w, addr, 1);

    (void)read;
    if (!w->use_map || !r) {
        return NULL;
    }
    if (*len > r->size - (addr - r->base)) {
        *len = r->size - (addr - r->base);
    }
    w->mapped++;
    return r->mem + (addr - r->base);
}

static void t_irq(void *opaque, uint64_t cycle, bool new_pulse)
{
    World *w = opaque;

    if (!w->hostile && w->irqs && cycle <= w->last_irq) {
        fprintf(stderr, "interrupt line goes back in time\n");
        abort();
    }
    w->irqs++;
    w->pulses += new_pulse;
    w->last_irq = cycle;
}

static void t_trace(void *opaque, const IdmaTraceEvent *ev)
{
    World *w = opaque;

    if (w->hook) {
        w->hook(w, ev);
    }
    if (w->record && w->n_ev < MAX_EVENTS) {
        w->ev[w->n_ev++] = *ev;
    }
}

static const IdmaEngineOps ops_traced = {
    .read = t_read, .write = t_write, .map = t_map, .irq = t_irq,
    .trace = t_trace,
};

static const IdmaEngineOps ops_plain = {
    .read = t_read, .write = t_write, .map = t_map, .irq = t_irq,
};

World *world_new(void)
{
    World *w = calloc(1, sizeof(*w));
    static const Region layout[R_COUNT] = {
        [R_DESC] = { DESC_BASE, DESC_SIZE, NULL },
        [R_SRC] = { SRC_BASE, BUF_SIZE, NULL },
        [R_DST] = { DST_BASE, BUF_SIZE, NULL },
        [R_TOP] = { TOP_BASE, 0x1000, NULL },
        [R_LOW] = { 0, LOW_SIZE, NULL },
    };
    unsigned i;

    for (i = 0; i < R_COUNT; i++) {
        w->region[i] = layout[i];
        w->region[i].mem = calloc(1, layout[i].size);
    }
    w->record = true;
    return w;
}

void world_free(World *w)
{
    unsigned i;

    for (i = 0; i < R_COUNT; i++) {
        free(w->region[i].mem);
    }
    free(w);
}

void world_start(World *w, const IdmaEngineConfig *cfg, uint64_t seed)
{
    IdmaEngineConfig c;
    uint64_t i;

    if (cfg) {
        c = *cfg;
    } else {
        idma_engine_config_default(&c);
    }
    c.timing = test_timing;
    if (!idma_engine_init(&w->e, &c, w->record || w->hook ? &ops_traced
                                                          : &ops_plain, w)) {
        fprintf(stderr, "engine refuses the configuration\n");
        abort();
    }
    memset(w->region[R_DESC].mem, 0, DESC_SIZE);
    for (i = 0; i < BUF_SIZE / 8; i++) {
        uint64_t v = rnd(&seed);

        memcpy(w->region[R_SRC].mem + 8 * i, &v, 8);
    }
    memset(w->region[R_DST].mem, 0xa5, BUF_SIZE);
    w->outside = w->accesses = w->mapped = 0;
    w->irqs = w->pulses = w->last_irq = 0;
    w->n_ev = 0;
    w->hostile = false;
}

uint64_t get64(World *w, uint64_t addr)
{
    uint64_t v = 0;
    int i;

    for (i = 7; i >= 0; i--) {
        v = v << 8 | *mem_at(w, addr + i);
    }
    return v;
}

void put64(World *w, uint64_t addr, uint64_t v)
{
    int i;

    for (i = 0; i < 8; i++) {
        *mem_at(w, addr + i) = v >> (8 * i);
    }
}

void put_desc(World *w, uint64_t at, uint32_t len, uint32_t flags,
              uint64_t next, uint64_t src, uint64_t dst)
{
    put64(w, at, (uint64_t)flags << 32 | len);
    put64(w, at + 8, next);
    put64(w, at + 16, src);
    put64(w, at + 24, dst);
}

bool marked(World *w, uint64_t desc)
{
    return get64(w, desc) == UINT64_MAX;
}

bool same(World *w, uint64_t a, uint64_t b, size_t len)
{
    size_t i;

    for (i = 0; i < len; i++) {
        if (*mem_at(w, a + i) != *mem_at(w, b + i)) {
            return false;
        }
    }
    return true;
}

uint64_t launch(World *w, uint64_t cycle, uint64_t desc)
{
    idma_engine_run(&w->e, cycle, UINT64_MAX);
    return idma_engine_reg_write(&w->e, cycle, IDMA_REG_DESC_ADDR, 8, desc);
}

bool run_idle(World *w, uint64_t limit)
{
    while (idma_engine_busy(&w->e)) {
        uint64_t next = idma_engine_next(&w->e);

        if (next > limit) {
            return false;
        }
        idma_engine_run(&w->e, next, UINT64_MAX);
    }
    /* delayed interrupts */
    while (idma_engine_next(&w->e) <= limit) {
        idma_engine_run(&w->e, idma_engine_next(&w->e), UINT64_MAX);
    }
    return true;
}

bool same_event(const IdmaTraceEvent *a, const IdmaTraceEvent *b)
{
    return a->type == b->type && a->cycle == b->cycle && a->addr == b->addr &&
           a->src == b->src && a->dst == b->dst && a->len == b->len &&
           a->arg == b->arg;
}

unsigned count_events(World *w, IdmaTraceType type)
{
    unsigned i, n = 0;

    for (i = 0; i < w->n_ev; i++) {
        n += w->ev[i].type == type;
    }
    return n;
}

const IdmaTraceEvent *nth_event(World *w, IdmaTraceType type, unsigned n)
{
    static const IdmaTraceEvent none = { .cycle = UINT64_MAX };
    unsigned i;

    for (i = 0; i < w->n_ev; i++) {
        if (w->ev[i].type == type && !n--) {
            return &w->ev[i];
        }
    }
    return &none;
}
