"""The load program against servers that break their word: each fault is found and named."""

from __future__ import annotations

import contextlib
import socket
import time

import pytest

from tests.conformance import misbehaving as servers
from tests.conformance.commands import run
from tests.conformance.loads import RIGHT, Loaded, load_address, loading
from tests.conformance.misbehaving import Behaviour, misbehaving
from tests.conformance.programs import LOAD, is_sanitized, services, verdict_statuses
from tests.conformance.sockets import HOST
from tests.waiting import DEADLINE_S

SHORT_TIMEOUT = ["--timeout=200ms", "--warmup=0s", "--duration=600ms"]
# A server that does send something may be slow to, where others use its CPU: that is no error.
LONG_TIMEOUT = ["--timeout=10s", "--warmup=0s", "--duration=600ms"]
SILENT = {servers.answers_half, servers.answers_never}


def load_of(behave: Behaviour, *settings: str) -> Loaded:
    """Load a server that behaves so, over one connection."""
    usual = SHORT_TIMEOUT if behave in SILENT else LONG_TIMEOUT
    given = {setting.partition("=")[0] for setting in settings}
    others = [setting for setting in usual if setting.partition("=")[0] not in given]
    with misbehaving(behave) as address:
        return load_address(address, *others, *settings)


def test_a_server_that_keeps_its_word_is_found_to() -> None:
    result = load_of(servers.answers).result
    assert result["verdict"]["name"] in RIGHT
    assert result["requests"]["errors"] == {}


@pytest.mark.parametrize(
    ("behave", "errors"),
    [
        (servers.answers_never, {"request_timeout"}),
        (servers.answers_half, {"request_timeout"}),
        (servers.answers_a_wrong_byte, {"wrong_content"}),
        (servers.answers_twice, {"unexpected_reply", "wrong_content"}),
        (servers.ends_within_an_answer, {"read_eof_in_reply"}),
        (servers.ends_before_an_answer, {"read_eof_in_reply"}),
        (servers.resets_before_an_answer, {"read_reset"}),
    ],
)
def test_each_fault_lands_in_its_class(behave: Behaviour, errors: set[str]) -> None:
    loaded = load_of(behave)
    requests = loaded.result["requests"]
    assert loaded.status == verdict_statuses()["ERRORS"]
    assert loaded.result["verdict"]["name"] == "ERRORS"
    found = requests["errors"].keys() | requests["errors_before_window"].keys()
    assert found
    assert found <= errors
    assert loaded.result["connections"]["lost"] > 0


OF_REQUESTS = {
    "read_reset", "read_eof_in_reply", "broken_pipe", "request_timeout", "wrong_content",
    "protocol_error",
}  # fmt: skip


@pytest.mark.parametrize("service", services())
def test_of_wrong_replies_the_first_is_shown_beside_the_expected_one(service: str) -> None:
    loaded = load_of(servers.answers_nonsense, f"--service={service}")
    assert loaded.status == verdict_statuses()["ERRORS"]
    wrong = loaded.result["requests"]["wrong_reply"]
    assert wrong["error"] in {"wrong_content", "protocol_error"}
    assert wrong["connection"] == 0
    assert wrong["received"] == servers.NONSENSE_SHOWN
    assert len(wrong["expected"]) > 1
    assert wrong["expected"].isascii()
    assert wrong["expected"].isprintable()


def test_a_wrong_byte_is_shown_where_it_is() -> None:
    wrong = load_of(servers.answers_a_wrong_byte).result["requests"]["wrong_reply"]
    expected, received = wrong["expected"], wrong["received"]
    assert expected.startswith("...")
    assert received.startswith("...")
    assert expected != received
    assert len(expected) <= 4 * 64 + 6


@pytest.mark.parametrize("behave", [servers.answers_nonsense, servers.answers_never])
@pytest.mark.parametrize("depth", [1, 16])
def test_errors_are_counted_once_by_when_their_request_was_intended(
    behave: Behaviour, depth: int
) -> None:
    """Also where requests of the warm-up fail in the window."""
    result = load_of(behave, "--warmup=300ms", f"--depth={depth}").result
    requests = result["requests"]
    failed = sum(count for name, count in requests["errors"].items() if name in OF_REQUESTS)
    assert failed + requests["in_flight_at_end"] == requests["unanswered"]
    assert failed <= requests["intended"]
    assert requests["errors_before_window"]
    assert sum(row["errors"] for row in result["series"]) == sum(requests["errors"].values())
    reason = result["verdict"]["reason"]
    if behave is servers.answers_nonsense:
        earlier = sum(requests["errors_before_window"].values())
        assert reason == (
            f"wrong replies failed {failed} requests of the window and {earlier} before it"
        )
    else:
        share = f"{failed} of {requests['intended']} requests failed, "
        assert reason.startswith(share)
        assert 0 < float(reason.removeprefix(share).split()[0]) <= 100


def test_words_that_were_not_asked_for_are_found() -> None:
    requests = load_of(servers.speaks_unasked).result["requests"]
    errors = requests["errors"].keys() | requests["errors_before_window"].keys()
    assert errors
    assert errors <= {"unexpected_reply", "wrong_content"}


@pytest.mark.parametrize("depth", [1, 16])
def test_every_request_that_is_lost_with_its_connection_is_counted(depth: int) -> None:
    result = load_of(servers.answers_never, f"--depth={depth}").result
    lost = result["connections"]["lost"]
    assert result["requests"]["errors"] == {"request_timeout": lost * depth}
    assert result["requests"]["unanswered"] == result["requests"]["intended"]
    assert result["requests"]["completed"] == 0


def test_figures_of_answers_that_never_came_are_null() -> None:
    result = load_of(servers.answers_never).result
    latency = result["latency_ns"]
    assert latency["count"] == 0
    assert latency["unanswered"] == result["requests"]["unanswered"] > 0
    for name in ("min", "mean", "p50", "p90", "p99", "p99_9", "max"):
        assert latency[name] is None, name
    for row in result["series"]:
        assert [row["mean_ns"], row["p50_ns"], row["p99_ns"]] == [None, None, None]


def test_a_server_that_accepts_none_is_found_by_its_silence() -> None:
    with socket.create_server((HOST, 0)) as listener:
        host, port = listener.getsockname()
        result = load_address(f"{host}:{port}", *SHORT_TIMEOUT, "--connections=5").result
    assert result["verdict"]["name"] == "ERRORS"
    assert result["requests"]["errors"].keys() == {"request_timeout"}


def test_a_server_that_cannot_be_reached_is_named_within_the_timeout_for_connecting() -> None:
    with (
        socket.create_server((HOST, 0), backlog=0) as listener,
        contextlib.ExitStack() as stack,
    ):
        for _ in range(
            3
        ):  # more than its accept queue holds: a client that connects now gets no answer
            peer = stack.enter_context(socket.socket())
            peer.settimeout(0)
            peer.connect_ex(listener.getsockname())
        host, port = listener.getsockname()
        ended = run(LOAD, f"--target={host}:{port}", "--connect-timeout=300ms", "--duration=1h")
    sentence = ended.sentence("serverlab-load")
    assert sentence == f"cannot connect to {host}:{port}: no connection was accepted within 0.3 s"
    assert ended.status == 1


def test_a_connection_lost_as_soon_as_it_was_accepted_is_lost_and_not_refused() -> None:
    """Again and again, as it matters whether the load looks before the loss or after it."""
    for _ in range(10):
        with socket.create_server((HOST, 0)) as listener:
            host, port = listener.getsockname()
            with loading(f"{host}:{port}", "--warmup=0s", "--duration=50ms") as running:
                peer = listener.accept()[0]
                listener.close()
                peer.sendall(b"no more today")
                peer.close()
                result = running.end().result
        assert result["connections"]["established"] <= 1
        assert result["verdict"]["name"] in {"SHORT", "ERRORS"}


@pytest.mark.parametrize("behave", [servers.answers_never, servers.answers_half])
@pytest.mark.parametrize("model", [[], ["--model=open", "--rate=100"]], ids=["closed", "open"])
def test_a_server_that_answers_never_keeps_no_client_beyond_the_timeout(
    behave: Behaviour, model: list[str]
) -> None:
    began_s = time.monotonic()
    result = load_of(behave, *model).result
    assert result["requests"]["completed"] == 0
    assert result["requests"]["unanswered"] + result["requests"]["unsent"] > 0
    assert time.monotonic() - began_s < DEADLINE_S / 2  # of 0.6 s and a timeout of 0.2 s


def test_a_server_that_speaks_tls_is_no_echo() -> None:
    loaded = load_of(servers.speaks_tls)
    assert loaded.status == verdict_statuses()["ERRORS"]
    assert loaded.result["verdict"]["name"] == "ERRORS"
    requests = loaded.result["requests"]
    assert requests["completed"] == 0
    assert requests["errors"]
    # Its alert is a wrong answer, unless the reset that follows overtakes it.
    assert requests["errors"].keys() <= {"wrong_content", "read_eof_in_reply", "read_reset"}


def test_connections_that_cannot_be_opened_leave_the_load_short() -> None:
    with socket.create_server((HOST, 0), backlog=1) as listener:
        host, port = listener.getsockname()
        result = load_address(
            f"{host}:{port}", *SHORT_TIMEOUT, "--connections=20", "--connect-timeout=300ms"
        ).result
    assert result["verdict"]["name"] == "SHORT"
    connections = result["connections"]
    assert 0 < connections["established"] < connections["requested"] == 20


def test_connections_that_wait_and_have_no_reply_are_starved() -> None:
    """The server keeps its word to one connection, and never accepts the other three."""
    duration = "--duration=5s" if is_sanitized() else "--duration=2s"
    loaded = load_of(
        servers.answers, "--connections=4", duration, "--warmup=200ms", "--timeout=10s"
    )
    assert loaded.result["verdict"]["name"] == "STARVED"
    assert loaded.status == verdict_statuses()["STARVED"]
    connections = loaded.result["connections"]
    assert (connections["asked"], connections["starved"]) == (4, 3)
    assert loaded.result["verdict"]["reason"].startswith("3 of 4 connections with a request had no")


def test_a_connection_that_was_never_given_a_request_is_not_starved() -> None:
    open_loop = ["--model=open", "--rate=5", "--arrivals=constant", "--connections=4"]
    result = load_of(servers.answers, *open_loop, "--warmup=0s", "--duration=150ms").result
    assert result["connections"]["asked"] <= 1
    assert result["connections"]["starved"] == 0


def test_a_connection_is_alive_whose_reply_comes_within_the_window() -> None:
    hold = ["--model=hold", "--rate=4", "--arrivals=constant", "--warmup=0s"]
    late = load_of(servers.answers_late, *hold, "--duration=300ms").result
    assert late["connections"]["alive"] == 0
    assert late["requests"]["completed"] >= 1
    in_time = load_of(servers.answers, *hold, "--duration=2s").result
    assert in_time["connections"]["alive"] == 1
