# SPDX-License-Identifier: MIT
"""Values of a caller as exact buffers, which the extension writes."""
from polytrace import _native

# Forms of columns: enum poly_form.
_RECORD, _NAME, _BOOL, _BYTES, _TEXT = 6, 7, 8, 11, 12
_COLUMNS = {name: (form, size) for name, form, _, size in _native.columns()}


def element_type(name):
    """The NumPy type of a column of numbers; bool, or object, for other ones."""
    import numpy
    form, size = _COLUMNS.get(name, (_BOOL + 1, 8))
    if form in (_BYTES, _TEXT) or form <= _NAME:
        return numpy.dtype(object)
    return numpy.dtype(bool if form == _BOOL else f'{"i" if name == "immediate" else "u"}{size}')


def _is_absent(value):
    """None, masked values, pandas.NA and not-a-number."""
    return value is None or type(value).__name__ in ('NAType', 'NaTType', 'MaskedConstant') or (
        isinstance(value, float) and value != value)


def _refuse(name, row, value, expected, error=TypeError):
    shown = repr(value)[:60] if isinstance(value, (int, str, bytes)) else type(value).__name__
    raise error(f'columns: {name!r}: row {row}: {shown} (expected {expected})')


def _check_range(name, values, low, high):
    """Raises if an integer does not fit."""
    import numpy
    # Comparisons of uint64 and int64 arrays are inexact, those with a bound of their type are not.
    wrong = numpy.zeros(len(values), bool)
    bounds = numpy.iinfo(values.dtype)
    if bounds.min < low:
        wrong |= values < low
    if bounds.max > high:
        wrong |= values > numpy.array(high, values.dtype)
    if wrong.any():
        row = int(wrong.argmax())
        _refuse(name, row, int(values[row]), f'{low} to {high}', ValueError)


def _numbers_of_list(name, values, bounds):
    """Integers of Python objects, and which of them are present."""
    import numpy
    low, high = bounds
    valid = numpy.ones(len(values), 'u1')
    numbers = [0] * len(values)
    for row, value in enumerate(values):
        if _is_absent(value):
            valid[row] = 0
            continue
        if not hasattr(value, '__index__'):
            _refuse(name, row, value, 'an integer or None')
        numbers[row] = value.__index__()
        if not low <= numbers[row] <= high:
            _refuse(name, row, numbers[row], f'{low} to {high}', ValueError)
    return numbers, valid


def _numbers(name, values, form):
    """The tuple of a column of integers."""
    import numpy
    dtype = numpy.dtype('u1') if form == _BOOL else element_type(name)
    limits = numpy.iinfo(dtype)
    bounds = (0, 1) if form == _BOOL else (int(limits.min), int(limits.max))
    valid = None
    if getattr(values, 'nulls', 0) and hasattr(values, 'valid'):
        values, valid = values.numpy(), values.valid
    elif isinstance(values, _native.Column):
        values = values.numpy()
    elif isinstance(values, numpy.ma.MaskedArray) and values.dtype != object:
        valid, values = ~numpy.ma.getmaskarray(values), values.filled(0)
    elif hasattr(values, 'isna'):
        absent = numpy.asarray(values.isna())
        if absent.any():
            values, valid = values.to_numpy(object), None
        else:
            values = values.to_numpy()
    if isinstance(values, (list, tuple)) or getattr(values, 'dtype', None) == object:
        values, valid = _numbers_of_list(name, values, bounds)
        array = numpy.array(values, dtype)
    else:
        array = numpy.asarray(values)
        if array.ndim != 1 or array.dtype.kind not in 'uib':
            raise TypeError(f'columns: {name!r} has {array.dtype} values of shape {array.shape} '
                            f'(expected integers of shape (rows,))')
        if array.dtype.kind != 'b':
            _check_range(name, array, *bounds)
        array = numpy.ascontiguousarray(array, dtype)
    present = None if valid is None else numpy.ascontiguousarray(valid, 'u1')
    return name, array, present, None, None


def _codes(name, values):
    """The tuple of a column of names."""
    import numpy
    if isinstance(values, _native.Column) and values.dictionary is not None:
        return name, values.codes, None, None, values.dictionary
    categories = getattr(values, 'values', values)
    if hasattr(categories, 'categories'):
        texts = tuple(categories.categories)
        for row, text in enumerate(texts):
            if not isinstance(text, str):
                _refuse(name, row, text, 'categories of str')
        return name, numpy.ascontiguousarray(categories.codes, 'i4'), None, None, texts
    numbers, codes = {}, numpy.empty(len(values), 'i4')
    for row, value in enumerate(values):
        if not isinstance(value, str) and not _is_absent(value):
            _refuse(name, row, value, 'a str or None')
        codes[row] = numbers.setdefault(str(value), len(numbers)) if isinstance(value, str) else -1
    return name, codes, None, None, tuple(numbers)


def _strings(name, values, form):
    """The tuple of a column of texts or bytes."""
    import numpy
    parts, present = [], numpy.ones(len(values), 'u1')
    kind = str if form == _TEXT else bytes
    for row, value in enumerate(values):
        if _is_absent(value):
            present[row] = 0
            value = b''
        elif not isinstance(value, kind):
            _refuse(name, row, value, f'{kind.__name__} or None')
        parts.append(value.encode() if isinstance(value, str) else value)
    offsets = numpy.zeros(len(parts) + 1, 'i8')
    numpy.cumsum([len(part) for part in parts], out=offsets[1:])
    return name, b''.join(parts), present, offsets, None


def make_source(name, values):
    """The tuple of a column: name, values, present, offsets and texts, None if it has none."""
    if name not in _COLUMNS or name == 'site':
        raise ValueError(f'columns: no such column to write (found {name!r}, '
                         f'expected one of polytrace-columns(5))')
    if isinstance(values, (str, bytes)) or not hasattr(values, '__len__'):
        raise TypeError(f'columns: {name!r} is a {type(values).__name__} '
                        f'(expected a list or an array)')
    form = _COLUMNS[name][0]
    if form <= _NAME:
        source = _codes(name, values)
        if form == _RECORD and len(source[4]) > 255:
            raise ValueError(f'columns: {name!r} has {len(source[4])} names (expected up to 255)')
        return source
    if form in (_BYTES, _TEXT):
        return _strings(name, values, form)
    return _numbers(name, values, form)
