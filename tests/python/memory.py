"""Runs every function of the package with its first, second and so on allocation failing, with the library of
refuse.c preloaded: MemoryError, or the result, is expected. Prints faults, and the allocations of each function."""
import ctypes
import os
import sys
import warnings

import polytrace

SHIM = ctypes.CDLL(os.environ['LD_PRELOAD'])
FROM, COUNT = (ctypes.c_long.in_dll(SHIM, name) for name in ('refuse_from', 'refuse_count'))
SORT = os.path.join(os.environ['POLYTRACE_ROOT'], 'tests', 'data', 'cis501', 'sort_1k.trace')


def read():
    trace = polytrace.open(SORT, where='pc > 0', threads=1, rows=100)
    return [len(list(column)) for batch in trace for column in batch.values()]


def export():
    return repr(polytrace.open(SORT, ['pc', 'mnemonic'], threads=1).__arrow_c_stream__())


def analyse():
    return polytrace.stats(SORT, ['mix'], threads=1)


def compare():
    return list(polytrace.diff(SORT, SORT, threads=1))


def write():
    columns = {'kind': ['instruction', 'access'], 'pc': [1, None], 'mnemonic': ['a', 'b'], 'text': ['x', None]}
    polytrace.write('memory.jsonl', columns, overwrite=True, labels={'a': 1})


def faults(function):
    """The faults of a function for each failing allocation."""
    expected = function()
    k = 1
    while True:
        FROM.value, COUNT.value = k, 0
        try:
            result = function()
            fault = None if result == expected or 'capsule' in str(result) else result
        except MemoryError:
            fault = None
        except Exception as error:  # of another type
            fault = repr(error)
        FROM.value = 0
        if fault:
            yield f'{function.__name__}, allocation {k}: {fault}'
        if COUNT.value < k:
            break
        k += 1 + k // 32
    print(f'{function.__name__} has {COUNT.value} allocations', file=sys.stderr)
    if k < 10:
        yield f'{function.__name__}: only {k} allocations'


warnings.simplefilter('ignore')
for operation in read, export, analyse, compare, write:
    for found in faults(operation):
        print(found)
