#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes small AIX traces of every form, and for each a listing of all its rows.

usage: make_aix.py FOLDER

The layouts are those of AIX trace reference 4.8, packed by hand. NAME.trc is a trace, NAME.lst its
rows, one a line with the columns of COLUMNS between blanks: "-" where there is no value, bytes
in hexadecimal. Nothing here asks polytrace anything.
"""
import os
import struct
import sys

COLUMNS = ('kind record time cpu thread hook subhook hook_type counters payload address size '
           'value raw origin').split()
WORDS = {1: 0, 2: 1, 6: 5}


def row(**values):
    """A row as text; the origin is set later."""
    return values


def text(values):
    return ' '.join(str(values.get(name, '-')) or '-' for name in COLUMNS)


def pad(data, unit, fill=b'\0'):
    return data + fill * (-len(data) % unit)


def entry32(hook, kind, data, payload=b'', tid=0x64, time=None, full_time=None, fill=b'\0'):
    """One 32-bit entry: (bytes, row). tid None: a trace from before AIX 4.1."""
    generic = kind & 7 == 0
    assert len(payload) == 4 * WORDS[kind & 7] if not generic else len(payload) >= 4
    data = len(payload) - 4 if generic else data
    out = pad(struct.pack('>I', hook << 20 | kind << 16 | data) + payload, 4, fill)
    out += b'' if tid is None else struct.pack('>I', tid)
    assert (time is not None) == (kind >= 8)
    out += b'' if time is None else struct.pack('>I', time)
    values = row(kind='event', record='hook32', hook=hex(hook << 4), subhook=hex(data),
                 hook_type=hex(kind), payload=payload.hex())
    if tid is not None:
        values['thread'] = tid
    if time is not None:
        values['time'] = time if full_time is None else full_time
    if fill != b'\0':
        values['raw'] = out.hex()
    return out, values


def entry64(hook, sub, payload=b'', tid=0x1234500000001, time=None, d1=None, words32=False,
            cpu=None, registers=(), fill=b'\0', count_d1=False):
    """One 64-bit entry. d1: it is generic, and payload its buffer. The cpu's place is assumed."""
    flags = 0x8000 * (time is not None) | 0x4000 * (d1 is not None) | 0x2000 * words32
    flags |= 0x1000 * (cpu is not None)
    flags |= 0x0800 | len(registers) - 1 if registers else 0
    first = b'' if d1 is None else struct.pack('>I' if words32 else '>Q', d1)
    length = len(payload) + (len(first) if count_d1 else 0)
    out = struct.pack('>HHHH', flags, length, hook, sub) + pad(first + payload, 8, fill)
    out += struct.pack('>Q', tid)
    out += b'' if cpu is None else struct.pack('>Q', cpu)
    out += b'' if time is None else struct.pack('>Q', time)
    out += b''.join(struct.pack('>Q', register) for register in registers)
    values = row(kind='event', record='hook64', hook=hex(hook), subhook=hex(sub),
                 hook_type=hex(flags), payload=(first + payload).hex(), thread=tid)
    if time is not None:
        values['time'] = time
    if cpu is not None:
        values['cpu'] = cpu & 0xffffffff
    if registers:
        values['counters'] = b''.join(struct.pack('>Q', r) for r in registers).hex()
    if fill != b'\0' or (cpu or 0) >> 32:
        values['raw'] = out.hex()
    return out, values


def word(*values):
    return b''.join(struct.pack('>I', value & 0xffffffff) for value in values)


def long(*values):
    return b''.join(struct.pack('>Q', value) for value in values)


def damaged(data):
    return data, row(kind='other', record='corrupt', raw=data.hex())


def place(entries, offset):
    """Bytes and rows of entries that begin at an offset."""
    out, rows = b'', []
    for data, values in entries:
        rows.append(dict(values, origin=offset + len(out)))
        out += data
    return out, rows


def log(magic, blocks, current=0, mode=0, wraps=0, initial=None, layout=None):
    """A log. blocks: by directory entry, None where it is empty. layout: what stands behind the
    directory in order: a block's number, 'ic', or bytes that no block holds."""
    number, size = ('>Q', 48) if magic == 0xefdf1113 else ('>I', 36)
    at = size + len(blocks) * 2 * struct.calcsize(number)
    layout = layout or (['ic'] if initial else []) + \
        [i for i in range(len(blocks)) if blocks[i] is not None]
    front, body, places, gaps = at, b'', {}, []
    for part in layout:
        if isinstance(part, bytes):
            data, rows = part, None
            gaps.append((at, row(kind='other', record='gap', address=hex(at),
                                 payload=part.hex(), origin=at)))
        else:
            data, rows = place(initial if part == 'ic' else blocks[part], at)
            places[part] = (at, len(data), rows)
        body += data
        at += len(data)
    ic = places.get('ic', (0, 0, []))
    header = struct.pack('>IIIII', magic, len(blocks), current, mode, wraps)
    if magic == 0xefdf1113:
        header += struct.pack('>IQQQ', 7, 0x2000, ic[0], ic[1])
    else:
        header += struct.pack('>IIII', 7, 0x2000, ic[0], ic[1])
    header += b''.join(struct.pack(number, v) for i in range(len(blocks))
                       for v in places.get(i, (0, 0))[:2])
    assert len(header) == front
    rows = [row(kind='other', record='header', payload=header.hex(), origin=0)]
    first = current if wraps else 0
    # A gap is told when reading passes over it on its way to the next block.
    for part in ['ic', *range(first, len(blocks)), *range(first)]:
        offset, length, own = places.get(part, (0, 0, []))
        if not length:
            continue
        while gaps and gaps[0][0] < offset:
            rows.append(gaps.pop(0)[1])
        about = row(kind='other', record='block', address=hex(offset), size=length, origin=offset)
        if part != 'ic':
            about['value'] = hex(part)
        rows += [about, *own]
    return header + body, rows + [values for _, values in gaps]


HEADER32 = entry32(0x003, 0x8, 0, word(1) + b'AIX  host', time=5)
HEADER64 = entry64(0x0030, 1, b'AIX  host\0', d1=1, time=5)


def types32(tid=0x64):
    """All 32-bit hook types, a timer that wraps and one that goes back a little."""
    return [
        entry32(0x003, 0x8, 0, word(1) + b'AIX  host', tid, time=5),
        entry32(0x001, 0x9, 0, b'', tid, time=0x10),
        entry32(0x101, 0xA, 0x2a, word(0xFFFFFFFE), tid, time=0x7000000),
        entry32(0x106, 0xE, 7, word(1, 2, 3, 4, 5), tid, time=0xFFFFFFF0),
        entry32(0x134, 0x8, 0, word(9) + b'/usr/bin/ls', tid, time=4, full_time=0x100000004),
        entry32(0x010, 0x0, 0, word(0xDEADBEEF) + b'ABCDE', tid),
        entry32(0x011, 0x1, 0xBEEF, b'', tid),
        entry32(0x012, 0x2, 1, word(0x80000000), tid),
        entry32(0x013, 0x6, 2, word(6, 7, 8, 0, 0), tid),
        entry32(0x0F1, 0x8, 0, word(7), tid, time=0xFFFFFFFE, full_time=0xFFFFFFFE),
        entry32(0x0F1, 0x8, 0, word(8) + b'X', tid, time=6, full_time=0x100000006,
                fill=b'\xff'),
        entry32(0x002, 0x9, 1, b'', tid, time=8, full_time=0x100000008),
    ]


def flags64():
    return [
        HEADER64,
        entry64(0x0010, 0, time=0x10),
        entry64(0x1010, 0x2a, long(0xFFFFFFFFFFFFFFFE), time=0x20),
        entry64(0x1060, 7, long(1, 2, 3, 4, 5), time=0x30),
        entry64(0x1340, 0, b'/usr/bin/ls', d1=9, time=0x40),
        entry64(0x1341, 1, word(1, 2, 3), words32=True, time=0x50),
        entry64(0x1342, 2, b'abc', d1=5, words32=True),
        entry64(0x1390, 3, long(1), cpu=3, time=0x60),
        entry64(0x1390, 4, long(1), cpu=1 << 40 | 2, time=0x61),
        entry64(0x4650, 5, time=0x70, registers=(0x1111,)),
        entry64(0x4650, 6, long(8), time=0x80, cpu=1,
                registers=tuple(range(0x20, 0x28))),
        entry64(0x4651, 7, registers=(1, 2)),
        entry64(0xFFFF, 0xFFFF, b'\1\2\3', tid=2**64 - 1, time=0x90, fill=b'\xee'),
        entry64(0x0020, 1, time=0xA0),
    ]


def run32(number, start, count=3):
    return [entry32(0x200 + number, 0xA, i, word(number), time=start + i)
            for i in range(count)]


def run64(number, start, count=3):
    return [entry64(0x2000 + 16 * number, i, long(number), time=start + i)
            for i in range(count)]


def cpu_file(cpu):
    """A per-CPU file: its utility record is assumed to tell the processor in its first word."""
    first = [entry64(0x00A0, 0x10, long(cpu, 0), time=1 + cpu)]
    events = [entry64(0x1060, 0, long(100 + cpu), time=10 * i + cpu) for i in range(1, 4)]
    return [[(data, dict(values, cpu=cpu)) for data, values in part] for part in (first, events)]


def traces():
    """(name, bytes, rows)"""
    yield ('raw32', *place(types32(), 0))
    yield ('raw64', *place(flags64(), 0))
    yield ('log1111', *log(0xefdf1111, [types32(None)]))
    yield ('log1112', *log(0xefdf1112, [run32(0, 10), types32()[1:], None], current=2, mode=1,
                           initial=[HEADER32]))
    yield ('log1113', *log(0xefdf1113, [run64(0, 10), flags64()[1:], None], current=2, mode=1,
                           initial=[HEADER64]))
    stream, rows = place(flags64(), 4)
    magic = struct.pack('>I', 0xefdf1114)
    yield ('stream1114', magic + stream,
           [row(kind='other', record='header', payload=magic.hex(), origin=0), *rows])
    # The oldest block is entry 2; blocks do not stand in the order of the directory.
    wrapped = [run32(2, 300), run32(3, 400), run32(0, 100), run32(1, 200)]
    yield ('wrapped1112', *log(0xefdf1112, wrapped, current=2, wraps=3, initial=[HEADER32],
                               layout=['ic', 1, b'gap!', 0, 3, 2, b'the end']))
    wrapped = [run64(1, 300), run64(2, 400), None, run64(0, 100)]
    yield ('wrapped1113', *log(0xefdf1113, wrapped, current=2, wraps=1, initial=[HEADER64]))
    first, events = cpu_file(0)
    yield ('base', *log(0xefdf1113, [], mode=4, initial=[HEADER64]))
    yield ('base-0', *log(0xefdf1113, [events], mode=8, initial=first))
    first, events = cpu_file(1)
    yield ('base-1', *log(0xefdf1113, [events], mode=8, initial=first))
    # L04 in a log: up to the end of the block; L05 at the end of a block.
    bad = struct.pack('>I', 0x2003_0000) + bytes(12)
    short = entry32(0x209, 0xE, 0, word(1, 2, 3, 4, 5), time=99)[0][:20]
    yield ('damaged1112', *log(0xefdf1112, [[*run32(0, 10), damaged(bad)],
                                            [*run32(1, 20), damaged(short)], run32(2, 30)],
                               initial=[HEADER32]))
    # L04 in bare events: up to where entries begin again.
    lost = struct.pack('>IIIII', 0x1017_0000, 0x1234567, 0x2005_0000, 0x2004_1111, 0x2003_2222)
    yield ('damaged32', *place([HEADER32, *run32(0, 10), damaged(lost), *run32(1, 20, 6)], 0))
    lost = struct.pack('>QQQ', 0x8000_0008_0101_0000, 0x0011, 0x0022)
    yield ('damaged64', *place([HEADER64, *run64(0, 10), damaged(lost), *run64(1, 20, 6)], 0))


def main():
    for name, data, rows in traces():
        with open(os.path.join(sys.argv[1], name + '.trc'), 'wb') as out:
            out.write(data)
        with open(os.path.join(sys.argv[1], name + '.lst'), 'w') as out:
            out.writelines(text(values) + '\n' for values in rows)


if __name__ == '__main__':
    main()
