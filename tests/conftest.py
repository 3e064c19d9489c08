"""The options that choose a part of the tests: `--part`, `--engines-each` and `--threaded`."""

from __future__ import annotations

import pytest

from tests.choosing import Case, chosen


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    parser.addoption(
        "--part",
        choices=["check", "rest", "all"],
        default="all",
        help="what `make check` runs, or only what it leaves to `make check-all`",
    )
    parser.addoption(
        "--engines-each",
        type=int,
        default=1,
        help="with how many engines `make check` runs a test that need not run with all",
    )
    parser.addoption(
        "--threaded",
        action="store_true",
        help="of tests that run with each engine, those of engines that have several threads",
    )


def case_of(item: pytest.Item) -> Case:
    """What the choice depends on."""
    callspec = getattr(item, "callspec", None)
    parameters = dict(callspec.params) if callspec else {}
    service = item.get_closest_marker("service")
    return Case(
        file=item.nodeid.partition("::")[0],
        function=item.name.partition("[")[0],
        engine=parameters.pop("engine", ""),
        service=parameters.pop("service", service.args[0] if service else "echo"),
        others=repr(sorted((name, repr(value)) for name, value in parameters.items())),
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the tests of the part that is asked for."""
    part = config.getoption("--part")
    if part == "all":
        return
    cases = [case_of(item) for item in items]
    is_chosen = chosen(cases, config.getoption("--engines-each"))
    runs: list[pytest.Item] = []
    left: list[pytest.Item] = []
    for item, is_of_check in zip(items, is_chosen, strict=True):
        (runs if is_of_check == (part == "check") else left).append(item)
    items[:] = runs
    config.hook.pytest_deselected(items=left)
