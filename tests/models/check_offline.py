#!/usr/bin/env python3
"""Compares classes of misses, the best replacement, TLBs and page replacement with
models, as TAP: check_offline.py DRIVE"""
from replacement import POLICIES, best, paging
from streams import drive, first_difference, local, report, samples, some, uniform


STREAMS = [uniform(21, 2000, 1 << 12), local(22, 3000), *samples()]


def compare(machine, model, **settings):
    for number, stream in some(enumerate(STREAMS)):
        fault = first_difference(drive(machine, stream, **settings), model(stream, **settings))
        if fault:
            yield f'stream {number}, {settings}: {fault}'


def lru(lists, ways, line, allocates):
    """One use in lists by set; whether it hit."""
    one = lists.setdefault(line % lists['sets'], [])
    hit = line in one
    if hit:
        one.remove(line)
    if hit or allocates:
        one.insert(0, line)
        del one[ways:]
    return hit


def classes(stream, sets, ways, line, around=0):
    real, full, seen, counts = {'sets': sets}, {'sets': 1}, set(), [0, 0, 0]
    lines = []
    for index, (kind, address, _, _) in enumerate(stream):
        number, allocates = address // line, not (around and kind == 'w')
        hit = lru(real, ways, number, allocates)
        full_hit = lru(full, sets * ways, number, allocates)
        if not hit:
            why = 0 if number not in seen else 2 if full_hit else 1
            counts[why] += 1
            lines.append(f'{index} {why}')
        seen.add(number)
    return lines + ['counts ' + ' '.join(map(str, counts))]


def classify_faults():
    for sets, ways in (4, 2), (16, 1), (1, 8), (32, 4):
        for around in 0, 1:
            yield from compare('classify', classes, sets=sets, ways=ways, line=32, around=around)


def best_lines(stream, **settings):
    missed, evictions, dirty = best(stream, **settings)
    return [f'miss {index}' for index in missed] + [f'counts {evictions} {dirty}']


def opt_faults():
    for sets, ways in (4, 2), (1, 8), (16, 4), (1, 70), (1, 64):
        yield from compare('opt', best_lines, sets=sets, ways=ways, line=16)


def least_faults():
    """No other choice misses less: all choices are tried on short streams."""
    def least(numbers, held, ways):
        if not numbers:
            return 0
        first, rest = numbers[0], numbers[1:]
        if first in held:
            return least(rest, held, ways)
        if len(held) < ways:
            return 1 + least(rest, held | {first}, ways)
        return 1 + min(least(rest, held - {gone} | {first}, ways) for gone in held)
    for seed in range(30):
        stream = uniform(seed, 14, 80)
        misses = least(tuple(address // 16 for _, address, _, _ in stream), frozenset(), 3)
        ours = sum(line.startswith('miss') for line in
                   drive('opt', stream, sets=1, ways=3, line=16))
        if ours != misses:
            yield f'seed {seed}: {ours} misses, {misses} are enough'


def pages(stream, frames, page, policy):
    missed, written = paging(stream, frames, page, POLICIES[policy])
    return [f'fault {index}' for index in missed] + [
        f'counts {len(stream)} {len(missed)} {written}']


def paging_faults():
    for policy in range(4):
        for frames in 1, 3, 7, 90:
            yield from compare('paging', pages, frames=frames, page=128, policy=policy)


# Belady, Nelson, Shedler, "An anomaly in space-time characteristics of certain programs running in
# a paging machine", 1969: more frames, more faults under fifo.
ANOMALY = [1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5]


def anomaly_faults():
    stream = [('r', page * 4096, 4, 0) for page in ANOMALY]
    for frames, policy, faults in (3, 0, 9), (4, 0, 10), (3, 1, 10), (4, 1, 8), (3, 3, 7), (4, 3, 6):
        got = int(drive('paging', stream, frames=frames, policy=policy)[-1].split()[2])
        if got != faults:
            yield f'{frames} frames, policy {policy}: {got} faults, not {faults}'


def buffers(stream, page, count, split):
    shapes = {0: (8, 2, 0), 1: (32, 4, 7), 'i': (4, 4, 0)}
    lists = {name: {'sets': entries // ways} for name, (entries, ways, _) in shapes.items()}
    counts = {name: {kind: [0, 0] for kind in 'rwf'} for name in (0, 1, 2, 'i')}
    lines, walks = [], 0
    for kind, address, _, _ in stream:
        path = ['i' if split and kind == 'f' else 0] + list(range(1, count))
        cycles, found = 0, False
        for name in path:
            counts[name][kind][0] += 1
            cycles += shapes[name][2]
            found = lru(lists[name], shapes[name][1], address // page, True)
            counts[name][kind][1] += not found
            if found:
                break
        walks += not found
        lines.append(str(cycles + (0 if found else 36)))
    lines += [' '.join(['level', *(f'{count} {missed}' for count, missed in counts[name].values())])
              for name in (0, 1, 2, 'i')]
    return lines + [f'totals {len(stream)} {walks} {sum(map(int, lines[:len(stream)]))}']


def tlb_faults():
    for page in 64, 4096:
        for count in 1, 2:
            for split in 0, 1:
                for number, stream in some(enumerate(STREAMS)):
                    got = drive('tlb', stream, page=page, count=count, split=split, l1_entries=32,
                                l1_ways=4, l1_latency=7, i_entries=4, i_ways=4)
                    fault = first_difference(got, buffers(stream, page, count, split))
                    if fault:
                        yield f'stream {number}, pages of {page}, {count} levels: {fault}'


report([('classes_of_misses_agree_with_the_model', classify_faults),
        ('the_best_replacement_agrees_with_the_model', opt_faults),
        ('no_replacement_misses_less_than_the_best', least_faults),
        ('page_replacement_agrees_with_the_model', paging_faults),
        ('the_anomaly_of_fifo_is_as_published', anomaly_faults),
        ('translation_buffers_agree_with_the_model', tlb_faults)])
