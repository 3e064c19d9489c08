"""A command for which memory does not suffice says so in a sentence."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.lab import report_data

# What draws is loaded when a report is made, and does not fit into what is left then.
LIMITED = """
import resource
from pathlib import Path
from serverlab.cli import main
pages = int(Path("/proc/self/statm").read_text().split()[0])
limit_bytes = pages * resource.getpagesize() + (8 << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit_bytes, limit_bytes))
main()
"""


def test_a_limit_of_address_space_is_named(tmp_path: Path) -> None:
    run = report_data.write_run(tmp_path / "run", twin=None, speeds={"poll": 1.0, "threads": 2.0})
    ended = subprocess.run(
        [sys.executable, "-c", LIMITED, "report", str(run)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert ended.returncode == 1, ended.stderr
    assert ended.stderr.startswith("serverlab: there is not enough memory")
    assert "MiB of address space, which `ulimit -v unlimited` lifts" in ended.stderr
    assert "fault of serverlab" not in ended.stderr
