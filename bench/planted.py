"""Whether the ledger of `serverlab explain` finds a planted cost at its size.

A server with something planted in each request is explained beside one without, several times; the
plant times itself as it serves. The bar: each within 10 %. Argument: how many times, 3 without one.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from bench.ratios import Repeated, judged
from serverlab.machine.native import ROOT

SERVER = ROOT / "build" / "release" / "planted_cost_server"
SERVERLAB = [sys.executable, "-c", "from serverlab.cli import main; main()"]
TAKES, TAKES_IN_TEST = "60s", "20s"
TIMES = 3
BAR = 0.1
LOCK = "lock"
ALONE = ("--connections=1",)
PLANTS: dict[str, tuple[str, ...]] = {"getppid": (), "user": (), "wake": ALONE, LOCK: ALONE}
PART_OF = {"wake": "futex"}  # of others, the part has the name of the plant


class NoProbeError(Exception):
    """This machine takes no probe, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A server with something planted, beside one without."""

    parts: dict[str, dict[str, Any]]  # of its ledger
    more: dict[str, float]  # ns of CPU time in a request, by part
    planted_ns: float  # as it says itself

    def found_ns(self, plant: str) -> float:
        """The size of a plant by the ledger: a lock is waited for off the CPU."""
        if plant != LOCK:
            return self.more[PART_OF.get(plant, plant)]
        futex = self.parts["futex"]
        return float(futex["blocked_ns"]["value"] + futex["run_queue_ns"]["value"])


def explained(folder: Path, plant: str, *settings: str, takes: str = TAKES) -> Found:
    """The ledger of a server with a plant over one without.

    Raises NoProbeError, and CalledProcessError if the servers cannot be explained.
    """
    server = f"{SERVER} {{port}}"
    command = ["explain", f"{server} none", f"{server} {plant}", f"--for={takes}", "--json"]
    done = subprocess.run(
        [*SERVERLAB, *command, *settings, f"--out={folder}"],
        stdout=subprocess.PIPE,
        check=True,
        timeout=150,
    )
    document = msgspec.json.decode(done.stdout)
    base, planted = document["ledgers"]
    if "kernel" in {part["name"] for part in base["parts"]}:
        raise NoProbeError(document["sentences"][-1])
    said = re.search(r"planted ([0-9.]+) ns", (folder / "logs" / "server-2.log").read_text())
    return Found(
        parts={part["name"]: part for part in planted["parts"]},
        more={
            part["name"]: part["cpu_ns"]["value"] for part in document["differences"][0]["parts"]
        },
        planted_ns=float(said[1]) if said else 0,
    )


def main() -> int:
    """Explain each plant, print what it was found to cost, and hold the medians to the bar."""
    times = int(sys.argv[1]) if len(sys.argv) > 1 else TIMES
    rows = []
    for plant, settings in PLANTS.items():
        with tempfile.TemporaryDirectory() as folder:
            found = [explained(Path(folder) / str(run), plant, *settings) for run in range(times)]
        rows.append(
            Repeated(
                name=plant,
                true_ns=[one.planted_ns for one in found],
                ratios=[one.found_ns(plant) / one.planted_ns for one in found],
            )
        )
    return judged(rows, BAR)


if __name__ == "__main__":
    sys.exit(main())
