"""The verdict on a claim."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class Verdict(enum.StrEnum):
    """What becomes of a claim; the words are those of the page."""

    REPRODUCED = "reproduced"
    CONTRADICTED = "contradicted"
    UNDECIDED = "undecided here"
    NOT_TESTABLE = "not testable here"


# The worst part decides: a claim is reproduced only where all of its parts are.
WORST_FIRST = (
    Verdict.CONTRADICTED, Verdict.UNDECIDED, Verdict.NOT_TESTABLE, Verdict.REPRODUCED
)  # fmt: skip


def together(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict of several parts that all have to be true."""
    return min(verdicts, key=WORST_FIRST.index)
