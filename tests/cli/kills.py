#!/usr/bin/env python3
"""Kills writing commands at random moments, as TAP: kills.py POLYTRACE

After each kill an output has its old or its new content. No other file is left, except by SIGKILL, and each signal
except SIGINT ends the process by itself. POLYTRACE_LONG=1 kills 4000 times instead of 180, or under a sanitizer 36;
POLYTRACE_SEED chooses the moments.
"""
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.environ['POLYTRACE_ROOT'], 'tests'))
import dispositions  # noqa: E402,F401
import needs  # noqa: E402

needs.libraries('xxhash', 'zstd')

PROGRAM = os.path.abspath(sys.argv[1])
DATA = os.path.join(os.environ['POLYTRACE_ROOT'], 'tests', 'data')
SAMPLE = int(os.environ.get('POLYTRACE_SAMPLE', '1'))
KILLS = 4000 if os.environ.get('POLYTRACE_LONG') else 180 if SAMPLE == 1 else 36
SIGNALS = signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU, signal.SIGXFSZ, signal.SIGKILL
OLD = b'old content\n'
generator = random.Random(int(os.environ.get('POLYTRACE_SEED', '1')))

# Name, inputs, command, outputs.
COMMANDS = [
    ('convert', ['in.tt6e'], ['convert', '--force', 'in.tt6e', '-o', 'out.tt6'], ['out.tt6']),
    ('convert_compressed', ['in.tt6e'], ['convert', '--force', '-n', '20000', 'in.tt6e', '-o', 'out.jsonl.zst'],
     ['out.jsonl.zst']),
    ('pack', ['in.tt6e'], ['pack', '--force', '-o', 'out.ptz', 'in.tt6e'], ['out.ptz']),
    ('unpack', ['in.ptz'], ['unpack', '--force', '-o', 'out.tt6e', 'in.ptz'], ['out.tt6e']),
    ('join', ['in.tt6e'], ['join', '--force', 'in.tt6e', 'in.tt6e', '-o', 'out.tt6e'], ['out.tt6e']),
    ('report', ['in.tt6e'], ['report', '--force', '-o', 'out.html', 'in.tt6e'], ['out.html']),
    ('split', ['in.tt6e'], ['split', '--force', '--records', '100k', 'in.tt6e', '-o', 'out.tt6e'],
     [f'out.{i}.tt6e' for i in range(1, 10)]),
    ('merge', ['in.tt6e'], ['merge', '--force', 'in.tt6e', '-o', 'out.jsonl', '-c', 'pc'], ['out.jsonl']),
    ('trcrpt', ['in.trc'], ['trcrpt', '--force', '-o', 'out.txt', 'in.trc'], ['out.txt']),
]


def run(arguments, folder):
    return subprocess.Popen([PROGRAM, *arguments], cwd=folder, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def content(folder, name):
    with open(os.path.join(folder, name), 'rb') as file:
        return file.read()


def populate(inputs, folder, outputs):
    """Links the inputs into an empty folder, and gives each output an old content."""
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))
    for path in inputs:
        os.link(path, os.path.join(folder, os.path.basename(path)))
    for name in outputs:
        with open(os.path.join(folder, name), 'wb') as file:
            file.write(OLD)


def faults_of(folder, before, new, sent, status):
    """What a kill left that it must not, and how the process ended."""
    faults = [f'{name} has neither its old nor its new content' for name in new
              if name not in os.listdir(folder) or content(folder, name) not in (OLD, new[name])]
    left = sorted(set(os.listdir(folder)) - before)
    if left and sent != signal.SIGKILL:
        faults.append(f'{left} is left')
    if any('out.' not in name for name in left):
        faults.append(f'{left} does not name its output')
    # A process that ended, or that has not begun, is not caught.
    if status not in (0, -sent) and sent != signal.SIGINT:
        faults.append(f'status {status}')
    return faults


def kill_at_random(command, inputs, folder, kills):
    """Kills a command; returns the numbers of old and new outputs, and the faults."""
    _, _, arguments, outputs = command
    populate(inputs, folder, [])
    start = time.monotonic()
    assert run(arguments, folder).wait() == 0
    duration = time.monotonic() - start
    new = {name: content(folder, name) for name in outputs if name in os.listdir(folder)}
    counts, faults = [0, 0], []
    for _ in range(kills):
        populate(inputs, folder, new)
        before = set(os.listdir(folder))
        sent = generator.choice(SIGNALS)
        started = run(arguments, folder)
        time.sleep(generator.uniform(0, 1.1 * duration))
        started.send_signal(sent)
        found = faults_of(folder, before, new, sent, started.wait())
        faults += [f'{sent.name}: {fault}' for fault in found]
        for name in new if not found else ():
            counts[content(folder, name) != OLD] += 1
    return counts, faults


print(f'1..{len(COMMANDS)}')
with tempfile.TemporaryDirectory() as top:
    sample = os.path.join(DATA, 'amber', 'memset_thread_001.tt6e')
    trace, packed = os.path.join(top, 'in.tt6e'), os.path.join(top, 'in.ptz')
    subprocess.run([PROGRAM, 'join', *[sample] * 16, '-o', trace], check=True, stderr=subprocess.DEVNULL)
    subprocess.run([PROGRAM, 'pack', '-o', packed, trace], check=True, stderr=subprocess.DEVNULL)
    shutil.copy(os.path.join(DATA, 'aix', 'base.trc'), os.path.join(top, 'in.trc'))
    folder = os.path.join(top, 'work')
    os.mkdir(folder)
    for index, command in enumerate(COMMANDS, 1):
        inputs = [os.path.join(top, name) for name in command[1]]
        counts, faults = kill_at_random(command, inputs, folder, KILLS // len(COMMANDS))
        print(f'# {command[0]}: {counts[0]} old and {counts[1]} new outputs')
        print(*(f'# {fault}\n' for fault in faults[:10]), sep='', end='')
        print(f'{"not " if faults else ""}ok {index} - {command[0]}_leaves_the_old_or_the_new_output')
