#!/usr/bin/env python3
"""Prepares traces and runs the comparisons: bench/bench.py BUILD-FOLDER [ROUNDS]

The traces are those of inputs.py.
"""
import os
import subprocess
import sys

from inputs import Inputs

inputs = Inputs(sys.argv[1])
build, generated, real = inputs.build, inputs.generated, inputs.real
rounds = sys.argv[2] if len(sys.argv) > 2 else '5'


def compressed(path):
    """The paths of a trace in gzip and Zstandard."""
    name = os.path.basename(path)
    return inputs.create(name + '.gz', 'gzip', '-c', path), inputs.create(name + '.zst', 'zstd', '-qc', path)


def compare(title, tt6e, bach):
    print(f'# {title}', flush=True)
    subprocess.run([os.path.join(build, 'bench', 'bench'), tt6e, bach, rounds], check=True)


def is_built(name):
    """Whether the build has a format."""
    return subprocess.run([inputs.program, 'formats', name],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def compare_text(title, name, path, files=()):
    print(f'# {name}: {title}', flush=True)
    subprocess.run([os.path.join(build, 'bench', 'text'), name, path,
                    os.path.join(build, 'bench', 'baseline'), rounds, *files], check=True)


compare('generated traces', generated('tt6e', 8000000), generated('bach', 8000000))
traces = real('sort_3M.tt6e'), real('sort_3M.bach')
if all(traces):
    compare('a sort program, real executions', *traces)

LINES = 10000000
for kind in 'cis501', 'qemu4v', 'tarmac', 'lackey', 'din':
    if is_built(kind):
        trace = generated(kind, LINES, 'generate_text')
        compare_text('generated trace', kind, trace, compressed(trace) if kind == 'cis501' else ())
compiler = real('cc1_10M.trace')
if compiler:
    compare_text('a compiler, real execution', 'cis501', compiler, compressed(compiler))
trace = real('arm_2M.q4v')
if trace:
    compare_text('an ARM program, real execution', 'qemu4v', trace)


def compare_aix(title, hooks, counts):
    program = os.path.join(build, 'bench', 'generate_aix')
    trace = inputs.create(f'{hooks}.aix', program, 'trace', '2000000', str(hooks))
    files = [inputs.create(f'{count}.trcfmt', program, 'templates', str(count)) for count in counts]
    print(f'# aix: {title}', flush=True)
    subprocess.run([os.path.join(build, 'bench', 'aix'), trace, rounds, *files], check=True)


compare_aix('500 hooks', 500, [500])
compare_aix('10 hooks, increasing number of templates', 10, [10, 500, 5000])


def query(name, *arguments):
    subprocess.run([os.path.join(build, 'bench', 'query'), name, rounds, *arguments], check=True)


print('# queries', flush=True)
query('filter', 'access == write and address & 0xff0 == 0x120', generated('tt6e', 8000000))
if traces[0]:
    query('filter', 'access == write and address in 0x40800000..0x40800e8f', traces[0])
    query('merge', generated('tt6e', 8000000), traces[0])
if is_built('qemu4v'):
    query('diff', real('arm_2M.q4v') or generated('qemu4v', LINES, 'generate_text'))

print('# simulators', flush=True)
for trace in real('cc1_10M.trace'), generated('cis501', LINES, 'generate_text'):
    if trace and is_built('cis501'):
        subprocess.run([os.path.join(build, 'bench', 'bpred'), trace, rounds], check=True)
        subprocess.run([os.path.join(build, 'bench', 'pipeline'), rounds, trace], check=True)
for uses in [compiler], ['random', '4096'], ['random', '1000000']:
    if uses[0]:
        subprocess.run([os.path.join(build, 'bench', 'sim'), rounds, *uses], check=True)


def compare_stats(title, path):
    print(f'# analyses: {title}', flush=True)
    subprocess.run([os.path.join(build, 'bench', 'bench_stats'), rounds, path], check=True)


compare_stats('generated TT6', generated('tt6e', 8000000))
if traces[0]:
    compare_stats('TT6, a sort program, real execution', traces[0])
if is_built('cis501'):
    compare_stats('generated CIS501 text', generated('cis501', LINES, 'generate_text'))
if compiler:
    compare_stats('CIS501 text, a compiler, real execution', compiler)

# Bytes of a trace that slow compressors are run on.
SLOW_MAX = 32 << 20


def head(path):
    """The path of the first bytes of a trace, up to the end of a line."""
    if os.path.getsize(path) <= SLOW_MAX:
        return path
    with open(path, 'rb') as trace:
        sample = trace.read(SLOW_MAX)
    with open(path + '.head', 'wb') as output:
        output.write(sample[:sample.rindex(b'\n') + 1])
    return path + '.head'


def size_by(command, path):
    """The compressed size of a file."""
    done = subprocess.run(f"{command} -c '{path}' | wc -c", shell=True, check=True, capture_output=True)
    return int(done.stdout)


def compare_packed(title, path):
    packed_path = os.path.join(inputs.folder, 'packed.ptz')
    print(f'# packing: {title}', flush=True)
    subprocess.run([os.path.join(build, 'bench', 'bench_pack'), rounds, path, compressed(path)[0], packed_path],
                   check=True)
    sample = head(path)
    sizes = {command: size_by(command, sample)
             for command in ('gzip -6', 'zstd -q -3', 'zstd -q -19', 'xz -6 -T2')}
    for level in '--fast', '', '--small':
        command = [inputs.program, 'pack', '--force', '--no-verify', '-o', packed_path, sample]
        subprocess.run(command + [level] * bool(level), check=True, capture_output=True)
        size = os.path.getsize(packed_path)
        print(f'{level or "default":8} {size:10} of {os.path.getsize(sample)} bytes; '
              + ', '.join(f'{command} {other} ({other / size:.2f}x)' for command, other in sizes.items()))


if is_built('ptz'):
    for trace in compiler, real('arm_2M.q4v'), *traces:
        if trace:
            compare_packed(os.path.basename(trace), trace)
    if is_built('cis501'):
        compare_packed('no repetition', generated('hostile', 1000000, 'generate_text'))
