"""Whether a measure grows in a straight line, which need not pass through zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.claims.answer import Answer
from serverlab.claims.evidence import NoEvidenceError
from serverlab.claims.finding import Effect, Finding
from serverlab.claims.sentences import needed
from serverlab.claims.words import interval_text, level_words, where
from serverlab.levels import number_of
from serverlab.notation import listed, ratio_text
from serverlab.report.sentences import capitalised
from serverlab.stats.paired import ALARM, pairing

if TYPE_CHECKING:
    from serverlab.claims.evidence import Evidence, Side
    from serverlab.claims.region import Region
    from serverlab.quantities import Level


@dataclass(frozen=True, slots=True, kw_only=True)
class Straight:
    """How much a step of a factor adds in the second half of its levels, over the first half."""

    side: Side
    factor: str
    levels: tuple[Level, Level, Level]
    region: Region
    published: float | None = None

    @property
    def ratios(self) -> int:
        """One, of two slopes."""
        return 1

    @property
    def sides(self) -> list[Side]:
        """The measure at each level."""
        return [self.side.at(**{self.factor: level}) for level in self.levels]

    @property
    def regions(self) -> list[Region]:
        """That of the two slopes."""
        return [self.region]

    def judge(self, evidence: Evidence) -> Finding:
        """The ratio of the two slopes over all blocks in which all levels have a figure."""
        try:
            slopes = self.slopes(evidence)
        except NoEvidenceError as error:
            effect = self.effect(figures=str(error))
            said = f"There is no {effect.label}: {error}."
            return Finding(answer=Answer.UNDECIDED, sentence=said, effects=(effect,))
        over_one = pairing(slopes, [1.0] * len(slopes))
        ratio, jointly = over_one.ratio(), over_one.ratio(alarm=ALARM / evidence.ratios)
        figures = listed([evidence.text(side) for side in self.sides])
        effect = Effect(
            label=self.label,
            region=self.region,
            ratio=ratio,
            jointly=jointly,
            published=self.published,
            figures=figures,
        )
        said = f"{capitalised(self.label)} is {ratio_text(ratio.estimate)} {interval_text(ratio)}"
        return Finding(answer=effect.answer, sentence=f"{said}{needed(effect)}.", effects=(effect,))

    def effect(self, *, figures: str) -> Effect:
        """One that could not be had."""
        return Effect(
            label=self.label,
            region=self.region,
            ratio=None,
            jointly=None,
            published=self.published,
            figures=figures,
        )

    @property
    def label(self) -> str:
        """What is compared, in a few words."""
        first, middle, last = (level_words(self.factor, level) for level in self.levels)
        name = f"{self.side.measure.noun}{where(self.side.levels)}"
        return f"slope of {name} from {middle} to {last} over that from {first} to {middle}"

    def slopes(self, evidence: Evidence) -> list[float]:
        """Of each block, the second slope over the first.

        Raises NoEvidenceError if no block has all three figures, or if one falls.
        """
        found = [evidence.by_block(side) for side in self.sides]
        blocks = sorted(found[0].keys() & found[1].keys() & found[2].keys())
        if not blocks:
            raise NoEvidenceError("no block has a valid trial at each level")
        first, middle, last = (number_of(level, self.factor) or 0.0 for level in self.levels)
        slopes = []
        for block in blocks:
            low, half, high = (figure[block] for figure in found)
            if half <= low or high <= half:
                raise NoEvidenceError(f"it does not grow from level to level in block {block}")
            slopes.append(((high - half) / (last - middle)) / ((half - low) / (middle - first)))
        return slopes
