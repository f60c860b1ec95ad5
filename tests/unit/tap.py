#!/usr/bin/env python3
"""Runs a unit test program and mends its TAP: cmocka prints "not ok N # SKIP name" for a test that
is skipped, which readers of TAP take for a failure. The line before has the reason."""
import re
import subprocess
import sys

with subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True) as program:
    reason = ''
    for line in program.stdout:
        print(re.sub(r'^not ok (\d+) # SKIP (.*)', rf'ok \1 - \2 # SKIP {reason}', line), end='', flush=True)
        reason = line[2:].strip() if re.match('# .*(the|this) build lacks ', line) else reason
sys.exit(program.returncode)
