#!/usr/bin/env python3
"""Simulated caches by the model of one cache, on rows of traces, as TAP."""
import sys

from cache import Cache
from model import Tap, stats
from uses import all_traces, pcs, percent, tops, uses


def expected(rows, of, causes, size, ways, line, policy, **settings):
    """The line of the table for one cache."""
    cache = Cache(size // line // ways, ways, line, policy, **settings)
    full = Cache(1, size // line, line, 'lru', **{**settings, 'valid': 0})
    seen, why, chosen = set(), [0, 0, 0], uses(rows, of)
    for index, (kind, address, bytes) in enumerate(chosen):
        hit = cache.access(index, kind, address, bytes or 4)
        full_hit = full.access(index, kind, address, bytes or 4)
        if not hit:
            why[0 if address // line not in seen else 2 if full_hit else 1] += 1
        seen.add(address // line)
    counts = list(map(int, cache.summary().split()[1:]))
    misses = len(cache.misses)
    told = {'size': size, 'ways': ways, 'line': line, 'policy': policy, 'accesses': len(chosen),
            'misses': misses, 'percent': percent(misses, len(chosen)),
            'dirty_evictions': counts[11], 'bytes_from_below': counts[12],
            'bytes_to_below': counts[13]}
    if causes:
        told.update(compulsory=why[0], capacity=why[1], conflict=why[2])
    return told


def table(name, *words):
    return stats(name, 'cache', *(part for word in words for part in ('-A', 'cache.' + word)))


tap = Tap()
for name, rows in all_traces():
    short = name.split('/')[-1]
    tap.same(short, table(name), {'caches': [expected(rows, 'data', 0, 32768, 8, 64, 'lru')]})
    tap.same(short + ', a sweep', table(
        name, 'sweep=size=256..1k,ways=1,4,line=16,policy=fifo,plru', 'of=all', 'causes=1'), {
        'caches': [expected(rows, 'all', 1, size, ways, 16, policy) for size in (256, 512, 1024)
                   for ways in (1, 4) for policy in ('fifo', 'plru')]})
    tap.same(short + ', stores that go below', table(
        name, 'sweep=size=1k,ways=2,line=32,write=through,allocate=no'), {
        'caches': [expected(rows, 'data', 0, 1024, 2, 32, 'lru', through=1, around=1)]})
    tap.same(short + ', without valid bits', table(
        name, 'sweep=size=1k,ways=4,policy=pointer,valid=no', 'of=instructions'), {
        'caches': [expected(rows, 'instructions', 0, 1024, 4, 64, 'pointer', valid=1)]})
    chosen, missing = uses(rows, 'all'), Cache(8, 2, 16, 'lru')
    weights = [not missing.access(index, *use[:2], use[2] or 4) for index, use in enumerate(chosen)]
    tap.same(short + ', what misses most', table(
        name, 'sweep=size=256,ways=2,line=16', 'of=all', 'top=7', 'region=64'), {
        'instructions': tops(pcs(rows), weights, 'pc', 'misses', 7),
        'regions': tops([use[1] // 64 * 64 for use in chosen], weights, 'region', 'misses', 7)})
sys.exit(tap.end())
