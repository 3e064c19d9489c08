"""What a terminal shows while trials run."""

from __future__ import annotations

import msgspec
import pytest

from serverlab import console
from serverlab.console import Progress
from serverlab.records import Trial
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
