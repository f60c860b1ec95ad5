#!/usr/bin/env python3
"""
Escapes and twi's synthetic pair stay with their instruction: random TT6 and TT6E traces, random
selections and ways of conversion, compared with a model, as TAP.

    escapes.py POLYTRACE

The model is written from the seed (TT6 trace format) alone: escapes 1 to 5 belong to the next
instruction, and in TT6E a twi is followed by a branch to 0x700 and an rfi.
"""
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ['POLYTRACE_ROOT'], 'tests'))
import needs  # noqa: E402

needs.libraries('jansson')

PROGRAM = os.path.abspath(sys.argv[1])
ROUNDS = 400 if os.environ.get('POLYTRACE_LONG') else 40
SEED = int(os.environ.get('POLYTRACE_SEED') or random.randrange(1 << 32))
NOP, LWZ, DCBF, TWI, BRANCH, RFI, SPLICE = (0x60000000, 0x81230008, 0x7c0018ac, 0x0c000000,
                                            0x48000010, 0x4c000064, 0x48000000)
SYNTHETIC, TRAP = 0x48000702, 0x700
TRAILING = 0x80000000  # the condition register after the last instruction


class Instruction:
    def __init__(self, pc, opcode, words, escapes):
        self.pc, self.opcode, self.words, self.escapes = pc, opcode, words, escapes
        self.has_pair = False

    def key(self, code_1_is_kept):
        """What a conversion keeps; an escape 1 repeats the address of a record that has it."""
        escapes = {code: value for code, value in self.escapes.items()
                   if code != 1 or code_1_is_kept}
        return self.pc, self.opcode, tuple(self.words), tuple(sorted(escapes.items())), \
            self.has_pair


def words_of_escape(code, value):
    words = [value >> 32, value & 0xffffffff] if value >> 32 else [value]
    return [code << 16 | len(words), *words]


def generate(dice, is_extended, pc=0x1000, syncs_between=0.3):
    """Words of a trace, and its rows: an instruction, or None for other records."""
    words, rows, signals = [pc], [None], 0
    for _ in range(dice.randrange(2, 30)):
        if dice.random() < 0.1:
            signals += 1
            words += [0x200002, pc & ~0xfffff, signals]
            rows.append(None)
        opcode = dice.choice([NOP, NOP, LWZ, DCBF, TWI, BRANCH])
        escapes = {}
        for code in sorted(dice.sample([1, 2, 3, 4, 5], dice.choice([0, 0, 1, 2]))):
            if (code == 1 and (opcode != DCBF or is_extended)) or (code == 3 and opcode != BRANCH):
                continue
            wide = code != 2 and code != 1 and dice.random() < 0.3
            escapes[code] = dice.randrange(1, 1 << 32) | (dice.randrange(1, 9) << 32 if wide else 0)
            words += words_of_escape(code, escapes[code])
            rows.append(None)
        if escapes and dice.random() < syncs_between:
            signals += 1
            words += [0x200002, pc & ~0xfffff, signals]
            rows.append(None)
        fields, following = [], pc + 4
        if opcode == LWZ or (opcode == DCBF and is_extended):
            fields = [dice.randrange(1 << 32)]
        if opcode == BRANCH:
            fields, following = [pc + 16], pc + 16
        instruction = Instruction(pc, opcode, fields, escapes)
        words += [opcode, *fields]
        rows.append(instruction)
        if opcode == TWI and is_extended:
            instruction.has_pair = True
            words += [SYNTHETIC, TRAP, RFI, following]
            rows += [None, None]
        pc = following
    if syncs_between and dice.random() < 0.3:
        words += words_of_escape(2, TRAILING)
        rows.append(TRAILING)
    return struct.pack(f'>{len(words)}I', *words), rows


def parse(data, is_extended):
    """The instructions of a trace, splices and initial pc resolved."""
    words = list(struct.unpack(f'>{len(data) // 4}I', data))
    pc, at, escapes, found = (words or [0])[0], 1, {}, []
    while at < len(words):
        opcode = words[at]
        if opcode >> 26 == 0:
            code, count = opcode >> 16, opcode & 0xffff
            values = words[at + 1:at + 1 + count]
            if code < 0x20:
                escapes[code] = int(''.join(f'{value:08x}' for value in values), 16)
            at += 1 + count
            continue
        if opcode == SPLICE:
            if escapes:
                found.append(('a splice between escapes and their instruction', escapes))
            pc, at = words[at + 1], at + 2
            continue
        if opcode == SYNTHETIC:
            if not found or found[-1].opcode != TWI or words[at + 2] != RFI:
                found.append('a pair without its twi')
            else:
                found[-1].has_pair = True
            pc, at = words[at + 3], at + 4
            continue
        size = 2 if opcode in (LWZ, BRANCH) or (opcode == DCBF and is_extended) else 1
        found.append(Instruction(pc, opcode, words[at + 1:at + size], escapes))
        pc, escapes = words[at + 1] if opcode == BRANCH else pc + 4, {}
        at += size
    if escapes:
        found.append(TRAILING if escapes == {2: TRAILING} else ('escapes of none', escapes))
    return found


def convert(source, out, *words):
    done = subprocess.run([PROGRAM, 'convert', '--force', source, '-o', out, *words], capture_output=True,
                          text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f'Bail out! {words}: {done.stderr}')


def select(dice, rows):
    """Options that select, and the rows that they select by the model, before escapes follow."""
    count = len(rows)
    way = dice.choice(['rows', 'rows', 'pc', 'range', 'kind'])
    if way == 'range':
        first = dice.randrange(1, count + 1)
        last = dice.randrange(first, count + 1)
        options = dice.choice([[f'--range={first}-{last}'],
                               [f'--skip={first - 1}', f'--count={last - first + 1}']])
        return options, {*range(first, last + 1)}
    chosen = {row for row in range(1, count + 1) if dice.random() < 0.5}
    if way == 'rows':
        return ['-w', 'row in {' + ', '.join(map(str, sorted(chosen) or [count + 1])) + '}'], chosen
    if way == 'kind':
        return ['-w', 'kind == instruction'], {n for n, row in enumerate(rows, 1)
                                               if isinstance(row, Instruction)}
    pc = dice.choice([row.pc for row in rows if isinstance(row, Instruction)])
    # A comparison with an absent pc is false, and its negation true.
    return ['-w', f'not pc == {pc}'], {n for n, row in enumerate(rows, 1)
                                       if not isinstance(row, Instruction) or row.pc != pc}


def keys_of(rows):
    return [row.key(True) if isinstance(row, Instruction) else row for row in rows]


def attempt_merge(dice, folder, number):
    """Why one merge is wrong; '': it is not. Each thread has addresses of its own."""
    is_extended = dice.random() < 0.5
    name = 'tt6e' if is_extended else 'tt6'
    sources, expected = [], []
    for thread in range(1, dice.randrange(3, 5)):
        data, rows = generate(dice, is_extended, thread << 20, 0)
        sources.append(os.path.join(folder, f'{number}_thread_{thread}.{name}'))
        with open(sources[-1], 'wb') as file:
            file.write(data)
        expected.append([row for row in rows if isinstance(row, Instruction)])
    out = os.path.join(folder, f'{number}.merged.{name}')
    step = dice.choice([out, out + '.jsonl', out + '.ptz'])
    quantum = str(dice.choice([0, 1, 1, 2, 3, 5]))
    subprocess.run([PROGRAM, 'merge', '--force', '-f', name, '-q', quantum, '-o', step, *sources],
                   capture_output=True, check=True)
    if step != out:
        convert(step, out)
    found = parse(open(out, 'rb').read(), is_extended)
    faults = [row for row in found if not isinstance(row, Instruction)]
    if faults:
        return f'{faults} with quantum {quantum}'
    for thread, rows in enumerate(expected, 1):
        keys = keys_of(row for row in found if row.pc >> 20 == thread)
        if keys != keys_of(rows):
            return f'quantum {quantum}, thread {thread}: {keys}, expected {keys_of(rows)}'
    return ''


def attempt(dice, folder, number):
    """Why one conversion is wrong; '': it is not."""
    is_extended = dice.random() < 0.5
    name = 'tt6e' if is_extended else 'tt6'
    data, rows = generate(dice, is_extended)
    source, out, middle = (os.path.join(folder, f'{number}.{end}') for end in
                           (name, 'out.' + name, 'jsonl'))
    with open(source, 'wb') as file:
        file.write(data)
    convert(source, out, '-f', name)
    if open(out, 'rb').read() != data:
        return 'the whole trace is written differently'
    options, chosen = select(dice, rows)
    steps = dice.choice([[], ['jsonl'], ['ptz']])
    if steps:
        middle = middle.replace('jsonl', steps[0])
        convert(source, middle, '-f', name, *options)
        convert(middle, out)
    else:
        convert(source, out, '-f', name, *options)
    found = parse(open(out, 'rb').read() if os.path.exists(out) else b'', is_extended)
    expected = [row for n, row in enumerate(rows, 1) if row and n in chosen]
    keys, wanted = keys_of(found), keys_of(expected)
    if keys != wanted:
        return f'{options} {steps}: {keys}, expected {wanted}'
    return ''


print(f'1..3\n# POLYTRACE_SEED={SEED}')
with tempfile.TemporaryDirectory() as FOLDER:
    WHY = ''
    for ROUND in range(ROUNDS):
        WHY = WHY or attempt(random.Random(f'{SEED} {ROUND}'), FOLDER, ROUND)
if WHY:
    print('# ' + WHY)
print(f'{"not " if WHY else ""}ok 1 - escapes_stay_with_their_instruction')
WHY = ''
with tempfile.TemporaryDirectory() as FOLDER:
    for ROUND in range(ROUNDS // 2):
        WHY = WHY or attempt_merge(random.Random(f'{SEED} merge {ROUND}'), FOLDER, ROUND)
if WHY:
    print('# ' + WHY)
print(f'{"not " if WHY else ""}ok 2 - merged_escapes_stay_with_their_instruction')

# Groups of two escapes and an instruction after NOPs: the escapes at the end of a batch wait for the
# instruction, and the last one that is read for the positions is in the middle of a group.
COUNT, SKIP = 4400, 100
with tempfile.TemporaryDirectory() as FOLDER:
    WHY, SOURCE = '', os.path.join(FOLDER, 'groups.tt6')
    for NOPS in range(3):
        DATA = [word for i in range(COUNT) for word in (0x20001, i, 0x50001, 0x9000 + i, NOP)]
        with open(SOURCE, 'wb') as OUT:
            OUT.write(struct.pack(f'>{1 + NOPS + len(DATA)}I', 0x1000, *NOPS * [NOP], *DATA))
        for LENGTH in range(12500, 12503):
            # Row 1 is the initial PC; instruction i is row 4 + NOPS + 3 i.
            FIRST, LAST = -(-(SKIP + 1 - 4 - NOPS) // 3), (SKIP + LENGTH - 4 - NOPS) // 3
            WANTED = [0x1000 + 4 * (NOPS + FIRST)] + DATA[5 * FIRST:5 * (LAST + 1)]
            FOUND = subprocess.run([PROGRAM, 'convert', '-f', 'tt6', '-t', 'tt6', '-o', '-', f'--skip={SKIP}',
                                    f'--count={LENGTH}', SOURCE], capture_output=True, check=True).stdout
            if FOUND != struct.pack(f'>{len(WANTED)}I', *WANTED):
                WHY = WHY or f'{NOPS} NOPs, --count={LENGTH}: {len(FOUND)} bytes, expected {4 * len(WANTED)}'
if WHY:
    print('# ' + WHY)
print(f'{"not " if WHY else ""}ok 3 - escapes_after_the_selection_are_dropped')
