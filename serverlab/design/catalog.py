"""What there is to measure, as the native programs list it: no name is repeated here."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import msgspec

from serverlab.machine.native import output_of

if TYPE_CHECKING:
    from collections.abc import Iterable


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

    @property
    def is_output(self) -> bool:
        """Whether the value is the path of a file that the program writes."""
        return self.values == "FILE"


class Engine(msgspec.Struct, frozen=True):
    """A concurrency model."""

    name: str
    model: str
    neighbour: str
    difference: str
    unsupported_settings: list[str]
    extra_settings: list[str]
    sessions_stay: bool
    limitation: str
    descriptor_limit: int | None  # it serves only descriptors below this one
    one_process: bool
    in_kernel: bool
    serves: str
    thread_per_connection: bool
    missing_requirement: str


class Service(msgspec.Struct, frozen=True):
    """What is served."""

    name: str
    summary: str
    shares_state: bool
    service_settings: list[Setting]
    workload_settings: list[Setting]


class Version(msgspec.Struct, frozen=True):
    """What a program is."""

    number: str
    build: str
    compiler: str
    sanitizers: list[str]

    @property
    def is_measurable(self) -> bool:
        """Whether the program is built as it is measured."""
        return self.build == "release" and not self.sanitizers

    def __str__(self) -> str:
        """For a sentence, as `--version` has it."""
        build = " ".join([self.build, ",".join(self.sanitizers)]).rstrip()
        return f"{self.number} ({build}, {self.compiler})"


class ServerList(msgspec.Struct, frozen=True):
    """What `serverlab-server --list-json` prints."""

    schema: int
    version: Version
    engines: list[Engine]
    services: list[Service]
    settings: list[Setting]
    lacking_confinement: str  # what a server that a peer took over could do here; or empty


class LoadModel(msgspec.Struct, frozen=True):
    """When the generator issues requests."""

    name: str
    has_rate: bool  # a ramp has two rows: without --rate and with it
    summary: str
    settings: list[str]  # those that it uses and not every model does


class LoadVerdict(msgspec.Struct, frozen=True):
    """What the generator may say of a load's figures."""

    name: str
    exit_status: int
    severity: str  # none, doubtful or wrong
    meaning: str


class LoadError(msgspec.Struct, frozen=True):
    """A class of errors, by which the generator counts them."""

    name: str
    is_of_a_request: bool


class LoadBound(msgspec.Struct, frozen=True):
    """A number that decides about a verdict, or whether a figure is given."""

    name: str
    value: float
    meaning: str


class LoadList(msgspec.Struct, frozen=True):
    """What `serverlab-load --list-json` prints."""

    schema: int
    version: Version
    settings: list[Setting]
    models: list[LoadModel]
    verdicts: list[LoadVerdict]
    errors: list[LoadError]
    bounds: list[LoadBound]


class Catalog(msgspec.Struct, frozen=True):
    """The engines, the services, and the settings of both ends, by name."""

    engines: dict[str, Engine]
    services: dict[str, Service]
    server_settings: dict[str, Setting]
    load_settings: dict[str, Setting]
    models: list[LoadModel] = []
    bounds: dict[str, float] = {}  # of the load, by name
    versions: dict[str, Version] = {}  # by program

    def unused(self, model: str, settings: Iterable[str]) -> frozenset[str]:
        """Those of a load's settings that only other models use."""
        given = frozenset(settings)
        rows = [row for row in self.models if row.name == model]
        row = next((row for row in rows if row.has_rate == ("rate" in given)), *rows[:1])
        of_some = {name for other in self.models for name in other.settings}
        return (given & of_some).difference(row.settings)


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
        models=load.models,
        bounds={bound.name: bound.value for bound in load.bounds},
        versions={"serverlab-server": server.version, "serverlab-load": load.version},
    )
