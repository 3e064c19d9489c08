"""Audits the results of a file: each row by itself, and a ranking as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.audit.checks.counts import counted, enough, failed
from serverlab.audit.checks.law import littles_law, streams_of
from serverlab.audit.checks.order import order
from serverlab.audit.checks.ranking import ceiling, in_groups, ties
from serverlab.audit.checks.rate import generator, omission, sustained
from serverlab.audit.finding import GRAVITY, Finding, gravest

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
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """A row with all that was found, and what decides."""

    row: Row
    findings: list[Finding]

    @property
    def finding(self) -> Finding:
        """The gravest."""
        return gravest(self.findings)


def audited(table: Table) -> list[Audited]:
    """What is found of each row."""
    groups = in_groups(table.rows).values() if table.is_ranking else ()
    streams = {id(row): streams_of(group) for group in groups for row in group}
    found = [
        [
            *littles_law(row, streams.get(id(row), 1)),
            *(one for check in CHECKS for one in check(row)),
        ]
        for row in table.rows
    ]
    if table.is_ranking:
        places = {id(row): place for place, row in enumerate(table.rows)}
        for group in groups:
            for row, finding in (*ceiling(group), *ties(group)):
                found[places[id(row)]].append(finding)
    return [
        Audited(row=row, findings=findings) for row, findings in zip(table.rows, found, strict=True)
    ]


def gravest_first(rows: Sequence[Audited]) -> list[Audited]:
    """The rows by their verdicts."""
    return sorted(rows, key=lambda one: GRAVITY.index(one.finding.judgement))
