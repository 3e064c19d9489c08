"""Durations and lists of CPUs as people write them."""

from __future__ import annotations

import pytest

from serverlab.errors import UsageError
from serverlab.quantities import cpu_set, duration_s, readable_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("10s", 10), ("1.5 ms", 0.0015), ("250us", 0.00025), ("2 min", 120), ("1h", 3600), ("0s", 0)],
)
def test_a_duration_is_read(text: str, seconds: float) -> None:
    assert duration_s(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "10", "s", "-1s", "1 fortnight", "1e3s"])
def test_what_is_no_duration_is_said(text: str) -> None:
    with pytest.raises(UsageError, match="is not a duration"):
        duration_s(text)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.2, "0 s"), (59.4, "59 s"), (60, "1 min 00 s"), (200, "3 min 20 s"), (3900, "1 h 05 min")],
)
def test_a_duration_is_said(seconds: float, text: str) -> None:
    assert readable_duration(seconds) == text


@pytest.mark.parametrize(
    ("text", "cpus"), [("", set()), ("3", {3}), ("0-2", {0, 1, 2}), ("0,2-3,3", {0, 2, 3})]
)
def test_a_list_of_cpus_is_read(text: str, cpus: set[int]) -> None:
    assert cpu_set(text) == cpus
