"""Tests of polytrace.write."""
import array
import os
import warnings

import numpy
import pandas
import polytrace
import sampling
from reading import SORT, expected, failure, json_rows, samples, words_of


def lines_of(path):
    """The records of a file that was written."""
    return json_rows('ptz', path, [])


def values_of_every_kind_are_written():
    columns = {
        'kind': ['instruction', 'access', None], 'record': ['step', None, 'step'],
        'pc': numpy.array([0, 1, 2**64 - 1], 'u8'), 'size': array.array('H', [1, 2, 65535]),
        'cpu': numpy.ma.array([7, 8, 9], mask=[True, False, False]), 'immediate': [-2**63, None, 2**63 - 1],
        'mnemonic': pandas.Series(['add', None, 'ä'], dtype='category'), 'reg': ['r1', pandas.NA, 'r1'],
        'access': numpy.array(['read', 'write', 'cache']), 'executed': [True, False, None],
        'thread': pandas.Series([1, None, 3], dtype='UInt64'), 'text': ['a', '', None],
        'payload': [b'\0\xff', None, b'']}
    polytrace.write('kinds.ptz', columns, isa='x86-64', address_bits=64, clock='ns', producer='a test',
                    labels={'run': 7})
    wanted = [
        {'kind': 'instruction', 'record': 'step', 'pc': '0x0', 'size': 1, 'immediate': -2**63, 'mnemonic': 'add',
         'reg': 'r1', 'access': 'read', 'executed': True, 'thread': 1, 'text': 'a', 'payload': '00ff'},
        {'kind': 'access', 'pc': '0x1', 'size': 2, 'cpu': 8, 'access': 'write', 'executed': False, 'text': ''},
        {'record': 'step', 'pc': '0xffffffffffffffff', 'size': 65535, 'cpu': 9, 'immediate': 2**63 - 1,
         'mnemonic': 'ä', 'reg': 'r1', 'access': 'cache', 'thread': 3, 'payload': ''}]
    if lines_of('kinds.ptz') != wanted:
        yield lines_of('kinds.ptz')
    info = polytrace.open('kinds.ptz').info
    if (info['isa'], info['address_bits'], info['clock'], info['producer'], info['labels']) != (
            'x86-64', 64, 'ns', 'a test', {'run': '7'}):
        yield info


def traces_come_back():
    for form, path, options in sampling.sampled(list(samples())):
        words = {'format': form, 'options': words_of(options), 'partial': True}
        rows = json_rows(form, path, options)
        # Texts that are not UTF-8 have become U+FFFD.
        wanted = [{name: expected(name, row) if isinstance(value, dict) else value for name, value in row.items()}
                  for row in rows]
        copies = {'batch.jsonl': next(polytrace.open(path, rows=2**20, **words)),
                  'frame.ptz': polytrace.open(path, **words).pandas()}
        for name, columns in copies.items():
            with warnings.catch_warnings():
                warnings.simplefilter('ignore', polytrace.LossWarning)
                polytrace.write(name, columns, overwrite=True)
            found = json_rows(name.rsplit('.', 1)[1], name, [])
            if found != wanted:
                row = next((i for i, pair in enumerate(zip(found, wanted)) if pair[0] != pair[1]), len(found))
                yield f'{path} as {name}: row {row + 1}: {found[row:row + 1]}, expected {wanted[row:row + 1]}'


def masked_values_are_absent():
    polytrace.write('masked.jsonl', polytrace.open(SORT).numpy(masked=True))
    if not polytrace.open('masked.jsonl').pandas().equals(polytrace.open(SORT).pandas()):
        yield 'masked arrays of a trace'
    mask = [False, True]
    for name, values in (('pc', [5, 6]), ('mnemonic', ['a', 'b']), ('text', ['a', 'b']), ('payload', [b'a', b'b'])):
        columns = {'kind': ['other'] * 2, name: numpy.ma.array(values, mask=mask, dtype=object)}
        polytrace.write('mask.ptz', columns, overwrite=True)
        if [name in line for line in lines_of('mask.ptz')] != [True, False]:
            yield f'{name}: {lines_of("mask.ptz")}'


def many_rows_are_written():
    count = 300000
    address = numpy.arange(count, dtype='u8') * 64
    polytrace.write('many.din', {'access': ['read'] * count, 'address': address}, overwrite=True)
    if polytrace.open('many.din').numpy()['address'].sum() != address.sum():
        yield 'sum'
    polytrace.write('none.ptz', {'kind': [], 'pc': numpy.empty(0, 'u8')})
    if lines_of('none.ptz'):
        yield 'rows of an empty trace'


def losses_are_warnings():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        polytrace.write('loss.din', {'access': ['read'], 'address': [1], 'cpu': [3]})
    text = ' '.join(str(warning.message) for warning in caught)
    if text != "loss.din: format 'din' cannot hold these columns: cpu" or caught[0].category != polytrace.LossWarning:
        yield text
    if caught and not caught[0].filename.endswith('writing.py'):
        yield caught[0].filename


def wrong_values_are_named():
    for columns, text, kind in (
            ({'pc': [1, 2], 'size': [1]}, "'size' has 1 rows (expected 2, as 'pc')", ValueError),
            ({'pc': [1.0]}, "'pc': row 0: float", TypeError),
            ({'pc': numpy.array([1.5])}, "'pc' has float64 values", TypeError),
            ({'pc': numpy.zeros((2, 2), 'u8')}, "'pc' has uint64 values of shape (2, 2)", TypeError),
            ({'pc': pandas.Series([1, None])}, "'pc': row 0: float", TypeError),
            ({'pc': ['0x10']}, "'pc': row 0: '0x10'", TypeError),
            ({'pc': [0, -1]}, "'pc': row 1: -1 (expected 0 to 18446744073709551615)", ValueError),
            ({'pc': [0, 2**64]}, "'pc': row 1: 18446744073709551616", ValueError),
            ({'pc': numpy.array([5, -1])}, "'pc': row 1: -1", ValueError),
            ({'size': numpy.array([2**32, 0], 'u8')}, "'size': row 0: 4294967296", ValueError),
            ({'immediate': numpy.array([2**63], 'u8')}, "'immediate': row 0: 9223372036854775808", ValueError),
            ({'executed': [2]}, "'executed': row 0: 2 (expected 0 to 1)", ValueError),
            ({'kind': ['nonsense']}, "'kind' has no value 'nonsense'", ValueError),
            ({'mnemonic': [1]}, "'mnemonic': row 0: 1 (expected a str or None)", TypeError),
            ({'mnemonic': ['a\0b']}, 'null character', ValueError),
            ({'mnemonic': pandas.Categorical([3])}, "'mnemonic': row 0: 3 (expected categories of str)", TypeError),
            ({'text': [b'x']}, "'text': row 0: b'x' (expected str or None)", TypeError),
            ({'payload': ['x']}, "'payload': row 0: 'x'", TypeError),
            ({'nonsense': [1]}, "no such column to write (found 'nonsense'", ValueError),
            ({'row': [1]}, "no such column to write (found 'row'", ValueError),
            ({'pc': 5}, "'pc' is a int", TypeError), ({'mnemonic': 'abc'}, "'mnemonic' is a str", TypeError),
            ({'record': [str(name) for name in range(256)]}, "'record' has 256 names", ValueError),
            (pandas.DataFrame([[1, 2]], columns=['pc', 'pc']), "'pc' is named twice", ValueError),
            ({}, 'no column is named', ValueError)):
        error = failure(polytrace.write, 'wrong.ptz', columns, kind=kind)
        if text not in str(error):
            yield f'{columns}: {error!r}'
    if os.path.exists('wrong.ptz'):
        yield 'a file was written'


def failures_of_writers_are_exceptions():
    with open('old.din', 'w') as file:
        file.write('0 1\n')
    for path, words, text in (('old.din', {}, 'exists'), ('x.nonsense', {}, 'x.nonsense'),
                              ('x.ptz', {'format': 'nonsense'}, 'nonsense'),
                              ('x.ptz', {'options': {'ptz.level': 'nonsense'}}, 'ptz.level'),
                              ('x.ptz', {'labels': {'a b': 1}}, 'a b'), ('/nonexistent/x.ptz', {}, '/nonexistent')):
        error = failure(polytrace.write, path, {'access': ['read'], 'address': [7]}, **words)
        if text not in str(error) or error.file != path:
            yield repr(error)
    error = failure(polytrace.write, 'x.tt6', {'kind': ['instruction'], 'pc': [4]})
    if error.status != 'loss' or 'opcode' not in str(error) or os.path.exists('x.tt6'):
        yield repr(error)
    failure(polytrace.write, 'x.ptz', {'pc': [1]}, addresses='nonsense', kind=ValueError)
    if open('old.din').read() != '0 1\n':
        yield 'the old file changed'


TESTS = [values_of_every_kind_are_written, masked_values_are_absent, traces_come_back, many_rows_are_written, losses_are_warnings,
         wrong_values_are_named, failures_of_writers_are_exceptions]
