"""An experiment file: one question, its factors and its design.

A list is a factor, a scalar is fixed. Keys of [server] and [load] are the settings that the
programs list. A table [engine.NAME] holds settings of one engine; with `is` it names a variant of
another engine. `design = "interleaved"` is short for a table [design] with that `kind`.
"""

from __future__ import annotations

import difflib
import math
import tomllib
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import msgspec

from serverlab.design.contrast import ContrastTable, contrast_of, subjects, takes_turns
from serverlab.design.family import family
from serverlab.design.kind import SEPARATE, Setup, choice_of
from serverlab.design.outputs import refuse_outputs
from serverlab.design.relative_rate import closed_loop_for
from serverlab.errors import UsageError, reason_of
from serverlab.plain_text import HIDDEN, plain
from serverlab.quantities import Level, duration_s, quoted
from serverlab.records import CLASS, Contrast

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from serverlab.design.catalog import Catalog, Setting
    from serverlab.records import Kin


# Set by the laboratory for each trial.
RESERVED_SERVER = {"listen"}
RESERVED_LOAD = {"target", "server-pid", "service"}

BLOCKS = 5  # where an experiment does not say
AT_ONCE = "0 s"
BLOCKS_MAX = 30  # the same, where a precision is wanted
BLOCKS_LIMIT = 1000
TRIALS_LIMIT = 1_000_000  # weeks, whatever they are
BYTES_MAX = 2**20  # of an experiment file
NUMBER_MAX = 2**63  # beyond it neither JSON nor the programs know an integer


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """An engine under a name of its own, with settings of its own."""

    name: str
    engine: str
    settings: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """How often, against what, and whether one server after the other or in turns."""

    kind: str = SEPARATE
    reason: str = ""  # why servers do not take turns, where the laboratory has chosen
    connection_log: bool = False  # keep a row for each connection of each trial
    stop_after: str = AT_ONCE  # how long a server stays when its load has ended
    blocks: int = BLOCKS
    precision: float | None = None  # of the headline intervals: half their width, as a share
    blocks_max: int = 0  # where a precision is wanted
    baseline: str = ""  # empty: the first engine
    twin: bool = True  # an A/A pair: the baseline once more, under another name
    seed: int | None = None


DESIGN_KEYS = {one.name for one in fields(Design)} - {"reason"}


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
    contrast: Contrast = field(default_factory=Contrast)
    server_factors: frozenset[str] = frozenset()  # a factor may be both programs'
    load_factors: frozenset[str] = frozenset()
    # Where `model` is a factor: what a level of it does not use, and trials of it are not given.
    unused: dict[str, frozenset[str]] = field(default_factory=dict)

    @property
    def own_settings(self) -> dict[str, dict[str, str]]:
        """What the tables of single engines say, by the names of these."""
        return {name: variant.settings for name, variant in self.variants.items()}


def read_experiment(path: Path, catalog: Catalog) -> Experiment:
    """Read and check an experiment file; what is wrong is said with the file and the key."""
    try:
        with path.open("rb") as file:
            content = file.read(BYTES_MAX + 1)
        if len(content) > BYTES_MAX:
            raise UsageError(f"{path}: an experiment file has at most {BYTES_MAX} bytes")
        text = content.decode()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {reason_of(error)}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: {error}") from error
    try:
        return parse_text(text, name=plain(path.stem), catalog=catalog)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None


def parse_text(text: str, *, name: str, catalog: Catalog) -> Experiment:
    """Make an experiment of the text of a file. Raises UsageError."""
    try:
        document = tomllib.loads(text)
    except RecursionError:
        raise UsageError("it is nested too deeply") from None
    except ValueError as error:  # TOMLDecodeError, a number without end
        raise UsageError(str(error)) from error
    return parse(document, name=name, text=text, catalog=catalog)


def parse(document: dict[str, Any], *, name: str, text: str, catalog: Catalog) -> Experiment:
    """Make an experiment of a TOML document."""
    known("the file", document, ["question", "server", "load", "contrast", "design", "engine"])
    if isinstance(kind := document.get("design"), str):
        document = document | {"design": {"kind": kind}}
    for table in ("server", "load", "contrast", "design", "engine"):
        if not isinstance(document.get(table, {}), dict):
            raise UsageError(f"{table} must be a table: [{table}]")
    question = document.get("question")
    if not isinstance(question, str) or not question.strip():
        raise UsageError('question is missing: question = "Which …?"')
    server = settings_of(
        "server", document.get("server", {}), catalog.server_settings, RESERVED_SERVER
    )
    load = settings_of("load", document.get("load", {}), catalog.load_settings, RESERVED_LOAD)
    load |= closed_loop_for(load)
    if "engine" not in server:
        raise UsageError('[server] engine is missing: engine = ["threads", "epoll-level"]')
    # What both programs are to know, as the number of buckets, is one factor.
    for both in sorted(factors_of(server).keys() & factors_of(load).keys()):
        if server[both] != load[both]:
            raise UsageError(f"{both} is a factor of [server] and [load], with different levels")
    variants = variants_of(document.get("engine", {}), as_list(server.pop("engine")), catalog)
    factors = factors_of(server) | factors_of(load)
    contrast = contrast_of(contrast_table(document.get("contrast", {})), list(variants), factors)
    compared = subjects(contrast.between, factors) or list(variants)
    design = design_of(document.get("design", {}), list(variants), compared, contrast)
    turns = compared if takes_turns(contrast.between, server, load) else variants
    choice = choice_of(
        document.get("design", {}).get("kind"),
        Setup(
            servers=len(turns) + design.twin,
            engines=[variant.engine for variant in variants.values()],
            server=server,
            load=load,
            by=contrast.by,
            catalog=catalog,
        ),
    )
    design = replace(design, kind=choice.kind, reason=choice.reason)
    refuse_too_many(factors, len(variants) + design.twin, design)
    unused = unused_by_model(load, catalog)
    return Experiment(
        name=name,
        text=text,
        question=question.strip(),
        factors=factors,
        server=fixed_of(server),
        load=fixed_of(load),
        variants=variants,
        design=design,
        contrast=contrast,
        family=family(
            {name: variant.engine for name, variant in variants.items()},
            {name: variant.settings for name, variant in variants.items()},
            catalog.engines,
        ),
        server_factors=frozenset(factors_of(server)),
        load_factors=frozenset(factors_of(load)),
        unused=unused,
    )


def unused_by_model(
    load: Mapping[str, list[Level] | Level], catalog: Catalog
) -> dict[str, frozenset[str]]:
    """Of each level of the factor `model`, the settings of [load] that only its others use.

    A setting that none of them uses is refused; so is a factor that one of them does not use, as
    that one's cells would be the same but for their names.
    """
    models = factors_of(load).get("model")
    if models is None:
        return {}
    unused = {str(model): catalog.unused(str(model), load) for model in models}
    for setting in sorted(frozenset.intersection(*unused.values())):
        raise UsageError(f"[load] {setting} is used by none of the models {', '.join(unused)}")
    for model, settings in unused.items():
        for setting in sorted(settings & factors_of(load).keys()):
            raise UsageError(f"[load] {setting} is a factor, and model {model} does not use it")
    return unused


def refuse_too_many(factors: Mapping[str, list[Level]], engines: int, design: Design) -> None:
    """Raise UsageError for more trials than one can wait for."""
    cells = math.prod(len(levels) for levels in factors.values()) * engines
    trials = cells * max(design.blocks, design.blocks_max)
    if trials > TRIALS_LIMIT:
        raise UsageError(f"these factors make {trials:,} trials; at most {TRIALS_LIMIT:,} are run")


def contrast_table(given: dict[str, Any]) -> ContrastTable:
    """The table [contrast], its types checked."""
    known("[contrast]", given, ContrastTable.__struct_fields__)
    try:
        return msgspec.convert(given, ContrastTable)
    except msgspec.ValidationError as error:
        raise UsageError(f"[contrast]: {error}") from None


def known(where: str, given: Iterable[str], allowed: Iterable[str]) -> None:
    """Refuse an unknown key, naming its neighbours."""
    names = sorted(allowed)
    for key in given:
        if key in names:
            continue
        near = difflib.get_close_matches(key, names, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(names)}"
        raise UsageError(f"{where} has no key {quoted(key)}; {hint}")


def settings_of(
    table: str, given: dict[str, Any], settings: Mapping[str, Setting], reserved: set[str]
) -> dict[str, list[Level] | Level]:
    """The table's keys with their levels, each checked as far as its setting says."""
    refuse_outputs(
        f"[{table}] ", given, settings, "; [design] connection_log = true keeps one for each trial"
    )
    known(f"[{table}]", given, settings.keys() - reserved)
    return {
        key: [level(f"[{table}] {key}", settings[key], one) for one in value]
        if isinstance(value, list)
        else level(f"[{table}] {key}", settings[key], value)
        for key, value in given.items()
    }


def level(where: str, setting: Setting, value: object) -> Level:
    """One value of a setting, as the report shows it; `where` it stands is for messages."""
    if isinstance(value, bool):
        value = "on" if value else "off"
    if not isinstance(value, str | int | float):
        raise UsageError(f"{where}: {quoted(value)} is neither a text nor a number")
    if isinstance(value, float) and not math.isfinite(value):
        raise UsageError(f"{where}: {value} is no value of a setting")
    if isinstance(value, int) and not -NUMBER_MAX <= value < NUMBER_MAX:
        raise UsageError(f"{where}: {quoted(value)} is too large a number")
    if isinstance(value, str) and HIDDEN.search(value):
        raise UsageError(f"{where}: {quoted(value)} holds a character that cannot be seen")
    if setting.choices and str(value) not in setting.choices:
        near = difflib.get_close_matches(str(value), setting.choices, n=1, cutoff=0.5)
        hint = f"; did you mean {near[0]}?" if near else ""
        allowed = ", ".join(setting.choices)
        raise UsageError(f"{where}: {quoted(value)} is not one of {allowed}{hint}")
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
        if not isinstance(tables.get(name, {}), dict):
            raise UsageError(f"[engine] {name} must be a table: [engine.{name}]")
        table = dict(tables.get(name, {}))
        engine = table.pop("is", name)
        if not isinstance(engine, str):
            raise UsageError(f"[engine.{name}] is: {quoted(engine)} is not the name of an engine")
        if engine not in catalog.engines:
            near = difflib.get_close_matches(engine, catalog.engines, n=3, cutoff=0.4)
            hint = (
                f"did you mean {' or '.join(near)}?"
                if near
                else "`serverlab list engines` names them"
            )
            raise UsageError(f"there is no engine {quoted(engine)}; {hint}")
        own = settings_of(
            f"engine.{name}", table, catalog.server_settings, RESERVED_SERVER | {"engine"}
        )
        if factors_of(own):
            raise UsageError(
                f"[engine.{name}] may not hold lists: they would be factors of one engine only"
            )
        variants[name] = Variant(name=name, engine=engine, settings=fixed_of(own))
    return variants


def design_of(
    given: dict[str, Any], engines: list[str], subjects: list[str], contrast: Contrast
) -> Design:
    """The design table, with its defaults; `subjects` are what is compared."""
    known("[design]", given, DESIGN_KEYS)
    blocks = block_count("blocks", given.get("blocks", BLOCKS))
    precision, blocks_max = precision_of(given, blocks, subjects)
    baseline = given.get("baseline", engines[0])
    if baseline not in engines:
        raise UsageError(
            f"[design] baseline: {quoted(baseline)} is none of the engines {', '.join(engines)}"
        )
    twin = given.get("twin", len(subjects) > 1 and contrast.between != [CLASS])
    if not isinstance(twin, bool):
        raise UsageError(f"[design] twin: {quoted(twin)} is neither true nor false")
    connection_log = given.get("connection_log", False)
    if not isinstance(connection_log, bool):
        raise UsageError(
            f"[design] connection_log: {quoted(connection_log)} is neither true nor false"
        )
    stop_after = str(given.get("stop_after", AT_ONCE))
    try:
        duration_s(stop_after)
    except UsageError as error:
        raise UsageError(f"[design] stop_after: {error}") from None
    seed = given.get("seed")
    if seed is not None and not is_seed(seed):
        raise UsageError(f"[design] seed: {quoted(seed)} is not a whole number from 0 to 2^63 - 1")
    return Design(
        connection_log=connection_log,
        stop_after=stop_after,
        blocks=blocks,
        precision=precision,
        blocks_max=blocks_max,
        baseline=baseline,
        twin=twin,
        seed=seed,
    )


def is_seed(value: object) -> bool:
    """Whether an order of trials can be drawn from it, and written down."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < NUMBER_MAX


def precision_of(
    given: dict[str, Any], blocks: int, subjects: list[str]
) -> tuple[float | None, int]:
    """How narrow the headline intervals are to be, and how many blocks that may take."""
    precision = given.get("precision")
    if precision is None:
        if "blocks_max" in given:
            raise UsageError("[design] blocks_max needs a precision, such as precision = 0.03")
        return None, 0
    if not isinstance(precision, float) or not 0 < precision < 1:
        raise UsageError(f"[design] precision: {quoted(precision)} is not a share such as 0.03")
    if len(subjects) < 2:
        raise UsageError("[design] precision: one subject has no ratio to a baseline")
    blocks_max = block_count("blocks_max", given.get("blocks_max", max(BLOCKS_MAX, blocks)))
    if blocks_max < blocks:
        raise UsageError(f"[design] blocks_max: {blocks_max} is less than the {blocks} blocks")
    return precision, blocks_max


def block_count(key: str, value: object) -> int:
    """A number of blocks that an experiment names."""
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= BLOCKS_LIMIT:
        raise UsageError(
            f"[design] {key}: {quoted(value)} is not a whole number from 1 to {BLOCKS_LIMIT}"
        )
    return value
