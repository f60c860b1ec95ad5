#!/usr/bin/env python3
"""Instruction-set coverage, computed from the rows and the table, as TAP."""
import collections
import os
import re
import sys

from model import ROOT, Tap, packed, public, some, stats, trace


def table():
    """The mnemonics of the PowerPC table, from its text."""
    text = open(os.path.join(ROOT, 'src', 'isa', 'powerpc.def')).read()
    text = re.sub(r'/\*.*?\*/', '', text, flags=re.S)
    return set(re.findall(r'^(?:MEM|OUT|RUN|FLOW)\("([^"]+)"', text, flags=re.M))


def cumulative(rows, operation):
    """(records, operations, sites) up to each power of two, and up to the end."""
    ops, sites, found = set(), set(), []
    for i, row in enumerate(rows, 1):
        ops.add(operation(row))
        sites.add((row['pc'], row.get('opcode')))
        if i & i - 1 == 0 or i == len(rows):
            found.append({'records': i, 'operations': len(ops), 'sites': len(sites)})
    return found


def encoding(row):
    return row['opcode'], row['opcode_size'], row.get('instruction_set')


def micro(row):
    return tuple(row.get(key) for key in ('mnemonic', 'uop_name', 'src1', 'src2', 'dest',
                                          'flags', 'access')) + ('branch' in row,)


tap = Tap()
for name, operation in some(('tt6/isamix.tt6e', encoding), ('pthr/thread_002.tt6', encoding),
                            ('full/sort.full.gz', encoding), ('qemu4v/arm_start_2k.q4v', encoding),
                            ('cis501/sort_1k.trace', micro), (public('cis501/gcc-1K.trace'), micro)):
    _, rows = trace(name)
    rows = [row for row in rows if row['kind'] == 'instruction' and not row.get('synthetic')]
    expected = cumulative(rows, operation)
    found = stats(name, 'coverage')
    last = expected[-1]
    tap.same(name.split('/')[-1], found, dict(last, cumulative_coverage=expected))
    tap.same(name.split('/')[-1] + ', counted', stats(packed(name), 'coverage'), dict(last, cumulative_coverage=expected))
    seen = ' '.join(row['mnemonics'] for row in found['seen_mnemonics']).split()
    tap.ok(name.split('/')[-1] + ': mnemonics', len(seen) == found['mnemonics'], str(len(seen)))
    if operation is encoding and 'known_mnemonics' in found:
        unseen = ' '.join(row['mnemonics'] for row in found['unseen_mnemonics']).split()
        both = collections.Counter(seen + unseen)
        tap.ok(name + ': each line of the table occurred or did not', set(both) == table() and
               not set(seen) & set(unseen), str(set(both) ^ table()),
               str(set(seen) & set(unseen)))
    if operation is micro:
        tap.ok(name.split('/')[-1] + ': micro-operations',
               set(seen) == {row['uop_name'] for row in rows}, str(seen))
sys.exit(tap.end())
