#!/usr/bin/env python3
"""The quantities of the CIS 501 homework, computed from the lines of the file, as TAP."""
import collections
import gzip
import math
import os
import sys

from model import DATA, Tap, public, stats

CATEGORIES = ('loads', 'stores', 'unconditionalbranches', 'conditionalbranches', 'other')


def fields(path):
    """The records of a file, by the seed's table of fields."""
    with (gzip.open if path.endswith('.gz') else open)(path, 'rt') as lines:
        for line in lines:
            f = line.split()
            yield dict(uop=int(f[0]), pc=int(f[1], 16), flags=f[5], branch=f[6], memory=f[7],
                       fall=int(f[10], 16), target=int(f[11], 16), macro=f[12], micro=f[13])


def category(record):
    if record['memory'] == 'L':
        return 'loads'
    if record['memory'] == 'S':
        return 'stores'
    if record['target'] and record['flags'] == '-':
        return 'unconditionalbranches'
    if record['target'] and record['flags'] == 'R':
        return 'conditionalbranches'
    return 'other'


def bits(a, b):
    return 2 + math.floor(math.log2(abs(a - b))) if a != b else 2


def rows(key, counter):
    whole = sum(counter.values())
    return [{key: k, 'count': n, 'share': n / whole}
            for k, n in sorted(counter.items())]


def quantities(records):
    heads = [i for i, record in enumerate(records) if record['uop'] == 1]
    groups = collections.Counter(b - a for a, b in zip(heads, heads[1:] + [len(records)]))
    sizes = [records[i]['fall'] - records[i]['pc'] for i in heads]
    branches = [record for record in records if record['target']]
    distances = [bits(record['target'], record['pc']) for record in branches]
    far = sum(n > 8 for n in distances)
    pairs = sum(a['flags'] == 'W' and category(b) == 'conditionalbranches'
                for a, b in zip(records, records[1:]))
    counts = collections.Counter(map(category, records))
    n = len(records)
    return {
        'micro_ops': n, 'macro_ops': len(heads),
        'micro_ops_per_macro_op': n / len(heads),
        'bytes_per_macro_op': sum(sizes) / len(heads),
        'branches': len(branches), 'far_branches': far,
        'far_branch_ratio': far / len(branches), 'far_slowdown': (n + far) / n, 'fusions': pairs,
        'fusion_ratio': pairs / n, 'fusion_speedup': n / (n - pairs),
        'macro_ops_by_micro_ops': rows('micro_ops', groups),
        'macro_op_sizes': rows('size', collections.Counter(sizes)),
        'branch_distances': rows('distance_bits', collections.Counter(distances)),
        'branch_distances_from_fallthrough': rows('distance_bits', collections.Counter(
            bits(record['target'], record['fall']) for record in branches)),
        'micro_op_categories': [{'category': name, 'count': counts[name],
                        'share': counts[name] / n} for name in CATEGORIES],
        'penn2015': {
            'avg_insn_size': sum(sizes) / len(heads),
            'most_common_uop_category': max(CATEGORIES, key=lambda name: counts[name]),
            'fractions': [
                {'n': k,
                 'fraction_of_branch_targets_lte_n_bits':
                     sum(b <= k for b in distances) / len(distances),
                 'fraction_of_insns_lte_n_bytes': sum(s <= k for s in sizes) / len(sizes)}
                for k in range(1, 33)]}}


tap = Tap()
for name in ('cis501/sort_1k.trace', 'cis501/seed15.columns.trace', 'cis501/targets.trace'):
    path = os.path.join(DATA, name)
    tap.same(name, stats(path, 'homework'), quantities(list(fields(path))))
lines = [row['line'] for row in stats('cis501/seed15.columns.trace', 'homework',
                                      '-O', 'homework.style=wustl')['wustl']]
records = list(fields(os.path.join(DATA, 'cis501/seed15.columns.trace')))
loads = sum(record['memory'] == 'L' for record in records)
tap.ok('lines of WUSTL', '  Percent of uops of type %2d : %4.1f%%' % (0, 100 * loads / 15) in lines,
       *lines)
gcc = public('cis501/gcc-1K.trace')
if gcc:
    # Published results of Penn CIS 501.
    found = stats(gcc, 'homework')
    tap.same('gcc-1K by the model', found, quantities(list(fields(gcc))))
    for key, value in (('macro_ops_by_micro_ops', '1:558 2:156 3:30 4:10'),
                       ('macro_op_sizes', '1:36 2:153 3:177 4:118 5:68 6:122 7:57 8:19 9:2 10:1 12:1'),
                       ('branch_distances', '4:2 5:11 6:22 7:22 8:13 9:13 10:18 11:23 12:33 13:13 14:6 '
                        '15:2 16:4 17:1 19:6 22:4')):
        text = ' '.join(f'{next(iter(row.values()))}:{row["count"]}' for row in found[key])
        tap.ok('gcc-1K: ' + key, text == value, text)
    tap.same('gcc-1K by the reference', found, {
        'micro_ops': 1000, 'macro_ops': 754, 'micro_ops_per_macro_op': 1000 / 754,
        'bytes_per_macro_op': 3008 / 754, 'branches': 193, 'far_branches': 123, 'fusions': 142})
    tap.ok('gcc-1K: categories', [row['count'] for row in found['micro_op_categories']] ==
           [232, 108, 36, 157, 467], str(found['micro_op_categories']))
sys.exit(tap.end())
