"""A program of ours that does not behave ends its trial with a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from serverlab.errors import LabError
from serverlab.running import process
from serverlab.running.events import Listening
from serverlab.running.process import NativeProcess
from tests.waiting import DEADLINE_S

if TYPE_CHECKING:
    from pathlib import Path


def test_a_program_that_closes_its_output_and_stays_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "PATIENCE_S", 0.2)
    under = ["sh", "-c", "exec >&-; exec sleep 100"]
    with (
        NativeProcess("serverlab-server", {}, tmp_path / "log", under=under) as server,
        pytest.raises(LabError, match="serverlab-server has closed its output and does not end"),
    ):
        server.await_event(Listening, DEADLINE_S)
    assert not server.is_alive()
