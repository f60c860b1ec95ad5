"""Samples of repetitive cases. With POLYTRACE_SAMPLE=N in the environment, a test tries about one of N
cases, which POLYTRACE_SEED determines. Without it, a test tries all cases."""
import json
import os
import random
import subprocess

ONE_OF = int(os.environ.get('POLYTRACE_SAMPLE', '1'))
CHOICE = random.Random(int(os.environ.get('POLYTRACE_SEED', '0')))


def sampled(cases):
    """The cases to be tried."""
    return [case for case in cases if CHOICE.randrange(ONE_OF) == 0]


def writable(program):
    """The formats that polytrace can write."""
    listed = json.loads(subprocess.run([program, 'formats', '--json'], capture_output=True, check=True).stdout)
    return {form['name'] for form in listed['formats'] if form['write'] == 'yes'}


def needed(form, name):
    """The library, as meson_options.txt names it, that a file of tests/data needs."""
    return 'jansson' if form == 'jsonl' else 'isal' if name.endswith('.gz') else ''
