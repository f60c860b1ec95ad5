#!/usr/bin/env python3
"""Appends every sample to itself, packed, as TAP: what is read is read twice, and what is unpacked
are the bytes twice, where the format has no head.

    appending.py POLYTRACE
"""
import gzip
import os
import subprocess
import sys
import tempfile

ROOT = os.environ['POLYTRACE_ROOT']
sys.path.insert(0, os.path.join(ROOT, 'tests'))
import sampling

DATA = os.path.join(ROOT, 'tests', 'data')
PROGRAM = os.path.abspath(sys.argv[1])
LACKS = os.environ.get('POLYTRACE_LACKS', '').split()
# Formats with a header, by polytrace-pack(1).
HEADED = {'full', 'tt6', 'tt6e', 'jsonl', 'aix', 'sbbt'}


def polytrace(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, stdin=subprocess.DEVNULL)


def rows(path):
    """The rows of a packed trace."""
    return polytrace('convert', '--to', 'csv', '-o', '-', path).stdout.splitlines()[1:]


def fault(form, path, folder):
    """What is wrong with a sample that was appended to itself."""
    packed = os.path.join(folder, 'packed.ptz')
    for words in (['-o', packed], ['--append', packed]):
        single = rows(packed) if os.path.exists(packed) else []
        done = polytrace('pack', '--partial', '--from', form, *words, path)
        if done.returncode or not done.stderr.split(b'\n')[-2].endswith(b' verified'):
            return done.stderr.decode('utf-8', 'replace')
    if rows(packed) != 2 * single:
        return 'other rows'
    if form in HEADED:
        return ''
    content = (gzip.open if path.endswith('.gz') else open)(path, 'rb').read()
    done = polytrace('unpack', packed, '-o', '-')
    return '' if done.stdout == 2 * content else 'other bytes'


def refusal_fault(path, folder):
    """What is wrong with the refusal to pack a format that cannot be written."""
    packed = os.path.join(folder, 'packed.ptz')
    done = polytrace('pack', '-o', packed, path)
    refused = done.returncode == 2 and b'cannot be written' in done.stderr and not os.path.exists(packed)
    return '' if refused else f'{done.returncode}: ' + done.stderr.decode('utf-8', 'replace')


def main():
    if 'xxhash' in LACKS or 'zstd' in LACKS:
        print('1..0 # SKIP xxHash or Zstandard is missing')
        return
    number, writable = 0, sampling.writable(PROGRAM)
    for line in sampling.sampled(open(os.path.join(DATA, 'samples'))):
        words = line.split()
        if len(words) != 2 or words[0] in ('#', 'ptz') or sampling.needed(*words) in LACKS:
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(DATA, words[1])
            found = fault(words[0], path, folder) if words[0] in writable else refusal_fault(path, folder)
        number += 1
        print('\n'.join('# ' + text for text in found.splitlines()))
        print(f'{"not " if found else ""}ok {number} - what_is_appended_is_read_twice: {line.strip()}')
    print(f'1..{number}')


main()
