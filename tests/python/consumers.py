"""Tests of __arrow_c_stream__: a consumer by ctypes, from the layout rules of the C data interface, and DuckDB's
library of its npm package."""
import csv
import ctypes
import glob
import os

import npm
import polytrace
from reading import DATA, SORT, expected, json_rows

COLUMNS = ['row', 'kind', 'pc', 'address', 'mnemonic', 'src1', 'immediate']


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


Schema._fields_ = [
    ('format', ctypes.c_char_p), ('name', ctypes.c_char_p), ('metadata', ctypes.c_char_p), ('flags', ctypes.c_int64),
    ('n_children', ctypes.c_int64), ('children', ctypes.POINTER(ctypes.POINTER(Schema))),
    ('dictionary', ctypes.POINTER(Schema)), ('release', ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))),
    ('private_data', ctypes.c_void_p)]
Array._fields_ = [
    ('length', ctypes.c_int64), ('null_count', ctypes.c_int64), ('offset', ctypes.c_int64),
    ('n_buffers', ctypes.c_int64), ('n_children', ctypes.c_int64), ('buffers', ctypes.POINTER(ctypes.c_void_p)),
    ('children', ctypes.POINTER(ctypes.POINTER(Array))), ('dictionary', ctypes.POINTER(Array)),
    ('release', ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))), ('private_data', ctypes.c_void_p)]
Stream._fields_ = [
    ('get_schema', ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))),
    ('get_next', ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))),
    ('get_last_error', ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(Stream))),
    ('release', ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))), ('private_data', ctypes.c_void_p)]
TYPES = {b'C': ctypes.c_uint8, b'S': ctypes.c_uint16, b'I': ctypes.c_uint32, b'L': ctypes.c_uint64,
         b'l': ctypes.c_int64, b'i': ctypes.c_int32}


def stream_of(trace):
    """The capsule of a trace, and a pointer to its stream."""
    capsule = trace.__arrow_c_stream__()
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return capsule, ctypes.cast(get(capsule, b'arrow_array_stream'), ctypes.POINTER(Stream))


def items(schema, array):
    """The values of an array, from its buffers."""
    validity = array.buffers[0] and ctypes.cast(array.buffers[0], ctypes.POINTER(ctypes.c_uint8))
    valid = [not validity or validity[row // 8] >> row % 8 & 1 for row in range(array.length)]
    assert array.null_count == valid.count(0) and array.offset == 0
    if schema.format in (b'u', b'z'):
        offsets = ctypes.cast(array.buffers[1], ctypes.POINTER(ctypes.c_int32))
        values = [ctypes.string_at(array.buffers[2] + offsets[row], offsets[row + 1] - offsets[row])
                  for row in range(array.length)]
        values = [value.decode() for value in values] if schema.format == b'u' else values
    else:
        values = ctypes.cast(array.buffers[1], ctypes.POINTER(TYPES[schema.format]))[:array.length]
    if schema.dictionary:
        names = items(schema.dictionary.contents, array.dictionary.contents)
        values = [names[code] if present else None for code, present in zip(values, valid)]
    return [value if present else None for value, present in zip(values, valid)]


def consumed(stream):
    """The columns of a stream by name, and the status at its end; releases everything."""
    schema, array, columns = Schema(), Array(), {}
    assert stream.contents.get_schema(stream, schema) == 0 and schema.format == b'+s'
    while (status := stream.contents.get_next(stream, array)) == 0 and array.release:
        for i in range(schema.n_children):
            child = schema.children[i].contents
            columns.setdefault(child.name.decode(), []).extend(items(child, array.children[i].contents))
        array.release(array)
        assert not array.release
    schema.release(schema)
    return columns, status


def an_arrow_stream_has_the_values_of_json_lines():
    capsule, stream = stream_of(polytrace.open(SORT, columns=COLUMNS, rows=300))
    found, status = consumed(stream)
    stream.contents.release(stream)
    del capsule
    rows = json_rows('cis501', SORT, [])
    wanted = {name: [expected(name, row) for row in rows] for name in COLUMNS}
    wanted['row'] = list(range(1, 1001))
    if status or list(found) != COLUMNS:
        yield f'{status}: {list(found)}'
    yield from (f'{name}: {found[name][:9]}' for name in COLUMNS if found[name] != wanted[name])


def an_arrow_stream_reports_corrupt_data():
    with open('corrupt.txt', 'w') as file:
        file.write('1\n2\nx\n')
    capsule, stream = stream_of(polytrace.open('corrupt.txt', ['pc'], format='text:pc:hex'))
    found, status = consumed(stream)
    message = stream.contents.get_last_error(stream)
    if found != {'pc': [1, 2]} or status != 5 or not message.startswith(b'record 3, line 3, byte 4: '):
        yield f'{found}, {status}, {message}'
    del capsule  # which releases the stream


def duckdb_path():
    """DuckDB's library, or None."""
    return next(glob.iglob(os.path.join(npm.modules(), '@duckdb', '*', 'libduckdb.so')), None)


class DuckDB:
    """A database in memory."""

    def __init__(self):
        self.functions = ctypes.CDLL(duckdb_path())
        self.functions.duckdb_result_error.restype = ctypes.c_char_p
        self.database, self.connection = ctypes.c_void_p(), ctypes.c_void_p()
        assert self.functions.duckdb_open(None, ctypes.byref(self.database)) == 0
        assert self.functions.duckdb_connect(self.database, ctypes.byref(self.connection)) == 0

    def scan(self, name, stream):
        """Makes a view of a stream."""
        return self.functions.duckdb_arrow_scan(self.connection, name, stream)

    def run(self, statement):
        """Runs a statement; returns an error, or None."""
        result = ctypes.create_string_buffer(256)
        status = self.functions.duckdb_query(self.connection, statement.encode(), result)
        error = self.functions.duckdb_result_error(result) if status else None
        self.functions.duckdb_destroy_result(result)
        return error

    def close(self):
        """Ends the connection and the database."""
        self.functions.duckdb_disconnect(ctypes.byref(self.connection))
        self.functions.duckdb_close(ctypes.byref(self.database))


def table_of(path, columns, **words):
    """The rows of a trace that DuckDB stores, as it writes them to CSV."""
    database = DuckDB()
    capsule, stream = stream_of(polytrace.open(path, columns=columns, **words))
    # Its scan of a stream does not keep to the projection of a query, so everything is selected first.
    faults = [database.scan(b'stream', stream) or None,
              database.run('create table trace as select * from stream'),
              database.run("copy trace to 'duckdb.csv' (header)")]
    database.close()
    assert faults == [None] * 3, faults
    del capsule
    with open('duckdb.csv', newline='') as file:
        return list(csv.DictReader(file))


def duckdb_has_the_values_of_json_lines():
    columns = os.path.join(DATA, 'jsonl', 'columns.jsonl')
    for form, path, names in ('cis501', SORT, None), ('jsonl', columns, ['kind', 'thread', 'cpu', 'mnemonic', 'executed', 'text', 'time']):
        rows = json_rows(form, path, [])
        found = table_of(path, names, rows=128)
        if len(found) != len(rows):
            yield f'{path}: {len(found)} rows, expected {len(rows)}'
        for number, (row, line) in enumerate(zip(found, rows), 1):
            for name, value in row.items():
                wanted = expected(name, line)
                wanted = '' if wanted is None else str(wanted).lower() if isinstance(wanted, bool) else str(wanted)
                if value != wanted:
                    yield f'{path}, row {number}: {name} is {value!r}, expected {wanted!r}'


def arrays_may_have_many_names():
    # The library stores up to 61,000 names.
    names = [f'name {number // 2}' for number in range(100000)]
    polytrace.write('names.jsonl', {'mnemonic': names})
    batch = next(polytrace.open('names.jsonl', ['mnemonic'], rows=2**20))
    if list(batch['mnemonic']) != names or len(batch['mnemonic'].dictionary) != 50000:
        yield 'items'
    if polytrace.open('names.jsonl', ['mnemonic'], rows=1000).pandas()['mnemonic'].tolist() != names:
        yield 'data frame'
    if duckdb_path() and [row['mnemonic'] for row in table_of('names.jsonl', ['mnemonic'], rows=2**20)] != names:
        yield 'DuckDB'


TESTS = [an_arrow_stream_has_the_values_of_json_lines, an_arrow_stream_reports_corrupt_data,
         duckdb_has_the_values_of_json_lines, arrays_may_have_many_names]
