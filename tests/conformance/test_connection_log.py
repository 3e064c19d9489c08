"""The server's log of its clients tells of each what is true of it."""

from __future__ import annotations

import csv
import datetime
import socket
import time
from pathlib import Path

import pytest

from tests.conformance.applying import runs_sessions
from tests.conformance.commands import run
from tests.conformance.peers import connected, exchange, is_echoed, reset, some_bytes
from tests.conformance.programs import SERVER
from tests.conformance.server import Server, serving
from tests.conformance.sockets import HOST
from tests.waiting import until

pytestmark = pytest.mark.engines(that=runs_sessions)

HEADINGS = ["accepted_at", "client", "duration_s", "requests", "bytes_in", "bytes_out"]


def name_of(peer: socket.socket) -> str:
    """A client's address, as the server writes it."""
    host, port = peer.getsockname()
    return f"{host}:{port}"


def rows_of(log: Path, count: int) -> dict[str, dict[str, str]]:
    """The log once it has so many rows, by client."""
    until(lambda: log.read_bytes().count(b"\n") > count, f"the log has {count} rows")
    with log.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t")
        assert rows.fieldnames == HEADINGS
        found = {row["client"]: row for row in rows}
    assert len(found) == count
    return found


def figures(row: dict[str, str]) -> list[int]:
    """Requests, bytes in and bytes out."""
    return [int(row[name]) for name in HEADINGS[3:]]


@pytest.mark.service("kv-resp")
def test_each_connection_has_a_row_with_its_requests_and_bytes(engine: str, tmp_path: Path) -> None:
    log = tmp_path / "log.tsv"
    with serving(engine, f"--connection-log={log}", "--service=kv-resp") as server:
        clients = {}
        for number in range(20):
            with server.connect() as peer:
                clients[name_of(peer)] = number
                request = b"PING\r\n" * number
                assert exchange(peer, request) == b"+PONG\r\n" * number
        rows = rows_of(log, 20)
    assert {client: figures(row) for client, row in rows.items()} == {
        client: [number, 6 * number, 7 * number] for client, number in clients.items()
    }


def test_a_row_tells_when_a_connection_was_accepted_and_how_long_it_was_open(
    engine: str, tmp_path: Path
) -> None:
    log = tmp_path / "log.tsv"
    with serving(engine, f"--connection-log={log}") as server:
        before = datetime.datetime.now(datetime.UTC)
        began_s = time.monotonic()
        with server.connect() as long, server.connect() as short:
            assert is_echoed(long, b"hello")
            assert is_echoed(short, b"hello")
            answered_s = time.monotonic()
            server.cpu_used_within_s(0.2)
            at_least_s = time.monotonic() - answered_s
        rows = rows_of(log, 2)
        ended_s = time.monotonic()
        after = datetime.datetime.now(datetime.UTC)
    for row in rows.values():
        accepted_at = datetime.datetime.fromisoformat(row["accepted_at"])
        assert before <= accepted_at <= after
        assert at_least_s <= float(row["duration_s"]) <= ended_s - began_s


def end_in_every_way(server: Server) -> int:
    """Connect some clients and end them in one way each. Returns how many."""
    with connected(server, 3) as (silent, polite, rude):
        assert is_echoed(polite, b"hello")
        assert is_echoed(rude, b"hello")
        silent.shutdown(socket.SHUT_WR)
        reset(rude)
    return 3


def test_a_row_is_written_however_a_connection_ends(engine: str, tmp_path: Path) -> None:
    log = tmp_path / "log.tsv"
    with serving(engine, f"--connection-log={log}") as server:
        rows = rows_of(log, end_in_every_way(server))
        assert sorted(map(figures, rows.values())) == [[0, 0, 0], [1, 5, 5], [1, 5, 5]]
        with server.connect() as last:
            assert is_echoed(last, some_bytes(10_000))
            server.ask_to_stop()
            server.summary()
        assert len(rows_of(log, 4)) == 4


def test_a_log_that_takes_no_more_rows_is_said_at_the_end_and_fails(
    engine: str, tmp_path: Path
) -> None:
    log = tmp_path / "log.tsv"
    with serving(engine, f"--connection-log={log}", prefix=["prlimit", "--fsize=1000"]) as server:
        for _ in range(40):
            with server.connect() as peer:
                assert is_echoed(peer, b"hello")
        server.ask_to_stop()
        complaint = server.expect_end(1)
    lost = 41 - log.read_bytes().count(b"\n")
    assert complaint == (
        f"serverlab-server: cannot write {log}: File too large; {lost} of 40 rows are lost\n"
    )


def test_a_log_on_a_full_disk_is_said_before_anything_is_served() -> None:
    ended = run(SERVER, "--engine=poll", f"--listen={HOST}:0", "--connection-log=/dev/full")
    assert ended.status == 1
    assert ended.stdout == ""
    assert ended.sentence("serverlab-server") == "cannot write /dev/full: No space left on device"
