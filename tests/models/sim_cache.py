#!/usr/bin/env python3
"""Simulated caches by the model of one cache, on rows of traces, as TAP."""
import math
import sys

from cache import Cache
from model import Tap, stats, trace
from uses import all_traces, mpki, pieces, ratio, tops, uses, uses_and_pcs


def expected(rows, of, causes, size, ways, line, policy, **settings):
    """The line of the table for one cache."""
    cache = Cache(size // line // ways, ways, line, policy, **settings)
    full = Cache(1, size // line, line, 'lru', **{**settings, 'valid': 0})
    seen, why, chosen = set(), [0, 0, 0], list(pieces(uses(rows, of), line))
    for index, (kind, address, bytes) in enumerate(chosen):
        hit = cache.access(index, kind, address, bytes or 4)
        full_hit = full.access(index, kind, address, bytes or 4)
        if not hit:
            why[0 if address // line not in seen else 2 if full_hit else 1] += 1
        seen.add(address // line)
    counts = list(map(int, cache.summary().split()[1:]))
    misses = len(cache.misses)
    result = {'size': size, 'ways': ways, 'line_size': line, 'policy': policy, 'accesses': len(chosen),
            'misses': misses, 'miss_ratio': ratio(misses, len(chosen)),
            'mpki': mpki(rows, misses),
            **{name + '_misses': cache.counts[kind][1] for name, kind in (('read', 'r'), ('write', 'w'), ('fetch', 'f'))},
            'dirty_evictions': counts[11], 'fill_traffic': counts[12],
            'writeback_traffic': counts[13]}
    if causes:
        result.update(compulsory_misses=why[0], capacity_misses=why[1], conflict_misses=why[2])
    return result


def table(name, *words):
    return stats(name, 'cache', *(part for word in words for part in ('-O', 'cache.' + word)))


def without_storage(name, *words):
    """The same, without the storage of the caches."""
    found = table(name, *words)
    return {**found, 'caches': [{key: value for key, value in one.items() if key != 'storage_bits'}
                                for one in found['caches']]}


tap = Tap()
BITS = {'lru': lambda ways: (math.factorial(ways) - 1).bit_length(), 'random': lambda ways: 0,
        'fifo': lambda ways: (ways - 1).bit_length(), 'plru': lambda ways: ways - 1,
        'srrip': lambda ways: 2 * ways}


def bits(one, width):
    """Data, tag, valid and dirty bits of all lines, and what sets replace by."""
    sets = one['size'] // one['line_size'] // one['ways']
    tag = width - int(math.log2(sets)) - int(math.log2(one['line_size']))
    return one['size'] * 8 + sets * (one['ways'] * (tag + 2) + BITS[one['policy']](one['ways']))


for name, rows in all_traces():
    width = trace(name)[0].get('address_bits') or 64
    found = table(name, 'sweep=size=256..2k,ways=1,2,8,line=16,policy=lru,plru,fifo,random,srrip')
    made = [(one, bits(one, width)) for one in found['caches']]
    best = []
    for budget in (2 ** power for power in range(40)):
        fit = [(one['misses'], size, one) for one, size in made if size <= budget]
        if fit and budget < 2 * max(size for _, size in made):
            _, size, one = min(fit, key=lambda fit: fit[:2])
            best.append({'budget': budget, 'storage_bits': size, **{key: one[key] for key in (
                'size', 'ways', 'line_size', 'policy', 'misses', 'miss_ratio', 'mpki')}})
    tap.same(name.split('/')[-1] + ', budgets', {**found, 'storage_bits': [one['storage_bits'] for one in found['caches']]}, {
        'storage_bits': [size for _, size in made], 'lowest_miss_ratio_per_storage_budget': best})
    short = name.split('/')[-1]
    tap.same(short, without_storage(name), {'caches': [expected(rows, 'data', 0, 32768, 8, 64, 'lru')]})
    tap.same(short + ', a sweep', without_storage(
        name, 'sweep=size=256..1k,ways=1,4,line=16,policy=fifo,plru', 'of=all', 'causes=1'), {
        'caches': [expected(rows, 'all', 1, size, ways, 16, policy) for size in (256, 512, 1024)
                   for ways in (1, 4) for policy in ('fifo', 'plru')]})
    tap.same(short + ', stores that go below', without_storage(
        name, 'sweep=size=1k,ways=2,line=32,write=through,allocate=no'), {
        'caches': [expected(rows, 'data', 0, 1024, 2, 32, 'lru', through=1, around=1)]})
    tap.same(short + ', without valid bits', without_storage(
        name, 'sweep=size=1k,ways=4,policy=pointer,valid=no', 'of=instructions'), {
        'caches': [expected(rows, 'instructions', 0, 1024, 4, 64, 'pointer', valid=1)]})
    tap.same(short + ', fetches of micro-operations', without_storage(name, 'sweep=size=1k,ways=4', 'of=uops'), {
        'caches': [expected(rows, 'uops', 0, 1024, 4, 64, 'lru')]})
    chosen, missing = list(pieces(uses_and_pcs(rows), 16)), Cache(8, 2, 16, 'lru')
    weights = [not missing.access(index, *use[:2], use[2] or 4) for index, use in enumerate(chosen)]
    tap.same(short + ', what misses most', table(
        name, 'sweep=size=256,ways=2,line=16', 'of=all', 'top=7', 'region=64'), {
        'hottest_instructions': tops([use[3] for use in chosen], weights, 'pc', 'misses', 7),
        'hottest_regions': tops([use[1] // 64 * 64 for use in chosen], weights, 'region', 'misses', 7)})
sys.exit(tap.end())
