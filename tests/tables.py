#!/usr/bin/env python3
"""Traces as tables of other programs, as TAP: the examples of polytrace-tables(7), and questions with one answer
in every program.

    tables.py POLYTRACE LIBRARY [MODULE]

DuckDB is a package of npm that tools/npm/install installs, the Python package is built for the system's Python;
tests are skipped without them. MODULE: polytrace.so of SQLite."""
import bisect
import csv
import functools
import glob
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.environ['POLYTRACE_ROOT']
sys.path += [os.path.join(ROOT, 'tests', folder) for folder in ('cli', 'python', '.')]
import built  # noqa: E402
import needs  # noqa: E402
import npm  # noqa: E402
import tap  # noqa: E402

POLYTRACE, LIBRARY, *MODULE = map(os.path.abspath, sys.argv[1:])
LACKS = os.environ.get('POLYTRACE_LACKS', '').split()
# Traces, and the condition for one record per instruction.
TRACES = {'cis501/sort_1k.trace': 'uop_index = 1', 'cis501/seed15.trace': 'uop_index = 1',
          'tt6/thread_002.tt6e': "kind = 'instruction'", 'champsim/forms.champsim': "kind = 'instruction'"}
# The answers are rows of a question, a name or address, and a number.
QUERIES = ["SELECT 'mix' AS question, coalesce(mnemonic, '') AS item, count(*) AS number FROM {trace} "
           'WHERE {condition} GROUP BY 2',
           "SELECT 'loads' AS question, pc AS item, count(*) AS number FROM {trace} WHERE access = 'read' "
           'GROUP BY pc ORDER BY 3 DESC, 2 LIMIT 10',
           "SELECT 'misses' AS question, s.name AS item, sum(m.misses) AS number FROM {misses} AS m JOIN {symbols} AS s "
           'ON m.pc BETWEEN s.first AND s.last GROUP BY 2']


def run(*words, **options):
    done = subprocess.run(words, **{'cwd': TOP, 'capture_output': True, 'text': True, 'check': False, **options})
    assert done.returncode == 0, (words, done.stdout, done.stderr[-3000:])
    return done.stdout


def polytrace(*words):
    return run(POLYTRACE, *words)


def write_symbols(trace):
    """A list of functions, each of 256 bytes: symbols.nm."""
    pcs = polytrace('view', '--csv', '-c', 'pc', '-w', 'has(pc)', trace).split()[1:]
    with open(os.path.join(TOP, 'symbols.nm'), 'w') as file:
        for page in sorted({int(pc, 16) >> 8 for pc in pcs}):
            print(f'{page << 8:016x} {0x100:016x} T page_{page:x}', file=file)


@functools.cache
def from_reports(trace):
    """Answers of stats and sim, as a dictionary by question and item."""
    report = json.loads(polytrace('stats', '-a', 'mix', '-Omix.top=1000000', '--json', trace))['mix']
    # Elsewhere the mnemonics are not columns: they come from opcodes.
    answers = {('mix', row['mnemonic']): row['count'] for row in report['mnemonics']} if trace.startswith('cis501') else {
        ('mix', ''): report['instructions']}
    report = json.loads(polytrace('stats', '-a', 'strides', '-Ostrides.top=1000000', '-w', 'not access == write', '--json',
                                  trace))
    loads = {}
    for row in report['strides']['hottest_instructions']:
        pc = int(row['pc'], 16)
        loads[pc] = loads.get(pc, 0) + row['accesses']
    answers.update({('loads', pc): loads[pc] for pc in sorted(loads, key=lambda pc: (-loads[pc], pc))[:10]})
    report = json.loads(polytrace('sim', 'cache', '--sweep', 'size=1k', '-Otop=1000000', '--json', trace))
    with open(os.path.join(TOP, 'symbols.nm')) as file:
        functions = [(int(line.split()[0], 16), line.split()[3]) for line in file]
    for row in report['cache']['hottest_instructions']:
        first, name = functions[bisect.bisect(functions, (int(row['pc'], 16), '~')) - 1]
        assert first <= int(row["pc"], 16) < first + 0x100
        answers['misses', name] = answers.get(('misses', name), 0) + row['misses']
    return answers


def from_sql(trace):
    names = {'trace': f"trace('{trace}')", 'condition': TRACES[trace], 'symbols': "trace_symbols('symbols.nm')",
             'misses': "(SELECT addr(record->>'pc') AS pc, record->>'misses' AS misses FROM "
                       f"trace_sim('{trace}', 'cache', 'size=1k', 'top=1000000') WHERE name = 'hottest_instructions')"}
    rows = map(json.loads, polytrace('sql', '--json', '; '.join(QUERIES).format(**names)).splitlines())
    return {(row['question'], row['item']): row['number'] for row in rows}


def from_duckdb(trace):
    polytrace('convert', '--force', '-c', 'kind,pc,access,mnemonic,uop_index', trace, '-o', 'trace.parquet')
    polytrace('sim', 'cache', '--sweep', 'size=1k', '-Otop=1000000', '--table', 'hottest_instructions', '--force', trace, '-o',
              'misses.parquet')
    names = {'trace': "'trace.parquet'", 'condition': TRACES[trace], 'misses': "'misses.parquet'",
             'symbols': "(SELECT column3 AS name, ('0x' || column0)::ubigint AS first, first + 255 AS last FROM "
                        "read_csv('symbols.nm', delim = ' ', header = false, all_varchar = true))"}
    answers = npm.query(TOP, *(query.format(**names) for query in QUERIES))
    return {(question, int(item) if question == 'loads' else item): int(number)
            for rows in answers for question, item, number in rows}


PANDAS = '''
import json, sys, pandas, polytrace
trace, condition = sys.argv[1:]
frame = polytrace.open(trace).pandas()
name, value = condition.split(' = ')
one = frame[frame[name] == (value.strip("'") if value[0] == "'" else int(value))]
mix = one.groupby('mnemonic', observed=True).size() if 'mnemonic' in frame else pandas.Series({'': len(one)})
loads = frame[frame['access'] == 'read'].groupby('pc').size().rename('n').reset_index()
loads = loads.sort_values(['n', 'pc'], ascending=[False, True])[:10]
report = polytrace.sim(trace, 'cache', sweep={'size': '1k'}, top=1000000)
misses = pandas.DataFrame(report['hottest_instructions'])
misses['pc'] = misses['pc'].map(lambda pc: int(pc, 16)).astype('uint64')
symbols = pandas.read_csv('symbols.nm', sep=' ', names=['first', 'size', 'type', 'name'], dtype=str)
symbols['first'] = symbols['first'].map(lambda pc: int(pc, 16)).astype('uint64')
found = pandas.merge_asof(misses.sort_values('pc'), symbols, left_on='pc', right_on='first').groupby('name')['misses'].sum()
print(json.dumps([['mix', item, int(n)] for item, n in mix.items()] +
                 [['loads', int(pc), int(n)] for pc, n in zip(loads['pc'], loads['n'])] +
                 [['misses', item, int(n)] for item, n in found.items()]))
'''


def package():
    """The variables of Python with the package, which this builds when it is first called."""
    folder = os.path.join(TOP, 'package')
    variables = built.environment(TOP, LIBRARY, 'none')
    if not os.path.isdir(folder):
        shutil.copytree(os.path.join(ROOT, 'python'), folder)
        run(built.PYTHON, 'setup.py', '-q', 'build_ext', '--inplace', cwd=folder, env=variables)
    return {**variables, 'PYTHONPATH': folder, 'OPENBLAS_NUM_THREADS': '1'}


def from_pandas(trace):
    rows = json.loads(run(built.PYTHON, '-c', PANDAS, trace, TRACES[trace], env=package()))
    return {(question, item): number for question, item, number in rows}


def differences(answer):
    """What an answer has that reports do not have, and conversely."""
    for trace in TRACES:
        write_symbols(trace)
        expected, found = from_reports(trace), answer(trace)
        for question in ('mix', 'loads', 'misses'):
            if not any(key[0] == question for key in expected):
                yield f'{trace}: nothing about {question}'
        for key in sorted(expected.keys() | found.keys(), key=str):
            if expected.get(key) != found.get(key):
                yield f'{trace}: {key}: {found.get(key)}, expected {expected.get(key)}'


def sql_has_the_numbers_of_stats():
    yield from differences(from_sql)


def duckdb_has_the_numbers_of_stats():
    yield from differences(from_duckdb)


def pandas_has_the_numbers_of_stats():
    yield from differences(from_pandas)


def examples(prompt):
    """The literal block of the manual that begins with a prompt."""
    with open(os.path.join(ROOT, 'doc', 'man', 'polytrace-tables.7')) as page:
        block, = re.findall(rf'^\.Bd -literal\n({re.escape(prompt)}.*?)^\.Ed$', page.read(), re.S | re.M)
    return block


def session(prompt, more):
    """The input and the output of a block; more: the prompt of lines that continue a statement."""
    lines = examples(prompt).splitlines()
    inputs = [line[len(prompt):] for line in lines if line.startswith((prompt, more))]
    return inputs, [line for line in lines if not line.startswith((prompt, more))]


def the_example_of_duckdb_runs():
    polytrace('convert', '-c', 'pc,uop_index,access,mnemonic', 'cis501/sort_1k.trace', '-o', 'sort.parquet')
    (mode, *statement), output = session('D ', '  ')
    npm.query(TOP, f"COPY ({' '.join(statement).rstrip(';')}) TO 'output.csv' (QUOTE '')")
    with open(os.path.join(TOP, 'output.csv')) as file:
        found = file.read().splitlines()
    if mode != '.mode csv' or found != output:
        yield f'{found}, expected {output}'


def the_example_of_sqlite_runs():
    inputs, output = session('sqlite> ', '   ...> ')
    text = '\n'.join(inputs).replace('/usr/local/lib/polytrace/polytrace', MODULE[0])
    found = [line.rstrip() for line in run('sqlite3', '-batch', input=text).splitlines()]
    if found != output:
        yield f'{found}, expected {output}'


# In place of Matplotlib, which is large: pandas passes the plot to the module that an option names.
BACKEND = '''
class Axes:
    def __init__(self, points):
        self.figure, self.points = self, points

    def savefig(self, name):
        with open(name, 'w') as file:
            for point in self.points:
                print(*point, sep=',', file=file)

def plot(data, kind, x, y, **_):
    assert kind == 'scatter', kind
    return Axes(zip(data[x], data[y]))
'''
DOCTEST = '''
import doctest, pandas, sys
pandas.set_option('plotting.backend', 'backend')
examples = doctest.DocTestParser().get_doctest(sys.stdin.read(), {}, 'polytrace-tables.7', None, 0)
sys.exit(doctest.DocTestRunner(verbose=False).run(examples).failed)
'''


def the_example_of_pandas_plots_every_access():
    with open(os.path.join(TOP, 'backend.py'), 'w') as file:
        file.write(BACKEND)
    run(built.PYTHON, '-c', DOCTEST, input=examples('>>> '), env=package())
    with open(os.path.join(TOP, 'accesses.png')) as file:
        found = [tuple(map(int, line.split(','))) for line in file]
    listing = polytrace('view', '--csv', '-c', 'row,address', 'cis501/sort_1k.trace')
    expected = [(int(row), int(address, 16)) for row, address in list(csv.reader(io.StringIO(listing)))[1:] if address]
    if found != expected or not found:
        yield f'{found[:5]}, expected {expected[:5]}'


def skipped():
    """Reasons by the name of a test."""
    reasons = {}
    if npm.missing() or 'zstd' in LACKS:
        reasons.update(dict.fromkeys(['duckdb_has_the_numbers_of_stats', 'the_example_of_duckdb_runs'],
                                     npm.missing() or 'the build lacks zstd'))
    if 'sqlite' in LACKS:
        reasons.update(dict.fromkeys(['sql_has_the_numbers_of_stats', 'the_example_of_sqlite_runs'], 'the build lacks sqlite'))
    elif not MODULE or needs.lacking('sqlite3'):
        reasons['the_example_of_sqlite_runs'] = needs.lacking('sqlite3') or 'the build lacks sqlite'
    if built.lacking():
        reasons.update(dict.fromkeys(['pandas_has_the_numbers_of_stats', 'the_example_of_pandas_plots_every_access'],
                                     built.lacking()))
    return reasons


with tempfile.TemporaryDirectory() as TOP:
    for path in glob.glob(os.path.join(ROOT, 'tests', 'data', '*')):
        os.symlink(path, os.path.join(TOP, os.path.basename(path)))
    if not npm.missing():
        npm.prepare(TOP)
    tap.run([sql_has_the_numbers_of_stats, duckdb_has_the_numbers_of_stats, pandas_has_the_numbers_of_stats,
             the_example_of_duckdb_runs, the_example_of_sqlite_runs, the_example_of_pandas_plots_every_access],
            skipped())
