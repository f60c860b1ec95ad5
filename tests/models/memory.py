#!/usr/bin/env python3
"""Memory accesses, computed from the rows and, for forwarded stores, per byte, as TAP."""
import collections
import sys

from model import Tap, overlaps, context, some, stats, sweep, threads, trace

PAGE = 4096


def ratio(part, whole):
    return part / whole if whole else None


def forwarded(rows, window):
    """Loads that overlap a store among the context's last reads and writes, and those fully contained in it."""
    last, loads, hits, contained = collections.defaultdict(list), 0, 0, 0
    for row in rows:
        if row['access'] not in ('read', 'write'):
            continue
        before = last[context(row)]
        covered = {(row['address'] + i) % 2 ** 64 for i in range(row.get('size') or 1)}
        if row['access'] == 'read':
            loads += 1
            found = [stored for stored in before[-window:] if stored & covered]
            hits += bool(found)
            contained += bool(found) and covered <= found[-1]
            covered = set()
        before.append(covered)
    return {'loads': loads, 'forwarded_loads': hits, 'forwarded_ratio': ratio(hits, loads),
            'fully_contained_loads': contained}


def hot(rows, bytes):
    kinds = collections.defaultdict(collections.Counter)
    for row in rows:
        if not row['access'].startswith('io_'):
            kinds[row['address'] // bytes * bytes][row['access']] += 1
    total = sum(sum(kind.values()) for kind in kinds.values())
    order = sorted(kinds, key=lambda address: (-sum(kinds[address].values()), address))[:10]
    return [{'address': f'0x{address:08x}', 'accesses': sum(kinds[address].values()),
             'share': ratio(sum(kinds[address].values()), total), 'reads': kinds[address]['read'],
             'writes': kinds[address]['write'], 'fetches': kinds[address]['fetch']} for address in order]


def accesses(rows, line):
    for kind in ('read', 'write', 'fetch', 'prefetch', 'cache', 'io_read', 'io_write'):
        of = [(row['address'], row.get('size', 0)) for row in rows if row['access'] == kind]
        misaligned = sum(size > 0 and size & size - 1 == 0 and address % size > 0 for address, size in of)
        if of:
            yield {'kind': kind, 'accesses': len(of), 'bytes': sum(size for _, size in of),
                   'misaligned_accesses': misaligned, 'misaligned_ratio': ratio(misaligned, len(of)),
                   'line_crossings': sum(size > 0 and address // line != (address + size - 1) // line
                                         for address, size in of),
                   'page_crossings': sum(size > 0 and address // PAGE != (address + size - 1) // PAGE
                                         for address, size in of)}


def sizes(rows):
    counts = collections.defaultdict(collections.Counter)
    for row in rows:
        if row.get('size'):
            size = row['size'] if row['size'] <= 65536 else 1 << row['size'].bit_length() - 1
            counts[size][row['access']] += 1
    return [{'size': size, 'reads': kinds['read'], 'writes': kinds['write'],
             'other_accesses': sum(kinds.values()) - kinds['read'] - kinds['write']}
            for size, kinds in sorted(counts.items())]


tap = Tap()
for name, line, window in some(
        ('tt6/sort.tt6', 64, 32), ('qemu4v/arm_start_2k.q4v', 64, 32), ('cis501/sort_1k.trace', 64, 32),
        ('bach/bios_irq_4k.bach', 32, 32), ('bach/start_2k.bach', 64, 3), ('lackey/words.lackey', 16, 1),
        ('din/sizes.din', 64, 32), ('amber/memset_thread_001.tt6e', 128, 100),
        ('tarmac/data.tarmac', 64, 32), ('byutr/types24.tr', 64, 32), (threads, 64, 32),
        (overlaps, 64, 7), (sweep, 64, 32)):
    rows = [row for row in trace(name)[1] if 'access' in row and 'address' in row]
    options = [] if (line, window) in ((64, 32), (32, 32)) else [
        '-O', f'memory.line={line}', '-O', f'memory.window={window}']
    reads, writes = (sum(row['access'] == kind for row in rows) for kind in ('read', 'write'))
    large = line  # 262144 lines are distinguished
    while len({row['address'] // large for row in rows}) > 262144:
        large *= 2
    tap.same(name.split('/')[-1], stats(name, 'memory', *options), {
        'accesses_by_kind': list(accesses(rows, line)), 'access_sizes': sizes(rows),
        'reads_per_write': reads / writes if writes else None,
        **forwarded(rows, window), 'line_size': large,
        'hottest_lines': hot(rows, large), 'hottest_pages': hot(rows, PAGE)})
sys.exit(tap.end())
