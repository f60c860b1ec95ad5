#!/usr/bin/env python3
"""Compares levels of caches with a model, as TAP: check_hierarchy.py DRIVE"""
from hierarchy import Hierarchy, Level
from streams import drive, first_difference, local, report, samples, some, uniform


STREAMS = [uniform(11, 1500, 1 << 11), local(12, 3000), *samples()]


def faults(levels, instructions=None, inclusion=0):
    """What is wrong with a hierarchy, given as a dict of settings a level."""
    words = {'count': len(levels), 'inclusion': inclusion, 'split': int(bool(instructions))}
    for name, level in [(f'l{i}', level) for i, level in enumerate(levels)] + [
            ('i', instructions or {})]:
        words.update({f'{name}_{key}': value for key, value in level.items()})
    for number, stream in some(enumerate(STREAMS)):
        model = Hierarchy([Level(**level) for level in levels],
                          Level(**instructions) if instructions else None, inclusion)
        for kind, address, size, _ in stream:
            model.access(kind, address, size * 4 + 1024 * 'rwf'.index(kind))
        fault = first_difference(drive('hierarchy', stream, **words), model.summary())
        if fault:
            yield f'stream {number}, {words}: {fault}'


SMALL, LARGE = {'sets': 4, 'ways': 2}, {'sets': 8, 'ways': 4, 'latency': 10}
HUGE = {'sets': 16, 'ways': 8, 'latency': 30}


def levels():
    yield from faults([SMALL])
    for inclusion in 0, 1, 2:
        yield from faults([SMALL, LARGE], None, inclusion)
        yield from faults([SMALL, LARGE, HUGE], None, inclusion)
        yield from faults([SMALL, LARGE], {'sets': 2, 'ways': 4}, inclusion)


def stores():
    for through, around in (0, 1), (1, 0), (1, 1):
        kept = {'through': through, 'around': around}
        for inclusion in 0, 1:
            yield from faults([{**SMALL, **kept}, LARGE], None, inclusion)
            yield from faults([{**SMALL, **kept}, {**LARGE, **kept}, HUGE], SMALL, inclusion)
            yield from faults([SMALL, {**LARGE, **kept}], None, inclusion)


def longer_lines():
    yield from faults([SMALL, {**LARGE, 'line': 64}, {**HUGE, 'line': 128}])
    yield from faults([{**SMALL, 'through': 1}, {**LARGE, 'line': 128}], {**SMALL, 'line': 16})


def victims():
    for inclusion in 0, 1, 2:
        yield from faults([{**SMALL, 'victims': 3}, LARGE], None, inclusion)
        yield from faults([{**SMALL, 'victims': 100}], {**SMALL, 'victims': 1}, inclusion)
    yield from faults([{**SMALL, 'victims': 2}, {**LARGE, 'victims': 2}], None, 1)
    # Victims of a level that writes through are clean.
    for inclusion in 0, 1:
        yield from faults([SMALL, {**LARGE, 'ways': 1, 'victims': 3, 'through': 1}], None, inclusion)


def prefetchers():
    for kind in 1, 2, 3:
        for degree in 1, 4:
            wants = {'prefetch': kind, 'degree': degree}
            yield from faults([{**SMALL, **wants}])
            for inclusion in 0, 1, 2:
                yield from faults([{**SMALL, **wants}, {**LARGE, **wants}], None, inclusion)
                yield from faults([{**SMALL, 'victims': 2, **wants}, LARGE],
                                  {**SMALL, 'prefetch': 1}, inclusion)


def prefetched_throughout():
    """All lines of a cache were brought by its prefetcher."""
    for ways in 1, 2:
        for inclusion in 0, 1, 2:
            one = {'sets': 1, 'ways': ways, 'prefetch': 1, 'degree': 8}
            yield from faults([one], {**one, 'victims': 1}, inclusion)
            yield from faults([{**one, 'victims': 1}, {**SMALL, 'prefetch': 3}], None, inclusion)


report([('levels_agree_with_the_model', levels), ('stores_agree_with_the_model', stores),
        ('longer_lines_below_agree_with_the_model', longer_lines),
        ('victim_caches_agree_with_the_model', victims),
        ('prefetchers_agree_with_the_model', prefetchers),
        ('caches_full_of_what_was_prefetched_agree_with_the_model', prefetched_throughout)])
