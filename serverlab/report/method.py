"""How the figures of a run came about, in words and settings, and on which machine."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

import msgspec

from serverlab.analysis.cells import OTHER_WORK_MAX
from serverlab.notation import NARROW_SPACE, count, listed, number, readable
from serverlab.stats.order import CONFIDENCE
from serverlab.stats.paired import ALARM
from serverlab.stats.shift import ROUNDS_APART_MAX

RUNS_MAX = 1000  # a rarer miss is none

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from serverlab.analysis.run_data import RunData
    from serverlab.environment import Environment
    from serverlab.hosts_of_run import HostsOfRun
    from serverlab.records import Trial


def method(run: RunData) -> list[str]:
    """A sentence for each thing that was done."""
    return [
        *design(run),
        *confinement(run.trials),
        *hosts_of(run),
        *load(run),
        *figures(run),
        *judgement(run),
    ]


def design(run: RunData) -> Iterator[str]:
    """Cells, blocks, order."""
    blocks = len({trial.block for trial in run.plan.trials})
    factors = [
        f"{name} ({len(levels)} levels)"
        for name, levels in run.plan.factors.items()
        if len(levels) > 1
    ]
    varied = f"Factors: {listed(factors)}. " if factors else ""
    yield (
        f"{varied}{count(len(run.plan.trials))} trials in {blocks} "
        f"block{'s' if blocks > 1 else ''}; each cell runs once per block, in a random order "
        f"(seed {run.plan.seed}), "
        "each time with a fresh server process."
    )
    if run.plan.design == "interleaved":
        yield (
            "In each block the servers that are compared run side by side, and one load goes from "
            "one to the next, slice by slice, in a balanced order. A slice begins when nothing is "
            "in flight; its first tenth is not measured; the servers' CPU clocks are read at its "
            "borders."
        )
    elif run.plan.design_reason:
        yield f"Servers ran one after the other, because {run.plan.design_reason}."


def confinement(trials: Iterable[Trial]) -> Iterator[str]:
    """Whether the engines' system calls passed a filter, if that is the same of all."""
    found = {one.server_settings.get("confine") for one in trials if one.contestant is None}
    if found == {"off"}:
        yield (
            "The engines ran without the filter of system calls that a server has otherwise "
            "(confine = false): it costs an engine for each call, and a contestant nothing."
        )
    elif found == {"on"}:
        yield (
            "Each system call of the engines passed a filter (confine = true), and those of "
            "contestants passed none."
        )


def hosts_of(run: RunData) -> Iterator[str]:
    """Where the load of a run came from, if not from the server's host."""
    return hosts(run.plan.generators, run.trials, run.hosts)


def hosts(generators: int, trials: Iterable[Trial], found: HostsOfRun | None) -> Iterator[str]:
    """Where the load of trials came from, if from `generators` on hosts of their own."""
    if not generators:
        return
    beginnings = [
        [one.began_ns for one in trial.generators if one.began_ns is not None] for trial in trials
    ]
    spreads_ns = [max(began) - min(began) for began in beginnings if began]
    together = (
        f" The generators began within {readable(statistics.median(spreads_ns), 'time')} of each "
        f"other (the median over the trials; at most {readable(max(spreads_ns), 'time')})."
        if spreads_ns
        else ""
    )
    yield (
        f"The server had a host of its own, and {generators} generators on others shared the "
        f"load. The server's CPU time was read on its host.{together}"
    )
    if found is not None:
        yield (
            f"The network between the hosts carries "
            f"{count(round(8e-6 * found.wire_bytes_per_s))} Mbit/s "
            "in each direction, as an echo of large messages found before the first trial."
        )
    if found is not None and found.kept_apart is not None:
        yield (
            "The cluster's own processes on the server's host were kept to its CPU "
            f"{found.kept_apart}, and the server to the others."
        )


def load(run: RunData) -> Iterator[str]:
    """The load's model and its times."""
    loads = [trial.load for trial in run.trials if trial.load is not None]
    if not loads:
        return
    services = sorted({trial.service for trial in run.trials})
    models = sorted({one.load.model for one in loads})
    depths = [str(depth) for depth in sorted({one.load.depth for one in loads})]
    windows = ends([one.window.duration_s for one in loads])
    warmups = ends([one.window.warmup_s for one in loads])
    yield (
        f"Service: {listed(services)}. Load model: {listed(models)}, {listed(depths)} in flight on "
        f"each connection. The window is {windows} long, after a warm-up of {warmups}."
    )


def ends(durations_s: list[float]) -> str:
    """One duration, or the shortest and the longest."""
    low, high = (f"{end:.3g}{NARROW_SPACE}s" for end in (min(durations_s), max(durations_s)))
    return low if low == high else f"{low} to {high}"


def figures(run: RunData) -> Iterator[str]:
    """What a point, a bar and a percentile are."""
    blocks = len({trial.block for trial in run.plan.trials})
    runs = 2 ** (blocks - 1)
    held = f", which miss the true median in one of {runs} runs" if 1 < runs <= RUNS_MAX else ""
    yield (
        "A figure is the median over the blocks; the bar, and the small line of the table, are the "
        f"lowest and the highest block{held}. So is a percentile: that of the block in the middle. "
        "Of all requests together it comes from the blocks' merged histograms, behind the table. "
        "A percentile needs ten requests beyond it in each trial, and is left out where it falls "
        "among unanswered ones. Its interval there is by order alone, and takes requests to be "
        "independent of each other: it says how much the number of requests leaves open, not what "
        "differs between blocks."
    )
    if run.plan.twin is not None:
        yield (
            f"`{run.plan.twin}` is the baseline `{run.plan.baseline}` once more, under another "
            "name: any difference between these two is the error of the measurement itself. "
            "Others are compared with the mean of both."
        )


def judgement(run: RunData) -> Iterator[str]:
    """Intervals and what is made of them."""
    yield (
        "Subjects are compared by their ratio within each block; the figure is the geometric mean "
        f"of the blocks' ratios, with Student's {CONFIDENCE:.0%} interval of their logarithms. "
        "Where three or more share a level, what all pairs show of the noise adds degrees "
        "of freedom; an interval is never made narrower than the pair's own deviation makes it."
    )
    if run.plan.design == "interleaved":
        yield (
            "Of goodput and server CPU per request, a block's ratio is the median over all pairs "
            f"of slices that are at most {ROUNDS_APART_MAX} round apart; of a single block it is "
            "that of neighbouring slices, with its interval by order. All slices count for server "
            f"CPU. {of_goodput(run)} A latency is of all requests that a server had in a block."
        )
    yield (
        "An interval is for one pair alone. The verdicts are for all pairs of a level together "
        f"(Holm): in at most {ALARM:.0%} of levels of equal subjects is any pair called different. "
        "So an interval may exclude 1 and the two still be not distinguishable; so they are, too, "
        "if they differ by no more than the A/A pair. The leaders of a level are the subjects "
        "whose estimates lie above that of every beaten one; one below that none beats is "
        "called undecided."
    )
    yield (
        "Trials with the verdict VALID count, but for the latencies of those in which other work "
        f"took more than {OTHER_WORK_MAX:g} CPUs, as it decides how long the slowest requests "
        "take. Of servers that took turns, trials whose generator was late count for server CPU, "
        "and for latencies, which then differ only if they also do from the actual send on. The "
        "others are drawn as crosses where their cell has no valid trial, and all are listed with "
        "their reason."
    )


def of_goodput(run: RunData) -> str:
    """Which slices count for goodput, a sentence: that depends on what the machine tells."""
    known = [
        row.other_cpus_busy is not None
        for trial in run.trials
        if trial.load is not None and trial.load.load.model == "closed"
        for row in trial.load.slices
    ]
    if known and all(known):
        return (
            "So they do for goodput of closed loops, each without what other work took of it, by "
            "the straight line that the slices of each block show; of other loads a slice does "
            "not count that other work disturbed."
        )
    return (
        "For goodput a slice does not count in which the generator was late; this machine does "
        "not tell what other work took of a slice."
    )


def common_settings(trials: Iterable[Trial], side: str) -> list[tuple[str, str]]:
    """Settings that all trials share; the others are factors, or belong to single engines."""
    all_settings: list[dict[str, str]] = [getattr(trial, side) for trial in trials]
    if not all_settings:
        return []
    return [
        (name, value)
        for name, value in all_settings[0].items()
        if all(settings.get(name) == value for settings in all_settings)
    ]


def machine(environment: Environment) -> list[tuple[str, str]]:
    """The machine's facts as rows; kernel parameters by their own name."""
    rows: list[tuple[str, str]] = []
    for name, value in msgspec.structs.asdict(environment).items():
        if name == "sysctls":
            rows.extend((own, fact(own, setting)) for own, setting in environment.sysctls.items())
        elif name not in {"schema", "warnings"}:
            rows.append((label(name), fact(name, value)))
    return rows


def label(name: str) -> str:
    """A fact's name in words."""
    return name.removesuffix("_bytes").replace("_", " ")


def fact(name: str, value: object) -> str:
    """One fact, as one reads it."""
    match value:
        case None:
            return "unknown"
        case bool():
            return "yes" if value else "no"
        case int() | float() if name.endswith("_bytes"):
            return readable(value, "memory")
        case float():
            return number(value)
        case int():
            return count(value)
    return str(value)
