#!/usr/bin/env python3
"""Creates samples of dialects of which no genuine file can be kept here: layouts of ChampSim's records,
the old layout of SBBT, and FULL records of 1148 and 1152 bytes.

    make_dialects.py [DIR]

They are written from the definitions in polytrace-champsim(5), polytrace-sbbt(5) and polytrace-full(5).
"""
import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def instructions():
    """A loop: ip, is_branch, is_taken, destinations, sources, stores, loads."""
    for turn in range(9):
        data = 0x7ffd00001000 + 64 * turn
        yield 0x401000, 0, 0, [3], [4, 6], [], [data]
        yield 0x401004, 0, 0, [], [3, 6], [data + 8], []
        yield 0x401008, 0, 0, [9, 25], [9, 10], [], [data, data + 16]
        yield 0x40100c, 1, 1, [26, 6], [26, 6], [data - 8], []
        yield 0x402000, 0, 0, [11, 25], [11], [data + 24, data + 32], [data + 24]
        yield 0x402007, 1, 1, [26, 6], [6], [], [data - 8]
        yield 0x401011, 1, turn < 8, [26], [26, 25], [], []


def padded(values, count):
    return (list(values) + [0] * count)[:count]


def record_72(number, ip, is_branch, is_taken, dests, sources, stores, loads):
    kinds = [bool(loads), bool(stores), not loads and not stores and not is_branch]
    # Compilers do not clear the padding of a structure.
    padding = b'\x55\0\0\0\xaa' if number == 20 else bytes(5)
    return struct.pack('<QBB3B2B4B5s2Q4Q', ip, is_taken, is_branch, *kinds, *padded(dests, 2), *padded(sources, 4),
                       padding, *padded(stores, 2), *padded(loads, 4))


def record_load_type(number, ip, is_branch, is_taken, dests, sources, stores, loads):
    loads = [0, *loads] if number == 7 else loads
    return struct.pack('<QBB2B4B2Q4QI4s', ip, is_branch, is_taken, *padded(dests, 2), *padded(sources, 4),
                       *padded(stores, 2), *padded(loads, 4), 2 if loads else 1, bytes(4))


def record_cloudsuite(number, ip, is_branch, is_taken, dests, sources, stores, loads):
    stores = [*stores, 0, 0x7ffd00002000] if number == 7 else stores
    return struct.pack('<QBB4B4B6s4Q4Q2B6s', ip, is_branch, is_taken, *padded(dests, 4), *padded(sources, 4), bytes(6),
                       *padded(stores, 4), *padded(loads, 4), number // 14, 0, bytes(6))


def old_sbbt():
    """Each kind of branch, taken or not; reserved bits in one of them."""
    branches = b''
    kinds = [(kind, flags, taken) for kind in range(3) for flags in range(4) for taken in (0, 1)]
    for number, (kind, flags, taken) in enumerate(kinds):
        ip, target = 0x401000 + 16 * number, 0xfffffffff81000 if number == 5 else 0x402000
        reserved = 0x40 if number == 9 else 0
        low = taken | reserved | kind << 8 | flags << 10
        branches += struct.pack('<QQ', (ip << 12 | low) % 2**64, (target << 12 | number + 1) % 2**64)
    return b'SBBT\n\1\0\0' + struct.pack('<QQ', 1000, len(kinds)) + branches


def full_records():
    """The first records of 1160 bytes, without their padding: opcode, thread state, other states."""
    data = open(os.path.join(HERE, 'full', 'after.full1160'), 'rb').read()
    for at in range(4, 4 + 3 * 1160, 1160):
        record = data[at:at + 1160]
        yield record[:4], record[8:284] + record[288:316], record[320:]


def swapped(data, widths):
    """The bytes of fields of these widths, each reversed; the last width repeats."""
    result, at = b'', 0
    while at < len(data):
        width = widths.pop(0) if len(widths) > 1 else widths[0]
        result += data[at:at + width][::-1]
        at += width
    return result


def files():
    for name, record in (('layout72', record_72), ('load_type', record_load_type), ('cloudsuite', record_cloudsuite)):
        yield f'champsim/{name}.champsim', b''.join(
            record(number, *fields) for number, fields in enumerate(instructions(), 1))
    yield 'sbbt/old.sbbt', old_sbbt()
    magic = b'\xa1\x11\x8e\x17'
    yield 'full/after.full1152', magic[::-1] + b''.join(
        opcode + thread + bytes(4) + rest for opcode, thread, rest in full_records())
    yield 'full/after.full1148', magic + b''.join(
        opcode[::-1] + swapped(thread, [8] * 34 + [4] + [8] * 3 + [4]) + swapped(rest, [8] * 32 + [4])
        for opcode, thread, rest in full_records())


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    for name, data in files():
        with open(os.path.join(folder, name), 'wb') as out:
            out.write(data)


main()
