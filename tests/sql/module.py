#!/usr/bin/env python3
"""polytrace.so in the sqlite3 shell and in Python's sqlite3, against the command, as TAP.

    module.py POLYTRACE MODULE [LIBRARY]

LIBRARY is preloaded: a sanitizer that the module needs.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

from sql_help import DATA, report, rows, run

import tap
import needs

MODULE = os.path.abspath(sys.argv[2])
PRELOAD = {'LD_PRELOAD': sys.argv[3], 'ASAN_OPTIONS': 'detect_leaks=0'} if len(sys.argv) > 3 else {}
SORT = 'cis501/sort_1k.trace'
CALLS = 'tarmac/calls.tarmac'
# Debian's, which loads modules; another one may come first in PATH.
PYTHON = '/usr/bin/python3'
SHELL = shutil.which('sqlite3')


def start(*words, **options):
    return subprocess.run(words, **{'cwd': DATA, 'stdin': subprocess.DEVNULL, 'capture_output': True,
                                    'env': {**os.environ, **PRELOAD}, **options})


def shell(*statements, base=':memory:'):
    return start(SHELL, '-batch', '-json', '-cmd', f'.load {MODULE}', base, *statements)


def python(code):
    """A program in Python, to which base is a connection that has loaded the module."""
    before = 'import sqlite3, json, os, sys\nbase = sqlite3.connect(":memory:")\n' \
        f'base.enable_load_extension(True)\nbase.load_extension({MODULE[:-3]!r})\n'
    return start(PYTHON, '-c', before + code)


QUERIES = [f"select * from trace('{SORT}') where row < 50",
           f"select row, text from trace('{CALLS}') where text is not null",
           f"select access, count(*) n, min(address) a from trace('{SORT}') group by access",
           f"select a.row, hex(b.pc) pc from trace('{SORT}') a join trace('{SORT}') b on b.rowid = a.row + 1 "
           'where a.row between 90 and 110',
           f"select file, count(*) n from trace where file in ('{SORT}', '{CALLS}') group by 1 order by 1",
           f"select name, row, record from trace_stats('{SORT}', 'mix', 'top=3')",
           f"select name, row, record from trace_sim('{SORT}', 'cache', 'size=1k')",
           f"select record->>'function' f, record->>'calls' n from trace_calls('{CALLS}', "
           "'symbols=symbols/calls.nm', 'style=profile') where name = 'functions'",
           "select name, hex(first) a, hex(last) b from trace_symbols('symbols/calls.nm')",
           "select addr('0xffffffffffffffff') a, hex(-1) b"]


def the_shell_has_the_rows_of_the_command():
    for query in QUERIES:
        done = shell(query)
        found = json.loads(done.stdout or '[]')
        # The shell rounds reals, of which there are none here, and prints a column twice.
        if found != rows(query) or not found or done.stderr:
            yield f'{query}: {done}, expected {rows(query)[:3]}'


def python_has_the_rows_of_the_command():
    done = python(f'''
for query in {QUERIES!r}:
    cursor = base.execute(query)
    names = [column[0] for column in cursor.description]
    print(json.dumps([dict(zip(names, row)) for row in cursor]))
''')
    found = [json.loads(line) for line in done.stdout.splitlines()]
    if found != [rows(query) for query in QUERIES] or done.stderr:
        yield f'{done.stderr}, {found}'


def values_have_their_types():
    done = python(f'''
row = base.execute("select row, kind, pc, access, immediate, typeof(address) from trace('{SORT}')").fetchone()
print(row)
print(base.execute("select payload from trace('aix/raw64.trc') where length(payload) > 2").fetchone()[0][:2])
''')
    if done.stdout != b"(1, 'instruction', 4200288, None, 0, 'null')\n" + done.stdout.split(b'\n')[1] + b'\n' or \
            not done.stdout.split(b'\n')[1].startswith(b"b'"):
        yield str(done)


def a_file_that_changes_during_a_query_is_an_error_after_rows():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'x.trace')
        done = python(f'''
source = open('{SORT}', 'rb').read()
with open({path!r}, 'wb') as file:
    for _ in range(300):
        file.write(source)
cursor = base.execute("select row from trace({path!r}, 'threads=1')")
rows = [cursor.fetchone()[0] for _ in range(3)]
with open({path!r}, 'r+b') as file:
    file.seek(len(source) * 150)
    file.write(bytes([0xff]) * len(source))
count = 3
try:
    for _ in cursor:
        count += 1
except sqlite3.OperationalError as error:
    print(rows, count > 1000, str(error))
os.truncate({path!r}, 1000000)
cursor = base.execute("select count(*) from trace({path!r}, 'partial')")
print(cursor.fetchone()[0] > 1000)
''')
        lines = done.stdout.decode().splitlines()
        if done.returncode or len(lines) != 2 or not lines[0].startswith('[1, 2, 3] True ') or \
                f'{path}: record ' not in lines[0] or 'byte ' not in lines[0] or lines[1] != 'True':
            yield str(done)


def errors_have_their_messages():
    cases = [("select 1 from trace('none')", 'none: cannot open file'), ('select 1 from trace', 'missing file name'),
             (f"select no_such from trace('{SORT}')", 'no such column: no_such'),
             (f"select 1 from trace('{SORT}', 'x=1')", "option 'x=1'"),
             (f"select 1 from trace({', '.join([repr(SORT)] + ['1'] * 9)})", 'too many arguments'),
             (f"select * from trace_stats('{SORT}', 'x')", "no such analysis 'x'"),
             (f"create virtual table temp.t using trace_stats('{SORT}', 'mix')", 'expected one of: values'),
             (f"create virtual table temp.t using trace('{SORT}', 'x')", "option 'x'"),
             ("create virtual table temp.t using trace", 'missing file name'),
             (f"insert into trace(row) values(1)", 'may not be modified'),
             ("select addr('x')", "invalid address 'x'"),
             ("select 1 from trace('" + 'x' * 100000 + "')", 'cannot open file'),
             ("select 1 from trace(null)", None), ("select 1 from trace_stats(null, 'mix')", None)]
    for statement, message in cases:
        done = shell(statement)
        if message and (message.encode() not in done.stderr or not done.returncode) or \
                not message and (done.stdout or done.stderr):
            yield f'{statement[:100]}: {str(done)[:500]}'


def views_of_other_databases_read_no_files():
    with tempfile.TemporaryDirectory() as folder:
        base = os.path.join(folder, 'x.db')
        path = os.path.join(DATA, SORT)
        made = shell(f"create virtual table t using trace('{path}')", f"create view v as select * from trace('{path}')",
                     'create view w as select * from t', base=base)
        if made.returncode or made.stderr:
            yield str(made)
        if json.loads(shell('select count(*) n from t', base=base).stdout) != [{'n': 1000}]:
            yield 'a table of a database cannot be read'
        for name in 'vw':
            done = shell(f'select count(*) from {name}', base=base)
            if b'unsafe use of virtual table' not in done.stderr or not done.returncode:
                yield f'{name}: {done}'


def cursors_close_their_files():
    done = python(f'''
query = """select count(*), sum(a.pc = b.pc) from trace('{SORT}') a, trace('{SORT}') b on b.rowid = a.rowid
where a.rowid <= 300"""
before = len(os.listdir('/proc/self/fd'))
cursors = [base.execute("select row from trace('{SORT}', 'threads=1')") for _ in range(5)]
for cursor in cursors:
    cursor.fetchone()
most = len(os.listdir('/proc/self/fd'))
base.set_progress_handler(lambda: most < len(os.listdir('/proc/self/fd')) - 8, 1000)
print(base.execute(query).fetchone())
base.set_progress_handler(None, 0)
for cursor in cursors:
    cursor.close()
for _ in range(100):
    base.execute("select row from trace('{SORT}') limit 1").fetchone()
print(len(os.listdir('/proc/self/fd')) - before)
''')
    if done.stdout != b'(300, 300)\n0\n' or done.stderr:
        yield str(done)


def analyses_have_tables_with_columns():
    done = shell(f"create virtual table temp.m using trace_stats('{SORT}', 'mix', 'table=mnemonics', 'top=3')",
                 'select mnemonic, count, records from m order by count desc')
    expected = [{key: row[key] for key in ('mnemonic', 'count', 'records')} for row in
                report('stats', '-a', 'mix', '-Omix.top=3', SORT)['mix']['mnemonics']]
    if json.loads(done.stdout or '[]') != expected:
        yield f'{done}, expected {expected}'


def only_the_entry_point_is_exported():
    listing = subprocess.run(['nm', '-D', '--defined-only', MODULE], capture_output=True, text=True,
                             check=True).stdout
    names = [line.split()[-1] for line in listing.splitlines()]
    names = [name for name in names if not name.startswith(('__asan', '__odr', '__ubsan', '__sanitizer'))]
    if names != ['sqlite3_polytrace_init']:
        yield str(names)


def running_out_of_memory_is_reported():
    for limit in (200_000, 400_000, 600_000, 1_000_000):
        for query in QUERIES[:1] + QUERIES[5:7]:
            done = shell(f'pragma hard_heap_limit = {limit}', query)
            if done.returncode not in (0, 1) or b'Sanitizer' in done.stderr:
                yield f'{limit}: {query}: {done}'


skipped = {}
if not SHELL:
    skipped.update(dict.fromkeys(['the_shell_has_the_rows_of_the_command', 'errors_have_their_messages',
                                  'views_of_other_databases_read_no_files', 'analyses_have_tables_with_columns',
                                  'running_out_of_memory_is_reported'], needs.lacking('sqlite3')))
if not os.path.exists(PYTHON) or b'True' not in subprocess.run(
        [PYTHON, '-c', 'import sqlite3; print(hasattr(sqlite3.Connection, "enable_load_extension"))'],
        capture_output=True, check=False).stdout:
    skipped.update(dict.fromkeys(['python_has_the_rows_of_the_command', 'values_have_their_types',
                                  'a_file_that_changes_during_a_query_is_an_error_after_rows',
                                  'cursors_close_their_files'], f'{PYTHON} loads no modules'))
tap.run([the_shell_has_the_rows_of_the_command, python_has_the_rows_of_the_command, values_have_their_types,
         a_file_that_changes_during_a_query_is_an_error_after_rows, errors_have_their_messages,
         views_of_other_databases_read_no_files, cursors_close_their_files, analyses_have_tables_with_columns,
         only_the_entry_point_is_exported, running_out_of_memory_is_reported], skipped)
