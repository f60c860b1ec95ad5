#!/usr/bin/env python3
"""JSON Lines and CSV against Python's own json and csv, as TAP: random rows must come out as
json.dumps writes them and as csv.DictReader reads them; every sample of every format must come
back through JSON Lines byte for byte, by way of lines that are valid JSON.

usage: jsonl_oracle.py POLYTRACE SAMPLES"""
import csv
import io
import json
import os
import random
import re
import subprocess
import sys
import tempfile

ROOT = os.environ['POLYTRACE_ROOT']
sys.path.insert(0, os.path.join(ROOT, 'tests'))
import sampling

POLYTRACE, SAMPLES = sys.argv[1:]
OWN = ('origin', 'site', 'verbatim')
WIDTHS = {'uint8_t': 8, 'uint16_t': 16, 'uint32_t': 32, 'uint64_t': 64}
WORDS = {'KIND': 'instruction access register sync event other',
         'ACCESS': 'read write fetch prefetch cache io_read io_write',
         'BRANCH': 'taken not_taken', 'SYNC': 'signal broadcast wait trywait',
         'EVENT': 'shutdown halt interrupt_acknowledge sync', 'FLAGS': 'none read write both'}
text = open(ROOT + '/include/polytrace/columns.def').read()
COLUMNS = [column for column in re.findall(r'^COLUMN\((\w+), ([\w ]+), (\w+),', text, re.M)
           if column[0] not in OWN]


def characters(most):
    """Text of any characters but NUL."""
    return ''.join(chr(random.choice([random.randrange(1, 128), random.randrange(1, 0xd800),
                                      random.randrange(0xe000, 0x110000)]))
                   for _ in range(random.randrange(most)))


def value(name, kind, form):
    """A random value of a column."""
    if form in WORDS:
        return random.choice(WORDS[form].split())
    if form == 'RECORD':
        return 'r"%d' % random.randrange(20)
    if form in ('NAME', 'TEXT'):
        return characters(9)
    if form == 'BYTES':
        return random.randbytes(random.randrange(9)).hex()
    if form == 'BOOL':
        return random.random() < .5
    if kind == 'int64_t':
        return random.choice([-2 ** 63, 2 ** 63 - 1, random.randrange(-9, 9)])
    number = random.getrandbits(random.randrange(WIDTHS[kind] + 1))
    return hex(number) if form == 'HEX' else number


def convert(data, *words, corrupt=False):
    """What polytrace convert writes for the bytes of a trace; None for one that may be corrupt, and is."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        run = subprocess.run([POLYTRACE, 'convert', *words, '-o', '-', file.name], capture_output=True)
    if run.returncode and not corrupt:
        raise SystemExit('Bail out! ' + run.stderr.decode('utf-8', 'replace'))
    return None if run.returncode else run.stdout


def result(number, faults, name):
    """Prints a line of TAP."""
    for fault in faults[:5]:
        print('#', fault)
    print('not ok' if faults else 'ok', number, '-', name)


random.seed(1)
rows = [{c: value(c, kind, form) for c, kind, form in COLUMNS if random.random() < .3}
        for _ in range(3000)]
lines = [json.dumps(row, ensure_ascii=False, separators=(',', ':')).encode() for row in rows]
odd = '\n'.join(json.dumps(row, indent=None, sort_keys=True) for row in rows).encode()
chosen = ','.join(name for name, _, _ in COLUMNS)
print('1..3')

written = convert(odd, '--from', 'jsonl', '--to', 'jsonl', '--columns', chosen).split(b'\n')
result(1, [f'{found!r}, expected {line!r}' for found, line in zip(written[1:], lines)
           if found != line] + ['rows are missing'] * (len(written) != len(rows) + 2),
       'rows_are_written_as_python_writes_them')

written = convert(odd, '--from', 'jsonl', '--to', 'csv', '--columns', chosen).decode()
table = list(csv.DictReader(io.StringIO(written, newline='')))
expected = [{c: str(row.get(c, '')) if not isinstance(row.get(c), bool)
             else str(row[c]).lower() for c, _, _ in COLUMNS} for row in rows]
result(2, [f'{found}, expected {row}' for found, row in zip(table, expected) if found != row]
       + ['rows are missing'] * (len(table) != len(rows)), 'csv_reads_the_same_in_python')

faults, tried = [], 0
writable = sampling.writable(POLYTRACE)
for sample in open(SAMPLES):
    name, path, *option = sample.split() if sample[0] != '#' else [None, None]
    if name in (None, 'jsonl'):
        continue
    data = open(os.path.join(ROOT, 'tests/data', path), 'rb').read()
    words = ['--option', *option] if option else []
    middle = convert(data, '--from', name, '--to', 'jsonl', *words, corrupt=True)
    if middle is None:
        continue
    tried += 1
    for line in middle.splitlines():
        json.loads(line)
    # A container's bytes are not those of the trace in it.
    if name == 'ptz':
        name = json.loads(middle.splitlines()[0])['facts']['ptz.format']
        data = convert(data, '--from', 'ptz', '--to', name)
    if name in writable and convert(middle, '--from', 'jsonl', '--to', name) != data:
        faults.append(f'{path} ({name}) does not come back')
result(3, faults + ['few samples are valid'] * (tried < 80), 'every_valid_sample_comes_back_through_json_lines')
