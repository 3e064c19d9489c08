"""What there is to measure, as the native programs list it: no name is repeated here."""

from __future__ import annotations

import functools

import msgspec

from serverlab.machine.native import output_of


class Setting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something that can be set, by the same name on the command line and in an experiment."""

    name: str
    values: str
    fallback: str
    meaning: str
    group: str

    @property
    def choices(self) -> list[str] | None:
        """The values to choose from, if they are a list and not a kind such as COUNT."""
        return self.values.split("|") if "|" in self.values else None


class Engine(msgspec.Struct, frozen=True):
    """A concurrency model."""

    name: str
    model: str
    neighbour: str
    difference: str
    ignores: str
    knows: str
    sessions_stay: bool
    cannot: str
    one_process: bool
    in_kernel: bool
    serves: str
    lines: int
    connection_each: bool
    lacking: str


class Service(msgspec.Struct, frozen=True):
    """What is served."""

    name: str
    summary: str
    shares_state: bool
    service_settings: list[Setting]
    workload_settings: list[Setting]


class ServerList(msgspec.Struct, frozen=True):
    """What `serverlab-server --list-json` prints."""

    schema: int
    engines: list[Engine]
    services: list[Service]
    settings: list[Setting]


class LoadList(msgspec.Struct, frozen=True):
    """What `serverlab-load --list-json` prints."""

    schema: int
    settings: list[Setting]


class Catalog(msgspec.Struct, frozen=True):
    """The engines, the services, and the settings of both ends, by name."""

    engines: dict[str, Engine]
    services: dict[str, Service]
    server_settings: dict[str, Setting]
    load_settings: dict[str, Setting]


@functools.cache
def catalog() -> Catalog:
    """Ask the native programs."""
    server = msgspec.json.decode(output_of("serverlab-server", "--list-json"), type=ServerList)
    load = msgspec.json.decode(output_of("serverlab-load", "--list-json"), type=LoadList)
    return Catalog(
        engines={engine.name: engine for engine in server.engines},
        services={service.name: service for service in server.services},
        server_settings={setting.name: setting for setting in server.settings},
        load_settings={setting.name: setting for setting in load.settings},
    )
