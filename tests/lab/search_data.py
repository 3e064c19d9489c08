"""What the tests of searches ask, where it does not matter."""

from __future__ import annotations

from serverlab.design.subject import Subject
from serverlab.search.goals import read_goal
from serverlab.search.search import Asked

ASKED = Asked(
    subject=Subject(
        service="echo", engine="poll", target=None, server_settings={}, load_settings={}
    ),
    goals=[read_goal("p99 <= 5ms")],
    duration="1s",
    precision=0.03,
    repeats=3,
    rate_max=None,
    curve=True,
    seed=1,
)
