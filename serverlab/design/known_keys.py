"""Keys of an experiment file that there are, and what a key that there is not was meant to be."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from serverlab.errors import UsageError
from serverlab.quantities import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable


def known(where: str, given: Iterable[str], allowed: Iterable[str]) -> None:
    """Refuse an unknown key, naming its neighbours."""
    names = sorted(allowed)
    for key in given:
        if key in names:
            continue
        near = difflib.get_close_matches(key, names, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(names)}"
        raise UsageError(f"{where} has no key {quoted(key)}; {hint}")
