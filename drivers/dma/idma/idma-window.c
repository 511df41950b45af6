// SPDX-License-Identifier: GPL-2.0-only
/*
 * Window plugin core: providers of remote memory, clients' windows onto it, and
 * what becomes of transfers when a link goes down.
 *
 * The iDMA does not report errors: a copy from a link that is down ends like a
 * good one, with all ones for data. So a transfer notes the epoch in which it
 * was started, every change or fault of a link starts a new one, and a transfer
 * that has touched a provider's memory is an error if there was one since, or if
 * the link is down, or the provider finds a fault when it looks.
 *
 * Locks: a provider's lock, which may be held while sleeping, then
 * idma_window_lock, which is taken with interrupts off, from any context.
 */
#include <linux/completion.h>
#include <linux/device.h>
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/io.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/dma/idma.h>

#include "idma.h"
#include "idma-window.h"

/**
 * struct idma_window_provider - a provider, as the core has it
 * @ref: one for the registration, one per window, grant and finder
 * @node: link in idma_window_providers
 * @dev: the provider's device
 * @name: name to find it by
 * @caps: what it can do
 * @ops: what it does; not called once @dead is set
 * @priv: its own
 * @lock: protects what follows
 * @windows: clients' windows; changed under idma_window_lock as well
 * @grants: what the peer may touch
 * @nr_windows: windows in @windows
 * @gone: being unregistered: there is nothing new from it
 * @dead: unregistered: it is not called any more
 * @up: the link is up; also under idma_window_lock
 * @reported: what the notifier chain was last told of @up
 * @epoch: epoch of the last change of @up, or fault; under idma_window_lock
 */
struct idma_window_provider {
	struct kref ref;
	struct list_head node;
	struct device *dev;
	const char *name;
	struct idma_window_caps caps;
	const struct idma_window_ops *ops;
	void *priv;

	struct mutex lock; /* Protects what follows */
	struct list_head windows;
	struct list_head grants;
	unsigned int nr_windows;
	bool gone;
	bool dead;
	bool up;
	bool reported;
	u32 epoch;
};

struct idma_window_epoch idma_window_epoch;
EXPORT_SYMBOL_IDMA_KUNIT(idma_window_epoch);

static LIST_HEAD(idma_window_providers);
static DEFINE_SPINLOCK(idma_window_lock);
static BLOCKING_NOTIFIER_HEAD(idma_window_notifiers);
static atomic_t idma_window_ids;

/* ---- Transfers, from any context ---- */

/* Has a device that copies had to do with a window, whoever has mapped it? */
static bool idma_window_hit(const struct idma_window *w, struct device *dev,
			    dma_addr_t addr, size_t len)
{
	u64 base = w->phys;

	/* Behind an IOMMU only the mapping for this device says where it is */
	if (device_iommu_mapped(dev)) {
		if (w->req.dma_dev != dev)
			return false;
		base = w->dma;
	}

	return addr < base + w->req.len && addr + len > base;
}

/*
 * Has it had to do with a provider's memory? Without an IOMMU a bus address is
 * the CPU's, and those who have no window, like NTB's clients, are found as well.
 */
static bool idma_window_touches(const struct idma_window_provider *p,
				struct device *dev, dma_addr_t addr, size_t len)
{
	const struct idma_window *w;

	if (!device_iommu_mapped(dev))
		return addr < p->caps.base + p->caps.size &&
		       addr + len > p->caps.base;

	list_for_each_entry(w, &p->windows, node)
		if (idma_window_hit(w, dev, addr, len))
			return true;

	return false;
}

/* Whatever is under way through the link is an error from here on */
static void idma_window_change(struct idma_window_provider *p, bool up)
{
	lockdep_assert_held(&idma_window_lock);

	p->up = up;
	p->epoch = idma_window_epoch.now + 1;
	WRITE_ONCE(idma_window_epoch.now, p->epoch);
}

static bool idma_window_failed(struct idma_window_provider *p, u32 since)
{
	lockdep_assert_held(&idma_window_lock);

	if (p->up && p->ops->check) {
		int ret = p->ops->check(p);

		if (ret)
			idma_window_change(p, ret != -ENOLINK);
	}

	return !p->up || (s32)(p->epoch - since) > 0;
}

/* Has a window that the transfer used been revoked meanwhile? */
static bool idma_window_cut_off(const struct idma_window_provider *p,
				struct device *dev, dma_addr_t addr, size_t len,
				u32 since)
{
	const struct idma_window *w;

	lockdep_assert_held(&idma_window_lock);

	list_for_each_entry(w, &p->windows, node)
		if (w->status && (s32)(w->epoch - since) > 0 &&
		    idma_window_hit(w, dev, addr, len))
			return true;

	return false;
}

/**
 * idma_window_result - has a transfer really worked?
 * @dev: device that has copied
 * @src: bus address of the source
 * @dst: bus address of the destination
 * @len: length in bytes
 * @since: idma_window_now() when it was started
 *
 * Return: DMA_TRANS_NOERROR, unless the transfer went through a link that was
 * not up all the time
 */
enum dmaengine_tx_result idma_window_result(struct device *dev, dma_addr_t src,
					    dma_addr_t dst, size_t len, u32 since)
{
	enum dmaengine_tx_result result = DMA_TRANS_NOERROR;
	struct idma_window_provider *p;
	unsigned long flags;

	spin_lock_irqsave(&idma_window_lock, flags);
	list_for_each_entry(p, &idma_window_providers, node) {
		bool read = idma_window_touches(p, dev, src, len);

		if (!read && !idma_window_touches(p, dev, dst, len))
			continue;
		if (!idma_window_failed(p, since) &&
		    !idma_window_cut_off(p, dev, src, len, since) &&
		    !idma_window_cut_off(p, dev, dst, len, since))
			continue;
		result = read ? DMA_TRANS_READ_FAILED : DMA_TRANS_WRITE_FAILED;
		break;
	}
	spin_unlock_irqrestore(&idma_window_lock, flags);

	return result;
}
EXPORT_SYMBOL_IDMA_KUNIT(idma_window_result);

/* ---- Windows ---- */

/**
 * idma_window_strerror - what an error of idma_window_map() means
 * @err: the error, negative
 *
 * Return: a text for people
 */
const char *idma_window_strerror(int err)
{
	switch (err) {
	case 0:
		return "the window is good";
	case -EINVAL:
		return "the window is empty or not aligned, or the direction is none";
	case -E2BIG:
		return "the window is longer than the provider can make one";
	case -ERANGE:
		return "the window is not inside of a segment that the peer has granted";
	case -EACCES:
		return "the peer does not grant this direction or PrivID";
	case -EBUSY:
		return "the window overlaps another one";
	case -EDQUOT:
		return "the client has as many windows as it may";
	case -ENOSPC:
		return "the provider has no window left";
	case -ENOLINK:
		return "the link is down";
	case -ENODEV:
		return "the provider is gone";
	default:
		return "the window cannot be mapped";
	}
}
EXPORT_SYMBOL_GPL(idma_window_strerror);

/* What needs no knowledge of the peer; p->lock is held */
static int idma_window_check(const struct idma_window_provider *p,
			     const struct idma_window_request *req)
{
	const struct idma_window_caps *caps = &p->caps;
	const struct idma_window *w;
	unsigned int owned = 0;

	if (req->dir != DMA_TO_DEVICE && req->dir != DMA_FROM_DEVICE &&
	    req->dir != DMA_BIDIRECTIONAL)
		return -EINVAL;
	if (!req->dma_dev && !req->cpu)
		return -EINVAL;
	if (!req->len || !IS_ALIGNED(req->remote | req->len, caps->align))
		return -EINVAL;
	if (req->len > caps->max_len)
		return -E2BIG;
	if (req->remote >= caps->size || req->len > caps->size - req->remote)
		return -ERANGE;

	list_for_each_entry(w, &p->windows, node) {
		/* What was revoked leads nowhere and is in nobody's way */
		if (w->status)
			continue;
		if (req->remote < w->req.remote + w->req.len &&
		    w->req.remote < req->remote + req->len)
			return -EBUSY;
		owned += w->req.owner == req->owner;
	}
	if (caps->quota && owned >= caps->quota)
		return -EDQUOT;
	if (p->nr_windows >= caps->max_windows)
		return -ENOSPC;

	return 0;
}

static void idma_window_unmap(struct idma_window *w)
{
	if (w->cpu)
		iounmap(w->cpu);
	if (w->req.dma_dev) {
		dma_unmap_resource(w->req.dma_dev, w->dma, w->req.len, w->req.dir, 0);
		put_device(w->req.dma_dev);
	}
}

static int idma_window_make(struct idma_window *w)
{
	struct device *dev = w->req.dma_dev;

	/* A mapping knows the device's side of it: what is read is written */
	if (dev) {
		w->dma = dma_map_resource(dev, w->phys, w->req.len, w->req.dir, 0);
		if (dma_mapping_error(dev, w->dma))
			return -EIO;
		get_device(dev);
	}
	if (w->req.cpu) {
		w->cpu = ioremap(w->phys, w->req.len);
		if (!w->cpu) {
			idma_window_unmap(w);
			return -ENOMEM;
		}
	}

	return 0;
}

/**
 * idma_window_map - get a window onto remote memory
 * @p: the provider
 * @req: what is wanted; copied
 *
 * May sleep.
 *
 * Return: the window, with a reference for idma_window_put() to drop, or an
 * error pointer: -EINVAL (empty or misaligned, no direction, for nobody), -E2BIG
 * (longer than the provider's windows), -ERANGE (not inside of a segment of the
 * peer's), -EACCES (PrivID or direction not granted), -EBUSY (overlaps another
 * window), -EDQUOT (the owner has too many), -ENOSPC (all have too many),
 * -ENOLINK (link down), -ENODEV (the provider is gone), -ENOMEM or -EIO (this
 * side cannot map it)
 */
struct idma_window *idma_window_map(struct idma_window_provider *p,
				    const struct idma_window_request *req)
{
	struct idma_window *w;
	unsigned long flags;
	int ret;

	w = kzalloc(sizeof(*w), GFP_KERNEL);
	if (!w)
		return ERR_PTR(-ENOMEM);
	kref_init(&w->ref);
	init_completion(&w->told);
	w->req = *req;
	w->provider = p;
	w->id = atomic_inc_return(&idma_window_ids);

	mutex_lock(&p->lock);
	ret = -ENODEV;
	if (p->gone)
		goto err;
	ret = idma_window_check(p, req);
	if (ret)
		goto err;
	ret = -ENOLINK;
	if (!idma_window_provider_up(p))
		goto err;
	w->phys = p->caps.base + req->remote;
	ret = p->ops->map(p, w);
	if (ret)
		goto err;
	ret = idma_window_make(w);
	if (ret)
		goto err_unmap;

	spin_lock_irqsave(&idma_window_lock, flags);
	list_add_tail(&w->node, &p->windows);
	spin_unlock_irqrestore(&idma_window_lock, flags);
	p->nr_windows++;
	idma_window_provider_get(p);
	mutex_unlock(&p->lock);

	return w;

err_unmap:
	if (p->ops->unmap)
		p->ops->unmap(p, w);
err:
	mutex_unlock(&p->lock);
	kfree(w);
	return ERR_PTR(ret);
}
EXPORT_SYMBOL_GPL(idma_window_map);

/**
 * idma_window_get - take another reference to a window
 * @w: the window
 *
 * Return: the window
 */
struct idma_window *idma_window_get(struct idma_window *w)
{
	kref_get(&w->ref);

	return w;
}
EXPORT_SYMBOL_GPL(idma_window_get);

/* Called, and returns, with the lock of the provider held */
static void idma_window_release(struct kref *ref)
{
	struct idma_window *w = container_of(ref, struct idma_window, ref);
	struct idma_window_provider *p = w->provider;
	unsigned long flags;

	spin_lock_irqsave(&idma_window_lock, flags);
	list_del(&w->node);
	spin_unlock_irqrestore(&idma_window_lock, flags);
	p->nr_windows--;
	idma_window_unmap(w);
	if (!p->dead && p->ops->unmap)
		p->ops->unmap(p, w);
	kfree(w);
}

/**
 * idma_window_put - let go of a window
 * @w: the window; no transfer that uses it may be under way
 *
 * May sleep. When this returns &idma_window_request.revoked is not running for
 * this window, unless it is the caller, and is not called any more once the last
 * reference of the client's is gone. So the caller must not hold a lock that it
 * takes.
 */
void idma_window_put(struct idma_window *w)
{
	struct idma_window_provider *p = w->provider;
	bool last;

	mutex_lock(&p->lock);
	while (w->teller && w->teller != current) {
		mutex_unlock(&p->lock);
		wait_for_completion(&w->told);
		mutex_lock(&p->lock);
	}
	last = kref_put(&w->ref, idma_window_release);
	mutex_unlock(&p->lock);

	if (last)
		idma_window_provider_put(p);
}
EXPORT_SYMBOL_GPL(idma_window_put);

/**
 * idma_window_status - is a window good?
 * @w: the window
 *
 * From any context.
 *
 * Return: 0, or why it was revoked or is about to be
 */
int idma_window_status(const struct idma_window *w)
{
	if (READ_ONCE(w->status))
		return w->status;

	return idma_window_provider_up(w->provider) ? 0 : -ENOLINK;
}
EXPORT_SYMBOL_GPL(idma_window_status);

/**
 * idma_window_begin - before the CPU reads or writes through a window
 * @w: the window
 *
 * From any context.
 *
 * Return: a mark for idma_window_end()
 */
u32 idma_window_begin(const struct idma_window *w)
{
	return idma_window_now();
}
EXPORT_SYMBOL_GPL(idma_window_begin);

/**
 * idma_window_end - has what the CPU did through a window worked?
 * @w: the window
 * @mark: what idma_window_begin() returned before it
 *
 * The CPU has no exception from a read that has gone nowhere; it gets all ones.
 * From any context.
 *
 * Return: 0 if all of it got there, -EIO if some of it may have failed, or why
 * the window was revoked
 */
int idma_window_end(const struct idma_window *w, u32 mark)
{
	unsigned long flags;
	int ret;

	spin_lock_irqsave(&idma_window_lock, flags);
	ret = idma_window_failed(w->provider, mark) ? -EIO : 0;
	spin_unlock_irqrestore(&idma_window_lock, flags);

	return idma_window_status(w) ?: ret;
}
EXPORT_SYMBOL_GPL(idma_window_end);

static void idma_window_notify(enum idma_window_event event, void *data)
{
	blocking_notifier_call_chain(&idma_window_notifiers, event, data);
}

/* Tell the client, who may put the window; a reference of ours is left */
static void idma_window_tell(struct idma_window *w)
{
	struct idma_window_provider *p = w->provider;

	if (w->req.revoked)
		w->req.revoked(w);
	mutex_lock(&p->lock);
	w->teller = NULL;
	mutex_unlock(&p->lock);
	/* Nobody waits for it to be told a second time: that does not happen */
	complete_all(&w->told);

	idma_window_notify(IDMA_WINDOW_REVOKED, w);
}

/* Revoke windows onto a range, one after the other: clients may put them */
static void idma_window_revoke(struct idma_window_provider *p, u64 remote,
			       u64 len, int err)
{
	struct idma_window *w, *found;
	unsigned long flags;

	do {
		found = NULL;
		mutex_lock(&p->lock);
		list_for_each_entry(w, &p->windows, node) {
			if (w->status || w->req.remote >= remote + len ||
			    remote >= w->req.remote + w->req.len)
				continue;
			/* It is released under the lock: who is in the list is alive */
			kref_get(&w->ref);
			w->teller = current;
			spin_lock_irqsave(&idma_window_lock, flags);
			w->status = err;
			w->epoch = idma_window_epoch.now + 1;
			WRITE_ONCE(idma_window_epoch.now, w->epoch);
			spin_unlock_irqrestore(&idma_window_lock, flags);
			found = w;
			break;
		}
		mutex_unlock(&p->lock);

		if (found) {
			idma_window_tell(found);
			idma_window_put(found);
		}
	} while (found);
}

/* ---- Grants ---- */

/**
 * idma_window_grant - give the peer access to memory of this side
 * @p: the provider, which allocates the memory
 * @len: length in bytes; the provider says which it can do
 *
 * May sleep.
 *
 * Return: the grant, or an error pointer: -EOPNOTSUPP (the provider cannot do
 * it), -ENODEV (it is gone), or the provider's: -EINVAL (length), -ENOSPC (no
 * segment left), -ENOMEM
 */
struct idma_window_grant *idma_window_grant(struct idma_window_provider *p,
					    size_t len)
{
	struct idma_window_grant *g;
	int ret;

	g = kzalloc(sizeof(*g), GFP_KERNEL);
	if (!g)
		return ERR_PTR(-ENOMEM);
	g->len = len;
	g->provider = p;

	mutex_lock(&p->lock);
	if (p->gone)
		ret = -ENODEV;
	else if (!p->ops->grant)
		ret = -EOPNOTSUPP;
	else
		ret = p->ops->grant(p, g);
	if (!ret) {
		list_add_tail(&g->node, &p->grants);
		idma_window_provider_get(p);
	}
	mutex_unlock(&p->lock);

	if (ret) {
		kfree(g);
		return ERR_PTR(ret);
	}

	return g;
}
EXPORT_SYMBOL_GPL(idma_window_grant);

/**
 * idma_window_ungrant - take a grant back, and free its memory
 * @g: the grant. May sleep.
 */
void idma_window_ungrant(struct idma_window_grant *g)
{
	struct idma_window_provider *p = g->provider;

	mutex_lock(&p->lock);
	/* A provider that went away has taken the memory with it */
	if (!list_empty(&g->node)) {
		list_del(&g->node);
		p->ops->ungrant(p, g);
	}
	mutex_unlock(&p->lock);

	idma_window_provider_put(p);
	kfree(g);
}
EXPORT_SYMBOL_GPL(idma_window_ungrant);

/* ---- Finding ---- */

/**
 * idma_window_provider_find - find a provider
 * @name: its name, NULL for the first one
 *
 * Return: the provider with a reference, NULL if there is none
 */
struct idma_window_provider *idma_window_provider_find(const char *name)
{
	struct idma_window_provider *p, *found = NULL;
	unsigned long flags;

	spin_lock_irqsave(&idma_window_lock, flags);
	list_for_each_entry(p, &idma_window_providers, node) {
		if (!READ_ONCE(p->gone) && (!name || !strcmp(p->name, name))) {
			found = idma_window_provider_get(p);
			break;
		}
	}
	spin_unlock_irqrestore(&idma_window_lock, flags);

	return found;
}
EXPORT_SYMBOL_GPL(idma_window_provider_find);

/**
 * idma_window_provider_get - take a reference to a provider
 * @p: the provider
 *
 * Return: the provider
 */
struct idma_window_provider *
idma_window_provider_get(struct idma_window_provider *p)
{
	kref_get(&p->ref);

	return p;
}
EXPORT_SYMBOL_GPL(idma_window_provider_get);

static void idma_window_provider_release(struct kref *ref)
{
	struct idma_window_provider *p =
		container_of(ref, struct idma_window_provider, ref);

	put_device(p->dev);
	kfree(p->name);
	kfree(p);
}

/**
 * idma_window_provider_put - drop a reference to a provider
 * @p: the provider
 */
void idma_window_provider_put(struct idma_window_provider *p)
{
	kref_put(&p->ref, idma_window_provider_release);
}
EXPORT_SYMBOL_GPL(idma_window_provider_put);

/* The provider after this one, which is put; references keep both in the list */
static struct idma_window_provider *
idma_window_provider_next(struct idma_window_provider *p)
{
	struct idma_window_provider *q, *next = NULL;
	unsigned long flags;
	bool seen = !p;

	spin_lock_irqsave(&idma_window_lock, flags);
	list_for_each_entry(q, &idma_window_providers, node) {
		if (seen) {
			next = idma_window_provider_get(q);
			break;
		}
		seen = q == p;
	}
	spin_unlock_irqrestore(&idma_window_lock, flags);
	if (p)
		idma_window_provider_put(p);

	return next;
}

/**
 * idma_window_walk_providers - go through the providers
 * @fn: called for each, with a reference held; a return other than 0 ends it
 * @data: handed to @fn
 *
 * May sleep, and so may @fn.
 *
 * Return: what @fn returned last, 0 if it was not called
 */
int idma_window_walk_providers(int (*fn)(struct idma_window_provider *p,
					 void *data), void *data)
{
	struct idma_window_provider *p = NULL;
	int ret = 0;

	while (!ret) {
		p = idma_window_provider_next(p);
		if (!p)
			break;
		ret = fn(p, data);
	}
	if (ret)
		idma_window_provider_put(p);

	return ret;
}
EXPORT_SYMBOL_GPL(idma_window_walk_providers);

/**
 * idma_window_walk - go through the windows of a provider
 * @p: the provider
 * @fn: called for each with the provider locked; a return other than 0 ends it
 * @data: handed to @fn
 *
 * Return: what @fn returned last, 0 if it was not called
 */
int idma_window_walk(struct idma_window_provider *p,
		     int (*fn)(struct idma_window *w, void *data),
		     void *data)
{
	struct idma_window *w;
	int ret = 0;

	mutex_lock(&p->lock);
	list_for_each_entry(w, &p->windows, node) {
		ret = fn(w, data);
		if (ret)
			break;
	}
	mutex_unlock(&p->lock);

	return ret;
}
EXPORT_SYMBOL_GPL(idma_window_walk);

/**
 * idma_window_walk_grants - go through what the peer may touch
 * @p: the provider
 * @fn: called for each with the provider locked; a return other than 0 ends it
 * @data: handed to @fn
 *
 * Return: what @fn returned last, 0 if it was not called
 */
int idma_window_walk_grants(struct idma_window_provider *p,
			    int (*fn)(struct idma_window_grant *g, void *data),
			    void *data)
{
	struct idma_window_grant *g;
	int ret = 0;

	mutex_lock(&p->lock);
	list_for_each_entry(g, &p->grants, node) {
		ret = fn(g, data);
		if (ret)
			break;
	}
	mutex_unlock(&p->lock);

	return ret;
}
EXPORT_SYMBOL_GPL(idma_window_walk_grants);

/**
 * idma_window_remote - what the peer has granted
 * @p: the provider
 * @n: number of the piece, from 0
 * @remote: its address in the remote address space
 * @len: its length in bytes
 *
 * Return: 0, -ENOENT after the last piece, -ENODEV if the provider is gone,
 * -EOPNOTSUPP if it does not know
 */
int idma_window_remote(struct idma_window_provider *p, unsigned int n,
		       u64 *remote, u64 *len)
{
	int ret;

	mutex_lock(&p->lock);
	if (p->gone)
		ret = -ENODEV;
	else if (!p->ops->remote)
		ret = -EOPNOTSUPP;
	else
		ret = p->ops->remote(p, n, remote, len);
	mutex_unlock(&p->lock);

	return ret;
}
EXPORT_SYMBOL_GPL(idma_window_remote);

/**
 * idma_window_register_notifier - be told of what happens to windows
 * @nb: called from process context with an enum idma_window_event and the
 *	provider or the window that it is about
 *
 * Return: 0
 */
int idma_window_register_notifier(struct notifier_block *nb)
{
	return blocking_notifier_chain_register(&idma_window_notifiers, nb);
}
EXPORT_SYMBOL_GPL(idma_window_register_notifier);

/**
 * idma_window_unregister_notifier - do not be told any more
 * @nb: what was registered
 *
 * Return: 0, -ENOENT if it was not
 */
int idma_window_unregister_notifier(struct notifier_block *nb)
{
	return blocking_notifier_chain_unregister(&idma_window_notifiers, nb);
}
EXPORT_SYMBOL_GPL(idma_window_unregister_notifier);

/* ---- Providers ---- */

/**
 * idma_window_provider_register - offer windows
 * @dev: the provider's device
 * @name: a name for people, unique
 * @caps: what the provider can do; copied
 * @ops: what it does
 * @priv: its own
 *
 * The link counts as down until idma_window_provider_link().
 *
 * Return: the provider, or an error pointer: -EINVAL, -EEXIST, -ENOMEM
 */
struct idma_window_provider *
idma_window_provider_register(struct device *dev, const char *name,
			      const struct idma_window_caps *caps,
			      const struct idma_window_ops *ops, void *priv)
{
	struct idma_window_provider *p, *q;
	unsigned long flags;

	if (!is_power_of_2(caps->align) || !caps->size || !caps->max_len ||
	    !caps->max_windows || caps->base + caps->size < caps->base ||
	    !ops->map || !ops->grant != !ops->ungrant)
		return ERR_PTR(-EINVAL);

	p = kzalloc(sizeof(*p), GFP_KERNEL);
	if (!p)
		return ERR_PTR(-ENOMEM);
	p->name = kstrdup(name, GFP_KERNEL);
	if (!p->name) {
		kfree(p);
		return ERR_PTR(-ENOMEM);
	}
	kref_init(&p->ref);
	mutex_init(&p->lock);
	INIT_LIST_HEAD(&p->windows);
	INIT_LIST_HEAD(&p->grants);
	p->dev = get_device(dev);
	p->caps = *caps;
	p->ops = ops;
	p->priv = priv;

	spin_lock_irqsave(&idma_window_lock, flags);
	list_for_each_entry(q, &idma_window_providers, node) {
		if (!strcmp(q->name, name)) {
			spin_unlock_irqrestore(&idma_window_lock, flags);
			idma_window_provider_put(p);
			return ERR_PTR(-EEXIST);
		}
	}
	list_add_tail(&p->node, &idma_window_providers);
	p->epoch = idma_window_epoch.now;
	WRITE_ONCE(idma_window_epoch.providers, idma_window_epoch.providers + 1);
	spin_unlock_irqrestore(&idma_window_lock, flags);

	idma_window_notify(IDMA_WINDOW_PROVIDER_ADD, p);

	return p;
}
EXPORT_SYMBOL_GPL(idma_window_provider_register);

/**
 * idma_window_provider_unregister - offer windows no more
 * @p: the provider
 *
 * All windows are revoked; then clients are told that the provider goes, for them
 * to let go of their grants, and those that are left are taken back: a client that
 * touches the memory of a grant has to hear of this. None of the provider's ops is
 * called after it returns. May sleep.
 */
void idma_window_provider_unregister(struct idma_window_provider *p)
{
	struct idma_window_grant *g, *tmp;
	unsigned long flags;

	mutex_lock(&p->lock);
	WRITE_ONCE(p->gone, true);
	mutex_unlock(&p->lock);

	idma_window_provider_lost(p);
	idma_window_revoke(p, 0, p->caps.size, -ENODEV);
	idma_window_provider_link(p, false);
	idma_window_notify(IDMA_WINDOW_PROVIDER_REMOVE, p);

	mutex_lock(&p->lock);
	list_for_each_entry_safe(g, tmp, &p->grants, node) {
		list_del_init(&g->node);
		p->ops->ungrant(p, g);
		g->cpu = NULL;
	}
	p->dead = true;
	spin_lock_irqsave(&idma_window_lock, flags);
	list_del(&p->node);
	WRITE_ONCE(idma_window_epoch.providers, idma_window_epoch.providers - 1);
	spin_unlock_irqrestore(&idma_window_lock, flags);
	mutex_unlock(&p->lock);

	idma_window_provider_put(p);
}
EXPORT_SYMBOL_GPL(idma_window_provider_unregister);

/**
 * idma_window_provider_lost - the link has just gone down
 * @p: the provider
 *
 * From any context, as soon as it is known: what is under way from here on is an
 * error. idma_window_provider_link() follows, from process context.
 */
void idma_window_provider_lost(struct idma_window_provider *p)
{
	unsigned long flags;

	spin_lock_irqsave(&idma_window_lock, flags);
	if (p->up)
		idma_window_change(p, false);
	spin_unlock_irqrestore(&idma_window_lock, flags);
}
EXPORT_SYMBOL_GPL(idma_window_provider_lost);

/**
 * idma_window_provider_look - look whether accesses have failed
 * @p: the provider
 * @look: looks at the hardware, and may clear what it finds there; returns what
 *	&idma_window_ops.check does. Called once, with interrupts off.
 * @data: handed to @look
 *
 * For a provider that looks on its own account. Errors of the hardware that are
 * cleared before the core knows of them are lost for a transfer that ends in
 * between: this does both in one. From any context.
 *
 * Return: what @look returned
 */
int idma_window_provider_look(struct idma_window_provider *p,
			      int (*look)(void *data), void *data)
{
	unsigned long flags;
	int ret;

	spin_lock_irqsave(&idma_window_lock, flags);
	ret = look(data);
	if (ret && p->up)
		idma_window_change(p, ret != -ENOLINK);
	spin_unlock_irqrestore(&idma_window_lock, flags);

	return ret;
}
EXPORT_SYMBOL_GPL(idma_window_provider_look);

/**
 * idma_window_provider_link - the link is up, or down
 * @p: the provider
 * @up: which
 *
 * Calls of this and of idma_window_provider_unregister() must not overlap. When
 * the link is down all windows are revoked. May sleep, and calls clients: the
 * provider must not hold a lock that its ops take.
 */
void idma_window_provider_link(struct idma_window_provider *p, bool up)
{
	unsigned long flags;
	bool report;

	spin_lock_irqsave(&idma_window_lock, flags);
	if (p->up != up)
		idma_window_change(p, up);
	report = p->reported != up;
	p->reported = up;
	spin_unlock_irqrestore(&idma_window_lock, flags);

	if (!up)
		idma_window_revoke(p, 0, p->caps.size, -ENOLINK);
	if (report)
		idma_window_notify(up ? IDMA_WINDOW_LINK_UP : IDMA_WINDOW_LINK_DOWN, p);
}
EXPORT_SYMBOL_GPL(idma_window_provider_link);

/**
 * idma_window_provider_revoke - revoke the windows onto a range
 * @p: the provider
 * @remote: address of the range in the remote address space
 * @len: its length in bytes
 * @err: what the windows' status becomes
 *
 * May sleep, and calls clients: the provider must not hold a lock that its ops
 * take.
 */
void idma_window_provider_revoke(struct idma_window_provider *p, u64 remote,
				 u64 len, int err)
{
	idma_window_revoke(p, remote, len, err);
}
EXPORT_SYMBOL_GPL(idma_window_provider_revoke);

/**
 * idma_window_provider_name - the name of a provider
 * @p: the provider
 *
 * Return: its name
 */
const char *idma_window_provider_name(const struct idma_window_provider *p)
{
	return p->name;
}
EXPORT_SYMBOL_GPL(idma_window_provider_name);

/**
 * idma_window_provider_device - the device of a provider
 * @p: the provider
 *
 * Return: its device
 */
struct device *idma_window_provider_device(const struct idma_window_provider *p)
{
	return p->dev;
}
EXPORT_SYMBOL_GPL(idma_window_provider_device);

/**
 * idma_window_provider_caps - what a provider can do
 * @p: the provider
 *
 * Return: its capabilities
 */
const struct idma_window_caps *
idma_window_provider_caps(const struct idma_window_provider *p)
{
	return &p->caps;
}
EXPORT_SYMBOL_GPL(idma_window_provider_caps);

/**
 * idma_window_provider_up - is the link of a provider up?
 * @p: the provider
 *
 * Return: whether it is, as far as is known
 */
bool idma_window_provider_up(const struct idma_window_provider *p)
{
	return READ_ONCE(p->up);
}
EXPORT_SYMBOL_GPL(idma_window_provider_up);

/**
 * idma_window_provider_priv - the provider's own
 * @p: the provider
 *
 * Return: what it was registered with
 */
void *idma_window_provider_priv(const struct idma_window_provider *p)
{
	return p->priv;
}
EXPORT_SYMBOL_GPL(idma_window_provider_priv);
