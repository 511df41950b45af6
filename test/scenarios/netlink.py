# SPDX-License-Identifier: GPL-2.0-only
"""What the netlink scenarios share: the test program, built for the guest, and its results.

    with NetlinkScenario('netlink-family') as t:
        run = t.guest('idma-nl-test read', files=t.files)
        t.results(run)
"""

import atexit
import os
import re
import shutil
import subprocess
import tempfile

from scenario import GuestError, Scenario

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCES = os.path.join(TOP, 'test', 'netlink')


class NetlinkScenario(Scenario):
    """A scenario with test/netlink/'s program in its guests."""

    @property
    def files(self):
        """For Guest(files=...)."""
        if not hasattr(self, '_program'):
            folder = tempfile.mkdtemp(prefix='idma-nl-test-')
            atexit.register(shutil.rmtree, folder, ignore_errors=True)
            program = os.path.join(folder, 'idma-nl-test')
            done = subprocess.run(
                ['riscv64-linux-gnu-gcc', '-std=gnu11', '-O2', '-Wall', '-Wextra', '-Werror', '-static',
                 '-I', os.path.join(TOP, 'include', 'uapi'), '-o', program,
                 os.path.join(SOURCES, 'nl.c'), os.path.join(SOURCES, 'idma-nl-test.c')],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            if done.returncode:
                raise GuestError('test/netlink does not compile:\n' + done.stdout)
            self._program = program
        return {'/bin/idma-nl-test': self._program}

    def results(self, run, at_least, what=''):
        """Hand on the "ok" and "not ok" lines that the program printed in a guest."""
        seen = re.findall(r'^(not )?ok - (.*)', run.out, re.M)
        for bad, text in seen:
            self.ok(not bad, what + text, run)
        self.ok(len(seen) >= at_least, f'{what}at least {at_least} results', run)
