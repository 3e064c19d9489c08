"""What a stranger reads first: all verdicts in one table, and a line for each report."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.claims.claim import Origin
from serverlab.claims.data import in_cell
from serverlab.claims.reports.catalog import REPORTS
from serverlab.claims.verdict import Arithmetic, CauseVerdict, Observation
from serverlab.notation import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.claims.claim import Report
    from serverlab.claims.outcome import Outcome

APART = {Origin.CODE, Origin.DERIVED}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRow:
    """What has become of a report's claims, by their ids."""

    report: Report
    observations: dict[Observation, list[str]]
    refuted: list[str]
    borne_out: list[str]
    contradicted: list[str]
    apart: list[str]  # not from its text

    @property
    def words(self) -> str:
        """In a sentence: how many statements became what."""
        counts = {kind: len(ids) for kind, ids in self.observations.items()}
        asked = [
            f"{counts[kind]} {kind}" for kind in Observation if counts.get(kind)
        ]  # fmt: skip
        said = f"Statements: {listed(asked)}."
        if self.refuted or self.borne_out:
            found = [
                f"{len(ids)} {words}"
                for ids, words in ((self.borne_out, "borne out"), (self.refuted, "refuted"))
                if ids
            ]
            said += f" Causes: {listed(found)}."
        return said


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The top of the page."""

    causes: list[CauseVerdict]  # the columns, as far as a claim is in them
    matrix: list[tuple[Observation, list[list[str]]]]  # ids of claims of the texts
    reports: list[ReportRow]
    counts: list[tuple[Observation, int]]
    contradicted: list[Outcome]
    apart: list[Outcome]


def summary(found: Sequence[Outcome]) -> Summary:
    """Of all claims that were asked for."""
    of_texts = [one for one in found if one.claim.origin is Origin.TEXT]
    causes = [cause for cause in CauseVerdict if any(one.cause is cause for one in of_texts)]
    counts = Counter(one.observation for one in of_texts)
    return Summary(
        causes=causes,
        matrix=[
            (kind, [in_cell(found, kind, cause, {Origin.TEXT}) for cause in causes])
            for kind in Observation
            if counts[kind]
        ],
        reports=[row for report in REPORTS if (row := report_row(report, found)) is not None],
        counts=[(kind, counts[kind]) for kind in Observation if counts[kind]],
        contradicted=[one for one in found if one.arithmetic is Arithmetic.CONTRADICTED],
        apart=[one for one in found if one.claim.origin in APART],
    )


def report_row(report: Report, found: Sequence[Outcome]) -> ReportRow | None:
    """A report's line; None if none of its claims was asked for."""
    own = [one for one in found if one.claim in report.claims]
    if not own:
        return None
    texts = [one for one in own if one.claim.origin is Origin.TEXT]
    return ReportRow(
        report=report,
        observations={
            kind: [one.claim.id for one in texts if one.observation is kind] for kind in Observation
        },
        refuted=[one.claim.id for one in texts if one.cause is CauseVerdict.REFUTED],
        borne_out=[one.claim.id for one in texts if one.cause is CauseVerdict.BORNE_OUT],
        contradicted=[one.claim.id for one in own if one.arithmetic is Arithmetic.CONTRADICTED],
        apart=[one.claim.id for one in own if one.claim.origin in APART],
    )
