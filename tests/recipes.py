#!/usr/bin/env python3
"""The examples of the recipes (doc/adding-*.md), added to a copy of the tree, built and run, as TAP.

    recipes.py POLYTRACE BUILD

A block of a recipe is labeled with a path: it is that file or, if the file exists, is added to it
after the line that the label quotes. The copy consists of links; only sources of the recipes and
those that include a list of the build are compiled, and linked with the objects of the build.
"""
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = os.environ['POLYTRACE_ROOT']
BUILD = os.path.abspath(sys.argv[2])
BLOCK = re.compile(r'^```\w+ (\S+)(?: after "([^\n]*)")?\n(.*?)^```$', re.M | re.S)
# Sources that include a list of the build, which the recipes extend.
LISTS = {'format': 'formats', 'filter': 'filters', 'command': 'commands', 'analysis': 'analyses',
         'simulation': 'simulations'}
SAMPLES = ('bach bach/special.tr', 'lackey lackey/words.lackey')
FOLDER = tempfile.TemporaryDirectory()
TREE = os.path.join(FOLDER.name, 'tree')
MADE = os.path.join(FOLDER.name, 'made')


def copy_tree():
    """A copy of the tree by links."""
    for name in ('doc', 'include', 'src', 'tests'):
        for folder, _, files in os.walk(os.path.join(ROOT, name)):
            copy = os.path.join(TREE, os.path.relpath(folder, ROOT))
            os.makedirs(copy)
            for file in files:
                os.symlink(os.path.join(folder, file), os.path.join(copy, file))


def blocks():
    """The labeled blocks of each recipe: (path, line that it is added after, text)."""
    return {os.path.basename(path)[:-3]: BLOCK.findall(open(path).read())
            for path in sorted(glob.glob(os.path.join(ROOT, 'doc', 'adding-*.md')))}


def add(path, anchor, text):
    """Adds a block to the copy."""
    target = os.path.join(TREE, path)
    if os.path.exists(target):
        lines = open(target).read().splitlines(keepends=True)
        at = [number for number, line in enumerate(lines, 1) if line.strip() == anchor]
        if len(at) != 1:
            raise RuntimeError(f'{path} has {len(at)} lines "{anchor}"')
        text = ''.join(lines[:at[0]]) + text + ''.join(lines[at[0]:])
        os.remove(target)
    elif anchor:
        raise RuntimeError(f'{path} does not exist')
    os.makedirs(os.path.dirname(target), exist_ok=True)
    open(target, 'w').write(text)


def words_of(name):
    """The words of a list of the copy's src/meson.build."""
    text = open(os.path.join(TREE, 'src', 'meson.build')).read()
    return re.findall(r"'([\w/]+)'", re.search(rf'^{name} = \[(.*?)\]', text, re.M | re.S)[1])


def make_lists():
    """The files LIST_list.def, as the build generates them."""
    os.makedirs(MADE)
    for kind, name in LISTS.items():
        with open(os.path.join(MADE, kind + '_list.def'), 'w') as file:
            file.writelines(f'LIST({word.split("/")[-1]})\n' for word in words_of(name))


def command_of(path):
    """The command of the build that compiles a source."""
    for entry in json.load(open(os.path.join(BUILD, 'compile_commands.json'))):
        if os.path.abspath(os.path.join(BUILD, entry['file'])) == os.path.join(ROOT, path):
            return shlex.split(entry['command'])
    raise RuntimeError(f'the build does not compile {path}')


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode:
        raise RuntimeError(f'{" ".join(command)}: {done.stdout}{done.stderr}')
    return done.stdout


def compile_source(path, like):
    """Compiles a source of the copy with the flags of another one; returns its object."""
    words = command_of(like)
    made = os.path.join(MADE, path.replace('/', '_') + '.o')
    at = words.index('-o')
    del words[at:at + 2]
    words = [word for word in words if not os.path.abspath(os.path.join(BUILD, word)).endswith(like)]
    here = ['-I', MADE, '-I', os.path.join(TREE, 'src'), '-I', os.path.join(TREE, 'include'),
            '-I', os.path.join(TREE, 'tests', 'unit')]
    at = next(number for number, word in enumerate(words) if word.startswith('-I'))
    run([*words[:at], *here, *words[at:], '-Werror', '-fdiagnostics-color=never', '-MF', os.devnull, '-o', made,
         os.path.join(TREE, path)], cwd=BUILD)
    return made


def link(target, objects, replaced):
    """Links a program of the build again, with other objects before its own; returns its path."""
    command = run(['ninja', '-C', BUILD, '-t', 'commands', target]).strip().split('\n')[-1]
    words = shlex.split(command)
    at = words.index('-o')
    program = os.path.join(FOLDER.name, os.path.basename(target))
    del words[at:at + 2]
    kept = [word for word in words[1:] if not any(word.endswith(name) for name in replaced)]
    run([words[0], '-o', program, *objects, *kept], cwd=BUILD)
    return program


class Copy:
    """The programs of the copy, built once."""

    def __init__(self):
        copy_tree()
        self.blocks = blocks()
        for recipe in self.blocks.values():
            for block in recipe:
                add(*block)
        make_lists()
        core = [compile_source('src/' + path, 'src/' + path) for path in (
            'format/core/registry.c', 'analysis/core/analyses.c', 'report/terms.c')]
        core += [compile_source(path, 'src/format/core/registry.c') for path in self.sources('src')
                 if '/cli/' not in path]
        own = [compile_source(path, 'src/cli/main.c') for path in self.sources('src/cli')]
        self.polytrace = link('src/polytrace', [
            *core, *own, compile_source('src/cli/main.c', 'src/cli/main.c')], ['cli_main.c.o'])
        self.registry = link('tests/test_registry', [
            *core, *own, compile_source('tests/unit/cli/test_registry.c',
                                        'tests/unit/cli/test_registry.c')], ['test_registry.c.o'])
        self.laws = link('tests/laws', core, [])
        self.analyses = link('tests/analyses', core, [])
        self.units = {path: link('tests/test_din', [
            *core, compile_source(path, 'tests/unit/format/test_din.c')], ['test_din.c.o'])
            for path in self.sources('tests/unit')}

    def sources(self, folder):
        """The C files of the recipes in a folder."""
        return [path for recipe in self.blocks.values() for path, _, _ in recipe
                if path.startswith(folder + '/') and path.endswith('.c')]

    def added(self, pattern):
        """Blocks whose path matches a pattern."""
        return [(path, text) for recipe in self.blocks.values() for path, _, text in recipe
                if re.fullmatch(pattern, path)]


ENVIRONMENT = dict(os.environ, POLYTRACE_ROOT=TREE)


def failures(*command):
    """Lines of a test's TAP that are not ok, with the comments before them."""
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, cwd=TREE)
    if not re.search(r'^1\.\.[1-9]', done.stdout, re.M):
        yield f'{command[-1]}: no results: {done.stderr}'
    comments = []
    for line in done.stdout.splitlines():
        comments = comments + [line] if line.startswith('#') else comments
        if line.startswith('not ok'):
            yield '\n'.join([*comments, line])
        if line.startswith(('ok', 'not ok')):
            comments = []


def samples(*lines):
    """A list of samples of the copy."""
    path = os.path.join(FOLDER.name, 'samples')
    open(path, 'w').write('\n'.join(lines) + '\n')
    return path


def every_recipe_has_an_example(copy):
    for name, found in copy.blocks.items():
        for pattern in r'src/.*\.c', r'src/meson\.build', r'doc/man/.*\.[15]', r'tests/.*':
            if not any(re.fullmatch(pattern, path) for path, _, _ in found):
                yield f'doc/{name}.md: no block for {pattern}'


def the_examples_obey_the_contracts(copy):
    yield from failures(copy.registry)


def the_unit_tests_of_the_examples_pass(copy):
    for program in copy.units.values():
        yield from failures(program)


def the_laws_hold_for_the_format(copy):
    lines = [line for _, text in copy.added('tests/data/samples') for line in text.splitlines()]
    for fault in failures(copy.laws, TREE, samples(*lines)):
        if 'every_format_has_a_sample' not in fault:
            yield fault


def the_laws_hold_for_the_analysis(copy):
    for fault in failures(copy.analyses, TREE, samples(*SAMPLES)):
        if 'weighted_rows_were_tried' not in fault:
            yield fault


def the_models_of_the_examples_agree(copy):
    for path, _ in copy.added(r'tests/models/\w+\.py'):
        yield from failures(sys.executable, os.path.join(TREE, path), copy.polytrace)


def the_cases_of_the_examples_pass(copy):
    names = [os.path.basename(path)[:-4] for path, _ in copy.added(r'tests/cli/cases/\w+\.cmd')]
    yield from failures(sys.executable, os.path.join(TREE, 'tests', 'cli', 'cases.py'),
                        copy.polytrace, *names)


def the_pages_have_all_that_the_examples_print(copy):
    short = os.path.join(TREE, 'tests', 'data', 'samples')
    os.remove(short)
    shutil.copy(samples(*SAMPLES), short)
    yield from failures(sys.executable, os.path.join(TREE, 'tests', 'models', 'schema.py'),
                        copy.polytrace)
    yield from failures(sys.executable, os.path.join(TREE, 'tests', 'cli', 'laws.py'),
                        copy.polytrace, 'every_help_agrees_with_its_manual_page',
                        'every_command_has_a_test_of_its_printing', 'every_page_is_installed',
                        'every_format_has_a_page_with_its_options_and_rules',
                        'manual_pages_are_valid')


def the_examples_keep_the_rules_of_the_source(copy):
    for name in 'codes', 'labels', 'tags', 'directives':
        yield from failures(sys.executable, os.path.join(TREE, 'tests', 'structure', name + '.py'))
    paths = [path for recipe in copy.blocks.values() for path, _, _ in recipe]
    done = subprocess.run([sys.executable, os.path.join(TREE, 'tests', 'structure', 'words.py'),
                           *(path for path in paths if not os.path.islink(os.path.join(TREE, path)))],
                          capture_output=True, text=True, env=ENVIRONMENT, cwd=TREE)
    yield from (line for line in done.stdout.splitlines() if any(path in line for path in paths))
    if shutil.which('clang-format'):
        for path, text in copy.added(r'.*\.c'):
            style = '--style=file:' + os.path.join(ROOT, '.clang-format')
            if run(['clang-format', style, os.path.join(TREE, path)]) != text:
                yield f'{path} is not formatted'


TESTS = [every_recipe_has_an_example, the_examples_obey_the_contracts,
         the_unit_tests_of_the_examples_pass, the_laws_hold_for_the_format,
         the_laws_hold_for_the_analysis, the_models_of_the_examples_agree,
         the_cases_of_the_examples_pass, the_examples_keep_the_rules_of_the_source,
         the_pages_have_all_that_the_examples_print]


def main():
    print(f'1..{1 + len(TESTS)}')
    try:
        copy = Copy()
    except RuntimeError as failure:
        print('\n'.join('# ' + line for line in str(failure).splitlines()))
        print('not ok 1 - the_examples_are_built\nBail out!')
        return
    print('ok 1 - the_examples_are_built')
    for number, test in enumerate(TESTS, 2):
        faults = list(test(copy))
        for fault in faults:
            print('\n'.join('# ' + line.lstrip('# ') for line in fault.splitlines()))
        print(f'{"not " if faults else ""}ok {number} - {test.__name__}', flush=True)


main()
