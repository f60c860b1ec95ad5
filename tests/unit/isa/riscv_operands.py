#!/usr/bin/env python3
"""Compares descriptions of RISC-V instructions with the operands that GNU objdump prints, as TAP:
riscv_operands.py LISTING DEF

Mnemonic, class, branch kind, target and registers of every halfword, of words of each line of the
table with random other bits, and of a C library if there is one. The rules are those of the
assembly language: the first operand is written, the others are read; exceptions are listed.
POLYTRACE_LONG=1 tries more words and the whole of two libraries.
"""
import hashlib
import os
import re
import sys
from collections import Counter

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import riscv_tools as tools  # noqa: E402

LISTING, DEF = sys.argv[1:3]
LONG = bool(os.environ.get('POLYTRACE_LONG'))
WORDS_PER_LINE = 2000 if LONG else 20
LIBRARY_BYTES = None if LONG else 100000
FAULTS_SHOWN = 40
REGISTER = re.compile(r'\b(?:ra|sp|gp|tp|t[0-6]|a[0-7]|s[0-9]|s1[01]|f[ast][0-9]|f[st]1[01])\b')
STATE = {'fflags', 'frm'}

STORES = {'sb', 'sh', 'sw', 'sd', 'swsp', 'sdsp', 'fsw', 'fsd', 'fswsp', 'fsdsp'}
LOADS = {'lb', 'lh', 'lw', 'ld', 'lbu', 'lhu', 'lwu', 'lwsp', 'ldsp', 'flw', 'fld', 'flwsp',
         'fldsp'}
CONDITIONAL = {'beq', 'bne', 'blt', 'bge', 'bltu', 'bgeu', 'beqz', 'bnez'}
DIRECT = CONDITIONAL | {'j', 'jal'}
INDIRECT = {'jr', 'jalr'}
SYSTEM = {'ecall', 'ebreak', 'mret', 'sret', 'dret', 'wfi', 'sfence.vma'}
# Compressed instructions whose first operand is read, too.
UPDATES = {'c.addi', 'c.addi16sp', 'c.addiw', 'c.slli', 'c.srli', 'c.srai', 'c.andi', 'c.add',
           'c.sub', 'c.xor', 'c.or', 'c.and', 'c.subw', 'c.addw'}
# Bits of the flow.
JUMP, IS_CONDITIONAL, IS_INDIRECT, CALL, RETURN = 1, 2, 4, 8, 16
LINKS = {'ra', 't0'}
SIZES = {'b': 1, 'h': 2, 'w': 4, 'd': 8}
ATOMIC_DIRECTIONS = {'lr.': 'R', 'sc.': 'W'}
# Instructions of each class and kind in the libraries of libc6-riscv64-cross 2.36-8cross1, by SHA-256,
# as a program without code of this project counted them.
COUNTED = {
    'ff13359602922af33d9ec3e10c5f01496bc80dd5851322df571972643f308554': Counter({
        'integer': 130056, 'branch': 65852, 'load': 54884 + 192, 'store': 35560 + 74, 'atomic': 1494,
        'system': 519 + 60, 'fence': 517, 'divide': 413, 'multiply': 356, 'float': 289,
        'conditional': 34455, 'jump': 13827, 'call': 13435, 'return': 3886, 'indirect': 249}),
    '3e4ee384f314db6718d00aca9e5f1d51d55acaaf0181d63c7375aa48b95f19e9': Counter({
        'integer': 34475, 'branch': 15256, 'float': 9595, 'load': 8590 + 3858, 'store': 3445 + 614,
        'system': 886, 'multiply': 54, 'divide': 17,
        'conditional': 6358, 'call': 5440, 'jump': 2599, 'return': 845, 'indirect': 14})}


def class_of(name, operands):
    """The class of an instruction by its name without "c."."""
    if name[0] == 'v':
        return 'vector' if '(' not in operands else 'load' if name[1] == 'l' else 'store'
    for cls, names in (('store', STORES), ('load', LOADS), ('branch', DIRECT | INDIRECT),
                       ('system', SYSTEM)):
        if name in names:
            return cls
    for cls, pattern in (('system', 'csr'), ('fence', 'fence|pause'), ('atomic', r'(lr|sc|amo\w+)\.'),
                         ('cache', r'cbo\.|prefetch\.'), ('multiply', 'c?l?mul'),
                         ('divide', 'div|rem'), ('float', 'f')):
        if re.match(pattern, name):
            return cls
    return 'integer'


def registers_of(full_name, name, fields):
    """The x and f registers read and written."""
    if name == 'fence':
        return set(), set()
    named = [set(REGISTER.findall(field)) for field in (fields[:-1] if name in DIRECT else fields)]
    is_write = named and '(' not in fields[0] and \
        name not in STORES | CONDITIONAL | {'jr', 'sfence.vma'} and full_name != 'c.jalr'
    writes = named[0] if is_write else {'ra'} if full_name == 'c.jalr' else set()
    if full_name == 'c.jal':
        writes = {'ra'}
    return set().union(*named[bool(is_write) and full_name not in UPDATES:]), writes


def flow_of(name, reads, writes):
    """The bits of the flow, by the hints of JAL and JALR (RISC-V Unprivileged ISA 2.5)."""
    if name in CONDITIONAL:
        return JUMP | IS_CONDITIONAL
    if name not in DIRECT | INDIRECT:
        return 0
    returns = RETURN if reads & LINKS and reads != writes else 0
    return JUMP | (CALL if writes & LINKS else 0) | (IS_INDIRECT | returns if name in INDIRECT else 0)


def access_of(name, cls, operands):
    """The access as riscv_listing prints it: the size by the last letter, 0 of vectors."""
    if cls not in ('load', 'store', 'atomic'):
        return ''
    displacement, base = re.search(r'(-?\d*)\((\w+)\)', operands).groups()
    size = 0 if name[0] == 'v' else SIZES[re.sub(r'(sp|u)$', '', name)[-1]]
    direction = ATOMIC_DIRECTIONS.get(name[:3], 'RW') if cls == 'atomic' else \
        'R' if cls == 'load' else 'W'
    return f'{direction}{size}:{base}:{displacement or 0}'


def expected(text, offset, isa):
    """Mnemonic, class, flow, registers read and written, distance of the target, access."""
    full_name, _, operands = text.partition(' ')
    full_name = re.sub(r'\.(aq|rl|aqrl)$', '', full_name)
    # Segment accesses are cases of their unit-stride lines; shifts by 0 are hints.
    full_name = re.sub(r'seg\d(?=e)', '', full_name)
    full_name = re.sub(r'^(c\.s\w+i)64$', r'\1', full_name)
    name = re.sub(r'^c\.', '', full_name)
    fields = operands.split(',') if operands else []
    reads, writes = registers_of(full_name, name, fields)
    distance = ''
    if name in DIRECT:
        half = 1 << int(isa[-2:]) - 1
        distance = str((int(fields[-1], 16) - offset + half) % (2 * half) - half)
    cls = class_of(name, operands)
    if name[0] == 'v':
        reads = writes = set()
    return (full_name, cls, flow_of(name, reads, writes), reads, writes, distance,
            access_of(name, cls, operands))


def is_accepted(theirs, mine):
    """Whether names differ by choice: c.addi of x0 is a hint; zext.h is one case of pack."""
    return (theirs, mine) in {('c.addi', 'c.nop'), ('pack', 'zext.h'), ('packw', 'zext.h')}


def described(fields):
    """What expected returns, of a line of riscv_listing."""
    _, _, cls, flow, name, reads, writes, target, access = fields[:9]
    return (name, cls, int(flow), set(reads.split(',')) - STATE - {''},
            set(writes.split(',')) - STATE - {''}, target, access)


def compare(code, isa):
    """Compares a block; returns the counts of what was compared, and the faults."""
    counts, faults = Counter(), []
    listed = (tools.objdump(code, isa, ['-M', 'no-aliases']), tools.listing(LISTING, code, isa))
    for (offset, length, text), fields in zip(*listed, strict=True):
        if len(fields) < 9 or text.startswith(('.', '0x')):
            counts['without description'] += 1
            continue
        theirs, mine = expected(text, offset, isa), described(fields)
        counts.update(labels(fields))
        if theirs[1:] != mine[1:] or theirs[0] != mine[0] and not is_accepted(theirs[0], mine[0]):
            faults.append(f'{isa} {code[offset:offset + length][::-1].hex()} at {offset:x}: '
                          f'"{text}": {theirs}, here {mine}')
    return counts, faults


def labels(fields):
    """The class and the kinds of branch of a line of riscv_listing."""
    flow = int(fields[3])
    if not flow:
        return [fields[2]]
    if flow & IS_CONDITIONAL:
        return [fields[2], 'conditional']
    return [fields[2]] + ([word for bit, word in ((CALL, 'call'), (RETURN, 'return')) if flow & bit]
                          or ['indirect' if flow & IS_INDIRECT else 'jump'])


def report(number, name, results):
    counts = sum((result[0] for result in results), Counter())
    faults = [fault for result in results for fault in result[1]]
    print(f'# {name}: ' + ', '.join(f'{count} {word}' for word, count in counts.most_common()))
    for fault in faults[:FAULTS_SHOWN]:
        print('# ' + fault)
    print(f'{"not " if faults else ""}ok {number} - {name}')


def blocks():
    """Words of every line of the table, and every halfword."""
    random = tools.generator()
    for isa in tools.ARCH:
        yield b''.join(tools.word_of(line, random.getrandbits(32)) for line in tools.table(DEF)
                       if isa in line[1] for _ in range(WORDS_PER_LINE)), isa
        yield b''.join(half.to_bytes(2, 'little') for half in range(65536) if half & 3 != 3), isa


def library(number, name):
    path = tools.LIBRARIES + name
    if not os.path.exists(path):
        print(f'ok {number} # SKIP {tools.lacking_library(path)}')
        return
    report(number, name, [compare(code[:LIBRARY_BYTES], 'riscv64')
                          for code in tools.sections(path)])


def totals(number):
    """The totals of whole libraries."""
    faults, known = [], 0
    for path in (tools.LIBRARIES + name for name in ('libc.so.6', 'libm.so.6')):
        counted = COUNTED.get(sha256(path)) if os.path.exists(path) else None
        if not counted:
            continue
        known += 1
        mine = Counter(label for code in tools.sections(path)
                       for fields in tools.listing(LISTING, code, 'riscv64')
                       if len(fields) > 8 for label in labels(fields))
        faults += [f'{path}: {counted[word]} {word}, here {mine[word]}'
                   for word in counted | mine if counted[word] != mine[word]]
    for fault in faults:
        print('# ' + fault)
    lacking = tools.lacking_library(tools.LIBRARIES + 'libc.so.6')
    skip = '' if known else f' # SKIP {lacking or "no library whose instructions were counted"}'
    print(f'{"not " if faults else ""}ok {number} - totals of libraries{skip}')


def sha256(path):
    with open(path, 'rb') as file:
        return hashlib.sha256(file.read()).hexdigest()


def every_line_is_found(number):
    """A line that others precede could be shadowed by them."""
    random, lost = tools.generator(), []
    for isa in tools.ARCH:
        lines = [line for line in tools.table(DEF) if isa in line[1]]
        code = b''.join(tools.word_of(line, random.getrandbits(32)) for line in lines
                        for _ in range(8))
        names = [fields[4] if len(fields) > 4 else None
                 for fields in tools.listing(LISTING, code, isa)]
        lost += [f'{isa}: {line[0]}' for i, line in enumerate(lines)
                 if line[0] not in names[8 * i:8 * i + 8]]
    for line in lost:
        print('# ' + line)
    print(f'{"not " if lost else ""}ok {number} - every line is found')


def main():
    print('1..5')
    every_line_is_found(1)
    if tools.lacking():
        for number in 2, 3, 4, 5:
            print(f'ok {number} # SKIP {tools.lacking()}')
        return
    totals(2)
    report(3, 'every_line_and_halfword', [compare(code, isa) for code, isa in blocks()])
    library(4, 'libc.so.6')
    library(5, 'libm.so.6')


main()
