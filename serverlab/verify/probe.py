"""Asks a server the exchanges of a service, and says of each whether it holds."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.verify.peer import NOT_CONNECTED, MismatchError, Peer
from serverlab.verify.services import bucket, echo, forum, http, kv_json, kv_resp

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from serverlab.verify.exchange import Exchange

SERVICES: dict[str, Callable[[Mapping[str, str]], list[Exchange]]] = {
    "echo": echo.exchanges,
    "bucket": bucket.exchanges,
    "forum": forum.exchanges,
    "http": http.exchanges,
    "kv-json": kv_json.exchanges,
    "kv-resp": kv_resp.exchanges,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """An exchange, and what went wrong with it; nothing if it holds."""

    name: str
    required: bool
    failure: str = ""


def probe(
    service: str, address: str, load_settings: Mapping[str, str], *, required_only: bool
) -> list[Outcome]:
    """Ask the server at HOST:PORT what a load with these settings relies on, or all.

    Whatever the server does is an outcome. If it accepts no connection, nothing more is asked.
    """
    host, _, port = address.rpartition(":")
    found = []
    for one in SERVICES[service](load_settings):
        if required_only and not one.required:
            continue
        found.append(outcome(one, host.strip("[]"), int(port)))
        if found[-1].failure.startswith(NOT_CONNECTED):
            break
    return found


def outcome(one: Exchange, host: str, port: int) -> Outcome:
    """Whether one exchange holds."""
    failure = ""
    try:
        with Peer(host, port, time.monotonic() + one.limit_s) as peer:
            one.run(peer)
    except MismatchError as error:
        failure = str(error)
    return Outcome(name=one.name, required=one.required, failure=failure)
