"""Which tests apply to which engines; one that does not apply is not collected, nor skipped.

A test says by its marks what it asks of its engine: `service(name)`, echo unless it says so;
`engines(that=…)`, a condition on the engine's row of the catalogue; `of_engine(name)`, if it takes
no parameter; `unsanitized`, if no sanitizer can run it; `sanitized`, if only those builds have what
it tests. What the machine lacks is no matter of
these: such a test is skipped when it runs, with a reason that names the machine.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from serverlab.design.catalog import Engine
from tests.conformance.programs import engine_row, is_sanitized, refusal

SUITES = {Path(__file__).parents[1] / suite for suite in ("conformance", "hostile", "faults")}


def applies(item: pytest.Item) -> bool:
    """Whether there is something to test."""
    if SUITES.isdisjoint(item.path.parents):
        return True
    if item.get_closest_marker("unsanitized") and is_sanitized():
        return False
    if item.get_closest_marker("sanitized") and not is_sanitized():
        return False
    callspec = getattr(item, "callspec", None)
    parameters = callspec.params if callspec else {}
    marked = item.get_closest_marker("of_engine")
    engine = parameters.get("engine", marked.args[0] if marked else None)
    if engine is None:
        return True
    service = item.get_closest_marker("service")
    served = parameters.get("service", service.args[0] if service else "echo")
    conditions = [mark.kwargs["that"] for mark in item.iter_markers("engines")]
    row = engine_row(engine)
    return not refusal(engine, served) and all(condition(row) for condition in conditions)


def is_of_one_thread(item: pytest.Item) -> bool:
    """Whether it tests one of all engines, and one thread of that engine serves all connections.

    test_thread_count.py holds the engine to it.
    """
    callspec = getattr(item, "callspec", None)
    engine = callspec.params.get("engine") if callspec else None
    if engine is None or not SUITES & set(item.path.parents):
        return False
    return engine != "threads" and "threads" in engine_row(engine).unsupported_settings


def runs_sessions(engine: Engine) -> bool:
    """Whether its sessions run in the server, and not in the kernel."""
    return not engine.in_kernel


def is_one_process(engine: Engine) -> bool:
    """Whether one process holds all connections."""
    return engine.one_process
