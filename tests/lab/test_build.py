"""`make build` configures anew what changed on the machine since the first time."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from serverlab.machine.native import ROOT

SOURCES = ("base", "bench", "engines", "fuzz", "load", "net", "probe", "programs", "services")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What CMake and make read, in a folder of its own; without the tests, which take long."""
    for name in ("CMakeLists.txt", "CMakePresets.json", "Makefile", "tools/compile"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy2(ROOT / name, tmp_path / name)
    for name in SOURCES:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("corpus"))
    (tmp_path / "tests").mkdir()
    shutil.copytree(ROOT / "tests" / "services", tmp_path / "tests" / "services")
    presets = tmp_path / "CMakePresets.json"
    with_tests = presets.read_text(encoding="utf-8")
    without = with_tests.replace(
        '"CMAKE_CXX_FLAGS":', '"SERVERLAB_TESTS": "OFF", "CMAKE_CXX_FLAGS":'
    )
    presets.write_text(without, encoding="utf-8")
    return tmp_path


def configure(checkout: Path) -> str:
    """What ninja is to build, after `make` had its turn."""
    subprocess.run(["make", "build/release/build.ninja"], cwd=checkout, check=True)
    return (checkout / "build/release/build.ninja").read_text(encoding="utf-8")


@pytest.mark.skipif(
    not (shutil.which("clang-19") or shutil.which("clang")), reason="there is no clang to find"
)
def test_a_clang_that_is_installed_later_builds_the_probe(checkout: Path) -> None:
    lists = checkout / "probe/CMakeLists.txt"
    text = lists.read_text(encoding="utf-8")
    past = lists.stat().st_mtime - 1000
    lists.write_text(text.replace("NAMES clang-19 clang)", "NAMES no-such-clang)"), "utf-8")
    assert "serverlab-probe" not in configure(checkout)
    lists.write_text(text, encoding="utf-8")
    os.utime(lists, (past, past))  # as if it had been so all the time
    assert "serverlab-probe" in configure(checkout)


def test_a_cache_that_is_deleted_is_made_again(checkout: Path) -> None:
    configure(checkout)
    cache = checkout / "build/release/CMakeCache.txt"
    cache.unlink()
    configure(checkout)
    assert "CMAKE_BUILD_TYPE:STRING=Release" in cache.read_text(encoding="utf-8")
