#!/usr/bin/env python3
"""Everything in the public headers is documented, as TAP: a comment before every declaration,
beside or before every field and constant."""
import glob
import os
import re
import sys

ROOT = os.environ['POLYTRACE_ROOT']
PLAIN = re.compile(r'^(#|extern "C"|\}|\{|\s*$|static inline|/\*|\s*\*|COLUMN|struct \w+;$)')


def undocumented(path):
    """Lines of a header that declare something without a comment."""
    text = open(path).read()
    lines = text.split('\n')
    commented, inside, guard = False, False, 0
    for number, line in enumerate(lines, 1):
        stripped = line.strip()
        if stripped.startswith('/*') or inside:
            inside = '*/' not in stripped
            commented = True
        elif not stripped:
            commented = False
        elif '/*' in line:
            inside = '*/' not in stripped
        elif re.match(r'^(POLY_API|typedef|enum \w+ \{|struct \w+ \{|#define POLY_\w+)', line):
            if not commented and 'POLY_API' != stripped and not line.startswith('#define POLY_API'):
                yield number, stripped
            commented = line.endswith('\\') or '(' in line and ';' not in line
        elif re.match(r'^\t[a-zA-Z].*[,;]$', line) and not commented:
            yield number, stripped


faults = []
for path in sorted(glob.glob(ROOT + '/include/polytrace/*.h')):
    for number, line in undocumented(path):
        faults.append(f'{os.path.relpath(path, ROOT)}:{number}: no comment: {line}')
print('1..1')
print('\n'.join('# ' + fault for fault in faults))
print(('not ' if faults else '') + 'ok 1 - every_public_declaration_is_documented')
sys.exit(0)
