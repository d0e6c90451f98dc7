"""The arguments of a dry run: an input for every tensor or array among the examples."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from gradviz.capture.scope import CaptureScope, spec_of
from gradviz.capture.spec import Spec
from gradviz.errors import GradvizError, fail
from gradviz.nn.module import Module
from gradviz.tensor.base import Tensor
from gradviz.tensor.data import dtype_of, is_number


@dataclass
class Arguments:
    """What a function is called with.

    Attributes:
        values: the arguments.
        names: the function's names for them, where it has names.
        inputs: for every argument the inputs in it, each with its example.
    """

    values: list[Any] = field(default_factory=list)
    names: list[str | None] = field(default_factory=list)
    inputs: list[list[tuple[Tensor, Any]]] = field(default_factory=list)

    def all_inputs(self) -> Iterator[tuple[Tensor, Any]]:
        """Every input with its example."""
        for pairs in self.inputs:
            yield from pairs

    def marked(self) -> list[Tensor]:
        """The inputs whose examples require gradients."""
        return [
            tensor
            for tensor, example in self.all_inputs()
            if isinstance(example, Tensor) and example.is_require_grad
        ]

    def asked(self, item: Any) -> list[Tensor] | None:
        """The inputs that a position, a name or an example stands for; None where it is none."""
        count = len(self.values)
        if isinstance(item, int) and not isinstance(item, bool) and -count <= item < count:
            return self._of(item)
        if isinstance(item, str) and item in self.names:
            return self._of(self.names.index(item))
        found = [
            tensor
            for tensor, example in self.all_inputs()
            if item is example or (isinstance(item, str) and tensor.name == item)
        ]
        return found or None

    def _of(self, at: int) -> list[Tensor]:
        value = self.values[at]
        if isinstance(value, Module):
            return list(value.parameters())
        made = [tensor for tensor, _ in self.inputs[at]]
        # Of several tensors in one argument those are meant that can have a gradient.
        return made if len(made) == 1 else [tensor for tensor in made if tensor.dtype.kind == "f"]


def arguments_of(
    scope: CaptureScope, fn: Callable[..., Any], examples: tuple[Any, ...], wanted: list[Any]
) -> Arguments:
    """Declares the inputs.

    Args:
        scope: the open recording.
        fn: the function.
        examples: what was given for its arguments.
        wanted: what is asked about: a number that is among it becomes a tensor.
    """
    made = Arguments(names=argument_names(fn, len(examples)))
    maker = _Maker(scope)
    words = {item for item in wanted if isinstance(item, int | str) and item is not True}
    for at, (example, name) in enumerate(zip(examples, made.names, strict=True)):
        maker.pairs = []
        numbers = not words.isdisjoint({at, at - len(examples), name})
        made.values.append(maker.value(example, name, numbers=numbers))
        made.inputs.append(maker.pairs)
    return made


class _Maker:
    def __init__(self, scope: CaptureScope) -> None:
        self._scope = scope
        self.pairs: list[tuple[Tensor, Any]] = []

    def value(self, example: Any, name: str | None, *, numbers: bool = False) -> Any:
        """What the function gets for an example."""
        if isinstance(example, dict):
            return {
                key: self.value(item, f"{name or 'input'}[{key!r}]")
                for key, item in example.items()
            }
        if isinstance(example, list | tuple) and _is_structure(example):
            items = [
                self.value(item, f"{name or 'input'}[{at}]") for at, item in enumerate(example)
            ]
            named = hasattr(example, "_fields")
            return type(example)(*items) if named else type(example)(items)
        plain = is_number(example) and not numbers
        if plain or not _is_data(example):
            return example
        return self._declared(example, name)

    def _declared(self, example: Any, name: str | None) -> Tensor:
        if not isinstance(example, Spec | Tensor) and hasattr(example, "dtype"):
            described = Spec(tuple(example.shape), dtype_of(example.dtype))  # without a copy
        else:
            described = spec_of(example)
        if not described.name:
            described = Spec(described.shape, described.dtype, name)
        made = self._scope._declare(described)
        self.pairs.append((made, example))
        return made


def _is_data(example: Any) -> bool:
    return (
        isinstance(example, Spec | Tensor | list | tuple)
        or is_number(example)
        or (hasattr(example, "__array__") and hasattr(example, "shape"))
    )


def _is_structure(example: Any) -> bool:
    """Whether a list or tuple holds examples, rather than numbers."""
    return any(
        isinstance(item, Spec | Tensor | Module | dict | str)
        or item is None
        or bool(getattr(item, "shape", ()))
        or (isinstance(item, list | tuple) and _is_structure(item))
        for item in example
    )


def argument_names(fn: Callable[..., Any], count: int) -> list[str | None]:
    """The function's own names for its arguments, where it has them."""
    try:
        signature = inspect.signature(fn.forward if isinstance(fn, Module) else fn)
    except (TypeError, ValueError):
        return [None] * count
    found: list[str | None] = []
    for parameter in signature.parameters.values():
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            found.append(parameter.name)
    return found[:count] + [None] * (count - len(found))


def no_argument(item: Any) -> GradvizError:
    """The error of asking about something that isn't there."""
    shown = repr(item)
    return fail(
        "invalid-argument",
        operation="check",
        complaint=f"wrt names no argument: {shown[:100]}",
        advice="Give positions or names of arguments, tensors, parameters, or a module.",
    )
