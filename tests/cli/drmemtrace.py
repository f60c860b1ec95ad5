#!/usr/bin/env python3
"""
Traces of drmemtrace, as TAP: compared with a model that knows only the entries, and with the numbers and
listings that DynamoRIO's own tools printed of its samples, if they are there.
"""
import collections
import csv
import gzip
import importlib.util
import io
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile

import tap

PROGRAM = os.path.abspath(sys.argv[1])
ROOT = os.environ['POLYTRACE_ROOT']
LACKS = os.environ.get('POLYTRACE_LACKS', '').split()
DATA = os.path.join(ROOT, 'tests', 'data', 'drmemtrace')
PUBLIC = os.path.join(os.environ.get('POLYTRACE_SHARED', os.path.join(ROOT, '..', 'shared')), 'data', 'public',
                      'drmemtrace')
COLUMNS = ['record', 'time', 'cpu', 'process', 'thread', 'pc', 'opcode', 'opcode_size', 'payload', 'branch', 'target',
           'next_pc', 'access', 'address', 'size', 'value', 'mode', 'instruction_id', 'text']
TYPES = {0: 'read', 1: 'write', 10: 'instr', 11: 'direct_jump', 12: 'indirect_jump', 13: 'conditional_jump',
         14: 'direct_call', 15: 'indirect_call', 16: 'return', 31: 'sysenter', 48: 'taken_jump', 49: 'untaken_jump'}
MARKERS = ('kernel_event kernel_xfer timestamp cpu_id func_id func_retaddr func_arg func_retval split_value filetype '
           'cache_line_size instruction_count version rseq_abort window_id physical_address physical_unavailable '
           'virtual_address page_size syscall_idx chunk_instr_count chunk_footer record_ordinal filter_endpoint '
           'rseq_entry syscall maybe_blocking_syscall syscall_trace_start syscall_trace_end branch_target '
           'syscall_failed direct_thread_switch core_wait core_idle context_switch_start context_switch_end '
           'vector_length syscall_unschedule syscall_schedule syscall_arg_timeout signal_number '
           'uncompleted_instruction midblock_end_pc hardware_event hardware_context_return kernel_event_raw '
           'skipped_memref').split()
PREFETCHES = {2: '', 3: '_read_l1', 4: '_read_l2', 5: '_read_l3', 6: '_nta', 7: '_read', 8: '_write', 9: '_instr',
              **{32 + i: f'_read_l{i + 1}_nt' for i in range(3)},
              **{base + i: f'_{kind}_l{i // 2 + 1}{"_nt" * (i % 2)}' for base, kind in ((35, 'instr'), (41, 'write'))
                 for i in range(6)}}
TYPES.update({27: 'hardware_prefetch', **{number: 'prefetch' + name for number, name in PREFETCHES.items()}})
UNKNOWN = 0xffffffffffffffff

spec = importlib.util.spec_from_file_location('make_drmemtrace', os.path.join(DATA, 'make_drmemtrace.py'))
make = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make)


def polytrace(*arguments, stdin=b''):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, input=stdin)


def rows(path, *options, columns=COLUMNS):
    """The rows of a trace, the status and the messages."""
    done = polytrace('convert', path, '--to', 'csv', '--columns', ','.join(columns), '-o', '-', *options)
    # A column that the trace cannot have is empty.
    errors = ''.join(line for line in done.stderr.decode().splitlines() if 'do not have this column' not in line)
    return list(csv.reader(done.stdout.decode().splitlines()))[1:], done.returncode, errors


class Stream:
    """The rows of one file, in turns that begin with a timestamp: (time, rows)."""

    def __init__(self, data):
        self.entries = [struct.unpack_from('<HHQ', data, at) for at in range(0, len(data) - 11, 12)]
        self.data = data
        self.threads, self.thread = collections.defaultdict(dict), {}
        self.filetype = self.chunk = 0
        self.version = self.entries[0][2]
        self.codes, self.code, self.target, self.kernel, self.flush = {}, b'', None, False, None
        self.turns = [[None, []]]
        for index, entry in enumerate(self.entries):
            self.read(index, *entry)

    def row(self, record, **more):
        thread = self.thread
        idle = record in ('core_idle', 'core_wait')
        common = {'record': record, 'time': thread.get('time'), 'cpu': thread.get('cpu'),
                  'mode': 'kernel' if self.kernel else None}
        if not idle:
            common.update(process=thread.get('pid'), thread=thread.get('tid'))
        common.update(more)
        self.turns[-1][1].append(['' if common.get(name) is None else
                                  hex(common[name]) if name in ('pc', 'opcode', 'target', 'next_pc', 'address', 'value')
                                  else str(common[name]) for name in COLUMNS])

    def following(self, index):
        """The pc of the next instruction of the thread, if it follows."""
        if self.filetype & 0x81 or (self.filetype & 0x2000):
            return None
        for kind, size, value in self.entries[index + 1:index + 4096]:
            if kind == 22 and value != self.thread.get('tid', 0):
                return None
            if kind == 28 and size == 0:
                return value if self.version > 2 else None
            if (kind == 28 and size in (1, 13, 14, 23, 27, 34, 43, 44)) or kind in (17, 23, 26):
                return None
            if kind in TYPES and 10 <= kind <= 31 or kind in (29, 30, 48, 49):
                return value
        return None

    def instruction(self, index, kind, size, pc):
        thread = self.thread
        thread.update(pc=pc, length=size)
        if not size:
            return
        if self.code and self.filetype & 0x200:
            self.codes[pc] = self.code
        code, self.code = self.codes.get(pc), b''
        thread['count'] = thread.get('count', 0) + 1
        more = {'pc': pc, 'opcode_size': size, 'instruction_id': thread['count']}
        regdeps = self.filetype & 0x20000
        if code and (len(code) > 8 or regdeps):
            more['payload'] = code.hex()
        elif code:
            more['opcode'] = int.from_bytes(code, 'little' if self.filetype & 8 else 'big')
        if 11 <= kind <= 16 or kind in (48, 49):
            taken, target = kind != 49, self.target if kind in (12, 15, 16) and self.target else None
            if target:
                more['next_pc'] = target
            if kind == 13 or (taken and not target and (not code or regdeps)):
                target = self.following(index)
            if kind == 13:
                taken = target != pc + size if target is not None else None
            if taken is not None:
                more['branch'] = 'taken' if taken else 'not_taken'
            if taken and target is not None:
                more['target'] = target
            self.target = None
        self.row(TYPES[kind], **more)

    def marker(self, number, value):
        thread, name = self.thread, {2: 'time', 3: 'cpu'}.get(number)
        if number == 29:
            self.target = value
        elif name and thread.pop('drop_' + name, False):
            pass
        elif number != 22:
            if number == 2:
                self.turns.append([value, []])
                thread['time'] = value
            elif number == 3:
                thread['cpu'] = value & 0xfff if value not in (UNKNOWN, 0xffffffff) else None
            elif number == 9:
                self.filetype = value
            elif number == 20:
                self.chunk = value
            elif number == 21 and self.chunk:
                thread.update(drop_time=True, drop_cpu=True)
            self.kernel |= number in (27, 34)
            self.row(MARKERS[number] if number < 47 else 'marker', value=value, text=number if number > 46 else None)
            self.kernel &= number not in (28, 35)

    def read(self, index, kind, size, value):
        thread = self.thread
        if kind == 22:
            self.thread = self.threads[value]
            self.thread['tid'] = value if value != UNKNOWN else None
        elif kind == 24:
            thread['pid'] = value
        elif kind == 47:
            self.code += self.data[12 * index + 4:12 * index + 4 + size]
        elif kind == 28:
            self.marker(size, value)
        elif kind == 23:
            self.row('thread_exit', value=value)
        elif kind == 29 or (kind == 30 and thread.get('pc') == value):
            thread.update(pc=value, length=size)
            self.row('no_fetch', pc=value, opcode_size=size)
        elif kind == 17:
            for length in struct.pack('<Q', value)[:size]:
                self.instruction(index, 10, length, thread['pc'] + thread['length'])
        elif kind in (18, 20) and not size:
            self.flush = value
        elif kind in (18, 19, 20, 21):
            start, length = (self.flush, value - self.flush) if kind % 2 else (value, size)
            self.row('iflush' if kind < 20 else 'dflush', access='cache', address=start, size=length, pc=thread.get('pc'))
        elif kind in (0, 1, 27) or 2 <= kind <= 9 or 32 <= kind <= 46:
            self.row(TYPES[kind], access={0: 'read', 1: 'write'}.get(kind, 'prefetch'), address=value,
                     size=size or None, pc=thread.get('pc'))
        elif kind not in (25, 26):
            self.instruction(index, 10 if kind == 30 else kind, size, value)

    def rows(self):
        return [row for _, turn in self.turns for row in turn]


def merged(files):
    """The rows of files merged by their timestamps; what precedes the first one belongs to its turn."""
    queues = []
    for data in files:
        turns = Stream(data).turns
        if len(turns) > 1:
            turns[0:2] = [[turns[1][0], turns[0][1] + turns[1][1]]]
        queues.append(turns)
    while any(queues):
        queue = min((queue for queue in queues if queue), key=lambda queue: queue[0][0] or 0)
        yield from queue.pop(0)[1]


def content(path):
    """The entries of a sample, decompressed by Python."""
    with open(path, 'rb') as file:
        data = file.read()
    if data[:2] == b'PK':
        with zipfile.ZipFile(path) as archive:
            return b''.join(archive.read(member) for member in archive.infolist())
    return gzip.decompress(data) if data[:2] == b'\x1f\x8b' else data


def public(*names):
    """Paths of DynamoRIO's samples, if they are there."""
    for name in names:
        path = os.path.join(PUBLIC, name)
        if os.path.exists(path) and not (name.endswith('.gz') and 'isal' in LACKS) and \
                not (name.endswith('.zip') and 'archive' in LACKS):
            yield path


def difference(found, expected):
    """The first row that differs."""
    for number, (one, other) in enumerate(zip(found, expected)):
        if one != other:
            return f'row {number + 1}: {one}, expected {other}'
    return len(found) != len(expected) and f'{len(found)} rows, expected {len(expected)}'


LEGACY = ['legacy/drmemtrace.threadsig.' + name + '.trace.gz'
          for name in ('10506.7343', '10510.0155', '10511.8961', '10512.2759')]
SMALL, ASM, APP, TRACED, CORE, MOCK = (
    'drmemtrace.small.x64.trace', 'drmemtrace.allasm_x86_64.trace.zip', 'drmemtrace.simple_app.trace.zip',
    'as_traced/drmemtrace.simple_app.1674735.1533.trace.zip', 'core_sharded/drmemtrace.core.000001.trace.zip',
    'mock_syscall_sequences.x64')


def rows_are_those_of_the_model():
    own = [os.path.join(DATA, name) for name in sorted(os.listdir(DATA)) if name.endswith('.memtrace')]
    if len(own) != 5:
        yield f'{len(own)} samples'
    for path in [*own, *public(SMALL, ASM, TRACED, MOCK, LEGACY[0], LEGACY[1])]:
        found, code, errors = rows(path)
        fault = difference(found, Stream(content(path)).rows()) or errors
        if code or fault:
            yield f'{path}: {code} {fault}'


# Of basic_counts and of an independent model: totals, then the numbers of records by name.
COUNTS = {
    (SMALL,): dict(total=232, instructions=173, pcs=17, read=42, write=14, timestamp=1, cpu_id=1, thread_exit=1,
                   conditional_jump=14),
    (ASM,): dict(total=246, instructions=133, pcs=13, encodings=61, read=0, write=0, timestamp=34, cpu_id=34, syscall=17,
                 maybe_blocking_syscall=16, other=11, taken_jump=15, untaken_jump=1),
    (APP,): dict(total=180347, instructions=136051, no_fetch=361, pcs=11374, encodings=11374, read=31507, write=12338,
                 timestamp=42, cpu_id=42, other=5, conditional_jump=26297, direct_call=793, indirect_call=92,
                 direct_jump=1153, indirect_jump=191, **{'return': 880}),
    (TRACED,): dict(total=73614, instructions=57812, no_fetch=345, pcs=6959, encodings=11936, read=11178, write=4064,
                    timestamp=61, cpu_id=61, syscall=23, maybe_blocking_syscall=7, other=62, taken_jump=6661,
                    untaken_jump=8446, direct_call=275, indirect_call=30, direct_jump=428, indirect_jump=40,
                    targets=371, **{'return': 301}),
    (CORE,): dict(total=1348440, instructions=98108, pcs=2257, encodings=2257, read=25884, write=14990, timestamp=230,
                  cpu_id=230, core_idle=1208750, kernel_event=34, kernel_xfer=34, func_id=8, func_arg=24, func_retval=4,
                  syscall=69, maybe_blocking_syscall=29, other=44),
    (MOCK,): dict(total=30, instructions=11, kernel=11, pcs=4, encodings=11, read=1, syscall_trace_start=6),
    (LEGACY[0],): dict(instructions=4421, timestamp=84, kernel_event=25, kernel_xfer=25),
    (LEGACY[1],): dict(instructions=1388, no_fetch=882, timestamp=24, kernel_event=7, kernel_xfer=7),
    (LEGACY[2],): dict(instructions=20069, no_fetch=15750, timestamp=21, kernel_event=1, kernel_xfer=1),
    (LEGACY[3],): dict(instructions=12189, no_fetch=9616, timestamp=11),
    ('legacy',): dict(total=135180, instructions=38067, no_fetch=26248, pcs=2048, read=33029, write=37486, timestamp=140,
                      cpu_id=140, kernel_event=33, kernel_xfer=33),
}
# The markers that basic_counts counts by themselves.
COUNTED = {'timestamp', 'cpu_id', 'kernel_event', 'kernel_xfer', 'func_id', 'func_retaddr', 'func_arg', 'func_retval',
           'physical_address', 'physical_unavailable', 'syscall', 'maybe_blocking_syscall', 'skipped_memref',
           'core_idle', 'core_wait'}


def count(path):
    """The numbers of a trace, from a report and from the rows of its instructions."""
    records = json.loads(polytrace('info', '--json', path).stdout)['records']
    found = collections.Counter({each['name']: each['records'] for each in records['records_by_name']})
    found['other'] = sum(number for name, number in found.items() if name in MARKERS and name not in COUNTED)
    found.update(total=records['total_records'], instructions=records['instructions'])
    shown, _, _ = rows(path, '-O', 'drmemtrace.hidden=keep', '--where',
                       'kind == instruction or record == "encoding" or record == "branch_target"',
                       columns=['record', 'pc', 'mode'])
    found['pcs'] = len({row[1] for row in shown if row[1]})
    found['encodings'] = found['targets'] = 0
    pending = False
    for record, _, mode in shown:
        found['encodings'] += pending and record not in ('encoding', 'branch_target')
        pending = record == 'encoding' or (pending and record == 'branch_target')
        found['targets'] += record == 'branch_target'
        found['kernel'] += mode == 'kernel' and record not in ('encoding', 'branch_target')
    return found


def counts_are_those_of_the_tools():
    for (name,), expected in COUNTS.items():
        for path in public(name):
            found = count(path)
            wrong = {key: (found[key], number) for key, number in expected.items() if found[key] != number}
            if wrong:
                yield f'{name}: {wrong} (found, expected)'


def listings_of_view_have_the_same_records():
    for name, first in (('offline-skip.expect', 114), ('offline-skip2.expect', 120)):
        for path, listing in zip(public(ASM), public(name)):
            found, _, _ = rows(path, columns=['row', 'instruction_id', 'record', 'thread', 'value', 'pc', 'opcode_size',
                                              'opcode', 'branch'])
            with open(listing) as file:
                shown = [line.split(None, 3) for line in file if ': W0.T' in line and ('<m' in line or 'ifetch' in line)]
            # After a skip the tool shows the last time and processor again, with the number of the last record.
            shown = [line for line in shown if line[0] != '114']
            if len(shown) < 10 or int(shown[-1][0]) != 129 - 5 * (first == 114):
                yield f'{name}: {len(shown)} lines'
            for number, ordinal, thread, text in shown:
                row = found[int(number) - 1]
                words = text.split()
                kind = {'<marker: timestamp': f'timestamp {int(row[4] or "0", 16)}>', '<marker: system': 'syscall',
                        '<marker: maybe-blocking': 'maybe_blocking_syscall', '<marker: W0.T1992554': 'cpu_id'}
                good = thread == f'W0.T{row[3]}'
                if words[0] == 'ifetch':
                    # Of a longer encoding the line has the first seven bytes.
                    code = ''.join(words[5:5 + min(int(words[1]), 7)])
                    good &= [ordinal[:-1], words[1], int(words[4], 16)] == [row[1], row[6], int(row[5], 16)]
                    good &= row[7][2:].zfill(2 * int(row[6])).startswith(code)
                    good &= ('(taken)' in text) == (row[8] == 'taken')
                else:
                    good &= kind[' '.join(words[:2])].split()[0] == row[2]
                    good &= words[1] != 'timestamp' or int(words[2][:-1]) == int(row[4], 16)
                if not good:
                    yield f'{name}: {number} {text.strip()}, found {row}'


def caches_are_accessed_as_by_the_tools():
    """
    Accesses of instructions and data; and the misses of fetches in the same cache, of 32 KiB and 8 ways.
    The tool does not count accesses of no bytes: 8 in this trace.
    """
    for name, where, expected in ((APP, 'cpu == 8', [36569, 666, 10072]), (APP, 'cpu == 2', [106339, 543, 33784])):
        for path in public(name):
            found = []
            for of in ('instructions', 'data'):
                done = polytrace('sim', 'cache', '--json', '-O', f'cache.of={of}', '--where',
                                 f'{where} and (kind != access or size > 0)', path)
                cache = json.loads(done.stdout)['cache']['caches'][0]
                found += [cache['accesses'], cache['misses']]
            if found[:3] != expected:
                yield f'{name}, {where}: {found}, expected {expected}'


def pack(parts, names=None):
    data = io.BytesIO()
    with zipfile.ZipFile(data, 'w', zipfile.ZIP_DEFLATED) as archive:
        for number, part in enumerate(parts):
            archive.writestr((names or [f'chunk.{i:04}' for i in range(len(parts))])[number], part)
    return data.getvalue()


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as file:
        file.write(data)
    return path


def archives_are_one_stream_in_their_order():
    parts = make.chunked(40, 7, 31, 30, 13386385969186000)
    expected = Stream(b''.join(parts)).rows()
    unchunked = Stream(make.chunked(40, 0, 31, 30, 13386385969186000)[0]).rows()
    if [row for row in expected if row[0] not in ('chunk_footer', 'chunk_instr_count')] != unchunked:
        yield 'chunks change the rows of the model'
    names = [f'chunk.{9999 + i}' for i in range(len(parts))][::-1]
    with tempfile.TemporaryDirectory() as folder:
        files = {'trace.zip': pack(parts), 'trace.zip.zip': pack(parts, names), 'trace.gz': gzip.compress(b''.join(parts))}
        for name, data in files.items():
            library = 'isal' if name.endswith('gz') else 'archive'
            found, code, errors = rows(write(os.path.join(folder, name), data))
            fault = library not in LACKS and (difference(found, expected) or errors)
            if fault:
                yield f'{name}: {code} {fault}'
        plain = write(os.path.join(folder, 'trace'), b''.join(parts))
        if shutil.which('lz4') and 'lz4' not in LACKS:
            subprocess.run(['lz4', '-q', plain, plain + '.lz4'], check=True)
            found, code, errors = rows(plain + '.lz4')
            if difference(found, expected) or errors:
                yield f'lz4: {errors}'
        if 'archive' in LACKS:
            return
        # An archive that was never finished, and one whose second component is not complete.
        whole = pack(parts)
        found, code, errors = rows(write(os.path.join(folder, 'cut.zip'), whole[:whole.index(b'PK\1\2')]))
        if found != expected or code != 2 or 'truncated zip stream' not in errors:
            yield f'unfinished: {len(found)} rows, {code} {errors}'
        second = whole.index(b'PK\3\4', 4)
        found, code, errors = rows(write(os.path.join(folder, 'cut.zip'), whole[:second + 60]))
        first = len(Stream(parts[0]).rows())
        if found[:first] != expected[:first] or code != 2 or 'truncated zip stream' not in errors:
            yield f'truncated: {len(found)} rows, {code} {errors}'
        lost = [parts[0], parts[1][:-12], *parts[2:]]
        _, code, errors = rows(write(os.path.join(folder, 'lost.zip'), pack(lost)))
        if code != 2 or 'DM09' not in errors:
            yield f'a chunk without footer: {code} {errors}'


def thread_files():
    """Three threads, whose timestamps interleave; two have equal ones."""
    files = {}
    for tid, times in ((31, (10, 30, 50)), (32, (10, 20, 60)), (33, (5, 40))):
        lines = [make.front(7, make.X86 | make.ENCODINGS, tid, 30)]
        for i, time in enumerate(times):
            lines += [make.stamp(time, tid % 4), make.instr(0x401000 + 4 * i, '48%06x' % tid),
                      make.entry(make.READ, 8, 0x7000 + tid)]
        files[f'drmemtrace.run.{tid}.000{tid}.trace'] = b''.join([*lines, make.end(tid)])
    return files


OTHERS = {'.hidden': b'x', 'modules.log': b'x', 'funclist.log': b'x', 'encodings.bin': b'x', 'v2p.textproto': b'x',
          'serial_schedule.bin.gz': b'x', 'cpu_schedule.bin.zip': b'x', 'kernel.raw/x': b'x'}


def directories_are_merged_by_timestamps():
    files = thread_files()
    together = list(merged(files.values()))
    apart = [row for data in files.values() for row in Stream(data).rows()]
    if together == apart or sorted(together) != sorted(apart):
        yield 'the model does not merge'
    with tempfile.TemporaryDirectory() as folder:
        for name, data in {**files, **OTHERS}.items():
            if name.endswith('32.00032.trace') and 'isal' not in LACKS:
                name, data = name + '.gz', gzip.compress(data)
            write(os.path.join(folder, 'plain', name), data)
            write(os.path.join(folder, 'run.dir', 'trace', name), data)
        write(os.path.join(folder, 'run.dir', 'raw', 'x.raw.lz4'), b'x')
        for name in 'plain', 'run.dir', 'run.dir/trace', 'plain/':
            for option, expected in ((), together), (('--by-thread',), apart):
                found, code, errors = rows(os.path.join(folder, name), *option)
                if code or errors or found != expected:
                    yield f'{name} {option}: {code} {errors} {difference(found, expected)}'
        for option in ((), ('--by-thread',)) if 'sqlite' not in LACKS else ():
            path = os.path.join(folder, 'plain')
            listed = polytrace('view', '--csv', '-c', 'row,thread', *option, path)
            found = polytrace('sql', '--csv', *option, 'select row, thread from plain', path)
            if found.returncode or found.stdout != listed.stdout:
                yield f'sql {option}: {found}'
    for path in public('legacy'):
        expected = list(merged([content(each) for each in public(*LEGACY)]))
        found, code, errors = rows(path)
        if code or errors or found != expected:
            yield f'legacy: {code} {errors} {difference(found, expected)}'


def faults_of_directories_name_the_file():
    files = thread_files()
    first, second, third = files
    narrow = struct.pack('<HHIHHI', 25, 0, 4, 22, 4, 5)
    arm = make.front(7, make.AARCH64, 5, 5) + make.end(5)
    cases = [
        ({'notes.txt': b'some text'}, 'notes.txt: DM01: the trace begins with an entry of type 28531'),
        ({'a/b': b''}, 'a: a directory within the directory'),
        ({'raw/x.raw': b''}, 'raw: a directory of raw files, which drraw2trace converts'),
        ({'x.trace': narrow}, 'x.trace: DM01: entries of 8 bytes, of a recording of a 32-bit program'),
        ({'x.trace': arm}, 'x.trace: instruction set aarch64 (found x86-64 in the first file)'),
        ({second: files[second][:-30]}, f'{second}: the trace is truncated within an entry'),
        ({second: files[second][:60]}, f'{second}: the trace is truncated before the footer'),
        ({second: files[second][:97] + b'\xff' + files[second][98:]}, f'{second}: an entry of type'),
    ]
    if 'isal' not in LACKS:
        cases.append(({second: gzip.compress(files[second])[:-20]}, f'{second}: truncated gzip stream'))
    for more, message in cases:
        with tempfile.TemporaryDirectory() as folder:
            for name, data in {**files, **more}.items():
                write(os.path.join(folder, name), data)
            for option in (), ('--by-thread',):
                _, code, errors = rows(folder, *option)
                if code != 2 or message not in errors:
                    yield f'{sorted(more)} {option}: {code} {errors}, expected {message}'
    with tempfile.TemporaryDirectory() as folder:
        os.mkfifo(os.path.join(folder, 'fifo'))
        _, code, errors = rows(folder)
        if code != 2 or 'fifo: neither a file nor a directory' not in errors:
            yield f'fifo: {code} {errors}'
        os.remove(os.path.join(folder, 'fifo'))
        _, code, errors = rows(folder)
        if code != 2 or 'the directory has no files of a trace' not in errors:
            yield f'empty: {code} {errors}'
        for arguments, message in ((('--from', 'lackey', folder), "format 'lackey' does not read directories"),
                                   (('--by-thread', os.path.join(DATA, 'every.memtrace')), 'the input is not a directory')):
            done = polytrace('info', *arguments)
            if done.returncode != 2 or message not in done.stderr.decode():
                yield f'{arguments}: {done.returncode} {done.stderr.decode()}'
        for i in range(50):
            write(os.path.join(folder, f'{i}.trace'), files[first])
        for option, expected in ('', b'files (--by-thread)'), ('--by-thread', b''):
            done = subprocess.run(['sh', '-c', f'ulimit -n 40; exec "$0" info {option} "$1"', PROGRAM, folder],
                                  capture_output=True)
            if (done.returncode == 2) != bool(expected) or expected not in done.stderr:
                yield f'limit of open files: {done}'
        for i in range(50):
            os.remove(os.path.join(folder, f'{i}.trace'))
        # What precedes a fault is delivered, the other files after a truncated one, too.
        for name, data in {**files, third: files[third][:-30]}.items():
            write(os.path.join(folder, name), data)
        found, _, _ = rows(folder)
        complete = list(merged(files.values()))
        missing = [row for row in complete if row not in found]
        if len(missing) > 2 or len(found) < len(complete) - 2:
            yield f'truncated: {len(found)} of {len(complete)} rows'


def other_directories_are_not_taken_for_recordings():
    packet = b'\xc1\x1f\xfc\xc1' + bytes(60)
    for files, message in (({'channel0_0': packet, 'metadata': b'/* CTF 1.8 */'}, 'found a CTF trace'),
                           ({'notes.txt': b'some text'}, 'found the file notes.txt')):
        with tempfile.TemporaryDirectory() as folder:
            for name, data in files.items():
                write(os.path.join(folder, name), data)
            _, code, errors = rows(folder)
            if code != 2 or f'unrecognized directory ({message}' not in errors or 'DM01' in errors:
                yield f'{sorted(files)}: {code} {errors}'


def the_generator_makes_these_samples():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, os.path.join(DATA, 'make_drmemtrace.py'), folder], check=True)
        for name in os.listdir(folder):
            if open(os.path.join(folder, name), 'rb').read() != open(os.path.join(DATA, name), 'rb').read():
                yield name


tap.run([rows_are_those_of_the_model, counts_are_those_of_the_tools, listings_of_view_have_the_same_records,
         caches_are_accessed_as_by_the_tools, archives_are_one_stream_in_their_order,
         directories_are_merged_by_timestamps, faults_of_directories_name_the_file, other_directories_are_not_taken_for_recordings,
         the_generator_makes_these_samples])
