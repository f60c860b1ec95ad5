#!/usr/bin/env python3
"""
Recordings of real programs, as TAP: compared with QEMU's own logs of the same runs.

Programs are compiled for each processor whose compiler and emulator are installed; tests of others are
skipped with the names of the packages that are missing.
"""
import csv
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
import tap  # noqa: E402
import needs  # noqa: E402

needs.libraries('xxhash', 'zstd')

PROGRAM = os.path.abspath(sys.argv[1])
HERE = os.path.dirname(os.path.abspath(__file__))
SHARED = os.environ.get('POLYTRACE_SHARED', os.path.join(HERE, '..', '..', '..', 'shared'))
FOLDER = tempfile.TemporaryDirectory()
# Compilers by QEMU's name of the processor.
COMPILERS = {'aarch64': 'aarch64-linux-gnu-gcc', 'arm': 'arm-linux-gnueabihf-gcc',
             'i386': 'i686-linux-gnu-gcc', 'mips': 'mips-linux-gnu-gcc',
             'ppc': 'powerpc-linux-gnu-gcc', 'ppc64': 'powerpc64-linux-gnu-gcc',
             'riscv64': 'riscv64-linux-gnu-gcc', 's390x': 's390x-linux-gnu-gcc',
             'x86_64': 'x86_64-linux-gnu-gcc'}
# The same for every run: the count of instructions depends on the environment.
ENVIRONMENT = {'PATH': os.environ['PATH'], 'LC_ALL': 'C', 'QEMU_RAND_SEED': '1'}


def missing(target):
    """Why tests of a processor are skipped; '': they are not."""
    return needs.lacking(COMPILERS[target], f'qemu-{target}')


# The processor of this machine; or another one that has a row above.
MACHINE = os.uname().machine if os.uname().machine in COMPILERS else 'x86_64'
# Why tests are skipped, by their names.
SKIPPED = {}
TARGETS = [target for target in COMPILERS if not missing(target)]


def for_processor(target):
    """Marks a test that needs programs of one processor."""
    def mark(test):
        if missing(target):
            SKIPPED[test.__name__] = missing(target)
        return test
    return mark


def compiled(source, target):
    """Compiles a program of this folder; returns its path."""
    path = os.path.join(FOLDER.name, f'{source}.{target}')
    if not os.path.exists(path):
        subprocess.run([COMPILERS[target], '-O0', '-static', '-pthread', '-o', path,
                        os.path.join(HERE, source + '.c')], check=True)
    return path


def freestanding(target):
    """Compiles the program without a library, which does the same in every run."""
    path = os.path.join(FOLDER.name, f'freestanding.{target}')
    extra = {'mips': ['-mno-abicalls', '-fno-pic', '-Wl,-e,_start'], 'x86_64': ['-fcf-protection=none']}.get(target, [])
    subprocess.run([COMPILERS[target], '-O1', '-fno-stack-protector', '-fno-tree-vectorize', '-static', '-no-pie',
                    '-nostdlib', *extra, '-o', path, os.path.join(HERE, 'freestanding.c')], check=True)
    return path


def run(*arguments, **options):
    return subprocess.run(arguments, **{'capture_output': True, 'cwd': FOLDER.name, 'env': ENVIRONMENT,
                                        'stdin': subprocess.DEVNULL, 'timeout': 300, **options})


def record(output, *arguments, **options):
    """Records a command; arguments are options, '--' and the command."""
    return run(PROGRAM, 'record', '--force', '-o', output, *arguments, **options)


def rows(trace, *columns, where='row > 0'):
    """The values of columns in the selected rows of a trace; '' where absent."""
    done = run(PROGRAM, 'convert', trace, '--where', where, '--columns', ','.join(columns), '--to', 'csv',
               '-o', '-')
    lines = done.stdout.decode().splitlines()
    order = [lines[0].split(',').index(column) for column in columns]
    return [tuple(line.split(',')[i] for i in order) for line in lines[1:]]


def addresses(trace):
    return [int(pc, 16) for pc, in rows(trace, 'pc', where='kind == instruction')]


def log(target, program, *arguments):
    """QEMU's log of a run."""
    path = os.path.join(FOLDER.name, 'qemu.log')
    run(f'qemu-{target}', '-singlestep', '-d', 'exec,nochain', '-D', path, '-0', program, program, *arguments)
    return open(path).read()


def the_instructions_are_those_of_the_emulators_log():
    for target in TARGETS:
        program = compiled('programs', target)
        for options, *task in ([], 'fib', '5'), (['--registers'], 'signal'):
            expected = [int(pc, 16) for pc in re.findall(r'^Trace \d+: 0x\w+ \[\w+/(\w+)/', log(
                target, program, *task), re.M)]
            done = record('run.ptz', *options, '--', program, *task)
            found = addresses('run.ptz')
            if done.returncode or found != expected or len(found) < 1000:
                at = next((i for i, (a, b) in enumerate(zip(found, expected)) if a != b), None)
                yield f'{target} {task}: {len(found)} and {len(expected)}, differ at {at}: {done.stderr}'


@for_processor('ppc')
def the_registers_of_powerpc_are_those_of_the_emulators_log():
    # The emulator logs the same run, as values depend on random numbers.
    path, states = os.path.join(FOLDER.name, 'qemu.log'), []
    record('run.ptz', '--registers', '--', compiled('programs', 'ppc'), 'strings', '2.5',
           env={**ENVIRONMENT, 'QEMU_LOG': 'cpu,nochain', 'QEMU_LOG_FILENAME': path})
    for dump in open(path).read().split('NIP ')[1:]:
        values = {'lr': re.search(r'LR (\w+)', dump)[1], 'ctr': re.search(r'CTR (\w+)', dump)[1],
                  'xer': re.search(r'XER (\w+)', dump)[1], 'cr': re.search(r'^CR (\w+)', dump, re.M)[1]}
        numbers = [value for line in re.findall(r'^GPR\d\d (.*)$', dump, re.M) for value in line.split()]
        values.update({f'r{i}': value for i, value in enumerate(numbers)})
        states.append((int(dump.split()[0], 16), {name: int(value, 16) for name, value in values.items()}))
    state, at = {}, 0
    for kind, pc, reg, value in rows('run.ptz', 'kind', 'pc', 'reg', 'value', where='kind != access'):
        if kind == 'register':
            state[reg] = int(value, 16)
            continue
        expected_pc, expected = states[at]
        wrong = {name: (state.get(name), value) for name, value in expected.items() if state.get(name) != value}
        if int(pc, 16) != expected_pc or wrong:
            yield f'instruction {at} at {pc}: {wrong}'
            return
        at += 1
    if at != len(states):
        yield f'{at} instructions, expected {len(states)}'


@for_processor('ppc')
def powerpc_accesses_have_the_addresses_of_registers():
    program = compiled('powerpc', 'ppc')
    base = int(record('run.ptz', '--registers', '--', program).stdout.split()[1], 16)
    # Extended opcodes of primary opcode 31, and primary opcodes; the accesses by the program's text.
    names = {1014: 'dcbz', 86: 'dcbf', 54: 'dcbst', 278: 'dcbt', 246: 'dcbtst', 982: 'icbi', 725: 'stswi', 597: 'lswi',
             661: 'stswx', 533: 'lswx', 150: 'stwcx.', 20: 'lwarx'}
    expected = {'dcbz': [('write', 64, '')], 'dcbf': [('cache', 64, '')], 'dcbst': [('cache', 0, '')],
                'dcbt': [('prefetch', 64, '')], 'dcbtst': [('prefetch', 0, '')], 'icbi': [('cache', 64, '')],
                'stmw': [('write', 12 + 4 * i, '4') for i in range(3)],
                'lmw': [('read', 12 + 4 * i, '4') for i in range(3)], 'stswi': [('write', 0, '4'), ('write', 4, '3')],
                'lswi': [('read', 0, '4'), ('read', 4, '4'), ('read', 8, '2')],
                'stswx': [('write', 64, '4'), ('write', 68, '2')], 'lswx': [('read', 64, '4'), ('read', 68, '1')],
                'lwarx': [('read', 0, '4')], 'stwcx.': [('write', 0, '4'), ('write', 0, '4')]}
    for trace in ('run.ptz', 'run.tt6e'):
        record(trace, *(['--registers'] if trace == 'run.ptz' else []), '--', program)
        found, name = {}, None
        for kind, opcode, access, address, size in rows(trace, 'kind', 'opcode', 'access', 'address', 'size'):
            if kind == 'instruction':
                word = int(opcode, 16)
                name = {46: 'lmw', 47: 'stmw', 31: names.get(word >> 1 & 1023)}.get(word >> 26)
            if name and address and 0 <= int(address, 16) - base < 256:
                found.setdefault(name, []).append((access, int(address, 16) - base, size))
        # TT6E has one address for all accesses of an instruction.
        first = {name: [accesses[0]] * (2 if name == 'stwcx.' else 1) for name, accesses in expected.items()}
        for name in expected:
            wanted = expected[name] if trace == 'run.ptz' else [pair[:2] for pair in first[name]]
            got = found.get(name, [])
            # What the library does with these instructions elsewhere is not in this array.
            if (got if trace == 'run.ptz' else [pair[:2] for pair in got]) != wanted:
                yield f'{trace} {name}: {got}, expected {wanted}'


@for_processor('ppc')
def threads_of_powerpc_have_valid_traces_that_merge():
    # Rounds, or 0 for turns; what the program prints; its locks: each thread has one more than rounds, or 10.
    for rounds, printed, locks in ('50', b'400\n', 408), ('0', b'80\n', 80):
        folder = tempfile.mkdtemp(dir=FOLDER.name)
        done = run(PROGRAM, 'record', '-o', 'run.tt6e', '--', compiled('threads', 'ppc'), rounds, cwd=folder)
        files = sorted(os.listdir(folder))
        if files != ['run.thread_%03d.tt6e' % i for i in range(2, 10)] + ['run.tt6e'] or done.stdout != printed:
            yield f'{files} {done}'
        for file in files:
            checked = run(PROGRAM, 'check', '--strict', file, cwd=folder)
            flow = run(PROGRAM, 'stats', '-a', 'flow', '--json', file, cwd=folder).stdout.decode()
            if checked.returncode or not re.search(r'"control_flow_discontinuities": ?0\b', flow):
                yield f'{file}: {checked} {flow[:300]}'
        merged = run(PROGRAM, 'merge', '--report', '--json', 'run.tt6e', *files[:-1], cwd=folder)
        report = merged.stdout.decode()
        for key in ('overlapping_sections', 'low_wait_counts', 'forced_events', 'critical_sections_out_of_order'):
            if merged.returncode or not re.search(rf'"{key}": ?0\b', report):
                yield f'{key}: {report[:500]} {merged.stderr}'
        # The mutex of the program; the standard library has others.
        if not re.search(rf'"locks": ?{locks}\b', report):
            yield report[:1500]


def the_status_is_that_of_the_program():
    program = compiled('programs', TARGETS[-1])
    for task, status, words in ((['exit', '3'], 3, b''), (['fork'], 5, b'of 2 threads in 2 processes'),
                                (['fork-kill'], 5, b'of 2 threads'), (['signal'], 0, b''),
                                (['exec'], 0, b'executed another program, which is not recorded (once)'),
                                (['kill'], -signal.SIGKILL, b'killed by signal 9'), (['fault'], -signal.SIGSEGV, b'signal 11')):
        done = record('run.ptz', '--', program, *task)
        plain = run(program, *task) if TARGETS[-1] == os.uname().machine else done
        checked = run(PROGRAM, 'check', 'run.ptz')
        if done.returncode != status or words not in done.stderr or done.stdout != plain.stdout or \
                checked.returncode:
            yield f'{task}: {done} {checked}'


def a_killed_program_leaves_its_last_instructions():
    program = compiled('programs', TARGETS[-1])
    record('run.ptz', '--', program, 'kill')
    killed = addresses('run.ptz')
    record('end.ptz', '--', program, 'exit', '0')
    # The loop of 20,000 iterations is there, and the system call that ended it is in its last instructions.
    if len(killed) < len(addresses('end.ptz')) + 100000:
        yield f'{len(killed)} instructions'


def signals_end_the_program_and_the_trace_is_complete():
    program = compiled('programs', TARGETS[-1])
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        recorder = subprocess.Popen([PROGRAM, 'record', '--force', '-o', 'run.ptz', '--', program, 'wait'],
                                    cwd=FOLDER.name, env=ENVIRONMENT, stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, start_new_session=True)
        recorder.stdout.readline()
        time.sleep(0.1)
        # Ctrl-C reaches both processes.
        (os.killpg if number == signal.SIGINT else os.kill)(recorder.pid, number)
        _, errors = recorder.communicate(timeout=60)
        checked = run(PROGRAM, 'check', 'run.ptz')
        if recorder.returncode != -number or checked.returncode or len(addresses('run.ptz')) < 5000:
            yield f'{number}: {recorder.returncode} {errors} {checked}'


def an_ignored_signal_is_not_passed_on():
    program = compiled('programs', TARGETS[-1])
    recorder = subprocess.Popen([PROGRAM, 'record', '--force', '-o', 'run.ptz', '--', program, 'wait'], cwd=FOLDER.name,
                                env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    recorder.stdout.readline()
    for _ in range(2):
        recorder.send_signal(signal.SIGHUP)
        time.sleep(0.2)
    early = recorder.poll()
    recorder.terminate()
    _, errors = recorder.communicate(timeout=60)
    if early is not None or recorder.returncode != -signal.SIGTERM:
        yield f'{early} {recorder.returncode} {errors}'


def a_program_that_overwrites_the_shared_memory_is_refused():
    program = compiled('scribble', TARGETS[-1])
    done = record('scribble.ptz', '--', program, timeout=60)
    if done.returncode != 2 or b'overwritten the memory of the recording' not in done.stderr:
        yield str(done)
    if os.path.exists(os.path.join(FOLDER.name, 'scribble.ptz')):
        yield 'a trace was written'


def a_second_signal_kills_a_program_that_ignores_it():
    program = compiled('scribble', TARGETS[-1])
    recorder = subprocess.Popen([PROGRAM, 'record', '--force', '-o', 'run.ptz', '--', program, 'ignore'],
                                cwd=FOLDER.name, env=ENVIRONMENT, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, start_new_session=True)
    recorder.stdout.readline()
    for _ in range(2):
        time.sleep(0.3)
        recorder.terminate()
    _, errors = recorder.communicate(timeout=60)
    if recorder.returncode != -signal.SIGKILL or run(PROGRAM, 'check', 'run.ptz').returncode:
        yield f'{recorder.returncode} {errors}'


def a_killed_recorder_leaves_segments_and_a_running_program():
    program = compiled('programs', TARGETS[-1])
    folder = tempfile.mkdtemp(dir=FOLDER.name)
    recorder = subprocess.Popen([PROGRAM, 'record', '-o', 'run.ptz', '--', program, 'spin'], cwd=folder,
                                env=ENVIRONMENT, stdout=subprocess.PIPE, start_new_session=True)
    recorder.stdout.readline()
    # The first segment is written when it is full.
    for _ in range(600):
        if any(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder)):
            break
        time.sleep(0.1)
    time.sleep(1)
    os.kill(recorder.pid, signal.SIGKILL)
    recorder.wait()
    time.sleep(0.2)
    running = run('pgrep', '-g', str(recorder.pid)).stdout.split()
    os.killpg(recorder.pid, signal.SIGKILL)
    left = os.listdir(folder)
    if len(running) != 1 or len(left) != 1 or 'run.ptz' not in left[0]:
        yield f'{running} {left}'
        return
    done = run(PROGRAM, 'convert', '--partial', os.path.join(folder, left[0]), '--from', 'ptz', '-o',
               os.path.join(folder, 'rest.ptz'))
    count = re.search(r'Instructions +([\d,]+)', run(PROGRAM, 'info', os.path.join(folder, 'rest.ptz')).stdout.decode())
    if done.returncode or not count or int(count[1].replace(',', '')) < 100000:
        yield f'{done} {count}'


@for_processor(MACHINE)
def the_first_lines_of_the_readme_work():
    text = open(os.path.join(HERE, '..', '..', 'README.md')).read()
    lines = re.findall(r'^polytrace .*', text.split('```sh\n')[1].split('```')[0], re.M)
    folder = tempfile.mkdtemp(dir=FOLDER.name)
    if len(lines) != 3:
        yield lines
    for line in lines:
        path = os.path.dirname(PROGRAM) + ':' + ENVIRONMENT['PATH']
        done = run('sh', '-c', line, cwd=folder, env={**ENVIRONMENT, 'PATH': path})
        if done.returncode or not (done.stdout or ' -o ' in line):
            yield f'{line}: {done}'
    if '<svg' not in open(os.path.join(folder, 'ls.html')).read():
        yield 'the page has no plot'


@for_processor('arm')
def conditions_of_arm_agree_with_what_follows():
    record('run.ptz', '--registers', '--', compiled('programs', 'arm'), 'strings', '2.5')
    checked, skipped, last = 0, 0, None
    for kind, pc, opcode, size, mode, executed, reg in rows('run.ptz', 'kind', 'pc', 'opcode', 'opcode_size',
                                                            'instruction_set', 'executed', 'reg'):
        if kind == 'instruction':
            pc = int(pc, 16)
            if last:
                # A conditional branch that is executed is taken.
                word, thumb = last[1], last[3] == 'T'
                branches = 0xd0 <= word >> 8 < 0xde if last[2] == 2 else \
                    word & 0xf800d000 == 0xf0008000 and word >> 22 & 15 < 14 if thumb else word >> 25 & 7 == 5
                if branches and (pc != last[0] + last[2]) != last[4]:
                    yield f'{last} is followed by {pc:#x}'
                checked += branches
                skipped += not last[4]
            last = (pc, int(opcode, 16), int(size), mode, executed in ('1', 'true'))
            if last[3] not in ('A', 'T'):
                yield f'{last}: no mode'
        elif last and not last[4] and reg != 'cpsr':
            yield f'{last} is skipped and has a {kind}'
    if checked < 500 or skipped < 500:
        yield f'{checked} branches, {skipped} skipped'


@for_processor('x86_64')
def code_that_is_written_anew_has_its_opcodes():
    record('run.ptz', '--', compiled('programs', 'x86_64'), 'modify')
    opcodes = {opcode for opcode, in rows('run.ptz', 'opcode', where='kind == instruction')}
    yield from (f'mov ${i}' for i in (1, 2, 3) if f'0xb80{i}000000' not in opcodes)


def eight_threads_are_recorded():
    for target in TARGETS[-1:]:
        done = record('run.ptz', '--', compiled('threads', target), '200')
        counts = {}
        for thread, in rows('run.ptz', 'thread', where='kind == instruction'):
            counts[thread] = counts.get(thread, 0) + 1
        if done.returncode or done.stdout != b'1600\n' or sorted(counts) != [str(i) for i in range(1, 10)] or \
                min(counts.values()) < 5000:
            yield f'{target}: {counts} {done}'


def each_thread_has_a_file():
    folder = tempfile.mkdtemp(dir=FOLDER.name)
    program = compiled('threads', TARGETS[-1])
    run(PROGRAM, 'record', '--threads=split', '-o', 'run.ptz', '--', program, '10', cwd=folder)
    if sorted(os.listdir(folder)) != [f'run.thread_00{i}.ptz' for i in range(1, 10)]:
        yield str(os.listdir(folder))


@for_processor('x86_64')
def accesses_are_those_of_lackey():
    program = freestanding('x86_64')
    plain = run(program)
    done = record('run.ptz', '--', program)
    # Valgrind itself, without the command under test.
    text = run('valgrind', '--tool=lackey', '--trace-mem=yes', '--log-fd=2', program).stderr.decode()
    events = re.findall(r'^(I | S| L| M) {1,2}(\w+),(\d+)$', text, re.M)
    counts = {kind: sum(each[0] == kind for each in events) for kind in ('I ', ' L', ' S', ' M')}
    found = rows('run.ptz', 'kind', 'access', 'address', 'size')
    reads = [row for row in found if row[1] == 'read']
    writes = [row for row in found if row[1] == 'write']
    if done.returncode != plain.returncode or plain.returncode == 0 or \
            sum(row[0] == 'instruction' for row in found) != counts['I '] or \
            len(reads) != counts[' L'] + counts[' M'] or len(writes) != counts[' S'] + counts[' M'] or \
            counts[' M'] < 60 or counts['I '] < 1000:
        yield f'{counts} {len(found)} {len(reads)} {len(writes)} {done}'
    # Those of static data have the same addresses, in the same order; those of the stack do not.
    static = [int(address, 16) for kind, address, _ in events if kind != 'I ' and int(address, 16) < 1 << 32]
    ours, last = [], None
    for _, access, address, _ in found:
        if address and int(address, 16) < 1 << 32 and not (access == 'write' and last == ('read', address)):
            ours.append(int(address, 16))
        last = (access, address)
    if ours != static or len(static) < 100:
        yield f'{len(ours)} and {len(static)} addresses of static data'
    done = record('lackey.ptz', '--with=lackey', '--', program)
    if done.returncode != plain.returncode or \
            len(rows('lackey.ptz', 'size', where='kind == instruction or kind == access')) != \
            len(events) + counts[' M']:
        yield str(done)


def recordings_in_several_formats_match():
    formats = {'ppc': ('full', 'q4v'), 'arm': ('q4v',), 'aarch64': ('q4v',), 'mips': ('q4v',)}
    for target in set(formats) & set(TARGETS):
        program = freestanding(target)
        record('run.ptz', '--registers', '--', program)
        count = len(addresses('run.ptz'))
        for extension in formats[target]:
            trace = 'run.' + extension
            done = record(trace, '--registers', '--', program)
            checked = run(PROGRAM, 'check', '--strict', trace)
            compared = run(PROGRAM, 'diff', trace, 'run.ptz')
            matched = f'traces match; {count:,} instructions compared'
            if done.returncode != 39 or checked.returncode or matched not in compared.stdout.decode() or count < 1000:
                yield f'{target} {trace}: {done} {checked} {compared}'
        if target != 'ppc':
            continue
        # A difference is found: the data of one store in FULL are those of a register.
        with open(os.path.join(FOLDER.name, 'run.full'), 'r+b') as file:
            file.seek(4 + 500 * 1004 + 4 + 8 + 9 * 4)
            changed = bytes([file.read(1)[0] ^ 1])
            file.seek(-1, 1)
            file.write(changed)
        if run(PROGRAM, 'diff', 'run.full', 'run.ptz').returncode != 1:
            yield 'a changed register is not found'


@for_processor('i386')
def bus_cycles_move_the_bytes_of_instructions_and_accesses():
    program = freestanding('i386')
    record('run.ptz', '--', program)
    done = record('run.bach', '--', program)
    expected, cycles = {'fetch': 0, 'read': 0, 'write': 0}, {'fetch': 0, 'read': 0, 'write': 0}
    for kind, length, access, size in rows('run.ptz', 'kind', 'opcode_size', 'access', 'size'):
        expected['fetch' if kind == 'instruction' else access] += int(length or size)
    quadwords = set()
    for access, address, size, enables in rows('run.bach', 'access', 'address', 'size', 'byte_enables'):
        cycles[access] += int(size)
        quadwords.add(int(address, 16) % 8 + int(size) <= 8 and bin(int(enables, 16)).count('0', 2) <= 8)
    checked = run(PROGRAM, 'check', '--strict', 'run.bach')
    if done.returncode != 39 or checked.returncode or cycles != expected or quadwords != {True} or \
            min(expected.values()) < 1000:
        yield f'{expected} {cycles} {quadwords} {done} {checked}'


def forms_of(lines):
    """Counts the forms of instructions by macro opcode: names, letters and use of registers of their micro-ops."""
    forms, form, macro = {}, [], None
    for line in [*lines, '1 end of the list of micro operations - - - - - - - -']:
        fields = line.split()
        if len(fields) != 14 or not fields[0].isdigit():
            continue
        if fields[0] == '1' and form:
            counts = forms.setdefault(macro, {})
            counts[tuple(form)] = counts.get(tuple(form), 0) + 1
        form = [] if fields[0] == '1' else form
        macro = fields[12]
        form.append((fields[13], fields[5], fields[6] in 'TN', fields[7], *(register == '-1' for register in fields[2:5])))
    return forms


@for_processor('x86_64')
def micro_operations_are_those_of_the_instructions():
    for program, *task in ([freestanding('x86_64')], [compiled('programs', 'x86_64'), 'strings', '2.5']):
        record('run.ptz', '--', program, *task)
        done = record('run.cis501', '--', program, *task)
        checked = run(PROGRAM, 'check', '--strict', 'run.cis501')
        expected = [row[1:] for row in rows('run.ptz', 'kind', 'access', 'address') if row[1]]
        found = rows('run.cis501', 'uop_index', 'access', 'address', 'pc')
        instructions = [int(pc, 16) for index, _, _, pc in found if index == '1']
        accesses = [row[1:3] for row in found if row[1]]
        # The order of an exchange's accesses is that of the micro-operations; others are in order.
        if checked.returncode or instructions != addresses('run.ptz') or sorted(accesses) != sorted(expected) or \
                len(accesses) < 500:
            yield f'{program}: {len(instructions)} {len(accesses)} {len(expected)} {done} {checked}'
        piped = run(PROGRAM, 'sim', 'pipeline', 'run.cis501')
        if piped.returncode or b'unknown' in piped.stdout:
            yield str(piped)
    # Forms of the course's own trace, and of the example of the specification.
    published = {}
    for name in ('public/cis501/gcc-1K.trace', 'made/cis501/seed15.trace'):
        path = os.path.join(SHARED, 'data', name)
        if os.path.exists(path):
            for macro, counts in forms_of(open(path)).items():
                published.setdefault(macro, set()).update(counts)
    forms = forms_of(open(os.path.join(FOLDER.name, 'run.cis501')))
    for macro in ('ADD', 'CALL', 'CMP', 'J', 'MOV', 'NOP', 'POP', 'PUSH', 'RET', 'SUB') if published else ():
        count = sum(forms[macro].values())
        known = sum(n for form, n in forms[macro].items() if form in published.get(macro, ()))
        if macro in published and known < 0.75 * count:
            yield f'{macro}: {known} of {count} have published forms: {forms[macro]}'


def logs_of_the_same_run_match():
    """The emulator logs while the plugin records: no value depends on the run."""
    path = os.path.join(FOLDER.name, 'run.log')
    for target in TARGETS:
        # Registers of floating point are in recordings of PowerPC only; flags of x86 only in logs.
        items = 'in_asm,exec,cpu,nochain' + (',fpu' if target.startswith('ppc') else '')
        environment = {**ENVIRONMENT, 'QEMU_LOG': items, 'QEMU_LOG_FILENAME': path, 'QEMU_SINGLESTEP': '1'}
        done = record('run.ptz', '--registers', '--', freestanding(target), env=environment)
        # MIPS has no encodings in logs; those of the file are compared.
        symbols = ['--symbols', freestanding(target)] if target == 'mips' else []
        compared = run(PROGRAM, 'diff', *symbols, '-i', 'reg:rflags,reg:eflags', path, 'run.ptz')
        matched = f'traces match; {len(addresses("run.ptz")):,} instructions compared'
        reported = re.search(r'lacks columns of run.ptz, which are not compared: (.*)', compared.stderr.decode())
        if done.returncode != 39 or matched not in compared.stdout.decode() or {'reg', 'opcode'} & set(reported[1].split(', ')):
            yield f'{target}: {done} {compared}'
        # A register of the last dump, which 7 makes another one.
        place = {'aarch64': 'X05=', 'i386': 'EBX=', 'mips': 't0 ', 'riscv64': 'x8/s0    ', 'x86_64': 'RBX='}.get(
            target, '\nCR ' if target.startswith('ppc') else 'R04=')
        text = open(path).read()
        last = text.rindex(place) + len(place)
        with open(path, 'w') as file:
            file.write(text[:last] + '7' + text[last + 1:])
        if run(PROGRAM, 'diff', '-i', 'reg:rflags,reg:eflags', path, 'run.ptz').returncode != 1:
            yield f'{target}: a change of the log is not found'


def parts_of_a_run_are_recorded():
    program = compiled('programs', TARGETS[-1])
    record('all.ptz', '--', program, 'fib', '5')
    every = addresses('all.ptz')
    for options, expected in ((['--skip=1000', '--count=500'], every[1000:1500]), (['--count=1'], every[:1]),
                              (['--skip=100'], every[100:])):
        done = record('part.ptz', *options, '--', program, 'fib', '5')
        if done.returncode or done.stdout != b'5\n' or addresses('part.ptz') != expected:
            yield f'{options}: {done}'
    record('part.ptz', '--start-at=fib', '--', program, 'fib', '5')
    found = addresses('part.ptz')
    first = every.index(found[0])
    if found != every[first:]:
        yield '--start-at'
    record('stop.ptz', '--stop-at=fib', '--', program, 'fib', '5')
    if addresses('stop.ptz') != every[:first + 1]:
        yield '--stop-at'
    record('none.ptz', '--no-data', '--', program, 'fib', '5')
    if rows('none.ptz', 'pc', where='kind != instruction') or addresses('none.ptz') != every:
        yield '--no-data'


def parts_of_a_run_begin_with_the_registers():
    for target in TARGETS:
        program, state, before = freestanding(target), {}, 0
        record('run.ptz', '--registers', '--', program)
        for kind, reg, value in rows('run.ptz', 'kind', 'reg', 'value', where='kind != access'):
            if kind == 'register':
                state[reg] = value
            elif before == 500:
                break
            else:
                before += 1
        record('part.ptz', '--registers', '--skip=500', '--count=100', '--', program)
        part = rows('part.ptz', 'kind', 'reg', 'value', where='kind != access')
        first = [kind for kind, _, _ in part].index('instruction')
        if {reg: value for _, reg, value in part[:first]} != state or len(state) < 8 or \
                addresses('part.ptz') != addresses('run.ptz')[500:600]:
            yield f'{target}: {part[:first]}, expected {state}'


@for_processor('arm')
def texts_of_arm_are_those_of_the_emulator():
    program, path = freestanding('arm'), os.path.join(FOLDER.name, 'qemu.log')
    run('qemu-arm', '-d', 'in_asm', '-D', path, program)
    expected = {int(pc, 16): name for pc, name in re.findall(
        r'^0x(\w+):  [0-9a-f]{4}(?: ?[0-9a-f]{4})? +([a-z][\w.]*)', open(path).read(), re.M)}
    record('run.ptz', '--', program)
    lines = run(PROGRAM, 'view', '-w', 'kind == instruction', '-c', 'pc,text', 'run.ptz').stdout.decode().splitlines()
    found = {int(pc, 16): name for pc, name in (line.split()[:2] for line in lines[1:])}
    if found != expected or len(found) < 40:
        yield str(set(found.items()) ^ set(expected.items()))


def address_of(program, function):
    """The address of a function of a program without a load offset."""
    found = re.search(rf'^(\w+) \w {function}$', run('nm', program).stdout.decode(), re.M)
    # Of ARM the lowest bit is a mode.
    return int(found[1], 16) & ~program.endswith('.arm')


def threads_beyond_the_maximum_are_counted_and_the_others_recorded():
    program = compiled('many', TARGETS[-1])
    done = record('run.ptz', '--no-data', '--', program, '600', '0')
    if done.returncode or b'of 512 threads' not in done.stderr or b'89 threads were not recorded' not in done.stderr or \
            addresses('run.ptz').count(address_of(program, 'finish')) != 1:
        yield str(done)


def threads_of_ended_processes_leave_room_for_others():
    done = record('run.ptz', '--no-data', '--', compiled('many', TARGETS[-1]), '60', '12')
    if done.returncode or b'of 733 threads in 13 processes' not in done.stderr or b'not recorded' in done.stderr:
        yield str(done)


def what_precedes_a_fork_precedes_the_child():
    # Symbols of functions are descriptors on 64-bit PowerPC. Which process is faster is a matter of chance.
    for target in [target for target in TARGETS if target != 'ppc64'] + 5 * TARGETS[-1:]:
        program = compiled('many', target)
        done = record('run.ptz', '--no-data', '--', program)
        found = addresses('run.ptz')
        before, child = (found.index(address_of(program, f'work_in_{process}')) for process in ('parent', 'child'))
        if done.returncode or before > child:
            yield f'{target}: {done}'


def the_cases_of_the_manual_work():
    """The blocks of polytrace-record(1), with other numbers than those that are printed there."""
    page = open(os.path.join(HERE, '..', '..', 'doc', 'man', 'polytrace-record.1')).read()
    blocks = [block.replace('\\e', '\\').replace('\\&', '') for block in
              re.findall(r'^\.Bd -literal -offset indent\n(\$ .*?)^\.Ed$', page, re.M | re.S)]
    folder = tempfile.mkdtemp(dir=FOLDER.name)
    environment = {**ENVIRONMENT, 'PATH': os.path.dirname(PROGRAM) + ':' + ENVIRONMENT['PATH']}
    if len(blocks) < 7:
        yield f'{len(blocks)} blocks'
    for block in blocks:
        if any(not shutil.which(name) for name in re.findall(r'^\$ (\S+-gcc) ', block, re.M)):
            continue
        found = ''
        for command in re.findall(r'^\$ .*\n(?:> .*\n)*', block, re.M):
            done = run('sh', '-c', re.sub(r'^[$>] ', '', command, flags=re.M), cwd=folder, env=environment,
                       stderr=subprocess.STDOUT, capture_output=False, stdout=subprocess.PIPE)
            found += command + done.stdout.decode()
            if done.returncode:
                yield f'{command} {done}'
        # Numbers, and what is counted in messages, depend on the library and on the lengths of the environment; widths
        # on the numbers.
        shapes = [re.sub(r'[\s-]+', ' ', re.sub(r'[\da-fx.,]*\d[\da-fx.,]*', '0', re.sub(
            r'^polytrace: .* \((?:\d+ times|once)\)\n', '', text, flags=re.M))) for text in (block, found)]
        if shapes[0] != shapes[1]:
            yield f'expected:\n{block}found:\n{found}'


def facts_state_what_follows_from_rules():
    program = freestanding('ppc' if 'ppc' in TARGETS else TARGETS[-1])
    rules = {'threads', 'sync', *(['accesses'] if 'ppc' in TARGETS else [])}
    for options, expected in ([], rules), (['--registers'], rules | {'data'}), (['--no-data'], rules - {'accesses'}):
        record('run.ptz', *options, '--', program)
        facts = run(PROGRAM, 'info', 'run.ptz').stdout.decode()
        if set(re.findall(r'recording\.rule\.(\w+)', facts)) - {'repeat'} != expected or \
                ('changes of registers' in facts) != ('data' in expected) or f'recording.command  {program}' not in \
                re.sub(' {2,}', '  ', facts):
            yield f'{options}: {facts}'


@for_processor('riscv64')
def calls_are_those_of_the_program():
    program = compiled('programs', 'riscv64')
    record('run.ptz', '--', program, 'fib', '20')
    done = run(PROGRAM, 'calls', '--symbols', program, '--csv', '--table', 'call_tree', 'run.ptz')
    calls = sum(int(row['calls']) for row in csv.DictReader(done.stdout.decode().splitlines())
                if row['function'].strip() == 'fib')
    # The calls of fib(n) are 2 F(n + 1) - 1, F being the numbers of Fibonacci.
    if calls != 21891:
        yield f'{calls} calls: {done.stderr}'
    mix = run(PROGRAM, 'stats', '-a', 'mix', '--json', 'run.ptz').stdout.decode()
    if 'unknown' in mix:
        yield mix


def what_cannot_be_recorded_is_reported():
    program = compiled('programs', TARGETS[-1])
    folder = tempfile.mkdtemp(dir=FOLDER.name)
    files = {'script': b'#!/bin/sh\n', 'text': b'text\n', 'none': b'\177ELF' + bytes(60)}
    for name, data in files.items():
        with open(os.path.join(folder, name), 'wb') as file:
            file.write(data)
        os.chmod(file.name, 0o755)
    with open(os.path.join(folder, 'plain'), 'wb') as file:
        file.write(b'x')
    open(os.path.join(folder, 'old.ptz'), 'w').close()
    for arguments, words in (
            ([], 'no program'), (['--', 'no-such-program'], 'no such program'),
            (['--', './no-such-program'], 'No such file'), (['--', './plain'], 'not an executable'),
            (['--', '/'], 'not an executable'), (['--', './script'], 'is a script'),
            (['--', './text'], 'not a program'), (['--', './none'], 'this processor'),
            (['-o', 'old.ptz', '--', program], 'exists'), (['-o', '-', '--', program], 'standard output'),
            (['-o', 'x.unknown', '--', program], 'no format'), (['-t', 'cis501v2', '--', program], 'cis501v2'),
            (['--start-at=nowhere', '--', program], 'no symbol'),
            (['--stop-at=0x10000000000000000', '--', program], 'no symbol'), (['-o', program, '-t', 'ptz', '--', program], 'input'),
            (['--cpu=none', '--', program], 'ended before')):
        done = run(PROGRAM, 'record', *arguments, cwd=folder)
        if done.returncode != 2 or words not in done.stderr.decode() or done.stdout:
            yield f'{arguments}: {done}'
    foreign = 'riscv64' if os.uname().machine == 'aarch64' else 'aarch64'
    if foreign in TARGETS:
        done = run(PROGRAM, 'record', '--with=lackey', '-o', 'new.ptz', '--', compiled('programs', foreign), cwd=folder)
        if done.returncode != 2 or b'not of this machine' not in done.stderr:
            yield str(done)
    done = run(PROGRAM, 'record', '--', program, cwd=folder, env={'PATH': '/nonexistent'})
    if done.returncode != 2 or b'install the package qemu-user' not in done.stderr:
        yield str(done)
    if sorted(os.listdir(folder)) != ['none', 'old.ptz', 'plain', 'script', 'text']:
        yield str(os.listdir(folder))


@for_processor('ppc')
def an_emulator_without_registers_records_the_rest():
    folder = tempfile.mkdtemp(dir=FOLDER.name)
    with open(shutil.which('qemu-ppc'), 'rb') as file:
        code = file.read()
    with open(os.path.join(folder, 'qemu-ppc'), 'wb') as file:
        file.write(code.replace(b'\0ppc_cpu_gdb_read_register\0', b'\0ppc_cpu_gdb_read_registex\0'))
    os.chmod(file.name, 0o755)
    environment = {**ENVIRONMENT, 'PATH': folder + ':' + ENVIRONMENT['PATH']}
    program = freestanding('ppc')
    record('run.ptz', '--', program)
    for options, words in (['--registers'], b'registers, and what'), ([], b'synchronization, and accesses'):
        done = record('rest.ptz', *options, '--', program, env=environment)
        if done.returncode != 39 or words not in done.stderr or addresses('rest.ptz') != addresses('run.ptz') or \
                not rows('rest.ptz', 'address', where='access == read') or rows('rest.ptz', 'pc', where='kind == register'):
            yield str(done)


def a_full_disk_is_an_error_and_the_program_runs_on():
    program = compiled('programs', TARGETS[-1])
    for path in ('/dev/full',):
        done = record(path, '--to', 'jsonl', '--', program, 'exit', '3')
        if done.returncode != 2 or b'No space left' not in done.stderr:
            yield str(done)


TESTS = [the_instructions_are_those_of_the_emulators_log,
         the_registers_of_powerpc_are_those_of_the_emulators_log,
         powerpc_accesses_have_the_addresses_of_registers, threads_of_powerpc_have_valid_traces_that_merge,
         the_status_is_that_of_the_program,
         a_killed_program_leaves_its_last_instructions, signals_end_the_program_and_the_trace_is_complete,
         an_ignored_signal_is_not_passed_on,
         a_program_that_overwrites_the_shared_memory_is_refused, a_second_signal_kills_a_program_that_ignores_it,
         a_killed_recorder_leaves_segments_and_a_running_program,
         the_first_lines_of_the_readme_work, conditions_of_arm_agree_with_what_follows,
         code_that_is_written_anew_has_its_opcodes,
         eight_threads_are_recorded, threads_beyond_the_maximum_are_counted_and_the_others_recorded,
         threads_of_ended_processes_leave_room_for_others, what_precedes_a_fork_precedes_the_child,
         each_thread_has_a_file, accesses_are_those_of_lackey,
         recordings_in_several_formats_match, logs_of_the_same_run_match,
         micro_operations_are_those_of_the_instructions, bus_cycles_move_the_bytes_of_instructions_and_accesses,
         parts_of_a_run_are_recorded, parts_of_a_run_begin_with_the_registers, texts_of_arm_are_those_of_the_emulator,
         the_cases_of_the_manual_work, facts_state_what_follows_from_rules,
         calls_are_those_of_the_program, what_cannot_be_recorded_is_reported,
         an_emulator_without_registers_records_the_rest,
         a_full_disk_is_an_error_and_the_program_runs_on]

if not TARGETS:
    SKIPPED = {test.__name__: needs.lacking('qemu-' + MACHINE) or missing(MACHINE) for test in TESTS}
else:
    if any(map(missing, COMPILERS)):
        SKIPPED[the_cases_of_the_manual_work.__name__] = next(filter(None, map(missing, COMPILERS)))
    if os.uname().machine != 'x86_64' or needs.lacking('valgrind'):
        SKIPPED[accesses_are_those_of_lackey.__name__] = needs.lacking('valgrind') or 'is not an x86-64'
    for target in filter(missing, COMPILERS):
        print(f'# {target} is not tested: {missing(target)}')
tap.run(TESTS, SKIPPED)
