/*
 * PULP iDMA engine: desc64 front-end and 1-D AXI back-end, in plain C
 *
 * This is the contract between the engine and what surrounds it (the QEMU
 * device, the host simulator, fuzzers, unit tests).  The engine knows no
 * clock of its own, allocates nothing and does no input or output: it reads
 * and writes through IdmaEngineOps and is driven by idma_engine_run().
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef IDMA_ENGINE_H
#define IDMA_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Registers (byte offsets); everything else reads 0 and ignores writes. */
#define IDMA_REG_DESC_ADDR      0x00u
#define IDMA_REG_STATUS         0x08u
#define IDMA_REGS_SIZE          0x1000u

#define IDMA_STATUS_BUSY        0x1u
#define IDMA_STATUS_FIFO_FULL   0x2u

/* Descriptor as a 64-bit bus sees it: 32 bytes, little-endian. */
#define IDMA_DESC_SIZE          32u
#define IDMA_DESC_END           UINT64_MAX      /* 'next' of the last one */
#define IDMA_DESC_MARK          UINT64_MAX      /* completion mark */

#define IDMA_FLAG_IRQ           (1u << 0)
#define IDMA_FLAG_SRC_BURST_S   1
#define IDMA_FLAG_DST_BURST_S   3
#define IDMA_FLAG_DECOUPLE_RW   (1u << 5)
#define IDMA_FLAG_DECOUPLE_AW   (1u << 6)
#define IDMA_FLAG_REDUCE_LEN    (1u << 7)
#define IDMA_FLAG_SRC_CACHE_S   8
#define IDMA_FLAG_DST_CACHE_S   12
#define IDMA_FLAG_AXI_ID_S      16
/* "interrupt, incrementing bursts on both sides" */
#define IDMA_FLAGS_PLAIN        0x0bu

/* Bounds of the fixed arrays in the state; the checker refuses more. */
#define IDMA_MAX_NSPEC          64u
#define IDMA_MAX_FIFO           64u
#define IDMA_MAX_AX             64u
#define IDMA_MAX_BUFFER         64u
#define IDMA_MAX_LATENCY        1000u
#define IDMA_MAX_INTERVAL       256u
#define IDMA_MAX_ERR_RANGES     4u

/* "Nothing will happen on its own." */
#define IDMA_NEVER              UINT64_MAX

typedef enum IdmaTiming {
    IDMA_TIMING_FUNCTIONAL,     /* same order of effects, simple durations */
    IDMA_TIMING_CYCLE,          /* every cycle as the RTL has it */
} IdmaTiming;

typedef enum IdmaMemMode {
    IDMA_MEM_CUTS,      /* latency L on each of the five channels: 2L+1 */
    IDMA_MEM_DIRECT,    /* read_latency + 1, write_latency + 1 */
} IdmaMemMode;

/*
 * What a synthesis run would fix.  Start from idma_engine_config_default(),
 * change what differs, have it checked: idma_engine_init() refuses a
 * configuration that idma_engine_config_check() complains about.
 */
typedef struct IdmaEngineConfig {
    IdmaTiming timing;
    uint32_t n_speculation;         /* NSpeculation, 0..64; default 4 */
    uint32_t input_fifo_depth;      /* InputFifoDepth, 1..64; default 8 */
    uint32_t pending_fifo_depth;    /* PendingFifoDepth, 1..64; default 8 */
    uint32_t num_ax_in_flight;      /* NumAxInFlight, 1..64; default 8 */
    uint32_t buffer_depth;          /* BufferDepth, 2..64; default 3 */
    IdmaMemMode mem_mode;           /* default cuts */
    uint32_t read_latency;          /* cuts: L; default 13 */
    uint32_t write_latency;         /* cuts: must equal read_latency */
    /*
     * A memory that is not ideal: transactions it takes before it has
     * answered the first (0: no limit), and cycles per beat, 1..256.  What is
     * measured on the RTL has the defaults 0, 0, 1, 1.
     */
    uint32_t mem_reads;             /* cycle mode only */
    uint32_t mem_writes;            /* cycle mode only */
    uint32_t read_interval;
    uint32_t write_interval;
    uint32_t bus_bytes;             /* 8; the only width built so far */
    uint32_t max_burst_beats;       /* AXI: 1..256, a power of two; 256 */
    uint32_t axi_id_bits;           /* 1..8; default 3 */
    /*
     * Cycle mode, defects of the RTL, each of which leaves it busy for ever:
     * - the pending-address FIFO is one entry too small and loses an entry
     *   when write answers are much slower than reads (measured);
     * - cycles between the beats of a descriptor, which read_interval > 1
     *   makes, multiply its interrupt flag (measured);
     * - the answer to a zero length is not held while the write-back is
     *   stalled, which a small mem_writes can make;
     * - read data waits for the write-back too, so that a memory with too few
     *   mem_writes can be full of bursts whose data never comes.
     * 0: as the RTL; 1: as it was meant.  Functional mode has none of them.
     */
    uint32_t lossless;
} IdmaEngineConfig;

typedef enum IdmaResp {
    IDMA_RESP_OKAY,
    IDMA_RESP_SLVERR,
    IDMA_RESP_DECERR,
} IdmaResp;

typedef enum IdmaBusKind {
    IDMA_BUS_FETCH,         /* descriptor; 32 bytes, cycle mode: 4 times 8 */
    IDMA_BUS_READ,          /* data in */
    IDMA_BUS_WRITE,         /* data out */
    IDMA_BUS_MARK,          /* completion mark, 8 bytes */
} IdmaBusKind;
#define IDMA_BUS_KINDS          4

typedef struct IdmaBusAttr {
    uint8_t kind;           /* IdmaBusKind */
    uint8_t burst;          /* AxBURST as it stands in the descriptor */
    uint8_t cache;          /* AxCACHE */
    uint8_t id;             /* AxID, truncated to axi_id_bits */
} IdmaBusAttr;

typedef enum IdmaTraceType {
    IDMA_TRACE_LAUNCH,      /* addr = chain head */
    IDMA_TRACE_REJECT,      /* DESC_ADDR write met a full FIFO; addr = head */
    IDMA_TRACE_FETCH,       /* addr; arg = 1 if speculative */
    IDMA_TRACE_FLUSH,       /* addr = right address, arg = guesses dropped */
    IDMA_TRACE_REQUEST,     /* addr = descriptor, src, dst, len, arg = flags */
    IDMA_TRACE_BURST_READ,  /* addr, len, arg = response */
    IDMA_TRACE_BURST_WRITE, /* addr, len, arg = response */
    IDMA_TRACE_MARK,        /* addr, arg = response */
    IDMA_TRACE_IRQ,         /* arg = 1 new pulse, 0 joined to the last one */
    IDMA_TRACE_ZERO_LENGTH, /* addr = descriptor */
    IDMA_TRACE_FAULT,       /* an injected fault took effect; arg = IdmaFault */
    /*
     * Handshakes on the memory port, cycle mode only; arg = 0 front-end,
     * 1 back-end.  The front-end's AR is IDMA_TRACE_FETCH.
     */
    IDMA_TRACE_AR,          /* addr */
    IDMA_TRACE_R_BEAT,      /* arg = 2: descriptor beat dropped by a flush */
    IDMA_TRACE_R_STALL,     /* a data beat is there and is not taken */
    IDMA_TRACE_AW,          /* addr */
    IDMA_TRACE_W_BEAT,      /* addr of the bus word */
    IDMA_TRACE_B,
} IdmaTraceType;

typedef struct IdmaTraceEvent {
    IdmaTraceType type;
    uint64_t cycle;
    uint64_t addr;
    uint64_t src;
    uint64_t dst;
    uint64_t len;
    uint64_t arg;
} IdmaTraceEvent;

/*
 * The surroundings.  read and write are obligatory, the rest may be NULL.
 *
 * - Accesses are to contiguous bytes, never more than a burst (at most 2048
 *   bytes), never across 4 KiB; a descriptor fetch at an address that is no
 *   multiple of 32 may cross 4 KiB as it does in hardware, and addresses wrap
 *   at 2^64.  FIXED and WRAP bursts have been unrolled beat by beat.
 * - buf is zeroed before a read; whatever read leaves there is used, whether
 *   or not the response is OKAY: the hardware ignores responses.
 * - map may hand out a pointer to plain memory (read == false: it will be
 *   written) and in *len, which comes in as the bytes wanted, how many bytes
 *   are usable there; NULL: use read or write.  unmap follows with the bytes
 *   touched before the engine makes any other call.  Pointers are never kept.
 * - irq is called once for every cycle in which the line is high.
 *   new_pulse: the line was low in the cycle before (a rising edge).
 *   A callback must not call back into the engine.
 */
typedef struct IdmaEngineOps {
    IdmaResp (*read)(void *opaque, const IdmaBusAttr *attr, uint64_t addr,
                     void *buf, uint32_t len);
    IdmaResp (*write)(void *opaque, const IdmaBusAttr *attr, uint64_t addr,
                      const void *buf, uint32_t len);
    void *(*map)(void *opaque, bool read, uint64_t addr, uint64_t *len);
    void (*unmap)(void *opaque, bool read, void *p, uint64_t len);
    void (*irq)(void *opaque, uint64_t cycle, bool new_pulse);
    void (*trace)(void *opaque, const IdmaTraceEvent *ev);
} IdmaEngineOps;

/*
 * Faults to inject; all zero = none.  Counts start at 1 and run from the last
 * idma_engine_set_faults() or idma_engine_reset().
 */
typedef enum IdmaFault {
    IDMA_FAULT_IRQ_DROPPED,
    IDMA_FAULT_IRQ_DELAYED,
    IDMA_FAULT_BUS_ERROR,
    IDMA_FAULT_HUNG,
    IDMA_FAULT_WRITE_SKIPPED,
    IDMA_FAULT_TRANSFER_DELAYED,
    IDMA_FAULT_GUESS_DELAYED,
} IdmaFault;
#define IDMA_FAULTS             7

/* Which accesses a bus error range concerns: bit (1 << IdmaBusKind). */
typedef struct IdmaErrRange {
    uint64_t base;
    uint64_t size;          /* 0: range not used */
    uint32_t kinds;         /* mask of (1 << IdmaBusKind) */
    uint32_t resp;          /* IDMA_RESP_SLVERR or IDMA_RESP_DECERR */
    uint64_t nth;           /* only the n-th matching access; 0: no limit */
    uint64_t every;         /* only every k-th matching access; 0: all */
} IdmaErrRange;

typedef struct IdmaEngineFaults {
    uint64_t drop_irq_nth;
    uint64_t drop_irq_every;
    /*
     * Cycles, < 2^32.  Of more than 256 pulses under way at once the later
     * ones wait longer.
     */
    uint64_t delay_irq;
    uint64_t hang_from;         /* n-th request and later never complete */
    uint64_t skip_write_nth;    /* data write bursts silently not done */
    uint64_t skip_write_every;
    uint64_t stuck_busy;        /* STATUS.BUSY reads 1 for ever */
    uint64_t delay_transfer;    /* cycles added to each transfer, < 2^32 */
    /*
     * Stale guesses made easy: descriptors are fetched as ever, but what a
     * fetch brought is looked at only this many cycles later (< 2^32).
     */
    uint64_t delay_guess;
    /*
     * An access in a range gets its error response; a write there is not
     * done and a read brings the pattern of an AXI error subordinate
     * (0xca11ab1ebadcab1e), unless err_keep_data: then only the response is
     * wrong.
     */
    uint64_t err_keep_data;
    IdmaErrRange err[IDMA_MAX_ERR_RANGES];
} IdmaEngineFaults;

/* Statistics; never reset by the engine except in idma_engine_init(). */
typedef struct IdmaEngineStats {
    uint64_t launches;          /* DESC_ADDR writes accepted */
    uint64_t stalls;            /* DESC_ADDR writes that met a full FIFO */
    uint64_t fetches;           /* descriptor fetches, speculative included */
    uint64_t spec_fetches;
    uint64_t guess_hits;        /* fetches saved by a right guess */
    uint64_t head_hits;         /* of these: a queued head met the guess */
    uint64_t flushes;           /* wrong guesses: prefetched work dropped */
    uint64_t requests;          /* descriptors handed to the back-end */
    uint64_t zero_length;
    uint64_t marks;             /* completion marks written */
    uint64_t irqs;              /* completions that raised the line */
    uint64_t irq_pulses;        /* rising edges of the line */
    uint64_t read_bursts;
    uint64_t write_bursts;
    uint64_t bytes_read;
    uint64_t bytes_written;
    uint64_t bus_errors[IDMA_BUS_KINDS];    /* bursts not answered OKAY */
    uint64_t faults[IDMA_FAULTS];           /* injected, by IdmaFault */
    uint64_t last_error_addr;
    uint64_t busy_cycles;       /* cycles with BUSY set */
} IdmaEngineStats;

#define IDMA_ENGINE_STATS_WORDS (sizeof(IdmaEngineStats) / 8)

#include "idma-engine-state.h"

/*
 * The engine.  Embed it and treat it as opaque but for cfg, faults and stats
 * (read them), and words[]: all that must be kept to continue elsewhere with
 * the same configuration and faults.  State consists of uint64_t and nothing
 * else, so that a migration stream can carry it as one array; after loading,
 * idma_engine_state_valid() decides whether it may be used.
 */
typedef struct IdmaEngine {
    const IdmaEngineOps *ops;
    void *opaque;
    IdmaEngineConfig cfg;
    IdmaEngineFaults faults;
    union {
        IdmaEngineStats stats;
        uint64_t stats_words[IDMA_ENGINE_STATS_WORDS];
    };
    union {
        IdmaEngineState s;
        uint64_t words[IDMA_ENGINE_STATE_WORDS];
    };
} IdmaEngine;

typedef enum IdmaRegResult {
    IDMA_REG_OK,
    IDMA_REG_STALL,     /* FIFO full: not taken; repeat it after a step */
    IDMA_REG_IGNORED,   /* no such register, or not writable */
    IDMA_REG_BAD,       /* size not 1, 2, 4 or 8, or misaligned */
} IdmaRegResult;

void idma_engine_config_default(IdmaEngineConfig *cfg);

/*
 * NULL if the configuration can be built; otherwise the name of the first bad
 * parameter (spelled as the struct member), and in *why, if why is not NULL,
 * what is wrong with it.
 */
const char *idma_engine_config_check(const IdmaEngineConfig *cfg,
                                     const char **why);

/* The same for faults. */
const char *idma_engine_faults_check(const IdmaEngineFaults *faults,
                                     const char **why);

/* Returns false, touching nothing, if the configuration is bad. */
bool idma_engine_init(IdmaEngine *e, const IdmaEngineConfig *cfg,
                      const IdmaEngineOps *ops, void *opaque);

/* Back to the state after init, at the given cycle; faults and stats stay. */
void idma_engine_reset(IdmaEngine *e, uint64_t cycle);

/* Returns false, changing nothing, if the faults are bad. NULL: none. */
bool idma_engine_set_faults(IdmaEngine *e, const IdmaEngineFaults *faults);

/*
 * Do what happens up to and including until_cycle, but at most step_budget
 * steps; a step moves at most IDMA_STEP_BYTES and takes bounded time.
 * Returns the cycle of the next thing to do: at most until_cycle if the
 * budget ran out, later otherwise, IDMA_NEVER if the engine waits for a
 * launch.  How calls are sliced changes nothing of what happens or when.
 */
#define IDMA_STEP_BYTES         65536u
uint64_t idma_engine_run(IdmaEngine *e, uint64_t until_cycle,
                         uint64_t step_budget);

/* The cycle up to which the engine has run. */
uint64_t idma_engine_now(const IdmaEngine *e);

/* The cycle of the next thing to do, or IDMA_NEVER; does nothing. */
uint64_t idma_engine_next(const IdmaEngine *e);

/*
 * Register accesses happen in the given cycle, or at idma_engine_now() if
 * that is later.  Run the engine up to the cycle first: what was due before
 * the access and has not been run happens after it.
 *
 * A write to DESC_ADDR of any size updates the bytes written and launches
 * the whole register, so two 32-bit halves are two launches, the first one
 * with whatever the other half held (ones after reset).  IDMA_REG_STALL:
 * the bus would hold the write; nothing was changed.  Write it again as soon
 * as idma_engine_can_launch() says so, to be asked after each step.
 *
 * Launches are at least two cycles apart, the pace of the register bus: a
 * write that comes earlier takes place later, and the engine runs until then.
 */
IdmaRegResult idma_engine_reg_write(IdmaEngine *e, uint64_t cycle,
                                    uint64_t offset, unsigned size,
                                    uint64_t value);
uint64_t idma_engine_reg_read(IdmaEngine *e, uint64_t cycle,
                              uint64_t offset, unsigned size);
bool idma_engine_can_launch(const IdmaEngine *e);
bool idma_engine_busy(const IdmaEngine *e);

/*
 * Whether e->words[] is a state that this engine (its cfg) can be in as far
 * as memory safety and bounded work go; call it after loading words[] from
 * anywhere.  When it is false, *why (if why is not NULL) names the part, and
 * nothing but idma_engine_reset() may be called.
 */
bool idma_engine_state_valid(const IdmaEngine *e, const char **why);

#endif
