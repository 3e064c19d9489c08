"""Requests that come byte by byte, or never to their end, delay no other client (slowloris)."""

from __future__ import annotations

from tests.conformance.peers import connected, receive_exactly
from tests.conformance.server import serving
from tests.hostile.good_client import CPU_MAX_S, EXCHANGES, IDLE_S, good_client
from tests.waiting import until

SLOW = 50


def test_requests_that_come_byte_by_byte_are_answered_and_delay_no_other(
    engine: str, service: str
) -> None:
    exchange = EXCHANGES[service]
    with (
        serving(engine, f"--service={service}") as server,
        good_client(server, service),
        connected(server, SLOW) as peers,
    ):
        for byte in exchange.request[:-1]:
            for peer in peers:
                peer.sendall(bytes([byte]))
        for peer in peers:
            peer.sendall(exchange.request[-1:])
        for peer in peers:
            assert receive_exactly(peer, len(exchange.reply)) == exchange.reply


def test_requests_that_never_end_use_no_cpu_and_do_not_hold_up_a_stop(
    engine: str, service: str
) -> None:
    request = EXCHANGES[service].request
    with (
        serving(engine, f"--service={service}", "--drain-limit=100ms") as server,
        connected(server, SLOW) as peers,
    ):
        for number, peer in enumerate(peers):
            peer.sendall(request[: 1 + number % (len(request) - 1)])
        # What has arrived takes a moment, most of it to start 50 threads under a sanitizer.
        until(lambda: server.cpu_used_within_s(IDLE_S) < CPU_MAX_S, "the server uses no CPU")
        server.ask_to_stop()
        server.summary()
