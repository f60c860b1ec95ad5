#!/usr/bin/env python3
"""What commands print does not depend on the number of threads, as TAP.

    threads.py POLYTRACE

Files are repeated until they are cut into chunks, and their rows into slices.
"""
import os
import subprocess
import sys
import tempfile

import tap
from sampling import sampled

DATA = os.path.join(os.environ['POLYTRACE_ROOT'], 'tests', 'data')
LACKS = os.environ['POLYTRACE_LACKS'].split()
PROGRAM = os.path.abspath(sys.argv[1])
FOLDER = tempfile.TemporaryDirectory()
SIZE = 500000

# Files, and their formats.
FILES = {'cis501/sort_1k.trace': 'cis501', 'qemu4v/arm_start_2k.q4v': 'qemu4v', 'din/sizes.din': 'din',
         'bach/bios_irq_4k.bach': 'bach', 'amber/thread_001.tt6e': 'tt6e', 'lackey/words.lackey': 'lackey',
         'jsonl/columns.jsonl': 'jsonl', 'full/start.full1008': 'full'}
COMMANDS = [['view'], ['view', '-w', 'row % 3 != 0'], ['view', '--columns', 'row,pc,address,text,kind'],
            ['convert', '-t', 'csv', '-o', '-'], ['convert', '-t', 'text:kind,address:0x|-,pc:hex|-', '-o', '-'],
            ['check'], ['info'], ['info', '--count', '7000']]


def repeated(name):
    path = os.path.join(FOLDER.name, os.path.basename(name))
    if not os.path.exists(path):
        with open(os.path.join(DATA, name), 'rb') as source:
            content = source.read()
        with open(path, 'wb') as copy:
            copy.write(content * (SIZE // len(content) + 1))
    return path


def outcome(words, threads):
    done = subprocess.run([PROGRAM, words[0], *threads, *words[1:]], capture_output=True,
                          stdin=subprocess.DEVNULL, check=False)
    return done.returncode, done.stdout, done.stderr


def compared(words, switch='--threads'):
    """Faults of a command that is run by several numbers of threads."""
    expected = outcome(words, [f'{switch}=1'])
    if len(expected[1]) < 100 and not expected[2]:
        yield f'{words}: no output'
    for threads in 2, 3, 8:
        found = outcome(words, [f'{switch}={threads}'])
        for part, name in enumerate(('status', 'output', 'messages')):
            if found[part] != expected[part]:
                yield f'{words}, {threads} threads: other {name}'


def outputs_do_not_depend_on_threads():
    files = [name for name in FILES if FILES[name] != 'jsonl' or 'jansson' not in LACKS]
    for name, command in sampled([(name, command) for name in files for command in COMMANDS]):
        yield from compared([*command, repeated(name), '--from', FILES[name]])


def traces_do_not_depend_on_threads():
    for name, form in sampled([(name, form) for name, form in FILES.items() if form != 'jsonl']):
        yield from compared(['convert', '--force', repeated(name), '--from', form, '-t', form, '-o', '-'])


def long_lines_do_not_change_widths_and_sizes():
    """A chunk has fewer rows than a listing measures; a later one has a longer cell."""
    path = os.path.join(FOLDER.name, 'long.txt')
    with open(path, 'w', encoding='ascii') as file:
        for i in range(1600):
            file.write(f'{i * 4 if i != 700 else 1 << 60:x} {"x" * 1500}\n')
    for command in ['view'], ['view', '-c', 'pc,row'], ['info']:
        yield from compared([*command, path, '--from', 'text:pc:hex,text:rest'])


tap.run([outputs_do_not_depend_on_threads, traces_do_not_depend_on_threads, long_lines_do_not_change_widths_and_sizes])
