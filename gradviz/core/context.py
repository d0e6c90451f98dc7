"""What surrounds an operation: whether gradients are recorded, its scope, its call site.

One immutable object in one context variable, so that the hot path reads it once.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from contextvars import ContextVar, Token
from types import CodeType, TracebackType
from typing import Final, ParamSpec, TypeVar

from gradviz.core.source import is_internal, user_frame

P = ParamSpec("P")
R = TypeVar("R")


class Scope:
    """A named region of the computation; nested through `parent`."""

    __slots__ = ("kind", "label", "parent", "serial")
    _count = 0

    def __init__(self, label: str, kind: str, parent: Scope | None) -> None:
        self.label = label
        self.kind = kind
        self.parent = parent
        Scope._count += 1
        self.serial = Scope._count


class Context:
    """Grad mode, scope and call site in force; never changed, only replaced."""

    __slots__ = ("code", "fixed", "grad_enabled", "lasti", "quiet", "scope")

    def __init__(
        self,
        grad_enabled: bool = True,
        scope: Scope | None = None,
        code: CodeType | None = None,
        lasti: int = -1,
        quiet: Context | None = None,
        fixed: bool = False,
    ) -> None:
        self.grad_enabled = grad_enabled
        self.scope = scope
        self.code = code
        """The user's code that called into the library, where an operation's own frame is ours."""
        self.lasti = lasti
        self.quiet = quiet
        """The context that was in force where gradients were switched off."""
        self.fixed = fixed
        """Whether the call site stays, whoever runs: a program that is worked through anew."""


_current: ContextVar[Context] = ContextVar("gradviz_context", default=Context())  # noqa: B039
current: Final = _current.get
"""The context in force."""

enter: Final = _current.set
leave: Final = _current.reset
"""Put a context in force and take it back, where a `with` block would cost too much."""


def start_afresh() -> None:
    """Puts the context in force that every thread starts with."""
    _current.set(Context())


class Entered:
    """A context manager that puts a context in force; reusable, not re-entrant."""

    __slots__ = ("_tokens",)

    def __init__(self) -> None:
        self._tokens: list[Token[Context]] = []

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """Decorates a function: every call runs inside the context."""

        @functools.wraps(function)
        def inside(*args: P.args, **kwargs: P.kwargs) -> R:
            with self:
                return function(*args, **kwargs)

        return inside

    def context(self) -> Context:
        """The context to put in force, made when the block is entered."""
        raise TypeError("a subclass says which context it enters")

    def __enter__(self) -> None:
        self._tokens.append(_current.set(self.context()))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _current.reset(self._tokens.pop())


class GradMode(Entered):
    """Switches recording on or off for a block."""

    __slots__ = ("_enabled",)

    def __init__(self, enabled: bool) -> None:
        super().__init__()
        self._enabled = enabled

    def context(self) -> Context:
        """The context around, with recording on or off; a block that turns it off is noted."""
        now = current()
        code, lasti = now.code, now.lasti
        quiet = now.quiet
        if not self._enabled and now.grad_enabled:
            frame = user_frame(sys._getframe(2))
            if frame is not None:
                quiet = Context(False, now.scope, frame.f_code, frame.f_lasti)
        return Context(self._enabled, now.scope, code, lasti, None if self._enabled else quiet)


class ScopeBlock(Entered):
    """Groups what is computed inside under a label."""

    __slots__ = ("_kind", "_label")

    def __init__(self, label: str, kind: str = "scope") -> None:
        super().__init__()
        self._label = label
        self._kind = kind

    def context(self) -> Context:
        """The context around, one scope further in."""
        now = current()
        code, lasti = now.code, now.lasti
        if code is None and self._kind == "module":
            code, lasti = call_site()
        scope = Scope(self._label, self._kind, now.scope)
        return Context(now.grad_enabled, scope, code, lasti, now.quiet)


class CallSite(Entered):
    """Attributes what a composed function computes to the expression that called it."""

    __slots__ = ()

    def __enter__(self) -> None:
        # Written out beside `Entered`: nearly every composed function passes here.
        self._tokens.append(enter(at_call_site()))


def at_call_site() -> Context:
    """The context around with the call site of the user's code that is running.

    A call site in force already may be that of a module whose `forward` the user wrote: what is
    called from there belongs to a line of the `forward`, not to the call of the module.
    """
    now = current()
    if now.fixed:
        return now
    frame = user_frame(sys._getframe(2))
    if frame is None:
        return now
    code, lasti = frame.f_code, frame.f_lasti
    if code is now.code and lasti == now.lasti:
        return now
    return Context(now.grad_enabled, now.scope, code, lasti, now.quiet)


def call_site(passed: int = 1) -> tuple[CodeType | None, int]:
    """The innermost user code that is running, as `(code, last instruction)`.

    Args:
        passed: how many frames are surely this package's own: looking at one takes long.
    """
    try:
        frame = user_frame(sys._getframe(passed))
    except ValueError:  # nobody called it: the interpreter itself did, as at its exit
        return None, -1
    return (None, -1) if frame is None else (frame.f_code, frame.f_lasti)


def origin(code: CodeType | None, lasti: int, context: Context) -> tuple[CodeType | None, int]:
    """The user's `(code, last instruction)` of something made at `code` under `context`."""
    if code is not None and is_internal(code.co_filename) and context.code is not None:
        return context.code, context.lasti
    return code, lasti
