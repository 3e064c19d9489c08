"""The examples of docs/protocols.md happen as they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.peers import receive_exactly
from tests.conformance.programs import engines, services
from tests.conformance.server import Server, serving

PROTOCOLS = Path(__file__).resolve().parents[2] / "docs" / "protocols.md"
SECTION = re.compile(r"^## (\S+)$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
EXAMPLE = re.compile(r"^```\n(> .*?)^```$", re.MULTILINE | re.DOTALL)

# What ends a reply, where it is not a line feed.
ENDINGS = {"kv-json": b"", "kv-resp": b"\r\n"}

Line = tuple[str, str]  # the sign, "<" or ">", and what follows it


def lines_of(example: str) -> list[Line]:
    """The lines that are sent and received, without their signs."""
    return [(line[:1], line[2:]) for line in example.splitlines()]


def examples_of(page: str) -> dict[str, list[list[Line]]]:
    """The examples of each service, by its name."""
    return {
        service: [lines_of(example) for example in EXAMPLE.findall(section)]
        for service, section in SECTION.findall(page)
    }


def differences(server: Server, example: list[Line], ending: bytes) -> Iterator[str]:
    """The first reply that is not as the example says."""
    with server.connect() as peer:
        for sign, text in example:
            if sign == ">":
                peer.sendall(f"{text}\n".encode())
                continue
            reply = text.encode() + ending
            if (received := receive_exactly(peer, len(reply))) != reply:
                yield f"{received!r} came, not {reply!r}"
                return


@pytest.fixture(scope="module")
def examples() -> dict[str, list[list[Line]]]:
    """Those of the page."""
    return examples_of(PROTOCOLS.read_text(encoding="utf-8"))


def test_every_example_happens_as_it_is_written(
    service: str, examples: dict[str, list[list[Line]]]
) -> None:
    assert examples[service], f"{service} has no example"
    with serving(engines()[0], f"--service={service}") as server:
        for example in examples[service]:
            assert list(differences(server, example, ENDINGS.get(service, b"\n"))) == []


def test_no_example_is_of_something_else(examples: dict[str, list[list[Line]]]) -> None:
    assert set(examples) == set(services())
    for example in (example for of_service in examples.values() for example in of_service):
        assert {sign for sign, _ in example} == {"<", ">"}


PAGE = """# Protocols

## echo

```
> hello
< hullo
```

## other

```
> a
<
```
"""


def test_an_example_that_happens_otherwise_is_found() -> None:
    read = examples_of(PAGE)
    assert read["other"] == [[(">", "a"), ("<", "")]]
    with serving(engines()[0], "--service=echo") as server:
        assert len(list(differences(server, read["echo"][0], b"\n"))) == 1
