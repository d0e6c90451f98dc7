"""Hooks on tensors: told of a gradient when it is complete, and allowed to change it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import ref

from gradviz.autodiff.engine import own_code_runs
from gradviz.core.context import GradMode
from gradviz.core.handle import Handle
from gradviz.errors import GradvizTypeError, fail
from gradviz.tensor import refusal
from gradviz.tensor.base import Tensor
from gradviz.tensor.given_gradients import fitted, shown_gradient


def register_hook(self: Tensor, hook: Callable[[Tensor], Any]) -> Handle:
    """Calls a function with the tensor's gradient in every backward pass that reaches it.

    What the function returns takes the gradient's place on its way to the inputs; None leaves it.
    It runs once the gradient is complete, within `gv.no_grad` unless the pass creates a graph. A
    function that fails ends the pass, and the graph is whole again.

    Args:
        hook: takes a tensor of this one's shape and dtype, returns one or None.

    Returns:
        A handle, whose `remove()` takes the hook off; also a context manager.

    Raises:
        GradvizError: `untracked-root` or `requires-autodiff-tensor` on a tensor without gradients,
            `invalid-argument` for what can't be called.

    Example:
        >>> import gradviz as gv
        >>> x = gv.tensor([1.0, 2.0], requires_grad=True)
        >>> handle = (h := x * x).register_hook(lambda g: g * 10.0)
        >>> h.sum().backward(retain_graph=True)[x].tolist()
        [20.0, 40.0]
        >>> handle.remove()
        >>> h.sum().backward()[x].tolist()
        [2.0, 4.0]
    """
    if not callable(hook):
        raise fail(
            "invalid-argument",
            operation="register_hook",
            complaint=f"a {type(hook).__name__} can't be called",
            reason="a hook is a function of the gradient.",
            advice="Write `x.register_hook(lambda g: ...)`.",
            error=GradvizTypeError,
        )
    node = self.node
    if not node.requirement:
        refused = refusal.of_backward(node, "register_hook")
        if refused is not None:
            raise refused.error()

    held = ref(node)  # the node holds the hook: graphs are freed without the collector's help

    def told(g: Any) -> Any:
        recorded = isinstance(g, Tensor)
        at = held()
        with GradMode(recorded):
            answer = None if at is None else hook(shown_gradient(g, at.meta))
            if at is None or answer is None:
                return g
            name = at.name or at.op
            return fitted("hook", name, answer, at, recorded=recorded, blamed=at)

    extra = node.more()
    if extra.hooks is None:
        extra.hooks = {}
    own_code_runs()
    return Handle(extra.hooks, told)


setattr(Tensor, register_hook.__name__, register_hook)
