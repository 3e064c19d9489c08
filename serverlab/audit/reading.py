"""Finds out by its content of which tool a file is, and reads it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import msgspec

from serverlab.audit.formats import (
    ab,
    fortio,
    hey,
    httparena,
    k6,
    memtier,
    oha,
    own,
    redis_benchmark,
    techempower,
    wrk,
)
from serverlab.errors import UsageError, reason_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from serverlab.audit.row import Table

BYTES_MAX = 256 << 20  # of a run's trials, a document in each line
DOCUMENT_BYTES_MAX = 64 << 20  # of one document, which takes several times as much memory
TEXT_BYTES_MAX = 16 << 20  # some 10 000 outputs of a tool, one after the other
LONG_LINE = re.compile(r"[^\n]{4097}")  # no tool prints a longer one
TEXTS = (wrk.read, hey.read, ab.read, redis_benchmark.read, memtier.read_text)
# Documents, by names in them or in their parts that no other tool's has.
DOCUMENTS: tuple[tuple[set[str], Callable[[bytes, str], Table]], ...] = (
    ({"rawData", "concurrencyLevels"}, techempower.read),
    ({"summary", "latencyPercentiles"}, oha.read),
    ({"DurationHistogram", "ActualQPS"}, fortio.read),
    ({"configuration", "Totals"}, memtier.read),
    ({"metrics", "http_reqs"}, k6.read),
    ({"latency_ns", "verdict"}, own.read_load),
)
KNOWN = (
    "wrk, wrk2, hey, ab, redis-benchmark and memtier (text), oha, Fortio, k6, memtier, "
    "TechEmpower, HttpArena and serverlab (JSON)"
)


def read(path: Path) -> Table:
    """The results of a file. Raises UsageError that names it."""
    try:
        with path.open("rb") as file:
            content = file.read(BYTES_MAX + 1)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {reason_of(error)}") from error
    if len(content) > BYTES_MAX:
        raise UsageError(f"{path} has more than {BYTES_MAX >> 20} MiB, which no result has")
    try:
        table = table_of(content, str(path))
    except UnicodeDecodeError:
        raise UsageError(f"{path} is neither text nor JSON") from None
    except (msgspec.DecodeError, ValueError, OverflowError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from None
    except RecursionError:
        raise UsageError(f"{path} is nested too deeply") from None
    if table is None:
        raise UsageError(f"{path} is of no tool that is known: {KNOWN}")
    if not (table.rows or table.nothing):
        raise UsageError(f"{path} has no result in it")
    return table


def table_of(content: bytes, path: str) -> Table | None:
    """The results of a file's content; None if it is of no tool that is known."""
    begin = content.lstrip()[:1]
    if begin in (b"{", b"["):
        return of_json(content, path)
    refuse_larger(content, TEXT_BYTES_MAX)
    text = content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    if LONG_LINE.search(text):
        return None
    return next((found for read in TEXTS if (found := read(text, path)) is not None), None)


def refuse_larger(content: bytes, bytes_max: int) -> None:
    """Raise ValueError for a file that has more than any result."""
    if len(content) > bytes_max:
        raise ValueError(f"it has more than {bytes_max >> 20} MiB, which no result has")


def of_json(content: bytes, path: str) -> Table | None:
    """The results of one document, or of one in each line."""
    first = content.lstrip().partition(b"\n")[0]
    try:
        of_line = json.loads(first)
    except ValueError:
        of_line = None
    if isinstance(of_line, dict) and {"trial", "verdict"} <= of_line.keys():
        is_step = {"connections", "opened", "alive"} <= of_line.keys()
        return own.read_steps(content, path) if is_step else own.read_trials(content, path)
    refuse_larger(content, DOCUMENT_BYTES_MAX)
    document = json.loads(content)
    if isinstance(document, list):
        is_arena = not document or (isinstance(document[0], dict) and "framework" in document[0])
        return httparena.read(content, path) if is_arena else None
    parts = [set(part) for part in document.values() if isinstance(part, dict)]
    names = set(document).union(*parts)
    return next((read(content, path) for keys, read in DOCUMENTS if keys <= names), None)
