// SPDX-License-Identifier: GPL-2.0-only
/*
 * Run a program on a terminal of its own, type into it, and write all that it shows,
 * escapes included, to stdout.
 *
 * usage: pty-run [STEP]... -- PROGRAM [ARGUMENT]...
 *
 *	size=COLUMNSxROWS	how large the terminal is, from here on
 *	wait=TEXT		go on when the program has shown this, after what was waited for
 *	type=TEXT		type it; \c, \d and \n are Ctrl-C, Ctrl-D and Enter
 *
 * Ends with the program's exit status, 128 and the signal that ended it, or 99 if a text
 * that was waited for did not come.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pty.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

static char *shown;
static size_t n_shown, looked;

static void die(const char *what)
{
	perror(what);
	exit(98);
}

static void set_size(int fd, const char *text)
{
	struct winsize ws = { 0 };

	if (sscanf(text, "%hux%hu", &ws.ws_col, &ws.ws_row) != 2 || ioctl(fd, TIOCSWINSZ, &ws))
		die(text);
}

/* More of what the program shows; false at its end */
static bool more(int fd)
{
	char buf[4096];
	ssize_t n;

	do {
		n = read(fd, buf, sizeof(buf));
	} while (n < 0 && errno == EINTR);
	/* EIO is how a terminal says that nobody has it open any more */
	if (n <= 0)
		return false;
	if (fwrite(buf, 1, (size_t)n, stdout) != (size_t)n || fflush(stdout))
		die("stdout");
	shown = realloc(shown, n_shown + (size_t)n);
	if (!shown)
		die("realloc");
	memcpy(shown + n_shown, buf, (size_t)n);
	n_shown += (size_t)n;
	return true;
}

static void wait_for(int fd, const char *text)
{
	char *at;

	while (!(at = memmem(shown + looked, n_shown - looked, text, strlen(text)))) {
		if (!more(fd)) {
			fprintf(stderr, "pty-run: it ended without '%s'\n", text);
			exit(99);
		}
	}
	looked = (size_t)(at - shown) + strlen(text);
}

static void type(int fd, const char *text)
{
	for (; *text; text++) {
		char c = *text;

		if (c == '\\' && text[1]) {
			text++;
			c = *text == 'c' ? 3 : *text == 'd' ? 4 : *text == 'n' ? '\n' : *text;
		}
		if (write(fd, &c, 1) != 1)
			die("write");
	}
}

int main(int argc, char **argv)
{
	int status, at, fd;
	pid_t pid;

	for (at = 1; at < argc && strcmp(argv[at], "--"); at++)
		;
	if (at + 1 >= argc) {
		fputs("usage: pty-run [STEP]... -- PROGRAM [ARGUMENT]...\n", stderr);
		return 98;
	}
	shown = malloc(1);
	pid = forkpty(&fd, NULL, NULL, &(struct winsize) { .ws_col = 80, .ws_row = 24 });
	if (pid < 0)
		die("forkpty");
	if (!pid) {
		char enter;

		/* Not before the terminal is as large as it is to be */
		if (read(STDIN_FILENO, &enter, 1) != 1)
			_exit(98);
		execvp(argv[at + 1], argv + at + 1);
		perror(argv[at + 1]);
		_exit(98);
	}
	for (int i = 1; i < at && !strncmp(argv[i], "size=", 5); i++)
		set_size(fd, argv[i] + 5);
	type(fd, "\n");
	wait_for(fd, "\n");
	for (int i = 1; i < at; i++) {
		if (!strncmp(argv[i], "size=", 5))
			set_size(fd, argv[i] + 5);
		else if (!strncmp(argv[i], "wait=", 5))
			wait_for(fd, argv[i] + 5);
		else if (!strncmp(argv[i], "type=", 5))
			type(fd, argv[i] + 5);
		else
			die(argv[i]);
	}
	while (more(fd))
		;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
