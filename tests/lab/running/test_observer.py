"""What is counted of a server within a window agrees with what the kernel charges for its life."""

from __future__ import annotations

import os
import resource
import signal
from pathlib import Path

import pytest

from serverlab.records import ServerRecord, Summary
from serverlab.running.events import Listening
from serverlab.running.observer import Observer
from serverlab.running.process import NativeProcess
from tests.waiting import DEADLINE_S

SESSIONS_OF_TEN = {"model": "churn", "requests": "10", "connections": "8"}
ENDLESS = {"model": "closed", "connections": "8"}


def observed(
    engine: str, service: str, load_settings: dict[str, str], folder: Path
) -> tuple[ServerRecord, resource.struct_rusage]:
    """What the laboratory records of a server, and what the kernel says when it has ended."""
    settings = {"engine": engine, "service": service, "listen": "127.0.0.1:0"}
    with NativeProcess("serverlab-server", settings, folder / "server.log") as server:
        load_settings = load_settings | {
            "target": server.await_event(Listening, DEADLINE_S).address,
            "server-pid": str(server.pid),
            "service": service,
            "warmup": "20ms",
            "duration": "700ms",
        }
        observer = Observer(lambda _: None, [server])
        with NativeProcess("serverlab-load", load_settings, folder / "load.log") as load:
            [result] = observer.follow(load, DEADLINE_S)
        server.process.send_signal(signal.SIGTERM)
        events = server.events_until(Summary, DEADLINE_S)
        _, status, charged = os.wait4(server.pid, 0)
    assert status == 0
    return observer.watched[0].record(result, *events), charged


# A figure of a window is that of a whole life, with a warm-up of a thirtieth, to a quarter; it
# missed nine tenths where threads ended.
@pytest.mark.parametrize(
    ("engine", "service", "load_settings"),
    [
        ("threads", "kv-json", SESSIONS_OF_TEN),
        ("processes", "echo", ENDLESS),
        ("epoll-level", "kv-json", SESSIONS_OF_TEN),
        ("epoll-offload", "echo", ENDLESS),
    ],
)
def test_switches_and_cpu_time_of_a_request_are_those_that_the_kernel_charges(
    engine: str, service: str, load_settings: dict[str, str], tmp_path: Path
) -> None:
    record, charged = observed(engine, service, load_settings, tmp_path)
    assert record.summary is not None
    assert record.switches is not None
    assert record.requests is not None
    assert record.cpu_s is not None
    of_life = record.summary.requests
    switches = (record.switches.voluntary + record.switches.involuntary) / record.requests
    assert switches == pytest.approx((charged.ru_nvcsw + charged.ru_nivcsw) / of_life, rel=0.25)
    cpu_s = record.cpu_s / record.requests
    assert cpu_s == pytest.approx((charged.ru_utime + charged.ru_stime) / of_life, rel=0.25)
