#!/usr/bin/env python3
"""The command built for a processor whose sizes have 32 bits, with every warning an error, against this build, as TAP.

    portability.py POLYTRACE MESON
"""
import os
import platform
import shutil
import subprocess
import sys
import tempfile

ROOT = os.environ['POLYTRACE_ROOT']
sys.path[:0] = [os.path.join(ROOT, 'tests'), os.path.join(ROOT, 'tests', 'cli')]
import needs  # noqa: E402
import tap  # noqa: E402

PROGRAM, MESON = os.path.abspath(sys.argv[1]), sys.argv[2]
TARGET = 'i686-linux-gnu'
RUNNER = [] if platform.machine() == 'x86_64' else ['qemu-i386']
# What these samples contain needs no optional library.
SAMPLES = {'tt6': 'amber/thread_001.tt6', 'lackey': 'lackey/words.lackey', 'aix': 'aix/raw64.trc'}
COMMANDS = (['view', '--json'], ['stats', '--all'], ['convert', '-t', 'csv', '-o', '-'], ['check'],
            ['view', '--json', f'--max-line={2 ** 32 + 1}'])
# Without shared libraries of the target, which may not be installed.
OPTIONS = ['-Dauto_features=disabled', '-Dtests=disabled', '-Doptimization=0', '-Ddebug=false', '-Dwerror=true',
           '-Db_pie=false', '-Dc_link_args=-static']


def run(*arguments):
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f'{" ".join(arguments)}: status {done.returncode}: {done.stdout[-2000:]}{done.stderr}')


def built(folder):
    """The command built for the target."""
    cached = ['ccache'] if shutil.which('ccache') else []
    cross, build = os.path.join(folder, 'cross'), os.path.join(folder, 'build')
    with open(cross, 'w') as file:
        print(f"[binaries]\nc = {cached + [TARGET + '-gcc']}\nar = '{TARGET}-ar'\nstrip = '{TARGET}-strip'\n"
              f"[host_machine]\nsystem = 'linux'\ncpu_family = 'x86'\ncpu = 'i686'\nendian = 'little'", file=file)
    run(MESON, 'setup', build, ROOT, '--cross-file', cross, *OPTIONS)
    run(MESON, 'compile', '-C', build, 'src/polytrace:executable')
    return os.path.join(build, 'src', 'polytrace')


def outputs(program, form, command):
    done = subprocess.run([*program, *command, '--from', form, SAMPLES[form]], capture_output=True,
                          cwd=os.path.join(ROOT, 'tests', 'data'), stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def outputs_do_not_depend_on_the_size_of_words():
    with tempfile.TemporaryDirectory() as folder:
        program = built(folder)
        for form in SAMPLES:
            for command in COMMANDS:
                theirs, ours = outputs([*RUNNER, program], form, command), outputs([PROGRAM], form, command)
                if theirs != ours or ours[0]:
                    lines = zip(*(b'\n'.join(output[1:]).splitlines() for output in (theirs, ours)))
                    different = next(((a, b) for a, b in lines if a != b), '')
                    yield f'{SAMPLES[form]}: {command}: status {theirs[0]} and {ours[0]}, {different}'


test, lacking = outputs_do_not_depend_on_the_size_of_words, needs.lacking(TARGET + '-gcc', *RUNNER)
tap.run([test], {test.__name__: lacking} if lacking else None)
