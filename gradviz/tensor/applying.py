"""One application of a `gv.Function`: what it keeps, its nodes, its step in a backward pass."""

from __future__ import annotations

import inspect
from dataclasses import replace
from functools import lru_cache
from typing import Any, NoReturn

from gradviz.autodiff.engine import own_code_runs
from gradviz.autodiff.node import (
    GRAD_IN_BACKWARD,
    NONE,
    Node,
    OwnNode,
    Plain,
    next_id,
)
from gradviz.autodiff.provenance import settle
from gradviz.autodiff.steps import Step
from gradviz.backends.capture.backend import dry_run
from gradviz.core.context import GradMode, call_site, current
from gradviz.ops.spec import Input, Row, table
from gradviz.tensor.base import Tensor, wrap
from gradviz.tensor.function_context import FunctionContext, wrong
from gradviz.tensor.general import as_operand, common_device, general
from gradviz.tensor.given_gradients import fitted, shown_gradient


class Call:
    """One application of a function: its inputs, and the nodes of what it gives."""

    def __init__(self, function: type[Any], arguments: tuple[Any, ...]) -> None:
        name = function.__name__
        self.function = function
        self.arguments = arguments
        self.inputs = [at for at, value in enumerate(arguments) if isinstance(value, Tensor)]
        given = [arguments[at] for at in self.inputs]
        self.device = common_device(name, given)
        self.parents = tuple(as_operand(name, value, self.device).node for value in given)
        # Places among the inputs.
        self.wanted = tuple(
            at for at, parent in enumerate(self.parents) if parent.requirement != NONE
        )
        self.tracked = self.device.is_autodiff and current().grad_enabled and bool(self.wanted)
        if self.tracked and not hasattr(function, "backward"):
            raise wrong(
                function,
                "it has no `backward`, and an input is tracked",
                "no gradient could pass through its result.",
                "Define it as a static method, or call `apply` within `with gv.no_grad():`.",
            )
        names = _names(function, len(arguments))
        self.row = _row(name, function.__doc__, tuple(names[at] for at in self.inputs))
        marked = {self.inputs[at] for at in self.wanted}
        needs = tuple(at in marked for at in range(len(arguments)))
        self.context = FunctionContext(function, self.inputs, needs)
        self.place = call_site()
        self.around = current()

    def forward(self) -> Any:
        """What the user's code gives."""
        function = self.function
        if not hasattr(function, "forward"):
            raise wrong(
                function,
                "it has no `forward`",
                "`apply` runs it.",
                "Define it as a static method that takes a context and the inputs.",
            )
        if function.setup_context is None:
            return function.forward(self.context, *self.arguments)
        results = function.forward(*self.arguments)
        function.setup_context(self.context, self.arguments, results)
        return results

    def results(self, given: tuple[Any, ...]) -> list[Any]:
        """The results with their places in the graph; what isn't a tensor as it is."""
        values = [self._tensor(value, alone=len(given) == 1) for value in given]
        context = self.context
        context._results = given
        self.open = [
            at
            for at, value in enumerate(values)
            if isinstance(value, Tensor)
            and value.node.meta.category == "float"
            and not any(given[at] is constant for constant in context._constant)
        ]
        return self._placed(values, self._joined(values))

    def _tensor(self, value: Any, *, alone: bool) -> Any:
        if isinstance(value, Tensor):
            made = as_operand(self.function.__name__, value, self.device)
            return self._recorded(made) if self.device.is_capture else made
        if not alone:
            return value
        raise wrong(
            self.function,
            f"a {type(value).__name__} was returned",
            "the result of a function is a tensor, or a tuple with tensors.",
            "Return a tensor; `gv.tensor(array)` makes one.",
            method="forward",
        )

    def _recorded(self, value: Tensor) -> Tensor:
        """A result in a recording, which knows no gradient for it."""
        if dry_run() is not None:
            return value
        made: Tensor = general(table["own_backward"], [value], (self.function.__name__,))
        return made

    def _joined(self, values: list[Any]) -> Tensor | None:
        """What a gradient passes through as one tensor: the only result, or all in a row."""
        found: list[Tensor] = [values[at] for at in self.open]
        if not self.tracked or not found:
            return None
        if len(values) == 1:
            return found[0]
        if len({value.dtype for value in found}) > 1:
            raise wrong(
                self.function,
                "results of several floating point dtypes were returned",
                "their gradients come to `backward` together.",
                "Return results of one dtype, or name the others in `mark_non_differentiable`.",
                method="forward",
            )
        made: Tensor = general(table["cat"], [[value.reshape(-1) for value in found]], (0,))
        return made

    def _placed(self, values: list[Any], whole: Tensor | None) -> list[Any]:
        """The results with their places in the graph."""
        made = list(values)
        for at, value in enumerate(values):
            if isinstance(value, Tensor) and (whole is None or at not in self.open):
                node = self._node(value)
                node.step = Plain(self.row if at in self.open else replace(self.row, vjp={}))
                if not self.device.is_capture:
                    settle(node)
                made[at] = wrap(value.prim, node)
        if whole is None:
            return made
        node = self._node(whole)
        node.requirement = GRAD_IN_BACKWARD
        kept, node.saved = self._kept(single=len(values) == 1)
        names = self.row.input_names()
        tracked = tuple(names[at] for at in self.wanted)
        node.step = _step_of(
            self.row.name, self.function.__doc__, names, kept, tracked, self.wanted
        )
        node.held = self.context
        own_code_runs()
        whole = wrap(whole.prim, node)
        self.context._attach(node, whole.prim, values, self.open)
        if len(values) == 1:
            return [whole]
        for at in self.open:
            made[at] = self.context._part(whole, at)
        return made

    def _node(self, value: Tensor) -> OwnNode:
        node = OwnNode()
        node.meta, node.requirement = value.node.meta, NONE
        node.id = next_id()
        node.code, node.lasti = self.place
        node.context = self.around
        node.parents, node.attrs = self.parents, ()
        node.extra, node.saved, node.held = None, None, None
        return node

    def _kept(self, *, single: bool) -> tuple[tuple[str, ...], Any]:
        """What was saved, as nodes keep it: names and arrays."""
        names, arrays = [], []
        given = dict(zip(self.inputs, self.row.input_names(), strict=True))
        for number, value in enumerate(self.context._saved or ()):
            if value is None or self.device.is_capture:
                continue
            known = [name for at, name in given.items() if self.arguments[at] is value]
            is_result = single and value is self.context._results[0]
            names.append(known[0] if known else "out" if is_result else f"saved[{number}]")
            arrays.append(value.prim)
        return tuple(names), None if not names else arrays[0] if len(names) == 1 else tuple(arrays)


@lru_cache(maxsize=256)
def _step_of(
    name: str,
    doc: str | None,
    inputs: tuple[str, ...],
    kept: tuple[str, ...],
    tracked: tuple[str, ...],
    fed: tuple[int, ...],
) -> Step:
    return Step(_row(name, doc, inputs), kept, tracked, _step, fed)


def _step(
    g: Any, _saved: Any, node: Any, pending: dict[Node, Any], _xp: Any, _sums: Any = None
) -> None:
    """What a backward pass runs: the user's `backward`, whose answer is looked at."""
    ctx: FunctionContext = node.held
    recorded = isinstance(g, Tensor)
    gradient = shown_gradient(g, node.meta)
    with GradMode(recorded):
        given = ctx._function.backward(ctx, *ctx._split(gradient))
        answers = tuple(given) if isinstance(given, tuple | list) else (given,)
        wanted = len(ctx.needs_input_grad)
        if len(answers) < wanted or any(value is not None for value in answers[wanted:]):
            raise wrong(
                ctx._function,
                f"{len(answers)} gradients were returned for {wanted} arguments of `apply`",
                "every argument has its place, whether it gets a gradient or not.",
                "Return one for each argument, None for those that get none.",
                method="backward",
                cause=node.source,
            )
        for at in node.step.fed:
            value = answers[ctx._inputs[at]]
            if value is None:
                continue
            target = node.parents[at]
            part = fitted(
                f"{ctx._function.__name__}.backward",
                node.row.inputs[at].name,
                value,
                target,
                recorded=recorded,
                blamed=node,
            )
            old = pending.get(target)
            pending[target] = part if old is None else old + part


# --- rows ----------------------------------------------------------------------------------------
def _no_formula(_: Any) -> NoReturn:
    raise TypeError("the step of a function runs its own code")


@lru_cache(maxsize=256)
def _row(name: str, doc: str | None, inputs: tuple[str, ...]) -> Row:
    """A row as of the table, for pictures and words."""
    lines = inspect.cleandoc(doc or "").splitlines()
    return Row(
        name=name,
        inputs=tuple(map(Input, inputs)),
        attrs=(),
        infer=_no_formula,
        forward="",
        vjp=dict.fromkeys(inputs, _no_formula),
        elementwise=False,
        result="same",
        promote="none",
        checked=False,
        fixed=(),
        extra_results=(),
        kept=(),
        zero_gradient=False,
        memory_bound=False,
        redone=False,
        pure=False,
        doc=lines[0] if lines else "",
        formula="",
        onnx=None,
        samples=(),
    )


def _names(function: type[Any], number: int) -> list[str]:
    """What `forward` calls the arguments of `apply`."""
    forward = getattr(function, "forward", None)
    skipped = 1 if function.setup_context is None else 0
    names, rest = _parameters(forward)
    names = names[skipped:]
    names = [*names, *(f"{rest}[{at}]" for at in range(max(number - len(names), 0)))]
    return names[:number]


@lru_cache(maxsize=256)
def _parameters(forward: Any) -> tuple[list[str], str]:
    """Names of a function's parameters, and of the one that takes any number."""
    try:
        found = list(inspect.signature(forward).parameters.values())
    except (TypeError, ValueError):
        found = []
    names = [item.name for item in found if item.kind is not item.VAR_POSITIONAL]
    return names, next((i.name for i in found if i.kind is i.VAR_POSITIONAL), "input")
