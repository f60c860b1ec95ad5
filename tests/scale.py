#!/usr/bin/env python3
"""The examples of polytrace-scale(7), run, as TAP.

    scale.py POLYTRACE mpi|none|sanitized

A block of the page is a series of commands. "same: COMMAND" before it names one whose output is that
of the last one; "needs: PROGRAM" one that may be missing. Else than mpi: ranks are not tried.
"""
import os
import re
import subprocess
import sys
import tempfile

import needs

needs.libraries('xxhash', 'zstd')

ROOT = os.environ['POLYTRACE_ROOT']
PROGRAM = os.path.abspath(sys.argv[1])
BLOCK = re.compile(r'((?:^\.\\" (?:needs|same): [^\n]*\n)*)^\.Bd -literal\n(.*?)^\.Ed$', re.M | re.S)
FOLDER = tempfile.TemporaryDirectory()
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT='1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1',
                   HOME=FOLDER.name, PATH=f'{FOLDER.name}:{os.environ["PATH"]}')


def run(command):
    """The output of a command of the page."""
    done = subprocess.run(['sh', '-c', command], capture_output=True, text=True, env=ENVIRONMENT,
                          stdin=subprocess.DEVNULL, cwd=FOLDER.name)
    if done.returncode:
        raise RuntimeError(f'{command}: {done.returncode}: {done.stderr}')
    return done.stdout


def blocks():
    """The blocks with commands: needed program, command of the same output, commands."""
    for labels, text in BLOCK.findall(open(os.path.join(ROOT, 'doc', 'man', 'polytrace-scale.7')).read()):
        commands = [line[2:] for line in text.replace('\\e', '\\').splitlines() if line.startswith('$ ')]
        if commands:
            known = dict(re.findall(r'^\.\\" (\w+): (.*)$', labels, re.M))
            yield known.get('needs'), known.get('same'), commands


def main():
    os.symlink(PROGRAM, os.path.join(FOLDER.name, 'polytrace'))
    os.symlink(os.path.join(ROOT, 'tests', 'data', 'tt6'), os.path.join(FOLDER.name, 'tt6'))
    found = list(blocks())
    print(f'1..{len(found)}')
    for number, (needed, same, commands) in enumerate(found, 1):
        name = f'{number} - {commands[-1]}'
        lacking = needed and needs.lacking(needed)
        if lacking or needed == 'mpirun' and sys.argv[2] != 'mpi':
            print(f'ok {name} # SKIP {lacking or "the build lacks mpi"}')
            continue
        for file in os.listdir(FOLDER.name):
            if file.endswith('.pst'):
                os.remove(os.path.join(FOLDER.name, file))
        try:
            outputs = [run(command) for command in commands]
            fault = 'another output' if same and outputs[-1] != run(same) else ''
        except RuntimeError as failure:
            fault = str(failure)
        if fault:
            print('# ' + fault.replace('\n', '\n# '))
        print(f'{"not " if fault else ""}ok {name}', flush=True)


main()
