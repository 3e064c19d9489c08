"""What is planted in a request is found in its own row of the ledger, at about its size.

How exact the sizes are, `make bench-planted` says: a test beside others asks for half and double.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bench import planted

if TYPE_CHECKING:
    from pathlib import Path


def explained(folder: Path, plant: str, *settings: str) -> planted.Found:
    try:
        return planted.explained(folder, plant, *settings)
    except planted.NoProbeError as missing:
        pytest.skip(f"this machine takes no probe: {missing}")


def test_calls_are_counted_and_have_their_price(tmp_path: Path) -> None:
    found = explained(tmp_path / "run", "getppid")
    assert found.parts["getppid"]["calls"]["value"] == pytest.approx(10, rel=0.01)
    assert found.planted_ns / 2 < found.more["getppid"] < 2 * found.planted_ns


def test_code_is_in_user_mode(tmp_path: Path) -> None:
    found = explained(tmp_path / "run", "user")
    assert found.planted_ns / 2 < found.more["user"] < 2 * found.planted_ns


def test_a_wake_up_is_two_calls_of_futex(tmp_path: Path) -> None:
    found = explained(tmp_path / "run", "wake", "--connections=1")
    assert found.parts["futex"]["calls"]["value"] == pytest.approx(2, rel=0.01)
    assert found.parts["futex"]["blocks"]["value"] == pytest.approx(1, rel=0.01)
    assert found.planted_ns / 2 < found.more["futex"] < 2 * found.planted_ns


def test_a_lock_is_waited_for_while_another_has_it(tmp_path: Path) -> None:
    found = explained(tmp_path / "run", "lock", "--connections=1")
    futex = found.parts["futex"]
    assert futex["blocks"]["value"] == pytest.approx(1, rel=0.01)
    # The other thread has to come to the CPU, and to make the call that wakes, with the probe.
    assert futex["blocked_ns"]["value"] > found.planted_ns
    assert found.more["user"] > found.planted_ns / 2
