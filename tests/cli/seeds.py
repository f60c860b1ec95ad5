#!/usr/bin/env python3
"""No output depends on the random seeds of hash tables, and no file slows them, as TAP.

    seeds.py POLYTRACE

Each run draws new seeds, so outputs of several runs are compared: of samples, and of files whose
numbers have one place in a table that multiplies them by a known number. Time is not measured;
tests/unit/base/test_map.c counts what a search reads.
"""
import os
import subprocess
import sys
import tempfile

ROOT = os.environ['POLYTRACE_ROOT']
sys.path.insert(0, os.path.join(ROOT, 'tests'))
import needs  # noqa: E402
import sampling  # noqa: E402

DATA = os.path.join(ROOT, 'tests', 'data')
PROGRAM = os.path.abspath(sys.argv[1])
RUNS = 4
LINES = 20000
# 2^64 divided by the golden ratio, a factor often used for hashing.
GOLDEN = 0x9e3779b97f4a7c15
INVERSE = pow(GOLDEN, -1, 1 << 64)
MASK = (1 << 64) - 1


def same_place_and_step(i):
    """Keys whose golden hashes have one place and one step in a table of 2^19 places."""
    high = (i >> 8 & 31) << 27 | 0x12345 << 8 | i & 255
    low = (high ^ 0x5a5a5) & 0x7ffff | (i >> 13 & 0x1fff) << 19
    return (high << 32 | low) * INVERSE & MASK


def same_upper_bits(i):
    """Lines of 64 bytes whose golden hashes have the same upper bits."""
    return (i * INVERSE & MASK) << 6 & MASK


def bit_reversed(i):
    return int(f'{i:064b}'[::-1], 2)


SETS = (same_place_and_step, same_upper_bits, bit_reversed)


def collide(folder):
    """Writes a trace of each set in both formats; returns their paths and formats."""
    paths = []
    for number in SETS:
        for form, line in (('din', '0 {:x}\n'), ('lackey', 'I  {:016x},4\n')):
            path = os.path.join(folder, number.__name__ + '.' + form)
            with open(path, 'w') as out:
                out.writelines(line.format(number(i)) for i in range(LINES))
            paths.append((path, form))
    return paths


def sample(name, form):
    return os.path.join(DATA, name), form


def outputs(arguments):
    """The distinct outputs of several runs."""
    return {(run.returncode, run.stdout, run.stderr)
            for run in (subprocess.run([PROGRAM, *arguments], capture_output=True,
                                       stdin=subprocess.DEVNULL) for _ in range(RUNS))}


def main():
    folder = tempfile.TemporaryDirectory()
    traces = collide(folder.name) + [
        sample('tt6/isamix.tt6e', 'tt6e'), sample('lackey/words.lackey', 'lackey')]
    commands = [('stats', '--all', '-f', form, path) for path, form in traces]
    commands += [('check', '-f', form, path) for path, form in traces]
    commands += [('sim', 'mrc', '-f', form, path) for path, form in traces]
    if not needs.without('xxhash', 'zstd'):
        commands += [('pack', '-f', form, '-o', '-', path) for path, form in traces]
    commands = sampling.some(commands)
    print(f'1..{len(commands)}')
    failed = 0
    for i, command in enumerate(commands):
        found = outputs(command)
        name = ' '.join((*command[:-1], os.path.basename(command[-1])))
        # A command that fails compares nothing; findings have the code 1.
        bad = len(found) != 1 or any(code not in (0, 1) or not out for code, out, _ in found)
        failed += bad
        print(f'{"not ok" if bad else "ok"} {i + 1} - {name}')
        if bad:
            print('#', next(iter(found))[2].decode(errors='replace')[:200].replace('\n', ' '))
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
