"""An experiment that asks for it explains its engines, once, and its report has the reasons."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from serverlab.slices import KERNEL
from tests.lab.command_line import call

EXPERIMENT = """
question = "Why does select cost less?"
[server]
engine = ["threads", "select", "sockmap"]
[load]
connections = 16
warmup = "100 ms"
duration = "300 ms"
[design]
blocks = 1
twin = false
explain = true
"""


def test_a_run_explains_its_engines_once(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(EXPERIMENT, encoding="utf-8")
    done = call("run", "x.toml", "--out=run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    file = tmp_path / "run" / "ledgers" / "select.json"
    before = file.stat().st_mtime_ns
    assert [one.name for one in file.parent.iterdir()] == ["select.json"]
    answer = msgspec.json.decode((tmp_path / "run" / "answer.json").read_bytes())
    [explained] = answer["explained"]
    assert (explained["engine"], explained["neighbour"]) == ("select", "threads")
    assert explained["sentence"] in done.stdout
    assert explained["cpu_ns"]["low"] <= explained["cpu_ns"]["value"] <= explained["cpu_ns"]["high"]
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "Why engines differ from their neighbours" in page
    assert explained["sentence"] in page
    again = call("run", "--resume=run", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert file.stat().st_mtime_ns == before
    slices = msgspec.json.decode(file.read_bytes())["slices"]
    parts = {name for one in slices for name in one["parts"]}
    if KERNEL in parts:
        pytest.skip("this machine takes no probe, so no system call is known")
    assert "recvfrom" in parts
