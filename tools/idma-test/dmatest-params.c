// SPDX-License-Identifier: GPL-2.0-only
/*
 * dmatest's parameters, and that they are put back.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "dmatest-params.h"
#include "sysfs.h"

#define DMATEST	"/sys/module/dmatest"
#define PARAMS	DMATEST "/parameters"

/* All that can be set; "channel" and "run" are actions, "wait" and "test_list" read-only */
static const char * const names[] = {
	"test_buf_size", "device", "threads_per_chan", "max_channels", "iterations", "dmatest",
	"xor_sources", "pq_sources", "timeout", "noverify", "norandom", "verbose", "alignment",
	"transfer_size", "polled", "nobounce",
};

static char saved[ARRAY_SIZE(names)][64];
static bool have[ARRAY_SIZE(names)];
static pid_t guard;
static int guard_fd = -1;

static void path_of(char *path, size_t size, const char *param)
{
	snprintf(path, size, PARAMS "/%s", param);
}

bool dt_has(const char *param)
{
	char path[128];

	path_of(path, sizeof(path), param);
	return !access(path, F_OK);
}

int dt_set(const char *param, const char *val)
{
	char path[128];

	path_of(path, sizeof(path), param);
	/* With its NUL: an empty string is a value, an empty write is none */
	return sys_write(path, val, strlen(val) + 1);
}

int dt_get(const char *param, char *buf, size_t size)
{
	char path[128];

	path_of(path, sizeof(path), param);
	return sys_read(path, buf, size);
}

int dt_running(void)
{
	char buf[64];
	int ret = dt_get("run", buf, sizeof(buf));

	if (ret || buf[0] == 'Y')
		return ret ? ret : 1;
	/*
	 * Threads that were woken and have not got a CPU yet do not count as running.
	 * The name of the last channel stays until all of them have ended.
	 */
	ret = dt_get("channel", buf, sizeof(buf));
	return ret ? ret : buf[0] != '\0';
}

/*
 * Threads take parameters as their own when a channel is set, be it one that they
 * have; but not while some of them have not begun.
 */
static bool end_soon(void)
{
	char channel[64];

	return !dt_set("iterations", "1") && !dt_get("channel", channel, sizeof(channel)) &&
	       channel[0] && !dt_set("channel", channel);
}

bool dt_finish(void)
{
	struct timespec nap = { .tv_nsec = 10000000 };
	bool told = false;
	char buf[64];
	uint64_t end;
	long timeout;

	/* What was only set up is not to be started by this */
	if (dt_get("run", buf, sizeof(buf)) || buf[0] != 'Y')
		return true;
	timeout = dt_get("timeout", buf, sizeof(buf)) ? -1 : strtol(buf, NULL, 10);
	/* Each is to end its transfer, and to compare what it has copied */
	end = now_ns() + (uint64_t)(timeout < 0 ? 5000 : timeout + 2000) * 1000000;
	while (dt_running() > 0) {
		if (now_ns() > end)
			return false;
		told = told || end_soon();
		nanosleep(&nap, NULL);
	}
	return true;
}

static int restore(void)
{
	int ret, one;

	dt_finish();
	ret = dt_set("run", "0");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!have[i])
			continue;
		one = dt_set(names[i], saved[i]);
		ret = ret ? ret : one;
	}
	return ret;
}

/* Waits for the end of the pipe, which is the end of the program or of its need */
static void guard_main(int fd)
{
	ssize_t n;
	char c;

	/* Ctrl-C is for the program; this is to outlive whatever it dies of, killall as well */
	setsid();
	prctl(PR_SET_NAME, "dmatest-guard");
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	/* Nobody is to wait for the end of this because of an open pipe */
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	do {
		n = read(fd, &c, 1);
	} while (n < 0 && errno == EINTR);
	_exit(restore() ? 1 : 0);
}

static int start_guard(void)
{
	int fds[2];

	if (pipe(fds))
		return -errno;
	fflush(NULL);
	guard = fork();
	if (guard < 0) {
		close(fds[0]);
		close(fds[1]);
		return -errno;
	}
	if (!guard) {
		close(fds[1]);
		guard_main(fds[0]);
	}
	close(fds[0]);
	guard_fd = fds[1];
	return 0;
}

static int missing(void)
{
	if (access(DMATEST, F_OK)) {
		it_error("the module dmatest is not loaded");
		it_hint("modprobe dmatest; without one, build the kernel with CONFIG_DMATEST=m");
	} else {
		it_error("dmatest has no parameters in " PARAMS);
	}
	return IT_ENV;
}

int dt_take(void)
{
	int ret;

	if (!dt_has("run"))
		return missing();
	if (access(PARAMS "/run", W_OK)) {
		it_error("no permission to use dmatest");
		it_hint("run it as root");
		return IT_ENV;
	}
	ret = dt_running();
	if (ret < 0) {
		it_error("dmatest: cannot read 'run': %s", strerror(-ret));
		return IT_ENV;
	}
	if (ret) {
		it_error("dmatest is in use: it runs, or has been set up to");
		it_hint("wait for its end, or stop it: echo 0 > " PARAMS "/run");
		return IT_ENV;
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		have[i] = !dt_get(names[i], saved[i], sizeof(saved[i]));
	ret = start_guard();
	if (ret) {
		it_error("cannot start a process: %s", strerror(-ret));
		return IT_ENV;
	}
	return IT_OK;
}

int dt_release(void)
{
	int status;

	if (guard_fd < 0)
		return IT_OK;
	close(guard_fd);
	guard_fd = -1;
	while (waitpid(guard, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return IT_OK;
	it_error("dmatest's parameters could not be put back");
	return IT_ENV;
}
