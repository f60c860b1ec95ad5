#!/usr/bin/env python3
"""Every command on packed samples, of several segments each, against the samples, as TAP.

    packing.py POLYTRACE
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.environ['POLYTRACE_ROOT']
sys.path.insert(0, os.path.join(ROOT, 'tests'))
import sampling

DATA = os.path.join(ROOT, 'tests', 'data')
PROGRAM = os.path.abspath(sys.argv[1])
WRITABLE = sampling.writable(PROGRAM)
LACKS = os.environ.get('POLYTRACE_LACKS', '').split()
ROWS = 61
MAGIC = bytes.fromhex('8950545a0d0a1a0a')
SYMBOLS = '0000000000000000 T low\n0000000000001000 T page\n0000000000401000 T high\n'
# Commands with one input, which replaces 'IN'.
SINGLE = ['view IN', 'view --json IN', 'view --csv IN', 'view --range 60-130 --csv IN',
          'view --tail 70 --csv IN', 'view --csv --symbols SYMBOLS -w pc>=page IN',
          'view --csv --start-at row==70 --every 3 IN', 'stats IN', 'stats --all --symbols SYMBOLS IN',
          'calls --style list --symbols SYMBOLS IN', 'calls IN', 'state IN', 'state --at 70 IN',
          'who --reg r1 IN', 'who --addr page --symbols SYMBOLS IN', 'sim cache IN', 'sim branch IN',
          'sim tlb IN', 'report -o - IN', 'report --all -o - IN', 'join IN IN -o -',
          'diff IN IN', 'diff --skip-a 3 --all IN IN', 'merge --schedule IN', 'merge --report IN',
          'split --records 60 IN -o part.x', 'split --by kind IN -o part.x', 'trcrpt IN']
# Commands of formats with tools of their own.
OWN = {'cis501': ['sim --course penn hw1 IN', 'sim --course penn hw3 IN', 'sim --course wustl hw2a IN',
                  'info --style native IN'],
       'bach': ['view --style native IN'], 'tt6e': ['merge --schedule IN IN']}
# Lines around facts and findings, which one of the outputs may lack.
FRAMES = re.compile(rb'^(</?(div|section|tbody|table)[^>]*>)*\n|^.*(>Metadata<|>Key<).*\n', re.M)
# The name of a record that was defined too late for the head is not preserved.
LATE = ['jsonl/cut.jsonl']
# Output about an input besides its records.
OF_FILE = re.compile(rb'<dt>(Format|Description|Detected by|File size [(]bytes[)]|Bytes read|Decompressed size [(]bytes[)]|'
                     rb'Errors|Warnings|Notes|Byte order|Corrupt)</dt>|^ *Corrupt +yes$|>Diagnostics<|>ptz[.]format<')


def polytrace(folder, *arguments, **options):
    return subprocess.run([PROGRAM, *arguments], cwd=folder, capture_output=True, **options)


def unpacked(data, folder):
    """The bytes that were packed, at their original path."""
    return polytrace(folder, 'unpack', '-o', '-', '-', input=data).stdout if data.startswith(MAGIC) else data


def run(folder, command, words, form):
    """What a command does in a folder: its exit status, output, messages and files, but for what is
    about the input's own bytes."""
    name, *rest = command.split()
    before = set(os.listdir(folder))
    done = polytrace(folder, name, *words, *rest, stdin=subprocess.DEVNULL)
    files = {}
    for file in set(os.listdir(folder)) - before:
        path = os.path.join(folder, file)
        files[file] = unpacked(open(path, 'rb').read(), folder)
        os.remove(path)
    if name in ('join', 'split'):
        return done.returncode, unpacked(done.stdout, folder), files
    out = done.stdout
    if name == 'report':
        out = re.sub(rb'<h3>Diagnostics.*?</section>', b'', out, flags=re.S)
        out = re.sub(rb'table-[0-9]+', b'table', FRAMES.sub(b'', out))
    out = b'\n'.join(line for line in out.split(b'\n') if not OF_FILE.search(line))
    out = out.replace(b'"corrupt": true, ', b'')
    out = re.sub(rb'"ptz.format":"[^"]*",?', b'', out).replace(b',"facts":{}', b'')
    # Column widths depend on the first rows.
    out = re.sub(rb' +', b' ', re.sub(rb'\bptz\b', form.encode(), out)).split(b'\n')
    err = re.sub(rb'\bptz\b', form.encode(), done.stderr)
    err = [line for line in err.split(b'\n') if not re.search(rb': (warning|error) [A-Z]+[0-9]', line)]
    return done.returncode, out, err


def commands_for(form):
    """The commands that are tried on a format."""
    for command in SINGLE:
        name = command.split()[0]
        if name in ('join', 'split') and form not in WRITABLE:
            continue
        if (name == 'trcrpt') <= (form == 'aix'):
            yield command
    yield from OWN.get(form, [])


def faults(form, path, option, commands, useful):
    """What differs between a sample and its packed form; commands that did not fail are useful."""
    how = ['--from', form, *(['-O', option] if option else [])]
    # What is skipped in a log is an error unless it is accepted; its packed form has no findings.
    how += ['--partial'] * path.endswith(('damaged1112.trc', 'damaged32.trc', 'damaged64.trc'))
    file = os.path.basename(path)
    folder = tempfile.TemporaryDirectory()
    plain, packed = (os.path.join(folder.name, kind) for kind in ('plain', 'packed'))
    for place in (plain, packed):
        os.mkdir(place)
        with open(os.path.join(place, 'SYMBOLS'), 'w') as symbols:
            symbols.write(SYMBOLS)
    shutil.copy(path, plain)
    words = [*how, file, '-o', os.path.join(packed, file)]
    done = polytrace(plain, 'convert', '-t', 'ptz', '-T', f'ptz.rows={ROWS}', *words, stdin=subprocess.DEVNULL)
    # What is converted has no corrupt bytes; what is packed has them.
    if done.returncode or '--partial' in how:
        polytrace(plain, 'pack', '--force', *words, stdin=subprocess.DEVNULL)
    for command in commands:
        # Of a log that is repaired, and of a part of an archive, other references to later records are written.
        if command.split()[0] in ('join', 'split') and ('--partial' in how or form == 'oraclegeneral'):
            continue
        text, command = command, command.replace('IN', file)
        expected, found = run(plain, command, how, form), run(packed, command, [], form)
        useful.update([text] * (expected[0] < 2))
        for one, other in zip(expected, found):
            if one == other:
                continue
            if isinstance(one, list):
                place = next((i for i, pair in enumerate(zip(one, other)) if pair[0] != pair[1]),
                             min(len(one), len(other)))
                one, other = one[place:place + 1], other[place:place + 1]
            yield f'{command}: {str(other)[:200]}, expected {str(one)[:200]}'


def main():
    if {'xxhash', 'zstd'} & set(LACKS):
        print('1..0 # SKIP xxHash or Zstandard is missing')
        return
    number, useful = 0, set()
    for line in open(os.path.join(DATA, 'samples')):
        form, name, *option = line.split()
        if form in ('#', 'ptz') or name in LATE or form == 'jsonl' and 'jansson' in LACKS:
            continue
        commands = sampling.sampled(commands_for(form))
        if not commands:
            continue
        found = list(faults(form, os.path.join(DATA, name), ''.join(option), commands, useful))
        number += 1
        print(''.join(f'# {fault}\n' for fault in found), end='')
        print(f'{"not " if found else ""}ok {number} - a_packed_trace_is_as_good: {line.strip()}')
    # In a sample of the cases a command may not occur.
    idle = sampling.ONE_OF == 1 and {*SINGLE, *(command for commands in OWN.values() for command in commands)} - useful
    print(f'# {idle}\n' * bool(idle) + 'not ' * bool(idle) + f'ok {number + 1} - every_command_does_something')
    print(f'1..{number + 1}')


main()
