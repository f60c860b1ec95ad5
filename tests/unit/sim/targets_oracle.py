#!/usr/bin/env python3
"""Holds the predictors of targets against tests/models/targets.py, answer by answer, as TAP.

    targets_oracle.py TARGETS_LISTING
"""
import os
import random
import subprocess
import sys

ROOT = os.environ['POLYTRACE_ROOT']
sys.path.insert(0, os.path.join(ROOT, 'tests', 'models'))
import targets
sys.path.insert(0, os.path.join(ROOT, 'tests'))
from sampling import some  # noqa: E402


def listing(words, records):
    lines = ''.join(' '.join(f'{value:x}' for value in record) + '\n' for record in records)
    return subprocess.run([sys.argv[1], *map(str, words)], input=lines, text=True,
                          capture_output=True, check=True).stdout.split()


def sample():
    """The branches of a real trace: pc, target, taken, indirect, call, return, fall-through."""
    with open(os.path.join(ROOT, 'tests', 'data', 'cis501', 'sort_1k.trace')) as trace:
        for fields in map(str.split, trace):
            if fields[6] != '-':
                yield (int(fields[1], 16), int(fields[11], 16), int(fields[6] == 'T'),
                       int(fields[13] == 'JMP_REG'), fields[12], int(fields[10], 16))


def made(n, seed):
    """Branches of some sites; an indirect one goes by what was taken before it, or by chance."""
    draw, past = random.Random(seed), [0] * 9
    sites = [(draw.randrange(2 ** draw.choice([5, 9, 48, 64])), draw.randrange(4)) for _ in range(80)]
    for i in range(n):
        pc, way = sites[(i if draw.random() < 0.8 else draw.randrange(80)) % 80]
        choice = [past[-1], past[-1] * 4 + past[-2] * 2 + past[-7], draw.randrange(6), 0][way]
        taken = int(way > 1 or draw.random() < 0.6)
        past = past[1:] + [taken]
        yield pc, pc + 16 * choice - 32 & 2 ** 64 - 1, taken, int(way != 3)


def differences(ours, theirs, words):
    faults = [f'{words}: record {i}: {our}, expected {their}'
              for i, (our, their) in enumerate(zip(ours, theirs)) if our != their]
    return faults[:3] + ([] if len(ours) == len(theirs) else [f'{len(ours)} of {len(theirs)}'])


def buffers_find_what_the_model_finds():
    draw = random.Random(5)
    for stream in [record[:4] for record in sample()], list(made(8000, 1)):
        records = [(*record[:3], int(draw.random() < 0.7)) for record in stream]
        for words in some([(1, 1, 0, 0), (16, 1, 0, 0), (7, 3, 0, 1), (32, 1, 0, 1), (64, 2, 3, 0), (4, 8, 1, 2)]):
            c = dict(zip(('sets', 'ways', 'tag', 'shift'), words))
            expected = ['-' if to is None else f'{to:x}' for to in targets.buffer(c, records)]
            yield from differences(listing(['btb', *words], records), expected, words)


def stacks_predict_what_the_model_predicts():
    draw = random.Random(6)
    deep = [(draw.choice([0, 1, 1, 2, 2]), draw.randrange(3), 0, 0) for _ in range(6000)]
    real = [({'CALL': 1, 'RET': 2}.get(name, 0), fall if name == 'CALL' else target, 0, 0)
            for _, target, _, _, name, fall in sample()]
    assert any(kind == 2 for kind, *_ in real)
    for records in deep, real:
        for room in some([1, 2, 5, 64]):
            expected = [str(int(right)) for right in
                        targets.stack(room, [record[:2] for record in records])]
            yield from differences(listing(['ras', room], records), expected, room)


def indirect_predictors_find_what_the_model_finds():
    for records in [record[:4] for record in sample()], list(made(8000, 2)):
        for words in some([(0, 4, 4, 6, 1, 3, 8, 20), (2, 0, 1, 2, 2), (1, 6, 6, 9, 4, 11, 30, 90, 700),
                           (0, 3, 0, 0)]):
            shift, base, entries, tag, *lengths = words
            c = dict(shift=shift, base=base, entries=entries, tag=tag, lengths=lengths)
            expected = [f'{to:x}' for to in targets.Ittage(c).run(records)]
            yield from differences(listing(['ittage', *words], records), expected, words)


TESTS = [buffers_find_what_the_model_finds, stacks_predict_what_the_model_predicts,
         indirect_predictors_find_what_the_model_finds]
print(f'1..{len(TESTS)}')
for number, test in enumerate(TESTS, 1):
    faults = list(test())
    print('\n'.join('# ' + fault for fault in faults[:20]))
    print(f'{"not " if faults else ""}ok {number} - {test.__name__}')
