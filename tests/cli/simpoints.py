#!/usr/bin/env python3
"""Cuts intervals out of samples and compares them with the rows between, as TAP.

    simpoints.py POLYTRACE
"""
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.environ['POLYTRACE_ROOT']
DATA = os.path.join(ROOT, 'tests', 'data')
PROGRAM = os.path.abspath(sys.argv[1])
# Records that only a file with a start position has.
OWN = ('initial_pc', 'comment')


def polytrace(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, stdin=subprocess.DEVNULL)


def rows(path, form):
    """The rows of a trace; a short one is not known by its content."""
    lines = polytrace('convert', '--from', form, '--to', 'jsonl', '-o', '-', path).stdout
    lines = lines.splitlines()[1:]
    return [row for row in map(json.loads, lines) if row['record'] not in OWN]


def is_instruction(row):
    return row['kind'] == 'instruction' and row.get('uop_index', 1) == 1 and not row.get('synthetic')


def interval(whole, number, length):
    """The rows of an interval: from its first instruction on, with what describes it before."""
    starts = [i for i, row in enumerate(whole) if is_instruction(row)] + [len(whole)]
    begin, end = starts[number * length], starts[(number + 1) * length]
    while begin and whole[begin - 1]['kind'] == 'other':
        begin -= 1
    while end and end < len(whole) and whole[end - 1]['kind'] == 'other':
        end -= 1
    return whole[0 if number == 0 else begin:end]


def cut(folder, name, lines, length, output):
    points = os.path.join(folder, 'points')
    with open(points, 'w') as out:
        out.write(lines)
    return polytrace('convert', '--simpoints', points, '--interval', str(length),
                     os.path.join(DATA, name), '-o', os.path.join(folder, output))


def same(name, form, length, points):
    """What is wrong with the parts of a trace, if anything is."""
    whole = rows(os.path.join(DATA, name), form)
    ending = os.path.basename(name).split('.', 1)[1]
    with tempfile.TemporaryDirectory() as folder:
        done = cut(folder, name, ''.join(f'{i} {p}\n' for i, p in points), length, 'part.' + ending)
        if done.returncode:
            return done.stderr.decode()
        if len(os.listdir(folder)) != len(points) + 1:
            return f'parts are {os.listdir(folder)}'
        for number, phase in points:
            found = rows(os.path.join(folder, f'part.{phase}.{ending}'), form)
            expected = interval(whole, number, length)
            if found != expected:
                at = next((i for i, pair in enumerate(zip(found, expected)) if pair[0] != pair[1]),
                          min(len(found), len(expected)))
                return (f'phase {phase}: {len(found)} rows, expected {len(expected)}; row {at} is '
                        f'{found[at:at + 1]}, expected {expected[at:at + 1]}')
    return ''


def refused(lines, length, words):
    """Why a list that is wrong is not refused with these words, if so."""
    with tempfile.TemporaryDirectory() as folder:
        done = cut(folder, 'amber/thread_001.tt6', lines, length, 'part.tt6')
        stderr = done.stderr.decode()
        if done.returncode != 2 or words not in stderr:
            return f'status {done.returncode}, stderr {stderr!r}, expected {words!r}'
        left = sorted(os.listdir(folder))
        return '' if 'part.9.tt6' not in left else f'remaining: {left}'


CASES = [
    ('intervals of a TT6 trace are its rows', same, 'amber/thread_001.tt6', 'tt6', 20,
     [(3, 0), (0, 1), (2, 7)]),
    ('records of synchronisation come along', same, 'pthr/thread_002.tt6', 'tt6', 100,
     [(5, 2), (20, 0)]),
    ('macro-operations are not torn', same, 'cis501/sort_1k.trace', 'cis501', 50, [(1, 0), (4, 1)]),
    ('accesses and registers come along', same, 'qemu4v/arm_start_2k.q4v', 'qemu4v', 64,
     [(2, 0), (13, 1)]),
    ('every state of FULL comes along', same, 'full/isamix.full.gz', 'full', 30, [(1, 0), (7, 1)]),
    ('an interval that is not there is an error', refused, '0 1\n7 9\n', 20,
     'no interval 7 of phase 9: the trace has 4 complete intervals of 20 instructions'),
    ('an interval that the end cuts short is not there', refused, '4 9\n', 20, 'no interval 4 of phase 9'),
    ('a line that is none is an error', refused, '0 1\n1 9 2\n', 20,
     "line 2 is '1 9 2', expected an interval and a phase"),
    ('two lines of one phase are an error', refused, '0 9\n1 9\n', 20, 'phase 9 occurs twice'),
    ('two lines of one interval are an error', refused, '1 8\n1 9\n', 20, 'interval 1 occurs twice'),
    ('an empty list is an error', refused, '\n', 20, 'empty list, expected an interval and a phase per line'),
    ('the length has to be named', refused, '0 9\n', 0, '--interval'),
]
failed = 0
for count, (name, test, *arguments) in enumerate(CASES, 1):
    wrong = test(*arguments)
    failed += bool(wrong)
    if wrong:
        print('#', wrong)
    print(f'{"not " if wrong else ""}ok {count} - {name}')
print(f'1..{len(CASES)}')
sys.exit(failed != 0)
