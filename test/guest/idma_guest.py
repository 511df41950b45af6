# SPDX-License-Identifier: GPL-2.0-only
"""The guest: QEMU's riscv virt machine with the iDMA in it, as a Python object.

    guest = Guest(device='drop-irq-every=3', timeout=60)
    result = guest.run('dmatest-run threads_per_chan=8')

or, to have a hand in it while it runs:

    with Guest(qmp=True) as guest:
        guest.start('while :; do dmatest-run; done')
        guest.wait_ready()
        guest.qmp('qom-get', path=..., property=...)

The command's output comes over ports of a virtio console; the kernel's console
goes to a file of its own that is searched for reports of the kernel's checkers.
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ROOT = os.path.join(TOP, 'test', 'guest', 'root')
MODULES = ('virt-dma', 'idma', 'dmatest')

TIMED_OUT = 124         # exit statuses of a run, besides the command's own:
NOT_UP = 125            # the guest did not get as far as the command
REPORTED = 126          # the kernel complained (and the command did not)

# What no healthy run has on its console.
REPORTS = re.compile('|'.join((
    r'\bBUG\b', r'\bWARNING: ', r'\bOops\b', r'Kernel panic', r'KASAN: ', r'UBSAN: ',
    r'ODEBUG: ', r'Unable to handle kernel', r'INFO: task .* blocked',
    r'INFO: trying to register non-static key', r'rcu: INFO: .* detected',
    r'INFO: rcu_.* detected', r'possible (circular|recursive) locking',
    r'inconsistent lock state', r'suspicious RCU usage', r'held lock freed',
    r'scheduling while atomic', r'sleeping function called from invalid context',
    r'kmemleak: \d+ new suspected', r'soft lockup', r'workqueue lockup',
    r'irq \d+: nobody cared', r'list_(add|del) corruption', r'refcount_t: ',
    r'unhandled signal \d+',     # a program of the guest has crashed
)))
MARK = 'guest: the command starts'


class GuestError(Exception):
    """The guest cannot be started; the text says why."""


def script(*args):
    """Run one of scripts/ and return the path it prints."""
    done = subprocess.run([os.path.join(TOP, 'scripts', args[0]), *args[1:]],
                          stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise GuestError(f'scripts/{" ".join(args)} failed ({done.returncode})')
    return done.stdout.strip().splitlines()[-1]


def cpio(folder, dest):
    """Archive a folder as an initramfs."""
    names = []
    for where, dirs, files in os.walk(folder):
        rel = os.path.relpath(where, folder)
        names += [os.path.normpath(os.path.join(rel, n)) for n in sorted(dirs) + sorted(files)]
    with open(dest, 'wb') as out:
        subprocess.run(['cpio', '-o', '-H', 'newc', '-R', '0:0', '--quiet'], cwd=folder, check=True,
                       input='\n'.join(names).encode(), stdout=out)


def base_image(tmp):
    """The part of the initramfs that is the same for every run."""
    folder = os.path.join(tmp, 'base')
    shutil.copytree(ROOT, folder)
    shutil.copy2(os.path.join(script('fetch.sh', 'busybox'), 'usr', 'bin', 'busybox'),
                 os.path.join(folder, 'bin', 'busybox'))
    os.symlink('busybox', os.path.join(folder, 'bin', 'sh'))
    return folder


class Result:
    """How a run ended."""

    def __init__(self):
        self.status = NOT_UP
        self.out = ''
        self.err = ''
        self.console = ''       # what the kernel printed
        self.reports = []       # those lines of it that must not be
        self.problem = None     # what went wrong besides the command
        self.seconds = 0.0      # wall clock of the whole run
        self.boot = None        # ... of it until the command started

    def console_end(self, lines=200):
        """The console since the command started (all of it if it never did)."""
        text = self.console
        if MARK in text:
            text = MARK + text.split(MARK, 1)[1]
        return '\n'.join(text.splitlines()[-lines:])


class Guest:
    """One guest, good for one command."""

    def __init__(self, kernel=None, device='', no_device=False, qemu_opts=(), insmod=MODULES,
                 params='', timeout=120.0, files=None, smp=2, memory='1G', append='', allow=(),
                 qmp=False, qmp_path=None, stdin=False, qemu_variant='plain', on_out=None,
                 on_err=None):
        # A whole suite on another kernel than the usual one: test/on-kernel
        self.kernel = kernel or os.environ.get('IDMA_GUEST_KERNEL', 'plain')
        self.devices = [] if no_device else [device] if isinstance(device, str) else list(device)
        self.qemu_opts = list(qemu_opts)
        self.insmod = tuple(insmod)
        self.params = params
        self.timeout = timeout
        self.files = dict(files or {})  # path in the guest -> path here
        self.smp, self.memory, self.append = smp, memory, append
        self.allow = [re.compile(a) for a in allow]
        self.stdin = stdin
        self.qemu_variant = qemu_variant
        self.on_out, self.on_err = on_out, on_err
        self.tmp = tempfile.mkdtemp(prefix='idma-guest-')
        # Where the device's statistics go, for a table of all runs; a guest with ideas
        # of its own about its end is left out
        self.results = None if '-action' in self.qemu_opts else os.environ.get('IDMA_RESULTS')
        qmp = qmp or bool(self.results)
        self.qmp_path = qmp_path or (os.path.join(self.tmp, 'qmp') if qmp else None)
        self.process = None
        self._monitor = None
        self._snapshots = 0
        self._ports = {}
        self._argv = self._typing = None
        self._threads = []
        self._buffers = {'stdout': bytearray(), 'stderr': bytearray(), 'status': bytearray()}
        self._changed = threading.Condition()
        self._since = self._ready = None
        self._alone = False
        self.result = Result()

    # --- making it -----------------------------------------------------------

    def _initrd(self, cmd, mode):
        folder = os.path.join(self.tmp, 'run')
        os.makedirs(os.path.join(folder, 'idma', 'modules'))
        if not self.devices and self.insmod == MODULES:
            modules = None
            self.insmod = ()
        try:
            modules = script('build-modules.sh', self.kernel)
        except GuestError:
            if self.insmod:
                raise
            modules = None
        if modules:
            for name in os.listdir(modules):
                if name.endswith('.ko'):
                    shutil.copy(os.path.join(modules, name), os.path.join(folder, 'idma', 'modules'))
        with open(os.path.join(folder, 'idma', 'env'), 'w', encoding='utf-8') as env:
            env.write(f"MODULES='{' '.join(self.insmod)}'\nPARAMS='{self.params}'\nMODE={mode}\n"
                      f"STDIN={'1' if self.stdin else ''}\n")
        with open(os.path.join(folder, 'idma', 'cmd'), 'w', encoding='utf-8') as out:
            out.write(cmd + '\n')
        for there, here in self.files.items():
            dest = os.path.join(folder, there.lstrip('/'))
            os.makedirs(os.path.dirname(dest), exist_ok=True)
            shutil.copy2(here, dest)
        parts = []
        for name, where in (('base', base_image(self.tmp)), ('run', folder)):
            parts.append(os.path.join(self.tmp, name + '.cpio'))
            cpio(where, parts[-1])
        initrd = os.path.join(self.tmp, 'initrd')
        with open(initrd, 'wb') as out:
            for part in parts:
                with open(part, 'rb') as src:
                    shutil.copyfileobj(src, out)
        return initrd

    def _qemu(self, cmd, mode):
        kdir = script('build-kernel.sh', self.kernel)
        firmware = os.path.join(script('fetch.sh', 'opensbi'),
                                'usr/lib/riscv64-linux-gnu/opensbi/generic/fw_dynamic.bin')
        # The watchdog's lockup is a host that is busy with other things, unless it lasts
        patience = 'watchdog_thresh=60 ' if self.kernel == 'debug' else ''
        argv = [os.environ.get('IDMA_QEMU') or script('build-qemu.sh', self.qemu_variant),
                '-M', 'virt', '-smp', str(self.smp), '-m', self.memory, '-nodefaults',
                '-display', 'none', '-no-reboot', '-bios', firmware,
                '-kernel', os.path.join(kdir, 'arch/riscv/boot/Image'),
                '-initrd', self._initrd(cmd, mode),
                '-append', f'console=ttyS0 panic=-1 oops=panic {patience}{self.append}'.strip()]
        for device in self.devices:
            argv += ['-device', 'idma-desc64' + (',' + device if device else '')]
        if self.qmp_path:
            argv += ['-qmp', f'unix:{self.qmp_path},server=on,wait=off']
        return argv

    # --- running it ----------------------------------------------------------

    def _launch(self, argv):
        self._since = time.monotonic()
        # The guest must not outlive this process, however it ends.
        with open(os.path.join(self.tmp, 'qemu.err'), 'wb') as err:
            self.process = subprocess.Popen(['setpriv', '--pdeathsig', 'KILL', *argv],
                                            stdin=subprocess.DEVNULL, stdout=err, stderr=err)

    def start(self, cmd):
        """Boot, and run a shell command in the guest. Returns at once."""
        argv = self._qemu(cmd, 'command')
        console = os.path.join(self.tmp, 'console')
        argv += ['-chardev', f'file,id=console,path={console},append=on', '-serial', 'chardev:console',
                 '-device', 'virtio-serial-device,max_ports=8']
        for name in ('stdout', 'stderr', 'status') + (('stdin',) if self.stdin else ()):
            path = os.path.join(self.tmp, name)
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(path)
            listener.listen(1)
            self._ports[name] = listener
            argv += ['-chardev', f'socket,id={name},path={path}',
                     '-device', f'virtserialport,chardev={name},name=idma.{name}']
        if self.results:
            argv += ['-action', 'shutdown=pause']
        argv += self.qemu_opts
        self._argv = argv
        self._launch(argv)
        self._connect()

    def _connect(self):
        """QEMU comes to the ports."""
        for name in ('stdout', 'stderr', 'status'):
            thread = threading.Thread(target=self._reader, args=(name,), daemon=True)
            thread.start()
            self._threads.append(thread)
        if self.stdin:
            self._ports['stdin'].settimeout(30)
            self._typing = self._ports['stdin'].accept()[0]

    def _reader(self, name):
        listener = self._ports[name]
        listener.settimeout(0.2)
        conn = None
        while conn is None:
            try:
                conn = listener.accept()[0]
            except socket.timeout:
                if self.process.poll() is not None:
                    return
        conn.settimeout(None)
        sink = {'stdout': self.on_out, 'stderr': self.on_err}.get(name)
        with conn:
            while True:
                try:
                    data = conn.recv(65536)
                except OSError:
                    data = b''
                if not data:
                    break
                with self._changed:
                    self._buffers[name] += data
                    if name == 'status' and self._ready is None and b'ready\n' in self._buffers[name]:
                        self._ready = time.monotonic()
                    self._changed.notify_all()
                if sink:
                    sink(data)

    def _left(self):
        return self.timeout - (time.monotonic() - self._since)

    def wait_for(self, predicate, timeout=None):
        """Wait until predicate() is true; False when the guest ends or the time is up first."""
        end = time.monotonic() + (self._left() if timeout is None else timeout)
        with self._changed:
            while not predicate():
                left = min(end - time.monotonic(), self._left())
                if left <= 0 or self.process.poll() is not None:
                    return bool(predicate())
                self._changed.wait(min(left, 0.1))
        return True

    def wait_ready(self):
        """Wait until the command has been started."""
        if not self.wait_for(lambda: self._ready is not None):
            raise GuestError('the guest did not come up:\n' + self.read_console())

    def wait_line(self, text, timeout=None):
        """Wait until the command has printed a text."""
        return self.wait_for(lambda: text.encode() in self._buffers['stdout'], timeout)

    def output(self):
        """What the command has printed up to now."""
        return self._buffers['stdout'].decode(errors='replace')

    def send(self, text):
        """Type a text into the command's standard input."""
        self._typing.sendall(text.encode())

    def migrate(self, timeout=120.0):
        """Move what runs (with qmp=True) to another QEMU, through a file, and go on there."""
        state = os.path.join(self.tmp, 'state')
        self.halt()
        self.qmp('migrate', uri=f'file:{state}')
        self._migrated(timeout)
        self._monitor.close()
        self._monitor = None
        self.process.kill()
        self.process.wait()
        if self._typing:
            self._typing.close()
        since = self._since
        self._launch([*self._argv, '-incoming', 'defer', '-S'])
        self._since = since
        self._connect()
        self.qmp('migrate-incoming', uri=f'file:{state}')
        self._migrated(timeout)
        os.unlink(state)
        self.qmp('cont')

    def halt(self, timeout=60.0):
        """Stop the guest (with qmp=True) until qmp('cont'), so that its state can be saved."""
        end = time.monotonic() + timeout
        self.qmp('stop')
        # (a device may have to hear from somebody first)
        while self.qmp('query-migrate').get('blocked-reasons'):
            if time.monotonic() > end:
                raise GuestError(f'the state cannot be saved: {self.qmp("query-migrate")}')
            time.sleep(0.01)

    def save_snapshot(self):
        """Keep the state that the guest is in, for load_snapshot()."""
        if not self._snapshots:
            disk = os.path.join(self.tmp, 'snapshots')
            self._job('blockdev-create', options={'driver': 'file', 'filename': disk, 'size': 0})
            self.qmp('blockdev-add', driver='file', filename=disk, **{'node-name': 'snapshots-file'})
            self._job('blockdev-create', options={'driver': 'qcow2', 'file': 'snapshots-file', 'size': 1 << 20})
            self.qmp('blockdev-add', driver='qcow2', file='snapshots-file', **{'node-name': 'snapshots'})
        self._snapshots += 1
        self.halt()
        self._job('snapshot-save', tag=f'{self._snapshots}', vmstate='snapshots', devices=['snapshots'])
        self.qmp('cont')

    def load_snapshot(self):
        """Go back to the last one."""
        self.halt()
        self._job('snapshot-load', tag=f'{self._snapshots}', vmstate='snapshots', devices=['snapshots'])
        self.qmp('cont')

    def _job(self, command, timeout=120.0, **args):
        """Run a QMP command that is a job, to its end."""
        end = time.monotonic() + timeout
        self.qmp(command, **{'job-id': 'job'}, **args)
        while True:
            job, = (j for j in self.qmp('query-jobs') if j['id'] == 'job')
            if job['status'] == 'concluded':
                break
            if time.monotonic() > end:
                raise GuestError(f'{command} does not end: {job}')
            time.sleep(0.02)
        self.qmp('job-dismiss', id='job')
        if 'error' in job:
            raise GuestError(f'{command}: {job["error"]}')

    def _migrated(self, timeout):
        end = time.monotonic() + timeout
        while True:
            got = self.qmp('query-migrate')
            if got.get('status') == 'completed':
                return
            if got.get('status') == 'failed' or time.monotonic() > end:
                raise GuestError(f'the migration does not end: {got}')
            time.sleep(0.05)

    def read_console(self):
        """What the kernel has printed up to now."""
        try:
            with open(os.path.join(self.tmp, 'console'), 'rb') as console:
                return console.read().decode(errors='replace').replace('\r', '')
        except FileNotFoundError:
            return ''

    def qmp(self, command, **args):
        """Run a QMP command and return its answer."""
        if self._monitor is None:
            sys.path.insert(0, os.path.join(script('fetch.sh', 'qemu'), 'python'))
            from qemu.qmp.legacy import QEMUMonitorProtocol  # pylint: disable=all
            end = time.monotonic() + 30
            while not os.path.exists(self.qmp_path) and time.monotonic() < end:
                time.sleep(0.02)
            self._monitor = QEMUMonitorProtocol(self.qmp_path)
            self._monitor.connect()
        return self._monitor.cmd(command, **args)

    def _record(self):
        """The guest is off and QEMU is not: note what the devices have done, and end it."""
        if self.qmp('query-status')['status'] != 'shutdown':
            return
        stats = {}
        for entry in self.qmp('qom-list', path='/machine/peripheral-anon'):
            if 'idma-desc64' not in entry['type']:
                continue
            path = '/machine/peripheral-anon/' + entry['name']
            for prop in self.qmp('qom-list', path=path):
                if prop['name'].startswith('stat-'):
                    value = self.qmp('qom-get', path=path, property=prop['name'])
                    stats[prop['name'][5:]] = stats.get(prop['name'][5:], 0) + value
        tests = [tuple(map(int, m)) for m in re.findall(r'tests=(\d+) failures=(\d+)', self.output())]
        with open(self.results, 'a', encoding='utf-8') as out:
            out.write(json.dumps({'kernel': self.kernel, 'device': self.devices, 'stats': stats,
                                  'dmatest': sum(n for n, _ in tests)}) + '\n')
        self.results = None
        self.qmp('quit')

    def wait(self):
        """Wait for the end and say how it was."""
        result = self.result
        while True:
            try:
                self.process.wait(max(0.01, min(0.25, self._left())))
                break
            except subprocess.TimeoutExpired:
                if self.results:
                    try:
                        self._record()
                    except (OSError, EOFError):  # it has ended meanwhile
                        self.results = None
                if self._left() <= 0:
                    result.problem = f'no end after {self.timeout:g} s: killed'
                    result.status = TIMED_OUT
                    self.process.kill()
                    self.process.wait()
                    break
        result.seconds = time.monotonic() - self._since
        for thread in self._threads:
            thread.join(5)
        if self._ready is not None:
            result.boot = self._ready - self._since
        result.out = self._buffers['stdout'].decode(errors='replace')
        result.err = self._buffers['stderr'].decode(errors='replace')
        result.console = self.read_console()
        with open(os.path.join(self.tmp, 'qemu.err'), encoding='utf-8', errors='replace') as err:
            said = err.read().strip()
        if self._alone:
            text = re.search(f'^{MARK}\n(.*?)(?:^guest: status (\\d+)$|\\Z)', result.console, re.M | re.S)
            self._ready = self._since if text else None
            result.out = text.group(1) if text else ''
            ended = text and re.search('^guest: status (\\d+)$', text.group(0), re.M)
        else:
            ended = re.search(rb'status (\d+)\n', bytes(self._buffers['status']))
        if result.status != TIMED_OUT:
            if ended:
                result.status = int(ended.group(1))
            elif self._ready is None:
                result.problem = 'the guest did not come up'
            else:
                result.problem = 'the guest ended in the middle of the command'
            if self.process.returncode:
                code = self.process.returncode
                result.problem = f'QEMU ended with {signal.Signals(-code).name if code < 0 else code}'
                result.status = NOT_UP
        if said and (result.problem or 'Sanitizer' in said or 'runtime error' in said):
            result.problem = f'{result.problem or "QEMU complains"}:\n{said}'
            result.status = result.status or NOT_UP
        result.reports = [line for line in result.console.splitlines() if REPORTS.search(line) and
                          not any(a.search(line) for a in self.allow)]
        if result.reports and not result.problem:
            result.problem = 'the kernel complains:\n' + '\n'.join(result.reports[:20])
        if result.reports and result.status == 0:
            result.status = REPORTED
        return result

    def run(self, cmd):
        """start() and wait() in one, and clean up."""
        try:
            self.start(cmd)
            return self.wait()
        finally:
            self.close()

    def run_alone(self, cmd):
        """
        Boot, run a shell command and wait for its end, with nothing of the host in between: no
        ports, time from the instructions, no randomness from outside. With one CPU two such runs
        are as good as the same. The output comes over the serial console, where kernel messages
        get into it as well.
        """
        argv = self._qemu(cmd, 'alone')
        argv += ['-serial', f'file:{os.path.join(self.tmp, "console")}', '-icount', 'shift=2,sleep=off',
                 '-seed', '1', '-rtc', 'base=2025-01-01,clock=vm'] + self.qemu_opts
        self._alone = True
        try:
            self._launch(argv)
            return self.wait()
        finally:
            self.close()

    def shell(self):
        """Boot with the console here, for somebody to type into."""
        argv = self._qemu('', 'shell') + ['-serial', 'mon:stdio'] + self.qemu_opts
        try:
            return subprocess.run(argv, check=False).returncode
        finally:
            self.close()

    def close(self):
        """End the guest, if it has not ended, and remove what it left."""
        if self._monitor is not None:
            try:
                self._monitor.close()
            except Exception:  # pylint: disable=broad-except # it may be gone already
                pass
            self._monitor = None
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for sock in (*self._ports.values(), self._typing):
            if sock:
                sock.close()
        shutil.rmtree(self.tmp, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()
