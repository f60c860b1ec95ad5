#!/usr/bin/env python3
"""Who may include what (doc/ARCHITECTURE.md, "Folders"), as TAP."""
import os
import re
import sys

ROOT = os.environ['POLYTRACE_ROOT']
MAY = {'base': '', 'model': 'base', 'io': 'base', 'isa': 'base model', 'report': 'base',
       'format': 'base model io isa', 'analysis': 'base model isa report', 'cli': ''}
SIBLINGS = re.compile(r'src/(cli/cmd_|io/filter/)')
# Folders below format/ belong to the format of their name, but for those that formats share.
SHARED = {'bus': ('bus', 'bach', 'bach_text', 'byutr')}
LIBRARIES = {}
faults = []


def foreign_format(path, include):
    """True where a format's file includes what belongs to another format."""
    parts = include.split('/')
    if parts[0] != 'format' or len(parts) < 3:
        return False
    own = path.split('/')[2].split('.')[0]
    return own not in SHARED.get(parts[1], (parts[1],))


for folder, _, names in os.walk(os.path.join(ROOT, 'src')):
    for name in names:
        if not name.endswith(('.c', '.h')):
            continue
        path = os.path.relpath(os.path.join(folder, name), ROOT)
        layer = path.split('/')[1]
        text = open(os.path.join(ROOT, path)).read()
        for include in re.findall(r'^#\s*include "([^"]+)"', text, re.M):
            other = include.split('/')[0]
            if include.endswith('.def') or other == 'polytrace' or other == layer:
                if SIBLINGS.match('src/' + include) and not path.endswith(include[:-1] + 'c'):
                    faults.append(f'{path} includes its sibling {include}')
                if foreign_format(path, include):
                    faults.append(f'{path} includes {include}, which is not its format')
            elif other not in MAY[layer].split():
                faults.append(f'{path} includes {include}: {layer} may include '
                              f'{MAY[layer] or "nothing below"}')
        for include in re.findall(r'^#\s*include <([^>]+)>', text, re.M):
            if re.match(r'(igzip|isa-l|zstd|lzma|bzlib|lz4|capstone|jansson|pcre2|gelf|libelf|sqlite)',
                        include):
                LIBRARIES.setdefault(include.split('/')[0].split('_')[0], set()).add(path)
faults += [f'<{library}> is included by {", ".join(sorted(paths))}: one file may'
           for library, paths in LIBRARIES.items() if len(paths) > 1]
print('1..1')
print('\n'.join('# ' + fault for fault in faults))
print(('not ' if faults else '') + 'ok 1 - layers_include_only_what_lies_below_them')
sys.exit(0)
