"""Every claim is whole, and what it reads is what its experiment gives."""

from __future__ import annotations

from collections import Counter

import pytest

from serverlab.claims import claim as declared
from serverlab.claims.answer import Answer
from serverlab.claims.claim import Origin
from serverlab.claims.figure import Figure
from serverlab.claims.needs import Place
from serverlab.claims.reports.catalog import REPORTS, all_claims, chosen_claims, excerpts_of
from serverlab.design.catalog import catalog
from serverlab.errors import UsageError
from serverlab.records import Plan

CLAIMS = {claim.id: claim for claim in all_claims()}
OF_TEXTS = {"T": 16, "F": 8, "C": 7, "K": 7, "B": 8}
APART = {"T13": Origin.CODE, "T14": Origin.CODE, "F4": Origin.DERIVED, "F10": Origin.CODE}
# No place has everything: only one machine keeps a log of connections.
PLACES = (Place(server_cpus=8), Place(server_cpus=8, machines=5, has_network=True))
EXCERPTS = {
    excerpt.name: excerpt for place in PLACES for excerpt in excerpts_of(all_claims(), place)
}


def plan_of(name: str) -> Plan:
    return EXCERPTS[name].plan(catalog(), blocks=1, window_s=EXCERPTS[name].shortest_s, seed=1)


def tried_by_runs() -> list[tuple[str, declared.Test]]:
    return [(claim.id, test) for claim in all_claims() for test in claim.tests]


def figures() -> list[Figure]:
    every = {(report.letter, one.id): one
        for report in REPORTS for claim in report.claims for one in claim.figures
    }  # fmt: skip
    return list(every.values())


def test_what_is_not_from_a_text_is_marked_and_counted_apart() -> None:
    apart = {claim.id: claim.origin for claim in all_claims() if claim.origin is not Origin.TEXT}
    assert apart == APART
    counts = Counter(claim.id[0] for claim in all_claims() if claim.origin is Origin.TEXT)
    assert counts == OF_TEXTS


def test_a_claim_stands_with_its_own_report() -> None:
    for report in REPORTS:
        assert {claim.id[0] for claim in report.claims} == {report.letter}
        assert report.about.endswith(".")


@pytest.mark.parametrize("claim", all_claims(), ids=lambda claim: claim.id)
def test_a_claim_is_complete(claim: declared.Claim) -> None:
    assert claim.section
    assert claim.says.endswith((".", ".”", ".)"))
    assert claim.explanation.endswith(".")
    assert claim.reversal.endswith(".")
    assert claim.observation or claim.cause or claim.arithmetic
    for arm in claim.arms:
        assert arm.conditions.endswith(".")
        assert bool(arm.tests) != bool(arm.cannot)
        assert all(test.asks.endswith("?") for test in arm.tests)
    assert all(what and figure for what, figure in claim.published)


def test_each_figure_of_the_reports_is_there() -> None:
    ids = [one.id for one in figures()]
    thesis = [f"4.{number}" for number in range(1, 8)]
    others = ["graph 1", "graph 2", "1.0", "1.1", "1.2", "2.1, left", "2.1, right", "3.1", "3.2"]
    assert set(ids) == {*thesis, *others, "part 1 and 2", "part 3", "part 4"}
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("figure", figures(), ids=lambda figure: figure.id)
def test_what_a_figure_draws_has_a_place_and_a_cell(figure: Figure) -> None:
    assert figure.published or "no number" in figure.note
    places = {mark.x for mark in figure.published} | {point.x for point in figure.here}
    assert places <= set(figure.xs)
    for point in figure.here:
        cells = [trial.cell for trial in plan_of(point.excerpt.name).trials]
        assert any(point.side.levels.items() <= cell.items() for cell in cells), point


@pytest.mark.parametrize(("name", "test"), tried_by_runs(), ids=lambda one: str(one)[:4])
def test_what_a_test_reads_is_one_cell_of_its_experiment_each(
    name: str, test: declared.Test
) -> None:
    cells = [trial.cell for trial in plan_of(test.excerpt.name).trials]
    assert test.predicate.sides
    for side in test.predicate.sides:
        named = [cell for cell in cells if side.levels.items() <= cell.items()]
        assert len(named) == 1 or all("again" in str(cell["engine"]) for cell in named[1:]), (
            name,
            side.levels,
        )


@pytest.mark.parametrize("name", EXCERPTS)
def test_an_excerpt_plans_and_shortens(name: str) -> None:
    excerpt = EXCERPTS[name]
    assert 0 < excerpt.shortest_s <= excerpt.window_s
    assert 1 <= excerpt.blocks_min <= excerpt.blocks
    shortest = plan_of(name)
    whole = excerpt.plan(catalog(), blocks=excerpt.blocks, window_s=excerpt.window_s, seed=1)
    assert shortest.name == name
    assert len(whole.trials) == excerpt.blocks * len(shortest.trials)
    assert excerpt.seconds(shortest) < excerpt.seconds(whole)


def test_no_two_excerpts_share_a_folder() -> None:
    for _, test in tried_by_runs():
        assert test.excerpt is EXCERPTS[test.excerpt.name]


@pytest.mark.parametrize(
    ("claim", "answer", "words"),
    [
        ("B8", Answer.NO, "1.96 times the 94.2 requests/s that Little's law allows"),
        ("F1", Answer.NO, "1.72 times the 39 791 requests/s of 2 threads"),
        ("T12", Answer.YES, "0.296 times the 72 MB/s"),
    ],
)
def test_published_figures_alone_say_what_arithmetic_says(
    claim: str, answer: Answer, words: str
) -> None:
    law = CLAIMS[claim].arithmetic
    assert law is not None
    finding = law.judge()
    assert finding.answer is answer
    assert words in finding.sentence


def test_only_a_figure_and_a_sentence_cannot_be_true() -> None:
    contradicted = {
        claim.id
        for claim in all_claims()
        if claim.arithmetic is not None and claim.arithmetic.judge().answer is Answer.NO
    }
    assert contradicted == {"B8", "F1"}


def test_claims_are_chosen_by_their_ids_in_the_order_of_the_page() -> None:
    assert [claim.id for claim in chosen_claims(["B4", "T3"])] == ["T3", "B4"]
    with pytest.raises(UsageError, match="there is no claim T99"):
        chosen_claims(["T99"])


def test_what_needs_more_cpus_than_there_are_is_not_run() -> None:
    small = {one.name for one in excerpts_of(all_claims(), Place(server_cpus=1))}
    assert {"bucket-cores", "forum-pools", "thesis-tails"} <= EXCERPTS.keys() - small
