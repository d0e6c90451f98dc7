"""`gv.trace_backward`: a backward pass of the engine, told step by step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final
from weakref import ref

from gradviz.autodiff.node import Node
from gradviz.autodiff.observe import watching
from gradviz.backends.ndarray import statistics
from gradviz.backends.ndarray.statistics import Summary
from gradviz.core.source import SourceSpan
from gradviz.tensor.base import Tensor
from gradviz.tensor.gradients import Gradients

MOST_STEPS: Final = 2000
"""Steps that are told in full; a longer pass runs on and says how many there were."""

MOST_NUMBERS: Final = 12
"""Elements up to which an array is told number by number."""


@dataclass(frozen=True, slots=True)
class Glimpse:
    """An array as a step saw it; the array itself is not kept.

    Attributes:
        shape: its shape.
        dtype: its dtype's name.
        nbytes: its size in memory.
        summary: its statistics.
        numbers: every element, where there are few.
    """

    shape: tuple[int, ...]
    dtype: str
    nbytes: int
    summary: Summary
    numbers: tuple[float, ...] | None


def glimpse(value: Any) -> Glimpse:
    """What to remember of an array or of a tensor's value."""
    array = value.prim if isinstance(value, Tensor) else value
    few = array.size <= MOST_NUMBERS
    return Glimpse(
        tuple(array.shape),
        str(array.dtype),
        statistics.nbytes(array),
        statistics.describe(array, 1),
        tuple(statistics.flat_numbers(array)) if few else None,
    )


@dataclass(frozen=True, slots=True)
class SavedValue:
    """What the forward pass saved for a step; `value` is None where it is to be recomputed."""

    name: str
    value: Glimpse | None


@dataclass(frozen=True, slots=True)
class Contribution:
    """What a step gave to one of its inputs.

    Attributes:
        node: the input's node.
        slot: the argument it is, as the operation's row calls it.
        part: what this step gave.
        total: the input's gradient with it.
        joins: whether there was something already, to which it was added.
    """

    node: int
    slot: str
    part: Glimpse
    total: Glimpse
    joins: bool

    def __str__(self) -> str:
        joined = f" joins {_short(self.total)}" if self.joins else ""
        return f"{self.slot}: {_short(self.part)}{joined}"


@dataclass(slots=True)
class BackwardStep:
    """One node's turn in a backward pass.

    Attributes:
        node: the node.
        op: its operation.
        tracked: the inputs that get a gradient, by their names in the row.
        incoming: the complete gradient that reached it.
        saved: what the forward pass had kept for it.
        contributions: what it gave to its inputs, in order.
        recomputed: nodes whose results were computed anew for it, under checkpointing.
        tape_bytes: what was still saved for this step and those to come.
        freed_bytes: memory that was given back once it was done.
        waiting: nodes that had a gradient waiting, this one included.
        source: the user's expression that made the node.
    """

    node: int
    op: str
    tracked: tuple[str, ...]
    incoming: Glimpse
    saved: tuple[SavedValue, ...]
    tape_bytes: int
    waiting: int
    source: SourceSpan | None
    contributions: list[Contribution] = field(default_factory=list)
    recomputed: list[int] = field(default_factory=list)
    freed_bytes: int = 0

    def __str__(self) -> str:
        given = ", ".join(map(str, self.contributions))
        return f"{self.op} <- {_short(self.incoming)}; gives {given or 'nothing'}"


@dataclass(slots=True, weakref_slot=True)
class BackwardTrace:
    """A backward pass, step by step.

    Attributes:
        root: the node it started from.
        total: steps it took; `steps` tells the first 2000.
        retained: whether the graph was kept for another pass.
        tape_bytes: what the forward pass had saved for it.
        steps: the steps in the order they ran.
        grads: what `backward` returned.
    """

    root: int
    total: int
    retained: bool
    tape_bytes: int
    steps: list[BackwardStep] = field(default_factory=list)
    grads: Gradients | None = None

    @property
    def freed_bytes(self) -> int:
        """Memory that the pass gave back."""
        return sum(step.freed_bytes for step in self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[BackwardStep]:
        return iter(self.steps)

    def __str__(self) -> str:
        lines = [f"backward of {self.total} steps, {self.tape_bytes:,} bytes saved for it"]
        lines += [f"{at + 1:4d}  {step}" for at, step in enumerate(self.steps)]
        if self.total > len(self.steps):
            lines.append(f"      and {self.total - len(self.steps)} more")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<BackwardTrace of {self.total} steps>"


def _short(value: Glimpse) -> str:
    if value.numbers is not None and len(value.numbers) <= 4:
        shown = ", ".join(f"{number:.4g}" for number in value.numbers)
        return f"[{shown}]" if value.shape else shown
    return f"{value.shape} |{value.summary.norm:.4g}|"


def trace_backward(
    loss: Tensor,
    retain_graph: bool = False,
    create_graph: bool = False,
    gradient: Any = None,
) -> BackwardTrace:
    """Runs `loss.backward()` and tells every step of it.

    It is the engine's own pass, with the same result; only its table of gradients is watched. What
    is told are numbers and statistics: no array is kept alive.

    Args:
        loss: the tensor to start from.
        retain_graph: as for `backward`.
        create_graph: as for `backward`.
        gradient: as for `backward`.

    Returns:
        The steps; `trace.grads` are the gradients, `gv.explore(loss, steps=trace)` plays them.

    Raises:
        GradvizError: what `backward` raises.

    Example:
        >>> import gradviz as gv
        >>> x = gv.tensor([1.0, 2.0], requires_grad=True)
        >>> trace = gv.trace_backward((x * x).sum())
        >>> print(trace)
        backward of 2 steps, 8 bytes saved for it
           1  sum <- 1; gives x: [1, 1]
           2  mul <- [1, 1]; gives lhs: [1, 2], rhs: [1, 2] joins [2, 4]
        >>> trace.grads[x].tolist()
        [2.0, 4.0]
    """
    with observe_backward() as traces:
        loss.backward(retain_graph=retain_graph, create_graph=create_graph, gradient=gradient)
    return traces[-1]


@contextmanager
def observe_backward() -> Iterator[list[BackwardTrace]]:
    """Tells every backward pass that runs inside the block, step by step.

    Yields:
        A list that gets a `BackwardTrace` for each pass.

    Example:
        >>> import gradviz as gv
        >>> x = gv.tensor(3.0, requires_grad=True)
        >>> with gv.observe_backward() as traces:
        ...     grads = (x * x).backward()
        >>> [step.op for step in traces[0]]
        ['mul']
    """
    traces: list[BackwardTrace] = []
    token = watching.set(_Recorder(traces))
    try:
        yield traces
    finally:
        watching.reset(token)


class _Held(ref[Any]):
    """A saved array of the tape: how large it is, and the last step that needs it."""

    __slots__ = ("nbytes", "node")

    nbytes: int
    node: int


class _Recorder:
    """Writes a `BackwardTrace` of each pass it watches."""

    def __init__(self, traces: list[BackwardTrace]) -> None:
        self._traces = traces
        self._open: BackwardTrace | None = None
        self._step: BackwardStep | None = None
        self._running: Node | None = None
        self._held: dict[int, _Held] = {}
        self._freed: dict[int, int] = {}
        self._left: dict[int, int] = {}
        self._tape = 0
        self._waiting = 0

    def begin(self, root: Node, nodes: list[Node], keep: bool) -> None:
        """Counts what the tape holds."""
        self._held, self._freed, self._left = {}, {}, {}
        self._waiting = 1
        self._step = self._running = None
        for node in nodes:
            for value in _arrays(node.saved):
                self._hold(value, node.id)
        for held in self._held.values():
            self._left[held.node] = self._left.get(held.node, 0) + held.nbytes
        self._tape = sum(self._left.values())
        self._open = BackwardTrace(root.id, len(nodes), keep, self._tape)

    def _hold(self, value: Any, node: int) -> None:
        array = statistics.owner(value)
        if array is None:
            return
        held = self._held.get(id(array))
        if held is None:
            held = self._held[id(array)] = _Held(array, self._gone)
            held.nbytes = statistics.nbytes(array)
        # Nodes come newest first, in the order they run: the last one to ask is the last to need.
        held.node = node

    def _gone(self, held: ref[Any]) -> None:
        if isinstance(held, _Held):
            self._freed[held.node] = self._freed.get(held.node, 0) + held.nbytes

    def take(self, node: Node, incoming: Any) -> None:
        """A step begins."""
        trace = self._open
        self._step, self._running = None, node
        if trace is not None and len(trace.steps) < MOST_STEPS:
            self._step = BackwardStep(
                node.id,
                node.op,
                node.step.tracked,
                glimpse(incoming),
                _saved(node),
                self._tape,
                self._waiting,
                node.source,
            )
            trace.steps.append(self._step)
        self._waiting -= 1
        if trace is not None and not trace.retained:
            self._tape -= self._left.pop(node.id, 0)

    def arrive(self, node: Node, part: Any, total: Any, joins: bool) -> None:
        """A part of the running step."""
        self._waiting += not joins
        step = self._step
        if step is not None:
            seen = glimpse(part)
            whole = glimpse(total) if joins else seen
            slot = self._slot(len(step.contributions), node)
            step.contributions.append(Contribution(node.id, slot, seen, whole, joins))

    def _slot(self, at: int, target: Node) -> str:
        """The name of the argument that the next part is for."""
        running, step = self._running, self._step
        if running is None or step is None:
            return ""
        if not running.row.variadic:
            return step.tracked[at] if at < len(step.tracked) else ""
        before = [part.node for part in step.contributions].count(target.id)
        places = [at for at, parent in enumerate(running.parents) if parent is target]
        return f"{running.row.inputs[-1].name}[{places[before]}]" if before < len(places) else ""

    def recomputed(self, nodes: list[Node]) -> None:
        """Results made anew for the running step."""
        if self._step is not None:
            self._step.recomputed += [node.id for node in nodes]

    def end(self, gradients: Gradients) -> None:
        """Everything is known now."""
        trace = self._open
        if trace is None:
            return
        for step in trace.steps:
            step.freed_bytes = self._freed.get(step.node, 0)
        trace.grads = gradients
        self._traces.append(trace)
        self._open = self._step = self._running = None
        self._held = {}


def _arrays(saved: Any) -> tuple[Any, ...]:
    return saved if isinstance(saved, tuple) else (saved,)


def _saved(node: Node) -> tuple[SavedValue, ...]:
    """What the forward pass kept for a node, by the names its formulas ask for."""
    kept = _arrays(node.saved)
    balanced = node.meta.device.checkpointing == "balanced" and node.row.memory_bound
    names = node.step.saved
    if balanced:
        # Such a node keeps its inputs, whatever its formulas ask for.
        fixed = node.row.input_names()
        extra = len(kept) - len(fixed)
        names = (
            fixed if not extra else (*fixed[:-1], *(f"{fixed[-1]}[{n}]" for n in range(extra + 1)))
        )
    if not names:
        return ()
    return tuple(
        SavedValue(name, glimpse(value) if hasattr(value, "dtype") else None)
        for name, value in zip(names, kept, strict=True)
        if value is not None
    )
