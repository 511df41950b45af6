# SPDX-License-Identifier: GPL-2.0-only
"""Where the instructions of a transfer go: QEMU's log of every instruction, by stage.

QEMU writes down the address of each instruction that the guest's kernel executes. Together with
the kernel's symbols this gives back the call stack at each of them, and the innermost function
on it that STAGES knows says which stage an instruction belongs to; helpers such as locks
count for the one that called them.
"""

import bisect
import collections
import re
import statistics

# stage -> who it belongs to, and the functions that it begins with
STAGES = {
    'client': ('client', r'idma_bench_(?!spin|turn|wait)\w+'),
    'waiting': ('client', r'idma_bench_(spin|turn|wait)\w*'),
    'prep': ('driver', r'(idma|sf_pdma)_prep_dma_memcpy'),
    'submit': ('virt-dma', r'vchan_tx_submit|idma_tx_submit'),
    'issue': ('driver', r'(idma|sf_pdma)_issue_pending'),
    'launch': ('driver', r'idma_dispatch\w*|sf_pdma_xfer_desc'),
    'interrupt': ('kernel', r'handle_exception|ret_from_exception'),
    'irq handler': ('driver', r'idma_interrupt|sf_pdma_done_isr'),
    'softirq': ('kernel', r'handle_softirqs|__do_softirq|do_softirq_own_stack'),
    'reap': ('driver', r'idma_reap\w*|idma_tasklet|sf_pdma_donebh_tasklet'),
    'callback': ('virt-dma', r'vchan_complete'),
    'free': ('driver', r'idma_desc_free|sf_pdma_free_desc'),
    # what would have come without a transfer as well
    'tick': ('other', r'riscv_timer_interrupt|hrtimer_interrupt|run_timer_softirq|hrtimer_run_softirq|rcu_core\w*|'
                      r'idma_backstop|run_rebalance_domains|sched_balance_softirq|__schedule'),
}
OWNERS = {stage: owner for stage, (owner, _) in STAGES.items()}
PREPS = re.compile(STAGES['prep'][1] + '$')
PC = re.compile(r'^Trace \d+: \S+ \[[0-9a-f]+/([0-9a-f]+)/', re.M)


class Symbols:
    """Functions by address, from /proc/kallsyms."""

    def __init__(self, text):
        found = set()
        for line in text.splitlines():
            word = line.split()
            # labels of the assembler are no functions
            if len(word) >= 3 and word[1] in 'tTwW' and word[2][0] not in '.$':
                found.add((int(word[0], 16), word[2]))
        found = sorted(found)
        self.addrs = [addr for addr, _ in found]
        self.names = [name for _, name in found]
        self.starts = dict(found)
        self._stages = [(stage, re.compile(regex + r'(\.\w+)*$')) for stage, (_, regex) in STAGES.items()]
        self._known = {}

    def name(self, pc):
        """The function that an address is in."""
        return self.names[bisect.bisect_right(self.addrs, pc) - 1]

    def stage(self, name):
        """The stage that a function begins, or None."""
        if name not in self._known:
            self._known[name] = next((s for s, regex in self._stages if regex.match(name)), None)
        return self._known[name]


def walk(log, symbols):
    """Yields (address, name if a function begins, stage) for each instruction."""
    stack = [(None, (), None)]      # name, where it may return to, stage
    prev = None
    for line in log:
        match = PC.match(line)
        if not match:
            continue
        pc = int(match.group(1), 16)
        name = symbols.starts.get(pc)
        if prev is not None and (name or not 0 < pc - prev <= 4):
            back = next((i for i in range(len(stack) - 1, 0, -1) if pc in stack[i][1]), None)
            if back is None and symbols.name(prev) == 'ret_from_exception' != symbols.name(pc) and not name:
                # to wherever the interrupt came
                back = next((i for i in range(len(stack) - 1, 0, -1) if stack[i][0] == 'handle_exception'), None)
            if back is not None:
                del stack[back:]
            elif name and len(stack) < 200:
                stack.append((name, (prev + 2, prev + 4), symbols.stage(name) or stack[-1][2]))
            elif len(stack) >= 200:
                del stack[1:]
        prev = pc
        yield pc, name, stack[-1][2]


def transfers(log, symbols, batch):
    """
    Instructions by stage of each transfer, as a list of one counter for each batch, from its
    first prep to the next one's. The first and the last batches are left out.
    """
    found, now, preps = [], None, 0
    for _, name, stage in walk(log, symbols):
        if name and PREPS.match(name):
            if preps % batch == 0:
                now = collections.Counter()
                found.append(now)
            preps += 1
        if now is not None:
            now[stage or 'client'] += 1
    return [{s: n / batch for s, n in counter.items()} for counter in found[2:-1]]


def median(counters):
    """The median of each stage: ticks and the like do not come in every batch."""
    return {stage: statistics.median(c.get(stage, 0) for c in counters) for stage in STAGES}
