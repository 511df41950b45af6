/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Windows into remote memory that the iDMA can copy from and to.
 *
 * A provider (HyperLink, for example) knows how to reach another machine's
 * memory through a range of this one's bus. A client asks for a window onto a
 * range of that memory and gets a bus address that it hands to dmaengine like
 * any other, and a CPU mapping if it wants one. When the link goes down, the
 * windows are revoked: the client is told, transfers that were under way end
 * with an error, and the addresses stay what they are, leading nowhere, until
 * the client lets go of the window.
 */
#ifndef _LINUX_DMA_IDMA_H
#define _LINUX_DMA_IDMA_H

#include <linux/completion.h>
#include <linux/dma-direction.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/types.h>

struct device;
struct idma_window;
struct idma_window_provider;
struct notifier_block;
struct task_struct;

/* Whatever PrivID the accesses carry */
#define IDMA_WINDOW_PRIVID_ANY	(-1)

/* ---- Clients ---- */

/**
 * struct idma_window_request - what a client wants a window onto
 * @remote: address in the provider's remote address space
 * @len: length in bytes
 * @dir: DMA_TO_DEVICE to write remote memory, DMA_FROM_DEVICE to read it,
 *	DMA_BIDIRECTIONAL for both
 * @privid: PrivID that the accesses are to carry, or IDMA_WINDOW_PRIVID_ANY
 * @dma_dev: device that will do the copying (&dma_chan.device->dev), NULL for a
 *	window that only the CPU uses
 * @cpu: make a CPU mapping as well
 * @owner: whose quota the window counts against; any pointer that is the
 *	client's own
 * @revoked: called once, from process context, when the window is revoked with
 *	&idma_window.status saying why; the client then stops and puts the
 *	window, from here or later. May be NULL.
 * @data: the client's own
 */
struct idma_window_request {
	u64 remote;
	u64 len;
	enum dma_data_direction dir;
	int privid;
	struct device *dma_dev;
	bool cpu;
	const void *owner;
	void (*revoked)(struct idma_window *w);
	void *data;
};

/**
 * struct idma_window - a window onto remote memory
 * @req: what was asked for
 * @id: number of the window, unique while the module is loaded
 * @phys: where the CPU's bus has it
 * @dma: bus address for &idma_window_request.dma_dev, valid if there is one
 * @cpu: CPU mapping, NULL if none was asked for
 * @status: 0 while the window is good, then why it was revoked: -ENOLINK (the
 *	link went down), -EACCES (the peer took back its grant), -ENODEV (the
 *	provider is gone). Read it with idma_window_status().
 * @provider: the provider
 *
 * All of it is to be read only.
 */
struct idma_window {
	struct idma_window_request req;
	u32 id;
	phys_addr_t phys;
	dma_addr_t dma;
	void __iomem *cpu;
	int status;
	struct idma_window_provider *provider;

	/* private: */
	struct kref ref;
	struct list_head node;
	u32 epoch;
	struct task_struct *teller;
	struct completion told;
};

struct idma_window *idma_window_map(struct idma_window_provider *p,
				    const struct idma_window_request *req);
struct idma_window *idma_window_get(struct idma_window *w);
void idma_window_put(struct idma_window *w);
int idma_window_status(const struct idma_window *w);
u32 idma_window_begin(const struct idma_window *w);
int idma_window_end(const struct idma_window *w, u32 mark);
const char *idma_window_strerror(int err);

/**
 * struct idma_window_grant - memory of this side that the peer may touch
 * @len: its length in bytes
 * @remote: address in the remote address space at which the peer finds it
 * @cpu: where this side's CPU finds it
 * @dma: bus address on this side, for the provider's device
 * @provider: the provider
 *
 * Read only, but for the memory.
 */
struct idma_window_grant {
	size_t len;
	u64 remote;
	void *cpu;
	dma_addr_t dma;
	struct idma_window_provider *provider;

	/* private: */
	struct list_head node;
};

struct idma_window_grant *idma_window_grant(struct idma_window_provider *p,
					    size_t len);
void idma_window_ungrant(struct idma_window_grant *g);

struct idma_window_provider *idma_window_provider_find(const char *name);
struct idma_window_provider *
idma_window_provider_get(struct idma_window_provider *p);
void idma_window_provider_put(struct idma_window_provider *p);

int idma_window_walk_providers(int (*fn)(struct idma_window_provider *p,
					 void *data), void *data);
int idma_window_walk(struct idma_window_provider *p,
		     int (*fn)(struct idma_window *w, void *data),
		     void *data);
int idma_window_walk_grants(struct idma_window_provider *p,
			    int (*fn)(struct idma_window_grant *g, void *data),
			    void *data);
int idma_window_remote(struct idma_window_provider *p, unsigned int n,
		       u64 *remote, u64 *len);

/**
 * enum idma_window_event - what the notifier chain reports
 * @IDMA_WINDOW_PROVIDER_ADD: a provider has come; data is the provider
 * @IDMA_WINDOW_PROVIDER_REMOVE: it is going away, and the memory of its grants
 *	afterwards; data is the provider
 * @IDMA_WINDOW_LINK_UP: its link is up; data is the provider
 * @IDMA_WINDOW_LINK_DOWN: its link is down; data is the provider
 * @IDMA_WINDOW_REVOKED: a window was revoked; data is the window
 */
enum idma_window_event {
	IDMA_WINDOW_PROVIDER_ADD,
	IDMA_WINDOW_PROVIDER_REMOVE,
	IDMA_WINDOW_LINK_UP,
	IDMA_WINDOW_LINK_DOWN,
	IDMA_WINDOW_REVOKED,
};

int idma_window_register_notifier(struct notifier_block *nb);
int idma_window_unregister_notifier(struct notifier_block *nb);

/* ---- Providers ---- */

/**
 * struct idma_window_ops - what a provider does
 * @map: check that the peer has granted what @w asks for and set
 *	&idma_window.phys; the core has checked the rest. -ERANGE if it is not
 *	inside of one of the peer's segments, -EACCES if the PrivID or the
 *	direction cannot be had. May sleep.
 * @unmap: the window is no more; may be NULL. May sleep.
 * @check: has every access up to now got where it should? Asked for transfers
 *	that have touched the provider's memory. 0 if so; -EIO if some have
 *	failed since it was last asked, but the link is up; -ENOLINK if it is
 *	down, which idma_window_provider_link() has to tell as well then. From
 *	any context, interrupts off. May be NULL.
 * @grant: give the peer access to &idma_window_grant.len bytes of memory that
 *	the provider allocates, and set the other members. May sleep.
 * @ungrant: take it back; when this returns the peer cannot touch the memory
 *	any more and it is freed. May sleep.
 * @remote: the @n-th piece of memory that the peer has granted, -ENOENT after
 *	the last one. May sleep.
 */
struct idma_window_ops {
	int (*map)(struct idma_window_provider *p, struct idma_window *w);
	void (*unmap)(struct idma_window_provider *p, struct idma_window *w);
	int (*check)(struct idma_window_provider *p);
	int (*grant)(struct idma_window_provider *p, struct idma_window_grant *g);
	void (*ungrant)(struct idma_window_provider *p,
			struct idma_window_grant *g);
	int (*remote)(struct idma_window_provider *p, unsigned int n,
		      u64 *remote, u64 *len);
};

/**
 * struct idma_window_caps - what a provider can do
 * @base: where on the CPU's bus its remote memory appears
 * @size: how much of the bus that is, and the size of the remote address space
 * @align: windows start at multiples of this and are multiples of it long; a
 *	power of two
 * @max_len: longest window in bytes
 * @max_windows: most windows at a time, over all clients
 * @quota: most windows at a time of one client, 0 for no limit
 */
struct idma_window_caps {
	phys_addr_t base;
	u64 size;
	u64 align;
	u64 max_len;
	unsigned int max_windows;
	unsigned int quota;
};

struct idma_window_provider *
idma_window_provider_register(struct device *dev, const char *name,
			      const struct idma_window_caps *caps,
			      const struct idma_window_ops *ops, void *priv);
void idma_window_provider_unregister(struct idma_window_provider *p);
void idma_window_provider_lost(struct idma_window_provider *p);
int idma_window_provider_look(struct idma_window_provider *p,
			      int (*look)(void *data), void *data);
void idma_window_provider_link(struct idma_window_provider *p, bool up);
void idma_window_provider_revoke(struct idma_window_provider *p, u64 remote,
				 u64 len, int err);

const char *idma_window_provider_name(const struct idma_window_provider *p);
struct device *idma_window_provider_device(const struct idma_window_provider *p);
const struct idma_window_caps *
idma_window_provider_caps(const struct idma_window_provider *p);
bool idma_window_provider_up(const struct idma_window_provider *p);
void *idma_window_provider_priv(const struct idma_window_provider *p);

#endif /* _LINUX_DMA_IDMA_H */
