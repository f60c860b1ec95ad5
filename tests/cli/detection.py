#!/usr/bin/env python3
"""Detects the formats of small and foreign inputs, as TAP.

    detection.py POLYTRACE SAMPLES
"""
import gzip
import io
import json
import os
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile

import tap

ROOT = os.environ['POLYTRACE_ROOT']
sys.path.insert(0, os.path.join(ROOT, 'tests'))
import sampling  # noqa: E402

DATA = os.path.join(ROOT, 'tests', 'data')
PROGRAM = os.path.abspath(sys.argv[1])
LACKS = os.environ.get('POLYTRACE_LACKS', '').split()

# Text that states a record in full, by format.
LINES = {
    'qemu4v': '1 clk 0 IT (1) 00010600 f04f0b00 T usr : mov.w fp, #0\n',
    'lackey': 'I  04001090,3\n',
    'bach-text': '080498e0 fc NC_I_FETCH\n',
}

# Traces whose first records have the forms of a sibling, which content decides.
SIBLINGS = ['qemu4v/qemu4v-seed.txt']


def polytrace(*arguments, stdin=b''):
    """Status, output and messages of the command."""
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, input=stdin)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def detected(path):
    """The format that info reports; None if it is not detected. Blocks that the directory of an AIX log
    names may be missing from a part of it."""
    code, text, errors = polytrace('info', '--json', '--partial', path)
    return json.loads(text)['trace']['format'] if code == 0 and text else None


def content(path):
    return (gzip.open if path.endswith('.gz') else open)(path, 'rb').read()


def put(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, 'wb') as file:
        file.write(data)
    return path


def extension(form):
    """The first extension of a format."""
    code, text, _ = polytrace('formats', '--json', form)
    words = json.loads(text).get('extensions', '').split()
    return words[0] if words else None


def samples():
    for line in open(sys.argv[2]):
        words = line.split()
        if len(words) == 2 and words[0] != '#' and os.path.exists(os.path.join(DATA, words[1])):
            yield words


def the_first_records_are_a_trace_of_the_same_format():
    """Converted to its own format, any number of records is detected by the extension."""
    for form, name in sampling.sampled(samples()):
        if (name.endswith('.gz') and 'isal' in LACKS or form == 'jsonl' and 'jansson' in LACKS or
                name in SIBLINGS):
            continue
        with tempfile.TemporaryDirectory() as folder:
            for count in ('1', '2', '12'):
                path = os.path.join(folder, f'short{count}.{extension(form)}')
                code, _, errors = polytrace('convert', '--partial', '--from', form, '-n', count,
                                            os.path.join(DATA, name), '-t', form, '-o', path)
                if 'can only be read' in errors:
                    continue
                if code != 0:
                    yield f'{form} {name} -n {count}: convert {errors}'
                elif detected(path) != form:
                    yield f'{form} {name} -n {count}: {polytrace("info", path)[2]}'


def straight_line_code_is_detected_by_the_extension():
    """Loads (lwz r3,0(r4)) without a branch: an address each, and nothing redundant."""
    words = [0x1000]
    for i in range(2000):
        words += [0x80640000, 0xbffe0000 + 4 * i]
    data = struct.pack(f'>{len(words)}I', *words)
    with tempfile.TemporaryDirectory() as folder:
        for form in ('tt6', 'tt6e'):
            if detected(put(folder, 'sl.' + form, data)) != form:
                yield form
        if detected(put(folder, 'sl.bin', data)):
            yield 'without an extension'


def a_contradiction_outweighs_the_extension():
    with tempfile.TemporaryDirectory() as folder:
        # b +16 that leads elsewhere.
        data = struct.pack('>5I', 0x1000, 0x48000010, 0x2000, 0x4800_0010, 0x3000)
        if detected(put(folder, 'wrong.tt6', data)):
            yield 'tt6'
        for name in ('x.trace', 'x.q4v', 'x.lackey', 'x.din', 'x.cis501v2', 'x.tt6e', 'x.jsonl', 'x.bach',
                     'x.byutr', 'x.full', 'x.ptz', 'x.tarmac', 'x.bach.txt'):
            if detected(put(folder, name, b'Nothing that is a trace.\n')):
                yield name


def a_complete_line_needs_no_extension():
    with tempfile.TemporaryDirectory() as folder:
        for form, line in LINES.items():
            for ending in (line, line.rstrip('\n')):
                if detected(put(folder, 'line.txt', ending.encode())) != form:
                    yield f'{form}: {ending!r}'
        trace = content(os.path.join(DATA, 'cis501/sort_1k.trace')).split(b'\n')[0] + b'\n'
        if detected(put(folder, 'line.txt', trace)) != 'cis501':
            yield 'cis501'


def an_empty_file_has_the_format_of_its_extension():
    with tempfile.TemporaryDirectory() as folder:
        for form, ending in (('cis501', 'trace'), ('qemu4v', 'q4v'), ('bach', 'bach'), ('lackey', 'lackey'),
                             ('din', 'din'), ('byutr', 'byutr'), ('tarmac', 'tarmac')):
            path = put(folder, 'empty.' + ending, b'')
            if detected(path) != form:
                yield f'{form}: {polytrace("info", path)[2]}'
            code, text, errors = polytrace('view', path)
            if code != 0 or errors:
                yield f'{form}: view {code} {errors}'
        # A stream that is truncated before its first byte has the format of its extension, too.
        if 'isal' not in LACKS and detected(put(folder, 'cut.trace.gz', gzip.compress(b'x' * 99)[:11])) != 'cis501':
            yield 'cut.trace.gz'
        code, _, errors = polytrace('info', put(folder, 'empty', b''))
        if code != 2 or 'empty input' not in errors:
            yield errors


def supervisor_code_is_a_full_trace():
    """MSR.PR is bit 0x4000 of srr1, the second word of the state after the opcode."""
    for name, record, offset in (('full/thread_001.full1004.gz', 1004, 8), ('full/thread_001.full1008.gz', 1008, 8),
                                 ('full/start.full1008', 1008, 8), ('full/sort.full.gz', 1004, 8)):
        if name.endswith('.gz') and 'isal' in LACKS:
            continue
        for msr in ('cleared', 'zero', 'kernel'):
            data = bytearray(content(os.path.join(DATA, name)))
            for at in range(4 + offset, len(data) - 3, record):
                old, = struct.unpack_from('>I', data, at)
                new = {'cleared': old & ~0x4000, 'zero': 0, 'kernel': 0x9032}[msr]
                struct.pack_into('>I', data, at, new)
            code, text, errors = polytrace('check', '--json', '-', stdin=bytes(data))
            found = json.loads(text) if text else {}
            if code != 0 or found.get('format') != 'full' or found['records'] != (len(data) - 4) // record:
                yield f'{name} {msr}: {errors or text}'


def foreign_files_are_named():
    archive, packed = io.BytesIO(), io.BytesIO()
    with tarfile.open(fileobj=archive, mode='w') as file:
        file.add(os.path.join(DATA, 'samples'))
    with zipfile.ZipFile(packed, 'w') as file:
        file.writestr('a', archive.getvalue())
    csv = polytrace('convert', '-t', 'csv', '-o', '-', os.path.join(DATA, 'cis501/sort_1k.trace'))[1]
    vcd = polytrace('convert', '-t', 'vcd', '-o', '-', os.path.join(DATA, 'cis501/sort_1k.trace'))[1]
    for what, data in (('an ELF file', open(sys.executable, 'rb').read(4096)), ('a tar archive', archive.getvalue()),
                       ('a tar archive', gzip.compress(archive.getvalue()) if 'isal' not in LACKS else
                        archive.getvalue()),
                       ('a tar archive' if 'archive' not in LACKS else 'libarchive-dev', packed.getvalue()), ('an ar archive', b'!<arch>\nx'),
                       ('data compressed by snappy', b'\xff\x06\0\0sNaPpY' + bytes(20)),
                       ('CSV of trace columns', csv.encode()), ('comma-separated values', b'a,b\n1,2\n3,4\n'),
                       ('value change dump', vcd.encode()), ('JSON', b'{"traceEvents": [\n'),
                       ('JSON', b'[1, 2]\n'),
                       ('an STF trace', b'ZSTF' + bytes(20)), ('an STF trace', b'\1STF\1\2\1'),
                       ('a BT9 branch trace', b'BT9_SPA_TRACE_FORMAT\nbt9_minor_version: 0\n'),
                       ('a listing of OpenCSD', b'Idx:12; ID:10; [0x04 0x9d ]; I_ADDR_L_64IS0 : Address\n'),
                       ('a report of AIX trcrpt', b'\nID  PROCESS NAME   PID      ELAPSED_SEC     DELTA_MSEC\n'),
                       ('a debug log of gem5', b'    500: system.cpu: A0 T0 : 0x10000 @_start    : auipc gp, 0x2\n'),
                       ('a listing of perf script', b'dd 29776 666709.771979:   10101010 cpu-clock: \n\t414b3b fsnotify\n'),
                       ('a listing of perf script', b'ls 1/1 [002]  100.000001:  1 instructions:u:  55d0c1a2b0a0 _start\n')):
        code, _, errors = polytrace('info', '-', stdin=data)
        if code != 2 or f'(found {what}' not in errors and what not in errors:
            yield f'{what}: {errors}'


def nothing_is_guessed():
    # Texts that are not what their first letters, commas or names suggest.
    ibex = b'    249402\t104397\t000081cc\t0062ae23\tsw\tx6,28(x5)\t  x5:0x30470000\n'
    for name, data in (('-', 3 * ibex), ('-', 3 * b'0x00007f3c1a2b4cd0:  5, mov\n'), ('-', b'[I]0x1000: nop\n[R]8\n'),
                       # Lines that begin as those of QEMU's register dumps.
                       ('-', 3 * b'pc=0x400a10 op=add r1, r2\n'), ('-', 3 * b'RAX=1 add\n'), ('-', 3 * b'EAX=1 add\n'),
                       ('-', 3 * b'R00=00000001 add\n'), ('-', 3 * b' PC=0000000000001000 add\n'),
                       ('-', 3 * b'NIP 100003b4 add\n'), ('-', 3 * b'PSW=0000000000001000 add\n'),
                       ('-', 3 * b'interrupt: hart:0, async:0, cause:0b\n'), ('a.raw', bytes(range(128, 256)))):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, name) if name != '-' else name
            if name != '-':
                open(path, 'wb').write(data)
            code, _, errors = polytrace('info', path, stdin=data)
            if code != 2 or 'unrecognized format' not in errors or 'found' in errors or 'drraw2trace' in errors:
                yield f'{name} {data[:20]}: {errors}'


tap.run([the_first_records_are_a_trace_of_the_same_format, straight_line_code_is_detected_by_the_extension,
         a_contradiction_outweighs_the_extension, a_complete_line_needs_no_extension,
         an_empty_file_has_the_format_of_its_extension, supervisor_code_is_a_full_trace,
         foreign_files_are_named, nothing_is_guessed])
