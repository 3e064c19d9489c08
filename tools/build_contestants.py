"""Builds each contestant that this machine can build, and says of the others what is missing.

build_contestants.py [NAME...]
"""

from __future__ import annotations

import sys

from serverlab.console import complain, say
from serverlab.contestants.building import build, version_of
from serverlab.contestants.reading import named, shipped
from serverlab.design.catalog import catalog
from serverlab.errors import LabError, UnsupportedError


def main(names: list[str]) -> int:
    """Build all, or those that are named; 1 if one cannot be built although nothing is missing."""
    failed = 0
    for name in names or shipped():
        try:
            contestant = named(name, catalog().services)
            build(contestant, say)
            say(f"{name}: ready, {version_of(contestant)}")
        except UnsupportedError as error:
            say(f"{name}: left out: {error}")
        except LabError as error:
            complain(str(error))
            failed += 1
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
