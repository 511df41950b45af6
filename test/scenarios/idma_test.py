# SPDX-License-Identifier: GPL-2.0-only
"""What the scenarios of idma-test share: the program in the guest, its JSON against its schemas.

    with IdmaTestScenario('idma-test-bench') as t:
        run = t.guest('idma-test list -j', files=t.files)
        t.documents(run.out, 'list', 'it lists')

A command whose output is to be told from others is written as "=== NAME" before and
"--- STATUS" after it: t.step(NAME, COMMAND) makes the shell text, t.steps(run) takes it
apart again.
"""

import os
import re
import sys

from scenario import TOP, Scenario, script

sys.path.insert(0, os.path.join(TOP, 'tools', 'idma-test', 'test'))
import schema  # noqa: E402


class Step:
    """What one command in a guest has said, and its exit status."""

    def __init__(self, text, status):
        self.text, self.status = text, status

    def __str__(self):
        return f'exit status {self.status}\n{self.text}'


class IdmaTestScenario(Scenario):
    """A scenario with idma-test in its guests."""

    @property
    def files(self):
        """For Guest(files=...)."""
        if not hasattr(self, '_program'):
            self._program = script('build-idma-test.sh')
        return {'/bin/idma-test': self._program}

    @staticmethod
    def step(name, command):
        """Shell text: a command between two marks."""
        return f'echo "=== {name}"\n{{\n{command}\n}} 2>&1\necho "--- $?"\n'

    @staticmethod
    def steps(run):
        """All of them that came to their end, by name."""
        return {name: Step(text, int(status)) for name, text, status in
                re.findall(r'^=== (.*)\n((?:(?!=== ).*\n)*?)--- (\d+)$', run.out, re.M)}

    def status(self, steps, name, want, what, words=''):
        """A step's exit status, and words that it is to say."""
        step = steps.get(name, Step('it did not come to its end', -1))
        return self.ok(step.status == want and words in step.text, what, step)

    def documents(self, text, name, what, at_least=1):
        """JSON documents that keep to a schema; returns them."""
        try:
            docs = schema.documents(text)
        except ValueError as err:
            self.ok(False, what + ': JSON', f'{err}\n{text}')
            return []
        wrong = [p for doc in docs for p in schema.problems(doc, name)]
        self.ok(len(docs) >= at_least and not wrong, f'{what}: JSON keeps to its schema', '\n'.join(wrong) or text)
        return docs
