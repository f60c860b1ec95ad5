#!/usr/bin/env python3
"""Truncated traces, in every format and container, as TAP.

    truncation.py POLYTRACE SAMPLES

Each sample is cut at random places, as it is and compressed. What check, convert and view say of
the rest is compared with the place of the cut, and the rows with those of the complete trace.
"""
import gzip
import json
import lzma
import os
import random
import shutil
import subprocess
import sys
import tempfile

import tap

ROOT = os.environ['POLYTRACE_ROOT']
sys.path.insert(0, os.path.join(ROOT, 'tests'))
import sampling  # noqa: E402

DATA = os.path.join(ROOT, 'tests', 'data')
PROGRAM = os.path.abspath(sys.argv[1])
LACKS = os.environ.get('POLYTRACE_LACKS', '').split()
CUTS = 2  # of each sample and container

# Text in which a line that is cut may be a record: a finding reports its missing newline.
TEXT = ['cis501', 'cis501v2', 'qemu4v', 'tarmac', 'lackey', 'din', 'bach-text', 'text']
# Samples whose rows depend on later ones, with the reason.
LATER = {'tarmac/owner.tarmac': 'the processor of an access follows from later lines',
         'champsim/forms.champsim': 'the target of a branch follows from the next record',
         'champsim/free.champsim': 'the target of a branch follows from the next record',
         'aix/raw64.trc': 'the size of hook words follows from later entries',
         'aix/wrapped1112.trc': 'blocks are read in the order of their times',
         'aix/wrapped1113.trc': 'blocks are read in the order of their times'}


def polytrace(*arguments):
    """Status, output and messages of the command."""
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr.decode('utf-8', 'backslashreplace')


def content(path):
    return (gzip.open if path.endswith('.gz') else open)(path, 'rb').read()


def zstd(data):
    return subprocess.run(['zstd', '-q', '-c'], input=data, capture_output=True, check=True).stdout


CONTAINERS = {'': lambda data: data, '.gz': gzip.compress, '.xz': lzma.compress, '.zst': zstd}


def containers():
    for ending, compress in CONTAINERS.items():
        lacking = {'.gz': 'isal', '.xz': 'lzma', '.zst': 'zstd'}.get(ending)
        if lacking not in LACKS and (ending != '.zst' or shutil.which('zstd')):
            yield ending, compress


def samples():
    for line in open(sys.argv[2]):
        words = line.split()
        if len(words) < 2 or words[0] == '#' or not os.path.exists(os.path.join(DATA, words[1])):
            continue
        lacking = 'jansson' if words[0] == 'jsonl' else 'isal' if words[1].endswith('.gz') else ''
        if lacking not in LACKS:
            options = [word for option in words[2:] for word in ('-O', option)]
            yield words[0], words[1], ['--from', words[0], *options]


def rows(path, options):
    """The rows before corrupt ones, with their offsets, and the exit status."""
    code, text, errors = polytrace('convert', *options, path, '-t', 'jsonl', '-o', '-')
    return code, text.split(b'\n')[1:-1], errors


def verdict(path, options):
    code, text, errors = polytrace('check', '--json', *options, path)
    report = json.loads(text) if text else {}
    return code, report.get('verdict'), [row['code'] for row in report.get('findings', [])], errors


def compare(kept, complete):
    """The first row before the cut that differs."""
    # The last row may be what is left of a record, and the one before may depend on it.
    before = kept[:-2]
    if before == complete[:len(before)]:
        return None
    at = next(i for i, row in enumerate(before) if complete[i:i + 1] != [row])
    return f'row {at + 1} differs: {before[at][:200]!r}, {complete[at][:200]!r}'


def repair(path, form, options, how):
    """What is wrong with what the command writes, in the same format, of a corrupt trace."""
    out = path + '.repaired'
    code, _, errors = polytrace('convert', '--force', how, *options, path, '-t', form, '-o', out)
    if 'can only be read' in errors or 'requires columns' in errors:
        return None
    if code == 2:
        return f'{how}: {errors}'
    if os.path.getsize(out) == 0:
        return None  # no record was complete
    again = ['--from', form, *options[2:]]
    stated, found = verdict(out, again)[1:3]
    if stated not in ('valid', 'valid with warnings', 'not understood') and how == '--partial':
        return f'{how}: the result is {stated}: {found}'
    # Corrupt data end the rows, but violated rules do not.
    _, written, messages = rows(out, again)
    if any(b'"record":"corrupt"' in row for row in written):
        return f'{how}: the result has corrupt data: {messages}'
    if form != 'aix' and written != rows(path, [*options, how])[1]:
        return f'{how}: the rows of the result differ'
    return None


def check_cut(folder, form, options, data, size, ending, complete):
    """Reports what is wrong with the reading of the first size bytes of data."""
    path = os.path.join(folder, 'cut' + ending)
    with open(path, 'wb') as file:
        file.write(data[:size])
    code, stated, found, errors = verdict(path, options)
    status, some, messages = rows(path, options)
    partial, kept, notes = rows(path, [*options, '--partial'])
    if status < 0 or code < 0 or partial < 0:
        return 'a signal'
    # A packed trace has no records without its head, and no trace means no unit of its times.
    if status == 2 and not kept and any(word in notes for word in (
            'within its head', 'within its magic', 'cannot be converted')):
        return None
    if stated == 'truncated':
        if (code, status, partial) != (1, 2, 0):
            return f'truncated, but statuses {code}, {status}, {partial}: {messages}{notes}'
        if '--partial' not in messages:
            return f'no remedy: {messages}'
    elif stated == 'invalid' and found == ['unknown']:
        if (code, status, partial) != (1, 2, 2):
            return f'no trace, but statuses {code}, {status}, {partial}'
    elif stated == 'invalid':
        return f'a cut {ending} is invalid, not truncated: {found}'
    elif ending:
        return f'a cut {ending} is {stated}: {errors}'
    elif form in TEXT and data[size - 1:size] != b'\n' and not found:
        return f'a cut line is {stated} without a finding'
    if kept != some[:len(kept)] or len(kept) < len(some) - 2:
        return '--partial changes rows'
    if stated == 'truncated':
        fault = repair(path, form, options, '--partial')
        if fault:
            return fault
    return compare(kept, complete) if complete else None


def cuts(seed, size):
    numbers = random.Random(seed)
    return sorted({numbers.randrange(1, size) for _ in range(CUTS)} | {size - 1}) if size > 1 else []


def every_cut_is_reported():
    for form, name, options in sampling.sampled(samples()):
        path = os.path.join(DATA, name)
        data = content(path) if name.endswith('.gz') else open(path, 'rb').read()
        with tempfile.TemporaryDirectory() as folder:
            original = os.path.join(folder, 'complete')
            with open(original, 'wb') as file:
                file.write(data)
            status, complete, _ = rows(original, options)
            if name in LATER:
                complete = None
            valid = verdict(original, options)[1] in ('valid', 'valid with warnings')
            for ending, compress in containers():
                packed = compress(data)
                for size in cuts(name + ending, len(packed)):
                    fault = check_cut(folder, form, options, packed, size, ending, complete)
                    if fault and (valid or 'signal' in fault):
                        yield f'{form} {name}{ending} at {size} of {len(packed)}: {fault}'


def a_cut_packed_trace_is_truncated():
    for form, name, options in sampling.sampled(samples()):
        if form == 'ptz':
            continue
        with tempfile.TemporaryDirectory() as folder:
            packed = os.path.join(folder, 'x.ptz')
            if polytrace('pack', '--force', *options, os.path.join(DATA, name), '-o', packed)[0] != 0:
                continue
            data = open(packed, 'rb').read()
            complete = rows(packed, [])[1]
            for size in cuts(name, len(data)):
                fault = check_cut(folder, 'ptz', ['--from', 'ptz'], data, size, '', complete)
                if fault:
                    yield f'{name}: at {size} of {len(data)}: {fault}'


def what_is_written_without_corrupt_data_is_valid():
    """16 bytes in the middle of a trace, and a line, are overwritten."""
    for form, name, options in sampling.sampled(samples()):
        path = os.path.join(DATA, name)
        data = content(path) if name.endswith('.gz') else open(path, 'rb').read()
        middle = len(data) // 2
        line = data.find(b'\n', middle) + 1
        with tempfile.TemporaryDirectory() as folder:
            corrupt = os.path.join(folder, 'corrupt')
            for at, junk in ((middle, b'\xff' * 16), (line, b'? junk\n')):
                with open(corrupt, 'wb') as file:
                    file.write(data[:at] + junk + data[at + len(junk):])
                code, _, errors = polytrace('info', '--on-error=skip', *options, corrupt)
                fault = repair(corrupt, form, options, '--on-error=skip') if code != 2 else None
                if fault:
                    yield f'{form} {name}, byte {at}: {fault}'


def every_reading_command_ends_with_status_2():
    path = os.path.join(DATA, 'cis501', 'sort_1k.trace')
    with tempfile.TemporaryDirectory() as folder:
        cut = os.path.join(folder, 'cut.trace')
        with open(cut, 'wb') as file:
            file.write(content(path)[:20000])
        out = os.path.join(folder, 'out')
        for arguments in (['info'], ['view'], ['stats', '-a', 'mix'], ['sim', 'cache'], ['calls'], ['state', '-s', '5'],
                          ['convert', '--force', '-t', 'csv', '-o', out], ['join', '--force', '-o', out],
                          *([] if 'xxhash' in LACKS or 'zstd' in LACKS else [['pack', '--force', '-o', out]]),
                          ['split', '--records', '50', '-o', out + '.trace'], ['report', '-o', out + '.html'],
                          ['diff', path]):
            code, _, errors = polytrace(*arguments, cut)
            if code != 2 or 'truncated' not in errors:
                yield f'{arguments}: status {code}: {errors}'
            shutil.rmtree(folder, ignore_errors=True)
            os.mkdir(folder)
            with open(cut, 'wb') as file:
                file.write(content(path)[:20000])
            code, _, errors = polytrace(*arguments, '--partial', cut)
            if code == 2 or 'truncated' not in errors:
                yield f'{arguments} --partial: status {code}: {errors}'
            if '-o' in arguments and not any(name.startswith('out') for name in os.listdir(folder)):
                yield f'{arguments} --partial: no output'


def skipped_entries_of_aix_logs_are_errors():
    for name in ('damaged1112.trc', 'damaged32.trc', 'damaged64.trc'):
        path = os.path.join(DATA, 'aix', name)
        code, found, _, _ = verdict(path, [])
        if (code, found) != (1, 'invalid'):
            yield f'{name}: {found}, {code}'
        for arguments in (['view'], ['info'], ['convert', '-t', 'jsonl', '-o', '-'], ['trcrpt']):
            statuses = polytrace(*arguments, path)[0], polytrace(*arguments, '--on-error=skip', path)[0]
            if statuses != (2, 1):
                yield f'{name}: {arguments}: {statuses}'


def verdicts_have_their_statuses():
    """valid 0, valid with warnings 0 and 1 under --strict, invalid and truncated 1."""
    trace = content(os.path.join(DATA, 'qemu4v', 'arm_start_2k.q4v'))
    lines = trace.split(b'\n')[:40]
    good = b'\n'.join(lines) + b'\n'
    cases = [('valid', good, 0, 0), ('valid with warnings', good[:-1], 0, 1),
             ('truncated', good + b'41 clk 0 IT (4', 1, 1)]
    with tempfile.TemporaryDirectory() as folder:
        for stated, data, status, strict in cases:
            path = os.path.join(folder, 'x.q4v')
            with open(path, 'wb') as file:
                file.write(data)
            code, found, _, _ = verdict(path, [])
            if (found, code) != (stated, status):
                yield f'{stated}: {found}, {code}'
            code, found, _, _ = verdict(path, ['--strict'])
            if code != strict:
                yield f'{stated} --strict: {found}, {code}'
        path = os.path.join(folder, 'x.trace')
        with open(path, 'wb') as file:
            file.write(content(os.path.join(DATA, 'cis501', 'sort_1k.trace'))[:5000].replace(b' ', b'\n', 50) + b'\n')
        code, found, _, _ = verdict(path, ['--from', 'cis501'])
        if (found, code) != ('invalid', 1):
            yield f'invalid: {found}, {code}'


tap.run([every_cut_is_reported, what_is_written_without_corrupt_data_is_valid, a_cut_packed_trace_is_truncated,
         every_reading_command_ends_with_status_2, skipped_entries_of_aix_logs_are_errors,
         verdicts_have_their_statuses])
