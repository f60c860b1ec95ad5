"""Gives signals their default dispositions, whatever started the tests: nohup ignores SIGHUP, and a shell the
signals of the keyboard in background jobs. Commands that tests start and end by signals inherit what is ignored."""
import os
import signal
import subprocess
import time

for number in signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM:
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)


def wait_for_output(process, folder):
    """Waits until a process has opened a file in a folder, with a name or without, for writing."""
    for _ in range(2000):
        for descriptor in os.listdir(f'/proc/{process}/fd'):
            try:
                path = os.readlink(f'/proc/{process}/fd/{descriptor}')
                with open(f'/proc/{process}/fdinfo/{descriptor}') as file:
                    flags = int(file.read().split('flags:')[1].split()[0], 8)
            except FileNotFoundError:
                continue
            if path.startswith(os.path.realpath(folder) + '/') and flags & os.O_ACCMODE != os.O_RDONLY:
                return
        time.sleep(0.01)
    raise TimeoutError(f'no output in {folder}: {os.listdir(folder)}')


def child_of(process):
    """Waits for a child of a process; returns its number."""
    for _ in range(2000):
        found = subprocess.run(['pgrep', '-P', str(process)], capture_output=True, text=True, check=False).stdout.split()
        if found:
            return int(found[0])
        time.sleep(0.01)
    raise TimeoutError(f'no child of {process}')


def has_unnamed_files(folder):
    """Whether files without a name can be created in a folder: a killed process leaves none there."""
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_WRONLY))
    except OSError:
        return False
    return True
