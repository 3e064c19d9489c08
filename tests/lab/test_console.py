"""What a terminal shows while trials run."""

from __future__ import annotations

import pytest

from serverlab.console import Progress


@pytest.mark.parametrize("cpu_us", [0.05, 12.34, 12_593.16, 1_234_567.89])
def test_the_figures_of_a_trial_stand_apart(cpu_us: float) -> None:
    record = {
        "trial": "b3-002",
        "cell": {"engine": "threads"},
        "load": {"rate": {"goodput_per_s": 77.2}},
        "server": {"cpu_per_request_us": cpu_us},
        "verdict": {"name": "VALID", "reason": ""},
    }
    words = Progress.result_line(record).plain.split()
    assert words[-5:] == ["77/s", f"{cpu_us:,.2f}", "µs", "CPU", "VALID"]
