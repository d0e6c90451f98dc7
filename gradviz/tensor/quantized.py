"""Quantized tensors: small whole numbers with the grid that says what they stand for."""

from __future__ import annotations

from typing import Any

from gradviz.core.context import CallSite
from gradviz.errors import fail
from gradviz.tensor import canon, functions
from gradviz.tensor.base import Tensor
from gradviz.tensor.data import dtype_of
from gradviz.tensor.general import general, row_of

_quantize, _dequantize = row_of("quantize"), row_of("dequantize")
_fake = row_of("fake_quantize")
_RANGES = {
    "int8": (-128, 127),
    "uint8": (0, 255),
    "int16": (-32768, 32767),
    "int32": (-(2**31), 2**31 - 1),
}


class QuantizedTensor:
    """Whole numbers on an even grid, and the grid: the number is `(place - zero_point) * scale`.

    Made by `gv.quantize_per_tensor` and `gv.quantize_per_channel`; arithmetic happens on what
    `dequantize` gives. Quantizing cuts the path of gradients.

    Attributes:
        places: the whole numbers, an ordinary tensor.
        scale: the grid's step: one number, or one for each channel.
        zero_point: the place that stands for 0: one number, or one for each channel.
        axis: the dimension of channels, or None.

    Example:
        >>> import gradviz as gv
        >>> q = gv.quantize_per_tensor(gv.tensor([0.0, 0.5, 1.0]), scale=0.25, zero_point=10)
        >>> q.int_repr().tolist(), q.dequantize().tolist()
        ([10, 12, 14], [0.0, 0.5, 1.0])
    """

    __slots__ = ("axis", "places", "scale", "zero_point")

    def __init__(self, places: Tensor, scale: Tensor, zero_point: Tensor, axis: int | None) -> None:
        self.places = places
        self.scale = scale
        self.zero_point = zero_point
        self.axis = axis

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the dimensions."""
        return self.places.shape

    @property
    def dtype(self) -> Any:
        """The dtype of the whole numbers."""
        return self.places.dtype

    def int_repr(self) -> Tensor:
        """The whole numbers."""
        return self.places

    def dequantize(self) -> Tensor:
        """The numbers that the whole ones stand for, in the dtype of the scale."""
        with CallSite():
            result: Tensor = general(
                _dequantize, [self.places, self.scale, self.zero_point], (self.axis,)
            )
            return result

    def __repr__(self) -> str:
        how = "per tensor" if self.axis is None else f"per channel of dimension {self.axis}"
        return f"QuantizedTensor({self.shape}, {self.dtype.name}, {how})"


def _limits(operation: str, dtype: Any) -> tuple[str, int, int]:
    name = dtype_of(dtype).name
    if name not in _RANGES:
        raise fail(
            "invalid-dtype",
            operation=operation,
            complaint=f"numbers can't be quantized to {name}",
            advice=f"Use one of {', '.join(_RANGES)}.",
        )
    return (name, *_RANGES[name])


def _grid(operation: str, x: Tensor, scale: Any, zero_point: Any) -> tuple[Tensor, Tensor]:
    """Scale and zero point as tensors, checked."""
    steps = canon.tensor(operation, scale, lists=True)
    zero = canon.tensor(operation, zero_point, lists=True)
    if steps.dtype.kind != "f":
        steps = steps.to(dtype="float32")
    if zero.dtype.kind not in "iu":
        raise fail(
            "invalid-dtype",
            operation=operation,
            complaint=f"zero_point is {zero.dtype.name}, not a whole number",
            advice="Convert it with `.long()`.",
        )
    if not steps.device.is_capture and not bool(functions.all(functions.gt(steps, 0.0))):
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint="a scale isn't above 0",
            advice="Give scales above 0.",
        )
    # The grid is a constant: quantizing passes no gradient to it.
    wanted = steps.detach().to(dtype=x.dtype)
    return wanted, zero.to(dtype="int64")


def quantize_per_tensor(
    input: Any, scale: Any, zero_point: Any, dtype: Any = "int8"
) -> QuantizedTensor:
    """Every number at the nearest place of one grid.

    Args:
        input: a tensor, float.
        scale: the grid's step, above 0.
        zero_point: the place that stands for 0.
        dtype: "int8", "uint8", "int16" or "int32".

    Raises:
        GradvizError: `invalid-argument`, `invalid-dtype`, `shape-mismatch`.

    Example:
        >>> import gradviz as gv
        >>> gv.quantize_per_tensor(gv.tensor([0.6, 9.9]), 0.5, 0).dequantize().tolist()
        [0.5, 10.0]
    """
    name = "quantize_per_tensor"
    with CallSite():
        x = canon.tensor(name, input)
        canon.floating(name, x)
        kind, low, high = _limits(name, dtype)
        steps, zero = _grid(name, x, scale, zero_point)
        steps, zero = (_as_number(name, part) for part in (steps, zero))
        places: Tensor = general(_quantize, [x, steps, zero], (None, low, high, kind))
        return QuantizedTensor(places, steps, zero, None)


def _as_number(operation: str, part: Tensor) -> Tensor:
    if part.size != 1:
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"one grid has one scale and zero point, not {part.size}",
            advice="Use `quantize_per_channel` for several.",
        )
    return functions.reshape(part, ()) if part.shape else part


def quantize_per_channel(
    input: Any, scales: Any, zero_points: Any, axis: int, dtype: Any = "int8"
) -> QuantizedTensor:
    """Every number at the nearest place of its channel's grid.

    Args:
        input: a tensor, float.
        scales: shape (channels,): the grids' steps, above 0.
        zero_points: shape (channels,): the places that stand for 0.
        axis: the dimension of channels.
        dtype: "int8", "uint8", "int16" or "int32".

    Raises:
        GradvizError: `invalid-argument`, `invalid-dtype`, `shape-mismatch`,
            `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> x = gv.tensor([[1.0, 10.0]])
        >>> gv.quantize_per_channel(x, [0.1, 1.0], [0, 0], 1).int_repr().tolist()
        [[10, 10]]
    """
    name = "quantize_per_channel"
    with CallSite():
        x = canon.tensor(name, input)
        canon.floating(name, x)
        at = canon.existing_dim(name, axis, x)
        kind, low, high = _limits(name, dtype)
        steps, zero = _grid(name, x, scales, zero_points)
        places: Tensor = general(_quantize, [x, steps, zero], (at, low, high, kind))
        return QuantizedTensor(places, steps, zero, at)


def quantize_dynamic(input: Any, dtype: Any = "int8") -> QuantizedTensor:
    """Quantized on one grid around 0 that reaches just as far as the numbers do: Burn's name.

    Example:
        >>> import gradviz as gv
        >>> gv.quantize_dynamic(gv.tensor([-1.27, 0.5])).int_repr().tolist()
        [-127, 50]
    """
    name = "quantize_dynamic"
    with CallSite():
        x = canon.tensor(name, input)
        canon.floating(name, x)
        _, low, high = _limits(name, dtype)
        zero = 0 if low else (high + 1) // 2
        reach = functions.amax(functions.abs(x.detach())) if x.size else canon.tensor(name, 0.0)
        steps = functions.clamp(functions.div(reach, float(high - zero)), min=1e-12)
        return quantize_per_tensor(x, steps, zero, dtype)


def dequantize(input: Any) -> Any:
    """The numbers that a quantized tensor stands for; an ordinary tensor is given back.

    Example:
        >>> import gradviz as gv
        >>> gv.dequantize(gv.quantize_per_tensor(gv.tensor([0.5]), 0.25, 0)).tolist()
        [0.5]
    """
    return (
        input.dequantize()
        if isinstance(input, QuantizedTensor)
        else canon.tensor("dequantize", input)
    )


def _faked(
    name: str, input: Any, scale: Any, zero_point: Any, axis: Any, quant_min: Any, quant_max: Any
) -> Tensor:
    x = canon.tensor(name, input)
    canon.floating(name, x)
    low = canon.whole_number(name, "quant_min", quant_min)
    high = canon.whole_number(name, "quant_max", quant_max)
    if low > high:
        raise fail(
            "invalid-argument",
            operation=name,
            complaint=f"quant_min {low} lies above quant_max {high}",
            advice="Give the lower end of the grid first.",
        )
    at = None if axis is None else canon.existing_dim(name, axis, x)
    steps, zero = _grid(name, x, scale, zero_point)
    if at is None:
        steps, zero = (_as_number(name, part) for part in (steps, zero))
    result: Tensor = general(_fake, [x, steps, zero], (at, low, high))
    return result


def fake_quantize_per_tensor_affine(
    input: Any, scale: Any, zero_point: Any, quant_min: int, quant_max: int
) -> Tensor:
    """What quantizing and dequantizing leaves; gradients pass where numbers lie on the grid.

    Args:
        input: a tensor, float.
        scale: the grid's step, above 0.
        zero_point: the place that stands for 0.
        quant_min: the grid's first place.
        quant_max: the grid's last place.

    Raises:
        GradvizError: `invalid-argument`, `invalid-dtype`, `shape-mismatch`.

    Example:
        >>> import gradviz as gv
        >>> gv.fake_quantize_per_tensor_affine(gv.tensor([0.3, 9.0]), 0.25, 0, -8, 7).tolist()
        [0.25, 1.75]
    """
    name = "fake_quantize_per_tensor_affine"
    with CallSite():
        return _faked(name, input, scale, zero_point, None, quant_min, quant_max)


def fake_quantize_per_channel_affine(
    input: Any, scale: Any, zero_point: Any, axis: int, quant_min: int, quant_max: int
) -> Tensor:
    """What quantizing and dequantizing each channel on its grid leaves.

    Args:
        input: a tensor, float.
        scale: shape (channels,): the grids' steps, above 0.
        zero_point: shape (channels,): the places that stand for 0.
        axis: the dimension of channels.
        quant_min: the grids' first place.
        quant_max: the grids' last place.

    Raises:
        GradvizError: `invalid-argument`, `invalid-dtype`, `shape-mismatch`,
            `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> x = gv.tensor([[0.3, 0.3]])
        >>> gv.fake_quantize_per_channel_affine(x, [0.25, 0.5], [0, 0], 1, -8, 7).tolist()
        [[0.25, 0.5]]
    """
    name = "fake_quantize_per_channel_affine"
    with CallSite():
        return _faked(name, input, scale, zero_point, axis, quant_min, quant_max)
