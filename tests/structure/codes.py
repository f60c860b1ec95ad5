#!/usr/bin/env python3
"""Codes of rules are unique: one code is one rule over all formats and parsers, as TAP.

A rule is an initializer of struct poly_rule, or a use of a macro RULE, that starts with its code,
severity and condition. Two tables may share a rule, with the same condition.
"""
import os
import re

ROOT = os.environ.get('POLYTRACE_ROOT') or os.path.dirname(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RULES_MIN = 100
# {"B01", POLY_ERROR, "..." and RULE(A01, ERROR, "..."
RULE = re.compile(r'(?:\{\s*"([A-Z]+\d+)",\s*POLY_|\bRULE\(([A-Z]+\d+),\s*)(?:ERROR|WARNING|NOTE),\s*'
                  r'((?:"(?:\\.|[^"\\])*"\s*)+)')
PLANTED = {'planted/a.c': '\t[A] = {"X01", POLY_ERROR,\n\t\t"a condition", "source"},\n',
           'planted/b.c': '\tRULE(X01, NOTE, "another "\n\t\t"condition"),\n'}
SHARED = {'shared/a.c': '{"X01", POLY_ERROR, "a condition", "source"},',
          'shared/b.c': 'RULE(X01, NOTE, "a "\n"condition"),'}


def sources():
    """Path and text of each C source."""
    found = {}
    for folder, _, names in os.walk(os.path.join(ROOT, 'src')):
        for name in names:
            if name.endswith(('.c', '.h', '.def')):
                path = os.path.join(folder, name)
                found[os.path.relpath(path, ROOT)] = open(path, encoding='utf-8').read()
    return found


def rules(texts):
    """The conditions of each code, and the lines of each condition."""
    found = {}
    for path, text in sorted(texts.items()):
        for match in RULE.finditer(text):
            condition = re.sub(r'"\s*"', '', match[3].strip())
            line = text.count('\n', 0, match.start()) + 1
            conditions = found.setdefault(match[1] or match[2], {})
            conditions.setdefault(condition, []).append(f'{path}:{line}')
    return found


def duplicates(texts):
    return [f'{code}: {lines[0]}: {condition}' for code, conditions in rules(texts).items()
            if len(conditions) > 1 for condition, lines in conditions.items()]


def main():
    texts = sources()
    doubles = duplicates(texts)
    print('1..3')
    print(''.join(f'# {double}\n' for double in doubles) +
          f'{"not " if doubles else ""}ok 1 - a code of a rule is unique over all formats')
    print(f'{"not " if len(rules(texts)) < RULES_MIN else ""}ok 2 - the tables of rules are found')
    works = len(duplicates(PLANTED)) == 2 and not duplicates(SHARED)
    print(f'{"" if works else "not "}ok 3 - a planted duplicate fails, a shared rule does not')


main()
