#!/usr/bin/env python3
"""Rows of tables of structs name their values: at most four have no designator, as TAP."""
import glob
import os
import re

ROOT = os.environ['POLYTRACE_ROOT']
POSITIONAL_MAX = 4
# A table: the type of its rows, perhaps defined here, its brackets and the brace after "=".
TABLE = re.compile(r'\bstruct\b[^;=(){}]*(?:\{(?:[^{}]|\{[^{}]*\})*\}[^;=(){}]*)?'
                   r'\[[^=;{}]*\]\s*=\s*\{')
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[\w.]+|\S')
IGNORED = re.compile(r'/\*.*?\*/|//[^\n]*|^[ \t]*#(?:[^\n\\]|\\.|\\\n)*', re.S | re.M)
NUMBER = re.compile(r'\d[\w.]*$')


def values(tokens, i):
    """The first tokens of the values of a list in braces, and the index after it."""
    found, fresh, depth = [], True, 1
    while i < len(tokens) and depth:
        token = tokens[i]
        if depth == 1 and token == ',':
            fresh = True
        elif depth == 1 and fresh and token != '}':
            found.append((token, i))
            fresh = False
        depth += (token in '({[') - (token in ')}]')
        i += 1
    return found, i


def long_rows(text):
    """The first value of each row with too many positional values that are not all numbers."""
    named = re.findall(r'#define (\w+)\([^)]*\)\s+\.', text)  # macros that are designators
    for macro in IGNORED.findall(text):
        tokens = TOKEN.findall(macro.replace('\\\n', ' ')) if '#define' in macro else []
        for i in (i for i, token in enumerate(tokens) if token == '{'):
            row, end = values(tokens, i + 1)
            positional = [token for token, _ in row if token[0] not in '.[{']
            if len(positional) > POSITIONAL_MAX and any(t[0] == '"' for t in tokens[i:end]):
                yield positional[0]
    text = IGNORED.sub('', text)
    for table in TABLE.finditer(text):
        tokens = TOKEN.findall(text, table.end())
        for row, i in values(tokens, 0)[0]:
            while row == '[' and tokens[i] != '{':
                i += 1
            if tokens[i] != '{':
                continue
            positional = [first for first, _ in values(tokens, i + 1)[0]
                          if first[0] not in '.[' and first not in named]
            if len(positional) > POSITIONAL_MAX and not all(map(NUMBER.match, positional)):
                yield positional[0]


faults = []
for sample, count in [('static const struct a t[] = {{"x", 1, 2, 3, 4}, {1, 2, 3, 4, 5}};', 1),
                      ('const struct { int a; } t[N] = {[A] = {"x", F(1, 2), 0, NULL, "y"}};', 1),
                      ('#define A(w) \\\n\t{w "x", 1, 2, \\\n\t3, NULL}\n', 1),
                      ('struct a t[] = {{"x", 1, /* 2, */ .b = 3, .c = {4, 5}}, {0}};', 0)]:
    if len(list(long_rows(sample))) != count:
        faults.append(f'found {list(long_rows(sample))} in {sample!r}')
for path in sorted(glob.glob(ROOT + '/src/**/*.[ch]', recursive=True)):
    for first in long_rows(open(path).read()):
        faults.append(f'{os.path.relpath(path, ROOT)}: the row of {first} has more than '
                      f'{POSITIONAL_MAX} values without a designator')
print('1..1')
print('\n'.join('# ' + fault for fault in faults))
print(('not ' if faults else '') + 'ok 1 - rows_of_tables_name_their_values')
