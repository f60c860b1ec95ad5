#!/usr/bin/env python3
"""Cache operations in hierarchies and in coherent caches against models, on random traces, as TAP.

The models extend hierarchy.py and coherence.py by what the PowerPC and Pentium manuals state of the operations: a
dirty line is written to memory once, whichever levels have it; dcbz and dcba need no fill. POLYTRACE_LONG=1 tries
more sequences.
"""
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

import coherence
from cache_operations import sequence, written
from hierarchy import Hierarchy, Level
from model import Tap, needs, sampling
from uses import pieces

needs.libraries('jansson')

FOLDER = tempfile.TemporaryDirectory()
CHOSEN = sampling.some(range(2000 if os.environ.get('POLYTRACE_LONG') else 150))


class Operated(Hierarchy):
    """A hierarchy with operations, and what they did by level: [prefetched, unfilled, written back, invalidated]."""

    def __init__(self, *words):
        super().__init__(*words)
        self.all = ([self.instructions] if self.instructions else []) + self.levels
        self.did = {level: [0, 0, 0, 0] for level in self.all}

    def entries(self, level):
        for lines in (level.lines, *([level.victims] if level.victims else [])):
            for one in lines.lists:
                yield from one

    def perform(self, operation, address):
        """Cleans or removes the line of an address in all levels."""
        written = operation == 'invalidate'
        for level in self.all:
            line = address // level.size
            entry = level.holds(line)
            if not entry:
                continue
            if entry[1] and not written:
                self.did[level][2] += 1
                self.writes += 1
                written = True
            entry[1] = False
            if operation != 'clean':
                self.take(level, line)
                self.did[level][3] += 1

    def perform_on_all(self, operation):
        """The changed lines of each level are written to memory, and are then clean further down."""
        for level in self.all:
            for line, dirty in [tuple(entry) for entry in self.entries(level)]:
                if dirty and operation != 'invalidate':
                    self.did[level][2] += 1
                    self.writes += 1
                    below = level
                    while below:
                        entry = below.holds(line * level.size // below.size)
                        if entry:
                            entry[1] = False
                        below = self.below(below)
                if operation != 'clean':
                    self.take(level, line)
                    self.did[level][3] += 1

    def operate(self, operation, address):
        code = self.instructions or self.levels[0]
        top = self.levels[0]
        if operation == 'code':
            entry = self.take(code, address // code.size)
            if entry:
                self.did[code][3] += 1
            if entry and entry[1]:
                self.did[code][2] += 1
                self.give(self.below(code), entry[0] * code.size, True, code.size)
        elif operation == 'prefetch':
            if not top.holds(address // top.size):
                self.did[top][0] += 1
                _, dirty = self.read(self.below(top), address, 'r', None, demand=False)
                self.fill(top, address // top.size, dirty)
        else:
            self.perform(operation, address)

    def zero(self, address, size, pc):
        """A write that allocates its line, of which nothing is read."""
        top = self.levels[0]
        line = address // top.size
        if top.holds(line) or top.around or size not in (0, top.size):
            self.access('w', address, pc)
            return
        top.accesses['w'] += 1
        top.misses['w'] += 1
        for level in reversed(self.levels[1:]):
            if self.inclusion == 1 and not level.holds(line):
                self.fill(level, line, False)
            if self.inclusion == 2:
                self.take(level, line)
        self.fill(top, line, not top.through)
        self.did[top][1] += 1
        if top.through:
            self.store(self.below(top), address, 'w', pc)
        self.note(top, address, pc, True)
        self.cycles.append(top.latency)
        for one in self.levels + ([self.instructions] if self.instructions else []):
            if one.seen:
                self.prefetch(one)


def shape(chance):
    """Random caches: the option's words, and the model."""
    inclusion = chance.randrange(3)
    same = chance.choice((16, 32, 64))
    sizes = [same] * 3 if inclusion else sorted(chance.choice((16, 32, 64)) for _ in range(3))
    names = ['l1', 'l2', 'l3'][:chance.randrange(1, 4)]
    words, levels = [], []

    def level(name, line, victims, top):
        ways, sets, latency = chance.choice((1, 2, 4)), chance.choice((1, 2, 4)), chance.randrange(1, 9)
        text = f'{name}={sets * ways * line}/{ways}/{line}/{latency}'
        more = {}
        for word in ('through', 'around'):
            if inclusion != 2 and chance.randrange(4) == 0:
                text += '/' + word
                more[word] = 1
        if victims and chance.randrange(3) == 0:
            text += '/victims:2'
            more['victims'] = 2
        if top and chance.randrange(4) == 0:
            kind = chance.randrange(3)
            text += '/' + ('next', 'stride', 'stream')[kind] + ':2'
            more.update(prefetch=kind + 1, degree=2)
        words.append(text)
        return Level(sets, ways, line, latency=latency, **more)

    split = chance.randrange(2)
    instructions = level('l1i', sizes[0], True, False) if split else None
    for i, name in enumerate(names):
        levels.append(level('l1d' if split and i == 0 else name, sizes[i], inclusion != 2 or i == 0, i == 0))
    words.append('memory=77')
    return ' '.join(words), ('nine', 'inclusive', 'exclusive')[inclusion], Operated(levels, instructions, inclusion, 77)


def simulated(path, name, *words):
    return json.loads(subprocess.run(
        [sys.argv[1], 'sim', '--json', *words, name, path], stdout=subprocess.PIPE, check=True).stdout)[name]


def run_steps(model, steps, has_pc):
    top, code = model.levels[0].size, (model.instructions or model.levels[0]).size
    pc = None
    for kind, *more in steps:
        if kind == 'all':
            model.perform_on_all(more[0])
        elif isinstance(more[0], list):
            line = code if kind == 'code' else top
            for address, size in more[0]:
                for number in range(address // line, (address + size - 1) // line + 1):
                    model.operate(kind, max(address, number * line))
        else:
            pc = more[0] if kind == 'f' and has_pc else pc
            for part, address, size in pieces([(kind, *more)], top, code):
                if kind == 'zero':
                    model.zero(address, size, address if pc is None else pc)
                else:
                    model.access(part, address, address if pc is None else pc)


def differences(path, chance, steps, *words):
    text, inclusion, model = shape(chance)
    report = simulated(path, 'levels', *words, '-O', f'caches={text}', '-O', f'inclusion={inclusion}')
    run_steps(model, steps, 'tt6e' in words)
    found = [report['accesses'], report['cycles'], report['memory_reads'], report['memory_writes']]
    expected = [len(model.cycles), sum(model.cycles), model.reads, model.writes]
    did = [[row[key] for key in ('prefetches_issued', 'unfilled_allocations', 'writebacks', 'invalidations')]
           for row in report.get('cache_operations', [])] or [[0] * 4] * len(model.all)
    found += [[row[key] for key in ('read_misses', 'write_misses', 'fetch_misses', 'back_invalidations', 'useful_prefetches')]
              for row in report['cache_levels']] + did
    expected += [[*(one.misses[k] for k in 'rwf'), one.invalidations, one.prefetch_hits] for one in model.all]
    expected += [model.did[one] for one in model.all]
    return [] if found == expected else [f'{text} {inclusion}: found {found}, expected {expected}']


def instructions_differ(number):
    chance = random.Random(number)
    words, steps = sequence(chance, 60)
    return differences(written(words), chance, steps, '-f', 'tt6e')


def bus_cycles_differ(number):
    """Reads, writes and fetches of eight bytes, and special cycles."""
    chance = random.Random(number)
    records, steps = b'', []
    for _ in range(80):
        address = 0x2000 + 8 * chance.randrange(100)
        pick = chance.randrange(8)
        if pick < 7:
            kind, control = chance.choice((('r', 0xd0), ('w', 0xf0), ('f', 0x90)))
            records += struct.pack('>IBB', address, 0, control)
            steps.append((kind, address, 8))
        else:
            operation, enabled = chance.choice((('clean', 0xf7), ('invalidate', 0xfd), ('flush', 0xef)))
            records += struct.pack('>IBB', 0, enabled, 0x30)
            steps.append(('all', operation))
    path = os.path.join(FOLDER.name, 'sequence.bach')
    with open(path, 'wb') as out:
        out.write(records)
    return differences(path, chance, steps, '-f', 'bach')


# A cache operation as JSON Lines: the instruction that performs it.
OPCODES = {'clean': 54, 'flush': 86, 'invalidate': 470, 'prefetch': 278, 'zero': 1014}


def row(kind, address, size, thread):
    cells = {'kind': 'instruction', 'thread': thread, 'pc': '0x100', 'address': f'0x{address:x}'}
    if kind in OPCODES:
        cells.update(opcode=f'0x{31 << 26 | OPCODES[kind] << 1:x}', opcode_size=4,
                     access='prefetch' if kind == 'prefetch' else 'write' if kind == 'zero' else 'cache')
    else:
        cells.update(access={'r': 'read', 'w': 'write'}[kind], size=size)
    return json.dumps(cells) + '\n'


def threads_differ(number):
    """Four coherent caches of eight lines of 32 bytes."""
    chance = random.Random(number)
    rows, stream = '{"polytrace":"trace","version":1,"isa":"powerpc"}\n', []
    for _ in range(300):
        kind = chance.choice('rrrwwww' + 'o')
        kind = kind if kind != 'o' else chance.choice(list(OPCODES))
        address, thread = 0x8000 + 4 * chance.randrange(128), chance.randrange(4)
        rows += row(kind, address, 4, thread)
        # Writes of a line of unknown size have four bytes here, as every access of unknown size.
        stream.append(('w' if kind == 'zero' else kind, address, 4, thread))
    path = os.path.join(FOLDER.name, 'threads.jsonl')
    with open(path, 'w') as out:
        out.write(rows)
    report = simulated(path, 'sharing', '-O', 'size=256', '-O', 'ways=2', '-O', 'line=32')
    order = list(dict.fromkeys(use[3] for use in stream))
    stream = [(*use[:3], order.index(use[3])) for use in stream]
    outcomes, counts, _ = coherence.model(stream, len(order), 4, 2, 32, 4)
    of = {who: [0] * 6 for who in range(len(order))}
    for (outcome, _), use in zip(outcomes, stream):
        if outcome is not None:
            of[use[3]][outcome] += 1
    names = ['hits', 'upgrades', 'compulsory_misses', 'replacement_misses', 'true_sharing_misses', 'false_sharing_misses',
             'coherence_invalidations', 'cache_to_cache_transfers', 'writebacks']
    found = {one['context']: [one[name] for name in names] for one in report['private_caches']}
    expected = {f'thread {order[who]}': of[who] + counts[who] for who in of}
    return [] if found == expected else [f'sequence {number}: found {found}, expected {expected}']


tap = Tap()
for title, differ in (('instructions', instructions_differ), ('bus cycles', bus_cycles_differ), ('threads', threads_differ)):
    wrong = [difference for number in CHOSEN for difference in differ(number)]
    tap.ok(f'{len(CHOSEN)} sequences of {title}', not wrong, *wrong[:2])
sys.exit(tap.end())
