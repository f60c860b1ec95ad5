"""What models of analyses share: rows of a trace, results of the command, and their comparison."""
import atexit
import json
import math
import os
import random
import subprocess
import sys
import tempfile

ROOT = os.environ['POLYTRACE_ROOT']
DATA = os.path.join(ROOT, 'tests', 'data')
sys.path.insert(0, os.path.join(ROOT, 'tests'))
import needs  # noqa: E402
import sampling  # noqa: E402

# The rows of traces that are too long to be read here.
ROWS = {}


def run(*words):
    """Standard output of the command, which may have skipped corrupt data."""
    done = subprocess.run([sys.argv[1], *words], capture_output=True)
    if needs.unsupported(done.stderr):
        Tap.current.skip_others(needs.unsupported(done.stderr))
    sys.stderr.buffer.write(done.stderr)
    if done.returncode > 1:
        done.check_returncode()
    return done.stdout


def trace(name, *words):
    """The header and the rows of a trace of tests/data, as dicts by column; numbers are ints."""
    if name in ROWS:
        return {}, ROWS[name]
    lines = run('convert', '--on-error=skip', '--to', 'jsonl', '-o', '-', *words, os.path.join(DATA, name))
    header, *rows = map(json.loads, lines.splitlines())
    for row in rows:
        for key, value in row.items():
            if isinstance(value, str) and value.startswith('0x'):
                row[key] = int(value, 16)
    return header, rows


def threads():
    """The name of a trace of four threads in turns of 7 records, which exists until the program ends."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    name = os.path.join(folder.name, 'threads.jsonl')
    run('merge', '--to', 'jsonl', '--quantum', '7', '-o', name,
        *(os.path.join(DATA, 'pthr', f'thread_00{i}.tt6') for i in range(1, 5)))
    return name


def overlaps():
    """The name of a trace of overlapping accesses of many sizes, which exists until the program ends."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    name = os.path.join(folder.name, 'overlaps.lackey')
    chance = random.Random(6)
    with open(name, 'w') as lines:
        for _ in range(3000):
            kind, size = chance.choice(('I ', ' L', ' S', ' M')), chance.choice((1, 2, 3, 4, 8, 16, 200))
            address = chance.choice((0x1000, 0x1fe0, 0x7ffff0)) + chance.randrange(48)
            lines.write(f'{kind} {address:08x},{min(size, 15) if kind == "I " else size}\n')
    return name


def packed(name):
    """The name of a trace packed in small segments, which exists until the program ends; the command analyzes
    such traces without decoding each record if possible."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    path = os.path.join(folder.name, 'packed.ptz')
    run('convert', '--to', 'ptz', '--to-option', 'ptz.rows=300', os.path.join(DATA, name), '-o', path)
    return path


def micro_loop():
    """The name of a trace of a loop of 2, 3 and 2 micro-operations, the last of which branches back, which exists
    until the program ends; the micro-operations extend over batches and slices."""
    loop = [(0x1000, 2, 'ADD', 'LOAD', 1), (0x1000, 2, 'ADD', 'ADD_IMM', 2), (0x1002, 3, 'ADD', 'LOAD', 1),
            (0x1002, 3, 'ADD', 'ADD', 2), (0x1002, 3, 'ADD', 'STORE', 3), (0x1005, 2, 'DEC', 'SUB_IMM', 1),
            (0x1005, 2, 'JNZ', 'JMP_IMM', 2)]
    rows = [{'kind': 'instruction', 'pc': hex(pc), 'fallthrough': hex(pc + size), 'mnemonic': mnemonic,
             'uop_name': micro, 'uop_index': uop, 'flags': 'read' if micro == 'JMP_IMM' else 'none'}
            for pc, size, mnemonic, micro, uop in 700 * loop]
    for row in rows[6::7]:
        row.update(branch='taken', target='0x1000')
    rows[-1]['branch'] = 'not_taken'
    header = {'polytrace': 'trace', 'version': 1, 'isa': 'x86', 'columns': [
        'kind', 'pc', 'branch', 'target', 'fallthrough', 'mnemonic', 'uop_name', 'uop_index', 'flags']}
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    name = os.path.join(folder.name, 'micro.jsonl')
    with open(name, 'w', encoding='utf-8') as out:
        out.writelines(json.dumps(row) + '\n' for row in [header, *rows])
    return name


def sweep():
    """The name of a trace of reads of more lines than the tables have room for, which exists until the program ends."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    name = os.path.join(folder.name, 'sweep.lackey')
    addresses = [0x100000 + 64 * i + 7 * i % 64 for i in range(540000)]
    with open(name, 'w') as lines:
        lines.writelines(f' L {address:08x},1\n' for address in addresses)
    ROWS[name] = [{'kind': 'access', 'access': 'read', 'address': address, 'size': 1} for address in addresses]
    return name


def some(*traces):
    """Some of these traces (sampling.some), which may be None, or functions that create them; or of tuples that
    begin with a trace; none that needs a library that the build lacks."""
    cases = [case if isinstance(case, tuple) else (case,) for case in traces]
    for name, *rest in sampling.some(case for case in cases if case[0] is not None and (
            callable(case[0]) or not needs.without(needs.reader_of(case[0])))):
        name = name() if callable(name) else name
        yield (name, *rest) if rest else name


def context(row):
    """The execution context of a row: the first column that identifies it, and its value; or None."""
    return next(((column, row[column]) for column in ('thread', 'process', 'cpu', 'cpu_name') if column in row), None)


def stats(name, analysis, *words):
    """The report of an analysis by `polytrace stats`, as a dict."""
    text = run('stats', '--on-error=skip', '--json', '-a', analysis, *words, os.path.join(DATA, name))
    return json.loads(text)[analysis]


def public(name):
    """A trace outside the project that may not be copied into it; None if it is missing."""
    path = os.path.join(os.environ.get('POLYTRACE_SHARED', os.path.join(ROOT, '..', 'shared')), 'data', 'public', name)
    return path if os.path.exists(path) else None


def close(found, expected):
    """True for equal values; numbers may differ by the rounding of sums."""
    if isinstance(expected, dict):
        return isinstance(found, dict) and found.keys() == expected.keys() and \
            all(close(found[key], expected[key]) for key in expected)
    if isinstance(expected, (list, tuple)):
        return isinstance(found, (list, tuple)) and len(found) == len(expected) and all(map(close, found, expected))
    numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in (found, expected))
    return math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-12) if numbers else found == expected


class Tap:
    """Results of tests, as TAP."""

    current = None

    def __init__(self):
        self.count = self.failed = 0
        Tap.current = self

    def ok(self, name, good, *lines):
        self.count += 1
        self.failed += not good
        for line in () if good else lines:
            print('#', line)
        print(f'{"" if good else "not "}ok {self.count} - {name}')

    def same(self, name, found, expected):
        """Checks that each key of expected has the same value in found."""
        wrong = [f'{key}: found {found.get(key)!r}, expected {value!r}'
                 for key, value in expected.items() if not close(found.get(key), value)]
        self.ok(name, not wrong, *wrong[:10])

    def skip_others(self, reason):
        """Ends the program before its other tests."""
        print(f'ok {self.count + 1} - others # SKIP {reason}\n1..{self.count + 1}')
        sys.exit(1 if self.failed else 0)

    def end(self):
        print(f'1..{self.count}')
        return 1 if self.failed else 0
