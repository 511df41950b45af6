# SPDX-License-Identifier: GPL-2.0-only
"""Guests with a HyperLink: one that is looped back, or two that are joined.

    with Side('one', loopback=True) as a:
        a.up()
        a.sh('echo grant 65536 >$RUN; cat $RUN')

    with Pair(kernel='debug') as (a, b):
        ...

Each guest runs a shell that takes commands from here, one at a time, so that
what happens on one side can wait for what has happened on the other.
"""

import os
import re
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'guest'))
from idma_guest import Guest, GuestError  # noqa: E402
from scenario import device_path  # noqa: E402

MODULES = ('ntb', 'virt-dma', 'idma', 'hyperlink')

# The shell; what is in the environment of each command
SHELL = r'''
H=/sys/kernel/debug/hyperlink/$(ls /sys/kernel/debug/hyperlink)
RUN=/sys/kernel/debug/idma-window-test/run
M=/idma/modules
run() { echo "$*" >$RUN && cat $RUN; }
moved() { sed -n 's/.*, bytes \([0-9]*\),.*/\1/p' /sys/kernel/debug/dmaengine/summary | awk '{ n += $1 } END { print n + 0 }'; }
stat() { sed -n "s/^$1: //p" $H/status; }
# Copies without end through a window onto what the peer has granted, which is mapped
# again whenever it is lost; what was written is read back. What came of them is in
# /tmp/traffic: copies that were good, that failed, that had no result in time, and
# reads that were said to be good and brought something else.
traffic() {
	good=0 failed=0 hung=0 wrong=0 seed=0
	while [ ! -e /tmp/traffic-end ]; do
		seed=$((seed + 1)) written=
		for what in write read; do
			copies=0 failures=0 error=0 bad=0 status=0
			got=$(run copy $what dma $1 $2 $seed)
			eval "$(echo $got | sed -n 's/^copy ns=[0-9]* copies=\([0-9]*\) failed=\([0-9]*\) error=\([0-9]*\) bad=\([0-9]*\) window status=\([0-9]*\)$/copies=\1 failures=\2 error=\3 bad=\4 status=\5/p')"
			good=$((good + copies - failures)) failed=$((failed + failures))
			[ $error != 110 ] || hung=$((hung + 1))
			[ $what = write ] || [ -z "$written" ] || [ $failures != 0 ] || [ $bad = 0 ] || wrong=$((wrong + 1))
			[ $copies = 0 ] || [ $failures != 0 ] || written=yes
			echo "good=$good failed=$failed hung=$hung wrong=$wrong" >/tmp/traffic-new
			mv /tmp/traffic-new /tmp/traffic
			[ $copies = 0 ] || [ $status != 0 ] || continue
			[ $copies = 0 ] || run unmap >/dev/null
			remote=$(sed -n 's/^peer.s *[0-9]* *\(0x[0-9a-f]*\) *'$1' *$/\1/p' $H/segments)
			run map ${remote:-0} $1 0 -1 >/dev/null
			usleep 10000
			break
		done
	done
}
echo @ready
while read -r line; do
	[ "$line" != @end ] || break
	eval "$line" 2>&1
	# (on a line of its own, also after a command whose last line has no end)
	printf '\n@done %d\n' $?
done
'''


class Side:
    """One guest with a HyperLink and a shell."""

    def __init__(self, name, loopback=False, peer=None, kernel=None, device='', link='', params='',
                 memory='512M', folder=None, timeout=900.0, files=None, insmod=MODULES, qemu_opts=(), **args):
        self.name = name
        self.mark = 0
        opts = list(qemu_opts)
        if peer:
            ram, other, listen = peer
            size = memory
            opts += ['-object', f'memory-backend-file,id=ram,size={size},share=on,mem-path={ram}',
                     '-machine', 'memory-backend=ram',
                     '-object', f'memory-backend-file,id=peer,size={size},share=on,mem-path={other}',
                     '-chardev', f'socket,id=link,path={folder}/link,' +
                     ('server=on,wait=off' if listen else 'server=off,reconnect-ms=100')]
            link = 'peer=link,peer-mem=peer' + (',' + link if link else '')
        opts += ['-device', 'hyperlink,id=hl' + (',' + link if link else '')]
        if loopback:
            params += ' hyperlink.loopback=1'
        # How much longer a kernel with all checkers may take until it counts as hung
        self.patience = 4 if (kernel or os.environ.get('IDMA_GUEST_KERNEL')) == 'debug' else 1
        timeout *= self.patience
        self.guest = Guest(kernel=kernel, device=device, qemu_opts=opts, insmod=insmod, params=params,
                           memory=memory, stdin=True, qmp=True, timeout=timeout, files=files, **args)

    def start(self):
        """Boot it."""
        self.guest.start(SHELL)
        return self

    def ready(self):
        """Wait until the shell takes commands."""
        if not self.guest.wait_line('@ready\n'):
            raise GuestError(f'{self.name} did not come up:\n' + self.guest.read_console())
        self.mark = self.guest.output().index('@ready\n') + len('@ready\n')
        return self

    def begin(self, command):
        """Start a command; end() has its result."""
        self.guest.send(command.strip().replace('\n', '; ') + '\n')

    def end(self, timeout=None):
        """Wait for the command: its exit status and what it printed."""
        found = []

        def done():
            match = re.search(r'\n@done (\d+)\n', self.guest.output()[self.mark:])
            if match:
                found.append(match)
            return bool(match)

        if not self.guest.wait_for(done, timeout):
            raise GuestError(f'{self.name}: no end of the command; so far:\n{self.guest.output()[self.mark:]}\n'
                             f'--- kernel console\n{self.guest.read_console()[-6000:]}')
        match = found[0]
        out = self.guest.output()[self.mark:self.mark + match.start()]
        self.mark += match.end()
        return int(match.group(1)), out

    def sh(self, command, timeout=None):
        """Run a command and return what it printed."""
        self.begin(command)
        return self.end(timeout)[1]

    def numbers(self, command):
        """... as a dictionary of its NAME=NUMBER and NAME: NUMBER."""
        return {k: int(v) for k, v in re.findall(r'([\w-]+)(?:=|: )(\d+)\b', self.sh(command))}

    def until(self, command, timeout=120.0):
        """Repeat a command in the guest until it succeeds (True) or the time is up."""
        end = time.monotonic() + timeout * self.patience
        while True:
            self.begin(command)
            if self.end()[0] == 0:
                return True
            if time.monotonic() > end:
                return False
            time.sleep(0.05)

    def up(self, timeout=120.0):
        """Wait until both drivers have met."""
        return self.until('[ "$(stat state)" = ready ]', timeout)

    def test_client(self):
        """Load the client that copies."""
        return self.sh('insmod $M/idma-window-test.ko && echo loaded') == 'loaded\n'

    def run(self, command):
        """A command of the client that copies: its numbers."""
        return self.numbers('run ' + command)

    def traffic(self, size, copies):
        """Start copying through a window onto what the other has granted."""
        self.sh(f'rm -f /tmp/traffic*; traffic {size} {copies} </dev/null >/dev/null 2>&1 &')

    def carried(self):
        """What has become of the copies up to now."""
        got = self.numbers('cat /tmp/traffic 2>/dev/null')
        return {k: got.get(k, 0) for k in ('good', 'failed', 'hung', 'wrong')}

    def carries(self, more=1, timeout=120.0):
        """Wait until so many more copies are good."""
        want = self.carried()['good'] + more
        return self.until(f'read -r got </tmp/traffic && got=${{got#good=}} && [ ${{got%% *}} -ge {want} ]', timeout)

    def stop_copying(self, timeout=60.0):
        """Halt the guest in the middle of a transfer of its iDMA; False if none comes."""
        end = time.monotonic() + timeout * self.patience
        idma = device_path(self.guest)
        while time.monotonic() < end:
            self.guest.qmp('stop')
            marks, taken = (self.guest.qmp('qom-get', path=idma, property=stat) for stat in ('stat-completions', 'stat-descriptors'))
            if taken > marks:
                return True
            self.guest.qmp('cont')
            time.sleep(0.01)
        return False

    def traffic_end(self):
        """Let the copies end; what has become of them."""
        self.sh('touch /tmp/traffic-end; wait')
        return self.carried()

    def moved(self):
        """Bytes that the iDMA has copied, by its driver's counters."""
        return int(self.sh('moved'))

    def get(self, prop):
        """A property of the HyperLink as QEMU has it."""
        return self.guest.qmp('qom-get', path='/machine/peripheral/hl', property=prop)

    def until_stat(self, prop, least, timeout=60.0):
        """Wait until a counter of the HyperLink is that high (True), whether the guest runs or not."""
        end = time.monotonic() + timeout
        while self.get(prop) < least:
            if time.monotonic() > end:
                return False
            time.sleep(0.01)
        return True

    def finish(self):
        """End it well and return the result."""
        self.guest.send('@end\n')
        return self.guest.wait()

    def kill(self):
        """kill -9 of QEMU."""
        self.guest.process.kill()
        self.guest.process.wait()

    def close(self):
        """End it."""
        self.guest.close()

    def __enter__(self):
        try:
            self.start()
            return self.ready()
        except BaseException:
            self.close()
            raise

    def __exit__(self, *exc):
        self.close()


class Pair:
    """Two guests whose HyperLinks are joined."""

    def __init__(self, **args):
        self.folder = tempfile.mkdtemp(prefix='idma-link-')
        self.args = args
        self.sides = []

    def side(self, index, **more):
        """Make one of them (again)."""
        ram = [os.path.join(self.folder, f'ram{i}') for i in (0, 1)]
        return Side('ab'[index], peer=(ram[index], ram[1 - index], index == 0), folder=self.folder,
                    **{**self.args, **more})

    def restart(self, index):
        """Boot one of them again after it was killed."""
        self.sides[index].close()
        self.sides[index] = self.side(index)
        return self.sides[index].start().ready()

    def __enter__(self):
        try:
            self.sides = [self.side(0), self.side(1)]
            for side in self.sides:
                side.start()
            for side in self.sides:
                side.ready()
            return self.sides
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *exc):
        for side in self.sides:
            side.close()
        shutil.rmtree(self.folder, ignore_errors=True)
