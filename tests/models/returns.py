#!/usr/bin/env python3
"""Calls and returns, matched from the rows, as TAP."""
import collections
import os
import sys
import tempfile

from branching import CALL, RETURN, branches, fall_through
from model import Tap, public, some, stats, trace


def quantities(rows):
    stack, depths, counts = [], collections.Counter(), collections.Counter()
    for row, facts, taken, target in branches(rows):
        if not taken:
            continue
        if RETURN in facts:
            counts['returns'] += 1
            if not stack:
                counts['ras_underflow'] += 1
            elif target not in stack:
                counts['mismatched_returns'] += 1
            else:
                below = stack[::-1].index(target)
                counts['unwinding_returns' if below else 'matched_returns'] += 1
                counts['frames_skipped'] += below
                del stack[len(stack) - 1 - below:]
        elif CALL in facts:
            counts['calls'] += 1
            stack.append(fall_through(row))
            depths[len(stack)] += 1
    names = ('calls', 'returns', 'matched_returns', 'unwinding_returns', 'frames_skipped', 'mismatched_returns',
             'ras_underflow')
    expected = {name: counts[name] for name in names}
    expected['call_depth_max'] = max(depths, default=0)
    expected['call_depths'] = sorted(depths.items())
    return expected


tap = Tap()
for name in some('tt6/isamix.tt6e', 'amber/memset_thread_001.tt6', 'pthr/thread_001.tt6',
                 'full/sort.full.gz', 'qemu4v/arm_start_2k.q4v', 'cis501/thumb.trace', 'cis501/sort_1k.trace',
                 public('cis501/penn-cis501-v2-arm/streamcluster-10M-v2-first5000.trace.gz')):
    _, rows = trace(name)
    found = stats(name, 'returns')
    found['call_depths'] = [(row['call_depth'], row['count']) for row in found['call_depths']]
    tap.same(name.split('/')[-1], found, quantities(rows))
# 1100 nested calls, then the same number of returns; a stack has 1024 entries.
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, 'deep.jsonl')
    with open(path, 'w') as file:
        file.write('{"polytrace":"trace","version":1,"format":"hand","isa":"powerpc"}\n')
        for kind, opcode, places in (('call', 0x48000101, range(1100)),
                                     ('return', 0x4e800020, range(1099, -1, -1))):
            for i in places:
                pc, target = (i, i + 1) if kind == 'call' else (i + 1, i)
                pc, target = pc * 256 + 64 * (kind == 'return'), target * 256
                target += 4 * (kind == 'return')
                file.write(f'{{"kind":"instruction","pc":"{pc:#x}","opcode":"{opcode:#x}",'
                           f'"opcode_size":4,"branch":"taken","target":"{target:#x}"}}\n')
    found = stats(path, 'returns')
tap.same('a_full_stack_drops_its_oldest_calls', found, {
    'calls': 1100, 'returns': 1100, 'matched_returns': 1024, 'ras_underflow': 76, 'ras_overflow': 76,
    'matched_return_ratio': 1024 / 1100, 'call_depth_max': 1024})
sys.exit(tap.end())
