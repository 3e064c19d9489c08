"""The files that git tracks or would track, and what the checks say about them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Self

ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True, slots=True)
class Source:
    """A text file, by its path from the root."""

    path: str
    text: str

    @property
    def lines(self) -> list[str]:
        """Without their ends; only a newline ends a line."""
        return self.text.removesuffix("\n").split("\n") if self.text else []

    def at(self, line: int, sentence: str) -> str:
        """A finding, in the form that editors jump to."""
        return f"{self.path}:{line}: {sentence}"


@dataclass(frozen=True, slots=True)
class Tree:
    """Text files. The checks see nothing else, so their tests can make a tree of two lines."""

    sources: tuple[Source, ...]

    @classmethod
    def of(cls, texts: Mapping[str, str]) -> Self:
        """A tree of texts by path."""
        return cls(tuple(Source(path, text) for path, text in sorted(texts.items())))

    @classmethod
    def on_disk(cls, root: Path, data: Iterable[str]) -> Self:
        """What git tracks or would track below `root`, less what is data or no text at all."""
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=root,
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        texts = {}
        for path in filter(None, listed.split("\0")):
            on_disk = root / path
            if any(fnmatch(path, pattern) for pattern in data) or not on_disk.is_file():
                continue
            content = on_disk.read_bytes()
            if not is_binary(content):
                texts[path] = content.decode()
        return cls.of(texts)

    def matching(self, patterns: Iterable[str]) -> Iterator[Source]:
        """The sources whose path fits a pattern; `*` means folders, too."""
        wanted = list(patterns)
        return (s for s in self.sources if any(fnmatch(s.path, pattern) for pattern in wanted))

    def find(self, path: str) -> Source | None:
        """The source of that path, if there is one."""
        return next((source for source in self.sources if source.path == path), None)


def is_binary(content: bytes) -> bool:
    """Whether a file is an image or an archive; text is UTF-8 throughout."""
    return b"\0" in content


def expect_none(findings: Iterable[str]) -> None:
    """Fail with every finding on a line of its own."""
    found = list(findings)
    assert not found, "\n" + "\n".join(found)
