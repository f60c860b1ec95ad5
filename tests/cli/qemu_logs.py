#!/usr/bin/env python3
"""
Logs of QEMU, as TAP: compared with listings of the same runs that a plugin made, where they are.
"""
import csv
import gzip
import json
import os
import struct
import subprocess
import sys
import tempfile

import tap

PROGRAM = sys.argv[1]
ROOT = os.environ['POLYTRACE_ROOT']
LOGS = os.path.join(os.environ.get('POLYTRACE_SHARED', os.path.join(ROOT, '..', 'shared')), 'data', 'made', 'qemu-log')
TARGETS = ['arm', 'mips', 'ppc', 'riscv64', 'x86_64']
ABI = ['zero', 'ra', 'sp', 'gp', 'tp', *(f't{i}' for i in range(3)), 's0', 's1', *(f'a{i}' for i in range(8)),
       *(f's{i}' for i in range(2, 12)), *(f't{i}' for i in range(3, 7))]
# The names that listings have.
NAMES = {'arm': {'r13': 'sp', 'r14': 'lr', 'psr': 'cpsr'}, 'mips': {'s8': 'fp'}, 'x86_64': {'rfl': 'rflags'},
         'riscv64': {f'x{i}': name for i, name in enumerate(ABI)}}


# Processors' numbers and classes in ELF files.
ELF = {'arm': (40, '<', 1), 'mips': (8, '>', 1), 'ppc': (20, '>', 1), 'riscv64': (243, '<', 2), 'x86_64': (62, '<', 2)}


def rows(path, *columns, options=()):
    done = subprocess.run([PROGRAM, 'convert', path, '--to', 'csv', '--columns', ','.join(columns), *options,
                           '-o', '-'], capture_output=True)
    return list(csv.DictReader(done.stdout.decode().splitlines()))


def listing(target):
    with gzip.open(os.path.join(LOGS, target + '.jsonl.gz'), 'rt') as file:
        return [json.loads(line) for line in file]


def opcode(target, data):
    """The column opcode of bytes in memory order."""
    if target == 'arm' and len(data) == 4:
        return int.from_bytes(data[:2], 'little') << 16 | int.from_bytes(data[2:], 'little')
    return int.from_bytes(data, 'little' if target in ('arm', 'riscv64') else 'big')


def interleaved(lines):
    """A log of two processors that do the same, from one of PowerPC: the lines Trace of both precede their dumps."""
    result, traces, dumps, count = [], [], [], 0
    for line in lines:
        if line.startswith('Trace 0'):
            result += traces
            traces, dumps = [line, line.replace('Trace 0', 'Trace 1')], []
        elif traces:
            dumps.append(line)
            if line.startswith('CR '):
                order = (0, 1) if count % 3 else (1, 0)
                blocks = [''.join(dumps).replace('CPU#0', f'CPU#{cpu}') for cpu in order]
                # The first dump shows that dumps name their processors.
                result += [*traces, *blocks] if count else [traces[0], blocks[1], traces[1], blocks[0]]
                traces, count = [], count + 1
        else:
            result.append(line)
    return ''.join(result)


def dumps_of_several_processors_are_assigned_by_their_numbers():
    with gzip.open(os.path.join(LOGS, 'ppc.full.log.gz'), 'rt') as file:
        text = interleaved(file.readlines())
    expected = listing('ppc')
    with tempfile.NamedTemporaryFile('w', suffix='.qemu') as file:
        file.write(text)
        file.flush()
        found = {'0': [], '1': []}
        for row in rows(file.name, 'kind', 'cpu', 'pc', 'reg', 'value'):
            if row['kind'] == 'instruction':
                found[row['cpu']].append((int(row['pc'], 16), {}))
            elif row['kind'] == 'register' and found[row['cpu']]:
                found[row['cpu']][-1][1][row['reg']] = int(row['value'], 16)
    for cpu in found:
        for (pc, changes), each in zip(found[cpu], expected):
            listed = {name: int(value, 16) for name, value in (each['w'] or {}).items()}
            changes = {name: value for name, value in changes.items() if name in listed or name != 'msr'}
            if pc != int(each['pc'], 16) or (each['w'] is not None and changes != listed):
                yield f'processor {cpu}: {pc:#x} {changes}, expected {each}'
                break
        if len(found[cpu]) != len(expected):
            yield f'processor {cpu}: {len(found[cpu])} instructions, expected {len(expected)}'


def elf_file(target, instructions):
    """An ELF file with a section of code for each run of instructions, and a symbol."""
    machine, order, kind = ELF[target]
    code = {}
    for each in instructions:
        data = bytes.fromhex(each['bytes'])
        code.update((int(each['pc'], 16) + i, data[i]) for i in range(len(data)))
    runs = []
    for address in sorted(code):
        if not runs or address != runs[-1][0] + len(runs[-1][1]):
            runs.append((address, bytearray()))
        runs[-1][1].append(code[address])
    number = 'I' if kind == 1 else 'Q'
    header = 52 if kind == 1 else 64
    symbol = struct.pack(order + 'IIIBBH', 1, runs[0][0], 4, 18, 0, 1) if kind == 1 else \
        struct.pack(order + 'IBBHQQ', 1, 18, 0, 1, runs[0][0], 4)
    parts, sections, at = [], [(0, 0, 0, 0, 0, 0, 0, 0, 0, 0)], header

    def add(data, name, section, flags, address=0, link=0, info=0, entry=0):
        nonlocal at
        sections.append((name, section, flags, address, at, len(data), link, info, 1, entry))
        parts.append(data)
        at += len(data)

    for address, data in runs:
        add(bytes(data), 0, 1, 6, address)
    add(bytes(len(symbol)) + symbol, 0, 2, 0, link=len(runs) + 2, info=1, entry=len(symbol))
    add(b'\0_start\0', 0, 3, 0)
    table = b''.join(struct.pack(order + 'II' + 4 * number + 'II' + 2 * number, *each) for each in sections)
    return struct.pack(order + '4sBBBB8xHHI' + 3 * number + 'IHHHHHH', b'\177ELF', kind, 1 if order == '<' else 2, 1,
                       0, 2, machine, 1, runs[0][0], 0, at, 0, header, 0, 0, len(table) // len(sections),
                       len(sections), len(sections) - 1) + b''.join(parts) + table


def encodings_are_those_of_the_file_where_logs_lack_them():
    for target in TARGETS:
        expected = listing(target)
        with tempfile.TemporaryDirectory() as folder:
            program, log = os.path.join(folder, 'program'), os.path.join(folder, 'run.log')
            with open(program, 'wb') as file:
                file.write(elf_file(target, expected))
            with gzip.open(os.path.join(LOGS, target + '.full.log.gz'), 'rt') as file:
                lines = file.readlines()
            # Lines of translated blocks are those of an instruction, a heading, or bytes.
            with open(log, 'w') as file:
                file.writelines(line for line in lines if not line.startswith(('0x', 'IN:', '-----')))
            paths = [log] + [os.path.join(LOGS, target + '.tb.log')] * (target == 'mips')
            found = [[(int(row['pc'], 16), row['opcode'], row['payload']) for row in rows(
                path, 'kind', 'pc', 'opcode', 'payload', options=('--symbols', program))
                if row['kind'] == 'instruction'] for path in paths]
        for each in expected:
            data = bytes.fromhex(each['bytes'])
            long = len(data) > 8
            each['row'] = (int(each['pc'], 16), opcode(target, data[:8]), data.hex() if long else '')
        wanted = [each['row'] for each in expected]
        for each in found:
            got = [(pc, int(word, 16) if word else opcode(target, bytes.fromhex(payload)[:8]), payload)
                   for pc, word, payload in each if word or payload]
            if got != wanted:
                at = next((i for i, pair in enumerate(zip(got, wanted)) if pair[0] != pair[1]), None)
                yield f'{target}: {len(got)} of {len(wanted)}, differ at {at}: {got[at or 0:][:1]} {wanted[at or 0]}'


def logs_of_single_steps_have_the_listed_instructions_and_changes():
    for target in TARGETS:
        found = []
        for row in rows(os.path.join(LOGS, target + '.full.log.gz'), 'kind', 'pc', 'opcode', 'payload', 'reg', 'value'):
            if row['kind'] == 'instruction':
                found.append((row, {}))
            elif row['kind'] == 'register' and found:
                found[-1][1][row['reg']] = int(row['value'], 16)
        expected = listing(target)
        if len(found) != len(expected) or len(found) < 500:
            yield f'{target}: {len(found)} instructions, expected {len(expected)}'
        for (row, changes), each in zip(found, expected):
            data = bytes.fromhex(each['bytes'])
            # MIPS has no encodings in its logs.
            good = target == 'mips' or (int(row['opcode'], 16) == opcode(target, data) if len(data) <= 8
                                        else row['payload'] == data.hex())
            names = NAMES.get(target, {})
            listed = {names.get(name, name): int(value, 16) for name, value in (each['w'] or {}).items()}
            # Listings have some of the status registers.
            changes = {name: value for name, value in changes.items()
                       if name in listed or name not in ('rflags', 'cpsr', 'msr')}
            if int(row['pc'], 16) != int(each['pc'], 16) or not good or (each['w'] is not None and changes != listed):
                yield f'{target}: {row} {changes}, expected {each}'
                break


def logs_of_blocks_have_the_listed_addresses():
    for target in TARGETS:
        found = [int(row['pc'], 16) for row in rows(os.path.join(LOGS, target + '.tb.log'), 'kind', 'pc')
                 if row['kind'] == 'instruction']
        if found != [int(each['pc'], 16) for each in listing(target)]:
            yield target


def lines_of_execlog_have_the_listed_accesses():
    for target in ('riscv64', 'x86_64'):
        found = []
        for row in rows(os.path.join(LOGS, target + '.execlog'), 'kind', 'pc', 'access', 'address', 'opcode'):
            if row['kind'] == 'instruction':
                found.append((int(row['pc'], 16), row['opcode'], []))
            elif row['kind'] == 'access':
                found[-1][2].append([row['access'][0].upper(), int(row['address'], 16)])
        expected = listing(target)
        if len(found) != len(expected):
            yield f'{target}: {len(found)} instructions, expected {len(expected)}'
        for (pc, word, accesses), each in zip(found, expected):
            right = word == '' if target == 'x86_64' else \
                int(word, 16) == opcode(target, bytes.fromhex(each['bytes']))
            if pc != int(each['pc'], 16) or not right or \
                    accesses != [[kind, int(address, 16)] for kind, address, _ in each['mem']]:
                yield f'{target}: {pc:#x} {word} {accesses}, expected {each}'
                break


TESTS = [logs_of_single_steps_have_the_listed_instructions_and_changes, logs_of_blocks_have_the_listed_addresses,
         lines_of_execlog_have_the_listed_accesses,
         dumps_of_several_processors_are_assigned_by_their_numbers, encodings_are_those_of_the_file_where_logs_lack_them]
SKIPS = {} if os.path.isdir(LOGS) else {test.__name__: 'the logs are not there' for test in TESTS}
if 'elf' in os.environ.get('POLYTRACE_LACKS', '').split():
    SKIPS[TESTS[-1].__name__] = 'the build lacks libelf'
tap.run(TESTS, SKIPS)
