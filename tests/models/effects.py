#!/usr/bin/env python3
"""
A model of the effects of instructions in FULL traces, compared with their conversion to QEMU4V
records and with what TT6E gets from these, as TAP.

    effects.py POLYTRACE

It reads FULL records by the layouts of Apple amber traces 4.7, and computes by the PowerPC
architecture what each instruction writes, stores and loads.
"""
import gzip
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ['POLYTRACE_ROOT'], 'tests'))
import needs  # noqa: E402

needs.libraries('isal', 'xxhash', 'zstd', 'jansson')

PROGRAM = os.path.abspath(sys.argv[1])
DATA = os.path.join(os.environ['POLYTRACE_ROOT'], 'tests', 'data')
LAYOUTS = {1004: (4, 164, 428), 1008: (4, 168, 432)}  # thread, float and vector state
SAMPLES = ['full/thread_001.full1004.gz', 'full/thread_001.full1008.gz', 'full/sort.full.gz',
           'full/isamix.full.gz', 'full/altivec.full.gz', 'full/start.full1008']
SPECIAL = {'msr': 1, 'cr': 34, 'xer': 35, 'lr': 36, 'ctr': 37, 'mq': 38, 'vrsave': 39}


class State:
    def __init__(self, record, layout):
        thread, floats, vectors = layout
        words = struct.unpack('>40I', record[thread:thread + 160])
        self.opcode, self.pc = struct.unpack('>I', record[:4])[0], words[0]
        self.registers = {f'r{i}': ('%08x', words[2 + i]) for i in range(32)}
        self.registers.update({name: ('%08x', words[at]) for name, at in SPECIAL.items()})
        doubles = struct.unpack('>32Q', record[floats:floats + 256])
        self.registers.update({f'f{i}': ('%016x', doubles[i]) for i in range(32)})
        self.registers['fpscr'] = '%08x', struct.unpack('>I', record[floats + 260:floats + 264])[0]
        for i in range(32):
            self.registers[f'v{i}'] = '%032x', int.from_bytes(
                record[vectors + 16 * i:vectors + 16 * i + 16], 'big')
        self.live = struct.unpack('>I', record[vectors + 544:vectors + 548])[0]
        self.registers['vscr'] = '%08x', struct.unpack(
            '>I', record[vectors + 524:vectors + 528])[0]

    def __getitem__(self, name):
        """The value of a register; None: a vector register that is not live."""
        if name[0] == 'v' and name[1:].isdigit() and not self.live >> 31 - int(name[1:]) & 1:
            return None
        return self.registers[name][1]


def load(path):
    data = gzip.open(path).read() if path.endswith('.gz') else open(path, 'rb').read()
    assert data[:4] == bytes.fromhex('a1118e17')
    size = next(size for size in LAYOUTS if (len(data) - 4) % size == 0 and
                struct.unpack('>I', data[4 + LAYOUTS[size][0]:8 + LAYOUTS[size][0]])[0] % 4 == 0)
    return [State(data[at:at + size], LAYOUTS[size]) for at in range(4, len(data), size)]


# Loads and stores: primary opcode or (31, minor): store, register file, bytes (0: all from rT).
FORMS = {32: (0, 'r', 4), 34: (0, 'r', 1), 36: (1, 'r', 4), 38: (1, 'r', 1), 40: (0, 'r', 2),
         42: (0, 'r', 2), 44: (1, 'r', 2), 46: (0, 'r', 0), 47: (1, 'r', 0), 48: (0, 'f', 4),
         50: (0, 'f', 8), 52: (1, 'f', 4), 54: (1, 'f', 8)}
FORMS.update({primary + 1: form for primary, form in FORMS.items() if primary not in (46, 47)})
INDEXED = {23: (0, 'r', 4), 87: (0, 'r', 1), 151: (1, 'r', 4), 215: (1, 'r', 1), 279: (0, 'r', 2),
           343: (0, 'r', 2), 407: (1, 'r', 2), 535: (0, 'f', 4), 599: (0, 'f', 8),
           663: (1, 'f', 4), 727: (1, 'f', 8)}
INDEXED.update({minor + 32: form for minor, form in INDEXED.items()})
INDEXED.update({20: (0, 'r', 4), 150: (1, 'r', 4), 534: (0, 'R', 4), 662: (1, 'R', 4),
                790: (0, 'R', 2), 918: (1, 'R', 2), 983: (1, 'i', 4), 103: (0, 'v', 16),
                359: (0, 'v', 16), 231: (1, 'v', 16), 487: (1, 'v', 16), 7: (0, 'v', 1),
                39: (0, 'v', 2), 71: (0, 'v', 4), 135: (1, 'v', 1), 167: (1, 'v', 2),
                199: (1, 'v', 4)})
STRINGS = {597: 0, 725: 1, 533: 0, 661: 1}
CACHE = {54, 86, 246, 278, 342, 374, 470, 758, 982, 1014}


def fields(opcode):
    return opcode >> 26, opcode >> 21 & 31, opcode >> 16 & 31, opcode >> 11 & 31, \
        opcode >> 1 & 1023


def data_of(state, kind, number, size, address):
    """The bytes that a register has of an access."""
    if kind in 'rR':
        data = (state[f'r{number}'] & ((1 << 8 * size) - 1)).to_bytes(size, 'big')
        return data[::-1] if kind == 'R' else data
    if kind == 'v' and state[f'v{number}'] is None:
        return b''
    if kind == 'v':
        return state[f'v{number}'].to_bytes(16, 'big')[address % 16:address % 16 + size]
    double = state[f'f{number}'].to_bytes(8, 'big')
    if kind == 'i':
        return double[4:]
    return double if size == 8 else struct.pack('>f', struct.unpack('>d', double)[0])


def access(before, after):
    """The access of an instruction as store, address, data; None: none with data."""
    primary, rt, ra, rb, minor = fields(before.opcode)
    base = before[f'r{ra}'] if ra else 0
    if primary != 31:
        if primary not in FORMS:
            return None
        store, kind, size = FORMS[primary]
        offset = before.opcode & 0xffff
        address = (base + offset - (offset >> 15 << 16)) & 0xffffffff
        if size:
            return store, address, data_of(before if store else after, kind, rt, size, address)
        state = before if store else after
        return store, address, b''.join(data_of(state, 'r', i, 4, 0) for i in range(rt, 32))
    if minor in STRINGS:
        store, immediate = STRINGS[minor], minor in (597, 725)
        size = (rb or 32) if immediate else before['xer'] & 127
        address = (base + (0 if immediate else before[f'r{rb}'])) & 0xffffffff
        state = before if store else after
        words = b''.join(data_of(state, 'r', (rt + i) % 32, 4, 0) for i in range((size + 3) // 4))
        return store, address, words[:size]
    if minor not in INDEXED:
        return None
    store, kind, size = INDEXED[minor]
    address = (base + before[f'r{rb}']) & 0xffffffff
    if kind == 'v':
        address &= -size
    if minor == 150 and not after['cr'] & 0x20000000:
        return None
    return store, address, data_of(before if store else after, kind, rt, size, address)


def model(states):
    """The records of every instruction but the last, whose successor is not in the trace."""
    for before, after in zip(states, states[1:]):
        lines = {f'R {name} {digits % value}' for name, (digits, value) in after.registers.items()
                 if after[name] not in (None, before[name])}
        moved = access(before, after)
        if moved and moved[2]:
            lines.add(f'M{"RW"[moved[0]]}{len(moved[2])} {moved[1]:08x} {moved[2].hex()}')
        yield lines


def convert(path, name, *words):
    out = os.path.join(FOLDER, name)
    done = subprocess.run([PROGRAM, 'convert', '--force', path, '-o', out, *words], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr
    return out, done.stderr


def converted(path):
    """The records of every instruction in a QEMU4V trace, and the pcs and opcodes."""
    steps, codes = [], []
    for line in open(path):
        words = line.split(None, 2)[2].strip()
        head = re.match(r'\d+ IT \(\d+\) (\w+) (\w+) A usr : (.*)', words)
        if head:
            steps.append(set())
            codes.append((int(head[1], 16), int(head[2], 16)))
            assert head[3], line
        else:
            steps[-1].add(words)
    return steps, codes


def replay(steps):
    """The first load that does not get what the last store left; None: all do."""
    memory = {}
    for number, lines in enumerate(steps):
        for line in lines:
            moved = re.match(r'M([RW])\d+ (\w+) (\w+)', line)
            for i, byte in enumerate(bytes.fromhex(moved[3]) if moved else b''):
                at = int(moved[2], 16) + i
                if moved[1] == 'R' and memory.get(at, byte) != byte:
                    return number, line
                memory[at] = byte
    return None


def unshown(states):
    """Numbers of the instructions whose address needs a register that no record has shown."""
    shown, numbers = set(), set()
    for number, (before, after) in enumerate(zip(states, states[1:] + states[-1:]), 1):
        primary, _, ra, rb, minor = fields(before.opcode)
        needs = set()
        if primary == 31 and (minor in CACHE or minor == 150):
            needs = {f'r{rb}'} | ({f'r{ra}'} if ra else set())
        if primary == 31 and minor in (533, 661):
            needs = {'xer'}
            # A string of 0 bytes makes no access.
            if not before['xer'] & 127:
                needs |= {f'r{rb}'} | ({f'r{ra}'} if ra else set())
        if not needs <= shown:
            numbers.add(number)
        shown |= {name for name in before.registers if before[name] != after[name]}
    return numbers


def rows(path):
    done = subprocess.run([PROGRAM, 'view', '-f', 'tt6e', '--json', '-c', 'kind,pc,opcode,address,value',
                           path], capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return [row for row in lines if row.get('kind') == 'instruction' and not
            row.get('synthetic')]


def check_effects(sample):
    states = load(os.path.join(DATA, sample))
    path, _ = convert(os.path.join(DATA, sample), 'a.q4v', '-t', 'qemu4v')
    steps, codes = converted(path)
    if codes != [(state.pc, state.opcode) for state in states]:
        return 'other instructions'
    for number, (found, expected) in enumerate(zip(steps, model(states)), 1):
        if found != expected:
            return f'instruction {number}: {sorted(found)}, expected {sorted(expected)}'
    wrong = replay(steps)
    return f'load {wrong}' if wrong else ''


COLUMNS = ['r0', 'r1', 'r3', 'r31', 'f1', 'cr', 'xer', 'lr', 'ctr', 'msr', 'srr1', 'srr0', 'pc', 'cr0',
           'cr7']


def expected_columns(state):
    named = {'srr1': state['msr'], 'srr0': state.pc, 'pc': state.pc, 'cr0': state['cr'] >> 28,
             'cr7': state['cr'] & 15}
    return [f'0x{named[name] if name in named else state[name]:x}' for name in COLUMNS]


def csv(*words):
    done = subprocess.run([PROGRAM, 'view', '--csv', *words], capture_output=True, text=True,
                          check=False)
    return [[f'0x{int(cell, 16):x}' if cell.startswith('0x') else cell
             for cell in line.split(',')] for line in done.stdout.splitlines()[1:]]


def check_columns(sample):
    """Registers as columns: whole, selected, at the end, and in records of registers."""
    path, states = os.path.join(DATA, sample), load(os.path.join(DATA, sample))
    names = ','.join(COLUMNS)
    rows_of = [[str(n), *expected_columns(state)] for n, state in enumerate(states, 1)]
    if csv('-c', 'row,' + names, path) != rows_of:
        return 'other values'
    wanted = [row for row, state in zip(rows_of, states)
              if state['r3'] == states[-1]['r3'] and state['cr'] & 0x20000000]
    condition = f'r3 == {states[-1]["r3"]} and cr & 0x20000000'
    for words, chosen in (([], wanted), (['--tail', '3'], wanted[-3:])):
        if csv('-c', 'row,' + names, '-w', condition, *words, path) != chosen:
            return f'other rows where {condition} {words}'
    text, _ = convert(path, 'c.q4v', '-t', 'qemu4v')
    found = csv('--isa=powerpc', '-c', 'kind,r1,r3,cr', text)
    shown, instruction = {}, -1
    for kind, *values in found:
        instruction += kind == 'instruction'
        if kind == 'instruction' and instruction:
            before, now = states[instruction - 1], states[instruction]
            for name in ('r1', 'r3', 'cr'):
                if before[name] != now[name]:
                    shown[name] = f'0x{now[name]:x}'
            if values != [shown.get(name, '') for name in ('r1', 'r3', 'cr')]:
                return f'instruction {instruction + 1} of records: {values}, expected {shown}'
    return ''


def wide_record(record, layout):
    """A record of 1148 bytes, with the thread state of 64 bits, of one of 32 bits."""
    thread, floats, vectors = layout
    words = struct.unpack('>40I', record[thread:thread + 160])
    wide = struct.pack('>34Q', *words[:34]) + struct.pack('>I', words[34])
    wide += struct.pack('>3Q', *words[35:38]) + struct.pack('>I', words[39])
    return record[:4] + wide + record[floats:floats + 264] + record[vectors:]


def check_layouts(sample):
    """One execution in records of 32 and of 64 bits is the same; and is not, if r3 differs."""
    path = os.path.join(DATA, sample)
    data = gzip.open(path).read() if path.endswith('.gz') else open(path, 'rb').read()
    size = next(size for size in LAYOUTS if (len(data) - 4) % size == 0 and
                struct.unpack('>I', data[4 + LAYOUTS[size][0]:8 + LAYOUTS[size][0]])[0] % 4 == 0)
    wide = data[:4] + b''.join(wide_record(data[at:at + size], LAYOUTS[size])
                               for at in range(4, len(data), size))
    if (len(wide) - 4) % 1148:
        return f'records of {(len(wide) - 4) * size // (len(data) - 4)} bytes'
    statuses = []
    at = 4 + 1148 * ((len(wide) - 4) // 1148 - 1) + 4 + 8 * 5
    for content in (wide, wide[:at + 7] + bytes([wide[at + 7] ^ 1]) + wide[at + 8:]):
        with open(os.path.join(FOLDER, 'wide.full'), 'wb') as file:
            file.write(content)
        done = subprocess.run([PROGRAM, 'diff', path, file.name], capture_output=True, text=True,
                              check=False)
        statuses.append(done.returncode)
    return '' if statuses == [0, 1] else f'statuses {statuses}'


def check_who(sample):
    """The last store to an address, with its data."""
    states = load(os.path.join(DATA, sample))
    stores = [(number, moved) for number, moved in
              enumerate(map(access, states, states[1:]), 1) if moved and moved[0] and moved[2]
              and len(moved[2]) <= 8]
    if not stores:
        return ''
    number, (_, address, data) = stores[-1]
    done = subprocess.run([PROGRAM, 'who', '--json', f'--addr={address}',
                           os.path.join(DATA, sample)], capture_output=True, text=True, check=False)
    answer = json.loads(done.stdout)['answer']
    found = answer['record'], int(answer['value'], 16), answer['size']
    wanted = number, int.from_bytes(data, 'big'), len(data)
    return '' if found == wanted else f'{found}, expected {wanted}'


def check_formats(sample):
    """One execution as FULL and as the recorder's own TT6E has the same effects; TT6E lacks a last
    branch."""
    name = os.path.basename(sample).split('.')[0]
    for other in (f'tt6/{name}.tt6e', f'amber/{name}.tt6e'):
        path = os.path.join(DATA, other)
        if not os.path.exists(path):
            continue
        done = subprocess.run([PROGRAM, 'diff', '-i', 'tail', os.path.join(DATA, sample), path],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            return f'{other}: {done.stdout[:300]}'
    return ''


def check_joined(sample):
    whole = os.path.join(DATA, sample)
    text, _ = convert(whole, 'b.q4v', '-t', 'qemu4v')
    direct, _ = convert(whole, 'direct.tt6e')
    joined, _ = convert(text, 'joined.tt6e', '--isa=powerpc', '-T', 'tt6e.missing=zero')
    a, b = rows(direct), rows(joined)
    # TT6E adds a pair of rows after twi, on both sides.
    differing = {n for n, (x, y) in enumerate(zip(a, b), 1) if x != y}
    permitted = unshown(load(whole))
    if len(a) != len(b) or not differing <= permitted:
        return f'{len(a)} and {len(b)} rows, differing {sorted(differing - permitted)}'
    if not permitted and open(direct, 'rb').read() != open(joined, 'rb').read():
        return 'other bytes'
    print(f'# {sample}: {len(differing)} of {len(a)} instructions differ: {sorted(differing)}')
    return ''


def main():
    number = 0
    checks = [('effects', check_effects), ('effects_joined', check_joined),
              ('register_columns', check_columns), ('layouts', check_layouts),
              ('last_store', check_who), ('formats', check_formats)]
    print(f'1..{len(checks) * len(SAMPLES)}')
    for sample in SAMPLES:
        for name, check in checks:
            number += 1
            why = check(sample)
            if why:
                print('# ' + why)
            print(f'{"not ok" if why else "ok"} {number} - {name}_of_{os.path.basename(sample)}')


with tempfile.TemporaryDirectory() as FOLDER:
    main()
