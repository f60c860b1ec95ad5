#!/usr/bin/env python3
"""Packed traces, read by polytrace-ptz(5) alone, as TAP: a packed sample has the same columns in
every row as the original's JSON Lines. The program zstd unpacks frames, and the library xxHash
computes checksums.

usage: ptz.py POLYTRACE SAMPLES"""
import ctypes
import json
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import needs  # noqa: E402

MASK = (1 << 64) - 1
MAGIC = bytes.fromhex('8950545a0d0a1a0a')
END = bytes.fromhex('50545a890a1a0d0a')
NAMES = 'cpu_name reg mnemonic uop_name mode security instruction_set access_attributes'.split()
SLICES = 'text payload raw verbatim counters'.split()
YES_AND_NO = 'executed synthetic'.split()
HEXADECIMAL = '''pc opcode next_pc target fallthrough address value escape real_pc real_address
    real_target byte_enables control request memory_type agent hook subhook hook_type
    requested_address'''.split()
HOLDS = 'names shapes shapes blocks blocks order static static varying varying'.split()
WORDS = {'kind': 'instruction access register sync event other',
         'branch': 'not_taken taken',
         'access': 'read write fetch prefetch cache io_read io_write',
         'sync': 'signal broadcast wait trywait',
         'event': 'interrupt_acknowledge shutdown flush halt stop_grant write_back '
                  'flush_acknowledge branch_trace sync smi_acknowledge deferred_reply '
                  'agent_response',
         'flags': 'none read write both'}
WORDS = {column: words.split() for column, words in WORDS.items()}


# Of the build with checksums of xxHash.
XXHASH = None
if 'xxhash' not in os.environ.get('POLYTRACE_LACKS', ''):
    XXHASH = ctypes.CDLL('libxxhash.so.0')
    XXHASH.XXH3_64bits.restype = ctypes.c_uint64


def expect(good, what):
    """Fails if the file does not match the page."""
    if not good:
        raise ValueError(what)


SECRET = bytes.fromhex('b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f'
                       'cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c')


def short_checksum(data):
    """XXH3 of 17 to 64 bytes: heads of parts, and what makes the chain."""
    def mixed(at, key):
        low, high = (int.from_bytes(data[at + i:at + i + 8], 'little') ^
                     int.from_bytes(SECRET[key + i:key + i + 8], 'little') for i in (0, 8))
        return low * high & MASK ^ low * high >> 64
    size = len(data)
    total = size * 0x9e3779b185ebca87 + mixed(0, 0) + mixed(size - 16, 16)
    if size > 32:
        total += mixed(16, 32) + mixed(size - 32, 48)
    total &= MASK
    total = (total ^ total >> 37) * 0x165667919e3779f9 & MASK
    return total ^ total >> 32


def check(data, checksum):
    """Tests a checksum."""
    if 17 <= len(data) <= 64:
        expect(short_checksum(data) == checksum, 'a checksum')
        return
    expect(XXHASH.XXH3_64bits(data, ctypes.c_size_t(len(data))) == checksum, 'a checksum')


def varint(data, at):
    """A number of groups of 7 bits, and where it ends."""
    number = shift = 0
    while True:
        number |= (data[at] & 0x7f) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return number, at


def difference(zigzag):
    """The difference of which a number is the zigzag."""
    return -(zigzag + 1) // 2 if zigzag & 1 else zigzag // 2


def parts(data):
    """Offset, tag, front, the bytes after it, and the preceding chain of every section; checks the
    end."""
    expect(data[:8] == MAGIC, 'the magic')
    at, chain = 8, 0
    while at + 16 != len(data):
        tag, size, body, front_check, head_check = struct.unpack_from('<4sIQQQ', data, at)
        check(data[at:at + 24], head_check)
        front = data[at + 32:at + 32 + size]
        check(front, front_check)
        yield at, tag.decode('ascii'), front, data[at + 32 + size:at + 32 + body], chain
        chain = short_checksum(struct.pack('<Q', chain) + data[at:at + 32])
        last = at
        at += 32 + body
    expect(struct.unpack_from('<Q', data, at)[0] == last and data[at + 8:] == END, 'the end')


def restored(section, front):
    """The section whose parity this is, after its front has lost a block."""
    size, block, zero = struct.unpack_from('<QII', front)
    expect((size, zero, len(front) - 16) == (len(section), 0, block), 'the size of parity')
    expect(block == (size + 127) // 128, 'the size of a block')
    parity = front[16:]
    for at in range(0, size, block):
        if at != 64 // block * block:
            part = section[at:at + block].ljust(block, b'\0')
            parity = bytes(a ^ b for a, b in zip(parity, part))
    at = 64 // block * block
    return section[:at] + parity[:len(section[at:at + block])] + section[at + block:]


class Stream:
    """A stream of a segment, and its values."""

    def __init__(self, front, data):
        self.role, self.column, self.coding, packing, self.count, size, self.packed, checksum = \
            struct.unpack('<BBBBIIIQ', front)
        data = data[:self.packed]
        check(data, checksum)
        if packing == 1:
            data = subprocess.run(['zstd', '-dcq'], input=data, capture_output=True,
                                  check=True).stdout
        expect(len(data) == size, 'the size of a stream')
        self.data = data

    def planes(self):
        """Values of coding 0."""
        expect(len(self.data) % self.count == 0, 'planes')
        return [int.from_bytes(self.data[i::self.count], 'little') for i in range(self.count)]

    def differences(self):
        """The differences of codings 1 to 3."""
        at = 0
        for _ in range(self.count):
            number, at = varint(self.data, at)
            yield difference(number)
        expect(at == len(self.data), 'bytes after the last value')

    def values(self, templates=None, pcs=None):
        """The values; templates and pcs are those of each."""
        if self.coding == 0:
            return self.planes()
        values, last, before = [], {}, 0
        for i, change in enumerate(self.differences()):
            if self.coding == 2:
                before = last.get(templates[i], before)
            elif self.coding == 3:
                before = pcs[i]
            before = before + change & MASK
            if self.coding == 2:
                last[templates[i]] = before
            values.append(before)
        return values

    def slices(self, lengths):
        """The slices of these lengths."""
        at, before, slices = 0, None, []
        for n in lengths:
            slice_ = self.data[at:at + n]
            if self.coding == 5 and before is not None and len(before) == n:
                slice_ = bytes(a ^ b for a, b in zip(slice_, before))
            slices.append(slice_)
            before = slice_
            at += n
        expect(at == len(self.data), 'bytes after the last slice')
        return slices


class Segment:
    """A segment's rows."""

    def __init__(self, front, data, columns):
        self.first, self.rows, self.templates, count, self.number = struct.unpack_from(
            '<QIIII', front)
        self.columns, self.streams = columns, {}
        for i in range(count):
            stream = Stream(front[24 + 24 * i:48 + 24 * i], data)
            data = data[stream.packed:]
            self.streams[stream.role, stream.column if stream.role > 5 else 0] = stream
        expect(not data and len(front) == 24 + 24 * count, 'bytes after the last stream')
        names = self.streams.get((0, 0))
        self.names = names.data.split(b'\0')[:-1] if names else []
        expect(not names or len(self.names) == names.count, 'the names')
        masks = struct.iter_unpack('<QQ', self.streams[1, 0].data)
        shapes = [[{c for c in range(64) if mask >> c & 1} for mask in pair] for pair in masks]
        self.shape = [shapes[number] for number in self.numbers(2)]
        self.order = list(self.find_order())
        self.fixed = {c: self.find_fixed(c) for c in range(len(columns)) if (6, c) in self.streams
                      and c != self.pc()}
        if self.pc() is not None and (6, self.pc()) in self.streams:
            self.fixed[self.pc()] = self.find_fixed(self.pc())

    def pc(self):
        """The number of the column pc."""
        return self.columns.index('pc') if 'pc' in self.columns else None

    def numbers(self, role):
        """The values of a stream without a column."""
        return self.streams[role, 0].values() if (role, 0) in self.streams else []

    def find_order(self):
        """The templates of the rows."""
        follow, starts, blocks = self.numbers(3), self.numbers(4), iter(self.numbers(5))
        template = None
        for _ in range(self.rows):
            if template is None:
                template = starts[next(blocks)]
            yield template
            zigzag = follow[template]
            template = template + 1 + difference(zigzag - 1) if zigzag else None
        expect(next(blocks, None) is None, 'blocks after the last row')

    def take(self, role, column, templates, pcs=None):
        """The values of a column for these templates: numbers, or slices."""
        stream = self.streams[role, column]
        expect(stream.count == len(templates), 'the values of a column')
        values = stream.values(templates, pcs)
        if self.columns[column] not in SLICES:
            return values
        if (role + 1, column) not in self.streams:
            return [b''] * len(values)
        return self.streams[role + 1, column].slices(values)

    def find_fixed(self, column):
        """The static values of a column, by template."""
        templates = [t for t in range(self.templates) if column in self.shape[t][0]]
        pcs = None
        if self.streams[6, column].coding == 3:
            by_template = self.find_fixed(self.pc())
            pcs = [by_template[t] for t in templates]
        return dict(zip(templates, self.take(6, column, templates, pcs)))

    def find_moving(self, column):
        """The values of a column, by row."""
        rows = [row for row, t in enumerate(self.order) if column in self.shape[t][1]]
        if not rows:
            return {}
        return dict(zip(rows, self.take(8, column, [self.order[row] for row in rows])))

    def table(self):
        """The rows, each with values by column."""
        moving = {c: self.find_moving(c) for c in range(len(self.columns))}
        for row, template in enumerate(self.order):
            fixed_set, moving_set = self.shape[template]
            expect(not fixed_set & moving_set, 'a column that is static and moves')
            values = {c: self.fixed[c][template] for c in fixed_set}
            values.update((c, moving[c][row]) for c in moving_set)
            yield values


def text_of(data):
    """Text as JSON Lines has it."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {'hex': data.hex()}


def shown(column, value, names, records):
    """A value as JSON Lines has it."""
    if column in NAMES:
        return text_of(names[value])
    if column in SLICES:
        return text_of(value) if column == 'text' else value.hex()
    if column in WORDS:
        return WORDS[column][value]
    if column == 'record':
        return records[value]
    if column in YES_AND_NO:
        return bool(value)
    if column == 'immediate':
        return value - (1 << 64) if value >> 63 else value
    return hex(value) if column in HEXADECIMAL else value


def ranges(segment, table, entry, numbers, offset):
    """Tests an index's entry of a segment."""
    place, first, rows = struct.unpack_from('<QQQ', entry)
    expect((place, first, rows) == (offset, segment.first, segment.rows), 'the place of a segment')
    for i, number in enumerate(numbers):
        values = [row[number] for row in table if number in row]
        expect(struct.unpack_from('<QQ', entry, 24 + 16 * i) ==
               ((min(values), max(values)) if values else (MASK, 0)), 'a range')


def pairs(front):
    """Keys and values of a head."""
    at = 0
    while at < len(front):
        pair = []
        for _ in range(2):
            n, at = varint(front, at)
            pair.append(front[at:at + n].decode())
            at += n
        yield pair


def listed_columns(front):
    """The names of columns in a head, by number; those of other numbers are empty."""
    numbered = {int(key[7:]): value for key, value in pairs(front) if key.startswith('column.')}
    return [numbered.get(n, '') for n in range(max(numbered) + 1)]


def taken(data):
    """What the bytes of a file are taken by, as polytrace-info(1) names it: values, bytes unpacked
    and bytes packed."""
    columns, found = [], {}

    def add(what, column, *more):
        found[what, column] = [a + b for a, b in zip(found.get((what, column), (0, 0, 0)), more)]
    add('layout', None, 0, 24, 24)
    for _, tag, front, _, _ in parts(data):
        add('layout', None, 0, 32 + len(front), 32 + len(front))
        if tag == 'HEAD':
            columns = listed_columns(front)
        for at in range(24, len(front), 24) if tag == 'SEGM' else ():
            role, column, count, size, packed = struct.unpack_from('<BBxxIII', front, at)
            add(HOLDS[role], columns[column] if role > 5 else None,
                count if role in (0, 1, 4, 5, 6, 8) else 0, size, packed)
    return found


def space(polytrace, path, data):
    """Errors in the size breakdown of a file by polytrace info."""
    run = subprocess.run([polytrace, 'info', '--space', '--json', path], capture_output=True)
    space = json.loads(run.stdout)['space']
    items = {(item['content'], item['column']): [item['values'] or 0, item['unpacked'], item['packed']]
             for item in space['items']}
    if items != taken(data) or len(items) != len(space['items']):
        return f'its space is {items}, expected {taken(data)}'
    return '' if space['packed'] == len(data) and space['complete'] else 'bytes are missing'


def read(data):
    """The columns that a file has, and its rows as JSON Lines would have them."""
    head, columns, records, used, found, waiting, index, first = {}, [], [], [], [], [], 0, 0
    number, before_parity, others = 0, 0, []
    for offset, tag, front, body, chain in parts(data):
        expect((tag == 'pARI') == (before_parity > 0), 'the place of parity')
        if tag == 'HEAD':
            for key, value in pairs(front):
                head[key] = value
                if key == 'record':
                    records.append(value)
            columns = listed_columns(front)
            used = [name for name in columns if name]
            expect(head['version'] == '3', 'the version')
            description = front
        elif tag == 'pARI':
            section = data[before_parity:offset]
            expect(restored(section, front) == section, 'the parity')
        elif tag == 'cOPY':
            expect(front == description, 'the copy of the head')
            others.append((offset, b'cOPY'))
        elif tag == 'SEGM':
            segment = Segment(front, body, columns)
            number += 1
            expect((segment.first, segment.number) == (first, number), 'the number of a segment')
            table = list(segment.table())
            for row in table:
                found.append({columns[c]: shown(columns[c], value, segment.names, records)
                              for c, value in row.items()})
            first += segment.rows
            waiting.append((segment, table, offset))
        elif tag == 'INDX':
            before, count, width = struct.unpack_from('<QII', front)
            expect(before == index and count == len(waiting), 'the index')
            end = 24 + count * (24 + 16 * width)
            expect(len(front) == end + 16 * len(others) + 16, 'the size of the index')
            expect(struct.unpack('<QQ', front[-16:]) == (len(others), chain), 'the chain')
            expect([(place, name) for place, name, _ in struct.iter_unpack('<Q4sI', front[end:-16])] == others,
                   'the other sections')
            others = []
            for i, (segment, table, place) in enumerate(waiting):
                ranges(segment, table, front[24 + i * (24 + 16 * width):], front[16:16 + width],
                       place)
            index, waiting = offset, []
        before_parity = offset if tag in ('HEAD', 'SEGM') else 0
    return used, found


def convert(polytrace, *words):
    """What polytrace convert writes."""
    run = subprocess.run([polytrace, 'convert', '-o', '-', *words], capture_output=True)
    if run.returncode:
        raise SystemExit('Bail out! ' + run.stderr.decode('utf-8', 'replace'))
    return run.stdout


def compare(polytrace, path, words, rows):
    """What differs between a trace and its packed form."""
    lines = convert(polytrace, '--to', 'jsonl', *words, path).splitlines()
    expected = [json.loads(line) for line in lines[1:]]
    try:
        packed = convert(polytrace, '--to', 'ptz', '-T', f'ptz.rows={rows}', *words, path)
        found = read(packed)[1]
    except (ValueError, IndexError, KeyError, StopIteration) as fault:
        return f'cannot be read: {fault!r}'
    for number, (row, other) in enumerate(zip(found, expected)):
        if row != other:
            return f'row {number} is {row}, expected {other}'
    if len(found) != len(expected):
        return f'{len(found)} rows, not {len(expected)}'
    with tempfile.NamedTemporaryFile(suffix='.ptz') as file:
        file.write(packed)
        file.flush()
        return space(polytrace, file.name, packed)


def appended(polytrace, words, path, segment, indexes):
    """What differs between a trace three times and its packed form, to which it was appended."""
    rows = [json.loads(line) for line in
            convert(polytrace, '--to', 'jsonl', *words, path).splitlines()[1:]]
    with tempfile.TemporaryDirectory() as folder:
        packed = os.path.join(folder, 'appended.ptz')
        convert(polytrace, '-T', f'ptz.rows={segment}', *words, path, '-o', packed)
        for _ in range(2):
            subprocess.run([polytrace, 'pack', *words, '--append', packed, path], check=True,
                           stderr=subprocess.DEVNULL)
        data = open(packed, 'rb').read()
        fault = space(polytrace, packed, data)
    count = sum(part[1] == 'INDX' for part in parts(data))
    if count != indexes:
        return f'{count} indexes, expected {indexes}'
    return fault if read(data)[1] == 3 * rows else 'other rows'


def labelled(polytrace, path, folder):
    """What is wrong with the labels of a packed trace."""
    packed = os.path.join(folder, 'labelled.ptz')
    subprocess.run([polytrace, 'pack', '--label', 'host=amber', '--label', 'a.b=\u00e4=1', path,
                    '-o', packed], check=True, stderr=subprocess.DEVNULL)
    data = open(packed, 'rb').read()
    front = next(parts(data))[2]
    found = [pair for pair in pairs(front) if pair[0].startswith('label.')]
    return '' if found == [['label.host', 'amber'], ['label.a.b', '\u00e4=1']] else str(found)


def main():
    """Tries a sample or two of every format."""
    root, (polytrace, samples) = os.environ['POLYTRACE_ROOT'], sys.argv[1:]
    lacking = needs.lacking('zstd')
    if lacking or 'xxhash' in os.environ.get('POLYTRACE_LACKS', '') or 'zstd' in os.environ.get('POLYTRACE_LACKS', ''):
        print(f'1..0 # SKIP {lacking or "the build lacks zstd or xxhash"}')
        return
    seen, number = {}, 0
    for line in open(samples):
        name, path, *option = line.split() if line[0] != '#' else [None, None]
        path = os.path.join(root, 'tests/data', path or '')
        seen[name] = seen.get(name, 0) + 1
        if name in (None, 'ptz') or seen[name] > 2 or os.path.getsize(path) > 300000:
            continue
        if name == 'jsonl' and not path.endswith('columns.jsonl'):
            continue  # lines that are not canonical come out as they were
        words = ['--from', name, *(['--option', *option] if option else [])]
        fault = compare(polytrace, path, words, 1048576)
        number += 1
        print(f'# {fault}\n' * bool(fault) + 'not ' * bool(fault) +
              f'ok {number} - a_reader_by_the_page_sees_the_same: {name} {os.path.basename(path)}')
    with tempfile.NamedTemporaryFile('w', suffix='.trace') as long:
        trace = open(os.path.join(root, 'tests/data/cis501/sort_1k.trace')).read()
        long.write(trace * 15)
        long.flush()
        cis501 = ['--from', 'cis501']
        several = compare(polytrace, long.name, cis501, 4096)
        second = appended(polytrace, cis501, long.name, 4096, 3)
        with tempfile.TemporaryDirectory() as folder:
            third = labelled(polytrace, long.name, folder)
        # An index has 256 segments at most.
        long.truncate(0)
        long.seek(0)
        long.write(''.join(f'{0x1000 + 4 * (i * i % 7):x}\n' for i in range(2 * 300)))
        long.flush()
        many = appended(polytrace, ['--from', 'text:pc:hex'], long.name, 2, 4)
    for fault, name in ((several, 'several_segments_and_their_index_are_as_the_page_says'),
                        (second, 'what_was_appended_is_as_the_page_says'),
                        (third, 'labels_are_in_the_head_as_the_page_says'),
                        (many, 'many_segments_have_several_indexes_as_the_page_says')):
        number += 1
        print(f'# {fault}\n' * bool(fault) + 'not ' * bool(fault) + f'ok {number} - {name}')
    print(f'1..{number}')


main()
