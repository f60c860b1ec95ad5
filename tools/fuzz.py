#!/usr/bin/env python3
"""Fuzzes $TARGET (reader, filter, lines, options, ptz, templates, trcfmt; default reader) with libFuzzer for
$SECONDS (default 60).

It starts from the samples, for reader and ptz, and from the target's corpus. $FORMAT is the format of reader's input (default: chosen by the input). Findings are written to build-fuzz/; add their minimized form to tests/fuzz/corpus.
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
target = os.environ.get('TARGET', 'reader')
fuzz = os.path.join(ROOT, 'tests', 'fuzz')
corpus = os.path.join(build, 'corpus', target)
os.makedirs(corpus, exist_ok=True)


def put_samples():
    """Writes the samples as seeds, for any format and any options."""
    number = 0
    for line in open(os.path.join(ROOT, 'tests', 'data', 'samples')):
        words = line.split()
        if not words or words[0] == '#' or os.environ.get('FORMAT', words[0]) != words[0]:
            continue
        data = open(os.path.join(ROOT, 'tests', 'data', words[1]), 'rb').read(8192)
        if len(words) > 2 and words[2].startswith('text.columns='):
            data = words[2].partition('=')[2].encode() + b'\n' + data
        for first in range(20):
            with open(os.path.join(corpus, f'sample{number}'), 'wb') as output:
                output.write(bytes([first, number % 256]) + data)
            number += 1


if target == 'ptz':
    os.environ['FORMAT'] = 'ptz'
if target in ('reader', 'ptz'):
    put_samples()
words = {'templates': 'trcfmt', 'trcfmt': 'trcfmt', 'filter': 'filter'}.get(target)
kept = os.path.join(fuzz, 'corpus', target)
sys.exit(subprocess.run([os.path.join(build, 'tests', 'fuzz_' + target), corpus,
                         *([kept] if os.path.isdir(kept) else []),
                         *([f'-dict={fuzz}/{words}.dict'] if words else []),
                         '-max_len=' + ('16384' if target in ('reader', 'lines', 'ptz') else '4096'),
                         f'-artifact_prefix={build}/',
                         '-max_total_time=' + os.environ.get('SECONDS', '60')],
                        cwd=build).returncode)
