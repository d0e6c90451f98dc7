"""`gv.check`: a dry run that finds problems without computing a value."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from gradviz.capture.scope import CaptureScope, capture_inputs
from gradviz.diagnose.examine import examine, fixed
from gradviz.diagnose.question import Question
from gradviz.diagnose.report import Report
from gradviz.dispatch.registry import default_device, device
from gradviz.errors import GradvizError, fail
from gradviz.errors.problem import Problem
from gradviz.nn.module import Module
from gradviz.nn.parameter import Parameter
from gradviz.tensor.autodiff import require_grad
from gradviz.tensor.base import Tensor


def check(fn: Callable[..., Any], *examples: Any, wrt: Any = None) -> Report:
    """The problems of a function, found on the capture backend without computing values.

    Args:
        fn: a function of tensors that returns the tensor `backward` would be called on, or several.
        examples: for every argument a tensor, an array, a number or `gv.spec(shape, dtype)`.
        wrt: what should get a gradient: positions or names of arguments, parameters, or a module.
            By default the arguments whose examples require gradients.

    Returns:
        The same report as `gv.diagnose`: failures the function would raise, leaves no gradient
        reaches, shapes that don't fit or broadcast by accident.

    Example:
        >>> import gradviz as gv
        >>> report = gv.check(lambda x, w: (x @ w).sum(), gv.spec((2, 3)), gv.spec((3, 1)), wrt="w")
        >>> report.ok
        True
    """
    scope = CaptureScope(device("capture").autodiff())
    problems: list[Problem] = []
    with scope, default_device(scope.device):
        inputs = capture_inputs(scope, fn, examples)
        asked, outside = _asked(wrt, inputs, examples)
        for tensor in asked:
            require_grad(tensor)
        try:
            result = fn(*inputs)
        except GradvizError as error:
            return Report.of([error.problem])
        roots = tuple(_tensors(result))
        if not roots:
            raise fail(
                "invalid-argument",
                operation="check",
                complaint="the function returned no tensor",
                advice="Return the tensor that `backward` would be called on.",
            )
        wanted = (*asked, *(scope.lifted(parameter) for parameter in outside))
        names = {t.node.id: t.name for t in (*inputs, *outside) if t.name}
        question = Question(roots, wanted or None, None, names, {}, dry=True)
        problems += examine(question)
    return Report.of(fixed(problems))


def _asked(
    wrt: Any, inputs: list[Tensor], examples: tuple[Any, ...]
) -> tuple[list[Tensor], list[Parameter]]:
    """The inputs and the outside parameters that should get a gradient."""
    if wrt is None:
        marked = [
            tensor
            for tensor, example in zip(inputs, examples, strict=True)
            if isinstance(example, Tensor) and example.is_require_grad
        ]
        return marked, []
    tensors: list[Tensor] = []
    outside: list[Parameter] = []
    for item in wrt if isinstance(wrt, list | tuple) else [wrt]:
        if isinstance(item, Module):
            outside += list(item.parameters())
        elif isinstance(item, Parameter):
            outside.append(item)
        else:
            tensors.append(_input(item, inputs, examples))
    return tensors, outside


def _input(item: Any, inputs: list[Tensor], examples: tuple[Any, ...]) -> Tensor:
    if isinstance(item, int) and not isinstance(item, bool) and -len(inputs) <= item < len(inputs):
        return inputs[item]
    for tensor, example in zip(inputs, examples, strict=True):
        if item is example or (isinstance(item, str) and tensor.name == item):
            return tensor
    raise fail(
        "invalid-argument",
        operation="check",
        complaint=f"wrt names no argument: {item!r}",
        advice="Give positions or names of arguments, parameters, or a module.",
    )


def _tensors(result: Any) -> Iterable[Tensor]:
    if isinstance(result, Tensor):
        return [result]
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, list | tuple):
        return [tensor for item in result for tensor in _tensors(item)]
    return []
