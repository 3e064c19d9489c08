"""Waiting for what gives no sign of its own: look, and look again, up to a deadline."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from tests.conformance.programs import DEADLINE_S

LOOK_INTERVAL_S = 0.01


def until(holds: Callable[[], bool], expectation: str) -> None:
    """Return when the condition holds; fail with what was expected if it never does."""
    pause = threading.Event()
    deadline_s = time.monotonic() + DEADLINE_S
    while not holds():
        if time.monotonic() > deadline_s:
            pytest.fail(f"after {DEADLINE_S:.0f} s it is still not so that {expectation}")
        pause.wait(LOOK_INTERVAL_S)
