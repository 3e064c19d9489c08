"""Audits the results of a file: each row by itself, and a ranking as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.audit.checks.basis import basis
from serverlab.audit.checks.counts import counted, enough, failed
from serverlab.audit.checks.law import littles_law, streams_of
from serverlab.audit.checks.order import order
from serverlab.audit.checks.ranking import ceiling, in_groups, ties
from serverlab.audit.checks.rate import generator, omission, own_verdict, sustained
from serverlab.audit.checks.sane import sane
from serverlab.audit.finding import GRAVITY, Finding, gravest, plausible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from serverlab.audit.row import Row, Table

CHECKS: tuple[Callable[[Row], Iterator[Finding]], ...] = (
    order,
    counted,
    enough,
    failed,
    sustained,
    omission,
    generator,
    own_verdict,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """A row with all that was found, and what decides."""

    row: Row
    findings: list[Finding]

    @property
    def finding(self) -> Finding:
        """The gravest; or on what the row is plausible."""
        return gravest(self.findings) or plausible(basis(self.row))


def audited(table: Table) -> list[Audited]:
    """What is found of each row."""
    found = [list(sane(row)) for row in table.rows]
    places = {id(row): place for place, row in enumerate(table.rows) if not found[place]}
    sound = [row for row in table.rows if id(row) in places]
    groups = list(in_groups(sound).values()) if table.is_ranking else []
    streams: dict[int, float] = {}
    for group in groups:
        streams |= dict.fromkeys(map(id, group), streams_of(group))
    for row in sound:
        own = found[places[id(row)]]
        own += littles_law(row, streams.get(id(row), 1))
        own += (one for check in CHECKS for one in check(row))
    for group in groups:
        for row, finding in (*ceiling(group), *ties(group)):
            found[places[id(row)]].append(finding)
    return [
        Audited(row=row, findings=findings) for row, findings in zip(table.rows, found, strict=True)
    ]


def gravest_first(rows: Sequence[Audited]) -> list[Audited]:
    """The rows by their verdicts."""
    return sorted(rows, key=lambda one: GRAVITY.index(one.finding.judgement))
