#!/usr/bin/env python3
"""Compares caches of all sizes with lists, and with single caches, as TAP: check_mrc.py DRIVE"""
from collections import Counter

from streams import drive, first_difference, local, report, some, uniform, default_streams

STREAMS = default_streams()
LINE = 64


def distances(lines):
    """A list, newest first: distances of all uses, None for first ones."""
    stack = []
    for line in lines:
        if line in stack:
            yield stack.index(line)
            stack.remove(line)
        else:
            yield None
        stack.insert(0, line)


def lines_of(stream):
    return [address // LINE for _, address, _, _ in stream]


def distance_faults():
    for number, stream in some(enumerate(STREAMS)):
        counts = Counter(distances(lines_of(stream)))
        first = counts.pop(None)
        expected = [f'first {first}'] + [f'{d} {n}' for d, n in sorted(counts.items())]
        size = 1
        while size < 2 * first + 2:
            misses = first + sum(n for d, n in counts.items() if d >= size)
            expected.append(f'size {size} {misses}')
            size *= 2
        fault = first_difference(drive('distance', stream), expected)
        if fault:
            yield f'stream {number}: {fault}'


def associativity_faults():
    for number, stream in some(enumerate(STREAMS)):
        expected = []
        for bits in range(2, 9):
            sets = {}
            for line in lines_of(stream):
                sets.setdefault(line % 2 ** bits, []).append(line)
            found = Counter(d for lines in sets.values() for d in distances(lines))
            for ways in range(1, 17):
                misses = sum(n for d, n in found.items() if d is None or d >= ways)
                expected.append(f'{bits} {ways} {misses}')
        fault = first_difference(drive('associativity', stream, least=2, most=8), expected)
        if fault:
            yield f'stream {number}: {fault}'


def misses_of_cache(stream, sets, ways):
    counts = drive('cache', stream, sets=sets, ways=ways)[-1].split()
    return sum(int(counts[i]) for i in (2, 5, 8))


def single_faults():
    for stream in some(STREAMS):
        for line in drive('distance', stream):
            if line.startswith('size'):
                _, size, misses = line.split()
                if misses_of_cache(stream, 1, size) != int(misses):
                    yield f'one set of {size} ways: not {misses} misses'
        for line in drive('associativity', stream, least=4, most=5):
            bits, ways, misses = map(int, line.split())
            if misses_of_cache(stream, 2 ** bits, ways) != misses:
                yield f'2^{bits} sets of {ways} ways: not {misses} misses'


def mixed(line):
    """The finalizer of SplitMix64."""
    mask = 2 ** 64 - 1
    line = (line ^ line >> 30) * 0xbf58476d1ce4e5b9 & mask
    line = (line ^ line >> 27) * 0x94d049bb133111eb & mask
    return line ^ line >> 31


def shards_faults():
    for number, stream in some(enumerate(STREAMS)):
        for k in 3, 5:
            lines = lines_of(stream)
            samples = [[line for line in lines if mixed(line) % 2 ** k == s] for s in range(8)]
            found = [list(distances(sample)) for sample in samples]
            expected, size = [f'sampled {sum(map(len, samples))}'], 1
            while size < 5000:
                ratios = [sum(d is None or d * 2 ** k >= size for d in one) * 2 ** k / len(lines)
                          for one in found]
                expected.append(f'{size} {sum(ratios) / 8:.9f} {min(ratios):.9f} '
                                f'{max(ratios):.9f}')
                size = size * 3 // 2 + 1
            fault = first_difference(drive('shards', stream, k=k), expected)
            if fault:
                yield f'stream {number}, k={k}: {fault}'


def spread_faults():
    """The true ratio is between the minimum and the maximum, if samples resolve the size."""
    for number, stream in some(enumerate([uniform(5, 20000, 1 << 18), local(6, 20000)])):
        true = {int(line.split()[1]): int(line.split()[2]) / len(stream)
                for line in drive('distance', stream) if line.startswith('size')}
        for line in drive('shards', stream, k=3)[1:]:
            size, _, least, most = map(float, line.split())
            if size >= 32 and int(size) in true and not least - 1e-9 <= true[int(size)] <= most + 1e-9:
                yield f'stream {number}, {size} lines: {true[int(size)]} not in {least}..{most}'


report([('stack_distances_agree_with_a_list', distance_faults),
        ('all_associativities_agree_with_a_list_a_set', associativity_faults),
        ('all_sizes_agree_with_single_caches', single_faults),
        ('samples_agree_with_lists_of_the_same_lines', shards_faults),
        ('the_true_ratio_lies_within_the_spread_of_the_samples', spread_faults)])
