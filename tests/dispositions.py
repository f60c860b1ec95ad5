"""Gives signals their default dispositions, whatever started the tests: nohup ignores SIGHUP, and a shell the
signals of the keyboard in background jobs. Commands that tests start and end by signals inherit what is ignored."""
import signal

for number in signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM:
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)
