"""The server that a search or a stress loads: one that it starts, or one that is there already.

Settings are those of both programs, by their own names: one that both have goes to both. `--cpus`
and `--threads` mean something else to each, so that one says whose they are: `--server-cpus`.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import msgspec
from cyclopts import Parameter

from serverlab.contestant import Contestant  # noqa: TC001 - msgspec reads it
from serverlab.contestants.reading import named
from serverlab.design.given_settings import MEASURED_SERVER, RESERVED_LOAD, RESERVED_SERVER, level
from serverlab.design.outputs import refuse_foreign, refuse_outputs
from serverlab.design.variants import OF_CONTESTANTS
from serverlab.errors import UsageError
from serverlab.machine.machine import congestion_control, cpu_halves

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from serverlab.design.catalog import Catalog, Setting

OF_EACH = {"cpus", "threads"}
SIDES = ("server", "load")
LOOPBACK = "127."
HTTP_PORT = 80
# A scheme, a host, a port and a path; HOST:PORT is part of it.
URL = re.compile(r"(?:(\w+)://)?(\[[^]/]*\]|[^:/?#\s]+)(?::(\d+))?([/?#]\S*)?")


@dataclass(frozen=True, slots=True)
class Server:
    """Which server a command line names.

    Parameters
    ----------
    engine
        Serve with this engine, afresh for each trial.
    contestant
        Serve with this server that is not serverlab's, or that of this file.
    target
        HOST:PORT of a server that is already running, instead.
    """

    engine: str | None = None
    contestant: str | None = None
    target: str | None = None

    @property
    def is_named(self) -> bool:
        """Whether it names any."""
        return any((self.engine, self.contestant, self.target))

    def check(self) -> None:
        """Raise UsageError unless it names one, and an address in the form HOST:PORT."""
        if sum(given is not None for given in (self.engine, self.contestant, self.target)) != 1:
            raise UsageError(
                "give either --engine or --contestant, to start a server, or --target, for one "
                "that is running"
            )
        if self.target is not None:
            refuse_url(self.target)


NO_SERVER = Server()
ServerOptions = Annotated[Server, Parameter(name="*")]  # of a command


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """A server, how it is served, and what is asked of it."""

    service: str
    engine: str | None  # or a contestant's name; None: serverlab has not started it
    target: str | None  # HOST:PORT of a server that is there already
    contestant: Contestant | None = None
    server_settings: dict[str, str]
    load_settings: dict[str, str]

    def check(self, path: Path, catalog: Catalog) -> None:
        """Refuse settings that no command line gives: `path`, from which this was read, names them.

        Raises UsageError.
        """
        refuse_foreign(f"{path}: ", self.server_settings, catalog.server_settings)
        refuse_foreign(f"{path}: ", self.load_settings, catalog.load_settings)

    @property
    def settings(self) -> list[dict[str, str]]:
        """Of each program that is started here."""
        return [self.server_settings, self.load_settings] if self.engine else [self.load_settings]

    @property
    def folder_name(self) -> str:
        """Engine or address, as part of a folder's name."""
        return str(self.engine or self.target).replace(":", "-")

    @property
    def label(self) -> str:
        """Engine or address, service and connections, in words."""
        connections = self.load_settings.get("connections", "1")
        plural = "" if connections == "1" else "s"
        return f"{self.engine or self.target}, {self.service}, {connections} connection{plural}"


def subject_of(  # noqa: PLR0913 - what the command line says, one by one
    given: Mapping[str, str],
    catalog: Catalog,
    *,
    server: Server,
    service: str,
    kept: set[str],
    model: str,
    defaults: Mapping[str, str],
    several_hosts: bool = False,
) -> Subject:
    """Sort settings by the side that they belong to; `kept` of the load are not to be given.

    `model` is the load model that the command measures with: what it does not use is refused. On
    `several_hosts` each program has all CPUs of its host.
    """
    server.check()
    engine, target = server.engine, server.target
    if engine is not None:
        expect_name("engine", engine, catalog.engines)
    expect_name("service", service, catalog.services)
    bare = (name.removeprefix("server-").removeprefix("load-") for name in given)
    refuse_outputs("--", bare, {**catalog.server_settings, **catalog.load_settings})
    given_name = server.contestant
    found = None if given_name is None else named(given_name, catalog.services)
    settings = {
        "server": without(catalog.server_settings, RESERVED_SERVER | {"engine", "service"}),
        "load": without(catalog.load_settings, RESERVED_LOAD | kept),
    }
    server_cpus, load_cpus = ("", "") if several_hosts else cpu_halves()
    sides = {
        "server": {"cpus": server_cpus, "congestion": congestion_control()},
        "load": {"cpus": load_cpus, "congestion": congestion_control()} | dict(defaults),
    }
    if engine is not None:
        sides["server"] |= MEASURED_SERVER
    if target is not None:
        sides["server"] = {}
        if not target.startswith(LOOPBACK):  # no server to keep apart from
            del sides["load"]["cpus"]
    for name, value in given.items():
        for side, setting in owners(name, settings):
            if side == "server" and engine is None:
                is_loads = setting.name in settings["load"] and not name.startswith("server-")
                if is_loads and (found is None or setting.name not in OF_CONTESTANTS):
                    continue
                refuse_server_setting(name, setting.name, found)
            sides[side][setting.name] = str(level(f"--{name}", setting, value))
    for name in sorted(catalog.unused(model, {*sides["load"], "rate"})):
        raise UsageError(f"--{name} is not used by the load model {model}, which measures here")
    return Subject(
        service=service,
        engine=engine if found is None else found.name,
        target=target,
        contestant=found,
        server_settings={key: value for key, value in sides["server"].items() if value},
        load_settings={key: value for key, value in sides["load"].items() if value},
    )


def refuse_url(target: str) -> None:
    """Raise UsageError for an address that has more in it than HOST:PORT, saying where that goes.

    A host that has no address is for the programs to find out.
    """
    match = URL.fullmatch(target)
    if match is None:
        raise UsageError(f"--target: '{target}' is not HOST:PORT, such as 127.0.0.1:8080")
    scheme, address, port, path = match.groups()
    if scheme == "https":
        raise UsageError(f"--target: '{target}' needs TLS, which the load does not speak")
    if port is None and scheme is None:
        raise UsageError(
            f"--target: '{target}' is not HOST:PORT: it names no port, as --target={address}:8080"
        )
    if scheme or path:
        whole = f"{address}:{port or HTTP_PORT}"
        of_path = f" --http-path={path}" if path and path != "/" else ""
        raise UsageError(
            f"--target: '{target}' is not HOST:PORT: --target={whole} --service=http{of_path}"
        )


def refuse_server_setting(option: str, name: str, contestant: Contestant | None) -> None:
    """Raise UsageError for a setting that a server which is no engine does not have."""
    if contestant is None:
        raise UsageError(f"--{option} is a setting of the server, and --target is served")
    if name not in OF_CONTESTANTS:
        raise UsageError(f"--{option} is a setting of engines; a contestant does not have it")


def expect_name(kind: str, value: str, known: Iterable[str]) -> None:
    """Refuse an engine or a service that is not there, naming its neighbours."""
    names = list(known)
    if value in names:
        return
    near = difflib.get_close_matches(value, names, n=3, cutoff=0.4)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(names)}"
    raise UsageError(f"there is no {kind} '{value}'; {hint}")


def without(settings: Mapping[str, Setting], names: set[str]) -> dict[str, Setting]:
    """The settings that may be given."""
    return {name: setting for name, setting in settings.items() if name not in names}


def owners(name: str, settings: Mapping[str, Mapping[str, Setting]]) -> list[tuple[str, Setting]]:
    """The sides that an option is for, each with its setting. Raises UsageError if there is none.

    `--server-NAME` and `--load-NAME` name the side, where both have that setting.
    """
    for side in SIDES:
        prefix, _, own = name.partition("-")
        if prefix == side and own in settings[side]:
            return [(side, settings[side][own])]
    found = [(side, settings[side][name]) for side in SIDES if name in settings[side]]
    if len(found) == len(SIDES) and name in OF_EACH:
        raise UsageError(f"--{name} is the server's or the load's: --server-{name}, --load-{name}")
    if not found:
        known = sorted({own for side in SIDES for own in settings[side]})
        near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
        hint = (
            f"did you mean --{' or --'.join(near)}?"
            if near
            else "the settings are those of `serverlab serve --help` and `serverlab load --help`"
        )
        raise UsageError(f"there is no setting --{name} here; {hint}")
    return found
