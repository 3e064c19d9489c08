"""`serverlab explain` from the command line: what it says, and what it refuses."""

from __future__ import annotations

import subprocess
from pathlib import Path

import msgspec
import pytest

from tests.lab.command_line import SERVERLAB, call


def without_rights() -> list[str]:
    """A command that runs another as a user that is not root and has no capability."""
    command = ["unshare", "--user", "--map-user=1000", "--map-group=1000"]
    if subprocess.run([*command, "true"], check=False, capture_output=True).returncode == 0:
        return command
    return ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]


def test_the_difference_of_two_engines_is_explained(tmp_path: Path) -> None:
    done = call("explain", "epoll-level", "threads", "--for=16s", "--json", "--out=run",
                cwd=tmp_path)  # fmt: skip
    if "the probe wants" in done.stderr:
        pytest.skip(f"this machine takes no probe: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    found = msgspec.json.decode(done.stdout)
    assert found == msgspec.json.decode((tmp_path / "run" / "ledger.json").read_bytes())
    by_name = {
        one["subject"]: {part["name"]: part for part in one["parts"]} for one in found["ledgers"]
    }
    assert list(by_name) == ["epoll-level", "threads"]
    assert by_name["epoll-level"]["recvfrom"]["calls"]["value"] == pytest.approx(1, rel=0.02)
    assert by_name["threads"]["recvfrom"]["calls"]["value"] == pytest.approx(1, rel=0.02)
    assert "epoll_wait" in by_name["epoll-level"]
    assert "epoll_wait" not in by_name["threads"]
    [difference] = found["differences"]
    parts = [part["cpu_ns"]["value"] for part in difference["parts"]]
    whole = difference["cpu_ns"]["value"]
    assert sum(parts) + difference["rest_ns"]["value"] == pytest.approx(whole)
    assert (tmp_path / "run" / "slices.json").stat().st_size > 0
    page = (tmp_path / "run" / "explain.html").read_text(encoding="utf-8")
    assert found["sentences"][0] in page
    assert "chart-difference" in page


def test_each_of_several_loads_is_explained(tmp_path: Path) -> None:
    done = call("explain", "epoll-level", "poll", "--connections=1 8", "--for=32s", "--json",
                "--out=run", cwd=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = msgspec.json.decode(done.stdout)
    assert [load["load"] for load in found["loads"]] == [{"connections": 1}, {"connections": 8}]
    levels = ["1 connection", "8 connections"]
    for words, sentence, load in zip(levels, found["sentences"], found["loads"], strict=True):
        assert sentence == f"At {words}: {load['sentences'][0]}"
        assert [one["subject"] for one in load["ledgers"]] == ["epoll-level", "poll"]
        assert len(load["differences"]) == 1
    page = (tmp_path / "run" / "explain.html").read_text(encoding="utf-8")
    for number, level in ((1, 1), (2, 8)):
        assert f'id="chart-difference-{number}"' in page
        assert (tmp_path / "run" / f"slices-connections-{level}.json").exists()
        assert f"slices-connections-{level}.json" in page


def test_the_slowest_requests_are_followed(tmp_path: Path) -> None:
    done = call("explain", "epoll-level", "threads", "--tail", "--for=16s", "--json", "--out=run",
                cwd=tmp_path)  # fmt: skip
    if "the probe wants" in done.stderr:
        pytest.skip(f"this machine takes no probe: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    found = msgspec.json.decode(done.stdout)
    assert found == msgspec.json.decode((tmp_path / "run" / "tail.json").read_bytes())
    assert [one["subject"] for one in found["tails"]] == ["epoll-level", "threads"]
    for one in found["tails"]:
        assert one["middle"]["time_ns"]["value"] <= one["slowest"]["time_ns"]["value"]
        assert one["slowest"]["lanes_ns"]["served"]["value"] > 0
    page = (tmp_path / "run" / "explain.html").read_text(encoding="utf-8")
    assert found["sentences"][0] in page
    assert "chart-lanes-slowest" in page
    assert "tail.json" in page


def test_without_rights_no_request_is_followed(tmp_path: Path) -> None:
    done = subprocess.run(
        [*without_rights(), *SERVERLAB, "explain", "epoll-level", "--tail", "--for=16s",
         "--out=run"],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip
    assert done.returncode == 1, done.stdout
    assert "the probe wants CAP_BPF" in done.stderr or "is not built" in done.stderr


def test_without_rights_there_is_what_everybody_may_know(tmp_path: Path) -> None:
    settings = ["epoll-level", "epoll-level --read-buffer=4KiB", "--for=16s", "--out=run"]
    done = subprocess.run(
        [*without_rights(), *SERVERLAB, "explain", *settings],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "What in the kernel takes the time is not known: serverlab-probe" in done.stdout
    found = msgspec.json.decode((tmp_path / "run" / "ledger.json").read_bytes())
    for one in found["ledgers"]:
        parts = {part["name"]: part["cpu_ns"]["value"] for part in one["parts"]}
        assert parts.keys() == {"user", "kernel"}
        assert sum(parts.values()) == pytest.approx(one["cpu_ns"]["value"], rel=0.15)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "give one subject, or two whose difference is to be explained"),
        (["poll", "select", "threads"], "give one subject, or two"),
        (["poll", "--connections=1 64", "--payload=1 2"], "--payload: give one value; one setting"),
        (["poll", "--read-buffer=1KiB 4KiB"], "--read-buffer: give one value"),
        (["poll", "--connections=1 64", "--for=16s"], "--for=16s is too short: 5 groups of slices"),
        (["poll", "select", "--for=3s"], "--for=3s is too short: 5 groups of slices take"),
        (["poll", "--slice=1s"], "--slice"),
        (["poll", "--tail", "--depth=4"], "--tail follows one request of a connection at a time"),
        (["pol"], "did you mean poll"),
        (["poll --threads"], "behind an engine stand settings such as --threads=4"),
        (["poll --no-such=1", "select"], "no-such"),
    ],
)
def test_what_cannot_be_explained_is_refused(
    tmp_path: Path, arguments: list[str], said: str
) -> None:
    done = call("explain", *arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
    assert not (tmp_path / "runs").exists()
