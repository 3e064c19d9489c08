"""A standing in words. Names of subjects stand in backticks, which the page turns into code."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.notation import MANY, NARROW_SPACE, listed, number, ratio_text, unit_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.analysis.cells import Cell
    from serverlab.analysis.standings import Criterion, Standing
    from serverlab.analysis.subjects import Subjects
    from serverlab.measure import Measure
    from serverlab.stats.paired import Ratio


NAMES_MAX = 6  # more of them would not be read
NAMED_MAX = 3  # more are called by what they are not, or by their number


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Ratios in words, and their interval, which is empty where one block gives none."""

    text: str
    interval: str

    def bracketed(self) -> str:
        """`1.32 times that of poll (1.28 to 1.37)`."""
        return f"{self.text} ({self.interval})" if self.interval else self.text

    def flat(self) -> str:
        """The same without brackets, to stand in some."""
        return f"{self.text}, {self.interval}" if self.interval else self.text


def sentence(standing: Standing) -> str:
    """One sentence for one level: which subjects lead, by how much, how surely."""
    leaders, criterion = standing.leaders, standing.criterion
    if not leaders:
        return "No valid trial gave it."
    figures = span(leaders, criterion)
    if not standing.others:
        if len(leaders) > 1:
            subject = capitalised(together(leaders, standing.subjects))
            return f"{subject} are not distinguishable here in {criterion.noun}: {figures}."
        return (
            f"{leading_names(standing)} has a {criterion.noun} of {figures}{over_blocks(standing)}."
        )
    comparison = against_baseline(standing)
    details = f", {comparison.bracketed()}" if comparison else over_blocks(standing)
    if len(leaders) == 1:
        said = f"{leading_names(standing)} has {criterion.superlative}: {figures}{details}."
    else:
        said = (
            f"{leading_names(standing)} have {criterion.superlative} "
            "and are not distinguishable here: "
            f"{figures}{details}."
        )
    return said + doubt(standing)


def doubt(standing: Standing) -> str:
    """Which subjects may lead as well, though a beaten one has the better estimate."""
    if not standing.undecided:
        return ""
    names = listed(shortened([f"`{cell.subject}`" for cell in standing.undecided]))
    verb = "leads" if len(standing.undecided) == 1 else "lead"
    return f" Not decided: whether {names} {verb} too."


def clause(*standings: Standing) -> str:
    """The figures of some levels, to stand in brackets in a headline that names the leaders once.

    They have the same leaders.
    """
    comparison = against_baseline(*standings)
    if comparison:
        return comparison.flat()
    return span([cell for one in standings for cell in one.leaders], standings[0].criterion)


def against_baseline(*standings: Standing) -> Comparison | None:
    """How the leaders compare with the baseline, or, if it is one of them, how the others do.

    Without a baseline the others are compared with a leader that is alone. Of several standings
    with the same leaders it is the range of them all.
    """
    behind = [compared for one in standings if (compared := ratios_behind(one)) is not None]
    if not behind:
        return None
    found = [ratio for ratios, _, _ in behind for ratio in ratios]
    _, what, subject = behind[0]
    named = subject if {one[2] for one in behind} == {subject} else "the others"
    return times(found, what, subject=named)


def ratios_behind(standing: Standing) -> tuple[list[Ratio | None], str, str] | None:
    """Ratios, what they are over, and what they are of: empty if it is the leaders."""
    base, leaders, others = standing.baseline, standing.leaders, standing.others
    if not others or (base is None and len(leaders) > 1):
        return None
    if base is not None and base not in leaders:
        return [standing.ratio(cell, base) for cell in leaders], f"that of `{base.subject}`", ""
    found = [standing.ratio(cell, base or leaders[0]) for cell in others]
    subject = f"`{others[0].subject}`" if len(others) == 1 else "the others"
    what = "that" if base is None or len(leaders) == 1 else f"that of `{base.subject}`"
    return found, what, subject


def times(found: Sequence[Ratio | None], what: str, *, subject: str = "") -> Comparison | None:
    """Ratios with their interval; several as a range, with an interval that holds those of all."""
    known = [ratio for ratio in found if ratio is not None]
    if not known:
        return None
    estimates = [ratio.estimate for ratio in known]
    low, high = min(ratio.low for ratio in known), max(ratio.high for ratio in known)
    bounds = [] if math.isinf(high) else [low, high]
    texts = [ratio_text(value) for value in (min(estimates), max(estimates), *bounds)]
    text = f"{subject} {joined(texts[:2])} times {what}".strip()
    if not bounds:
        return Comparison(text=text, interval="")
    within = "intervals within " if len(known) > 1 else ""
    return Comparison(text=text, interval=f"{within}{texts[2]} to {texts[3]}")


def leading_names(standing: Standing) -> str:
    """The leaders by name, or, if they are many, those that are not; the baseline is marked."""
    few_others = len(standing.leaders) > NAMED_MAX and len(standing.others) < NAMED_MAX
    if few_others and not standing.absent:
        left_out = listed([f"`{cell.subject}`" for cell in standing.others])
        return f"All {standing.subjects.plural} but {left_out}"
    compared = len(standing.leaders) + len(standing.others) > 1
    marked = [cell for cell in standing.leaders if compared and cell is standing.baseline]
    parts = [
        f"the baseline `{cell.subject}`" if cell in marked else f"`{cell.subject}`"
        for cell in (*marked, *(cell for cell in standing.leaders if cell not in marked))
    ]
    return capitalised(listed(shortened(parts)))


def together(cells: Sequence[Cell], subjects: Subjects) -> str:
    """All subjects of a level, by name if there are only a few."""
    if len(cells) <= NAMED_MAX:
        return listed([f"`{cell.subject}`" for cell in cells])
    return f"the {len(cells)} {subjects.plural}"


def shortened(parts: Sequence[str]) -> list[str]:
    """The first of many, and how many more there are."""
    if len(parts) <= NAMES_MAX:
        return list(parts)
    shown = NAMES_MAX - 1
    return [*parts[:shown], f"{len(parts) - shown} more"]


def capitalised(text: str) -> str:
    """With a capital for the first letter, the others as they are."""
    return text[:1].upper() + text[1:]


def span(cells: Sequence[Cell], criterion: Criterion) -> str:
    """Their figure, or the lowest and the highest of them."""
    measure = criterion.measure
    return range_text(measure, sorted(cell.figures[measure.name].value for cell in cells))


def range_text(measure: Measure, values: Sequence[float]) -> str:
    """From the first to the last, with the unit once."""
    unit = unit_for(measure.kind, values, least=1 if len(values) == 1 else MANY)
    ends = [number(values[0] / unit.size), number(values[-1] / unit.size)]
    return f"{joined(ends)}{NARROW_SPACE}{unit.symbol}"


def joined(ends: Sequence[str]) -> str:
    """Two ends of a range, or one number if they are written alike."""
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def over_blocks(standing: Standing) -> str:
    """The extremes over blocks of a single leader that has more than one."""
    measure = standing.criterion.measure
    figure = standing.leaders[0].figures[measure.name]
    if len(standing.leaders) > 1 or len(figure.by_block) < 2:
        return ""
    return f" ({range_text(measure, [figure.low, figure.high])} over the blocks)"
