/*
 * PULP iDMA engine: mid-ends, in plain C
 *
 * What sits between a front-end and the back-ends:
 *
 *   tensor_ND   unrolls a transfer of up to N dimensions into 1-D transfers
 *   mp_split    cuts 1-D transfers at address boundaries
 *   mp_dist     hands a transfer to one of two ports by its address; a binary
 *               tree of them serves several back-ends
 *   rt_3D       launches stored 3-D transfers periodically
 *
 * None of them takes a cycle of its own: as in the RTL a request that comes
 * in can leave in the same clock, and one leaves per clock.  So each is a
 * place for one request with put (valid and ready met; false: not ready),
 * peek (what is offered downstream; false: nothing is valid) and pop (that was
 * taken).  Answers of what was popped come back in the order of the pops, and
 * each request that was put is answered once, in the order of the puts; an
 * error of any piece is the request's error.
 *
 * Nothing is allocated, every call takes bounded time, and the same calls give
 * the same results.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef IDMA_MID_H
#define IDMA_MID_H

#include <stdbool.h>
#include <stdint.h>

/* Bounds of the arrays; a build may raise them. */
#ifndef IDMA_MID_MAX_DIMS
#define IDMA_MID_MAX_DIMS       8u      /* the 1-D transfer included */
#endif
#ifndef IDMA_MID_MAX_PORTS
#define IDMA_MID_MAX_PORTS      32u     /* leaves of a tree of mp_dist */
#endif
#ifndef IDMA_MID_MAX_EVENTS
#define IDMA_MID_MAX_EVENTS     32u     /* of rt_3D */
#endif
/* Requests whose answer is awaited, in each mid-end. */
#define IDMA_MID_OUTSTANDING    64u

typedef enum IdmaMidError {
    IDMA_MID_OK,
    IDMA_MID_ERR_ZERO_LENGTH,   /* rejected by the back-end */
    IDMA_MID_ERR_ZERO_REPS,     /* no dimension has a repetition */
    IDMA_MID_ERR_CROSSES,       /* mp_dist: not within one of its regions */
} IdmaMidError;

/* A 1-D transfer. */
typedef struct IdmaMidReq {
    uint64_t src;
    uint64_t dst;
    uint64_t len;
    uint32_t flags;             /* as in a descriptor */
    bool last;                  /* of the pieces of what was put */
} IdmaMidReq;

/*
 * Which address of a transfer counts for mp_split and mp_dist: the source's
 * if it lies in [start, end), else the destination's.
 */
typedef struct IdmaMidRegion {
    uint64_t start;
    uint64_t end;
} IdmaMidRegion;

/*
 * Requests that have been taken and not yet answered, oldest first.  Used by
 * the mid-ends that make several requests of one.
 */
typedef struct IdmaMidTrack {
    uint32_t head;
    uint32_t count;
    uint64_t waiting[IDMA_MID_OUTSTANDING];     /* pieces without an answer */
    bool closed[IDMA_MID_OUTSTANDING];          /* the last piece is out */
    IdmaMidError error[IDMA_MID_OUTSTANDING];
} IdmaMidTrack;

/*
 * mp_split.  No piece crosses a multiple of boundary, on the side that the
 * region selects; apart from that pieces are as long as they can be.
 */
typedef struct IdmaMpSplit {
    uint64_t boundary;          /* bytes, a power of two */
    IdmaMidRegion region;
    bool valid;
    IdmaMidReq req;             /* what is left of it */
    IdmaMidTrack track;
} IdmaMpSplit;

/* False, touching nothing, if boundary is no power of two. */
bool idma_mp_split_init(IdmaMpSplit *m, uint64_t boundary,
                        const IdmaMidRegion *region);
bool idma_mp_split_put(IdmaMpSplit *m, const IdmaMidReq *req);
bool idma_mp_split_peek(const IdmaMpSplit *m, IdmaMidReq *piece);
void idma_mp_split_pop(IdmaMpSplit *m);
/* The oldest piece has been answered. */
void idma_mp_split_answer(IdmaMpSplit *m, IdmaMidError error);
/* Whether the oldest request is complete; it is forgotten with that. */
bool idma_mp_split_done(IdmaMpSplit *m, IdmaMidError *error);

/*
 * mp_dist.  Port 0 serves the lower half of each aligned region of the given
 * size, port 1 the upper half.  A request that lies in both is sliced and both
 * ports work on it at once; one that leaves its region is answered with an
 * error and goes nowhere (an mp_split ahead sees to it that there is none).
 */
typedef struct IdmaMpDist {
    uint64_t size;              /* bytes, a power of two, at least 2 */
    IdmaMidRegion region;
    bool valid[2];
    IdmaMidReq req[2];
    uint32_t head;
    uint32_t count;
    bool waits[IDMA_MID_OUTSTANDING][2];
    IdmaMidError error[IDMA_MID_OUTSTANDING];
} IdmaMpDist;

bool idma_mp_dist_init(IdmaMpDist *m, uint64_t size,
                       const IdmaMidRegion *region);
bool idma_mp_dist_put(IdmaMpDist *m, const IdmaMidReq *req);
bool idma_mp_dist_peek(const IdmaMpDist *m, unsigned port, IdmaMidReq *req);
void idma_mp_dist_pop(IdmaMpDist *m, unsigned port);
void idma_mp_dist_answer(IdmaMpDist *m, unsigned port, IdmaMidError error);
bool idma_mp_dist_done(IdmaMpDist *m, IdmaMidError *error);

/*
 * A binary tree of mp_dist over 2, 4, 8, ... leaves, each of which serves
 * boundary bytes of each region of leaves * boundary bytes.  Node 0 is the
 * root, the children of node i are 2i + 1 and 2i + 2.
 */
typedef struct IdmaMpTree {
    uint32_t leaves;
    IdmaMpDist node[IDMA_MID_MAX_PORTS - 1];
} IdmaMpTree;

bool idma_mp_tree_init(IdmaMpTree *m, uint32_t leaves, uint64_t boundary,
                       const IdmaMidRegion *region);
bool idma_mp_tree_put(IdmaMpTree *m, const IdmaMidReq *req);
/* Hand requests down, once per clock, between put and peek. */
void idma_mp_tree_settle(IdmaMpTree *m);
bool idma_mp_tree_peek(const IdmaMpTree *m, uint32_t leaf, IdmaMidReq *req);
void idma_mp_tree_pop(IdmaMpTree *m, uint32_t leaf);
void idma_mp_tree_answer(IdmaMpTree *m, uint32_t leaf, IdmaMidError error);
bool idma_mp_tree_done(IdmaMpTree *m, IdmaMidError *error);

/*
 * tensor_ND.  dim[0] repeats the 1-D transfer, dim[1] repeats that, and so on.
 * A stride is added to the address of the piece before, so that one of an
 * outer dimension counts from the start of the inner dimension's last piece:
 * for rows that are pitch bytes apart and repeat r times, the stride to a next
 * plane at distance d is d - (r - 1) * pitch.  Strides may be negative;
 * addresses wrap at 2^64.  0 repetitions of a dimension are one, as in the
 * RTL; 0 in every dimension are an error and move nothing.
 */
typedef struct IdmaNdDim {
    uint64_t src_stride;
    uint64_t dst_stride;
    uint32_t reps;
} IdmaNdDim;

typedef struct IdmaNdReq {
    IdmaMidReq one;
    IdmaNdDim dim[IDMA_MID_MAX_DIMS - 1];
} IdmaNdReq;

typedef struct IdmaTensor {
    uint32_t dims;              /* 2..IDMA_MID_MAX_DIMS */
    bool valid;
    IdmaNdReq req;
    uint32_t rep[IDMA_MID_MAX_DIMS - 1];        /* from 1, as counted there */
    uint64_t src;
    uint64_t dst;
    IdmaMidTrack track;
} IdmaTensor;

bool idma_tensor_init(IdmaTensor *m, uint32_t dims);
bool idma_tensor_put(IdmaTensor *m, const IdmaNdReq *req);
bool idma_tensor_peek(const IdmaTensor *m, IdmaMidReq *piece);
void idma_tensor_pop(IdmaTensor *m);
void idma_tensor_answer(IdmaTensor *m, IdmaMidError error);
bool idma_tensor_done(IdmaTensor *m, IdmaMidError *error);

/*
 * rt_3D.  Each event has a counter that runs while the event is enabled; below
 * zero the event waits for its turn, and the counter stands until the transfer
 * has been taken, which loads it again.  Without anyone in the way the period
 * is count + 2 cycles; after a reset an event is due one cycle after it has
 * been enabled.  Events take turns, and so do they, all together, and the
 * transfers of the bypass.  At most outstanding transfers are unanswered.
 */
typedef struct IdmaRtEvent {
    bool enable;
    uint64_t count;             /* < 2^32 */
    IdmaNdReq req;              /* dim[0] and dim[1] count */
} IdmaRtEvent;

typedef struct IdmaRt {
    uint32_t events;            /* NumEvents, 1..IDMA_MID_MAX_EVENTS */
    uint32_t outstanding;       /* 1..IDMA_MID_OUTSTANDING */
    IdmaRtEvent event[IDMA_MID_MAX_EVENTS];
    uint64_t left[IDMA_MID_MAX_EVENTS];     /* clocks until it is due */
    uint64_t since[IDMA_MID_MAX_EVENTS];    /* the first one that counts */
    uint64_t launches[IDMA_MID_MAX_EVENTS];
    uint64_t now;
    bool bypass_valid;
    IdmaNdReq bypass;
    uint32_t turn;              /* the event that goes first */
    bool bypass_turn;
    uint32_t held;              /* who is offered and must stay so, or NONE */
    uint32_t head;
    uint32_t count;
    uint32_t from[IDMA_MID_OUTSTANDING];
} IdmaRt;

#define IDMA_RT_NONE            UINT32_MAX
#define IDMA_RT_BYPASS          (UINT32_MAX - 1)

bool idma_rt_init(IdmaRt *m, uint32_t events, uint32_t outstanding,
                  uint64_t cycle);
/* Takes effect at once; false: no such event, or a count too large. */
bool idma_rt_set(IdmaRt *m, uint32_t event, const IdmaRtEvent *ev);
/* Let time pass up to a cycle, which must not lie behind the last one. */
void idma_rt_run(IdmaRt *m, uint64_t cycle);
/* The cycle in which something will be offered, or UINT64_MAX. */
uint64_t idma_rt_next(const IdmaRt *m);
bool idma_rt_put(IdmaRt *m, const IdmaNdReq *bypass);
/* What is offered: an event's number or IDMA_RT_BYPASS in *from. */
bool idma_rt_peek(IdmaRt *m, IdmaNdReq *req, uint32_t *from);
void idma_rt_pop(IdmaRt *m);
/* The oldest transfer has been answered; says whose it was. */
uint32_t idma_rt_answer(IdmaRt *m);

#endif
