"""Shapes that results have in the field: none is accused falsely, and none passes by them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from serverlab.audit.audit import Audited, audited
from serverlab.audit.finding import Judgement
from serverlab.audit.page import write_page
from serverlab.audit.reading import read
from tests.lab.audit.corruptions import AB, HEY, WRK, WRK2, arena, oha, sample, trial
from tests.lab.audit.test_audit import write
from tests.lab.command_line import call


def rows_of(folder: Path, content: object) -> list[Audited]:
    """What is found of a file with this content."""
    return audited(read(write(folder, content)))


def one_of(folder: Path, content: object) -> Audited:
    """The only result of a file."""
    [found] = rows_of(folder, content)
    return found


def oha_at_deadline(in_flight: int) -> dict[str, Any]:
    """A run of a second, whose rate counts requests that it aborted at its deadline, as oha's."""
    document = oha(
        statusCodeDistribution={"200": 1000},
        errorDistribution={"aborted due to deadline": in_flight},
    )
    document["summary"] |= {"total": 1.0, "requestsPerSec": 1000.0 + in_flight}
    document["summary"] |= {"average": 0.02, "slowest": 0.2}
    document["latencyPercentiles"] = {"p50": 0.018, "p90": 0.03, "p95": 0.05}
    return document


@pytest.mark.parametrize("in_flight", [50, 150, 1000])
def test_requests_that_oha_aborts_at_its_deadline_are_not_replies(
    tmp_path: Path, in_flight: int
) -> None:
    found = one_of(tmp_path, oha_at_deadline(in_flight))
    assert found.finding.judgement == Judgement.PLAUSIBLE, found.finding
    assert found.row.rate_per_s == pytest.approx(1000)


def without_distribution(text: str) -> str:
    """What wrk2 prints if it is not asked for the distribution (`-L`)."""
    cut, count = re.subn(r"(?s)  Latency Distribution.*?-----\n", "", text)
    assert count == 1
    return cut


def test_wrk2_without_its_distribution_is_known_by_its_command_line(tmp_path: Path) -> None:
    text = without_distribution(sample(WRK2)).replace("-nan", " 1.0")
    found = one_of(tmp_path, text)
    assert (found.row.tool, found.row.offered_per_s) == ("wrk2", 2000)
    assert found.finding.judgement == Judgement.PLAUSIBLE, found.finding
    found = one_of(tmp_path, text.replace("-R2000", "-R4000"))
    assert found.finding.judgement == Judgement.UNSUSTAINED
    named = re.sub(r"\$ .*", "$ /opt/wrk2 -c16 http://127.0.0.1:7811/", text)
    assert one_of(tmp_path, named).row.tool == "wrk2"


@pytest.mark.parametrize("mark", ["calibration", "no rates"])
def test_wrk2_without_its_distribution_is_known_by_what_it_prints(
    tmp_path: Path, mark: str
) -> None:
    text = without_distribution(sample(WRK2)).partition("\n")[2]
    if mark == "calibration":
        said = "  Thread calibration: mean lat.: 1.480ms, rate sampling interval: 10ms\n"
        text = text.replace("-nan", " 1.0").replace("  Thread Stats", f"{said}  Thread Stats")
    found = one_of(tmp_path, text)
    assert found.row.tool == "wrk2"
    assert found.finding.judgement == Judgement.PLAUSIBLE, found.finding
    assert "the rate that was asked for is not in the output" in found.finding.reason


def test_wrk_is_not_taken_for_wrk2(tmp_path: Path) -> None:
    found = one_of(tmp_path, f"$ wrk -t1 -c16 -d2s http://a/\n{sample(WRK)}")
    assert found.row.tool == "wrk"


def test_replies_of_ab_that_are_no_success_are_errors(tmp_path: Path) -> None:
    line = "Failed requests:        0\n"
    text = sample(AB)
    assert line in text
    found = one_of(tmp_path, text.replace(line, f"{line}Non-2xx responses:      20000\n"))
    assert found.finding.judgement == Judgement.UNEXPLAINED
    assert found.finding.reason == (
        "all 20\u202f000 requests failed: rate and latency are those of errors"
    )
    found = one_of(tmp_path, text.replace(line, f"{line}Non-2xx responses:      500\n"))
    assert "500 of 20\u202f000 requests failed" in found.finding.reason


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        (WRK, "Requests/sec", "  Non-2xx or 3xx responses: 167339\nRequests/sec"),
        (HEY, "[200]", "[404]"),
    ],
)
def test_a_load_without_any_success_says_so(
    tmp_path: Path, name: str, right: str, wrong: str
) -> None:
    assert right in sample(name)
    found = one_of(tmp_path, sample(name).replace(right, wrong))
    assert found.finding.judgement != Judgement.PLAUSIBLE
    assert any(one.reason.startswith("all ") for one in found.findings), found.findings


def test_steps_of_a_stress_have_no_result_to_check(tmp_path: Path) -> None:
    step = {
        "trial": "001",
        "started_at": "2026-11-28T00:00:00+00:00",
        "connections": 16,
        "opened": 16,
        "alive": 16,
        "errors": {},
        "verdict": {"name": "VALID", "reason": ""},
        "memory": {},
        "limits": [],
        "schema": 1,
    }
    write(tmp_path, json.dumps(step) + "\n").rename(tmp_path / "stress.jsonl")
    write(tmp_path, json.dumps(trial()) + "\n").rename(tmp_path / "trials.jsonl")
    done = call("audit", "stress.jsonl", "trials.jsonl", "--html=page.html", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "stress.jsonl: nothing to check: a stress counts connections" in done.stdout
    assert "trials.jsonl: 1 result of serverlab: 1 PLAUSIBLE" in done.stdout
    assert "a stress counts connections" in (tmp_path / "page.html").read_text(encoding="utf-8")
    document = json.loads(call("audit", "stress.jsonl", "--json", cwd=tmp_path).stdout)
    assert [file["rows"] for file in document["files"]] == [[]]
    assert document["refused"] == []


def test_trials_without_a_result_are_nothing_to_check(tmp_path: Path) -> None:
    failed = trial("FAILED", "no") | {"load": None}
    table = read(write(tmp_path, json.dumps(failed) + "\n"))
    assert (table.rows, table.nothing) == ([], "no trial has a result of its load")


def test_a_tail_of_a_closed_loop_is_not_to_be_quoted(tmp_path: Path) -> None:
    write(tmp_path, sample(WRK)).rename(tmp_path / "wrk.txt")
    done = call("audit", "wrk.txt", "--html=page.html", cwd=tmp_path)
    said = " ".join(done.stdout.split())
    assert "Do not quote this p99: the loop of wrk is closed" in said
    assert "wrk adds latencies of requests that it did not send" in said
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Do not quote this p99" in page
    document = json.loads(call("audit", "wrk.txt", "--json", cwd=tmp_path).stdout)
    [sentence] = document["files"][0]["advice"]
    assert sentence.startswith("Do not quote this p99: ")


@pytest.mark.parametrize(
    ("content", "begin"),
    [
        (sample(HEY), "Do not quote this p99: the loop of hey is closed"),
        (sample(WRK) * 2, "Do not quote these p99: the loop of wrk is closed"),
        (arena()[:3], "Do not quote these p99: the loop of HttpArena is closed"),
        (sample(WRK2), ""),
    ],
    ids=["hey", "two of wrk", "a ranking", "wrk2"],
)
def test_what_is_not_to_be_quoted_follows_from_the_loop(
    tmp_path: Path, content: object, begin: str
) -> None:
    table = read(write(tmp_path, content))
    assert [sentence[: len(begin)] for sentence in table.advice] == ([begin] if begin else [])
    write_page(tmp_path / "page.html", [(table, audited(table))])
