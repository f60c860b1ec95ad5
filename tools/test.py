#!/usr/bin/env python3
"""Builds and runs the tests in several configurations and counts them.

    tools/test.py [--all] [--continue] [--times] [plain] [slow] [asan] [tsan] [fuzz]

plain: gcc, every test but those of the suite slow. slow: the same build, the suites slow and sampled. asan: clang with
address and undefined-behaviour sanitizers and failing allocations, every test except the structure of the
source, models in Python, the recipes and the browser. tsan: gcc with the thread sanitizer, tests that start
threads. Of the repetitive cases, each tries a sample (tests/sampling.h) that POLYTRACE_SEED determines.
Without names: these four. --all tries all cases everywhere, and with fuzz, or without names, every fuzz
target for $SECONDS (default 120). --continue: plain has been run, and only tests that lacked a package are
run again. --times prints the processor time of each test, in the order of time.
Skipped tests are counted by the package that they lack. The last line of output is "N passed, N failed,
N skipped"; the exit status is 0 if no test failed.
"""
import collections
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Optimised, with as much debugging information as the traces of a sanitizer show.
TRACED = ['-Db_lundef=false', '-Doptimization=2', '-Ddebug=false', '-Dc_args=-g1']
SANITIZED = {'asan', 'tsan'}
# name: compiler, meson setup options, meson test options
CONFIGURATIONS = {
    'plain': ('gcc', ['-Dmpi=auto'], ['--no-suite', 'slow']),
    'slow': ('gcc', ['-Dmpi=auto'], ['--suite', 'slow', '--suite', 'sampled']),
    'asan': ('clang', ['-Db_sanitize=address,undefined', '-Dfault_injection=true', *TRACED],
             ['--no-suite', 'structure', '--no-suite', 'memory', '--no-suite', 'models',
              '--no-suite', 'browser', '--no-suite', 'recipes']),
    'tsan': ('gcc', ['-Db_sanitize=thread', *TRACED], ['--suite', 'threads']),
}
SANITIZERS = {
    # A quarantine of 16 MB instead of 256 halves the time: fewer new pages.
    'ASAN_OPTIONS': 'detect_leaks=1:abort_on_error=0:allocator_may_return_null=1:'
                    'quarantine_size_mb=16',
    'UBSAN_OPTIONS': 'halt_on_error=1:print_stacktrace=1',
    'TSAN_OPTIONS': 'halt_on_error=1',
}
# The builds try one of this number of repetitive cases.
SAMPLE = {'plain': 64, 'slow': 8, 'asan': 32, 'tsan': 16}
# And one of this number of properties of commands, which the plain build checks all.
SPARSE = {'asan': 4}
FUZZ_TARGETS = ['reader', 'calls', 'symbols', 'filter', 'lines', 'ptz', 'states', 'templates', 'trcfmt']
# What precedes the packages in the reason of a test that is skipped (tests/needs.py).
NEEDS = 'needs the package '
# Options of every tested build, and those of a build folder that does not exist yet: what `make run` built is
# not compiled again for them.
REQUIRED = ['-Dtests=enabled']
PREFERRED = ['-Dwerror=true']


def has_option(values, word):
    """Whether a build folder has an option -Dname=value; lists are those of its creation."""
    name, value = word[len('-D'):].split('=', 1)
    return isinstance(values.get(name), list) or str(values.get(name)).lower() == value


def introspect(folder, what):
    """What meson knows about a build folder."""
    return json.loads(subprocess.run(['meson', 'introspect', what, folder],
                                     stdout=subprocess.PIPE, check=True).stdout)


def needed(folder, chosen):
    """The files of a build folder that the chosen tests depend on."""
    only, without = ([f'polytrace:{suite}' for option, suite in zip(chosen[::2], chosen[1::2])
                      if option == kind] for kind in ('--suite', '--no-suite'))
    wanted = {target for test in introspect(folder, '--tests')
              if (not only or set(only) & set(test['suite'])) and not set(without) & set(test['suite'])
              for target in test['depends']}
    return [os.path.relpath(file, folder) for target in introspect(folder, '--targets')
            if target['id'] in wanted for file in target['filename']]


def configure(folder, options, environment, renew):
    """Configures a build folder, or changes what its options lack. Returns success."""
    words = [*REQUIRED, *options]
    if not os.path.exists(os.path.join(folder, 'build.ninja')):
        command = ['meson', 'setup', folder, *PREFERRED, *words]
    else:
        values = {option['name']: option['value']
                  for option in introspect(folder, '--buildoptions')}
        if not renew and all(has_option(values, word) for word in words):
            return True
        command = ['meson', 'setup', '--reconfigure', folder, *words]
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        print(done.stdout)
    return done.returncode == 0


def build(name, renew):
    """Configures and builds one configuration; returns its folder, or None on failure."""
    compiler, options, chosen = CONFIGURATIONS[name]
    folder = os.path.join(ROOT, 'build-' + name if name in SANITIZED else 'build')
    # Meson uses ccache by itself only with a compiler of its own choice.
    compiler = f'ccache {compiler}' if shutil.which('ccache') else compiler
    if not configure(folder, options, dict(os.environ, CC=compiler), renew):
        return None
    # What meson knows is stale if one of its files changed.
    if subprocess.run(['ninja', '-C', folder, 'build.ninja']).returncode:
        return None
    # Plain tests install the library, which needs everything.
    targets = needed(folder, chosen) if name in SANITIZED else []
    return folder if subprocess.run(['ninja', '-C', folder, *targets]).returncode == 0 else None


def results(log):
    """The results in a log of meson: names of test and case, 'passed', 'failed' or 'skipped', and why."""
    found = []
    for suite in xml.parse(log).getroot() if os.path.exists(log) else ():
        for case in suite.iter('testcase'):
            # A program without cases is a case of the project.
            _, dot, test = suite.get('name').partition('.')
            names = (test.split(' / ')[-1], case.get('name')) if dot else (case.get('name').split(' / ')[-1], '')
            output = case.findtext('system-out') or ''
            if case.find('failure') is not None or case.find('error') is not None:
                found.append([*names, 'failed', ''])
            elif case.find('skipped') is not None:
                reason = re.search(r'^1\.\.0 # SKIP (.*)$', output, re.M)
                found.append([*names, 'skipped', reason[1] if reason else '' if not dot else output])
            else:
                found.append([*names, 'passed', ''])
    return found


def summary(found):
    """Prints what failed, and the number of skipped tests by the package that they lack."""
    lacks = collections.Counter()
    for test, case, result, reason in found:
        if result == 'failed':
            print(f'FAILED {test}: {case}')
        elif result == 'skipped':
            lacks.update([f' without {name}' for name in reason.removeprefix(NEEDS).split()]
                         if reason.startswith(NEEDS) else [f': {reason or "no reason"}'])
    for reason, count in lacks.most_common():
        print(f'skipped {count} test{"s" * (count > 1)}{reason}')


def processor_time():
    """Seconds of processor time of all finished child processes."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def fuzz():
    """Fuzzes every target; returns the results."""
    return [['fuzz', target, 'failed' if subprocess.run(
        [sys.executable, os.path.join(ROOT, 'tools', 'fuzz.py')],
        env={'SECONDS': '120', **os.environ, 'TARGET': target}).returncode else 'passed', '']
        for target in FUZZ_TARGETS]


def print_times(folder, path):
    """Prints the file of tools/timed.py: seconds, and the name of the test."""
    names = {tuple(test['cmd']): test['name'] for test in introspect(folder, '--tests')}
    with open(path) as file:
        lines = [line.split('\t') for line in file]
    for seconds, command in sorted(lines, key=lambda line: -float(line[0])):
        command = tuple(json.loads(command))
        print(f'{float(seconds):8.2f} s  {names.get(command, " ".join(command))}')


def run_tests(folder, options, environment):
    """Runs the tests of a build; returns meson's status, and the log with the results."""
    logs = os.path.join(folder, 'meson-logs')
    log, times = os.path.join(logs, 'testlog.junit.xml'), os.path.join(logs, 'times')
    if '--times' in sys.argv[1:]:
        # Meson names the logs after the wrapper.
        log = os.path.join(logs, 'testlog-timed.py.junit.xml')
        options = ['--wrapper', os.path.join(ROOT, 'tools', 'timed.py'), *options]
        environment = {**environment, 'POLYTRACE_TIMES': times}
    for path in (log, times):
        if os.path.exists(path):
            os.remove(path)
    status = subprocess.run(['meson', 'test', '-C', folder, '--no-rebuild', '--print-errorlogs', *options],
                            env=environment).returncode
    if os.path.exists(times):
        print_times(folder, times)
    return status, log


def run(name, sample, seed, again):
    """Builds and tests one configuration, or the tests again; returns the results."""
    start = processor_time()
    print(f'== {name}: one of {sample} repetitive cases, POLYTRACE_SEED={seed}', flush=True)
    folder = build(name, again)
    built = processor_time()
    if not folder:
        return [[name, 'the build', 'failed', '']]
    environment = {**SANITIZERS, **os.environ, 'POLYTRACE_SAMPLE': str(sample),
                   'POLYTRACE_SEED': str(seed), 'POLYTRACE_SPARSE': str(SPARSE.get(name, 1))}
    if '--all' in sys.argv[1:]:
        environment.update(POLYTRACE_LONG='1', POLYTRACE_SPARSE='1')
    status, log = run_tests(folder, again or CONFIGURATIONS[name][2], environment)
    print(f'{name}: {built - start:.0f} s of processor time to build, '
          f'{processor_time() - built:.0f} s to test')
    found = results(log)
    if status and not any(result == 'failed' for _, _, result, _ in found):
        found.append([name, f'meson test ended with status {status}', 'failed', ''])
    return found


def run_plain(sample, seed):
    """Runs the plain tests; or, after they were run, those that lacked a package. Returns all results."""
    record = os.path.join(ROOT, 'build', 'tested.json')
    found, again = [], []
    if '--continue' in sys.argv[1:]:
        with open(record) as file:
            found = json.load(file)
        again = sorted({test for test, _, _, reason in found if reason.startswith(NEEDS)})
        found = [each for each in found if each[0] not in again]
    if again or not found:
        found += run('plain', sample, seed, again)
    with open(record, 'w') as file:
        json.dump(found, file)
    return found


def main():
    complete = '--all' in sys.argv[1:]
    names = [name for name in sys.argv[1:] if name not in ('--all', '--continue', '--times')]
    if not set(names) <= {*CONFIGURATIONS, 'fuzz'}:
        sys.exit(__doc__)
    names = names or list(CONFIGURATIONS) + ['fuzz'] * complete
    seed = int(os.environ.get('POLYTRACE_SEED', random.randrange(1 << 31)))
    found = []
    for name in names:
        sample = 1 if complete else SAMPLE.get(name)
        new = fuzz() if name == 'fuzz' else run_plain(sample, seed) if name == 'plain' else run(name, sample, seed, [])
        summary(new)
        found += new
    counts = collections.Counter(result for _, _, result, _ in found)
    print(f'{counts["passed"]} passed, {counts["failed"]} failed, {counts["skipped"]} skipped', flush=True)
    return 1 if counts['failed'] or not counts['passed'] else 0


if __name__ == '__main__':
    sys.exit(main())
