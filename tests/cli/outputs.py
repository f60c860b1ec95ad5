#!/usr/bin/env python3
"""Output files of all commands, as TAP: outputs.py POLYTRACE

Existing files are refused without --force, inputs are never outputs, partial pages replace nothing, concurrent updates
of templates are all applied, and signals that end a process leave no files.
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import tap
import dispositions
import needs

needs.libraries('xxhash', 'zstd')

PROGRAM = os.path.abspath(sys.argv[1])
DATA = os.path.join(os.environ['POLYTRACE_ROOT'], 'tests', 'data')
OLD = b'old content\n'
# By the output's name: the command, with {} for the name of its input, and the input.
COMMANDS = {
    'out.tt6': ('tt6/sort.tt6e', ['convert', '{}', '-o', 'out.tt6']),
    'all.tt6e': ('tt6/sort.tt6e', ['join', '{}', '-o', 'all.tt6e']),
    'merged.jsonl': ('tt6/sort.tt6e', ['merge', '{}', '-o', 'merged.jsonl']),
    'part.1.tt6e': ('tt6/sort.tt6e', ['split', '--records', '1M', '{}', '-o', 'part.tt6e']),
    'out.ptz': ('tt6/sort.tt6e', ['pack', '{}', '-o', 'out.ptz']),
    'in.ptz': ('tt6/sort.tt6e', ['pack', '{}']),
    'unpacked': ('ptz/sort_1k.ptz', ['unpack', '{}', '-o', 'unpacked']),
    'page.html': ('tt6/sort.tt6e', ['report', '{}', '-o', 'page.html']),
    'konata.log': ('cis501/sort_1k.trace', ['sim', 'pipeline', '--konata', 'konata.log', '{}']),
    'bbv': ('tt6/sort.tt6e', ['stats', '-O', 'phases.interval=50', '--bbv', 'bbv', '{}']),
    'report.txt': ('aix/base.trc', ['trcrpt', '-o', 'report.txt', '{}']),
}


def content(path):
    with open(path, 'rb') as file:
        return file.read()


def write(path, data):
    with open(path, 'wb') as file:
        file.write(data)


def polytrace(folder, *arguments, **more):
    return subprocess.run([PROGRAM, *arguments], cwd=folder, capture_output=True, check=False, **{
        'stdin': subprocess.DEVNULL, **more})


class Folder(tempfile.TemporaryDirectory):
    """A folder with a sample, whose name is returned."""

    def sample(self, name):
        copy = 'in' if not name.endswith('.ptz') else 'packed.ptz'
        shutil.copy(os.path.join(DATA, name), os.path.join(self.name, copy))
        return copy

    def path(self, name):
        return os.path.join(self.name, name)


def existing_files_are_refused_without_force():
    for output, (sample, words) in COMMANDS.items():
        folder = Folder()
        name = folder.sample(sample)
        words = [word.replace('{}', name) for word in words]
        write(folder.path(output), OLD)
        done = polytrace(folder.name, *words)
        if done.returncode != 2 or b'--force' not in done.stderr or content(folder.path(output)) != OLD:
            yield f'{words}: {done}'
        done = polytrace(folder.name, *words, '--force')
        if done.returncode or content(folder.path(output)) == OLD:
            yield f'{words} --force: {done}'
        if sorted(os.listdir(folder.name)) != sorted((name, output)):
            yield f'{words}: {os.listdir(folder.name)}'
        folder.cleanup()


def an_input_is_never_an_output():
    for output, (sample, words) in COMMANDS.items():
        if output == 'in.ptz':
            continue
        for way in 'name', 'hard link', 'symbolic link', 'standard input':
            folder = Folder()
            name = folder.sample(sample)
            before = content(folder.path(name))
            if way == 'hard link':
                os.link(folder.path(name), folder.path(output))
            elif way == 'symbolic link':
                os.symlink(name, folder.path(output))
            else:
                os.rename(folder.path(name), folder.path(output))
                name = output if way == 'name' else '-'
            arguments = [word.replace('{}', name) for word in words] + ['--force']
            with open(folder.path(output), 'rb') as standard:
                done = polytrace(folder.name, *arguments, stdin=standard)
            if done.returncode != 2 or content(folder.path(output)) != before:
                yield f'{way}: {arguments}: {done}'
            folder.cleanup()


def devices_and_pipes_are_written():
    for output, (sample, words) in COMMANDS.items():
        if output in ('in.ptz', 'part.1.tt6e'):
            continue
        folder = Folder()
        name = folder.sample(sample)
        arguments = ['/dev/null' if word == output else word.replace('{}', name) for word in words]
        if words[0] in ('convert', 'merge'):
            arguments += ['-t', 'jsonl']
        done = polytrace(folder.name, *arguments)
        if done.returncode:
            yield f'{arguments}: {done}'
        folder.cleanup()


def a_partial_page_replaces_no_other():
    folder = Folder()
    folder.sample('cis501/sort_1k.trace')
    write(folder.path('cut.trace'), content(folder.path('in'))[:20000])
    write(folder.path('page.html'), OLD)
    words = ['report', '--force', '-o', 'page.html', 'cut.trace']
    done = polytrace(folder.name, *words)
    if done.returncode != 2 or content(folder.path('page.html')) != OLD:
        yield f'{done}'
    done = polytrace(folder.name, *words, '--partial')
    if done.returncode or b'</html>' not in content(folder.path('page.html')):
        yield f'--partial: {done}'
    os.remove(folder.path('page.html'))
    done = polytrace(folder.name, *words)
    if done.returncode != 2 or b'Partial' not in content(folder.path('page.html')):
        yield f'new page: {done}'
    folder.cleanup()


def concurrent_updates_of_templates_are_all_applied():
    for _ in range(3):
        folder = Folder()
        write(folder.path('master'), b'010 1.0 "first"\n')
        for i in range(20):
            write(folder.path(f'c{i}.trc'), f'* /etc/trcfmt\n+ {0x100 + i:03x} 1.0 "added"\n'.encode())
        running = [subprocess.Popen([PROGRAM, 'trcupdate', '-t', 'master', f'c{i}'], cwd=folder.name) for i in range(20)]
        statuses = [one.wait() for one in running]
        text = content(folder.path('master'))
        found = sum(f'{0x100 + i:03X} 1.0'.encode() in text.upper() for i in range(20))
        if any(statuses) or found != 20:
            yield f'{found} of 20 updates, statuses {statuses}'
        folder.cleanup()


def an_undo_file_is_never_replaced():
    folder = Folder()
    write(folder.path('master'), b'010 1.0 "first"\n')
    write(folder.path('c.trc'), b'* /etc/trcfmt\n+ 010 2.0 "second"\n')
    first = polytrace(folder.name, 'trcupdate', '-t', 'master', 'c')
    updated, undo = content(folder.path('master')), content(folder.path('c.undo.trc'))
    again = polytrace(folder.name, 'trcupdate', '-t', 'master', 'c')
    if first.returncode or again.returncode != 2 or b'undo' not in again.stderr:
        yield f'{first} {again}'
    if content(folder.path('master')) != updated or content(folder.path('c.undo.trc')) != undo:
        yield 'a file has changed'
    back = polytrace(folder.name, 'trcupdate', '-o', '-t', 'master', 'c.undo')
    if back.returncode or content(folder.path('master')) != b'010 1.0 "first"\n':
        yield f'{back}: {content(folder.path("master"))}'
    folder.cleanup()


def a_limit_of_file_sizes_leaves_nothing():
    folder = Folder()
    shutil.copy(os.path.join(DATA, 'amber', 'memset_thread_001.tt6e'), folder.path('in'))
    done = subprocess.run(['sh', '-c', 'ulimit -f 100; exec "$@"', 'sh', PROGRAM, 'convert', '-t', 'jsonl', 'in', '-o', 'out'],
                          cwd=folder.name, capture_output=True, check=False)
    if done.returncode != -signal.SIGXFSZ or b'limit of file sizes' not in done.stderr or os.listdir(folder.name) != ['in']:
        yield f'{done} {os.listdir(folder.name)}'
    folder.cleanup()


def waiting(folder, *arguments, ignored=None):
    """A command that has read the start of its input, and waits for the rest."""
    def ignore():
        signal.signal(ignored, signal.SIG_IGN)
    started = subprocess.Popen([PROGRAM, *arguments], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, preexec_fn=ignore if ignored else None)
    started.stdin.write(content(os.path.join(DATA, 'cis501', 'sort_1k.trace')))
    started.stdin.flush()
    dispositions.wait_for_output(started.pid, folder)
    return started


def signals_end_a_command_that_waits_for_input():
    for number in signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU, signal.SIGINT, signal.SIGKILL:
        folder = Folder()
        started = waiting(folder.name, 'convert', '-f', 'cis501', '-', '-o', 'out.jsonl')
        started.send_signal(number)
        # The first SIGINT ends the work after what was read.
        if number == signal.SIGINT:
            started.stdin.close()
        status = started.wait(20)
        started.stdin.close()
        left = os.listdir(folder.name)
        if status != -number or left and (number != signal.SIGKILL or dispositions.has_unnamed_files(folder.name)):
            yield f'{number.name}: {status} {left}'
        folder.cleanup()


def a_signal_leaves_nothing_of_a_dataset():
    folder = Folder()
    started = subprocess.Popen([PROGRAM, 'convert', '-f', 'cis501', '-', '--to', 'csv', '--partition', 'access', '-o', 'set'],
                               cwd=folder.name, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    started.stdin.write(content(os.path.join(DATA, 'cis501', 'sort_1k.trace')) * 20)
    started.stdin.flush()
    for _ in range(1000):
        if os.path.exists(folder.path('set')) and len(os.listdir(folder.path('set'))) == 3:
            break
        time.sleep(0.01)
    else:
        yield 'the dataset has not begun'
    started.send_signal(signal.SIGTERM)
    status = started.wait(20)
    started.stdin.close()
    if status != -signal.SIGTERM or os.listdir(folder.name):
        yield f'{status} {os.listdir(folder.name)}'
    folder.cleanup()


def ignored_signals_stay_ignored():
    folder = Folder()
    started = waiting(folder.name, 'convert', '-f', 'cis501', '-', '-o', 'out.jsonl', ignored=signal.SIGHUP)
    started.send_signal(signal.SIGHUP)
    started.stdin.close()
    if started.wait(20) or os.listdir(folder.name) != ['out.jsonl']:
        yield f'{started.returncode} {os.listdir(folder.name)}'
    folder.cleanup()


def an_append_that_is_ended_leaves_the_packed_trace():
    folder = Folder()
    packed = folder.path('packed.ptz')
    polytrace(folder.name, 'pack', os.path.join(DATA, 'cis501', 'sort_1k.trace'), '-o', 'packed.ptz')
    before = content(packed)
    for number in signal.SIGTERM, signal.SIGINT:
        started = subprocess.Popen([PROGRAM, 'pack', '--from', 'cis501', '--append', 'packed.ptz'], cwd=folder.name,
                                   stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        started.stdin.write(content(os.path.join(DATA, 'cis501', 'sort_1k.trace')))
        started.stdin.flush()
        for _ in range(1000):
            if content(packed) != before:
                break
            time.sleep(0.01)
        else:
            yield f'{number.name}: the append has not begun'
        started.send_signal(number)
        if number == signal.SIGINT:
            started.stdin.close()
        if started.wait(20) != -number or content(packed) != before:
            yield f'{number.name}: {started.returncode}, {len(content(packed))} bytes, {len(before)} before'
    folder.cleanup()


tap.run([existing_files_are_refused_without_force, an_input_is_never_an_output, devices_and_pipes_are_written,
         a_partial_page_replaces_no_other, concurrent_updates_of_templates_are_all_applied,
         an_undo_file_is_never_replaced, a_limit_of_file_sizes_leaves_nothing,
         signals_end_a_command_that_waits_for_input, a_signal_leaves_nothing_of_a_dataset, ignored_signals_stay_ignored,
         an_append_that_is_ended_leaves_the_packed_trace])
