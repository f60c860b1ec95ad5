#!/usr/bin/env python3
"""Simulators of caches and analyses of memory on real addresses: the same trace with its real addresses as the only
ones has the same report, as TAP."""
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

from model import DATA, Tap, needs, sampling

needs.libraries('jansson')

FOLDER = tempfile.TemporaryDirectory()
SEED = int(os.environ.get('POLYTRACE_SEED', '11'))
COUNTS = 'accesses_without_real_address', 'instructions_without_real_pc'
LWZ, STW, ADDI, DCBF, DCBZ = 0x81230000, 0x91230000, 0x38600001, 0x7c0000ac, 0x7c0007ec
PAGE = 4096


def run(*words):
    done = subprocess.run([sys.argv[1], *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout, done.stderr


def written(name, data):
    path = os.path.join(FOLDER.name, name)
    with open(path, 'wb') as out:
        out.write(data)
    return path


def report(command, path, *words):
    status, out, err = run(command, *words, '--json', path)
    assert status == 0, (command, path, words, err)
    return json.loads(out)


def pages(dice, first, count):
    """A map of pages: random frames, two pages of which may be one frame."""
    return {first + i: dice.randrange(0x100, 0x100 + count) for i in range(count)}


def rows(dice, count, share):
    """Rows of JSON Lines of threads that access pages of one map."""
    maps = {**pages(dice, 0x1, 8), **pages(dice, 0x20000, 24)}
    real = lambda address: hex(maps[address // PAGE] * PAGE + address % PAGE)
    pc = 0x1000
    for _ in range(count):
        opcode = dice.choice((LWZ, STW, LWZ, ADDI, DCBF, DCBZ))
        address = 0x20000000 + dice.randrange(24 * PAGE // 4 - 8) * 4
        pc = 0x1000 + (pc + 4 if dice.random() < 0.9 else dice.randrange(8 * PAGE)) % (8 * PAGE) // 4 * 4
        row = {'kind': 'instruction', 'pc': hex(pc), 'opcode': hex(opcode), 'opcode_size': 4, 'thread': dice.randrange(3)}
        if opcode != ADDI:
            row.update(access={STW: 'write', LWZ: 'read', DCBZ: 'write'}.get(opcode, 'cache'), address=hex(address))
            if opcode in (LWZ, STW, DCBZ):
                row['size'] = 32 if opcode == DCBZ else 4
            if dice.random() < share:
                row['real_address'] = real(address)
        if dice.random() < share:
            row['real_pc'] = real(pc)
        yield row


def lines(name, data):
    columns = ['kind', 'pc', 'opcode', 'opcode_size', 'thread', 'access', 'address', 'size']
    columns += [key for key in ('real_pc', 'real_address') if any(key in row for row in data)]
    header = {'polytrace': 'trace', 'version': 1, 'isa': 'powerpc', 'columns': columns}
    return written(name, ''.join(json.dumps(row) + '\n' for row in [header, *data]).encode())


def only_real(row, keeps_pc):
    """A row with its real addresses as the only ones; tables by pc have the virtual one."""
    row = dict(row)
    for virtual, real in (('address', 'real_address'),) if keeps_pc else (('address', 'real_address'), ('pc', 'real_pc')):
        row.pop(virtual, None)
        if real in row:
            row[virtual] = row.pop(real)
    return row


def counts(data):
    return sum('access' in row and 'real_address' not in row for row in data), sum('real_pc' not in row for row in data)


def without(section):
    """A report without the numbers of what has no real address; they are second."""
    return {key: value for key, value in section.items() if key not in COUNTS}, tuple(section.get(key) for key in COUNTS)


tap = Tap()
CASES = (('sim', 'cache', '-O', 'cache.sweep=size=2k..8k,ways=1..2,line=32', '-O', 'cache.of=all', '-O', 'cache.causes=1'),
         ('sim', 'cache', '-O', 'cache.sweep=size=2k,ways=2,line=32', '-O', 'cache.top=9'),
         ('sim', 'levels', '-O', 'levels.caches=l1i=2k/2/32/1 l1d=2k/2/32/1 l2=8k/2/32/5 memory=50'),
         ('sim', 'mrc', '-O', 'mrc.line=32'), ('sim', 'sharing'), ('stats', '-a', 'footprint'), ('stats', '-a', 'heat'),
         ('stats', '-a', 'memory'), ('stats', '-a', 'workingset'))
dice = random.Random(SEED)
for share in 1, 0.7:
    for number in range(2):
        data = list(rows(dice, dice.choice((40, 3000)), share))
        trace = lines('trace.jsonl', data)
        for case in sampling.some(CASES):
            oracle = lines('real.jsonl', [only_real(row, 'sharing' in case or 'cache.top=9' in case) for row in data])
            name = case[1] if case[0] == 'sim' else case[2]
            found, numbers = without(report(*case[:1], trace, *case[1:], '--address=real')[name])
            expected = report(*case[:1], oracle, *case[1:])[name]
            same = found == expected
            tap.ok(f'{name} on real addresses, share {share}, seed {SEED}, {number}', same and numbers == counts(data),
                   numbers, counts(data), *[key for key in expected if found.get(key) != expected[key]])
            plain = report(*case[:1], trace, *case[1:])[name]
            tap.ok(f'{name} on virtual addresses differs', len(data) < 100 or plain != found)

# Two pages of one frame: one line, one miss. The third access, and two of three instructions, have no real address.
words = [0x1000, 0x00050001, 0x9000, 0x00040001, 0x5000, LWZ, 0x20000000, 0x00040001, 0x5004, LWZ, 0x30000004, LWZ, 0x40000000]
shared = written('shared.tt6e', struct.pack(f'>{len(words)}I', *words))
sweep = '-f', 'tt6e', '-O', 'cache.sweep=size=4k,ways=2,line=32', 'cache'
found = report('sim', shared, *sweep, '--address=real')['cache']
tap.same('pages of one frame', {**found, **found['caches'][0]}, {'accesses': 2, 'misses': 1, 'accesses_without_real_address': 1,
                                                                 'instructions_without_real_pc': 2, 'instructions': 3})
tap.same('pages of the program', report('sim', shared, *sweep)['cache']['caches'][0], {'accesses': 3, 'misses': 3})
# Real addresses of 64 bits.
words = [0x1000, 0x00040002, 0x12, 0x34567000, LWZ, 0x20000000, 0x00040002, 0x13, 0x34567000, LWZ, 0x20000000]
wide = written('wide.tt6e', struct.pack(f'>{len(words)}I', *words))
blocks = report('stats', wide, '-f', 'tt6e', '-a', 'footprint', '--address=real')['footprint']['unique_blocks']
tap.ok('wide real addresses', {row['block_size']: row['blocks_read'] for row in blocks}[4096] == 2)
# What has none.
for name, words, message in (
        ('a trace without real addresses', ('sim', 'cache', os.path.join(DATA, 'tt6', 'sort.tt6e')), b'no record of the trace has a real address'),
        ('a format without real addresses', ('sim', 'cache', os.path.join(DATA, 'lackey', 'short.lackey')), b"format 'lackey' has no real addresses"),
        ('a simulator of virtual addresses', ('sim', '-f', 'tt6e', 'tlb', shared), b"analysis 'tlb' uses virtual addresses only")):
    status, _, err = run(words[0], '--address=real', *words[1:])
    tap.ok(name, status == 2 and message in err and b'--address=real' in err, status, err)
bus = os.path.join(DATA, 'bach', 'bios_irq_4k.bach')
found = report('sim', bus, 'cache', '--address=real')['cache']
expected = report('sim', bus, 'cache')['cache']
tap.ok('physical addresses are used as they are', without(found) == (expected, (0, 0)), found)
sys.exit(tap.end())
