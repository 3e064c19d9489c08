"""The laboratory end to end, with the real programs."""

from __future__ import annotations

import contextlib
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import polars
import psutil
import pytest

from serverlab.cli import app, parsed
from serverlab.machine.native import ROOT
from tests.lab.command_line import SERVERLAB, call, records
from tests.waiting import DEADLINE_S, until

if TYPE_CHECKING:
    from collections.abc import Iterator

TINY = """
question = "Which of two?"
[server]
engine = ["poll", "epoll-level"]
[load]
connections = [1, 8]
warmup = "50 ms"
duration = "150 ms"
[design]
blocks = 1
twin = false
"""


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.toml"
    path.write_text(TINY, encoding="utf-8")
    return path


def test_an_experiment_runs_to_its_report(tiny: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    done = call("run", tiny, "--out", run, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(records(run)) == 4
    for record in records(run):
        assert record["server"]["cpu_per_request_us"] > 0
        assert record["load"]["requests"]["completed"] > 0
    assert "Which of two?" in (run / "report.html").read_text(encoding="utf-8")
    assert list((run / "logs").iterdir()) == []


def test_servers_that_take_turns_give_a_trial_each(tiny: Path, tmp_path: Path) -> None:
    interleaved = TINY.replace("twin = false", 'twin = true\nkind = "interleaved"')
    tiny.write_text(interleaved.replace('"150 ms"', '"1 s"'), encoding="utf-8")
    run = tmp_path / "run"
    done = call("run", tiny, "--out", run, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    trials = records(run)
    assert len(trials) == 6
    for group in (trials[:3], trials[3:]):
        assert len({trial["started_at"] for trial in group}) == 1
        assert len({trial["cell"]["connections"] for trial in group}) == 1
        # Two servers may have had as many requests, never all of their summary alike.
        assert len({msgspec.json.encode(trial["server"]["summary"]) for trial in group}) == 3
    for trial in trials:
        series, server = trial["load"]["series"], trial["server"]
        assert len(series) == 5
        assert sum(row["completed"] for row in series) == trial["load"]["requests"]["received"]
        assert sum(row["server_cpu_s"] for row in series) == pytest.approx(server["cpu_s"])
        assert server["requests"] == sum(row["answered"] for row in series)
        assert server["cpu_per_request_us"] > 0
        assert 0 < server["cpus_busy"] < 1.5
        assert len(server["samples"]) >= 3
    page = (run / "report.html").read_text(encoding="utf-8")
    assert "one load goes from one to the next" in page


@pytest.mark.parametrize("kind", ["separate", "interleaved"])
def test_each_connection_has_a_row_of_either_side_where_the_design_asks_for_it(
    kind: str, tiny: Path, tmp_path: Path
) -> None:
    design = f'twin = false\nkind = "{kind}"\nconnection_log = true'
    tiny.write_text(TINY.replace("twin = false", design), encoding="utf-8")
    run = tmp_path / "run"
    done = call("run", tiny, "--out", run, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for trial in records(run):
        rows = polars.read_parquet(run / "connections" / f"{trial['trial']}.parquet")
        assert len(rows) == trial["cell"]["connections"]
        assert rows["requests"].sum() == trial["load"]["requests"]["completed"]
        assert (rows["latency_p99_ns"] > 0).all()
        summary = trial["server"]["summary"]
        served = polars.read_parquet(run / "connections" / f"{trial['trial']}-server.parquet")
        assert len(served) == summary["accepts"] >= len(rows)
        assert served["requests"].sum() == summary["requests"]
        assert served["bytes_in"].sum() == summary["bytes_in"]
        assert served["accepted_at"].dtype == polars.Datetime("us", "UTC")


@contextlib.contextmanager
def running(experiment: Path, run: Path) -> Iterator[subprocess.Popen[str]]:
    command = [*SERVERLAB, "run", str(experiment), "--out", str(run)]
    with subprocess.Popen(
        command, cwd=run.parent, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        yield process


def servers_of(process: subprocess.Popen[str]) -> list[psutil.Process]:
    """The servers that a running laboratory has started, once there is one."""

    def look() -> list[psutil.Process]:
        with contextlib.suppress(psutil.NoSuchProcess):
            children = psutil.Process(process.pid).children()
            return [one for one in children if any("--listen=" in word for word in one.cmdline())]
        return []

    return until(look, "a server was started")


def test_an_interrupted_run_keeps_its_trials_leaves_no_process_and_goes_on(
    tiny: Path, tmp_path: Path
) -> None:
    tiny.write_text(TINY.replace('"150 ms"', '"700 ms"'), encoding="utf-8")
    run = tmp_path / "run"
    with running(tiny, run) as process:
        until(lambda: len(records(run)) > 0, "a trial is on disk")
        servers = servers_of(process)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 130
    assert "--resume" in errors
    _, still_there = psutil.wait_procs(servers, timeout=DEADLINE_S)
    assert still_there == []
    kept = [record["trial"] for record in records(run)]
    assert 1 <= len(kept) < 4
    resumed = call("run", "--resume", run, cwd=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    trials = [record["trial"] for record in records(run)]
    assert trials[: len(kept)] == kept
    assert len(trials) == len(set(trials)) == 4


def test_a_server_that_dies_in_mid_trial_fails_that_trial_alone(tiny: Path, tmp_path: Path) -> None:
    separate = TINY.replace("twin = false", 'twin = false\nkind = "separate"')
    tiny.write_text(separate.replace('"150 ms"', '"1 s"'), encoding="utf-8")
    run = tmp_path / "run"
    with running(tiny, run) as process:
        servers_of(process)[0].kill()
        _, errors = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 1
    assert "the server died" in errors or "serverlab-server ended by SIGKILL" in errors
    names = [record["verdict"]["name"] for record in records(run)]
    assert names.count("FAILED") == 1
    assert len(names) == 4


def test_what_the_machine_cannot_offer_is_told_and_the_rest_is_measured(
    tiny: Path, tmp_path: Path
) -> None:
    tiny.write_text(TINY.replace("[load]", 'cpus = ["0", "0,4000"]\n[load]'), encoding="utf-8")
    run = tmp_path / "run"
    done = call("run", tiny, "--out", run, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    refused = [record["verdict"] for record in records(run) if record["cell"]["cpus"] == "0,4000"]
    reason = "serverlab-server: --cpus: CPU 4000 of 0,4000 is not there or not allowed"
    assert refused == [{"name": "UNSUPPORTED", "reason": reason}] * 4
    assert reason in (run / "report.html").read_text(encoding="utf-8")


def test_servers_take_turns_without_those_that_the_machine_cannot_run(
    tiny: Path, tmp_path: Path
) -> None:
    design = 'twin = true\nkind = "interleaved"\n[engine.epoll-level]\ncpus = "4000"'
    text = TINY.replace("twin = false", design).replace("[1, 8]", "2")
    tiny.write_text(text.replace('"150 ms"', '"1 s"'), encoding="utf-8")
    run = tmp_path / "run"
    done = call("run", tiny, "--out", run, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    verdicts = {record["cell"]["engine"]: record["verdict"]["name"] for record in records(run)}
    assert verdicts.pop("epoll-level") == "UNSUPPORTED"
    assert sorted(verdicts) == ["poll", "poll again"]
    assert not {"FAILED", "UNSUPPORTED"} & set(verdicts.values())


def test_a_run_in_which_everything_was_refused_fails(tiny: Path, tmp_path: Path) -> None:
    tiny.write_text(TINY.replace("[load]", 'cpus = "4000"\n[load]'), encoding="utf-8")
    done = call("run", tiny, "--out", tmp_path / "run", cwd=tmp_path)
    assert done.returncode == 1
    assert "CPU 4000" in done.stderr


def test_a_server_that_dies_fails_those_that_took_turns_with_it(tiny: Path, tmp_path: Path) -> None:
    interleaved = TINY.replace("twin = false", 'twin = false\nkind = "interleaved"')
    tiny.write_text(interleaved.replace('"150 ms"', '"1 s"'), encoding="utf-8")
    run = tmp_path / "run"
    with running(tiny, run) as process:
        servers_of(process)[0].kill()
        _, errors = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 1
    assert "the server of " in errors or "serverlab-server ended by SIGKILL" in errors
    verdicts = [record["verdict"]["name"] for record in records(run)]
    assert verdicts[:2] == ["FAILED", "FAILED"]
    assert "FAILED" not in verdicts[2:]


def test_a_killed_laboratory_leaves_no_process(tiny: Path, tmp_path: Path) -> None:
    tiny.write_text(TINY.replace('"150 ms"', '"20 s"'), encoding="utf-8")
    with running(tiny, tmp_path / "run") as process:
        servers = servers_of(process)
        process.kill()
        _, still_there = psutil.wait_procs(servers, timeout=DEADLINE_S)
    assert still_there == []


def precise(tiny: Path, precision: float, blocks_max: int) -> Path:
    design = f"blocks = 1\nprecision = {precision}\nblocks_max = {blocks_max}"
    text = TINY.replace("blocks = 1", design).replace("[1, 8]", "8")
    tiny.write_text(text.replace('"150 ms"', '"60 ms"'), encoding="utf-8")
    return tiny


def test_blocks_are_added_and_what_is_still_wide_is_said(tiny: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    done = call("run", precise(tiny, 0.000001, 6), "--out", run, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    trials = [record["trial"] for record in records(run)]
    plan = msgspec.json.decode((run / "plan.json").read_bytes())
    assert trials == [trial["trial"] for trial in plan["trials"]]
    assert plan["trials"][-1]["block"] == 6
    assert "target precision not reached: `epoll-level`" in done.stdout
    assert "after 6 blocks (of 6 at most) these" in (run / "report.html").read_text("utf-8")
    again = call("run", "--resume", run, cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert [record["trial"] for record in records(run)] == trials


def test_a_precision_that_is_reached_ends_the_run(tiny: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    done = call("run", precise(tiny, 0.99, 30), "--out", run, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert 10 <= len(records(run)) < 60
    assert "not as precise" not in done.stdout


def test_a_run_that_is_killed_between_its_blocks_goes_on_without_repeating_any(
    tiny: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    with running(precise(tiny, 0.000001, 7), run) as process:
        until(lambda: len(records(run)) >= 5, "the second two blocks have begun")
        process.kill()
    with (run / "trials.jsonl").open("ab") as file:
        file.write(b'{"trial": "b9-0')
    resumed = call("run", "--resume", run, cwd=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    trials = [record["trial"] for record in records(run)]
    assert len(trials) == len(set(trials)) == 14


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["run", "nowhere.toml"], "cannot read nowhere.toml"),
        (["run"], "give an experiment file, or --resume with a run's folder, or --engine"),
        (["report", "nowhere"], "nowhere is not a run"),
        (["run", "--resume", "nowhere"], "nowhere is not a run"),
    ],
)
def test_bad_usage_is_one_sentence_and_status_2(
    arguments: list[str], complaint: str, tmp_path: Path
) -> None:
    done = call(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr


def test_a_plan_says_how_long_a_precision_may_take(tiny: Path, tmp_path: Path) -> None:
    done = call("plan", precise(tiny, 0.03, 12), cwd=tmp_path)
    said = " ".join(done.stdout.split())
    assert (
        "blocks are added, up to 12, until each ratio to the baseline is known to ±3 %"
        in said.replace("\N{NARROW NO-BREAK SPACE}", " ")
    )


def test_a_plan_shows_every_trial(tiny: Path, tmp_path: Path) -> None:
    done = call("plan", tiny, "--seed", "3", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "b1-004" in done.stdout
    assert "seed 3" in done.stdout


@pytest.mark.parametrize("what", ["engines", "services", "experiments"])
def test_lists_are_json_on_demand(what: str, tmp_path: Path) -> None:
    done = call("list", what, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(msgspec.json.decode(done.stdout)) > 0


@pytest.mark.parametrize(
    "path", sorted((ROOT / "experiments").rglob("*.toml")), ids=lambda path: path.stem
)
def test_every_experiment_of_the_project_can_be_planned(path: Path) -> None:
    assert parsed(app.meta, ["plan", str(path)]) == 0
