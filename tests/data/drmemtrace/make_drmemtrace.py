#!/usr/bin/env python3
"""Creates the samples of this folder, from DynamoRIO's trace_entry.h.

    make_drmemtrace.py [DIR]

An entry has 12 bytes: type and size of 16 bits, a value of 64 bits, little endian.
"""
import gzip
import os
import struct
import sys

READ, WRITE, INSTR, BUNDLE, THREAD, EXIT, PID, HEADER, FOOTER, MARKER, ENCODING = 0, 1, 10, 17, 22, 23, 24, 25, 26, 28, 47
TIMESTAMP, CPU, FILETYPE, VERSION, TARGET = 2, 3, 9, 12, 29
X86, AARCH64, ENCODINGS, REGDEPS = 0x40, 8, 0x200, 0x20000


def entry(kind, size=0, value=0):
    return struct.pack('<HHQ', kind, size, value & 0xffffffffffffffff)


def marker(number, value=0):
    return entry(MARKER, number, value)


def encoding(code):
    """The entries before an instruction: its bytes in memory order, eight at a time."""
    return b''.join(struct.pack('<HH8s', ENCODING, len(code[i:i + 8]), code[i:i + 8])
                    for i in range(0, len(code), 8))


def instr(pc, code, kind=INSTR, known=True):
    code = bytes.fromhex(code)
    return (encoding(code) if known else b'') + entry(kind, len(code), pc)


def front(version, filetype, tid, pid, *more):
    return b''.join([entry(HEADER, 0, version), marker(VERSION, version), marker(FILETYPE, filetype),
                     entry(THREAD, 4, tid), entry(PID, 4, pid), marker(10, 64), *more, marker(18, 4096)])


def stamp(time, cpu):
    return marker(TIMESTAMP, time) + marker(CPU, cpu)


def end(tid):
    return entry(EXIT, 4, tid) + entry(FOOTER)


def every():
    """Every type of entry and every marker of a final trace."""
    base = 0x401000
    lines = [front(7, X86 | ENCODINGS, 4711, 4710), stamp(13386385969186849, 1 << 12 | 3)]
    lines += [instr(base, '488b05f90f0000'), entry(READ, 8, 0x402000), instr(base + 7, '4889442408'),
              entry(WRITE, 8, 0x7ffd12345678)]
    # An instruction of 15 bytes, and one without bytes of its own, which were shown before.
    lines += [instr(base + 12, '2e2e2e2e2e2e2e488b8425ffffff7f'[:30]), entry(READ, 64, 0x7ffd12345600),
              instr(base + 27, 'ebe3', 11), instr(base, '488b05f90f0000', known=False), entry(READ, 8, 0x402008),
              instr(base + 7, '4889442408', known=False)]
    # Branches: the target is before or after the encoding.
    lines += [instr(base + 12, '75f2', 48), instr(base, '7402', 49), instr(base + 2, 'e800010000', 14),
              marker(TARGET, base + 7), instr(base + 0x107, 'c3', 16),
              encoding(bytes.fromhex('ffd0')), marker(TARGET, 0x402100), entry(15, 2, base + 7),
              marker(TARGET, base + 9), instr(0x402100, 'c3', 16),
              marker(TARGET, 0), instr(base + 9, 'ffe0', 12), instr(base + 11, '0f34', 31)]
    # A string instruction, three times.
    lines += [instr(base + 13, 'f3a4'), entry(READ, 1, 0x402000), entry(WRITE, 1, 0x403000)]
    lines += [entry(29, 2, base + 13) + entry(READ, 1, 0x402000 + i) + entry(WRITE, 1, 0x403000 + i) for i in (1, 2)]
    lines += [entry(kind, 0 if kind % 2 else 64, 0x404000 + kind) for kind in [*range(2, 10), 27, *range(32, 47)]]
    lines += [entry(18, 64, 0x405000), entry(20, 0, 0x405040), entry(21, 0, 0x405100),
              entry(18, 0, 0x406000), entry(19, 0, 0x406020)]
    # Of filtered traces: the pc of data alone.
    lines += [entry(INSTR, 0, base + 0x200), entry(READ, 4, 0x407000)]
    numbers = [number for number in range(47) if number not in (2, 3, 8, 9, 10, 12, 15, 17, 18, 19, 20, 21, 22, 29, 42, 45)]
    lines += [marker(number, 0x1000 + number) for number in numbers] + [marker(60, 1), marker(1000, 1 << 63)]
    lines += [marker(15, 0x123456), marker(17, 0x402456)]
    lines += [stamp(13386385969186850, 2), marker(CPU, -1), instr(base + 0x300, '90'), end(4711)]
    return b''.join(lines)


def legacy():
    """A file of version 1 with two threads in turns: no encodings, no markers of its version."""
    lines = [entry(HEADER, 0, 1)]
    for turn in range(4):
        tid = 21548 + turn % 2
        lines += [entry(THREAD, 4, tid), entry(PID, 4, 21500), stamp(13186525363117589 + 10 * turn, turn % 2)]
        for i in range(3):
            pc = 0x400110 + 0x1000 * (turn % 2)
            lines += [entry(INSTR, 4, pc), entry(READ, 8, 0x7fff413f5be8 + 8 * i), entry(INSTR, 3, pc + 4),
                      entry(13, 2, pc + 7)]
        # As a tracer writes while the program runs: what may be a repetition, and a bundle.
        lines += [entry(30, 1, pc + 9), entry(30, 1, pc + 9), entry(BUNDLE, 3, 0x020105), entry(11, 2, pc + 18)]
    lines += [entry(THREAD, 4, 21548), entry(EXIT, 4, 21548), entry(THREAD, 4, 21549), entry(EXIT, 4, 21549),
              entry(FOOTER)]
    return b''.join(lines)


def chunked(count, chunk, tid, pid, time):
    """A loop of three instructions in chunks, each of which begins with copies of the last values."""
    loop = [(0x401000, '4883c001', INSTR), (0x401004, '483b45f8', INSTR), (0x401008, '75f6', 48)]
    more = [marker(20, chunk)] if chunk else []
    lines = [front(6, X86 | ENCODINGS | 0x400, tid, pid, *more), stamp(time, 1)]
    visible = 5 + len(more) + 1
    parts, seen = [], set()
    for i in range(count):
        pc, code, kind = loop[i % 3]
        lines.append(instr(pc, code, kind, pc not in seen))
        seen.add(pc)
        visible += 1
        if i % 3 == 1:
            lines.append(entry(READ, 8, 0x7ffd00001000))
            visible += 1
        if i % 5 == 4:
            time += 10
            lines.append(stamp(time, i % 2))
            visible += 2
            last = stamp(time, i % 2)
        elif i == 0:
            last = stamp(time, 1)
        if chunk and i % chunk == chunk - 1 and i != count - 1:
            lines.append(marker(21, len(parts)))
            visible += 1
            parts.append(b''.join(lines))
            lines, seen = [marker(22, visible), last], set()
    return [*parts, b''.join([*lines, end(tid)])]


def aarch64():
    """Four instructions of AArch64, whose opcode is the value of the word."""
    lines = [front(7, AARCH64 | ENCODINGS, 99, 98, marker(36, 16)), stamp(13386385969186000, 0),
             instr(0x410000, '200c40f9'), entry(READ, 8, 0x500018), instr(0x410004, '210400f1'),
             instr(0x410008, 'c1ffff54', 48), instr(0x410000, '200c40f9', known=False), entry(READ, 8, 0x500018),
             instr(0x410004, '210400f1', known=False), instr(0x410008, 'c1ffff54', 49, known=False),
             instr(0x41000c, '010000d4'), marker(25, 93), end(99)]
    return b''.join(lines)


def regdeps():
    """Synthetic encodings, whose size is not that of their instruction."""
    return b''.join([front(7, ENCODINGS | REGDEPS, 7, 6), stamp(13386385969186000, 0),
                     encoding(bytes.fromhex('0100000006020002')), entry(INSTR, 3, 0x401000),
                     encoding(bytes.fromhex('00000010')), entry(48, 2, 0x401003), entry(INSTR, 3, 0x401000),
                     end(7)])


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    files = {'every.memtrace': every(), 'legacy.memtrace': legacy(),
             'chunks.memtrace': b''.join(chunked(20, 6, 31, 30, 13386385969186000)),
             'aarch64.memtrace': aarch64(), 'regdeps.memtrace': regdeps()}
    for name, data in files.items():
        with open(os.path.join(folder, name), 'wb') as file:
            file.write(data)


if __name__ == '__main__':
    main()
