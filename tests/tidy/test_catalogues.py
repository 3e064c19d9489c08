"""One list per kind: what the server lists is what the folders hold and what the documents say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.tidy.markdown import Markdown
from tests.tidy.programs import listed
from tests.tidy.tree import Tree, expect_none

SERVES = re.compile(r"^void serve_(\w+)\(", re.MULTILINE)
CATALOGUE_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def wrong_engine_files(tree: Tree, engines: list[str]) -> Iterator[str]:
    """Engines without their file, and files of engines that the catalogue does not list."""
    for name in engines:
        stem = name.replace("-", "_")
        source = tree.find(f"engines/models/{stem}.cpp")
        if source is None or stem not in SERVES.findall(source.text):
            yield f"engines/models/{stem}.cpp:1: the engine {name} has no serve_{stem} here"
    for source in tree.matching(["engines/*.cpp"]):
        for stem in SERVES.findall(source.text):
            if stem.replace("_", "-") not in engines:
                yield source.at(1, f"serve_{stem} has no row in the catalogue")


def wrong_service_folders(tree: Tree, services: list[str]) -> Iterator[str]:
    """Services without a folder, and folders of services that the catalogue does not list.

    Services that share their state share a folder, which has the first word of their names.
    """
    folders = {source.path.split("/")[1] for source in tree.matching(["services/*/*"])}
    homes = {name: {name.replace("-", "_"), name.split("-")[0]} for name in services}
    for name, its in homes.items():
        if not its & folders:
            yield f"services/{name.replace('-', '_')}/:1: the service {name} has no folder"
    for folder in sorted(folders.difference(*homes.values())):
        yield f"services/{folder}/:1: no service of the catalogue lives here"


def wrong_headings(tree: Tree, path: str, names: list[str]) -> Iterator[str]:
    """Names without a heading in a document, and headings of names that the catalogue lacks.

    A heading in small letters, such as `## epoll-level`, is the heading of a name.
    """
    source = tree.find(path)
    if source is None:
        yield f"{path}:1: is not there"
        return
    headings = {text.strip("`"): line for _, line, text in Markdown.parse(source.text).headings()}
    for name in names:
        if name not in headings:
            yield source.at(1, f"has no heading `## {name}`")
    for text, line in headings.items():
        if CATALOGUE_NAME.fullmatch(text) and text not in names:
            yield source.at(line, f"{text} is in no catalogue")


def wrong_rows(tree: Tree, path: str, engines: list[dict[str, str]]) -> Iterator[str]:
    """Engines whose row in a document's table says other than the catalogue."""
    source = tree.find(path)
    rows = (
        [] if source is None else [cells for _, cells in Markdown.parse(source.text).table_rows()]
    )
    for engine in engines:
        neighbour = f"`{engine['neighbour']}`" if engine["neighbour"] else ""
        row = [f"`{engine['name']}`", engine["model"], neighbour, engine["difference"]]
        if row not in rows:
            yield f"{path}:1: its table lacks the row | {' | '.join(row)} |"


def wrong_model_rows(tree: Tree, path: str, models: list[dict[str, Any]]) -> Iterator[str]:
    """Load models whose row in a document's table says other than the generator."""
    source = tree.find(path)
    rows = (
        [] if source is None else [cells for _, cells in Markdown.parse(source.text).table_rows()]
    )
    names = [model["name"] for model in models]
    for model in models:
        with_rate = " with `--rate`" if model["has_rate"] and names.count(model["name"]) > 1 else ""
        settings = " ".join(f"`--{setting}`" for setting in model["settings"])
        row = [f"`{model['name']}`{with_rate}", model["summary"], settings]
        if row not in rows:
            yield f"{path}:1: its table lacks the row | {' | '.join(row)} |"


def wrong_verdict_rows(tree: Tree, path: str, verdicts: list[dict[str, Any]]) -> Iterator[str]:
    """Verdicts of a load whose row in a document's table says other than the generator."""
    source = tree.find(path)
    rows = (
        [] if source is None else [cells for _, cells in Markdown.parse(source.text).table_rows()]
    )
    for verdict in verdicts:
        row = [verdict["name"], str(verdict["exit_status"]), verdict["meaning"]]
        if row not in rows:
            yield f"{path}:1: its table lacks the row | {' | '.join(row)} |"


def strings_of_names(row: dict[str, Any], known: set[str]) -> Iterator[str]:
    """Fields of a row that hold several names in one string, where a list would hold them."""
    for field, value in row.items():
        words = value.split() if isinstance(value, str) else []
        if len(words) > 1 and known.issuperset(words):
            yield f"{row['name']}: {field} is a string of the names {', '.join(words)}"


def names(kind: str) -> list[str]:
    """The names of a catalogue."""
    return [row["name"] for row in listed("serverlab-server")[kind]]


def test_the_catalogues_engines_are_the_files_of_engines(tree: Tree) -> None:
    expect_none(wrong_engine_files(tree, names("engines")))


def test_the_catalogues_services_are_the_folders_of_services(tree: Tree) -> None:
    expect_none(wrong_service_folders(tree, names("services")))


def test_every_engine_has_its_paragraph(tree: Tree) -> None:
    expect_none(wrong_headings(tree, "docs/engines.md", names("engines")))


def test_every_service_has_its_protocol(tree: Tree) -> None:
    expect_none(wrong_headings(tree, "docs/protocols.md", names("services")))


def test_the_table_of_engines_says_what_the_catalogue_says(tree: Tree) -> None:
    expect_none(wrong_rows(tree, "docs/engines.md", listed("serverlab-server")["engines"]))


def test_the_table_of_load_models_says_what_the_generator_says(tree: Tree) -> None:
    expect_none(
        wrong_model_rows(tree, "docs/load-generator.md", listed("serverlab-load")["models"])
    )


def test_the_table_of_verdicts_says_what_the_generator_says(tree: Tree) -> None:
    verdicts = listed("serverlab-load")["verdicts"]
    expect_none(wrong_verdict_rows(tree, "docs/load-generator.md", verdicts))


def test_the_method_has_a_bound_for_every_verdict_of_the_generator(tree: Tree) -> None:
    source = tree.find("docs/method.md")
    assert source is not None
    named = {cells[0] for _, cells in Markdown.parse(source.text).table_rows()}
    assert {row["name"] for row in listed("serverlab-load")["verdicts"]} <= named


def test_every_engines_neighbour_is_an_engine() -> None:
    neighbours = {row["neighbour"] for row in listed("serverlab-server")["engines"]}
    assert neighbours - {""} <= set(names("engines"))


def test_the_lists_of_the_catalogues_are_lists() -> None:
    """A program that reads a row never splits a string."""
    server, load = listed("serverlab-server"), listed("serverlab-load")
    rows = [*server["engines"], *server["services"], *load["models"], *load["verdicts"]]
    known = {row["name"] for row in [*rows, *server["settings"], *load["settings"]]}
    expect_none(finding for row in rows for finding in strings_of_names(row, known))


def test_the_settings_that_an_engine_names_are_settings_of_the_server() -> None:
    known = {row["name"] for row in listed("serverlab-server")["settings"]}
    for row in listed("serverlab-server")["engines"]:
        assert known.issuperset(row["unsupported_settings"] + row["extra_settings"])


def test_an_engine_without_its_file_and_a_file_without_its_row_are_found() -> None:
    tree = Tree.of(
        {
            "engines/models/poll.cpp": "void serve_poll(int) {}\n",
            "engines/models/epoll_edge.cpp": "void serve_epoll(int) {}\n",
            "engines/connections/connection.cpp": "void Connection::serve() {}\n",
        }
    )
    assert list(wrong_engine_files(tree, ["poll", "epoll-edge"])) == [
        "engines/models/epoll_edge.cpp:1: the engine epoll-edge has no serve_epoll_edge here",
        "engines/models/epoll_edge.cpp:1: serve_epoll has no row in the catalogue",
    ]


def test_a_service_without_its_folder_and_a_folder_without_its_row_are_found() -> None:
    tree = Tree.of(dict.fromkeys(["services/kv/kv.h", "services/old/x.h", "services/a.h"], ""))
    assert list(wrong_service_folders(tree, ["kv-json", "kv-resp", "echo"])) == [
        "services/echo/:1: the service echo has no folder",
        "services/old/:1: no service of the catalogue lives here",
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("# Engines\n\n## Poll\n", "has no heading `## poll`"),
        ("# Engines\n\n## poll\n\n## epoll-gone\n", "epoll-gone is in no catalogue"),
    ],
)
def test_a_heading_that_is_missing_or_too_many_is_found(text: str, sentence: str) -> None:
    (finding,) = wrong_headings(Tree.of({"a.md": text}), "a.md", ["poll"])
    assert finding.endswith(sentence)


def test_a_document_that_is_missing_is_found() -> None:
    assert list(wrong_headings(Tree.of({}), "a.md", ["poll"])) == ["a.md:1: is not there"]


def test_headings_in_words_or_in_backquotes_are_left_alone() -> None:
    tree = Tree.of({"a.md": "# Engines\n\n## How to choose\n\n### `poll`\n"})
    assert list(wrong_headings(tree, "a.md", ["poll"])) == []


def test_a_row_that_says_other_than_the_catalogue_is_found() -> None:
    text = "| engine | model | neighbour | difference |\n|-|-|-|-|\n| `poll` | a loop | | |\n"
    row: dict[str, Any] = {"name": "poll", "model": "a loop", "neighbour": "", "difference": ""}
    tree = Tree.of({"a.md": text})
    assert list(wrong_rows(tree, "a.md", [row])) == []
    assert len(list(wrong_rows(tree, "a.md", [row | {"model": "a thread"}]))) == 1


def test_a_load_model_whose_row_says_other_than_the_generator_is_found() -> None:
    text = "| model | when | settings |\n|-|-|-|\n| `ramp` with `--rate` | open | `--rate` |\n"
    row = {"name": "ramp", "has_rate": True, "summary": "open", "settings": ["rate"]}
    closed = row | {"has_rate": False, "settings": []}
    tree = Tree.of({"a.md": text})
    assert len(list(wrong_model_rows(tree, "a.md", [row, closed]))) == 1
    assert len(list(wrong_model_rows(tree, "a.md", [row | {"summary": "closed"}, closed]))) == 2


def test_a_verdict_whose_row_says_other_than_the_generator_is_found() -> None:
    tree = Tree.of({"a.md": "| verdict | status | when |\n|-|-|-|\n| SHORT | 10 | few |\n"})
    row = {"name": "SHORT", "exit_status": 10, "meaning": "few"}
    assert list(wrong_verdict_rows(tree, "a.md", [row])) == []
    assert len(list(wrong_verdict_rows(tree, "a.md", [row | {"exit_status": 11}]))) == 1


def test_a_string_of_names_is_found() -> None:
    row = {"name": "poll", "extra": "queue spin", "model": "queue of poll", "first": "queue"}
    (finding,) = strings_of_names(row, {"queue", "spin"})
    assert finding == "poll: extra is a string of the names queue, spin"
