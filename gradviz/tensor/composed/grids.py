"""Triangles, grids, stacks: tensors laid out side by side."""

from __future__ import annotations

from typing import Any

from gradviz.core.context import CallSite
from gradviz.tensor import canon, functions
from gradviz.tensor.base import Tensor
from gradviz.tensor.creation import tensor


def _triangle(name: str, row: int, col: int, offset: int, lower: bool, device: Any) -> Tensor:
    rows, columns = canon.whole_number(name, "row", row), canon.whole_number(name, "col", col)
    shift = canon.whole_number(name, "offset", offset)
    pairs = [
        (r, c)
        for r in range(rows)
        for c in range(columns)
        if (c - r <= shift if lower else c - r >= shift)
    ]
    made = tensor([[r for r, _ in pairs], [c for _, c in pairs]], dtype="int64", device=device)
    return functions.reshape(made, (2, len(pairs)))


def tril_indices(row: int, col: int, offset: int = 0, *, device: Any = None) -> Tensor:
    """Row and column numbers of a lower triangle, shape (2, count).

    Example:
        >>> import gradviz as gv
        >>> gv.tril_indices(2, 2).tolist()
        [[0, 1, 1], [0, 0, 1]]
    """
    with CallSite():
        return _triangle("tril_indices", row, col, offset, True, device)


def triu_indices(row: int, col: int, offset: int = 0, *, device: Any = None) -> Tensor:
    """Row and column numbers of an upper triangle, shape (2, count).

    Example:
        >>> import gradviz as gv
        >>> gv.triu_indices(2, 2).tolist()
        [[0, 0, 1], [0, 1, 1]]
    """
    with CallSite():
        return _triangle("triu_indices", row, col, offset, False, device)


def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Tensor, ...]:
    """Coordinates of a grid: one tensor for each vector, all of the grid's shape.

    Args:
        tensors: vectors, one for each dimension of the grid.
        indexing: "ij" for rows first, "xy" for the first two exchanged.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> [part.tolist() for part in gv.meshgrid(gv.tensor([1, 2]), gv.tensor([3]))]
        [[[1], [2]], [[3], [3]]]
    """
    how = canon.choice("meshgrid", "indexing", indexing, ("ij", "xy"))
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], list | tuple) else tensors
    with CallSite():
        vectors = [functions.flatten(canon.tensor("meshgrid", part)) for part in given]
        swapped = how == "xy" and len(vectors) > 1
        if swapped:
            vectors[0], vectors[1] = vectors[1], vectors[0]
        shape = tuple(vector.size for vector in vectors)
        grids = []
        for at, vector in enumerate(vectors):
            column = functions.reshape(vector, [-1 if a == at else 1 for a in range(len(shape))])
            grids.append(functions.expand(column, shape))
        if swapped:
            grids = [functions.transpose(grid, 0, 1) for grid in (grids[1], grids[0], *grids[2:])]
        return tuple(grids)


def broadcast_to(input: Any, size: Any) -> Tensor:
    """Expanded to a shape, as operands are.

    Example:
        >>> import gradviz as gv
        >>> gv.broadcast_to(gv.ones(1), (2, 3)).shape
        (2, 3)
    """
    with CallSite():
        return functions.expand(canon.tensor("broadcast_to", input), size)


def hstack(tensors: Any) -> Tensor:
    """Tensors side by side: joined along the second dimension, vectors along their only one.

    Example:
        >>> import gradviz as gv
        >>> gv.hstack([gv.tensor([1]), gv.tensor([2])]).tolist()
        [1, 2]
    """
    with CallSite():
        parts = canon.listed("hstack", tensors)
        parts = [part if part.ndim else functions.reshape(part, 1) for part in parts]
        return functions.cat(parts, 1 if parts[0].ndim > 1 else 0)


def vstack(tensors: Any) -> Tensor:
    """Tensors one below the other: joined along the first dimension, vectors as rows.

    Example:
        >>> import gradviz as gv
        >>> gv.vstack([gv.tensor([1]), gv.tensor([2])]).tolist()
        [[1], [2]]
    """
    with CallSite():
        parts = canon.listed("vstack", tensors)
        rows = [part if part.ndim > 1 else functions.reshape(part, (1, -1)) for part in parts]
        return functions.cat(rows, 0)
