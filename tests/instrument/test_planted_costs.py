"""What is planted in a request is found in its own row of the ledger, at its size."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.instrument.conftest import BUILD
from tests.lab.command_line import call

TAKES = "20s"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A server with something planted, beside one without."""

    parts: dict[str, dict[str, Any]]  # of its ledger
    more: dict[str, float]  # ns of CPU time in a request, by part
    planted_ns: float  # as it says itself; 0 if it does not know


def explained(folder: Path, plant: str, *settings: str) -> Found:
    """The ledger of a server with a plant over one without."""
    server = f"{BUILD / 'planted_cost_server'} {{port}}"
    done = call("explain", f"{server} none", f"{server} {plant}", f"--for={TAKES}", "--json",
                *settings, f"--out={folder}", cwd=folder.parent)  # fmt: skip
    assert done.returncode == 0, done.stderr
    document = msgspec.json.decode(done.stdout)
    if "kernel" in {part["name"] for part in document["ledgers"][0]["parts"]}:
        pytest.skip(f"this machine takes no probe: {document['sentences'][-1]}")
    said = re.search(r"planted ([0-9.]+) ns", (folder / "logs" / "server-2.log").read_text())
    return Found(
        parts={part["name"]: part for part in document["ledgers"][1]["parts"]},
        more={
            part["name"]: part["cpu_ns"]["value"] for part in document["differences"][0]["parts"]
        },
        planted_ns=float(said[1]) if said else 0,
    )


def test_calls_are_counted_and_have_their_price(tmp_path: Path) -> None:
    found = explained(tmp_path / "run", "getppid")
    assert found.parts["getppid"]["calls"]["value"] == pytest.approx(10, rel=0.01)
    assert found.more["getppid"] == pytest.approx(found.planted_ns, rel=0.25)


def test_code_is_in_user_mode(tmp_path: Path) -> None:
    found = explained(tmp_path / "run", "user")
    assert found.more["user"] == pytest.approx(found.planted_ns, rel=0.25)
    assert found.more["user"] == max(found.more.values())


def test_a_wake_up_is_two_calls_of_futex(tmp_path: Path) -> None:
    found = explained(tmp_path / "run", "wake", "--connections=1")
    assert found.parts["futex"]["calls"]["value"] == pytest.approx(2, rel=0.01)
    assert found.parts["futex"]["blocks"]["value"] == pytest.approx(1, rel=0.01)
    assert found.more["futex"] == max(found.more.values())


def test_a_lock_is_waited_for_while_another_has_it(tmp_path: Path) -> None:
    found = explained(tmp_path / "run", "lock", "--connections=1")
    futex = found.parts["futex"]
    assert futex["blocks"]["value"] == pytest.approx(1, rel=0.01)
    # The other thread has to come to the CPU, and to make the call that wakes, with the probe.
    assert found.planted_ns < futex["blocked_ns"]["value"] < 2 * found.planted_ns
    assert found.planted_ns < found.more["user"] < 2 * found.planted_ns
