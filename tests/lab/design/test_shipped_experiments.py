"""Each experiment that serverlab ships, shortened and run: its answer is about its question."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest

from serverlab.analysis.results import results
from serverlab.claims.excerpt import cut
from serverlab.console import Progress
from serverlab.design.catalog import catalog
from serverlab.design.experiment import Experiment, read_experiment
from serverlab.design.plan import make_plan
from serverlab.environment import Environment
from serverlab.machine.native import ROOT
from serverlab.measures import BY_NAME
from serverlab.report.answer import Answer, answer
from serverlab.running import runner
from serverlab.running.store import RunFolder

SHIPPED = sorted((ROOT / "experiments").rglob("*.toml"))
# What the question of a file is about, where that is not its engines.
ABOUT = {
    "buckets/bucket-counts": {"buckets 32", "buckets 2048"},
    "buckets/cores": {"cpus 0", "cpus 0-1"},
    "buckets/delay-ranges": {"bucket-delay 2", "bucket-delay 1-20"},
    "claims/bucket-clients": {"connections 2", "connections 12"},
    "claims/bucket-counts": {"buckets 32", "buckets 2048"},
    "claims/bucket-delays": {"bucket-delay 2", "bucket-delay 1-20"},
    "comp8005/variable-lengths": {"payload-max 1 B", "payload-max 20 kB"},
    "forum/equal-mixes": {"connections 2", "connections 12"},
    "forum/locks": {"mutex", "sharded"},
    "forum/mixes-of-four": {"forum-posters 1", "forum-posters 3"},
    "forum/mixes-of-three": {"forum-posters 1", "forum-posters 2"},
    "forum/order-of-the-parser": {"post", "read", "count", "list", "unknown"},
    "forum/why-reads-are-slower": {"post", "read"},
    "kv511/locks": {
        "mutex, kv-shards 1", "mutex, kv-shards 16", "shared, kv-shards 1", "shared, kv-shards 16",
    },
}  # fmt: skip
MEASURES = {
    "comp8005/as-published": ["goodput", "requests-spread"],
    "forum/equal-mixes": ["goodput", "goodput-per-connection"],
    "forum/order-of-the-parser": ["latency-p50"],
    "kv511/all-sessions": ["all-done", "session-mean"],
    "kv511/as-published": ["session-mean", "latency-mean", "goodput"],
    "quickstart": ["server-cpu-per-request"],
}
NEED_CPUS = {"buckets/cores"}  # it compares numbers of CPUs
CPUS_MIN = 4
CONNECTIONS_MAX = 12
WINDOW = "0.3s"  # beside other tests a client may wait a tenth of a second for its turn
# Of delays, so that requests end within a window.
SHORT_UNIT = "100 us"


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT / "experiments").with_suffix(""))


def shortened(path: Path) -> Experiment:
    """Two engines and the ends of each factor, twice, with few connections and threads."""
    whole = read_experiment(path, catalog())
    ends = {
        # No machine of tests has CPUs for every list of them.
        name: tuple(levels[:2] if name == "cpus" else dict.fromkeys((levels[0], levels[-1])))
        for name, levels in whole.factors.items()
    }
    short = cut(whole, ends | {"engine": tuple(whole.variants)[:2]})
    factors = dict(short.factors)
    if "connections" in factors:
        is_compared = "connections" in short.contrast.between
        factors["connections"] = [2, CONNECTIONS_MAX] if is_compared else [CONNECTIONS_MAX]
    load = dict(short.load)
    if "connections" in load:
        load["connections"] = str(min(int(load["connections"]), CONNECTIONS_MAX))
    server = dict(short.server)
    if "bucket-delay-unit" in server:
        server["bucket-delay-unit"] = SHORT_UNIT
    variants = {
        name: dataclasses.replace(
            one,
            settings=one.settings
            | ({"threads": str(CONNECTIONS_MAX)} if "threads" in one.settings else {}),
        )
        for name, one in short.variants.items()
    }
    for name in ("timeout", "connect-timeout"):
        load.pop(name, None)
    if "rate" in load and "model" not in factors:
        del load["rate"]  # a machine that is busy with tests keeps to no schedule
        load["model"] = "closed"
    return dataclasses.replace(
        short,
        factors=factors,
        load=load,
        server=server,
        variants=variants,
        design=dataclasses.replace(short.design, blocks=2, precision=None),
    )


@pytest.fixture(scope="module", params=SHIPPED, ids=name_of)
def answered(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Answer]:
    """An experiment's name, and the answer of its shortened run."""
    path: Path = request.param
    if name_of(path) in NEED_CPUS and (os.cpu_count() or 1) < CPUS_MIN:
        pytest.skip(f"this machine has {os.cpu_count()} CPUs: {CPUS_MIN} are needed")
    folder = tmp_path_factory.mktemp("shipped")
    short = shortened(path)
    # Where a count ends the load, its duration is no window but a limit, and stays as it is.
    plan = make_plan(short, seed=1, duration=None if "sessions" in short.load else WINDOW)
    run = RunFolder.create(folder / "run", experiment="", plan=plan, environment=Environment())
    runner.run(run, Progress(), "serverlab run")
    return name_of(path), answer(results(run.path))


def test_the_answer_compares_what_the_question_asks_about(answered: tuple[str, Answer]) -> None:
    name, found = answered
    first = found.answer.partition(". ")[0]
    subjects = {one.subject for one in found.comparisons}
    subjects |= {one.baseline for one in found.comparisons}
    expected = ABOUT.get(name)
    engines = set(catalog().engines) | set(read_experiment(path_of(name), catalog()).variants)
    if expected is None:
        assert subjects <= engines
    else:
        assert subjects <= expected
    assert len(subjects) > 1
    spoken = [subject for subject in subjects if subject in first]
    assert spoken or "not distinguishable" in first or "other work took" in first


def test_it_speaks_of_the_measures_that_the_file_asks_for(answered: tuple[str, Answer]) -> None:
    name, found = answered
    for measure in MEASURES.get(name, []):
        assert BY_NAME[measure].noun in found.answer


def path_of(name: str) -> Path:
    return ROOT / "experiments" / f"{name}.toml"
