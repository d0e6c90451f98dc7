"""Branches and loops of a model, where the file itself says which way they go.

A recorded program has neither: a branch whose condition is known while the model is read is put in
the place of its node, and a loop whose number of turns is known is written out turn by turn. What
depends on the numbers of a run is refused, together with everything else that has no counterpart.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol

from gradviz.core.shape import count
from gradviz.onnx.read.bodies import Body
from gradviz.onnx.read.call import Item, axis_of, rows, solid
from gradviz.onnx.read.folding import MOST_ELEMENTS
from gradviz.onnx.read.refusal import UnreadableError
from gradviz.tensor.base import Tensor
from gradviz.tensor.creation import tensor as tensor_of
from gradviz.tensor.creation import zeros

MOST_TURNS: Final = 4096
"""Turns of a loop that are written out."""
MOST_NODES: Final = 50_000
"""Nodes of branches and loops that are read in all, each as often as it is written out."""
TOO_MANY: Final = f"its branches and loops hold more than {MOST_NODES} nodes, written out"


class DependentError(Exception):
    """Control flow that only a run decides."""


class Surroundings(Protocol):
    """What the reading of a model does for a node with graphs inside."""

    opset: int

    def body(self, node: Any, name: str) -> Body:
        """The graph that an attribute of a node holds."""

    def inside(self, body: Body, given: list[Item], label: str) -> list[Item] | None:
        """What a body gives for its inputs; None where some of it has no counterpart."""

    def lift(self, item: Item) -> Tensor:
        """The recording's tensor of a value."""


Run = Callable[[Surroundings, Any, list[Item | None]], list[Item] | None]


def if_(reading: Surroundings, node: Any, items: list[Item | None]) -> list[Item] | None:
    """The branch that the condition chooses."""
    chosen = _truth(items[0] if items else None, "which branch it takes")
    branch = "then_branch" if chosen else "else_branch"
    return reading.inside(reading.body(node, branch), [], branch)


def loop(reading: Surroundings, node: Any, items: list[Item | None]) -> list[Item] | None:
    """The turns of a loop, one after the other."""
    most = _turns(items[0] if items else None)
    go = len(items) < 2 or items[1] is None or _truth(items[1], "whether it begins")
    if most is not None and most > MOST_TURNS and (len(items) < 2 or items[1] is None):
        raise _too_long(most)
    body = reading.body(node, "body")
    carried = _there(items[2:])
    _ensure_form(body, len(body.inputs) == 2 + len(carried) <= 1 + len(body.outputs))
    parts: list[list[Item]] = [[] for _ in body.outputs[1 + len(carried) :]]
    turn = 0
    while go and (most is None or turn < most):
        if turn >= MOST_TURNS:
            raise _too_long(most)
        given = [_fixed(turn, "int64"), _fixed(True, "bool"), *carried]
        found = reading.inside(body, given, str(turn))
        if found is None:
            return None
        go = _truth(found[0], "whether it goes on")
        carried = found[1 : 1 + len(carried)]
        for part, item in zip(parts, found[1 + len(carried) :], strict=True):
            part.append(item)
        turn += 1
    declared = body.declared[1 + len(carried) :]
    return carried + [
        _stacked(reading, part, 0, shape) for part, shape in zip(parts, declared, strict=True)
    ]


def scan(reading: Surroundings, node: Any, items: list[Item | None]) -> list[Item] | None:
    """A body for every part of some inputs along an axis."""
    if reading.opset < 9:
        raise UnreadableError("its form is that of opset 8")
    numbers = {item.name: item for item in node.attribute}
    many = int(numbers["num_scan_inputs"].i) if "num_scan_inputs" in numbers else 0
    body = reading.body(node, "body")
    given = _there(items)
    _ensure_form(body, 1 <= many <= len(given) == len(body.inputs))
    carried, read = given[: len(given) - many], [reading.lift(item) for item in given[-many:]]
    made = len(body.outputs) - len(carried)
    _ensure_form(body, made >= 0)

    def listed(name: str, length: int) -> list[int]:
        found = list(numbers[name].ints) if name in numbers else [0] * length
        _ensure_form(body, len(found) == length)
        return found

    axes = [
        axis_of(int(at), len(x.shape))
        for at, x in zip(listed("scan_input_axes", many), read, strict=True)
    ]
    back = listed("scan_input_directions", many)
    lengths = {solid(x.shape[at], "how often it runs") for at, x in zip(axes, read, strict=True)}
    _ensure_form(body, len(lengths) == 1)
    (length,) = lengths
    if length > MOST_TURNS:
        raise _too_long(length)
    parts: list[list[Item]] = [[] for _ in range(made)]
    for turn in range(length):
        now = [
            Item(live=rows.slice(x, (*[slice(None)] * at, length - 1 - turn if b else turn)))
            for x, at, b in zip(read, axes, back, strict=True)
        ]
        found = reading.inside(body, [*carried, *now], str(turn))
        if found is None:
            return None
        carried = found[: len(carried)]
        for part, item in zip(parts, found[len(carried) :], strict=True):
            part.append(item)
    out = zip(
        parts,
        listed("scan_output_axes", made),
        listed("scan_output_directions", made),
        body.declared[len(carried) :],
        strict=True,
    )
    return carried + [
        _stacked(reading, part[::-1] if b else part, int(at), shape) for part, at, b, shape in out
    ]


CONTROL: Final[dict[str, Run]] = {"If": if_, "Loop": loop, "Scan": scan}
"""Operations with graphs inside."""


def _truth(item: Item | None, what: str) -> bool:
    if item is None:
        raise UnreadableError("its condition is missing")
    if item.fixed is None:
        raise DependentError(f"{what} depends on values")
    if count(tuple(item.fixed.shape)) != 1:
        raise UnreadableError("its condition is no single truth value")
    return bool(item.fixed.reshape(()).item())


def _turns(item: Item | None) -> int | None:
    if item is None:
        return None
    if item.fixed is None:
        if item.sizes is None:
            raise DependentError("how often it runs depends on values")
        sizes = item.sizes if isinstance(item.sizes, tuple) else (item.sizes,)
        raise DependentError(
            f"how often it runs depends on the size {sizes[0]}, which is left open"
        )
    if item.fixed.dtype.kind != "i" or count(tuple(item.fixed.shape)) != 1:
        raise UnreadableError("its number of turns is no whole number")
    return int(item.fixed.reshape(()).item())


def _too_long(turns: int | None) -> DependentError:
    often = "more often than that" if turns is None else f"up to {turns} times"
    return DependentError(f"at most {MOST_TURNS} turns are written out, and it runs {often}")


def _there(items: list[Item | None]) -> list[Item]:
    found = [item for item in items if item is not None]
    if len(found) != len(items):
        raise UnreadableError("one of its inputs is missing")
    return found


def _ensure_form(body: Body, fits: bool) -> None:
    if not fits:
        counts = f"{len(body.inputs)} inputs and {len(body.outputs)} outputs"
        raise UnreadableError(f"its body of {counts} doesn't fit")


def _fixed(value: Any, dtype: str) -> Item:
    return Item(fixed=tensor_of(value, dtype=dtype))


def _stacked(
    reading: Surroundings,
    parts: list[Item],
    axis: int,
    declared: tuple[str, tuple[int, ...]] | None,
) -> Item:
    """What all turns gave, in a new dimension."""
    if not parts:
        if declared is None:
            raise UnreadableError("it never runs, and doesn't say what shape its results have")
        dtype, sizes = declared
        place = axis_of(axis, len(sizes) + 1)
        return Item(fixed=zeros(*sizes[:place], 0, *sizes[place:], dtype=dtype))
    place = axis_of(axis, len(parts[0].shape) + 1)
    fixed = [item.fixed for item in parts if item.fixed is not None and not item.learned]
    if len(fixed) == len(parts) and sum(count(tuple(x.shape)) for x in fixed) <= MOST_ELEMENTS:
        return Item(fixed=rows.stack(fixed, place))
    return Item(live=rows.stack([reading.lift(item) for item in parts], place))
