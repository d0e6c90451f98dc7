"""Parts of tensors."""

from __future__ import annotations

import itertools
from typing import Any

from gradviz.core.context import CallSite
from gradviz.errors import fail
from gradviz.tensor import canon, functions
from gradviz.tensor.base import Tensor
from gradviz.tensor.indexing import getitem


def split(input: Any, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Parts of a tensor along one dimension.

    Args:
        input: a tensor.
        split_size: the size of each part (the last may be smaller), or a list of sizes.
        dim: the dimension.

    Raises:
        GradvizError: `invalid-argument` where the sizes don't add up.

    Example:
        >>> import gradviz as gv
        >>> [part.tolist() for part in gv.arange(3).split(2)]
        [[0, 1], [2]]
    """
    x = canon.tensor("split", input)
    at = canon.existing_dim("split", dim, x)
    length = x.shape[at]
    if isinstance(split_size, list | tuple):
        sizes = list(canon.whole_numbers("split", "split_size", split_size))
        if sum(sizes) != length or any(size < 0 for size in sizes):
            raise fail(
                "invalid-argument",
                operation="split",
                complaint=f"sizes {sizes} don't add up to {length}",
                advice="Give sizes whose sum is the dimension's.",
            )
        return _parts(x, at, sizes)
    step = canon.whole_number("split", "split_size", split_size)
    if step < 0 or (step == 0 and length):
        raise fail(
            "invalid-argument",
            operation="split",
            complaint=f"{length} elements can't be split into parts of size {step}",
            advice="Give a size of at least 1.",
        )
    step = step or 1
    rest = length % step
    return _parts(x, at, [step] * (length // step) + ([rest] if rest or not length else []))


def _parts(x: Tensor, at: int, sizes: list[int]) -> tuple[Tensor, ...]:
    before = (slice(None),) * at
    ends = list(itertools.accumulate(sizes, initial=0))
    with CallSite():
        return tuple(
            [getitem(x, (*before, slice(start, end))) for start, end in itertools.pairwise(ends)]
        )


def chunk(input: Any, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` parts of equal size along one dimension (the last may be smaller).

    Raises:
        GradvizError: `invalid-argument` for less than one chunk, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> [part.tolist() for part in gv.arange(5).chunk(2)]
        [[0, 1, 2], [3, 4]]
    """
    x = canon.tensor("chunk", input)
    at = canon.existing_dim("chunk", dim, x)
    count = canon.whole_number("chunk", "chunks", chunks)
    if count < 1:
        raise fail(
            "invalid-argument",
            operation="chunk",
            complaint=f"{count} chunks can't be made",
            advice="Ask for at least one.",
        )
    length = x.shape[at]
    if not length:
        # Nothing to share out: as many empty parts as were asked for, as in PyTorch.
        return _parts(x, at, [0] * count)
    step = -(-length // count)
    rest = length % step
    return _parts(x, at, [step] * (length // step) + ([rest] if rest else []))


def unbind(input: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """The slices along one dimension, without it.

    Raises:
        GradvizError: `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> [row.tolist() for row in gv.ones(2, 1).unbind()]
        [[1.0], [1.0]]
    """
    x = canon.tensor("unbind", input)
    at = canon.existing_dim("unbind", dim, x)
    before = (slice(None),) * at
    with CallSite():
        return tuple(getitem(x, (*before, index)) for index in range(x.shape[at]))


def narrow(input: Any, dim: int, start: int, length: int) -> Tensor:
    """`length` elements of one dimension from `start` on.

    Raises:
        GradvizError: `index-out-of-range`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.arange(5).narrow(0, 1, 2).tolist()
        [1, 2]
    """
    x = canon.tensor("narrow", input)
    at = canon.existing_dim("narrow", dim, x)
    begin = canon.whole_number("narrow", "start", start)
    count = canon.whole_number("narrow", "length", length)
    size = x.shape[at]
    first = begin + size if begin < 0 else begin
    if count < 0 or first < 0 or first + count > size:
        raise fail(
            "index-out-of-range",
            operation="narrow",
            complaint=f"start {begin}, length {count} don't lie in dimension {at} of size {size}",
            advice="Choose a part inside the dimension.",
        )
    with CallSite():
        return getitem(x, (slice(None),) * at + (slice(first, first + count),))


def select(input: Any, dim: int, index: int) -> Tensor:
    """One slice of a dimension, without it.

    Raises:
        GradvizError: `index-out-of-range`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.arange(4).reshape(2, 2).select(1, 0).tolist()
        [0, 2]
    """
    x = canon.tensor("select", input)
    at = canon.existing_dim("select", dim, x)
    place = canon.whole_number("select", "index", index)
    with CallSite():
        return getitem(x, (slice(None),) * at + (place,))


def diagonal(input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The diagonal of two dimensions, which becomes the last one.

    Args:
        input: a tensor of at least two dimensions.
        offset: 0 is the main diagonal, positive lies above it, negative below.
        dim1: the dimension of rows.
        dim2: the dimension of columns.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.diagonal(gv.arange(4).reshape(2, 2)).tolist()
        [0, 3]
    """
    x = canon.tensor("diagonal", input)
    rows = canon.existing_dim("diagonal", dim1, x)
    columns = canon.existing_dim("diagonal", dim2, x)
    shift = canon.whole_number("diagonal", "offset", offset)
    if rows == columns:
        raise fail(
            "invalid-argument",
            operation="diagonal",
            complaint=f"dim1 and dim2 are both dimension {rows}",
            advice="Name two different dimensions.",
        )
    down, right = (-shift, 0) if shift < 0 else (0, shift)
    length = max(min(x.shape[rows] - down, x.shape[columns] - right), 0)
    rest = [at for at in range(x.ndim) if at not in (rows, columns)]
    with CallSite():
        moved = functions.permute(x, *rest, rows, columns)
        every = (slice(None),) * len(rest)
        places = range(length)
        index = ([at + down for at in places], [at + right for at in places])
        return getitem(moved, (*every, *index))
