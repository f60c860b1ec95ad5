# SPDX-License-Identifier: MIT
"""Execution traces of processors, of every format that libpolytrace reads.

    import polytrace

    with polytrace.open("trace.ptz", columns=["pc", "address"], where="access == read") as trace:
        for batch in trace:
            print(batch["address"].numpy().max())

    polytrace.open("trace.ptz", columns=["pc", "access"]).pandas()
    polytrace.stats("trace.ptz", ["mix", "branches"])["mix"]["instructions"]

Columns are those of polytrace-columns(5); filters are those of polytrace-filter(7). Addresses
are byte addresses; sizes are in bytes; times are in ticks of the trace's clock
(``trace.info["clock"]``).

A column has the shape (rows,). Absent numbers are 0 in buffers and arrays, and None as items;
``Column.valid`` has the rows that are present. Batches are independent of each other: a buffer
keeps its batch alive, and later reads do not change it. A trace is used by one thread at a time; the
lock of the interpreter is released while it is read.
"""
import builtins
import collections
import json
import operator
import os
import re
import warnings

from polytrace import _native
from polytrace._errors import Error, LossWarning, UsageError
from polytrace._write import element_type, make_source

__all__ = ['Batch', 'Column', 'Difference', 'Error', 'LossWarning', 'Trace', 'UsageError',
           'calls', 'diff', 'open', 'sim', 'stats', 'write']
__version__ = _native.version()

_END = 2**64 - 1
# Arrow types of columns, as elements of NumPy arrays.
_DTYPES = {'C': 'u1', 'S': 'u2', 'I': 'u4', 'L': 'u8', 'l': 'i8', 'i': 'i4'}


class Column(_native.Column):
    """A column of a batch: a sequence of rows, and a read-only buffer.

    Items are int, bool, str or bytes by the column, and None if absent. The buffer has the
    values of numbers, the codes of names, the bits of booleans, or rows + 1 offsets of texts.

    nulls: number of absent values
    validity: a bit per row, lowest first, as a memoryview of bytes; None: all are present
    dictionary: the names that codes refer to, as a tuple of str; None: no dictionary
    bytes: the bytes of texts, as a memoryview; None: not a text
    """

    __slots__ = ()

    @property
    def valid(self):
        """Whether values are present: a NumPy array of bool, shape (rows,)."""
        import numpy
        if self.validity is None:
            return numpy.ones(len(self), bool)
        return _bits(self.validity, len(self))

    @property
    def codes(self):
        """Indices into the dictionary, -1 if absent: a NumPy array of int32, shape (rows,)."""
        if self.dictionary is None:
            raise TypeError('the column has no dictionary')
        import numpy
        codes = self._buffer().astype('i4')
        return codes if not self.nulls else numpy.where(self.valid, codes, numpy.int32(-1))

    def _buffer(self):
        import numpy
        return numpy.frombuffer(self, _DTYPES[self.type])

    def numpy(self):
        """The values as a NumPy array, shape (rows,).

        Numbers share the memory of the batch: unsigned integers of the column's size (immediate:
        int64), 0 if absent. Booleans are an array of bool; names, texts and bytes one of
        objects, None if absent.
        """
        import numpy
        if self.type == 'b':
            return _bits(memoryview(self), len(self))
        if self.dictionary is not None:
            names = numpy.array([*self.dictionary, None], object)
            return names[self.codes]
        if self.type in _DTYPES:
            return self._buffer()
        values = numpy.empty(len(self), object)
        values[:] = list(self)
        return values

    def pandas(self):
        """The values as a pandas Series: see Trace.pandas."""
        import pandas
        return pandas.Series(_pandas_array(None, [self]))


def _bits(data, rows):
    """Bits of a bitmap as an array of bool."""
    import numpy
    packed = numpy.frombuffer(data, 'u1')
    return numpy.unpackbits(packed, count=rows, bitorder='little').view(bool)


class Batch(_native.Batch):
    """Rows of a trace, as a mapping of names of columns to columns of shape (rows,)."""

    __slots__ = ()

    @property
    def rows(self):
        """Number of rows."""
        return len(self)

    def __getitem__(self, name):
        try:
            number = self.columns.index(name)
        except ValueError:
            raise KeyError(f'the batch has no column {name!r} (expected one of '
                           f'{", ".join(self.columns)})') from None
        return self.column(number, Column)

    def __iter__(self):
        return iter(self.columns)

    def __contains__(self, name):
        return name in self.columns

    def keys(self):
        """Names of the columns."""
        return self.columns

    def values(self):
        """The columns."""
        return [self[name] for name in self.columns]

    def items(self):
        """Names and columns."""
        return [(name, self[name]) for name in self.columns]

    def numpy(self):
        """A dictionary of NumPy arrays by column, each of shape (rows,): see Column.numpy."""
        return {name: column.numpy() for name, column in self.items()}

    def pandas(self):
        """A pandas DataFrame: see Trace.pandas."""
        return _frame([self], self.columns)


class Trace(_native.Trace):
    """An open trace: an iterator of batches, and a context manager.

    columns: names of the columns of batches, as a tuple of str
    file: its path
    info: metadata as a dictionary: format, isa, address_bits, addresses, byte_order, clock,
        producer, first_pc, columns (those that its records can have), records, facts, labels
    """

    __slots__ = ()

    def __iter__(self):
        return self

    def __next__(self):
        batch = self.next(Batch)
        if batch is None:
            raise StopIteration
        return batch

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.close()

    def __repr__(self):
        return f'<polytrace.Trace {self.file!r}: {", ".join(self.columns)}>'

    def __arrow_c_stream__(self, requested_schema=None):
        """Exports the remaining rows as a capsule of an ArrowArrayStream; closes the trace."""
        return self.export()

    def numpy(self, masked=False):
        """Reads the remaining rows into NumPy arrays by column, each of shape (rows,).

        See Column.numpy. masked: columns with absent values are masked arrays.
        """
        import numpy
        batches = list(self)
        arrays = {}
        for name in self.columns:
            columns = [batch[name] for batch in batches]
            arrays[name] = _concatenate(name, [column.numpy() for column in columns])
            if masked and any(column.nulls for column in columns):
                valid = numpy.concatenate([column.valid for column in columns])
                arrays[name] = numpy.ma.array(arrays[name], mask=~valid)
        return arrays

    def pandas(self):
        """Reads the remaining rows into a pandas DataFrame.

        Numbers are unsigned integers of the column's size (immediate: int64), nullable ones
        (UInt64) if values are absent; names are categories; texts are str, bytes are bytes.
        """
        return _frame(list(self), self.columns)


def _concatenate(name, arrays):
    """One array of those of a column; an empty one of its type without any."""
    import numpy
    return numpy.concatenate(arrays) if arrays else numpy.empty(0, element_type(name))


def _categories(columns):
    """A Categorical of columns with dictionaries of their own."""
    import numpy
    import pandas
    numbers, parts = {}, []
    for column in columns:
        mapped = [numbers.setdefault(name, len(numbers)) for name in column.dictionary]
        parts.append(numpy.array([*mapped, -1], 'i4')[column.codes])
    return pandas.Categorical.from_codes(numpy.concatenate(parts), list(numbers))


def _pandas_array(name, columns):
    """An array of pandas or NumPy of columns of a name."""
    import numpy
    import pandas
    if columns and columns[0].dictionary is not None:
        return _categories(columns)
    values = _concatenate(name, [column.numpy() for column in columns])
    if values.dtype == object or not any(column.nulls for column in columns):
        return values
    mask = numpy.concatenate([~column.valid for column in columns])
    if values.dtype == bool:
        return pandas.arrays.BooleanArray(values, mask)
    return pandas.arrays.IntegerArray(values, mask)


def _frame(batches, names):
    """A DataFrame of the rows of batches."""
    import pandas
    return pandas.DataFrame({name: _pandas_array(name, [batch[name] for batch in batches])
                             for name in names}, columns=list(names))


def _interval(interval):
    """First row and number of rows of the argument range."""
    if interval is None:
        return 1, _END
    if isinstance(interval, str):
        found = re.fullmatch(r'(\d+)-(\d+)', interval)
        if not found:
            raise ValueError(f'range: {interval!r} (expected "FIRST-LAST")')
        interval = builtins.range(int(found[1]), int(found[2]) + 1)
    if not isinstance(interval, builtins.range):
        raise TypeError(f'range: {type(interval).__name__} (expected a range, or "FIRST-LAST")')
    if interval.step != 1 or interval.start < 1 or interval.stop > _END:
        raise ValueError(f'range: {interval} (expected a step of 1; records are numbered from 1)')
    return interval.start, max(0, interval.stop - interval.start)


def _text(value):
    """A value of an option as text."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, dict):
        return ','.join(f'{name}={_text(item)}' for name, item in value.items())
    if isinstance(value, (list, tuple)):
        return ','.join(map(_text, value))
    return str(value)


def _words(options, prefix=''):
    """A dictionary of options as texts "name=value"; None: none."""
    return tuple(f'{prefix}{name}={_text(value)}' for name, value in (options or {}).items())


def _number(argument, number, high=_END):
    """A number of an argument."""
    number = operator.index(number)
    if not 0 <= number <= high:
        raise ValueError(f'{argument}: {number} (expected 0 to {high})')
    return number


def _names(argument, names):
    """A list of names as a tuple of str."""
    if isinstance(names, str):
        raise TypeError(f'{argument}: a list of str is expected (found a str)')
    names = tuple(names)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f'{argument}: {name!r} (expected a str)')
    return names


def _request(path, columns=None, where=None, range=None, *, format=None, options=None, isa=None,
             threads=0, strict=False, skip_errors=False, partial=False):
    """What the extension opens."""
    return (os.fsdecode(path), os.fsencode(path),
            None if columns is None else _names('columns', columns), where, *_interval(range),
            format, _words(options) or None, isa, _number('threads', threads, 64), strict, skip_errors,
            partial)


def open(path, columns=None, where=None, range=None, *, rows=16384, **reading):
    """Opens a trace of any format, compressed or not; returns a Trace.

    path: of the file; "-": standard input
    columns: names of columns, also "row" and registers, in the order of the batches; None: every
        column that the trace can have but raw, origin, site and verbatim
    where: a filter of records, as of polytrace-filter(7)
    range: a range of numbers of records from 1, as the column row has them; or "FIRST-LAST",
        both included
    rows: maximum number of rows per batch
    format: name of the format; None: detected
    options: of the format, by name: {"bach.endian": "big"}
    isa: instruction set, if the trace does not state it
    threads: number of threads that decode; 0: one per processor
    strict: warnings are errors
    skip_errors: continue after corrupt data at the next valid record
    partial: a truncated file ends without an exception

    Rows before corrupt data are delivered before Error is raised.
    """
    return Trace(_request(path, columns, where, range, **reading), _number('rows', rows))


def stats(path, analyses=None, *, all=False, warmup=0, symbols=None, parameters=None, **reading):
    """Runs analyses in one pass; returns a dictionary of their results by name.

    The keys and units are those of ``polytrace stats --json``, polytrace-stats(1).

    analyses: names; None: the default ones, or with all every one that suits the trace
    warmup: number of initial records that are not counted
    symbols: path of an ELF file or a list, for names of functions
    parameters: options of the analyses, by name: {"calls.depth": 3}
    Further arguments are those of open; where and range select the records that are counted.
    """
    names = None if analyses is None else _names('analyses', analyses)
    return json.loads(_native.stats(
        _request(path, **reading), names, _words(parameters) or None, all,
        _number('warmup', warmup), None if symbols is None else os.fsencode(symbols)))


_READING = set(_request.__kwdefaults__) | {'where', 'range'}


def _query(path, analysis, words, **fixed):
    """Runs one analysis; words are arguments of open, and options of the analysis."""
    reading = {name: value for name, value in words.items() if name in _READING}
    parameters = {f'{analysis}.{name}': value for name, value in words.items()
                  if name not in _READING}
    return stats(path, [analysis], parameters=parameters, **fixed, **reading)[analysis]


def sim(path, simulator, *, warmup=0, **words):
    """Simulates a part of a processor; returns its results, as ``polytrace sim --json``.

    simulator: "cache", "levels", "mrc", "tlb", "branch", "pipeline" and so on
    words: options of the simulator (sweep={"size": "1k..64k", "ways": [1, 2]}), and arguments
        of open
    """
    return _query(path, simulator, words, warmup=warmup)


def calls(path, *, symbols=None, **words):
    """Reconstructs the calls of a trace; returns them as ``polytrace calls --json``.

    symbols: path of an ELF file or a list, for names of functions
    words: options of the analysis calls, and arguments of open
    """
    return _query(path, 'calls', words, symbols=symbols)


class Difference(collections.namedtuple('Difference', [
        'cause', 'subject', 'values', 'instruction', 'record', 'matching', 'run', 'ends', 'cpu'])):
    """A difference of two traces. Pairs have an element of each trace.

    cause: "opcode", "value", "missing-record" and so on: polytrace-diff(1)
    subject: "register r1", "read of 4 bytes at 0x1000", "pc"
    values: pair of str, or None
    instruction, record: pairs of numbers from 1; 0: that trace has ended
    matching: number of matching instructions before
    run: pair of numbers of instructions that only this trace has
    ends: the comparison ends here: the traces do not realign
    cpu: the processor with each_cpu, else None
    """

    __slots__ = ()


def diff(a, b, *, ignore=(), also=(), aliases=(), tolerate=(), window=1, resync=4096,
         ordered=False, each_cpu=False, **reading):
    """Compares two traces by instruction; returns an iterator of Difference.

    ignore, also, aliases, tolerate: lists of words, as of polytrace-diff(1)
    window: number of instructions that a record may belong to
    resync: number of instructions that are searched to realign the traces
    Further arguments are those of open, for both traces.
    """
    lists = tuple(_names(*item) for item in (('ignore', ignore), ('also', also),
                                             ('aliases', aliases), ('tolerate', tolerate)))
    found = _native.Diff(_request(a, **reading), _request(b, **reading), lists,
                         _number('window', window, 2**32 - 1), _number('resync', resync, 2**32 - 1), ordered, each_cpu)
    return map(Difference._make, found)


def write(path, columns, *, format=None, isa=None, address_bits=0, addresses=None, clock=None,
          producer=None, labels=None, options=None, overwrite=False):
    """Writes columns as a trace. Needs NumPy.

    path: of the file, whose ending names format and compression; "-": standard output
    columns: values by name of column, each of shape (rows,): a dictionary, a Batch or a
        DataFrame. Numbers are integers of any type that fit, in lists, buffers and arrays;
        names, kinds and texts are str. None, masked values and pandas.NA are absent
    format: name of the format; None: by the ending
    isa: instruction set of opcodes
    address_bits: width of addresses in bits; 0: unknown
    addresses: "virtual" or "physical"
    clock: unit of the column time
    producer: name of the program that recorded the trace
    labels: labels of the trace, by key
    options: of the format, by name
    overwrite: replace an existing file

    Warns by LossWarning of what the format cannot hold. A failure leaves an existing file
    unchanged.
    """
    spaces = [None, 'virtual', 'physical']
    if addresses not in spaces:
        raise ValueError(f'addresses: {addresses!r} (expected "virtual" or "physical")')
    items = list(columns.items())
    if not items:
        raise ValueError('columns: no column is named')
    sources, first = [], None
    for name, values in items:
        source = make_source(name, values)
        if any(name == other[0] for other in sources):
            raise ValueError(f'columns: {name!r} is named twice')
        if first and len(values) != first[1]:
            raise ValueError(f'columns: {name!r} has {len(values)} rows '
                             f'(expected {first[1]}, as {first[0]!r})')
        first = first or (name, len(values))
        sources.append(source)
    notes = _native.write(
        os.fsdecode(path), os.fsencode(path), first[1], tuple(sources),
        (format, _words(options), _words(labels), overwrite),
        (isa, _number('address_bits', address_bits, 64), spaces.index(addresses), clock, producer))
    for note in notes.splitlines():
        warnings.warn(f'{os.fsdecode(path)}: {note}', LossWarning, stacklevel=2)
