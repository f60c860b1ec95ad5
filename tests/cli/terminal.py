#!/usr/bin/env python3
"""Hostile texts of traces and names of files on a terminal, as TAP: terminal.py POLYTRACE

No command passes control characters to a terminal, except line ends, tabs and its own colours; files and pipes get
the bytes of the trace.
"""
import json
import os
import pty
import re
import subprocess
import sys
import tempfile

import tap
import needs

needs.libraries('jansson')

PROGRAM = os.path.abspath(sys.argv[1])
DATA = os.path.join(os.environ['POLYTRACE_ROOT'], 'tests', 'data')
HOSTILE = 'a\x1b]0;x\x07b\x1b[2Jc\x9b31md\u202ee\u2066f\x7fg\rh\x00i'
# What a terminal may get: text, line ends, tabs, and sequences of colours.
ALLOWED = re.compile('(\x1b\\[[0-9;]*m|\x1b\\[K|[^\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|[\n\t])*')


def on_terminal(*arguments, cwd=None):
    """Standard output and error of a command whose both are one terminal."""
    controller, terminal = pty.openpty()
    process = subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal, cwd=cwd)
    os.close(terminal)
    seen = b''
    try:
        while block := os.read(controller, 1 << 16):
            seen += block
    except OSError:
        pass
    process.wait()
    os.close(controller)
    # The terminal itself writes a carriage return before each line feed.
    return seen.replace(b'\r\n', b'\n').decode('utf-8', 'replace')


def trace(folder, text=HOSTILE, rows=3):
    path = os.path.join(folder, 'hostile.jsonl')
    with open(path, 'w') as file:
        file.write('{"polytrace":"trace","version":1,"isa":"powerpc"}\n')
        for i in range(rows):
            file.write(json.dumps({'kind': 'instruction', 'pc': hex(4096 + 4 * i), 'text': text,
                                   'mnemonic': text[:30].replace('\0', ''), 'mode': text[:30].replace('\0', '')}) + '\n')
    return path


def no_control_character_reaches_a_terminal():
    with tempfile.TemporaryDirectory() as folder:
        path = trace(folder)
        other = os.path.join(folder, 'x\x1b[31m\u202e\x9b.jsonl')
        with open(path) as one, open(other, 'w') as two:
            two.write(one.read().replace('0x1004', '0x1008'))
        commands = [['view'], ['view', '--csv'], ['view', '--json'], ['stats', '-a', 'mix'], ['stats', '-a', 'mix', '--csv'],
                    ['stats', '-a', 'mix', '--json'], ['stats', '--table', 'values'], ['info'], ['info', '--csv'], ['check'],
                    ['check', '--json'], ['calls'], ['convert', '-o', '-', '-t', 'csv'], ['convert', '-o', '-', '-t', 'jsonl'], ['diff', path], ['diff', '--json', path], ['view', '-w', 'text == "\x9b\u202e']]
        for words in commands:
            for name in path, other:
                text = on_terminal(*words, name)
                if not ALLOWED.fullmatch(text):
                    yield f'{words}: {text[:400]!r}'
                if not text:
                    yield f'{words}: no output'


def names_of_symbols_are_quoted():
    """Calls of a function whose name in the list of symbols is hostile."""
    with tempfile.TemporaryDirectory() as folder:
        path, symbols = os.path.join(folder, 'calls.jsonl'), os.path.join(folder, 'symbols.nm')
        with open(path, 'w') as file:
            file.write('{"polytrace":"trace","version":1,"isa":"powerpc"}\n')
            for pc, opcode in ((0x1000, 0x48001001), (0x2000, 0x60000000), (0x2004, 0x4e800020), (0x1004, 0x60000000)):
                file.write(json.dumps({'kind': 'instruction', 'pc': hex(pc), 'opcode': hex(opcode)}) + '\n')
        with open(symbols, 'w') as file:
            file.write('0000000000001000 T main\n0000000000002000 T f\x1b[31m\x9b1m\u202ex\n')
        for style in 'folded', 'tree', 'list':
            text = on_terminal('calls', '--style', style, '--symbols', symbols, path)
            if not ALLOWED.fullmatch(text) or (style == 'folded' and 'u202e' not in text):
                yield f'{style}: {text!r}'


def long_outputs_are_quoted_at_every_boundary():
    with tempfile.TemporaryDirectory() as folder:
        path = trace(folder, '\u202e\x9b' * 501, 200)
        for words in ['view', '--csv', '-c', 'text'], ['view', '--json']:
            text = on_terminal(*words, path)
            if not ALLOWED.fullmatch(text) or text.count('u202e') < 200 * 501:
                yield f'{words}: {text.count("u202e")}'


def binary_formats_are_not_written_to_a_terminal():
    with tempfile.TemporaryDirectory() as folder:
        path = trace(folder, 'nop')
        for words in ['convert', '-t', 'ptz', '-o', '-'], ['pack', '-o', '-']:
            text = on_terminal(*words, path)
            if "is binary, and standard output is a terminal" not in text or '--force' not in text or '\0' in text:
                yield f'{words}: {text[:400]!r}'
            if '\0' not in on_terminal(*words, '--force', path):
                yield f'{words} --force: nothing'
            if subprocess.run([PROGRAM, *words, path], stdout=subprocess.PIPE, check=True).stdout[1:4] != b'PTZ':
                yield f'{words}: not in a pipe'
        log = os.path.join(DATA, 'aix', 'raw32.trc')
        if 'is binary' not in on_terminal('trcrpt', '-r', log):
            yield 'trcrpt -r'
        packed = os.path.join(folder, 'x.ptz')
        subprocess.run([PROGRAM, 'pack', path, '-o', packed], check=True)
        text = on_terminal('unpack', '-o', '-', packed)
        if '"pc":' not in text:
            yield f'unpack of a text format: {text}'


def files_have_the_bytes_of_the_trace():
    with tempfile.TemporaryDirectory() as folder:
        path = trace(folder)
        text = subprocess.run([PROGRAM, 'view', '--csv', '-c', 'text', path], stdout=subprocess.PIPE, check=True).stdout
        if text.count(HOSTILE.encode()) != 3:
            yield text


tap.run([no_control_character_reaches_a_terminal, names_of_symbols_are_quoted,
         long_outputs_are_quoted_at_every_boundary, files_have_the_bytes_of_the_trace,
         binary_formats_are_not_written_to_a_terminal])
