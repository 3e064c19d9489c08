"""A cluster is asked for, and there is none."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from serverlab.errors import USAGE
from tests.lab.command_line import SERVERLAB, call


@pytest.fixture
def cell(tmp_path: Path) -> Path:
    """An experiment."""
    path = tmp_path / "cell.toml"
    path.write_text('question = "What?"\n[server]\nengine = "threads"\n', encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("address", "complaint"),
    [
        ("127.0.0.1:1", " does not answer: Connection refused"),
        ("auto", ": Could not find any running Ray instance"),
        ("nowhere", ": "),
    ],
)
def test_an_address_that_does_not_answer_is_a_sentence(
    address: str, complaint: str, cell: Path, tmp_path: Path
) -> None:
    pytest.importorskip("ray", reason="this machine has no Ray: make setup-cluster")
    ended = call("run", cell, f"--cluster={address}", cwd=tmp_path)
    assert ended.returncode == USAGE
    assert ended.stderr.startswith(f"serverlab: --cluster={address}{complaint}")
    assert ended.stderr.count("\n") == 1
    assert not (tmp_path / "runs").exists()


def test_without_ray_the_option_says_what_to_install(cell: Path, tmp_path: Path) -> None:
    without = "import sys; sys.modules['ray'] = None; from serverlab.cli import main; main()"
    ended = subprocess.run(
        [SERVERLAB[0], "-c", without, "run", str(cell), "--cluster=auto"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert ended.returncode == 1
    assert ended.stderr == (
        "serverlab: --cluster needs Ray: pip install 'serverlab[cluster]'; --cluster=hosts does "
        "not\n"
    )
