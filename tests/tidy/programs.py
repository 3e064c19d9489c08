"""The programs of the release build: documents are checked against what they say of themselves."""

from __future__ import annotations

import contextlib
import json
import subprocess
from collections.abc import Iterator
from functools import cache
from typing import Any

from tests.tidy.tree import ROOT

DEADLINE_S = 30


def program(name: str) -> str:
    """The path of a program."""
    path = ROOT / "build" / "release" / name
    assert path.exists(), f"{name} is not built: `make build` builds it"
    return str(path)


def output_of(name: str, *arguments: str) -> str:
    """What a program prints."""
    return subprocess.run(
        [program(name), *arguments], capture_output=True, check=True, text=True, timeout=DEADLINE_S
    ).stdout


def events_of(name: str, *arguments: str) -> list[dict[str, Any]]:
    """What a load prints, whatever its verdict and so its status."""
    done = subprocess.run(
        [program(name), *arguments], capture_output=True, check=False, text=True, timeout=DEADLINE_S
    )
    assert done.stderr == "", done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@cache
def listed(name: str) -> dict[str, Any]:
    """What `--list-json` of a program prints."""
    content: dict[str, Any] = json.loads(output_of(name, "--list-json"))
    return content


@contextlib.contextmanager
def running_server(*arguments: str) -> Iterator[dict[str, Any]]:
    """A server, for as long as the block takes: what it said when it was listening.

    The events it says at its end are added under the key `after`.
    """
    with subprocess.Popen(
        [program("serverlab-server"), *arguments], stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            listening: dict[str, Any] = json.loads(server.stdout.readline())
            yield listening
        finally:
            server.terminate()
            rest, _ = server.communicate(timeout=DEADLINE_S)
        listening["after"] = [json.loads(line) for line in rest.splitlines()]
