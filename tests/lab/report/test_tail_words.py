"""What is said of a tail, and drawn."""

from __future__ import annotations

from dataclasses import replace

from serverlab.analysis.ledger_sums import Estimate
from serverlab.analysis.tail import Share, Tail
from serverlab.report.tail_charts import lane_chart
from serverlab.report.tail_words import lane_table, sentences
from serverlab.slices import LANES


def about(value: float) -> Estimate:
    """A figure with an interval."""
    return Estimate(value, 0.9 * value, 1.1 * value)


def share_of(**lanes_us: float) -> Share:
    """Requests with these lanes, by their first words."""
    lanes_ns = dict.fromkeys(LANES, about(0))
    for name, value_us in lanes_us.items():
        lanes_ns[name.replace("_", " ").replace("unread ", "unread, ")] = about(1000 * value_us)
    whole_ns = sum(one.value for one in lanes_ns.values())
    return Share(requests=100, time_ns=about(whole_ns), lanes_ns=lanes_ns)


TAIL = Tail(
    subject="threads",
    requests=12_345,
    p50_ns=30_000,
    p99_ns=500_000,
    middle=share_of(served=20, unread_thread_asleep=10, not_known=1),
    slowest=share_of(served=25, unread_thread_without_CPU=475),
    cpu_ns=about(20_000),
    probe_ns=about(400),
)


def test_the_answer_names_where_the_slowest_requests_wait() -> None:
    first, second, cost = (one.replace("\u202f", " ") for one in sentences([TAIL], 0))
    assert first == (
        "In the mean the slowest 1 % of all requests take 500 µs [450, 550] with threads: "
        "475 µs unread, thread without CPU and 25.0 µs served."
    )
    assert second.startswith("The middle fifth takes 31.0 µs [27.9, 34.1] with threads: 20.0")
    assert "not known" not in second
    assert "12 345 to threads" in cost
    assert "0.40 µs [0.36, 0.44] of server CPU time (2.0 %) with threads" in cost


def test_requests_that_were_lost_are_said() -> None:
    assert "no place for 7 more requests" in sentences([TAIL], 7)[-1]


def test_the_table_has_each_lane_that_is_more_than_nothing() -> None:
    found = lane_table([TAIL])
    assert found.head == ("", "threads: middle fifth, µs", "threads: slowest 1 %, µs")
    assert [row[0] for row in found.rows] == [
        "unread, thread asleep",
        "unread, thread without CPU",
        "served",
        "not known",
        "all of it",
    ]
    assert found.rows[-1][-1] == "500 [450, 550]"


def test_a_long_tail_is_in_milliseconds_with_three_digits() -> None:
    slow = replace(TAIL, slowest=share_of(served=25, unread_thread_asleep=12_929))
    first, *_ = (one.replace("\u202f", " ") for one in sentences([slow], 0))
    assert "take 13.0 ms [11.7, 14.2] with threads: 12.9 ms unread, thread asleep." in first
    found = lane_table([slow])
    assert found.head[1:] == ("threads: middle fifth, µs", "threads: slowest 1 %, ms")
    assert found.rows[0] == ("unread, thread asleep", "10.0", "12.9")
    assert found.rows[-1] == ("all of it", "31.0 [27.9, 34.1]", "13.0 [11.7, 14.2]")


def test_the_chart_has_the_lanes_in_the_order_of_a_request() -> None:
    rows = lane_chart([TAIL], "slowest").rows
    assert rows is not None
    assert [row["part"] for row in rows if row["value"]] == [
        "unread, thread without CPU",
        "served",
    ]
