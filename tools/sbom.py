"""Writes what serverlab is made of, as a CycloneDX file: `make sbom`.

The libraries that the two programs load, those whose headers are compiled into them, and the Python
packages that the laboratory imports, each with its version and the package that it is from.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = [
    ROOT / "build" / "release" / name
    for name in ("serverlab-server", "serverlab-load", "serverlab-probe")
]
# Compiled in, so that the loader does not know them (CMakeLists.txt).
HEADERS = ["libboost-dev", "libcli11-dev", "nlohmann-json3-dev"]
LIBRARY = re.compile(r"(\S+\.so\S*) => (/\S+)")
NAME = re.compile(r"[A-Za-z0-9._-]+")


def output_of(*command: str | Path) -> str:
    """What a program prints; nothing where there is no such program."""
    try:
        return subprocess.run(command, capture_output=True, check=True, text=True).stdout
    except (FileNotFoundError, subprocess.CalledProcessError):
        return ""


def loaded() -> dict[str, Path]:
    """The shared libraries of all programs, by their names."""
    return {
        name: Path(path)
        for program in PROGRAMS
        for name, path in LIBRARY.findall(output_of("ldd", program))
    }


def package_of(path: Path) -> str:
    """The Debian package that a file is from; empty if none is."""
    owner = output_of("dpkg-query", "--search", path.resolve())
    return owner.partition(":")[0]


def debian(package: str, name: str) -> Component:
    """A library, and the version of its package."""
    version = output_of("dpkg-query", "--show", "--showformat=${Version}", package) or None
    return Component(
        type=ComponentType.LIBRARY,
        name=name,
        version=version,
        purl=PackageURL("deb", "debian", package, version),
    )


def native() -> Iterator[Component]:
    """What the programs are made of."""
    for name, path in sorted(loaded().items()):
        package = package_of(path)
        if package:
            yield debian(package, name)
        else:
            yield Component(type=ComponentType.LIBRARY, name=name)
    for package in HEADERS:
        yield debian(package, package)


def needed(package: str, found: dict[str, str]) -> dict[str, str]:
    """The Python packages that one needs, itself included, with their versions."""
    try:
        version = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:  # of another system, or of an extra
        return found
    if package.lower() in found:
        return found
    found[package.lower()] = version
    for requirement in importlib.metadata.requires(package) or []:
        if "extra ==" not in requirement and (name := NAME.match(requirement)):
            needed(name[0], found)
    return found


def python() -> Iterator[Component]:
    """What the laboratory imports."""
    for name, version in sorted(needed("serverlab", {}).items()):
        kind = ComponentType.APPLICATION if name == "serverlab" else ComponentType.LIBRARY
        yield Component(
            type=kind, name=name, version=version, purl=PackageURL("pypi", None, name, version)
        )


def document() -> str:
    """The whole, as JSON."""
    bom = Bom(components=[*native(), *python()])
    text: str = JsonV1Dot6(bom).output_as_string(indent=1)
    return text + "\n"


def main() -> int:
    """Parse the arguments, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    out: Path = parser.parse_args().out
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(document(), encoding="utf-8")
    sys.stdout.write(f"{out}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
