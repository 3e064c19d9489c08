"""How Sphinx makes the site and the manual pages from the Markdown files (`make docs`)."""

from __future__ import annotations

import sys
from importlib.metadata import version as version_of
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "sphinx"))

project = "serverlab"
version = release = version_of("serverlab")
extensions = ["myst_parser", "cyclopts.sphinx_ext", "example_reports", "native_options"]
include_patterns = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "contestants/README.md",
    "docs/*.md",
    "docs/*/*.md",
]
root_doc = "docs/index"

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 4

html_theme = "furo"
html_title = "serverlab"
html_copy_source = False

SECTION = 1  # of manual pages: programs
man_pages = [
    (f"docs/reference/{name}", name, summary, "", SECTION)
    for name, summary in {
        "serverlab": "measure which way of serving connections fits a workload",
        "serverlab-server": "serve with one of many engines",
        "serverlab-load": "load a server and check every reply",
    }.items()
]
