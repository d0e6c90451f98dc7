"""What is asked of a program: which of its tensors get gradients, and of which outputs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from gradviz.capture.captured import CapturedGraph
from gradviz.core.dtype import category, named
from gradviz.errors import GradvizError, GradvizTypeError, fail
from gradviz.ir.graph import GraphIr
from gradviz.nn.module import Module
from gradviz.nn.parameter import Buffer, Parameter
from gradviz.tensor.base import Tensor


def refused(complaint: str, advice: str, reason: str = "") -> GradvizError:
    """The error of a question that makes no sense."""
    return fail(
        "invalid-argument",
        operation="captured.backward",
        complaint=complaint,
        reason=reason,
        advice=advice,
    )


def _listed(given: Any) -> Sequence[Any]:
    if isinstance(given, str | Tensor | Module) or not isinstance(given, Iterable):
        return [given]
    return list(given)


def label(ir: GraphIr, number: int) -> str:
    """What to call an input, a constant or an output."""
    name = ir.tensors[number].name
    if name is not None:
        return name
    for sort, numbers in (("input", ir.inputs), ("output", ir.outputs)):
        if number in numbers:
            return f"{sort}_{numbers.index(number)}"
    return f"constant_{number}"


def _differentiable(ir: GraphIr, number: int) -> bool:
    return category(named(ir.tensors[number].dtype)) == "float"


def targets_asked(captured: CapturedGraph, wrt: Any) -> list[int]:
    """The inputs and constants that are asked about, by number."""
    ir = captured.graph
    if wrt is None:
        found = [number for number in ir.inputs if _differentiable(ir, number)]
        found += [number for number in captured.parameters if number not in found]
        if not found:
            raise refused(
                "the program has no floating point input and no parameter",
                "Capture a function of floating point tensors.",
            )
        return found
    known = {label(ir, number): number for number in (*ir.constants, *ir.inputs)}
    found = []
    for item in _listed(wrt):
        if isinstance(item, Module | Parameter | Buffer):
            found += [number for number in _held(ir, item) if number not in found]
            continue
        number = _picked("wrt", item, known, ir.inputs, "inputs and constants")
        if not _differentiable(ir, number):
            raise fail(
                "require-grad-on-non-float",
                reason=f"{label(ir, number)!r} has dtype {ir.tensors[number].dtype}; gradients "
                "exist for floating point tensors.",
                facts=(("operation", "captured.backward"), ("name", label(ir, number))),
                advice="Ask for gradients of floating point inputs and parameters.",
            )
        if number not in found:
            found.append(number)
    if not found:
        raise refused("wrt is empty", "Name at least one input or parameter.")
    return found


def _held(ir: GraphIr, item: Any) -> list[int]:
    """The constants that a module's parameters, or a parameter, became."""
    wanted = list(item.named_parameters()) if isinstance(item, Module) else [(item.name, item)]
    by_array = {id(array): number for number, array in ir.constants.items() if array is not None}
    found = []
    for name, tensor in wanted:
        array = tensor.prim.array if tensor.device.is_capture else tensor.prim
        number = by_array.get(id(array))
        if number is None:
            raise fail(
                "leaf-not-reached",
                leaf=f"`{name or 'the parameter'}`",
                root="the outputs",
                reason="the program holds no constant with its value: it wasn't used when the "
                "program was captured, or has been given another value since.",
                facts=(("operation", "captured.backward"),),
                advice="Name the parameters that were used, or capture again.",
                cause=tensor.node.source,
            )
        found.append(number)
    return found


def outputs_asked(ir: GraphIr, of: Any) -> list[int]:
    """The outputs the gradients are of, by number."""
    if of is None:
        found = [number for number in ir.outputs if _differentiable(ir, number)]
        if not found:
            raise refused(
                "no output is a floating point tensor",
                "Capture a function that returns a loss.",
            )
        return found
    known = {label(ir, number): number for number in ir.outputs}
    found = [_picked("of", item, known, ir.outputs, "outputs") for item in _listed(of)]
    for number in found:
        if not _differentiable(ir, number):
            raise refused(
                f"output {label(ir, number)!r} has dtype {ir.tensors[number].dtype}",
                "Ask for gradients of floating point outputs.",
            )
    return list(dict.fromkeys(found))


def _picked(argument: str, item: Any, known: dict[str, int], order: list[int], sort: str) -> int:
    if isinstance(item, str) and item in known:
        return known[item]
    if isinstance(item, int) and not isinstance(item, bool) and -len(order) <= item < len(order):
        return order[item]
    if not isinstance(item, str | int) or isinstance(item, bool):
        raise fail(
            "invalid-argument",
            operation="captured.backward",
            complaint=f"{argument} is a {type(item).__name__}",
            advice=f"Give names or positions of {sort}.",
            error=GradvizTypeError,
        )
    shown = ", ".join(list(known)[:12]) + (", ..." if len(known) > 12 else "")
    raise refused(
        f"{argument} names none of the program's {sort}: {item!r}",
        f"Use one of: {shown}.",
    )
