#!/usr/bin/env python3
"""Levels of caches by their model, on rows of traces, as TAP."""
import json
import os
import re
import sys
import tempfile

from hierarchy import Hierarchy, Level
from model import DATA, ROOT, Tap, run, stats, trace
from uses import KINDS, TRACES, all_traces, is_instruction, mpki, pieces, ratio, tops


def uses(rows):
    """(kind, address, size, pc), a fetch before the access of the same row."""
    for row in rows:
        if is_instruction(row) and 'pc' in row:
            yield 'f', row['pc'], row.get('opcode_size', 0), row['pc']
        if row.get('access') in KINDS and 'address' in row:
            yield KINDS[row['access']], row['address'], row.get('size', 0), row.get('pc', row['address'])


def cache(size, ways, line, cycles, **more):
    return Level(sets=size // ways // line, ways=ways, line=line, latency=cycles, **more)


def level_row(rows, level, name):
    accesses, misses = sum(level.accesses.values()), sum(level.misses.values())
    ways, sets = level.lines.ways, len(level.lines.lists)
    return {'level': name, 'size': sets * ways * level.size, 'ways': ways, 'line_size': level.size,
            'accesses': accesses, 'misses': misses, 'miss_ratio': ratio(misses, accesses),
            'mpki': mpki(rows, misses), 'read_misses': level.misses['r'], 'write_misses': level.misses['w'],
            'fetch_misses': level.misses['f'], 'victim_hits': level.victim_hits,
            'stores_from_above': level.stores, 'evictions_from_above': level.put,
            'back_invalidations': level.invalidations, 'prefetches_issued': level.prefetches,
            'useful_prefetches': level.prefetch_hits}


def expected(rows, levels, instructions, inclusion, memory):
    model = Hierarchy(levels, instructions, inclusion, memory)
    for kind, address, _, pc in pieces(uses(rows), levels[0].size, (instructions or levels[0]).size):
        model.access(kind, address, pc)
    names = ['l1d' if instructions else 'l1', 'l2', 'l3'][:len(levels)]
    table = [level_row(rows, instructions, 'l1i')] if instructions else []
    table += [level_row(rows, level, name) for level, name in zip(levels, names)]
    return {'accesses': len(model.cycles), 'cycles': sum(model.cycles), 'cache_levels': table,
            'memory_reads': model.reads, 'memory_writes': model.writes,
            'cycles_per_access': sum(model.cycles) / len(model.cycles)}


def options(*words):
    return [part for word in words for part in ('-O', 'levels.' + word)]


tap = Tap()
for name, rows in all_traces():
    short = name.split('/')[-1]
    tap.same(short, stats(name, 'levels'), expected(
        rows, [cache(32768, 8, 64, 4), cache(1 << 19, 8, 64, 10)], cache(32768, 8, 64, 4), 0, 200))
    tap.same(short + ', a PowerPC 970', stats(name, 'levels', *options('preset=ppc970')), expected(
        rows, [cache(32768, 2, 128, 3, through=1, around=1), cache(1 << 19, 8, 128, 11)],
        cache(65536, 1, 128, 1), 0, 200))
    tap.same(short + ', small ones', stats(name, 'levels', *options(
        'caches=l1=256/2/32/1/stride:2/victims:2 l2=1k/4/32/5/stream:3 l3=4k/4/32/20 memory=77',
        'inclusion=inclusive')), expected(
        rows, [cache(256, 2, 32, 1, prefetch=2, degree=2, victims=2),
               cache(1024, 4, 32, 5, prefetch=3, degree=3), cache(4096, 4, 32, 20)], None, 1, 77))
    tap.same(short + ', exclusive', stats(name, 'levels', *options(
        'caches=l1i=128/2/16/1/next:1 l1d=128/2/16/2 l2=512/2/16/5', 'inclusion=exclusive')),
        expected(rows, [cache(128, 2, 16, 2), cache(512, 2, 16, 5)],
                 cache(128, 2, 16, 1, prefetch=1), 2, 100))
    model = Hierarchy([cache(256, 2, 32, 1), cache(1024, 4, 32, 5)], None, 0, 77)
    chosen = list(pieces(uses(rows), 32))
    for kind, address, _, pc in chosen:
        model.access(kind, address, pc)
    tap.same(short + ', what costs most', stats(name, 'levels', *options(
        'caches=l1=256/2/32/1 l2=1k/4/32/5 memory=77', 'top=6', 'region=4096')), {
        'hottest_instructions': tops([use[3] for use in chosen], model.cycles, 'pc', 'cycles', 6),
        'hottest_regions': tops([use[1] // 4096 * 4096 for use in chosen], model.cycles, 'region', 'cycles', 6)})
PRESETS = os.path.join(ROOT, 'src', 'analysis', 'sim', 'presets')


def machine(text):
    """Levels, instruction cache and memory latency of a text, without the policies."""
    settings = dict(re.findall(r'^ *(\w+) *= *(\S+)', re.sub('#.*', '', text), re.M))
    made = {}
    for name in settings.keys() - {'source', 'memory', 'inclusion'}:
        numbers, words = re.match(r'([\d/kM]+?)(?:/([a-z].*))?$', settings[name]).groups()
        size, *rest = (int(one.rstrip('kM')) << {'k': 10, 'M': 20}.get(one[-1], 0) for one in numbers.split('/'))
        made[name] = cache(size, *rest, **{word: 1 for word in (words or '').split('/') if word in (
            'through', 'around')})
    levels = [made[name] for name in ('l1', 'l1d', 'l2', 'l3') if name in made]
    return levels, made.get('l1i'), 0, int(settings['memory'])


name, rows = TRACES[0], trace(TRACES[0])[1]
folder = tempfile.TemporaryDirectory()
for file in sorted(os.listdir(PRESETS)):
    # Presets by name and by file; replacement as lru, which is all that this model has.
    text = re.sub('/(plru|random)', '', open(os.path.join(PRESETS, file)).read())
    with open(os.path.join(folder.name, file), 'w') as out:
        out.write(text)
    found, by_file, preset = (json.loads(run('sim', 'levels', '--json', *words, os.path.join(DATA, name)))['levels']
                              for words in (['--config', os.path.join(folder.name, file)],
                                            ['--config', os.path.join(PRESETS, file)],
                                            ['-O', 'preset=' + file.split('.')[0]]))
    tap.same(file, found, expected(rows, *machine(text)))
    tap.ok(f'{file} is the preset', preset == by_file and preset['parameter_source'] in text, str(preset))
sys.exit(tap.end())
