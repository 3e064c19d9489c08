"""docs/experiment-files.md names every key of an experiment file that the programs do not list."""

from __future__ import annotations

import tomllib

import pytest

from serverlab.design.catalog import catalog
from serverlab.design.design_table import BLOCKS_MAX, Design, DesignTable
from serverlab.design.experiment import parse
from serverlab.design.given_settings import RESERVED_LOAD, RESERVED_SERVER
from serverlab.design.kind import INTERLEAVED
from serverlab.measures import BY_NAME
from serverlab.records import Contrast
from tests.tidy.tree import Tree

PAGE = "docs/experiment-files.md"


@pytest.fixture(scope="module")
def page(tree: Tree) -> str:
    source = tree.find(PAGE)
    assert source is not None
    return source.text


def test_every_key_and_every_reserved_option_is_named(page: str) -> None:
    keys = [
        *DesignTable.__struct_fields__,
        *Contrast.__struct_fields__,
        *RESERVED_SERVER,
        *RESERVED_LOAD,
    ]
    for key in keys:
        assert f"`{key}`" in page, key


def test_the_defaults_are_those_of_the_code(page: str) -> None:
    rows = {
        line.split("|")[1].strip(" `"): line.split("|")[3].strip(" `")
        for line in page.splitlines()
        if line.startswith("| `") and line.count("|") == 4
    }
    design = Design()
    assert rows["kind"].startswith(INTERLEAVED)
    assert rows["blocks"] == str(design.blocks)
    assert rows["blocks_max"] == str(BLOCKS_MAX)
    assert rows["connection_log"] == str(design.connection_log).lower()


def test_the_example_is_an_experiment(page: str) -> None:
    text = page.partition("```toml\n")[2].partition("```")[0]
    experiment = parse(tomllib.loads(text), name="example", text=text, catalog=catalog())
    assert experiment.contrast.by
    assert experiment.design.baseline == "epoll-level"
    assert experiment.variants["pool-of-two"].engine == "poll-offload"


def test_every_measure_that_it_names_is_one(page: str) -> None:
    named = page.partition("names that exist, among\nthem")[2].partition("\n\n")[0]
    names = named.split("`")[1::2]
    assert names
    assert set(names) <= BY_NAME.keys()
