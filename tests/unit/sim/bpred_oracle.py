#!/usr/bin/env python3
"""Holds every branch predictor against tests/models/bpred.py, prediction by prediction, as TAP.

    bpred_oracle.py BPRED_LISTING
"""
import gzip
import json
import os
import random
import subprocess
import sys

ROOT = os.environ['POLYTRACE_ROOT']
sys.path.insert(0, os.path.join(ROOT, 'tests', 'models'))
import bpred
sys.path.insert(0, os.path.join(ROOT, 'tests'))
from sampling import some  # noqa: E402

NUMBERS = ('shift', 'entries', 'history', 'local', 'bimodal', 'chooser', 'initial', 'mask_first',
           'tables', 'tagged', 'tag', 'period', 'seed')
ORDINARY = dict(shift=0, entries=6, history=6, local=4, bimodal=4, chooser=4, initial=0,
                mask_first=0, tables=4, tagged=5, tag=7, period=9, seed=1,
                lengths=[3, 8, 17, 40])
PAPER = dict(tables=7, tagged=6, tag=9, lengths=[5, 9, 15, 25, 44, 76, 130], period=10, seed=7)


def sample(name):
    return os.path.join(ROOT, 'tests', 'data', name)


def cis501(name):
    """The conditional branches of a CIS 501 trace: T or N, and reads the flags."""
    with open(sample(name)) as trace:
        for line in trace:
            fields = line.split()
            if fields[6] != '-' and fields[5] == 'R':
                yield int(fields[1], 16), int(fields[11], 16), fields[6] == 'T'


def tt6(name):
    """Records with a next address that are bc: conditional with a displacement."""
    with gzip.open(sample(name), 'rt') as trace:
        for record in map(json.loads, trace):
            pc, opcode = int(record.get('pc', '0'), 16), int(record.get('op', '0'), 16)
            if 'next' in record and opcode >> 26 == 16:
                displacement = (opcode & 0xfffc ^ 0x8000) - 0x8000
                target = (displacement + (0 if opcode & 2 else pc)) & 0xffffffff
                yield pc, target, int(record['next'], 16) != pc + 4


def noise(n, seed):
    """Branches of loops, of their neighbours' outcomes, and of chance, near and far apart."""
    draw, past = random.Random(seed), [False] * 40
    sites = [(draw.randrange(2 ** draw.choice([6, 12, 40, 64])), draw.randrange(5), draw.randrange(2, 40))
             for _ in range(60)]
    at = 0
    for i in range(n):
        at = (at + 1) % len(sites) if draw.random() < 0.9 else draw.randrange(len(sites))
        pc, way, k = sites[at]
        taken = [i // 60 % k != 0, past[-k], past[-k] != past[-1], draw.random() < k / 40,
                 draw.random() < 0.95][way]
        past = past[1:] + [taken]
        yield pc, pc + draw.choice([-4, 0, 4, 100]) & 2 ** 64 - 1, taken


def turns(n, seed):
    """A branch that keeps its outcome until its bias saturates, then changes it; more random branches
    between its executions than any history has."""
    draw = random.Random(seed)
    for i in range(n):
        own = i % 64 == 0
        yield 64 + own, 0, i // (64 * 340) % 2 == 0 if own else draw.random() < 0.5


def configurations():
    for kind in ('taken', 'not-taken', 'btfn'):
        yield dict(kind=kind)
    for entries, shift, initial in (0, 0, 0), (3, 2, 1), (6, 1, 2), (10, 0, 3):
        yield dict(kind='bimodal', entries=entries, shift=shift, initial=initial)
    for entries, history, first in ((4, 3, 0), (4, 4, 0), (8, 8, 0), (6, 0, 0), (5, 12, 0),
                                    (5, 12, 1), (10, 64, 0), (12, 40, 0), (8, 3, 1)):
        yield dict(kind='gshare', entries=entries, history=history, mask_first=first)
    for history in 0, 1, 5, 14:
        yield dict(kind='gag', history=history)
    for kind in 'pag', 'pap':
        for local, history, initial in (0, 4, 0), (4, 6, 1), (7, 0, 2), (5, 9, 0):
            yield dict(kind=kind, local=local, history=history, initial=initial, shift=2)
    for entries, history, bimodal, chooser, first in ((4, 4, 3, 3, 0), (6, 12, 0, 5, 0),
                                                      (6, 12, 7, 0, 1), (9, 5, 8, 8, 0)):
        yield dict(kind='tournament', entries=entries, history=history, bimodal=bimodal,
                   chooser=chooser, mask_first=first)
    for entries, history in (0, 0), (3, 7), (5, 16), (4, 33), (6, 61):
        yield dict(kind='perceptron', entries=entries, history=history)
    yield dict(kind='tage')
    yield dict(kind='tage', **PAPER)
    yield dict(kind='tage', tables=1, lengths=[1], tagged=1, tag=2, period=3, initial=2)
    yield dict(kind='tage', tables=15, lengths=[*range(2, 16), 300], tagged=3, tag=15, period=7,
               seed=0xffffffff, shift=2)


def related():
    """Sizes that a sweep takes together: with gaps, begun otherwise, with shorter histories."""
    for entries in (*range(12), 14, 19):
        yield dict(kind='bimodal', entries=entries)
        yield dict(kind='gshare', entries=entries, history=entries, mask_first=entries % 2)
    for entries in range(9, 3, -1):
        yield dict(kind='gshare', entries=entries, history=4, initial=2)
    for initial in 1, 3:
        for entries in 13, 9, 8, 11:
            yield dict(kind='bimodal', entries=entries, initial=initial)


def argument(c):
    return f'{c["kind"]}:' + ' '.join(str(c[name]) for name in NUMBERS) + ' ' + \
        ' '.join(map(str, c['lengths']))


def listing(configs, branches):
    lines = ''.join(f'{pc:x} {target:x} {taken:d}\n' for pc, target, taken in branches)
    run = subprocess.run([sys.argv[1], *map(argument, configs)], input=lines, text=True,
                         capture_output=True, check=True)
    return run.stdout.splitlines()


def sweep_faults(branches, configs, models):
    """That a sweep counts otherwise than models predict."""
    outcomes = ''.join('01'[taken] for _, _, taken in branches)
    expected = ' '.join(str(sum(a != b for a, b in zip(model, outcomes))) for model in models)
    found = listing(configs, branches)[-1]
    if found != expected:
        yield f'sweep of {len(configs)}: {found}, expected {expected}'


def faults(branches, kinds):
    """Where a predictor and its model differ first; that a sweep counts otherwise."""
    configs = [{**ORDINARY, **c} for c in configurations() if c['kind'] in kinds]
    if not configs:
        return
    models = [bpred.predictions(c, branches) for c in configs]
    for c, ours, theirs in zip(configs, listing(configs, branches), models):
        if ours != theirs:
            at = next(i for i, pair in enumerate(zip(ours, theirs)) if pair[0] != pair[1])
            yield f'{argument(c)}: branch {at} of {len(branches)}: {ours[at]}, expected {theirs[at]}'
    swept = [i for i, c in enumerate(configs) if c['kind'] in ('bimodal', 'gshare')]
    swept = [i for i in swept if configs[i]['shift'] == 0]
    for few in (swept, swept[:1]) if swept else ():
        yield from sweep_faults(branches, [configs[i] for i in few], [models[i] for i in few])
    if swept:
        configs = [{**ORDINARY, **c} for c in related()]
        yield from sweep_faults(branches, configs, [bpred.predictions(c, branches) for c in configs])


KINDS = {c['kind'] for c in configurations()}
STREAMS = [('a_sort_program_of_cis501', lambda: cis501('cis501/sort_1k.trace')),
           ('a_sort_program_of_powerpc', lambda: tt6('tt6/sort.tt6e.jsonl.gz')),
           ('a_thread_of_powerpc', lambda: tt6('tt6/thread_002.tt6e.jsonl.gz')),
           ('made_branches', lambda: noise(12000, 1)), ('other_made_branches', lambda: noise(5000, 2)),
           ('branches_that_turn', lambda: turns(48000, 4), {'perceptron'}),
           ('a_single_branch', lambda: noise(1, 3))]
print(f'1..{len(STREAMS)}')
CHOSEN = {kind: some(name for name, _, *kinds in STREAMS if kind in (kinds or [KINDS])[0]) for kind in sorted(KINDS)}
for number, (name, stream, *kinds) in enumerate(STREAMS, 1):
    branches = list(stream())
    found = [] if branches else ['no branches']
    found += faults(branches, {kind for kind in KINDS if name in CHOSEN[kind]})
    print(f'# {len(branches)} branches')
    print('\n'.join('# ' + fault for fault in found[:20]))
    print(f'{"not " if found else ""}ok {number} - predictors_are_as_defined_over_{name}')
