"""Each planted corruption gets its verdict, and clean results get none."""

from __future__ import annotations

import contextlib
import json
import re
import tempfile
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from serverlab.audit import audit, reading
from serverlab.audit.audit import audited
from serverlab.audit.finding import Judgement
from serverlab.audit.page import write_page
from serverlab.audit.reading import read
from serverlab.audit.row import Table
from serverlab.errors import UsageError
from tests.lab.any_input import changed
from tests.lab.audit.corruptions import (
    AB,
    BOUND,
    HEY,
    MEMTIER,
    ODD,
    OF_DOCUMENTS,
    OF_ROWS,
    OF_TEXTS,
    OF_TRIALS,
    OLD_RUNS,
    REDIS,
    TIED,
    WRK,
    WRK2,
    Rows,
    Text,
    arena,
    fortio,
    k6,
    memtier,
    oha,
    sample,
    techempower,
)
from tests.lab.command_line import call


def verdicts(table: Table) -> list[tuple[str, str]]:
    """What is said of each row."""
    return [(one.finding.judgement, one.finding.reason) for one in audited(table)]


def expect_one(table: Table, verdict: Judgement, words: str) -> None:
    """One row has that verdict for that reason, and the others have none."""
    odd = [one for one in audited(table) if one.finding.judgement != Judgement.PLAUSIBLE]
    assert [one.finding.judgement for one in odd] == [verdict], odd
    reasons = [one.reason for one in odd[0].findings if one.judgement == verdict]
    assert any(words in reason for reason in reasons), reasons


def write(folder: Path, content: object) -> Path:
    """A file of a text, or of a document."""
    path = folder / "result"
    text = content if isinstance(content, str) else json.dumps(content, indent=2)
    path.write_text(text, encoding="utf-8", newline="")
    return path


def test_there_are_thirty_corruptions_and_more() -> None:
    assert len(OF_TEXTS) + len(OF_ROWS) + len(OF_DOCUMENTS) + len(OF_TRIALS) >= 30


@pytest.mark.parametrize(("name", "edit", "verdict", "words"), OF_TEXTS.values(), ids=OF_TEXTS)
def test_a_corrupted_output_gets_its_verdict(
    tmp_path: Path, name: str, edit: Callable[[Text], Text], verdict: Judgement, words: str
) -> None:
    expect_one(read(write(tmp_path, edit(sample(name)))), verdict, words)


@pytest.mark.parametrize(("place", "edit", "verdict", "words"), OF_ROWS.values(), ids=OF_ROWS)
def test_a_corrupted_row_of_a_ranking_gets_its_verdict(
    tmp_path: Path, place: int, edit: Callable[[Rows], Rows], verdict: Judgement, words: str
) -> None:
    found = verdicts(read(write(tmp_path, edit(arena()))))
    assert found[place][0] == verdict, found[place]
    assert words in found[place][1]
    graver = [one for one in found if one[0] not in {TIED, Judgement.PLAUSIBLE}]
    assert len(graver) == (10 if verdict == BOUND else int(verdict != TIED)), graver


@pytest.mark.parametrize(("document", "verdict", "words"), OF_DOCUMENTS.values(), ids=OF_DOCUMENTS)
def test_a_corrupted_document_gets_its_verdict(
    tmp_path: Path, document: dict[str, Any], verdict: Judgement, words: str
) -> None:
    expect_one(read(write(tmp_path, document)), verdict, words)


@pytest.mark.parametrize(("trial", "verdict", "words"), OF_TRIALS.values(), ids=OF_TRIALS)
def test_a_corrupted_trial_gets_its_verdict(
    tmp_path: Path, trial: dict[str, Any], verdict: Judgement, words: str
) -> None:
    expect_one(read(write(tmp_path, json.dumps(trial) + "\n")), verdict, words)


@pytest.mark.parametrize(
    "content",
    [
        *map(sample, (WRK, WRK2, AB, HEY, REDIS, "redis-benchmark-7.0.15.csv", MEMTIER)),
        *((run / "trials.jsonl").read_text() for run in sorted(OLD_RUNS.iterdir())),
        arena(),
        fortio(),
        oha(),
        k6(),
        memtier(),
        techempower(),
    ],
    ids=lambda content: str(content)[:20],
)
def test_clean_results_are_plausible(tmp_path: Path, content: object) -> None:
    assert {verdict for verdict, _ in verdicts(read(write(tmp_path, content)))} == {"PLAUSIBLE"}


def test_latencies_that_wrk_adds_to_its_mean_are_a_reason(tmp_path: Path) -> None:
    [(verdict, reason)] = verdicts(read(write(tmp_path, sample("wrk-4.1.0-with-added.txt"))))
    assert verdict == ODD
    assert "make 78.4 in flight, where 64 are possible: wrk adds latencies" in reason


def test_a_mean_that_memtier_does_not_write_is_found(tmp_path: Path) -> None:
    # In this state of its repository the totals of the JSON have a mean of 0.
    [(verdict, reason)] = verdicts(read(write(tmp_path, sample("memtier-2f74d61.json"))))
    assert verdict == Judgement.IMPOSSIBLE
    assert reason == "the mean, 0\u202fµs, is below the shortest, 8.00\u202fµs"


def test_a_command_line_above_a_run_says_what_the_tool_does_not_print(tmp_path: Path) -> None:
    [of_wrk2] = read(write(tmp_path, sample(WRK2))).rows
    assert of_wrk2.offered_per_s == 2000
    [of_hey] = read(write(tmp_path, f"$ hey -c 20 -q 100 http://a/\n{sample(HEY)}")).rows
    assert (of_hey.places, of_hey.offered_per_s) == (20, 2000)
    rows = read(write(tmp_path, f"redis-benchmark -t set,get -c 16 -P 4\n{sample(REDIS)}")).rows
    assert [row.places for row in rows] == [64, 64]
    first, second = read(write(tmp_path, f"$ hey -c 7 x\n{sample(HEY)}{sample(HEY)}")).rows
    assert (first.places, second.places) == (7, None)


def test_lines_may_end_as_those_of_other_systems(tmp_path: Path) -> None:
    text = sample(WRK)
    assert (
        read(write(tmp_path, text.replace("\n", "\r\n"))).rows == read(write(tmp_path, text)).rows
    )


def test_a_plausible_row_says_what_was_checked(tmp_path: Path) -> None:
    [(_, reason)] = verdicts(read(write(tmp_path, sample(WRK))))
    assert reason == (
        "14.5 of 16 in flight, 6 figures of the latency and the count with the rate fit"
    )


def test_streams_that_a_ranking_does_not_mention_are_a_reason(tmp_path: Path) -> None:
    found = verdicts(read(write(tmp_path, arena(streams=40))))
    assert {verdict for verdict, _ in found} == {ODD}
    assert " times as many as they say: streams of HTTP/2" in found[0][1]


def test_several_runs_in_one_text_are_several_rows(tmp_path: Path) -> None:
    for name in (WRK, AB, HEY):
        assert len(read(write(tmp_path, sample(name) * 3)).rows) == 3


OF_ANOTHER_VERSION = {
    "schema": 2,
    "trial": "b1-001",
    "block": 1,
    "order": 1,
    "cell": {},
    "engine": "poll",
    "service": "echo",
    "server_settings": {},
    "load_settings": {},
    "verdict": {"name": "VALID"},
}
BAD = {
    "nothing": ("", "is of no tool that is known: wrk"),
    "another text": ("hello\n", "is of no tool that is known"),
    "half a file of wrk": (sample(WRK)[:330], "the output of wrk ends before its rate"),
    "half a document": (json.dumps(fortio())[:200], "cannot be read"),
    "a document of another kind": ('{"a": 1}', "is of no tool that is known"),
    "an empty list": ("[]", "has no result in it"),
    "a list of something else": ("[1]", "is of no tool that is known"),
    "another list of metrics": ('{"metrics": [{"label": "x"}]}', "is of no tool that is known"),
    "a line without an end": ("Running 1s test @ x " + "9" * 5000, "is of no tool that is known"),
    "a table that is cut off": (
        sample("redis-benchmark-7.0.15.csv")[:150],
        "a line of redis-benchmark ends before its last column",
    ),
    "a trial that is none": ('{"trial": "b1-001", "verdict": 1}\n', "cannot be read: line 1: "),
    "no duration": (json.dumps(techempower() | {"duration": 0}), "its duration is 0"),
    "a list of no results": ('[{"framework": "x"}]', "cannot be read: Object missing required"),
    "a number where a text is due": (
        json.dumps([arena()[0] | {"duration": "soon"}]),
        "no time",
    ),
    "deep nesting": ("[" * 100_000, "nested too deeply"),
    "another version": (
        json.dumps(OF_ANOTHER_VERSION) + "\n",
        "line 1 is of schema 2, and 1 is known",
    ),
}


@pytest.mark.parametrize(("content", "sentence"), BAD.values(), ids=BAD)
def test_what_is_no_result_is_one_sentence(tmp_path: Path, content: str, sentence: str) -> None:
    path = write(tmp_path, content)
    with pytest.raises(UsageError, match=re.escape(sentence)) as error:
        read(path)
    assert str(error.value).startswith((str(path), "cannot read"))


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "result"
    path.write_bytes(b"\xff\xfe\x00wrk")
    with pytest.raises(UsageError, match="result is neither text nor JSON"):
        read(path)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read .*: Is a directory"):
        read(tmp_path)


def test_a_file_that_is_larger_than_results_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "BYTES_MAX", 1 << 20)
    with pytest.raises(UsageError, match="result has more than 1 MiB"):
        read(write(tmp_path, sample(WRK) * 3000))


def test_empty_lines_cost_time_in_proportion(tmp_path: Path) -> None:
    # A pattern that begins with any white space would read the rest of the file from each line.
    assert len(read(write(tmp_path, sample(WRK) + "\n" * 500_000 + sample(AB))).rows) == 1


@settings(derandomize=True, deadline=None, max_examples=150)
@given(st.data())
def test_any_document_is_audited_or_refused(data: st.DataObject) -> None:
    right = data.draw(
        st.sampled_from([arena()[:2], fortio(), oha(), k6(count=3), memtier(), techempower()])
    )
    expect_a_verdict(json.dumps(data.draw(changed(right))))


@settings(derandomize=True, deadline=None, max_examples=150)
@given(st.data())
def test_any_text_is_audited_or_refused(data: st.DataObject) -> None:
    text = sample(data.draw(st.sampled_from([WRK, WRK2, AB, HEY, REDIS, MEMTIER])))
    begin = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(begin, min(len(text), begin + 40)))
    between = data.draw(st.sampled_from(["", "0", "-1", "9" * 400, "1e999", "\0", "\n", "nan"]))
    expect_a_verdict(text[:begin] + between + text[end:])


def expect_a_verdict(text: str) -> None:
    """Each row has a verdict and a reason, or the file is refused."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "result"
        path.write_bytes(text.encode(errors="surrogatepass"))
        try:
            table = read(path)
        except UsageError:
            return
        assert all(one.finding.reason for one in audited(table))
        write_page(path, [(table, audited(table))])


def test_the_page_has_what_else_was_found_of_a_row(tmp_path: Path) -> None:
    table = read(write(tmp_path, OF_ROWS["a rate doubled"][1](arena())))
    table = Table(path="t", tool="t", rows=[replace(table.rows[5], errors=9_000_000)])
    write_page(tmp_path / "page.html", [(table, audited(table))])
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count("<small>UNEXPLAINED: ") == 2  # errors, and a count that does not fit
    assert page.count("<td>IMPOSSIBLE</td>") == 1


def test_the_command_audits_what_it_can_and_names_the_rest(tmp_path: Path) -> None:
    write(tmp_path, arena()).rename(tmp_path / "clean.json")
    _, doubled, _, _ = OF_ROWS["a rate doubled"]
    wrong = doubled(arena())
    write(tmp_path, wrong).rename(tmp_path / "wrong.json")
    (tmp_path / "none.txt").write_text("hello", encoding="utf-8")
    done = call("audit", "clean.json", "--html=page.html", cwd=tmp_path)
    assert done.returncode == 0
    assert "clean.json: 30 results of HttpArena: 30 PLAUSIBLE" in done.stdout
    done = call("audit", "clean.json", "wrong.json", "--html=page.html", cwd=tmp_path)
    assert done.returncode == 1
    assert "IMPOSSIBLE  server-5, 512 connections, depth 1: 1\u202f490\u202f000" in done.stdout
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "server-29" in page
    assert "29 PLAUSIBLE" in page
    done = call("audit", "none.txt", "clean.json", "--json", cwd=tmp_path)
    assert done.returncode == 2
    document = json.loads(done.stdout)
    assert [len(file["rows"]) for file in document["files"]] == [30]
    assert document["refused"] == [done.stderr.strip().removeprefix("serverlab: ")]


@pytest.mark.parametrize(
    ("content", "size"),
    [(b"\n" * ((16 << 20) + 1), "16 MiB"), (b"{" + b"\n" * (64 << 20) + b"}", "64 MiB")],
    ids=["text", "document"],
)
def test_a_file_that_no_tool_writes_is_refused_before_it_takes_memory(
    tmp_path: Path, content: bytes, size: str
) -> None:
    path = tmp_path / "result"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=f"cannot be read: it has more than {size}"):
        read(path)


def test_lines_are_read_one_by_one() -> None:
    lines = (min(OLD_RUNS.iterdir()) / "trials.jsonl").read_bytes()
    content = lines + b"\n" * (1 << 20)
    tracemalloc.start()
    try:
        assert reading.table_of(content, "trials.jsonl")
        assert tracemalloc.get_traced_memory()[1] < 4 * len(content)
    finally:
        tracemalloc.stop()


def test_what_the_rows_of_a_group_have_in_common_is_found_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups: list[int] = []

    def streams_of(group: list[object]) -> float:
        groups.append(len(group))
        return 1

    monkeypatch.setattr(audit, "streams_of", streams_of)
    audited(read(write(tmp_path, arena())))
    assert groups == [len(arena())]


@pytest.mark.parametrize("tool", [WRK, WRK2, AB, HEY, REDIS, MEMTIER])
def test_each_number_of_a_text_may_have_any_size(tmp_path: Path, tool: str) -> None:
    text = sample(tool)
    for match in re.finditer(r"\d+(\.\d+)?", text):
        for number in ("9" * 400, "1e999", "0"):
            with contextlib.suppress(UsageError):
                table = read(write(tmp_path, text[: match.start()] + number + text[match.end() :]))
                assert all(one.finding.reason for one in audited(table))
