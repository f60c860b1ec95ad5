#!/usr/bin/env python3
"""Every row of the directives of the template language has its unit test, as TAP."""
import glob
import os
import re

ROOT = os.environ['POLYTRACE_ROOT']
ROW = re.compile(r'^(MACRO|BUILTIN|DIRECTIVE)\(\s*(.*?)\)$', re.M | re.S)


def rows():
    """Kind, spelling and test of every row."""
    text = open(os.path.join(ROOT, 'src', 'trcfmt', 'lang', 'directives.def')).read()
    for kind, row in ROW.findall(text.split('#endif')[-1]):
        strings = re.findall(r'"((?:\\.|[^"\\])*)"', row)
        spelling = '$' + row.split(',')[0] if kind == 'MACRO' else strings[0]
        yield kind, spelling, strings[-1]


tests = {}
for path in glob.glob(ROOT + '/tests/unit/**/test_*.c', recursive=True):
    source = open(path).read()
    for name in re.findall(r'cmocka_unit_test\w*\(\s*(\w+)', source):
        tests[name] = source
faults, counts = [], {}
for kind, spelling, test in rows():
    counts[kind] = counts.get(kind, 0) + 1
    if test not in tests:
        faults.append(f'{kind} {spelling}: no test {test!r}')
    elif spelling not in tests[test]:
        faults.append(f'{kind} {spelling}: the file of {test} lacks it')
for kind in ['MACRO', 'BUILTIN', 'DIRECTIVE']:
    if counts.get(kind, 0) < 18:
        faults.append(f'{counts.get(kind, 0)} rows of {kind}, expected at least 18')
print('1..1')
print('\n'.join('# ' + fault for fault in faults))
print(('not ' if faults else '') + 'ok 1 - every_directive_has_its_test')
