#!/usr/bin/env python3
"""Selections that are written in the format of their source, as TAP.

    selections.py POLYTRACE SAMPLES

Their rows are those of the source, and check finds no fault that the source does not have. Headers of AIX logs are
parsed here, by <sys/trchdr.h>.
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

import tap

ROOT = os.environ['POLYTRACE_ROOT']
sys.path.insert(0, os.path.join(ROOT, 'tests'))
import sampling

DATA = os.path.join(ROOT, 'tests', 'data')
PROGRAM = os.path.abspath(sys.argv[1])
LACKS = os.environ.get('POLYTRACE_LACKS', '').split()
FOLDER = tempfile.TemporaryDirectory()

# Rows that describe a file, not the execution.
LAYOUT = ['header', 'block', 'gap', 'initial_pc']
# Columns that depend on the file, not on the record.
FILE_COLUMNS = ['row', 'origin', 'raw', 'verbatim']
# Columns of the first records that depend on later ones, with the reason.
LATER = {'tarmac/owner.tarmac': ('cpu', 'the processor of an access follows from later lines'),
         'champsim/forms.champsim': ('target', 'the target of a branch follows from the next record'),
         'champsim/free.champsim': ('target', 'the target of a branch follows from the next record')}
# Formats whose lines are several rows: a selection may end within a line, which is written completely.
WHOLE_LINES = ['lackey', 'riscv-log']


def polytrace(*arguments, **options):
    return subprocess.run([PROGRAM, *arguments], **{'capture_output': True, 'stdin': subprocess.DEVNULL, **options})


def path_of(name):
    return os.path.join(FOLDER.name, name)


def rows(path, *options, without=()):
    """The rows of the execution, without columns that depend on the file."""
    lines = polytrace('convert', *options, path, '-t', 'jsonl', '-o', '-').stdout.split(b'\n')[1:-1]
    drop = {*FILE_COLUMNS, *without}
    return [{key: value for key, value in json.loads(line).items() if key not in drop} for line in lines]


def is_execution(row):
    return row.get('record') not in LAYOUT


def verdict(path, *options):
    done = polytrace('check', '--json', *options, path)
    report = json.loads(done.stdout) if done.stdout else {}
    return report.get('verdict', done.stderr.decode()), report.get('records')


def samples():
    writable = sampling.writable(PROGRAM)
    for line in open(sys.argv[2]):
        words = line.split()
        if len(words) > 1 and words[0] in writable and sampling.needed(*words[:2]) not in LACKS:
            yield words[0], words[1], [part for word in words[2:] for part in ('-O', word)]


def select(form, name, options, *selection):
    """The path of a selection in its own format."""
    path = path_of('selection')
    if os.path.exists(path):
        os.remove(path)
    polytrace('convert', '-f', form, *options, *selection, '-t', form, os.path.join(DATA, name), '-o', path)
    return path


def selections_are_valid_traces_of_the_same_rows():
    seen = 0
    for form, name, options in sampling.sampled(samples()):
        source = os.path.join(DATA, name)
        # Verbatim lines of JSON Lines need not be rows.
        if form == 'jsonl' or not verdict(source, '-f', form, *options)[0].startswith('valid'):
            continue
        seen += 1
        without = [column for column in LATER.get(name, ())[:1]]
        every = rows(source, '-f', form, *options, without=without)
        # An option may not suit a trace without the records to which it applies.
        again = ['-f', form, *(options if 'tarmac.unit=ps' not in options else [])]
        for skip, count in (0, 0), (0, 1), (0, 2), (0, 12), (3, 9):
            path = select(form, name, options, '--skip', str(skip), '--count', str(count))
            found, records = verdict(path, *again)
            if not found.startswith('valid'):
                yield f'{name} {options}, {count} records from {skip}: {found}'
            if skip or count == 1 or again[2:] != options or count and form in WHOLE_LINES:
                continue
            if not count and not records:
                continue
            expected = list(filter(is_execution, every[:count]))
            shown = list(filter(is_execution, rows(path, *again, without=without)))
            if shown != expected:
                yield f'{name} {options}, {count} records: {shown}, expected {expected}'
    if seen < 60 and sampling.ONE_OF == 1:
        yield f'{seen} samples'


def log_header(data):
    """Mode, offset of the first block and end of the last one of a log whose blocks are adjacent."""
    magic, entries, current, mode, wraps = struct.unpack_from('>5I', data)
    form, size = ('>2Q', 48) if magic == 0xefdf1113 else ('>2I', 36)
    width = struct.calcsize(form)
    initial = struct.unpack_from(form, data, size - width)
    end = size + entries * width
    for i in range(entries):
        offset, length = struct.unpack_from(form, data, size + i * width)
        assert offset == end, (offset, end)
        end += length
    assert (current, wraps, initial) == (0, 0, (0, 0))
    return mode, end


LOGS = ['log1111', 'log1112', 'log1113', 'wrapped1112', 'wrapped1113', 'base', 'base-0', 'base-1']


def events(path, *options):
    """Events, without columns that follow from earlier ones."""
    return [row for row in rows(path, *options, without=['time', 'process', 'cpu']) if 'hook' in row]


def check_log(path, source, expected):
    """Reports what is wrong with a new log of these events of a source."""
    data, original = open(path, 'rb').read(), open(source, 'rb').read()
    mode, end = log_header(data)
    if mode != struct.unpack_from('>I', original, 12)[0] or end != len(data):
        yield f'mode {mode}, {len(data)} bytes, expected {end}'
    if not verdict(path, '-f', 'aix')[0].startswith('valid'):
        yield verdict(path, '-f', 'aix')
    if events(path, '-f', 'aix') != expected:
        yield f'{events(path, "-f", "aix")}, expected {expected}'


def selections_of_logs_are_new_logs():
    for name in sampling.some(LOGS):
        source = os.path.join(DATA, 'aix', name + '.trc')
        everything = rows(source, without=['time', 'process', 'cpu'])
        for count in (2, 7):
            path = select('aix', source, [], '--count', str(count))
            for fault in check_log(path, source, [row for row in everything[:count] if 'hook' in row]):
                yield f'{name}, {count} records: {fault}'
            with open(source, 'rb') as file:
                piped = polytrace(
                    'convert', '-f', 'aix', '--count', str(count), '-', '-t', 'aix', '-o', '-', stdin=file)
            if piped.stdout != open(path, 'rb').read():
                yield f'{name}, {count} records: a pipe has other bytes'
            for packed in ['ptz'] * (not {'xxhash', 'zstd'} & set(LACKS)) + ['jsonl'] * ('jansson' not in LACKS):
                held, again = path_of('held.' + packed), path_of('again.aix')
                polytrace('convert', '--force', '--count', str(count), source, '-o', held)
                polytrace('convert', '--force', held, '-o', again)
                if open(path, 'rb').read() != open(again, 'rb').read():
                    yield f'{name}, {count} records: other bytes by way of {packed}'
        path = select('aix', source, [], '-w', 'row != 3')
        for fault in check_log(path, source, [row for i, row in enumerate(everything) if i != 2 and 'hook' in row]):
            yield f'{name}, without a row: {fault}'
        path = select('aix', source, [])
        if open(path, 'rb').read() != open(source, 'rb').read():
            yield f'{name}: the complete log has other bytes'


def truncated_times_are_stated():
    # The record before the last one has bytes of its own, and a time beyond a wrap of the timer.
    for name in 'log1111', 'log1112', 'raw32':
        source = os.path.join(DATA, 'aix', name + '.trc')
        for selection, stated in ([], False), (['--tail', '2'], True), (['--tail', '1'], True):
            done = polytrace('convert', '--force', '-f', 'aix', *selection, source, '-t', 'aix', '-o', path_of('times'))
            if done.returncode or (b'times were truncated to the 32 bits of the timer (once)' in done.stderr) != stated:
                yield f'{name} {selection}: {done}'


def split_logs_are_new_logs():
    source = os.path.join(DATA, 'aix', 'wrapped1113.trc')
    expected, found = events(source), []
    polytrace('split', '--records', '4', source, '-o', path_of('part.aix'))
    for i in range(1, 100):
        part = path_of(f'part.{i}.aix')
        if not os.path.exists(part):
            break
        shown = events(part)
        found += shown
        yield from check_log(part, source, shown)
    if found != expected or i < 4:
        yield f'{i - 1} parts: {found}, expected {expected}'


def files_of_datasets_are_selections():
    if 'jansson' in LACKS:
        return
    polytrace('convert', '--partition', 'kind', '-t', 'jsonl', os.path.join(DATA, 'aix', 'log1113.trc'), '-o', path_of('set'))
    for kind in 'event', 'other':
        again = path_of('again.aix')
        polytrace('convert', '--force', path_of(f'set/kind={kind}/part-0.jsonl'), '-o', again)
        if not verdict(again)[0].startswith('valid'):
            yield f'{kind}: {verdict(again)}'


def joined_files_of_processors_keep_their_events():
    sources = [os.path.join(DATA, 'aix', name) for name in ('base-0.trc', 'base-1.trc')]
    for order in sources, sources[::-1], sources[:1] * 2:
        path = path_of('joined.aix')
        done = polytrace('join', '--force', *order, '-o', path)
        expected = [row for source in order for row in events(source)]
        with_cpu = [row for source in order for row in rows(source) if 'cpu' in row]
        kept = [row for row in rows(path) if 'cpu' in row]
        dropped = b'cpu ids of events were dropped (8 times)' in done.stderr
        if done.returncode or events(path) != expected:
            yield f'{order}: {done.stderr}'
        if len(kept) != (8 if order[0] == order[1] else 0) or dropped != (not kept) or len(with_cpu) != 8:
            yield f'{order}: {len(with_cpu)} rows with a processor, {len(kept)} written: {done.stderr}'


def an_empty_file_is_an_empty_trace():
    for form in 'tt6', 'tt6e', 'aix':
        path, copy = path_of('empty.' + form), path_of('copy.' + form)
        open(path, 'wb').close()
        for options in [], ['-f', form]:
            if verdict(path, *options) != ('valid', 0):
                yield f'{form} {options}: {verdict(path, *options)}'
        done = polytrace('convert', '--force', path, '-o', copy)
        if done.returncode or done.stderr or os.path.getsize(copy):
            yield f'{form}: {done}, {os.path.getsize(copy)} bytes'
        for size in 1, 3:
            with open(path, 'wb') as file:
                file.write(bytes(size))
            if verdict(path, '-f', form)[0].startswith('valid'):
                yield f'{form}: {size} bytes are {verdict(path, "-f", form)}'


tap.run([selections_are_valid_traces_of_the_same_rows, selections_of_logs_are_new_logs, truncated_times_are_stated,
         split_logs_are_new_logs, files_of_datasets_are_selections, joined_files_of_processors_keep_their_events,
         an_empty_file_is_an_empty_trace])
