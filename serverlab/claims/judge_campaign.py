"""Reads what a campaign has so far, and judges its claims by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serverlab.analysis.results import results
from serverlab.claims.evidence import Evidence
from serverlab.claims.outcome import Circumstances, outcomes

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from serverlab.claims.campaign import Campaign
    from serverlab.claims.outcome import Outcome


def runs_of(folder: Path, campaign: Campaign) -> dict[str, Path]:
    """The folders of the runs that there are: the campaign's own, and those it was given."""
    own = {part.name: folder / part.name for part in campaign.parts}
    from_elsewhere = {name: folder / path for name, path in campaign.given.items()}
    runs = {**own, **from_elsewhere}
    return {name: path for name, path in runs.items() if (path / "plan.json").exists()}


def evidence_of(folder: Path, campaign: Campaign) -> dict[str, Evidence]:
    """What the runs that there are have found, by the names of their excerpts."""
    return {name: Evidence(shown=results(path)) for name, path in runs_of(folder, campaign).items()}


def judged(campaign: Campaign, runs: Mapping[str, Evidence]) -> list[Outcome]:
    """The outcome of each claim, by the trials that are on disk."""
    given = Circumstances(
        runs=runs,
        left_out=frozenset(campaign.left_out),
        place=campaign.place,
    )
    return outcomes(campaign.chosen, given)
