#!/usr/bin/env python3
"""Branches, computed from the rows, as TAP."""
import collections
import math
import sys

from branching import CONDITIONAL, INDIRECT, branches, fall_through, instructions, kind
from model import Tap, public, some, stats, trace


def ratio(part, whole):
    return part / whole if whole else None


def entropy(counts):
    whole = sum(counts)
    return -sum(n / whole * math.log2(n / whole) for n in counts if n) if whole else 0


def bits(a, b):
    return 2 + (abs(a - b).bit_length() - 1 if a != b else 0)


def quantities(rows):
    found = branches(rows)
    heads = sum(row.get('uop_index', 1) == 1 for row in instructions(rows))
    sites = collections.defaultdict(list)
    targets = collections.defaultdict(collections.Counter)
    kinds = collections.defaultdict(lambda: [0, 0, set()])
    from_pc, from_fallthrough = collections.Counter(), collections.Counter()
    for row, facts, taken, target in found:
        site = (row['pc'], row.get('opcode'))
        sites[site].append((taken, facts, row))
        entry = kinds[kind(facts)]
        entry[0] += 1
        entry[1] += taken
        entry[2].add(site)
        if target is not None:
            from_pc[bits(target, row['pc'])] += 1
            if 'fallthrough' in row or 'opcode_size' in row:
                from_fallthrough[bits(target, fall_through(row))] += 1
        if taken and target is not None and INDIRECT in facts:
            targets[site][target] += 1
    conditional = [[way for way, _, _ in ways] for ways in sites.values()
                   if CONDITIONAL in ways[0][1]]
    executions = sum(map(len, conditional))
    indirect = sum(sum(counter.values()) for counter in targets.values())
    taken = sum(way for _, _, way, _ in found)
    top = sorted(sites.items(), key=lambda item: -len(item[1]))[:10]
    return {
        'branches': len(found), 'branch_ratio': ratio(len(found), heads), 'taken': taken, 'taken_ratio': ratio(taken, len(found)),
        'conditional_branches': executions, 'taken_conditional_branches': sum(map(sum, conditional)),
        'direction_change_ratio': ratio(sum(a != b for ways in conditional
                                          for a, b in zip(ways, ways[1:])), executions),
        'direction_entropy': sum(
            entropy([sum(ways), len(ways) - sum(ways)]) * len(ways)
            for ways in conditional) / executions,
        'taken_indirect_branches': indirect,
        'target_entropy': sum(
            entropy(counter.values()) * sum(counter.values())
            for counter in targets.values()) / indirect if indirect else None,
        'branch_kinds': {name: (entry[0], entry[1], len(entry[2])) for name, entry in kinds.items()},
        'branch_distances': [(n, from_pc[n], from_fallthrough[n])
                      for n in sorted(from_pc.keys() | from_fallthrough.keys())],
        'hottest_branches': [(site[0], len(ways), sum(way for way, _, _ in ways),
                   entropy([sum(way for way, _, _ in ways),
                                  sum(not way for way, _, _ in ways)]))
                  for site, ways in top]}


def reported(name):
    found = stats(name, 'branches')
    found['branch_kinds'] = {row['kind']: (row['count'], row['taken'], row['sites'])
                      for row in found['branch_kinds']}
    found['branch_distances'] = [(row['distance_bits'], row['from_pc'], row['from_fallthrough'])
                          for row in found['branch_distances']]
    found['hottest_branches'] = [(int(row['pc'], 16), row['count'], row['taken'], row['direction_entropy'])
                      for row in found['hottest_branches']]
    return found


tap = Tap()
for name in some('tt6/isamix.tt6e', 'tt6/sort.tt6', 'tt6/thread_002.tt6e', 'full/sort.full.gz',
                 'qemu4v/arm_start_2k.q4v', 'cis501/thumb.trace', 'cis501/sort_1k.trace',
                 public('cis501/gcc-1K.trace'),
                 public('cis501/penn-cis501-v2-arm/streamcluster-10M-v2-first5000.trace.gz')):
    _, rows = trace(name)
    tap.same(name.split('/')[-1], reported(name), quantities(rows))
sys.exit(tap.end())
