"""The names of verdicts and of error classes: no other module writes them as strings.

`serverlab-load --list-json` is the source for those of a load; a check of tests/tidy compares. A
report is made without the programs, so it cannot ask them.
"""

from __future__ import annotations

from enum import StrEnum


class VerdictName(StrEnum):
    """What a trial's figures are worth."""

    # Of a load.
    VALID = "VALID"
    INTERRUPTED = "INTERRUPTED"
    SHORT = "SHORT"
    ERRORS = "ERRORS"
    UNFINISHED = "UNFINISHED"
    IMPOSSIBLE = "IMPOSSIBLE"
    CLIENT_STALLED = "CLIENT-STALLED"
    STARVED = "STARVED"
    UNSTEADY = "UNSTEADY"
    CLIENT_LIMITED = "CLIENT-LIMITED"
    NOT_SUSTAINED = "NOT-SUSTAINED"
    # Of the laboratory.
    NOISY = "NOISY"
    SERVER_STALLED = "SERVER-STALLED"
    SHARED_CPU = "SHARED-CPU"
    APART = "APART"
    NETWORK_BOUND = "NETWORK-BOUND"
    UNSUPPORTED = "UNSUPPORTED"
    FAILED = "FAILED"
    NOT_OFFERED = "NOT-OFFERED"  # a contestant does not speak the service


OF_THE_LABORATORY = frozenset(
    {
        VerdictName.NOISY,
        VerdictName.SERVER_STALLED,
        VerdictName.SHARED_CPU,
        VerdictName.APART,
        VerdictName.NETWORK_BOUND,
        VerdictName.UNSUPPORTED,
        VerdictName.FAILED,
        VerdictName.NOT_OFFERED,
    }
)
# The figures describe something other than what was asked for, or there are none.
WRONG = frozenset(
    {
        VerdictName.SHORT,
        VerdictName.ERRORS,
        VerdictName.UNFINISHED,
        VerdictName.IMPOSSIBLE,
        VerdictName.FAILED,
    }
)
# The machine could not run the trial: nothing went wrong in it.
NOT_RUN = frozenset({VerdictName.UNSUPPORTED, VerdictName.NOT_OFFERED})


class ErrorClass(StrEnum):
    """What went wrong with a request or a connection."""

    CONNECT_REFUSED = "connect_refused"
    CONNECT_TIMEOUT = "connect_timeout"
    CONNECT_UNREACHABLE = "connect_unreachable"
    CONNECT_RESET = "connect_reset"
    CONNECT_NO_PORT = "connect_no_port"
    CONNECT_FAILED = "connect_failed"
    READ_RESET = "read_reset"
    READ_EOF_IN_REPLY = "read_eof_in_reply"
    IDLE_EOF = "idle_eof"
    BROKEN_PIPE = "broken_pipe"
    REQUEST_TIMEOUT = "request_timeout"
    WRONG_CONTENT = "wrong_content"
    PROTOCOL_ERROR = "protocol_error"
    UNEXPECTED_REPLY = "unexpected_reply"
