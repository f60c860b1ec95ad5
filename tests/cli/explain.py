#!/usr/bin/env python3
"""What convert --explain prints, against conversions of samples, as TAP: explain.py POLYTRACE

Pairs of formats are tried with one sample each: the converted trace is read again, and its values compared with those of
the sample. The oracle is the text of the conversion's messages and the values; no set of the registry is read here.
"""
import collections
import filecmp
import functools
import json
import os
import re
import subprocess
import sys
import tempfile

import tap

PROGRAM = os.path.abspath(sys.argv[1])
ROOT = os.environ['POLYTRACE_ROOT']
sys.path.insert(0, os.path.join(ROOT, 'tests'))
import needs  # noqa: E402
import sampling  # noqa: E402

LACKING = needs.without('xxhash', 'zstd')

DATA = os.path.join(ROOT, 'tests', 'data')
FOLDER = tempfile.TemporaryDirectory()
# Traces of lines that are not JSON, and formats that need options to be read.
UNCOMPARED = 'jsonl/cut.jsonl', 'jsonl/foreign.jsonl'
# Kinds of records that instructions of a trace may become.
EFFECTS = {'access', 'register'}
POSITIONS = {'row', 'origin', 'site', 'verbatim'}
# Values that each record of the effects of an instruction inherits from it, or not.
INHERITED = {'pc', 'cpu', 'cpu_name', 'time', 'thread', 'process', 'mode', 'security', 'instruction_set', 'instruction_id',
             'opcode', 'opcode_size', 'text', 'executed', 'next_pc', 'branch', 'target', 'fallthrough'}
NOTE = re.compile(r'^polytrace: [^\n]*: ([^\n]*) \((?:once|\d+ times)\)$', re.M)
NAMED = re.compile(r"(?:cannot hold|does not store) these columns of '[^']*': (.*)")


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, errors='replace', check=False)


@functools.lru_cache(None)
def formats():
    """The rows of the table, by name."""
    return {row['name']: row for row in json.loads(run('formats', '--json').stdout)['formats']}


@functools.lru_cache(None)
def samples():
    """Format, path and options of the samples."""
    lines = open(os.path.join(DATA, 'samples')).read().splitlines()
    words = [line.split(maxsplit=2) for line in lines if line.strip() and not line.startswith('#')]
    return [(word[0], os.path.join(DATA, word[1]), tuple(['-O', word[2]] if len(word) > 2 else []))
            for word in words if word[1] not in UNCOMPARED and '=' not in ''.join(word[2:3]).replace('=', '', 1)]


@functools.lru_cache(None)
def rows_of(path, name, options=()):
    text = run('convert', '-f', name, *options, path, '-t', 'jsonl', '-o', '-', '--partial', '--on-error=skip').stdout
    rows = [json.loads(line) for line in text.splitlines() if line.startswith('{')]
    return [row for row in rows if 'polytrace' not in row]


def explained(*arguments):
    done = run('convert', '--explain', '--json', *arguments)
    report = json.loads(done.stdout)
    effects = collections.defaultdict(set)
    for row in report['columns']:
        effects[row['effect']].add(row['column'])
    kinds = collections.defaultdict(set)
    for row in report['records']:
        kinds[row['effect']].add(row['kind'])
    assert done.returncode == (report['result'] == 'refused'), done
    return report, effects, kinds


def values(rows, column, kinds):
    """The values of a column in order; fetches count as instructions, names of registers have no case."""
    found = []
    for row in rows:
        kind = row.get('kind')
        if row.get('access') == 'fetch' and kind == 'access' and column in ('access', 'address', 'size'):
            continue
        if kind in kinds and row.get(column) is not None and (column not in INHERITED or kind == 'instruction'):
            found.append(str(row[column]).lower() if column == 'reg' else row[column])
    return found


class Pair:
    """A sample, converted."""
    def __init__(self, sample, target):
        self.name, path, options = sample
        self.target = target
        self.label = f'{os.path.relpath(path, DATA)} to {target}'
        self.output = os.path.join(FOLDER.name, 'output')
        self.report, self.effects, self.kinds = explained('-f', self.name, *options, path, target)
        self.done = run('convert', '-f', self.name, *options, path, '-t', target, '-o', self.output, '--force', '--partial',
                        '--on-error=skip')
        self.notes = NOTE.findall(self.done.stderr)
        self.source = rows_of(path, self.name, options)
        self.result = []
        self.same = self.done.returncode == 0 and filecmp.cmp(path, self.output, shallow=False)
        if self.done.returncode == 0 and formats()[target]['read']:
            self.result = rows_of.__wrapped__(self.output, target, options if target == self.name else ())

    def present(self, rows):
        return {key for row in rows for key in row} - POSITIONS


@functools.lru_cache(None)
def pairs():
    """Each pair of formats, with one sample of the first: another one for each of the second."""
    by_name = collections.defaultdict(list)
    for sample in samples():
        by_name[sample[0]].append(sample)
    found = []
    for name, candidates in by_name.items():
        for i, target in enumerate(formats()):
            if target != 'text' and sampling.sampled([target]):
                found.append(Pair(candidates[i % len(candidates)], target))
    return found


def converted():
    return [pair for pair in pairs() if pair.done.returncode == 0 and pair.report['result'] != 'refused']


def refused_conversions_fail():
    for pair in pairs():
        refuses = re.search('requires columns|holds [^ ]* only|can only be read', pair.done.stderr)
        if (pair.report['result'] == 'refused') != bool(refuses):
            yield f'{pair.label}: {pair.report["result"]}, {pair.done.stderr[-300:]}'
        if (pair.done.returncode and not refuses and 'record' not in pair.done.stderr and
                not needs.unsupported(pair.done.stderr.encode())):
            yield f'{pair.label}: {pair.done.stderr[-300:]}'


def lost_columns_are_lost():
    for pair in converted():
        # The other format's own bytes are not a column of the source.
        for column in sorted((pair.effects['lost'] - {'raw'}) & pair.present(pair.result)):
            yield f'format {pair.target}: fills lacks, or own_columns has, {column} ({pair.label})'


def losses_are_reported():
    """A lost column that the sample has is named, or a note counts what was dropped."""
    for pair in converted():
        named = {name for line in NAMED.findall(pair.done.stderr) for name in line.split(', ')}
        if named - pair.effects['lost'] - pair.effects['derived']:
            yield f'{pair.label}: {named - pair.effects["lost"]} reported, but not explained'
        silent = (pair.effects['lost'] & pair.present(pair.source)) - named - {'raw', 'record'}
        if silent and not pair.notes and formats()[pair.target]['read']:
            yield f'{pair.label}: {silent} not reported'


def kept_columns_are_kept():
    for pair in converted():
        written = pair.kinds['kept'] | pair.kinds['joined']
        if pair.notes or not formats()[pair.target]['read'] or pair.kinds['joined']:
            continue
        for column in sorted(pair.effects['kept'] - {'kind', 'record', 'raw'}):
            before, after = (values(*part) for part in ((pair.source, column, written),
                                                        (pair.result, column, written | EFFECTS)))
            if column == 'pc':  # fetches of other formats
                before, after = ([row.get('pc', row.get('address')) for row in rows if row.get('kind') == 'instruction' or
                                  row.get('access') == 'fetch'] for rows in (pair.source, pair.result))
            if before and before != after:
                yield f'format {pair.target}: own_columns lacks {column} ({pair.label}: {before[:3]}, {after[:3]})'


def other_columns_are_derived():
    for pair in converted():
        new = pair.present(pair.result) - pair.present(pair.source) - pair.effects['derived'] - pair.effects['kept'] - {'raw'}
        if new:
            yield f'format {pair.target}: fills lacks {", ".join(sorted(new))} ({pair.label})'


def dropped_records_are_counted():
    for pair in converted():
        kinds = {row.get('kind') for row in pair.source if 'raw' not in row}
        if pair.kinds['dropped'] & kinds and not pair.notes and formats()[pair.target]['read']:
            yield f'{pair.label}: {pair.kinds["dropped"] & kinds} not counted'
        found = {row.get('kind') for row in pair.result} - {'other', None}
        if pair.kinds['dropped'] & found:
            yield f'format {pair.target}: own_kinds has {pair.kinds["dropped"] & found} ({pair.label})'


def kinds_of_formats_are_stated():
    for name, path, options in samples():
        kinds = {row.get('kind') for row in rows_of(path, name, options) if 'raw' not in row} - {'other', None}
        stated = {row['kind'] for row in explained(name, 'jsonl')[0]['records']}
        if kinds - stated:
            yield f'format {name}: kinds lacks {", ".join(sorted(kinds - stated))} ({path})'


def kinds_of_files_are_stated():
    for pair in pairs():
        kinds = {row.get('kind') for row in pair.source if 'raw' not in row} - {'other', None}
        stated = set().union(*pair.kinds.values())
        if pair.name != 'jsonl' and kinds - stated:
            yield f'{pair.label}: {kinds - stated}'
    packed = os.path.join(FOLDER.name, 'forms.ptz')
    run('convert', os.path.join(DATA, 'tarmac', 'forms.tarmac'), '-o', packed)
    if 'event' not in explained(packed, 'csv')[2]['kept']:
        yield f'packed: {explained(packed, "csv")}'


def formats_are_explained_as_their_files():
    """What a format may lose includes what its files lose."""
    for pair in pairs():
        if pair.name in ('jsonl', 'ptz') or pair.effects['missing']:
            continue
        report, effects, _ = explained(pair.name, pair.target)
        if pair.effects['lost'] - effects['lost'] - effects['derived']:
            yield f'{pair.label}: {pair.effects["lost"] - effects["lost"]} only of the file'
        if report['result'] == 'refused' and pair.report['result'] != 'refused' and not effects['missing']:
            yield f'{pair.label}: refused as a format'


def same_bytes_are_the_same():
    for pair in pairs():
        if (pair.report['result'] == 'same bytes') != (pair.name == pair.target and pair.done.returncode == 0) or (
                pair.name == pair.target and pair.done.returncode == 0 and not pair.same):
            yield pair.label


def arguments_are_checked():
    path = os.path.join(DATA, 'lackey', 'words.lackey')
    for words, expected in ((['lackey'], 'no target format'), (['lackey', 'din', 'x'], 'expected a file or a format'),
                            (['lackey', 'dinn'], "no such format: 'dinn'"), (['lackey', 'din', '-t', 'tt6'], 'two target formats'),
                            (['no-such-file', 'din'], 'no-such-file')):
        done = run('convert', '--explain', *words)
        if done.returncode != 2 or expected not in done.stderr or done.stdout:
            yield f'{words}: {done}'
    by_operand = run('convert', '--explain', path, 'din').stdout
    for words in ['-t', 'din'], ['-o', 'x.din.gz']:
        if run('convert', '--explain', path, *words).stdout != by_operand:
            yield words
    if os.path.exists('x.din.gz'):
        yield 'an output was created'
    if max(len(line) for line in by_operand.splitlines()) > 80:
        yield by_operand
    done = run('convert', '--csv', path, '-o', os.path.join(FOLDER.name, 'x.din'))
    if done.returncode != 2 or '--explain' not in done.stderr:
        yield done


tap.run([refused_conversions_fail, lost_columns_are_lost, losses_are_reported, kept_columns_are_kept,
         other_columns_are_derived, dropped_records_are_counted, kinds_of_formats_are_stated,
         kinds_of_files_are_stated, formats_are_explained_as_their_files, same_bytes_are_the_same, arguments_are_checked],
        {'kinds_of_files_are_stated': LACKING} if LACKING else None)
