#!/usr/bin/env python3
"""
Escapes and twi's synthetic pair stay with their instruction: every sample of TT6 and TT6E with
random escapes, random selections, conversions and merges, compared with a model, as TAP.

    escapes_samples.py POLYTRACE

The model is written from the seed (TT6 trace format): the tables of opcodes that decide how many
words an instruction has, and escapes, which belong to the next one.
"""
import glob
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ['POLYTRACE_ROOT'], 'tests'))
import needs  # noqa: E402
import sampling  # noqa: E402

needs.libraries('xxhash', 'zstd')

PROGRAM = os.path.abspath(sys.argv[1])
DATA = os.path.join(os.environ['POLYTRACE_ROOT'], 'tests', 'data')
ROUNDS = 20 if os.environ.get('POLYTRACE_LONG') else 3 if sampling.ONE_OF <= 8 else 1
SEED = int(os.environ.get('POLYTRACE_SEED') or random.randrange(1 << 32))
FLOW = {(16, None), (17, None), (18, None), (19, 16), (19, 528), (19, 50), (19, 18)}
MEMORY = {7, 20, 21, 23, 39, 53, 55, 71, 84, 87, 103, 119, 135, 149, 150, 151, 167, 181, 183, 199,
          214, 215, 231, 247, 279, 310, 311, 341, 343, 359, 373, 375, 407, 438, 439, 487, 534, 535,
          567, 597, 599, 631, 662, 663, 695, 725, 727, 759, 790, 918, 983}
CACHE = {54, 86, 246, 278, 470, 758, 982, 1014}
EXTENDED = {342, 374, 533, 661}
RFI, SPLICE, TRAP, TWI = 0x4c000064, 0x48000000, 0x700, 3


class Instruction:
    def __init__(self, pc, words, escapes):
        self.pc, self.words, self.escapes, self.pair = pc, words, escapes, []

    def key(self):
        return self.pc, tuple(self.words), tuple(sorted(self.escapes.items())), bool(self.pair)


def is_flow(opcode):
    major = opcode >> 26
    return (major, None) in FLOW or (major, opcode >> 1 & 0x3ff) in FLOW


def is_cache(opcode):
    return opcode >> 26 == 31 and (opcode >> 1 & 0x3ff) in CACHE


def size_of(opcode, is_extended):
    """The number of words of an instruction."""
    major, minor = opcode >> 26, opcode >> 1 & 0x3ff
    if is_flow(opcode) or 32 <= major <= 55 or major in (58, 62):
        return 2
    if major == 31 and (minor in MEMORY or (is_extended and minor in CACHE)):
        return 2
    return 3 if major == 31 and minor in EXTENDED else 1


def parse(data, is_extended):
    """
    The records of a trace: an instruction, its pair included, or the words of another record;
    escapes 1 to 5 are in the instruction. Faults are texts.
    """
    words = list(struct.unpack(f'>{len(data) // 4}I', data))
    pc, at, escapes, found = (words or [0])[0], 1, {}, []
    while at < len(words):
        opcode = words[at]
        if opcode >> 26 == 0:
            end = at + 1 + (opcode & 0xffff)
            if 1 <= opcode >> 16 <= 5:
                escapes[opcode >> 16] = tuple(words[at + 1:end])
            else:
                found.append(words[at:end])
            at = end
            continue
        if opcode == SPLICE and words[at + 1] != pc:
            if escapes:
                found.append(f'a splice between escapes {escapes} and their instruction')
            pc, at = words[at + 1], at + 2
            continue
        size = size_of(opcode, is_extended)
        if is_extended and opcode >> 26 == 18 and words[at + 1] == TRAP and words[at + 2] == RFI:
            if not found or not isinstance(found[-1], Instruction) or \
                    found[-1].words[0] >> 26 != TWI or found[-1].pair:
                found.append('a pair without its twi')
            else:
                found[-1].pair = words[at:at + 4]
            pc, at = words[at + 3], at + 4
            continue
        found.append(Instruction(pc, words[at:at + size], escapes))
        pc, escapes = words[at + 1] if is_flow(opcode) else pc + 4, {}
        at += size
    if escapes:
        found.append(f'escapes {escapes} without an instruction')
    return found


def add_escapes(dice, records, is_extended, first):
    """Words of a trace with random escapes, all values of which differ, and its rows."""
    words, rows, value = [records[0].pc if isinstance(records[0], Instruction) else first], [None], 0
    share = dice.choice([0.02, 0.3, 0.9])
    expected = words[0]
    for record in records:
        if not isinstance(record, Instruction):
            words += record
            rows.append(None)
            continue
        if record.pc != expected:
            words += [SPLICE, record.pc]
        opcode = record.words[0]
        codes = [2, 4, 5] + [3] * is_flow(opcode) + [1] * (is_cache(opcode) and not is_extended)
        for code in codes:
            if dice.random() < share:
                value += 1
                record.escapes[code] = (value,) if code < 3 else (code, value)
                words += [code << 16 | len(record.escapes[code]), *record.escapes[code]]
                rows.append(None)
        words += record.words + record.pair
        rows += [record] + [None] * (len(record.pair) // 2)
        expected = (record.words[1] if is_flow(opcode) else
                    record.pair[3] if record.pair else record.pc + 4)
    return struct.pack(f'>{len(words)}I', *words), rows


def select(dice, rows):
    """Options that select, and the rows that they select by the model, before escapes follow."""
    count = len(rows)
    first = dice.randrange(1, count + 1)
    last = min(count, first + dice.choice([0, 5, count // 3, count]))
    mask = dice.randrange(1, 64)
    pc = dice.choice([row.pc for row in rows if row])
    step = dice.randrange(2, 9)
    every = range(1, count + 1)
    return dice.choice([
        ([f'--range={first}-{last}'], {*range(first, last + 1)}),
        ([f'--skip={first - 1}', f'--count={last - first + 1}'], {*range(first, last + 1)}),
        (['-w', f'(row & {mask}) == 0'], {n for n in every if not n & mask}),
        (['-w', f'pc >= {pc}'], {n for n in every if rows[n - 1] and rows[n - 1].pc >= pc}),
        (['-w', f'not pc == {pc}'], {n for n in every if rows[n - 1] and rows[n - 1].pc != pc}),
        (['-w', 'not (has(escape) or has(sync))'], {*every}),
        ([f'--every={step}'], {n for n in every if n % step == 1 % step}),
        ([f'--head={last}'], {*range(1, last + 1)}),
    ])


def run(*words):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f'Bail out! {words}: {done.stderr}')


def read(path, is_extended):
    """The instructions and faults of a trace; no file: nothing was selected."""
    if not os.path.exists(path):
        return []
    with open(path, 'rb') as file:
        return [record for record in parse(file.read(), is_extended)
                if not isinstance(record, list)]


def load(dice, path, source):
    """Writes a sample with random escapes; its rows."""
    is_extended = path.endswith('e')
    with open(path, 'rb') as file:
        data = file.read()
    records = parse(data, is_extended)
    data, rows = add_escapes(dice, records, is_extended, struct.unpack('>I', data[:4])[0])
    with open(source, 'wb') as file:
        file.write(data)
    return data, rows


def difference(found, expected):
    """The first difference of two lists of instructions; '': they are equal."""
    for i in range(max(len(found), len(expected))):
        pair = [rows[i].key() if i < len(rows) and isinstance(rows[i], Instruction) else
                rows[i] if i < len(rows) else 'nothing' for rows in (found, expected)]
        if pair[0] != pair[1]:
            return f'instruction {i + 1}: {pair[0]}, expected {pair[1]}'
    return ''


def attempt(dice, path, folder):
    """Why a selection of a sample is wrong; '': it is not."""
    name = path.rsplit('.', 1)[1]
    source, out = os.path.join(folder, 'in.' + name), os.path.join(folder, 'out.' + name)
    data, rows = load(dice, path, source)
    run('convert', '--force', '-f', name, source, '-o', out)
    with open(out, 'rb') as file:
        if file.read() != data:
            return f'{path}: the whole trace is written differently'
    os.remove(out)
    options, chosen = select(dice, rows)
    step = dice.choice(['', 'jsonl', 'ptz'])
    if step:
        middle = os.path.join(folder, 'middle.' + step)
        run('convert', '--force', '-f', name, *options, source, '-o', middle)
        if os.path.exists(middle):
            run('convert', '--force', middle, '-o', out)
            os.remove(middle)
    else:
        run('convert', '--force', '-f', name, *options, source, '-o', out)
    why = difference(read(out, name == 'tt6e'),
                     [row for n, row in enumerate(rows, 1) if row and n in chosen])
    if os.path.exists(out):
        os.remove(out)
    return why and f'{path} {options} {step}: {why}'


def attempt_merge(dice, folder):
    """Why a merge of threads is wrong; '': it is not."""
    sources, expected = [], []
    for path in sorted(glob.glob(os.path.join(DATA, 'pthr', '*.tt6'))):
        sources.append(os.path.join(folder, os.path.basename(path)))
        expected += [row.key() for row in load(dice, path, sources[-1])[1] if row]
    out, quantum = os.path.join(folder, 'merged.tt6'), dice.choice([0, 1, 2, 7])
    run('merge', '--force', '-f', 'tt6', '-q', str(quantum), '-o', out, *sources)
    found = read(out, False)
    faults = [record for record in found if isinstance(record, str)]
    if faults:
        return f'quantum {quantum}: {faults[0]}'
    keys = [record.key() for record in found]
    return '' if sorted(keys) == sorted(expected) else \
        f'quantum {quantum}: {len(keys)} instructions, {len(expected)} expected; ' \
        f'{[key for key in expected if key not in set(keys)][:3]} are missing'


SAMPLES = sorted(path for folder in ('amber', 'tt6', 'pthr') for end in ('tt6', 'tt6e')
                 for path in glob.glob(os.path.join(DATA, folder, '*.' + end)))
print(f'1..{len(SAMPLES) + 1}\n# POLYTRACE_SEED={SEED}')
with tempfile.TemporaryDirectory() as FOLDER:
    for NUMBER, PATH in enumerate([*SAMPLES, None], 1):
        WHY = ''
        for ROUND in range(ROUNDS):
            DICE = random.Random(f'{SEED} {NUMBER} {ROUND}')
            WHY = WHY or (attempt(DICE, PATH, FOLDER) if PATH else attempt_merge(DICE, FOLDER))
        if WHY:
            print('# ' + WHY)
        NAME = os.path.relpath(PATH, DATA) if PATH else 'merge'
        print(f'{"not " if WHY else ""}ok {NUMBER} - {NAME}', flush=True)
