#!/usr/bin/env python3
"""What the commands of queries print, against `stats -a NAME`, on samples, as TAP.

    queries.py POLYTRACE
"""
import json
import os
import subprocess
import sys

ROOT = os.environ['POLYTRACE_ROOT']
sys.path.insert(0, os.path.join(ROOT, 'tests'))
import sampling  # noqa: E402

DATA = os.path.join(ROOT, 'tests', 'data')
PROGRAM = os.path.abspath(sys.argv[1])

# The words of a command, and its analysis with the same options.
QUERIES = [
    (['calls'], ['calls']),
    (['calls', '--style=profile'], ['calls', 'style=profile']),
    (['calls', '--style=list', '--unreturned=merge'],
     ['calls', 'style=list', 'unreturned=merge']),
    (['who', '--reg=r1'], ['defuse', 'register=r1']),
    (['who', '--reg=r1', '--after=2'], ['defuse', 'register=r1', 'after=2']),
    (['who', '--addr=0x2000', '--before=100'], ['defuse', 'address=0x2000', 'before=100']),
    (['state'], ['state']),
    (['state', '--at=9', '--order=big'], ['state', 'at=9', 'order=big']),
    (['info'], ['summary']),
]
# Sections of info that describe the file, not its records.
FILE = ['trace', 'input', 'diagnostics']
HOMEWORKS = ['penn_hw1', 'penn_hw2a', 'penn_hw3', 'penn_hw4', 'penn_hw5', 'penn_v2', 'wustl_hw1',
             'wustl_hw2a', 'wustl_hw3', 'wustl_hw4', 'wustl_hw5', 'wustl_hw6', 'sfsu_1b', 'sfsu_2']
SYMBOLS = ['--symbols', 'symbols/calls.nm', 'tarmac/calls.tarmac']
WITH_SYMBOLS = [
    (['calls'], ['calls']),
    (['who', '--addr=table'], ['defuse', 'address=table']),
]


def run(*words):
    """The exit status, and the report, or the message of an error without its subject."""
    done = subprocess.run([PROGRAM, *words], cwd=DATA, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    if not done.stdout:
        return done.returncode, done.stderr.rpartition(': ')[2]
    return done.returncode, json.loads(done.stdout)


def difference(command, analysis, source):
    """Why a command does not print the section of its analysis; '': it does."""
    words = [f'-O{analysis[0]}.{word}' for word in analysis[1:]]
    status, printed = run(*command, '--json', *source)
    expected_status, expected = run('stats', '-a', analysis[0], *words, '--json', *source)
    if isinstance(expected, dict) and isinstance(printed, dict):
        expected = {'file': expected['file'], **expected[analysis[0]]}
        for key in ['partial', *(FILE if command == ['info'] else [])]:
            printed.pop(key, None)
        # The command alone reports by its status that it found nothing.
        status = 0 if status == 1 else status
    if (status, printed) == (expected_status, expected):
        return ''
    return f'{" ".join(command + source)}: {status} {printed}, expected {expected_status} {expected}'


def samples():
    for line in open(os.path.join(DATA, 'samples')):
        if not line.startswith('#') and line.strip():
            name, path, *option = line.split()
            yield ['--from', name, *(['-O', option[0]] if option else []), path]


def printout_difference(homework):
    """Why the last lines of a homework's output are not those of its report; '': they are."""
    source = 'cis501/thumb.trace' if homework == 'penn_v2' else 'cis501/sort_1k.trace'
    lines = subprocess.run([PROGRAM, 'sim', '--course', *homework.split('_', 1), source], cwd=DATA,
                           capture_output=True, text=True, check=True).stdout.splitlines()
    report = run('stats', '-a', homework, '--json', source)[1]
    results = [row['line'] for row in report[homework]['results']]
    silent = homework in ('penn_hw3', 'penn_v2')
    if lines[len(lines) - len(results):] == results and bool(results) != silent:
        return ''
    return f'{homework}: {results}, expected the end of {lines[-9:]}'


print(f'1..{len(QUERIES) + len(WITH_SYMBOLS) + 1}')
for number, (command, analysis) in enumerate(QUERIES + WITH_SYMBOLS, 1):
    sources = sampling.sampled(samples()) if number <= len(QUERIES) else [SYMBOLS]
    faults = list(filter(None, (difference(command, analysis, source) for source in sources)))
    for fault in faults[:3]:
        print(f'# {fault[:1000]}')
    print(f'{"not " if faults else ""}ok {number} - {" ".join(command)} is a section of stats')
faults = list(filter(None, map(printout_difference, HOMEWORKS)))
for fault in faults:
    print(f'# {fault[:1000]}')
print(f'{"not " if faults else ""}ok {len(QUERIES) + len(WITH_SYMBOLS) + 1} - '
      'results of homeworks are the end of their outputs')
