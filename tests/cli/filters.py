#!/usr/bin/env python3
"""Every operator of filters against Python over the records as JSON Lines, as TAP.

    filters.py POLYTRACE

Records are distinguished by their line; an absent value is None, and a test of an absent value is
false.
"""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ['POLYTRACE_ROOT'], 'tests'))
import needs  # noqa: E402

ROOT = os.environ['POLYTRACE_ROOT']
PROGRAM = os.path.abspath(sys.argv[1])
MASK = (1 << 64) - 1


def number(value):
    """A number of JSON Lines: hexadecimal ones are strings there."""
    return int(value, 16) if isinstance(value, str) else value


class Row(dict):
    """A record; its columns as attributes, numbers as numbers."""

    def __getattr__(self, name):
        value = self.get(name)
        return number(value) if isinstance(value, str) and re.fullmatch('0x[0-9a-f]+', value) else value


def tried(*values):
    """Whether all values are present."""
    return None not in values


MICRO, BUS, ARM = 'cis501/sort_1k.trace', 'bach/bios_irq_4k.bach', 'qemu4v/arm_start_2k.q4v'
CASES = [
    (MICRO, 'pc == 0x40176d', lambda r: r.pc == 0x40176d),
    (MICRO, 'pc != 0x40176d', lambda r: r.pc != 0x40176d),
    (MICRO, 'pc < 0x402000', lambda r: r.pc < 0x402000),
    (MICRO, 'pc <= 4200557', lambda r: r.pc <= 4200557),
    (MICRO, 'pc > 0o20027555', lambda r: r.pc > 0o20027555),
    (MICRO, 'address >= 0x4000800e58', lambda r: tried(r.address) and r.address >= 0x4000800e58),
    (MICRO, 'immediate < 0', lambda r: tried(r.immediate) and r.immediate < 0),
    (MICRO, 'immediate in -8..8', lambda r: tried(r.immediate) and -8 <= r.immediate <= 8),
    (MICRO, 'src1 not in {1, 3..5}', lambda r: r.src1 not in (1, 3, 4, 5)),
    (MICRO, 'target - pc in -64..-1',
     lambda r: tried(r.target) and -64 <= r.target - r.pc <= -1),
    (MICRO, 'pc + immediate > 0x402000',
     lambda r: tried(r.immediate) and r.pc + r.immediate > 0x402000),
    (MICRO, 'pc * 3 % 7 == 2', lambda r: r.pc * 3 % 7 == 2),
    (MICRO, 'pc / 16 == 0x40176', lambda r: r.pc // 16 == 0x40176),
    (MICRO, 'src1 != 0 and address / src1 > 0x800000000',
     lambda r: tried(r.address, r.src1) and r.src1 != 0 and r.address // r.src1 > 0x800000000),
    (MICRO, 'src1 == 0 or address / src1 > 0x800000000', lambda r: r.src1 == 0 or
     tried(r.address, r.src1) and r.address // r.src1 > 0x800000000),
    (MICRO, 'pc & 0xf0 == 0x70', lambda r: r.pc & 0xf0 == 0x70),
    (MICRO, 'pc | 0xfff == 0x402fff', lambda r: r.pc | 0xfff == 0x402fff),
    (MICRO, 'pc ^ 0x401000 < 0x1000', lambda r: r.pc ^ 0x401000 < 0x1000),
    (MICRO, 'pc >> 12 << 4 == 0x4010', lambda r: r.pc >> 12 << 4 == 0x4010),
    (MICRO, '~pc & 1 == 0', lambda r: ~r.pc & 1 == 0),
    (MICRO, '-immediate == 8', lambda r: tried(r.immediate) and -r.immediate == 8),
    (MICRO, 'row in 100..200', lambda r: 100 <= r.row <= 200),
    (MICRO, 'access == write', lambda r: r.access == 'write'),
    (MICRO, 'access != write', lambda r: r.access != 'write'),
    (MICRO, 'branch in {taken, not_taken}', lambda r: r.branch in ('taken', 'not_taken')),
    (MICRO, 'has(address)', lambda r: 'address' in r),
    (MICRO, 'not has(address) and mnemonic == MOV',
     lambda r: 'address' not in r and r.mnemonic == 'MOV'),
    (MICRO, '!has(address) && uop_index > 1 || branch == taken',
     lambda r: 'address' not in r and r.uop_index > 1 or r.branch == 'taken'),
    (MICRO, 'mnemonic ~ "^(J|CALL)"', lambda r: bool(re.match('J|CALL', r.mnemonic))),
    (MICRO, 'mnemonic !~ "[AEIOU]"', lambda r: not re.search('[AEIOU]', r.mnemonic)),
    (MICRO, 'uop_name in {"LOAD", STORE}', lambda r: r.uop_name in ('LOAD', 'STORE')),
    (BUS, 'kind == access and address & 7 == 0',
     lambda r: r.kind == 'access' and r.address & 7 == 0),
    (BUS, 'byte_enables != 0 or event == halt', lambda r: r.byte_enables != 0 or r.event == 'halt'),
    (BUS, 'record ~ "^IO" and address > 0x100',
     lambda r: bool(re.search('^IO', r.record)) and r.address > 0x100),
    (ARM, 'reg == cpsr and value >> 31 == 1',
     lambda r: r.reg == 'cpsr' and tried(r.value) and r.value >> 31 == 1),
    (ARM, 'executed', lambda r: r.executed is True),
    (ARM, 'executed == false or size == 1', lambda r: r.executed is False or r.size == 1),
    (ARM, 'time % 10 == 3', lambda r: tried(r.time) and r.time % 10 == 3),
]


def lines(path, *options):
    """The records of a listing as lines."""
    done = subprocess.run([PROGRAM, 'view', '--json', *options, os.path.join(ROOT, 'tests', 'data', path)],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode > 1:
        return [done.stderr]
    return done.stdout.split('\n')[1:-1]


all_lines = {path: lines(path) for path in (MICRO, BUS, ARM)}

# Faults: a trace of six records, of which the third cannot be divided by its address, and the text
# of the fifth needs more steps than a match may take. (options, records printed, failing record)
LONG = 'a' * 40 + 'b'
TRACE = ''.join(json.dumps({'kind': 'instruction', 'pc': hex(16 + i), 'address': hex(address), 'text': text}) + '\n'
                for i, (address, text) in enumerate([(8, 'x'), (8, 'ab'), (0, 'b'), (4, 'b'), (8, LONG), (8, 'b')]))
LIMIT, ZERO = 'the regular expression exceeds its limit', 'the expression divides by 0'
FAULTS = [
    (('--where', '64 / address == 8'), [1, 2], 3, ZERO),
    (('--where', 'not 64 % address == 8'), [1, 2], 3, ZERO),
    (('--where', '64 / address == 8', '-n', '2'), [1, 2], None, None),
    (('--where', '64 / address == 8', '-n', '3'), [1, 2], 3, ZERO),
    (('--where', '64 / address == 8', '--skip', '3'), [5, 6], None, None),
    (('--where', '64 / address == 8', '--start-at', 'row == 4'), [5, 6], None, None),
    (('--where', '64 / address == 8', '--stop-at', 'row == 2'), [1, 2], None, None),
    (('--start-at', '64 / address == 16'), [], 3, ZERO),
    (('--start-at', '64 / address == 8'), [1, 2, 3, 4, 5, 6], None, None),
    (('--stop-at', '64 / address == 16'), [1, 2], 3, ZERO),
    (('--stop-at', '64 / address == 8'), [1], None, None),
    (('--where', 'address == 0 or 64 / address == 8'), [1, 2, 3, 5, 6], None, None),
    (('--where', 'address != 0 and 64 / address == 8'), [1, 2, 5, 6], None, None),
    (('--where', 'text ~ "(a+)+c|b"'), [2, 3, 4], 5, LIMIT),
    (('--where', 'not text ~ "(a+)+c|b"'), [1], 5, LIMIT),
    (('--where', 'row < 5 and not text ~ "(a+)+c|b"'), [1], None, None),
    (('--where', 'text ~ "(a+)+c|b"', '--tail', '1'), [4], 5, LIMIT),
]


def fault_differs(options, rows, record, message):
    """Runs view over the trace; returns what differs from the expected records and failure."""
    done = subprocess.run([PROGRAM, 'view', '--csv', '-f', 'jsonl', '-c', 'row', *options, '-'],
                          capture_output=True, text=True, input=TRACE)
    if done.stdout.split()[1:] != [str(row) for row in rows]:
        return done.stdout
    if record is None:
        return done.stderr if done.returncode or done.stderr else ''
    is_reported = f'record {record}: {message}' in done.stderr and done.returncode == 2
    return '' if is_reported else f'{done.returncode} {done.stderr}'


print(f'1..{len(CASES) + len(FAULTS)}')
for case, (path, text, holds) in enumerate(CASES, 1):
    lacking = needs.without('pcre2' if '~ "' in text else '')
    if lacking:
        print(f'ok {case} # SKIP {lacking}')
        continue
    rows = [(line, Row(json.loads(line), row=i)) for i, line in enumerate(all_lines[path], 1)]
    expected = [line for line, row in rows if holds(row)]
    came = lines(path, '--where', text)
    fault = came != expected
    # A test that selects no record or all records proves little.
    if not 0 < len(expected) < len(rows):
        print(f'# {len(expected)} of {len(rows)} records')
        fault = True
    if fault:
        print(f'# expected {len(expected)} records, came {len(came)}: {came[:1]}')
    print(f'{"not " if fault else ""}ok {case} - {text}'.replace('#', ''))
for case, (options, rows, record, message) in enumerate(FAULTS, len(CASES) + 1):
    lacking = needs.without('jansson', 'pcre2' if '~ "' in options[1] else '')
    if lacking:
        print(f'ok {case} # SKIP {lacking}')
        continue
    difference = fault_differs(options, rows, record, message)
    if difference:
        print('# ' + difference.replace('\n', ' '))
    print(f'{"not " if difference else ""}ok {case} - {" ".join(options)}')
