"""`serverlab audit`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec

from serverlab import console, terminal
from serverlab.audit.audit import Audited, audited, gravest_first
from serverlab.audit.finding import Judgement
from serverlab.audit.reading import read
from serverlab.errors import UsageError
from serverlab.load_result import SCHEMA
from serverlab.notation import count, listed
from serverlab.paths import GivenPath  # noqa: TC001 - the command line reads it
from serverlab.plain_text import plain

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from serverlab.audit.row import Table

SHOWN_MAX = 30  # rows of a file on the screen; a page has all
FEW = 8  # rows of a file, of which those that are PLAUSIBLE are on the screen, too
STYLES = {
    Judgement.IMPOSSIBLE: console.BAD,
    Judgement.PLAUSIBLE: console.GOOD,
    Judgement.TIED: None,
}


def audit(*files: GivenPath, html: GivenPath | None = None, json: bool = False) -> int:
    """Check results of load generators without a run.

    The status is 1 if a row is IMPOSSIBLE: its figures contradict each other.

    Parameters
    ----------
    files
        What wrk, wrk2, hey, ab, redis-benchmark or memtier print; the JSON of oha, Fortio, k6,
        memtier, TechEmpower or HttpArena; trials.jsonl of a run, or the JSON of `serverlab-load`.
    html
        Write a page with all rows to this file, too.
    json
        Print all rows as JSON, and nothing else.
    """
    if not files:
        raise UsageError("give the files with the results")
    tables, refused = read_all(files)
    found = [(table, audited(table)) for table in tables]
    if html is not None:
        from serverlab.audit.page import write_page  # noqa: PLC0415 - what draws takes long to load

        write_page(html, found)
    if json:
        document = as_json(found, refused)
        terminal.write(msgspec.json.format(msgspec.json.encode(document)).decode() + "\n")
    else:
        for table, rows in found:
            show(table, rows)
        if html is not None:
            console.say(f"page: {html}")
    for sentence in refused:
        console.complain(sentence)
    if refused:
        return UsageError.status
    every = [one for _, rows in found for one in rows]
    return int(any(one.finding.judgement == Judgement.IMPOSSIBLE for one in every))


def read_all(files: Sequence[Path]) -> tuple[list[Table], list[str]]:
    """The results of files, and a sentence for each that cannot be read."""
    tables, refused = [], []
    for path in files:
        try:
            tables.append(read(path))
        except UsageError as error:
            refused.append(str(error))
    return tables, refused


def show(table: Table, rows: Sequence[Audited]) -> None:
    """Print what was found in a file: how many rows of each verdict, and those that have one."""
    console.heading(f"{table.path}: {summary(table, rows)}")
    ordered = gravest_first(rows)
    told = [one for one in ordered if one.finding.judgement != Judgement.PLAUSIBLE]
    if len(rows) <= FEW:
        told = ordered
    for one in told[:SHOWN_MAX]:
        verdict = one.finding.judgement
        style = STYLES.get(verdict, console.DOUBTFUL)
        place = f", {one.row.group}" if one.row.group else ""
        console.line(
            console.styled(verdict, style), f"{plain(one.row.name)}{place}: {one.finding.reason}"
        )
    if len(told) > SHOWN_MAX:
        console.sentence(f"… and {len(told) - SHOWN_MAX} more: --html=FILE writes all of them")
    for sentence in table.advice:
        console.sentence(sentence)


def summary(table: Table, rows: Sequence[Audited]) -> str:
    """How many rows have each verdict."""
    if table.nothing:
        return f"nothing to check: {table.nothing}"
    counts = Counter(one.finding.judgement for one in rows)
    said = [f"{count(counts[one])} {one}" for one in Judgement if counts[one]]
    results = "result" if len(rows) == 1 else "results"
    return f"{count(len(rows))} {results} of {table.tool}: {listed(said)}"


def as_json(found: Sequence[tuple[Table, list[Audited]]], refused: Sequence[str]) -> dict[str, Any]:
    """What --json prints (docs/results-schema.md)."""
    return {
        "schema": SCHEMA,
        "command": "audit",
        "files": [
            {
                "file": table.path,
                "tool": table.tool,
                "advice": table.advice,
                "rows": [
                    {
                        "name": one.row.name,
                        "group": one.row.group,
                        "verdict": one.finding.judgement,
                        "reason": one.finding.reason,
                        "findings": [
                            {
                                "verdict": each.judgement,
                                "check": each.check,
                                "reason": each.reason,
                            }
                            for each in one.findings
                        ],
                    }
                    for one in rows
                ],
            }
            for table, rows in found
        ],
        "refused": list(refused),
    }
