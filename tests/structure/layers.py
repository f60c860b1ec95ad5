#!/usr/bin/env python3
"""
Permitted includes and calls of each layer (doc/ARCHITECTURE.md, "Folders"), as TAP.

Calls are read from the objects of the static library, whose path is the argument: a public header
declares functions of every layer, so includes alone do not show them.
"""
import glob
import os
import re
import subprocess
import sys

ROOT = os.environ['POLYTRACE_ROOT']
# The layers whose headers and functions a layer may use, besides its own and include/polytrace.
MAY = {'base': '', 'arrow': 'base model format', 'model': 'base', 'io': 'base', 'isa': 'base model', 'report': 'base parquet',
       'aix': 'base model', 'lang': 'base model isa', 'select': 'base model lang',
       'effects': 'base model isa', 'parquet': 'base io',
       'format': 'base model io isa aix lang effects parquet symbol',
       'correlate': 'base model lang report isa effects',
       'symbol': 'base io', 'sim': 'base', 'course': 'base sim',
       'record': 'base model isa effects', 'trcfmt': 'base model aix lang report io',
       'analysis': 'base model lang isa effects symbol sim course report', 'sql': '', 'cli': 'sql'}
# Layers above the public interface: of the library they call its functions only.
ABOVE = {'sql', 'cli'}
# Code that several formats share; other folders of format/ belong to the format of their name.
SHARED = {'bus': {'bus', 'bach', 'bach_text', 'byutr'}, 'operation': {'operation', 'champsim', 'sbbt'}}
# Files of a folder that call each other in a ring: parsers and interpreters by their nature, the
# others to shrink.
RINGS = [
    'trcfmt/eval: eval eval_builtin eval_code eval_macro eval_text',
    'trcfmt/lang: call code expr parse switch',
    'analysis/sim/pipeline: pipeline pipeline_report pipeline_stages pipeline_stream '
    'pipeline_sweep pipeline_sweep_parse',
    'course: grade_layout grade_why',
    'format/cis501: cis501 free',
    'format/qemu4v: form line',
    'io: decoder in',
    'sim/cache: cache cache_run cache_x86',
]
# What is of one format by its definition, and so names it.
NAMES_FORMAT = {'src/cli/files/ptz_files.h': 'ptz', 'src/cli/commands/pack.c': 'ptz',
                'src/cli/commands/record.c': 'lackey',
                'src/cli/programs/lackey_run.c': 'lackey', 'src/cli/commands/trcrpt.c': 'aix', 'src/cli/files/trcrpt_inputs.c': 'aix', 'src/cli/commands/view.c': 'jsonl',
                'src/analysis/stats/data/memory.c': 'bach'}
# Names of formats that are words of other things, too.
WORDS = {'text', 'full', 'csv'}
# Headers of C, of POSIX and of the compiler; every other one belongs to a library.
SYSTEM = re.compile(r'(assert|ctype|dirent|errno|fcntl|inttypes|limits|math|poll|pthread|sched|setjmp|'
                    r'signal|spawn|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|string|'
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


def format_names():
    """A pattern of the texts that are a format's name, or an option or fact of it."""
    names = {'tt6e'}
    for path, text in sources():
        if path.startswith('src/format/'):
            names |= set(re.findall(r'\.name = "([\w-]+)",\s*\.family', text))
            names |= set(re.findall(r'\.family = "([\w-]+)"', text))
    return re.compile(rf'"({"|".join(sorted(names - WORDS))})[".:]')


def named_formats():
    """Formats by name in the code of layers that treat all alike."""
    pattern = format_names()
    for path, text in sources():
        if path.split('/')[1] in ('format', 'aix', 'trcfmt'):
            continue
        for name in sorted(set(pattern.findall(re.sub(r'/\*.*?\*/', '', text, flags=re.S)))):
            if NAMES_FORMAT.get(path) != name:
                yield f'{path} names the format {name}: use what describes it'


class Objects:
    """The calls between the source files of the library, read from its objects."""

    def __init__(self, library):
        self.files = {path[4:].replace('/', '_') + '.o': path for path, _ in sources()}
        self.defined, self.wanted, self.functions, self.twice = {}, [], set(), []
        self.read(['-A', library], r'.*\[(?:.*/)?(.+?)\]: (\S+) (\w)')
        commands = glob.glob(os.path.join(os.path.dirname(library), 'polytrace.p', '*.o'))
        self.read(['-A', *commands], r'(?:.*/)?(.+?): (\S+) (\w)')

    def read(self, arguments, form):
        listing = subprocess.run(['nm', '-P', *arguments], capture_output=True, text=True,
                                 check=True).stdout
        for member, symbol, kind in re.findall('(?m)^' + form, listing):
            path = self.files.get(member)
            if path and kind in 'BCDRTVW':
                if kind not in 'VW' and symbol in self.defined:
                    self.twice.append(f'{symbol} is defined by {self.defined[symbol]} and {path}')
                self.defined[symbol] = path
                if kind in 'TW':
                    self.functions.add(symbol)
            elif path and kind == 'U':
                self.wanted.append((path, symbol))

    def calls(self):
        """Pairs of different files, each with a symbol of the second that the first uses."""
        for path, symbol in sorted(self.wanted):
            other = self.defined.get(symbol)
            if other and other != path:
                yield path, other, symbol


def upward_calls(objects):
    """Calls of layers that the table does not permit."""
    lists = {path for path, text in sources() if '_list.def"' in text}
    for path, other, symbol in objects.calls():
        ours, theirs = path.split('/')[1], other.split('/')[1]
        owner = unit(other)
        if ours == theirs:
            if owner and ours != 'cli' and path not in lists and \
                    unit(path) not in SHARED.get(owner, {owner}):
                yield f'{path} calls {symbol}, which belongs to {owner}'
        elif ours in ABOVE and theirs not in ABOVE:
            if not symbol.startswith('poly_'):
                yield f'{path} calls {symbol}, which is not public'
        elif theirs not in MAY[ours].split():
            yield f'{path} calls {symbol} of {other}: {ours} may call {MAY[ours] or "nothing"}'


def rings(graph):
    """The strongly connected components of more than one file, by Tarjan's algorithm."""
    order, low, stack, found = {}, {}, [], []

    def visit(file):
        order[file] = low[file] = len(order)
        stack.append(file)
        for callee in sorted(graph.get(file, ())):
            if callee not in order:
                visit(callee)
                low[file] = min(low[file], low[callee])
            elif callee in stack:
                low[file] = min(low[file], order[callee])
        if low[file] == order[file]:
            ring = stack[stack.index(file):]
            del stack[stack.index(file):]
            if len(ring) > 1:
                found.append(set(ring))

    for file in sorted(graph):
        if file not in order:
            visit(file)
    return found


def new_rings(objects):
    """Rings of files that are not among the known ones, and known ones that are gone."""
    graph, unused = {}, []
    for line in RINGS:
        folder, names = line.split(': ')
        unused.append({f'src/{folder}/{name}.c' for name in names.split()})
    known = list(unused)
    for path, other, symbol in objects.calls():
        if os.path.dirname(path) == os.path.dirname(other) and symbol in objects.functions:
            graph.setdefault(path, set()).add(other)
    for ring in rings(graph):
        if not any(ring <= files for files in known):
            yield f'{", ".join(sorted(ring))} call each other in a ring'
        unused = [files for files in unused if not files & ring]
    for files in unused:
        yield f'{", ".join(sorted(files))} call each other no longer: remove the exception'


def documented():
    """Rows of the architecture's table that differ from this one, and cycles in it."""
    text = open(os.path.join(ROOT, 'doc', 'ARCHITECTURE.md')).read()
    rows = dict(re.findall(r'^\| `src/(\w+)/` \|.*\| ([^|]+) \|$', text, re.M))
    for layer in sorted(MAY):
        row = re.sub(r'libc|`include/polytrace/` only', '', rows.pop(layer, 'no row'))
        if sorted(re.findall(r'\w+', row)) != sorted(MAY[layer].split()):
            yield f'doc/ARCHITECTURE.md states of {layer}: {row} (expected {MAY[layer]})'
    yield from (f'doc/ARCHITECTURE.md has no folder {layer}' for layer in rows)
    for ring in rings({layer: set(below.split()) for layer, below in MAY.items()}):
        yield f'{", ".join(sorted(ring))} may call each other'


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
objects = Objects(sys.argv[1])
print('1..7')
report(1, 'layers_include_only_what_lies_below_them', faults)
report(2, 'everything_is_in_a_list_of_the_build', unbuilt())
report(3, 'layers_call_only_what_lies_below_them',
       list(upward_calls(objects)) if objects.defined else ['nm reads no symbols'])
report(4, 'files_of_a_folder_do_not_call_each_other_in_a_ring', list(new_rings(objects)))
report(5, 'the_architecture_has_the_same_table', list(documented()))
report(6, 'no_question_or_command_names_a_format', list(named_formats()))
# A command that repeats a symbol of the library may get either one.
report(7, 'no_symbol_has_two_definitions', objects.twice)
