# SPDX-License-Identifier: MIT
"""Exceptions and warnings of the package."""


class Error(Exception):
    """A failure of libpolytrace.

    file: path of the trace, or None
    status: "usage", "io", "format" (corrupt data), "truncated", "limit", "unsupported" or "loss"
    message: what is wrong, without the position
    record: number of the record, from 1; None: unknown
    line: line of a text, from 1; None: unknown
    byte: offset in the decompressed file; None: unknown
    errno: errno value of "io"; else 0
    """

    __module__ = 'polytrace'

    def __init__(self, file, status, message, record=None, line=None, byte=None, errno=0):
        super().__init__(file, status, message, record, line, byte, errno)
        self.file, self.status, self.message = file, status, message
        self.record, self.line, self.byte, self.errno = record, line, byte, errno

    def __str__(self):
        position = ', '.join(f'{word} {number}' for word, number in (
            ('record', self.record), ('line', self.line), ('byte', self.byte))
            if number is not None)
        return ': '.join(part for part in (self.file, position, self.message) if part)


class UsageError(Error, ValueError):
    """An invalid argument: an unknown column, a filter with a syntax error."""

    __module__ = 'polytrace'


class LossWarning(UserWarning):
    """Information that a format cannot hold was not written."""

    __module__ = 'polytrace'


def make_error(file, status, *details):
    """Returns the exception of a failure. Called by the extension."""
    return (UsageError if status == 'usage' else Error)(file, status, *details)
