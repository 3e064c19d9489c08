"""Whether servers take turns: as the file says, and otherwise where they can."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest

from serverlab.design.catalog import catalog
from serverlab.design.design_table import Design
from serverlab.design.experiment import parse
from serverlab.errors import UsageError

if TYPE_CHECKING:
    from typing import Any

PLAIN = """
question = "Which one?"
[server]
engine = ["threads", "poll"]
service = "echo"
[load]
connections = [1, 64]
"""


def design_of(**changes: dict[str, Any]) -> Design:
    """The design of the plain experiment, with other settings in some of its tables."""
    document = tomllib.loads(PLAIN)
    for table, settings in changes.items():
        document[table] = document.get(table, {}) | settings
    return parse(document, name="test", text="", catalog=catalog()).design


def test_servers_take_turns_unless_something_forbids_it() -> None:
    assert (design_of().kind, design_of().reason) == ("interleaved", "")
    assert design_of(contrast={"by": "latency-p99.9"}).kind == "interleaved"
    assert design_of(design={"kind": "separate"}) == Design(kind="separate", baseline="threads")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"server": {"engine": "poll"}}, "one server has no other to take turns with"),
        ({"load": {"connections": 5000}}, "3 servers with 5,000 connections each are too many"),
        ({"contrast": {"by": ["goodput", "memory"]}}, "no figure of its own for server memory"),
        ({"server": {"engine": ["poll", "epoll-spin"]}}, "epoll-spin uses a CPU while others"),
        ({"server": {"uring-sqpoll": [True, False]}}, "uring-sqpoll uses a CPU while others"),
        ({"server": {"service": "bucket"}}, "a request to bucket may take longer than a slice"),
        ({"load": {"model": "ramp"}}, "the load model ramp has no slices"),
        ({"load": {"start": "own"}}, "each client begins and ends by itself"),
        (
            {"load": {"model": "churn", "sessions": [5, 10]}},
            "each client begins and ends by itself",
        ),
        ({"load": {"model": "open", "rate": 50}}, "at 50 requests/s a slice has too few of them"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_servers_are_alone_for_a_reason(changes: dict[str, Any], reason: str) -> None:
    design = design_of(**changes)
    assert design.kind == "separate"
    assert reason in design.reason


def test_levels_of_the_server_take_turns_though_the_engine_is_one() -> None:
    one = {"engine": "poll", "threads": [1, 2]}
    assert design_of(server=one).kind == "interleaved"


def test_a_kind_may_be_given_in_short() -> None:
    document = tomllib.loads('design = "separate"\n' + PLAIN)
    assert parse(document, name="test", text="", catalog=catalog()).design.kind == "separate"


def test_slices_have_no_meaning_where_servers_are_alone() -> None:
    assert design_of(load={"slice": "100 ms"}).kind == "interleaved"
    with pytest.raises(UsageError, match=r'\[load\] slice belongs to .* kind = "interleaved"$'):
        design_of(load={"slice": "100 ms"}, design={"kind": "separate"})
    with pytest.raises(UsageError, match="separate, because one server has no other"):
        design_of(load={"slice": "100 ms"}, server={"engine": "poll"})
