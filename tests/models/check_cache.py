#!/usr/bin/env python3
"""Compares the cache with a model, and with figures of the course, as TAP: check_cache.py DRIVE"""
import os

from cache import POLICIES, Cache
from streams import GCC, cis501, drive, first_difference, report, default_streams, some

STREAMS = default_streams()


def model(stream, **settings):
    cache = Cache(**{**settings, 'policy': POLICIES[settings['policy']]})
    for index, (kind, address, size, _) in enumerate(stream):
        cache.access(index, kind, address, size)
    return [f'miss {index}' for index in cache.misses] + [cache.summary()]


def faults(shapes, **settings):
    for sets, ways, line in shapes:
        now = dict(settings, sets=sets, ways=ways, line=line)
        for number, stream in some(enumerate(STREAMS)):
            expected = model(stream, **now)
            for by in 0, 1:
                fault = first_difference(drive('cache', stream, by=by, **now), expected)
                if fault:
                    yield f'stream {number}, {now}, by={by}: {fault}'


def policy(name):
    shapes = [(1, 1, 4), (4, 2, 16), (8, 8, 32), (64, 4, 64), (128, 2, 4), (512, 1, 4)]
    if name in ('lru', 'fifo', 'random'):
        shapes.append((1, 100, 32))
    if name != 'plru':
        shapes += [(2, 3, 64), (4, 12, 16)]
    shapes += [(1, 64, 64)]
    return lambda: faults(shapes, policy=POLICIES.index(name), seed=77)


def stores():
    for through, around in (0, 1), (1, 0), (1, 1):
        yield from faults([(4, 8, 32), (8, 2, 16), (1, 80, 64)], policy=0, through=through,
                          around=around)


def no_valid_bits():
    for name in ('lru', 'pointer'):
        yield from faults([(16, 4, 64), (2, 2, 4096), (1, 8, 65536)], valid=1,
                          policy=POLICIES.index(name))


# published results of CIS 501: data accesses of gcc-1K, lines of 64 bytes, 2^8 to 2^16 bytes.
ONE_WAY = {'misses': [132, 108, 80, 61, 52, 49, 46, 46, 46],
           'dirty': [43, 35, 24, 10, 4, 3, 2, 2, 2],
           'back': [11200, 9152, 6656, 4544, 3584, 3328, 3072, 3072, 3072],
           'through': [8880, 7344, 5552, 4336, 3760, 3568, 3376, 3376, 3376]}
TWO_WAYS = {'misses': [111, 90, 75, 52, 48, 46, 46, 46, 46], 'dirty': [40, 29, 20, 7, 1, 1, 1, 0, 0]}
LINES = {'misses': [115, 83, 62, 46, 39, 34, 31],
         'back': [920, 1328, 1984, 2944, 4992, 8704, 16384]}
FOUR_WAYS = {0: [53, 51, 47, 46], 6: [58, 51, 48, 46]}


def counted(stream, **settings):
    """Misses, dirty evictions, and bytes of the two kinds of traffic."""
    back = [int(n) for n in drive('cache', stream, **settings)[-1].split()[1:]]
    through = [int(n) for n in drive('cache', stream, through=1, **settings)[-1].split()[1:]]
    return {'misses': back[1] + back[4], 'dirty': back[11], 'back': back[12] + back[13],
            'through': through[12] + through[13]}


def course():
    if not os.path.exists(GCC):
        return 'the public trace is not beside the project'
    stream = [access for access in cis501(GCC) if access[0] != 'f']

    def compare():
        for ways, expected in (1, ONE_WAY), (2, TWO_WAYS):
            for size in range(9):
                got = counted(stream, sets=256 << size >> 6 >> (ways - 1), ways=ways, valid=1)
                for key, values in expected.items():
                    if got[key] != values[size]:
                        yield f'{ways} ways, 2^{8 + size}: {key} {got[key]}, not {values[size]}'
        for step in range(7):
            got = counted(stream, sets=32768 // (8 << step) // 2, ways=2, line=8 << step, valid=1)
            for key, values in LINES.items():
                if got[key] != values[step]:
                    yield f'lines of {8 << step}: {key} {got[key]}, not {values[step]}'
        for rule, values in FOUR_WAYS.items():
            for size, misses in enumerate(values):
                got = counted(stream, sets=4 << size, ways=4, policy=rule, valid=1)['misses']
                if got != misses:
                    yield f'policy {rule}, {1 << size} KB: {got} misses, not {misses}'
    return compare()


report([(f'{name}_agrees_with_the_model', policy(name)) for name in POLICIES] + [
    ('stores_go_below_as_in_the_model', stores),
    ('a_cache_without_valid_bits_agrees_with_the_model', no_valid_bits),
    ('the_course_cache_gives_the_published_figures', course)])
