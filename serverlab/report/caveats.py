"""What limits the answer as a whole, a sentence each."""

from __future__ import annotations

import datetime
import math
from typing import TYPE_CHECKING

from serverlab.analysis.pairs import compare, has_figure
from serverlab.analysis.stages import stages_of
from serverlab.analysis.standings import CRITERIA
from serverlab.notation import difference, listed
from serverlab.quantities import readable_duration, share_of
from serverlab.report.aim import aim
from serverlab.report.sentences import shortened
from serverlab.report.shortfall import shortfall
from serverlab.verdicts import NOT_RUN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from serverlab.analysis.axes import Axes
    from serverlab.analysis.cells import Cell
    from serverlab.analysis.results import Results
    from serverlab.analysis.standings import Criterion, Standing
    from serverlab.analysis.subjects import Subjects
    from serverlab.analysis.view import View
    from serverlab.hosts_of_run import HostsOfRun
    from serverlab.records import Plan, Trial

TOO_WIDE = 0.2  # half of an interval, as a share: differences of a fifth stay hidden
DAY_S = 24 * 3600.0
BLOCKS_MIN = 3  # from where an interval is no longer ten times as wide as the blocks' own range


def caveats(shown: Results) -> Iterator[str]:
    """Everything a reader must know before believing the answer."""
    plan, axes, cells = shown.run.plan, shown.axes, shown.cells
    yield from completeness(cells)
    yield from repeats(shown.run.trials)
    yield from blocks(plan)
    yield from imprecision(plan, shown.compared)
    yield from undecided(shown)
    yield from lateness(shown)
    yield from load_model(plan, cells)
    yield from waking(axes, cells)
    yield from noise(axes.subjects, cells)
    yield from shared_machine(shown.run.hosts)
    for warning in shown.run.environment.warnings:
        yield f"Before the run: {warning}."


def completeness(cells: Sequence[Cell]) -> Iterator[str]:
    """Trials that are missing or do not count."""
    done = sum(len(cell.trials) for cell in cells)
    planned = sum(cell.planned for cell in cells)
    if missing := planned - done:
        verb = "has" if missing == 1 else "have"
        yield f"{missing} of {planned} planned trials {verb} not been run."
    others = [trial for cell in cells for trial in cell.trials if not trial.is_valid]
    unsupported = sum(trial.verdict.name in NOT_RUN for trial in others)
    if unsupported:
        verb = "is" if unsupported == 1 else "are"
        yield f"{unsupported} of {done} trials {verb} unsupported on this machine: see below."
    if invalid := len(others) - unsupported:
        verb, whose, them = ("was", "its", "it") if invalid == 1 else ("were", "their", "them")
        late = any(trial.is_late_in_slices for trial in others)
        figure = f"at most {whose} server CPU" if late else "no figure"
        yield (
            f"{invalid} of {done} trials {verb} not valid, and {figure} is taken from {them}: "
            "see below."
        )


def shared_machine(hosts: HostsOfRun | None) -> Iterator[str]:
    """Hosts that are none of their own."""
    if hosts is not None and hosts.share_a_machine:
        yield (
            "Server and generators ran on hosts inside one machine, and shared its CPUs: the "
            "figures say what such a network does, not what the machine can do."
        )


def repeats(trials: Sequence[Trial]) -> Iterator[str]:
    """Trials that count for nothing, because others were run in their place."""
    repeated = {trial.repeats for trial in trials}
    noisy = [trial for trial in trials if trial.is_noisy and trial.trial in repeated]
    if noisy:
        named = shortened([f"{trial.trial}: {trial.verdict.reason}" for trial in noisy])
        times = "one trial was" if len(noisy) == 1 else f"{len(noisy)} trials were"
        yield f"Because of other work {times} run once more ({'; '.join(named)})."


def blocks(plan: Plan) -> Iterator[str]:
    """Too few blocks for an interval."""
    count = len({trial.block for trial in plan.trials})
    if count == 1 and plan.design == "interleaved":
        yield (
            "There is only one block: the intervals cover the noise from slice to slice, not what "
            "differs from one start of a server to the next."
        )
    elif plan.design == "interleaved" and count < BLOCKS_MIN:
        yield (
            f"With {count} blocks little is known of what differs from one start of a server to "
            "the next."
        )
    elif count == 1:
        yield "There is only one block. It gives no interval, so no difference can be established."
    elif count < BLOCKS_MIN:
        yield (
            f"With {count} blocks the intervals are very wide: {count} values are too few to "
            "estimate the variation between blocks."
        )


def imprecision(plan: Plan, compared: View) -> Iterator[str]:
    """The headline intervals that are wider than the design asks."""
    wide = shortfall(plan, compared)
    if wide:
        count = len({trial.block for trial in plan.trials})
        time = plan.time_max_s
        most = f"in {readable_duration(time)}" if time else f"of {plan.blocks_max}"
        yield (
            f"Each ratio to the baseline was to be known to {aim(plan)}; "
            f"after {count} block{'s' if count > 1 else ''} ({most} at most) these "
            f"are not: {'; '.join(shortened(wide))}."
        )


def undecided(shown: Results) -> Iterator[str]:
    """What is known too badly to be decided, and how much longer it would take."""
    widest: dict[str, float] = {}
    for criterion, found in spoken_of(shown):
        for half_width in half_widths(found):
            widest[criterion.noun] = max(widest.get(criterion.noun, 0), half_width)
    for noun, half_width in widest.items():
        if not TOO_WIDE < half_width < math.inf:
            continue
        more_s = elapsed_s(shown.run.trials) * ((half_width / TOO_WIDE) ** 2 - 1)
        takes = f"needs about {readable_duration(more_s)} more" if more_s < DAY_S else (
            "is out of reach by more blocks"
        )  # fmt: skip
        yield (
            f"What is not distinguishable in {noun} is known to {'±' if half_width < 1 else ''}"
            f"{difference(1 + half_width)} at worst: ±{difference(1 + TOO_WIDE)} {takes}."
        )


def lateness(shown: Results) -> Iterator[str]:
    """Latencies that differ, and may do so by what the generator was late."""
    subjects: dict[str, list[str]] = {}
    for criterion, found in spoken_of(shown):
        for (subject, other), ratio in found.ratios.items():
            to_baseline = found.baseline is not None and other == found.baseline.subject
            if to_baseline and ratio.is_by_one_reading:
                subjects.setdefault(criterion.noun, []).append(f"`{subject}`")
    for noun, names in subjects.items():
        verb = "differs" if len(set(names)) == 1 else "differ"
        yield (
            f"In {noun} {listed(list(dict.fromkeys(names)))} {verb} from the baseline as seen from "
            "the intended instant, and not from the actual send: the generator was late, and "
            "nothing is concluded."
        )


def spoken_of(shown: Results) -> Iterator[tuple[Criterion, Standing]]:
    """How the subjects stand by each criterion that the answer speaks of, at each place."""
    for panel in range(len(shown.compared.axes.panels)):
        for one in stages_of(shown.run.plan, shown.compared, panel):
            for criterion in one.spoken_of:
                yield criterion, one.standings[criterion.measure.name]


def half_widths(found: Standing) -> Iterator[float]:
    """Of the ratios to the baseline that are not distinguishable from 1."""
    base = found.baseline
    for cell in (*found.leaders, *found.others):
        ratio = None if base is None or cell is base else found.ratio(cell, base)
        if base is None or ratio is None or found.beats(cell, base) or found.beats(base, cell):
            continue
        yield ratio.half_width


def elapsed_s(trials: Sequence[Trial]) -> float:
    """From the begin of the first trial to the end of the last one's window."""
    began = [
        datetime.datetime.fromisoformat(trial.started_at) for trial in trials if trial.started_at
    ]
    return (max(began) - min(began)).total_seconds() if began else 0.0


def load_model(plan: Plan, cells: Sequence[Cell]) -> Iterator[str]:
    """What the load models allow to be concluded."""
    models = {load.load.model for cell in cells for load in cell.loads}
    rates = {trial.load_settings.get("rate", "") for trial in plan.trials}
    share = next((rate for rate in rates if share_of(rate) is not None), "")
    if "closed" in models and len(models) > 1:
        at = f", at {share} of what the slowest server answers in the closed one" if share else ""
        yield f"Goodput and costs are those of a closed loop. Latencies are of an open loop{at}."
    elif "closed" in models:
        yield (
            "The load is a closed loop: its goodput is peak throughput, and its latency is no "
            "verdict on latency, since at saturation it is just connections ÷ goodput."
        )


def waking(axes: Axes, cells: Sequence[Cell]) -> Iterator[str]:
    """A single connection leaves both CPUs asleep between requests."""
    shapes = [load.load for cell in cells for load in cell.loads]
    if any(shape.connections == 1 and shape.depth == 1 for shape in shapes):
        where = "At" if axes.factor == "connections" else "With"
        yield (
            f"{where} 1 connection the result is mostly the cost of waking a sleeping CPU, not of "
            "the engine."
        )


def noise(subjects: Subjects, cells: Sequence[Cell]) -> Iterator[str]:
    """What the ruler makes of two equal things."""
    if subjects.twin is None:
        yield "There is no A/A pair in this run, so the error of the measurement is not known."
        return
    pairs = [
        (twin, base)
        for twin in cells
        for base in cells
        if (twin.subject, base.subject) == (subjects.twin, subjects.baseline)
        and (twin.level, twin.panel) == (base.level, base.panel)
    ]
    floors = [text for criterion in CRITERIA if (text := worst_floor(pairs, criterion))]
    if floors:
        yield (
            f"`{subjects.twin}` is `{subjects.baseline}` under another name. Where they are "
            f"farthest apart, they differ by {listed(floors)}; what differs by no more at the same "
            "level is called not distinguishable."
        )


def worst_floor(pairs: Sequence[tuple[Cell, Cell]], criterion: Criterion) -> str:
    """The largest noise floor of all levels, in words."""
    measure = criterion.measure
    found = [
        ratio
        for twin, base in pairs
        if has_figure(twin, measure) and has_figure(base, measure)
        and (ratio := compare(twin, base, measure)) is not None and ratio.pairs > 1
    ]  # fmt: skip
    if not found:
        return ""
    return f"{difference(max(ratio.distance for ratio in found))} in {criterion.noun}"
