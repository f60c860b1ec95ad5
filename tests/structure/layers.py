#!/usr/bin/env python3
"""Permitted includes and calls of each layer (doc/ARCHITECTURE.md, "Folders"), as TAP."""
import glob
import os
import re

ROOT = os.environ['POLYTRACE_ROOT']
MAY = {'base': '', 'model': 'base', 'io': 'base', 'isa': 'base model', 'report': 'base',
       'aix': 'base model', 'lang': 'base model', 'select': 'base model',
       'format': 'base model io isa aix lang',
       'correlate': 'base model lang report isa',
       'symbol': 'base io', 'sim': 'base', 'course': 'base sim',
       'trcfmt': 'base model aix lang report io',
       'analysis': 'base model lang isa symbol sim course report', 'cli': ''}
# Code that several formats share; other folders of format/ belong to the format of their name.
SHARED = {'bus': {'bus', 'bach', 'bach_text', 'byutr'}}
# Headers of C, of POSIX and of the compiler; every other one belongs to a library.
SYSTEM = re.compile(r'(assert|ctype|errno|fcntl|inttypes|limits|math|poll|pthread|sched|setjmp|'
                    r'signal|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|string|'
                    r'strings|termios|time|unistd|wchar|[a-z]mmintrin|sys/\w+)\.h')
# Functions that only base/mem.c may call, and those that the library may not call.
FORBIDDEN = re.compile(r'(?<![\w.>])(malloc|calloc|realloc|free|strdup|printf|fprintf|vprintf|puts|'
                       r'putchar|exit|_exit|abort|getenv|setenv|alloca|system|popen)\(')


def unit(path):
    """The format, compression, command or analysis that owns a file; None: any file may use it."""
    owner = re.match(r'src/(?:cli/commands|io/filter|analysis/stats/\w+)/([a-z0-9]+)|'
                     r'src/(?:format|correlate)/(\w+)/', path)
    word = owner and (owner[1] or owner[2])
    return None if word in ('core', 'line') else word


def sources():
    for folder, _, names in os.walk(os.path.join(ROOT, 'src')):
        for name in sorted(names):
            if name.endswith(('.c', '.h')):
                path = os.path.join(folder, name)
                yield os.path.relpath(path, ROOT), open(path).read()


def report(number, name, faults):
    print('\n'.join('# ' + fault for fault in faults))
    print(f'{"not " if faults else ""}ok {number} - {name}')


def unbuilt():
    """Sources and unit tests that the lists of the build do not name."""
    build = open(os.path.join(ROOT, 'src', 'meson.build')).read()
    named = {f'src/{file}' for file in re.findall(r"'([\w/]+\.c)'", build)}
    for folder, kind in (('io/filter', 'filters'), ('cli/commands', 'commands'),
                         ('analysis/stats', 'analyses'), ('analysis/sim', 'simulations'),
                         ('analysis/queries', 'queries')):
        words = re.search(rf'^{kind} = \[(.*?)\]', build, re.M | re.S)[1]
        named |= {f'src/{folder}/{word}.c' for word in re.findall(r"'([\w/]+)'", words)}
    formats = re.search(r'^formats = \[(.*?)\]', build, re.M | re.S)[1]
    named |= {f'src/format/{word}/{word}.c' for word in re.findall(r"'(\w+)'", formats)}
    tests = re.findall(r"'([\w/]+)/(\w+)'", open(os.path.join(ROOT, 'tests', 'meson.build')).read())
    named |= {f'tests/unit/{folder}/test_{word}.c' for folder, word in tests}
    found = {path for path, _ in sources() if path.endswith('.c')}
    found |= {os.path.relpath(path, ROOT)
              for path in glob.glob(ROOT + '/tests/unit/**/test_*.c', recursive=True)}
    return [f'{path} is in no list of meson.build' for path in sorted(found - named)]


libraries, faults = {}, []
for path, text in sources():
    layer = path.split('/')[1]
    for include in re.findall(r'^#\s*include "([^"]+)"', text, re.M):
        other = include.split('/')[0]
        theirs, ours = unit('src/' + include), unit(path)
        if theirs and ours not in SHARED.get(theirs, {theirs}):
            faults.append(f'{path} includes {include}, which belongs to {theirs}')
        if not include.endswith('.def') and other not in ['polytrace', layer, *MAY[layer].split()]:
            faults.append(f'{path} includes {include}: {layer} may include '
                          f'{MAY[layer] or "nothing below"}')
    for include in re.findall(r'^#\s*include <([^>]+)>', text, re.M):
        if not SYSTEM.fullmatch(include):
            library = re.match(r'[^/_.]+', include)[0]
            libraries.setdefault(library, set()).add(path)
    if layer != 'cli' and path != 'src/base/mem.c':
        code = re.sub(r'/\*.*?\*/|"(\\.|[^"\\\n])*"', '', text, flags=re.S)
        faults += [f'{path} calls {call}()' for call in sorted(set(FORBIDDEN.findall(code)))]
faults += [f'<{library}> is included by {", ".join(sorted(paths))}: one file may'
           for library, paths in libraries.items() if len(paths) > 1]
print('1..2')
report(1, 'layers_include_only_what_lies_below_them', faults)
report(2, 'everything_is_in_a_list_of_the_build', unbuilt())
