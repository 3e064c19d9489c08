"""With which neighbour an engine of an experiment is compared."""

from __future__ import annotations

import msgspec

from serverlab.design.family import family
from serverlab.records import Kin
from tests.lab.conftest import engine

CATALOGUE = {
    name: msgspec.structs.replace(engine(name), neighbour=neighbour, difference=difference)
    for name, neighbour, difference in [
        ("threads", "", ""),
        ("poll", "threads", "one thread"),
        ("epoll-level", "poll", "the kernel keeps the set"),
        ("epoll-edge", "epoll-level", "told only of changes"),
    ]
}


def kin_of(*engines: str) -> dict[str, Kin]:
    return family({name: name for name in engines}, {}, CATALOGUE)


def test_an_engine_is_beside_the_neighbour_that_the_catalogue_names() -> None:
    assert kin_of("threads", "poll") == {"poll": Kin(neighbour="threads", difference="one thread")}


def test_where_its_neighbour_is_absent_it_is_beside_the_nearest_forebear() -> None:
    assert kin_of("threads", "epoll-edge") == {
        "epoll-edge": Kin(
            neighbour="threads",
            difference="one thread; the kernel keeps the set; told only of changes",
        )
    }


def test_an_engine_without_a_forebear_in_the_experiment_is_a_root() -> None:
    assert kin_of("epoll-edge", "epoll-level").keys() == {"epoll-edge"}


def test_an_engine_with_settings_of_its_own_is_beside_itself_without_them() -> None:
    settings = {"poll": {}, "poll, LIFO": {"queue": "lifo"}, "alone": {"queue": "lifo"}}
    engines = {"poll": "poll", "poll, LIFO": "poll", "alone": "epoll-level"}
    assert family(engines, settings, CATALOGUE) == {
        "poll, LIFO": Kin(neighbour="poll", difference="queue lifo")
    }
