"""`gv.Function`: operations whose backward pass somebody writes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NoReturn

from gradviz.core.context import CallSite, GradMode
from gradviz.tensor.applying import Call
from gradviz.tensor.function_context import wrong


class Function:
    """An operation with a backward pass of its own, in PyTorch's form.

    A subclass defines `forward` and `backward` as static methods; `apply` runs it. Inside of both
    nothing is recorded, unless the gradients are to be differentiated in turn. In a recording it
    stands as what its `forward` computes, and a gradient program through it is refused.

    Example:
        >>> import gradviz as gv
        >>> class Cube(gv.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x * x * x
        ...
        ...     @staticmethod
        ...     def backward(ctx, g):
        ...         (x,) = ctx.saved_tensors
        ...         return g * 3.0 * x * x
        >>> x = gv.tensor([2.0], requires_grad=True)
        >>> Cube.apply(x).backward()[x].tolist()
        [12.0]
    """

    forward: ClassVar[Callable[..., Any]]
    backward: ClassVar[Callable[..., Any]]
    setup_context: ClassVar[Callable[..., Any] | None] = None

    def __new__(cls, *_: Any, **__: Any) -> NoReturn:
        """Refuses: there are no objects of it."""
        raise wrong(
            cls,
            "it is applied, not made",
            "`forward` and `backward` are static: there are no objects of a function.",
            f"Write `{cls.__name__}.apply(...)`.",
        )

    @classmethod
    def apply(cls, *arguments: Any) -> Any:
        """Runs `forward`, and makes `backward` the way of the gradient through its results.

        Args:
            arguments: what `forward` takes behind its context; tensors among them are the inputs,
                those inside of lists or dicts are not.

        Returns:
            What `forward` returned: a tensor, or a tuple.

        Raises:
            GradvizError: `invalid-argument` for a class or a result that makes no sense,
                `different-backends`. In a backward pass: `invalid-argument` or `shape-mismatch`
                for what `backward` returned; the graph is whole then.
        """
        call = Call(cls, arguments)
        with GradMode(False):
            given = call.forward()
        single = not isinstance(given, tuple | list)
        with CallSite():
            made = call.results((given,) if single else tuple(given))
        return made[0] if single else tuple(made)
