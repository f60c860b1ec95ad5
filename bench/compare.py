#!/usr/bin/env python3
"""Compares two builds by their commands: bench/compare.py OLD-BUILD NEW-BUILD [ROUNDS [PATTERN]]

Runs each command of both builds in turn and prints the ratio of the minima of processor time (user
and system), new to old, one thread each; last, the rows above 1.1. PATTERN: a regular expression
that selects rows by title. The traces are those of inputs.py.
"""
import json
import os
import re
import resource
import subprocess
import sys

from inputs import Inputs

old, new = map(os.path.abspath, sys.argv[1:3])
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 7
pattern = re.compile(sys.argv[4] if len(sys.argv) > 4 else '')
inputs = Inputs(new)
generated, real = inputs.generated, inputs.real
RATIO_MAX = 1.1
# A row whose time is below this is repeated no further: it measures starting a process.
SECONDS_MIN = 0.02


def seconds(build, arguments):
    """The processor time of a command; None: it failed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([os.path.join(build, 'src', 'polytrace'), *arguments],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode == 2:
        return None
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


slow = []


def compare(title, *arguments):
    """Prints the row of a command."""
    if not pattern.search(title):
        return
    times = {old: [], new: []}
    for turn in range(rounds):
        # Neither build always follows the other.
        for build in (old, new) if turn % 2 else (new, old):
            times[build].append(seconds(build, arguments))
        failed = [build for build in times if None in times[build]]
        if failed:
            print(f'   -  {title}: failed in {" and ".join(failed)}', flush=True)
            return
    was, now = min(times[old]), min(times[new])
    print(f'{now / max(was, 1e-9):5.2f}  {was:7.3f} s  {now:7.3f} s  {title}', flush=True)
    if now > RATIO_MAX * was and now > SECONDS_MIN:
        slow.append(f'{now / was:.2f} {title}')


def analyses(build):
    listed = subprocess.run([os.path.join(build, 'src', 'polytrace'), 'stats', '--list', '--json'],
                            capture_output=True, text=True)
    return [entry['name'] for entry in json.loads(listed.stdout)['analyses']]


# Records of generated traces.
RECORDS = 4000000
traces = {name: path for name, path in {
    'tt6e': generated('tt6e', RECORDS),
    'bach': generated('bach', RECORDS),
    **{kind: generated(kind, RECORDS, 'generate_text')
       for kind in ('cis501', 'qemu4v', 'tarmac', 'lackey', 'din')},
    'real tt6e': real('sort_3M.tt6e'), 'real bach': real('sort_3M.bach'),
    'real cis501': real('cc1_10M.trace'), 'real qemu4v': real('arm_2M.q4v')}.items() if path}
for name in 'real tt6e', 'real cis501':
    if name in traces:
        traces[f'{name} ptz'] = inputs.packed(traces[name])

for name, path in traces.items():
    one = ('--threads', '1')
    compare(f'{name}: info', 'info', *one, path)
    compare(f'{name}: view', 'view', *one, path)
    compare(f'{name}: view -w', 'view', *one, '-w', 'pc & 0xff0 == 0x120', path)
    compare(f'{name}: check', 'check', *one, path)
    compare(f'{name}: convert jsonl', 'convert', *one, '-t', 'jsonl', '-o', '-', path)
    compare(f'{name}: convert csv', 'convert', *one, '-t', 'csv', '-o', '-', path)
    compare(f'{name}: pack', 'pack', *one, '-o', '-', path)
    compare(f'{name}: diff', 'diff', *one, path, path)
    compare(f'{name}: stats', 'stats', *one, path)
    compare(f'{name}: stats --all', 'stats', '--all', *one, path)
    compare(f'{name}: sim cache', 'sim', 'cache', *one, path)
    compare(f'{name}: sim mrc', 'sim', 'mrc', *one, path)
    compare(f'{name}: sim branch', 'sim', 'branch', *one, path)
    compare(f'{name}: sim pipeline', 'sim', 'pipeline', *one, path)
    compare(f'{name}: calls', 'calls', *one, path)
for analysis in analyses(old):
    for name in 'tt6e', 'real tt6e', 'real cis501', 'real cis501 ptz', 'real qemu4v':
        if name in traces:
            compare(f'{name}: stats -a {analysis}', 'stats', '-a', analysis, '--threads', '1', traces[name])
templates = create('compared.trcfmt', [os.path.join(new, 'bench', 'generate_aix'), 'templates', '500'])
trace = create('compared.aix', [os.path.join(new, 'bench', 'generate_aix'), 'trace', '500000', '500'])
compare('aix: trcrpt', 'trcrpt', '--templates', templates, trace)
print(f'{len(slow)} rows above {RATIO_MAX}')
print('\n'.join(slow))
