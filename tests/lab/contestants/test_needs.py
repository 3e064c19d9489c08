"""What a contestant needs, and what is said where that is missing."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from serverlab.contestant import Contestant
from serverlab.contestants.building import expect_needs
from serverlab.errors import UnsupportedError

if TYPE_CHECKING:
    from pathlib import Path

LIBRARY = "Name: mine\nDescription: of a test\nVersion: 1\n"


@pytest.mark.parametrize(
    ("needs", "libraries", "lacking"),
    [
        (["sh", "no-such-program"], [], "no-such-program"),
        (["sh"], ["no-such-library"], "no-such-library"),
        (["no-such-program"], ["no-such-library"], "no-such-program"),
    ],
)
def test_what_is_lacking_is_named_with_what_to_do(
    needs: list[str], libraries: list[str], lacking: str
) -> None:
    mine = Contestant(name="mine", needs=needs, libraries=libraries, missing="Install it.")
    with pytest.raises(UnsupportedError, match=f"^mine needs {lacking}: Install it\\.$"):
        expect_needs(mine)


@pytest.mark.skipif(shutil.which("pkg-config") is None, reason="this machine has no pkg-config")
def test_a_library_that_pkg_config_knows_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.pc").write_text(LIBRARY, encoding="utf-8")
    monkeypatch.setenv("PKG_CONFIG_PATH", str(tmp_path))
    expect_needs(Contestant(name="one", needs=["pkg-config"], libraries=["mine"]))
