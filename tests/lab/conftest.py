"""The command line, and a catalogue that tests of experiments read without native programs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from serverlab.cli import main
from serverlab.design.catalog import Catalog, Engine, LoadModel, Service, Setting

# How long an example takes says something of the machine, not of what is tested.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """What a command has said, and its status."""

    returncode: object
    stdout: str
    stderr: str


Serverlab = Callable[..., Ended]


@pytest.fixture
def serverlab(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Serverlab:
    """Calls the command line within this process, in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> Ended:
        monkeypatch.setattr(sys, "argv", ["serverlab", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        return Ended(returncode=ended.value.code, stdout=said.out, stderr=said.err)

    return call


def setting(name: str, values: str = "COUNT", fallback: str = "0") -> Setting:
    """A setting of which only its name and values matter."""
    return Setting(name=name, values=values, fallback=fallback, meaning="", group="")


def engine(name: str) -> Engine:
    """An engine of which only its name matters."""
    return Engine(
        name=name,
        model="",
        neighbour="",
        difference="",
        unsupported_settings=[],
        extra_settings=[],
        sessions_stay=True,
        limitation="",
        descriptor_limit=None,
        one_process=True,
        in_kernel=False,
        serves="",
        thread_per_connection=False,
        missing_requirement="",
    )


@pytest.fixture
def small_catalog() -> Catalog:
    """Three engines, one service, a handful of settings."""
    server = [
        setting("engine", "NAME"),
        setting("service", "NAME"),
        setting("threads"),
        setting("cpus", "CPUS"),
        setting("listen", "HOST:PORT"),
        setting("queue", "fifo|lifo"),
        setting("nodelay", "on|off"),
    ]
    load = [
        setting("connections"),
        setting("payload", "SIZE"),
        setting("warmup", "DURATION"),
        setting("duration", "DURATION"),
        setting("model", "closed|open|churn"),
        setting("nodelay", "on|off"),
        setting("slice", "DURATION"),
        setting("order", "abba|latin"),
        setting("target", "HOST:PORT ..."),
        setting("rate", "RATE"),
        setting("think", "DURATION"),
        setting("requests"),
    ]
    models = [
        LoadModel(name="closed", has_rate=False, summary="", settings=["think", "slice"]),
        LoadModel(name="open", has_rate=True, summary="", settings=["rate", "slice"]),
        LoadModel(name="churn", has_rate=False, summary="", settings=["requests", "think"]),
    ]
    return Catalog(
        engines={name: engine(name) for name in ("threads", "poll", "epoll-level")},
        services={
            "echo": Service(
                name="echo",
                summary="",
                shares_state=False,
                service_settings=[],
                workload_settings=[],
            )
        },
        server_settings={one.name: one for one in server},
        load_settings={one.name: one for one in load},
        models=models,
    )
