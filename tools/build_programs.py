"""Builds the native programs into the wheel, with experiments and contestants (Hatchling's hook).

An editable installation has them in the checkout: `make build` builds them there.
"""

from __future__ import annotations

import subprocess
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

TARGET = "serverlab-programs"
PROGRAMS = ("serverlab-server", "serverlab-load", "serverlab-probe")  # the last only with clang


class ProgramsHook(BuildHookInterface[Any]):
    """Runs CMake, and adds what it has built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build, and name the files; `version` is that of the target: standard or editable."""
        if version == "editable":
            return
        root = Path(self.root)
        folder = root / "build" / "wheel"
        configure = ["--preset", "release", "-B", str(folder), "-DSERVERLAB_TESTS=OFF"]
        subprocess.run(["cmake", *configure], check=True, cwd=root)
        subprocess.run(["cmake", "--build", str(folder), "--target", TARGET], check=True)
        build_data["force_include"] |= {
            str(folder / name): f"serverlab/bin/{name}"
            for name in PROGRAMS
            if (folder / name).exists()
        }
        build_data["force_include"] |= {
            str(root / "experiments"): "serverlab/experiments",
            str(root / "contestants"): "serverlab/contestants/shipped",
        }
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data |= {"pure_python": False, "tag": f"py3-none-{platform}"}
