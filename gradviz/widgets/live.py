"""`gv.live`: a view that follows a training loop."""

from __future__ import annotations

import sys
import time
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self
from uuid import uuid4
from weakref import WeakValueDictionary, ref

from gradviz.autodiff.gradients import Store
from gradviz.core.files import write_whole
from gradviz.core.source import user_frame
from gradviz.diagnose import trial
from gradviz.diagnose.look import gradients_given, graph
from gradviz.errors import fail
from gradviz.graph import names
from gradviz.graph.answers import DifferenceView, HistoryView
from gradviz.graph.diff import difference, difference_view
from gradviz.graph.graph import Graph
from gradviz.graph.history import History
from gradviz.graph.message import message_of
from gradviz.graph.steps import extras_view
from gradviz.render.glance import svg_or_none
from gradviz.render.html import to_html
from gradviz.render.text import to_text
from gradviz.tensor.base import Tensor
from gradviz.tensor.gradients import Gradients
from gradviz.tensor.tracing import BackwardTrace
from gradviz.widgets.comm import keep
from gradviz.widgets.display import graph_bundle
from gradviz.widgets.hosted import Hosted
from gradviz.widgets.kept import let_go

INTERVAL: Final = 0.5
"""Seconds between two drawings, at least."""

MOST_LINGERING: Final = 16_000_000
"""Bytes of gradients up to which a drawing can be asked about while the next one is on its way."""

MOST_KEPT: Final = 64
"""Elements of a root up to which its value can be asked for when the loop has gone on."""

SHARE_DRAWING: Final = 10.0
SHARE_NOTING: Final = 20.0
"""How many times longer than drawing, or noting numbers, took, the loop is left alone after it."""


def live(title: str | None = None, *, interval: float = INTERVAL) -> Live:
    """A view that follows a training loop: the graph, and the numbers of its leaves over the steps.

    Drawing is throttled, so that the loop keeps its speed: numbers are noted for at most a
    twentieth of the time, the picture is drawn again for at most a tenth and not more often than
    every `interval` seconds. At most 120 steps are remembered; of more, every second one.

    Args:
        title: a heading.
        interval: seconds between two drawings, at least.

    Returns:
        A view to `update` at each step; it shows itself at the first one. The last step is drawn
        when the cell ends, or the block where the view is a context manager.
        `save("run.html")` writes it as a page.

    Example:
        >>> import gradviz as gv
        >>> w = gv.tensor([1.0, 2.0], requires_grad=True, name="w")
        >>> with gv.live("descent") as view:
        ...     for _ in range(3):
        ...         loss = (w * w).sum()
        ...         view.update(loss, loss.backward())
        >>> view.history.total
        3
    """
    return Live(title, interval)


_Last = tuple[tuple[ref[Any], ...], ref[Store] | None, ref[BackwardTrace] | None]
"""What the last step was of, none of it kept alive: things, gradients, steps of backward."""


class Live:
    """A view of a running loop; see `live`."""

    def __init__(self, title: str | None, interval: float) -> None:
        self._title = title
        self._interval = interval
        self._id = f"gradviz-{uuid4().hex}"
        self._shown = False
        self._behind = False
        self._hosted = Hosted()
        self._key: str | None = None
        self._lingering: str | None = None
        self._next_note = self._next_draw = 0.0
        self._history = History()
        self._leaves: WeakValueDictionary[str, Tensor] = WeakValueDictionary()
        self._count = 0
        self._drawn: Graph | None = None
        self._changed = False
        self._difference: DifferenceView | None = None
        self._last: _Last = ((), None, None)

    @property
    def history(self) -> HistoryView:
        """The numbers of the steps that are remembered."""
        return self._history.view()

    @property
    def graph(self) -> Graph | None:
        """The graph as it was last drawn."""
        return self._drawn

    def update(
        self, *things: Any, grads: Gradients | None = None, steps: BackwardTrace | None = None
    ) -> None:
        """Follows one step.

        Args:
            things: what `gv.graph` takes, such as the loss; what `backward` returned may stand
                among them.
            grads: what `backward` returned.
            steps: what `gv.trace_backward` returned in place of `backward`, to be played.

        Raises:
            GradvizError: `not-a-tensor`, `invalid-argument`.
        """
        if trial.trying.get():
            return
        given = [thing for thing in things if isinstance(thing, Gradients)]
        tensors = [thing for thing in things if not isinstance(thing, Gradients)]
        grads = grads if grads is not None or not given else given[0]
        grads = gradients_given(grads, steps)
        now = time.monotonic()
        draws = self._drawn is None or now >= self._next_draw
        self._remember(tensors, grads, steps)
        self._behind = True
        if draws:
            self._look(tensors, grads, steps)
        if draws or now >= self._next_note:
            self._note(tensors, grads)
        else:
            self._history.skip()
        if draws:
            self._show(tensors, final=False)
            spent = time.monotonic() - now
            self._next_draw = now + spent + max(self._interval, SHARE_DRAWING * spent)

    def close(self) -> None:
        """Draws the last step, with the static picture that other viewers show."""
        self._behind = False
        things, store, trace = self._last
        alive = [thing for thing in (known() for known in things) if thing is not None]
        values = None if store is None else store()
        if len(alive) == len(things) and alive:
            grads = None if values is None else Gradients(values)
            self._look(alive, grads, None if trace is None else trace())
        if self._drawn is not None:
            self._show(alive, final=True)

    def to_html(self, *, values: bool = True) -> str:
        """The graph as it was last drawn, with the history of the run, as a page to open offline.

        Args:
            values: whether the page holds numbers, as in `Graph.to_html`; without them there is
                no history either.

        Raises:
            GradvizError: `invalid-argument` before any step was followed.
        """
        drawn = self._followed("to_html")
        history = self.history if values else None
        extras = extras_view(
            drawn if values else drawn.without_values(),
            difference=self._difference,
            history=history,
        )
        return to_html(drawn, values=values, extras=extras)

    def save(self, path: str | PathLike[str], *, values: bool = True) -> None:
        """Writes the graph as it was last drawn to a file, in the format its ending names.

        Args:
            path: where to; `.html` for the page of `to_html`, or an ending that `Graph.save` knows.
            values: whether the file may hold numbers.

        Raises:
            GradvizError: `invalid-argument` before any step was followed, or for another ending.
        """
        drawn = self._followed("save")
        if Path(path).suffix.lower() == ".html":
            write_whole(Path(path), self.to_html(values=values).encode("utf-8"))
        else:
            drawn.save(path, values=values)

    def _followed(self, operation: str) -> Graph:
        if self._drawn is None:
            raise fail(
                "invalid-argument",
                operation=operation,
                complaint="no step has been followed yet",
                advice="Call view.update(loss, grads) in the loop first.",
            )
        return self._drawn

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def catch_up(self) -> None:
        """Draws the last step unless that was done."""
        if self._behind:
            self.close()

    def __repr__(self) -> str:
        return f"<live view of {self._history.total} steps>"

    def _remember(
        self, things: list[Any], grads: Gradients | None, steps: BackwardTrace | None
    ) -> None:
        """Notes the step weakly: the loop's graphs must not live longer for being looked at."""
        kept = []
        for thing in things:
            try:
                kept.append(ref(thing))
            except TypeError:  # a list or a dict: it can't be drawn again later
                kept = []
                break
        store = None if grads is None else ref(grads.store)
        self._last = (tuple(kept), store, None if steps is None else ref(steps))

    def _look(
        self, things: list[Any], grads: Gradients | None, steps: BackwardTrace | None
    ) -> None:
        token = trial.trying.set(True)  # no fixes are searched for at every step
        try:
            drawn = graph(*things, title=self._title, grads=grads, steps=steps)
        finally:
            trial.trying.reset(token)
        # In the next step no variable holds the loss any more, which is what one looks for first.
        drawn.live.keep_ends(MOST_KEPT)
        before, self._drawn = self._drawn, drawn
        found = None if before is None else difference(before, drawn)
        self._changed = bool(found)
        self._difference = difference_view(found) if found else None
        self._leaves.clear()
        for node in drawn.nodes:
            if node.role == "parameter" or node.requirement == "grad":
                tensor = drawn.live.tensor(node.id)
                if tensor is not None:
                    self._leaves.setdefault(node.label, tensor)
        self._count = len(self._leaves)

    def _note(self, things: list[Any], grads: Gradients | None) -> None:
        start = time.monotonic()
        root = next((thing for thing in things if isinstance(thing, Tensor)), None)
        if grads is not None:
            self._find_leaves(grads)
        self._history.add(root, dict(self._leaves), grads, self._changed)
        self._changed = False
        spent = time.monotonic() - start
        self._next_note = start + spent + SHARE_NOTING * spent

    def _find_leaves(self, grads: Gradients) -> None:
        """The leaves of this step, where those drawn last are others: made anew by the update."""
        given = grads.store.values
        here = list(self._leaves.values())
        if len(here) == self._count and all(tensor.node in given for tensor in here):
            return
        numbers = {node.id for node in given}
        found = names.find(names.namespaces(user_frame(sys._getframe(1))))
        for number, (label, tensor) in found.items():
            if number in numbers and tensor.is_require_grad:
                self._leaves[tensor.name or label] = tensor

    def _show(self, things: list[Any], *, final: bool) -> None:
        drawn = self._drawn
        ipython = sys.modules.get("IPython")
        shell = None if ipython is None else ipython.get_ipython()
        if drawn is None or ipython is None or getattr(shell, "kernel", None) is None:
            return
        extras = extras_view(
            drawn, difference=self._difference, history=self.history, place=self._id
        )
        before, self._key = self._key, keep(drawn, things)
        view = message_of(drawn, key=self._key, extras=extras)
        bundle = graph_bundle(view, svg_or_none(drawn) if final else None, to_text(drawn))
        ipython.display.display(
            self._hosted.bundle(bundle), raw=True, display_id=self._id, update=self._shown
        )
        if not self._shown:
            self._shown = True
            _when_the_cell_ends(shell, self)
        if before is not None and before != self._key:
            # Else the steps of one loop would push out what other views ask about.
            lingers = not final and _size_of(drawn) <= MOST_LINGERING
            for key in (self._lingering, None if lingers else before):
                if key is not None:
                    let_go(key)
            self._lingering = before if lingers else None


def _when_the_cell_ends(shell: Any, view: Live) -> None:
    """Lets a view catch up after every cell, for as long as somebody holds it."""
    events = getattr(shell, "events", None)
    if events is None:
        return
    known = ref(view)

    def after_cell(_result: object) -> None:
        view = known()
        if view is None:
            events.unregister("post_run_cell", after_cell)
        else:
            token = names.asked_for.set(shell.user_ns)
            try:
                view.catch_up()
            finally:
                names.asked_for.reset(token)

    events.register("post_run_cell", after_cell)


def _size_of(drawn: Graph) -> int:
    """Bytes of the gradients that a drawing holds on to."""
    store = drawn.live.store
    values = () if store is None else store.values.values()
    return sum(int(getattr(value, "nbytes", 0)) for value in values)
