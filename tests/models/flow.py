#!/usr/bin/env python3
"""Flow from instruction to instruction, followed again from the rows, as TAP."""
import collections
import os
import sys
import tempfile

from branching import behind, facts_of
from model import Tap, public, stats, trace

SYSTEM = {'svc', 'dmb', 'smc', 'mrc', 'mcr', 'mrs', 'msr', 'cps'}


def expected_of(row):
    """Where its record says that an instruction goes; None: it does not say."""
    if 'next_pc' in row:
        return row['next_pc']
    if row.get('branch') == 'taken':
        return row.get('target')
    return behind(row) if 'branch' in row else None


def follow(rows):
    told = any('branch' in row or 'next_pc' in row for row in rows)
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
        elif row['pc'] == behind(last) and goal in (None, row['pc']):
            counts['sequential'] += 1
            runs[-1] += 1
        else:
            runs.append(1)
            if goal == row['pc']:
                counts['branched'] += 1
            elif not told and facts_of(last) is not None:
                counts['jumped'] += 1
            else:
                counts['broken'] += 1
                reasons[reason(last, row, goal, kinds)] += 1
        last, goal, kinds = row, expected_of(row), set()
    names = ('sequential', 'branched', 'jumped', 'broken')
    return dict({name: counts[name] for name in names}, runs=len(runs), longest_run=max(runs),
                mean_run=sum(runs) / len(runs),
                reasons=dict(reasons),
                run_lengths={1 << k: n for k, n in collections.Counter(
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
for name in ('tt6/isamix.tt6', 'tt6/isamix.tt6e', 'pthr/thread_001.tt6', 'full/sort.full.gz',
             'qemu4v/arm_start_2k.q4v', 'cis501/thumb.trace', 'cis501/sort_1k.trace',
             'cis501/seed15.trace', public('cis501/gcc-1K.trace')):
    if name:
        _, rows = trace(name)
        found = stats(name, 'flow')
        found['reasons'] = {row['reason']: row['count'] for row in found['reasons']}
        found['run_lengths'] = {row['from']: row['count'] for row in found['run_lengths']}
        tap.same(name.split('/')[-1], found, follow(rows))
# Worked by hand: every way to break, two threads that do not mix, a repetition.
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
tap.same('worked by hand', found, {
    'steps': 12, 'sequential': 3, 'branched': 1, 'jumped': 0, 'broken': 8, 'unknown': 0,
    'runs': 11, 'longest_run': 2})
tap.ok('reasons worked by hand', {row['reason']: row['count'] for row in found['reasons']} == dict(
    none=1, event=1, gap=1, sync=1, synthetic=1, repeat=1, branch=1, mode=1), str(found['reasons']))

# A MIPS loop that goes round three times and ends: the delay slot of a likely branch is left out then, that of
# another one is not, and without it flow is broken.
LOOP = (0x1000, 0x24420001, 'addiu v0,v0,1')
REST = (0x1008, 0, 'nop'), (0x100c, 0, 'nop'), (0x1010, 0, 'nop')
for opcode, text, left_out, broken in ((0x1440fffe, 'bne v0,zero,0x1000', 0, 0), (0x1440fffe, 'bne v0,zero,0x1000', 1, 1),
                                       (0x5440fffe, 'bnel v0,zero,0x1000', 1, 0), (0x5440fffe, 'bnel v0,zero,0x1000', 2, 1)):
    steps = 2 * [LOOP, (0x1004, opcode, text), REST[0]] + [LOOP, (0x1004, opcode, text), *REST[left_out:]]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'loop.jsonl')
        with open(path, 'w') as file:
            file.write('{"polytrace":"trace","version":1,"format":"text","isa":"mips","columns":'
                       '["kind","pc","opcode","opcode_size","text"]}\n')
            file.writelines(f'{{"kind":"instruction","pc":"{pc:#x}","opcode":"{code:#x}","opcode_size":4,'
                            f'"text":"{words}"}}\n' for pc, code, words in steps)
        found = stats(path, 'flow')
    tap.ok(f'{text}, {left_out} left out at its end',
           (found['jumped'], found['broken'], found['sequential']) == (2, broken, len(steps) - 3 - broken), str(found))
sys.exit(tap.end())
