"""What a terminal shows while trials run."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from serverlab import console
from serverlab.console import Progress
from serverlab.records import Plan, Trial
from tests.lab import report_data


@pytest.mark.parametrize("cpu_us", [0.05, 12.34, 12_593.16, 1_234_567.89])
def test_the_figures_of_a_trial_stand_apart(cpu_us: float) -> None:
    record = report_data.record({"engine": "threads"}, block=3, order=2, speed=1)
    record["load"]["rate"]["goodput_per_s"] = 77.2
    record["server"]["cpu_per_request_us"] = cpu_us
    words = Progress.result_line(msgspec.convert(record, Trial)).plain.split()
    assert words[-5:] == ["77/s", f"{cpu_us:,.2f}", "µs", "CPU", "VALID"]


def test_what_is_quiet_stays_so_within(capsys: pytest.CaptureFixture[str]) -> None:
    with console.quietened(quiet=True):
        with console.quietened():
            console.say("on the way")
        console.say("still on the way")
    console.say("there")
    assert capsys.readouterr().out == "there\n"


def test_a_table_in_a_file_is_whole(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    table = console.table_of("name", "question")
    table.add_row("experiments/" + 60 * "x", "why " + 30 * "and why ")
    console.show(table)
    text = capsys.readouterr().out
    assert "experiments/" + 60 * "x" in text
    assert 30 * "and why " in text


def test_in_a_narrow_terminal_nothing_of_a_table_is_lost(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(console.console, "_width", 80)
    table = console.table_of("name", "verdict", "question")
    path, words = "experiments/buckets/bucket-counts.toml", [f"word{i}" for i in range(30)]
    table.add_row(path, "CLIENT-LIMITED", " ".join(words))
    console.show(table)
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    assert path in text
    assert "CLIENT-LIMITED" in text
    assert all(re.search(rf"\b{word}\b", text) for word in words)


def test_the_time_left_never_grows_by_what_was_announced(tmp_path: Path) -> None:
    plan = msgspec.structs.replace(planned(tmp_path), precision=0.03, blocks_max=20)
    first = [trial for trial in plan.trials if trial.block == 1]
    shown = Progress()
    lefts = []
    with shown.of(msgspec.structs.replace(plan, trials=first), set()):
        shown.begin(first[:1])
        lefts.append(left_of(shown))
        shown.extend(plan, [trial for trial in plan.trials if trial.block == 2])
        shown.begin(first[1:2])
        lefts.append(left_of(shown))
    assert lefts[0] == lefts[1]
    assert lefts[0].endswith("left, at most")


def planned(folder: Path) -> Plan:
    """A plan of two blocks."""
    run = report_data.write_run(folder, factors={}, blocks=2)
    return msgspec.json.decode((run / "plan.json").read_bytes(), type=Plan)


def left_of(shown: Progress) -> str:
    """What the bar says of the time that is left."""
    return str(shown.bar.tasks[0].fields["left"])


@pytest.mark.parametrize(
    ("design", "most"),
    [
        ({}, None),
        ({"precision": 0.03, "blocks_max": 60}, "60 blocks"),
        ({"precision": {"goodput": 0.03}, "blocks_max": 60, "time_max_s": 150}, "2 min 30 s"),
    ],
)
def test_blocks_that_may_be_added_are_announced_with_their_bound(
    design: dict[str, object], most: str | None, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    plan = msgspec.structs.replace(planned(tmp_path), **design)
    with Progress().of(plan, set()):
        pass
    text = capsys.readouterr().out
    assert ("more blocks until the ratios are precise enough" in text) is (most is not None)
    assert most is None or f"{most} at most" in text.replace("\u202f", " ").replace("\u00a0", " ")
