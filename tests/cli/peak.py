#!/usr/bin/env python3
"""Peak memory does not grow with the input: peak.py POLYTRACE GENERATE
GENERATE_TEXT, as TAP.

Converts generated traces of 32 MB and 126 MB from a pipe and from a file to a file, merges two of
them with a report, and compares the peaks that the operating system reports. Packs lines that never
repeat, which need the most memory, and compares their packed size with that of zstd. Writes Parquet
of row groups of one size, and packed traces by several threads. Analyses a trace by 64 threads.
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import needs  # noqa: E402

POLYTRACE, GENERATE, GENERATE_TEXT = sys.argv[1:4]
LIMIT = 64 << 10  # KiB
# By which the peaks of two runs of one command may differ, as threads take turns: less than a byte for each row of
# the longer input.
NOISE = 8 << 10
# Of analyses by many threads, for each: the rings of the decoders, and blocks of rows.
THREADS, THREAD_LIMIT = 64, 20 << 10
# Of packing: two segments on trial and their streams.
PACKING_LIMIT = 320 << 10


def peak(command, **streams):
    """Peak resident size of a command in KiB, and its exit status."""
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=[
        (os.POSIX_SPAWN_DUP2, stream.fileno(), number)
        for number, stream in ((0, streams.get('stdin')), (1, streams.get('stdout'))) if stream])
    _, status, usage = os.wait4(pid, 0)
    return usage.ru_maxrss, os.waitstatus_to_exitcode(status)


def generated(kind, records, folder, generator=GENERATE):
    """A generated trace."""
    source = os.path.join(folder, f'{kind}.{records}')
    if not os.path.exists(source):
        with open(source, 'wb') as to:
            subprocess.run([generator, kind, str(records)], stdout=to, check=True)
    return source


def merge(records, folder):
    """Merges a generated trace with itself, in short turns, and reports on it; its peak."""
    source = generated('tt6e', records, folder)
    with open(os.path.join(folder, 'report'), 'wb') as to:
        return peak([POLYTRACE, 'merge', '--report', '-q', '100', source, source], stdout=to)


def convert(kind, records, piped, folder, ending=None, *options):
    """Converts a generated trace; its peak."""
    source = generated(kind, records, folder)
    target = os.path.join(folder, 'out.' + (ending or kind))
    if not piped:
        return peak([POLYTRACE, 'convert', '--force', *options, source, '-o', target])
    with subprocess.Popen(['cat', source], stdout=subprocess.PIPE) as cat:
        return peak([POLYTRACE, 'convert', '--force', '-', '-o', target], stdin=cat.stdout)


def pack(lines, folder):
    """Packs a trace that does not repeat; its peak, its packed size and the trace."""
    source = generated('hostile', lines, folder, GENERATE_TEXT)
    target = os.path.join(folder, 'out.ptz')
    peaked = peak([POLYTRACE, 'pack', '--force', '--no-verify', '-o', target, source])
    return peaked, os.path.getsize(target) if peaked[1] == 0 else 0, source


def report_packing(number, folder):
    name = 'packing_lines_that_never_repeat_needs_bounded_memory_and_bytes'
    lacking = needs.lacking('zstd')
    if {'zstd', 'xxhash'} & set(os.environ.get('POLYTRACE_LACKS', '').split()) or lacking:
        print(f'ok {number} - {name} # SKIP {lacking or "the build lacks zstd or xxhash"}')
        return
    (small, _, source), (large, size, longer) = pack(1000000, folder), pack(3000000, folder)
    zstd_size = len(subprocess.run(['zstd', '-qc3', longer], stdout=subprocess.PIPE, check=True).stdout)
    good = small[1] == large[1] == 0 and large[0] < PACKING_LIMIT and size < 1.05 * zstd_size
    print(f'# {small[0]} KiB, three times as long: {large[0]} KiB; {size} bytes, zstd -3 {zstd_size}')
    print(('' if good else 'not ') + f'ok {number} - {name}', flush=True)
    os.remove(source)
    os.remove(longer)


def analyse(records, folder):
    """Analyses a generated trace by many threads; its peak."""
    with open(os.devnull, 'wb') as to:
        return peak([POLYTRACE, 'stats', f'--threads={THREADS}', generated('tt6e', records, folder)], stdout=to)


def report(number, name, peaks):
    good = all(status == 0 for _, status in peaks) and \
        peaks[1][0] < LIMIT and peaks[1][0] < peaks[0][0] + NOISE
    print(f'# {peaks[0][0]} KiB, longer: {peaks[1][0]} KiB')
    print(('' if good else 'not ') + f'ok {number} - {name}', flush=True)


SMALL, LARGE = 5000000, 20000000
print('1..9')
number = 0
with tempfile.TemporaryDirectory() as folder:
    for kind in ('tt6e', 'bach'):
        for piped in (False, True):
            number += 1
            report(number, f'memory_does_not_grow_with_a_{kind}_{"pipe" if piped else "file"}',
                   [convert(kind, records, piped, folder) for records in (SMALL, LARGE)])
    report(5, 'memory_does_not_grow_with_merged_instructions',
           [merge(records, folder) for records in (SMALL, LARGE)])
    name = 'memory_does_not_grow_with_the_rows_of_parquet'
    if 'zstd' in os.environ.get('POLYTRACE_LACKS', '').split():
        print(f'ok 6 - {name} # SKIP the build lacks zstd')
    else:
        report(6, name, [convert('tt6e', records, False, folder, 'parquet', '-Tparquet.rows=65536', '--threads=2')
                         for records in (SMALL, LARGE)])
    # Of eight threads; with all rows at a time it would be twice as much.
    name = 'packing_by_threads_needs_memory_for_a_segment_each'
    if {'zstd', 'xxhash'} & set(os.environ.get('POLYTRACE_LACKS', '').split()):
        print(f'ok 7 - {name} # SKIP the build lacks zstd or xxhash')
    else:
        size, status = convert('tt6e', SMALL, False, folder, 'ptz', '-Tptz.rows=16384', '--threads=8')
        print(f'# {size} KiB')
        print(('' if status == 0 and size < 4 * LIMIT else 'not ') + f'ok 7 - {name}')
    size, status = analyse(LARGE, folder)
    print(f'# {size} KiB')
    print(('' if status == 0 and size < THREADS * THREAD_LIMIT else 'not ') +
          f'ok 8 - analysing_by_{THREADS}_threads_needs_memory_for_blocks_of_rows', flush=True)
    # Last: a peak includes that of this process, which holds an output of zstd then.
    report_packing(9, folder)
