"""Paths on the command line. An empty one is refused: it would be the folder that one is in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from serverlab.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cyclopts import Token


def path_of(_: type[Any], tokens: Sequence[Token]) -> Path:
    """The path that an option or an argument names."""
    [token] = tokens
    if not token.value:
        raise UsageError(f"{token.keyword or 'a path'}: the path is empty")
    return Path(token.value)


GivenPath = Annotated[Path, Parameter(converter=path_of)]
