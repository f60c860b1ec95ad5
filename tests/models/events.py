#!/usr/bin/env python3
"""Events and inter-event times, computed from the rows, as TAP."""
import collections
import json
import os
import random
import sys
import tempfile

from model import DATA, Tap, run, stats, trace


def counted(header, rows):
    """The rows that count as events."""
    columns = header['columns']
    kinds = (('event',) if 'hook' in columns else ('instruction',) if 'pc' in columns
             else ('event', 'access'))
    return [(row.get('row', number), row) for number, row in enumerate(rows, 1) if row['kind'] in kinds]


def table(events, key_of, columns):
    groups = collections.OrderedDict()
    for number, row in events:
        key = key_of(row)
        if key is not None:
            groups.setdefault(key, []).append((number, row.get('time')))
    lines = []
    for key in sorted(groups, key=lambda key: (-len(groups[key]), groups[key][0][0]))[:10]:
        group = groups[key]
        times = [time for _, time in group if time is not None]
        interval = None
        if len(times) > 1:
            interval = (max(times) - min(times)) / (len(times) - 1)
        lines.append({**dict(zip(columns, key)), 'count': len(group),
                      'share': len(group) / len(events), 'first_record': group[0][0],
                      'last_record': group[-1][0], 'interval_mean': interval})
    return lines


def bin_of(gap):
    """The min. gap with the same upper eight binary digits."""
    shift = max(0, gap.bit_length() - 8)
    return gap >> shift << shift


def gaps(times):
    pairs = list(zip(times, times[1:]))
    found = sorted(two - one for one, two in pairs if two >= one)
    expected = {'gaps': len(found), 'backward_times': len(pairs) - len(found)}
    if found:
        expected['gap_mean'] = sum(found) / len(found)
        expected['gap_max'] = found[-1]
        for share in (50, 90, 99):
            expected[f'gap_p{share}'] = bin_of(found[-(-share * len(found) // 100) - 1])
        bits = collections.Counter(gap.bit_length() for gap in found)
        expected['inter_event_time_histogram'] = [
            {'gap': 1 << bit - 1 if bit else 0, 'gaps': bits[bit], 'share': bits[bit] / len(found)}
            for bit in range(min(bits), max(bits) + 1)]
    return expected


def rate(times):
    shift = 0
    while (max(times) >> shift) - (min(times) >> shift) >= 64:
        shift += 1
    bins = collections.Counter(time >> shift for time in times)
    return {'start_time': min(times), 'end_time': max(times), 'bin_width': 1 << shift,
            'event_rate': [{'time': bin << shift, 'events': bins[bin]}
                     for bin in range(min(bins), max(bins) + 1)]}


def model(header, rows):
    events = counted(header, rows)
    times = [row['time'] for _, row in events if 'time' in row]

    def sub(row):
        wide = 'hook' in row and row.get('hook_type', 0) > 15 and 'subhook' in row
        return (f"0x{row['hook']:04x}", f"0x{row['subhook']:04x}") if wide else None

    def column(name):
        return lambda row: (row[name],) if name in row else None
    expected = {
        'events': len(events), 'timed_events': len(times),
        'hooks': table(events, lambda row: (f"0x{row['hook']:04x}",) if 'hook' in row else None,
                       ['hook']),
        'subhooks': table(events, sub, ['hook', 'subhook']),
        'event_names': table(events, lambda row: None if 'hook' in row else
                       (row.get('event', row['record']),), ['name']),
        'cpus': table(events, column('cpu'), ['cpu']),
        'processes': table(events, column('process'), ['process']),
        'threads': table(events, column('thread'), ['thread']),
        **(rate(times) if times else {}),
    }
    return expected, gaps(times)


def warm(tap, name, count):
    """After a warm-up the first gap begins at its last row."""
    _, rows = trace(name)
    times = [(number, row['time']) for number, row in enumerate(rows, 1)
             if row['kind'] == 'instruction' and 'time' in row]
    before = [time for number, time in times if number <= count]
    after = [time for number, time in times if number > count]
    found = stats(name, 'events', '--warmup', str(count))
    tap.same(f'{name} after {count} records', found, {'events': len(after), **rate(after)})
    tap.same(f'{name} after {count} records: gaps', found['inter_event_times'], gaps(before[-1:] + after))


def compare(tap, name):
    header, rows = trace(name)
    # Corrupt records are counted, but no conversion has them.
    lines = run('view', '--on-error=skip', '--json', '-c', 'row,record', os.path.join(DATA, name)).splitlines()[1:]
    whole = [row for row in map(json.loads, lines) if row['record'] != 'corrupt']
    for row, line in zip(rows, whole, strict=True):
        row['row'] = line['row']
    expected, between = model(header, rows)
    found = stats(name, 'events')
    tap.same(name, found, expected)
    tap.same(f'{name}: gaps', found['inter_event_times'], between)


def random_events(path):
    """Writes times that jump and decrease, many hooks, and a clock whose rate a hook states."""
    chance = random.Random(7)
    columns = ['kind', 'record', 'time', 'cpu', 'process', 'hook', 'subhook', 'hook_type', 'payload']
    with open(path, 'w') as out:
        print(json.dumps({'polytrace': 'trace', 'version': 1, 'clock': 'ticks', 'columns': columns,
                          'records': ['hook64']}), file=out)
        print(json.dumps({'kind': 'event', 'record': 'hook64', 'time': 10 ** 12, 'hook': '0xa0',
                          'subhook': '0x25c', 'hook_type': '0xc000',
                          'payload': f'{0:016x}{3:016x}{2:016x}{2:016x}'}), file=out)
        time = 10 ** 12
        for _ in range(10000):
            time += chance.choice((0, 1, 5, 200, 70000, 10 ** 7)) * chance.randrange(1, 50)
            time -= chance.choice((0, 0, 0, 0, 0, 0, 0, 12345))
            hook = chance.choice((0x1000, 0x1010, 0x50, 0x60, 0x2340))
            print(json.dumps({'kind': 'event', 'record': 'hook64', 'time': time,
                              'cpu': chance.randrange(4), 'process': chance.randrange(40),
                              'hook': hex(hook), 'subhook': hex(chance.randrange(3)),
                              'hook_type': '0x8000'}), file=out)


def extreme(path, times):
    """Writes times with extreme distances, whose gaps exceed 64 bits in total."""
    with open(path, 'w') as out:
        print(json.dumps({'polytrace': 'trace', 'version': 1, 'columns': ['kind', 'record', 'time'],
                          'records': ['at']}), file=out)
        for time in times:
            print(json.dumps({'kind': 'event', 'record': 'at', 'time': time}), file=out)


tap = Tap()
for word in ('aix/log1113.trc', 'aix/log1112.trc', 'aix/damaged64.trc', 'byutr/types12.tr',
             'qemu4v/arm_start_2k.q4v', 'tarmac/times.tarmac'):
    compare(tap, word)
warm(tap, 'qemu4v/arm_start_2k.q4v', 500)
with tempfile.TemporaryDirectory() as directory:
    random_events(os.path.join(directory, 'made.jsonl'))
    compare(tap, os.path.join(directory, 'made.jsonl'))
    found = stats(os.path.join(directory, 'made.jsonl'), 'events')
    tap.same('the_rate_of_the_clock_is_read', found, {'tick_ns': 1.5})
    tap.same('times_are_converted_to_nanoseconds', found['inter_event_times'],
             {'gap_max_ns': int(1.5 * found['inter_event_times']['gap_max']),
              'gap_p50_ns': int(1.5 * found['inter_event_times']['gap_p50'])})
    last = 2 ** 64 - 1
    for number, times in enumerate(([last], [0, last] * 5, [last - 70, last - 3, last, last])):
        path = os.path.join(directory, f'extreme{number}.jsonl')
        extreme(path, times)
        compare(tap, path)
sys.exit(tap.end())
