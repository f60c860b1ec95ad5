#!/usr/bin/env python3
"""Tables of reports by --table and -o, as TAP: tables.py POLYTRACE

pandas reads every table, and Python's csv module the same; both find what the report as JSON has.
"""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile

import tap
import needs
import sampling

needs.libraries('jansson')

PROGRAM = os.path.abspath(sys.argv[1])
DATA = os.path.join(os.environ['POLYTRACE_ROOT'], 'tests', 'data')
# Reads a list of texts of CSV by Debian's pandas, and prints headers and rows as JSON, all values as texts.
PANDAS = '''
import io, sys, json, pandas
tables = [pandas.read_csv(io.StringIO(text), dtype=str, keep_default_na=False) for text in json.load(sys.stdin)]
print(json.dumps([[list(table.columns), table.values.tolist()] for table in tables]))
'''
REPORTS = {
    'stats --all': ['stats', '--all', os.path.join(DATA, 'cis501', 'sort_1k.trace')],
    'stats --all, TT6E': ['stats', '--all', os.path.join(DATA, 'amber', 'thread_001.tt6e')],
    'sim cache --sweep': ['sim', 'cache', '--sweep', 'size=1k..16k,ways=1,2', os.path.join(DATA, 'cis501', 'sort_1k.trace')],
    'calls': ['calls', os.path.join(DATA, 'tarmac', 'calls.tarmac')],
    'info': ['info', os.path.join(DATA, 'bach', 'bios_irq_4k.bach')],
}


def polytrace(*arguments, status=0):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, check=False)
    done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
    assert done.returncode == status, (arguments, done)
    return done


def tables_of(report):
    """Tables of a report as JSON by path: lists of rows; and the values as a table."""
    tables, values = {}, []

    def walk(node, path):
        for key, value in node.items():
            name = f'{path}.{key}' if path else key
            if isinstance(value, dict):
                walk(value, name)
            elif isinstance(value, list) and all(isinstance(one, dict) for one in value):
                tables[name] = value
            else:
                values.append({'section': path or None, 'key': key, 'value': value})
    walk(report, '')
    if values:
        tables['values'] = values
    return tables


def cell(value):
    """A value of JSON as CSV has it."""
    if value is None:
        return ''
    return {True: 'true', False: 'false'}[value] if isinstance(value, bool) else value if isinstance(value, str) else json.dumps(value)


def same(text, expected):
    """Whether a text of CSV is a value; numbers by their value."""
    if isinstance(expected, (int, float)) and not isinstance(expected, bool):
        return float(text) == float(expected)
    return text == cell(expected)


def with_pandas(texts):
    done = subprocess.run(['/usr/bin/python3', '-c', PANDAS], input=json.dumps(texts), capture_output=True, text=True,
                          check=True)
    return json.loads(done.stdout)


def with_csv(text):
    header, *rows = csv.reader(io.StringIO(text, newline=''))
    return [header, rows]


def every_table_is_read_by(read):
    tables = [(words, name, rows) for words in REPORTS.values()
              for name, rows in tables_of(json.loads(polytrace(*words, '--json').stdout)).items() if rows]
    if len(tables) < 80:
        yield f'{len(tables)} tables'
    tables = sampling.some(tables)
    done = [polytrace(*words, '--csv', '--table', name) for words, name, _ in tables]
    for (words, name, rows), one, (header, found) in zip(tables, done, read([one.stdout for one in done])):
        if one.stderr or header != list(rows[0]) or len(found) != len(rows) or not all(
                same(text, value) for texts, row in zip(found, rows) for text, value in zip(texts, row.values())):
            yield f'{words}, {name}: {one.stdout[:300]} {one.stderr}'


def tables_are_files_of_a_folder():
    for title, words in REPORTS.items():
        with tempfile.TemporaryDirectory() as top:
            folder = os.path.join(top, 'new') + '/'
            polytrace(*words, '-o', folder)
            expected = {name for name, rows in tables_of(json.loads(polytrace(*words, '--json').stdout)).items() if rows}
            found = {name[:-4] for name in os.listdir(folder)}
            if not expected <= found or any(not name.endswith('.csv') for name in os.listdir(folder)):
                yield f'{title}: {found}, expected {expected}'
            for name in sampling.some(sorted(expected)):
                with open(f'{folder}{name}.csv', newline='') as file:
                    if file.read() != polytrace(*words, '--csv', '--table', name).stdout:
                        yield f'{title}: {name}.csv is not the table'
            again = polytrace(*words, '-o', folder, status=2)
            if '--force' not in again.stderr:
                yield f'{title}: {again.stderr}'
            polytrace(*words, '-o', folder, '--force')
            polytrace(*words, '-o', folder, '--json')
            for name in expected:
                with open(f'{folder}{name}.json') as file:
                    if list(json.load(file)) != [name.rsplit('.', 1)[-1]]:
                        yield f'{title}: {name}.json'
            one = os.path.join(top, 'one.csv')
            polytrace(*words, '--table', 'values', '-o', one)
            with open(one, newline='') as file:
                if file.read() != polytrace(*words, '--csv', '--table', 'values').stdout:
                    yield f'{title}: {one}'


def several_inputs_have_one_header():
    paths = [os.path.join(DATA, name) for name in ('cis501/sort_1k.trace', 'tt6/sort.tt6e')]
    text = polytrace('stats', '-a', 'mix', '--csv', '--table', 'mnemonics', *paths).stdout
    header, rows = with_csv(text)
    alone = [with_csv(polytrace('stats', '-a', 'mix', '--csv', '--table', 'mnemonics', path).stdout) for path in paths]
    expected = [[path, *row] for path, (_, own) in zip(paths, alone) for row in own]
    if header != ['file', *alone[0][0]] or rows != expected:
        yield text[:500]
    with tempfile.TemporaryDirectory() as folder:
        polytrace('stats', '-a', 'mix', '-o', folder, *paths)
        if 'tt6' not in ''.join(os.listdir(folder)) or 'sort_1k.trace.mix.mnemonics.csv' not in os.listdir(folder):
            yield os.listdir(folder)


def invalid_outputs_are_refused():
    path = os.path.join(DATA, 'cis501', 'sort_1k.trace')
    with tempfile.TemporaryDirectory() as folder:
        one = os.path.join(folder, 'one')
        done = polytrace('stats', '--force', '-a', 'mix', '--table', 'mnemonics', '-o', one, path, path, status=2)
        if 'several inputs' not in done.stderr or os.path.exists(one):
            yield done
        open(one, 'w').close()
        done = polytrace('stats', '-a', 'mix', '-o', one, path, status=2)
        if done.stderr.count('not a folder') != 1 or os.path.getsize(one):
            yield done
        done = polytrace('stats', '-a', 'mix', '-o', 'x' * 4000 + '/', path, status=2)
        if 'x' not in done.stderr:
            yield done


def an_unknown_table_lists_the_tables():
    done = polytrace('stats', '--table', 'none', os.path.join(DATA, 'cis501', 'sort_1k.trace'), status=2)
    if 'mix.mnemonics' not in done.stderr or done.stdout:
        yield done
    done = polytrace('stats', '--side-by-side', '-a', 'mix', '--table', 'mnemonics',
                     *[os.path.join(DATA, 'cis501', 'sort_1k.trace')] * 2, status=2)
    if '2 tables' not in done.stderr:
        yield done


def csv_alone_names_the_switches():
    done = polytrace('stats', '--csv', os.path.join(DATA, 'cis501', 'sort_1k.trace'))
    if done.stderr.count('--table') != 1 or "'-o DIR/'" not in done.stderr:
        yield done.stderr


def safe_csv_has_no_formulas():
    texts = '=1+1', '+1', '-1', '@SUM(1)', '\tx', '\rx', 'a=b', '-', '', 'say "hi"'
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'x.jsonl')
        with open(path, 'w') as file:
            file.write('{"polytrace":"trace","version":1}\n')
            file.writelines(json.dumps({'kind': 'other', 'text': text}) + '\n' for text in texts)
        for words in (['view', '--csv-safe', '-c', 'text', path],
                      ['convert', '-t', 'csv', '-T', 'csv.safe=1', '-c', 'text', '-o', '-', path]):
            _, rows = with_csv(polytrace(*words).stdout)
            found = [row[-1] for row in rows]
            expected = ["'" + text if text[:1] in tuple('=+-@\t\r') else text for text in texts]
            if found != expected:
                yield f'{words}: {found}'
        _, rows = with_csv(polytrace('view', '--csv', '-c', 'text', path).stdout)
        if [row[-1] for row in rows] != list(texts):
            yield rows
        name = os.path.join(folder, '=x.jsonl')
        os.rename(path, name)
        done = subprocess.run([PROGRAM, 'info', '--csv-safe', '--table', 'values', '=x.jsonl'], cwd=folder,
                              capture_output=True, text=True, check=True)
        if '"\'=x.jsonl"' not in done.stdout:
            yield done.stdout


def pandas_reads_every_table():
    return every_table_is_read_by(with_pandas)


def every_table_has_the_values_of_json():
    return every_table_is_read_by(lambda texts: map(with_csv, texts))


HAS_PANDAS = subprocess.run(['/usr/bin/python3', '-c', 'import importlib.util as u; exit(not u.find_spec("pandas"))'], check=False).returncode == 0
tap.run([pandas_reads_every_table, every_table_has_the_values_of_json, tables_are_files_of_a_folder,
         several_inputs_have_one_header, invalid_outputs_are_refused, an_unknown_table_lists_the_tables, csv_alone_names_the_switches,
         safe_csv_has_no_formulas], {} if HAS_PANDAS else {'pandas_reads_every_table': needs.reason('python3-pandas')})
