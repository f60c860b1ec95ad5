#!/usr/bin/env python3
"""Runs by mpirun: the outputs are those of one process, as TAP.

    ranks.py POLYTRACE mpi|none|sanitized
"""
import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.environ['POLYTRACE_ROOT'], 'tests'))
import tap  # noqa: E402
import needs  # noqa: E402

DATA = os.path.join(os.environ['POLYTRACE_ROOT'], 'tests', 'data')
PROGRAM = os.path.abspath(sys.argv[1])
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT='1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1')
FILES = [os.path.join(DATA, name) for name in (
    'tt6/isamix.tt6e', 'lackey/words.lackey', 'tt6/thread_002.tt6e', 'tt6/altivec.tt6e')]


def run(arguments, ranks=None):
    launcher = ['mpirun', '-n', str(ranks), '--oversubscribe'] if ranks else []
    return subprocess.run([*launcher, PROGRAM, *arguments], capture_output=True,
                          stdin=subprocess.DEVNULL, env=ENVIRONMENT)


def compare(arguments, ranks):
    one, several = run(arguments), run(arguments, ranks)
    if one.returncode or (several.returncode, several.stdout) != (one.returncode, one.stdout):
        yield f'{ranks} ranks: {" ".join(arguments)}: {several.returncode}: {several.stderr.decode()[:300]}'


def analyses_of_a_packed_trace_are_those_of_one_process():
    with tempfile.TemporaryDirectory() as folder:
        packed = os.path.join(folder, 'a.ptz')
        run(['pack', '-o', packed, FILES[0]])
        for ranks in (1, 3, 4):
            yield from compare(['stats', '--json', packed], ranks)
        yield from compare(['stats', '--all', packed], 4)


def analyses_of_files_are_those_of_one_process():
    for arguments in ([], ['--all'], ['--csv'], ['--together'], ['--side-by-side', '--json']):
        yield from compare(['stats', *arguments, *FILES], 4)


def simulations_of_files_are_those_of_one_process():
    for ranks in (1, 3):
        yield from compare(['sim', 'cache', *FILES], ranks)


def expect_failure(ended, message, ranks):
    """Yields a fault unless a run ended with status 2, one message of one of its ranks, and no report."""
    lines = [line for line in ended.stderr.decode().splitlines() if line.startswith('polytrace:')]
    origin = f'polytrace: rank [0-9]+ of {ranks} on {re.escape(os.uname().nodename)}: '
    if ended.returncode != 2 or len(lines) != 1 or not re.match(origin + re.escape(message), lines[0]):
        yield f'{ended.returncode}: expected {message}: {ended.stderr.decode()}'
    if ended.stdout:
        yield f'{message}: a report was printed: {ended.stdout.decode()[:200]}'


def a_rank_that_fails_ends_all():
    with tempfile.TemporaryDirectory() as folder:
        cut = os.path.join(folder, 'cut.tt6e')
        with open(cut, 'wb') as file:
            file.write(open(FILES[2], 'rb').read()[:-3])
        for name, error in (('none.tt6', 'cannot open file'), (cut, 'record ')):
            for arguments in (['stats', '--together', *FILES[::3], name],
                              ['stats', '--side-by-side', name, *FILES[::3]],
                              ['sim', 'cache', '--sweep=size=1k..4k', name]):
                yield from expect_failure(run(arguments, 3), f'{name}: {error}', 3)


def options_that_are_not_valid_are_reported_once():
    yield from expect_failure(run(['stats', '--bogus', FILES[0]], 3), "stats: unknown option '--bogus'", 3)
    yield from expect_failure(run(['sim', 'cache', '-O', 'line=3', FILES[0]], 3), '-O line=3: ', 3)


def saved_results_are_reported_once():
    with tempfile.TemporaryDirectory() as folder:
        saved = os.path.join(folder, 'a.pst')
        yield from compare(['stats', '--list'], 2)
        run(['stats', '--save', saved, FILES[0]])
        yield from compare(['stats', saved], 2)


def sweeps_are_those_of_one_process():
    caches = ['cache', '--sweep=size=1k..8k,line=16,64,policy=lru,opt', '-O', 'causes=1', '-O', 'top=3']
    branches = ['branch', '--sweep=3..8:0..4', '-O', 'budget=8..10']
    pipelines = ['pipeline', '--sweep=model=inorder,ooo,width=1,2,4']
    yield from compare(['sim', *caches, FILES[0]], 1)
    yield from compare(['sim', *caches, '--json', *FILES[:2]], 4)
    yield from compare(['sim', 'cache', '--sweep=size=1k..8k', '--warmup=50', *FILES[:2]], 3)
    yield from compare(['sim', *branches, '--csv', '--table=sweep', FILES[0]], 3)
    yield from compare(['sim', *branches, FILES[0], FILES[2]], 4)
    yield from compare(['sim', *pipelines, '--json', FILES[0]], 3)
    # More ranks than machines; no machines; as many files as ranks.
    yield from compare(['sim', 'cache', '--sweep=size=1k..4k', FILES[1]], 4)
    yield from compare(['sim', 'levels', FILES[0]], 3)
    yield from compare(['sim', *pipelines, *FILES[::2]], 2)


def run_in_folders(folders, arguments):
    """Runs a rank in each folder; several lists of arguments: each rank has its own."""
    command = ['mpirun', '--oversubscribe']
    for i, folder in enumerate(folders):
        words = arguments[i] if isinstance(arguments[0], list) else arguments
        command += [':'] * (i > 0) + ['-n', '1', '--wdir', folder, PROGRAM, *words]
    return subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, env=ENVIRONMENT, timeout=30)


COMMANDS = (['stats'], ['stats', '--all'], ['sim', 'cache'], ['sim', 'cache', '--sweep=size=1k..4k'])


def a_rank_without_an_input_ends_all():
    with tempfile.TemporaryDirectory() as there, tempfile.TemporaryDirectory() as absent:
        run(['pack', '-o', os.path.join(there, 'a'), FILES[0]])
        for command in COMMANDS:
            for folders in ([there, there, absent], [absent, there]):
                yield from expect_failure(run_in_folders(folders, [*command, 'a']), 'a: cannot open file',
                                          len(folders))


def a_rank_with_another_input_ends_all():
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        data = bytearray(open(FILES[2], 'rb').read())
        with open(os.path.join(one, 'a'), 'wb') as file:
            file.write(data)
        # Of another size; or one bit in the middle differs.
        data[len(data) // 2] ^= 1
        for changed in (data[:-80], data):
            with open(os.path.join(other, 'a'), 'wb') as file:
                file.write(changed)
            for command in COMMANDS:
                ended = run_in_folders([one, one, other], [*command, 'a'])
                yield from expect_failure(ended, 'a: not the file of rank 0', 3)
                if f'found {len(changed)} bytes' not in ended.stderr.decode():
                    yield ended.stderr.decode()


def ranks_with_other_arguments_end():
    with tempfile.TemporaryDirectory() as folder:
        ended = run_in_folders([folder] * 2, [['stats', '-a', word, FILES[0]] for word in ('mix', 'totals')])
        yield from expect_failure(ended, 'not the arguments', 2)


def a_build_without_mpi_says_so_once():
    for size, number in (('OMPI_COMM_WORLD_SIZE', 'OMPI_COMM_WORLD_RANK'), ('PMI_SIZE', 'PMI_RANK')):
        messages = []
        for rank in ('0', '1'):
            ended = subprocess.run([PROGRAM, 'stats', FILES[0]], capture_output=True, text=True,
                                   env=dict(os.environ, **{size: '2', number: rank}))
            messages += ended.stderr.splitlines()
            if ended.returncode != 2 or ended.stdout:
                yield f'{size}: {ended.returncode}: {ended.stdout}'
        if len(messages) != 1 or 'the build lacks MPI' not in messages[0]:
            yield f'{size}: {messages}'
        alone = subprocess.run([PROGRAM, 'stats', FILES[0]], capture_output=True,
                               env=dict(os.environ, **{size: '1', number: '0'}))
        if alone.returncode or alone.stderr or not alone.stdout:
            yield f'{size}: one rank: {alone.returncode}: {alone.stderr}'


def find_ranks(pipe):
    """The processes that read a pipe, by rank."""
    found = {}
    listed = subprocess.run(['pgrep', '-f', f'^{PROGRAM} sim cache .*{pipe}'], capture_output=True, text=True)
    for number in listed.stdout.split():
        try:
            words = open(f'/proc/{number}/environ', 'rb').read().split(b'\0')
        except OSError:
            continue
        found.update((word, int(number)) for word in words if word.startswith(b'OMPI_COMM_WORLD_RANK='))
    return found


def kill_rank(folder, arguments):
    """Kills rank 1 of 2, which waits for a pipe."""
    pipe = os.path.join(folder, 'trace')
    started = subprocess.Popen(
        ['mpirun', '-n', '2', '--oversubscribe', PROGRAM, 'sim', 'cache', '-f', 'din', *arguments, pipe],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, env=ENVIRONMENT)
    deadline = time.monotonic() + 30
    ranks = {}
    while b'OMPI_COMM_WORLD_RANK=1' not in ranks and started.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
        ranks = find_ranks(pipe)
    victim = ranks.get(b'OMPI_COMM_WORLD_RANK=1')
    if victim:
        os.kill(victim, signal.SIGKILL)
    try:
        out, error = started.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        # mpirun may deadlock when it ends itself; what it left would hold its pipes.
        for process in (started.pid, *find_ranks(pipe).values()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        out, error = started.communicate(timeout=10)
        error = error or b'killed'
    if not victim or not started.returncode or not error:
        yield f'{victim}: {started.returncode}: {error.decode()}'
    if b'Miss ratio' in out:
        yield 'a report was printed'


def a_rank_that_is_killed_leaves_no_report():
    with tempfile.TemporaryDirectory() as folder:
        os.mkfifo(os.path.join(folder, 'trace'))
        for arguments in ([os.devnull], ['--sweep=size=1k..4k']):
            yield from kill_rank(folder, arguments)


TESTS = [analyses_of_a_packed_trace_are_those_of_one_process, analyses_of_files_are_those_of_one_process,
         simulations_of_files_are_those_of_one_process, sweeps_are_those_of_one_process,
         saved_results_are_reported_once, options_that_are_not_valid_are_reported_once, a_rank_that_fails_ends_all,
         a_rank_without_an_input_ends_all, a_rank_with_another_input_ends_all, ranks_with_other_arguments_end,
         a_rank_that_is_killed_leaves_no_report]
if sys.argv[2] == 'none':
    tap.run([a_build_without_mpi_says_so_once])
elif sys.argv[2] == 'sanitized' or needs.lacking('mpirun'):
    print(f'1..0 # SKIP {needs.lacking("mpirun") or "MPI leaks memory"}')
else:
    tap.run(TESTS)
