#!/usr/bin/env python3
"""Strides beyond the limit of memory, as TAP: limit_strides.py POLYTRACE

Strides of seeded traces are counted here; of new strides of instructions only the first ones are, up to the documented
share of the memory: three sixteenths, in entries of 160 bytes.
"""
import collections
import os
import random
import sys
import tempfile

from limit import needs, ok, run

needs.libraries('jansson')

POLYTRACE = sys.argv[1]
MEMORY = 128 << 20
STRIDES = MEMORY // 16 * 3 // 160
INSTRUCTIONS = MEMORY // 16 // 200


def strides(path, *options):
    return run([POLYTRACE, 'stats', '--json', '-a', 'strides', '-f', 'jsonl', *options, path], 'strides')


def write(path, accesses):
    with open(path, 'w') as to:
        to.writelines(f'{{"kind":"instruction","pc":{pc},"access":"read","address":{address},"size":4}}\n'
                      for pc, address in accesses)


def random_accesses(count):
    """Reads of 1000 instructions at random, and then of one with stride 8."""
    chance = random.Random(7)
    for i in range(count):
        yield i % 1000 * 4 + 4096, chance.randrange(1 << 40)
    for i in range(500):
        yield 4, i * 8


def counted(accesses):
    """The strides that are tracked, and the number of those that are not."""
    last, tracked, totals, untracked = {}, set(), collections.Counter(), 0
    for pc, address in accesses:
        if pc in last:
            pair = pc, address - last[pc]
            if len(tracked) < STRIDES:
                tracked.add(pair)
            if pair in tracked:
                totals[pair[1]] += 1
            else:
                untracked += 1
        last[pc] = address
    return totals, untracked


with tempfile.TemporaryDirectory() as folder:
    trace = os.path.join(folder, 'trace.jsonl')
    limit = f'--limit=memory={MEMORY}'

    write(trace, random_accesses(300000))
    report, error, peak = strides(trace, limit)
    ok('a_hostile_footprint_is_within_the_memory', peak < MEMORY, peak)
    whole, _, _ = strides(trace)
    totals, untracked = counted(random_accesses(300000))
    ok('strides_beyond_the_limit_are_counted', untracked > 100000 and report['untracked_strides'] == untracked and
       report['accesses'] == 300500 and report['unattributed_accesses'] == 0, f'{untracked} {report}'[:500])
    ok('the_limit_is_reported', 'limit' in report and 'strides: more instructions or strides than fit' in error, error)
    ok('within_the_limit_all_strides_are_counted', 'limit' not in whole and 'untracked_strides' not in whole and
       (whole['most_frequent_strides'][0]['stride'], whole['most_frequent_strides'][0]['accesses']) == (8, 499),
       str(whole)[:500])

    # 50,000 instructions, each once.
    write(trace, ((i * 4 + 4096, i * 64) for i in range(50000)))
    report, error, peak = strides(trace, limit)
    ok('instructions_beyond_the_limit_are_reported', report['memory_instructions'] == INSTRUCTIONS and
       report['unattributed_accesses'] == 50000 - INSTRUCTIONS and 'limit' in report and peak < MEMORY, str(report)[:500])
print(f'1..{ok.count}')
sys.exit(ok.failed)
