"""Resampling at regular places, in all the ways that the format knows."""

from __future__ import annotations

import math
from typing import Any

from gradviz.onnx.read.call import Call, rows
from gradviz.onnx.read.movement import known, limited
from gradviz.onnx.read.refusal import UnreadableError
from gradviz.onnx.read.registry import reads
from gradviz.ops.size import Size
from gradviz.tensor.base import Tensor

MOST_PLACES = 1 << 14
"""Elements along one dimension of a result, whose places are worked out one by one."""

Taps = list[tuple[list[int], list[float] | None]]
"""For each element of a kernel: its place for every result, and its weight (None for 1)."""


@reads("Resize", "Upsample")
def resize(c: Call) -> Any:
    x = c.x
    rank = len(x.shape)
    upsample = c.kind == "Upsample"
    if c.whole("antialias", 0) or c.text("keep_aspect_ratio_policy", "stretch") != "stretch":
        raise UnreadableError("it smooths, or keeps the sides' ratio")
    axes = [axis % rank for axis in c.integers("axes", tuple(range(rank)))]
    sizes, scales = _asked(c, upsample)
    mode = c.text("mode", "nearest")
    where = "asymmetric" if upsample else c.text("coordinate_transformation_mode", "half_pixel")
    turn = "floor" if upsample else c.text("nearest_mode", "round_prefer_floor")
    for at, axis in enumerate(axes):
        length = x.shape[axis]
        given = None if scales is None else scales[at]
        if given == 1.0 or (sizes is not None and sizes[at] == length):
            continue
        if isinstance(length, Size):
            raise UnreadableError("it resizes a size that is left open")
        size = sizes[at] if sizes is not None else math.floor(length * given)
        scale = size / length if given is None else given
        if limited(size) > MOST_PLACES:
            raise UnreadableError(f"it makes a dimension of {size} elements")
        spots = [_source(step, length, size, scale, where) for step in range(size)]
        taps = _taps(spots, length, mode, turn, c.real("cubic_coeff_a", -0.75))
        x = _line(x, axis, taps)
    return x


def _asked(c: Call, upsample: bool) -> tuple[Any, Any]:
    """The sizes asked for, or the scales."""
    if "scales" in c.attributes:
        return None, c.attributes["scales"]
    at = 1 if upsample or c.opset < 11 else 2
    if c.has(3):
        return c.lengths(3), None
    item = c.item(at)
    if item.fixed is None:
        raise UnreadableError("its scales have to be known before the model runs")
    scales = [float(value) for value in item.fixed.reshape(-1).tolist()]
    if any(not 0 < scale < math.inf for scale in scales):
        raise UnreadableError("its scales aren't positive")
    return None, scales


def _source(at: int, length: int, size: int, scale: float, where: str) -> float:
    """The place in the input that a result comes from."""
    if where == "half_pixel":
        return (at + 0.5) / scale - 0.5
    if where == "asymmetric":
        return at / scale
    if where == "align_corners":
        return at * (length - 1) / (size - 1) if size > 1 else 0.0
    if where == "pytorch_half_pixel":
        return (at + 0.5) / scale - 0.5 if size > 1 else 0.0
    if where == "half_pixel_symmetric":
        middle = length / 2 * (1 - size / (scale * length))
        return middle + (at + 0.5) / scale - 0.5
    raise UnreadableError(f"it has no coordinates called {where!r}")


_TURNS = {
    "floor": math.floor,
    "ceil": math.ceil,
    "round_prefer_floor": lambda at: math.ceil(at - 0.5),
    "round_prefer_ceil": lambda at: math.floor(at + 0.5),
}


def _taps(spots: list[float], length: int, mode: str, turn: str, slope: float) -> Taps:
    def inside(places: list[int]) -> list[int]:
        return [min(max(place, 0), length - 1) for place in places]

    if mode == "nearest":
        if turn not in _TURNS:
            raise UnreadableError(f"it has no rounding called {turn!r}")
        # A hair of rounding must not move a place that falls between two.
        return [(inside([_TURNS[turn](round(spot, 9)) for spot in spots]), None)]
    if mode == "linear":
        held = [min(max(spot, 0.0), length - 1.0) for spot in spots]
        before = [math.floor(spot) for spot in held]
        parts = [spot - low for spot, low in zip(held, before, strict=True)]
        return [
            (inside(before), [1 - part for part in parts]),
            (inside([low + 1 for low in before]), parts),
        ]
    if mode == "cubic":
        before = [math.floor(spot) for spot in spots]
        return [
            (
                inside([low + step for low in before]),
                [
                    _cubic(abs(spot - low - step), slope)
                    for spot, low in zip(spots, before, strict=True)
                ],
            )
            for step in (-1, 0, 1, 2)
        ]
    raise UnreadableError(f"it has no mode {mode!r}")


def _cubic(gap: float, slope: float) -> float:
    """Keys' kernel at a distance."""
    if gap <= 1:
        return ((slope + 2) * gap - (slope + 3)) * gap * gap + 1
    if gap < 2:
        return ((slope * gap - 5 * slope) * gap + 8 * slope) * gap - 4 * slope
    return 0.0


def _line(x: Tensor, axis: int, taps: Taps) -> Any:
    rank = len(x.shape)
    total: Any = None
    for places, weights in taps:
        part = rows.take(x, known(places, x), axis)
        if weights is not None:
            line = tuple(len(weights) if at == axis else 1 for at in range(rank))
            factors = known(weights, x, x.dtype.name)
            part = rows.mul(part, rows.reshape(factors, line))
        total = part if total is None else rows.add(total, part)
    return total
