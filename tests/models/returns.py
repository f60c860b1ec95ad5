#!/usr/bin/env python3
"""Calls and returns, paired again from the rows, as TAP."""
import collections
import sys

from branching import CALL, RETURN, behind, branches
from model import Tap, public, stats, trace


def quantities(rows):
    stack, depths, counts = [], collections.Counter(), collections.Counter()
    for row, facts, taken, target in branches(rows):
        if not taken:
            continue
        if RETURN in facts:
            counts['returns'] += 1
            if not stack:
                counts['empty'] += 1
            elif target not in stack:
                counts['elsewhere'] += 1
            else:
                below = stack[::-1].index(target)
                counts['unwound' if below else 'matched'] += 1
                counts['frames'] += below
                del stack[len(stack) - 1 - below:]
        elif CALL in facts:
            counts['calls'] += 1
            stack.append(behind(row))
            depths[len(stack)] += 1
    names = ('calls', 'returns', 'matched', 'unwound', 'frames', 'elsewhere', 'empty')
    expected = {name: counts[name] for name in names}
    expected['deepest'] = max(depths, default=0)
    expected['depths'] = sorted(depths.items())
    return expected


tap = Tap()
for name in ('tt6/isamix.tt6e', 'amber/memset_thread_001.tt6', 'pthr/thread_001.tt6',
             'full/sort.full.gz', 'qemu4v/arm_start_2k.q4v', 'cis501/thumb.trace',
             'cis501/sort_1k.trace',
             public('cis501/penn-cis501-v2-arm/streamcluster-10M-v2-first5000.trace.gz')):
    if name:
        _, rows = trace(name)
        found = stats(name, 'returns')
        found['depths'] = [(row['depth'], row['count']) for row in found['depths']]
        tap.same(name.split('/')[-1], found, quantities(rows))
sys.exit(tap.end())
