"""Whole derivatives: Jacobians, Hessians, and gradients checked against slopes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.autodiff.node import OwnNode, history
from gradviz.backends.ndarray import slopes
from gradviz.core.source import SourceSpan
from gradviz.errors import GradvizError, GradvizTypeError, fail
from gradviz.tensor.base import Tensor
from gradviz.tensor.creation import tensor, zeros
from gradviz.tensor.functions import stack

Function = Callable[..., Any]


def jacobian(func: Function, inputs: Any, create_graph: bool = False) -> Any:
    """The derivative of every element of a function's results by every element of its inputs.

    Args:
        func: takes the inputs and returns a tensor, or a tuple of them.
        inputs: a floating point tensor, or a tuple of them.
        create_graph: gives tracked tensors, which can be differentiated in turn.

    Returns:
        A tensor of shape `result.shape + input.shape`; a tuple of them, one for each input, where a
        tuple of inputs is given; and a tuple of those where there are several results.

    Raises:
        GradvizError: `invalid-argument` for inputs or results that are no floating point tensors.

    Example:
        >>> import gradviz as gv
        >>> gv.jacobian(lambda x: x * x, gv.tensor([1.0, 2.0])).tolist()
        [[2.0, 0.0], [0.0, 4.0]]
    """
    alone = isinstance(inputs, Tensor)
    points = [_marked(value, keep=create_graph) for value in _floats("jacobian", "input", inputs)]
    results = func(*points)
    found = []
    for output in _floats("jacobian", "result", results):
        blocks = _blocks(output, points, create_graph=create_graph)
        found.append(blocks[0] if alone else tuple(blocks))
    return found[0] if isinstance(results, Tensor) else tuple(found)


def hessian(func: Function, inputs: Any, create_graph: bool = False) -> Any:
    """The second derivatives of a function whose result is one number.

    Args:
        func: takes the inputs and returns a tensor of one element.
        inputs: a floating point tensor, or a tuple of them.
        create_graph: gives tracked tensors, which can be differentiated in turn.

    Returns:
        A tensor of shape `input.shape + input.shape`; where a tuple of inputs is given, a tuple for
        each of them with one for each of them.

    Raises:
        GradvizError: `invalid-argument` for inputs that are no floating point tensors, and for
            more than one number.

    Example:
        >>> import gradviz as gv
        >>> gv.hessian(lambda x: (x * x * x).sum(), gv.tensor([1.0, 2.0])).tolist()
        [[6.0, 0.0], [0.0, 12.0]]
    """
    alone = isinstance(inputs, Tensor)
    points = [_marked(value, keep=create_graph) for value in _floats("hessian", "input", inputs)]
    outputs = _floats("hessian", "result", func(*points))
    if len(outputs) != 1 or outputs[0].size != 1:
        shapes = ", ".join(str(output.shape) for output in outputs)
        raise fail(
            "invalid-argument",
            operation="hessian",
            complaint="the result is more than one number",
            reason=f"second derivatives are those of one number; its shape is {shapes}.",
            advice="Sum it up, or use `gv.jacobian`.",
        )
    slope = outputs[0].backward(create_graph=True).get if _is_tracked(outputs[0]) else _nothing
    found = []
    for point in points:
        first = slope(point)
        blocks = _blocks(_zeros(point) if first is None else first, points, create_graph)
        found.append(blocks[0] if alone else tuple(blocks))
    return found[0] if alone else tuple(found)


def gradcheck(
    func: Function,
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:
    """Whether `backward` gives the slopes of a function, as differences show them.

    Args:
        func: takes the inputs and returns a tensor, or a tuple of them.
        inputs: the arguments, one or a tuple; tracked ones are checked, and must be float64.
        eps: how far to go to either side of every element.
        atol: how far a derivative may lie from the slope.
        rtol: how far beyond that, as a part of the slope.
        raise_exception: whether to raise an error instead of returning False.

    Raises:
        GradvizError: `gradient-check-failed` where a derivative isn't the slope;
            `invalid-argument` where nothing is tracked, `invalid-dtype` for less precise numbers.

    Example:
        >>> import gradviz as gv
        >>> x = gv.tensor([1.0, 2.0], dtype=gv.float64, requires_grad=True)
        >>> gv.gradcheck(lambda x: (x * x).tanh(), x)
        True
    """
    arguments = list(inputs) if isinstance(inputs, tuple | list) else [inputs]
    checked = [
        at for at, value in enumerate(arguments) if isinstance(value, Tensor) and _is_tracked(value)
    ]
    _ensure_checkable(arguments, checked)

    def outputs_of(changed: dict[int, Tensor]) -> list[Tensor]:
        results = func(*[changed.get(at, value) for at, value in enumerate(arguments)])
        given = results if isinstance(results, tuple | list) else [results]
        return [value for value in given if isinstance(value, Tensor) and value.dtype.kind == "f"]

    points = {at: _marked(arguments[at], keep=False) for at in checked}
    outputs = outputs_of(points)
    shapes = [output.shape for output in outputs]
    found = [_blocks(output, list(points.values()), create_graph=False) for output in outputs]
    for number, (at, point) in enumerate(points.items()):

        def compute(array: Any, at: int = at) -> list[Any]:
            moved = tensor(array, device=points[at].device).require_grad()
            return [output.detach().numpy() for output in outputs_of({**points, at: moved})]

        expected = slopes.by_differences(compute, point.detach().numpy(), shapes, eps)
        for which, (output, blocks) in enumerate(zip(outputs, found, strict=True)):
            miss = slopes.worst(blocks[number].numpy(), expected[which], atol, rtol)
            if miss is None:
                continue
            if not raise_exception:
                return False
            raise _failed(output, arguments[at], at, which, miss)
    return True


def _ensure_checkable(arguments: list[Any], checked: list[int]) -> None:
    if not checked:
        raise fail(
            "invalid-argument",
            operation="gradcheck",
            complaint="no input is tracked",
            reason="what is checked are the gradients of tracked inputs.",
            advice="Mark one: `gv.tensor(data, dtype=gv.float64, requires_grad=True)`.",
        )
    for at in checked:
        if arguments[at].dtype != "float64":
            raise fail(
                "invalid-dtype",
                operation="gradcheck",
                complaint=f"input {at} is {arguments[at].dtype.name}, and differences need float64",
                reason="of the difference of two single precision numbers three digits are left.",
                advice="Make it with `dtype=gv.float64`.",
            )


def _failed(output: Tensor, value: Tensor, at: int, which: int, miss: slopes.Miss) -> GradvizError:
    """The error of a derivative that isn't the slope, with whose formula it may be."""
    ndim = output.ndim
    to, of = miss.place[:ndim], miss.place[ndim:]
    own = next((n for n in history(output.node) if n.__class__ is OwnNode and n.requirement), None)
    cause: SourceSpan | None = (own or output.node).source
    name = value.node.name
    shown = (f"input {at}" if name is None else f"`{name}`") + (f" at {of}" if of else "")
    return fail(
        "gradient-check-failed",
        reason=f"`backward` gives {miss.found:g} for {shown}; the slope is {miss.expected:g}.",
        facts=(
            ("result", f"{which}, element {to}" if to else str(which)),
            ("input", f"{at}, element {of}" if of else str(at)),
            ("backward", f"{miss.found:g}"),
            ("slope", f"{miss.expected:g}"),
        ),
        advice=(
            "Stay away from kinks and jumps, where there is no slope."
            if own is None
            else f"Mend `{own.op}.backward`, or stay away from kinks, where there is no slope."
        ),
        cause=cause,
        nodes=(output.node.id,),
    )


# --- element by element --------------------------------------------------------------------------
def _blocks(output: Tensor, points: list[Tensor], create_graph: bool) -> list[Tensor]:
    """The derivative of a tensor by every point, each of shape `output.shape + point.shape`."""
    rows: list[list[Tensor]] = [[] for _ in points]
    if _is_tracked(output):
        for unit in slopes.units(output.shape, output.dtype):
            grads = output.backward(retain_graph=True, create_graph=create_graph, gradient=unit)
            for row, point in zip(rows, points, strict=True):
                gradient = grads.get(point)
                row.append(_zeros(point) if gradient is None else gradient)
    return [
        stack(row).reshape((*output.shape, *point.shape)) if row else _zeros(point, output.shape)
        for row, point in zip(rows, points, strict=True)
    ]


def _marked(value: Tensor, *, keep: bool) -> Tensor:
    """A tensor to differentiate by: with its history where that is kept, else a leaf."""
    if keep and value.requirement == "grad":
        return value
    if keep and value.requirement == "grad_in_backward":
        return value.reshape(value.shape).retain_grad()
    plain = value.detach()
    return (plain if plain.device.is_autodiff else plain.autodiff()).require_grad()


def _is_tracked(value: Tensor) -> bool:
    return value.requirement != "none"


def _nothing(_: Tensor) -> None:
    """The gradient of what nothing tracked leads to."""


def _zeros(point: Tensor, before: tuple[int, ...] = ()) -> Tensor:
    """What a point's derivative is where nothing leads to it; `before` are the result's sizes."""
    return zeros((*before, *point.shape), dtype=point.dtype, device=point.device.inner())


def _floats(operation: str, sort: str, values: Any) -> list[Tensor]:
    """Tensors of floating point, one or several."""
    given = list(values) if isinstance(values, tuple | list) else [values]
    for at, value in enumerate(given):
        if not isinstance(value, Tensor) or value.dtype.kind != "f":
            shown = value.dtype.name if isinstance(value, Tensor) else type(value).__name__
            raise fail(
                "invalid-argument",
                operation=operation,
                complaint=f"{sort} {at} is {shown}",
                reason="derivatives are those of floating point tensors.",
                advice="Give tensors; bind other arguments in a function: `lambda x: f(x, 3)`.",
                error=GradvizTypeError,
            )
    return given
