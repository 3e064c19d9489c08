"""An experiment on a Ray cluster: a node serves, three load, and one of them is lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from serverlab.errors import USAGE
from serverlab.hosts import bench_hosts
from serverlab.records import read_trials
from tests.cluster.ray_cluster import ADDRESS, SETTINGS, RayCluster, ray_cluster
from tests.lab.command_line import SERVERLAB, call
from tests.waiting import DEADLINE_S, until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serverlab.records import Trial

# A cell of the thesis: connections from three machines, a fixed rate, and 64 bytes.
CELL = """
question = "What does epoll-level serve to three machines?"
[server]
engine = "epoll-level"
[load]
model = "open"
rate = 6000
connections = 300
duration = "2s"
warmup = "0.5s"
[design]
blocks = {blocks}
twin = false
[cluster]
generators = 3
"""
SPREAD_MAX_NS = 5_000_000


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RayCluster]:
    """Four nodes with cables of 1 Gbit/s."""
    pytest.importorskip("ray", reason="this machine has no Ray: make setup-cluster")
    folder = tmp_path_factory.mktemp("cluster")
    with pytest.MonkeyPatch.context() as patched:
        for name, value in SETTINGS.items():
            patched.setenv(name, value)
        with ray_cluster(4, bench_hosts.Network(rate="1gbit"), folder) as nodes:
            yield nodes


@pytest.fixture(autouse=True)
def _leaves_no_hosts() -> None:
    """The cluster's hosts stay for the next test."""


def cell(folder: Path) -> Path:
    """An experiment of one trial."""
    path = folder / "cell.toml"
    path.write_text(CELL.format(blocks=1), encoding="utf-8")
    return path


def three_closed_loops(folder: Path) -> Path:
    """An experiment of three trials that are valid though the nodes share this machine's CPUs."""
    path = folder / "cell.toml"
    text = CELL.format(blocks=3).replace('model = "open"\nrate = 6000\n', "")
    path.write_text(text, encoding="utf-8")
    return path


def trials_of(run: Path) -> list[Trial]:
    """Those on disk."""
    return read_trials(run / "trials.jsonl")


def programs_in(host: bench_hosts.BenchHost, name: str) -> list[int]:
    """The processes of that program in a host: one that ends meanwhile is none of them."""
    pids = set(map(int, bench_hosts.call("ip", "netns", "pids", host.name).split()))
    return [
        one.pid
        for one in psutil.process_iter(["cmdline"])
        if one.pid in pids and name in (one.info["cmdline"] or [""])[0]
    ]


def nothing_runs(cluster: RayCluster) -> bool:
    """Whether no node has a program of ours."""
    return not any(programs_in(host, "serverlab-") for host in cluster.hosts)


def test_a_cell_is_the_sum_of_its_parts(cluster: RayCluster, tmp_path: Path) -> None:
    run = tmp_path / "run"
    ended = call("run", cell(tmp_path), f"--out={run}", f"--cluster={ADDRESS}", cwd=Path.cwd())
    assert ended.returncode == 0, ended.stderr
    [trial] = trials_of(run)
    assert trial.load is not None
    assert trial.server is not None
    hosts = [one.host for one in trial.generators]
    assert len(set(hosts)) == 3
    assert set(hosts) < {host.address for host in cluster.hosts}
    total = sum(one.goodput_per_s for one in trial.generators)
    assert trial.load.rate.goodput_per_s == pytest.approx(total)
    assert trial.load.connections.established == 300
    assert trial.load.requests.completed == trial.load.requests.intended
    assert trial.load.requests.intended == pytest.approx(12_000, rel=0.05)
    assert trial.server.cpu_s is not None
    assert 0 < trial.server.cpu_s < 2
    began = [one.began_ns for one in trial.generators if one.began_ns is not None]
    assert len(began) == 3
    assert max(began) - min(began) < SPREAD_MAX_NS
    assert nothing_runs(cluster)


def test_a_stress_finds_what_gives_on_the_node_of_the_server(
    cluster: RayCluster, tmp_path: Path
) -> None:
    out = tmp_path / "stress"
    ended = call(
        "stress", "--engine=epoll-level", "--server-limit=nofile=300", "--connections-max=1000",
        f"--cluster={ADDRESS}", "--generators=3", f"--out={out}", cwd=Path.cwd(),
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    result = json.loads((out / "result.json").read_bytes())
    assert (result["limits"][0]["name"], result["limits"][0]["whose"]) == ("descriptors", "server")
    assert "300 of the server's 300 descriptors are open" in result["limits"][0]["sentence"]
    assert 250 < result["held"] < 300
    assert "3 generators on others shared the load" in ended.stdout
    assert nothing_runs(cluster)


# Said by a laboratory that then ends without another word.
APART = """
import os
from serverlab.hosts.ray_hosts import ray_places
with ray_places({address!r}, 1, {{}}, 10) as places:
    server = places().server
    cpu = server.call("keep_ray_apart", 2)
    print(server.name, cpu, *server.ask(os.sched_getaffinity, 0), flush=True)
    os._exit(0)
"""


def test_rays_processes_keep_off_the_servers_cpus_until_its_laboratory_has_ended(
    cluster: RayCluster,
) -> None:
    everywhere = os.sched_getaffinity(0)
    if len(everywhere) < 2:
        pytest.skip("this machine has one CPU")
    done = subprocess.run(
        [sys.executable, "-c", APART.format(address=ADDRESS)],
        stdout=subprocess.PIPE, text=True, check=True, timeout=DEADLINE_S,
    )  # fmt: skip
    name, last, *others = done.stdout.split()
    assert int(last) == max(everywhere)
    assert set(map(int, others)) == everywhere - {int(last)}
    [host] = [one for one in cluster.hosts if one.address == name]
    [raylet] = programs_in(host, "raylet")
    until(lambda: os.sched_getaffinity(raylet) == everywhere, "the raylet runs everywhere again")


def test_a_node_that_is_lost_voids_its_trial_alone(cluster: RayCluster, tmp_path: Path) -> None:
    run = tmp_path / "run"
    command = [
        *SERVERLAB, "run", str(three_closed_loops(tmp_path)), f"--out={run}",
        f"--cluster={ADDRESS}", "--wait-for-nodes=60s",
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as lab:
        assert lab.stdout is not None
        said = [lab.stdout.readline()]
        while b"b1-001" not in said[-1]:  # the first trial has ended
            said.append(lab.stdout.readline())
            assert said[-1], said
        lost = loading(cluster)
        for pid in map(int, bench_hosts.call("ip", "netns", "pids", lost.name).split()):
            os.kill(pid, signal.SIGKILL)
        threading.Timer(1, cluster.start_node, [lost]).start()
        rest = lab.communicate(timeout=3 * DEADLINE_S)[0].decode()
    first, second, third = trials_of(run)
    assert first.load is not None, rest
    assert second.verdict.name == "FAILED", rest
    assert second.verdict.reason == f"{lost.address}: the node is lost"
    assert third.load is not None, rest  # measured, also if a node that comes up disturbs it
    assert lab.returncode == 1
    assert nothing_runs(cluster)


def loading(cluster: RayCluster) -> bench_hosts.BenchHost:
    """A host with a generator, once there is one."""
    for _ in range(10_000):
        for host in cluster.hosts:
            if programs_in(host, "serverlab-load"):
                return host
    raise AssertionError("no generator has been started")


def test_an_interrupted_run_leaves_nothing_on_any_node(cluster: RayCluster, tmp_path: Path) -> None:
    run = tmp_path / "run"
    command = [
        *SERVERLAB, "run", str(cell(tmp_path)), f"--out={run}", f"--cluster={ADDRESS}",
        "--duration=60s",
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as lab:
        loading(cluster)
        lab.send_signal(signal.SIGINT)
        said = lab.communicate(timeout=DEADLINE_S)[0].decode()
    assert lab.returncode == 130, said
    assert nothing_runs(cluster)


def test_fewer_nodes_than_asked_is_a_sentence(cluster: RayCluster, tmp_path: Path) -> None:
    asked = cell(tmp_path)
    asked.write_text(asked.read_text().replace("generators = 3", "generators = 4"))
    run = tmp_path / "run"
    ended = call(
        "run", asked, f"--out={run}", f"--cluster={ADDRESS}", "--wait-for-nodes=1s", cwd=Path.cwd()
    )
    assert ended.returncode == 1
    [trial] = trials_of(run)
    assert trial.verdict.reason == (
        "5 nodes are needed, one for the server and one for each generator; of "
        f"{1 + len(cluster.hosts)} nodes {len(cluster.hosts)} have room"
    )


def test_without_the_token_nobody_runs_anything(
    cluster: RayCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_AUTH_TOKEN", "0" * 64)
    ended = call("run", cell(tmp_path), f"--cluster={ADDRESS}", cwd=tmp_path)
    assert ended.returncode == USAGE
    said = ended.stderr.splitlines()[-1]  # after a warning of Ray's
    assert said.startswith(f"serverlab: --cluster={ADDRESS}: ")
    assert nothing_runs(cluster)
