"""What the checks look at: the text files of the project."""

from __future__ import annotations

import pytest

from tests.tidy.limits import LIMITS
from tests.tidy.tree import ROOT, Tree


@pytest.fixture(scope="session")
def tree() -> Tree:
    """Every text file of the project."""
    return Tree.on_disk(ROOT, LIMITS.tree.data)
