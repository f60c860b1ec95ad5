#!/usr/bin/env python3
"""Instructions are one number in every report of a trace, as TAP.

An instruction is a record of this kind that is not synthetic, and not a further micro-operation; these are
counted from the rows of every sample, and of the traces beside the project, if they are there.
"""
import glob
import json
import os
import subprocess
import sys

from model import DATA, ROOT, Tap
from uses import is_instruction, is_operation

sys.path.insert(0, os.path.join(ROOT, 'tests'))
import sampling  # noqa: E402

SHARED = os.environ.get('POLYTRACE_SHARED', os.path.join(ROOT, '..', 'shared'))
MADE = ('amber/*', 'bach/*.bach', 'bach/*.tr', 'cis501/*.trace', 'full/*.full', 'qemu4v/*.q4v', 'qemu4v/*.txt',
        'riscv/*.log', 'riscv/*.csv', 'tt6/*.tt6', 'tt6/*.tt6e', 'tt6/pthr/*')


def run(*words):
    return subprocess.run([sys.argv[1], *words], stdin=subprocess.DEVNULL, capture_output=True).stdout


def traces():
    """Words that read each trace, and its name."""
    with open(os.path.join(DATA, 'samples'), encoding='utf-8') as samples:
        for line in samples:
            if line.strip() and not line.startswith('#'):
                form, path, *option = line.split(None, 2)
                option = ['-O', option[0].strip()] if option else []
                yield path + ' '.join(['', *option[1:]]), ['--from', form, *option, os.path.join(DATA, path)]
    for pattern in MADE:
        for path in sorted(glob.glob(os.path.join(SHARED, 'data', 'made', pattern))):
            if run('convert', '--to', 'jsonl', '-o', '-', path):
                yield os.path.relpath(path, SHARED), [path]


def rows_of(words):
    """The records of a trace, without the lines of a corrupt one that are none."""
    for line in run('convert', '--to', 'jsonl', '-o', '-', *words).splitlines()[1:]:
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if 'kind' in row:
            yield row


def found(report, name, key):
    """The places of a key in a report, outside tables, with its values."""
    for inner, value in report.items():
        if isinstance(value, dict):
            yield from found(value, f'{name}.{inner}', key)
        elif inner == key and (value is not None or key == 'instructions'):
            yield name, value or 0


STATS, SIMULATORS = (json.loads(run(command, '--json', '--list')) for command in ('stats', 'sim'))
NAMES = [row['name'] for row in STATS['analyses'] + STATS['queries'] + SIMULATORS['simulators']
         if row['name'] not in ('state', 'defuse')]
tap, seen = Tap(), set()
for title, words in sampling.sampled(traces()):
    # For merging: micro-operations there do not follow the first one of their instruction, as those of tracers do.
    if title.startswith('jsonl/contexts'):
        continue
    rows = list(rows_of(words))
    expected = {'instructions': sum(map(is_instruction, rows)), 'uops': sum(map(is_operation, rows)),
                'fetches': sum('pc' in row and is_instruction(row) for row in rows) +
                sum(row.get('access') == 'fetch' and 'address' in row for row in rows)}
    faults = []
    for name in NAMES:
        # A fetch that crosses lines is one fetch, but an access to each of its lines.
        output = run('stats', '--json', '-a', name, *(['-O', 'mrc.crossing=first'] if name == 'mrc' else []), *words)
        for key in expected if output else ():
            for place, value in found(json.loads(output), name, key):
                seen.add((name, key))
                # Without an address an instruction belongs to no function or block.
                without = sum(is_instruction(row) and 'pc' not in row for row in rows) * (name in ('blocks', 'calls'))
                if value + without != expected[key]:
                    faults.append(f'{key} of {place}: found {value}, expected {expected[key]}')
    if any(map(is_instruction, rows)):
        output = run('diff', '--json', *words, words[-1])
        if output:
            report = json.loads(output)
            for key in ('compared_instructions', 'first_trace_instructions', 'second_trace_instructions'):
                if report[key] != expected['instructions']:
                    faults.append(f'{key} of diff: found {report[key]}, expected {expected["instructions"]}')
            seen.add(('diff', 'instructions'))
    tap.ok(title, not faults, *faults)
PTHR = [os.path.join(DATA, 'pthr', f'thread_00{i}.tt6') for i in range(1, 5)]
TWI = os.path.join(DATA, 'amber', 'thread_001.tt6e')
for paths in PTHR, [TWI]:
    threads = json.loads(run('merge', '--report', '--json', *paths))['merge']['threads']
    counted = [sum(map(is_instruction, rows_of([path]))) for path in paths]
    tap.ok(f'merge of {len(paths)}', [row['instructions'] for row in threads] == counted, threads, counted)
# A small sample of traces does not have all that is counted.
tap.ok('the reports', sampling.ONE_OF > 8 or {name for name, key in seen if key == 'instructions'} >= {
    'mix', 'diff', 'blocks', 'dependencies', 'summary', 'totals', 'calls', 'cache', 'levels', 'mrc', 'tlb', 'paging', 'sharing',
    'branch', 'pipeline', 'phases'}, sorted(seen))
sys.exit(tap.end())
