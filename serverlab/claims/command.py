"""`serverlab claims`."""

from __future__ import annotations

import random

from serverlab.claims import run_campaign
from serverlab.claims.campaign import COMMAND, create, plan_campaign, read, resumable
from serverlab.claims.reports.catalog import chosen_claims
from serverlab.claims.site import site_of
from serverlab.errors import UsageError
from serverlab.hosts.places import ONE_MACHINE, Cluster, ClusterOptions, places_of
from serverlab.paths import GivenPath  # noqa: TC001 - the command line reads it
from serverlab.quantities import budget_s
from serverlab.running.lock import locked, made_and_locked
from serverlab.running.store import new_folder


def claims(
    *runs: GivenPath,
    budget: str | None = None,
    only: str | None = None,
    out: GivenPath | None = None,
    resume: GivenPath | None = None,
    cluster: ClusterOptions = ONE_MACHINE,
) -> int:
    """Test what five reports claim, and make a page of verdicts.

    Parameters
    ----------
    runs
        Folders of runs that are there already: what they hold is not run again.
    budget
        The time that all runs may take together, such as 30m: they are shortened evenly.
    only
        Claims by their ids, such as T3,B4; by default all.
    out
        The campaign's folder; by default runs/TIME-claims.
    resume
        The folder of a campaign that was stopped: its finished trials are kept.
    """
    if resume is not None:
        if runs or budget is not None or only is not None or out is not None:
            raise UsageError(
                "--resume continues the campaign's own plan and takes no other options"
            )
        return resumed(resume, cluster)
    with places_of(cluster, cluster.loading()) as places:
        planned = plan_campaign(
            chosen_claims([one.strip() for one in only.split(",")] if only else []),
            budget_s=None if budget is None else budget_s(budget),
            seed=random.SystemRandom().randrange(2**32),
            given=runs,
            site=site_of(places()),
        )
        folder = new_folder(out, "claims")
        with made_and_locked(folder, COMMAND):
            create(folder, planned)
            return run_campaign.campaign(folder, planned, places)


def resumed(folder: GivenPath, where: Cluster) -> int:
    """Go on with a campaign that was stopped."""
    begun_with = read(folder).generators
    where.expect_again(folder, begun_with)
    with places_of(where, begun_with) as places:
        planned = resumable(folder, site_of(places()))
        with locked(folder, COMMAND):
            return run_campaign.campaign(folder, planned, places)
