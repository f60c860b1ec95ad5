#!/usr/bin/env python3
"""Blocks and loops, followed again from the rows, as TAP."""
import atexit
import collections
import json
import os
import sys
import tempfile

from branching import CALL, RETURN, behind, facts_of, instructions
from model import Tap, micro_loop, packed, public, stats, trace


def merge_micro(rows):
    """Instructions with what their micro-operations are, together."""
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
    """A stack of loops: where a branch goes back, until execution goes on outside."""

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
        taken = pc != behind(last)
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
    told = any('branch' in row for row in rows)
    last = facts = None
    for row, now in merge_micro(rows):
        leads = last is None or facts is not None or row['pc'] != behind(last)
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
        'blocks': sum(block[0] for block in blocks.values()), 'different_blocks': len(blocks),
        'different_loops': len(loops.entries), 'loop_entries': sum(loops.entries.values()),
        'loop_iterations': sum(loops.iterations.values()),
        'sizes': dict(sizes),
        'trips': dict(collections.Counter(1 << trip.bit_length() - 1 for trip in trips)),
        'hottest': {pc: tuple(block) for (pc, _), block in blocks.items()},
        'loops': {head: (loops.latch[head], loops.entries[head], loops.iterations[head],
                         loops.longest[head], loops.depth[head], loops.inside[head])
                  for head in loops.entries}}


def found_in(name):
    found = stats(name, 'blocks', '-O', 'blocks.top=100000')
    found['sizes'] = {row['instructions']: row['count'] for row in found['sizes']}
    found['trips'] = {row['from']: row['count'] for row in found['trips']}
    found['hottest'] = {int(row['pc'], 16): (row['executions'], row['count'])
                        for row in found['hottest']}
    found['loops'] = {int(row['head'], 16): tuple(
        int(row[key], 16) if key == 'latch' else row[key]
        for key in ('latch', 'entries', 'iterations', 'longest', 'depth', 'count'))
        for row in found['loops']}
    return found


def mips():
    """The name of a trace of a loop with a delay slot that ends with its tenth branch; then execution is, from
    the instruction behind, suddenly where it began."""
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
for name in ('tt6/isamix.tt6e', 'pthr/thread_001.tt6', 'pthr/thread_002.tt6',
             'amber/memset_thread_001.tt6', 'full/sort.full.gz', 'qemu4v/arm_start_2k.q4v',
             'cis501/thumb.trace', 'cis501/sort_1k.trace', micro_loop(), public('cis501/gcc-1K.trace')):
    if not name:
        continue
    _, rows = trace(name)
    expected = profile(rows)
    tap.same(name.split('/')[-1], found_in(name), expected)
    tap.same(name.split('/')[-1] + ', counted', found_in(packed(name)), expected)

# What stands in the slot is a block of its own, and the latch; it goes where the branch before it does. The loop
# is entered with the fourth instruction, and never left: no branch leads back for the last time.
name = mips()
for path in name, packed(name):
    tap.same('delay slots', found_in(path), {
        'instructions': 32, 'sizes': {1: 10, 2: 11}, 'trips': {8: 1},
        'hottest': {0x1000: (11, 21), 0x1008: (10, 11)}, 'loops': {0x1000: (0x1008, 1, 10, 10, 1, 29)}})
sys.exit(tap.end())
