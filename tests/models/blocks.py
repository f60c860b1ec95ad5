#!/usr/bin/env python3
"""Blocks and loops, computed from the rows, as TAP."""
import atexit
import collections
import json
import os
import sys
import tempfile

from branching import CALL, RETURN, facts_of, fall_through, instructions
from model import Tap, micro_loop, packed, public, some, stats, trace


def merge_micro(rows):
    """Instructions with the kinds of branch of all their micro-operations."""
    found = []
    for row in instructions(rows):
        facts = facts_of(row)
        if row.get('uop_index', 1) > 1 and found:
            if facts is not None:
                found[-1][1] = (found[-1][1] or set()) | facts
        else:
            found.append([row, facts])
    return found


class Loops:
    """The stack of open loops: from a backward branch until execution continues outside."""

    def __init__(self):
        self.open, self.level, self.closed = [], 0, []
        self.entries, self.iterations = collections.Counter(), collections.Counter()
        self.inside, self.depth = collections.Counter(), collections.Counter()
        self.longest, self.latch = collections.Counter(), {}

    def close(self):
        self.closed.append(self.open.pop()['trips'])

    def count(self):
        for loop in self.open:
            self.inside[loop['head']] += 1

    def step(self, last, facts, pc):
        taken = pc != fall_through(last)
        if taken and facts and RETURN in facts:
            self.level -= 1
            while self.open and self.open[-1]['level'] > self.level:
                self.close()
        elif taken and facts and CALL in facts:
            self.level += 1
        else:
            while self.open and self.open[-1]['level'] == self.level and not (
                    self.open[-1]['head'] <= pc <= self.open[-1]['latch']):
                self.close()
            if taken and facts is not None and pc <= last['pc']:
                self.back(last['pc'], pc)

    def back(self, latch, head):
        top = self.open[-1] if self.open else None
        if not top or top['level'] != self.level or top['head'] != head:
            self.open.append({'head': head, 'latch': latch, 'level': self.level, 'trips': 1})
            self.entries[head] += 1
            self.iterations[head] += 1
            self.depth[head] = max(self.depth[head], len(self.open))
        top = self.open[-1]
        top['trips'] += 1
        top['latch'] = max(top['latch'], latch)
        self.iterations[head] += 1
        self.latch[head] = max(self.latch.get(head, 0), top['latch'])
        self.longest[head] = max(self.longest[head], top['trips'])


def profile(rows):
    loops, blocks, sizes, size = Loops(), {}, collections.Counter(), 0
    last = facts = None
    for row, now in merge_micro(rows):
        leads = last is None or facts is not None or row['pc'] != fall_through(last)
        if leads:
            if last:
                sizes[min(size, 256)] += 1
                loops.step(last, facts, row['pc'])
            size, head = 0, (row['pc'], row.get('opcode'))
            blocks.setdefault(head, [0, 0])[0] += 1
        size += 1
        blocks[head][1] += 1
        loops.count()
        last, facts = row, now
    sizes[size] += 1
    trips = loops.closed + [loop['trips'] for loop in loops.open]
    return {
        'instructions': sum(block[1] for block in blocks.values()),
        'block_executions': sum(block[0] for block in blocks.values()), 'unique_blocks': len(blocks),
        'unique_loops': len(loops.entries), 'loop_entries': sum(loops.entries.values()),
        'loop_iterations': sum(loops.iterations.values()),
        'block_lengths': dict(sizes),
        'trip_counts': dict(collections.Counter(1 << trip.bit_length() - 1 for trip in trips)),
        'hottest_blocks': {pc: tuple(block) for (pc, _), block in blocks.items()},
        'hottest_loops': {head: (loops.latch[head], loops.entries[head], loops.iterations[head],
                         loops.longest[head], loops.depth[head], loops.inside[head])
                  for head in loops.entries}}


def found_in(name):
    found = stats(name, 'blocks', '-O', 'blocks.top=100000')
    found['block_lengths'] = {row['block_length']: row['count'] for row in found['block_lengths']}
    found['trip_counts'] = {row['trip_count']: row['count'] for row in found['trip_counts']}
    found['hottest_blocks'] = {int(row['pc'], 16): (row['executions'], row['instructions'])
                               for row in found['hottest_blocks']}
    found['hottest_loops'] = {int(row['head_pc'], 16): tuple(
        int(row[key], 16) if key == 'latch_pc' else row[key]
        for key in ('latch_pc', 'entries', 'iterations', 'trip_count_max', 'loop_depth', 'instructions'))
        for row in found['hottest_loops']}
    return found


def mips():
    """The name of a trace of a loop with a delay slot that ends with its tenth branch; after one more
    instruction the trace restarts at its first address."""
    loop = [(0x1000, 0x24420001, 'addiu v0,v0,1'), (0x1004, 0x1440fffe, 'bne v0,zero,0x1000'), (0x1008, 0, 'nop')]
    rows = 10 * loop + [(0x100c, 0, 'nop'), (0x1000, 0x24420001, 'addiu v0,v0,1')]
    lines = [{'polytrace': 'trace', 'version': 1, 'format': 'text', 'isa': 'mips', 'address_bits': 32,
              'columns': ['kind', 'pc', 'opcode', 'opcode_size', 'text']}]
    lines += [{'kind': 'instruction', 'pc': hex(pc), 'opcode': hex(opcode), 'opcode_size': 4, 'text': text}
              for pc, opcode, text in rows]
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    path = os.path.join(folder.name, 'mips.jsonl')
    with open(path, 'w', encoding='utf-8') as out:
        out.writelines(json.dumps(line) + '\n' for line in lines)
    return path


tap = Tap()
for name in some('tt6/isamix.tt6e', 'pthr/thread_001.tt6', 'pthr/thread_002.tt6', 'amber/memset_thread_001.tt6',
                 'full/sort.full.gz', 'qemu4v/arm_start_2k.q4v', 'cis501/thumb.trace', 'cis501/sort_1k.trace', micro_loop,
                 public('cis501/gcc-1K.trace')):
    _, rows = trace(name)
    expected = profile(rows)
    tap.same(name.split('/')[-1], found_in(name), expected)
    tap.same(name.split('/')[-1] + ', counted', found_in(packed(name)), expected)

# The instruction in the slot is a block of its own and the latch; it has the target of the branch before it. The
# loop is entered with the fourth instruction and never left: the last transition back is not a branch.
name = mips()
for path in name, packed(name):
    tap.same('delay slots', found_in(path), {
        'instructions': 32, 'block_lengths': {1: 10, 2: 11}, 'trip_counts': {8: 1},
        'hottest_blocks': {0x1000: (11, 21), 0x1008: (10, 11)}, 'hottest_loops': {0x1000: (0x1008, 1, 10, 10, 1, 29)}})
sys.exit(tap.end())
