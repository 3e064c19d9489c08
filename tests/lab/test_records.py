"""What is on disk and what the programs print: read into types, and written as it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from serverlab.environment import Environment
from serverlab.errors import LabError
from serverlab.load_result import Interval
from serverlab.records import Plan, Summary, Switches, Trial
from serverlab.running.events import Connected, LoadEnded, Usage, read_event
from tests.lab import report_data

RUNS = Path(__file__).parent / "old_runs"


@pytest.mark.parametrize("run", ["separate", "interleaved"])
def test_what_is_read_is_written_with_all_of_its_fields(run: str) -> None:
    kinds = {"plan.json": Plan, "environment.json": Environment, "trials.jsonl": Trial}
    for name, kind in kinds.items():
        content = (RUNS / run / name).read_bytes()
        for text in content.splitlines() if name.endswith("jsonl") else [content]:
            written = msgspec.json.encode(msgspec.json.decode(text, type=kind))
            assert is_within(msgspec.json.decode(text), msgspec.json.decode(written))


def is_within(read: Any, written: Any) -> bool:  # noqa: ANN401 - any JSON
    """Whether a document has all of another. Fields of later runs may have come."""
    if isinstance(read, dict):
        return read.keys() <= written.keys() and all(
            is_within(value, written[name]) for name, value in read.items()
        )
    if isinstance(read, list):
        return len(read) == len(written) and all(map(is_within, read, written))
    return bool(read == written)


@pytest.mark.parametrize(
    ("line", "event"),
    [
        (b'{"event":"connected","established":3}', Connected(established=3)),
        (
            b'{"event":"usage","switches":{"voluntary":5,"involuntary":1}}',
            Usage(switches=Switches(voluntary=5, involuntary=1)),
        ),
        (b'{"event":"summary","requests":7,"a newer field":[]}', Summary(requests=7)),
        (b'{"event":"of a newer program"}', None),
    ],
)
def test_an_event_is_read_by_its_kind(line: bytes, event: object) -> None:
    assert read_event(line) == event


@pytest.mark.parametrize("line", [b"", b"text", b"[]", b'{"events":1}', b'{"event":"usage"}'])
def test_a_line_that_is_no_event_is_refused(line: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        read_event(line)


def ended(result: object) -> LoadEnded:
    """The end of a load."""
    return LoadEnded(result=msgspec.Raw(msgspec.json.encode(result)))


def test_a_load_of_one_target_has_one_result() -> None:
    [result] = ended(report_data.load(8, 1000.0) | {"service": "echo", "settings": {}}).results()
    assert (result.service, result.rate.goodput_per_s, result.slices) == ("echo", 1000, [])


def test_a_load_that_takes_turns_has_a_result_for_each_target_with_its_slices() -> None:
    rows = [{"target": number, "completed": 10 * number, "answered": 5} for number in (1, 0, 1)]
    targets = [report_data.load(8, goodput) for goodput in (1000.0, 2000.0)]
    results = ended({"targets": targets, "slices": rows, "service": "echo"}).results()
    assert [result.rate.goodput_per_s for result in results] == [1000, 2000]
    assert [result.service for result in results] == ["echo", "echo"]
    assert results[0].slices == [Interval(answered=5)]
    assert results[1].slices == 2 * [Interval(completed=10, answered=5)]
    assert b"target" not in msgspec.json.encode(results[0].slices)


def test_a_result_of_another_shape_is_a_sentence() -> None:
    with pytest.raises(LabError, match=r"the result of serverlab-load: .*`verdict`"):
        ended({"schema": 2}).results()
