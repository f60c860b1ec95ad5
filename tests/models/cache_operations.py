#!/usr/bin/env python3
"""Cache operations and accesses over several lines against a model, on random TT6E traces, as TAP.

The model has a list of ways per set (cache.py), splits references as Dinero IV does, and performs operations as the
PowerPC and AltiVec architecture books describe them: dcbst writes back, dcbf writes back and invalidates, dcbi
invalidates, icbi invalidates code, dcbz and dcba write a line that need not be read, dcbt, dcbtst, dst and dstst
prefetch. POLYTRACE_LONG=1 tries 10,000 sequences instead of a sample of them.
"""
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

from cache import POLICIES, Cache
from model import Tap, sampling
from uses import pieces

FOLDER = tempfile.TemporaryDirectory()
SIZE, LINES, WAYS = 512, (16, 32, 64), (2, 8)
BASE = 0x20000000


def x_form(extended, d=0, a=0, b=0):
    return 31 << 26 | d << 21 | a << 16 | b << 11 | extended << 1


OPERATIONS = {'clean': 54, 'flush': 86, 'invalidate': 470, 'code': 982}


class Operated(Cache):
    """A cache with operations."""

    def __init__(self, *words, **settings):
        super().__init__(*words, **settings)
        self.prefetches = self.allocations = self.written = self.invalidations = 0

    def operate(self, operation, line):
        place = self.find(line)
        if operation == 'prefetch':
            if not place:
                self.time += 1
                self.prefetches += 1
                self.fills += 1
                old = self.fill(line, False)
                if old:
                    self.evictions += 1
                    self.dirty_evictions += old[1]
                    self.down += self.line * old[1]
            return
        if not place:
            return
        way = self.frames[place[0]][place[1]]
        written = way.dirty and operation != 'invalidate'
        self.written += written
        self.down += self.line * written
        way.dirty = False
        if operation != 'clean':
            way.line = None
            self.invalidations += 1

    def reference(self, kind, address, size):
        if kind != 'zero':
            return self.access(0, kind, address, size)
        hit = self.access(0, 'w', address, size or 4)
        if not hit and not self.around and size in (0, self.line):
            self.fills -= 1
            self.allocations += 1
        return hit


def sequence(chance, length):
    """The words of a trace, and what they do: (kind, address, size), or (operation, blocks)."""
    words, steps = [0x1000], []
    for i in range(length):
        address = BASE + chance.randrange(1200)
        steps.append(('f', 0x1000 + 4 * i, 4))
        pick = chance.randrange(10)
        if pick < 3:
            store, size = chance.choice(((False, 4), (True, 4), (True, 1), (False, 8)))
            words += [{(False, 4): 32, (True, 4): 36, (True, 1): 38, (False, 8): 50}[store, size] << 26, address]
            steps.append(('rw'[store], address, size))
        elif pick < 5:
            store, first = chance.randrange(2), chance.randrange(32)
            words += [46 + store << 26 | first << 21, address]
            steps.append(('rw'[store], address, 4 * (32 - first)))
        elif pick == 5:
            count = chance.randrange(32)
            words += [x_form(597, 3, 0, count), address]
            steps.append(('r', address, count or 32))
        elif pick == 6:
            words += [x_form(chance.choice((758, 1014))), address]
            steps.append(('zero', address, 0))
        elif pick == 7:
            words += [x_form(chance.choice((246, 278))), address]
            steps.append(('prefetch', [(address, 1)]))
        elif pick == 8:
            size, count, stride = chance.randrange(32), chance.randrange(6), chance.choice((16, 32, 100, -48, 0))
            words += [x_form(chance.choice((342, 374))), address, size << 24 | count << 16 | stride & 0xffff]
            steps.append(('prefetch', [((address + i * (stride or 32768)) % 2 ** 64, 16 * (size or 32))
                                       for i in range(count or 256)]))
        else:
            operation = chance.choice(list(OPERATIONS))
            words += [x_form(OPERATIONS[operation]), address]
            steps.append((operation, [(address, 1)]))
    return words, steps


def written(words):
    """The name of a trace of these words, until the next one is written."""
    path = os.path.join(FOLDER.name, 'sequence.tt6e')
    with open(path, 'wb') as out:
        out.write(struct.pack(f'>{len(words)}I', *words))
    return path


def run_model(steps, of, line, ways, policy, settings):
    cache = Operated(SIZE // line // ways, ways, line, policy, **settings)
    accesses = 0
    for kind, *more in steps:
        if isinstance(more[0], list):
            if (kind == 'code') == (of == 'data'):
                if of == 'data' or kind != 'code' and of == 'instructions':
                    continue
            if kind != 'code' and of == 'instructions':
                continue
            for address, size in more[0]:
                for number in range(address // line, (address + size - 1) // line + 1):
                    cache.operate('flush' if kind == 'code' else kind, number)
        elif of == 'all' or (kind == 'f') == (of == 'instructions'):
            for _, address, size in pieces([(kind, *more)], line):
                accesses += 1
                cache.reference(kind, address, size)
    reads, writes, fetches = (cache.counts[kind][1] for kind in 'rwf')
    return {'size': SIZE, 'ways': ways, 'line_size': line, 'policy': policy, 'accesses': accesses,
            'misses': reads + writes + fetches, 'read_misses': reads, 'write_misses': writes, 'fetch_misses': fetches,
            'dirty_evictions': cache.dirty_evictions, 'fill_traffic': cache.fills * line,
            'writeback_traffic': cache.down}, {
                'prefetches_issued': cache.prefetches, 'unfilled_allocations': cache.allocations,
                'writebacks': cache.written, 'invalidations': cache.invalidations}


def compare(number):
    """Differences between model and simulator of a sequence: texts."""
    chance = random.Random(number)
    words, steps = sequence(chance, 60)
    path = written(words)
    of, through, around = chance.choice(('data', 'all', 'instructions')), chance.randrange(2), chance.randrange(2)
    sweep = (f'size={SIZE},ways={",".join(map(str, WAYS))},line={",".join(map(str, LINES))},'
             f'policy={",".join(POLICIES)},write={("back", "through")[through]},allocate={("yes", "no")[around]}')
    report = json.loads(subprocess.run(
        [sys.argv[1], 'sim', '--json', '-f', 'tt6e', '-O', f'sweep={sweep}', '-O', f'of={of}', 'cache', path],
        stdout=subprocess.PIPE, check=True).stdout)['cache']
    wrong = []
    for i, row in enumerate(report['caches']):
        expected, operations = run_model(steps, of, row['line_size'], row['ways'], row['policy'],
                                         {'through': through, 'around': around})
        found = {key: row[key] for key in expected}
        done = report.get('cache_operations', [None] * (i + 1))[i] or dict.fromkeys(operations, 0)
        done = {key: done[key] for key in operations}
        if found != expected or done != operations:
            wrong.append(f'sequence {number}, of={of} {sweep}: found {found} {done}, expected {expected} {operations}')
    return wrong, len(report['caches'])


def main():
    tap = Tap()
    numbers = sampling.some(range(10000 if os.environ.get('POLYTRACE_LONG') else 60))
    wrong, tried = [], 0
    for number in numbers:
        differences, caches = compare(number)
        wrong += differences
        tried += caches
    tap.ok(f'{len(numbers)} sequences in {tried} caches', not wrong and tried == 42 * len(numbers), *wrong[:3], tried)
    return tap.end()


if __name__ == '__main__':
    sys.exit(main())
