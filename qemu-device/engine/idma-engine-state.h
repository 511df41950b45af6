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

#define IDMA_ENGINE_STATE_VERSION       4

/* One more than the FIFO holds: the register itself keeps an address. */
#define IDMA_INQ_SIZE           (IDMA_MAX_FIFO + 1)
#define IDMA_IRQ_DELAY_SLOTS    256u
#define IDMA_FUNC_RING          256u

typedef struct IdmaInputSlot {
    uint64_t addr;
    uint64_t cycle;         /* of the register write */
    uint64_t in_fifo;       /* cycle from which the FIFO counts it */
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
    uint64_t rd_resp;       /* first IdmaResp of that burst other than OKAY */
    uint64_t wr_resp;
} IdmaFuncState;

/*
 * Cycle mode: the registers and FIFOs of the RTL.  *_head and *_count are ring
 * positions in the array named alike; what the RTL calls depth is in the
 * configuration.
 */
#define IDMA_CYC_ADDRS          256u    /* > PendingFifoDepth + BackendDepth */
#define IDMA_CYC_IRQS           1024u   /* > PendingFifoDepth + 2 * that */
#define IDMA_CYC_META           128u    /* >= NumAxInFlight + BufferDepth */
#define IDMA_CYC_WTRANS         64u     /* MaxWTrans of the multiplexer */
#define IDMA_CYC_ARS            512u    /* reads on their way to the memory */
#define IDMA_CYC_RBEATS         2048u   /* >= 2 * IDMA_MAX_LATENCY + 1 */
#define IDMA_CYC_WBEATS         1024u   /* > IDMA_MAX_LATENCY */
#define IDMA_CYC_BRESP          1024u
#define IDMA_CYC_BOX            1024u
#define IDMA_LANES              8u

typedef struct IdmaCycReq {
    uint64_t addr;          /* of the descriptor */
    uint64_t src;
    uint64_t dst;
    uint64_t len;
    uint64_t flags;
} IdmaCycReq;

/* A burst on one of the address channels. */
typedef struct IdmaCycBurst {
    uint64_t t;             /* cycle in which it is at the memory (reads) */
    uint64_t addr;          /* first byte */
    uint64_t len;           /* bytes */
    uint64_t beats;
    uint64_t flags;         /* of the descriptor; burst type, cache, id */
    uint64_t port;          /* 0 front-end, 1 back-end */
} IdmaCycBurst;

/* How the datapath has to treat a burst: the masks at its ends. */
typedef struct IdmaCycDp {
    uint64_t offset;
    uint64_t tailer;
    uint64_t shift;
    uint64_t beats;
} IdmaCycDp;

typedef struct IdmaCycR {
    uint64_t t;
    uint64_t data;
    uint64_t meta;
} IdmaCycR;

typedef struct IdmaCycW {
    uint64_t t;
    uint64_t addr;          /* of the bus word */
    uint64_t data;
    uint64_t meta;
    uint64_t burst_addr;
    uint64_t burst_len;
} IdmaCycW;

typedef struct IdmaCycB {
    uint64_t t;
    uint64_t port;
} IdmaCycB;

typedef struct IdmaCycState {
    uint64_t next;          /* next cycle to look at */

    /* address generator of the front-end */
    uint64_t base_valid;
    uint64_t base_addr;
    uint64_t inflight;
    uint64_t next_valid_q;
    uint64_t flush_q;
    uint64_t next_addr_q;   /* without speculation */
    uint64_t spec_head;
    uint64_t spec_count;
    uint64_t spec[IDMA_MAX_NSPEC];
    uint64_t ars_head;      /* addresses to fetch, bit 0 of ars_spec: guess */
    uint64_t ars_count;
    uint64_t ars[IDMA_MAX_NSPEC];
    uint64_t ars_spec[IDMA_MAX_NSPEC];
    uint64_t leg_valid;     /* the one waiting for the bus */
    uint64_t leg_addr;
    uint64_t leg_spec;

    /* descriptor reader and the gate that drops wrong guesses */
    uint64_t n_to_flush;
    uint64_t engage;
    uint64_t fetch_beat;
    uint64_t irq_pushed;
    uint64_t desc[3];
    uint64_t rd_head;       /* addresses of the fetches in flight */
    uint64_t rd_count;
    uint64_t rd_addr[IDMA_CYC_ARS];

    /* request, pending-address and interrupt FIFOs, write-back */
    uint64_t req_head;
    uint64_t req_count;
    IdmaCycReq req[IDMA_MAX_FIFO];
    uint64_t req_t;         /* cycle from which the head is offered */
    uint64_t req_held;      /* bool: req_t is set for this head */
    uint64_t pend_head;
    uint64_t pend_count;
    uint64_t pend[IDMA_CYC_ADDRS];
    uint64_t irqf_head;
    uint64_t irqf_count;
    uint64_t irqf[IDMA_CYC_IRQS];
    uint64_t awa_head;
    uint64_t awa_count;
    uint64_t awa[IDMA_CYC_META];
    uint64_t w_counter;

    /* legalizer */
    uint64_t r_len;
    uint64_t r_addr;
    uint64_t r_valid;
    uint64_t w_len;
    uint64_t w_addr;
    uint64_t w_valid;
    uint64_t opt_flags;
    uint64_t read_shift;
    uint64_t write_shift;

    /* between legalizer and datapath */
    uint64_t ar_valid;
    IdmaCycBurst ar;
    uint64_t rdp_head;
    uint64_t rdp_count;
    IdmaCycDp rdp[IDMA_MAX_AX];
    uint64_t wdp_head;
    uint64_t wdp_count;
    IdmaCycDp wdp[IDMA_MAX_AX];
    uint64_t aws_head;
    uint64_t aws_count;
    IdmaCycBurst aws[IDMA_MAX_AX];
    uint64_t last_head;
    uint64_t last_count;
    uint64_t last[IDMA_CYC_META];
    uint64_t aw_ahead;      /* addresses sent whose data is not complete */

    /* datapath */
    uint64_t first_r;
    uint64_t w_cnt_valid;
    uint64_t w_num_beats;
    uint64_t lane_head[IDMA_LANES];
    uint64_t lane_count[IDMA_LANES];
    uint64_t lane[IDMA_LANES][IDMA_MAX_BUFFER];

    /* multiplexer; *_lock: requests that met a memory that was not ready */
    uint64_t ar_rr;
    uint64_t aw_rr;
    uint64_t ar_lock;
    uint64_t aw_lock;
    uint64_t wt_head;
    uint64_t wt_count;
    uint64_t wt_beat;       /* beats of the head that have passed */
    IdmaCycBurst wt[IDMA_CYC_WTRANS];
    uint64_t wr_inj;        /* injected IdmaResp of that burst */
    uint64_t wr_skip;

    /* memory: reads it has not finished, when it can go on */
    uint64_t reads_out;
    uint64_t read_t;
    uint64_t write_t;
    uint64_t mar_head;
    uint64_t mar_count;
    uint64_t mar_beat;      /* beats of the head that have been read */
    uint64_t rd_inj;
    uint64_t rd_resp;       /* worst response so far */
    uint64_t wm_resp;
    IdmaCycBurst mar[IDMA_CYC_ARS];
    uint64_t r_head;
    uint64_t r_count;
    IdmaCycR r[IDMA_CYC_RBEATS];
    uint64_t w_head;
    uint64_t w_count;
    IdmaCycW w[IDMA_CYC_WBEATS];
    uint64_t b_head;
    uint64_t b_count;
    IdmaCycB b[IDMA_CYC_BRESP];

    /* delay_guess: descriptor beats held back */
    uint64_t box_head;
    uint64_t box_count;
    IdmaCycR box[IDMA_CYC_BOX];
} IdmaCycState;

typedef struct IdmaEngineState {
    uint64_t now;           /* last cycle that has been run */
    uint64_t desc_addr;     /* the register */
    uint64_t last_launch;   /* cycle of the last accepted write, plus one */
    uint64_t busy_since;    /* cycle, plus one; 0 = idle */

    /*
     * Input FIFO and, if it is full, the holding register in front of it;
     * inq_free: the first cycle in which that register takes another address.
     */
    uint64_t inq_free;
    uint64_t inq_head;
    uint64_t inq_count;
    IdmaInputSlot inq[IDMA_INQ_SIZE];

    /* interrupt line: last cycle it was high (plus one), delayed pulses */
    uint64_t irq_last;
    uint64_t irq_head;
    uint64_t irq_count;
    uint64_t irq_waiting;   /* found no slot */
    uint64_t irq_delayed[IDMA_IRQ_DELAY_SLOTS];

    /* what the faults have counted */
    uint64_t f_irq;
    uint64_t f_req;
    uint64_t f_write;
    uint64_t f_hung;        /* bool */
    uint64_t f_err[IDMA_MAX_ERR_RANGES];

    IdmaFuncState f;
    IdmaCycState c;
} IdmaEngineState;

#define IDMA_ENGINE_STATE_WORDS         (sizeof(IdmaEngineState) / 8)

#endif
