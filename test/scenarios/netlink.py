# SPDX-License-Identifier: GPL-2.0-only
"""What the netlink scenarios share: the test program, built for the guest, and its results.

    with NetlinkScenario('netlink-family') as t:
        run = t.guest('idma-nl-test read', files=t.files)
        t.results(run)
"""

import os
import re

from scenario import TOP, Scenario


class NetlinkScenario(Scenario):
    """A scenario with test/netlink/'s program in its guests."""

    @property
    def files(self):
        """For Guest(files=...)."""
        if not hasattr(self, '_program'):
            self._program = self.guest_program('idma-nl-test', 'test/netlink/nl.c', 'test/netlink/idma-nl-test.c',
                                               flags=('-I', os.path.join(TOP, 'include', 'uapi')))
        return {'/bin/idma-nl-test': self._program}

    def results(self, run, at_least, what=''):
        """Hand on the "ok" and "not ok" lines that the program printed in a guest."""
        seen = re.findall(r'^(not )?ok - (.*)', run.out, re.M)
        for bad, text in seen:
            self.ok(not bad, what + text, run)
        self.ok(len(seen) >= at_least, f'{what}at least {at_least} results', run)
