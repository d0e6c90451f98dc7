"""Hooks around the calls of modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gradviz.core.handle import Handle
from gradviz.errors import GradvizTypeError, fail

if TYPE_CHECKING:
    from gradviz.nn.module import Module

Hook = Callable[..., Any]


class Hooks:
    """The hooks of one module: those before its `forward`, and those behind."""

    def __init__(self) -> None:
        self.before: dict[int, tuple[Hook, bool]] = {}
        self.behind: dict[int, tuple[Hook, bool]] = {}

    def call(self, module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Runs a module's `forward` with the hooks around it."""
        for hook, with_kwargs in list(self.before.values()):
            if with_kwargs:
                answer = hook(module, args, kwargs)
                if answer is not None:
                    args, kwargs = _both(module, answer)
            else:
                answer = hook(module, args)
                if answer is not None:
                    args = answer if isinstance(answer, tuple) else (answer,)
        result = module.forward(*args, **kwargs)
        for hook, with_kwargs in list(self.behind.values()):
            given = (args, kwargs, result) if with_kwargs else (args, result)
            answer = hook(module, *given)
            if answer is not None:
                result = answer
        return result


def add(
    hooks: dict[int, tuple[Hook, bool]], hook: Any, *, first: bool, with_kwargs: bool
) -> Handle:
    """Adds a hook, behind the others or before them.

    Raises:
        GradvizError: `invalid-argument` for what can't be called.
    """
    if not callable(hook):
        raise fail(
            "invalid-argument",
            operation="register_forward_hook",
            complaint=f"a {type(hook).__name__} can't be called",
            reason="a hook is a function of the module, its inputs and what it gave.",
            advice="Write `module.register_forward_hook(lambda module, args, output: ...)`.",
            error=GradvizTypeError,
        )
    return Handle(hooks, (hook, with_kwargs), first=first)


def _both(module: Module, answer: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[1], dict):
        args, kwargs = answer
        return (args if isinstance(args, tuple) else (args,)), kwargs
    raise fail(
        "invalid-argument",
        operation=f"{type(module).__name__}.register_forward_pre_hook",
        complaint="the hook's answer isn't a pair of arguments",
        reason="with `with_kwargs=True` a hook changes both kinds of arguments at once.",
        advice="Return `(args, kwargs)`, or None to leave them.",
        error=GradvizTypeError,
    )
