"""Runs a campaign to its page, and tells a person at the terminal what comes, and what came."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from serverlab import console
from serverlab.claims.beside import file_of, found_beside, ledgers_of, measure_ledger
from serverlab.claims.campaign import COMMAND, run_part, write
from serverlab.claims.claim import Origin
from serverlab.claims.judge_campaign import evidence_of, judged
from serverlab.claims.power import too_fine
from serverlab.claims.second_look import undecided, with_second_look
from serverlab.claims.verdict import Arithmetic, CauseVerdict, Observation
from serverlab.console import counted
from serverlab.errors import INTERRUPTED
from serverlab.notation import difference, listed
from serverlab.quantities import readable_duration

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from serverlab.claims.beside import Beside
    from serverlab.claims.campaign import Campaign, Part
    from serverlab.claims.outcome import Outcome
    from serverlab.running.host import Hosts

STYLES: dict[str, str] = {
    Observation.REPRODUCED: console.GOOD,
    CauseVerdict.BORNE_OUT: console.GOOD,
    Observation.NOT_REPRODUCED: console.BAD,
    CauseVerdict.REFUTED: console.BAD,
    Observation.UNDECIDED: console.DOUBTFUL,
}


def campaign(folder: Path, planned: Campaign, places: Callable[[], Hosts]) -> int:
    """Run what is left, judge the claims, write the page; returns the exit status."""
    with console.quietened():
        announce(planned)
    began_s = time.monotonic()
    try:
        failures = run_parts(folder, planned, planned.parts, places)
        runs = evidence_of(folder, planned)
        found = judged(planned, runs)
        looked = with_second_look(planned, found, runs)
        if looked != planned:
            write(folder, looked)
            planned = looked
            parts = [part for part in planned.parts if part.more]
            announce_second_look(parts, undecided(found))
            failures += run_parts(folder, planned, parts, places)
            runs = evidence_of(folder, planned)
            found = judged(planned, runs)
        failures += measure_ledgers(folder, planned)
    except KeyboardInterrupt:
        console.complain(
            f"stopped: finished trials are kept; `serverlab claims --resume {folder}` goes on"
        )
        return INTERRUPTED
    for failure in failures:
        console.complain(failure)
    from serverlab.claims.page import write_page  # noqa: PLC0415 - what draws takes long to load

    ledgers = found_beside(folder, planned.chosen, planned.ledgers)
    page = write_page(folder, planned, found, runs, ledgers)
    conclude(found, time.monotonic() - began_s)
    tell_ledgers(ledgers)
    console.say(f"page: {page}")
    return 0


def run_parts(
    folder: Path, planned: Campaign, parts: Sequence[Part], places: Callable[[], Hosts]
) -> list[str]:
    """Run what is left of some parts; returns what failed, a sentence each."""
    failures: list[str] = []
    for number, part in enumerate(parts, start=1):
        left = readable_duration(sum(map(seconds_of, parts[number - 1 :])))
        with console.quietened():
            console.say(f"\nrun {number} of {len(parts)}, {part.name}; about {left} in all")
            failed = run_part(folder, planned, part, console.Progress(), places)
        failures += [f"{part.name}, {failure}" for failure in failed]
    return failures


def measure_ledgers(folder: Path, planned: Campaign) -> list[str]:
    """Measure the ledgers that there are not yet; returns what failed, a sentence each."""
    failures: list[str] = []
    for one in ledgers_of(planned.chosen, planned.ledgers):
        if file_of(folder, one.name).exists():
            continue
        ticker = console.Ticker()
        ticker.begin(f"  ledger of {' and '.join(one.servers)}")
        with ticker:
            failures.append(measure_ledger(folder, one, COMMAND, console.complain, ticker.event))
    return [failure for failure in failures if failure]


def tell_ledgers(ledgers: Mapping[str, Beside]) -> None:
    """What the ledgers beside verdicts say, each once."""
    ids: dict[str, list[str]] = {}
    for claim, beside in ledgers.items():
        ids.setdefault(beside.of.name, []).append(claim)
    for beside in {one.of.name: one for one in ledgers.values()}.values():
        console.sentence(f"{listed(ids[beside.of.name])}, the ledger: {beside.sentences[0]}")


def seconds_of(part: Part) -> float:
    """How long a part takes, or what it has more of takes, about."""
    return part.seconds * (part.more / part.blocks if part.more else 1)


def announce_second_look(parts: Sequence[Part], names: Mapping[str, Sequence[str]]) -> None:
    """What the rest of the budget is spent on."""
    told = "; ".join(f"{one.name}, {one.more} for {listed(names[one.name])}" for one in parts)
    with console.quietened():
        console.say(f"\nthe rest of the budget buys blocks for what is undecided: {told}")


def announce(planned: Campaign) -> None:
    """What will be run, how long it takes, and what there is no time for."""
    excerpts = planned.excerpts
    table = console.table_of("run", "experiment", "blocks", "window", "takes about", "tells apart")
    for part in planned.parts:
        table.add_row(
            part.name,
            excerpts[part.name].file,
            str(part.blocks),
            f"{part.window_s:g} s",
            readable_duration(part.seconds),
            "–" if part.reach is None else f"± {difference(1 + part.reach)}",
        )
    if planned.parts:
        console.show(table)
    budget = "" if planned.budget_s is None else f" of {readable_duration(planned.budget_s)}"
    told = [counted(len(planned.claims), "claims"), counted(len(planned.parts), "runs")]
    told += [counted(len(planned.ledgers), "ledgers")] if planned.ledgers else []
    console.say(f"{', '.join(told)}, about {readable_duration(planned.seconds)}{budget}")
    announce_power(planned)
    if planned.generators:
        console.say(f"the server has a host of its own, and {planned.generators} others load it")
    for name in planned.left_out:
        console.say(f"the budget is too small for {name}: {', '.join(readers(planned, name))}")


def announce_power(planned: Campaign) -> None:
    """Which tests ask for less than their runs are expected to tell apart."""
    reaches = {part.name: part.reach for part in planned.parts}
    fine = too_fine(planned.chosen, reaches, planned.place)
    if not fine:
        return
    told = ", ".join(f"{one.claim} ({difference(1 + one.border)})" for one in fine)
    console.say(f"undecided if the difference is near their borders: {told}")


def readers(planned: Campaign, name: str) -> list[str]:
    """The claims that read an excerpt."""
    return [
        claim.id
        for claim in planned.chosen
        if any(test.excerpt.name == name for test in claim.tests)
    ]


def conclude(found: Sequence[Outcome], seconds: float) -> None:
    """A line a claim, and how many there are of each observation, of those of the texts."""
    table = console.table_of("claim", "observation", "cause", "why")
    for outcome in found:
        verdicts = [
            console.styled(str(one), STYLES.get(one, ""))
            for one in (outcome.observation, outcome.cause)
        ]
        table.add_row(outcome.claim.id, *verdicts, outcome.sentence.replace("`", ""))
    console.show(table)
    counts = Counter(one.observation for one in found if one.claim.origin is Origin.TEXT)
    told = ", ".join(f"{counts[kind]} {kind}" for kind in Observation if counts[kind])
    contradicted = [one.claim.id for one in found if one.arithmetic is Arithmetic.CONTRADICTED]
    by_arithmetic = f"; contradicted by arithmetic: {', '.join(contradicted)}"
    console.say(
        f"observations: {told}{by_arithmetic if contradicted else ''}; "
        f"took {readable_duration(seconds)}"
    )
