"""What a ledger says: the answer first, its parts by size, what is not known not at all."""

from __future__ import annotations

from serverlab.analysis.ledger import Difference, Ledger, Part, PartDifference
from serverlab.analysis.ledger_sums import Estimate
from serverlab.report.ledger_words import cost_table, sentences, wait_table

NOTHING = Estimate(0, 0, 0)


def about(value: float, error: float = 10) -> Estimate:
    """A figure with an interval around it."""
    return Estimate(value, value - error, value + error)


def part(name: str, calls: float, cpu_ns: float, blocks: float = 0, blocked_ns: float = 0) -> Part:
    """A part of a ledger."""
    return Part(
        name=name,
        calls=about(calls, 0),
        cpu_ns=about(cpu_ns),
        blocks=about(blocks, 0),
        blocked_ns=about(blocked_ns),
        run_queue_ns=NOTHING,
        contended_ns=NOTHING,
    )


def ledger(name: str, *parts: Part, cpu_ns: float, rest_ns: float = 0) -> Ledger:
    """A server's ledger."""
    return Ledger(
        subject=name,
        requests=1000,
        cpu_ns=about(cpu_ns),
        probe_ns=about(900),
        parts=list(parts),
        rest_ns=about(rest_ns),
    )


EPOLL = ledger(
    "epoll-level",
    part("sendto", 1, 3000),
    part("epoll_wait", 0.25, 500, blocks=0.1, blocked_ns=700),
    part("user", 1.25, 500),
    part("accept4", 0.0001, 1),
    cpu_ns=4001,
)
OFFLOAD = ledger(
    "poll-offload",
    part("sendto", 1, 3000),
    part("ppoll", 0.5, 2000, blocks=0.3, blocked_ns=9000),
    part("futex", 2, 900),
    part("user", 3.5, 700),
    cpu_ns=6600,
)


def change(name: str, value: float, by_calls: float = 0, **flags: bool) -> PartDifference:
    """How much more a part costs."""
    return PartDifference(
        name=name,
        cpu_ns=about(value),
        by_calls_ns=about(by_calls),
        by_price_ns=about(value - by_calls),
        is_new=flags.get("is_new", False),
        is_gone=flags.get("is_gone", False),
    )


BETWEEN = Difference(
    subject="poll-offload",
    baseline="epoll-level",
    cpu_ns=about(2599),
    parts=[
        change("ppoll", 2000, 2000, is_new=True),
        change("futex", 900, 800),
        change("epoll_wait", -500, -500, is_gone=True),
        change("user", 200, 180),
        change("sendto", 5),
    ],
    rest_ns=about(0),
)


def test_a_difference_is_said_with_its_parts_by_size() -> None:
    answer, probe = sentences([EPOLL, OFFLOAD], [BETWEEN])
    assert answer.replace("\u202f", " ") == (
        "A request costs poll-offload 2.60 µs [2.59, 2.61] more of server CPU time than "
        "epoll-level: 2.00 µs in ppoll, 0.90 µs more in futex (more calls), 0.50 µs less in "
        "epoll_wait and 0.20 µs more in user mode."
    )
    assert probe.startswith("The probe costs a request of epoll-level 0.90")


def test_what_is_not_known_is_no_difference() -> None:
    same = Difference(
        subject="b", baseline="a", cpu_ns=about(3), parts=[change("sendto", 50)], rest_ns=about(0)
    )
    answer = sentences([EPOLL, OFFLOAD], [same])[0]
    assert answer.startswith("b and a are not distinguishable in server CPU time per request")
    assert "sendto" not in answer


def test_a_rest_beyond_the_interval_is_said() -> None:
    torn = Difference(subject="b", baseline="a", cpu_ns=about(2599), parts=[], rest_ns=about(-700))
    said = [text.replace("\u202f", " ") for text in sentences([EPOLL, OFFLOAD], [torn])]
    assert "Of the difference, −0.70 µs [−0.71, −0.69] is in no part." in said


def test_one_server_has_its_dearest_parts() -> None:
    answer = sentences([EPOLL], [])[0].replace("\u202f", " ")
    assert answer == (
        "A request costs epoll-level 4.00 µs [3.99, 4.01] of server CPU time: 3.00 µs in "
        "sendto, 0.50 µs in epoll_wait and 0.50 µs in user mode."
    )


def test_the_table_has_calls_times_their_price_and_small_parts_together() -> None:
    table = cost_table([EPOLL, OFFLOAD], [BETWEEN])
    rows = {row[0]: row[1:] for row in table.rows}
    assert list(rows) == [
        "sendto", "ppoll", "futex", "user mode", "epoll_wait", "other calls", "in no part",
        "all of it",
    ]  # fmt: skip
    assert rows["ppoll"] == ("", "–", "0.50 × 4.00", "2.00", "+2.00 [1.99, 2.01]")
    assert rows["user mode"] == ("", "0.50", "", "0.70", "+0.20 [0.19, 0.21]")
    assert rows["all of it"] == ("", "4.00", "", "6.60", "+2.60 [2.59, 2.61]")
    assert all(len(row) == len(table.head) for row in table.rows)


def test_waits_are_listed_by_what_is_waited_for() -> None:
    table = wait_table([EPOLL, OFFLOAD])
    rows = {row[0]: row[1:] for row in table.rows}
    assert list(rows)[:2] == ["waiting in ppoll", "waiting in epoll_wait"]
    assert rows["waiting in ppoll"] == ("", "–", "0.30 × 30.00", "9.00")
    assert rows["waiting in epoll_wait"] == ("0.10 × 7.00", "0.70", "", "–")
