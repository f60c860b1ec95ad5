#!/usr/bin/env python3
"""Miss ratio curves beyond the limit of memory, as TAP: limit_mrc.py POLYTRACE

Distances of seeded traces are those of a Fenwick tree over the times of last accesses; those of a cyclic
scan of N lines are N by hand.
"""
import json
import os
import random
import sys
import tempfile

from limit import LINE, needs, ok, run, write

needs.libraries('jansson')

POLYTRACE = sys.argv[1]
MEMORY = 128 << 20  # room for about 98,000 lines


def distances(lines):
    """The number of other lines since the last access to the same one; None: the first access."""
    tree, last, found = [0] * (len(lines) + 1), {}, []

    def add(at, n):
        while at < len(tree):
            tree[at] += n
            at += at & -at

    for now, line in enumerate(lines, 1):
        before = last.get(line)
        distance = None
        if before:
            # Lines accessed last after that time: all lines but those up to it.
            distance, at = len(last), before
            while at:
                distance -= tree[at]
                at -= at & -at
            add(before, -1)
        found.append(distance)
        add(now, 1)
        last[line] = now
    return found


def ratio(found, lines):
    return sum(distance is None or distance >= lines for distance in found) / len(found)


def curve(path, *options):
    return run([POLYTRACE, 'stats', '--json', '-a', 'mrc', '-f', 'din', *options, path], 'mrc')


def outside(report, found):
    """Sizes whose exact ratio is not within the error bar."""
    return [(row['size'], row['data_miss_ratio_min'], ratio(found, row['size'] // LINE), row['data_miss_ratio_max'])
            for row in report.get('fully_associative_caches', [])
            if not row['data_miss_ratio_min'] <= ratio(found, row['size'] // LINE) <= row['data_miss_ratio_max']]


with tempfile.TemporaryDirectory() as folder:
    trace = os.path.join(folder, 'trace.din')

    # A cycle over 300,000 lines, four times: smaller caches miss always, others once per line.
    write(trace, list(range(300000)) * 4)
    report, error, peak = curve(trace, f'--limit=memory={MEMORY}', '--points=2')
    rows = {row['size'] // LINE: row for row in report.get('fully_associative_caches', [])}
    wrong = [row for lines, row in rows.items()
             if not row['data_miss_ratio_min'] <= (1 if lines < 300000 else 0.25) <= row['data_miss_ratio_max']]
    ok('a_cycle_beyond_the_limit_has_its_ratios', report.get('data_accesses') == 1200000 and not wrong and
       {262144, 393216} <= rows.keys(), f'{wrong} {report}')
    ok('the_limit_is_reported', 'limit' in report and report['complete'] and 'mrc: ' in error and
       'memory limit' in error, error)
    ok('the_cycle_is_within_the_memory', peak < MEMORY, peak)
    report, error, _ = curve(trace)
    rows = {row['size'] // LINE: row for row in report.get('fully_associative_caches', [])}
    ok('within_the_limit_the_curve_is_exact', not error and 'limit' not in report and
       rows[262144]['data_misses'] == 1200000 and rows[524288]['data_misses'] == 300000, f'{error} {rows}')

    chance = random.Random(20)
    names = [chance.randrange(1 << 40) for _ in range(250000)]
    lines = [names[chance.randrange(250000 if chance.random() < 0.7 else 5000)] for _ in range(450000)]
    found = distances(lines)
    write(trace, lines)
    report, _, _ = curve(trace, f'-Omrc.memory={MEMORY}', '-Omrc.points=3')
    ok('estimates_of_random_lines_are_within_their_error_bar', 'limit' in report and not outside(report, found),
       outside(report, found))

    # Each line is read again after five others were read, and five were read again: a hit in 11 ways of one set, and
    # the first five times in ten. Of these ten, four are in the same one of two sets, none in that of many.
    write(trace, (line for i in range(700000) for line in ((i, i - 5) if i >= 5 else (i,))))
    report, error, peak = curve(trace, f'--limit=memory={MEMORY}', '-Omrc.sets=1')
    rows = {(row['sets'], row['ways']): row['misses'] for row in report.get('set_associative_data_caches', [])}
    first, both = 700000, 1399995
    ok('set_associative_caches_are_exact_beyond_the_limit', 'limit' in report and 'limit' in error and peak < MEMORY and
       [rows[1, ways] for ways in (1, 5, 10, 11, 16)] == [both, both, both - 5, first, first] and
       [rows[2, ways] for ways in (1, 2, 5, 6)] == [both, both, first, first] and
       [rows[8192, ways] for ways in (1, 16)] == [first, first], f'{peak} {rows}')

    # Thread 1 has 60,000 lines, which fit; those of thread 2 do not, with the curve of all.
    with open(trace, 'w') as to:
        to.writelines(json.dumps({'thread': thread, 'access': 'read', 'address': line * LINE, 'size': 4}) + '\n'
                      for thread, count in ((1, 10000), (2, 200000), (1, 10000)) for line in range(count))
    report, error, _ = curve(trace, f'--limit=memory={MEMORY}', '-Omrc.threads=1', '-fjsonl')
    rows = [(row['context'], row['size'] // LINE, row['misses']) for row in report.get('caches_per_context', [])]
    ok('curves_of_contexts_are_exact_or_absent', 'curves of contexts are missing' in error and
       not report['complete'] and report['data_accesses'] == 220000 and len(rows) == 15 and
       len({context for context, _, _ in rows}) == 1 and
       all(misses == (20000 if lines < 10000 else 10000) for _, lines, misses in rows), f'{rows} {error}')

    short = [chance.randrange(300) for _ in range(5000)]
    found = distances(short)
    write(trace, short)
    report, _, _ = curve(trace, '-Omrc.points=64')
    rows = report['fully_associative_caches']
    ok('curves_have_every_size', [row['size'] // LINE for row in rows[:128]] == list(range(1, 129)) and
       all(row['data_misses'] == round(ratio(found, row['size'] // LINE) * len(found)) for row in rows), rows)

    # 3,000,000 lines once: samples of one in 2^8 lines exceed the memory as well.
    write(trace, range(3000000))
    report, error, peak = curve(trace, '--limit=memory=128M')
    ok('a_hostile_footprint_is_within_the_memory', peak < MEMORY and report.get('complete') and 'limit' in report and
       report['fully_associative_caches'][0]['size'] == LINE << 16, f'{peak} {report}')
    report, error, peak = curve(trace)
    ok('the_default_memory_holds_them', peak < 1 << 30 and 'limit' not in report, f'{peak} {error}')
print(f'1..{ok.count}')
sys.exit(ok.failed)
