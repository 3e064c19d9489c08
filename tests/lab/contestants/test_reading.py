"""What a contestant's file may say, and the sentence for what it may not."""

from __future__ import annotations

from pathlib import Path

import pytest

from serverlab.contestants.reading import FILE, named, shipped
from serverlab.errors import UsageError

SERVICES = ["echo", "http"]
GOOD = 'services = ["echo"]\nstart = "python3 server.py {port}"\n'

WRONG = {
    "no services": ('start = "./s {port}"', 'services is missing: services = ["echo"]'),
    "a service that is none": (GOOD.replace("echo", "ecco"), "there is no service 'ecco'"),
    "an unknown key": (GOOD + 'langage = "C"', "no key 'langage'; did you mean language?"),
    "no start": ('services = ["echo"]', "give either start, a command with {port}, or address"),
    "start and address": (GOOD + 'address = "127.0.0.1:1"', "give either start"),
    "no port": (GOOD.replace(" {port}", ""), "start: {port} is missing"),
    "a placeholder that is none": (
        GOOD.replace("{port}", "{port} {prot}"),
        "start: there is no placeholder {prot}; did you mean {port}?",
    ),
    "a port while it is built": (GOOD + 'build = ["make {port}"]', "no placeholder {port}"),
    "an open quotation": (GOOD.replace("python3", "'python3"), "no closing quotation"),
    "a signal that is none": (GOOD + 'stop = "SIGSTOPP"', "'SIGSTOPP' is not a signal"),
    "an address without a port": (
        'services = ["echo"]\naddress = "localhost"',
        "'localhost' is not HOST:PORT",
    ),
    "a tier that is none": (GOOD + 'tier = "best"', "tier"),
    "a wrong type": (GOOD.replace('["echo"]', '"echo"'), "services"),
    "no TOML": ("services =", "Invalid value"),
    "half a table": ("[environment", "Expected"),
    "nesting without end": ("services = " + "[" * 40_000, "nested too deeply"),
    "more than a file has": ("#" * 70_000, "at most 65536 bytes"),
}


def file_of(folder: Path, text: str) -> Path:
    path = folder / "mine" / FILE
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(("text", "sentence"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_said_with_the_file(tmp_path: Path, text: str, sentence: str) -> None:
    path = file_of(tmp_path, text)
    with pytest.raises(UsageError) as error:
        named(str(path), SERVICES)
    assert str(error.value).startswith(f"{path}: ")
    assert sentence in str(error.value)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = file_of(tmp_path, "")
    path.write_bytes(b"services = \xff")
    with pytest.raises(UsageError, match="can't decode"):
        named(str(path), SERVICES)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"cannot read {tmp_path}/none/{FILE}: No such file"):
        named(f"{tmp_path}/none/{FILE}", SERVICES)


def test_a_name_that_is_none_has_neighbours() -> None:
    with pytest.raises(UsageError, match=r"no contestant 'tokyo'; did you mean tokio"):
        named("tokyo", SERVICES)


def test_a_contestant_is_named_by_its_folder(tmp_path: Path) -> None:
    file_of(tmp_path, GOOD)
    for text in ("./mine", f"mine/{FILE}", str(tmp_path / "mine")):
        found = named(text, SERVICES, tmp_path)
        assert (found.name, found.folder) == ("mine", str(tmp_path / "mine"))


def test_braces_around_other_text_are_text(tmp_path: Path) -> None:
    path = file_of(tmp_path, GOOD.replace("{port}", '{port} {\\"a\\": 1} {}'))
    assert named(str(path), SERVICES).start.endswith('{"a": 1} {}')


@pytest.mark.parametrize("name", shipped())
def test_each_contestant_that_serverlab_ships_can_be_read(name: str) -> None:
    services = ["echo", "bucket", "forum", "http", "kv-json", "kv-resp"]
    found = named(name, services)
    assert found.model
    assert found.language
    assert found.source.startswith("https://")
    assert found.needs
