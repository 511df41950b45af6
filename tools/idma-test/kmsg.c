// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel log as it is written: records of /dev/kmsg.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kmsg.h"

int kmsg_open(struct kmsg *k)
{
	k->lost = false;
	k->fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (k->fd < 0)
		return -errno;
	if (lseek(k->fd, 0, SEEK_END) < 0) {
		int ret = -errno;

		kmsg_close(k);
		return ret;
	}
	return 0;
}

void kmsg_close(struct kmsg *k)
{
	if (k->fd >= 0)
		close(k->fd);
	k->fd = -1;
}

bool kmsg_parse(const char *record, struct kmsg_line *line)
{
	unsigned long long prio, seq, us;
	const char *text = strchr(record, ';');
	size_t n;

	/* "6,339,5140900,-;text\n KEY=value\n" */
	if (!text || sscanf(record, "%llu,%llu,%llu,", &prio, &seq, &us) != 3)
		return false;
	text++;
	n = strcspn(text, "\n");
	if (n >= sizeof(line->text))
		n = sizeof(line->text) - 1;
	memcpy(line->text, text, n);
	line->text[n] = '\0';
	line->us = us;
	return true;
}

int kmsg_read(struct kmsg *k, int timeout_ms, struct kmsg_line *line)
{
	struct pollfd pfd = { .fd = k->fd, .events = POLLIN };
	char record[8192];
	ssize_t n;

	for (;;) {
		n = read(k->fd, record, sizeof(record) - 1);
		if (n > 0) {
			record[n] = '\0';
			if (kmsg_parse(record, line))
				return 1;
			continue;
		}
		if (n < 0 && errno == EPIPE) {
			k->lost = true;
			continue;
		}
		if (n == 0 || errno != EAGAIN)
			return n == 0 || errno == EINTR ? 0 : -errno;
		n = poll(&pfd, 1, timeout_ms);
		if (n <= 0)
			return n == 0 || errno == EINTR ? 0 : -errno;
	}
}
