#!/usr/bin/env python3
"""Runs by mpirun: the outputs are those of one process, as TAP.

    ranks.py POLYTRACE mpi|none
"""
import contextlib
import os
import shutil
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


def a_rank_that_fails_is_reported():
    for arguments in (['--together', *FILES[:2], 'none.tt6'], [FILES[0], 'none.tt6']):
        failed = run(['stats', *arguments], 3)
        if failed.returncode != 2 or b'none.tt6: cannot open file' not in failed.stderr:
            yield f'{failed.returncode}: {failed.stderr.decode()}'
        if '--together' in arguments and failed.stdout:
            yield 'a report was printed'


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


def messages_of_a_sweep_are_printed_once():
    arguments = ['sim', 'cache', '--sweep=size=1k..4k', FILES[1], 'none.tt6']
    one, several = run(arguments), run(arguments, 3)
    lines = [line for line in several.stderr.splitlines() if line.startswith(b'polytrace:')]
    if (several.returncode, several.stdout, lines) != (2, one.stdout, one.stderr.splitlines()):
        yield f'{several.returncode}: {several.stderr.decode()}'


def a_share_that_fails_is_reported():
    with tempfile.TemporaryDirectory() as folder:
        # Rank 1 alone lacks the file.
        script = os.path.join(folder, 'rank')
        with open(script, 'w') as file:
            file.write(f'#!/bin/sh\ntest $OMPI_COMM_WORLD_RANK = 1 && cd /\nexec {PROGRAM} "$@"\n')
        os.chmod(script, 0o755)
        shutil.copy(FILES[0], os.path.join(folder, 'a.tt6e'))
        failed = subprocess.run(
            ['mpirun', '-n', '3', '--oversubscribe', script, 'sim', 'cache', '--sweep=size=1k..4k', 'a.tt6e'],
            capture_output=True, stdin=subprocess.DEVNULL, env=ENVIRONMENT, cwd=folder)
    if failed.returncode != 2 or failed.stdout or b'a.tt6e: cannot open file' not in failed.stderr or \
            b'a.tt6e: rank 1 of 3 has no results' not in failed.stderr:
        yield f'{failed.returncode}: {failed.stdout} {failed.stderr.decode()}'


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
         messages_of_a_sweep_are_printed_once, a_rank_that_fails_is_reported, a_share_that_fails_is_reported,
         a_rank_that_is_killed_leaves_no_report]
if sys.argv[2] == 'none' or needs.lacking('mpirun'):
    print(f'1..0 # SKIP {needs.lacking("mpirun") or "the build lacks mpi"}')
else:
    tap.run(TESTS)
