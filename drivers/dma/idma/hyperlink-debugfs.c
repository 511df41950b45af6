// SPDX-License-Identifier: GPL-2.0-only
/*
 * HyperLink's folder in debugfs: the state of the link, what is granted and
 * mapped, and files to write to: "reset" (anything: recover the link), "doorbell"
 * (a vector to raise at the peer), "privid" ("INDEX VALUE").
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "hyperlink.h"

#ifdef CONFIG_DEBUG_FS

static struct dentry *hyperlink_debugfs_root;

static int status_show(struct seq_file *s, void *unused)
{
	struct hyperlink *hl = s->private;
	struct hyperlink_stats stats;
	unsigned int i;

	mutex_lock(&hl->lock);
	spin_lock_irq(&hl->reg_lock);
	stats = hl->stats;
	spin_unlock_irq(&hl->reg_lock);

	seq_printf(s, "state: %s\n", hyperlink_state_name(hl->state));
	seq_printf(s, "status: %#x\n", hyperlink_read(hl, HYPERLINK_STS));
	seq_printf(s, "control: %#x\n", hyperlink_read(hl, HYPERLINK_CTL));
	seq_printf(s, "lanes: %lu\n", FIELD_GET(HYPERLINK_STS_SWIDTHIN,
						hyperlink_read(hl, HYPERLINK_STS)));
	seq_printf(s, "loopback: %d\n", hl->loopback);
	seq_printf(s, "overlay: %u\n", hl->overlay);
	seq_printf(s, "ecc: %#x\n", hyperlink_read(hl, HYPERLINK_ECC_CNTR));
	seq_printf(s, "epoch: %u\n", hl->epoch);
	seq_printf(s, "peer-epoch: %u\n", hl->peer.epoch);
	if (hl->role != HYPERLINK_ROLE_NONE)
		seq_printf(s, "port: %u\n", hl->role);
	seq_printf(s, "link-ups: %llu\n", stats.link_ups);
	seq_printf(s, "link-downs: %llu\n", stats.link_downs);
	seq_printf(s, "resets: %llu\n", stats.resets);
	seq_printf(s, "errors: %llu\n", stats.errors);
	seq_printf(s, "interrupts: %llu\n", stats.interrupts);
	seq_printf(s, "interrupts-foreign: %llu\n", stats.foreign);
	seq_printf(s, "hellos-sent: %llu\n", stats.hellos_sent);
	seq_printf(s, "hellos-seen: %llu\n", stats.hellos_seen);
	seq_printf(s, "hellos-bad: %llu\n", stats.hellos_bad);
	seq_printf(s, "doorbells-rung: %llu\n", stats.rung);
	seq_printf(s, "leaked-bytes: %llu\n", stats.leaked);
	for (i = 0; i < HYPERLINK_VECTORS; i++)
		if (stats.vectors[i])
			seq_printf(s, "vector-%u: %llu\n", i, stats.vectors[i]);
	mutex_unlock(&hl->lock);

	return 0;
}
DEFINE_SHOW_ATTRIBUTE(status);

static int segments_show(struct seq_file *s, void *unused)
{
	struct hyperlink *hl = s->private;
	unsigned int i;

	mutex_lock(&hl->lock);
	seq_puts(s, "# whose  number  remote      size     memory\n");
	for (i = 0; i < HYPERLINK_SEGMENTS; i++)
		if (hl->segs.order[i])
			seq_printf(s, "ours     %2u      %#09llx  %7llu  %#x\n", i,
				   hyperlink_seg_remote(i),
				   BIT_ULL(hl->segs.order[i]), hl->segs.base[i]);
	for (i = 0; i < HYPERLINK_SEGMENTS; i++)
		if (hl->peer.order[i])
			seq_printf(s, "peer's   %2u      %#09llx  %7llu  %s\n", i,
				   hyperlink_seg_remote(i),
				   BIT_ULL(hl->peer.order[i]),
				   hl->peer.mw & BIT_ULL(i) ? "(driver)" : "");
	mutex_unlock(&hl->lock);

	return 0;
}
DEFINE_SHOW_ATTRIBUTE(segments);

static int hyperlink_show_window(struct idma_window *w, void *data)
{
	static const char * const dirs[] = {
		[DMA_BIDIRECTIONAL] = "both",
		[DMA_TO_DEVICE] = "write",
		[DMA_FROM_DEVICE] = "read",
	};
	struct seq_file *s = data;

	seq_printf(s, "%4u  %#09llx  %7llu  %-5s  %s\n", w->id, w->req.remote,
		   w->req.len, dirs[w->req.dir],
		   idma_window_strerror(idma_window_status(w)));

	return 0;
}

static int windows_show(struct seq_file *s, void *unused)
{
	struct hyperlink *hl = s->private;

	seq_puts(s, "# id  remote     size     dir    status\n");

	return idma_window_walk(hl->provider, hyperlink_show_window, s);
}
DEFINE_SHOW_ATTRIBUTE(windows);

static int hyperlink_set_reset(void *data, u64 val)
{
	hyperlink_request_reset(data);

	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(reset_fops, NULL, hyperlink_set_reset, "%llu\n");

static int hyperlink_set_doorbell(void *data, u64 val)
{
	if (val < HYPERLINK_VEC_USER || val >= HYPERLINK_VECTORS)
		return -EINVAL;

	return hyperlink_ring(data, val);
}
DEFINE_DEBUGFS_ATTRIBUTE(doorbell_fops, NULL, hyperlink_set_doorbell, "%llu\n");

static int privid_show(struct seq_file *s, void *unused)
{
	struct hyperlink *hl = s->private;
	unsigned int i;

	mutex_lock(&hl->lock);
	for (i = 0; i < HYPERLINK_PRIVIDS; i++)
		seq_printf(s, "%u: %u\n", i, hl->privid[i]);
	mutex_unlock(&hl->lock);

	return 0;
}

static int privid_open(struct inode *inode, struct file *file)
{
	return single_open(file, privid_show, inode->i_private);
}

static ssize_t privid_write(struct file *file, const char __user *buf,
			    size_t len, loff_t *pos)
{
	struct hyperlink *hl = ((struct seq_file *)file->private_data)->private;
	unsigned int index, val;
	char text[16];
	int ret;

	if (len >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, buf, len))
		return -EFAULT;
	text[len] = 0;
	if (sscanf(text, "%u %u", &index, &val) != 2 || val > U8_MAX)
		return -EINVAL;
	ret = hyperlink_set_privid(hl, index, val);

	return ret ?: len;
}

static const struct file_operations privid_fops = {
	.owner = THIS_MODULE,
	.open = privid_open,
	.read = seq_read,
	.write = privid_write,
	.llseek = seq_lseek,
	.release = single_release,
};

void hyperlink_debugfs_init(struct hyperlink *hl)
{
	struct dentry *d = debugfs_create_dir(pci_name(hl->pdev), hyperlink_debugfs_root);

	hl->debugfs = d;
	debugfs_create_file("status", 0444, d, hl, &status_fops);
	debugfs_create_file("segments", 0444, d, hl, &segments_fops);
	debugfs_create_file("windows", 0444, d, hl, &windows_fops);
	debugfs_create_file("privid", 0600, d, hl, &privid_fops);
	debugfs_create_file("reset", 0200, d, hl, &reset_fops);
	debugfs_create_file("doorbell", 0200, d, hl, &doorbell_fops);
}

/* Waits for those who are in the files */
void hyperlink_debugfs_exit(struct hyperlink *hl)
{
	debugfs_remove_recursive(hl->debugfs);
}

void hyperlink_debugfs_module(bool load)
{
	if (load)
		hyperlink_debugfs_root = debugfs_create_dir("hyperlink", NULL);
	else
		debugfs_remove_recursive(hyperlink_debugfs_root);
}

#else

void hyperlink_debugfs_init(struct hyperlink *hl)
{
}

void hyperlink_debugfs_exit(struct hyperlink *hl)
{
}

void hyperlink_debugfs_module(bool load)
{
}

#endif
