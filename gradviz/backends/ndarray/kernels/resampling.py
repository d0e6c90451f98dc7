"""Resampling at regular places, one dimension at a time, and at given places."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np

from gradviz.backends.ndarray.kernels.adding import add_at
from gradviz.backends.ndarray.kernels.convolution import upright
from gradviz.backends.ndarray.kernels.pooling import at_axis
from gradviz.core.shape import count
from gradviz.ops.resampling import sampling

Array = Any
Dims = tuple[int, ...]

_CUBIC = -0.75
"""The slope that Keys' cubic has one element away, in PyTorch."""
# Weights as polynomials of the distance to the element before: coefficients, lowest power first.
_LINEAR_TAPS = ((1.0, -1.0), (0.0, 1.0))
_CUBIC_TAPS = (
    (0.0, _CUBIC, -2 * _CUBIC, _CUBIC),
    (1.0, 0.0, -(_CUBIC + 3), _CUBIC + 2),
    (0.0, -_CUBIC, 2 * _CUBIC + 3, -(_CUBIC + 2)),
    (0.0, 0.0, _CUBIC, -_CUBIC),
)
_TAPS = {
    "nearest": (0, ((1.0,),)),
    "linear": (0, _LINEAR_TAPS),
    "cubic": (-1, _CUBIC_TAPS),
}
"""For every kernel: where its first element lies, and the weights of its elements."""


def interpolate(
    x: Array, size: Dims, mode: str, align_corners: bool, scales: tuple[float | None, ...]
) -> Array:
    if x.dtype.itemsize == 2:
        return interpolate(x.astype(np.float32), size, mode, align_corners, scales).astype(x.dtype)
    for axis in range(-1, -len(size) - 1, -1):
        found = _line(mode, x.shape[axis], size[axis], align_corners, scales[axis])
        total: Array = None
        for places, weights in found:
            part = x.take(places, axis=axis)
            if weights is not None:
                part *= upright(weights.astype(x.dtype), -axis - 1)
            if total is None:
                total = part
            else:
                total += part
        x = total
    return x


def interpolate_backward(
    g: Array,
    shape: Dims,
    size: Dims,
    mode: str,
    align_corners: bool,
    scales: tuple[float | None, ...],
) -> Array:
    if g.dtype.itemsize == 2:
        args = (shape, size, mode, align_corners, scales)
        return interpolate_backward(g.astype(np.float32), *args).astype(g.dtype)
    for axis in range(-len(size), 0):
        sizes = list(g.shape)
        sizes[axis] = shape[axis]
        out = np.zeros(sizes, g.dtype)
        found = _line(mode, shape[axis], size[axis], align_corners, scales[axis])
        for places, weights in found:
            part = g
            if weights is not None:
                part = g * upright(weights.astype(g.dtype), -axis - 1)
            # Places never fall, so that equal ones lie together.
            starts = np.flatnonzero(np.diff(places, prepend=-1))
            sums = np.add.reduceat(part, starts, axis=axis)
            out[at_axis(axis, places[starts])] += sums
        g = out
    return g


@functools.lru_cache(maxsize=64)
def _line(
    mode: str, length: int, size: int, align_corners: bool, scale: float | None
) -> list[tuple[Array, Array | None]]:
    """For every element of the kernel, its place for each result and its weight (None for 1)."""
    at = np.arange(size)
    if mode.startswith("nearest"):
        # Single precision, as in PyTorch, so that places at the edge fall on the same side.
        ratio = np.float32(1.0 / scale if scale else length / size)
        shifted = at + np.float32(0.5) if mode == "nearest-exact" else at
        places = np.floor(shifted.astype(np.float32) * ratio).astype(np.int64)
        return [(np.minimum(places, length - 1), None)]
    kernel = "cubic" if mode == "bicubic" else "linear"
    if align_corners:
        source = at * ((length - 1) / (size - 1) if size > 1 else 0.0)
    else:
        source = (at + 0.5) * (1.0 / scale if scale else length / size) - 0.5
        if kernel == "linear":
            source = np.maximum(source, 0.0)
    before = np.floor(source)
    first, taps = _TAPS[kernel]
    found = []
    for number, polynomial in enumerate(taps, first):
        places = np.clip(before.astype(np.int64) + number, 0, length - 1)
        found.append((places, _polynomial(polynomial, source - before, 0)))
    return found


def _polynomial(coefficients: tuple[float, ...], t: Array, order: int) -> Array:
    """A polynomial's derivative of an order at `t`."""
    found = list(coefficients)
    for _ in range(min(order, len(coefficients))):  # beyond, nothing is left
        found = [power * value for power, value in enumerate(found)][1:]
    out = np.zeros_like(t)
    for value in reversed(found):
        out = out * t + value
    return out


def sample_at(x: Array, coords: Array, orders: Dims, mode: str, border: str) -> Array:
    batch, channels = x.shape[:2]
    plane = count(x.shape[2:])
    # Channels last, so that one place is one row.
    rows = np.moveaxis(x, 1, -1).reshape(batch * plane, channels)
    out = np.zeros((batch, coords.shape[1], channels), x.dtype)
    for places, weights in _corners(x.shape, coords, orders, mode, border):
        part = rows.take(places, axis=0)
        part *= weights[..., None]
        out += part
    return out.swapaxes(1, 2)


def sample_put(g: Array, coords: Array, shape: Dims, orders: Dims, mode: str, border: str) -> Array:
    batch, channels = shape[:2]
    out = np.zeros((batch * count(shape[2:]), channels), g.dtype)
    given = g.swapaxes(1, 2)
    for places, weights in _corners(shape, coords, orders, mode, border):
        part = given * weights[..., None]
        add_at(out, places, part, 0)
    return np.moveaxis(out.reshape(batch, *shape[2:], channels), -1, 1)


def _corners(shape: Dims, coords: Array, orders: Dims, mode: str, border: str) -> Any:
    """The elements around each place: rows of the channels-last array, and weights.

    The last axis of `coords` counts dimensions from the last one, as a grid does. A weight is
    differentiated `orders` times along each of them.
    """
    lengths = shape[:1:-1]
    # Half precision has no room for places.
    wide = np.dtype(np.float32) if coords.dtype.itemsize == 2 else coords.dtype
    first, taps = _TAPS[mode]
    options = []
    for axis, (length, order) in enumerate(zip(lengths, orders, strict=True)):
        source = coords[..., axis].astype(wide, copy=False)
        # Places that are no numbers lie nowhere.
        source = np.where(np.isfinite(source), source, wide.type(-(2**20)))
        before = np.rint(source) if mode == "nearest" else np.floor(source)
        near = np.clip(before, -(2**30), 2**30).astype(np.int64)
        options.append(
            [
                _inside(
                    near + number, length, _polynomial(polynomial, source - before, order), border
                )
                for number, polynomial in enumerate(taps, first)
            ]
        )
    start = np.arange(shape[0])[:, None] * count(shape[2:])
    for corner in itertools.product(*options):
        places, step = start, 1
        weights: Any = 1
        for (place, weight), length in zip(corner, lengths, strict=True):
            places = places + place * step
            weights = weights * weight
            step *= length
        yield places, weights.astype(coords.dtype, copy=False)


def _inside(place: Array, length: int, weight: Array, border: str) -> tuple[Array, Array]:
    """Places brought into the array; with the border "zeros" those outside weigh nothing."""
    if border == "zeros":
        outside = (place < 0) | (place >= length)
        weight = weight * ~outside
    elif border == "reflect":
        turn = max(2 * (length - 1), 1)
        place = np.abs(np.mod(place + length - 1, turn) - (length - 1)) if length > 1 else place
    elif border == "symmetric":
        place = np.mod(place, 2 * length)
        place = np.minimum(place, 2 * length - 1 - place)
    return np.clip(place, 0, length - 1), weight


def grid_coords(grid: Array, sizes: Dims, clipped: str, align_corners: bool) -> Array:
    lengths = np.array(sizes[::-1], grid.dtype)
    shifted = grid + 1
    coords = shifted / 2 * (lengths - 1) if align_corners else (shifted * lengths - 1) / 2
    if clipped == "reflection":
        coords, _ = _reflected(coords, lengths, align_corners)
    return coords if clipped == "zeros" else np.clip(coords, 0, lengths - 1).astype(grid.dtype)


def grid_slope(grid: Array, sizes: Dims, clipped: str, align_corners: bool) -> Array:
    lengths = np.array(sizes[::-1], grid.dtype)
    scale = (lengths - 1 if align_corners else lengths) / 2
    slope = np.broadcast_to(scale, grid.shape).astype(grid.dtype)
    if clipped == "zeros":
        return slope
    coords = grid_coords(grid, sizes, "zeros", align_corners)
    if clipped == "reflection":
        coords, signs = _reflected(coords, lengths, align_corners)
        slope = slope * signs
    return slope * ((coords > 0) & (coords < lengths - 1))


def _reflected(coords: Array, lengths: Array, align_corners: bool) -> tuple[Array, Array]:
    """Coordinates thrown back at the edges, and the direction they then run in."""
    low = np.zeros_like(lengths) if align_corners else np.full_like(lengths, -0.5)
    span = lengths - 1 if align_corners else lengths
    safe = np.maximum(span, np.finfo(coords.dtype).tiny)
    moved = np.abs(coords - low)
    flips = np.floor(moved / safe)
    extra = moved - flips * safe
    even = np.mod(flips, 2) == 0
    found = np.where(even, extra, safe - extra) + low
    signs = np.where(coords < low, -1, 1) * np.where(even, 1, -1)
    return np.where(span > 0, found, 0).astype(coords.dtype), signs.astype(coords.dtype)


def grid_sample(x: Array, grid: Array, mode: str, padding_mode: str, align_corners: bool) -> Array:
    rank = x.ndim - 2
    clipped, kernel, border = sampling(mode, padding_mode, align_corners)
    coords = grid_coords(grid, x.shape[2:], clipped, align_corners)
    flat = coords.reshape(coords.shape[0], count(coords.shape[1:-1]), rank)
    out = sample_at(x, flat, (0,) * rank, kernel, border)
    return out.reshape(*x.shape[:2], *grid.shape[1:-1])
