#!/usr/bin/env python3
"""Sizes of files and functions of the source and of the tests, as TAP. Needs Universal Ctags."""
import glob
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = os.environ['POLYTRACE_ROOT']
FILE_MAX, FUNCTION_MAX, TABLE_MAX, PARAMETERS_MAX, DEPTH_MAX = 800, 80, 150, 5, 3
FUNCTION_MEDIAN, FUNCTION_P90 = 15, 40
# What has the limits: C files of the source, C files of the tests, files of any language.
SOURCES = ['src/**/*.[ch]', 'include/polytrace/*.h', 'python/native/*.[ch]']
TESTS = ['tests/**/*.[ch]']
SCRIPTS = ['tests/**/*.py', 'tools/*.py', 'bench/*.py', 'python/**/*.py']

# Callbacks whose parameters SQLite prescribes.
FOREIGN = re.compile(r'src/sql/.*: (authorize|\w+_connect)$')


def depth(lines):
    """The maximum nesting of control statements in the lines of a function, by indentation."""
    return max((len(line) - len(line.lstrip('\t')) for line in lines[1:]
                if re.match(r'\t+(if|for|while|switch|do|else|\} else)\b', line)), default=0)


def parameters(signature):
    """The number of parameters of a signature, without those of function types."""
    inner = signature.strip()[1:-1]
    while re.search(r'\([^()]*\)', inner):
        inner = re.sub(r'\([^()]*\)', '', inner)
    return inner.replace(',...', '').replace(', ...', '').count(',') + 1


def file_faults(path, name):
    """A file that is too long."""
    with open(path, encoding='utf-8') as file:
        size = len(file.readlines())
    if size > FILE_MAX:
        yield f'{name} has {size} lines, at most {FILE_MAX}'


def functions(paths):
    """The file, name, signature and lines of every function of C files."""
    tags = subprocess.run(['ctags', '--output-format=json', '--fields=+neS', '--kinds-C=f',
                           '--language-force=C', '-o', '-', '-L', '-'], input='\n'.join(paths),
                          capture_output=True, text=True, check=True).stdout
    lines = {}
    for tag in map(json.loads, tags.splitlines()):
        path = tag['path']
        if path not in lines:
            with open(path, encoding='utf-8') as file:
                lines[path] = file.read().split('\n')
        yield (path, tag['name'], tag.get('signature', '()'),
               lines[path][tag['line'] - 1:tag.get('end', tag['line'])])


def function_faults(where, signature, body):
    """A function that is too long, has too many parameters, or nests too deep."""
    size = len(body)
    is_table = sum('case ' in line for line in body) > size / 2
    if size > (TABLE_MAX if is_table else FUNCTION_MAX):
        yield f'{where} has {size} lines, at most {FUNCTION_MAX}'
    if parameters(signature) > PARAMETERS_MAX and not FOREIGN.search(where):
        yield f'{where} has more than {PARAMETERS_MAX} parameters'
    if depth(body) > DEPTH_MAX:
        yield f'{where} nests deeper than {DEPTH_MAX} levels'


def check(patterns, root=ROOT, has_functions=True):
    """The faults of the files of patterns, and the sizes of their functions."""
    paths = sorted(path for pattern in patterns
                   for path in glob.glob(os.path.join(root, pattern), recursive=True))
    faults = [fault for path in paths for fault in file_faults(path, os.path.relpath(path, root))]
    sizes = []
    for path, name, signature, body in functions(paths) if has_functions else []:
        sizes.append(len(body))
        faults += function_faults(f'{os.path.relpath(path, root)}: {name}', signature, body)
    return faults, sorted(sizes)


def distribution_faults(sizes):
    """Functions that are too long on the whole."""
    if sizes and statistics.median(sizes) > FUNCTION_MEDIAN:
        yield f'the median function has {statistics.median(sizes)} lines'
    if sizes and sizes[len(sizes) * 9 // 10] > FUNCTION_P90:
        yield f'one function in ten has {sizes[len(sizes) * 9 // 10]} lines or more'


def planted():
    """Planted faults that are not found."""
    nested = 'static void\nf(void)\n{\n' + ''.join(
        '\t' * i + 'if (1)\n' for i in range(1, 5)) + '\t\t\t\t\t;\n}\n'
    cases = {
        'tests/long.c': ('\n' * (FILE_MAX + 1), 'has 801 lines, at most 800'),
        'tests/deep/long.py': ('\n' * (FILE_MAX + 1), 'has 801 lines, at most 800'),
        'tests/function.c': ('static void\nf(void)\n{\n' + '\t;\n' * FUNCTION_MAX + '}\n',
                             'function.c: f has 83 lines'),
        'tests/parameters.h': ('int f(int a, int b, int c, int d, int e, int g)\n{\n}\n',
                               'has more than 5 parameters'),
        'tests/nested.c': (nested, 'nests deeper than 3 levels')}
    with tempfile.TemporaryDirectory() as folder:
        for name, (text, _) in cases.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
        faults = check(TESTS, folder)[0] + check(SCRIPTS, folder, False)[0]
    for name, (_, expected) in cases.items():
        if not any(fault.startswith(name) and expected in fault for fault in faults):
            yield f'{name}: not "{expected}"'
    if len(faults) != len(cases):
        yield f'{len(faults)} faults, expected {len(cases)}: {faults}'
    if not list(distribution_faults([41] * 10)):
        yield 'long functions on the whole'


def report(number, name, faults):
    """Prints a result."""
    for fault in faults:
        print('#', fault)
    print(f'{"not " if faults else ""}ok {number} - {name}')


print('1..4')
source, source_sizes = check(SOURCES)
report(1, 'files_and_functions_keep_their_size', source + list(distribution_faults(source_sizes)))
report(2, 'tests_keep_their_size', check(TESTS)[0])
report(3, 'scripts_keep_their_size', check(SCRIPTS, has_functions=False)[0])
report(4, 'planted_faults_are_found', list(planted()))
sys.exit(0)
