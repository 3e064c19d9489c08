"""An experiment file: one question, its factors and its design.

A list is a factor, a scalar is fixed. Keys of [server] and [load] are the settings that the
programs list. A table [engine.NAME] holds settings of one engine; with `is` it names a variant of
another engine. `design = "interleaved"` is short for a table [design] with that `kind`.
"""

from __future__ import annotations

import difflib
import tomllib
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from serverlab.errors import UsageError
from serverlab.design.family import Kin, family

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from serverlab.design.catalog import Catalog, Setting

Level = str | int | float

# Set by the laboratory for each trial.
RESERVED_SERVER = {"listen"}
RESERVED_LOAD = {"target", "server-pid", "service"} | {
    "json", "hlog", "hgrm", "wrk2", "fortio", "benchstat", "connection-log"
}  # fmt: skip

KINDS = ["separate", "interleaved"]
# Of the load, where servers take turns.
OF_SLICES = {"slice", "order"}

BLOCKS = 5  # where an experiment does not say
BLOCKS_MAX = 30  # the same, where a precision is wanted
BLOCKS_LIMIT = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """An engine under a name of its own, with settings of its own."""

    name: str
    engine: str
    settings: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """How often, against what, and whether one server after the other or in turns."""

    kind: str = KINDS[0]
    connection_log: bool = False  # keep a row for each connection of each trial
    blocks: int = BLOCKS
    precision: float | None = None  # of the headline intervals: half their width, as a share
    blocks_max: int = 0  # where a precision is wanted
    baseline: str = ""  # empty: the first engine
    twin: bool = True  # an A/A pair: the baseline once more, under another name
    seed: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """What an experiment file says, checked against the catalogue."""

    name: str
    text: str
    question: str
    factors: dict[str, list[Level]]  # apart from the engine; [server] before [load]
    server: dict[str, str]  # fixed settings, without factors
    load: dict[str, str]
    variants: dict[str, Variant]  # each engine of the experiment, by the name it has in it
    design: Design = field(default_factory=Design)
    family: dict[str, Kin] = field(default_factory=dict)  # by the names of the variants
    server_factors: frozenset[str] = frozenset()  # a factor may be both programs'
    load_factors: frozenset[str] = frozenset()


def read_experiment(path: Path, catalog: Catalog) -> Experiment:
    """Read and check an experiment file; what is wrong is said with the file and the key."""
    try:
        text = path.read_text(encoding="utf-8")
        document = tomllib.loads(text)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}") from error
    try:
        return parse(document, name=path.stem, text=text, catalog=catalog)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None


def parse(document: dict[str, Any], *, name: str, text: str, catalog: Catalog) -> Experiment:
    """Make an experiment of a TOML document."""
    known("the file", document, ["question", "server", "load", "design", "engine"])
    if isinstance(kind := document.get("design"), str):
        document = document | {"design": {"kind": kind}}
    for table in ("server", "load", "design", "engine"):
        if not isinstance(document.get(table, {}), dict):
            raise UsageError(f"{table} is to be a table: [{table}]")
    question = document.get("question")
    if not isinstance(question, str) or not question.strip():
        raise UsageError('question is missing: question = "Which …?"')
    server = settings_of(
        "server", document.get("server", {}), catalog.server_settings, RESERVED_SERVER
    )
    load = settings_of("load", document.get("load", {}), catalog.load_settings, RESERVED_LOAD)
    if "engine" not in server:
        raise UsageError('[server] engine is missing: engine = ["threads", "epoll-level"]')
    # What both programs are to know, as the number of buckets, is one factor.
    for both in sorted(factors_of(server).keys() & factors_of(load).keys()):
        if server[both] != load[both]:
            raise UsageError(f"{both} is a factor of [server] and [load], with different levels")
    variants = variants_of(document.get("engine", {}), as_list(server.pop("engine")), catalog)
    design = design_of(document.get("design", {}), list(variants))
    if design.kind == "separate" and (of_slices := sorted(OF_SLICES & load.keys())):
        raise UsageError(f'[load] {of_slices[0]} belongs to [design] kind = "interleaved"')
    return Experiment(
        name=name,
        text=text,
        question=question.strip(),
        factors=factors_of(server) | factors_of(load),
        server=fixed_of(server),
        load=fixed_of(load),
        variants=variants,
        design=design,
        family=family(
            {name: variant.engine for name, variant in variants.items()},
            {name: variant.settings for name, variant in variants.items()},
            catalog.engines,
        ),
        server_factors=frozenset(factors_of(server)),
        load_factors=frozenset(factors_of(load)),
    )


def known(where: str, given: Iterable[str], allowed: Iterable[str]) -> None:
    """Refuse an unknown key, naming its neighbours."""
    names = sorted(allowed)
    for key in given:
        if key in names:
            continue
        near = difflib.get_close_matches(key, names, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(names)}"
        raise UsageError(f"{where} has no key '{key}'; {hint}")


def settings_of(
    table: str, given: dict[str, Any], settings: Mapping[str, Setting], reserved: set[str]
) -> dict[str, list[Level] | Level]:
    """The table's keys with their levels, each checked as far as its setting says."""
    known(f"[{table}]", given, settings.keys() - reserved)
    return {
        key: [level(table, settings[key], one) for one in value]
        if isinstance(value, list)
        else level(table, settings[key], value)
        for key, value in given.items()
    }


def level(table: str, setting: Setting, value: object) -> Level:
    """One value of a setting, as the report shows it."""
    if isinstance(value, bool):
        value = "on" if value else "off"
    if not isinstance(value, str | int | float):
        raise UsageError(f"[{table}] {setting.name}: {value!r} is neither a text nor a number")
    if setting.choices and str(value) not in setting.choices:
        allowed = ", ".join(setting.choices)
        raise UsageError(f"[{table}] {setting.name}: {value!r} is not one of {allowed}")
    return value


def factors_of(settings: Mapping[str, list[Level] | Level]) -> dict[str, list[Level]]:
    """The settings that are lists."""
    factors = {key: value for key, value in settings.items() if isinstance(value, list)}
    for key, levels in factors.items():
        if not levels:
            raise UsageError(f"{key} is an empty list")
        if len(set(map(str, levels))) < len(levels):
            raise UsageError(f"{key} names a level twice")
    return factors


def fixed_of(settings: Mapping[str, list[Level] | Level]) -> dict[str, str]:
    """The settings that are scalars, as text."""
    return {key: str(value) for key, value in settings.items() if not isinstance(value, list)}


def as_list(value: list[Level] | Level) -> list[str]:
    """The level or levels of a setting, as text."""
    return [str(one) for one in value] if isinstance(value, list) else [str(value)]


def variants_of(tables: dict[str, Any], engines: list[str], catalog: Catalog) -> dict[str, Variant]:
    """Each name in the list of engines: an engine, or a variant with a table of its own."""
    known("[engine]", tables, engines)
    variants = {}
    for name in engines:
        table = dict(tables.get(name, {}))
        engine = str(table.pop("is", name))
        if engine not in catalog.engines:
            near = difflib.get_close_matches(engine, catalog.engines, n=3, cutoff=0.4)
            hint = (
                f"did you mean {' or '.join(near)}?"
                if near
                else "`serverlab list engines` names them"
            )
            raise UsageError(f"there is no engine '{engine}'; {hint}")
        own = settings_of(
            f"engine.{name}", table, catalog.server_settings, RESERVED_SERVER | {"engine"}
        )
        if factors_of(own):
            raise UsageError(
                f"[engine.{name}] may not hold lists: they would be factors of one engine only"
            )
        variants[name] = Variant(name=name, engine=engine, settings=fixed_of(own))
    return variants


def design_of(given: dict[str, Any], engines: list[str]) -> Design:
    """The design table, with its defaults."""
    known("[design]", given, [one.name for one in fields(Design)])
    kind = given.get("kind", KINDS[0])
    if kind not in KINDS:
        raise UsageError(f"[design] kind: {kind!r} is not one of {', '.join(KINDS)}")
    blocks = block_count("blocks", given.get("blocks", BLOCKS))
    precision, blocks_max = precision_of(given, blocks, engines)
    baseline = given.get("baseline", engines[0])
    if baseline not in engines:
        raise UsageError(
            f"[design] baseline: '{baseline}' is none of the engines {', '.join(engines)}"
        )
    twin = given.get("twin", len(engines) > 1)
    if not isinstance(twin, bool):
        raise UsageError(f"[design] twin: {twin!r} is neither true nor false")
    connection_log = given.get("connection_log", False)
    if not isinstance(connection_log, bool):
        raise UsageError(f"[design] connection_log: {connection_log!r} is neither true nor false")
    seed = given.get("seed")
    if seed is not None and not isinstance(seed, int):
        raise UsageError(f"[design] seed: {seed!r} is not a whole number")
    if kind == "interleaved" and len(engines) + twin < 2:
        raise UsageError("[design] kind: one engine without a twin has nobody to take turns with")
    return Design(
        kind=kind,
        connection_log=connection_log,
        blocks=blocks,
        precision=precision,
        blocks_max=blocks_max,
        baseline=baseline,
        twin=twin,
        seed=seed,
    )


def precision_of(
    given: dict[str, Any], blocks: int, engines: list[str]
) -> tuple[float | None, int]:
    """How narrow the headline intervals are to be, and how many blocks that may take."""
    precision = given.get("precision")
    if precision is None:
        if "blocks_max" in given:
            raise UsageError("[design] blocks_max belongs to a precision: precision = 0.03")
        return None, 0
    if not isinstance(precision, float) or not 0 < precision < 1:
        raise UsageError(f"[design] precision: {precision!r} is not a share such as 0.03")
    if len(engines) < 2:
        raise UsageError("[design] precision: one engine has no ratio to a baseline")
    blocks_max = block_count("blocks_max", given.get("blocks_max", max(BLOCKS_MAX, blocks)))
    if blocks_max < blocks:
        raise UsageError(f"[design] blocks_max: {blocks_max} is less than the {blocks} blocks")
    return precision, blocks_max


def block_count(key: str, value: object) -> int:
    """A number of blocks that an experiment names."""
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= BLOCKS_LIMIT:
        raise UsageError(
            f"[design] {key}: {value!r} is not a whole number from 1 to {BLOCKS_LIMIT}"
        )
    return value
