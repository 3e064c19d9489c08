"""What a tail says, in sentences and as a table of text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from serverlab.notation import DIGITS, NARROW_SPACE, count, listed, readable, unit_for
from serverlab.report.ledger_words import Cells, in_us, with_interval
from serverlab.slices import LANES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.analysis.tail import Share, Tail
    from serverlab.notation import Unit

NAMED_MAX = 3  # lanes in a sentence
NAMED_SHARE = 0.05  # of the whole: smaller ones are in the table alone
SHARES = {"middle": "middle fifth", "slowest": "slowest 1 %"}


def sentences(tails: Sequence[Tail], lost: int) -> list[str]:
    """What was found, the answer first."""
    said = [
        f"In the mean the slowest 1 % of all requests take {told(tails, 'slowest')}.",
        f"The middle fifth takes {told(tails, 'middle')}.",
    ]
    requests = listed([f"{count(one.requests)} to {one.subject}" for one in tails])
    costs = listed([f"{cost(one)} with {one.subject}" for one in tails])
    said.append(
        "Of some connections, of others in each slice, all requests were followed: "
        f"{requests}. That costs a request {costs}, as slices with and without it say."
    )
    if lost:
        said.append(f"There was no place for {count(lost)} more requests, which are missing.")
    return said


def told(tails: Sequence[Tail], share: str) -> str:
    """How long these requests take, and where."""
    shares = {one.subject: getattr(one, share) for one in tails}
    return "; ".join(
        f"{whole_time(one)} with {subject}: {lanes(one)}" for subject, one in shares.items()
    )


def cost(one: Tail) -> str:
    """What following costs a request, and of what."""
    percent = 100 * one.probe_ns.value / one.cpu_ns.value
    return f"{with_interval(one.probe_ns)} of server CPU time ({percent:.1f} %)"


def lanes(share: Share) -> str:
    """The longest lanes."""
    least_ns = NAMED_SHARE * share.time_ns.value
    longest = sorted(share.lanes_ns.items(), key=lambda lane: -lane[1].value)[:NAMED_MAX]
    return listed(
        [f"{readable(one.value, 'time')} {name}" for name, one in longest if one.value >= least_ns]
    )


def shown_lanes(tails: Sequence[Tail]) -> list[str]:
    """The lanes that are more than nothing in one of the servers, in the order of a request."""
    shares = [getattr(one, name) for one in tails for name in SHARES]
    return [
        name for name in LANES if any(in_us(one.lanes_ns[name].value) != "0.00" for one in shares)
    ]


def lane_table(tails: Sequence[Tail]) -> Cells:
    """A row a lane, of the requests in the middle and of the slowest."""
    columns = [
        (one.subject, title, getattr(one, name)) for one in tails for name, title in SHARES.items()
    ]
    shares = [share for _, _, share in columns]
    rows = [
        (name, *(in_unit_of(one, one.lanes_ns[name].value) for one in shares))
        for name in shown_lanes(tails)
    ]
    rows.append(("all of it", *(interval(one) for one in shares)))
    return Cells(
        title="Where a request is until the client has read the reply",
        head=(
            "",
            *(f"{subject}: {title}, {unit_of(one).symbol}" for subject, title, one in columns),
        ),
        rows=rows,
    )


def unit_of(share: Share) -> Unit:
    """In which the time of these requests, and each part of it, is written."""
    return unit_for("time", [share.time_ns.value], least=1)


def in_unit_of(share: Share, value_ns: float) -> str:
    """A part of the time, with as many decimals as three digits of the whole have."""
    size = unit_of(share).size
    magnitude = math.floor(math.log10(max(share.time_ns.value / size, 1)))
    return f"{value_ns / size:.{max(0, DIGITS - 1 - magnitude)}f}".replace("-", "−")


def interval(share: Share) -> str:
    """The whole time with its interval."""
    value, low, high = (
        in_unit_of(share, one)
        for one in (share.time_ns.value, share.time_ns.low, share.time_ns.high)
    )
    return f"{value} [{low}, {high}]"


def whole_time(share: Share) -> str:
    """The whole time with its unit and its interval."""
    value, rest = interval(share).split(" ", 1)
    return f"{value}{NARROW_SPACE}{unit_of(share).symbol} {rest}"
