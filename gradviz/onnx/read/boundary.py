"""Shapes of what goes into a model and what comes out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gradviz.errors import fail
from gradviz.onnx.read.parsing import Port
from gradviz.onnx.read.refusal import UnreadableError, shortened
from gradviz.ops.size import NAME, Length, Size, symbol


def input_shape(port: Port, shapes: Mapping[str, Any]) -> tuple[Length, ...]:
    """The shape of an input, with symbols for what is left open.

    Raises:
        UnreadableError: where the model doesn't say it, and the caller neither.
    """
    given = shapes.get(port.name)
    if given is not None:
        return _given(port, given)
    if port.sizes is None:
        raise UnreadableError(
            f"the input {shortened(port.name)} has no shape; give one in `shapes`"
        )
    return tuple(_size(port, at, size, shapes) for at, size in enumerate(port.sizes))


def _given(port: Port, given: Any) -> tuple[Length, ...]:
    try:
        sizes = tuple(int(size.__index__()) for size in given)
    except (TypeError, AttributeError):
        sizes = (-1,)
    fits = port.sizes is None or (
        len(port.sizes) == len(sizes)
        and all(
            not isinstance(own, int) or own == size
            for own, size in zip(port.sizes, sizes, strict=True)
        )
    )
    if min(sizes, default=0) < 0 or not fits:
        raise fail(
            "invalid-argument",
            operation="from_onnx",
            complaint=f"the shape {given!r} doesn't fit the input {shortened(port.name)}",
            facts=(("the model's", shortened(port.sizes)),),
            advice="Give whole sizes, and only where the model leaves them open.",
        )
    return sizes


def _size(port: Port, at: int, size: int | str | None, shapes: Mapping[str, Any]) -> Length:
    if isinstance(size, int):
        return size
    given = shapes.get(size) if size else None
    if isinstance(given, int) and given >= 0:
        return given
    text = size or f"{port.name}_{at}"
    name = "".join(letter if letter.isalnum() or letter == "_" else "_" for letter in text)
    name = name if NAME.fullmatch(name) else f"size_{name}"[:60]
    return symbol(name) if NAME.fullmatch(name) else symbol(f"size_{at}")


def fits(shape: tuple[Length, ...], declared: tuple[int | str | None, ...]) -> bool:
    """Whether a shape is one that the model declares."""
    return len(shape) == len(declared) and all(
        isinstance(size, Size) or not isinstance(own, int) or size == own
        for size, own in zip(shape, declared, strict=True)
    )
