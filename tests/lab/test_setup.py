"""`make setup` on machines of others: it installs nothing that it may not, and destroys nothing."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from serverlab.machine.native import ROOT

NEEDED = (
    "bash", "cat", "cmake", "dirname", "g++", "git", "grep", "ninja", "python3", "sed",
    "sha256sum", "sort",
)  # fmt: skip
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run_setup(tmp_path: Path) -> Run:
    """Runs `tools/setup` where only these commands are there, and a `.venv` that others made."""
    (tmp_path / "clone" / "tools").mkdir(parents=True)
    for name in ("tools/setup", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path / "clone" / name)
    (tmp_path / "clone" / ".venv").mkdir()
    (tmp_path / "bin").mkdir()
    for name in NEEDED:
        found = shutil.which(name)
        assert found is not None
        (tmp_path / "bin" / name).symlink_to(found)

    def run(*arguments: str, **commands: str) -> subprocess.CompletedProcess[str]:
        for name, script in commands.items():
            path = tmp_path / "bin" / name.replace("_", "-")
            path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
            path.chmod(0o755)
        return subprocess.run(
            ["tools/setup", *arguments],
            cwd=tmp_path / "clone",
            env={"PATH": str(tmp_path / "bin")},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_a_venv_that_others_made_is_left_alone(run_setup: Run, tmp_path: Path) -> None:
    theirs = tmp_path / "clone" / ".venv" / "theirs"
    theirs.write_text("precious", encoding="utf-8")
    ended = run_setup("demo")
    assert ended.returncode == 1
    assert f"{theirs.parent} was not made by setup" in ended.stderr
    assert theirs.read_text(encoding="utf-8") == "precious"


def test_without_root_it_says_what_to_install_and_goes_on(run_setup: Run) -> None:
    ended = run_setup("demo", dpkg_query="exit 1", apt_get="exit 1", id="echo 1000")
    assert "this needs root or sudo: apt-get install g++ cmake" in ended.stderr
    assert "was not made by setup" in ended.stderr  # it went on to what comes next


@pytest.mark.parametrize(
    ("manager", "command"), [("dnf", "dnf install gcc-c++"), ("pacman", "pacman -S --needed gcc")]
)
def test_other_systems_read_the_names_of_their_packages(
    run_setup: Run, manager: str, command: str
) -> None:
    ended = run_setup("demo", **{manager: "exit 1"})
    assert command in ended.stderr
    for of_checks in ("wrk", "clang"):
        assert of_checks not in ended.stderr
        assert of_checks in run_setup(**{manager: "exit 1"}).stderr


def test_an_argument_that_it_does_not_know_is_refused(run_setup: Run) -> None:
    ended = run_setup("demos")
    assert ended.returncode == 2
    assert "unknown argument: demos" in ended.stderr


def test_a_debian_that_is_too_old_is_refused_before_anything_is_installed(
    run_setup: Run, tmp_path: Path
) -> None:
    (tmp_path / "bin" / "g++").unlink()
    ended = run_setup(
        "demo",
        dpkg_query="exit 1",
        apt_get=f'echo "$@" >>"{tmp_path}/asked"',
        apt_cache='echo "  Candidate: 4:10.2.1-1"',
        id="echo 0",
    )
    assert ended.returncode == 1
    assert ended.stderr.endswith("needs g++ 12 or newer, and this system has 10.2.1\n")
    assert (tmp_path / "asked").read_text(encoding="ascii") == "update -qq\n"
