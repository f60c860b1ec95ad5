#!/usr/bin/env python3
"""Laws of every command and manual page, as TAP.

    laws.py POLYTRACE [LAW...]
"""
import itertools
import json
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.environ['POLYTRACE_ROOT']
sys.path.insert(0, os.path.join(ROOT, 'tests'))
import dispositions  # noqa: E402,F401
import needs  # noqa: E402
import sampling  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
MANUAL = os.path.join(ROOT, 'doc', 'man')
SAMPLE = os.path.join(ROOT, 'tests', 'data', 'bach', 'special.tr')
LOG = os.path.join(ROOT, 'tests', 'data', 'aix', 'log1112.trc')
TEMPLATES = os.path.join(ROOT, 'tests', 'data', 'aix', 'vectors', 'v1.trcfmt')
THREAD = os.path.join(ROOT, 'tests', 'data', 'amber', 'thread_001.tt6')
PACKED = os.path.join(ROOT, 'tests', 'data', 'ptz', 'sort_1k.ptz')
CALLS = os.path.join(ROOT, 'tests', 'data', 'tarmac', 'calls.tarmac')
# Formats whose page is another one's.
PAGES = {'tt6e': 'tt6', 'bach-text': 'bach', 'byutr': 'bach', 'cis501v2': 'cis501',
         'cis501-summary': 'cis501', 'ramulator': 'text', 'ramulator2': 'text', 'dramsim2': 'text',
         'dramsim3': 'text'}
# Arguments with which each command prints records or reports of the sample.
PRINTING = {'formats': ['formats'], 'info': ['info', SAMPLE], 'view': ['view', SAMPLE],
            'convert': ['convert', SAMPLE, '--to', 'bach', '-o', '-'], 'check': ['check', SAMPLE],
            'diff': ['diff', SAMPLE, SAMPLE], 'merge': ['merge', '--schedule', THREAD],
            'trcrpt': ['trcrpt', LOG],
            'trcupdate': ['trcupdate', '-t', TEMPLATES, '-x', '0F1'],
            'calls': ['calls', CALLS], 'who': ['who', '--reg', 'x0', CALLS],
            'state': ['state', CALLS], 'sql': ['sql', 'select * from calls', CALLS], 'stats': ['stats', SAMPLE], 'join': ['join', SAMPLE, '-o', '-'],
            'report': ['report', SAMPLE, '-o', '-'], 'grade': ['grade', SAMPLE, SAMPLE],
            'sim': ['sim', 'branch', THREAD], 'pack': ['pack', '-o', '-', SAMPLE],
            'unpack': ['unpack', '-o', '-', PACKED],
            # split only writes to files.
            'split': ['split', '-h'],
            # record prints what the program prints.
            'record': ['record', '-h']}


def polytrace(*arguments, **options):
    options = {'capture_output': True, 'stdin': subprocess.DEVNULL, **options}
    return subprocess.run([PROGRAM, *arguments], **options)


def text(*arguments):
    return polytrace(*arguments).stdout.decode()


COMMANDS = re.findall(r'^  (\w+) ', text('help'), re.M)


def options_of_help(command):
    """Names, letters and arguments of a command's options by its help: its own, and shared ones."""
    own, shared = set(), set()
    heading = None
    for line in text(command, '--help').split('\n'):
        if re.match(r'\w.*:$', line):
            heading = line
        option = re.match(r'  (?:-([\w@]),|   ) --([\w-]+)(?:=(\S+))?(?:  |$)', line)
        if option:
            (own if heading == 'Options:' else shared).add(tuple(field or '' for field in option.groups()))
    return own, shared


def options_of_page(page):
    """The same by the .It Fl lines of a manual page."""
    found = set()
    for line in re.findall(r'^\.It Fl (.*)$', open(os.path.join(MANUAL, page)).read(), re.M):
        letter = re.match(r'([\w@])(?: Ar (\S+))? , Fl ', line)
        name = re.search(r'-([\w-]+)(?: Ns = Ns Ar (\S+))?$', line)
        if letter and letter[2] != name[2]:
            found.add(('contradiction', line))
        found.add((letter[1] if letter else '', name[1], name[2] or ''))
    return found


def every_help_agrees_with_its_manual_page():
    for command in COMMANDS:
        helped, paged = options_of_help(command)[0], options_of_page(f'polytrace-{command}.1')
        if helped != paged:
            yield f'{command}: {sorted(helped ^ paged)}'


def shared_options_stand_in_the_manual_page_of_options():
    shared = set().union(*(options_of_help(command)[1] for command in COMMANDS))
    paged = options_of_page('polytrace-options.7')
    if shared != paged:
        yield str(sorted(shared ^ paged))
    for command in COMMANDS:
        page = open(os.path.join(MANUAL, f'polytrace-{command}.1')).read()
        if options_of_help(command)[1] and '.Xr polytrace-options 7' not in page:
            yield f'polytrace-{command}(1) does not refer to polytrace-options(7)'


def help_is_the_same_in_all_its_ways():
    for command in COMMANDS:
        # trcrpt's own -h omits the header.
        short = '--help' if command == 'trcrpt' else '-h'
        if not text('help', command) == text(command, '--help') == text(command, short):
            yield command
        if polytrace(command, '--help').stderr:
            yield f'{command}: on standard error'


def every_command_has_a_test_of_its_printing():
    if set(COMMANDS) != set(PRINTING):
        yield str(COMMANDS)


def an_unknown_option_is_an_error():
    for command in COMMANDS:
        for option in ('--no-such-option', '-Z', '--json=1', '--fro=tt6'):
            done = polytrace(command, option, SAMPLE)
            if done.returncode != 2 or done.stdout or b'option' not in done.stderr:
                yield f'{command} {option}: {done}'


def a_misspelling_gets_the_nearest_name():
    for arguments, hint in ((('veiw',), 'view'), (('view', '--colums=pc'), '--columns'),
                            (('view', '-c', 'adress', SAMPLE), 'address'),
                            (('formats', 'bahc'), 'bach')):
        done = polytrace(*arguments)
        if done.returncode != 2 or f"'{hint}'" not in done.stderr.decode():
            yield f'{arguments}: {done.stderr}'


def a_full_device_is_an_error():
    for arguments in [*PRINTING.values(), ['--version'], ['help'], ['view', '-h'],
                      ['view', '--json', SAMPLE], ['view', '--csv', SAMPLE],
                      ['view', '--style', 'native', SAMPLE]]:
        with open('/dev/full', 'w') as full:
            done = polytrace(*arguments, stdout=full, capture_output=False,
                             stderr=subprocess.PIPE)
        if done.returncode != 2 or done.stderr.count(b'\n') != 1:
            yield f'{arguments}: {done}'


def a_closed_pipe_is_quiet():
    for ignored in (False, True):
        for arguments in PRINTING.values():
            out, into = os.pipe()
            os.close(out)
            done = polytrace(*arguments, stdout=into, capture_output=False,
                             stderr=subprocess.PIPE, restore_signals=not ignored)
            os.close(into)
            if done.stderr or done.returncode not in (0, -signal.SIGPIPE):
                yield f'{arguments}: {done}'


def no_input_on_a_terminal_is_an_error():
    for command in COMMANDS:
        if command in ('formats', 'record', 'sql', 'trcupdate'):
            continue
        controller, terminal = pty.openpty()
        extra = {'convert': ['-o', '/dev/null'], 'sim': ['branch'], 'who': ['--reg', 'r1'],
                 'join': ['-o', '/dev/null'], 'report': ['-o', '/dev/null'],
                 'split': ['--by', 'cpu', '-o', 'x'], 'pack': ['-o', '/dev/null'],
                 'unpack': ['-o', '/dev/null']}.get(command, [])
        done = polytrace(command, *extra, stdin=terminal)
        os.close(controller)
        os.close(terminal)
        if done.returncode != 2 or b"or '-' for standard input" not in done.stderr:
            yield f'{command}: {done}'


def colour_is_for_terminals():
    def colored(*arguments, **environment):
        controller, terminal = pty.openpty()
        polytrace('view', *arguments, SAMPLE, stdout=terminal, capture_output=False,
                  env=dict(os.environ, TERM='xterm', **environment))
        os.close(terminal)
        seen = os.read(controller, 1 << 16)
        os.close(controller)
        return b'\033[' in seen
    if not colored() or colored('--color=never') or colored(NO_COLOR='1'):
        yield 'on a terminal'
    if not colored('--color=always', NO_COLOR='1'):
        yield '--color=always'
    if b'\033[' in polytrace('view', SAMPLE).stdout:
        yield 'in a pipe'


def plots_are_for_terminals():
    def seen(**environment):
        controller, terminal = pty.openpty()
        polytrace('stats', '-a', 'mix', THREAD, stdout=terminal, capture_output=False,
                  env={**os.environ, 'TERM': 'xterm', 'COLUMNS': '70', **environment})
        os.close(terminal)
        text = b''
        try:
            while block := os.read(controller, 1 << 16):
                text += block
        except OSError:
            pass
        os.close(controller)
        return text.decode().replace('\r\n', '\n')
    plain, drawn = text('stats', '-a', 'mix', THREAD), seen(NO_COLOR='1')
    bars = [line for line in drawn.split('\n') if '█' in line]
    if not bars or '\033' in drawn or max(map(len, bars)) != 70:
        yield drawn
    if '\033[' not in seen():
        yield 'no colours'
    if not 70 < len(max(seen(NO_COLOR='1', COLUMNS='100').split('\n'), key=len)) <= 100:
        yield 'another width'
    if '█' in plain or seen(TERM='dumb') != plain:
        yield 'without a terminal'


class Feed(threading.Thread):
    """Writes bus records to a command's standard input until the command ends."""

    def __init__(self, pipe, pause):
        super().__init__()
        self.pipe, self.pause = pipe, pause
        self.is_read = threading.Event()
        self.start()

    def run(self):
        block = b''.join(struct.pack('>IBB', 0x1000 + 8 * i, 0xf0, 0xd0) for i in range(4096))
        written = 0
        try:
            while not self.pipe.closed:
                written += self.pipe.write(block)
                # More than a pipe holds: the command reads.
                if written > 4 << 20:
                    self.is_read.set()
                self.pipe.flush()
                time.sleep(self.pause)
        except (OSError, ValueError):
            pass


def interrupted(*arguments):
    """Runs a command on input without end and interrupts it; status and standard error."""
    process = subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.PIPE,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    feed = Feed(process.stdin, 0.001)
    feed.is_read.wait()
    process.send_signal(signal.SIGINT)
    status = process.wait()
    feed.join()
    error = process.stderr.read().decode()
    process.stderr.close()
    return status, error


def an_interruption_ends_the_work_and_is_reported():
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, 'out.bach')
        for arguments in (['info', '-f', 'bach', '-'], ['view', '-f', 'bach', '-'],
                          ['check', '-f', 'bach', '-'],
                          ['convert', '-f', 'bach', '-', '-o', out]):
            status, error = interrupted(*arguments)
            if status != -signal.SIGINT or 'interrupted after ' not in error or 'partial' not in error:
                yield f'{arguments}: {status} {error}'
        if os.listdir(folder):
            yield f'left: {os.listdir(folder)}'
        status, error = interrupted('convert', '-f', 'bach', '-', '-o', out, '--partial')
        count = re.search(r'after (\d+) records', error)
        if status != -signal.SIGINT or not count or os.path.getsize(out) != 6 * int(count[1]):
            yield f'--partial: {status} {error}'


def long_work_shows_its_progress_on_a_terminal():
    controller, terminal = pty.openpty()
    process = subprocess.Popen([PROGRAM, 'check', '-f', 'bach', '-'], stdin=subprocess.PIPE,
                               stdout=subprocess.DEVNULL, stderr=terminal)
    os.close(terminal)
    feed = Feed(process.stdin, 0.02)
    seen = b''
    while b'MiB/s' not in seen:
        seen += os.read(controller, 1 << 16)
    process.send_signal(signal.SIGINT)
    process.wait()
    feed.join()
    try:
        while block := os.read(controller, 1 << 16):
            seen += block
    except OSError:
        pass
    os.close(controller)
    if seen.rfind(b'\r\033[K') < seen.rfind(b'MiB/s'):
        yield repr(seen)


def pages():
    return sorted(name for name in os.listdir(MANUAL) if re.search(r'\.\d$', name))


def manual_pages_are_valid():
    for page in pages():
        done = subprocess.run(['mandoc', '-Tlint', '-Wwarning', os.path.join(MANUAL, page)],
                              capture_output=True, text=True)
        if done.returncode or done.stdout:
            yield done.stdout
        for name, section in re.findall(r'^\.Xr (polytrace\S*) (\d)',
                                        open(os.path.join(MANUAL, page)).read(), re.M):
            if f'{name}.{section}' not in pages():
                yield f'{page} refers to {name}({section})'


def every_page_is_installed():
    listed = open(os.path.join(MANUAL, 'meson.build')).read()
    for page in pages():
        if f"'{page}'" not in listed:
            yield page


def the_page_of_columns_lists_every_column():
    page = open(os.path.join(MANUAL, 'polytrace-columns.5')).read()
    paged = dict(re.findall(r'^\.It Cm (\S+)\n(.*) \([\w ]+\)$', page, re.M))
    defined = open(os.path.join(ROOT, 'include', 'polytrace', 'columns.def')).read()
    columns = dict(re.findall(r'^COLUMN\((\w+),.*?"(.*?)"\)', defined, re.M | re.S))
    for name in sorted(paged.keys() | columns.keys()):
        if paged.get(name) != columns.get(name):
            yield f'{name}: {paged.get(name)}, defined: {columns.get(name)}'


def every_format_has_a_page_with_its_options_and_rules():
    for row in json.loads(text('formats', '--json'))['formats']:
        name = PAGES.get(row['name'], row['name'])
        path = os.path.join(MANUAL, f'polytrace-{name}.5')
        if not os.path.exists(path):
            yield f'{row["name"]}: the page polytrace-{name}(5) is missing'
            continue
        page = open(path).read()
        facts = json.loads(text('formats', '--json', row['name']))
        words = [option['option'] for option in facts.get('options', [])]
        words += [rule['rule'] for rule in facts.get('rules', [])]
        for word in words:
            if not re.search(r'^\.It (Cm )?' + re.escape(word) + r'\b', page, re.M):
                yield f'{row["name"]}: polytrace-{name}(5) lacks {word}'
        for rule in facts.get('rules', []):
            if f'\n{rule["condition"]}' not in page.replace('\\&', ''):
                yield f'{row["name"]}: polytrace-{name}(5) has another text of {rule["rule"]}'


# Files that the examples use, by the samples that stand for them.
EXAMPLES = {'trace.gz': 'amber/thread_001.tt6e', 'thread_001.tt6e': 'tt6/thread_002.tt6e',
            'trace.tt6': 'amber/thread_001.tt6', 'trace.tt6e': 'amber/thread_001.tt6e',
            'trace.bach': 'bach/special.tr', 'trace.tr': 'bach/start_2k.bach',
            'run.full': 'full/start.full1008', 'gcc-1K.trace.gz': 'cis501/sort_1k.trace',
            'trace.q4v': 'qemu4v/seed3.q4v', 'trace.lackey': 'lackey/words.lackey', 'run.log': 'qemu_log/riscv64.log',
            'trace.tarmac': 'tarmac/owner.tarmac', 'trace.champsim': 'champsim/free.champsim',
            'trace.sbbt': 'sbbt/free.sbbt', 'requests.oracleGeneral': 'oraclegeneral/random.oracleGeneral',
            'calls.tarmac': 'tarmac/calls.tarmac',
            'trace.memtrace': 'drmemtrace/every.memtrace',
            'trcfile': 'aix/log1112.trc', 'templates': 'aix/vectors/v1.trcfmt',
            'events': 'aix/vectors/all.raw',
            'arm.trace': 'cis501/thumb.trace', 'bimodal3.output': 'course/bimodal.expected',
            'mine.output': 'course/bimodal.expected', 'trace.ptz': 'ptz/sort_1k.ptz',
            'pinatrace.out': 'text/pinatrace.out', 'branches.txt': 'text/branches.txt',
            'references.txt': 'text/references.txt'}


# What laws need: programs of this machine are recorded by its emulator.
NEEDED = {'manual_pages_are_valid': ['mandoc'], 'the_examples_of_recordings_run':
          [{'i686': 'qemu-i386'}.get(os.uname().machine, f'qemu-{os.uname().machine}')]}


def run_examples(commands):
    """Runs command lines in a folder with the files that they use; yields those that fail."""
    if not commands:
        return
    with tempfile.TemporaryDirectory() as folder:
        for name, sample in EXAMPLES.items():
            shutil.copy(os.path.join(ROOT, 'tests', 'data', sample), os.path.join(folder, name))
        for command in commands:
            if not shutil.which('jq'):
                command = command.split(' | jq')[0]
            path = os.path.dirname(PROGRAM) + ':' + os.environ['PATH']
            done = subprocess.run(command, shell=True, cwd=folder, capture_output=True,
                                  stdin=subprocess.DEVNULL, env=dict(os.environ, PATH=path))
            is_quiet = re.search(' -o | --append | --resume |polytrace (pack|record|unpack|trcupdate) ', command)
            if done.returncode or not (done.stdout or is_quiet):
                yield f'{command}: {done}'


def examples_of_page(page):
    return re.findall(r'^\.Dl \$ (polytrace .*)$', open(os.path.join(MANUAL, page)).read().replace('\\&', ''), re.M)


def examples_of_help(command):
    return re.findall(rf'^  (polytrace {command} .*|polytrace {command})$', text('help', command), re.M)


def is_recording(command):
    return ' record ' in command


def the_examples_of_the_pages_run():
    for page in pages():
        for fault in run_examples(list(itertools.filterfalse(is_recording, examples_of_page(page)))):
            yield f'{page}: {fault}'


def the_examples_of_the_helps_run():
    for command in COMMANDS:
        examples = examples_of_help(command)
        if len(examples) != 2:
            yield f'{command}: {len(examples)} examples'
        yield from run_examples(list(itertools.filterfalse(is_recording, examples)))


def the_examples_of_recordings_run():
    for examples in *map(examples_of_page, pages()), examples_of_help('record'):
        yield from run_examples(list(filter(is_recording, examples)))


LAWS = [every_help_agrees_with_its_manual_page,
        shared_options_stand_in_the_manual_page_of_options, help_is_the_same_in_all_its_ways,
        every_command_has_a_test_of_its_printing, an_unknown_option_is_an_error,
        a_misspelling_gets_the_nearest_name, a_full_device_is_an_error, a_closed_pipe_is_quiet,
        no_input_on_a_terminal_is_an_error, colour_is_for_terminals,
        plots_are_for_terminals,
        an_interruption_ends_the_work_and_is_reported, long_work_shows_its_progress_on_a_terminal,
        manual_pages_are_valid, every_page_is_installed, the_page_of_columns_lists_every_column,
        every_format_has_a_page_with_its_options_and_rules,
        the_examples_of_the_pages_run, the_examples_of_the_helps_run, the_examples_of_recordings_run]


def faults_of(law):
    """The faults of a law; a missing file is one, and ends the law."""
    try:
        yield from law()
    except FileNotFoundError as error:
        yield f'{error.filename} is missing'


LAWS = [law for law in LAWS if law.__name__ in sys.argv[2:]] or sampling.sparse(LAWS)
print(f'1..{len(LAWS)}')
for number, law in enumerate(LAWS, 1):
    lacking = needs.lacking(*NEEDED.get(law.__name__, ()))
    if law == a_closed_pipe_is_quiet or law.__name__.startswith('the_examples_of'):
        lacking = lacking or needs.without('capstone', 'isal', 'jansson', 'pcre2', 'sqlite', 'xxhash', 'zstd')
    if lacking:
        print(f'ok {number} - {law.__name__} # SKIP {lacking}')
        continue
    faults = list(faults_of(law))
    for fault in faults:
        print('\n'.join('# ' + line for line in fault.splitlines()))
    print(f'{"not " if faults else ""}ok {number} - {law.__name__}', flush=True)
