"""Whether the lanes of `serverlab explain --tail` add up to the latency of a request.

By Little's law, closed connections over their requests a second are what a request takes on
average, and the client's own time between a reply and the next request, which is in no lane. The
bar: within 2 %, where requests wait long for a thread, and with many connections. Argument: how
many times, 5 without one.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import fmean

import msgspec

from bench.planted import SERVER, SERVERLAB
from bench.ratios import Repeated, judged
from serverlab.slices import SLICE_S, ProbedLoad

TAKES = "20s"
TIMES = 5
BAR = 0.02
PLANTS = {"long": 16, "none": 256}  # connections


def lanes_and_latency_ns(folder: Path, plant: str, connections: int) -> tuple[float, float]:
    """What the lanes of a request add up to, and its latency; both are means.

    Raises CalledProcessError if this machine takes no probe.
    """
    command = ["explain", f"{SERVER} {{port}} {plant}", "--tail", f"--for={TAKES}", "--quiet"]
    subprocess.run(
        [*SERVERLAB, *command, f"--connections={connections}", f"--out={folder}"],
        stdout=subprocess.DEVNULL,
        check=True,
        timeout=100,
    )
    load = msgspec.json.decode((folder / "slices.json").read_bytes(), type=ProbedLoad)
    [followed] = load.requests.values()
    probed = [one for one in load.slices if one.probed]
    latency_ns = 1e9 * connections * SLICE_S * len(probed) / sum(one.requests for one in probed)
    return fmean(sum(one.lanes_ns) for one in followed), latency_ns


def main() -> int:
    """Follow requests of each server, print what their lanes add up to, and hold it to the bar."""
    times = int(sys.argv[1]) if len(sys.argv) > 1 else TIMES
    rows = []
    for plant, connections in PLANTS.items():
        with tempfile.TemporaryDirectory() as folder:
            found = [
                lanes_and_latency_ns(Path(folder) / str(run), plant, connections)
                for run in range(times)
            ]
        rows.append(
            Repeated(
                name=f"{plant}, {connections} connections",
                true_ns=[latency_ns for _, latency_ns in found],
                ratios=[lanes_ns / latency_ns for lanes_ns, latency_ns in found],
            )
        )
    return judged(rows, BAR)


if __name__ == "__main__":
    sys.exit(main())
