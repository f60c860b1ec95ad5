#!/usr/bin/env python3
"""Runs the console blocks of README.md and of the manual and compares their output, as TAP.

    readme.py POLYTRACE

Blocks are those marked as console in README.md, and the literal ones of a manual page that begin
with "$ ". A line "$ COMMAND" of a block is run, in a copy of tests/data that the blocks of a
document share, with polytrace on the PATH; the lines after it are its expected output,
from standard output and standard error. UPDATE=1 replaces them with the actual output: read the
difference.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.environ['POLYTRACE_ROOT']
README = (os.path.join(ROOT, 'README.md'), r'(?<=^```console\n).*?(?=^```$)')
PAGES = [(path, r'(?<=^\.Bd -literal\n)\$ .*?(?=^\.Ed$)')
         for path in sorted(glob.glob(os.path.join(ROOT, 'doc', 'man', '*.[1-9]')))]


def plain(page):
    """The text of a literal block of a manual page."""
    return re.sub(r'\\(e|&|-)', lambda escape: {'e': '\\', '&': '', '-': '-'}[escape[1]], page)


def escaped(text):
    """Text escaped for a literal block of a manual page."""
    return re.sub(r"^(?=[.'])", r'\\&', text.replace('\\', r'\e'), flags=re.M)


def run(command, folder):
    path = os.path.dirname(os.path.abspath(sys.argv[1])) + ':' + os.environ['PATH']
    environment = dict(os.environ, PATH=path, LC_ALL='C')
    done = subprocess.run(['sh', '-c', command], cwd=folder, env=environment,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.stdout


def played(block, folder):
    """The block with the actual output of its commands."""
    commands = re.findall(r'^\$ (.*)$', block, re.M)
    return ''.join(f'$ {command}\n{run(command, folder)}' for command in commands)


# What an example would print if an option, a column or a file had another name since.
MISTAKE = re.compile(r'^polytrace: .*(?:no such|unrecognized|unknown (?:command|option)|missing |'
                     r'cannot open).*$', re.M)


def faults_of(block, result):
    """What is wrong with a block, for which the commands print result."""
    different = [] if block == result else ('expected:\n' + block + 'found:\n' + result).split('\n')
    return different + [f'an example fails: {line}' for line in MISTAKE.findall(result)]


def try_document(path, pattern):
    """The faults of each block of a document, by its first line."""
    is_page = path != README[0]
    text = open(path).read()
    # Blocks of this page have no output of their own: tests/scale.py runs them.
    if os.path.basename(path) == 'polytrace-scale.7':
        return []
    pattern = re.compile(pattern, re.M | re.S)
    blocks = [plain(block) if is_page else block for block in pattern.findall(text)]
    if not blocks:
        return []
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, 'data')
        shutil.copytree(os.path.join(ROOT, 'tests', 'data'), data)
        results = [played(block, data) for block in blocks]
    if os.environ.get('UPDATE'):
        rest = iter(escaped(result) if is_page else result for result in results)
        open(path, 'w').write(pattern.sub(lambda _: next(rest), text))
        blocks = results
    return [(block.split('\n')[0][2:], faults_of(block, result))
            for block, result in zip(blocks, results)]


def main():
    if os.environ.get('POLYTRACE_LACKS'):
        print('1..0 # SKIP the build lacks ' + os.environ['POLYTRACE_LACKS'])
        return
    tour = try_document(*README)
    found = [('the_readme_has_a_tour', [] if tour else ['no block']), *tour]
    for page in PAGES:
        found += try_document(*page)
    print(f'1..{len(found)}')
    for number, (name, faults) in enumerate(found, 1):
        print(''.join(f'# {line}\n' for line in faults), end='')
        print(f'{"not " if faults else ""}ok {number} - {name}')


main()
