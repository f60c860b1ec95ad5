"""Runs tests, generators of faults, and prints the results as TAP."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import dispositions  # noqa: E402,F401
import sampling  # noqa: E402


def run(tests, skipped=None):
    """Runs functions that yield their faults; skipped: reasons by name."""
    tests = sampling.sparse(tests)
    print(f'1..{len(tests)}')
    for number, test in enumerate(tests, 1):
        name = test.__name__
        if skipped and name in skipped:
            print(f'ok {number} - {name} # SKIP {skipped[name]}')
            continue
        faults = list(test())
        for fault in faults[:10]:
            print('# ' + str(fault).replace('\n', '\n# '))
        print(f'{"not " if faults else ""}ok {number} - {name}', flush=True)
