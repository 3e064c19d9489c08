"""Every claim is whole, and what it reads is what its experiment gives."""

from __future__ import annotations

import pytest

from serverlab.claims import claim as declared
from serverlab.claims.law import Law
from serverlab.claims.reports.catalog import REPORTS, all_claims, chosen_claims, excerpts_of
from serverlab.claims.verdict import Verdict
from serverlab.design.catalog import catalog
from serverlab.errors import UsageError
from serverlab.records import Plan

CLAIMS = {claim.id: claim for claim in all_claims()}
PUBLISHED = {"T": 14, "F": 9, "C": 7, "K": 7, "B": 7}
EXCERPTS = {excerpt.name: excerpt for excerpt in excerpts_of(all_claims(), server_cpus=8)}


def plan_of(name: str) -> Plan:
    return EXCERPTS[name].plan(catalog(), blocks=1, window_s=EXCERPTS[name].shortest_s, seed=1)


def tried_by_runs() -> list[tuple[str, declared.Test]]:
    return [
        (claim.id, test)
        for claim in all_claims()
        for test in claim.all_tests
        if test.excerpt is not None
    ]


def test_all_forty_four_claims_are_there_and_one_that_two_were_in() -> None:
    expected = {f"{letter}{n}" for letter, count in PUBLISHED.items() for n in range(1, count + 1)}
    assert len(expected) == 44
    assert set(CLAIMS) == expected | {"F1b"}
    assert len(all_claims()) == len(CLAIMS)


def test_a_claim_stands_with_its_own_report() -> None:
    for report in REPORTS:
        assert {claim.id[0] for claim in report.claims} == {report.letter}
        assert report.about.endswith(".")


@pytest.mark.parametrize("claim", all_claims(), ids=lambda claim: claim.id)
def test_a_claim_is_complete(claim: declared.Claim) -> None:
    assert claim.says.endswith(".")
    assert claim.cause.endswith(".")
    assert bool(claim.tests) != bool(claim.cannot)
    assert all(what and figure for what, figure in claim.published)
    assert all(test.asks.endswith("?") for test in claim.all_tests)
    if claim.rival is not None:
        assert claim.rival.explanation.endswith(".")


def test_the_claims_with_a_known_rival_have_its_experiment() -> None:
    with_rival = {claim.id for claim in all_claims() if claim.rival is not None}
    assert with_rival >= {"T3", "T4", "F2", "C2", "C3", "K3", "B3", "B4"}


@pytest.mark.parametrize(("name", "test"), tried_by_runs(), ids=lambda one: str(one)[:4])
def test_what_a_test_reads_is_one_cell_of_its_experiment_each(
    name: str, test: declared.Test
) -> None:
    assert test.excerpt is not None
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
        assert test.excerpt is EXCERPTS[test.excerpt.name if test.excerpt else ""]


@pytest.mark.parametrize(
    ("claim", "verdict", "ratio"),
    [
        ("B4", Verdict.CONTRADICTED, 1.96),
        ("F1b", Verdict.CONTRADICTED, 1.72),
        ("K4", Verdict.CONTRADICTED, 20.9),
        ("B2", Verdict.CONTRADICTED, 0.981),
        ("T12", Verdict.REPRODUCED, 0.296),
    ],
)
def test_published_figures_alone_say_what_arithmetic_says(
    claim: str, verdict: Verdict, ratio: float
) -> None:
    [law] = [test.predicate for test in CLAIMS[claim].tests if isinstance(test.predicate, Law)]
    finding = law.judge(None)
    assert finding.verdict is verdict
    [effect] = finding.effects
    assert effect.ratio is not None
    assert effect.ratio.estimate == pytest.approx(ratio, rel=0.005)


def test_claims_are_chosen_by_their_ids_in_the_order_of_the_page() -> None:
    assert [claim.id for claim in chosen_claims(["B4", "T3"])] == ["T3", "B4"]
    with pytest.raises(UsageError, match="there is no claim T99"):
        chosen_claims(["T99"])


def test_what_needs_more_cpus_than_there_are_is_not_run() -> None:
    assert "bucket-cores" in EXCERPTS
    assert "bucket-cores" not in {one.name for one in excerpts_of(all_claims(), server_cpus=1)}
