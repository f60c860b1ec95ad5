#!/usr/bin/env python3
"""Reports of AIX traces that are built here, as TAP: aix.py POLYTRACE

The layout of entries is that of the AIX trace reference, section 4.8: a hook word of 64 bits (flags, bytes of data,
id, sub-hook), data in words of 8 bytes, thread id, timestamp.
"""
import csv
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

import tap

PROGRAM = os.path.abspath(sys.argv[1])
STREAM = struct.pack('>I', 0xEFDF1114)
STAMPED, GENERIC = 0x8000, 0x4000
FOLDER = tempfile.TemporaryDirectory()
DATE = 1000000000  # Sun Sep  9 01:46:40 2001


def event(hook, time, *words, sub=0, tid=7):
    data = struct.pack(f'>{len(words)}Q', *words)
    return struct.pack('>HHHH', STAMPED, len(data), hook << 4, sub) + data + struct.pack('>QQ', tid, time)


def generic(hook, time, word, text, counts_word, sub=0):
    """A generic entry, whose size counts its data word or not."""
    size = len(text) + (8 if counts_word else 0)
    data = struct.pack('>Q', word) + text + bytes(-len(text) % 8)
    return struct.pack('>HHHH', STAMPED | GENERIC, size, hook << 4, sub) + data + struct.pack('>QQ', 7, time)


def on(time):
    return event(0x001, time, DATE)


def written(name, data):
    path = os.path.join(FOLDER.name, name)
    with open(path, 'wb') as file:
        file.write(data if isinstance(data, bytes) else data.encode())
    return path


def trcrpt(*arguments, status=0):
    done = subprocess.run([PROGRAM, 'trcrpt', *arguments], capture_output=True, text=True, check=False,
                          env={**os.environ, 'TZ': 'UTC'})
    assert done.returncode == status, (arguments, done)
    return done


def lines_of(text):
    """Id and elapsed seconds of the lines of events."""
    return re.findall(r'^([0-9A-F]{3})\b.*?(-?\d+\.\d{9})', text, re.M)


def elapsed_time_counts_from_trace_on():
    for before in 0, 200000000, 3400000000:
        # Metadata with stamps before, and after, that of TRACE ON.
        for first in 3500000000 - before, 3500000000 + before:
            log = written('on.trc', STREAM + event(0x003, first, 1, sub=4) + on(3500000000) + event(0x200, 3500000500, 1))
            found = lines_of(trcrpt('-h', log).stdout)
            if found[-2:] != [('001', '0.000000000'), ('200', '0.000000500')]:
                yield f'{first}: {found}'


def the_date_may_follow_any_number_of_records():
    for count in 10, 5000, 20000:
        log = written('late.trc', STREAM + b''.join(
            event(0x00a, 100 + i, i, sub=1) for i in range(count)) + on(10 ** 9) + event(0x200, 2 * 10 ** 9, 1))
        text = trcrpt(log).stdout
        if 'Sun Sep  9 01:46:40 2001' not in text.split('\n')[:2]:
            yield f'{count} records: {text[:200]}'
        if lines_of(text)[-1] != ('200', '1.000000000'):
            yield f'{count} records: {lines_of(text)[-2:]}'
        selected = lines_of(trcrpt('-s', '090901464101', log).stdout)
        if [line[0] for line in selected] != ['200']:
            yield f'{count} records, -s: {selected}'


def an_invalid_template_costs_its_hook():
    templates = written('bad.fmt', '0F1 1.0 "fine" X2\n0F2 1.0 !callme\n0F3 1.0 "also" X2\n')
    log = written('three.trc', STREAM + on(0) + b''.join(event(hook, 100 + hook, 5) for hook in (0x0f1, 0x0f2, 0x0f3)))
    done = trcrpt('-h', '-t', templates, log)
    if 'fine' not in done.stdout or 'also' not in done.stdout or '0F2' not in done.stdout:
        yield done.stdout
    if done.stderr.count('bad.fmt: line 2') != 1 or '1 template skipped' not in done.stderr:
        yield done.stderr
    trcrpt('-c', '-t', templates, status=1)


def metadata_are_not_shown():
    log = written('meta.trc', STREAM + event(0x003, 1, 1, sub=3) + event(0x00a, 2, 1, sub=1) + on(5) + event(0x200, 9, 1))
    shown = [line[0] for line in lines_of(trcrpt('-h', log).stdout)]
    if shown != ['001', '200']:
        yield shown
    shown = [line[0] for line in lines_of(trcrpt('-h', '-d', '00A,200', log).stdout)]
    if shown != ['00A', '200']:
        yield f'-d: {shown}'
    rows = trcrpt('--json', log).stdout.count('\n')
    if rows != 4:
        yield f'{rows} rows of JSON'


def sizes_of_generic_entries_are_detected():
    for counts_word in False, True:
        for length in 5, 8, 16, 23:
            events = [on(0)]
            for i in range(50):
                events.append(generic(0x0f1, 100 + i, 0x1122334455667788, bytes(range(65, 65 + length)), counts_word))
                events.append(event(0x0f2, 200 + i, i))
            log = written('generic.trc', STREAM + b''.join(events))
            templates = written('generic.fmt', '0F1 1.0 "buffer" D8\n0F2 1.0 "plain" D8\n')
            text = trcrpt('-h', '-t', templates, log).stdout
            if text.count('buffer') != 50 or text.count('plain') != 50:
                yield f'word counted {counts_word}, {length} bytes: {text.count("buffer")} and {text.count("plain")}'


def values_of_cases_are_expansions():
    log = written('case.trc', STREAM + on(0) + b''.join(event(0x0f1, 9, 5, sub=sub) for sub in (0xa000, 0xb000, 0x8001)))
    templates = written('case.fmt', '0F1 1.0 "is" B0.4, 1010 "ten", 1011 "eleven", 8 "eight", \\* "other"\n')
    text = trcrpt('-h', '-t', templates, log).stdout
    if re.findall('is(ten|eleven|eight|other)', text) != ['ten', 'eleven', 'eight']:
        yield text
    never = written('never.fmt', '0F1 1.0 X1, 100 "x", FF "y"\n0F2 1.0 B0.4, 1F "z", 0101 "v"\n')
    done = trcrpt('-c', '-t', never)
    if done.stderr.count('T17') != 2 or 'never matches' not in done.stderr:
        yield done.stderr
    old = written('old.fmt', '0F1 1.0 "id" $TRACEID, 0F1 "three", \\* "other"\n')
    if 'idthree' not in trcrpt('-h', '-t', old, log).stdout:
        yield 'a hook id of three digits'


def foreign_and_invalid_inputs_are_named():
    unknown = written('unknown.trc', struct.pack('>I', 0xEFDF1115) + bytes(100))
    swapped = written('swapped.trc', struct.pack('<I', 0xEFDF1113) + bytes(100))
    for path, expected in (unknown, 'AIX trace of an unknown version'), (swapped, 'AIX trace with the bytes'):
        done = subprocess.run([PROGRAM, 'info', path], capture_output=True, text=True, check=False)
        if done.returncode != 2 or expected not in done.stderr:
            yield done
    log = written('names.trc', STREAM + on(0))
    done = trcrpt('-n', written('no.names', 'no names here\n'), log, status=2)
    if 'no.names' not in done.stderr:
        yield done.stderr
    trcrpt('-O', 'exec=on, pid=on', log)


def hook_words_are_those_of_the_file():
    templates = written('words.trcfmt', '200 1.0 "word=" G0 X8\n')
    for counts_word in (False, True):
        entries = [generic(0x200, 100 + i, i, b'12345678' * (i + 1), counts_word) for i in range(6)]
        log = written('words.trc', STREAM + on(50) + b''.join(entries))
        shown = re.findall('word=(\\w+)', trcrpt('-t', templates, log).stdout)
        expected = [entry[:8].hex().upper() for entry in entries]
        if shown != expected:
            yield f'{counts_word}: {shown}, expected {expected}'


def built_in_templates_share_one_dump():
    source = open(os.path.join(os.environ['POLYTRACE_ROOT'], 'src', 'trcfmt', 'lang', 'default.trcfmt')).read()
    if source.count('"data="') != 1:
        yield f'{source.count("data=")} dumps'
    labels = dict(re.findall(r'^(\w{3}) 1\.0 L=\w+ "([^"@]*)" \$DEFAULT$', source, re.M))
    if len(labels) < 60:
        yield f'{len(labels)} templates'
    words = 0x1122334455667788, 0x99AABBCCDDEEFF00
    data = ' '.join(f'{word:016X}' for word in words)
    log = written('dump.trc', STREAM + on(0) + b''.join(
        event(int(hook, 16), 100 + i, *words[:i % 3], sub=0xAB) for i, hook in enumerate(labels)))
    shown = trcrpt('-h', '-O', 'timestamp=3', log).stdout
    for i, (hook, label) in enumerate(labels.items()):
        expected = f'{label} hd=00AB' + (' data=' + data[:17 * (i % 3) - 1] if i % 3 else '')
        if not re.search(rf'^{hook}\b.* {re.escape(expected)}$', shown, re.M):
            yield f'{hook}: expected {expected}'
    tail = written('tail.trc', STREAM + on(0) + generic(0x0f0, 9, 5, b'abcdefghijk', True, sub=1))
    if not trcrpt('-h', tail).stdout.endswith('USERF hd=0001 data=0000000000000005 6162636465666768 69 6A 6B\n'):
        yield trcrpt('-h', tail).stdout


def warnings_of_templates_are_counted():
    log = written('warned.trc', STREAM + on(0) + event(0x0f1, 9, 5))
    for text, count in ('0F1 1.0 $nosuch X2\n', 1), ('0F1 1.0 $a $b\n0F1 1.0 X2\n', 3), ('0F1 1.0 X2\n', 0):
        templates = written('warned.fmt', text)
        done = trcrpt('-h', '-t', templates, log)
        number = re.search(r"(\d+) warnings?; option '-c' prints (it|them)", done.stderr)
        listed = trcrpt('-c', '-t', templates).stderr.count('warning T')
        if count != listed or count != (int(number[1]) if number else 0):
            yield f'{text}: {listed} warnings, {done.stderr}'


def numbers_of_macros_are_hexadecimal():
    log = written('macro.trc', STREAM + on(0) + event(0x0f1, 9, 5, tid=55))
    lines = '\\n '.join(f'"line" $RELLINENO $RELLINENO%U4' for _ in range(12))
    templates = written('macro.fmt', f'0F1 1.0 "tid=" $TID $TID%U4 {lines}\n')
    shown = trcrpt('-h', '-t', templates, log).stdout
    if 'tid=0037 55' not in shown or 'line000A 10' not in shown:
        yield shown


def safe_csv_has_no_formulas():
    log = written('formula.trc', STREAM + on(0) + event(0x0f1, 9, 5))
    for text in '=1+1', '+1', '-1', '@SUM(1)', 'a=b', 'say, it':
        templates = written('formula.fmt', f'0F1 1.0 "@label" "{text}"\n')
        for safe in False, True:
            shown = trcrpt('--csv-safe' if safe else '--csv', '-t', templates, log).stdout
            row = list(csv.DictReader(shown.splitlines()))[-1]
            expected = "'" + text if safe and text[0] in '=+-@' else text
            if row['text'] != expected:
                yield f'{text}, safe {safe}: {row}'
    early = written('early.trc', STREAM + event(0x003, 1, 1, sub=3) + on(50))
    times = [row['elapsed'] for row in csv.DictReader(trcrpt('--csv-safe', early).stdout.splitlines())]
    if not times[0].startswith('-0'):
        yield f'numbers: {times}'


def timers_of_32_bits_have_one_rule():
    """Rows and reports have the same times, whether they wrap or go back."""
    def narrow(hook, time):
        return struct.pack('>HHII', hook << 4 | 9, 0, 7, time)
    chance = random.Random(5)
    for _ in range(20):
        times = [chance.randrange(1 << 32) for _ in range(20)]
        log = written('narrow.trc', b''.join(narrow(0x200 + i, time) for i, time in enumerate(times)))
        shown = [line[1] for line in lines_of(trcrpt('-h', '--from', 'aix', '-O', 'aix.form=raw32', log).stdout)]
        rows = subprocess.run([PROGRAM, 'view', '-f', 'aix', '-O', 'aix.form=raw32', '--csv', '-c', 'time', log],
                              capture_output=True, text=True, check=True).stdout.split()[1:]
        expected = [time - int(rows[0]) for time in map(int, rows)]
        if [round(float(time) * 1000000000) for time in shown] != expected:
            yield f'{shown}, expected {expected}'


tap.run([elapsed_time_counts_from_trace_on, the_date_may_follow_any_number_of_records,
         an_invalid_template_costs_its_hook, metadata_are_not_shown, sizes_of_generic_entries_are_detected,
         values_of_cases_are_expansions, foreign_and_invalid_inputs_are_named, hook_words_are_those_of_the_file,
         built_in_templates_share_one_dump, warnings_of_templates_are_counted, numbers_of_macros_are_hexadecimal,
         safe_csv_has_no_formulas, timers_of_32_bits_have_one_rule])
