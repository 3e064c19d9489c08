"""The directive `example-reports`: links to the newest reports that this machine has made."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from serverlab.claims.page import PAGE
from serverlab.report.page import REPORT

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

RUNS = Path(__file__).parents[2] / "runs"
FOLDER = "examples"  # of the site
# What makes each, and its page in a run's folder.
EXAMPLES = {
    "quickstart": ("make demo", REPORT),
    "family-tree": ("serverlab run experiments/family-tree.toml", REPORT),
    "claims": ("serverlab claims --budget=20m", PAGE),
}


class ExampleReports(SphinxDirective):
    """A list of the examples: each a link to its report, or the command that makes one."""

    def run(self) -> list[nodes.Node]:
        """List all."""
        return [nodes.bullet_list("", *(self.item(name) for name in EXAMPLES))]

    def item(self, name: str) -> nodes.list_item:
        """One example."""
        command, _ = EXAMPLES[name]
        if newest(name) is None:
            text: list[nodes.Node] = [nodes.Text(f"{name}: not measured on this machine yet, ")]
        else:
            address = f"../{FOLDER}/{name}.html"  # as seen from docs/
            text = [nodes.reference("", name, refuri=address, internal=False), nodes.Text(", by ")]
        return nodes.list_item("", nodes.paragraph("", "", *text, nodes.literal("", command)))


def newest(name: str) -> Path | None:
    """The newest page of an example."""
    return max(RUNS.glob(f"*-{name}/{EXAMPLES[name][1]}"), default=None)


def copy(app: Sphinx, exception: Exception | None) -> None:
    """Put the pages beside the site's own."""
    if exception is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir) / FOLDER
    folder.mkdir(exist_ok=True)
    for name in EXAMPLES:
        if (page := newest(name)) is not None:
            shutil.copyfile(page, folder / f"{name}.html")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Tell Sphinx the directive's name, and when to copy."""
    app.add_directive("example-reports", ExampleReports)
    app.connect("build-finished", copy)
    return {"parallel_read_safe": True}
