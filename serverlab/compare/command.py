"""`serverlab compare`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from cyclopts import Parameter

from serverlab import console, terminal
from serverlab.analysis.run_data import read_run
from serverlab.compare.comparability import pair_up
from serverlab.compare.ratios import Compared, compared, gate_sentences, read_gate
from serverlab.compare.screen import show
from serverlab.load_result import SCHEMA
from serverlab.paths import GivenPath  # noqa: TC001 - the command line reads it

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from serverlab.compare.comparability import Paired


def compare(
    first: GivenPath,
    second: GivenPath,
    /,
    *,
    fail_if: Annotated[list[str] | None, Parameter(negative="")] = None,
    json: bool = False,
) -> int:
    """Compare two runs, cell by cell: the second over the first.

    Parameters
    ----------
    first
        A run's folder: before.
    second
        Another run's folder: after.
    fail_if
        End with status 1 if a cell differs and its ratio is beyond a bound: "p99 > 1.1x",
        "goodput < 0.95x". Measures: goodput, cpu, p50, p90, p99, p99.9. Several times for several
        bounds.
    json
        Print the result as JSON, and nothing else.
    """
    gates = [read_gate(text) for text in fail_if or []]
    paired = pair_up(read_run(first), read_run(second))
    cells = [(console.describe(pair.levels), compared(pair)) for pair in paired.pairs]
    failures = [sentence for gate in gates for sentence in gate_sentences(gate, cells)]
    if json:
        document = as_json(paired, cells, failures)
        terminal.write(msgspec.json.format(msgspec.json.encode(document)).decode() + "\n")
    else:
        show(paired, cells, [gate.measure for gate in gates])
    for sentence in failures:
        console.complain(sentence)
    return 1 if failures else 0


def as_json(
    paired: Paired, cells: Sequence[tuple[str, Mapping[str, Compared]]], failures: Sequence[str]
) -> dict[str, Any]:
    """What --json prints (docs/results-schema.md)."""
    return {
        "schema": SCHEMA,
        "command": "compare",
        "first": str(paired.first.folder),
        "second": str(paired.second.folder),
        "notes": paired.notes,
        "differences": [
            {"what": one.what, "first": one.first, "second": one.second}
            for one in paired.differences
        ],
        "cells": [
            {
                "cell": pair.levels,
                "blocks": [len(pair.first.valid), len(pair.second.valid)],
                "measures": {name: ratio_json(one) for name, one in measures.items()},
            }
            for pair, (_, measures) in zip(paired.pairs, cells, strict=True)
        ],
        "failures": list(failures),
    }


def ratio_json(found: Compared) -> dict[str, Any]:
    """A measure of a cell; without an interval `low` and `high` are null."""
    ratio = found.ratio
    return {
        "ratio": ratio.estimate if ratio else None,
        "low": ratio.low if ratio and found.is_sure else None,
        "high": ratio.high if ratio and found.is_sure else None,
        "judgement": found.judgement,
        "why": found.why,
    }
