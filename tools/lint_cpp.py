"""Runs clang-tidy over the sources of a build, and over none of them twice.

It reads them as they are compiled, several at a time, which takes half as long as one by one. What
passed is not read again until it, a header of ours that it sees, its command line, the rules or
clang-tidy's version changes. What passed is remembered among the user's caches, as ccache does with
what compiled, so that a fresh clone need not begin anew.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
PASSED = CACHE / "serverlab" / "clang-tidy"
CLANG_TIDY = ROOT / ".venv" / "bin" / "clang-tidy"
EXEMPT = {"bench", "tests"}
# g++ compiles what all sources read first; clang-tidy cannot read that, and says so. A consteval
# call in fmt 10's own headers is an error for clang 20 and later.
ARGUMENTS = ("--quiet", "--extra-arg=-Wno-ignored-gch", "--extra-arg=-DFMT_CONSTEVAL=")
OWN_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Source:
    """A file that a build compiles, and how: a source, or one that CMake makes of several."""

    path: Path
    command: str

    @property
    def is_linted(self) -> bool:
        """Whether clang-tidy is to read it."""
        ours = [self.path] if ROOT / "build" not in self.path.parents else own_headers(self.path)
        parts = {path.relative_to(ROOT).parts[0] for path in ours if path.suffix == ".cpp"}
        return bool(parts) and parts.isdisjoint(EXEMPT)


def sources_of(build: Path) -> list[Source]:
    """What a build compiles of ours.

    Not the tests, which are read, warned of by g++, and run; nor the control of bench/, which is a
    page without the types of the project.
    """
    rows = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    sources = [Source(Path(row["file"]), row["command"]) for row in rows]
    return [source for source in sources if source.is_linted]


@cache
def own_headers(path: Path) -> tuple[Path, ...]:
    """The files of the project that a file includes itself."""
    named = OWN_INCLUDE.findall(path.read_text(encoding="utf-8"))
    return tuple(sorted(header for header in (ROOT / name for name in named) if header.exists()))


def seen_by(path: Path) -> list[Path]:
    """A file and all headers of the project that it sees."""
    seen: set[Path] = set()
    to_visit = [path]
    while to_visit:
        file = to_visit.pop()
        if file not in seen:
            seen.add(file)
            to_visit.extend(own_headers(file))
    return sorted(seen)


def rules() -> str:
    """The checks, and the version of the program that makes them."""
    version = subprocess.run(
        [CLANG_TIDY, "--version"], capture_output=True, check=True, text=True
    ).stdout
    return version + (ROOT / ".clang-tidy").read_text(encoding="utf-8")


def fingerprint(source: Source, the_rules: str) -> str:
    """Of everything that decides what clang-tidy says of a source."""
    command = source.command.replace(str(ROOT), "")
    digest = hashlib.sha256(f"{the_rules}\0{command}".encode())
    for file in seen_by(source.path):
        digest.update(b"\0" + file.read_bytes().replace(str(ROOT).encode(), b""))
    return digest.hexdigest()


def findings(source: Source, build: Path, the_rules: str) -> str:
    """What clang-tidy says of a source, unless it passed before; nothing if it passes."""
    mark = PASSED / fingerprint(source, the_rules)
    if mark.exists():
        return ""
    done = subprocess.run(
        [CLANG_TIDY, "-p", build, *ARGUMENTS, source.path],
        capture_output=True,
        check=False,
        text=True,
    )
    if done.returncode == 0:
        mark.touch()
        return ""
    return done.stdout or done.stderr


def main() -> int:
    """Lint all; the status says whether something was found."""
    parser = argparse.ArgumentParser(description="clang-tidy over the sources of a build")
    parser.add_argument("build", type=Path, help="the build's folder, such as build/release")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    arguments = parser.parse_args()
    PASSED.mkdir(parents=True, exist_ok=True)
    the_rules = rules()
    with ThreadPoolExecutor(arguments.jobs) as pool:
        tasks = [
            pool.submit(findings, source, arguments.build, the_rules)
            for source in sources_of(arguments.build)
        ]
        said = [task.result() for task in tasks]
    sys.stdout.write("".join(said))
    return 1 if any(said) else 0


if __name__ == "__main__":
    sys.exit(main())
