"""The documents name no option that a program does not have."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping

import pytest
from rich.console import Console

from serverlab.cli import app
from tests.tidy.markdown import Markdown
from tests.tidy.programs import output_of
from tests.tidy.tree import Tree, expect_none

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
NATIVE = {"serverlab serve": "serverlab-server", "serverlab load": "serverlab-load"}
# Commands that take the settings of both programs, too, if need be with whose they are in front.
OF_BOTH = {
    "serverlab duel",
    "serverlab explain",
    "serverlab run",
    "serverlab search",
    "serverlab stress",
    "serverlab verify",
}

Options = Mapping[str, set[str]]  # of each program, and of each command of `serverlab`


def commands(line: str, options: Options) -> Iterator[tuple[str, list[str]]]:
    """The calls of our programs in a line of shell: the program or command, and its options."""
    line = re.sub(r"'[^']*'", "", line)  # a command that is an argument has options of its own
    for call in re.split(r"[|;&]+", line):
        words = [word.rsplit("/", 1)[-1] if "--" not in word else word for word in call.split()]
        for at, word in enumerate(words):
            command = " ".join(words[at : at + 2])
            name = command if command in options else word
            if name in options:
                yield name, OPTION.findall(" ".join(words[at:]))
                break


def unknown_options(tree: Tree, options: Options) -> Iterator[str]:
    """Options in the documents' code that the program they are given to does not have."""
    anyones = set().union(*options.values())
    for source in tree.matching(["README.md", "docs/*.md"]):
        document = Markdown.parse(source.text)
        for line, code in [*document.code_lines(), *document.code_spans()]:
            calls = list(commands(code, options))
            if code.startswith("--"):
                calls.append(("no program", OPTION.findall(code)[:1]))
            for name, given in calls:
                for option in set(given) - options.get(name, anyones):
                    yield source.at(line, f"{option} is no option of {name}")


@pytest.fixture(scope="module")
def options() -> Options:
    """The options of every program, as its help names them."""
    found = {
        name: set(OPTION.findall(output_of(name, "--help")))
        for name in ("serverlab-server", "serverlab-load", "serverlab-probe")
    }
    found["serverlab"] = {"--help", "--version"}
    for command in app:
        name = f"serverlab {command}"
        if name in NATIVE:
            found[name] = found[NATIVE[name]]
        elif not command.startswith("-"):
            page = io.StringIO()
            below = [one for one in app[command] if not one.startswith("-")]  # as hosts up
            for words in ([command], *([command, one] for one in below)):
                app.help_print(words, console=Console(file=page, width=1000))
            found[name] = set(OPTION.findall(page.getvalue())) | {"--help"}
        if name in OF_BOTH:
            for side, program in (("server", "serverlab-server"), ("load", "serverlab-load")):
                own = found[program]
                found[name] |= own | {f"--{side}-{option.removeprefix('--')}" for option in own}
    return found


def test_the_documents_name_only_options_that_exist(tree: Tree, options: Options) -> None:
    expect_none(unknown_options(tree, options))


def test_every_program_and_command_has_options(options: Options) -> None:
    assert {"serverlab run", "serverlab report", "serverlab serve"} <= set(options)
    assert "--engine" in options["serverlab serve"]
    assert "--connections" in options["serverlab load"]
    assert "--resume" in options["serverlab run"]


OURS = {
    "serverlab-server": {"--engine", "--cpus"},
    "serverlab": {"--help"},
    "serverlab run": {"--seed"},
}


@pytest.mark.parametrize(
    "text",
    [
        "```sh\nserverlab-server --engine=poll --seed=1\n```",
        "```sh\nbuild/release/serverlab-server \\\n  --gone &\n```",
        "```console\n$ A=1 .venv/bin/serverlab run x.toml --engine | cat\n```",
        "By `serverlab run --gone`, one gets",
        "By `--gone=3`, one gets",
    ],
)
def test_an_option_that_its_program_has_not_is_found(text: str) -> None:
    assert len(list(unknown_options(Tree.of({"docs/a.md": text}), OURS))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "```sh\nserverlab-server --engine=poll --cpus 0 & serverlab run experiments/x.toml\n```",
        "```sh\ncmake --preset release && build/release/serverlab-server --engine poll\n```",
        "Without code, --gone is a word; `--cpus=0` is known; `git log --oneline` is not ours",
    ],
)
def test_options_that_exist_and_those_of_others_are_left_alone(text: str) -> None:
    assert list(unknown_options(Tree.of({"README.md": text}), OURS)) == []
