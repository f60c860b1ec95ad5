#!/usr/bin/env python3
"""What commands print does not depend on the number of threads, as TAP.

    threads.py POLYTRACE

Files are repeated until they are cut into chunks, and their rows into slices.
"""
import itertools
import os
import random
import struct
import subprocess
import sys
import tempfile

import tap
from sampling import sampled

DATA = os.path.join(os.environ['POLYTRACE_ROOT'], 'tests', 'data')
LACKS = os.environ['POLYTRACE_LACKS'].split()
PROGRAM = os.path.abspath(sys.argv[1])
FOLDER = tempfile.TemporaryDirectory()
SIZE = 400000

# Files, and their formats.
FILES = {'cis501/sort_1k.trace': 'cis501', 'qemu4v/arm_start_2k.q4v': 'qemu4v', 'din/sizes.din': 'din',
         'bach/bios_irq_4k.bach': 'bach', 'amber/thread_001.tt6e': 'tt6e',
         'jsonl/columns.jsonl': 'jsonl', 'full/start.full1008': 'full'}
COMMANDS = [['view'], ['view', '-w', 'row % 3 != 0'], ['view', '--columns', 'row,pc,address,text,kind'],
            ['view', '--columns', 'site,pc'], ['view', '--csv', '--columns', 'row,site'],
            ['convert', '-t', 'jsonl', '-c', 'site,pc', '-o', '-'],
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


# Sources and targets whose lines depend on preceding ones, through numbers, times or pending accesses.
CONVERSIONS = [('qemu4v/arm_start_2k.q4v', 'tarmac'), ('tarmac/calls.tarmac', 'qemu4v'),
               ('amber/thread_001.tt6e', 'qemu4v'), ('amber/thread_001.tt6e', 'tarmac'),
               ('bach/bios_irq_4k.bach', 'byutr'), ('byutr/types16.tr', 'byutr'),
               ('qemu4v/arm_start_2k.q4v', 'lackey'), ('lackey/words.lackey', 'lackey'),
               ('amber/thread_001.tt6', 'tt6e'), ('amber/thread_001.tt6e', 'tt6'), ('amber/sync.tt6', 'tt6'),
               ('tt6/isamix.tt6e', 'tt6e')]
SELECTIONS = [[], ['-w', 'kind != instruction or row % 3 != 0']]


def conversions_do_not_depend_on_threads():
    for (name, target), selection in sampled(itertools.product(CONVERSIONS, SELECTIONS)):
        zeros = ['-T', f'{target}.missing=zero'] if 'tt6' in target else []
        yield from compared(['convert', '--force', *selection, *zeros, repeated(name), '-t', target, '-o', '-'])


def failures_name_records_of_the_trace():
    path = os.path.join(FOLDER.name, 'blank.txt')
    with open(path, 'w', encoding='ascii') as file:
        for i in range(4000):
            file.write(f'{i * 4:x} {"a b" if i == 2002 else "x"}\n')
    words = ['convert', '-w', 'row % 3 != 0', '--from', 'text:pc:hex,text:rest', '-t', 'text:text,pc:hex', '-o', '-', path]
    yield from compared(words)
    if b'record 2003,' not in outcome(words, [])[2]:
        yield 'not record 2003'


def long_lines_do_not_change_widths_and_sizes():
    """A chunk has fewer rows than a listing measures; a later one has a longer cell."""
    path = os.path.join(FOLDER.name, 'long.txt')
    with open(path, 'w', encoding='ascii') as file:
        for i in range(1600):
            file.write(f'{i * 4 if i != 700 else 1 << 60:x} {"x" * 1500}\n')
    for command in ['view'], ['view', '-c', 'pc,row'], ['info']:
        yield from compared([*command, path, '--from', 'text:pc:hex,text:rest'])


def a_later_processor_does_not_change_lines():
    path = os.path.join(FOLDER.name, 'processors.txt')
    with open(path, 'w', encoding='ascii') as file:
        for i in range(1600):
            file.write(f'{i * 4:x} 4770 {"-" if i == 0 else int(i > 700)} {"x" * 1500}\n')
    form = 'text:pc:hex,opcode:hex,cpu:|-,text:rest'
    for selection in [], ['-w', 'row > 1']:
        yield from compared(['convert', *selection, '-t', 'tarmac', '-o', '-', path, '--from', form])


def write_log(path, count):
    """Events of type E: hook word, five words, thread and time; some are dispatches, or have no template."""
    choose = random.Random(1)
    with open(path, 'wb') as file:
        for i in range(count):
            hook = choose.choice((0x106, 0x140, 0x140, 0x140, 0x141, 0x142, 0x143, 0x144, 0x145, 0x146, 0x147))
            words = [choose.randrange(6) for _ in range(5)]
            if hook == 0x106:
                words[:2] = words[1] * 16, words[1]
            file.write(struct.pack('>8I', hook << 20 | 0xe0000 | i % 7, *words, i % 6, 1000 + 30 * i))


# Independent ones; with timers, skipped events, paths of programs, the template 008, and faults.
LOG_TEMPLATES = """008 1.0 L=INT "default" X4 pfsrdwrinstall1($D1)
106 1.0 L=KERN "dispatch" O2.0 D4
140 1.0 L=APPL "plain" O2.0 X4 D4 \\n "second line" $EXECPATH
141 1.0 L=SVC endtimer(0x141,$D1) starttimer(0x141,$D1) "timer"
142 1.0 L=SVC "skips" O2.0 U4, 1 { $SKIP }, 2 "two" "other"
143 1.0 L=KERN "path" O2.0 P4
144 1.0 L=KERN "by 008:" $DEFAULT "end"
145 1.0 L=SVC "macro" {{ $A = $A + 1 }} $A O4 X4 G40.0 X4
146 1.0 L=INT flih() "interrupt" setdelim() D2 D2
"""
LINE_NUMBERS = '147 1.0 L=APPL "line" $LINENO\n'


def reports_do_not_depend_on_threads():
    log, templates = os.path.join(FOLDER.name, 'log.aix'), os.path.join(FOLDER.name, 'templates')
    write_log(log, 8000)
    for text in LOG_TEMPLATES, LOG_TEMPLATES + LINE_NUMBERS:
        with open(templates, 'w', encoding='ascii') as file:
            file.write(text)
        columns = 'exec=on,pid=on,tid=on,svc=on,aix.columns=exec:20'
        for options in [], ['-O', columns], ['--json'], ['--csv'], ['-d', '140,142'], ['-O', 'pagesize=40']:
            yield from compared(['trcrpt', *options, '-t', templates, '--from', 'aix', log], '--decoders')


def write_references(path, count):
    """Reads, writes and fetches: sequential ones, scans of an array, and random ones."""
    choose = random.Random(2)
    address = 0
    with open(path, 'w', encoding='ascii') as file:
        for i in range(count):
            kind = choose.choice('0122')
            chance = choose.random()
            address = address + 4 if chance < 0.7 else i * 8 % 300000 if chance < 0.9 else choose.randrange(1 << 28)
            file.write(f'{kind} {address:x}\n')


def simulations_do_not_depend_on_threads():
    """Blocks of several parts; lines in parts before, and beyond the limit of memory."""
    path = os.path.join(FOLDER.name, 'references.din')
    write_references(path, 600000)
    for options in sampled(SIMULATIONS):
        yield from compared(['sim', *options, '--json', '--from', 'din', path])


SIMULATIONS = [['mrc'], ['mrc', '--warmup=100000'], ['mrc', '-Omrc.line=1', '--limit=memory=128M'],
               ['cache'], ['cache', '--warmup=100000', '--sweep=size=4k,ways=4,policy=srrip,line=32'],
               ['cache', '-Ocache.of=all', '--sweep=size=1k..64k,line=16,64,policy=lru,fifo,random,drrip'],
               ['cache', '--sweep=size=16k,ways=2,policy=pointer,write=through,allocate=no,valid=no'],
               ['mrc', '-Omrc.sets=1'], ['mrc', '-Omrc.threads=1'], ['mrc', '-Omrc.sample=3', '--every=3']]

tap.run([outputs_do_not_depend_on_threads, traces_do_not_depend_on_threads, conversions_do_not_depend_on_threads,
         failures_name_records_of_the_trace, long_lines_do_not_change_widths_and_sizes,
         a_later_processor_does_not_change_lines, reports_do_not_depend_on_threads,
         simulations_do_not_depend_on_threads])
