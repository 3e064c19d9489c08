"""The list of what serverlab is made of is complete."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tools.sbom import HEADERS, PROGRAMS, ROOT, document


@pytest.fixture(scope="module")
def components() -> list[dict[str, Any]]:
    """What the document names."""
    listed: list[dict[str, Any]] = json.loads(document())["components"]
    return listed


def test_every_library_that_a_program_loads_is_named(components: list[dict[str, Any]]) -> None:
    names = {one["name"] for one in components}
    for program in PROGRAMS:
        headers = subprocess.run(
            ["readelf", "--dynamic", program], capture_output=True, check=True, text=True
        )
        for needed in re.findall(r"\(NEEDED\).*\[(.+)\]", headers.stdout):
            assert needed in names
    assert names >= set(HEADERS)


def test_every_package_that_the_laboratory_asks_for_is_named_with_its_version(
    components: list[dict[str, Any]],
) -> None:
    versions = {one["name"]: one.get("version") for one in components}
    asked = tomllib.loads(Path(ROOT, "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for requirement in asked["dependencies"]:
        name = re.split(r"[^A-Za-z0-9_-]", requirement)[0].lower()
        assert versions[name], name
