#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The host-memory experiment of XRT's tutorial in the guest: 'make hostmem'.

Boots the guest with nine engines in cycle mode, whose clocks are the speeds that idma-sim(1) derives
from the tutorial: the link to host memory, two channels to device memory, its four banks, two channels
back. There 'idma-test hostmem' has workers go through them, staged and direct. Its times are the
guest's, which -icount makes the engines'.
"""

import argparse
import os
import signal
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TOP, 'test', 'guest'))
from idma_guest import Guest, GuestError, script  # noqa: E402

MODULES = ('virt-dma', 'idma', 'idma-stages')
ICOUNT = ['-icount', 'shift=0,sleep=off']
# 4 MiB/ms, and 53,625 times 4 MiB in 20 s; 8 bytes a cycle
PART, LINK = 4 * 1024 * 1024 * 1000 // 8, 53625 * 4 * 1024 * 1024 // 20 // 8
# ns by which the engines may be late: without, nine of them take ten times as long. 0.02 % of a copy of 2 MiB
QUANTUM = 200
# The engines' first channels by address, which is the order of the devices, as $1 to $9
ENGINES = '''set -- $(for c in /sys/class/dma/dma*chan0; do
	echo "$(basename "$(readlink -f $c/device)") $(basename $c)"; done | sort | cut -d' ' -f2)
'''
RUN = 'idma-test hostmem --link $1 --in $2,$3 --device $4,$5,$6,$7 --out $8,$9'


def devices():
    """Properties of the nine engines."""
    return [f'timing=cycle,quantum={QUANTUM},clock-frequency={hz}' for hz in [LINK] + [PART] * 8]


def main():
    """Parse the command line and do it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--kernel', default='plain', choices=('plain', 'debug', '6.1', 'newest'))
    parser.add_argument('--time', type=int, default=50, metavar='MS', help="of the guest, for each mode (default: %(default)s)")
    parser.add_argument('--workers', type=int, default=15)
    parser.add_argument('--size', default='2M', help='of a buffer (default: %(default)s)')
    parser.add_argument('--timeout', type=float, default=0, metavar='SECONDS')
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    run = Guest(kernel=args.kernel, insmod=MODULES, smp=1, device=devices(), qemu_opts=ICOUNT,
                timeout=args.timeout or 120 + 10 * args.time, files={'/bin/idma-test': script('build-idma-test.sh')},
                on_out=lambda data: os.write(1, data), on_err=lambda data: os.write(2, data)).run(
                    f'{ENGINES}{RUN} -n {args.workers} -s {args.size} -t {args.time}')
    if run.problem:
        print(f'hostmem: {run.problem}', file=sys.stderr)
    return run.status


if __name__ == '__main__':
    try:
        sys.exit(main())
    except GuestError as err:
        print(f'hostmem: {err}', file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
