"""What a run writes lies in its own folder: a setting that names a file is the laboratory's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serverlab.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from serverlab.design.catalog import Setting


def refuse_outputs(
    where: str, names: Iterable[str], settings: Mapping[str, Setting], instead: str = ""
) -> None:
    """Raise UsageError for a setting that would have a program write a file of its own."""
    for name in names:
        if name in settings and settings[name].is_output:
            raise UsageError(
                f"{where}{name} names a file, but a run writes into its own folder alone{instead}"
            )


def refuse_foreign(where: str, names: Iterable[str], settings: Mapping[str, Setting]) -> None:
    """Raise UsageError for what serverlab plans for no program: `where` was edited."""
    for name in sorted(names):
        if name not in settings:
            raise UsageError(f"{where}{name!r} is no setting")
        refuse_outputs(where, [name], settings)
