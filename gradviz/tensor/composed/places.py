"""Diagonals, repeats, turns; adding and filling by index."""

from __future__ import annotations

from typing import Any

from gradviz.core.context import CallSite
from gradviz.errors import fail
from gradviz.ops import shapes
from gradviz.tensor import canon, functions
from gradviz.tensor.base import Tensor
from gradviz.tensor.composed.parts import diagonal as matrix_diagonal
from gradviz.tensor.composed.parts import narrow
from gradviz.tensor.creation import arange
from gradviz.tensor.general import general, row_of
from gradviz.tensor.indexing import checked_index
from gradviz.tensor.values import read

_index_add, _index_fill, _index_copy = (
    row_of("index_add"),
    row_of("index_fill"),
    row_of("index_copy"),
)
_index_backward, _take = row_of("index_backward"), row_of("take")


def _indexed(operation: str, input: Any, dim: Any, index: Any) -> tuple[Tensor, int, Tensor]:
    x = canon.tensor(operation, input)
    at = canon.dim(operation, dim, x)
    return x, at, checked_index(operation, index, x, at, negative=False)


def index_add(input: Any, dim: int, index: Any, source: Any, *, alpha: Any = 1) -> Tensor:
    """A new tensor that is `input` with slices of `source` added where the index says.

    Args:
        input: a tensor.
        dim: the dimension.
        index: a vector of whole numbers, one for each slice.
        source: the slices.
        alpha: a factor for the source.

    Raises:
        GradvizError: `shape-mismatch`, `index-out-of-range`, `invalid-dtype`.

    Example:
        >>> import gradviz as gv
        >>> gv.zeros(3).index_add(0, gv.tensor([1, 1]), gv.tensor([5.0, 2.0])).tolist()
        [0.0, 7.0, 0.0]
    """
    with CallSite():
        x, at, places = _indexed("index_add", input, dim, index)
        factor = canon.number_for("index_add", "alpha", alpha, x)
        added = source if factor == 1 else functions.mul(source, factor)
        result: Tensor = general(_index_add, [x, places, added], (at,))
        return result


def index_fill(input: Any, dim: int, index: Any, value: Any) -> Tensor:
    """A new tensor that is `input` with one number in the slices that the index names.

    Args:
        input: a tensor.
        dim: the dimension.
        index: a vector of whole numbers.
        value: a number, or a tensor without dimensions, which may be tracked.

    Raises:
        GradvizError: `index-out-of-range`, `invalid-dtype`.

    Example:
        >>> import gradviz as gv
        >>> gv.zeros(3).index_fill(0, gv.tensor([1]), 5.0).tolist()
        [0.0, 5.0, 0.0]
    """
    with CallSite():
        x, at, places = _indexed("index_fill", input, dim, index)
        if isinstance(value, Tensor):
            count = places.size
            wanted = (*x.shape[:at], count, *x.shape[at + 1 :]) if x.shape else (count,)
            filled = functions.expand(value.to(dtype=x.dtype), wanted)
            copied: Tensor = general(_index_copy, [x, places, filled], (at,))
            return copied
        number = canon.fill_value("index_fill", value, x)
        result: Tensor = general(_index_fill, [x, places], (at, number))
        return result


def take_along_dim(input: Any, indices: Any, dim: Any = None) -> Tensor:
    """Elements chosen along one dimension by indices that broadcast with the tensor.

    Args:
        input: a tensor.
        indices: an integer tensor of as many dimensions.
        dim: the dimension; None takes the tensor as one row.

    Raises:
        GradvizError: `shape-mismatch`, `index-out-of-range`, `invalid-dtype`.

    Example:
        >>> import gradviz as gv
        >>> x = gv.tensor([[3.0, 1.0, 2.0]])
        >>> gv.take_along_dim(x, x.argsort(1), 1).tolist()
        [[1.0, 2.0, 3.0]]
    """
    with CallSite():
        x = canon.tensor("take_along_dim", input)
        chosen = canon.tensor("take_along_dim", indices, lists=True)
        if dim is None:
            return functions.gather(functions.flatten(x), 0, functions.flatten(chosen))
        at = canon.existing_dim("take_along_dim", dim, x)
        if chosen.ndim != x.ndim:
            raise shapes.mismatch(
                "take_along_dim",
                x.shape,
                chosen.shape,
                "the indices must have as many dimensions as the tensor.",
                "Reshape the indices, or use `index_select`.",
            )
        ones = tuple(1 if axis == at else n for axis, n in enumerate(x.shape))
        others = tuple(1 if axis == at else n for axis, n in enumerate(chosen.shape))
        common = shapes.broadcast("take_along_dim", ones, others)
        wide = tuple(x.shape[at] if axis == at else n for axis, n in enumerate(common))
        places = tuple(chosen.shape[at] if axis == at else n for axis, n in enumerate(common))
        return functions.gather(functions.expand(x, wide), at, functions.expand(chosen, places))


def take(input: Any, index: Any) -> Tensor:
    """Elements of the tensor taken as one row, in the shape of the index.

    Example:
        >>> import gradviz as gv
        >>> gv.take(gv.tensor([[1.0, 2.0], [3.0, 4.0]]), gv.tensor([3, 0])).tolist()
        [4.0, 1.0]
    """
    with CallSite():
        flat = functions.flatten(canon.tensor("take", input))
        result: Tensor = general(_take, [flat, checked_index("take", index, flat, 0)], (0,))
        return result


def repeat_interleave(input: Any, repeats: Any, dim: Any = None) -> Tensor:
    """Every slice repeated on the spot.

    Args:
        input: a tensor.
        repeats: how often: one number, or one for each slice.
        dim: the dimension; None takes the tensor as one row.

    Raises:
        GradvizError: `invalid-argument`, `shape-mismatch`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.repeat_interleave(gv.tensor([1, 2]), 2).tolist()
        [1, 1, 2, 2]
    """
    name = "repeat_interleave"
    with CallSite():
        x = canon.tensor(name, input)
        if dim is None:
            x, dim = functions.flatten(x), 0
        at = canon.existing_dim(name, dim, x)
        length = x.shape[at]
        given = read(repeats, name).tolist() if isinstance(repeats, Tensor) else repeats
        given = given.tolist() if hasattr(given, "tolist") else given
        counts = canon.whole_numbers(name, "repeats", given)
        if len(counts) == 1:
            counts = counts * length
        if len(counts) != length or any(count < 0 for count in counts):
            raise fail(
                "invalid-argument",
                operation=name,
                complaint=f"{len(counts)} counts for {length} slices, or one below 0",
                advice="Give one count of at least 0, or one for each slice.",
            )
        index = [place for place, count in enumerate(counts) for _ in range(count)]
        return functions.index_select(x, at, index)


def diff(input: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Tensor:
    """Differences of neighbours along one dimension, taken `n` times.

    Args:
        input: a tensor.
        n: how often.
        dim: the dimension.
        prepend: a tensor to put in front first, or None.
        append: a tensor to put behind first, or None.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.diff(gv.tensor([1.0, 4.0, 9.0])).tolist()
        [3.0, 5.0]
    """
    with CallSite():
        x = canon.tensor("diff", input)
        at = canon.existing_dim("diff", dim, x)
        times = canon.whole_from("diff", "n", n, 0)
        parts = [part for part in (prepend, x, append) if part is not None]
        if len(parts) > 1:
            x = functions.cat(parts, at)
        for _ in range(times):
            length = max(x.shape[at] - 1, 0)
            later = narrow(x, at, min(1, x.shape[at]), length)
            x = (
                functions.ne(later, narrow(x, at, 0, length))
                if x.dtype.kind == "b"
                else functions.sub(later, narrow(x, at, 0, length))
            )
        return x


def diag_embed(input: Any, offset: int = 0) -> Tensor:
    """Matrices with the last dimension on a diagonal and zeros elsewhere.

    Args:
        input: a tensor of at least one dimension.
        offset: 0 is the main diagonal, positive lies above it, negative below.

    Raises:
        GradvizError: `dimension-out-of-range` for a tensor without dimensions.

    Example:
        >>> import gradviz as gv
        >>> gv.diag_embed(gv.tensor([1.0, 2.0])).tolist()
        [[1.0, 0.0], [0.0, 2.0]]
    """
    with CallSite():
        x = canon.tensor("diag_embed", input)
        canon.existing_dim("diag_embed", 0, x)
        shift = canon.whole_number("diag_embed", "offset", offset)
        length = x.shape[-1]
        size = length + abs(shift)
        rows, columns = _numbers(max(-shift, 0), length), _numbers(max(shift, 0), length)
        every = (slice(None),) * (x.ndim - 1)
        shape = (*x.shape[:-1], size, size)
        result: Tensor = general(_index_backward, [x], (shape, (*every, rows, columns)))
        return result


def _numbers(start: int, length: int) -> Any:
    """The array of whole numbers from `start` on."""
    return arange(start, start + length, device="ndarray").prim


def diag(input: Any, diagonal: int = 0) -> Tensor:
    """A vector as the diagonal of a matrix, or the diagonal of a matrix as a vector.

    Raises:
        GradvizError: `invalid-argument` for more than two dimensions.

    Example:
        >>> import gradviz as gv
        >>> gv.diag(gv.tensor([[1.0, 2.0], [3.0, 4.0]])).tolist()
        [1.0, 4.0]
    """
    with CallSite():
        x = canon.tensor("diag", input)
        if x.ndim == 1:
            return diag_embed(x, diagonal)
        canon.rank("diag", x, 2)
        return matrix_diagonal(x, diagonal)


def fliplr(input: Any) -> Tensor:
    """Left and right exchanged: the second dimension backwards.

    Example:
        >>> import gradviz as gv
        >>> gv.fliplr(gv.tensor([[1, 2]])).tolist()
        [[2, 1]]
    """
    with CallSite():
        x = canon.tensor("fliplr", input)
        canon.matrices("fliplr", x)
        return functions.flip(x, 1)


def flipud(input: Any) -> Tensor:
    """Up and down exchanged: the first dimension backwards.

    Example:
        >>> import gradviz as gv
        >>> gv.flipud(gv.tensor([1, 2])).tolist()
        [2, 1]
    """
    with CallSite():
        return functions.flip(canon.tensor("flipud", input), 0)


def rot90(input: Any, k: int = 1, dims: Any = (0, 1)) -> Tensor:
    """Turned by `k` times 90 degrees in the plane of two dimensions, the first towards the second.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.rot90(gv.tensor([[1, 2], [3, 4]])).tolist()
        [[2, 4], [1, 3]]
    """
    with CallSite():
        x = canon.tensor("rot90", input)
        places = canon.whole_numbers("rot90", "dims", dims)
        if len(places) != 2:
            raise fail(
                "invalid-argument",
                operation="rot90",
                complaint=f"a plane has two dimensions, not {len(places)}",
                advice="Name two dimensions.",
            )
        first, second = (canon.existing_dim("rot90", d, x) for d in places)
        if first == second:
            raise fail(
                "invalid-argument",
                operation="rot90",
                complaint=f"dimensions {places[0]} and {places[1]} are the same",
                advice="Name two different dimensions.",
            )
        turns = canon.whole_number("rot90", "k", k) % 4
        if turns == 2:
            return functions.flip(x, (first, second))
        if turns == 1:
            return functions.transpose(functions.flip(x, second), first, second)
        if turns == 3:
            return functions.flip(functions.transpose(x, first, second), second)
        return x
