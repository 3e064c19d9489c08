"""A wheel that pipx installs has programs, experiments and contestants: it needs no checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from serverlab.machine.native import ROOT

WHEEL_LIMIT_S = 1200  # it is compiled, from nothing on a machine without a cache
RUN_LIMIT_S = 600  # 30 groups of 7 trials take a minute


def module(*arguments: str | Path, **environment: str) -> None:
    """Run a Python module to its end."""
    subprocess.run(
        [sys.executable, "-m", *map(str, arguments)],
        check=True,
        timeout=WHEEL_LIMIT_S,
        env=os.environ | environment,
    )


@pytest.mark.timeout(WHEEL_LIMIT_S)
def test_a_wheel_runs_the_quickstart_in_an_empty_home(tmp_path: Path) -> None:
    wheels, home = tmp_path / "wheels", tmp_path / "home"
    home.mkdir()
    module("pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", wheels, ROOT)
    [wheel] = wheels.iterdir()
    assert "-none-linux_" in wheel.name
    module("pipx", "install", "--quiet", wheel, HOME=str(home))
    environment = {"PATH": f"{home / '.local' / 'bin'}:{os.environ['PATH']}", "HOME": str(home)}

    def serverlab(*arguments: str) -> str:
        done = subprocess.run(
            ["serverlab", *arguments],
            cwd=home,
            env=environment,
            capture_output=True,
            text=True,
            timeout=RUN_LIMIT_S,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    listed = json.loads(serverlab("list", "experiments", "--json"))
    assert "experiments/quickstart.toml" in [one["name"] for one in listed]
    listed = json.loads(serverlab("list", "contestants", "--json"))
    assert "asyncio" in [one["name"] for one in listed]
    assert "exchanges hold; it can be measured" in serverlab("verify", "asyncio", "--service=echo")
    said = serverlab("run", "experiments/quickstart.toml", "--duration=50ms", "--out=run")
    assert "Server CPU per request over that of epoll-level" in said
    assert (home / "run" / "report.html").is_file()
    assert str(ROOT) not in (home / "run" / "environment.json").read_text(encoding="utf-8")
