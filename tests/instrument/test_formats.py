"""Each format, read by the tool that it is for."""

from __future__ import annotations

import itertools
import re
import subprocess
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

from tests.go_programs import INSTALLED_BY, go_program
from tests.instrument.conftest import Running, load

FORTIO = go_program("fortio")
BENCHSTAT = go_program("benchstat")
FORMATS = ["hlog", "hgrm", "wrk2", "fortio", "benchstat"]
PERCENTILES = {"p50": 50, "p90": 90, "p99": 99, "p99_9": 99.9}
LIMIT_S = 30


class Written:
    """A load of three seconds, and the files that it wrote."""

    def __init__(self, folder: Path, result: dict[str, Any]) -> None:
        """`folder` holds a file for each format, under its name."""
        self.folder = folder
        self.result = result

    def path(self, name: str) -> Path:
        """The file of a format."""
        return self.folder / f"{name}.json"

    def text(self, name: str) -> str:
        """What it says."""
        return self.path(name).read_text(encoding="utf-8")

    def latency(self) -> HdrHistogram:
        """The result's own histogram of the latency."""
        return HdrHistogram.decode(self.result["latency_ns"]["hdr"])


@pytest.fixture
def written(echo_server: Running, tmp_path: Path) -> Written:
    """A load that wrote all formats."""
    outputs = [f"--{name}={tmp_path / name}.json" for name in FORMATS]
    settings = ["--connections=16", "--duration=3s", "--warmup=100ms"]
    return Written(tmp_path, load(echo_server, *settings, *outputs))


def test_the_interval_log_adds_up_to_the_percentiles_that_are_printed(written: Written) -> None:
    total = HdrHistogram(1, 3_600_000_000_000, 3)
    reader = HistogramLogReader(str(written.path("hlog")), total)
    lengths_s = []
    while (interval := reader.get_next_interval_histogram()) is not None:
        lengths_s.append((interval.get_end_time_stamp() - interval.get_start_time_stamp()) / 1000)
        total.add(interval)
    reader.close()
    assert lengths_s == pytest.approx([1, 1, 1])
    figures = written.result["latency_ns"]
    assert total.get_total_count() == figures["count"]
    for name, percentile in PERCENTILES.items():
        assert total.get_value_at_percentile(percentile) == figures[name], name


def test_each_row_of_the_spectrum_is_what_the_histogram_says(written: Written) -> None:
    spectrum = written.text("hgrm")
    latency = written.latency()
    total = latency.get_total_count()
    rows = [line.split() for line in re.findall(r"^ +\d.*$", spectrum, re.MULTILINE)]
    assert len(rows) > 20
    assert [float(row[1]) for row in rows] == sorted({float(row[1]) for row in rows})
    assert rows[-1][1:] == ["1.000000000000", str(total), "inf"]
    for value_ms, percentile, count, *_ in rows:
        reached = 100 * int(count) / total
        assert float(percentile) <= reached / 100 + 1e-12
        value_ns = latency.get_value_at_percentile(reached)
        assert float(value_ms) == pytest.approx(value_ns / 1e6, abs=0.0006)
    mean_ms = re.findall(r"Mean +=\s+([\d.]+)", spectrum)
    assert float(mean_ms[0]) == pytest.approx(written.result["latency_ns"]["mean"] / 1e6, abs=0.001)


def test_the_text_of_wrk2_has_its_lines(written: Written) -> None:
    text = written.text("wrk2")
    assert "  Latency Distribution (HdrHistogram - Recorded Latency)\n 50.000%" in text
    assert written.text("hgrm") in text
    received = written.result["requests"]["received"]
    assert f"  {received} requests in 3.00s, " in text
    rate = re.findall(r"^Requests/sec: +([\d.]+)$", text, re.MULTILINE)
    assert float(rate[0]) == pytest.approx(written.result["rate"]["goodput_per_s"], abs=0.01)


@pytest.mark.skipif(FORTIO is None, reason=f"this machine has no fortio: {INSTALLED_BY}")
def test_fortio_lists_and_serves_our_file(written: Written) -> None:
    command = [str(FORTIO), "report", "-data-dir", str(written.folder)]
    ports = ["-http-port", "127.0.0.1:0", "-redirect-port", "disabled"]
    with subprocess.Popen([*command, *ports], stderr=subprocess.PIPE, text=True) as report:
        try:
            assert report.stderr is not None
            # It listens before it knows its pages, and says so when it knows all of them.
            said = iter(report.stderr.readline, "")
            start = "".join(itertools.takewhile(lambda line: "servers started" not in line, said))
            [address] = re.findall(r"listening on tcp (127[\d.:]+)", start)
            page = fetched(f"http://{address}/")
            data = fetched(f"http://{address}/data/fortio.json")
        finally:
            report.kill()
    assert '<option value="fortio.json"' in page
    assert data == written.text("fortio")


def fetched(url: str) -> str:
    """A page of this machine."""
    with urllib.request.urlopen(url, timeout=LIMIT_S) as page:  # noqa: S310 - its own server
        content: bytes = page.read()
    return content.decode()


@pytest.mark.skipif(BENCHSTAT is None, reason=f"this machine has no benchstat: {INSTALLED_BY}")
def test_benchstat_parses_a_line_a_second(written: Written) -> None:
    done = subprocess.run(
        [str(BENCHSTAT), "-format=csv", str(written.path("benchstat"))],
        capture_output=True,
        check=False,
        text=True,
        timeout=LIMIT_S,
    )
    assert done.returncode == 0, done.stderr
    assert "Unparsed" not in done.stderr
    rates = [row["completed"] / row["duration_s"] for row in written.result["series"]]
    median = sorted(rates)[1]
    found = re.findall(
        r",req/s,CI\nEcho/model=closed/connections=16/depth=1,([\d.e+]+)", done.stdout
    )
    assert float(found[0]) == pytest.approx(median, rel=0.01)
