"""A campaign: the runs that some claims need, each an ordinary run in a folder of the campaign's.

The folder holds campaign.json, which is written before the first trial, and at the end claims.html
and claims.json. A campaign that was killed goes on where it was, as its runs do.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from serverlab.analysis.run_data import read_run
from serverlab.claims.beside import LEDGER_S, affordable
from serverlab.claims.budget import allot
from serverlab.claims.power import expected_reach
from serverlab.claims.reports.catalog import chosen_claims, excerpts_of
from serverlab.claims.site import Site, here
from serverlab.design.catalog import catalog
from serverlab.design.plan import with_another_block
from serverlab.documents import check_schema, decode
from serverlab.errors import LabError, UsageError, reason_of
from serverlab.files import check_name, write_whole
from serverlab.machine import doctor, machine
from serverlab.running import runner
from serverlab.running.checks import unsupported
from serverlab.running.host import HERE
from serverlab.running.lock import made_and_locked
from serverlab.running.store import RunFolder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from serverlab.claims.budget import Share
    from serverlab.claims.claim import Claim
    from serverlab.claims.excerpt import Excerpt
    from serverlab.claims.needs import Place
    from serverlab.running.host import Hosts
    from serverlab.running.runner import Progress

CAMPAIGN = "campaign.json"
COMMAND = "serverlab claims"
SCHEMA = 2  # of campaign.json and claims.json; 1 had one verdict a claim
FIRST_LOOK = 0.75  # of the budget; the rest is for what is undecided then
STARTING_S = 1.0  # of each run: a look at the machine


class Part(msgspec.Struct, frozen=True):
    """A run of a campaign: how much of an excerpt, and how long that takes."""

    name: str
    blocks: int
    window_s: float
    seconds: float
    reach: float | None = None  # of a ratio's interval to either side, expected; 0.02 is 2 %
    more: int = 0  # blocks of the second look at what was undecided


class Campaign(msgspec.Struct, frozen=True):
    """What was decided before the first trial."""

    schema: int
    claims: list[str]
    budget_s: float | None
    seed: int
    cpu: str
    server_cpus: int
    parts: list[Part]
    left_out: list[str]  # excerpts that the budget does not allow
    given: dict[str, str]  # folders of runs that were there before, by excerpt
    ledgers: list[str] = []  # beside verdicts, by name
    machines: int = 1
    generators: int = 0  # on hosts of their own; 0: one, beside the server

    @property
    def seconds(self) -> float:
        """How long all of it takes, about."""
        return sum(part.seconds for part in self.parts) + self.ledgers_s

    @property
    def ledgers_s(self) -> float:
        """How long its ledgers take, about."""
        return LEDGER_S * len(self.ledgers)

    @property
    def chosen(self) -> list[Claim]:
        """The claims that it is about."""
        return chosen_claims(self.claims)

    @property
    def excerpts(self) -> dict[str, Excerpt]:
        """What its claims need of this machine, by name."""
        return {one.name: one for one in excerpts_of(self.chosen, self.place)}

    @property
    def site(self) -> Site:
        """Where it runs."""
        return Site(
            cpu=self.cpu,
            server_cpus=self.server_cpus,
            machines=self.machines,
            generators=self.generators,
        )

    @property
    def place(self) -> Place:
        """What there is to test in."""
        return self.site.place


def plan_campaign(
    claims: Sequence[Claim],
    *,
    budget_s: float | None,
    seed: int,
    given: Sequence[Path],
    site: Site | None = None,
) -> Campaign:
    """Decide what is run, and how long: what the given runs do not hold already.

    `site` is this machine unless it is given.
    """
    site = site or here()
    excerpts = excerpts_of(claims, site.place)
    found = runs_by_excerpt(given, excerpts)
    missing = [one for one in excerpts if one.name not in found]
    cost = costs(seed, site.generators)
    ledgers = [] if given or site.generators else affordable(claims, budget_s)
    for_runs_s = None if budget_s is None else budget_s - LEDGER_S * len(ledgers)
    first_s = None if for_runs_s is None else FIRST_LOOK * for_runs_s
    allotted = allot(missing, deciding(claims), first_s, cost)
    if allotted.left_out:  # better all claims once than some of them twice
        allotted = allot(missing, deciding(claims), for_runs_s, cost)
    return Campaign(
        schema=SCHEMA,
        claims=[claim.id for claim in claims],
        budget_s=budget_s,
        seed=seed,
        cpu=site.cpu,
        server_cpus=site.server_cpus,
        parts=[part_of(share, seed, site.generators) for share in allotted.shares],
        left_out=[one.name for one in allotted.left_out],
        given={name: str(path.resolve()) for name, path in found.items()},
        ledgers=ledgers,
        machines=site.machines,
        generators=site.generators,
    )


def part_of(share: Share, seed: int, generators: int) -> Part:
    """What is run, as it stands on disk."""
    plan = share.excerpt.plan(
        catalog(), blocks=1, window_s=share.window_s, seed=seed, generators=generators
    )
    return Part(
        name=share.excerpt.name,
        blocks=share.blocks,
        window_s=share.window_s,
        seconds=share.seconds,
        reach=expected_reach(plan, share.blocks),
    )


def deciding(claims: Sequence[Claim]) -> Counter[str]:
    """How many claims each excerpt decides, by its name."""
    return Counter(name for claim in claims for name in {test.excerpt.name for test in claim.tests})


def costs(seed: int, generators: int = 0) -> Callable[[Excerpt, int, float], float]:
    """How long so much of an excerpt takes: its blocks take the same time each."""
    of_a_block: dict[tuple[str, float], float] = {}  # a budget asks for the same again and again

    def cost(excerpt: Excerpt, blocks: int, window_s: float) -> float:
        key = (excerpt.name, window_s)
        if key not in of_a_block:
            plan = excerpt.plan(
                catalog(), blocks=1, window_s=window_s, seed=seed, generators=generators
            )
            unsupported(plan, str(excerpt.path))  # a wrong setting is said before the first run
            of_a_block[key] = excerpt.seconds(plan)
        return STARTING_S + blocks * of_a_block[key]

    return cost


def runs_by_excerpt(given: Sequence[Path], excerpts: Sequence[Excerpt]) -> dict[str, Path]:
    """Which excerpts the given runs hold: those all of whose levels they have.

    Raises UsageError for a run that holds none, or that was measured elsewhere.
    """
    found: dict[str, Path] = {}
    for path in given:
        if not path.is_dir():
            raise UsageError(f"{path} is not a run: give the folder of a run")
        run = read_run(path)
        if run.environment.cpu != machine.cpu_model():
            raise UsageError(
                f"{path} is of another machine ({run.environment.cpu}): verdicts are of one"
            )
        held = [
            one
            for one in excerpts
            if run.experiment == one.path.read_text(encoding="utf-8")
            and has_levels(run.plan.factors, one)
        ]
        if not held:
            raise UsageError(f"{path} has no results that these claims read")
        found |= {one.name: path for one in held}
    return found


def has_levels(factors: dict[str, list[str | int | float]], excerpt: Excerpt) -> bool:
    """Whether a run was planned with all levels of an excerpt."""
    wanted = excerpt.experiment(catalog())
    levels: dict[str, list[str | int | float]] = {
        "engine": [*wanted.variants],
        **wanted.factors,
    }
    return all(set(own) <= set(factors.get(name, [])) for name, own in levels.items())


def create(folder: Path, campaign: Campaign) -> None:
    """Make the campaign's folder, and write down what was decided."""
    if os.path.lexists(folder / CAMPAIGN):
        raise UsageError(f"{folder} already holds a campaign: --resume {folder} continues it")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LabError(f"cannot write into {folder}: {reason_of(error)}") from error
    write(folder, campaign)


def write(folder: Path, campaign: Campaign) -> None:
    """Write down what was decided."""
    text = msgspec.json.format(msgspec.json.encode(campaign), indent=1) + b"\n"
    write_whole(folder / CAMPAIGN, text)


def read(folder: Path) -> Campaign:
    """What a campaign's folder says of itself."""
    path = folder / CAMPAIGN
    campaign = decode(path, Campaign, "campaign")
    check_schema(path, campaign.schema, SCHEMA)
    for part in campaign.parts:
        try:
            check_name("run", part.name)
        except UsageError as error:
            raise UsageError(f"{path}: {error}") from None
    return campaign


def resumable(folder: Path, site: Site | None = None) -> Campaign:
    """A campaign that can go on here, or on that site. Raises UsageError if it began elsewhere."""
    campaign = read(folder)
    if campaign.site != (site or here()):
        raise UsageError(
            f"{folder} was begun on another machine ({campaign.site.words}): its trials and ours "
            "would be of different things"
        )
    return campaign


def run_part(
    folder: Path,
    campaign: Campaign,
    part: Part,
    progress: Progress,
    places: Callable[[], Hosts] = lambda: HERE,
) -> list[str]:
    """Run what is left of a part, and return what failed of it, a sentence each."""
    path = folder / part.name
    with made_and_locked(path, COMMAND):
        if (path / "plan.json").exists():
            run = RunFolder(path)
            plan = run.plan()
            while plan.blocks < part.blocks + part.more:
                plan = with_another_block(plan)
                run.write("plan.json", plan)
            return runner.run(run, progress, COMMAND, places)
        excerpt = campaign.excerpts[part.name]
        run = RunFolder.create(
            path,
            experiment=excerpt.path.read_text(encoding="utf-8"),
            plan=excerpt.plan(
                catalog(),
                blocks=part.blocks,
                window_s=part.window_s,
                seed=campaign.seed,
                generators=campaign.generators,
            ),
            environment=doctor.environment(),
        )
        return runner.run(run, progress, COMMAND, places)
