#!/usr/bin/env python3
"""Fuzzes the readers, or $TARGET (trcfmt, templates), with libFuzzer for $SECONDS (default 60).

It starts from the samples, or the target's corpus. Findings are left in build-fuzz/; add their
smallest form to tests/fuzz/corpus, or to that of the target.
"""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
build = os.path.join(ROOT, 'build-fuzz')
if not os.path.exists(os.path.join(build, 'build.ninja')):
    subprocess.run(['meson', 'setup', build, '-Dfuzzing=true', '-Db_lundef=false',
                    '-Db_sanitize=address,undefined', '-Dbuildtype=debugoptimized'], cwd=ROOT,
                   env=dict(os.environ, CC='clang'), check=True)
subprocess.run(['ninja', '-C', build], check=True)
limits = [f'-artifact_prefix={build}/', '-max_total_time=' + os.environ.get('SECONDS', '60')]
fuzz = os.path.join(ROOT, 'tests', 'fuzz')
target = os.environ.get('TARGET')
if target:
    corpus = os.path.join(build, 'corpus_' + target)
    os.makedirs(corpus, exist_ok=True)
    sys.exit(subprocess.run([os.path.join(build, 'tests', 'fuzz_' + target), corpus,
                             os.path.join(fuzz, 'corpus_' + target), '-max_len=4096',
                             '-dict=' + os.path.join(fuzz, 'trcfmt.dict'), *limits],
                            cwd=build).returncode)
corpus = os.path.join(build, 'corpus')
os.makedirs(corpus, exist_ok=True)
number = 0
for line in open(os.path.join(ROOT, 'tests', 'data', 'samples')):
    words = line.split()
    if not words or words[0] == '#':
        continue
    data = open(os.path.join(ROOT, 'tests', 'data', words[1]), 'rb').read(8192)
    if len(words) > 2 and words[2].startswith('text.columns='):
        data = words[2].partition('=')[2].encode() + b'\n' + data
    for first in range(20):
        with open(os.path.join(corpus, f'sample{number}'), 'wb') as to:
            to.write(bytes([first, number % 256]) + data)
        number += 1
sys.exit(subprocess.run([os.path.join(build, 'tests', 'fuzz_reader'), corpus,
                         os.path.join(fuzz, 'corpus'), '-max_len=16384', *limits],
                        cwd=build).returncode)
