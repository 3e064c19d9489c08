"""A ledger that a claim asks for: where the CPU time goes, where its report could only guess."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from serverlab.design.catalog import catalog
from serverlab.running.explaining import of_slices

if TYPE_CHECKING:
    from collections.abc import Mapping

    from serverlab.claims.excerpt import Excerpt
    from serverlab.quantities import Level
    from serverlab.records import PlannedTrial


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerOf:
    """One server, or two whose difference is explained."""

    name: str  # of its file
    shows: str  # what to look for in it
    excerpt: Excerpt  # whose experiment has the servers
    servers: Mapping[str, Mapping[str, Level]]  # by what the ledger calls them: their levels
    load: Mapping[str, str] = field(default_factory=dict)  # what is otherwise than there

    def trials(self) -> list[PlannedTrial]:
        """What is loaded. Raises ValueError if the experiment has no such server."""
        plan = self.excerpt.plan(catalog(), blocks=1, window_s=self.excerpt.shortest_s, seed=1)
        found = []
        for name, levels in self.servers.items():
            own = [one for one in plan.trials if levels.items() <= one.cell.items()]
            if not own:
                raise ValueError(f"{self.excerpt.file} has no trial of {dict(levels)}")
            cell: dict[str, Level] = {**own[0].cell, "engine": name}
            load = own[0].load_settings | dict(self.load)
            trial = msgspec.structs.replace(own[0], cell=cell, load_settings=load)
            found.append(of_slices(trial))
        return found
