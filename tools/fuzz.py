"""Fuzzes every target of fuzz/catalog.cpp for so long, a line for each: `make fuzz SECONDS=60`.

libFuzzer begins with what is in fuzz/corpus/TARGET and keeps in build/fuzz/corpus what it finds to
be new. A target that fails leaves the input that did it in build/fuzz/found, and the status is 1. A
canary has a planted bug: it fails the run unless it is found.

With --keep, what was found to be new and reaches code that the committed corpus does not reach is
added to that.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "fuzz"
PROGRAM = BUILD / "fuzz" / "serverlab-fuzz"
COMMITTED = ROOT / "fuzz" / "corpus"
KEPT_BYTES_MAX = 1024  # of an input of the committed corpus
CANARY = ["-max_total_time=10", "-seed=1", "-max_len=64"]  # found in well under a second
INPUT_S_MAX = 10  # that one input may take; more is a hang
MEMORY_MAX_MB = 2048

# binutils are there wherever there is a compiler; a symbolizer of Clang's own need not be.
ENVIRONMENT = os.environ | {
    "ASAN_OPTIONS": "external_symbolizer_path=/usr/bin/addr2line:detect_stack_use_after_return=1",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
}


@dataclass(frozen=True, slots=True)
class Target:
    """A row of the catalogue."""

    name: str
    is_canary: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of fuzzing one target."""

    line: str
    is_right: bool
    log: str = ""


def targets() -> list[Target]:
    """All of the catalogue, the canaries first."""
    listed = subprocess.run([PROGRAM, "--list"], capture_output=True, check=True, text=True)
    rows = [line.split("\t") for line in listed.stdout.splitlines()]
    found = [Target(name, kind == "canary") for name, kind, _ in rows]
    return sorted(found, key=lambda target: not target.is_canary)


def fuzz(target: Target, seconds: int) -> Outcome:
    """Run one target."""
    corpora = [BUILD / "corpus" / target.name, COMMITTED / target.name]
    if target.is_canary:
        corpora = []
    found = BUILD / "found" / f"{target.name}-"
    for folder in [*corpora[:1], found.parent]:
        folder.mkdir(parents=True, exist_ok=True)
    began_s = time.monotonic()
    ended = subprocess.run(
        [
            PROGRAM,
            f"--target={target.name}",
            *(CANARY if target.is_canary else [f"-max_total_time={seconds}"]),
            f"-timeout={INPUT_S_MAX}",
            f"-rss_limit_mb={MEMORY_MAX_MB}",
            f"-artifact_prefix={found}",
            *(folder for folder in corpora if folder.is_dir()),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        env=ENVIRONMENT,
        check=False,
    )
    return outcome(target, ended.returncode, ended.stderr, time.monotonic() - began_s)


def outcome(target: Target, status: int, log: str, took_s: float) -> Outcome:
    """Judge how a target ended, by what libFuzzer said."""
    reproducer = re.search(r"Test unit written to (\S+)", log)
    if target.is_canary:
        is_found = status != 0 and reproducer is not None
        text = f"found in {took_s:.1f} s" if is_found else f"NOT FOUND in {took_s:.1f} s"
        return Outcome(f"{target.name:18} {text}", is_found, "" if is_found else log)
    done = re.search(r"DONE +cov: (\d+) ft: \d+ corp: (\S+) .*exec/s: (\d+)", log)
    if status == 0 and done is not None:
        coverage, corpus, runs_per_s = done.groups()
        said = f"{runs_per_s:>6} runs/s  {coverage:>5} edges  corpus {corpus:>11}  nothing found"
        return Outcome(f"{target.name:18} {said}", is_right=True)
    what = reproducer[1] if reproducer else f"status {status}"
    return Outcome(f"{target.name:18} FAILED: {what}", is_right=False, log=log)


def keep(target: Target) -> str:
    """Add to the committed corpus what reaches further than it does."""
    folder = COMMITTED / target.name
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [
            PROGRAM,
            f"--target={target.name}",
            "-merge=1",
            "-use_counters=0",  # what is reached, not how often
            f"-max_len={KEPT_BYTES_MAX}",
            folder,
            BUILD / "corpus" / target.name,
        ],
        capture_output=True,
        env=ENVIRONMENT,
        check=True,
    )
    sizes = [file.stat().st_size for file in folder.iterdir()]
    return f"{target.name:18} {len(sizes)} inputs of {sum(sizes)} bytes"


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> int:
    """Parse the arguments, fuzz, and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--jobs", type=int, default=2, help="targets at a time")
    parser.add_argument("--keep", action="store_true", help="add to the committed corpus")
    parser.add_argument("names", nargs="*", help="targets; all unless some are named")
    given = parser.parse_args()
    chosen = [one for one in targets() if not given.names or one.name in given.names]
    wrong: list[Outcome] = []
    with ThreadPoolExecutor(given.jobs) as pool:
        for result in pool.map(partial(fuzz, seconds=given.seconds), chosen):
            say(result.line)
            wrong += [] if result.is_right else [result]
        if given.keep and not wrong:
            for line in pool.map(keep, [one for one in chosen if not one.is_canary]):
                say(line)
    for result in wrong:
        sys.stderr.write(f"\n{result.line}\n{result.log}\n")
    return 1 if wrong or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
