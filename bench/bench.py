#!/usr/bin/env python3
"""Prepares traces and runs the comparisons: bench/bench.py BUILD-FOLDER [ROUNDS]

Generated traces always; the large real ones beside the project (../shared/data/bench, or
$POLYTRACE_SHARED) where they are there.
"""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
build = os.path.abspath(sys.argv[1])
rounds = sys.argv[2] if len(sys.argv) > 2 else '5'
shared = os.path.join(os.environ.get('POLYTRACE_SHARED', os.path.join(ROOT, '..', 'shared')),
                      'data', 'bench')
data = os.path.join(build, 'bench-data')
os.makedirs(data, exist_ok=True)


def generated(kind, records):
    """The path of a generated trace, made where it is not there yet."""
    path = os.path.join(data, f'generated.{kind}')
    if not os.path.exists(path):
        with open(path, 'wb') as to:
            subprocess.run([os.path.join(build, 'bench', 'generate'), kind, str(records)],
                           stdout=to, check=True)
    return path


def real(name):
    """The path of an unpacked real trace, or None."""
    packed, path = os.path.join(shared, name + '.zst'), os.path.join(data, name)
    if os.path.exists(packed) and not os.path.exists(path):
        subprocess.run(['zstd', '-q', '-d', '--long=27', packed, '-o', path], check=True)
    return path if os.path.exists(path) else None


def compare(title, tt6e, bach):
    print(f'# {title}', flush=True)
    subprocess.run([os.path.join(build, 'bench', 'bench'), tt6e, bach, rounds], check=True)


compare('generated traces', generated('tt6e', 8000000), generated('bach', 8000000))
traces = real('sort_3M.tt6e'), real('sort_3M.bach')
if all(traces):
    compare('a sort program, real executions', *traces)
