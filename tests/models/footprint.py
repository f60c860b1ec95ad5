#!/usr/bin/env python3
"""Unique blocks of every size, as sets of addresses, as TAP."""
import collections
import sys

from model import ROWS, Tap, overlaps, context, some, stats, sweep, threads, trace
from uses import is_instruction

PARTS = {'read': 'blocks_read', 'write': 'blocks_written', 'fetch': 'blocks_fetched'}


def touched(rows):
    """(context, kind, address) of each touched byte."""
    for row in rows:
        places = []
        if is_instruction(row) and 'pc' in row:
            places.append(('blocks_fetched', row['pc'], row.get('opcode_size', 1)))
        if row.get('access') in PARTS and 'address' in row:
            places.append((PARTS[row['access']], row['address'], row.get('size', 1)))
        for part, address, size in places:
            for i in range(max(1, min(size, 4096))):
                yield context(row), part, (address + i) % 2 ** 64


def distinct(bytes):
    """The numbers of blocks of 1, 2, 4 ... bytes that contain some bytes."""
    for _ in range(21):
        yield len(bytes)
        bytes = {byte >> 1 for byte in bytes}


tap = Tap()
for name in some('tt6/sort.tt6', 'qemu4v/arm_start_2k.q4v', 'cis501/sort_1k.trace', 'bach/bios_irq_4k.bach',
                 'lackey/words.lackey', 'din/sizes.din', 'full/altivec.full.gz',
                 'tarmac/calls.tarmac', threads, overlaps, sweep):
    rows = trace(name)[1]
    bytes = {}
    for user, part, address in touched(rows):
        bytes.setdefault(user, {}).setdefault(part, set()).add(address)
    merged = {part: set().union(*(parts.get(part, ()) for parts in bytes.values()))
              for part in PARTS.values()}
    merged['blocks_accessed'] = merged['blocks_read'] | merged['blocks_written']
    merged['blocks_touched'] = merged['blocks_accessed'] | merged['blocks_fetched']
    counts = {part: list(distinct(merged[part])) for part in merged}
    # 524288 lines of contexts are distinguished; if there are more, the line size doubles.
    line = 128 if name in ROWS else 64
    blocks = [{'block_size': 2 ** k, **{part: counts[part][k] if 2 ** k >= line // 64 else None for part in merged}}
              for k in range(21)]
    lines = collections.Counter(number for parts in bytes.values()
                                for number in {address // line for part in parts.values() for address in part})
    by_context = []
    numbers = list(dict.fromkeys(map(context, rows)))
    for user, parts in sorted(bytes.items(), key=lambda item: numbers.index(item[0])):
        data, fetched = ({address // line for part in which for address in parts.get(part, ())}
                         for which in (('blocks_read', 'blocks_written'), ('blocks_fetched',)))
        by_context.append({'context': user and '%s %d' % user, 'lines_accessed': len(data),
                           'lines_fetched': len(fetched), 'shared_lines': sum(lines[number] > 1 for number in data | fetched)})
    tap.same(name.split('/')[-1], stats(name, 'footprint'), {'unique_blocks': blocks, 'line_size': line, 'contexts': by_context})
sys.exit(tap.end())
