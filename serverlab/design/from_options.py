"""An experiment file from options: `serverlab run --engine="poll threads" --connections="1 64"`.

Each option is a key of the file. A value of several words is a factor with so many levels; a unit
belongs to the number before it. The file is kept with the run, to go on from.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from serverlab.design.experiment import parse_text
from serverlab.design.given_settings import RESERVED_LOAD, RESERVED_SERVER
from serverlab.design.kind import INTERLEAVED, ends_when_done
from serverlab.design.plan import make_plan, overhead_s
from serverlab.design.subject import owners, without
from serverlab.errors import UsageError
from serverlab.notation import listed
from serverlab.quantities import duration_s, quoted, readable_duration

if TYPE_CHECKING:
    from collections.abc import Mapping

    from serverlab.design.catalog import Catalog
    from serverlab.design.experiment import Experiment

NAME = "experiment"  # of the run's folder, behind the time
SERVICE = "echo"
BLOCKS = 3
COUNTED = {"connections", "threads"}
WARMUP_S, SLICE_S = 0.3, 0.1
WINDOW_MIN_S = 0.2  # of all slices of a server: shorter ones say nothing
UNIT = re.compile(r"[A-Za-z%]+")
NUMBER = re.compile(r"\d+(\.\d+)?")


def experiment_of(  # noqa: PLR0913 - what the command line says, one by one
    settings: Mapping[str, str],
    catalog: Catalog,
    *,
    engine: str,
    contestant: str = "",
    service: str,
    by: str,
    seconds: str,
) -> Experiment:
    """The experiment that these options ask for, laid out to take about so long.

    Raises UsageError for an option that there is not, or a time in which nothing can be measured.
    """
    given = (("engine", engine), ("contestant", contestant))
    tables: dict[str, dict[str, list[str]]] = {
        "server": {
            **{key: words(text) for key, text in given if text},
            "service": [service],
        },
        "load": {},
    }
    known = {
        "server": without(catalog.server_settings, RESERVED_SERVER | {"engine", "service"}),
        "load": without(catalog.load_settings, RESERVED_LOAD | {"duration", "slice", "order"}),
    }
    for name, value in settings.items():
        for side, setting in owners(name, known):
            tables[side][setting.name] = words(value)
    if not ends_when_done(tables["load"]):
        tables["load"].setdefault("warmup", [f"{WARMUP_S:g} s"])
    tables["contrast"] = {"by": words(by)} if by else {}

    def laid_out(window_s: float, *, in_slices: bool) -> Experiment:
        text = file_text(tables, window_s, in_slices=in_slices)
        return parse_text(text, name=NAME, catalog=catalog)

    experiment = laid_out(WINDOW_MIN_S, in_slices=False)
    in_slices = experiment.design.kind == INTERLEAVED
    trials = make_plan(experiment, seed=0).trials
    load = trials[0].load_settings
    other_s = duration_s(load["warmup"]) + overhead_s(load)
    window_s = duration_s(seconds) / len(trials) - other_s
    if window_s < WINDOW_MIN_S:
        least = readable_duration(len(trials) * (WINDOW_MIN_S + other_s) + 1)
        raise UsageError(
            f"--for={seconds} is too short for {len(trials)} trials, which take {least} at least"
        )
    return laid_out(window_s, in_slices=in_slices)


def words(text: str) -> list[str]:
    """The levels that a value names: "16 64 KiB" is 16 and 64 KiB."""
    levels: list[str] = []
    for word in text.split():
        if levels and UNIT.fullmatch(word) and NUMBER.fullmatch(levels[-1]):
            levels[-1] = f"{levels[-1]} {word}"
        else:
            levels.append(word)
    if not levels:
        raise UsageError(f"{quoted(text)} names no value")
    return levels


def file_text(
    tables: Mapping[str, Mapping[str, list[str]]], window_s: float, *, in_slices: bool
) -> str:
    """The whole file."""
    load = {**tables["load"], "duration": [f"{1000 * window_s:.0f} ms"]}
    if in_slices:
        load["slice"] = [f"{1000 * SLICE_S:.0f} ms"]
    design = {"blocks": [str(BLOCKS)]}
    parts = [f"question = {json.dumps(question(tables))}"]
    for name, table in {**tables, "load": load, "design": design}.items():
        rows = [f"{key} = {toml(levels)}" for key, levels in table.items()]
        if rows:
            parts.append("\n".join([f"[{name}]", *rows]))
    return "\n\n".join(parts) + "\n"


def question(tables: Mapping[str, Mapping[str, list[str]]]) -> str:
    """What such an experiment asks."""
    server = tables["server"]
    engines, [service] = server.get("engine", []) + server.get("contestant", []), server["service"]
    factors = [
        f"{listed(levels)} {name}" if name in COUNTED else f"{name} {listed(levels)}"
        for name, levels in {**tables["server"], **tables["load"]}.items()
        if name not in {"engine", "contestant", "service", "warmup"}
    ]
    where = f" with {', '.join(factors)}" if factors else ""
    if len(engines) == 1:
        return f"How does {engines[0]} serve {service}{where}?"
    return f"Which of {listed(engines)} serves {service} best{where}?"


def toml(levels: list[str]) -> str:
    """One value, or a list of them."""
    texts = [level if re.fullmatch(r"\d{1,18}", level) else json.dumps(level) for level in levels]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
