#!/usr/bin/env python3
"""Working sets: a set of lines for every window, as TAP."""
import sys

from model import Tap, overlaps, some, stats, threads, trace
from uses import is_operation

KEYS = {'data_lines': ('data', 64), 'data_pages': ('data', 4096),
        'code_lines': ('code', 64), 'code_pages': ('code', 4096)}
PARTS = {'read': 'data', 'write': 'data', 'fetch': 'code'}


def touched(row):
    """(part, address) of every byte that a row touches."""
    places = []
    if is_operation(row) and 'pc' in row:
        places.append(('code', row['pc'], row.get('opcode_size', 1)))
    if row.get('access') in PARTS and 'address' in row:
        places.append((PARTS[row['access']], row['address'], row.get('size', 1)))
    return [(part, (address + i) % 2 ** 64) for part, address, size in places for i in range(max(1, min(size, 4096)))]


def mean(values):
    return sum(values) / len(values)


tap = Tap()
for name, window in some(('tt6/sort.tt6', 16), ('qemu4v/arm_start_2k.q4v', 10), ('cis501/sort_1k.trace', 3),
                         ('bach/bios_irq_4k.bach', 1), ('lackey/words.lackey', 1024), (threads, 64), (overlaps, 13)):
    _, rows = trace(name)
    bytes = [touched(row) for row in rows]
    windows, shortest = [], []
    for length in (window, 8 * window, 64 * window, 512 * window):
        sizes = []
        for end in range(length, len(rows) + 1, length):
            places = {place for row in bytes[end - length:end] for place in row}
            sizes.append({key: len({address // size for of, address in places if of == part})
                          for key, (part, size) in KEYS.items()})
        shortest = shortest or sizes
        if sizes:
            line = {'window': length, 'windows': len(sizes)}
            for key in KEYS:
                line[key + '_mean'] = mean([size[key] for size in sizes])
                line[key + '_max'] = max(size[key] for size in sizes)
            windows.append(line)
    wide = 1
    while shortest and (len(shortest) - 1) // wide >= 96:
        wide *= 2
    tap.same(name.split('/')[-1], stats(name, 'workingset', '-O', f'workingset.window={window}'), {
        'line_size': 64, 'page_size': 4096, 'untracked_accesses': 0, 'working_set_by_window': windows,
        'working_set_over_time': [
            {'from_record': i * window + 1,
             **{key + '_mean': mean([size[key] for size in shortest[i:i + wide]]) for key in KEYS}}
            for i in range(0, len(shortest), wide)]})
sys.exit(tap.end())
