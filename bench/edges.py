"""What each engine costs more than its neighbour, part by part: `serverlab explain` on each edge.

The result goes to docs/edges.json, and the table of docs/engines.md is made from it: both are
committed together. Argument: for how many seconds each pair is measured; without one, the table of
the file that is there is printed.

Of 23 intervals of 95 % one misses by chance. So an edge whose parts do not add up is measured once
more, for twice as long, and that measurement counts, whatever it says.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec

from serverlab.analysis.ledger_sums import Estimate
from serverlab.console import say
from serverlab.design.catalog import catalog
from serverlab.machine.native import ROOT
from serverlab.notation import NARROW_SPACE, listed
from serverlab.report.ledger_words import change, name_of, time_text

RESULT = ROOT / "docs" / "edges.json"
SERVERLAB = [sys.executable, "-c", "from serverlab.cli import main; main()"]
# These serve a connection to its end, so that they need a thread or a process for each.
OWN = {"thread-pool": "--threads=64", "processes": "--threads=64"}
PARTS_MAX = 4
SHARE_MIN = 0.05  # of the difference: smaller parts are not named


class Edge(msgspec.Struct, frozen=True):
    """How much more a request costs an engine than its neighbour."""

    engine: str
    neighbour: str
    cpu_ns: Estimate
    rest_ns: Estimate
    parts: dict[str, Estimate]  # that are beyond doubt, the largest first

    @property
    def adds_up(self) -> bool:
        """Whether the parts may well be all of the difference."""
        return not self.rest_ns.is_known


class PartFound(msgspec.Struct):
    """A part of a difference."""

    name: str
    cpu_ns: Estimate


class DifferenceFound(msgspec.Struct):
    """A difference, as far as it matters here."""

    cpu_ns: Estimate
    rest_ns: Estimate
    parts: list[PartFound]


class LedgerFile(msgspec.Struct):
    """What `serverlab explain --json` prints, as far as it matters here."""

    differences: list[DifferenceFound]


def measured(engine: str, neighbour: str, seconds: int) -> Edge | None:
    """Explain one edge, again if its parts do not add up; None if that cannot be done here."""
    found = measured_once(engine, neighbour, seconds)
    if found is None or found.adds_up:
        return found
    say(f"{engine} over {neighbour}: {change(found.rest_ns)} in no part, so once more")
    return measured_once(engine, neighbour, 2 * seconds)


def measured_once(engine: str, neighbour: str, seconds: int) -> Edge | None:
    """Explain one edge; None if that cannot be done here, which is said."""
    subjects = [" ".join(filter(None, (name, OWN.get(name)))) for name in (neighbour, engine)]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        command = [*SERVERLAB, "explain", *subjects, f"--for={seconds}s", "--json", f"--out={out}"]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        return None
    [found] = msgspec.json.decode(done.stdout, type=LedgerFile).differences
    known = {part.name: part.cpu_ns for part in found.parts if part.cpu_ns.is_known}
    return Edge(engine, neighbour, found.cpu_ns, found.rest_ns, known)


def table(edges: list[Edge]) -> str:
    """A row an edge, as Markdown."""
    lines = ["| engine | over | CPU time of a request, µs | by its parts | in no part, µs |"]
    lines += ["|---|---|---:|---|---:|"]
    for one in edges:
        least_ns = SHARE_MIN * max(abs(one.cpu_ns.value), one.cpu_ns.high - one.cpu_ns.low)
        named = [
            f"{'+' if part.value > 0 else ''}{time_text(part.value)} {name_of(name)}"
            for name, part in one.parts.items()
            if abs(part.value) >= least_ns
        ]
        lines.append(
            f"| `{one.engine}` | `{one.neighbour}` | {change(one.cpu_ns)} "
            f"| {listed(named[:PARTS_MAX]) or 'none beyond doubt'} | {change(one.rest_ns)} |"
        )
    return "\n".join(lines).replace(NARROW_SPACE, " ") + "\n"


def read() -> list[Edge]:
    """The edges that were measured."""
    return msgspec.json.decode(RESULT.read_bytes(), type=list[Edge])


def main() -> int:
    """Measure all edges if there is an argument, and print the table."""
    if len(sys.argv) > 1:
        edges = []
        for engine in catalog().engines.values():
            if engine.neighbour and not engine.in_kernel:
                found = measured(engine.name, engine.neighbour, int(sys.argv[1]))
                say(f"{engine.name} over {engine.neighbour}: {found and change(found.cpu_ns)}")
                edges += [found] if found else []
        RESULT.write_bytes(msgspec.json.format(msgspec.json.encode(edges), indent=1) + b"\n")
    edges = read()
    say(table(edges))
    say(f"{sum(one.adds_up for one in edges)} of {len(edges)} add up")
    return 0


if __name__ == "__main__":
    sys.exit(main())
