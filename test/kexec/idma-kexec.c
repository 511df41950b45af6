// SPDX-License-Identifier: GPL-2.0-only
/*
 * Load a kernel for kexec and, if asked to, start it: the one thing of kexec-tools
 * that the test needs. reboot(2) lets drivers shut their devices down first.
 *
 * usage: idma-kexec KERNEL INITRD COMMAND-LINE | idma-kexec -e
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/reboot.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int kernel, initrd;

	if (argc == 2 && !strcmp(argv[1], "-e")) {
		syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_KEXEC, NULL);
		fprintf(stderr, "idma-kexec: reboot: %s\n", strerror(errno));
		return 1;
	}
	if (argc != 4) {
		fputs("usage: idma-kexec KERNEL INITRD COMMAND-LINE | idma-kexec -e\n", stderr);
		return 2;
	}
	kernel = open(argv[1], O_RDONLY);
	initrd = open(argv[2], O_RDONLY);
	if (kernel < 0 || initrd < 0) {
		fprintf(stderr, "idma-kexec: %s: %s\n", argv[kernel < 0 ? 1 : 2], strerror(errno));
		return 1;
	}
	if (syscall(SYS_kexec_file_load, kernel, initrd, strlen(argv[3]) + 1, argv[3], 0UL)) {
		fprintf(stderr, "idma-kexec: kexec_file_load: %s\n", strerror(errno));
		return 1;
	}

	return 0;
}
