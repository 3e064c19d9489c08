"""Runs a campaign to its page, and tells a person at the terminal what comes, and what came."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from serverlab import console
from serverlab.claims.campaign import run_part
from serverlab.claims.judge_campaign import judged
from serverlab.claims.page import write_page
from serverlab.claims.verdict import Verdict
from serverlab.errors import INTERRUPTED
from serverlab.quantities import readable_duration

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from serverlab.claims.campaign import Campaign
    from serverlab.claims.outcome import Outcome

STYLES = {
    Verdict.REPRODUCED: console.GOOD,
    Verdict.CONTRADICTED: console.BAD,
    Verdict.UNDECIDED: console.DOUBTFUL,
    Verdict.NOT_TESTABLE: "",
}


def campaign(folder: Path, planned: Campaign) -> int:
    """Run what is left, judge the claims, write the page; returns the exit status."""
    with console.quietened():
        announce(planned)
    failures: list[str] = []
    began_s = time.monotonic()
    for number, part in enumerate(planned.parts, start=1):
        left = readable_duration(sum(one.seconds for one in planned.parts[number - 1 :]))
        try:
            with console.quietened():
                console.say(
                    f"\nrun {number} of {len(planned.parts)}, {part.name}; about {left} in all"
                )
                failed = run_part(folder, planned, part, console.Progress())
        except KeyboardInterrupt:
            console.complain(
                f"stopped: finished trials are kept; `serverlab claims --resume {folder}` goes on"
            )
            return INTERRUPTED
        failures += [f"{part.name}, {failure}" for failure in failed]
    for failure in failures:
        console.complain(failure)
    found = judged(folder, planned)
    page = write_page(folder, planned, found)
    conclude(found, time.monotonic() - began_s)
    console.say(f"page: {page}")
    return 0


def announce(planned: Campaign) -> None:
    """What will be run, how long it takes, and what there is no time for."""
    excerpts = planned.excerpts
    table = console.table_of("run", "experiment", "blocks", "window", "takes about")
    for part in planned.parts:
        table.add_row(
            part.name,
            excerpts[part.name].file,
            str(part.blocks),
            f"{part.window_s:g} s",
            readable_duration(part.seconds),
        )
    if planned.parts:
        console.show(table)
    budget = "" if planned.budget_s is None else f" of {readable_duration(planned.budget_s)}"
    console.say(
        f"{len(planned.claims)} claims, {len(planned.parts)} runs, "
        f"about {readable_duration(planned.seconds)}{budget}"
    )
    for name in planned.left_out:
        console.say(f"the budget is too small for {name}: {', '.join(readers(planned, name))}")


def readers(planned: Campaign, name: str) -> list[str]:
    """The claims that read an excerpt."""
    return [
        claim.id
        for claim in planned.chosen
        if any(test.excerpt is not None and test.excerpt.name == name for test in claim.all_tests)
    ]


def conclude(found: Sequence[Outcome], seconds: float) -> None:
    """A line a claim, and how many there are of each verdict."""
    table = console.table_of("claim", "verdict", "why")
    for outcome in found:
        verdict = console.styled(str(outcome.verdict), STYLES[outcome.verdict])
        table.add_row(outcome.claim.id, verdict, outcome.sentence.replace("`", ""))
    console.show(table)
    counts = Counter(outcome.verdict for outcome in found)
    told = ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict])
    console.say(f"{told}; took {readable_duration(seconds)}")
