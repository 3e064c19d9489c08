"""The page of a campaign: every claim, its charts, and nothing that escapes from a run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from serverlab.claims.campaign import SCHEMA, Campaign, Part, create
from serverlab.claims.claim import Origin
from serverlab.claims.finding import Effect
from serverlab.claims.forest import clamped, domain, forest, shaded
from serverlab.claims.judge_campaign import evidence_of, judged
from serverlab.claims.page import write_page
from serverlab.claims.region import above, below, beyond, within
from serverlab.claims.reports.catalog import all_claims
from serverlab.machine import machine
from serverlab.stats.paired import Ratio
from tests.lab.report_data import write_run

ENGINES = ("epoll-level", "epoll-edge", "poll", "epoll-level again")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All claims, of which C6 alone has a run."""
    folder = tmp_path_factory.mktemp("campaign")
    name = "comp8005-level-or-edge"
    planned = Campaign(
        schema=SCHEMA,
        claims=[claim.id for claim in all_claims()],
        budget_s=60,
        seed=1,
        cpu=machine.cpu_model(),
        server_cpus=1,
        parts=[Part(name=name, blocks=3, window_s=1, seconds=30)],
        left_out=["thesis"],
        given={},
    )
    create(folder, planned)
    write_run(
        folder / name,
        speeds=dict.fromkeys(ENGINES, 1.0),
        factors={"connections": [64, 2000]},
        baseline=ENGINES[0],
        twin=ENGINES[3],
    )
    runs = evidence_of(folder, planned)
    return write_page(folder, planned, judged(planned, runs), runs, {})


def page_data(page: Path) -> Any:  # noqa: ANN401 - any JSON
    text = page.read_text(encoding="utf-8")
    found = re.search(r'id="page-data">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_every_claim_has_a_row_and_a_place(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for claim in all_claims():
        assert f'<a href="#{claim.id}">' in text
        assert f'<article class="claim" id="{claim.id}">' in text


def test_a_test_with_a_run_has_a_chart_where_the_script_looks_for_it(page: Path) -> None:
    forests = [one for one in page_data(page)["charts"] if not one["name"].startswith("figure")]
    [chart] = [one for one in forests if one["name"] == "C6-caused-2"]
    assert f'id="chart-{chart["name"]}"' in page.read_text(encoding="utf-8")
    assert {param["name"] for param in chart["spec"]["params"]} == {"highlight", "panel"}
    found = [row for row in chart["rows"] if row["kind"] == "ratio"]
    assert [row["answer"] for row in found] == ["no"] * 2
    assert all(row["low"] <= row["value"] <= row["high"] for row in found)


def test_the_data_beside_the_page_have_every_verdict_and_reason(page: Path) -> None:
    data = msgspec.json.decode((page.parent / "claims.json").read_bytes())
    claims = {claim["id"]: claim for claim in data["claims"]}
    assert len(claims) == len(all_claims())
    assert claims["C6"]["observation"] == {"verdict": "not asked"}
    assert claims["C6"]["cause"]["verdict"] == "refuted"
    assert claims["C6"]["cause"]["suspect"] == "epoll itself, whichever way it is told."
    assert claims["F1"]["arithmetic"]["verdict"] == "contradicted"
    assert claims["T9"]["observation"]["verdict"] == "undecided here"
    assert "Budget too small" in claims["T9"]["observation"]["sentence"]
    assert claims["K2"]["observation"]["verdict"] == "undecided here"
    assert "Not run yet" in claims["K2"]["observation"]["sentence"]
    assert claims["T8"]["observation"]["verdict"] == "not testable here"
    assert claims["T8"]["observation"]["tests"][0]["needs"]["server_cpus"] == 8
    assert claims["T13"]["origin"] == "code"
    assert claims["K5"]["command"] == "serverlab claims --only=K5"
    [effect, _] = claims["C6"]["cause"]["tests"][1]["effects"]
    assert 0.9 < effect["low"] <= effect["ratio"] <= effect["high"] < 1.02
    assert effect["needs"] == {"low": 1.02, "high": None, "outside": False}


def test_the_table_has_each_claim_of_a_text_once_and_no_other(page: Path) -> None:
    data = msgspec.json.decode((page.parent / "claims.json").read_bytes())
    rows = data["table"].values()
    listed = [one for row in rows for ids in row.values() for one in ids]
    texts = [claim.id for claim in all_claims() if claim.origin is Origin.TEXT]
    assert sorted(listed) == sorted(texts)


def test_each_figure_of_a_report_is_drawn_once_with_its_published_numbers(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    drawn = [one for one in page_data(page)["charts"] if one["name"].startswith("figure")]
    for figure in {one.id: one for claim in all_claims() for one in claim.figures}.values():
        assert text.count(f"{figure.id}: {figure.title}") == 1
        published = [
            (row["series"], row["x"], row["y"])
            for one in drawn
            for row in one["rows"]
            if f"{figure.id}".replace(" ", "-").replace(",", "").replace(".", "-") in one["name"]
            and one["name"].endswith("published")
        ]
        assert {(mark.series, mark.x, mark.y) for mark in figure.published} <= set(published)


def effect(low: float, high: float, **changes: Any) -> Effect:  # noqa: ANN401 - its fields
    ratio = Ratio(estimate=(low * high) ** 0.5, low=low, high=high, pairs=3)
    fields: dict[str, Any] = {
        "label": "`poll` over `threads`",
        "region": above(1.02),
        "ratio": ratio,
        "jointly": changes.get("ratio", ratio),
        "published": None,
        "figures": "",
    }
    return Effect(**{**fields, **changes})


def test_an_axis_holds_all_that_is_drawn_and_1() -> None:
    low, high = domain([effect(2, 4, published=0.5), effect(3, 8)])
    assert low < 0.5
    assert high > 8
    low, high = domain([effect(2, 4, region=within(1.5))])
    assert low < 1 / 1.5


def test_an_open_end_is_drawn_to_the_edge() -> None:
    chart = forest("x", [effect(0.5, float("inf"), ratio=Ratio(
        estimate=2, low=0, high=float("inf"), pairs=1
    ))])  # fmt: skip
    assert chart is not None
    [row] = [row for row in (chart.rows or []) if row["kind"] == "ratio"]
    low, high = chart.chart.to_dict()["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert (row["low"], row["high"]) == (low, high)


@pytest.mark.parametrize(
    ("region", "parts"),
    [
        (above(2), [(2, 10)]),
        (below(2), [(0.1, 2)]),
        (within(2), [(0.5, 2)]),
        (beyond(2), [(0.1, 0.5), (2, 10)]),
    ],
)
def test_the_shaded_part_is_where_the_claim_is_true(
    region: Any,  # noqa: ANN401 - a Region
    parts: list[tuple[float, float]],
) -> None:
    assert shaded(region, (0.1, 10)) == parts
    assert clamped(50, (0.1, 10)) == 10


def test_where_no_ratio_is_known_there_is_no_chart() -> None:
    assert forest("x", [effect(1, 1, ratio=None)]) is None
