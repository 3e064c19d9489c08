"""The outcome of a campaign for other programs: what claims.json has."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec

from serverlab.claims.campaign import SCHEMA
from serverlab.claims.claim import Origin
from serverlab.claims.verdict import CauseVerdict, Observation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from serverlab.claims.beside import Beside
    from serverlab.claims.campaign import Campaign
    from serverlab.claims.finding import Effect
    from serverlab.claims.outcome import ArmOutcome, Outcome, Tested
    from serverlab.claims.region import Region


def as_json(planned: Campaign, found: Sequence[Outcome], ledgers: Mapping[str, Beside]) -> bytes:
    """All of it, as it stands on disk."""
    data = as_data(planned, found, ledgers)
    return msgspec.json.format(msgspec.json.encode(data), indent=1) + b"\n"


def as_data(
    planned: Campaign, found: Sequence[Outcome], ledgers: Mapping[str, Beside]
) -> dict[str, Any]:
    """All of it."""
    return {
        "schema": SCHEMA,
        "budget_s": planned.budget_s,
        "cpu": planned.cpu,
        "server_cpus": planned.server_cpus,
        "table": table_data(found),
        "claims": [
            claim_data(outcome) | {"ledger": ledger_data(ledgers.get(outcome.claim.id))}
            for outcome in found
        ],
    }


def table_data(found: Sequence[Outcome]) -> dict[str, dict[str, list[str]]]:
    """The claims of the reports' texts by observation and cause, as their ids."""
    return {
        str(observation): {
            str(cause): ids
            for cause in CauseVerdict
            if (ids := in_cell(found, observation, cause, {Origin.TEXT}))
        }
        for observation in Observation
    }


def in_cell(
    found: Sequence[Outcome], observation: Observation, cause: CauseVerdict, origins: set[Origin]
) -> list[str]:
    """The ids of the claims with both verdicts."""
    return [
        outcome.claim.id
        for outcome in found
        if outcome.claim.origin in origins
        and outcome.observation is observation
        and outcome.cause is cause
    ]


def claim_data(outcome: Outcome) -> dict[str, Any]:
    """A claim with its verdicts, and what they rest on."""
    claim, law, cause = outcome.claim, outcome.claim.arithmetic, outcome.claim.cause
    return {
        "id": claim.id,
        "section": claim.section,
        "origin": claim.origin,
        "says": claim.says,
        "published": dict(claim.published),
        "observation": {"verdict": outcome.observation, **arm_data(outcome.observed)},
        "cause": {
            "verdict": outcome.cause,
            **({"named": cause.named, "suspect": cause.suspect} if cause else {}),
            **arm_data(outcome.caused),
        },
        "arithmetic": {
            "verdict": outcome.arithmetic,
            **({"asks": law.asks, "sentence": law.judge().sentence} if law else {}),
        },
        "explanation": claim.explanation,
        "reversal": claim.reversal,
        "objection": claim.objection or None,
        "command": command_of(outcome),
    }


def ledger_data(beside: Beside | None) -> dict[str, Any] | None:
    """The ledger beside a verdict, if there is one."""
    if beside is None:
        return None
    return {
        "shows": beside.of.shows,
        "sentences": beside.sentences,
        "ledgers": beside.ledgers,
        "differences": beside.differences,
    }


def command_of(outcome: Outcome) -> str:
    """What runs this claim alone."""
    return f"serverlab claims --only={outcome.claim.id}"


def arm_data(found: ArmOutcome | None) -> dict[str, Any]:
    """An arm with its tests; nothing of one that is not asked."""
    if found is None:
        return {}
    return {
        "conditions": found.arm.conditions,
        "sentence": found.sentence,
        "tests": [test_data(tested) for tested in found.tests],
    }


def test_data(tested: Tested) -> dict[str, Any]:
    """A test, and what it has found."""
    test, finding, needs = tested.test, tested.finding, tested.test.needs
    return {
        "asks": test.asks,
        "run": test.excerpt.name,
        "experiment": test.excerpt.file,
        "needs": {
            "server_cpus": needs.server_cpus,
            "machines": needs.machines,
            "network": needs.has_network,
        },
        "region": test.region or None,
        "answer": finding.answer,
        "sentence": finding.sentence,
        "effects": [effect_data(effect) for effect in finding.effects],
    }


def effect_data(effect: Effect) -> dict[str, Any]:
    """A ratio; an end of its interval that is open is null."""
    ratio, joint = effect.ratio, effect.jointly
    return {
        "label": effect.label,
        "figures": effect.figures,
        "ratio": None if ratio is None else ratio.estimate,
        "low": None if ratio is None else ratio.low,
        "high": None if ratio is None else finite(ratio.high),
        "jointly": joint and {"low": joint.low, "high": finite(joint.high)},
        "published": effect.published,
        "needs": region_data(effect.region),
        "answer": effect.answer,
    }


def region_data(region: Region) -> dict[str, Any]:
    """Where a ratio has to lie for a yes."""
    return {"low": region.low, "high": finite(region.high), "outside": region.is_outside}


def finite(value: float) -> float | None:
    """A number that JSON has."""
    return None if math.isinf(value) else value
