"""A run as it is looked at: its cells, named by what is compared, on their axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from serverlab.analysis.axes import Axes
    from serverlab.analysis.cells import Cell


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The cells of a run, named by what is compared, and placed on axes."""

    axes: Axes
    cells: list[Cell]

    def at(self, panel: int) -> list[Cell]:
        """The cells of a panel."""
        return [cell for cell in self.cells if cell.panel == panel]
