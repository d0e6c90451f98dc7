"""Builds the front end when the package is built, unless a fresh build is already there.

An sdist carries the built files and needs no Node at all.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# This script is not run from its folder, and the front end stands in one beside it.
sys.path.insert(0, str(Path(__file__).resolve().parent))
from extension import front_end


class FrontEndHook(BuildHookInterface[Any]):
    """`npm ci` and the bundler, before the files are collected."""

    def dependencies(self) -> list[str]:
        """Node as a wheel, only where a build is needed and the system can't do it."""
        root = Path(self.root)
        needless = front_end.is_fresh(root) or not front_end.has_sources(root)
        return [] if needless or front_end.system_node() else [front_end.NODE_WHEEL]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Leaves `gradviz/static` and `gradviz/labextension` built; pip calls this twice."""
        root = Path(self.root)
        if front_end.is_fresh(root):
            self.app.display_info("gradviz: the front end is up to date")
            return
        found = front_end.find_node()
        if found is None:
            raise RuntimeError(
                "gradviz: the front end has to be built, and there is no Node.js >= "
                f"{front_end.OLDEST_NODE}: install it, or `pip install '{front_end.NODE_WHEEL}'` "
                "beside the build"
            )
        self.app.display_info("gradviz: building the front end")
        extension = root / "extension"
        environment = {**found.environment, "CI": "1"}
        if not _packages_are_fresh(extension):
            install = ["ci", "--omit=dev", "--no-audit", "--no-fund", "--ignore-scripts"]
            subprocess.run([*found.npm, *install], cwd=extension, env=environment, check=True)
        subprocess.run([*found.npm, "run", "build"], cwd=extension, env=environment, check=True)
        if not front_end.is_built(root):
            raise RuntimeError("gradviz: the front end build ended without its files")


def _packages_are_fresh(extension: Path) -> bool:
    installed = extension / "node_modules" / ".package-lock.json"
    lock = extension / "package-lock.json"
    return installed.exists() and installed.stat().st_mtime >= lock.stat().st_mtime
