"""Samples of repetitive cases. With POLYTRACE_SAMPLE=N in the environment, a test tries about one of N
cases, which POLYTRACE_SEED determines. Without it, a test tries all cases."""
import os
import random

ONE_OF = int(os.environ.get('POLYTRACE_SAMPLE', '1'))
CHOICE = random.Random(int(os.environ.get('POLYTRACE_SEED', '0')))


def sampled(cases):
    """The cases to be tried."""
    return [case for case in cases if CHOICE.randrange(ONE_OF) == 0]
