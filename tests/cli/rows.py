#!/usr/bin/env python3
"""The column row is the number of a record in its file everywhere, as TAP.

    rows.py POLYTRACE SAMPLES
"""
import csv
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.environ['POLYTRACE_ROOT']
sys.path.insert(0, os.path.join(ROOT, 'tests'))
import needs
import sampling
import tap

DATA = os.path.join(ROOT, 'tests', 'data')
PROGRAM = os.path.abspath(sys.argv[1])
LACKING = needs.without('jansson', 'xxhash', 'zstd')
SELECTIONS = (['--skip', '3', '--count', '4'], ['--range', '5-9'], ['--every', '3'], ['--tail', '3'],
              ['--head', '4'], ['--sample', '5'], ['--start-at', 'row == 4', '--stop-at', 'row == 8'],
              ['--threads', '1'], ['--threads', '3'])


def samples():
    """The words that select a sample for reading, and its path."""
    for line in open(sys.argv[2]):
        words = line.split()
        if not words or words[0] == '#':
            continue
        form, path, *option = words
        if needs.without(needs.reader_of(path)):
            continue
        yield path, ['-f', form, *(['-O', option[0]] if option else []), path]


def run(command, *words):
    done = subprocess.run([PROGRAM, command, *words], cwd=DATA, capture_output=True)
    return done.stdout.decode(errors='replace'), done.returncode


def rows_of_table(*words):
    return [int(line.split()[0]) for line in run('view', '-c', 'row,pc', *words)[0].splitlines()[1:]]


def rows_of_csv(*words):
    return [int(line[0]) for line in list(csv.reader(run(*words)[0].splitlines()))[1:]]


def rows_of_json(*words):
    lines = [json.loads(line) for line in run(*words)[0].splitlines()[1:]]
    return [line['row'] if next(iter(line)) == 'row' else 'row is not the first key' for line in lines]


def outputs(*words):
    """The rows of each output of a selection of records."""
    column = ['-c', 'row,pc', *words]
    yield 'table', rows_of_table(*words)
    yield 'CSV', rows_of_csv('view', '--csv', *column)
    yield 'JSON', rows_of_json('view', '--json', *column)
    yield 'default CSV', rows_of_csv('view', '--csv', *words)
    yield 'default JSON', rows_of_json('view', '--json', *words)
    yield 'written CSV', rows_of_csv('convert', '--to', 'csv', '-o', '-', *column)
    yield 'written JSON Lines', rows_of_json('convert', '--to', 'jsonl', '-o', '-', *column)


def rows_are_the_same_in_every_output():
    for path, words in sampling.sampled(samples()):
        expected = None
        for name, found in outputs(*words):
            expected = expected or list(range(1, len(found) + 1))
            if found != expected or not found:
                yield f'{path}: {name}'


def a_filter_selects_a_record_by_its_row():
    for path, words in sampling.sampled(samples()):
        count = len(rows_of_table(*words))
        for row in (7, count):
            expected = [row] if row <= count else []
            for name, found in outputs('-w', f'row == {row}', *words):
                if found != expected:
                    yield f'{path}: row == {row}: {name}: {found}'
        if rows_of_table('-w', 'not has(row)', *words):
            yield f'{path}: a record has no row'


def selections_keep_rows():
    """A selection is the same records in each output, packed or not, of a sample of each format."""
    one_each = {words[1]: (path, words) for path, words in samples()}
    for path, words in sampling.sampled(one_each.values()):
        with tempfile.TemporaryDirectory() as folder:
            packed = os.path.join(folder, 'packed.ptz')
            run('convert', '--partial', '-T', 'ptz.rows=64', '-o', packed, *words)
            lines = dict(zip(rows_of_table(*words), rows_and_places(*words)))
            for selection in SELECTIONS:
                expected = rows_of_table(*selection, *words)
                if rows_of_csv('view', '--csv', *selection, *words) != expected:
                    yield f'{path}: {" ".join(selection)}: CSV'
                if rows_of_table(*selection, packed) != expected:
                    yield f'{path}: {" ".join(selection)}: packed'
                if rows_and_places(*selection, *words) != [lines[row] for row in expected]:
                    yield f'{path}: {" ".join(selection)}: other records'


def rows_and_places(*words):
    return [line.split() for line in run('view', '-c', 'row,origin', *words)[0].splitlines()[1:]]


def a_trace_cut_from_another_numbers_its_own_records():
    path = os.path.join('cis501', 'sort_1k.trace')
    with tempfile.TemporaryDirectory() as folder:
        for command, ending in ((['convert'], 'trace'), (['convert'], 'ptz'),
                                (['convert', '-c', 'row,pc'], 'jsonl')):
            cut = os.path.join(folder, 'cut.' + ending)
            run(*command, '--range', '11-20', '-o', cut, path)
            for name, found in outputs(cut):
                if found != list(range(1, 11)):
                    yield f'{ending}: {name}: {found}'


def each_file_has_its_own_rows():
    path = os.path.join('amber', 'sync.tt6')
    rows = [line.split() for line in run('view', '-c', 'row,pc', path, path)[0].splitlines()]
    if sum(row[:1] == ['1'] for row in rows) != 2:
        yield str(rows)


def an_absent_column_is_reported():
    path = os.path.join('cis501', 'sort_1k.trace')
    for words in (['view'], ['view', '--csv'], ['view', '--json'],
                  ['convert', '-o', '-', '--to', 'csv'], ['convert', '-o', '-', '--to', 'jsonl']):
        done = subprocess.run([PROGRAM, *words, '-c', 'row,instruction_id,pc', '--head', '2', path],
                              cwd=DATA, capture_output=True, text=True)
        message = (f'polytrace: {words[0]}: -c instruction_id: cis501 traces do not have this '
                   'column\n')
        if (done.stderr, done.returncode) != (message, 0):
            yield f'{" ".join(words)}: {done.returncode}: {done.stderr}'
        if '--csv' in words and done.stdout.splitlines()[0] != 'row,instruction_id,pc':
            yield done.stdout


tap.run([rows_are_the_same_in_every_output, a_filter_selects_a_record_by_its_row, selections_keep_rows,
         a_trace_cut_from_another_numbers_its_own_records, each_file_has_its_own_rows,
         an_absent_column_is_reported],
        dict.fromkeys(('selections_keep_rows', 'a_trace_cut_from_another_numbers_its_own_records'), LACKING) if LACKING else None)
