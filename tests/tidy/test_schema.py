"""docs/results-schema.md names every field of what the programs say, and every class of errors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from tests.tidy.markdown import Markdown
from tests.tidy.programs import events_of, listed, running_server
from tests.tidy.tree import Tree, expect_none

SCHEMA = "docs/results-schema.md"
# Fields whose keys are not names of the schema: settings have their own list.
OPEN = {"settings"}


def field_names(content: Any) -> Iterator[str]:  # noqa: ANN401 - any JSON
    """Every name in a JSON document."""
    if isinstance(content, dict):
        for name, value in content.items():
            yield name
            if name not in OPEN:
                yield from field_names(value)
    elif isinstance(content, list):
        for value in content:
            yield from field_names(value)


def documented_names(text: str) -> set[str]:
    """The words in the code spans of a document."""
    return {
        word
        for _, span in Markdown.parse(text).code_spans()
        for word in re.findall(r"[a-z][a-z0-9_]*", span)
    }


def undocumented(tree: Tree, names: Iterable[str]) -> Iterator[str]:
    """Names that the schema does not mention in code."""
    source = tree.find(SCHEMA)
    known = documented_names(source.text) if source else set()
    for name in sorted(set(names) - known):
        yield f"{SCHEMA}:1: `{name}` is not named"


@pytest.fixture(scope="module")
def events() -> list[dict[str, Any]]:
    """What a server and two loads of 200 ms say, each event a document."""
    with running_server("--engine=poll", "--service=echo", "--listen=127.0.0.1:0") as server:
        said = events_of(
            "serverlab-load",
            f"--target={server['address']}",
            "--duration=200ms",
            "--warmup=50ms",
            "--connections=2",
        )
        in_slices = events_of(
            "serverlab-load",
            f"--target={server['address']} {server['address']}",
            f"--server-pid={server['pid']} {server['pid']}",
            "--slice=20ms",
            "--duration=200ms",
            "--warmup=50ms",
            "--connections=2",
        )
    return [server, *said, *in_slices]


def test_every_event_is_in_the_schema(tree: Tree, events: list[dict[str, Any]]) -> None:
    kinds = [event["event"] for event in events]
    assert {"listening", "start", "connected", "window", "end"} <= set(kinds)
    expect_none(undocumented(tree, kinds))


def test_every_field_of_a_load_and_of_a_server_is_in_the_schema(
    tree: Tree, events: list[dict[str, Any]]
) -> None:
    names = set(field_names(events)) - {"after"}
    assert {"latency_ns", "goodput_per_s", "hdr", "syscalls", "slices", "ratios"} <= names
    expect_none(undocumented(tree, names))


def test_every_field_of_the_catalogues_is_in_the_schema(tree: Tree) -> None:
    for program in ("serverlab-server", "serverlab-load"):
        expect_none(undocumented(tree, field_names(listed(program))))


def test_every_class_of_errors_is_in_the_schema(tree: Tree) -> None:
    names = [row["name"] for row in listed("serverlab-load")["errors"]]
    assert "wrong_content" in names
    expect_none(undocumented(tree, names))


def test_every_bound_is_in_the_schema(tree: Tree) -> None:
    expect_none(undocumented(tree, [row["name"] for row in listed("serverlab-load")["bounds"]]))


def test_a_name_that_the_schema_lacks_is_found_at_any_depth() -> None:
    tree = Tree.of({SCHEMA: "# S\n\n`rows[{t_s}]`, not name\n"})
    content = {"rows": [{"t_s": 1, "name": {"deep": 2}}], "settings": {}}
    assert list(undocumented(tree, field_names(content))) == [
        f"{SCHEMA}:1: `{name}` is not named" for name in ("deep", "name", "settings")
    ]


def test_the_keys_of_settings_are_no_names_of_the_schema() -> None:
    assert list(field_names({"settings": {"payload": "64 B"}})) == ["settings"]
