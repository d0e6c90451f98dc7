"""How operations whose inputs aren't ready made bring them together, kept for the next time.

A loop multiplies the same kinds of tensors again and again. What `prepare` finds out from their
metas is written down once, so that the next call only does it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from gradviz.backends.capture.backend import dry_run
from gradviz.core.meta import Meta
from gradviz.dispatch.device import Device
from gradviz.ops.spec import Row
from gradviz.tensor.base import TENSORS, Tensor

_KEPT: Final = 4096


@dataclass(frozen=True, slots=True)
class Plan:
    """How a row runs on inputs of known metas: what no look at values changes.

    Attributes:
        row: the operation; held, so that its id stays its own.
        run: the table's function.
        first: what is given to it before the inputs: the meta they share, or nothing.
        moves: places of inputs that are lifted to `device`.
        numbers: places of Python numbers, with the meta they become constants of.
        fixed: how many inputs stand before a list of them; None where none is a list.
    """

    row: Row
    run: Any
    first: tuple[Meta, ...]
    device: Device
    moves: tuple[int, ...]
    numbers: tuple[tuple[int, Meta], ...]
    fixed: int | None


plans: Final[dict[tuple[Any, ...], Plan]] = {}
"""Plans by what `key_of` says of inputs."""


def key_of(
    row: Row, inputs: list[Any], attrs: tuple[Any, ...]
) -> tuple[list[Any], tuple[Any, ...] | None]:
    """The inputs laid flat, and what a plan for them is kept by; None where there can be none."""
    flat: list[Any] = []
    key: list[Any] = [id(row)]
    for value in inputs:
        kind = value.__class__
        if kind in TENSORS:
            key.append(value.node.meta)
        elif value is None or kind is float or kind is int:
            key.append(kind)
        elif (kind is list or kind is tuple) and row.variadic and value:
            for item in value:
                if item.__class__ not in TENSORS:
                    return flat, None
                key.append(item.node.meta)
            flat += value
            continue
        else:
            return flat, None
        flat.append(value)
    if row.checked:
        key += attrs
        try:
            hash(attrs)
        except TypeError:
            return flat, None
    return flat, tuple(key)


def remember(
    key: tuple[Any, ...],
    row: Row,
    given: list[Any],
    ready: list[Any],
    run: Any,
    first: tuple[Meta, ...],
) -> None:
    """Keeps how inputs were brought together, where nothing but their metas decided it."""
    device = next(tensor for tensor in ready if tensor is not None).node.meta.device
    if not device.backend.computes or dry_run() is not None:
        return
    names = [item.name for item in row.inputs]
    moves: list[int] = []
    numbers: list[tuple[int, Meta]] = []
    for at, (before, after) in enumerate(zip(given, ready, strict=True)):
        if after is None:
            continue
        meta = after.node.meta
        if isinstance(before, Tensor):
            if before.node.meta.dtype is not meta.dtype:
                return
            if before is not after:
                moves.append(at)
        elif names[at] in row.fixed or (meta.category != "float" and isinstance(before, float)):
            return
        else:
            numbers.append((at, meta))
    if len(plans) >= _KEPT:
        plans.clear()
    fixed = len(row.inputs) - 1 if row.variadic else None
    plans[key] = Plan(row, run, first, device, tuple(moves), tuple(numbers), fixed)
