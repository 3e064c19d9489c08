"""The experiment that is explained: loads in slices, for one server or for two in turns."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from serverlab.design.experiment import parse_text
from serverlab.duel.file import file_text, given_tables, usual_warmup_s
from serverlab.errors import UsageError
from serverlab.notation import listed
from serverlab.quantities import budget_s, duration_s, readable_duration
from serverlab.slices import GROUP, GROUPS_SAMPLED, SLICE_S, TURNS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from serverlab.design.catalog import Catalog
    from serverlab.design.experiment import Experiment
    from serverlab.duel.entrants import Entrant

NAME = "explain"
KEPT = {"duration", "slice", "order", "seed"}  # of the load: they alternate with the probe
GROUPS_MIN = 5  # of slices: fewer make no interval
BORDER_S = 0.012  # between two slices, in which the probe may come or go
AROUND_S = 5  # what starts before the first slice, and the report


def experiment_of(
    entrants: Sequence[Entrant],
    settings: Mapping[str, str],
    catalog: Catalog,
    *,
    service: str,
    seconds: str,
    follows: bool = False,
) -> Experiment:
    """The experiment, laid out to take about so long; it is about requests if these are followed.

    Raises UsageError for an option that there is not, for several levels of a server or of more
    than one setting of the load, or for too short a time.
    """
    server, load = given_tables(settings, catalog, service=service, kept=KEPT)
    several = [name for name, levels in {**server, **load}.items() if len(levels) > 1]
    if wrong := [name for name in several if name in server] or several[1:]:
        raise UsageError(
            f"--{wrong[0]}: give one value; one setting of the load may have several, as in "
            "--connections='1 64'"
        )
    loads = max(map(len, load.values()))
    load.setdefault("model", ["closed"])
    load.setdefault("warmup", [f"{usual_warmup_s(entrants):g} s"])
    around_s = loads * (AROUND_S + len(entrants) * duration_s(load["warmup"][0]))
    group_s = loads * len(entrants) * GROUP * (SLICE_S + BORDER_S)
    groups = int((budget_s(seconds) - around_s) / group_s) - GROUPS_SAMPLED
    if groups < GROUPS_MIN:
        least = readable_duration((GROUPS_MIN + GROUPS_SAMPLED) * group_s + around_s + 1)
        raise UsageError(
            f"--for={seconds} is too short: {GROUPS_MIN} groups of slices take {least}"
        )
    load["duration"] = [f"{1000 * SLICE_S * GROUP * (groups + GROUPS_SAMPLED):.0f} ms"]
    names = [one.name for one in entrants]
    if len(names) > 1:
        load |= {key: [value] for key, value in TURNS.items()}
    question = (
        f"Where do the slowest {service} requests to {listed(names)} wait?"
        if follows
        else f"Where does the CPU time of {names[0]} go as it serves {service}?"
        if len(names) == 1
        else f"Why do {listed(names)} differ in CPU time as they serve {service}?"
    )
    kind = '"separate"' if len(names) == 1 else '"interleaved"'
    design = {"kind": kind, "blocks": "1", "twin": "false"}
    text = file_text(
        question, entrants, service, server, load,
        {"design": {**design, "baseline": json.dumps(names[0])}},
    )  # fmt: skip
    return parse_text(text, name=NAME, catalog=catalog)
