#!/usr/bin/env python3
"""Strides of instructions and runs of sequential accesses, from lists of addresses, as TAP."""
import collections
import sys

from model import Tap, overlaps, context, some, stats, threads, trace


def ratio(part, whole):
    return part / whole if whole else None


def signed(stride):
    return (stride + 2 ** 63) % 2 ** 64 - 2 ** 63


def stride_classes(addresses):
    """Accesses without a stride, with stride zero, the previous stride, another one."""
    strides = [signed(b - a) for a, b in zip(addresses, addresses[1:])]
    zero = strides.count(0)
    repeated = sum(a == b != 0 for a, b in zip(strides, strides[1:]))
    return {'first': 1, 'zero': zero, 'repeated': repeated, 'changed': len(strides) - zero - repeated}, strides


def lengths(accesses):
    """The lengths of runs of accesses that each begin at the end of the previous one."""
    length, end = 0, None
    for address, size in accesses:
        if length and address != end:
            yield length
            length = 0
        length += 1
        end = (address + size) % 2 ** 64
    if length:
        yield length


def first_most(counts, n=None):
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:n]


tap = Tap()
for name in some('tt6/sort.tt6', 'qemu4v/arm_start_2k.q4v', 'cis501/sort_1k.trace', 'lackey/words.lackey',
                 'full/altivec.full.gz', 'amber/memset_thread_001.tt6e', 'tarmac/data.tarmac', threads, overlaps):
    _, rows = trace(name)
    contexts, last, sites, unattributed = {}, {}, collections.defaultdict(list), 0
    flat = collections.defaultdict(list)
    for row in rows:
        user = context(row)
        contexts.setdefault(user, len(contexts))
        if row['kind'] == 'instruction' and 'pc' in row:
            last[user] = row['pc'], row.get('opcode', 0)
        if row.get('access') not in ('read', 'write') or 'address' not in row:
            continue
        flat[user].append((row['address'], row.get('size', 1)))
        if user in last:
            sites[last[user], contexts[user]].append(row['address'])
        else:
            unattributed += 1
    by_site = {site: stride_classes(addresses) for site, addresses in sites.items()}
    classes = collections.Counter()
    strides = collections.Counter()
    for counts, found in by_site.values():
        classes.update(counts)
        strides.update(found)
    total = sum(map(len, sites.values()))
    runs = collections.Counter()
    for accesses in flat.values():
        runs.update(lengths(accesses))
    bins = collections.defaultdict(collections.Counter)
    for length, count in runs.items():
        bins[1 << length.bit_length() - 1].update(runs=count, accesses=length * count)
    hottest, names_of = [], {number: user and '%s %d' % user for user, number in contexts.items()}
    for site, user in sorted(sites, key=lambda key: (-len(sites[key]), key[0][0], key[1]))[:10]:
        counts, found = by_site[site, user]
        dominant = first_most(collections.Counter(found), 1)
        hottest.append({'pc': f'0x{site[0]:08x}', 'context': names_of[user], 'accesses': len(sites[site, user]),
                        **{key + '_strides': counts[key] for key in ('zero', 'repeated', 'changed')},
                        'dominant_stride': dominant[0][0] if dominant else None,
                        'dominant_stride_ratio': ratio(dominant[0][1], len(found)) if dominant else None})
    found = stats(name, 'strides')
    for line in found['hottest_instructions']:
        line.pop('mnemonic')
    tap.same(name.split('/')[-1], found, {
        'accesses': sum(map(len, flat.values())), 'unattributed_accesses': unattributed,
        'memory_instructions': len(sites),
        'stride_classes': [{'class': key, 'accesses': classes[key], 'share': ratio(classes[key], total)}
                    for key in ('first', 'zero', 'repeated', 'changed')],
        'most_frequent_strides': [{'stride': stride, 'accesses': count, 'share': ratio(count, sum(strides.values()))}
                    for stride, count in first_most(strides, 10)],
        'hottest_instructions': hottest,
        'sequential_access_runs': [{'access_run_length': length, **bins[length]} for length in sorted(bins)]})
sys.exit(tap.end())
