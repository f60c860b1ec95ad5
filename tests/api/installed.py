#!/usr/bin/env python3
"""The installed library: its files, its symbols, and programs built with it alone, as TAP.

    installed.py MESON BUILD
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.environ['POLYTRACE_ROOT']
MESON, BUILD = sys.argv[1:]
SAMPLE = os.path.join(ROOT, 'tests', 'data', 'amber', 'thread_001.tt6')
STRICT = ['-Wall', '-Wextra', '-Wpedantic', '-Wconversion', '-Wshadow', '-Werror']
PREFIX = tempfile.TemporaryDirectory()


def run(*arguments, **options):
    done = subprocess.run(arguments, capture_output=True, text=True, **options)
    if done.returncode:
        raise RuntimeError(f'{" ".join(arguments)}: status {done.returncode}: {done.stderr}')
    return done.stdout


def installed(pattern):
    """The only installed file that matches a pattern."""
    found = glob.glob(os.path.join(PREFIX.name, '**', pattern), recursive=True)
    if len(found) != 1:
        raise RuntimeError(f'{pattern}: {found}')
    return found[0]


def flags(*words):
    """The output of pkg-config for the installed files, without headers of other packages."""
    environment = dict(os.environ, PKG_CONFIG_SYSROOT_DIR=PREFIX.name,
                       PKG_CONFIG_LIBDIR=os.path.dirname(installed('polytrace.pc')))
    environment.pop('PKG_CONFIG_PATH', None)
    return run('pkg-config', *words, 'polytrace', env=environment).split()


def compiled(compiler, source, *words):
    """The output for the sample of a program built with the installed files alone."""
    program = os.path.join(PREFIX.name, 'program')
    run(compiler[0], *STRICT, *compiler[1:], '-o', program, os.path.join(ROOT, source), *flags('--cflags', '--libs'))
    return run(program, *words, env=dict(
        os.environ, LD_LIBRARY_PATH=os.path.dirname(installed('libpolytrace.so'))))


def only_public_symbols_are_exported():
    lines = run('nm', '-D', '--defined-only', installed('libpolytrace.so')).splitlines()
    exported = {line.split()[-1].split('@')[0] for line in lines if ' A ' not in line}
    declared = set()
    for path in glob.glob(ROOT + '/include/polytrace/*.h'):
        declared |= set(re.findall(r'^POLY_API [^(]*?(poly_\w+)\(', open(path).read(), re.M))
    if exported != declared:
        yield f'exported or declared, not both: {sorted(exported ^ declared)}'


def the_soname_changes_with_the_interface():
    version = flags('--modversion')[0].split('.')
    wanted = '.'.join(version[:2] if version[0] == '0' else version[:1])
    soname = re.search(r'soname: \[(.*)\]', run('readelf', '-d', installed('libpolytrace.so')))[1]
    if soname != 'libpolytrace.so.' + wanted:
        yield soname


def every_header_stands_alone_in_c_and_cpp():
    names = os.listdir(os.path.dirname(installed('polytrace.h')))
    if sorted(names) != sorted(os.listdir(ROOT + '/include/polytrace')):
        yield f'installed: {names}'
    for name in names:
        for language in ('-xc', '-std=c17'), ('-xc', '-std=c99'), ('-xc++', '-std=c++11'):
            if name.endswith('.h'):
                run('cc', *language, *STRICT, '-fsyntax-only', '-', *flags('--cflags'),
                    input=f'#include <polytrace/{name}>\n')


def the_examples_need_only_what_is_installed():
    printed = compiled(['cc', '-std=c17'], 'examples/count_loads.c', SAMPLE)
    if not re.match(r'\d+ loads of \d+ bytes', printed):
        yield printed
    compiled(['cc', '-std=c17'], 'examples/recompress.c', SAMPLE, PREFIX.name + '/copy.tt6')
    if open(PREFIX.name + '/copy.tt6', 'rb').read() != open(SAMPLE, 'rb').read():
        yield 'the copy differs'


def the_example_of_the_manual_page_counts_records():
    page = open(installed('libpolytrace.3')).read()
    example = re.search(r'^\.Bd -literal -offset indent\n(#include.*?)^\.Ed', page, re.S | re.M)[1]
    source = os.path.join(PREFIX.name, 'example.c')
    with open(source, 'w') as file:
        file.write(example.replace('\\e', '\\'))
    printed = compiled(['cc', '-std=c17'], source, SAMPLE)
    if printed != '91 records\n':
        yield printed


def programs_add_formats_and_analyses():
    printed = compiled(['cc', '-std=c17'], 'examples/extend.c')
    if printed != 'Traffic\n  Accesses         4\n  Write ratio (%)  50.0\n':
        yield printed


def cpp_programs_use_it_too():
    # The initialisers name the members that are not 0; C++ warns about the others.
    rows = compiled(['c++', '-std=c++20', '-Wno-missing-field-initializers'], 'tests/api/columns.cc', SAMPLE)
    if int(rows) == 0:
        yield rows


TESTS = [only_public_symbols_are_exported, the_soname_changes_with_the_interface,
         every_header_stands_alone_in_c_and_cpp, the_examples_need_only_what_is_installed,
         the_example_of_the_manual_page_counts_records, programs_add_formats_and_analyses,
         cpp_programs_use_it_too]
run(MESON, 'install', '-C', BUILD, '--no-rebuild', '--destdir', PREFIX.name)
print(f'1..{len(TESTS)}')
for number, test in enumerate(TESTS, 1):
    try:
        faults = list(test())
    except RuntimeError as failure:
        faults = [str(failure)]
    for fault in faults:
        print('\n'.join('# ' + line for line in fault.splitlines()))
    print(f'{"not " if faults else ""}ok {number} - {test.__name__}')
