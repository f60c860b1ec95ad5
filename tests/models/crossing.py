#!/usr/bin/env python3
"""Accesses that cross lines: hand-derived counts, and one number of lines and pages in all commands, as TAP."""
import json
import os
import struct
import subprocess
import sys
import tempfile

from model import DATA, ROOT, Tap, stats

sys.path.insert(0, os.path.join(ROOT, 'tests'))
import needs  # noqa: E402
import sampling  # noqa: E402

needs.libraries('xxhash', 'zstd')

FOLDER = tempfile.TemporaryDirectory()


def written(name, data):
    path = os.path.join(FOLDER.name, name)
    with open(path, 'wb') as out:
        out.write(data)
    return path


def tt6e(name, *words):
    return written(name, struct.pack(f'>{len(words)}I', *words))


def caches(path, analysis, *words):
    return stats(path, analysis, '-f', os.path.splitext(path)[1][1:],
                 *(part for word in words for part in ('-O', f'{analysis}.{word}')))


def only(path, *words):
    """The only cache, all of them of 4 KiB and two ways."""
    return caches(path, 'cache', 'sweep=size=4k,ways=2,line=32', *words)['caches'][0]


def some(rows, *keys):
    """The values of keys, row by row."""
    return [tuple(row[key] for key in keys) for row in rows]


tap = Tap()
STMW, LWZ, STW = 0xbc000000, 0x80000000, 0x90000000
# stmw r0 writes 32 words, the lines 20000000 to 20000060; loads of the second and the fourth hit.
moved = tt6e('stmw.tt6e', 0x1000, STMW, 0x20000000, LWZ, 0x20000020, LWZ, 0x20000060)
tap.same('stmw touches all its lines', only(moved), {'accesses': 6, 'misses': 4})
tap.same('stmw, first lines only', only(moved, 'crossing=first'), {'accesses': 3, 'misses': 3})
# Cache operations of TT6E: each reaches the cache.
DCBF, DCBI, DCBT, DST, DCBZ = 0x7c0000ac, 0x7c0003ac, 0x7c00022c, 0x7c0002ac, 0x7c0007ec
A = 0x20000000
tap.same('dcbf and dcbi invalidate', only(tt6e('flush.tt6e', 0x1000, LWZ, A, DCBF, A, LWZ, A, DCBI, A, LWZ, A)),
         {'accesses': 3, 'misses': 3, 'read_misses': 3})
touched = tt6e('touch.tt6e', 0x1000, DCBT, A, LWZ, A)
tap.same('dcbt prefetches', only(touched), {'accesses': 1, 'misses': 0, 'fill_traffic': 32})
tap.ok('a prefetch is counted', some(caches(touched, 'cache')['cache_operations'], 'prefetches_issued') == [(1,)])
# Four blocks of 32 bytes, 32 bytes apart.
tap.same('dst prefetches its blocks', only(tt6e('stream.tt6e', 0x1000, DST, A, 0x02040020, LWZ, A, LWZ, A + 32, LWZ, A + 96)),
         {'accesses': 3, 'misses': 0, 'fill_traffic': 128})
tap.same('dcbz allocates without a fill', only(tt6e('zero.tt6e', 0x1000, DCBZ, A, LWZ, A)),
         {'accesses': 2, 'misses': 1, 'write_misses': 1, 'fill_traffic': 0})
# The same in levels: what memory reads and writes.
for name, traffic, words in (
        ('flush', (2, 1), (STW, A, DCBF, A, LWZ, A)), ('invalidate', (2, 0), (STW, A, DCBI, A, LWZ, A)),
        ('touch', (1, 0), (DCBT, A, LWZ, A)), ('stream', (4, 0), (DST, A, 0x02040020, LWZ, A + 96)),
        ('zero', (0, 0), (DCBZ, A, LWZ, A))):
    path = tt6e(f'{name}.tt6e', 0x1000, *words)
    for inclusion in 'nine', 'inclusive', 'exclusive':
        found = caches(path, 'levels', 'caches=l1i=4k/2/32/1 l1d=4k/2/32/1 l2=8k/2/32/5 memory=50', f'inclusion={inclusion}')
        tap.ok(f'{name} in {inclusion} levels', (found['memory_reads'], found['memory_writes']) == (traffic[0] + 1, traffic[1]),
               (found['memory_reads'], found['memory_writes']))
# Special cycles of BACH: F7 writes dirty lines back, FD invalidates without, EF does both; none is a reference.
READ, WRITE = (0x2000, 0, 0xd0), (0x2000, 0, 0xf0)
CLEAN, INVALIDATE, FLUSH = (0, 0xf7, 0x30), (0, 0xfd, 0x30), (0, 0xef, 0x30)
special = written('special.bach', b''.join(struct.pack('>IBB', *cycle) for cycle in (
    WRITE, CLEAN, READ, INVALIDATE, READ, WRITE, FLUSH, READ, WRITE, INVALIDATE)))
for ways in '2', '8', 'full':
    found = caches(special, 'cache', f'sweep=size=4k,ways={ways},line=32')
    tap.same(f'special cycles, {ways} ways', found['caches'][0], {'accesses': 6, 'misses': 3, 'read_misses': 2, 'writeback_traffic': 64})
    tap.ok(f'operations of special cycles, {ways} ways', some(found['cache_operations'], 'writebacks', 'invalidations') == [(2, 3)])
# Line transfers are those of an aligned line, whatever quadword of it was requested.
moves = (0x2008, 0, 0xc0), (0x3010, 0x0f, 0x80), (0x4018, 0x0f, 0xe0)
transfers = written('lines.bach', b''.join(struct.pack('>IBB', *cycle) for cycle in moves))
report = stats(transfers, 'memory', '-f', 'bach')
tap.ok('line transfers are aligned', some(report['accesses_by_kind'], 'misaligned_accesses', 'line_crossings') == [(0, 0)] * 3,
       report['accesses_by_kind'])
blocks = {one['block_size']: one for one in caches(transfers, 'footprint')['unique_blocks']}
tap.same('footprint of line transfers', blocks[32], {'blocks_read': 1, 'blocks_written': 1, 'blocks_fetched': 1, 'blocks_touched': 3})
for to in 'bach', 'ptz', 'jsonl', 'bach-text':
    copy = os.path.join(FOLDER.name, 'copy.' + to)
    subprocess.run([sys.argv[1], 'convert', '-f', 'bach', '-t', to, '-o', copy, transfers], check=True)
    back = subprocess.run([sys.argv[1], 'convert', '-f', to, '-t', 'bach', '-o', '-', copy], stdout=subprocess.PIPE, check=True).stdout
    tap.ok(f'line transfers as {to} and back', back == open(transfers, 'rb').read())
shown = subprocess.run([sys.argv[1], 'view', '-f', 'bach', '--csv', '-c', 'address,size,requested_address', transfers],
                       stdout=subprocess.PIPE, check=True, text=True).stdout
tap.ok('address of the line and of the request', shown.split()[1:] == [
    '0x2000,32,0x2008', '0x3000,32,0x3014', '0x4000,32,0x401c'], shown)
# A word at 2000003e is in the lines 20000000 and 20000040 of 64 bytes.
word = tt6e('lwz.tt6e', 0x1000, LWZ, 0x2000003e)
tap.same('lwz over the end of a line', caches(word, 'cache')['caches'][0], {
    'line_size': 64, 'accesses': 2, 'misses': 2, 'fill_traffic': 128})
ends = written('ends.lackey', b' L 20000ffe,4\n S 2000001e,4\nI  00000ffe,4\n')
# A word of the pages 20000 and 20001, one of the first of them, and an instruction of the pages 0 and 1.
for page, accesses, pages in (4096, 5, 4), (1 << 21, 3, 2):
    tap.same(f'pages of {page}', caches(ends, 'tlb', f'page={page}'), {'accesses': accesses, 'page_walks': pages})
tap.ok('pages in memory', some(caches(ends, 'paging', 'sweep=frames=9,page=4k,policy=lru,opt')['memories'],
                               'accesses', 'faults') == [(5, 4), (5, 4)])
tap.ok('a first level with different lines', some(caches(
    ends, 'levels', 'caches=l1i=1k/2/16/1 l1d=1k/2/32/1 memory=10')['cache_levels'],
    'level', 'accesses') == [('l1i', 2), ('l1d', 4)])
tap.same('first pages', caches(ends, 'tlb', 'crossing=first'), {'accesses': 3})
for crossing, accesses in ('split', 4), ('first', 2):
    tap.ok(f'private caches, {crossing}', some(caches(
        ends, 'sharing', 'line=32', f'crossing={crossing}')['private_caches'],
        'accesses', 'compulsory_misses') == [(accesses, accesses)])
first = caches(ends, 'footprint', 'crossing=first')['unique_blocks'][0]
tap.same('first bytes', first, {'blocks_read': 1, 'blocks_written': 1, 'blocks_fetched': 1})


def samples():
    """Traces of memory references: those of the project, and those that are generated for it."""
    folders = [DATA, os.path.join(os.environ.get('POLYTRACE_SHARED', ''), 'data', 'made')]
    for top, _, names in (found for folder in folders for found in sorted(os.walk(folder))):
        for name in sorted(names):
            if KINDS & set(name.split('.')[1:]):
                yield os.path.join(top, name)


def reports(path, line):
    """What footprint, mrc and a cache that holds everything find; {} for a trace without references."""
    words = [f'-O{name}' for name in (f'mrc.line={line}', 'cache.operations=0', f'cache.sweep=size={line << 18},ways=full,line={line}')]
    done = subprocess.run([sys.argv[1], 'stats', '--json', '-a', 'footprint,mrc,cache', *words, path],
                          capture_output=True)
    return json.loads(done.stdout) if done.returncode == 0 else {}


# Without operations, caches that hold everything miss once for each different line, and so does the end of the curve.
KINDS = {'tt6', 'tt6e', 'full', 'full1004', 'q4v', 'trace', 'bach', 'tr', 'lackey', 'din', 'tarmac', 'jsonl'}
tried = 0
for path in sampling.sampled(samples()):
    for line in 16, 64:
        found = reports(path, line)
        blocks = next((one for one in found.get('footprint', {}).get('unique_blocks', ())
                       if one['block_size'] == line), None)
        if not blocks or blocks['blocks_touched'] > 1 << 18 or 'mrc' not in found:
            continue
        tried += 1
        tap.same(f'{os.path.basename(path)}, lines of {line}', {
            'cache': found['cache']['caches'][0]['misses'], **found['mrc']['fully_associative_caches'][-1]}, {
            'cache': blocks['blocks_accessed'], 'data_misses': blocks['blocks_accessed'],
            'fetch_misses': blocks['blocks_fetched']})
tap.ok('traces were tried', sampling.ONE_OF > 1 or tried > 50, tried)
sys.exit(tap.end())
