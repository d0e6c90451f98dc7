"""The notebook session, where there is one: which files are cells, and the namespace they share."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def cell_namespace(filename: str) -> Mapping[str, Any] | None:
    """The namespace a notebook cell runs in; None for a file that is no cell of a session."""
    # Looked up, never imported: without a session there is nothing to ask.
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else getattr(ipython, "get_ipython", lambda: None)()
    if shell is None:
        return None
    if Path(filename).exists() and not filename.startswith("<"):
        return None
    space: Mapping[str, Any] = shell.user_ns
    return space
