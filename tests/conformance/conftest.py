"""Which engines and services there are, and a server of each that tests may share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conformance.applying import applies, is_of_one_thread
from tests.conformance.programs import engines, services
from tests.conformance.server import Server, serving


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave what applies, and what is asked for."""
    threaded = config.getoption("--threaded")
    items[:] = [
        item for item in items if applies(item) and not (threaded and is_of_one_thread(item))
    ]


@pytest.fixture(scope="session", params=engines())
def engine(request: pytest.FixtureRequest) -> str:
    """Each engine of the catalogue in turn."""
    name: str = request.param
    return name


@pytest.fixture(scope="session", params=services())
def service(request: pytest.FixtureRequest) -> str:
    """Each service of the catalogue in turn."""
    name: str = request.param
    return name


@pytest.fixture(scope="session")
def echo_server(engine: str) -> Iterator[Server]:
    """An echo server of the engine, which it shares with other tests: it is to be left in order."""
    with serving(engine) as server:
        yield server
