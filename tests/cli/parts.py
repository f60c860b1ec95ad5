#!/usr/bin/env python3
"""Splits samples and joins their parts again, as TAP.

    parts.py POLYTRACE
"""
import glob
import gzip
import os
import re
import subprocess
import sys
import tempfile

import tap

ROOT = os.environ['POLYTRACE_ROOT']
sys.path.insert(0, os.path.join(ROOT, 'tests'))
import sampling

DATA = os.path.join(ROOT, 'tests', 'data')
PROGRAM = os.path.abspath(sys.argv[1])
# Samples whose joined parts differ in bytes, with the reason.
OTHER = {'tarmac/units.tarmac': 'its parts have units of their own',
         'lackey/words.lackey': 'a line of two records ends a part',
         'champsim/forms.champsim': 'a record of several rows ends a part',
         'champsim/free.champsim': 'a record of several rows ends a part',
         'champsim/layout72.champsim': 'a record of several rows ends a part',
         'champsim/load_type.champsim': 'a record of several rows ends a part',
         'champsim/cloudsuite.champsim': 'a record of several rows ends a part',
         'jsonl/cut.jsonl': 'its truncated line is not a record of a part',
         'sbbt/forms.sbbt': 'parts count the instructions before them',
         'sbbt/free.sbbt': 'parts count the instructions before them',
         'oraclegeneral/random.oracleGeneral': 'parts have next requests of their own',
         'ptz/sort_1k.ptz': 'segments are packed again', 'ptz/altivec.ptz': 'segments are packed again'}


# The branch to itself that TT6 has at a discontinuity of the pc (Apple amber traces 3).
SPLICE = '0x48000000'


def polytrace(*arguments):
    if arguments[0] in ('split', 'join'):
        arguments = (arguments[0], '--partial', *arguments[1:])  # for truncated samples
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise AssertionError(f'{arguments}: {done.stderr.decode()}')
    return done.stdout


def samples():
    """Formats and files of the list of samples that are readable without options and can be written."""
    lacks, writable = os.environ.get('POLYTRACE_LACKS', '').split(), sampling.writable(PROGRAM)
    for line in open(os.path.join(DATA, 'samples')):
        words = line.split()
        if len(words) == 2 and words[0] in writable and sampling.needed(*words) not in lacks:
            yield words


def content(path):
    return (gzip.open if path.endswith('.gz') else open)(path, 'rb').read()


def in_order(folder):
    """Parts by the number in their names."""
    return sorted(glob.glob(os.path.join(folder, 'part.*')),
                  key=lambda path: int(re.search(r'part\.(\d+)\.', path)[1]))


def rows(path, form):
    """Instructions, without the splices; or events."""
    instructions = f'kind == instruction and opcode != {SPLICE}', '-c', 'pc,opcode,access,address'
    events = 'kind == event', '-c', 'hook,subhook,thread,payload'
    return polytrace('view', '--csv', '--partial', '--from', form, '-w', *(events if form == 'aix' else instructions),
                     path)


def parts_by_record_count_join_to_the_whole():
    for form, name in sampling.some(samples()):
        with tempfile.TemporaryDirectory() as folder:
            path, joined = os.path.join(DATA, name), os.path.join(folder, 'joined')
            polytrace('split', '--from', form, '--records', '60', path, '-o',
                      os.path.join(folder, 'part.x'))
            # A line of riscv-log is several rows, which may be in different parts.
            if name in OTHER or form == 'riscv-log':
                continue
            polytrace('join', '--from', form, *in_order(folder), '-o', joined)
            # Formats with an initial PC have splices between parts; parts of AIX logs are new logs.
            if form.startswith('tt6') or form == 'aix':
                same = rows(path, form) == rows(joined, form)
            else:
                same = content(path) == content(joined)
            if not same:
                yield f'{form} {name}'


def parts_have_the_records_of_their_value():
    for name, column in (('tarmac/owner.tarmac', 'cpu'), ('cis501/sort_1k.trace', 'mnemonic'),
                         ('tarmac/calls.tarmac', 'reg'), ('bach/start_2k.bach', 'access')):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(DATA, name)
            listing = polytrace('view', '--csv', path)
            polytrace('split', '--by', column, path, '-o', os.path.join(folder, 'part.x'))
            header, *lines = listing.splitlines()
            at = header.split(b',').index(column.encode())
            total = 0
            form = polytrace('info', '--csv', path)
            form = re.search(rb'trace,format,(\S+)', form)[1].decode()
            for part in glob.glob(os.path.join(folder, 'part.*')):
                value = re.search(r'part\.(.*)\.x$', part)[1]
                value = '' if value == 'without' else value
                wanted = [line for line in lines if line.split(b',')[at].decode() == value]
                got = polytrace('view', '--csv', '--from', form, part).splitlines()[1:]
                total += len(got)
                if len(got) != len(wanted):
                    yield f'{name} {column} {value}: {len(got)}, expected {len(wanted)}'
            if total != len(lines):
                yield f'{name} {column}: {total} of {len(lines)}'


def parts_by_time_contain_that_time():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(DATA, 'tarmac/calls.tarmac')
        polytrace('split', '--time', '10', path, '-o', os.path.join(folder, 'part.tarmac'))
        for part in in_order(folder):
            number = int(re.search(r'part\.(\d+)\.', part)[1])
            times = {int(line.split()[0]) // 10 for line in open(part)}
            if times != {number - 1}:
                yield f'{part}: {times}'
        if b''.join(content(part) for part in in_order(folder)) != content(path):
            yield 'the joined parts differ'


tap.run([parts_by_record_count_join_to_the_whole, parts_have_the_records_of_their_value,
         parts_by_time_contain_that_time])
