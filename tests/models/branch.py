#!/usr/bin/env python3
"""Branch prediction, simulated again from the rows by the models of predictors, as TAP."""
import collections
import json
import os
import sys

import bpred
import targets
from branching import CALL, CONDITIONAL, INDIRECT, RETURN, aim, branches, fall_through, instructions
from model import DATA, Tap, run, some, trace

TAGE = dict(tables=7, tag=9, lengths=[5, 9, 15, 25, 44, 76, 130], period=18, seed=1)
COMMON = dict(shift=0, history=0, initial=0, mask_first=0, entries=0, local=0, bimodal=0,
              chooser=0, tagged=0, **TAGE)
PREDICTORS = {
    'taken': {}, 'not-taken': {}, 'btfn': {}, 'bimodal:12': dict(entries=12),
    'gshare:14:12': dict(entries=14, history=12), 'pag:10:10': dict(local=10, history=10),
    'tournament:12:12:13:13': dict(bimodal=12, chooser=12, entries=13, history=13),
    'perceptron:8:24': dict(entries=8, history=24), 'tage:12:9': dict(entries=12, tagged=9)}
OTHERS = {'gshare:4:9': dict(entries=4, history=9), 'gag:6': dict(history=6),
          'pap:2:4': dict(local=2, history=4), 'bimodal:3': dict(entries=3)}


def simulated(name, *settings):
    words = [word for setting in settings for word in ('-O', setting)]
    return json.loads(run('sim', 'branch', '--json', *words, os.path.join(DATA, name)))['branch']


def wrong(name, more, given):
    """The branches (pc, target, taken) that a predictor gets wrong, as a list of truth values."""
    config = {**COMMON, 'kind': name.split(':')[0], **more}
    predicted = bpred.predictions(config, given)
    return [(bit == '1') != taken for bit, (_, _, taken) in zip(predicted, given)]


def going(found):
    """What the BTB, the RAS and ITTAGE mispredict."""
    buffer = dict(sets=512, ways=4, tag=0, shift=0)
    goes = [(row['pc'], target, 1, 1) for row, _, taken, target in found if taken and target is not None]
    hits = targets.buffer(buffer, goes)
    stack = [(2, target) if RETURN in facts else (1, fall_through(row)) for row, facts, taken, target in found
             if taken and (RETURN in facts and target is not None or CALL in facts)]
    returns = targets.stack(16, stack)
    indirect = targets.Ittage(dict(shift=0, base=9, entries=8, tag=9, lengths=[4, 10, 24, 60, 140]))
    jumps = [(row['pc'], target or 0, int(taken), int(taken and target is not None and INDIRECT in facts
              and RETURN not in facts)) for row, facts, taken, target in found]
    predicted = indirect.run(jumps)
    return {'BTB': (len(goes), sum(hit != go[1] for hit, go in zip(hits, goes))),
            'RAS': (sum(kind == 2 for kind, _ in stack),
                             sum(kind == 2 and not right for (kind, _), right in zip(stack, returns))),
            'ITTAGE': (sum(jump[3] for jump in jumps),
                         sum(jump[3] and to != jump[1] for to, jump in zip(predicted, jumps)))}


def check(tap, name):
    _, rows = trace(name)
    found = branches(rows)
    heads = sum(row.get('uop_index', 1) == 1 for row in instructions(rows))
    some = [(row['pc'], aim(row) if aim(row) is not None else 2 ** 64 - 1, taken)
            for row, facts, taken, _ in found if CONDITIONAL in facts]
    every = [(row['pc'], aim(row) if aim(row) is not None else 2 ** 64 - 1, taken)
             for row, _, taken, _ in found]
    answer = simulated(name, 'top=1000')
    tap.same(f'branches_of_{name}_are_counted', answer,
             dict(instructions=heads, predicted_branches=len(some), taken_branches=sum(taken for _, _, taken in some)))
    table = {row['predictor']: row['mispredictions'] for row in answer['predictors']}
    expected = {key: sum(wrong(key, more, some)) for key, more in PREDICTORS.items()}
    tap.ok(f'predictors_of_{name}_are_those_of_the_model', table == expected, table, expected)
    rates = {row['predictor']: row['mpki'] for row in answer['predictors']}
    tap.ok(f'mispredictions_of_{name}_are_told_in_1000_instructions', all(
        abs(rates[key] - 1000 * table[key] / heads) <= 0.00051 for key in table), rates)
    by_pc = collections.Counter()
    for bad, (pc, _, _) in zip(wrong('tage:12:9', PREDICTORS['tage:12:9'], some), some):
        by_pc[pc] += bad
    sites = {int(row['pc'], 16): row['mispredictions'] for row in answer['most_mispredicted_branches']}
    tap.ok(f'sites_of_{name}_are_those_of_the_model', sites == {pc: n for pc, n in by_pc.items() if n})
    table = {row['predictor']: (row['branches'], row['mispredictions']) for row in answer['target_predictors']}
    tap.ok(f'targets_of_{name}_are_those_of_the_model', table == going(found), table, going(found))
    answer = simulated(name, 'branches=all', 'predictors=' + ','.join(OTHERS), 'pc-shift=1', 'init=1',
                       'gshare=mask-first', 'sweep=2..5')
    table = [row['mispredictions'] for row in answer['predictors']]
    settings = dict(shift=1, initial=1, mask_first=1)
    expected = [sum(wrong(key, {**more, **settings}, every)) for key, more in OTHERS.items()]
    tap.ok(f'settings_change_predictors_of_{name}', table == expected, table, expected)
    table = [row['mispredictions'] for row in answer['sweep']]
    expected = [sum(wrong(kind, dict(entries=log2, history=log2 if kind == 'gshare' else 0, **settings),
                          every)) for log2 in range(2, 6) for kind in ('bimodal', 'gshare')]
    tap.ok(f'a_sweep_of_{name}_is_that_of_the_model', table == expected, table, expected)


# Bits of the tables of the size-th predictor of a kind: counters of 2 bits, weights of 8 for 24 outcomes and a
# constant, and histories of one branch.
BITS = {'bimodal': lambda n: 2 * 2 ** n, 'gshare': lambda n: 2 * 2 ** n, 'gag': lambda n: 2 * 2 ** n,
        'pag': lambda n: (n + 2) * 2 ** n, 'tournament': lambda n: 2 * (2 ** n + 2 ** n + 2 ** (n + 1)),
        'perceptron': lambda n: 8 * 25 * 2 ** n}
SIZED = {'bimodal': '{0}', 'gshare': '{0}:{0}', 'gag': '{0}', 'pag': '{0}:{0}', 'tournament': '{0}:{0}:{1}:{1}',
         'perceptron': '{0}:24'}
FIELDS = {'bimodal': ['entries'], 'gshare': ['entries', 'history'], 'gag': ['history'], 'pag': ['local', 'history'],
          'tournament': ['bimodal', 'chooser', 'entries', 'history'], 'perceptron': ['entries', 'history'],
          'tage': ['entries', 'tagged']}


def budgets(tap, name):
    """The largest predictors that need no more bits, and what they and a sweep of histories get wrong."""
    _, rows = trace(name)
    some = [(row['pc'], target if target is not None else 2 ** 64 - 1, taken)
            for row, facts, taken, target in branches(rows) if CONDITIONAL in facts]
    answer = simulated(name, 'budget=7..11', 'sweep=3..5:0..6')
    names = {(row['budget'], row['kind']): row['predictor'] for row in answer['largest_predictors_per_storage_budget']}
    expected = {}
    for budget in (128, 256, 512, 1024, 2048):
        for kind, bits in BITS.items():
            fitting = [n for n in range(25) if bits(n) <= budget]
            if fitting:
                expected[budget, kind] = kind + ':' + SIZED[kind].format(max(fitting), max(fitting) + 1)
    found = {key: value for key, value in names.items() if key[1] != 'tage'}
    tap.ok(f'the_largest_predictors_of_a_budget_of_{name}', found == expected, found, expected)
    tage = {row['budget']: row['storage_bits'] for row in answer['largest_predictors_per_storage_budget'] if row['kind'] == 'tage'}
    twice = {row['budget']: row['predictor'] for row in answer['largest_predictors_per_storage_budget'] if row['kind'] == 'tage'}
    tap.ok(f'tage_is_within_its_budgets_of_{name}', tage and all(bits <= budget + 130 for budget, bits in tage.items())
           and len(set(twice.values())) > 1, tage)
    table = [row['mispredictions'] for row in answer['largest_predictors_per_storage_budget']]
    expected = [sum(wrong(row['kind'], dict(zip(FIELDS[row['kind']], map(int, row['predictor'].split(':')[1:]))), some))
                for row in answer['largest_predictors_per_storage_budget']]
    tap.ok(f'predictors_of_a_budget_of_{name}_are_those_of_the_model', table == expected, table, expected)
    table = [row['mispredictions'] for row in answer['sweep']]
    expected = []
    for log2 in range(3, 6):
        expected.append(sum(wrong('bimodal', dict(entries=log2), some)))
        expected += [sum(wrong('gshare', dict(entries=log2, history=history), some)) for history in range(7)]
    tap.ok(f'histories_of_{name}_are_swept', table == expected, table, expected)


def warm(tap, name):
    """What is not counted is learnt all the same."""
    _, rows = trace(name)
    given = [(row['pc'], target, taken, i >= 500) for i, row in enumerate(rows)
             for _, facts, taken, target in branches([row]) if CONDITIONAL in facts]
    answer = json.loads(run('sim', 'branch', '--json', '--warmup', '500', '-O', 'predictors=bimodal:4',
                            '-O', 'sweep=4', os.path.join(DATA, name)))['branch']
    bad = wrong('bimodal:4', dict(entries=4), [branch[:3] for branch in given])
    expected = sum(b for b, branch in zip(bad, given) if branch[3])
    tap.ok('a_warm_up_is_learnt_from_and_not_counted',
           [answer['predicted_branches'], answer['predictors'][0]['mispredictions'], answer['sweep'][0]['mispredictions']] ==
           [sum(branch[3] for branch in given), expected, expected], answer)


tap = Tap()
for sample in some('cis501/sort_1k.trace', 'tt6/thread_002.tt6e', 'qemu4v/arm_start_2k.q4v', 'cis501/thumb.trace',
                   'tt6/sort.tt6', 'full/sort.full.gz', 'tarmac/calls.tarmac'):
    check(tap, sample)
budgets(tap, 'cis501/sort_1k.trace')
warm(tap, 'cis501/sort_1k.trace')
sys.exit(tap.end())
