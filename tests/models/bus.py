#!/usr/bin/env python3
"""Bus cycles, computed from the bytes of the records, as TAP."""
import collections
import os
import struct
import sys

from model import DATA, ROOT, Tap, stats

NAMES = {0: 'INVALID_0', 1: 'INT_ACK', 2: 'INVALID_2', 3: 'SPECIAL', 4: 'INVALID_4', 5: 'IO_READ',
         6: 'INVALID_6', 7: 'IO_WRITE', 8: 'I_FETCH', 9: 'NC_I_FETCH', 10: 'INVALID_10',
         11: 'INVALID_11', 12: 'D_READ', 13: 'NC_D_READ', 14: 'WRITE_BACK', 15: 'D_WRITE'}
TYPES = {0: 'fetch', 1: 'read', 2: 'read_invalidate', 3: 'write', 0x10: 'io_read', 0x11: 'io_write',
         0x20: 'deferred_reply', 0x21: 'interrupt_acknowledge', 0x22: 'agent_response',
         0x23: 'branch_trace', 0x31: 'shutdown', 0x32: 'flush', 0x33: 'halt', 0x34: 'sync',
         0x35: 'flush_acknowledge', 0x36: 'stop_grant', 0x37: 'smi_acknowledge'}
WAYS = {5: 'in', 7: 'out', 8: 'fetch', 9: 'fetch', 12: 'read', 13: 'read', 14: 'write', 15: 'write'}
TYPE_WAYS = {0: 'fetch', 1: 'read', 2: 'read', 3: 'write', 0x10: 'in', 0x11: 'out'}


def bach(path):
    """Records: name, way (None: no transfer), address, bytes requested, transferred, lanes."""
    data = open(path, 'rb').read()
    for at in range(0, len(data) - 5, 6):
        address, enables, control = struct.unpack_from('>IBB', data, at)
        operation = control >> 4
        lanes = [lane for lane in range(8) if not enables >> lane & 1]
        way = WAYS.get(operation)
        transferred = 32 if operation in (8, 12, 14) else len(lanes)
        yield (NAMES[operation], way, address // 8 * 8 + (lanes[0] if lanes else 0), len(lanes),
               transferred, lanes, enables)


def byutr(path):
    data = open(path, 'rb').read()
    for at in range(0, len(data) - 11, 12):
        address, kind, size = struct.unpack_from('<IBB', data, at)
        yield TYPES.get(kind, 'unknown'), TYPE_WAYS.get(kind), address, size, size, None, None


def bursts(way, transfers):
    """Runs of sequential (address, bytes)."""
    runs, expected = [], None
    for address, size in transfers:
        unit = max(size, 8)
        if address // unit * unit == expected:
            runs[-1] += 1
        else:
            runs.append(1)
        expected = address // unit * unit + unit
    total = sum(runs)
    return {'access': way, 'transfers': total, 'sequential': total - len(runs),
            'sequential_ratio': (total - len(runs)) / total, 'sequential_runs': len(runs),
            'run_length_mean': total / len(runs), 'run_length_max': max(runs)}


def model(records):
    cycles = {}
    transfers = collections.defaultdict(list)
    sizes = collections.Counter()
    acknowledges = []
    for name, way, address, requested, transferred, lanes, enables in records:
        sums = cycles.setdefault(name, [0, 0, 0, 0])
        sums[0] += 1
        if name == 'INT_ACK':
            acknowledges.append(enables)
        if way is None:
            continue
        carried = 8 * max(1, (transferred + 7) // 8)
        for i, bytes_ in enumerate((requested, transferred, carried)):
            sums[i + 1] += bytes_
        if lanes is not None:
            sizes[requested] += 1
        transfers[way].append((address, transferred))
    memory = [t[0] for way in ('fetch', 'read', 'write') for t in transfers[way]]
    total = [sum(column) for column in zip(*cycles.values())]
    expected = {
        'bus_cycles': total[0], 'requested_bytes': total[1], 'transferred_bytes': total[2],
        'bus_capacity_bytes': total[3],
        'bus_utilization': total[2] / total[3] if total[3] else None,
        'cycles_by_operation': [{'operation': name, 'cycles': sums[0],
                    'share': sums[0] / total[0], 'requested_bytes': sums[1],
                    'transferred_bytes': sums[2], 'bus_capacity_bytes': sums[3]}
                   for name in [*NAMES.values(), *TYPES.values(), 'unknown'] if name in cycles
                   for sums in [cycles[name]]],
        'sequential_transfers': [bursts(way, transfers[way]) for way in ('fetch', 'read', 'write')
                   if transfers[way]],
        'unique_pages': len({address >> 12 for address in memory}),
        'unique_regions': len({address >> 20 for address in memory}),
    }
    beyond = sum(t[0] > 0xffff for way in ('in', 'out') for t in transfers[way])
    if beyond:
        expected['untracked_port_accesses'] = beyond
    regions = collections.defaultdict(collections.Counter)
    for way in ('fetch', 'read', 'write'):
        for address, _ in transfers[way]:
            regions[address >> 20][way] += 1
    best = sorted(regions, key=lambda region: (-sum(regions[region].values()), region))
    expected['busiest_regions'] = [{'address': f'0x{region << 20:08x}', 'fetches': regions[region]['fetch'],
                            'reads': regions[region]['read'], 'writes': regions[region]['write']}
                           for region in best[:10]]
    ports = collections.defaultdict(lambda: [0, 0, 0])
    for i, way in enumerate(('in', 'out')):
        for address, size in transfers[way]:
            if address <= 0xffff:
                ports[address][i] += 1
                ports[address][2] += size
    expected['unique_ports'] = len(ports)
    best = sorted(ports, key=lambda port: (-sum(ports[port][:2]), port))
    expected['busiest_ports'] = [(f'0x{port:04x}', *ports[port]) for port in best[:10]]
    if sizes:
        expected['request_sizes'] = [{'size': size, 'cycles': sizes[size],
                              'share': sizes[size] / sum(sizes.values())}
                             for size in sorted(sizes)]
    if acknowledges:
        pairs = sum(two == (0xef, 0xfe) for two in zip(acknowledges, acknowledges[1:]))
        expected['interrupts'] = acknowledges.count(0xfe)
        expected['unpaired_acknowledge_cycles'] = len(acknowledges) - 2 * pairs
    return expected


def compare(tap, name, records, directory=DATA):
    path = os.path.join(directory, name)
    if not os.path.exists(path):
        tap.ok(f'{name} # SKIP not there', True)
        return
    found = stats(path, 'bus')
    found['busiest_ports'] = [(row['port'], row['reads'], row['writes'], row['bytes'])
                      for row in found['busiest_ports']]
    tap.same(name, found, model(records(path)))


tap = Tap()
for word in ('bios_irq_4k.bach', 'start_2k.bach', 'special.tr', 'nibbles.tr', 'enables.tr'):
    compare(tap, 'bach/' + word, bach)
compare(tap, 'byutr/types12.tr', byutr)
SHARED = os.environ.get('POLYTRACE_SHARED', os.path.join(ROOT, '..', 'shared'))
for word, records in (('bach6_be_20k.tr', bach), ('sdsu_trace1.tr', byutr)):
    compare(tap, word, records, os.path.join(SHARED, 'data', 'public', 'bach'))
sys.exit(tap.end())
