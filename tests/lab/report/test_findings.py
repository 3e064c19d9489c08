"""The answer of whole runs: what leads, what limits it, what is not compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from serverlab.analysis.results import results
from serverlab.notation import NARROW_SPACE
from serverlab.report.findings import Findings, findings
from tests.lab.report_data import Edit, Record, failed, in_turns, invalid, write_run


def found(folder: Path) -> Findings:
    return findings(results(folder))


def headline(folder: Path) -> str:
    return found(folder).headline.replace(NARROW_SPACE, " ")


def of_engine(engine: str, change: Edit, *, connections: int | None = None) -> Edit:
    """Change the trials of an engine, at one level or at all."""

    def edit(trial: Record) -> Record | None:
        cell = trial["cell"]
        is_it = cell["engine"] == engine and connections in {None, cell.get("connections")}
        return change(trial) if is_it else trial

    return edit


def with_generator_saturated(trial: Record) -> Record:
    return {**trial, "saturated": "generator"}


def with_open_loop(trial: Record) -> Record:
    load = trial["load"]
    return {**trial, "load": {**load, "load": {**load["load"], "model": "open"}}}


def test_the_headline_names_the_leader_with_ratio_interval_and_levels(tmp_path: Path) -> None:
    assert headline(write_run(tmp_path)) == (
        "`epoll-level` has the highest goodput at 1 connection (1.25 times that of `poll`, "
        "1.25 to 1.25), at 64 connections (1.25 times that of `poll`, 1.25 to 1.26) and at "
        "1 000 connections (1.25 times that of `poll`, 1.24 to 1.26)."
    )


def test_engines_that_took_turns_are_compared_slice_by_slice(tmp_path: Path) -> None:
    # One block gives no interval: what the answer rests on are its slices.
    assert "not distinguishable" in headline(write_run(tmp_path / "alone", blocks=1))
    run = write_run(tmp_path / "in turns", blocks=1, edit=in_turns)
    assert headline(run) == (
        "`epoll-level` has the highest goodput at 1, 64 and 1 000 connections "
        "(1.25 times that of `poll`, 1.25 to 1.25)."
    )


def test_slices_of_different_loads_are_no_pairs(tmp_path: Path) -> None:
    def at_another_time(trial: Record) -> Record:
        return {**in_turns(trial), "started_at": f"2026-01-02T03:04:{trial['order']:02}+00:00"}

    run = write_run(tmp_path, blocks=1, edit=at_another_time)
    assert "not distinguishable" in headline(run)


def test_a_slice_without_an_answer_leaves_the_comparison_to_the_blocks(tmp_path: Path) -> None:
    def with_an_empty_slice(trial: Record) -> Record:
        trial = in_turns(trial)
        trial["load"]["series"][2] |= {"completed": 0, "answered": 0}
        return trial

    run = write_run(tmp_path, blocks=1, edit=with_an_empty_slice)
    assert "not distinguishable" in headline(run)


def test_a_saturated_generator_moves_the_ranking_to_server_cpu(tmp_path: Path) -> None:
    run = write_run(tmp_path, edit=of_engine("epoll-level", with_generator_saturated))
    assert headline(run).startswith("`epoll-level` has the lowest server CPU per request at 1")
    level = found(run).panels[0].levels[0]
    _, label, goodput = level.sentences[0]
    assert label == "Goodput (closed loop: peak throughput)"
    assert goodput.startswith("Not ranked")
    assert "with `epoll-level` the generator was saturated and the server was not" in goodput


def test_an_open_loop_is_judged_by_p99_and_is_no_peak_throughput(tmp_path: Path) -> None:
    run = write_run(tmp_path, edit=with_open_loop)
    assert headline(run).startswith("`epoll-level` has the lowest p99 latency at 1 connection")
    answer = found(run)
    assert [label for _, label, _ in answer.panels[0].levels[0].sentences] == [
        "Goodput", "Server CPU per request", "p99 latency", "Server memory",
    ]  # fmt: skip
    assert not any("closed loop" in caveat for caveat in answer.caveats)


def test_a_closed_loop_is_no_verdict_on_latency(tmp_path: Path) -> None:
    answer = found(write_run(tmp_path))
    assert any("its latency is no verdict on latency" in caveat for caveat in answer.caveats)
    _, label, _ = answer.panels[0].levels[0].sentences[2]
    assert label == "p99 latency (closed loop: no verdict on latency)"


def test_the_noise_floor_is_that_of_the_twin(tmp_path: Path) -> None:
    answer = found(write_run(tmp_path))
    [caveat] = [one for one in answer.caveats if "under another name" in one]
    assert caveat.startswith("`poll again` is `poll` under another name.")
    assert (
        answer.panels[0]
        .levels[0]
        .notes[0]
        .startswith("Noise floor, `poll again` against `poll`: goodput 0.1")
    )


SPEEDS = {"poll": 1.0, "threads": 0.5}

CAVEATS = {
    "no twin": ({"speeds": SPEEDS, "twin": None}, "There is no A/A pair in this run"),
    "a busy machine": ({}, "Before the run: other load: 1.50 CPUs busy."),
    "one connection": ({}, "At 1 connection the result is mostly the cost of waking"),
    "one connection everywhere": (
        {"factors": {"connections": [1]}}, "With 1 connection the result is mostly the cost",
    ),
    "one block": ({"blocks": 1}, "There is only one block"),
    "two blocks": ({"blocks": 2}, "With 2 blocks the intervals are very wide"),
    "killed": (
        {"edit": lambda trial: trial if trial["block"] == 1 else None},
        "24 of 36 planned trials have not been run.",
    ),
    "invalid": (
        {"edit": of_engine("threads", invalid, connections=64)},
        "3 of 36 trials were not valid, and no figure is taken from them",
    ),
    "one is invalid": (
        {
            "edit": of_engine(
                "threads",
                lambda trial: invalid(trial) if trial["block"] == 1 else trial,
                connections=64,
            )
        },
        "1 of 36 trials was not valid, and no figure is taken from it",
    ),
    "late in slices": (
        {
            "edit": of_engine(
                "threads", lambda trial: in_turns(invalid(trial, "CLIENT-LIMITED")), connections=64
            )
        },
        "3 of 36 trials were not valid, and at most their server CPU is taken from them",
    ),
    "unsupported": (
        {"edit": of_engine("threads", lambda trial: failed(trial, "UNSUPPORTED"), connections=64)},
        "3 of 36 trials are unsupported on this machine",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("options", "expected"), CAVEATS.values(), ids=CAVEATS.keys())
def test_what_limits_the_answer_is_said(
    tmp_path: Path, options: dict[str, object], expected: str
) -> None:
    run = write_run(tmp_path, **options)  # type: ignore[arg-type]  # each case names its own
    said = [caveat for caveat in found(run).caveats if caveat.startswith(expected)]
    assert len(said) == 1


def test_enough_blocks_and_connections_need_no_caveat_about_them(tmp_path: Path) -> None:
    run = write_run(tmp_path, blocks=3, factors={"connections": [64, 1000]})
    assert not [one for one in found(run).caveats if "block" in one or "1 connection" in one]


def test_an_engine_that_failed_is_named_at_its_level(tmp_path: Path) -> None:
    run = write_run(tmp_path, edit=of_engine("threads", failed, connections=1000))
    levels = found(run).panels[0].levels
    said = "Without a valid trial here: `threads` (FAILED)."
    assert [said in level.notes for level in levels] == [False, False, True]
    assert headline(run).endswith(
        "Without a valid trial: `threads` (FAILED, at 1 000 connections)."
    )


def test_engines_without_a_trial_for_one_reason_are_named_together(tmp_path: Path) -> None:
    def edit(trial: Record) -> Record:
        is_one = trial["cell"]["engine"] in {"threads", "poll"}
        return failed(trial) if is_one and trial["cell"]["connections"] == 1000 else trial

    run = write_run(tmp_path, edit=edit)
    assert headline(run).endswith(
        "Without a valid trial: `poll` and `threads` (FAILED, at 1 000 connections)."
    )


def test_an_engine_that_is_unsupported_did_not_fail(tmp_path: Path) -> None:
    run = write_run(
        tmp_path,
        edit=of_engine("threads", lambda trial: failed(trial, "UNSUPPORTED"), connections=1000),
    )
    assert "Without a valid trial here: `threads` (unsupported)." in (
        found(run).panels[0].levels[2].notes
    )


def test_without_the_baseline_nothing_is_compared_with_it(tmp_path: Path) -> None:
    run = write_run(tmp_path, edit=of_engine("poll", failed))
    assert headline(run).endswith("Without a valid trial: `poll` (FAILED).")
    assert headline(run).startswith("`epoll-level` has the highest goodput at 1")
    for level in found(run).panels[0].levels:
        assert "So nothing is compared with the baseline `poll` here." in level.notes


def test_a_run_without_a_valid_trial_says_why(tmp_path: Path) -> None:
    run = write_run(tmp_path, edit=lambda trial: invalid(trial, "SHARED-CPU", "both ran on CPU 0"))
    assert headline(run) == (
        "At 1, 64 and 1 000 connections no trial is valid: "
        "36 of 36 are SHARED-CPU (both ran on CPU 0)."
    )


def test_an_engine_that_is_alone_is_not_ranked(tmp_path: Path) -> None:
    run = write_run(
        tmp_path,
        factors={"connections": [64]},
        edit=lambda trial: trial if trial["cell"]["engine"] == "threads" else failed(trial),
    )
    assert headline(run) == (
        "Only `threads` has valid trials, with a goodput of 27 500 requests/s. "
        "Without a valid trial: `poll` and `epoll-level` (FAILED)."
    )


def test_a_run_without_any_trial_says_so(tmp_path: Path) -> None:
    run = write_run(tmp_path, edit=lambda _: None)
    assert headline(run) == "At 1, 64 and 1 000 connections no trial has been run."


def test_levels_with_other_leaders_have_sentences_of_their_own(tmp_path: Path) -> None:
    run = write_run(tmp_path, edit=of_engine("epoll-level", failed, connections=1000))
    assert headline(run) == (
        "`epoll-level` has the highest goodput at 1 connection (1.25 times that of `poll`, "
        "1.25 to 1.25) and at 64 connections (1.25 times that of `poll`, 1.25 to 1.26). "
        "The baseline `poll` has the highest goodput at 1 000 connections "
        "(`threads` 0.500 times that, 0.497 to 0.502). "
        "Without a valid trial: `epoll-level` (FAILED, at 1 000 connections)."
    )


def test_few_medium_and_many_levels_are_put_into_words(tmp_path: Path) -> None:
    run = write_run(tmp_path, factors={"connections": [8, 16, 32, 64, 128, 256]})
    assert [level.heading for level in found(run).panels[0].levels] == [
        "At 8 connections", "At 64 connections", "At 256 connections",
    ]  # fmt: skip


def test_each_panel_has_an_answer_of_its_own(tmp_path: Path) -> None:
    others = {"payload": ["64 B", "16 KiB"], "queue": ["fifo", "lifo"]}
    panels = found(write_run(tmp_path, factors={"connections": [8, 64], **others})).panels
    assert [panel.label for panel in panels] == [
        "payload 64 B, queue fifo", "payload 64 B, queue lifo",
        "payload 16 KiB, queue fifo", "payload 16 KiB, queue lifo",
    ]  # fmt: skip


def test_one_engine_is_compared_with_itself_along_x(tmp_path: Path) -> None:
    def slower(trial: Record) -> Record:
        rate = trial["load"]["rate"]
        threads = trial["cell"]["threads"]
        more = {**rate, "goodput_per_s": threads * rate["goodput_per_s"]}
        latency = {**trial["load"]["latency_ns"], "min": 1}  # so that Little's law lets it
        return {**trial, "load": {**trial["load"], "rate": more, "latency_ns": latency}}

    run = write_run(
        tmp_path, speeds={"poll": 1.0}, twin=None, factors={"threads": [1, 2, 4]}, edit=slower
    )
    assert headline(run).startswith(
        "`poll` has a goodput of 220 000 requests/s at 4 threads, 4.00 times that at 1 thread ("
    )
    assert headline(run).endswith(
        "at 4 threads, not distinguishable from that at 1 thread, 11.0 µs."
    )


def order_at(folder: Path, level: int) -> list[str]:
    notes = found(folder).panels[0].levels[level].notes
    return [note for note in notes if note.startswith("In order of")]


def test_all_engines_of_a_level_are_put_in_order(tmp_path: Path) -> None:
    run = write_run(tmp_path)
    said = "In order of goodput: 1 `epoll-level`; 2 `poll`; 3 `threads`."
    assert order_at(run, 1) == [said]


def test_engines_that_cannot_be_told_apart_share_their_ranks(tmp_path: Path) -> None:
    speeds = {"poll": 1.0, "threads": 0.5, "select": 1.0, "poll again": 1.0}
    [said] = order_at(write_run(tmp_path, speeds=speeds), 1)
    assert said.endswith("told apart: 1–2 `poll` and `select`; 3 `threads`.")


def test_what_is_not_decided_says_how_much_longer_it_would_take(tmp_path: Path) -> None:
    def restless(trial: Record) -> Record:
        trial["started_at"] = f"2026-01-01T00:{10 * trial['block']}:00.000+00:00"
        if trial["cell"]["engine"] == "epoll-level":
            rate = trial["load"]["rate"]
            rate["goodput_per_s"] *= {1: 0.9, 2: 0.6, 3: 0.8}[trial["block"]]
        return trial

    answer = found(write_run(tmp_path, factors={}, edit=restless))
    [caveat] = [one for one in answer.caveats if "not distinguishable in goodput is known" in one]
    assert "needs about" in caveat
    assert "more" in caveat
    sure = found(write_run(tmp_path / "sure", factors={}))
    assert not any("is known to" in one for one in sure.caveats)


def beside_other_work(cpus: float | None) -> Edit:
    """Nothing was saturated, and other work kept so many CPUs busy."""
    return lambda trial: {**trial, "saturated": "neither", "other_cpus_busy": cpus}


def test_the_answer_names_other_work_that_took_cpu_time(tmp_path: Path) -> None:
    busy = write_run(tmp_path / "busy", edit=beside_other_work(0.31))
    assert headline(busy).endswith(
        "Other work took 0.31 CPUs from server and generator meanwhile (at most 0.31 in a trial), "
        "so that latencies of 36 trials do not count."
    )
    quiet = write_run(tmp_path / "quiet", edit=beside_other_work(0.05))
    assert "ther work" not in headline(quiet)


@pytest.mark.parametrize(
    ("cpus", "limit"),
    [
        (0.05, "waiting limits the goodput."),
        (0.31, "other work, which kept 0.31 CPUs busy, or waiting limits the goodput."),
        (None, "waiting limits the goodput, or other work."),
    ],
)
def test_waiting_is_the_limit_only_where_other_work_is_excluded(
    cpus: float | None, limit: str, tmp_path: Path
) -> None:
    run = write_run(tmp_path, edit=beside_other_work(cpus))
    [panel] = found(run).panels
    assert any(
        note.endswith(f"neither CPU was saturated: {limit}") for note in panel.levels[0].notes
    )
