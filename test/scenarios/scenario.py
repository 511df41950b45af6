# SPDX-License-Identifier: GPL-2.0-only
"""What the scenarios share: TAP, and guests whose console is shown on failure.

    with Scenario('name') as t:
        run = t.guest('dmatest-run', device='drop-irq-every=3')
        t.ok(run.status == 0, 'copies are right', run)
"""

import atexit
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, 'test', 'guest'))
from idma_guest import Guest, GuestError, script  # noqa: E402

__all__ = ['TOP', 'Guest', 'GuestError', 'Scenario', 'device_path', 'device_tree', 'end_hang', 'find_node', 'script']


def device_path(guest):
    """Where QEMU's object model has the (first) iDMA of a running guest."""
    return next('/machine/peripheral-anon/' + entry['name']
                for entry in guest.qmp('qom-list', path='/machine/peripheral-anon')
                if 'idma-desc64' in entry['type'])


def device_tree(dtb, device=''):
    """Write the device tree of a machine with the iDMA into a file."""
    qemu = os.environ.get('IDMA_QEMU') or script('build-qemu.sh')
    subprocess.run((qemu, '-M', f'virt,dumpdtb={dtb}', '-smp', '2', '-m', '1G', '-nodefaults', '-display', 'none',
                    '-bios', 'none', '-device', 'idma-desc64' + (',' + device if device else '')),
                   check=True, capture_output=True)


def find_node(dtb, compatible, path=''):
    """The path of the first node with a compatible string, None if there is none."""
    def get(*words):
        return subprocess.run(('fdtget', *words), capture_output=True, text=True, check=False).stdout.split()
    for name in get('-l', dtb, path or '/'):
        node = f'{path}/{name}'
        if compatible in get(dtb, node, 'compatible'):
            return node
        below = find_node(dtb, compatible, node)
        if below:
            return below
    return None


def end_hang(guest):
    """
    Let a hung engine go on. Its clients have been told that their transfers failed and have freed
    the buffers: what it still writes would end up in memory that is somebody else's by now, so
    these writes are left out.
    """
    path = device_path(guest)
    guest.qmp('qom-set', path=path, property='skip-write-every', value=1)
    guest.qmp('qom-set', path=path, property='hang-from-desc', value=0)
    end = time.monotonic() + 30
    while (guest.qmp('qom-get', path=path, property='stat-completions') <
           guest.qmp('qom-get', path=path, property='stat-descriptors')):
        if time.monotonic() > end:
            raise GuestError('the engine does not go on after a hang')
    guest.qmp('qom-set', path=path, property='skip-write-every', value=0)


class Scenario:
    """The TAP of one scenario."""

    def __init__(self, name):
        self.name = name
        self.number = self.failed = 0
        self.last = self.shown = None

    def guest(self, command, **args):
        """Run a command in a guest of its own."""
        self.last = Guest(**args).run(command)
        return self.last

    @staticmethod
    def guest_program(name, *sources, flags=()):
        """Build a small C program for the guest from files of this project; returns its path here."""
        folder = tempfile.mkdtemp(prefix='idma-program-')
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        program = os.path.join(folder, name)
        done = subprocess.run(
            ['riscv64-linux-gnu-gcc', '-std=gnu11', '-O2', '-Wall', '-Wextra', '-Werror', '-static', *flags,
             '-o', program, *(os.path.join(TOP, s) for s in sources)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode:
            raise GuestError(f'{name} does not compile:\n{done.stdout}')
        return program

    def ok(self, good, what, detail=None):
        """One result. What detail is or returns (a run, a text, numbers) is shown when it is bad."""
        self.number += 1
        print(f'{"" if good else "not "}ok {self.number} - {self.name}: {what}', flush=True)
        if good:
            return True
        self.failed += 1
        if detail is None:
            detail = self.last
        if callable(detail):
            detail = detail()
        if hasattr(detail, 'console_end') and detail is self.shown:
            detail = 'see above'
        if hasattr(detail, 'console_end'):
            self.shown = detail
            detail = (f'exit status {detail.status}{", " + detail.problem if detail.problem else ""}\n'
                      f'--- stdout\n{detail.out}\n--- stderr\n{detail.err}\n'
                      f'--- kernel console\n{detail.console_end()}')
        for line in str(detail).splitlines():
            print('    # ' + line)
        sys.stdout.flush()
        return False

    def clean(self, run, what='the guest ends well'):
        """Exit status 0, in time, without a report on the console."""
        return self.ok(run.status == 0 and not run.problem, what, run)

    @staticmethod
    def pairs(text):
        """All NAME=VALUE and 'NAME: VALUE' with whole numbers in a text, the last of each name."""
        return {k: int(v) for k, v in re.findall(r'\b(\w+)(?:=|: )(\d+)\b', text)}

    def __enter__(self):
        return self

    def __exit__(self, kind, err, trace):
        if kind is not None and issubclass(kind, GuestError):
            self.ok(False, 'the guest can be started', err)
            kind = None
        if kind is None:
            print(f'1..{self.number}', flush=True)
            sys.exit(1 if self.failed or not self.number else 0)
        return False
