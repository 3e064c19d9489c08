"""The experiment of a duel: slices in turns, in a closed loop and then in an open one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from serverlab.design.experiment import parse_text
from serverlab.design.from_options import toml, words
from serverlab.design.given_settings import RESERVED_LOAD, RESERVED_SERVER
from serverlab.design.plan import OVERHEAD_OF_TURNS_S
from serverlab.design.subject import owners, without
from serverlab.design.variants import OF_CONTESTANTS
from serverlab.errors import UsageError
from serverlab.notation import listed
from serverlab.quantities import budget_s, duration_s, readable_duration

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from serverlab.design.catalog import Catalog
    from serverlab.design.experiment import Experiment
    from serverlab.duel.entrants import Entrant

NAME = "duel"
KEPT = {"model", "duration", "slice", "order", "seed"}  # of the load: what makes it a duel
USUAL = {"connections": "64", "payload": "64 B"}
RATE = "50%"
PAYLOAD_OF = "echo"  # the service whose requests have one
WINDOW_S, SLICE = 0.5, "50ms"  # of each server, load model and block
WARMUP_S, WARMUP_OF_OTHERS_S = 0.1, 0.5  # what a runtime compiles as it runs takes longer
BLOCKS_MIN, BLOCKS_MAX = 4, 100
AROUND_S = 4  # what starts before the first slice, and the report


def experiment_of(
    entrants: Sequence[Entrant],
    settings: Mapping[str, str],
    catalog: Catalog,
    *,
    service: str,
    seconds: str,
) -> Experiment:
    """The experiment of a duel that takes about so long.

    Raises UsageError for an option that there is not, or too short a time.
    """
    server, load = given_tables(settings, catalog, service=service, kept=KEPT)
    load = {"rate": [RATE]} | load
    load.setdefault("warmup", [f"{usual_warmup_s(entrants):g} s"])
    levels = 1
    for values in (*load.values(), *server.values()):
        levels *= len(values)
    blocks = blocks_in(seconds, levels, len(entrants) + 1, duration_s(load["warmup"][0]))
    load |= {"model": ["closed", "open"], "duration": [f"{1000 * WINDOW_S:.0f} ms"]}
    load |= {"slice": [SLICE]}
    names = [one.name for one in entrants]
    others = {
        "contrast": {"by": json.dumps(["server-cpu-per-request", "goodput", "latency-p99"])},
        "design": {
            "kind": '"interleaved"', "blocks": str(blocks), "baseline": json.dumps(names[0])
        },
    }  # fmt: skip
    question = f"How do {listed(names)} differ as they serve {service}?"
    text = file_text(question, entrants, service, server, load, others)
    return parse_text(text, name=NAME, catalog=catalog)


def given_tables(
    settings: Mapping[str, str], catalog: Catalog, *, service: str, kept: AbstractSet[str]
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """The tables [server] and [load] that options make, which may not give those that are `kept`.

    Raises UsageError for an option that there is not.
    """
    tables: dict[str, dict[str, list[str]]] = {"server": {}, "load": {}}
    known = {
        "server": without(catalog.server_settings, RESERVED_SERVER | {"engine", "service"}),
        "load": without(catalog.load_settings, RESERVED_LOAD | kept),
    }
    for name, value in settings.items():
        for side, setting in owners(name, known):
            tables[side][setting.name] = words(value)
    usual = {key: [value] for key, value in USUAL.items()}
    if service != PAYLOAD_OF:
        del usual["payload"]
    return tables["server"], usual | tables["load"]


def usual_warmup_s(entrants: Sequence[Entrant]) -> float:
    """How long each server is warmed up, unless that is said."""
    return WARMUP_S if all(one.engine for one in entrants) else WARMUP_OF_OTHERS_S


def blocks_in(seconds: str, levels: int, servers: int, warmup_s: float) -> int:
    """How many blocks take so long. Raises UsageError if they are too few to say anything."""
    block_s = 2 * levels * servers * (WINDOW_S + warmup_s + OVERHEAD_OF_TURNS_S)
    blocks = int((budget_s(seconds) - AROUND_S) / block_s)
    if blocks < BLOCKS_MIN:
        least = readable_duration(BLOCKS_MIN * block_s + AROUND_S + 1)
        raise UsageError(f"--for={seconds} is too short: {BLOCKS_MIN} blocks take {least}")
    return min(blocks, BLOCKS_MAX)


def file_text(
    question: str,
    entrants: Sequence[Entrant],
    service: str,
    server: Mapping[str, list[str]],
    load: Mapping[str, list[str]],
    others: Mapping[str, Mapping[str, str]],
) -> str:
    """The whole file. What of [server] only engines have stands in their tables.

    The `others` are more tables, such as [design], with their values as TOML has them.
    """
    engines = [one.name for one in entrants if one.engine]
    foreign = [one.name for one in entrants if not one.engine]
    own = {key: levels for key, levels in server.items() if foreign and key not in OF_CONTESTANTS}
    shared = {key: toml(levels) for key, levels in server.items() if key not in own}
    rows = {"engine": engines, "contestant": foreign}
    lists = {key: json.dumps(values) for key, values in rows.items() if values}
    parts = [
        f"question = {json.dumps(question)}",
        table("server", {**lists, "service": json.dumps(service), **shared}),
        table("load", {key: toml(levels) for key, levels in load.items()}),
        *(table(name, given) for name, given in others.items()),
    ]
    for one in entrants:
        about = {key: json.dumps(value) for key, value in one.table.items()}
        if one.engine:
            about |= {key: toml(levels) for key, levels in own.items() if key not in about}
            about |= {} if one.name == one.engine else {"is": json.dumps(one.engine)}
        if about:
            kind = "engine" if one.engine else "contestant"
            parts.append(table(f"{kind}.{json.dumps(one.name)}", about))
    return "\n\n".join(parts) + "\n"


def table(name: str, rows: Mapping[str, str]) -> str:
    """A table of TOML, its values written already."""
    return "\n".join([f"[{name}]", *(f"{key} = {value}" for key, value in rows.items())])
