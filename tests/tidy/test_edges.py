"""The table of docs/engines.md is that of docs/edges.json, which `make bench-edges` measures."""

from __future__ import annotations

from bench.edges import read, table
from serverlab.design.catalog import catalog
from tests.tidy.tree import Tree


def test_the_measured_differences_are_those_on_disk(tree: Tree) -> None:
    document = tree.find("docs/engines.md")
    assert document is not None
    assert table(read()) in document.text


def test_every_edge_is_measured_but_those_in_the_kernel() -> None:
    expected = {
        (engine.name, engine.neighbour)
        for engine in catalog().engines.values()
        if engine.neighbour and not engine.in_kernel
    }
    assert {(one.engine, one.neighbour) for one in read()} == expected
