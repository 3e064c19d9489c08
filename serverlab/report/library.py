"""The JavaScript that draws the charts: Vega, Vega-Lite and vegaEmbed, in one piece.

vl-convert takes a second or two to put it together, so that it is kept for the next report.
"""

from __future__ import annotations

import contextlib
import functools
import os
from importlib import metadata
from pathlib import Path

import vl_convert
from markupsafe import Markup

from serverlab.errors import LabError
from serverlab.files import write_whole

PACKAGE = "vl-convert-python"
SNIPPET = "window.vegaEmbed = vegaEmbed;"  # with Vega and Vega-Lite inside


@functools.cache
def library() -> Markup:
    """The library; from the user's cache folder, if this version has put it there before."""
    # A folder that cannot be found, read or written costs the time once more, and nothing else.
    with contextlib.suppress(OSError, UnicodeDecodeError, RuntimeError):
        return Markup(kept().read_text(encoding="utf-8"))  # noqa: S704 (nothing of a run is in it)
    text = vl_convert.javascript_bundle(SNIPPET)
    with contextlib.suppress(OSError, LabError, RuntimeError):
        kept().parent.mkdir(parents=True, exist_ok=True)
        write_whole(kept(), text.encode())
    return Markup(text)  # noqa: S704 (the same)


def kept() -> Path:
    """Where programs keep what they can make again (XDG base directories)."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "serverlab" / f"vega-{metadata.version(PACKAGE)}.js"
