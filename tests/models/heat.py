#!/usr/bin/env python3
"""The heat map, computed by dividing intervals of addresses in halves, as TAP."""
import collections
import sys

from model import Tap, overlaps, some, stats, sweep, trace
from uses import is_instruction


def places(rows):
    """(number of the record from 0, address) of accesses and instructions."""
    for i, row in enumerate(rows):
        if is_instruction(row) and 'pc' in row:
            yield i, row['pc']
        if 'access' in row and 'address' in row and not row['access'].startswith('io_'):
            yield i, row['address']


def around(bins, size):
    """The smallest aligned block that contains some bins."""
    while bins[0] // size != bins[-1] // size:
        size *= 2
    return bins[0] // size * size, size


def blocks(bins, size, most):
    """Aligned blocks (first address, bytes) that contain all bins of size bytes."""
    found = [(0, 2 ** 64)]
    held = {found[0]: sorted(bins)}
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
for name, most in some(('tt6/sort.tt6', 48), ('qemu4v/arm_start_2k.q4v', 48), ('cis501/sort_1k.trace', 5),
                   ('bach/bios_irq_4k.bach', 48), ('lackey/words.lackey', 1), ('amber/memset_thread_001.tt6', 48),
                   ('tarmac/data.tarmac', 1024), (overlaps, 9), (sweep, 20)):
    rows = trace(name)[1]
    touched = list(places(rows))
    width = 1
    while (len(rows) - 1) // width >= 96:
        width *= 2
    size = 64
    while len({address // size for _, address in touched}) > 4096:
        size *= 2
    divided = blocks({address // size * size for _, address in touched}, size, most)
    counts = collections.Counter(
        (next(block for block in divided if block[0] <= address < block[0] + block[1]), record // width)
        for record, address in touched)
    tap.same(name.split('/')[-1], stats(name, 'heat', '-O', f'heat.rows={most}'), {
        'records_per_bin': width, 'bin_size': size,
        'map_rows': [{'row': i, 'first_address': f'0x{first:08x}', 'block_size': min(bytes, 2 ** 64 - 1),
                      'accesses': sum(n for (block, _), n in counts.items() if block == (first, bytes))}
                   for i, (first, bytes) in enumerate(divided, 1)],
        'heat_map': [{'from_record': time * width + 1, 'row': divided.index(block) + 1,
                      'first_address': f'0x{block[0]:08x}', 'accesses': counts[block, time]} for block, time in sorted(counts)]})
sys.exit(tap.end())
