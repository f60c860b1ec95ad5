#!/usr/bin/env python3
"""Synchronization, computed from the rows by simple means, as TAP."""
import collections
import json
import os
import random
import sys
import tempfile

from model import DATA, Tap, run, stats, trace

SIGNALS = ('signal', 'broadcast')


def operations(rows):
    """(index, context, kind, address, count, instructions of the context before it)."""
    done = collections.Counter()
    for index, row in enumerate(rows):
        context = row.get('thread')
        if 'sync' in row:
            yield index, context, row['sync'], row['address'], row.get('value'), done[context]
        elif row['kind'] == 'instruction' and not row.get('synthetic'):
            done[context] += 1


def is_mutex(ops):
    """Apple amber traces 7.1, R6; ops are those of one address."""
    kinds = {op[2] for op in ops}
    if 'trywait' in kinds:
        return True
    if 'broadcast' in kinds or 'wait' not in kinds:
        return False
    for context in {op[1] for op in ops}:
        own = [op[2] in SIGNALS for op in ops if op[1] == context]
        if own != [bool(i % 2) for i in range(len(own))]:
            return False
    return True


def holds_of(ops):
    """(length, context, record of the wait, of the signal), each wait with the context's next signal."""
    for context in sorted({op[1] for op in ops}, key=str):
        own = [op for op in ops if op[1] == context]
        for one, two in zip(own, own[1:]):
            if one[2] not in SIGNALS and two[2] in SIGNALS:
                yield two[5] - one[5], context, one[0] + 1, two[0] + 1


def waits_of(rows, ops):
    """(context, whether it waited until the signal) of each wait after another context's signal."""
    for place, op in enumerate(ops):
        before = [other for other in ops[:place] if other[2] in SIGNALS]
        if op[2] in SIGNALS or not before or before[-1][1] == op[1]:
            continue
        own = [i for i in range(op[0]) if rows[i].get('thread') == op[1]]
        yield op[1], op[2] == 'wait' and bool(own) and own[-1] < before[-1][0]


def foreign_of(ops, before):
    """Signals of other contexts between operations of one context, derived from the counts."""
    total = 0
    for context in {op[1] for op in ops}:
        own = [op for op in ops if op[1] == context]
        for one, two in zip(own, own[1:]):
            # The number of signals after the first operation, and before the second one.
            since = one[4] + (one[2] in SIGNALS and before)
            until = two[4] - (two[2] in SIGNALS and not before)
            total += until - since
    return total


def before_or_after(by_address):
    votes = collections.Counter()
    for ops in by_address.values():
        for context in {op[1] for op in ops}:
            own = [op for op in ops if op[1] == context]
            for one, two in zip(own, own[1:]):
                if one[2] not in SIGNALS and two[2] in SIGNALS:
                    votes[two[4] - one[4]] += 1
    return votes[0] > votes[1]


def nested_of(by_address, ops):
    pairs = collections.OrderedDict()
    held = collections.defaultdict(list)
    mutexes = {address for address in by_address if is_mutex(by_address[address])}
    for index, context, kind, address, _, _ in ops:
        if address not in mutexes:
            continue
        if kind in SIGNALS:
            held[context] = [other for other in held[context] if other != address]
            continue
        for other in held[context]:
            pairs.setdefault((other, address), []).append(index + 1)
        held[context].append(address)
    return pairs


def bits_of(lengths):
    bits = collections.Counter(length.bit_length() for length in lengths)
    return [{'hold_time': 1 << bit - 1 if bit else 0, 'holds': bits[bit]}
            for bit in range(min(bits), max(bits) + 1)] if bits else []


def counts_of(ops):
    kinds = collections.Counter(op[2] for op in ops)
    return {'signals': kinds['signal'], 'broadcasts': kinds['broadcast'], 'waits': kinds['wait'],
            'trywaits': kinds['trywait']}


def address_line(address, ops, rows, before):
    mutex = is_mutex(ops)
    holds = list(holds_of(ops)) if mutex else []
    waits = list(waits_of(rows, ops))
    return {'address': f'0x{address:08x}', 'class': 'mutex' if mutex else 'condition',
            **counts_of(ops), 'contexts': len({op[1] for op in ops}), 'handovers': len(waits),
            'blocked_acquisitions': sum(until for _, until in waits),
            'signals_of_other_contexts': foreign_of(ops, before),
            'holds': len(holds),
            'hold_time_mean': sum(h[0] for h in holds) / len(holds) if holds else None}


def name_of(context):
    return None if context is None else f'thread {context}'


def model(rows):
    ops = list(operations(rows))
    by_address = collections.defaultdict(list)
    for op in ops:
        by_address[op[3]].append(op)
    before = before_or_after(by_address)
    order = sorted(by_address, key=lambda address: (-len(by_address[address]), address))
    lines = [address_line(address, by_address[address], rows, before) for address in order]
    mutexes = {address for address in order if is_mutex(by_address[address])}
    holds = {address: list(holds_of(by_address[address])) for address in mutexes}
    everyone = list(collections.OrderedDict.fromkeys(row.get('thread') for row in rows))
    contexts = []
    for context in everyone:
        own = [op for op in ops if op[1] == context]
        if not own:
            continue
        count = sum(row['kind'] == 'instruction' and not row.get('synthetic')
                    for row in rows if row.get('thread') == context)
        blocked = sum(until for address in order
                        for who, until in waits_of(rows, by_address[address]) if who == context)
        held = sum(h[0] for address in mutexes for h in holds[address] if h[1] == context)
        contexts.append({'context': name_of(context), 'instructions': count, **counts_of(own),
                        'blocked_acquisitions': blocked, 'hold_time': held})
    longest = []
    for address in mutexes:
        if holds[address]:
            best = min(holds[address], key=lambda h: (-h[0], h[3]))
            longest.append({'address': f'0x{address:08x}', 'hold_time': best[0], 'context': name_of(best[1]),
                            'wait_record': best[2], 'signal_record': best[3]})
    longest.sort(key=lambda line: (-line['hold_time'], line['address']))
    pairs = nested_of(by_address, ops)
    nested = [{'outer_address': f'0x{outer:08x}', 'inner_address': f'0x{inner:08x}', 'count': len(where),
               'reversed_count': len(pairs.get((inner, outer), [])), 'first_record': where[0]}
              for (outer, inner), where in pairs.items()]
    nested.sort(key=lambda line: (-line['count'], line['first_record']))
    open_at_end = sum(own[-1][2] not in SIGNALS for address in mutexes for context in everyone
                      for own in [[op for op in by_address[address] if op[1] == context]] if own)
    waits = sum(line['waits'] + line['trywaits'] for line in lines)
    blocked = sum(line['blocked_acquisitions'] for line in lines)
    return {
        'mutexes': len(mutexes), 'conditions': len(order) - len(mutexes), **counts_of(ops),
        'handovers': sum(line['handovers'] for line in lines), 'blocked_acquisitions': blocked,
        'blocked_ratio': blocked / waits if waits else None,
        'signal_numbering': 'before' if before else 'after',
        'signals_of_other_contexts': sum(line['signals_of_other_contexts'] for line in lines),
        'backward_counts': 0, 'locks_held_at_end': open_at_end, 'operations_by_address': lines[:10],
        'operations_by_context': contexts[:10],
        'hold_times': bits_of([h[0] for address in mutexes for h in holds[address]]),
        'longest_holds': longest[:10],
        'lock_order_inversions': sum((two, one) in pairs for one, two in pairs) // 2,
        'nested_acquisitions': nested[:10]}


def compare(tap, name):
    tap.same(name, stats(name, 'sync'), model(trace(name)[1]))


COLUMNS = ['kind', 'record', 'thread', 'pc', 'address', 'value', 'sync']


def write(path, rows):
    with open(path, 'w') as out:
        print(json.dumps({'polytrace': 'trace', 'version': 1, 'columns': COLUMNS,
                          'records': ['row']}), file=out)
        for row in rows:
            row = dict(row)
            for key in ('address', 'pc', 'value'):
                if key in row:
                    row[key] = hex(row[key])
            print(json.dumps({'kind': 'instruction', 'record': 'row', **row}), file=out)


def random_operations(first):
    """Rows of threads that lock some of six mutexes, in any order but without a deadlock, and wait."""
    chance = random.Random(11)
    owner, count = {}, collections.Counter()
    held = collections.defaultdict(list)
    rows = []
    for _ in range(1500):
        thread = chance.randrange(4)
        for _ in range(chance.randrange(4)):
            rows.append({'thread': thread, 'pc': 16})
        address = 0x1000 + 16 * chance.randrange(6)

        def operation(what, at, value, who=thread):
            rows.append({'kind': 'sync', 'thread': who, 'sync': what, 'address': at, 'value': value})
        if chance.random() < 0.5 and address not in owner and len(held[thread]) < 3:
            owner[address] = thread
            held[thread].append(address)
            operation(chance.choice(('wait', 'wait', 'trywait')), address, count[address])
        elif held[thread] and chance.random() < 0.7:
            address = held[thread].pop(chance.randrange(len(held[thread])))
            del owner[address]
            count[address] += 1
            operation('signal', address, count[address] - (0 if first else 1))
        elif chance.random() < 0.1:
            count[0x9000] += 1
            operation('broadcast', 0x9000, count[0x9000] - (0 if first else 1))
        elif chance.random() < 0.1 and not held[thread]:
            operation('wait', 0x9000, count[0x9000])
    return rows


HAND = [
    # Thread 2 waits for the mutex until thread 1, which held it for two instructions, releases it;
    # thread 1 acquires it again later, without waiting.
    {'thread': 1, 'kind': 'sync', 'sync': 'wait', 'address': 64, 'value': 0},
    {'thread': 1, 'pc': 0}, {'thread': 2, 'pc': 0}, {'thread': 1, 'pc': 4},
    {'thread': 1, 'kind': 'sync', 'sync': 'signal', 'address': 64, 'value': 1},
    {'thread': 2, 'kind': 'sync', 'sync': 'wait', 'address': 64, 'value': 1},
    {'thread': 2, 'kind': 'sync', 'sync': 'signal', 'address': 64, 'value': 2},
    {'thread': 1, 'pc': 8},
    {'thread': 1, 'kind': 'sync', 'sync': 'wait', 'address': 64, 'value': 2},
]

tap = Tap()
compare(tap, 'amber/sync.tt6')
for number in range(1, 5):
    compare(tap, f'pthr/thread_00{number}.tt6')
with tempfile.TemporaryDirectory() as directory:
    path = os.path.join(directory, 'trace.jsonl')
    run('merge', '--to', 'jsonl', '-o', path,
        *(os.path.join(DATA, 'pthr', f'thread_00{number}.tt6') for number in range(1, 5)))
    compare(tap, path)
    for after in (True, False):
        write(path, random_operations(after))
        compare(tap, path)
    write(path, HAND)
    compare(tap, path)
    tap.same('a_wait_for_a_mutex_held_by_another_thread_is_blocked', stats(path, 'sync'),
             {'handovers': 2, 'blocked_acquisitions': 1, 'signals_of_other_contexts': 1,
              'locks_held_at_end': 1,
              'longest_holds': [{'address': '0x00000040', 'hold_time': 2, 'context': 'thread 1',
                                 'wait_record': 1, 'signal_record': 5}]})
sys.exit(tap.end())
