#!/usr/bin/env python3
"""Phases, computed from basic-block vectors by their definition, as TAP."""
import json
import math
import os
import random
import subprocess
import sys
import tempfile

from model import DATA, Tap, micro_loop, packed, run, some, stats, trace

MASK = (1 << 64) - 1
DIMENSIONS = 15


def splitmix(state):
    """The numbers of 64 bits that follow a state."""
    while True:
        state = (state + 0x9e3779b97f4a7c15) & MASK
        x = state
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9 & MASK
        x = (x ^ x >> 27) * 0x94d049bb133111eb & MASK
        yield x ^ x >> 31


def jumps(row, isa):
    """Whether an instruction is a branch."""
    if 'branch' in row:
        return True
    opcode = row.get('opcode', 0)
    return isa == 'powerpc' and (opcode >> 26 in (16, 18) or opcode >> 26 == 19 and
                                 opcode >> 1 & 0x3ff in (16, 18, 50, 528))


def instructions(header, rows):
    """The block of each instruction, identified by its first address."""
    last = {}
    for row in rows:
        if row['kind'] != 'instruction' or row.get('synthetic'):
            continue
        context = row.get('thread')
        before = last.get(context)
        if row.get('uop_index', 1) > 1:
            if before and jumps(row, header.get('isa')):
                last[context] = None
            continue
        begin = row['pc']
        if before:
            distance = row['pc'] - before[0]
            if distance == before[1] if before[1] else 0 <= distance <= 16:
                begin = before[2]
        last[context] = None if jumps(row, header.get('isa')) else (
            row['pc'], row.get('opcode_size', 0), begin)
        yield begin


def intervals(blocks, length):
    """Length and vectors, by block."""
    adapts = not length
    length = length or 100
    while adapts and len(blocks) // length >= 512:
        length *= 2
    vectors = []
    for i in range(len(blocks) // length):
        vector = {}
        for block in blocks[i * length:(i + 1) * length]:
            vector[block] = vector.get(block, 0) + 1
        vectors.append(vector)
    return length, vectors


def project(vectors, length):
    directions = {}
    points = []
    for vector in vectors:
        sums = [0] * DIMENSIONS
        for block, count in vector.items():
            if block not in directions:
                numbers = splitmix(block)
                drawn = [next(numbers) >> 48 for _ in range(DIMENSIONS)]
                directions[block] = [n - 65536 if n >= 32768 else n for n in drawn]
            sums = [s + count * d for s, d in zip(sums, directions[block])]
        points.append([s / (length * 32768.0) for s in sums])
    return points


def distance(a, b):
    total = 0.0
    for x, y in zip(a, b):
        total += (x - y) * (x - y)
    return total


def begin(points, k, seed):
    numbers = splitmix(seed)
    centers = [points[next(numbers) % len(points)]]
    while len(centers) < k:
        near = [min(distance(point, center) for center in centers) for point in points]
        total = 0.0
        for d in near:
            total += d
        mark = (next(numbers) >> 11) * 2.0 ** -53 * total
        running, chosen = 0.0, 0
        for i, d in enumerate(near):
            if running > mark:
                break
            running += d
            if d > 0:
                chosen = i
        centers.append(points[chosen])
    return centers


def kmeans(points, k, seed):
    centers, groups = begin(points, k, seed), None
    for _ in range(100):
        near = [[distance(point, center) for center in centers] for point in points]
        now = [row.index(min(row)) for row in near]
        error = 0.0
        for row in near:
            error += min(row)
        if now == groups:
            break
        groups = now
        for group in range(k):
            members = [point for point, g in zip(points, groups) if g == group]
            if members:
                sums = [0.0] * DIMENSIONS
                for member in members:
                    sums = [s + x for s, x in zip(sums, member)]
                centers[group] = [s / len(members) for s in sums]
    return error, groups, centers


def criterion(groups, error, k):
    n = len(groups)
    variance = max(error / (DIMENSIONS * (n - k)) if n > k else 0, 1e-12)
    likelihood = sum(groups.count(g) * math.log(groups.count(g) / n) for g in set(groups))
    likelihood -= n * DIMENSIONS / 2 * math.log(2 * math.pi * variance) + DIMENSIONS * (n - k) / 2
    return likelihood - (k - 1 + DIMENSIONS * k + 1) / 2 * math.log(n)


def choose(points, most, seeds):
    results, scores = [], []
    for k in range(1, max(1, min(most, len(points) - 1)) + 1):
        best = min((kmeans(points, k, seed) for seed in range(1, seeds + 1)), key=lambda r: r[0])
        results.append(best)
        scores.append(criterion(best[1], best[0], k))
    enough = min(scores) + 0.9 * (max(scores) - min(scores))
    place = next(i for i, score in enumerate(scores) if score >= enough)
    return scores, results[place]


def model(header, rows, length=0, most=10, seeds=5):
    blocks = list(instructions(header, rows))
    length, vectors = intervals(blocks, length)
    points = project(vectors, length)
    scores, (_, groups, centers) = choose(points, most, seeds)
    order = list(dict.fromkeys(groups))
    phases = []
    for number, group in enumerate(order):
        members = [i for i, g in enumerate(groups) if g == group]
        far = {i: distance(points[i], centers[group]) for i in members}
        best = min(members, key=lambda i: far[i])
        phases.append({'phase': number, 'intervals': len(members),
                       'share': len(members) / len(points),
                       'representative_interval': best, 'first_instruction': best * length + 1,
                       'center_distance_mean': sum(map(math.sqrt, far.values())) / len(members)})
    named = [order.index(group) for group in groups]
    changes = [i for i in range(1, len(named)) if named[i] != named[i - 1]]
    ends = list(zip([0, *changes], [*changes, len(named)]))
    numbers = {block: i for i, block in enumerate(dict.fromkeys(blocks), 1)}
    return {
        'instructions': len(blocks), 'interval_length': length, 'intervals': len(vectors),
        'excluded_instructions': len(blocks) % length, 'unique_blocks': len(numbers),
        'clusters': len(order), 'phases': phases, 'phase_transitions': len(changes),
        'phase_sequence': [{'first_interval': a, 'end_interval': b, 'phase': named[a]} for a, b in ends[:512]],
        'bic_by_clusters': [{'clusters': k, 'bic': score} for k, score in enumerate(scores, 1)],
    }, [{numbers[block]: count for block, count in vector.items()} for vector in vectors], points


def means(points, n):
    for i in range(n):
        part = points[i * len(points) // n:(i + 1) * len(points) // n]
        yield i * len(points) // n, [sum(x) / len(part) for x in zip(*part)]


def compare(tap, name, *words, **options):
    expected, vectors, points = model(*trace(name), **options)
    tiles = list(means(points, min(16, len(points))))
    for what, path in ('', name), (', counted', packed(name)):
        found = stats(path, 'phases', *words)
        tap.same(name.split('/')[-1] + what, found, expected)
        wrong = [(i, j) for k, (i, one) in enumerate(tiles) for m, (j, two) in enumerate(tiles)
                 for row in [found['phase_similarity_matrix'][k * len(tiles) + m]]
                 if (row['first_interval'], row['other_first_interval']) != (i, j) or
                 abs(row['euclidean_distance'] - math.sqrt(distance(one, two))) > 0.0001]
        tap.ok(f'{name.split("/")[-1]}{what}: similarity', not wrong, wrong[:5])
    return expected, vectors


def files(tap, name, expected, vectors, *words):
    """The files of SimPoint, of a trace and of the same one packed."""
    for path in name, packed(name):
        files_of(tap, path, expected, vectors, *words)


def files_of(tap, name, expected, vectors, *words):
    with tempfile.TemporaryDirectory() as directory:
        paths = [os.path.join(directory, word) for word in ('bb', 'simpoints', 'weights')]
        run('stats', '--force', '--bbv', paths[0], '--simpoints', paths[1], '--weights', paths[2], *words,
            os.path.join(DATA, name))
        lines = open(paths[0]).read().splitlines()
        read = [{int(pair.split(':')[0]): int(pair.split(':')[1])
                 for pair in line[2:].split(' :')} for line in lines if line[:2] == 'T:']
        tap.ok(f'{name}: vectors', read == vectors)
        points = [tuple(map(int, line.split())) for line in open(paths[1])]
        tap.ok(f'{name}: simpoints', points == [(phase['representative_interval'], phase['phase'])
                                               for phase in expected['phases']], points)
        weights = [line.split() for line in open(paths[2])]
        tap.ok(f'{name}: weights', [[f"{phase['intervals'] / expected['intervals']:.8f}",
                                     str(phase['phase'])] for phase in expected['phases']] ==
               weights, weights)


def planted(path):
    """Three loops of many blocks, in the order of `order`, ten intervals of 1000 each."""
    chance = random.Random(5)
    loops = []
    for base in (0x1000, 0x20000, 0x400000):
        loops.append([(base + 64 * i, chance.randrange(2, 9)) for i in range(chance.randrange(5, 20))])
    order = [0, 1, 0, 2, 1, 2, 0]
    with open(path, 'w') as out:
        print(json.dumps({'polytrace': 'trace', 'version': 1, 'records': ['row'],
                          'columns': ['kind', 'record', 'pc', 'opcode_size', 'branch']}), file=out)
        for which in order:
            left = 10000
            while left:
                at, size = chance.choice(loops[which])
                for i in range(min(size, left)):
                    row = {'kind': 'instruction', 'record': 'row', 'pc': hex(at + 4 * i),
                           'opcode_size': 4}
                    if i == size - 1:
                        row['branch'] = 'taken'
                    print(json.dumps(row), file=out)
                left -= min(size, left)
    return order


tap = Tap()
for word in some('tt6/isamix.tt6', 'pthr/thread_001.tt6', 'cis501/sort_1k.trace', 'full/sort.full.gz', micro_loop):
    compare(tap, word)
WORDS = ('-O', 'phases.interval=300', '-O', 'phases.max=4', '-O', 'phases.seeds=2')
files(tap, 'pthr/thread_001.tt6',
      *compare(tap, 'pthr/thread_001.tt6', *WORDS, length=300, most=4, seeds=2), *WORDS)
with tempfile.TemporaryDirectory() as directory:
    name = os.path.join(directory, 'planted.jsonl')
    order = planted(name)
    # 70000 instructions: intervals of 200 by the doubling of shorter ones.
    words = '-O', 'phases.seeds=2', '-O', 'phases.max=5'
    files(tap, name, *compare(tap, name, *words, most=5, seeds=2), *words)
    found = stats(name, 'phases', '-O', 'phases.interval=1000')
    tap.same('planted_phases_are_found', found, {'clusters': 3, 'phase_sequence': [
        {'first_interval': 10 * i, 'end_interval': 10 * i + 10, 'phase': phase} for i, phase in enumerate(order)]})
    # Every third instruction has no address: it counts, but in no block.
    name, vectors = os.path.join(directory, 'unplaced.jsonl'), os.path.join(directory, 'vectors')
    with open(name, 'w') as out:
        print('{"polytrace":"trace","version":1,"columns":["kind","pc","opcode_size"]}', file=out)
        for _ in range(20):
            for place in '"pc":"0x1000","opcode_size":4,', '"pc":"0x1004","opcode_size":4,', '':
                print('{' + place + '"kind":"instruction"}', file=out)
    for path in name, packed(name):
        run('stats', '--force', '--bbv', vectors, '-O', 'phases.interval=30', path)
        lines = open(vectors).read()
        tap.ok('instructions_without_addresses_are_in_no_block', lines == 'T:1:20 \nT:1:20 \n', lines)
sys.exit(tap.end())
