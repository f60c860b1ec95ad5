"""Samples of repetitive cases. With POLYTRACE_SAMPLE=N in the environment, a test tries about one of N
cases, which POLYTRACE_SEED determines. Without it, a test tries all cases."""
import json
import os
import random
import subprocess

ONE_OF = int(os.environ.get('POLYTRACE_SAMPLE', '1'))
CHOICE = random.Random(int(os.environ.get('POLYTRACE_SEED', '0')))


def sampled(cases, share=1):
    """The cases to be tried: about one of N, or of N divided by share."""
    return [case for case in cases if CHOICE.randrange(max(1, ONE_OF // share)) == 0]


def sparse(cases):
    """The cases to be tried of those that differ: all, or one of four under the sanitizers."""
    return sampled(cases, 8) or list(cases)[:1]


def writable(program):
    """The formats that polytrace can write."""
    listed = json.loads(subprocess.run([program, 'formats', '--json'], capture_output=True, check=True).stdout)
    return {form['name'] for form in listed['formats'] if form['write'] == 'yes'}


def needed(form, name):
    """The library, as meson_options.txt names it, that a file of tests/data needs."""
    return 'jansson' if form == 'jsonl' else 'isal' if name.endswith('.gz') else ''
