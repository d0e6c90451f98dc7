"""Copies and pickles of tensors: `copy.copy`, `copy.deepcopy`, `pickle`.

A copy is a new leaf with the same value, mark and name. A tracked result has no copy: it would be
cut from its graph without a word.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.autodiff.node import GRAD, GRAD_IN_BACKWARD, NONE, Origin, new_leaf
from gradviz.backends.capture.deferred import Deferred
from gradviz.core.context import call_site, current
from gradviz.dispatch.registry import device as device_named
from gradviz.errors import GradvizRuntimeError, fail
from gradviz.tensor.base import Tensor
from gradviz.tensor.data import array_of
from gradviz.tensor.refusal import facts
from gradviz.tensor.values import read

_COPY = Origin("copy")


def restore(
    cls: type[Tensor],
    array: Any,
    device: Any,
    marked: bool,
    name: str | None,
    carried: dict[str, Any],
) -> Tensor:
    """A leaf of class `cls` with the contents of a pickled or copied one."""
    home = device_named(device)
    code, lasti = call_site()
    made: Tensor = object.__new__(cls)
    made.prim = home.backend.constant(array)
    made.node = new_leaf(
        _COPY, home.meta(array.shape, array.dtype), GRAD if marked else NONE, code, lasti, current()
    )
    if name is not None:
        made.node.more().name = name
    for field, value in carried.items():
        setattr(made, field, value)
    return made


def _arguments(tensor: Tensor, operation: str) -> tuple[Any, ...]:
    node = tensor.node
    if node.requirement == GRAD_IN_BACKWARD:
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint="a tracked result can't be copied",
            reason=f"it is the result of `{node.op}` on tracked tensors; a copy would be cut from "
            "them.",
            facts=facts(node),
            advice="Copy `.detach()` of it for the value alone; its gradients need the original.",
            cause=node.source,
            nodes=(node.id,),
            error=GradvizRuntimeError,
        )
    carried = {field: getattr(tensor, field) for field in getattr(tensor, "carried", ())}
    array: Any
    known = tensor.prim.array if tensor.device.is_capture else None
    if operation == "deepcopy" and isinstance(known, Deferred):
        array = Deferred(known.shape, known.dtype, known.contents)  # made when it is read
    else:
        array = array_of(read(tensor, operation), None)
    return type(tensor), array, str(tensor.device), node.requirement == GRAD, node.name, carried


def _deepcopy(self: Tensor, _memo: dict[int, Any]) -> Tensor:
    return restore(*_arguments(self, "deepcopy"))


def _reduce(self: Tensor) -> tuple[Callable[..., Tensor], tuple[Any, ...]]:
    return restore, _arguments(self, "pickle")


def _copy(self: Tensor) -> Tensor:
    return self


Tensor.__deepcopy__ = _deepcopy  # type: ignore[attr-defined]
Tensor.__reduce__ = _reduce  # type: ignore[assignment, method-assign]
Tensor.__copy__ = _copy  # type: ignore[attr-defined]
