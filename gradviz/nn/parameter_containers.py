"""Modules that hold nothing but parameters: in a list, by name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Self

from gradviz.errors import GradvizTypeError, fail
from gradviz.nn.containers import Named, Numbered
from gradviz.nn.module import Module
from gradviz.nn.parameter import Parameter
from gradviz.tensor.base import Tensor


class ParameterList(Numbered[Parameter]):
    """A list of parameters, which belong to the module that holds it.

    Args:
        values: parameters or floating point tensors, which become parameters; None for an empty
            list.

    Raises:
        GradvizError: `invalid-argument` for what is no tensor; `require-grad-on-non-float`.

    Example:
        >>> import gradviz as gv
        >>> weights = gv.nn.ParameterList([gv.ones(2), gv.zeros(3)])
        >>> len(weights), [name for name, _ in weights.named_parameters()], weights[1].shape
        (2, ['0', '1'], (3,))
    """

    _kind: ClassVar[Any] = Parameter

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        if values is not None:
            self.extend(values)

    def _checked(self, value: Any) -> Parameter:
        return _parameter(self, value)

    def __add__(self, other: Iterable[Any]) -> ParameterList:
        return ParameterList([*self, *other])

    def __iadd__(self, other: Iterable[Any]) -> Self:
        return self.extend(other)

    def extra_repr(self) -> str:
        """How many parameters there are."""
        return f"{len(self)} parameters"


class ParameterDict(Named[Parameter]):
    """Parameters by name, which belong to the module that holds it.

    Args:
        parameters: parameters or floating point tensors by name, as a mapping or pairs; None for
            an empty one.

    Raises:
        GradvizError: `invalid-argument` for what is no tensor and for names that modules have an
            attribute of; `require-grad-on-non-float`.

    Example:
        >>> import gradviz as gv
        >>> weights = gv.nn.ParameterDict({"left": gv.ones(2), "right": gv.zeros(3)})
        >>> list(weights), weights["right"].requirement
        (['left', 'right'], 'grad')
    """

    _kind: ClassVar[Any] = Parameter

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        if parameters is not None:
            self.update(parameters)

    def __setitem__(self, name: str, item: Any) -> None:
        self.register_parameter(name, _parameter(self, item))

    def extra_repr(self) -> str:
        """The names."""
        return ", ".join(self)


def _parameter(container: Module, value: Any) -> Parameter:
    if isinstance(value, Parameter):
        return value
    if not isinstance(value, Tensor):
        raise fail(
            "invalid-argument",
            operation=type(container).__name__,
            complaint=f"a {type(value).__name__} is no parameter",
            advice="Give parameters or tensors; modules belong into a `ModuleList`.",
            error=GradvizTypeError,
        )
    return Parameter(value)
