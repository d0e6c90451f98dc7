"""Parts of tensors, and what is put into them."""

from __future__ import annotations

from typing import Any

from gradviz.backends.ndarray import exchange
from gradviz.onnx.builder import HIGHEST, LOWEST, Builder, size_of
from gradviz.onnx.registry import plain, writes
from gradviz.onnx.value import Value
from gradviz.onnx.write.movement import padded
from gradviz.ops.indexing import sliced
from gradviz.ops.symbolic import through

Dims = tuple[int, ...]
Index = tuple[Any, ...]


def cut(b: Builder, x: Value, index: Index) -> Any:
    """`x[index]` for slices, whole numbers and None."""
    starts, ends, axes, steps = [], [], [], []
    dropped, added = [], []
    at = place = 0
    for item in index:
        if item is None:
            added.append(place)
            place += 1
            continue
        if isinstance(item, slice):
            if item != slice(None):
                step = 1 if item.step is None else item.step
                low, high = (0, HIGHEST) if step > 0 else (HIGHEST, LOWEST)
                starts.append(low if item.start is None else item.start)
                ends.append(high if item.stop is None else item.stop)
                axes.append(at)
                steps.append(step)
            place += 1
        else:
            dropped.append((at, int(item)))
        at += 1
    if len(dropped) == 1 and not axes:
        x = b.Gather(x, b.constant(dropped[0][1], "int64"), axis=dropped[0][0])
    else:
        for axis, item in dropped:
            starts.append(item)
            ends.append(HIGHEST if item == -1 else item + 1)
            axes.append(axis)
            steps.append(1)
        if axes:
            x = b.Slice(x, starts, ends, axes, None if set(steps) == {1} else steps)
        if dropped:
            x = b.Squeeze(x, [axis for axis, _ in dropped])
    return b.Unsqueeze(x, added) if added else x


@writes("slice")
def slice_(b: Builder, x: Value, index: Index) -> Any:
    return cut(b, x, index)


def _spots(b: Builder, shape: Dims, index: Index) -> Any:
    """Where the elements of a part lie in the whole laid flat, as a vector."""
    sizes = b.shape(shape)
    count = b.op("ReduceProd", sizes, keepdims=0)
    if all(isinstance(size, int) for size in shape):
        count = b.constant(size_of(shape), "int64")
    table = b.reshape(b.Range(b.constant(0, "int64"), count, 1), shape)
    return b.flat(cut(b, table, index))


def _into(b: Builder, whole: Value, shape: Dims, spots: Any, values: Any, **how: Any) -> Any:
    """Elements put where `spots` says, the whole laid flat for it."""
    flat = b.ScatterElements(b.flat(whole), spots, b.flat(values), axis=0, **how)
    return b.reshape(flat, shape)


def _borders(
    shape: Dims, index: Index
) -> tuple[list[int], list[int], list[tuple[int, int]]] | None:
    """How zeros around a part give the whole: dimensions to add and to drop first, and widths.

    None where the part has gaps, or sizes that it depends on aren't known.
    """
    added, dropped, widths = [], [], []
    at = place = 0
    for item in index:
        if item is None:
            dropped.append(place)
            place += 1
            continue
        size: Any = shape[at]
        if item == slice(None):
            widths.append((0, 0))
        elif not isinstance(size, int):
            return None
        elif isinstance(item, slice):
            start, stop, step = item.indices(size)
            if step != 1:
                return None
            widths.append((start, size - max(stop, start)))
        else:
            added.append(at)
            widths.append((item % size, size - 1 - item % size))
        place += not isinstance(item, int)
        at += 1
    return added, dropped, widths + [(0, 0)] * (len(shape) - at)


@writes("slice_backward")
def slice_backward(b: Builder, g: Value, shape: Dims, index: Index) -> Any:
    found = _borders(shape, index)
    if found is not None:
        added, dropped, widths = found
        part = b.Squeeze(g, dropped) if dropped else g
        part = b.Unsqueeze(part, added) if added else part
        return padded(b, part, tuple(widths))
    return _into(b, b.full(0, g.dtype, shape), shape, _spots(b, shape, index), g)


@writes("slice_assign")
def slice_assign(b: Builder, x: Value, values: Value, index: Index) -> Any:
    if not x.rank:
        return values
    wide = b.Expand(values, b.shape(through(sliced, x.dims, index)))
    return _into(b, x, x.dims, _spots(b, x.dims, index), wide)


@writes("slice_fill")
def slice_fill(b: Builder, x: Value, index: Index, value: float) -> Any:
    spots = _spots(b, x.dims, index)
    wide = b.Expand(b.constant(value, x.dtype), b.Shape(spots))
    return _into(b, x, x.dims, spots, wide)


def _one_vector(index: Index) -> tuple[int, Any] | None:
    """The dimension and the array of an index that is full but for one array."""
    arrays = [(at, item) for at, item in enumerate(index) if hasattr(item, "shape")]
    others = [item for item in index if not hasattr(item, "shape")]
    return arrays[0] if len(arrays) == 1 and all(o == slice(None) for o in others) else None


@writes("index")
def index(b: Builder, x: Value, index: Index) -> Any:
    one = _one_vector(index)
    if one is not None:
        return b.Gather(x, b.array(one[1].astype("int64")), axis=one[0])
    spots = exchange.places(b.fixed(x.dims), index)
    return b.Gather(b.flat(x), b.array(spots), axis=0)


@writes("index_backward")
def index_backward(b: Builder, g: Value, shape: Dims, index: Index) -> Any:
    spots = b.array(exchange.places(b.fixed(shape), index).reshape(-1))
    return _into(b, b.full(0, g.dtype, shape), shape, spots, g, reduction="add")


@writes("gather")
def gather(b: Builder, x: Value, index: Value, dim: int) -> Any:
    if not x.rank:
        return b.Gather(b.flat(x), index, axis=0)
    return plain(b, x, index, axis=dim)


@writes("gather_backward")
def gather_backward(b: Builder, g: Value, index: Value, shape: Dims, dim: int) -> Any:
    if not shape:
        return b.ReduceSum(g, keepdims=0)
    return b.ScatterElements(b.full(0, g.dtype, shape), index, g, axis=dim, reduction="add")


def _fitted(b: Builder, values: Value, index: Value) -> Any:
    """The values that an index has places for."""
    if values.dims == index.dims:
        return values
    sizes = b.shape(index.dims)
    return b.Slice(values, [0] * index.rank, sizes, list(range(index.rank)))


@writes("scatter")
def scatter(b: Builder, x: Value, index: Value, values: Value, dim: int) -> Any:
    if not x.rank:
        return b.reshape(values, ()) if size_of(b.fixed(index.dims)) else x
    return plain(b, x, index, _fitted(b, values, index), axis=dim)


@writes("scatter_add")
def scatter_add(b: Builder, x: Value, index: Value, values: Value, dim: int) -> Any:
    if not x.rank:
        return b.reshape(x + values, ()) if size_of(b.fixed(index.dims)) else x
    return b.ScatterElements(x, index, _fitted(b, values, index), axis=dim, reduction="add")


@writes("take")
def take(b: Builder, x: Value, index: Value, dim: int) -> Any:
    return plain(b, x if x.rank else b.flat(x), index, axis=dim)


@writes("index_select")
def index_select(b: Builder, x: Value, index: Value, dim: int) -> Any:
    if not x.rank:
        return x
    return plain(b, x, index if index.rank == 1 else b.flat(index), axis=dim)


@writes("embedding")
def embedding(b: Builder, index: Value, weight: Value, padding_idx: int | None) -> Any:
    return plain(b, weight, index, axis=0)


def added_at(b: Builder, whole: Any, rank: int, index: Any, values: Any, dim: int, how: str) -> Any:
    """Slices put into `whole` where a vector of indices along one dimension says.

    `values` has that dimension first.
    """
    order = [dim, *(at for at in range(rank) if at != dim)]
    front = b.transpose(whole, order)
    column = b.Unsqueeze(b.flat(index), [1])
    reduction = None if how == "assign" else how
    found = b.ScatterND(front, column, values, reduction=reduction)
    return b.transpose(found, [order.index(at) for at in range(rank)])


@writes("take_backward")
def take_backward(b: Builder, g: Value, index: Value, shape: Dims, dim: int) -> Any:
    if not shape:
        return b.ReduceSum(g, keepdims=0)
    inner = index.rank
    order = [*range(dim, dim + inner), *range(dim), *range(dim + inner, g.rank)]
    rest = [n for at, n in enumerate(shape) if at != dim]
    many = [size_of(b.fixed(index.dims))]
    values = b.reshape(b.transpose(g, order), [*many, *rest])
    return added_at(b, b.full(0, g.dtype, shape), len(shape), index, values, dim, "add")


@writes("embedding_backward")
def embedding_backward(
    b: Builder, g: Value, index: Value, shape: Dims, padding_idx: int | None
) -> Any:
    values = b.reshape(g, [-1, shape[1]]) if shape[1] else b.full(0, g.dtype, (0, 0))
    out = added_at(b, b.full(0, g.dtype, shape), 2, index, values, 0, "add")
    if padding_idx is None:
        return out
    kept = [0.0 if at == padding_idx % shape[0] else 1.0 for at in range(b.fixed(shape)[0])]
    return out * b.constant(kept, g.dtype, (shape[0], 1))


@writes("tril", "triu")
def triangle(b: Builder, x: Value, diagonal: int) -> Any:
    number = b.constant(diagonal, "int64") if diagonal else None
    return plain(b, x, number, upper=int(b.row.name == "triu"))
