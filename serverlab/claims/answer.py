"""The answer to a test's question."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class Answer(enum.StrEnum):
    """What a test has found of what it asks."""

    YES = "yes"
    NO = "no"
    UNDECIDED = "undecided here"
    NOT_TESTABLE = "not testable here"


# The worst part decides: several questions are answered by yes only if each of them is.
WORST_FIRST = (Answer.NO, Answer.UNDECIDED, Answer.NOT_TESTABLE, Answer.YES)


def together(answers: Iterable[Answer]) -> Answer:
    """The answer to several questions that all have to be answered by yes."""
    return min(answers, key=WORST_FIRST.index)
