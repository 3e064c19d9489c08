"""The contestants that serverlab ships speak their services, and README's own can be added."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from serverlab.contestants.building import STAMP, build, expect_needs
from serverlab.contestants.reading import named, shipped
from serverlab.design.catalog import catalog
from serverlab.errors import LabError, UnsupportedError
from serverlab.machine.native import ROOT
from serverlab.running.contestant_process import program_of
from serverlab.running.events import Listening
from serverlab.verify.probe import probe
from tests.lab.command_line import call, records

# Whose tools fetch packages, which takes minutes: `make contestants` builds them.
FETCHED = ("Cargo.toml", "requirements.txt", "pom.xml")
README = ROOT / "contestants" / "README.md"


@pytest.mark.parametrize("name", shipped())
def test_a_contestant_speaks_its_services_and_ends(tmp_path: Path, name: str) -> None:
    found = named(name, catalog().services)
    try:
        expect_needs(found)
    except UnsupportedError as error:
        pytest.skip(f"this machine lacks something: {error}")
    is_fetched = any(Path(found.folder, file).exists() for file in FETCHED)
    if is_fetched and not Path(found.built, STAMP).exists():
        pytest.skip(f"this machine has not built {name}: make contestants")
    try:
        build(found, lambda _: None)
    except LabError as error:
        pytest.skip(f"this machine cannot build it: {error}")
    for service in found.services:
        with program_of(found, service, {}, tmp_path / "log") as server:
            address = server.await_event(Listening, 60).address
            outcomes = probe(service, address, {}, required_only=True)
            server.ask_to_stop()
            server.expect_no_failure()
        assert [one.failure for one in outcomes if one.failure] == []


def test_the_server_of_the_readme_enters_an_experiment(tmp_path: Path) -> None:
    text = README.read_text(encoding="utf-8")
    [server] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    [about] = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    assert len(server.splitlines()) <= 20
    assert len(about.splitlines()) <= 12
    folder = tmp_path / "my-server"
    folder.mkdir()
    (folder / "threads.py").write_text(server, encoding="utf-8")
    (folder / "contestant.toml").write_text(about, encoding="utf-8")
    experiment = """
question = "Which?"
[server]
engine = "threads"
contestant = ["./my-server"]
[load]
connections = 4
warmup = "50 ms"
duration = "200 ms"
[design]
blocks = 1
twin = false
"""
    (tmp_path / "x.toml").write_text(experiment, encoding="utf-8")
    done = call("run", "x.toml", "--out=run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = {one["cell"]["engine"]: one for one in records(tmp_path / "run")}
    assert found["my-server"]["verdict"]["name"] == "VALID"
    assert found["my-server"]["server"]["cpu_per_request_us"] > 0


def test_each_contestant_is_in_the_table_of_the_readme() -> None:
    rows = re.findall(
        r"^\| `[a-z-]+` \| (.*) \|$", README.read_text(encoding="utf-8"), re.MULTILINE
    )
    names = re.findall(r"`([a-z-]+)`", " ".join(rows))
    assert sorted(names) == sorted(shipped())
