"""`serverlab --help` says of a command what that says itself; and each command begins at once."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest
from cyclopts import App

from serverlab.cli import IMPORTED_LATE
from tests.lab.command_line import call


@pytest.mark.parametrize("command", IMPORTED_LATE)
def test_the_line_of_a_command_that_is_imported_late_is_the_first_of_its_own(command: str) -> None:
    module, _, name = command.partition(":")
    found = getattr(importlib.import_module(module), name)
    documented = found.help if isinstance(found, App) else inspect.getdoc(found)
    assert documented is not None
    assert documented.splitlines()[0] == IMPORTED_LATE[command]


def test_no_command_loads_what_draws_and_computes_before_it_needs_that() -> None:
    modules = {command.partition(":")[0] for command in IMPORTED_LATE}
    slow = {"altair", "polars", "vl_convert", "scipy.optimize", "scipy.special"}
    loaded = f"import sys, {', '.join(modules)}; print(*sorted({slow} & sys.modules.keys()))"
    done = subprocess.run(
        [sys.executable, "-c", loaded], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "\n"


def test_the_command_line_loads_without_numpy() -> None:
    loaded = "import sys, serverlab.cli; print('numpy' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", loaded], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "False\n"


def test_every_command_is_explained(tmp_path: Path) -> None:
    lines = call("--help", cwd=tmp_path).stdout.splitlines()
    named = [line.strip("│ ").split(maxsplit=1) for line in lines if line.startswith("│ ")]
    assert len(named) > len(IMPORTED_LATE)
    assert [words for words in named if len(words) < 2] == []
