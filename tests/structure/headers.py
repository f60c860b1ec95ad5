#!/usr/bin/env python3
"""The public headers are documented, as TAP: a comment before every declaration, and beside or
before every field and constant."""
import glob
import os
import re
import sys

ROOT = os.environ['POLYTRACE_ROOT']
DECLARATION = re.compile(r'POLY_API |typedef |enum \w+ \{|struct \w+ \{|static inline |#define POLY_')
MARK = '\x01'
# Forward declarations, the macro POLY_API, include guards, and internal macros: NAME_.
PLAIN = re.compile(r'struct \w+;|#define POLY_API|#define POLYTRACE_\w+_H$|#define POLY_\w*_\b')


def marked(text):
    """The text with each comment replaced by a mark, at its end if it has lines of its own."""
    def mark(match):
        feeds = '\n' * match[2].count('\n')
        return match[1] + (MARK + feeds if match[1].strip() else feeds + MARK)
    return re.sub(r'^([^\n]*?)(/\*.*?\*/)', mark, text, flags=re.S | re.M)


def lines(text):
    """Declarations, members and directives: (line, comment above, comment beside, code)."""
    above, code, start = False, '', 0
    for number, line in enumerate(marked(text).split('\n'), 1):
        bare = line.replace(MARK, '').rstrip()
        if code and bare.startswith('}'):  # after a constant without a comma
            yield start, above, MARK in code, code.replace(MARK, '')
            above, code = False, ''
        if not code and not bare:
            above = MARK in line
            continue
        start = start if code else number
        code += line
        if re.search(r'[;,{}]$' if '(' not in code else r'[;{}]$', bare) or (
                code.startswith('#') and not bare.endswith('\\')) or bare == 'extern "C" {':
            yield start, above, MARK in code, code.replace(MARK, '').rstrip()
            above, code = False, ''


def undocumented(path):
    """Lines of a header that declare something without a comment."""
    inside = None
    for number, above, beside, code in lines(open(path).read()):
        if inside:
            if code.startswith('}'):
                inside = None
            elif inside == 'members' and code.startswith('\t') and not (above or beside):
                if re.match(r'\t\w', code):
                    yield number, code.strip()
            continue
        if DECLARATION.match(code) and not PLAIN.match(code) and not above:
            yield number, code
        if re.match(r'(enum|struct) \w+ \{$', code):
            inside = 'members'
        elif '(' in code and code.endswith('{'):
            inside = 'body'


faults = []
for path in sorted(glob.glob(ROOT + '/include/polytrace/*.h')):
    for number, line in undocumented(path):
        faults.append(f'{os.path.relpath(path, ROOT)}:{number}: no comment: {line}')
print('1..1')
print('\n'.join('# ' + fault for fault in faults))
print(('not ' if faults else '') + 'ok 1 - every_public_declaration_is_documented')
sys.exit(0)
