#!/usr/bin/env python3
"""The course's pipelines against models written from the reference, and against the courses' own
outputs where they are there, as TAP: course.py DRIVER"""
import gzip
import os
import random
import subprocess
import sys

from course_pipelines import V2, out_of_order, rename_only, superscalar, uops_of, v2

ROOT = os.environ['POLYTRACE_ROOT']
DATA = os.path.join(ROOT, '..', 'shared', 'data', 'public', 'cis501')
MEMORY = ['rename', 'none', 'conservative', 'perfect', 'naive', 'ss2', 'ss3']
DIRECTION = [None, 'never', 'bimodal', 'gshare']


def opened(*path):
    path = os.path.join(*path)
    return (gzip.open if path.endswith('.gz') else open)(path, 'rt').read()


def drive(trace, *arguments):
    command = [sys.argv[1], *map(str, arguments)]
    return subprocess.run(command, input=trace, capture_output=True, text=True,
                          check=True).stdout.splitlines()


def random_uops(seed, count):
    """Few registers, addresses and pcs, so that everything collides."""
    dice = random.Random(seed)
    lines = []
    for _ in range(count):
        pc, register = dice.randrange(0x400000, 0x400040), lambda: dice.choice([-1, 0, 1, 2, 44])
        kind = dice.choice('LLSSBUX')
        target, branch, ldst, address, flags = 0, '-', '-', 0, dice.choice('-RW')
        if kind in 'LS':
            ldst, address = kind, 0x1000 + dice.choice([0, 8, 64, 4096, 8192, 12288])
        if kind in 'BU':
            target, flags = pc + 32, 'R' if kind == 'B' else '-'
            branch = dice.choice('TN') if kind == 'B' else 'T'
        dest = register() if kind in 'LX' else -1
        lines.append(f'{dice.choice([1, 2])} {pc:x} {register()} {register()} {dest} {flags} '
                     f'{branch} {ldst} 0 {address:x} {pc + 4:x} {target:x} M{kind} U{kind}\n')
    return ''.join(lines)


def random_v2(seed, count):
    dice = random.Random(seed)
    lines = []
    for _ in range(count):
        pc = 0x8000 + 2 * dice.randrange(24)
        register = lambda: dice.choice(['  _', ' r1', ' r2', ' sp'])
        kind, taken, ldst, target = dice.choice([' _', ' _', 'CD', 'UI']), '_', '_', 0
        if kind == ' _':
            ldst = dice.choice('LLSS_')
        else:
            taken, target = dice.choice('TN') if kind == 'CD' else 'T', pc + dice.choice([2, 4, 20])
        address = dice.randrange(64) * 4 if ldst != '_' else 0
        dest = register() if ldst != 'S' else '  _'
        lines.append(f'{pc:08x}\t{dice.choice([2, 4])}\t{kind}\t{taken}\t{target:08x}\t{ldst}\t'
                     f'{address:08x}\t{4 if address else 0}\t_\t{dest}\t{register()}\t'
                     f'{register()}\top {kind}\n')
    return ''.join(lines)


def first_difference(name, ours, expected):
    for number, (a, b) in enumerate(zip(ours, expected)):
        if a != b:
            yield f'{name}: line {number + 1} is {a!r}, expected {b!r}'
            return
    if len(ours) != len(expected):
        yield f'{name}: {len(ours)} lines, expected {len(expected)}'


def superscalar_faults(name, trace):
    uops = uops_of(trace)
    for experiment in (1, 2, 3, 4):
        for width, stores in (1, 0), (3, 0), (8, 1):
            expected = ['Processing trace...', *superscalar(uops, experiment, width, stores)]
            ours = drive(trace, 'superscalar', experiment, width, stores)
            yield from first_difference(f'{name} {experiment} {width}', ours, expected)


def ooo_faults(name, trace):
    uops = uops_of(trace)
    yield from first_difference(f'{name} rename', drive(trace, 'ooo', 0, 1, 60, 64, 4)[10:-8],
                                rename_only(uops, 60))
    for memory in range(1, len(MEMORY)):
        for width, registers, size, load in (1, 64, 4, 4), (4, 53, 8, 3), (8, 200, 64, 3):
            lines, cycles, stalls = out_of_order(uops, MEMORY[memory], width, registers, size, load)
            ours = drive(trace, 'ooo', memory, width, registers, size, load)
            start = next(i for i, line in enumerate(ours) if line.startswith('#:')) + 1
            expected = lines + [f'Completed Trace @ cycle {cycles}. Ending Simulation...']
            where = f'{name} {MEMORY[memory]} {width} {registers} {size}'
            yield from first_difference(where, ours[start:-7], expected)
            stalled = f'  Fetch stalled (ROB full) =    {stalls}'
            yield from first_difference(where, ours[-2:-1], [stalled])


def drive_v2(trace, bypass, memory, predictor, cache):
    return drive(trace, 'v2', *(int(name in bypass) for name in ('MX', 'WX', 'WM')), memory,
                 DIRECTION.index(predictor[0] if predictor else None),
                 *(predictor[1:] if predictor else (0, 0, 0)), *(cache or (0, 0, 0, 0, 0, 0)))


def v2_faults(name, trace):
    insns = [V2(line) for line in trace.splitlines()]
    configs = [(bypass, memory, None, None) for memory in (0, 1, 3)
               for bypass in ('', 'MX', 'WX', 'MX WX', 'WX WM', 'MX WX WM')]
    configs += [('MX WX WM', 2, (kind, 3, history, 2), None)
                for kind in DIRECTION[1:] for history in (0, 2, 7)]
    configs += [('MX WX', 5, predictor, (1, ways, 3, hit, 2, 4)) for ways in (1, 2, 3)
                for hit, predictor in ((0, None), (1, ('gshare', 4, 4, 4)))]
    for config in configs:
        yield from first_difference(f'{name} {config}', drive_v2(trace, *config),
                                    v2(insns, *config))


def on_traces(faults, make, samples):
    for seed in range(4):
        yield from faults(f'random {seed}', make(seed, 400))
    for sample in samples:
        yield from faults(os.path.basename(sample), opened(sample))


def published_superscalar():
    trace = opened(DATA, 'gcc-1K.trace')
    for experiment in (1, 2, 3, 4):
        name = f'hw5-superscalar-3wide-exp{experiment}.out.gz'
        ours = drive(trace, 'superscalar', experiment, 3, 0)[:-4]
        yield from first_difference(name, ours, opened(DATA, 'wustl-hw5', name).splitlines()[:len(ours)])
        if len(ours) - 1 != (1610, 1915, 1916, 2199)[experiment - 1]:
            yield f'{name}: {len(ours) - 1} lines'


def superscalar_totals():
    """Reference 7.2, by width 1 2 3 4 6 8."""
    table = ['1134 782 719 698 692 690', '1426 1130 1082 1060 1056 1054',
             '1426 1138 1101 1086 1083 1083', '1701 1421 1385 1371 1368 1368']
    trace = opened(DATA, 'gcc-1K.trace')
    for experiment, totals in enumerate(table, 1):
        found = [drive(trace, 'superscalar', experiment, width, 0)[-1].split()[1]
                 for width in (1, 2, 3, 4, 6, 8)]
        yield from first_difference(f'experiment {experiment}', found, totals.split())


def ooo_total(trace, memory, *config):
    lines = drive(trace, 'ooo', MEMORY.index(memory), *config)
    cycles = next(line for line in lines if line.startswith('Completed'))
    return int(cycles.split()[4].rstrip('.')), int(lines[-2].split()[-1])


def ooo_totals():
    """Reference 7.2: published totals, and those of the verified models."""
    trace = opened(DATA, 'gcc-1K.trace')
    expected = {  # reorder buffer: memory rule and cycles, load latency 3
        128: {'conservative': 233, 'perfect': 176, 'naive': 231, 'ss2': 224, 'ss3': 224},
        256: {'conservative': 227, 'perfect': 169, 'naive': 231, 'ss2': 224, 'ss3': 224},
        32: {'conservative': 318, 'perfect': 290}, 64: {'conservative': 249, 'perfect': 216}}
    for size, rules in expected.items():
        for memory, cycles in rules.items():
            found = ooo_total(trace, memory, 8, 2048, size, 3)[0]
            if found != cycles:
                yield f'{size} {memory}: {found}, expected {cycles}'
    table = {'none': [465, 324, 232, 186, 169], 'conservative': [523, 376, 292, 272, 272],
             'perfect': [477, 342, 242, 194, 177]}
    for memory, cycles in table.items():
        found = [ooo_total(trace, memory, 8, 2048, size, 4)[0] for size in (16, 32, 64, 128, 256)]
        yield from first_difference(memory, found, cycles)
    found = [ooo_total(trace, 'none', 8, 2048, size, 4)[1] for size in (16, 32, 64, 128, 256)]
    yield from first_difference('stalls', found, [409, 232, 116, 52, 16])
    for config, cycles in ((1, 64, 4, 4), [1337, 1347, 1337]), ((4, 128, 8, 4), [685, 729, 692]):
        found = [ooo_total(trace, memory, *config)[0] for memory in table]
        yield from first_difference(str(config), found, cycles)


def published_v2():
    folder = os.path.join(DATA, 'penn-cis501-v2-arm')
    trace = opened(folder, 'streamcluster-10M-v2-first5000.trace.gz')
    for name, config in {
            'fullbypass_memlat=1': ('MX WX WM', 1, None, None),
            'mxbypass_memlat=2': ('MX', 2, None, None),
            'fullbypass_memlat=1_gshare5i5h_btb5i': ('MX WX WM', 1, ('gshare', 5, 5, 5), None),
            'fullbypass_bimodal10i_btb10i_cache=10i2w2b_latency=0h2c3d':
                ('MX WX WM', 0, ('bimodal', 10, 0, 10), (10, 2, 2, 0, 2, 3))}.items():
        expected = opened(folder, f'pipeline_5k_{name}.stagetimes.gz').splitlines()
        yield from first_difference(name, drive_v2(trace, *config), expected)


SAMPLES = os.path.join(ROOT, 'tests', 'data', 'cis501')
UOPS, INSNS = [os.path.join(SAMPLES, 'sort_1k.trace')], [os.path.join(SAMPLES, 'thumb.trace')]
TESTS = {
    'the_superscalar_core_does_what_its_model_does':
        lambda: on_traces(superscalar_faults, random_uops, UOPS),
    'the_out_of_order_core_does_what_its_model_does':
        lambda: on_traces(ooo_faults, random_uops, UOPS),
    'the_five_stages_do_what_their_model_does': lambda: on_traces(v2_faults, random_v2, INSNS),
    'the_superscalar_outputs_of_the_course_come_out': published_superscalar,
    'the_superscalar_totals_of_the_reference_come_out': superscalar_totals,
    'the_out_of_order_totals_of_the_reference_come_out': ooo_totals,
    'the_stage_times_of_the_course_come_out': published_v2,
}
print(f'1..{len(TESTS)}')
for number, (name, faults) in enumerate(TESTS.items(), 1):
    if number > 3 and not os.path.exists(os.path.join(DATA, 'gcc-1K.trace')):
        print(f'ok {number} - {name} # SKIP the public traces are not here')
        continue
    found = list(faults())
    print('\n'.join('# ' + fault for fault in found[:20]))
    print(f'{"not " if found else ""}ok {number} - {name}')
