"""`x[...]`: from what users write in brackets to the rows of the table."""

from __future__ import annotations

from builtins import slice as Slice  # noqa: N812
from typing import Any

from gradviz.backends.ndarray import selection
from gradviz.core.context import CallSite
from gradviz.dispatch.device import Device
from gradviz.errors import GradvizError, GradvizTypeError, fail
from gradviz.ops import shapes
from gradviz.ops.size import Size
from gradviz.tensor import canon, functions
from gradviz.tensor.base import TENSORS, Tensor, wrap
from gradviz.tensor.general import as_operand, explain, general, row_of
from gradviz.tensor.values import read

_slice, _index, _take = row_of("slice"), row_of("index"), row_of("take")
_gather_nd = row_of("gather_nd")


def getitem(input: Tensor, index: Any) -> Tensor:
    """`x[...]` with whole numbers, slices, None, `...`, masks and integer tensors.

    Args:
        input: a tensor.
        index: what stands in the brackets; steps may be negative.

    Raises:
        GradvizError: `index-out-of-range`, `invalid-argument`; `capture-value-unavailable` for a
            captured mask, whose result would have no known shape.

    Example:
        >>> import gradviz as gv
        >>> x = gv.arange(6).reshape(2, 3)
        >>> x[1].tolist(), x[:, ::2].tolist(), x[x > 3].tolist()
        ([3, 4, 5], [[0, 2], [3, 5]], [4, 5])
    """
    meta = input.node.meta
    kind = index.__class__
    if kind in TENSORS and meta.shape and index.node.meta.category == "int":
        return general(_take, [input, checked_index("index", index, input, 0)], (0,))  # type: ignore[no-any-return]
    if kind is not int and kind is not Slice and _is_single_truth(index):
        # A single truth value keeps all of the tensor or nothing, behind a new dimension.
        with CallSite():
            return getitem(functions.unsqueeze(input, 0), functions.reshape(index, 1))
    if kind is int and meta.shape:
        length = meta.shape[0]
        if length.__class__ is int and -length <= index < length:
            return meta.table.slice(input, (index % length,))  # type: ignore[no-any-return]
    if kind is Slice and meta.shape:
        items = [_sliced(index)]
    else:
        items = canonical(input, index)
        if not all(map(_is_plain, items)):
            with CallSite():
                return _indexed(input, items)
    attrs = (tuple(items),)
    try:
        return meta.table.slice(input, *attrs)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _slice, (input,), attrs) from None


def _is_single_truth(index: Any) -> bool:
    if index.__class__ is bool:
        return True
    dtype = getattr(index, "dtype", None)
    return dtype is not None and dtype.kind == "b" and not getattr(index, "shape", True)


def _indexed(input: Tensor, items: list[Any]) -> Tensor:
    """Whole numbers, slices and None first, then the arrays: as in PyTorch, numbers don't mix."""
    whole = tuple(item if _is_plain(item) else Slice(None) for item in items)
    rest = [
        Slice(None) if _is_plain(item) else item
        for item in items
        if not isinstance(item, int | Size)
    ]
    x = input
    if any(item != Slice(None) for item in whole):
        x = _run(input, _slice, (whole,))
    arrays = [at for at, item in enumerate(rest) if not _is_plain(item)]
    if len(arrays) == 1 and isinstance(rest[arrays[0]], Tensor):
        taken: Tensor = general(_take, [x, rest[arrays[0]]], (arrays[0],))
        return taken
    tensors = [item for item in rest if isinstance(item, Tensor) and item.device.is_capture]
    if any(item.prim.array is None for item in tensors):  # only a run will know the values
        return _gathered(x, rest, arrays)
    return _run(x, _index, (tuple(_array(item) for item in rest),))


def _gathered(x: Tensor, items: list[Any], arrays: list[int]) -> Tensor:
    """Several integer tensors beside each other, some of them known in a run only.

    Their dimensions come where the first one stands, or first where slices lie between them.
    """
    others = [at for at in range(x.ndim) if at not in arrays]
    given = [as_operand("index", items[at], x.device) for at in arrays]
    shape = shapes.broadcast("index", *(tensor.shape for tensor in given))
    joined = functions.stack([functions.expand(tensor, shape) for tensor in given], -1)
    moved = x if arrays == list(range(len(arrays))) else functions.permute(x, (*arrays, *others))
    taken: Tensor = general(_gather_nd, [moved, joined], ())
    together = arrays == list(range(arrays[0], arrays[-1] + 1))
    if not together or not arrays[0]:
        return taken
    rank, before = len(shape), arrays[0]
    order = (*range(rank, rank + before), *range(rank), *range(rank + before, taken.ndim))
    return functions.permute(taken, order)


def _run(input: Tensor, row: Any, attrs: tuple[Any, ...]) -> Tensor:
    with CallSite():
        try:
            result: Tensor = getattr(input.node.meta.table, row.name)(input, *attrs)
        except Exception as error:
            raise explain(error, row, (input,), attrs) from None
    return result


def _is_plain(item: Any) -> bool:
    return item is None or isinstance(item, int | Slice | Size)


def _array(item: Any) -> Any:
    return read(item, "index") if isinstance(item, Tensor) else item


def canonical(x: Tensor, index: Any) -> list[Any]:
    """Whole numbers counted from the front, slices, None and integer tensors, in order.

    Masks become integer arrays; `...` becomes slices; everything is checked against the shape.
    """
    shape = x.node.meta.shape
    items = list(index) if isinstance(index, tuple) else [index]
    expanded = _without_ellipsis(items, len(shape))
    result: list[Any] = []
    at = 0
    for item in expanded:
        if item is None:
            result.append(None)
            continue
        if at >= len(shape):
            raise _too_many(x, index)
        made, used = _item(x, item, at)
        result += made
        at += used
    return result


def _without_ellipsis(items: list[Any], rank: int) -> list[Any]:
    places = [at for at, item in enumerate(items) if item is Ellipsis]
    if not places:
        return items
    if len(places) > 1:
        raise fail(
            "invalid-argument",
            operation="index",
            complaint="only one `...` can stand in an index",
            advice="Write `:` for the other dimensions.",
        )
    used = sum(_rank_of(item) for item in items if item is not Ellipsis and item is not None)
    at = places[0]
    return [*items[:at], *[Slice(None)] * max(rank - used, 0), *items[at + 1 :]]


def _rank_of(item: Any) -> int:
    dtype = getattr(item, "dtype", None)
    if dtype is not None and dtype.kind == "b":
        return max(int(item.ndim), 1)
    return 1


def _item(x: Tensor, item: Any, at: int) -> tuple[list[Any], int]:
    shape = x.node.meta.shape
    if isinstance(item, Slice):
        return [_sliced(item)], 1
    if isinstance(item, bool):
        raise _unusable(item)
    if isinstance(item, int) or (
        hasattr(item, "__index__")
        and not isinstance(item, Tensor)
        and getattr(item, "ndim", 0) == 0
    ):
        number = _number(item)
        length: Any = shape[at]
        if length.__class__ is Size:
            # Whether there are so many elements, a run finds out.
            return [number if number >= 0 else length + number], 1
        if not -length <= number < length:
            raise out_of_range("index", number, length, at)
        return [number % length], 1
    if isinstance(item, list | tuple) or hasattr(item, "dtype"):
        return _chosen(x, item, at)
    raise _unusable(item)


def _sliced(item: Slice) -> Slice:
    parts: list[int | None] = []
    for part in (item.start, item.stop, item.step):
        parts.append(part if part is None or part.__class__ is int else _number(part))
    if parts[2] == 0:
        raise fail(
            "invalid-argument",
            operation="index",
            complaint="a slice's step can't be 0",
            advice="Leave the step out, or give a positive or negative one.",
        )
    return Slice(*parts)


def _number(item: Any) -> int:
    if item.__class__ is Size:
        return item  # type: ignore[return-value]  # it goes where a number would
    try:
        return int(item.__index__())
    except (AttributeError, TypeError):
        raise _unusable(item) from None


def _chosen(x: Tensor, item: Any, at: int) -> tuple[list[Any], int]:
    tensor = places("index", item, x.device)
    if tensor.dtype.kind == "b":
        mask = read(tensor, "mask")
        if not mask.ndim:
            raise _unusable(item)
        wanted = x.shape[at : at + mask.ndim]
        if mask.shape != wanted:
            raise fail(
                "shape-mismatch",
                operation="index",
                lhs=x.shape,
                rhs=mask.shape,
                reason=f"the mask covers dimensions of sizes {wanted}.",
                advice="Give a mask of the shape of the dimensions it selects from.",
            )
        return list(selection.positions(mask)), mask.ndim
    if tensor.dtype.kind not in "iu":
        raise _unusable(item)
    return [checked_index("index", tensor, x, at)], 1


def places(operation: str, index: Any, device: Device) -> Tensor:
    """An index as a tensor; an empty list, which has no dtype, counts as whole numbers."""
    if isinstance(index, Tensor):
        return index
    tensor = as_operand(operation, index, device, lists=True)
    if tensor.size or hasattr(index, "dtype"):
        return tensor
    return tensor.long()


def checked_index(
    operation: str, index: Any, x: Tensor, dim: int, *, negative: bool = True
) -> Tensor:
    """An integer tensor whose values lie in dimension `dim` of `x`, counted from the front."""
    tensor = places(operation, index, x.device)
    if tensor.dtype.kind not in "iu":
        raise fail(
            "invalid-dtype",
            operation=operation,
            complaint=f"the index is {tensor.dtype.name}, not an integer",
            facts=(("operation", operation), ("index dtype", tensor.dtype.name)),
            advice="Convert it with `.long()`.",
        )
    if tensor.device.is_capture:
        return tensor
    length = x.shape[dim] if x.shape else 1
    array = tensor.prim
    if selection.all_below(array, length):
        return tensor
    extremes = selection.extremes(array)
    if extremes is None:
        return tensor
    low, high = extremes
    lowest = -length if negative else 0
    if low < lowest or high >= length:
        raise out_of_range(operation, low if low < lowest else high, length, dim, lowest)
    if low < 0:
        return wrap(selection.wrapped(array, length), tensor.node)
    return tensor


def out_of_range(
    operation: str, number: int, length: int, dim: int, lowest: int | None = None
) -> GradvizError:
    """The error of an index past the end."""
    return fail(
        "index-out-of-range",
        operation=operation,
        complaint=f"index {number} is out of range for dimension {dim} of size {length}",
        facts=(("operation", operation), ("size", str(length))),
        advice=f"Use indices from {-length if lowest is None else lowest} to {length - 1}."
        if length
        else "The dimension has no elements.",
    )


def _too_many(x: Tensor, index: Any) -> GradvizError:
    count = len(index) if isinstance(index, tuple) else 1
    return fail(
        "index-out-of-range",
        operation="index",
        complaint=f"{count} indices for a tensor of {x.ndim} dimensions",
        facts=(("operation", "index"), ("shape", str(x.shape))),
        advice="Give at most one index for each dimension.",
    )


def _unusable(item: Any) -> GradvizError:
    return fail(
        "invalid-argument",
        operation="index",
        complaint=f"a {type(item).__name__} is no index",
        advice="Use whole numbers, slices, None, `...`, bool masks or integer tensors.",
        error=GradvizTypeError,
    )


def slice_assign(input: Any, index: Any, values: Any) -> Tensor:
    """A new tensor that is `input` with `values` at `index`.

    Args:
        input: a tensor.
        index: what would stand in `input[index]`, negative steps included.
        values: a tensor, array or number that broadcasts to the part.

    Raises:
        GradvizError: `shape-mismatch`, `index-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.zeros(3).slice_assign(slice(0, 2), 1.0).tolist()
        [1.0, 1.0, 0.0]
    """
    x = canon.tensor("slice_assign", input)
    items = tuple(canonical(x, index))
    if not all(_is_plain(item) for item in items):
        raise fail(
            "invalid-argument",
            operation="slice_assign",
            complaint="the index must hold whole numbers and slices only",
            advice="Use `gv.where(mask, values, x)` for a mask, `scatter` for integer tensors.",
        )
    result: Tensor = general(row_of("slice_assign"), [x, values], (items,))
    return result


def masked_select(input: Any, mask: Any) -> Tensor:
    """The elements where the mask is true, as a vector.

    Args:
        input: a tensor.
        mask: a bool tensor that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`; `capture-value-unavailable` for a captured mask.

    Example:
        >>> import gradviz as gv
        >>> x = gv.tensor([1.0, 2.0, 3.0])
        >>> gv.masked_select(x, x > 1.5).tolist()
        [2.0, 3.0]
    """
    with CallSite():
        x = canon.tensor("masked_select", input)
        chosen = canon.mask("masked_select", mask, x)
        shape = shapes.broadcast("masked_select", x.shape, chosen.shape)
        if not shape:
            return getitem(functions.reshape(x, 1), functions.reshape(chosen, 1))
        wide = x if x.shape == shape else functions.expand(x, shape)
        return getitem(wide, chosen if chosen.shape == shape else functions.expand(chosen, shape))
