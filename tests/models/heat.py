#!/usr/bin/env python3
"""The heat map, made again by dividing intervals of addresses in halves, as TAP."""
import collections
import sys

from model import Tap, overlaps, stats, sweep, trace


def places(rows):
    """(number of the record from 0, address) of accesses and instructions."""
    for i, row in enumerate(rows):
        if row['kind'] == 'instruction' and 'pc' in row:
            yield i, row['pc']
        if 'access' in row and 'address' in row and not row['access'].startswith('io_'):
            yield i, row['address']


def around(granules, size):
    """The smallest aligned block that holds some granules."""
    while granules[0] // size != granules[-1] // size:
        size *= 2
    return granules[0] // size * size, size


def blocks(granules, size, most):
    """Aligned blocks (first address, bytes) that hold all granules, which have size bytes."""
    found = [(0, 2 ** 64)]
    held = {found[0]: sorted(granules)}
    while True:
        wide = [block for block in found if len(held[block]) > 1]
        if not wide:
            break
        first, bytes = block = max(wide, key=lambda block: (len(held[block]), -block[0]))
        half = bytes // 2
        parts = {(start, half): [g for g in held[block] if start <= g < start + half]
                 for start in (first, first + half)}
        parts = {part: inside for part, inside in parts.items() if inside}
        if len(parts) == 2 and len(found) == most:
            break
        found.remove(block)
        found += parts
        held.update(parts)
    return sorted(around(held[block], size) for block in found)


tap = Tap()
wide, wide_rows = sweep()
for name, most in (('tt6/sort.tt6', 48), ('qemu4v/arm_start_2k.q4v', 48), ('cis501/sort_1k.trace', 5),
                   ('bach/bios_irq_4k.bach', 48), ('lackey/words.lackey', 1), ('amber/memset_thread_001.tt6', 48),
                   ('tarmac/data.tarmac', 1024), (overlaps(), 9), (wide, 20)):
    rows = wide_rows if name == wide else trace(name)[1]
    touched = list(places(rows))
    width = 1
    while (len(rows) - 1) // width >= 96:
        width *= 2
    size = 64
    while len({address // size for _, address in touched}) > 4096:
        size *= 2
    made = blocks({address // size * size for _, address in touched}, size, most)
    counts = collections.Counter(
        (next(block for block in made if block[0] <= address < block[0] + block[1]), record // width)
        for record, address in touched)
    tap.same(name.split('/')[-1], stats(name, 'heat', '-O', f'heat.rows={most}'), {
        'bin_records': width, 'granule_bytes': size,
        'blocks': [{'row': i, 'address': f'0x{first:08x}', 'block_bytes': min(bytes, 2 ** 64 - 1),
                    'count': sum(n for (block, _), n in counts.items() if block == (first, bytes))}
                   for i, (first, bytes) in enumerate(made, 1)],
        'map': [{'record': time * width + 1, 'row': made.index(block) + 1, 'address': f'0x{block[0]:08x}',
                 'count': counts[block, time]} for block, time in sorted(counts)]})
sys.exit(tap.end())
