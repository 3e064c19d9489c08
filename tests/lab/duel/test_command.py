"""`serverlab duel` from the command line, as a workflow calls it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from tests.lab.command_line import call, records


def test_a_duel_prints_its_outcome_alone_and_its_gate_is_the_status(tmp_path: Path) -> None:
    gate = "--fail-if=cpu > 1000x"
    done = call("duel", "poll", "threads", "--for=22s", "--json", gate, "--out=run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    outcome = msgspec.json.decode(done.stdout)
    assert outcome["folder"] == "run"
    assert {(row["subject"], row["baseline"]) for row in outcome["rows"]} == {("threads", "poll")}
    assert {row["measure"] for row in outcome["rows"]} == {
        "goodput", "server-cpu-per-request", "latency-p99",
    }  # fmt: skip
    assert {record["verdict"]["name"] for record in records(tmp_path / "run")} >= {"VALID"}
    assert (tmp_path / "run" / "report.html").exists()


def test_a_quiet_duel_prints_its_outcome(tmp_path: Path) -> None:
    done = call("duel", "poll", "threads", "--for=22s", "--quiet", "--out=run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "threads" in done.stdout
    assert "VALID" not in done.stdout  # of the trials


def test_a_subject_that_cannot_start_ends_the_duel_at_once(tmp_path: Path) -> None:
    done = call("duel", "./nosuch --port={port}", "poll", "--for=60s", "--out=run", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.count("cannot start ./nosuch") == 1
    assert not records(tmp_path / "run")


def test_one_server_has_none_to_be_compared_with(tmp_path: Path) -> None:
    done = call("duel", "threads", cwd=tmp_path)
    assert done.returncode == 2
    assert "give two subjects or more" in done.stderr
