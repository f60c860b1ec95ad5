"""The tests of the installed package polytrace; wheel.py runs them. Values are compared with JSON Lines and
reports of the command."""
import ast
import doctest
import functools
import os
import re
import shutil
import subprocess
import sys
import traceback
import zipfile

ROOT = os.environ['POLYTRACE_ROOT']
# The library of the sanitizers is for interpreters, not for the other programs that tests run.
os.environ['PRELOAD'] = os.environ.pop('LD_PRELOAD', '')
IS_SANITIZED = os.environ['PRELOAD'] != ''
sys.path += [os.path.join(ROOT, 'tests', 'cli'), os.path.join(ROOT, 'tests')]
import consumers
import needs
import polytrace
import reading
import results
import tap
import writing


def the_wheel_serves_later_interpreters():
    name = os.path.basename(os.environ['WHEEL'])
    if '-cp311-abi3-linux' not in name:
        yield name
    with zipfile.ZipFile(os.environ['WHEEL']) as wheel:
        files = {file for file in wheel.namelist() if file.startswith('polytrace/')}
    expected = {'polytrace/' + file for file in (
        '__init__.py', '__init__.pyi', '_errors.py', '_native.abi3.so', '_write.py', 'py.typed')}
    if files != expected:
        yield f'{files ^ expected} are or are not in the wheel'


def the_examples_of_the_manual_run():
    with open(os.path.join(ROOT, 'doc', 'man', 'polytrace-python.7')) as page:
        blocks = re.findall(r'^\.Bd -literal\n(>>> .*?)^\.Ed$', page.read(), re.S | re.M)
    examples = doctest.DocTestParser().get_doctest('\n'.join(blocks).replace('\\&', ''), {}, 'polytrace-python.7', None, 0)
    shutil.copytree(reading.DATA, 'data')
    os.chdir('data')
    output = []
    doctest.DocTestRunner(verbose=False).run(examples, out=output.append)
    os.chdir('..')
    if output or len(examples.examples) < 10:
        yield ''.join(output)


def the_package_describes_itself():
    for name in polytrace.__all__:
        item = getattr(polytrace, name)
        if not item.__doc__ or item.__module__.split('.')[0] != 'polytrace':
            yield f'{name} has no description'
    with open(os.path.join(os.path.dirname(polytrace.__file__), '__init__.pyi')) as file:
        hints = set(re.findall(r'^(?:class|def) (\w+)', text := file.read(), re.M))
    ast.parse(text)
    if hints != set(polytrace.__all__):
        yield f'type hints and names: {hints ^ set(polytrace.__all__)}'
    with open(os.path.join(ROOT, 'include', 'polytrace', 'version.h')) as file:
        version = '.'.join(re.findall(r'^#define POLY_VERSION_\w+ (\d+)', file.read(), re.M))
    if polytrace.__version__ != version or f'-{version}-' not in os.path.basename(os.environ['WHEEL']):
        yield polytrace.__version__


def lack_of_memory_is_an_exception():
    here, library = os.path.dirname(os.path.abspath(__file__)), os.path.abspath('refuse.so')
    subprocess.run(['cc', '-shared', '-fPIC', '-O1', '-o', library, os.path.join(here, 'refuse.c'), '-ldl'], check=True)
    done = subprocess.run([sys.executable, os.path.join(here, 'memory.py')], capture_output=True, text=True,
                          env={**os.environ, 'LD_PRELOAD': library}, check=False)
    if done.returncode or done.stdout or done.stderr.count(' allocations\n') != 5:
        yield f'{done.returncode}: {done.stdout}{done.stderr}'


def skipped():
    """Reasons by the name of a test."""
    reasons = {}
    if not consumers.duckdb_path():
        reasons['duckdb_has_the_values_of_json_lines'] = needs.reason('npm:duckdb')
    if IS_SANITIZED:
        reasons['lack_of_memory_is_an_exception'] = 'another allocator is preloaded'
        reasons['duckdb_has_the_values_of_json_lines'] = 'DuckDB has no sanitizers'
    return reasons


def guarded(test):
    """The same test; an exception is a fault."""
    @functools.wraps(test)
    def run():
        try:
            yield from test()
        except Exception:  # of any kind
            yield traceback.format_exc()
    return run


TESTS = [the_wheel_serves_later_interpreters, *reading.TESTS, *writing.TESTS, *results.TESTS, *consumers.TESTS,
         the_examples_of_the_manual_run, the_package_describes_itself, lack_of_memory_is_an_exception]
tap.run(list(map(guarded, TESTS)), skipped())
