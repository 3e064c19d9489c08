"""The programs are hardened as Debian's servers are: docs/decisions/0017-hardened-builds.md."""

from __future__ import annotations

import json
import platform
import subprocess

import pytest

from tests.tidy.programs import DEADLINE_S, program
from tests.tidy.tree import ROOT

PROGRAMS = ["serverlab-server", "serverlab-load", "serverlab-probe"]


def readelf(name: str, *options: str) -> str:
    """What binutils' readelf prints of a program."""
    return subprocess.run(
        ["readelf", "--wide", *options, program(name)],
        capture_output=True,
        check=True,
        text=True,
        timeout=DEADLINE_S,
    ).stdout


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_position_independent_and_its_tables_are_read_only(name: str) -> None:
    dynamic = readelf(name, "--dynamic")
    assert "PIE" in dynamic
    assert "BIND_NOW" in dynamic  # with GNU_RELRO: full RELRO
    assert "GNU_RELRO" in readelf(name, "--program-headers")


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_checks_its_stack_and_its_copies(name: str) -> None:
    symbols = readelf(name, "--dyn-syms")
    assert "__stack_chk_fail" in symbols
    assert "__memcpy_chk" in symbols  # -D_FORTIFY_SOURCE


@pytest.mark.skipif(
    platform.machine() != "x86_64", reason="this machine has no CET: it is not an x86-64"
)
def test_every_source_is_compiled_for_control_flow_enforcement() -> None:
    # The linked program does not say so on Debian 12: glibc's start files are without.
    commands = json.loads((ROOT / "build" / "release" / "compile_commands.json").read_text())
    without = [row["file"] for row in commands if "-fcf-protection=full" not in row["command"]]
    assert not without


def test_where_a_program_may_lie_is_an_option_of_programs_alone() -> None:
    """A library that is linked with one asks for a `main`, as on Debian sid."""
    lines = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8").splitlines()
    options = [line for line in lines if "add_link_options" in line and "pie" in line]
    assert len(options) == 2
    assert all("TYPE>,EXECUTABLE>:" in line for line in options)
