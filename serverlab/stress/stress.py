"""Raises connections until something gives: a fresh server and a fresh load for each number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from serverlab.design.catalog import catalog
from serverlab.documents import check_trials, decode_lines
from serverlab.running.host import HERE
from serverlab.running.network import with_network
from serverlab.running.runner import refuse_unmeasurable_build
from serverlab.running.study import ASKED
from serverlab.stress.run_step import Attempt, take
from serverlab.stress.steps import Asked, Step, next_connections, pace_per_s

if TYPE_CHECKING:
    from collections.abc import Callable

    from serverlab.running.events import Event
    from serverlab.running.host import Hosts
    from serverlab.running.study import Study


class Display(Protocol):
    """What shows a stress as it goes."""

    def begin(self, connections: int) -> None:
        """A step begins."""

    def event(self, event: Event) -> None:
        """The load of the step says something."""

    def end(self, step: Step) -> None:
        """A step has ended."""


def run(study: Study, display: Display, places: Callable[[], Hosts] = lambda: HERE) -> None:
    """Run the steps that are missing, each on disk before the next begins.

    `places` is asked before each step for the hosts that it is to have.
    """
    refuse_unmeasurable_build()
    study.mend()
    asked = study.asked(Asked, "stress")
    asked.subject.check(study.path / ASKED, catalog())
    steps = steps_of(study)
    while (connections := next_connections(asked.connections_max, steps)) is not None:
        display.begin(connections)
        hosts = with_network(places(), study)
        pace = pace_per_s(float(asked.subject.load_settings.get("connect-rate", 0)), steps)
        attempt = Attempt(number=len(steps) + 1, connections=connections, connect_rate_per_s=pace)
        step = take(asked, attempt, study.logs, display.event, hosts)
        study.append(step)
        steps.append(step)
        display.end(step)


def steps_of(study: Study) -> list[Step]:
    """The steps that are on disk."""
    steps = decode_lines(study.trials, Step)
    check_trials(study.trials, (step.trial for step in steps))
    return steps
