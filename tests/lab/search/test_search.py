"""`serverlab search` end to end, with the real programs."""

from __future__ import annotations

import contextlib
import signal
import subprocess
from pathlib import Path

import msgspec
import psutil
import pytest

from serverlab.errors import UsageError
from serverlab.running.study import Study
from serverlab.search.search import trials_of
from tests.lab import report_data
from tests.lab.command_line import SERVERLAB, call, records
from tests.lab.conftest import Serverlab
from tests.waiting import DEADLINE_S, until

# It ends soon, and finds some rate on any machine: the bound is wide.
EASY = ["--engine=epoll-level", "--slo=p50 <= 1s", "--rate-max=500", "--connections=4"]


def search(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return call("search", *arguments, cwd=cwd)


def test_a_search_ends_with_its_answer_a_curve_and_a_page(tmp_path: Path) -> None:
    done = search(
        *EASY, "--duration=300ms", "--warmup=50ms", "--repeats=1", "--out=found", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    trials = records(tmp_path / "found")
    lengths = [trial["cell"]["length"] for trial in trials]
    assert lengths[0] == "peak"
    assert {"short", "full"} < set(lengths)
    assert lengths[-12:] == 12 * ["curve"]
    assert trials[-1]["load_settings"]["model"] == "open"
    assert len({trial["load_settings"]["seed"] for trial in trials}) == len(trials)
    result = msgspec.json.decode((tmp_path / "found" / "result.json").read_bytes())
    highest_per_s = result["goals"][0]["highest_per_s"]
    assert 0 < highest_per_s <= 500  # less if the machine is busy
    said = "the highest rate that was asked for" in done.stdout
    assert said == (highest_per_s == 500)
    assert [point["share"] for point in result["curve"]][-1] == 1.2
    page = (tmp_path / "found" / "search.html").read_text(encoding="utf-8")
    assert "p50 &lt;= 1s" in page
    assert page.count("<td>0") == len(trials)


def test_a_search_ends_with_its_budget_and_says_what_it_knows(tmp_path: Path) -> None:
    done = search(
        "--engine=epoll-level", "--slo=p50 <= 1s", "--connections=4", "--rate-max=500",
        "--budget=6s", "--duration=1s", "--repeats=30", "--out=found", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "not settled within 6s" in done.stdout.lower()
    lengths = [trial["cell"]["length"] for trial in records(tmp_path / "found")]
    assert lengths.count("full") < 10
    assert lengths.count("curve") == 12
    result = msgspec.json.decode((tmp_path / "found" / "result.json").read_bytes())
    assert result["goals"][0]["ending"] == "out of time"


def test_a_search_without_an_answer_fails(tmp_path: Path) -> None:
    done = search(
        "--engine=epoll-level", "--slo=p50 <= 1us", "--connections=4", "--rate-max=400",
        "--duration=300ms", "--warmup=50ms", "--repeats=1", "--no-curve", cwd=tmp_path,
    )  # fmt: skip
    assert "p50 <= 1us: no rate" in done.stdout
    assert done.returncode == 1


def test_a_search_that_was_stopped_goes_on_without_repeating_a_trial(tmp_path: Path) -> None:
    found = tmp_path / "found"
    command = [*SERVERLAB, "search", *EASY, "--duration=700ms", "--no-curve"]
    command += ["--warmup=50ms", f"--out={found}"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        until(lambda: len(records(found)) > 0, "a trial is on disk")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 130
    assert "--resume" in errors
    kept = records(found)
    assert len(kept) >= 1
    done = search(f"--resume={found}", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    trials = records(found)
    assert trials[: len(kept)] == kept
    assert [trial["order"] for trial in trials] == list(range(1, len(trials) + 1))
    lengths = [trial["cell"]["length"] for trial in trials]
    assert lengths[:2] == ["peak", "short"]
    assert lengths.count("full") >= 3


def test_a_failure_that_is_not_the_servers_ends_a_search_that_can_go_on(tmp_path: Path) -> None:
    found = tmp_path / "found"
    command = [*SERVERLAB, "search", *EASY, "--duration=700ms", "--no-curve", f"--out={found}"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        until(lambda: len(records(found)) > 0, "a trial is on disk")

        def a_load_is_killed() -> bool:
            with contextlib.suppress(psutil.NoSuchProcess):  # it has just ended
                for child in psutil.Process(process.pid).children():
                    if child.name() == "serverlab-load":
                        child.kill()
                        return True
            return False

        until(a_load_is_killed, "the load of another trial runs")
        _, errors = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 1
    assert "serverlab-load ended by SIGKILL; the trials before it are kept" in errors
    assert f"`serverlab search --resume={found}` goes on" in errors
    assert [trial["verdict"]["name"] for trial in records(found)].count("FAILED") == 0
    assert search(f"--resume={found}", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "status", "complaint"),
    [
        (["--engine=poll"], 2, "--slo is missing"),
        (["--engine=poll", "--slo=p99 <= 5ms", "--generators=2"], 2, "hosts of a --cluster"),
        (["--engine=poll", "--slo=p99 <= 5ms", "--cluster=hosts", "--generators=0"], 2, "1000"),
        (["--target=127.0.0.1:1", "--slo=p99 <= 5ms", "--cluster=hosts"], 2, "give --engine"),
        (["--slo=p99 <= 5ms"], 2, "either --engine"),
        (["--slo=p99 <= 5", "--engine=poll"], 2, "'p99 <= 5' is not"),
        (["--slo=p99 <= 5ms", "--engine=pol"], 2, "did you mean poll"),
        (["--slo=p99 <= 5ms", "--engine=poll", "--threads=2"], 2, "--server-threads"),
        (["--slo=p99 <= 5ms", "--engine=poll", "--conections=2"], 2, "did you mean --connections"),
        (["--slo=p99 <= 5ms", "--engine=poll", "--rate=2"], 2, "no setting --rate"),
        (["--slo=p99 <= 5ms", "--engine=poll", "--think=1ms"], 2, "not used by the load model"),
        (["--slo=p99 <= 5ms", "--target=127.0.0.1:1", "--backlog=2"], 2, "setting of the server"),
        (["--slo=p99 <= 5ms", "--engine=poll", "--rate-max=20"], 2, "too few requests"),
        (["--slo=p99 <= 5ms", "--engine=poll", "--server-cpus=4000"], 1, "CPU 4000"),
        (["--slo=p99 <= 5ms", "--target=127.0.0.1:1"], 1, "did not reply"),
        (["--resume=nowhere", "--duration=1s"], 2, "takes no other options"),
        (["--resume=nowhere"], 2, "nowhere is not a study"),
    ],
)
def test_what_cannot_be_searched_is_one_sentence(
    arguments: list[str], status: int, complaint: str, serverlab: Serverlab
) -> None:
    done = serverlab("search", *arguments)
    assert complaint in done.stderr
    assert done.returncode == status
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"cell": {}}, "b1-001 is no trial of a search"),
        ({"cell": {"length": "full", "rate": "high"}}, "b1-001 is no trial of a search"),
        ({"cell": {"length": "curve", "rate": 5.0}}, "b1-001 is no trial of a search"),
        ({"cell": {"length": "peak", "rate": 0}, "load": None}, "the first, has no result"),
    ],
)
def test_a_trial_that_no_search_has_run_is_refused(
    changes: dict[str, object], complaint: str, tmp_path: Path
) -> None:
    record = report_data.record({"engine": "poll"}, block=1, order=1, speed=1.0) | changes
    (tmp_path / "trials.jsonl").write_bytes(msgspec.json.encode(record) + b"\n")
    with pytest.raises(UsageError, match=complaint):
        trials_of(Study(tmp_path))
