#!/usr/bin/env python3
"""Compares 'polytrace calls' with the output of the Tarmac trace utilities, as TAP.

    calls_oracle.py POLYTRACE

The references are their call tree, profile and flame graph of the public quicksort trace; without
these, the test is skipped. They cover only calls that return, and count time, not instructions.
"""
import csv
import os
import re
import subprocess
import sys

ROOT = os.environ['POLYTRACE_ROOT']
SHARED = os.environ.get('POLYTRACE_SHARED', os.path.join(ROOT, '..', 'shared'))
DATA = os.path.join(SHARED, 'data', 'public', 'tarmac')
FORMS = {'addr': [], 'symbols': ['--symbols', os.path.join(DATA, 'quicksort.elf')]}


def table(style, form):
    """The rows of a style's table, as dictionaries."""
    command = [sys.argv[1], 'calls', '--csv', '--unreturned', 'merge', '--style', style,
               *FORMS[form], os.path.join(DATA, 'quicksort.tarmac')]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return list(csv.DictReader(out.split('\n\n')[1].splitlines()))


def reference(kind, form):
    return open(os.path.join(DATA, f'{kind}-quicksort-{form}.ref')).read().splitlines()


def name(row, form):
    return row['function'] if form == 'symbols' else ''


def number(text):
    return int(text, 16)


def the_call_tree_is_theirs(form):
    """Sites and functions in the order of calls, with records, which are lines, and times."""
    rows = table('list', form)
    line = (r'( *)([o-]) t:(\d+) l:(\d+) pc:(\w+) - t:(\d+) l:(\d+) pc:(\w+)(?: : ?(\S*))?')
    theirs = [re.fullmatch(line + r' ?', text).groups()
              for text in reference('calltree', form)]
    functions = [entry for entry in theirs if entry[1] == 'o']
    sites = [entry for entry in theirs if entry[1] == '-']
    ours = [(int(row['depth']), row['start_time'], row['entry_record'], number(row['entry_pc']),
             row['end_time'], row['last_record'], number(row['last_pc']), name(row, form))
            for row in rows]
    expected = [(len(blanks) // 4, time, record, number(pc), last_time, last_record,
                 number(last_pc), symbol or '')
                for blanks, _, time, record, pc, last_time, last_record, last_pc, symbol
                in functions]
    yield from differences(ours, expected)
    ours = [(row['call_record'], number(row['call_pc']), row['return_record'],
             number(row['return_pc'])) for row in rows if row['call_record']]
    yield from differences(ours, [(site[3], number(site[4]), site[6], number(site[7]))
                                  for site in sites])


def the_profile_is_theirs(form):
    expected = [line.split() for line in reference('profile', form)[1:]]
    ours = sorted(([hex(number(row['entry_pc'])), row['calls'], row['total_with_recursion']] +
                   ([row['function']] if form == 'symbols' else [])
                   for row in table('profile', form)),
                  key=lambda row: number(row[0]))
    yield from differences(ours, expected)


def the_flame_graph_is_theirs(form):
    """From each call's first to its last time, without that of the calls within."""
    stack, times = [], {}
    for row in table('list', form):
        del stack[int(row['depth']):]
        label = row['function'] if form == 'symbols' else hex(number(row['entry_pc']))
        span = int(row['end_time']) - int(row['start_time'])
        if stack:
            times[';'.join(stack)] -= span
        stack.append(label)
        times[';'.join(stack)] = times.get(';'.join(stack), 0) + span
    expected = dict(line.rsplit(' ', 1) for line in reference('flamegraph', form))
    yield from differences(sorted(times.items()),
                           sorted((path, int(time)) for path, time in expected.items()))


def differences(ours, expected):
    if len(ours) != len(expected):
        yield f'{len(ours)}, expected {len(expected)}'
    for our, their in zip(ours, expected):
        if our != their:
            yield f'{our}, expected {their}'


TESTS = [(test, form) for test in (the_call_tree_is_theirs, the_profile_is_theirs,
                                   the_flame_graph_is_theirs) for form in FORMS]
print(f'1..{len(TESTS)}')
for number_of_test, (test, form) in enumerate(TESTS, 1):
    label = f'{number_of_test} - {test.__name__}_by_{form}'
    if not os.path.exists(os.path.join(DATA, 'quicksort.tarmac')):
        print(f'ok {label} # SKIP the public trace is not here')
        continue
    if form == 'symbols' and 'elf' in os.environ.get('POLYTRACE_LACKS', '').split():
        print(f'ok {label} # SKIP no libelf')
        continue
    faults = list(test(form))
    print('\n'.join('# ' + fault for fault in faults[:20]))
    print(f'{"not " if faults else ""}ok {label}')
