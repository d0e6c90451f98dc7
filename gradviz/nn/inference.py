"""The inference copy of a module."""

from __future__ import annotations

from typing import Any

from gradviz.nn.parameter import Buffer, Parameter, plain_form
from gradviz.nn.tree import Tree
from gradviz.tensor.base import Tensor


def copy_of(module: Any, known: dict[int, Any] | None = None) -> Any:
    """A copy of a module whose tensors are plain, in evaluation mode.

    Other attributes are shared, containers copied where they hold a tensor or a module.
    """
    memo = {} if known is None else known
    cls: Any = type(module)
    made = cls.__new__(cls)
    memo[id(module)] = made
    held = vars(made)
    for name, value in vars(module).items():
        held[name] = _copied(value, memo)
    held["training"] = False
    return made


def _copied(value: Any, memo: dict[int, Any]) -> Any:
    if id(value) in memo:
        return memo[id(value)]
    if isinstance(value, Tree):
        return copy_of(value, memo)
    made = value
    if isinstance(value, Parameter | Buffer):
        made = plain_form(value)
    elif isinstance(value, Tensor):
        made = value.inner() if value.device.is_autodiff and not value.device.is_capture else value
    elif type(value) in (list, tuple):
        items = [_copied(item, memo) for item in value]
        if any(new is not old for new, old in zip(items, value, strict=True)):
            made = type(value)(items)
    elif type(value) is dict:
        pairs = {key: _copied(item, memo) for key, item in value.items()}
        if any(pairs[key] is not value[key] for key in value):
            made = pairs
    memo[id(value)] = made
    return made
