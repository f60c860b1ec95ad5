"""Samples of repetitive cases. With POLYTRACE_SAMPLE=N in the environment, a test tries about one of N
cases, which POLYTRACE_SEED determines. Without it, a test tries all cases. Sanitizer builds set POLYTRACE_SPARSE,
too, so that they try only one of N properties as well."""
import json
import os
import random
import subprocess
import sys

ONE_OF = int(os.environ.get('POLYTRACE_SAMPLE', '1'))
SPARSE = int(os.environ.get('POLYTRACE_SPARSE', '1'))
# Each program has choices of its own, so that they do not all choose the same samples.
CHOICE = random.Random(os.environ.get('POLYTRACE_SEED', '0') + os.path.basename(sys.argv[0]))


def sampled(cases, share=1):
    """The cases to be tried: about one of N, or of N divided by share."""
    return [case for case in cases if CHOICE.randrange(max(1, ONE_OF // share)) == 0]


def some(cases):
    """Some cases of one property, at least one: about one of N divided by 8."""
    cases = list(cases)
    return sampled(cases, 8) or [CHOICE.choice(cases)]


def sparse(cases):
    """The cases to be tried of properties that differ: all, or with POLYTRACE_SPARSE=N one of N, at least one."""
    cases = list(cases)
    return [case for case in cases if CHOICE.randrange(SPARSE) == 0] or [CHOICE.choice(cases)]


def writable(program):
    """The formats that polytrace can write."""
    listed = json.loads(subprocess.run([program, 'formats', '--json'], capture_output=True, check=True).stdout)
    return {form['name'] for form in listed['formats'] if form['write'] == 'yes'}


def needed(form, name):
    """The library, as meson_options.txt names it, that a file of tests/data needs."""
    return 'jansson' if form == 'jsonl' else 'isal' if name.endswith('.gz') else ''
