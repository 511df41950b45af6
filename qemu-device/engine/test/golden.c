/*
 * Cycle mode against rows measured on the RTL
 *
 *   golden [-v] [-w N] [-m MIX_PARAMS.txt] FILE.csv...
 *
 * Runs every row of files with golden's columns (the set-up is in the row),
 * compares what it measures, prints the N worst rows and a TAP result per
 * file.  A file passes if all rows are within the tolerances: total cycles 1 %
 * or 2 cycles, launch latency, first read, last write and interrupt 2 cycles,
 * utilisation 0.5 points.
 * Files with one row per descriptor are recognised by their columns.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <math.h>
#include "testlib.h"

#define MAX_COLS    64
#define MAX_N       1024
#define G_DESC      0x80000000ull
#define G_SRC       0x100000000ull
#define G_DST       0x300000000ull
#define FAR         (1ull << 40)

/* Memory that is there where it is touched: pages in a hash table. */
#define PAGES       16384u

typedef struct Page {
    uint64_t addr;
    bool used;
    uint8_t data[4096];
} Page;

static Page *pages;
static unsigned used_pages[PAGES], n_used;

typedef struct Setup {
    IdmaEngineConfig cfg;
    unsigned n, chains, spacing;
    uint64_t at[MAX_N], src[MAX_N], dst[MAX_N];
    uint32_t len[MAX_N], flags[MAX_N];
    unsigned order[MAX_N];      /* chain position of descriptor i */
    int err_kind;               /* -1: none */
    IdmaResp err_resp;
} Setup;

typedef struct PerDesc {
    int64_t fetch_ar, n_ar, first_ar, first_r, last_r, first_w, last_w;
    int64_t wb_aw, wb_b, irq;
} PerDesc;

/* What golden's columns hold. */
typedef struct Result {
    int64_t total, launch, first_r, last_r, first_w, last_w, first_ar;
    int64_t first_desc_r, first_req, first_aw, first_wb_aw, last_wb_aw;
    int64_t first_irq, idle, n_irq, irq_maxrun, n_wb, n_fe_ar, n_be_ar;
    int64_t n_be_aw, n_be_r, n_be_w, n_dropped, r_stall, n_zero, full, hang;
    int64_t data_bad;
    double util_steady, util_total, cyc_mid, util_mid;
} Result;

static IdmaEngine eng;
static Setup *su;
static Result res;
static PerDesc per[MAX_N];
static int64_t first_r_of[MAX_N];
static unsigned cur_r, cur_w, n_mark_aw, n_mark_b, n_req_seen;
static int64_t r_left, w_left, irq_run;
static int64_t ar_left;
static unsigned cur_ar;
static uint64_t last_beat, last_b;

static Page *page_of(uint64_t addr)
{
    uint64_t a = addr >> 12;
    unsigned h = (unsigned)((a * 0x9e3779b97f4a7c15ull) >> 50) % PAGES;

    while (pages[h].used && pages[h].addr != a) {
        h = (h + 1) % PAGES;
    }
    if (!pages[h].used) {
        if (n_used == PAGES - 1) {
            fprintf(stderr, "golden: out of pages\n");
            exit(2);
        }
        pages[h].used = true;
        pages[h].addr = a;
        memset(pages[h].data, 0, 4096);
        used_pages[n_used++] = h;
    }
    return &pages[h];
}

static uint8_t *byte_at(uint64_t addr)
{
    return &page_of(addr)->data[addr & 4095];
}

static IdmaResp g_read(void *opaque, const IdmaBusAttr *attr, uint64_t addr,
                       void *buf, uint32_t len)
{
    (void)opaque;
    (void)attr;
    memcpy(buf, byte_at(addr), len);
    return IDMA_RESP_OKAY;
}

static IdmaResp g_write(void *opaque, const IdmaBusAttr *attr, uint64_t addr,
                        const void *buf, uint32_t len)
{
    (void)opaque;
    (void)attr;
    memcpy(byte_at(addr), buf, len);
    return IDMA_RESP_OKAY;
}

static int64_t first(int64_t *slot, uint64_t t)
{
    if (*slot < 0) {
        *slot = t;
    }
    return *slot;
}

/* Descriptors with data, in order: which one do the beats belong to? */
static unsigned next_with_data(unsigned i)
{
    while (i < su->n && !su->len[i]) {
        i++;
    }
    return i;
}

static void g_irq(void *opaque, uint64_t cycle, bool new_pulse)
{
    (void)opaque;
    res.n_irq++;
    irq_run = new_pulse ? 1 : irq_run + 1;
    if (irq_run > res.irq_maxrun) {
        res.irq_maxrun = irq_run;
    }
    first(&res.first_irq, cycle);
    res.total = cycle;
    /* the answer that raised it has just been seen */
    if (n_mark_b && n_mark_b <= su->n) {
        per[n_mark_b - 1].irq = cycle;
    }
}

static void g_trace(void *opaque, const IdmaTraceEvent *ev)
{
    uint64_t t = ev->cycle;
    unsigned i;

    (void)opaque;
    switch (ev->type) {
    case IDMA_TRACE_FETCH:
        first(&res.first_ar, t);
        res.n_fe_ar++;
        for (i = 0; i < su->n; i++) {
            if (su->at[i] == ev->addr) {
                per[i].fetch_ar = t;
                break;
            }
        }
        break;
    case IDMA_TRACE_REQUEST:
        first(&res.first_req, t);
        n_req_seen++;
        break;
    case IDMA_TRACE_ZERO_LENGTH:
        res.n_zero++;
        break;
    case IDMA_TRACE_AR:
        first(&res.launch, t);
        res.n_be_ar++;
        /* a burst starts inside the source of its descriptor */
        while (cur_ar < su->n &&
               (!su->len[cur_ar] ||
                ev->addr - su->src[cur_ar] >= su->len[cur_ar])) {
            cur_ar++;
        }
        if (cur_ar < su->n) {
            first(&per[cur_ar].first_ar, t);
            per[cur_ar].n_ar++;
        }
        break;
    case IDMA_TRACE_R_BEAT:
        if (ev->arg == 1) {
            first(&res.first_r, t);
            res.last_r = t;
            res.n_be_r++;
        } else if (ev->arg == 0) {
            first(&res.first_desc_r, t);
        } else {
            res.n_dropped++;
        }
        last_beat = t;
        break;
    case IDMA_TRACE_R_STALL:
        res.r_stall++;
        break;
    case IDMA_TRACE_AW:
        if (ev->arg == 1) {
            first(&res.first_aw, t);
            res.n_be_aw++;
        } else {
            first(&res.first_wb_aw, t);
            res.last_wb_aw = t;
            res.n_wb++;
            for (i = 0; i < su->n; i++) {
                if (su->at[i] == ev->addr && per[i].wb_aw < 0) {
                    per[i].wb_aw = t;
                    break;
                }
            }
        }
        break;
    case IDMA_TRACE_W_BEAT:
        if (ev->arg == 1) {
            first(&res.first_w, t);
            res.last_w = t;
            res.n_be_w++;
        }
        break;
    case IDMA_TRACE_B:
        last_b = t;
        if (ev->arg == 0) {
            if (n_mark_b < su->n) {
                per[n_mark_b].wb_b = t;
            }
            n_mark_b++;
        }
        break;
    default:
        break;
    }
}

/* Beats per descriptor: how many the legalizer makes of it. */
static void count_beats(const Setup *s, unsigned i, int64_t *rb, int64_t *wb)
{
    uint32_t window = s->flags[i] & IDMA_FLAG_REDUCE_LEN ? 8 : 2048;
    bool coupled = !(s->flags[i] & IDMA_FLAG_DECOUPLE_RW);
    uint64_t a, n, left;

    *rb = *wb = 0;
    for (int side = 0; side < 2; side++) {
        uint64_t done = 0;

        left = s->len[i];
        while (left) {
            uint64_t rs = window - ((s->src[i] + done) & (window - 1));
            uint64_t ws = window - ((s->dst[i] + done) & (window - 1));

            n = side ? ws : rs;
            if (coupled) {
                n = rs < ws ? rs : ws;
            }
            n = n < left ? n : left;
            a = (side ? s->dst[i] : s->src[i]) + done;
            *(side ? wb : rb) += ((a & 7) + n + 7) / 8;
            done += n;
            left -= n;
        }
    }
}

/* Assign beats to descriptors: they pass in order. */
static void on_beat_r(uint64_t t)
{
    int64_t rb, wb;

    if (cur_r >= su->n) {
        return;
    }
    if (r_left == 0) {
        count_beats(su, cur_r, &rb, &wb);
        r_left = rb;
        per[cur_r].first_r = t;
        first_r_of[cur_r] = t;
    }
    per[cur_r].last_r = t;
    if (--r_left == 0) {
        cur_r = next_with_data(cur_r + 1);
    }
}

static void on_beat_w(uint64_t t)
{
    int64_t rb, wb;

    if (cur_w >= su->n) {
        return;
    }
    if (w_left == 0) {
        count_beats(su, cur_w, &rb, &wb);
        w_left = wb;
        per[cur_w].first_w = t;
    }
    per[cur_w].last_w = t;
    if (--w_left == 0) {
        cur_w = next_with_data(cur_w + 1);
    }
}

static void g_trace_all(void *opaque, const IdmaTraceEvent *ev)
{
    g_trace(opaque, ev);
    if (ev->type == IDMA_TRACE_R_BEAT && ev->arg == 1) {
        on_beat_r(ev->cycle);
    } else if (ev->type == IDMA_TRACE_W_BEAT && ev->arg == 1) {
        on_beat_w(ev->cycle);
    } else if (ev->type == IDMA_TRACE_IRQ) {
        g_irq(NULL, ev->cycle, ev->arg);
    }
}

static const IdmaEngineOps ops = {
    .read = g_read, .write = g_write, .trace = g_trace_all,
};

static void put(uint64_t addr, uint64_t v)
{
    int i;

    for (i = 0; i < 8; i++) {
        *byte_at(addr + i) = v >> (8 * i);
    }
}

static void run_setup(Setup *s)
{
    IdmaEngineFaults f;
    uint64_t t, bytes = 0, spacing = s->spacing ? s->spacing : 2;
    unsigned i, k, per_chain, launched = 0, heads[MAX_N], n_heads = 0;
    uint64_t seed = 42;

    su = s;
    while (n_used) {
        pages[used_pages[--n_used]].used = false;
    }
    memset(&res, 0, sizeof(res));
    res.total = res.launch = res.first_r = res.last_r = res.first_w = -1;
    res.last_w = res.first_ar = res.first_desc_r = res.first_req = -1;
    res.first_aw = res.first_wb_aw = res.last_wb_aw = res.first_irq = -1;
    res.idle = -1;
    for (i = 0; i < s->n; i++) {
        per[i] = (PerDesc) { -1, 0, -1, -1, -1, -1, -1, -1, -1, -1 };
        first_r_of[i] = -1;
        for (k = 0; k < s->len[i]; k++) {
            *byte_at(s->src[i] + k) = rnd(&seed);
        }
        bytes += s->len[i];
    }
    cur_r = cur_w = next_with_data(0);
    cur_ar = 0;
    r_left = w_left = ar_left = 0;
    n_mark_aw = n_mark_b = n_req_seen = 0;
    irq_run = 0;
    last_beat = last_b = 0;
    per_chain = s->n / s->chains;
    for (i = 0; i < s->n; i++) {
        bool head = i % per_chain == 0 && i / per_chain < s->chains;
        bool end = i + 1 == s->n || ((i + 1) % per_chain == 0 &&
                                     (i + 1) / per_chain < s->chains);

        if (head) {
            heads[n_heads++] = i;
        }
        put(s->at[i], (uint64_t)s->flags[i] << 32 | s->len[i]);
        put(s->at[i] + 8, end ? UINT64_MAX : s->at[i + 1]);
        put(s->at[i] + 16, s->src[i]);
        put(s->at[i] + 24, s->dst[i]);
    }
    if (!idma_engine_init(&eng, &s->cfg, &ops, NULL)) {
        const char *why, *name = idma_engine_config_check(&s->cfg, &why);

        fprintf(stderr, "golden: %s %s\n", name, why);
        exit(2);
    }
    memset(&f, 0, sizeof(f));
    if (s->err_kind >= 0) {
        f.err_keep_data = 1;
        f.err[0].size = UINT64_MAX;
        f.err[0].kinds = 1u << s->err_kind;
        f.err[0].resp = s->err_resp;
    }
    idma_engine_set_faults(&eng, &f);

    t = 0;
    for (;;) {
        uint64_t next;

        if (launched < n_heads && t >= launched * spacing) {
            if (idma_engine_reg_write(&eng, t, 0, 8, s->at[heads[launched]]) ==
                IDMA_REG_OK) {
                launched++;
            }
        }
        t++;
        next = idma_engine_run(&eng, t, UINT64_MAX);
        if (idma_engine_reg_read(&eng, t, IDMA_REG_STATUS, 8) &
            IDMA_STATUS_FIFO_FULL) {
            res.full = 1;
        }
        if (launched == n_heads && t >= launched * spacing + 4) {
            if (next == IDMA_NEVER || t > 20000000) {
                break;
            }
            if (next > t + 1) {
                t = next - 1;
                idma_engine_run(&eng, t, UINT64_MAX);
            }
        }
    }
    res.hang = idma_engine_busy(&eng);
    /* idle: the last answer is in, and no flushed beat is still coming */
    res.idle = res.hang ? 0 :
               last_beat > last_b + 1 ? last_beat : last_b + 1;
    for (i = 0; i < s->n; i++) {
        unsigned sb = (s->flags[i] >> 1) & 3, db = (s->flags[i] >> 3) & 3;

        for (k = 0; sb == 1 && db == 1 && k < s->len[i]; k++) {
            if (*byte_at(s->src[i] + k) != *byte_at(s->dst[i] + k)) {
                res.data_bad++;
                break;
            }
        }
    }
    if (res.last_r >= 0) {
        res.util_steady = bytes / (8.0 * (res.last_r - res.first_r + 1));
    }
    if (res.total > 0) {
        res.util_total = bytes / (8.0 * res.total);
    }
    if (s->n >= 4 && first_r_of[3 * s->n / 4] >= 0) {
        res.cyc_mid = (double)(first_r_of[3 * s->n / 4] -
                               first_r_of[s->n / 4]) /
                      (3 * s->n / 4 - s->n / 4);
        res.util_mid = s->len[0] / (8 * res.cyc_mid);
    }
}

/*
 * CSV
 */

static char *cells[MAX_COLS];
static char *names[MAX_COLS];
static unsigned n_cols;

static unsigned split(char *line, char **out)
{
    unsigned n = 0;

    line[strcspn(line, "\r\n")] = 0;
    while (n < MAX_COLS) {
        out[n++] = line;
        line = strchr(line, ',');
        if (!line) {
            break;
        }
        *line++ = 0;
    }
    return n;
}

static const char *col(const char *name)
{
    unsigned i;

    for (i = 0; i < n_cols; i++) {
        if (!strcmp(names[i], name)) {
            return cells[i];
        }
    }
    return NULL;
}

static int64_t num(const char *name, int64_t otherwise)
{
    const char *s = col(name);

    return s && *s ? strtoll(s, NULL, 0) : otherwise;
}

static bool read_list(const char *line, const char *key, int64_t *out,
                      unsigned n)
{
    const char *p = strstr(line, key);
    unsigned i;

    if (!p) {
        return false;
    }
    p += strlen(key);
    for (i = 0; i < n; i++) {
        char *end;

        out[i] = strtoll(p, &end, 0);
        if (end == p) {
            return false;
        }
        p = *end == ',' ? end + 1 : end;
    }
    return true;
}

/* Lengths, alignments and places of the rows "mixN". */
static const char *mix_file;

static bool mix_params(const char *tag, Setup *s)
{
    static char line[65536];
    int64_t v[MAX_N];
    unsigned i;
    FILE *f = mix_file ? fopen(mix_file, "r") : NULL;
    size_t n = strlen(tag);
    bool found = false;

    if (!f) {
        return false;
    }
    while (!found && fgets(line, sizeof(line), f)) {
        found = !strncmp(line, tag, n) && line[n] == ' ';
    }
    fclose(f);
    if (!found || !read_list(line, "lens=", v, s->n)) {
        return false;
    }
    for (i = 0; i < s->n; i++) {
        s->len[i] = v[i];
    }
    if (!read_list(line, "sas=", v, s->n)) {
        return false;
    }
    for (i = 0; i < s->n; i++) {
        s->src[i] = v[i];
    }
    if (!read_list(line, "das=", v, s->n)) {
        return false;
    }
    for (i = 0; i < s->n; i++) {
        s->dst[i] = v[i];
    }
    if (!read_list(line, "offs=", v, s->n)) {
        return false;
    }
    for (i = 0; i < s->n; i++) {
        s->at[i] = G_DESC + v[i];
    }
    return true;
}

/* The set-up that a row describes; false: not one we can build. */
static bool setup_row(Setup *s)
{
    const char *mode = col("mode"), *layout = col("layout");
    const char *tag = col("tag") ? col("tag") : "";
    uint64_t src_align = num("src_align", 0), dst_align = num("dst_align", 0);
    uint64_t len = num("len", num("len_arg", 0)), biggest, stride, off = 0;
    unsigned i, jump = 0, run;
    unsigned doff = 0;
    bool mix = !strncmp(tag, "mix", 3);

    memset(s, 0, sizeof(*s));
    idma_engine_config_default(&s->cfg);
    s->cfg.timing = IDMA_TIMING_CYCLE;
    s->cfg.mem_mode = !strcmp(mode, "direct") ? IDMA_MEM_DIRECT
                                              : IDMA_MEM_CUTS;
    s->cfg.read_latency = s->cfg.write_latency = num("L", 0);
    if (s->cfg.mem_mode == IDMA_MEM_DIRECT) {
        s->cfg.write_latency = num("wr_lat", 1) - 1;
    }
    s->cfg.n_speculation = num("NSpeculation", 4);
    s->cfg.num_ax_in_flight = num("NumAxInFlight", 8);
    s->cfg.buffer_depth = num("BufferDepth", 3);
    s->cfg.input_fifo_depth = num("InputFifoDepth", 8);
    s->cfg.pending_fifo_depth = num("PendingFifoDepth", 8);
    s->n = num("N", 0);
    s->chains = num("chains", 1);
    s->err_kind = -1;
    if (!s->n || s->n > MAX_N || !s->chains || s->chains > s->n) {
        return false;
    }
    for (i = 0; i < s->n; i++) {
        s->len[i] = len;
        s->flags[i] = num("flags", IDMA_FLAGS_PLAIN);
        s->src[i] = src_align;
        s->dst[i] = dst_align;
    }
    if (mix && !mix_params(tag, s)) {
        return false;
    }
    /* zerolen_A_B_C: these lengths over and over */
    if (!strncmp(tag, "zerolen_", 8)) {
        if (!strcmp(tag + 8, "all")) {
            for (i = 0; i < s->n; i++) {
                s->len[i] = 0;
            }
        } else {
            unsigned v[16], n = 0;
            const char *p = tag + 7;

            while (p && *p == '_' && n < 16) {
                v[n++] = strtoul(p + 1, NULL, 10);
                p = strchr(p + 1, '_');
            }
            for (i = 0; i < s->n; i++) {
                s->len[i] = v[i % n];
            }
        }
    }
    /* irqmix_F_F: flags over and over; irq_last, irq_none */
    if (!strncmp(tag, "irqmix_", 7)) {
        unsigned v[16], n = 0;
        const char *p = tag + 6;

        while (p && *p == '_' && n < 16) {
            v[n++] = strtoul(p + 1, NULL, 16);
            p = strchr(p + 1, '_');
        }
        for (i = 0; i < s->n; i++) {
            s->flags[i] = v[i % n];
        }
    } else if (!strcmp(tag, "irq_last") || !strcmp(tag, "irq_none")) {
        for (i = 0; i < s->n; i++) {
            s->flags[i] = 0xa;
        }
        if (!strcmp(tag, "irq_last")) {
            s->flags[s->n - 1] = 0xb;
        }
    }
    if (!strncmp(tag, "slverr_", 7) || !strncmp(tag, "decerr_", 7)) {
        const char *k = tag + 7;

        s->err_resp = *tag == 's' ? IDMA_RESP_SLVERR : IDMA_RESP_DECERR;
        s->err_kind = *k == 's' ? IDMA_BUS_READ :
                      *k == 'd' ? IDMA_BUS_WRITE :
                      *k == 'f' ? IDMA_BUS_FETCH : IDMA_BUS_MARK;
    }
    if (!strncmp(tag, "doff", 4)) {
        doff = strtoul(tag + 4, NULL, 10);
    }
    if (strstr(tag, "_apbgap")) {
        s->spacing = 2 + strtoul(strstr(tag, "_apbgap") + 7, NULL, 10);
    }
    biggest = 0;
    for (i = 0; i < s->n; i++) {
        uint64_t need = s->len[i] + (s->src[i] > s->dst[i] ? s->src[i]
                                                           : s->dst[i]) + 64;

        biggest = need > biggest ? need : biggest;
    }
    stride = (biggest + 4095) & ~4095ull;
    if (!strncmp(layout, "jump", 4)) {
        jump = strtoul(layout + 4, NULL, 10);
    }
    for (i = 0, run = 0; i < s->n; i++) {
        s->src[i] += G_SRC + i * stride;
        s->dst[i] += G_DST + i * stride;
        if (mix) {
            continue;
        }
        s->at[i] = G_DESC + doff + off;
        if (!strcmp(layout, "gap")) {
            off += 64;
        } else if (!strncmp(layout, "stride", 6)) {
            off += strtoul(layout + 6, NULL, 10);
        } else if (!strcmp(layout, "reverse")) {
            s->at[i] = G_DESC + doff + 32ull * (s->n - 1 - i);
        } else if (jump) {
            if (++run == jump) {
                run = 0;
                off = (off & ~0xfffull) + 0x1000;
            } else {
                off += 32;
            }
        } else {
            off += 32;
        }
    }
    return true;
}

typedef struct Worst {
    double score;               /* 1.0 = at the tolerance */
    char text[256];
} Worst;

static Worst worst[64];
static unsigned n_worst = 10;
static bool verbose;
static unsigned n_rows, n_bad, n_exact, n_left_out;
static double worst_total, worst_util;
static int64_t worst_cycles;

static void note(double score, const char *text)
{
    unsigned i;

    for (i = 0; i < n_worst; i++) {
        if (score > worst[i].score) {
            memmove(&worst[i + 1], &worst[i],
                    (n_worst - i - 1) * sizeof(worst[0]));
            worst[i].score = score;
            snprintf(worst[i].text, sizeof(worst[i].text), "%s", text);
            return;
        }
    }
}

static void describe(char *buf, size_t size)
{
    snprintf(buf, size, "%s L%s wr%s nspec%s nax%s bd%s pf%s len%s N%s %s+%s "
             "%s flags%s x%s %s", col("mode"), col("L"),
             col("wr_lat") ? col("wr_lat") : "-", col("NSpeculation"),
             col("NumAxInFlight"), col("BufferDepth"),
             col("PendingFifoDepth") ? col("PendingFifoDepth") : "8",
             col("len") ? col("len") : col("len_arg"), col("N"),
             col("src_align"), col("dst_align"), col("layout"), col("flags"),
             col("chains") ? col("chains") : "1",
             col("tag") ? col("tag") : "");
}

static double cycles_score(const char *name, int64_t got, char *what,
                           size_t size)
{
    int64_t want = num(name, -1), d = llabs(got - want);

    if (d > worst_cycles) {
        worst_cycles = d;
    }
    if (d) {
        size_t at = strlen(what);

        snprintf(what + at, size - at, " %s %" PRId64 "/%" PRId64, name, got,
                 want);
    }
    return d / 2.0;
}

static void compare_row(void)
{
    static const struct {
        const char *name;
        size_t off;
    } cycles[] = {
#define C(n, m) { n, offsetof(Result, m) }
        C("launch_latency", launch), C("first_r", first_r),
        C("last_w", last_w), C("irq_cycle", total),
    }, extra[] = {
        C("last_r", last_r), C("first_w", first_w), C("first_ar", first_ar),
        C("first_desc_r", first_desc_r), C("first_req", first_req),
        C("first_aw", first_aw), C("first_wb_aw", first_wb_aw),
        C("last_wb_aw", last_wb_aw), C("first_irq", first_irq),
        C("n_irq", n_irq), C("irq_maxrun", irq_maxrun), C("n_wb", n_wb),
        C("n_fe_ar", n_fe_ar), C("n_be_ar", n_be_ar), C("n_be_aw", n_be_aw),
        C("n_be_r", n_be_r), C("n_be_w", n_be_w),
        C("n_fe_r_dropped", n_dropped), C("be_r_stall_cycles", r_stall),
        C("n_rsp_err", n_zero), C("fifo_full_seen", full),
        C("idle_cycle", idle),
#undef C
    };
    char what[512] = "", text[1024], row[300];
    double score = 0, s, d, want;
    unsigned i, off = 0;

    n_rows++;
    want = num("total_cycles", 0);
    d = llabs(res.total - (int64_t)want);
    s = d / (want * 0.01 > 2 ? want * 0.01 : 2);
    score = s > score ? s : score;
    if (want > 0 && d / want > worst_total) {
        worst_total = d / want;
    }
    for (i = 0; i < sizeof(cycles) / sizeof(cycles[0]); i++) {
        int64_t got = *(int64_t *)((char *)&res + cycles[i].off);

        s = cycles_score(cycles[i].name, got, what, sizeof(what));
        score = s > score ? s : score;
    }
    /* a mark without interrupt anywhere: utilisation is not defined */
    if (num("total_cycles", -1) > 0 && num("first_r", -1) >= 0) {
        double u[3][2] = {
            { res.util_steady, strtod(col("util_steady"), NULL) },
            { res.util_total, strtod(col("util_total"), NULL) },
            { res.util_mid, strtod(col("util_mid"), NULL) },
        };

        for (i = 0; i < 3; i++) {
            /* golden's column is len over the period; no sense for mixes */
            if (i == 2 && (num("N", 0) < 8 ||
                           !strncmp(col("tag"), "mix", 3) ||
                           !strncmp(col("tag"), "zerolen", 7))) {
                continue;
            }
            d = fabs(u[i][0] - u[i][1]);
            if (d > worst_util) {
                worst_util = d;
            }
            s = d / 0.005;
            if (s > 1) {
                size_t at = strlen(what);

                snprintf(what + at, sizeof(what) - at, " util%u %.4f/%.4f",
                         i, u[i][0], u[i][1]);
            }
            score = s > score ? s : score;
        }
    }
    if (res.data_bad || res.hang != num("hang", 0)) {
        score = 1000;
        snprintf(what, sizeof(what), " data_bad %" PRId64 " hang %" PRId64,
                 res.data_bad, res.hang);
    }
    for (i = 0; i < sizeof(extra) / sizeof(extra[0]); i++) {
        int64_t got = *(int64_t *)((char *)&res + extra[i].off);
        int64_t w = num(extra[i].name, -1);

        if (got != w) {
            size_t at = strlen(what);

            off++;
            snprintf(what + at, sizeof(what) - at, " (%s %" PRId64 "/%"
                     PRId64 ")", extra[i].name, got, w);
        }
    }
    describe(row, sizeof(row));
    snprintf(text, sizeof(text), "%s:%s", row, *what ? what : " exact");
    n_exact += !*what;
    n_bad += score > 1;
    /* columns beyond the tolerated ones sort rows that are otherwise equal */
    note(score + off / 1e6, text);
    if (verbose) {
        printf("# %7.3f %s\n", score, text);
    }
}

/* One row per descriptor: compare the cycles of descriptor idx. */
static void compare_desc(unsigned idx)
{
    const PerDesc *p = &per[idx];
    const struct {
        const char *name;
        int64_t got;
    } cells_of[] = {
        { "fetch_ar", p->fetch_ar }, { "n_data_ar", p->n_ar },
        { "first_data_ar", p->first_ar }, { "first_r", p->first_r },
        { "last_r", p->last_r }, { "first_w", p->first_w },
        { "last_w", p->last_w }, { "wb_aw", p->wb_aw },
        { "wb_b", p->wb_b }, { "irq", p->irq },
    };
    char what[512] = "", text[1024], row[300];
    double score = 0, s;
    unsigned i;

    n_rows++;
    for (i = 0; i < sizeof(cells_of) / sizeof(cells_of[0]); i++) {
        s = cycles_score(cells_of[i].name, cells_of[i].got, what,
                         sizeof(what));
        score = s > score ? s : score;
    }
    describe(row, sizeof(row));
    snprintf(text, sizeof(text), "%s idx%s:%s", row, col("idx"),
             *what ? what : " exact");
    n_exact += !*what;
    n_bad += score > 1;
    note(score, text);
    if (verbose) {
        printf("# %7.3f %s\n", score, text);
    }
}

static bool run_file(const char *name)
{
    static char line[8192], head[8192], key[1024], last_key[1024];
    static Setup s;
    FILE *f = fopen(name, "r");
    bool per_desc;

    if (!f || !fgets(head, sizeof(head), f)) {
        fprintf(stderr, "golden: cannot read %s\n", name);
        return false;
    }
    n_cols = split(head, names);
    per_desc = false;
    for (unsigned i = 0; i < n_cols; i++) {
        per_desc |= !strcmp(names[i], "fetch_ar");
    }
    last_key[0] = 0;
    while (fgets(line, sizeof(line), f)) {
        split(line, cells);
        if (per_desc) {
            /* the rows of one run follow each other */
            snprintf(key, sizeof(key), "%s %s %s %s %s %s %s %s %s %s",
                     col("mode"), col("L"), col("NSpeculation"),
                     col("NumAxInFlight"), col("BufferDepth"), col("len_arg"),
                     col("N"), col("layout"), col("flags"), col("tag"));
            if (strcmp(key, last_key) || num("idx", 0) == 0) {
                if (!setup_row(&s)) {
                    n_left_out++;
                    last_key[0] = 0;
                    continue;
                }
                run_setup(&s);
                strcpy(last_key, key);
            }
            if (num("idx", 0) < (int64_t)s.n) {
                compare_desc(num("idx", 0));
            }
            continue;
        }
        if (!setup_row(&s)) {
            fprintf(stderr, "golden: cannot build the row %s\n", col("tag"));
            n_left_out++;
            n_bad++;
            continue;
        }
        run_setup(&s);
        compare_row();
    }
    fclose(f);
    return true;
}

int main(int argc, char **argv)
{
    unsigned n_files = 0;
    int i;

    pages = calloc(PAGES, sizeof(*pages));
    for (i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-v")) {
            verbose = true;
        } else if (!strcmp(argv[i], "-w") && i + 1 < argc) {
            n_worst = strtoul(argv[++i], NULL, 10);
            n_worst = n_worst > 63 ? 63 : n_worst;
        } else if (!strcmp(argv[i], "-m") && i + 1 < argc) {
            mix_file = argv[++i];
        } else {
            unsigned k, bad = n_bad;

            n_rows = n_exact = n_left_out = 0;
            n_bad = 0;
            worst_total = worst_util = 0;
            worst_cycles = 0;
            memset(worst, 0, sizeof(worst));
            if (!run_file(argv[i])) {
                n_bad++;
            }
            printf("# %s: %u rows, %u exact in every column, %u beyond the "
                   "tolerance, %u left out; worst: total %.2f %%, cycles %"
                   PRId64 ", utilisation %.2f points\n", argv[i], n_rows,
                   n_exact, n_bad, n_left_out, 100 * worst_total,
                   worst_cycles, 100 * worst_util);
            for (k = 0; k < n_worst && worst[k].score > 0; k++) {
                printf("#   %8.3f %s\n", worst[k].score, worst[k].text);
            }
            if (!n_rows) {
                n_bad++;
            }
            printf("%s %u - %s as measured on the RTL\n",
                   n_bad ? "not ok" : "ok", ++n_files, argv[i]);
            n_bad += bad;
        }
    }
    printf("1..%u\n", n_files);
    free(pages);
    return n_bad ? 1 : 0;
}
