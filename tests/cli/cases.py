#!/usr/bin/env python3
"""Runs the cases of the command, as TAP.

    cases.py POLYTRACE [NAME...]

A case is NAME.cmd, a shell script, with its expected results: NAME.out, NAME.err (absent: empty)
and NAME.rc (absent: 0). It runs in tests/data with polytrace on the PATH and a
folder of its own in $T. A line "# needs isal jansson" in it names libraries, as in
meson_options.txt, without which it is skipped.
UPDATE=1 replaces the expected results with the actual ones: read the difference.
"""
import difflib
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.environ['POLYTRACE_ROOT']
sys.path.insert(0, os.path.join(ROOT, 'tests'))
import sampling  # noqa: E402

CASES = os.path.join(ROOT, 'tests', 'cli', 'cases')
ABSENT = {'out': '', 'err': '', 'rc': '0\n'}


def run(program, name):
    """The results of a case: its texts by suffix."""
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, T=folder, TERM='dumb', LC_ALL='C',
                           PATH=os.path.dirname(os.path.abspath(program)) + ':' + os.environ['PATH'])
        environment.pop('NO_COLOR', None)
        done = subprocess.run(['sh', os.path.join(CASES, name + '.cmd')], env=environment,
                              cwd=os.path.join(ROOT, 'tests', 'data'),
                              stdin=subprocess.DEVNULL, capture_output=True)
        texts = {'out': done.stdout, 'err': done.stderr, 'rc': b'%d\n' % done.returncode}
        return {ending: text.decode('utf-8', 'backslashreplace').replace(folder, '$T')
                for ending, text in texts.items()}


def lacking(name):
    """Libraries that the case names in its line "# needs" and the build does not have."""
    needs = re.search('^# needs (.*)$', open(os.path.join(CASES, name + '.cmd')).read(), re.M)
    lacks = os.environ.get('POLYTRACE_LACKS', '').split()
    return [word for word in needs[1].split() if word in lacks] if needs else []


def expected(name, ending):
    path = os.path.join(CASES, f'{name}.{ending}')
    return open(path).read() if os.path.exists(path) else ABSENT[ending]


def update(name, texts):
    for ending, text in texts.items():
        path = os.path.join(CASES, f'{name}.{ending}')
        if text != ABSENT[ending]:
            open(path, 'w').write(text)
        elif os.path.exists(path):
            os.remove(path)


def main():
    program, names = sys.argv[1], sys.argv[2:]
    names = names or sampling.sparse(sorted(os.path.basename(path)[:-4] for path in glob.glob(CASES + '/*.cmd')))
    print(f'1..{len(names)}')
    for number, name in enumerate(names, 1):
        if lacking(name):
            print(f'ok {number} - {name} # SKIP the build lacks {" and ".join(lacking(name))}')
            continue
        texts = run(program, name)
        if os.environ.get('UPDATE'):
            update(name, texts)
        wrong = [ending for ending in ABSENT if texts[ending] != expected(name, ending)]
        for ending in wrong:
            lines = difflib.unified_diff(
                expected(name, ending).splitlines(), texts[ending].splitlines(),
                f'{name}.{ending}', 'found', lineterm='')
            print('\n'.join('# ' + line for line in lines))
        print(f'{"not " if wrong else ""}ok {number} - {name}')


main()
