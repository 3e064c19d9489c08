"""The examples of docs/protocols.md are what a server says.

An example is a block of code whose lines begin with `> `, what is sent, or `< `, what is received.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path

import pytest

from tests.conformance.peers import receive_all, receive_exactly
from tests.conformance.server import serving
from tests.tidy.markdown import Markdown, line_of

PROTOCOLS = Path(__file__).resolve().parents[2] / "docs" / "protocols.md"

LINE_END = {"http": b"\r\n", "kv-resp": b"\r\n"}  # the others have LF
REPLY_END = {"http": b"", "kv-json": b""}  # their replies end by themselves, the others with a line


@dataclass(frozen=True, slots=True)
class Example:
    """A block of an example, by the line where it begins."""

    service: str
    line: int
    lines: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.service}:{self.line}"

    def turns(self) -> Iterator[tuple[str, bytes]]:
        """The speaker, `>` or `<`, and what it says."""
        line_end = LINE_END.get(self.service, b"\n")
        reply_end = REPLY_END.get(self.service, line_end)
        for side, lines in groupby(self.lines, key=lambda line: line[0]):
            text = line_end.join(line[2:].encode() for line in lines)
            yield side, text + (line_end if side == ">" else reply_end)


def examples(text: str) -> Iterator[Example]:
    """The examples of a document whose headings are names of services."""
    service = ""
    tokens = Markdown.parse(text).tokens
    for before, token in pairwise(tokens):
        if before.type == "heading_open" and before.tag == "h2":
            service = token.content
        lines = tuple(token.content.splitlines())
        if token.type == "fence" and all(line[:2] in {"> ", "< ", ">", "<"} for line in lines):
            yield Example(service, line_of(token), lines)


EXAMPLES = list(examples(PROTOCOLS.read_text(encoding="utf-8")))


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_an_example_is_what_happens_and_nothing_else(example: Example) -> None:
    served = serving("epoll-level", f"--service={example.service}")
    with served as server, server.connect() as peer:
        for side, text in example.turns():
            if side == ">":
                peer.sendall(text)
            else:
                assert receive_exactly(peer, len(text)) == text
        peer.shutdown(socket.SHUT_WR)
        assert receive_all(peer) == b""


def test_every_service_has_an_example(service: str) -> None:
    assert service in {example.service for example in EXAMPLES}


def test_an_example_is_read_as_it_stands() -> None:
    text = "## http\n\n```\n> GET\n>\n< OK\n<\n< body\n```\n\n```\nnot = one\n```\n"
    (example,) = examples(text)
    assert example == Example("http", 3, ("> GET", ">", "< OK", "<", "< body"))
    assert list(example.turns()) == [(">", b"GET\r\n\r\n"), ("<", b"OK\r\n\r\nbody")]
