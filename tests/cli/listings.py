#!/usr/bin/env python3
"""What view shows against the listings that came with the samples, as TAP.

    listings.py POLYTRACE
"""
import gzip
import json
import os
import subprocess
import sys

import tap

DATA = os.path.join(os.environ['POLYTRACE_ROOT'], 'tests', 'data')
PROGRAM = os.path.abspath(sys.argv[1])
RECORDS = {'initial_pc': 'initial_pc', 'compute': 'compute', 'flow': 'flow', 'mem': 'memory',
           'memx': 'extended'}
SYNCS = {0x20: 'signal', 0x21: 'broadcast', 0x30: 'wait', 0x31: 'trywait'}


def listing(name):
    with gzip.open(os.path.join(DATA, name + '.jsonl.gz'), 'rt') as lines:
        return [json.loads(line) for line in lines]


def view(*arguments):
    """The words of every line, the header line first."""
    done = subprocess.run([PROGRAM, 'view', *arguments], cwd=DATA, capture_output=True,
                          text=True, check=True)
    return [line.split() for line in done.stdout.splitlines()]


def hexadecimal(digits):
    return '0x%08x' % int(digits, 16) if digits is not None else '-'


def row_of_listing(entry):
    if entry['kind'] == 'sync':
        return [str(entry['i']), SYNCS[entry['code']], '-', '-', '-', hexadecimal(entry['addr']),
                '0x%x' % entry['count']]
    value = '0x%x' % int(entry['ext'], 16) if 'ext' in entry else '-'
    return [str(entry['i']), RECORDS[entry['kind']], hexadecimal(entry['pc']),
            hexadecimal(entry.get('op')), hexadecimal(entry.get('next')),
            hexadecimal(entry.get('ea')), value]


def view_shows_tt6_as_its_listings_do():
    columns = ['row', 'record', 'pc', 'opcode', 'next_pc', 'address', 'value']
    for name in ('tt6/sort.tt6', 'tt6/isamix.tt6', 'tt6/isamix.tt6e', 'tt6/altivec.tt6e',
                 'tt6/thread_002.tt6e'):
        rows = view('-c', ','.join(columns), '-f', name.split('.')[1], name)
        expected = [columns] + [row_of_listing(entry) for entry in listing(name)]
        yield from differences(name, rows, expected)


def view_shows_the_registers_of_full_as_its_listings_do():
    for name in ('full/altivec.full', 'full/sort.full'):
        entries = listing(name)
        names, keys = [], [key for key in entries[0] if key not in ('i', 'op')]
        for key in keys:
            names += [key[0] + str(i) for i in range(32)] if key in ('r', 'f', 'vr') else [key]
        rows = view('-c', 'opcode', '-r', ','.join(names), name + '.gz')
        yield from differences(name, rows[:1], [['opcode'] + names])
        expected = [[entry['op']] + sum((entry[key] if isinstance(entry[key], list)
                                         else [entry[key]] for key in keys), [])
                    for entry in entries]
        # Leading zeros show the width of a register, which the listings state otherwise.
        yield from differences(
            name, [[word.removeprefix('0x').lstrip('0') for word in row] for row in rows[1:]],
            [[word.lstrip('0') for word in row] for row in expected])


def differences(name, rows, expected):
    if len(rows) != len(expected):
        yield f'{name}: {len(rows)} lines, expected {len(expected)}'
    for row, wanted in zip(rows, expected):
        if row != wanted:
            yield f'{name}: {row}, expected {wanted}'
            return


def a_window_is_a_part_of_the_whole():
    for name in ('tt6/isamix.tt6e', 'full/sort.full.gz', 'bach/bios_irq_4k.bach'):
        whole = view('-c', 'row,record,address', name)
        for skip, count in ((0, 0), (0, 1), (1, 1), (63, 64), (64, 130), (100, 10 ** 6),
                            (10 ** 6, 1)):
            rows = view('-c', 'row,record,address', '-s', str(skip), '-n', str(count), name)
            wanted = whole[1 + skip:1 + skip + count]
            yield from differences(f'{name} {skip} {count}', rows[1:], wanted)


def the_native_listing_is_that_of_the_sample_program():
    for name in ('nibbles', 'enables', 'special'):
        done = subprocess.run([PROGRAM, 'view', '--style', 'native', f'bach/{name}.tr'], cwd=DATA,
                              capture_output=True, text=True, check=True)
        if done.stdout != open(os.path.join(DATA, 'bach', f'{name}.txt')).read():
            yield name


TESTS = [view_shows_tt6_as_its_listings_do, view_shows_the_registers_of_full_as_its_listings_do,
         a_window_is_a_part_of_the_whole, the_native_listing_is_that_of_the_sample_program]
ZIPPED = [view_shows_the_registers_of_full_as_its_listings_do, a_window_is_a_part_of_the_whole]
LACKS_ISAL = 'isal' in os.environ.get('POLYTRACE_LACKS', '').split()
tap.run(TESTS, {test.__name__: 'the build lacks isal' for test in ZIPPED if LACKS_ISAL})
