#!/usr/bin/env python3
"""Miss ratios of all sizes by lists of lines, as TAP."""
import bisect
import math
import sys

from model import Tap, context, stats
from uses import all_traces, distances, mpki, pieces, ratio, uses

PARTS = {'data': 'data', 'fetch': 'instructions'}


def missed(found, size):
    """Misses of a cache of size lines; found: sorted distances, infinite ones of first uses."""
    return len(found) - bisect.bisect_left(found, size)


def sorted_distances(lines):
    return sorted(math.inf if distance is None else distance for distance in distances(lines))


def exact(rows, line):
    found = {part: sorted_distances(address // line for _, address, _ in pieces(uses(rows, of), line))
             for part, of in PARTS.items()}
    sizes, lines = [], 1
    while True:
        result = {'size': lines * line}
        for part in PARTS:
            result[part + '_misses'] = missed(found[part], lines)
            result[part + '_miss_ratio'] = ratio(missed(found[part], lines), len(found[part]))
            result[part + '_mpki'] = mpki(rows, missed(found[part], lines))
        sizes.append(result)
        if all(missed(one, lines) == one.count(math.inf) for one in found.values()):
            break
        lines *= 2
    return {'line_size': line, 'data_accesses': len(found['data']), 'fetches': len(found['fetch']),
            'complete': True, 'fully_associative_caches': sizes}


def sets(rows, line):
    result = []
    lines = [address // line for _, address, _ in pieces(uses(rows, 'data'), line)]
    for count in (2 ** bits for bits in range(14)):
        of_sets = {}
        for number in lines:
            of_sets.setdefault(number % count, []).append(number)
        found = sorted(distance for one in of_sets.values() for distance in sorted_distances(one))
        for ways in range(1, 17):
            result.append({'sets': count, 'ways': ways, 'size': count * ways * line,
                         'misses': missed(found, ways),
                         'miss_ratio': ratio(missed(found, ways), len(lines)),
                         'mpki': mpki(rows, missed(found, ways))})
    return result


def mixed(line):
    """The finalizer of SplitMix64, by which lines are chosen."""
    mask = 2 ** 64 - 1
    line = (line ^ line >> 30) * 0xbf58476d1ce4e5b9 & mask
    line = (line ^ line >> 27) * 0x94d049bb133111eb & mask
    return line ^ line >> 31


def sampled(rows, line, k):
    """Samples of the lines, with scaled distances."""
    rate, found, counts = 2 ** k, {}, {}
    for part, of in PARTS.items():
        lines = [address // line for _, address, _ in pieces(uses(rows, of), line)]
        counts[part] = len(lines)
        found[part] = [list(distances(one for one in lines if mixed(one) % rate == sample))
                       for sample in range(8)]
    sizes, lines = [], 4 * rate
    while True:
        result, more = {'size': lines * line}, False
        for part in PARTS:
            ratios = [rate * sum(d is None or d * rate >= lines for d in one) /
                      max(counts[part], 1) for one in found[part]]
            result.update({part + '_miss_ratio': sum(ratios) / 8,
                         part + '_miss_ratio_min': min(ratios),
                         part + '_miss_ratio_max': max(ratios)})
            more |= any(d is not None and d * rate >= lines for one in found[part] for d in one)
        sizes.append(result)
        if not more:
            return {'fully_associative_caches': sizes}
        lines *= 2


def of_threads(rows, line):
    """The curves of each thread alone, threads in the order in which they first have a row."""
    result = []
    for who in dict.fromkeys(map(context, rows)):
        name = None if who is None else '%s %d' % who
        own = [row for row in rows if context(row) == who]
        for of in PARTS.values():
            found = sorted_distances(address // line for _, address, _ in pieces(uses(own, of), line))
            lines = 1
            while found:
                result.append({'context': name, 'kind': of, 'size': lines * line, 'accesses': len(found),
                             'misses': missed(found, lines),
                             'miss_ratio': ratio(missed(found, lines), len(found)),
                             'mpki': mpki(own, missed(found, lines)),
                             'curve': f'{name}, {of}' if name else of})
                if missed(found, lines) == found.count(math.inf):
                    break
                lines *= 2
    return result


def near(found, expected):
    """Whether two tables are the same but for the last digit of what is rounded."""
    return len(found) == len(expected) and all(
        a.keys() == b.keys() and all(math.isclose(a[key], b[key], rel_tol=1e-9, abs_tol=1e-12) for key in a)
        for a, b in zip(found, expected))


tap = Tap()
for name, rows in all_traces():
    short = name.split('/')[-1]
    tap.same(short, stats(name, 'mrc'), exact(rows, 64))
    tap.same(short + ', sets and ways', stats(
        name, 'mrc', '-O', 'mrc.line=32', '-O', 'mrc.sets=1'),
        {**exact(rows, 32), 'set_associative_data_caches': sets(rows, 32)})
    tap.same(short + ', threads', stats(name, 'mrc', '-O', 'mrc.line=32', '-O', 'mrc.threads=1'), {
        **exact(rows, 32), 'caches_per_context': of_threads(rows, 32)})
    got, wanted = stats(name, 'mrc', '-O', 'mrc.sample=3')['fully_associative_caches'], \
        sampled(rows, 64, 3)['fully_associative_caches']
    tap.ok(short + ', samples', near(got, wanted), f'found {got[:3]}, expected {wanted[:3]}')
none = stats('cis501/sort_1k.trace', 'mrc', '-O', 'mrc.sample=20')['fully_associative_caches']
tap.ok('nothing_is_told_where_no_line_is_in_a_sample', len(none) == 1 and
       none[0].pop('size') == 2 ** 22 * 64 and set(none[0].values()) == {None}, none)
sys.exit(tap.end())
