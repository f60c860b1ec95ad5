#!/usr/bin/env python3
"""Runs a command, appends a line to the file $POLYTRACE_TIMES: the seconds of processor time that the
command and its children used, a tab, and the command as JSON; and exits with its status. A wrapper for
meson test; tools/test.py --times prints such a file as a table."""
import json
import os
import sys

child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
_, status, used = os.wait4(child, 0)
with open(os.environ['POLYTRACE_TIMES'], 'a') as file:
    file.write(f'{used.ru_utime + used.ru_stime:.2f}\t{json.dumps(sys.argv[1:])}\n')
code = os.waitstatus_to_exitcode(status)
sys.exit(128 - code if code < 0 else code)
