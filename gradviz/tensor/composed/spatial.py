"""Spatial operations made of others."""

from __future__ import annotations

from typing import Any

from gradviz.core.context import CallSite
from gradviz.ops import shapes
from gradviz.tensor import canon, functions
from gradviz.tensor.base import Tensor


def affine_grid(theta: Any, size: Any, align_corners: Any = None) -> Tensor:
    """The grid that reads an image through affine maps, for `grid_sample`.

    Args:
        theta: shape (batch, 2, 3), or (batch, 3, 4) for volumes: a map for each sample.
        size: the result's sizes, (batch, channels, height, width) or with a depth.
        align_corners: whether -1 and 1 are the centres of the outermost elements or their edges.

    Raises:
        GradvizError: `shape-mismatch`, `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.affine_grid(gv.eye(2, 3).unsqueeze(0), (1, 1, 1, 2)).tolist()
        [[[[-0.5, 0.0], [0.5, 0.0]]]]
    """
    name = "affine_grid"
    sizes = canon.whole_numbers(name, "size", size)
    corners = align_corners is not None and canon.flag(name, "align_corners", align_corners)
    with CallSite():
        maps = canon.tensor(name, theta)
        canon.floating(name, maps)
        rank = len(sizes) - 2
        if rank not in (2, 3) or min(sizes) < 1 or maps.shape != (sizes[0], rank, rank + 1):
            raise shapes.mismatch(
                name,
                maps.shape,
                sizes,
                "theta must be (batch, 2, 3) for a size (batch, channels, height, width), or "
                "(batch, 3, 4) for one with a depth.",
                "Give one map for each sample.",
            )
        base = _places(sizes[2:], corners, maps)
        flat = functions.matmul(base, functions.transpose(maps, 1, 2))
        return functions.reshape(flat, sizes[0], *sizes[2:], rank)


def _places(sizes: tuple[int, ...], corners: bool, like: Tensor) -> Tensor:
    """The places (x, y, 1) of all elements, one row for each."""
    from gradviz.tensor.creation import tensor

    lines = []
    for count in sizes:
        ends = count - 1 if corners else count
        lines.append([(2 * at + (0 if corners else 1)) / max(ends, 1) - 1 for at in range(count)])
        if corners and count == 1:
            lines[-1] = [0.0]
    rows: list[list[float]] = [[1.0]]
    for line in lines:
        rows = [[value, *row] for row in rows for value in line]
    return tensor(rows, dtype=like.dtype, device=like.device)


def max_pool1d_with_indices(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
) -> tuple[Tensor, Tensor]:
    """`max_pool1d` with the places of the maxima.

    Example:
        >>> import gradviz as gv
        >>> values, indices = gv.max_pool1d_with_indices(gv.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
        >>> values.tolist(), indices.tolist()
        ([[3.0, 2.0]], [[1, 2]])
    """
    pair: tuple[Tensor, Tensor] = canon.spatial.max_pool_with_indices(
        "max_pool1d", input, kernel_size, stride, padding, dilation, ceil_mode
    )
    return pair


def max_pool2d_with_indices(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
) -> tuple[Tensor, Tensor]:
    """`max_pool2d` with the places of the maxima, counted through rows.

    Example:
        >>> import gradviz as gv
        >>> values, indices = gv.max_pool2d_with_indices(gv.tensor([[[1.0, 3.0], [2.0, 0.0]]]), 2)
        >>> values.tolist(), indices.tolist()
        ([[[3.0]]], [[[1]]])
    """
    pair: tuple[Tensor, Tensor] = canon.spatial.max_pool_with_indices(
        "max_pool2d", input, kernel_size, stride, padding, dilation, ceil_mode
    )
    return pair
