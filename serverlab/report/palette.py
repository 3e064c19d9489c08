"""A look for each subject: the same colour, symbol and dash in every chart and in the legend.

Seven colours that people with any colour vision tell apart (Okabe and Ito, Color Universal
Design, 2008, without the yellow and the black, which vanish on white and on dark), times symbols
and dashes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a8a8a")
# Vega's symbols as SVG paths in a square from -1 to 1, so that the legend can draw them, too.
SYMBOLS = (
    "M.8,0A.8,.8,0,1,1,-.8,0A.8,.8,0,1,1,.8,0Z",  # circle
    "M-.7,-.7H.7V.7H-.7Z",  # square
    "M0,-.9L.9,.7H-.9Z",  # triangle up
    "M0,-1L.8,0L0,1L-.8,0Z",  # diamond
    "M0,.9L-.9,-.7H.9Z",  # triangle down
    "M-.9,-.3H-.3V-.9H.3V-.3H.9V.3H.3V.9H-.3V.3H-.9Z",  # cross
)
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])
REJECTED = "M-.8,-.8L.8,.8M.8,-.8L-.8,.8"


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How a subject is drawn."""

    subject: str
    colour: str
    symbol: str
    dash: tuple[int, ...]


def looks(subjects: Sequence[str]) -> list[Look]:
    """By the subject's place in the plan: each has its own symbol, every seventh another dash."""
    return [
        Look(
            subject=subject,
            colour=COLOURS[place % len(COLOURS)],
            symbol=SYMBOLS[place % len(SYMBOLS)],
            dash=tuple(DASHES[place // len(COLOURS) % len(DASHES)]),
        )
        for place, subject in enumerate(subjects)
    ]
