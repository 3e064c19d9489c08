"""hosts.json: on which hosts a run's programs ran, and what the network between them carries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from serverlab.bounds import (  # noqa: TC001 - msgspec reads them
    Amount,
    Whole,
)
from serverlab.documents import check_schema, decode
from serverlab.environment import Environment  # noqa: TC001 - msgspec reads it
from serverlab.load_result import SCHEMA

if TYPE_CHECKING:
    from pathlib import Path

HOSTS_FILE = "hosts.json"


class HostsOfRun(msgspec.Struct, frozen=True, kw_only=True):
    """The hosts by their names."""

    schema: Whole = SCHEMA
    server: str
    generators: list[str]
    share_a_machine: bool = False  # they are parts of one, and share its CPUs
    wire_bytes_per_s: Amount  # in each direction, frames and all
    kept_apart: Whole | None = None  # the CPU of the server's host that has its cluster's processes
    machines: dict[str, Environment] = {}  # by the host's name


def read_hosts(folder: Path) -> HostsOfRun | None:
    """Those of a run; None if it had one host. Raises UsageError that names the file."""
    path = folder / HOSTS_FILE
    if not path.exists():
        return None
    hosts = decode(path, HostsOfRun, "run")
    check_schema(path, hosts.schema, SCHEMA)
    return hosts
