"""Running a patched program to see whether a fix holds; nothing of it stays."""

from __future__ import annotations

import contextlib
import contextvars
import io
import sys
import threading
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from types import CodeType
from typing import Any, Final

from gradviz.autodiff.cuts import fed_by
from gradviz.autodiff.node import GRAD_IN_BACKWARD, NONE, Node, history
from gradviz.backends.capture.backend import recordings
from gradviz.backends.ndarray import fill
from gradviz.core.context import start_afresh
from gradviz.diagnose.bystanders import take_places
from gradviz.dispatch.registry import default_kept
from gradviz.tensor import backward, escapes
from gradviz.tensor.base import Tensor
from gradviz.tensor.gradients import Gradients

LIMIT_SECONDS: Final = 3.0
STOP_AGAIN_SECONDS: Final = 0.05
trying: ContextVar[bool] = ContextVar("gradviz_trying", default=False)
"""Set while a patched program runs: views show nothing then, and no fixes are looked for."""


_one_at_a_time = threading.RLock()
"""Standard output and generators belong to all threads: two trials would put back each other's."""


class TooSlow(BaseException):
    """The program took longer than a trial may; no handler of the program's catches it."""


@dataclass(frozen=True)
class Trial:
    """How a run ended.

    Attributes:
        space: its namespace.
        error: what ended it before its end.
        root: where its last backward pass began.
    """

    space: dict[str, Any]
    error: BaseException | None
    root: Node | None = None

    @property
    def finished(self) -> bool:
        """Whether it ran to its end."""
        return self.error is None


def run(text: str, filename: str, shared: Mapping[str, Any] | None) -> Trial:
    """Runs a program's text, in a copy of the shared namespace or in a fresh one."""
    space: dict[str, Any] = (
        dict(shared) if shared is not None else {"__name__": "__main__", "__file__": filename}
    )
    take_places(space)
    roots: list[Node] = []

    def observe(root: Tensor, _: Gradients) -> None:
        if trying.get():  # the notebook's own passes are not the trial's
            roots[:] = [root.node]

    with _one_at_a_time:
        kept_escapes = list(escapes.recent)
        backward.observers.append(observe)
        try:
            code = compile(text, filename, "exec")
            # Modes that the program enters and never leaves end with this context.
            contextvars.copy_context().run(_execute, code, space, shared is None)
        except (Exception, TooSlow, SystemExit) as error:
            return Trial(space, error)
        finally:
            backward.observers.remove(observe)
            escapes.recent.clear()
            escapes.recent.extend(kept_escapes)
    return Trial(space, None, roots[0] if roots else None)


def _execute(code: CodeType, space: dict[str, Any], fresh: bool) -> None:
    trying.set(True)
    if fresh:
        # A program starts with recording on, whatever the one that asks has left behind.
        start_afresh()
    with (
        _silence(),
        fill.preserved(),
        _generators_kept(),
        default_kept(),
        _scopes_kept(fresh),
        _deadline(),  # ends first: what the others put back is not interrupted
    ):
        exec(code, space)


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    out, err = (_Aside(stream or io.StringIO()) for stream in (sys.stdout, sys.stderr))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        yield


class _Aside:
    """A stream that drops what this thread writes and passes on what others do.

    A kernel may try a fix on a thread beside the one whose cell is running and printing.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._thread = threading.get_ident()

    def write(self, text: str) -> int:
        """As a stream's."""
        if threading.get_ident() == self._thread:
            return len(text)
        return int(self._stream.write(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextlib.contextmanager
def _scopes_kept(fresh: bool) -> Iterator[None]:
    """Closes capture scopes that a program leaves open; a fresh one begins without any."""
    found = recordings()
    before = list(found)
    if fresh:
        found.clear()
    try:
        yield
    finally:
        for recording in found:
            if recording not in before:
                recording.close()
        found[:] = before


@contextlib.contextmanager
def _generators_kept() -> Iterator[None]:
    """Puts the generators back that programs share: Python's, and NumPy's old one."""
    python, numpy = sys.modules.get("random"), sys.modules.get("numpy.random")
    known = python.getstate() if python is not None else None
    old = numpy.get_state() if numpy is not None else None
    try:
        yield
    finally:
        if python is not None:
            python.setstate(known)
        if numpy is not None:
            numpy.set_state(old)


@contextlib.contextmanager
def _deadline() -> Iterator[None]:
    """Stops the program once the time is up, by an exception put into its thread from another.

    A trace function would do it too, but Python drops it for good when it is called at the
    recursion limit, and a debugger may have one set already.
    """
    import ctypes

    raise_in_thread = ctypes.pythonapi.PyThreadState_SetAsyncExc
    runner = ctypes.c_ulong(threading.get_ident())
    gate, left = threading.Lock(), threading.Lock()
    gate.acquire()
    left.acquire()

    def stop() -> None:
        waiting = LIMIT_SECONDS
        # Again and again: a finaliser or a callback that it arrives in would swallow it.
        while not gate.acquire(timeout=waiting):
            raise_in_thread(runner, ctypes.py_object(TooSlow))
            waiting = STOP_AGAIN_SECONDS
        left.release()

    threading.Thread(target=stop, name="gradviz-trial", daemon=True).start()
    try:
        yield
    finally:
        # The exception may arrive on these lines too, but only after a call has returned, and after
        # the last one none is on its way any more. Bare locks take that; events, `with` and `join`
        # would be left half done. (Taking an exception back leaves CPython 3.11 waiting for one.)
        step = 0
        while step < 2:
            try:
                if step == 0:
                    step = 1
                    gate.release()
                step = 2
                left.acquire()
            except TooSlow:
                pass


def leaves_of(node: Node) -> set[int]:
    """Ids of the leaves that a gradient from a node reaches."""
    return {member.id for member in passed(node) if member.requirement != GRAD_IN_BACKWARD}


def updated_by_gradients(node: Node) -> set[int]:
    """Ids of what the leaves behind a node were computed from, where gradients took part in that.

    `w = (w.detach() - rate * gradient).require_grad()` puts a leaf in the place of another one.
    """
    found: set[int] = set()
    for member in passed(node):
        if member.requirement != GRAD_IN_BACKWARD:
            found |= stepped_from(member)
    return found


def stepped_from(leaf: Node) -> set[int]:
    """Ids of what a leaf was computed from, where gradients took part in that; none otherwise."""
    behind = history(leaf) if leaf.parents else []
    if any(earlier.op == "grad" for earlier in behind):
        return {earlier.id for earlier in behind}
    return set()


def reached_by(root: Node) -> set[int]:
    """Ids of everything a gradient from a node passes through or ends at."""
    return {member.id for member in passed(root)}


def passed(root: Node) -> list[Node]:
    """Everything a gradient from a node passes through or ends at."""
    if root.requirement == NONE:
        return []
    found = [root]
    seen = {root}
    for member in found:
        for parent in fed_by(member):
            if parent not in seen:
                seen.add(parent)
                found.append(parent)
    return found


def latest_result(space: Mapping[str, Any]) -> Tensor | None:
    """The tracked scalar made last: what the program calls its loss."""
    results = [
        value
        for name, value in space.items()
        if isinstance(value, Tensor) and value.requirement == "grad_in_backward" and value.size == 1
    ]
    return max(results, key=lambda tensor: tensor.node.id, default=None)


def latest_root(space: Mapping[str, Any]) -> Node | None:
    """Where the backward pass began whose gradients the program still has."""
    roots = [value.store.root for value in space.values() if isinstance(value, Gradients)]
    return max(roots, key=lambda node: node.id, default=None)
