"""Which pairs of an experiment are explained: neighbours, at the middle of the closed loops."""

from __future__ import annotations

from serverlab.design.catalog import catalog
from serverlab.design.edges import Edge, edges_of
from serverlab.design.experiment import parse_text
from serverlab.design.plan import make_plan

IN_KERNEL = ["sockmap"]


def edges(design: str, engines: str = "", load: str = "") -> list[Edge]:
    """The edges of an experiment."""
    text = f"""
question = "Why?"
[server]
engine = [{engines or '"threads", "select", "epoll-level", "poll", "sockmap"'}]
[load]
{load or "connections = [1, 16, 64]"}
[design]
twin = false
{design}
"""
    return edges_of(make_plan(parse_text(text, name="x", catalog=catalog())), IN_KERNEL)


def named(found: list[Edge]) -> set[tuple[str, str]]:
    """Each engine with its neighbour."""
    return {(edge.name, str(edge.neighbour.cell["engine"])) for edge in found}


def test_each_engine_is_explained_beside_its_neighbour_at_the_middle_level() -> None:
    found = edges("explain = true")
    assert named(found) == {("select", "threads"), ("poll", "select"), ("epoll-level", "poll")}
    assert {edge.engine.cell["connections"] for edge in found} == {16}
    assert all(
        {**edge.engine.cell, "engine": ""} == {**edge.neighbour.cell, "engine": ""}
        for edge in found
    )


def test_nothing_is_explained_unless_it_is_asked_for() -> None:
    assert edges("") == []


def test_an_engine_whose_neighbour_is_not_there_is_explained_beside_the_next_one() -> None:
    assert named(edges("explain = true", engines='"threads", "uring"')) == {("uring", "threads")}


def test_open_loops_are_left_out() -> None:
    assert edges("explain = true", load='model = "open"\nrate = 1000') == []
    found = edges("explain = true", load='model = ["open", "closed"]\nrate = 1000')
    assert {edge.engine.load_settings["model"] for edge in found} == {"closed"}
