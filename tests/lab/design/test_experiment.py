"""Experiment files: what they mean, and what is said of those that are not in order."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from serverlab.design.catalog import catalog as real_catalog
from serverlab.design.experiment import Experiment, parse, read_experiment
from serverlab.design.plan import make_plan
from serverlab.errors import UsageError

if TYPE_CHECKING:
    from serverlab.design.catalog import Catalog

EXPERIMENTS = Path(__file__).resolve().parents[3] / "experiments"

PLAIN = """
question = "Which one?"
[server]
engine = ["threads", "poll"]
threads = 4
[load]
connections = [1, 64]
payload = "64 B"
"""


def read(text: str, catalog: Catalog) -> Experiment:
    return parse(tomllib.loads(text), name="test", text=text, catalog=catalog)


def test_a_list_is_a_factor_and_a_scalar_is_fixed(small_catalog: Catalog) -> None:
    experiment = read(PLAIN, small_catalog)
    assert experiment.factors == {"connections": [1, 64]}
    assert list(experiment.variants) == ["threads", "poll"]
    assert experiment.server == {"threads": "4"}
    assert experiment.load == {"payload": "64 B"}


def test_the_first_engine_is_the_baseline_and_there_are_five_blocks(small_catalog: Catalog) -> None:
    design = read(PLAIN, small_catalog).design
    assert (design.baseline, design.blocks, design.twin) == ("threads", 5, True)


def test_an_engine_table_holds_settings_of_one_engine(small_catalog: Catalog) -> None:
    variant = read(PLAIN + '[engine.poll]\nqueue = "lifo"\n', small_catalog).variants["poll"]
    assert (variant.engine, variant.settings) == ("poll", {"queue": "lifo"})


def test_a_table_with_is_makes_a_variant_of_another_engine(small_catalog: Catalog) -> None:
    text = (
        PLAIN.replace('"poll"]', '"poll old"]')
        + '[engine."poll old"]\nis = "poll"\nnodelay = false\n'
    )
    variant = read(text, small_catalog).variants["poll old"]
    assert (variant.engine, variant.settings) == ("poll", {"nodelay": "off"})


MODELS = PLAIN + 'model = ["closed", "open"]\nrate = 1000\nthink = "1ms"\n'


def test_a_setting_that_not_every_level_of_model_uses_goes_to_those_that_use_it(
    small_catalog: Catalog,
) -> None:
    trials = make_plan(read(MODELS, small_catalog), seed=1).trials
    given = {
        trial.cell["model"]: trial.load_settings.keys() & {"rate", "think"} for trial in trials
    }
    assert given == {"closed": {"think"}, "open": {"rate"}}


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        ("requests = 3", "[load] requests is used by none of the models closed, open"),
        ("rate = [1, 2]", "[load] rate is a factor, and model closed does not use it"),
    ],
)
def test_a_setting_that_no_level_of_model_uses_and_a_factor_of_some_are_refused(
    more: str, complaint: str, small_catalog: Catalog
) -> None:
    with pytest.raises(UsageError) as refused:
        read(PLAIN + f'model = ["closed", "open"]\n{more}\n', small_catalog)
    assert str(refused.value) == complaint


def test_no_experiment_gives_a_setting_that_its_model_does_not_use() -> None:
    catalog = real_catalog()
    for path in sorted(EXPERIMENTS.rglob("*.toml")):
        for trial in make_plan(read_experiment(path, catalog), seed=1).trials:
            model = trial.load_settings.get("model", "closed")
            assert catalog.unused(model, trial.load_settings) == set(), path


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("threads = 4", "treads = 4"), "[server] has no key 'treads'; did you mean threads?"),
        (("payload =", "payloda ="), "[load] has no key 'payloda'; did you mean payload?"),
        (('"poll"]', '"pol"]'), "there is no engine 'pol'; did you mean poll"),
        (('"poll"]', '"threads"]'), "engine names a level twice"),
        (("[1, 64]", "[]"), "connections is an empty list"),
        (("threads = 4", 'queue = "random"'), "[server] queue: 'random' is not one of fifo, lifo"),
        (("threads = 4", 'listen = "x:1"'), "[server] has no key 'listen'"),
        (("threads = 4", "threads = {}"), "[server] threads: {} is neither a text nor a number"),
        (('question = "Which one?"', ""), "question is missing"),
        (('engine = ["threads", "poll"]', ""), "[server] engine is missing"),
        (("[load]", "[laod]"), "the file has no key 'laod'; did you mean load?"),
    ],
)
def test_what_is_wrong_is_named(
    change: tuple[str, str], complaint: str, small_catalog: Catalog
) -> None:
    with pytest.raises(UsageError) as caught:
        read(PLAIN.replace(*change), small_catalog)
    assert complaint in str(caught.value)


def test_a_factor_of_both_programs_has_the_same_levels_in_both(small_catalog: Catalog) -> None:
    both = PLAIN.replace("[load]", "nodelay = ['on', 'off']\n[load]\nnodelay = ['on', 'off']")
    assert read(both, small_catalog).factors["nodelay"] == ["on", "off"]
    differing = both.replace("'on', 'off'", "'off'", 1)
    with pytest.raises(UsageError, match=r"nodelay is a factor of \[server\] and \[load\]"):
        read(differing, small_catalog)


@pytest.mark.parametrize(
    ("design", "complaint"),
    [
        ("blocks = 0", "blocks: 0 is not a whole number from 1 to 1000"),
        ("blocks = true", "blocks: True is not a whole number"),
        ('baseline = "nginx"', "baseline: 'nginx' is none of the engines threads, poll"),
        ("sead = 3", "[design] has no key 'sead'; did you mean seed?"),
        ('twin = "yes"', "twin: 'yes' is neither true nor false"),
        ("connection_log = 1", "connection_log: 1 is neither true nor false"),
        ("precision = 3", "precision: 3 is not a share such as 0.03"),
        ("precision = 1.5", "precision: 1.5 is not a share"),
        ("precision = {}", "precision: it names no measure"),
        ("precision = { goodputt = 0.03 }", "no measure 'goodputt'; did you mean goodput"),
        ("precision = { goodput = 3 }", "precision.goodput: 3 is not a share such as 0.03"),
        ("blocks_max = 9", "blocks_max needs a precision"),
        ('time_max = "9 s"', "time_max needs a precision"),
        ('precision = 0.03\ntime_max = "9"', "time_max: '9'"),
        ("precision = 0.03\nblocks_max = 4", "blocks_max: 4 is less than the 5 blocks"),
        ("precision = 0.03\nblocks_max = 2.5", "blocks_max: 2.5 is not a whole number"),
        ('kind = "mixed"', "kind: 'mixed' is not one of separate, interleaved"),
        ("exclude = 3", "exclude is a list of levels"),
        ("exclude = [{}]", "exclude is a list of levels"),
        ('exclude = [{engine = "poll"}]', "exclude: engine is compared"),
        ("exclude = [{backlog = 4}]", "'backlog' is no factor; factors that are not compared"),
        ("exclude = [{connections = 7}]", "exclude: 7 is no level of connections: 1, 64"),
        ("exclude = [{connections = 1}, {connections = 64}]", "leaves nothing to measure"),
    ],
)
def test_a_bad_design_is_named(design: str, complaint: str, small_catalog: Catalog) -> None:
    with pytest.raises(UsageError) as caught:
        read(f"{PLAIN}[design]\n{design}\n", small_catalog)
    assert complaint in str(caught.value)


def test_a_relative_rate_keeps_the_closed_loop_that_it_needs(small_catalog: Catalog) -> None:
    relative = PLAIN.replace("[load]", '[load]\nrate = "50%"')
    open_too = 'exclude = [{model = "open", connections = 64}]'
    assert read(f"{relative}[design]\n{open_too}\n", small_catalog).design.exclude
    with pytest.raises(UsageError, match="the relative rate needs the closed loop"):
        read(f"{relative}[design]\n{open_too.replace('open', 'closed')}\n", small_catalog)


def test_one_engine_takes_turns_with_its_twin_or_not_at_all(small_catalog: Catalog) -> None:
    text = PLAIN.replace('["threads", "poll"]', '"poll"') + '[design]\nkind = "interleaved"\n'
    with pytest.raises(UsageError, match="no other to take turns with"):
        read(text, small_catalog)
    assert read(text + "twin = true\n", small_catalog).design.twin


def test_a_precision_may_take_thirty_blocks(small_catalog: Catalog) -> None:
    text = f"{PLAIN}[design]\nprecision = 0.03\n"
    assert read(text, small_catalog).design.blocks_max == 30
    assert read(f"{text}blocks = 40\n", small_catalog).design.blocks_max == 40
    assert read(PLAIN, small_catalog).design.precision is None


def test_one_engine_has_no_ratio_to_be_precise_about(small_catalog: Catalog) -> None:
    text = PLAIN.replace('["threads", "poll"]', '"poll"') + "[design]\nprecision = 0.03\n"
    with pytest.raises(UsageError, match="one subject has no ratio to a baseline"):
        read(text, small_catalog)


def test_a_table_for_an_engine_that_takes_no_part_is_refused(small_catalog: Catalog) -> None:
    with pytest.raises(UsageError, match="has no key 'epoll-level'"):
        read(f"{PLAIN}[engine.epoll-level]\nthreads = 2\n", small_catalog)


def test_malformed_toml_is_said_with_file_and_place(tmp_path: Path, small_catalog: Catalog) -> None:
    path = tmp_path / "broken.toml"
    path.write_text('question = "x\n', encoding="utf-8")
    with pytest.raises(UsageError, match=r"broken\.toml: .*line 1"):
        read_experiment(path, small_catalog)


def test_a_file_that_is_not_there_is_said(tmp_path: Path, small_catalog: Catalog) -> None:
    with pytest.raises(UsageError, match="No such file"):
        read_experiment(tmp_path / "none.toml", small_catalog)


@pytest.mark.parametrize(
    "path", sorted(EXPERIMENTS.rglob("*.toml")), ids=lambda path: str(path.relative_to(EXPERIMENTS))
)
def test_an_experiment_of_ours_is_in_order(path: Path) -> None:
    experiment = read_experiment(path, real_catalog())
    assert experiment.question.endswith("?")
    assert experiment.design.baseline in experiment.variants


@pytest.mark.parametrize(
    ("contrast", "said"),
    [
        ("by = 'goodputs'", "did you mean goodput"),
        ("by = ['goodput', 3]", "[contrast]: Expected `str`, got `int` - at `$.by[1]`"),
        ("among = 'engine'", "[contrast] has no key 'among'; known: baseline, between, by"),
        ("between = 'nodelay'", "'nodelay' is no factor with two levels or more; known: engine"),
        ("between = ['engine', 'connections']", "between: 'engine' is compared alone"),
        ("between = 'class'\nby = 'memory'", "memory is not known of a class of requests"),
        ("baseline = 'poll'", "where engines are compared, it is [design]'s"),
        ("between = 'class'\nbaseline = 'gets'", "'gets' is none of post, read"),
    ],
)
def test_a_contrast_names_what_there_is(contrast: str, said: str, small_catalog: Catalog) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        read(f"{PLAIN}[contrast]\n{contrast}", small_catalog)


@pytest.mark.parametrize("by", ["'goodput'", "['goodput']"])
def test_a_measure_that_is_asked_for_is_in_the_plan(by: str, small_catalog: Catalog) -> None:
    plan = make_plan(read(f"{PLAIN}[contrast]\nby = {by}", small_catalog))
    assert plan.contrast.by == ["goodput"]
