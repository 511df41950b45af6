// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client of the window core and of dmaengine for tests: it grants memory to
 * the peer, maps a window onto the peer's, and copies through it, by DMA and by
 * the CPU. It is driven through the file "run" in debugfs: write a command, read
 * what came of it.
 *
 *	grant BYTES		give the peer memory
 *	ungrant			take it back
 *	fill SEED		fill that memory with a pattern
 *	check SEED		does it hold that pattern?
 *	map REMOTE BYTES DIR PRIVID	map a window; DIR: 0 both, 1 write, 2 read;
 *				PRIVID: -1 any
 *	unmap			let go of it
 *	copy WHAT BY BYTES N SEED	N copies of as many bytes; WHAT: read or write
 *				the window, or local; BY: dma or cpu
 */
#include <linux/completion.h>
#include <linux/debugfs.h>
#include <linux/dma-mapping.h>
#include <linux/dmaengine.h>
#include <linux/err.h>
#include <linux/io.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/dma/idma.h>

#define BUF_BYTES	SZ_1M
/* A transfer that has no result by then never gets one */
#define RESULT_MS	20000

static char *provider;
module_param(provider, charp, 0444);
MODULE_PARM_DESC(provider, "provider of windows to use (default: the first one)");

static DEFINE_MUTEX(lock);
static struct dentry *folder;
static struct idma_window_provider *windows;
static struct idma_window_grant *granted;
static struct idma_window *window;
static struct dma_chan *chan;
static void *buf[2];
static dma_addr_t dma[2];
static char said[256];

/* Differs from one byte, page and seed to the next */
static u8 pattern(unsigned int seed, size_t i)
{
	return seed * 37 + i * 7 + (i >> 8) * 13 + (i >> 16);
}

static void fill(void *p, size_t len, unsigned int seed)
{
	size_t i;

	for (i = 0; i < len; i++)
		((u8 *)p)[i] = pattern(seed, i);
}

static size_t count_bad(const void *p, size_t len, unsigned int seed)
{
	size_t i, bad = 0;

	for (i = 0; i < len; i++)
		bad += ((const u8 *)p)[i] != pattern(seed, i);

	return bad;
}

struct outcome {
	struct completion done;
	enum dmaengine_tx_result result;
};

static void dma_done(void *data, const struct dmaengine_result *result)
{
	struct outcome *o = data;

	o->result = result->result;
	complete(&o->done);
}

/* 0, -EIO if the engine says that it failed, -ETIMEDOUT if it says nothing */
static int copy_dma(dma_addr_t to, dma_addr_t from, size_t len)
{
	struct dma_async_tx_descriptor *tx;
	struct outcome o;

	tx = dmaengine_prep_dma_memcpy(chan, to, from, len,
				       DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
	if (!tx)
		return -ENOMEM;
	init_completion(&o.done);
	tx->callback_result = dma_done;
	tx->callback_param = &o;
	if (dma_submit_error(dmaengine_submit(tx)))
		return -EINVAL;
	dma_async_issue_pending(chan);
	if (!wait_for_completion_timeout(&o.done, msecs_to_jiffies(RESULT_MS))) {
		dmaengine_terminate_sync(chan);
		return -ETIMEDOUT;
	}

	return o.result == DMA_TRANS_NOERROR ? 0 : -EIO;
}

static int copy_once(const char *what, bool by_dma, size_t len)
{
	bool read = !strcmp(what, "read");
	u32 mark;

	if (!strcmp(what, "local")) {
		if (by_dma)
			return copy_dma(dma[1], dma[0], len);
		memcpy(buf[1], buf[0], len);
		return 0;
	}

	if (by_dma)
		return read ? copy_dma(dma[1], window->dma, len) :
			      copy_dma(window->dma, dma[0], len);

	mark = idma_window_begin(window);
	if (read)
		memcpy_fromio(buf[1], window->cpu, len);
	else
		memcpy_toio(window->cpu, buf[0], len);
	/* What is posted has to arrive before it can have failed */
	mb();

	return idma_window_end(window, mark);
}

static int run_copy(const char *args)
{
	unsigned int n, seed, i, failed = 0;
	char what[8], by[8];
	size_t len, bad = 0;
	int ret = 0, err;
	u64 ns;

	if (sscanf(args, "%7s %7s %zu %u %u", what, by, &len, &n, &seed) != 5 ||
	    !len || len > BUF_BYTES || (strcmp(by, "dma") && strcmp(by, "cpu")) ||
	    (strcmp(what, "read") && strcmp(what, "write") && strcmp(what, "local")))
		return -EINVAL;
	if (strcmp(what, "local") && (!window || len > window->req.len))
		return -ENXIO;

	fill(buf[0], len, seed);
	memset(buf[1], ~pattern(seed, 0), len);
	ns = ktime_get_ns();
	for (i = 0; i < n; i++) {
		err = copy_once(what, !strcmp(by, "dma"), len);
		if (err) {
			ret = err;
			failed++;
			if (err == -ETIMEDOUT)
				break;
		}
	}
	ns = ktime_get_ns() - ns;
	if (strcmp(what, "write"))
		bad = count_bad(buf[1], len, seed);

	snprintf(said, sizeof(said), "copy ns=%llu copies=%u failed=%u error=%d bad=%zu\n",
		 ns, i, failed, -ret, bad);

	return 0;
}

static int run_map(const char *args)
{
	struct idma_window_request req = {
		.dma_dev = chan->device->dev,
		.cpu = true,
		.owner = &lock,
	};
	struct idma_window *w;
	int dir;

	if (sscanf(args, "%lli %lli %d %d", &req.remote, &req.len, &dir, &req.privid) != 4)
		return -EINVAL;
	if (window)
		return -EEXIST;
	req.dir = dir;
	w = idma_window_map(windows, &req);
	snprintf(said, sizeof(said), "map error=%d %s\n", IS_ERR(w) ? -(int)PTR_ERR(w) : 0,
		 idma_window_strerror(IS_ERR(w) ? PTR_ERR(w) : 0));
	if (!IS_ERR(w))
		window = w;

	return 0;
}

static void unmap(void)
{
	if (window)
		idma_window_put(window);
	window = NULL;
}

static void ungrant(void)
{
	if (granted)
		idma_window_ungrant(granted);
	granted = NULL;
}

static int run_grant(const char *args)
{
	struct idma_window_grant *g;
	size_t len;

	if (sscanf(args, "%zu", &len) != 1)
		return -EINVAL;
	if (granted)
		return -EEXIST;
	g = idma_window_grant(windows, len);
	if (IS_ERR(g)) {
		snprintf(said, sizeof(said), "grant error=%d\n", -(int)PTR_ERR(g));
		return 0;
	}
	granted = g;
	snprintf(said, sizeof(said), "grant error=0 remote=%llu len=%zu\n",
		 granted->remote, granted->len);

	return 0;
}

static int run(const char *cmd)
{
	unsigned int seed;

	said[0] = 0;
	if (!strncmp(cmd, "copy ", 5))
		return run_copy(cmd + 5);
	if (!strncmp(cmd, "map ", 4))
		return run_map(cmd + 4);
	if (!strncmp(cmd, "grant ", 6))
		return run_grant(cmd + 6);
	if (!strcmp(cmd, "unmap")) {
		unmap();
	} else if (!strcmp(cmd, "ungrant")) {
		ungrant();
	} else if (sscanf(cmd, "fill %u", &seed) == 1 && granted && granted->cpu) {
		fill(granted->cpu, granted->len, seed);
	} else if (sscanf(cmd, "check %u", &seed) == 1 && granted && granted->cpu) {
		snprintf(said, sizeof(said), "check bad=%zu\n",
			 count_bad(granted->cpu, granted->len, seed));
	} else {
		return -EINVAL;
	}

	return 0;
}

static int run_show(struct seq_file *s, void *unused)
{
	mutex_lock(&lock);
	seq_puts(s, said);
	if (window)
		seq_printf(s, "window status=%d\n", -idma_window_status(window));
	mutex_unlock(&lock);

	return 0;
}

static int run_open(struct inode *inode, struct file *file)
{
	return single_open(file, run_show, NULL);
}

static ssize_t run_write(struct file *file, const char __user *from, size_t len,
			 loff_t *pos)
{
	char *cmd = memdup_user_nul(from, min_t(size_t, len, 128));
	int ret;

	if (IS_ERR(cmd))
		return PTR_ERR(cmd);
	mutex_lock(&lock);
	ret = run(strim(cmd));
	mutex_unlock(&lock);
	kfree(cmd);

	return ret ?: len;
}

static const struct file_operations run_fops = {
	.owner = THIS_MODULE,
	.open = run_open,
	.read = seq_read,
	.write = run_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/* The memory of a grant goes with its provider: nobody may be in it then */
static int notified(struct notifier_block *nb, unsigned long event, void *data)
{
	if (event != IDMA_WINDOW_PROVIDER_REMOVE || data != windows)
		return NOTIFY_DONE;
	mutex_lock(&lock);
	ungrant();
	mutex_unlock(&lock);

	return NOTIFY_OK;
}

static struct notifier_block notifier = {
	.notifier_call = notified,
};

static void tidy_up(void)
{
	int i;

	idma_window_unregister_notifier(&notifier);
	unmap();
	ungrant();
	for (i = 0; i < ARRAY_SIZE(buf); i++)
		if (buf[i])
			dma_free_coherent(chan->device->dev, BUF_BYTES, buf[i], dma[i]);
	if (chan)
		dma_release_channel(chan);
	if (windows)
		idma_window_provider_put(windows);
}

static int __init test_init(void)
{
	dma_cap_mask_t mask;
	int i;

	windows = idma_window_provider_find(provider);
	if (!windows) {
		pr_err("no provider of windows%s%s\n", provider ? " called " : "",
		       provider ?: "");
		return -ENODEV;
	}
	dma_cap_zero(mask);
	dma_cap_set(DMA_MEMCPY, mask);
	chan = dma_request_channel(mask, NULL, NULL);
	if (!chan) {
		pr_err("no DMA channel that copies memory is free\n");
		idma_window_provider_put(windows);
		return -ENODEV;
	}
	for (i = 0; i < ARRAY_SIZE(buf); i++) {
		buf[i] = dma_alloc_coherent(chan->device->dev, BUF_BYTES, &dma[i],
					    GFP_KERNEL);
		if (!buf[i]) {
			tidy_up();
			return -ENOMEM;
		}
	}

	idma_window_register_notifier(&notifier);
	folder = debugfs_create_dir("idma-window-test", NULL);
	debugfs_create_file("run", 0600, folder, NULL, &run_fops);

	return 0;
}
module_init(test_init);

static void __exit test_exit(void)
{
	debugfs_remove_recursive(folder);
	tidy_up();
}
module_exit(test_exit);

MODULE_DESCRIPTION("Test client for the iDMA's windows into remote memory");
MODULE_AUTHOR("iDMA driver maintainers");
MODULE_LICENSE("GPL");
