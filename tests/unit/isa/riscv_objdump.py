#!/usr/bin/env python3
"""Compares RISC-V lengths and texts with GNU objdump, as TAP: riscv_objdump.py LISTING DEF

Every halfword, words of each line of the table with random other bits, uniformly random words, and
the code of a C library if there is one. POLYTRACE_LONG=1 tries four million words.
"""
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections import Counter

LISTING, DEF = sys.argv[1:3]
OBJDUMP, AS = 'riscv64-linux-gnu-objdump', 'riscv64-linux-gnu-as'
OBJCOPY = 'riscv64-linux-gnu-objcopy'
LIBRARY = '/usr/riscv64-linux-gnu/lib/libc.so.6'
WORDS = 4000000 if os.environ.get('POLYTRACE_LONG') else 100000
ARCH = {'riscv32': 'rv32gcv_zba_zbb_zbc_zbs_zicbom_zicbop_zicboz',
        'riscv64': 'rv64gcv_zba_zbb_zbc_zbs_zicbom_zicbop_zicboz'}

print('1..3')
if not all(map(shutil.which, (OBJDUMP, AS, OBJCOPY))):
    for i in 1, 2, 3:
        print(f'ok {i} # SKIP no {OBJDUMP}')
    sys.exit()
generator = random.Random(int(os.environ.get('POLYTRACE_SEED', '1')))


def objdump(code, isa, folder):
    """The lines of objdump for bytes of code: offset, length, text without comment and symbol."""
    binary, object_file = os.path.join(folder, 'code.bin'), os.path.join(folder, 'code.o')
    source = os.path.join(folder, 'code.s')
    with open(binary, 'wb') as output:
        output.write(code)
    with open(source, 'w') as output:
        output.write(f'.attribute arch, "{ARCH[isa]}"\n.text\n.incbin "{binary}"\n')
    width = isa[-2:]
    subprocess.run([AS, f'-march={ARCH[isa]}', f'-mabi={"ilp32d" if width == "32" else "lp64d"}',
                    '-o', object_file, source], check=True)
    subprocess.run([OBJCOPY, '-w', '-N', '$*', object_file], check=True)
    return lines_of([OBJDUMP, '-d', '-z', object_file])


def lines_of(command):
    listed = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    for line in listed.stdout:
        parts = line.rstrip('\n').split('\t')
        if len(parts) < 3 or not parts[0].strip().endswith(':'):
            continue
        text = re.sub(r'\s*(#.*|<[^>]*>)', '', ' '.join(parts[2:])).strip()
        yield int(parts[0].strip()[:-1], 16), len(parts[1].replace(' ', '')) // 2, text
    listed.wait()


def ours(code, isa, folder):
    path = os.path.join(folder, 'ours.bin')
    with open(path, 'wb') as output:
        output.write(code)
    with open(path, 'rb') as code_file:
        listed = subprocess.Popen([LISTING, isa], stdin=code_file, stdout=subprocess.PIPE, text=True)
        for line in listed.stdout:
            parts = line.rstrip('\n').split('\t')
            yield int(parts[0], 16), int(parts[1]), parts[-1] if len(parts) > 2 else None, parts[4:5]


def excuse(word, length, theirs, mine):
    """Why a difference is accepted; None: it is not."""
    if theirs.startswith('vmsge.vx') or theirs.startswith('vmsgeu.vx'):
        return 'objdump prints a macro of V for a word that is not an instruction' if not mine else None
    if not mine and re.match(r'(c\.)?(sll|srl|sra|ror|bclr|bext|binv|bset)i? ', theirs):
        return 'RV32: shift amounts above 31 are reserved'
    if word == 0x6101:
        return 'c.addi16sp with immediate 0 is reserved'
    if mine and mine.startswith('fence') and word & 0x7f == 0x0f:
        return 'reserved fields of fences are ignored (RISC-V Unprivileged ISA 2.7, 3)'
    if mine and re.match(r'fcvt\.d\.(s|w|wu) ', mine) and word >> 12 & 7:
        return 'exact conversions: the rounding mode has no effect, and binutils requires 0'
    if mine and mine.startswith('czero.'):
        return 'Zicond is not known to this objdump'
    return None


def compare(code, isa):
    """Compares a block; returns the numbers of equal and of excused lines, and the faults."""
    equal, excused, faults, count = 0, Counter(), [], Counter()
    with tempfile.TemporaryDirectory() as folder:
        for theirs, mine in zip(objdump(code, isa, folder), ours(code, isa, folder)):
            offset, length, text = theirs
            word = int.from_bytes(code[offset:offset + length], 'little')
            is_data = text.startswith(('.', '0x'))
            if theirs[:2] == mine[:2] and (mine[2] is None if is_data else text == mine[2]):
                equal += 1
                continue
            reason = excuse(word, length, text, mine[2])
            if reason:
                excused[reason] += 1
            else:
                count[text.split()[0]] += 1
                if count[text.split()[0]] < 3:
                    faults.append(f'{isa} {word:0{2 * length}x} at {offset:x}: objdump "{text}", '
                              f'here "{mine[2]}" at {mine[0]:x} of {mine[1]}')
    return equal, excused, faults


def report(number, name, results):
    faults = [fault for result in results for fault in result[2]]
    excused = sum((result[1] for result in results), Counter())
    print(f'# {name}: {sum(result[0] for result in results)} equal')
    for reason, count in excused.most_common():
        print(f'#   {count} excused: {reason}')
    for fault in faults[:400]:
        print('# ' + fault)
    print(f'{"not " if faults else ""}ok {number} - {name}')


halfwords = b''.join(struct.pack('<H', half) for half in range(65536) if half & 3 != 3)
report(1, 'every_halfword', [compare(halfwords, isa) for isa in ARCH])

lines = re.findall(r'^OP\("([^"]+)", \w+, (0x\w{8}), (0x\w{8})', open(DEF).read(), re.M)
words = []
for index in range(WORDS):
    word = generator.getrandbits(32)
    if index % 2:
        _, mask, match = lines[index // 2 % len(lines)]
        word = word & ~int(mask, 16) | int(match, 16)
    # Bits 1 and 0 are 3, and bits 4 to 2 are not 7, in encodings of 32 bits.
    word |= 3
    if word & 0x1c == 0x1c:
        word ^= 0x10
    words.append(struct.pack('<I', word))
report(2, 'words_of_every_line_and_random_words', [compare(b''.join(words), isa) for isa in ARCH])


def sections(path):
    """The executable sections of an ELF file: name, address, bytes."""
    listed = subprocess.run([OBJDUMP, '-h', path], capture_output=True, text=True, check=True).stdout
    content = open(path, 'rb').read()
    for match in re.finditer(r'^ *\d+ (\S+) +(\w+)  (\w+)  \w+  (\w+) .*\n.*CODE', listed, re.M):
        size, address, offset = (int(match[i], 16) for i in (2, 3, 4))
        yield match[1], address, content[offset:offset + size]


if os.path.exists(LIBRARY):
    report(3, 'a_c_library', [compare(code, 'riscv64') for _, _, code in sections(LIBRARY)])
else:
    print(f'ok 3 # SKIP no {LIBRARY}')
