"""`--open` opens the report in a browser, or says why it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lab.command_line import call
from tests.lab.report_data import write_run


def test_the_report_is_opened_in_the_browser_of_the_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/opened\n', encoding="utf-8")
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{browser} %s")
    run = write_run(tmp_path / "run")
    assert call("report", run, "--open", cwd=tmp_path).returncode == 0
    opened = (tmp_path / "opened").read_text(encoding="utf-8").strip()
    assert opened == (run / "report.html").as_uri()


def test_without_a_desktop_session_the_report_is_only_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    run = write_run(tmp_path / "run")
    called = call("report", run, "--open", cwd=tmp_path)
    assert called.returncode == 0
    assert "--open needs a desktop session" in called.stderr
    assert "report: " in called.stdout
