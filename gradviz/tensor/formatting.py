"""Tensors as text."""

from __future__ import annotations

from typing import Any

from gradviz.backends.capture.deferred import Deferred
from gradviz.backends.ndarray import text
from gradviz.tensor.base import Tensor, views


def preview(tensor: Tensor, limit: int = 60) -> str | None:
    """A tensor's value in a few words; None where there is none to read."""
    prim = tensor.prim
    if tensor.device.is_capture:
        prim = _known(prim)
    return None if prim is None else text.short(prim, limit)


def _known(symbol: Any) -> Any:
    """The contents of a constant where they have been made: looking makes none."""
    return None if symbol.array.__class__ is Deferred else symbol.array


def represent(tensor: Tensor) -> str:
    """`tensor([1., 2.], ...)` with the dtype where it isn't obvious, kind and requirement."""
    # A parameter says that it is one.
    label = "tensor" if type(tensor) is Tensor else type(tensor).__name__
    facts = []
    if tensor.dtype.name not in ("float32", "int64", "bool"):
        facts.append(f"dtype={tensor.dtype.name}")
    if tensor.kind != "NdArray":
        facts.append(f"kind={tensor.kind}")
    if tensor.requirement != "none":
        facts.append(f"requirement={tensor.requirement}")
    if tensor.name:
        facts.append(f"name={tensor.name!r}")
    prim = _known(tensor.prim) if tensor.device.is_capture else tensor.prim
    if prim is None:
        facts = [f"shape={tensor.shape}", f"dtype={tensor.dtype.name}", *facts]
        return f"{label}(<captured>, {', '.join(facts)})"
    body = text.full(prim, f"{label}(")
    if 0 in tensor.shape:
        facts.insert(0, f"shape={tensor.shape}")
    return f"{label}({', '.join([body, *facts])})"


views["repr"] = represent
views["preview"] = preview


def one_line(value: Any) -> str:
    """An attribute's value as text for a picture."""
    shown = repr(value)
    return shown if len(shown) <= 80 else shown[:77] + "..."
