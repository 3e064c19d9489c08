"""How far one sample of slices lies above another, whatever a few of them say.

A slice that does not count is NaN: its place among the others stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Values = NDArray[numpy.float64]

ROUNDS_APART_MAX = 1  # what slows a machine for a moment meets neighbours alike (decision 38)


def middle_shift(a: Values, b: Values) -> float:
    """The median of all differences between slices that are close in time (Hodges and Lehmann).

    It needs no slice of the one to stand beside one of the other, so that few are lost with those
    that do not count; and it holds while fewer than 29 % of the slices are off. NaN if nothing is
    left to compare.
    """
    places = numpy.arange(max(len(a), len(b)))
    far = abs(places[: len(a), None] - places[None, : len(b)]) > ROUNDS_APART_MAX
    differences = a[:, None] - b[None, :]
    kept = differences[~far & ~numpy.isnan(differences)]
    return float(numpy.median(kept)) if kept.size else float("nan")


def neighbours(a: Values, b: Values) -> Values:
    """The difference of each slice from the first one of the other sample that is near and alone.

    Where all slices count, those at the same place.
    """
    found, other = [], 0
    for place in numpy.flatnonzero(~numpy.isnan(a)):
        while other < len(b) and (other + ROUNDS_APART_MAX < place or numpy.isnan(b[other])):
            other += 1
        if other < len(b) and other <= place + ROUNDS_APART_MAX:
            found.append(a[place] - b[other])
            other += 1
    return numpy.array(found)
