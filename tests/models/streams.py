"""Streams of accesses (kind, address, size, thread) to compare models on, and the driver."""
import gzip
import os
import random
import subprocess
import sys

ROOT = os.environ['POLYTRACE_ROOT']
sys.path.insert(0, os.path.join(ROOT, 'tests'))
from sampling import some  # noqa: E402

SHARED = os.environ.get('POLYTRACE_SHARED', os.path.join(ROOT, '..', 'shared'))
GCC = os.path.join(SHARED, 'data', 'public', 'cis501', 'gcc-1K.trace')


def uniform(seed, count, span, threads=1):
    """Anywhere, evenly."""
    rng = random.Random(seed)
    return [(rng.choice('rrrwf'), rng.randrange(span) & ~3, rng.choice([1, 2, 4, 8]),
             rng.randrange(threads)) for _ in range(count)]


def local(seed, count, threads=1):
    """Mostly near what came before, with loops and strides, over the whole of 64 bits."""
    rng = random.Random(seed)
    places, stream = [rng.getrandbits(64) & ~63 for _ in range(6)], []
    while len(stream) < count:
        at = rng.randrange(len(places))
        stride = rng.choice([0, 4, 8, 64, 128, -64, 4096])
        thread = rng.randrange(threads)
        for _ in range(rng.randrange(1, 40)):
            places[at] = (places[at] + stride) % 2 ** 64
            near = places[at] ^ (rng.randrange(256) & ~3)
            stream.append((rng.choice('rrrrwwf'), near, rng.choice([1, 4, 8]), thread))
        if rng.random() < 0.1:
            places[at] = rng.choice(places) ^ rng.randrange(1 << 14) & ~3
    return stream[:count]


def cis501(path):
    """The loads and stores of a trace of micro-operations, and a fetch before each of those."""
    stream = []
    with open(path) as lines:
        for line in lines:
            fields = line.split()
            stream.append(('f', int(fields[1], 16), 4, 0))
            if fields[7] in 'LS':
                stream.append(('r' if fields[7] == 'L' else 'w', int(fields[9], 16), 4, 0))
    return stream


def samples():
    """Real streams: those of the project, and the public one if it exists."""
    paths = [os.path.join(ROOT, 'tests', 'data', 'cis501', 'sort_1k.trace'), GCC]
    return [cis501(path) for path in paths if os.path.exists(path)]


def default_streams(threads=1):
    return [uniform(1, 3000, 1 << 12, threads), uniform(2, 2000, 1 << 16, threads),
            local(3, 4000, threads), local(4, 4000, threads), *samples()]


def drive(machine, stream, **settings):
    """The lines that the driver prints of a machine."""
    text = ''.join(f'{kind} {address:x} {size} {thread}\n'
                   for kind, address, size, thread in stream)
    words = [f'{key.replace("_", ".")}={value}' for key, value in settings.items()]
    done = subprocess.run([sys.argv[1], machine, *words], input=text, capture_output=True,
                          text=True)
    return done.stdout.splitlines() if done.returncode == 0 else ['failed: ' + done.stdout]


def first_difference(ours, theirs):
    """The first difference of two lists of lines, or None."""
    for place, (a, b) in enumerate(zip(ours, theirs)):
        if a != b:
            return f'line {place + 1}: "{a}", the model has "{b}"'
    if len(ours) != len(theirs):
        return f'{len(ours)} lines, the model has {len(theirs)}'
    return None


def report(checks):
    """Runs (name, function) as TAP; a function yields faults, or returns the reason to skip."""
    print(f'1..{len(checks)}')
    for number, (name, check) in enumerate(checks, 1):
        faults = check()
        if isinstance(faults, str):
            print(f'ok {number} - {name} # SKIP {faults}')
            continue
        faults = list(faults)[:10]
        for fault in faults:
            print('# ' + fault)
        print(f'{"not " if faults else ""}ok {number} - {name}', flush=True)
