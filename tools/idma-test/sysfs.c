// SPDX-License-Identifier: GPL-2.0-only
/*
 * What sysfs and procfs know of any DMA engine.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sysfs.h"

#define DMA_CLASS	"/sys/class/dma"

int sys_read(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;
	int err;

	if (fd < 0)
		return -errno;
	n = read(fd, buf, size - 1);
	err = errno;
	close(fd);
	if (n < 0)
		return -err;
	buf[n] = '\0';
	while (n && buf[n - 1] == '\n')
		buf[--n] = '\0';
	return 0;
}

int sys_write(const char *path, const char *text, size_t len)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n;
	int err;

	if (fd < 0)
		return -errno;
	do {
		n = write(fd, text, len);
	} while (n < 0 && errno == EINTR);
	err = errno;
	close(fd);
	if (n < 0)
		return -err;
	return (size_t)n == len ? 0 : -EIO;
}

static void link_name(const char *path, char *buf, size_t size)
{
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof(target) - 1);
	char *slash;

	buf[0] = '\0';
	if (n < 0)
		return;
	target[n] = '\0';
	slash = strrchr(target, '/');
	snprintf(buf, size, "%.*s", (int)size - 1, slash ? slash + 1 : target);
}

static int by_number(const void *a, const void *b)
{
	const struct sys_chan *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

static void read_chan(const char *name, struct sys_chan *chan)
{
	char path[PATH_MAX], buf[32];

	snprintf(chan->name, sizeof(chan->name), "%s", name);
	snprintf(path, sizeof(path), DMA_CLASS "/%s/device", name);
	link_name(path, chan->dev, sizeof(chan->dev));
	snprintf(path, sizeof(path), DMA_CLASS "/%s/device/driver", name);
	link_name(path, chan->driver, sizeof(chan->driver));
	snprintf(path, sizeof(path), DMA_CLASS "/%s/in_use", name);
	if (!sys_read(path, buf, sizeof(buf)))
		chan->in_use = (unsigned int)strtoul(buf, NULL, 10);
}

int sys_channels(struct sys_chans *chans)
{
	DIR *dir = opendir(DMA_CLASS);
	struct dirent *entry;

	chans->n = 0;
	chans->v = NULL;
	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		struct sys_chan chan = { 0 };
		int end = 0;

		if (sscanf(entry->d_name, "dma%uchan%u%n", &chan.id, &chan.nr, &end) != 2 ||
		    entry->d_name[end])
			continue;
		read_chan(entry->d_name, &chan);
		/* It went away between the two */
		if (!chan.dev[0])
			continue;
		chans->v = xrealloc(chans->v, (chans->n + 1) * sizeof(chan));
		chans->v[chans->n++] = chan;
	}
	closedir(dir);
	if (chans->n)
		qsort(chans->v, chans->n, sizeof(*chans->v), by_number);
	return 0;
}

void sys_channels_free(struct sys_chans *chans)
{
	free(chans->v);
	chans->v = NULL;
	chans->n = 0;
}

const struct sys_chan *sys_find(const struct sys_chans *chans, const char *name)
{
	for (size_t i = 0; i < chans->n; i++)
		if (!strcmp(chans->v[i].name, name))
			return &chans->v[i];
	return NULL;
}

bool sys_has_dev(const struct sys_chans *chans, const char *dev)
{
	for (size_t i = 0; i < chans->n; i++)
		if (!strcmp(chans->v[i].dev, dev))
			return true;
	return false;
}

void sys_no_channels(int ret)
{
	if (ret == -ENOENT) {
		it_error("there is no " DMA_CLASS ": this kernel has no DMA engines");
		it_hint("load the driver (modprobe idma); the kernel needs CONFIG_DMA_ENGINE");
	} else if (ret) {
		it_error("cannot read " DMA_CLASS ": %s", strerror(-ret));
	} else {
		it_error("there is no DMA engine");
		it_hint("is the driver loaded (modprobe idma) and the engine in the device tree?");
	}
}

int sys_irqs(const char *name, uint64_t *count)
{
	FILE *f = fopen("/proc/interrupts", "r");
	size_t size = 0, len = strlen(name);
	char *line = NULL, *p, *end;
	int ret = -ENOENT;

	if (!f)
		return -errno;
	*count = 0;
	while (getline(&line, &size, f) > 0) {
		/* " 12:   3   4  SiFive PLIC  8 Edge  a, b": the names come last */
		p = strstr(line, name);
		if (!p || p == line || (p[-1] != ' ' && p[-1] != ',') ||
		    (p[len] != '\n' && p[len] != ',' && p[len] != '\0'))
			continue;
		ret = 0;
		p = strchr(line, ':');
		if (!p)
			continue;
		for (p++;; p = end) {
			unsigned long long n = strtoull(p, &end, 10);

			if (end == p || (*end != ' ' && *end != '\n'))
				break;
			*count += n;
		}
	}
	free(line);
	fclose(f);
	return ret;
}
