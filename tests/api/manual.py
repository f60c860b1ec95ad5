#!/usr/bin/env python3
"""The manual pages: those of the library, which the build derives from its headers, and the list of
the others, as TAP.

    manual.py FOLDER
"""
import collections
import glob
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import needs  # noqa: E402

ROOT = os.environ['POLYTRACE_ROOT']
FOLDER = sys.argv[1]
PAGES = {os.path.basename(path): open(path).read() for path in glob.glob(FOLDER + '/*.3')}
HEADERS = {os.path.basename(path): open(path).read()
           for path in glob.glob(ROOT + '/include/polytrace/*.h')}


def every_header_has_a_page():
    for name in HEADERS:
        if name != 'polytrace.h':
            page = f'polytrace-{name[:-2].replace("_", "-")}.3'
            if f'.In polytrace/{name}\n' not in PAGES.get(page, ''):
                yield f'{name}: {page} is missing'
            if f'\n.It Xr {page[:-2]} 3\n' not in PAGES['libpolytrace.3']:
                yield f'libpolytrace(3) does not list {page}'


def every_public_name_is_documented_on_the_page_of_its_header():
    for name, text in HEADERS.items():
        page = PAGES.get(f'polytrace-{name[:-2].replace("_", "-")}.3', '')
        for function in re.findall(r'^(?:POLY_API [^(]*?|)(poly_\w+)\(', text, re.M):
            if f'\n.Fo {function}\n' not in page or f'\n.It Fn {function}' not in page:
                yield f'{name}: {function}()'
        for kind in re.findall(r'^((?:struct|enum) poly_\w+ {)|^typedef .*(poly_\w+)', text, re.M):
            if max(kind) not in page:
                yield f'{name}: {max(kind)}'
        for constant in re.findall(r'^#define (POLY_(?!API)\w+)', text, re.M):
            if f'#define {constant}' not in page:
                yield f'{name}: {constant}'


def no_word_of_a_header_is_omitted():
    for name, text in HEADERS.items():
        page = PAGES.get(f'polytrace-{name[:-2].replace("_", "-")}.3', '')
        text = re.sub(r'/\*[^*]*\*/\n#define POLY_API .*', '', text)
        text = re.sub(r'^#(?!define POLY_(?!API)).*|/\* SPDX.*|^extern "C" {|^struct \w+;', '', text,
                      flags=re.M)
        text = re.sub(r'^static inline (.*?\n){.*?^}', r'\1', text, flags=re.M | re.S)
        omitted = collections.Counter(re.findall(r'\w+', text.replace('POLY_API', '')))
        omitted -= collections.Counter(re.findall(r'\w+', page.replace('\\e', '\\')))
        if omitted and name != 'polytrace.h':
            yield f'{name}: {dict(omitted)}'


def references_exist():
    known = set(PAGES) | set(os.listdir(os.path.join(ROOT, 'doc', 'man')))
    for name, text in PAGES.items():
        for page, section in re.findall(r'^\.(?:It )?Xr (\S*polytrace\S*) (\d)', text, re.M):
            if f'{page}.{section}' not in known:
                yield f'{name} refers to {page}({section})'


def polytrace_1_refers_to_every_page():
    folder = os.path.join(ROOT, 'doc', 'man')
    overview = open(os.path.join(folder, 'polytrace.1')).read()
    for page, section in re.findall(r'^(\S+)\.(\d)$', '\n'.join(sorted(os.listdir(folder))), re.M):
        if page != 'polytrace' and not re.search(rf'\bXr {page} {section}\b', overview):
            yield f'polytrace.1 does not refer to {page}({section})'


def rendered(*command):
    """What a program that renders the pages reports about them."""
    done = subprocess.run([*command, *sorted(glob.glob(FOLDER + '/*.3'))], capture_output=True,
                          text=True)
    return (done.stdout + done.stderr).splitlines()


def mandoc_renders_the_pages_without_warnings():
    yield from rendered('mandoc', '-Tlint', '-Wwarning')


def groff_renders_the_pages_without_warnings():
    yield from rendered('groff', '-mandoc', '-ww', '-z')


TESTS = {every_header_has_a_page: None,
         every_public_name_is_documented_on_the_page_of_its_header: None,
         no_word_of_a_header_is_omitted: None, references_exist: None,
         polytrace_1_refers_to_every_page: None,
         mandoc_renders_the_pages_without_warnings: 'mandoc',
         groff_renders_the_pages_without_warnings: 'groff'}
print(f'1..{len(TESTS)}')
for number, (test, program) in enumerate(TESTS.items(), 1):
    if program and needs.lacking(program):
        print(f'ok {number} - {test.__name__} # SKIP {needs.lacking(program)}')
        continue
    faults = list(test())
    for fault in faults:
        print(f'# {fault}')
    print(f'{"not " if faults else ""}ok {number} - {test.__name__}')
