"""One program at a time writes into a folder. The kernel releases the lock when it ends."""

from __future__ import annotations

import contextlib
import datetime
import fcntl
import os
import socket
from typing import TYPE_CHECKING

import msgspec

from serverlab.errors import LabError, UsageError, reason_of
from serverlab.files import refuse_links_out

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LOCK = "lock"


class Holder(msgspec.Struct, frozen=True):
    """The process that writes into a folder now, or did so last."""

    command: str
    pid: int
    since: datetime.datetime
    host: str

    def __str__(self) -> str:
        where = "" if self.host == socket.gethostname() else f" on {self.host}"
        since = self.since.astimezone(datetime.UTC)
        return f"{self.command} (pid {self.pid}{where}, since {since:%H:%M} UTC)"


@contextlib.contextmanager
def locked(folder: Path, command: str) -> Iterator[None]:
    """Keep every other `locked` out of a folder that is there.

    Raises UsageError that names the program which writes into it, or a link that leads out of it.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(folder / LOCK, flags, mode=0o666)
    except OSError as error:
        raise LabError(f"cannot lock {folder}: {reason_of(error)}") from error
    with os.fdopen(descriptor, "r+b", buffering=0) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            refuse_links_out(folder)
            file.truncate(0)
            file.write(msgspec.json.encode(myself(command)) + b"\n")
        except BlockingIOError:
            raise UsageError(
                f"{folder} is in use by {holder(file.read())}: wait until it ends, or stop it"
            ) from None
        except OSError as error:
            raise LabError(f"cannot lock {folder}: {reason_of(error)}") from error
        yield


@contextlib.contextmanager
def made_and_locked(folder: Path, command: str) -> Iterator[None]:
    """The same, of a folder that is made if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LabError(f"cannot write into {folder}: {reason_of(error)}") from error
    with locked(folder, command):
        yield


def myself(command: str) -> Holder:
    """This process."""
    now = datetime.datetime.now(datetime.UTC).replace(microsecond=0)
    return Holder(command=command, pid=os.getpid(), since=now, host=socket.gethostname())


def holder(content: bytes) -> str:
    """What a lock's file says; it is empty until its new holder has written it."""
    try:
        return str(msgspec.json.decode(content, type=Holder))
    except msgspec.DecodeError:
        return "another serverlab"
