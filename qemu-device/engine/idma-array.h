/*
 * PULP iDMA engine: several back-ends of any bus width on shared memory ports,
 * cycle by cycle, in plain C
 *
 * For systems that the desc64 engine of idma-engine.h, with its one 64-bit
 * back-end, is not: mid-ends ahead (idma-mid.h), back-ends side by side,
 * different memories to read from and write to.  A back-end here has the same
 * legalizer, byte lanes and clock-by-clock behaviour as the one in
 * idma-cycle.c; where both can do something they agree in every cycle, and a
 * test sees to that.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef IDMA_ARRAY_H
#define IDMA_ARRAY_H

#include "idma-mid.h"

/*
 * How masters conflict on a port: there is one AR, R, AW, W and B channel.
 * Addresses are granted one per clock, round robin.  Read data comes back in
 * the order of the addresses, whole bursts at a time: a master that takes its
 * beats more slowly than the port could deliver them holds up those behind it.
 * Write data is taken in the order of the write addresses.  A beat takes
 * read_num/read_den (write_num/write_den) cycles, which is the port's
 * bandwidth, and its answers are delayed by the latency.
 *
 * As in hardware, write addresses that go out before their data is there
 * (decouple_aw, or decouple_rw) can deadlock back-ends that share both ports:
 * one's data is stuck behind another's, whose write waits for the first.
 *
 * Data is read when the memory offers it and written when the port takes the
 * beat.  Bus errors are ignored as in an RTL without error handler.
 */

#define IDMA_PORT_MASTERS       32u
#define IDMA_PORT_BYTES         64u     /* widest beat */
#define IDMA_PORT_LATENCY       1000u
#define IDMA_PORT_BEATS         (2 * IDMA_PORT_LATENCY + 2)
#define IDMA_PORT_BURSTS        2048u
#define IDMA_BE_AX              64u
#define IDMA_BE_BUFFER          64u
#define IDMA_BE_TRANSFERS       256u

typedef struct IdmaPortConfig {
    uint32_t bytes;             /* of a beat: 1, 2, 4 ... 64 */
    uint32_t masters;           /* 1..32 */
    /*
     * Cycles that a read address and read data, a write beat and the answer to
     * it spend on the way; the memory itself takes one more each.
     */
    uint32_t ar_way;
    uint32_t r_way;
    uint32_t w_way;
    uint32_t b_way;
    /* cycles per beat, at least 1: num / den */
    uint32_t read_num, read_den;
    uint32_t write_num, write_den;
    /* bursts under way, 0: as many as the arrays hold */
    uint32_t reads;
    uint32_t writes;
} IdmaPortConfig;

typedef struct IdmaPortOps {
    void (*read)(void *opaque, uint64_t addr, void *buf, uint32_t len);
    void (*write)(void *opaque, uint64_t addr, const void *buf, uint32_t len);
} IdmaPortOps;

typedef struct IdmaPortBurst {
    uint64_t t;                 /* when it reaches the memory */
    uint64_t addr;
    uint64_t len;               /* bytes; no more than the beats can carry */
    uint32_t beats;
    uint32_t master;
} IdmaPortBurst;

typedef struct IdmaPortBeat {
    uint64_t t;
    uint32_t master;
    bool last;
    uint8_t data[IDMA_PORT_BYTES];
} IdmaPortBeat;

typedef struct IdmaPortStats {
    uint64_t read_bursts, write_bursts;
    uint64_t read_beats, write_beats;
    uint64_t read_bytes, write_bytes;
    uint64_t read_stalls;       /* cycles with a beat that was not taken */
    uint64_t first_r, last_r, first_w, last_w;      /* cycles */
} IdmaPortStats;

typedef struct IdmaPort {
    IdmaPortConfig cfg;
    IdmaPortOps ops;
    void *opaque;
    IdmaPortStats stats;
    uint64_t read_t, write_t;   /* in 1/den of a cycle: the next beat */
    uint32_t ar_turn, aw_turn;
    uint32_t ar_lock, aw_lock;  /* who was refused and goes first */
    /* reads that the memory works on, beats on their way back */
    uint32_t ar_head, ar_count, ar_beat;
    IdmaPortBurst ar[IDMA_PORT_BURSTS];
    uint32_t reads_out;
    uint32_t r_head, r_count;
    IdmaPortBeat r[IDMA_PORT_BEATS];
    /* writes whose data is awaited, answers on their way back */
    uint32_t aw_head, aw_count;
    IdmaPortBurst aw[IDMA_PORT_BURSTS];
    uint32_t b_head, b_count;
    IdmaPortBurst b[IDMA_PORT_BURSTS];
} IdmaPort;

/* NULL if it can be built, else the name of the first bad parameter. */
const char *idma_port_config_check(const IdmaPortConfig *cfg);
/* Latency L on each channel (the RTL bench's register slices): 2L + 1. */
void idma_port_config_cuts(IdmaPortConfig *cfg, uint32_t bytes,
                           uint32_t latency);
bool idma_port_init(IdmaPort *p, const IdmaPortConfig *cfg,
                    const IdmaPortOps *ops, void *opaque);

/*
 * One clock t of a port, in this order; the masters decide in between.
 */
/* The memory offers a beat. */
void idma_port_offer(IdmaPort *p, uint64_t t);
/* Of the masters in the mask, who gets the read address channel, or -1. */
int idma_port_grant_ar(IdmaPort *p, uint32_t mask);
void idma_port_push_ar(IdmaPort *p, uint64_t t, const IdmaPortBurst *burst);
int idma_port_grant_aw(IdmaPort *p, uint64_t t, uint32_t mask);
void idma_port_push_aw(IdmaPort *p, uint64_t t, const IdmaPortBurst *burst);
/* Whose write data is wanted, or -1; a beat of it, bytes of the bus word. */
int idma_port_w_master(const IdmaPort *p, uint64_t t);
void idma_port_push_w(IdmaPort *p, uint64_t t, uint64_t addr, const void *data,
                      uint32_t len, bool last);
/* The read beat that has arrived, or NULL. */
const IdmaPortBeat *idma_port_r(const IdmaPort *p, uint64_t t);
void idma_port_pop_r(IdmaPort *p, uint64_t t, bool taken);
/* The master that is answered, or -1; it is taken with that. */
int idma_port_pop_b(IdmaPort *p, uint64_t t);
bool idma_port_idle(const IdmaPort *p);

typedef struct IdmaBeConfig {
    uint32_t bytes;             /* bus width: 1, 2, 4 ... 64 */
    uint32_t num_ax_in_flight;  /* 1..64 */
    uint32_t buffer_depth;      /* 2..64 */
    /* longest burst: 1..256 beats, a power of two; OBI has 1 */
    uint32_t read_beats;
    uint32_t write_beats;
    /* without R-AW coupling a write address does not wait for read data */
    bool decouple_aw;
    /* read and write bursts are cut at boundaries of their own */
    bool decouple_rw;
    uint32_t read_port, read_master;
    uint32_t write_port, write_master;
} IdmaBeConfig;

/* A burst in the datapath. */
typedef struct IdmaBeBurst {
    uint64_t addr;
    uint64_t len;
    uint32_t beats;
    uint32_t shift;
} IdmaBeBurst;

typedef struct IdmaBeStats {
    uint64_t transfers;
    uint64_t bytes;
    /* cycles of the first and of the last one since init; UINT64_MAX: none */
    uint64_t first_req, first_ar, first_r, first_aw, first_w;
    uint64_t last_r, last_w, last_b;
} IdmaBeStats;

typedef struct IdmaBe {
    IdmaBeConfig cfg;
    IdmaBeStats stats;
    bool req_valid;
    IdmaMidReq req;
    /* legalizer */
    bool r_valid, w_valid;
    uint64_t r_addr, r_len, w_addr, w_len;
    uint32_t r_shift, w_shift;
    bool l_read, l_write;       /* in this clock: bursts go out, */
    bool l_next;                /* a request may be taken */
    uint64_t l_r_n, l_w_n;
    bool ar_valid;
    IdmaPortBurst ar;
    uint32_t rd_head, rd_count, wr_head, wr_count, aw_head, aw_count;
    IdmaBeBurst rd[IDMA_BE_AX], wr[IDMA_BE_AX], aw[IDMA_BE_AX];
    uint32_t last_head, last_count;
    bool last[2 * IDMA_BE_AX];
    uint32_t aw_ahead;          /* bursts whose address went before the data */
    /* byte lanes */
    uint8_t lane[IDMA_PORT_BYTES][IDMA_BE_BUFFER + 1];
    uint32_t lane_head[IDMA_PORT_BYTES], lane_count[IDMA_PORT_BYTES];
    uint64_t pop;               /* lanes that give a byte in this clock */
    uint32_t r_beat, w_beat;
    bool w_ready;
    uint64_t w_mask;
    /* answers that nobody has collected */
    uint32_t done_head, done_count;
    IdmaMidError done[IDMA_BE_TRANSFERS];
    uint32_t under_way;
} IdmaBe;

const char *idma_be_config_check(const IdmaBeConfig *cfg);
bool idma_be_init(IdmaBe *be, const IdmaBeConfig *cfg);
/*
 * A request is offered from this clock on; false: not ready.  A zero length is
 * answered with an error, after all before it.
 */
bool idma_be_put(IdmaBe *be, const IdmaMidReq *req);
bool idma_be_done(IdmaBe *be, IdmaMidError *error);
bool idma_be_idle(const IdmaBe *be);

/* NULL if the back-ends fit the ports, else the name of what does not. */
const char *idma_array_check(const IdmaBe *be, uint32_t n_be,
                             const IdmaPort *port, uint32_t n_port);
/* One clock of back-ends and the ports they are on. */
void idma_array_step(IdmaBe *be, uint32_t n_be, IdmaPort *port,
                     uint32_t n_port, uint64_t t);

/*
 * A distributed iDMA: mp_split, a tree of mp_dist, back-ends, ports.  With one
 * back-end there is no tree.
 */
typedef struct IdmaMulti {
    IdmaMpSplit split;
    IdmaMpTree tree;
    IdmaBe *be;
    uint32_t n_be;
    IdmaPort *port;
    uint32_t n_port;
} IdmaMulti;

/* NULL if it can be built, else the name of the first bad parameter. */
const char *idma_multi_init(IdmaMulti *m, uint64_t boundary,
                            const IdmaMidRegion *region, IdmaBe *be,
                            uint32_t n_be, IdmaPort *port, uint32_t n_port);
/* Before the clock's step. */
bool idma_multi_put(IdmaMulti *m, const IdmaMidReq *req);
void idma_multi_step(IdmaMulti *m, uint64_t t);
bool idma_multi_done(IdmaMulti *m, IdmaMidError *error);

#endif
