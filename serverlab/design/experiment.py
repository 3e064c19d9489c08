"""An experiment file: one question, its factors and its design.

A list is a factor, a scalar is fixed. Keys of [server] and [load] are the settings that the
programs list. A table [engine.NAME] holds settings of one engine; with `is` it names a variant of
another engine. `contestant` names servers that are not ours, which are levels of the same factor.
`design = "interleaved"` is short for a table [design] with that `kind`.
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from serverlab.design.cluster_table import ClusterTable
from serverlab.design.contrast import ContrastTable, contrast_of, subjects, takes_turns
from serverlab.design.design_table import Design, DesignTable, design_of
from serverlab.design.exclude import exclusions_of
from serverlab.design.family import family
from serverlab.design.given_settings import (
    RESERVED_LOAD,
    RESERVED_SERVER,
    as_list,
    factors_of,
    fixed_of,
    settings_of,
)
from serverlab.design.kind import Setup, choice_of
from serverlab.design.known_keys import known
from serverlab.design.relative_rate import closed_loop_for
from serverlab.design.variants import contestants_of, kin_of_contestants, names_of, variants_of
from serverlab.errors import UsageError, reason_of
from serverlab.plain_text import plain
from serverlab.records import Contrast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from serverlab.design.catalog import Catalog
    from serverlab.design.variants import Variant
    from serverlab.quantities import Level
    from serverlab.records import Kin

TRIALS_LIMIT = 1_000_000  # weeks, whatever they are
BYTES_MAX = 2**20  # of an experiment file


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """What an experiment file says, checked against the catalogue."""

    name: str
    text: str
    question: str
    factors: dict[str, list[Level]]  # apart from the engine; [server] before [load]
    server: dict[str, str]  # fixed settings, without factors
    load: dict[str, str]
    variants: dict[str, Variant]  # engines and contestants, by the names they have in it
    design: Design = field(default_factory=Design)
    family: dict[str, Kin] = field(default_factory=dict)  # by the names of the variants
    contrast: Contrast = field(default_factory=Contrast)
    server_factors: frozenset[str] = frozenset()  # a factor may be both programs'
    load_factors: frozenset[str] = frozenset()
    # Where `model` is a factor: what a level of it does not use, and trials of it are not given.
    unused: dict[str, frozenset[str]] = field(default_factory=dict)
    cluster: ClusterTable = field(default_factory=ClusterTable)

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
        return parse_text(text, name=plain(path.stem), catalog=catalog, beside=path.parent)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None


def parse_text(text: str, *, name: str, catalog: Catalog, beside: Path = Path()) -> Experiment:
    """Make an experiment of the text of a file in the folder `beside`. Raises UsageError."""
    try:
        document = tomllib.loads(text)
    except RecursionError:
        raise UsageError("it is nested too deeply") from None
    except ValueError as error:  # TOMLDecodeError, a number without end
        raise UsageError(str(error)) from error
    return parse(document, name=name, text=text, catalog=catalog, beside=beside)


def parse(
    document: dict[str, Any], *, name: str, text: str, catalog: Catalog, beside: Path = Path()
) -> Experiment:
    """Make an experiment of a TOML document."""
    tables = ["server", "load", "contrast", "design", "engine", "contestant", "cluster"]
    known("the file", document, ["question", *tables])
    if isinstance(kind := document.get("design"), str):
        document = document | {"design": {"kind": kind}}
    for table in tables:
        if not isinstance(document.get(table, {}), dict):
            raise UsageError(f"{table} must be a table: [{table}]")
    question = document.get("question")
    if not isinstance(question, str) or not question.strip():
        raise UsageError('question is missing: question = "Which …?"')
    given = dict(document.get("server", {}))
    entrants = names_of("[server] contestant", given.pop("contestant", []))
    server = settings_of("server", given, catalog.server_settings, RESERVED_SERVER)
    load = settings_of("load", document.get("load", {}), catalog.load_settings, RESERVED_LOAD)
    load |= closed_loop_for(load)
    if "engine" not in server and not entrants:
        raise UsageError('[server] engine is missing: engine = ["threads", "epoll-level"]')
    # What both programs are to know, as the number of buckets, is one factor.
    for both in sorted(factors_of(server).keys() & factors_of(load).keys()):
        if server[both] != load[both]:
            raise UsageError(f"{both} is a factor of [server] and [load], with different levels")
    variants = variants_of(document.get("engine", {}), as_list(server.pop("engine", [])), catalog)
    variants |= contestants_of(document.get("contestant", {}), entrants, server, catalog, beside)
    factors = factors_of(server) | factors_of(load)
    contrast = contrast_of(contrast_table(document.get("contrast", {})), list(variants), factors)
    compared = subjects(contrast.between, factors) or list(variants)
    wanted = design_table(document.get("design", {}))
    design = design_of(wanted, list(variants), compared, contrast)
    turns = compared if takes_turns(contrast.between, server, load) else variants
    choice = choice_of(
        wanted.kind,
        Setup(
            servers=len(turns) + design.twin,
            engines=[variant.engine for variant in variants.values()],
            server=server,
            load=load,
            by=contrast.by,
            catalog=catalog,
        ),
    )
    refuse_too_many(factors, len(variants) + design.twin, design)
    exclude = exclusions_of(wanted.exclude, factors, contrast.between, load)
    design = replace(design, kind=choice.kind, reason=choice.reason, exclude=exclude)
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
            {name: one.engine for name, one in variants.items() if one.contestant is None},
            {name: variant.settings for name, variant in variants.items()},
            catalog.engines,
        )
        | kin_of_contestants(variants),
        server_factors=frozenset(factors_of(server)),
        load_factors=frozenset(factors_of(load)),
        unused=unused,
        cluster=cluster_table(document.get("cluster", {})),
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


def cluster_table(given: dict[str, Any]) -> ClusterTable:
    """The table [cluster], its keys and types checked."""
    known("[cluster]", given, ClusterTable.__struct_fields__)
    try:
        return msgspec.convert(given, ClusterTable)
    except (msgspec.ValidationError, UsageError) as error:
        raise UsageError(f"[cluster]: {error}") from None


def design_table(given: dict[str, Any]) -> DesignTable:
    """The table [design], its keys checked."""
    known("[design]", given, DesignTable.__struct_fields__)
    return DesignTable(**given)
