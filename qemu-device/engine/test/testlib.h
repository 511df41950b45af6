/*
 * Engine tests: TAP output, a small memory with regions, a recorder of what
 * the engine does
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TESTLIB_H
#define TESTLIB_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../idma-engine.h"

/* TAP */
void plan_subtest(const char *name);
void subtest_done(void);
int all_done(void);
void check_at(const char *file, int line, bool ok, const char *what);
void check_eq_at(const char *file, int line, uint64_t got, uint64_t want,
                 const char *what);
#define CHECK(cond)         check_at(__FILE__, __LINE__, (cond), #cond)
#define CHECK_EQ(got, want) check_eq_at(__FILE__, __LINE__, (got), (want), \
                                        #got " == " #want)
/* More context for failures: printed with the first one of a subtest. */
extern char test_context[256];

/* Memory: where the golden runs have theirs. */
#define DESC_BASE   0x80000000ull
#define DESC_SIZE   0x40000u
#define SRC_BASE    0x100000000ull
#define DST_BASE    0x300000000ull
#define BUF_SIZE    0x180000u
#define TOP_BASE    0xfffffffffffff000ull
#define LOW_SIZE    0x1000u

typedef struct Region {
    uint64_t base;
    uint64_t size;
    uint8_t *mem;
} Region;

enum { R_DESC, R_SRC, R_DST, R_TOP, R_LOW, R_COUNT };

#define MAX_EVENTS  4096

typedef struct World {
    IdmaEngine e;
    Region region[R_COUNT];
    bool use_map;
    bool hostile;           /* the state was made up: time may stand still */
    bool record;            /* let the engine trace */
    uint64_t outside;       /* accesses to no region */
    uint64_t accesses;
    uint64_t mapped;
    uint64_t irqs;          /* cycles with the line high */
    uint64_t pulses;
    uint64_t last_irq;
    IdmaTraceEvent ev[MAX_EVENTS];
    unsigned n_ev;
    /* called for every trace event, before it is recorded */
    void (*hook)(struct World *w, const IdmaTraceEvent *ev);
    void *hook_arg;
} World;

World *world_new(void);
void world_free(World *w);
/* Init the engine in w with cfg (NULL: default) and fill memory from seed. */
void world_start(World *w, const IdmaEngineConfig *cfg, uint64_t seed);
uint8_t *mem_at(World *w, uint64_t addr);
void put_desc(World *w, uint64_t at, uint32_t len, uint32_t flags,
              uint64_t next, uint64_t src, uint64_t dst);
uint64_t get64(World *w, uint64_t addr);
void put64(World *w, uint64_t addr, uint64_t v);
bool marked(World *w, uint64_t desc);
bool same(World *w, uint64_t a, uint64_t b, size_t len);
uint64_t launch(World *w, uint64_t cycle, uint64_t desc);
/* Run until idle or the cycle limit; false if the limit came first. */
bool run_idle(World *w, uint64_t limit);
unsigned count_events(World *w, IdmaTraceType type);
const IdmaTraceEvent *nth_event(World *w, IdmaTraceType type, unsigned n);

bool same_event(const IdmaTraceEvent *a, const IdmaTraceEvent *b);

uint64_t rnd(uint64_t *state);

/* Which timing modes a test runs in; NULL-terminated by count. */
extern IdmaTiming test_timing;
const char *timing_name(IdmaTiming t);

#endif
