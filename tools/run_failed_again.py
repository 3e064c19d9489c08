"""Runs the tests that have just failed once more, alone, to tell the unsteady from the broken.

A test that passes only the second time has found something: the check fails all the same, unless
tests/unsteady.toml lists the test.

    python -m tools.run_failed_again FOLDER [OPTION OF PYTEST ...]
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import msgspec

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "tests" / "unsteady.toml"
LAST_FAILED = ROOT / ".pytest_cache" / "v" / "cache" / "lastfailed"


class Unsteady(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A test that may fail once, and what is known of it."""

    id: str
    date: str
    reason: str
    tried: str


class Listed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole of unsteady.toml."""

    test: list[Unsteady]


def listed() -> list[Unsteady]:
    """The tests that unsteady.toml lists."""
    return msgspec.toml.decode(LIST.read_text(encoding="utf-8"), type=Listed).test


def unlisted(passed_again: Iterable[str], unsteady: Iterable[Unsteady]) -> list[str]:
    """The tests that fail the check although they passed the second time."""
    return sorted(set(passed_again) - {one.id for one in unsteady})


def main(folder: str, *options: str) -> int:
    """Run them, and return the status of the check."""
    failed = [one for one in json.loads(LAST_FAILED.read_text()) if one.startswith(folder)]
    if not failed:
        return 1  # it was no test that failed
    sys.stdout.write("\n".join(["running again what failed:", *failed, "", ""]))
    sys.stdout.flush()
    again = [sys.executable, "-m", "pytest", "--quiet", "--last-failed", folder, *options]
    if status := subprocess.run(again, cwd=ROOT, check=False).returncode:
        return status
    unsteady = unlisted(failed, listed())
    sys.stdout.writelines(f"PASSED ONLY THE SECOND TIME: {name}\n" for name in unsteady)
    return int(bool(unsteady))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
