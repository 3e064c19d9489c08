"""What can go wrong that a person should read as one sentence, without a traceback."""

from __future__ import annotations

import errno

FAILED, USAGE = 1, 2  # exit statuses; docs/results-schema.md lists all
UNAVAILABLE = 69  # EX_UNAVAILABLE of sysexits.h: this machine cannot do it
BUG = 70  # EX_SOFTWARE of sysexits.h
INTERRUPTED = 130  # by Ctrl-C, as shells have it: 128 and the number of SIGINT
BROKEN_PIPE = 141  # the same of SIGPIPE

HINTS = {
    errno.EFBIG: "it has reached the limit of file sizes, which `ulimit -f` shows",
}


class LabError(Exception):
    """The request is in order, but it cannot be carried out."""

    status = FAILED


class OwnError(LabError):
    """The laboratory itself cannot go on, as when its files cannot be written.

    No server is to blame for it, so it is the verdict of no trial.
    """


class RefusedError(LabError):
    """A program says that it cannot do what it was asked for."""


class UnsupportedError(RefusedError):
    """This machine cannot do what is asked of a program: it lacks something."""


class UsageError(LabError):
    """The request itself is not in order: an option, an experiment file, a name."""

    status = USAGE


class OutputError(LabError):
    """Nothing more can be printed."""

    def __init__(self, sentence: str, status: int = FAILED) -> None:
        """Say why, and which exit status that is."""
        super().__init__(sentence)
        self.status = status


def reason_of(error: OSError) -> str:
    """Why a call of the system failed, and what to do about it where that is known."""
    reason = error.strerror or str(error)
    hint = HINTS.get(error.errno or 0)
    return f"{reason}: {hint}" if hint else reason
