"""The tree holds what git tracks or would track, and nothing else."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.tidy.tree import Source, Tree, expect_none


def git(root: Path, *arguments: str) -> None:
    """Run git in a repository of the test's own."""
    subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True)


def test_tracked_and_new_files_are_seen_and_ignored_ones_are_not(tmp_path: Path) -> None:
    git(tmp_path, "init")
    for name in ("tracked.md", "new.md", "ignored.md", "gone.md"):
        (tmp_path / name).write_text("text\n")
    (tmp_path / ".gitignore").write_text("ignored.md\n")
    git(tmp_path, "add", "tracked.md", "gone.md")
    (tmp_path / "gone.md").unlink()
    seen = {source.path for source in Tree.on_disk(tmp_path, data=[]).sources}
    assert seen == {".gitignore", "tracked.md", "new.md"}


def test_data_and_images_are_no_text_of_ours(tmp_path: Path) -> None:
    git(tmp_path, "init")
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "seed").write_bytes(b"\xff")
    (tmp_path / "chart.png").write_bytes(b"\x89PNG\0\0")
    assert Tree.on_disk(tmp_path, data=["corpus/*"]).sources == ()


def test_a_file_ends_with_its_last_line_not_with_an_empty_one() -> None:
    assert Source("a", "one\ntwo\n").lines == ["one", "two"]
    assert Source("a", "").lines == []


def test_findings_fail_a_test_with_every_one_of_them() -> None:
    with pytest.raises(AssertionError, match=r"a:1: first\nb:2: second"):
        expect_none(["a:1: first", "b:2: second"])
