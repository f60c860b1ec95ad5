#!/usr/bin/env python3
"""Compares descriptions of RISC-V instructions with recorded executions, as TAP:
riscv_samples.py LISTING POLYTRACE

The records are of Spike (and of a writer in the form of Ibex) and of QEMU. Every instruction's
size, class and kind of branch are those of the record; it writes the registers and accesses the
memory that the record has, at the address that its base register had; and it continues where the
record does. As JSON Lines of this project, 'stats' counts the same, and knows every instruction.
"""
import glob
import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', '..')]
import needs  # noqa: E402
import riscv_tools as tools  # noqa: E402

LISTING, POLYTRACE = sys.argv[1:3]
ROOT = os.environ['POLYTRACE_ROOT']
MADE = os.path.join(os.environ.get('POLYTRACE_SHARED', os.path.join(ROOT, '..', 'shared')), 'data',
                    'made')
FAULTS_SHOWN = 20
CLASSES = {'int': 'integer', 'int-multiply': 'multiply', 'int-divide': 'divide', 'fp': 'float',
           'fp-load': 'load', 'fp-store': 'store', 'vector-load': 'load', 'vector-store': 'store',
           'vector-config': 'vector', 'csr': 'system'}
# The classes of 'stats'.
UNITS = {'multiply': 'integer', 'divide': 'integer', 'fence': 'system'}
JUMP, CONDITIONAL, INDIRECT, CALL, RETURN = 1, 2, 4, 8, 16
KINDS = {0: '-', JUMP: 'jump', JUMP | CONDITIONAL: 'conditional', JUMP | CALL: 'call',
         JUMP | INDIRECT: 'indirect', JUMP | INDIRECT | CALL: 'call',
         JUMP | INDIRECT | RETURN: 'return'}
X = ['zero', 'ra', 'sp', 'gp', 'tp', 't0', 't1', 't2', 's0', 's1'] + \
    [f'a{i}' for i in range(8)] + [f's{i}' for i in range(2, 12)] + [f't{i}' for i in range(3, 7)]
F = [f'ft{i}' for i in range(8)] + ['fs0', 'fs1'] + [f'fa{i}' for i in range(8)] + \
    [f'fs{i}' for i in range(2, 12)] + [f'ft{i}' for i in range(8, 12)]
NAMES = {f'{file}{i}': name for file, names in (('x', X), ('f', F)) for i, name in enumerate(names)}


def samples():
    """The records here, and those of the shared data."""
    own = os.path.join(ROOT, 'tests', 'data', 'riscv', '*.gz')
    paths = sorted(glob.glob(own) + glob.glob(os.path.join(MADE, 'riscv', '*.jsonl.gz')) +
                   glob.glob(os.path.join(MADE, 'qemu-log', 'riscv64.jsonl.gz')))
    for path in paths:
        with gzip.open(path, 'rt') as file:
            rows = [normal(json.loads(line)) for line in file]
        rows = [row for row in rows if row]
        if rows:
            yield os.path.relpath(path, ROOT), 'riscv32' if 'rv32' in path else 'riscv64', rows


def normal(record):
    """A record as opcode, size, pc, registers written, accesses, next pc; None: of no instruction."""
    if record.get('kind', 'insn') != 'insn':
        return None
    row = {'pc': int(record['pc'], 16), 'size': record['size'], 'hart': record.get('hart', 0)}
    if 'bytes' in record:
        row['opcode'] = int.from_bytes(bytes.fromhex(record['bytes']), 'little')
        row['next'] = record['next'] and int(record['next'], 16)
        row['before'] = values((record.get('regs') or {}).items())
        row['changes'] = values((record['w'] or {}).items())
    else:
        row['opcode'] = int(record['op'], 16)
        row['class'] = CLASSES.get(record['class'], record['class'])
        row['kind'], row['name'] = record['branch'], record['name']
        row['writes'] = values(record['w'])
    row['accesses'] = [(item[0], int(item[1], 16), item[2]) for item in record['mem']]
    return row


def values(pairs):
    return {NAMES[name]: int(value, 16) for name, value in pairs if name in NAMES}


def described(rows, isa):
    """The description of every row."""
    code = b''.join(row['opcode'].to_bytes(row['size'], 'little') for row in rows)
    for row, fields in zip(rows, tools.listing(LISTING, code, isa), strict=True):
        assert len(fields) > 8, f'{row["opcode"]:x} is not described'
        _, size, cls, flow, name, _, writes, target, accesses = fields[:9]
        yield row, {'size': int(size), 'class': cls, 'kind': KINDS[int(flow)], 'name': name,
                    'flow': int(flow), 'writes': set(writes.split(',')) & set(NAMES.values()),
                    'target': int(target) if target else None,
                    'accesses': [access.split(':') for access in accesses.split(',') if access]}


def fields_are_those_of_the_record(rows, isa):
    """Size, class, kind of branch and name."""
    for row, mine in described(rows, isa):
        for field in 'size', 'class', 'kind', 'name':
            if row.get(field, mine[field]) != mine[field]:
                yield f'{row["opcode"]:x}: {field} {row[field]}, here {mine[field]}'


def effects_are_those_of_the_record(rows, isa):
    """Registers written, and accesses: direction, size, address."""
    known = {}  # values of registers, by hart
    has_accesses = any(row['accesses'] for row in rows)  # Spike 1.0.0 does not print them
    for row, mine in described(rows, isa):
        registers = known.setdefault(row['hart'], {'zero': 0})
        registers.update(row.get('before', {}))
        is_vector = mine['name'][0] == 'v'
        # QEMU's record has the registers that changed.
        if 'writes' in row and set(row['writes']) != mine['writes'] and not is_vector or \
                not set(row.get('changes', {})) <= mine['writes']:
            yield f'{row["opcode"]:x}: writes {row.get("writes", row.get("changes"))}, ' \
                  f'here {mine["writes"]}'
        if has_accesses:
            yield from access_faults(row, mine, registers, int(isa[-2:]))
        registers.update(row.get('writes', row.get('changes')))


def access_faults(row, mine, registers, width):
    """The accesses, but for sizes and the number of those of vectors."""
    expected = []
    for directions, base, displacement in mine['accesses']:
        size = int(directions.strip('RW'))
        address = registers[base] + int(displacement) & (1 << width) - 1 if base in registers else None
        expected += [(direction, address, size) for direction in directions if direction in 'RW']
    recorded = row['accesses']
    if mine['name'][0] == 'v' and expected:
        recorded = [access[:2] + (0,) for access in recorded[:1]]
    expected = [(direction, other[1] if address is None else address, size)
                for (direction, address, size), other in zip(expected, recorded)] \
        if len(expected) == len(recorded) else expected
    if expected != recorded:
        yield f'{row["opcode"]:x}: accesses {recorded}, here {expected}'


def branches_continue_where_the_record_does(rows, isa):
    """The next pc is the target, or the address of the next instruction if that is possible."""
    for row, mine in described(rows, isa):
        if row.get('next') is None:
            continue
        distance = row['next'] - row['pc']
        possible = {row['size']} if not mine['flow'] & JUMP or mine['flow'] & CONDITIONAL else set()
        if mine['target'] is not None:
            possible.add(mine['target'])
        if not mine['flow'] & INDIRECT and distance not in possible:
            yield f'{row["opcode"]:x}: continues at {distance:+}, here {possible}'


def stats_counts_the_same(rows, isa):
    """Classes and kinds of branches by 'stats', of the records as JSON Lines."""
    header = {'polytrace': 'trace', 'version': 1, 'isa': isa, 'address_bits': int(isa[-2:]),
              'columns': ['kind', 'cpu', 'pc', 'opcode', 'opcode_size']}
    with tempfile.NamedTemporaryFile('w', suffix='.jsonl') as file:
        for line in [header] + [{'kind': 'instruction', 'cpu': row['hart'], 'pc': hex(row['pc']),
                                 'opcode': hex(row['opcode']), 'opcode_size': row['size']}
                                for row in rows]:
            print(json.dumps(line), file=file)
        file.flush()
        done = subprocess.run([POLYTRACE, 'stats', '-a', 'mix,branches', '--json', file.name],
                              capture_output=True, text=True, check=True)
    if done.stderr:
        yield done.stderr.strip()
    report = json.loads(done.stdout)
    counted = Counter({row['class']: row['count'] for row in report['mix']['instruction_classes']})
    if counted['unknown'] or sum(counted.values()) != len(rows):
        yield f'{counted["unknown"]} of {len(rows)} are unknown'
    if 'class' not in rows[0]:
        return
    classes = Counter(UNITS.get(row['class'], row['class']) for row in rows)
    if +counted != classes:
        yield f'classes {classes}, here {counted}'
    branches = sum(row['kind'] != '-' for row in rows)
    harts = len({row['hart'] for row in rows})
    # The outcome of each hart's last branch is unknown.
    if not branches - harts <= report['branches']['branches'] <= branches:
        yield f'{branches} branches, here {report["branches"]["branches"]}'
    kinds = Counter(row['kind'] for row in rows)
    if not kinds['conditional'] - harts <= report['branches']['conditional_branches'] <= \
            kinds['conditional']:
        yield f'{kinds}, here {report["branches"]["branch_kinds"]}'


def main():
    laws = (fields_are_those_of_the_record, effects_are_those_of_the_record,
            branches_continue_where_the_record_does, stats_counts_the_same)
    known = list(samples())
    print(f'1..{len(laws)}')
    for number, law in enumerate(laws, 1):
        if law == stats_counts_the_same and needs.without('jansson'):
            print(f'ok {number} - {law.__name__} # SKIP {needs.without("jansson")}')
            continue
        faults = [f'{path}: {fault}' for path, isa, rows in known for fault in law(rows, isa)]
        print(f'# {sum(len(rows) for _, _, rows in known)} instructions of {len(known)} records')
        for fault in faults[:FAULTS_SHOWN]:
            print('# ' + fault)
        print(f'{"not " if faults else ""}ok {number} - {law.__name__}')


main()
