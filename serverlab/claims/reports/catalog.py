"""The five reports, in the order of the page: the one list of all claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serverlab.claims.reports.buckets import BUCKETS
from serverlab.claims.reports.comp8005 import COMP8005
from serverlab.claims.reports.forum import FORUM
from serverlab.claims.reports.kv511 import KV511
from serverlab.claims.reports.thesis import THESIS
from serverlab.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.claims.claim import Claim
    from serverlab.claims.excerpt import Excerpt
    from serverlab.claims.needs import Place

REPORTS = (THESIS, FORUM, COMP8005, KV511, BUCKETS)


def all_claims() -> list[Claim]:
    """The claims of all reports."""
    return [claim for report in REPORTS for claim in report.claims]


def chosen_claims(ids: Sequence[str]) -> list[Claim]:
    """The claims with these ids, in the page's order; all where none is given.

    Raises UsageError for an id that no claim has.
    """
    claims = {claim.id: claim for claim in all_claims()}
    if unknown := [one for one in ids if one not in claims]:
        raise UsageError(f"there is no claim {unknown[0]}; known: {', '.join(claims)}")
    return [claim for claim in claims.values() if not ids or claim.id in ids]


def excerpts_of(claims: Sequence[Claim], place: Place) -> list[Excerpt]:
    """What has to be run for some claims, each once, as far as the place is large enough."""
    found = {
        test.excerpt.name: test.excerpt
        for claim in claims
        for test in claim.tests
        if not test.lacking(place)
    }
    return list(found.values())
