"""Tests of analyses, comparisons and data frames, against reports of the command."""
import json
import os
import subprocess
import sys

import pandas
import polytrace
from reading import DATA, POLYTRACE, SORT, failure, json_rows

TT6 = os.path.join(DATA, 'tt6', 'thread_002.tt6e')


def report(*words):
    """The report of a command as JSON."""
    return json.loads(subprocess.run([POLYTRACE, *words], capture_output=True, check=True).stdout)


def statistics_are_those_of_the_command():
    found = polytrace.stats(TT6, ['mix', 'branches'])
    expected = report('stats', '-a', 'mix,branches', '--json', TT6)
    if set(found) != {'mix', 'branches'} or any(found[name] != expected[name] for name in found):
        yield found
    selected = polytrace.stats(TT6, ['mix'], where='pc < 0x10020000', warmup=7)
    expected = report('stats', '-a', 'mix', '-w', 'pc < 0x10020000', '--warmup', '7', '--json', TT6)
    if selected['mix'] != expected['mix'] or selected['mix'] == found['mix']:
        yield selected
    if set(polytrace.stats(TT6)) < {'mix', 'branches', 'memory'}:
        yield 'default analyses'


def statistics_of_packed_traces_count_every_record():
    subprocess.run([POLYTRACE, 'pack', '--force', '-o', 'sort.ptz', SORT], capture_output=True, check=True)
    for words in {}, {'range': '1-500'}, {'where': 'access == read'}:
        if polytrace.stats('sort.ptz', ['mix'], **words) != polytrace.stats(SORT, ['mix'], **words):
            yield words


def simulations_are_those_of_the_command():
    found = polytrace.sim(SORT, 'cache', sweep={'size': '1k..4k', 'ways': [1, 2]}, causes=True)
    expected = report('sim', 'cache', '--sweep', 'size=1k..4k,ways=1,2', '-Ocauses=1', '--json', SORT)
    if found != expected['cache'] or len(found['caches']) != 6:
        yield found


def calls_are_those_of_the_command():
    with open('names.txt', 'w') as file:
        file.write('10060414 main\n1001c290 work\n')
    found = polytrace.calls(TT6, symbols='names.txt')
    expected = report('calls', '--symbols', 'names.txt', '--json', TT6)
    if any(found[key] != value for key, value in expected.items() if key != 'file') or \
            found['call_tree'][0]['function'] != 'main':
        yield found


def failing_analyses_name_the_fault():
    for function, text in ((lambda: polytrace.stats(SORT, ['nonsense']), 'nonsense'),
                           (lambda: polytrace.sim(SORT, 'cache', nonsense=1), 'cache.nonsense'),
                           (lambda: polytrace.stats(SORT, ['bus']), 'bus'),
                           (lambda: polytrace.stats(SORT, ['mix'], where='pc =='), 'pc ==')):
        error = failure(function)
        if text not in str(error) or error.file != SORT:
            yield repr(error)
    failure(polytrace.stats, SORT, ['mix'], warmup=-1, kind=ValueError)
    error = failure(polytrace.calls, SORT, symbols='missing.txt')
    if error.file != 'missing.txt' or error.status != 'io':
        yield repr(error)
    with open('bad.txt', 'w') as file:
        file.write('1 r\n2 r\nx\n')
    error = failure(polytrace.stats, 'bad.txt', ['memory'], format='text:address:hex,access:r/w')
    if (error.file, error.record, error.byte) != ('bad.txt', 3, 8):
        yield repr(error)


def signals_interrupt_calls():
    for call in 'polytrace.stats("-", format="text:pc:hex")', 'next(polytrace.open("-", format="text:pc:hex", rows=2**20))':
        program = ('import os, signal, threading, polytrace\n'
                   'threading.Timer(.3, os.kill, (os.getpid(), signal.SIGINT)).start()\n'
                   'try:\n'
                   f'    while True: {call}\n'
                   'except KeyboardInterrupt: print("interrupted")\n')
        # The trace does not end.
        with subprocess.Popen(['yes', '40'], stdout=subprocess.PIPE) as endless:
            done = subprocess.run([sys.executable, '-c', program], stdin=endless.stdout, capture_output=True, text=True,
                                  timeout=100, env={**os.environ, 'LD_PRELOAD': os.environ['PRELOAD']}, check=False)
            endless.stdout.close()
            endless.kill()
        if done.stdout != 'interrupted\n':
            yield f'{done}'


def differences_are_those_of_the_command():
    path = os.path.join(DATA, 'qemu4v', 'arm_start_2k.q4v')
    with open(path) as file:
        text = file.read()
    with open('other.q4v', 'w') as file:
        file.write(text.replace('eb020283', 'eb020284'))
    found = list(polytrace.diff(path, 'other.q4v'))
    first = found[0]
    if (first.cause, first.values, first.instruction, first.record, first.matching, first.cpu) != (
            'opcode', ('eb020283', 'eb020284'), (208, 208), (381, 381), 207, None):
        yield first
    done = subprocess.run([POLYTRACE, 'diff', '--all', '--json', path, 'other.q4v'], capture_output=True, check=False)
    expected = [line['cause'] for line in json.loads(done.stdout)['differences']]
    if [difference.cause for difference in found] != expected:
        yield f'{len(found)}: {expected}'
    if list(polytrace.diff(path, path)) or list(polytrace.diff(path, 'other.q4v', ignore=['opcode'])):
        yield 'equal traces differ'


def comparisons_name_the_trace_that_fails():
    with open('good.txt', 'w') as file:
        file.write(''.join(f'{row:x} 0\n' for row in range(100)))
    with open('bad.txt', 'w') as file:
        file.write(''.join(f'{row:x} {row == 50:d}\n' for row in range(90)) + 'x\n')
    found = []
    try:
        for difference in polytrace.diff('good.txt', 'bad.txt', format='text:pc:hex,opcode:hex'):
            found.append(difference)
        yield 'no exception'
    except polytrace.Error as error:
        if error.file != 'bad.txt' or error.record != 91 or [item.instruction for item in found] != [(51, 51)]:
            yield f'{error!r} after {found}'
    for words, text in (({'ignore': ['nonsense']}, 'nonsense'), ({'window': 0}, 'window')):
        error = failure(polytrace.diff, SORT, SORT, **words)
        if text not in str(error):
            yield repr(error)
    if failure(polytrace.diff, SORT, '/nonexistent').file != '/nonexistent':
        yield 'file of a missing trace'


def frames_have_every_value():
    frame = polytrace.open(SORT, rows=100).pandas()
    rows = json_rows('cis501', SORT, [])
    for name in frame:
        hexadecimal = name in ('pc', 'fallthrough', 'target', 'address')
        for row, (found, line) in enumerate(zip(frame[name], rows)):
            value = line.get(name)
            value = int(value, 16) if hexadecimal and value else value
            if not (pandas.isna(found) and value is None or found == value):
                yield f'{name}, row {row}: {found}, expected {value}'
                break
    types = {name: str(frame[name].dtype) for name in ('pc', 'address', 'mnemonic', 'immediate', 'uop_index')}
    if len(frame) != 1000 or types != {'pc': 'uint64', 'address': 'UInt64', 'mnemonic': 'category',
                                       'immediate': 'int64', 'uop_index': 'uint8'}:
        yield types


def frames_of_all_columns_have_their_types():
    path = os.path.join(DATA, 'jsonl', 'columns.jsonl')
    frame = polytrace.open(path).pandas()
    rows = json_rows('jsonl', path, [])
    for name, kind in ('executed', 'boolean'), ('text', 'object'), ('payload', 'object'), ('thread', 'UInt64'):
        present = [row.get(name) is not None for row in rows]
        if str(frame[name].dtype) != kind or (~frame[name].isna()).tolist() != present or not any(present):
            yield f'{name}: {frame[name]}'
    if frame['payload'].dropna().tolist() != [bytes.fromhex(row['payload']) for row in rows if 'payload' in row]:
        yield 'bytes'


TESTS = [statistics_are_those_of_the_command, statistics_of_packed_traces_count_every_record,
         simulations_are_those_of_the_command, calls_are_those_of_the_command,
         failing_analyses_name_the_fault, signals_interrupt_calls, differences_are_those_of_the_command,
         comparisons_name_the_trace_that_fails, frames_have_every_value,
         frames_of_all_columns_have_their_types]
