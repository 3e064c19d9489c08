"""The files that set up a cluster are of the kind that their readers expect."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

DEPLOY = Path(__file__).parents[2] / "deploy"

yaml = pytest.importorskip("yaml", reason="this machine has no Ray: make setup-cluster")


@pytest.fixture(scope="module", autouse=True)
def _can_have_hosts() -> None:
    """These tests make no hosts."""


def read(name: str) -> Any:  # noqa: ANN401 - whatever a file holds
    """A YAML file."""
    return yaml.safe_load((DEPLOY / name).read_text(encoding="utf-8"))


def test_rays_launcher_takes_the_file_of_ssh_hosts() -> None:
    util = pytest.importorskip("ray.autoscaler._private.util", reason="this machine has no Ray")
    config = read("ssh-hosts.yaml")
    util.validate_config(util.prepare_config(config))
    assert config["min_workers"] == len(config["provider"]["worker_ips"])


def test_each_start_of_ray_asks_for_a_token() -> None:
    config = read("ssh-hosts.yaml")
    starts = [
        line
        for side in ("head", "worker")
        for line in config[f"{side}_start_ray_commands"]
        if "ray start" in line
    ]
    assert len(starts) == 2
    assert all("RAY_AUTH_MODE=token" in line for line in starts)
    assert "--node-ip-address=" in starts[0]


def test_kuberays_manifest_has_a_head_without_cpus_and_nodes_on_machines_of_their_own() -> None:
    cluster = read("kuberay.yaml")
    assert (cluster["apiVersion"], cluster["kind"]) == ("ray.io/v1", "RayCluster")
    head = cluster["spec"]["headGroupSpec"]
    assert head["rayStartParams"]["num-cpus"] == "0"
    [workers] = cluster["spec"]["workerGroupSpecs"]
    assert workers["replicas"] == workers["minReplicas"] == workers["maxReplicas"] == 4
    pods = [head["template"], workers["template"]]
    for pod in pods:
        [container] = pod["spec"]["containers"]
        names = [one["name"] for one in container["env"]]
        assert {"RAY_AUTH_MODE", "RAY_AUTH_TOKEN"} <= set(names)
    rule = workers["template"]["spec"]["affinity"]["podAntiAffinity"]
    [spread] = rule["requiredDuringSchedulingIgnoredDuringExecution"]
    assert spread["topologyKey"] == "kubernetes.io/hostname"
    assert spread["labelSelector"]["matchLabels"] == workers["template"]["metadata"]["labels"]
