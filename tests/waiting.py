"""Waiting for what gives no sign of its own: look, and look again, up to a deadline."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

import pytest

# Nothing takes so long that is not stuck, even under a sanitizer on a busy machine.
DEADLINE_S = 60.0

LOOK_INTERVAL_S = 0.01

Seen = TypeVar("Seen")


def until(look: Callable[[], Seen], expectation: str) -> Seen:
    """Return the first thing seen that is true; fail with what was expected if there is none."""
    pause = threading.Event()
    deadline_s = time.monotonic() + DEADLINE_S
    while not (seen := look()):
        if time.monotonic() > deadline_s:
            pytest.fail(f"after {DEADLINE_S:.0f} s it is still not so that {expectation}")
        pause.wait(LOOK_INTERVAL_S)
    return seen
