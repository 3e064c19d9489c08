"""The verdicts on a claim: what is observed, whether its cause holds, whether it can be true.

Each is made of the answers to an arm's tests. The words are those of the page and of claims.json.
"""

from __future__ import annotations

import enum

from serverlab.claims.answer import Answer


class Observation(enum.StrEnum):
    """Whether what the report saw is seen here, under its own conditions."""

    REPRODUCED = "reproduced"
    NOT_REPRODUCED = "not reproduced"
    UNDECIDED = "undecided here"
    NOT_TESTABLE = "not testable here"
    NOT_ASKED = "not asked"


class CauseVerdict(enum.StrEnum):
    """Whether it is so because of what the report names, with another suspect out of the way."""

    BORNE_OUT = "borne out"
    REFUTED = "refuted"
    UNDECIDED = "undecided here"
    NOT_TESTABLE = "not testable here"
    NOT_ASKED = "not asked"


class Arithmetic(enum.StrEnum):
    """Whether a published figure or sentence agrees with the others, or with a law."""

    CONTRADICTED = "contradicted"
    CONSISTENT = "consistent"
    NOT_ASKED = "not asked"


OBSERVATIONS = {
    Answer.YES: Observation.REPRODUCED,
    Answer.NO: Observation.NOT_REPRODUCED,
    Answer.UNDECIDED: Observation.UNDECIDED,
    Answer.NOT_TESTABLE: Observation.NOT_TESTABLE,
    None: Observation.NOT_ASKED,
}
CAUSES = {
    Answer.YES: CauseVerdict.BORNE_OUT,
    Answer.NO: CauseVerdict.REFUTED,
    Answer.UNDECIDED: CauseVerdict.UNDECIDED,
    Answer.NOT_TESTABLE: CauseVerdict.NOT_TESTABLE,
    None: CauseVerdict.NOT_ASKED,
}
