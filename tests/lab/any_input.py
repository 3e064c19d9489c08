"""Experiment files and run folders of every shape, for tests that no command stumbles over one."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tests.lab import report_data

Document = dict[str, Any]

# What a terminal would obey, what rich would read as markup, what no file system and no argument of
# a program takes.
NASTY = [
    "", " ", "[/x]", "[bold]", "\x1b[2J", "\x1b]0;title\x07", "\x9b31m", "a\0b", "\u202egpj",
    "line\nline", "\x7f", "é", "‰", "😀", "../../x", "x" * 300, "9" * 400 + "s", "nan", "1e999",
    "0", "-1", "50%", "auto", "1s", "64 B",
]  # fmt: skip
# Keys and values that mean something, so that a file is refused for more than its first word.
WORDS = [
    "question", "server", "load", "design", "engine", "poll", "threads", "epoll-level", "is",
    "service", "echo", "htp", "rate", "connections", "warmup", "duration", "payload", "blocks",
    "blocks_max", "precision", "baseline", "twin", "seed", "kind", "interleaved", "separate",
    "connection_log", "cpus", "queue", "lifo", "model", "open", "closed",
]  # fmt: skip
texts = st.sampled_from(NASTY + WORDS) | st.text(max_size=8)
numbers = (
    st.integers(-3, 70)
    | st.sampled_from([2**31, 2**63, -(2**63), 10**30, 10**400])
    | st.floats(width=32)
)
scalars = st.booleans() | numbers | texts
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)

RIGHT: Document = {
    "question": "Which?",
    "server": {"engine": ["poll", "threads"], "threads": 2},
    "load": {"connections": [1, 2], "warmup": "1s", "duration": "2s", "payload": "64 B"},
    "design": {"kind": "separate", "blocks": 2, "baseline": "poll", "twin": True, "seed": 3},
    "engine": {"poll": {"backlog": 10}},
}


@st.composite
def changed(draw: st.DrawFn, right: object) -> object:
    """A document in which one value is another, is missing, or is there under another name."""
    if not right or not isinstance(right, dict | list) or draw(st.integers(0, 3)) == 0:
        return draw(values)
    if isinstance(right, list):
        place = draw(st.integers(0, len(right) - 1))
        return [*right[:place], draw(changed(right[place])), *right[place + 1 :]]
    key = draw(st.sampled_from(sorted(right)))
    rest = {name: value for name, value in right.items() if name != key}
    match draw(st.integers(0, 5)):
        case 0:
            return rest
        case 1:
            return rest | {draw(texts): right[key]}
        case _:
            return right | {key: draw(changed(right[key]))}


def toml(document: object) -> str:
    """A document in TOML: tables at the top, inline ones within."""
    if not isinstance(document, dict):
        return f"x = {toml_value(document)}\n"
    return "".join(f"{toml_key(key)} = {toml_value(value)}\n" for key, value in document.items())


def toml_value(value: object) -> str:
    """A value as TOML writes it."""
    if isinstance(value, dict):
        rows = (f"{toml_key(key)} = {toml_value(one)}" for key, one in value.items())
        return "{" + ", ".join(rows) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return toml_key(value) if isinstance(value, str) else json.dumps(value)


def toml_key(text: str) -> str:
    """A text in quotes, with the escapes that TOML has."""
    return '"' + "".join(map(toml_character, text)) + '"'


def toml_character(one: str) -> str:
    """A character within quotes."""
    return one if one.isalnum() and one.isascii() else f"\\U{ord(one):08x}"


experiments = (
    changed(RIGHT).map(lambda document: toml(document).encode())
    | st.binary(max_size=60)
    | st.text(max_size=60).map(lambda text: text.encode("utf-8", "replace"))
    | st.sampled_from(
        [
            b'question = "' + b"[" * 900,
            b"x = " + b"[" * 900 + b"]" * 900,
            b"x = " + b"{a=" * 900 + b"1" + b"}" * 900,
            b"seed = " + b"9" * 5000,
            b"[design]\nseed = 0x" + b"f" * 5000,
            toml(RIGHT | {"engine": {"poll": 5}}).encode(),
            toml(RIGHT | {"load": {"duration": "9" * 400 + "s"}}).encode(),
            toml(RIGHT | {"load": {"rate": [math.nan]}}).encode(),
            toml(RIGHT | {"load": {"connections": int("9" * 18)}}).encode(),
        ]
    )
)

FILES = ["plan.json", "trials.jsonl", "environment.json", "experiment.toml"]
LINES = [b"garbage\n", b"{}\n", b"[]\n", b"null\n", b"\xff\xfe\n", b"[" * 5000 + b"\n", b'{"trial"']


@st.composite
def run_folders(draw: st.DrawFn, path: Path) -> None:
    """Write a run's folder in which one file is not as it should be."""
    report_data.write_run(path, speeds={"poll": 1.0, "threads": 0.5}, twin=None, blocks=2,
                          factors={"connections": [1, 64]})  # fmt: skip
    name = draw(st.sampled_from(FILES))
    file = path / name
    match draw(st.integers(0, 4)):
        case 0:
            file.unlink()
        case 1:
            file.unlink()
            file.mkdir()
        case 2:
            file.write_bytes(draw(st.sampled_from(LINES) | st.binary(max_size=40)))
        case 3:
            with file.open("ab") as end:
                end.write(draw(st.sampled_from(LINES)))
        case _ if name.endswith("toml"):
            file.write_bytes(draw(experiments))
        case _:
            lines = file.read_text("utf-8").splitlines()
            place = draw(st.integers(0, len(lines) - 1))
            lines[place] = as_json(draw(changed(json.loads(lines[place]))))
            file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def as_json(document: object) -> str:
    """A document in JSON, or in what passes for it."""
    return json.dumps(document)
