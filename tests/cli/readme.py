#!/usr/bin/env python3
"""Runs the console blocks of README.md and compares what they print, as TAP.

    readme.py POLYTRACE

A line "$ COMMAND" of a block is run, in a copy of tests/data, with polytrace on the PATH; the
lines behind it are what it has to print, on standard output and standard error. UPDATE=1 writes
what came instead: read the difference.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.environ['POLYTRACE_ROOT']
README = os.path.join(ROOT, 'README.md')
BLOCK = re.compile(r'(?<=^```console\n).*?(?=^```$)', re.M | re.S)


def run(command, folder):
    path = os.path.dirname(os.path.abspath(sys.argv[1])) + ':' + os.environ['PATH']
    environment = dict(os.environ, PATH=path, LC_ALL='C')
    done = subprocess.run(['sh', '-c', command], cwd=folder, env=environment, timeout=60,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.stdout


def played(block, folder):
    """The block with what its commands print now."""
    commands = re.findall(r'^\$ (.*)$', block, re.M)
    return ''.join(f'$ {command}\n{run(command, folder)}' for command in commands)


def main():
    if os.environ.get('POLYTRACE_LACKS'):
        print('1..0 # SKIP the build lacks ' + os.environ['POLYTRACE_LACKS'])
        return
    text = open(README).read()
    blocks = BLOCK.findall(text)
    print(f'1..{1 + len(blocks)}')
    print(f'{"" if blocks else "not "}ok 1 - the_readme_has_a_tour')
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, 'data')
        shutil.copytree(os.path.join(ROOT, 'tests', 'data'), data)
        results = [played(block, data) for block in blocks]
    for number, (block, result) in enumerate(zip(blocks, results), 2):
        if block != result and not os.environ.get('UPDATE'):
            print('\n'.join('# ' + line for line in ('expected:\n' + block + 'came:\n' + result).split('\n')))
            print('not ', end='')
        print(f'ok {number} - {block.split(chr(10))[0][2:]}')
    if os.environ.get('UPDATE'):
        rest = iter(results)
        open(README, 'w').write(BLOCK.sub(lambda _: next(rest), text))


main()
