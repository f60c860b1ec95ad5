#!/usr/bin/env python3
"""How much commands gain from threads: bench/scale.py BUILD [ROUNDS [PATTERN]]

For each command, medians: the seconds of one thread; with two threads, the ratios of the elapsed and of the
processor time to those of one; with eight, the shares of all samples (perf) that are of the thread that reads and
commits, and of the busiest of the others. The inverse of the greatest share is the most that any number of processors
can gain. Inputs are repeated until one thread takes two seconds, or they are 1 GiB long. PATTERN: a
regular expression that selects rows by title. The traces are those of inputs.py.
"""
import collections
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

from inputs import Inputs

inputs = Inputs(sys.argv[1])
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
pattern = re.compile(sys.argv[3] if len(sys.argv) > 3 else '')
SECONDS = 2
SIZE_MAX = 1 << 30
FREQUENCY = 997


def with_threads(words, threads):
    """The words of a command with a number of threads."""
    switch = 'decoders' if words[0] == 'trcrpt' else 'threads'
    return [words[0], f'--{switch}={threads}', *words[1:]]


def run(words, threads):
    """Elapsed seconds and processor seconds of a command; None: it failed."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run([inputs.program, *with_threads(words, threads)],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    elapsed, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode == 2:
        return None
    return elapsed, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def shares(words, folder):
    """The shares of the samples of the first thread and of the busiest other one."""
    data = os.path.join(folder, 'samples')
    subprocess.run(['perf', 'record', '-q', '-e', 'cpu-clock', '-F', str(FREQUENCY), '-o', data, inputs.program,
                    *with_threads(words, 8)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    script = subprocess.run(['perf', 'script', '-i', data, '-F', 'pid,tid'], capture_output=True, text=True, check=True)
    samples = collections.Counter(tuple(line.split()[0].split('/')) for line in script.stdout.splitlines())
    first = sum(count for (pid, tid), count in samples.items() if pid == tid)
    others = [count for (pid, tid), count in samples.items() if pid != tid]
    total = max(1, first + sum(others))
    return first / total, max(others, default=0) / total


def measure(title, path, *words, input_count=1):
    """Prints the row of a command, whose last words are its inputs."""
    if not path or not pattern.search(title):
        return
    if path.endswith('.aix'):
        words = [*words, '--from=aix']
    once = run([*words, *[path] * input_count], 1)
    if not once:
        print(f'{title}: failed', flush=True)
        return
    count = 1
    while once[0] * count < SECONDS and os.path.getsize(path) * count * 2 <= SIZE_MAX:
        count *= 2
    words = [*words, *[inputs.joined(path, count) if count > 1 else path] * input_count]
    times = {1: [], 2: []}
    busy = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            for threads, seconds in times.items():
                seconds.append(run(words, threads))
            busy.append(shares(words, folder))
    (wall, cpu), (wall2, cpu2), (first, other) = (
        [statistics.median(column) for column in zip(*rows)] for rows in (times[1], times[2], busy))
    print(f'{wall:7.2f} s  {wall2 / wall:5.2f}  {cpu2 / cpu:5.2f}  {first:5.2f}  {other:5.2f}  {title}', flush=True)


RECORDS = 4000000
binary = {'tt6e': inputs.real('sort_3M.tt6e') or inputs.generated('tt6e', RECORDS),
          'bach': inputs.real('sort_3M.bach') or inputs.generated('bach', RECORDS)}
text = {'cis501': inputs.real('cc1_10M.trace') or inputs.generated('cis501', RECORDS, 'generate_text'),
        'qemu4v': inputs.real('arm_2M.q4v') or inputs.generated('qemu4v', RECORDS, 'generate_text'),
        'din': inputs.generated('din', RECORDS, 'generate_text')}
program = os.path.join(inputs.build, 'bench', 'generate_aix')
log = inputs.create('500.aix', program, 'trace', '2000000', '500')
templates = inputs.create('500.trcfmt', program, 'templates', '500')
jsonl = inputs.create('tt6e.jsonl', inputs.program, 'convert', '-n', str(RECORDS // 4), binary['tt6e'], '-t', 'jsonl', '-o', '-')
packed = {f'{name} ptz': inputs.packed({**binary, **text}[name]) for name in ('tt6e', 'cis501')}
traces = {**binary, **text, **packed, 'aix': log, 'jsonl': jsonl}

print(' 1 thread  2: wall  cpu   8: first other', flush=True)
for name, trace in traces.items():
    measure(f'{name}: info', trace, 'info')
    measure(f'{name}: check', trace, 'check')
    measure(f'{name}: view', trace, 'view')
    measure(f'{name}: convert jsonl', trace, 'convert', '-t', 'jsonl', '-o', '-')
    measure(f'{name}: stats', trace, 'stats')
    if 'ptz' not in name:
        measure(f'{name}: pack', trace, 'pack', '--force', '-o', '-')
    else:
        measure(f'{name}: unpack', trace, 'unpack', '--force', '-o', '-')
for name in 'tt6e', 'cis501', 'cis501 ptz':
    measure(f'{name}: stats --all', traces[name], 'stats', '--all')
    measure(f'{name}: diff', traces[name], 'diff', input_count=2)
    for simulator in 'mrc', 'cache', 'branch', 'pipeline':
        measure(f'{name}: sim {simulator}', traces[name], 'sim', simulator)
for name, target in (('cis501', 'cis501'), ('qemu4v', 'qemu4v'), ('qemu4v', 'tarmac'), ('tt6e', 'tt6e'), ('tt6e', 'tt6'),
                     ('bach', 'bach'), ('bach', 'byutr'), ('din', 'din')):
    measure(f'{name}: convert {target}', traces[name], 'convert', '--force', '-t', target, '-o', '-')
measure('qemu4v: calls', text['qemu4v'], 'calls')
measure('cis501: report', text['cis501'], 'report', '-o', '-')
measure('aix: trcrpt', log, 'trcrpt', '-t', templates)
