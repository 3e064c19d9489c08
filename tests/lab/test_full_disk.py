"""A run on a disk that fills up ends with a sentence, loses no trial, and goes on later."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import msgspec
import pytest

from tests.lab.command_line import SERVERLAB
from tests.lab.test_run import TINY

# A file system of a namespace of its own, so that it takes no rights and leaves nothing behind.
MOUNT = ["unshare", "--mount", "--map-root-user", "sh", "-ec"]
# While the second trial runs, the disk is filled to its last page, which is smaller than the row of
# a trial. A report is larger than what two trials leave of the disk.
SCRIPT = """
disk=$0 experiment=$1 fills=$2; shift 2
mount -t tmpfs -o size=300k,nr_inodes=100 tmpfs "$disk"
(status=0; "$@" run "$experiment" --out "$disk/run" || status=$?; echo "$status" > status) &
until [ -s "$disk/run/trials.jsonl" ] || [ -s status ]; do sleep 0.02; done
if [ "$fills" = bytes ]; then
  dd if=/dev/zero of="$disk/filler" bs=4k 2> /dev/null || true
elif [ "$fills" = files ]; then
  file=0
  until [ -s status ]; do
    file=$((file + 1))
    (: > "$disk/filler$file") 2> /dev/null || sleep 0.02
  done
fi
wait $!
cp "$disk/run/trials.jsonl" trials
ls "$disk/run" > files
mount -o remount,size=100m,nr_inodes=1000 "$disk"
"$@" run --resume "$disk/run"
cp "$disk/run/trials.jsonl" all-trials
"""


def can_mount(folder: Path) -> bool:
    """Whether this machine lets any user mount in a namespace of their own."""
    command = [*MOUNT, 'mount -t tmpfs tmpfs "$0"', str(folder)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_a_disk_that_fills_up_in_a_trial_loses_none_before_it(tmp_path: Path) -> None:
    said = keeps_trials_and_goes_on(tmp_path, fills="bytes", blocks=1)
    assert "cannot write {run}/trials.jsonl: No space left on device" in said
    assert "1 of 2 trials are kept; `serverlab run --resume {run}` goes on" in said


def test_a_disk_without_room_for_another_file_makes_no_trial_fail(tmp_path: Path) -> None:
    said = keeps_trials_and_goes_on(tmp_path, fills="files", blocks=3)
    assert re.search(r"cannot write \{run\}/[a-z/.0-9-]+: No space left on device", said)
    assert "of 6 trials are kept; `serverlab run --resume {run}` goes on" in said


def test_a_disk_without_room_for_the_report_loses_no_trial(tmp_path: Path) -> None:
    said = keeps_trials_and_goes_on(tmp_path, fills="nothing", blocks=1)
    assert "cannot write {run}/report.html: No space left on device" in said


def keeps_trials_and_goes_on(tmp_path: Path, *, fills: str, blocks: int) -> str:
    """Run on a disk that something fills after the first trial, and go on.

    Returns what the first run says, with {run} for its folder.
    """
    disk = tmp_path / "disk"
    disk.mkdir()
    if not can_mount(disk):
        pytest.skip("this machine lets no user mount a small disk in a namespace of their own")
    experiment = tmp_path / "tiny.toml"
    # In that namespace no user may set what only root may.
    text = TINY.replace("[server]", '[server]\ncongestion = ""').replace("[1, 8]", "8")
    text = text.replace("150 ms", "1 s").replace("blocks = 1", f"blocks = {blocks}")
    text += 'kind = "separate"\n'
    experiment.write_text(text.replace("[load]", '[load]\ncongestion = ""'), encoding="utf-8")
    command = [*MOUNT, SCRIPT, str(disk), str(experiment), fills, *SERVERLAB]
    ended = subprocess.run(
        command,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(Path.cwd())},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "status").read_text(encoding="ascii") == "1\n"
    said = ended.stderr.replace("\n", "").replace(f"{disk}/run", "{run}")
    assert "serverlab: " in said
    assert "Traceback" not in said
    kept = (tmp_path / "trials").read_bytes().splitlines(keepends=True)
    assert len(kept) >= 1
    assert all(msgspec.json.decode(line)["load"] for line in kept)
    assert kept[-1].endswith(b"\n")
    assert ".new" not in (tmp_path / "files").read_text(encoding="utf-8")
    trials = (tmp_path / "all-trials").read_bytes().splitlines(keepends=True)
    assert trials[: len(kept)] == kept
    records = [msgspec.json.decode(line) for line in trials]
    assert all(record["load"] for record in records)
    assert sum(not record.get("repeats") for record in records) == 2 * blocks  # but for NOISY ones
    return said
