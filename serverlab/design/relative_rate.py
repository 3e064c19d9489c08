"""A rate that is a share of the capacity: `rate = "50%"`.

The capacity is what the slowest server answers in a closed loop. So an experiment with such a rate
has the closed loop as a load model, too, and its trials come first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serverlab.errors import UsageError
from serverlab.quantities import quoted, share_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from serverlab.quantities import Level

CLOSED, OPEN = "closed", "open"
SHARE_MIN, SHARE_MAX = 0.01, 1.0


def closed_loop_for(load: Mapping[str, list[Level] | Level]) -> dict[str, list[Level] | Level]:
    """The load models that a relative rate needs; nothing where the rate is none.

    Raises UsageError for a share that is one of several rates, or that cannot be meant.
    """
    rate = load.get("rate", "")
    shares = [share_of(str(one)) for one in (rate if isinstance(rate, list) else [rate])]
    found = [share for share in shares if share is not None]
    if not found:
        return {}
    if isinstance(rate, list):
        raise UsageError("[load] rate: a share of the capacity cannot be one of several rates")
    if not SHARE_MIN <= found[0] <= SHARE_MAX:
        raise UsageError(f"[load] rate: {quoted(rate)} is not between 1% and 100%")
    models = load.get("model", OPEN)
    others = [one for one in (models if isinstance(models, list) else [models]) if one != CLOSED]
    return {"model": [CLOSED, *(others or [OPEN])]}
