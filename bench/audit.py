"""How often `serverlab audit` has something against a trial of ours that is valid.

Engines serve several services, in closed and open loops, with few and many connections, for a third
of a second a trial. Each trial that the laboratory calls VALID is audited. A finding is a false
alarm unless the trial's own record says the same: that the generator was saturated and the server
was not. Folders of runs as arguments are audited in place of all that; what has been measured is
kept in runs/audit, and not measured again.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from serverlab.audit.audit import audited
from serverlab.audit.finding import Judgement
from serverlab.audit.reading import read
from serverlab.console import say
from serverlab.design.catalog import catalog
from serverlab.design.experiment import parse
from serverlab.design.plan import make_plan
from serverlab.design.turns import groups_of
from serverlab.machine.machine import environment
from serverlab.machine.native import ROOT
from serverlab.records import read_trials
from serverlab.running.store import RunFolder
from serverlab.running.trial import run_trials
from serverlab.stats.share import share_interval

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serverlab.records import Trial

KEPT = ROOT / "runs" / "audit"
SEED = 1
BLOCKS = 9
ENGINES = [
    "threads", "poll", "epoll-level", "epoll-edge", "epoll-offload", "asio-callbacks", "coroutines",
    "uring",
]  # fmt: skip
Load = dict[str, object]
LOADS: dict[str, tuple[str, Load]] = {
    "closed": ("echo", {"connections": [1, 4, 16, 64, 256]}),
    "depth": ("echo", {"connections": 16, "depth": [2, 8]}),
    "think": ("echo", {"connections": 32, "think": "1ms"}),
    "payload": ("echo", {"connections": 8, "payload": "16 KiB"}),
    "open": ("echo", {"model": "open", "connections": 16, "rate": [500, 4000]}),
    "churn": ("echo", {"model": "churn", "connections": 8}),
    "http": ("http", {"connections": [2, 32]}),
    "kv": ("kv-resp", {"connections": 8}),
}
BOUND = "says itself that the generator was saturated"
NOTHING, ALARM = "nothing found", "false alarm"


def measured(name: str, service: str, load: Load) -> Path:
    """The run of a load, with what was missing of it."""
    path = KEPT / name
    document = {
        "question": "Does the audit have something against it?",
        "server": {"engine": ENGINES, "service": service},
        "load": {"model": "closed", "warmup": "100ms", "duration": "300ms"} | load,
        "design": {"kind": "separate", "blocks": BLOCKS},
    }
    if not (path / "plan.json").exists():
        experiment = parse(document, name=name, text="", catalog=catalog())
        plan = make_plan(experiment, seed=SEED)
        RunFolder.create(path, experiment="", plan=plan, environment=environment())
    folder = RunFolder(path)
    folder.mend()
    done = {record.trial for record in folder.records()}
    for group in groups_of(folder.plan()):
        if not done.issuperset(trial.trial for trial in group):
            for record in run_trials(group, folder.logs, None, lambda _: None):
                folder.append(record)
    return path


def counted(run: Path) -> Iterator[str]:
    """What the audit says of each valid trial of a run."""
    path = run / "trials.jsonl"
    trials: dict[str, Trial] = {trial.trial: trial for trial in read_trials(path)}
    for one in audited(read(path)):
        trial = trials[one.row.name.split()[0]]
        if not trial.is_valid:
            continue
        found = {finding.judgement for finding in one.findings}
        if not found:
            yield NOTHING
        elif found == {Judgement.GENERATOR_BOUND} and trial.saturated == "generator":
            yield BOUND
        else:
            say(f"{run.name} {one.row.name}: {one.finding.judgement}: {one.finding.reason}")
            yield ALARM


def main() -> None:
    """Measure what is missing, audit it, and print the share of false alarms."""
    counts: Counter[str] = Counter()
    given = [Path(one) for one in sys.argv[1:]]
    for run in given or (measured(name, *load) for name, load in LOADS.items()):
        here = Counter(counted(run))
        counts += here
        say(f"{run.name}: {dict(here)}")
    valid = counts.total()
    if valid == 0:
        say("no valid trial")
        return
    low, high = share_interval(counts[ALARM], valid)
    say(
        f"{counts[ALARM]} false alarms of {valid} valid trials "
        f"[{100 * low:.2f} %, {100 * high:.2f} %]; {counts[BOUND]} {BOUND}"
    )


if __name__ == "__main__":
    main()
