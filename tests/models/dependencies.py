#!/usr/bin/env python3
"""Dependencies, computed from the history of each context, as TAP. Registers are those that CIS 501
traces state; of PowerPC only whether an access uses the stack pointer."""
import collections
import sys

from model import Tap, overlaps, context, some, stats, threads, trace
from uses import is_instruction

# Extended opcodes of integer stores with two index registers, and of string moves without the second.
INDEXED_STORES = {149, 150, 151, 181, 183, 214, 215, 247, 407, 439, 661, 662, 918}
STRINGS = {597, 725}


def ratio(part, whole):
    return part / whole if whole else None


def low(distance):
    """The min. distance of the bin of a distance."""
    return 1 << distance.bit_length() - 1 if distance else 0


def of_columns(row):
    """The registers that a micro-operation reads and writes."""
    reads = {row[column] for column in ('src1', 'src2') if column in row}
    writes = {row['dest']} if 'dest' in row else set()
    flags = row.get('flags', 'none')
    reads |= {49} if flags in ('read', 'both') else set()
    writes |= {49} if flags in ('write', 'both') else set()
    return reads, writes


def powerpc_stack(opcode):
    """Whether a PowerPC access reads r1."""
    primary, a, b, s = opcode >> 26, opcode >> 16 & 31, opcode >> 11 & 31, opcode >> 21 & 31
    extended = opcode >> 1 & 1023
    if primary == 31:
        store = extended in INDEXED_STORES or extended == 725
        return a == 1 or (b == 1 and extended not in STRINGS) or (store and s == 1)
    return a == 1 or (primary in (36, 37, 38, 39, 44, 45, 62) and s == 1) or (primary == 47 and s <= 1)


def registers(contexts, known):
    """The report of registers, from the list of reads and writes of each."""
    reads, uses, reuse = collections.Counter(), collections.Counter(), collections.Counter()
    totals = collections.Counter(dict.fromkeys(
        ('register_reads', 'reads_of_unwritten_registers', 'register_writes', 'overwritten_values', 'dead_writes'), 0))
    for rows in contexts:
        history = collections.defaultdict(list)
        instructions = [row for row in rows if row['kind'] == 'instruction' and not row.get('synthetic')]
        for number, row in enumerate(instructions, 1):
            read, written = of_columns(row) if known else ((), ())
            for register in read:
                history[register].append(('read', number, None))
            for register in written:
                history[register].append(('write', number, row.get('access') == 'read'))
        for events in history.values():
            places = [i for i, event in enumerate(events) if event[0] == 'write']
            totals['register_reads'] += len(events) - len(places)
            totals['register_writes'] += len(places)
            totals['reads_of_unwritten_registers'] += places[0] if places else len(events)
            for i, place in enumerate(places):
                last = i + 1 == len(places)
                after = events[place + 1:None if last else places[i + 1]]
                for j, (_, number, _) in enumerate(after):
                    reads[low(number - events[place][1])] += 1
                    uses[low(number - events[place][1])] += events[place][2] and j == 0
                if not last:
                    totals['overwritten_values'] += 1
                    totals['dead_writes'] += not after
                    reuse[min(len(after), 16)] += 1
    return {**totals, 'dead_write_ratio': ratio(totals['dead_writes'], totals['overwritten_values']), 'def_use_distance': [
        {'distance': distance, 'reads': reads[distance],
         'read_share': ratio(reads[distance], sum(reads.values())), 'load_uses': uses[distance],
         'load_use_share': ratio(uses[distance], sum(uses.values()))} for distance in sorted(reads)],
        'reads_per_value': [{'reads': n, 'values': reuse[n], 'share': ratio(reuse[n], totals['overwritten_values'])}
                  for n in sorted(reuse)]}


def memory(contexts, stack, window):
    """The report of memory; each byte has its last store."""
    loads, near, distances = collections.Counter(), collections.Counter(), collections.Counter()
    stores, reloads, reloaded = [], 0, set()
    for rows in contexts:
        bytes, number, instruction = {}, 0, {}
        for row in rows:
            if row['kind'] == 'instruction':
                number, instruction = number + 1, row
            if row.get('access') not in ('read', 'write') or 'address' not in row:
                continue
            touched = [(row['address'] + i) % 2 ** 64 for i in range(min(row.get('size', 1), 4096))]
            if row['access'] == 'write':
                stores.append((number, len(touched), stack(instruction)))
                bytes.update(dict.fromkeys(touched, len(stores) - 1))
                continue
            found = [bytes[address] for address in touched if address in bytes]
            if not found:
                loads['independent'] += 1
                continue
            last = max(found)
            if len(found) < len(touched):
                source = 'partial'
            elif len(set(found)) > 1:
                source = 'several'
            else:
                source = 'same' if stores[last][1] == len(touched) < 127 else 'contained'
            loads[source] += 1
            distances[low(number - stores[last][0])] += 1
            near[source] += number - stores[last][0] <= window
            if source == 'same' and stores[last][2] and stack(instruction):
                reloads += 1
                reloaded.add(last)
    count = sum(loads.values())
    return {'stores': len(stores), 'untracked_bytes': 0, 'store_to_load_forwarding': [
        {'source': source, 'loads': loads[source], 'share': ratio(loads[source], count),
         'near_loads': near[source]} for source in ('independent', 'same', 'contained', 'several', 'partial') if count],
        'forwarding_hazards': near['several'] + near['partial'],
        'forwarding_hazard_ratio': ratio(near['several'] + near['partial'], count),
        'store_to_load_distance': [{'distance': distance, 'loads': distances[distance],
                                    'share': ratio(distances[distance], sum(distances.values()))}
                       for distance in sorted(distances)],
        'stack_stores': sum(store[2] for store in stores), 'stack_reloads': reloads,
        'reloaded_stores': len(reloaded)}


tap = Tap()
for name, window in some(
        ('cis501/sort_1k.trace', 64), ('cis501/thumb.trace', 64), ('cis501/seed15.trace', 1),
        ('tt6/sort.tt6', 64), ('full/altivec.full.gz', 64), ('qemu4v/arm_start_2k.q4v', 3),
        ('amber/memset_thread_001.tt6e', 64), ('lackey/words.lackey', 64), ('tarmac/data.tarmac', 64),
        (threads, 64), (overlaps, 5)):
    header, rows = trace(name)
    contexts = collections.defaultdict(list)
    for row in rows:
        contexts[context(row)].append(row)
    known = 'src1' in header['columns']
    if header.get('isa') == 'powerpc':
        stack = lambda row: powerpc_stack(row['opcode'])
    else:
        pointer = {'x86-64': 4, 'x86': 4, 'arm': 13}.get(header.get('isa'))
        stack = lambda row: known and pointer in of_columns(row)[0]
    expected = {**(registers(contexts.values(), known) if header.get('isa') != 'powerpc' else {}),
            **memory(contexts.values(), stack, window)}
    instructions = sum(map(is_instruction, rows))
    if header.get('isa') != 'powerpc':
        expected['undecoded_instructions'] = 0 if known else instructions
    tap.same(name.split('/')[-1], stats(name, 'dependencies', '-O', f'dependencies.window={window}'),
             {'instructions': instructions, **expected})
sys.exit(tap.end())
