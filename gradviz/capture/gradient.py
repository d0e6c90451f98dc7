"""The gradient program of a recording, as another recording.

The forward operations are recorded again, on tensors that track; then every operation's formulas
run backwards on symbols, as they do on arrays in an eager backward pass. Burn's capture refuses
autodiff altogether, and so does `backward` on a captured tensor here: that a whole program can be
differentiated is an extension of this package.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from gradviz.autodiff.engine import reachable
from gradviz.autodiff.node import GRAD, NONE, Node, Origin, new_leaf
from gradviz.capture.captured import CapturedGraph
from gradviz.capture.scope import CaptureScope
from gradviz.capture.spec import Spec
from gradviz.capture.tidying import tidied
from gradviz.core.context import CallSite, Context, Scope, current, enter, leave, origin
from gradviz.core.dtype import category, named
from gradviz.dispatch.registry import device as device_named
from gradviz.errors import GradvizError, GradvizTypeError, fail
from gradviz.ir.graph import GraphIr, OperationIr
from gradviz.ops.spec import table
from gradviz.tensor.backward import filled_like, saved_as_tensors
from gradviz.tensor.base import Tensor, wrap
from gradviz.tensor.general import cast, general
from gradviz.tensor.namespace import TENSOR_NAMESPACE

Seed = Literal["ones", "input"]
BACKWARD = "backward"
"""Label of the group that the operations of the backward pass stand in."""

CONSTANT = Origin("constant")


def gradient_program(
    captured: CapturedGraph,
    wrt: Any = None,
    *,
    of: Any = None,
    gradient: Seed = "ones",
    with_outputs: bool = False,
    allow_unused: bool = False,
) -> CapturedGraph:
    """The program that computes a captured program's gradients; see `CapturedGraph.backward`."""
    if gradient not in ("ones", "input"):
        raise _refused(
            f"gradient is {gradient!r}",
            'Use "ones", or "input" for an input beside every output that isn\'t one number.',
        )
    ir = captured.graph
    roots = _outputs(ir, of)
    targets = _targets(captured, wrt)
    scope = CaptureScope(device_named("capture").autodiff())
    with scope, CallSite():
        forward = _Forward(scope, ir, targets)
        groups = _Groups()
        seeds = {
            number: _seed(forward, ir, number, roots, gradient, groups.root) for number in roots
        }
        found = _run([(forward.tensors[number], seed) for number, seed in seeds.items()], groups)
        if with_outputs:
            for number in ir.outputs:
                _declare(scope, forward.tensors[number], ir.tensors[number].name)
        for number in targets:
            value = found.get(forward.tensors[number].node)
            if value is None:
                if not allow_unused:
                    raise _not_reached(forward, ir, number, roots)
                value = filled_like(forward.tensors[number], 0.0)
            _declare(scope, value, f"grad_of_{_label(ir, number)}")
        scope._single = not with_outputs
    made = scope.graph
    learned = tuple(forward.tensors[number].prim.id for number in captured.parameters)
    return CapturedGraph(tidied(made.graph), made.output_nodes, made.graph.single, learned)


# --- what is asked for --------------------------------------------------------------------------
def _refused(complaint: str, advice: str, reason: str = "") -> GradvizError:
    return fail(
        "invalid-argument",
        operation="captured.backward",
        complaint=complaint,
        reason=reason,
        advice=advice,
    )


def _listed(given: Any) -> Sequence[Any]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        return [given]
    return list(given)


def _label(ir: GraphIr, number: int) -> str:
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


def _targets(captured: CapturedGraph, wrt: Any) -> list[int]:
    """The inputs and constants that are asked about, by number."""
    ir = captured.graph
    if wrt is None:
        found = [number for number in ir.inputs if _differentiable(ir, number)]
        found += [number for number in captured.parameters if number not in found]
        if not found:
            raise _refused(
                "the program has no floating point input and no parameter",
                "Capture a function of floating point tensors.",
            )
        return found
    known = {_label(ir, number): number for number in (*ir.constants, *ir.inputs)}
    found = []
    for item in _listed(wrt):
        number = _picked("wrt", item, known, ir.inputs, "inputs and constants")
        if not _differentiable(ir, number):
            raise fail(
                "require-grad-on-non-float",
                reason=f"{_label(ir, number)!r} has dtype {ir.tensors[number].dtype}; gradients "
                "exist for floating point tensors.",
                facts=(("operation", "captured.backward"), ("name", _label(ir, number))),
                advice="Ask for gradients of floating point inputs and parameters.",
            )
        if number not in found:
            found.append(number)
    if not found:
        raise _refused("wrt is empty", "Name at least one input or parameter.")
    return found


def _outputs(ir: GraphIr, of: Any) -> list[int]:
    """The outputs the gradients are of, by number."""
    if of is None:
        found = [number for number in ir.outputs if _differentiable(ir, number)]
        if not found:
            raise _refused(
                "no output is a floating point tensor",
                "Capture a function that returns a loss.",
            )
        return found
    known = {_label(ir, number): number for number in ir.outputs}
    found = [_picked("of", item, known, ir.outputs, "outputs") for item in _listed(of)]
    for number in found:
        if not _differentiable(ir, number):
            raise _refused(
                f"output {_label(ir, number)!r} has dtype {ir.tensors[number].dtype}",
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
    raise _refused(
        f"{argument} names none of the program's {sort}: {item!r}",
        f"Use one of: {shown}.",
    )


# --- forward ------------------------------------------------------------------------------------
class _Forward:
    """A program recorded again, on tensors that track what is asked about."""

    def __init__(self, scope: CaptureScope, ir: GraphIr, targets: list[int]) -> None:
        self.scope = scope
        self.tensors: dict[int, Tensor] = {}
        for number in ir.inputs:
            known = ir.tensors[number]
            self.tensors[number] = scope._declare(Spec(known.shape, named(known.dtype), known.name))
        for number, array in ir.constants.items():
            self.tensors[number] = self._constant(array, ir.tensors[number].name)
        for number in targets:
            self.tensors[number].node.requirement = GRAD
        for operation in ir.operations:
            self._record(operation)

    def _constant(self, array: Any, name: str | None) -> Tensor:
        device = self.scope.device
        symbol = self.scope._recording.constant(array, name)
        node = new_leaf(
            CONSTANT, device.meta(symbol.shape, symbol.dtype), NONE, None, -1, current()
        )
        if name is not None:
            node.more().name = name
        return wrap(symbol, node)

    def _record(self, operation: OperationIr) -> None:
        row = table[operation.op]
        given: list[Any] = [None if n < 0 else self.tensors[n] for n in operation.inputs]
        if row.variadic:
            fixed = len(row.inputs) - 1
            given = [*given[:fixed], given[fixed:]]
        token = enter(_context_of(operation))
        try:
            result = general(row, given, tuple(value for _, value in operation.attributes))
        finally:
            leave(token)
        results = result if isinstance(result, tuple) else (result,)
        self.tensors.update(zip(operation.outputs, results, strict=True))


def _context_of(operation: OperationIr) -> Context:
    """The context an operation was recorded in, called from where the user wrote it."""
    if operation.place is None:
        return current()
    context = operation.place[2]
    code, lasti = origin(*operation.place)
    return Context(context.grad_enabled, context.scope, code, lasti, context.quiet)


# --- backward -----------------------------------------------------------------------------------
def _seed(
    forward: _Forward, ir: GraphIr, number: int, roots: list[int], gradient: Seed, group: Scope
) -> Tensor:
    """The gradient to start from at an output."""
    tensor = forward.tensors[number]
    if gradient == "ones" or tensor.size == 1:
        context = tensor.node.context
        token = enter(Context(True, group, context.code, context.lasti))
        try:
            return filled_like(tensor, 1.0)
        finally:
            leave(token)
    alone = len(roots) == 1
    name = "gradient" if alone else f"gradient_of_{_label(ir, number)}"
    taken = {ir.tensors[known].name for known in (*ir.inputs, *ir.constants)}
    while name in taken:
        name += "_"
    return forward.scope._declare(Spec(tensor.shape, tensor.dtype, name))


class _Groups:
    """The scopes of the forward pass again, inside the group of the backward pass."""

    def __init__(self) -> None:
        self.root = Scope(BACKWARD, "scope", None)
        self._made: dict[int, Scope] = {}

    def of(self, scope: Scope | None) -> Scope:
        """The group that stands for a forward scope."""
        chain = []
        while scope is not None and scope.serial not in self._made:
            chain.append(scope)
            scope = scope.parent
        made = self.root if scope is None else self._made[scope.serial]
        for item in reversed(chain):
            made = self._made[item.serial] = Scope(item.label, item.kind, made)
        return made


def _run(roots: list[tuple[Tensor, Tensor]], groups: _Groups) -> dict[Node, Tensor]:
    """Runs every node's formulas backwards and gives the leaves' gradients."""
    xp = TENSOR_NAMESPACE
    pending: dict[Node, Any] = {}
    order: dict[Node, None] = {}
    for tensor, seed in roots:
        if tensor.node.requirement == NONE:
            continue
        old = pending.get(tensor.node)
        pending[tensor.node] = seed if old is None else xp.accumulate(old, seed)
        order.update(dict.fromkeys(reachable(tensor.node)))
    # Ids grow with time, so descending ids are a topological order.
    for node in sorted(order, key=lambda node: node.id, reverse=True):
        g = pending.pop(node, None)
        if g is None:
            continue
        context = node.context
        token = enter(Context(True, groups.of(context.scope), context.code, context.lasti))
        try:
            values = saved_as_tensors(node, node.step.saved, node.saved)
            node.step.run(g, values, node, pending, xp)
        finally:
            leave(token)
    return pending


def _declare(scope: CaptureScope, value: Tensor, name: str | None) -> None:
    """Declares an output of its own, even where the value is an input or an output already."""
    graph = scope._recording.graph
    number = scope._recording.adopt(value.prim)
    if number in graph.outputs or number in graph.inputs or number in graph.constants:
        value = cast(value, value.dtype.name)
    scope.output(value, name)


def _not_reached(forward: _Forward, ir: GraphIr, number: int, roots: list[int]) -> GradvizError:
    """The error of an input or a parameter that no gradient comes to, and why."""
    name, shown = _label(ir, number), ", ".join(repr(_label(ir, root)) for root in roots)
    cut = _first_cut(forward, ir, number, roots)
    if cut is None:
        reason = f"{name!r} was not used in computing {shown}."
    elif not _context_of(cut).grad_enabled:
        reason = f"the way from {name!r} to {shown} ends at `{cut.op}`, which ran under `no_grad`."
    else:
        reason = (
            f"the way from {name!r} to {shown} ends at `{cut.op}`, which passes no gradient on."
        )
    return fail(
        "leaf-not-reached",
        leaf=f"`{name}`",
        root=shown,
        reason=reason,
        facts=(("operation", "captured.backward"), ("name", name)),
        advice="Leave it out of `wrt`, or give `allow_unused=True` for a gradient of zeros.",
        cause=None if cut is None else cut.source,
    )


def _first_cut(forward: _Forward, ir: GraphIr, number: int, roots: list[int]) -> OperationIr | None:
    """The first operation on a way from an input to the outputs whose result isn't tracked."""
    needed = set(roots)
    for operation in reversed(ir.operations):
        if needed.intersection(operation.outputs):
            needed.update(operation.inputs)
    reached = {number}
    for operation in ir.operations:
        if not reached.intersection(operation.inputs) or not needed.intersection(operation.outputs):
            continue
        if all(forward.tensors[out].node.requirement == NONE for out in operation.outputs):
            return operation
        reached.update(operation.outputs)
    return None
