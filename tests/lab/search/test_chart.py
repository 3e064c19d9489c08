"""The chart of a search draws each percentile of each load."""

from __future__ import annotations

from typing import Any

import vl_convert

from serverlab.search.answer import Result
from serverlab.search.chart import chart, percentile_looks, rows
from serverlab.search.curve import Point
from tests.lab.search_data import ASKED


def point(share: float) -> Point:
    """A load of the curve."""
    return Point(
        share=share,
        offered_per_s=10_000 * share,
        goodput_per_s=10_000 * share,
        p50_ns=100_000,
        p99_ns=400_000,
        p99_9_ns=900_000,
        server_cpu_us=5.0,
        is_sustained=True,
        unanswered=0,
        verdict="VALID",
        reason="",
    )


def test_each_percentile_has_a_line_in_its_colour_and_a_point_for_each_load() -> None:
    shown = Result(asked=ASKED, records=[], answers=[], points=[point(0.5), point(1.0)], knee=None)
    spec: dict[str, Any] = chart().to_dict(validate=False)
    spec |= {"data": {"name": "cells", "values": rows(shown)}, "width": 400}
    drawn = vl_convert.vegalite_to_svg(spec)
    for look in percentile_looks():
        # The line, and a filled point for each of the two loads.
        assert drawn.count(f'stroke="{look.colour}"') == 1
        assert drawn.count(f'fill="{look.colour}"') == 2
