"""Names in the file: scopes as paths, every name once."""

from __future__ import annotations

import re
from typing import Any

from gradviz.ir.graph import OperationIr

_LONGEST = 200
"""Longer names are cut: they are for people."""


def readable(text: str) -> str:
    """A name that any reader of the format takes: one line of valid UTF-8."""
    solid = text.encode("utf-8", "replace").decode("utf-8")
    line = "".join(letter if letter.isprintable() else "_" for letter in solid)
    return line[:_LONGEST]


def path_of(operation: OperationIr, name: str = "") -> str:
    """The scopes an operation was recorded in and its own name, or another, as a path."""
    labels = [scope.label.replace("/", "_") for scope in operation.scopes]
    return readable("/".join([*labels, name or operation.op]))


def scopes_of(node: Any) -> list[str]:
    """The scopes that a node of any exporter lies in.

    Either its name is a path, or it says so in a property, as PyTorch's newer exporter does: there
    every module has its whole path, which begins with that of the module around it.
    """
    for item in node.metadata_props:
        if item.key == "pkg.torch.onnx.name_scopes" and isinstance(item.value, str):
            labels, around = [], ""
            for path in re.findall(r"'([^']*)'", item.value)[:-1]:
                own = path.removeprefix(f"{around}.") if around else path
                around = path
                if own:
                    labels.append(readable(own))
            return labels
    return [part for part in readable(node.name).split("/") if part][:-1]


def place_of(operation: OperationIr) -> str:
    """The line that an operation was recorded in, without the folder its file lies in."""
    source = operation.source
    if source is None:
        return ""
    file = source.filename.replace("\\", "/").rpartition("/")[2]
    line = source.text.splitlines()[0].strip() if source.text else ""
    return readable(f"{file}:{source.line}: {line}" if line else f"{file}:{source.line}")


class Names:
    """The names that are taken."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def claim(self, wanted: str) -> str:
        """The name, with a number behind it where it is taken."""
        name = wanted
        while name in self._taken:
            number = self._next.get(wanted, 1)
            self._next[wanted] = number + 1
            name = f"{wanted}_{number}"
        self._taken.add(name)
        return name
