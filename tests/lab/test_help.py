"""`serverlab --help` says of each command what it does, in the words of that command's own help."""

from __future__ import annotations

import importlib
import inspect
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


def test_every_command_is_explained(tmp_path: Path) -> None:
    lines = call("--help", cwd=tmp_path).stdout.splitlines()
    named = [line.strip("│ ").split(maxsplit=1) for line in lines if line.startswith("│ ")]
    assert len(named) > len(IMPORTED_LATE)
    assert [words for words in named if len(words) < 2] == []
