#!/usr/bin/env python3
"""The binary interface changes with the soname alone, as TAP: symbols, layouts and constants are
those of tests/structure/abi.txt, which is of 64-bit systems.

    abi.py LIBRARY VERSION

UPDATE=1 records additions, which older programs do not notice, and everything after the version
of meson.build, version.h and polytrace.map was raised.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.environ['POLYTRACE_ROOT']
LIBRARY, VERSION = sys.argv[1:]
RECORD = os.path.join(ROOT, 'tests', 'structure', 'abi.txt')
HEADERS = sorted(glob.glob(os.path.join(ROOT, 'include', 'polytrace', '*.h')))
PROGRAM = '''#include "polytrace/polytrace.h"
#include <stdio.h>
int main(void)
{
%s
#define COLUMN(name, type, form, doc) printf("constant POLY_COLUMN_%%s %%d\\n", #name, POLY_COLUMN_##name);
#include "polytrace/columns.def"
}
'''


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def tags():
    """Members and constants of the headers: (kind, name, scope)."""
    for line in run('ctags', '--kinds-C=mes', '-I', 'POLY_API', '--fields=Ks', '-n', '-f', '-',
                    '--language-force=C', *HEADERS).splitlines():
        fields = line.split('\t')
        if not line.startswith('!'):
            scope = [field.split(':')[-1] for field in fields if field.startswith(('struct:', 'enum:'))]
            yield fields[3], fields[0], scope[0] if scope else ''


def layout():
    """Sizes, offsets and constants, printed by a program that is compiled with the headers."""
    lines = []
    for kind, name, scope in sorted(set(tags())):
        if kind == 'struct' and name.startswith('poly_') and any(
                re.search(rf'^struct {name} \{{', open(path).read(), re.M) for path in HEADERS):
            lines.append(f'printf("size {name} %zu\\n", sizeof(struct {name}));')
        elif kind == 'member' and scope.startswith('poly_') and name != 'reserved':
            lines.append(f'printf("member {scope} {name} %zu %zu\\n", offsetof(struct {scope}, {name}), '
                         f'sizeof ((struct {scope} *)0)->{name});')
        elif kind == 'enumerator' and not name.endswith('_COUNT'):
            lines.append(f'printf("constant {name} %lld\\n", (long long){name});')
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, 'layout.c'), os.path.join(folder, 'layout')
        open(source, 'w').write(PROGRAM % '\n'.join(lines))
        run('cc', '-std=gnu17', '-I', os.path.join(ROOT, 'include'), '-o', program, source)
        return run(program).splitlines()


def interface():
    soname = re.search(r'soname: \[(.*)\]', run('readelf', '-d', LIBRARY))[1]
    symbols = [line.split()[-1] for line in run('nm', '-D', '--defined-only', LIBRARY).splitlines()]
    found = [f'symbol {symbol}' for symbol in symbols if '@' in symbol]
    return [f'soname {soname}', *sorted(found), *sorted(set(layout()))]


def breaks(old, new):
    """What older programs notice: lines that are gone, but for structs that grew after a size."""
    extensible = {line.split()[1] for line in new if re.match(r'member \w+ size 0 ', line)}
    for line in sorted(set(old) - set(new)):
        words = line.split()
        grown = [now for now in new if now.startswith(f'size {words[1]} ')]
        if not (words[0] == 'size' and words[1] in extensible and grown and
                int(grown[0].split()[2]) > int(words[2])):
            yield line
    known = {line.split()[1] for line in old if line.startswith('size ')} - extensible
    for line in sorted(set(new) - set(old)):
        if line.startswith('member ') and line.split()[1] in known:
            yield line + ' is new in a struct without a size'


def versions():
    """Places that do not have the version of the build."""
    text = open(os.path.join(ROOT, 'include', 'polytrace', 'version.h')).read()
    header = '.'.join(re.findall(r'#define POLY_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)', text))
    major, minor = VERSION.split('.')[:2]
    node = 'POLYTRACE_' + (f'0.{minor}' if major == '0' else major)
    if header != VERSION:
        yield f'version.h has {header}, meson.build {VERSION}'
    if node + ' {' not in open(os.path.join(ROOT, 'src', 'polytrace.map')).read():
        yield f'polytrace.map has no {node}'


def changes(old, new):
    """Lines that differ from the record, and whether they may be recorded."""
    broken = list(breaks(old, new)) if old[:1] == new[:1] else []
    advice = ('raise the version in meson.build, version.h and polytrace.map' if broken
              else 'run it with UPDATE=1')
    if os.environ.get('UPDATE') and not broken:
        open(RECORD, 'w').write('\n'.join(new) + '\n')
        return []
    return broken + [f'changed: {line}' for line in sorted(set(old) ^ set(new))][:20] + \
        ([advice] if old != new else [])


def planted():
    """Faults that the comparison must find, and additions that it must not."""
    old = ['soname 1', 'symbol f', 'member a size 0 8', 'member a x 8 4', 'size a 16', 'size b 8']
    if list(breaks(old, [*old, 'symbol g', 'member a y 12 4'])):
        yield 'additions are taken for faults'
    for gone in ['symbol f', 'member a x 8 4', 'size b 8']:
        if not list(breaks(old, [line for line in old if line != gone])):
            yield f'{gone} is not missed'
    if not list(breaks(old, [*old, 'member b z 8 4'])):
        yield 'a member of a struct without a size is not found'


def report(number, name, faults):
    print('\n'.join('# ' + fault for fault in faults))
    print(f'{"not " if faults else ""}ok {number} - {name}')


if 'ELF64' not in run('readelf', '-h', LIBRARY):
    print('1..0 # SKIP the record is of 64-bit systems')
    sys.exit()
print('1..3')
recorded = open(RECORD).read().splitlines() if os.path.exists(RECORD) else []
report(1, 'the_interface_changes_with_the_soname', changes(recorded, interface()))
report(2, 'headers_build_and_symbols_have_one_version', list(versions()))
report(3, 'faults_are_found', list(planted()))
