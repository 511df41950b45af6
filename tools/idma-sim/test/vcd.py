# SPDX-License-Identifier: GPL-2.0-only
"""A reader of value change dumps (IEEE 1364): as much as tests need, and strict about that."""


class VcdError(ValueError):
    """It is no VCD."""


class Vcd:
    """signals: full name -> width; changes: full name -> [(time, value)]."""

    def __init__(self, text):
        self.timescale = None
        self.signals = {}
        self.changes = {}
        self.names = {}
        words = iter(text.split())
        self.read_header(words)
        self.read_changes(words)

    @staticmethod
    def command(words):
        """The words up to $end."""
        found = []
        for word in words:
            if word == '$end':
                return found
            found.append(word)
        raise VcdError('no $end')

    def read_header(self, words):
        """Declarations."""
        scope = []
        for word in words:
            args = self.command(words)
            if word == '$enddefinitions':
                if scope or not self.timescale:
                    raise VcdError('a scope is open, or there is no timescale')
                return
            if word == '$scope':
                scope.append(args[1])
            elif word == '$upscope':
                scope.pop()
            elif word == '$timescale':
                self.timescale = ''.join(args)
            elif word == '$var':
                name = '.'.join(scope + [args[3]])
                if args[2] in self.names or name in self.signals:
                    raise VcdError(f'{name} is declared twice')
                self.names[args[2]] = name
                self.signals[name] = int(args[1])
                self.changes[name] = []
            elif word not in ('$version', '$date', '$comment'):
                raise VcdError(f'what is {word}?')
        raise VcdError('no $enddefinitions')

    def read_changes(self, words):
        """Times and values."""
        now = None
        for word in words:
            if word[0] == '#':
                if now is not None and int(word[1:]) <= now:
                    raise VcdError(f'time stands still at {word}')
                now = int(word[1:])
            elif word[0] in 'bB':
                self.change(now, next(words), int(word[1:], 2))
            elif word[0] in '01':
                self.change(now, word[1:], int(word[0]))
            elif word not in ('$dumpvars', '$end'):
                raise VcdError(f'what is {word}?')
        for name, changes in self.changes.items():
            if not changes or changes[0][0] != 0:
                raise VcdError(f'{name} has no first value')

    def change(self, now, code, value):
        """One value."""
        name = self.names.get(code)
        if name is None or now is None or value >> self.signals[name]:
            raise VcdError(f'{code} cannot be {value} at {now}')
        self.changes[name].append((now, value))

    def cycles(self, name, period):
        """The cycles in which a bit is high."""
        found, changes = [], self.changes[name]
        for (start, value), (end, _) in zip(changes, changes[1:]):
            if value:
                found += range(start // period, end // period)
        if changes[-1][1]:
            raise VcdError(f'{name} stays high')
        return found
