#!/usr/bin/env python3
"""Compares RISC-V lengths and texts with GNU objdump, as TAP: riscv_objdump.py LISTING DEF

Every halfword, words of each line of the table with random other bits, uniformly random words, and
the code of a C library if there is one. POLYTRACE_LONG=1 tries four million words.
"""
import os
import re
import struct
import sys
from collections import Counter

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import riscv_tools as tools  # noqa: E402

LISTING, DEF = sys.argv[1:3]
LIBRARY = tools.LIBRARIES + 'libc.so.6'
WORDS = 4000000 if os.environ.get('POLYTRACE_LONG') else 100000
FAULTS_SHOWN = 40


def excuse(word, isa, theirs, mine):
    """Why a difference is accepted; None: it is not."""
    is_data = theirs.startswith(('.', '0x'))
    if not mine and (word & 3 != 3 or word & 0x1f == 3) and theirs.startswith('vmsge.vx '):
        return 'a macro of the assembler, which no word encodes'
    if not mine and isa == 'riscv32' and re.match(r'(c\.)?(sll|srl|sra|ror|bclr|bext|binv|bset)i? ', theirs):
        return 'shift amounts above 31 are reserved (RISC-V Unprivileged ISA 2.4, 16.5)'
    if not mine and word == 0x6101:
        return 'c.addi16sp with immediate 0 is reserved (16.5)'
    if is_data and mine and re.match(r'fence(\.i)?\b', mine):
        return 'reserved fields of fences are ignored (2.7, 3)'
    if is_data and mine and re.match(r'fcvt\.d\.(s|w|wu) ', mine) and word >> 12 & 7:
        return 'the rounding mode of exact conversions has no effect; objdump knows 0 alone'
    if is_data and mine and re.match(r'czero\.(eqz|nez) ', mine):
        return 'Zicond is not known to this objdump'
    return None


def compare(code, isa):
    """Compares a block; returns the numbers of equal and of excused lines, and the faults."""
    equal, excused, faults = 0, Counter(), []
    listed = (tools.objdump(code, isa), tools.listing(LISTING, code, isa))
    for (offset, length, text), mine in zip(*listed, strict=True):
        word = int.from_bytes(code[offset:offset + length], 'little')
        own = mine[-1] if len(mine) > 2 else None
        is_same = (offset, length) == (int(mine[0], 16), int(mine[1]))
        if is_same and text == own or own is None and text.startswith(('.', '0x')):
            equal += 1
        elif is_same and (reason := excuse(word, isa, text, own)):
            excused[reason] += 1
        else:
            faults.append(f'{isa} {word:0{2 * length}x} at {offset:x}: "{text}", here {mine}')
        if not is_same:
            break
    return equal, excused, faults


def report(number, name, results):
    faults = [fault for result in results for fault in result[2]]
    excused = sum((result[1] for result in results), Counter())
    print(f'# {name}: {sum(result[0] for result in results)} equal')
    for reason, count in excused.most_common():
        print(f'#   {count} excused: {reason}')
    for fault in faults[:FAULTS_SHOWN]:
        print('# ' + fault)
    print(f'{"not " if faults else ""}ok {number} - {name}')


def halfwords():
    """Every halfword, with what follows it in longer encodings; those of more than 8 bytes are
    reserved, and have no length here (RISC-V Unprivileged ISA 1.5)."""
    return b''.join(struct.pack('<H', half) + bytes(length_of(half) - 2)
                    for half in range(65536) if half & 0x7f != 0x7f)


def length_of(half):
    return (2 if half & 3 != 3 else 4 if half & 0x1c != 0x1c else 6 if half & 0x3f == 0x1f else 8)


def words():
    random, lines = tools.generator(), tools.table(DEF)
    for index in range(WORDS):
        word = random.getrandbits(32) | 3
        if index % 2:
            yield tools.word_of(lines[index // 2 % len(lines)], word)
        else:
            yield struct.pack('<I', word ^ 0x10 if word & 0x1c == 0x1c else word)


def main():
    print('1..3')
    if tools.lacking():
        for number in 1, 2, 3:
            print(f'ok {number} # SKIP {tools.lacking()}')
        return
    code = halfwords()
    report(1, 'every_halfword', [compare(code, isa) for isa in tools.ARCH])
    code = b''.join(words())
    report(2, 'words_of_every_line_and_random_words', [compare(code, isa) for isa in tools.ARCH])
    if os.path.exists(LIBRARY):
        report(3, 'a_c_library',
               [compare(code, 'riscv64') for code in tools.sections(LIBRARY)])
    else:
        print(f'ok 3 # SKIP {tools.lacking_library(LIBRARY)}')


main()
