"""The completion script of a shell knows commands and options."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.lab.command_line import call


@pytest.mark.parametrize(
    ("words", "completed"), [("re", {"report"}), ("report --mark", {"--markdown"})]
)
def test_bash_completes_commands_and_options(
    words: str, completed: set[str], tmp_path: Path
) -> None:
    script = tmp_path / "completion.bash"
    script.write_text(call("completion", "bash", cwd=tmp_path).stdout, encoding="utf-8")
    typed = ["serverlab", *words.split()]
    asked = (
        f"source {script}; COMP_WORDS=({' '.join(typed)}); COMP_CWORD={len(typed) - 1}; "
        '_serverlab; echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == completed
