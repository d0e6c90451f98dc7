"""A layer imports only what stands above it; array libraries and notebooks stay in their places."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2] / "gradviz"
LAYERS = [
    "core",
    "errors",
    "ops",
    "ir",
    "backends",
    "autodiff",
    "dispatch",
    "tensor",
    "nn",
    "optim",
    "capture",
    "onnx",
    "graph",
    "diagnose",
    "render",
    "widgets",
]
ONLY_IN = {
    "numpy": {"backends"},
    "IPython": {"widgets"},
    "anywidget": {"widgets"},
    "ipywidgets": {"widgets"},
    "traitlets": {"widgets"},
    "comm": {"widgets"},
    "graphviz": {"render"},
    "safetensors": {"backends"},
    "onnx": {"onnx"},
}
FILES = sorted(path for path in ROOT.rglob("*.py") if "labextension" not in path.parts)
IDS = [str(path.relative_to(ROOT)) for path in FILES]
GENERATED = {"tensor/functions.py", "tensor/methods.py"}
LONGEST_FILE = 400


def imports(path: Path) -> list[tuple[str, int]]:
    """Every module a file imports, `TYPE_CHECKING` blocks left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = {
        id(child)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for child in ast.walk(node)
    }
    found = []
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            found += [(item.name, node.lineno) for item in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found += [(f"{node.module}.{item.name}", node.lineno) for item in node.names]
    return found


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_imports_point_down(path: Path) -> None:
    place = path.relative_to(ROOT).parts
    if len(place) == 1:
        return  # the façade and the command line stand outside the layers
    own = LAYERS.index(place[0])
    for name, line in imports(path):
        parts = name.split(".")
        if parts[0] == "gradviz" and len(parts) > 1 and parts[1] in LAYERS:
            assert LAYERS.index(parts[1]) <= own, f"{path}:{line} imports {name}, a layer below"


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_libraries_stay_in_their_layer(path: Path) -> None:
    layer = path.relative_to(ROOT).parts[0]
    for name, line in imports(path):
        allowed = ONLY_IN.get(name.split(".")[0])
        assert allowed is None or layer in allowed, f"{path}:{line} imports {name}"


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_files_stay_short(path: Path) -> None:
    name = path.relative_to(ROOT).as_posix()
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= LONGEST_FILE or name in GENERATED, f"{name} has {lines} lines"


def test_importing_needs_numpy_alone() -> None:
    code = (
        "import sys, gradviz\n"
        "loaded = {name.partition('.')[0] for name in sys.modules}\n"
        "print(' '.join(sorted(loaded & set(sys.argv[1:]))))"
    )
    heavy = [
        "IPython",
        "ipywidgets",
        "anywidget",
        "traitlets",
        "graphviz",
        "onnx",
        "safetensors",
        "sklearn",
        "pandas",
    ]
    answer = subprocess.run(
        [sys.executable, "-c", code, *heavy], capture_output=True, text=True, check=True
    )
    assert answer.stdout.split() == []
