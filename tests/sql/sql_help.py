"""What the tests of SQL share."""
import csv
import io
import json
import os
import subprocess
import sys

ROOT = os.environ['POLYTRACE_ROOT']
sys.path.insert(0, os.path.join(ROOT, 'tests', 'cli'))
sys.path.insert(0, os.path.join(ROOT, 'tests'))
DATA = os.path.join(ROOT, 'tests', 'data')
PROGRAM = os.path.abspath(sys.argv[1])
LACKS = os.environ.get('POLYTRACE_LACKS', '').split()


def run(*words, **options):
    """A finished command in the folder of the samples."""
    return subprocess.run([PROGRAM, *words], **{'cwd': DATA, 'stdin': subprocess.DEVNULL,
                                                'capture_output': True, **options})


def sql(*words, **options):
    return run('sql', *words, **options)


def rows(*words):
    """The rows of a statement that succeeds, as objects."""
    done = sql('--json', *words)
    if done.returncode or done.stderr:
        raise AssertionError(f'{words}: {done}')
    return [json.loads(line) for line in done.stdout.splitlines()]


def report(*words):
    done = run(*words, '--json')
    return json.loads(done.stdout)


def read_csv(text):
    return list(csv.DictReader(io.StringIO(text)))


def forms():
    """The form of each column by its name, from the list of columns."""
    found = {}
    for line in open(os.path.join(ROOT, 'include', 'polytrace', 'columns.def')):
        if line.startswith('COLUMN('):
            name, _, form, _ = line[7:].split(', ', 3)
            found[name] = form
    return found


FORMS = forms()


def samples():
    """Format, path and options of every sample that this build reads."""
    import sampling
    for line in open(os.path.join(DATA, 'samples')):
        if not line.startswith('#') and line.strip():
            form, path, *option = line.split()
            if sampling.needed(form, path) not in LACKS:
                yield form, path, option
