#!/usr/bin/env python3
"""TLBs by lists of pages, as TAP."""
import sys

from model import Tap, stats
from uses import all_traces, mpki, pieces, uses


class Buffer:
    def __init__(self, entries, ways):
        self.sets, self.ways = [[] for _ in range(entries // ways)], ways
        self.accesses = self.misses = 0
        self.kinds = dict.fromkeys('rwf', 0)

    def use(self, page, kind):
        self.accesses += 1
        pages = self.sets[page % len(self.sets)]
        held = page in pages
        if held:
            pages.remove(page)
        self.misses += not held
        self.kinds[kind] += not held
        pages.insert(0, page)
        del pages[self.ways:]
        return held


def expected(rows, of='all', page=4096, entries=64, ways=4, split=0, second=1024, cycles=7, walk=40):
    first, code, next = Buffer(entries, ways), Buffer(entries, ways), Buffer(second or 8, 8)
    walks = spent = 0
    chosen = list(pieces(uses(rows, of), page))
    for kind, address, _ in chosen:
        top = code if split and kind == 'f' else first
        if top.use(address // page, kind):
            continue
        spent += cycles if second else 0
        if not second or not next.use(address // page, kind):
            walks += 1
            spent += walk
    result = {'accesses': len(chosen), 'page_walks': walks, 'cycles': spent, 'tlb_levels': [
        {'level': level, 'accesses': one.accesses, 'misses': one.misses,
         'miss_ratio': one.misses / one.accesses, 'mpki': mpki(rows, one.misses), 'read_misses': one.kinds['r'],
         'write_misses': one.kinds['w'], 'fetch_misses': one.kinds['f']}
        for level, one in (('L1', first), ('L2', next), ('L1 instructions', code))
        if one.accesses]}
    if chosen:
        result['cycles_per_access'] = spent / len(chosen)
    return result


def table(name, *words):
    return stats(name, 'tlb', *(part for word in words for part in ('-O', 'tlb.' + word)))


tap = Tap()
for name, rows in all_traces():
    short = name.split('/')[-1]
    tap.same(short, table(name), expected(rows))
    tap.same(short + ', split', table(name, 'split=1', 'page=64', 'entries=8', 'ways=2', 'second=16',
                                      'second-cycles=3', 'steps=2', 'step-cycles=11'),
             expected(rows, page=64, entries=8, ways=2, split=1, second=16, cycles=3, walk=22))
    tap.same(short + ', one level', table(name, 'second=0', 'page=256', 'entries=4', 'of=data'),
             expected(rows, 'data', page=256, entries=4, second=0))
sys.exit(tap.end())
