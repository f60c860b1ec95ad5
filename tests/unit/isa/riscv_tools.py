"""RISC-V code as GNU objdump and as riscv_listing list it."""
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
import needs  # noqa: E402

OBJDUMP, AS = 'riscv64-linux-gnu-objdump', 'riscv64-linux-gnu-as'
OBJCOPY = 'riscv64-linux-gnu-objcopy'
LIBRARIES = '/usr/riscv64-linux-gnu/lib/'
ARCH = {'riscv32': 'rv32gcv_zba_zbb_zbc_zbs_zicbom_zicbop_zicboz_zihintpause',
        'riscv64': 'rv64gcv_zba_zbb_zbc_zbs_zicbom_zicbop_zicboz_zihintpause'}
ABI = {'riscv32': 'ilp32d', 'riscv64': 'lp64d'}


def lacking():
    """Why tests are skipped; '': all programs are there."""
    return needs.lacking(OBJDUMP, AS, OBJCOPY)


def lacking_library(path):
    """The same of a library of RISC-V."""
    return needs.lacking_file(path, 'libc6-riscv64-cross')


def object_of(code, isa, folder):
    """Writes an object file of bytes of code, without symbols that mark data; returns its path."""
    binary, source, path = (os.path.join(folder, name) for name in ('code.bin', 'code.s', 'code.o'))
    with open(binary, 'wb') as output:
        output.write(code)
    with open(source, 'w') as output:
        output.write(f'.attribute arch, "{ARCH[isa]}"\n.text\n.incbin "{binary}"\n')
    subprocess.run([AS, f'-march={ARCH[isa]}', f'-mabi={ABI[isa]}', '-o', path, source], check=True)
    subprocess.run([OBJCOPY, '-w', '-N', '$*', path], check=True)
    return path


def objdump(code, isa, options=()):
    """Objdump's instructions: offset, length, text without comments and symbols."""
    with tempfile.TemporaryDirectory() as folder:
        command = [OBJDUMP, '-d', '-z', *options, object_of(code, isa, folder)]
        listed = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        for line in listed.stdout:
            parts = line.rstrip('\n').split('\t')
            if len(parts) < 3 or not parts[0].strip().endswith(':'):
                continue
            text = re.sub(r'\s*(#.*|<[^>]*>)', '', ' '.join(parts[2:])).strip()
            yield int(parts[0].strip()[:-1], 16), len(parts[1].replace(' ', '')) // 2, text
        assert listed.wait() == 0, command


def listing(program, code, isa):
    """The lines of riscv_listing, as lists of fields."""
    with tempfile.TemporaryFile() as file:
        file.write(code)
        file.seek(0)
        listed = subprocess.Popen([program, isa], stdin=file, stdout=subprocess.PIPE, text=True)
        for line in listed.stdout:
            yield line.rstrip('\n').split('\t')
        assert listed.wait() == 0, program


def sections(path):
    """The bytes of the executable sections of an ELF file."""
    listed = subprocess.run([OBJDUMP, '-h', path], capture_output=True, text=True, check=True).stdout
    with open(path, 'rb') as file:
        content = file.read()
    for match in re.finditer(r'^ *\d+ \S+ +(\w+)  \w+  \w+  (\w+) .*\n.*CODE', listed, re.M):
        size, offset = (int(match[i], 16) for i in (1, 2))
        yield content[offset:offset + size]


def table(path):
    """Name, instruction sets, mask, match of the 32-bit lines of riscv.def."""
    sets = {'BOTH': list(ARCH), 'RV32': ['riscv32'], 'RV64': ['riscv64']}
    with open(path) as file:
        lines = re.findall(r'^OP\("([^"]+)", (\w+), (0x\w{8}), (0x\w{8})', file.read(), re.M)
    return [(name, sets[width], int(mask, 16), int(match, 16))
            for name, width, mask, match in lines]


def generator():
    return random.Random(int(os.environ.get('POLYTRACE_SEED', '1')))


def word_of(line, bits):
    """The bytes of a line of the table with other bits from a random word."""
    return struct.pack('<I', bits & ~line[2] | line[3])
