"""The error of an operation whose attributes are none: programs may come from anywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradviz.errors import GradvizError, fail

if TYPE_CHECKING:
    from gradviz.core.source import SourceSpan


def stumbled(
    doing: str, op: str, error: Exception, source: SourceSpan | None, outcome: str = "can't run"
) -> GradvizError:
    """What is said where a kernel, a formula or a writer stumbles over an attribute.

    Args:
        doing: what the user asked for.
        op: the operation.
        error: what was raised.
        source: the expression that was recorded.
        outcome: what the operation can't do.
    """
    said = (str(error).splitlines() or [""])[0][:200]
    return fail(
        "invalid-program",
        operation=doing,
        complaint=f"`{op}` {outcome}: {type(error).__name__}: {said}",
        reason="its attributes are none that the operation knows.",
        advice="Capture the program again from the function it came from.",
        cause=source,
    )
