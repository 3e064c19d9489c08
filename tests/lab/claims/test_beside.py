"""Ledgers beside verdicts: which there are, what they load, and what becomes of them."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from serverlab.claims.beside import LEDGER_S, affordable, file_of, found_beside
from serverlab.claims.campaign import plan_campaign
from serverlab.claims.claim import Claim
from serverlab.claims.page import write_page
from serverlab.claims.reports.catalog import all_claims, chosen_claims
from serverlab.claims.reports.ledgers import POOL_TIMER
from serverlab.claims.site import Site
from serverlab.notation import NARROW_SPACE
from serverlab.slices import GROUP, SLICE_S, PartCounts, ProbeCosts, ProbedLoad, Slice
from tests.lab.command_line import call

WITH_LEDGER = [claim for claim in all_claims() if claim.ledger is not None]
GROUPS, REQUESTS = 8, 1000


def pool_slices() -> ProbedLoad:
    """What a probe may have counted of the pool: the published one calls futex once more."""
    found = []
    for place in range(2 * GROUP * GROUPS):
        published, probed = place // GROUP % 2 == 1, place % 2 == 1
        futex_ns = 2_000 if published else 0
        parts = {
            "user": PartCounts(cpu_ns=REQUESTS * 1_000),
            "futex": PartCounts(entries=REQUESTS * published, cpu_ns=REQUESTS * futex_ns),
        }
        found.append(
            Slice(
                subject="pool-as-published" if published else "pool-woken",
                group=place // (2 * GROUP),
                probed=probed,
                disturbed=False,
                requests=REQUESTS,
                cpu_ns=REQUESTS * (1_000 + futex_ns) + place % 3,
                parts=parts if probed else {},
            )
        )
    return ProbedLoad(costs_ns=ProbeCosts(), slices=found)


@pytest.mark.parametrize("claim", WITH_LEDGER, ids=lambda claim: claim.id)
def test_a_ledger_is_of_servers_that_its_experiment_has(claim: Claim) -> None:
    assert claim.ledger is not None
    trials = claim.ledger.trials()
    assert [trial.cell["engine"] for trial in trials] == list(claim.ledger.servers)
    for trial in trials:
        assert "sessions" not in trial.load_settings  # they would end before the slices
        groups = float(trial.load_settings["duration"].split()[0]) / 1000 / SLICE_S / GROUP
        assert groups == pytest.approx(round(groups))


def test_the_claims_whose_cause_was_a_guess_have_one() -> None:
    assert {"F3", "F4", "K3", "B3", "T3"} <= {claim.id for claim in WITH_LEDGER}


def test_ledgers_take_a_small_part_of_a_budget() -> None:
    names = affordable(WITH_LEDGER, None)
    assert len(names) == len({claim.ledger.name for claim in WITH_LEDGER if claim.ledger})
    assert affordable(WITH_LEDGER, 3600) == names
    assert affordable(WITH_LEDGER, 20 * LEDGER_S) == names[:1]
    assert affordable(WITH_LEDGER, 60) == []


def test_runs_that_are_given_and_other_hosts_have_no_ledger() -> None:
    claims = chosen_claims(["T3"])
    here = Site(cpu="a", server_cpus=1)
    planned = plan_campaign(claims, budget_s=None, seed=1, given=[], site=here)
    assert planned.ledgers == [POOL_TIMER.name]
    assert planned.seconds == pytest.approx(LEDGER_S)
    hosts = Site(cpu="a", server_cpus=1, machines=3, generators=2)
    assert plan_campaign(claims, budget_s=None, seed=1, given=[], site=hosts).ledgers == []


def test_the_page_and_the_data_have_what_a_ledger_says(tmp_path: Path) -> None:
    claims = chosen_claims(["T3"])
    here = Site(cpu="a", server_cpus=1)
    planned = plan_campaign(claims, budget_s=None, seed=1, given=[], site=here)
    path = file_of(tmp_path, POOL_TIMER.name)
    path.parent.mkdir()
    path.write_bytes(msgspec.json.encode(pool_slices()))
    found = found_beside(tmp_path, claims, planned.ledgers)
    said = found["T3"].sentences[0]
    assert said.startswith(f"A request costs pool-as-published 2.00{NARROW_SPACE}µs")
    assert "in futex" in said
    page = write_page(tmp_path, planned, [], {}, found)
    data = msgspec.json.decode((tmp_path / "claims.json").read_bytes())
    assert data["claims"] == []
    assert page.exists()


def test_a_ledger_is_measured_beside_a_claim_that_gets_no_verdict_here(tmp_path: Path) -> None:
    done = call("claims", "--only=T3", "--out=campaign", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1 ledger, about" in done.stdout
    assert "T3, the ledger: " in done.stdout
    data = msgspec.json.decode((tmp_path / "campaign" / "claims.json").read_bytes())
    [claim] = data["claims"]
    assert {one["subject"] for one in claim["ledger"]["ledgers"]} == set(POOL_TIMER.servers)
    page = (tmp_path / "campaign" / "claims.html").read_text(encoding="utf-8")
    assert "Where the CPU time goes" in page
    again = call("claims", "--resume=campaign", cwd=tmp_path)
    assert "T3, the ledger: " in again.stdout
