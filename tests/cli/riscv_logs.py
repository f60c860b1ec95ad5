#!/usr/bin/env python3
"""
Logs of RISC-V simulators and cores, as TAP: compared with the listings of the same runs, where they are.
"""
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile

import tap

PROGRAM = sys.argv[1]
ROOT = os.environ['POLYTRACE_ROOT']
LOGS = os.path.join(os.environ.get('POLYTRACE_SHARED', os.path.join(ROOT, '..', 'shared')), 'data', 'made', 'riscv')
SPIKES = ['spike-rv64', 'spike-rv64v', 'spike100-rv64', 'spike110-rv64']
MADE = ['cva6.log', 'rvvi.log', 'sail.log', 'riscv-dv.csv', 'whisper.log']
LEVELS = {'U': 0, 'S': 1, 'M': 3, '': None}


def log(name):
    return os.path.join(LOGS, name)


def run(*args):
    return subprocess.run([PROGRAM, *args], capture_output=True, text=True)


def rows(path):
    """The rows, with the columns that the log has."""
    found = run('convert', path, '--to', 'jsonl', '-o', '-').stdout.splitlines()
    return [json.loads(line) for line in found if line.startswith('{"kind":')]


def number(text):
    return None if text is None else int(str(text), 0)


def listing(name):
    with gzip.open(log(name + '.jsonl.gz'), 'rt') as file:
        return [json.loads(line) for line in file]


def instructions(path):
    """Instructions with the registers and accesses that follow them."""
    found = []
    for row in rows(path):
        if row['record'] == 'instruction':
            found.append({'pc': number(row['pc']), 'op': number(row['opcode']), 'priv': LEVELS[row.get('mode', '')],
                          'text': row.get('text'), 'trapped': row.get('executed') in (0, False), 'w': [], 'mem': [],
                          'size': row['opcode_size']})
        elif row['record'] == 'register':
            value = number(row.get('value')) if 'value' in row else int(row['payload'], 16)
            found[-1]['w'].append([row['reg'], value])
        elif row['record'] == 'memory' and row['access'] != 'fetch':
            found[-1]['mem'].append([row['access'][0].upper(), number(row['address']), row.get('size'),
                                     number(row.get('value'))])
    return found


def expected_of(each):
    return {'pc': int(each['pc'], 16), 'op': int(each['op'], 16), 'priv': each['priv'], 'size': each['size'],
            'w': sorted([name, int(value, 16)] for name, value in each['w']),
            'mem': [[kind, int(address, 16), size, value and int(value, 16)]
                    for kind, address, size, value in each['mem']]}


def without_data(memory):
    """Accesses whose loads have no data, which not all dialects have."""
    return [[kind, address, size, None if kind == 'R' else value] for kind, address, size, value in memory]


def same(found, expected, parts):
    right = expected_of(expected)
    found = dict(found, w=sorted(found['w']))
    return all((without_data(found[part]) == without_data(right[part])) if part == 'mem'
               else found[part] == right[part] for part in parts)


def logs_of_spike_have_the_listed_records():
    for name in SPIKES:
        commits = [each for each in listing(name) if each['kind'] == 'insn']
        texts = [each for each in listing(name) if each['kind'] == 'exec']
        found = instructions(log(name + '.log'))
        retired = [each for each in found if not each['trapped']]
        if len(retired) != len(commits) or len(found) != len(texts) or len(commits) < 400:
            yield f'{name}: {len(retired)} of {len(found)} retired, expected {len(commits)} of {len(texts)}'
        for one, other in zip(found, texts):
            if one['text'] != other['text'] or one['pc'] != int(other['pc'], 16):
                yield f'{name}: {one}, expected {other}'
                break
        for one, other in zip(retired, commits):
            if not same(one, other, ['pc', 'op', 'priv', 'size', 'w', 'mem']):
                yield f'{name}: {one}, expected {other}'
                break


def other_lines_of_spike_have_their_rows():
    for name in SPIKES + ['spike-rv64-l']:
        found = rows(log(name + '.log'))
        expected = listing(name)
        traps = [[row['text'], number(row['pc'])] for row in found if row['record'] == 'exception']
        values = [number(row['value']) for row in found if row['record'] == 'exception' and 'value' in row]
        symbols = [row['text'] for row in found if row['record'] == 'symbol']
        if traps != [[each['name'], int(each['pc'], 16)] for each in expected if each['kind'] == 'exception'] or \
                values != [int(each['value'], 16) for each in expected if each['kind'] == 'tval'] or \
                symbols != [each['name'] for each in expected if each['kind'] == 'symbol']:
            yield f'{name}: {traps} {values} {symbols}'
        if name == 'spike-rv64-l' and len([row for row in found if row['record'] == 'instruction']) != 414:
            yield name


def other_dialects_have_the_listed_records():
    parts = {'riscv-dv.csv': ['pc', 'op', 'priv', 'w'], 'rvvi.log': ['pc', 'op', 'priv', 'w'],
             'cva6.log': ['pc', 'op', 'priv', 'mem']}
    for name in MADE:
        found = instructions(log('dialect-rv64.' + name))
        expected = listing('dialect-rv64')
        if len(found) != 160 or len(expected) != 160:
            yield f'{name}: {len(found)}'
        for one, other in zip(found, expected):
            # CVA6 has no CSRs, and a line of Whisper either a register or a store.
            files = [each for each in other['w'] if re.match(r'[xfv]\d', each[0])] if name == 'cva6.log' else other['w']
            if not same(one, dict(other, w=files), parts.get(name, ['pc', 'op', 'priv', 'w', 'mem'])):
                yield f'{name}: {one}, expected {other}'
                break


def a_log_of_ibex_has_the_listed_records():
    found = instructions(log('ibex-rv32-part2.log'))
    expected = listing('ibex-rv32-part2')
    if len(found) != 187:
        yield f'{len(found)}'
    for one, other in zip(found, expected):
        files = [each for each in other['w'] if re.match(r'[xfv]\d', each[0])]
        if not same(one, dict(other, w=files), ['pc', 'op', 'size', 'w', 'mem']):
            yield f'{one}, expected {other}'
            break


def written_dialects_equal_the_made_ones():
    """The lines of the made files, which a script wrote from the documents, except for what they add."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, 'source.log')
        with open(log('spike-rv64.log')) as lines, open(source, 'w') as out:
            out.writelines(list(lines)[:331])
        for name in ('cva6.log', 'rvvi.log', 'sail.log', 'riscv-dv.csv'):
            target = os.path.join(folder, name)
            run('convert', source, '--to', 'riscv-log', '-T', 'riscv.dialect=' + name.rsplit('.', 1)[0], '-o', target)
            with open(target) as file:
                # Trapped instructions are in none of the made files.
                found = [line for line in file if ' TRAP ' not in line and not line.startswith('VENDOR')
                         and '(0x00542683)' not in line]
            with open(log('dialect-rv64.' + name)) as file:
                expected = [line for line in file if not line.startswith(('mem[X', 'VENDOR', 'PARAMS'))]
            if name == 'sail.log':
                strip = re.compile(r'^\[\d+\]')
                found, expected = ([strip.sub('', line) for line in lines] for lines in (found, expected))
                # Spike lists registers before loads, the made file after them.
                found, expected = sorted(found), sorted(expected)
            if found != expected:
                wrong = [(one, other) for one, other in zip(found, expected) if one != other]
                yield f'{name}: {len(found)} lines of {len(expected)}: {wrong[:1]}'


def old_forms_of_spike_are_written_in_the_new_one():
    """The commit lines of 1.1.0 differ in blanks alone, and the status register is listed more often."""
    def commits(text):
        text = re.sub(r' c\d+_\S+ 0x[0-9a-f]+', '', text)
        lines = [re.sub(' +', ' ', re.sub(r' x (\d)', r' x\1', line)) for line in text.splitlines()]
        return [line for line in lines if line.startswith('core 0: ') and re.match('core 0: [013] ', line)]
    done = run('convert', log('spike110-rv64.log'), '--to', 'riscv-log', '-T', 'riscv.dialect=spike', '-o', '-')
    with open(log('spike-rv64.log')) as file:
        expected = commits(file.read())
    if commits(done.stdout) != expected or len(expected) != 410:
        yield f'{len(commits(done.stdout))} lines, expected {len(expected)}'


def diff(*args):
    done = run('diff', *args)
    return done.returncode, done.stdout.splitlines()[0] if done.stdout else done.stderr


def planted(folder, name, pattern, change):
    """A copy of a file with one digit of one line changed."""
    with open(log(name)) as file:
        text = file.read()
    target = os.path.join(folder, 'planted-' + os.path.basename(name))
    changed = re.sub(pattern, change, text, count=1)
    assert changed != text, name
    with open(target, 'w') as file:
        file.write(changed)
    return target


def logs_of_one_run_match_and_a_changed_bit_is_found():
    # auipc at 0x80000026 writes 0x80002026 to x8; the changed one has another bit.
    patterns = {'cva6.log': r'(\(0x00002417\) x 8 0x000000008000202)6', 'rvvi.log': r'(0x00002417 X 8 0x000000008000202)6',
                'sail.log': r'(\nx8 <- 0x000000008000202)6', 'riscv-dv.csv': r'(s0:000000008000202)6',
                'whisper.log': r'(00002417 r 0000000000000008 000000008000202)6'}
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, 'source.log')
        with open(log('spike-rv64.log')) as lines, open(source, 'w') as out:
            out.writelines(list(lines)[:331])
        for name, pattern in patterns.items():
            other = 'dialect-rv64.' + name
            status, first = diff('-t', 'skipped', source, log(other))
            if status != 0 or 'traces match; 160 instructions compared' not in first:
                yield f'{name}: {first}'
            status, first = diff('-t', 'skipped', source, planted(folder, other, pattern, r'\g<1>7'))
            if status != 1 or 'register x8: 0x80002026 in A, 0x80002027 in B' not in first:
                yield f'{name}: {first}'
    for other, words in (('spike100-rv64.log', 'skipped'), ('spike-rv64-l.log', 'skipped'),
                         ('spike110-rv64.log', 'skipped,redundant-writes')):
        status, first = diff('-t', words, log('spike-rv64.log'), log(other))
        if status != 0:
            yield f'{other}: {first}'


def reads_of_counters_and_late_values_are_tolerated():
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ('iss.log', 'rtl.log')]
        iss = '3 0x%016x (0x%08x) x%d 0x%016x\n'
        lines = [(0x80000000, 0xb0002573, 10, 17), (0x80000004, 0xc0102573, 10, 9), (0x80000008, 0x02a5c533, 11, 3),
                 (0x8000000c, 0x00150513, 10, 18), (0x80000010, 0x00150513, 10, 19)]
        with open(paths[0], 'w') as file:
            file.writelines('core   0: ' + iss % line for line in lines)
        with open(paths[1], 'w') as file:
            for pc, opcode, number, value in lines:
                late = number == 11
                value += 5 if opcode in (0xb0002573, 0xc0102573) else 0
                file.write('3 0x%016x (0x%08x) x11 p7 0xXXXXXXXXXXXXXXXX\n' % (pc, opcode) if late
                           else iss % (pc, opcode, number, value))
                file.write('x11 p7 0x0000000000000003\n' if pc == 0x8000000c else '')
        for args, right in (((), 1), (('-i', 'counters'), 1), (('-W', '4'), 1), (('-i', 'counters', '-W', '4'), 0)):
            status, first = diff(*args, *paths)
            if status != right:
                yield f'{args}: {status} {first}'


TESTS = [logs_of_one_run_match_and_a_changed_bit_is_found, reads_of_counters_and_late_values_are_tolerated,
         logs_of_spike_have_the_listed_records, other_lines_of_spike_have_their_rows,
         other_dialects_have_the_listed_records, a_log_of_ibex_has_the_listed_records,
         written_dialects_equal_the_made_ones, old_forms_of_spike_are_written_in_the_new_one]
tap.run(TESTS, None if os.path.isdir(LOGS) else {test.__name__: 'the logs are not there' for test in TESTS})
