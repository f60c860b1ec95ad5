#!/usr/bin/env python3
"""Coherent caches by their model, on rows of traces, as TAP."""
import atexit
import os
import random
import sys
import tempfile
from collections import defaultdict

import coherence
from model import Tap, context, stats, threads, trace
from uses import mpki, pieces

NAMES = ['hits', 'upgrades', 'compulsory_misses', 'replacement_misses', 'true_sharing_misses', 'false_sharing_misses']


def accesses(rows):
    """(kind, address, size, thread, pc) of the accesses."""
    numbers = {}
    for row in rows:
        # Threads are numbered by any record of theirs.
        who = numbers.setdefault(context(row), len(numbers))
        if row.get('access') not in ('read', 'write') or 'address' not in row:
            continue
        address = row['address']
        yield row['access'][0], address, row.get('size', 0), who, row.get('pc', address)


def parts(rows, line):
    """The parts of accesses that are each in a line; at most four bytes of those of unknown size."""
    for kind, address, size, *more in pieces(accesses(rows), line):
        yield (kind, address, size or min(4, line - address % line), *more)


def name_of(context):
    return None if context is None else '%s %d' % context


def expected(rows, size, ways, line, word, top):
    """The whole report."""
    uses = list(parts(rows, line))
    contexts = list(dict.fromkeys(map(context, rows)))
    names = list(map(name_of, contexts))
    stream = [use[:4] for use in uses]
    outcomes, counts, lines = coherence.model(
        stream, len(names), size // ways // line, ways, line, word)
    of, places = defaultdict(lambda: [0] * 6), defaultdict(lambda: [line, 0, 0, 0, 0])
    for (outcome, taken), (kind, address, bytes, who, pc) in zip(outcomes, uses):
        of[who][outcome] += 1
        if taken or outcome >= coherence.TRUE:
            place = places[address // line * line, who, pc]
            place[0] = min(place[0], address % line)
            place[1] = max(place[1], address % line + bytes - 1)
            place[2] += outcome == coherence.TRUE
            place[3] += outcome == coherence.FALSE
            place[4] += taken
    lines = sorted((one for one in lines if any(one[1:4])),
                   key=lambda one: (-one[2], -one[1], -one[3], one[0]))[:top]
    result = []
    for address, *_ in lines:
        mine = [(who, pc, *place) for (at, who, pc), place in places.items() if at == address]
        mine.sort(key=lambda one: (-one[5], -one[6], -one[4], one[1], one[0]))
        result += [dict(line_address=f'0x{address:08x}', context=names[who], pc=f'0x{pc:08x}', first_byte=first, last_byte=last,
                      true_sharing_misses=true, false_sharing_misses=false, invalidations_caused=taken)
                 for who, pc, first, last, true, false, taken in mine[:top]]
    return {
        'complete': True,
        'private_caches': [dict(zip(NAMES, of[who]), context=names[who], accesses=sum(of[who]),
                         mpki=mpki([row for row in rows if context(row) == contexts[who]], sum(of[who][2:])),
                         coherence_invalidations=lost, cache_to_cache_transfers=supplied, writebacks=written)
                    for who, (lost, supplied, written) in enumerate(counts) if who in of],
        'shared_lines': [dict(line_address=f'0x{address:08x}', true_sharing_misses=true, false_sharing_misses=false, coherence_invalidations=taken,
                       contexts=', '.join(names[one] for one in sorted(who)))
                  for address, true, false, taken, who in lines],
        'sharing_instructions': result}


def written(lines):
    """The name of a trace of rows of JSON, until the program ends."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    name = os.path.join(folder.name, 'made.jsonl')
    with open(name, 'w') as out:
        out.write('{"polytrace":"trace","version":1}\n')
        out.writelines(line + '\n' for line in lines)
    return name


def access(thread, kind, address, size, pc):
    return (f'{{"kind":"access","thread":{thread},"pc":"0x{pc:x}","access":"{kind}",'
            f'"address":"0x{address:x}","size":{size}}}')


def planted():
    """Two threads count in neighbouring words of a line, and hand a flag over in another one."""
    for _ in range(10):
        for thread in 7, 9:
            yield access(thread, 'write', 0x10000 + 4 * (thread == 9), 4, 0x400 + thread)
        yield access(7, 'write', 0x20000, 4, 0x500)
        yield access(9, 'read', 0x20000, 4, 0x504)


def wild():
    """Four threads at random, over the ends of lines, too."""
    chance = random.Random(7)
    for _ in range(4000):
        yield access(chance.randrange(4), chance.choice(('read', 'write')), 0x8000 + chance.randrange(600),
                     chance.choice((1, 2, 4, 8, 40)), 0x100 + 4 * chance.randrange(6))


def options(*words):
    return [part for word in words for part in ('-O', 'sharing.' + word)]


tap = Tap()
# By hand: the first store of each thread is cold; then the line goes to and fro, and no one ever
# reads what the other one stored. The flag is the only thing that is shared.
found = stats(written(planted()), 'sharing')
tap.same('planted false sharing is found', {one['line_address']: one for one in found['shared_lines']}, {
    '0x00010000': {'line_address': '0x00010000', 'true_sharing_misses': 0, 'false_sharing_misses': 18, 'coherence_invalidations': 19,
                   'contexts': 'thread 7, thread 9'},
    '0x00020000': {'line_address': '0x00020000', 'true_sharing_misses': 9, 'false_sharing_misses': 0, 'coherence_invalidations': 9,
                   'contexts': 'thread 7, thread 9'}})
tap.ok('and who does it, where', found['sharing_instructions'][:2] == [
    {'line_address': '0x00010000', 'context': 'thread 9', 'pc': '0x00000409', 'first_byte': 4, 'last_byte': 7,
     'true_sharing_misses': 0, 'false_sharing_misses': 9, 'invalidations_caused': 10},
    {'line_address': '0x00010000', 'context': 'thread 7', 'pc': '0x00000407', 'first_byte': 0, 'last_byte': 3,
     'true_sharing_misses': 0, 'false_sharing_misses': 9, 'invalidations_caused': 9}], str(found['sharing_instructions']))
for title, name in ('four threads', threads()), ('random accesses', written(wild())):
    rows = trace(name)[1]
    tap.same(title, stats(name, 'sharing'), expected(rows, 32768, 8, 64, 4, 10))
    tap.same(title + ', small caches', stats(
        name, 'sharing', *options('size=256', 'ways=2', 'line=32', 'word=1', 'top=3')),
        expected(rows, 256, 2, 32, 1, 3))
# What a warm-up did is known, but not counted.
warm = stats(written(planted()), 'sharing', '--warmup', '38')
tap.same('a warm-up', warm, {'shared_lines': [
    {'line_address': '0x00020000', 'true_sharing_misses': 1, 'false_sharing_misses': 0, 'coherence_invalidations': 1,
     'contexts': 'thread 7, thread 9'}]})
sys.exit(tap.end())
