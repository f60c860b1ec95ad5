#!/usr/bin/env python3
"""The instruction mix, counted again from the rows, as TAP."""
import collections
import sys

from model import Tap, stats, trace

tap = Tap()
for name in ('tt6/isamix.tt6', 'qemu4v/arm_start_2k.q4v', 'cis501/thumb.trace', 'full/sort.full.gz'):
    _, rows = trace(name)
    instructions = [row for row in rows if row['kind'] == 'instruction']
    sizes = collections.Counter(row['opcode_size'] for row in instructions if 'opcode_size' in row)
    tap.same(name, stats(name, 'mix'), {
        'instructions': len(instructions),
        'sizes': [{'bytes': size, 'count': sizes[size]} for size in sorted(sizes)]})
sys.exit(tap.end())
