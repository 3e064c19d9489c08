"""No setting has a program write a file outside of the folder of its run."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from serverlab.design.catalog import catalog
from serverlab.running.store import new_folder
from tests.lab.conftest import Serverlab
from tests.lab.test_run import TINY

SIDES = {"server": catalog().server_settings, "load": catalog().load_settings}
OUTPUTS = [
    (side, name)
    for side, settings in SIDES.items()
    for name, setting in settings.items()
    if setting.is_output
]


def test_there_are_settings_that_name_files() -> None:
    assert ("server", "connection-log") in OUTPUTS
    assert ("load", "json") in OUTPUTS


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A file that is not to be touched."""
    path = tmp_path / "mine"
    path.write_text("mine", encoding="utf-8")
    return path


@pytest.mark.parametrize("command", ["plan", "run"])
@pytest.mark.parametrize(("side", "name"), OUTPUTS)
def test_an_experiment_cannot_name_a_file(
    command: str, side: str, name: str, mine: Path, serverlab: Serverlab
) -> None:
    text = TINY.replace(f"[{side}]", f'[{side}]\n{name} = "{mine}"')
    Path("x.toml").write_text(text, encoding="utf-8")
    ended = serverlab(command, "x.toml")
    assert ended.returncode == 2
    said = " ".join(ended.stderr.split())
    assert f"[{side}] {name} names a file, but a run writes into its own folder alone" in said
    assert mine.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("command", [["search", "--slo=p99 <= 5ms"], ["stress"]])
@pytest.mark.parametrize("name", sorted({name for _, name in OUTPUTS}))
@pytest.mark.parametrize("prefix", ["", "server-", "load-"])
def test_a_command_line_cannot_name_a_file(
    command: list[str], name: str, prefix: str, mine: Path, serverlab: Serverlab
) -> None:
    ended = serverlab(*command, "--engine=poll", f"--{prefix}{name}={mine}")
    assert ended.returncode == 2
    refusal = f"--{name}" if (prefix + name) == "json" else f"--{name} names a file"
    assert refusal in " ".join(ended.stderr.split())  # --json is a flag of these commands
    assert mine.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(("side", "name"), [*OUTPUTS, ("load", "duration=1s --json")])
def test_an_edited_plan_cannot_name_a_file(
    side: str, name: str, mine: Path, serverlab: Serverlab, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("x.toml").write_text(TINY, encoding="utf-8")
    with monkeypatch.context() as patched:
        patched.setattr("serverlab.run_command.run_to_report", lambda *_, **__: 0)
        assert serverlab("run", "x.toml", "--out=run").returncode == 0
    plan = Path("run/plan.json")
    edited = msgspec.json.decode(plan.read_bytes())
    edited["trials"][0][f"{side}_settings"][name] = str(mine)
    plan.write_bytes(msgspec.json.encode(edited))
    ended = serverlab("run", "--resume=run")
    assert ended.returncode == 2
    assert "run/plan.json: " in ended.stderr
    assert name in " ".join(ended.stderr.split())
    assert mine.read_text(encoding="utf-8") == "mine"


def test_a_folder_that_is_named_after_something_lies_in_runs() -> None:
    folder = new_folder(None, "search-../../x/127.0.0.1:1")
    assert folder.parent == Path("runs")
    assert folder.name.endswith("-search-..-..-x-127.0.0.1-1")
