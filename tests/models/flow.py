#!/usr/bin/env python3
"""Control flow from instruction to instruction, computed from the rows, as TAP."""
import collections
import os
import sys
import tempfile

from branching import facts_of, fall_through
from model import Tap, public, some, stats, trace

SYSTEM = {'svc', 'dmb', 'smc', 'mrc', 'mcr', 'mrs', 'msr', 'cps'}


def expected_of(row):
    """The next address that the record of an instruction states; None: it states none."""
    if 'next_pc' in row:
        return row['next_pc']
    if row.get('branch') == 'taken':
        return row.get('target')
    return fall_through(row) if 'branch' in row else None


def follow(rows):
    has_targets = any('branch' in row or 'next_pc' in row for row in rows)
    counts, reasons, runs = collections.Counter(), collections.Counter(), []
    last, goal, kinds = None, None, set()
    for row in rows:
        if row['kind'] != 'instruction' or row.get('synthetic'):
            kinds.add('synthetic' if row.get('synthetic') else row['kind'])
            continue
        if row.get('uop_index', 1) > 1 and last:
            goal = expected_of(row) if 'branch' in row else goal
            continue
        if last is None:
            runs.append(1)
        elif row['pc'] == fall_through(last) and goal in (None, row['pc']):
            counts['sequential'] += 1
            runs[-1] += 1
        else:
            runs.append(1)
            if goal == row['pc']:
                counts['branch_target'] += 1
            elif not has_targets and facts_of(last) is not None:
                counts['assumed_branch_target'] += 1
            else:
                counts['control_flow_discontinuities'] += 1
                reasons[reason(last, row, goal, kinds)] += 1
        last, goal, kinds = row, expected_of(row), set()
    names = ('sequential', 'branch_target', 'assumed_branch_target', 'control_flow_discontinuities')
    return dict({name: counts[name] for name in names}, sequential_runs=len(runs),
                discontinuity_ratio=counts[names[-1]] / sum(counts.values()),
                sequential_run_length_max=max(runs), sequential_run_length_mean=sum(runs) / len(runs),
                discontinuity_reasons=dict(reasons),
                sequential_run_lengths={1 << k: n for k, n in collections.Counter(
                    run.bit_length() - 1 for run in runs).items()})


def reason(last, row, goal, kinds):
    for kind, name in (('synthetic', 'synthetic'), ('event', 'event'), ('other', 'gap'),
                       ('sync', 'sync')):
        if kind in kinds:
            return name
    if last.get('mode') != row.get('mode'):
        return 'mode'
    if 'text' in last and last['text'].split()[0] in SYSTEM:
        return 'system'
    if last['pc'] == row['pc']:
        return 'repeat'
    return 'none' if goal is None else 'branch'


tap = Tap()
for name in some('tt6/isamix.tt6', 'tt6/isamix.tt6e', 'pthr/thread_001.tt6', 'full/sort.full.gz',
                 'qemu4v/arm_start_2k.q4v', 'cis501/thumb.trace', 'cis501/sort_1k.trace',
                 'cis501/seed15.trace', public('cis501/gcc-1K.trace')):
    _, rows = trace(name)
    found = stats(name, 'flow')
    found['discontinuity_reasons'] = {row['reason']: row['count'] for row in found['discontinuity_reasons']}
    found['sequential_run_lengths'] = {
        row['sequential_run_length']: row['count'] for row in found['sequential_run_lengths']}
    tap.same(name.split('/')[-1], found, follow(rows))
# All reasons of discontinuities, two interleaved threads, a repetition.
ROWS = (
    ('1', 0x100, '"kind":"instruction"'), ('2', 0x900, '"kind":"instruction"'),
    ('1', 0x104, '"kind":"instruction"'), ('1', 0x200, '"kind":"instruction"'),
    ('1', None, '"kind":"event"'), ('1', 0x300, '"kind":"instruction"'),
    ('1', None, '"kind":"other"'), ('1', 0x400, '"kind":"instruction"'),
    ('1', None, '"kind":"sync"'), ('1', 0x500, '"kind":"instruction"'),
    ('1', 0x600, '"kind":"instruction","synthetic":true'),
    ('1', 0x700, '"kind":"instruction"'), ('1', 0x700, '"kind":"instruction"'),
    ('2', 0x904, '"kind":"instruction","branch":"taken","target":"0xa00"'),
    ('2', 0xb00, '"kind":"instruction","branch":"taken","target":"0xc00"'),
    ('2', 0xc00, '"kind":"instruction","branch":"not_taken","target":"0xc00"'),
    ('2', 0xc04, '"kind":"instruction","mode":"user"'),
    ('2', 0x100, '"kind":"instruction","mode":"system"'))
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, 'hand.jsonl')
    with open(path, 'w') as file:
        file.write('{"polytrace":"trace","version":1,"format":"hand"}\n')
        for thread, pc, rest in ROWS:
            place = f'"pc":"{pc:#x}","opcode_size":4,' if pc else ''
            file.write(f'{{{rest},"thread":{thread},{place}"text":""}}\n'.replace(',"text":""', ''))
    found = stats(path, 'flow')
tap.same('reasons_of_discontinuities', found, {
    'transitions': 12, 'sequential': 3, 'branch_target': 1, 'assumed_branch_target': 0,
    'control_flow_discontinuities': 8, 'discontinuity_ratio': 8 / 12, 'transitions_after_unknown_size': 0,
    'sequential_runs': 11, 'sequential_run_length_max': 2})
tap.ok('each_reason_is_reported', {row['reason']: row['count'] for row in found['discontinuity_reasons']} == dict(
    none=1, event=1, gap=1, sync=1, synthetic=1, repeat=1, branch=1, mode=1), str(found['discontinuity_reasons']))

# A MIPS loop of three iterations: at its end a likely branch annuls its delay slot, others do not, so a missing
# slot is a discontinuity.
LOOP = (0x1000, 0x24420001, 'addiu v0,v0,1')
REST = (0x1008, 0, 'nop'), (0x100c, 0, 'nop'), (0x1010, 0, 'nop')
for opcode, text, skipped, discontinuities in ((0x1440fffe, 'bne v0,zero,0x1000', 0, 0), (0x1440fffe, 'bne v0,zero,0x1000', 1, 1),
                                       (0x5440fffe, 'bnel v0,zero,0x1000', 1, 0), (0x5440fffe, 'bnel v0,zero,0x1000', 2, 1)):
    steps = 2 * [LOOP, (0x1004, opcode, text), REST[0]] + [LOOP, (0x1004, opcode, text), *REST[skipped:]]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'loop.jsonl')
        with open(path, 'w') as file:
            file.write('{"polytrace":"trace","version":1,"format":"text","isa":"mips","columns":'
                       '["kind","pc","opcode","opcode_size","text"]}\n')
            file.writelines(f'{{"kind":"instruction","pc":"{pc:#x}","opcode":"{code:#x}","opcode_size":4,'
                            f'"text":"{words}"}}\n' for pc, code, words in steps)
        found = stats(path, 'flow')
    tap.ok(f'{text}, {skipped} skipped at its end',
           (found['assumed_branch_target'], found['control_flow_discontinuities'], found['sequential']) == (2, discontinuities, len(steps) - 3 - discontinuities), str(found))
sys.exit(tap.end())
