"""What a Markdown file holds: its headings, its links, its code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Self

from markdown_it import MarkdownIt
from markdown_it.token import Token


@dataclass(frozen=True, slots=True)
class Markdown:
    """A parsed file."""

    tokens: tuple[Token, ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        """By CommonMark with tables."""
        return cls(tuple(MarkdownIt("commonmark").enable("table").parse(text)))

    def headings(self) -> Iterator[tuple[int, int, str]]:
        """Level, line and text of each."""
        for heading, content in zip(self.tokens, self.tokens[1:], strict=False):
            if heading.type == "heading_open":
                yield int(heading.tag[1:]), line_of(heading), content.content

    def anchors(self) -> set[str]:
        """What `#…` in a link may name, as GitHub spells it."""
        return {
            re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            for _, _, text in self.headings()
        }

    def links(self) -> Iterator[tuple[int, str]]:
        """Line and target of links and images."""
        for line, token in self._inline():
            target = token.attrGet("href" if token.type == "link_open" else "src")
            if target is not None:
                yield line, str(target)

    def code_lines(self) -> Iterator[tuple[int, str]]:
        """The lines of code blocks; a backslash at the end of a line joins it to the next."""
        for token in self.tokens:
            if token.type in {"fence", "code_block"}:
                joined = token.content.replace("\\\n", " ")
                for line in joined.splitlines():
                    yield line_of(token), line

    def code_spans(self) -> Iterator[tuple[int, str]]:
        """What stands in backquotes within text."""
        for line, token in self._inline():
            if token.type == "code_inline":
                yield line, token.content

    def table_rows(self) -> Iterator[tuple[int, list[str]]]:
        """Line and cells, as they are written, of each row of each table."""
        for at, token in enumerate(self.tokens):
            if token.type == "tr_open":
                row = takewhile(lambda one: one.type != "tr_close", self.tokens[at:])
                yield line_of(token), [one.content for one in row if one.type == "inline"]

    def _inline(self) -> Iterator[tuple[int, Token]]:
        line = 1
        for token in self.tokens:
            line = line_of(token) if token.map else line
            for child in token.children or ():
                yield line, child


def line_of(token: Token) -> int:
    """Where a block begins, from 1."""
    return token.map[0] + 1 if token.map else 1
