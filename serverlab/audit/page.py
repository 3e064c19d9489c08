"""The page of an audit: every row with its verdict, and the number that decided it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.audit.audit import gravest_first
from serverlab.audit.finding import Judgement
from serverlab.files import write_whole
from serverlab.report.page import environment

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from serverlab.audit.audit import Audited
    from serverlab.audit.row import Table

MEANINGS = {
    Judgement.IMPOSSIBLE: "the figures contradict each other",
    Judgement.GENERATOR_BOUND: "the figures say more of the generator than of the server",
    Judgement.UNSUSTAINED: "the rate that was asked for was not reached",
    Judgement.UNEXPLAINED: "they look wrong, and there may be a harmless reason, which is named",
    Judgement.TIED: "the row is ranked, and within noise of the one above it",
    Judgement.PLAUSIBLE: "no check found anything; the figures that were checked are named",
}


@dataclass(frozen=True, slots=True)
class Section:
    """A file's part of the page."""

    table: Table
    rows: list[Audited]

    @property
    def counts(self) -> list[tuple[Judgement, int]]:
        """How many rows have each verdict."""
        return [
            (judgement, sum(one.finding.judgement == judgement for one in self.rows))
            for judgement in Judgement
        ]


def write_page(path: Path, found: Sequence[tuple[Table, list[Audited]]]) -> None:
    """Write the page of all files that were audited."""
    sections = [Section(table, gravest_first(rows)) for table, rows in found]
    template = environment("serverlab.audit").get_template("audit.html.j2")
    page = template.render(title="Audit", sections=sections, meanings=MEANINGS)
    write_whole(path, page.encode())
