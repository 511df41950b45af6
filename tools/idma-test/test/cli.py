#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The command line, the terminal, reports and JSON, on a machine without a DMA engine.

The program is $IDMA_TEST. What needs an engine is in test/scenarios/idma-test-*.
"""

import copy
import csv
import html.parser
import json
import os
import pty
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import schema  # noqa: E402

PROGRAM = os.environ.get('IDMA_TEST') or os.path.join(os.path.dirname(HERE), 'idma-test')
COMMANDS = ('list', 'show', 'selftest', 'dmatest', 'bench', 'hostmem', 'stats', 'monitor', 'reset', 'link', 'window', 'report')
ESCAPE = '\x1b['


class Tap:
    """Results."""

    number = failed = 0

    def ok(self, good, what, detail=''):
        """One of them."""
        self.number += 1
        print(f'{"" if good else "not "}ok {self.number} - {what}', flush=True)
        if not good:
            self.failed += 1
            for line in str(detail).splitlines():
                print('    # ' + line, flush=True)


TAP = Tap()


def run(*args, env=None, **more):
    """Run the program with pipes."""
    return subprocess.run([PROGRAM, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          stdin=subprocess.DEVNULL, env=dict(os.environ, **(env or {})), check=False,
                          timeout=60, **more)


def run_pty(*args, env=None, columns=120):
    """Run it on a terminal; returns the exit status and all that was written."""
    pid, fd = pty.fork()
    if pid == 0:
        settings = dict(os.environ, TERM='xterm', COLUMNS=str(columns))
        settings.pop('NO_COLOR', None)
        settings.update(env or {})
        os.execve(PROGRAM, [PROGRAM, *args], settings)
    text = b''
    while True:
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        text += data
    os.close(fd)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), text.decode().replace('\r\n', '\n')


def usage_tests():
    """Bad command lines: exit status 2, the thing is named, and what to do is said."""
    cases = (
        ((), 'which command'),
        (('lisst',), "no command 'lisst'"),
        (('-x', 'list'), 'no option -x'),
        (('list', '--frob'), '--frob'),
        (('list', '-x'), 'no option -x'),
        (('list', 'a'), "'a' is one argument too many"),
        (('reset',), 'ENGINE is missing'),
        (('report',), 'FILE... is missing'),
        (('dmatest', '-s'), '-s wants an argument'),
        (('dmatest', '-s', 'abc'), "--size: 'abc' is not a number, list"),
        (('dmatest', '-s', '64..16'), "--size: '64..16'"),
        (('dmatest', '-s', '0'), '--size: 0 is out of range'),
        (('dmatest', '-s', '8G'), '--size: 8589934592 is out of range'),
        (('dmatest', '-s', '4M'), '--size: 4194304 is more than dmatest can have'),
        (('dmatest', '-s', '4k', '-b', '4k'), 'must be lower than --buf-size'),
        (('dmatest', '-i', '1.5'), "--iterations: '1.5' is not a number"),
        (('dmatest', '-i', '5', '-r', '1s'), '--iterations and --runtime'),
        (('dmatest', '-T', '100us'), 'not a whole number of ms'),
        (('dmatest', '--type', 'xor'), "--type: 'xor' is none of memcpy, memset"),
        (('dmatest', '-t', '99999999999999999999'), 'is too large'),
        (('dmatest', '-t', '1..100+1'), 'more than 64 values'),
        (('bench', '-W', 'nap'), "--wait: 'nap' is none of"),
        (('bench', '-d', '2000'), '--depth: 2000 is out of range, 1 to 1024'),
        (('bench', '--get', '--stop'), '--get and --stop'),
        (('bench', '--id', '3'), '--id goes with'),
        (('stats', '-n', '3'), '--count needs --interval'),
        (('window', 'open'), "'open' is none of list|map"),
        (('window', 'map', '0'), 'map wants 2 arguments'),
        (('window', 'copy'), 'copy wants 1 argument'),
        (('window', 'verify', '1', '-s', '8M'), '--size: 8388608 is out of range'),
        (('window', '-p', '16', 'map', '0', '1'), '--privid: 16 is out of range'),
        (('window', 'list', '1', '2', '3'), "'3' is one argument too many"),
        (('link', 'cut'), "'cut' is none of [list|grants"),
        (('link', 'grant'), 'grant wants an argument'),
        (('link', 'list', 'x'), 'list takes no argument'),
        (('monitor', '-e', 'nothing'), "--event: 'nothing' is none of"),
        (('reset', 'x' * 64), 'too long'),
        (('list', '--color', 'blue'), "--color: 'blue' is none of auto, always, never"),
    )
    for args, words in cases:
        done = run(*args)
        TAP.ok(done.returncode == 2 and words in done.stderr and not done.stdout,
               f'usage: {" ".join(args)[:60] or "(nothing)"}', f'{done.returncode}\n{done.stdout}{done.stderr}')
    done = run('dmatest', '-j', '-s', 'abc')
    docs = schema.documents(done.stdout)
    TAP.ok(done.returncode == 2 and len(docs) == 1 and docs[0]['error']['status'] == 2 and
           'help' in docs[0]['error']['hint'] and not schema.problems(docs[0], 'dmatest'),
           'usage: -j has the error as JSON', done.stdout + done.stderr)


def help_tests():
    """Help, manual and completion know the same."""
    done = run('--help')
    TAP.ok(done.returncode == 0 and all(f'\n  {c} ' in done.stdout for c in COMMANDS) and not done.stderr,
           'help: all commands', done.stdout)
    TAP.ok(run('--version').stdout.startswith('idma-test '), 'help: version')
    TAP.ok(run('-h').stdout == done.stdout == run('help').stdout, 'help: -h and help are --help')
    with open(os.path.join(HERE, '..', 'idma-test.1'), encoding='utf-8') as page:
        manual = page.read()
    shown = dict(re.findall(r'^\.SH (.*)\n((?:(?!\.SH).*\n)*)', manual, re.M))
    TAP.ok(all(re.search(rf'^\.B[RI]? {c}\b', shown['COMMANDS'], re.M) for c in COMMANDS),
           'help: the manual has all commands')
    TAP.ok(all(re.search(rf'^\.B {n}$', shown['EXIT STATUS'], re.M) for n in range(5)),
           'help: the manual has all exit statuses')
    done = subprocess.run(['man', '--warnings', '-l', os.path.join(HERE, '..', 'idma-test.1')],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
                          env=dict(os.environ, MANWIDTH='100'))
    TAP.ok(done.returncode == 0 and not done.stderr, 'help: the manual is well-formed', done.stderr)
    for command in COMMANDS:
        done = run(command, '--help')
        short = set(re.findall(r'^  -(.), --', done.stdout, re.M))
        TAP.ok(done.returncode == 0 and f'usage: idma-test {command}' in done.stdout and {'j', 'o', 'h'} <= short,
               f'help: {command}', done.stdout + done.stderr)
        letters = re.findall(r'^  -(.), --', done.stdout, re.M)
        TAP.ok(len(letters) == len(set(letters)), f'help: {command}: no letter has two meanings', letters)
        wide = [x for x in done.stdout.splitlines() if len(x) > 110]
        TAP.ok(not wide, f'help: {command}: no line is too wide', '\n'.join(wide))


def complete(*words):
    """What the completion offers for the last of these words."""
    script = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
              '_idma_test "$1"; printf "%s\\n" "${COMPREPLY[@]}"')
    done = subprocess.run(['bash', '-c', script, 'bash', os.path.join(HERE, '..', 'idma-test.bash'), PROGRAM, *words],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    return sorted(done.stdout.split())


def completion_tests():
    """bash completion."""
    TAP.ok(complete('') == sorted(COMMANDS), 'completion: commands', complete(''))
    TAP.ok(complete('s') == ['selftest', 'show', 'stats'], 'completion: part of a command', complete('s'))
    options = complete('dmatest', '--no')
    TAP.ok(options == sorted(['--no-timeout', '--noverify', '--norandom', '--nobounce', '--no-speed',
                              '--no-baseline']), 'completion: options', options)
    TAP.ok('--size=' in complete('bench', '--si'), 'completion: options that take an argument',
           complete('bench', '--si'))
    choices = complete('bench', '--wait', '=', 'p')
    TAP.ok(choices == ['poll'], 'completion: what an option can be', choices)
    TAP.ok(complete('monitor', '-e', 'dev') == ['dev-dead', 'dev-recovered'], 'completion: events')
    TAP.ok(complete('monitor', '-e', 'link') == ['link-added', 'link-down', 'link-removed', 'link-up'], 'completion: events of links')
    TAP.ok(complete('window', 'un') == ['unmap'] and complete('link', 'g') == ['grant', 'grants'], 'completion: what to do')
    TAP.ok({'cpu', 'null'} <= set(complete('bench', '-B', '')), 'completion: targets of the bench client')


def environment_tests():
    """Nothing is there: exit status 3, and a line that says what to do."""
    have_dma = os.path.isdir('/sys/class/dma') and os.listdir('/sys/class/dma')
    have_family = 'idma' in ''.join(os.listdir('/sys/module'))
    cases = [] if have_dma else [(('list',), 'DMA'), (('show',), 'DMA'), (('selftest',), 'DMA')]
    if not os.path.exists('/sys/module/dmatest'):
        cases.append((('dmatest',), 'modprobe dmatest'))
    if not have_family:
        cases += [((c,), 'modprobe idma') for c in ('stats', 'monitor', 'bench', 'link', 'window')] + [(('reset', 'x'), 'modprobe idma')]
    TAP.ok(cases, 'environment: this machine lacks something to test that with')
    for args, words in cases:
        done = run(*args)
        lines = done.stderr.splitlines()
        TAP.ok(done.returncode == 3 and words in done.stderr and not done.stdout and len(lines) <= 2 and
               all(x.startswith(f'idma-test: {args[0]}: ') for x in lines), f'environment: {args[0]}',
               f'{done.returncode} {done.stderr}')
        with tempfile.TemporaryDirectory() as folder:
            kept = os.path.join(folder, 'kept.json')
            done = run(*args, '-j', '-o', kept)
            docs = schema.documents(done.stdout)
            wrong = [p for d in docs for p in schema.problems(d, args[0])]
            TAP.ok(done.returncode == 3 and len(docs) == 1 and not wrong and docs[0]['ok'] is False,
                   f'environment: {args[0]} -j', '\n'.join(wrong) + done.stdout)
            with open(kept, encoding='utf-8') as file:
                TAP.ok(json.load(file) == docs[0], f'environment: {args[0]} -o keeps the same')


def dmatest_run(**speeds):
    """What 'dmatest -o' keeps; bytes a second by size."""
    rows = [{
        'size': int(size[1:]), 'buf_size': int(size[1:]) + 4160, 'threads': 1, 'channels': 2,
        'channel_names': ['dma0chan0', 'dma0chan1'], 'iterations': 10, 'verified': True, 'polled': False,
        'status': 'ok', 'tests': 40, 'failures': 0, 'timeouts': 0, 'mismatches': 0,
        'transfers_s': speed / int(size[1:]), 'bytes_s': float(speed), 'irqs_per_transfer': 1.0,
        'wall_us': 1000, 'details': [], 'memcpy_bytes_s': 1e9, 'memcpy_transfers_s': 1e9 / int(size[1:]),
        'ratio': speed / 1e9} for size, speed in speeds.items()]
    return {'tool': 'idma-test', 'version': '1.0', 'command': 'dmatest', 'time': '2026-01-01T00:00:00Z',
            'host': {'name': 'a', 'kernel': '6.12.1', 'machine': 'riscv64', 'cpus': 2}, 'type': 'memcpy',
            'results': rows, 'ok': True}


def bench_run(instructions, depths=(1, 8)):
    """What 'bench -o' keeps."""
    hist = {'buckets': [0, 0, 0, 10], 'count': 10, 'sum': 55, 'min': 4, 'max': 7, 'mean': 5.5, 'p50': 5.5,
            'p90': 6.7, 'p99': 6.97}
    rows = [{
        'index': i, 'size': 64, 'depth': depth, 'batch': 1, 'channels': 1, 'state': 'done', 'transfers': 10,
        'bytes': 640, 'time_ns': 1000, 'errors': 0, 'verified': 10, 'mismatches': 0, 'interrupts': 5,
        'instructions': instructions * 10, 'transfers_s': 1e7, 'bytes_s': 6.4e8, 'interrupts_per_transfer': 0.5,
        'instructions_per_transfer': float(instructions), 'phases': {'complete': {'ns': hist}}}
        for i, depth in enumerate(depths)]
    return {'tool': 'idma-test', 'version': '1.0', 'command': 'bench', 'time': '2026-01-01T00:00:00Z',
            'host': {'name': 'a', 'kernel': '6.12.1', 'machine': 'riscv64', 'cpus': 2}, 'ok': True,
            'runs': [{'target': 'dma0chan0', 'id': 1, 'state': 'done', 'configs': len(depths),
                      'configs_done': len(depths), 'wait': 'sleep', 'verify': 'last', 'results': rows}]}


HOST = {'name': 'a', 'kernel': '6.12.1', 'machine': 'riscv64', 'cpus': 2}


def stats_run(*rates, errors=0):
    """What 'stats -i 1s -o' keeps: bytes a second, one interval after the other."""
    def sample(rate):
        row = {'name': 'e.dma', 'state': 'busy', 'in_flight': 1, 'seconds': 1.0, 'irqs_per_transfer': 0.5,
               'rates': {'bytes': rate, 'transfers': rate / 4096, 'interrupts': rate / 8192, 'launches': 1.0,
                         'descriptors': 1.0, 'errors': float(errors)}}
        return {'tool': 'idma-test', 'version': '1.0', 'command': 'stats', 'time': '2026-01-01T00:00:00Z', 'host': HOST,
                'ok': True, 'engines': [row]}
    return {'tool': 'idma-test', 'version': '1.0', 'command': 'stats', 'time': '2026-01-01T00:00:00Z', 'host': HOST,
            'ok': True, 'samples': [sample(r) for r in rates]}


def event(second, kind, **more):
    """One of monitor's."""
    return {'event': kind, 'time': f'2026-01-01T01:00:{second:02}.500000+0100', 'dev_name': 'e.dma', 'dev_id': 0,
            'time_ns': second * 10**9, **more}


def monitor_run(*events):
    """What 'monitor -o' keeps."""
    return {'tool': 'idma-test', 'version': '1.0', 'command': 'monitor', 'time': '2026-01-01T00:00:00Z', 'host': HOST,
            'ok': True, 'engines': ['e.dma', 'f.dma'], 'seconds': 20.0, 'events': list(events)}


def watch_tests():
    """Reports of what stats and monitor have seen."""
    before, after = stats_run(1e6, 3e6), stats_run(1e6, 1e6, errors=2)
    error = {'chan_id': 0, 'chan_name': 'dma0chan0', 'fault': 'stall', 'cookie': 3, 'len': 64, 'residue': 64}
    quiet = monitor_run()
    bad = monitor_run(event(1, 'transfer-error', **error), event(1, 'transfer-error', **error, lost=3),
                      event(2, 'dev-dead', in_flight=2), event(9, 'dev-recovered', reset_method='revive'))
    for name, docs in (('stats', (before, after)), ('monitor', (quiet, bad)), ('event', bad['events'])):
        wrong = [p for d in docs for p in schema.problems(d, name)]
        TAP.ok(not wrong, f'watch: what it is given is what {name} writes', '\n'.join(wrong))
    with tempfile.TemporaryDirectory() as folder:
        def put(name, *docs):
            path = os.path.join(folder, name)
            with open(path, 'w', encoding='utf-8') as file:
                file.writelines(json.dumps(doc) + '\n' for doc in docs)
            return path

        page = os.path.join(folder, 'page.html')
        files = put('a.json', before), put('b.json', after), put('c.json', quiet), put('d.json', bad)
        done = run('report', '-j', '-O', page, *files)
        doc = json.loads(done.stdout)
        TAP.ok(done.returncode == 0 and not schema.problems(doc, 'report'), 'watch: JSON', done.stderr + str(schema.problems(doc, 'report')))
        points = {(doc['runs'][p['run']]['label'], p['params']['engine']): p['metrics'] for p in doc['points']}
        TAP.ok(points == {('a', 'e.dma'): {'bytes_s': 2e6, 'transfers_s': 2e6 / 4096, 'irqs_per_transfer': 0.5, 'errors': 0, 'stalls': 0},
                          ('b', 'e.dma'): {'bytes_s': 1e6, 'transfers_s': 1e6 / 4096, 'irqs_per_transfer': 0.5, 'errors': 4, 'stalls': 0},
                          ('c', 'e.dma'): {'errors': 0, 'stalls': 0}, ('c', 'f.dma'): {'errors': 0, 'stalls': 0},
                          ('d', 'e.dma'): {'errors': 5, 'stalls': 1}, ('d', 'f.dma'): {'errors': 0, 'stalls': 0}},
               'watch: means of rates, sums of events', points)
        worse = {(c['kind'], c['metric']) for c in doc['changes'] if c['verdict'] == 'regression'}
        TAP.ok(worse == {('stats', 'bytes_s'), ('stats', 'transfers_s'), ('stats', 'errors'), ('monitor', 'errors'),
                         ('monitor', 'stalls')}, 'watch: what has become worse', worse)
        with open(page, encoding='utf-8') as file:
            text = file.read()
        TAP.ok(not Page(text).wrong and text.count('<svg') == 4 and 'nan' not in text, 'watch: rates and a timeline', text)
        lines = re.findall(r'<polyline class="[^"]*" points="([^"]*)"', text)
        TAP.ok(len(lines) == 6 and all(len(x.split()) == 2 for x in lines), 'watch: a point for each interval', lines)
        marks = re.findall(r'<rect class="ev-(\w+)"[^>]*><title>(\d+) ([\w-]+), ([\d.]+) s', text)
        TAP.ok(marks == [('error', '2', 'transfer-error', '1.500'), ('dead', '1', 'dev-dead', '2.500'),
                         ('back', '1', 'dev-recovered', '9.500')], 'watch: a mark for each event', marks)
        lost = monitor_run({k: v for k, v in event(1, 'lost').items() if k in ('event', 'time')},
                           {k: v for k, v in event(2, 'resync', state='dead', errors=70, told=0, stalls=1, recoveries=0).items()
                            if k != 'time_ns'})
        TAP.ok(not schema.problems(lost, 'monitor'), 'watch: events that were lost', schema.problems(lost, 'monitor'))
        doc = json.loads(run('report', '-j', put('lost.json', lost)).stdout)
        TAP.ok([p['metrics'] for p in doc['points']] == [{'errors': 70, 'stalls': 1}, {'errors': 0, 'stalls': 0}],
               'watch: are what the driver has counted', doc['points'])
        # -j instead of -o: a document a line
        end = {k: v for k, v in quiet.items() if k not in ('events', 'engines', 'seconds')}
        end.update(ok=False, error={'status': 3, 'message': 'the driver was unloaded'})
        doc = json.loads(run('report', '-j', files[0], put('lines.json', *before['samples']),
                             put('events.json', *bad['events'], end)).stdout)
        TAP.ok([r['command'] for r in doc['runs']] == ['stats', 'stats', 'monitor'] and
               all(c['verdict'] == 'same' for c in doc['changes']) and len(doc['changes']) == 5, 'watch: lines are the same', doc)
        TAP.ok(doc['points'][-1]['metrics'] == {'errors': 5, 'stalls': 1} and
               doc['runs'][2]['error'] == 'the driver was unloaded', 'watch: events in lines, and how they ended', doc)
        counters = {'transfers': 10, 'interrupts': 5, 'errors': 1, 'stalls': 0}
        doc = json.loads(run('report', '-j', put('once.json', dict(end, command='stats', ok=True, engines=[
            {'name': 'e.dma', 'counters': counters}], error=None))).stdout)
        TAP.ok(doc['points'][0]['metrics'] == {'errors': 1, 'stalls': 0, 'irqs_per_transfer': 0.5}, 'watch: counters without rates', doc)
        wild = [dict(before, samples=7), dict(before, samples=[7, {}, {'engines': [7, {'name': 3}, {'name': 'x', 'seconds': -1}]}]),
                dict(bad, events=[7, {}, {'event': 3}, {'event': 'x', 'time': 'now'}]), dict(bad, events={}, engines=[1]),
                {'event': 'dev-dead'}, dict(event(1, 'dev-dead'), dev_name=7, time='2026-01-01T00:00:99999')]
        done = run('report', files[0], put('wild.json', *wild), '-O', page)
        TAP.ok(done.returncode == 0 and 'nan' not in open(page, encoding='utf-8').read(),
               'watch: other types than there should be do no harm', done.stderr)


class Page(html.parser.HTMLParser):
    """A page: are its elements closed, and what does it fetch?"""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.fetched, self.wrong = [], [], [], []
        self.feed(text)
        self.wrong += self.open

    def handle_starttag(self, tag, attrs):
        """An element begins."""
        self.tags.append(tag)
        if tag not in ('meta', 'br'):
            self.open.append(tag)
        self.fetched += [v for k, v in attrs if k in ('src', 'href', 'xlink:href', 'data')]

    def handle_startendtag(self, tag, attrs):
        """An element without content."""
        self.tags.append(tag)

    def handle_endtag(self, tag):
        """An element ends."""
        if not self.open or self.open.pop() != tag:
            self.wrong.append('/' + tag)


def report_tests():
    """Reports of runs whose figures are known."""
    before, after = dmatest_run(s64=1e6, s4096=1e8, s65536=5e8), dmatest_run(s64=1.02e6, s4096=0.5e8, s65536=9e8)
    slow, fast = bench_run(1000), bench_run(1500)
    nasty = copy.deepcopy(after)
    nasty['host']['kernel'] = '</table><script>alert(1)</script>'
    broken = copy.deepcopy(after)
    broken['results'][1].update(status='timeout', failures=3, timeouts=3)
    broken.update(ok=False, error={'status': 1, 'message': 'timeout at size 4096'})
    for name, doc in (('dmatest', before), ('dmatest', nasty), ('dmatest', broken), ('bench', slow)):
        TAP.ok(not schema.problems(doc, name), f'report: what it is given is what {name} saves',
               schema.problems(doc, name))
    with tempfile.TemporaryDirectory() as folder:
        def put(name, *docs):
            path = os.path.join(folder, name)
            with open(path, 'w', encoding='utf-8') as file:
                for doc in docs:
                    file.write((doc if isinstance(doc, str) else json.dumps(doc)) + '\n')
            return path

        a, b = put('before.json', before), put('after.json', after)
        done = run('report', '-j', a, b)
        doc = json.loads(done.stdout)
        verdicts = {(c['params']['size'], c['metric']): c['verdict'] for c in doc['changes']}
        TAP.ok(done.returncode == 0 and not schema.problems(doc, 'report'), 'report: JSON', schema.problems(doc, 'report'))
        TAP.ok(verdicts == {(s, m): v for s, v in ((64, 'same'), (4096, 'regression'), (65536, 'better'))
                            for m in ('bytes_s', 'transfers_s')} |
               {(s, 'irqs_per_transfer'): 'same' for s in (64, 4096, 65536)} and
               (doc['regressions'], doc['improvements']) == (2, 2), 'report: regressions and improvements', verdicts)
        TAP.ok(run('report', '-x', a, b).returncode == 1, 'report: -x fails on a regression')
        TAP.ok(run('report', '-x', '-t', '60', a, b).returncode == 0, 'report: unless it is below the threshold')
        TAP.ok(run('report', '-x', a, a).returncode == 0, 'report: a run is no worse than itself')
        doc = json.loads(run('report', '-j', put('s.json', slow), put('f.json', fast)).stdout)
        worse = [c for c in doc['changes'] if c['verdict'] == 'regression']
        TAP.ok({c['metric'] for c in worse} == {'instructions_per_transfer'} and len(worse) == 2 and
               all(abs(c['change'] - 0.5) < 1e-9 for c in worse), 'report: more instructions are a regression', worse)
        doc = json.loads(run('report', '-j', a, put('broken.json', broken)).stdout)
        TAP.ok(doc['failures'] == 1 and not any(c['params']['size'] == 4096 for c in doc['changes']),
               'report: what failed is not compared', doc['changes'])
        doc = json.loads(run('report', '-j', put('two.json', before, slow), b, put('f.json', fast)).stdout)
        TAP.ok(len(doc['runs']) == 4 and {c['kind'] for c in doc['changes']} == {'dmatest', 'bench'},
               'report: several documents in a file, several kinds', doc['runs'])

        page, table = os.path.join(folder, 'page.html'), os.path.join(folder, 'table.csv')
        done = run('report', a, put('nasty.json', nasty), put('s.json', slow), '-O', page, '--csv', table,
                   '--title', '<b>&"', '-l', 'one,<i>two')
        with open(page, encoding='utf-8') as file:
            text = file.read()
        parsed = Page(text)
        TAP.ok(done.returncode == 0 and not parsed.wrong, 'report: the page is well-formed', parsed.wrong)
        TAP.ok(not parsed.fetched and 'script' not in parsed.tags and 'url(' not in text and '@import' not in text,
               'report: the page fetches nothing', parsed.fetched)
        TAP.ok('<i>two' not in text and '&lt;i&gt;two' in text and '&lt;b&gt;&amp;&quot;' in text,
               'report: names are escaped')
        lines = re.findall(r'<polyline class="[^"]*" points="([^"]*)"', text)
        TAP.ok(parsed.tags.count('svg') >= 4 and lines and 'nan' not in text and
               any(len(x.split()) == 3 for x in lines), 'report: plots have a point for each size', lines)
        TAP.ok('CPU memcpy' in text, 'report: the baseline is in the plot')
        with open(table, encoding='utf-8', newline='') as file:
            rows = list(csv.DictReader(file))
        TAP.ok(len(rows) == 8 and [r['run'] for r in rows] == ['one'] * 3 + ['<i>two'] * 3 + ['s'] * 2 and
               float(rows[1]['bytes_s']) == 1e8 and rows[6]['instructions_per_transfer'] == '1000' and
               {r['good'] for r in rows} == {'1'}, 'report: CSV', rows)

        for name, content, words in (('cut', json.dumps(before)[:300], 'line 1'), ('empty', '', 'it is empty'),
                                     ('other', '{"tool": "fio"}', 'no saved run of idma-test'),
                                     ('array', '[1, 2]', 'no saved run'), ('number', '7', 'line 1'),
                                     ('list', dict(before, command='list'), 'nothing was measured'),
                                     ('types', dict(before, results=7), 'nothing was measured'),
                                     ('deep', '[' * 100000, 'line 1')):
            path = put(name + '.json', content)
            done = run('report', path, '-O', os.path.join(folder, 'x.html'))
            TAP.ok(done.returncode == 3 and words in done.stderr and path in done.stderr and
                   not os.path.exists(os.path.join(folder, 'x.html')), f'report: a file that is bad ({name})',
                   f'{done.returncode} {done.stderr}')
        wild = copy.deepcopy(before)
        wild['results'] = [{}, {'size': 'x', 'bytes_s': 'y', 'status': 3}, 7, None, {'size': -1, 'bytes_s': 1e308}]
        done = run('report', put('wild.json', wild), '-O', page)
        TAP.ok(done.returncode == 0, 'report: rows with other types than they should have do no harm', done.stderr)
        done = run('report', os.path.join(folder, 'none.json'))
        TAP.ok(done.returncode == 3 and 'none.json' in done.stderr, 'report: a file that is not there')
        done = run('report', a, '-O', '/dev/full')
        TAP.ok(done.returncode == 3 and '/dev/full' in done.stderr, 'report: a page that cannot be written', done.stderr)
        done = run('report', a, '-o', '/dev/full')
        TAP.ok(done.returncode == 3 and '/dev/full' in done.stderr, 'report: JSON that cannot be kept', done.stderr)
        terminal_tests(a, b)


def terminal_tests(before, after):
    """Tables and colours are for terminals."""
    args = ('report', before, after)
    status, text = run_pty(*args)
    TAP.ok(status == 0 and '\x1b[1mRUN' in text and '\x1b[31mregression\x1b[0m' in text and
           '\x1b[32mbetter' in text, 'terminal: a table with colours', repr(text))
    plain = [x for x in re.sub(r'\x1b\[[0-9;]*m', '', text).splitlines() if 'dmatest' in x or 'VERDICT' in x]
    ends = {m.end() for x in plain for m in re.finditer(r'(?:regression|better|VERDICT)', x)}
    starts = {m.start() for x in plain for m in re.finditer(r'(?:regression|better|VERDICT)', x)}
    TAP.ok(len(plain) == 5 and len(starts) == 1, 'terminal: columns are aligned', f'{starts} {ends}\n' + '\n'.join(plain))
    for env, what in (({'NO_COLOR': '1'}, 'NO_COLOR'), ({'TERM': 'dumb'}, 'TERM=dumb')):
        status, text = run_pty(*args, env=env)
        TAP.ok(status == 0 and ESCAPE not in text and 'VERDICT' in text, f'terminal: {what}: no colours', repr(text))
    status, text = run_pty(*args, env={'NO_COLOR': ''})
    TAP.ok(ESCAPE in text, 'terminal: an empty NO_COLOR is none')
    status, text = run_pty(*args, '--color=never')
    TAP.ok(status == 0 and ESCAPE not in text, 'terminal: --color=never')
    status, text = run_pty(*args, '-j')
    TAP.ok(status == 0 and json.loads(text)['regressions'] == 2, 'terminal: -j is JSON there as well', repr(text))
    status, text = run_pty('list', '--frob')
    TAP.ok(status == 2 and '\x1b[31midma-test: list: there is no option --frob' in text, 'terminal: errors are red',
           repr(text))
    done = run(*args)
    lines = done.stdout.splitlines()
    TAP.ok(done.returncode == 0 and len(lines) == 4 and ESCAPE not in done.stdout and
           all(re.fullmatch(r'(\w+=("([^"\\]|\\.)*"|[^ "=]+)( |$))+', x) for x in lines),
           'pipe: one line of KEY=VALUE a row', done.stdout)
    TAP.ok('metric=bytes_s old=1e+08 new=5e+07 percent=-50 verdict=regression' in done.stdout,
           'pipe: plain numbers', done.stdout)
    TAP.ok(ESCAPE in run('list', '--color=always', '--frob', env={'NO_COLOR': '1'}).stderr, 'pipe: --color=always')
    with subprocess.Popen([PROGRAM, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        process.wait(30)
        error = process.stderr.read().decode()
    TAP.ok(process.returncode == 0 and not error, 'pipe: a reader that has seen enough is no error',
           f'{process.returncode} {error}')
    with open('/dev/full', 'w', encoding='utf-8') as full:
        done = subprocess.run([PROGRAM, *args], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    TAP.ok(done.returncode == 3 and 'cannot write the output' in done.stderr, 'pipe: a full disk is one', done.stderr)


def main():
    """Run them."""
    usage_tests()
    help_tests()
    completion_tests()
    environment_tests()
    report_tests()
    watch_tests()
    print(f'1..{TAP.number}')
    return 1 if TAP.failed else 0


if __name__ == '__main__':
    sys.exit(main())
