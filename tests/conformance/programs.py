"""The programs under test, and what they say there is to test.

The environment variable SERVERLAB_BUILD names the build, a folder under build/: `release` unless it
is set, `asan` or `tsan` for the same suite under a sanitizer.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import msgspec

from serverlab.design.catalog import Engine, LoadList, ServerList
from tests.waiting import DEADLINE_S

BUILD = Path(__file__).resolve().parents[2] / "build" / os.environ.get("SERVERLAB_BUILD", "release")
SERVER = BUILD / "serverlab-server"
LOAD = BUILD / "serverlab-load"

# A finding of a sanitizer fails the program that it is about; a small quarantine keeps figures of
# memory meaningful.
ENVIRONMENT = os.environ | {
    "ASAN_OPTIONS": "exitcode=66:quarantine_size_mb=8:detect_stack_use_after_return=1",
    "LSAN_OPTIONS": "exitcode=66",
    "TSAN_OPTIONS": "exitcode=66:halt_on_error=0:second_deadlock_stack=1",
    "UBSAN_OPTIONS": "halt_on_error=1:exitcode=66:print_stacktrace=1",
}


def preloading(library: str) -> list[str]:
    """A command that starts a program's command, and loads a library of tests/ into it."""
    options = f"{ENVIRONMENT['ASAN_OPTIONS']}:verify_asan_link_order=0"
    loaded = BUILD / "tests" / f"lib{library}.so"
    return ["env", f"LD_PRELOAD={loaded}", f"ASAN_OPTIONS={options}"]


# Makes a system call fail, then becomes a command. The filter: load the call's number; if it is
# that one, the error; otherwise allow.
REFUSING = """
import ctypes, os, struct, sys
number, error = int(sys.argv[1]), int(sys.argv[2])
filter = b"".join(struct.pack("HBBI", *instruction) for instruction in [
    (0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x00050000 | error),
    (0x06, 0, 0, 0x7fff0000)])
buffer = ctypes.create_string_buffer(filter)
program = struct.pack("HxxxxxxQ", 4, ctypes.addressof(buffer))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, program) == 0
os.execvp(sys.argv[3], sys.argv[3:])
"""


def refusing(number: int, error: int) -> list[str]:
    """A command that starts a program's command, for which a system call fails with that errno.

    As the filters of containers have it, or a kernel that does not know the call.
    """
    return [sys.executable, "-c", REFUSING, str(number), str(error)]


@cache
def catalogue() -> ServerList:
    """What `serverlab-server --list-json` prints."""
    listed = subprocess.run(
        [SERVER, "--list-json"], capture_output=True, check=True, timeout=DEADLINE_S
    )
    return msgspec.json.decode(listed.stdout, type=ServerList)


@cache
def load_list() -> LoadList:
    """What `serverlab-load --list-json` prints."""
    listed = subprocess.run(
        [LOAD, "--list-json"], capture_output=True, check=True, timeout=DEADLINE_S
    )
    return msgspec.json.decode(listed.stdout, type=LoadList)


def verdict_statuses() -> dict[str, int]:
    """How serverlab-load ends, by its verdict."""
    return {row.name: row.exit_status for row in load_list().verdicts}


def engines() -> list[str]:
    """The names of all engines."""
    return [engine.name for engine in catalogue().engines]


def services() -> list[str]:
    """The names of all services."""
    return [service.name for service in catalogue().services]


def engine_row(name: str) -> Engine:
    """The row of the engine of that name."""
    return next(engine for engine in catalogue().engines if engine.name == name)


def refusal(engine: str, service: str) -> str:
    """Why an engine does not serve a service on any machine; empty if it does."""
    row = engine_row(engine)
    shares_state = next(one.shares_state for one in catalogue().services if one.name == service)
    if row.serves not in ("", service):
        return f"{engine} serves {row.serves} alone"
    if not row.one_process and is_thread_sanitized():
        return (
            f"the thread sanitizer keeps the signals that {engine} sends from the receiving thread"
        )
    if shares_state and not row.one_process:
        return f"{engine} has no memory for what the connections of {service} share"
    return ""


def sanitizers() -> list[str]:
    """What the build is instrumented with."""
    return catalogue().version.sanitizers


def is_sanitized() -> bool:
    """Whether the build is instrumented, and so needs more memory and more time for the same."""
    return sanitizers() != []


def many_connections() -> int:
    """How many connections are many to every engine: `processes` forks one for each.

    A process under a sanitizer takes 10 to 30 ms of a CPU to fork and to end.
    """
    return 200 if is_sanitized() else 1_000


def is_thread_sanitized() -> bool:
    """Whether the sanitizer is the one of threads."""
    return "thread" in catalogue().version.sanitizers
