"""The directive `native-options`: a page of a native program, from what `--list-json` prints."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import msgspec
from sphinx.util.docutils import SphinxDirective

from serverlab.design.catalog import LoadList, ServerList, Setting
from serverlab.machine.native import output_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from docutils import nodes
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata


class NativeOptions(SphinxDirective):
    """Sections of the options, engines, services, models and exit statuses of a program."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Parse the sections as Markdown in their place."""
        listed = output_of(self.arguments[0], "--list-json")
        if self.arguments[0] == "serverlab-server":
            lines = server_page(msgspec.json.decode(listed, type=ServerList))
        else:
            lines = load_page(msgspec.json.decode(listed, type=LoadList))
        return self.parse_text_to_nodes("\n".join(lines), allow_section_headings=True)


def server_page(server: ServerList) -> Iterator[str]:
    """What the server can be asked for."""
    of_services = [one for service in server.services for one in service.service_settings]
    yield from options(server.settings, of_services)
    yield from definitions("Engines", ((one.name, one.model) for one in server.engines))
    yield from definitions("Services", ((one.name, one.summary) for one in server.services))


def load_page(load: LoadList) -> Iterator[str]:
    """What the generator can be asked for, and its exit statuses."""
    services = msgspec.json.decode(output_of("serverlab-server", "--list-json"), type=ServerList)
    of_services = [one for service in services.services for one in service.workload_settings]
    yield from options(load.settings, of_services)
    yield from definitions(
        "Load models",
        (
            (
                one.name + (" with --rate" if one.has_rate and one.name == "ramp" else ""),
                f"{one.summary}. Of the settings that not every model uses: "
                + " ".join(f"`--{name}`" for name in one.settings),
            )
            for one in load.models
        ),
    )
    yield from definitions(
        "Exit status", ((f"{one.exit_status} {one.name}", one.meaning) for one in load.verdicts)
    )


def options(*lists: Iterable[Setting]) -> Iterator[str]:
    """A section for each group of settings, in the order of `--help`."""
    every = {setting.name: setting for setting in itertools.chain(*lists)}
    for group in dict.fromkeys(setting.group for setting in every.values()):
        yield from definitions(
            group,
            (
                (
                    f"--{setting.name} {setting.values}",
                    setting.meaning
                    + (f" (default `{setting.fallback}`)" if setting.fallback else ""),
                )
                for setting in every.values()
                if setting.group == group
            ),
        )


def definitions(title: str, rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    """A section of a list of terms and what they mean."""
    yield f"\n## {title}\n"
    for term, meaning in rows:
        yield f"`{term}`\n: {meaning}\n"


def setup(app: Sphinx) -> ExtensionMetadata:
    """Tell Sphinx the directive's name."""
    app.add_directive("native-options", NativeOptions)
    return {"parallel_read_safe": True}
