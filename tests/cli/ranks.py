#!/usr/bin/env python3
"""Runs by mpirun: the outputs are those of one process, as TAP.

    ranks.py POLYTRACE mpi|none
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.environ['POLYTRACE_ROOT'], 'tests'))
import tap  # noqa: E402

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
    yield from compare(['sim', 'cache', '--sweep=size=1k..8k', FILES[0]], 3)


def a_rank_that_fails_is_reported():
    for arguments in (['--together', *FILES[:2], 'none.tt6'], [FILES[0], 'none.tt6']):
        failed = run(['stats', *arguments], 3)
        if failed.returncode != 2 or b'none.tt6: cannot open file' not in failed.stderr:
            yield f'{failed.returncode}: {failed.stderr.decode()}'
        if '--together' in arguments and failed.stdout:
            yield 'a report was printed'


def a_rank_that_is_killed_leaves_no_report():
    with tempfile.TemporaryDirectory() as folder:
        pipe = os.path.join(folder, 'trace')
        os.mkfifo(pipe)
        # Rank 1 waits for the pipe.
        started = subprocess.Popen(
            ['mpirun', '-n', '2', '--oversubscribe', PROGRAM, 'sim', 'cache', '-f', 'din', os.devnull, pipe],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, env=ENVIRONMENT)
        victim = None
        for _ in range(200):
            listed = subprocess.run(['pgrep', '-f', f'^{PROGRAM} sim cache .*{pipe}'], capture_output=True, text=True)
            for number in listed.stdout.split():
                try:
                    words = open(f'/proc/{number}/environ', 'rb').read().split(b'\0')
                except OSError:
                    continue
                if b'OMPI_COMM_WORLD_RANK=1' in words:
                    victim = int(number)
            if victim:
                break
            time.sleep(0.05)
        if victim:
            os.kill(victim, signal.SIGKILL)
        try:
            out, error = started.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            # mpirun has ended the ranks, and may deadlock when it ends itself.
            started.kill()
            out, error = started.communicate()
        if not victim or not started.returncode or not error:
            yield f'{victim}: {started.returncode}: {error.decode()}'
        if b'Miss ratio' in out:
            yield 'a report was printed'


TESTS = [analyses_of_a_packed_trace_are_those_of_one_process, analyses_of_files_are_those_of_one_process,
         simulations_of_files_are_those_of_one_process, a_rank_that_fails_is_reported,
         a_rank_that_is_killed_leaves_no_report]
if sys.argv[2] == 'none' or not shutil.which('mpirun'):
    print('1..0 # SKIP no mpirun, or a build without MPI')
else:
    tap.run(TESTS)
