"""Tests of polytrace.open: values, buffers, selections and failures."""
import gc
import json
import os
import subprocess
import threading
import warnings

import numpy
import polytrace
import sampling

ROOT = os.environ['POLYTRACE_ROOT']
DATA = os.path.join(ROOT, 'tests', 'data')
POLYTRACE = os.environ['POLYTRACE']
SORT = os.path.join(DATA, 'cis501', 'sort_1k.trace')
HEX = {'pc', 'opcode', 'next_pc', 'target', 'fallthrough', 'address', 'value', 'escape', 'real_pc',
       'real_address', 'real_target', 'byte_enables', 'control', 'request', 'memory_type', 'hook', 'subhook',
       'hook_type', 'requested_address', 'agent'}
BYTES = {'counters', 'payload', 'raw'}


def samples():
    """Format, path and options of every sample."""
    with open(os.environ['SAMPLES']) as lines:
        for line in lines:
            if line.strip() and not line.startswith('#'):
                form, path, *options = line.split()
                yield form, os.path.join(DATA, path), options


def words_of(options):
    """Options "name=value" as a dictionary."""
    return dict(option.split('=', 1) for option in options)


def json_rows(form, path, options, *words):
    """The records of a trace as JSON Lines have them, without the lines of JSON Lines that are irregular."""
    columns = polytrace.open(path, format=form, options=words_of(options)).columns
    command = [POLYTRACE, 'convert', '--partial', '--from', form, *(f'-O{option}' for option in options),
               *words, '-c', ','.join(columns), '--to', 'jsonl', '-o', '-', path]
    done = subprocess.run(command, capture_output=True, check=False)
    # Texts need not be UTF-8.
    return [json.loads(line) for line in done.stdout.decode('utf-8', 'replace').split('\n')[1:-1]]


def expected(name, row):
    """The item of a column in a row of JSON."""
    value = row.get(name)
    if value is None:
        return None
    if isinstance(value, dict):  # bytes that are not UTF-8
        return bytes.fromhex(value['hex']).decode('utf-8', 'replace')
    return int(value, 16) if name in HEX else bytes.fromhex(value) if name in BYTES else value


def every_sample_has_the_values_of_json_lines():
    for form, path, options in sampling.sampled(list(samples())):
        rows = json_rows(form, path, options)
        trace = polytrace.open(path, format=form, options=words_of(options), partial=True, rows=1000)
        at = 0
        for batch in trace:
            part = rows[at:at + len(batch)]
            at += len(batch)
            for name, column in batch.items():
                wrong = [row for row, (item, line) in enumerate(zip(column, part)) if item != expected(name, line)]
                if wrong or len(part) != len(column):
                    yield (f'{path}: {name}: row {at - len(batch) + wrong[0] + 1 if wrong else len(part)}: '
                           f'{column[wrong[0]] if wrong else len(column)!r}')
        if at != len(rows) or not rows:
            yield f'{path}: {at} rows, expected {len(rows)}'


def arrays_share_the_memory_of_batches():
    batch = next(polytrace.open(SORT))
    for name in 'pc', 'src1', 'immediate':
        array = batch[name].numpy()
        view = memoryview(batch[name])
        if not numpy.shares_memory(array, numpy.asarray(view)) or array.flags.writeable or not view.readonly:
            yield f'{name} is a copy, or may be written'
    if batch['pc'].numpy().dtype != 'u8' or batch['src1'].numpy().dtype != 'u1' or batch['immediate'].numpy().dtype != 'i8':
        yield 'types of arrays'


def absent_numbers_are_0_in_arrays():
    batch = next(polytrace.open(SORT))
    column = batch['address']
    items, array, valid = list(column), column.numpy(), column.valid
    if [item or 0 for item in items] != array.tolist() or [item is not None for item in items] != valid.tolist():
        yield 'items, array and valid differ'
    if column.nulls != items.count(None) or column.nulls != 698:
        yield f'{column.nulls} nulls'
    if polytrace.open(SORT, columns=['address']).numpy(masked=True)['address'].count() != 302:
        yield 'masked array'


def sums_are_those_of_json_lines():
    total = 0
    for batch in polytrace.open(SORT, columns=['address'], rows=64):
        total += int(batch['address'].numpy().sum())
    rows = json_rows('cis501', SORT, [])
    if total != sum(int(row.get('address', '0'), 16) for row in rows):
        yield total


def a_buffer_outlives_its_batch_and_its_trace():
    trace = polytrace.open(SORT, columns=['pc', 'mnemonic'], rows=64)
    kept = []
    for batch in trace:
        kept.append((memoryview(batch['pc']), batch['mnemonic'], batch['pc'].numpy()))
    trace.close()
    del trace, batch
    gc.collect()
    rows = json_rows('cis501', SORT, [])
    found = [number for view, _, _ in kept for number in view]
    arrays = [number for _, _, array in kept for number in array.tolist()]
    names = [name for _, names, _ in kept for name in names]
    if found != [int(row['pc'], 16) for row in rows] or found != arrays:
        yield 'numbers changed'
    if names != [row.get('mnemonic') for row in rows]:
        yield 'names changed'


def columns_have_the_requested_order():
    trace = polytrace.open(SORT, columns=['mnemonic', 'row', 'pc'])
    if trace.columns != ('mnemonic', 'row', 'pc') or list(trace.numpy()) != ['mnemonic', 'row', 'pc']:
        yield trace.columns


def filters_and_ranges_select_records():
    every = list(polytrace.open(SORT, columns=['row', 'pc', 'access']).numpy()['row'])
    if every != list(range(1, 1001)):
        yield 'rows of the complete trace'
    if polytrace.open(SORT, columns=['row'], range=f'999-{2**64 - 2}').numpy()['row'].tolist() != [999, 1000]:
        yield 'a range beyond the end'
    for selected in range(44, 47), '44-46':
        rows = polytrace.open(SORT, columns=['row'], range=selected).numpy()['row'].tolist()
        if rows != [44, 45, 46]:
            yield f'{selected}: {rows}'
    found = polytrace.open(SORT, columns=['row'], where='access == write', range=range(1, 101)).numpy()['row']
    lines = json_rows('cis501', SORT, [], '--count', '100')
    if found.tolist() != [row for row, line in enumerate(lines, 1) if line.get('access') == 'write']:
        yield found
    empty = {name: array.dtype for name, array in polytrace.open(SORT, range=range(5, 5)).numpy().items()}
    if (empty['pc'], empty['src1'], empty['immediate'], empty['kind']) != ('u8', 'u1', 'i8', object):
        yield empty
    if len(polytrace.open(SORT, range=range(5, 5)).pandas()) or next(polytrace.open(SORT, where='pc == 1'), None):
        yield 'an empty selection has rows'


def sites_do_not_depend_on_filters():
    pcs = [row % 7000 for row in range(60000)]
    polytrace.write('sites.ptz', {'kind': ['instruction'] * len(pcs), 'pc': pcs}, options={'ptz.rows': 10000})
    every = polytrace.open('sites.ptz', ['pc', 'site']).numpy()
    found = polytrace.open('sites.ptz', ['row', 'site'], where='row > 59000').numpy()
    if found['site'].tolist() != every['site'][59000:].tolist() or every['site'].max() != 6999:
        yield found


def registers_are_columns():
    path = os.path.join(DATA, 'qemu4v', 'arm_start_2k.q4v')
    found = polytrace.open(path, columns=['row', 'r1', 'r0'], where='r1 == 2', range='1-500').pandas()
    done = subprocess.run([POLYTRACE, 'convert', '-c', 'row,r1,r0', '-w', 'r1 == 2', '--range', '1-500', '--to', 'csv',
                           '-o', '-', path], capture_output=True, text=True, check=True).stdout.split()[1:]
    lines = [[int(cell, 0) if cell else None for cell in line.split(',')] for line in done]
    if [[None if cell is None or str(cell) == '<NA>' else int(cell) for cell in row]
            for row in found.itertuples(index=False)] != lines or not lines:
        yield f'{found}\n{lines[:5]}'


def metadata_is_that_of_the_command():
    for name in 'tt6/thread_002.tt6e', 'jsonl/columns.jsonl':
        path = os.path.join(DATA, name)
        info = json.loads(subprocess.run([POLYTRACE, 'info', '--json', path], capture_output=True, check=True).stdout)['trace']
        found = polytrace.open(path).info
        if found['format'] != info['format'] or found['address_bits'] != info['address_bits']:
            yield f'{path}: {found}'
    if found['facts']['amber.record'] != '1004' or found['records'] != ['initial_pc', 'compute', 'signal']:
        yield found
    if found['first_pc'] != 0x10000004 or found['producer'] != 'a "tracer"':
        yield found


def failure(function, *arguments, kind=polytrace.Error, **words):
    """The exception of a call."""
    try:
        function(*arguments, **words)
    except kind as error:
        return error
    except Exception as error:  # of another type
        raise AssertionError(repr(error)) from error
    raise AssertionError(f'{arguments}, {words}: no exception')


def rows_before_corrupt_data_come_first():
    with open('corrupt.txt', 'w') as file:
        file.write(''.join(f'{row:06x} r\n' for row in range(1, 50001)) + 'x\n1 r\n')
    trace = polytrace.open('corrupt.txt', format='text:address:hex,access:r/w', rows=1000)
    rows = []
    try:
        for batch in trace:
            rows += batch['address'].numpy().tolist()
        yield 'no exception'
    except polytrace.Error as error:
        if rows != list(range(1, 50001)):
            yield f'{len(rows)} rows'
        if (error.file, error.status, error.record, error.line, error.byte) != (
                'corrupt.txt', 'format', 50001, 50001, 450000):
            yield repr(error)
        if not str(error).startswith('corrupt.txt: record 50001, line 50001, byte 450000: '):
            yield str(error)
        again = failure(next, trace)
        if str(again) != str(error):
            yield f'then: {again}'


def truncated_files_end_by_an_exception_unless_they_may():
    with open(os.path.join(DATA, 'tt6', 'thread_002.tt6e'), 'rb') as file, open('cut.tt6e', 'wb') as cut:
        cut.write(file.read()[:1001])
    trace = polytrace.open('cut.tt6e', columns=['pc'])
    rows = len(next(trace))
    error = failure(next, trace)
    if error.status != 'truncated' or not rows or error.byte is None or error.byte > 1001:
        yield repr(error)
    if sum(map(len, polytrace.open('cut.tt6e', columns=['pc'], partial=True))) != rows:
        yield 'partial'


def mistakes_name_what_is_wrong():
    for words, text in (({'columns': ['foo']}, "columns: no such column (found 'foo'"),
                        ({'columns': ['time']}, "columns: the trace does not have the column 'time'"),
                        ({'columns': ['pc', 'pc']}, "columns: 'pc' is named twice"),
                        ({'columns': []}, 'columns: no column is named'),
                        ({'where': 'pc =='}, 'pc =='), ({'where': 'time > 3'}, 'time'),
                        ({'format': 'nonsense'}, 'nonsense'), ({'isa': 'nonsense'}, 'nonsense'),
                        ({'options': {'cis501.foo': 1}}, 'cis501.foo'),
                        ({'range': '5-1', 'rows': 2**21}, 'rows')):
        error = failure(polytrace.open, SORT, **words)
        if text not in str(error) or not str(error).startswith(SORT) or not isinstance(error, ValueError):
            yield f'{words}: {error!r}'
    for words, text in (({'columns': 'pc'}, 'columns: a list'), ({'columns': [1]}, 'columns: 1'),
                        ({'range': 5}, 'range: int')):
        if text not in str(failure(polytrace.open, SORT, kind=TypeError, **words)):
            yield words
    for words in {'rows': -1}, {'threads': -1}, {'threads': 2**32}, {'range': range(0, 5)}, {'range': range(1, 9, 2)}, {'range': 'x'}, {'where': 'a\0b'}:
        failure(polytrace.open, SORT, kind=ValueError, **words)
    error = failure(polytrace.open, '/nonexistent/x')
    if error.status != 'io' or error.errno != 2 or error.file != '/nonexistent/x':
        yield repr(error)
    if "no column 'foo'" not in str(failure(next(polytrace.open(SORT)).__getitem__, 'foo', kind=KeyError)):
        yield 'KeyError'


def closed_and_exported_traces_are_refused():
    trace = polytrace.open(SORT)
    trace.close()
    trace.close()
    failure(next, trace, kind=ValueError)
    trace = polytrace.open(SORT)
    capsule = trace.__arrow_c_stream__()
    failure(next, trace, kind=ValueError)
    failure(trace.__arrow_c_stream__, kind=ValueError)
    if 'arrow_array_stream' not in repr(capsule):
        yield capsule
    with polytrace.open(SORT) as trace:
        next(trace)
    failure(next, trace, kind=ValueError)


def objects_cannot_be_created_without_a_trace():
    for kind in polytrace.Batch, polytrace.Column:
        failure(kind, kind=TypeError)
        failure(object.__new__, kind, kind=TypeError)
        failure(kind.__new__, kind, kind=TypeError)
    trace = polytrace.open(SORT)
    for kind in polytrace.Trace, bytearray, object, 3:
        failure(trace.next, kind, kind=TypeError)
        failure(next(polytrace.open(SORT)).column, 0, kind, kind=TypeError)
    column = next(polytrace.open(SORT))['pc']
    failure(column.__getitem__, 1000, kind=IndexError)
    if column[-1] != column[999]:
        yield 'the last item'


def other_threads_run_while_a_trace_is_read():
    reader, writer = os.pipe()
    rows = []

    def read():
        rows.extend(polytrace.open(f'/dev/fd/{reader}', format='text:pc:hex', columns=['pc']).numpy()['pc'].tolist())

    thread = threading.Thread(target=read)
    thread.start()
    # The reader waits for these bytes: with the lock, this thread would never write them.
    with os.fdopen(writer, 'w') as file:
        file.write(''.join(f'{row:x}\n' for row in range(100000)))
    thread.join()
    os.close(reader)
    if rows != list(range(100000)):
        yield f'{len(rows)} rows'


def paths_are_bytes_and_path_objects_too():
    name = os.fsencode('größe') + b'\xff.txt'
    with open(name, 'w') as file:
        file.write('1\n2\n')
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        if polytrace.open(name, format='text:pc:hex').numpy()['pc'].tolist() != [1, 2]:
            yield 'values'
    with open(name, 'w') as file:
        file.write('1\nx\n')
    error = failure(polytrace.open(name, format='text:pc:hex').numpy)
    if error.file != os.fsdecode(name):
        yield repr(error)


TESTS = [every_sample_has_the_values_of_json_lines, arrays_share_the_memory_of_batches,
         absent_numbers_are_0_in_arrays, sums_are_those_of_json_lines,
         a_buffer_outlives_its_batch_and_its_trace, columns_have_the_requested_order,
         filters_and_ranges_select_records, sites_do_not_depend_on_filters, registers_are_columns, metadata_is_that_of_the_command,
         rows_before_corrupt_data_come_first, truncated_files_end_by_an_exception_unless_they_may,
         mistakes_name_what_is_wrong, closed_and_exported_traces_are_refused,
         objects_cannot_be_created_without_a_trace, other_threads_run_while_a_trace_is_read,
         paths_are_bytes_and_path_objects_too]
