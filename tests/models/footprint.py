#!/usr/bin/env python3
"""Different blocks of every size, as sets of addresses, as TAP."""
import collections
import sys

from model import Tap, overlaps, party, stats, threads, trace

PARTS = {'read': 'reads', 'write': 'writes', 'fetch': 'fetches'}


def touched(rows):
    """(party, part, address of a byte) of everything that is touched."""
    for row in rows:
        places = []
        if row['kind'] == 'instruction' and 'pc' in row:
            places.append(('fetches', row['pc'], row.get('opcode_size', 1)))
        if row.get('access') in PARTS and 'address' in row:
            places.append((PARTS[row['access']], row['address'], row.get('size', 1)))
        for part, address, size in places:
            for i in range(max(1, min(size, 4096))):
                yield party(row), part, (address + i) % 2 ** 64


tap = Tap()
for name in ('tt6/sort.tt6', 'qemu4v/arm_start_2k.q4v', 'cis501/sort_1k.trace', 'bach/bios_irq_4k.bach',
             'lackey/words.lackey', 'din/sizes.din', 'full/altivec.full.gz',
             'tarmac/calls.tarmac', threads(), overlaps()):
    _, rows = trace(name)
    bytes = {}
    for who, part, address in touched(rows):
        bytes.setdefault(who, {}).setdefault(part, set()).add(address)
    merged = {part: set().union(*(parts.get(part, ()) for parts in bytes.values()))
              for part in ('reads', 'writes', 'fetches')}
    merged['data'] = merged['reads'] | merged['writes']
    merged['all'] = merged['data'] | merged['fetches']
    blocks = [{'bytes': 2 ** k, **{part: len({address >> k for address in merged[part]})
                                   for part in ('reads', 'writes', 'data', 'fetches', 'all')}}
              for k in range(21)]
    lines = collections.Counter(line for parts in bytes.values()
                                for line in {address >> 6 for part in parts.values() for address in part})
    by_party = []
    numbers = list(dict.fromkeys(map(party, rows)))
    for who, parts in sorted(bytes.items(), key=lambda item: numbers.index(item[0])):
        data, fetched = ({address >> 6 for part in which for address in parts.get(part, ())}
                         for which in (('reads', 'writes'), ('fetches',)))
        by_party.append({'party': who and '%s %d' % who, 'data': len(data), 'fetches': len(fetched),
                         'shared': sum(lines[line] > 1 for line in data | fetched)})
    tap.same(name.split('/')[-1], stats(name, 'footprint'), {'blocks': blocks, 'line_bytes': 64, 'parties': by_party})
sys.exit(tap.end())
