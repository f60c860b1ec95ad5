#!/usr/bin/env python3
"""Ends writing commands by signals, as TAP: kills.py POLYTRACE

After a kill at a random moment an output has its old or its new content, no other file is left, except by SIGKILL
between the two calls that replace a file, and the signal is what ended the process. A loop of a shell ends by SIGINT.
A pipe without a reader ends what is written to standard output, not what also prints to standard error.
POLYTRACE_LONG=1 kills 4000 times instead of 90, or in a sample 18; POLYTRACE_SEED chooses the moments.
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
import dispositions  # noqa: E402
import needs  # noqa: E402

needs.libraries('xxhash', 'zstd')

PROGRAM = os.path.abspath(sys.argv[1])
DATA = os.path.join(os.environ['POLYTRACE_ROOT'], 'tests', 'data')
SAMPLE = int(os.environ.get('POLYTRACE_SAMPLE', '1'))
KILLS = 4000 if os.environ.get('POLYTRACE_LONG') else 90 if SAMPLE == 1 else 18
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
    whole = dispositions.has_unnamed_files(folder)
    if any('out.' not in name or whole and content(folder, name) not in new.values() for name in left):
        faults.append(f'{left} is not a complete output')
    # A process that ended is not caught.
    if status not in (0, -sent):
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


def kills_leave_the_old_or_the_new_output(folder):
    sample = os.path.join(DATA, 'amber', 'memset_thread_001.tt6e')
    trace, packed = os.path.join(folder, 'in.tt6e'), os.path.join(folder, 'in.ptz')
    subprocess.run([PROGRAM, 'join', *[sample] * 16, '-o', trace], check=True, stderr=subprocess.DEVNULL)
    subprocess.run([PROGRAM, 'pack', '-o', packed, trace], check=True, stderr=subprocess.DEVNULL)
    shutil.copy(os.path.join(DATA, 'aix', 'base.trc'), os.path.join(folder, 'in.trc'))
    work = os.path.join(folder, 'work')
    os.mkdir(work)
    for command in COMMANDS:
        inputs = [os.path.join(folder, name) for name in command[1]]
        counts, faults = kill_at_random(command, inputs, work, KILLS // len(COMMANDS))
        print(f'# {command[0]}: {counts[0]} old and {counts[1]} new outputs')
        yield from (f'{command[0]}: {fault}' for fault in faults)


def a_loop_of_a_shell_ends_by_sigint(folder):
    fifo = os.path.join(folder, 'fifo')
    os.mkfifo(fifo)
    script = 'for i in 1 2 3; do echo $i >>begun; "$0" convert -f cis501 - -o out.jsonl <fifo; done; echo after >>begun'
    with subprocess.Popen(['bash', '-c', script, PROGRAM], cwd=folder, stderr=subprocess.PIPE,
                          start_new_session=True) as shell:
        with open(fifo, 'wb') as feed, open(os.path.join(DATA, 'cis501', 'sort_1k.trace'), 'rb') as trace:
            feed.write(trace.read())
            feed.flush()
            dispositions.wait_for_output(dispositions.child_of(shell.pid), folder)
            os.killpg(shell.pid, signal.SIGINT)
        try:
            _, error = shell.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            os.killpg(shell.pid, signal.SIGKILL)
            _, error = shell.communicate()
    if shell.returncode != -signal.SIGINT or content(folder, 'begun') != b'1\n' or b'partial' not in error:
        yield f'{shell.returncode} {content(folder, "begun")} {error}'
    if sorted(os.listdir(folder)) != ['begun', 'fifo']:
        yield os.listdir(folder)


def without_reader(folder, *arguments, **pipes):
    """Runs a command with a pipe without a reader, as 'stderr', 'stdout' or both; status and what it printed."""
    reading, writing = os.pipe()
    os.close(reading)
    streams = {'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE, **dict.fromkeys(pipes, writing)}
    done = subprocess.run([PROGRAM, *arguments], cwd=folder, check=False, **streams)
    os.close(writing)
    return done


def messages_without_a_reader_are_no_failure(folder):
    trace = os.path.join(DATA, 'cis501', 'sort_1k.trace')
    reported = subprocess.run([PROGRAM, 'convert', trace, '-o', 'out.din'], cwd=folder, capture_output=True, check=True)
    if not reported.stderr:
        yield 'the conversion reports nothing'
    for pipes in {'stderr': 1}, {'stderr': 1, 'stdout': 1}:
        done = without_reader(folder, 'convert', trace, '-o', 'new.din', '--force', **pipes)
        if done.returncode or content(folder, 'new.din') != content(folder, 'out.din') or len(os.listdir(folder)) != 2:
            yield f'{pipes}: {done} {os.listdir(folder)}'
    done = without_reader(folder, 'convert', 'absent', '-o', 'new.din', '--force', stderr=1)
    if done.returncode != 2:
        yield f'an error without a reader: {done}'


def a_closed_pipe_of_standard_output_ends_quietly(folder):
    trace = os.path.join(DATA, 'cis501', 'sort_1k.trace')
    for arguments in (['view', trace], ['stats', trace], ['convert', '-t', 'jsonl', '-o', '-', trace],
                      ['sim', 'pipeline', '--konata', 'konata.log', '--force', trace]):
        done = without_reader(folder, *arguments, stdout=1)
        if done.returncode != -signal.SIGPIPE or b'ipe' in done.stderr or set(os.listdir(folder)) - {'konata.log'}:
            yield f'{arguments}: {done} {os.listdir(folder)}'


TESTS = [kills_leave_the_old_or_the_new_output, a_loop_of_a_shell_ends_by_sigint,
         messages_without_a_reader_are_no_failure, a_closed_pipe_of_standard_output_ends_quietly]
print(f'1..{len(TESTS)}')
for index, test in enumerate(TESTS, 1):
    with tempfile.TemporaryDirectory() as top:
        faults = list(test(top))
    print(*(f'# {fault}\n' for fault in faults[:10]), sep='', end='')
    print(f'{"not " if faults else ""}ok {index} - {test.__name__}', flush=True)
