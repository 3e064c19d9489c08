"""Opens a page for its reader."""

from __future__ import annotations

import os
import webbrowser
from typing import TYPE_CHECKING

from serverlab.console import complain

if TYPE_CHECKING:
    from pathlib import Path


def open_in_browser(page: Path) -> None:
    """Open a page in the browser of this desktop session, or the one that $BROWSER names."""
    if not any(os.environ.get(name) for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")):
        complain("--open needs a desktop session, or $BROWSER: open the page by hand")
    elif not webbrowser.open(page.resolve().as_uri()):
        complain("no browser could be started: open the page by hand")
