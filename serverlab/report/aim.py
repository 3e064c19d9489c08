"""How well a design wants ratios to be known, in words: the command line loads it, so no numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serverlab.measures import BY_NAME
from serverlab.notation import NARROW_SPACE, listed

if TYPE_CHECKING:
    from serverlab.records import Plan


def aim(plan: Plan) -> str:
    """`±3 % of goodput`; empty if that was not said."""
    wanted = plan.precision
    if not isinstance(wanted, dict):
        return "" if wanted is None else to_within(wanted)
    return listed(
        [
            f"{to_within(share)} of {BY_NAME[name].noun}"
            for name, share in wanted.items()
            if name in BY_NAME
        ]
    )


def to_within(share: float) -> str:
    """±3 %."""
    return f"±{100 * share:g}{NARROW_SPACE}%"
