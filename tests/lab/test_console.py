"""What a terminal shows while trials run."""

from __future__ import annotations

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


@pytest.mark.parametrize(
    ("design", "most"),
    [
        ({}, None),
        ({"precision": 0.03, "blocks_max": 60}, "60 blocks"),
        ({"precision": {"goodput": 0.03}, "blocks_max": 60, "time_max_s": 150}, "2 min 30 s"),
    ],
)
def test_blocks_that_may_be_added_are_announced_with_their_bound(
    design: dict[str, object], most: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = Plan(schema=1, name="", question="", seed=1, baseline="", factors={}, trials=[])
    plan = msgspec.structs.replace(plan, **design)
    with Progress().of(plan, set()):
        pass
    text = capsys.readouterr().out
    assert ("more blocks until the ratios are precise enough" in text) is (most is not None)
    assert most is None or f"{most} at most" in text.replace("\u202f", " ").replace("\u00a0", " ")
