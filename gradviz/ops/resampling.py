"""Resampling: between the elements of regular grids, and at places that are computed.

Reading at places is linear in the elements and piecewise polynomial in the places, so that two rows
(`sample_at` and its adjoint `sample_put`), which also read derivatives of any order, are closed
under differentiation.
"""

from __future__ import annotations

from typing import Any

from gradviz.ops import shapes
from gradviz.ops.infer import Fact
from gradviz.ops.spec import Given, Sample, op

Shape = tuple[int, ...]


def sampling(mode: str, padding_mode: str, align_corners: bool) -> tuple[str, str, str]:
    """How coordinates are clipped, the kernel, and what elements outside are.

    A bicubic kernel reaches beyond its place, so that the border decides about each element;
    the other kernels have their places clipped.
    """
    if mode == "bicubic":
        outside = "reflect" if align_corners else "symmetric"
        return "zeros", "cubic", outside if padding_mode == "reflection" else padding_mode
    return padding_mode, "linear" if mode == "bilinear" else mode, "zeros"


def _interpolate(
    x: Fact, size: Shape, mode: str, align_corners: bool, scales: tuple[float | None, ...]
) -> Fact:
    rank = len(size)
    if len(x[0]) != rank + 2 or 0 in x[0][1:]:
        raise shapes.mismatch(
            "interpolate",
            x[0],
            size,
            f"mode {mode!r} with {rank} sizes needs an input of {rank + 2} dimensions, (batch, "
            "channels, ...), with elements in each.",
            "Add the missing dimensions with `unsqueeze`, or give as many sizes as there are.",
        )
    return (*x[0][:2], *size), x[1]


def _grid_sample(x: Fact, grid: Fact, mode: str, padding_mode: str, align_corners: bool) -> Fact:
    rank = len(x[0]) - 2
    fits = rank in (2, 3) and len(grid[0]) == rank + 2 and grid[0][-1] == rank
    if not fits or grid[0][0] != x[0][0] or 0 in x[0][2:]:
        raise shapes.mismatch(
            "grid_sample",
            x[0],
            grid[0],
            "an input (batch, channels, height, width) takes a grid (batch, rows, columns, 2), one "
            "with depth a grid (batch, planes, rows, columns, 3), of the same batch.",
            "Give a grid with one place for every element of the result.",
        )
    return (*x[0][:2], *grid[0][1:-1]), x[1]


def _places(grid: Any, sizes: Shape, clipped: str, align_corners: bool, xp: Any) -> Any:
    coords = xp.grid_coords(grid, sizes, clipped, align_corners)
    shape = coords.shape
    return xp.reshape(coords, (shape[0], shapes.count(shape[1:-1]), shape[-1]))


def towards_places(
    g: Any, x: Any, coords: Any, orders: Shape, mode: str, border: str, xp: Any
) -> Any:
    """The gradient of reading at places towards the places, (batch, places, dimensions)."""
    parts = []
    for axis in range(len(orders)):
        higher = tuple(order + (at == axis) for at, order in enumerate(orders))
        slope = xp.sample_at(x, coords, higher, mode, border)
        parts.append(xp.sum(g * slope, (1,), False))
    return xp.stack(parts, 2)


def _sampled_x(
    g: Any, grid: Any, x_shape: Shape, mode: str, padding_mode: str, align_corners: bool, xp: Any
) -> Any:
    rank = len(x_shape) - 2
    clipped, kernel, border = sampling(mode, padding_mode, align_corners)
    coords = _places(grid, x_shape[2:], clipped, align_corners, xp)
    flat = xp.reshape(g, (*g.shape[:2], coords.shape[1]))
    return xp.sample_put(flat, coords, x_shape, (0,) * rank, kernel, border)


def _sampled_grid(
    g: Any,
    x: Any,
    grid: Any,
    x_shape: Shape,
    grid_shape: Shape,
    mode: str,
    padding_mode: str,
    align_corners: bool,
    xp: Any,
) -> Any:
    rank = len(x_shape) - 2
    clipped, kernel, border = sampling(mode, padding_mode, align_corners)
    coords = _places(grid, x_shape[2:], clipped, align_corners, xp)
    flat = xp.reshape(g, (*g.shape[:2], coords.shape[1]))
    d = towards_places(flat, x, coords, (0,) * rank, kernel, border, xp)
    return xp.reshape(d, grid_shape) * xp.grid_slope(grid, x_shape[2:], clipped, align_corners)


_SCALES: dict[int, tuple[None, ...]] = {rank: (None,) * rank for rank in (1, 2, 3)}
_RESIZED = (
    ((1, 2, 4), ((7,), "nearest", False, _SCALES[1])),
    ((1, 2, 5), ((3,), "linear", False, _SCALES[1])),
    ((1, 1, 4, 5), ((6, 3), "nearest", False, _SCALES[2])),
    ((1, 1, 4, 5), ((3, 7), "nearest-exact", False, _SCALES[2])),
    ((1, 2, 2, 3), ((3, 5), "bilinear", False, _SCALES[2])),
    ((2, 1, 3, 3), ((5, 2), "bilinear", True, _SCALES[2])),
    ((1, 1, 3, 4), ((6, 7), "bicubic", False, (2.0, 1.9))),
    ((1, 1, 3, 4), ((5, 2), "bicubic", True, _SCALES[2])),
    ((1, 1, 2, 3, 2), ((3, 2, 4), "trilinear", False, _SCALES[3])),
    ((0, 1, 2), ((3,), "linear", False, _SCALES[1])),
)
op(
    "interpolate",
    "x",
    attrs="size mode align_corners scales",
    checked=True,
    promote="floating",
    memory_bound=False,
    infer=_interpolate,
    vjp={
        "x": lambda g, x_shape, size, mode, align_corners, scales, xp: xp.interpolate_backward(
            g, x_shape, size, mode, align_corners, scales
        )
    },
    doc="The input resized: elements between the given ones are worked out from their neighbours.",
    onnx="Resize",
    samples=tuple(Sample((shape,), attrs) for shape, attrs in _RESIZED),
)
op(
    "interpolate_backward",
    "g",
    attrs="shape size mode align_corners scales",
    promote="floating",
    infer=lambda g, shape, *_: (shape, g[1]),
    vjp={
        "g": lambda g, size, mode, align_corners, scales, xp: xp.interpolate(
            g, size, mode, align_corners, scales
        )
    },
    doc="Resized elements added up where they came from: the adjoint of interpolate.",
    samples=tuple(Sample(((*shape[:2], *attrs[0]),), (shape, *attrs)) for shape, attrs in _RESIZED),
)
_GRID = [
    [[[-0.7, 0.23], [0.31, -0.41]], [[1.26, 0.13], [0.11, -1.37]], [[-0.12, 0.52], [0.63, 0.74]]]
]
_DEEP = [[[[[-0.71, 0.23, 0.3], [0.31, -0.41, 1.2]]]]]
op(
    "grid_sample",
    "x grid",
    attrs="mode padding_mode align_corners",
    checked=True,
    promote="floating",
    memory_bound=False,
    infer=_grid_sample,
    vjp={"x": _sampled_x, "grid": _sampled_grid},
    doc="The input read at places: -1 and 1 are its edges, and a grid holds (x, y) or (x, y, z).",
    onnx="GridSample",
    samples=(
        *(
            Sample(((1, 2, 4, 5), Given(_GRID, "float64")), (mode, border, corners))
            for mode in ("bilinear", "bicubic", "nearest")
            for border in ("zeros", "border", "reflection")
            for corners in (False, True)
        ),
        Sample(((1, 2, 3, 4, 3), Given(_DEEP, "float64")), ("bilinear", "zeros", False)),
    ),
)
op(
    "grid_coords",
    "grid",
    attrs="sizes clipped align_corners",
    promote="floating",
    infer=lambda grid, sizes, clipped, align_corners: grid,
    vjp={
        "grid": lambda g, grid, sizes, clipped, align_corners, xp: (
            g * xp.grid_slope(grid, sizes, clipped, align_corners)
        )
    },
    doc="Places of a grid counted in elements.",
    samples=tuple(
        Sample((Given(_GRID, "float64"),), ((4, 5), border, corners))
        for border in ("zeros", "border", "reflection")
        for corners in (False, True)
    ),
)
op(
    "grid_slope",
    "grid",
    attrs="sizes clipped align_corners",
    promote="floating",
    zero_gradient=True,
    infer=lambda grid, sizes, clipped, align_corners: grid,
    vjp={"grid": lambda g: g * 0.0},
    doc="How fast places counted in elements move with a grid; constant between the edges.",
    samples=(Sample((Given(_GRID, "float64"),), ((4, 5), "reflection", False)),),
)
_PLACES = [[[0.3, 1.6], [2.4, 0.1], [-0.6, 1.2], [3.7, 2.3]]]


def _sample_at(x: Fact, coords: Fact, orders: Shape, mode: str, border: str) -> Fact:
    return (*x[0][:2], coords[0][1]), x[1]


op(
    "sample_at",
    "x coords",
    attrs="orders mode border",
    promote="floating",
    memory_bound=False,
    infer=_sample_at,
    vjp={
        "x": lambda g, coords, x_shape, orders, mode, border, xp: xp.sample_put(
            g, coords, x_shape, orders, mode, border
        ),
        "coords": towards_places,
    },
    doc="Elements, or derivatives of them, read at places between them.",
    samples=tuple(
        Sample(((1, 2, 3, 4), Given(_PLACES, "float64")), (orders, mode, border))
        for orders, mode, border in (
            ((0, 0), "linear", "zeros"),
            ((1, 0), "linear", "zeros"),
            ((0, 0), "cubic", "border"),
            ((0, 1), "cubic", "symmetric"),
            ((2, 1), "cubic", "reflect"),
            ((0, 0), "nearest", "zeros"),
        )
    ),
)
op(
    "sample_put",
    "values coords",
    attrs="shape orders mode border",
    promote="floating",
    memory_bound=False,
    infer=lambda values, coords, shape, *_: (shape, values[1]),
    vjp={
        "values": lambda g, coords, orders, mode, border, xp: xp.sample_at(
            g, coords, orders, mode, border
        ),
        "coords": lambda g, values, coords, orders, mode, border, xp: towards_places(
            values, g, coords, orders, mode, border, xp
        ),
    },
    doc="Values added to the elements that they would be read from: the adjoint of sample_at.",
    samples=tuple(
        Sample(((1, 2, 4), Given(_PLACES, "float64")), ((1, 2, 3, 4), orders, mode, border))
        for orders, mode, border in (
            ((0, 0), "linear", "zeros"),
            ((0, 1), "cubic", "border"),
            ((0, 0), "nearest", "zeros"),
        )
    ),
)
