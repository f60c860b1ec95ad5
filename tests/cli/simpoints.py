#!/usr/bin/env python3
"""Cuts intervals out of samples and compares them with the rows between, as TAP.

    simpoints.py POLYTRACE
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ['POLYTRACE_ROOT'], 'tests'))
import needs  # noqa: E402

needs.libraries('isal', 'xxhash', 'zstd')

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


def cut(folder, name, lines, length, output, *options):
    points = os.path.join(folder, 'points')
    with open(points, 'w') as out:
        out.write(lines)
    return polytrace('convert', '--simpoints', points, '--interval', str(length), *options,
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


def warmed(ending, warmup):
    """What is wrong with the warm-up of parts, or with what a simulation of them counts."""
    name, length, points = 'cis501/sort_1k.trace', 50, [(0, 2), (4, 1), (5, 0)]
    whole = rows(os.path.join(DATA, name), 'cis501')
    with tempfile.TemporaryDirectory() as folder:
        done = cut(folder, name, ''.join(f'{i} {p}\n' for i, p in points), length,
                   'part.' + ending, f'--warmup={warmup}')
        if done.returncode:
            return done.stderr.decode()
        for number, phase in points:
            path = os.path.join(folder, f'part.{phase}.{ending}')
            part = interval(whole, number, length)
            first = next(i for i in range(len(whole)) if whole[i:i + len(part)] == part)
            before = min(first, warmup)
            if rows(path, ending if ending == 'ptz' else 'cis501') != whole[first - before:first + len(part)]:
                return f'phase {phase}: other rows'
            marked = ending == 'ptz' or not before
            if not marked and f'--warmup={before}' not in done.stderr.decode():
                return f'phase {phase}: {done.stderr}'
            done_sim = polytrace('sim', 'cache', '--json', *([] if marked else [f'--warmup={before}']), path)
            reported = f'records 1 to {before} are warm-up' in done_sim.stderr.decode()
            counted = json.loads(done_sim.stdout)['cache']['caches'][0]['accesses']
            accesses = sum('address' in row and row.get('access') != 'none' for row in part)
            if counted != accesses or reported != (ending == 'ptz' and before > 0):
                return f'phase {phase}: {counted} accesses, expected {accesses}; {done_sim.stderr}'
            # The same records of the whole trace, with the option.
            options = [f'--skip={first - before}', f'--count={before + len(part)}', f'--warmup={before}']
            expected = polytrace('sim', 'cache', '--json', *options, os.path.join(DATA, name)).stdout
            if json.loads(expected)['cache'] != json.loads(done_sim.stdout)['cache']:
                return f'phase {phase}: {done_sim.stdout}, expected {expected}'
    return ''


def mark_is_dropped():
    """What is wrong with the mark of a part that is converted: whole, or without its first record."""
    with tempfile.TemporaryDirectory() as folder:
        cut(folder, 'cis501/sort_1k.trace', '4 1\n', 50, 'part.ptz', '--warmup=37')
        part, marks = os.path.join(folder, 'part.1.ptz'), []
        for options in ([], ['--skip=1'], ['--where', 'row > 1']):
            other = os.path.join(folder, 'other.ptz')
            polytrace('convert', '--force', *options, part, '-o', other)
            marks.append(b'warm-up' in polytrace('sim', 'cache', other).stderr)
        return '' if marks == [True, False, False] else f'{marks}'


def reported_cold():
    """What is wrong with the message about parts without warm-up."""
    with tempfile.TemporaryDirectory() as folder:
        done = cut(folder, 'cis501/sort_1k.trace', '1 0\n', 50, 'part.trace')
        stats = polytrace('stats', '-O', 'phases.interval=50', '--simpoints', os.path.join(folder, 'found'),
                          os.path.join(DATA, 'cis501/sort_1k.trace'))
        return ''.join(str(run.stderr) for run in (done, stats) if b'--warmup=N' not in run.stderr)


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
    ('a simulation counts the interval after its marked warm-up alone', warmed, 'ptz', 37),
    ('warm-up that a format cannot mark is reported', warmed, 'trace', 37),
    ('parts without warm-up are reported', reported_cold),
    ('the mark of warm-up is dropped with the first records', mark_is_dropped),
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
