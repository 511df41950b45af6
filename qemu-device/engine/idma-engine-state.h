/*
 * PULP iDMA engine: everything the engine remembers
 *
 * Private to the engine, here only so that IdmaEngine can be embedded.
 * Members are uint64_t without exception (see struct IdmaEngine); a change
 * of the layout raises IDMA_ENGINE_STATE_VERSION.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef IDMA_ENGINE_STATE_H
#define IDMA_ENGINE_STATE_H

#define IDMA_ENGINE_STATE_VERSION       1

/* One more than the FIFO holds: the register itself keeps an address. */
#define IDMA_INQ_SIZE           (IDMA_MAX_FIFO + 1)
#define IDMA_IRQ_DELAY_SLOTS    256u
#define IDMA_FUNC_RING          256u

typedef struct IdmaInputSlot {
    uint64_t addr;
    uint64_t cycle;         /* of the register write */
} IdmaInputSlot;

/* A descriptor fetch in flight (functional mode). */
typedef struct IdmaFuncFetch {
    uint64_t addr;
    uint64_t t_ar;
    uint64_t t_r;           /* its first beat is due */
    uint64_t sampled;       /* bool: w[] has been read from memory */
    uint64_t w[4];
} IdmaFuncFetch;

/* A request to the back-end (functional mode). */
typedef struct IdmaFuncReq {
    uint64_t addr;          /* of the descriptor */
    uint64_t src;
    uint64_t dst;
    uint64_t len;
    uint64_t flags;
    uint64_t t;             /* offered to, then taken by the legalizer */
} IdmaFuncReq;

/*
 * Functional mode.  The ring positions count up for ever; req[] is indexed
 * modulo its size.  irq <= mark <= resp <= leg <= tail, mv <= leg.
 */
typedef struct IdmaFuncState {
    uint64_t ev;            /* cycle of the last event */

    /* front-end: fetch[] from fetch_head on, the oldest is no guess */
    uint64_t base_valid;
    uint64_t base_addr;
    uint64_t fetch_head;
    uint64_t fetch_count;
    uint64_t fetch_sampled; /* of these */
    uint64_t ar_t;          /* earliest cycle of the next fetch */
    uint64_t resolve_t;     /* when the last descriptor was looked at */
    IdmaFuncFetch fetch[IDMA_MAX_NSPEC];

    /* requests and responses */
    uint64_t tail;          /* requests made */
    uint64_t leg;           /* taken by the legalizer */
    uint64_t mv;            /* being moved */
    uint64_t resp;          /* answered by the back-end */
    uint64_t mark;          /* marked in memory */
    uint64_t irq;           /* mark acknowledged, interrupt raised */
    uint64_t leg_t;         /* earliest cycle of the next legalizer intake */
    uint64_t mark_t;        /* cycle of the last mark */
    uint64_t irq_t;         /* cycle of the last acknowledgement */
    IdmaFuncReq req[IDMA_FUNC_RING];
    uint64_t resp_t[IDMA_FUNC_RING];

    /* the transfer being moved */
    uint64_t mv_active;     /* bool */
    uint64_t mv_off;        /* bytes done */
    uint64_t mv_chunk;      /* bytes of the next step */
    uint64_t mv_t;          /* cycle of the next step */
    uint64_t r_free;        /* cycle from which the R channel is free */
    uint64_t rd_inj;        /* injected IdmaResp of the burst in progress */
    uint64_t wr_inj;
    uint64_t wr_skip;       /* bool: this write burst is not done */
} IdmaFuncState;

typedef struct IdmaEngineState {
    uint64_t now;           /* last cycle that has been run */
    uint64_t desc_addr;     /* the register */
    uint64_t last_launch;   /* cycle of the last accepted write, plus one */
    uint64_t busy_since;    /* cycle, plus one; 0 = idle */

    /* input FIFO and the holding register in front of it */
    uint64_t inq_head;
    uint64_t inq_count;
    IdmaInputSlot inq[IDMA_INQ_SIZE];

    /* interrupt line: last cycle it was high (plus one), delayed pulses */
    uint64_t irq_last;
    uint64_t irq_head;
    uint64_t irq_count;
    uint64_t irq_delayed[IDMA_IRQ_DELAY_SLOTS];

    /* what the faults have counted */
    uint64_t f_irq;
    uint64_t f_req;
    uint64_t f_write;
    uint64_t f_hung;        /* bool */
    uint64_t f_err[IDMA_MAX_ERR_RANGES];

    IdmaFuncState f;
} IdmaEngineState;

#define IDMA_ENGINE_STATE_WORDS         (sizeof(IdmaEngineState) / 8)

#endif
