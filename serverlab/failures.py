"""How a command ends: with a status, and if something is wrong with one sentence on stderr.

No traceback reaches the screen. A fault of serverlab itself says where its
traceback has been written.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import threading
import traceback
from typing import TYPE_CHECKING

from cyclopts import CycloptsError

from serverlab import console, terminal
from serverlab.errors import (
    BUG,
    FAILED,
    INTERRUPTED,
    USAGE,
    LabError,
    OutputError,
    reason_of,
)
from serverlab.plain_text import plain

if TYPE_CHECKING:
    from collections.abc import Callable

TRACEBACK = "SERVERLAB_TRACEBACK"  # set in the environment: print a fault's traceback


def guarded(command: Callable[[], object]) -> int:
    """Run a command; returns the exit status."""
    terminal.prepare()
    threading.excepthook = lambda failed: complain_of(failed.exc_value)
    try:
        status = command()
        terminal.Output("stdout").flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except SystemExit as error:  # of --help and --version
        status = error.code
    except Exception as error:  # noqa: BLE001 - the last one that can say it in a sentence
        return complain_of(error)
    return status if isinstance(status, int) else 0


def complain_of(error: BaseException | None) -> int:
    """Say what went wrong; returns the exit status."""
    if isinstance(error, OutputError):
        terminal.abandon()
    match error:
        case LabError():
            console.complain(str(error))
            return error.status
        case CycloptsError():
            console.complain(" ".join(str(error).split()))
            return USAGE
        case OSError():
            where = f"{error.filename}: " if error.filename is not None else ""
            console.complain(f"{where}{reason_of(error)}")
            return FAILED
        case MemoryError():
            console.complain(f"there is not enough memory for that{address_space()}")
            return FAILED
        # A library that cannot be mapped is not found to be that by its class.
        case ImportError() if limit := address_space():
            console.complain(f"there is not enough memory to load a library{limit}: {error}")
            return FAILED
    console.complain(fault(error))
    return BUG


def address_space() -> str:
    """How a sentence goes on that memory has run out, if a limit may be why; else nothing."""
    limit_bytes, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit_bytes == resource.RLIM_INFINITY:
        return ""
    return f" with {limit_bytes >> 20} MiB of address space, which `ulimit -v unlimited` lifts"


def fault(error: BaseException | None) -> str:
    """The sentence of a fault of our own."""
    said = f"{type(error).__name__}: {error}".rstrip(": ")
    report = f"this is a fault of serverlab, please report it: {said}"
    text = plain("".join(traceback.format_exception(error)))
    if os.environ.get(TRACEBACK):
        return f"{report}\n{text}"
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="serverlab-fault-", suffix=".txt", delete=False, encoding="utf-8"
        ) as file:
            file.write(f"{' '.join(map(ascii, sys.argv))}\n{text}")
    except OSError:
        return f"{report}; with {TRACEBACK}=1 its traceback is printed"
    return f"{report}; its traceback is in {file.name}"
