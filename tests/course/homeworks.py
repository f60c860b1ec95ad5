#!/usr/bin/env python3
"""`polytrace sim --course` against the outputs that instructors published, the results that are
known of their traces (published results of CIS 501), and models of the same definitions, as TAP.

    homeworks.py POLYTRACE

The published files are beside the project, or what needs them is skipped.
"""
import gzip
import json
import os
import re
import subprocess
import sys

ROOT = os.environ['POLYTRACE_ROOT']
sys.path.insert(0, os.path.join(ROOT, 'tests', 'models'))

import course_pipelines
import printouts

SHARED = os.environ.get('POLYTRACE_SHARED', os.path.join(ROOT, '..', 'shared'))
PUBLIC = os.path.join(SHARED, 'data', 'public', 'cis501')
GCC = os.path.join(PUBLIC, 'gcc-1K.trace')
V2 = os.path.join(PUBLIC, 'penn-cis501-v2-arm')
ARM = os.path.join(V2, 'streamcluster-10M-v2-first5000.trace.gz')
SAMPLES = os.path.join(ROOT, 'tests', 'data', 'cis501')
SORT, THUMB = os.path.join(SAMPLES, 'sort_1k.trace'), os.path.join(SAMPLES, 'thumb.trace')


def content(*path):
    path = os.path.join(*path)
    return (gzip.open if path.endswith('.gz') else open)(path, 'rt').read()


def homework(course, name, trace, /, **options):
    """What a homework prints of a trace; a '_' in the name of an option is a '-'."""
    words = [word for key, value in options.items()
             for word in ('-O', f'{key.replace("_", "-")}={value}')]
    done = subprocess.run([os.path.abspath(sys.argv[1]), 'sim', '--course', course, name, *words, trace],
                          stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def results(course, name, trace, /, **options):
    """The results alone, by what stands before their '=' or ':'."""
    lines = homework(course, name, trace, **options).splitlines()
    return {key.strip(): value.strip() for line in lines
            for key, mark, value in (line.partition('=') if '=' in line else line.partition(':'),)}


def difference(what, found, expected):
    """The first line in which found is not as expected."""
    for number, (ours, theirs) in enumerate(zip(found, expected), 1):
        if ours != theirs:
            yield f'{what}: line {number} is {ours!r}, expected {theirs!r}'
            return
    if len(found) != len(expected):
        yield f'{what}: {len(found)} lines, expected {len(expected)}'


def numbers(text):
    return [int(word) for word in text.split()]


def totals(what, found, expected):
    """Numbers against those of a table of the reference."""
    if list(found) != numbers(expected):
        yield f'{what}: {list(found)}, expected {expected}'


def published_predictors():
    for name, options in (('bimodal3', {'predictor': 'bimodal', 'size': 3}),
                          ('gshare4-3', {'predictor': 'gshare', 'size': 4, 'history': 3}),
                          ('tournament3-bimodal3-gshare4-4',
                           {'predictor': 'tournament', 'size': 3, 'gshare_size': 4})):
        if homework('penn', 'hw3', GCC, **options) != content(PUBLIC, 'penn-hw3-2012', name + '.output'):
            yield name


def published_superscalar():
    for experiment, count in enumerate((1610, 1915, 1916, 2199), 1):
        ours = homework('wustl', 'hw5', GCC, experiment=experiment, width=3).splitlines()[:-4]
        theirs = content(PUBLIC, 'wustl-hw5', f'hw5-superscalar-3wide-exp{experiment}.out.gz').splitlines()
        yield from difference(f'experiment {experiment}', ours, theirs[:count + 1])


def published_stage_times():
    full = {'predictor': 'bimodal10i', 'btb': '10i', 'cache': '10i2w2b', 'latency': '0h2c3d'}
    for name, options, last in (
            ('fullbypass_memlat=1', {'memlat': 1}, 6868),
            ('mxbypass_memlat=2', {'bypass': 'mx', 'memlat': 2}, 8936),
            ('fullbypass_memlat=1_gshare5i5h_btb5i',
             {'memlat': 1, 'predictor': 'gshare5i5h', 'btb': '5i'}, 7246),
            ('fullbypass_bimodal10i_btb10i_cache=10i2w2b_latency=0h2c3d', full, 6898)):
        found = homework('penn', 'v2', ARM, **options)
        if found != content(V2, f'pipeline_5k_{name}.stagetimes.gz'):
            yield name
        yield from totals(name, [int(found.splitlines()[-1].split()[4])], str(last))


def known_mix():
    lines = results('penn', 'hw1', GCC)
    yield from totals('categories', [int(lines[key]) for key in (
        'micro-ops', 'macro-ops', 'loads', 'stores', 'unconditionalbranches',
        'conditionalbranches', 'other', 'fused pairs', 'branches of more than 8 bits')],
        '1000 754 232 108 36 157 467 142 123')
    if (lines['micro-ops per macro-op'], lines['avgInsnSize']) != ('1.326260', '3.989390'):
        yield str(lines)
    for what, unit, expected in (
            ('macro-ops of', 'micro-ops', '1:558 2:156 3:30 4:10'),
            ('macro-ops of', 'bytes', '1:36 2:153 3:177 4:118 5:68 6:122 7:57 8:19 9:2 10:1 12:1'),
            ('branch targets of', 'bits', '4:2 5:11 6:22 7:22 8:13 9:13 10:18 11:23 12:33 13:13 '
                                          '14:6 15:2 16:4 17:1 19:6 22:4')):
        found = ' '.join(f'{key.split()[-2]}:{value}' for key, value in lines.items()
                         if key.startswith(what) and key.endswith(unit))
        if found != expected:
            yield f'{what} {unit}: {found}'


def known_scoreboards():
    expected = '1000 1134 1294 1459 1627 1796 1966 2136 2308 2480 2652 2824 2996 3168 3340'
    for course in ('penn', 'wustl'):
        for order in ('enforced', 'relaxed'):
            yield from totals(order, [int(results(
                course, 'hw2a', GCC, latency=latency, write_order=order, debug=0)[
                    'Total Execution Time (in cycles)']) for latency in range(1, 16)], expected)


def mispredicted(**options):
    """Of Penn's lines, which end with the count."""
    return int(homework('penn', 'hw3', GCC, **options).split()[-1])


def known_predictors():
    sizes = (2, 3, 4, 6, 8, 10, 12)
    for options, expected in (({'predictor': 'bimodal'}, '54 72 81 76 76 75 73'),
                              ({'predictor': 'gshare', 'history': 8}, '67 69 78 78 74 73 73'),
                              ({'predictor': 'gshare'}, '67 69 78 78 74 73 73'),
                              ({'predictor': 'tournament'}, '59 71 81 76 76 75 73')):
        yield from totals(options, [mispredicted(size=b, **options) for b in sizes], expected)
    yield from totals('fair', [mispredicted(predictor='fair', size=k) for k in (4, 6, 8, 10, 12)],
                      '62 81 76 76 75')
    yield from totals('history', [mispredicted(predictor='gshare', size=10, history=h)
                                  for h in range(13)], '75' + ' 73' * 12)
    # Tables of 2^16 counters are not printed here: the share of 157 branches is exact enough.
    for predictor, wrong in (('bimodal', 73), ('gshare', 73), ('tournament', 73), ('fair', 73),
                             ('taken', 84), ('not-taken', 73)):
        last = homework('wustl', 'hw3', GCC, predictor=predictor, size=16, debug=0).splitlines()[-1]
        if not last.endswith(f'(Mis-prediction rate: {100 * wrong / 157:.2f}%)'):
            yield f'{predictor}: {last}'


def known_caches():
    def traffic(**options):
        found = results('penn', 'hw4', GCC, debug=0, **options)
        return [int(found[f'Total number of bytes transferred write-{way}']) for way in ('back', 'thru')]

    sizes = [2 ** n for n in range(8, 17)]
    one = [traffic(size=size, block=64, ways=1) for size in sizes]
    yield from totals('back', [back for back, _ in one], '11200 9152 6656 4544 3584 3328 3072 3072 3072')
    yield from totals('through', [through for _, through in one],
                      '8880 7344 5552 4336 3760 3568 3376 3376 3376')
    two = [traffic(size=size, block=64, ways=2) for size in sizes]
    misses = [(through - 108 * 4) // 64 for _, through in two]
    yield from totals('2 ways', misses, '111 90 75 52 48 46 46 46 46')
    yield from totals('2 ways, dirty', [back // 64 - n for (back, _), n in zip(two, misses)],
                      '40 29 20 7 1 1 1 0 0')
    blocks = [2 ** n for n in range(3, 10)]
    rows = [traffic(size=32768, block=block, ways=2) for block in blocks]
    yield from totals('blocks', [back for back, _ in rows], '920 1328 1984 2944 4992 8704 16384')
    yield from totals('blocks', [(row[1] - 432) // block for row, block in zip(rows, blocks)],
                      '115 83 62 46 39 34 31')
    for policy, expected in (('lru', '53 51 47 46'), ('pointer', '58 51 48 46')):
        yield from totals(policy, [
            (traffic(size=size, block=64, ways=4, policy=policy, valid=int(policy == 'lru'))[1] - 432) // 64
            for size in (1024, 2048, 4096, 8192)], expected)


def known_superscalar():
    for experiment, expected in enumerate(
            ('1134 782 719 698 692 690', '1426 1130 1082 1060 1056 1054',
             '1426 1138 1101 1086 1083 1083', '1701 1421 1385 1371 1368 1368'), 1):
        yield from totals(f'experiment {experiment}', [
            int(results('wustl', 'hw5', GCC, experiment=experiment, width=width, debug=0)['TotalCycles'])
            for width in (1, 2, 3, 4, 6, 8)], expected)


def out_of_order(course, name, /, **options):
    """Cycles and stalls."""
    text = homework(course, name, GCC, debug=0, **options)
    words = text[text.index('Completed Trace @ cycle'):].split()
    return int(words[4].rstrip('.')), int(text.splitlines()[-2].split()[-1])


def known_out_of_order():
    for memory, expected in (('conservative', '318 249 233 227'), ('perfect', '290 216 176 169')):
        yield from totals(memory, [out_of_order('penn', 'hw5', memory=memory, rob=rob)[0]
                                   for rob in (32, 64, 128, 256)], expected)
    for memory, expected in (('naive', '231 231'), ('store-sets', '224 224'),
                             ('store-sets-1', '224 224')):
        yield from totals(memory, [out_of_order('penn', 'hw5', memory=memory, rob=rob)[0]
                                   for rob in (128, 256)], expected)
    stalls = []
    for experiment, expected in enumerate(('465 324 232 186 169', '523 376 292 272 272',
                                           '477 342 242 194 177'), 1):
        found = [out_of_order('wustl', 'hw6', experiment=experiment, rob=rob)
                 for rob in (16, 32, 64, 128, 256)]
        stalls.append([count for _, count in found])
        yield from totals(f'experiment {experiment}', [cycles for cycles, _ in found], expected)
    yield from totals('stalls', stalls[0], '409 232 116 52 16')
    for shape, expected in (({'registers': 64, 'rob': 4, 'width': 1}, '1337 1347 1337'),
                            ({'registers': 128, 'rob': 8, 'width': 4}, '685 729 692')):
        yield from totals(shape, [out_of_order('wustl', 'hw6', experiment=experiment, **shape)[0]
                                  for experiment in (1, 2, 3)], expected)


def known_sfsu():
    found = results('sfsu', '1b', GCC)
    yield from totals('system 1', [int(found[key]) for key in (
        'branches', 'forward branches', 'forward branches taken', 'backward branches',
        'backward branches taken', 'mispredicted branches')], '193 118 66 75 43 98')
    for predictors, entries, expected in ((8, 4, '82 117 115'), (64, 16, '110 77 76'),
                                          (1024, 128, '109 20 18')):
        found = results('sfsu', '1b', GCC, system=2, predictors=predictors, entries=entries, debug=0)
        yield from totals(f'system 2, {predictors}', [int(found[key]) for key in (
            'mispredicted branches', 'BTB accesses', 'BTB misses')], expected)


class Uop(course_pipelines.Uop):
    """With the fields that homework 1 reads."""

    def __init__(self, number, line):
        super().__init__(number, line)
        self.fall, self.target = (int(field, 16) for field in line.split()[10:12])


UOPS = [Uop(number, line) for number, line in enumerate(content(SORT).splitlines(), 1)]


def modelled(expected, course, name, /, **options):
    """Every line of the output on the sample against those of a model."""
    found = homework(course, name, SORT, **options).splitlines()
    yield from difference(f'{course} {name} {options}', found, list(expected))


def mixes():
    return modelled(printouts.mix(UOPS), 'wustl', 'hw1')


def scoreboards():
    for course, latency, order in (('penn', 2, 'enforced'), ('wustl', 12, 'relaxed'),
                                   ('wustl', 15, 'enforced')):
        lines = printouts.scoreboard(UOPS, latency, order == 'relaxed', SORT)
        yield from modelled(lines, course, 'hw2a', latency=latency, write_order=order)


def predictors():
    sizes = {'size': 5, 'gshare_size': 6, 'chooser_size': 3, 'history': 9}
    for kind in ('bimodal', 'gshare', 'tournament'):
        gshare = 6 if kind == 'tournament' else 5
        lines = printouts.penn_predictor(UOPS, kind, 5, gshare, 9, 3)
        yield from modelled(lines, 'penn', 'hw3', predictor=kind, **sizes)
    for kind in ('taken', 'not-taken', 'bimodal', 'gshare', 'tournament'):
        lines = printouts.wustl_predictor(UOPS, 'sort', kind, 4, 4, 4, 4)
        yield from modelled(lines, 'wustl', 'hw3', predictor=kind, size=4, trace='sort')
    yield from modelled(printouts.wustl_predictor(UOPS, SORT, 'tournament', 4, 5, 5, 4),
                        'wustl', 'hw3', predictor='fair', size=6)


def caches():
    for size, block, ways, policy in ((512, 32, 1, 'pointer'), (1024, 64, 2, 'pointer'),
                                      (1024, 16, 4, 'pointer'), (1024, 16, 4, 'lru')):
        lines = printouts.cache(UOPS, SORT, size, block, ways, policy == 'lru')
        yield from modelled(lines, 'penn' if ways == 4 else 'wustl', 'hw4', size=size, block=block,
                            ways=ways, policy=policy)
    for entries in (1, 8, 1024):
        lines = printouts.cache(UOPS, SORT, 2048, 64, 2, entries=entries)
        yield from modelled(lines, 'penn', 'hw4', size=2048, block=64, ways=2, way_predictor=entries)


def superscalars():
    for experiment in (1, 2, 3, 4):
        for width, stores in ((1, 0), (4, 1)):
            lines = course_pipelines.superscalar(UOPS, experiment, width, stores)
            yield from modelled(['Processing trace...', *lines], 'wustl', 'hw5', width=width,
                                experiment=experiment, cache_stores=stores)


def heading(marks, width, registers, rob, rule):
    memory = [f'  {rule}'] if rule else []
    last = '#: F I D C \t' if rule else 'uop# \t'
    return ['debug mode on', *marks, f'Trace name  \t\t\t\t{SORT}', 'Instruction Limit\t\t\tnone',
            'Processor Configuration:', f'  Machine Width \t\t\t{width}',
            '  Number of Logical Registers \t\t50',
            f'  Number of Physical Registers \t\t{registers}', f'  ROB Size \t\t\t\t{rob}', *memory,
            f'{last} Reg Mappings [freeMe] | Mop Uop']


def summary(stalls, ipc, *more):
    return [f'Processed {len(UOPS)} trace lines.', 'Instructions:', f'  N Fetched =    \t\t{len(UOPS)}',
            f'  N Committed =  \t\t{len(UOPS)}', 'Stalls:', f'  Fetch stalled (ROB full) =    {stalls}',
            *more, f'IPC: \t\t\t\t{ipc:.3f}']


def out_of_orders():
    yield from modelled([*heading(['PART 1: Rename Only'], 1, 60, 64, None),
                         *course_pipelines.rename_only(UOPS, 60),
                         *summary(0, 1, '  Rename stalled (no PRegs) =   0')],
                        'wustl', 'hw6', experiment='rename', registers=60)
    both = 'Experiments 2 & 3: Modeling Memory Dependences'
    perfect = 'Experiment 3: Modeling Perfect Memory Scheduling'
    modeling = 'modeling memory dependences: '
    for experiment, memory, marks, rule in (
            (1, 'none', [], 'NOT modeling memory dependences'),
            (2, 'conservative', [both], modeling + 'Conservative Memory Scheduling'),
            (3, 'perfect', [both, perfect], modeling + 'Perfect Memory Scheduling')):
        for course, name, options, load in (('wustl', 'hw6', {'experiment': experiment}, 4),
                                            ('penn', 'hw5', {'memory': memory}, 3)):
            lines, cycles, stalls = course_pipelines.out_of_order(UOPS, memory, 4, 80, 16, load)
            yield from modelled(
                [*heading(marks, 4, 80, 16, rule), *lines,
                 f'Completed Trace @ cycle {cycles}. Ending Simulation...',
                 *summary(stalls, len(UOPS) / cycles)],
                course, name, width=4, registers=80, rob=16, **options)


def projects():
    lines, (count, wrong, accesses, misses) = printouts.sfsu_branches(UOPS, 13, 7)
    expected = [*lines, f'branches = {count}', f'mispredicted branches = {wrong}',
                f'misprediction rate = {wrong / count:.6f}', f'BTB accesses = {accesses}',
                f'BTB misses = {misses}', f'BTB miss rate = {misses / accesses:.6f}']
    yield from modelled(expected, 'sfsu', '1b', system=2, predictors=13, entries=7)
    for size, ways in ((512, 1), (512, 4), (2048, 2)):
        found = results('sfsu', '2', SORT, size=size, ways=ways)
        yield from totals(f'{size} {ways}', [int(found[key]) for key in (
            'reads', 'writes', 'read misses', 'write misses', 'dirty read misses',
            'dirty write misses', 'access time of reads (cycles)', 'access time of writes (cycles)')],
            ' '.join(map(str, printouts.sfsu_cache(UOPS, size, ways))))


def stage_times():
    insns = [course_pipelines.V2(line) for line in content(THUMB).splitlines()]
    for options, model in (({}, ('MX WX WM', 0)), ({'bypass': 'mx', 'memlat': 3}, ('MX', 3)),
                           ({'bypass': 'none'}, ('', 0)),
                           ({'predictor': 'never', 'memlat': 1},
                            ('MX WX WM', 1, ('never', 0, 0, 0))),
                           ({'predictor': 'gshare3i2h', 'btb': '4i'},
                            ('MX WX WM', 0, ('gshare', 3, 2, 4))),
                           ({'cache': '1i2w3b', 'latency': '1h2c4d'},
                            ('MX WX WM', 0, None, (1, 2, 3, 1, 2, 4)))):
        found = homework('penn', 'v2', THUMB, **options).splitlines()
        yield from difference(str(options), found, list(course_pipelines.v2(insns, *model)))


def limits():
    """The first records of a trace are a trace."""
    done = subprocess.run([os.path.abspath(sys.argv[1]), 'sim', '--course', 'wustl', 'hw5', '-n', '300', SORT],
                          stdout=subprocess.PIPE, text=True, check=True)
    expected = ['Processing trace...', *course_pipelines.superscalar(UOPS[:300], 1, 1)]
    yield from difference('-n 300', done.stdout.splitlines(), expected)


def manual():
    """The options that --list shows are in the page of the courses, after .It Cm."""
    page = open(os.path.join(ROOT, 'doc', 'man', 'polytrace-course.7')).read()
    items = ' '.join(re.findall(r'^\.It Cm (.*)$', page, re.M)).replace(',', ' ').split()
    done = subprocess.run([os.path.abspath(sys.argv[1]), 'sim', '--list', '--json'],
                          stdout=subprocess.PIPE, check=True)
    listed = json.loads(done.stdout)
    for option in listed['homework_options']:
        if option['option'] not in items:
            yield f'{option}'
    for row in listed['homeworks']:
        if f'sim --course {row["course"]} {row["homework"]} ' not in page:
            yield f'no command for {row}'


def outputs():
    """An output that fails is an error, reported once; a closed pipe is not."""
    command = [os.path.abspath(sys.argv[1]), 'sim', '--course', 'penn', 'hw2a', SORT]
    with open('/dev/full', 'w') as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE)
    if done.returncode != 2 or done.stderr.count(b'\n') != 1:
        yield f'full: {done}'
    out, into = os.pipe()
    os.close(out)
    done = subprocess.run(command, stdout=into, stderr=subprocess.PIPE)
    os.close(into)
    if done.returncode not in (0, -13) or done.stderr:
        yield f'closed: {done}'


PUBLISHED = {
    'the_predictors_of_the_instructor_come_out': published_predictors,
    'the_superscalar_outputs_of_the_instructor_come_out': published_superscalar,
    'the_stage_times_of_the_course_come_out': published_stage_times,
    'the_mix_of_the_reference_comes_out': known_mix,
    'the_cycles_of_scoreboards_come_out': known_scoreboards,
    'the_mispredictions_of_the_reference_come_out': known_predictors,
    'the_misses_and_traffic_of_the_reference_come_out': known_caches,
    'the_superscalar_cycles_of_the_reference_come_out': known_superscalar,
    'the_out_of_order_cycles_of_the_reference_come_out': known_out_of_order,
    'the_results_of_san_francisco_come_out': known_sfsu,
}
MODELLED = {
    'homework_1_prints_what_its_model_does': mixes,
    'scoreboards_print_what_their_model_does': scoreboards,
    'predictors_print_what_their_model_does': predictors,
    'caches_print_what_their_model_does': caches,
    'superscalar_processors_print_what_their_model_does': superscalars,
    'out_of_order_processors_print_what_their_model_does': out_of_orders,
    'projects_of_san_francisco_print_what_their_models_do': projects,
    'stage_times_are_those_of_their_model': stage_times,
    'a_limit_makes_a_shorter_trace': limits,
    'every_homework_is_in_the_manual_with_its_options': manual,
    'an_output_that_fails_is_trouble': outputs,
}


def missing():
    """Why tests against published files are skipped; None: they are not."""
    if not os.path.exists(GCC):
        return 'the public traces are not here'
    return 'the build lacks isal' if 'isal' in os.environ.get('POLYTRACE_LACKS', '') else None


def main():
    print(f'1..{len(MODELLED) + len(PUBLISHED)}')
    for number, (name, test) in enumerate({**MODELLED, **PUBLISHED}.items(), 1):
        if name in PUBLISHED and missing():
            print(f'ok {number} - {name} # SKIP {missing()}')
            continue
        faults = list(test())
        print(''.join(f'# {fault}\n' for fault in faults[:10]), end='')
        print(f'{"not " if faults else ""}ok {number} - {name}')


main()
