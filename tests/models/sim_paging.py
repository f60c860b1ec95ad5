#!/usr/bin/env python3
"""Page replacement and the best caches, on rows of traces, as TAP."""
import atexit
import os
import subprocess
import sys
import tempfile

from model import Tap, stats, trace
from replacement import POLICIES, best, paging
from uses import TRACES, all_traces, mpki, pieces, ratio, uses


def table(name, analysis, *words):
    return stats(name, analysis, *(part for word in words for part in ('-O', f'{analysis}.{word}')))


def memories(rows, accesses, frames, pages, policies):
    result = []
    for page in pages:
        stream = list(pieces(accesses, page))
        for policy in policies:
            least = None
            for count in frames:
                missed, written = paging(stream, count, page, policy)
                result.append({'page_size': page, 'policy': policy, 'frames': count, 'accesses': len(stream),
                             'faults': len(missed), 'fault_ratio': ratio(len(missed), len(stream)),
                             'mpki': mpki(rows, len(missed)), 'page_writebacks': written,
                             'belady_anomaly': 'yes' if least is not None and least < len(missed) else None,
                             'curve': f'{policy}, pages of {page}'})
                least = len(missed) if least is None else min(least, len(missed))
    return result


def caches(rows, accesses, sizes, ways, line):
    result, stream = [], list(pieces(accesses, line))
    for size in sizes:
        missed, _, dirty = best(stream, size // line // ways, ways, line)
        result.append({'size': size, 'ways': ways, 'line_size': line, 'policy': 'opt', 'accesses': len(stream),
                     'storage_bits': None, 'misses': len(missed), 'miss_ratio': ratio(len(missed), len(stream)),
                     'mpki': mpki(rows, len(missed)),
                     **{name: sum(stream[index][0] == kind for index in missed) for name, kind in (
                         ('read_misses', 'r'), ('write_misses', 'w'), ('fetch_misses', 'f'))},
                     'dirty_evictions': dirty, 'fill_traffic': line * len(missed),
                     'writeback_traffic': line * dirty})
    return result


def belady():
    """The name of a trace of the pages of Belady, Nelson and Shedler (CACM 12, 1969)."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    name = os.path.join(folder.name, 'belady.lackey')
    with open(name, 'w') as lines:
        lines.writelines(f' L {4096 * page:08x},4\n' for page in (1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5))
    return name


tap = Tap()
for name, rows in all_traces():
    short = name.split('/')[-1]
    tap.same(short, table(name, 'paging', 'sweep=frames=1-5,16,page=256,4k,policy=fifo,lru,clock,opt'), {
        'memories': memories(
            rows, [(*use, 0) for use in uses(rows)], [1, 2, 3, 4, 5, 16], [256, 4096], POLICIES)})
    data = [(*use, 0) for use in uses(rows, 'data')]
    tap.same(short + ', the best caches', table(name, 'cache', 'sweep=size=256..1k,ways=2,line=16,policy=opt'),
             {'caches': caches(rows, data, (256, 512, 1024), 2, 16)})

# The published figures: nine faults with three frames, ten with four.
found = table(belady(), 'paging', 'sweep=frames=1-5,policy=fifo')['memories']
tap.ok('Belady\'s anomaly shows', [(one['frames'], one['faults'], one['belady_anomaly']) for one in found] == [
    (1, 12, None), (2, 12, None), (3, 9, None), (4, 10, 'yes'), (5, 5, None)], str(found))

# What is not counted is seen all the same: the second pass has the same warm-up as the first.
name, rows = TRACES[0], trace(TRACES[0])[1]
for warm in 1, 700:
    words = [name, 'cache', 'sweep=size=512,ways=2,line=32,policy=opt,lru']
    whole, part = table(*words)['caches'], stats(name, 'cache', '-O', 'cache.' + words[2], '--warmup', str(warm))['caches']
    before = len(uses(rows[:warm], 'data'))
    missed = best([(*use, 0) for use in uses(rows, 'data')], 8, 2, 32)[0]
    tap.same(f'after {warm} records', part[0], {
        'accesses': whole[0]['accesses'] - before, 'misses': sum(place >= before for place in missed)})

# A folder that is none.
done = subprocess.run([sys.argv[1], 'sim', 'paging', '-O', 'sweep=policy=opt', belady()],
                      env={**os.environ, 'TMPDIR': '/nowhere'}, capture_output=True)
tap.ok('no temporary file is trouble', done.returncode == 2 and b'temporary' in done.stderr, str(done))
sys.exit(tap.end())
