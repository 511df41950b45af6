/*
 * HyperLink: a window into the memory of another machine, as a PCI function
 *
 * Registers and state.  How the addresses are translated is in
 * hw/dma/idma-engine/hyperlink-xlate.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_MISC_HYPERLINK_H
#define HW_MISC_HYPERLINK_H

#include "chardev/char-fe.h"
#include "hw/dma/idma-engine/hyperlink-xlate.h"
#include "hw/pci/pci_device.h"
#include "qemu/units.h"
#include "system/hostmem.h"

#define TYPE_HYPERLINK "hyperlink"
OBJECT_DECLARE_SIMPLE_TYPE(HyperlinkState, HYPERLINK)

/* Under QEMU's vendor id; the number needs an allocation upstream. */
#define HYPERLINK_PCI_DEVICE        0x00f5

#define HYPERLINK_BAR_REGS          0
#define HYPERLINK_BAR_WINDOW        2
#define HYPERLINK_BAR_MSIX          4
#define HYPERLINK_REGS_SIZE         0x1000
#define HYPERLINK_WINDOW_SIZE       (256 * MiB)

/* Registers: this side's; the peer's are HYPERLINK_PEER further up */
#define HYPERLINK_REV               0x00
#define HYPERLINK_REV_VALUE         0x4e902101
#define HYPERLINK_CTL               0x04
#define HYPERLINK_CTL_RESET         (1u << 0)
#define HYPERLINK_CTL_ILOOP         (1u << 1)
#define HYPERLINK_CTL_SERIAL_STOP   (1u << 2)
#define HYPERLINK_CTL_INT2CFG       (1u << 7)
#define HYPERLINK_CTL_INTVEC(v)     ((v) >> 8 & 0x1f)
#define HYPERLINK_CTL_INTENABLE     (1u << 13)
#define HYPERLINK_CTL_INTLOCAL      (1u << 14)
#define HYPERLINK_CTL_BITS          0x00007f87u
#define HYPERLINK_STS               0x08
#define HYPERLINK_STS_LINK          (1u << 0)
#define HYPERLINK_STS_MPEND         (1u << 1)
#define HYPERLINK_STS_SPEND         (1u << 2)
#define HYPERLINK_STS_NFEMPTY0      (1u << 3)
#define HYPERLINK_STS_LERROR        (1u << 7)
#define HYPERLINK_STS_RERROR        (1u << 8)
#define HYPERLINK_STS_OFLOW         (1u << 9)
#define HYPERLINK_STS_RPEND         (1u << 11)
#define HYPERLINK_STS_PLL_UNLOCK    (1u << 12)
#define HYPERLINK_STS_SERIAL_HALT   (1u << 13)
#define HYPERLINK_STS_SWIDTHOUT_S   20
#define HYPERLINK_STS_SWIDTHIN_S    24
#define HYPERLINK_INT_PRI_VEC       0x0c
#define HYPERLINK_INT_NONE          (1u << 31)
#define HYPERLINK_INT_CLR           0x10
#define HYPERLINK_INT_SET           0x14
#define HYPERLINK_SW_INT            0x18
#define HYPERLINK_TX_SEL_CTL        0x1c
#define HYPERLINK_RX_SEL_CTL        0x2c
#define HYPERLINK_RX_PRIV_IDX       0x30
#define HYPERLINK_RX_PRIV_VAL       0x34
#define HYPERLINK_RX_SEG_IDX        0x38
#define HYPERLINK_RX_SEG_VAL        0x3c
#define HYPERLINK_CHIP_ID_VER       0x40
#define HYPERLINK_PWR               0x44
#define HYPERLINK_PWR_QUADLANE      (1u << 2)
#define HYPERLINK_PWR_BITS          0x0077ff07u
#define HYPERLINK_ECC_CNTR          0x4c
#define HYPERLINK_ECC_SINGLE_S      16      /* 16 bits: corrected */
#define HYPERLINK_ECC_DOUBLE_S      0       /* 8 bits: detected */
#define HYPERLINK_LINK_STS          0x58
#define HYPERLINK_LINK_STS_4        0xfdf0bdf0u /* up with four lanes */
#define HYPERLINK_LINK_STS_1        0x55105510u /* up with one */
#define HYPERLINK_INT_CTL_IDX       0x60
#define HYPERLINK_INT_CTL_VAL       0x64
#define HYPERLINK_INT_CTL_EN        (1u << 31)
#define HYPERLINK_INT_CTL_MPS(v)    ((v) >> 8 & 0xf)
#define HYPERLINK_INT_CTL_VECTOR(v) ((v) & 0x1f)
#define HYPERLINK_INT_CTL_BITS      0xe000ff1fu
#define HYPERLINK_INT_PTR_IDX       0x68
#define HYPERLINK_INT_PTR_VAL       0x6c
#define HYPERLINK_INT_PTR_BITS      0xfffffffcu
#define HYPERLINK_SERDES_CTL_STS1   0x70
#define HYPERLINK_SERDES_CTL_STS4   0x7c
#define HYPERLINK_PEER              0x80
#define HYPERLINK_REGS              32      /* words below HYPERLINK_PEER */

#define HYPERLINK_INT_CTLS          256
#define HYPERLINK_INT_PTRS          16

/* Why an access went nowhere */
typedef enum HyperlinkFault {
    HYPERLINK_FAULT_LINK,       /* the link is down */
    HYPERLINK_FAULT_STOPPED,    /* one of the sides has serial_stop set */
    HYPERLINK_FAULT_SEGMENT,    /* no such segment */
    HYPERLINK_FAULT_RANGE,      /* beyond the segment's end or 4 GiB */
    HYPERLINK_FAULT_MASTER,     /* the receiver may not master its bus */
    HYPERLINK_FAULT_TARGET,     /* the segment leads to what is no RAM */
    HYPERLINK_FAULT_UNSHARED,   /* a read, and memory is not shared */
    HYPERLINK_FAULT_OVERFLOW,   /* a posted write, and the queue is full */
    HYPERLINK_FAULTS
} HyperlinkFault;

typedef struct HyperlinkStats {
    uint64_t reads;                     /* this side's, through the window */
    uint64_t writes;
    uint64_t bytes_read;
    uint64_t bytes_written;
    uint64_t dma;                       /* of all these: by the DMA engine */
    uint64_t reads_failed;
    uint64_t writes_dropped;
    uint64_t faults[HYPERLINK_FAULTS];
    uint64_t in_reads;                  /* the peer's, as far as seen here */
    uint64_t in_writes;
    uint64_t in_faults[HYPERLINK_FAULTS];
    uint64_t last_fault;                /* address on the wire */
    uint64_t ints_sent;
    uint64_t ints_received;
    uint64_t ints_dropped;
    uint64_t peer_reg_writes;           /* by the peer */
    uint64_t peer_reg_refused;
    uint64_t link_ups;
    uint64_t link_downs;
    uint64_t protocol_errors;
    uint64_t guest_errors;
    uint64_t busy_ns;                   /* what the accesses cost, modelled */
} HyperlinkStats;

/* What this side knows of the other: valid while it is connected */
typedef struct HyperlinkPeer {
    bool connected;                     /* the socket */
    bool hello;                         /* and who it is */
    uint32_t flags;
    unsigned lanes;
    uint64_t generation;
    HyperlinkRx rx;
    uint32_t regs[HYPERLINK_REGS];
    /* Its RAM in its own address space; size 0: not shared */
    uint64_t ram_base;
    uint64_t ram_size;
    uint64_t acked;                     /* our generation that it has seen */
} HyperlinkPeer;

struct HyperlinkState {
    PCIDevice parent_obj;

    MemoryRegion regs_mr;
    MemoryRegion window_mr;

    /* Properties */
    CharBackend chr;
    HostMemoryBackend *peer_mem;
    uint8_t lanes;
    uint64_t rate;                      /* bit/s of a lane */
    uint32_t latency_read_ns;
    uint32_t latency_write_ns;
    uint32_t latency_int_ns;
    uint32_t pll_lock_ns;
    uint32_t train_ns;
    uint8_t privid_cpu;
    uint8_t privid_dma;
    bool secure_cpu;
    bool secure_dma;
    uint16_t dma_requester_id;
    bool peer_config;

    /* Registers */
    uint32_t ctl;
    uint32_t errors;                    /* lerror and rerror */
    uint32_t int_pending;
    uint32_t tx_sel;
    HyperlinkRx rx;
    uint32_t priv_idx;
    uint32_t seg_idx;
    uint32_t pwr;
    uint32_t ecc_single;
    uint32_t ecc_double;
    uint32_t int_ctl_idx;
    uint32_t int_ctl[HYPERLINK_INT_CTLS];
    uint32_t int_ptr_idx;
    uint32_t int_ptr[HYPERLINK_INT_PTRS];
    uint32_t serdes[4];

    /* Behind the registers */
    bool int_signalled;                 /* told, and no end of interrupt yet */
    bool serdes_on;
    bool pll_locked;
    bool link_up;
    bool link_failed;                   /* uncorrectable: needs a reset */
    bool loaded;                        /* has not run since: not migrated */
    uint32_t int_wire[HYPERLINK_INT_PTRS];  /* on their way, by mps */
    QEMUTimer pll_timer;
    QEMUTimer train_timer;
    QEMUTimer int_timer;

    HyperlinkStats stats;

    /* The connection: not part of the machine's state */
    HyperlinkPeer peer;
    uint64_t generation;                /* of what the peer should know */
    uint64_t table_generation;          /* the last that changed the table */
    bool hello_due;
    bool dirty;                         /* the peer must be told */
    uint32_t tell_faults[HYPERLINK_FAULTS];
    uint64_t tell_last_fault;
    unsigned epoch;                     /* counts connections */
    bool broken;                        /* talks nonsense: to be cut off */
    bool shares;                        /* the peer knows where our RAM is */
    bool open;                          /* and that the link may come up */
    uint64_t closing;                   /* generation that says it may not */
    bool stale;                         /* was cut off, and may not know it */
    Error *migration_blocker;
    NotifierWithReturn migration;
    GByteArray *in;
    GByteArray *out;
    guint out_watch;
    QEMUBH *bh;
    VMChangeStateEntry *vmstate;
    uint64_t writes_sent;               /* messages, and how many are done */
    uint64_t writes_done;
    uint8_t *peer_ram;                  /* of peer_mem */
    uint64_t peer_ram_size;
};

/*
 * hyperlink.c, for hyperlink-link.c
 */

uint32_t hyperlink_reg_value(HyperlinkState *s, unsigned offset);
void hyperlink_peer_reg_write(HyperlinkState *s, unsigned offset,
                              uint32_t value);
void hyperlink_interrupt(HyperlinkState *s, unsigned mps, unsigned vector);
void hyperlink_link_update(HyperlinkState *s);
void hyperlink_resume(HyperlinkState *s);
void hyperlink_error(HyperlinkState *s, uint32_t error);
void hyperlink_fault(HyperlinkState *s, HyperlinkFault fault, uint32_t wire);
/* Could the serial interface work: all but the other side */
bool hyperlink_ready(HyperlinkState *s);
/* An access that has come over the wire; false: why it led nowhere */
bool hyperlink_in(HyperlinkState *s, uint32_t wire, void *buf, uint32_t len,
                  bool is_write, HyperlinkFault *fault);

/*
 * hyperlink-link.c
 */

bool hyperlink_link_realize(HyperlinkState *s, Error **errp);
void hyperlink_link_unrealize(HyperlinkState *s);
/* Something that the peer should know has changed; @table: what it may do */
void hyperlink_link_changed(HyperlinkState *s, bool table);
/* The other side, seen from here: could the link be up, is it stopped? */
bool hyperlink_peer_ready(HyperlinkState *s);
bool hyperlink_peer_stopped(HyperlinkState *s);
unsigned hyperlink_peer_lanes(HyperlinkState *s);
/* Accesses that the peer might still make by an older table of ours */
bool hyperlink_peer_lags(HyperlinkState *s);
bool hyperlink_peer_pending(HyperlinkState *s);
bool hyperlink_peer_access(HyperlinkState *s, uint32_t wire, void *buf,
                           uint32_t len, bool is_write, HyperlinkFault *fault);
void hyperlink_peer_interrupt(HyperlinkState *s, unsigned mps,
                              unsigned vector);
void hyperlink_peer_reg_send(HyperlinkState *s, unsigned offset,
                             uint32_t value);
void hyperlink_peer_error(HyperlinkState *s);
void hyperlink_peer_tell_fault(HyperlinkState *s, HyperlinkFault fault,
                               uint32_t wire);

#endif
