#!/usr/bin/env python3
"""Sizes of files and functions, as TAP. Needs Universal Ctags."""
import glob
import json
import os
import re
import statistics
import subprocess
import sys

ROOT = os.environ['POLYTRACE_ROOT']
FILE_MAX, FUNCTION_MAX, TABLE_MAX, PARAMETERS_MAX, DEPTH_MAX = 800, 80, 150, 5, 3
FUNCTION_MEDIAN, FUNCTION_P90 = 15, 40


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


files = sorted(glob.glob(ROOT + '/src/**/*.[ch]', recursive=True) +
               glob.glob(ROOT + '/include/polytrace/*.h'))
faults, sizes = [], []
for path in files:
    name = os.path.relpath(path, ROOT)
    lines = open(path).read().split('\n')
    if len(lines) - 1 > FILE_MAX:
        faults.append(f'{name} has {len(lines) - 1} lines, at most {FILE_MAX}')
    tags = subprocess.run(['ctags', '--output-format=json', '--fields=+neS', '--kinds-C=f',
                           '--language-force=C', '-o',
                           '-', path], capture_output=True, text=True, check=True).stdout
    for tag in map(json.loads, tags.splitlines()):
        body = lines[tag['line'] - 1:tag.get('end', tag['line'])]
        size = len(body)
        sizes.append(size)
        where = f'{name}: {tag["name"]}'
        if size > (TABLE_MAX if sum('case ' in line for line in body) > size / 2
                   else FUNCTION_MAX):
            faults.append(f'{where} has {size} lines, at most {FUNCTION_MAX}')
        if parameters(tag.get('signature', '()')) > PARAMETERS_MAX:
            faults.append(f'{where} has more than {PARAMETERS_MAX} parameters')
        if depth(body) > DEPTH_MAX:
            faults.append(f'{where} nests deeper than {DEPTH_MAX} levels')
sizes.sort()
if sizes and statistics.median(sizes) > FUNCTION_MEDIAN:
    faults.append(f'the median function has {statistics.median(sizes)} lines')
if sizes and sizes[len(sizes) * 9 // 10] > FUNCTION_P90:
    faults.append(f'one function in ten has {sizes[len(sizes) * 9 // 10]} lines or more')
print('1..1')
print('\n'.join('# ' + fault for fault in faults))
print(('not ' if faults else '') + 'ok 1 - files_and_functions_keep_their_size')
sys.exit(0)
