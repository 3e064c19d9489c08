"""A wheel has programs, experiments and contestants, and needs no checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from serverlab.machine.native import ROOT

WHEEL_LIMIT_S = 1200  # it is compiled, from nothing on a machine without a cache
RUN_LIMIT_S = 600  # 30 groups of 7 trials take a minute


def pip(*arguments: str | Path) -> None:
    command = [sys.executable, "-m", "pip", *map(str, arguments)]
    subprocess.run(command, check=True, timeout=WHEEL_LIMIT_S)


@pytest.mark.timeout(WHEEL_LIMIT_S)
def test_a_wheel_runs_the_quickstart_in_an_empty_home(tmp_path: Path) -> None:
    wheels, home, place = (tmp_path / name for name in ("wheels", "home", "place"))
    home.mkdir()
    pip("wheel", "--quiet", "--no-deps", "--wheel-dir", wheels, ROOT)
    [wheel] = wheels.iterdir()
    assert "-none-linux_" in wheel.name
    venv.create(place, with_pip=False)
    pip("--python", place / "bin" / "python", "install", "--quiet", "--no-deps", wheel)
    # What serverlab depends on is that of this environment, without the checkout's own package.
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "PYTHONPATH": sysconfig.get_path("purelib"),
    }

    def serverlab(*arguments: str) -> str:
        done = subprocess.run(
            [place / "bin" / "serverlab", *arguments],
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
