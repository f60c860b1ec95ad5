#!/usr/bin/env python3
"""polytrace sql: rows against CSV, tables against reports, limits and errors, as TAP.

    command.py POLYTRACE
"""
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

from sql_help import DATA, FORMS, LACKS, PROGRAM, report, rows, run, samples, sql

import sampling
import tap

SORT = 'cis501/sort_1k.trace'
CALLS = 'tarmac/calls.tarmac'


def expression(column):
    """An expression whose value is printed as CSV has the column."""
    form = FORMS.get(column)
    if form == 'HEX':
        return f'case when "{column}" is not null then hex("{column}") end'
    if form == 'BYTES':
        return f'case when "{column}" is not null then lower(hex("{column}")) end'
    if form == 'BOOL':
        return f"case {column} when 1 then 'true' when 0 then 'false' end"
    if form == 'DEC' and column not in ('row', 'immediate'):
        return f"case when {column} is not null then printf('%llu', {column}) end"
    return f'"{column}"'


def rows_are_those_of_csv():
    for form, path, option in sampling.sampled(list(samples())):
        words = ['--from', form, *(f'-O{word}' for word in option)]
        listed = run('view', '--csv', *words, path).stdout
        if not listed:
            continue
        names = listed.split(b'\n', 1)[0].decode().split(',')
        selected = ', '.join(f'{expression(name)} as "{name}"' for name in names)
        table = os.path.basename(path).split('.')[0].replace('-', '_')
        table = '_' + table if table[0].isdigit() else table
        done = sql('--csv', *words, f'select {selected} from "{table}"', path)
        if done.stdout != listed:
            found, expected = next(pair for pair in zip(done.stdout.splitlines() + [b''],
                                                        listed.splitlines() + [b'']) if pair[0] != pair[1])
            yield f'{form} {path}: {found} {done.stderr}, expected {expected}'


def star_has_the_columns_of_the_trace():
    for path in (SORT, CALLS):
        names = run('view', '--json', path).stdout.split(b'\n', 1)[0]
        expected = ['row', *json.loads(names)['columns']]
        table = os.path.basename(path).split('.')[0]
        found = list(rows(f'select * from {table} limit 1', path)[0])
        if found != expected:
            yield f'{path}: {found}, expected {expected}'
        if rows(f'select count(event) n from {table}', path) != [{'n': 0}]:
            yield f'{path}: a column that the trace lacks has a value'


# A trace of every type of value, with those at the ends of the ranges.
EDGES = [0, 1, 2, 2**31, 2**32 - 1, 2**63 - 2, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 2, 2**64 - 1]


def made_trace(folder, choice):
    """JSON Lines with random records; returns the path and the records."""
    header = {'polytrace': 'trace', 'version': 1, 'format': 'jsonl',
              'columns': ['kind', 'record', 'pc', 'access', 'address', 'size', 'mnemonic', 'immediate',
                          'executed', 'text'], 'records': ['a', 'b c', '"']}
    texts = ['', 'ADD', 'add', '"', "'", '\\', 'x y', 'ä', '1', '0x10']
    records = []
    for number in range(1, 1200):
        record = {'kind': choice.choice(['instruction', 'access', 'other']),
                  'record': choice.choice(header['records']),
                  'pc': choice.choice(EDGES), 'access': choice.choice(['read', 'write', 'fetch']),
                  'address': choice.choice(EDGES), 'size': choice.randrange(8),
                  'mnemonic': choice.choice(texts[1:]),
                  'immediate': choice.choice([0, 1, -1, -5, 2**63 - 1, -2**63]),
                  'executed': choice.random() < 0.5, 'text': choice.choice(texts)}
        for name in list(record)[2:]:
            if choice.random() < 0.3:
                del record[name]
        records.append({'row': number, **record})
    path = os.path.join(folder, 'made.jsonl')
    with open(path, 'w', encoding='utf-8') as file:
        for record in [header, *records]:
            line = {key: hex(value) if key in ('pc', 'address') else value
                    for key, value in record.items()}
            file.write(json.dumps(line, ensure_ascii=False, separators=(',', ':')) + '\n')
    return path, records


def signed(value):
    return value - 2**64 if isinstance(value, int) and value >= 2**63 else value


def imported(records):
    """A database of SQLite itself with the records in the table made."""
    base = sqlite3.connect(':memory:')
    names = ['row', 'kind', 'record', 'pc', 'access', 'address', 'size', 'mnemonic', 'immediate',
             'executed', 'text']
    kinds = {'pc': 'INTEGER', 'address': 'INTEGER', 'size': 'INTEGER', 'immediate': 'INTEGER',
             'executed': 'INTEGER', 'row': 'INTEGER'}
    base.execute(f"create table made({', '.join(f'{n} {kinds.get(n, chr(84) + chr(69) + chr(88) + chr(84))}' for n in names)})")
    base.executemany(f"insert into made values({', '.join('?' * len(names))})",
                     [[signed(record.get(name)) for name in names] for record in records])
    return base


def constant(column, choice):
    """A constant to compare a column with, mostly of its type."""
    if choice.random() < 0.1:
        return choice.choice(['NULL', '1.5', "'1'", "'x'", "x'31'", '-1', '9e18', "'ADD'", '2'])
    if column == 'immediate':
        return str(choice.choice([0, 1, -1, -5, 5, 2**63 - 1, -2**63 + 1]))
    if column in ('pc', 'address', 'size', 'executed'):
        return str(signed(choice.choice(EDGES)) if column != 'size' else choice.randrange(-1, 9)).replace(
            str(-2**63), '(-9223372036854775807-1)')
    if column == 'row':
        return str(choice.choice(['(-9223372036854775807-1)', -1, 0, 1, 2, 500, 1199, 1200, 5000, 2**63 - 1]))
    texts = {'kind': ['instruction', 'access', 'no'], 'record': ['a', 'b c', '"', 'x'],
             'access': ['read', 'write', 'x', 'READ'],
             'mnemonic': ['ADD', 'add', '"', '\\', 'ä', 'none', '1'], 'text': ['', 'ADD', "'", '"', '1']}
    return "'" + choice.choice(texts[column]).replace("'", "''") + "'"


def condition(choice, depth=0):
    column = choice.choice(['row', 'kind', 'record', 'pc', 'access', 'address', 'size', 'mnemonic',
                            'immediate', 'executed', 'text', 'rowid'])
    column = 'row' if column == 'rowid' else column
    form = choice.randrange(9 if depth < 2 else 6)
    if form < 3:
        operator = choice.choice(['=', '<', '<=', '>', '>=', '<>', '==', 'is', 'is not'])
        if choice.random() < 0.1:
            return f'{constant(column, choice)} {operator} {column}'
        return f'{column} {operator} {constant(column, choice)}'
    if form == 3:
        return f'{column} between {constant(column, choice)} and {constant(column, choice)}'
    if form == 4:
        values = ', '.join(constant(column, choice) for _ in range(choice.randrange(1, 5)))
        return f'{column} {choice.choice(["in", "in", "not in"])} ({values})'
    if form == 5:
        return choice.choice([f'{column} is null', f'{column} not null',
                              f"{column} = {constant(column, choice)} collate nocase", 'pc = address',
                              f'{column} like {constant(column, choice)}', 'executed'])
    parts = f' {choice.choice(["and", "and", "or"])} '.join(
        condition(choice, depth + 1) for _ in range(choice.randrange(2, 4)))
    return f'({parts})' if choice.random() < 0.9 else f'not ({parts})'


def conditions_select_what_sqlite_selects():
    """Conditions that readers test, against SQLite on the same values, on two formats."""
    choice = random.Random(24)
    with tempfile.TemporaryDirectory() as folder:
        path, records = made_trace(folder, choice)
        packed = os.path.join(folder, 'packed.ptz')
        if run('pack', '-o', packed, path).returncode:
            packed = path
        base = imported(records)
        where = sampling.some([condition(choice) for _ in range(300)])
        names = 'made', os.path.basename(packed).split('.')[0]
        for name, file in zip(names, (path, packed)):
            text = ';'.join(f"select '{i}' as i, group_concat(row) as r from {name} where {w}"
                            for i, w in enumerate(where))
            found = rows(text, file)
            for i, (row, w) in enumerate(zip(found, where)):
                numbers = sorted(map(int, filter(None, (row['r'] or '').split(','))))
                expected = [n for n, in base.execute(f'select row from made where {w} order by row')]
                if (row['i'], numbers) != (str(i), expected):
                    yield f'{name}: {w}: {numbers[:50]}, expected {expected[:50]}'


def joins_and_aggregates_are_those_of_sqlite():
    choice = random.Random(25)
    queries = [
        'select count(*), count(pc), sum(size), min(immediate), max(pc) from {0}',
        'select access, executed, count(*) from {0} group by 1, 2 order by 1, 2',
        'select a.row, b.row from {0} a join {0} b on b.row = a.row + 1 where a.pc = b.pc and a.row < 40 order by 1',
        'select a.row, b.pc from {0} a left join {0} b on b.rowid = a.size where a.row < 40 order by 1',
        'select a.row, b.row from {0} a left join {0} b on b.row = a.row and b.access = \'read\' '
        'where a.row < 60 and b.access is null order by 1',
        'select row from {0} where pc in (select address from {0} where row < 20) order by row limit 50',
        'select row from {0} order by row limit 5 offset 7', 'select row from {0} order by row desc limit 5',
        'select row, hex(pc) is not null from {0} where row between 3 and 9 and access is not null order by row',
        'select (select b.pc from {0} b where b.row = a.row - 1) from {0} a where a.row in (1, 5, 700) order by a.row',
        'select row from {0} where pc = 1 or address = 1 order by row',
        'select distinct kind from {0} where row = 5 or row = 700 or row = 5000 order by 1']
    with tempfile.TemporaryDirectory() as folder:
        path, records = made_trace(folder, choice)
        base = imported(records)
        base.create_function('hex', 1, lambda value: '' if value is None else value)
        # The planner has to use rowid for what the table calls row.
        for query in queries:
            found = [list(row.values()) for row in rows(query.format('made'), path)]
            expected = [list(row) for row in base.execute(query.format('made').replace('rowid', 'row'))]
            if found != expected:
                yield f'{query}: {found[:5]}, expected {expected[:5]}'


def results_of_analyses_are_those_of_their_commands():
    cases = [(f"trace_stats('{SORT}', 'mix', 'top=7')", ['stats', '-a', 'mix', '-O', 'mix.top=7', SORT], 'mix'),
             (f"trace_stats('{SORT}', 'branches')", ['stats', '-a', 'branches', SORT], 'branches'),
             (f"trace_stats('{CALLS}', 'values')", ['stats', '-a', 'values', CALLS], 'values'),
             (f"trace_sim('{SORT}', 'cache', 'size=1k,2k', 'top=5')",
              ['sim', 'cache', '--sweep', 'size=1k,2k', '-O', 'top=5', SORT], 'cache'),
             (f"trace_sim('{SORT}', 'cache', 'policy=opt')", ['sim', 'cache', '--sweep', 'policy=opt', SORT],
              'cache'),
             (f"trace_sim('{SORT}', 'branch')", ['sim', 'branch', SORT], 'branch'),
             (f"trace_calls('{CALLS}', 'symbols=symbols/calls.nm', 'style=profile')",
              ['calls', '--style=profile', '--symbols=symbols/calls.nm', CALLS], None)]
    for function, words, section in cases:
        expected = report(*words)
        expected = expected[section] if section else expected
        tables = {}
        for row in rows(f'select name, row, record from {function}'):
            tables.setdefault(row['name'], []).append(json.loads(row['record']))
            if row['row'] != len(tables[row['name']]):
                yield f'{function}: {row}'
        for key, value in expected.items():
            if isinstance(value, list) and value and tables.pop(key, None) != value:
                yield f'{function}: {key} is not {value}'
            elif key != 'file' and not isinstance(value, (list, dict)):
                if {'section': None, 'key': key, 'value': value} not in tables['values']:
                    yield f'{function}: {key}: {value}'
        tables.pop('values', None)
        if tables:
            yield f'{function}: {tables} were not expected'


def a_table_of_results_has_their_columns():
    text = f"create virtual table temp.m using trace_stats('{SORT}', 'mix', 'table=mnemonics', 'top=4');" \
        'select * from m'
    if rows(text) != report('stats', '-a', 'mix', '-Omix.top=4', SORT)['mix']['mnemonics']:
        yield str(rows(text))
    text = f"create virtual table temp.e using trace_stats('{CALLS}', 'events', 'table=nothing'); select 1"
    done = sql(text)
    if done.returncode != 2 or b"no table 'nothing' (expected one of: " not in done.stderr:
        yield str(done)


def accesses_of_a_simulated_cache_are_those_of_records():
    """Loads and stores by pc."""
    simulated = {row['pc']: row['accesses'] for row in report(
        'sim', 'cache', '-Otop=100000', '-Ocrossing=first', SORT)['cache']['hottest_instructions']}
    counted = {row['pc']: row['n'] for row in rows(
        "select printf('0x%08x', pc) pc, count(*) n from sort_1k where access in ('read', 'write') group by 1",
        SORT)}
    if not simulated or any(counted[pc] != n for pc, n in simulated.items()):
        yield f'{simulated}, {counted}'


def addresses_are_numbers_and_texts():
    values = [0, 1, 0x401000, 2**63 - 1, 2**63, 2**64 - 1]
    for value in values:
        found = rows(f"select addr('{value:#x}') a, addr('{value}') b, hex(addr('{value:#X}')) c, addr({value:#x}) d")
        if found != [{'a': signed(value), 'b': signed(value), 'c': hex(value), 'd': signed(value)}]:
            yield f'{value}: {found}'
    if rows("select hex(x'00ff') a, hex('A1') b, hex(null) c, hex(1.5) d, addr(null) e") != [
            {'a': '00FF', 'b': '4131', 'c': '', 'd': '312E35', 'e': None}]:
        yield 'hex differs from that of SQLite'
    for text in ("'0x'", "''", "'0x1g'", "'18446744073709551616'", "'-1'", "' 1'", '1.5', "x'31'"):
        done = sql(f'select addr({text})')
        if done.returncode != 2 or b'addr: invalid address' not in done.stderr:
            yield f'{text}: {done}'


def statements_cannot_leave_the_database():
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, 'x')
        for text in (f"attach '{target}' as a", f"vacuum into '{target}'", "select load_extension('x')",
                     'pragma temp_store_directory = "/"', 'pragma writable_schema = 1', 'pragma journal_mode = wal',
                     'pragma hard_heap_limit = 0', f"create table t(a); vacuum main into '{target}'",
                     "select * from pragma_temp_store", "select fts3_tokenizer('simple')",
                     f"create virtual table v using trace('{SORT}'); create view w as select * from v; select * from w"):
            done = sql(text)
            if done.returncode != 2 or not done.stderr or os.listdir(folder):
                yield f'{text}: {done}'
    if rows('create table t(a); insert into t values(3); select name from pragma_table_info(\'t\')') != [
            {'name': 'a'}]:
        yield 'a description of a table is denied'


ENDLESS = 'with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n'


def endless_statements_end():
    done = sql('--timeout', '1', ENDLESS)
    if done.returncode != 2 or b'did not end within 1 s' not in done.stderr:
        yield str(done)
    done = sql('--rows', '3', 'with recursive n(i) as (select 1 union all select i + 1 from n) select i from n')
    if done.returncode or done.stdout.split() != [b'i', b'1', b'2', b'3']:
        yield str(done)
    process = subprocess.Popen([PROGRAM, 'sql', ENDLESS], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    printed = process.communicate(timeout=100)
    if process.returncode != -signal.SIGINT or b'interrupted' not in printed[1]:
        yield f'{process.returncode} {printed}'
    for text, limit in (('with recursive n(s) as (select zeroblob(1000000) union all select s from n) '
                         "select group_concat(hex(s)) from (select s from n limit 100)", b'too big'),
                        ('create table t as with recursive n(s) as (select zeroblob(1000000) union all select s '
                         'from n) select s from n', b'--memory')):
        done = sql('--memory', '16M', text)
        if done.returncode != 2 or limit not in done.stderr and b'--memory' not in done.stderr:
            yield f'{text}: {done}'


def errors_name_the_thing():
    cases = [(['select no_such from sort_1k', SORT], b'no such column: no_such'),
             (['select 1 from nowhere'], b'no such table: nowhere'),
             (["select 1 from trace('no/../such')"], b'no/../such: cannot open file'),
             (["select 1 from trace(1)"], b'1: cannot open file'),
             (['select 1 from trace'], b"missing file name; write trace('FILE')"),
             (["select 1 from trace('-')"], b'standard input: not a regular file'),
             (["select 1 from trace('/dev/null')"], b'/dev/null: not a regular file'),
             (["select 1 from trace('%s', 'from=none')" % SORT], b'none'),
             (["select 1 from trace('%s', 'colour=red')" % SORT], b"option 'colour=red': no such option"),
             (["select 1 from trace('%s', 'threads=x')" % SORT], b"option 'threads=x': invalid value"),
             (["select 1 from trace('%s', 'on-error=x')" % SORT], b'(expected stop or skip)'),
             (["select 1 from trace_stats('%s')" % SORT], b"missing analysis; write trace_stats('FILE', 'NAME')"),
             (["select 1 from trace_stats('%s', 'cache')" % SORT], b"no such analysis 'cache' (expected one of: mix"),
             (["select 1 from trace_sim('%s', 'mix')" % SORT], b"no such simulator 'mix' (expected one of: cache"),
             (["select 1 from trace_stats('%s', 'mix', 'nothing=1')" % SORT], b'nothing'),
             (["select 1 from trace_stats('%s', 'mix', 'symbols=none')" % SORT], b'none: '),
             (["select 1 from trace_stats('%s', 'bus', 'top=x')" % SORT], b'top'),
             (["select 1 from trace_symbols('none')"], b'none: '),
             (["create virtual table t using trace"], b'missing file name'),
             (['selec 1'], b'\nselec 1\n^'), ([''], None), ([], b'missing statement'),
             (['select 1', 'none'], b'none: cannot open file'), (['select 1', '-'], b'standard input')]
    for words, message in cases:
        done = sql(*words)
        if message is None and (done.returncode or done.stdout or done.stderr):
            yield f'{words}: {done}'
        if message and (done.returncode != 2 or message not in done.stderr or done.stdout):
            yield f'{words}: {done}'


def an_argument_with_two_values_is_equal_to_neither():
    for function in (f"trace('{SORT}'", f"trace_calls('{SORT}'", f"trace_stats('{SORT}', 'mix'"):
        for where, n in (("file = 'none'", 0), (f"file = '{SORT}'", 1), ("file = 'none' and option1 = 'a'", 0)):
            found = rows(f"select count(*) > 0 n from {function}, 'threads=1') where {where}")
            if found != [{'n': n}]:
                yield f'{function} {where}: {found}'
    if rows(f"select count(*) n from trace_stats('{SORT}', 'mix') where analysis = 'branches'") != [{'n': 0}]:
        yield 'two analyses'
    joined = f"with f(name) as (values ('none'), ('{SORT}')) select count(*) n from trace('{SORT}') join f on file = name"
    if rows(joined) != [{'n': 1000}]:
        yield str(rows(joined))


def tables_are_named_after_files():
    with tempfile.TemporaryDirectory() as folder:
        source = open(os.path.join(DATA, SORT), 'rb').read()
        paths = []
        for name in ('a/t.trace', 'b/t.trace', 'a/x-y z.trace', 'a/9.trace', 'a/..y.trace', 'a/sqlite_x.trace',
                     "a/q'\".trace", 'a/select.trace', 'a/trace.trace', 'a/T.trace'):
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, 'wb') as file:
                file.write(source)
            paths.append(path)
        names = ['t', 't_2', 'x_y_z', '_9', 'y', '_sqlite_x', 'q__', '"select"', 'trace', 'T_3']
        for name in names:
            if rows(f'select count(*) n from {name}', *paths) != [{'n': 1000}]:
                yield name
        # The table of a file with the name of the function is that function, too.
        if rows(f"select count(*) n from trace('{CALLS}')", *paths) != [{'n': 52}]:
            yield 'the function trace'


def rows_precede_the_error_of_a_corrupt_file():
    source = open(os.path.join(DATA, 'tt6', 'thread_002.tt6e'), 'rb').read()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'cut.tt6e')
        with open(path, 'wb') as file:
            file.write(source[:len(source) // 2 + 3])
        listed = run('view', '--csv', '-c', 'row', path)
        done = sql('--csv', 'select row from cut', path)
        where = listed.stderr.split(b': ', 3)[2]
        if done.stdout != listed.stdout or done.returncode != 2 or where not in done.stderr or \
                path.encode() not in done.stderr:
            yield f'{done.stdout[-50:]} {done.stderr}, expected {listed.stdout[-50:]} {listed.stderr}'
        partial = sql('--csv', '--partial', 'select row from cut', path)
        if (partial.returncode, partial.stdout) != (0, done.stdout):
            yield f'{partial.returncode} {partial.stderr}'
        done = sql("select * from trace_stats('%s', 'mix')" % path)
        if done.returncode != 2 or path.encode() not in done.stderr or done.stdout:
            yield str(done)


def segments_that_cannot_match_are_not_read():
    """A query succeeds in spite of a corrupt segment if the index excludes it."""
    with tempfile.TemporaryDirectory() as folder:
        source, path = os.path.join(folder, 's.jsonl'), os.path.join(folder, 's.ptz')
        with open(source, 'w', encoding='utf-8') as file:
            print('{"polytrace":"trace","version":1,"format":"jsonl","columns":["kind","pc"],"records":[]}', file=file)
            for row in range(1, 20001):
                print(f'{{"row":{row},"kind":"instruction","pc":"{4 * (row * 7919 % 65536) + (row // 5000 << 40):#x}"}}',
                      file=file)
        run('convert', '--to', 'ptz', '-Tptz.rows=5000', '-o', path, source, check=True)
        packed = bytearray(open(path, 'rb').read())
        packed[len(packed) // 2] ^= 0xff
        with open(path, 'wb') as file:
            file.write(packed)
        done = sql('select count(verbatim) from s', path)
        if done.returncode != 2:
            yield f'the corrupt segment was not found: {done}'
        for where in ('row between 5 and 100', 'rowid = 19999', 'pc >= 3298534883328',
                      'row in (3, 9)', 'row > 19900'):
            done = sql(f'select count(verbatim) from s where {where}', path)
            if done.returncode or done.stderr:
                yield f'{where}: {done}'
        if sql('select count(verbatim) from s where +pc >= 3298534883328', path).returncode != 2:
            yield 'a scan did not read the corrupt segment'


def rows_of_a_self_join_open_few_files():
    import resource
    text = "create table ids as with recursive n(i) as (select 1 union all select i + 1 from n where i < 300) " \
           'select i from n; select count(*) n, sum(a.pc = b.pc) same from ids join sort_1k a on a.rowid = ids.i ' \
           'join sort_1k b on b.rowid = a.rowid'
    done = sql('--json', text, SORT, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (12, 12)))
    if done.stdout != b'{"n": 300, "same": 300}\n' or done.stderr:
        yield str(done)


def outputs_are_csv_and_json():
    import csv
    text = "select 1 as a, 'x,\"y\"' as b, null as c, '' as d, 0.1 as e, x'00ff' as f, 'ä\n' as g, 1 as a, 3.0 as h, " \
           "'=1' as i, cast(x'ff41' as text) as j"
    done = sql('--csv', text).stdout.decode('latin-1')
    found = list(csv.reader(done.splitlines(keepends=True)))
    if found != [['a', 'b', 'c', 'd', 'e', 'f', 'g', 'a', 'h', 'i', 'j'],
                 ['1', 'x,"y"', '', '', '0.1', '00ff', 'Ã¤\n', '1', '3.0', '=1', 'ÿA']]:
        yield f'{found}'
    if '"\'=1"' not in sql('--csv-safe', text).stdout.decode('latin-1'):
        yield 'a text that spreadsheets execute'
    found = rows(text)
    if found != [{'a': 1, 'b': 'x,"y"', 'c': None, 'd': '', 'e': 0.1, 'f': '00ff', 'g': 'ä\n', 'a:1': 1, 'h': 3.0,
                  'i': '=1', 'j': '\ufffdA'}]:
        yield f'{found}'
    if rows('select 1e308 * 10 as a, 0.1 + 0.2 as b') != [{'a': None, 'b': 0.1 + 0.2}]:
        yield 'reals'


tap.run([value for name, value in list(globals().items())
         if callable(value) and getattr(value, '__module__', '') == '__main__' and
         value.__code__.co_flags & 0x20 and value.__code__.co_argcount == 0],
        {} if 'sqlite' not in LACKS else None)
