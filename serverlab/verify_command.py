"""`serverlab verify`."""

from __future__ import annotations

import difflib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
from cyclopts import Parameter

from serverlab import console, terminal
from serverlab.contestants.building import build
from serverlab.design.catalog import catalog
from serverlab.design.given_settings import level
from serverlab.design.subject import expect_name, refuse_url
from serverlab.design.variants import contestant_named
from serverlab.duel.entrants import entrant_of
from serverlab.errors import UsageError
from serverlab.load_result import SCHEMA
from serverlab.running.contestant_process import program_of
from serverlab.running.events import Listening
from serverlab.running.host import HERE
from serverlab.running.program import START_LIMIT_S
from serverlab.running.proof import OF_REQUESTS
from serverlab.verify.probe import probe

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from serverlab.quantities import TomlTable
    from serverlab.running.program import Program
    from serverlab.verify.probe import Outcome

HOLDS, FAILS, DIFFERS = "holds", "FAILS", "differs"


def verify(
    subject: str | None = None,
    /,
    *,
    service: str,
    target: str | None = None,
    json: bool = False,
    **settings: Annotated[str, Parameter(show=False)],
) -> int:
    """Ask a server the exchanges of a service, and say line by line which hold.

    A server that fails an exchange which the load relies on is not measured. One that differs in
    others may be. All other options are settings of the load, by their names there, such as
    --http-path=/api/items: they say what it would ask for.

    Parameters
    ----------
    subject
        A server to start: a command such as './server {port}', a contestant or its file, an engine.
    service
        What it is to speak: echo, bucket, forum, http, kv-json or kv-resp.
    target
        HOST:PORT of a server that is running, instead.
    json
        Print the outcome as JSON, and nothing else.
    """
    expect_name("service", service, catalog().services)
    if (subject is None) == (target is None):
        raise UsageError("give either a server to start, or --target=HOST:PORT of one that runs")
    if target is not None:
        refuse_url(target)
    asked = asked_of(service, settings)
    with tempfile.TemporaryDirectory() as scratch:
        log = Path(scratch, "server.log")
        with (
            found(target, service, log) if target else started(str(subject), service, log) as server
        ):
            address = server.await_event(Listening, START_LIMIT_S).address
            outcomes = probe(service, address, asked, required_only=False)
    failed = [one for one in outcomes if one.failure]
    if json:
        document = {
            "schema": SCHEMA,
            "command": "verify",
            "service": service,
            "exchanges": [
                {"name": one.name, "required": one.required, "failure": one.failure}
                for one in outcomes
            ],
        }
        terminal.write(msgspec.json.format(msgspec.json.encode(document)).decode() + "\n")
    else:
        show(outcomes)
        if failed and service == "http" and "http-path" not in asked:
            console.say("--http-path=PATH asks for another resource than /")
    return 1 if failed else 0


def asked_of(service: str, given: Mapping[str, str]) -> dict[str, str]:
    """The settings of the load on which it depends what a server is asked. Raises UsageError."""
    own = {one.name for one in catalog().services[service].workload_settings} | OF_REQUESTS
    known = {name: one for name, one in catalog().load_settings.items() if name in own}
    asked = {}
    for name, value in given.items():
        if name not in known:
            near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
            hint = f"did you mean --{' or --'.join(near)}" if near else f"--{', --'.join(known)}"
            raise UsageError(f"no setting --{name} says what {service} is asked for: {hint}")
        asked[name] = str(level(f"--{name}", known[name], value))
    return asked


def found(address: str, service: str, log: Path) -> Program:
    """The server that is running at an address. Raises UsageError."""
    about: TomlTable = {"address": address, "services": [service]}
    return program_of(contestant_named("target", about, catalog(), Path()), service, {}, log)


def started(text: str, service: str, log: Path) -> Program:
    """The server that a text names, as it starts. Raises UsageError."""
    engines = catalog().engines
    entrant = entrant_of(text, list(engines), service, set())
    if entrant.engine:
        told = {"engine": entrant.engine, "service": service, "listen": "127.0.0.1:0"}
        told |= {name: str(value) for name, value in entrant.table.items()}
        return HERE.server.start("serverlab-server", told, log)
    contestant = contestant_named(entrant.name, entrant.table, catalog(), Path())
    build(contestant, console.complain)
    return program_of(contestant, service, {}, log)


def show(outcomes: Sequence[Outcome]) -> None:
    """Print a line for each exchange, and how many hold."""
    for one in outcomes:
        failing = FAILS if one.required else DIFFERS
        mark = console.styled(failing if one.failure else HOLDS, style_of(one))
        console.line(mark, one.name)
        if one.failure:
            console.sentence(one.failure)
    held = sum(not one.failure for one in outcomes)
    needed = [one for one in outcomes if one.failure and one.required]
    measured = "the load relies on those that fail" if needed else "it can be measured"
    console.say(f"{held} of {len(outcomes)} exchanges hold; {measured}")


def style_of(one: Outcome) -> str:
    """How an outcome looks."""
    if not one.failure:
        return console.GOOD
    return console.BAD if one.required else console.DOUBTFUL
