#!/usr/bin/env python3
"""What the commands of queries print, against `stats -a NAME`, on every sample, as TAP.

    queries.py POLYTRACE
"""
import json
import os
import subprocess
import sys

DATA = os.path.join(os.environ['POLYTRACE_ROOT'], 'tests', 'data')
PROGRAM = os.path.abspath(sys.argv[1])

# The words of a command, and its analysis with the same options.
QUERIES = [
    (['calls'], ['calls']),
    (['calls', '--style=profile'], ['calls', 'style=profile']),
    (['calls', '--style=list', '--unreturned=merge'],
     ['calls', 'style=list', 'unreturned=merge']),
]
SYMBOLS = ['--symbols', 'symbols/calls.nm', 'tarmac/calls.tarmac']
WITH_SYMBOLS = [
    (['calls'], ['calls']),
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
        printed.pop('partial', None)
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


print(f'1..{len(QUERIES) + len(WITH_SYMBOLS)}')
for number, (command, analysis) in enumerate(QUERIES + WITH_SYMBOLS, 1):
    sources = list(samples()) if number <= len(QUERIES) else [SYMBOLS]
    faults = list(filter(None, (difference(command, analysis, source) for source in sources)))
    for fault in faults[:3]:
        print(f'# {fault[:1000]}')
    print(f'{"not " if faults else ""}ok {number} - {" ".join(command)} is a section of stats')
