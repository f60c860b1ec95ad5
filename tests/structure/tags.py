#!/usr/bin/env python3
"""Each tag of a struct, union or enum is defined once in the source, as TAP."""
import collections
import os
import re

ROOT = os.environ.get('POLYTRACE_ROOT') or os.path.dirname(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DEFINITION = re.compile(r'^(?:static |const )*((?:struct|union|enum) \w+)\s*\{', re.M)


def definitions():
    """The places of every definition, by tag."""
    found = collections.defaultdict(list)
    for top in 'src', 'include':
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            for name in sorted(names):
                if name.endswith(('.c', '.h')):
                    path = os.path.relpath(os.path.join(folder, name), ROOT)
                    text = open(os.path.join(ROOT, path)).read()
                    for match in DEFINITION.finditer(text):
                        line = text.count('\n', 0, match.start()) + 1
                        found[match[1]].append(f'{path}:{line}')
    return found


print('1..1')
# Alternatives of which a build compiles one stand in one file.
twice = {tag: places for tag, places in definitions().items()
         if len({place.split(':')[0] for place in places}) > 1}
for tag, places in sorted(twice.items()):
    print(f'# {tag} is defined {len(places)} times: {", ".join(places)}')
print(f'{"not " if twice else ""}ok 1 - every tag has one definition')
