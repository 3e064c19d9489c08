"""How the figures of a run came about, in words and settings, and on which machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from serverlab.report.notation import NARROW_SPACE, count, listed, number, readable
from serverlab.stats.paired import CONFIDENCE, RESAMPLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from serverlab.report.run_data import RunData, Trial

BLOCKS_SURE = 8  # of which the range holds the true median in 99 of 100 experiments


def method(run: RunData) -> list[str]:
    """A sentence for each thing that was done."""
    return [*design(run), *load(run), *figures(run), *judgement(run)]


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
            "In each block the servers of all engines run side by side, and one load goes from "
            "one to the next, slice by slice, in a balanced order. A slice begins when nothing is "
            "in flight; its first tenth is not measured; the servers' CPU clocks are read at its "
            "borders."
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
    yield (
        "A figure is the median over the blocks; the bar, and the small line of the table, are the "
        "lowest and the highest block. So is a percentile: that of the block in the middle. Of all "
        "requests together it comes from the blocks' merged histograms, behind the table. A "
        "percentile needs ten requests beyond it in each trial, and is left out where it falls "
        "among unanswered ones."
    )
    if run.plan.twin is not None:
        yield (
            f"`{run.plan.twin}` is the baseline `{run.plan.baseline}` once more, under another "
            "name: what differs between these two is the ruler's own error."
        )


def judgement(run: RunData) -> Iterator[str]:
    """Intervals and what is made of them."""
    blocks = len({trial.block for trial in run.plan.trials})
    if run.plan.design == "interleaved":
        yield (
            "Goodput and server CPU per request are compared by pairs of slices: the ratio is the "
            f"median over blocks of the block's median, with a {CONFIDENCE:.0%} bootstrap interval "
            f"({RESAMPLES} resamples of blocks, and of the slices within each). For a percentile a "
            "slice holds too few requests."
        )
    what = "Latencies" if run.plan.design == "interleaved" else "Engines"
    yield (
        f"{what} are compared by the ratio of their medians over paired blocks, with a "
        f"{CONFIDENCE:.0%} bootstrap interval ({RESAMPLES} resamples of whole blocks). Two are not "
        "distinguishable if the interval includes 1 or the difference lies within the noise floor; "
        "the leaders of a level are the engines that no other one beats. Intervals are for one "
        "pair each, not corrected for the number of pairs."
    )
    if 1 < blocks < BLOCKS_SURE and run.plan.design == "separate":
        yield (
            f"With {blocks} blocks the range of the blocks itself misses the true median in "
            f"{miss_share(blocks)} experiments, and resampling can do no better."
        )
    yield (
        "Only trials with the verdict VALID count. The others are drawn as crosses where their "
        "cell has no valid trial, and all are listed with their reason."
    )


def miss_share(blocks: int) -> str:
    """How often all blocks fall on one side of the median: 2 · 2⁻ⁿ."""
    return f"one of {2 ** (blocks - 1)}"


def common_settings(trials: Iterable[Trial], side: str) -> list[tuple[str, str]]:
    """Settings that all trials share; the others are factors, or belong to single engines."""
    all_settings: list[Mapping[str, Any]] = [getattr(trial, side) for trial in trials]
    if not all_settings:
        return []
    return [
        (name, str(value))
        for name, value in all_settings[0].items()
        if all(settings.get(name) == value for settings in all_settings)
    ]


def machine(environment: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The machine's facts as rows; nested ones by their own name."""
    rows: list[tuple[str, str]] = []
    for name, value in environment.items():
        if name in {"schema", "warnings"}:
            continue
        if isinstance(value, dict):
            rows.extend(machine(value))
        else:
            rows.append((label(name), fact(name, value)))
    return rows


def label(name: str) -> str:
    """A fact's name in words; a kernel parameter keeps its own."""
    return name if "." in name else name.removesuffix("_bytes").replace("_", " ")


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
