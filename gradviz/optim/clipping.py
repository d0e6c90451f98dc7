"""Gradient clipping: gradients that are too large are made smaller before a step."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from gradviz.backends.capture.backend import dry_run
from gradviz.backends.ndarray import updates, updates_more
from gradviz.errors import GradvizTypeError, fail
from gradviz.tensor import canon
from gradviz.tensor.base import Tensor
from gradviz.tensor.gradients import Gradients


def _chosen(operation: str, grads: Any, parameters: Any) -> list[Any]:
    """The nodes whose gradients are meant."""
    if not isinstance(grads, Gradients):
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"a {type(grads).__name__} is no Gradients",
            reason="gradients aren't kept on tensors: `backward` returns them.",
            advice=f"Write `grads = loss.backward()`, then `gv.optim.{operation}(grads, ...)`.",
            error=GradvizTypeError,
        )
    values = grads.store.values
    if parameters is None:
        return list(values)
    given = [parameters] if isinstance(parameters, Tensor) else parameters
    if not isinstance(given, Iterable):
        raise _no_parameters(operation, given)
    found = []
    for parameter in given:
        if not isinstance(parameter, Tensor):
            raise _no_parameters(operation, parameter)
        if parameter.node in values:
            found.append(parameter.node)
    return found


def _no_parameters(operation: str, value: Any) -> Exception:
    return fail(
        "invalid-argument",
        operation=operation,
        complaint=f"a {type(value).__name__} is no parameter",
        advice="Give `module.parameters()`, or leave `parameters` out for all gradients.",
        error=GradvizTypeError,
    )


def _array(value: Any) -> Any:
    return value.prim if isinstance(value, Tensor) else value


def clip_grad_norm(
    grads: Gradients,
    max_norm: float,
    norm_type: float = 2.0,
    *,
    parameters: Any = None,
    error_if_nonfinite: bool = False,
) -> float:
    """Scales gradients down together, so that their common norm is at most `max_norm`.

    Args:
        grads: what `backward` returned; its gradients are replaced.
        max_norm: the largest norm.
        norm_type: the order of the norm: a number above 0, or `float("inf")`.
        parameters: the tensors whose gradients are meant; all where it is left out.
        error_if_nonfinite: whether a norm that is no finite number is an error.

    Returns:
        The norm before.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> w = gv.nn.Parameter([3.0, 4.0])
        >>> grads = (w * w / 2.0).sum().backward()
        >>> gv.optim.clip_grad_norm(grads, 1.0)
        5.0
        >>> grads[w].numpy().round(3).tolist()
        [0.6000000238418579, 0.800000011920929]
    """
    name = "clip_grad_norm"
    limit = canon.at_least(name, "max_norm", max_norm, 0.0)
    order = canon.positive(name, "norm_type", norm_type)
    nodes = _chosen(name, grads, parameters)
    values = grads.store.values
    if dry_run() is not None:
        return limit  # the gradients have no numbers to measure
    total = updates_more.total_norm([_array(values[node]) for node in nodes], order)
    if error_if_nonfinite and not math.isfinite(total):
        raise fail(
            "invalid-argument",
            operation=name,
            complaint=f"the norm of the gradients is {total}",
            reason="a gradient holds an infinity or no number; scaling would spoil all of them.",
            advice="Ask `gv.diagnose(loss)` where it comes from, or leave the check out.",
        )
    # As in PyTorch: a little more than needed, and nothing at all where the norm is small.
    factor = limit / (total + 1e-6)
    if not factor >= 1.0:
        for node in nodes:
            values[node] = updates.shrunk(_array(values[node]), factor)
    return total


def clip_grad_value(grads: Gradients, clip_value: float, *, parameters: Any = None) -> None:
    """Limits every element of the gradients to [-clip_value, clip_value].

    Args:
        grads: what `backward` returned; its gradients are replaced.
        clip_value: the largest size of an element.
        parameters: the tensors whose gradients are meant; all where it is left out.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> w = gv.nn.Parameter([3.0, 0.5])
        >>> grads = (w * w / 2.0).sum().backward()
        >>> gv.optim.clip_grad_value(grads, 1.0)
        >>> grads[w].tolist()
        [1.0, 0.5]
    """
    name = "clip_grad_value"
    limit = canon.at_least(name, "clip_value", clip_value, 0.0)
    nodes = _chosen(name, grads, parameters)
    if dry_run() is not None:
        return  # the gradients have no numbers to limit
    values = grads.store.values
    for node in nodes:
        values[node] = updates_more.limited(_array(values[node]), limit)
