#!/usr/bin/env python3
"""The Python package as a user has it, as TAP: a wheel is built from a copy of its source with the system's
Python, installed into an empty folder, and tested outside of the source.

    wheel.py LIBRARY POLYTRACE SAMPLES SANITIZERS

SANITIZERS: those that the library was built with, by clang; or "none"."""
import os
import shutil
import subprocess
import sys
import tempfile

from built import PYTHON, environment, lacking

ROOT = os.environ['POLYTRACE_ROOT']
HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY, POLYTRACE, SAMPLES = map(os.path.abspath, sys.argv[1:4])
SANITIZERS = sys.argv[4]


def run(*words, **options):
    done = subprocess.run(words, capture_output=True, text=True, check=False, **options)
    if done.returncode:
        print(f'Bail out! {" ".join(words)}: {done.returncode}\n{done.stdout}{done.stderr}')
        sys.exit(1)
    return done.stdout


def preload():
    """The variables of the interpreter with the sanitizers' library, which it was not linked with."""
    if SANITIZERS == 'none':
        return {}
    library = run('clang', '-print-file-name=libclang_rt.asan-x86_64.so').strip()
    # The interpreter does not free all memory at its end.
    options = os.environ.get('ASAN_OPTIONS', 'allocator_may_return_null=1')
    return {'LD_PRELOAD': library, 'ASAN_OPTIONS': options + ':detect_leaks=0'}


def main():
    if lacking():
        print(f'1..0 # SKIP {lacking()}')
        return
    lacks = {'jansson', 'xxhash', 'zstd'} & set(os.environ['POLYTRACE_LACKS'].split())
    if lacks:
        print(f'1..0 # SKIP the build lacks {", ".join(sorted(lacks))}')
        return
    with tempfile.TemporaryDirectory() as top:
        build = environment(top, LIBRARY, SANITIZERS)
        source, target = (os.path.join(top, name) for name in ('source', 'target'))
        shutil.copytree(os.path.join(ROOT, 'python'), source)
        run(PYTHON, '-m', 'pip', 'wheel', '--no-build-isolation', '--no-deps', '--no-index', '-w', top, source,
            env=build, cwd=top)
        wheel, = (name for name in os.listdir(top) if name.endswith('.whl'))
        run(PYTHON, '-m', 'pip', 'install', '--no-deps', '--no-index', '--target', target,
            os.path.join(top, wheel), env=build, cwd=top)
        shutil.rmtree(source)
        os.mkdir(os.path.join(top, 'work'))
        tests = {**build, **preload(), 'PYTHONPATH': target, 'POLYTRACE': POLYTRACE, 'LIBRARY': LIBRARY,
                 'SAMPLES': SAMPLES, 'WHEEL': os.path.join(top, wheel), 'OPENBLAS_NUM_THREADS': '1'}
        sys.exit(subprocess.run([PYTHON, os.path.join(HERE, 'package.py')], env=tests,
                                cwd=os.path.join(top, 'work'), check=False).returncode)


main()
