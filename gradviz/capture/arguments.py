"""What a function to be captured is called with, and what it gives back."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from gradviz.capture.spec import Spec
from gradviz.errors import GradvizTypeError, fail
from gradviz.nn.module import Module
from gradviz.tensor.base import Tensor


def ensure_called_rightly(fn: Callable[..., Any], examples: tuple[Any, ...]) -> None:
    """Refuses examples that can't be the arguments of a function.

    Raises:
        GradvizError: `invalid-argument` for too many of them, or too few.
    """
    signature = _signature(fn)
    if signature is None:
        return
    try:
        signature.bind(*examples)
    except TypeError as error:
        name = getattr(fn, "__name__", type(fn).__name__)
        raise fail(
            "invalid-argument",
            operation="capture",
            complaint=f"{error}",
            reason=f"`{name}{signature}` is called with one tensor for every example, "
            f"{len(examples)} here.",
            advice="Give an example for every argument, in order; bind other arguments first: "
            "`gv.capture(lambda x: fn(x, flag=True), x)`.",
            error=GradvizTypeError,
        ) from None


def leaves(fn: Callable[..., Any], examples: tuple[Any, ...]) -> list[tuple[Any, str | None]]:
    """Every example of an input, those inside lists, tuples and dicts too, and its name.

    The name is its own, or the one that the function has for the argument. What `gv.spec` declares
    is kept as it is; others get a number where they are taken.
    """
    names = _argument_names(fn, len(examples))
    found = [
        item
        for example, name in zip(examples, names, strict=True)
        for item in _inside(example, name)
    ]
    taken = {example.name for example, _ in found if isinstance(example, Spec)}
    return [(example, _free(example, name, taken)) for example, name in found]


def filled(example: Any, made: Iterator[Tensor]) -> Any:
    """What the function gets for an example: the next tensors in place of what it holds."""
    if example is None:
        return None
    if isinstance(example, dict):
        return {key: filled(item, made) for key, item in example.items()}
    if is_structure(example):
        items = [filled(item, made) for item in example]
        return type(example)(*items) if hasattr(example, "_fields") else type(example)(items)
    return next(made)


def is_structure(example: Any) -> bool:
    """Whether a list or tuple holds examples, rather than numbers."""
    return isinstance(example, list | tuple) and any(
        item is None
        or isinstance(item, Spec | Tensor | dict)
        or bool(getattr(item, "shape", ()))
        or is_structure(item)
        for item in example
    )


def _inside(example: Any, name: str | None) -> Iterator[tuple[Any, str | None]]:
    if isinstance(example, dict):
        parts = list(example.items())
    elif is_structure(example):
        parts = list(enumerate(example))
    else:
        if example is not None:  # an argument that is left out
            yield example, name
        return
    for key, item in parts:
        yield from _inside(item, None if name is None else f"{name}_{key}")


def _free(example: Any, argument: str | None, taken: set[str | None]) -> str | None:
    """A name for an input that no other has."""
    own = example.name if isinstance(example, Spec | Tensor) else None
    if isinstance(example, Spec) and own:
        return own
    wanted = own if own and own not in taken else argument or own
    name, number = wanted, 2
    while name is not None and name in taken:
        name = f"{wanted}_{number}"
        number += 1
    taken.add(name)
    return name


def _signature(fn: Callable[..., Any]) -> inspect.Signature | None:
    """How a function, or a module's `forward`, is called; None where nobody can say."""
    try:
        return inspect.signature(fn.forward if isinstance(fn, Module) else fn)
    except (TypeError, ValueError):
        return None


def _argument_names(fn: Callable[..., Any], count: int) -> list[str | None]:
    """The function's own names for its arguments, where it has them."""
    signature = _signature(fn)
    found: list[str | None] = []
    for item in () if signature is None else signature.parameters.values():
        if item.kind is item.VAR_POSITIONAL:
            found += [f"{item.name}_{at}" for at in range(count - len(found))]
        elif item.kind in (item.POSITIONAL_ONLY, item.POSITIONAL_OR_KEYWORD):
            found.append(item.name)
    return (found + [None] * count)[:count]


def flattened(result: Any) -> tuple[list[Any], bool]:
    """All tensors of a result, in order, and whether it is a single one.

    Beside tensors, None stands for a result that a function leaves out, and is left out here.
    """
    if isinstance(result, dict):
        result = list(result.values())
    if not isinstance(result, list | tuple):
        return [result], True
    flat: list[Any] = []
    for item in result:
        if item is not None:
            flat += flattened(item)[0]
    return flat, False
