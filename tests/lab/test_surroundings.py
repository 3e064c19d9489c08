"""What a command says where its surroundings are not as one would like them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from serverlab import failures
from serverlab.plain_text import HIDDEN
from tests.lab import report_data
from tests.lab.command_line import SERVERLAB, call, records
from tests.lab.conftest import Serverlab

TINY = r"""
question = "Which [/x] of \u001b[31mone\u009b \u202etwo?"
[server]
engine = "poll"
[load]
connections = [1, 2]
warmup = "10 ms"
duration = "50 ms"
[design]
blocks = 1
"""
IN_ASCII = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.toml"
    path.write_text(TINY, encoding="utf-8")
    return path


def shell(line: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a line of bash in which `$S` is the command; a pipe has the status of its first part."""
    program = cwd / "serverlab"
    program.write_text(f"#!/bin/sh\nexec {sys.executable} -c '{SERVERLAB[2]}' \"$@\"\n")
    program.chmod(0o755)
    return subprocess.run(
        ["/bin/bash", "-c", f"set -o pipefail; {line}"], cwd=cwd, capture_output=True, text=True,
        check=False, timeout=100, env={**os.environ, "S": str(program), **environment},
        encoding="utf-8",
    )  # fmt: skip


def test_markup_and_escapes_are_shown_and_not_obeyed(tiny: Path, tmp_path: Path) -> None:
    run = tmp_path / "[red]run[/x]"
    done = call("run", tiny, "--out", run, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert r"Which [/x] of \x1b[31mone\x9b \u202etwo?" in done.stdout
    assert f"report: {run}/report.html" in done.stdout
    page = (run / "report.html").read_text(encoding="utf-8")
    scripts = page.index("<script")
    assert r"\x1b[31mone\x9b \u202etwo" in page[:scripts]
    assert not HIDDEN.search(page[:scripts])


@pytest.mark.usefixtures("tiny")
def test_a_run_whose_reader_has_gone_says_so_and_goes_on_later(tmp_path: Path) -> None:
    done = shell("$S run tiny.toml --out=run | head -1", tmp_path)
    assert done.returncode == 141
    assert "the reader of the output has closed it" in done.stderr
    assert "`serverlab run --resume run` goes on" in done.stderr
    kept = len(records(tmp_path / "run"))
    assert f"{kept} of 2 trials are kept" in done.stderr
    assert call("run", "--resume=run", cwd=tmp_path).returncode == 0
    assert len(records(tmp_path / "run")) == 2


@pytest.mark.parametrize("command", ["plan tiny.toml", "list engines --json", "--help", "doctor"])
@pytest.mark.usefixtures("tiny")
def test_what_cannot_be_printed_is_said(command: str, tmp_path: Path) -> None:
    full = shell(f"$S {command} > /dev/full", tmp_path)
    assert full.returncode == 1
    assert full.stderr == "serverlab: cannot write the output: No space left on device\n"
    closed = shell(f"$S {command} >&-", tmp_path)
    assert closed.stderr == ""


@pytest.mark.parametrize("command", ["plan tiny.toml", "compare run other", "list engines"])
@pytest.mark.usefixtures("tiny")
def test_where_there_is_only_ascii_the_rest_is_stood_in_for(command: str, tmp_path: Path) -> None:
    report_data.write_run(tmp_path / "run")
    report_data.write_run(tmp_path / "other")
    done = shell(f"$S {command}", tmp_path, **IN_ASCII)
    assert done.returncode == 0, done.stderr
    assert (done.stdout + done.stderr).isascii()


def test_without_setpriv_no_trial_begins(tiny: Path, tmp_path: Path) -> None:
    done = shell(
        f"PATH=/nowhere {sys.executable} -c '{SERVERLAB[2]}' run {tiny} --out=run", tmp_path
    )
    assert done.returncode == 1
    assert "there is no `setpriv` on the PATH" in done.stderr
    assert records(tmp_path / "run") == []


def test_a_limit_of_file_sizes_is_no_full_disk(tiny: Path, tmp_path: Path) -> None:
    done = shell(f"ulimit -f 1; $S run {tiny} --out=run", tmp_path)
    assert done.returncode == 1
    assert "File too large: it has reached the limit of file sizes" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "x.toml", "--out="), ("run", "--resume="), ("plan", ""), ("report", ""),
        ("report", "x", "--export="), ("compare", "", "x"), ("search", "--out="),
        ("stress", "--out="), ("claims", "--out="), ("claims", ""), ("search", "--resume="),
    ],
)  # fmt: skip
def test_an_empty_path_is_refused(serverlab: Serverlab, arguments: tuple[str, ...]) -> None:
    ended = serverlab(*arguments)
    assert ended.returncode == 2
    assert "the path is empty" in ended.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("rnu",), ("run", "--outt=x"), ("plan",), ("plan", "a", "b"), ("list", "[/x]"),
        ("plan", "x.toml", "--seed=x"), ("search", "--precision=\x1b[2J"),
        ("plan", "\x1b]0;x\x07.toml"), ("report", "[/x]"), ("plan", "x" * 5000), ("compare", "x"),
        ("claims", "--only=\u202ex"), ("claims", "--budget=9" + "9" * 400 + "s"),
        ("search", "--engine=\x1bx", "--slo=p99<1ms"), ("stress", "--engine=poll", "--[/x]=1"),
        ("search", "--engine=poll", "--slo=\x1b"), ("stress", "--engine=poll", "--server-limit=\0"),
        ("compare", "a", "b", "--fail-if=[/x]"), ("plan", "x.toml", "--duration=\x07"),
    ],
)  # fmt: skip
def test_bad_arguments_are_one_sentence(serverlab: Serverlab, arguments: tuple[str, ...]) -> None:
    ended = serverlab(*arguments)
    assert ended.returncode == 2, ended.stderr
    assert ended.stderr.startswith("serverlab: ")
    assert not HIDDEN.search(ended.stderr)


def test_a_folder_that_cannot_be_written_is_named(serverlab: Serverlab, tmp_path: Path) -> None:
    (tmp_path / "tiny.toml").write_text(TINY, encoding="utf-8")
    ended = serverlab("run", "tiny.toml", "--out=/proc/none")
    assert ended.returncode == 1
    assert "cannot write into /proc/none: No such file" in ended.stderr


def test_a_fault_of_our_own_says_where_its_traceback_is(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def fault() -> None:
        raise AssertionError("\x1b[2J")

    assert failures.guarded(fault) == 70
    said = capsys.readouterr().err
    assert r"please report it: AssertionError: \x1b[2J; its traceback is in" in said
    [written] = tmp_path.iterdir()
    assert str(written) in said
    assert "in fault" in written.read_text(encoding="utf-8")
    monkeypatch.setenv(failures.TRACEBACK, "1")
    assert failures.guarded(fault) == 70
    assert "Traceback" in capsys.readouterr().err
