"""Switches around computations: recording on or off, and named scopes."""

from __future__ import annotations

from gradviz.core.context import GradMode, ScopeBlock, current
from gradviz.errors import GradvizTypeError, fail


def no_grad() -> GradMode:
    """Records nothing inside a `with` block, or inside the function it decorates.

    Example:
        >>> import gradviz as gv
        >>> x = gv.tensor([1.0], requires_grad=True)
        >>> with gv.no_grad():
        ...     print((x * 2.0).requirement)
        none
    """
    return GradMode(False)


def enable_grad() -> GradMode:
    """Records again inside a `with` block that lies within `no_grad`.

    Example:
        >>> import gradviz as gv
        >>> with gv.no_grad(), gv.enable_grad():
        ...     print(gv.is_grad_enabled())
        True
    """
    return GradMode(True)


def is_grad_enabled() -> bool:
    """Whether operations on tracked tensors are recorded here.

    Example:
        >>> import gradviz as gv
        >>> gv.is_grad_enabled()
        True
    """
    return current().grad_enabled


def scope(label: str) -> ScopeBlock:
    """Groups what is computed inside a `with` block under a label, for pictures.

    Args:
        label: what to write on the group; scopes nest.

    Raises:
        GradvizError: `invalid-argument` for a label that is no text.

    Example:
        >>> import gradviz as gv
        >>> with gv.scope("encoder"):
        ...     h = gv.ones(2) * 2.0
        >>> gv.graph(h).groups[0].label
        'encoder'
    """
    if not isinstance(label, str):
        raise fail(
            "invalid-argument",
            operation="scope",
            complaint=f"the label must be text, not {type(label).__name__}",
            advice='Write `with gv.scope("encoder"):`.',
            error=GradvizTypeError,
        )
    return ScopeBlock(label)
