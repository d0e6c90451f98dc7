"""Modules as text, in PyTorch's form."""

from __future__ import annotations

from collections.abc import Iterable


def represent(name: str, extra: str, children: Iterable[tuple[str, object]]) -> str:
    """A module's class, its facts and, indented, the modules in it."""
    lines = extra.splitlines() if extra else []
    inner = [f"({key}): {_indented(repr(child))}" for key, child in children]
    if not inner and len(lines) <= 1:
        return f"{name}({''.join(lines)})"
    return "\n".join([f"{name}(", *(f"  {line}" for line in [*lines, *inner]), ")"])


def grouped(name: str, children: list[object]) -> str:
    """A list of modules, where equal neighbours share a line with their number."""
    groups: list[tuple[int, int, str]] = []
    for at, child in enumerate(children):
        text = repr(child)
        if groups and groups[-1][2] == text:
            groups[-1] = (groups[-1][0], at, text)
        else:
            groups.append((at, at, text))
    lines = [
        f"  ({first}): {_indented(text)}"
        if first == last
        else f"  ({first}-{last}): {last - first + 1} x {_indented(text)}"
        for first, last, text in groups
    ]
    return "\n".join([f"{name}(", *lines, ")"]) if lines else f"{name}()"


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ")
