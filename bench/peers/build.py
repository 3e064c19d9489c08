"""Echo servers of other people's runtimes, built from their public packages where those are."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from serverlab.machine.native import ROOT

HERE = Path(__file__).resolve().parent
BUILD = ROOT / "build" / "release"


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """A server that is not ours; `build` makes its program, or says what it lacks."""

    name: str
    build: Callable[[], Path | str]


def ninja_target(target: str, lacking: str) -> Callable[[], Path | str]:
    """Build a target of ours; CMake has left it out where what it needs is lacking."""

    def build() -> Path | str:
        done = subprocess.run(
            ["ninja", "-C", BUILD, target], capture_output=True, check=False, text=True
        )
        if "unknown target" in done.stdout + done.stderr:
            return lacking
        done.check_returncode()
        return BUILD / target

    return build


def go_program() -> Path | str:
    """Build the Go server."""
    if shutil.which("go") is None:
        return "there is no go"
    program = BUILD / "go_echo"
    subprocess.run(["go", "build", "-o", program, "."], cwd=HERE / "go", check=True)
    return program


def tokio_program() -> Path | str:
    """Build the Tokio server; cargo fetches its crates, and fails where it cannot."""
    if shutil.which("cargo") is None:
        return "there is no cargo"
    folder = BUILD / "tokio"
    done = subprocess.run(
        ["cargo", "build", "--release", "--quiet"],
        cwd=HERE / "tokio",
        env=os.environ | {"CARGO_TARGET_DIR": str(folder)},
        capture_output=True,
        check=False,
        text=True,
    )
    if done.returncode != 0:
        return (done.stderr.strip().splitlines() or ["cargo fails"])[0]
    return folder / "release" / "tokio_echo"


PEERS = [
    Peer(name="Asio", build=ninja_target("asio_echo", "Boost is lacking")),
    Peer(name="libuv", build=ninja_target("libuv_echo", "libuv1-dev is lacking")),
    Peer(name="Go net", build=go_program),
    Peer(name="Tokio", build=tokio_program),
]
