"""The gradient program of a recording, as another recording.

The forward operations are recorded again, on tensors that track; then every operation's formulas
run backwards on symbols, as they do on arrays in an eager backward pass. Burn's capture refuses
autodiff altogether, and so does `backward` on a captured tensor here: that a whole program can be
differentiated is an extension of this package.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Literal

from gradviz.autodiff.engine import reachable
from gradviz.autodiff.node import GRAD, NONE, Node, Origin, new_leaf
from gradviz.backends.capture.deferred import Deferred
from gradviz.capture.asking import label, outputs_asked, refused, targets_asked
from gradviz.capture.captured import CapturedGraph
from gradviz.capture.scope import CaptureScope
from gradviz.capture.spec import Spec
from gradviz.core.context import CallSite, Context, Scope, current, enter, leave, origin
from gradviz.core.dtype import named
from gradviz.dispatch.registry import device as device_named
from gradviz.errors import GradvizError, fail
from gradviz.ir.graph import GraphIr, OperationIr
from gradviz.ir.passes import dead_code, shared
from gradviz.ir.stumbling import stumbled
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
        raise refused(
            f"gradient is {gradient!r}",
            'Use "ones", or "input" for an input beside every output that isn\'t one number.',
        )
    ir = captured.graph
    roots = outputs_asked(ir, of)
    targets = targets_asked(captured, wrt)
    own = next(_between(ir, targets, roots, {"own_backward"}), None)
    if own is not None:
        raise _own_backward(own)
    scope = CaptureScope(device_named("capture").autodiff())
    with scope, CallSite():
        forward = _Forward(scope, ir, targets)
        groups = _Groups()
        seeds = {
            number: _seed(forward, ir, number, roots, gradient, groups.root) for number in roots
        }
        found = _run(
            forward, [(forward.tensors[number], seed) for number, seed in seeds.items()], groups
        )
        if with_outputs:
            for number in ir.outputs:
                _declare(scope, forward.tensors[number], ir.tensors[number].name)
        for number in targets:
            value = found.get(forward.tensors[number].node)
            if value is None:
                if not allow_unused:
                    raise _not_reached(forward, ir, number, roots)
                value = filled_like(forward.tensors[number], 0.0)
            _declare(scope, value, f"grad_of_{label(ir, number)}")
        scope._single = not with_outputs
    made = scope.graph
    learned = tuple(forward.tensors[number].prim.id for number in captured.parameters)
    for number in forward.absent:
        made.graph.constants[forward.tensors[number].prim.id] = None
    graph = dead_code(shared(made.graph)[0])[0]
    return CapturedGraph(graph, made.output_nodes, made.graph.single, learned)


# --- forward ------------------------------------------------------------------------------------
class _Forward:
    """A program recorded again, on tensors that track what is asked about."""

    def __init__(self, scope: CaptureScope, ir: GraphIr, targets: list[int]) -> None:
        self.scope = scope
        self.tensors: dict[int, Tensor] = {}
        self.absent: list[int] = []
        self.origins: dict[int, OperationIr] = {}
        """Operations by the ids of the nodes that they make here."""
        for number in ir.inputs:
            known = ir.tensors[number]
            self.tensors[number] = scope._declare(Spec(known.shape, named(known.dtype), known.name))
        for number, array in ir.constants.items():
            known = ir.tensors[number]
            if array is None:  # only referred to, here as in the program itself
                array = Deferred(known.shape, named(known.dtype), _absent)  # noqa: PLW2901
                self.absent.append(number)
            self.tensors[number] = self._constant(array, known.name)
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
        with _told(operation), self.at(operation, _context_of(operation)):
            result = general(row, given, tuple(value for _, value in operation.attributes))
        results = result if isinstance(result, tuple) else (result,)
        for tensor in results:
            self.origins[tensor.node.id] = operation
        self.tensors.update(zip(operation.outputs, results, strict=True))

    @contextmanager
    def at(self, operation: OperationIr | None, context: Context) -> Iterator[None]:
        """Records what is computed inside in a context, with an operation's place in a file."""
        recorded = self.scope._recording.graph.operations
        before = len(recorded)
        mode, scope, code, lasti = context.grad_enabled, context.scope, context.code, context.lasti
        token = enter(Context(mode, scope, code, lasti, context.quiet, fixed=True))
        try:
            yield
        finally:
            leave(token)
        if operation is not None and operation.span is not None:
            for at in range(before, len(recorded)):
                place = (None, -1, Context(scope=context.scope))
                recorded[at] = replace(recorded[at], place=place, span=operation.span)


class _told:  # noqa: N801 - read like the functions it stands beside in `with`
    """Says which operation stumbles over attributes that are none."""

    def __init__(self, operation: OperationIr | None) -> None:
        self._operation = operation

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, GradvizError) or not isinstance(error, Exception):
            return
        if self._operation is None:
            return
        made = stumbled(
            "captured.backward",
            self._operation.op,
            error,
            self._operation.source,
            "can't be differentiated",
        )
        raise made from error


def _absent() -> Any:
    raise TypeError("the program refers to a constant whose contents weren't given")


def _context_of(operation: OperationIr) -> Context:
    """The context an operation was recorded in, called from where the user wrote it."""
    if operation.place is None:
        return current()
    context = operation.place[2]
    code, lasti = origin(*operation.place)
    if code is None:  # read from a file
        code, lasti = current().code, current().lasti
    return Context(context.grad_enabled, context.scope, code, lasti, context.quiet)


# --- backward -----------------------------------------------------------------------------------
def _seed(
    forward: _Forward, ir: GraphIr, number: int, roots: list[int], gradient: Seed, group: Scope
) -> Tensor:
    """The gradient to start from at an output."""
    tensor = forward.tensors[number]
    if gradient == "ones" or tensor.size == 1:
        context = tensor.node.context
        made_by = forward.origins.get(tensor.node.id)
        with forward.at(made_by, Context(True, group, context.code, context.lasti)):
            return filled_like(tensor, 1.0)
    alone = len(roots) == 1
    name = "gradient" if alone else f"gradient_of_{label(ir, number)}"
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


def _run(
    forward: _Forward, roots: list[tuple[Tensor, Tensor]], groups: _Groups
) -> dict[Node, Tensor]:
    """Runs every node's formulas backwards and gives the leaves' gradients."""
    xp = TENSOR_NAMESPACE
    pending: dict[Node, Any] = {}
    order: dict[Node, None] = {}
    for tensor, seed in roots:
        if tensor.node.requirement == NONE:
            continue
        old = pending.get(tensor.node)
        pending[tensor.node] = seed if old is None else old + seed
        order.update(dict.fromkeys(reachable(tensor.node)))
    # Ids grow with time, so descending ids are a topological order.
    for node in sorted(order, key=lambda node: node.id, reverse=True):
        g = pending.pop(node, None)
        if g is None:
            continue
        context = node.context
        inside = Context(True, groups.of(context.scope), context.code, context.lasti)
        made_by = forward.origins.get(node.id)
        with _told(made_by), forward.at(made_by, inside):
            values = saved_as_tensors(node, node.step.saved, node.saved)
            node.step.run(g, values, node, pending, xp)
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
    name, shown = label(ir, number), ", ".join(repr(label(ir, root)) for root in roots)
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
    for operation in _between(ir, [number], roots):
        if all(forward.tensors[out].node.requirement == NONE for out in operation.outputs):
            return operation
    return None


def _between(
    ir: GraphIr, starts: list[int], roots: list[int], ops: Container[str] | None = None
) -> Iterator[OperationIr]:
    """The operations, of some kinds or of all, on the ways from tensors to outputs, in order."""
    needed = set(roots)
    for operation in reversed(ir.operations):
        if needed.intersection(operation.outputs):
            needed.update(operation.inputs)
    reached = set(starts)
    for operation in ir.operations:
        if reached.intersection(operation.inputs) and needed.intersection(operation.outputs):
            reached.update(operation.outputs)
            if ops is None or operation.op in ops:
                yield operation


def _own_backward(operation: OperationIr) -> GradvizError:
    """The error of a function whose own backward pass no recording holds."""
    name = dict(operation.attributes).get("function")
    return fail(
        "invalid-argument",
        operation="captured.backward",
        complaint=f"`{name}` has a backward pass of its own",
        reason="a recording holds what its `forward` computes; its `backward` is Python code.",
        advice="Call `backward` on its result outside of the recording.",
        cause=operation.source,
    )
