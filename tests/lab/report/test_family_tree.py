"""The tree of engines: drawn from the plan, judged like every other comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serverlab.analysis.results import results
from serverlab.report.family_tree import FamilyTree, family_trees
from tests.lab.report_data import failed, write_run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.lab.report_data import Edit, Record

SPEEDS = {
    "poll": 1.0,
    "threads": 0.5,
    "select": 1.0,
    "epoll-level": 1.25,
    "epoll-edge": 1.25,
    "slow": 0.1,
}
FAMILY = {
    "poll": ("threads", "one thread waits for all"),
    "select": ("threads", "three sets of bits"),
    "epoll-level": ("poll", "the kernel keeps the set"),
    "epoll-edge": ("epoll-level", "told only of changes"),
    "slow": ("select", "waits for nothing"),
}


def tree_of(folder: Path, edit: Edit = lambda trial: trial) -> FamilyTree:
    speeds = SPEEDS | {"poll again": 1.0}
    shown = results(write_run(folder, speeds=speeds, family=FAMILY, edit=edit))
    (tree,) = family_trees(shown.run.plan, shown.compared)
    return tree


def test_every_engine_hangs_below_its_neighbour_and_the_twin_is_no_branch(tmp_path: Path) -> None:
    assert [branch.lines + branch.engine for branch in tree_of(tmp_path).branches] == [
        "threads",
        "├─ poll",
        "│  └─ epoll-level",
        "│     └─ epoll-edge",
        "└─ select",
        "   └─ slow",
    ]


def test_an_edge_says_what_the_difference_is_worth_at_each_level(tmp_path: Path) -> None:
    tree = tree_of(tmp_path)
    assert tree.headings[:2] == ("At 1 connection", "At 64 connections")
    branches = {branch.engine: branch for branch in tree.branches}
    assert branches["threads"].edges == ()
    assert len(branches["poll"].edges) == len(tree.headings) * len(tree.criteria)
    goodput, cpu = branches["poll"].edges[:2]
    assert (goodput.ratio, goodput.judgement) == ("2.00", "better")
    assert cpu.judgement == "better"
    assert branches["slow"].edges[0].judgement == "worse"
    assert branches["epoll-edge"].difference == "told only of changes"


def test_where_a_figure_is_missing_nothing_is_said(tmp_path: Path) -> None:
    def without_poll_at_64(trial: Record) -> Record:
        is_it = trial["cell"] == {"engine": "poll", "connections": 64}
        return failed(trial) if is_it else trial

    branches = {branch.engine: branch for branch in tree_of(tmp_path, without_poll_at_64).branches}
    for engine in ("poll", "epoll-level"):
        assert [edge.ratio == "" for edge in branches[engine].edges] == [
            False, False, True, True, False, False
        ]  # fmt: skip


def test_one_block_gives_a_ratio_without_an_interval_and_no_judgement(tmp_path: Path) -> None:
    shown = results(write_run(tmp_path, speeds=SPEEDS, family=FAMILY, blocks=1, twin=None))
    (tree,) = family_trees(shown.run.plan, shown.compared)
    assert {edge.judgement for branch in tree.branches for edge in branch.edges} == {"alike"}
    assert {edge.interval for branch in tree.branches for edge in branch.edges} == {""}
    assert "" not in {edge.ratio for branch in tree.branches for edge in branch.edges}


def test_a_run_that_knows_no_neighbours_has_no_tree(tmp_path: Path) -> None:
    shown = results(write_run(tmp_path))
    assert family_trees(shown.run.plan, shown.compared) == []
