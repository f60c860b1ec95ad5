#!/usr/bin/env python3
"""Saved results: reports of merged parts are those of whole traces, as TAP.

    saved.py POLYTRACE SAMPLES

Samples are cut by --range, --skip and --count into 1 to 4 parts, which are merged in several groups
and orders.
"""
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ['POLYTRACE_ROOT'], 'tests'))
import needs  # noqa: E402
import sampling  # noqa: E402
import tap  # noqa: E402

needs.libraries('xxhash')

DATA = os.path.join(os.environ['POLYTRACE_ROOT'], 'tests', 'data')
PROGRAM = os.path.abspath(sys.argv[1])
FORMS = ([], ['--json'], ['--csv'])
KINDS = 6
random.seed(int(os.environ.get('POLYTRACE_SEED', '0')))


def polytrace(*arguments, status=0):
    run = subprocess.run([PROGRAM, *arguments], capture_output=True, stdin=subprocess.DEVNULL)
    if run.returncode != status:
        raise RuntimeError(f'{" ".join(arguments)}: {run.returncode}: {run.stderr.decode()[:300]}')
    return run.stdout, run.stderr.decode()


def samples():
    """Samples of different formats: paths and arguments of reading."""
    chosen = {}
    for line in open(sys.argv[2]):
        words = line.split()
        if not words or words[0] == '#' or words[0] not in sampling.writable(PROGRAM):
            continue
        if not sampling.needed(words[0], words[1]):
            chosen.setdefault(words[0], []).append(
                (os.path.join(DATA, words[1]), ['-f', words[0], '--partial'] + (['-O', words[2]] if words[2:] else [])))
    picked = [random.choice(group) for group in chosen.values()]
    return random.sample(picked, min(KINDS, len(picked)))


def ranges(cuts):
    """Arguments that read the parts between cuts, the last one to the end."""
    borders = [0, *cuts]
    for i, begin in enumerate(borders):
        end = borders[i + 1] if i + 1 < len(borders) else None
        if end is None:
            yield [f'--range={begin + 1}-'] if i % 2 else [f'--skip={begin}']
        elif i % 2 and end > begin:
            yield [f'--range={begin + 1}-{end}']
        else:
            yield [f'--skip={begin}', f'--count={end - begin}']


def group(folder, files):
    """Merges some neighbours among files beforehand; returns all that remain, in any order."""
    files = list(files)
    while len(files) > 2 and random.random() < 0.5:
        at = random.randrange(len(files) - 1)
        merged = os.path.join(folder, f'sum{len(os.listdir(folder))}.pst')
        polytrace('stats', '--save', merged, *files[at:at + 2])
        files[at:at + 2] = [merged]
    random.shuffle(files)
    return files


def count_records(path, reading):
    out, _ = polytrace('view', '--csv', *reading, path)
    return out.count(b'\n')


def merged_parts_report_the_same_as_one_run():
    for path, reading in sampling.some(samples()):
        with tempfile.TemporaryDirectory() as folder:
            try:
                rows = count_records(path, reading)
                whole = {tuple(form): polytrace('stats', *form, *reading, path)[0] for form in FORMS}
            except RuntimeError:
                continue
            for parts in range(1, 5):
                cuts = sorted(random.randrange(rows) for _ in range(parts - 1))
                files = []
                for i, bounds in enumerate(ranges(cuts)):
                    files.append(os.path.join(folder, f'{parts}-{i}.pst'))
                    polytrace('stats', '--save', files[-1], f'--threads={random.choice([1, 2, 3])}', *reading, *bounds, path)
                try:
                    files = group(folder, files)
                    form = random.choice(FORMS)
                    if polytrace('stats', *form, *files)[0] != whole[tuple(form)]:
                        yield f'{path}: parts at {cuts} of {rows} records differ, as {form}'
                except RuntimeError as fault:
                    yield f'{path}: parts at {cuts} of {rows} records: {fault}'


def parts_of_several_traces_report_the_same_as_together():
    a, b = (os.path.join(DATA, 'tt6', name) for name in ('isamix.tt6e', 'thread_002.tt6e'))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        polytrace('stats', '--save', 'a1', '--range=1-100', a)
        polytrace('stats', '--save', 'a2', '--range=101-', a)
        polytrace('stats', '--save', 'b', b)
        polytrace('stats', '--save', 'ab', a, b)
        for form in FORMS:
            whole, _ = polytrace('stats', '--together', *form, a, b)
            for files in (['a1', 'a2', 'b'], ['a2', 'b', 'a1'], ['ab']):
                if polytrace('stats', *form, *files)[0] != whole:
                    yield f'{files} differ, as {form}'
        os.chdir('/')


def the_same_bytes_of_a_short_trace_are_saved_by_any_number_of_threads():
    path = os.path.join(DATA, 'tt6', 'isamix.tt6e')
    with tempfile.TemporaryDirectory() as folder:
        saved = set()
        for threads in (1, 2, 3, 8):
            polytrace('stats', '--force', f'--threads={threads}', '--save', folder + '/a', path)
            saved.add(open(folder + '/a', 'rb').read())
        if len(saved) != 1:
            yield 'they differ'


def what_does_not_fit_is_refused():
    path = os.path.join(DATA, 'tt6', 'isamix.tt6e')
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        polytrace('stats', '--save', 'first', '--range=1-100', path)
        polytrace('stats', '--save', 'second', '--range=101-200', path)
        polytrace('stats', '--save', 'last', '--range=201-', path)
        polytrace('stats', '--save', 'wide', '--range=1-150', path)
        polytrace('stats', '--save', 'mix', '-a', 'mix', '--range=101-', path)
        polytrace('stats', '--save', 'where', '--where', 'pc > 0', '--range=101-', path)
        open('cut', 'wb').write(open('first', 'rb').read()[:-1])
        for arguments, message in (
                (['first', 'last'], 'records 101 to 200 are missing'),
                (['first', 'first'], 'records 1 to 100 are in two parts'),
                (['wide', 'second'], 'overlap'),
                (['second', 'last'], 'records 1 to 100 are missing'),
                (['first', 'second'], 'from 201 on'),
                (['first', 'mix'], 'different analyses'),
                (['first', 'where'], 'records'),
                (['first', path], 'not a file of saved results'),
                (['cut'], 'bytes after its head'),
                (['-a', 'mix', 'first'], 'omit --analyses'),
                (['--save', 'none', '-a', 'tlb', path], "analysis 'tlb' cannot be saved"),
                (['--save', 'none', '--warmup=3', path], 'warm-up'),
                (['--save', 'none', '--head=3', path], '--save conflicts with --head'),
                (['--save', 'first', path], 'use --force')):
            _, error = polytrace('stats', *arguments, status=2)
            if message not in error:
                yield f'{arguments}: {error}'
        if os.path.exists('none'):
            yield 'a file was saved'
        polytrace('stats', '--partial', 'first', 'second')
        os.chdir('/')


tap.run([merged_parts_report_the_same_as_one_run, parts_of_several_traces_report_the_same_as_together,
         the_same_bytes_of_a_short_trace_are_saved_by_any_number_of_threads, what_does_not_fit_is_refused])
