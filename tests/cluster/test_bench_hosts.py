"""`serverlab hosts`: what it makes is as it says, and nothing of it stays."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from serverlab.errors import USAGE
from serverlab.hosts import bench_hosts
from serverlab.machine.native import program
from serverlab.records import Trial, read_trials
from tests.lab.command_line import SERVERLAB, call
from tests.waiting import DEADLINE_S

CELL = """
question = "What does threads serve?"
[server]
engine = "threads"
[load]
model = "open"
rate = 3000
connections = 30
duration = "1s"
warmup = "0.3s"
[design]
blocks = 1
twin = false
[cluster]
generators = {generators}
"""


def cell(folder: Path, generators: int = 3) -> Path:
    """An experiment of one trial."""
    path = folder / "cell.toml"
    path.write_text(CELL.format(generators=generators), encoding="utf-8")
    return path


def serverlab(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Call the command line."""
    return call(*arguments, cwd=Path.cwd())


def links() -> set[str]:
    """This machine's network devices."""
    return {link.name for link in Path("/sys/class/net").iterdir()}


def test_hosts_come_and_go_and_nothing_stays() -> None:
    before = links()
    up = serverlab("hosts", "up", "--count=3", "--rate=1gbit")
    assert up.returncode == 0
    assert up.stdout.split() == [
        "serverlab-1", "10.83.0.1", "serverlab-2", "10.83.0.2", "serverlab-3", "10.83.0.3",
    ]  # fmt: skip
    assert serverlab("hosts", "list").stdout == up.stdout
    again = serverlab("hosts", "up")
    assert again.returncode == USAGE
    assert again.stderr == (
        "serverlab: there are 3 hosts already: `serverlab hosts down` ends them\n"
    )
    assert serverlab("hosts", "down").stdout == "3 hosts ended\n"
    assert links() == before
    assert serverlab("hosts", "down").stdout == "there were no hosts\n"


@pytest.mark.parametrize(
    ("option", "complaint"),
    [
        ("--rate=fast", "--rate: 'fast' is no rate such as 1gbit or 100mbit"),
        ("--rate=0mbit", "--rate: '0mbit' is no rate such as 1gbit or 100mbit"),
        ("--count=0", "--count: 0 is not between 1 and 32"),
        ("--count=33", "--count: 33 is not between 1 and 32"),
    ],
)
def test_what_cannot_be_made_is_refused_with_a_sentence(option: str, complaint: str) -> None:
    before = links()
    ended = serverlab("hosts", "up", option)
    assert (ended.returncode, ended.stderr) == (USAGE, f"serverlab: {complaint}\n")
    assert links() == before


def test_down_ends_what_runs_in_a_host_only_if_it_is_forced_to() -> None:
    [host] = bench_hosts.up(1, bench_hosts.Network())
    server = subprocess.Popen(
        [
            "ip", "netns", "exec", host.name, str(program("serverlab-server")),
            "--engine=threads", f"--listen={host.address}:0",
        ],
        stdout=subprocess.PIPE,
    )  # fmt: skip
    with server:
        assert server.stdout is not None
        assert any(b"listening" in line for line in server.stdout)
        refused = serverlab("hosts", "down")
        assert refused.returncode == USAGE
        assert f"(pid {server.pid}) runs in {host.name}: wait until it ends" in refused.stderr
        assert server.poll() is None
        assert serverlab("hosts", "down", "--force").stdout == "1 hosts ended\n"
        assert server.wait(DEADLINE_S) == 0
    assert bench_hosts.standing() == []


def test_hosts_of_a_command_are_not_ended_between_its_trials() -> None:
    with bench_hosts.hosts_for(2) as hosts:
        refused = serverlab("hosts", "down", "--force")
        assert refused.returncode == USAGE
        assert f"(pid {os.getpid()}, since" in refused.stderr
        assert [one.name for one in bench_hosts.standing()] == [one.name for one in hosts]
    assert bench_hosts.standing() == []


def test_a_cable_lets_no_more_through_than_its_rate() -> None:
    server, client = bench_hosts.up(2, bench_hosts.Network(rate="20mbit"))
    settings = {"engine": "epoll-level", "listen": f"{server.address}:7000"}
    with server.start("serverlab-server", settings, Path(os.devnull)):
        command = [
            "ip", "netns", "exec", client.name, str(program("serverlab-load")),
            f"--target={server.address}:7000", "--payload=16 KiB", "--connections=4",
            "--duration=2s", "--warmup=500ms",
        ]  # fmt: skip
        said = subprocess.run(command, capture_output=True, check=True).stdout
    result = json.loads(said.splitlines()[-1])["result"]
    bits_per_s = 8 * result["bytes"]["received"] / result["window"]["duration_s"]
    assert 14e6 < bits_per_s < 20.5e6


def measured(
    folder: Path, *options: str, generators: int = 3
) -> tuple[subprocess.CompletedProcess[str], list[Trial]]:
    """How a run on hosts has ended, and its trials."""
    out = folder / "run"
    ended = serverlab("run", str(cell(folder, generators)), f"--out={out}", *options)
    trials = out / "trials.jsonl"
    return ended, read_trials(trials) if trials.exists() else []


def test_a_run_makes_the_hosts_that_it_needs_and_ends_them(tmp_path: Path) -> None:
    before = links()
    ended, [trial] = measured(tmp_path, "--cluster=hosts")
    assert ended.returncode == 0, ended.stderr
    assert [one.host for one in trial.generators] == ["serverlab-2", "serverlab-3", "serverlab-4"]
    assert trial.load is not None
    assert trial.load.requests.intended == pytest.approx(3000, rel=0.1)
    total = sum(one.goodput_per_s for one in trial.generators)
    assert trial.load.rate.goodput_per_s == pytest.approx(total)
    assert trial.server is not None
    assert trial.server.cpu_s is not None
    assert trial.server.cpu_s > 0
    assert links() == before


def test_an_echo_that_fills_the_network_is_not_ranked_and_one_that_does_not_is(
    tmp_path: Path,
) -> None:
    bench_hosts.up(4, bench_hosts.Network(rate="200mbit"))
    asked = cell(tmp_path)
    text = asked.read_text(encoding="utf-8").replace('model = "open"\nrate = 3000\n', "")
    asked.write_text(
        text.replace("[design]", 'payload = ["64 B", "1000 B"]\n[design]'), encoding="utf-8"
    )
    run = tmp_path / "run"
    ended = serverlab("run", str(asked), f"--out={run}", "--cluster=hosts")
    assert ended.returncode == 0, ended.stderr
    verdicts = {trial.cell["payload"]: trial.verdict for trial in read_trials(run / "trials.jsonl")}
    assert verdicts["64 B"].name == "VALID"
    assert verdicts["1000 B"].name == "NETWORK-BOUND"
    assert "Mbit/s that the network between the hosts carries" in verdicts["1000 B"].reason
    hosts = json.loads((run / "hosts.json").read_bytes())
    assert hosts["server"] == "serverlab-1"
    assert len(hosts["machines"]) == 4
    assert hosts["machines"]["serverlab-4"]["kernel"] == os.uname().release
    assert 8e-6 * hosts["wire_bytes_per_s"] == pytest.approx(200, rel=0.05)
    page = (run / "report.html").read_text(encoding="utf-8")
    assert "3 generators on others shared the load" in page
    assert "hosts inside one machine, and shared its CPUs" in page
    assert re.search(r"The network between the hosts carries (19|20)\d Mbit/s", page)
    assert "serverlab-4" in page


def test_engines_take_turns_on_hosts_as_on_one_machine(tmp_path: Path) -> None:
    out = tmp_path / "run"
    ended = serverlab(
        "run", "--engine=epoll-level threads", "--connections=30", "--payload=64 B", "--for=10s",
        "--cluster=hosts", f"--out={out}",
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert json.loads((out / "plan.json").read_bytes())["design"] == "interleaved"
    comparisons = json.loads((out / "answer.json").read_bytes())["comparisons"]
    [cpu] = [one for one in comparisons if one["measure"] == "server-cpu-per-request"]
    assert cpu["subject"] == "threads"
    assert cpu["low"] < cpu["ratio"] < cpu["high"]


def test_a_search_ends_where_the_network_is_full(tmp_path: Path) -> None:
    bench_hosts.up(3, bench_hosts.Network(rate="100mbit"))
    out = tmp_path / "search"
    ended = serverlab(
        "search", "--engine=epoll-level", "--slo=p50 <= 20ms", "--payload=4 KiB",
        "--connections=30", "--duration=1s", "--repeats=1", "--precision=0.1", "--no-curve",
        "--cluster=hosts", "--generators=2", f"--out={out}",
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    result = json.loads((out / "result.json").read_bytes())
    [goal] = result["goals"]
    assert goal["ending"] == "NETWORK-BOUND", goal["sentence"]
    assert "the network, and not the server, was the limit" in goal["sentence"]
    # A request is three segments, each with its headers.
    assert 8 * (4096 + 3 * 66) * goal["highest_per_s"] == pytest.approx(100e6, rel=0.15)
    assert "The network between the hosts carries" in ended.stdout
    page = (out / "search.html").read_text(encoding="utf-8")
    assert "hosts inside one machine, and shared its CPUs" in page
    refused = serverlab("search", f"--resume={out}")
    assert refused.returncode == USAGE
    assert "its load comes from 2 hosts: name them by --cluster" in refused.stderr


def test_a_stress_reads_the_counters_of_the_servers_host(tmp_path: Path) -> None:
    out = tmp_path / "stress"
    ended = serverlab(
        "stress", "--engine=epoll-level", "--max-connections=20", "--backlog=30",
        "--connections-max=60", "--cluster=hosts", "--generators=2", f"--out={out}",
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    result = json.loads((out / "result.json").read_bytes())
    assert ("accept queue", "server") in [(one["name"], one["whose"]) for one in result["limits"]]
    assert result["held"] == 20
    assert "2 generators on others shared the load" in ended.stdout
    refused = serverlab("stress", f"--resume={out}")
    assert refused.returncode == USAGE
    assert "its load comes from 2 hosts: name them by --cluster" in refused.stderr


def test_a_campaign_tests_claims_on_hosts(tmp_path: Path) -> None:
    bench_hosts.up(3, bench_hosts.Network(rate="1gbit"))
    out = tmp_path / "claims"
    ended = serverlab(
        "claims", "--only=F5", "--budget=30s", "--cluster=hosts", "--generators=2", f"--out={out}"
    )
    assert ended.returncode == 0, ended.stderr
    [claim] = json.loads((out / "claims.json").read_bytes())["claims"]
    assert claim["observation"]["verdict"] != "not testable here"
    [trials] = out.rglob("trials.jsonl")
    hosts = {one.host for trial in read_trials(trials) for one in trial.generators}
    assert hosts == {"serverlab-2", "serverlab-3"}


def test_hosts_that_are_there_are_used_and_stay(tmp_path: Path) -> None:
    bench_hosts.up(3, bench_hosts.Network(rate="1gbit"))
    ended, [trial] = measured(tmp_path, "--cluster=hosts", generators=2)
    assert ended.returncode == 0, ended.stderr
    assert [one.host for one in trial.generators] == ["serverlab-2", "serverlab-3"]
    assert len(bench_hosts.standing()) == 3


def test_too_few_hosts_are_refused_before_anything_is_run(tmp_path: Path) -> None:
    bench_hosts.up(2, bench_hosts.Network())
    ended, trials = measured(tmp_path, "--cluster=hosts")
    assert ended.returncode == USAGE
    assert ended.stderr == (
        "serverlab: 4 hosts are needed, and there are 2: `serverlab hosts down`, and `serverlab "
        "hosts up --count=4`\n"
    )
    assert trials == []
    assert not (tmp_path / "run").exists()


def test_a_cluster_that_is_none_is_refused(tmp_path: Path) -> None:
    ended, _ = measured(tmp_path, "--cluster=nowhere")
    assert ended.returncode == USAGE
    assert "nowhere" in ended.stderr


def test_a_run_that_was_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    measured(tmp_path, "--cluster=hosts")
    run = tmp_path / "run"
    (run / "trials.jsonl").write_bytes(b"")
    refused = serverlab("run", f"--resume={run}")
    assert refused.returncode == USAGE
    assert refused.stderr == (
        f"serverlab: {run}: its load comes from 3 hosts: name them by --cluster\n"
    )
    resumed = serverlab("run", f"--resume={run}", "--cluster=hosts")
    assert resumed.returncode == 0, resumed.stderr
    assert len(read_trials(run / "trials.jsonl")) == 1


def test_what_was_interrupted_leaves_no_hosts(tmp_path: Path) -> None:
    before = links()
    out = tmp_path / "run"
    command = [
        *SERVERLAB, "run", str(cell(tmp_path)), f"--out={out}", "--cluster=hosts",
        "--duration=60s",
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as run:
        assert run.stdout is not None
        while not list(out.glob("logs/*-load-*.log")):
            assert run.poll() is None
        run.send_signal(signal.SIGINT)
        said = run.communicate(timeout=DEADLINE_S)[0].decode()
    assert run.returncode == 130, said
    assert links() == before
