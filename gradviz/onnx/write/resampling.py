"""Resampling at regular places, and at given ones."""

from __future__ import annotations

import functools
from typing import Any

from gradviz.backends.ndarray import exchange
from gradviz.backends.ndarray.backend import kernel_of
from gradviz.onnx.builder import Builder, InexpressibleError
from gradviz.onnx.registry import plain, writes
from gradviz.onnx.value import Value
from gradviz.ops.spec import table

Dims = tuple[int, ...]


@writes("interpolate")
def interpolate(
    b: Builder,
    x: Value,
    size: Dims,
    mode: str,
    align_corners: bool,
    scales: tuple[float | None, ...],
) -> Any:
    rank = len(size)
    kind = {"nearest": "nearest", "nearest-exact": "nearest", "bicubic": "cubic"}.get(
        mode, "linear"
    )
    known = all(isinstance(n, int) for n in x.dims)
    if known and (x.dtype != "float32" or any(scale is not None for scale in scales)):
        # The runtime rounds sizes and scales its own way, and has other dtypes for some modes only.
        return _by_matrix(b, x, size, mode, align_corners, scales)
    given = x if rank > 1 else b.Unsqueeze(x, [2])
    extra = () if rank > 1 else (1,)
    where = {"nearest": "asymmetric", "nearest-exact": "half_pixel"}.get(
        mode, "align_corners" if align_corners else "half_pixel"
    )
    nearest = {"nearest": "floor", "nearest-exact": "round_prefer_ceil"}.get(mode)
    out = plain(
        b,
        given,
        None,
        None,
        b.shape((*x.dims[:2], *extra, *size)),
        mode=kind,
        coordinate_transformation_mode=where,
        nearest_mode=nearest,
        cubic_coeff_a=-0.75 if kind == "cubic" else None,
    )
    return out if rank > 1 else b.Squeeze(out, [2])


def _by_matrix(b: Builder, x: Value, size: Dims, mode: str, align: bool, scales: Any) -> Any:
    run = kernel_of(table["interpolate"])
    rank = len(size)
    line_mode = {"bilinear": "linear", "trilinear": "linear"}.get(mode, mode)
    out: Any = x
    for at, length in enumerate(b.fixed(x.dims[-rank:])):

        def line(rows: Any, at: int = at) -> Any:
            return run(rows[:, None], (size[at],), line_mode, align, (scales[at],))[:, 0]

        out = b.along(out, x.rank - rank + at, x.rank, exchange.response(line, length, x.dtype))
    return out


@writes("interpolate_backward")
def interpolate_backward(
    b: Builder,
    g: Value,
    shape: Dims,
    size: Dims,
    mode: str,
    align_corners: bool,
    scales: tuple[float | None, ...],
) -> Any:
    run = kernel_of(b.row)
    rank = len(size)
    out: Any = g
    for at in range(rank):
        whole = b.fixed(shape)[len(shape) - rank + at]
        line = functools.partial(
            _line_backward, run, whole, size[at], mode, align_corners, scales[at]
        )
        out = b.along(out, g.rank - rank + at, g.rank, exchange.response(line, size[at], g.dtype))
    return out


def _line_backward(
    run: Any, length: int, size: int, mode: str, align: bool, scale: float | None, rows: Any
) -> Any:
    whole = (rows.shape[0], 1, length)
    return run(rows[:, None], whole, (size,), mode, align, (scale,))[:, 0]


@writes("grid_sample")
def grid_sample(
    b: Builder, x: Value, grid: Value, mode: str, padding_mode: str, align_corners: bool
) -> Any:
    if x.rank > 4 and b.opset < 20:
        raise InexpressibleError("volumes are sampled from a later opset on", 20)
    later = {"bilinear": "linear", "bicubic": "cubic"}
    if x.dtype == "float64":
        x, grid = b.cast(x, "float32"), b.cast(grid, "float32")  # all that the runtime samples
    return plain(
        b,
        x,
        grid,
        mode=later.get(mode, mode) if b.opset >= 20 else mode,
        padding_mode=padding_mode,
        align_corners=int(align_corners),
    )


def _lengths(b: Builder, grid: Value, sizes: Dims, less: float = 0.0) -> Any:
    """Sizes as the last axis of a grid counts them: from the last dimension."""
    return b.constant([n - less for n in b.fixed(sizes)[::-1]], grid.dtype, (len(sizes),))


def _coords(b: Builder, grid: Value, sizes: Dims, align_corners: bool) -> Any:
    """Places in the tensor, counted in elements, not brought inside."""
    shifted = grid + 1.0
    if align_corners:
        return shifted * 0.5 * _lengths(b, grid, sizes, 1.0)
    return (shifted * _lengths(b, grid, sizes) - 1.0) * 0.5


@writes("grid_coords")
def grid_coords(b: Builder, grid: Value, sizes: Dims, clipped: str, align_corners: bool) -> Any:
    coords = _coords(b, grid, sizes, align_corners)
    if clipped == "reflection":
        coords, _ = _reflected(b, coords, sizes[::-1], align_corners)
    if clipped == "zeros":
        return coords
    return b.Min(b.Max(coords, 0.0), _lengths(b, grid, sizes, 1.0))


@writes("grid_slope")
def grid_slope(b: Builder, grid: Value, sizes: Dims, clipped: str, align_corners: bool) -> Any:
    scale = _lengths(b, grid, sizes, 1.0 if align_corners else 0.0) * 0.5
    slope = b.Expand(scale, b.shape(grid.dims))
    if clipped == "zeros":
        return slope
    coords = _coords(b, grid, sizes, align_corners)
    if clipped == "reflection":
        coords, signs = _reflected(b, coords, sizes[::-1], align_corners)
        slope = slope * signs
    inside = (coords > 0.0) & (coords < _lengths(b, grid, sizes, 1.0))
    return slope * b.cast(inside, grid.dtype)


def _reflected(b: Builder, coords: Any, lengths: Dims, align_corners: bool) -> tuple[Any, Any]:
    """Coordinates thrown back at the edges, and the direction they then run in."""
    many = len(lengths)
    low = 0.0 if align_corners else -0.5
    spans = [float(n - 1 if align_corners else n) for n in lengths]
    safe = b.constant([span or 1.0 for span in spans], coords.dtype, (many,))
    moved = b.Abs(coords - low)
    flips = b.Floor(moved / safe)
    extra = moved - flips * safe
    even = b.Equal(b.Mod(flips, b.constant(2.0, coords.dtype), fmod=1), 0.0)
    found = b.Where(even, extra, safe - extra) + low
    solid = b.constant([bool(span) for span in spans], "bool", (many,))
    ahead, back = b.constant(1.0, coords.dtype), b.constant(-1.0, coords.dtype)
    signs = b.Where(coords < low, back, ahead) * b.Where(even, ahead, back)
    return b.Where(solid, found, b.constant(0.0, coords.dtype)), signs
