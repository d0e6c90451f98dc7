"""What a failed operation says, in its own terms: shapes, kinds and devices that don't fit."""

from __future__ import annotations

from typing import Any

from gradviz.autodiff.node import Node, history
from gradviz.errors import GradvizError, fail
from gradviz.ops.spec import Row
from gradviz.tensor.base import Tensor

_MOST_COUNTED = 1024


def facts_of(tensors: list[Any]) -> list[Any]:
    """`(shape, dtype name)` of every input, variadic ones laid flat; None for an absent one."""
    found: list[Any] = []
    for item in tensors:
        if isinstance(item, list | tuple):
            found += facts_of(list(item))
        elif item is None:
            found.append(None)
        else:
            meta = item.node.meta
            found.append((meta.shape, meta.dtype_name))
    return found


def different_backends(operation: str, tensors: list[Tensor], outside: Tensor) -> GradvizError:
    """A recording that meets a tensor from outside."""
    inside = next(t for t in tensors if t.node.meta.device.is_capture)
    other = next(t.kind for t in tensors if t.kind != tensors[0].kind)
    return fail(
        "different-backends",
        reason=f"`{operation}` meets a tensor of kind {inside.kind} and one of kind "
        f"{outside.kind}; a recording holds no values from outside unless they are brought in.",
        facts=(
            ("operation", operation),
            ("kinds", f"{tensors[0].kind} and {other}"),
            ("shapes", " and ".join(str(t.shape) for t in tensors)),
        ),
        advice="Pass the outside tensor to the captured function as an input, or bring it in as a "
        "constant with `.to(...)` the capture device.",
        nodes=tuple(t.node.id for t in tensors),
    )


def different_checkpointing(operation: str, tensors: list[Tensor]) -> GradvizError:
    """Tensors of autodiff devices with different checkpointing."""
    found = [t for t in tensors if t.device.is_autodiff]
    # The odd one out is the one with the shorter history: a layer that meets a whole network.
    last = min(found, key=lambda t: history_size(t.node))
    strategies = {str(t.device.checkpointing): t for t in found}
    return fail(
        "different-checkpointing",
        reason=f"`{operation}` meets tensors of devices with checkpointing "
        + " and ".join(repr(s) for s in strategies)
        + "; one graph has one strategy.",
        facts=(
            ("operation", operation),
            ("devices", " and ".join(str(t.device) for t in strategies.values())),
            ("shapes", " and ".join(str(t.shape) for t in tensors)),
        ),
        advice="Create all tensors of one computation on one autodiff device.",
        cause=born(last.node).source,
        nodes=tuple(t.node.id for t in tensors),
    )


def history_size(node: Node) -> int:
    """How many nodes a tensor was computed from, as far as that matters for comparing two."""
    found = [node]
    seen = {node}
    for member in found:
        for parent in member.parents:
            if parent not in seen and len(found) < _MOST_COUNTED:
                seen.add(parent)
                found.append(parent)
    return len(found)


def born(node: Node) -> Node:
    """The leaf a tensor's history begins with: the one made last."""
    leaves = [member for member in history(node) if not member.parents and member.code is not None]
    return max(leaves, key=lambda member: member.id, default=node)


def explain(error: Exception, row: Row, inputs: Any, attrs: tuple[Any, ...]) -> BaseException:
    """The error to raise for what a kernel said, in the operation's own terms."""
    if isinstance(error, GradvizError):
        if error.slug == "capture-scope-closed":
            _blame_handle(error, inputs)
        return error
    better = _said_by_shapes(row, inputs, attrs)
    if better is not None:
        return better
    if isinstance(error, IndexError):
        return fail("index-out-of-range", operation=row.name, complaint=_first_line(error))
    if isinstance(error, ValueError | TypeError | ArithmeticError | MemoryError):
        return fail(
            "invalid-argument",
            operation=row.name,
            complaint=_first_line(error),
            facts=(("operation", row.name), *_shape_facts(inputs)),
        )
    return error


def _said_by_shapes(row: Row, inputs: Any, attrs: tuple[Any, ...]) -> GradvizError | None:
    """What the row's shape rule objects to; None where it has nothing to add."""
    try:
        row.infer(*facts_of(list(inputs)), *attrs)
    except GradvizError as better:
        return better
    except Exception:  # it stumbles over what the kernel stumbled over
        return None
    return None


def _blame_handle(error: GradvizError, inputs: Any) -> None:
    """The cause of a handle used after its scope is where the handle was made."""
    for item in inputs:
        if not isinstance(item, Tensor) or not item.device.is_capture:
            continue
        recording = item.prim.recording
        if recording is not None and not recording.open:
            error.blame(item.node.source)
            return


def _shape_facts(inputs: Any) -> tuple[tuple[str, str], ...]:
    try:
        facts = [fact for fact in facts_of(list(inputs)) if fact is not None]
    except Exception:  # inputs that aren't tensors have no facts
        return ()
    return (
        ("shapes", " and ".join(str(shape) for shape, _ in facts)),
        ("dtypes", " and ".join(dtype for _, dtype in facts)),
    )


def _first_line(error: Exception) -> str:
    text = str(error).strip().splitlines()
    return text[0] if text else type(error).__name__
