"""Settings on the command line of a search or a stress go to the program that they belong to."""

from __future__ import annotations

import pytest

from serverlab.design.catalog import Catalog, catalog
from serverlab.design.subject import Server, Subject, subject_of
from serverlab.errors import UsageError


def subject(catalog: Catalog, target: str | None = None, **given: str) -> Subject:
    return subject_of(
        {name.replace("_", "-"): value for name, value in given.items()},
        catalog,
        server=Server(engine=None if target else "poll", target=target),
        service="echo",
        kept={"duration"},
        model="open",
        defaults={"connections": "64"},
    )


def test_a_setting_goes_to_the_side_that_has_it(small_catalog: Catalog) -> None:
    made = subject(small_catalog, queue="lifo", payload="1 KiB")
    assert made.server_settings["queue"] == "lifo"
    assert "queue" not in made.load_settings
    assert made.load_settings["payload"] == "1 KiB"
    assert made.load_settings["connections"] == "64"
    assert made.label == "poll, echo, 64 connections"


def test_a_setting_of_both_goes_to_both_unless_one_is_named(small_catalog: Catalog) -> None:
    made = subject(small_catalog, nodelay="off")
    assert made.server_settings["nodelay"] == made.load_settings["nodelay"] == "off"
    made = subject(small_catalog, load_nodelay="off", server_cpus="0")
    assert "nodelay" not in made.server_settings
    assert made.load_settings["nodelay"] == "off"
    assert made.server_settings["cpus"] == "0"


def test_no_filter_of_system_calls_is_measured_unless_it_is_asked_for() -> None:
    assert subject(catalog()).server_settings["confine"] == "off"
    assert subject(catalog(), confine="on").server_settings["confine"] == "on"


def test_of_a_server_that_is_there_already_nothing_is_set(small_catalog: Catalog) -> None:
    made = subject(small_catalog, target="10.0.0.1:80", nodelay="off", connections="1")
    assert made.server_settings == {}
    assert made.load_settings["nodelay"] == "off"
    assert "cpus" not in made.load_settings
    assert made.label == "10.0.0.1:80, echo, 1 connection"
    with pytest.raises(UsageError, match="setting of the server"):
        subject(small_catalog, target="10.0.0.1:80", queue="lifo")


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("duration", "1s", "no setting --duration"),
        ("listen", "[::]:0", "no setting --listen"),
        ("queu", "lifo", "did you mean --queue"),
        ("queue", "random", "is not one of fifo, lifo"),
        ("load_queue", "lifo", "no setting --load-queue"),
        ("think", "1ms", "--think is not used by the load model open"),
    ],
)
def test_a_setting_that_cannot_be_given_is_refused(
    name: str, value: str, said: str, small_catalog: Catalog
) -> None:
    with pytest.raises(UsageError, match=said):
        subject(small_catalog, **{name: value})
