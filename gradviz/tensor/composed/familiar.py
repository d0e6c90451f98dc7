"""Further names of PyTorch's for what tensors are, hold and give."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from gradviz.core.context import CallSite
from gradviz.errors import fail
from gradviz.tensor import canon, creation, functions
from gradviz.tensor.base import Tensor
from gradviz.tensor.composed.choice import where
from gradviz.tensor.composed.layout import reshape_as
from gradviz.tensor.composed.parts import split

_BETWEEN = ("linear", "lower", "higher", "nearest", "midpoint")


def view_as(input: Any, other: Any) -> Tensor:
    """The same elements in the shape of another tensor.

    Example:
        >>> import gradviz as gv
        >>> gv.arange(4).view_as(gv.zeros(2, 2)).tolist()
        [[0, 1], [2, 3]]
    """
    return reshape_as(input, other)


# --- facts ---------------------------------------------------------------------------------------
def is_floating_point(input: Any) -> bool:
    """Whether the elements are floating point numbers.

    Example:
        >>> import gradviz as gv
        >>> gv.ones(2).is_floating_point(), gv.arange(2).is_floating_point()
        (True, False)
    """
    return bool(canon.tensor("is_floating_point", input).dtype.kind == "f")


def is_same_size(input: Any, other: Any) -> bool:
    """Whether two tensors have the same shape.

    Example:
        >>> import gradviz as gv
        >>> gv.ones(2, 3).is_same_size(gv.zeros(2, 3))
        True
    """
    x = canon.tensor("is_same_size", input)
    return x.shape == canon.tensor("is_same_size", other).shape


def nelement(input: Any) -> int:
    """The number of elements.

    Example:
        >>> import gradviz as gv
        >>> gv.ones(2, 3).nelement()
        6
    """
    count: int = canon.tensor("nelement", input).size
    return count


def element_size(input: Any) -> int:
    """The bytes that one element takes.

    Example:
        >>> import gradviz as gv
        >>> gv.ones(2).element_size(), gv.ones(2).double().element_size()
        (4, 8)
    """
    size: int = canon.tensor("element_size", input).dtype.itemsize
    return size


# --- new tensors like one ------------------------------------------------------------------------
def new_zeros(input: Any, *size: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """Zeros of another shape in the dtype and on the device of a tensor.

    Example:
        >>> import gradviz as gv
        >>> gv.ones(2).double().new_zeros(3).dtype.name
        'float64'
    """
    return creation.zeros(*size, **_like(input, dtype, device))


def new_ones(input: Any, *size: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """Ones of another shape in the dtype and on the device of a tensor.

    Example:
        >>> import gradviz as gv
        >>> gv.arange(2).new_ones(2, 2).tolist()
        [[1, 1], [1, 1]]
    """
    return creation.ones(*size, **_like(input, dtype, device))


def new_empty(input: Any, *size: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """A tensor of another shape in the dtype and on the device of a tensor, filled with anything.

    Example:
        >>> import gradviz as gv
        >>> gv.ones(2).new_empty(3, 1).shape
        (3, 1)
    """
    return creation.empty(*size, **_like(input, dtype, device))


def new_full(
    input: Any, size: Any, fill_value: Any, dtype: Any = None, device: Any = None
) -> Tensor:
    """One value in another shape, in the dtype and on the device of a tensor.

    Example:
        >>> import gradviz as gv
        >>> gv.ones(2).new_full((1, 2), 3.0).tolist()
        [[3.0, 3.0]]
    """
    return creation.full(size, fill_value, **_like(input, dtype, device))


def new_tensor(input: Any, data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """Data as a tensor in the dtype and on the device of a tensor.

    Example:
        >>> import gradviz as gv
        >>> gv.ones(2).new_tensor([1, 2]).tolist()
        [1.0, 2.0]
    """
    return creation.tensor(data, **_like(input, dtype, device))


def _like(input: Any, dtype: Any, device: Any) -> dict[str, Any]:
    x = canon.tensor("new", input)
    return {"dtype": dtype or x.dtype, "device": device or x.device}


# --- values --------------------------------------------------------------------------------------
def tensor_split(input: Any, indices_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Parts of nearly equal size along one dimension, or parts that end at given places.

    Args:
        input: a tensor.
        indices_or_sections: how many parts, the first ones longer by one where it doesn't go into
            the dimension; or the places at which parts end.
        dim: the dimension.

    Raises:
        GradvizError: `invalid-argument` for less than one part, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> [part.tolist() for part in gv.arange(5).tensor_split(2)]
        [[0, 1, 2], [3, 4]]
        >>> [part.tolist() for part in gv.arange(5).tensor_split([1, 3])]
        [[0], [1, 2], [3, 4]]
    """
    x = canon.tensor("tensor_split", input)
    at = canon.existing_dim("tensor_split", dim, x)
    length = x.shape[at]
    if isinstance(indices_or_sections, list | tuple):
        places = canon.whole_numbers("tensor_split", "indices", indices_or_sections)
        bounds = [0, *(slice(place).indices(length)[1] for place in places), length]
        with CallSite():
            before = (slice(None),) * at
            return tuple(x[(*before, slice(a, max(a, b)))] for a, b in pairwise(bounds))
    count = canon.whole_number("tensor_split", "sections", indices_or_sections)
    if count < 1:
        raise fail(
            "invalid-argument",
            operation="tensor_split",
            complaint=f"{count} parts",
            reason="a tensor has at least one part.",
            advice="Give a number of parts from 1 on, or a list of places.",
        )
    longer = length % count
    sizes = [length // count + (number < longer) for number in range(count)]
    with CallSite():
        return split(x, sizes, at)


def matrix_power(input: Any, n: int) -> Tensor:
    """A square matrix times itself; of a negative number, its inverse.

    Args:
        input: shape (..., m, m), float.
        n: how often; 0 gives the identity.

    Raises:
        GradvizError: `shape-mismatch` for matrices that aren't square.

    Example:
        >>> import gradviz as gv
        >>> gv.matrix_power(gv.tensor([[1.0, 1.0], [0.0, 1.0]]), 3).tolist()
        [[1.0, 3.0], [0.0, 1.0]]
    """
    x = canon.tensor("matrix_power", input)
    times = canon.whole_number("matrix_power", "n", n)
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise fail(
            "invalid-argument",
            operation="matrix_power",
            complaint=f"a tensor of shape {x.shape} isn't square",
            reason="only square matrices can be multiplied by themselves.",
            advice="Give a tensor of shape (..., m, m).",
        )
    with CallSite():
        power = x.inverse() if times < 0 else x
        made: Tensor | None = None
        for bit in bin(abs(times))[:1:-1]:  # the last one first
            if bit == "1":
                made = power if made is None else functions.matmul(made, power)
            power = functions.matmul(power, power)
        if made is None:
            eye = creation.eye(x.shape[-1], dtype=x.dtype, device=x.device)
            return functions.expand(eye, *x.shape)
        return made


def quantile(
    input: Any,
    q: Any,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """The value below which a share of the elements lies.

    Args:
        input: a tensor, float.
        q: the share, from 0 to 1, or several as a list or an array.
        dim: the dimension; all elements where it is left out.
        keepdim: whether the reduced dimension stays with size 1.
        interpolation: what is taken between two elements: "linear", "lower", "higher", "nearest"
            or "midpoint".

    Returns:
        The quantiles; of several shares, those of each in a first dimension. A lane that holds nan
        has nan.

    Raises:
        GradvizError: `invalid-argument` without elements, and for a share beyond 0 and 1.

    Example:
        >>> import gradviz as gv
        >>> gv.tensor([4.0, 1.0, 2.0]).quantile(0.75).item()
        3.0
        >>> gv.quantile(gv.tensor([[1.0, 3.0], [5.0, 7.0]]), [0.0, 0.5], dim=1).tolist()
        [[1.0, 5.0], [2.0, 6.0]]
    """
    x = canon.tensor("quantile", input)
    canon.floating("quantile", x)
    how = canon.choice("quantile", "interpolation", interpolation, _BETWEEN)
    several = not isinstance(q, int | float)
    shares = [float(share) for share in q] if several else [float(q)]
    if any(not 0.0 <= share <= 1.0 for share in shares):
        raise fail(
            "invalid-argument",
            operation="quantile",
            complaint=f"q is {q}",
            reason="a share of the elements lies from 0 to 1.",
            advice="Give shares such as 0.25, not percent.",
        )
    at = None if dim is None else canon.dim("quantile", dim, x)
    canon.nonempty("quantile", at, x)
    with CallSite():
        lanes = x.reshape(-1) if at is None else x.movedim(at, -1)
        ordered = functions.sort(lanes, -1)[0]
        # nan is sorted behind everything; one in a lane makes all of it nan.
        ordered = where(ordered[..., -1:].isnan(), ordered[..., -1:], ordered)
        found = [_between(ordered, share * (lanes.shape[-1] - 1), how) for share in shares]
        if keepdim:
            shape = [1 if at in (None, place) else n for place, n in enumerate(x.shape)]
            found = [value.reshape(tuple(shape)) for value in found]
        return functions.stack(found, 0) if several else found[0]


def _between(ordered: Tensor, place: float, how: str) -> Tensor:
    """The element at a place in the last dimension, or what lies between two."""
    low = int(place)
    high = min(low + 1, ordered.shape[-1] - 1)
    share = place - low
    if how == "nearest":
        share = round(place) - low  # halves go to even places
    elif how != "linear":
        share = {"lower": 0.0, "higher": 1.0, "midpoint": 0.5}[how] if share else 0.0
    if share in (0.0, 1.0):
        return ordered[..., high if share else low]
    return functions.lerp(ordered[..., low], ordered[..., high], share)


__all__ = [
    "element_size",
    "is_floating_point",
    "is_same_size",
    "matrix_power",
    "nelement",
    "new_empty",
    "new_full",
    "new_ones",
    "new_tensor",
    "new_zeros",
    "quantile",
    "tensor_split",
    "view_as",
]
