"""How often a duel is right: of a server with itself, and with one that costs 3 % more.

A duel of two equal servers may call them different three times in a hundred: here once in twenty. A
planted 3 % of server CPU per request is to be found in nine of ten. The status is 1 if one of the
two does not hold. Arguments: how many duels of each.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import msgspec

from serverlab.analysis.comparisons import HIGHER, LOWER
from serverlab.console import say
from serverlab.machine.native import ROOT, program
from serverlab.stats.share import share_interval
from serverlab.verdicts import VerdictName

if TYPE_CHECKING:
    from collections.abc import Sequence

ENGINE = "epoll-level"
EQUAL, PLANTED = 20, 10
FOR, WARMUP = "60s", "0.1s"
PLANT = 1.03
SERVERLAB = [sys.executable, "-c", "from serverlab.cli import main; main()"]
CPU = "server-cpu-per-request"


class Row(msgspec.Struct):
    """A row of a duel's outcome, as far as it matters here."""

    measure: str
    verdict: str
    ratio: float | None = None
    low: float | None = None
    high: float | None = None


class Outcome(msgspec.Struct):
    """A duel's outcome."""

    folder: str
    rows: list[Row]


def duel(folder: Path, subjects: Sequence[str]) -> Outcome:
    """One duel in a folder of its own; nothing is compiled as it runs, which would want more."""
    command = [*SERVERLAB, "duel", *subjects, f"--for={FOR}", f"--warmup={WARMUP}", "--json"]
    done = subprocess.run(
        [*command, f"--out={folder}"], cwd=ROOT, stdout=subprocess.PIPE, check=False
    )
    return msgspec.json.decode(done.stdout, type=Outcome)


def cost_us(folder: Path) -> float:
    """What a request costs the first subject of a duel."""
    lines = (folder / "trials.jsonl").read_bytes().splitlines()
    trials = [msgspec.json.decode(line) for line in lines]
    costs_us = [
        trial["server"]["cpu_per_request_us"]
        for trial in trials
        if trial["cell"]["model"] == "closed" and trial["verdict"]["name"] == VerdictName.VALID
    ]
    return float(median(costs_us))


def tell(what: str, found: int, of: int) -> None:
    """A share, with its interval."""
    low, high = share_interval(found, of)
    say(f"{what}: {found} of {of} duels [{100 * low:.0f} %, {100 * high:.0f} %]")


def duels_of_equals(folder: Path, count: int) -> int:
    """How many duels of a server with itself call it different."""
    alarms = 0
    for number in range(count):
        found = duel(folder / f"equal-{number}", [ENGINE, ENGINE])
        different = any(row.verdict in {HIGHER, LOWER} for row in found.rows)
        alarms += different
        ratios = [f"{row.measure} {row.ratio:.3f}" for row in found.rows if row.ratio]
        say(f"equal: {', '.join(ratios)}{', called different' if different else ''}")
    tell("called different", alarms, count)
    return alarms


def duels_with_a_plant(folder: Path, count: int) -> int:
    """How many duels of a server with itself find that the second costs more."""
    library = folder / "burning_recv.so"
    source = ROOT / "bench" / "burning_recv.c"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source], check=True)
    server = f"{program('serverlab-server')} --engine={ENGINE} --listen={{host}}:{{port}}"
    plain = f"env LD_PRELOAD={library} {server}"
    duel(folder / "cost", [plain, plain])
    burn_ns = round(1000 * (PLANT - 1) * cost_us(folder / "cost"))
    hits = 0
    for number in range(count):
        burning = f"env LD_PRELOAD={library} BURN_NS={burn_ns} {server}"
        found = duel(folder / f"planted-{number}", [plain, burning])
        [row] = [row for row in found.rows if row.measure == CPU]
        hits += row.verdict == HIGHER
        say(f"{burn_ns} ns planted: {row.ratio} [{row.low}, {row.high}], {row.verdict}")
    tell("found", hits, count)
    return hits


def main() -> int:
    """Run the duels, and print the two shares; 1 if one of them misses its bar."""
    equal, planted = (int(one) for one in sys.argv[1:]) if sys.argv[1:] else (EQUAL, PLANTED)
    misses = False
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        if equal:
            misses |= duels_of_equals(folder, equal) > max(1, equal // 20)
        if planted:
            misses |= duels_with_a_plant(folder, planted) < planted - planted // 10
    return int(misses)


if __name__ == "__main__":
    sys.exit(main())
