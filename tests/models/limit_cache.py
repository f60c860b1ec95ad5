#!/usr/bin/env python3
"""Policy opt, causes of misses and page replacement beyond the limit of memory, as TAP:
limit_cache.py POLYTRACE

Expected counts of scans are by hand: of N lines that are read twice in order, opt keeps as many for the second time as
a cache of C < N lines has, and LRU keeps none. Estimates of random traces are compared with the exact counts of a
larger limit, which other tests compare with models.
"""
import itertools
import os
import random
import sys
import tempfile

from limit import LINE, ok, run, write

POLYTRACE = sys.argv[1]
MEMORY = 128 << 20  # tables of at most 1,572,864 lines
N, C = 1800000, 1 << 17


def simulate(path, simulator, sweep, *options):
    options = [f'--sweep={sweep}'] * bool(sweep) + [*options]
    return run([POLYTRACE, 'sim', simulator, '--json', '-f', 'din', *options, path], simulator)


def within(row, name, expected):
    return row[f'{name}_min'] <= expected <= row[f'{name}_max'] and row[f'{name}_min'] <= row[name] <= row[f'{name}_max']


with tempfile.TemporaryDirectory() as folder:
    trace = os.path.join(folder, 'trace.din')
    write(trace, itertools.chain(range(N), range(N)))
    limit = f'--limit=memory={MEMORY}'

    report, error, peak = simulate(trace, 'cache', f'size={C * LINE},ways=8,policy=lru,opt', '-Ocauses=1', limit)
    lru, opt = report['caches']
    ok('compulsory_and_capacity_misses_of_a_scan_are_within_their_error_bars',
       lru['misses'] == 2 * N and lru['conflict_misses'] == 0 and within(lru, 'compulsory_misses', N) and
       within(lru, 'capacity_misses', N) and 'misses_min' not in [name for name in lru if lru[name] is not None] and
       0 < lru['compulsory_misses_max'] - lru['compulsory_misses_min'] < N / 100, lru)
    ok('misses_of_opt_in_sets_are_within_their_error_bar',
       opt['accesses'] == 2 * N and within(opt, 'misses', 2 * N - C) and
       opt['misses_max'] - opt['misses_min'] < N / 100 and not opt.get('compulsory_misses'), opt)
    ok('the_limit_is_reported', 'limit' in report and 'cache: more lines than fit in the memory limit' in error, error)
    ok('caches_of_a_hostile_footprint_are_within_the_memory', peak < MEMORY, peak)

    report, error, peak = simulate(trace, 'cache', f'size={C * LINE},ways={C},policy=opt', limit)
    opt = report['caches'][0]
    ok('misses_of_fully_associative_opt_are_within_their_error_bar', within(opt, 'misses', 2 * N - C) and
       peak < MEMORY, f'{opt} {peak}')

    report, error, peak = simulate(trace, 'paging', f'page={LINE},frames={C},16,policy=opt,lru', limit)
    rows = {(row['policy'], row['frames']): row for row in report['memories']}
    ok('faults_of_opt_are_within_their_error_bar',
       within(rows['opt', C], 'faults', 2 * N - C) and rows['lru', C]['faults'] == 2 * N and peak < MEMORY,
       f'{rows} {peak}')
    ok('samples_too_small_for_a_memory_are_reported', rows['opt', 16]['faults'] is None and
       'too small for samples' in error and 'limit' in report, f'{rows} {error}')

    report, error, _ = simulate(trace, 'cache', f'size={C * LINE},ways=8,policy=lru,opt', '-Ocauses=1')
    lru, opt = report['caches']
    ok('within_the_limit_counts_are_exact', not error and 'limit' not in report and opt['misses'] == 2 * N - C and
       (lru['compulsory_misses'], lru['capacity_misses'], lru['conflict_misses']) == (N, N, 0) and
       (opt['compulsory_misses'], opt['capacity_misses'], opt['conflict_misses']) == (N, N - C, 0) and
       'misses_min' not in opt and 'compulsory_misses_min' not in lru, f'{error} {report}')

    report, error, peak = simulate(trace, 'sharing', '', limit)
    ok('coherent_caches_are_within_the_memory', 'limit' in report and 'memory limit' in error and not report['complete'] and
       80000 < report['private_caches'][0]['compulsory_misses'] <= (64 << 20) // 720 and peak < MEMORY, f'{peak} {error}')

    chance = random.Random(20)
    names = [chance.randrange(1 << 40) for _ in range(2200000)]
    write(trace, names + [names[int(len(names) * chance.random() ** 3)] for _ in range(1000000)])
    sweep = 'size=512k,4M,ways=8,policy=lru,opt'
    exact, estimated = (simulate(trace, 'cache', sweep, '-Ocauses=1', *options)[0]['caches'] for options in ((), (limit,)))
    wrong = [(a, b) for a, b in zip(exact, estimated)
             if not (within(b, 'misses', a['misses']) if b['policy'] == 'opt' else
                     b['misses'] == a['misses'] and b['conflict_misses'] == a['conflict_misses'] and
                     within(b, 'compulsory_misses', a['compulsory_misses']) and
                     within(b, 'capacity_misses', a['capacity_misses']))]
    ok('estimates_of_random_lines_are_within_their_error_bars', len(exact) == 4 and not wrong, wrong)
print(f'1..{ok.count}')
sys.exit(ok.failed)
