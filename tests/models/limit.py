"""Runs analyses within a limit of memory: reports, messages and peaks; and prints TAP."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ['POLYTRACE_ROOT'], 'tests'))
import needs  # noqa: E402,F401

LINE = 64


def write(path, lines):
    """Reads of lines, as Dinero trace."""
    with open(path, 'w') as to:
        to.writelines(f'0 {line * LINE:x}\n' for line in lines)


def run(command, analysis):
    """The report of an analysis, standard error and the peak in bytes."""
    # MALLOC_PERTURB_ writes to memory that is only reserved.
    environment = {name: value for name, value in os.environ.items() if name != 'MALLOC_PERTURB_'}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as process:
        out, error = process.stdout.read(), process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return json.loads(out)[analysis] if process.returncode == 0 else {}, error, usage.ru_maxrss << 10


def ok(name, good, note=''):
    ok.count += 1
    ok.failed |= not good
    if not good:
        print(f'# {note}'.replace('\n', ' ')[:2000])
    print(f'{"" if good else "not "}ok {ok.count} - {name}', flush=True)


ok.count, ok.failed = 0, False
