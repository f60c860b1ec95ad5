#!/usr/bin/env python3
"""Compares value change dumps with those of another tool, as TAP.

    vcd_oracle.py POLYTRACE

Uses the dump of the Tarmac trace utilities of the public quicksort trace; skipped if it is not available.
The same few lines read both dumps; registers x0 to x30 and pc must agree at all times.
"""
import gzip
import os
import re
import subprocess
import sys

ROOT = os.environ['POLYTRACE_ROOT']
SHARED = os.environ.get('POLYTRACE_SHARED', os.path.join(ROOT, '..', 'shared'))
DATA = os.path.join(SHARED, 'data', 'public', 'tarmac')


def history(dump, scale):
    """Values by time and variable, each held from its change on."""
    names = {code: name.lower() for code, name in
             re.findall(r'^\$var \w+ \d+ (\S+) (\S+) \$end$', dump, re.M)}
    now, held, times = 0, {}, {}
    for line in dump.split('$enddefinitions $end')[1].splitlines():
        if line.startswith('#'):
            now = int(line[1:]) // scale
        change = re.fullmatch(r'b([01xz]+) (\S+)', line)
        if change and not re.search('[xz]', change[1]):
            held[names[change[2]]] = int(change[1], 2)
        times[now] = dict(held)
    return times


def faults():
    trace = os.path.join(DATA, 'quicksort.tarmac')
    command = [sys.argv[1], 'convert', trace, '--to', 'vcd', '-o', '-']
    ours = history(subprocess.run(command, capture_output=True, text=True, check=True).stdout, 1)
    theirs = history(gzip.open(os.path.join(DATA, 'vcd-quicksort.ref.gz'), 'rt').read(), 1000)
    names = ['pc'] + [f'x{i}' for i in range(31)]
    if not set(range(1, 2045)) <= ours.keys() & theirs.keys():
        yield f'{len(ours)} and {len(theirs)} times'
    for time in sorted(ours.keys() & theirs.keys()):
        for name in names:
            if time and ours[time].get(name) != theirs[time].get(name):
                yield f'{time}: {name} is {ours[time].get(name)}, not {theirs[time].get(name)}'


print('1..1')
if not os.path.exists(os.path.join(DATA, 'vcd-quicksort.ref.gz')):
    print('ok 1 - registers_change_as_in_the_other_dump # SKIP the public trace is not here')
else:
    found = list(faults())
    print('\n'.join('# ' + fault for fault in found[:20]))
    print(('not ' if found else '') + 'ok 1 - registers_change_as_in_the_other_dump')
