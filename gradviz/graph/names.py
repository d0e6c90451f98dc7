"""What users call their tensors: variables, list items, attributes, module parameters."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from types import FrameType, ModuleType
from typing import Any, Final

from gradviz.nn.module import Module
from gradviz.tensor.base import Tensor

_MOST_VARIABLES: Final = 5000
_MOST_ITEMS: Final = 200
_SKIPPED: Final = frozenset({"In", "Out", "exit", "quit", "get_ipython"})


def namespaces(frame: FrameType | None) -> list[Mapping[str, Any]]:
    """The variables in sight of a frame, nearest first."""
    if frame is None:
        return []
    if frame.f_locals is frame.f_globals:
        return [frame.f_globals]
    return [frame.f_locals, frame.f_globals]


def holding(tensors: list[Tensor], filename: str | None) -> list[Mapping[str, Any]]:
    """Global namespaces that hold tensors made in other files than the one that asks.

    Code that a tool or an import ran has its own variables; they are found from the tensors. It
    takes a walk over all objects, so it is done only where the asking file made none of the tensors
    itself.
    """
    found: list[Mapping[str, Any]] = []
    for tensor in tensors:
        source = tensor.node.source
        if source is None or source.filename == filename:
            continue
        for holder in gc.get_referrers(tensor):
            if (
                isinstance(holder, dict)
                and "__builtins__" in holder
                and not any(holder is space for space in found)
            ):
                found.append(holder)
    return found


def find(spaces: list[Mapping[str, Any]]) -> dict[int, tuple[str, Tensor]]:
    """Names and tensors by node id: the shortest name in the nearest namespace."""
    found: dict[int, tuple[str, Tensor]] = {}
    for space in spaces:
        here: dict[int, tuple[str, Tensor]] = {}
        for name, value in list(space.items())[:_MOST_VARIABLES]:
            if name.startswith("_") or name in _SKIPPED:
                continue
            for label, tensor in _tensors(name, value):
                known = here.get(tensor.node.id)
                if known is None or len(label) < len(known[0]):
                    here[tensor.node.id] = (label, tensor)
        found = here | found
    return found


def _tensors(name: str, value: Any) -> Iterator[tuple[str, Tensor]]:
    if isinstance(value, Tensor):
        yield name, value
    elif isinstance(value, Module):
        for path, parameter in value.named_parameters():
            yield f"{name}.{path}", parameter
        for key, item in vars(value).items():
            if isinstance(item, Tensor):
                yield f"{name}.{key}", item
    elif isinstance(value, list | tuple):
        for at, item in enumerate(value[:_MOST_ITEMS]):
            if isinstance(item, Tensor):
                yield f"{name}[{at}]", item
    elif isinstance(value, dict):
        for key, item in list(value.items())[:_MOST_ITEMS]:
            if isinstance(item, Tensor):
                yield f"{name}[{key!r}]", item
    elif not isinstance(value, type | ModuleType) and type(value).__module__ == "__main__":
        # Objects of classes the user wrote, one level deep; never properties, which run code.
        for key, item in list(getattr(value, "__dict__", {}).items())[:_MOST_ITEMS]:
            if isinstance(item, Tensor):
                yield f"{name}.{key}", item
