#!/usr/bin/env python3
"""Parquet files read by DuckDB, by parquet-wasm (the Rust implementation, which refuses what others accept) and by
hyparquet, and compared with CSV, as TAP: parquet.py POLYTRACE SAMPLES. POLYTRACE_LONG=1 tries 3 million rows, too.

The readers are packages of npm that tools/npm/install installs; the tests are skipped without them."""
import csv
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ['POLYTRACE_ROOT'], 'tests', 'cli'))
sys.path.insert(0, os.path.join(os.environ['POLYTRACE_ROOT'], 'tests'))
import npm  # noqa: E402
import tap  # noqa: E402

PROGRAM, SAMPLES = map(os.path.abspath, sys.argv[1:3])
ROOT = os.environ['POLYTRACE_ROOT']
DATA = os.path.join(ROOT, 'tests', 'data')


def polytrace(*words, status=(0,)):
    done = subprocess.run([PROGRAM, *words], capture_output=True, check=False)
    assert done.returncode in status, (words, done)
    return done


def convert(case, words, *options):
    """Writes a trace as Parquet and as CSV; options: of Parquet alone."""
    files = [os.path.join(TOP, f'{case}.{ending}') for ending in ('parquet', 'csv')]
    # Some samples are truncated (2), and a selection may be empty (1).
    for file, more in zip(files, [options, []]):
        polytrace('convert', '--partial', *words, *more, '-o', file, status=(0, 1, 2))
        assert os.path.exists(file), words
    return {'name': case, 'parquet': files[0], 'csv': files[1]}


def sample_words():
    with open(SAMPLES) as lines:
        for line in lines:
            if line.strip() and not line.startswith('#'):
                form, path, *option = line.split()
                yield ['--from', form, *(f'--option={one}' for one in option), os.path.join(DATA, path)]


def jsonl(name, rows):
    path = os.path.join(TOP, name + '.jsonl')
    with open(path, 'w') as file:
        for row in rows:
            file.write(json.dumps({'kind': 'other', **row}) + '\n')
    return ['--from', 'jsonl', path]


def cases():
    for i, words in enumerate(sample_words()):
        yield convert(f'sample{i}', words)
        if i % 8 == 0:
            yield convert(f'groups{i}', words, '--to-option', f'parquet.rows={[1, 7, 64, 1000][i // 8 % 4]}')
    words = ['--from', 'cis501', os.path.join(DATA, 'cis501', 'sort_1k.trace')]
    yield convert('named', [*words, '--columns', 'row,pc,raw,thread,origin,site,address'])
    yield convert('absent', [*words, '--columns', 'thread,text,executed,payload,sync,cpu_name,immediate'])
    yield convert('none', [*words, '--where', 'pc == 1'])
    yield convert('one', [*words, '--count', '1'])
    extremes = [0, 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1]
    yield convert('extremes', jsonl('extremes', [
        {'pc': hex(value), 'time': value, 'cpu': value % 2**32, 'immediate': value - 2**63, 'size': 2**32 - 1 - value % 2**32}
        for value in extremes * 3]), '--to-option', 'parquet.rows=5')
    # A column whose first value comes after some groups, and one whose values end.
    yield convert('late', jsonl('late', [{'text': 'x'} if i < 30 else {'thread': i, 'reg': f'r{i}'} for i in range(100)]),
                  '--to-option', 'parquet.rows=10')
    yield convert('texts', jsonl('texts', [{'text': f'text {i}', 'payload': f'{i:08x}', 'pc': hex(i * i), 'reg': f'n{i % 50000}',
                                            'value': hex(i * 0x9e3779b97f4a7c15 % 2**64)} for i in range(70000)]))


    # Bytes that are not UTF-8, among them truncated sequences.
    with open(os.path.join(DATA, 'tarmac', 'calls.tarmac'), 'rb') as file:
        changed = file.read().replace(b'BL ', b'B\xff\xc3\x28\xe2\x82 ')
    path = os.path.join(TOP, 'bytes.tarmac')
    with open(path, 'wb') as file:
        file.write(changed)
    yield convert('bytes', ['--from', 'tarmac', path])


def tables():
    """Every table of two reports."""
    trace = os.path.join(DATA, 'cis501', 'sort_1k.trace')
    for title, words in (('stats', ['stats', '--all', trace]), ('sim', ['sim', 'cache', trace])):
        folder = os.path.join(TOP, title)
        polytrace(*words, '-o', folder + '/')
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name[:-4] + '.parquet')
            polytrace(*words, '--table', name[:-4], '-o', path)
            yield {'name': f'{title} {name}', 'parquet': path, 'csv': os.path.join(folder, name)}


def three_million():
    path = os.path.join(ROOT, '..', 'shared', 'data', 'bench', 'cc1_10M.trace.zst')
    if os.environ.get('POLYTRACE_LONG') and os.path.exists(path):
        yield convert('cc1', ['--count', '3000000', path])


def read(reader, listed):
    """Returns the faults of what a reader finds in files."""
    done = subprocess.run(['node', '--max-old-space-size=8192', os.path.join(TOP, 'readers.mjs'), reader], text=True,
                          input='\n'.join(map(json.dumps, listed)), capture_output=True, check=False)
    results = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode or len(results) != len(listed):
        yield f'{reader} ended with {done.returncode} after {len(results)} of {len(listed)} files: {done.stderr[:2000]}'
    for result in results:
        for fault in result['faults']:
            yield f'{reader}, {result["name"]}: {fault}'


def query(*queries):
    return npm.query(TOP, *queries)


def dataset(name, words, column, *options):
    """A dataset and the CSV of the same records."""
    folder = os.path.join(TOP, name)
    polytrace('convert', *words, '--to', 'parquet', '--partition', column, *options, '-o', folder)
    polytrace('convert', *words, '-o', folder + '.csv')
    return {'name': name, 'parquet': folder + '/**/*.parquet', 'csv': folder + '.csv', 'order': 'row'}


def duckdb_reads_a_dataset_as_one_table():
    calls = ['--from', 'tarmac', os.path.join(DATA, 'tarmac', 'calls.tarmac')]
    names = ['a b', 'a/b', 'x=y', '100%', "d'or", '\u00e9t\u00e9', 'a.b', '-', '"', None, None]
    odd = jsonl('odd', [{'reg': name, 'pc': hex(2**60 + i % 4), 'text': f't{i}'} if name else {'pc': '0x0', 'time': i}
                        for i, name in enumerate(names * 3)])
    listed = [dataset(f'by_{column}', [*calls, '--columns', f'row,{column},pc,value,reg,executed,text'], column)
              for column in ('kind', 'reg', 'mode')]
    listed += [dataset('by_name', [*odd, '--columns', 'row,reg,pc,text,time'], 'reg', '--to-option', 'parquet.rows=2'),
               dataset('by_address', [*odd, '--columns', 'row,pc,text'], 'pc')]
    yield from read('duckdb', listed)
    # Without names of columns, too, all files have the same ones.
    dataset('plain', calls, 'kind')
    columns = query(*(f"select name from parquet_schema('{os.path.join(TOP, 'plain', folder, 'part-0.parquet')}')"
                      for folder in os.listdir(os.path.join(TOP, 'plain'))))
    if len(columns) < 2 or any(one != columns[0] for one in columns):
        yield f'columns of files differ: {columns}'
    if ['kind'] in columns[0]:
        yield 'the files have the column of the folders'


def statistics_are_the_least_and_greatest_values():
    trace = os.path.join(DATA, 'qemu4v', 'arm_start_2k.q4v')
    case = convert('statistics', ['--columns', 'kind,pc,address,value,text,executed,reg,time,size,payload', trace],
                   '--to-option', 'parquet.rows=300')
    found, types = query(
        f"select path_in_schema, row_group_id, stats_min_value, stats_max_value, stats_null_count from parquet_metadata('{case['parquet']}')",
        f"select name, type from parquet_schema('{case['parquet']}')")
    types = dict(map(tuple, types))
    with open(case['csv'], newline='') as file:
        rows = list(csv.DictReader(file))
    groups = [rows[i:i + 300] for i in range(0, len(rows), 300)]
    if len(found) != 10 * len(groups):
        yield f'{len(found)} chunks of {len(groups)} groups'
    for name, group, least, greatest, nulls in found:
        values = [row[name] for row in groups[int(group)] if row[name] != '']
        if int(nulls) != len(groups[int(group)]) - len(values):
            yield f'{name}, group {group}: {nulls} nulls, {len(values)} values'
        if types[name] in ('INT32', 'INT64'):
            values = [int(value, 0) for value in values]
            least, greatest = least and int(least), greatest and int(greatest)
        elif name != 'executed':
            values = [value.encode() for value in values]
            least, greatest = least and least.encode(), greatest and greatest.encode()
        if name == 'payload' or (name == 'text' and least is None):
            continue
        expected = (min(values), max(values)) if values else (None, None)
        if (least, greatest) != expected:
            yield f'{name}, group {group}: {least} to {greatest}, expected {expected}'


def metadata_of_the_trace_are_keys():
    path = os.path.join(TOP, 'labels.parquet')
    polytrace('convert', '--label', 'machine=rack 7', '--label', 'run.id=\u00e9', os.path.join(DATA, 'amber', 'thread_001.tt6e'), '-o', path)
    found, = query(f"select decode(key), decode(value) from parquet_kv_metadata('{path}')")
    found = dict(map(tuple, found))
    info = json.loads(polytrace('info', '--json', os.path.join(DATA, 'amber', 'thread_001.tt6e')).stdout)
    for key, value in {'polytrace.format': 'tt6e', 'polytrace.isa': 'powerpc', 'polytrace.label.machine': 'rack 7',
                       'polytrace.label.run.id': '\u00e9'}.items():
        if found.get(key) != value:
            yield f'{key}: {found.get(key)}, expected {value}'
    if not any(key.startswith('polytrace.fact.') for key in found):
        yield f'no facts: {found}, {info}'


def replaced_bytes_are_counted():
    done = polytrace('convert', '--from', 'tarmac', os.path.join(TOP, 'bytes.tarmac'), '-o', os.path.join(TOP, 'counted.parquet'))
    if b'texts have U+FFFD in place of bytes that are not UTF-8 (' not in done.stderr:
        yield done.stderr


def faults_are_reported_and_leave_no_files():
    trace = os.path.join(DATA, 'cis501', 'sort_1k.trace')
    os.makedirs(os.path.join(TOP, 'full', 'x'))
    folder = os.path.join(TOP, 'faulty')
    before = None
    for words, message in (
            (['-o', '/dev/full', '--to', 'parquet'], 'No space left'),
            (['-o', os.path.join(TOP, 'absent', 'x.parquet')], 'No such file'),
            (['-o', os.path.join(TOP, 'x.parquet'), '--columns', 'pcc'], "no such column 'pcc'"),
            (['-o', os.path.join(TOP, 'x.parquet'), '--to-option', 'parquet.rows=0'], 'parquet.rows'),
            (['-o', folder, '--to', 'parquet', '--partition', 'pcc'], "no such column 'pcc'"),
            (['-o', folder, '--to', 'parquet', '--partition', 'row'], "column 'row' differs in every record"),
            (['-o', folder, '--to', 'parquet', '--partition', 'thread'], "no column 'thread'"),
            (['-o', folder, '--to', 'parquet', '--partition', 'instruction_id'], "no column 'instruction_id'"),
            (['-o', folder, '--to', 'parquet', '--partition', 'pc'], 'more than 256 values'),
            (['-o', folder, '--to', 'tt6', '--partition', 'kind'], 'fixed columns'),
            (['-o', '-', '--to', 'parquet', '--partition', 'kind'], 'folder'),
            (['-o', os.path.join(TOP, 'full'), '--to', 'parquet', '--partition', 'kind'], 'not empty'),
            (['-o', os.path.join(TOP, 'absent', 'x'), '--to', 'parquet', '--partition', 'kind'], 'No such file')):
        before = before or sorted(os.listdir(TOP))
        done = polytrace('convert', trace, *words, status=(2,))
        if message not in done.stderr.decode():
            yield f'{words}: {done.stderr.decode()}'
        if sorted(os.listdir(TOP)) != before:
            yield f'{words}: files were left'
    for words, message in ([], 'a Parquet file has one table'), (['--table', 'nothing'], "no table 'nothing'"):
        done = polytrace('stats', '-a', 'mix', *words, trace, '-o', os.path.join(TOP, 'x.parquet'), status=(2,))
        if message not in done.stderr.decode() or '--table: expected mix.mnemonics' not in done.stderr.decode():
            yield f'{words}: {done.stderr.decode()}'
        if sorted(os.listdir(TOP)) != before:
            yield f'{words}: files were left'
    if os.listdir(os.path.join(TOP, 'full')) != ['x']:
        yield 'a folder that is not empty was changed'


def duckdb_reads_every_table_as_csv_has_it():
    yield from read('duckdb', CASES)


def parquet_wasm_reads_every_table_as_csv_has_it():
    yield from read('parquet_wasm', CASES)


def hyparquet_reads_every_table_as_csv_has_it():
    yield from read('hyparquet', CASES)


TESTS = [duckdb_reads_every_table_as_csv_has_it, parquet_wasm_reads_every_table_as_csv_has_it,
         hyparquet_reads_every_table_as_csv_has_it, duckdb_reads_a_dataset_as_one_table,
         statistics_are_the_least_and_greatest_values, metadata_of_the_trace_are_keys, replaced_bytes_are_counted,
         faults_are_reported_and_leave_no_files]
with tempfile.TemporaryDirectory() as TOP:
    SKIPPED = None
    if 'zstd' in os.environ.get('POLYTRACE_LACKS', '').split():
        SKIPPED = {test.__name__: 'no zstd' for test in TESTS}
    elif npm.missing():
        SKIPPED = {test.__name__: npm.missing() for test in TESTS}
    else:
        npm.prepare(TOP)
        CASES = [*cases(), *tables(), *three_million()]
    tap.run(TESTS, SKIPPED)
