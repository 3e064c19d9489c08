"""What a duel says, of runs whose figures are known."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from serverlab.analysis.comparisons import LOWER, NOT_DISTINGUISHABLE
from serverlab.analysis.results import Results, results
from serverlab.duel.command import all_sentences, as_markdown, gate_of, gate_sentences
from serverlab.duel.command import judge as judge_gate
from serverlab.duel.costs import cost_sentences, costs
from serverlab.duel.outcome import Row, judge, outcome, sentences
from serverlab.notation import NARROW_SPACE
from serverlab.quantities import Level
from serverlab.report.answer import ratio_tables
from serverlab.report.findings import findings
from tests.lab import report_data

MEASURES = ["server-cpu-per-request", "goodput"]


def rows_of(folder: Path, speeds: dict[str, float]) -> list[Row]:
    """The rows of a duel between engines of these speeds, the first one the baseline."""
    return outcome(found_by(folder, speeds))


def found_by(
    folder: Path, speeds: dict[str, float], factors: dict[str, list[Level]] | None = None
) -> Results:
    """What such a duel has found."""

    def with_its_model(trial: report_data.Record) -> report_data.Record:
        """Its load is of the model that the cell names."""
        trial["load"]["load"]["model"] = trial["cell"].get("model", "closed")
        return trial

    baseline = next(iter(speeds))
    run = report_data.write_run(
        folder,
        speeds={**speeds, f"{baseline} again": speeds[baseline]},
        factors=factors or {},
        blocks=8,
        baseline=baseline,
        twin=f"{baseline} again",
        edit=with_its_model,
    )
    report_data.decide_by(run, *MEASURES)
    return results(run)


def test_equal_servers_are_not_distinguishable(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, {"poll": 1.0, "other": 1.0})
    assert not any(row.differs for row in rows)
    assert sentences(rows) == [
        "other and poll are not distinguishable in server CPU per request and goodput."
    ]


def test_a_faster_server_is_said_with_its_ratio(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, {"poll": 1.0, "other": 1.25, "third": 1.0})
    assert [(row.subject, row.measure.name, row.verdict) for row in rows] == [
        ("other", "server-cpu-per-request", "lower"),
        ("third", "server-cpu-per-request", "not distinguishable"),
        ("other", "goodput", "higher"),
        ("third", "goodput", "not distinguishable"),
    ]
    first, second = sentences(rows)
    assert first.startswith("other has 0.80")
    assert " times the server CPU per request and 1.2" in first
    assert first.endswith("times the goodput of poll.")
    assert second.startswith("third and poll are not distinguishable in")


def test_server_cpu_is_compared_at_the_fixed_rate_as_well(tmp_path: Path) -> None:
    models: list[Level] = ["closed", "open"]
    rows = outcome(found_by(tmp_path, {"poll": 1.0, "other": 1.25}, {"model": models}))
    assert [(row.measure.name, row.where, row.verdict) for row in rows] == [
        ("server-cpu-per-request", "", "lower"),
        ("server-cpu-per-request", "at a fixed rate", "lower"),
        ("goodput", "", "higher"),
    ]
    [sentence] = sentences(rows)
    assert " times the server CPU per request at a fixed rate" in sentence


def test_server_cpu_at_the_fixed_rate_is_in_the_report_as_well(tmp_path: Path) -> None:
    models: list[Level] = ["closed", "open"]
    shown = found_by(tmp_path, {"poll": 1.0, "other": 1.25}, {"model": models})
    first, *_ = ratio_tables(shown)
    assert first.title.startswith("Server CPU per request")
    assert [row[0] for row in first.rows] == ["other, closed", "other, open"]


def test_an_interval_that_excludes_hardly_anything_is_no_ratio(tmp_path: Path) -> None:
    def noisy(trial: report_data.Record) -> report_data.Record:
        """The second server has from a tenth to ten times what it has elsewhere."""
        if trial["cell"]["engine"] == "other":
            trial["load"]["rate"]["goodput_per_s"] *= 10.0 ** ((trial["block"] % 3) - 1)
        return trial

    run = report_data.write_run(
        tmp_path, speeds={"poll": 1.0, "other": 1.0}, factors={}, baseline="poll", twin=None,
        edit=noisy,
    )  # fmt: skip
    report_data.decide_by(run, "goodput")
    shown = results(run)
    [row] = outcome(shown)
    assert (row.ratio, row.verdict) == (None, "too noisy to tell")
    [table] = ratio_tables(shown)
    assert table.rows == (("other", "too noisy to tell"),)
    why = "or pauses of the machine held up some blocks and not others"
    assert findings(shown).headline.startswith(
        f"Goodput is too noisy to tell `poll` and `other` apart: other work {why}."
    )
    assert f"In goodput other work {why}." in all_sentences(shown, [row], [])


def test_what_was_not_measured_is_said_before_what_disturbed_the_others(tmp_path: Path) -> None:
    def edit(trial: report_data.Record) -> report_data.Record:
        if trial["cell"]["engine"] == "other":
            return report_data.failed(trial, "NOT-OFFERED")
        return {**trial, "other_cpus_busy": 0.63}

    run = report_data.write_run(
        tmp_path, speeds={"poll": 1.0, "other": 1.0}, factors={}, baseline="poll", twin=None,
        edit=edit,
    )  # fmt: skip
    report_data.decide_by(run, "latency-p99")
    assert [row.verdict for row in outcome(results(run))] == ["other: NOT-OFFERED"]


def test_what_chance_does_in_more_than_three_of_a_hundred_duels_is_no_difference(
    tmp_path: Path,
) -> None:
    [row, *_] = rows_of(tmp_path, {"poll": 1.0, "other": 1.25})
    open_row = replace(row, verdict=NOT_DISTINGUISHABLE)
    verdicts = [judge(open_row, p_value).verdict for p_value in (0.029, 0.031, 0.049)]
    assert verdicts == [LOWER, NOT_DISTINGUISHABLE, NOT_DISTINGUISHABLE]


def test_a_gate_fails_beyond_doubt_alone(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, {"poll": 1.0, "other": 0.8})
    assert list(gate_sentences(gate_of("cpu > 1.02x"), rows))
    assert list(gate_sentences(gate_of("goodput < 0.9x"), rows))
    assert not list(gate_sentences(gate_of("cpu > 1.5x"), rows))
    assert not list(gate_sentences(gate_of("goodput > 0.9x"), rows))
    [sentence] = gate_sentences(gate_of("cpu > 1.02x"), rows)
    assert sentence.startswith("cpu > 1.02x: other over poll is 1.2")


def test_a_gate_is_in_the_sentences_of_a_duel_whether_it_is_kept_or_broken(tmp_path: Path) -> None:
    shown = found_by(tmp_path, {"poll": 1.0, "other": 0.8})
    rows = outcome(shown)
    gates = [judge_gate(gate_of(text), rows) for text in ("cpu > 1.02x", "goodput < 0.5x")]
    document = as_markdown(shown, rows, gates)
    assert "Gate cpu \\> 1.02x: broken." in document
    assert "Gate goodput \\< 0.5x: kept." in document


def test_a_gate_is_broken_only_where_the_table_says_that_they_differ(tmp_path: Path) -> None:
    [row, *_] = rows_of(tmp_path, {"poll": 1.0, "other": 0.8})
    alike = replace(row, verdict=NOT_DISTINGUISHABLE)
    assert list(gate_sentences(gate_of("cpu > 1.02x"), [row]))
    assert not list(gate_sentences(gate_of("cpu > 1.02x"), [alike]))


def test_latencies_beside_other_work_have_no_ratio_and_say_why(tmp_path: Path) -> None:
    def beside(trial: report_data.Record) -> report_data.Record:
        return {**trial, "other_cpus_busy": 0.63}

    run = report_data.write_run(tmp_path, factors={}, edit=beside)
    report_data.decide_by(run, "latency-p99")
    shown = results(run)
    rows = outcome(shown)
    assert rows
    assert all(row.ratio is None for row in rows)
    assert {row.verdict for row in rows} == {"other work took 0.63 CPUs"}
    document = as_markdown(shown, rows, [])
    assert "Other work took 0.63 CPUs" in document


def test_the_cost_of_a_request_is_told_in_its_two_parts(tmp_path: Path) -> None:
    found = list(costs(found_by(tmp_path, {"poll": 1.0, "other": 2.0})))
    assert [one.subject for one in found] == ["poll", "other"]
    for one in found:
        assert one.user_ns / (one.user_ns + one.kernel_ns) == pytest.approx(0.2 / 0.99)
    [sentence] = cost_sentences(found)
    assert re.fullmatch(
        r"CPU time of a request, in user mode and in the kernel: "
        r"poll [\d.]+ µs and [\d.]+ µs; other [\d.]+ µs and [\d.]+ µs\.",
        sentence.replace(NARROW_SPACE, " "),
    ), sentence
