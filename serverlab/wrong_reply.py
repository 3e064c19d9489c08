"""A wrong reply in a sentence: what came, what was expected, and which option says it otherwise."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from serverlab.load_result import WrongReply

HTTP = "http"
STATUS_LINE = re.compile(r"HTTP/1\.[01] (\d{3})")
USUAL_STATUS = "200"


def sentence(wrong: WrongReply, service: str, load_settings: Mapping[str, str]) -> str:
    """Of the first wrong reply of a load with these settings, without a full stop."""
    status = STATUS_LINE.match(wrong.received)
    if service != HTTP:
        advice = "; it speaks HTTP: --service=http" if status else ""
        return f"expected {wrong.expected}, received {wrong.received}{advice}"
    method = load_settings.get("http-method", "GET")
    asked = f"{method} {load_settings.get('http-path', '/')}"
    expected = wrong.expected.strip("<>")
    if status is None:
        return f"to {asked} came {wrong.received}, and not {expected}"
    if status[1] == load_settings.get("http-status", USUAL_STATUS):
        advice = "--http-check=status compares no bodies, and --http-path names another resource"
    else:
        advice = "--http-path names what it serves, --http-status another status"
    return f"it replied {status[1]} to {asked}, and not {expected}: {advice}"
