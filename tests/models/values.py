#!/usr/bin/env python3
"""Values of registers and loads, from the list of each register's values, as TAP."""
import atexit
import collections
import os
import random
import sys
import tempfile

from model import Tap, context, some, stats, trace

# FULL records after the opcode (Apple amber traces 4.7): bytes of a register, offsets of r0, cr, xer, lr, ctr, f0, v0.
LAYOUTS = {1004: (4, 8, 136, 140, 144, 148, 160, 424), 1008: (4, 8, 136, 140, 144, 148, 164, 428)}


def ratio(part, whole):
    return part / whole if whole else None


def parse(payload, record):
    """The registers of 32-bit state that can change, by name."""
    unit, gpr, cr, xer, lr, ctr, floats, vectors = LAYOUTS[record]
    cut = lambda at, n: payload[at:at + n]
    state = {f'r{i}': cut(gpr + unit * i, unit) for i in range(32)}
    state.update(cr=cut(cr, 4), xer=cut(xer, 4), lr=cut(lr, 4), ctr=cut(ctr, 4))
    state.update({f'f{i}': cut(floats + 8 * i, 8) for i in range(32)})
    state.update({f'v{i}': cut(vectors + 16 * i, 16) for i in range(32)})
    state.update(fpscr=cut(floats + 260, 4), vscr=cut(vectors + 512 + 12, 4))
    return state


def locality(values):
    """Counts of the (value, bytes) of a register or load: all, same as the last, strided, zero."""
    result = [len(values), 0, 0, sum(value == 0 for value, _ in values)]
    for i, (value, size) in enumerate(values):
        if i >= 1:
            result[1] += value == values[i - 1][0]
        if i >= 2:
            step = (value - values[i - 1][0]) % 256 ** size
            before = (values[i - 1][0] - values[i - 2][0]) % 256 ** values[i - 1][1]
            result[2] += step == before != 0
    return collections.Counter(dict(zip(('count', 'last_value', 'strided', 'zero'), result)))


def cells(counts):
    return {'values': counts['count'], **{f'{key}_ratio': ratio(counts[key], counts['count'])
                                         for key in ('last_value', 'strided', 'zero')}}


def bits(value, size):
    """The min. number of bits of a value as a signed number."""
    number = value - 256 ** size if value >> 8 * size - 1 else value
    return next(n for n in range(1, 65) if -2 ** (n - 1) <= number < 2 ** (n - 1))


def doublings():
    """The name of a trace that writes few values, of two widths, to registers."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    name = os.path.join(folder.name, 'doublings.q4v')
    chance = random.Random(7)
    with open(name, 'w') as lines:
        for i in range(1, 400):
            register, digits = chance.choice((('r1', 8), ('r2', 8), ('x3', 16)))
            lines.write(f'{i} clk {i % 40} IT ({i}) 00008004 e5901000 A svc_s : ldr r1, [r0]\n')
            lines.write(f'{i} clk R {register} {chance.choice((0, 1, 2, 4, 8, 16 ** digits - 1)):0{digits}x}\n')
    return name


tap = Tap()
for name in some('full/sort.full.gz', 'full/altivec.full.gz', 'full/thread_001.full1008.gz', 'qemu4v/arm_start_2k.q4v',
                 'qemu4v/memory.q4v', 'tarmac/data.tarmac', 'tarmac/calls.tarmac', doublings):
    header, rows = trace(name)
    registers, loads = collections.defaultdict(list), collections.defaultdict(list)
    site, last, changes = {}, {}, collections.Counter()
    is_full = 'amber.state' in header.get('facts', {})
    for row in rows:
        context_of_row = context(row)
        if row['kind'] == 'instruction' and 'pc' in row:
            site[context_of_row] = row['pc'], row.get('opcode', 0)
        size = row['size'] if row.get('size', 0) in range(1, 8) else 8
        if is_full and 'payload' in row:
            now = parse(bytes.fromhex(row['payload']), int(header['facts']['amber.record']))
            changed = [key for key in now if context_of_row in last and now[key] != last[context_of_row][key]]
            if context_of_row in last:
                changes[len(changed)] += 1
            for key in changed:
                if key[0] == 'r' or key in ('lr', 'ctr'):
                    registers[key, context_of_row].append((int.from_bytes(now[key], 'big'), 4))
            last[context_of_row] = now
        elif row['kind'] == 'register' and 'value' in row and 'reg' in row:
            registers[row['reg'], context_of_row].append((row['value'] % 256 ** size, size))
        elif row['kind'] == 'access' and row.get('access') == 'read' and 'value' in row and context_of_row in site:
            loads[site[context_of_row], context_of_row].append((row['value'] % 256 ** size, size))
    by_name = collections.defaultdict(collections.Counter)
    for (key, _), values in registers.items():
        by_name[key].update(locality(values))
    totals = {'registers': sum(by_name.values(), collections.Counter()),
              'loads': sum(map(locality, loads.values()), collections.Counter())}
    widths = collections.Counter(bits(*value) for values in registers.values() for value in values)
    count = sum(widths.values())
    tap.same(name.split('/')[-1], stats(name, 'values'), {
        'value_locality': [{'value_source': key, **cells(totals[key])} for key in ('registers', 'loads') if totals[key]['count']],
        'untracked_values': 0,
        'hottest_registers': [{'register': key, **cells(by_name[key])}
                      for key in sorted(by_name, key=lambda key: (-by_name[key]['count'], key))[:10]],
        'value_widths': [{'width': n, 'values': widths[n], 'share': ratio(widths[n], count),
                          'cumulative_share': ratio(sum(widths[m] for m in widths if m <= n), count)}
                   for n in sorted(widths)],
        'register_changes': [{'changed_registers': n, 'records': changes[n], 'share': ratio(changes[n], sum(changes.values()))}
                    for n in sorted(changes)]})
sys.exit(tap.end())
