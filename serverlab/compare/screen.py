"""A comparison in a terminal: what limits it, what differs, the ratios."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serverlab import console
from serverlab.notation import ratio_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from serverlab.compare.comparability import Paired
    from serverlab.compare.ratios import Compared

SHOWN = ("goodput", "cpu", "p50", "p99")
TITLES = {"cpu": "server CPU"}
STYLES = {"better": console.GOOD, "worse": console.DOUBTFUL}
HOW = (
    "Ratios of geometric means over blocks, with 95 % intervals (Welch's, on logarithms). "
    "The runs are not paired in time: what the machine did between them is in the ratio, and not "
    "in its interval."
)


def show(
    paired: Paired, cells: Sequence[tuple[str, Mapping[str, Compared]]], asked: Sequence[str]
) -> None:
    """Everything, the sentences first."""
    console.heading(f"{paired.second.folder} over {paired.first.folder}")
    for note in paired.notes:
        console.sentence(note)
    if paired.differences:
        table = console.table_of("differs", "first", "second")
        for one in paired.differences:
            table.add_row(one.what, one.first, one.second)
        console.show(table)
    else:
        console.sentence("Machine, programs and settings are the same.")
    measures = list(dict.fromkeys([*SHOWN, *asked]))
    table = console.table_of("cell", "measure", "ratio, interval", "verdict")
    for column in table.columns[2:]:
        column.no_wrap = True
    for pair, (label, found) in zip(paired.pairs, cells, strict=True):
        blocks = f"{len(pair.first.valid)} and {len(pair.second.valid)} blocks"
        heads = [label, blocks, *(len(measures) - 2) * [""]]
        for head, name in zip(heads, measures, strict=True):
            table.add_row(head, TITLES.get(name, name), *ratio_cells(found[name]))
        table.add_section()
    console.show(table)
    console.sentence(HOW)


def ratio_cells(found: Compared) -> tuple[str, console.Cell]:
    """A ratio with its interval, and what follows: coloured where it is beyond doubt."""
    if found.ratio is None:
        return "–", found.why
    estimate = f"{ratio_text(found.ratio.estimate):<6}"
    if not found.is_sure:
        return estimate, found.why
    interval = f"{ratio_text(found.ratio.low)} – {ratio_text(found.ratio.high)}"
    style = STYLES.get(found.judgement)
    said = found.judgement if style else "not distinguishable"
    return f"{estimate} {interval}", console.styled(said, style)
