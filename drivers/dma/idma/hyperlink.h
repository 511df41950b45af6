/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The HyperLink driver's own types, and what two of these drivers have to say
 * to each other.
 */
#ifndef _DRIVERS_DMA_HYPERLINK_H
#define _DRIVERS_DMA_HYPERLINK_H

#include <linux/build_bug.h>
#include <linux/export.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/dma/idma.h>

#include "hyperlink-regs.h"
#include "hyperlink-seg.h"

struct dentry;
struct device;
struct hyperlink;
struct hyperlink_ntb;
struct pci_dev;

/* Interrupt vectors; 0 is the one with the highest priority */
#define HYPERLINK_VEC_STATUS	0	/* of this side: error, link down */
#define HYPERLINK_VEC_CONTROL	1	/* the peer has written a hello */
#define HYPERLINK_VEC_USER	2	/* 2..15: for whoever wants them */
#define HYPERLINK_VEC_NTB	16	/* 16..31: NTB's doorbells */
#define HYPERLINK_NTB_DBS	16
#define HYPERLINK_NTB_SPADS	32
#define HYPERLINK_NTB_MAX_MWS	8

/* ---- The shared page: segment 0 of either side ---- */

#define HYPERLINK_HELLO_MAGIC	0x6b6e694c	/* "Link" */
#define HYPERLINK_HELLO_VERSION	2
#define HYPERLINK_HELLO_NTB	BIT(0)		/* the NTB client wants the link */
/* in seg[] */
#define HYPERLINK_HELLO_ORDER	GENMASK(4, 0)	/* log2 of the size, 0 for none */
#define HYPERLINK_HELLO_MW	BIT(7)		/* NTB's, not for windows */
#define HYPERLINK_HELLO_GEN	GENMASK(31, 8)	/* differs from one grant to the next */
#define HYPERLINK_ROLE_NONE	0xff
#define HYPERLINK_SPAD_ALIGN	0x800

/**
 * struct hyperlink_hello - what a side says of itself, in the peer's page
 * @head: number of the hello; written first, read last
 * @magic: HYPERLINK_HELLO_MAGIC
 * @version: HYPERLINK_HELLO_VERSION
 * @epoch: number of the sender's bring-up, never 0
 * @ack: the receiver's epoch, as far as the sender has seen it
 * @nonce: random, decides who is port 0
 * @role: the sender's NTB port, HYPERLINK_ROLE_NONE if it has none yet
 * @flags: HYPERLINK_HELLO_NTB
 * @seg: each of the sender's segments: HYPERLINK_HELLO_ORDER, HYPERLINK_HELLO_MW,
 *	HYPERLINK_HELLO_GEN
 * @tail: same as @head; written last, read first
 */
struct hyperlink_hello {
	__le32 head;
	__le32 magic;
	__le32 version;
	__le32 epoch;
	__le32 ack;
	__le32 nonce;
	__le32 role;
	__le32 flags;
	__le32 seg[HYPERLINK_SEGMENTS];
	__le32 tail;
};

/**
 * struct hyperlink_page - what the peer may always touch
 * @hello: written by the peer
 * @spad: this side's scratchpads, written by both
 */
struct hyperlink_page {
	struct hyperlink_hello hello;
	__le32 spad[HYPERLINK_NTB_SPADS] __aligned(HYPERLINK_SPAD_ALIGN);
};

#define HYPERLINK_PAGE_SIZE	SZ_4K
static_assert(sizeof(struct hyperlink_page) <= HYPERLINK_PAGE_SIZE);

/**
 * struct hyperlink_peer - what the peer has said last
 * @epoch: its epoch, 0 if it has said nothing
 * @ack: our epoch as it knows it
 * @nonce: its number
 * @role: its NTB port
 * @flags: HYPERLINK_HELLO_NTB
 * @order: log2 of the size of its segments
 * @gen: which use of the segment that is
 * @mw: bitmap of those that are NTB's
 */
struct hyperlink_peer {
	u32 epoch;
	u32 ack;
	u32 nonce;
	u32 role;
	u32 flags;
	u8 order[HYPERLINK_SEGMENTS];
	u32 gen[HYPERLINK_SEGMENTS];
	u64 mw;
};

/**
 * enum hyperlink_state - how far the link is
 * @HYPERLINK_STOPPED: the driver does not want it
 * @HYPERLINK_RESET: to be reset and brought up
 * @HYPERLINK_TRAINING: brought up, waiting for the other side
 * @HYPERLINK_LINKED: the hardware is up; waiting for the peer's driver
 * @HYPERLINK_READY: each driver has heard the other
 */
enum hyperlink_state {
	HYPERLINK_STOPPED,
	HYPERLINK_RESET,
	HYPERLINK_TRAINING,
	HYPERLINK_LINKED,
	HYPERLINK_READY,
};

/**
 * struct hyperlink_stats - counters, since probe
 * @link_ups: times that the link became ready
 * @link_downs: times that it was lost
 * @resets: times that the hardware was reset
 * @errors: times that lerror or rerror was seen: accesses that went nowhere, or
 *	a link that broke
 * @interrupts: interrupts taken
 * @foreign: interrupts that were not this device's (shared line)
 * @hellos_sent: hellos sent
 * @hellos_seen: hellos seen that said something new
 * @hellos_bad: hellos that made no sense
 * @vectors: interrupts by vector
 * @rung: doorbells rung at the peer
 * @leaked: bytes that are never freed, because the peer did not let go of them
 */
struct hyperlink_stats {
	u64 link_ups;
	u64 link_downs;
	u64 resets;
	u64 errors;
	u64 interrupts;
	u64 foreign;
	u64 hellos_sent;
	u64 hellos_seen;
	u64 hellos_bad;
	u64 vectors[HYPERLINK_VECTORS];
	u64 rung;
	u64 leaked;
};

/**
 * struct hyperlink - a HyperLink
 * @pdev: its PCI function
 * @regs: its registers
 * @window: where the CPU's bus has the window
 * @irq: interrupt number
 * @loopback: the window leads back to this side
 * @overlay: PrivID overlay code, 0 for none
 * @provider: this as a window provider
 * @page: the shared page
 * @page_dma: its bus address
 * @peer_page: the peer's, through the window
 * @wq: where @link_work runs; ordered
 * @link_work: moves the link from state to state
 * @lock: protects what follows, up to @reg_lock
 * @state: how far the link is
 * @epoch: number of this bring-up
 * @seq: number of the last hello
 * @nonce: random
 * @role: NTB port, HYPERLINK_ROLE_NONE while it is not decided
 * @peer: what the peer has said
 * @told: the peer has our last hello, and there is nothing new to say
 * @told_ntb: what it said of NTB's wanting the link
 * @failed: the link went down with an error: reset it if it stays down
 * @polls: times that it was looked at since
 * @restless: the link was stopped, and accesses of the peer's went on
 * @segs: this side's segments
 * @taken: segments that were taken back while looped back: this side's own windows
 *	onto them are to be revoked
 * @privid: the PrivID table
 * @reg_lock: protects registers that come as index and value, @stats and
 *	@leaving; also taken by the interrupt handler
 * @stats: counters
 * @leaving: @link_work is not to be started any more
 * @reported: epoch of the bring-up that clients know as up, 0 if they know it as
 *	down; written by @link_work only
 * @ready: @state is HYPERLINK_READY, for those who do not hold @lock
 * @ntb: this as an NTB device, NULL if there is none
 * @debugfs: the folder
 */
struct hyperlink {
	struct pci_dev *pdev;
	void __iomem *regs;
	phys_addr_t window;
	int irq;
	bool loopback;
	u8 overlay;
	struct idma_window_provider *provider;
	struct hyperlink_page *page;
	dma_addr_t page_dma;
	void __iomem *peer_page;
	struct workqueue_struct *wq;
	struct delayed_work link_work;

	struct mutex lock; /* Protects what follows */
	enum hyperlink_state state;
	u32 epoch;
	u32 seq;
	u32 nonce;
	u32 role;
	struct hyperlink_peer peer;
	bool told;
	bool told_ntb;
	bool failed;
	unsigned int polls;
	bool restless;
	struct hyperlink_segs segs;
	u64 taken;
	u8 privid[HYPERLINK_PRIVIDS];

	/* Protects indexed registers, stats and leaving, from any context */
	spinlock_t reg_lock;
	struct hyperlink_stats stats;
	bool leaving;
	u32 reported;
	bool ready;

	struct hyperlink_ntb *ntb;
	struct dentry *debugfs;
};

/* What only the KUnit tests call from outside its file */
#if IS_ENABLED(CONFIG_PULP_HYPERLINK_KUNIT_TEST)
#define EXPORT_SYMBOL_HYPERLINK_KUNIT(sym)	EXPORT_SYMBOL_GPL(sym)
#else
#define EXPORT_SYMBOL_HYPERLINK_KUNIT(sym)	static_assert(sizeof(typeof(sym) *))
#endif

/* hyperlink-core.c */
u32 hyperlink_read(struct hyperlink *hl, unsigned int reg);
void hyperlink_kick(struct hyperlink *hl);
int hyperlink_ring(struct hyperlink *hl, unsigned int vector);
int hyperlink_grant_at(struct hyperlink *hl, int index, u64 addr, u64 size);
int hyperlink_revoke_at(struct hyperlink *hl, unsigned int index);
void hyperlink_request_reset(struct hyperlink *hl);
int hyperlink_set_privid(struct hyperlink *hl, unsigned int index, u8 val);
void hyperlink_hello_changed(struct hyperlink *hl);
const char *hyperlink_state_name(enum hyperlink_state state);

static inline bool hyperlink_ready(const struct hyperlink *hl)
{
	return READ_ONCE(hl->ready);
}

/* hyperlink-ntb.c */
#if IS_ENABLED(CONFIG_NTB)
int hyperlink_ntb_register(struct hyperlink *hl, u32 role);
void hyperlink_ntb_unregister(struct hyperlink *hl);
bool hyperlink_ntb_wanted(struct hyperlink *hl);
u64 hyperlink_ntb_reserved(void);
int hyperlink_ntb_check_params(struct device *dev);
unsigned int hyperlink_ntb_link(struct hyperlink *hl, bool up);
void hyperlink_ntb_doorbells(struct hyperlink *hl, u32 bits);
#else
static inline int hyperlink_ntb_register(struct hyperlink *hl, u32 role)
{
	return 0;
}

static inline void hyperlink_ntb_unregister(struct hyperlink *hl)
{
}

static inline bool hyperlink_ntb_wanted(struct hyperlink *hl)
{
	return false;
}

static inline u64 hyperlink_ntb_reserved(void)
{
	return 0;
}

static inline int hyperlink_ntb_check_params(struct device *dev)
{
	return 0;
}

static inline unsigned int hyperlink_ntb_link(struct hyperlink *hl, bool up)
{
	return 0;
}

static inline void hyperlink_ntb_doorbells(struct hyperlink *hl, u32 bits)
{
}
#endif

/* hyperlink-debugfs.c */
void hyperlink_debugfs_init(struct hyperlink *hl);
void hyperlink_debugfs_exit(struct hyperlink *hl);
void hyperlink_debugfs_module(bool load);

#endif /* _DRIVERS_DMA_HYPERLINK_H */
