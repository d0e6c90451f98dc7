"""What users call their tensors: variables, list items, attributes, module parameters."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from types import FrameType, ModuleType, SimpleNamespace
from typing import Any, Final

from gradviz.nn.module import Module
from gradviz.tensor.base import Tensor

_MOST_VARIABLES: Final = 5000
_MOST_ITEMS: Final = 200
_MOST_BEHIND_ONE: Final = 1000
_DEEPEST: Final = 2
_NO_TENSORS: Final = (int, float, bool, str, bytes, type(None))
_SKIPPED: Final = frozenset({"In", "Out", "exit", "quit", "get_ipython"})


asked_for: ContextVar[Mapping[str, Any] | None] = ContextVar("asked_for", default=None)
"""The variables of whoever is asked for, where no code of theirs is running."""


def namespaces(frame: FrameType | None) -> list[Mapping[str, Any]]:
    """The variables in sight of a frame, nearest first."""
    known = asked_for.get()
    if known is not None:
        return [known]
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
    """The tensors behind a variable, nearest first: in lists, dicts, modules and own objects."""
    waiting: list[tuple[str, Any, int]] = [(name, value, 0)]
    for label, thing, depth in waiting:
        # By type, not by `isinstance`: a mock or a proxy may claim any class.
        kind = type(thing)
        if issubclass(kind, Tensor):
            yield label, thing
        elif depth > _DEEPEST or len(waiting) > _MOST_BEHIND_ONE:
            continue
        elif issubclass(kind, Module):
            for path, parameter in thing.named_parameters():
                yield f"{label}.{path}", parameter
            for key, item in list(attributes(thing).items())[:_MOST_ITEMS]:
                if issubclass(type(item), Tensor):
                    yield f"{label}.{key}", item
                elif issubclass(type(item), dict | list | tuple):
                    waiting.append((f"{label}.{key}", item, depth + 1))
        elif issubclass(kind, dict):
            for key, item in list(dict.items(thing))[:_MOST_ITEMS]:
                if _is_plain(key) and type(item) not in _NO_TENSORS:
                    waiting.append((f"{label}[{key!r}]", item, depth + 1))
        elif issubclass(kind, list | tuple):
            for at, item in enumerate(contents(thing)[:_MOST_ITEMS]):
                if type(item) not in _NO_TENSORS:
                    waiting.append((f"{label}[{at}]", item, depth + 1))
        elif _is_users(kind):
            # Never properties, which run code.
            for key, item in list(attributes(thing).items())[:_MOST_ITEMS]:
                if type(item) not in _NO_TENSORS:
                    waiting.append((f"{label}.{key}", item, depth + 1))


def _is_users(kind: type) -> bool:
    """Whether objects of a class are the user's own: a class the program defines, a namespace."""
    own = kind.__module__ == "__main__" and not issubclass(kind, type | ModuleType)
    return own or kind is SimpleNamespace


def contents(value: Any) -> list[Any]:
    """What a list, tuple or dict holds; methods that a subclass overrides are not run."""
    kind = type(value)
    if issubclass(kind, dict):
        return list(dict.values(value))
    if issubclass(kind, list):
        return list(list.__iter__(value))
    return list(tuple.__iter__(value)) if issubclass(kind, tuple) else []


def attributes(value: Any) -> dict[str, Any]:
    """An object's own attributes; nothing that its class overrides is run."""
    try:
        found = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return found if type(found) is dict else {}


def _is_plain(key: Any) -> bool:
    """Whether a key's text can be relied on to name it."""
    if type(key) is tuple:
        return all(map(_is_plain, key))
    return key is None or type(key) in (str, int, float, bool)
