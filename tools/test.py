#!/usr/bin/env python3
"""Builds and runs the tests in several configurations and counts them.

    tools/test.py [plain] [asan] [tsan]

plain: gcc, every test. asan: clang with address and undefined-behaviour sanitizers and failing
allocations, every test except the structure of the source, models in Python and the browser.
tsan: gcc with the thread sanitizer, tests that start threads. Without arguments: all three. The last
line of output is "N passed, N failed, N skipped"; the exit status is 0 if no test failed.
"""
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as xml

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# name: compiler, meson setup options, meson test options
CONFIGURATIONS = {
    'plain': ('gcc', [], []),
    'asan': ('clang', ['-Db_sanitize=address,undefined', '-Db_lundef=false',
                       '-Dbuildtype=debugoptimized', '-Dfault_injection=true'],
             ['--no-suite', 'structure', '--no-suite', 'memory', '--no-suite', 'models',
              '--no-suite', 'browser']),
    'tsan': ('gcc', ['-Db_sanitize=thread', '-Db_lundef=false', '-Dbuildtype=debugoptimized'],
             ['--suite', 'threads']),
}
SANITIZERS = {
    'ASAN_OPTIONS': 'detect_leaks=1:abort_on_error=0:allocator_may_return_null=1',
    'UBSAN_OPTIONS': 'halt_on_error=1:print_stacktrace=1',
    'TSAN_OPTIONS': 'halt_on_error=1',
}


# Options that every tested build has, whatever it was first configured with.
REQUIRED = {'tests': 'enabled', 'werror': True}


def configure(folder, options, environment):
    """Configures a build folder, or changes what its options lack. Returns success."""
    words = ['-Dtests=enabled', '-Dwerror=true']
    if not os.path.exists(os.path.join(folder, 'build.ninja')):
        command = ['meson', 'setup', folder, *words, *options]
    else:
        found = json.loads(subprocess.run(['meson', 'introspect', '--buildoptions', folder],
                                          stdout=subprocess.PIPE, check=True).stdout)
        values = {option['name']: option['value'] for option in found}
        if all(values.get(name) == value for name, value in REQUIRED.items()):
            return True
        command = ['meson', 'setup', '--reconfigure', folder, *words]
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        print(done.stdout)
    return done.returncode == 0


def build(name):
    """Configures and builds one configuration; returns its folder, or None on failure."""
    compiler, options, _ = CONFIGURATIONS[name]
    folder = os.path.join(ROOT, 'build' if name == 'plain' else 'build-' + name)
    if not configure(folder, options, dict(os.environ, CC=compiler)):
        return None
    return folder if subprocess.run(['ninja', '-C', folder]).returncode == 0 else None


def results(folder):
    """Counts passed, failed and skipped test cases of the run that meson wrote last."""
    passed = failed = skipped = 0
    for suite in xml.parse(os.path.join(folder, 'meson-logs', 'testlog.junit.xml')).getroot():
        for case in suite.iter('testcase'):
            name = f"{suite.get('name')}: {case.get('name')}"
            if case.find('failure') is not None or case.find('error') is not None:
                failed += 1
                print('FAILED', name)
            elif case.find('skipped') is not None:
                skipped += 1
                print('skipped', name)
            else:
                passed += 1
    return passed, failed, skipped


def run(name):
    """Builds and tests one configuration."""
    print(f'== {name}', flush=True)
    folder = build(name)
    if not folder:
        print(f'FAILED {name}: the build')
        return 0, 1, 0
    log = os.path.join(folder, 'meson-logs', 'testlog.junit.xml')
    if os.path.exists(log):
        os.remove(log)
    environment = dict(SANITIZERS, **os.environ)
    # A busy machine is slower: limits only end what hangs.
    status = subprocess.run(['meson', 'test', '-C', folder, '--no-rebuild', '--print-errorlogs',
                             '--timeout-multiplier', '10',
                             *CONFIGURATIONS[name][2]], env=environment).returncode
    passed, failed, skipped = results(folder) if os.path.exists(log) else (0, 0, 0)
    if status and not failed:
        print(f'FAILED {name}: meson test ended with status {status}')
        failed = 1
    return passed, failed, skipped


def main():
    names = sys.argv[1:] or list(CONFIGURATIONS)
    counts = [run(name) for name in names]
    passed, failed, skipped = (sum(column) for column in zip(*counts))
    print(f'{passed} passed, {failed} failed, {skipped} skipped', flush=True)
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
