"""What a load asks of a server, as far as the exchanges depend on it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from serverlab.errors import UsageError
from serverlab.quantities import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

UNITS = {
    "": 1,
    "B": 1,
    "kB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
}
ENDS_CONNECTIONS = {"churn", "sessions"}  # load models that close and connect anew


def depth(load: Mapping[str, str]) -> int:
    """The most requests in flight on a connection."""
    return int(load.get("depth", "1"))


def reuses_connections(load: Mapping[str, str]) -> bool:
    """Whether a connection carries more than one request."""
    return load.get("model") not in ENDS_CONNECTIONS or load.get("requests") != "1"


def size_bytes(text: str) -> int:
    """Bytes of "64", "64B" or "16 KiB", as the load reads a size. Raises UsageError."""
    match = re.fullmatch(r" *([0-9]+(?:\.[0-9]*)?) *([A-Za-z]*) *", text)
    if match is None or match[2] not in UNITS:
        raise UsageError(f"{quoted(text)} is not a size such as 64, 64B, 16KiB or 10MB")
    return int(float(match[1]) * UNITS[match[2]])
