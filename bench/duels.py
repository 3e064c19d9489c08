"""How often a duel is right: of a server with itself, and with one that costs 3 % more.

A duel of two equal servers may call them different three times in a hundred: here once in twenty. A
planted 3 % of server CPU per request, at a fixed rate, is to be found in nine of ten. The status is
1 if one of the two does not hold. Arguments: how many duels of each.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from serverlab.analysis.comparisons import HIGHER, LOWER
from serverlab.console import say
from serverlab.machine.native import ROOT, program
from serverlab.stats.share import share_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

ENGINE = "epoll-level"
EQUAL, PLANTED = 20, 10
FOR, TRIED_FOR, WARMUP = "60s", "4min", "0.1s"
PLANT = 0.03
CALLS_TRIED = 2.0  # in each request, about what is to be planted
SERVERLAB = [sys.executable, "-c", "from serverlab.cli import main; main()"]
CPU = "server-cpu-per-request"


class Row(msgspec.Struct):
    """A row of a duel's outcome, as far as it matters here."""

    measure: str
    where: str
    verdict: str
    ratio: float | None = None
    low: float | None = None
    high: float | None = None


class Outcome(msgspec.Struct):
    """A duel's outcome."""

    rows: list[Row]

    def costs(self) -> list[Row]:
        """By server CPU of a request: in a closed loop, and at a fixed rate."""
        return [row for row in self.rows if row.measure == CPU]


def duel(folder: Path, subjects: Sequence[str], seconds: str = FOR) -> Outcome:
    """One duel in a folder of its own; nothing is compiled as it runs, which would want more."""
    command = [*SERVERLAB, "duel", *subjects, f"--for={seconds}", f"--warmup={WARMUP}", "--json"]
    done = subprocess.run(
        [*command, f"--out={folder}"], cwd=ROOT, stdout=subprocess.PIPE, check=False
    )
    return msgspec.json.decode(done.stdout, type=Outcome)


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

    def planted(name: str, calls: float, seconds: str = FOR) -> list[Row]:
        burning = f"env LD_PRELOAD={library} BURN_CALLS={calls:.3f} {server}"
        return duel(folder / name, [plain, burning], seconds).costs()

    tried = at_a_rate(planted("tried", CALLS_TRIED, TRIED_FOR)) - 1
    calls = CALLS_TRIED * PLANT / tried
    costs = []
    hits = 0
    for number in range(count):
        rows = planted(f"planted-{number}", calls)
        costs.append(at_a_rate(rows) - 1)
        hits += any(row.verdict == HIGHER for row in rows)
        say(f"{calls:.2f} calls planted: {'; '.join(map(words, rows))}")
    say(f"planted, at a fixed rate: {sum(costs) / count:.2%} by all of these duels")
    tell("found", hits, count)
    return hits


def at_a_rate(rows: list[Row]) -> float:
    """The ratio of what a request costs at a fixed rate, where both servers do the same."""
    [ratio] = [row.ratio for row in rows if row.where and row.ratio]
    return ratio


def words(row: Row) -> str:
    """A ratio with its interval, and the verdict."""
    bounds = [f"{bound:.3f}" if bound else "unknown" for bound in (row.ratio, row.low, row.high)]
    return (
        f"{bounds[0]} [{bounds[1]}, {bounds[2]}] {row.where or 'in a closed loop'}, {row.verdict}"
    )


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
