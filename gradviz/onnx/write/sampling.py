"""Lookups between elements and their adjoint: what the gradient of grid sampling is made of."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, Final

from gradviz.onnx.builder import Builder, size_of
from gradviz.onnx.registry import writes
from gradviz.onnx.value import Value

Dims = tuple[int, ...]
_SLOPE = -0.75
_TAPS: Final = {
    "nearest": (0, ((1.0,),)),
    "linear": (0, ((1.0, -1.0), (0.0, 1.0))),
    "cubic": (
        -1,
        (
            (0.0, _SLOPE, -2 * _SLOPE, _SLOPE),
            (1.0, 0.0, -(_SLOPE + 3), _SLOPE + 2),
            (0.0, -_SLOPE, 2 * _SLOPE + 3, -(_SLOPE + 2)),
            (0.0, 0.0, _SLOPE, -_SLOPE),
        ),
    ),
}
"""For every kernel its first element, and the weights as polynomials, lowest power first."""
_NOWHERE = -(2.0**20)


def _polynomial(b: Builder, coefficients: tuple[float, ...], t: Any, order: int) -> Any:
    """A derivative of a polynomial; a number where it doesn't depend on `t`."""
    found = list(coefficients)
    for _ in range(order):
        found = [power * value for power, value in enumerate(found)][1:]
    while found and found[-1] == 0:
        found.pop()
    if len(found) <= 1:
        return found[0] if found else 0.0
    out: Any = found[-1]
    for value in reversed(found[:-1]):
        out = t * out
        if value:
            out = out + value
    return out


def _inside(b: Builder, place: Any, length: int, border: str) -> tuple[Any, Any]:
    """Places brought into the tensor, and where they were inside, if that counts."""
    counts = None
    if border == "zeros":
        counts = (place >= 0) & (place < length)
    elif border == "reflect" and length > 1:
        turn = 2 * (length - 1)
        place = b.Abs(b.Mod(place + (length - 1), turn) - (length - 1))
    elif border == "symmetric":
        place = b.Mod(place, 2 * length)
        place = b.Min(place, (2 * length - 1) - place)
    return b.Clip(place, 0, length - 1), counts


def _corners(
    b: Builder, shape: Dims, coords: Value, orders: Dims, mode: str, border: str
) -> Iterator[tuple[Any, Any]]:
    """The elements around each place: rows of the channels-last tensor, and their weights."""
    lengths = shape[:1:-1]
    dtype = "float32" if coords.dtype == "float16" else coords.dtype
    first, taps = _TAPS[mode]
    options = []
    for axis, (length, order) in enumerate(zip(lengths, orders, strict=True)):
        source: Any = b.Gather(b.cast(coords, dtype), b.constant(axis, "int64"), axis=2)
        # Places that are no numbers lie nowhere.
        strange = b.IsNaN(source) | b.IsInf(source)
        source = b.Where(strange, b.constant(_NOWHERE, dtype), source)
        before = b.Round(source) if mode == "nearest" else b.Floor(source)
        near = b.cast(b.Clip(before, -(2.0**30), 2.0**30), "int64")
        choices = []
        for number, polynomial in enumerate(taps, first):
            weight = _polynomial(b, polynomial, source - before, order)
            place, counts = _inside(b, near + number if number else near, length, border)
            if counts is not None:
                weight = b.cast(counts, dtype) * weight
            choices.append((place, weight))
        options.append(choices)
    plane = size_of(shape[2:])
    start = b.constant([at * plane for at in range(shape[0])], "int64", (shape[0], 1))
    for corner in itertools.product(*options):
        places, step = start, 1
        weights: Any = 1.0
        for (place, weight), length in zip(corner, lengths, strict=True):
            places = places + (place if step == 1 else place * step)
            weights = weight * weights if not isinstance(weight, float) else weights * weight
            step *= length
        if isinstance(weights, float):
            weights = b.full(weights, dtype, coords.dims[:2])
        yield places, b.cast(weights, coords.dtype)


@writes("sample_at")
def sample_at(b: Builder, x: Value, coords: Value, orders: Dims, mode: str, border: str) -> Any:
    shape = b.fixed(x.dims)
    batch, channels = shape[:2]
    last = b.transpose(x, [0, *range(2, x.rank), 1])
    rows = b.reshape(last, (batch * size_of(shape[2:]), channels))
    out: Any = None
    for places, weights in _corners(b, shape, coords, orders, mode, border):
        part = b.Gather(rows, places, axis=0) * b.Unsqueeze(weights, [2])
        out = part if out is None else out + part
    return b.transpose(out, [0, 2, 1])


@writes("sample_put")
def sample_put(
    b: Builder, values: Value, coords: Value, shape: Dims, orders: Dims, mode: str, border: str
) -> Any:
    sizes = b.fixed(shape)
    batch, channels = sizes[:2]
    out: Any = b.full(0, values.dtype, (batch * size_of(sizes[2:]), channels))
    given = b.transpose(values, [0, 2, 1])
    for places, weights in _corners(b, sizes, coords, orders, mode, border):
        part = b.Reshape(given * b.Unsqueeze(weights, [2]), [-1, channels])
        out = b.ScatterND(out, b.Reshape(places, [-1, 1]), part, reduction="add")
    whole = b.reshape(out, (batch, *sizes[2:], channels))
    return b.transpose(whole, [0, len(sizes) - 1, *range(1, len(sizes) - 1)])
