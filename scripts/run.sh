#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# 'make run': from whatever state the machine is in to dmatest's table.
#
# In the environment: DEVICE (properties of the device), DMATEST (dmatest
# parameters), KERNEL, QEMU_OPTS, TIMEOUT; DRYRUN=1 only says what would be done.

. "$(dirname "$0")/lib.sh"

kernel=${KERNEL:-plain}
"$IDMA_TOP/scripts/setup.sh" run
qemu=$("$IDMA_TOP/scripts/build-qemu.sh")
"$IDMA_TOP/scripts/build-modules.sh" "$kernel" >/dev/null
"$IDMA_TOP/scripts/fetch.sh" busybox >/dev/null
"$IDMA_TOP/scripts/fetch.sh" opensbi >/dev/null
if dry; then
	say "would boot the guest and run dmatest-table ${DMATEST:-}"
	exit
fi
# The guest's dmatest-table gives up by itself if dmatest does; this is for a
# guest that hangs.
timeout=${TIMEOUT:-$([ -n "${DMATEST:-}" ] || [ "$kernel" != plain ] && echo 1800 || echo 300)}
IDMA_QEMU=$qemu exec "$IDMA_TOP/test/guest/run" --kernel "$kernel" --device "${DEVICE:-}" \
	--qemu-opts "${QEMU_OPTS:-}" --timeout "$timeout" "dmatest-table ${DMATEST:-}"
