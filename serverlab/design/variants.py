"""What the factor `engine` of an experiment names: engines, variants of them, and contestants."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from serverlab.contestants.reading import contestant_of, named
from serverlab.design.given_settings import (
    RESERVED_SERVER,
    factors_of,
    fixed_of,
    settings_of,
)
from serverlab.design.known_keys import known
from serverlab.errors import UsageError
from serverlab.quantities import quoted
from serverlab.records import Kin

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from serverlab.contestant import Contestant
    from serverlab.design.catalog import Catalog
    from serverlab.quantities import TomlTable

# What a contestant can be given from outside; `service` says what it is to speak.
OF_CONTESTANTS = ("congestion", "cpus", "threads")


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """An engine under a name of its own, with settings of its own; or a contestant."""

    name: str
    engine: str
    settings: dict[str, str]
    contestant: Contestant | None = None


def variants_of(tables: TomlTable, engines: list[str], catalog: Catalog) -> dict[str, Variant]:
    """Each name in the list of engines: an engine, or a variant with a table of its own."""
    known("[engine]", tables, engines)
    variants = {}
    for name in engines:
        given = tables.get(name, {})
        if not isinstance(given, dict):
            raise UsageError(f"[engine] {name} must be a table: [engine.{name}]")
        table = dict(given)
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


def contestants_of(
    tables: TomlTable,
    names: list[str],
    server: Iterable[str],
    catalog: Catalog,
    beside: Path,
) -> dict[str, Variant]:
    """Each name in the list of contestants; its table says what it is, or sets something for it.

    Paths are taken from the folder `beside`; `server` are the settings of the table [server].
    """
    known("[contestant]", tables, names)
    if names and (foreign := sorted(set(server) - {*OF_CONTESTANTS, "service"})):
        raise UsageError(
            f"[server] {foreign[0]} is a setting of engines, and contestants do not have it: put "
            "it into a table of each engine, such as [engine.threads]"
        )
    found: dict[str, Variant] = {}
    for name in names:
        where = f"[contestant.{name}]"
        table = tables.get(name, {})
        if not isinstance(table, dict):
            raise UsageError(f"[contestant] {name} must be a table: {where}")
        own = {key: table[key] for key in OF_CONTESTANTS if key in table}
        settings = settings_of(where.strip("[]"), own, catalog.server_settings, RESERVED_SERVER)
        if factors_of(settings):
            raise UsageError(
                f"{where} may not hold lists: they would be factors of one contestant only"
            )
        about = {key: value for key, value in table.items() if key not in own}
        try:
            contestant = contestant_named(name, about, catalog, beside)
        except UsageError as error:
            raise UsageError(f"{where if about else '[server] contestant'}: {error}") from None
        expect_own_name(contestant.name, catalog, found)
        found[contestant.name] = Variant(
            name=contestant.name,
            engine=contestant.name,
            settings=fixed_of(settings),
            contestant=contestant,
        )
    return found


def contestant_named(name: str, about: TomlTable, catalog: Catalog, beside: Path) -> Contestant:
    """A contestant that has a file, or is described by its table in the experiment."""
    if not about:
        return named(name, catalog.services, beside)
    if "file" not in about:
        return contestant_of(name, about, catalog.services, beside.resolve())
    known("a table with a file", about, ["file", *OF_CONTESTANTS])
    if not isinstance(about["file"], str):
        raise UsageError(f"file: {quoted(about['file'])} is no path")
    return msgspec.structs.replace(named(about["file"], catalog.services, beside), name=name)


def expect_own_name(name: str, catalog: Catalog, others: Mapping[str, Variant]) -> None:
    """Refuse a contestant whose name is an engine's, or another one's."""
    if name in catalog.engines or name in others:
        whose = "an engine's" if name in catalog.engines else "another contestant's"
        raise UsageError(
            f"the contestant's name {quoted(name)} is {whose}: give it another one by a table, "
            f'[contestant.mine] file = "…"'
        )


def kin_of_contestants(variants: Mapping[str, Variant]) -> dict[str, Kin]:
    """The engine of the experiment that each contestant says to be the most like."""
    return {
        name: Kin(one.contestant.neighbour, difference_of(one.contestant))
        for name, one in variants.items()
        if one.contestant is not None and one.contestant.neighbour in variants
    }


def difference_of(contestant: Contestant) -> str:
    """In what a contestant differs from an engine: it is another program."""
    made_with = [contestant.language, contestant.runtime, contestant.framework]
    return f"another program: {', '.join(filter(None, made_with)) or contestant.name}"


def names_of(where: str, given: object) -> list[str]:
    """The name, or the names, that a key has. Raises UsageError."""
    names = []
    for name in given if isinstance(given, list) else [given]:
        if not isinstance(name, str) or not name.strip():
            raise UsageError(f"{where}: {quoted(name)} is no name")
        if name in names:
            raise UsageError(f"{where} names {quoted(name)} twice")
        names.append(name)
    return names
