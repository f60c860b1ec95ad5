#!/usr/bin/env python3
"""The time in which Python sums the addresses of a packed trace, compared with loading them in C.

    python.py COLUMN PACKED-FILE [ROUNDS]

COLUMN is the program bench/column of a build; the package polytrace is that of PYTHONPATH. Both
load with one thread, in turn; the medians are of processor time.
"""
import statistics
import subprocess
import sys
import time

import polytrace


def total(path):
    """The sum of all addresses, modulo 2^64."""
    result = 0
    for batch in polytrace.open(path, columns=['address'], threads=1):
        result += int(batch['address'].numpy().sum())
    return result % 2**64


def main():
    """Prints both medians and their ratio."""
    column, path = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 9
    seconds = {'C': [], 'Python': []}
    with subprocess.Popen([column, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as process:
        for _ in range(rounds):
            process.stdin.write('\n')
            process.stdin.flush()
            seconds['C'].append(float(process.stdout.readline()))
            start = time.process_time()
            total(path)
            seconds['Python'].append(time.process_time() - start)
        process.stdin.close()
    medians = {name: statistics.median(times) for name, times in seconds.items()}
    for name, median in medians.items():
        print(f'{name:7} {median:7.3f} s')
    print(f'ratio   {medians["Python"] / medians["C"]:7.2f}   (target: at most 2)')


main()
